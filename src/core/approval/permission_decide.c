/*
 * Commands that change permissions or query them.  Each change is one
 * policy.changed, which is folded before the next decision reads the rules.
 * spec: contracts/hooks-and-policy#events, GAP-58, GAP-61
 */
#include "core/approval/permission.h"

#include "base/gen/limits.h"
#include "base/json.h"
#include "base/jw.h"
#include "core/tool/call_input.h"
#include "core/channel/channel.h"
#include "core/gen/tables.h"
#include "core/runtime_events.h"

/* The rules of a session have versions, so that events can name those before and after a change. */
static struct str policy_ref(struct decision *d, int64_t version)
{
	return arena_printf(d->mem, "rule:session:%lld", (long long)version);
}

/* An enrolled channel counts as a person; any other caller may be a program. */
static enum policy_source changed_by(const struct decision *d)
{
	return d->call && str_is(d->call->caller.channel_id) ? POLICY_SOURCE_HUMAN
	                                                     : POLICY_SOURCE_COMMAND;
}

/* ---- mode ---- */

void decide_set_mode(struct decision *d, const struct cmd_set_mode *cmd)
{
	enum permission_mode before = permission_mode_of(d->w, d->settings);
	struct reply_set_mode r = { .mode = cmd->mode };

	if (before != cmd->mode)
		EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_MODE_CHANGED,
		     .scope = GRANT_SCOPE_SESSION, .source = changed_by(d), .mode = cmd->mode,
		     .before = arena_printf(d->mem, "mode:%.*s",
		                            STR_ARG(permission_mode_word(before))),
		     .after = arena_printf(d->mem, "mode:%.*s",
		                           STR_ARG(permission_mode_word(cmd->mode))),
		     .reason = cmd->reason);
	d->reply = rec_text(d->mem, &reply_set_mode_desc, &r);
}

/* ---- directories ---- */

static void reply_directories(struct decision *d, struct str added, struct str removed)
{
	struct reply_add_directory r = { .directories = decision_strings(d, 0, NULL) };

	for (uint32_t i = 0; i < d->w->s->directories.count; i++)
		if (!str_eq(d->w->s->directories.items[i], removed))
			rec_list_str_add(d->mem, &r.directories, d->w->s->directories.items[i]);
	if (str_is(added))
		rec_list_str_add(d->mem, &r.directories, added);
	d->reply = rec_text(d->mem, &reply_add_directory_desc, &r);
}

static void emit_directory(struct decision *d, enum policy_change change, struct str dir,
                           struct str reason)
{
	EMIT(d, POLICY_CHANGED, policy_changed, .change = change, .scope = GRANT_SCOPE_SESSION,
	     .source = changed_by(d), .directory = dir, .reason = reason);
}

/* By its name in the list, because it may not exist any more, or by another path to it. */
static void remove_directory(struct decision *d, const struct cmd_add_directory *cmd)
{
	struct str dir = cmd->directory;

	if (rec_list_str_find(&d->w->s->directories, dir) < 0 && d->settings->real)
		dir = d->settings->real(d->settings->asks, d->mem, dir);
	if (!str_is(dir) || rec_list_str_find(&d->w->s->directories, dir) < 0) {
		decision_refuse(d, ERROR_CODE_NOT_FOUND, "directory: %.*s was not added",
		                STR_ARG(cmd->directory));
		return;
	}
	emit_directory(d, POLICY_CHANGE_DIRECTORY_REMOVED, dir, cmd->reason);
	reply_directories(d, STR_NONE, dir);
}

/*
 * The path is resolved now and never again: a link that is changed later must not lead the sandbox
 * elsewhere.  The engine has checked that it is a directory.
 */
void decide_add_directory(struct decision *d, const struct cmd_add_directory *cmd)
{
	struct str dir = cmd->directory;

	if (cmd->remove) {
		remove_directory(d, cmd);
		return;
	}
	if (d->settings->real)
		dir = d->settings->real(d->settings->asks, d->mem, dir);
	if (!str_is(dir) || dir.len < 2 || dir.ptr[0] != '/') {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "directory: the absolute path of a directory other than / is "
		                "wanted");
		return;
	}
	if (rec_list_str_find(&d->w->s->directories, dir) >= 0) {
		reply_directories(d, STR_NONE, STR_NONE);
		return;
	}
	if (d->w->s->directories.count >= LIMIT_SESSION_DIRECTORIES) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN,
		                "directory: a session has at most %d; remove one first",
		                LIMIT_SESSION_DIRECTORIES);
		return;
	}
	emit_directory(d, POLICY_CHANGE_DIRECTORY_ADDED, dir, cmd->reason);
	reply_directories(d, dir, STR_NONE);
}

