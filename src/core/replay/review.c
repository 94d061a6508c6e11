/*
 * Collects the entries of a review from events, and writes it as JSON and as
 * Markdown.  Text of models, tools and files is quoted for Markdown: it must not
 * become headings, links or HTML of the review.
 */
#include "core/replay/review.h"

#include "base/utf8.h"
#include "core/gen/tables.h"

#define TEXT_MAX 300
#define QUESTIONS_MAX 200

void review_init(struct review *r)
{
	*r = (struct review){ .mem = arena_new(), .event = arena_new() };
	r->tally.mem = r->mem;
}

void review_done(struct review *r)
{
	for (size_t i = 0; i < REVIEW_TOPICS; i++) {
		buf_done(&r->lists[i].json);
		buf_done(&r->lists[i].markdown);
	}
	arena_free(r->event);
	arena_free(r->mem);
	*r = (struct review){ 0 };
}

/* ---- text ---- */

/* Programs that show Markdown make links of addresses without any mark around them. */
static bool begins_link(struct str text, size_t at)
{
	struct str rest = str_skip(text, at);

	if (rest.ptr[0] != '.' || at < 3)
		return str_starts(rest, STR("://")) || rest.ptr[0] == '@';
	return (rest.ptr[-1] | 0x20) == 'w' && (rest.ptr[-2] | 0x20) == 'w' &&
	       (rest.ptr[-3] | 0x20) == 'w';
}

/* One line in which no character has a meaning for Markdown, and none is hidden or turns the text. */
static void add_quoted(struct buf *out, struct str text)
{
	static const char special[] = "\\`*_{}[]<>()#+!|~&";
	CLEANUP(buf_done) struct buf plain = { 0 }, safe = { 0 };
	struct str rest = utf8_head(text, TEXT_MAX);

	for (size_t i = 0; i < rest.len; i++)
		buf_add_char(&plain, (unsigned char)rest.ptr[i] < 0x20 || rest.ptr[i] == 0x7f
		                             ? ' '
		                             : rest.ptr[i]);
	utf8_add_safe(&safe, buf_str(&plain), false);
	for (size_t i = 0; i < safe.len; i++) {
		if (strchr(special, safe.ptr[i]) || begins_link(buf_str(&safe), i))
			buf_add_char(out, '\\');
		buf_add_char(out, safe.ptr[i]);
	}
	if (rest.len < text.len)
		buf_add_str(out, STR(" …"));
}

static void add_number(struct buf *out, int64_t n)
{
	buf_printf(out, "%lld", (long long)n);
}

/* ---- what an event says ---- */

static struct str or_none(struct str text)
{
	return str_is(text) ? text : STR("");
}

static struct str words_of_turn(struct arena *mem, const struct ev_turn_submitted *p)
{
	struct str text = p->input.count ? p->input.items[0]->preview : p->cause;

	return p->input.count > 1 ? arena_printf(mem, "%.*s (and %u more parts)",
	                                         STR_ARG(or_none(text)), p->input.count - 1)
	                          : or_none(text);
}

static struct str words_of_failure(struct arena *mem, const struct event *ev, struct str category,
                                   struct str message)
{
	return arena_printf(mem, "%.*s: %.*s", STR_ARG(or_none(category)),
	                    STR_ARG(str_is(message) ? message : or_none(ev->status_reason)));
}

static struct str words_of_permission(struct arena *mem, const struct event *ev,
                                      const struct ev_permission_evaluated *p)
{
	const struct rec_permission_decision *by = ev->permission_decision;
	struct str rule = by && by->rule_refs.count ? by->rule_refs.items[0] : STR_NONE;

	return arena_printf(mem, "%.*s by %.*s%s%.*s%s%.*s",
	                    STR_ARG(approval_decision_word(p->decision)),
	                    STR_ARG(decision_source_word(p->decision_source)),
	                    str_is(rule) ? " " : "", STR_ARG(or_none(rule)),
	                    str_is(p->tool_name) ? " for " : "", STR_ARG(or_none(p->tool_name)));
}

static struct str words_of_answer(struct arena *mem, const struct ev_action_resolved *p)
{
	const struct rec_actor *by = p->decided_by;

	return arena_printf(mem, "%.*s by %.*s %.*s after %lld ms",
	                    STR_ARG(approval_decision_word(p->decision)),
	                    STR_ARG(or_none(by ? actor_kind_word(by->kind) : STR_NONE)),
	                    STR_ARG(or_none(by ? by->principal : STR_NONE)),
	                    (long long)p->waited_ms);
}

