/*
 * The reader: requests, and records that are found by a key.
 *
 * A read of several statements is a REPEATABLE READ transaction, so that a head and the
 * events below it agree.  A single statement needs none.  No cursor stays open.
 */
#include "store/postgres/pg_read.h"

/* A session with rows and without events does not exist for readers. */
static enum err read_head(struct pg_store *s, struct store_read *r)
{
	int64_t no = 0;
	enum err err = pg_page_session(&s->reader, r, &no);

	if (err == OK && r->head_seq == 0)
		err = fail(&r->error, ERR_NOT_FOUND, "the session has no events");
	return err;
}

static enum err read_sessions(struct pg_store *s, struct store_read *r, const struct pg_sql *q)
{
	struct pg_page page = pg_page_of(r);
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	r->scanned = r->after;
	pg_args_i64(&args, as_int(r->after));
	pg_args_i64(&args, page.max_rows + 1);
	err = pg_conn_ask(&s->reader, q, &args, &rows, &r->error);
	for (int i = 0; i < rows.count && (uint32_t)i < page.max_rows; i++) {
		r->scanned = (uint64_t)pg_conn_i64(&rows, i, 0);
		if (!str_is(pg_conn_str(&rows, i, 1)))
			continue; /* a deleted session */
		r->rows[r->row_count++] = (struct index_found){
			.session = arena_keep(r->mem, pg_conn_str(&rows, i, 1)),
			.at = pg_conn_i64(&rows, i, 2),
		};
	}
	r->more = err == OK && (uint32_t)rows.count > page.max_rows;
	pg_conn_rows_done(&rows);
	return err;
}

static const struct pg_sql all_sessions = { "sessions",
	                                    "SELECT session_no, id, last_seq FROM session"
	                                    " WHERE session_no > $1::bigint AND last_seq > 0"
	                                    " ORDER BY session_no LIMIT $2::bigint" };

/* Jumps from one number to the next, so that the chunks of one session are not scanned. */
static const struct pg_sql loose_sessions = {
	"loose", "WITH RECURSIVE n AS ("
		 " (SELECT session_no FROM chunk WHERE session_no > $1::bigint"
		 " ORDER BY session_no LIMIT 1)"
		 " UNION ALL SELECT (SELECT c.session_no FROM chunk c"
		 " WHERE c.session_no > n.session_no ORDER BY c.session_no LIMIT 1)"
		 " FROM n WHERE n.session_no IS NOT NULL)"
		 " SELECT session_no, s.id, s.last_seq FROM (SELECT session_no FROM n"
		 " WHERE session_no IS NOT NULL LIMIT $2::bigint) p"
		 " LEFT JOIN session s USING (session_no) ORDER BY session_no"
};

/* ---- snapshots ---- */

/* A snapshot of another log, or ahead of this one, is damage; the caller folds the events. */
static enum err check_snapshot(struct pg_store *s, struct store_read *r, int64_t no)
{
	bool fits = r->snapshot_seq <= r->head_seq;
	enum err err = fits ? pg_page_hash_fits(&s->reader, no, r->snapshot_seq, &r->snapshot_hash,
	                                        &fits, &r->error)
	                    : OK;

	return err == OK && !fits
	               ? pg_page_bad_record(r, "a snapshot is not of this log, or ahead of it")
	               : err;
}

static enum err refuse_newer(struct pg_store *s, struct store_read *r, int64_t needed)
{
	fail(&r->error, ERR_STORE,
	     "the session holds events of revision %lld, and this node reads revision %u; a node "
	     "of "
	     "a newer version continues it",
	     (long long)needed, s->nodes.self.rev);
	r->error.detail = STORE_NEWER;
	return ERR_STORE;
}

