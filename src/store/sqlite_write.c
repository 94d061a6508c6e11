/*
 * The writer: slices into transactions.
 *
 * A group of batches is one transaction.  Whether a slice continues its
 * session is settled before anything of it is written, so a conflict leaves
 * no trace to undo and the other slices go on; every later failure undoes
 * the whole group.
 */
#include "store/sqlite_int.h"

#include "base/clock.h"

#include <assert.h>
#include <stdlib.h>

/* One transaction takes this much, unless a single batch is larger. */
#define GROUP_BYTES (4u << 20)

static const char *const write_sql[W_INDEX_PUT] = {
	[W_BEGIN] = "BEGIN IMMEDIATE",
	[W_COMMIT] = "COMMIT",
	[W_ROLLBACK] = "ROLLBACK",
	[W_SESSION_FIND] =
		"SELECT session_no, last_seq, last_hash, sum IS NULL OR sum = " SESSION_SUM
		" FROM session WHERE id = ?",
	/* Its sum comes with the first event; the number is not known before. */
	[W_SESSION_NEW] = "INSERT INTO session(id, last_seq, last_hash, floor_seq, floor_hash)"
			  " VALUES(?1, 0, ?2, 0, ?2)",
	[W_SESSION_HEAD] = "UPDATE session SET last_seq = ?2, last_hash = ?3, sum ="
			   " thole_sum(session_no, id, ?2, ?3, floor_seq, floor_hash, floor_ref)"
			   " WHERE session_no = ?1",
	[W_EVENT] = "INSERT INTO event(position, session_no, seq, type, hash, body, sum)"
		    " VALUES(?, ?, ?, ?, ?, ?, ?)",
	[W_EVENT_HASH] = "SELECT hash FROM event WHERE session_no = ?1 AND seq = ?2 UNION ALL"
			 " SELECT last_hash FROM pack WHERE session_no = ?1 AND last_seq = ?2"
			 " UNION ALL"
			 " SELECT floor_hash FROM session WHERE session_no = ?1 AND floor_seq = ?2",
	[W_IDEM] = "INSERT OR REPLACE INTO idem(key, body, session_no, seq, at, reply)"
		   " VALUES(?, ?, ?, ?, ?, ?)",
	[W_SNAPSHOT] = "INSERT OR REPLACE INTO snapshot(session_no, seq, hash, version, body, sum)"
		       " VALUES(?1, ?2, ?3, ?4, ?5, thole_sum(?1, ?2, ?3, ?4, ?5))",
	[W_BLOB] = "INSERT INTO blob(ref, session_no, media_type, data, seq, sum)"
		   " VALUES(?1, ?2, ?3, ?4, ?5, thole_sum(?1, ?2, ?3, ?4))"
		   " ON CONFLICT DO NOTHING",
	[W_BLOB_AGAIN] = "UPDATE blob SET seq = ?3 WHERE ref = ?1 AND session_no = ?2",
	[W_META] = "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)",
	[W_PACK] = "INSERT INTO pack(session_no, first_seq, last_seq, first_position,"
		   " last_position, span, prev_hash, last_hash, head, body, sum)"
		   " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[W_PACK_DROP] = "DELETE FROM pack WHERE pack_no = ?",
	[W_EVENTS_DROP] = "DELETE FROM event WHERE session_no = ? AND seq BETWEEN ? AND ?",
	[W_EVENT_ERASE] = "UPDATE event SET body = ?3, digest = ?4, sum = ?5"
			  " WHERE session_no = ?1 AND seq = ?2",
	[W_FLOOR] = "UPDATE session SET floor_seq = ?2, floor_hash = ?3, floor_ref = ?4, sum ="
		    " thole_sum(session_no, id, last_seq, last_hash, ?2, ?3, ?4)"
		    " WHERE session_no = ?1",
	[W_BLOBS_DROP] = "DELETE FROM blob WHERE session_no = ?1 AND seq <= ?2 AND ref IS NOT ?3",
	[W_BLOB_DROP] = "DELETE FROM blob WHERE session_no = ? AND ref = ?",
	[W_SNAPSHOT_DROP] = "DELETE FROM snapshot WHERE session_no = ?",
	[W_CHORE] = "INSERT OR REPLACE INTO chore(session_no, kind, seq, ref) VALUES(?, ?, ?, ?)",
	[W_CHORE_DROP] = "DELETE FROM chore WHERE session_no = ? AND kind = ? AND seq = ?",
	[W_IDEM_PURGE] = "DELETE FROM idem WHERE rowid IN"
			 " (SELECT rowid FROM idem WHERE at < ? ORDER BY at LIMIT ?)",
	[W_MARK] = "UPDATE mark SET data = ?",
	[W_FREE] = "PRAGMA freelist_count",
	[W_ROWLOG] = "INSERT INTO row_log(rows, sum) VALUES(?1, thole_sum(?1))",
	[W_ROWLOG_READ] = "SELECT rows, sum = thole_sum(rows) FROM row_log ORDER BY no",
	[W_ROWLOG_CLEAR] = "DELETE FROM row_log",
};

