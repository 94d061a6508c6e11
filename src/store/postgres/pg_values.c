/*
 * The synchronous calls of the port: values of the installation, shared blobs, and what is read
 * once at the start.  Each is one statement, and one that writes is durable when it returns.
 *
 * The loop does not wait for a server that is away: the call fails (nodes/pg_calls.h).  Statements
 * are such that the second run of one that had been carried out changes nothing.
 */
#include "store/postgres/nodes/pg_calls.h"
#include "store/postgres/pg_store.h"

enum err pg_values_ask(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                       struct pg_rows *ret, struct error *e)
{
	struct error own;

	return pg_calls_ask(s, q, args, false, ret, e ? e : &own);
}

/* ret_count: the rows that it returned. */
static enum err tell_counted(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                             int *ret_count, struct error *e)
{
	struct pg_rows rows;
	struct error own;
	enum err err = pg_calls_ask(s, q, args, true, &rows, e ? e : &own);

	*ret_count = rows.count;
	pg_conn_rows_done(&rows);
	return err;
}

enum err pg_values_tell(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                        struct error *e)
{
	int count;

	return tell_counted(s, q, args, &count, e);
}

enum err pg_values_get(struct pg_store *s, struct arena *mem, struct str key, struct str *ret,
                       struct error *e)
{
	static const struct pg_sql q = { "get", "SELECT value FROM meta WHERE key = $1::text" };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, key);
	err = pg_values_ask(s, &q, &args, &rows, e);
	if (err == OK && !rows.count)
		err = fail(e, ERR_NOT_FOUND, "there is no such value");
	if (err == OK)
		*ret = arena_keep(mem, pg_conn_str(&rows, 0, 0));
	pg_conn_rows_done(&rows);
	return err;
}

/*
 * A node that was found dead changes nothing that the others share, also if it does not know that yet: what
 * it was asked to do has been done by another one.
 */
enum err pg_values_set(struct pg_store *s, struct str key, struct str value, struct error *e)
{
	static const struct pg_sql q = {
		"set", "INSERT INTO meta(key, value) SELECT $1::text, $2::bytea"
		       " WHERE EXISTS (SELECT FROM node WHERE incarnation = $3::bigint"
		       " AND ended_at IS NULL)"
		       " ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING 1"
	};
	struct pg_args args = { 0 };
	int count = 0;
	enum err err;

	if (!str_is(key) || !str_is(value))
		return fail(e, ERR_INVALID, "a value of the installation needs a key and a text");
	pg_args_str(&args, key);
	pg_args_str(&args, value);
	pg_args_i64(&args, s->incarnation);
	err = tell_counted(s, &q, &args, &count, e);
	if (err == OK && !count)
		err = fail(e, ERR_UNAVAILABLE,
		           "store_taken: another node found this one dead; nothing was written");
	if (err == OK && str_eq(key, STR("rebuild")))
		atomic_store(&s->needs_rebuild, str_eq(value, STR("1")));
	return err;
}

/* The second statement waits for another node that does the same, and the third sees what it committed. */
enum err pg_values_keep(struct pg_store *s, struct arena *mem, struct str key, struct str value,
                        struct str *ret, struct error *e)
{
	static const struct pg_sql q = { "keep",
		                         "INSERT INTO meta(key, value) VALUES ($1::text, $2::bytea)"
		                         " ON CONFLICT (key) DO NOTHING" };
	struct pg_args args = { 0 };
	enum err err;

	if (!str_is(key) || !str_is(value))
		return fail(e, ERR_INVALID, "a value of the installation needs a key and a text");
	err = pg_values_get(s, mem, key, ret, e);
	if (err != ERR_NOT_FOUND)
		return err;
	pg_args_str(&args, key);
	pg_args_str(&args, value);
	err = pg_values_tell(s, &q, &args, e);
	return err == OK ? pg_values_get(s, mem, key, ret, e) : err;
}

enum err pg_values_keep_blob(struct pg_store *s, struct str ref, struct str media_type,
                             struct str data, struct error *e)
{
	static const struct pg_sql q = {
		"keep_blob", "INSERT INTO blob(ref, media_type, data)"
			     " VALUES ($1::text, $2::text, $3::bytea) ON CONFLICT (ref) DO UPDATE"
			     " SET session_no = NULL, seq = NULL, media_type = excluded.media_type,"
			     " data = excluded.data"
			     " WHERE blob.session_no IN (SELECT session_no FROM removed)"
	};
	struct pg_args args = { 0 };
	enum err err;

	if (!str_is(ref))
		return fail(e, ERR_INVALID, "a blob needs a ref");
	pg_args_str(&args, ref);
	pg_args_str(&args, media_type);
	pg_args_str(&args, str_is(data) ? data : STR(""));
	err = pg_values_tell(s, &q, &args, e);
	return err;
}

enum err pg_values_accounts(struct pg_store *s, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e)
{
	static const struct pg_sql q = { "accounts", "SELECT account, sum(spent)::bigint,"
		                                     " sum(reserved)::bigint FROM ledger"
		                                     " GROUP BY account" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_values_ask(s, &q, &none, &rows, e);

	if (err != OK)
		return err;
	*ret = ARENA_ARRAY(mem, struct ledger_move, (size_t)rows.count + 1);
	*ret_count = (size_t)rows.count;
	for (int i = 0; i < rows.count; i++)
		(*ret)[i] =
			(struct ledger_move){ arena_keep(mem, pg_conn_str(&rows, i, 0)),
			                      pg_conn_i64(&rows, i, 1), pg_conn_i64(&rows, i, 2) };
	pg_conn_rows_done(&rows);
	return OK;
}

enum err pg_values_pending(struct pg_store *s, struct arena *mem, struct pending_op **ret,
                           size_t *ret_count, struct error *e)
{
	static const struct pg_sql q = { "pending_ops", "SELECT id, kind, seq, ref FROM pending"
		                                        " JOIN session USING (session_no)"
		                                        " ORDER BY session_no, seq" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_values_ask(s, &q, &none, &rows, e);

	if (err != OK)
		return err;
	*ret = ARENA_ARRAY(mem, struct pending_op, (size_t)rows.count + 1);
	*ret_count = (size_t)rows.count;
	for (int i = 0; i < rows.count; i++)
		(*ret)[i] = (struct pending_op){
			.session = arena_keep(mem, pg_conn_str(&rows, i, 0)),
			.kind = (enum maintenance_kind)pg_conn_i64(&rows, i, 1),
			.seq = (uint64_t)pg_conn_i64(&rows, i, 2),
			.ref = arena_keep(mem, pg_conn_str(&rows, i, 3)),
		};
	pg_conn_rows_done(&rows);
	return OK;
}
