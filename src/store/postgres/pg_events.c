/*
 * Pages of one session's log: packs, then chunks.
 *
 * Only what was written is returned: the chain of a row is checked when its text is
 * opened, and the sequence has no gap.  Where that does not hold, the page ends.
 */
#include "store/postgres/pg_read.h"

#define PACKS_AT_ONCE 4
#define JOURNALS_AT_ONCE 256 /* chunks whose records one read returns */

static const struct pg_sql packs = { "events_packs",
	                             "SELECT " PG_SPAN_PACK
	                             " FROM pack WHERE session_no = $1::bigint"
	                             " AND last_seq > $2::bigint AND first_seq <= $3::bigint"
	                             " ORDER BY last_seq LIMIT $4::bigint" };

/*
 * As many chunks as fill a page of $4 bytes after the first, which the last page may have
 * returned in part.  A chunk without a wanted class comes without its text.
 */
static const struct pg_sql chunks = {
	"events_chunks",
	"SELECT " PG_SPAN_CHUNK " FROM (SELECT c.*, first_value(len) OVER w AS first_len,"
	" sum(len) OVER w - len AS before"
	" FROM (SELECT c.*, octet_length(c.text) AS len FROM (SELECT session_no, first_seq, "
	"last_seq,"
	" position, prev_hash, last_hash, head, journal, CASE WHEN bit_count(types & $5::bit(256)) "
	"> 0"
	" THEN body ELSE ''::bytea END AS text FROM chunk WHERE session_no = $1::bigint"
	" AND last_seq > $2::bigint AND first_seq <= $3::bigint ORDER BY last_seq LIMIT 257) c) c"
	" WINDOW w AS (ORDER BY last_seq)) c(session_no, first_seq, last_seq, position, prev_hash,"
	" last_hash, head, journal, body, len, first_len, before)"
	" WHERE before < $4::bigint + first_len ORDER BY last_seq"
};

/* The same for the session that is read. */
static enum err damaged_here(struct pg_store *s, struct store_read *r, uint64_t to,
                             const char *what)
{
	uint64_t from = MAX(r->scanned, r->floor_seq) + 1;

	to = MAX(to, from);
	r->scanned = to;
	return pg_page_damaged(s, r, r->session, from, to, what);
}

/* Decides by the head alone whether the text has to be opened. */
static bool wants_any(const struct store_read *r, const struct pg_span *span, uint64_t until)
{
	for (size_t i = 0; i < span->pack.count; i++)
		if (span->first_seq + i > r->after && span->first_seq + i <= until &&
		    pg_page_is_wanted(r, span->pack.items[i].type))
			return true;
	return false;
}

/* A damaged row still returns the events before its first damaged one. */
static enum err take_span(struct pg_store *s, struct store_read *r, struct pg_page *page,
                          struct arena *mem, struct pg_span *span, uint64_t until)
{
	bool is_good = !wants_any(r, span, until) || pg_span_text(mem, span);
	size_t at = 0;

	if (span->first_seq > MAX(r->scanned, r->floor_seq) + 1)
		return damaged_here(s, r, span->first_seq - 1, "is missing");
	for (size_t i = 0; i < (is_good ? span->pack.count : span->sound); i++) {
		const struct pack_item *item = &span->pack.items[i];
		uint64_t seq = span->first_seq + i;
		enum pg_offer what = PG_SKIP;

		if (seq > until)
			return OK;
		if (seq > r->after)
			what = pg_page_offer(r, page, item->type, item->len, seq);
		if (what == PG_STOP)
			return OK;
		if (what == PG_TAKE)
			r->events[r->event_count++] = pg_span_row(span, i, at);
		at += item->len;
	}
	return is_good ? OK
	               : damaged_here(s, r, MIN(span->last_seq, r->head_seq),
	                              "is not what was written");
}

/* A head that cannot be read tells the range of its events all the same. */
static enum err take_rows(struct pg_store *s, struct store_read *r, struct pg_page *page,
                          const struct pg_rows *rows, uint64_t until)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	enum err err = OK;

	for (int i = 0; i < rows->count && err == OK && !r->more; i++) {
		struct pg_span span;

		if (pg_span_head(mem, rows, i, &span))
			err = take_span(s, r, page, mem, &span, until);
		else
			err = damaged_here(s, r, MIN(span.last_seq, r->head_seq),
			                   "is not what was written");
	}
	return err;
}

