#ifndef CORE_INDEX_H
#define CORE_INDEX_H
/*
 * Index rows: what lists, filters, timers and start-up read instead of folding.
 *
 * They are a pure function of the state and the events that led to it, so they
 * can be deleted and rebuilt.  Rows change at transitions, not with every
 * delta.
 */
#include "core/index_row.h"
#include "core/task/lease.h"
#include "core/state.h"

struct rows {
	struct arena *mem;
	struct index_row *items;
	size_t count, cap;
};

/* Called per event, in order, after it was folded. */
void index_event(struct rows *rows, const struct state *w, const struct event *ev);
/*
 * Counts that a start reads over all sessions without folding one of them: running tasks (status:
 * the account of the tenant) and background commands.  One row of INDEX_ITEM per session, `at` is
 * the count; a session without any has no row.
 */
#define INDEX_TASKS_UNDER_WAY "tasks_under_way"
#define INDEX_BACKGROUND "background"
/* Both rows of a session whose log is older than these rows. */
void index_counts(struct rows *rows, const struct state *w);
/* Called once per commit, after the last event: the rows that show the current state. */
void index_state(struct rows *rows, const struct state *w, const struct leases *l);

#endif
