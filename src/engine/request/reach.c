/* What callers with a limited reach may name: sessions, ids of their own, directories. */
#include "engine/request/reach.h"

#include "base/hash/secret.h"
#include "base/path/path.h"
#include "core/session/placement.h"
#include "core/settings/settings_text.h"
#include "core/state.h"
#include "engine/request/channel.h"
#include "engine/resources/holders.h"
#include "engine/resources/uploads.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

/* ---- directories ---- */

/* "." and ".." and doubled slashes would make a path look as if it were below another. */
bool reach_is_plain(struct str path)
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

	for (uint32_t i = 0; reach_is_plain(cwd) && i < all->count; i++)
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
	const struct rec_placement_choice *c = request_placement(r);
	const struct rec_node_place *own = r->engine->settings.place;
	struct str cwd = request_arg(r, "cwd"), of_task;

	if (!r->caller.directories)
		return true;
	of_task = directory_of_task(r);
	if (str_is(of_task) && !may_work_in(r, of_task))
		return refuse_directory(r);
	if (c && r->command.command == COMMAND_UPDATE_SESSION) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "placement: this token works only in directories of its own");
		return false;
	}
	/* A workspace brings its directory.  Another node that has it checks it there. */
	if (c && own && !placement_is_met(c, cwd, own))
		return true;
	cwd = request_dir(r);
	if (!str_is(cwd) && takes_directory(r) && !str_is(r->session_id))
		cwd = r->engine->settings.cwd;
	return !str_is(cwd) || may_work_in(r, cwd) || refuse_directory(r);
}

/* A session of the same tenant may be in a directory that this caller's token does not have. */
static bool check_place(struct request *r)
{
	const struct session *s = r->session;

	if (!r->caller.directories || !s || !s->applied || !s->state->s ||
	    !command_classes[r->command.command].mutates)
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

/* A grant for more than a session would count for others; a record may hold one. */
static bool check_grant(struct request *r)
{
	const struct cmd_resolve_permission *resolve = r->args;
	enum grant_scope scope = 0;

	if (r->command.command == COMMAND_RESPOND_ACTION)
		scope = ((const struct cmd_respond_action *)r->args)->scope;
	if (r->command.command == COMMAND_RESOLVE_PERMISSION) {
		scope = resolve->scope;
		if (str_is(resolve->record)) {
			request_fail(r, ERROR_CODE_FORBIDDEN,
			             "record: this token answers with a decision only");
			return false;
		}
	}
	if (scope <= GRANT_SCOPE_SESSION)
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN, "scope: this token grants for a session at most");
	return false;
}

/*
 * What runs without the sandbox can read the owner's token, and a login at a tool server is the
 * whole runtime's: neither is for a caller of one session to answer.
 */
static bool check_escalation(struct request *r)
{
	struct str id = request_arg(r, "actionId");
	const struct st_action *a;

	if (!str_is(id) || !r->session || !r->session->state->s)
		return true;
	a = state_action(r->session->state, id, NULL);
	if (a && a->action_type == ACTION_TYPE_CREDENTIAL) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "this question is about a login that all sessions use: a token that "
		             "reaches all sessions answers it");
		return false;
	}
	if (!a || a->action_type != ACTION_TYPE_ESCALATION)
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN,
	             "this question is about leaving the sandbox: a token that reaches all "
	             "sessions answers it");
	return false;
}

/*
 * A channel's id is chosen by its client.  Who can show the resume token had it before; for others
 * a foreign channel and a missing one are the same.
 */
static bool check_channel(struct request *r)
{
	const struct cmd_reconnect_channel *c = r->args;

	if (r->command.command != COMMAND_RECONNECT_CHANNEL ||
	    secret_eq(c->resume_token, channel_token(r->engine, r->mem, c->channel_id)) ||
	    (str_is(r->caller.channel_id) && str_eq(c->channel_id, r->caller.channel_id)))
		return true;
	request_fail(r, ERROR_CODE_CHANNEL_NOT_FOUND, "there is no channel %.*s",
	             STR_ARG(c->channel_id));
	return false;
}

/*
 * An MCP client is a model that calls tools: what its calls began it does not decide.  The person
 * who runs the client does, elsewhere, unless the client's token is all that there is.
 */
static bool is_mcp(const struct rec_channel *ch)
{
	return ch && str_is(ch->native_protocol) && str_eq(ch->native_protocol, STR("mcp")) &&
	       ch->peer_role == PEER_ROLE_CLIENT;
}

/* Is this a task that the caller requested as a peer? */
static bool is_own_task(const struct request *r, const struct state *w, const struct st_task *task)
{
	const struct rec_actor *by = task->record->requested_by;
	const struct st_channel *ch;

	if (!by || !str_is(by->principal) || !str_eq(by->principal, r->caller.principal))
		return false;
	/* Over MCP, a token decides nothing of its own, however it was begun. */
	if (is_mcp(r->command.channel) && str_is(r->caller.token))
		return true;
	ch = str_is(by->channel_id) ? state_channel(w, by->channel_id) : NULL;
	return ch &&
	       (ch->record->peer_role == PEER_ROLE_PEER_AGENT ||
	        (is_mcp(ch->record) && (str_is(r->caller.token) || is_mcp(r->command.channel))));
}

