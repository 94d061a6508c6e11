#ifndef PORTS_HOOK_H
#define PORTS_HOOK_H
/*
 * Hooks, as the engine sees them: a list in the order in which they are
 * asked, and runs that are started only after hook.started is durable.
 *
 * start() returns at once; `end` comes on the loop thread, exactly once per
 * run, also after cancel().  The timeout is kept by whoever runs the hook.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct hook_info {
	struct str ref;        /* hook:user:notify; unique */
	struct str point;      /* a word of enum hook_point */
	struct str kind;       /* command, http, in_process */
	struct str match;      /* tools; see core/settings.h */
	struct str on_failure; /* open, closed */
	struct str trust;      /* host, user, hash_recorded; untrusted: it may not be started */
	struct str handler;    /* the line or the address, for people */
	int64_t timeout_ms;
};

/* With which rights a command runs, for people. */
struct hook_rights {
	struct str sandbox; /* a word of enum hook_sandbox; absent: not a command */
	struct str hash;    /* of its program's files; absent: it names none */
	struct str refused; /* why it would not be started, and what to do; absent: it would */
};

struct hook_start {
	struct str run_id, ref;
	struct str input; /* JSON for its standard input or the request's body */
	struct str cwd;
	struct str deny; /* as in tool_start: paths that rules deny */
};

enum hook_result { HOOK_ANSWERED, HOOK_BROKE, HOOK_TIMED_OUT, HOOK_NOT_STARTED, HOOK_CANCELLED };

struct hook_end {
	enum hook_result result;
	int exit_code; /* of a command; an HTTP answer of 2xx counts as 0 */
	bool has_exit_code;
	struct str out, err; /* what it wrote, bounded */
	int64_t left_out;    /* bytes beyond that bound */
	struct str message;  /* one sentence, unless it answered */
};

struct hook_handle;
struct hooks;
struct hooks_ops {
	/* Those that are asked in every session. */
	size_t (*list)(struct hooks *h, const struct hook_info **ret);
	struct hook_handle *(*start)(struct hooks *h, const struct hook_start *start,
	                             void (*end)(void *owner, const struct hook_end *e),
	                             void *owner);
	void (*cancel)(struct hooks *h, struct hook_handle *run);
	void (*close)(struct hooks *h);

	/* The rest may be NULL: directories bring none. */

	/* Those of a directory, asked behind the others by sessions that work there; valid until look(). */
	size_t (*list_at)(struct hooks *h, struct str cwd, const struct hook_info **ret);
	/* Its file may be another one now. */
	void (*look)(struct hooks *h, struct str cwd);
	/* Its file: its hash and where it is; false: there is none. */
	bool (*project)(struct hooks *h, struct str cwd, struct str *ret_path,
	                struct str *ret_hash);
	/*
	 * The user vouches for the file of that hash, and what list_at() gives is other now.
	 * ERR_NOT_FOUND: it is not what was read last.
	 */
	enum err (*trust)(struct hooks *h, struct str cwd, struct str hash, struct error *e);
	/* Looked up now, for a session of that directory; strings live in mem. */
	void (*rights)(struct hooks *h, struct arena *mem, struct str cwd, struct str ref,
	               struct hook_rights *ret);
	/* The user vouches for the program's files of that hash. */
	enum err (*trust_program)(struct hooks *h, struct str cwd, struct str ref, struct str hash,
	                          struct error *e);
};
struct hooks {
	const struct hooks_ops *ops;
};

#endif
