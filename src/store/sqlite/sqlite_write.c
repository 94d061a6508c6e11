/*
 * The writer: slices into transactions.
 *
 * A group of batches is one transaction.  Whether a slice continues its
 * session is checked before anything of it is written, so a conflict needs no
 * undo and does not affect the other slices.  Every later failure rolls back
 * the whole group.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "store/event_journal.h"

#include <assert.h>
#include <stdlib.h>

/* One transaction takes this much, unless a single batch is larger. */
#define GROUP_BYTES (4u << 20)

/* What a transaction has added so far; counted when it is committed. */
struct tally {
	uint64_t slices, events, bytes, sessions;
};

/* ---- heads ---- */

/*
 * Heads in memory run ahead of the file inside a transaction, so a rollback discards
 * all of them.
 */
static void forget_heads(struct sqlite_store *s)
{
	for (size_t i = 0; i < HEAD_SLOTS; i++)
		free(s->heads[i].id);
	memset(s->heads, 0, sizeof s->heads);
}

/*
 * Reads the stored head of a session.  A session without a row leaves `h` as it is:
 * number 0, sequence 0 and a zero hash, which is what the first slice of a new session
 * continues.  ERR_CORRUPT concerns this session alone; the caller refuses its slice and
 * writes the others.
 */
static enum err load_head(struct sqlite_store *s, struct str id, struct head *h, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_SESSION_FIND);
	enum err err = OK;

	if (!st)
		return sqlite_writer_error(s, e);
	sqlite_conn_bind_str(st, 1, id);
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		h->no = sqlite3_column_int64(st, 0);
		h->seq = (uint64_t)sqlite3_column_int64(st, 1);
		h->floor = (uint64_t)sqlite3_column_int64(st, 4);
		if (!sqlite_conn_column_hash(st, 2, &h->hash))
			err = fail(e, ERR_CORRUPT, "%s is damaged: the head of %.*s is no hash",
			           s->path, STR_ARG(id));
		else if (!sqlite3_column_int(st, 3))
			err = fail(e, ERR_CORRUPT,
			           "%s is damaged: the record of session %.*s is not what was "
			           "written",
			           s->path, STR_ARG(id));
		break;
	case SQLITE_DONE:
		break; /* number 0: no such session yet */
	default:
		err = sqlite_writer_error(s, e);
	}
	sqlite3_reset(st);
	return err;
}

/*
 * The head of a session, from memory or from the file.  Two sessions may share a slot:
 * then they replace each other, and each change costs one lookup.  The slot is filled
 * only after the lookup succeeded, so a failure leaves no half-read head.
 */
static enum err find_head(struct sqlite_store *s, struct str id, struct head **ret, struct error *e)
{
	struct head *h = &s->heads[str_hash(id) % HEAD_SLOTS];

	if (!h->id || !str_eq(str_of(h->id, h->id_len), id)) {
		struct head fresh = { .id_len = id.len };
		enum err err = load_head(s, id, &fresh, e);

		if (err != OK)
			return err;
		fresh.id = memory_alloc(id.len + 1);
		memcpy(fresh.id, id.ptr, id.len);
		free(h->id);
		*h = fresh;
	}
	*ret = h;
	return OK;
}

/* ---- one slice ---- */

/*
 * A session gets its number with its first slice.  The row holds a zero hash and no
 * checksum until write_head() fills them in within the same transaction; a slice
 * without events leaves it so, and readers do not see that session.
 */
static bool make_session(struct sqlite_store *s, struct head *h, struct tally *t)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_SESSION_NEW);

	if (!st)
		return false;
	sqlite_conn_bind_str(st, 1, str_of(h->id, h->id_len));
	sqlite_conn_bind_hash(st, 2, &h->hash);
	if (!sqlite_conn_run(st))
		return false;
	h->no = sqlite3_last_insert_rowid(s->writer.db);
	t->sessions++;
	return true;
}

/*
 * The position is taken from memory and not from SQLite: slice.first_position has to be
 * known without reading back, and roll_back() resets the counter.
 */
