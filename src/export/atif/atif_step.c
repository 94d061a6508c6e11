/*
 * Steps of a trajectory, numbered from 1.
 *
 *	turn.submitted            waits until its turn begins ──► user step
 *	context.resolved          instructions that changed   ──► system step
 *	model.requested           opens the agent's step; deltas, calls and results
 *	                          join it; the next request or the turn's end closes it
 *	context.compaction.completed ──► system step, and a user step with the summary
 *
 * A request that is repeated after a failure stays in its step: llm_call_count
 * counts it, and extra.attempts says why.
 */
#include "export/atif/atif_int.h"

#define NOTICES_MAX 32

/* ---- the frame of a step ---- */

static void step_begin(struct atif *a, struct str at, const char *source)
{
	atif_doc_open(a);
	a->step_from = a->out.len;
	jw_obj(&a->w);
	JW_KINT(&a->w, "step_id", ++a->step_count);
	JW_KOPT(&a->w, "timestamp", at);
	JW_KSTR(&a->w, "source", str_from(source));
}

static void step_end(struct atif *a)
{
	jw_obj_end(&a->w);
	atif_clean_from(a, a->step_from);
	if (a->out.len < ATIF_FLUSH || a->has_failed)
		return;
	a->has_failed = !a->o.port.write(a->o.port.arg, buf_str(&a->out));
	buf_clear(&a->out);
}

/* ---- content ---- */

static bool is_text(struct json part)
{
	return str_eq(atif_text(part, "type"), STR("text"));
}

/* Whether the previews of the event are the whole input. */
static bool is_complete(struct json parts)
{
	struct json_iter it = json_iter(parts);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part))
		if (is_text(part) &&
		    (int64_t)atif_text(part, "preview").len < json_int(JSON_GET(part, "bytes"), 0))
			return false;
	return true;
}

/* The text of one part: from the stored input if that could be read. */
static struct str part_text(struct json part, struct json stored)
{
	struct str whole = atif_text(stored, "text");

	return str_is(whole) ? whole : atif_text(part, "preview");
}

static void put_parts(struct json_writer *w, struct json parts, struct json stored)
{
	struct json_iter it = json_iter(parts);
	struct json part;
	struct str key;
	size_t at = 0;

	jw_arr(w);
	while (json_next(&it, &key, &part)) {
		if (is_text(part))
			atif_put_text_part(w, part_text(part, json_at(stored, at)));
		else
			atif_put_part(w, part);
		at++;
	}
	jw_arr_end(w);
}

/* One text is a string, anything else a list of parts. */
static void put_input(struct atif *a, struct json parts, struct str ref)
{
	CLEANUP(buf_done) struct buf text = { .max = ATIF_TEXT_MAX };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json stored = { 0 }, first = json_at(parts, 0);

	if (!is_complete(parts) && atif_doc_read(a, ref, &text) &&
	    json_read_trusted(mem, buf_str(&text), &stored, NULL) != OK)
		stored = (struct json){ 0 };
	JW_KEY(&a->w, "message");
	if (json_count(parts) == 1 && is_text(first))
		jw_str(&a->w, part_text(first, json_at(stored, 0)));
	else if (!json_count(parts))
		jw_str(&a->w, STR(""));
	else
		put_parts(&a->w, parts, stored);
}

/* ---- user steps ---- */

void atif_step_input(struct atif *a, struct json ev)
{
	struct arena *mem = arena_new_small();
	struct atif_input *in = ARENA_NEW(mem, struct atif_input), **at = &a->inputs;

	in->mem = mem;
	in->turn = arena_keep(mem, atif_text(ev, "turnId"));
	if (!json_count(JSON_GET(JSON_GET(ev, "payload"), "input")) ||
	    json_read_trusted(mem, json_text(mem, ev), &in->ev, NULL) != OK) {
		arena_free(mem);
		return;
	}
	while (*at)
		at = &(*at)->next;
	*at = in;
}

void atif_step_due(struct atif *a, struct str turn)
{
	for (struct atif_input *in = a->inputs; in; in = in->next)
		if (str_eq(in->turn, turn))
			in->is_due = true;
}

static void write_user(struct atif *a, const struct atif_input *in)
{
	static const char *const kept[] = { "source",  "delivery",  "kind",     "mergedInto",
		                            "options", "configRef", "inputRef", "jobItemId" };
	struct json p = JSON_GET(in->ev, "payload");

	step_begin(a, atif_text(in->ev, "timestamp"), "user");
	put_input(a, JSON_GET(p, "input"), atif_text(p, "inputRef"));
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	atif_put_ids(&a->w, in->ev);
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(&a->w, kept[i], json_get(p, str_from(kept[i])));
	if (!in->is_due)
		jw_kbool(&a->w, STR("notStarted"), true);
	jw_obj_end(&a->w);
	step_end(a);
}

