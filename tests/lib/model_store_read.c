/*
 * The model of a store: reads.
 */
#include "model_store_int.h"

#define PAGE_ROWS 256
#define PAGE_BYTES (256u << 10)

struct page {
	size_t max_rows, max_bytes, rows, bytes;
};

static struct page page_of(const struct store_read *r)
{
	return (struct page){
		.max_rows = r->max_rows && r->max_rows < PAGE_ROWS ? r->max_rows : PAGE_ROWS,
		.max_bytes = r->max_bytes && r->max_bytes < PAGE_BYTES ? r->max_bytes : PAGE_BYTES,
	};
}

/* One row always fits. */
static bool page_takes(struct page *p, size_t len)
{
	if (p->rows && (p->rows == p->max_rows || p->bytes + len > p->max_bytes))
		return false;
	p->rows++;
	p->bytes += len;
	return true;
}

static enum err not_found(struct store_read *r)
{
	return fail(&r->error, ERR_NOT_FOUND, "not found");
}

/* Head, floor, and whether it was deleted; NULL: there is no such session. */
static struct model_session *session_of(struct model_disk *d, struct store_read *r)
{
	struct model_session *s = model_session_find(d, r->session);

	if (!s)
		return NULL;
	if (s->is_removed) {
		r->is_removed = true;
		r->removed_by = s->removed_by;
		r->removed_seq = s->head_seq;
		r->removed_hash = s->head_hash;
		return NULL;
	}
	r->head_seq = s->head_seq;
	r->head_hash = s->head_hash;
	r->floor_seq = s->floor_seq;
	r->floor_hash = s->floor_hash;
	r->floor_ref = arena_keep(r->mem, s->floor_ref);
	return s;
}

/* ---- events ---- */

static bool is_wanted(const struct store_read *r, uint32_t type)
{
	return !r->types || (type < 256 && (r->types[type / 64] >> type % 64 & 1));
}

static void add_event(struct model_disk *d, struct store_read *r, const struct model_event *ev)
{
	r->events[r->event_count++] = (struct event_row){
		.position = ev->position,
		.seq = ev->seq,
		.type = ev->type,
		.hash = ev->hash,
		.session = r->kind == READ_ALL ? arena_keep(r->mem, d->sessions.at[ev->session].id)
		                               : STR_NONE,
		.body = bytes_ref(ev->body),
		.is_erased = ev->is_erased,
		.digest = ev->digest,
	};
}

/* Events of one session, or of all when it is MODEL_NO_SESSION. */
static void read_events(struct model_disk *d, struct store_read *r, size_t session)
{
	struct page page = page_of(r);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	for (size_t i = 0; i < d->events.count; i++) {
		const struct model_event *ev = &d->events.at[i];
		uint64_t at = r->kind == READ_ALL ? ev->position : ev->seq;

		if ((session != MODEL_NO_SESSION && ev->session != session) || at <= r->after ||
		    (r->kind == READ_EVENTS && r->until && at > r->until))
			continue;
		if (is_wanted(r, ev->type)) {
			if (!page_takes(&page, ev->body->len)) {
				r->more = true;
				return;
			}
			add_event(d, r, ev);
		}
		r->scanned = at;
	}
}

static enum err read_session_events(struct model_disk *d, struct store_read *r)
{
	struct model_session *s = session_of(d, r);

	r->scanned = r->after;
	if (s)
		read_events(d, r, model_session_index(d, s));
	return OK;
}

static enum err read_all(struct model_disk *d, struct store_read *r)
{
	r->scanned = r->after;
	read_events(d, r, MODEL_NO_SESSION);
	return OK;
}

static enum err read_journal(struct model_disk *d, struct store_read *r)
{
	struct model_session *s = session_of(d, r);

	if (!s)
		return not_found(r);
	r->journal = ARENA_ARRAY(r->mem, struct journal_row, d->journal.count + 1);
	for (size_t i = 0; i < d->journal.count; i++) {
		const struct model_record *j = &d->journal.at[i];

		if (j->session != model_session_index(d, s) || j->row.seq <= r->after ||
		    (r->until && j->row.seq > r->until))
			continue;
		r->journal[r->journal_count++] =
			(struct journal_row){ j->row.seq, arena_keep(r->mem, j->row.key),
			                      arena_keep(r->mem, j->row.body) };
	}
	r->scanned = r->until ? MIN(r->until, s->head_seq) : s->head_seq;
	return OK;
}

/* SESSIONS and LOOSE. */
static enum err read_sessions(struct model_disk *d, struct store_read *r)
{
	struct page page = page_of(r);

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	r->scanned = r->after;
	for (size_t i = (size_t)r->after; i < d->sessions.count; i++) {
		const struct model_session *s = &d->sessions.at[i];

		if (s->is_removed || !s->head_seq ||
		    (r->kind == READ_LOOSE && s->packed_to >= s->head_seq))
			continue;
		if (!page_takes(&page, 0)) {
			r->more = true;
			break;
		}
		r->rows[r->row_count++] = (struct index_found){
			.session = arena_keep(r->mem, s->id),
			.at = (int64_t)s->head_seq,
		};
		r->scanned = i + 1;
	}
	return OK;
}

/* ---- single records ---- */

static enum err read_head(struct model_disk *d, struct store_read *r)
{
	struct model_session *s = session_of(d, r);

	return s && s->head_seq ? OK : not_found(r);
}

static enum err read_snapshot(struct model_disk *d, struct store_read *r)
{
	struct model_session *s = session_of(d, r);