static bool write_event(struct sqlite_store *s, const struct head *h, const struct store_event *ev,
                        struct str journal)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_EVENT);
	struct str body = bytes_str(ev->body);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, (int64_t)s->next_position);
	sqlite3_bind_int64(st, 2, h->no);
	sqlite3_bind_int64(st, 3, (int64_t)ev->seq);
	sqlite3_bind_int64(st, 4, ev->type);
	sqlite_conn_bind_hash(st, 5, &ev->hash);
	sqlite3_bind_blob64(st, 6, body.ptr, body.len, SQLITE_STATIC);
	sqlite3_bind_int64(st, 7,
	                   sqlite_sum_event(&(struct sum_event){
				   .session_no = h->no,
				   .position = s->next_position,
				   .seq = ev->seq,
				   .type = ev->type,
				   .hash = str_of((const char *)ev->hash.state, SHA256_BYTES),
				   .body = body,
			   }));
	if (journal.len)
		sqlite3_bind_blob64(st, 8, journal.ptr, journal.len, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, 8);
	if (!sqlite_conn_run(st))
		return false;
	s->next_position++;
	return true;
}

static bool write_head(struct sqlite_store *s, const struct head *h)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_SESSION_HEAD);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)h->seq);
	sqlite_conn_bind_hash(st, 3, &h->hash);
	return sqlite_conn_run(st);
}

/*
 * Moves the head in memory along with the rows, so that a later slice of the same
 * session in this group continues it.  The session's row is updated once per slice, not
 * once per event.
 */
static bool write_events(struct sqlite_store *s, struct slice *sl, struct head *h, struct tally *t)
{
	CLEANUP(buf_done) struct buf journal = { 0 };
	size_t next = 0;

	sl->first_position = sl->event_count ? s->next_position : 0;
	for (size_t i = 0; i < sl->event_count; i++) {
		const struct store_event *ev = &sl->events[i];

		assert(ev->seq == h->seq + 1);
		buf_clear(&journal);
		if (next < sl->journal_count && sl->journal[next].seq == ev->seq)
			event_journal_put(&journal, h->no, &sl->journal[next++]);
		if (!write_event(s, h, ev, buf_str(&journal)))
			return false;
		h->seq = ev->seq;
		h->hash = ev->hash;
		t->bytes += ev->body->len;
	}
	t->events += sl->event_count;
	return sl->event_count == 0 || write_head(s, h);
}

/*
 * Deletes all index rows of one session, before a rebuild writes them again.  Tables
 * without an index by session are scanned; that is acceptable because rebuilding is
 * rare.
 */
static bool clear_rows(struct sqlite_store *s, const struct head *h)
{
	for (int t = 0; t < INDEX_TABLES; t++) {
		char sql[128];

		sqlite3_snprintf(sizeof sql, sql, "DELETE FROM %s WHERE session_no = %lld",
		                 sqlite_file_index_table[t], (long long)h->no);
		if (sqlite3_exec(s->writer.db, sql, NULL, NULL, NULL) != SQLITE_OK)
			return false;
	}
	return true;
}

/*
 * Splits the rows of a slice: ids, timers and everything on a full disk goes to its
 * table at once, the rest is one record of row_log (sqlite_rowlog.c).
 */
static enum err write_rows(struct sqlite_store *s, const struct slice *sl, const struct head *h,
                           struct error *e)
{
	CLEANUP(buf_done) struct buf later = { 0 };
	size_t later_count = 0;
	enum err err;

	/*
	 * Rows that are written directly must come after the rows still deferred in
	 * row_log; otherwise a later sqlite_rowlog_apply() would put the older version
	 * back.
	 */
	if (sl->clears_rows || atomic_load(&s->is_low)) {
		err = atomic_load(&s->rowlog_rows) ? sqlite_rowlog_apply(s, e) : OK;
		if (err != OK)
			return err;
	}
	if (sl->clears_rows && !clear_rows(s, h))
		return sqlite_writer_error(s, e);
	for (size_t i = 0; i < sl->row_count; i++) {
		const struct index_row *row = &sl->rows[i];

		assert(row->table < INDEX_TABLES && str_is(row->key));
		if (!sl->clears_rows && sqlite_rowlog_takes(s, row->table)) {
			sqlite_rowlog_add(&later, h->no, row);
			later_count++;
		} else if (row->remove ? !sqlite_writer_remove_row(s, row)
		                       : !sqlite_writer_put_row(s, h->no, row)) {
			return sqlite_writer_error(s, e);
		}
	}
	if (later_count && !sqlite_rowlog_write(s, &later, later_count))
		return sqlite_writer_error(s, e);
	return OK;
}

