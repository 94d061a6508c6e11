/*
 * From a face's call to a decision, and back.
 *
 * A request goes through: read and checked → the same key before? → ids that
 * the caller brought are free? → its session is live → decided → durable →
 * answered.  Each stage may have to ask the store and comes back later.
 */
#include "core/channel.h"
#include "core/decide.h"
#include "core/session.h"
#include "engine/internal.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- answers ---- */

static void request_free(struct request *r)
{
	r->engine->pending_calls--;
	r->engine->ports.clock->ops->stop(r->engine->ports.clock, &r->timer);
	list_remove(&r->all);
	world_free(r->fresh);
	arena_free(r->extra_mem);
	arena_free(r->mem);
}

/* At the very end: nobody is told, nothing calls back any more. */
void requests_free(struct engine *e)
{
	while (!list_is_empty(&e->requests))
		request_free(LIST_ITEM(e->requests.next, struct request, all));
}

void request_fail(struct request *r, enum error_code code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	r->code = code;
	r->detail = arena_keep(r->mem, str_from(text));
	r->extra = STR_NONE; /* of an answer that is not given after all */
}

/* spec: RFC 9457 — the same object on every face. */
static struct str problem_text(struct request *r)
{
	const struct error_info *info = &error_infos[r->code];
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
	JW_KOPT(&w, "detail", r->detail);
	JW_KBOOL(&w, "retryable", info->retryable);
	if (info->retryable)
		JW_KINT(&w, "retryAfterMs", 1000);
	if (r->command.command)
		JW_KSTR(&w, "command", command_classes[r->command.command].name);
	JW_KOPT(&w, "requestId", r->command.request_id);
	JW_KOPT(&w, "sessionId", r->session_id);
	if (str_is(r->extra) && json_read_own(r->mem, r->extra, &extra, NULL) == OK) {
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

static void call_done(struct request *r, struct str body)
{
	const struct error_info *info = &error_infos[r->code];
	struct control_call *call = r->call;
	struct control_answer a = {
		.code = r->code,
		.http = r->code   ? info->http
		        : r->http ? r->http
		                  : 200,
		.jsonrpc = r->code ? info->jsonrpc : 0,
		.title = r->code ? info->title : STR_NONE,
		.body = body,
		.is_replay = r->is_replay,
		.retry_after_ms = r->code && info->retryable ? 1000 : 0,
	};

	if (!call)
		return;
	r->call = NULL;
	call->request = NULL;
	call->done(call, &a);
}

static void release_ids(struct request *r);
static void check_key(struct request *r);

void request_answer(struct request *r)
{
	struct str body;

	if (r->code) {
		r->engine->refusals++;
		body = problem_text(r);
	} else {
		body = str_is(r->reply) ? r->reply : STR("{}");
	}
	if (r->has_key && map_get(&r->engine->in_flight, r->key_text) == r)
		map_remove(&r->engine->in_flight, r->key_text);
	release_ids(r);
	/* Whoever asked the same meanwhile gets the same. */
	while (!list_is_empty(&r->joined)) {
		struct request *other = LIST_ITEM(r->joined.next, struct request, node);

		list_remove(&other->node);
		/* A refused command has left its key free: another one is looked at by itself. */
		if (r->code && !sha256_eq(&other->body, &r->body)) {
			check_key(other);
			continue;
		}
		if (sha256_eq(&other->body, &r->body)) {
			other->code = r->code;
			other->detail = arena_keep(other->mem, r->detail);
			other->extra = arena_keep(other->mem, r->extra);
			other->reply = arena_keep(other->mem, r->reply);
			other->session_id = arena_keep(other->mem, r->session_id);
			other->http = r->http;
			other->is_replay = !r->code;
		} else {
			request_fail(other, ERROR_CODE_IDEMPOTENCY_CONFLICT,
			             "this key was used with another request");
		}
		request_answer(other);
	}
	call_done(r, body);
	request_free(r);
}

void request_durable(struct request *r)
{
	void (*then)(struct request * r) = r->then;

	r->then = NULL;
	if (then) {
		then(r);
	} else if (r->is_again) {
		r->is_again = false;
		request_ready(r);
	} else {
		request_answer(r);
	}
}

void request_wait(struct request *r)
{
	struct session *s = r->session;

	if (!s || s->state != SESSION_LIVE || s->applied <= s->durable) {
		request_durable(r);
		return;
	}
	r->wait_seq = s->applied;
	list_add(&s->waiting, &r->node);
}

/* ---- deciding ---- */

/* The reply says how far the session's log goes: its caller can follow from there. */
static struct str with_sequence(struct request *r, struct str reply, uint64_t seq)
{
	if (!str_is(reply))
		reply = STR("{}");
	return arena_printf(r->mem, "%.*s%s\"sequence\":%llu}", (int)reply.len - 1, reply.ptr,
	                    reply.len > 2 ? "," : "", (unsigned long long)seq);
}

static void keep_idempotency(struct request *r)
{
	struct pending_slice *p;
	struct idem_row *row;
	struct arena *mem;

	if (!r->has_key || !r->session || !r->session->slice)
		return;
	p = r->session->slice;
	mem = r->engine->filling->mem;
	row = ARENA_NEW(mem, struct idem_row);
	*row = (struct idem_row){
		.next = p->slice.idem,
		.key = r->key,
		.body = r->body,
		.reply = arena_keep(mem, r->reply),
		.seq = r->session->applied,
		.at = time_steady(r->engine),
	};
	p->slice.idem = row;
}

void request_keep(struct request *r)
{
	r->reply = with_sequence(r, r->reply, r->session ? r->session->applied : 0);
	keep_idempotency(r);
}

static void decide(struct request *r)
{
	struct session *s = r->session;
	struct outcome *d;
	enum error_code refusal;

	if (r->command.command == COMMAND_RECONNECT_CHANNEL && !channel_adopt(r, r->args)) {
		request_fail(
			r, ERROR_CODE_CHANNEL_NOT_FOUND,
			"the resume token does not fit, or the channel is connected elsewhere");
		request_wait(r);
		return;
	}
	/* The connection may have left while the store was asked. */
	r->command.channel = channel_of(r->engine, r->caller.channel_id);
	d = run_begin(s, &r->command);
	d->recalled = r->recalled;
	d->recalled_count = r->recalled_count;
	d->foreign = r->foreign;
	d->point = r->point;
	d->item_count = r->item_count;
	d->item = r->item;
	if (!decide_command(d, r->command.command, r->args)) {
		request_fail(r, ERROR_CODE_UNAVAILABLE, "this build does not offer it yet");
		arena_reset(r->engine->scratch);
		request_answer(r);
		return;
	}
	refusal = d->refusal;
	if (!refusal && d->count) {
		channel_bind(d);
		channel_bound(r->engine, r->caller.channel_id, s);
	}
	r->code = refusal;
	r->detail = arena_keep(r->mem, d->detail);
	r->extra = arena_keep(r->mem, d->extra);
	r->reply = arena_keep(r->mem, d->reply);
	if (!refusal && d->beat.until)
		lease_set(&s->leases, str_from(d->beat.run_id), d->beat.until);
	run_end(s, d);
	if (refusal && r->is_picking) {
		/* Somebody was faster; the next one may do. */
		if (claim_next(r))
			request_find_session(r);
		return;
	}
	if (!refusal && r->command.command == COMMAND_RECONNECT_CHANNEL)
		r->reply = arena_printf(r->mem, "%.*s,\"resumeToken\":\"%.*s\"}",
		                        (int)r->reply.len - 1, r->reply.ptr,
		                        STR_ARG(channel_token(r->engine, r->caller.channel_id)));
	if (!refusal) {
		request_keep(r);
		process_after(r);
	} else {
		process_refused(r);
	}
	if (refusal == ERROR_CODE_ACTION_NOT_FOUND &&
	    r->command.command == COMMAND_RESPOND_ACTION) {
		refuse_answer(r);
		return;
	}
	if (r->command.command == COMMAND_SUBMIT_TURN)
		r->http = 202;
	/* A session that this refused command would have made does not exist. */
	if (refusal && s->is_new && !s->applied) {
		r->session = NULL;
		session_drop(s, refusal, "");
		session_free(s);
		request_answer(r);
		return;
	}
	request_wait(r);
}

/* ---- its session ---- */

void request_ready(struct request *r)
{
	if (r->job) {
		r->job(r->session, r->job_arg);
		request_free(r);
		return;
	}
	/* Somebody is about to make it; until then it is not there. */
	if (command_classes[r->command.command].target == TARGET_SESSION && !r->session->applied) {
		request_fail(r, ERROR_CODE_SESSION_NOT_FOUND, "there is no session %.*s",
		             STR_ARG(r->session_id));
		request_answer(r);
		return;
	}
	if (r->command.command == COMMAND_SUBMIT_TURN ||
	    r->command.command == COMMAND_GET_CAPABILITIES ||
	    r->command.command == COMMAND_LIST_MODELS)
		engine_look_for_keys(r->engine);
	if (directory_before(r) || read_command(r) || process_before(r) || request_recall(r) ||
	    request_find_turn(r) || inputs_before(r) || jobs_count(r) || context_before(r))
		return;
	time_align(r->session);
	r->session->picture = r->picture;
	decide(r);
}

void request_missing(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];

	/* Of several that waited for it, the first makes it and the others find it. */
	r->session = session_find(r->engine, r->session_id);
	if (r->session) {
		request_ready(r);
		return;
	}
	if ((class->target == TARGET_SESSION_NEW || r->job) && r->create_session) {
		r->session = session_make(r->engine, r->session_id, true);
		request_ready(r);
		return;
	}
	if (r->job) {
		r->job(NULL, r->job_arg);
		request_free(r);
		return;
	}
	request_fail(r, ERROR_CODE_SESSION_NOT_FOUND, "there is no session %.*s",
	             STR_ARG(r->session_id));
	request_answer(r);
}

static void find_session(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];

