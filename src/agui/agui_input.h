#ifndef AGUI_INPUT_H
#define AGUI_INPUT_H
/*
 * A RunAgentInput: what a front end asks for.  Pure.
 *
 * It holds the whole conversation.  What is behind the last answer is new: a message of the user
 * becomes a turn, results of tools continue one, and `resume` answers its questions.
 */
#include "base/json.h"

struct agui_given {
	bool is_answer; /* to an interrupt; otherwise a result of a tool */
	bool is_cancelled, is_error;
	struct str id;      /* of the action or of the call */
	struct str payload; /* JSON: the answer, or the output */
};

struct agui_input {
	struct str thread_id, run_id;
	bool is_read; /* no messages at all: the front end wants to see the thread */
	struct agui_given *given;
	size_t given_count;
	struct str input, tools;   /* JSON, of submit_turn; absent: only given ones */
	struct str context, fresh; /* JSON: context of the turn; fresh: for a new session */
	struct json state;         /* of the front end; it comes back with ours */
	struct str wrong, param;   /* after false: what is wrong, and where */
};

/* The arguments of submit_turn.  is_fresh: the session has no turn yet. */
struct str agui_input_params(struct arena *mem, const struct agui_input *in, struct str session_id,
                             bool is_fresh);
bool agui_input_read(struct arena *mem, struct json body, struct agui_input *ret) MUST_USE;

#endif
