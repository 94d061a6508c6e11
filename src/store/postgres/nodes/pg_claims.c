/*
 * The thread of claims: sessions are claimed and released, many in a statement.
 *
 *   mail ──► releases and claims that wait ──► one statement for each ──► answered
 *
 * Claims and releases are gathered from what has arrived.  Releases are carried out first, so a
 * release that comes after a claim of the same session waits for that claim.
 *
 * No statement waits for a row.  A row that another transaction has locked, a commit of the owner
 * before for example, is passed over, and its claim is tried again a moment later: what is
 * answered then sees that commit.
 *
 * A synchronous call of the port goes before all of them, because the owner waits for it.
 *
 * A session that needs a higher revision than this node's is not taken.  Its claim names a node that
 * may: of those that live, each session has one of its own, so that they share the work.
 *
 * A claim takes a session that has no owner, or one that is known to have ended.  Only the row of the
 * owner itself shows that: a statement may be older than the start of a node that it meets.
 */
#include "store/postgres/nodes/pg_calls.h"
#include "store/postgres/pg_store.h"

#include "base/memory.h"
#include "base/os/clock.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define GROUP 2048 /* sessions in a statement */
/* Between two tries of rows that are locked. */
#define LOCKED_FIRST_MS 5
#define LOCKED_MOST_MS 80

struct claims {
	struct pg_store *s;
	struct pg_call *call;              /* the owner may wait for it; at most one */
	struct mail *queue, **queue_end;   /* not looked at yet */
	struct mail *claims, **claims_end; /* in their order */
	struct map claimed;                /* the sessions of these claims */
	struct map releases;               /* id → struct pg_job; at most one for each session */
	struct pg_follow follow;
	bool is_closing, is_away, is_listening;
	struct pg_retry retry;
	int locked_ms;        /* the pause because of locked rows; 0: none was locked */
	int64_t locked_at_ms; /* when to look at them again */
};

static struct pg_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_job, mail);
}

static void answer(struct claims *w, struct pg_job *job)
{
	mailbox_post(&w->s->answered, &job->mail);
}

/* ---- gathering ---- */

static void drop_release(struct claims *w, struct str session)
{
	struct pg_job *job = map_remove(&w->releases, session);

	if (job) {
		pg_nodes_job_done(&job->nodes);
		memory_free(job);
	}
}

static void add_release(struct claims *w, struct pg_job *job)
{
	struct str session = str_from(job->nodes.release);

	drop_release(w, session);
	map_put(&w->releases, session, job);
}

static void add_claim(struct claims *w, struct pg_job *job)
{
	job->mail.next = NULL;
	*w->claims_end = &job->mail;
	w->claims_end = &job->mail.next;
	map_put(&w->claimed, job->nodes.claim->session, job);
}

static void take_mail(struct claims *w)
{
	for (struct mail *m = mailbox_take(&w->s->nodes.to_claims), *next; m; m = next) {
		next = m->next;
		if (job_of(m)->kind == PG_JOB_CLOSE) {
			w->is_closing = true;
			memory_free(job_of(m));
			continue;
		}
		if (job_of(m)->nodes.call) {
			w->call = job_of(m)->nodes.call;
			memory_free(job_of(m));
			continue;
		}
		m->next = NULL;
		*w->queue_end = m;
		w->queue_end = &m->next;
	}
}

/* Up to what must wait for the claims before it.  Lists wait for nothing. */
static enum err gather(struct claims *w, struct error *e)
{
	enum err err = OK;

	while (w->queue && err == OK) {
		struct pg_job *job = job_of(w->queue);

		if (job->nodes.release && map_get(&w->claimed, str_from(job->nodes.release)))
			break;
		if (job->nodes.list && pg_follow_list(w->s, job->nodes.list) == ERR_UNAVAILABLE) {
			*e = job->nodes.list->error;
			return ERR_UNAVAILABLE;
		}
		w->queue = job->mail.next;
		if (!w->queue)
			w->queue_end = &w->queue;
		if (job->nodes.release)
			add_release(w, job);
		else if (job->nodes.claim)
			add_claim(w, job);
		else
			answer(w, job);
	}
	return err;
}

/* ---- releases ---- */

