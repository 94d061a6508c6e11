/* Counts waits (wait_sums.h). */
#include "core/view/wait_sums.h"

#include "core/task/task.h"
#include "core/turn/turn_wait.h"

static void add_wait(struct wait_sum *to, int64_t since)
{
	to->count++;
	if (!to->since || (since && since < to->since))
		to->since = since;
}

static void add_actions(const struct st_thread *th, struct wait_sum *ret)
{
	const struct st_action *a = NULL;

	while ((a = turn_wait_pending(th, STR_NONE, a)))
		add_wait(&ret[turn_wait_for_action(a)], a->requested_at);
}

static void add_turns(const struct st_thread *th, struct wait_sum *ret)
{
	size_t queued = WAIT_SUMS_QUEUED + (th->held ? QUEUE_WAIT_HELD : QUEUE_WAIT_QUEUE);
	struct rec_wait wait;

	if (turn_wait(th, &wait) && !turn_wait_pending(th, th->active_turn_id, NULL))
		add_wait(&ret[wait.for_], wait.since);
	for (uint32_t i = 0; i < th->order.count; i++) {
		const struct st_turn *t = state_thread_turn(th, th->order.items[i]);

		if (t)
			add_wait(&ret[queued], t->submitted_at);
	}
}

void wait_sums_add(const struct state *w, struct wait_sum *ret)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		add_actions(w->s->threads.items[i], ret);
		add_turns(w->s->threads.items[i], ret);
	}
	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *t = w->s->tasks.items[i];

		if (t->wait && !t->implicit && !task_turn(w, t, NULL))
			add_wait(&ret[t->wait->for_], t->wait->since);
	}
}

struct str wait_sums_word(size_t kind)
{
	return kind < WAIT_SUMS_QUEUED
	               ? wait_for_word((enum wait_for)kind)
	               : queue_wait_word((enum queue_wait)(kind - WAIT_SUMS_QUEUED));
}
