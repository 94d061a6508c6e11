/*
 * The end of a call: its result is recorded, stored, and truncated to what the
 * model gets.
 */
#include "core/context/assemble.h"
#include "core/hook/hook.h"
#include "core/process/process.h"
#include "core/subagent/subagent.h"
#include "core/tool/tool_emit.h"

#include "base/utf8.h"

/* ---- output ---- */

/* Also for output that is not stored: the event is the proof that something was removed. */
static void emit_redacted(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c, const struct tool_end *e)
{
	for (size_t i = 0; i < e->redaction_count; i++) {
		struct event *ev =
			decision_in_call(tool_emit_redaction(d, &e->redactions[i]), th, t, c);

		ev->output_ref = str_is(e->output_ref) ? e->output_ref : c->output_ref;
		ev->process_id = c->process_id;
	}
}

/* ---- text for the model ---- */

/* A result up to this size is part of its event; a longer one is behind its ref. */
#define INLINE_RESULT 4096
/* By the conservative estimate of three bytes per token. */
#define MODEL_BYTES (LIMIT_TOOL_RESULT_TOKENS * 3)

/*
 * Images are never inline: providers get them as bytes behind a ref.  Other bytes that are no text
 * would not survive in an event.
 */
static bool is_inline(const struct tool_end *e)
{
	return !str_is(e->output_ref) && e->text.len <= INLINE_RESULT && !str_is(e->media_type) &&
	       utf8_is_valid(e->text);
}

/* The result is what a remote child says: its parent reads it behind its ref, whatever its size. */
static bool is_words_of_child(const struct decision *d, const struct st_turn *t,
                              const struct st_call *c)
{
	const struct st_thread *th;

	return t->kind == TURN_KIND_CALL && str_is(c->output_ref) &&
	       state_turn(d->w, t->turn_id, &th) && subagent_of_thread(d->w, th->thread_id);
}

/* A hook may replace the result: then the original stays readable behind its ref. */
static bool is_shown_whole(const struct decision *d, const struct st_turn *t,
                           const struct st_call *c, const struct tool_end *e)
{
	return is_inline(e) && !is_words_of_child(d, t, c) &&
	       !(str_is(c->output_ref) && hook_is_due(d, t, c, HOOK_POINT_POST_TOOL_USE));
}

/*
 * All of the output when it fits, else both ends; binary output is only named. ret_kept: how many
 * bytes of the output the model gets.  A spilled output has head and tail only; the middle is on
 * disk.
 */
static struct str text_for_model(struct decision *d, const struct tool_end *e, struct str ref,
                                 int64_t *ret_kept)
{
	bool is_spilled = str_is(e->output_ref);
	struct str head = is_spilled ? e->head : utf8_head(e->text, MODEL_BYTES / 2);
	struct str tail = is_spilled ? e->tail : utf8_tail(e->text, MODEL_BYTES / 2);

	if (tool_emit_is_image(e)) {
		*ret_kept = e->output_bytes;
		return arena_printf(d->mem, "An image: %.*s, %lld bytes.", STR_ARG(e->media_type),
		                    (long long)e->output_bytes);
	}
	if (str_is(e->media_type) || (is_spilled ? !e->is_text : !utf8_is_valid(e->text))) {
		*ret_kept = 0;
		return arena_printf(d->mem, "It is not text; its %lld bytes are behind %.*s.",
		                    (long long)e->output_bytes, STR_ARG(ref));
	}
	*ret_kept = (int64_t)e->text.len;
	if (!is_spilled && e->text.len <= MODEL_BYTES)
		return e->text;
	*ret_kept = (int64_t)(head.len + tail.len);
	return arena_printf(d->mem, "%.*s\n… %lld bytes left out; read_output reads %.*s …\n%.*s",
	                    STR_ARG(head), (long long)(e->output_bytes - *ret_kept), STR_ARG(ref),
	                    STR_ARG(tail));
}

static struct str output_ref_of(const struct st_call *c, const struct tool_end *e)
{
	return str_is(e->output_ref) ? e->output_ref : c->output_ref;
}

static void emit_truncated(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, const struct tool_end *e)
{
	struct str ref = output_ref_of(c, e);
	struct event *ev;
	int64_t kept;

	text_for_model(d, e, ref, &kept);
	if (is_inline(e) || kept >= e->output_bytes)
		return;
	ev = decision_in_call(EMIT(d, OUTPUT_TRUNCATED, output_truncated,
	                           .truncation = TRUNCATION_HEAD_TAIL,
	                           .policy = arena_printf(d->mem, "tool-result:%d-tokens",
	                                                  LIMIT_TOOL_RESULT_TOKENS),
	                           .kept_bytes = kept, .omitted_bytes = e->output_bytes - kept,
	                           .for_ = TRUNCATED_FOR_MODEL),
	                      th, t, c);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
}

