#include "core/approval/plan_mode.h"
#include "t.h"

static enum permission_mode after(enum permission_mode before, enum permission_mode of_settings,
                                  bool is_by_owner)
{
	struct st_session session = { .permission_mode = PERMISSION_MODE_PLAN,
		                      .mode_before_plan = before };
	struct state w = { .s = &session };
	struct settings settings = { .mode = of_settings };

	return plan_mode_after(&w, &settings, is_by_owner);
}

TEST(the_mode_before_the_plan_returns)
{
	CHECK_INT(after(PERMISSION_MODE_ON_REQUEST, 0, true), PERMISSION_MODE_ON_REQUEST);
	CHECK_INT(after(PERMISSION_MODE_BYPASS, 0, true), PERMISSION_MODE_BYPASS);
	CHECK_INT(after(PERMISSION_MODE_UNTRUSTED, PERMISSION_MODE_BYPASS, true),
	          PERMISSION_MODE_UNTRUSTED);
}

TEST(the_settings_alone_open_no_more_than_on_request)
{
	CHECK_INT(after(0, PERMISSION_MODE_ON_REQUEST, true), PERMISSION_MODE_ON_REQUEST);
	CHECK_INT(after(0, PERMISSION_MODE_BYPASS, true), PERMISSION_MODE_ON_REQUEST);
	CHECK_INT(after(0, PERMISSION_MODE_NEVER, true), PERMISSION_MODE_NEVER);
	CHECK_INT(after(0, PERMISSION_MODE_PLAN, true), PERMISSION_MODE_DEFAULT);
	CHECK_INT(after(0, 0, true), PERMISSION_MODE_DEFAULT);
}

TEST(an_answer_of_another_gives_default_at_most)
{
	CHECK_INT(after(PERMISSION_MODE_BYPASS, 0, false), PERMISSION_MODE_DEFAULT);
	CHECK_INT(after(PERMISSION_MODE_ON_REQUEST, 0, false), PERMISSION_MODE_DEFAULT);
	CHECK_INT(after(PERMISSION_MODE_UNTRUSTED, 0, false), PERMISSION_MODE_UNTRUSTED);
}

TEST_MAIN()
