#ifndef CORE_HISTORY_MARKS_H
#define CORE_HISTORY_MARKS_H
/*
 * The ended turns of a thread, as much as the state needs to know of them.
 *
 * The newest turns have an entry each.  Older turns are counted in marks: a
 * mark stands for a run of consecutive turns and holds their number, tokens,
 * messages and range of events.  The number of marks is bounded, so that the
 * state of a thread with 10,000 turns is no larger than that of one with 500;
 * what a mark does not hold is read from the log when a command needs it
 * (core/context/history_walk.h).
 *
 * Entries and marks together are the units of the history, oldest first.
 * Every boundary that decides what the model is sent (a summary, a cut) lies
 * between two units.
 */
#include "core/state.h"

#define HISTORY_MARKS_MAX 64

struct history_unit {
	int64_t from, to; /* first and last event */
	int64_t turns, tokens, messages;
	struct str turn_id; /* absent: a mark */
};

size_t history_marks_units(const struct st_thread *th);
struct history_unit history_marks_unit(const struct st_thread *th, size_t index);
/* Ended turns of the thread, without those that were rolled back or that retention removed. */
int64_t history_marks_turns(const struct st_thread *th);

/* Turns that ended by this event are replaced by a summary. */
int64_t history_marks_covered(const struct st_thread *th);
/* Whether the model is sent what these turns said: no summary and no cut stands before it. */
bool history_marks_is_sent(const struct st_thread *th, const struct history_unit *u);

/* Folds: a turn ended. */
void history_marks_add(struct state *w, struct st_thread *th, const struct st_history *ended);
/* Folds: everything after this event goes; remaining: how many turns stay, -1 if unknown. */
void history_marks_drop_after(struct st_thread *th, int64_t sequence, int64_t remaining);
/* Folds: retention removed everything up to this event. */
void history_marks_drop_before(struct st_thread *th, int64_t sequence);
/* Folds: a fork takes over what its parent has up to this event. */
void history_marks_take(struct state *w, struct st_thread *th, const struct st_thread *parent,
                        int64_t sequence, int64_t turns);

#endif
