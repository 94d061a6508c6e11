/*
 * What `thole doctor` reads of the server: a step for each topic, over one connection, until a time.
 *
 * A statement that fails ends the reading, and the findings say at which step.  What a role is
 * not shown is NULL in PostgreSQL's views; it becomes -1 or absent.  Each step that may wait for
 * a lock comes after the one that names who holds locks.
 */
#include "store/postgres/check/pg_check.h"

#include "base/gen/limits.h"
#include "base/os/clock.h"
#include "store/postgres/pg_schema.h"
#include "store/postgres/wire/pg_conn.h"
#include "store/postgres/wire/pg_url.h"

#include <stdlib.h>

#define HOST_SECONDS 3
#define CLOCK_TRIES 3

/* A role without pg_monitor is not shown the type of others. */
#define IS_CLIENT                                                                                  \
	"(backend_type = 'client backend' OR backend_type IS NULL AND usesysid IS NOT NULL"        \
	" AND datid IS NOT NULL)"

struct reading {
	struct arena *mem;
	const struct pg_check_options *o;
	struct pg_conn conn;
	struct pg_check_readings *to;
	int64_t until_ms;
};

static enum err ask(struct reading *t, const char *sql, struct pg_args *args, struct pg_rows *ret,
                    struct error *e)
{
	return pg_conn_ask_plain(&t->conn, sql, args, t->until_ms, ret, e);
}

static struct str keep(struct reading *t, const struct pg_rows *rows, int row, int column)
{
	return arena_keep(t->mem, pg_conn_str(rows, row, column));
}

/* NULL is -1. */
static int64_t number(const struct pg_rows *rows, int row, int column)
{
	return str_is(pg_conn_str(rows, row, column)) ? pg_conn_i64(rows, row, column) : -1;
}

/* ---- one function for each step ---- */

static enum err read_server(struct reading *t, struct error *e)
{
	struct pg_check_readings *to = t->to;
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = ask(t,
	                   "SELECT current_setting('server_version_num')::bigint,"
	                   " current_setting('server_version'), current_setting('server_encoding'),"
	                   " current_user::text, current_setting('synchronous_commit'),"
	                   " current_setting('synchronous_standby_names'),"
	                   " current_setting('statement_timeout'),"
	                   " current_setting('idle_in_transaction_session_timeout'),"
	                   " current_setting('fsync') = 'on',"
	                   " current_setting('full_page_writes') = 'on',"
	                   " current_setting('autovacuum') = 'on'"
	                   " AND current_setting('track_counts') = 'on'",
	                   &none, &rows, e);