	if (r->command.command == COMMAND_CLAIM_TASK && !r->job) {
		if (!claim_begin(r))
			request_find_session(r);
	} else if (!r->job &&
	           (class->target == TARGET_RUNTIME ||
	            (class->target == TARGET_SESSION_OR_ALL && !str_is(r->session_id)))) {
		request_ready(r);
	} else {
		request_find_session(r);
	}
}

void request_find_session(struct request *r)
{
	struct engine *e = r->engine;

	/* A grant that reaches beyond a session is the system's to take back. */
	if (r->command.command == COMMAND_REVOKE_GRANT && !str_is(r->session_id))
		r->session_id = STR("sess_system");
	if (!str_is(r->session_id)) {
		uint8_t entropy[16];
		struct id_source src;

		e->ports.clock->ops->entropy(e->ports.clock, entropy);
		id_source_init(&src, e->ports.clock->ops->wall_ms(e->ports.clock), entropy);
		r->session_id = id_make(r->mem, &src, "sess");
		r->session = session_make(e, r->session_id, true);
		request_ready(r);
		return;
	}
	r->session = session_find(e, r->session_id);
	if (!r->session) {
		r->session = session_make(e, r->session_id, false);
		list_add(&r->session->arriving, &r->node);
		session_load(r->session);
	} else if (r->session->state == SESSION_LOADING) {
		unsigned waiting = 0;

		LIST_EACH (&r->session->arriving, node)
			waiting++;
		if (waiting >= LIMIT_SESSION_WAITING_COMMANDS) {
			request_fail(r, ERROR_CODE_OVERLOADED, "the session is being loaded");
			request_answer(r);
			return;
		}
		list_add(&r->session->arriving, &r->node);
	} else {
		request_ready(r);
	}
}

