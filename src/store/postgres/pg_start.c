/*
 * The start: whether this server can keep the log, and whether a pool is in front of it; and the
 * same again after a connection broke.
 * nodes/pg_join.c takes the incarnation.
 */
#include "store/postgres/pg_schema.h"
#include "store/postgres/pg_store.h"
#include "store/postgres/wire/pg_pool.h"

#include "base/os/clock.h"
#include "base/os/log.h"

#include <stdio.h>
#include <unistd.h>

#define SERVER_VERSION 140000
#define POOL_MS 10000

/* ---- a pool between ---- */

static enum err refuse_pool(struct pg_store *s, struct error *e)
{
	return fail(e, ERR_UNSUPPORTED,
	            "store_pool: %s is a pool in transaction mode, which keeps no session. Set "
	            "store.prepare = false and store.listen = false, or use a pool in session mode",
	            s->place);
}

enum err pg_start_check_pool(struct pg_store *s, const struct pg_lib *lib, struct error *e)
{
	enum pg_pool pool = PG_POOL_NONE;
	struct pg_conn c;
	enum err err;

	if (s->connect.is_pooled && s->nodes.has_no_hints)
		return OK;
	err = pg_conn_open_plain(&c, lib, s->connect.url, 0, e);
	if (err == OK)
		err = pg_pool_find(&c, s->connect.url, clock_mono_ms() + POOL_MS, &pool, e);
	pg_conn_close(&c);
	return err == OK && pool == PG_POOL_SHARED ? refuse_pool(s, e) : err;
}

/* ---- the server ---- */

struct server {
	char encoding[32], commit[32], standbys[200], isolation[32], role[64];
	bool is_read_only, has_fsync, forgets; /* synchronous_commit is off */
};

static void copy_text(char *to, size_t size, struct str from)
{
	snprintf(to, size, "%.*s", STR_ARG(from));
}

static enum err read_server(struct pg_conn *c, struct server *ret, struct error *e)
{
	static const struct pg_sql q = { "read_server",
		                         "SELECT current_setting('server_encoding'),"
		                         " current_setting('synchronous_commit'),"
		                         " current_setting('synchronous_standby_names'),"
		                         " current_setting('transaction_read_only') = 'on',"
		                         " current_setting('fsync') = 'on',"
		                         " current_setting('synchronous_commit') = 'off',"
		                         " current_setting('default_transaction_isolation'),"
		                         " current_user::text" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(c, &q, &none, &rows, e);

	if (err != OK)
		return err;
	copy_text(ret->encoding, sizeof ret->encoding, pg_conn_str(&rows, 0, 0));
	copy_text(ret->commit, sizeof ret->commit, pg_conn_str(&rows, 0, 1));
	copy_text(ret->standbys, sizeof ret->standbys, pg_conn_str(&rows, 0, 2));
	ret->is_read_only = pg_conn_bool(&rows, 0, 3);
	ret->has_fsync = pg_conn_bool(&rows, 0, 4);
	ret->forgets = pg_conn_bool(&rows, 0, 5);
	copy_text(ret->isolation, sizeof ret->isolation, pg_conn_str(&rows, 0, 6));
	copy_text(ret->role, sizeof ret->role, pg_conn_str(&rows, 0, 7));
	pg_conn_rows_done(&rows);
	return OK;
}

/* Commits wait for them, unless the setting says that a commit is local. */
static void note_standbys(struct pg_store *s, const struct server *server, bool is_relaxed)
{
	bool waits = !is_relaxed && !server->forgets && strcmp(server->commit, "local") != 0;

	pthread_mutex_lock(&s->lock);
	snprintf(s->standbys, sizeof s->standbys, "%s", waits ? server->standbys : "");
	pthread_mutex_unlock(&s->lock);
}

/* What was promised of a commit must hold: with `off` it would survive no crash of the server. */
static enum err settle_commit(struct pg_store *s, const struct server *server, bool is_relaxed,
                              struct error *e)
{
	if (!server->has_fsync)
		log_line(LOG_WARN, "store",
		         "PostgreSQL runs with fsync = off: a power cut may damage the database. "
		         "Set fsync = on");
	if (!is_relaxed && server->forgets)
		return fail(
			e, ERR_UNSUPPORTED,
			"store_durability: PostgreSQL has synchronous_commit = off, which loses "
			"acknowledged events in a crash. Set it to on for this role, or set "
			"durability = relaxed");
	log_line(LOG_INFO, "store", "%s: synchronous_commit = %s, standbys: %s", s->place,
	         server->commit, server->standbys[0] ? server->standbys : "none");
	note_standbys(s, server, is_relaxed);
	return OK;
}

enum err pg_start_check(struct pg_store *s, bool is_relaxed, struct error *e)
{
	struct server server;
	int version = s->start.lib->PQserverVersion(s->start.pg);
	enum err err;

