/*
 * Effects: what touches the world outside, begun when the fact that
 * authorises it is durable, and accounted for until it has ended.
 *
 * "An open fact without a live effect" is the whole of recovery; here the
 * other half is kept: no live effect without an open fact.
 */
#include "base/utf8.h"
#include "core/assemble.h"
#include "core/compact.h"
#include "core/hook.h"
#include "engine/internal.h"

#include <stdlib.h>

/* Output up to this size stands in the result itself; more goes to a blob. */
#define INLINE_OUTPUT 4096

struct effect_run {
	struct list node; /* in its session */
	struct list all;  /* in the engine */
	struct session *session;
	struct engine *engine;
	enum effect kind;
	uint64_t seq;
	struct arena *mem;
	struct str turn_id, object_id, thread_id;

	/* a model request */
	struct provider *provider;
	struct model_handle *model;
	struct assembly assembly;
	struct store_read read;
	uint64_t read_from, read_until;
	uint64_t types[4];
	size_t fetching; /* which text is being fetched */
	bool is_finished; /* the conversation is in the form in which it is sent */
	bool is_summary;
	struct list_str summed; /* the turns that are summed up */
	size_t summary_bytes;
	struct str wish;
	struct model_request request;
	struct buf pieces; /* text that waits for its window */
	enum model_piece piece_kind;
	int64_t chunks;
	bool has_sent;       /* the first piece went out */
	bool window_is_open; /* later ones gather */
	unsigned paused; /* enum pause: all that it waits for */
	bool is_held;    /* due, and to begin when there is room on the disk */
	struct clock_timer window;

	/* a tool call */
	struct toolset *toolset;
	struct tool_handle *tool;
	struct buf output;
	struct blob_writer *writer;
	struct str output_ref, args;
	struct tool_end end;
	int64_t output_bytes;
	int64_t told_bytes, untold_chunks; /* of a command: what process.output has not said yet */
	bool is_running, is_binary;
	bool is_cancelling, has_ended;
	struct clock_timer patience, tick;
	struct arena *end_mem;

	/* a hook */
	struct hook_handle *hook;
};

static void free_run(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	list_remove(&x->node);
	list_remove(&x->all);
	c->ops->stop(c, &x->window);
	c->ops->stop(c, &x->patience);
	c->ops->stop(c, &x->tick);
	assembly_done(&x->assembly);
	buf_done(&x->pieces);
	buf_done(&x->output);
	x->engine->live_effects--;
	arena_free(x->end_mem);
	arena_free(x->mem);
}

/* A read of the store is on its way and will come back to this run: mark it, free it there. */
static bool is_waiting_for_store(const struct effect_run *x)
{
	return x->read.owner == x;
}

static void end_run(struct effect_run *x)
{
	if (is_waiting_for_store(x)) {
		list_remove(&x->node);
		x->session = NULL;
		return;
	}
	free_run(x);
}

/* ---- pausing ---- */

enum pause {
	PAUSE_BUFFER = 1, /* what it brought is not written yet */
	PAUSE_DISK = 2,   /* nothing is, of anybody */
};

static void pause_run(struct effect_run *x, enum pause why)
{
	bool was_paused = x->paused;

	x->paused |= why;
	if (was_paused)
		return;
	if (x->model)
		x->provider->ops->pause(x->provider, x->model);
	else if (x->tool)
		x->toolset->ops->pause(x->toolset, x->tool);
}

static void resume_run(struct effect_run *x, enum pause why)
{
	bool was_paused = x->paused;

	x->paused &= ~(unsigned)why;
	if (!was_paused || x->paused)
		return;
	if (x->model)
		x->provider->ops->resume(x->provider, x->model);
	else if (x->tool)
		x->toolset->ops->resume(x->toolset, x->tool);
}

void effects_press(struct engine *e, bool is_pressed)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->model && !x->tool)
			continue;
		if (is_pressed)
			pause_run(x, PAUSE_DISK);
		else
			resume_run(x, PAUSE_DISK);
	}
}

/* ---- models: pieces ---- */

static enum input_piece piece_of(enum model_piece kind)
{
	return kind == PIECE_TEXT ? INPUT_TEXT : kind == PIECE_REASONING ? INPUT_REASONING :
	                                                                   INPUT_TOOL_ARGS;
}

static void open_window(struct effect_run *x);

/* One event per 16 KiB at most, and no character cut in two, whatever the provider did. */
static void flush_pieces(struct effect_run *x, bool is_end)
{
	struct str text = buf_str(&x->pieces);
	size_t kept = is_end ? 0 : utf8_unfinished(text);

	text.len -= kept;
	if (!text.len)
		return;
	x->has_sent = true;
	while (text.len) {
		struct str part = utf8_head(text, LIMIT_DELTA_BYTES);
		struct outcome *d = run_begin(x->session, NULL);

		/* Bytes that are no character at all are cut where the bound is. */
		if (!part.len)
			part = str_head(text, LIMIT_DELTA_BYTES);
		input_model_pieces(d, x->turn_id, x->object_id, piece_of(x->piece_kind),
		                   arena_keep(d->mem, part), MAX(x->chunks, 1));
		x->chunks = 0;
		text = str_skip(text, part.len);
		run_end(x->session, d);
	}
	buf_drop(&x->pieces, x->pieces.len - kept);
}