/* What a transaction has added so far; counted when it is committed. */
struct tally {
	uint64_t slices, events, bytes, sessions;
};

sqlite3_stmt *writer_stmt(struct sqlite_store *s, enum write_stmt which)
{
	return conn_stmt(&s->writer, which, write_sql[which]);
}

bool writer_failed_to_read(struct sqlite_store *s)
{
	int rc = sqlite3_extended_errcode(s->writer.db);

	return rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ;
}

/* Until the commit nothing was promised: a page that could not be read is no failed write. */
enum err writer_trouble(struct sqlite_store *s, struct error *e)
{
	bool is_read = writer_failed_to_read(s);
	enum err err = conn_trouble(&s->writer, is_read ? "cannot read" : "cannot write", e);

	if (!is_read || err != ERR_IO)
		return err;
	e->code = ERR_UNREADABLE;
	return ERR_UNREADABLE;
}

/* The commit itself failed, in whichever call: nobody knows what the disk has. */
static enum err commit_trouble(struct sqlite_store *s, struct error *e)
{
	return conn_trouble(&s->writer, "cannot write", e);
}

/* ---- heads ---- */

static void forget_heads(struct sqlite_store *s)
{
	for (size_t i = 0; i < HEAD_SLOTS; i++)
		free(s->heads[i].id);
	memset(s->heads, 0, sizeof s->heads);
}

static enum err load_head(struct sqlite_store *s, struct str id, struct head *h, struct error *e)
{
	sqlite3_stmt *st = writer_stmt(s, W_SESSION_FIND);
	enum err err = OK;

	if (!st)
		return writer_trouble(s, e);
	bind_str(st, 1, id);
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		h->no = sqlite3_column_int64(st, 0);
		h->seq = (uint64_t)sqlite3_column_int64(st, 1);
		if (!column_hash(st, 2, &h->hash))
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
		err = writer_trouble(s, e);
	}
	sqlite3_reset(st);
	return err;
}

/* Two sessions may share a slot: then they take turns in it. */
static enum err find_head(struct sqlite_store *s, struct str id, struct head **ret, struct error *e)
{
	struct head *h = &s->heads[str_hash(id) % HEAD_SLOTS];

	if (!h->id || !str_eq(str_of(h->id, h->id_len), id)) {
		struct head fresh = { .id_len = id.len };
		enum err err = load_head(s, id, &fresh, e);

		if (err != OK)
			return err;
		fresh.id = xmalloc(id.len + 1);
		memcpy(fresh.id, id.ptr, id.len);
		free(h->id);
		*h = fresh;
	}
	*ret = h;
	return OK;
}

/* ---- one slice ---- */

static bool make_session(struct sqlite_store *s, struct head *h, struct tally *t)
{
	sqlite3_stmt *st = writer_stmt(s, W_SESSION_NEW);

	if (!st)
		return false;
	bind_str(st, 1, str_of(h->id, h->id_len));
	bind_hash(st, 2, &h->hash);
	if (!conn_run(st))
		return false;
	h->no = sqlite3_last_insert_rowid(s->writer.db);
	t->sessions++;
	return true;
}

static bool write_event(struct sqlite_store *s, const struct head *h, const struct store_event *ev)
{
	sqlite3_stmt *st = writer_stmt(s, W_EVENT);
	struct str body = bytes_str(ev->body);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, (int64_t)s->next_position);
	sqlite3_bind_int64(st, 2, h->no);
	sqlite3_bind_int64(st, 3, (int64_t)ev->seq);
	sqlite3_bind_int64(st, 4, ev->type);
	bind_hash(st, 5, &ev->hash);
	sqlite3_bind_blob64(st, 6, body.ptr, body.len, SQLITE_STATIC);
	sqlite3_bind_int64(st, 7,
	                   sum_event(&(struct sum_event){
				   .session_no = h->no,
				   .position = s->next_position,
				   .seq = ev->seq,
				   .type = ev->type,
				   .hash = str_of((const char *)ev->hash.state, SHA256_BYTES),
				   .body = body,
			   }));
	if (!conn_run(st))
		return false;
	s->next_position++;
	return true;
}

