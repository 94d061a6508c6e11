/*
 * One connection: what it is opened with, how replies are read, and what an error of the
 * server means for the store.
 */
#include "store/postgres/wire/pg_conn.h"

#include "base/os/clock.h"
#include "base/os/log.h"
#include "store/postgres/wire/pg_meaning.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Defaults of a connection; the address comes behind them and may name others. */
#define CONNECT_SECONDS "10"
/* A host that does not answer must not keep the node from the next one. */
#define CONNECT_AGAIN_SECONDS "3"

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

enum err pg_conn_error(struct pg_conn *c, const PGresult *r, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *state = r ? c->lib->PQresultErrorField(r, PG_LIB_SQLSTATE) : NULL;
	const struct pg_meaning *means = pg_meaning_of_state(state);
	struct str why =
		one_line(mem, r ? c->lib->PQresultErrorMessage(r) : c->lib->PQerrorMessage(c->pg));

	/* An error without a SQLSTATE is libpq's own: it could not send, or not read. */
	c->is_lost |= !state || c->lib->PQstatus(c->pg) != CONNECTION_OK ||
	              pg_meaning_ends_connection(state);
	if (means)
		return fail(e, means->code, "%s: PostgreSQL says: %.*s. %s", means->name,
		            STR_ARG(why), means->remedy);
	if (c->is_lost)
		return fail(e, ERR_UNAVAILABLE,
		            "store_lost: the connection to PostgreSQL broke: %.*s", STR_ARG(why));
	return fail(e, ERR_IO, "store_failed: PostgreSQL says: %.*s (%s)", STR_ARG(why), state);
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

/* What the server says of a login names the user and never the password. */
static enum err cannot_connect(struct pg_conn *c, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str why = one_line(mem, c->lib->PQerrorMessage(c->pg));
	const struct pg_meaning *means = pg_meaning_of_words(
		c->lib->PQconnectionNeedsPassword(c->pg) ? STR("no password supplied") : why);

	return fail(e, means->code, "%s: %.*s. %s", means->name, STR_ARG(why), means->remedy);
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
	         o->schema,
	         o->is_relaxed            ? "SET synchronous_commit = off;"
	         : o->use == PG_USE_NODES ? "SET synchronous_commit = local;"
	                                  : "",
	         o->use == PG_USE_READS ? "SET default_transaction_read_only = on;" : "");
	return pg_conn_run(c, sql, e);
}

/* The same for one transaction.  Isolation is looked at by pg_start.c. */
static void write_settings(struct pg_conn *c, const struct pg_conn_options *o)
{
	snprintf(c->settings, sizeof c->settings,
	         "SELECT set_config('search_path', '\"%s\"', true),"
	         " set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', "
	         "true),"
	         " set_config('idle_in_transaction_session_timeout', '0', true),"
	         " set_config('jit', 'off', true)%s%s",
	         o->schema,
	         o->is_relaxed            ? ", set_config('synchronous_commit', 'off', true)"
	         : o->use == PG_USE_NODES ? ", set_config('synchronous_commit', 'local', true)"
	                                  : "",
	         o->use == PG_USE_READS ? ", set_config('transaction_read_only', 'on', true)" : "");
}

static void copy_text(char *to, size_t size, struct str from)
{
	snprintf(to, size, "%.*s", STR_ARG(from));
}

/* Not PQbackendPID(): a pool answers with a number of its own.  Of one that is pooled: 0. */
static enum err ask_backend(struct pg_conn *c, struct error *e)
{
	static const struct pg_sql q = {
		"ask_backend", "SELECT pid::bigint, extract(epoch FROM backend_start)::text,"
			       " extract(epoch FROM pg_postmaster_start_time())::text"
			       " FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()"
	};
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(c, &q, &none, &rows, e);

