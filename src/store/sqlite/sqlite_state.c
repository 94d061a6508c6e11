/*
 * Whether the store still works.  The first failure that cannot pass ends it,
 * for all threads; every later call reports that first cause.
 */
#include "store/sqlite/sqlite_int.h"

void sqlite_state_fail(struct sqlite_store *s, const struct error *e)
{
	/*
	 * Errors that can pass, or that concern one record.  All others leave the
	 * content of the disk unknown.
	 */
	if (e->code == ERR_FULL || e->code == ERR_BUSY || e->code == ERR_INVALID ||
	    e->code == ERR_CORRUPT || e->code == ERR_UNREADABLE)
		return;
	pthread_mutex_lock(&s->cause_lock);
	if (!atomic_load(&s->is_dead)) {
		s->cause = *e;
		atomic_store(&s->is_dead, true);
	}
	pthread_mutex_unlock(&s->cause_lock);
}

bool sqlite_state_is_dead(struct sqlite_store *s, struct error *e)
{
	if (!atomic_load(&s->is_dead))
		return false;
	/*
	 * Without the lock: the cause is complete before is_dead is set, and never
	 * changes afterwards.
	 */
	*e = s->cause;
	if (!e->detail)
		e->detail = STORE_ENDED;
	return true;
}
