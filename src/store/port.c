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

size_t port_store_part_columns(enum store_part part)
{
	static const size_t columns[STORE_PART_INDEX + 1] = {
		[STORE_PART_SESSION] = 7, [STORE_PART_REMOVED] = 6,  [STORE_PART_PACK] = 11,
		[STORE_PART_EVENT] = 9,   [STORE_PART_SNAPSHOT] = 5, [STORE_PART_BLOB] = 5,
		[STORE_PART_IDEM] = 6,    [STORE_PART_ACCOUNT] = 3,  [STORE_PART_PENDING] = 4,
		[STORE_PART_META] = 2,    [STORE_PART_OUTPUT] = 5,   [STORE_PART_INDEX] = 7,
	};

	return columns[part < STORE_PART_INDEX ? part : STORE_PART_INDEX];
}

struct store_cell *port_store_page_row(const struct store_page *page, size_t row)
{
	return page->cells + row * port_store_part_columns(page->part);
}

struct store_cell *port_store_page_add(struct store_page *page)
{
	size_t size = port_store_part_columns(page->part) * sizeof *page->cells;

	if (!page->mem)
		page->mem = arena_new();
	if (page->rows == page->cap) {
		size_t cap = page->cap ? page->cap * 2 : 256;

		page->cells = arena_grow(page->mem, page->cells, page->cap * size, cap * size);
		page->cap = cap;
	}
	return port_store_page_row(page, page->rows++);
}

void port_store_page_done(struct store_page *page)
{
	arena_free(page->mem);
	*page = (struct store_page){ .part = page->part };
}

void port_blob_read_done(struct blob_read *r)
{
	free(r->data);
	r->data = NULL;
	r->len = 0;
}
