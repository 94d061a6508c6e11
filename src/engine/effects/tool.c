/* A call of a tool: starts it, redacts and stores its output, and records its end. */
#include "base/path/path.h"
#include "core/process/process.h"
#include "core/gen/inputs.h"
#include "core/task/task_bounds.h"
#include "engine/effects/effects.h"
#include "engine/effects/processes.h"
#include "engine/request/channel.h"
#include "engine/resources/holders.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"

static void on_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (!x->session)
		return;
	d = apply_begin(x->session, NULL);
	input_turn_tool_progress(d, x->turn_id, x->object_id, message, completed, total);
	apply_end(x->session, d);
}

/* The disk caught up: the tool may continue. */
static void on_room(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, window);
	struct blobs *b = x->engine->ports.blobs;
	struct clock *c = x->engine->ports.clock;

	if (!x->writer || !x->tool || x->has_ended)
		return;
	if (b->ops->pending(b, x->writer) > LIMIT_STREAM_BUFFER_BYTES) {
		c->ops->start(c, &x->window, 2);
		return;
	}
	effects_resume(x, PAUSE_BUFFER);
}

/* Reports how much output a command has written. */
static void report_output(struct effect_run *x)
{
	struct decision *d;

	if (!x->session || !x->is_running || x->told_bytes == x->output_bytes)
		return;
	d = apply_begin(x->session, NULL);
	input_process_call_output(d, x->turn_id, x->object_id, x->told_bytes,
	                          x->output_bytes - x->told_bytes, x->untold_chunks, x->is_binary);
	x->told_bytes = x->output_bytes;
	x->untold_chunks = 0;
	apply_end(x->session, d);
}

static void open_tick(struct effect_run *x);

static void on_tick(struct clock_timer *t)
{
	struct effect_run *x = OWNER_OF(t, struct effect_run, tick);
	bool has_more = x->told_bytes < x->output_bytes;

	x->tick.fire = NULL;
	report_output(x);
	if (has_more && x->session)
		open_tick(x);
}

static void open_tick(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	x->tick.fire = on_tick;
	c->ops->start(c, &x->tick, 1000 / LIMIT_PROCESS_OUTPUT_EVENTS_PER_S);
}

/* The first bytes are reported at once, later ones a few times a second. */
static void note_output(struct effect_run *x, struct str data)
{
	x->untold_chunks++;
	x->is_binary |= memchr(data.ptr, 0, data.len) != NULL;
	if (x->tick.fire)
		return;
	report_output(x);
	open_tick(x);
}

/* A background command is followed by processes.c from here on; its call only reports the start. */
static void on_started(void *owner, int64_t pid)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (!x->session)
		return;
	x->is_running = !str_is(x->process_id);
	d = apply_begin(x->session, NULL);
	input_process_call_started(d, x->turn_id, x->object_id, pid);
	apply_end(x->session, d);
	if (str_is(x->process_id))
		processes_began(x->session, x->process_id);
}

/* Output first: the log then shows what the command had written when the sandbox refused it. */
static void on_violation(void *owner, const struct tool_violation *v)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (!x->session)
		return;
	report_output(x);
	d = apply_begin(x->session, NULL);
	input_process_call_violation(d, x->turn_id, x->object_id, v);
	apply_end(x->session, d);
}

/*
 * Small output stays in memory and becomes part of the result event.  From the limit on
 * everything, including the first part, goes to a file; a tool that writes faster than the
 * disk is paused.
 */
static void keep_output(struct effect_run *x, struct str data)
{
	struct blobs *b = x->engine->ports.blobs;

	if (!x->writer && x->output.len + data.len <= LIMIT_INLINE_OUTPUT_BYTES) {
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

		effects_pause(x, PAUSE_BUFFER);
		x->window.fire = on_room;
		c->ops->start(c, &x->window, 2);
	}
}

static void take_clean(void *owner, struct str data)
{
	struct effect_run *x = owner;

	x->output_bytes += (int64_t)data.len;
	keep_output(x, data);
	if (x->is_running)
		note_output(x, data);
}

