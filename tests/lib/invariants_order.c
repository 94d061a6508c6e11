/* The invariants of order: what needs what, and what may follow what. */
#include "invariants_int.h"

static const char *const kind_names[THING_KINDS] = {
	"thread",  "turn",   "task", "run", "call", "process",
	"request", "action", "step", "job", "item", "child",
};

/* ---- things ---- */

static struct str key_of(struct arena *mem, enum thing_kind kind, struct str id)
{
	return arena_printf(mem, "%c %.*s", '0' + (int)kind, STR_ARG(id));
}

struct thing *invariant_find(const struct invariant_log *g, enum thing_kind kind, struct str id)
{
	char key[300];

	if (!str_is(id) || id.len > 256)
		return NULL;
	key[0] = (char)('0' + kind);
	key[1] = ' ';
	memcpy(key + 2, id.ptr, id.len);
	return map_get(&g->things, str_of(key, id.len + 2));
}

struct thing *invariant_thing(struct invariant_log *g, enum thing_kind kind, struct str id)
{
	struct thing *t = invariant_find(g, kind, id);

	if (t || !str_is(id))
		return t;
	t = ARENA_NEW(g->mem, struct thing);
	t->kind = kind;
	t->id = arena_keep(g->mem, id);
	t->next = g->all[kind];
	g->all[kind] = t;
	map_put(&g->things, key_of(g->mem, kind, id), t);
	return t;
}

/* ---- beginnings and ends, by table ---- */

struct rule {
	enum event_type type;
	enum thing_kind kind;
	bool begins, ends;
};

