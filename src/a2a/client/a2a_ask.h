#ifndef A2A_ASK_H
#define A2A_ASK_H
/* Requests to a remote agent, in the binding of its interface.  Pure. */
#include "a2a/client/a2a_agent.h"
#include "base/buf.h"

enum a2a_ask_kind {
	A2A_ASK_SEND,
	A2A_ASK_STREAM,
	A2A_ASK_GET,
	A2A_ASK_SUBSCRIBE,
	A2A_ASK_CANCEL,
};

/* The metadata of a message that says how many delegations have led to it. */
#define A2A_ASK_DEPTH "thole/delegationDepth"

struct a2a_ask {
	enum a2a_ask_kind kind;
	struct str task_id;    /* the agent's; absent in the first message */
	struct str context_id; /* the agent's; absent in the first message */
	struct str message_id; /* of a message */
	struct str text;       /* of a message */
	int64_t depth;
};

struct a2a_ask_http {
	struct str method, url;
	struct buf body; /* empty: none; the caller owns it */
	bool is_stream;
};

/* Strings live in mem. */
void a2a_ask_write(struct arena *mem, const struct a2a_agent *agent, const struct a2a_ask *ask,
                   struct a2a_ask_http *ret);

#endif
