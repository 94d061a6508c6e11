/*
 * Maintenance, the reader's part: finds what to pack, remove or erase,
 * decompresses and compresses it, and checks it against the hash chain.  The
 * writer then only has to write the result.
 */
#include "store/event_journal.h"
#include "store/sqlite/sqlite_int.h"

#include <assert.h>
#include <stdlib.h>

/* Fewer events stay rows: a small pack would be packed again soon. */
#define PACK_AT_LEAST 8
#define PACK_AT_LEAST_BYTES 16384

void sqlite_plan_free(struct rewrite *w)
{
	buf_done(&w->head);
	buf_done(&w->text);
	buf_done(&w->journal);
	arena_free(w->mem);
}

/* ---- gathering events into a pack ---- */

struct pack_builder {
	struct rewrite *w;
	struct pack pack;
	size_t cap;
	struct buf text;
	struct sha256 hash;
};

static void builder_begin(struct pack_builder *g, struct rewrite *w, uint64_t first_seq,
                          const struct sha256 *prev_hash)
{
	*g = (struct pack_builder){ .w = w, .hash = *prev_hash };
	w->first_seq = first_seq;
	w->prev_hash = *prev_hash;
}

/* Returns false if the event does not continue the chain. */
static bool builder_add(struct pack_builder *g, struct pack_item item, struct str body,
                        const struct sha256 *hash)
{
	struct sha256 link = pack_link(&g->hash, &item, body);

	if (!sha256_eq(&link, hash))
		return false;
	if (g->pack.count == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : PACK_EVENTS;

		g->pack.items = arena_grow(g->w->mem, g->pack.items, g->pack.count * sizeof item,
		                           cap * sizeof item);
		g->cap = cap;
	}
	g->hash = link;
	memcpy(item.mark, link.state, sizeof item.mark);
	item.len = (uint32_t)body.len;
	g->pack.items[g->pack.count++] = item;
	buf_add_str(&g->text, body);
	return true;
}

/* A first event always fits, however large: otherwise it could never be packed. */
static bool builder_fits(const struct pack_builder *g, size_t len)
{
	return g->pack.count == 0 ||
	       (g->pack.count < PACK_EVENTS && g->text.len + len <= PACK_BYTES);
}

/* Reads the pack back and compares: rows are removed only if it holds the same. */
static bool builder_is_sound(struct pack_builder *g)
{
	struct rewrite *w = g->w;
	struct pack again;

	if (!pack_read_head(w->mem, buf_str(&w->head), w->first_position, &again) ||
	    again.count != g->pack.count || !pack_read_text(w->mem, buf_str(&w->text), &again))
		return false;
	for (size_t i = 0; i < again.count; i++) {
		const struct pack_item *a = &g->pack.items[i], *b = &again.items[i];

		if (a->position != b->position || a->type != b->type || a->len != b->len ||
		    a->is_erased != b->is_erased)
			return false;
	}
	return str_eq(again.text, buf_str(&g->text));
}

/* Makes the gathered events the rewrite's new pack. */
static bool builder_end(struct pack_builder *g)
{
	struct rewrite *w = g->w;
	bool is_sound;

	g->pack.text = buf_str(&g->text);
	w->has_pack = true;
	w->last_seq = w->first_seq + g->pack.count - 1;
	w->last_hash = g->hash;
	w->first_position = g->pack.items[0].position;
	w->last_position = g->pack.items[g->pack.count - 1].position;
	pack_write(&g->pack, &w->head, &w->text);
	is_sound = builder_is_sound(g);
	buf_done(&g->text);
	return is_sound;
}

/* Adds the items of an opened pack from index `from` on; the hash chain continues from there. */
static bool builder_add_pack(struct pack_builder *g, const struct pack_row *row, size_t from)
{
	size_t at = 0;

	for (size_t i = 0; i < row->pack.count; i++) {
		const struct pack_item *item = &row->pack.items[i];

		if (i >= from && !builder_add(g, *item, str_of(row->pack.text.ptr + at, item->len),
		                              &row->hashes[i]))
			return false;
		at += item->len;
	}
	return true;
}

/*
 * Maintenance never touches events that do not match the chain: the damage stays
 * visible to `verify`.
 */