	if (version < SERVER_VERSION)
		return fail(e, ERR_UNSUPPORTED,
		            "store_version: the server has PostgreSQL %d; 14 or later is needed",
		            version / 10000);
	err = read_server(&s->start, &server, e);
	if (err != OK)
		return err;
	if (strcmp(server.encoding, "UTF8") != 0)
		return fail(e, ERR_UNSUPPORTED,
		            "store_encoding: the database has the encoding %s; UTF8 is needed. "
		            "Make one "
		            "with: createdb --template template0 --encoding UTF8 NAME",
		            server.encoding);
	if (server.is_read_only)
		return fail(e, ERR_UNAVAILABLE,
		            "store_read_only: %s takes no writes. Use the primary, not a standby, "
		            "and a "
		            "role without default_transaction_read_only",
		            s->place);
	/* A session of its own sets this itself; a transaction of a pool cannot once it has begun. */
	if (s->start.is_pooled && strcmp(server.isolation, "read committed") != 0)
		return fail(e, ERR_UNSUPPORTED,
		            "store_pool: %s has default_transaction_isolation = %s. With "
		            "store.prepare = false set it for the role: ALTER ROLE \"%s\" SET "
		            "default_transaction_isolation = 'read committed'",
		            s->place, server.isolation, server.role);
	return settle_commit(s, &server, is_relaxed, e);
}

/* ---- after a connection broke ---- */

enum err pg_start_open_again(struct pg_store *s, struct pg_conn *c, enum pg_use use,
                             struct error *e)
{
	struct pg_conn_options o = s->connect;
	struct pg_backend before = c->backend;
	char server[sizeof s->server];
	uint64_t generation;
	enum err err;

	if (!pg_state_is_live(s, &generation, server))
		return fail(e, ERR_UNAVAILABLE, "store_lost: there is no connection to PostgreSQL");
	o.use = use;
	o.is_again = true;
	pg_conn_close(c);
	err = pg_conn_open(c, s->start.lib, &o, e);
	if (err == OK && strcmp(c->backend.server, server) != 0)
		err = fail(e, ERR_UNAVAILABLE, "store_lost: another server answers");
	if (err == OK)
		err = pg_conn_rename(c, s->connect.schema, s->incarnation, e);
	if (err == OK)
		err = pg_conn_bury(c, &before, e);
	if (err != OK)
		pg_conn_break(c);
	/* This one has done nothing, so the one before is still to be buried. */
	if (err != OK)
		c->backend = before;
	c->generation = generation;
	return err;
}

/* A program of a newer version may have changed the tables meanwhile. */
static enum err check_format(struct pg_store *s, struct error *e)
{
	static const struct pg_sql q = { "format_now", "SELECT format FROM store" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->writer, &q, &none, &rows, e);
	int64_t format = err == OK && rows.count ? pg_conn_i64(&rows, 0, 0) : 0;

