/*
 * The start: whether this server can keep the log, and which start this is.
 *
 * The row of the node before is ended when the server shows none of its connections any
 * more.  Until then a commit of it may still be under way, and what this start read
 * could be outdated.
 */
#include "store/postgres/pg_store.h"

#include "base/os/log.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define SERVER_VERSION 140000
/* How often and at what distance the connections of the node before are looked for. */
#define TAKE_TRIES 200
#define TAKE_PAUSE_US 25000

/* ---- the server ---- */

struct server {
	char encoding[32], commit[32], standbys[200];
	bool is_read_only, has_fsync, forgets; /* synchronous_commit is off */
};

static void copy_text(char *to, size_t size, struct str from)
{
	snprintf(to, size, "%.*s", STR_ARG(from));
}

static enum err read_server(struct pg_store *s, struct server *ret, struct error *e)
{
	static const struct pg_sql q = { "read_server",
		                         "SELECT current_setting('server_encoding'),"
		                         " current_setting('synchronous_commit'),"
		                         " current_setting('synchronous_standby_names'),"
		                         " current_setting('transaction_read_only') = 'on',"
		                         " current_setting('fsync') = 'on',"
		                         " current_setting('synchronous_commit') = 'off'" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->calls, &q, &none, &rows, e);

	if (err != OK)
		return err;
	copy_text(ret->encoding, sizeof ret->encoding, pg_conn_str(&rows, 0, 0));
	copy_text(ret->commit, sizeof ret->commit, pg_conn_str(&rows, 0, 1));
	copy_text(ret->standbys, sizeof ret->standbys, pg_conn_str(&rows, 0, 2));
	ret->is_read_only = pg_conn_bool(&rows, 0, 3);
	ret->has_fsync = pg_conn_bool(&rows, 0, 4);
	ret->forgets = pg_conn_bool(&rows, 0, 5);
	pg_conn_rows_done(&rows);
	return OK;
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
	return OK;
}

enum err pg_start_check(struct pg_store *s, bool is_relaxed, struct error *e)
{
	struct server server;
	int version = s->calls.lib->PQserverVersion(s->calls.pg);
	enum err err;

	if (version < SERVER_VERSION)
		return fail(e, ERR_UNSUPPORTED,
		            "store_version: the server has PostgreSQL %d; 14 or later is needed",
		            version / 10000);
	err = read_server(s, &server, e);
	if (err != OK)
		return err;
	if (strcmp(server.encoding, "UTF8") != 0)
		return fail(e, ERR_UNSUPPORTED,
		            "store_encoding: the database has the encoding %s; UTF8 is needed. "
		            "Make one "
		            "with: createdb --template template0 --encoding UTF8 NAME",
		            server.encoding);
	if (server.is_read_only)
		return fail(e, ERR_IO,
		            "store_read_only: %s takes no writes. Use the primary, not a standby, "
		            "and a "
		            "role without default_transaction_read_only",
		            s->place);
	return settle_commit(s, &server, is_relaxed, e);
}

/* ---- the node before ---- */

struct node_before {
	int64_t incarnation, pid, connections;
	char host[128];
};

/* Connections have the incarnation in their name.  Of other roles the server shows no names. */
static enum err find_node(struct pg_store *s, struct node_before *ret, bool *ret_found,
                          struct error *e)
{
	static const struct pg_sql q = {
		"find_node",
		"SELECT incarnation, pid, host, (SELECT count(*)"
		" FROM pg_catalog.pg_stat_activity WHERE datname = current_database()"
		" AND application_name = 'thole/' || current_schema() || '/' || incarnation)"
		" FROM node WHERE ended_at IS NULL ORDER BY incarnation DESC LIMIT 1"
	};
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->calls, &q, &none, &rows, e);

	*ret_found = err == OK && rows.count == 1;
	if (*ret_found) {
		ret->incarnation = pg_conn_i64(&rows, 0, 0);
		ret->pid = pg_conn_i64(&rows, 0, 1);
		copy_text(ret->host, sizeof ret->host, pg_conn_str(&rows, 0, 2));
		ret->connections = pg_conn_i64(&rows, 0, 3);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static void host_name(char *to, size_t size)
{
	if (gethostname(to, size) != 0)
		snprintf(to, size, "unknown");
	to[size - 1] = '\0';
}

/* A process of this machine that lives is not waited for. */
static bool is_alive_here(const struct node_before *n)
{
	char host[128];

	host_name(host, sizeof host);
	return strcmp(host, n->host) == 0 && n->pid != getpid() && kill((pid_t)n->pid, 0) == 0;
}

static enum err wait_for_end(struct pg_store *s, struct error *e)
{
	struct node_before n;
	bool is_found;
	enum err err = find_node(s, &n, &is_found, e);

	for (int tries = 0; err == OK && is_found && n.connections; tries++) {
		if (tries == TAKE_TRIES || is_alive_here(&n))
			return fail(e, ERR_BUSY,
			            "store_in_use: %s is in use by process %lld on %s (incarnation "
			            "%lld). Stop it, or choose another schema with store.schema",
			            s->place, (long long)n.pid, n.host, (long long)n.incarnation);
		usleep(TAKE_PAUSE_US);
		err = find_node(s, &n, &is_found, e);
	}
	return err;
}

/* Two starts at the same moment: the later one ends the incarnation of the earlier one. */
static enum err take_incarnation(struct pg_store *s, const char *version, struct error *e)
{
	static const struct pg_sql q = {
		"take_incarnation",
		"WITH before AS (UPDATE node SET ended_at = now() WHERE ended_at IS NULL)"
		" INSERT INTO node(host, pid, version) VALUES ($1::text, $2::bigint, $3::text)"
		" RETURNING incarnation"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	char host[128];
	enum err err;

	host_name(host, sizeof host);
	pg_args_str(&args, str_from(host));
	pg_args_i64(&args, getpid());
	pg_args_str(&args, str_from(version));
	err = pg_conn_ask(&s->calls, &q, &args, &rows, e);
	if (err == OK)
		s->incarnation = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

enum err pg_start_take(struct pg_store *s, const char *version, struct error *e)
{
	enum err err = wait_for_end(s, e);

	return err == OK ? take_incarnation(s, version, e) : err;
}

void pg_start_end(struct pg_store *s)
{
	static const struct pg_sql q = { "end_incarnation", "UPDATE node SET ended_at = now()"
		                                            " WHERE incarnation = $1::bigint" };
	struct pg_args args = { 0 };

	if (!s->incarnation || s->calls.is_lost)
		return;
	pg_args_i64(&args, s->incarnation);
	(void)!pg_conn_tell(&s->calls, &q, &args, NULL);
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
	enum err err = pg_conn_ask(&s->calls, &q, &none, &rows, e);

	if (err != OK)
		return err;
	atomic_store(&s->sessions, (uint64_t)pg_conn_i64(&rows, 0, 0));
	atomic_store(&s->events, (uint64_t)pg_conn_i64(&rows, 0, 1));
	atomic_store(&s->last_position, (uint64_t)pg_conn_i64(&rows, 0, 2));
	atomic_store(&s->size_bytes, (uint64_t)pg_conn_i64(&rows, 0, 3));
	atomic_store(&s->needs_rebuild, pg_conn_i64(&rows, 0, 4) > 0);
	pg_conn_rows_done(&rows);
	return OK;
}
