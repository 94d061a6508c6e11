/*
 * The thread of heartbeats: one statement each time, which writes this node's heartbeat, ends
 * nodes that are dead, and reads who lives, how far they have come and who needs more of a shared amount.
 *
 * The lease counts from before the statement was sent, on the monotonic clock.  The heartbeat in the
 * row is later, so no other node ends this one before its lease is over.
 *
 * A node is ended as dead when its heartbeat is older than a lease by the server's clock, when
 * this node has seen the same heartbeat for nearly as long by its own, and when its own
 * heartbeats were on time for a whole lease.  After a stall of the server no node's were, so
 * every node has the time to send one.  A server's clock that jumps ends no node either.
 *
 * After its own heartbeats have failed a node waits longer: the server was away for others, too,
 * and they may find it seconds later.
 */
#include "store/postgres/pg_schema.h"
#include "store/postgres/pg_store.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"

#include <poll.h>
#include <unistd.h>

/* Another node that lives, and its last heartbeat. */
struct seen {
	int64_t incarnation, beat_us;
	int64_t since_ms; /* monotonic clock */
};

struct members {
	struct pg_store *s;
	struct seen *seen;
	size_t count;
	int64_t sent_ms;      /* the last heartbeat that was tried */
	int64_t sent_boot_ms; /* the same on the clock that does not stop while the machine sleeps */
	int64_t last_ms;      /* when the reply to the last one came; 0: it failed */
	int64_t on_time_ms;   /* since when no heartbeat was late */
	bool has_failed;      /* one has, and they were not on time long enough since */
	struct pg_retry retry;
	bool is_leaving_sent;
	uint64_t seen_sent; /* what others know of how far this node has come */
	uint64_t asked;     /* what was awaited when the last heartbeat was sent */
	uint64_t reached;   /* that every other node has seen so much is reported */
};

/* While others are awaited. */
#define AWAIT_MS 20
/* A connection that is not answered is given up after three seconds, and tried again soon. */
#define RETURN_MS 3500

static const struct pg_sql beat_sql = {
	"beat",
	"WITH mine AS (UPDATE node SET heartbeat = clock_timestamp(), seen = $6::bigint,"
	" is_leaving = $7::boolean, clock_off_ms = $8::bigint"
	" WHERE incarnation = $1::bigint"
	" AND pid = $2::bigint AND ended_at IS NULL RETURNING 1),"
	" late AS MATERIALIZED (SELECT incarnation FROM node"
	" WHERE incarnation = ANY ($3::bigint[]) AND ended_at IS NULL"
	" AND abs(extract(epoch FROM clock_timestamp() - heartbeat)) * 1000 > $4::bigint"
	" AND (SELECT count(*) FROM mine) = 1 FOR UPDATE SKIP LOCKED),"
	" dead AS (UPDATE node n SET ended_at = clock_timestamp(), is_dead = true FROM late"
	" WHERE n.incarnation = late.incarnation RETURNING n.incarnation)"
	" SELECT n.incarnation, (extract(epoch FROM n.heartbeat) * 1000000)::bigint,"
	" d.incarnation IS NOT NULL, n.name, n.seen, false, 0, false FROM node n"
	" LEFT JOIN dead d USING (incarnation)"
	" WHERE n.ended_at IS NULL AND n.incarnation <> $1::bigint"
	" UNION ALL SELECT -1, a.want, o.node IS NULL OR (a.since, a.node) < (o.since, o.node),"
	" a.account, 0, false, 0, false FROM allotment a"
	" JOIN node n ON n.incarnation = a.node AND n.ended_at IS NULL"
	" LEFT JOIN allotment o ON o.account = a.account AND o.node = $1::bigint AND o.want > 0"
	" WHERE a.want > 0 AND a.node <> $1::bigint"
	" AND a.asked_at > clock_timestamp() - $5::bigint * interval '1 ms'"
	" UNION ALL SELECT 0, (SELECT count(*) FROM mine), EXISTS (SELECT FROM node"
	" WHERE incarnation = $1::bigint AND pid = $2::bigint), NULL,"
	" (extract(epoch FROM clock_timestamp()) * 1000)::bigint,"
	" (u.rev < $9::bigint OR o.format < $10::bigint) AND NOT EXISTS (SELECT FROM node"
	" WHERE ended_at IS NULL AND (rev < $9::bigint OR format < $10::bigint)), u.rev,"
	" EXISTS (SELECT FROM node a, node b WHERE a.incarnation = $1::bigint AND b.ended_at IS"
	" NULL AND (a.version, a.rev, a.format) <> (b.version, b.rev, b.format)) FROM store o, "
	"upgrade u"
};

/* ---- what others sent ---- */

static const struct seen *find_seen(const struct members *m, int64_t incarnation)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->seen[i].incarnation == incarnation)
			return &m->seen[i];
	return NULL;
}

static void note_death(struct members *m, const struct pg_rows *rows, int row)
{
	log_line(
		LOG_WARN, "store",
		"the node \"%.*s\" (incarnation %lld) has sent no heartbeat for %lld ms and counts "
		"as dead; its sessions can be claimed",
		STR_ARG(pg_conn_str(rows, row, 3)), (long long)pg_conn_i64(rows, row, 0),
		(long long)m->s->nodes.lease_ms);
}

