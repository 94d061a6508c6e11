#ifndef CORE_INDEX_H
#define CORE_INDEX_H
/*
 * Index rows: what lists, filters, timers and start-up read instead of
 * folding.  They are a pure function of the state and the events that led to
 * it, so they can be thrown away and made anew.  Rows change at
 * transitions, not with every delta.
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
 * What a start counts over all sessions without folding one of them: tasks
 * under way (status: the account of the tenant) and commands that run in the
 * background.  One row of INDEX_ITEM per session, `at` is the count; a
 * session without any has no row.
 */
#define INDEX_TASKS_UNDER_WAY "tasks_under_way"
#define INDEX_BACKGROUND "background"
/* Both rows of a session whose log was written before there were any. */
void index_counts(struct rows *rows, const struct state *w);
/* Called once per commit, after the last event: the rows that show the state as it stands. */
void index_state(struct rows *rows, const struct state *w, const struct leases *l);

#endif
