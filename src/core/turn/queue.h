#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H
/*
 * The queue of a thread: turns that wait for the active one to end.
 *
 * What its name and its rules are, and the events by which a turn leaves the
 * queue without having begun.  Commands are in queue_decide.c; which turn
 * starts next is decided by the step driver (step.c).
 */
#include "core/decision.h"

struct str queue_id(struct decision *d, const struct st_thread *th);
struct rec_queue_rules *queue_rules(struct decision *d, const struct st_thread *th);
/* Takes one turn out of the queue and ends it. */
void queue_drop(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                struct str reason);
/* Ends a turn that never began: its own task, if it has one, is cancelled with it. */
void queue_end_unbegun(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str reason);

#endif