/* Replaces what is known of others.  Returns how many of them have ended. */
static unsigned take_others(struct members *m, const struct pg_rows *rows)
{
	struct seen *now = memory_zeroed((size_t)rows->count + 1, sizeof *now);
	size_t count = 0, stayed = 0;

	for (int i = 0; i < rows->count; i++) {
		int64_t incarnation = pg_conn_i64(rows, i, 0), beat = pg_conn_i64(rows, i, 1);
		const struct seen *before = find_seen(m, incarnation);

		if (incarnation <= 0)
			continue;
		if (pg_conn_bool(rows, i, 2)) {
			note_death(m, rows, i);
			continue;
		}
		stayed += before != NULL;
		now[count++] = before && before->beat_us == beat
		                       ? *before
		                       : (struct seen){ incarnation, beat, m->last_ms };
	}
	stayed = m->count - stayed;
	memory_free(m->seen);
	m->seen = now;
	m->count = count;
	atomic_store(&m->s->nodes.others, count);
	return (unsigned)stayed;
}

/* Accounts of which another node needs more. */
static void take_wishes(struct pg_store *s, const struct pg_rows *rows)
{
	struct pg_report *r = NULL;

	for (int i = 0; i < rows->count; i++) {
		if (pg_conn_i64(rows, i, 0) != -1)
			continue;
		r = r ? r : pg_nodes_report((size_t)rows->count);
		r->wanted[r->wanted_count++] =
			(struct pg_wanted){ arena_keep(r->mem, pg_conn_str(rows, i, 3)),
			                    pg_conn_i64(rows, i, 1), pg_conn_bool(rows, i, 2) };
	}
	if (r)
		pg_nodes_send(s, r);
}

/*
 * How far every other living node has come.  It counts for what was awaited before the heartbeat was
 * sent: a node that has joined since has read that at its start.
 */
static void take_seen(struct members *m, const struct pg_rows *rows)
{
	uint64_t least = UINT64_MAX;
	struct pg_report *r;

	for (int i = 0; i < rows->count; i++)
		if (pg_conn_i64(rows, i, 0) > 0 && !pg_conn_bool(rows, i, 2))
			least = MIN(least, (uint64_t)pg_conn_i64(rows, i, 4));
	if (m->asked <= m->reached || least <= m->reached)
		return;
	m->reached = MIN(least, m->asked);
	r = pg_nodes_report(0);
	r->all_seen = least;
	pg_nodes_send(m->s, r);
}

/* ---- one heartbeat ---- */

/* Silent for so long that the server may find it too old when the statement runs. */
static bool is_suspect(const struct members *m, const struct seen *o)
{
	const struct pg_nodes *n = &m->s->nodes;

	return m->sent_ms - o->since_ms > n->lease_ms - 2 * n->heartbeat_ms;
}

static bool may_end_others(struct members *m)
{
	int64_t wanted = m->s->nodes.lease_ms + (m->has_failed ? RETURN_MS : 0);

	if (!m->on_time_ms || m->sent_ms - m->on_time_ms < wanted)
		return false;
	m->has_failed = false;
	return true;
}

static void put_args(struct members *m, struct pg_args *args)
{
	bool may_end = may_end_others(m);
	struct buf *suspects;

	pg_args_i64(args, m->s->incarnation);
	pg_args_i64(args, getpid());
	suspects = pg_args_array(args, PG_INT8);
	for (size_t i = 0; may_end && i < m->count; i++)
		if (is_suspect(m, &m->seen[i]))
			pg_args_put_i64(suspects, m->seen[i].incarnation);
	pg_args_i64(args, m->s->nodes.lease_ms);
	pg_args_i64(args, STORE_WISH_MS);
	m->asked = atomic_load(&m->s->nodes.awaited);
	m->seen_sent = atomic_load(&m->s->nodes.seen);
	pg_args_i64(args, (int64_t)m->seen_sent);
	m->is_leaving_sent = atomic_load(&m->s->nodes.is_leaving);
	pg_args_bool(args, m->is_leaving_sent);
	pg_args_i64(args, pg_nodes_clock_off(m->s));
	pg_args_i64(args, m->s->nodes.self.rev);
	pg_args_i64(args, PG_SCHEMA_FORMAT);
}

static void drain(int fd)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof count);
}

/* A close waits for the reply, because the connection then ends the incarnation. */
static bool is_over(void *arg)
{
	struct pg_store *s = arg;

	drain(s->nodes.members_wake);
	return atomic_load(&s->is_dead);
}

/* The row of this node says whether others count it as alive. */
static enum err take_reply(struct members *m, const struct pg_rows *rows, struct error *e)
{
	int last = rows->count - 1;

	if (!pg_conn_i64(rows, last, 1) && pg_conn_bool(rows, last, 2))
		return pg_state_taken(e);
	if (!pg_conn_i64(rows, last, 1))
		return fail(e, ERR_UNAVAILABLE,
		            "store_behind: this server does not know this start of the node");
	return OK;
}

