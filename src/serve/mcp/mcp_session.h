#ifndef SERVE_MCP_SESSION_H
#define SERVE_MCP_SESSION_H
/*
 * What a client of an earlier revision has said that outlasts its requests: the level of messages,
 * and the resources whose changes it wants.  In memory alone: after a restart the client is asked to
 * begin again when it opens its stream.
 */
#include "base/arena.h"
#include "base/list.h"

#define MCP_SESSION_URIS_MAX 64
#define MCP_SESSION_LEFT_MAX 8
/* The oldest without a stream is forgotten: of the principal that begins another, if it has one. */
#define MCP_SESSIONS_MAX 1000
#define MCP_SESSIONS_OF_ONE 250 /* of one principal */

struct mcp_op;

struct mcp_session_uri {
	struct str uri, server; /* server: that has it; absent: it is one of ours */
	bool has_changed;
};

/* A request whose connection ended before its reply: it can still be cancelled. */
struct mcp_session_left {
	struct str id; /* of the request: JSON */
	struct str session_id, turn_id;
};

struct mcp_session {
	struct list node; /* not of the list of ids, if the connection is the session */
	struct arena *mem;
	struct str id, principal;
	struct str level; /* absent: no messages */
	struct mcp_session_uri *uris;
	size_t uri_count;
	struct mcp_session_left left[MCP_SESSION_LEFT_MAX]; /* the newest is the last */
	size_t left_count;
	struct mcp_op *stream; /* NULL: none is open */
	bool is_ended;         /* by its client; kept so that its id is not taken again */
};

struct mcp_sessions {
	struct list all; /* the newest is the last */
	size_t count;
};

void mcp_session_init(struct mcp_session *s);
void mcp_session_done(struct mcp_session *s); /* zeroed: fine */
void mcp_session_set_level(struct mcp_session *s, struct str word);
/* False: there are as many as may be. */
bool mcp_session_subscribe(struct mcp_session *s, struct str uri, struct str server) MUST_USE;
void mcp_session_unsubscribe(struct mcp_session *s, struct str uri);
void mcp_session_leave(struct mcp_session *s, const struct mcp_session_left *request);
/* NULL: there is none of that id. */
const struct mcp_session_left *mcp_session_find_left(const struct mcp_session *s, struct str id);

void mcp_session_init_all(struct mcp_sessions *s);
void mcp_session_done_all(struct mcp_sessions *s);
struct mcp_session *mcp_session_add(struct mcp_sessions *s, struct str id, struct str principal);
/* NULL: it is not known, or another principal's. */
struct mcp_session *mcp_session_find(struct mcp_sessions *s, struct str id, struct str principal);
/* The client has ended it: it is not found any more. */
void mcp_session_end(struct mcp_session *one);
bool mcp_session_has_ended(struct mcp_sessions *s, struct str id, struct str principal);

#endif