/* Events about a thing: they need it to have begun and not ended. */
static const struct rule rules[] = {
	{ EV_THREAD_STARTED, THING_THREAD, true, false },
	{ EV_THREAD_UPDATED, THING_THREAD, false, false },
	{ EV_QUEUE_CHANGED, THING_THREAD, false, false },
	{ EV_TURN_SUBMITTED, THING_THREAD, false, false },

	{ EV_TURN_SUBMITTED, THING_TURN, true, false },
	{ EV_TURN_STARTED, THING_TURN, false, false },
	{ EV_TURN_COMPLETED, THING_TURN, false, true },
	{ EV_TURN_FAILED, THING_TURN, false, true },
	{ EV_RUN_STATUS, THING_TURN, false, false },
	{ EV_CONTEXT_RESOLVED, THING_TURN, false, false },
	{ EV_TOOL_CATALOG_RESOLVED, THING_TURN, false, false },
	{ EV_ROUTING_CANDIDATES_RESOLVED, THING_TURN, false, false },
	{ EV_ROUTING_DECIDED, THING_TURN, false, false },
	{ EV_ROUTING_NOT_POSSIBLE, THING_TURN, false, false },
	{ EV_COST_ESTIMATED, THING_TURN, false, false },
	{ EV_MODEL_REQUESTED, THING_TURN, false, false },
	{ EV_MODEL_DELTA, THING_TURN, false, false },
	{ EV_MODEL_COMPLETED, THING_TURN, false, false },
	{ EV_MODEL_FAILED, THING_TURN, false, false },
	{ EV_TOOL_STARTED, THING_TURN, false, false },
	{ EV_TOOL_PROGRESS, THING_TURN, false, false },
	{ EV_TOOL_RESULT, THING_TURN, false, false },
	{ EV_TOOL_FAILED, THING_TURN, false, false },
	{ EV_ACTION_REQUIRED, THING_TURN, false, false },
	{ EV_ACTION_RESOLVED, THING_TURN, false, false },

	{ EV_TASK_CREATED, THING_TASK, true, false },
	{ EV_TASK_ACCEPTED, THING_TASK, false, false },
	{ EV_TASK_QUEUED, THING_TASK, false, false },
	{ EV_TASK_STARTED, THING_TASK, false, false },
	{ EV_TASK_WAITING, THING_TASK, false, false },
	{ EV_TASK_RESUMED, THING_TASK, false, false },
	{ EV_TASK_UPDATED, THING_TASK, false, false },
	{ EV_TASK_PROGRESS, THING_TASK, false, false },
	{ EV_TASK_BLOCKED, THING_TASK, false, false },
	{ EV_TASK_PAUSED, THING_TASK, false, false },
	{ EV_TASK_CANCEL_REQUESTED, THING_TASK, false, false },
	{ EV_TASK_ATTEMPT_STARTED, THING_TASK, false, false },
	{ EV_TASK_COMPLETED, THING_TASK, false, true },
	{ EV_TASK_FAILED, THING_TASK, false, true },
	{ EV_TASK_CANCELLED, THING_TASK, false, true },
	{ EV_TASK_TIMED_OUT, THING_TASK, false, true },
	{ EV_TASK_LOST, THING_TASK, false, true },

	{ EV_TASK_ATTEMPT_STARTED, THING_RUN, true, false },
	{ EV_TASK_ATTEMPT_COMPLETED, THING_RUN, false, true },
	{ EV_TASK_ATTEMPT_FAILED, THING_RUN, false, true },
	{ EV_CONTEXT_RESOLVED, THING_RUN, false, false },
	{ EV_ROUTING_DECIDED, THING_RUN, false, false },
	{ EV_MODEL_REQUESTED, THING_RUN, false, false },
	{ EV_TOOL_STARTED, THING_RUN, false, false },

	{ EV_TOOL_STARTED, THING_TOOL, true, false },
	{ EV_TOOL_ARGS, THING_TOOL, false, false },
	{ EV_TOOL_PROGRESS, THING_TOOL, false, false },
	{ EV_TOOL_RESULT, THING_TOOL, false, true },
	{ EV_TOOL_FAILED, THING_TOOL, false, true },
	{ EV_PERMISSION_EVALUATED, THING_TOOL, false, false },
	{ EV_PERMISSION_REQUESTED, THING_TOOL, false, false },
	{ EV_SANDBOX_APPLIED, THING_TOOL, false, false },
	{ EV_ACTION_REQUIRED, THING_TOOL, false, false },

	{ EV_PROCESS_STARTED, THING_PROCESS, true, false },
	{ EV_PROCESS_OUTPUT, THING_PROCESS, false, false },
	{ EV_PROCESS_INPUT, THING_PROCESS, false, false },
	{ EV_PROCESS_COMPLETED, THING_PROCESS, false, true },
	{ EV_PROCESS_FAILED, THING_PROCESS, false, true },
	{ EV_PROCESS_TERMINATED, THING_PROCESS, false, true },

	{ EV_MODEL_REQUESTED, THING_REQUEST, true, false },
	{ EV_MODEL_DELTA, THING_REQUEST, false, false },
	{ EV_REASONING_DELTA, THING_REQUEST, false, false },
	{ EV_REASONING_SUMMARY, THING_REQUEST, false, false },
	{ EV_MODEL_COMPLETED, THING_REQUEST, false, true },
	{ EV_MODEL_FAILED, THING_REQUEST, false, true },

	{ EV_ACTION_REQUIRED, THING_ACTION, true, false },
	{ EV_ACTION_RESOLVED, THING_ACTION, false, true },
};

static struct str id_of(const struct event *ev, enum thing_kind kind)
{
	const struct str ids[THING_KINDS] = {
		[THING_THREAD] = ev->thread_id,
		[THING_TURN] = ev->turn_id,
		[THING_TASK] = ev->task_id,
		[THING_RUN] = ev->run_id,
		[THING_TOOL] = ev->tool_call_id,
		[THING_PROCESS] = ev->process_id,
		[THING_REQUEST] = ev->model_request_id,
		[THING_ACTION] = ev->action_id,
		[THING_STEP] = ev->step_id,
		[THING_JOB] = ev->job_id,
		[THING_ITEM] = ev->job_item_id,
		[THING_CHILD] = ev->subagent_id,
	};

	return ids[kind];
}

static bool apply_rule(struct invariant_log *g, const struct event *ev, const struct rule *r,
                       struct error *e)
{
	struct str id = id_of(ev, r->kind);
	struct thing *t;