static struct str words_of_artifact(struct arena *mem, const struct ev_artifact_changed *p)
{
	return arena_printf(mem, "%.*s %.*s %.*s", STR_ARG(artifact_change_word(p->change)),
	                    STR_ARG(or_none(p->kind)), STR_ARG(or_none(p->path)));
}

static struct str words_of_tool(struct arena *mem, const struct event *ev)
{
	const struct ev_tool_failed *failed = ev->payload;
	const struct ev_tool_result *result = ev->payload;

	if (ev->type == EV_TOOL_RESULT)
		return result->has_exit_code ? arena_printf(mem, "%.*s, exit %lld",
		                                            STR_ARG(or_none(result->tool_name)),
		                                            (long long)result->exit_code)
		                             : or_none(result->tool_name);
	return arena_printf(mem, "%.*s: %.*s, %.*s", STR_ARG(or_none(failed->tool_name)),
	                    STR_ARG(or_none(error_category_word(failed->category))),
	                    STR_ARG(or_none(failed->reason)));
}

/* What the log says about it in a few words; empty: the type says enough. */
static struct str words_of(struct arena *mem, const struct event *ev)
{
	const struct ev_turn_failed *turn = ev->payload;
	const struct ev_task_failed *task = ev->payload;
	const struct ev_model_failed *model = ev->payload;
	const struct ev_action_required *action = ev->payload;
	const struct ev_policy_changed *policy = ev->payload;
	const struct ev_task_lost *lost = ev->payload;

	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		return words_of_turn(mem, ev->payload);
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
		return words_of_tool(mem, ev);
	case EV_ARTIFACT_CHANGED:
		return words_of_artifact(mem, ev->payload);
	case EV_PERMISSION_EVALUATED:
		return words_of_permission(mem, ev, ev->payload);
	case EV_ACTION_RESOLVED:
		return words_of_answer(mem, ev->payload);
	case EV_ACTION_REQUIRED:
		return or_none(action->prompt);
	case EV_POLICY_CHANGED:
		return policy_change_word(policy->change);
	case EV_TURN_FAILED:
		return words_of_failure(mem, ev, error_category_word(turn->category),
		                        turn->message);
	case EV_TASK_FAILED:
		return words_of_failure(mem, ev, error_category_word(task->category),
		                        task->message);
	case EV_MODEL_FAILED:
		return words_of_failure(mem, ev, error_category_word(model->category),
		                        model->message);
	case EV_TASK_LOST:
		return or_none(lost->reason);
	default:
		return or_none(ev->status_reason);
	}
}

/* ---- topics ---- */

/* False: the review does not list the event. */
static bool topic_of(const struct event *ev, enum review_topic *ret)
{
	static const struct {
		enum event_type type;
		enum review_topic topic;
	} table[] = {
		{ EV_TURN_SUBMITTED, REVIEW_ASKED },
		{ EV_TOOL_RESULT, REVIEW_DONE },
		{ EV_TURN_COMPLETED, REVIEW_DONE },
		{ EV_ARTIFACT_CHANGED, REVIEW_CHANGED },
		{ EV_PERMISSION_EVALUATED, REVIEW_DECIDED },
		{ EV_ACTION_RESOLVED, REVIEW_DECIDED },
		{ EV_POLICY_CHANGED, REVIEW_DECIDED },
		{ EV_TOOL_FAILED, REVIEW_FAILED },
		{ EV_TURN_FAILED, REVIEW_FAILED },
		{ EV_TASK_FAILED, REVIEW_FAILED },
		{ EV_TASK_TIMED_OUT, REVIEW_FAILED },
		{ EV_MODEL_FAILED, REVIEW_FAILED },
		{ EV_HOOK_FAILED, REVIEW_FAILED },
		{ EV_PROCESS_FAILED, REVIEW_FAILED },
		{ EV_JOB_FAILED, REVIEW_FAILED },
		{ EV_JOB_ITEM_FAILED, REVIEW_FAILED },
		{ EV_SUBAGENT_FAILED, REVIEW_FAILED },
		{ EV_CONTEXT_COMPACTION_FAILED, REVIEW_FAILED },
		{ EV_ACTION_REQUIRED, REVIEW_WAITED },
		{ EV_TASK_WAITING, REVIEW_WAITED },
		{ EV_TASK_BLOCKED, REVIEW_WAITED },
		{ EV_RATE_LIMIT_HIT, REVIEW_WAITED },
		{ EV_QUOTA_BLOCKED, REVIEW_WAITED },
		{ EV_TASK_LOST, REVIEW_LOST },
	};

	for (size_t i = 0; i < COUNT_OF(table); i++)
		if (table[i].type == ev->type) {
			*ret = table[i].topic;
			return true;
		}
	return false;
}

