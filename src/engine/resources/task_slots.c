/*
 * Task slots: how many tasks agents may run at once per tenant and over all.
 *
 * The counts come from the states in memory and, for other sessions, from their
 * state when they left, or at the start from their rows.
 *
 * A session that could start a task if others had not taken the slots is
 * queued.  When a slot becomes free, the first session starts one task and
 * moves to the end of the queue, so that a session with ten thousand tasks does
 * not block one with two.
 *
 * Several nodes share the slots (ports/ledger.h): a task starts where one was allotted.
 */
#include "engine/resources/task_slots.h"

#include "core/gen/inputs.h"
#include "base/memory.h"
#include "core/session/session.h"
#include "core/step.h"
#include "core/task/task.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

struct tenant {
	struct str name, account;
	int64_t running;
	uint64_t asked; /* the pass of ask_others() that asked for it */
};

/* A session outside memory with running tasks. */
struct asleep {
	struct str id;
	struct tenant *tenant;
	int64_t running;
	char text[];
};

static bool is_bounded(const struct engine *e)
{
	return e->settings.tasks.tenant || e->settings.tasks.runtime;
}

/* Tenants live as long as the engine: there are few, and their counts must not be lost. */
static struct tenant *tenant_named(struct engine *e, struct str name)
{
	struct tenant *t = map_get(&e->tenants, name);

	if (t)
		return t;
	t = memory_zeroed(1, sizeof *t);
	t->name = arena_keep(e->mem, name);
	t->account = arena_printf(e->mem, "%.*s:%.*s", STR_ARG(TASKS_ACCOUNT), STR_ARG(name));
	map_put(&e->tenants, t->name, t);
	return t;
}

/* A session that is being created belongs to the caller that creates it. */
static struct tenant *tenant_of(struct session *s, const struct command_call *call)
{
	struct engine *e = s->engine;

	if (!s->tenant && session_exists(s->state))
		s->tenant = tenant_named(
			e, ledger_view_tenant(e->scratch, ledger_view_payer(s->state)));
	if (s->tenant || !call)
		return s->tenant;
	return tenant_named(e, ledger_view_tenant(e->scratch, call->caller.principal));
}

/* ---- other nodes ---- */

static struct ledger *shared_ledger(const struct engine *e)
{
	return e->nodes && !e->is_closing ? e->ports.ledger : NULL;
}

static void add_running(struct engine *e, struct tenant *t, int64_t change)
{
	struct ledger *l = shared_ledger(e);

	e->running_tasks += change;
	if (l)
		l->ops->move(l, &(struct ledger_move){ TASKS_ACCOUNT, 0, change }, 1);
	if (!t)
		return;
	t->running += change;
	if (l)
		l->ops->move(l, &(struct ledger_move){ t->account, 0, change }, 1);
}

static bool is_allotted(const struct engine *e, const struct tenant *t)
{
	const struct settings_tasks *max = &e->settings.tasks;
	struct ledger *l = shared_ledger(e);

	return !l || (l->ops->fits(l, TASKS_ACCOUNT, max->runtime, 1) &&
	              (!t || l->ops->fits(l, t->account, max->tenant, 1)));
}

static void ask_for(struct ledger *l, struct str account, int64_t cap)
{
	(void)l->ops->room(l, &(const struct ledger_question){ account, cap, 1, 1 });
}

/* Tenants whose sessions are further back are asked for when these have come forward. */
#define TENANTS_AT_ONCE 16

static void ask_others(struct engine *e)
{
	const struct settings_tasks *max = &e->settings.tasks;
	struct ledger *l = shared_ledger(e);
	int count = 0;

	e->asked_others++;
	if (!l || list_is_empty(&e->line_of_tasks))
		return;
	ask_for(l, TASKS_ACCOUNT, max->runtime);
	LIST_EACH (&e->line_of_tasks, node) {
		struct tenant *t = LIST_ITEM(node, struct session, in_line)->tenant;

		if (!t || t->asked == e->asked_others)
			continue;
		t->asked = e->asked_others;
		ask_for(l, t->account, max->tenant);
		if (++count == TENANTS_AT_ONCE)
			return;
	}
}

/* ---- the queue ---- */

/* A limit of 0 means none. */
static bool has_room(const struct engine *e, const struct tenant *t)
{
	const struct settings_tasks *max = &e->settings.tasks;

	return (!max->runtime || e->running_tasks < max->runtime) &&
	       (!max->tenant || !t || t->running < max->tenant) && is_allotted(e, t);
}

/* Are all free slots already claimed by sessions ahead of it? */
static bool is_spoken_for(struct session *s, const struct tenant *t)
{
	struct engine *e = s->engine;
	const struct settings_tasks *max = &e->settings.tasks;
	int64_t all = 0, own = 0;

	LIST_EACH (&e->line_of_tasks, node) {
		struct session *other = LIST_ITEM(node, struct session, in_line);

		if (other == s || !has_room(e, other->tenant))
			continue;
		all++;
		own += other->tenant == t;
	}
	return (max->runtime && all && max->runtime - e->running_tasks <= all) ||
	       (max->tenant && own && max->tenant - t->running <= own);
}

/*
 * others_first makes the decision queue a task instead of starting it, unless it is this
 * session's turn.  Until all running tasks are counted after a start, every task is
 * queued.
 */
void task_slots_prepare(struct session *s, struct decision *d)
{
	struct engine *e = s->engine;
	struct ledger_view *ledger_view = &e->money;
	struct tenant *t;

	if (!is_bounded(e))
		return;
	t = tenant_of(s, d->call);
	ledger_view->tasks = e->running_tasks;
	ledger_view->tenant_tasks = t ? t->running : 0;
	ledger_view->others_first = !e->are_slots_known ||
	                            (t && e->serving != s && is_spoken_for(s, t)) ||
	                            !is_allotted(e, t);
}

