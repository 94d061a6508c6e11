/*
 * One transaction of the writer beside the commits of batches: maintenance and
 * rows that are written behind.  It carries the mark of the log and ends the
 * store when the disk fails, like every commit.
 */
#include "store/sqlite/sqlite_int.h"

/*
 * `write` runs inside the transaction and reports its own error; nothing of it is
 * committed then.  The check of the files follows the commit, because a commit to a
 * file that was moved away is lost.
 */
enum err sqlite_transact(struct sqlite_store *s,
                         enum err (*write)(struct sqlite_store *s, struct job *job,
                                           struct error *e),
                         struct job *job, struct error *e)
{
	enum err err = sqlite_state_is_dead(s, e) ? e->code : OK;

	if (err != OK)
		return err;
	pthread_mutex_lock(&s->writer.lock);
	if (!sqlite_space_allows(s, 0)) {
		pthread_mutex_unlock(&s->writer.lock);
		return fail(e, ERR_FULL, "the disk of %s is full", s->path);
	}
	if (!sqlite_conn_run(sqlite_writer_stmt(s, W_BEGIN)))
		err = sqlite_writer_error(s, e);
	if (err == OK)
		err = write(s, job, e);
	if (err == OK && !sqlite_identity_mark(s))
		err = sqlite_writer_error(s, e);
	if (err == OK && !sqlite_conn_run(sqlite_writer_stmt(s, W_COMMIT)))
		err = sqlite_writer_commit_error(s, e);
	if (err == OK)
		sqlite_identity_marked(s);
	if (err == OK)
		err = sqlite_watch_check(s, e);
	if (err == OK) {
		sqlite_space_reserve(s);
		sqlite_writer_measure(s);
	} else {
		if (!sqlite3_get_autocommit(s->writer.db))
			(void)!sqlite_conn_run(sqlite_writer_stmt(s, W_ROLLBACK));
		sqlite_state_fail(s, e);
	}
	pthread_mutex_unlock(&s->writer.lock);
	return err;
}
