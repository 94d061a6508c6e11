#ifndef SERVE_OPENAI_OP_H
#define SERVE_OPENAI_OP_H
/*
 * One request of a client of the OpenAI APIs.
 *
 *   ASKED ──► CALLING ──► FOLLOWING ──► (reading arguments) ──► replied
 *     │          │            │
 *     └──────────┴────────────┴── error, client gone ──► gone
 *
 * The request is answered exactly once; then the op is freed.  A client that goes ends the op and
 * not its turn.
 */
#include "openai/openai_api_request.h"
#include "openai/openai_api_write.h"
#include "serve/serve_int.h"

struct openai_op {
	struct control_call call;
	struct keepalive keepalive;
	struct loop_timer soon; /* ends the op outside of the control's callbacks */
	struct serve *serve;
	struct http_request *req;
	struct caller caller;
	struct arena *mem;
	struct openai_api_request in;
	size_t given; /* how many results were given */
	uint64_t first_sequence;
	struct str session_id, turn_id;
	struct buf params;
	void (*next)(struct openai_op *op, const struct control_answer *a);
	struct subscription *sub;
	struct openai_api_turn turn;
	struct openai_api_stream stream;
	struct buf out; /* frames that are not written yet */
	enum stream_end why;
	bool is_calling, is_begun, has_head, is_paused, is_over,
		is_read; /* is_read: only what is there */
};

struct openai_op *openai_op_new(struct serve *s, struct http_request *req,
                                const struct caller *caller, enum openai_api api);

/* ---- each ends the op ---- */

void openai_op_fail(struct openai_op *op, int status, struct str message, struct str param,
                    struct str code);
void openai_op_fail_answer(struct openai_op *op, const struct control_answer *a);
void openai_op_reply(struct openai_op *op, int status, struct str json);

/* ---- steps ---- */

/* op->params has the arguments; key: of idempotency, or absent. */
void openai_op_call(struct openai_op *op, const char *command, struct str key,
                    void (*next)(struct openai_op *op, const struct control_answer *a));
/* The turn from an event on: as a stream if the request wants one, else whole at its end. */
void openai_op_follow(struct openai_op *op, struct str session_id, struct str turn_id,
                      uint64_t first_sequence);

#endif
