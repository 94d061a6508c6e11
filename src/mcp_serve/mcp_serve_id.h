#ifndef MCP_SERVE_ID_H
#define MCP_SERVE_ID_H
/*
 * Ids that MCP clients see.  Each has all that is needed to find the thing again, so no table is
 * kept.  Our ids contain no "~".
 *
 *   thread  SESSION~THREAD        task  SESSION~TASK~TURN~SEQUENCE        action  SESSION~ACTION
 *
 * Resources are named thole://sessions/SESSION, thole://sessions/SESSION/threads/THREAD and
 * thole://sessions/SESSION/outputs/OUTPUT.
 */
#include "base/arena.h"

struct mcp_serve_task_id {
	struct str session_id, task_id, turn_id;
	uint64_t first_sequence;
};

struct str mcp_serve_id_pair(struct arena *mem, struct str session_id, struct str of_session);
bool mcp_serve_id_read_pair(struct str id, struct str *ret_session_id,
                            struct str *ret_of_session) MUST_USE;
struct str mcp_serve_id_task(struct arena *mem, const struct mcp_serve_task_id *id);
bool mcp_serve_id_read_task(struct str id, struct mcp_serve_task_id *ret) MUST_USE;

/*
 * A question that the turn of a task asks: ACTION~FORM~SESSION~TASK~TURN~SEQUENCE.  It is the id of a
 * request to a client of an earlier revision.  FORM says
 * how it is answered: `form`, with what the user entered, or `keyed`, with a response for each key.
 * Behind them is the key of the request in hexadecimal digits.
 */
struct mcp_serve_question_id {
	struct mcp_serve_task_id task;
	struct str action_id;
	bool is_keyed;
	struct str key; /* of the one request, or of the first; may be empty */
};
struct str mcp_serve_id_question(struct arena *mem, const struct mcp_serve_question_id *id);
bool mcp_serve_id_read_question(struct arena *mem, struct str text,
                                struct mcp_serve_question_id *ret) MUST_USE;
/*
 * The state that a client of 2026-07-28 repeats: the question, and a hash of what its request is about
 * (the tool, or the resource).  The state of another request is not read.
 */
struct str mcp_serve_id_state(struct arena *mem, const struct mcp_serve_question_id *id,
                              struct str about);
bool mcp_serve_id_read_state(struct arena *mem, struct str text, struct str about,
                             struct mcp_serve_question_id *ret) MUST_USE;

enum mcp_serve_uri { MCP_SERVE_URI_SESSION, MCP_SERVE_URI_THREAD, MCP_SERVE_URI_OUTPUT };

bool mcp_serve_id_read_uri(struct str uri, enum mcp_serve_uri *ret_kind, struct str *ret_session_id,
                           struct str *ret_of_session) MUST_USE;

#endif