/* ---- tool servers ---- */

static void reply_servers(struct decision *d, struct str off, struct str on)
{
	struct reply_set_tool_server r = { .servers_off = decision_strings(d, 0, NULL) };

	for (uint32_t i = 0; i < d->w->s->servers_off.count; i++)
		if (!str_eq(d->w->s->servers_off.items[i], on))
			rec_list_str_add(d->mem, &r.servers_off, d->w->s->servers_off.items[i]);
	if (str_is(off))
		rec_list_str_add(d->mem, &r.servers_off, off);
	d->reply = rec_text(d->mem, &reply_set_tool_server_desc, &r);
}

/* Switching on only ends a switching off: whether a server runs is a matter of settings and trust. */
void decide_set_tool_server(struct decision *d, const struct cmd_set_tool_server *cmd)
{
	bool is_off = rec_list_str_find(&d->w->s->servers_off, cmd->server) >= 0;

	if (!cmd->server.len) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "server: the name of a tool server is wanted");
		return;
	}
	if (!cmd->enabled && !is_off && d->w->s->servers_off.count >= LIMIT_SESSION_SERVERS_OFF) {
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN,
		                "server: a session switches off at most %d; switch one on first",
		                LIMIT_SESSION_SERVERS_OFF);
		return;
	}
	if (cmd->enabled != is_off) {
		reply_servers(d, STR_NONE, STR_NONE);
		return;
	}
	EMIT(d, POLICY_CHANGED, policy_changed,
	     .change = cmd->enabled ? POLICY_CHANGE_TOOL_SERVER_ON : POLICY_CHANGE_TOOL_SERVER_OFF,
	     .scope = GRANT_SCOPE_SESSION, .source = changed_by(d), .server = cmd->server,
	     .reason = cmd->reason);
	reply_servers(d, cmd->enabled ? STR_NONE : cmd->server,
	              cmd->enabled ? cmd->server : STR_NONE);
}

/* ---- rules ---- */

static void write_members(struct json_writer *w, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		jw_value(w, v);
}

/*
 * The existing rules, unless they are replaced, followed by the new ones.  A session's rules are
 * one text, so that a snapshot and an event hold them as they were given.
 */
static struct str joined_rules(struct decision *d, struct json given, bool replace)
{
	struct json old = { 0 },
		    list = json_type(given) == JSON_OBJ ? JSON_GET(given, "rules") : given;
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	if (!replace && str_is(d->w->s->rules) &&
	    json_read_trusted(d->mem, d->w->s->rules, &old, NULL) != OK)
		old = (struct json){ 0 };
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "rules");
	jw_arr(&w);
	write_members(&w, JSON_GET(old, "rules"));
	write_members(&w, list);
	jw_arr_end(&w);
	jw_obj_end(&w);
	text = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

/* The resulting text of the rules; absent after a refusal. */
static struct str checked_rules(struct decision *d, const struct cmd_set_policy *cmd)
{
	struct rules rs = { .mem = d->mem };
	struct error e = { 0 };
	struct json given;
	struct str text;

	if (json_read_trusted(d->mem, cmd->rules, &given, &e) != OK ||
	    (json_type(given) != JSON_ARR && json_type(JSON_GET(given, "rules")) != JSON_ARR)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "rules: a list of rules is wanted");
		return STR_NONE;
	}
	text = joined_rules(d, given, cmd->replace);
	/* The event carries all rules, and events have a limit. */
	if (text.len > LIMIT_INLINE_ARGS ||
	    rules_add(&rs, text, (struct rule_origin){ .source = RULE_SESSION }, &e) != OK) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "rules: %s",
		                e.code ? e.message : "they are too many for a session");
		return STR_NONE;
	}
	return text;
}

void decide_set_policy(struct decision *d, const struct cmd_set_policy *cmd)
{
	int64_t version = d->w->s->policy_version;
	struct reply_set_policy r = { .policy_ref = policy_ref(d, version + 1) };
	struct str text;

	if (cmd->scope && cmd->scope != GRANT_SCOPE_SESSION) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "scope: rules of a session only; wider ones stand in the settings");
		return;
	}
	if (cmd->has_expected_version && cmd->expected_version != version) {
		decision_refuse(d, ERROR_CODE_VERSION_MISMATCH, "the rules are at version %lld",
		                (long long)version);
		return;
	}
	text = checked_rules(d, cmd);
	if (!str_is(text))
		return;
	EMIT(d, POLICY_CHANGED, policy_changed,
	     .change = cmd->replace ? POLICY_CHANGE_RULES_RELOADED : POLICY_CHANGE_RULE_ADDED,
	     .scope = GRANT_SCOPE_SESSION, .source = changed_by(d),
	     .before = policy_ref(d, version), .after = r.policy_ref, .rules = text,
	     .reason = cmd->reason);
	d->reply = rec_text(d->mem, &reply_set_policy_desc, &r);
}