static bool write_head(struct sqlite_store *s, const struct head *h)
{
	sqlite3_stmt *st = writer_stmt(s, W_SESSION_HEAD);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)h->seq);
	bind_hash(st, 3, &h->hash);
	return conn_run(st);
}

static bool write_events(struct sqlite_store *s, struct slice *sl, struct head *h, struct tally *t)
{
	sl->first_position = sl->event_count ? s->next_position : 0;
	for (size_t i = 0; i < sl->event_count; i++) {
		const struct store_event *ev = &sl->events[i];

		assert(ev->seq == h->seq + 1);
		if (!write_event(s, h, ev))
			return false;
		h->seq = ev->seq;
		h->hash = ev->hash;
		t->bytes += ev->body->len;
	}
	t->events += sl->event_count;
	return sl->event_count == 0 || write_head(s, h);
}

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
	                 index_table_name[table]);
	return conn_stmt(&s->writer, W_INDEX_PUT + table, sql);
}

bool writer_put_row(struct sqlite_store *s, int64_t session_no, const struct index_row *row)
{
	sqlite3_stmt *st = put_stmt(s, row->table);

	if (!st)
		return false;
	bind_str(st, 1, row->key);
	sqlite3_bind_int64(st, 2, session_no);
	bind_str(st, 3, row->status);
	bind_str(st, 4, row->parent);
	sqlite3_bind_int64(st, 5, row->at);
	sqlite3_bind_int(st, 6, row->open);
	bind_str(st, 7, row->body);
	return conn_run(st);
}

bool writer_remove_row(struct sqlite_store *s, const struct index_row *row)
{
	char sql[64];
	sqlite3_stmt *st;

	sqlite3_snprintf(sizeof sql, sql, "DELETE FROM %s WHERE key = ?",
	                 index_table_name[row->table]);
	st = conn_stmt(&s->writer, W_INDEX_REMOVE + row->table, sql);
	if (!st)
		return false;
	bind_str(st, 1, row->key);
	return conn_run(st);
}

/* Rare, and of one session: found by their session where there is an index, else one by one. */
static bool clear_rows(struct sqlite_store *s, const struct head *h)
{
	for (int t = 0; t < INDEX_TABLES; t++) {
		char sql[128];

		sqlite3_snprintf(sizeof sql, sql, "DELETE FROM %s WHERE session_no = %lld",
		                 index_table_name[t], (long long)h->no);
		if (sqlite3_exec(s->writer.db, sql, NULL, NULL, NULL) != SQLITE_OK)
			return false;
	}
	return true;
}

static enum err write_rows(struct sqlite_store *s, const struct slice *sl, const struct head *h,
                           struct error *e)
{
	CLEANUP(buf_done) struct buf later = { 0 };
	size_t later_count = 0;
	enum err err;

	/* What is put off belongs before the rows that replace it. */
	if (sl->clears_rows || atomic_load(&s->is_low)) {
		err = atomic_load(&s->rowlog_rows) ? rowlog_apply(s, e) : OK;
		if (err != OK)
			return err;
	}
	if (sl->clears_rows && !clear_rows(s, h))
		return writer_trouble(s, e);
	for (size_t i = 0; i < sl->row_count; i++) {
		const struct index_row *row = &sl->rows[i];

		assert(row->table < INDEX_TABLES && str_is(row->key));
		if (!sl->clears_rows && rowlog_takes(s, row->table)) {
			rowlog_add(&later, h->no, row);
			later_count++;
		} else if (row->remove ? !writer_remove_row(s, row)
		                       : !writer_put_row(s, h->no, row)) {
			return writer_trouble(s, e);
		}
	}
	if (later_count && !rowlog_write(s, &later, later_count))
		return writer_trouble(s, e);
	return OK;
}

