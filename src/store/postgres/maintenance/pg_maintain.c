/*
 * Maintenance, on the keeper's thread and connection: each step is one transaction.
 *
 * Appends only add chunks, and a row in `keeping` is locked against the keepers of other nodes, so
 * what a step has read stays true until it writes.  The row of the session is locked only where its floor moves, at
 * the end, so that an append does not wait while events are compressed.
 */
#include "store/postgres/pg_page.h"
#include "store/postgres/maintenance/pg_rewrite.h"

/* Fewer events stay chunks: a small pack would be packed again soon. */
#define PACK_AT_LEAST 8
#define PACK_AT_LEAST_BYTES 16384
#define PURGE_ROWS 512

struct step {
	struct pg_store *s;
	struct pg_conn *c;
	struct store_maintenance *u;
	struct arena *mem;
	int64_t no;
	const struct store_read *head;
};

/* Maintenance never touches events that do not match the chain. */
static enum err not_chained(struct step *t, uint64_t seq)
{
	return fail(&t->u->error, ERR_CORRUPT, "%s: event %llu of %.*s is not what was chained",
	            t->s->place, (unsigned long long)seq, STR_ARG(t->u->session));
}

/* The whole row, opened. */
static enum err open_span(struct step *t, const struct pg_rows *rows, int row, struct pg_span *ret)
{
	if (!pg_span_head(t->mem, rows, row, ret) || !pg_span_text(t->mem, ret))
		return not_chained(t, ret->first_seq);
	return OK;
}

/* ---- packing ---- */

/* A last pack that is less than half full is packed again, so that small packs do not accumulate. */
static bool is_small(const struct pg_span *span)
{
	size_t bytes = 0;

	for (size_t i = 0; i < span->pack.count; i++)
		bytes += span->pack.items[i].len;
	return span->pack.count < PACK_EVENTS / 2 && bytes < PACK_BYTES / 2;
}

/* A first chunk always fits, however large: otherwise it could never be packed. */
static bool fits(const struct pg_span_builder *b, const struct pg_span *chunk)
{
	return b->span.pack.count == 0 || (b->span.pack.count + chunk->pack.count <= PACK_EVENTS &&
	                                   b->text.len + chunk->body.len <= PACK_BYTES);
}

/* Whole chunks in their order until the pack is full. */
static enum err add_chunks(struct step *t, struct pg_span_builder *b, const struct pg_rows *rows)
{
	enum err err = OK;

	for (int i = 0; i < rows->count && err == OK && !t->u->more; i++) {
		struct pg_span chunk;

		err = open_span(t, rows, i, &chunk);
		if (err == OK && !fits(b, &chunk)) {
			t->u->more = true;
			break;
		}
		if (err == OK &&
		    (chunk.first_seq != b->span.last_seq + 1 || !pg_span_add_all(b, &chunk, 0)))
			err = not_chained(t, b->span.last_seq + 1);
		if (err == OK)
			t->u->count += chunk.pack.count;
	}
	return err;
}

/* Begins with the last pack if it is small and the first chunk fits into it. */
static enum err begin_pack(struct step *t, struct pg_span_builder *b, struct pg_span *last,
                           const struct pg_rows *chunks)
{
	struct pg_span first;
	struct sha256 hash = last->pack_no ? last->last_hash : t->head->floor_hash;

	pg_span_begin(b, t->mem, last->last_seq + 1, &hash);
	if (!last->pack_no || !is_small(last) || !pg_span_head(t->mem, chunks, 0, &first))
		return OK;
	if (!pg_span_text(t->mem, last))
		return not_chained(t, last->first_seq);
	pg_span_begin(b, t->mem, last->first_seq, &last->prev_hash);
	if (!pg_span_add_all(b, last, 0))
		return not_chained(t, last->first_seq);
	if (fits(b, &first))
		return OK;
	pg_span_done(b);
	last->pack_no = 0;
	pg_span_begin(b, t->mem, last->last_seq + 1, &hash);
	return OK;
}

/* Few and small events stay chunks, unless the pack is full. */
static enum err write_pack(struct step *t, struct pg_span_builder *b, const struct pg_span *last)
{
	bool has_last = last->pack_no && b->span.first_seq == last->first_seq;

	if (t->u->count < PACK_AT_LEAST && b->text.len < PACK_AT_LEAST_BYTES && !t->u->more)
		t->u->count = 0;
	if (!t->u->count)
		return OK;
	return pg_rewrite_pack(t->c, t->no, has_last ? last->pack_no : 0, b, &t->u->error);
}