/* ---- questions ---- */

/*
 * The question becomes an action.  Its answer arrives as an event (tool_folded()) and
 * reaches the tool when that event is durable (tool_tell_answer()).
 */
static void on_ask(void *owner, struct str prompt, struct str schema, struct str requests)
{
	struct effect_run *x = owner;
	struct decision *d;
	struct str action_id;

	x->asking = STR_NONE;
	x->has_answer = false; /* of an earlier question, which the tool has settled itself */
	if (x->session) {
		d = apply_begin(x->session, NULL);
		action_id = input_turn_tool_question(
			d, x->turn_id, x->object_id, arena_keep(d->mem, prompt),
			arena_keep(d->mem, schema), arena_keep(d->mem, requests));
		x->asking = arena_keep(x->mem, action_id);
		apply_end(x->session, d);
	}
	/* No person can be asked, and no event reports that. */
	if (!str_is(x->asking) && x->tool && x->toolset->ops->response)
		x->toolset->ops->response(x->toolset, x->tool, TOOL_DISMISS, STR_NONE);
}

/* A page where a person signs in; the credentials never pass through here. */
static void on_login(void *owner, struct str prompt, struct str schema)
{
	struct effect_run *x = owner;
	struct decision *d;

	x->asking = STR_NONE;
	x->has_answer = false;
	/* The login is the whole runtime's, so its page is not for a principal of some sessions. */
	if (x->session && !holders_own(x->session->id)) {
		d = apply_begin(x->session, NULL);
		x->asking = arena_keep(x->mem, input_turn_tool_login(d, x->turn_id, x->object_id,
		                                                     arena_keep(d->mem, prompt),
		                                                     arena_keep(d->mem, schema)));
		apply_end(x->session, d);
	}
	if (!str_is(x->asking) && x->tool && x->toolset->ops->response)
		x->toolset->ops->response(x->toolset, x->tool, TOOL_DISMISS, STR_NONE);
}

static void on_sample(void *owner, const struct sampling_request *r)
{
	tool_sampling_want(owner, r);
}

/* The question is settled without an answer; the tool knows, so it is not informed. */
static void on_signed_in(void *owner)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (!x->session || !str_is(x->asking))
		return;
	x->asking = STR_NONE;
	d = apply_begin(x->session, NULL);
	input_turn_tool_signed_in(d, x->turn_id, x->object_id);
	apply_end(x->session, d);
}

static void on_withdrawn(void *owner)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (tool_sampling_withdraw(x) || !x->session || !str_is(x->asking))
		return;
	x->asking = STR_NONE;
	d = apply_begin(x->session, NULL);
	input_turn_tool_withdrawn(d, x->turn_id, x->object_id);
	apply_end(x->session, d);
}

static void on_remote(void *owner, struct str task)
{
	struct effect_run *x = owner;
	struct decision *d;

	x->is_remote = true;
	if (!x->session)
		return;
	d = apply_begin(x->session, NULL);
	input_turn_tool_remote(d, x->turn_id, x->object_id, arena_keep(d->mem, task));
	apply_end(x->session, d);
}

/*
 * Notes the outcome only: the event is not durable yet.  A completed action without an
 * answer is a refusal; any other end counts as dismissed.
 */
void tool_folded(struct session *s, const struct event *ev)
{
	const struct ev_action_resolved *p = ev->payload;

	LIST_EACH (&s->effects, node) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (x->sample.stage)
			tool_sampling_folded(x, ev);
		if (ev->type != EV_ACTION_RESOLVED || !str_is(x->asking) ||
		    !str_eq(x->asking, ev->action_id))
			continue;
		x->asking = STR_NONE;
		x->has_answer = true;
		x->content = arena_keep(x->mem, p->answer_preview);
		x->content_ref = arena_keep(x->mem, p->answer_ref);
		if (p->decision == APPROVAL_DECISION_ALLOW) /* they signed in */
			x->content = STR("{}");
		x->response = p->decision == APPROVAL_DECISION_ALLOW ? TOOL_ACCEPT
		              : p->decision == APPROVAL_DECISION_ANSWER && str_is(x->content_ref)
		                      ? TOOL_ACCEPT
		              : ev->status == STATUS_COMPLETED ? TOOL_DECLINE
		                                               : TOOL_DISMISS;
	}
}

