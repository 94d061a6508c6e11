#ifndef ENGINE_REQUEST_DIRECTORY_H
#define ENGINE_REQUEST_DIRECTORY_H
/*
 * Directories may be on file systems that do not respond; the loop never waits
 * for one.
 */
#include "engine/engine_state.h"

enum context_dir directory_state(const struct engine *e, struct str cwd);
bool directory_may_touch(const struct engine *e, struct str cwd);
/* Is it the data directory, or below it?  data_dir may be absent. */
bool directory_is_private(const struct str *data_dir, struct str cwd);
/* Why no work can begin there, as the end of a sentence; NULL: it can. */
const char *directory_fault(const struct engine *e, struct arena *mem, struct str cwd);
/* May the command begin a turn? */
bool directory_is_for_turn(enum command c);
/* The same, or work that begins later: a task, a schedule. */
bool directory_is_for_work(enum command c);
/* Waits for the directory of the request. */
bool directory_wait_gather(struct request *r);

#endif
