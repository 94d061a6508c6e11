#ifndef A2A_REMOTE_H
#define A2A_REMOTE_H
/*
 * What is known about one remote task: a fold of the replies of its agent.  Pure.
 *
 *   SUBMITTED ─► WORKING ◄─► INPUT_REQUIRED, AUTH_REQUIRED
 *       └──────────┴──────────────┴─► COMPLETED, FAILED, CANCELED, REJECTED
 *
 * An end is final, and nothing becomes SUBMITTED again: agents repeat and reorder what they send.
 * A reply about another task is not taken.
 */
#include "a2a/client/a2a_reply.h"

struct a2a_remote_artifact {
	struct str id, name;
	struct a2a_part *parts;
	size_t count;
};

struct a2a_remote {
	struct arena *mem;              /* the ids */
	struct arena *said;             /* the last message */
	struct arena *stock;            /* the artifacts */
	struct str task_id, context_id; /* absent: not known yet */
	enum a2a_state state;
	struct str message_id, text; /* the last message of the agent */
	bool is_direct;              /* it answered with a message and has no task */
	bool is_overflow;            /* its artifacts are more than may be held */
	struct a2a_remote_artifact artifacts[LIMIT_PEER_ARTIFACTS];
	size_t artifact_count;
	size_t bytes; /* of all parts */
};

enum a2a_remote_change {
	A2A_REMOTE_SAME,     /* nothing new, or something that is out of order */
	A2A_REMOTE_CHANGED,  /* the state or the message */
	A2A_REMOTE_ARTIFACT, /* a piece of an artifact */
	A2A_REMOTE_FOREIGN,  /* a reply about another task: the agent is confused */
};

void a2a_remote_init(struct a2a_remote *r);
void a2a_remote_done(struct a2a_remote *r);
/* After a restart: the ids that the log has. */
void a2a_remote_resume(struct a2a_remote *r, struct str task_id, struct str context_id);
/* For replies that are not errors. */
enum a2a_remote_change a2a_remote_apply(struct a2a_remote *r, const struct a2a_reply *reply);
/* They are complete again with the next reply that has the whole task. */
void a2a_remote_drop_artifacts(struct a2a_remote *r);
/* Nothing follows: the task has ended, or the agent answered with a message. */
bool a2a_remote_is_over(const struct a2a_remote *r);

#endif
