/* What callers with a limited reach may name: sessions, ids of their own, directories. */
#include "engine/request/reach.h"

#include "base/path/path.h"
#include "engine/resources/holders.h"
#include "engine/engine_state.h"

/* ---- directories ---- */

/* "." and ".." and doubled slashes would make a path look as if it were below another. */
static bool is_plain(struct str path)
{
	struct str rest = str_skip(path, 1);

	if (!str_starts(path, STR("/")) || str_eq(path, STR("/")))
		return str_eq(path, STR("/"));
	while (str_is(rest)) {
		struct str part = str_cut(&rest, '/');

		if (!part.len || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

/* Links are followed on both sides: the caller's own tools may have made one. */
static bool is_below(const struct request *r, struct str dir, struct str cwd)
{
	const struct settings *s = &r->engine->settings;
	struct str real_dir = s->real ? s->real(NULL, r->mem, dir) : STR_NONE;
	struct str real_cwd = s->real ? s->real(NULL, r->mem, cwd) : STR_NONE;

	return path_is_under(cwd, dir) &&
	       path_is_under(str_is(real_cwd) ? real_cwd : cwd, str_is(real_dir) ? real_dir : dir);
}

static bool may_work_in(const struct request *r, struct str cwd)
{
	const struct list_str *all = r->caller.directories;

	for (uint32_t i = 0; is_plain(cwd) && i < all->count; i++)
		if (is_below(r, all->items[i], cwd))
			return true;
	return false;
}

/* The directory of the runtime counts for a command that makes a session and names none. */
static bool check_directory(struct request *r)
{
	struct str cwd = request_arg(r, "cwd");
	enum target target = command_classes[r->command.command].target;

	if (!r->caller.directories)
		return true;
	if (!str_is(cwd) &&
	    (target == TARGET_RUNTIME || (target == TARGET_SESSION_NEW && !str_is(r->session_id))))
		cwd = r->engine->settings.cwd;
	if (!str_is(cwd) || may_work_in(r, cwd))
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN, "cwd: this token works only in %.*s%s",
	             STR_ARG(r->caller.directories->items[0]),
	             r->caller.directories->count > 1 ? " and its other directories" : "");
	return false;
}

/* ---- ids ---- */

static bool check_session(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];

	if (str_is(r->session_id)) {
		if (holders_reaches(&r->caller, r->session_id))
			return true;
		request_fail(r, ERROR_CODE_SESSION_NOT_FOUND, "there is no session %.*s",
		             STR_ARG(r->session_id));
		return false;
	}
	if (class->target == TARGET_SESSION_NEW || class->is_for_own)
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN,
	             class->target == TARGET_RUNTIME
	                     ? "%.*s needs a token that reaches all sessions"
	                     : "%.*s needs a sessionId, or a token that reaches all sessions",
	             STR_ARG(class->name));
	return false;
}

/* A grant for more than a session would count for others. */
static bool check_grant(struct request *r)
{
	enum grant_scope scope = 0;

	if (r->command.command == COMMAND_RESPOND_ACTION)
		scope = ((const struct cmd_respond_action *)r->args)->scope;
	else if (r->command.command == COMMAND_RESOLVE_PERMISSION)
		scope = ((const struct cmd_resolve_permission *)r->args)->scope;
	if (scope <= GRANT_SCOPE_SESSION)
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN, "scope: this token grants for a session at most");
	return false;
}

/* A peer that could approve would approve what it caused itself. */
static bool check_role(struct request *r)
{
	const struct rec_channel *ch = r->command.channel;

	if (command_classes[r->command.command].scope != SCOPE_APPROVE || !ch ||
	    (ch->peer_role != PEER_ROLE_PEER_AGENT && ch->peer_role != PEER_ROLE_TOOL_SERVER))
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN, "a channel of the role %.*s approves nothing",
	             STR_ARG(peer_role_word(ch->peer_role)));
	return false;
}

bool reach_admit(struct request *r)
{
	if (!check_role(r) || !check_directory(r))
		return false;
	return !str_is(r->caller.reach) || (check_session(r) && check_grant(r));
}
