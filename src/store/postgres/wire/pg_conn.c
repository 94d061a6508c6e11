/*
 * One connection: what it is opened with, how replies are read, and what an error of the
 * server means for the store.
 */
#include "store/postgres/wire/pg_conn.h"

#include "base/os/log.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECT_SECONDS "10"

/* ---- errors ---- */

/* The last line of a message of libpq is often empty, and the store adds its own ending. */
static struct str one_line(struct arena *mem, const char *text)
{
	char *line = (char *)arena_keep(mem, str_trim(str_from(text ? text : ""))).ptr;

	for (char *at = line; *at; at++)
		if (*at == '\n' || *at == '\t')
			*at = ' ';
	return str_from(line);
}

/* What the classes of SQLSTATE mean (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
static const struct {
	const char *state; /* all of it, or how it begins */
	enum err code;
	const char *name, *remedy;
} meanings[] = {
	{ "53100", ERR_FULL, "store_full", "Free disk space on the database server" },
	{ "53300", ERR_IO, "store_unreachable", "Raise max_connections; a node needs four" },
	{ "28", ERR_IO, "store_login",
	  "Check user, password and pg_hba.conf; a password may be in ~/.pgpass or PGPASSWORD" },
	{ "3D000", ERR_IO, "store_unreachable", "Create the database: createdb NAME" },
	{ "42501", ERR_IO, "store_rights",
	  "Let an administrator run: CREATE SCHEMA thole AUTHORIZATION user" },
	{ "25006", ERR_IO, "store_read_only", "Use the primary, not a standby" },
	{ "40", ERR_BUSY, "store_busy", "Another transaction was in the way; try again" },
	{ "22", ERR_INVALID, "store_value", "This is a fault of thole; please report it" },
};

enum err pg_conn_error(struct pg_conn *c, const PGresult *r, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *state = r ? c->lib->PQresultErrorField(r, PG_LIB_SQLSTATE) : NULL;
	struct str why =
		one_line(mem, r ? c->lib->PQresultErrorMessage(r) : c->lib->PQerrorMessage(c->pg));

	c->is_lost |= c->lib->PQstatus(c->pg) != CONNECTION_OK;
	for (size_t i = 0; state && !c->is_lost && i < COUNT_OF(meanings); i++)
		if (str_starts(str_from(state), str_from(meanings[i].state)))
			return fail(e, meanings[i].code, "%s: PostgreSQL says: %.*s. %s",
			            meanings[i].name, STR_ARG(why), meanings[i].remedy);
	if (c->is_lost)
		return fail(e, ERR_IO, "store_lost: the connection to PostgreSQL broke: %.*s",
		            STR_ARG(why));
	return fail(e, ERR_IO, "store_failed: PostgreSQL says: %.*s (%s)", STR_ARG(why),
	            state ? state : "no state");
}

bool pg_conn_state_is(const struct pg_conn *c, const PGresult *r, const char *sqlstate)
{
	const char *state = c->lib->PQresultErrorField(r, PG_LIB_SQLSTATE);

	return state && strcmp(state, sqlstate) == 0;
}

/* ---- opening ---- */

static void on_notice(void *arg, const char *message)
{
	(void)arg;
	log_line(LOG_DEBUG, "store", "PostgreSQL: %s", message);
}

/*
 * Before a session exists there is no SQLSTATE, only words.  What the server says of a
 * login names the user and never the password.
 */
static enum err cannot_connect(struct pg_conn *c, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str why = one_line(mem, c->lib->PQerrorMessage(c->pg));
	bool is_login = c->lib->PQconnectionNeedsPassword(c->pg) ||
	                str_find(why, STR("authentication failed")) >= 0 ||
	                str_find(why, STR("no pg_hba.conf entry")) >= 0 ||
	                str_find(why, STR("no password supplied")) >= 0;

	if (is_login)
		return fail(e, ERR_IO,
		            "store_login: %.*s. Check user, password and pg_hba.conf; a password "
		            "may be in ~/.pgpass or PGPASSWORD",
		            STR_ARG(why));
	return fail(
		e, ERR_IO,
		"store_unreachable: %.*s. Check host, port and database, and that the server runs",
		STR_ARG(why));
}

/*
 * What an operator may have set for a role must not change what a statement means or cut
 * it short: an append that waits for a standby waits.
 */
static enum err set_session(struct pg_conn *c, const struct pg_conn_options *o, struct error *e)
{
	char sql[640];

	snprintf(sql, sizeof sql,
	         "SET search_path = \"%s\";"
	         "SET default_transaction_isolation = 'read committed';"
	         "SET statement_timeout = 0; SET lock_timeout = 0;"
	         "SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0;"
	         "SET jit = off;"
	         "SET client_min_messages = warning;%s%s",
	         o->schema, o->is_relaxed ? "SET synchronous_commit = off;" : "",
	         o->is_read_only ? "SET default_transaction_read_only = on;" : "");
	return pg_conn_run(c, sql, e);
}

