#ifndef MCP_MCP_INT_H
#define MCP_MCP_INT_H
/* Private to the files of src/mcp. */
#include "mcp/mcp_protocol.h"
#include "mcp/mcp_http_message.h"
#include "mcp/mcp_login.h"
#include "mcp/mcp_tools.h"
#include "mcp/offer/mcp_offers.h"
#include "net/stream.h"

#define MCP_SERVERS_MAX 64
#define MCP_STDERR_MAX 4096

enum mcp_state {
	MCP_UNTRUSTED,   /* of a project that the user has not trusted */
	MCP_UNSUPPORTED, /* not started as a program */
	MCP_DISABLED,
	MCP_STARTING,
	MCP_READY,
	MCP_DOWN, /* it will be started again */
	MCP_STOPPED,
	MCP_LOGIN, /* a person has to sign in first */
};

/* One server as it was configured. */
struct mcp_config {
	struct str name;
	bool is_project;
	enum mcp_state state;                        /* the initial state */
	struct str why;                              /* not started */
	struct sandbox_paths argv, env, read, write; /* argv: without the shell that finds it */
	struct sandbox_paths shown_argv, shown_env;  /* as a project's file has them */
	bool has_secrets;           /* has variables of the user or of the user's settings */
	struct str cwd, network;    /* absent: that of the runtime, that of the settings */
	struct sandbox_paths hosts; /* allowed hosts; none: `network` decides */
	enum mcp_version version;
	bool is_published; /* to MCP clients, which answer what it asks; else models may */
	struct mcp_sampling sampling;
	int64_t timeout_ms, total_ms; /* of a call: without progress, and with any */
	/* Of a server with an address, which has none of the program's fields above. */
	struct str url;
	struct net_host host; /* of the url */
	struct http_client_header *headers;
	struct str *header_names;
	size_t header_count;
	bool has_own_login;       /* a header Authorization: no other login is used */
	struct login_known oauth; /* a client that the user registered; without an id: none */
};

struct mcp_offer {
	struct mcp_tool tool;
	struct str full_name; /* mcp__server__tool */
	bool is_changed;      /* since it was pinned */
};

struct mcp_set;
struct mcp_server;
/* What carries the messages of one connection.  `send` and `end` accept a server without one. */
struct mcp_transport {
	/* Calls mcp_server_converse() when messages can be sent, or mcp_server_fail(). */
	void (*begin)(struct mcp_server *s);
	void (*send)(struct mcp_server *s, struct str line);
	void (*end)(struct mcp_server *s);
};
extern const struct mcp_transport mcp_process_transport, mcp_http_transport;

struct mcp_server {
	const struct mcp_transport *transport;
	size_t dropped;                        /* tools that were left out of the current list */
	char dropped_text[200], left_out[256]; /* the first and why; of the last list, as a line */
	struct mcp_set *set;
	struct mcp_config c;
	enum mcp_state state;
	struct str detail; /* why it is not ready; in detail_mem */
	struct arena *detail_mem;
	bool has_settled;  /* ready, or failed once: turns no longer wait for it */
	bool greets_first; /* an earlier process did not answer the probe */
	/* this process ends for that reason or a new rule, and the next starts immediately */
	bool is_turning;
	unsigned restarts, failures;
	int64_t ready_at;

	/* of one connection */
	struct arena *mem;
	struct mcp_http *http; /* NULL for a process */
	struct supervisor_job job;
	struct sandbox_plan plan;
	struct str workspace; /* sent to the server as its root */
	struct stream *in, *out, *err;
	struct buf noise, ended; /* the end of its standard error; how it ended */
	struct mcp_protocol *connection;
	struct loop_timer patience, again, end, flood, last_words;
	int64_t flood_since, flood_bytes;
	int64_t listed_at, stale_at; /* stale_at 0: the server does not say */
	struct list calls;
	size_t call_count;
	uint64_t asked, told; /* reports of violations: requested and received */
	struct control_channel *channel;

	/* across restarts */
	struct arena *offers_mem;
	struct mcp_offer *offers;
	size_t offer_count;
	struct mcp_offers offered;                              /* besides tools */
	struct str channel_id, resume_token, protocol, program; /* in set->mem or keep_mem */
	struct arena *keep_mem;
	struct mcp_login_watch login; /* not joined: it has none */
	struct list login_waits;      /* struct tool_login */
	bool needs_login;             /* this connection ends for that reason */
	bool has_weaker;              /* a sandbox of this tier was refused */
	enum sandbox_tier refused_tier;
	struct str refused_why;
};