static bool may_have_run(const struct event *ev)
{
	const struct ev_tool_failed *p = ev->payload;

	return ev->type == EV_TASK_LOST ||
	       (ev->type == EV_TOOL_FAILED && p->executed == EXECUTED_UNKNOWN);
}

/* The narrowest id that people look for. */
static struct str id_of(const struct event *ev)
{
	return str_is(ev->artifact_id)    ? ev->artifact_id
	       : str_is(ev->action_id)    ? ev->action_id
	       : str_is(ev->tool_call_id) ? ev->tool_call_id
	       : str_is(ev->turn_id)      ? ev->turn_id
	       : str_is(ev->task_id)      ? ev->task_id
	                                  : ev->thread_id;
}

static void write_entry(struct buf *out, const struct event *ev, struct str words)
{
	struct json_writer w;

	if (out->len)
		buf_add_char(out, ',');
	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "sequence", ev->sequence);
	JW_KSTR(&w, "type", event_type_word(ev->type));
	JW_KOPT(&w, "turnId", ev->turn_id);
	JW_KOPT(&w, "taskId", ev->task_id);
	JW_KOPT(&w, "toolCallId", ev->tool_call_id);
	JW_KOPT(&w, "actionId", ev->action_id);
	JW_KOPT(&w, "artifactId", ev->artifact_id);
	JW_KSTR(&w, "what", utf8_head(words, TEXT_MAX));
	jw_obj_end(&w);
}

static void add_entry(struct review_list *l, const struct event *ev, struct str words)
{
	struct str id = id_of(ev);

	if (l->count++ >= REVIEW_LIST_MAX)
		return;
	write_entry(&l->json, ev, words);
	buf_add_str(&l->markdown, STR("- event "));
	add_number(&l->markdown, ev->sequence);
	buf_add_str(&l->markdown, STR(", "));
	add_quoted(&l->markdown, event_type_word(ev->type));
	buf_add_str(&l->markdown, STR(", "));
	add_quoted(&l->markdown, or_none(id));
	if (words.len)
		buf_add_str(&l->markdown, STR(": "));
	add_quoted(&l->markdown, words);
	buf_add_char(&l->markdown, '\n');
}

/* ---- questions ---- */

static void add_question(struct review *r, struct str name, struct str text, struct str action)
{
	if (!r->questions)
		r->questions = ARENA_ARRAY(r->mem, struct review_question, QUESTIONS_MAX);
	if (r->question_count == QUESTIONS_MAX) {
		r->questions_beyond++;
		return;
	}
	r->questions[r->question_count++] =
		(struct review_question){ .name = name,
		                          .text = text,
		                          .action = str_is(action) ? arena_keep(r->mem, action)
		                                                   : STR_NONE };
}

static void ask(struct review *r, const struct event *ev, struct str words)
{
	struct str said = utf8_head(words, TEXT_MAX);

	if (ev->type == EV_ACTION_REQUIRED)
		add_question(r, arena_keep(r->mem, ev->action_id),
		             arena_printf(r->mem, "What is the answer? %.*s", STR_ARG(said)),
		             ev->action_id);
	else if (may_have_run(ev))
		add_question(r, arena_printf(r->mem, "event-%lld", (long long)ev->sequence),
		             arena_printf(r->mem, "Did it take effect? %.*s", STR_ARG(said)),
		             STR_NONE);
	else if (ev->type == EV_TURN_FAILED || ev->type == EV_TASK_FAILED)
		add_question(
			r, arena_printf(r->mem, "event-%lld", (long long)ev->sequence),
			arena_printf(r->mem, "What follows from this failure? %.*s", STR_ARG(said)),
			STR_NONE);
}

static void close_question(struct review *r, struct str action)
{
	for (size_t i = 0; i < r->question_count; i++)
		if (str_is(action) && str_eq(r->questions[i].action, action))
			r->questions[i].is_gone = true;
}