static void on_window(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, window);

	x->window_is_open = false;
	/* While a commit is on its way the bytes wait for it; effects_durable() goes on. */
	if (x->session->in_flight || x->session->slice)
		return;
	if (x->pieces.len) {
		flush_pieces(x, false);
		open_window(x);
	}
}

static void open_window(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	x->window_is_open = true;
	x->window.fire = on_window;
	c->ops->start(c, &x->window, x->engine->settings.delta_window_ms);
}

static void on_piece(void *owner, enum model_piece kind, struct str text)
{
	struct effect_run *x = owner;

	if (kind == PIECE_TOOL_ARGS)
		return;
	if (x->is_summary) {
		/* Nobody watches it grow: it is published whole. */
		if (kind == PIECE_TEXT && x->pieces.len + text.len <= LIMIT_SUMMARY_BYTES)
			buf_add_str(&x->pieces, text);
		return;
	}
	if (x->pieces.len && kind != x->piece_kind)
		flush_pieces(x, true);
	x->piece_kind = kind;
	buf_add_str(&x->pieces, text);
	x->chunks++;
	if (!x->has_sent) {
		flush_pieces(x, false);
		open_window(x);
	} else if (x->pieces.len >= LIMIT_DELTA_BYTES && !x->session->in_flight) {
		flush_pieces(x, false);
	} else if (!x->window_is_open && !x->session->in_flight && !x->session->slice) {
		flush_pieces(x, false);
		open_window(x);
	}
	if (x->pieces.len >= LIMIT_STREAM_BUFFER_BYTES)
		pause_run(x, PAUSE_BUFFER);
}

/* Valid text, whatever came. */
static struct str utf8_part(struct arena *mem, struct str text)
{
	return arena_keep(mem, utf8_is_valid(text) ? text : STR(""));
}

/* The tightest of them speaks for all. */
static struct input_limits limits_of(const struct model_end *end)
{
	struct input_limits tight = { -1, -1, -1 };

	for (size_t i = 0; i < end->limit_count; i++) {
		const struct model_limit *l = &end->limits[i];

		if (l->limit <= 0 || l->remaining < 0 ||
		    (tight.limit > 0 && tight.left * 100 / tight.limit <= l->remaining * 100 / l->limit))
			continue;
		tight = (struct input_limits){ l->limit, l->remaining, l->reset_ms };
	}
	return tight;
}

static void on_model_end(void *owner, const struct model_end *end)
{
	static const enum stop_reason stops[] = {
		[STOP_END_TURN] = STOP_REASON_END_TURN,     [STOP_TOOL_USE] = STOP_REASON_TOOL_USE,
		[STOP_MAX_TOKENS] = STOP_REASON_MAX_TOKENS, [STOP_SEQUENCE] = STOP_REASON_STOP_SEQUENCE,
		[STOP_REFUSAL] = STOP_REASON_REFUSAL,       [STOP_CONTEXT_FULL] = STOP_REASON_CONTEXT_FULL,
	};
	struct effect_run *x = owner;
	struct session *s = x->session;
	struct input_call *calls;
	struct outcome *d;
	enum error_category category = enum_read(&enum_error_category, end->category);

	if (!x->is_summary)
		flush_pieces(x, true);
	d = run_begin(s, NULL);
	calls = ARENA_ARRAY(d->mem, struct input_call, end->call_count + 1);
	for (size_t i = 0; i < end->call_count; i++)
		calls[i] = (struct input_call){ end->calls[i].call_id, end->calls[i].name,
			                        end->calls[i].args };
	input_model_end(d, x->turn_id, x->object_id,
	                &(struct input_model_end){
				.failed = end->failed,
				.stop = stops[end->stop],
				.native_stop = end->native_stop,
				.calls = calls,
				.call_count = end->call_count,
				.reasoning_summary = end->reasoning_summary,
				.text = x->is_summary ? utf8_part(d->mem, buf_str(&x->pieces)) :
				                        STR_NONE,
				.state = end->state,
				.category = category ? category : ERROR_CATEGORY_UNKNOWN,
				.message = end->message,
				.http_status = end->http_status,
				.retryable = end->retryable,
				.retry_after_ms = end->retry_after_ms,
				.usage_known = end->usage.known,
				.input_tokens = end->usage.input,
				.cached_tokens = end->usage.cached_input,
				.cache_written_tokens = end->usage.cache_written,
				.output_tokens = end->usage.output,
				.reasoning_tokens = end->usage.reasoning,
				.raw = end->raw,
				.bytes_received = end->bytes_received,
				.limits = limits_of(end),
			});
	x->model = NULL;
	end_run(x);
	run_end(s, d);
}

static const struct model_sink model_sink = { on_piece, on_model_end };

/* ---- models: the request ---- */