void request_again(struct request *r)
{
	r->session = NULL;
	find_session(r);
}

/* ---- ids that the caller brought ---- */

static void check_ids(struct request *r);

static void release_id(struct request *r, size_t at)
{
	if (r->holds_id[at] && map_get(&r->engine->bringing, r->new_ids[at]) == r)
		map_remove(&r->engine->bringing, r->new_ids[at]);
	r->holds_id[at] = false;
}

/* Whoever waited for one of them looks again. */
static void wake_behind(struct request *r)
{
	struct list woken;

	list_init(&woken);
	while (!list_is_empty(&r->behind)) {
		struct list *node = r->behind.next;

		list_remove(node);
		list_add(&woken, node);
	}
	while (!list_is_empty(&woken)) {
		struct request *other = LIST_ITEM(woken.next, struct request, node);

		list_remove(&other->node);
		check_ids(other);
	}
}

static void release_ids(struct request *r)
{
	for (size_t i = 0; i < r->new_id_count; i++)
		release_id(r, i);
	wake_behind(r);
}

/* Neither found nor missing: nothing may be decided on that. */
static bool read_failed(struct store_read *read)
{
	struct request *r = read->owner;

	if (read->result == OK || read->result == ERR_NOT_FOUND)
		return false;
	damage_of(r->engine, read);
	request_fail(r, damage_code(read), "%s", read->error.message);
	store_read_done(read);
	request_answer(r);
	return true;
}