/* Rows after `scanned` until the page is full or there are no more. */
static enum err take_all(struct pg_store *s, struct store_read *r, struct pg_page *page, int64_t no,
                         uint64_t until, bool is_packs)
{
	enum err err = OK;
	int count = 1;

	while (err == OK && count && !r->more && r->scanned < until) {
		struct pg_args args = { 0 };
		struct pg_rows rows;

		pg_args_i64(&args, no);
		pg_args_i64(&args, as_int(r->scanned));
		pg_args_i64(&args, as_int(until));
		pg_args_i64(&args, is_packs ? PACKS_AT_ONCE : (int64_t)page->max_bytes);
		if (!is_packs)
			pg_page_put_types(&args, r);
		err = pg_conn_ask(&s->reader, is_packs ? &packs : &chunks, &args, &rows, &r->error);
		count = rows.count;
		if (err == OK)
			err = take_rows(s, r, page, &rows, until);
		pg_conn_rows_done(&rows);
	}
	return err;
}

/* A session that does not exist has an empty page. */
enum err pg_events_read(struct pg_store *s, struct store_read *r)
{
	struct pg_page page = pg_page_of(r);
	uint64_t until;
	int64_t no = 0;
	enum err err = pg_page_session(&s->reader, r, &no);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	r->scanned = r->after;
	if (err == ERR_NOT_FOUND)
		return OK;
	until = r->until ? MIN(r->until, r->head_seq) : r->head_seq;
	if (err == OK)
		err = take_all(s, r, &page, no, until, true);
	if (err == OK && !r->more)
		err = take_all(s, r, &page, no, until, false);
	if (err == OK && !r->more && MAX(r->scanned, r->floor_seq) < until)
		err = damaged_here(s, r, until, "is missing");
	return err;
}

/* ---- journal ---- */

static const struct pg_sql pack_journal = {
	"journal_pack", "SELECT pack_no, session_no, first_seq, last_seq, position, prev_hash,"
			" last_hash, head, ''::bytea, journal FROM pack"
			" WHERE session_no = $1::bigint AND last_seq > $2::bigint"
			" AND first_seq <= $3::bigint ORDER BY last_seq LIMIT $4::bigint"
};

static const struct pg_sql chunk_journals = {
	"journal_chunks",
	"SELECT NULL::bigint, session_no, first_seq, last_seq, position, prev_hash,"
	" last_hash, head, ''::bytea, journal FROM chunk"
	" WHERE session_no = $1::bigint AND last_seq > $2::bigint"
	" AND first_seq <= $3::bigint ORDER BY last_seq LIMIT $4::bigint"
};

/* Damaged records are as good as none: their groups count as not recorded. */
static void add_records(struct store_read *r, struct journal_rows *to, const struct pg_span *span,
                        uint64_t until)
{
	struct journal_rows rows = { 0 };
	struct pg_span kept = *span;

	kept.journal = arena_keep(r->mem, span->journal);
	if (!pg_span_journal(r->mem, &kept, &rows))
		return;
	for (size_t i = 0; i < rows.count; i++)
		if (rows.items[i].seq > r->after && rows.items[i].seq <= until)
			journal_rows_add(r->mem, to, rows.items[i]);
}

static enum err read_records(struct pg_store *s, struct store_read *r, int64_t no, uint64_t until,
                             const struct pg_sql *q, int64_t limit, struct journal_rows *to,
                             int *ret_count)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, no);
	pg_args_i64(&args, as_int(r->after));
	pg_args_i64(&args, as_int(until));
	pg_args_i64(&args, limit);
	err = pg_conn_ask(&s->reader, q, &args, &rows, &r->error);
	*ret_count = rows.count;
	for (int i = 0; i < rows.count; i++) {
		struct pg_span span;

		(void)!pg_span_head(mem, &rows, i, &span);
		add_records(r, to, &span, until);
		r->scanned = MIN(span.last_seq, until);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* One pack, or some chunks. */
enum err pg_events_journal(struct pg_store *s, struct store_read *r)
{
	struct journal_rows found = { 0 };
	int64_t no = 0;
	uint64_t until;
	int count = 0;
	enum err err = pg_page_session(&s->reader, r, &no);

	if (err != OK)
		return err;
	until = r->until ? MIN(r->until, r->head_seq) : r->head_seq;
	r->scanned = r->after;
	err = read_records(s, r, no, until, &pack_journal, 1, &found, &count);
	if (err == OK && !count)
		err = read_records(s, r, no, until, &chunk_journals, JOURNALS_AT_ONCE, &found,
		                   &count);
	r->journal = found.items;
	r->journal_count = found.count;
	if (!count)
		r->scanned = until;
	r->more = err == OK && r->scanned < until;
	return err;
}