/* One provider may speak for several by name. */
static struct provider *provider_of(struct engine *e, struct str provider, struct str model)
{
	for (size_t i = 0; i < e->ports.provider_count; i++) {
		struct provider *p = e->ports.providers[i];
		const struct model_info *infos;
		size_t count = p->ops->models(p, &infos);

		for (size_t n = 0; n < count; n++)
			if (str_eq(infos[n].provider, provider) && str_eq(infos[n].model, model))
				return p;
	}
	return NULL;
}

static void send_request(struct effect_run *x)
{
	struct engine *e = x->engine;
	struct message *messages = ARENA_ARRAY(x->mem, struct message, x->assembly.count + 1);
	struct tool_spec *tools = ARENA_ARRAY(x->mem, struct tool_spec, e->setup.tool_count + 1);
	struct st_turn *t = world_turn(x->session->world, x->turn_id, NULL);
	static const enum message_role roles[] = { [TALK_SYSTEM] = ROLE_SYSTEM,
		                                   [TALK_USER] = ROLE_USER,
		                                   [TALK_ASSISTANT] = ROLE_ASSISTANT,
		                                   [TALK_TOOL] = ROLE_TOOL };

	/* Closed while the conversation was read: the fact is applied, perhaps not durable yet. */
	if (!t || !str_is(t->model_request_id) || !str_eq(t->model_request_id, x->object_id)) {
		end_run(x);
		return;
	}
	for (size_t i = 0; i < x->assembly.count; i++) {
		const struct talk *talk = x->assembly.talks[i];
		struct message *m = &messages[i];

		*m = (struct message){ .role = roles[talk->role],   .text = talk->text,
			               .turn_id = talk->turn_id,    .call_id = talk->call_id,
			               .tool_name = talk->tool_name, .is_error = talk->is_error,
			               .call_count = talk->call_count, .state = talk->state };
		m->calls = ARENA_ARRAY(x->mem, struct model_call_part, talk->call_count + 1);
		for (size_t n = 0; n < talk->call_count; n++)
			m->calls[n] = (struct model_call_part){ talk->calls[n].call_id,
				                                talk->calls[n].name,
				                                talk->calls[n].args };
	}
	for (size_t i = 0; i < e->setup.tool_count; i++)
		tools[i] = (struct tool_spec){ e->setup.tools[i].name, e->setup.tools[i].description,
			                       e->setup.tools[i].input_schema };
	x->request = (struct model_request){
		.request_id = x->object_id,
		.session_id = arena_keep(x->mem, x->session->id),
		.thread_id = x->thread_id,
		.turn_id = x->turn_id,
		.provider = arena_keep(x->mem, t->provider),
		.model = arena_keep(x->mem, t->model),
		.messages = messages,
		.message_count = x->assembly.count,
		.tools = tools,
		.tool_count = x->is_summary ? 0 : e->setup.tool_count,
		.is_summary = x->is_summary,
		.turn_number = (uint32_t)t->user_turn,
		.request_number = (uint32_t)MAX(t->request_number, 1),
		.attempt = (uint32_t)t->attempt,
		.output_schema = arena_keep(x->mem, t->output_schema),
	};
	if (str_is(t->trace_id) && str_is(t->span_id))
		x->request.trace_parent = arena_printf(x->mem, "00-%.*s-%.*s-01",
		                                       STR_ARG(t->trace_id), STR_ARG(t->span_id));
	for (size_t i = 0; i < e->setup.model_count; i++)
		if (str_eq(e->setup.models[i].provider, t->provider) &&
		    str_eq(e->setup.models[i].model, t->model))
			x->request.max_output_tokens = e->setup.models[i].max_output_tokens;
	x->provider = provider_of(e, t->provider, t->model);
	if (!x->provider) {
		on_model_end(x, &(struct model_end){ .failed = true, .category = STR("unavailable"),
			                             .message = STR("the provider is not configured"),
			                             .retry_after_ms = -1 });
		return;
	}
	x->model = x->provider->ops->start(x->provider, &x->request, &model_sink, x);
	if (x->engine->is_pressed)
		pause_run(x, PAUSE_DISK);
}

static void fetch_texts(struct effect_run *x);

/* The session went away, or the turn was stopped, while the store was asked. */
static bool came_too_late(struct effect_run *x)
{
	x->read.owner = NULL;
	if (x->session)
		return false;
	free_run(x);
	return true;
}

/* A model that is sent half of a conversation answers another question. */
static bool is_unreadable(const struct store_read *r)
{
	return r->result != OK && r->result != ERR_NOT_FOUND;
}

static void give_up(struct effect_run *x)
{
	on_model_end(x, &(struct model_end){ .failed = true, .category = STR("internal"),
		                             .message = STR("the conversation cannot be read"),
		                             .retry_after_ms = -1 });
}

/* The first call of an answer whose arguments stand behind a ref. */
static struct talk_call *call_to_fetch(struct talk *t)
{
	for (size_t i = 0; i < t->call_count; i++)
		if (!str_is(t->calls[i].args) && str_is(t->calls[i].args_ref))
			return &t->calls[i];
	return NULL;
}

static void call_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct talk_call *c = call_to_fetch(x->assembly.talks[x->fetching]);
	bool failed = is_unreadable(r);

	c->args = r->result == OK ? arena_keep(x->mem, r->blob.data) : STR("{}");
	store_read_done(r);
	if (came_too_late(x))
		return;
	if (failed)
		give_up(x);
	else
		fetch_texts(x);
}

