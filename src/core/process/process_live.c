/*
 * Background commands: their output, their input and their end.  The events
 * rest on the folded process alone: the call and the turn that started it may
 * have left the state long ago.
 * spec: contracts/execution-environment,
 * contracts/control-plane#process-and-channel-control
 */
#include "core/process/process.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "core/decide.h"
#include "core/tool/tool_emit.h"

const struct st_process *process_live_find(const struct state *w, struct str process_id,
                                           const struct st_thread **ret_thread)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_process *p = process_in_thread(w->s->threads.items[i], process_id);

		if (p && ret_thread)
			*ret_thread = w->s->threads.items[i];
		if (p)
			return p;
	}
	return NULL;
}

/* decision_in_call() needs the call and the turn, which may be gone. */
static struct event *of_process(struct event *ev, const struct st_thread *th,
                                const struct st_process *p)
{
	decision_in_thread(ev, th);
	ev->turn_id = p->turn_id;
	ev->step_id = p->step_id;
	ev->tool_call_id = p->tool_call_id;
	ev->process_id = p->process_id;
	ev->output_ref = p->output_ref;
	ev->trace_id = p->trace_id;
	ev->span_id = p->span_id;
	return ev;
}

/* ---- inputs ---- */

/*
 * The engine passes the total; the event reports the difference since the last one.  A repeated or
 * late report emits nothing.
 */
void process_live_grew(struct decision *d, struct str process_id, int64_t bytes, int64_t chunks)
{
	const struct st_thread *th;
	const struct st_process *p = process_live_find(d->w, process_id, &th);

	if (!p || process_is_over(p) || bytes <= p->output_bytes)
		return;
	of_process(EMIT(d, PROCESS_OUTPUT, process_output,
	                .stream = p->tty ? PROCESS_STREAM_PTY : PROCESS_STREAM_STDOUT,
	                .offset = p->output_bytes, .bytes = bytes - p->output_bytes,
	                .chunks = chunks),
	           th, p);
}

void process_live_violation(struct decision *d, struct str process_id,
                            const struct tool_violation *v)
{
	const struct st_thread *th;
	const struct st_process *p = process_live_find(d->w, process_id, &th);

	if (p && !process_is_over(p))
		of_process(process_call_emit_violation(d, v), th, p);
}

void process_live_written(struct decision *d, struct str process_id, int64_t bytes, bool eof)
{
	const struct st_thread *th;
	const struct st_process *p = process_live_find(d->w, process_id, &th);

	if (!p || process_is_over(p))
		return;
	of_process(EMIT(d, PROCESS_INPUT, process_input, .bytes = bytes,
	                .output_offset = p->output_bytes, .has_output_offset = true, .eof = eof,
	                .has_eof = eof,
	                .requested_by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_AGENT)),
	           th, p);
}

void process_live_unavailable(struct decision *d, struct str process_id, struct str command)
{
	const struct st_thread *th;
	const struct st_process *p = process_live_find(d->w, process_id, &th);
	struct event *ev =
		EMIT(d, RUNTIME_WARNING, runtime_warning,
	             .category = WARNING_CATEGORY_PROCESS_UNAVAILABLE,
	             .message = arena_printf(d->mem, "%.*s names a process that %s: %.*s.",
	                                     STR_ARG(command), p ? "was lost" : "is not known here",
	                                     STR_ARG(process_id)),
	             .cause = command);

	if (p)
		decision_in_thread(ev, th);
}

/* ---- ends ---- */

/*
 * The end reports bytes that no progress event has covered yet, then seals the output (GAP-54).  An
 * empty output is stored too, so that its ref can be read.
 */
