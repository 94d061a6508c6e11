/*
 * Maintenance, the writer's part: writes what the reader planned, in one
 * short transaction.  Appends between plan and write change neither packs nor
 * the planned rows.  Another step may have changed them: then the plan is
 * outdated, it could write back what was removed, and nothing is written
 * (ERR_BUSY).  Pack numbers cannot show that, because they are reused.
 */
#include "store/sqlite/sqlite_int.h"

#include <stdlib.h>

/* The number of bits of n, which is the span of a pack. */
static int bits(uint64_t n)
{
	return n ? 64 - __builtin_clzll(n) : 0;
}

static bool add_pack(struct sqlite_store *s, const struct rewrite *w)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_PACK);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, (int64_t)w->first_seq);
	sqlite3_bind_int64(st, 3, (int64_t)w->last_seq);
	sqlite3_bind_int64(st, 4, (int64_t)w->first_position);
	sqlite3_bind_int64(st, 5, (int64_t)w->last_position);
	sqlite3_bind_int(st, 6, bits(w->last_position - w->first_position));
	sqlite_conn_bind_hash(st, 7, &w->prev_hash);
	sqlite_conn_bind_hash(st, 8, &w->last_hash);
	sqlite3_bind_blob64(st, 9, w->head.ptr, w->head.len, SQLITE_STATIC);
	sqlite3_bind_blob64(st, 10, w->text.ptr, w->text.len, SQLITE_STATIC);
	sqlite3_bind_int64(
		st, 11,
		sqlite_sum_pack(&(struct sum_pack){
			.session_no = w->session_no,
			.first_seq = w->first_seq,
			.last_seq = w->last_seq,
			.first_position = w->first_position,
			.last_position = w->last_position,
			.prev_hash = str_of((const char *)w->prev_hash.state, SHA256_BYTES),
			.last_hash = str_of((const char *)w->last_hash.state, SHA256_BYTES),
			.head = buf_str(&w->head),
		}));
	if (w->journal.len)
		sqlite3_bind_blob64(st, 12, w->journal.ptr, w->journal.len, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, 12);
	return sqlite_conn_run(st);
}

/* Runs a statement that must change exactly this number of rows. */
static enum err run_exactly(struct sqlite_store *s, sqlite3_stmt *st, uint64_t rows,
                            struct error *e)
{
	if (!sqlite_conn_run(st))
		return sqlite_writer_error(s, e);
	if ((uint64_t)sqlite3_changes64(s->writer.db) != rows)
		return fail(e, ERR_BUSY, "the log changed meanwhile");
	return OK;
}

/*
 * The number of removed rows is checked: a plan that finds other rows than it was made
 * for is given up and rolled back.
 */
static enum err drop_old(struct sqlite_store *s, const struct rewrite *w, struct error *e)
{
	enum err err = OK;
	sqlite3_stmt *st;

	if (w->pack_no) {
		st = sqlite_writer_stmt(s, W_PACK_DROP);
		sqlite3_bind_int64(st, 1, w->pack_no);
		err = run_exactly(s, st, 1, e);
	}
	if (err == OK && w->from_seq) {
		st = sqlite_writer_stmt(s, W_EVENTS_DROP);
		sqlite3_bind_int64(st, 1, w->session_no);
		sqlite3_bind_int64(st, 2, (int64_t)w->from_seq);
		sqlite3_bind_int64(st, 3, (int64_t)w->to_seq);
		err = run_exactly(s, st, w->to_seq - w->from_seq + 1, e);
	}
	return err;
}

/*
 * Events and the small blobs that only they name leave together.  `ref` is the blob
 * with the state at the floor.
 */
static bool move_floor(struct sqlite_store *s, const struct rewrite *w, struct str ref)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_FLOOR);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, (int64_t)w->floor_seq);
	sqlite_conn_bind_hash(st, 3, &w->floor_hash);
	sqlite_conn_bind_str(st, 4, ref);
	if (!sqlite_conn_run(st) || !(st = sqlite_writer_stmt(s, W_BLOBS_DROP)))
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, (int64_t)w->floor_seq);
	sqlite_conn_bind_str(st, 3, ref);
	return sqlite_conn_run(st);
}

static bool erase_row(struct sqlite_store *s, const struct rewrite *w, struct str body)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_EVENT_ERASE);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, (int64_t)w->erase_seq);
	sqlite3_bind_blob64(st, 3, str_is(body) ? body.ptr : "", body.len, SQLITE_STATIC);
	sqlite_conn_bind_hash(st, 4, &w->digest);
	sqlite3_bind_int64(st, 5, w->erase_sum);
	return sqlite_conn_run(st);
}

/* The journal holds what the erased event was made from. */
static bool erase_journal(struct sqlite_store *s, const struct rewrite *w)
{
	sqlite3_stmt *st;

	if (w->journal_seq) {
		if (!(st = sqlite_writer_stmt(s, W_JOURNAL_ERASE)))
			return false;
		sqlite3_bind_int64(st, 1, w->session_no);
		sqlite3_bind_int64(st, 2, (int64_t)w->journal_seq);
		sqlite3_bind_blob64(st, 3, w->journal.ptr, w->journal.len, SQLITE_STATIC);
		if (!sqlite_conn_run(st))
			return false;
	}
	if (!w->drops_pack)
		return true;
	if (!(st = sqlite_writer_stmt(s, W_JOURNAL_DROP)))
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	sqlite3_bind_int64(st, 2, (int64_t)w->drops_pack);
	return sqlite_conn_run(st);
}

