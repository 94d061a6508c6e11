/*
 * Requests: from a caller's command to a decision, and back. request.h draws
 * their states.  This file accepts calls, moves requests from state to state,
 * lets the core decide, and sends the replies.
 */
#include "engine/request/request.h"

#include "core/session/placement.h"
#include "core/gen/inputs.h"
#include "engine/evidence/evidence_access.h"
#include "base/jw.h"
#include "core/benchmark/trial.h"
#include "core/channel/channel.h"
#include "core/session/session.h"
#include "engine/maintenance/damage.h"
#include "engine/nodes/node_rev.h"
#include "engine/request/channel.h"
#include "engine/resources/holders.h"
#include "engine/resources/backpressure.h"
#include "engine/resources/metrics.h"
#include "engine/resources/store_away.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"
#include "ports/node_link.h"

#include <stdarg.h>
#include <stdio.h>

/* How often a command starts again because other nodes were first. */
#define RACES_MAX 3

/* ---- life cycle ---- */

static const struct session_waiter_ops waiter_ops;

/* A caller's channel is connected here, or to the node that sent the command. */
static const struct rec_channel *channel_of_request(const struct request *r)
{
	return r->forwarded ? r->forwarded->channel : channel_of(r->engine, r->caller.channel_id);
}

static struct request *request_new(struct engine *e)
{
	struct arena *mem = arena_new();
	struct request *r = ARENA_NEW(mem, struct request);

	r->engine = e;
	r->mem = mem;
	r->waiter.ops = &waiter_ops;
	list_init(&r->node);
	list_init(&r->waiter.node);
	list_init(&r->key.joined);
	list_init(&r->ids.behind);
	e->pending_calls++;
	list_add(&e->requests, &r->all);
	return r;
}

static void request_free(struct request *r)
{
	r->engine->pending_calls--;
	holders_leave(r->holder, HOLDERS_REQUEST);
	r->engine->ports.clock->ops->stop(r->engine->ports.clock, &r->timer);
	list_remove(&r->all);
	r->engine->left_requests -= r->is_left;
	if (r->sent)
		r->engine->ports.link->ops->forget(r->engine->ports.link, r->sent);
	if (r->work && r->work_done)
		r->work_done(r->work);
	arena_free(r->mem);
}

/* At shutdown: no request is answered, no callback comes any more. */
void request_free_all(struct engine *e)
{
	while (!list_is_empty(&e->requests))
		request_free(LIST_ITEM(e->requests.next, struct request, all));
}

/* ---- replies ---- */

void request_fail(struct request *r, enum error_code code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	r->response.code = code;
	r->response.detail = arena_keep(r->mem, str_from(text));
	r->response.extra = STR_NONE; /* of a reply that is not sent after all */
	r->response.is_final = false;
}

#define RETRY_AFTER_MS 1000

static int64_t retry_after(const struct request *r)
{
	return r->response.retry_after_ms ? r->response.retry_after_ms : RETRY_AFTER_MS;
}

/* spec: RFC 9457 — the same object on every transport. */
static struct str problem_text(struct request *r)
{
	const struct error_info *info = &error_infos[r->response.code];
	struct buf out = { 0 };
	struct json_writer w;
	struct json extra;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "type");
	jw_str(&w, arena_printf(r->mem, "urn:thole:problem:%.*s", STR_ARG(info->code)));
	JW_KSTR(&w, "title", info->title);
	JW_KINT(&w, "status", info->http);
	JW_KSTR(&w, "code", info->code);
	JW_KSTR(&w, "category", info->category);
	JW_KOPT(&w, "detail", r->response.detail);
	JW_KBOOL(&w, "retryable", info->retryable);
	if (info->retryable)
		JW_KINT(&w, "retryAfterMs", retry_after(r));
	if (r->command.command)
		JW_KSTR(&w, "command", command_classes[r->command.command].name);
	JW_KOPT(&w, "requestId", r->command.request_id);
	JW_KOPT(&w, "sessionId", r->session_id);
	if (str_is(r->response.extra) &&
	    json_read_trusted(r->mem, r->response.extra, &extra, NULL) == OK) {
		struct json_iter it = json_iter(extra);
		struct json value;
		struct str key;

		while (json_next(&it, &key, &value)) {
			jw_key(&w, key);
			jw_value(&w, value);
		}
	}
	jw_obj_end(&w);
	struct str text = arena_keep(r->mem, buf_str(&out));

	buf_done(&out);
	return text;
}