static struct str preview_of(struct decision *d, const struct tool_end *e)
{
	int64_t ignored;

	return tool_emit_is_image(e)   ? text_for_model(d, e, STR_NONE, &ignored)
	       : str_is(e->output_ref) ? utf8_preview(d->mem, e->head, 500)
	       : is_inline(e)          ? e->text
	                               : utf8_preview(d->mem, e->text, LIMIT_PREVIEW);
}

/* Above the limit the whole text is stored separately. */
static void emit_spilled(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, const struct tool_end *e)
{
	struct event *ev = decision_in_call(
		EMIT(d, OUTPUT_SPILLED, output_spilled, .size_bytes = e->output_bytes,
	             .policy = arena_printf(d->mem, "spill:%s:%d",
	                                    str_is(c->process_id) ? "process" : "tool",
	                                    LIMIT_INLINE_OUTPUT_BYTES),
	             .complete = e->is_complete),
		th, t, c);
	bool is_process = str_is(c->process_id);

	ev->output_ref = e->output_ref;
	ev->process_id = c->process_id;
	ev->output = tool_emit_output_record(d, e->output_ref,
	                                     is_process ? OUTPUT_OWNER_PROCESS : OUTPUT_OWNER_TOOL,
	                                     is_process ? c->process_id : c->tool_call_id, e);
}

/*
 * Before the end of a call: the record of its output, and the end of its process.  The order of
 * events at an end: the output is stored, what the model misses is reported, then redactions, then
 * the end of the process.  The end of the call follows and refers to all of them.
 */
static void close_output(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, const struct tool_end *e)
{
	/*
	 * A text that is not completely in the event is stored under the ref that was issued at
	 * dispatch.  The output of a background process stays open under that ref until the process
	 * ends.
	 */
	if (str_is(e->output_ref))
		emit_spilled(d, th, t, c, e);
	else if ((str_is(c->process_id) || e->redaction_count || !is_shown_whole(d, t, c, e)) &&
	         str_is(c->output_ref) && !process_left_by_call(th, c))
		decision_keep_blob(d, c->output_ref,
		                   tool_emit_is_image(e)    ? e->media_type
		                   : utf8_is_valid(e->text) ? STR("text/plain")
		                                            : STR("application/octet-stream"),
		                   e->text);
	emit_truncated(d, th, t, c, e);
	emit_redacted(d, th, t, c, e);
	process_call_end(d, th, t, c, e);
}

/*
 * Called by recovery.  Output that reached the disk before the crash is kept and shown to the
 * model, because it may tell how far the call came.
 */
void turn_result_lose_call(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, const struct tool_end *printed)
{
	struct st_call known = *c;
	struct event *ev;

	action_withdraw(d, th, t, c, STR("the call that asked has ended"));
	/* Without output on disk the ref of the dispatch leads nowhere. */
	known.output_ref = printed ? printed->output_ref : STR_NONE;
	if (printed) {
		emit_spilled(d, th, t, c, printed);
		emit_truncated(d, th, t, c, printed);
	}
	process_call_lose(d, th, t, c, printed);
	tool_emit_failed(d, th, t, &known, STATUS_LOST, tool_error_lost_at_restart());
	if (!printed)
		return;
	ev = d->events[d->count - 1];
	decision_add_ref(d, ev, STR("rawOutput"), printed->output_ref);
}

static void emit_artifact(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c, const struct tool_change *f,
                          struct list_str *ret_refs)
{
	struct event *ev = decision_in_call(tool_emit_change(d, f), th, t, c);

	rec_list_str_add(d->mem, ret_refs,
	                 arena_printf(d->mem, "artifact:%.*s", STR_ARG(ev->artifact_id)));
}

/* What a call changed, and what of it undo cannot revert; whatever its result is. */
static void emit_changes(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, const struct tool_end *e,
                         struct list_str *ret_refs)
{
	struct event *ev;

	for (size_t i = 0; i < e->change_count; i++)
		emit_artifact(d, th, t, c, &e->changes[i], ret_refs);
	if (!str_is(e->not_covered))
		return;
	ev = decision_in_thread(EMIT(d, RUNTIME_WARNING, runtime_warning,
	                             .category = WARNING_CATEGORY_UNDO_INCOMPLETE,
	                             .message = e->not_covered, .cause = c->tool_name,
	                             .ref = c->tool_call_id),
	                        th);
	ev->turn_id = t->turn_id;
}

