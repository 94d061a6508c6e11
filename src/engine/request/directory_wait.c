/*
 * A command that begins work in a directory waits until the directory responds
 * (directory.c); at the deadline the command is refused.
 */
#include "engine/request/directory.h"
#include "engine/engine_state.h"

/* A local directory responds within the first interval; the wait doubles up to the second one. */
#define ASK_FIRST_MS 2
#define ASK_MOST_MS 64

/* The directory of a command; absent: none. */
static struct str named_by(const struct request *r)
{
	switch (r->command.command) {
	case COMMAND_CREATE_SESSION:
		return ((const struct cmd_create_session *)r->args)->cwd;
	case COMMAND_UPDATE_SESSION:
		return ((const struct cmd_update_session *)r->args)->cwd;
	case COMMAND_LIST_HOOKS:
		return ((const struct cmd_list_hooks *)r->args)->cwd;
	case COMMAND_TRUST_HOOKS:
		return ((const struct cmd_trust_hooks *)r->args)->cwd;
	case COMMAND_TRUST_TOOL_SERVER:
		return ((const struct cmd_trust_tool_server *)r->args)->cwd;
	default:
		return STR_NONE;
	}
}

/* The session's directory counts more than the one of the command, because the turn runs there. */
static struct str dir_of(const struct request *r)
{
	struct str named = named_by(r);

	if (str_is(named) || !directory_is_for_turn(r->command.command))
		return named;
	if (r->session && r->session->phase == SESSION_LIVE && str_is(r->session->state->s->cwd))
		return r->session->state->s->cwd;
	if (r->command.command == COMMAND_SUBMIT_TURN &&
	    str_is(((const struct cmd_submit_turn *)r->args)->cwd))
		return ((const struct cmd_submit_turn *)r->args)->cwd;
	return r->engine->settings.cwd;
}

static void on_timer(struct clock_timer *t)
{
	request_restart(OWNER_OF(t, struct request, timer));
}

/*
 * Waits by request_restart(): the session may be evicted meanwhile, because the request
 * does not hold it.  A picture means that the context was read, so the directory has
 * responded.
 */
bool directory_wait_gather(struct request *r)
{
	struct clock *c = r->engine->ports.clock;
	struct str dir = dir_of(r);

	if (!str_is(dir) || r->found.picture)
		return false;
	switch (directory_state(r->engine, dir)) {
	case CONTEXT_DIR_ANSWERS:
		return false;
	case CONTEXT_DIR_STUCK:
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "%.*s: the directory does not answer; its file system may be gone",
		             STR_ARG(dir));
		/* A session that this command would have created does not exist. */
		if (r->session && r->session->is_new && !r->session->applied) {
			struct session *s = r->session;

			r->session = NULL;
			session_abandon(s, r->response.code);
		}
		request_reply(r);
		return true;
	default:
		r->found.directory_wait_ms =
			r->found.directory_wait_ms
				? MIN(2 * r->found.directory_wait_ms, ASK_MOST_MS)
				: ASK_FIRST_MS;
		r->timer.fire = on_timer;
		c->ops->start(c, &r->timer, r->found.directory_wait_ms);
		return true;
	}
}
