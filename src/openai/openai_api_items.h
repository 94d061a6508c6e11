#ifndef OPENAI_API_ITEMS_H
#define OPENAI_API_ITEMS_H
/*
 * The items of a conversation: the events of a session, folded to one page of them.  Pure.
 *
 *   turn.submitted                   message of the user
 *   model.delta                      message of the assistant
 *   tool.progress, tool.result       function_call and function_call_output, of tools of the client
 *   tool.started                     thole:tool_call, of tools of the runtime
 *   action.required, action.resolved mcp_approval_request and mcp_approval_response
 *
 * Items have the ids that they have in responses.  The fold keeps one page and not the conversation:
 * it can be as long as it likes.  Only the first thread of the session counts.  Turns that a rollback
 * removed from the thread are left out: history.rollback.completed is given before all other events.
 */
#include "base/buf.h"
#include "base/json.h"

enum openai_api_listed_kind {
	OPENAI_API_LISTED_USER,
	OPENAI_API_LISTED_ASSISTANT,
	OPENAI_API_LISTED_CALL,
	OPENAI_API_LISTED_RESULT,
	OPENAI_API_LISTED_OWN_CALL,
	OPENAI_API_LISTED_ASK,
	OPENAI_API_LISTED_ANSWER,
};

struct openai_api_listed {
	struct arena *mem;
	enum openai_api_listed_kind kind;
	struct str id, call_id, name, reason;
	struct buf text; /* words, arguments or output */
	struct str ref;  /* where the whole text is stored; absent: text is all of it */
	bool is_parts;   /* ... as a list of parts, in JSON */
	bool is_open, has_failed, is_approved;
};

/* Events of a thread that a rollback removed: those between the two. */
struct openai_api_gap {
	uint64_t thread; /* hash of its id */
	uint64_t after, until;
};

struct openai_api_page {
	size_t limit;
	bool is_ascending;
	struct str after; /* an item; absent: from the beginning, or from the end */
	struct str only;  /* this item and no other; absent: a page */
};

struct openai_api_items {
	struct arena *mem;
	struct str session_id, thread_id;
	struct openai_api_page page;
	struct openai_api_listed **listed; /* limit + 1: the last one says that there are more */
	size_t count;
	struct openai_api_listed *text; /* that grows; NULL: none, or not of this page */
	uint64_t text_step;             /* hash of its id; 0: none */
	uint64_t open_calls[64];        /* hashes of the ids of calls that the client runs */
	struct openai_api_gap *gaps;    /* in order */
	size_t gap_count, gap_cap;
	size_t gap_at;                /* those before it are behind us */
	struct str metadata;          /* of the session, JSON; absent: none */
	bool has_seen_after, is_over; /* is_over: no later event changes the page */
};

/* page: its strings are copied. */
void openai_api_items_init(struct openai_api_items *t, struct str session_id,
                           const struct openai_api_page *page);
void openai_api_items_done(struct openai_api_items *t);
/* An event of the session, in order. */
void openai_api_items_event(struct openai_api_items *t, struct json event);
/* An item whose text is stored elsewhere; NULL: none. */
struct openai_api_listed *openai_api_items_wants(const struct openai_api_items *t);
/* What was stored; absent: it cannot be read any more, and the beginning has to do. */
void openai_api_items_give(struct openai_api_listed *item, struct str text);
/* {"object": "list", ...} */
void openai_api_items_write(struct buf *out, const struct openai_api_items *t);
/* The item of page.only.  False: there is none. */
bool openai_api_items_write_one(struct buf *out, const struct openai_api_items *t) MUST_USE;

#endif