/*
 * The links between call and request are cut first: `done` may free the call or send the
 * next command.  A caller that has disconnected gets nothing; the command took effect
 * nevertheless.
 */
static void call_done(struct request *r, struct str body)
{
	const struct error_info *info = &error_infos[r->response.code];
	struct control_call *call = r->call;
	struct control_answer a = {
		.code = r->response.code,
		.http = r->response.code && !r->response.is_final ? info->http
		        : r->response.http                        ? r->response.http
		                                                  : 200,
		.jsonrpc = r->response.code ? info->jsonrpc : 0,
		.title = r->response.code ? info->title : STR_NONE,
		.body = body,
		.is_replay = r->response.is_replay,
		.retry_after_ms = r->response.code && info->retryable ? retry_after(r) : 0,
	};

	if (!call)
		return;
	r->call = NULL;
	call->request = NULL;
	call->done(call, &a);
}

/*
 * Requests that wait for this one continue before its own caller gets the reply; those
 * with the same key copy it.
 */
void request_reply(struct request *r)
{
	struct str body;

	if (r->response.code) {
		r->engine->refusals++;
		metrics_refused(r->engine, r->response.code);
		body = r->response.is_final ? r->response.reply : problem_text(r);
	} else {
		metrics_answered(r->engine, r->command.command, r->began_ms);
		body = str_is(r->response.reply) ? r->response.reply : STR("{}");
	}
	caller_ids_release(r);
	idempotency_answered(r);
	call_done(r, body);
	request_free(r);
}

static void when_durable(struct request *r)
{
	void (*then)(struct request * r) = r->then;

	r->then = NULL;
	if (then)
		then(r);
	else if (!r->engine->request_hooks->spread(r))
		request_reply(r);
}

void request_wait_for(struct request *r, struct session *s)
{
	if (!s || s->phase != SESSION_LIVE || s->applied <= s->durable)
		when_durable(r);
	else
		session_wait(s, &r->waiter);
}

void request_wait(struct request *r)
{
	request_wait_for(r, r->session);
}

void request_wait_durable(struct request *r)
{
	r->then = request_continue;
	request_wait(r);
}

bool request_read_failed(struct store_read *read)
{
	struct request *r = read->owner;

	if (read->result == OK || read->result == ERR_NOT_FOUND)
		return false;
	damage_of(r->engine, read);
	request_fail(r, damage_code(read), "%s", read->error.message);
	port_store_read_done(read);
	request_reply(r);
	return true;
}

/* ---- its session ---- */

void request_hold(struct request *r)
{
	r->session->readers++;
}

/* The counterpart of request_hold(), called first in every such callback. */
bool request_lost_session(struct store_read *read)
{
	struct request *r = read->owner;
	struct session *s = r->session;

	s->readers--;
	if (s->phase == SESSION_LIVE)
		return false;
	port_store_read_done(read);
	r->session = NULL;
	/* An unwritten session belonged to a refused command: this request tries to create it. */
	if (!s->applied) {
		session_release(s);
		request_restart(r);
		return true;
	}
	request_fail(r, s->gone_why, "the session was dropped; try again");
	request_reply(r);
	session_release(s);
	return true;
}

void request_fail_no_session(struct request *r, uint64_t removed_by)
{
	if (!removed_by) {
		request_fail(r, ERROR_CODE_SESSION_NOT_FOUND, "there is no session %.*s",
		             STR_ARG(r->session_id));
		return;
	}
	request_fail(r, ERROR_CODE_SESSION_DELETED,
	             "session %.*s was deleted, as event %llu of sess_system records; see: thole "
	             "audit --what erasures",
	             STR_ARG(r->session_id), (unsigned long long)removed_by);
	r->response.extra =
		arena_printf(r->mem, "{\"removedBy\":%llu}", (unsigned long long)removed_by);
}

void request_no_session(struct request *r, uint64_t removed_by)
{
	request_fail_no_session(r, removed_by);
	request_reply(r);
}

static void run_job(struct request *r)
{
	r->job.run(r->session, r->job.arg);
	request_free(r);
}

