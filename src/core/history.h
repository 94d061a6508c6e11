#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H
/*
 * The past of a thread as the model sees it: ended turns, what a summary
 * stands for, what a rollback took away, where a fork began.
 *
 * The log keeps everything.  These are boundaries in it.
 * spec: contracts/session-history-recovery
 */
#include "core/world.h"

#define WINDOW_COMPACTIONS 8

/* A summary stands for this turn. */
bool is_covered(const struct st_thread *th, const struct st_history *h);
/* Tokens of the ended turns that are sent as they are, and of the summary before them. */
int64_t history_tokens(const struct st_thread *th);

#endif
