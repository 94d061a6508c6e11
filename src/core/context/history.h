#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H
/*
 * The past of a thread as the model sees it: ended turns, what a summary
 * stands for, what a rollback took away, where a fork began.
 *
 * The log keeps everything.  These are boundaries in it.
 * spec: contracts/session-history-recovery
 */
#include "core/state.h"

#define WINDOW_COMPACTIONS 8

/*
 * Whether a command that goes back to this turn, or to this event, needs the
 * log to find it: only a mark may hold it.  Then the engine walks the log
 * (core/context/history_walk.h) and gives the decision what it found.
 */
bool history_is_marked(const struct st_thread *th, struct str turn_id, bool has_sequence,
                       int64_t sequence);

#endif
