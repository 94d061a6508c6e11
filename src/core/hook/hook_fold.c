/*
 * Folds hooks: how many of each occasion have ended, and what they answered.
 */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/hook/hook.h"
#include "policy/external_record.h"

void hook_on_hook_started(struct state *w, const struct event *ev, const struct ev_hook_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_hook *h;

	(void)p;
	if (!th || !ev->hook_run)
		return;
	h = rec_list_add(w->mem, &th->hooks, &st_hook_desc);
	h->run = rec_clone(w->mem, &rec_hook_run_desc, ev->hook_run);
	h->turn_id = KEEP(w, ev->turn_id);
	h->tool_call_id = KEEP(w, ev->tool_call_id);
}

struct ended_hook {
	struct st_thread *th;
	struct st_turn *t;
	struct st_call *c;
};

/* Counts the hook for its occasion, also when it failed: hook_step() continues with the next. */
static bool hook_ended(struct state *w, const struct event *ev, struct ended_hook *ret)
{
	struct st_hook *h = ev->hook_run ? hook_find(w, ev->hook_run->hook_run_id, &ret->th) : NULL;
	int64_t *count;
	uint32_t over = 0;

	if (!h)
		return false;
	ret->t = state_thread_turn(ret->th, h->turn_id);
	ret->c = str_is(h->tool_call_id) ? state_thread_call(ret->th, h->tool_call_id) : NULL;
	h->run = rec_clone(w->mem, &rec_hook_run_desc, ev->hook_run);
	count = hook_count(w->s, ret->t, ret->c, h->run->point);
	if (count)
		++*count;
	if (ret->c)
		rec_list_str_add(w->mem, &ret->c->hook_run_ids, KEEP(w, h->run->hook_run_id));
	for (uint32_t i = ret->th->hooks.count; i-- > 0;)
		if (ret->th->hooks.items[i]->run->status != HOOK_STATUS_RUNNING &&
		    ++over > WINDOW_HOOKS)
			rec_list_remove(&ret->th->hooks, i);
	return true;
}

/* Of several answers the strictest counts. */
static int strictness(enum hook_decision d)
{
	switch (d) {
	case HOOK_DECISION_BLOCK:
		return 4;
	case HOOK_DECISION_DENY:
		return 3;
	case HOOK_DECISION_ASK:
		return 2;
	case HOOK_DECISION_ALLOW:
		return 1;
	default:
		return 0;
	}
}

static bool decides_call(enum hook_point point)
{
	return point == HOOK_POINT_PRE_TOOL_USE || point == HOOK_POINT_PERMISSION_REQUEST;
}

static bool forbids(enum hook_decision d)
{
	return d == HOOK_DECISION_BLOCK || d == HOOK_DECISION_DENY;
}

/*
 * The answer is kept where the next step looks for it: with the call for a permission, with the
 * turn for a prompt or a stop.
 */
void hook_on_hook_completed(struct state *w, const struct event *ev,
                            const struct ev_hook_completed *p)
{
	struct ended_hook e = { 0 };

	if (!hook_ended(w, ev, &e))
		return;
	for (uint32_t i = 0; i < p->additional_context_refs.count; i++)
		rec_list_str_add(w->mem, &e.th->hook_context_refs,
		                 p->additional_context_refs.items[i]);
	if (e.c && decides_call(p->point) && ev->hook_run->policy_record)
		external_record_add(w->mem, &e.c->policy_records, ev->hook_run->policy_record);
	if (e.c && decides_call(p->point) &&
	    strictness(p->decision) > strictness(e.c->hook_decision)) {
		e.c->hook_decision = p->decision;
		e.c->hook_reason = KEEP(w, p->reason);
	}
	if (e.t && p->point == HOOK_POINT_USER_PROMPT_SUBMIT && forbids(p->decision))
		turn_fold_failing(w, e.t, ERROR_CATEGORY_HOOK_BLOCKED,
		                  str_is(p->reason) ? p->reason : STR("A hook blocked the prompt."),
		                  STR_NONE, false);
	if (e.t && p->point == HOOK_POINT_STOP && forbids(p->decision)) {
		e.t->stop_is_blocked = true;
		e.t->stop_blocks++;
	}
}

/*
 * fail_policy closed: a hook that could not answer counts as an objection.  With open, hook_step.c
 * has emitted a warning, and nothing else follows.
 */
void hook_on_hook_failed(struct state *w, const struct event *ev, const struct ev_hook_failed *p)
{
	struct ended_hook e = { 0 };

	if (!hook_ended(w, ev, &e) || p->fail_policy != FAIL_POLICY_CLOSED)
		return;
	if (e.c && decides_call(p->point)) {
		e.c->hook_failed = true;
		e.c->hook_reason = KEEP(w, p->message);
	}
	if (e.t && p->point == HOOK_POINT_USER_PROMPT_SUBMIT && e.t->stage == TURN_STAGE_PREPARING)
		turn_fold_failing(w, e.t, ERROR_CATEGORY_HOOK_FAILED, p->message, STR_NONE, true);
}
