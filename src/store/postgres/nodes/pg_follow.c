/*
 * What other nodes did: their commits, sessions whose owner has ended, and the list of nodes.
 *
 * Commits are found by position.  One row gives positions out, and its lock is held until the
 * commit, so what is at or below the last position is complete.  Between two questions
 * nothing is lost: the next one continues behind the position of the last.
 *
 * A question that was sent while nothing was followed reads the position only.  The position is
 * kept only if that is still so when the reply is there.
 */
#include "store/postgres/pg_store.h"

#include "base/gen/limits.h"
#include "base/memory.h"
#include "base/os/clock.h"

#define POLL_FOLLOWED_MS 100
#define POLL_IDLE_MS 1000
/* After a hint. */
#define POLL_HINTED_MS 10
#define POLL_HINTED_IDLE_MS 250
#define ORPHANS_MS 5000       /* between two looks at sessions whose owner has ended */
#define ORPHANS_FOUND_MS 1000 /* the same when some were found */
#define CHUNKS_AT_ONCE 2048
#define ORPHANS_AT_ONCE 1024

static bool is_following(struct pg_store *s)
{
	return atomic_load(&s->nodes.follows_all) || atomic_load(&s->nodes.follow_count);
}

/* ---- commits ---- */

static enum err ask_position(struct pg_store *s, struct pg_rows *ret, struct error *e)
{
	static const struct pg_sql q = { "poll", "SELECT NULL, last_position, false FROM counter" };
	struct pg_args none = { 0 };

	return pg_conn_ask(&s->nodes.claims, &q, &none, ret, e);
}

/*
 * Chunks say who wrote them.  A pack does not; its session's mark says who wrote last.  The last
 * row is the position up to which this is complete, and whether there is more behind it.
 */
static enum err ask_commits(struct pg_store *s, uint64_t after, struct pg_rows *ret,
                            struct error *e)
{
	static const struct pg_sql q = {
		"poll_commits",
		"WITH c AS MATERIALIZED (SELECT session_no, last_seq, last_position,"
		" writer <> $2::bigint AS is_foreign FROM chunk WHERE last_position > $1::bigint"
		" ORDER BY last_position LIMIT $3::bigint)"
		" SELECT s.id, max(c.last_seq), true FROM c JOIN session s USING (session_no)"
		" WHERE is_foreign GROUP BY s.id"
		" UNION ALL SELECT s.id, s.last_seq, true FROM (SELECT DISTINCT session_no FROM "
		"pack"
		" WHERE last_position > $1::bigint) p JOIN session s USING (session_no)"
		" WHERE s.mark >> 40 <> $2::bigint"
		" UNION ALL SELECT NULL, CASE WHEN n = $3::bigint THEN last ELSE last_position END,"
		" n = $3::bigint FROM counter,"
		" (SELECT count(*) AS n, max(last_position) AS last FROM c) l"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, as_int(after));
	pg_args_i64(&args, s->incarnation);
	pg_args_i64(&args, CHUNKS_AT_ONCE);
	return pg_conn_ask(&s->nodes.claims, &q, &args, ret, e);
}

/* Returns whether there is more. */
static bool take_commits(struct pg_store *s, struct pg_follow *f, const struct pg_rows *rows)
{
	struct pg_report *r = pg_nodes_report((size_t)rows->count);
	bool is_more = false;

	for (int i = 0; i < rows->count; i++) {
		struct str id = pg_conn_str(rows, i, 0);
		uint64_t n = (uint64_t)pg_conn_i64(rows, i, 1);

		if (str_is(id)) {
			r->moved[r->moved_count++] = (struct pg_moved){ arena_keep(r->mem, id), n };
			continue;
		}
		is_more = pg_conn_bool(rows, i, 2);
		r->position = n > f->position ? n : 0;
		f->position = MAX(f->position, n);
		pg_state_reached(s, n);
	}
	pg_nodes_send(s, r);
	return is_more;
}

static enum err poll_commits(struct pg_store *s, struct pg_follow *f, struct error *e)
{
	bool was_following, is_more = true;
	enum err err = OK;

	while (err == OK && is_more) {
		struct pg_rows rows;

		was_following = is_following(s);
		err = was_following ? ask_commits(s, f->position, &rows, e)
		                    : ask_position(s, &rows, e);
		is_more = err == OK && !was_following && is_following(s);
		if (err == OK && !is_more)
			is_more = take_commits(s, f, &rows);
		/* The rest is asked for at the next turn, because the owner waits. */
		is_more = is_more && !atomic_load(&s->nodes.open_calls);
		pg_conn_rows_done(&rows);
	}
	return err;
}