/* Callers that cannot read, as the senders of webhooks, do not ask for it later. */
static void make_session(struct request *r)
{
	r->session = session_make(r->engine, r->session_id, true);
	r->session->is_passing = !r->job.run && !(r->caller.scopes & SCOPE_BIT(SCOPE_READ));
}

/* The store has no such session. */
static void session_missing(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];
	uint64_t removed_by = r->session ? r->session->removed_by : 0;

	/* Of several requests that waited for it, the first creates it and the others find it. */
	if (session_find(r->engine, r->session_id)) {
		request_continue(r); /* it may be loading */
		return;
	}
	r->session = NULL;
	if (r->makes_session && !removed_by && (class->target == TARGET_SESSION_NEW || r->job.run))
		make_session(r);
	if (r->session)
		request_next(r);
	else if (r->job.run)
		run_job(r);
	else
		request_no_session(r, removed_by);
}

static bool needs_no_session(const struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];

	return !r->job.run && (class->target == TARGET_RUNTIME ||
	                       (class->target == TARGET_SESSION_OR_ALL && !str_is(r->session_id)));
}

/*
 * A bound per session: commands for a session that takes long to load must not fill the memory.  A job
 * is not refused, because what it records has happened.
 */
static bool wait_until_loaded(struct request *r)
{
	unsigned waiting = 0;

	LIST_EACH (&r->session->arriving, node)
		waiting++;
	if (waiting >= LIMIT_SESSION_WAITING_COMMANDS && !r->job.run) {
		request_fail(r, ERROR_CODE_OVERLOADED, "the session is being loaded");
		request_reply(r);
	} else {
		list_add(&r->session->arriving, &r->waiter.node);
	}
	return true;
}

/*
 * A session that is not in memory is always looked up in the store, even for a command
 * that may create it: its log may exist.
 */
static bool find_session(struct request *r)
{
	struct engine *e = r->engine;

	if (!r->job.run && e->request_hooks->route(r))
		return true;
	if (needs_no_session(r))
		return false;
	/* A grant with a scope beyond a session is revoked in the system session. */
	if (r->command.command == COMMAND_REVOKE_GRANT && !str_is(r->session_id))
		r->session_id = STR("sess_system");
	r->session = str_is(r->session_id) ? session_find(e, r->session_id) : NULL;
	if (!r->session && e->request_hooks->hand_over(r))
		return true;
	if (!str_is(r->session_id)) {
		struct id_source ids = clock_ids(e);

		r->session_id = holders_new_session(r->mem, &r->caller, &ids);
		r->is_id_made = true;
		make_session(r);
		return false;
	}
	if (!r->session) {
		r->session = session_make(e, r->session_id, false);
		list_add(&r->session->arriving, &r->waiter.node);
		load_session(r->session);
		return true;
	}
	/* The request that makes a session may come here again, before its first event is durable. */
	r->session->is_passing &= r->session->is_new;
	return r->session->phase == SESSION_LOADING && wait_until_loaded(r);
}

static void on_arrived(struct session_waiter *w)
{
	request_next(OWNER_OF(w, struct request, waiter));
}

static void on_missing(struct session_waiter *w)
{
	session_missing(OWNER_OF(w, struct request, waiter));
}

static void run_peeked(struct session *s, void *arg)
{
	struct request *r = arg;

	r->session = s;
	run_job(r);
}

/* This node's own session is never another's for long: then the job runs without one. */
static void run_on_own(struct request *r)
{
	r->job.elsewhere = ELSEWHERE_NONE;
	r->session_id = session_place_node(r->engine, r->mem);
	r->makes_session = true;
	request_restart(r);
}

static void on_elsewhere(struct session_waiter *w, const struct store_node *node)
{
	struct request *r = OWNER_OF(w, struct request, waiter);
	struct request *sender = r->job.arg;
	struct str session;

	r->session = NULL;
	if (!r->job.run) {
		r->engine->request_hooks->elsewhere(r, r->session_id, node);
		return;
	}
	switch (r->job.elsewhere) {
	case ELSEWHERE_NONE:
		run_job(r);
		break;
	case ELSEWHERE_FORWARD:
		session = arena_keep(sender->mem, r->session_id);
		request_free(r);
		sender->engine->request_hooks->elsewhere(sender, session, node);
		break;
	case ELSEWHERE_OWN:
		run_on_own(r);
		break;
	case ELSEWHERE_READ:
		load_peek(r->engine, r->session_id, run_peeked, r);
		break;
	}
}

