/* The transaction of a backup, and what it says of the log as a whole. */
#include "store/postgres/backup/pg_backup_moment.h"

#include "base/os/clock.h"
#include "ports/store_move.h"
#include "store/postgres/pg_schema.h"
#include "store/postgres/wire/pg_url.h"

/* A page may take long on a slow server. */
#define PATIENCE_MS 600000

enum err pg_backup_moment_ask(struct pg_backup_moment *m, const char *sql, struct pg_args *args,
                              struct pg_rows *ret, struct error *e)
{
	return pg_conn_ask_plain(&m->conn, sql, args, clock_mono_ms() + PATIENCE_MS, ret, e);
}

/* An error ends a transaction, but not what it was before a savepoint. */
enum err pg_backup_moment_try(struct pg_backup_moment *m, const char *sql, struct pg_rows *ret,
                              struct error *e)
{
	struct pg_args none = { 0 };
	enum err err = pg_conn_run(&m->conn, "SAVEPOINT trying", e);

	*ret = (struct pg_rows){ 0 };
	if (err != OK)
		return err;
	err = pg_backup_moment_ask(m, sql, &none, ret, e);
	if (err == OK)
		return pg_conn_run(&m->conn, "RELEASE trying", e);
	pg_conn_rows_done(ret);
	return m->conn.is_lost ? err : pg_conn_run(&m->conn, "ROLLBACK TO trying", e);
}

/* ---- the log ---- */

static enum err refuse_content(const char *schema, bool is_empty, struct error *e)
{
	if (is_empty)
		return fail(e, ERR_NOT_FOUND,
		            "store_missing: there is no log in the schema %s. Another one is named "
		            "with "
		            "-c store.schema=NAME",
		            schema);
	return fail(
		e, ERR_STORE,
		"store_foreign: the schema %s holds the tables of another program. Another one is "
		"named with -c store.schema=NAME",
		schema);
}

/* A schema without this right is passed over, and its tables would seem to be missing. */
static enum err refuse_rights(const char *schema, struct error *e)
{
	return fail(
		e, ERR_STORE,
		"store_rights: this role may not read the schema %s. GRANT USAGE ON SCHEMA %s and "
		"SELECT ON ALL TABLES in it, or name another role",
		schema, schema);
}

static enum err look_inside(struct pg_backup_moment *m, const char *schema, struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	bool is_ours = false, is_empty = false, may_use = true;
	enum err err;

	pg_args_str(&args, str_from(schema));
	err = pg_backup_moment_ask(
		m,
		"SELECT count(*), count(*) FILTER (WHERE relname = 'store' AND EXISTS (SELECT FROM"
		" pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND attname = 'application')),"
		" coalesce(bool_and(has_schema_privilege(n.oid, 'USAGE')), true)"
		" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace"
		" WHERE nspname = $1::text AND relkind IN ('r', 'p', 'v', 'm', 'f')",
		&args, &rows, e);
	if (err == OK) {
		is_empty = !pg_conn_i64(&rows, 0, 0);
		is_ours = pg_conn_i64(&rows, 0, 1);
		may_use = pg_conn_bool(&rows, 0, 2);
	}
	pg_conn_rows_done(&rows);
	if (err == OK && !may_use)
		return refuse_rights(schema, e);
	return err == OK && !is_ours ? refuse_content(schema, is_empty, e) : err;
}