static void pass_answer(struct effect_run *x)
{
	if (x->tool && !x->is_cancelling && x->toolset->ops->response)
		x->toolset->ops->response(x->toolset, x->tool, x->response, x->content);
}

static void response_read(struct store_read *r)
{
	struct effect_run *x = r->owner;

	if (r->result == OK)
		x->content = arena_keep(x->mem, r->blob.data);
	else /* the answer cannot be read, which is not a refusal */
		x->response = TOOL_DISMISS;
	port_store_read_done(r);
	if (!effects_is_late(x))
		pass_answer(x);
}

/* A long answer is behind a ref and is read first. */
void tool_tell_answer(struct effect_run *x)
{
	if (!x->has_answer || !x->tool || x->is_cancelling)
		return;
	x->has_answer = false;
	if (x->response != TOOL_ACCEPT || str_is(x->content)) {
		pass_answer(x);
		return;
	}
	x->read = (struct store_read){
		.kind = READ_BLOB, .key = x->content_ref, .done = response_read, .owner = x
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
}

/* ---- output ---- */

/* Secrets are removed before anything is stored or shown. */
static void on_output(void *owner, struct str data)
{
	struct effect_run *x = owner;

	if (x->has_ended)
		return;
	if (data.len && x->engine->ports.scrub)
		redact_feed(x->engine->ports.scrub, &x->scrub, data, false, take_clean, x);
	else if (data.len)
		take_clean(x, data);
}

static struct str redact_part(struct effect_run *x, struct arena *mem, struct str text)
{
	return tool_redactions_text(x->engine->ports.scrub, &x->scrub, mem, text);
}

/* A pattern may have removed quotes and braces, so the JSON is checked again. */
static struct str redact_json(struct effect_run *x, struct arena *mem, struct str text)
{
	struct str out = redact_part(x, mem, text);
	struct json v;

	if (str_is(out) && !str_eq(out, text) && json_read_trusted(mem, out, &v, NULL) != OK)
		return STR("{\"redacted\":true}");
	return out;
}

/*
 * The run is freed before apply_end(), so its strings move to `mem`, which outlives the
 * decision.
 */
static void tool_ended(struct effect_run *x, const struct blob_sealed *sealed)
{
	struct session *s = x->session;
	struct tool_end in = x->end;
	struct arena *mem = x->end_mem; /* of its strings, which the decision needs to its end */
	struct decision *d;

	report_output(x);
	d = apply_begin(s, NULL);
	if (!in.category)
		in.category = ERROR_CATEGORY_TOOL_FAILED;
	in.text = arena_keep(d->mem, buf_str(&x->output));
	in.output_bytes = x->output_bytes;
	in.redactions = tool_redactions_seen(x->engine->ports.scrub, &x->scrub, d->mem,
	                                     &in.redaction_count);
	if (sealed) {
		in.output_ref = arena_keep(d->mem, x->output_ref);
		in.sha256 = sha256_hex(d->mem, &sealed->hash);
		in.head = arena_keep(d->mem, sealed->head);
		in.tail = arena_keep(d->mem, sealed->tail);
		in.is_text = sealed->is_text;
		in.is_complete = sealed->result == OK && !x->end.dropped_bytes;
		in.output_bytes = (int64_t)sealed->size;
	}
	input_turn_result_tool_end(d, x->turn_id, x->object_id, &in);
	x->end_mem = NULL;
	effects_end(x);
	apply_end(s, d);
	arena_free(mem);
}

static void on_sealed(void *owner, const struct blob_sealed *sealed)
{
	struct effect_run *x = owner;

	x->is_sealing = false;
	if (x->session)
		tool_ended(x, sealed);
	else
		effects_end(x);
}

/* Secrets are removed as from every output. */
static void on_log(void *owner, enum tool_log_level level, struct str logger, struct str data)
{
	struct effect_run *x = owner;
	struct decision *d;

	if (!x->session || x->has_ended)
		return;
	d = apply_begin(x->session, NULL);
	input_turn_tool_log(d, x->turn_id, x->object_id, (int64_t)level,
	                    arena_keep(d->mem, redact_part(x, d->mem, logger)),
	                    arena_keep(d->mem, redact_json(x, d->mem, data)));
	apply_end(x->session, d);
}

/* The previous content of a file is not redacted, because it may have to be restored. */
static const struct tool_change *keep_changes(struct effect_run *x, const struct tool_end *end)
{
	struct arena *mem = x->end_mem;
	struct tool_change *out = ARENA_ARRAY(mem, struct tool_change, end->change_count + 1);

	for (size_t i = 0; i < end->change_count; i++) {
		out[i] = end->changes[i];
		out[i].path = arena_keep(mem, out[i].path);
		out[i].kind = arena_keep(mem, out[i].kind);
		out[i].mode = arena_keep(mem, out[i].mode);
		out[i].place = arena_keep(mem, out[i].place);
		out[i].previous_mode = arena_keep(mem, out[i].previous_mode);
		out[i].before = arena_keep(mem, out[i].before);
		out[i].hash = arena_keep(mem, out[i].hash);
		out[i].diff = redact_part(x, mem, out[i].diff);
		out[i].media_type = arena_keep(mem, out[i].media_type);
		out[i].validation = redact_json(x, mem, out[i].validation);
	}
	return out;
}

/* A part with a secret is no image any more: what redaction leaves of it is kept. */
static const struct tool_part *keep_parts(struct effect_run *x, const struct tool_end *end)
{
	struct arena *mem = x->end_mem;
	struct tool_part *out = ARENA_ARRAY(mem, struct tool_part, end->part_count + 1);

	for (size_t i = 0; i < end->part_count; i++) {
		const struct tool_part *from = &end->parts[i];
		struct str bytes = redact_part(x, mem, from->bytes);

		out[i] = (struct tool_part){ .media_type = arena_keep(mem, from->media_type),
			                     .bytes = bytes,
			                     .name = redact_part(x, mem, from->name),
			                     .url = redact_part(x, mem, from->url),
			                     .is_image =
			                             from->is_image && str_eq(bytes, from->bytes) };
	}
	return out;
}

/*
 * Records the end of a call: flushes what redaction holds back, copies and redacts everything that
 * the result shows, and seals the output file before the end is recorded, because the
 * event holds the file's hash.
 */
static void record_end(struct effect_run *x, const struct tool_end *end)
{
	struct blobs *b = x->engine->ports.blobs;
	struct clock *c = x->engine->ports.clock;

	c->ops->stop(c, &x->patience);
	x->end = *end;
	x->end_mem = arena_new();
	if (x->engine->ports.scrub)
		redact_feed(x->engine->ports.scrub, &x->scrub, STR(""), true, take_clean, x);
	x->has_ended = true;
	x->end.message = redact_part(x, x->end_mem, end->message);
	x->end.advice = arena_keep(x->end_mem, end->advice);
	x->end.structured = redact_json(x, x->end_mem, end->structured);
	x->end.content = redact_json(x, x->end_mem, end->content);
	x->end.media_type = arena_keep(x->end_mem, end->media_type);
	x->end.parts = keep_parts(x, end);
	x->end.changes = keep_changes(x, end);
	x->end.not_covered = arena_keep(x->end_mem, end->not_covered);
	x->end.signal = arena_keep(x->end_mem, end->signal);
	x->end.hosts = arena_keep(x->end_mem, end->hosts);
	if (x->writer) {
		x->is_sealing = true;
		b->ops->seal(b, x->writer, on_sealed, x);
	} else if (x->session) {
		tool_ended(x, NULL);
	} else {
		effects_end(x); /* the session was dropped in between */
	}
}

/* The end of a call that was given up before only frees its run. */
static void on_tool_end(void *owner, const struct tool_end *end)
{
	struct effect_run *x = owner;

	x->tool = NULL;
	if (!x->has_ended)
		record_end(x, end);
	else if (!x->is_sealing)
		effects_end(x);
}

static const struct tool_sink tool_sink = { .progress = on_progress,
	                                    .output = on_output,
	                                    .started = on_started,
	                                    .violation = on_violation,
	                                    .ask = on_ask,
	                                    .sample = on_sample,
	                                    .log = on_log,
	                                    .login = on_login,
	                                    .signed_in = on_signed_in,
	                                    .withdrawn = on_withdrawn,
	                                    .remote = on_remote,
	                                    .end = on_tool_end };

static void end_unstarted(struct effect_run *x, struct tool_error error)
{
	struct tool_end end = { .executed = EXECUTED_NO };

	tool_end_fail(&end, &error);
	on_tool_end(x, &end);
}

/* What the task of a server that is gone did is not known. */
static void end_gone(struct effect_run *x, struct str name)
{
	struct tool_error error = tool_error_tool_server_cut(x->mem, STR("it did not come back"));
	struct tool_end end = { .executed = EXECUTED_UNKNOWN };

	if (!x->is_remote) {
		end_unstarted(x, tool_error_tool_gone(x->mem, name));
		return;
	}
	tool_end_fail(&end, &error);
	on_tool_end(x, &end);
}

/* ---- unsaved text ---- */

/* The editor that submitted the turn, if it is connected and can be asked; NULL: none. */
static struct channel *editor_of(const struct effect_run *x, const struct st_thread *th)
{
	const struct st_turn *t = state_thread_turn(th, x->turn_id);
	struct channel *ch =
		t && str_is(t->channel_id) ? map_get(&x->engine->channels, t->channel_id) : NULL;

	return ch && !ch->is_mute &&
	                       rec_list_str_find(&ch->record->capabilities, STR("file_text")) >= 0
	               ? ch
	               : NULL;
}

/* The call is looked up again: it may have ended meanwhile. */
static void end_wait(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;
	const struct st_thread *th;
	const struct st_call *call = state_turn(x->session->state, x->turn_id, &th)
	                                     ? state_thread_call(th, x->object_id)
	                                     : NULL;

	c->ops->stop(c, &x->tick);
	x->tick.fire = NULL;
	x->is_waiting = false;
	if (call && !call_is_over(call))
		tool_start_run(x, th, call);
	else
		effects_end(x);
}

/* An editor that does not answer is not asked again, so that it delays one call and no more. */
static void on_no_text(struct clock_timer *timer)
{
	struct effect_run *x = OWNER_OF(timer, struct effect_run, tick);
	const struct st_thread *th;
	struct channel *ch =
		state_turn(x->session->state, x->turn_id, &th) ? editor_of(x, th) : NULL;

	if (ch)
		ch->is_mute = true;
	end_wait(x);
}

/* True: the call of read_file starts when the editor has answered, or after a moment. */
static bool wait_for_text(struct effect_run *x, const struct st_thread *th,
                          const struct st_call *call)
{
	struct clock *c = x->engine->ports.clock;

	if (x->has_waited || !str_eq(call->tool_name, STR("read_file")) || !editor_of(x, th))
		return false;
	x->has_waited = x->is_waiting = true;
	x->tick.fire = on_no_text;
	c->ops->start(c, &x->tick, LIMIT_FILE_TEXT_WAIT_MS);
	return true;
}

/* The text counts for the file that the call reads, and only from the editor of the turn. */
static bool is_asked(struct effect_run *x, struct str channel_id, struct str path)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(x->session->state, x->turn_id, &th);
	const struct st_call *call = t ? state_thread_call(th, x->object_id) : NULL;
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json args;

	return call && str_is(channel_id) && str_eq(t->channel_id, channel_id) &&
	       json_read_trusted(mem, str_is(x->args) ? x->args : call->args, &args, NULL) == OK &&
	       str_eq(json_str(JSON_GET(args, "path")), path);
}

