#ifndef PORTS_NODE_LINK_H
#define PORTS_NODE_LINK_H
/*
 * Commands for the node that owns a session, when another node was asked.
 *
 * The engine sends a command over the link once; the owner's answer goes back to the caller as it
 * is.  The owner takes it at its control, with `forwarded` set, and never sends it on.  The two
 * nodes prove to each other that they belong to one installation; how is the link's matter.
 *
 * Everything happens on the loop's thread.  A call belongs to the link until `done`, which never
 * comes from inside send(), or until forget().
 */
#include "base/err.h"
#include "ports/control_call.h"
#include "ports/store_nodes.h"

enum node_link_result {
	NODE_LINK_ANSWERED,
	NODE_LINK_UNSENT,  /* the node was not reached: nothing was carried out */
	NODE_LINK_UNKNOWN, /* no answer came: the command may have been carried out */
	NODE_LINK_REFUSED, /* the node did not take the call as one of its installation */
};

struct node_call {
	struct store_node node; /* the owner */
	struct caller caller;
	struct control_forwarded forwarded;
	struct str command, params, key; /* as in control_call */
	bool is_lookup;
	void (*done)(struct node_call *c);
	void *owner;

	enum node_link_result result;
	struct control_answer answer; /* ANSWERED; lives until done returns */
	struct error error;           /* the others: a sentence for people */
	void *impl;                   /* the link's */
};

struct node_link;
struct node_link_ops {
	/* Strings of the call live until done or forget. */
	void (*send)(struct node_link *l, struct node_call *c);
	/* done is not called any more; the command may be carried out. */
	void (*forget)(struct node_link *l, struct node_call *c);
};
struct node_link {
	const struct node_link_ops *ops;
};

#endif