/* A ref means the same bytes for ever: what is there already stays. */
/*
 * A blob that an event of this slice names again stays as long as that event: retention
 * removes blobs by their `seq`.
 */
static bool name_again(struct sqlite_store *s, struct str ref, const struct head *h)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_BLOB_AGAIN);

	if (!st)
		return false;
	sqlite_conn_bind_str(st, 1, ref);
	sqlite3_bind_int64(st, 2, h->no);
	sqlite3_bind_int64(st, 3, (int64_t)h->seq);
	return sqlite_conn_run(st);
}

/*
 * Writes the blobs of a slice with the last event of that slice as their `seq`.  A ref
 * means the same bytes for ever, so the insert of an existing ref does nothing.  Needs
 * the head after write_events().
 */
static bool write_blobs(struct sqlite_store *s, const struct slice *sl, const struct head *h)
{
	sqlite3_stmt *st = sl->blob_count ? sqlite_writer_stmt(s, W_BLOB) : NULL;

	for (size_t i = 0; i < sl->blob_count; i++) {
		const struct blob_row *blob = &sl->blobs[i];

		if (blob->is_again) {
			if (!name_again(s, blob->ref, h))
				return false;
			continue;
		}
		if (!st)
			return false;
		sqlite_conn_bind_str(st, 1, blob->ref);
		sqlite3_bind_int64(st, 2, h->no);
		sqlite_conn_bind_str(st, 3, blob->media_type);
		/* A NULL pointer would bind SQL NULL, and an empty blob is valid content. */
		sqlite3_bind_blob64(st, 4, str_is(blob->data) ? blob->data.ptr : "", blob->data.len,
		                    SQLITE_STATIC);
		sqlite3_bind_int64(st, 5, (int64_t)h->seq);
		if (!sqlite_conn_run(st))
			return false;
	}
	return true;
}

static bool write_idem(struct sqlite_store *s, const struct idem_row *idem, const struct head *h)
{
	for (; idem; idem = idem->next) {
		sqlite3_stmt *st = sqlite_writer_stmt(s, W_IDEM);

		if (!st)
			return false;
		sqlite_conn_bind_hash(st, 1, &idem->key);
		sqlite_conn_bind_hash(st, 2, &idem->body);
		sqlite3_bind_int64(st, 3, h->no);
		sqlite3_bind_int64(st, 4, (int64_t)idem->seq);
		sqlite3_bind_int64(st, 5, idem->at);
		sqlite_conn_bind_str(st, 6, str_is(idem->reply) ? idem->reply : STR(""));
		if (!sqlite_conn_run(st))
			return false;
	}
	return true;
}

/* The chain's hash at seq; *ret_found is false when that event is no longer there. */
static bool hash_at(struct sqlite_store *s, const struct head *h, uint64_t seq,
                    struct sha256 *ret_hash, bool *ret_found)
{
	if (seq == h->seq) {
		*ret_hash = h->hash;
		*ret_found = true;
		return true;
	}

	sqlite3_stmt *st = sqlite_writer_stmt(s, W_EVENT_HASH);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)seq);

	int rc = sqlite3_step(st);

	*ret_found = rc == SQLITE_ROW && sqlite_conn_column_hash(st, 0, ret_hash);
	sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

/*
 * Stores the snapshot with the chain's hash at its event, so that a reader can tell
 * whether it belongs to this log.
 */
static bool write_snapshot(struct sqlite_store *s, const struct slice *sl, const struct head *h)
{
	struct sha256 hash;
	bool found;

	if (!str_is(sl->snapshot))
		return true;
	assert(sl->snapshot_seq <= h->seq && str_is(sl->snapshot_version));
	if (!hash_at(s, h, sl->snapshot_seq, &hash, &found))
		return false;
	/* A snapshot below the floor has no events to continue with; none is ever taken inside a pack. */
	if (!found)
		return true;

	sqlite3_stmt *st = sqlite_writer_stmt(s, W_SNAPSHOT);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)sl->snapshot_seq);
	sqlite_conn_bind_hash(st, 3, &hash);
	sqlite_conn_bind_str(st, 4, sl->snapshot_version);
	sqlite3_bind_blob64(st, 5, sl->snapshot.ptr, sl->snapshot.len, SQLITE_STATIC);
	return sqlite_conn_run(st);
}

