#ifndef SERVE_OPENAI_OP_H
#define SERVE_OPENAI_OP_H
/*
 * One request of a client of the OpenAI APIs: the turn is folded to items, which are sent as they
 * come or whole at the end.  Arguments of calls that are stored elsewhere are read before.
 */
#include "openai/openai_api_items.h"
#include "openai/openai_api_request.h"
#include "openai/openai_api_write.h"
#include "serve/turn_op.h"

struct openai_op {
	struct turn_op op;
	struct openai_api_request in;
	size_t given; /* how many results were given */
	uint64_t first_sequence;
	struct str turn_id; /* before it is followed */
	struct openai_api_turn turn;
	struct openai_api_stream stream;
	struct openai_api_items *items; /* instead of a turn: a session is read; NULL: it is not */
	void (*show)(struct openai_op *o); /* what was read */
	int64_t created_ms;                /* of the conversation */
	bool is_cancel;
	bool has_head; /* the first frames were written */
};

struct openai_op *openai_op_new(struct serve *s, struct http_request *req,
                                const struct caller *caller, enum openai_api api);

/* A parameter of the address; absent: it has none of this name. */
struct str openai_op_query(const struct openai_op *o, const char *name);

/* ---- each ends the op ---- */

void openai_op_fail(struct openai_op *o, int status, struct str message, struct str param,
                    struct str code);
void openai_op_fail_answer(struct openai_op *o, const struct control_answer *a);
void openai_op_reply(struct openai_op *o, int status, struct str json);

/* The turn from an event on: as a stream if the request wants one, else whole at its end. */
void openai_op_follow(struct openai_op *o, struct str session_id, struct str turn_id,
                      uint64_t first_sequence);

#endif