	if (err == OK && rows.count) {
		c->backend.pid = c->is_pooled ? 0 : pg_conn_i64(&rows, 0, 0);
		copy_text(c->backend.began, sizeof c->backend.began, pg_conn_str(&rows, 0, 1));
		copy_text(c->backend.server, sizeof c->backend.server, pg_conn_str(&rows, 0, 2));
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* What a connection is opened with, beside its address. */
struct opening {
	const char *url, *seconds, *servers, *name;
	const char *limit; /* seconds whatever the address says; NULL: none */
};

/*
 * The address comes behind the defaults, because later values replace earlier ones.  A peer that
 * vanished without a word is noticed after these seconds.
 */
static enum err open_by(struct pg_conn *c, const struct pg_lib *lib, const struct opening *o,
                        struct error *e)
{
	static const char *const keywords[] = { "connect_timeout",
		                                "target_session_attrs",
		                                "keepalives_idle",
		                                "keepalives_interval",
		                                "keepalives_count",
		                                "tcp_user_timeout",
		                                "dbname",
		                                "fallback_application_name",
		                                "client_encoding",
		                                "connect_timeout",
		                                NULL };
	const char *values[] = { o->seconds, o->servers, "5",    "3",      "3", "15000",
		                 o->url,     o->name,    "UTF8", o->limit, NULL };

	*c = (struct pg_conn){ .lib = lib, .pg = lib->PQconnectdbParams(keywords, values, 1) };
	if (lib->PQstatus(c->pg) != CONNECTION_OK)
		return cannot_connect(c, e);
	lib->PQsetNoticeProcessor(c->pg, on_notice, NULL);
	return OK;
}

enum err pg_conn_open(struct pg_conn *c, const struct pg_lib *lib, const struct pg_conn_options *o,
                      struct error *e)
{
	struct opening how = { .url = o->url,
		               .seconds = o->is_again ? CONNECT_AGAIN_SECONDS : CONNECT_SECONDS,
		               .servers = "read-write",
		               .name = "thole" };
	enum err err = open_by(c, lib, &how, e);

	c->is_pooled = o->is_pooled;
	if (o->is_pooled)
		write_settings(c, o);
	else if (err == OK)
		err = set_session(c, o, e);
	if (err == OK)
		err = ask_backend(c, e);
	if (err != OK)
		pg_conn_close(c);
	return err;
}

enum err pg_conn_open_plain(struct pg_conn *c, const struct pg_lib *lib, const char *url,
                            int host_seconds, struct error *e)
{
	char seconds[16];
	struct opening how = { .url = url,
		               .seconds = CONNECT_SECONDS,
		               .servers = "read-write",
		               .name = "thole",
		               .limit = host_seconds ? seconds : NULL };
	enum err err;

	snprintf(seconds, sizeof seconds, "%d", host_seconds);
	err = open_by(c, lib, &how, e);
	if (err != OK)
		pg_conn_close(c);
	return err;
}

void pg_conn_close(struct pg_conn *c)
{
	if (c->pg)
		c->lib->PQfinish(c->pg);
	c->pg = NULL;
	c->is_lost = true;
	map_done(&c->prepared);
}

void pg_conn_break(struct pg_conn *c)
{
	struct pg_backend backend = c->backend;
	const struct pg_lib *lib = c->lib;

	pg_conn_close(c);
	*c = (struct pg_conn){ .lib = lib, .is_lost = true, .backend = backend };
}

/* ---- the connection before ---- */

#define BURY_TRIES 100
#define BURY_PAUSE_US 25000

/* Asks the backend to end; returns how many are left. */
static enum err end_backend(struct pg_conn *c, const struct pg_backend *before, int64_t *ret,
                            struct error *e)
{
	static const struct pg_sql q = {
		"end_backend",
		"SELECT count(pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity"
		" WHERE pid = $1::bigint AND pid <> pg_backend_pid()"
		" AND extract(epoch FROM backend_start)::text = $2::text"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, before->pid);
	pg_args_str(&args, str_from(before->began));
	err = pg_conn_ask(c, &q, &args, &rows, e);
	if (err == OK)
		*ret = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

enum err pg_conn_bury(struct pg_conn *c, const struct pg_backend *before, struct error *e)
{
	int64_t left = 1;
	enum err err = OK;

	if (!before->pid || strcmp(before->server, c->backend.server) != 0)
		return OK;
	for (int tries = 0; err == OK && left; tries++) {
		if (tries == BURY_TRIES)
			return fail(e, ERR_UNAVAILABLE,
			            "store_lost: the connection that broke is still open on the "
			            "server (process %lld)",
			            (long long)before->pid);
		if (tries)
			usleep(BURY_PAUSE_US);
		err = end_backend(c, before, &left, e);
	}
	return err;
}

/* ---- statements ---- */

static bool is_good(const struct pg_conn *c, const PGresult *r)
{
	enum pg_lib_status status = c->lib->PQresultStatus(r);

	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static enum err closed(struct error *e)
{
	return fail(e, ERR_UNAVAILABLE, "store_lost: there is no connection to PostgreSQL");
}

/* Whether what is sent now begins a transaction that has to bring its settings. */
static bool needs_settings(const struct pg_conn *c)
{
	return c->is_pooled && c->lib->PQtransactionStatus(c->pg) == PQTRANS_IDLE;
}

/* Statements that follow each other in one message are one transaction; BEGIN has to lead it. */
static PGresult *run_with_settings(struct pg_conn *c, const char *sql)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	bool begins = str_starts(str_from(sql), STR("BEGIN"));

	buf_add_c(&text, begins ? sql : c->settings);
	buf_add_c(&text, "; ");
	buf_add_c(&text, begins ? c->settings : sql);
	buf_add_char(&text, '\0');
	return c->lib->PQexec(c->pg, text.ptr);
}

enum err pg_conn_run(struct pg_conn *c, const char *sql, struct error *e)
{
	PGresult *r;
	enum err err;

	if (!c->pg)
		return closed(e);
	r = needs_settings(c) ? run_with_settings(c, sql) : c->lib->PQexec(c->pg, sql);
	err = is_good(c, r) ? OK : pg_conn_error(c, r, e);
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

	if (!c->pg)
		return closed(e);
	if (c->is_pooled || map_get(&c->prepared, str_from(q->name)))
		return OK;
	r = c->lib->PQprepare(c->pg, q->name, q->text, 0, NULL);
	err = is_good(c, r) ? OK : pg_conn_error(c, r, e);
	c->lib->PQclear(r);
	if (err == OK)
		map_put(&c->prepared, str_from(q->name), c);
	return err;
}

static enum err take_rows(struct pg_conn *c, PGresult *r, struct pg_rows *ret, struct error *e)
{
	enum err err;

	ret->r = r;
	if (is_good(c, r)) {
		ret->count = c->lib->PQntuples(r);
		ret->changed = strtoull(c->lib->PQcmdTuples(r), NULL, 10);
		return OK;
	}
	err = pg_conn_error(c, r, e);
	pg_conn_rows_done(ret);
	return err;
}

/* ---- sending ---- */

/* How long to wait, and what for. */
static int time_left(const struct pg_wait *w)
{
	return w->until_ms ? (int)MAX(0, w->until_ms - clock_mono_ms()) : -1;
}

/* Without a wait PQgetResult() waits itself.  False: the connection broke, or the wait has ended. */
static bool has_result(struct pg_conn *c, const struct pg_wait *w)
{
	while (w && c->lib->PQisBusy(c->pg)) {
		struct pollfd fds[] = { { .fd = w->wake, .events = POLLIN },
			                { .fd = c->lib->PQsocket(c->pg), .events = POLLIN } };

		if (poll(fds, COUNT_OF(fds), time_left(w)) == 0 || w->stop(w->arg))
			return false;
		if (fds[1].revents && !c->lib->PQconsumeInput(c->pg))
			return false;
	}
	return true;
}

/* The first error counts, else the last rows. */
static PGresult *better_of(struct pg_conn *c, PGresult *kept, PGresult *next)
{
	bool keeps = !next || (kept && !is_good(c, kept));

	c->lib->PQclear(keeps ? next : kept);
	return keeps ? kept : next;
}

/* NULL: the connection broke, or the wait has ended. */
static PGresult *receive(struct pg_conn *c, const struct pg_wait *w)
{
	PGresult *kept = NULL, *next;

	do {
		if (!has_result(c, w)) {
			c->lib->PQclear(kept);
			return NULL;
		}
		next = c->lib->PQgetResult(c->pg);
		kept = better_of(c, kept, next);
	} while (next);
	return kept;
}

/*
 * The same for a pipeline, which ends with the reply to its Sync: rows before it are not committed
 * yet, an error is final.  NULL stands behind each of its statements.
 */
static PGresult *receive_piped(struct pg_conn *c, const struct pg_wait *w)
{
	PGresult *kept = NULL, *next;

	while (has_result(c, w) && c->lib->PQstatus(c->pg) == CONNECTION_OK) {
		next = c->lib->PQgetResult(c->pg);
		if (next && c->lib->PQresultStatus(next) == PGRES_PIPELINE_SYNC) {
			c->lib->PQclear(next);
			return kept;
		}
		kept = better_of(c, kept, next);
	}
	if (!kept || !is_good(c, kept))
		return kept;
	c->lib->PQclear(kept);
	return NULL;
}

static int send_text(struct pg_conn *c, const char *sql, const struct pg_args_pointers *at,
                     int count)
{
	return c->lib->PQsendQueryParams(c->pg, sql, count, NULL, at->values, at->lengths,
	                                 at->formats, 1);
}

/* Settings and statement are one transaction, because one Sync ends both. */
static PGresult *ask_with_settings(struct pg_conn *c, const char *sql,
                                   const struct pg_args_pointers *at, int count,
                                   const struct pg_wait *w)
{
	static const struct pg_args_pointers none;
	PGresult *r = NULL;

	if (c->lib->PQenterPipelineMode(c->pg) && send_text(c, c->settings, &none, 0) &&
	    send_text(c, sql, at, count) && c->lib->PQpipelineSync(c->pg))
		r = receive_piped(c, w);
	c->is_lost |= !c->lib->PQexitPipelineMode(c->pg);
	return r;
}

static PGresult *ask_prepared(struct pg_conn *c, const char *name,
                              const struct pg_args_pointers *at, int count, const struct pg_wait *w)
{
	return c->lib->PQsendQueryPrepared(c->pg, name, count, at->values, at->lengths, at->formats,
	                                   1)
	               ? receive(c, w)
	               : NULL;
}

static enum err ask(struct pg_conn *c, const struct pg_sql *q, const struct pg_args *args,
                    const struct pg_wait *w, struct pg_rows *ret, struct error *e)
{
	enum err err = pg_conn_prepare(c, q, e);
	struct pg_args_pointers at;
	PGresult *r;

	*ret = (struct pg_rows){ .lib = c->lib };
	if (err != OK)
		return err;
	pg_args_point(args, &at);
	if (needs_settings(c))
		r = ask_with_settings(c, q->text, &at, args->count, w);
	else if (!c->is_pooled)
		r = ask_prepared(c, q->name, &at, args->count, w);
	else
		r = send_text(c, q->text, &at, args->count) ? receive(c, w) : NULL;
	c->is_lost |= !r;
	return take_rows(c, r, ret, e);
}

enum err pg_conn_ask_kept(struct pg_conn *c, const struct pg_sql *q, const struct pg_args *args,
                          const struct pg_wait *wait, struct pg_rows *ret, struct error *e)
{
	return ask(c, q, args, wait, ret, e);
}

enum err pg_conn_ask(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                     struct pg_rows *ret, struct error *e)
{
	enum err err = ask(c, q, args, NULL, ret, e);

	pg_args_done(args);
	return err;
}

enum err pg_conn_ask_until(struct pg_conn *c, const struct pg_sql *q, struct pg_args *args,
                           const struct pg_wait *wait, struct pg_rows *ret, struct error *e)
{
	enum err err = ask(c, q, args, wait, ret, e);

	pg_args_done(args);
	return err;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

enum err pg_conn_ask_plain(struct pg_conn *c, const char *sql, struct pg_args *args,
                           int64_t until_ms, struct pg_rows *ret, struct error *e)
{
	struct pg_wait wait = { .wake = -1, .stop = never, .until_ms = until_ms };
	struct pg_args_pointers at;
	PGresult *r;
	enum err err;

	*ret = (struct pg_rows){ .lib = c->lib };
	pg_args_point(args, &at);
	r = send_text(c, sql, &at, args->count) ? receive(c, &wait) : NULL;
	if (!r && clock_mono_ms() >= until_ms) {
		c->is_lost = true;
		err = fail(e, ERR_TIMEOUT, "store_timeout: the server sent no reply");
	} else {
		err = take_rows(c, r, ret, e);
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
