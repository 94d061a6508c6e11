/*
 * Explains every wait: what for, since when, until when, who can end it.
 *
 * Each state of a thread gives one explanation.  The reason comes from the log
 * where an event names it, else from the stage of the active turn.
 */
#include "core/subagent/subagent.h"
#include "base/jw.h"
#include "core/view/view_part.h"

#include "base/utf8.h"

/* One explanation while it is being written; strings live in mem. */
struct why {
	struct arena *mem;
	struct str waiting_for, detail;
	struct str outputs; /* why outputs wait; absent: they do not */
	int64_t since, until;
	struct list_str ended_by;
};

static void ended_by(struct why *y, struct str who)
{
	rec_list_str_add(y->mem, &y->ended_by, who);
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

/* Foreign text inside our sentence: one line, bounded, without its full stop. */
static struct str quoted(struct why *y, struct str text)
{
	struct str line = str_trim(text);
	ptrdiff_t end = str_find_char(line, '\n');

	if (end >= 0)
		line = str_head(line, (size_t)end);
	if (str_ends(line, STR(".")))
		line = str_head(line, line.len - 1);
	return utf8_preview(y->mem, line, 200);
}

/* ---- waits that events name ---- */

static struct str room_text(struct why *y, enum wait_for what)
{
	switch (what) {
	case WAIT_FOR_QUOTA:
		return STR("Requests under way, here or on another node, hold what is left of a "
		           "budget. The turn continues when one of them ends.");
	case WAIT_FOR_PARALLEL:
		return STR("As many model requests are under way as may be "
		           "(limits.parallel_requests). The turn continues when one of them ends.");
	case WAIT_FOR_NODE:
		return arena_printf(
			y->mem,
			"The directory of the session is on another node. The turn "
			"continues with %.*s.",
			STR_ARG(y->ended_by.count ? y->ended_by.items[0] : STR("that")));
	default:
		return arena_printf(y->mem, "The turn waits for: %.*s.", STR_ARG(y->waiting_for));
	}
}

static void why_asked(struct why *y, const struct st_thread *th, const struct st_turn *t,
                      enum wait_for what)
{
	const struct st_action *a = turn_wait_pending(th, t->turn_id, NULL);

	if (!a) {
		y->detail = room_text(y, what);
		return;
	}
	y->detail = arena_printf(
		y->mem, "%s: \"%.*s\". Without an answer it counts as %.*s.",
		a->action_type == ACTION_TYPE_STRUCTURED_INPUT ? "A question is pending"
							       : "An approval is pending",
		STR_ARG(quoted(y, a->prompt)), STR_ARG(approval_decision_word(a->on_expiry)));
}

static void why_backing_off(struct why *y, const struct st_turn *t)
{
	struct str what =
		t->last_error ? quoted(y, t->last_error->message) : STR("no reason given");

	y->detail = arena_printf(y->mem, "%.*s/%.*s failed: %.*s. Attempt %lld follows.",
	                         STR_ARG(t->provider), STR_ARG(t->model), STR_ARG(what),
	                         (long long)t->attempt + 1);
}

static size_t running_calls(const struct st_thread *th, const struct st_turn *t,
                            const struct st_call **ret_first)
{
	size_t count = 0;

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (call_is_over(c) || !c->dispatched || !str_eq(c->turn_id, t->turn_id))
			continue;
		if (!count++)
			*ret_first = c;
	}
	return count;
}

static void why_stopping(struct why *y, const struct st_thread *th, const struct st_turn *t)
{
	const struct st_call *first = NULL;
	size_t count = running_calls(th, t, &first);

	if (count)
		y->detail = arena_printf(y->mem,
		                         "The turn is being stopped; %zu call%s still "
		                         "to end, %.*s first.",
		                         count, count == 1 ? " has" : "s have",
		                         STR_ARG(first->tool_name));
	else
		y->detail = STR("The turn is being stopped.");
}

/* True when the state records a wait; copies its words. */
static bool why_waiting(struct why *y, const struct st_thread *th, const struct st_turn *t)
{
	struct rec_wait wait;

	if (!turn_wait(th, &wait))
		return false;
	y->waiting_for = wait_for_word(wait.for_);
	y->since = wait.since;
	y->until = wait.until;
	for (uint32_t i = 0; i < wait.ended_by.count; i++)
		ended_by(y, wait.ended_by.items[i]);
	if (t->stage == TURN_STAGE_STOPPING)
		why_stopping(y, th, t);
	else if (t->stage == TURN_STAGE_BACKING_OFF)
		why_backing_off(y, t);
	else if (t->stage == TURN_STAGE_LOST)
		y->detail = STR("A restart interrupted the turn, and its running work is lost. "
		                "resume_thread continues from here.");
	else
		why_asked(y, th, t, wait.for_);
	return true;
}

