#ifndef SERVE_A2A_OP_H
#define SERVE_A2A_OP_H
/*
 * One request of an A2A peer.
 *
 *   ASKED ──► CALLING ──► READING ──caught up──► FOLLOWING ──► replied
 *     │          │           │                      │
 *     └──────────┴───────────┴── error, peer gone ──┴─────────► gone
 *
 * Each step is a call of the control or a subscription.  A task is folded from its first event;
 * what happens when the fold has caught up and after each change depends on `wait`.  The request
 * is answered exactly once; then the op is freed.  A peer that goes ends the op and not its work.
 */
#include "a2a/a2a_request.h"
#include "a2a/a2a_task.h"
#include "serve/a2a/a2a_edge.h"

enum a2a_wait {
	A2A_WAIT_READ,   /* until caught up, then `then` */
	A2A_WAIT_END,    /* until the task has ended or asks: a blocking SendMessage */
	A2A_WAIT_FINAL,  /* until the task has ended, for a while: CancelTask */
	A2A_WAIT_STREAM, /* send each change */
};

struct a2a_op {
	struct keepalive keepalive;
	struct loop_timer soon; /* ends the op outside of the control's callbacks */
	struct a2a_edge *edge;
	struct http_request *req;
	struct peer_channel *peer;
	/* Of the request; NULL while it follows as a stream, of which there may be thousands. */
	struct arena *mem;
	struct a2a_request *in;
	struct caller *caller;
	struct control_call *call; /* the last one */
	enum a2a_method method;
	char *rpc_id; /* JSON; NULL: HTTP+JSON */
	struct buf params;
	/* The answer of a call. */
	void (*next)(struct a2a_op *op, const struct control_answer *a);
	void (*drop)(struct a2a_op *op); /* frees `work`; may be NULL */
	void *work;
	struct subscription *sub;
	struct control_stream ask;
	char *session; /* that ask names */
	struct a2a_task task;
	enum a2a_wait wait;
	void (*then)(struct a2a_op *op);
	enum stream_end why; /* the stream ended */
	bool is_calling, is_begun, is_paused, is_caught_up, is_over, is_ended;
	bool is_direct;  /* a message is wanted instead of a task that is only a text */
	bool is_open;    /* the head of a stream was sent */
	bool is_stopped; /* the subscription waits for the reply that is due */
	bool is_hinted;  /* the fold did not begin at the first event of the session */
};

/* mem is the op's from now on. */
struct a2a_op *a2a_op_new(struct a2a_edge *edge, struct http_request *req,
                          const struct caller *caller, struct peer_channel *peer, struct arena *mem,
                          const struct a2a_request *in);

/* ---- replies: each ends the op ---- */

void a2a_op_fail(struct a2a_op *op, enum a2a_code code, struct str message);
void a2a_op_fail_field(struct a2a_op *op, const char *field, struct str message);
/* What the control refused, in the words of the protocol. */
void a2a_op_fail_answer(struct a2a_op *op, const struct control_answer *a);
/* result: JSON */
void a2a_op_reply(struct a2a_op *op, struct str result);
/* The folded task, as the result or, with a key, as its only member. */
void a2a_op_reply_task(struct a2a_op *op, const char *key);

/* ---- steps ---- */

/* op->params has the arguments; key: of idempotency, or absent. */
void a2a_op_call(struct a2a_op *op, const char *command, struct str key,
                 void (*next)(struct a2a_op *op, const struct control_answer *a));
/* Folds the task from where it begins.  then: for A2A_WAIT_READ, when the fold has caught up. */
void a2a_op_follow(struct a2a_op *op, struct str session_id, struct str task_id, enum a2a_wait wait,
                   void (*then)(struct a2a_op *op));
/* Stops folding, for a second a2a_op_follow(). */
void a2a_op_unfollow(struct a2a_op *op);

/* ---- a2a_methods.c, a2a_list.c, a2a_push.c ---- */

void a2a_methods_begin(struct a2a_op *op);
void a2a_list_begin(struct a2a_op *op);
void a2a_push_begin(struct a2a_op *op);

#endif