static void id_read(struct store_read *read)
{
	struct request *r = read->owner;
	bool is_taken = read->result == OK && read->row_count > 0;
	struct str kind = is_taken ? arena_keep(r->mem, read->rows[0].status) : STR_NONE;
	struct str where = is_taken ? arena_keep(r->mem, read->rows[0].session) : STR_NONE;
	const char *wanted = r->new_id_kinds[r->new_id_at];

	if (read_failed(read))
		return;
	store_read_done(read);
	if (!is_taken) {
		r->new_id_at++;
		check_ids(r);
		return;
	}
	/* A session or thread that is there already is simply used. */
	bool is_same = str_eq(kind, str_from(wanted)) &&
	               (!str_is(r->session_id) || str_eq(where, r->session_id));

	if (is_same && str_eq(kind, STR("session")) &&
	    r->command.command != COMMAND_CREATE_SESSION) {
		r->new_id_at++;
		check_ids(r);
		return;
	}
	if (is_same && str_eq(kind, STR("thread"))) {
		r->session_id = where;
		release_id(r, r->new_id_at);
		wake_behind(r);
		r->new_id_at++;
		check_ids(r);
		return;
	}
	request_fail(r, ERROR_CODE_ID_CONFLICT, "%.*s names a %.*s already",
	             STR_ARG(r->new_ids[r->new_id_at]), STR_ARG(kind));
	request_answer(r);
}

static void check_ids(struct request *r)
{
	if (r->new_id_at == r->new_id_count) {
		find_session(r);
		return;
	}
	/* Two that bring the same new id at the same moment: the second waits for the first. */
	if (strcmp(r->new_id_kinds[r->new_id_at], "session") != 0) {
		struct request *holder = map_get(&r->engine->bringing, r->new_ids[r->new_id_at]);

		if (holder && holder != r) {
			/* With empty hands, so that two of them never wait for each other. */
			list_add(&holder->behind, &r->node);
			r->new_id_at = 0;
			release_ids(r);
			return;
		}
		map_put(&r->engine->bringing, r->new_ids[r->new_id_at], r);
		r->holds_id[r->new_id_at] = true;
	}
	r->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_ID,
		                       .key = r->new_ids[r->new_id_at],
		                       .done = id_read,
		                       .owner = r };
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

static bool is_reserved(struct str id)
{
	return str_starts(id, STR("catalog_")) || str_starts(id, STR("sess_system")) ||
	       str_starts(id, STR("sess_node_")) || str_starts(id, STR("thr_system")) ||
	       str_starts(id, STR("thr_node_"));
}

static bool brings_id(struct request *r, struct str id, const char *kind)
{
	if (!str_is(id))
		return true;
	if (is_reserved(id)) {
		request_fail(r, ERROR_CODE_RESERVED_ID, "%.*s is reserved", STR_ARG(id));
		return false;
	}
	r->new_ids[r->new_id_count] = id;
	r->new_id_kinds[r->new_id_count++] = kind;
	return true;
}

static bool brought_ids(struct request *r)
{
	if (r->command.command == COMMAND_SUBMIT_TURN) {
		const struct cmd_submit_turn *c = r->args;

		r->create_session = c->create != CREATE_POLICY_NEVER;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->turn_id, "turn") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_CREATE_TASK) {
		const struct cmd_create_task *c = r->args;

		r->create_session = c->create != CREATE_POLICY_NEVER;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->task_id, "task") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_CREATE_JOB) {
		const struct cmd_create_job *c = r->args;

		r->create_session = true;
		return brings_id(r, c->session_id, "session") && brings_id(r, c->job_id, "job");
	}
	if (r->command.command == COMMAND_CREATE_SCHEDULE) {
		const struct cmd_create_schedule *c = r->args;

		r->create_session = true;
		return brings_id(r, c->session_id, "session") &&
		       brings_id(r, c->schedule_id, "schedule");
	}
	if (r->command.command == COMMAND_CREATE_SESSION) {
		const struct cmd_create_session *c = r->args;

		r->create_session = true;
		return brings_id(r, c->session_id, "session") &&
		       brings_id(r, c->thread_id, "thread");
	}
	if (r->command.command == COMMAND_FORK_THREAD)
		return brings_id(r, ((const struct cmd_fork_thread *)r->args)->new_thread_id,
		                 "thread");
	return true;
}

