/*
 * What deleted sessions left behind.
 *
 *   0 recorded ──► 1 its rows are gone ──► 2 its ids are being removed ──► 3 swept
 *
 * No read finds these rows, because every read looks for the row of the session.  The row
 * in `removed` stays: an id of a session is not used again.  Rows of INDEX_ID have no
 * index by session, so those of all deleted sessions are removed in one pass over that
 * table.  INDEX_USAGE stays: what was spent does not change.
 */
#include "store/postgres/pg_store.h"

#include "base/memory.h"

enum { REMOVED_RECORDED, REMOVED_EMPTY, REMOVED_SWEEPING, REMOVED_SWEPT };

#define STEP_OUTPUTS 256
#define STEP_IDS 4096

static_assert(INDEX_ID == 5 && INDEX_OUTPUT == 7 && INDEX_USAGE == 8,
              "the statements below and in pg_schema.c name these tables by number");

/* Rows of outputs stay until their files are gone: after a crash they are found again. */
static enum err drop_outputs(struct pg_store *s, struct store_maintenance *u)
{
	static const struct pg_sql q = { "drop_outputs",
		                         "DELETE FROM idx i USING removed r"
		                         " WHERE i.tbl = 7 AND i.key = ANY ($1::text[])"
		                         " AND r.session_no = i.session_no" };
	struct pg_args args = { 0 };
	struct buf *keys = pg_args_array(&args, PG_TEXT);

	for (size_t i = 0; i < u->ref_count; i++)
		pg_args_put_str(keys, u->refs[i]);
	return pg_conn_tell(&s->keeper, &q, &args, &u->error);
}

static enum err find_outputs(struct pg_store *s, struct store_maintenance *u)
{
	static const struct pg_sql q = { "find_outputs",
		                         "SELECT i.key FROM removed r JOIN idx i USING (session_no)"
		                         " WHERE r.state = 0 AND i.tbl = 7 AND i.status = 'spilled'"
		                         " LIMIT $1::bigint" };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, STEP_OUTPUTS);
	err = pg_conn_ask(&s->keeper, &q, &args, &rows, &u->error);
	u->mem = arena_new();
	u->found = ARENA_ARRAY(u->mem, struct str, STEP_OUTPUTS);
	for (int i = 0; i < rows.count; i++)
		u->found[u->found_count++] = arena_keep(u->mem, pg_conn_str(&rows, i, 0));
	pg_conn_rows_done(&rows);
	return err;
}

/* What is left: the state of the session that is behind all others; REMOVED_SWEPT: nothing. */
static enum err find_left(struct pg_store *s, int64_t *ret_state, int64_t *ret_no, struct error *e)
{
	static const struct pg_sql q = { "find_left", "SELECT state, session_no FROM removed"
		                                      " WHERE state < 3 ORDER BY state LIMIT 1" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->keeper, &q, &none, &rows, e);