/* An answer of a reviewer by the name of the question; the last one counts. */
static void take_answer(struct review *r, const struct ev_evidence_changed *p)
{
	if (!str_eq(p->kind, STR("review")) || !str_is(p->name))
		return;
	for (size_t i = 0; i < r->question_count; i++) {
		struct review_question *q = &r->questions[i];

		if (!str_eq(q->name, p->name))
			continue;
		q->outcome = arena_keep(r->mem, or_none(p->outcome));
		q->source = arena_keep(r->mem, or_none(p->verifier_ref));
		q->note = str_is(p->note) ? arena_keep(r->mem, p->note) : STR_NONE;
	}
}

/* ---- events ---- */

static void take_cost(struct review *r, const struct ev_cost_recorded *p)
{
	r->cost += p->has_amount_usd ? p->amount_usd : 0;
	r->unknown_costs += !p->has_amount_usd;
	r->input_tokens += p->has_input_tokens ? p->input_tokens : 0;
	r->output_tokens += p->has_output_tokens ? p->output_tokens : 0;
}

static void take_numbers(struct review *r, const struct event *ev)
{
	const struct ev_action_resolved *answer = ev->payload;
	const struct ev_snapshot_updated *removal = ev->payload;

	if (!r->first) {
		r->first = ev->sequence;
		r->session_id = arena_keep(r->mem, ev->session_id);
		add_question(r, STR("result"), STR("Does the result do what was asked?"), STR_NONE);
	}
	r->last = ev->sequence;
	if (ev->type == EV_SNAPSHOT_UPDATED && removal->has_removed_through)
		r->removed_through = MAX(r->removed_through, removal->removed_through);
	if (ev->type == EV_COST_RECORDED)
		take_cost(r, ev->payload);
	if (ev->type == EV_ACTION_RESOLVED) {
		r->waited_ms += MAX(answer->waited_ms, 0);
		close_question(r, ev->action_id);
	}
	if (ev->type == EV_EVIDENCE_CHANGED)
		take_answer(r, ev->payload);
}

void review_event(struct review *r, const struct event *ev)
{
	enum review_topic topic;
	struct str words;

	if (evidence_scope_is_export(ev))
		return;
	evidence_tally_event(&r->tally, ev);
	take_numbers(r, ev);
	if (!topic_of(ev, &topic))
		return;
	arena_reset(r->event);
	words = words_of(r->event, ev);
	add_entry(&r->lists[topic], ev, words);
	if (topic != REVIEW_LOST && may_have_run(ev))
		add_entry(&r->lists[REVIEW_LOST], ev, words);
	ask(r, ev, words);
}

/* ---- writing ---- */

static const struct {
	const char *member, *title;
} topics[REVIEW_TOPICS] = {
	[REVIEW_ASKED] = { "asked", "What was asked" },
	[REVIEW_DONE] = { "done", "What was done" },
	[REVIEW_CHANGED] = { "changed", "What was changed" },
	[REVIEW_DECIDED] = { "decided", "Who decided what" },
	[REVIEW_FAILED] = { "failures", "What failed" },
	[REVIEW_WAITED] = { "waited", "What waited" },
	[REVIEW_LOST] = { "uncertain", "What may have run" },
};

static void write_counts(struct json_writer *w, const struct review *r)
{
	JW_KEY(w, "counts");
	jw_obj(w);
	for (size_t i = 0; i < REVIEW_TOPICS; i++)
		jw_kint(w, str_from(topics[i].member), r->lists[i].count);
	jw_obj_end(w);
	JW_KEY(w, "sections");
	jw_obj(w);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		jw_kint(w, evidence_sections[i].name, r->tally.sections[i]);
	jw_obj_end(w);
}

static void write_cost(struct json_writer *w, const struct review *r)
{
	JW_KEY(w, "cost");
	jw_obj(w);
	JW_KEY(w, "usd");
	jw_nano(w, r->cost);
	JW_KINT(w, "unknown", r->unknown_costs);
	JW_KINT(w, "inputTokens", r->input_tokens);
	JW_KINT(w, "outputTokens", r->output_tokens);
	jw_obj_end(w);
	JW_KINT(w, "waitedForPeopleMs", r->waited_ms);
}

static void write_question(struct json_writer *w, const struct review_question *q)
{
	jw_obj(w);
	JW_KSTR(w, "name", q->name);
	JW_KSTR(w, "question", q->text);
	JW_KOPT(w, "outcome", q->outcome);
	JW_KOPT(w, "verifierRef", q->source);
	JW_KOPT(w, "note", q->note);
	jw_obj_end(w);
}

