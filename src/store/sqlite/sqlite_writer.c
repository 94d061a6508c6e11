/*
 * The writer's connection: its statements, what its failures mean, index rows
 * and the size of the files.  Everything that writes stands on this; nothing
 * here begins or ends a transaction.
 */
#include "store/sqlite/sqlite_int.h"

/*
 * Statements that write.  Events and packs get their `sum` as a value, computed in C by
 * sqlite_sum.c; for other rows SQL computes it from the columns as they are stored.
 */
static const char *const write_sql[W_INDEX_PUT] = {
	[W_BEGIN] = "BEGIN IMMEDIATE",
	[W_COMMIT] = "COMMIT",
	[W_ROLLBACK] = "ROLLBACK",
	[W_SESSION_FIND] =
		"SELECT session_no, last_seq, last_hash, sum IS NULL OR sum = " SESSION_SUM
		", floor_seq FROM session WHERE id = ?",
	/* Its sum comes with the first event; the number is not known before. */
	/* A number is not used again: rows of a deleted session have it until they are swept. */
	[W_SESSION_NEW] =
		"INSERT INTO session(session_no, id, last_seq, last_hash, floor_seq, floor_hash)"
		" VALUES(1 + max(coalesce((SELECT max(session_no) FROM session), 0),"
		" coalesce((SELECT max(session_no) FROM removed), 0)), ?1, 0, ?2, 0, ?2)",
	[W_SESSION_HEAD] = "UPDATE session SET last_seq = ?2, last_hash = ?3, sum ="
			   " thole_sum(session_no, id, ?2, ?3, floor_seq, floor_hash, floor_ref)"
			   " WHERE session_no = ?1",
	[W_EVENT] = "INSERT INTO event(position, session_no, seq, type, hash, body, sum, journal)"
		    " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
	/*
	 * The hash at an event is known for rows, for the last event of a pack, and for
	 * the floor.
	 */
	[W_EVENT_HASH] = "SELECT hash FROM event WHERE session_no = ?1 AND seq = ?2 UNION ALL"
			 " SELECT last_hash FROM pack WHERE session_no = ?1 AND last_seq = ?2"
			 " UNION ALL"
			 " SELECT floor_hash FROM session WHERE session_no = ?1 AND floor_seq = ?2",
	[W_IDEM] = "INSERT OR REPLACE INTO idem(key, body, session_no, seq, at, reply)"
		   " VALUES(?, ?, ?, ?, ?, ?)",
	[W_SNAPSHOT] = "INSERT OR REPLACE INTO snapshot(session_no, seq, hash, version, body, sum)"
		       " VALUES(?1, ?2, ?3, ?4, ?5, thole_sum(?1, ?2, ?3, ?4, ?5))",
	/* What is there stays, unless only a deleted session has it: the sweep removes that. */
	[W_BLOB] = "INSERT INTO blob(ref, session_no, media_type, data, seq, sum)"
		   " VALUES(?1, ?2, ?3, ?4, ?5, thole_sum(?1, ?2, ?3, ?4))"
		   " ON CONFLICT(ref) DO UPDATE SET session_no = excluded.session_no,"
		   " media_type = excluded.media_type, data = excluded.data, seq = excluded.seq,"
		   " sum = excluded.sum"
		   " WHERE blob.session_no IN (SELECT session_no FROM removed)",
	[W_BLOB_AGAIN] = "UPDATE blob SET seq = ?3 WHERE ref = ?1 AND session_no = ?2",
	[W_META] = "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
	[W_PACK] = "INSERT INTO pack(session_no, first_seq, last_seq, first_position,"
		   " last_position, span, prev_hash, last_hash, head, body, sum, journal)"
		   " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[W_PACK_DROP] = "DELETE FROM pack WHERE pack_no = ?",
	[W_EVENTS_DROP] = "DELETE FROM event WHERE session_no = ? AND seq BETWEEN ? AND ?",
	[W_EVENT_ERASE] = "UPDATE event SET body = ?3, digest = ?4, sum = ?5"
			  " WHERE session_no = ?1 AND seq = ?2",
	[W_JOURNAL_ERASE] = "UPDATE event SET journal = ?3 WHERE session_no = ?1 AND seq = ?2",
	/* A group may begin in the pack before; its records are dropped together. */
	[W_JOURNAL_DROP] = "UPDATE pack SET journal = NULL WHERE session_no = ? AND last_seq = ?",
	[W_FLOOR] = "UPDATE session SET floor_seq = ?2, floor_hash = ?3, floor_ref = ?4, sum ="
		    " thole_sum(session_no, id, last_seq, last_hash, ?2, ?3, ?4)"
		    " WHERE session_no = ?1",
	/* ?3 is the blob with the state at the floor, which outlives the events it replaces. */
	[W_BLOBS_DROP] = "DELETE FROM blob WHERE session_no = ?1 AND seq <= ?2 AND ref IS NOT ?3",
	[W_BLOB_DROP] = "DELETE FROM blob WHERE session_no = ? AND ref = ?",
	[W_SNAPSHOT_DROP] = "DELETE FROM snapshot WHERE session_no = ?",
	[W_PENDING] = "INSERT OR REPLACE INTO " PENDING_TABLE
		      "(session_no, kind, seq, ref) VALUES(?, ?, ?, ?)",
	[W_PENDING_DROP] =
		"DELETE FROM " PENDING_TABLE " WHERE session_no = ? AND kind = ? AND seq = ?",
	/* `state < 3` lets SQLite use the index of those that are not swept. */
	[W_REMOVED] = "INSERT INTO removed(session_no, id, last_seq, last_hash, by, state)"
		      " VALUES(?, ?, ?, ?, ?, 0)",
	[W_REMOVED_FIND] = "SELECT 1 FROM removed WHERE id = ?",
	[W_REMOVED_SESSION] = "DELETE FROM session WHERE session_no = ?",
	[W_REMOVED_PENDING] = "DELETE FROM " PENDING_TABLE " WHERE session_no = ?",
	[W_REMOVED_OUTPUTS] = "SELECT i.key FROM removed d CROSS JOIN idx_output i"
			      " INDEXED BY idx_output_by_session ON i.session_no = d.session_no"
			      " WHERE d.state = 0 AND d.state < 3 AND i.status = 'spilled' LIMIT ?",
	[W_REMOVED_OUTPUT] = "DELETE FROM idx_output WHERE key = ?"
			     " AND session_no IN (SELECT session_no FROM removed)",
	[W_REMOVED_NEXT] = "SELECT session_no FROM removed WHERE state = 0 AND state < 3 LIMIT 1",
	[W_REMOVED_STATE] = "UPDATE removed SET state = 1 WHERE session_no = ?",
	[W_REMOVED_IDS] = "DELETE FROM idx_id WHERE rowid > ? AND rowid <= ? AND session_no IN"
			  " (SELECT session_no FROM removed WHERE state = 2 AND state < 3)",
	[W_REMOVED_MOVE] = "UPDATE removed SET state = ?2 WHERE state = ?1 AND state < 3",
	[W_REMOVED_LEFT] = "SELECT (SELECT min(state) FROM removed WHERE state < 3),"
			   " (SELECT max(rowid) FROM idx_id)",
	/* The inner SELECT bounds the step: DELETE with LIMIT needs a build option of SQLite. */
	[W_IDEM_PURGE] = "DELETE FROM idem WHERE rowid IN"
			 " (SELECT rowid FROM idem WHERE at < ? ORDER BY at LIMIT ?)",
	[W_MARK] = "UPDATE mark SET data = ?",
	[W_FREE] = "PRAGMA freelist_count",
	[W_PAGES] = "PRAGMA page_count",
	[W_ROWLOG] = "INSERT INTO row_log(rows, sum) VALUES(?1, thole_sum(?1))",
	[W_ROWLOG_READ] = "SELECT rows, sum = thole_sum(rows) FROM row_log ORDER BY no",
	[W_ROWLOG_CLEAR] = "DELETE FROM row_log",
};

