#ifndef PORTS_PROCESS_H
#define PORTS_PROCESS_H
/*
 * Background processes, as the engine sees them.
 *
 * A tool starts one (tool_info.is_background); the process id of the call names
 * it.  From then on the process is independent: these functions write to it,
 * resize and stop it; it outlives the call, the turn and the runtime, and the
 * next runtime finds it again.  Its output goes to its output ref without
 * passing through the runtime; only sizes are reported here.
 *
 * Each process that started or was found causes exactly one `exited`.  Callbacks
 * come from the loop, never from inside one of these functions.
 */
#include "ports/tool.h"

struct process_sink {
	void (*output)(void *owner, struct str id, int64_t bytes); /* bytes: the total so far */
	void (*violation)(void *owner, struct str id, const struct tool_violation *v);
	/* Of the end: exit and what concerns a command. */
	void (*exited)(void *owner, struct str id, const struct tool_end *end);
};

struct processes;
struct process_ops {
	/* Called once, before any other function. */
	void (*listen)(struct processes *p, const struct process_sink *sink, void *owner);
	/* Finds a process of an earlier runtime.  False: its fate is unknown. */
	bool (*find)(struct processes *p, struct str id);
	/* All wanted processes were found; ends everything else that an earlier runtime left. */
	void (*settle)(struct processes *p);
	/*
	 * Can it be written to?  ERR_NOT_FOUND: it does not run; ERR_CLOSED: its input is closed;
	 * ERR_BUSY: it has not read the earlier input yet.
	 */
	enum err (*check)(struct processes *p, struct str id, struct error *e);
	/* Writes to its input, and closes the input if eof is set.  Same errors as check(). */
	enum err (*write)(struct processes *p, struct str id, struct str data, bool eof,
	                  struct error *e);
	/* ERR_NOT_FOUND; ERR_UNSUPPORTED: it has no terminal. */
	enum err (*resize)(struct processes *p, struct str id, int rows, int cols, struct error *e);
	/* Sends SIGTERM to the process tree and kills it after grace_ms; `exited` follows. */
	void (*stop)(struct processes *p, struct str id, int64_t grace_ms);
	/* The engine has recorded the end; the exit record can be deleted. */
	void (*forget)(struct processes *p, struct str id);
	/*
	 * Paths that rules now deny (as in tool_start.deny) to processes below cwd.  May be NULL.
	 */
	void (*deny)(struct processes *p, struct str cwd, struct str rules);
	/*
	 * Paths that running sandboxes prevent from being created; strings live in mem.  May be
	 * NULL.
	 */
	size_t (*placeholders)(struct processes *p, struct arena *mem, const struct str **ret);
};
struct processes {
	const struct process_ops *ops;
};

#endif
