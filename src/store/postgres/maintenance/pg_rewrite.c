/* Rows of `chunk` and `pack` in another form.  No other keeper rewrites them meanwhile. */
#include "store/postgres/maintenance/pg_rewrite.h"

/* ---- finding ---- */

enum err pg_rewrite_find_chunks(struct pg_conn *c, int64_t session_no, uint64_t after,
                                uint64_t until, int64_t max_bytes, struct pg_rows *ret,
                                struct error *e)
{
	static const struct pg_sql q = {
		"find_chunks",
		"SELECT " PG_SPAN_CHUNK " FROM (SELECT c.*, sum(octet_length(body)) OVER"
		" (ORDER BY last_seq) - octet_length(body) AS before FROM (SELECT * FROM chunk"
		" WHERE session_no = $1::bigint AND last_seq > $2::bigint AND last_seq <= "
		"$3::bigint"
		" ORDER BY last_seq LIMIT 513) c) c WHERE before <= $4::bigint ORDER BY last_seq"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)after);
	pg_args_i64(&args, (int64_t)until);
	pg_args_i64(&args, max_bytes);
	return pg_conn_ask(c, &q, &args, ret, e);
}

enum err pg_rewrite_find_pack(struct pg_conn *c, int64_t session_no, uint64_t after,
                              struct pg_rows *ret, struct error *e)
{
	static const struct pg_sql q = { "find_pack",
		                         "SELECT " PG_SPAN_PACK
		                         " FROM pack WHERE session_no = $1::bigint"
		                         " AND last_seq > $2::bigint ORDER BY last_seq LIMIT 1" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)after);
	return pg_conn_ask(c, &q, &args, ret, e);
}

enum err pg_rewrite_find_last_pack(struct pg_conn *c, int64_t session_no, struct pg_rows *ret,
                                   struct error *e)
{
	static const struct pg_sql q = { "find_last_pack",
		                         "SELECT " PG_SPAN_PACK
		                         " FROM pack WHERE session_no = $1::bigint"
		                         " ORDER BY last_seq DESC LIMIT 1" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	return pg_conn_ask(c, &q, &args, ret, e);
}

/* ---- writing ---- */

static enum err not_the_same(struct error *e)
{
	return fail(e, ERR_STORE, "store_failed: a row is not what went into it");
}

/* The number of bits of n, which is the span of a pack. */
static int64_t bits(uint64_t n)
{
	return n ? 64 - __builtin_clzll(n) : 0;
}

static uint64_t first_position(const struct pg_span_builder *b)
{
	return b->span.pack.items[0].position;
}

static uint64_t last_position(const struct pg_span_builder *b)
{
	return b->span.pack.items[b->span.pack.count - 1].position;
}

static enum err replace_pack(struct pg_conn *c, const struct pg_span *old,
                             const struct pg_span_builder *b, const struct pg_span_bytes *bytes,
                             struct error *e)
{
	static const struct pg_sql q = {
		"replace_pack",
		"UPDATE pack SET first_seq = $2::bigint, position = $3::bigint, span = $4::bigint,"
		" prev_hash = $5::bytea, head = $6::bytea, body = $7::bytea, journal = $8::bytea"
		" WHERE pack_no = $1::bigint"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, old->pack_no);
	pg_args_i64(&args, (int64_t)b->span.first_seq);
	pg_args_i64(&args, (int64_t)first_position(b));
	pg_args_i64(&args, bits(last_position(b) - first_position(b)));
	pg_args_hash(&args, &b->span.prev_hash);
	pg_args_str(&args, buf_str(&bytes->head));
	pg_args_str(&args, buf_str(&bytes->body));
	pg_args_str(&args, bytes->journal.len ? buf_str(&bytes->journal) : STR_NONE);
	return pg_conn_tell(c, &q, &args, e);
}

static enum err replace_chunk(struct pg_conn *c, const struct pg_span *old,
                              const struct pg_span_builder *b, const struct pg_span_bytes *bytes,
                              struct error *e)
{
	static const struct pg_sql q = {
		"replace_chunk",
		"UPDATE chunk SET first_seq = $3::bigint, position = $4::bigint, types = "
		"$5::bit(256),"
		" prev_hash = $6::bytea, hashes = $7::bytea, head = $8::bytea, body = $9::bytea,"
		" journal = $10::bytea WHERE session_no = $1::bigint AND last_seq = $2::bigint"
	};
	struct pg_args args = { 0 };
	uint64_t types[4];

	pg_span_types(&b->span.pack, types);
	pg_args_i64(&args, old->session_no);
	pg_args_i64(&args, (int64_t)old->last_seq);
	pg_args_i64(&args, (int64_t)b->span.first_seq);
	pg_args_i64(&args, (int64_t)first_position(b));
	pg_args_bits(&args, types);
	pg_args_hash(&args, &b->span.prev_hash);
	pg_args_str(&args, buf_str(&bytes->hashes));
	pg_args_str(&args, buf_str(&bytes->head));
	pg_args_str(&args, buf_str(&bytes->body));
	pg_args_str(&args, bytes->journal.len ? buf_str(&bytes->journal) : STR_NONE);
	return pg_conn_tell(c, &q, &args, e);
}

enum err pg_rewrite_replace(struct pg_conn *c, const struct pg_span *old, struct pg_span_builder *b,
                            struct error *e)
{
	struct pg_span_bytes bytes;
	enum err err = pg_span_write(b, old->pack_no, &bytes) ? OK : not_the_same(e);