static enum err not_chained(struct sqlite_store *s, struct store_maintenance *u, uint64_t seq)
{
	return fail(&u->error, ERR_CORRUPT, "%s: event %llu of %.*s is not what was chained",
	            s->path, (unsigned long long)seq, STR_ARG(u->session));
}

/* The records of a new pack: those of the old one from its first event on, and of rows. */
static enum err add_journal(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                            int64_t pack_no)
{
	struct journal_rows rows = { 0 };
	enum err err = OK;

	if (pack_no)
		err = event_journal_of_pack(s, w->mem, pack_no, w->first_seq, &rows, &u->error);
	if (err == OK && w->from_seq)
		err = event_journal_of_rows(s, w->mem, w->session_no, w->from_seq, w->to_seq, &rows,
		                            &u->error);
	if (u->kind == MAINTENANCE_ERASE) {
		if (!rows.count || rows.items[0].seq > u->seq)
			w->drops_pack = w->first_seq - 1;
		journal_rows_erase(&rows, u->seq);
	}
	if (err == OK)
		journal_rows_put_frame(&w->journal, &rows);
	return err;
}

/* ---- packing ---- */

/* A last pack that is less than half full is packed again, so that small packs do not accumulate. */
static bool is_small(const struct pack_row *row)
{
	size_t bytes = 0;

	for (size_t i = 0; i < row->pack.count; i++)
		bytes += row->pack.items[i].len;
	return row->pack.count < PACK_EVENTS / 2 && bytes < PACK_BYTES / 2;
}

/* Finds the end of the packed events, and the last pack if it has room. */
static enum err find_last_pack(struct sqlite_store *s, struct store_maintenance *u,
                               struct rewrite *w, struct pack_row *row)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_LAST_PACK);
	enum err err = OK;
	int rc;

	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		err = sqlite_events_pack_head(s, st, w->mem, row, &u->error);
		if (err == OK && is_small(row)) {
			w->pack_no = row->no;
			err = sqlite_events_pack_text(s, st, w->mem, row, &u->error);
		}
	} else if (rc != SQLITE_DONE) {
		err = sqlite_read_error(s, &u->error);
	}
	sqlite3_reset(st);
	return err;
}

/*
 * Adds rows after `after` to the pack until it is full or u->seq is reached.  Every row
 * must continue the sequence, pass its checksum and continue the chain, because packing
 * deletes the rows.  u->more is set when the next row did not fit.
 */
static enum err builder_add_rows(struct sqlite_store *s, struct store_maintenance *u,
                                 struct pack_builder *g, uint64_t after)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_EVENTS);
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, g->w->session_no);
	sqlite3_bind_int64(st, 2, as_int(after));
	sqlite3_bind_int64(st, 3, as_int(u->seq));
	while (err == OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		uint64_t seq = (uint64_t)sqlite3_column_int64(st, 1);
		struct pack_item item = {
			.position = (uint64_t)sqlite3_column_int64(st, 0),
			.type = (uint32_t)sqlite3_column_int64(st, 2),
			.is_erased = sqlite3_column_type(st, 5) != SQLITE_NULL,
		};
		struct sha256 hash;

		if (!builder_fits(g, (size_t)sqlite3_column_bytes(st, 4))) {
			u->more = true;
			break;
		}
		if (seq != after + u->count + 1 || !sqlite_conn_column_hash(st, 3, &hash) ||
		    !sqlite_events_row_is_sound(s, st) ||
		    (item.is_erased && !sqlite_conn_column_hash(st, 5, &item.digest)) ||
		    !builder_add(g, item, sqlite_conn_column_str(st, 4), &hash))
			err = not_chained(s, u, seq);
		else
			u->count++;
	}
	if (err == OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = sqlite_read_error(s, &u->error);
	sqlite3_reset(st);
	return err;
}

/* Packs the rows after the last pack, with or without that pack. */
static enum err plan_pack_behind(struct sqlite_store *s, struct store_maintenance *u,
                                 struct pack_builder *g, struct rewrite *w,
                                 const struct pack_row *last)
{
	if (w->pack_no)
		builder_begin(g, w, last->first_seq, &last->prev_hash);
	else
		builder_begin(g, w, last->last_seq + 1, &last->last_hash);
	u->more = false;
	if (w->pack_no && !builder_add_pack(g, last, 0))
		return not_chained(s, u, last->first_seq);
	return builder_add_rows(s, u, g, last->last_seq);
}