static void emit_output(struct decision *d, const struct st_thread *th, const struct st_process *p,
                        const struct tool_end *e)
{
	struct event *ev;

	if (!e->output_bytes) {
		decision_keep_blob(d, p->output_ref, STR("text/plain"), STR(""));
		return;
	}
	if (e->output_bytes > p->output_bytes)
		process_live_grew(d, p->process_id, e->output_bytes, 1);
	ev = of_process(EMIT(d, OUTPUT_SPILLED, output_spilled, .size_bytes = e->output_bytes,
	                     .policy = STR("spill:process"), .complete = e->is_complete),
	                th, p);
	ev->output =
		tool_emit_output_record(d, p->output_ref, OUTPUT_OWNER_PROCESS, p->process_id, e);
	for (size_t i = 0; i < e->redaction_count; i++)
		of_process(tool_emit_redaction(d, &e->redactions[i]), th, p);
}

static void emit_terminated(struct decision *d, const struct st_thread *th,
                            const struct st_process *p, const struct tool_end *e,
                            const struct input_stop *stop, struct list_str refs)
{
	struct list_rec hosts = process_call_reached_hosts(d, e->hosts);
	struct event *ev = of_process(
		EMIT(d, PROCESS_TERMINATED, process_terminated,
	             .by = stop->by ? stop->by : TERMINATED_BY_USER,
	             .cause = str_is(stop->cause) ? stop->cause : STR("terminate_process"),
	             .signal = str_is(e->signal) ? e->signal : STR("SIGTERM"),
	             .escalated = e->is_escalated, .duration_ms = since(d, p->started_at),
	             .survivors = e->survivors, .output_refs = refs, .requested_by = stop->actor,
	             .hosts = REACHED(hosts)),
		th, p);

	ev->status = STATUS_CANCELLED;
	ev->status_reason = stop->reason;
	ev->native_status = str_is(e->signal)
	                            ? arena_printf(d->mem, "signal:%.*s", STR_ARG(e->signal))
	                            : arena_printf(d->mem, "exit:%lld", (long long)e->exit_code);
}

static void emit_completed(struct decision *d, const struct st_thread *th,
                           const struct st_process *p, const struct tool_end *e,
                           struct list_str refs)
{
	struct list_rec hosts = process_call_reached_hosts(d, e->hosts);
	struct event *ev = of_process(
		EMIT(d, PROCESS_COMPLETED, process_completed, .exit_code = e->exit_code,
	             .duration_ms = since(d, p->started_at), .output_refs = refs,
	             .max_rss_bytes = e->max_rss_bytes, .has_max_rss_bytes = e->max_rss_bytes > 0,
	             .cpu_ms = e->cpu_ms, .has_cpu_ms = e->cpu_ms > 0, .hosts = REACHED(hosts),
	             LIMITS_REACHED(d, e)),
		th, p);

	ev->status = STATUS_COMPLETED;
	if (e->exit_code)
		ev->native_status = arena_printf(d->mem, "exit:%lld", (long long)e->exit_code);
}

static void warn_lost(struct decision *d, const struct st_thread *th, const struct st_process *p)
{
	decision_in_thread(
		EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_PROCESS_LOST,
	             .message =
	                     arena_printf(d->mem,
	                                  "%.*s ran in the background and cannot be found again. "
	                                  "It is not started again by itself.",
	                                  STR_ARG(p->process_id)),
	             .cause = STR("process")),
		th);
}

void process_live_end(struct decision *d, struct str process_id, const struct tool_end *e,
                      const struct input_stop *stop)
{
	const struct st_thread *th;
	const struct st_process *p = process_live_find(d->w, process_id, &th);
	struct list_str refs;

	if (!p || process_is_over(p))
		return;
	refs = STRINGS(d, p->output_ref);
	emit_output(d, th, p, e);
	if (e->exit == EXIT_BY_CODE) {
		emit_completed(d, th, p, e, refs);
	} else if (e->exit == EXIT_BY_STOP && e->survivors >= 0) {
		emit_terminated(d, th, p, e, stop, refs);
	} else {
		of_process(process_call_emit_failed(d, e, refs, since(d, p->started_at)), th, p);
		if (e->exit == EXIT_UNSEEN)
			warn_lost(d, th, p);
	}
}

