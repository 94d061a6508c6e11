#ifndef OPENAI_API_REQUEST_H
#define OPENAI_API_REQUEST_H
/*
 * A request of a client, read from the body of either API.  Pure.
 *
 * Clients send the whole conversation, or what is new since a response.  Both become the same: the
 * words after the last answer are the input of a turn, results of tools and answers to approvals
 * are given one by one, and earlier words that the runtime did not write are context, marked as
 * those of the caller.
 */
#include "base/json.h"

enum openai_api {
	OPENAI_API_CHAT,
	OPENAI_API_RESPONSES,
};

/* A result of a tool that the client runs, or an answer to an approval. */
struct openai_api_given {
	bool is_approval, is_approved;
	struct str session_id, object_id; /* the call, or the action */
	struct str turn_id;               /* of an approval */
	struct str output;                /* JSON; of a result */
	struct str reason;                /* of an approval; may be absent */
};

struct openai_api_request {
	enum openai_api api;
	bool is_stream, wants_usage, is_background;
	struct str session_id;  /* that it continues; absent: a new one */
	struct str previous_id; /* of a response; absent: none */
	struct openai_api_given *given;
	size_t given_count;
	struct str params; /* of submit_turn, without the session; absent: only results are given */
	struct str ignored; /* members that have no effect, with commas between; may be empty */
	/* After false: what is wrong, and the member that it is about. */
	struct str wrong, param;
};

/* session_id: that the client named in a header; absent: none. */
bool openai_api_request_read(struct arena *mem, enum openai_api api, struct json body,
                             struct str session_id, struct openai_api_request *ret) MUST_USE;

#endif