/*
 * Plans one pack: the rows behind the last pack, together with that pack if it is
 * small.  Few and small events stay rows, unless the pack is full (u->more).
 */
static enum err plan_pack(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                          const struct store_read *head)
{
	struct pack_builder g = { 0 };
	struct pack_row last = { .last_seq = head->floor_seq, .last_hash = head->floor_hash };
	enum err err = find_last_pack(s, u, w, &last);

	if (err == OK)
		err = plan_pack_behind(s, u, &g, w, &last);
	if (err == OK && u->more && u->count == 0) {
		w->pack_no = 0; /* the next event does not fit into it */
		buf_done(&g.text);
		err = plan_pack_behind(s, u, &g, w, &last);
	}
	if (err == OK && u->count < PACK_AT_LEAST && g.text.len < PACK_AT_LEAST_BYTES && !u->more)
		u->count = 0;
	if (err != OK || u->count == 0) {
		buf_done(&g.text);
		return err;
	}
	w->from_seq = last.last_seq + 1;
	w->to_seq = last.last_seq + u->count;
	if (!builder_end(&g))
		return fail(&u->error, ERR_STORE, "%s: a pack is not what went into it", s->path);
	return add_journal(s, u, w, w->pack_no);
}

/* ---- removing the beginning ---- */

/*
 * Removes the first pack, or its beginning when the new floor lies inside it.  A pack
 * that ends at or below the floor is not decompressed: its row has the hash of its last
 * event.
 */
static enum err cut_pack(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                         sqlite3_stmt *st, uint64_t floor)
{
	struct pack_builder g;
	struct pack_row row;
	enum err err = sqlite_events_pack_head(s, st, w->mem, &row, &u->error);

	if (err != OK)
		return err;
	w->pack_no = row.no;
	w->floor_seq = MIN(row.last_seq, u->seq);
	w->floor_hash = row.last_hash;
	u->count = w->floor_seq - floor;
	u->more = row.last_seq < u->seq;
	if (row.last_seq <= u->seq)
		return OK;
	err = sqlite_events_pack_text(s, st, w->mem, &row, &u->error);
	if (err != OK)
		return err;
	w->floor_hash = row.hashes[u->seq - row.first_seq];
	builder_begin(&g, w, u->seq + 1, &w->floor_hash);
	if (!builder_add_pack(&g, &row, u->seq + 1 - row.first_seq)) {
		buf_done(&g.text);
		return not_chained(s, u, u->seq);
	}
	if (!builder_end(&g))
		return fail(&u->error, ERR_STORE, "%s: a pack is not what went into it", s->path);
	return add_journal(s, u, w, row.no);
}

/*
 * Removes at most STEP_ROWS rows.  The last removed row supplies the hash of the new
 * floor, so this row is checked; the others are deleted unread.
 */
static enum err cut_rows(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                         uint64_t floor)
{
	uint64_t to = MIN(u->seq, floor + STEP_ROWS);
	sqlite3_stmt *st = sqlite_read_stmt(s, R_EVENTS);
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, as_int(to - 1));
	sqlite3_bind_int64(st, 3, as_int(to));
	if (sqlite3_step(st) != SQLITE_ROW || !sqlite_conn_column_hash(st, 3, &w->floor_hash) ||
	    !sqlite_events_row_is_sound(s, st))
		err = not_chained(s, u, to);
	sqlite3_reset(st);
	w->floor_seq = to;
	w->from_seq = floor + 1;
	w->to_seq = to;
	u->count = to - floor;
	u->more = to < u->seq;
	return err;
}

/*
 * One step of a removal.  Packs hold the oldest events, so a step takes the first pack
 * after the floor, and rows only when no pack is left.  The newest event always stays,
 * so that positions are not used twice.
 */