static void text_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct talk *t = x->assembly.talks[x->fetching];
	bool failed = is_unreadable(r);

	if (r->result == OK)
		t->text = t->ref_is_input ? input_text(x->mem, r->blob.data) :
		                            arena_keep(x->mem, r->blob.data);
	store_read_done(r);
	if (came_too_late(x))
		return;
	if (failed) {
		give_up(x);
		return;
	}
	t->ref = STR_NONE;
	fetch_texts(x);
}

static void finish_assembly(struct effect_run *x)
{
	x->is_finished = true;
	x->fetching = 0;
	if (x->is_summary)
		assembly_finish_summary(&x->assembly, &x->summed, x->summary_bytes, x->wish);
	else
		assembly_finish(&x->assembly);
}

/* Of earlier turns it is not needed: no provider wants thoughts back once their turn is over. */
static bool has_state_to_fetch(const struct effect_run *x, const struct talk *t)
{
	return str_is(t->state_ref) && !str_is(t->state) && str_eq(t->turn_id, x->turn_id);
}

static void state_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct talk *t = x->assembly.talks[x->fetching];
	bool failed = is_unreadable(r);

	t->state = r->result == OK ? arena_keep(x->mem, r->blob.data) : STR("");
	store_read_done(r);
	if (came_too_late(x))
		return;
	if (failed)
		give_up(x);
	else
		fetch_texts(x);
}

static void fetch_texts(struct effect_run *x)
{
	if (!x->is_finished && !x->is_summary)
		finish_assembly(x);
	for (; x->fetching < x->assembly.count; x->fetching++) {
		struct talk *t = x->assembly.talks[x->fetching];
		struct talk_call *c = call_to_fetch(t);

		if (!str_is(t->ref) && !c && !has_state_to_fetch(x, t))
			continue;
		x->read = (struct store_read){ .kind = READ_BLOB,
			                       .key = str_is(t->ref) ? t->ref :
			                              c              ? c->args_ref :
			                                               t->state_ref,
			                       .done = str_is(t->ref) ? text_read :
			                               c              ? call_read :
			                                                state_read,
			                       .owner = x };
		x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
		return;
	}
	/* A summary cuts texts, so it needs them first; then the one before it is fetched. */
	if (!x->is_finished) {
		finish_assembly(x);
		fetch_texts(x);
		return;
	}
	send_request(x);
}

static void read_history(struct effect_run *x);

static void history_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	bool more = r->more, failed = is_unreadable(r);

	for (size_t i = 0; x->session && i < r->event_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;

		if (json_read_own(mem, bytes_str(r->events[i].body), &doc, NULL) == OK &&
		    rec_read(mem, doc, &event_desc, REC_OWN, ev, NULL) == OK)
			assembly_feed(&x->assembly, ev);
	}
	x->read_from = r->scanned;
	store_read_done(r);
	if (came_too_late(x))
		return;
	if (failed)
		give_up(x);
	else if (more)
		read_history(x);
	else
		fetch_texts(x);
}

static void read_history(struct effect_run *x)
{
	x->read = (struct store_read){ .kind = READ_EVENTS, .session = x->session->id,
		                       .after = x->read_from, .until = x->read_until,
		                       .types = x->types, .done = history_read, .owner = x };
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
}

/* A summary is asked for: of which turns, how much of them, in which words. */
static void take_wish(struct effect_run *x, struct st_thread *th, struct st_turn *t)
{
	const struct setup_model *m = setup_model(&x->engine->setup, t->provider, t->model);

	x->is_summary = true;
	for (uint32_t i = 0; i < th->compaction->affected_turns.count; i++)
		list_str_add(x->mem, &x->summed, th->compaction->affected_turns.items[i]);
	/* Half of the window at three bytes a token: it must not be too long again. */
	x->summary_bytes = m && m->window_tokens ? (size_t)m->window_tokens / 2 * 3 : 65536;
	x->wish = arena_printf(
		x->mem,
		"Summarise the conversation above for yourself, so that you can go on without it: what "
		"the user wants, what was decided, found out and done, names and paths that matter, "
		"what is left to do. Plain text, no tool calls, no more than a page.%s%.*s",
		str_is(t->instructions) ? " Keep in particular: " : "",
		STR_ARG(str_is(t->instructions) ? t->instructions : STR("")));
}

static void start_model(struct effect_run *x, struct st_thread *th, struct st_turn *t)
{
	struct talk_start start;

	if (is_compacting(th, t))
		take_wish(x, th, t);
	x->thread_id = arena_keep(x->mem, th->thread_id);
	talk_start_of(th, t, x->session->world, &start);
	assembly_init(&x->assembly, x->mem, &start);
	assembly_types(x->types);
	x->read_from = (uint64_t)start.from - 1;
	x->read_until = x->seq;
	read_history(x);
}

/* ---- tools ---- */

static void on_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	struct effect_run *x = owner;
	struct outcome *d;

	if (!x->session)
		return;
	d = run_begin(x->session, NULL);
	input_tool_progress(d, x->turn_id, x->object_id, message, completed, total);
	run_end(x->session, d);
}

