#ifndef PORTS_PROCESS_H
#define PORTS_PROCESS_H
/*
 * Processes in the background, as the engine sees them.
 *
 * One is begun by a tool (tool_info.is_background) and named by the process
 * id that the call was given.  From then on it has a life of its own: it is
 * written to, resized and stopped here, outlives the call, the turn and the
 * runtime, and is found again by the next one.  What it writes goes to its
 * output ref without passing through the runtime; here only sizes are told.
 *
 * Of each that has begun or was found comes exactly one `exited`.  Callbacks
 * come from the loop, never from inside a call of these functions.
 */
#include "ports/tool.h"

struct process_sink {
	void (*output)(void *owner, struct str id, int64_t bytes); /* all that it has written */
	void (*violation)(void *owner, struct str id, const struct tool_violation *v);
	/* Of the end: exit and what concerns a command. */
	void (*exited)(void *owner, struct str id, const struct tool_end *end);
};

struct processes;
struct process_ops {
	/* Before anything else; once. */
	void (*listen)(struct processes *p, const struct process_sink *sink, void *owner);
	/* One of an earlier runtime.  False: nobody knows what became of it. */
	bool (*find)(struct processes *p, struct str id);
	/* Everything that is wanted was found: what else an earlier runtime left is ended. */
	void (*settle)(struct processes *p);
	/*
	 * May it be written to?  ERR_NOT_FOUND: it does not run; ERR_CLOSED: its
	 * input is closed; ERR_BUSY: it does not read what it was given before.
	 */
	enum err (*check)(struct processes *p, struct str id, struct error *e);
	/* Bytes for its input, then perhaps the end of it.  The same errors. */
	enum err (*write)(struct processes *p, struct str id, struct str data, bool eof,
	                  struct error *e);
	/* ERR_NOT_FOUND; ERR_UNSUPPORTED: it has no terminal. */
	enum err (*resize)(struct processes *p, struct str id, int rows, int cols, struct error *e);
	/* SIGTERM to all of it, after grace_ms the end of it; `exited` follows. */
	void (*stop)(struct processes *p, struct str id, int64_t grace_ms);
	/* Its end is kept elsewhere now. */
	void (*forget)(struct processes *p, struct str id);
	/* Paths that rules deny now (as in tool_start.deny) to what runs below cwd.  May be NULL. */
	void (*deny)(struct processes *p, struct str cwd, struct str rules);
	/* Paths that running sandboxes keep from coming into being; strings live in mem.  May be NULL. */
	size_t (*placeholders)(struct processes *p, struct arena *mem, const struct str **ret);
};
struct processes {
	const struct process_ops *ops;
};

#endif
