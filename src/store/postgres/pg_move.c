/*
 * All rows of a log, for another store or from one (ports/store_move.h).
 *
 * Events become chunks again: consecutive ones of a session, as far as their positions follow
 * each other.  That computes the chain, so an event that does not continue it is not written.
 */
#include "store/postgres/pg_move.h"

#include "store/postgres/pg_span.h"
#include "store/postgres/pg_store.h"

#include <assert.h>

#define PAGE_PATIENCE_MS 600000

/* Of a chunk that is made here; those that a runtime writes have about 20 events. */
#define RUN_EVENTS 128
#define RUN_BYTES (256u << 10)

static struct pg_store *self(struct store *base)
{
	return OWNER_OF(base, struct pg_store, base);
}

/* A page may take long on a slow server, and no loop waits for it. */
static struct pg_store *patient(struct store *base)
{
	struct pg_store *s = self(base);

	s->nodes.call_ms = PAGE_PATIENCE_MS;
	return s;
}

static int64_t table_of(enum store_part part)
{
	return part < STORE_PART_INDEX ? -1 : (int64_t)part - STORE_PART_INDEX;
}

/* ---- reading ---- */

static void take_row(const struct pg_rows *rows, int row, const char *kinds,
                     struct store_page *page)
{
	struct store_cell *cells = port_store_page_add(page);

	for (int i = 0; kinds[i]; i++) {
		if (kinds[i] == 'i')
			cells[i].number = pg_conn_i64(rows, row, i);
		else
			cells[i].text = arena_keep(page->mem, pg_conn_str(rows, row, i));
	}
}

static struct str hash_text(struct arena *mem, const struct sha256 *hash)
{
	return arena_keep(mem, str_of((const char *)hash->state, SHA256_BYTES));
}

/* A record as the page has it; damaged records count as none. */
static struct str journal_text(struct arena *mem, const struct journal_rows *journal, uint64_t seq)
{
	for (size_t i = 0; i < journal->count; i++)
		if (journal->items[i].seq == seq) {
			CLEANUP(buf_done) struct buf plain = { 0 };

			journal_rows_put(&plain, &(struct journal_rows){
							 .items = &journal->items[i], .count = 1 });
			return arena_keep(mem, buf_str(&plain));
		}
	return STR_NONE;
}

static void take_events(const struct pg_span *span, const struct journal_rows *journal,
                        struct store_page *page)
{
	size_t at = 0;

	for (size_t i = 0; i < span->pack.count; i++) {
		const struct pack_item *item = &span->pack.items[i];
		struct store_cell *cells = port_store_page_add(page);
		uint64_t seq = span->first_seq + i;

		cells[0].number = (int64_t)item->position;
		cells[1].number = span->session_no;
		cells[2].number = (int64_t)seq;
		cells[3].number = item->type;
		if (i == 0)
			cells[4].text = hash_text(page->mem, &span->prev_hash);
		cells[5].text = hash_text(page->mem, &span->hashes[i]);
		cells[6].text = str_of(span->pack.text.ptr + at, item->len);
		if (item->is_erased)
			cells[7].text = hash_text(page->mem, &item->digest);
		cells[8].text = journal_text(page->mem, journal, seq);
		at += item->len;
	}
}

static enum err take_chunk(const struct pg_rows *rows, int row, struct store_page *page,
                           struct error *e)
{
	struct pg_span span;
	struct journal_rows journal = { 0 };

	if (!page->mem)
		page->mem = arena_new();
	if (pg_span_head(page->mem, rows, row, &span)) {
		/* The page outlives the reply. */
		span.body = arena_keep(page->mem, span.body);
		if (pg_span_text(page->mem, &span)) {
			if (!pg_span_journal(page->mem, &span, &journal))
				journal.count = 0;
			take_events(&span, &journal, page);
			return OK;
		}
	}
	return fail(e, ERR_CORRUPT,
	            "the events %llu to %llu of the session with the number %lld are damaged",
	            (unsigned long long)span.first_seq, (unsigned long long)span.last_seq,
	            (long long)span.session_no);
}