/* The instructions that the following requests are sent, in the order of context.resolved. */
static void put_instructions(struct atif *a)
{
	CLEANUP(buf_done) struct buf text = { .max = ATIF_TEXT_MAX };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json list = { 0 }, source;
	struct json_iter it;
	struct str key;

	if (json_read_trusted(mem, a->instructions, &list, NULL) != OK)
		return;
	it = json_iter(list);
	while (json_next(&it, &key, &source)) {
		if (text.len)
			buf_add_c(&text, "\n\n");
		atif_doc_read(a, atif_text(source, "outputRef"), &text);
	}
	JW_KSTR(&a->w, "message", buf_str(&text));
}

static void write_instructions(struct atif *a)
{
	if (!str_is(a->instructions))
		return;
	step_begin(a, STR_NONE, "system");
	put_instructions(a);
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	JW_KEY(&a->w, "instructions");
	jw_raw(&a->w, a->instructions);
	jw_obj_end(&a->w);
	step_end(a);
	a->instructions = STR_NONE;
}

void atif_step_write_due(struct atif *a, bool with_all)
{
	struct atif_input **at = &a->inputs;

	write_instructions(a);
	while (*at) {
		struct atif_input *in = *at;

		if (!in->is_due && !with_all) {
			at = &in->next;
			continue;
		}
		write_user(a, in);
		*at = in->next;
		arena_free(in->mem);
	}
}

void atif_step_drop_input(struct atif *a, struct str turn)
{
	for (struct atif_input **at = &a->inputs; *at; at = &(*at)->next) {
		struct atif_input *in = *at;

		if (!str_eq(in->turn, turn))
			continue;
		*at = in->next;
		arena_free(in->mem);
		return;
	}
}

/* ---- the agent's step ---- */

void atif_step_init(struct atif *a)
{
	a->step = (struct atif_step){ .mem = arena_new(),
		                      .text = { .max = ATIF_TEXT_MAX },
		                      .reasoning = { .max = ATIF_TEXT_MAX },
		                      .attempts = { .max = ATIF_TEXT_MAX },
		                      .notices = { .max = ATIF_TEXT_MAX } };
}

/* Empties the step and keeps its memory for the next one. */
static void step_reset(struct atif *a)
{
	struct atif_step *s = &a->step;

	atif_call_free_all(a);
	arena_reset(s->mem);
	buf_clear(&s->text);
	buf_clear(&s->reasoning);
	buf_clear(&s->attempts);
	buf_clear(&s->notices);
	*s = (struct atif_step){ .mem = s->mem,
		                 .text = s->text,
		                 .reasoning = s->reasoning,
		                 .attempts = s->attempts,
		                 .notices = s->notices };
}

static void take_steers(struct atif *a, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json id;
	struct str key;

	while (json_next(&it, &key, &id))
		atif_step_due(a, json_str(id));
}

static void step_open(struct atif *a, struct json ev)
{
	struct atif_step *s = &a->step;

	s->is_open = true;
	s->at = arena_keep(s->mem, atif_text(ev, "timestamp"));
	s->turn = arena_keep(s->mem, atif_text(ev, "turnId"));
	s->task = arena_keep(s->mem, atif_text(ev, "taskId"));
	s->run = arena_keep(s->mem, atif_text(ev, "runId"));
	s->sequence = json_int(JSON_GET(ev, "sequence"), 0);
	jw_init(&s->attempts_w, &s->attempts);
	jw_arr(&s->attempts_w);
	jw_init(&s->notices_w, &s->notices);
	jw_arr(&s->notices_w);
}

/* A request that failed is followed by another one for the same answer, of this model or another. */
static bool is_repeated(const struct atif *a, struct json ev)
{
	const struct atif_step *s = &a->step;

	return s->is_open && s->has_failed && str_eq(s->turn, atif_text(ev, "turnId"));
}

void atif_step_request(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");
	struct atif_step *s = &a->step;

	if (!is_repeated(a, ev)) {
		atif_step_close(a);
		take_steers(a, JSON_GET(p, "mergedTurnIds"));
		atif_step_write_due(a, false);
		step_open(a, ev);
	}
	buf_clear(&s->text);
	buf_clear(&s->reasoning);
	s->has_failed = false;
	s->llm_calls++;
	s->request = arena_keep(s->mem, atif_text(ev, "modelRequestId"));
	s->model = arena_keep(s->mem, atif_text(p, "model"));
}