/* ---- deleted sessions ---- */

/*
 * Deletes the sessions that the slice says, if they have the heads that it says.  Heads are
 * read from the file: the caller's head may be in the slot of one of these.
 */
static enum err delete_sessions(struct sqlite_store *s, const struct slice *sl, bool is_trial,
                                bool *ret_fits, struct tally *t, struct error *e)
{
	*ret_fits = true;
	for (size_t i = 0; i < sl->pending_count; i++) {
		const struct pending_op *c = &sl->pending_ops[i];
		struct head *slot = &s->heads[str_hash(c->ref) % HEAD_SLOTS], found = { 0 };
		enum err err;

		if (c->kind != MAINTENANCE_SWEEP)
			continue;
		err = load_head(s, c->ref, &found, e);
		if (err != OK)
			return err;
		/* Number 0 is that of blobs without a session, which must not become deleted. */
		if (!found.no || found.seq != c->last_seq ||
		    !sha256_eq(&found.hash, &c->last_hash) || str_eq(c->ref, sl->session))
			*ret_fits = false;
		if (is_trial || !*ret_fits)
			continue;
		if (!sqlite_removed_write(s, c, found.no))
			return sqlite_writer_error(s, e);
		t->sessions--; /* wrap around, as the counters do */
		t->events -= found.seq - found.floor;
		if (slot->id && str_eq(str_of(slot->id, slot->id_len), c->ref)) {
			free(slot->id);
			*slot = (struct head){ 0 };
		}
	}
	return OK;
}

/* Before anything of the slice is written. */
static enum err slice_fits(struct sqlite_store *s, const struct slice *sl, const struct head *h,
                           bool *ret, struct error *e)
{
	bool was_deleted = false;
	enum err err = h->no ? OK : sqlite_removed_has(s, sl->session, &was_deleted, e);

	*ret = !was_deleted && sl->prev_seq == h->seq && sha256_eq(&sl->prev_hash, &h->hash);
	return err == OK && *ret && sl->pending_count ? delete_sessions(s, sl, true, ret, NULL, e)
	                                              : err;
}

/*
 * One session's part of a transaction.  All checks come before the first write: a
 * conflict or a damaged session marks this slice and returns OK, and the other slices
 * of the group commit.  An error return rolls back the whole group.
 *
 * Events come first, because blobs and snapshot refer to the head that write_events()
 * has moved.
 */
static enum err write_slice(struct sqlite_store *s, struct slice *sl, struct tally *t,
                            struct error *e)
{
	struct head *h;
	bool fits = false;
	enum err err = find_head(s, sl->session, &h, e);

	if (err == OK)
		err = slice_fits(s, sl, h, &fits, e);
	if (err == ERR_CORRUPT) {
		sl->state = SLICE_CORRUPT; /* of this session alone */
		return OK;
	}
	if (err != OK)
		return err;
	if (!fits) {
		sl->state = SLICE_CONFLICT;
		return OK;
	}
	if ((h->no == 0 && !make_session(s, h, t)) || !write_events(s, sl, h, t) ||
	    !write_blobs(s, sl, h) || !write_idem(s, sl->idem, h) || !write_snapshot(s, sl, h) ||
	    !sqlite_ledger_write(s, sl) || !sqlite_pending_write(s, sl, h->no))
		return sqlite_writer_error(s, e);
	err = write_rows(s, sl, h, e);
	if (err == OK && sl->pending_count)
		err = delete_sessions(s, sl, false, &fits, t, e);
	t->slices += err == OK;
	return err;
}

/* ---- groups ---- */

/*
 * What a slice adds to a transaction, roughly.  Fixed columns are left out: the sum
 * only bounds groups and feeds the statistics.
 */
static uint64_t slice_weight(const struct slice *sl)
{
	uint64_t sum = sl->snapshot.len;

	for (size_t i = 0; i < sl->event_count; i++)
		sum += sl->events[i].body->len;
	for (size_t i = 0; i < sl->journal_count; i++)
		sum += sl->journal[i].key.len + sl->journal[i].body.len;
	for (size_t i = 0; i < sl->row_count; i++)
		sum += sl->rows[i].key.len + sl->rows[i].body.len;
	for (size_t i = 0; i < sl->blob_count; i++)
		sum += sl->blobs[i].data.len;
	return sum;
}