bool tool_take_text(struct session *s, struct str channel_id, struct str call_id, struct str path,
                    struct str text)
{
	LIST_EACH (&s->effects, node) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (!x->is_waiting || !str_eq(x->object_id, call_id) ||
		    !is_asked(x, channel_id, path))
			continue;
		x->unsaved = arena_keep(x->mem, text);
		end_wait(x);
		return true;
	}
	return false;
}

/* ---- tasks of tool servers ---- */

static void on_no_server(struct clock_timer *timer)
{
	struct effect_run *x = OWNER_OF(timer, struct effect_run, tick);

	x->has_waited = true;
	end_wait(x);
}

/* True: after a restart the tool server is not there yet. */
static bool wait_for_server(struct effect_run *x, const struct st_call *call)
{
	struct engine *e = x->engine;
	struct clock *c = e->ports.clock;
	struct str cwd = session_place_cwd(x->session);

	x->is_remote = str_is(call->remote_task_ref);
	if (!x->is_remote || x->has_waited)
		return false;
	project_tools_enter(e, cwd);
	if (toolsets_find(e, cwd, x->session->id, call->tool_name))
		return false;
	x->is_waiting = true;
	x->tick.fire = on_no_server;
	if (!x->waits_until)
		x->waits_until = c->ops->mono_ms(c) + LIMIT_MCP_TASK_WAIT_MS;
	c->ops->start(c, &x->tick, MAX(x->waits_until - c->ops->mono_ms(c), 1));
	return true;
}

