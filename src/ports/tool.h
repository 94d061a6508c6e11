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
 *
 * Caged tools: bind() says which cage a call will get, synchronously and
 * without touching anything, so that it can be a fact before the call is
 * started; start() then carries out just that or ends with
 * sandbox_unavailable.  The same call bound twice gives the same cage.
 *
 * An inventory may change while the runtime runs (tool servers come and go):
 * watch() names who is told, from the loop, after it did.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "core/io.h"

enum tool_interrupt { TOOL_CANCEL, TOOL_FINISH };

struct tool_info {
	struct str name, description;
	struct str native_name; /* as its owner calls it; absent: the same */
	struct str
		annotations; /* JSON: what its owner says of it, believed by nobody; may be absent */
	struct str
		definition; /* SHA-256 of its definition, hexadecimal; absent: it never changes */
	bool is_changed;    /* it is not the definition that was pinned: allow rules do not count */
	struct str input_schema; /* JSON Schema text */
	struct str capabilities; /* JSON array of words: read, write, network, shell, ... */
	struct str policy;       /* allowed, ask, denied, sandboxed, unavailable */
	struct str owner;        /* local, mcp server, ... */
	struct str item_kind;    /* tool_call, command, file_change, web_search, todo */
	bool is_read_only, is_concurrency_safe, is_destructive;
	bool asks_user;    /* not run by a tool port: answered by a person through an action */
	bool is_sandboxed; /* bind() says in what; sandbox.applied comes before it runs */
	bool is_command; /* a process with facts of its own; its argument `command` is a shell line */
	bool is_background; /* a command that goes on when the call has ended: ports/process.h */
	enum tool_interrupt interrupt;
	int64_t timeout_ms;  /* 0: the default of the settings */
	struct str only_for; /* the provider whose models are offered it; absent: all */
};

struct tool_start {
	struct str call_id; /* tool_... */
	struct str session_id, thread_id, turn_id;
	struct str name;
	struct str args; /* JSON text of an object that satisfies the input schema */
	struct str cwd;
	struct str output_ref; /* where its output goes, for the child's environment */
	struct str
		more; /* JSON: the record sandbox_override, given by a person for this call; or absent */
	struct str process_id; /* of a command */
	/*
	 * JSON: paths that permission rules deny, as a list of patterns; "write:" in front: for writing
	 * only.  A caged tool closes them or does not run.  Absent: none.
	 */
	struct str deny;
	bool is_unasked; /* nobody was asked about this call */
};

/* The boundary of one call. */
struct tool_sandbox {
	struct str mode, tier,
		network; /* words of the catalogue; tier is a name of docs/explanation/sandbox.md */
	bool is_degraded;
	struct str reason;  /* why it is weaker than what was asked for */
	struct str profile; /* JSON: the record sandbox_profile */
	struct str shell;   /* that runs its command; absent: none does */
};

struct tool_sink {
	void (*progress)(void *owner, struct str message, int64_t completed, int64_t total);
	void (*output)(void *owner, struct str data);
	/* A command runs.  Before any output of it; not called when it could not be started. */
	void (*started)(void *owner, int64_t pid);
	void (*violation)(void *owner, const struct tool_violation *v);
	void (*end)(void *owner, const struct tool_end *end);
	/* It wants to know something from a person: response() follows, unless it ended before. */
	void (*ask)(void *owner, struct str prompt, struct str schema);
	/* A person is to sign in where the prompt says; answered like a question, with {}.  May be NULL. */
	void (*login)(void *owner, struct str prompt);
};

/* What a person said to a tool that asked: an answer, that there will be none, or nothing. */
enum tool_answer { TOOL_ACCEPT, TOOL_DECLINE, TOOL_DISMISS };

/* A peer that brings tools, for people. */
struct tool_server {
	struct str name;
	struct str source;                     /* user, project */
	struct str status;                     /* a word of enum tool_server_status */
	struct str detail;                     /* why it is not ready; may be absent */
	struct str command, protocol, program; /* the last two once it was ready */
	struct str channel_id;                 /* while it is connected */
	const struct str *hosts;               /* that it asks for */
	size_t host_count;
	struct str content_hash; /* of a project's file: what would be trusted */
	struct str program_hash; /* of its program's files, if it has more rights than the agent */
	int64_t tool_count, changed_count, restarts;
};

struct tool_handle;
struct toolset;
struct toolset_ops {
	size_t (*tools)(struct toolset *t, const struct tool_info **ret);
	/* NULL: none of its tools is caged.  Strings of the result live in mem. */
	enum err (*bind)(struct toolset *t, struct arena *mem, const struct tool_start *start,
	                 struct tool_sandbox *ret, struct error *e);
	struct tool_handle *(*start)(struct toolset *t, const struct tool_start *start,
	                             const struct tool_sink *sink, void *owner);
	void (*cancel)(struct toolset *t, struct tool_handle *h);
	void (*pause)(struct toolset *t, struct tool_handle *h);
	void (*resume)(struct toolset *t, struct tool_handle *h);
	void (*close)(struct toolset *t);

	/* The rest may be NULL.  What tools() gave is void when changed is called. */
	void (*watch)(struct toolset *t, void (*changed)(void *owner), void *owner);
	/* Tools are on their way, and changed will be called: a new turn waits for them. */
	bool (*is_coming)(struct toolset *t);
	/* Rules that calls of a session will come with (tool_start.deny), before its turn is prepared. */
	void (*deny)(struct toolset *t, struct str rules);
	void (*response)(struct toolset *t, struct tool_handle *h, enum tool_answer response,
	                 struct str content);
	/* Strings live in mem or as long as the toolset. */
	size_t (*servers)(struct toolset *t, struct arena *mem, const struct tool_server **ret);
	/* The user vouches for a server as it is now.  ERR_NOT_FOUND: there is none of that name. */
	enum err (*trust)(struct toolset *t, struct str server, struct error *e);
};
struct toolset {
	const struct toolset_ops *ops;
};

/* Toolsets of directories: their tools are seen only by sessions that work there. */
struct tool_places;
struct tool_places_ops {
	/* What this directory brings, begun anew; NULL: nothing.  It stays until it is left. */
	struct toolset *(*enter)(struct tool_places *p, struct str cwd);
	/* The directory does not say any more what it said when this was entered. */
	bool (*is_stale)(struct tool_places *p, struct toolset *t);
	/* Nobody works there any more: it is stopped and closed. */
	void (*leave)(struct tool_places *p, struct toolset *t);
	void (*close)(struct tool_places *p); /* and all that were not left */
};
struct tool_places {
	const struct tool_places_ops *ops;
};

#endif