/* The disk caught up: the tool may go on. */
static void on_room(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, window);
	struct blobs *b = x->engine->ports.blobs;
	struct clock *c = x->engine->ports.clock;

	if (!x->writer || !x->tool)
		return;
	if (b->ops->pending(b, x->writer) > LIMIT_STREAM_BUFFER_BYTES) {
		c->ops->start(c, &x->window, 2);
		return;
	}
	resume_run(x, PAUSE_BUFFER);
}

/* Says how far a command's output has come. */
static void tell_output(struct effect_run *x)
{
	struct outcome *d;

	if (!x->session || !x->is_running || x->told_bytes == x->output_bytes)
		return;
	d = run_begin(x->session, NULL);
	input_process_output(d, x->turn_id, x->object_id, x->told_bytes,
	                     x->output_bytes - x->told_bytes, x->untold_chunks, x->is_binary);
	x->told_bytes = x->output_bytes;
	x->untold_chunks = 0;
	run_end(x->session, d);
}

static void open_tick(struct effect_run *x);

static void on_tick(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, tick);
	bool has_more = x->told_bytes < x->output_bytes;

	x->tick.fire = NULL;
	tell_output(x);
	if (has_more)
		open_tick(x);
}

static void open_tick(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	x->tick.fire = on_tick;
	c->ops->start(c, &x->tick, 1000 / LIMIT_PROCESS_OUTPUT_EVENTS_PER_S);
}

/* The first bytes are told at once, what follows a few times a second. */
static void note_output(struct effect_run *x, struct str data)
{
	x->untold_chunks++;
	x->is_binary |= memchr(data.ptr, 0, data.len) != NULL;
	if (x->tick.fire)
		return;
	tell_output(x);
	open_tick(x);
}

static void on_started(void *owner, int64_t pid)
{
	struct effect_run *x = owner;
	struct outcome *d;

	if (!x->session)
		return;
	x->is_running = true;
	d = run_begin(x->session, NULL);
	input_process_started(d, x->turn_id, x->object_id, pid);
	run_end(x->session, d);
}

static void on_violation(void *owner, const struct tool_violation *v)
{
	struct effect_run *x = owner;
	enum violation_kind kind = enum_read(&enum_violation_kind, v->kind);
	struct outcome *d;

	if (!x->session)
		return;
	tell_output(x);
	d = run_begin(x->session, NULL);
	input_violation(d, x->turn_id, x->object_id,
	                &(struct input_violation){
				.kind = kind ? kind : VIOLATION_KIND_PERMISSION,
				.operation = arena_keep(d->mem, v->operation),
				.path = arena_keep(d->mem, v->path),
				.host = arena_keep(d->mem, v->host),
				.syscall = arena_keep(d->mem, v->syscall),
				.err_name = arena_keep(d->mem, v->err_name),
				.would_allow = arena_keep(d->mem, v->would_allow),
				.port = v->port,
				.count = v->count,
				.is_blocked = v->is_blocked,
			});
	run_end(x->session, d);
}

static void keep_output(struct effect_run *x, struct str data)
{
	struct blobs *b = x->engine->ports.blobs;

	if (!x->writer && x->output.len + data.len <= INLINE_OUTPUT) {
		buf_add_str(&x->output, data);
		return;
	}
	if (!x->writer) {
		x->writer = b->ops->open(b, x->output_ref);
		b->ops->write(b, x->writer, buf_str(&x->output));
	}
	b->ops->write(b, x->writer, data);
	if (!(x->paused & PAUSE_BUFFER) &&
	    b->ops->pending(b, x->writer) > LIMIT_STREAM_BUFFER_BYTES * 4) {
		struct clock *c = x->engine->ports.clock;

		pause_run(x, PAUSE_BUFFER);
		x->window.fire = on_room;
		c->ops->start(c, &x->window, 2);
	}
}

static void on_output(void *owner, struct str data)
{
	struct effect_run *x = owner;

	if (!data.len)
		return;
	x->output_bytes += (int64_t)data.len;
	keep_output(x, data);
	if (x->is_running)
		note_output(x, data);
}

static const struct tool_change *keep_changes(struct arena *mem, const struct tool_end *end)
{
	struct tool_change *out = ARENA_ARRAY(mem, struct tool_change, end->change_count + 1);

	for (size_t i = 0; i < end->change_count; i++) {
		out[i] = end->changes[i];
		out[i].path = arena_keep(mem, out[i].path);
		out[i].change = arena_keep(mem, out[i].change);
		out[i].before = arena_keep(mem, out[i].before);
		out[i].hash = arena_keep(mem, out[i].hash);
		out[i].diff = arena_keep(mem, out[i].diff);
	}
	return out;
}

static const struct input_change *changes_of(struct outcome *d, const struct tool_end *end)
{
	const struct tool_change *from = keep_changes(d->mem, end);
	struct input_change *out = ARENA_ARRAY(d->mem, struct input_change, end->change_count + 1);

	for (size_t i = 0; i < end->change_count; i++)
		out[i] = (struct input_change){
			.change = enum_read(&enum_artifact_change, from[i].change),
			.path = from[i].path,
			.hash = from[i].hash,
			.diff = from[i].diff,
			.before = from[i].before,
			.has_before = from[i].has_before,
			.size = from[i].size,
		};
	return out;
}