	if (!str_is(id))
		return true;
	t = invariant_find(g, r->kind, id);
	if (r->begins && t && t->has_begun)
		return invariant_broken(g, ev, e, "%s %.*s has begun already", kind_names[r->kind],
		                        STR_ARG(id));
	if (!r->begins && (!t || !t->has_begun))
		return invariant_broken(g, ev, e, "%s %.*s has not begun", kind_names[r->kind],
		                        STR_ARG(id));
	if (t && t->end)
		return invariant_broken(g, ev, e, "%s %.*s has ended by %.*s", kind_names[r->kind],
		                        STR_ARG(id), STR_ARG(event_type_word(t->end)));
	t = invariant_thing(g, r->kind, id);
	if (r->begins) {
		t->has_begun = true;
		t->turn = invariant_find(g, THING_TURN, ev->turn_id);
	}
	if (r->ends)
		t->end = ev->type;
	return true;
}

/* spec: GAP-42 — only this reopens a task, and never one that was completed. */
static bool reopen(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TASK, ev->task_id);

	if (!t || !t->has_begun)
		return invariant_broken(g, ev, e, "task %.*s has not begun", STR_ARG(ev->task_id));
	if (t->end == EV_TASK_COMPLETED)
		return invariant_broken(g, ev, e, "a completed task is not reopened");
	t->end = 0;
	return true;
}

/* Waits of a task that may continue after the turn that carried it out. */
static void park(struct invariant_log *g, const struct event *ev, bool is_parked)
{
	struct thing *t = invariant_find(g, THING_TASK, ev->task_id);

	if (t)
		t->is_parked = is_parked;
}

/* ---- turns ---- */

static void submitted(struct invariant_log *g, const struct event *ev,
                      const struct ev_turn_submitted *p)
{
	struct thing *t = invariant_find(g, THING_TURN, ev->turn_id);

	t->thread = invariant_find(g, THING_THREAD, ev->thread_id);
	t->merges_into =
		str_is(p->merged_into) ? invariant_find(g, THING_TURN, p->merged_into) : NULL;
	t->is_system = p->kind == TURN_KIND_SYSTEM;
	t->was_queued = ev->status == STATUS_QUEUED;
}

static bool started(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TURN, ev->turn_id);

	if (t->has_started)
		return invariant_broken(g, ev, e, "the turn was started before");
	if (t->is_queued)
		return invariant_broken(g, ev, e, "it is still in the queue");
	for (struct thing *o = g->all[THING_TURN]; o && !t->is_system; o = o->next)
		if (o != t && o->thread == t->thread && o->has_started && !o->end && !o->is_system)
			return invariant_broken(g, ev, e, "while %.*s is active", STR_ARG(o->id));
	t->has_started = true;
	return true;
}

static bool is_open_of(const struct thing *o, const struct thing *turn)
{
	return o->turn == turn && o->has_begun && !o->end && !o->is_background;
}

/* spec: GAP-40, GAP-41 — inner to outer: a turn ends with nothing of it open. */
static bool adds_up(struct invariant_log *g, const struct event *ev, const struct thing *t,
                    const struct rec_tokens *usage, bool has_cost, int64_t cost, int64_t steps,
                    struct error *e)
{
	if (steps != t->items)
		return invariant_broken(g, ev, e, "%lld steps are said, there were %lld",
		                        (long long)steps, (long long)t->items);
	if (has_cost && cost != t->spent_usd)
		return invariant_broken(g, ev, e, "the cost is not the sum of what was recorded");
	if (has_cost && t->is_cost_unknown)
		return invariant_broken(g, ev, e, "the cost is said, and part of it is unknown");
	if (usage &&
	    (usage->input_tokens != t->input_tokens || usage->output_tokens != t->output_tokens))
		return invariant_broken(g, ev, e,
		                        "the tokens are not the sum of what was recorded");
	return true;
}