static void on_durable(struct session_waiter *w)
{
	when_durable(OWNER_OF(w, struct request, waiter));
}

/* Another node made the session first, or used the key.  Nothing of this command was kept. */
static bool lost_a_race(const struct request *r, enum error_code why)
{
	return r->engine->nodes && why == ERROR_CODE_SESSION_MOVED && r->makes_session &&
	       r->session && !r->session->durable && r->looks < RACES_MAX;
}

/* From the key on: it finds the stored reply, the session, or that an id is taken. */
static void start_again(struct request *r)
{
	r->looks++;
	if (r->work && r->work_done)
		r->work_done(r->work);
	r->work = NULL;
	r->work_done = NULL;
	if (r->is_id_made)
		r->session_id = STR_NONE;
	r->session = NULL;
	r->step = 0;
	r->then = NULL;
	r->ids.at = 0;
	r->found = (struct request_found){ 0 };
	r->response = (struct request_answer){ 0 };
	r->state = REQUEST_KEY;
	request_continue(r);
}

/*
 * A command may have been applied or not; its events are gone either way, so the caller
 * may repeat it.  Jobs of the engine run without the session and clean up.
 */
static void on_lost(struct session_waiter *w, enum error_code why, const char *detail)
{
	struct request *r = OWNER_OF(w, struct request, waiter);

	if (r->job.run) {
		session_missing(r);
		return;
	}
	if (lost_a_race(r, why)) {
		start_again(r);
		return;
	}
	request_fail(r, why, "%s", detail);
	request_reply(r);
}

static const struct session_waiter_ops waiter_ops = {
	.arrived = on_arrived,
	.missing = on_missing,
	.elsewhere = on_elsewhere,
	.durable = on_durable,
	.lost = on_lost,
};

/* ---- reading what the decision needs ---- */

/*
 * Each step returns true when it waits, and is called again after the wait.  Steps
 * therefore keep in r->found what they have read.
 */
static bool gather_state(struct request *r)
{
	bool (*const *steps)(struct request * r) = r->engine->request_hooks->gather;

	if (r->job.run) {
		run_job(r);
		return true;
	}
	/* Another request is about to create it; until then it does not exist. */
	if (command_classes[r->command.command].target == TARGET_SESSION && !r->session->applied) {
		request_no_session(r, 0);
		return true;
	}
	for (; steps[r->step]; r->step++)
		if (steps[r->step](r))
			return true;
	return false;
}

/* ---- decision ---- */

#define ARGUMENTS_MEASURED 4096 /* shorter ones fit, even if each byte takes six */
#define ENVELOPE_BYTES 2048     /* what apply.c adds to an event, at most */

/* The reply holds the last sequence of the session: the caller can follow from there. */
void request_keep(struct request *r)
{
	r->response.reply = json_text_add_int(r->mem, r->response.reply, "sequence",
	                                      r->session ? (int64_t)r->session->applied : 0);
	idempotency_keep(r);
}

/*
 * Arguments that fit by themselves may not fit into one event together.  The command is refused
 * then, before anything of it is applied.  Only long arguments are measured.
 */
static void refuse_large(const struct request *r, struct decision *d)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (d->refusal || r->key.body_bytes < ARGUMENTS_MEASURED)
		return;
	mem = arena_new();
	for (size_t i = 0; i < d->count; i++) {
		size_t len = rec_text(mem, &event_desc, d->events[i]).len + ENVELOPE_BYTES;

		if (len <= LIMIT_EVENT_BYTES)
			continue;
		decision_refuse(d, ERROR_CODE_TOO_LARGE,
		                "%.*s would have %zu bytes, and an event has at most %d",
		                STR_ARG(event_type_word(d->events[i]->type)), len,
		                LIMIT_EVENT_BYTES);
		return;
	}
}

/*
 * False: this build does not know the command.  The outcome is copied out of the decision
 * before apply_end(), which resets the scratch arena.
 */
