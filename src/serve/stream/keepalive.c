/*
 * One timer for the keepalives of all connections, which are listed in the
 * order of their next beat.
 */
#include "serve/stream/keepalive.h"

#define STEPS 15 /* of one beat; those who came within one step beat together */

void keepalive_init_all(struct pulses *all, struct loop *l, int ping_ms, int stall_ms)
{
	*all = (struct pulses){
		.loop = l,
		.stall_beats = (uint32_t)MAX((stall_ms + ping_ms - 1) / ping_ms, 1),
		.step_ms = MAX(ping_ms / STEPS, 1),
	};
	list_init(&all->all);
}

void keepalive_done_all(struct pulses *all)
{
	loop_timer_stop(&all->timer);
}

/*
 * A connection that has beaten moves to the end of the list, so the list stays sorted
 * by due time and a step looks only at those that are due.
 */
static void on_step(struct loop_timer *t)
{
	struct pulses *all = OWNER_OF(t, struct pulses, timer);

	all->now++;
	loop_timer_start(all->loop, t, all->step_ms, on_step);
	while (!list_is_empty(&all->all)) {
		struct keepalive *p = LIST_ITEM(all->all.next, struct keepalive, node);

		if (p->due > all->now)
			return;
		list_remove(&p->node);
		list_add(&all->all, &p->node);
		p->due = all->now + STEPS;
		p->cb(p);
	}
	loop_timer_stop(t);
}

void keepalive_start(struct pulses *all, struct keepalive *p, void (*cb)(struct keepalive *p))
{
	*p = (struct keepalive){ .cb = cb, .due = all->now + STEPS };
	list_init(&p->node);
	list_add(&all->all, &p->node);
	if (!loop_timer_is_running(&all->timer))
		loop_timer_start(all->loop, &all->timer, all->step_ms, on_step);
}

void keepalive_stop(struct pulses *all, struct keepalive *p)
{
	list_remove(&p->node);
	if (list_is_empty(&all->all))
		loop_timer_stop(&all->timer);
}

/* Progress means: less is pending than was pending before plus what was written since. */
bool keepalive_is_stalled(const struct pulses *all, struct keepalive *p, size_t pending)
{
	bool has_moved = pending < (size_t)p->mark + p->written;

	p->silent = pending && !has_moved ? p->silent + 1 : 0;
	p->mark = (uint32_t)MIN(pending, (size_t)UINT32_MAX);
	p->written = 0;
	return p->silent > all->stall_beats; /* the first of them may have been just written */
}
