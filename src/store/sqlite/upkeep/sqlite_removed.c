/*
 * Sessions that were deleted.
 *
 * The transaction that commits the event about it moves the session's row to the table
 * `removed`: from then on no read finds the session, because every read looks for that
 * row.  What is left are rows with its number, which steps of maintenance remove:
 *
 *   0 recorded ──► 1 its rows are gone ──► 2 its ids are being removed ──► 3 swept
 *
 * A crash in between leaves rows that no read sees, and the next start continues.  The
 * row in `removed` stays: an id of a session is not used again, and neither is its number.
 *
 * idx_id has no index by session, so ids of all deleted sessions are removed in one pass
 * over that table.  idx_usage stays: what was spent does not change.  Idempotency records
 * stay as long as others.
 *
 * The table was added to format 5 without a new version: a file without it has no deleted
 * sessions.
 */
#include "store/sqlite/sqlite_int.h"

enum { REMOVED_RECORDED, REMOVED_EMPTY, REMOVED_SWEEPING, REMOVED_SWEPT };

/* One step: rows, counted by what it costs to remove them. */
#define STEP_COST 512
#define STEP_OUTPUTS 256
#define STEP_IDS 4096

static const struct {
	const char *name;
	int cost;
} tables[] = {
	{ "event", 1 },    { "pack", 64 },      { "blob", 8 },        { "snapshot", 8 },
	{ "idx_task", 1 }, { "idx_thread", 1 }, { "idx_action", 1 },  { "idx_timer", 1 },
	{ "idx_item", 1 }, { "idx_output", 1 }, { "idx_session", 1 },
};

static const char make_sql[] =
	"CREATE TABLE IF NOT EXISTS removed("
	" session_no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, last_seq INTEGER NOT NULL,"
	" last_hash BLOB NOT NULL, by INTEGER NOT NULL, state INTEGER NOT NULL) STRICT;"
	"CREATE INDEX IF NOT EXISTS removed_left ON removed(state) WHERE state < 3;";

bool sqlite_removed_make(struct conn *writer)
{
	return sqlite3_exec(writer->db, make_sql, NULL, NULL, NULL) == SQLITE_OK;
}

enum err sqlite_removed_has(struct sqlite_store *s, struct str id, bool *ret, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_FIND);
	int rc;

	if (!st)
		return sqlite_writer_error(s, e);
	sqlite_conn_bind_str(st, 1, id);
	rc = sqlite3_step(st);
	*ret = rc == SQLITE_ROW;
	sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? OK : sqlite_writer_error(s, e);
}

static bool run_with(struct sqlite_store *s, enum write_stmt which, int64_t number)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, which);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, number);
	return sqlite_conn_run(st);
}

bool sqlite_removed_write(struct sqlite_store *s, const struct pending_op *c, int64_t session_no)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, session_no);
	sqlite_conn_bind_str(st, 2, c->ref);
	sqlite3_bind_int64(st, 3, as_int(c->last_seq));
	sqlite_conn_bind_hash(st, 4, &c->last_hash);
	sqlite3_bind_int64(st, 5, as_int(c->seq));
	/* A cut or an erasure that was pending has nothing left to work on. */
	return sqlite_conn_run(st) && run_with(s, W_REMOVED_SESSION, session_no) &&
	       run_with(s, W_REMOVED_PENDING, session_no);
}

/* ---- steps ---- */

/* Rows of outputs stay until their files are gone: after a crash they are found again. */
static bool drop_outputs(struct sqlite_store *s, const struct store_maintenance *u)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_OUTPUT);

	for (size_t i = 0; st && i < u->ref_count; i++) {
		sqlite_conn_bind_str(st, 1, u->refs[i]);
		if (!sqlite_conn_run(st))
			return false;
	}
	return st != NULL;
}

static bool find_outputs(struct sqlite_store *s, struct store_maintenance *u)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_OUTPUTS);
	int rc;

	if (!st)
		return false;
	u->mem = arena_new();
	u->found = ARENA_ARRAY(u->mem, struct str, STEP_OUTPUTS);
	sqlite3_bind_int(st, 1, STEP_OUTPUTS);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && u->found_count < STEP_OUTPUTS)
		u->found[u->found_count++] = arena_keep(u->mem, sqlite_conn_column_str(st, 0));
	sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

/*
 * Removes rows of one table until the step is full; what it cost, or -1.  As many rows as were
 * asked for may not have been all of them, so they cost the whole step.
 */