static enum err take(struct store *base, struct store_page *page, struct error *e)
{
	const struct pg_move_sql *sql = pg_move_sql(page->part);
	size_t columns = page->part == STORE_PART_EVENT ? PG_SPAN_COLUMNS
	                                                : port_store_part_columns(page->part);
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_is(page->after) ? page->after : STR(""));
	if (table_of(page->part) >= 0)
		pg_args_i64(&args, table_of(page->part));
	err = pg_values_ask(patient(base), &sql->take, &args, &rows, e);
	for (int i = 0; err == OK && i < rows.count; i++) {
		if (page->part == STORE_PART_EVENT)
			err = take_chunk(&rows, i, page, e);
		else
			take_row(&rows, i, sql->kinds, page);
	}
	if (err == OK && rows.count)
		page->next =
			arena_keep(page->mem, pg_conn_str(&rows, rows.count - 1, (int)columns));
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- writing ---- */

static void put_rows(const struct store_page *page, const char *kinds, struct pg_args *args)
{
	for (int i = 0; kinds[i]; i++) {
		struct buf *array = pg_args_array(args, kinds[i] == 'i'   ? PG_INT8
		                                        : kinds[i] == 't' ? PG_TEXT
		                                                          : PG_BYTEA);

		for (size_t r = 0; r < page->rows; r++) {
			const struct store_cell *cell = port_store_page_row(page, r) + i;

			if (kinds[i] == 'i')
				pg_args_put_i64(array, cell->number);
			else
				pg_args_put_str(array, cell->text);
		}
	}
}

/* The arrays of `chunk`, in the order of put_chunk_whole. */
struct chunk_arrays {
	struct buf *session_no, *first_seq, *last_seq, *position, *last_position, *types;
	struct buf *prev_hash, *last_hash, *head, *hashes, *body, *journal;
};

static void arrays_begin(struct chunk_arrays *a, struct pg_args *args)
{
	*a = (struct chunk_arrays){
		.session_no = pg_args_array(args, PG_INT8),
		.first_seq = pg_args_array(args, PG_INT8),
		.last_seq = pg_args_array(args, PG_INT8),
		.position = pg_args_array(args, PG_INT8),
		.last_position = pg_args_array(args, PG_INT8),
		.types = pg_args_array(args, PG_BIT),
		.prev_hash = pg_args_array(args, PG_BYTEA),
		.last_hash = pg_args_array(args, PG_BYTEA),
		.head = pg_args_array(args, PG_BYTEA),
		.hashes = pg_args_array(args, PG_BYTEA),
		.body = pg_args_array(args, PG_BYTEA),
		.journal = pg_args_array(args, PG_BYTEA),
	};
}

static struct sha256 hash_of(struct str bytes)
{
	struct sha256 hash = { 0 };

	if (bytes.len == SHA256_BYTES)
		memcpy(hash.state, bytes.ptr, SHA256_BYTES);
	return hash;
}

static bool continues(const struct store_cell *before, const struct store_cell *row)
{
	return before[0].number + 1 == row[0].number && before[1].number == row[1].number &&
	       before[2].number + 1 == row[2].number;
}

static bool add_event(struct pg_span_builder *b, const struct store_cell *row)
{
	struct journal_rows journal = { 0 };
	struct sha256 hash = hash_of(row[5].text);
	struct pack_item item = {
		.position = (uint64_t)row[0].number,
		.type = (uint32_t)row[3].number,
		.is_erased = str_is(row[7].text),
		.digest = hash_of(row[7].text),
	};

	if (row[8].text.len && journal_rows_take(b->mem, row[8].text, &journal) &&
	    journal.count == 1)
		journal_rows_add(b->mem, &b->journal, journal.items[0]);
	return pg_span_add(b, item, row[6].text, &hash);
}

static bool put_chunk(struct chunk_arrays *a, struct pg_span_builder *b)
{
	const struct pg_span *span = &b->span;
	struct pg_span_bytes bytes;
	uint64_t types[4];
	bool is_good = pg_span_write(b, false, &bytes);

	pg_args_put_i64(a->session_no, span->session_no);
	pg_args_put_i64(a->first_seq, (int64_t)span->first_seq);
	pg_args_put_i64(a->last_seq, (int64_t)span->last_seq);
	pg_args_put_i64(a->position, (int64_t)span->pack.items[0].position);
	pg_args_put_i64(a->last_position, (int64_t)span->pack.items[span->pack.count - 1].position);
	pg_span_types(&span->pack, types);
	pg_args_put_bits(a->types, types);
	pg_args_put_hash(a->prev_hash, &span->prev_hash);
	pg_args_put_hash(a->last_hash, &span->last_hash);
	pg_args_put_str(a->head, buf_str(&bytes.head));
	pg_args_put_str(a->hashes, buf_str(&bytes.hashes));
	pg_args_put_str(a->body, buf_str(&bytes.body));
	pg_args_put_str(a->journal, bytes.journal.len ? buf_str(&bytes.journal) : STR_NONE);
	pg_span_bytes_done(&bytes);
	return is_good;
}