static enum err pack_behind(struct step *t, struct pg_span *last)
{
	struct pg_span_builder b = { 0 };
	struct pg_rows chunks;
	enum err err = pg_rewrite_find_chunks(t->c, t->no, last->last_seq, t->u->seq, PACK_BYTES,
	                                      &chunks, &t->u->error);

	if (err == OK && chunks.count) {
		err = begin_pack(t, &b, last, &chunks);
		if (err == OK)
			err = add_chunks(t, &b, &chunks);
		if (err == OK)
			err = write_pack(t, &b, last);
		pg_span_done(&b);
	}
	pg_conn_rows_done(&chunks);
	return err;
}

static enum err pack(struct step *t)
{
	struct pg_span last = { .last_seq = t->head->floor_seq };
	struct pg_rows packs;
	enum err err = pg_rewrite_find_last_pack(t->c, t->no, &packs, &t->u->error);

	if (err == OK && packs.count && !pg_span_head(t->mem, &packs, 0, &last))
		err = not_chained(t, last.first_seq);
	if (err == OK)
		err = pack_behind(t, &last);
	pg_conn_rows_done(&packs);
	return err;
}

/* ---- removing the beginning ---- */

static enum err move_floor(struct step *t, uint64_t seq, const struct sha256 *hash)
{
	t->u->count = seq - t->head->floor_seq;
	t->u->more = seq < t->u->seq;
	return pg_rewrite_floor(t->c, t->no, seq, hash, t->u->ref, &t->u->error);
}

/* The new floor lies inside this row: its beginning leaves. */
static enum err cut_inside(struct step *t, const struct pg_rows *rows, int row)
{
	struct pg_span_builder b = { 0 };
	struct pg_span span;
	size_t keep;
	enum err err = open_span(t, rows, row, &span);

	if (err != OK)
		return err;
	keep = t->u->seq + 1 - span.first_seq;
	pg_span_begin(&b, t->mem, t->u->seq + 1, &span.hashes[keep - 1]);
	if (!pg_span_add_all(&b, &span, keep))
		err = not_chained(t, t->u->seq);
	if (err == OK)
		err = pg_rewrite_replace(t->c, &span, &b, &t->u->error);
	if (err == OK)
		err = move_floor(t, t->u->seq, &span.hashes[keep - 1]);
	pg_span_done(&b);
	return err;
}

/* A row that ends at or below the floor is not opened: it has the hash of its last event. */
static enum err cut_pack(struct step *t, const struct pg_rows *rows)
{
	struct pg_span span;
	enum err err;

	if (!pg_span_head(t->mem, rows, 0, &span))
		return not_chained(t, span.first_seq);
	if (span.last_seq > t->u->seq)
		return cut_inside(t, rows, 0);
	err = pg_rewrite_drop_pack(t->c, span.pack_no, &t->u->error);
	return err == OK ? move_floor(t, span.last_seq, &span.last_hash) : err;
}

static enum err cut_chunks(struct step *t)
{
	struct pg_rows rows;
	struct pg_span span;
	enum err err = pg_rewrite_find_chunks(t->c, t->no, t->head->floor_seq, INT64_MAX,
	                                      PACK_BYTES, &rows, &t->u->error);
	int last = -1;