/* A log that was cut may hold a wait without its beginning. */
static void why_unknown(struct why *y, const struct st_thread *th)
{
	y->waiting_for = STR("unknown");
	y->since = th->updated_at;
	y->detail = STR("The turn is blocked, and the log does not say by what.");
	ended_by(y, STR("interrupt_turn"));
}

/* ---- work in progress ---- */

static void why_model(struct why *y, const struct st_turn *t)
{
	y->waiting_for = STR("model");
	y->since = t->requested_at;
	ended_by(y, STR("the model's answer"));
	if (t->request_timeout_ms) {
		y->until = t->requested_at + t->request_timeout_ms;
		ended_by(y, STR("the timeout of the request"));
	}
	if (t->first_piece_at)
		y->detail = arena_printf(y->mem, "%.*s/%.*s is answering.", STR_ARG(t->provider),
		                         STR_ARG(t->model));
	else
		y->detail = arena_printf(y->mem, "%.*s/%.*s was asked and has not begun to answer.",
		                         STR_ARG(t->provider), STR_ARG(t->model));
}

/* A call that waited for an approval runs since the answer. */
static int64_t call_since(const struct st_thread *th, const struct st_call *c)
{
	const struct st_action *a =
		str_is(c->action_id) ? state_thread_action(th, c->action_id) : NULL;

	return a ? MAX(c->started_at, a->resolved_at) : c->started_at;
}

static void why_tool(struct why *y, const struct st_thread *th, const struct st_call *first,
                     size_t count)
{
	y->waiting_for = STR("tool");
	y->since = call_since(th, first);
	ended_by(y, STR("the end of the call"));
	if (count == 1)
		y->detail = arena_printf(y->mem, "%.*s is running.", STR_ARG(first->tool_name));
	else
		y->detail = arena_printf(y->mem, "%.*s and %zu more call%s are running.",
		                         STR_ARG(first->tool_name), count - 1,
		                         plural((int64_t)count - 1));
}

static void why_client(struct why *y, const struct st_thread *th, const struct st_call *first,
                       size_t count)
{
	y->waiting_for = wait_for_word(WAIT_FOR_CLIENT);
	y->since = call_since(th, first);
	y->until = first->until;
	ended_by(y, STR("complete_tool_call"));
	ended_by(y, STR("the time of the call"));
	y->detail = arena_printf(y->mem, "The client runs %.*s%s and has not given the result.",
	                         STR_ARG(first->tool_name), count > 1 ? " and other tools" : "");
}

/* The model waits for its child agents: for which, and until when. */
static void why_children(struct why *y, const struct state *state, const struct st_thread *th,
                         const struct st_call *c)
{
	const struct st_subagent *first = NULL;
	unsigned others = 0;

	for (uint32_t i = 0; i < state->s->subagents.count; i++) {
		const struct st_subagent *s = state->s->subagents.items[i];

		if (subagent_is_settled(state, s) ||
		    !str_eq(s->record->parent_thread_id, th->thread_id))
			continue;
		others += first != NULL;
		first = first ? first : s;
	}
	y->waiting_for = STR("worker");
	y->since = c->started_at;
	y->until = c->until;
	y->detail = STR("The turn waits for child agents.");
	if (first)
		y->detail = arena_printf(
			y->mem, "The turn waits for %.*s, a child agent, which is %.*s%s.",
			STR_ARG(str_is(first->record->nickname) ? first->record->nickname
		                                                : first->record->subagent_id),
			STR_ARG(subagent_status_word(first->record->status)),
			others ? ", and for others" : "");
	ended_by(y, STR("the end of the child agent"));
	ended_by(y, STR("close_subagent"));
}

static const struct st_call *first_open(const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->calls.count; i++)
		if (!call_is_over(th->calls.items[i]) &&
		    str_eq(th->calls.items[i]->turn_id, t->turn_id))
			return th->calls.items[i];
	return NULL;
}

/* When the current run began; a resumed turn has several runs. */
static int64_t run_since(const struct state *state, const struct st_turn *t)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(state, t->task_id) : NULL;

	for (uint32_t i = task ? task->attempts.count : 0; i-- > 0;)
		if (str_eq(task->attempts.items[i]->run_id, t->run_id))
			return task->attempts.items[i]->started_at;
	return t->started_at;
}

static void why_preparing(struct why *y, const struct state *state, const struct st_thread *th,
                          const struct st_turn *t)
{
	const struct st_call *c = first_open(th, t);

	y->waiting_for = STR("preparation");
	y->since = c ? call_since(th, c) : run_since(state, t);
	ended_by(y, STR("the runtime"));
	if (c)
		y->detail = arena_printf(y->mem, "%.*s was called and does not run yet.",
		                         STR_ARG(c->tool_name));
	else
		y->detail = STR("The next request is being prepared.");
}

