#ifndef PEER_DELEGATION_H
#define PEER_DELEGATION_H
/*
 * One delegation: what is known about it, and the one command and the one request that are under
 * way.  Everything belongs to the loop's thread.
 *
 *   input ──► card ──► send ──► follow ◄──► poll ──► deliver ──► end
 *               │ changed        │ asks
 *               ▼                ▼
 *             a person         a person ──► send the answer
 */
#include "a2a/client/a2a_remote.h"
#include "base/hash/sha256.h"
#include "net/http/sse.h"
#include "peer/peer.h"

struct peer;
struct tool_handle;

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
	size_t held; /* bytes of its artifacts in set->held */
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
	struct sha256 shown_card;     /* the one that the person was asked about */
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
	struct loop_timer quiet;     /* its stream must have an item until then */
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

#endif