/* Returns those whose row is locked. */
static const struct pg_sql release_sql = {
	"release",
	"WITH mine AS MATERIALIZED (SELECT session_no FROM session WHERE id = ANY ($2::text[])"
	" AND owner = $1::bigint ORDER BY session_no FOR UPDATE SKIP LOCKED),"
	" gone AS (UPDATE session s SET owner = 0 FROM mine WHERE s.session_no = mine.session_no)"
	" SELECT id FROM session WHERE id = ANY ($2::text[]) AND owner = $1::bigint"
	" AND session_no NOT IN (SELECT session_no FROM mine)"
};

static enum err release_group(struct claims *w, struct str *ids, size_t count, struct map *locked,
                              struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	struct buf *array;
	enum err err;

	pg_args_i64(&args, w->s->incarnation);
	array = pg_args_array(&args, PG_TEXT);
	for (size_t i = 0; i < count; i++)
		pg_args_put_str(array, ids[i]);
	err = pg_conn_ask(&w->s->nodes.claims, &release_sql, &args, &rows, e);
	for (int i = 0; i < rows.count; i++) {
		struct pg_job *job = map_get(&w->releases, pg_conn_str(&rows, i, 0));

		if (job)
			map_put(locked, str_from(job->nodes.release), job);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* What stays is tried again. */
static void keep_locked(struct claims *w, const struct str *ids, size_t count,
                        const struct map *locked)
{
	for (size_t i = 0; i < count; i++)
		if (!map_get(locked, ids[i]))
			drop_release(w, ids[i]);
}

static enum err release_all(struct claims *w, bool *ret_locked, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	size_t total = w->releases.count, count = 0;
	struct str *ids = ARENA_ARRAY(mem, struct str, total + 1);
	struct map locked = { 0 };
	struct map_slot *slot;
	enum err err = OK;

	for (size_t i = 0; map_next(&w->releases, &i, &slot);)
		ids[count++] = slot->key;
	for (size_t from = 0; from < total && err == OK; from += GROUP) {
		size_t part = MIN(total - from, (size_t)GROUP);

		err = release_group(w, ids + from, part, &locked, e);
		if (err == OK)
			keep_locked(w, ids + from, part, &locked);
	}
	*ret_locked = locked.count;
	map_done(&locked);
	return err;
}

/* ---- claims ---- */

/*
 * Place 0: whether this node lives.  Then for each claim: was it taken, the owner before or
 * now, is there such a session, and who lives of the owner; the revision that it needs, and when that
 * is too high, a node that has it.
 */
static const struct pg_sql claim_sql = {
	"claim",
	"WITH live AS (SELECT count(*) AS n FROM node"
	" WHERE incarnation = $1::bigint AND ended_at IS NULL),"
	" u AS MATERIALIZED (SELECT id, place FROM unnest($2::text[]) WITH ORDINALITY AS u(id, "
	"place)),"
	" free AS MATERIALIZED (SELECT u.place, s.session_no, s.owner FROM u JOIN session s ON "
	"s.id = u.id"
	" WHERE (SELECT n FROM live) = 1 AND s.needs_rev <= $3::bigint"
	" AND (s.owner = 0 OR EXISTS (SELECT FROM node n"
	" WHERE n.incarnation = s.owner AND n.ended_at IS NOT NULL))"
	" ORDER BY s.session_no FOR UPDATE OF s SKIP LOCKED),"
	" got AS (UPDATE session s SET owner = $1::bigint FROM free"
	" WHERE s.session_no = free.session_no)"
	" SELECT u.place, f.session_no IS NOT NULL, coalesce(f.owner, s.owner), s.id IS NOT NULL,"
	" n.incarnation IS NOT NULL, n.name, n.address, s.needs_rev::bigint,"
	" o.incarnation, o.name, o.address"
	" FROM u LEFT JOIN free f ON f.place = u.place LEFT JOIN session s ON s.id = u.id"
	" LEFT JOIN node n ON n.incarnation = s.owner AND n.ended_at IS NULL"
	" LEFT JOIN LATERAL (SELECT incarnation, name, address FROM node"
	" WHERE s.needs_rev > $3::bigint AND ended_at IS NULL AND rev >= s.needs_rev"
	" AND address IS NOT NULL ORDER BY is_leaving, md5(s.id || '/' || incarnation) LIMIT 1) o"
	" ON true"
	" UNION ALL SELECT 0, n = 1, 0, false, false, NULL, NULL, 0, 0, NULL, NULL FROM live"
};

enum { OWNER = 2, EXISTS = 3, OWNER_LIVES = 4, OWNER_NAME = 5, NEEDS_REV = 7, NEWER = 8 };

/* In three columns: incarnation, name and address. */
static void busy(struct store_claim *c, const struct pg_rows *rows, int row, int incarnation,
                 int name)
{
	c->mem = arena_new_small();
	c->node = (struct store_node){
		.incarnation = (uint64_t)pg_conn_i64(rows, row, incarnation),
		.name = arena_keep(c->mem, pg_conn_str(rows, row, name)),
		.address = arena_keep(c->mem, pg_conn_str(rows, row, name + 1)),
	};
	c->result = fail(&c->error, ERR_BUSY, "the node \"%.*s\" owns the session",
	                 STR_ARG(c->node.name));
}

static void too_new(struct claims *w, struct store_claim *c, const struct pg_rows *rows, int row)
{
	if (pg_conn_i64(rows, row, NEWER))
		busy(c, rows, row, NEWER, NEWER + 1);
	else
		c->result =
			fail(&c->error, ERR_UNSUPPORTED,
		             "the session holds events of revision %lld, and no node that lives "
		             "reads them; this one reads revision %u",
		             (long long)pg_conn_i64(rows, row, NEEDS_REV), w->s->nodes.self.rev);
}

/*
 * False: its row is locked, or has changed meanwhile.  Of a claim whose reply was lost it is not
 * known who had the session before; then what may have begun counts as lost.
 */
static bool judge(struct claims *w, struct pg_job *job, const struct pg_rows *rows, int row)
{
	struct store_claim *c = job->nodes.claim;
	int64_t owner = pg_conn_i64(rows, row, OWNER);
	bool is_taken = pg_conn_bool(rows, row, 1), is_ours = owner == w->s->incarnation;
	bool is_there = pg_conn_bool(rows, row, EXISTS);
	bool is_theirs = pg_conn_bool(rows, row, OWNER_LIVES) && !is_ours;
	bool is_newer = is_there && pg_conn_i64(rows, row, NEEDS_REV) > w->s->nodes.self.rev;

	if (!is_taken && !is_ours && is_there && !is_theirs && !is_newer)
		return false;
	c->result = OK;
	c->error = (struct error){ 0 };
	c->is_orphan = is_taken ? owner != 0 : job->nodes.is_in_doubt;
	if (is_taken || is_ours)
		drop_release(w, c->session);
	else if (is_theirs)
		busy(c, rows, row, OWNER, OWNER_NAME);
	else if (is_newer)
		too_new(w, c, rows, row);
	else
		c->result = fail(&c->error, ERR_NOT_FOUND, "there is no such session");
	return true;
}

/* Whether this node lives is in the row of place 0. */
static enum err judge_all(struct claims *w, struct pg_job **jobs, size_t count, bool *decided,
                          const struct pg_rows *rows, struct error *e)
{
	for (int i = 0; i < rows->count; i++)
		if (pg_conn_i64(rows, i, 0) == 0 && !pg_conn_bool(rows, i, 1))
			return pg_state_taken(e);
	for (int i = 0; i < rows->count; i++) {
		size_t place = (size_t)pg_conn_i64(rows, i, 0);

		if (place > 0 && place <= count)
			decided[place - 1] = judge(w, jobs[place - 1], rows, i);
	}
	return OK;
}

static enum err claim_group(struct claims *w, struct pg_job **jobs, size_t count, bool *decided,
                            struct error *e)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	struct buf *ids;
	enum err err;

	pg_args_i64(&args, w->s->incarnation);
	ids = pg_args_array(&args, PG_TEXT);
	for (size_t i = 0; i < count; i++)
		pg_args_put_str(ids, jobs[i]->nodes.claim->session);
	pg_args_i64(&args, w->s->nodes.self.rev);
	err = pg_conn_ask(&w->s->nodes.claims, &claim_sql, &args, &rows, e);
	if (err == OK)
		err = judge_all(w, jobs, count, decided, &rows, e);
	for (size_t i = 0; i < count && err != OK; i++)
		jobs[i]->nodes.is_in_doubt = true;
	pg_conn_rows_done(&rows);
	return err;
}

/* How many claims from here on fit into a statement: those of different sessions. */
static size_t group_size(struct pg_job **jobs, size_t count)
{
	struct map ids = { 0 };
	size_t n = 0;

	while (n < count && n < GROUP && !map_put(&ids, jobs[n]->nodes.claim->session, jobs[n]))
		n++;
	map_done(&ids);
	return n;
}

/* Answers what was decided; the others wait, in their order. */
static bool answer_decided(struct claims *w, struct pg_job **jobs, size_t count,
                           const bool *decided)
{
	bool is_left = false;

	w->claims = NULL;
	w->claims_end = &w->claims;
	map_done(&w->claimed);
	for (size_t i = 0; i < count; i++) {
		is_left |= !decided[i];
		if (decided[i])
			answer(w, jobs[i]);
		else
			add_claim(w, jobs[i]);
	}
	return is_left;
}

static enum err claim_all(struct claims *w, bool *ret_locked, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pg_job **jobs;
	size_t count = 0, part;
	bool *decided;
	enum err err = OK;

	for (struct mail *m = w->claims; m; m = m->next)
		count++;
	jobs = ARENA_ARRAY(mem, struct pg_job *, count + 1);
	decided = ARENA_ARRAY(mem, bool, count + 1);
	count = 0;
	for (struct mail *m = w->claims; m; m = m->next)
		jobs[count++] = job_of(m);
	for (size_t from = 0; from < count && err == OK; from += part) {
		part = group_size(jobs + from, count - from);
		err = claim_group(w, jobs + from, part, decided + from, e);
	}
	*ret_locked = answer_decided(w, jobs, count, decided);
	return err;
}

/* ---- the thread ---- */

static bool has_connection(struct claims *w, struct error *e)
{
	struct pg_conn *c = &w->s->nodes.claims;
	char server[sizeof w->s->server];
	uint64_t generation;
	bool is_live = pg_state_is_live(w->s, &generation, server);

	if (c->is_lost || (is_live && c->generation != generation)) {
		w->is_listening = false;
		if (pg_start_open_again(w->s, c, PG_USE_NODES, e) != OK)
			return false;
	}
	if (!w->is_listening && pg_hint_listen(w->s, e) != OK && c->is_lost)
		return false;
	/* A server without LISTEN is asked at the usual times. */
	w->is_listening = true;
	return true;
}

/* On another connection when the first one broke: an idle one is noticed only now. */
static void work_on_call(struct claims *w)
{
	struct pg_call *call = w->call;
	struct error e;

	if (!call)
		return;
	w->call = NULL;
	fail(&e, ERR_UNAVAILABLE, "store_lost: the call came too late");
	call->result = e.code;
	call->error = e;
	for (int tries = 0; tries < 2 && pg_calls_is_wanted(call); tries++) {
		if (!has_connection(w, &e)) {
			pg_calls_refuse(w->s, call, &e);
			return;
		}
		pg_calls_run(w->s, call);
		if (call->result == OK || !w->s->nodes.claims.is_lost)
			break;
	}
	pg_calls_answer(w->s, call);
}

/* Rows that stay locked are looked at again, later each time. */
static void note_locked(struct claims *w, bool is_locked)
{
	w->locked_ms = !is_locked     ? 0
	               : w->locked_ms ? MIN(2 * w->locked_ms, LOCKED_MOST_MS)
	                              : LOCKED_FIRST_MS;
	w->locked_at_ms = clock_mono_ms() + w->locked_ms;
}

/* What has arrived since goes first, so that it does not wait for a row that is locked. */
static enum err claim_and_release(struct claims *w, struct error *e)
{
	bool is_free = !w->locked_ms || clock_mono_ms() >= w->locked_at_ms || w->queue;
	bool releases_left = false, claims_left = false;
	enum err err = gather(w, e);

	if (!is_free)
		return err;
	if (err == OK && w->releases.count)
		err = release_all(w, &releases_left, e);
	if (err == OK && w->claims)
		err = claim_all(w, &claims_left, e);
	if (err == OK)
		note_locked(w, releases_left || claims_left);
	return err;
}

static enum err work(struct claims *w, struct error *e)
{
	enum err err = has_connection(w, e) ? OK : e->code;

	if (err == OK)
		err = claim_and_release(w, e);
	/* What waited for the claims may be carried out now. */
	while (err == OK && w->queue && !w->claims)
		err = claim_and_release(w, e);
	if (err == OK)
		err = pg_hint_send(w->s, &w->follow, e);
	pg_hint_take(w->s, &w->follow);
	return err == OK ? pg_follow_ask(w->s, &w->follow, e) : err;
}

static void refuse_job(struct claims *w, struct pg_job *job, const struct error *why)
{
	pg_nodes_refuse(&job->nodes, why);
	answer(w, job);
}

/* The store ends or closes: nothing has an answer any more. */
static void refuse_all(struct claims *w, const struct error *why)
{
	struct map_slot *slot;

	if (w->call)
		pg_calls_refuse(w->s, w->call, why);
	w->call = NULL;
	for (struct mail *m = w->claims, *next; m; m = next) {
		next = m->next;
		refuse_job(w, job_of(m), why);
	}
	for (struct mail *m = w->queue, *next; m; m = next) {
		next = m->next;
		refuse_job(w, job_of(m), why);
	}
	for (size_t i = 0; map_next(&w->releases, &i, &slot);)
		refuse_job(w, slot->value, why);
	map_done(&w->releases);
	map_done(&w->claimed);
	w->claims = w->queue = NULL;
	w->claims_end = &w->claims;
	w->queue_end = &w->queue;
}

static void try_work(struct claims *w)
{
	struct error e;

	work_on_call(w);
	if (work(w, &e) == OK) {
		pg_state_back(w->s, PG_USER_CALLS);
		w->is_away = false;
		w->retry = (struct pg_retry){ 0 };
		return;
	}
	w->is_away = true;
	pg_state_retry_later(&w->retry);
	pg_state_fail(w->s, &e);
}

static int patience(const struct claims *w)
{
	int wait = MIN(pg_follow_wait(w->s, &w->follow), pg_hint_wait(w->s, &w->follow));

	if (atomic_load(&w->s->is_dead))
		return -1;
	if (w->is_away)
		return pg_state_retry_in(&w->retry);
	if (w->locked_ms)
		wait = MIN(wait, (int)MAX(0, w->locked_at_ms - clock_mono_ms()));
	return wait;
}

/*
 * A live link, or a request, ends the pause after an error before its time.  A hint can be read
 * from the connection.
 */
static void rest(struct claims *w)
{
	struct pg_conn *c = &w->s->nodes.claims;
	bool is_heard = w->is_listening && !w->is_away && !c->is_lost && c->pg;
	struct pollfd fds[] = { { .fd = w->s->nodes.claims_wake, .events = POLLIN },
		                { .fd = is_heard ? c->lib->PQsocket(c->pg) : -1,
		                  .events = POLLIN } };
	uint64_t count;

	if (poll(fds, COUNT_OF(fds), patience(w)) <= 0 || !fds[0].revents)
		return;
	(void)!read(fds[0].fd, &count, sizeof count);
	w->retry.at_ms = 0;
}

void *pg_claims_run(void *store)
{
	struct pg_store *s = store;
	struct claims w = { .s = s, .follow = { .position = s->nodes.opened_at } };
	struct error why;

	w.queue_end = &w.queue;
	w.claims_end = &w.claims;
	for (;;) {
		take_mail(&w);
		if (!atomic_load(&w.s->is_dead) && (!w.is_away || !pg_state_retry_in(&w.retry)))
			try_work(&w);
		if (w.is_closing)
			fail(&why, ERR_UNAVAILABLE, "the store was closed");
		if (w.is_closing || pg_state_is_dead(w.s, &why))
			refuse_all(&w, &why);
		if (w.is_closing)
			return NULL;
		rest(&w);
	}
}