void atif_step_notice(struct atif *a, struct json ev)
{
	struct atif_step *s = &a->step;

	if (!s->is_open || s->notice_count++ >= NOTICES_MAX)
		return;
	jw_obj(&s->notices_w);
	JW_KSTR(&s->notices_w, "event", atif_text(ev, "type"));
	atif_put(&s->notices_w, "sequence", JSON_GET(ev, "sequence"));
	atif_put(&s->notices_w, "category", JSON_GET(JSON_GET(ev, "payload"), "category"));
	atif_put(&s->notices_w, "message", JSON_GET(JSON_GET(ev, "payload"), "message"));
	jw_obj_end(&s->notices_w);
}

static void put_list(struct json_writer *w, const char *key, struct json_writer *list)
{
	jw_arr_end(list);
	if (list->out->len <= 2 || list->out->overflowed)
		return;
	jw_key(w, str_from(key));
	jw_raw(w, buf_str(list->out));
}

static void write_step_extra(struct atif *a)
{
	struct atif_step *s = &a->step;

	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	JW_KSTR(&a->w, "turnId", s->turn);
	JW_KOPT(&a->w, "taskId", s->task);
	JW_KOPT(&a->w, "runId", s->run);
	JW_KSTR(&a->w, "modelRequestId", s->request);
	JW_KINT(&a->w, "sequence", s->sequence);
	JW_KOPT(&a->w, "stopReason", s->stop_reason);
	JW_KOPT(&a->w, "providerRequestId", s->provider_request);
	if (s->text.overflowed || s->reasoning.overflowed)
		jw_kbool(&a->w, STR("truncated"), true);
	put_list(&a->w, "attempts", &s->attempts_w);
	put_list(&a->w, "notices", &s->notices_w);
	if (s->notice_count > NOTICES_MAX)
		JW_KINT(&a->w, "noticesOmitted", (int64_t)(s->notice_count - NOTICES_MAX));
	jw_obj_end(&a->w);
}

/* ---- system steps ---- */

void atif_step_system(struct atif *a, struct json ev, struct str message, const char *type)
{
	struct json p = JSON_GET(ev, "payload");
	static const char *const kept[] = { "outcome",     "category",       "reason",
		                            "remedy",      "targetSequence", "removedCount",
		                            "removedTurns" };

	step_begin(a, atif_text(ev, "timestamp"), "system");
	JW_KSTR(&a->w, "message", message);
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	if (type) {
		JW_KEY(&a->w, "context_management");
		jw_obj(&a->w);
		JW_KSTR(&a->w, "type", str_from(type));
		jw_obj_end(&a->w);
	}
	JW_KSTR(&a->w, "event", atif_text(ev, "type"));
	atif_put_ids(&a->w, ev);
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(&a->w, kept[i], json_get(p, str_from(kept[i])));
	jw_obj_end(&a->w);
	step_end(a);
}

/* ATIF wants one step at least. */
void atif_step_empty(struct atif *a)
{
	step_begin(a, STR_NONE, "system");
	JW_KSTR(&a->w, "message", STR("No turn was submitted."));
	step_end(a);
}

static void put_summary_ref(struct atif *a, const struct atif_doc *d)
{
	JW_KEY(&a->w, "observation");
	jw_obj(&a->w);
	JW_KEY(&a->w, "results");
	jw_arr(&a->w);
	jw_obj(&a->w);
	JW_KEY(&a->w, "subagent_trajectory_ref");
	jw_arr(&a->w);
	jw_obj(&a->w);
	JW_KSTR(&a->w, "trajectory_id", d->id);
	JW_KSTR(&a->w, "session_id", a->session);
	jw_obj_end(&a->w);
	jw_arr_end(&a->w);
	jw_obj_end(&a->w);
	jw_arr_end(&a->w);
	jw_obj_end(&a->w);
}

static void put_compaction(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "trigger",       "tokens",     "turns",
		                            "affectedTurns", "summaryRef", "continuationRef",
		                            "preserved" };
	struct json p = JSON_GET(ev, "payload");

	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	JW_KEY(&a->w, "context_management");
	jw_obj(&a->w);
	JW_KSTR(&a->w, "type", STR("compaction"));
	JW_KSTR(&a->w, "boundary", STR("replace"));
	jw_obj_end(&a->w);
	JW_KSTR(&a->w, "event", atif_text(ev, "type"));
	atif_put_ids(&a->w, ev);
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(&a->w, kept[i], json_get(p, str_from(kept[i])));
	jw_obj_end(&a->w);
}

static void put_summary(struct atif *a, struct str ref, struct str preview)
{
	CLEANUP(buf_done) struct buf text = { .max = ATIF_TEXT_MAX };
	bool is_read = str_is(ref) && atif_doc_read(a, ref, &text);

	JW_KSTR(&a->w, "message", is_read ? buf_str(&text) : preview);
}

