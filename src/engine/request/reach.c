/* What callers with a limited reach may name: sessions, ids of their own, directories. */
#include "engine/request/reach.h"

#include "base/path/path.h"
#include "engine/request/directory.h"
#include "engine/resources/holders.h"
#include "engine/session/session_place.h"
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

static bool refuse_directory(struct request *r)
{
	request_fail(r, ERROR_CODE_FORBIDDEN, "cwd: this token works only in %.*s%s",
	             STR_ARG(r->caller.directories->items[0]),
	             r->caller.directories->count > 1 ? " and its other directories" : "");
	return false;
}

/* A task may have a directory of its own, also one that a schedule makes later. */
static struct str directory_of_task(const struct request *r)
{
	const struct cmd_create_task *task = r->args;
	const struct cmd_create_schedule *schedule = r->args;
	struct json v;

	if (r->command.command == COMMAND_CREATE_TASK)
		return task->scope ? task->scope->cwd : STR_NONE;
	if (r->command.command != COMMAND_CREATE_SCHEDULE || !str_is(schedule->task) ||
	    json_read_trusted(r->mem, schedule->task, &v, NULL) != OK)
		return STR_NONE;
	return json_str(JSON_GET(JSON_GET(v, "scope"), "cwd"));
}

static bool takes_directory(const struct request *r)
{
	const struct rec_desc *d = command_classes[r->command.command].args;

	for (uint32_t i = 0; i < d->count; i++)
		if (str_eq(field_name(&d->fields[i]), STR("cwd")))
			return true;
	return false;
}

/* Where a command takes a directory and none is named, that of the session or the runtime counts. */
static bool check_directory(struct request *r)
{
	struct str cwd = request_arg(r, "cwd"), of_task;

	if (!r->caller.directories)
		return true;
	of_task = directory_of_task(r);
	if (str_is(of_task) && !may_work_in(r, of_task))
		return refuse_directory(r);
	if (!str_is(cwd) && takes_directory(r) && !str_is(r->session_id))
		cwd = r->engine->settings.cwd;
	return !str_is(cwd) || may_work_in(r, cwd) || refuse_directory(r);
}

/* A session of the same tenant may be in a directory that this caller's token does not have. */
bool reach_admit_place(struct request *r)
{
	const struct session *s = r->session;

	if (!r->caller.directories || !s || !s->applied ||
	    !directory_is_for_work(r->command.command))
		return true;
	return may_work_in(r, session_place_cwd(s)) || refuse_directory(r);
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