sqlite3_stmt *sqlite_writer_stmt(struct sqlite_store *s, enum write_stmt which)
{
	return sqlite_conn_stmt(&s->writer, which, write_sql[which]);
}

/*
 * Whether the last error is a page that could not be read.  Such an error is no
 * statement about what was written.
 */
bool sqlite_writer_failed_to_read(struct sqlite_store *s)
{
	int rc = sqlite3_extended_errcode(s->writer.db);

	return rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ;
}

/* Until the commit nothing was promised: a page that could not be read is no failed write. */
enum err sqlite_writer_error(struct sqlite_store *s, struct error *e)
{
	bool is_read = sqlite_writer_failed_to_read(s);
	enum err err = sqlite_conn_error(&s->writer, is_read ? "cannot read" : "cannot write", e);

	if (!is_read || err != ERR_IO)
		return err;
	e->code = ERR_UNREADABLE;
	return ERR_UNREADABLE;
}

/* The commit itself failed, in any call: the content of the disk is unknown. */
enum err sqlite_writer_commit_error(struct sqlite_store *s, struct error *e)
{
	return sqlite_conn_error(&s->writer, "cannot write", e);
}

/* ---- index rows ---- */

/*
 * One statement per index table, prepared at its first use.  An update instead of
 * REPLACE keeps the rowid, so that indexes whose columns do not change are not touched.
 */