	while (err == OK && last + 1 < rows.count &&
	       (uint64_t)pg_conn_i64(&rows, last + 1, 3) <= t->u->seq)
		last++;
	if (err == OK && !rows.count)
		err = not_chained(t, t->head->floor_seq + 1);
	else if (err == OK && last < 0)
		err = cut_inside(t, &rows, 0);
	else if (err == OK && !pg_span_head(t->mem, &rows, last, &span))
		err = not_chained(t, span.first_seq);
	else if (err == OK) {
		err = pg_rewrite_drop_chunks(t->c, t->no, span.last_seq, &t->u->error);
		if (err == OK)
			err = move_floor(t, span.last_seq, &span.last_hash);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err end_pending_cut(struct step *t)
{
	static const struct pg_sql q = { "end_cut",
		                         "DELETE FROM pending WHERE session_no = $1::bigint"
		                         " AND kind = $2::bigint AND seq = $3::bigint" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, t->no);
	pg_args_i64(&args, MAINTENANCE_CUT);
	pg_args_i64(&args, as_int(t->u->seq));
	return pg_conn_tell(t->c, &q, &args, &t->u->error);
}

/* Packs hold the oldest events, so a step takes the first pack after the floor, then chunks. */
static enum err cut_step(struct step *t)
{
	struct pg_rows rows;
	enum err err = pg_rewrite_find_pack(t->c, t->no, t->head->floor_seq, &rows, &t->u->error);

	if (err == OK)
		err = rows.count ? cut_pack(t, &rows) : cut_chunks(t);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err cut(struct step *t)
{
	enum err err = OK;

	if (t->u->seq >= t->head->head_seq)
		return fail(&t->u->error, ERR_INVALID, "the newest event of a session stays");
	if (t->u->seq > t->head->floor_seq)
		err = cut_step(t);
	return err == OK && !t->u->more ? end_pending_cut(t) : err;
}

/* ---- erasing ---- */

/* All events of the row with one body replaced; the chain is computed from its digest. */
static bool gather_erased(struct step *t, struct pg_span_builder *b, const struct pg_span *span)
{
	size_t at = 0;

	pg_span_begin(b, t->mem, span->first_seq, &span->prev_hash);
	for (size_t i = 0; i < span->pack.count; i++) {
		struct pack_item item = span->pack.items[i];
		struct str body = str_of(span->pack.text.ptr + at, item.len);

		at += item.len;
		if (span->first_seq + i == t->u->seq) {
			item.is_erased = true;
			item.digest = sha256_of(body);
			body = str_is(t->u->body) ? t->u->body : STR("");
		}
		if (!pg_span_add(b, item, body, &span->hashes[i]))
			return false;
	}
	if (!pg_span_journal(t->mem, span, &b->journal))
		b->journal.count = 0;
	return true;
}

static enum err erase_in(struct step *t, const struct pg_span *span)
{
	struct pg_span_builder b = { 0 };
	enum err err = OK;

	if (!gather_erased(t, &b, span))
		err = not_chained(t, t->u->seq);
	if (err == OK && (!b.journal.count || b.journal.items[0].seq > t->u->seq))
		err = pg_rewrite_forget_group(t->c, t->no, span->first_seq, t->mem, &t->u->error);
	journal_rows_erase(&b.journal, t->u->seq);
	if (err == OK)
		err = pg_rewrite_replace(t->c, span, &b, &t->u->error);
	t->u->count = 1;
	pg_span_done(&b);
	return err;
}

/* Blobs hold erased text, and the snapshot may. */
static enum err drop_words(struct step *t)
{
	static const struct pg_sql q = { "drop_words",
		                         "WITH gone AS (DELETE FROM blob WHERE session_no = "
		                         "$1::bigint AND ref = ANY ($2::text[]))"
		                         " DELETE FROM snapshot WHERE session_no = $1::bigint" };
	struct pg_args args = { 0 };
	struct buf *refs;

	pg_args_i64(&args, t->no);
	refs = pg_args_array(&args, PG_TEXT);
	for (size_t i = 0; i < t->u->ref_count; i++)
		pg_args_put_str(refs, t->u->refs[i]);
	return pg_conn_tell(t->c, &q, &args, &t->u->error);
}

/* An event is in a pack or in a chunk, never in both. */
static enum err find_row(struct step *t, struct pg_rows *ret)
{
	enum err err = pg_rewrite_find_pack(t->c, t->no, t->u->seq - 1, ret, &t->u->error);

	if (err != OK || (ret->count && (uint64_t)pg_conn_i64(ret, 0, 2) <= t->u->seq))
		return err;
	pg_conn_rows_done(ret);
	return pg_rewrite_find_chunks(t->c, t->no, t->u->seq - 1, INT64_MAX, 0, ret, &t->u->error);
}

/* An event that is erased already is left alone: its replacement has another hash. */
static enum err erase(struct step *t)
{
	struct pg_rows rows;
	struct pg_span span;
	enum err err;

	if (t->u->seq <= t->head->floor_seq || t->u->seq > t->head->head_seq)
		return fail(&t->u->error, ERR_NOT_FOUND, "there is no such event");
	err = find_row(t, &rows);
	if (err == OK && !rows.count)
		err = not_chained(t, t->u->seq);
	if (err == OK)
		err = open_span(t, &rows, 0, &span);
	if (err == OK && span.first_seq > t->u->seq)
		err = not_chained(t, t->u->seq);
	if (err == OK && !span.pack.items[t->u->seq - span.first_seq].is_erased)
		err = erase_in(t, &span);
	if (err == OK && (t->u->count || t->u->ref_count))
		err = drop_words(t);
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- steps ---- */

static enum err ask_keeping(struct pg_store *s, const struct pg_sql *q, struct store_maintenance *u)
{
	struct pg_args args = { 0 };

	pg_args_str(&args, u->session);
	return pg_conn_tell(&s->keeper, q, &args, &u->error);
}

/* Waits for the step of another node.  The end of the transaction unlocks it. */
static enum err lock_session(struct pg_store *s, struct store_maintenance *u)
{
	static const struct pg_sql q = { "keeping_put",
		                         "INSERT INTO keeping(session_no)"
		                         " SELECT session_no FROM session WHERE id = $1::text" };

	return ask_keeping(s, &q, u);
}

static enum err unlock_session(struct pg_store *s, struct store_maintenance *u)
{
	static const struct pg_sql q = { "keeping_drop",
		                         "DELETE FROM keeping WHERE session_no ="
		                         " (SELECT session_no FROM session WHERE id = $1::text)" };

	return ask_keeping(s, &q, u);
}

static enum err of_locked(struct pg_store *s, struct store_maintenance *u)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store_read head = { .kind = READ_HEAD, .session = u->session, .mem = mem };
	struct step t = { .s = s, .c = &s->keeper, .u = u, .mem = mem, .head = &head };
	enum err err = pg_page_session(&s->keeper, &head, &t.no);

	/* As for readers: rows without events make no session. */
	if (err == OK && head.head_seq == 0)
		err = fail(&head.error, ERR_NOT_FOUND, "the session has no events");
	if (err != OK) {
		u->error = head.error;
		return err;
	}
	return u->kind == MAINTENANCE_PACK  ? pack(&t)
	       : u->kind == MAINTENANCE_CUT ? cut(&t)
	                                    : erase(&t);
}

static enum err of_session(struct pg_store *s, struct store_maintenance *u)
{
	enum err err = lock_session(s, u);

	if (err == OK)
		err = of_locked(s, u);
	return err == OK ? unlock_session(s, u) : err;
}

static enum err purge(struct pg_store *s, struct store_maintenance *u)
{
	static const struct pg_sql q = {
		"purge", "DELETE FROM idem WHERE key IN (SELECT key FROM idem WHERE at < $1::bigint"
			 " ORDER BY at LIMIT $2::bigint FOR UPDATE SKIP LOCKED)"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, u->before);
	pg_args_i64(&args, PURGE_ROWS);
	err = pg_conn_ask(&s->keeper, &q, &args, &rows, &u->error);
	u->count = rows.changed;
	u->more = u->count == PURGE_ROWS;
	pg_conn_rows_done(&rows);
	return err;
}

static enum err step_of(struct pg_store *s, struct store_maintenance *u)
{
	switch (u->kind) {
	case MAINTENANCE_PACK:
	case MAINTENANCE_CUT:
	case MAINTENANCE_ERASE:
		return of_session(s, u);
	case MAINTENANCE_PURGE:
		return purge(s, u);
	case MAINTENANCE_ROOM:
		return OK; /* a server without space is waited for: batches do not fail */
	case MAINTENANCE_SWEEP:
		return pg_sweep_step(s, u);
	}
	return fail(&u->error, ERR_INVALID, "a kind of maintenance that does not exist");
}

static enum err step_at_once(struct pg_store *s, struct store_maintenance *u)
{
	enum err err = pg_conn_run(&s->keeper, "BEGIN", &u->error);

	if (err != OK)
		return err;
	err = step_of(s, u);
	if (err == OK)
		return pg_conn_run(&s->keeper, "COMMIT", &u->error);
	(void)!pg_conn_run(&s->keeper, "ROLLBACK", NULL);
	return err;
}

enum err pg_maintain_work(struct pg_store *s, struct store_maintenance *u, struct error *e)
{
	if (pg_state_is_dead(s, &u->error)) {
		u->result = u->error.code;
		return u->result;
	}
	u->result = step_at_once(s, u);
	if (u->result == OK && u->kind == MAINTENANCE_PACK)
		atomic_fetch_add(&s->packed, u->count);
	if (u->result == OK && u->kind == MAINTENANCE_CUT)
		atomic_fetch_sub(&s->events, u->count);
	if (u->result == OK)
		return OK;
	u->count = 0;
	u->more = false;
	*e = u->error;
	if (u->result == ERR_UNAVAILABLE)
		u->error = (struct error){ 0 };
	else if (u->result != ERR_BUSY)
		pg_state_fail(s, e);
	return u->result;
}
