/*
 * Directories that do not respond.
 *
 * A directory on a network or FUSE file system may block for long or for ever.
 * The loop never waits for one: a command that begins work in a directory waits
 * until a probe on another thread has completed (ports/context.h), while other
 * requests continue.  At the deadline the command is refused; a turn that was
 * accepted before waits and is tried again.
 */
#include "engine/request/directory.h"

#include "engine/engine_state.h"

/*
 * Without a port that probes directories, and for a path that is not absolute, there is
 * nothing to wait for.
 */
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

/*
 * Commands that start work in the session's directory.  Interrupts, approvals and queries
 * are not among them, so that a person can act while the directory does not respond.
 */
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