static bool decide_now(struct request *r)
{
	struct session *s = r->session;
	struct decision *d;

	/* It lives as long as the request: only a decision may see it. */
	if (s)
		s->picture = r->found.picture;
	/* The connection may have ended during a read of the store. */
	r->command.channel = channel_of_request(r);
	d = apply_begin(s, &r->command);
	d->recalled = r->found.tasks;
	d->recalled_count = r->found.task_count;
	d->foreign = r->found.foreign;
	d->point = r->found.point;
	d->item_count = r->found.item_count;
	d->item = r->found.item;
	if (!journal_command(d, r->command.command, r->args)) {
		arena_reset(r->engine->scratch);
		if (s)
			s->picture = NULL;
		return false;
	}
	refuse_large(r, d);
	node_rev_check(s, d);
	if (!d->refusal && d->count) {
		input_channel_bind(d);
		channel_bound(r->engine, r->caller.channel_id, s->id);
	}
	r->response.code = d->refusal;
	r->response.detail = arena_keep(r->mem, d->detail);
	r->response.extra = arena_keep(r->mem, d->extra);
	r->response.reply = arena_keep(r->mem, d->reply);
	if (!d->refusal && d->beat.until)
		lease_set(&s->leases, str_from(d->beat.run_id), d->beat.until);
	apply_end(s, d);
	if (s)
		s->picture = NULL;
	return true;
}

/* The reply is stored before the commit is handed over, so that it is part of the same slice. */
static void command_accepted(struct request *r)
{
	if (r->command.command == COMMAND_RECONNECT_CHANNEL)
		r->response.reply =
			json_text_add_str(r->mem, r->response.reply, "resumeToken",
		                          channel_token(r->engine, r->mem, r->caller.channel_id));
	if (r->turn)
		r->response.http = 202;
	request_keep(r);
	LISTENERS_CALL(r->engine->request_hooks->accepted, r);
	request_wait(r);
}

static void command_refused(struct request *r)
{
	const struct request_hooks *hooks = r->engine->request_hooks;
	struct session *s = r->session;

	for (size_t i = 0; hooks->refused[i]; i++)
		if (hooks->refused[i](r))
			return;
	/* A session that this refused command would have created does not exist. */
	if (s->is_new && !s->applied) {
		r->session = NULL;
		session_abandon(s, r->response.code);
	}
	request_wait(r);
}

/* The clock is aligned first: the command's deadlines must be computed from the current offset. */
static bool decide_state(struct request *r)
{
	if (r->session)
		clock_align(r->session);
	if (!r->engine->request_hooks->admit(r)) {
		request_wait(r);
	} else if (!decide_now(r)) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "this build does not offer it yet");
		request_reply(r);
	} else if (r->response.code) {
		command_refused(r);
	} else {
		command_accepted(r);
	}
	return true;
}

/* ---- states ---- */

/*
 * The request may be freed inside a state that returns true, so nothing touches it after
 * the loop.
 */
void request_continue(struct request *r)
{
	static bool (*const states[REQUEST_STATE_COUNT])(struct request * r) = {
		[REQUEST_KEY] = idempotency_check, [REQUEST_IDS] = caller_ids_check,
		[REQUEST_SESSION] = find_session,  [REQUEST_GATHER] = gather_state,
		[REQUEST_DECIDE] = decide_state,
	};

	/* The connection may have ended during a read of the store. */
	r->command.channel = channel_of_request(r);
	while (!states[r->state](r))
		r->state++;
}

void request_next(struct request *r)
{
	r->state++;
	request_continue(r);
}

void request_restart(struct request *r)
{
	r->session = NULL;
	r->step = 0;
	r->state = REQUEST_SESSION;
	request_continue(r);
}

void request_repeat(struct request *r)
{
	r->session = NULL;
	r->step = 0;
	r->state = REQUEST_KEY;
	request_continue(r);
}

/* ---- parsing the call ---- */

struct str request_arg(const struct request *r, const char *name)
{
	const struct rec_desc *d = command_classes[r->command.command].args;

	for (uint32_t i = 0; i < d->count; i++)
		if (str_eq(field_name(&d->fields[i]), str_from(name)))
			return *(struct str *)((char *)r->args + d->fields[i].offset);
	return STR_NONE;
}

const struct rec_placement_choice *request_placement(const struct request *r)
{
	if (r->turn)
		return r->turn->placement;
	switch (r->command.command) {
	case COMMAND_CREATE_SESSION:
		return ((const struct cmd_create_session *)r->args)->placement;
	case COMMAND_UPDATE_SESSION:
		return ((const struct cmd_update_session *)r->args)->placement;
	default:
		return NULL;
	}
}