static void tool_ended(struct effect_run *x, const struct blob_sealed *sealed)
{
	static const enum process_exit exits[] = {
		[TOOL_EXIT_NONE] = EXIT_NONE,          [TOOL_EXIT_CODE] = EXIT_BY_CODE,
		[TOOL_EXIT_SIGNAL] = EXIT_BY_SIGNAL,   [TOOL_EXIT_STOPPED] = EXIT_BY_STOP,
		[TOOL_EXIT_TIMEOUT] = EXIT_BY_TIMEOUT, [TOOL_EXIT_SILENT] = EXIT_BY_SILENCE,
		[TOOL_EXIT_LIMIT] = EXIT_BY_LIMIT,     [TOOL_EXIT_SPAWN] = EXIT_NEVER_BEGAN,
		[TOOL_EXIT_LOST] = EXIT_UNSEEN,
	};
	struct session *s = x->session;
	struct outcome *d;

	tell_output(x);
	d = run_begin(s, NULL);
	enum error_category category = enum_read(&enum_error_category, x->end.category);
	enum executed executed = enum_read(&enum_executed, x->end.executed);
	struct input_tool_end in = {
		.failed = x->end.failed,
		.cancelled = x->end.cancelled,
		.is_error = x->end.is_error,
		.category = category ? category : ERROR_CATEGORY_TOOL_FAILED,
		.message = arena_keep(d->mem, x->end.message),
		.advice = arena_keep(d->mem, x->end.advice),
		.retryable = x->end.retryable,
		.executed = executed,
		.exit_code = x->end.exit_code,
		.has_exit_code = x->end.has_exit_code,
		.structured = arena_keep(d->mem, x->end.structured),
		.changes = changes_of(d, &x->end),
		.change_count = x->end.change_count,
		.text = arena_keep(d->mem, buf_str(&x->output)),
		.output_bytes = x->output_bytes,
		.exit = exits[x->end.exit],
		.signal = arena_keep(d->mem, x->end.signal),
		.is_escalated = x->end.is_escalated,
		.survivors = x->end.survivors,
		.max_rss_bytes = x->end.max_rss_bytes,
		.cpu_ms = x->end.cpu_ms,
	};

	if (sealed) {
		in.output_ref = arena_keep(d->mem, x->output_ref);
		in.sha256 = sha256_hex(d->mem, &sealed->hash);
		in.head = arena_keep(d->mem, sealed->head);
		in.tail = arena_keep(d->mem, sealed->tail);
		in.is_text = sealed->is_text;
		in.is_complete = sealed->result == OK;
		in.output_bytes = (int64_t)sealed->size;
	}
	input_tool_end(d, x->turn_id, x->object_id, &in);
	end_run(x);
	run_end(s, d);
}

static void on_sealed(void *owner, const struct blob_sealed *sealed)
{
	struct effect_run *x = owner;

	if (x->session)
		tool_ended(x, sealed);
	else
		free_run(x);
}

static void on_tool_end(void *owner, const struct tool_end *end)
{
	struct effect_run *x = owner;
	struct blobs *b = x->engine->ports.blobs;
	struct clock *c = x->engine->ports.clock;

	x->tool = NULL;
	x->has_ended = true;
	c->ops->stop(c, &x->patience);
	x->end = *end;
	x->end_mem = arena_new();
	x->end.category = arena_keep(x->end_mem, end->category);
	x->end.message = arena_keep(x->end_mem, end->message);
	x->end.advice = arena_keep(x->end_mem, end->advice);
	x->end.executed = arena_keep(x->end_mem, end->executed);
	x->end.structured = arena_keep(x->end_mem, end->structured);
	x->end.changes = keep_changes(x->end_mem, end);
	x->end.signal = arena_keep(x->end_mem, end->signal);
	if (x->writer)
		b->ops->seal(b, x->writer, on_sealed, x);
	else if (x->session)
		tool_ended(x, NULL);
	else
		free_run(x); /* the session was dropped meanwhile */
}

static const struct tool_sink tool_sink = { .progress = on_progress,
	                                    .output = on_output,
	                                    .started = on_started,
	                                    .violation = on_violation,
	                                    .end = on_tool_end };

static void start_tool(struct effect_run *x, struct st_thread *th, struct st_call *call)
{
	struct engine *e = x->engine;
	struct tool_start start = {
		.call_id = x->object_id,
		.session_id = arena_keep(x->mem, x->session->id),
		.thread_id = arena_keep(x->mem, th->thread_id),
		.turn_id = x->turn_id,
		.name = arena_keep(x->mem, call->tool_name),
		.args = arena_keep(x->mem, call->args),
		.cwd = arena_keep(x->mem, str_is(x->session->world->s->cwd) ?
		                                  x->session->world->s->cwd :
		                                  e->setup.cwd),
	};

	if (str_is(x->args))
		start.args = x->args;
	x->output_ref = start.output_ref = arena_keep(x->mem, call->output_ref);
	x->toolset = toolset_of(e, start.name);
	if (!x->toolset) {
		on_tool_end(x, &(struct tool_end){ .failed = true, .category = STR("unknown_tool"),
			                           .message = STR("the tool is not configured any more"),
			                           .executed = STR("no") });
		return;
	}
	x->tool = x->toolset->ops->start(x->toolset, &start, &tool_sink, x);
	if (e->is_pressed)
		pause_run(x, PAUSE_DISK);
}