/*
 * From the most specific to the least: an open request, a wait for children, a running tool,
 * preparation, a start.
 */
static void why_working(struct why *y, const struct state *state, const struct st_thread *th,
                        const struct st_turn *t)
{
	const struct st_call *first = NULL;
	size_t count = running_calls(th, t, &first);

	if (str_is(t->model_request_id)) {
		why_model(y, t);
	} else if (count && first->by_runtime && first->until) {
		why_children(y, state, th, first);
	} else if (count && first->by_client) {
		why_client(y, th, first, count);
	} else if (count) {
		why_tool(y, th, first, count);
		if (str_is(y->outputs))
			y->detail =
				arena_printf(y->mem, "%.*s It may have ended: %.*s.",
			                     STR_ARG(y->detail), STR_ARG(quoted(y, y->outputs)));
	} else if (t->started_at) {
		why_preparing(y, state, th, t);
	} else {
		y->waiting_for = STR("start");
		y->since = t->submitted_at;
		y->detail = STR("The turn was accepted and is about to start.");
		ended_by(y, STR("the runtime"));
	}
	ended_by(y, STR("interrupt_turn"));
}

/* ---- nothing is active ---- */

static void why_queued(struct why *y, const struct st_thread *th)
{
	const struct st_turn *next = state_thread_turn(th, th->order.items[0]);

	y->since = next ? next->submitted_at : th->updated_at;
	if (th->held) {
		y->waiting_for = STR("release");
		y->detail = arena_printf(y->mem,
		                         "%u turn%s wait%s, and the queue is held because the "
		                         "turn before was stopped.",
		                         th->order.count, plural(th->order.count),
		                         th->order.count == 1 ? "s" : "");
		ended_by(y, STR("resume_thread"));
		ended_by(y, STR("remove_queued_turn"));
		return;
	}
	y->waiting_for = STR("start");
	y->detail = STR("The next turn of the queue is about to start.");
	ended_by(y, STR("the runtime"));
	ended_by(y, STR("remove_queued_turn"));
}

static void why_idle(struct why *y, const struct st_thread *th)
{
	struct str reason = view_reason(th);
	struct str outcome = status_word(view_profile_status(th));

	y->waiting_for = STR("nothing");
	y->since = th->updated_at;
	ended_by(y, STR("submit_turn"));
	if (!th->last_outcome)
		y->detail = STR("Nothing has run here yet.");
	else if (str_is(reason))
		y->detail = arena_printf(y->mem, "The last turn ended as %.*s: %.*s.",
		                         STR_ARG(outcome), STR_ARG(quoted(y, reason)));
	else
		y->detail = arena_printf(y->mem, "The last turn ended as %.*s.", STR_ARG(outcome));
}

/* ---- the explanation ---- */

/*
 * Every state of a thread leads to exactly one explanation; a recorded wait precedes what the stage
 * would suggest.
 */
static void find_why(struct why *y, const struct state *state, const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);
	bool is_blocked = view_thread_status(th) == THREAD_STATUS_BLOCKED;

	if (!t && th->order.count)
		why_queued(y, th);
	else if (!t)
		why_idle(y, th);
	else if (!why_waiting(y, th, t))
		is_blocked ? why_unknown(y, th) : why_working(y, state, th, t);
	if (t && th->order.count)
		y->detail =
			arena_printf(y->mem, "%.*s %u turn%s queued behind it.", STR_ARG(y->detail),
		                     th->order.count, th->order.count == 1 ? " is" : "s are");
}

void view_explain(struct json_writer *w, const struct state *state, const struct st_thread *th,
                  struct str outputs)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct why y = { .mem = mem, .outputs = outputs };
	const struct st_action *a = NULL;

	find_why(&y, state, th);
	jw_obj(w);
	JW_KSTR(w, "threadId", th->thread_id);
	JW_KOPT(w, "turnId", th->active_turn_id);
	JW_KSTR(w, "status", thread_status_word(view_thread_status(th)));
	JW_KSTR(w, "profileStatus", status_word(view_profile_status(th)));
	JW_KSTR(w, "waitingFor", y.waiting_for);
	PART_TIME(w, "since", y.since);
	PART_TIME(w, "until", y.until);
	if (!y.until)
		JW_KSTR(w, "deadline", STR("none"));
	PART_STRS(w, "endedBy", &y.ended_by);
	JW_KEY(w, "pendingActionIds");
	jw_arr(w);
	while ((a = turn_wait_pending(th, STR_NONE, a)))
		jw_str(w, a->action_id);
	jw_arr_end(w);
	JW_KEY(w, "queuedTurnIds");
	jw_arr(w);
	for (uint32_t i = 0; i < th->order.count; i++)
		jw_str(w, th->order.items[i]);
	jw_arr_end(w);
	JW_KSTR(w, "detail", y.detail);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
