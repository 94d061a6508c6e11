#ifndef HOOKS_HOOKS_H
#define HOOKS_HOOKS_H
/*
 * Hooks of the settings, behind ports/hook.h: commands and addresses.
 *
 *	"hooks": {
 *	  "pre_tool_use": [
 *	    { "name": "pin", "match": "shell|edit_*", "command": "/opt/hooks/check", "timeout_ms": 5000 },
 *	    { "name": "audit", "url": "http://127.0.0.1:9000/audit", "on_failure": "open" } ],
 *	  "post_tool_use": [ { "command": "./lint.sh" } ],
 *	  "stop": [ { "command": "/usr/bin/notify-send done", "sandbox": "none" } ] }
 *
 * A command gets its input as JSON on standard input; it and all processes that
 * it started are killed at the timeout.  The rights it runs with:
 *
 *	the agent's     a shell line in the session's directory, in the sandbox that the
 *	                agent's commands get: changing what it loads gains no rights
 *	decides         at pre_tool_use and permission_request: a shell line in a sandbox that
 *	                shows no directory that the agent can write
 *	its own         with network, hosts, secrets or "sandbox": "none": a program and its
 *	                words, without a shell
 *
 * The files that the last two name are checked at each start (supervisor_client/program_guard.h).
 * An address gets the same JSON by POST.
 *
 * The embedding program can answer hooks too: it declares them in an object of
 * the same form, without command and url, and takes their calls from a queue
 * (hook_queue.h).  Those run first.
 *
 * A directory can have its own hooks in .thole/hooks.json ({"hooks": {...}}), for the sessions that
 * work there.  They are inactive until the user has trusted exactly that text.  A turn runs the
 * hooks that were read when it began.
 */
#include "base/gen/limits.h"
#include "supervisor_client/supervisor_host.h"
#include "hooks/hook_queue.h"
#include "net/http/http_client.h"
#include "ports/hook.h"
#include "ports/store.h"

/* Limit of a hook's output. */
#define HOOK_OUTPUT_MAX LIMIT_HOOK_OUTPUT_BYTES

struct hooks_options {
	struct loop *loop;
	struct supervisor_host *host;    /* NULL: commands cannot be started */
	struct http_client *http_client; /* NULL: addresses cannot be called */
	struct json settings;            /* the object above; it must outlive the hooks */
	struct str notify_command, notify_url, notify_secret_env; /* the setting `notify` */
	struct str notify_previous_secret_env;
	bool is_notify_cloudevent;
	/*
	 * Programs and an address that the runtime itself calls, which no session sees: refs
	 * hook:sign:command, hook:anchor:command and hook:anchor:url.  They get bytes and not JSON.
	 * hook:timestamp:url is another one, whose address comes with each call.
	 */
	struct str sign_command, anchor_command, anchor_url;
	struct str notify_match; /* "action|turn": what both are notified of */
	struct str in_process;   /* JSON text: hooks of the embedding program; absent: none */
	/* The text of a project's file; false: there is none.  NULL: no project has hooks. */
	bool (*read_file)(struct arena *mem, struct str dir, const char *name, struct str *ret);
	struct store *store;   /* stores trust, by path and hash; NULL: nothing is trusted */
	const struct str *env; /* names of variables that commands get */
	size_t env_count;
	char *const *environ;
	int64_t timeout_ms; /* of a hook that names none */

	/* The sandbox of the agent's commands. */
	struct str mode, network;
	const struct str *hosts;
	size_t host_count;
	bool is_fail_closed;
	struct str data_dir;
	struct str
		notify_sandbox; /* none: notify.command has the user's rights; else the agent's */
};

/* ERR_INVALID names the hook that cannot be read. */
enum err hooks_open(const struct hooks_options *o, struct hooks **ret, struct error *e) MUST_USE;

/* The queue for the embedding program; NULL: it answers no hook. */
struct hook_queue *hooks_host_queue(struct hooks *h);

#endif