static bool is_same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

/*
 * Rules in files change without a command.  The event is written before the first decision under
 * the new rules, so that the log explains each decision.
 */
struct event *permission_decide_policy_moved(struct decision *d)
{
	const struct st_session *s = d->w->s;
	struct str ref = d->settings->rules_ref, trouble = d->settings->rules_trouble;
	bool is_new_trouble = str_is(trouble) && !is_same(s->rules_trouble, trouble);

	if (!str_is(ref) || is_same(s->rules_ref, ref))
		return NULL;
	/* A file that cannot be read leaves the earlier rules in force; that is reported once. */
	return EMIT(d, POLICY_CHANGED, policy_changed,
	            .change = is_new_trouble ? POLICY_CHANGE_RULES_KEPT
	                                     : POLICY_CHANGE_RULES_RELOADED,
	            .scope = GRANT_SCOPE_WORKSPACE, .source = POLICY_SOURCE_CONFIG,
	            .cwd = decision_workspace_of(d), .before = s->rules_ref, .after = ref,
	            .reason = trouble);
}

/* ---- grants ---- */

void decide_revoke_grant(struct decision *d, const struct cmd_revoke_grant *cmd)
{
	struct reply_revoke_grant r = { .grant_id = cmd->grant_id };
	const struct st_grant *g = NULL;

	for (uint32_t i = 0; i < d->w->s->grants.count && !g; i++)
		if (str_eq(d->w->s->grants.items[i]->grant_id, cmd->grant_id))
			g = d->w->s->grants.items[i];
	if (!g) {
		decision_refuse(d, ERROR_CODE_GRANT_NOT_FOUND, "%.*s does not hold in this session",
		                STR_ARG(cmd->grant_id));
		return;
	}
	EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_GRANT_REVOKED,
	     .grant_id = g->grant_id, .scope = g->scope, .source = changed_by(d),
	     .reason = cmd->reason);
	d->reply = rec_text(d->mem, &reply_revoke_grant_desc, &r);
}

/* Runs in the system session, whose grants all sessions consult. */
void permission_decide_shared_grant(struct decision *d, const struct ev_policy_changed *change)
{
	runtime_events_emit_system_session(d, STR("system"), STR("thr_system"));
	decision_emit_event(d, EV_POLICY_CHANGED, change);
}

void permission_decide_trusted(struct decision *d, struct str what, struct str cwd, struct str hash,
                               struct str reason)
{
	runtime_events_emit_system_session(d, STR("system"), STR("thr_system"));
	EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_TRUST_RECORDED,
	     .scope = GRANT_SCOPE_WORKSPACE, .source = changed_by(d), .content_hash = hash,
	     .rule_refs = STRINGS(d, what), .cwd = cwd, .reason = reason);
}

void permission_decide_attached(struct decision *d, struct list_str servers)
{
	EMIT(d, POLICY_CHANGED, policy_changed, .change = POLICY_CHANGE_TRUST_RECORDED,
	     .scope = GRANT_SCOPE_SESSION, .source = changed_by(d), .rule_refs = servers,
	     .reason = STR("a client names the tool servers of this session"));
}

/* ---- queries ---- */

/* Gives an event without a turn a system turn (GAP-58). */
static struct event *in_system_turn(struct event *ev, const struct st_thread *th,
                                    struct str turn_id)
{
	decision_in_thread(ev, th);
	ev->turn_id = turn_id;
	return ev;
}

static void begin_system_turn(struct decision *d, const struct st_thread *th, struct str turn_id)
{
	struct event *ev = in_system_turn(
		EMIT(d, TURN_SUBMITTED, turn_submitted, .status = STATUS_ACCEPTED,
	             .source = STR("command"), .kind = TURN_KIND_SYSTEM,
	             .delivery = DELIVERY_IMMEDIATE, .cause = STR("evaluate_permission")),
		th, turn_id);

	ev->status = STATUS_ACCEPTED;
	ev = in_system_turn(EMIT(d, TURN_STARTED, turn_started,
	                         .environment_id = d->settings->environment->environment_id),
	                    th, turn_id);
	ev->status = STATUS_RUNNING;
	ev->phase = PHASE_PREPARING;
	ev->execution_environment =
		rec_clone(d->mem, &rec_execution_environment_desc, d->settings->environment);
}

/*
 * The profile demands a turn on permission events, so a query that is recorded gets a system turn
 * (GAP-10).
 */
