#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H
/*
 * The past of a thread as the model sees it: ended turns, summaries, rollbacks,
 * and the start of a fork.  The log keeps everything; these are boundaries in
 * it.
 * spec: contracts/session-history-recovery
 */
#include "core/state.h"

#define WINDOW_COMPACTIONS 8

/*
 * Does a command that goes back to this turn or event need the log, because a mark may hold it?
 * Then the engine walks the log (core/context/history_walk.h) and gives the decision what it found.
 */
bool history_is_marked(const struct st_thread *th, struct str turn_id, bool has_sequence,
                       int64_t sequence);

#endif
