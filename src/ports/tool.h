#ifndef PORTS_TOOL_H
#define PORTS_TOOL_H
/*
 * Tools, as the engine sees them: an inventory, and calls that are started
 * only after permission was given and that fact is durable.
 *
 * The same rules as for providers: start() returns at once, callbacks come
 * on the loop thread, exactly one `end` per call unless cancelled.  cancel()
 * stops the call and everything that it started; `end` follows with
 * cancelled set, so that the runtime can say what was reached.
 *
 * Output of any size is streamed through `output`; the engine spills it.
 */
#include "base/err.h"
#include "base/json.h"

enum tool_interrupt { TOOL_CANCEL, TOOL_FINISH };

struct tool_info {
	struct str name, description;
	struct str input_schema; /* JSON Schema text */
	struct str capabilities; /* JSON array of words: read, write, network, shell, ... */
	struct str policy;       /* allowed, ask, denied, sandboxed, unavailable */
	struct str owner;        /* local, mcp server, ... */
	struct str item_kind;    /* tool_call, command, file_change, web_search, todo */
	bool is_read_only, is_concurrency_safe, is_destructive;
	bool asks_user; /* not run by a tool port: answered by a person through an action */
	enum tool_interrupt interrupt;
	int64_t timeout_ms; /* 0: the default of the settings */
};

struct tool_start {
	struct str call_id; /* tool_... */
	struct str session_id, thread_id, turn_id;
	struct str name;
	struct str args; /* JSON text of an object that satisfies the input schema */
	struct str cwd;
	struct str output_ref; /* where its output goes, for the child's environment */
};

struct tool_end {
	bool failed;
	bool cancelled;
	bool is_error;       /* it ran, and what it says is an error */
	struct str category; /* when failed: a word of enum error_category */
	struct str message;  /* when failed: one sentence */
	struct str advice;
	bool retryable;
	struct str executed; /* yes, no, partly, unknown */
	int exit_code;
	bool has_exit_code;
	struct str structured; /* JSON text of a structured result, or absent */
	struct str artifact_path; /* a deliverable that it wrote, or absent */
};

struct tool_sink {
	void (*progress)(void *owner, struct str message, int64_t completed, int64_t total);
	void (*output)(void *owner, struct str data);
	void (*end)(void *owner, const struct tool_end *end);
};

struct tool_handle;
struct toolset;
struct toolset_ops {
	size_t (*tools)(struct toolset *t, const struct tool_info **ret);
	struct tool_handle *(*start)(struct toolset *t, const struct tool_start *start,
	                             const struct tool_sink *sink, void *owner);
	void (*cancel)(struct toolset *t, struct tool_handle *h);
	void (*pause)(struct toolset *t, struct tool_handle *h);
	void (*resume)(struct toolset *t, struct tool_handle *h);
	void (*close)(struct toolset *t);
};
struct toolset {
	const struct toolset_ops *ops;
};

#endif
