/*
 * A command that begins work in a directory waits until the directory responds
 * (directory.c); at the deadline the command is refused.
 */
#include "engine/request/directory.h"
#include "engine/engine_state.h"
#include "engine/session/session_place.h"

/* A local directory responds within the first interval; the wait doubles up to the second one. */
#define ASK_FIRST_MS 2
#define ASK_MOST_MS 64

/* The directory of a command; absent: none. */
static struct str named_by(const struct request *r)
{
	switch (r->command.command) {
	case COMMAND_CREATE_SESSION:
		return request_dir(r);
	case COMMAND_UPDATE_SESSION:
		return ((const struct cmd_update_session *)r->args)->cwd;
	case COMMAND_ADD_DIRECTORY: {
		const struct cmd_add_directory *add = r->args;

		return add->remove ? STR_NONE
		                   : add->directory; /* one that is gone can be removed */
	}
	case COMMAND_LIST_HOOKS:
		return ((const struct cmd_list_hooks *)r->args)->cwd;
	case COMMAND_TRUST_HOOKS:
		return ((const struct cmd_trust_hooks *)r->args)->cwd;
	case COMMAND_LIST_TOOL_SERVERS:
		return ((const struct cmd_list_tool_servers *)r->args)->cwd;
	case COMMAND_TRUST_TOOL_SERVER:
		return ((const struct cmd_trust_tool_server *)r->args)->cwd;
	case COMMAND_LOGIN_TOOL_SERVER:
		return ((const struct cmd_login_tool_server *)r->args)->cwd;
	case COMMAND_LOGOUT_TOOL_SERVER:
		return ((const struct cmd_logout_tool_server *)r->args)->cwd;
	default:
		return STR_NONE;
	}
}

/* The directory in which the work of the request begins; absent: it begins none. */
static struct str dir_of(const struct request *r)
{
	struct str named = named_by(r);

	if (str_is(named) || !directory_is_for_work(r->command.command))
		return named;
	if (r->session && r->session->phase == SESSION_LIVE && !r->session->is_new)
		return session_place_cwd(r->session);
	named = request_dir(r);
	return str_is(named) ? named : r->engine->settings.cwd;
}

static void on_timer(struct clock_timer *t)
{
	request_restart(OWNER_OF(t, struct request, timer));
}

static void refuse(struct request *r)
{
	/* A session that this command would have created does not exist; the reply names none. */
	if (r->session && r->session->is_new && !r->session->applied) {
		struct session *s = r->session;

		r->session = NULL;
		r->session_id = STR_NONE;
		session_abandon(s, r->response.code);
	}
	request_reply(r);
}

/* A session has one directory; update_session changes it. */
static bool is_elsewhere(struct request *r, struct str dir)
{
	struct str given = request_arg(r, "cwd");

	if (!r->session || r->session->is_new || !directory_is_for_work(r->command.command) ||
	    !str_is(given) || str_eq(given, dir))
		return false;
	request_fail(r, ERROR_CODE_DIRECTORY_UNUSABLE,
	             "cwd: the session works in %.*s, not in %.*s; leave cwd out, or change the "
	             "session's directory with update_session",
	             STR_ARG(dir), STR_ARG(given));
	return true;
}

static bool is_usable(struct request *r, struct str dir)
{
	const char *why = directory_fault(r->engine, r->mem, dir);
	bool is_new = !r->session || r->session->is_new;

	if (!why)
		return true;
	if (r->command.command == COMMAND_ADD_DIRECTORY) {
		request_fail(r, ERROR_CODE_DIRECTORY_UNUSABLE, "directory: %.*s %s", STR_ARG(dir),
		             why);
		return false;
	}
	request_fail(
		r, ERROR_CODE_DIRECTORY_UNUSABLE,
		"%.*s %s. Pass cwd%s, the absolute path of a directory on the runtime's machine",
		STR_ARG(dir), why, is_new ? "" : " with update_session");
	return false;
}

/* Was a directory given, or is this only the one that the daemon happens to run in? */
static bool is_named(struct request *r, struct str dir)
{
	if (!r->engine->settings.is_cwd_private || dir.ptr != r->engine->settings.cwd.ptr)
		return true;
	request_fail(r, ERROR_CODE_DIRECTORY_UNUSABLE,
	             "No directory to work in was given. Pass cwd%s, the absolute path of a "
	             "directory on the runtime's machine",
	             !r->session || r->session->is_new ? "" : " with update_session");
	return false;
}

/* Commands that only look at a directory may name any. */
static bool begins_work(enum command c)
{
	return directory_is_for_work(c) || c == COMMAND_CREATE_SESSION ||
	       c == COMMAND_UPDATE_SESSION || c == COMMAND_ADD_DIRECTORY;
}

static void wait_for_it(struct request *r)
{
	struct clock *c = r->engine->ports.clock;

	r->found.directory_wait_ms = r->found.directory_wait_ms
	                                     ? MIN(2 * r->found.directory_wait_ms, ASK_MOST_MS)
	                                     : ASK_FIRST_MS;
	r->timer.fire = on_timer;
	c->ops->start(c, &r->timer, r->found.directory_wait_ms);
}

/* The node that has the directory looks at it; until then the turn waits. */
static bool is_of_another_node(const struct request *r)
{
	const struct session *s = r->session;

	return s && s->phase == SESSION_LIVE && !s->is_new && !str_is(named_by(r)) &&
	       !session_place_is_here(s);
}

bool directory_wait_gather(struct request *r)
{
	struct str dir = dir_of(r);

	if (!str_is(dir) || r->found.picture)
		return false;
	if (is_of_another_node(r)) {
		if (!is_elsewhere(r, dir))
			return false;
		refuse(r);
		return true;
	}
	switch (directory_state(r->engine, dir)) {
	case CONTEXT_DIR_ANSWERS:
		if (!begins_work(r->command.command) ||
		    (!is_elsewhere(r, dir) && is_named(r, dir) && is_usable(r, dir)))
			return false;
		refuse(r);
		return true;
	case CONTEXT_DIR_STUCK:
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "%.*s: the directory does not answer; its file system may be gone",
		             STR_ARG(dir));
		refuse(r);
		return true;
	default:
		wait_for_it(r);
		return true;
	}
}