static void leave_line(struct session *s)
{
	if (!s->is_in_line)
		return;
	list_remove(&s->in_line);
	s->is_in_line = false;
}

void task_slots_want(struct session *s, bool wants)
{
	if (!wants) {
		leave_line(s);
	} else if (!s->is_in_line) {
		list_add(&s->engine->line_of_tasks, &s->in_line);
		s->is_in_line = true;
		if (s->engine->nodes)
			task_slots_look(s->engine);
	}
}

void task_slots_stepped(struct session *s, const struct decision *d)
{
	task_slots_want(s, d->wants_slot);
}

/* `serving` lifts others_first for this session; count_running() resets it after one task. */
static void serve_one(struct engine *e, struct session *s)
{
	int64_t before = e->running_tasks;
	struct decision *d;

	leave_line(s);
	if (s->phase != SESSION_LIVE) /* dropped; it queues again when it is loaded */
		return;
	e->serving = s;
	d = apply_begin(s, NULL);
	input_step_next(d);
	task_slots_want(s, d->wants_slot);
	apply_end(s, d);
	e->serving = NULL;
	if (e->running_tasks > before)
		task_slots_look(e);
}

/* One task each, as long as there are free slots and sessions that use them. */
static void serve_queue(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, serving_timer);
	struct list *at = e->line_of_tasks.next, *last = e->line_of_tasks.prev;

	for (bool has_next = !list_is_empty(&e->line_of_tasks); has_next && has_room(e, NULL);) {
		struct session *s = LIST_ITEM(at, struct session, in_line);

		has_next = at != last; /* a session that wants more is queued behind the last one */
		at = at->next;
		if (has_room(e, s->tenant))
			serve_one(e, s);
	}
	ask_others(e);
}

void task_slots_look(struct engine *e)
{
	if (list_is_empty(&e->line_of_tasks) || !e->are_slots_known)
		return;
	e->serving_timer.fire = serve_queue;
	e->ports.clock->ops->start(e->ports.clock, &e->serving_timer, 0);
}

/* ---- counting ---- */

static void count_running(struct session *s, int64_t running)
{
	int64_t change = running - s->running_tasks;

	s->running_tasks = running;
	if (change)
		add_running(s->engine, s->tenant, change);
	if (change < 0)
		task_slots_look(s->engine);
	if (change <= 0)
		return;
	/* It had its turn; if it wants more, it is queued behind the others. */
	leave_line(s);
	if (s->engine->serving == s)
		s->engine->serving = NULL;
}

void task_slots_count(struct session *s)
{
	if (is_bounded(s->engine) && tenant_of(s, NULL))
		count_running(s, task_run_count_under_way(s->state));
}

static bool has_held(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->tasks.count; i++)
		if (task_lacks_shared_room(w->s->tasks.items[i]))
			return true;
	return false;
}

/* A session outside memory keeps its slots: its tasks continue when it is loaded. */
void task_slots_sleep(struct engine *e, struct str id, struct str tenant, int64_t running)
{
	struct asleep *a;

	if (!is_bounded(e) || running <= 0 || map_get(&e->asleep, id))
		return;
	a = memory_zeroed(1, sizeof *a + id.len + 1);
	memcpy(a->text, id.ptr, id.len);
	a->id = str_of(a->text, id.len);
	a->tenant = tenant_named(e, tenant);
	a->running = running;
	add_running(e, a->tenant, running);
	map_put(&e->asleep, a->id, a);
}

bool task_slots_keeps(const struct engine *e, struct str id)
{
	return map_get(&e->asleep, id);
}

void task_slots_hand_over(struct engine *e, struct str id)
{
	struct asleep *a = map_remove(&e->asleep, id);

	if (!a)
		return;
	add_running(e, a->tenant, -a->running);
	memory_free(a);
}

void task_slots_load(struct session *s, enum load_phase phase)
{
	if (phase != LOAD_READ && phase != LOAD_ELSEWHERE)
		return;
	task_slots_hand_over(s->engine, s->id);
	if (phase == LOAD_ELSEWHERE) { /* its tasks take the slots of another node */
		task_slots_look(s->engine);
		return;
	}
	task_slots_count(s);
	/* The obstacle may be gone, and nothing else would check. */
	task_slots_want(s, has_held(s->state));
	task_slots_look(s->engine);
}

void task_slots_folded(struct session *s, const struct event *ev)
{
	if (ev->type == EV_TURN_SUBMITTED || ev->type == EV_TURN_COMPLETED ||
	    ev->type == EV_TURN_FAILED)
		task_slots_count(s);
}

void task_slots_forget(struct session *s)
{
	int64_t running = s->running_tasks;

	leave_line(s);
	if (!running)
		return;
	/* Not through count_running(): leaving memory frees no slot. */
	s->running_tasks = 0;
	add_running(s->engine, s->tenant, -running);
	task_slots_sleep(s->engine, s->id, s->tenant->name, running);
}

void task_slots_free(struct engine *e)
{
	struct map_slot *slot;

	e->ports.clock->ops->stop(e->ports.clock, &e->serving_timer);
	for (size_t i = 0; map_next(&e->tenants, &i, &slot);)
		memory_free(slot->value);
	map_done(&e->tenants);
	for (size_t i = 0; map_next(&e->asleep, &i, &slot);)
		memory_free(slot->value);
	map_done(&e->asleep);
}