static enum err plan_cut(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                         const struct store_read *head)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACKS);
	enum err err = OK;
	int rc;

	if (u->seq >= head->head_seq)
		return fail(&u->error, ERR_INVALID, "the newest event of a session stays");
	if (u->seq <= head->floor_seq)
		return OK;
	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, as_int(head->floor_seq));
	sqlite3_bind_int64(st, 3, INT64_MAX);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		err = cut_pack(s, u, w, st, head->floor_seq);
	sqlite3_reset(st);
	if (rc == SQLITE_DONE)
		err = cut_rows(s, u, w, head->floor_seq);
	else if (rc != SQLITE_ROW)
		err = sqlite_read_error(s, &u->error);
	return err;
}

/* ---- erasing ---- */

static enum err find_pack_end(struct sqlite_store *s, struct store_maintenance *u,
                              struct rewrite *w)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_LAST_PACK);
	struct pack_row row;
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	if (sqlite3_step(st) == SQLITE_ROW) {
		err = sqlite_events_pack_head(s, st, w->mem, &row, &u->error);
		w->drops_pack = err == OK ? row.last_seq : 0;
	}
	sqlite3_reset(st);
	return err;
}

/*
 * Rewrites the whole pack with one body replaced.  The item keeps the digest of the
 * original body, and the chain is computed from that digest, so all hashes stay the
 * same.
 */
static enum err erase_in_pack(struct sqlite_store *s, struct store_maintenance *u,
                              struct rewrite *w, sqlite3_stmt *st)
{
	struct pack_builder g;
	struct pack_row row;
	size_t at = 0;
	enum err err = sqlite_events_pack_head(s, st, w->mem, &row, &u->error);

	if (err == OK)
		err = sqlite_events_pack_text(s, st, w->mem, &row, &u->error);
	if (err != OK || row.pack.items[u->seq - row.first_seq].is_erased)
		return err;
	w->pack_no = row.no;
	builder_begin(&g, w, row.first_seq, &row.prev_hash);
	for (size_t i = 0; i < row.pack.count; i++) {
		struct pack_item item = row.pack.items[i];
		struct str body = str_of(row.pack.text.ptr + at, item.len);

		at += item.len;
		if (row.first_seq + i == u->seq) {
			item.is_erased = true;
			item.digest = sha256_of(body);
			body = u->body;
		}
		if (!builder_add(&g, item, body, &row.hashes[i])) {
			buf_done(&g.text);
			return not_chained(s, u, row.first_seq + i);
		}
	}
	u->count = 1;
	if (!builder_end(&g))
		return fail(&u->error, ERR_STORE, "%s: a pack is not what went into it", s->path);
	return add_journal(s, u, w, row.no);
}

/* Rows before the event are searched for its record; at most so many, a longer group has none. */
#define GROUP_EVENTS 16384

static enum err erase_record(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w)
{
	struct journal_rows rows = { 0 };
	uint64_t from = u->seq > GROUP_EVENTS ? u->seq - GROUP_EVENTS : 1;
	enum err err =
		event_journal_of_rows(s, w->mem, w->session_no, from, u->seq, &rows, &u->error);

	if (err != OK)
		return err;
	if (rows.count) {
		w->journal_seq = rows.items[rows.count - 1].seq;
		journal_rows_erase(&rows, u->seq);
		event_journal_put(&w->journal, w->session_no, &rows.items[rows.count - 1]);
		return OK;
	}
	/* The group may have begun in the last pack. */
	return find_pack_end(s, u, w);
}

/*
 * An event that is erased already is left alone: hashing its replacement would put a
 * wrong digest into the chain.
 */
static enum err erase_in_row(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_EVENTS);
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, as_int(u->seq - 1));
	sqlite3_bind_int64(st, 3, as_int(u->seq));
	if (sqlite3_step(st) != SQLITE_ROW || !sqlite_events_row_is_sound(s, st)) {
		err = not_chained(s, u, u->seq);
	} else if (sqlite3_column_type(st, 5) == SQLITE_NULL) {
		w->erase_seq = u->seq;
		w->digest = sha256_of(sqlite_conn_column_str(st, 4));
		w->erase_sum = sqlite_sum_event(&(struct sum_event){
			.position = (uint64_t)sqlite3_column_int64(st, 0),
			.seq = u->seq,
			.type = (uint32_t)sqlite3_column_int64(st, 2),
			.hash = sqlite_conn_column_str(st, 3),
			.body = u->body,
			.digest = str_of((const char *)w->digest.state, SHA256_BYTES),
			.session_no = w->session_no,
		});
		u->count = 1;
	}
	sqlite3_reset(st);
	return err == OK && u->count ? erase_record(s, u, w) : err;
}

