#ifndef PORTS_TOOL_H
#define PORTS_TOOL_H
/*
 * Tools, as the engine sees them: an inventory, and calls that start only after
 * the permission event is durable.
 *
 * The same rules as for providers: start() returns at once, callbacks come on
 * the loop thread, exactly one `end` per call unless cancelled. cancel() stops
 * the call and its process tree; `end` follows with cancelled set and reports
 * what was done.
 *
 * Output of any size is streamed through `output`; the engine spills it.
 *
 * Sandboxed tools: bind() returns the sandbox of a call, synchronously and
 * without side effects, so that an event can record it before the call starts.
 * start() then uses exactly this sandbox or ends with sandbox_unavailable.
 * Binding the same call twice gives the same sandbox.
 *
 * An inventory may change while the runtime runs (tool servers come and go);
 * watch() sets the callback that the loop calls after a change.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash/trace_context.h"
#include "base/json.h"
#include "base/list.h"
#include "core/io.h"
#include "core/tool/tool_info.h"
#include "ports/tool_ask.h"

struct tool_start {
	struct str call_id; /* tool_... */
	struct str session_id, thread_id, turn_id;
	struct str name;
	struct str args; /* JSON text of an object that satisfies the input schema */
	struct str cwd;
	struct str output_ref; /* ref of its output, for the child's environment */
	/* JSON: the record sandbox_override that a person granted for this call; or absent */
	struct str more;
	struct str process_id; /* of a command */
	/*
	 * JSON: a list of path patterns that permission rules deny; a prefix "write:" denies
	 * writing only.  A sandboxed tool enforces them or does not run.  Absent: none.
	 */
	struct str deny;
	/*
	 * JSON: a list of the paths that the decision was about, after all links.  A file tool that
	 * a link leads elsewhere by now fails.  Absent: they are not compared.
	 */
	struct str resolved;
	struct trace_headers trace; /* of the call's span, of a command its process's; or absent */
	bool is_unasked;            /* this call ran without a question to a person */
	/* of apply_patch by a user: JSON, whole files in the place of a patch; or absent */
	struct str restore;
	struct str unsaved; /* of read_file: the text that an editor has of the file; or absent */
	/* A call that was started before: follow this task (tool_sink.remote), start nothing. */
	struct str remote_task;
	const struct rec_call_client *client; /* what its caller answers itself; NULL: people do */
	struct str caller; /* whom the turn works for: a principal, else the session; or absent */
};

struct tool_sink {
	void (*progress)(void *owner, struct str message, int64_t completed, int64_t total);
	void (*output)(void *owner, struct str data);
	/* The command runs.  Called before any output; not called when it could not be started. */
	void (*started)(void *owner, int64_t pid);
	void (*violation)(void *owner, const struct tool_violation *v);
	void (*end)(void *owner, const struct tool_end *end);
	/*
	 * The tool asks a person a question: response() follows, unless the call ended before.
	 * requests: what it asks the caller (tool_start.client), JSON by key; absent: only people.
	 */
	void (*ask)(void *owner, struct str prompt, struct str schema, struct str requests);
	/*
	 * The tool server asks for an answer of a model, as its settings permit: response() follows
	 * like one to a question.  Accepted: {"text", "model", "stopReason"}; declined, or dismissed:
	 * a sentence.  May be NULL.
	 */
	void (*sample)(void *owner, const struct sampling_request *request);
	/* A message for the caller, who asked for such; level: enum tool_log_level.  May be NULL. */
	void (*log)(void *owner, enum tool_log_level level, struct str logger, struct str data);
	/*
	 * The tool asks a person to sign in as the prompt describes; answered like a question, with
	 * an object of the schema, or without one with {}.  May be NULL.
	 */
	void (*login)(void *owner, struct str prompt, struct str schema);
	/* The person signed in without an answer: no response() follows. */
	void (*signed_in)(void *owner);
	/* The tool no longer needs the answer: no response() follows. */
	void (*withdrawn)(void *owner);
	/* The call runs elsewhere as a task of this id and does not end with the runtime. */
	void (*remote)(void *owner, struct str task);
};

/* A person's reply to a tool: an answer, a refusal, or no answer. */
enum tool_answer { TOOL_ACCEPT, TOOL_DECLINE, TOOL_DISMISS };

