#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H
/*
 * The queue of a thread: turns that wait for the active one to end.
 *
 * Its id and rules, and the events by which a turn leaves the queue before it
 * begins.  Commands are in queue_decide.c; the step driver (step.c) decides
 * which turn starts next.
 */
#include "core/decision.h"

struct str queue_id(struct decision *d, const struct st_thread *th);
struct rec_queue_rules *queue_rules(struct decision *d, const struct st_thread *th);
/* Takes one turn out of the queue and ends it. */
void queue_drop(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                struct str reason);
/* Takes all turns out of the queue and ends them. */
void queue_clear(struct decision *d, const struct st_thread *th);
/* Ends a turn that never began: its implicit task is cancelled with it. */
void queue_end_unbegun(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str reason);

#endif
