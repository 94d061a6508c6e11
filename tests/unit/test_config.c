#include "catalog/gen/settings.h"
#include "catalog/gen/vocab.h"
#include "lib/config.h"
#include "t.h"

#include <stdlib.h>

#define ADD(c, text) config_add(c, STR("file"), STR(text), &e)
#define PROJECT(c, text) config_add_project(c, STR("project"), STR(text), &e)

static struct error e;

static void free_config(struct config **c)
{
	config_free(*c);
}
#define CONFIG CLEANUP(free_config) struct config *c = config_new()

TEST(later_layers_win_and_keys_may_be_nested)
{
	CONFIG;

	CHECK_OK(ADD(c, "{\"action.timeout_s\": 5, \"log\": {\"level\": \"warn\"}}"), &e);
	CHECK_OK(ADD(c, "{\"action\": {\"timeout_s\": 7}} // and a comment"), &e);
	CHECK_INT(config_values(c)->action_timeout_s, 7);
	CHECK_INT(config_values(c)->log_level, LOG_VERBOSITY_WARN);
}

TEST(wrong_keys_types_and_sizes_are_named)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "{\"nonsense\": 1}", "there is no setting nonsense" },
		{ "{\"action\": {\"nonsense\": 1}}", "there is no setting action.nonsense" },
		{ "{\"action.timeout_s\": \"5\"}", "action.timeout_s wants a whole number" },
		{ "{\"action.timeout_s\": 0}",
		  "action.timeout_s wants a number from 1 to 2592000" },
		{ "{\"permission.mode\": \"king\"}", "permission.mode wants one of: default "
		                                     "untrusted on_request on_failure never plan "
		                                     "bypass auto" },
		{ "[]", "an object is wanted" },
		{ "{", "file:" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CONFIG;

		CHECK(config_add(c, STR("file"), str_from(rows[i].text), &e) != OK);
		if (str_find(str_from(e.message), str_from(rows[i].says)) < 0)
			t_fail(__FILE__, __LINE__, "%s: %s", rows[i].text, e.message);
		CHECK_INT(config_values(c)->action_timeout_s, 600);
	}
}

TEST(every_setting_has_a_variable)
{
	CONFIG;

	setenv("THOLE_SANDBOX_FAIL_CLOSED", "true", 1);
	setenv("THOLE_MODE", "plan", 1); /* one whose name is shorter */
	setenv("THOLE_SANDBOX_ALLOW_HOSTS", "[\"example.org\"]", 1);
	CHECK_OK(config_add_env(c, &e), &e);
	CHECK(config_values(c)->sandbox_fail_closed);
	CHECK_INT(config_values(c)->permission_mode, PERMISSION_MODE_PLAN);
	setenv("THOLE_SANDBOX_FAIL_CLOSED", "yes", 1);
	CHECK(config_add_env(c, &e) != OK);
	CHECK(strstr(e.message, "THOLE_SANDBOX_FAIL_CLOSED"));
	unsetenv("THOLE_SANDBOX_FAIL_CLOSED");
	unsetenv("THOLE_MODE");
	unsetenv("THOLE_SANDBOX_ALLOW_HOSTS");
}

TEST(a_project_chooses_what_is_harmless)
{
	CONFIG;

	CHECK_OK(PROJECT(c, "{\"model\": \"scripted/demo\", \"queue\": {\"on_busy\": \"reject\"}}"),
	         &e);
	CHECK_STR(config_values(c)->model, "scripted/demo");
	CHECK_INT(config_values(c)->queue_on_busy, ON_BUSY_REJECT);
}

TEST(a_project_may_be_stricter_and_never_wider)
{
	CONFIG;

	CHECK(PROJECT(c, "{\"permission.mode\": \"bypass\"}") != OK);
	CHECK(str_find(str_from(e.message), STR("a project may only be stricter")) >= 0);
	CHECK(PROJECT(c, "{\"permission.interactive\": true}") != OK);
	CHECK_OK(PROJECT(c, "{\"permission.mode\": \"untrusted\"}"), &e);
	CHECK_OK(PROJECT(c, "{\"permission.mode\": \"plan\"}"), &e);
	CHECK(PROJECT(c, "{\"permission.mode\": \"untrusted\"}") != OK);
	CHECK_INT(config_values(c)->permission_mode, PERMISSION_MODE_PLAN);
	CHECK_OK(ADD(c, "{\"permission.mode\": \"bypass\"}"), &e); /* the owner may */
}

TEST(a_layer_that_is_refused_changes_nothing)
{
	CONFIG;

	CHECK(PROJECT(c, "{\"permission.interactive\": false, \"session.idle_evict_s\": 3}") != OK);
	CHECK(config_values(c)->permission_interactive);
	CHECK(ADD(c, "{\"model\": \"scripted/demo\", \"no.such\": 1}") != OK);
	CHECK(!str_eq(config_values(c)->model, STR("scripted/demo")));
}

/* Where requests, secrets and files go is the owner's, whatever is added to the catalogue. */
TEST(what_no_row_gives_to_projects_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	size_t refused = 0;

	for (size_t i = 0; i < setting_count; i++) {
		const struct setting *s = &settings[i];
		CONFIG;

		if (!s->is_built || str_is(s->project))
			continue;
		CHECK(config_add_project(c, STR("project"),
		                         arena_printf(mem, "{\"%.*s\": %.*s}", STR_ARG(s->key),
		                                      STR_ARG(s->otherwise)),
		                         &e) != OK);
		CHECK(str_find(str_from(e.message), STR("is not a project's to set")) >= 0);
		refused++;
	}
	CHECK(refused >= 8);
}

TEST_MAIN()