/* Finds whether the event is in a pack or a row; an event is never in both. */
static enum err plan_erase(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w,
                           const struct store_read *head)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACKS);
	enum err err = OK;
	int rc;

	if (u->seq <= head->floor_seq || u->seq > head->head_seq)
		return fail(&u->error, ERR_NOT_FOUND, "there is no such event");
	if (!st)
		return sqlite_read_error(s, &u->error);
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, as_int(u->seq - 1));
	sqlite3_bind_int64(st, 3, as_int(u->seq));
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		err = erase_in_pack(s, u, w, st);
	sqlite3_reset(st);
	if (rc == SQLITE_DONE)
		err = erase_in_row(s, u, w);
	else if (rc != SQLITE_ROW)
		err = sqlite_read_error(s, &u->error);
	return err;
}

/* ---- the reader's part ---- */

static enum err plan_step(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w)
{
	struct store_read head = { .kind = READ_HEAD, .session = u->session, .mem = w->mem };
	enum err err = sqlite_read_session(s, &head, &w->session_no);

	/* As for readers: rows without events make no session. */
	if (err == OK && head.head_seq == 0)
		err = fail(&head.error, ERR_NOT_FOUND, "the session has no events");
	if (err != OK) {
		u->error = head.error;
		return err;
	}
	switch (u->kind) {
	case MAINTENANCE_PACK:
		return plan_pack(s, u, w, &head);
	case MAINTENANCE_CUT:
		return plan_cut(s, u, w, &head);
	case MAINTENANCE_ERASE:
		return plan_erase(s, u, w, &head);
	case MAINTENANCE_PURGE:
	case MAINTENANCE_ROOM:
	case MAINTENANCE_SWEEP:
		break;
	}
	assert(!"a kind of maintenance that is not planned");
	return ERR_INVALID;
}

/* One read transaction, so that head, packs and rows of a plan belong to the same moment. */
static enum err plan_at_once(struct sqlite_store *s, struct store_maintenance *u, struct rewrite *w)
{
	enum err err;

	if (!sqlite_conn_run(sqlite_read_stmt(s, R_BEGIN)))
		return sqlite_read_error(s, &u->error);
	err = plan_step(s, u, w);
	if (!sqlite_read_finish(s) && err == OK)
		err = sqlite_read_error(s, &u->error);
	return err;
}

/*
 * Runs on the reader's thread, so that decompressing and hashing do not delay commits.
 * planned_at is taken before the read transaction begins: a step that is written in
 * between makes the plan outdated, and the writer refuses it.
 */
void sqlite_plan_make(struct sqlite_store *s, struct job *job)
{
	struct store_maintenance *u = job->maintenance;
	struct rewrite *w;
	struct arena *mem;

	if (u->kind == MAINTENANCE_PURGE || u->kind == MAINTENANCE_ROOM ||
	    u->kind == MAINTENANCE_SWEEP)
		return;
	if (sqlite_state_is_dead(s, &u->error)) {
		u->result = u->error.code;
		return;
	}
	mem = arena_new();
	w = ARENA_NEW(mem, struct rewrite);
	w->mem = mem;
	w->planned_at = atomic_load(&s->rewrites);
	pthread_mutex_lock(&s->reader.lock);
	u->result = plan_at_once(s, u, w); /* unreadable events stay unchanged */
	pthread_mutex_unlock(&s->reader.lock);
	/*
	 * A cut that finds nothing to remove still deletes its pending operation; the blobs of an
	 * erasure leave even if the event was erased before.
	 */
	if (u->result == OK && (u->count || u->kind == MAINTENANCE_CUT ||
	                        (u->kind == MAINTENANCE_ERASE && u->ref_count))) {
		job->rewrite = w;
		return;
	}
	sqlite_plan_free(w);
	u->count = 0;
	u->more = false;
}