static int64_t empty_table(struct sqlite_store *s, size_t table, int64_t session_no, int64_t room)
{
	const char *name = tables[table].name;
	int64_t limit = MAX(room / tables[table].cost, 1), removed;
	char sql[192];

	sqlite3_snprintf(sizeof sql, sql,
	                 "DELETE FROM %s WHERE rowid IN"
	                 " (SELECT rowid FROM %s WHERE session_no = %lld LIMIT %lld)",
	                 name, name, (long long)session_no, (long long)limit);
	if (sqlite3_exec(s->writer.db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	removed = sqlite3_changes64(s->writer.db);
	return removed < limit ? removed * tables[table].cost : room;
}

/* False: an error.  *room is 0 or less when the step is full, and the session may have more. */
static bool empty_session(struct sqlite_store *s, int64_t session_no, int64_t *room)
{
	for (size_t i = 0; i < COUNT_OF(tables) && *room > 0; i++) {
		int64_t cost = empty_table(s, i, session_no, *room);

		if (cost < 0)
			return false;
		*room -= cost;
	}
	return *room <= 0 || run_with(s, W_REMOVED_STATE, session_no);
}

/* The next session with rows; 0: there is none, -1: an error. */
static int64_t next_session(struct sqlite_store *s)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_NEXT);
	int64_t no = -1;
	int rc = st ? sqlite3_step(st) : SQLITE_ERROR;

	if (rc == SQLITE_ROW)
		no = sqlite3_column_int64(st, 0);
	else if (rc == SQLITE_DONE)
		no = 0;
	sqlite3_reset(st);
	return no;
}

static bool empty_sessions(struct sqlite_store *s)
{
	int64_t room = STEP_COST, no = 0;

	while (room > 0 && (no = next_session(s)) > 0) {
		room--; /* of its own row: sessions without any others end as well */
		if (!empty_session(s, no, &room))
			return false;
	}
	return no >= 0;
}

static bool move_state(struct sqlite_store *s, int from, int to)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_MOVE);

	if (!st)
		return false;
	sqlite3_bind_int(st, 1, from);
	sqlite3_bind_int(st, 2, to);
	return sqlite_conn_run(st);
}

/*
 * A pass over idx_id for the sessions that had no other rows when it began.  A crash or a
 * step that fails begins it again.
 */
static bool sweep_ids(struct sqlite_store *s, int64_t last_id)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_IDS);

	if (!st)
		return false;
	if (!s->sweep.end) {
		s->sweep.at = 0;
		s->sweep.end = MAX(last_id, 1);
		if (!move_state(s, REMOVED_EMPTY, REMOVED_SWEEPING))
			return false;
	}
	sqlite3_bind_int64(st, 1, s->sweep.at);
	sqlite3_bind_int64(st, 2, s->sweep.at + STEP_IDS);
	if (!sqlite_conn_run(st))
		return false;
	s->sweep.at += STEP_IDS;
	if (s->sweep.at < s->sweep.end)
		return true;
	s->sweep.end = 0;
	return move_state(s, REMOVED_SWEEPING, REMOVED_SWEPT);
}

/* What is left: the state of the session that is behind all others; REMOVED_SWEPT: nothing. */
static bool what_is_left(struct sqlite_store *s, int *ret_state, int64_t *ret_last_id)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_REMOVED_LEFT);
	bool is_read = st && sqlite3_step(st) == SQLITE_ROW;

	if (is_read) {
		*ret_state = sqlite3_column_type(st, 0) == SQLITE_NULL ? REMOVED_SWEPT
		                                                       : sqlite3_column_int(st, 0);
		*ret_last_id = sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	return is_read;
}

static bool sweep_step(struct sqlite_store *s, struct store_maintenance *u)
{
	int state = REMOVED_SWEPT;
	int64_t last_id = 0;
	bool is_good;

	if (u->ref_count && !drop_outputs(s, u))
		return false;
	if (!what_is_left(s, &state, &last_id))
		return false;
	if (state == REMOVED_RECORDED && !find_outputs(s, u))
		return false;
	if (u->found_count || state == REMOVED_SWEPT || (state > 0 && u->keeps_ids)) {
		u->more = u->found_count;
		return true;
	}
	is_good = state == REMOVED_RECORDED ? empty_sessions(s) : sweep_ids(s, last_id);
	u->more = true;
	return is_good;
}

void sqlite_removed_again(struct sqlite_store *s, struct store_maintenance *u)
{
	s->sweep.end = 0;
	arena_free(u->mem);
	u->mem = NULL;
	u->found_count = 0;
}

/* In the transaction that is open. */
enum err sqlite_removed_sweep(struct sqlite_store *s, struct job *job, struct error *e)
{
	struct store_maintenance *u = job->maintenance;

	/* What is removed is overwritten in the file, not only released. */
	sqlite3_exec(s->writer.db, "PRAGMA secure_delete=ON", NULL, NULL, NULL);
	if (sweep_step(s, u))
		return OK;
	return sqlite_writer_error(s, e);
}
