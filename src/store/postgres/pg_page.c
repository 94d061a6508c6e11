/*
 * What every read needs: the limits of a page, the record of a session, and how damage is
 * reported.
 */
#include "store/postgres/pg_page.h"

#include "base/gen/limits.h"

#define SCAN_EVENTS 4096 /* a page whose filter matches nothing ends after so many */

/* ---- pages ---- */

struct pg_page pg_page_of(const struct store_read *r)
{
	uint32_t max_rows = r->kind == READ_INDEX && str_is(r->key) ? 1 : LIMIT_PAGE_ROWS;

	return (struct pg_page){
		.max_rows = r->max_rows && r->max_rows < max_rows ? r->max_rows : max_rows,
		.max_bytes = r->max_bytes && r->max_bytes < LIMIT_PAGE_BYTES ? r->max_bytes
		                                                             : LIMIT_PAGE_BYTES,
	};
}

bool pg_page_fits(const struct pg_page *p, size_t count, size_t len)
{
	return count == 0 || (count < p->max_rows && p->bytes + len <= p->max_bytes);
}

bool pg_page_is_wanted(const struct store_read *r, uint32_t type)
{
	return !r->types || (type < 256 && (r->types[type / 64] >> type % 64 & 1));
}

enum pg_offer pg_page_offer(struct store_read *r, struct pg_page *page, uint32_t type, size_t len,
                            uint64_t cursor)
{
	bool wanted = pg_page_is_wanted(r, type);

	if (page->looked_at == SCAN_EVENTS ||
	    (wanted && !pg_page_fits(page, r->event_count, len))) {
		r->more = true;
		return PG_STOP;
	}
	page->looked_at++;
	r->scanned = cursor;
	if (!wanted)
		return PG_SKIP;
	page->bytes += len;
	return PG_TAKE;
}

void pg_page_put_types(struct pg_args *args, const struct store_read *r)
{
	static const uint64_t all[4] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };

	pg_args_bits(args, r->types ? r->types : all);
}

enum err pg_page_damaged(struct pg_store *s, struct store_read *r, struct str session,
                         uint64_t from, uint64_t to, const char *what)
{
	r->is_corrupt = true;
	r->corrupt_from = from;
	r->corrupt_to = to;
	r->corrupt_session = arena_keep(r->mem, session);
	r->more = true;
	if (r->takes_gaps)
		return OK;
	return fail(&r->error, ERR_CORRUPT, "%s is damaged: event %llu of %.*s %s", s->place,
	            (unsigned long long)from, STR_ARG(str_is(session) ? session : STR("a session")),
	            what);
}

/* ---- sessions ---- */

enum err pg_page_not_found(struct store_read *r)
{
	return fail(&r->error, ERR_NOT_FOUND, "there is no such record");
}

enum err pg_page_bad_record(struct store_read *r, const char *what)
{
	return fail(&r->error, ERR_CORRUPT, "the database is damaged: %s", what);
}

static enum err take_removed(struct store_read *r, const struct pg_rows *rows)
{
	r->is_removed = true;
	r->removed_seq = (uint64_t)pg_conn_i64(rows, 0, 2);
	r->removed_by = (uint64_t)pg_conn_i64(rows, 0, 4);
	if (!pg_conn_hash(rows, 0, 3, &r->removed_hash))
		return pg_page_bad_record(r, "the head of a deleted session is no hash");
	return fail(&r->error, ERR_NOT_FOUND, "the session was deleted");
}

static enum err take_session(struct store_read *r, const struct pg_rows *rows)
{
	r->head_seq = (uint64_t)pg_conn_i64(rows, 0, 2);
	r->floor_seq = (uint64_t)pg_conn_i64(rows, 0, 4);
	r->floor_ref = arena_keep(r->mem, pg_conn_str(rows, 0, 6));
	if (!pg_conn_hash(rows, 0, 3, &r->head_hash) || !pg_conn_hash(rows, 0, 5, &r->floor_hash))
		return pg_page_bad_record(r, "the head of a session is no hash");
	return OK;
}

enum err pg_page_session(struct pg_conn *c, struct store_read *r, int64_t *ret_no)
{
	static const struct pg_sql q = {
		"session",
		"SELECT false, session_no, last_seq, last_hash, floor_seq, floor_hash, floor_ref"
		" FROM session WHERE id = $1::text UNION ALL"
		" SELECT true, session_no, last_seq, last_hash, removed_by, NULL, NULL"
		" FROM removed WHERE id = $1::text"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, r->session);
	err = pg_conn_ask(c, &q, &args, &rows, &r->error);
	if (err == OK && !rows.count)
		err = pg_page_not_found(r);
	if (err == OK) {
		*ret_no = pg_conn_i64(&rows, 0, 1);
		err = pg_conn_bool(&rows, 0, 0) ? take_removed(r, &rows) : take_session(r, &rows);
	}
	pg_conn_rows_done(&rows);
	return err;
}

enum err pg_page_hash_fits(struct pg_conn *c, int64_t session_no, uint64_t seq,
                           const struct sha256 *hash, bool *ret, struct error *e)
{
	static const struct pg_sql q = {
		"hash_at",
		"SELECT coalesce((SELECT substr(hashes, (($2::bigint - first_seq) * 32 + 1)::int, "
		"32)"
		" FROM chunk WHERE session_no = $1::bigint AND last_seq >= $2::bigint"
		" AND first_seq <= $2::bigint ORDER BY last_seq LIMIT 1),"
		" (SELECT last_hash FROM pack WHERE session_no = $1::bigint AND last_seq = "
		"$2::bigint),"
		" (SELECT floor_hash FROM session WHERE session_no = $1::bigint"
		" AND floor_seq = $2::bigint))"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	struct sha256 found;
	enum err err;

	pg_args_i64(&args, session_no);
	pg_args_i64(&args, as_int(seq));
	err = pg_conn_ask(c, &q, &args, &rows, e);
	if (err == OK)
		*ret = !pg_conn_hash(&rows, 0, 0, &found) || sha256_eq(&found, hash);
	pg_conn_rows_done(&rows);
	return err;
}
