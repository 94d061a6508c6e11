#ifndef NODE_NODE_CLIENT_H
#define NODE_NODE_CLIENT_H
/*
 * The link to other nodes (ports/node_link.h) over HTTP.
 *
 * Each command is sent on a connection of its own: a library that sends a request again on a broken
 * one could make the owner carry it out twice.
 */
#include "net/http/http_client.h"
#include "node/node_seal.h"
#include "ports/clock.h"
#include "ports/node_link.h"

struct node_client;

struct node_client_options {
	struct http_client *http_client;
	struct clock *clock;
	struct node_seal *seal; /* all three outlive the client */
	uint64_t incarnation;   /* of this node */
};

struct node_client *node_client_new(const struct node_client_options *o);
/* Calls under way end without `done`.  NULL is fine. */
void node_client_free(struct node_client *c);
struct node_link *node_client_link(struct node_client *c); /* of NULL: NULL */

#endif
