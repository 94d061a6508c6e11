/* What the ports declare for every store, whichever it is. */
#include "ports/blob.h"
#include "ports/store.h"

#include <stdlib.h>

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

	/* Only what was answered goes, so that the same question can be asked from further on. */
	*r = (struct store_read){
		.kind = r->kind,
		.session = r->session,
		.after = r->after,
		.until = r->until,
		.max_rows = r->max_rows,
		.max_bytes = r->max_bytes,
		.types = r->types,
		.takes_gaps = r->takes_gaps,
		.snapshot_version = r->snapshot_version,
		.table = r->table,
		.key = r->key,
		.status = r->status,
		.parent = r->parent,
		.open_only = r->open_only,
		.at_most = r->at_most,
		.newest_first = r->newest_first,
		.from_at = r->from_at,
		.from_key = r->from_key,
		.idem_key = r->idem_key,
		.done = r->done,
		.owner = r->owner,
	};
}

void port_blob_read_done(struct blob_read *r)
{
	free(r->data);
	r->data = NULL;
	r->len = 0;
}
