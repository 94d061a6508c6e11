#ifndef ACP_ACP_SESSION_H
#define ACP_ACP_SESSION_H
/*
 * One conversation with an editor, without any I/O or clock: bytes of the
 * editor go in by acp_session_feed(), lines for it come out by `send`.  Commands
 * for the runtime come out by `call`, replies and events go back in.
 *
 * A session of the protocol is a session of the runtime, with the same id.  The
 * editor sees the session's main thread, whichever client works in it.  Prompts
 * of one session do not overlap:
 *
 *   NONE ──► SUBMITTED ──► RUNNING ──► NONE     session/prompt is answered when its turn has ended
 *                │            │          ▲
 *                │ cancel     ▼          │
 *                └───────► STOPPING ─────┘
 *
 * Turn ids and idempotency keys are chosen here, so a command that is sent again
 * over a new connection happens once.  An approval is asked in the editor until
 * an event says that it is resolved, by any client.
 *
 * Memory is bounded: a line by line_max, open requests by net/jsonrpc.h, sessions
 * by the catalogue, questions by what the runtime has pending.  A session that
 * reads a long text takes no events until it is there (acp_session_is_held()).
 *
 * Callbacks come from inside the functions below.  They must not call back.
 */
#include "base/json.h"
#include "base/os/id.h"

struct acp_session;

struct acp_session_ops {
	void (*send)(void *owner, struct str line); /* without line break */
	/* Answer with acp_session_replied(), once; params live until this returns. */
	void (*call)(void *owner, uint64_t tag, const char *command, struct str params);
	/* Events of the session after this one go to acp_session_event(), in order. */
	void (*follow)(void *owner, struct str session_id, int64_t after);
	void (*unfollow)(void *owner, struct str session_id);
};

struct acp_session_options {
	struct str version; /* of this program */
	struct id_source ids;
	size_t line_max;   /* of the editor */
	size_t params_max; /* of a command to the runtime */
};

struct acp_session *acp_session_new(const struct acp_session_options *o,
                                    const struct acp_session_ops *ops, void *owner);
void acp_session_free(struct acp_session *s); /* NULL is fine */

/* The wall clock, for ids; call it before the functions below. */
void acp_session_at(struct acp_session *s, int64_t wall_ms);

/* False: the line is too long, and the error is sent; the conversation is over. */
bool acp_session_feed(struct acp_session *s, struct str bytes) MUST_USE;

/* ---- the runtime ---- */

/* The params of `initialize`, which enrols the connection to the runtime as a channel. */
void acp_session_write_enrol(const struct acp_session *s, struct buf *out);
/* Its reply, or its problem.  False: enrol once more, as a new channel. */
bool acp_session_enrolled(struct acp_session *s, bool is_ok, struct json reply);
/* The connection was replaced: binds the channel to its sessions again and follows their events. */
void acp_session_reconnected(struct acp_session *s);

/* The reply to a call, or its problem (RFC 9457). */
void acp_session_replied(struct acp_session *s, uint64_t tag, bool is_ok, struct json reply);
/* The events of a session cannot be read: what waits for them is refused. */
void acp_session_unfollowed(struct acp_session *s, struct str session_id, struct json problem);
/* True: a text is being read that comes before the next event; acp_session_event() waits. */
bool acp_session_is_held(const struct acp_session *s, struct str session_id);
/* One stored event, or {"gap":…}. */
void acp_session_event(struct acp_session *s, struct str session_id, struct json event);

#endif
