/*
 * The start of a node: a name that no other living node has, and a new incarnation.
 *
 * An index keeps two living nodes from having one name, so of several starts at the same
 * moment one wins.  A node of that name that has not ended is watched for a lease at most: a
 * heartbeat refuses the start, none ends that node as dead.  Its process may be known
 * to be gone before, when it was on this machine.
 *
 * The connections of the node before are waited for as well, for a lease: the server ends them,
 * and with them what was under way.  What is still under way then is waited for by the
 * claim of each session.
 */
#include "store/postgres/pg_schema.h"
#include "store/postgres/pg_store.h"

#include "base/os/clock.h"
#include "base/os/log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define PAUSE_US 25000

/* The living node that has the name. */
struct holder {
	int64_t incarnation; /* 0: there is none */
	int64_t pid, beat_us, age_ms;
	int64_t connections; /* -1: a pool gives them to others */
	char host[128];
};

static enum err find_holder(struct pg_store *s, struct holder *ret, struct error *e)
{
	static const struct pg_sql q = {
		"find_holder",
		"SELECT incarnation, pid, host, (extract(epoch FROM heartbeat) * 1000000)::bigint,"
		" (extract(epoch FROM clock_timestamp() - heartbeat) * 1000)::bigint,"
		" (SELECT count(*) FROM pg_catalog.pg_stat_activity"
		" WHERE datname = current_database()"
		" AND application_name = 'thole/' || current_schema() || '/' || incarnation)"
		" FROM node WHERE name = $1::text AND ended_at IS NULL"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	*ret = (struct holder){ 0 };
	pg_args_str(&args, s->nodes.self.name);
	err = pg_conn_ask(&s->start, &q, &args, &rows, e);
	if (err == OK && rows.count) {
		ret->incarnation = pg_conn_i64(&rows, 0, 0);
		ret->pid = pg_conn_i64(&rows, 0, 1);
		snprintf(ret->host, sizeof ret->host, "%.*s", STR_ARG(pg_conn_str(&rows, 0, 2)));
		ret->beat_us = pg_conn_i64(&rows, 0, 3);
		ret->age_ms = pg_conn_i64(&rows, 0, 4);
		ret->connections = s->start.is_pooled ? -1 : pg_conn_i64(&rows, 0, 5);
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

static bool is_of_this_machine(const struct holder *h)
{
	char host[128];

	host_name(host, sizeof host);
	return strcmp(host, h->host) == 0 && h->pid != getpid();
}

/* Names of machines may repeat, so its connections count too. */
static bool is_gone(const struct holder *h)
{
	return is_of_this_machine(h) && !h->connections && kill((pid_t)h->pid, 0) != 0 &&
	       errno == ESRCH;
}

static bool is_seen_alive(struct pg_store *s, const struct holder *h)
{
	return is_of_this_machine(h) && h->connections && h->age_ms <= s->nodes.lease_ms &&
	       kill((pid_t)h->pid, 0) == 0;
}

static enum err in_use(struct pg_store *s, const struct holder *h, struct error *e)
{
	return fail(e, ERR_BUSY,
	            "store_in_use: %s is in use by the node \"%.*s\", process %lld on %s "
	            "(incarnation %lld). Stop it, or give this node another name with node.name",
	            s->place, STR_ARG(s->nodes.self.name), (long long)h->pid, h->host,
	            (long long)h->incarnation);
}

/* Unless it has sent a heartbeat since it was looked at. */
static enum err end_holder(struct pg_store *s, const struct holder *h, struct error *e)
{
	static const struct pg_sql q = {
		"end_holder", "UPDATE node SET ended_at = clock_timestamp(), is_dead = true"
			      " WHERE incarnation = $1::bigint AND ended_at IS NULL"
			      " AND (extract(epoch FROM heartbeat) * 1000000)::bigint = $2::bigint"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, h->incarnation);
	pg_args_i64(&args, h->beat_us);
	log_line(LOG_INFO, "store",
	         "the node \"%.*s\" (incarnation %lld) ended without a word; this start takes its "
	         "name",
	         STR_ARG(s->nodes.self.name), (long long)h->incarnation);
	return pg_conn_tell(&s->start, &q, &args, e);
}

/* Until no living node has the name; ret_before is the last one that had it. */
static enum err wait_for_name(struct pg_store *s, int64_t *ret_before, struct error *e)
{
	struct holder first, now;
	int64_t since = clock_mono_ms();
	enum err err = find_holder(s, &first, e);

	now = first;
	while (err == OK && now.incarnation) {
		bool is_silent = clock_mono_ms() - since > s->nodes.lease_ms;

		if (now.incarnation != first.incarnation || now.beat_us != first.beat_us ||
		    is_seen_alive(s, &now))
			return in_use(s, &now, e);
		*ret_before = now.incarnation;
		if (is_silent || is_gone(&now))
			err = end_holder(s, &now, e);
		else
			usleep(PAUSE_US);
		if (err == OK)
			err = find_holder(s, &now, e);
	}
	return err;
}

static enum err count_connections(struct pg_store *s, int64_t incarnation, int64_t *ret,
                                  struct error *e)
{
	static const struct pg_sql q = {
		"count_connections",
		"SELECT count(*) FROM pg_catalog.pg_stat_activity"
		" WHERE datname = current_database()"
		" AND application_name = 'thole/' || current_schema() || '/' || $1::bigint"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, incarnation);
	err = pg_conn_ask(&s->start, &q, &args, &rows, e);
	if (err == OK)
		*ret = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err wait_for_connections(struct pg_store *s, int64_t incarnation, struct error *e)
{
	int64_t until = clock_mono_ms() + s->nodes.lease_ms, left = incarnation ? 1 : 0;
	enum err err = OK;

	while (err == OK && left && clock_mono_ms() < until) {
		err = count_connections(s, incarnation, &left, e);
		if (err == OK && left)
			usleep(PAUSE_US);
	}
	return err;
}

/* No row: another start was faster. */
static enum err insert_node(struct pg_store *s, struct error *e)
{
	static const struct pg_sql q = {
		"insert_node",
		"INSERT INTO node(host, pid, version, name, address, place, rev, format)"
		" VALUES ($1::text, $2::bigint, $3::text, $4::text, $5::text, $6::text,"
		" $7::bigint, $8::bigint) ON CONFLICT DO NOTHING"
		" RETURNING incarnation, (extract(epoch FROM started_at) * 1000)::bigint"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	char host[128];
	enum err err;

	host_name(host, sizeof host);
	pg_args_str(&args, str_from(host));
	pg_args_i64(&args, getpid());
	pg_args_str(&args, s->nodes.self.version);
	pg_args_str(&args, s->nodes.self.name);
	pg_args_str(&args, s->nodes.self.address);
	pg_args_str(&args, s->nodes.self.place);
	pg_args_i64(&args, s->nodes.self.rev);
	pg_args_i64(&args, PG_SCHEMA_FORMAT);
	err = pg_conn_ask(&s->start, &q, &args, &rows, e);
	if (err == OK && rows.count) {
		s->incarnation = pg_conn_i64(&rows, 0, 0);
		s->nodes.self.incarnation = (uint64_t)s->incarnation;
		s->nodes.self.started_ms = pg_conn_i64(&rows, 0, 1);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* In one transaction with the answer that it may: until its end the common revision stays. */
static enum err join(struct pg_store *s, struct error *e)
{
	enum err err = pg_conn_run(&s->start, "BEGIN", e);

	if (err == OK)
		err = pg_schema_admit(&s->start, s->connect.schema, s->nodes.self.rev, e);
	if (err == OK)
		err = insert_node(s, e);
	if (err == OK)
		err = pg_conn_run(&s->start, "COMMIT", e);
	if (err == OK)
		return OK;
	s->incarnation = 0;
	(void)!pg_conn_run(&s->start, "ROLLBACK", NULL);
	return err;
}

/*
 * One row for each start of each node would grow without end.  After a day no commit of an ended
 * one is under way.
 */
static enum err merge_accounts(struct pg_store *s, struct error *e)
{
	return pg_conn_run(
		&s->start,
		"WITH old AS (SELECT incarnation FROM node"
		" WHERE ended_at < clock_timestamp() - interval '1 day'),"
		" given AS (DELETE FROM allotment a USING old WHERE a.node = old.incarnation),"
		" gone AS (DELETE FROM ledger l USING old WHERE l.node = old.incarnation"
		" RETURNING l.account, l.spent, l.reserved)"
		" INSERT INTO ledger(account, node, spent, reserved)"
		" SELECT account, 0, sum(spent)::bigint, sum(reserved)::bigint"
		" FROM gone GROUP BY account"
		" ON CONFLICT (account, node) DO UPDATE SET spent = ledger.spent + excluded.spent,"
		" reserved = ledger.reserved + excluded.reserved",
		e);
}

enum err pg_join_take(struct pg_store *s, struct error *e)
{
	enum err err = OK;

	while (err == OK && !s->incarnation) {
		int64_t before = 0, sent_ms, sent_boot_ms;

		err = wait_for_name(s, &before, e);
		if (err == OK)
			err = wait_for_connections(s, before, e);
		sent_ms = s->mono_ms();
		sent_boot_ms = clock_boot_ms();
		if (err == OK)
			err = join(s, e);
		if (err == OK && s->incarnation) {
			pg_nodes_lease(s, sent_ms, sent_boot_ms);
			pg_nodes_clock(s, sent_boot_ms, s->nodes.self.started_ms, true);
		}
	}
	return err == OK ? merge_accounts(s, e) : err;
}

void pg_join_end(struct pg_store *s)
{
	static const struct pg_sql q = { "end_incarnation",
		                         "UPDATE node SET ended_at = clock_timestamp()"
		                         " WHERE incarnation = $1::bigint AND ended_at IS NULL" };
	struct pg_args args = { 0 };

	if (!s->incarnation || s->nodes.members.is_lost || !s->nodes.members.pg)
		return;
	pg_args_i64(&args, s->incarnation);
	(void)!pg_conn_tell(&s->nodes.members, &q, &args, NULL);
}