struct str request_dir(const struct request *r)
{
	return placement_dir(r->engine->settings.place, request_placement(r),
	                     request_arg(r, "cwd"));
}

/* A paired device's work runs where the operator started the runtime, not where it says. */
static bool is_elsewhere(const struct request *r)
{
	struct str cwd = request_arg(r, "cwd");

	return str_starts(r->caller.principal, STR("device:")) &&
	       (request_placement(r) || (str_is(cwd) && !str_eq(cwd, r->engine->settings.cwd)));
}

/*
 * False: the response holds a refusal.  The scope is checked before the arguments are
 * parsed, so a caller without it learns nothing about them.  The hash of the canonical
 * arguments tells whether a repeated key comes with the same request.
 */
/* The mode of a new session is what set_mode sets: it needs the same scope. */
static bool sets_mode(const struct request *r)
{
	return r->turn ? r->turn->mode
	       : r->command.command == COMMAND_CREATE_SESSION
	               ? ((const struct cmd_create_session *)r->args)->mode
	               : 0;
}

static bool read_call(struct request *r, const struct control_call *call)
{
	const struct command_class *class;
	struct error err = { 0 };
	struct json params;
	struct str text;
	enum scope scope;
	enum err code;

	r->command.command = catalog_command_find(call->command);
	/* What another node sends was sent by its runtime, or checked there. */
	if (!r->command.command || (command_classes[r->command.command].is_internal &&
	                            !call->is_own && !call->forwarded)) {
		request_fail(r, ERROR_CODE_UNKNOWN_COMMAND, "there is no command %.*s",
		             STR_ARG(call->command));
		return false;
	}
	class = &command_classes[r->command.command];
	scope = call->is_lookup ? SCOPE_READ : class->scope;
	if (!(r->caller.scopes & SCOPE_BIT(scope))) {
		request_fail(r, ERROR_CODE_FORBIDDEN, "%.*s needs the scope %.*s",
		             STR_ARG(class->name), STR_ARG(scope_word(scope)));
		return false;
	}
	if (!class->is_built) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "this build does not offer %.*s yet",
		             STR_ARG(class->name));
		return false;
	}
	if (json_read(r->mem, str_is(call->params) && call->params.len ? call->params : STR("{}"),
	              &params, &err) != OK) {
		request_fail(r, ERROR_CODE_INVALID_JSON, "%s", err.message);
		return false;
	}
	r->args = arena_alloc(r->mem, class->args->size);
	code = rec_read(r->mem, params, class->args, REC_CALLER, r->args, &err);
	if (code != OK) {
		request_fail(r, catalog_code_of_fault(&err), "%s", err.message);
		return false;
	}
	r->turn = r->command.command == COMMAND_SUBMIT_TURN ? r->args
	          : r->command.command == COMMAND_START_BENCHMARK_TRIAL
	                  ? trial_turn(r->mem, r->args)
	                  : NULL;
	if (!call->is_own && is_elsewhere(r)) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "a paired device works in the runtime's own directory only");
		return false;
	}
	if (sets_mode(r) && !(r->caller.scopes & SCOPE_BIT(SCOPE_ADMIN))) {
		request_fail(r, ERROR_CODE_FORBIDDEN, "mode needs the scope admin");
		return false;
	}
	text = json_text_canonical(r->mem, params);
	r->params = text;
	r->key.body = call->forwarded ? call->forwarded->body
	                              : sha256_of(str_is(call->what) ? call->what : text);
	r->key.body_bytes = text.len;
	r->command.body_hash = sha256_hex(r->mem, &r->key.body);
	r->session_id = request_arg(r, "sessionId");
	if (!r->engine->request_hooks->reach(r, text))
		return false;
	r->is_lookup = call->is_lookup;
	r->key.given = arena_keep(r->mem, call->key);
	if (class->mutates)
		idempotency_take(r, str_is(call->key) ? r->key.given
		                                      : request_arg(r, "idempotencyKey"));
	return true;
}

/* While space is short, only commands that end work are accepted. */
static bool ends_something(const struct request *r)
{
	return r->command.command == COMMAND_INTERRUPT_TURN ||
	       r->command.command == COMMAND_RESPOND_ACTION ||
	       r->command.command == COMMAND_TERMINATE_PROCESS ||
	       r->command.command == COMMAND_REMOVE_QUEUED_TURN;
}

