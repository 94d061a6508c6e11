/*
 * Applies events to the view.  A table says which function reads which class;
 * show.c makes the text.
 *
 *   turn.started ──► RUNNING ──► ASKING (action.required) ──► RUNNING
 *                      │  └────► LOST (a restart; resume_thread continues)
 *                      ▼
 *                    IDLE (turn.completed, turn.failed)
 */
#include "app/chat/screen/chat_view.h"

#include "app/chat/input/chat_text.h"
#include "app/chat/screen/chat_wrap.h"
#include "app/cli/follow/pending_action.h"
#include "base/gen/words.h"
#include "base/utf8.h"

#include <stdarg.h>

static void keep_id(char out[CHAT_ID], struct str id)
{
	snprintf(out, CHAT_ID, "%.*s", STR_ARG(id));
}

static bool is_inside_line(const struct chat_view *v)
{
	return v->out.len && v->out.ptr[v->out.len - 1] != '\n';
}

static void put(void *arg, enum pane pane, struct str bytes)
{
	struct chat_view *v = arg;

	if (pane == PANE_ANSWER)
		buf_add_str(&v->out, bytes);
	else
		chat_wrap_mark(&v->out, bytes, CHAT_WRAP_WORDS, is_inside_line(v));
}

void chat_view_init(struct chat_view *v, struct cli *c)
{
	*v = (struct chat_view){ .c = c, .columns = 80, .mem = arena_new() };
	show_init(&v->show, c, (struct sink){ .put = put, .arg = v });
	v->show.folds = true;
	v->show.hides_reasoning = true;
}

void chat_view_done(struct chat_view *v)
{
	show_done(&v->show);
	buf_done(&v->out);
	buf_done(&v->todo);
	buf_done(&v->last_text);
	arena_free(v->mem);
}

void chat_view_reset(struct chat_view *v)
{
	struct chat_view old = *v;

	chat_view_init(v, old.c);
	v->columns = old.columns;
	v->show.hides_reasoning = old.show.hides_reasoning;
	memcpy(v->model, old.model, sizeof v->model);
	memcpy(v->mode, old.mode, sizeof v->mode);
	v->window_tokens = old.window_tokens;
	chat_view_done(&old);
}

/* ---- text ---- */

void chat_view_note(struct chat_view *v, enum tone tone, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	show_line(&v->show);
	buf_printf(&v->out, "%c%s%s%s\n", CHAT_WRAP_WORDS, out_tone_on(v->c->color_out, tone), text,
	           out_tone_off(v->c->color_out));
}

static void add_text(struct chat_view *v, struct str text, char how)
{
	show_line(&v->show);
	chat_wrap_mark(&v->out, text, how, false);
	if (text.len && !str_ends(text, STR("\n")))
		buf_add_char(&v->out, '\n');
}

void chat_view_text(struct chat_view *v, struct str text)
{
	add_text(v, text, CHAT_WRAP_WORDS);
}

void chat_view_input(struct chat_view *v, struct str text)
{
	add_text(v, text, CHAT_WRAP_INPUT);
}

void chat_view_message(struct chat_view *v, struct str text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	bool color = v->c->color_out, is_first = true;
	struct str rest;

	show_line(&v->show);
	/* Another client may have written it. */
	utf8_add_safe(&safe, text, true);
	rest = buf_str(&safe);
	buf_add_char(&v->out, '\n');
	do {
		size_t used, len = chat_text_row(rest, MAX(v->columns, 20) - 3, &used);

		buf_printf(&v->out, "%s%s%.*s%s\n", out_tone_on(color, TONE_BOLD),
		           is_first ? (v->c->opts.plain ? "> " : "› ") : "  ", (int)len, rest.ptr,
		           out_tone_off(color));
		rest = str_skip(rest, used);
		is_first = false;
	} while (rest.len);
}

struct str chat_view_open_line(const struct chat_view *v)
{
	size_t from = v->out.len;

	while (from && v->out.ptr[from - 1] != '\n')
		from--;
	return chat_wrap_bare(str_skip(buf_str(&v->out), from));
}

