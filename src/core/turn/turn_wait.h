#ifndef CORE_TURN_TURN_WAIT_H
#define CORE_TURN_TURN_WAIT_H
/* What a turn waits for: the answer to an action, a reservation, a model, its own stop. */
#include "core/state.h"

/* The next pending action after one, of a turn or (without an id) of any; NULL: none. */
const struct st_action *turn_wait_pending(const struct st_thread *th, struct str turn_id,
                                          const struct st_action *after);
enum wait_for turn_wait_for_action(const struct st_action *a);
/* Its status; not streaming while no request is open. */
enum status turn_wait_status(const struct st_turn *t);
/*
 * What a thread's active turn waits for; false when it does not wait.  Strings
 * and lists are borrowed from the thread.
 */
bool turn_wait(const struct st_thread *th, struct rec_wait *ret);

#endif