/* A deletion uses the ballast for its event, and what it frees is more. */
static bool frees_space(const struct request *r)
{
	return r->command.command == COMMAND_DELETE_SESSION;
}

/* ---- an unavailable store ---- */

static bool only_reads(const struct request *r)
{
	return !command_classes[r->command.command].mutates || r->is_lookup;
}

static void fail_away(struct request *r)
{
	request_fail(r,
	             store_away_is_full(r->engine) ? ERROR_CODE_STORAGE_FULL
	                                           : ERROR_CODE_STORE_UNAVAILABLE,
	             "%.*s", STR_ARG(store_away_reason(r->engine)));
}

/*
 * The caller gets its answer, and the request continues as if the caller had disconnected: what
 * it has prepared so far stays.
 */
static void leave(struct request *r)
{
	struct request_answer so_far = r->response;

	r->is_left = true;
	r->engine->left_requests++;
	fail_away(r);
	r->engine->refusals++;
	metrics_refused(r->engine, r->response.code);
	call_done(r, problem_text(r));
	r->response = so_far;
}

/* Who only reads need not wait for the store; who writes waits for the commit. */
void request_store_away(struct engine *e)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);

	LIST_EACH_SAFE (&e->requests, node, tmp) {
		struct request *r = LIST_ITEM(node, struct request, all);

		if (r->call && only_reads(r) && now - r->began_ms >= STORE_AWAY_READ_MS)
			leave(r);
	}
}

/*
 * A read may need nothing of the store, so it begins; but requests without a caller must not
 * fill the memory of a runtime whose store is away for hours.
 */
static bool is_refused_while_away(struct request *r)
{
	struct engine *e = r->engine;

	if (!e->is_away || ends_something(r))
		return false;
	if (only_reads(r) ? e->left_requests >= LIMIT_STORE_AWAY_READS
	                  : store_away_ms(e) >= LIMIT_COMMIT_REFUSE_MS || backpressure_refuses(e))
		fail_away(r);
	return r->response.code;
}

static bool is_refused_by_store(struct request *r)
{
	if (r->response.code || is_refused_while_away(r))
		return true;
	if (!command_classes[r->command.command].mutates || r->is_lookup)
		return false;
	if (r->engine->options.config->store_read_only)
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "this runtime only reads (store.read_only)");
	if (r->response.code || ends_something(r))
		return r->response.code;
	if (r->engine->is_full && !frees_space(r))
		request_fail(
			r, ERROR_CODE_STORAGE_FULL,
			"no space left in the data directory; to free some, run: thole delete");
	else if (backpressure_refuses(r->engine))
		request_fail(r, ERROR_CODE_OVERLOADED, "the disk does not keep up");
	return r->response.code;
}

static void take_forwarded(struct request *r, const struct control_call *call)
{
	struct control_forwarded *f;

	if (!call->forwarded)
		return;
	f = ARENA_NEW(r->mem, struct control_forwarded);
	f->body = call->forwarded->body;
	if (call->forwarded->channel)
		f->channel = rec_clone(r->mem, &rec_channel_desc, call->forwarded->channel);
	r->forwarded = f;
	r->command.is_channel_foreign = true;
}

static void refuse_by_state(struct request *r)
{
	const struct engine *e = r->engine;

	if (e->has_failed)
		request_fail(r, ERROR_CODE_STORE_FAILED, "%s", e->failure.message);
	else if (e->is_stopping)
		request_fail(r, ERROR_CODE_SHUTTING_DOWN, "the runtime is stopping");
	else if (e->rebuild)
		request_fail(r, ERROR_CODE_REBUILDING,
		             "rows that follow from the log are being made again; %llu sessions "
		             "are done",
		             (unsigned long long)e->rebuilt);
}

/*
 * The port: every command enters here.  Strings of the call are copied, because the
 * transport may reuse its buffers when this returns.  Commands that arrive before recovery
 * has listed the sessions wait, because their session might need recovery first.
 */