void chat_view_take(struct chat_view *v, struct buf *into)
{
	size_t whole = v->out.len;

	while (whole && v->out.ptr[whole - 1] != '\n')
		whole--;

	if (!whole)
		return;
	buf_add(into, v->out.ptr, whole);
	buf_drop(&v->out, whole);
}

/* ---- approvals ---- */

void chat_view_add_pending(struct chat_view *v, struct json action)
{
	if (json_is(action) && v->pending_count < CHAT_PENDING_MAX)
		v->pending[v->pending_count++] = action;
}

void chat_view_forget(struct chat_view *v, struct str action_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->pending_count; i++)
		if (!str_eq(json_str(JSON_GET(v->pending[i], "actionId")), action_id))
			v->pending[kept++] = v->pending[i];
	v->pending_count = kept;
}

static void on_required(struct chat_view *v, const struct shown_event *f)
{
	chat_view_forget(v, f->action);
	chat_view_add_pending(v, pending_action_read(v->c->mem, f));
	v->state = CHAT_ASKING;
	v->has_asked = !v->is_past;
}

static void on_resolved(struct chat_view *v, const struct shown_event *f)
{
	chat_view_forget(v, f->action);
	if (!v->pending_count && v->state == CHAT_ASKING)
		v->state = CHAT_RUNNING;
}

/* ---- the queue ---- */

void chat_view_unqueue(struct chat_view *v, struct str turn)
{
	for (size_t i = 0; i < v->queued_count; i++)
		if (str_eq(str_from(v->queued[i].turn), turn)) {
			v->queued_count--;
			memmove(v->queued + i, v->queued + i + 1,
			        (v->queued_count - i) * sizeof v->queued[0]);
			return;
		}
}

struct str chat_view_own_text(struct str preview)
{
	ptrdiff_t at = str_find(preview, STR("\n<file name=\""));

	return at < 0 ? preview : str_head(preview, (size_t)at);
}

struct str chat_view_preview(const struct shown_event *f)
{
	struct json_iter it = json_iter(JSON_GET(f->payload, "input"));
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part))
		if (str_eq(json_str(JSON_GET(part, "type")), STR("text")))
			return json_count(JSON_GET(f->payload, "input")) > 1
			               ? chat_view_own_text(json_str(JSON_GET(part, "preview")))
			               : json_str(JSON_GET(part, "preview"));
	return STR("");
}

static bool is_of_user(const struct shown_event *f)
{
	struct str kind = shown_event_str(f, "kind");

	return !str_is(kind) || str_eq(kind, STR("user")) ||
	       str_eq(kind, STR(WORD_TURN_KIND_IMPORTED));
}

bool chat_view_is_message(const struct shown_event *f)
{
	return is_of_user(f) && !str_is(shown_event_str(f, "mergedInto"));
}

static void on_submitted(struct chat_view *v, const struct shown_event *f)
{
	struct chat_queued *q;
	bool is_steer;

	if (str_eq(shown_event_str(f, "cause"), STR("compact_thread")))
		keep_id(v->compact_turn, f->turn);
	if (str_eq(shown_event_str(f, "cause"), STR("evaluate_permission")))
		keep_id(v->check_turn, f->turn);
	if (!is_of_user(f))
		return;
	v->submitted++;
	chat_view_unqueue(v, f->turn); /* the state that was read may have it */
	is_steer = str_is(shown_event_str(f, "mergedInto"));
	q = &v->queued[v->queued_count];
	if ((is_steer || str_eq(shown_event_str(f, "status"), STR(WORD_STATUS_QUEUED))) &&
	    v->queued_count < CHAT_QUEUE_MAX) {
		keep_id(q->turn, f->turn);
		keep_id(q->input, shown_event_str(f, "inputRef"));
		snprintf(q->text, sizeof q->text, "%.*s", STR_ARG(chat_view_preview(f)));
		q->is_steer = is_steer;
		v->queued_count++;
		return;
	}
	v->has_message = true;
	chat_view_message(v, chat_view_preview(f));
}

