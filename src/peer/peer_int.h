#ifndef PEER_INT_H
#define PEER_INT_H
/*
 * What the files of this folder share.
 *
 * A delegation is driven by what is known, not by where it was: peer_run_next() looks at the fold
 * of the remote task, at the last report and at the open request, and starts the one thing that
 * comes next.
 *
 *   input ──► card ──► send ──► follow ◄──► poll ──► deliver ──► end
 *               │ changed        │ asks
 *               ▼                ▼
 *             a person         a person ──► send the answer
 *
 * One command and one request of a delegation are under way at a time.
 */
#include "a2a/client/a2a_remote.h"
#include "net/http/sse.h"
#include "peer/peer.h"
#include "ports/agents.h"

#define PEER_HEADERS_MAX 16
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
	struct list runs;

	/* the card */
	struct arena *card_mem; /* NULL: it was not read yet */
	struct a2a_agent agent; /* valid if card_mem */
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

/* ---- delegations ---- */

/* What a command in flight is about. */
enum peer_command {
	PEER_COMMAND_NONE,
	PEER_COMMAND_INPUT,  /* get_output of the input */
	PEER_COMMAND_ANSWER, /* get_output of an answer */
	PEER_COMMAND_STATE,  /* report_delegation with a state */
	PEER_COMMAND_ARTIFACT,
	PEER_COMMAND_END, /* complete_task or fail_task */
};

struct peer_run {
	struct list node; /* of its peer */
	struct peer *peer;
	struct arena *mem;
	struct str session_id, task_id, run_id, input_ref, objective;
	struct trace_headers trace;
	int64_t depth;
	struct a2a_remote remote;
	struct buf input;
	bool has_input;
	bool is_sent;       /* the first message went out on this start */
	bool is_answering;  /* the answer is being sent */
	bool is_cancelling; /* by a command */
	bool is_cancel_sent;
	bool is_reconciled; /* the agent was asked for the task after its end */
	bool is_gone;       /* ends here: nothing more is started */
	bool is_down;       /* the agent cannot be reached or refuses us */
	bool is_down_told;
	bool is_missing;             /* the agent does not know the task */
	struct subscription *recall; /* the answer of a person, from the log */
	bool is_undelivered;         /* reported */
	bool is_paused;              /* nothing is sent before the task continues */
	bool no_subscribe;           /* the agent does not offer it */
	struct buf why;              /* of is_down, of a failure, or of a delivery: one sentence */
	const char *failed; /* the category of a failure that has to be reported; NULL: none */

	/* the question */
	struct str action_id;         /* of an answer that has to be sent */
	struct str answer_ref;        /* where it is stored */
	struct buf answer;            /* its text, once read */
	bool has_answer, is_answered; /* the message that asked has its answer */
	bool is_allowed;              /* a person allowed the changed card */
	bool is_declined;

	/* the command under way */
	struct control_call call;
	struct str key;
	enum peer_command command;
	struct buf params;
	enum peer_state told; /* the last state that was reported; 0: none */
	struct buf told_id;   /* the message with it */
	bool wants_report;
	struct loop_timer timer;     /* the next look */
	struct loop_timer cancel_by; /* the agent must confirm until then */
	int64_t wait_ms;             /* the next wait between two questions */
	int64_t not_before_ms;       /* nothing is sent earlier; monotonic */
	int64_t told_ms;
	unsigned reports;

	/* the request under way */
	struct http_client_call *http;
	enum a2a_ask_kind asked;
	int status;
	bool is_stream; /* as the response says */
	bool got_item;
	struct sse_parser sse;
	struct buf body;

	/* delivery */
	size_t artifact, part; /* the next one to report */
	unsigned tries;
	struct http_client_call *file;
	struct buf file_body;
	int file_status;
	bool has_file;

	struct tool_handle *handle; /* a model waits for it; NULL: none does */
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
	bool is_stopping;
	bool has_more; /* more are open than may be held: they are listed when one has ended */
};

struct peer *peer_find(struct peer_set *s, struct str name);

/* peer_config.c */
enum err peer_config_read(struct peer_set *s, struct error *e) MUST_USE;

/* peer_card.c */
/* The card can be used, or card_why says why not; otherwise peer_run_next() of all runs follows. */
bool peer_card_is_ready(struct peer *p);
/* Read again: it may have moved, or the credential may have changed. */
void peer_card_forget(struct peer *p);
void peer_card_allow(struct peer *p);
void peer_card_stop(struct peer *p);
struct str peer_card_ref(struct peer *p, struct arena *mem);
/* The channel of the agent, enrolled when first used; absent: it cannot be. */
struct str peer_card_channel(struct peer *p);

/* peer_log.c */
/* Looks for an answer that was given before the start and may not have been sent. */
void peer_log_recall(struct peer_run *r);
void peer_log_recall_stop(struct peer_run *r);
void peer_log_start(struct peer_set *s);
void peer_log_stop(struct peer_set *s);

/* peer_run.c */
struct peer_run *peer_run_find(struct peer_set *s, struct str run_id);
/* From the record of a task; NULL: it has no open run of a remote agent, or is there already. */
struct peer_run *peer_run_add(struct peer_set *s, struct str session_id, struct json task);
void peer_run_free(struct peer_run *r);
/* Starts the one thing that comes next. */
void peer_run_next(struct peer_run *r);
/* The same from the loop, after a while. */
void peer_run_later(struct peer_run *r, int64_t ms);
/* The agent could not be reached, or refuses us: it is asked again after a growing wait. */
void peer_run_down(struct peer_run *r, struct str why);
void peer_run_up(struct peer_run *r);
void peer_run_say(struct peer_run *r, struct str why);
void peer_run_wait(struct peer_run *r);
/* Something has happened that does not wait for the agent. */
void peer_run_hurry(struct peer_run *r);
/* The delegation has failed for good. */
void peer_run_fail(struct peer_run *r, const char *category, struct str why);

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
const struct toolset_ops *peer_tool_ops(void);
void peer_tool_describe(struct peer *p, struct tool_info *ret);
/* The run of a call has ended, with this text or with this failure. */
void peer_tool_ended(struct peer_run *r, const char *category, struct str text);
/* A run began that a call waits for. */
void peer_tool_join(struct peer_set *s, struct peer_run *r);
void peer_tool_stop(struct peer_set *s);

#endif