static bool check_sums(struct invariant_log *g, const struct event *ev, const struct thing *t,
                       struct error *e)
{
	if (ev->type == EV_TURN_COMPLETED) {
		const struct ev_turn_completed *p = ev->payload;

		return adds_up(g, ev, t, p->usage, p->has_cost_usd, p->cost_usd,
		               p->has_steps ? p->steps : t->items, e);
	}
	const struct ev_turn_failed *p = ev->payload;

	return adds_up(g, ev, t, p->usage, p->has_cost_usd, p->cost_usd,
	               p->has_steps ? p->steps : t->items, e);
}

static bool ended(struct invariant_log *g, const struct event *ev, struct error *e)
{
	static const enum thing_kind inner[] = { THING_RUN, THING_TOOL, THING_PROCESS,
		                                 THING_REQUEST, THING_ACTION };
	struct thing *t = invariant_find(g, THING_TURN, ev->turn_id), *task;
	bool is_merged =
		ev->type == EV_TURN_COMPLETED &&
		((const struct ev_turn_completed *)ev->payload)->outcome == TURN_OUTCOME_MERGED;

	if (ev->type == EV_TURN_COMPLETED && !is_merged && !t->has_started)
		return invariant_broken(g, ev, e, "it was never started");
	if (is_merged)
		return true;
	for (size_t i = 0; i < COUNT_OF(inner); i++)
		for (struct thing *o = g->all[inner[i]]; o; o = o->next)
			if (is_open_of(o, t))
				return invariant_broken(g, ev, e, "%s %.*s of it is open",
				                        kind_names[inner[i]], STR_ARG(o->id));
	/* A real task may outlive its turn, but then it says what it waits for. */
	task = invariant_find(g, THING_TASK, ev->task_id);
	if (task && !task->end && (task->is_implicit || !task->is_parked))
		return invariant_broken(g, ev, e, "its task is open");
	if (t->is_queued)
		return invariant_broken(g, ev, e, "it is still in the queue");
	for (struct thing *o = g->all[THING_STEP]; o; o = o->next)
		if (o->turn == t && o->index && !o->has_ended)
			return invariant_broken(g, ev, e, "item %lld of it has not ended",
			                        (long long)o->index);
	return check_sums(g, ev, t, e);
}

static void run_status(struct invariant_log *g, const struct event *ev,
                       const struct ev_run_status *p)
{
	struct thing *t = invariant_find(g, THING_TURN, ev->turn_id);

	if (!t)
		return;
	t->waits =
		p->wait && (p->wait->until || str_is(p->wait->deadline)) && p->wait->ended_by.count;
	t->is_lost = p->kind == RUN_STATUS_KIND_RESUME_REQUIRED;
}

/* ---- queues ---- */

static bool same_order(const struct list_str *a, const struct list_str *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!str_eq(a->items[i], b->items[i]))
			return false;
	return true;
}