static sqlite3_stmt *put_stmt(struct sqlite_store *s, enum index_table table)
{
	char sql[512];

	if (s->writer.stmts[W_INDEX_PUT + table])
		return s->writer.stmts[W_INDEX_PUT + table];
	sqlite3_snprintf(sizeof sql, sql,
	                 "INSERT INTO %s(key, session_no, status, parent, at, open, body)"
	                 " VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO UPDATE SET"
	                 " session_no = excluded.session_no, status = excluded.status,"
	                 " parent = excluded.parent, at = excluded.at, open = excluded.open,"
	                 " body = excluded.body",
	                 sqlite_file_index_table[table]);
	return sqlite_conn_stmt(&s->writer, W_INDEX_PUT + table, sql);
}

bool sqlite_writer_put_row(struct sqlite_store *s, int64_t session_no, const struct index_row *row)
{
	sqlite3_stmt *st = put_stmt(s, row->table);

	if (!st)
		return false;
	sqlite_conn_bind_str(st, 1, row->key);
	sqlite3_bind_int64(st, 2, session_no);
	sqlite_conn_bind_str(st, 3, row->status);
	sqlite_conn_bind_str(st, 4, row->parent);
	sqlite3_bind_int64(st, 5, row->at);
	sqlite3_bind_int(st, 6, row->open);
	sqlite_conn_bind_str(st, 7, row->body);
	return sqlite_conn_run(st);
}

bool sqlite_writer_remove_row(struct sqlite_store *s, const struct index_row *row)
{
	char sql[64];
	sqlite3_stmt *st;

	sqlite3_snprintf(sizeof sql, sql, "DELETE FROM %s WHERE key = ?",
	                 sqlite_file_index_table[row->table]);
	st = sqlite_conn_stmt(&s->writer, W_INDEX_REMOVE + row->table, sql);
	if (!st)
		return false;
	sqlite_conn_bind_str(st, 1, row->key);
	return sqlite_conn_run(st);
}

/* ---- size ---- */

/* Through the VFS and not by stat(): simulations have no real file. */
static uint64_t file_size(sqlite3 *db, int which)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;

	if (sqlite3_file_control(db, "main", which, &file) != SQLITE_OK || !file ||
	    !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
		return 0;
	return (uint64_t)size;
}

void sqlite_writer_measure(struct sqlite_store *s)
{
	atomic_store(&s->size_bytes, file_size(s->writer.db, SQLITE_FCNTL_FILE_POINTER) +
	                                     file_size(s->writer.db, SQLITE_FCNTL_JOURNAL_POINTER));
}