/* ---- the same key before? ---- */

static void idem_read(struct store_read *read)
{
	struct request *r = read->owner;

	if (read->result == OK) {
		bool is_same = sha256_eq(&read->idem.body, &r->body);

		r->reply = arena_keep(r->mem, read->idem.reply);
		store_read_done(read);
		r->is_replay = is_same;
		if (!is_same)
			request_fail(r, ERROR_CODE_IDEMPOTENCY_CONFLICT,
			             "this key was used with another request");
		else if (r->command.command == COMMAND_SUBMIT_TURN)
			r->http = 202;
		request_answer(r);
		return;
	}
	if (read_failed(read))
		return;
	store_read_done(read);
	check_ids(r);
}

static void check_key(struct request *r)
{
	struct request *first;

	if (!r->has_key) {
		check_ids(r);
		return;
	}
	first = map_get(&r->engine->in_flight, r->key_text);
	if (first) {
		list_add(&first->joined, &r->node);
		return;
	}
	map_put(&r->engine->in_flight, r->key_text, r);
	r->read = (struct store_read){
		.kind = READ_IDEM, .idem_key = r->key, .done = idem_read, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* spec: contracts/control-plane#idempotency — keys are per principal and command. */
static void take_key(struct request *r, struct str key)
{
	struct str name = command_classes[r->command.command].name;

	/* A caller's turn id makes the submission as unique as a key does. */
	if (!str_is(key) && r->command.command == COMMAND_SUBMIT_TURN &&
	    str_is(((struct cmd_submit_turn *)r->args)->turn_id))
		key = arena_printf(r->mem, "turn:%.*s",
		                   STR_ARG(((struct cmd_submit_turn *)r->args)->turn_id));
	if (!str_is(key))
		return;
	r->has_key = true;
	r->key = sha256_of(arena_printf(r->mem, "%.*s\n%.*s\n%.*s", STR_ARG(r->caller.principal),
	                                STR_ARG(name), STR_ARG(key)));
	r->key_text = sha256_hex(r->mem, &r->key);
	r->command.key_hash = r->key_text;
}

/* ---- reading the call ---- */

static struct str str_arg(const struct request *r, struct str name)
{
	const struct rec_desc *d = command_classes[r->command.command].args;

	for (uint32_t i = 0; i < d->count; i++)
		if (str_eq(d->fields[i].name, name))
			return *(struct str *)((char *)r->args + d->fields[i].offset);
	return STR_NONE;
}

/* What a phone starts runs where the operator started the runtime, not where the phone says. */
static bool is_elsewhere(const struct request *r)
{
	struct str cwd = str_arg(r, STR("cwd"));

	return str_is(cwd) && str_starts(r->caller.principal, STR("device:")) &&
	       !str_eq(cwd, r->engine->setup.cwd);
}

static bool read_call(struct request *r, const struct control_call *call)
{
	const struct command_class *class;
	struct error err = { 0 };
	struct json params;
	enum err code;

	r->command.command = command_find(call->command);
	if (!r->command.command) {
		request_fail(r, ERROR_CODE_UNKNOWN_COMMAND, "there is no command %.*s",
		             STR_ARG(call->command));
		return false;
	}
	class = &command_classes[r->command.command];
	if (!(r->caller.scopes & SCOPE_BIT(class->scope))) {
		request_fail(r, ERROR_CODE_FORBIDDEN, "%.*s needs the scope %.*s",
		             STR_ARG(class->name), STR_ARG(scope_word(class->scope)));
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
		request_fail(r, code_of_fault(&err), "%s", err.message);
		return false;
	}
	if (is_elsewhere(r)) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "a paired device works in the runtime's own directory only");
		return false;
	}
	r->body = sha256_of(json_canonical(r->mem, params));
	r->command.body_hash = sha256_hex(r->mem, &r->body);
	r->session_id = str_arg(r, STR("sessionId"));
	if (class->mutates)
		take_key(r, str_is(call->key) ? arena_keep(r->mem, call->key)
		                              : str_arg(r, STR("idempotencyKey")));
	return true;
}

/* When little can be written, only what ends things is taken. */
static bool ends_something(const struct request *r)
{
	return r->command.command == COMMAND_INTERRUPT_TURN ||
	       r->command.command == COMMAND_RESPOND_ACTION ||
	       r->command.command == COMMAND_TERMINATE_PROCESS ||
	       r->command.command == COMMAND_REMOVE_QUEUED_TURN;
}