/* As Harbor's own agent writes it: a system step with the request, then the summary as input. */
static void write_compacted(struct atif *a, struct json ev, const struct atif_doc *summary)
{
	struct json p = JSON_GET(ev, "payload");

	step_begin(a, atif_text(ev, "timestamp"), "system");
	JW_KSTR(&a->w, "message", STR("Replaced earlier turns by a summary."));
	if (summary)
		put_summary_ref(a, summary);
	put_compaction(a, ev);
	step_end(a);
	step_begin(a, atif_text(ev, "timestamp"), "user");
	put_summary(a, atif_text(p, "summaryRef"), atif_text(p, "summaryPreview"));
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	JW_KSTR(&a->w, "kind", STR("compaction_summary"));
	atif_put(&a->w, "summaryRef", JSON_GET(p, "summaryRef"));
	jw_obj_end(&a->w);
	step_end(a);
}

static bool has_open_call(const struct atif *a)
{
	for (const struct atif_call *c = a->step.first; c; c = c->next)
		if (!c->is_ended)
			return true;
	return false;
}

static void defer(struct atif *a, struct json ev)
{
	struct arena *mem = arena_new_small();
	struct atif_deferred *d = ARENA_NEW(mem, struct atif_deferred), **at = &a->deferred;

	d->mem = mem;
	d->summary = a->summary;
	if (json_read_trusted(mem, json_text(mem, ev), &d->ev, NULL) != OK) {
		arena_free(mem);
		return;
	}
	while (*at)
		at = &(*at)->next;
	*at = d;
}

static void drop_deferred(struct atif *a)
{
	struct atif_deferred *d = a->deferred;

	a->deferred = d->next;
	arena_free(d->mem);
}

static void write_deferred(struct atif *a)
{
	while (a->deferred) {
		write_compacted(a, a->deferred->ev, a->deferred->summary);
		drop_deferred(a);
	}
}

void atif_step_close(struct atif *a)
{
	struct atif_step *s = &a->step;

	if (!s->is_open)
		return;
	step_begin(a, s->at, "agent");
	JW_KSTR(&a->w, "model_name", s->model);
	JW_KOPT(&a->w, "reasoning_effort", s->effort);
	JW_KSTR(&a->w, "message", buf_str(&s->text));
	if (s->reasoning.len)
		JW_KSTR(&a->w, "reasoning_content", buf_str(&s->reasoning));
	atif_call_write_all(a);
	atif_sum_write(&a->w, &s->sum);
	JW_KINT(&a->w, "llm_call_count", s->llm_calls);
	write_step_extra(a);
	step_end(a);
	step_reset(a);
	write_deferred(a);
}

/* The result of a waiting call belongs to the step of its call, so that step stays open. */
void atif_step_compacted(struct atif *a, struct json ev)
{
	if (a->step.is_open && has_open_call(a)) {
		defer(a, ev);
		return;
	}
	atif_step_close(a);
	write_compacted(a, ev, a->summary);
}

void atif_step_done(struct atif *a)
{
	struct atif_step *s = &a->step;

	atif_call_free_all(a);
	while (a->inputs)
		atif_step_drop_input(a, a->inputs->turn);
	while (a->deferred)
		drop_deferred(a);
	buf_done(&s->text);
	buf_done(&s->reasoning);
	buf_done(&s->attempts);
	buf_done(&s->notices);
	arena_free(s->mem);
	s->mem = NULL;
}

/* ---- turns of other programs ---- */

/* Nothing of an imported turn was executed here, so the step has no metrics. */
void atif_step_imported(struct atif *a, struct json ev)
{
	struct json imported = JSON_GET(JSON_GET(ev, "payload"), "imported");

	step_begin(a, atif_text(ev, "timestamp"), "agent");
	JW_KOPT(&a->w, "model_name", atif_text(imported, "model"));
	put_summary(a, atif_text(JSON_GET(ev, "refs"), "answer"),
	            atif_text(imported, "answerPreview"));
	JW_KEY(&a->w, "extra");
	jw_obj(&a->w);
	atif_put_ids(&a->w, ev);
	JW_KEY(&a->w, "imported");
	jw_value(&a->w, imported);
	jw_obj_end(&a->w);
	step_end(a);
}

/* ---- requests for a summary ---- */

void atif_step_summary_doc(struct atif *a, struct atif_doc *d)
{
	step_begin(a, d->began_at, "system");
	JW_KSTR(&a->w, "message",
	        arena_printf(a->pass, "Requested a summary of %lld turns.", (long long)d->turns));
	step_end(a);
	step_begin(a, d->ended_at, "agent");
	put_summary(a, d->summary_ref, d->preview);
	atif_sum_write(&a->w, &d->sum);
	JW_KINT(&a->w, "llm_call_count", MAX(d->sum.requests, 1));
	step_end(a);
}
