#ifndef CORE_ASSEMBLE_H
#define CORE_ASSEMBLE_H
/*
 * What the model is sent, rebuilt from the log.
 *
 * The world holds no text.  Feed the events of the range that a request
 * covers, in order, and the conversation of one thread comes out: user
 * messages where their turn began (or where a steer was merged), answers
 * that were completed, calls and their results.  Answers that were cut off
 * are left out; calls whose outcome is unknown say so.
 *
 * Texts too long for an event stand behind a ref: `ref` is set then, and the
 * caller fills in the text before the request goes out.
 * spec: contracts/session-history-recovery — model input can be rebuilt from durable records
 */
#include "catalog/catalog.h"

enum talk_role { TALK_USER, TALK_ASSISTANT, TALK_TOOL };

struct talk_call {
	struct str call_id; /* the provider's */
	struct str name, args;
	struct str tool_call_id; /* ours */
	struct str args_ref;
};

struct talk {
	enum talk_role role;
	struct str text;
	struct str ref;      /* where the whole text is, when it is not here */
	bool ref_is_input;   /* the ref holds input parts as JSON, not plain text */
	struct str turn_id;
	struct str call_id, tool_call_id, tool_name; /* tool */
	bool is_error;
	struct talk_call *calls; /* assistant */
	size_t call_count, call_cap;
};

struct assembly {
	struct arena *mem;
	struct str thread_id;
	struct talk **talks;
	size_t count, cap;
	/* Inputs of turns that have not begun, and answers not yet completed. */
	struct talk **waiting;
	size_t waiting_count, waiting_cap;
	/* What hooks added since the last request. */
	struct talk **added;
	size_t added_count, added_cap;
	struct buf text; /* of the request that is open */
	struct str request_id;
};

void assembly_init(struct assembly *a, struct arena *mem, struct str thread_id);
void assembly_done(struct assembly *a);
/* The classes that matter, as a bit set for the store. */
void assembly_types(uint64_t types[4]);
void assembly_feed(struct assembly *a, const struct event *ev);

/* The text of input parts: what a ref with ref_is_input holds. */
struct str input_text(struct arena *mem, struct str parts_json);

#endif