static enum err read_snapshot(struct pg_store *s, struct store_read *r)
{
	static const struct pg_sql q = {
		"snapshot", "SELECT n.seq, n.hash, n.body, s.needs_rev FROM session s"
			    " LEFT JOIN snapshot n ON n.session_no = s.session_no"
			    " AND n.version = $2::text WHERE s.session_no = $1::bigint"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	int64_t no = 0;
	enum err err = pg_page_session(&s->reader, r, &no);

	if (err != OK)
		return err;
	pg_args_i64(&args, no);
	pg_args_str(&args, r->snapshot_version);
	err = pg_conn_ask(&s->reader, &q, &args, &rows, &r->error);
	if (err == OK && rows.count && pg_conn_i64(&rows, 0, 3) > s->nodes.self.rev)
		err = refuse_newer(s, r, pg_conn_i64(&rows, 0, 3));
	if (err == OK && (!rows.count || !pg_conn_str(&rows, 0, 1).ptr))
		err = pg_page_not_found(r);
	if (err == OK && !pg_conn_hash(&rows, 0, 1, &r->snapshot_hash))
		err = pg_page_bad_record(r, "a snapshot has no hash");
	if (err == OK) {
		r->snapshot_seq = (uint64_t)pg_conn_i64(&rows, 0, 0);
		r->snapshot = arena_keep(r->mem, pg_conn_str(&rows, 0, 2));
	}
	pg_conn_rows_done(&rows);
	return err == OK ? check_snapshot(s, r, no) : err;
}

/* ---- records with a key ---- */

/* A command that a deleted session answered is not carried out again. */
static enum err read_idem(struct pg_store *s, struct store_read *r)
{
	static const struct pg_sql q = {
		"idem_read", "SELECT i.body, i.reply, i.seq, i.at, coalesce(s.id, r.id) FROM idem i"
			     " LEFT JOIN session s USING (session_no) LEFT JOIN removed r USING "
			     "(session_no)"
			     " WHERE i.key = $1::bytea AND coalesce(s.id, r.id) IS NOT NULL"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_hash(&args, &r->idem_key);
	err = pg_conn_ask(&s->reader, &q, &args, &rows, &r->error);
	if (err == OK && !rows.count)
		err = pg_page_not_found(r);
	if (err == OK && !pg_conn_hash(&rows, 0, 0, &r->idem.body))
		err = pg_page_bad_record(r, "an idempotency record has no hash");
	if (err == OK) {
		r->idem.key = r->idem_key;
		r->idem.reply = arena_keep(r->mem, pg_conn_str(&rows, 0, 1));
		r->idem.seq = (uint64_t)pg_conn_i64(&rows, 0, 2);
		r->idem.at = pg_conn_i64(&rows, 0, 3);
		r->idem_session = arena_keep(r->mem, pg_conn_str(&rows, 0, 4));
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_blob(struct pg_store *s, struct store_read *r)
{
	static const struct pg_sql q = { "blob_read",
		                         "SELECT b.ref, b.media_type, b.data, s.id FROM blob b"
		                         " LEFT JOIN session s USING (session_no)"
		                         " WHERE b.ref = $1::text"
		                         " AND (b.session_no IS NULL OR s.id IS NOT NULL)" };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, r->key);
	err = pg_conn_ask(&s->reader, &q, &args, &rows, &r->error);
	if (err == OK && !rows.count)
		err = pg_page_not_found(r);
	if (err == OK) {
		r->blob = (struct blob_row){
			.ref = arena_keep(r->mem, pg_conn_str(&rows, 0, 0)),
			.media_type = arena_keep(r->mem, pg_conn_str(&rows, 0, 1)),
			.data = arena_keep(r->mem, pg_conn_str(&rows, 0, 2)),
		};
		r->blob_session = arena_keep(r->mem, pg_conn_str(&rows, 0, 3));
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- requests ---- */

static enum err response(struct pg_store *s, struct store_read *r)
{
	switch (r->kind) {
	case READ_EVENTS:
		return pg_events_read(s, r);
	case READ_ALL:
		return pg_all_read(s, r);
	case READ_HEAD:
		return read_head(s, r);
	case READ_SNAPSHOT:
		return read_snapshot(s, r);
	case READ_INDEX:
		return pg_list_read(s, r);
	case READ_IDEM:
		return read_idem(s, r);
	case READ_BLOB:
		return read_blob(s, r);
	case READ_JOURNAL:
		return pg_events_journal(s, r);
	case READ_SESSIONS:
		return read_sessions(s, r, &all_sessions);
	case READ_LOOSE:
		return read_sessions(s, r, &loose_sessions);
	}
	return fail(&r->error, ERR_INVALID, "a kind of read that does not exist");
}

static bool takes_many_statements(const struct store_read *r)
{
	return r->kind == READ_EVENTS || r->kind == READ_ALL || r->kind == READ_SNAPSHOT ||
	       r->kind == READ_JOURNAL;
}

static enum err response_at_once(struct pg_store *s, struct store_read *r)
{
	enum err err;

	if (!takes_many_statements(r))
		return response(s, r);
	err = pg_conn_run(&s->reader, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
	                  &r->error);
	if (err != OK)
		return err;
	err = response(s, r);
	/* After an error of a statement this rolls back. */
	if (err == OK)
		return pg_conn_run(&s->reader, "COMMIT", &r->error);
	(void)!pg_conn_run(&s->reader, "COMMIT", NULL);
	return err;
}

/* The state from which an owner would continue; what is left of the log stays readable. */
static bool is_blocked(struct pg_store *s, struct store_read *r)
{
	return r->kind == READ_SNAPSHOT && pg_state_is_behind(s, r->session, &r->error);
}

enum err pg_read_work(struct pg_store *s, struct store_read *r, struct error *e)
{
	r->mem = arena_new();
	if (pg_state_is_dead(s, &r->error) || is_blocked(s, r)) {
		r->result = r->error.code;
		return r->result;
	}
	r->result = response_at_once(s, r);
	if (r->result == ERR_UNAVAILABLE) {
		*e = r->error;
		port_store_read_done(r);
		return ERR_UNAVAILABLE;
	}
	if (r->result == OK)
		r->error = (struct error){ 0 }; /* set by a lookup that found nothing */
	return r->result;
}