/* ---- sessions whose owner has ended ---- */

static_assert(INDEX_SESSION == 0, "the statement below names this table by number");

static enum err find_orphans(struct pg_store *s, bool has_ended, bool *ret_found, struct error *e)
{
	static const struct pg_sql q = {
		"orphans",
		"SELECT s.id FROM idx i JOIN session s USING (session_no)"
		" WHERE i.tbl = 0 AND i.open AND s.owner <> 0 AND EXISTS (SELECT FROM node n"
		" WHERE n.incarnation = s.owner AND n.ended_at IS NOT NULL)"
		" AND s.needs_rev <= $2::bigint ORDER BY i.at LIMIT $1::bigint"
	};
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, ORPHANS_AT_ONCE);
	pg_args_i64(&args, s->nodes.self.rev);
	err = pg_conn_ask(&s->nodes.claims, &q, &args, &rows, e);
	*ret_found = rows.count;
	if (err == OK) {
		struct pg_report *r = pg_nodes_report((size_t)rows.count);

		r->has_ended = has_ended;
		for (int i = 0; i < rows.count; i++)
			r->orphans[r->orphan_count++] =
				arena_keep(r->mem, pg_conn_str(&rows, i, 0));
		pg_nodes_send(s, r);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- when ---- */

static int64_t poll_due(struct pg_store *s, const struct pg_follow *f)
{
	if (f->is_hinted)
		return f->poll_at_ms +
		       (is_following(s) || f->is_urgent ? POLL_HINTED_MS : POLL_HINTED_IDLE_MS);
	if (atomic_load(&s->nodes.asks_on_hints))
		return INT64_MAX;
	return f->poll_at_ms + (is_following(s) ? POLL_FOLLOWED_MS : POLL_IDLE_MS);
}

enum err pg_follow_ask(struct pg_store *s, struct pg_follow *f, struct error *e)
{
	int64_t now = clock_mono_ms();
	unsigned deaths = atomic_load(&s->nodes.deaths);
	bool is_found = false;
	enum err err = OK;

	if (now >= poll_due(s, f)) {
		f->is_hinted = f->is_urgent = false;
		err = poll_commits(s, f, e);
		f->poll_at_ms = now;
	}
	if (err == OK && (deaths != f->deaths || now >= f->orphans_at_ms)) {
		err = find_orphans(s, deaths != f->deaths, &is_found, e);
		/* Otherwise the end of a node is reported by the next try. */
		if (err == OK)
			f->deaths = deaths;
		f->orphans_at_ms = now + (is_found ? ORPHANS_FOUND_MS : ORPHANS_MS);
	}
	return err;
}

int pg_follow_wait(struct pg_store *s, const struct pg_follow *f)
{
	int64_t next = MIN(poll_due(s, f), f->orphans_at_ms) - clock_mono_ms();

	return atomic_load(&s->nodes.deaths) != f->deaths ? 0 : (int)MAX(0, next);
}

/* ---- the list ---- */

enum {
	INCARNATION,
	NAME,
	ADDRESS,
	VERSION,
	HAS_ENDED,
	IS_DEAD,
	STARTED,
	AGE,
	SESSIONS,
	LEAVING,
	CLOCK_OFF,
	PLACE,
	REV
};

static void take_node(struct pg_store *s, struct store_nodes_read *r, const struct pg_rows *rows,
                      int row)
{
	r->nodes[r->count++] = (struct store_node){
		.incarnation = (uint64_t)pg_conn_i64(rows, row, INCARNATION),
		.name = arena_keep(r->mem, pg_conn_str(rows, row, NAME)),
		.address = arena_keep(r->mem, pg_conn_str(rows, row, ADDRESS)),
		.version = arena_keep(r->mem, pg_conn_str(rows, row, VERSION)),
		.state = pg_conn_bool(rows, row, IS_DEAD)     ? STORE_NODE_DEAD
		         : pg_conn_bool(rows, row, HAS_ENDED) ? STORE_NODE_ENDED
		                                              : STORE_NODE_LIVES,
		.is_self = pg_conn_i64(rows, row, INCARNATION) == s->incarnation,
		.started_ms = pg_conn_i64(rows, row, STARTED),
		.beat_age_ms = MAX(0, pg_conn_i64(rows, row, AGE)),
		.sessions = (uint64_t)pg_conn_i64(rows, row, SESSIONS),
		.is_leaving = pg_conn_bool(rows, row, LEAVING),
		.clock_off_ms = pg_conn_i64(rows, row, CLOCK_OFF),
		.place = arena_keep(r->mem, pg_conn_str(rows, row, PLACE)),
		.rev = (uint32_t)pg_conn_i64(rows, row, REV),
	};
}

static enum err ask_nodes(struct pg_store *s, const struct store_nodes_read *r, struct pg_rows *ret,
                          struct error *e)
{
	static const struct pg_sql q = {
		"list_nodes",
		"SELECT n.incarnation, n.name, n.address, n.version, n.ended_at IS NOT NULL,"
		" n.is_dead, (extract(epoch FROM n.started_at) * 1000)::bigint,"
		" (extract(epoch FROM clock_timestamp() - n.heartbeat) * 1000)::bigint,"
		" (SELECT count(*) FROM session s WHERE s.owner = n.incarnation AND s.owner <> 0),"
		" n.is_leaving, n.clock_off_ms, n.place, n.rev"
		" FROM node n WHERE n.ended_at IS NULL"
		" OR ($1::boolean AND n.ended_at > now() - interval '1 day')"
		" ORDER BY n.name, n.incarnation"
	};
	struct pg_args args = { 0 };

	pg_args_bool(&args, r->with_ended);
	return pg_conn_ask(&s->nodes.claims, &q, &args, ret, e);
}

enum { ALLOT_NODE, ALLOT_ACCOUNT, ALLOT_AMOUNT, ALLOT_WANT, ALLOT_LEFT_OUT };

/* By node: their table has no index by time, and is small. */
static enum err ask_allotments(struct pg_store *s, struct pg_rows *ret, struct error *e)
{
	static const struct pg_sql q = {
		"list_allotments",
		"WITH said AS (SELECT a.node, a.account, a.amount, a.asked_at,"
		" CASE WHEN a.asked_at > clock_timestamp() - $1::bigint * interval '1 ms'"
		" THEN a.want ELSE 0 END AS want"
		" FROM allotment a JOIN node n ON n.incarnation = a.node WHERE n.ended_at IS NULL),"
		" placed AS (SELECT said.*, row_number() OVER (PARTITION BY node"
		" ORDER BY asked_at DESC, account) AS place, count(*) OVER (PARTITION BY node) AS "
		"sum"
		" FROM said WHERE amount > 0 OR want > 0)"
		" SELECT node, account, amount, want, greatest(sum - $2::bigint, 0) FROM placed"
		" WHERE place <= $2::bigint ORDER BY node, account"
	};
	struct pg_args args = { 0 };

	pg_args_i64(&args, STORE_WISH_MS);
	pg_args_i64(&args, LIMIT_NODE_ALLOTMENTS);
	return pg_conn_ask(&s->nodes.claims, &q, &args, ret, e);
}

static struct store_node *find_node(struct store_nodes_read *r, uint64_t incarnation)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->nodes[i].incarnation == incarnation)
			return &r->nodes[i];
	return NULL;
}

