#ifndef MCP_MCP_INT_H
#define MCP_MCP_INT_H
/* Shared by the files of src/mcp, and by nobody else. */
#include "mcp/mcp_protocol.h"
#include "mcp/mcp_tools.h"
#include "net/stream.h"

#define MCP_SERVERS_MAX 64
#define MCP_STDERR_MAX 4096

enum mcp_state {
	MCP_UNTRUSTED,   /* of a project that nobody vouched for */
	MCP_UNSUPPORTED, /* not one that is started as a program */
	MCP_DISABLED,
	MCP_STARTING,
	MCP_READY,
	MCP_DOWN, /* it will be started again */
	MCP_STOPPED,
};

/* One server as it was configured. */
struct mcp_config {
	struct str name;
	bool is_project;
	enum mcp_state state;                        /* to begin with */
	struct str why;                              /* not started */
	struct sandbox_paths argv, env, read, write; /* argv: without the shell that finds it */
	bool has_secrets;           /* variables of the user, or those of the user's own settings */
	struct str cwd;             /* where it works; absent: where the runtime works */
	struct str network;         /* absent: as the settings say */
	struct sandbox_paths hosts; /* that it reaches instead; none: as network says */
	enum mcp_version version;
	int64_t timeout_ms;
};

struct mcp_offer {
	struct mcp_tool tool;
	struct str full_name; /* mcp__server__tool */
	bool is_changed;      /* since it was pinned */
};

struct mcp_set;
struct mcp_server {
	size_t dropped;         /* tools that were left out of the list being read */
	char dropped_text[200]; /* the first of them, and why */
	struct mcp_set *set;
	struct mcp_config c;
	enum mcp_state state;
	struct str detail; /* why it is not ready; in detail_mem */
	struct arena *detail_mem;
	bool has_settled;  /* ready, or given up for the first time: turns need not wait */
	bool greets_first; /* the probe got no answer in an earlier life */
	bool is_turning;   /* this life ends for that, and the next begins at once */
	unsigned restarts, failures;
	int64_t ready_at;

	/* one life of the process */
	struct arena *mem;
	struct supervisor_job job;
	struct sandbox_plan plan;
	struct str workspace; /* what it is told to work on */
	struct stream *in, *out, *err;
	struct buf noise; /* the end of its standard error */
	struct mcp_protocol *connection;
	struct loop_timer patience, again, end, flood;
	int64_t flood_since, flood_bytes;
	int64_t listed_at;
	struct list calls;
	size_t call_count;
	uint64_t asked, told; /* what it was refused: questions to the supervisor, and answers */
	struct control_channel *channel;

	/* over lives */
	struct arena *offers_mem;
	struct mcp_offer *offers;
	size_t offer_count;
	struct str channel_id, resume_token, protocol, program; /* in set->mem or keep_mem */
	struct arena *keep_mem;
	bool has_weaker; /* a cage of this tier was refused */
	enum sandbox_tier refused_tier;
	struct str refused_why;
};

struct mcp_set {
	struct toolset port;
	struct mcp_options o;
	struct arena *mem;
	struct sandbox_paths env, hosts;
	enum sandbox_plan_mode mode;
	enum sandbox_network network;
	struct sandbox_paths deny_rules; /* that any session came with; none is taken away */
	struct str project_hash;         /* of the text of .mcp.json */
	struct mcp_server *servers;
	size_t server_count;
	struct control *control; /* once started */
	unsigned lives;          /* of all servers: names of jobs */

	struct list handles; /* struct tool_handle: calls that have not been told to be over */

	struct arena *infos_mem;
	struct tool_info *infos;
	size_t info_count;
	struct loop_timer news;
	void (*changed)(void *owner);
	void *changed_owner;
	bool is_stopped;
};

/* mcp_config.c */
/* Where a server works: never in the runtime's own state. */
enum err mcp_config_work_dir(struct mcp_server *s, struct arena *mem, struct str *ret,
                             struct error *e) MUST_USE;
enum err mcp_config_read(struct mcp_set *s, struct error *e) MUST_USE;

/* mcp_server.c */
void mcp_server_begin(struct mcp_server *s); /* starts it now */
void mcp_server_stop(struct mcp_server *s, struct str why, enum mcp_state state);

/* mcp_sandbox.c */
/* Its entry asks for more than the agent's commands have: then its program is checked at each start. */
bool mcp_sandbox_has_more_rights(const struct mcp_server *s);
/* Its words as they are executed; ERR_INVALID: it may not run, and what to do. */
enum err mcp_sandbox_words(struct mcp_server *s, struct arena *mem, struct sandbox_paths *ret,
                           struct error *e) MUST_USE;
/* The hash of its program's files; absent: it runs with the agent's rights, or cannot be looked at. */
struct str mcp_sandbox_program_hash(struct mcp_server *s, struct arena *mem);
enum err mcp_sandbox_plan(struct mcp_server *s, struct arena *mem, struct sandbox_plan *ret,
                          struct error *e) MUST_USE;
void mcp_sandbox_env(struct mcp_server *s, struct sandbox_paths *ret);
void mcp_sandbox_violated(struct mcp_server *s, const struct supervisor_violation *v);

/* mcp_pins.c */
/* Which of the offers are not what they were; new ones are pinned. */
void mcp_pins_compare(struct mcp_server *s);
void mcp_pins_renew(struct mcp_server *s);
/* The content of its program: what is seen first is recorded, another one is refused. */
enum err mcp_pins_check_program(struct mcp_server *s, struct str hash, struct str file,
                                struct error *e) MUST_USE;
enum err mcp_pins_trust_program(struct mcp_server *s, struct str hash, struct error *e) MUST_USE;
bool mcp_pins_project_is_trusted(struct mcp_set *s);
enum err mcp_pins_project_trust(struct mcp_set *s, struct error *e) MUST_USE;

/* Closes what the rules deny, in servers that run too: those start again. */
void mcp_sandbox_deny(struct toolset *port, struct str rules);
/* Does the sandbox that the server runs in keep all of the call's rules? */
bool mcp_sandbox_keeps(const struct mcp_server *s, struct arena *mem, struct str rules);

/* mcp_call.c */
struct tool_handle *mcp_call_start(struct toolset *port, const struct tool_start *start,
                                   const struct tool_sink *sink, void *owner);
void mcp_call_cancel(struct toolset *port, struct tool_handle *h);
void mcp_call_pause(struct toolset *port, struct tool_handle *h);
void mcp_call_answer(struct toolset *port, struct tool_handle *h, enum tool_answer action,
                     struct str content);
/* What the conversation says of a call. */
void mcp_call_progress(struct mcp_call *c, struct str message, int64_t completed, int64_t total);
void mcp_call_asked(struct mcp_call *c, const struct mcp_question *q);
void mcp_call_ended(struct mcp_call *c, const struct mcp_result *r);
/* What it was refused before it answered has been told. */
void mcp_call_tell_all(struct mcp_server *s);
/* The server was refused something; which call it was for is known only when there is one. */
void mcp_call_violated(struct mcp_server *s, const struct tool_violation *v);
/* The server is gone: all that was open is lost. */
void mcp_call_lose_all(struct mcp_server *s, struct str why);
void mcp_call_drop_all(struct mcp_set *s); /* nothing is told any more */

/* mcp_tools.c */
void mcp_tools_changed(struct mcp_set *s); /* tools, or what may be done with them */
struct mcp_server *mcp_tools_find(struct mcp_set *s, struct str tool, const struct mcp_offer **ret);

#endif
