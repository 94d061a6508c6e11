/*
 * Directories that do not answer.
 *
 * A directory on a network or FUSE file system may take long or for ever.  The
 * loop never waits for one: a command that begins work in a directory waits
 * until a probe on another thread has come back (ports/context.h), while other
 * requests go on.  When it has not come back at the deadline the command is
 * refused; a turn that was accepted before waits and is tried again.
 */
#include "base/log.h"
#include "engine/internal.h"

#define ASK_FIRST_MS 2
#define ASK_MOST_MS 64

enum context_dir directory_state(const struct engine *e, struct str cwd)
{
	struct context *c = e->ports.context;

	if (!c || !c->ops->dir || !str_starts(cwd, STR("/")))
		return CONTEXT_DIR_ANSWERS;
	return c->ops->dir(c, cwd);
}

bool directory_may_touch(const struct engine *e, struct str cwd)
{
	return directory_state(e, cwd) == CONTEXT_DIR_ANSWERS;
}

/* The one that a command is about; absent: none. */
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

static struct str dir_of(const struct request *r)
{
	struct str named = named_by(r);

	if (str_is(named) || !context_may_start_a_turn(r->command.command))
		return named;
	if (r->session && r->session->state == SESSION_LIVE && str_is(r->session->world->s->cwd))
		return r->session->world->s->cwd;
	if (r->command.command == COMMAND_SUBMIT_TURN &&
	    str_is(((const struct cmd_submit_turn *)r->args)->cwd))
		return ((const struct cmd_submit_turn *)r->args)->cwd;
	return r->engine->setup.cwd;
}

static void ask_again(struct clock_timer *t)
{
	request_again(OWNER_OF(t, struct request, timer));
}

bool directory_before(struct request *r)
{
	struct clock *c = r->engine->ports.clock;
	struct str dir = dir_of(r);

	if (!str_is(dir) || r->picture)
		return false;
	switch (directory_state(r->engine, dir)) {
	case CONTEXT_DIR_ANSWERS:
		return false;
	case CONTEXT_DIR_STUCK:
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "%.*s: the directory does not answer; its file system may be gone",
		             STR_ARG(dir));
		/* A session that this command would have made does not exist. */
		if (r->session && r->session->is_new && !r->session->applied) {
			struct session *s = r->session;

			r->session = NULL;
			session_drop(s, r->code, "");
			session_free(s);
		}
		request_answer(r);
		return true;
	default:
		r->dir_wait_ms =
			r->dir_wait_ms ? MIN(2 * r->dir_wait_ms, ASK_MOST_MS) : ASK_FIRST_MS;
		r->timer.fire = ask_again;
		c->ops->start(c, &r->timer, r->dir_wait_ms);
		return true;
	}
}