/* A node that has joined after the list was read is left out. */
static void take_allotments(struct store_nodes_read *r, const struct pg_rows *rows)
{
	struct store_allotted *all =
		ARENA_ARRAY(r->mem, struct store_allotted, (size_t)rows->count + 1);

	for (int i = 0; i < rows->count; i++) {
		struct store_node *n = find_node(r, (uint64_t)pg_conn_i64(rows, i, ALLOT_NODE));

		if (!n)
			continue;
		all[i] = (struct store_allotted){
			.account = arena_keep(r->mem, pg_conn_str(rows, i, ALLOT_ACCOUNT)),
			.amount = pg_conn_i64(rows, i, ALLOT_AMOUNT),
			.want = pg_conn_i64(rows, i, ALLOT_WANT),
		};
		if (!n->allotments)
			n->allotments = &all[i];
		n->allotment_count++;
		n->allotments_left_out = (uint64_t)pg_conn_i64(rows, i, ALLOT_LEFT_OUT);
	}
}

/* Both are read before anything is kept: a list that fails is asked for again. */
enum err pg_follow_list(struct pg_store *s, struct store_nodes_read *r)
{
	struct pg_rows rows = { 0 }, allotted = { 0 };

	r->result = ask_nodes(s, r, &rows, &r->error);
	if (r->result == OK && r->with_allotments)
		r->result = ask_allotments(s, &allotted, &r->error);
	if (r->result == OK) {
		r->error = (struct error){ 0 };
		r->mem = arena_new();
		r->nodes = ARENA_ARRAY(r->mem, struct store_node, (size_t)rows.count + 1);
		for (int i = 0; i < rows.count; i++)
			take_node(s, r, &rows, i);
		take_allotments(r, &allotted);
	}
	pg_conn_rows_done(&allotted);
	pg_conn_rows_done(&rows);
	return r->result;
}