static bool came_too_late(struct effect_run *x);

/* Arguments too long for an event are fetched first. */
static void args_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	struct st_thread *th;
	struct st_call *call;

	if (r->result == OK)
		x->args = arena_keep(x->mem, r->blob.data);
	store_read_done(r);
	if (came_too_late(x))
		return;
	call = world_turn(x->session->world, x->turn_id, &th) ? thread_call(th, x->object_id) : NULL;
	if (call && !call_is_over(call) && str_is(x->args))
		start_tool(x, th, call);
	else
		on_tool_end(x, &(struct tool_end){ .failed = true, .category = STR("internal"),
			                           .message = STR("the arguments cannot be read"),
			                           .executed = STR("no") });
}

static void fetch_args(struct effect_run *x, struct str ref)
{
	x->read = (struct store_read){ .kind = READ_BLOB, .key = arena_keep(x->mem, ref),
		                       .done = args_read, .owner = x };
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
}

/* ---- hooks ---- */

static void on_hook_end(void *owner, const struct hook_end *end)
{
	static const enum hook_end_kind ends[] = {
		[HOOK_ANSWERED] = HOOK_END_ANSWERED,
		[HOOK_BROKE] = HOOK_END_BROKE,
		[HOOK_TIMED_OUT] = HOOK_END_TIMED_OUT,
		[HOOK_NOT_STARTED] = HOOK_END_NOT_STARTED,
		[HOOK_CANCELLED] = HOOK_END_CANCELLED,
	};
	struct effect_run *x = owner;
	struct session *s = x->session;
	struct outcome *d;

	x->hook = NULL;
	if (!s) {
		free_run(x);
		return;
	}
	d = run_begin(s, NULL);
	input_hook_end(d, x->object_id,
	               &(struct input_hook_end){
			       .end = ends[end->result],
			       .exit_code = end->exit_code,
			       .has_exit_code = end->has_exit_code,
			       .out = arena_keep(d->mem, end->out),
			       .err = arena_keep(d->mem, end->err),
			       .message = arena_keep(d->mem, end->message),
		       });
	end_run(x);
	run_end(s, d);
}

static void start_hook(struct effect_run *x, const struct st_hook *h)
{
	const struct setup *setup = &x->engine->setup;
	const struct st_session *world = x->session->world->s;
	struct hooks *hooks = x->engine->ports.hooks;
	struct hook_start start = {
		.run_id = x->object_id,
		.ref = arena_keep(x->mem, h->run->handler_ref),
		.input = hook_input(x->mem, x->session->world, setup, x->turn_id, x->object_id),
		.cwd = arena_keep(x->mem, str_is(world->cwd) ? world->cwd : setup->cwd),
	};

	if (!hooks || !setup_hook(setup, start.ref)) {
		on_hook_end(x, &(struct hook_end){ .result = HOOK_NOT_STARTED,
			                           .message = STR("it is not configured any more") });
		return;
	}
	x->hook = hooks->ops->start(hooks, &start, on_hook_end, x);
}

static void cancel_hook(struct effect_run *x)
{
	if (!x->hook || x->is_cancelling)
		return;
	x->is_cancelling = true;
	x->engine->ports.hooks->ops->cancel(x->engine->ports.hooks, x->hook);
}

/* ---- starting, stopping ---- */

static void begin_run(struct effect_run *x)
{
	struct st_thread *th;
	struct st_turn *t = world_turn(x->session->world, x->turn_id, &th);
	struct st_call *call = t ? thread_call(th, x->object_id) : NULL;
	const struct st_hook *hook = x->kind == EFFECT_HOOK_RUN ?
	                                     world_hook(x->session->world, x->object_id, NULL) :
	                                     NULL;
	bool is_open = t && (x->kind == EFFECT_MODEL_REQUEST || (call && !call_is_over(call)) ||
	                     (hook && hook->run->status == HOOK_STATUS_RUNNING));

	if (!is_open) /* closed while it was held */
		end_run(x);
	else if (x->kind == EFFECT_MODEL_REQUEST)
		start_model(x, th, t);
	else if (hook)
		start_hook(x, hook);
	else if (!str_is(call->args))
		fetch_args(x, call->args_ref);
	else
		start_tool(x, th, call);
}