/* spec: GAP-34 — the order is whole, and differs from the last by what the change says. */
static bool queue_changed(struct invariant_log *g, const struct event *ev,
                          const struct ev_queue_changed *p, struct error *e)
{
	struct thing *th = invariant_find(g, THING_THREAD, ev->thread_id);
	struct thing *t = invariant_find(g, THING_TURN, p->queued_turn_id);
	struct list_str now = { 0 };
	bool was_there =
		str_is(p->queued_turn_id) && rec_list_str_find(&th->order, p->queued_turn_id) >= 0;

	for (uint32_t i = 0; i < p->order.count; i++)
		rec_list_str_add(g->mem, &now, p->order.items[i]);
	if (str_is(p->queued_turn_id) && (!t || t->end))
		return invariant_broken(g, ev, e, "%.*s is not an open turn",
		                        STR_ARG(p->queued_turn_id));
	switch (p->change) {
	case QUEUE_CHANGE_ADDED: {
		ptrdiff_t at = rec_list_str_find(&now, p->queued_turn_id);

		if (was_there || at < 0)
			return invariant_broken(g, ev, e, "nothing was added");
		if (p->has_position && p->position != at + 1)
			return invariant_broken(g, ev, e, "it is not at the position that is said");
		rec_list_str_insert(g->mem, &th->order, (uint32_t)at, p->queued_turn_id);
		t->is_queued = true;
		t->merges_into = NULL;
		break;
	}
	case QUEUE_CHANGE_STARTED:
		if (!was_there || !str_eq(th->order.items[0], p->queued_turn_id))
			return invariant_broken(g, ev, e, "it was not the first in the queue");
		rec_list_str_remove(&th->order, p->queued_turn_id);
		t->is_queued = false;
		th->is_held = false;
		break;
	case QUEUE_CHANGE_CLEARED:
		for (uint32_t i = 0; i < th->order.count; i++)
			invariant_find(g, THING_TURN, th->order.items[i])->is_queued = false;
		th->order.count = 0;
		break;
	case QUEUE_CHANGE_REMOVED:
		if (!was_there)
			return invariant_broken(g, ev, e, "it was not in the queue");
		rec_list_str_remove(&th->order, p->queued_turn_id);
		t->is_queued = false;
		break;
	case QUEUE_CHANGE_PROMOTED:
	case QUEUE_CHANGE_MOVED: {
		ptrdiff_t at = rec_list_str_find(&now, p->queued_turn_id);

		if (!was_there || at < 0)
			return invariant_broken(g, ev, e, "it was not in the queue");
		rec_list_str_remove(&th->order, p->queued_turn_id);
		rec_list_str_insert(g->mem, &th->order, (uint32_t)at, p->queued_turn_id);
		break;
	}
	case QUEUE_CHANGE_HELD:
		th->is_held = true;
		break;
	case QUEUE_CHANGE_RELEASED:
		th->is_held = false;
		break;
	default:
		return invariant_broken(g, ev, e, "a change that is not known");
	}
	if (!same_order(&th->order, &now))
		return invariant_broken(g, ev, e, "the order does not follow from the change");
	if (!now.count)
		th->is_held = false;
	return true;
}

/* ---- calls ---- */

static bool judged(struct invariant_log *g, const struct event *ev)
{
	struct thing *t = invariant_find(g, THING_TOOL, ev->tool_call_id);

	if (t && ev->permission_decision)
		t->decision = ev->permission_decision->decision;
	return true;
}

/* spec: GAP-35, GAP-36 — the mark follows the permission, once. */
static bool dispatched(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TOOL, ev->tool_call_id);

	if (t->decision != APPROVAL_DECISION_ALLOW)
		return invariant_broken(g, ev, e, "dispatched without being allowed");
	if (t->is_dispatched && ev->type != EV_SANDBOX_APPLIED)
		return invariant_broken(g, ev, e, "dispatched twice");
	t->is_dispatched = true;
	return true;
}

static bool tool_ended(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TOOL, ev->tool_call_id);
	const struct ev_tool_failed *p = ev->payload;

	if (ev->type == EV_TOOL_RESULT && !t->is_dispatched)
		return invariant_broken(g, ev, e, "a result without a dispatch");
	if (ev->type == EV_TOOL_FAILED && !t->is_dispatched && p->executed != EXECUTED_NO)
		return invariant_broken(g, ev, e, "not dispatched, and yet executed");
	if (ev->status == STATUS_LOST && !t->is_dispatched)
		return invariant_broken(g, ev, e, "lost without having been dispatched");
	return true;
}

static void required(struct invariant_log *g, const struct event *ev,
                     const struct ev_action_required *p)
{
	struct thing *a = invariant_find(g, THING_ACTION, ev->action_id);
	struct thing *t = invariant_find(g, THING_TOOL, ev->tool_call_id);

	a->has_deadline = p->wait && p->wait->until && p->wait->ended_by.count && p->on_expiry;
	if (t)
		t->asks_user = p->action_type == ACTION_TYPE_STRUCTURED_INPUT;
}

/* ---- requests, money, text ---- */

static bool estimated(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *r = invariant_thing(g, THING_REQUEST, ev->model_request_id);

	if (r->is_estimated)
		return invariant_broken(g, ev, e, "a second reservation");
	r->is_estimated = true;
	return true;
}