/* The message is shown where the model reads it: what follows answers it. */
static void show_queued(struct chat_view *v, struct str turn)
{
	for (size_t i = 0; i < v->queued_count; i++)
		if (str_eq(str_from(v->queued[i].turn), turn)) {
			v->has_message = true;
			chat_view_message(v, str_from(v->queued[i].text));
			break;
		}
	chat_view_unqueue(v, turn);
}

static void on_started(struct chat_view *v, const struct shown_event *f)
{
	if (str_eq(f->turn, str_from(v->check_turn)))
		return;
	show_queued(v, f->turn);
	keep_id(v->turn, f->turn);
	if (!str_eq(f->turn, str_from(v->compact_turn)))
		keep_id(v->undo_turn, f->turn);
	v->show.began_at = v->since = f->at;
	v->show.tests_failed = false;
	v->state = CHAT_RUNNING;
}

/* The event has the order of all that wait; a steer that came too late waits from now on. */
static void sort_queue(struct chat_view *v, struct json order)
{
	struct json_iter it = json_iter(order);
	size_t at = 0;
	struct json id;
	struct str key;

	while (json_next(&it, &key, &id))
		for (size_t i = at; i < v->queued_count; i++)
			if (str_eq(str_from(v->queued[i].turn), json_str(id))) {
				struct chat_queued q = v->queued[i];

				memmove(v->queued + at + 1, v->queued + at, (i - at) * sizeof q);
				q.is_steer = false;
				v->queued[at++] = q;
				break;
			}
}

static void on_queue(struct chat_view *v, const struct shown_event *f)
{
	struct str change = shown_event_str(f, "change");

	sort_queue(v, JSON_GET(f->payload, "order"));

	v->is_held =
		str_eq(change, STR("held")) ||
		(v->is_held && !str_eq(change, STR("released")) && !str_eq(change, STR("started")));
	if (!json_count(JSON_GET(f->payload, "order")))
		v->is_held = false;
	if (str_eq(change, STR("cleared")))
		v->queued_count = 0;
	if (str_eq(change, STR(WORD_QUEUE_CHANGE_REMOVED)))
		chat_view_unqueue(v, shown_event_str(f, "queuedTurnId"));
}

/* ---- the turn ---- */

static void show_last_todo(struct chat_view *v)
{
	struct str rest = buf_str(&v->todo);

	while (rest.len)
		chat_view_note(v, TONE_DIM, "  %s",
		               out_safe_cut(v->mem, str_cut(&rest, '\n'), v->columns - 3));
	buf_clear(&v->todo);
}

static void on_ended(struct chat_view *v, const struct shown_event *f)
{
	if (str_eq(shown_event_str(f, "outcome"), STR("merged"))) {
		show_queued(v, f->turn);
		return;
	}
	chat_view_unqueue(v, f->turn);
	if (!str_eq(f->turn, str_from(v->turn)))
		return;
	show_text_end(&v->show);
	show_last_todo(v);
	show_end(&v->show, v->mem, f);
	v->show.call_count = 0;
	v->show.asked_at = v->show.retry_at = 0;
	v->pending_count = 0;
	v->state = CHAT_IDLE;
	v->has_ended = !v->is_past;
	v->has_failed = shown_event_is(f, "turn.failed");
}

static void on_thread(struct chat_view *v, const struct shown_event *f)
{
	struct str word = shown_event_str(f, "profileStatus");
	bool is_blocked = str_eq(json_str(JSON_GET(f->v, "status")), STR("blocked"));

	if (str_eq(word, STR(WORD_STATUS_LOST)) && is_blocked) {
		v->state = CHAT_LOST;
		v->show.call_count = 0;
		v->show.asked_at = 0;
	} else if (v->state == CHAT_LOST && !is_blocked) {
		v->state = str_is(shown_event_str(f, "activeTurnId")) ? CHAT_RUNNING : CHAT_IDLE;
	}
}

