/*
 * Accounts of the ledger: one row each, updated in the same transaction as the
 * events that change them.  The table was added to format 1 without a new
 * version: a file without it has no accounts, and an older program ignores it.
 */
#include "store/sqlite/sqlite_int.h"

static const char make_sql[] = "CREATE TABLE IF NOT EXISTS ledger("
			       " account TEXT PRIMARY KEY, spent INTEGER NOT NULL,"
			       " reserved INTEGER NOT NULL) STRICT, WITHOUT ROWID";

bool sqlite_ledger_make(struct conn *writer)
{
	return sqlite3_exec(writer->db, make_sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Adds differences, not balances: the owner's balances run ahead of what is durable. */
bool sqlite_ledger_write(struct sqlite_store *s, const struct slice *sl)
{
	for (size_t i = 0; i < sl->move_count; i++) {
		const struct ledger_move *m = &sl->moves[i];
		sqlite3_stmt *st = sqlite_conn_stmt(
			&s->writer, W_LEDGER,
			"INSERT INTO ledger(account, spent, reserved) VALUES(?, ?, ?)"
			" ON CONFLICT(account) DO UPDATE SET spent = spent + excluded.spent,"
			" reserved = reserved + excluded.reserved");

		if (!st)
			return false;
		sqlite3_bind_text(st, 1, m->account.ptr, (int)m->account.len, SQLITE_STATIC);
		sqlite3_bind_int64(st, 2, m->spent);
		sqlite3_bind_int64(st, 3, m->reserved);
		if (!sqlite_conn_run(st))
			return false;
	}
	return true;
}

enum err sqlite_ledger_read(struct conn *c, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e)
{
	sqlite3_stmt *st = NULL;
	size_t cap = 0, count = 0;
	struct ledger_move *rows = NULL;
	int rc = sqlite3_prepare_v2(c->db, "SELECT account, spent, reserved FROM ledger", -1, &st,
	                            NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(st);
		if (rc != SQLITE_ROW)
			break;
		if (count == cap) {
			size_t grown = cap ? cap * 2 : 16;

			rows = arena_grow(mem, rows, count * sizeof *rows, grown * sizeof *rows);
			cap = grown;
		}
		rows[count++] = (struct ledger_move){
			.account = arena_keep(mem, str_of((const char *)sqlite3_column_text(st, 0),
			                                  (size_t)sqlite3_column_bytes(st, 0))),
			.spent = sqlite3_column_int64(st, 1),
			.reserved = sqlite3_column_int64(st, 2),
		};
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		return fail(e, ERR_IO, "the ledger: %s", sqlite3_errmsg(c->db));
	*ret = rows;
	*ret_count = count;
	return OK;
}