enum err pg_conn_open(struct pg_conn *c, const struct pg_lib *lib, const struct pg_conn_options *o,
                      struct error *e)
{
	/* The address comes second, because later values replace earlier ones. */
	static const char *const keywords[] = { "connect_timeout", "dbname",
		                                "fallback_application_name", "client_encoding",
		                                NULL };
	const char *values[] = { CONNECT_SECONDS, o->url, "thole", "UTF8", NULL };
	enum err err;

	*c = (struct pg_conn){ .lib = lib, .pg = lib->PQconnectdbParams(keywords, values, 1) };
	if (lib->PQstatus(c->pg) != CONNECTION_OK) {
		err = cannot_connect(c, e);
	} else {
		lib->PQsetNoticeProcessor(c->pg, on_notice, NULL);
		err = set_session(c, o, e);
	}
	if (err != OK)
		pg_conn_close(c);
	return err;
}

void pg_conn_close(struct pg_conn *c)
{
	if (c->pg)
		c->lib->PQfinish(c->pg);
	c->pg = NULL;
	map_done(&c->prepared);
}

/* ---- statements ---- */

static bool is_good(const struct pg_conn *c, const PGresult *r)
{
	enum pg_lib_status status = c->lib->PQresultStatus(r);

	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

enum err pg_conn_run(struct pg_conn *c, const char *sql, struct error *e)
{
	PGresult *r = c->lib->PQexec(c->pg, sql);
	enum err err = is_good(c, r) ? OK : pg_conn_error(c, r, e);

	c->lib->PQclear(r);
	return err;
}

enum err pg_conn_rename(struct pg_conn *c, const char *schema, int64_t incarnation, struct error *e)
{
	char sql[128];

	snprintf(sql, sizeof sql, "SET application_name = 'thole/%s/%lld'", schema,
	         (long long)incarnation);
	return pg_conn_run(c, sql, e);
}

enum err pg_conn_prepare(struct pg_conn *c, const struct pg_sql *q, struct error *e)
{
	PGresult *r;
	enum err err;

	if (map_get(&c->prepared, str_from(q->name)))
		return OK;
	r = c->lib->PQprepare(c->pg, q->name, q->text, 0, NULL);
	err = is_good(c, r) ? OK : pg_conn_error(c, r, e);
	c->lib->PQclear(r);
	if (err == OK)
		map_put(&c->prepared, str_from(q->name), c);
	return err;
}

enum err pg_conn_ask(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                     struct pg_rows *ret, struct error *e)
{
	enum err err = pg_conn_prepare(c, q, e);
	struct pg_args_pointers at;

	*ret = (struct pg_rows){ .lib = c->lib };
	if (err == OK) {
		pg_args_point(args, &at);
		ret->r = c->lib->PQexecPrepared(c->pg, q->name, args->count, at.values, at.lengths,
		                                at.formats, 1);
		if (!is_good(c, ret->r)) {
			err = pg_conn_error(c, ret->r, e);
			pg_conn_rows_done(ret);
		} else {
			ret->count = c->lib->PQntuples(ret->r);
			ret->changed = strtoull(c->lib->PQcmdTuples(ret->r), NULL, 10);
		}
	}
	pg_args_done(args);
	return err;
}

enum err pg_conn_tell(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                      struct error *e)
{
	struct pg_rows rows;
	enum err err = pg_conn_ask(c, q, args, &rows, e);

	pg_conn_rows_done(&rows);
	return err;
}

/* ---- replies ---- */

void pg_conn_rows_done(struct pg_rows *rows)
{
	if (rows->r)
		rows->lib->PQclear(rows->r);
	rows->r = NULL;
	rows->count = 0;
}

struct str pg_conn_str(const struct pg_rows *rows, int row, int column)
{
	if (rows->lib->PQgetisnull(rows->r, row, column))
		return STR_NONE;
	return str_of(rows->lib->PQgetvalue(rows->r, row, column),
	              (size_t)rows->lib->PQgetlength(rows->r, row, column));
}

/* int2, int4 and int8 differ in length only. */
int64_t pg_conn_i64(const struct pg_rows *rows, int row, int column)
{
	struct str s = pg_conn_str(rows, row, column);
	uint64_t wire = 0;
	uint32_t half = 0;

	if (s.len == sizeof wire) {
		memcpy(&wire, s.ptr, sizeof wire);
		return (int64_t)be64toh(wire);
	}
	if (s.len == sizeof half)
		memcpy(&half, s.ptr, sizeof half);
	return (int32_t)be32toh(half);
}

bool pg_conn_bool(const struct pg_rows *rows, int row, int column)
{
	struct str s = pg_conn_str(rows, row, column);

	return s.len == 1 && s.ptr[0];
}

bool pg_conn_hash(const struct pg_rows *rows, int row, int column, struct sha256 *ret)
{
	struct str s = pg_conn_str(rows, row, column);

	if (s.len != SHA256_BYTES)
		return false;
	memcpy(ret->state, s.ptr, SHA256_BYTES);
	return true;
}
