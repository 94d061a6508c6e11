/*
 * Pending operations: cuts and erasures that an event has recorded and that are
 * not yet done to the log.  The next start finishes them.  The table was added
 * to format 2 without a new version: a file without it has no pending
 * operations, and an older program ignores it.
 */
#include "store/sqlite/sqlite_int.h"

static const char make_sql[] = "CREATE TABLE IF NOT EXISTS " PENDING_TABLE "("
			       " session_no INTEGER NOT NULL, kind INTEGER NOT NULL,"
			       " seq INTEGER NOT NULL, ref TEXT,"
			       " PRIMARY KEY(session_no, kind, seq)) STRICT, WITHOUT ROWID";

bool sqlite_pending_make(struct conn *writer)
{
	return sqlite3_exec(writer->db, make_sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool pending_add(struct sqlite_store *s, int64_t session_no, const struct pending_op *c)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_PENDING);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int(st, 2, c->kind);
	sqlite3_bind_int64(st, 3, (int64_t)c->seq);
	sqlite_conn_bind_str(st, 4, c->ref);
	return sqlite_conn_run(st);
}

bool sqlite_pending_strike(struct sqlite_store *s, int64_t session_no, enum maintenance_kind kind,
                           uint64_t seq)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_PENDING_DROP);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int(st, 2, kind);
	sqlite3_bind_int64(st, 3, (int64_t)seq);
	return sqlite_conn_run(st);
}

bool sqlite_pending_write(struct sqlite_store *s, const struct slice *sl, int64_t session_no)
{
	for (size_t i = 0; i < sl->pending_count; i++) {
		const struct pending_op *c = &sl->pending_ops[i];

		if (c->kind == MAINTENANCE_SWEEP)
			continue; /* sqlite_write.c does it at once */
		if (c->is_done ? !sqlite_pending_strike(s, session_no, c->kind, c->seq)
		               : !pending_add(s, session_no, c))
			return false;
	}
	return true;
}

/* Operations of one session come in the order of their events. */
enum err sqlite_pending_read(struct conn *c, struct arena *mem, struct pending_op **ret,
                             size_t *ret_count, struct error *e)
{
	static const char sql[] = "SELECT id, kind, seq, ref FROM " PENDING_TABLE " JOIN session"
				  " USING(session_no) ORDER BY session_no, seq";
	sqlite3_stmt *st = NULL;
	struct pending_op *rows = NULL;
	size_t cap = 0, count = 0;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	for (; rc == SQLITE_ROW; rc = sqlite3_step(st)) {
		if (count == cap) {
			size_t grown = cap ? cap * 2 : 16;

			rows = arena_grow(mem, rows, count * sizeof *rows, grown * sizeof *rows);
			cap = grown;
		}
		rows[count++] = (struct pending_op){
			.session = arena_keep(mem, sqlite_conn_column_str(st, 0)),
			.kind = (enum maintenance_kind)sqlite3_column_int(st, 1),
			.seq = (uint64_t)sqlite3_column_int64(st, 2),
			.ref = arena_keep(mem, sqlite_conn_column_str(st, 3)),
		};
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		return fail(e, ERR_IO, "what is to be done to the log: %s", sqlite3_errmsg(c->db));
	*ret = rows;
	*ret_count = count;
	return OK;
}