	if (!s || !str_is(s->snapshot) || !str_eq(s->snapshot_version, r->snapshot_version))
		return not_found(r);
	r->snapshot = arena_keep(r->mem, s->snapshot);
	r->snapshot_seq = s->snapshot_seq;
	r->snapshot_hash = s->snapshot_hash;
	return OK;
}

static enum err read_idem(struct model_disk *d, struct store_read *r)
{
	for (size_t i = 0; i < d->idem.count; i++) {
		const struct model_idem *found = &d->idem.at[i];

		if (!sha256_eq(&found->row.key, &r->idem_key))
			continue;
		r->idem = found->row;
		r->idem.next = NULL;
		r->idem.reply = arena_keep(r->mem, found->row.reply);
		r->idem_session = arena_keep(r->mem, d->sessions.at[found->session].id);
		return OK;
	}
	return not_found(r);
}

static enum err read_blob(struct model_disk *d, struct store_read *r)
{
	for (size_t i = 0; i < d->blobs.count; i++) {
		const struct model_blob *found = &d->blobs.at[i];

		if (!str_eq(found->row.ref, r->key) || model_is_removed(d, found->session))
			continue;
		r->blob = (struct blob_row){
			.ref = arena_keep(r->mem, found->row.ref),
			.media_type = arena_keep(r->mem, found->row.media_type),
			.data = arena_keep(r->mem, found->row.data),
		};
		if (found->session != MODEL_NO_SESSION)
			r->blob_session = arena_keep(r->mem, d->sessions.at[found->session].id);
		return OK;
	}
	return not_found(r);
}

/* ---- index rows ---- */

static int compare_rows(int64_t at, struct str key, int64_t other_at, struct str other_key)
{
	return at != other_at ? (at < other_at ? -1 : 1) : str_cmp(key, other_key);
}

static bool passes_filters(const struct store_read *r, const struct index_row *row,
                           struct str session)
{
	return (!str_is(r->session) || str_eq(session, r->session)) &&
	       (!str_is(r->status) || str_eq(row->status, r->status)) &&
	       (!str_is(r->parent) || str_eq(row->parent, r->parent)) &&
	       (!r->open_only || row->open) && (!r->at_most || row->at <= r->at_most);
}

static bool is_behind(const struct store_read *r, const struct index_row *row)
{
	int order;

	if (!str_is(r->from_key))
		return true;
	order = compare_rows(row->at, row->key, r->from_at, r->from_key);
	return r->newest_first ? order < 0 : order > 0;
}

static bool is_in_list(struct model_disk *d, const struct store_read *r, const struct model_row *m)
{
	struct str session = d->sessions.at[m->session].id;

	if (m->row.table != r->table || (str_is(r->reach) && !str_starts(session, r->reach)) ||
	    (model_is_removed(d, m->session) && r->table != INDEX_USAGE))
		return false;
	if (str_is(r->key))
		return str_eq(m->row.key, r->key);
	return passes_filters(r, &m->row, session) && is_behind(r, &m->row);
}

/* The row that follows `last` in the order of the list; NULL: there is none. */
static const struct model_row *next_row(struct model_disk *d, const struct store_read *r,
                                        const struct model_row *last)
{
	const struct model_row *best = NULL;
	int sign = r->newest_first ? -1 : 1;

	for (size_t i = 0; i < d->rows.count; i++) {
		const struct model_row *m = &d->rows.at[i];

		if (!is_in_list(d, r, m) ||
		    (last &&
		     sign * compare_rows(m->row.at, m->row.key, last->row.at, last->row.key) <= 0))
			continue;
		if (!best ||
		    sign * compare_rows(m->row.at, m->row.key, best->row.at, best->row.key) < 0)
			best = m;
	}
	return best;
}

static enum err read_index(struct model_disk *d, struct store_read *r)
{
	struct page page = page_of(r);
	const struct model_row *m = NULL;

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	while ((m = next_row(d, r, m))) {
		struct str body = r->without_body ? STR_NONE : m->row.body;

		if (!page_takes(&page, body.len)) {
			r->more = true;
			break;
		}
		r->rows[r->row_count++] = (struct index_found){
			.key = arena_keep(r->mem, m->row.key),
			.session = arena_keep(r->mem, d->sessions.at[m->session].id),
			.status = arena_keep(r->mem, m->row.status),
			.parent = arena_keep(r->mem, m->row.parent),
			.body = arena_keep(r->mem, body),
			.at = m->row.at,
			.open = m->row.open,
		};
	}
	return OK;
}

/* ---- requests ---- */

static enum err read_kind(struct model_disk *d, struct store_read *r)
{
	switch (r->kind) {
	case READ_EVENTS:
		return read_session_events(d, r);
	case READ_ALL:
		return read_all(d, r);
	case READ_HEAD:
		return read_head(d, r);
	case READ_SNAPSHOT:
		return read_snapshot(d, r);
	case READ_INDEX:
		return read_index(d, r);
	case READ_IDEM:
		return read_idem(d, r);
	case READ_BLOB:
		return read_blob(d, r);
	case READ_JOURNAL:
		return read_journal(d, r);
	case READ_SESSIONS:
	case READ_LOOSE:
		return read_sessions(d, r);
	}
	return fail(&r->error, ERR_INVALID, "no such kind of read");
}

void model_read(struct model_disk *d, struct store_read *r)
{
	r->mem = arena_new();
	r->result = read_kind(d, r);
}