/* Consecutive events from row *at on as one chunk; *at is behind them then. */
static bool put_run(const struct store_page *page, size_t *at, struct chunk_arrays *a,
                    struct sha256 *hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const struct store_cell *row = port_store_page_row(page, *at);
	struct pg_span_builder b;
	bool is_good = true;

	if (str_is(row[4].text))
		*hash = hash_of(row[4].text);
	pg_span_begin(&b, mem, (uint64_t)row[2].number, hash);
	b.span.session_no = row[1].number;
	do {
		is_good = add_event(&b, row);
		(*at)++;
		row += port_store_part_columns(STORE_PART_EVENT);
	} while (is_good && *at < page->rows &&
	         continues(port_store_page_row(page, *at - 1), row) &&
	         b.span.pack.count < RUN_EVENTS && b.text.len < RUN_BYTES);
	*hash = b.span.last_hash;
	is_good = is_good && put_chunk(a, &b);
	pg_span_done(&b);
	return is_good;
}

static enum err put_events(const struct store_page *page, struct pg_args *args, struct error *e)
{
	struct chunk_arrays a;
	struct sha256 hash = { 0 };

	arrays_begin(&a, args);
	for (size_t at = 0; at < page->rows;)
		if (!put_run(page, &at, &a, &hash))
			return fail(e, ERR_CORRUPT,
			            "event %lld of the session with the number %lld does not "
			            "continue the chain",
			            (long long)port_store_page_row(page, at - 1)[2].number,
			            (long long)port_store_page_row(page, at - 1)[1].number);
	return OK;
}

static enum err put(struct store *base, const struct store_page *page, struct str progress,
                    struct error *e)
{
	const struct pg_move_sql *sql = pg_move_sql(page->part);
	struct pg_args args = { 0 };
	enum err err = OK;

	pg_args_str(&args, progress);
	if (page->part == STORE_PART_EVENT)
		err = put_events(page, &args, e);
	else
		put_rows(page, sql->kinds, &args);
	if (err != OK) {
		pg_args_done(&args);
		return err;
	}
	if (table_of(page->part) >= 0)
		pg_args_i64(&args, table_of(page->part));
	return pg_values_tell(patient(base), &sql->put, &args, e);
}

/* ---- looking ---- */

static enum err look(struct store *base, struct arena *mem, struct store_contents *ret,
                     struct error *e)
{
	static const struct pg_sql q = {
		"move_look",
		"SELECT EXISTS(SELECT FROM session) OR EXISTS(SELECT FROM removed)"
		" OR EXISTS(SELECT FROM blob) OR EXISTS(SELECT FROM meta WHERE key NOT IN"
		" (" PG_MOVE_OWN_KEYS ")),"
		" (SELECT last_position FROM counter), count(*), min(name),"
		" (SELECT count(*) FROM output WHERE object IS NOT NULL) FROM node"
		" WHERE ended_at IS NULL AND incarnation <> $1::bigint"
	};
	struct pg_store *s = patient(base);
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, s->incarnation);
	err = pg_values_ask(s, &q, &args, &rows, e);
	if (err == OK)
		*ret = (struct store_contents){
			.is_empty = !pg_conn_bool(&rows, 0, 0),
			.last_position = (uint64_t)pg_conn_i64(&rows, 0, 1),
			.other_nodes = (uint64_t)pg_conn_i64(&rows, 0, 2),
			.other_node = arena_keep(mem, pg_conn_str(&rows, 0, 3)),
			.outputs_elsewhere = (uint64_t)pg_conn_i64(&rows, 0, 4),
		};
	pg_conn_rows_done(&rows);
	return err;
}

static enum err has_output(struct store *base, struct str ref, bool *ret, struct error *e)
{
	static const struct pg_sql q = { "move_has_output",
		                         "SELECT EXISTS(SELECT FROM output WHERE ref = $1::text)" };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, ref);
	err = pg_values_ask(patient(base), &q, &args, &rows, e);
	if (err == OK)
		*ret = pg_conn_bool(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

const struct store_move_ops pg_move_ops = {
	.take = take,
	.put = put,
	.look = look,
	.has_output = has_output,
};