	if (err == OK) {
		to->version = pg_conn_i64(&rows, 0, 0);
		to->version_text = keep(t, &rows, 0, 1);
		to->encoding = keep(t, &rows, 0, 2);
		to->role = keep(t, &rows, 0, 3);
		to->commit = keep(t, &rows, 0, 4);
		to->standby_names = keep(t, &rows, 0, 5);
		to->statement_timeout = keep(t, &rows, 0, 6);
		to->idle_timeout = keep(t, &rows, 0, 7);
		to->has_fsync = pg_conn_bool(&rows, 0, 8);
		to->has_full_pages = pg_conn_bool(&rows, 0, 9);
		to->has_autovacuum = pg_conn_bool(&rows, 0, 10);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_pool(struct reading *t, struct error *e)
{
	return pg_pool_find(&t->conn, t->o->url, t->until_ms, &t->to->pool, e);
}

static enum err read_connections(struct reading *t, struct error *e)
{
	struct pg_check_readings *to = t->to;
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_from(t->o->schema));
	err = ask(
		t,
		"SELECT current_setting('max_connections')::bigint"
		" - current_setting('superuser_reserved_connections')::bigint"
		" - coalesce(nullif(current_setting('reserved_connections', true), ''), "
		"'0')::bigint,"
		" count(*) FILTER (WHERE NOT is_ours), count(*) FILTER (WHERE is_ours),"
		" (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = current_user),"
		" (SELECT datconnlimit FROM pg_catalog.pg_database"
		" WHERE datname = current_database()),"
		" (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)"
		" FROM (SELECT starts_with(coalesce(application_name, ''), 'thole/' || $1::text ||"
		" '/') AS is_ours FROM pg_catalog.pg_stat_activity"
		" WHERE " IS_CLIENT " AND pid <> pg_backend_pid()) a",
		&args, &rows, e);
	if (err == OK) {
		to->slots = pg_conn_i64(&rows, 0, 0);
		to->others = pg_conn_i64(&rows, 0, 1);
		to->ours = pg_conn_i64(&rows, 0, 2);
		to->role_limit = number(&rows, 0, 3);
		to->database_limit = number(&rows, 0, 4);
		to->is_super = pg_conn_bool(&rows, 0, 5);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_tables_format(struct reading *t, struct error *e)
{
	struct str sql = arena_printf(t->mem, "SELECT tables FROM \"%s\".upgrade", t->o->schema);
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = ask(t, sql.ptr, &none, &rows, e);

	if (err == OK && rows.count == 1)
		t->to->tables_format = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

/* Its format, when this role may read it; that of the tables is the same before format 7. */
static enum err read_format(struct reading *t, struct error *e)
{
	struct str sql = arena_printf(t->mem,
	                              "SELECT application, format, coalesce(has_table_privilege("
	                              "to_regclass('\"%s\".upgrade'), 'SELECT'), false)"
	                              " FROM \"%s\".store",
	                              t->o->schema, t->o->schema);
	struct pg_args none = { 0 };
	struct pg_rows rows;
	bool has_upgrade = false;
	enum err err = ask(t, sql.ptr, &none, &rows, e);

	if (err == OK && rows.count == 1) {
		t->to->is_ours = str_eq(pg_conn_str(&rows, 0, 0), STR("thole"));
		t->to->format = t->to->tables_format = pg_conn_i64(&rows, 0, 1);
		has_upgrade = pg_conn_bool(&rows, 0, 2);
	}
	pg_conn_rows_done(&rows);
	return err == OK && has_upgrade ? read_tables_format(t, e) : err;
}

static enum err read_rights(struct reading *t, struct error *e)
{
	struct pg_check_readings *to = t->to;
	struct pg_args args = { 0 };
	struct pg_rows rows;
	bool may_read = false;
	enum err err;

	to->schema = arena_keep(t->mem, str_from(t->o->schema));
	pg_args_str(&args, to->schema);
	err = ask(t,
	          "SELECT n.oid IS NOT NULL, has_database_privilege(current_database(), 'CREATE'),"
	          " coalesce(has_schema_privilege(n.oid, 'USAGE'), false),"
	          " coalesce(has_schema_privilege(n.oid, 'CREATE'), false),"
	          " (SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = n.oid"
	          " AND relkind IN ('r', 'p', 'v', 'm', 'f')),"
	          " (SELECT string_agg(relname::text, ', ' ORDER BY relname) FROM"
	          " pg_catalog.pg_class c WHERE relnamespace = n.oid AND relkind = 'r'"
	          " AND NOT (has_table_privilege(c.oid, 'SELECT')"
	          " AND has_table_privilege(c.oid, 'INSERT')"
	          " AND has_table_privilege(c.oid, 'UPDATE')"
	          " AND has_table_privilege(c.oid, 'DELETE'))),"
	          " (SELECT string_agg(DISTINCT pg_get_userbyid(relowner)::text, ', ') FROM"
	          " pg_catalog.pg_class c WHERE relnamespace = n.oid AND relkind = 'r'"
	          " AND NOT pg_has_role(relowner, 'USAGE')),"
	          " EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a"
	          " ON a.attrelid = c.oid AND attname = 'application' WHERE relnamespace = n.oid"
	          " AND relname = 'store' AND has_table_privilege(c.oid, 'SELECT')"
	          " AND has_schema_privilege(n.oid, 'USAGE'))"
	          " FROM (SELECT 1) one LEFT JOIN pg_catalog.pg_namespace n ON nspname = $1::text",
	          &args, &rows, e);
	if (err == OK) {
		to->has_schema = pg_conn_bool(&rows, 0, 0);
		to->may_make_schema = pg_conn_bool(&rows, 0, 1);
		to->may_use = pg_conn_bool(&rows, 0, 2);
		to->may_create = pg_conn_bool(&rows, 0, 3);
		to->tables = pg_conn_i64(&rows, 0, 4);
		to->unusable = keep(t, &rows, 0, 5);
		to->owners = keep(t, &rows, 0, 6);
		may_read = pg_conn_bool(&rows, 0, 7);
	}
	pg_conn_rows_done(&rows);
	return err == OK && may_read ? read_format(t, e) : err;
}

/* This one counts, whether it runs or not.  Tables of format 1 name no nodes. */
static enum err read_nodes(struct reading *t, struct error *e)
{
	struct str sql = arena_printf(t->mem,
	                              "SELECT count(*) + CASE WHEN bool_or(name = $1::text)"
	                              " THEN 0 ELSE 1 END FROM \"%s\".node WHERE ended_at IS NULL",
	                              t->o->schema);
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	t->to->nodes = 1;
	if (t->to->format < 2 || str_is(t->to->unusable))
		return OK;
	pg_args_str(&args, t->o->node);
	err = ask(t, sql.ptr, &args, &rows, e);
	if (err == OK)
		t->to->nodes = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

/* A commit that waits shows since when a standby is missing; the server keeps no other record. */
static enum err read_waiting(struct reading *t, struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = ask(t,
	                   "SELECT count(*), (extract(epoch FROM clock_timestamp()"
	                   " - min(query_start)) * 1000)::bigint FROM pg_catalog.pg_stat_activity"
	                   " WHERE wait_event = 'SyncRep'",
	                   &none, &rows, e);

	if (err == OK) {
		t->to->waiting = pg_conn_i64(&rows, 0, 0);
		t->to->waiting_ms = number(&rows, 0, 1);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_standbys(struct reading *t, struct error *e)
{
	struct pg_check_readings *to = t->to;
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = ask(t,
	                   "SELECT application_name, sync_state FROM"
	                   " pg_catalog.pg_stat_replication ORDER BY application_name",
	                   &none, &rows, e);

	if (err == OK) {
		to->standby_count = (size_t)rows.count;
		to->standbys = ARENA_ARRAY(t->mem, struct pg_check_standby, (size_t)rows.count + 1);
		for (int i = 0; i < rows.count; i++)
			to->standbys[i] = (struct pg_check_standby){ keep(t, &rows, i, 0),
				                                     keep(t, &rows, i, 1) };
	}
	pg_conn_rows_done(&rows);
	return err == OK ? read_waiting(t, e) : err;
}

/* The reply with the shortest trip is the most exact one. */
static enum err read_clock(struct reading *t, struct error *e)
{
	enum err err = OK;

	t->to->trip_ms = INT64_MAX;
	for (int i = 0; i < CLOCK_TRIES && err == OK; i++) {
		int64_t before = clock_wall_ms(), trip;
		struct pg_args none = { 0 };
		struct pg_rows rows;

		err = ask(t, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", &none,
		          &rows, e);
		trip = clock_wall_ms() - before;
		if (err == OK && trip < t->to->trip_ms) {
			t->to->trip_ms = trip;
			t->to->skew_ms = pg_conn_i64(&rows, 0, 0) - before - trip / 2;
		}
		pg_conn_rows_done(&rows);
	}
	return err;
}

/*
 * Rows that were removed after it began stay in the tables, and what waits for its locks waits
 * for its end.  When it began is not shown to every role.
 */
static enum err read_transactions(struct reading *t, struct error *e)
{
	struct pg_check_transaction *to = &t->to->oldest;
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_from(t->o->schema));
	err = ask(t,
	          "WITH w AS MATERIALIZED (SELECT pg_blocking_pids(pid) AS by"
	          " FROM pg_catalog.pg_stat_activity WHERE wait_event_type = 'Lock'"
	          " AND starts_with(application_name, 'thole/' || $1::text || '/'))"
	          " SELECT pid::bigint, usename::text, application_name, state,"
	          " (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint AS age,"
	          " EXISTS (SELECT FROM w WHERE a.pid = ANY (by)) AS blocks"
	          " FROM pg_catalog.pg_stat_activity a WHERE datname = current_database()"
	          " AND pid <> pg_backend_pid() AND " IS_CLIENT
	          " AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)"
	          " AND NOT starts_with(application_name, 'thole/' || $1::text || '/')"
	          " UNION ALL SELECT -1, owner::text, gid, 'prepared',"
	          " (extract(epoch FROM clock_timestamp() - prepared) * 1000)::bigint,"
	          " EXISTS (SELECT FROM w WHERE 0 = ANY (by)) FROM pg_catalog.pg_prepared_xacts"
	          " WHERE database = current_database()"
	          " ORDER BY blocks DESC, age DESC NULLS LAST LIMIT 1",
	          &args, &rows, e);
	if (err == OK && rows.count) {
		*to = (struct pg_check_transaction){ .pid = pg_conn_i64(&rows, 0, 0),
			                             .user = keep(t, &rows, 0, 1),
			                             .name = keep(t, &rows, 0, 2),
			                             .state = keep(t, &rows, 0, 3),
			                             .age_ms = number(&rows, 0, 4),
			                             .blocks = pg_conn_bool(&rows, 0, 5) };
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_tables(struct reading *t, struct error *e)
{
	struct pg_check_readings *to = t->to;
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_str(&args, str_from(t->o->schema));
	err = ask(
		t,
		"SELECT c.relname::text, pg_total_relation_size(c.oid) AS size,"
		" coalesce(s.n_live_tup, 0), coalesce(s.n_dead_tup, 0),"
		" (extract(epoch FROM clock_timestamp()"
		" - greatest(s.last_vacuum, s.last_autovacuum)) * 1000)::bigint,"
		" EXISTS (SELECT FROM pg_options_to_table(c.reloptions)"
		" WHERE option_name = 'autovacuum_enabled' AND NOT option_value::boolean)"
		" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace"
		" LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = c.oid"
		" WHERE nspname = $1::text AND relkind = 'r' ORDER BY size DESC, c.relname",
		&args, &rows, e);
	if (err == OK) {
		to->item_count = (size_t)rows.count;
		to->items = ARENA_ARRAY(t->mem, struct pg_check_table, (size_t)rows.count + 1);
	}
	for (int i = 0; i < rows.count; i++) {
		to->items[i] = (struct pg_check_table){ .name = keep(t, &rows, i, 0),
			                                .bytes = pg_conn_i64(&rows, i, 1),
			                                .live = pg_conn_i64(&rows, i, 2),
			                                .dead = pg_conn_i64(&rows, i, 3),
			                                .cleaned_ms = number(&rows, i, 4),
			                                .is_off = pg_conn_bool(&rows, i, 5) };
		to->bytes += to->items[i].bytes;
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- all of them ---- */

static const struct {
	enum err (*read)(struct reading *t, struct error *e);
	struct str name;
} steps[PG_CHECK_STEPS] = {
	[PG_CHECK_SERVER] = { read_server, STR("its settings") },
	[PG_CHECK_POOL] = { read_pool, STR("the pool between") },
	[PG_CHECK_CONNECTIONS] = { read_connections, STR("its connections") },
	[PG_CHECK_RIGHTS] = { read_rights, STR("rights and tables") },
	[PG_CHECK_NODES] = { read_nodes, STR("the nodes") },
	[PG_CHECK_STANDBYS] = { read_standbys, STR("its standbys") },
	[PG_CHECK_CLOCK] = { read_clock, STR("its clock") },
	[PG_CHECK_TRANSACTIONS] = { read_transactions, STR("transactions of others") },
	[PG_CHECK_TABLES] = { read_tables, STR("the size of the tables") },
};

static void read_steps(struct reading *t)
{
	struct pg_check_readings *to = t->to;

	t->until_ms = clock_mono_ms() + LIMIT_STORE_CHECK_MS;
	while (to->steps < PG_CHECK_STEPS) {
		struct error e = { 0 };

		if (steps[to->steps].read(t, &e) != OK) {
			to->failure = e;
			to->failed_at = steps[to->steps].name;
			return;
		}
		to->steps++;
	}
}

enum err pg_check_read(struct arena *mem, const struct pg_check_options *o,
                       struct pg_check_readings *ret, struct error *e)
{
	const struct pg_lib *lib = pg_lib_load(e);
	struct reading t = { .mem = mem, .o = o, .to = ret };

	if (!lib)
		return ERR_UNSUPPORTED;
	if (!pg_schema_name_is_good(str_from(o->schema)))
		return pg_schema_bad_name(e);
	if (pg_url_check(lib, o->url, e) != OK)
		return ERR_INVALID;
	*ret = (struct pg_check_readings){ .is_relaxed = o->is_relaxed,
		                           .is_pooled = o->is_pooled,
		                           .has_no_hints = o->has_no_hints,
		                           .place = pg_url_plain(mem, o->url) };
	if (pg_conn_open_plain(&t.conn, lib, o->url, HOST_SECONDS, &ret->failure) == OK)
		read_steps(&t);
	pg_conn_close(&t.conn);
	return OK;
}
