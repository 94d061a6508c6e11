#ifndef OPENAI_API_TURN_H
#define OPENAI_API_TURN_H
/*
 * A response: the events of a turn, from one of them on, as items.  Pure.
 *
 *   RUNNING ──► CALLS      the client has to run tools: the response ends with its calls
 *      │   └──► APPROVAL   a person has to decide: the response ends with the question
 *      ├──────► COMPLETED
 *      └──────► FAILED, CANCELLED
 *
 * The same events give the same steps in the same order, so a stream can be
 * continued by number.
 */
#include "base/buf.h"
#include "base/json.h"

enum openai_api_end {
	OPENAI_API_RUNNING,
	OPENAI_API_CALLS,
	OPENAI_API_APPROVAL,
	OPENAI_API_COMPLETED,
	OPENAI_API_FAILED,
	OPENAI_API_CANCELLED,
};

enum openai_api_item_kind {
	OPENAI_API_MESSAGE,
	OPENAI_API_CALL,         /* of a tool that the client runs */
	OPENAI_API_APPROVAL_ASK, /* a question about a call of the runtime */
	OPENAI_API_OWN_CALL,     /* of a tool that the runtime runs */
};

struct openai_api_item {
	enum openai_api_item_kind kind;
	struct str id;      /* of the item */
	struct str call_id; /* of a call, as the client names it */
	struct str name, args, args_ref;
	struct buf text;
	bool is_done, has_failed;
	struct openai_api_item *next;
};

enum openai_api_step {
	OPENAI_API_ITEM_BEGINS,
	OPENAI_API_ITEM_GROWS, /* by a piece of text */
	OPENAI_API_ITEM_ENDS,
};

struct openai_api_turn {
	struct arena *mem;
	struct str session_id, turn_id, model;
	uint64_t first_sequence;
	int64_t created_s;
	struct openai_api_item *items, *last;
	struct openai_api_item *text; /* the message that grows; NULL: none */
	size_t open_calls, waiting_calls;
	int64_t input_tokens, cached_tokens, output_tokens, reasoning_tokens;
	bool waits_out; /* calls that wait do not end it: it is being cancelled */
	bool is_cut;    /* the last answer ended at a limit */
	enum openai_api_end end;
	struct str error_code, error_message; /* of a failure */
	void (*step)(void *owner, enum openai_api_step step, struct openai_api_item *item,
	             struct str piece);
	void *owner;
};

void openai_api_turn_init(struct openai_api_turn *t, struct str session_id, struct str turn_id,
                          uint64_t first_sequence);
void openai_api_turn_done(struct openai_api_turn *t);
/* An event of the turn, in order; after the end nothing changes. */
void openai_api_turn_event(struct openai_api_turn *t, struct json event);
/* The arguments of a call that are stored elsewhere; NULL: none is missing. */
struct openai_api_item *openai_api_turn_wants(const struct openai_api_turn *t);
/* After the end CALLS, when no arguments are missing: the steps of the calls. */
void openai_api_turn_show_calls(struct openai_api_turn *t);

#endif