uint64_t sqlite_write_batch_weight(const struct batch *b)
{
	uint64_t sum = 0;

	for (const struct slice *sl = b->first; sl; sl = sl->next)
		sum += slice_weight(sl);
	return sum;
}

void sqlite_write_fail_batch(struct batch *b, const struct error *why)
{
	b->error = *why;
	for (struct slice *sl = b->first; sl; sl = sl->next)
		sl->state = SLICE_FAILED;
}

static void batch_committed(struct batch *b)
{
	b->error = (struct error){ 0 };
	for (struct slice *sl = b->first; sl; sl = sl->next)
		if (sl->state == SLICE_WAITING)
			sl->state = SLICE_COMMITTED;
}

/* A repeated transaction calls this again for the same batch, so each slice begins as WAITING. */
static enum err write_batch(struct sqlite_store *s, struct batch *b, struct tally *t,
                            struct error *e)
{
	enum err err = OK;

	for (struct slice *sl = b->first; sl && err == OK; sl = sl->next) {
		sl->state = SLICE_WAITING;
		err = write_slice(s, sl, t, e);
	}
	return err;
}

static void roll_back(struct sqlite_store *s, uint64_t position)
{
	/*
	 * SQLite may have rolled back by itself.  Should it be unable to, the
	 * next BEGIN fails and ends the store.
	 */
	if (!sqlite3_get_autocommit(s->writer.db))
		(void)!sqlite_conn_run(sqlite_writer_stmt(s, W_ROLLBACK));
	forget_heads(s);
	s->next_position = position;
}

/* All jobs from first up to, not including, end. */
static enum err transact(struct sqlite_store *s, struct mail *first, const struct mail *end,
                         struct tally *t, struct error *e)
{
	uint64_t position = s->next_position, bytes = 0;
	enum err err = OK;

	for (struct mail *m = first; m != end; m = m->next)
		bytes += OWNER_OF(m, struct job, mail)->bytes;
	if (!sqlite_space_allows(s, bytes))
		return fail(e, ERR_FULL, "the disk of %s is full", s->path);
	if (!sqlite_conn_run(sqlite_writer_stmt(s, W_BEGIN)))
		err = sqlite_writer_error(s, e);
	for (struct mail *m = first; m != end && err == OK; m = m->next)
		err = write_batch(s, OWNER_OF(m, struct job, mail)->batch, t, e);
	if (err == OK && !sqlite_identity_mark(s))
		err = sqlite_writer_error(s, e);
	if (err == OK && !sqlite_conn_run(sqlite_writer_stmt(s, W_COMMIT)))
		err = sqlite_writer_commit_error(s, e);
	if (err == OK)
		sqlite_identity_marked(s);
	if (err != OK)
		roll_back(s, position);
	return err;
}

/*
 * The statistics count what is committed.  A group of refused slices wrote nothing and
 * is no commit.
 */
static void count_commit(struct sqlite_store *s, const struct tally *t, int64_t took_ns)
{
	if (t->slices == 0)
		return;
	atomic_fetch_add(&s->commits, 1);
	atomic_fetch_add(&s->events, t->events);
	atomic_fetch_add(&s->bytes, t->bytes);
	atomic_fetch_add(&s->sessions, t->sessions);
	atomic_store(&s->last_position, s->next_position - 1);
	atomic_store(&s->last_commit_us, (uint64_t)took_ns / 1000);
	sqlite_space_reserve(s);
	sqlite_writer_measure(s);
}

/* Where the group that begins at first ends. */
static struct mail *group_end(struct mail *first)
{
	uint64_t bytes = OWNER_OF(first, struct job, mail)->bytes;
	struct mail *m = first->next;

	while (m && OWNER_OF(m, struct job, mail)->kind == JOB_BATCH &&
	       bytes + OWNER_OF(m, struct job, mail)->bytes <= GROUP_BYTES) {
		bytes += OWNER_OF(m, struct job, mail)->bytes;
		m = m->next;
	}
	return m;
}

