/*
 * The model of a store: maintenance.  Each kind does all its work in one step, but for
 * the outputs of deleted sessions, whose files the owner removes in between.
 */
#include "model_store_int.h"

static void drop_events(struct model_disk *d, size_t session, uint64_t until)
{
	for (size_t i = d->events.count; i-- > 0;)
		if (d->events.at[i].session == session && d->events.at[i].seq <= until) {
			bytes_unref(d->events.at[i].body);
			MODEL_DROP(&d->events, i);
		}
	for (size_t i = d->journal.count; i-- > 0;)
		if (d->journal.at[i].session == session && d->journal.at[i].row.seq <= until)
			MODEL_DROP(&d->journal, i);
}

static void drop_pending(struct model_disk *d, size_t session, uint64_t seq, bool is_all)
{
	for (size_t i = d->pending.count; i-- > 0;) {
		const struct model_pending *p = &d->pending.at[i];

		if (p->session == session &&
		    (is_all || (p->op.kind == MAINTENANCE_CUT && p->op.seq == seq)))
			MODEL_DROP(&d->pending, i);
	}
}

/* Rows, blobs and the like stay for the sweep; no read returns them. */
void model_remove(struct model_disk *d, struct model_session *s, uint64_t by)
{
	size_t no = model_session_index(d, s);

	if (s->is_removed)
		return;
	s->is_removed = true;
	s->removed_by = by;
	drop_events(d, no, UINT64_MAX);
	drop_pending(d, no, 0, true);
}

/* ---- one session ---- */

static void pack(struct model_session *s, struct store_maintenance *u)
{
	uint64_t from = MAX(s->packed_to, s->floor_seq), to = MIN(u->seq, s->head_seq);

	if (to <= from)
		return;
	u->count = to - from;
	s->packed_to = to;
}

static void cut_blobs(struct model_disk *d, size_t session, uint64_t until, struct str keeps)
{
	for (size_t i = d->blobs.count; i-- > 0;) {
		const struct model_blob *b = &d->blobs.at[i];

		if (b->session == session && b->seq <= until && !str_eq(b->row.ref, keeps))
			MODEL_DROP(&d->blobs, i);
	}
}

static enum err cut(struct model_disk *d, struct model_session *s, struct store_maintenance *u)
{
	size_t no = model_session_index(d, s);

	if (u->seq >= s->head_seq)
		return fail(&u->error, ERR_INVALID, "the newest event of a session stays");
	if (u->seq > s->floor_seq) {
		u->count = u->seq - s->floor_seq;
		s->floor_hash = model_event_find(d, no, u->seq)->hash;
		s->floor_seq = u->seq;
		s->floor_ref = arena_keep(d->mem, u->ref);
		drop_events(d, no, u->seq);
		cut_blobs(d, no, u->seq, u->ref);
	}
	drop_pending(d, no, u->seq, false);
	return OK;
}

/* The record of the group: the last one that begins at or before the event. */
static void erase_record(struct model_disk *d, size_t session, uint64_t seq)
{
	struct journal_row *found = NULL;

	for (size_t i = 0; i < d->journal.count; i++) {
		struct model_record *j = &d->journal.at[i];

		if (j->session == session && j->row.seq <= seq &&
		    (!found || j->row.seq > found->seq))
			found = &j->row;
	}
	if (found)
		found->body = STR("");
}

static void erase_blobs(struct model_disk *d, size_t session, const struct store_maintenance *u)
{
	for (size_t i = d->blobs.count; i-- > 0;)
		for (size_t k = 0; k < u->ref_count; k++)
			if (d->blobs.at[i].session == session &&
			    str_eq(d->blobs.at[i].row.ref, u->refs[k])) {
				MODEL_DROP(&d->blobs, i);
				break;
			}
}

static enum err erase(struct model_disk *d, struct model_session *s, struct store_maintenance *u)
{
	size_t no = model_session_index(d, s);
	struct model_event *ev = model_event_find(d, no, u->seq);

	if (!ev)
		return fail(&u->error, ERR_NOT_FOUND, "there is no such event");
	if (!ev->is_erased) {
		ev->is_erased = true;
		ev->digest = sha256_of(bytes_str(ev->body));
		bytes_unref(ev->body);
		ev->body = bytes_new(str_is(u->body) ? u->body : STR(""));
		u->count = 1;
		erase_record(d, no, u->seq);
	}
	erase_blobs(d, no, u);
	if (u->count || u->ref_count)
		s->snapshot = STR_NONE;
	return OK;
}

static enum err of_session(struct model_disk *d, struct store_maintenance *u)
{
	struct model_session *s = model_session_find(d, u->session);

	if (!s || s->is_removed || !s->head_seq)
		return fail(&u->error, ERR_NOT_FOUND, "there is no such session");
	if (u->kind == MAINTENANCE_CUT)
		return cut(d, s, u);
	if (u->kind == MAINTENANCE_ERASE)
		return erase(d, s, u);
	pack(s, u);
	return OK;
}

/* ---- all sessions ---- */

static void purge(struct model_disk *d, struct store_maintenance *u)
{
	for (size_t i = d->idem.count; i-- > 0;)
		if (d->idem.at[i].row.at < u->before) {
			MODEL_DROP(&d->idem, i);
			u->count++;
		}
}

static bool is_output_of_removed(const struct model_disk *d, const struct model_row *m)
{
	return m->row.table == INDEX_OUTPUT && model_is_removed(d, m->session);
}

static void drop_named_outputs(struct model_disk *d, const struct store_maintenance *u)
{
	for (size_t i = d->rows.count; i-- > 0;)
		for (size_t k = 0; k < u->ref_count; k++)
			if (is_output_of_removed(d, &d->rows.at[i]) &&
			    str_eq(d->rows.at[i].row.key, u->refs[k])) {
				MODEL_DROP(&d->rows, i);
				break;
			}
}

static void find_outputs(struct model_disk *d, struct store_maintenance *u)
{
	u->mem = arena_new();
	u->found = ARENA_ARRAY(u->mem, struct str, d->rows.count + 1);
	for (size_t i = 0; i < d->rows.count; i++)
		if (is_output_of_removed(d, &d->rows.at[i]) &&
		    str_eq(d->rows.at[i].row.status, STR("spilled")))
			u->found[u->found_count++] = arena_keep(u->mem, d->rows.at[i].row.key);
}

static void sweep(struct model_disk *d, struct store_maintenance *u)
{
	drop_named_outputs(d, u);
	find_outputs(d, u);
	u->more = u->found_count > 0;
	if (u->more)
		return;
	for (size_t i = d->rows.count; i-- > 0;)
		if (model_is_removed(d, d->rows.at[i].session) &&
		    d->rows.at[i].row.table != INDEX_USAGE)
			MODEL_DROP(&d->rows, i);
	for (size_t i = d->blobs.count; i-- > 0;)
		if (model_is_removed(d, d->blobs.at[i].session))
			MODEL_DROP(&d->blobs, i);
}

void model_maintenance(struct model_disk *d, struct store_maintenance *u)
{
	u->result = OK;
	u->error = (struct error){ 0 };
	u->count = 0;
	u->mem = NULL;
	u->found_count = 0;
	u->more = false;
	if (u->kind == MAINTENANCE_PURGE)
		purge(d, u);
	else if (u->kind == MAINTENANCE_SWEEP)
		sweep(d, u);
	else if (u->kind != MAINTENANCE_ROOM)
		u->result = of_session(d, u);
}
