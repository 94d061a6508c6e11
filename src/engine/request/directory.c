/*
 * Directories that do not answer.
 *
 * A directory on a network or FUSE file system may take long or for ever.  The
 * loop never waits for one: a command that begins work in a directory waits
 * until a probe on another thread has come back (ports/context.h), while other
 * requests go on.  When it has not come back at the deadline the command is
 * refused; a turn that was accepted before waits and is tried again.
 */
#include "engine/request/directory.h"

#include "engine/engine_state.h"

enum context_dir directory_state(const struct engine *e, struct str cwd)
{
	struct context *c = e->ports.context;

	if (!c || !c->ops->dir || !str_starts(cwd, STR("/")))
		return CONTEXT_DIR_ANSWERS;
	return c->ops->dir(c, cwd);
}

bool directory_may_touch(const struct engine *e, struct str cwd)
{
	return directory_state(e, cwd) == CONTEXT_DIR_ANSWERS;
}

bool directory_is_for_turn(enum command c)
{
	switch (c) {
	case COMMAND_SUBMIT_TURN:
	case COMMAND_RESUME_THREAD:
	case COMMAND_START_TASK:
	case COMMAND_RETRY_TASK:
	case COMMAND_SPAWN_SUBAGENT:
	case COMMAND_SEND_SUBAGENT_INPUT:
	case COMMAND_RESUME_SUBAGENT:
	case COMMAND_CREATE_JOB:
		return true;
	default:
		return false;
	}
}