static bool requested(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *r = invariant_find(g, THING_REQUEST, ev->model_request_id);

	if (!r->is_estimated)
		return invariant_broken(g, ev, e, "without a reservation");
	for (struct thing *o = g->all[THING_REQUEST]; o; o = o->next)
		if (o != r && is_open_of(o, r->turn))
			return invariant_broken(g, ev, e, "while %.*s is open", STR_ARG(o->id));
	for (struct thing *o = g->all[THING_TOOL]; o; o = o->next)
		if (is_open_of(o, r->turn))
			return invariant_broken(g, ev, e, "while %.*s is open", STR_ARG(o->id));
	if (r->turn) {
		r->turn->waits = false;
		r->turn->is_lost = false;
	}
	return true;
}

static bool recorded(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *r = invariant_find(g, THING_REQUEST, ev->model_request_id);

	if (!r || !r->end)
		return invariant_broken(g, ev, e, "settled before the request ended");
	if (r->recorded++)
		return invariant_broken(g, ev, e, "settled twice");
	if (r->turn) {
		const struct ev_cost_recorded *p = ev->payload;

		r->turn->spent_usd += p->has_amount_usd ? p->amount_usd : 0;
		r->turn->is_cost_unknown |= !p->has_amount_usd;
		r->turn->input_tokens += p->input_tokens;
		r->turn->output_tokens += p->output_tokens;
	}
	return true;
}

/* spec: GAP-44 — loss or repetition of text shows. */
static bool piece(struct invariant_log *g, const struct event *ev, struct str text, int64_t offset,
                  int64_t chunks, struct error *e)
{
	struct thing *s = invariant_thing(g, THING_STEP, ev->step_id);

	if (offset != s->bytes)
		return invariant_broken(g, ev, e, "textOffset is %lld behind %lld bytes",
		                        (long long)offset, (long long)s->bytes);
	if (chunks < 1 || !text.len)
		return invariant_broken(g, ev, e, "%lld chunks, %zu bytes", (long long)chunks,
		                        text.len);
	s->bytes += (int64_t)text.len;
	if (ev->type == EV_REASONING_DELTA)
		invariant_find(g, THING_REQUEST, ev->model_request_id)->reasoning = s;
	return true;
}

static bool summarised(struct invariant_log *g, const struct event *ev,
                       const struct ev_reasoning_summary *p, struct error *e)
{
	struct thing *r = invariant_find(g, THING_REQUEST, ev->model_request_id);
	struct thing *s = invariant_find(g, THING_STEP, ev->step_id);

	if (!s || r->reasoning != s)
		return invariant_broken(g, ev, e, "a summary of no open reasoning");
	if (p->bytes != s->bytes)
		return invariant_broken(g, ev, e, "%lld bytes are said, there were %lld",
		                        (long long)p->bytes, (long long)s->bytes);
	r->reasoning = NULL;
	return true;
}

static bool request_ended(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *r = invariant_find(g, THING_REQUEST, ev->model_request_id);
	const struct ev_model_completed *p = ev->payload;
	struct thing *s = str_is(ev->step_id) ? invariant_find(g, THING_STEP, ev->step_id) : NULL;

	if (r->reasoning)
		return invariant_broken(g, ev, e, "its reasoning has no summary");
	if (ev->type == EV_MODEL_COMPLETED && p->text && s && p->text->bytes != s->bytes)
		return invariant_broken(g, ev, e, "%lld bytes are said, there were %lld",
		                        (long long)p->text->bytes, (long long)s->bytes);
	return true;
}

/* ---- items ---- */

static bool is_end(enum status s)
{
	return s == STATUS_COMPLETED || s == STATUS_FAILED || s == STATUS_CANCELLED ||
	       s == STATUS_LOST || s == STATUS_TIMED_OUT;
}