/* A peer that offers tools, for display. */
struct tool_server {
	struct str name;
	struct str source;                     /* user, project, client */
	struct str status;                     /* a word of enum tool_server_status */
	struct str detail;                     /* why it is not ready; may be absent */
	struct str command, protocol, program; /* the last two once it was ready */
	struct str url;                        /* of a server with an address */
	const struct str *headers;             /* names of the headers that it is sent */
	size_t header_count, env_count;
	struct str channel_id;   /* while it is connected */
	const struct str *env;   /* NAME=VALUE, as a project's file sets them */
	const struct str *hosts; /* hosts that it asks for */
	size_t host_count;
	struct str content_hash; /* of a project's file: the content to trust */
	struct str program_hash; /* of its program's files, if it has more rights than the agent */
	const struct rec_tool_server_sampling *sampling; /* NULL: no model answers what it asks */
	int64_t tool_count, changed_count, restarts;
	struct str left_out; /* tools that cannot be used, and why; absent: none */
	bool has_login, is_signed_in, is_login_pending; /* of a server with a login */
};

struct tool_handle;
struct toolset;
struct toolset_ops {
	size_t (*tools)(struct toolset *t, const struct tool_info **ret);
	/* NULL: no tool of the set is sandboxed.  Strings of the result live in mem. */
	enum err (*bind)(struct toolset *t, struct arena *mem, const struct tool_start *start,
	                 struct tool_sandbox *ret, struct error *e);
	struct tool_handle *(*start)(struct toolset *t, const struct tool_start *start,
	                             const struct tool_sink *sink, void *owner);
	void (*cancel)(struct toolset *t, struct tool_handle *h);
	/* The runtime stops: the task of the call continues without it.  `end` follows as for cancel. */
	void (*leave)(struct toolset *t, struct tool_handle *h);
	void (*pause)(struct toolset *t, struct tool_handle *h);
	void (*resume)(struct toolset *t, struct tool_handle *h);
	void (*close)(struct toolset *t);

	/*
	 * The functions below may be NULL.  The list of tools() is invalid once `changed` is
	 * called.
	 */
	void (*watch)(struct toolset *t, void (*changed)(void *owner), void *owner);
	/* Tools are loading and `changed` will be called; a new turn waits for them. */
	bool (*is_coming)(struct toolset *t);
	/* Deny rules (tool_start.deny) of a session's calls, set before its turn is prepared. */
	void (*deny)(struct toolset *t, struct str rules);
	void (*response)(struct toolset *t, struct tool_handle *h, enum tool_answer response,
	                 struct str content);
	/* Strings live in mem or as long as the toolset. */
	size_t (*servers)(struct toolset *t, struct arena *mem, const struct tool_server **ret);
	/*
	 * Marks a server as it is now as trusted by the user.  ERR_NOT_FOUND: no server has that
	 * name.
	 */
	enum err (*trust)(struct toolset *t, struct str server, struct error *e);
	/* ERR_NOT_FOUND as above, ERR_UNSUPPORTED: it has no login.  Then done is not called. */
	enum err (*login)(struct toolset *t, struct str server, struct tool_login *l,
	                  struct error *e);
	/* ret: whether there was a login. */
	enum err (*logout)(struct toolset *t, struct str server, bool *ret, struct error *e);
	/* Prompts of servers that are ready; strings live in mem. */
	size_t (*prompts)(struct toolset *t, struct arena *mem, const struct tool_prompt **ret);
	/* False: no server of the set has that name, and done is not called. */
	bool (*ask)(struct toolset *t, struct tool_ask *a);
	/*
	 * A command of an earlier runtime whose end was not seen: reports the files that it changed
	 * (changes and not_covered of the end).  done is called once, later, unless the toolset is
	 * closed before; strings live until it returns.
	 */
	void (*recover)(struct toolset *t, const struct tool_start *start,
	                void (*done)(void *owner, const struct tool_end *end), void *owner);
};
struct toolset {
	const struct toolset_ops *ops;
};

/* Toolsets of directories; only sessions that work there see their tools. */
struct tool_places;
struct tool_places_ops {
	/* Starts the toolset of a directory; NULL: it has none.  It lives until leave(). */
	struct toolset *(*enter)(struct tool_places *p, struct str cwd);
	/* The directory's configuration has changed since enter(). */
	bool (*is_stale)(struct tool_places *p, struct toolset *t);
	/* ERR_INVALID: these entries of a client cannot be read.  Starts nothing. */
	enum err (*check)(struct tool_places *p, struct str servers, struct error *e);
	/*
	 * Starts the servers that a client named for one session that works in the directory.  NULL:
	 * none can be started.  It lives until leave().  owner: the principal of the session, whose
	 * servers share nothing with those of others; absent: the user.
	 */
	struct toolset *(*attach)(struct tool_places *p, struct str cwd, struct str owner,
	                          struct str servers);
	/* No session works there any more; stops and closes the toolset. */
	void (*leave)(struct tool_places *p, struct toolset *t);
	void (*close)(struct tool_places *p); /* closes the toolsets that were not left, too */
};
struct tool_places {
	const struct tool_places_ops *ops;
};

#endif