static void record_evaluation(struct decision *d, const struct cmd_evaluate_permission *cmd,
                              struct rec_permission_decision *decision)
{
	const struct st_thread *th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id)
	                                                    : state_main_thread(d->w);
	struct str turn_id = decision_new_id(d, "turn");
	struct event *ev;

	if (!th) {
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		return;
	}
	begin_system_turn(d, th, turn_id);
	ev = in_system_turn(EMIT(d, PERMISSION_EVALUATED, permission_evaluated,
	                         .decision = decision->decision,
	                         .decision_source = decision->decision_source,
	                         .subject = cmd->subject, .tool_name = cmd->tool_name,
	                         .destructive = decision->destructive, .has_destructive = true),
	                    th, turn_id);
	ev->permission_decision = decision;
	ev = in_system_turn(EMIT(d, TURN_COMPLETED, turn_completed,
	                         .outcome = TURN_OUTCOME_COMPLETED, .has_steps = true,
	                         .has_model_requests = true),
	                    th, turn_id);
	ev->status = STATUS_COMPLETED;
}

/* What the question is about; each of them may be absent. */
struct place {
	const struct st_thread *th;
	const struct st_turn *t;
	const struct st_call *c;
};

/*
 * A call has its turn, a turn its thread; of a thread alone the active turn counts.  False after a
 * refusal.
 */
static bool find_place(struct decision *d, const struct cmd_evaluate_permission *cmd,
                       struct place *p)
{
	for (uint32_t i = 0; str_is(cmd->tool_call_id) && !p->c && i < d->w->s->threads.count;
	     i++) {
		p->th = d->w->s->threads.items[i];
		p->c = state_thread_call(p->th, cmd->tool_call_id);
	}
	if (p->c) {
		p->t = state_thread_turn(p->th, p->c->turn_id);
	} else if (str_is(cmd->turn_id)) {
		p->t = state_turn(d->w, cmd->turn_id, &p->th);
		if (!p->t)
			decision_refuse(d, ERROR_CODE_TURN_NOT_FOUND, "the state has no turn %.*s",
			                STR_ARG(cmd->turn_id));
	} else {
		p->th = str_is(cmd->thread_id) ? state_thread(d->w, cmd->thread_id) : NULL;
		p->t = p->th ? state_thread_active(p->th) : NULL;
		if (str_is(cmd->thread_id) && !p->th)
			decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND,
			                "there is no such thread here");
	}
	return !d->refusal;
}

/* A call is evaluated with its own arguments and hooks, unless the command gives other arguments. */
static struct permission_ask ask_of(struct decision *d, const struct tool_info *tool,
                                    const struct place *p, struct str input)
{
	if (p->c && !str_is(input))
		return permission_of(d, tool, p->c);
	return (struct permission_ask){ .mem = d->mem,
		                        .w = d->w,
		                        .settings = d->settings,
		                        .now = d->wall,
		                        .tool = tool,
		                        .turn_id = p->t ? p->t->turn_id : STR_NONE,
		                        .args = str_is(input) ? input : STR("{}") };
}

/*
 * A query with an event: `record: false` leaves none.  The decision is the one that a call would
 * get now, at the named place: under the session's mode, and within the bounds of its task and
 * child agent.
 */
void decide_evaluate_permission(struct decision *d, const struct cmd_evaluate_permission *cmd)
{
	struct place p = { 0 };
	struct rec_permission_decision *decision =
		ARENA_NEW(d->mem, struct rec_permission_decision);
	struct reply_evaluate_permission r = { .permission_decision = decision };
	struct str name, thread_id, task_id;
	const struct tool_info *tool;
	struct permission_ask ask;

	if (!find_place(d, cmd, &p))
		return;
	name = str_is(cmd->tool_name) ? cmd->tool_name : p.c ? p.c->tool_name : STR_NONE;
	tool = str_is(name) ? decision_settings_tool(d->settings, name) : NULL;
	if (!tool) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "toolName: there is no tool %.*s",
		                STR_ARG(str_is(name) ? name : STR("without a name")));
		return;
	}
	ask = ask_of(d, tool, &p, cmd->input);
	thread_id = p.th ? p.th->thread_id : STR_NONE;
	task_id = p.t ? p.t->task_id : STR_NONE;
	permission_bind(&ask, thread_id, task_id);
	permission_judge_bound(d, &ask, thread_id, task_id, decision);
	decision->decision_id = decision_new_id(d, "poldec");
	d->reply = rec_text(d->mem, &reply_evaluate_permission_desc, &r);
	if (cmd->has_record && !cmd->record)
		return;
	permission_decide_policy_moved(d);
	record_evaluation(d, cmd, decision);
}
