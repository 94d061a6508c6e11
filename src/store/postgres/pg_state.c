/*
 * Whether the store still works.  The first failure that cannot pass ends it, for all
 * threads; every later call reports that first cause.
 */
#include "store/postgres/pg_store.h"

/* The owner is woken, because the end may come while it waits for nothing. */
void pg_state_fail(struct pg_store *s, const struct error *e)
{
	bool is_first = false;

	if (e->code == ERR_FULL || e->code == ERR_INVALID || e->code == ERR_CORRUPT ||
	    e->code == ERR_NOT_FOUND)
		return;
	pthread_mutex_lock(&s->cause_lock);
	if (!atomic_load(&s->is_dead)) {
		s->cause = *e;
		s->cause.detail = STORE_ENDED;
		atomic_store(&s->is_dead, true);
		is_first = true;
	}
	pthread_mutex_unlock(&s->cause_lock);
	if (is_first && s->wake)
		s->wake(s->wake_arg);
}

/* Without the lock: the cause is complete before is_dead is set, and never changes afterwards. */
bool pg_state_is_dead(struct pg_store *s, struct error *e)
{
	if (!atomic_load(&s->is_dead))
		return false;
	*e = s->cause;
	return true;
}

void pg_state_fail_batch(struct batch *b, const struct error *why)
{
	b->error = *why;
	for (struct slice *sl = b->first; sl; sl = sl->next) {
		sl->state = SLICE_FAILED;
		sl->first_position = 0;
	}
}