/* spec: GAP-43 */
static bool check_item(struct invariant_log *g, const struct event *ev, struct error *e)
{
	const struct rec_item *item = ev->item;
	struct thing *t, *s;

	if (!item)
		return true;
	if (!str_eq(item->item_id, ev->step_id))
		return invariant_broken(g, ev, e, "itemId is not stepId");
	t = invariant_find(g, THING_TURN, ev->turn_id);
	if (!t)
		return invariant_broken(g, ev, e, "an item without a turn");
	s = invariant_thing(g, THING_STEP, ev->step_id);
	if (!s->index) {
		s->turn = t;
		s->index = item->index;
		if (item->index != ++t->items)
			return invariant_broken(g, ev, e, "item index %lld follows %lld",
			                        (long long)item->index, (long long)t->items - 1);
	}
	if (s->index != item->index || s->turn != t)
		return invariant_broken(g, ev, e, "the item has moved");
	if (s->has_ended)
		return invariant_broken(g, ev, e, "the item had ended");
	s->has_ended = is_end(item->status);
	return true;
}

/* ---- all of them ---- */

static bool check_class(struct invariant_log *g, const struct event *ev, struct error *e)
{
	switch (ev->type) {
	case EV_TASK_CREATED:
		invariant_find(g, THING_TASK, ev->task_id)->is_implicit =
			((const struct ev_task_created *)ev->payload)->implicit;
		return true;
	case EV_TASK_RETRYING:
		park(g, ev, true);
		return reopen(g, ev, e);
	case EV_TURN_SUBMITTED:
		submitted(g, ev, ev->payload);
		return true;
	case EV_TURN_STARTED:
		return started(g, ev, e);
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
		return ended(g, ev, e);
	case EV_RUN_STATUS:
		run_status(g, ev, ev->payload);
		return true;
	case EV_TASK_PAUSED:
	case EV_TASK_BLOCKED:
	case EV_TASK_WAITING:
	case EV_TASK_CANCEL_REQUESTED:
		park(g, ev, true);
		return true;
	case EV_TASK_RESUMED:
		park(g, ev, false);
		return true;
	case EV_TASK_ATTEMPT_STARTED: {
		struct thing *t = invariant_find(g, THING_TURN, ev->turn_id);

		park(g, ev, false);
		if (t)
			t->waits = t->is_lost = false;
		return true;
	}
	case EV_QUEUE_CHANGED:
		return queue_changed(g, ev, ev->payload, e);
	case EV_PERMISSION_EVALUATED:
	case EV_PERMISSION_RESOLVED:
		return judged(g, ev);
	case EV_SANDBOX_APPLIED:
		return dispatched(g, ev, e);
	case EV_TOOL_PROGRESS:
		if (((const struct ev_tool_progress *)ev->payload)->kind !=
		    TOOL_PROGRESS_KIND_DISPATCHED)
			return true;
		return dispatched(g, ev, e);
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
		return tool_ended(g, ev, e);
	case EV_ACTION_REQUIRED:
		required(g, ev, ev->payload);
		return true;
	case EV_COST_ESTIMATED:
		return estimated(g, ev, e);
	case EV_MODEL_REQUESTED:
		return requested(g, ev, e);
	case EV_COST_RECORDED:
		return recorded(g, ev, e);
	case EV_MODEL_DELTA: {
		const struct ev_model_delta *p = ev->payload;

		return p->kind != DELTA_KIND_TEXT ||
		       piece(g, ev, p->text, p->text_offset, p->chunks, e);
	}
	case EV_REASONING_DELTA: {
		const struct ev_reasoning_delta *p = ev->payload;

		return piece(g, ev, p->text, p->text_offset, p->chunks, e);
	}
	case EV_REASONING_SUMMARY:
		return summarised(g, ev, ev->payload, e);
	case EV_MODEL_COMPLETED:
	case EV_MODEL_FAILED:
		return request_ended(g, ev, e);
	case EV_PROCESS_STARTED: {
		struct thing *t = invariant_find(g, THING_TOOL, ev->tool_call_id);

		invariant_find(g, THING_PROCESS, ev->process_id)->is_background =
			((const struct ev_process_started *)ev->payload)->background;
		return (t && t->is_dispatched) ||
		       invariant_broken(g, ev, e, "a process without a sandbox");
	}
	default:
		return true;
	}
}