/* A ref means the same bytes for ever: what is there already stays. */
/* What an event names stays as long as that event. */
static bool name_again(struct sqlite_store *s, struct str ref, const struct head *h)
{
	sqlite3_stmt *st = writer_stmt(s, W_BLOB_AGAIN);

	if (!st)
		return false;
	bind_str(st, 1, ref);
	sqlite3_bind_int64(st, 2, h->no);
	sqlite3_bind_int64(st, 3, (int64_t)h->seq);
	return conn_run(st);
}

static bool write_blobs(struct sqlite_store *s, const struct slice *sl, const struct head *h)
{
	sqlite3_stmt *st = sl->blob_count ? writer_stmt(s, W_BLOB) : NULL;

	for (size_t i = 0; i < sl->blob_count; i++) {
		const struct blob_row *blob = &sl->blobs[i];

		if (blob->is_again) {
			if (!name_again(s, blob->ref, h))
				return false;
			continue;
		}
		if (!st)
			return false;
		bind_str(st, 1, blob->ref);
		sqlite3_bind_int64(st, 2, h->no);
		bind_str(st, 3, blob->media_type);
		sqlite3_bind_blob64(st, 4, str_is(blob->data) ? blob->data.ptr : "", blob->data.len,
		                    SQLITE_STATIC);
		sqlite3_bind_int64(st, 5, (int64_t)h->seq);
		if (!conn_run(st))
			return false;
	}
	return true;
}

static bool write_idem(struct sqlite_store *s, const struct idem_row *idem, const struct head *h)
{
	for (; idem; idem = idem->next) {
		sqlite3_stmt *st = writer_stmt(s, W_IDEM);

		if (!st)
			return false;
		bind_hash(st, 1, &idem->key);
		bind_hash(st, 2, &idem->body);
		sqlite3_bind_int64(st, 3, h->no);
		sqlite3_bind_int64(st, 4, (int64_t)idem->seq);
		sqlite3_bind_int64(st, 5, idem->at);
		bind_str(st, 6, str_is(idem->reply) ? idem->reply : STR(""));
		if (!conn_run(st))
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

	sqlite3_stmt *st = writer_stmt(s, W_EVENT_HASH);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)seq);

	int rc = sqlite3_step(st);

	*ret_found = rc == SQLITE_ROW && column_hash(st, 0, ret_hash);
	sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

static bool write_snapshot(struct sqlite_store *s, const struct slice *sl, const struct head *h)
{
	struct sha256 hash;
	bool found;

	if (!str_is(sl->snapshot))
		return true;
	assert(sl->snapshot_seq <= h->seq && str_is(sl->snapshot_version));
	if (!hash_at(s, h, sl->snapshot_seq, &hash, &found))
		return false;
	/* Below the floor a snapshot has no tail to go on with; inside a pack none is ever taken. */
	if (!found)
		return true;

	sqlite3_stmt *st = writer_stmt(s, W_SNAPSHOT);

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, h->no);
	sqlite3_bind_int64(st, 2, (int64_t)sl->snapshot_seq);
	bind_hash(st, 3, &hash);
	bind_str(st, 4, sl->snapshot_version);
	sqlite3_bind_blob64(st, 5, sl->snapshot.ptr, sl->snapshot.len, SQLITE_STATIC);
	return conn_run(st);
}

static enum err write_slice(struct sqlite_store *s, struct slice *sl, struct tally *t,
                            struct error *e)
{
	struct head *h;
	enum err err = find_head(s, sl->session, &h, e);

	if (err == ERR_CORRUPT) {
		sl->state = SLICE_CORRUPT; /* of this session alone */
		return OK;
	}
	if (err != OK)
		return err;
	if (sl->prev_seq != h->seq || !sha256_eq(&sl->prev_hash, &h->hash)) {
		sl->state = SLICE_CONFLICT;
		return OK;
	}
	if ((h->no == 0 && !make_session(s, h, t)) || !write_events(s, sl, h, t) ||
	    !write_blobs(s, sl, h) || !write_idem(s, sl->idem, h) || !write_snapshot(s, sl, h) ||
	    !ledger_write(s, sl) || !chore_write(s, sl, h->no))
		return writer_trouble(s, e);
	err = write_rows(s, sl, h, e);
	if (err != OK)
		return err;
	t->slices++;
	return OK;
}

/* ---- groups ---- */

static uint64_t slice_weight(const struct slice *sl)
{
	uint64_t sum = sl->snapshot.len;

	for (size_t i = 0; i < sl->event_count; i++)
		sum += sl->events[i].body->len;
	for (size_t i = 0; i < sl->row_count; i++)
		sum += sl->rows[i].key.len + sl->rows[i].body.len;
	for (size_t i = 0; i < sl->blob_count; i++)
		sum += sl->blobs[i].data.len;
	return sum;
}

