#ifndef PORTS_HOOK_H
#define PORTS_HOOK_H
/*
 * Hooks, as the engine sees them: a list in call order, and runs that start
 * only after hook.started is durable.
 *
 * start() returns at once; `end` comes on the loop thread, exactly once per
 * run, also after cancel().  The adapter that runs the hook enforces its
 * timeout.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash/trace_context.h"
#include "base/str.h"
#include "core/hook/hook_info.h"

/* The rights with which a command runs, for display. */
struct hook_rights {
	struct str sandbox; /* a word of enum hook_sandbox; absent: not a command */
	struct str hash;    /* of its program's files; absent: no file is named */
	struct str refused; /* why it would not start, and what to do; absent: it would start */
};

struct hook_start {
	struct str run_id, ref;
	struct str input; /* JSON for its standard input or the request's body */
	struct str cwd;
	struct str deny;            /* as in tool_start: paths that rules deny */
	struct trace_headers trace; /* of the run's span; or absent */
	struct str url;             /* of hook:timestamp:url, whose address the caller names */
};

struct hook_handle;
struct hooks;
struct hooks_ops {
	/* The hooks of every session. */
	size_t (*list)(struct hooks *h, const struct hook_info **ret);
	struct hook_handle *(*start)(struct hooks *h, const struct hook_start *start,
	                             void (*end)(void *owner, const struct hook_end *e),
	                             void *owner);
	void (*cancel)(struct hooks *h, struct hook_handle *run);
	void (*close)(struct hooks *h);

	/* The functions below may be NULL: then directories have no hooks. */

	/* Programs that the runtime itself calls (sign.command, anchor.command); no session does. */
	size_t (*services)(struct hooks *h, const struct hook_info **ret);
	/*
	 * The hooks of a directory, called after the others by sessions that work there; valid
	 * until look().
	 */
	size_t (*list_at)(struct hooks *h, struct str cwd, const struct hook_info **ret);
	/* Reads the directory's hook file again if it changed. */
	void (*look)(struct hooks *h, struct str cwd);
	/* Hash and path of the directory's hook file; false: there is none. */
	bool (*project)(struct hooks *h, struct str cwd, struct str *ret_path,
	                struct str *ret_hash);
	/*
	 * Marks the file with this hash as trusted by the user, which changes what list_at()
	 * returns.  ERR_NOT_FOUND: the file was not read with this hash.
	 */
	enum err (*trust)(struct hooks *h, struct str cwd, struct str hash, struct error *e);
	/* Checks the rights now, for a session of that directory; strings live in mem. */
	void (*rights)(struct hooks *h, struct arena *mem, struct str cwd, struct str ref,
	               struct hook_rights *ret);
	/* Marks the program files with this hash as trusted by the user. */
	enum err (*trust_program)(struct hooks *h, struct str cwd, struct str ref, struct str hash,
	                          struct error *e);
};
struct hooks {
	const struct hooks_ops *ops;
};

#endif
