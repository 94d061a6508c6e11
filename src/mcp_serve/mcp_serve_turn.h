#ifndef MCP_SERVE_TURN_H
#define MCP_SERVE_TURN_H
/*
 * A turn as the result of a call: what it said, how it ended, what it waits for.  Pure.
 *
 *   RUNNING ◄──► WAITING       for a person, or for an answer to its question
 *      ├───────► COMPLETED
 *      └───────► FAILED, CANCELLED
 */
#include "base/json.h"
#include "base/jw.h"

enum mcp_serve_state {
	MCP_SERVE_RUNNING,
	MCP_SERVE_WAITING,
	MCP_SERVE_COMPLETED,
	MCP_SERVE_FAILED,
	MCP_SERVE_CANCELLED,
};

struct mcp_serve_wait {
	struct str action_id, type, prompt;
	struct str schema;   /* JSON, of an answer; absent: a decision is wanted */
	struct str requests; /* JSON by key: what the client is asked itself; absent: a person is */
	bool is_keyed;       /* the answer has a response for each key */
	struct str key;      /* of the only request; else that of the action */
	bool is_over;
	bool is_sent; /* to the client, which answers it */
	struct mcp_serve_wait *next;
};

struct mcp_serve_turn {
	struct arena *mem;
	struct str session_id, thread_id, turn_id, task_id;
	uint64_t first_sequence;
	enum mcp_serve_state state;
	struct buf text;                      /* the newest answer of the model */
	struct str doing;                     /* the newest step, in words */
	uint64_t steps;                       /* that were begun */
	struct str error_code, error_message; /* of a failure */
	struct str created_at, updated_at;
	struct mcp_serve_wait *waits;

	/* Of a turn without a model: the result of the turn is that of its tool. */
	bool is_call, is_tool_error;
	bool is_moving; /* the tool said how far it is */
	int64_t progress, total;
	/* Outputs that the result is behind; absent: text has all of it. */
	struct str output_ref, content_ref, structured_ref;
	struct str image_type;              /* of the output, if it is an image */
	struct str content, structured;     /* JSON that was read from them */
	struct str lost_code, lost_message; /* why the client gets no result; absent: it does */
	uint64_t logs;                      /* messages of the tool's server so far; the newest: */
	struct str log_level, logger, log_data;
};

void mcp_serve_turn_init(struct mcp_serve_turn *t, struct str session_id, struct str turn_id,
                         uint64_t first_sequence);
void mcp_serve_turn_done(struct mcp_serve_turn *t); /* zeroed: fine */
/* An event of the turn, in order. */
void mcp_serve_turn_event(struct mcp_serve_turn *t, struct json event);
static inline bool mcp_serve_turn_has_ended(const struct mcp_serve_turn *t)
{
	return t->state >= MCP_SERVE_COMPLETED;
}
/* The question that the caller may answer itself; NULL: there is none. */
struct mcp_serve_wait *mcp_serve_turn_question(const struct mcp_serve_turn *t);
/*
 * Members of the result of a tool call: content, structuredContent, isError.  The second writes what
 * the tool of a turn without a model returned, and is an error until there is that.
 */
void mcp_serve_turn_write(const struct mcp_serve_turn *t, struct json_writer *w);
void mcp_serve_turn_write_result(const struct mcp_serve_turn *t, struct json_writer *w);

/* The next output that has to be read before the result can be written; absent: none. */
struct str mcp_serve_turn_next_ref(const struct mcp_serve_turn *t);
/* What is in that output. */
void mcp_serve_turn_take(struct mcp_serve_turn *t, struct str bytes);
/* It cannot be read.  The result of a tool that succeeded is then an error of that code. */
void mcp_serve_turn_skip(struct mcp_serve_turn *t, struct str code, struct str message);
/* The client gets this error, however the turn ends. */
void mcp_serve_turn_lose(struct mcp_serve_turn *t, struct str code, struct str message);

#endif
