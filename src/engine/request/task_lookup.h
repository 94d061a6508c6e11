#ifndef ENGINE_REQUEST_TASK_LOOKUP_H
#define ENGINE_REQUEST_TASK_LOOKUP_H
/*
 * Tasks that a command names and that have left the state; and a task for a
 * worker that accepts any.
 */
#include "engine/engine_state.h"

/* Reads the tasks that the command names back from their rows. */
bool task_lookup_gather(struct request *r);
/* Directs a claim without a task to one; a refused one to the next. */
bool task_lookup_route(struct request *r);
bool task_lookup_refused(struct request *r);

#endif