/*
 * Commits the batches from `first` up to `end` and posts their replies.  All batches of
 * a group have one result; only conflicts and damage are per slice.
 *
 * A transaction is repeated in two cases, both without loss because nothing was
 * committed: a page could not be read, or the disk is full and the ballast could be
 * deleted.  Every other failure ends the store, see sqlite_state_fail().
 */
static void commit_group(struct sqlite_store *s, struct mail *first, struct mail *end)
{
	struct error e;
	struct tally t = { 0 };
	int64_t began = clock_mono_ns();
	enum err err = sqlite_state_is_dead(s, &e) ? e.code : OK;

	if (err == OK) {
		pthread_mutex_lock(&s->writer.lock);
		err = transact(s, first, end, &t, &e);
		for (unsigned try = 0; err == ERR_UNREADABLE && sqlite_read_retry(s, try); try++) {
			t = (struct tally){ 0 };
			err = transact(s, first, end, &t, &e);
		}
		if (err == ERR_FULL && sqlite_room_drop_ballast(s)) {
			t = (struct tally){ 0 };
			err = transact(s, first, end, &t, &e);
		}
		/* A commit to a file that was moved or deleted meanwhile does not count. */
		if (err == OK)
			err = sqlite_watch_check(s, &e);
		if (err == OK)
			count_commit(s, &t, clock_mono_ns() - began);
		else
			sqlite_state_fail(s, &e);
		pthread_mutex_unlock(&s->writer.lock);
	}
	for (struct mail *m = first, *next; m != end; m = next) {
		struct job *job = OWNER_OF(m, struct job, mail);

		next = m->next; /* posting gives the job away */
		if (err == OK)
			batch_committed(job->batch);
		else
			sqlite_write_fail_batch(job->batch, &e);
		mailbox_post(&s->answered, &job->mail);
	}
}

/*
 * A read of lists that arrived while rows were deferred: the rows reach their tables
 * first, then the reader serves the request.  If they cannot be applied, the read fails
 * instead of returning an outdated list.
 */
static void read_behind(struct sqlite_store *s, struct job *job)
{
	struct store_read *r = job->read;
	struct error e = { 0 };
	enum err err = sqlite_rowlog_catch_up(s, &e);

	if (err == OK) {
		mailbox_post(&s->to_reader, &job->mail);
		return;
	}
	r->result = err;
	r->error = e;
	mailbox_post(&s->answered, &job->mail);
}

/* The order of jobs is kept: a maintenance step or a read ends the group before it. */
void sqlite_write_work(struct sqlite_store *s, struct mail *jobs)
{
	while (jobs) {
		struct job *job = OWNER_OF(jobs, struct job, mail);
		struct mail *end = jobs->next;

		if (job->kind == JOB_MAINTENANCE) {
			sqlite_maintenance_write(s, job);
		} else if (job->kind == JOB_READ) {
			read_behind(s, job);
		} else {
			end = group_end(jobs);
			commit_group(s, jobs, end);
			sqlite_rowlog_after_commit(s);
		}
		jobs = end;
		sqlite_idle_checkpoint(s);
	}
}

/* ---- start and meta ---- */

/*
 * Continues where the last process ended.  The last position may be in a pack, because
 * packing moves events out of `event`.
 */
enum err sqlite_write_start(struct sqlite_store *s, struct error *e)
{
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	if (sqlite3_prepare_v2(s->writer.db,
	                       "SELECT max((SELECT coalesce(max(position), 0) FROM event),"
	                       " (SELECT coalesce(max(last_position), 0) FROM pack)),"
	                       " (SELECT count(*) FROM session),"
	                       " (SELECT total(last_seq - floor_seq) FROM session)",
	                       -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		s->next_position = (uint64_t)sqlite3_column_int64(st, 0) + 1;
		atomic_store(&s->last_position, s->next_position - 1);
		atomic_store(&s->sessions, (uint64_t)sqlite3_column_int64(st, 1));
		atomic_store(&s->events, (uint64_t)sqlite3_column_int64(st, 2));
	} else {
		err = sqlite_conn_error(&s->writer, "cannot read", e);
	}
	sqlite3_finalize(st);
	sqlite3_wal_hook(s->writer.db, sqlite_idle_on_wal, s);
	sqlite_writer_measure(s);
	return err == OK ? sqlite_rowlog_start(s, e) : err;
}

void sqlite_write_done(struct sqlite_store *s)
{
	/* What a failed disk holds is for the next start to find out, not for a checkpoint. */
	if (s->writer.db && atomic_load(&s->is_dead))
		sqlite3_db_config(s->writer.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	forget_heads(s);
	sqlite_conn_close(&s->writer);
}

/* A row that belongs to no session: a value of the installation, or a blob that sessions share. */
struct lone_row {
	struct str key, value;
	const struct blob_row *blob; /* NULL: a meta value */
};

static enum err put_meta(struct sqlite_store *s, struct str key, struct str value, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_META);

	if (!st)
		return sqlite_writer_error(s, e);
	sqlite_conn_bind_str(st, 1, key);
	sqlite_conn_bind_str(st, 2, value);
	return sqlite_conn_run(st) ? OK : sqlite_writer_error(s, e);
}

/* Session 0 does not exist and `seq` is NULL, so no retention removes the blob. */
static enum err put_blob(struct sqlite_store *s, const struct blob_row *blob, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_BLOB);