void tool_servers_changed(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, next) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (x->session && x->is_waiting && x->tick.fire == on_no_server)
			end_wait(x);
	}
}

/* ---- starting ---- */

struct str tool_caller(const struct session *s, const struct st_turn *turn)
{
	const struct st_task *task =
		turn && str_is(turn->task_id) ? state_task(s->state, turn->task_id) : NULL;
	const struct rec_actor *by = task ? task->record->requested_by : NULL;

	if (!by || !str_is(by->principal))
		by = s->state->s ? s->state->s->created_by : NULL;
	return by && str_is(by->principal) ? by->principal : s->id;
}

/* Links may change between the decision and the run; the tool compares. */
static struct str resolved_of(struct arena *mem, const struct st_call *call)
{
	const struct rec_permission_decision *p = call->permission;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	if (!p || !p->path_check)
		return STR_NONE;
	jw_init(&w, &text);
	jw_arr(&w);
	for (uint32_t i = 0; i < p->path_check->resolved.count; i++)
		if (path_is_clean(p->path_check->resolved.items[i]))
			jw_str(&w, p->path_check->resolved.items[i]);
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&text));
}

/*
 * The rules are read again right before the start: a path that was denied since the
 * decision must not become reachable.
 */
void tool_start_run(struct effect_run *x, const struct st_thread *th, const struct st_call *call)
{
	struct engine *e = x->engine;

	if (wait_for_text(x, th, call) || wait_for_server(x, call))
		return;

	struct tool_start start = {
		.call_id = x->object_id,
		.session_id = arena_keep(x->mem, x->session->id),
		.thread_id = arena_keep(x->mem, th->thread_id),
		.turn_id = x->turn_id,
		.name = arena_keep(x->mem, call->tool_name),
		.args = arena_keep(x->mem, call->args),
		.cwd = arena_keep(x->mem,
		                  task_bounds_cwd(x->session->state, &e->settings, x->turn_id)),
		.more = sandbox_probe_override_text(
			x->mem,
			process_call_override(x->mem, x->session->state, &e->settings, call)),
	};

	start.deny = sandbox_probe_denies(x->mem, rules_cache_settings(x->session, x->mem, true),
	                                  start.name, start.cwd);
	if (str_is(x->args))
		start.args = x->args;
	start.resolved = resolved_of(x->mem, call);
	start.is_unasked = !str_is(call->action_id);
	start.unsaved = x->unsaved;
	start.client = state_thread_turn(th, x->turn_id)->call_client;
	start.caller =
		arena_keep(x->mem, tool_caller(x->session, state_thread_turn(th, x->turn_id)));
	start.remote_task = x->is_remote ? arena_keep(x->mem, call->remote_task_ref) : STR_NONE;
	start.output_ref = arena_keep(x->mem, call->output_ref);
	start.process_id = arena_keep(x->mem, call->process_id);
	start.trace = effects_trace(x->mem, state_thread_turn(th, x->turn_id),
	                            str_is(start.process_id) ? start.process_id : x->object_id);
	const struct tool_info *tool = project_tools_of_session(x->session, call->tool_name);

	/* A background process has its own output; the call only reports that it runs. */
	if (tool && tool->is_background)
		x->process_id = start.process_id;
	else
		x->output_ref = start.output_ref;
	x->toolset = toolsets_find(e, session_place_cwd(x->session), x->session->id, start.name);
	if (!x->toolset) {
		end_gone(x, start.name);
		return;
	}
	x->tool = x->toolset->ops->start(x->toolset, &start, &tool_sink, x);
	if (e->is_throttled)
		effects_pause(x, PAUSE_DISK);
}