	pg_conn_rows_done(&rows);
	if (err == OK && format > PG_SCHEMA_FORMAT)
		err = fail(e, ERR_STORE,
		           "store_format: the schema %s has format %lld now, this program knows "
		           "formats up to %d. Use the program that changed it",
		           s->connect.schema, (long long)format, PG_SCHEMA_FORMAT);
	return err;
}

static enum err check_node(struct pg_store *s, const struct pg_rows *rows, struct error *e)
{
	if (pg_conn_i64(rows, 0, 0))
		return OK;
	if (pg_conn_i64(rows, 0, 1))
		return pg_state_taken(e);
	return fail(e, ERR_STORE,
	            "store_behind: %s does not know this start of the node, and lacks all that it "
	            "wrote. Look for the server that has it; a start continues without it",
	            s->place);
}

/*
 * A write, because its commit is confirmed only when everything before it is: what another
 * connection committed without waiting for its standby is then where the operator wants it.
 * Not to the node's own row, on which heartbeats would wait meanwhile.
 */
static enum err fence(struct pg_store *s, bool (*stop)(void *arg), void *arg, struct error *e)
{
	static const struct pg_sql q = {
		"fence",
		"WITH n AS (SELECT ended_at FROM node WHERE incarnation = $1::bigint"
		" AND pid = $2::bigint), f AS (INSERT INTO fence(incarnation, at)"
		" VALUES ($1::bigint, now()) ON CONFLICT (incarnation) DO UPDATE SET at = now())"
		" SELECT count(*) FILTER (WHERE ended_at IS NULL), count(*) FROM n"
	};
	struct pg_wait wait = { .wake = s->writer_wake, .stop = stop, .arg = arg };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, s->incarnation);
	pg_args_i64(&args, getpid());
	err = pg_conn_ask_until(&s->writer, &q, &args, &wait, &rows, e);
	if (err == OK)
		err = check_node(s, &rows, e);
	pg_conn_rows_done(&rows);
	return err;
}

/* The cause until the server confirms; without it the wait would have no reason. */
static void tell_standbys(struct pg_store *s)
{
	struct error why;

	if (!s->standbys[0])
		return;
	fail(&why, ERR_UNAVAILABLE,
	     "store_standby: PostgreSQL is back and waits for a synchronous standby "
	     "(synchronous_standby_names = %s). Start the standby, or change the setting",
	     s->standbys);
	pg_state_away(s, PG_USER_WRITER, &why);
}

enum err pg_start_check_again(struct pg_store *s, bool (*stop)(void *arg), void *arg,
                              struct error *e)
{
	struct server server = { 0 };
	enum err err = check_format(s, e);

	if (err == OK)
		err = read_server(&s->writer, &server, e);
	if (err != OK)
		return err;
	note_standbys(s, &server, s->connect.is_relaxed);
	tell_standbys(s);
	return fence(s, stop, arg, e);
}

/* ---- statistics ---- */

enum err pg_start_count(struct pg_store *s, struct error *e)
{
	static const struct pg_sql q = {
		"count_all",
		"SELECT (SELECT count(*) FROM session),"
		" (SELECT coalesce(sum(last_seq - floor_seq), 0)::bigint FROM session),"
		" (SELECT last_position FROM counter),"
		" (SELECT coalesce(sum(pg_total_relation_size(r.oid)), 0)::bigint"
		" FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace"
		" WHERE nspname = current_schema() AND relkind = 'r'),"
		" (SELECT count(*) FROM meta WHERE key = 'rebuild' AND value = '1')"
	};
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->start, &q, &none, &rows, e);

	if (err != OK)
		return err;
	atomic_store(&s->sessions, (uint64_t)pg_conn_i64(&rows, 0, 0));
	atomic_store(&s->events, (uint64_t)pg_conn_i64(&rows, 0, 1));
	atomic_store(&s->last_position, (uint64_t)pg_conn_i64(&rows, 0, 2));
	s->nodes.opened_at = (uint64_t)pg_conn_i64(&rows, 0, 2);
	atomic_store(&s->size_bytes, (uint64_t)pg_conn_i64(&rows, 0, 3));
	atomic_store(&s->needs_rebuild, pg_conn_i64(&rows, 0, 4) > 0);
	pg_conn_rows_done(&rows);
	return OK;
}