/* Tables before format 7 have the format that programs must know. */
static enum err read_tables(struct pg_backup_moment *m, struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err =
		pg_backup_moment_ask(m, "SELECT tables::bigint FROM upgrade", &none, &rows, e);

	if (err == OK && rows.count)
		m->format = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

/* m->format is that of the tables: while nodes of two versions live, more than programs must know. */
static enum err read_format(struct pg_backup_moment *m, const char *schema, struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	bool has_upgrade = false;
	int64_t needed = 0;
	enum err err = pg_backup_moment_ask(
		m,
		"SELECT application, format::bigint, to_regclass(quote_ident(current_schema())"
		" || '.upgrade') IS NOT NULL FROM store",
		&none, &rows, e);

	if (err == OK && (rows.count != 1 || !str_eq(pg_conn_str(&rows, 0, 0), STR("thole")))) {
		err = refuse_content(schema, false, e);
	} else if (err == OK) {
		needed = m->format = pg_conn_i64(&rows, 0, 1);
		has_upgrade = pg_conn_bool(&rows, 0, 2);
	}
	pg_conn_rows_done(&rows);
	if (err == OK && needed > PG_SCHEMA_FORMAT)
		return fail(e, ERR_STORE,
		            "store_format: the schema %s has format %lld, this program knows "
		            "formats up "
		            "to %d. Use the newer program that wrote it",
		            schema, (long long)needed, PG_SCHEMA_FORMAT);
	if (err == OK && has_upgrade)
		err = read_tables(m, e);
	if (err == OK && m->format < PG_SCHEMA_FORMAT)
		return fail(e, ERR_STORE,
		            "store_format: the schema %s has format %lld, this program reads "
		            "format %d. "
		            "Start a node of this version on it once, or use the older program",
		            schema, (long long)m->format, PG_SCHEMA_FORMAT);
	return err;
}

static enum err read_log(struct pg_backup_moment *m, struct arena *mem, const char *schema,
                         struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	struct str move, moved;
	enum err err = pg_backup_moment_ask(
		m,
		"SELECT (SELECT convert_from(value, 'UTF8') FROM meta WHERE key = 'runtime_id'),"
		" (SELECT last_position FROM counter),"
		" (SELECT convert_from(value, 'UTF8') FROM meta WHERE key = '" STORE_MOVE_KEY "'),"
		" (SELECT convert_from(value, 'UTF8') FROM meta WHERE key = '" STORE_MOVED_KEY "'),"
		" to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')",
		&none, &rows, e);

	if (err != OK)
		return err;
	m->log_id = arena_keep(mem, pg_conn_str(&rows, 0, 0));
	m->last_position = pg_conn_i64(&rows, 0, 1);
	move = pg_conn_str(&rows, 0, 2);
	moved = pg_conn_str(&rows, 0, 3);
	m->at = arena_keep(mem, pg_conn_str(&rows, 0, 4));
	if (str_is(move) && !str_ends(move, STR(" complete")))
		err = fail(e, ERR_STORE,
		           "store_moving: a log is being moved into the schema %s and is not "
		           "whole. Run "
		           "thole move again",
		           schema);
	else if (moved.len)
		err = fail(e, ERR_STORE, "store_moved: the log of the schema %s was moved to %.*s",
		           schema, STR_ARG(moved));
	else if (!m->log_id.len)
		err = fail(e, ERR_NOT_FOUND, "store_missing: the log in the schema %s is empty",
		           schema);
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- the transaction ---- */

/* No time limit of a role ends it, and `thole doctor` shows whose transaction it is. */
static enum err begin(struct pg_backup_moment *m, const char *schema, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str sql = arena_printf(
		mem,
		"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
		" SET LOCAL search_path = \"%s\"; SET LOCAL jit = off;"
		" SET LOCAL client_min_messages = warning; SET LOCAL application_name = 'thole "
		"backup';"
		" SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings WHERE name IN"
		" ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',"
		" 'transaction_timeout')",
		schema);

	return pg_conn_run(&m->conn, sql.ptr, e);
}

enum err pg_backup_moment_open(struct pg_backup_moment *m, struct arena *mem, const char *url,
                               const char *schema, struct error *e)
{
	const struct pg_lib *lib = pg_lib_load(e);
	enum err err;

	*m = (struct pg_backup_moment){ 0 };
	if (!lib)
		return ERR_UNSUPPORTED;
	if (!pg_schema_name_is_good(str_from(schema)))
		return pg_schema_bad_name(e);
	err = pg_url_check(lib, url, e);
	if (err == OK)
		err = pg_conn_open_plain(&m->conn, lib, url, 0, e);
	if (err == OK)
		err = pg_pool_find(&m->conn, url, clock_mono_ms() + PATIENCE_MS, &m->pool, e);
	if (err == OK)
		err = begin(m, schema, e);
	if (err == OK)
		err = look_inside(m, schema, e);
	if (err == OK)
		err = read_format(m, schema, e);
	return err == OK ? read_log(m, mem, schema, e) : err;
}

void pg_backup_moment_close(struct pg_backup_moment *m)
{
	if (m->conn.pg)
		pg_conn_close(&m->conn);
}
