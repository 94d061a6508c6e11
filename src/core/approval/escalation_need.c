/*
 * What a call needs beyond its sandbox: derived from its arguments before it
 * runs, or from the denial after it ran.
 */
#include "core/approval/escalation.h"
#include "core/tool/call_input.h"
#include "core/process/process.h"
#include "core/task/task_bounds.h"

/* Does the host build the wider sandbox?  It refuses directories that do not exist. */
static bool would_bind(struct decision *d, const struct st_call *c, const struct tool_info *tool,
                       const struct rec_sandbox_override *o, struct tool_sandbox *ret)
{
	struct str cwd = task_bounds_cwd(d->w, d->settings, c->turn_id);
	struct error ignored;

	return d->settings->bind(d->settings, d->mem, tool->name, call_input_text(d, c), cwd, o,
	                         ret, &ignored) == OK;
}

/*
 * Two calls of bind: the first gives the sandbox that the call has, the second checks that the host
 * would build the wider one.
 */
struct rec_sandbox_override *escalation_need_implied(struct decision *d, const struct st_call *c,
                                                     struct str *ret_refused)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct rec_sandbox_override *o = ARENA_NEW(d->mem, struct rec_sandbox_override);
	struct tool_sandbox sandbox = { 0 }, wider = { 0 };
	struct permission_ask ask;

	/* A sandbox that a policy has narrowed is not widened by an approval of something else. */
	if (!tool || !tool_is_sandboxed_by_call(tool) || !d->settings->bind ||
	    process_call_is_narrowed(d->mem, d->w, d->settings, c) ||
	    !would_bind(d, c, tool, NULL, &sandbox))
		return NULL;
	ask = permission_of(d, tool, c);
	/*
	 * Access that is never granted (the whole file system, the runtime's own files) is not
	 * requested.
	 */
	if (!(permission_needs(&ask, sandbox.profile, true, o) &&
	      would_bind(d, c, tool, o, &wider)) &&
	    !(permission_needs(&ask, sandbox.profile, false, o) &&
	      would_bind(d, c, tool, o, &wider)))
		o = NULL;
	*ret_refused = permission_refused_write(&ask, o ? wider.profile : sandbox.profile);
	return o;
}

/*
 * Asked once per call: a call that already got more access and was denied again fails.  The mode is
 * that of the turn, so a narrower bound of its task also excludes the question.
 */
struct rec_sandbox_override *
escalation_need_after_denial(struct decision *d, const struct st_call *c,
                             struct rec_permission_decision **ret_verdict)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	struct rec_permission_decision *v;
	struct permission_ask ask;

	if (!tool || !c->needs || c->override || !c->permission || !d->settings->is_interactive ||
	    process_call_is_narrowed(d->mem, d->w, d->settings,
	                             c)) /* the sandbox is an obligation */
		return NULL;
	ask = permission_of(d, tool, c);
	if ((ask.mode ? ask.mode : permission_mode_of(d->w, d->settings)) !=
	    PERMISSION_MODE_ON_FAILURE)
		return NULL;
	v = rec_clone(d->mem, &rec_permission_decision_desc, c->permission);
	escalation_set_decision(
		v, APPROVAL_DECISION_ASK, DECISION_SOURCE_SANDBOX_OVERRIDE,
		arena_printf(d->mem,
	                     "mode on_failure asks after the sandbox denied it: it needs %.*s",
	                     STR_ARG(escalation_text(d->mem, c->needs))));
	*ret_verdict = v;
	return rec_clone(d->mem, &rec_sandbox_override_desc, c->needs);
}
