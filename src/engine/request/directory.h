#ifndef ENGINE_REQUEST_DIRECTORY_H
#define ENGINE_REQUEST_DIRECTORY_H
/*
 * Directories may be on file systems that do not answer; the loop never waits for one.
 */
#include "engine/engine_state.h"

enum context_dir directory_state(const struct engine *e, struct str cwd);
bool directory_may_touch(const struct engine *e, struct str cwd);
/* The command may begin a turn. */
bool directory_is_for_turn(enum command c);
/* The request waits for its directory. */
bool directory_wait_gather(struct request *r);

#endif
