#ifndef MCP_MCP_TOOLS_H
#define MCP_MCP_TOOLS_H
/*
 * Tools of MCP servers, behind ports/tool.h.
 *
 *	"mcp": { "servers": {
 *	  "files": { "command": "mcp-server-filesystem", "args": ["."] },
 *	  "tickets": { "command": "tickets-mcp", "env": { "TOKEN": "${TICKETS_TOKEN}" },
 *	               "network": "full", "timeout_ms": 60000 },
 *	  "search": { "type": "http", "url": "https://search.example.org/mcp",
 *	              "headers": { "Authorization": "Bearer ${SEARCH_TOKEN}" } } } }
 *
 * Those of the settings are the user's own.  Those of a project's .mcp.json
 * ({"mcpServers": {...}}) are inert until the user trusted exactly that text.
 *
 * A server is one sandboxed process of thole-supervisor, or an address that no
 * sandbox contains.  It is started or connected with the runtime and, with
 * growing delays, again after it has ended.  Its tools are called
 * mcp__SERVER__TOOL; while it is down they are unavailable.  A server's hints
 * about its tools do not affect permissions, except that a tool it calls
 * destructive is treated as such.  A definition is pinned when it is
 * first seen; a changed definition needs approval again.
 */
#include "mcp/mcp_login.h"
#include "net/http/http_client.h"
#include "supervisor_client/supervisor_host.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "ports/store.h"
#include "ports/tool.h"

struct mcp_options {
	struct loop *loop;
	struct clock *clock;
	struct store *store;          /* stores pins and trust */
	struct supervisor_host *host; /* NULL: no server can be started */
	struct json settings;         /* the object `servers` above; must outlive the toolset */
	struct json publish;          /* the setting mcp.publish; JSON_NONE: nothing is published */
	struct json above;            /* servers that take precedence over the project's by name */
	struct str project;           /* text of the project's .mcp.json; absent: none */
	struct str project_path;      /* of that file, the key of its trust */
	bool is_client; /* `project` is of a client, for one session: trusted, without variables */
	struct str cwd, data_dir;
	struct str mode, network; /* of the sandbox, from the settings */
	bool is_fail_closed;
	const struct str *hosts; /* that are reached when the network is restricted */
	size_t host_count;
	struct http_client *http_client; /* NULL: no server with an address can be reached */
	struct mcp_logins *logins;       /* NULL: no server can be signed in to */
	struct scrub *
		scrub; /* redacts what servers say about themselves; NULL: their own values alone */
	const struct str *peer_hosts; /* peers.allow_hosts: for addresses of a project's file */
	size_t peer_host_count;
	const struct str *env; /* names of variables that servers get */
	size_t env_count;
	char *const *environ;
	struct str version; /* of this program */
	unsigned number; /* of the set, when there are several: jobs and places are named by it */
};

/* Reads the servers of the settings and starts nothing; ERR_INVALID names the one that is none. */
enum err mcp_tools_check(const struct mcp_options *o, struct error *e) MUST_USE;
/* ERR_INVALID names the server of the settings that cannot be read. */
enum err mcp_tools_open(const struct mcp_options *o, struct toolset **ret,
                        struct error *e) MUST_USE;
/* Starts the servers; they are channels of the control from now on. */
void mcp_tools_start(struct toolset *t, struct control *control);
/* Stops the servers and notifies the control, which must still exist. */
void mcp_tools_stop(struct toolset *t);

#endif
