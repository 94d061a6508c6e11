/*
 * Later marks for sessions in doubt.
 *
 * Two statements, because the second has to see rows that another transaction inserted while the
 * first waited for it.  A session that does not exist yet gets a row without events, which readers
 * do not see; its first append is found in doubt like any other.
 *
 * The mark of a slice without events is what tells that it was committed (pg_doubt.h), so it
 * stays where it is found.
 */
#include "store/postgres/reconnect/pg_fence.h"

/* A request has at most so many ids. */
#define PAGE 4096

static const struct pg_sql make_sql = {
	"fence_make",
	"INSERT INTO session(id, owner, mark, last_seq, last_hash)"
	" SELECT DISTINCT u.id, $2::bigint, $3::bigint, 0, decode(repeat('00', 32), 'hex')"
	" FROM unnest($1::text[]) AS u(id)"
	" WHERE NOT EXISTS (SELECT FROM session s WHERE s.id = u.id)"
	" AND NOT EXISTS (SELECT FROM removed r WHERE r.id = u.id)"
	" ORDER BY 1 ON CONFLICT (id) DO NOTHING"
};

static const struct pg_sql mark_sql = {
	"fence_mark", "WITH l AS MATERIALIZED (SELECT session_no FROM session"
		      " WHERE id = ANY ($1::text[]) AND owner IN (0, $2::bigint)"
		      " AND mark <> ALL ($4::bigint[]) ORDER BY session_no FOR UPDATE)"
		      " UPDATE session s SET mark = $3::bigint FROM l"
		      " WHERE s.session_no = l.session_no"
};

struct fence {
	struct pg_store *s;
	const struct pg_doubt *all;
	size_t from, to;
	uint64_t mark;
	const struct pg_wait *wait;
};

static void put_args(const struct fence *f, bool with_bare, struct pg_args *args)
{
	struct buf *ids = pg_args_array(args, PG_TEXT), *bare;

	for (size_t i = f->from; i < f->to; i++)
		pg_args_put_str(ids, f->all[i].slice->session);
	pg_args_i64(args, f->s->incarnation);
	pg_args_i64(args, as_int(f->mark));
	if (!with_bare)
		return;
	bare = pg_args_array(args, PG_INT8);
	for (size_t i = f->from; i < f->to; i++)
		if (!f->all[i].slice->event_count)
			pg_args_put_i64(bare, as_int(f->all[i].mark));
}

static enum err tell(const struct fence *f, const struct pg_sql *q, bool with_bare, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	put_args(f, with_bare, &args);
	err = pg_conn_ask_until(&f->s->writer, q, &args, f->wait, &rows, e);
	pg_conn_rows_done(&rows);
	return err;
}

enum err pg_fence_close(struct pg_store *s, const struct pg_doubt *all, size_t count,
                        const struct pg_wait *wait, struct error *e)
{
	enum err err = OK;

	if (!s->writer.is_pooled)
		return OK;
	for (size_t from = 0; from < count && err == OK; from += PAGE) {
		struct fence f = { .s = s,
			           .all = all,
			           .from = from,
			           .to = MIN(from + PAGE, count),
			           .mark = ((uint64_t)s->incarnation << 40) + s->next_mark++,
			           .wait = wait };

		err = tell(&f, &make_sql, false, e);
		if (err == OK)
			err = tell(&f, &mark_sql, true, e);
	}
	return err;
}