	if (!st)
		return sqlite_writer_error(s, e);
	sqlite_conn_bind_str(st, 1, blob->ref);
	sqlite3_bind_int64(st, 2, 0);
	sqlite_conn_bind_str(st, 3, blob->media_type);
	/* As in a slice: absent data is empty. */
	sqlite3_bind_blob64(st, 4, str_is(blob->data) ? blob->data.ptr : "", blob->data.len,
	                    SQLITE_STATIC);
	sqlite3_bind_null(st, 5);
	return sqlite_conn_run(st) ? OK : sqlite_writer_error(s, e);
}

/*
 * One row in its own transaction, with the same steps as transact(): the mark of the log,
 * the commit, the check that the files are still in place.
 */
static enum err put_at_once(struct sqlite_store *s, const struct lone_row *row, struct error *e)
{
	enum err err = OK;

	if (!sqlite_conn_run(sqlite_writer_stmt(s, W_BEGIN)))
		err = sqlite_writer_error(s, e);
	if (err == OK)
		err = row->blob ? put_blob(s, row->blob, e) : put_meta(s, row->key, row->value, e);
	if (err == OK && !sqlite_identity_mark(s))
		err = sqlite_writer_error(s, e);
	if (err == OK && !sqlite_conn_run(sqlite_writer_stmt(s, W_COMMIT)))
		err = sqlite_writer_commit_error(s, e);
	if (err == OK)
		sqlite_identity_marked(s);
	if (!sqlite3_get_autocommit(s->writer.db))
		(void)!sqlite_conn_run(sqlite_writer_stmt(s, W_ROLLBACK));
	return err == OK ? sqlite_watch_check(s, e) : err;
}

/*
 * Synchronous and on the owner's thread, hence the lock that commit_group() takes too.
 * Such a row does not release the ballast: on a full disk the caller gets ERR_FULL.
 */
static enum err write_lone(struct sqlite_store *s, const struct lone_row *row, struct error *e)
{
	struct error own;
	enum err err;

	e = e ? e : &own;
	if (sqlite_state_is_dead(s, e))
		return e->code;
	pthread_mutex_lock(&s->writer.lock);
	err = put_at_once(s, row, e);
	for (unsigned try = 0; err == ERR_UNREADABLE && sqlite_read_retry(s, try); try++)
		err = put_at_once(s, row, e);
	if (err == OK && !row->blob && str_eq(row->key, STR("rebuild")))
		s->needs_rebuild = str_eq(row->value, STR("1"));
	pthread_mutex_unlock(&s->writer.lock);
	if (err != OK)
		sqlite_state_fail(s, e);
	return err;
}

enum err sqlite_write_meta(struct sqlite_store *s, struct str key, struct str value,
                           struct error *e)
{
	if (!str_is(key) || !str_is(value))
		return fail(e, ERR_INVALID, "a value of the installation needs a key and a text");
	return write_lone(s, &(struct lone_row){ .key = key, .value = value }, e);
}

enum err sqlite_write_blob(struct sqlite_store *s, const struct blob_row *blob, struct error *e)
{
	if (!str_is(blob->ref))
		return fail(e, ERR_INVALID, "a blob needs a ref");
	return write_lone(s, &(struct lone_row){ .blob = blob }, e);
}
