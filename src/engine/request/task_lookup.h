#ifndef ENGINE_REQUEST_TASK_LOOKUP_H
#define ENGINE_REQUEST_TASK_LOOKUP_H
/*
 * Tasks that a command names and that have left the state; and a task for a worker who takes any.
 */
#include "engine/engine_state.h"

/* Tasks that the command names are read back from their rows. */
bool task_lookup_gather(struct request *r);
/* A claim that names no task is led to one; a refused one to the next. */
bool task_lookup_route(struct request *r);
bool task_lookup_refused(struct request *r);

#endif