uint64_t batch_weight(const struct batch *b)
{
	uint64_t sum = 0;

	for (const struct slice *sl = b->first; sl; sl = sl->next)
		sum += slice_weight(sl);
	return sum;
}

void batch_fail(struct batch *b, const struct error *why)
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
		(void)!conn_run(writer_stmt(s, W_ROLLBACK));
	forget_heads(s);
	s->next_position = position;
}

/* All jobs from first up to, not including, end. */
static enum err transact(struct sqlite_store *s, struct mail *first, const struct mail *end,
                         struct tally *t, struct error *e)
{
	uint64_t position = s->next_position;
	enum err err = OK;

	if (!conn_run(writer_stmt(s, W_BEGIN)))
		err = writer_trouble(s, e);
	for (struct mail *m = first; m != end && err == OK; m = m->next)
		err = write_batch(s, OWNER_OF(m, struct job, mail)->batch, t, e);
	if (err == OK && !identity_mark(s))
		err = writer_trouble(s, e);
	if (err == OK && !conn_run(writer_stmt(s, W_COMMIT)))
		err = commit_trouble(s, e);
	if (err == OK)
		identity_marked(s);
	if (err != OK)
		roll_back(s, position);
	return err;
}

static void count(struct sqlite_store *s, const struct tally *t, int64_t took_ns)
{
	if (t->slices == 0)
		return;
	atomic_fetch_add(&s->commits, 1);
	atomic_fetch_add(&s->events, t->events);
	atomic_fetch_add(&s->bytes, t->bytes);
	atomic_fetch_add(&s->sessions, t->sessions);
	atomic_store(&s->last_position, s->next_position - 1);
	atomic_store(&s->last_commit_us, (uint64_t)took_ns / 1000);
	idle_measure(s);
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

static void commit_group(struct sqlite_store *s, struct mail *first, struct mail *end)
{
	struct error e;
	struct tally t = { 0 };
	int64_t began = clock_mono_ns();
	enum err err = store_is_dead(s, &e) ? e.code : OK;

	if (err == OK) {
		pthread_mutex_lock(&s->writer.lock);
		err = transact(s, first, end, &t, &e);
		for (unsigned try = 0; err == ERR_UNREADABLE && reader_again(s, try); try++) {
			t = (struct tally){ 0 };
			err = transact(s, first, end, &t, &e);
		}
		if (err == ERR_FULL && ballast_drop(s)) {
			t = (struct tally){ 0 };
			err = transact(s, first, end, &t, &e);
		}
		/* Committed to a file that nobody will find again is not committed. */
		if (err == OK)
			err = sqlite_watch_check(s, &e);
		if (err == OK)
			count(s, &t, clock_mono_ns() - began);
		else
			store_trouble(s, &e);
		pthread_mutex_unlock(&s->writer.lock);
	}
	for (struct mail *m = first, *next; m != end; m = next) {
		struct job *job = OWNER_OF(m, struct job, mail);

		next = m->next; /* posting gives the job away */
		if (err == OK)
			batch_committed(job->batch);
		else
			batch_fail(job->batch, &e);
		mailbox_post(&s->answered, &job->mail);
	}
}

/* A read of lists: what is written behind comes first, then it is the reader's. */
static void read_behind(struct sqlite_store *s, struct job *job)
{
	struct store_read *r = job->read;
	struct error e = { 0 };
	enum err err = rowlog_catch_up(s, &e);

	if (err == OK) {
		mailbox_post(&s->to_reader, &job->mail);
		return;
	}
	r->result = err;
	r->error = e;
	mailbox_post(&s->answered, &job->mail);
}

void writer_work(struct sqlite_store *s, struct mail *jobs)
{
	while (jobs) {
		struct job *job = OWNER_OF(jobs, struct job, mail);
		struct mail *end = jobs->next;

		if (job->kind == JOB_UPKEEP) {
			upkeep_write(s, job);
		} else if (job->kind == JOB_READ) {
			read_behind(s, job);
		} else {
			end = group_end(jobs);
			commit_group(s, jobs, end);
			rowlog_after_commit(s);
		}
		jobs = end;
		idle_checkpoint(s);
	}
}

enum err writer_transact(struct sqlite_store *s,
                         enum err (*write)(struct sqlite_store *s, struct job *job,
                                           struct error *e),
                         struct job *job, struct error *e)
{
	enum err err = store_is_dead(s, e) ? e->code : OK;

	if (err != OK)
		return err;
	pthread_mutex_lock(&s->writer.lock);
	if (!conn_run(writer_stmt(s, W_BEGIN)))
		err = writer_trouble(s, e);
	if (err == OK)
		err = write(s, job, e);
	if (err == OK && !identity_mark(s))
		err = writer_trouble(s, e);
	if (err == OK && !conn_run(writer_stmt(s, W_COMMIT)))
		err = commit_trouble(s, e);
	if (err == OK)
		identity_marked(s);
	if (err == OK)
		err = sqlite_watch_check(s, e);
	if (err == OK) {
		idle_measure(s);
	} else {
		if (!sqlite3_get_autocommit(s->writer.db))
			(void)!conn_run(writer_stmt(s, W_ROLLBACK));
		store_trouble(s, e);
	}
	pthread_mutex_unlock(&s->writer.lock);
	return err;
}

/* ---- start and meta ---- */

enum err writer_start(struct sqlite_store *s, struct error *e)
{
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	if (sqlite3_prepare_v2(s->writer.db,
	                       "SELECT max((SELECT coalesce(max(position), 0) FROM event),"
	                       " (SELECT coalesce(max(last_position), 0) FROM pack)),"
	                       " (SELECT max(session_no) FROM session),"
	                       " (SELECT total(last_seq - floor_seq) FROM session)",
	                       -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW) {
		s->next_position = (uint64_t)sqlite3_column_int64(st, 0) + 1;
		atomic_store(&s->last_position, s->next_position - 1);
		atomic_store(&s->sessions, (uint64_t)sqlite3_column_int64(st, 1));
		atomic_store(&s->events, (uint64_t)sqlite3_column_int64(st, 2));
	} else {
		err = conn_trouble(&s->writer, "cannot read", e);
	}
	sqlite3_finalize(st);
	sqlite3_wal_hook(s->writer.db, idle_on_wal, s);
	idle_measure(s);
	return err == OK ? rowlog_start(s, e) : err;
}

void writer_done(struct sqlite_store *s)
{
	/* What a failed disk holds is for the next start to find out, not for a checkpoint. */
	if (s->writer.db && atomic_load(&s->is_dead))
		sqlite3_db_config(s->writer.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	forget_heads(s);
	conn_close(&s->writer);
}

static enum err put_meta(struct sqlite_store *s, struct str key, struct str value, struct error *e)
{
	sqlite3_stmt *st = writer_stmt(s, W_META);

	if (!st)
		return writer_trouble(s, e);
	bind_str(st, 1, key);
	bind_str(st, 2, value);
	return conn_run(st) ? OK : writer_trouble(s, e);
}

static enum err put_meta_at_once(struct sqlite_store *s, struct str key, struct str value,
                                 struct error *e)
{
	enum err err = OK;

	if (!conn_run(writer_stmt(s, W_BEGIN)))
		err = writer_trouble(s, e);
	if (err == OK)
		err = put_meta(s, key, value, e);
	if (err == OK && !identity_mark(s))
		err = writer_trouble(s, e);
	if (err == OK && !conn_run(writer_stmt(s, W_COMMIT)))
		err = commit_trouble(s, e);
	if (err == OK)
		identity_marked(s);
	if (!sqlite3_get_autocommit(s->writer.db))
		(void)!conn_run(writer_stmt(s, W_ROLLBACK));
	return err == OK ? sqlite_watch_check(s, e) : err;
}

enum err writer_set_meta(struct sqlite_store *s, struct str key, struct str value, struct error *e)
{
	struct error own;
	enum err err;

	e = e ? e : &own;
	if (store_is_dead(s, e))
		return e->code;
	pthread_mutex_lock(&s->writer.lock);
	err = put_meta_at_once(s, key, value, e);
	for (unsigned try = 0; err == ERR_UNREADABLE && reader_again(s, try); try++)
		err = put_meta_at_once(s, key, value, e);
	if (err == OK && str_eq(key, STR("rebuild")))
		s->needs_rebuild = str_eq(value, STR("1"));
	pthread_mutex_unlock(&s->writer.lock);
	if (err != OK)
		store_trouble(s, e);
	return err;
}
