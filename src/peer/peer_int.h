#ifndef PEER_INT_H
#define PEER_INT_H
/*
 * What the files of this folder share.
 *
 * A delegation is driven by what is known, not by where it was: peer_run_next() looks at the fold
 * of the remote task, at the last report and at the open request, and starts the one thing that
 * comes next.  Files call downward only:
 *
 *   peer ─► log, list, run ─► tool, recall, report, call, file ─► card ─► state
 */
#include "jwt/jwt_key.h"
#include "peer/peer_delegation.h"
#include "ports/agents.h"

#define PEER_HEADERS_MAX 16
/* Stands where the log wants the id of a task, if the agent answered with a message. */
#define PEER_NO_TASK "(a message without a task)"
#define PEER_CONNECT_MS 15000
#define PEER_REPLY_MS 60000

struct peer_set;
struct peer_run;

/* ---- agents ---- */

struct peer {
	struct peer_set *set;
	struct str name;
	struct str principal; /* peer:NAME, in commands about its delegations */
	struct str card_url;
	struct str description; /* of the settings; absent: the card's */
	struct http_client_header headers[PEER_HEADERS_MAX];
	size_t header_count;
	struct jwt_keys keys;  /* that sign its card; none: signatures are not checked */
	struct str extensions; /* of the protocol, as the header lists them; absent: none */
	int64_t quiet_ms;      /* of a stream without an item */
	struct list runs;

	/* the card */
	struct arena *card_mem; /* NULL: it was not read yet */
	struct a2a_agent agent; /* valid if card_mem */
	struct str signed_by;   /* the id of the key that signed it; absent: not checked */
	struct str card_why;    /* why it cannot be used now; absent: it can */
	bool is_card_changed;   /* it differs from the pin: a person has to allow it */
	bool is_card_auth;      /* it was refused for want of a credential */
	struct http_client_call *card_call;
	struct buf card_body;
	int card_status;
	int64_t card_read_ms; /* when it was read last, monotonic; 0: never */
	struct control_channel *channel;
	size_t streams, requests; /* open ones */
};

struct peer_set {
	struct toolset port;
	struct peer_options o;
	struct arena *mem;
	struct host_rules rules;
	struct peer *peers;
	size_t count;
	struct tool_info *tools; /* one per agent */
	struct control *control;
	struct subscription *sub;
	struct loop_timer retry;
	struct agents agents;
	struct list checks;     /* that wait for cards */
	struct loop_timer news; /* a check may be complete */
	struct list lookups;    /* get_task and list_tasks under way */
	struct list handles;    /* calls of models */
	size_t run_count;
	size_t held; /* bytes of the artifacts of all runs */
	/* Upward calls: peer_run_next(), and what waits for cards and for a free place. */
	void (*next)(struct peer_run *r);
	void (*checked)(struct peer_set *s);
	void (*relist)(struct peer_set *s);
	bool is_stopping;
	bool has_more; /* more are open than may be held: they are listed when one has ended */
};

struct peer *peer_state_find_agent(struct peer_set *s, struct str name);

/* peer_config.c */
enum err peer_config_read(struct peer_set *s, struct error *e) MUST_USE;

/* peer_card.c */
/* The card can be used, or card_why says why not; otherwise peer_run_next() of all runs follows. */
bool peer_card_is_ready(struct peer *p);
void peer_card_allow(struct peer *p);
void peer_card_stop(struct peer *p);
struct str peer_card_ref(struct peer *p, struct arena *mem);
/* The channel of the agent, enrolled when first used; absent: it cannot be. */
struct str peer_card_channel(struct peer *p);

/* peer_signature.c */
/* Is the card that was fetched signed by a key of the agent, if it has keys?  Lives in mem. */
bool peer_signature_check(struct peer *p, struct arena *mem, struct str *ret_why) MUST_USE;

/* peer_log.c */
void peer_log_start(struct peer_set *s);
void peer_log_stop(struct peer_set *s);

/* peer_recall.c */
/* A person decided about a changed card, or answered the agent. */
void peer_recall_take(struct peer_run *r, struct json event);
/* Looks for an answer that was given before the start and may not have been sent. */
void peer_recall_start(struct peer_run *r);
void peer_recall_stop(struct peer_run *r);

/* peer_run.c and peer_state.c */
struct peer_run *peer_state_find(struct peer_set *s, struct str run_id);
/* From the record of a task; NULL: it has no open run of a remote agent, or is there already. */
struct peer_run *peer_run_add(struct peer_set *s, struct str session_id, struct json task);
void peer_run_free(struct peer_run *r);
/* Starts the one thing that comes next. */
void peer_run_next(struct peer_run *r);
/* The same from the loop, after a while. */
void peer_state_later(struct peer_run *r, int64_t ms);
/* The agent could not be reached, or refuses us: it is asked again after a growing wait. */
void peer_state_down(struct peer_run *r, struct str why);
void peer_state_up(struct peer_run *r);
void peer_state_say(struct peer_run *r, struct str why);
void peer_state_wait(struct peer_run *r);
/* Something has happened that does not wait for the agent. */
void peer_state_hurry(struct peer_run *r);
/* The delegation has failed for good. */
void peer_state_fail(struct peer_run *r, const char *category, struct str why);

/* peer_call.c */
void peer_call_ask(struct peer_run *r, enum a2a_ask_kind kind, struct str message_id,
                   struct str text);
void peer_call_drop(struct peer_run *r);

/* peer_file.c */
/* Fetches a part by its address; peer_run_next() follows. */
void peer_file_fetch(struct peer_run *r, struct str url);
void peer_file_drop(struct peer_run *r);

/* peer_report.c */
void peer_report_read(struct peer_run *r, enum peer_command what, struct str ref);
void peer_report_state(struct peer_run *r, enum peer_state state, struct str reason);
void peer_report_artifact(struct peer_run *r, const struct a2a_remote_artifact *a, size_t part);
void peer_report_complete(struct peer_run *r);
void peer_report_fail(struct peer_run *r, const char *category, struct str why);
void peer_report_forget(struct peer_run *r);

/* peer_list.c */
void peer_list_init(struct peer_set *s);
/* A card was read, or the set stops: checks that waited for it are complete. */
void peer_list_checked(struct peer_set *s);

/* peer_tool.c */
struct tool_handle *peer_tool_start(struct peer_set *s, const struct tool_start *start,
                                    const struct tool_sink *sink, void *owner);
void peer_tool_cancel(struct tool_handle *h);
void peer_tool_close(struct peer_set *s);
void peer_tool_describe(struct peer *p, struct tool_info *ret);
/* The run of a call has ended, with this text or with this failure. */
void peer_tool_ended(struct peer_run *r, const char *category, struct str text);
/* A run began that a call waits for. */
void peer_tool_join(struct peer_set *s, struct peer_run *r);
void peer_tool_stop(struct peer_set *s);

#endif