void request_call(struct control *c, struct control_call *call)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct request *r;
	struct id_source ids;

	if (call->forwarded && e->request_hooks->inner(e, call))
		return;
	r = request_new(e);
	ids = clock_ids(e);
	r->call = call;
	call->request = r;
	e->commands++;
	r->began_ms = e->ports.clock->ops->mono_ms(e->ports.clock);
	r->caller = (struct caller){
		.principal = arena_keep(r->mem, call->caller.principal),
		.via = arena_keep(r->mem, call->caller.via),
		.channel_id = arena_keep(r->mem, call->caller.channel_id),
		.trace = { .trace_id = arena_keep(r->mem, call->caller.trace.trace_id),
		           .parent_id = arena_keep(r->mem, call->caller.trace.parent_id),
		           .state = arena_keep(r->mem, call->caller.trace.state),
		           .is_sampled = call->caller.trace.is_sampled },
		.scopes = call->caller.scopes,
		.token = arena_keep(r->mem, call->caller.token),
		.until_ms = call->caller.until_ms,
		.reach = arena_keep(r->mem, call->caller.reach),
		.home = arena_keep(r->mem, call->caller.home),
		.directories = call->caller.directories,
		.connection = call->caller.connection,
	};
	r->command.caller = r->caller;
	r->command.request_id = id_make(r->mem, &ids, "req");
	take_forwarded(r, call);
	r->command.channel = channel_of_request(r);
	/* The node that was asked knows the caller's token; this one may not have heard of it. */
	if (!r->forwarded && !holders_is_valid(e, &r->caller))
		request_fail(r, ERROR_CODE_UNAUTHORIZED, "the token was revoked or has expired");
	else if (!r->forwarded && !holders_enter(e, &r->caller, HOLDERS_REQUEST, &r->holder))
		request_fail(r, ERROR_CODE_RATE_LIMITED,
		             "as many commands of %.*s wait as may (limits.principal_requests)",
		             STR_ARG(r->caller.principal));
	else if (read_call(r, call))
		refuse_by_state(r);
	if (!r->response.code && !is_refused_by_store(r))
		caller_ids_take(r);
	if (!r->response.code)
		evidence_access_note(r);
	if (r->response.code)
		request_reply(r);
	else if (!e->is_ready)
		list_add(&e->early, &r->node);
	else
		request_continue(r);
}

void request_start_early(struct engine *e)
{
	while (!list_is_empty(&e->early)) {
		struct request *r = LIST_ITEM(e->early.next, struct request, node);

		list_remove(&r->node);
		request_continue(r);
	}
}

/* The connection has ended.  The request continues: a command that was accepted takes effect. */
void request_forget_call(struct control *c, struct control_call *call)
{
	struct request *r = call->request;

	if (r)
		r->call = NULL;
	call->request = NULL;
}

/* ---- requests of the engine itself ---- */

static struct request *job_new(struct engine *e, struct str session_id, bool makes_session,
                               enum request_elsewhere elsewhere,
                               void (*run)(struct session *s, void *arg), void *arg)
{
	struct request *r = request_new(e);

	r->session_id = arena_keep(r->mem, session_id);
	r->makes_session = makes_session;
	r->job = (struct request_job){ run, arg, elsewhere };
	r->state = REQUEST_SESSION;
	return r;
}

void request_job(struct engine *e, struct str session_id, bool makes_session,
                 void (*run)(struct session *s, void *arg), void *arg)
{
	request_job_with(e, session_id, makes_session, ELSEWHERE_NONE, run, arg);
}

void request_job_with(struct engine *e, struct str session_id, bool makes_session,
                      enum request_elsewhere elsewhere, void (*run)(struct session *s, void *arg),
                      void *arg)
{
	request_continue(job_new(e, session_id, makes_session, elsewhere, run, arg));
}

void request_job_late(struct engine *e, struct str session_id, bool makes_session,
                      enum request_elsewhere elsewhere, void (*run)(struct session *s, void *arg),
                      void *arg)
{
	struct request *r = job_new(e, session_id, makes_session, elsewhere, run, arg);

	if (e->is_ready)
		request_continue(r);
	else
		list_add(&e->early, &r->node);
}

/* The reply of such a request reaches no caller, because `call` is NULL. */
struct request *request_own(struct engine *e, struct str session_id, enum command command)
{
	struct request *r = request_new(e);

	r->session_id = arena_keep(r->mem, session_id);
	r->state = REQUEST_SESSION;
	r->command.command = command;
	r->command.caller.principal = STR("runtime");
	r->command.body_hash = STR("");
	return r;
}