/*
 * Has this principal begun or steered work in the session of the action as a peer?  Children of its
 * turns ask in its name, and a message may steer the turn of another, so the session counts.
 */
static bool has_caused(const struct request *r)
{
	const struct state *w = r->session && r->session->state ? r->session->state : NULL;

	for (uint32_t i = 0; w && w->s && i < w->s->tasks.count; i++)
		if (is_own_task(r, w, w->s->tasks.items[i]))
			return true;
	return false;
}

/* The same peer may use another path than that of its protocol. */
static bool check_cause(struct request *r)
{
	struct str id = request_arg(r, "actionId");

	if (command_classes[r->command.command].scope != SCOPE_APPROVE || !str_is(id) ||
	    !has_caused(r))
		return true;
	request_fail(r, ERROR_CODE_FORBIDDEN, "a peer does not approve what it caused itself");
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

/* ---- outputs that arguments name ---- */

#define REF_PREFIX "\"out_"
#define REFS_MAX 64
/* Settings and lists of tools are named by their content: who knows the ref knows the text. */
#define CONTENT_REF_LEN (strlen("out_") + SETTINGS_TEXT_REF_DIGITS)

struct reach_refs {
	struct str items[REFS_MAX];
	size_t count, at;
};

/* False: there are more than can be looked up. */
static bool find_refs(struct request *r, struct str args)
{
	struct reach_refs *refs = ARENA_NEW(r->mem, struct reach_refs);
	ptrdiff_t at;

	while ((at = str_find(args, STR(REF_PREFIX))) >= 0) {
		struct str ref;

		args = str_skip(args, (size_t)at + 1);
		ref = str_cut(&args, '"');
		if (ref.len == CONTENT_REF_LEN || uploads_is_own(r, ref))
			continue;
		if (refs->count == REFS_MAX) {
			request_fail(r, ERROR_CODE_TOO_LARGE,
			             "this token names at most %d outputs in a command", REFS_MAX);
			return false;
		}
		refs->items[refs->count++] = ref;
	}
	if (refs->count && r->command.command != COMMAND_GET_OUTPUT)
		r->found.refs = refs;
	return true;
}

/* A session that the refused command would have made does not exist. */
static void send_refusal(struct request *r)
{
	struct session *s = r->session;

	if (s && s->is_new && !s->applied) {
		r->session = NULL;
		r->session_id = STR_NONE;
		session_abandon(s, r->response.code);
	}
	request_reply(r);
}

static void refuse_ref(struct request *r)
{
	request_fail(r, ERROR_CODE_OUTPUT_NOT_FOUND, "there is no output %.*s, or it has expired",
	             STR_ARG(r->found.refs->items[r->found.refs->at]));
	send_refusal(r);
}

/* Its session, if it has one, stays in memory during the read. */
static void read_for_refs(struct request *r)
{
	if (r->session)
		request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static bool is_over(struct store_read *read)
{
	struct request *r = read->owner;

	return (r->session && request_lost_session(read)) || request_read_failed(read);
}

static void row_of_ref(struct store_read *read)
{
	struct request *r = read->owner;
	bool is_there;

	if (is_over(read))
		return;
	is_there = read->result == OK && read->row_count;
	port_store_read_done(read);
	if (!is_there) {
		refuse_ref(r);
		return;
	}
	r->found.refs->at++;
	request_continue(r);
}

/* A small one is found as a blob, a large one by its row. */
static void blob_of_ref(struct store_read *read)
{
	struct request *r = read->owner;
	bool is_ours;

	if (is_over(read))
		return;
	is_ours = read->result == OK && str_is(read->blob_session) &&
	          holders_reaches(&r->caller, read->blob_session);
	port_store_read_done(read);
	if (is_ours) {
		r->found.refs->at++;
		request_continue(r);
		return;
	}
	/* The same two reads for a foreign output and for a missing one. */
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_OUTPUT,
		                       .key = r->found.refs->items[r->found.refs->at],
		                       .reach = r->caller.reach,
		                       .done = row_of_ref,
		                       .owner = r };
	read_for_refs(r);
}

/* True: it waits for the next of them. */
static bool look_up_refs(struct request *r)
{
	struct reach_refs *refs = r->found.refs;

	if (!refs || refs->at == refs->count)
		return false;
	r->read = (struct store_read){
		.kind = READ_BLOB, .key = refs->items[refs->at], .done = blob_of_ref, .owner = r
	};
	read_for_refs(r);
	return true;
}

/* ---- requests ---- */

bool reach_admit(struct request *r, struct str args)
{
	if (!check_role(r) || !check_directory(r))
		return false;
	return !str_is(r->caller.reach) ||
	       (check_session(r) && check_grant(r) && check_channel(r) && find_refs(r, args));
}

bool reach_gather(struct request *r)
{
	bool is_bounded = str_is(r->caller.reach) || r->caller.directories;

	if (r->job.run)
		return false;
	if (!check_cause(r) || (is_bounded && (!check_place(r) || (str_is(r->caller.reach) &&
	                                                           !check_escalation(r))))) {
		send_refusal(r);
		return true;
	}
	return is_bounded && look_up_refs(r);
}