static bool is_refused_by_disk(struct request *r)
{
	if (!command_classes[r->command.command].mutates)
		return false;
	if (r->engine->settings.reads_only)
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "this runtime only reads (store.read_only)");
	if (r->code || ends_something(r))
		return r->code;
	if (r->engine->is_full)
		request_fail(r, ERROR_CODE_STORAGE_FULL, "no space left in the data directory");
	else if (pressure_refuses(r->engine))
		request_fail(r, ERROR_CODE_OVERLOADED, "the disk does not keep up");
	return r->code;
}

void dispatch_call(struct control *c, struct control_call *call)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct arena *mem = arena_new();
	struct request *r = ARENA_NEW(mem, struct request);
	uint8_t entropy[16];
	struct id_source src;

	r->engine = e;
	r->mem = mem;
	r->call = call;
	call->request = r;
	list_init(&r->node);
	list_init(&r->joined);
	list_init(&r->behind);
	e->pending_calls++;
	list_add(&e->requests, &r->all);
	e->commands++;
	r->caller = (struct caller){
		.principal = arena_keep(mem, call->caller.principal),
		.via = arena_keep(mem, call->caller.via),
		.channel_id = arena_keep(mem, call->caller.channel_id),
		.scopes = call->caller.scopes,
	};
	e->ports.clock->ops->entropy(e->ports.clock, entropy);
	id_source_init(&src, e->ports.clock->ops->wall_ms(e->ports.clock), entropy);
	r->command.caller = r->caller;
	r->command.request_id = id_make(mem, &src, "req");
	r->command.trace_id = arena_keep(mem, call->caller.trace_id);
	r->command.channel = channel_of(e, r->caller.channel_id);
	if (!read_call(r, call))
		;
	else if (e->has_failed)
		request_fail(r, ERROR_CODE_STORE_FAILED, "%s", e->failure.message);
	else if (e->is_stopping)
		request_fail(r, ERROR_CODE_SHUTTING_DOWN, "the runtime is stopping");
	else if (e->rebuild)
		request_fail(r, ERROR_CODE_REBUILDING,
		             "rows that follow from the log are being made again; %llu sessions "
		             "are done",
		             (unsigned long long)e->rebuilt);
	else if (!is_refused_by_disk(r))
		brought_ids(r);
	if (r->code)
		request_answer(r);
	else if (!e->is_ready)
		list_add(&e->early, &r->node);
	else
		check_key(r);
}

/* What came before the runtime was ready goes on, in order. */
void dispatch_early(struct engine *e)
{
	while (!list_is_empty(&e->early)) {
		struct request *r = LIST_ITEM(e->early.next, struct request, node);

		list_remove(&r->node);
		if (r->job)
			find_session(r);
		else
			check_key(r);
	}
}

void dispatch_forget(struct control *c, struct control_call *call)
{
	struct request *r = call->request;

	if (r)
		r->call = NULL;
	call->request = NULL;
}

static struct request *request_new(struct engine *e, struct str session_id)
{
	struct arena *mem = arena_new();
	struct request *r = ARENA_NEW(mem, struct request);

	r->engine = e;
	r->mem = mem;
	list_init(&r->node);
	list_init(&r->joined);
	list_init(&r->behind);
	r->session_id = arena_keep(mem, session_id);
	e->pending_calls++;
	list_add(&e->requests, &r->all);
	return r;
}

void request_job(struct engine *e, struct str session_id, bool create,
                 void (*job)(struct session *s, void *arg), void *arg)
{
	struct request *r = request_new(e, session_id);

	r->create_session = create;
	r->job = job;
	r->job_arg = arg;
	find_session(r);
}

void request_job_late(struct engine *e, struct str session_id, bool create,
                      void (*job)(struct session *s, void *arg), void *arg)
{
	struct request *r;

	if (e->is_ready) {
		request_job(e, session_id, create, job, arg);
		return;
	}
	r = request_new(e, session_id);
	r->create_session = create;
	r->job = job;
	r->job_arg = arg;
	list_add(&e->early, &r->node);
}

struct request *request_own(struct engine *e, struct str session_id, enum command command)
{
	struct request *r = request_new(e, session_id);

	r->command.command = command;
	r->command.caller.principal = STR("runtime");
	r->command.body_hash = STR("");
	return r;
}