static void on_tool_result(struct chat_view *v, const struct shown_event *f)
{
	struct str ref = shown_event_str(f, "rawOutputRef");

	keep_id(v->last_output, ref);
	buf_clear(&v->last_text);
	buf_add_str(&v->last_text, shown_event_str(f, "displayPreview"));
	if (!str_eq(json_str(shown_event_path(f->v, STR("item.kind"))), STR("todo")) ||
	    json_bool(JSON_GET(f->payload, "isError"), false))
		return;
	buf_clear(&v->todo);
	buf_add_str(&v->todo, shown_event_str(f, "displayPreview"));
}

/* ---- the status line ---- */

static void on_context(struct chat_view *v, const struct shown_event *f)
{
	struct json budget = JSON_GET(f->payload, "budget");

	v->is_first = json_int(shown_event_path(f->v, STR("payload.history.turns")), 1) == 0;
	v->context_tokens = json_int(JSON_GET(budget, "estimatedTokens"), v->context_tokens);
	v->window_tokens = json_int(JSON_GET(budget, "windowTokens"), v->window_tokens);
}

static void on_model(struct chat_view *v, const struct shown_event *f)
{
	snprintf(v->model, sizeof v->model, "%s",
	         out_safe_cut(v->mem, shown_event_str(f, "selectedModel"), 60));
}

/* The cap of the session; caps of other scopes are shown by /cost. */
static void take_cap(struct chat_view *v, const struct shown_event *f)
{
	struct json_iter it = json_iter(shown_event_path(f->v, STR("limitState.budgets")));
	struct json budget;
	struct str key;

	while (json_next(&it, &key, &budget))
		if (str_eq(json_str(JSON_GET(budget, "scope")), STR("session")))
			v->cap_usd = json_real(JSON_GET(budget, "capUsd"), 0);
}

/* The line shows what the session has cost, with its child agents and forks. */
static void add_cost(struct chat_view *v, const struct shown_event *f)
{
	struct json amount = JSON_GET(f->payload, "amountUsd");

	v->has_unknown_cost = v->has_unknown_cost || !json_is(amount);
	v->has_cost = v->has_cost || json_is(amount);
	if (f->sequence > v->cost_after)
		v->cost_usd += json_real(amount, 0);
}

static void on_cost(struct chat_view *v, const struct shown_event *f)
{
	int64_t used = json_int(JSON_GET(f->payload, "inputTokens"), 0) +
	               json_int(JSON_GET(f->payload, "outputTokens"), 0);

	if (used && !v->is_compacting && v->is_first)
		v->base_tokens = json_int(JSON_GET(f->payload, "inputTokens"), 0);
	v->is_first = v->is_first && v->is_compacting;
	/* The request for a summary is not one of the conversation. */
	if (used && !v->is_compacting)
		v->context_tokens = used;
	add_cost(v, f);
	take_cap(v, f);
}

static void on_policy(struct chat_view *v, const struct shown_event *f)
{
	struct str mode = shown_event_str(f, "mode");

	if (str_is(mode))
		snprintf(v->mode, sizeof v->mode, "%.*s", STR_ARG(mode));
}

static void on_rollback(struct chat_view *v, const struct shown_event *f)
{
	int64_t count = json_int(JSON_GET(f->payload, "removedCount"),
	                         (int64_t)json_count(JSON_GET(f->payload, "removedTurns")));

	v->state = CHAT_IDLE;
	v->has_message = json_int(JSON_GET(f->payload, "remainingTurns"), 1) > 0;
	chat_view_note(v, TONE_DIM, "  … %lld turn%s left the conversation; the log keeps them",
	               (long long)count, count == 1 ? "" : "s");
}

static void on_compacting(struct chat_view *v, const struct shown_event *f)
{
	(void)f;
	v->is_compacting = true;
}

/* Both figures of the event are estimates, and what is shown was counted: it shrinks alike. */
static void on_compacted(struct chat_view *v, const struct shown_event *f)
{
	struct json tokens = JSON_GET(f->payload, "tokens");
	int64_t before = json_int(JSON_GET(tokens, "before"), 0);

	v->is_compacting = false;
	if (before > 0)
		v->context_tokens = (int64_t)((double)v->context_tokens *
		                              (double)json_int(JSON_GET(tokens, "after"), before) /
		                              (double)before);
	chat_view_note(v, TONE_DIM, "  … %s", shown_event_summary(v->mem, f));
}