/* Binary parts are artifacts: images go to the model, of the others it learns the refs. */
static void emit_parts(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, struct tool_end *e, struct ev_tool_result *p)
{
	const struct tool_info *tool = turn_call_tool(d, c);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_str(&text, e->text);
	for (size_t i = 0; i < e->part_count; i++) {
		const struct tool_part *part = &e->parts[i];
		struct str ref = STR_NONE, owner = tool ? tool->owner : STR("unknown");
		struct event *ev = str_is(part->url) ? tool_emit_link(d, part, owner)
		                                     : tool_emit_part(d, part, owner, &ref);

		decision_in_call(ev, th, t, c);

		rec_list_str_add(d->mem, &p->artifact_refs,
		                 arena_printf(d->mem, "artifact:%.*s", STR_ARG(ev->artifact_id)));
		if (part->is_image)
			*(struct rec_input_part *)rec_list_add(d->mem, &p->images,
			                                       &rec_input_part_desc) =
				(struct rec_input_part){ .type = STR("image"),
				                         .media_type = part->media_type,
				                         .bytes = (int64_t)part->bytes.len,
				                         .ref = ref };
		else if (!str_is(part->url)) /* the text of the result has the addresses */
			buf_printf(&text, "%s[%.*s, %zu bytes: %.*s]", text.len ? "\n" : "",
			           STR_ARG(part->media_type), part->bytes.len, STR_ARG(ref));
	}
	/* A spilled output is stored as it is; its event has the artifacts. */
	if (str_is(e->output_ref) || text.len == e->text.len)
		return;
	e->text = arena_keep(d->mem, buf_str(&text));
	e->output_bytes = (int64_t)e->text.len;
}

/* The call was lost with the runtime, and the next one found what it had changed. */
void turn_result_lost_changes(struct decision *d, struct str turn_id, struct str call_id,
                              const struct tool_end *end)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;
	struct list_str ignored = { 0 };

	if (c)
		emit_changes(d, th, t, c, end, &ignored);
}

/*
 * Three sizes of a result: whole in the event, whole behind a ref, or truncated for the model with
 * the rest behind a ref.  The event never holds more than INLINE_RESULT.
 */
static void tool_result(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct st_call *c, const struct tool_end *end)
{
	struct tool_end with_parts = *end, *e = &with_parts;
	struct ev_tool_result parts = { 0 };

	emit_parts(d, th, t, c, e, &parts);
	struct str ref = is_shown_whole(d, t, c, e) ? STR_NONE : output_ref_of(c, e);
	struct str text = STR_NONE;
	struct ev_tool_result p = {
		.tool_name = c->tool_name,
		.duration_ms = tool_emit_ran_ms(d, c),
		.display_preview = preview_of(d, e),
		.truncation = str_is(e->output_ref) ? TRUNCATION_HEAD_TAIL
		              : is_inline(e)        ? TRUNCATION_NONE
		                                    : TRUNCATION_HEAD,
		.permission_decision = call_decision(c),
		.decision_id = call_decision_id(c),
		.sandbox_mode = c->sandbox_mode,
		.hook_run_ids = c->hook_run_ids,
		.is_error = e->is_error,
		.exit_code = e->exit_code,
		.has_exit_code = e->has_exit_code,
		.raw_output_ref = ref,
		.output_bytes = e->output_bytes,
		.has_output_bytes = e->output_bytes > 0,
		.artifact_refs = parts.artifact_refs,
		.images = parts.images,
	};
	struct event *ev;

	if (str_is(ref))
		text = text_for_model(d, e, ref, &p.model_bytes);
	p.has_model_bytes = str_is(ref);
	if (tool_emit_is_image(e)) {
		p.model_bytes = (int64_t)text.len;
		*(struct rec_input_part *)rec_list_add(d->mem, &p.images, &rec_input_part_desc) =
			(struct rec_input_part){ .type = STR("image"),
			                         .media_type = e->media_type,
			                         .bytes = e->output_bytes,
			                         .ref = ref };
	}
	close_output(d, th, t, c, e);
	emit_changes(d, th, t, c, e, &p.artifact_refs);
	if (str_is(e->structured))
		p.structured_content_ref =
			decision_new_blob(d, STR("application/json"), e->structured);
	if (str_is(e->content))
		p.content_ref = decision_new_blob(d, STR("application/json"), e->content);
	ev = decision_in_call(decision_emit_event(d, EV_TOOL_RESULT, &p), th, t, c);
	ev->status = STATUS_COMPLETED;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_COMPLETED);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
	if (str_is(ref)) {
		decision_add_ref(d, ev, STR("rawOutput"), ref);
		/*
		 * A text that was not shortened is the raw output itself, so it needs no second
		 * blob.
		 */
		decision_add_ref(d, ev, STR("modelText"),
		                 text.ptr == e->text.ptr
		                         ? ref
		                         : decision_new_blob(d, STR("text/plain"), text));
	}
	if (str_is(e->structured))
		decision_add_ref(d, ev, STR("structuredContent"), p.structured_content_ref);
	if (str_is(e->content))
		decision_add_ref(d, ev, STR("content"), p.content_ref);
}

