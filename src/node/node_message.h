#ifndef NODE_NODE_MESSAGE_H
#define NODE_NODE_MESSAGE_H
/*
 * The body of a call between nodes, and the result of its answer.
 *
 * What the caller may do was decided by the node that was asked; this carries it.  Keys that a
 * client lent stay on the machine where the client is connected.
 */
#include "base/buf.h"
#include "ports/node_link.h"

void node_message_write(struct buf *out, const struct node_call *c);

/* What arrived; strings live in the arena that it was read with. */
struct node_message {
	struct control_call call; /* caller, command, params, key, is_lookup, forwarded */
	struct control_forwarded forwarded;
	struct list_str directories;
};

/* False: it is none.  `call.forwarded` points into *ret. */
bool node_message_read(struct arena *mem, struct str body, struct node_message *ret);

/* The result in the header of an answer: the code or 0, and `replay`. */
struct str node_message_result(struct arena *mem, const struct control_answer *a);
/* Fills code, http, is_replay and what follows from the code; false: no such result. */
bool node_message_read_result(struct str text, int status, struct control_answer *ret);

#endif