	*ret_state = REMOVED_SWEPT;
	if (err == OK && rows.count) {
		*ret_state = pg_conn_i64(&rows, 0, 0);
		*ret_no = pg_conn_i64(&rows, 0, 1);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* A part of one session's rows; when there were none, it is done with. */
static enum err empty_session(struct pg_store *s, int64_t no, struct error *e)
{
	static const struct pg_sql q = {
		"empty_session",
		"WITH c AS (DELETE FROM chunk WHERE ctid = ANY (ARRAY(SELECT ctid FROM chunk"
		" WHERE session_no = $1::bigint LIMIT 64)) RETURNING 1),"
		" p AS (DELETE FROM pack WHERE ctid = ANY (ARRAY(SELECT ctid FROM pack"
		" WHERE session_no = $1::bigint LIMIT 8)) RETURNING 1),"
		" b AS (DELETE FROM blob WHERE ctid = ANY (ARRAY(SELECT ctid FROM blob"
		" WHERE session_no = $1::bigint LIMIT 64)) RETURNING 1),"
		" n AS (DELETE FROM snapshot WHERE session_no = $1::bigint RETURNING 1),"
		" i AS (DELETE FROM idx WHERE ctid = ANY (ARRAY(SELECT ctid FROM idx"
		" WHERE session_no = $1::bigint AND tbl <> 5 AND tbl <> 8 LIMIT 512)) RETURNING 1)"
		" UPDATE removed SET state = 1 WHERE session_no = $1::bigint"
		" AND (SELECT count(*) FROM c) + (SELECT count(*) FROM p) + (SELECT count(*) FROM "
		"b)"
		" + (SELECT count(*) FROM n) + (SELECT count(*) FROM i) = 0"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, no);
	return pg_conn_tell(&s->keeper, &q, &args, e);
}

/* ---- ids ---- */

static enum err move_state(struct pg_store *s, int64_t from, int64_t to, struct error *e)
{
	static const struct pg_sql q = { "move_state", "UPDATE removed SET state = $2::bigint"
		                                       " WHERE state = $1::bigint" };
	struct pg_args args = { 0 };

	pg_args_i64(&args, from);
	pg_args_i64(&args, to);
	return pg_conn_tell(&s->keeper, &q, &args, e);
}

static void pass_on(struct pg_store *s, struct str to)
{
	memory_free((char *)s->sweep_from);
	s->sweep_from = str_is(to) ? memory_strndup(to.ptr, to.len) : NULL;
}

/* A pass for the sessions that had no other rows when it began.  A crash begins it again. */
static enum err sweep_ids(struct pg_store *s, struct error *e)
{
	static const struct pg_sql q = {
		"sweep_ids",
		"WITH page AS MATERIALIZED (SELECT key, session_no FROM idx WHERE tbl = 5"
		" AND key > $1::text ORDER BY key LIMIT $2::bigint),"
		" gone AS (DELETE FROM idx i USING page, removed r WHERE i.tbl = 5"
		" AND i.key = page.key AND r.session_no = page.session_no AND r.state = 2)"
		" SELECT max(key), count(*) FROM page"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	bool is_last;
	enum err err = s->sweep_from ? OK : move_state(s, REMOVED_EMPTY, REMOVED_SWEEPING, e);

	if (err != OK)
		return err;
	pg_args_str(&args, str_from(s->sweep_from ? s->sweep_from : ""));
	pg_args_i64(&args, STEP_IDS);
	err = pg_conn_ask(&s->keeper, &q, &args, &rows, e);
	if (err != OK)
		return err;
	is_last = pg_conn_i64(&rows, 0, 1) < STEP_IDS;
	pass_on(s, is_last ? STR_NONE : pg_conn_str(&rows, 0, 0));
	pg_conn_rows_done(&rows);
	return is_last ? move_state(s, REMOVED_SWEEPING, REMOVED_SWEPT, e) : OK;
}

/* ---- steps ---- */

static enum err sweep(struct pg_store *s, struct store_maintenance *u)
{
	int64_t state = REMOVED_SWEPT, no = 0;
	enum err err = u->ref_count ? drop_outputs(s, u) : OK;

	if (err == OK)
		err = find_left(s, &state, &no, &u->error);
	if (err == OK && state == REMOVED_RECORDED)
		err = find_outputs(s, u);
	if (err != OK)
		return err;
	u->more = u->found_count || (state != REMOVED_SWEPT && !(state > 0 && u->keeps_ids));
	if (u->found_count || !u->more)
		return OK;
	return state == REMOVED_RECORDED ? empty_session(s, no, &u->error)
	                                 : sweep_ids(s, &u->error);
}

enum err pg_sweep_step(struct pg_store *s, struct store_maintenance *u)
{
	enum err err = sweep(s, u);

	if (err == OK)
		return OK;
	pass_on(s, STR_NONE);
	arena_free(u->mem);
	u->mem = NULL;
	u->found_count = 0;
	return err;
}