/* ---- child agents ---- */

static struct chat_agent *agent_of(struct chat_view *v, struct str id)
{
	for (size_t i = 0; i < v->agent_count; i++)
		if (str_eq(str_from(v->agents[i].id), id))
			return &v->agents[i];
	return NULL;
}

static void on_spawned(struct chat_view *v, const struct shown_event *f)
{
	struct str id = json_str(JSON_GET(f->v, "subagentId"));
	struct str nickname = shown_event_str(f, "nickname");
	struct chat_agent *a;

	if (!str_is(id) || v->agent_count == CHAT_AGENTS_MAX || agent_of(v, id))
		return;
	a = &v->agents[v->agent_count++];
	*a = (struct chat_agent){ .since = f->at };
	keep_id(a->id, id);
	snprintf(a->name, sizeof a->name, "%s",
	         out_safe_cut(v->mem, nickname.len ? nickname : shown_event_str(f, "role"), 30));
}

static void on_agent(struct chat_view *v, const struct shown_event *f)
{
	struct chat_agent *a = agent_of(v, json_str(JSON_GET(f->v, "subagentId")));

	if (a)
		snprintf(a->status, sizeof a->status, "%s",
		         out_safe_cut(v->mem, str_from(shown_event_summary(v->mem, f)), 100));
}

static void on_agent_end(struct chat_view *v, const struct shown_event *f)
{
	struct chat_agent *a = agent_of(v, json_str(JSON_GET(f->v, "subagentId")));

	if (!a)
		return;
	chat_view_note(v, shown_event_is(f, "subagent.failed") ? TONE_BAD : TONE_DIM,
	               "  %s agent %s  %s", shown_event_is(f, "subagent.failed") ? "✗" : "✓",
	               a->name, shown_event_summary(v->mem, f));
	*a = v->agents[--v->agent_count];
}

/* ---- all events ---- */

static const struct {
	const char *type;
	void (*apply)(struct chat_view *v, const struct shown_event *f);
} rows[] = {
	{ "turn.submitted", on_submitted },
	{ "turn.started", on_started },
	{ "turn.completed", on_ended },
	{ "turn.failed", on_ended },
	{ "thread.updated", on_thread },
	{ "queue.changed", on_queue },
	{ "action.required", on_required },
	{ "action.resolved", on_resolved },
	{ "tool.result", on_tool_result },
	{ "context.resolved", on_context },
	{ "routing.decided", on_model },
	{ "cost.recorded", on_cost },
	{ "policy.changed", on_policy },
	{ "history.rollback.completed", on_rollback },
	{ "context.compaction.started", on_compacting },
	{ "context.compaction.completed", on_compacted },
	{ "context.compaction.failed", on_compacted },
	{ "subagent.spawned", on_spawned },
	{ "subagent.status", on_agent },
	{ "subagent.completed", on_agent_end },
	{ "subagent.failed", on_agent_end },
	{ "subagent.closed", on_agent_end },
};

/* Child agents and approvals of their threads concern this conversation too. */
static bool is_ours(const struct chat_view *v, const struct shown_event *f)
{
	return !str_is(f->thread) || str_eq(f->thread, str_from(v->thread)) ||
	       str_starts(f->type, STR("subagent.")) || str_starts(f->type, STR("action."));
}

bool chat_view_event(struct chat_view *v, struct str raw)
{
	struct shown_event f;

	arena_reset(v->mem);
	if (!shown_event_read(v->mem, raw, &f) || f.sequence <= v->after)
		return false;
	v->after = f.sequence;
	if (!is_ours(v, &f)) {
		if (!shown_event_is(&f, "cost.recorded"))
			return false;
		add_cost(v, &f);
		return true;
	}
	v->show.columns = v->columns;
	/* The end of a turn is shown once, by on_ended(). */
	if (str_eq(f.turn, str_from(v->turn)) || !shown_event_is(&f, "queue.changed"))
		show_event(&v->show, v->mem, &f);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (shown_event_is(&f, rows[i].type))
			rows[i].apply(v, &f);
	return true;
}