	if (err == OK)
		err = old->pack_no ? replace_pack(c, old, b, &bytes, e)
		                   : replace_chunk(c, old, b, &bytes, e);
	pg_span_bytes_done(&bytes);
	return err;
}

static enum err insert_pack(struct pg_conn *c, int64_t session_no, const struct pg_span_builder *b,
                            const struct pg_span_bytes *bytes, struct error *e)
{
	static const struct pg_sql q = {
		"insert_pack",
		"INSERT INTO pack(session_no, first_seq, last_seq, position, last_position, span,"
		" prev_hash, last_hash, head, body, journal) VALUES ($1::bigint, $2::bigint, "
		"$3::bigint,"
		" $4::bigint, $5::bigint, $6::bigint, $7::bytea, $8::bytea, $9::bytea, $10::bytea,"
		" $11::bytea)"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)b->span.first_seq);
	pg_args_i64(&args, (int64_t)b->span.last_seq);
	pg_args_i64(&args, (int64_t)first_position(b));
	pg_args_i64(&args, (int64_t)last_position(b));
	pg_args_i64(&args, bits(last_position(b) - first_position(b)));
	pg_args_hash(&args, &b->span.prev_hash);
	pg_args_hash(&args, &b->span.last_hash);
	pg_args_str(&args, buf_str(&bytes->head));
	pg_args_str(&args, buf_str(&bytes->body));
	pg_args_str(&args, bytes->journal.len ? buf_str(&bytes->journal) : STR_NONE);
	return pg_conn_tell(c, &q, &args, e);
}

enum err pg_rewrite_drop_pack(struct pg_conn *c, int64_t pack_no, struct error *e)
{
	static const struct pg_sql q = { "drop_pack",
		                         "DELETE FROM pack WHERE pack_no = $1::bigint" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, pack_no);
	return pg_conn_tell(c, &q, &args, e);
}

enum err pg_rewrite_drop_chunks(struct pg_conn *c, int64_t session_no, uint64_t until,
                                struct error *e)
{
	static const struct pg_sql q = { "drop_chunks",
		                         "DELETE FROM chunk WHERE session_no = $1::bigint"
		                         " AND last_seq <= $2::bigint" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)until);
	return pg_conn_tell(c, &q, &args, e);
}

enum err pg_rewrite_pack(struct pg_conn *c, int64_t session_no, int64_t pack_no,
                         struct pg_span_builder *b, struct error *e)
{
	struct pg_span_bytes bytes;
	enum err err = pg_span_write(b, true, &bytes) ? OK : not_the_same(e);

	if (err == OK && pack_no)
		err = pg_rewrite_drop_pack(c, pack_no, e);
	if (err == OK)
		err = pg_rewrite_drop_chunks(c, session_no, b->span.last_seq, e);
	if (err == OK)
		err = insert_pack(c, session_no, b, &bytes, e);
	pg_span_bytes_done(&bytes);
	return err;
}

enum err pg_rewrite_floor(struct pg_conn *c, int64_t session_no, uint64_t seq,
                          const struct sha256 *hash, struct str ref, struct error *e)
{
	static const struct pg_sql q = {
		"move_floor",
		"WITH gone AS (DELETE FROM blob WHERE session_no = $1::bigint AND seq <= $2::bigint"
		" AND ref IS DISTINCT FROM $4::text) UPDATE session SET floor_seq = $2::bigint,"
		" floor_hash = $3::bytea, floor_ref = $4::text WHERE session_no = $1::bigint"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)seq);
	pg_args_hash(&args, hash);
	pg_args_str(&args, ref);
	return pg_conn_tell(c, &q, &args, e);
}

/* ---- journal ---- */

static enum err put_journal(struct pg_conn *c, int64_t session_no, uint64_t last_seq,
                            const struct journal_rows *rows, struct error *e)
{
	static const struct pg_sql q = { "put_journal", "UPDATE chunk SET journal = $3::bytea"
		                                        " WHERE session_no = $1::bigint"
		                                        " AND last_seq = $2::bigint" };
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct pg_args args = { 0 };

	journal_rows_put(&plain, rows);
	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)last_seq);
	pg_args_str(&args, buf_str(&plain));
	return pg_conn_tell(c, &q, &args, e);
}

static enum err drop_last_pack_journal(struct pg_conn *c, int64_t session_no, uint64_t first_seq,
                                       struct error *e)
{
	static const struct pg_sql q = {
		"drop_pack_journal", "UPDATE pack SET journal = NULL WHERE pack_no ="
				     " (SELECT pack_no FROM pack WHERE session_no = $1::bigint"
				     " AND last_seq < $2::bigint ORDER BY last_seq DESC LIMIT 1)"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)first_seq);
	return pg_conn_tell(c, &q, &args, e);
}

enum err pg_rewrite_forget_group(struct pg_conn *c, int64_t session_no, uint64_t first_seq,
                                 struct arena *mem, struct error *e)
{
	static const struct pg_sql q = {
		"last_journal", "SELECT last_seq, journal FROM chunk"
				" WHERE session_no = $1::bigint AND last_seq < $2::bigint"
				" AND journal IS NOT NULL ORDER BY last_seq DESC LIMIT 1"
	};
	struct pg_args args = { 0 };
	struct journal_rows rows = { 0 };
	struct pg_rows found;
	enum err err;

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, (int64_t)first_seq);
	err = pg_conn_ask(c, &q, &args, &found, e);
	if (err == OK && !found.count)
		err = drop_last_pack_journal(c, session_no, first_seq, e);
	else if (err == OK) {
		if (!journal_rows_take(mem, pg_conn_str(&found, 0, 1), &rows))
			rows.count = 0;
		journal_rows_erase(&rows, UINT64_MAX);
		err = put_journal(c, session_no, (uint64_t)pg_conn_i64(&found, 0, 0), &rows, e);
	}
	pg_conn_rows_done(&found);
	return err;
}