/* ---- commands ---- */

/* NULL: refused, because it does not exist, has ended, or belongs to a running turn. */
static const struct st_process *find_addressed(struct decision *d, struct str process_id,
                                               const struct st_thread **ret_thread)
{
	const struct st_process *p = process_live_find(d->w, process_id, ret_thread);

	if (!p)
		decision_refuse(d, ERROR_CODE_PROCESS_NOT_FOUND, "there is no process %.*s",
		                STR_ARG(process_id));
	else if (p->status == PROCESS_STATUS_LOST)
		decision_refuse(d, ERROR_CODE_UNAVAILABLE, "%.*s was lost", STR_ARG(process_id));
	else if (process_is_over(p))
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s has ended", STR_ARG(process_id));
	else
		return p;
	return NULL;
}

static struct str reply_about(struct decision *d, const struct st_process *p, const char *key,
                              int64_t value)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "processId", p->process_id);
	if (key) {
		jw_kint(&w, str_from(key), value);
		JW_KINT(&w, "outputOffset", p->output_bytes);
	}
	jw_obj_end(&w);
	text = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

bool process_live_bytes(struct arena *mem, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!base64_read(&out, text))
		return false;
	*ret = out.len ? arena_keep(mem, buf_str(&out)) : STR("");
	return true;
}

/*
 * The engine writes the bytes when the event is durable.  A process of a call has no input: its
 * turn owns it.
 */
void decide_write_process_stdin(struct decision *d, const struct cmd_write_process_stdin *cmd)
{
	const struct st_thread *th;
	const struct st_process *p = find_addressed(d, cmd->process_id, &th);
	struct str bytes = cmd->data;

	if (!p)
		return;
	if (!p->background || p->input_closed) {
		decision_refuse(d, ERROR_CODE_STDIN_CLOSED, "%.*s accepts no input",
		                STR_ARG(cmd->process_id));
		return;
	}
	if (cmd->base64 && !process_live_bytes(d->mem, cmd->data, &bytes)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "data is not base64");
		return;
	}
	if (!bytes.len && !cmd->eof) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "data is empty: there is nothing to write");
		return;
	}
	/* Input may be a password: the event records its length, never its content. */
	of_process(EMIT(d, PROCESS_INPUT, process_input, .bytes = (int64_t)bytes.len,
	                .output_offset = p->output_bytes, .has_output_offset = true,
	                .eof = cmd->eof, .has_eof = cmd->eof, .requested_by = decision_actor(d)),
	           th, p);
	d->reply = reply_about(d, p, "bytes", (int64_t)bytes.len);
}

/* No event here: the engine stops the process, and its end reports who asked and why. */
void decide_terminate_process(struct decision *d, const struct cmd_terminate_process *cmd)
{
	const struct st_thread *th;
	const struct st_process *p = find_addressed(d, cmd->process_id, &th);

	if (!p)
		return;
	if (!p->background)
		decision_refuse(d, ERROR_CODE_UNAVAILABLE,
		                "%.*s belongs to a running turn: interrupt_turn ends it",
		                STR_ARG(cmd->process_id));
	else if (cmd->has_grace_ms && (cmd->grace_ms < 0 || cmd->grace_ms > 60000))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "graceMs: 0 to 60000");
	else
		d->reply = reply_about(d, p, NULL, 0);
}

void decide_resize_process(struct decision *d, const struct cmd_resize_process *cmd)
{
	const struct st_thread *th;
	const struct st_process *p = find_addressed(d, cmd->process_id, &th);

	if (!p)
		return;
	if (cmd->rows < 1 || cmd->rows > 10000 || cmd->columns < 1 || cmd->columns > 10000)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "columns and rows: 1 to 10000");
	else if (!p->background || !p->tty)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "%.*s has no terminal",
		                STR_ARG(cmd->process_id));
	else
		d->reply = reply_about(d, p, NULL, 0);
}
