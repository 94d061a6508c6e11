/*
 * Chooses the mode that follows an accepted plan.  The owner chose the mode before the plan for
 * this session, so that one returns; the settings alone do not open more than on_request.
 */
#include "core/approval/plan_mode.h"

#include "core/subagent/subagent.h"

static enum permission_mode mode_of_settings(const struct settings *settings)
{
	if (!settings->mode || settings->mode == PERMISSION_MODE_PLAN)
		return PERMISSION_MODE_DEFAULT;
	return subagent_narrower_mode(settings->mode, PERMISSION_MODE_ON_REQUEST);
}

enum permission_mode plan_mode_after(const struct state *w, const struct settings *settings,
                                     bool is_by_owner)
{
	enum permission_mode mode =
		w->s->mode_before_plan ? w->s->mode_before_plan : mode_of_settings(settings);

	return is_by_owner ? mode : subagent_narrower_mode(mode, PERMISSION_MODE_DEFAULT);
}
