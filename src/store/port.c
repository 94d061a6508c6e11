/* Helpers of the store and blob ports that do not depend on an implementation. */
#include "ports/blob.h"
#include "ports/store.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct sha256 port_event_row_link(const struct sha256 *prev, const struct event_row *row)
{
	return row->is_erased ? sha256_link_hash(prev, &row->digest)
	                      : sha256_link(prev, bytes_str(row->body));
}

void port_store_read_done(struct store_read *r)
{
	for (size_t i = 0; i < r->event_count; i++)
		bytes_unref(r->events[i].body);
	arena_free(r->mem);

	/* The request stays, so that the same query can be repeated or continue with the next page. */
	memset(&r->mem, 0, sizeof *r - offsetof(struct store_read, mem));
}

void port_store_claim_done(struct store_claim *c)
{
	arena_free(c->mem);
	c->mem = NULL;
}

void port_store_nodes_read_done(struct store_nodes_read *r)
{
	arena_free(r->mem);
	r->mem = NULL;
}

void port_blob_read_done(struct blob_read *r)
{
	free(r->data);
	r->data = NULL;
	r->len = 0;
}