bool invariant_order(struct invariant_log *g, const struct event *ev, struct error *e)
{
	if (g->count == 0 && ev->type != EV_SESSION_CREATED)
		return invariant_broken(g, ev, e, "a log begins with session.created");
	if (g->count > 0 && ev->type == EV_SESSION_CREATED)
		return invariant_broken(g, ev, e, "the session was created before");
	for (size_t i = 0; i < COUNT_OF(rules); i++)
		if (rules[i].type == ev->type && !apply_rule(g, ev, &rules[i], e))
			return false;
	return check_class(g, ev, e) && check_item(g, ev, e) && invariant_work(g, ev, e);
}

/* ---- rest ---- */

static bool has_open(const struct invariant_log *g, const struct thing *turn, enum thing_kind kind)
{
	for (const struct thing *o = g->all[kind]; o; o = o->next)
		if (is_open_of(o, turn) &&
		    (kind != THING_TOOL || (o->is_dispatched && !o->asks_user)))
			return true;
	return false;
}

static bool has_pending_decision(const struct invariant_log *g, const struct thing *turn)
{
	for (const struct thing *o = g->all[THING_ACTION]; o; o = o->next)
		if (is_open_of(o, turn) && o->has_deadline)
			return true;
	return false;
}

static const struct thing *active_of(const struct invariant_log *g, const struct thing *thread)
{
	for (const struct thing *t = g->all[THING_TURN]; t; t = t->next)
		if (t->thread == thread && t->has_started && !t->end && !t->is_system)
			return t;
	return NULL;
}

static bool turn_rests(struct invariant_log *g, const struct thing *t, enum invariant_rest how,
                       struct error *e)
{
	bool runs = has_open(g, t, THING_REQUEST) || has_open(g, t, THING_TOOL);

	if (t->is_queued) {
		if (active_of(g, t->thread) || t->thread->is_held)
			return true;
		return invariant_broken(g, NULL, e, "%.*s waits in a queue that nothing holds up",
		                        STR_ARG(t->id));
	}
	if (t->merges_into) {
		if (!t->merges_into->end)
			return true;
		return invariant_broken(g, NULL, e, "%.*s waits for a turn that has ended",
		                        STR_ARG(t->id));
	}
	if (!t->has_started)
		return invariant_broken(g, NULL, e, "%.*s was accepted and nothing came of it",
		                        STR_ARG(t->id));
	if (runs && how == INVARIANT_REST)
		return invariant_broken(g, NULL, e,
		                        "%.*s has something under way that nothing runs",
		                        STR_ARG(t->id));
	if (runs || t->waits || has_pending_decision(g, t))
		return true;
	return invariant_broken(g, NULL, e, "%.*s waits, and does not say for what",
	                        STR_ARG(t->id));
}

bool invariant_rest(struct invariant_log *g, enum invariant_rest how, struct error *e)
{
	for (struct thing *t = g->all[THING_TURN]; t; t = t->next) {
		if (t->end || !t->has_begun)
			continue;
		if (how == INVARIANT_OVER)
			return invariant_broken(g, NULL, e, "%.*s has not ended", STR_ARG(t->id));
		if (!turn_rests(g, t, how, e))
			return false;
	}
	for (struct thing *r = g->all[THING_REQUEST]; r; r = r->next)
		if (r->end && !r->recorded)
			return invariant_broken(g, NULL, e, "%.*s was never settled",
			                        STR_ARG(r->id));
	for (int kind = THING_TASK; how == INVARIANT_OVER && kind <= THING_ACTION; kind++)
		for (struct thing *o = g->all[kind]; o; o = o->next)
			if (o->has_begun && !o->end)
				return invariant_broken(g, NULL, e, "%s %.*s has not ended",
				                        kind_names[kind], STR_ARG(o->id));
	return invariant_work_rests(g, how, e);
}
