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

#include "base/path/path.h"
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

bool directory_is_private(const struct str *data_dir, struct str cwd)
{
	return str_is(*data_dir) && path_is_under(cwd, *data_dir);
}

const char *directory_fault(const struct engine *e, struct arena *mem, struct str cwd)
{
	static const char *const faults[] = {
		[CONTEXT_DIR_MISSING] = "does not exist",
		[CONTEXT_DIR_NO_DIRECTORY] = "is not a directory",
		[CONTEXT_DIR_UNREADABLE] = "cannot be read by the runtime",
	};
	struct context *c = e->ports.context;
	struct str real;

	if (!str_starts(cwd, STR("/")))
		return "is not an absolute path";
	real = e->settings.real ? e->settings.real(NULL, mem, cwd) : STR_NONE;
	if (directory_is_private(&e->options.data_dir, str_is(real) ? real : cwd))
		return "is inside the runtime's data directory";
	return c && c->ops->fault ? faults[c->ops->fault(c, cwd)] : NULL;
}

/*
 * Commands that start work in the session's directory.  Interrupts, approvals and queries
 * are not among them, so that a person can act while the directory does not respond.
 */
bool directory_is_for_turn(enum command c)
{
	switch (c) {
	case COMMAND_SUBMIT_TURN:
	case COMMAND_START_BENCHMARK_TRIAL:
	case COMMAND_RESUME_THREAD:
	case COMMAND_START_TASK:
	case COMMAND_RETRY_TASK:
	case COMMAND_SPAWN_SUBAGENT:
	case COMMAND_SEND_SUBAGENT_INPUT:
	case COMMAND_RESUME_SUBAGENT:
	case COMMAND_CREATE_JOB:
	case COMMAND_WORK_JOB_ITEM:
		return true;
	default:
		return false;
	}
}

bool directory_is_for_work(enum command c)
{
	return directory_is_for_turn(c) || c == COMMAND_CREATE_TASK ||
	       c == COMMAND_CREATE_SCHEDULE || c == COMMAND_START_JOB ||
	       c == COMMAND_RETRY_JOB_ITEM;
}