static void write_questions(struct json_writer *w, const struct review *r)
{
	JW_KEY(w, "questions");
	jw_arr(w);
	for (size_t i = 0; i < r->question_count; i++)
		if (!r->questions[i].is_gone)
			write_question(w, &r->questions[i]);
	jw_arr_end(w);
	JW_KINT(w, "questionsBeyond", r->questions_beyond);
}

void review_write_json(struct json_writer *w, const struct review *r)
{
	jw_obj(w);
	JW_KSTR(w, "format", STR("thole-review-1"));
	JW_KOPT(w, "sessionId", r->session_id);
	JW_KINT(w, "fromSequence", r->first);
	JW_KINT(w, "toSequence", r->last);
	JW_KINT(w, "events", r->tally.events);
	if (r->removed_through)
		JW_KINT(w, "removedThrough", r->removed_through);
	write_counts(w, r);
	write_cost(w, r);
	for (size_t i = 0; i < REVIEW_TOPICS; i++) {
		jw_key(w, str_from(topics[i].member));
		jw_arr(w);
		if (r->lists[i].json.len)
			jw_raw(w, buf_str(&r->lists[i].json));
		jw_arr_end(w);
	}
	write_questions(w, r);
	jw_obj_end(w);
}

static void add_list(struct buf *out, const struct review *r, size_t topic)
{
	const struct review_list *l = &r->lists[topic];

	buf_printf(out, "\n## %s (%lld)\n\n", topics[topic].title, (long long)l->count);
	buf_add_str(out, l->count             ? buf_str(&l->markdown)
	                 : r->removed_through ? STR("Nothing in the events that are left.\n")
	                                      : STR("Nothing.\n"));
	if (l->count > REVIEW_LIST_MAX)
		buf_printf(out, "- and %lld more\n", (long long)(l->count - REVIEW_LIST_MAX));
}

static void add_cost(struct buf *out, const struct review *r)
{
	struct json_writer w;

	buf_add_str(out, STR("\n## What it cost\n\n"));
	jw_init(&w, out);
	jw_nano(&w, r->cost);
	buf_printf(out, " US dollars, %lld tokens in, %lld out", (long long)r->input_tokens,
	           (long long)r->output_tokens);
	if (r->unknown_costs)
		buf_printf(out, "; %lld requests of unknown cost", (long long)r->unknown_costs);
	buf_printf(out, ". People were waited for %lld ms.\n", (long long)r->waited_ms);
}

static void add_answer(struct buf *out, const struct review *r, const struct review_question *q)
{
	if (str_is(q->outcome)) {
		buf_add_str(out, STR("Answer: "));
		add_quoted(out, q->outcome);
		buf_add_str(out, STR(", by "));
		add_quoted(out, q->source);
		if (str_is(q->note))
			buf_add_str(out, STR(": "));
		add_quoted(out, or_none(q->note));
		buf_add_char(out, '\n');
		return;
	}
	buf_printf(out,
	           "Answer: ________\n\n"
	           "    record_evidence {\"sessionId\":\"%.*s\",\"kind\":\"review\","
	           "\"name\":\"%.*s\",\"outcome\":\"…\",\"verifierRef\":\"…\"}\n",
	           STR_ARG(or_none(r->session_id)), STR_ARG(q->name));
}

static void add_questions(struct buf *out, const struct review *r)
{
	buf_add_str(out, STR("\n## Open questions\n"));
	for (size_t i = 0; i < r->question_count; i++) {
		const struct review_question *q = &r->questions[i];

		if (q->is_gone)
			continue;
		buf_add_str(out, STR("\n### "));
		add_quoted(out, q->name);
		buf_add_str(out, STR("\n\n"));
		add_quoted(out, q->text);
		buf_add_str(out, STR("\n\n"));
		add_answer(out, r, q);
	}
}

void review_write_markdown(struct buf *out, const struct review *r)
{
	buf_add_str(out, STR("# Review of "));
	add_quoted(out, or_none(r->session_id));
	buf_printf(out, "\n\nEvents %lld to %lld; %lld are shown. The runtime makes no verdict.\n",
	           (long long)r->first, (long long)r->last, (long long)r->tally.events);
	if (r->removed_through)
		buf_printf(
			out,
			"\nThe events up to %lld were removed from the log. What was asked, done "
			"or decided there is not part of this review.\n",
			(long long)r->removed_through);
	for (size_t i = 0; i < REVIEW_TOPICS; i++)
		add_list(out, r, i);
	add_cost(out, r);
	add_questions(out, r);
}