/*
 * Failed calls have output too: the model gets the reason first and then what the tool wrote.  A
 * denial of the sandbox may turn into a question instead; then the call stays open.
 */
static void tool_failure(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, const struct tool_end *e)
{
	struct str ref = is_inline(e) ? STR_NONE : output_ref_of(c, e);
	bool has_output = e->output_bytes > 0 && str_is(c->output_ref);
	struct list_str changed = { 0 };
	int64_t kept = 0;
	struct str text = has_output ? text_for_model(d, e, output_ref_of(c, e), &kept) : STR_NONE;
	struct event *ev;

	struct str error_ref;

	close_output(d, th, t, c, e);
	emit_changes(d, th, t, c, e, &changed);
	if (turn_tool_call_asks_more(d, th, t, c, e))
		return;
	/* What the tool said about its failure in a structured form. */
	error_ref = str_is(e->structured)
	                    ? decision_new_blob(d, STR("application/json"), e->structured)
	                    : STR_NONE;
	ev = decision_in_call(
		EMIT(d, TOOL_FAILED, tool_failed, .tool_name = c->tool_name,
	             .category = e->cancelled ? ERROR_CATEGORY_INTERRUPTED : e->category,
	             .reason = e->cancelled ? STR("interrupt_turn")
	                       : e->category == ERROR_CATEGORY_SANDBOX_DENIED ? STR("sandbox")
	                                                                      : STR("tool_failed"),
	             .retryable = e->cancelled || e->retryable,
	             .executed = e->executed ? e->executed : EXECUTED_UNKNOWN,
	             .advice = str_is(e->advice) ? e->advice
	                       : e->cancelled    ? tool_error_interrupted().advice
	                                         : STR_NONE,
	             .display_preview = preview_of(d, e), .raw_output_ref = ref,
	             .error_ref = error_ref, .model_bytes = kept, .has_model_bytes = has_output,
	             .permission_decision = call_decision(c), .decision_id = call_decision_id(c),
	             .sandbox_mode = c->sandbox_mode, .violation_refs = c->violation_refs,
	             .hook_run_ids = c->hook_run_ids, .duration_ms = tool_emit_ran_ms(d, c),
	             .has_duration_ms = true, .exit_code = e->exit_code,
	             .has_exit_code = e->has_exit_code, .output_bytes = e->output_bytes,
	             .has_output_bytes = e->output_bytes > 0),
		th, t, c);

	ev->status = e->cancelled ? STATUS_CANCELLED : STATUS_FAILED;
	ev->status_reason = str_is(e->message) ? e->message
	                    : e->cancelled     ? tool_error_interrupted().message
	                                       : STR_NONE;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, ev->status);
	ev->output_ref = ref;
	ev->process_id = c->process_id;
	if (str_is(ref))
		decision_add_ref(d, ev, STR("rawOutput"), ref);
	if (str_is(error_ref))
		decision_add_ref(d, ev, STR("error"), error_ref);
	if (has_output) {
		struct str why = assemble_failure_text(d->mem, ev);

		decision_add_ref(d, ev, STR("modelText"),
		                 decision_new_blob(d, STR("text/plain"),
		                                   arena_printf(d->mem, "%.*s\n\nIt wrote:\n%.*s",
		                                                STR_ARG(why), STR_ARG(text))));
	}
}

/* An error after a violation is reported as a denial, not as a failure of the tool. */
static struct tool_end as_denied(const struct st_call *c, const struct tool_end *e)
{
	struct tool_error denied = tool_error_sandbox_denied();
	struct tool_end told = *e;

	if (!c->violation_refs.count || e->cancelled || !(e->is_error || e->failed))
		return told;
	tool_end_fail(&told, &denied);
	told.executed = EXECUTED_PARTLY;
	if (str_is(e->message))
		told.message = e->message;
	if (str_is(e->advice))
		told.advice = e->advice;
	return told;
}

/*
 * The input from the engine when a tool, a process or a tool server has ended.  Late ends of calls
 * that are over are dropped.  An open question of the call is withdrawn first: its asker is gone.
 */
void turn_result_tool_end(struct decision *d, struct str turn_id, struct str call_id,
                          const struct tool_end *end)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);
	const struct st_call *c = t ? state_thread_call(th, call_id) : NULL;

	if (!c || call_is_over(c) || !c->dispatched)
		return;
	action_withdraw(d, th, t, c, STR("the call that asked has ended"));
	struct tool_end told = as_denied(c, end);
	const struct tool_end *e = &told;

	if (!e->failed && !e->cancelled) {
		tool_result(d, th, t, c, e);
		return;
	}
	tool_failure(d, th, t, c, e);
}