/* Arguments too long for an event are fetched first. */
static void args_read(struct store_read *r)
{
	struct effect_run *x = r->owner;
	const struct st_thread *th;
	const struct st_call *call;

	if (r->result == OK)
		x->args = arena_keep(x->mem, r->blob.data);
	port_store_read_done(r);
	if (effects_is_late(x))
		return;
	call = state_turn(x->session->state, x->turn_id, &th) ? state_thread_call(th, x->object_id)
	                                                      : NULL;
	if (call && !call_is_over(call) && str_is(x->args))
		tool_start_run(x, th, call);
	else
		end_unstarted(x, tool_error_arguments_unreadable());
}

void tool_fetch_args(struct effect_run *x, struct str ref)
{
	x->read = (struct store_read){
		.kind = READ_BLOB, .key = arena_keep(x->mem, ref), .done = args_read, .owner = x
	};
	x->engine->ports.store->ops->read(x->engine->ports.store, &x->read);
}

/*
 * The tool ignores the cancellation.  The turn must end, so the call is recorded with an
 * unknown outcome.  The toolset still owes its end, so the run waits for that; a paused
 * tool could not give it.
 */
static void on_stop_timeout(struct clock_timer *timer)
{
	struct effect_run *x = OWNER_OF(timer, struct effect_run, patience);

	effects_resume(x, PAUSE_BUFFER);
	record_end(x, &(struct tool_end){ .cancelled = true,
	                                  .executed = EXECUTED_UNKNOWN,
	                                  .exit = x->is_running ? EXIT_UNSEEN : EXIT_NONE,
	                                  .message = tool_error_did_not_stop().message,
	                                  .advice = tool_error_did_not_stop().advice });
}

void tool_cancel(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	if (x->is_cancelling || x->has_ended)
		return;
	x->is_cancelling = true;
	if (x->is_waiting) { /* it has not begun, and does not begin any more */
		x->is_waiting = false;
		c->ops->stop(c, &x->tick);
		record_end(x, &(struct tool_end){ .cancelled = true,
		                                  .executed = x->is_remote ? EXECUTED_UNKNOWN
		                                                           : EXECUTED_NO });
		return;
	}
	x->patience.fire = on_stop_timeout;
	c->ops->start(c, &x->patience, LIMIT_STOP_WAIT_MS);
	if (x->tool)
		x->toolset->ops->cancel(x->toolset, x->tool);
}