struct mcp_set {
	struct toolset port;
	struct mcp_options o;
	struct arena *mem;
	struct sandbox_paths env, hosts;
	struct host_rules peer_rules; /* addresses that are not public and may be reached */
	enum sandbox_plan_mode mode;
	enum sandbox_network network;
	struct sandbox_paths deny_rules; /* of all sessions so far; rules are never removed */
	struct str project_hash;         /* of the text of .mcp.json */
	struct mcp_server *servers;
	size_t server_count;
	struct control *control; /* once started */
	unsigned lives;          /* process starts of all servers, for names of jobs */

	struct list handles; /* struct tool_handle: calls whose end is not yet reported */

	struct arena *infos_mem;
	struct tool_info *infos;
	size_t info_count;
	struct loop_timer news;
	void (*changed)(void *owner);
	void *changed_owner;
	bool is_stopped;
};

/* mcp_config.c */
/* The working directory of a server, never in the runtime's data directory. */
enum err mcp_config_work_dir(struct mcp_server *s, struct arena *mem, struct str *ret,
                             struct error *e) MUST_USE;
enum err mcp_config_read(struct mcp_set *s, struct error *e) MUST_USE;

/* mcp_server.c */
void mcp_server_begin(struct mcp_server *s); /* starts it now */
void mcp_server_stop(struct mcp_server *s, struct str why, enum mcp_state state);
void mcp_server_renew(struct mcp_server *s, struct str why); /* a new process, from the loop */
void mcp_server_fail(struct mcp_server *s, struct str why);  /* ends it, from the loop */
void mcp_server_converse(struct mcp_server *s);              /* begins: messages can be sent */
void mcp_server_relist(struct mcp_server *s);                /* soon, and not too often */
void mcp_server_look(struct mcp_server *s); /* its list is needed: fetches a stale one again */
void mcp_server_wait(struct mcp_server *s, int64_t ms); /* for its list; else it fails */
/* Ends the connection, from the loop; it begins again after a login. */
void mcp_server_need_login(struct mcp_server *s);

/* mcp_http.c: the login has changed: exchanges that wait for it are sent again, or end. */
void mcp_http_login_changed(struct mcp_server *s);

/* mcp_sandbox.c */
/* Whether it asks for more rights than the agent's commands; its program is then checked at each start. */
bool mcp_sandbox_has_more_rights(const struct mcp_server *s);
/* Its arguments; ERR_INVALID: it must not run, with a remedy in the message. */
enum err mcp_sandbox_words(struct mcp_server *s, struct arena *mem, struct sandbox_paths *ret,
                           struct error *e) MUST_USE;
/* The hash of its program's files; absent: it has the agent's rights, or cannot be read. */
struct str mcp_sandbox_program_hash(struct mcp_server *s, struct arena *mem);
enum err mcp_sandbox_plan(struct mcp_server *s, struct arena *mem, struct sandbox_plan *ret,
                          struct error *e) MUST_USE;
void mcp_sandbox_env(struct mcp_server *s, struct sandbox_paths *ret);
void mcp_sandbox_violated(struct mcp_server *s, const struct supervisor_violation *v);

/* mcp_pins.c */
/* Marks offers that differ from their pins; pins new ones. */
void mcp_pins_compare(struct mcp_server *s);
void mcp_pins_renew(struct mcp_server *s);
/* Records the program's content at first sight; refuses changed content. */
enum err mcp_pins_check_program(struct mcp_server *s, struct str hash, struct str file,
                                struct error *e) MUST_USE;
enum err mcp_pins_trust_program(struct mcp_server *s, struct str hash, struct error *e) MUST_USE;
bool mcp_pins_project_is_trusted(struct mcp_set *s);
enum err mcp_pins_project_trust(struct mcp_set *s, struct error *e) MUST_USE;

/* Applies deny rules; running servers are started again with them. */
void mcp_sandbox_deny(struct toolset *port, struct str rules);
/* Whether the running server's sandbox satisfies all rules of the call. */
bool mcp_sandbox_keeps(const struct mcp_server *s, struct arena *mem, struct str rules);

/* mcp_inventory.c */
void mcp_inventory_take(struct mcp_set *s);    /* replaces the list of all tools, now */
void mcp_inventory_changed(struct mcp_set *s); /* tools or their availability */
/* The server of a tool; ret is NULL for tools that this runtime adds: the login, resources. */
struct mcp_server *mcp_inventory_find(struct mcp_set *s, struct str tool,
                                      const struct mcp_offer **ret);
#include "mcp/call/mcp_call.h"
#include "mcp/mcp_sign_in.h"

#endif