/* A reply that is awaited for so long, or a heartbeat so long after the one before, is late. */
static bool is_late(const struct members *m, int64_t now)
{
	const struct pg_nodes *n = &m->s->nodes;
	int64_t most = MAX(2 * n->heartbeat_ms, n->lease_ms / 2);

	return !m->last_ms || now - m->last_ms > most || now - m->sent_ms > most;
}

static void note_on_time(struct members *m)
{
	int64_t now = m->s->mono_ms();

	if (is_late(m, now) || !m->on_time_ms)
		m->on_time_ms = now;
	m->last_ms = now;
}

static enum err beat(struct members *m, struct error *e)
{
	struct pg_store *s = m->s;
	struct pg_wait wait = { .wake = s->nodes.members_wake,
		                .stop = is_over,
		                .arg = s,
		                .until_ms = clock_mono_ms() + s->nodes.lease_ms };
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	put_args(m, &args);
	err = pg_conn_ask_until(&s->nodes.members, &beat_sql, &args, &wait, &rows, e);
	if (err == OK)
		err = take_reply(m, &rows, e);
	if (err == OK) {
		pg_nodes_clock(s, m->sent_boot_ms, pg_conn_i64(&rows, rows.count - 1, 4), false);
		note_on_time(m);
		pg_nodes_lease(s, m->sent_ms, m->sent_boot_ms);
		take_wishes(s, &rows);
		take_seen(m, &rows);
		if (take_others(m, &rows)) {
			uint64_t one = 1;

			atomic_fetch_add(&s->nodes.deaths, 1);
			(void)!write(s->nodes.claims_wake, &one, sizeof one);
		}
		pg_common_look(s, &rows, rows.count - 1, 5);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- the thread ---- */

static enum err open_link(struct pg_store *s, bool is_again, struct error *e)
{
	struct pg_conn_options o = s->connect;
	enum err err;

	o.use = PG_USE_NODES;
	o.is_again = is_again;
	err = pg_conn_open(&s->nodes.members, pg_lib_load(NULL), &o, e);
	return err == OK ? pg_conn_rename(&s->nodes.members, s->connect.schema, s->incarnation, e)
	                 : err;
}

/*
 * A server that stalls for long must not get one more connection with each try, so the one before
 * is ended first.
 */
static enum err open_again(struct pg_store *s, struct error *e)
{
	struct pg_conn *c = &s->nodes.members;
	struct pg_backend before = c->backend;
	enum err err = open_link(s, true, e);

	if (err == OK)
		err = pg_conn_bury(c, &before, e);
	if (err != OK) {
		pg_conn_break(c);
		c->backend = before;
	}
	return err;
}

/* It does not wait for the link of the log, which may wait for a standby. */
static void try_beat(struct members *m)
{
	struct pg_conn *c = &m->s->nodes.members;
	struct error e;
	enum err err = c->is_lost ? open_again(m->s, &e) : OK;

	m->sent_ms = m->s->mono_ms();
	m->sent_boot_ms = clock_boot_ms();
	if (is_late(m, m->sent_ms))
		m->on_time_ms = 0;
	if (err == OK)
		err = beat(m, &e);
	if (err == OK) {
		m->retry = (struct pg_retry){ 0 };
		return;
	}
	m->last_ms = m->on_time_ms = 0;
	m->has_failed = true;
	pg_conn_break(c);
	/* Within its lease; others are to hear of it before they count it as dead. */
	pg_state_retry_within(&m->retry, MAX(m->s->nodes.lease_ms / 4, 1));
	pg_state_fail(m->s, &e);
}

static int until_next(const struct members *m)
{
	const struct pg_nodes *n = &m->s->nodes;
	bool is_news = atomic_load(&n->seen) > m->seen_sent ||
	               atomic_load(&n->awaited) > m->asked ||
	               atomic_load(&n->is_leaving) != m->is_leaving_sent;
	int64_t pause = is_news                                 ? 0
	                : atomic_load(&n->awaited) > m->reached ? MIN(AWAIT_MS, n->heartbeat_ms)
	                                                        : n->heartbeat_ms;
	int64_t next = m->sent_ms + pause - m->s->mono_ms();

	return m->retry.tries ? pg_state_retry_in(&m->retry) : (int)MAX(0, next);
}

static void rest(struct members *m)
{
	struct pollfd fd = { .fd = m->s->nodes.members_wake, .events = POLLIN };

	if (poll(&fd, 1, until_next(m)) > 0)
		drain(fd.fd);
}

enum err pg_members_open(struct pg_store *s, struct error *e)
{
	return open_link(s, false, e);
}

void *pg_members_run(void *store)
{
	struct members m = { .s = store };

	while (!atomic_load(&m.s->nodes.is_stopped) && !atomic_load(&m.s->is_dead)) {
		if (until_next(&m) == 0) {
			if (atomic_load(&m.s->nodes.is_paused))
				m.sent_ms = m.s->mono_ms();
			else
				try_beat(&m);
		}
		rest(&m);
	}
	memory_free(m.seen);
	return NULL;
}