/* Blobs hold erased text, and the snapshot may; a new snapshot is made from the remaining events. */
static bool drop_words(struct sqlite_store *s, const struct rewrite *w,
                       const struct store_maintenance *u)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_BLOB_DROP);

	for (size_t i = 0; st && i < u->ref_count; i++) {
		sqlite3_bind_int64(st, 1, w->session_no);
		sqlite_conn_bind_str(st, 2, u->refs[i]);
		if (!sqlite_conn_run(st))
			return false;
	}
	if (!st || !(st = sqlite_writer_stmt(s, W_SNAPSHOT_DROP)))
		return false;
	sqlite3_bind_int64(st, 1, w->session_no);
	return sqlite_conn_run(st);
}

/*
 * One transaction: the old form of the events leaves and the new form arrives, so that
 * a reader sees either of them.  The record of a pending cut is deleted with its last
 * step.
 */
static enum err write_rewrite(struct sqlite_store *s, struct job *job, struct error *e)
{
	const struct rewrite *w = job->rewrite;
	const struct store_maintenance *u = job->maintenance;
	enum err err;

	if (w->planned_at != atomic_load(&s->rewrites))
		return fail(e, ERR_BUSY, "the log changed meanwhile");
	/* Removed content is overwritten in the file, not only released. */
	if (u->kind != MAINTENANCE_PACK)
		sqlite3_exec(s->writer.db, "PRAGMA secure_delete=ON", NULL, NULL, NULL);
	err = drop_old(s, w, e);

	if (err != OK)
		return err;
	if ((w->has_pack && !add_pack(s, w)) || (w->floor_seq && !move_floor(s, w, u->ref)) ||
	    (w->erase_seq && !erase_row(s, w, u->body)) ||
	    (u->kind == MAINTENANCE_ERASE && (!drop_words(s, w, u) || !erase_journal(s, w))) ||
	    (u->kind == MAINTENANCE_CUT && !u->more &&
	     !sqlite_pending_strike(s, w->session_no, MAINTENANCE_CUT, u->seq)))
		return sqlite_writer_error(s, e);
	return OK;
}

static enum err write_purge(struct sqlite_store *s, struct job *job, struct error *e)
{
	struct store_maintenance *u = job->maintenance;
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_IDEM_PURGE);

	if (!st)
		return sqlite_writer_error(s, e);
	sqlite3_bind_int64(st, 1, u->before);
	sqlite3_bind_int(st, 2, STEP_ROWS);
	if (!sqlite_conn_run(st))
		return sqlite_writer_error(s, e);
	u->count = (uint64_t)sqlite3_changes64(s->writer.db);
	u->more = u->count == STEP_ROWS;
	return OK;
}

/*
 * On a full disk a step must not use up what earlier steps freed.  Its pages go to the WAL, and
 * the WAL cannot be emptied any more once there is no space to complete the file with its pages:
 * it would keep all space.  So it is emptied first, and a step waits for the reader that prevents
 * it.  Where it cannot be emptied for lack of space, the step may free some.
 */
static enum err empty_wal_first(struct sqlite_store *s, struct error *e)
{
	if (!atomic_load(&s->is_low) || sqlite_idle_shrink(s))
		return OK;
	return fail(e, ERR_FULL, "the disk is full, and a reader of %s keeps its write-ahead log",
	            s->path);
}

/*
 * Writes a planned step, or does one that needs no plan (purge, ballast), and posts the
 * result.  The plan is freed here in every case.
 */
void sqlite_maintenance_write(struct sqlite_store *s, struct job *job)
{
	struct store_maintenance *u = job->maintenance;
	bool is_purge = u->kind == MAINTENANCE_PURGE, is_sweep = u->kind == MAINTENANCE_SWEEP;
	bool wipes = u->kind == MAINTENANCE_CUT || u->kind == MAINTENANCE_ERASE || is_sweep;

	if (u->result == OK && u->kind != MAINTENANCE_ROOM)
		u->result = empty_wal_first(s, &u->error);
	/* Rows in row_log may hold text of the removed events. */
	if (u->result == OK && wipes)
		u->result = sqlite_rowlog_catch_up(s, &u->error);
	if (u->kind == MAINTENANCE_ROOM)
		(void)!sqlite_idle_shrink(s);
	if (u->kind == MAINTENANCE_ROOM)
		u->result = sqlite_state_is_dead(s, &u->error)
		                    ? u->error.code
		                    : sqlite_room_make_ballast(s, &u->error);
	else if (u->result == OK && (job->rewrite || is_purge || is_sweep))
		u->result = sqlite_transact(s,
		                            is_purge   ? write_purge
		                            : is_sweep ? sqlite_removed_sweep
		                                       : write_rewrite,
		                            job, &u->error);
	/* Its place in idx_id is in memory; what the step removed there is back. */
	if (u->result != OK && is_sweep)
		sqlite_removed_again(s, u);
	if (wipes)
		sqlite3_exec(s->writer.db, "PRAGMA secure_delete=FAST", NULL, NULL, NULL);
	if (u->result == OK && (u->kind == MAINTENANCE_ERASE || is_sweep))
		s->has_erased = true;
	if (u->result == OK && (job->rewrite || is_sweep))
		atomic_fetch_add(&s->rewrites, 1);
	if (u->result == OK && u->kind == MAINTENANCE_PACK)
		atomic_fetch_add(&s->packed, u->count);
	if (u->result == OK && u->kind == MAINTENANCE_CUT)
		atomic_fetch_sub(&s->events, u->count);
	if (u->result != OK)
		u->count = 0;
	if (job->rewrite)
		sqlite_plan_free(job->rewrite);
	job->rewrite = NULL;
	mailbox_post(&s->answered, &job->mail);
}