void effects_start(struct session *s, const struct due_effect *due)
{
	struct st_thread *th;
	struct st_turn *t = world_turn(s->world, due->turn_id, &th);
	struct st_call *call = t ? thread_call(th, due->object_id) : NULL;
	const struct st_hook *hook = NULL;
	struct effect_run *x;
	struct arena *mem;

	if (due->kind == EFFECT_OUTPUT_DROP) {
		if (s->engine->ports.blobs)
			s->engine->ports.blobs->ops->remove(s->engine->ports.blobs, due->object_id);
		return;
	}
	if (!t)
		return;
	if (due->kind == EFFECT_MODEL_REQUEST &&
	    !(str_is(t->model_request_id) && str_eq(t->model_request_id, due->object_id)))
		return; /* closed before it could begin */
	if (due->kind == EFFECT_TOOL_RUN) {
		const struct setup_tool *tool = call ? setup_tool(&s->engine->setup, call->tool_name) :
		                                       NULL;

		if (!call || call_is_over(call) || (tool && tool->asks_user))
			return;
	}
	if (due->kind == EFFECT_HOOK_RUN) {
		hook = world_hook(s->world, due->object_id, NULL);
		if (!hook || hook->run->status != HOOK_STATUS_RUNNING)
			return;
	}
	mem = arena_new();
	x = ARENA_NEW(mem, struct effect_run);
	x->mem = mem;
	x->engine = s->engine;
	x->session = s;
	x->kind = due->kind;
	x->seq = due->seq;
	x->turn_id = arena_keep(mem, due->turn_id);
	x->object_id = arena_keep(mem, due->object_id);
	list_add(&s->effects, &x->node);
	list_add(&s->engine->runs, &x->all);
	s->engine->live_effects++;
	x->is_held = s->engine->is_full;
	if (!x->is_held)
		begin_run(x);
}

static void lose_patience(struct clock_timer *timer)
{
	struct effect_run *x = OWNER_OF(timer, struct effect_run, patience);

	on_tool_end(x, &(struct tool_end){ .cancelled = true, .executed = STR("unknown"),
		                           .exit = x->is_running ? TOOL_EXIT_LOST : TOOL_EXIT_NONE,
		                           .message = STR("it did not stop in time") });
}

static void cancel_model(struct effect_run *x)
{
	if (x->model)
		x->provider->ops->cancel(x->provider, x->model);
	x->model = NULL;
	end_run(x);
}

static void cancel_tool(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	if (x->is_cancelling || x->has_ended)
		return;
	x->is_cancelling = true;
	x->patience.fire = lose_patience;
	c->ops->start(c, &x->patience, LIMIT_STOP_WAIT_MS);
	if (x->tool)
		x->toolset->ops->cancel(x->toolset, x->tool);
}

/*
 * A live effect whose fact is closed is cancelled; a tool of a turn that is
 * being stopped is told to stop, once that intent is durable.
 */
void effects_reconcile(struct session *s)
{
	if (s->applied != s->durable)
		return;
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);
		struct st_thread *th;
		struct st_turn *t = world_turn(s->world, x->turn_id, &th);

		if (x->kind == EFFECT_MODEL_REQUEST) {
			if (!t || !str_is(t->model_request_id) ||
			    !str_eq(t->model_request_id, x->object_id))
				cancel_model(x);
		} else if (t && t->stage == TURN_STAGE_STOPPING) {
			if (x->kind == EFFECT_HOOK_RUN)
				cancel_hook(x);
			else
				cancel_tool(x);
		}
	}
}

/* The commit is through: what gathered behind it goes on. */
void effects_durable(struct session *s)
{
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (x->kind != EFFECT_MODEL_REQUEST || !x->model || x->is_summary)
			continue;
		if (x->pieces.len && !x->window_is_open && !s->slice && !s->in_flight) {
			flush_pieces(x, false);
			open_window(x);
		}
		if (x->pieces.len < LIMIT_STREAM_BUFFER_BYTES / 2)
			resume_run(x, PAUSE_BUFFER);
	}
}

void effects_drop(struct session *s)
{
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (x->kind == EFFECT_MODEL_REQUEST) {
			cancel_model(x);
			continue;
		}
		/* A tool's end comes later: it finds no session and frees the run. */
		list_remove(&x->node);
		x->session = NULL;
		if (x->tool)
			x->toolset->ops->cancel(x->toolset, x->tool);
		cancel_hook(x);
	}
}

/* Models are stopped; tools end by themselves, because what they did has to be known. */
void effects_close(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->session || !x->model)
			continue;
		x->provider->ops->cancel(x->provider, x->model);
		on_model_end(x, &(struct model_end){ .failed = true,
		                                     .category = STR("storage_full"),
		                                     .message = STR("the disk is full"),
		                                     .retry_after_ms = -1 });
	}
}

void effects_go_on(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->is_held || !x->session || x->is_cancelling)
			continue;
		x->is_held = false;
		begin_run(x);
	}
}

/* At the very end: nothing calls back any more. */
void effects_free(struct engine *e)
{
	while (!list_is_empty(&e->runs))
		free_run(LIST_ITEM(e->runs.next, struct effect_run, all));
}

bool effects_peek(struct engine *e, struct str output_ref, struct str *ret)
{
	LIST_EACH (&e->runs, node) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (x->kind != EFFECT_TOOL_RUN || x->writer || !str_is(x->output_ref) ||
		    !str_eq(x->output_ref, output_ref))
			continue;
		*ret = buf_str(&x->output);
		return true;
	}
	return false;
}
