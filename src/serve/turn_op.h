#ifndef SERVE_TURN_OP_H
#define SERVE_TURN_OP_H
/*
 * One HTTP request of a foreign protocol that works on a turn.
 *
 *   ASKED ──► CALLING ──► FOLLOWING ──► replied
 *     │          │            │
 *     └──────────┴────────────┴── error, client gone ──► gone
 *
 * Each step is a call of the control or a subscription to the events of one turn.  The protocol
 * folds the events and writes frames into `out`.  The request is answered exactly once; then the op
 * is freed.  A client that goes ends the op and not its turn.  Loop thread only.
 */
#include "serve/serve_int.h"

struct turn_op;

struct turn_op_protocol {
	/* An event of the turn; what it adds to `out` is sent at once. */
	void (*event)(struct turn_op *op, struct json event);
	/* Nothing more is expected of the turn. */
	bool (*is_over)(const struct turn_op *op);
	/*
	 * It is over, or all that is there was read, or the stream ended before (op->why).  Replies, or
	 * continues with a call.
	 */
	void (*conclude)(struct turn_op *op);
	/*
	 * The client went before the reply; may be NULL.  True: the protocol keeps the op, without its
	 * request, until its call is answered.
	 */
	bool (*closed)(struct turn_op *op);
	void (*free)(struct turn_op *op); /* what the protocol added, and the op itself */
};

struct turn_op {
	const struct turn_op_protocol *protocol;
	struct control_call call;
	struct keepalive keepalive;
	struct loop_timer soon; /* concludes outside of the control's callbacks */
	struct serve *serve;
	struct http_request *req;
	struct caller caller;
	struct arena *mem;
	struct buf params;
	void (*next)(struct turn_op *op, const struct control_answer *a);
	struct subscription *sub;
	struct str session_id, turn_id; /* that it follows */
	struct buf out;                 /* frames that are not written yet */
	enum stream_end why;            /* of the stream, when it has ended */
	bool is_calling, is_begun, is_paused, is_concluding;
	bool has_seen;     /* an event of the turn */
	bool is_read;      /* reads what is there and does not follow */
	bool is_caught_up; /* it has seen all that was there when it began */
};

/* via: the name of the protocol in events.  req: NULL if the request did not come over HTTP. */
void turn_op_init(struct turn_op *op, const struct turn_op_protocol *protocol, struct serve *s,
                  struct http_request *req, const struct caller *caller, const char *via);

/* ---- each ends the op ---- */

void turn_op_reply(struct turn_op *op, int status, const struct http_field *extra, size_t count,
                   struct str json);
void turn_op_end_stream(struct turn_op *op);
/* Without the last chunk, so that the client sees that more would have come. */
void turn_op_cut(struct turn_op *op);
/* Without any reply: the protocol has written one elsewhere, or its client is gone. */
void turn_op_drop(struct turn_op *op);
/* It continues without its request, which is answered or gone. */
void turn_op_detach(struct turn_op *op);

/* ---- steps ---- */

/* op->params has the arguments; key: of idempotency, or absent. */
void turn_op_call(struct turn_op *op, const char *command, struct str key,
                  void (*next)(struct turn_op *op, const struct control_answer *a));
/* The same; a repetition of the key is recognised by `what`, and the arguments may differ. */
void turn_op_call_about(struct turn_op *op, const char *command, struct str key, struct str what,
                        void (*next)(struct turn_op *op, const struct control_answer *a));
/* The reply that a call with this key had; not_found: there was none, and nothing is carried out. */
void turn_op_look_up(struct turn_op *op, const char *command, struct str key,
                     void (*next)(struct turn_op *op, const struct control_answer *a));
/* The events of the turn from that sequence on. */
void turn_op_follow(struct turn_op *op, struct str session_id, struct str turn_id,
                    uint64_t first_sequence);
/* The events of a session that are there, of these classes, and none that follow.  May be repeated. */
void turn_op_read(struct turn_op *op, struct str session_id, const uint64_t types[2]);
/* All events that the caller may read, of all sessions, from now on. */
void turn_op_listen(struct turn_op *op);
/* Ends the following: the protocol concludes soon. */
void turn_op_conclude(struct turn_op *op);
void turn_op_begin_stream(struct turn_op *op, const struct http_field *extra, size_t count);
void turn_op_flush(struct turn_op *op);

/* The status and the sentence for a stream that ended before its turn. */
int turn_op_why_status(enum stream_end why, const char **ret_code, const char **ret_message);

#endif
