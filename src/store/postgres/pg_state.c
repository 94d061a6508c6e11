/*
 * The link to the server, and what the stats say of it.
 *
 *     LIVE ──────────────► AWAY ──────► CONNECTING ──────► CHECKING ──────► LIVE
 *    batches are sent    what was sent    asks the         reads heads: what was
 *    and answered        is in doubt      hosts            in doubt is decided
 *                          ▲                  │                │
 *                          └──────────────────┴────────────────┘  not now
 *
 *     each of them ──► ENDED    trying again does not help: another node has taken over,
 *                               a newer format, an error that pg_meaning.h does not know
 *
 * The writer's thread moves the link.  Reader, keeper and claims keep their
 * own connections and open them again while the link is live, in its generation: then
 * all connections lead to the same server, and nothing is read there before it was checked.
 */
#include "store/postgres/pg_store.h"

#include "base/gen/limits.h"
#include "base/memory.h"
#include "base/os/clock.h"

#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#define RETRY_FIRST_MS 25
#define RETRY_MOST_MS 800

#define TO(link) (1u << PG_LINK_##link)
static const unsigned transitions[PG_LINKS] = {
	[PG_LINK_LIVE] = TO(AWAY) | TO(ENDED),
	[PG_LINK_AWAY] = TO(CONNECTING) | TO(ENDED),
	[PG_LINK_CONNECTING] = TO(CHECKING) | TO(AWAY) | TO(ENDED),
	[PG_LINK_CHECKING] = TO(LIVE) | TO(AWAY) | TO(ENDED),
	[PG_LINK_ENDED] = TO(ENDED),
};

static void wake_owner(struct pg_store *s)
{
	if (s->wake)
		s->wake(s->wake_arg);
}

static void wake_thread(int fd)
{
	uint64_t one = 1;

	(void)!write(fd, &one, sizeof one);
}

/* Under the lock. */
static void move(struct pg_store *s, enum pg_link to)
{
	assert(transitions[s->link] & (1u << to));
	s->link = to;
}

void pg_state_move(struct pg_store *s, enum pg_link to)
{
	pthread_mutex_lock(&s->lock);
	if (s->link != PG_LINK_ENDED)
		move(s, to);
	if (s->link == PG_LINK_LIVE) {
		s->generation++;
		memcpy(s->server, s->writer.backend.server, sizeof s->server);
	}
	pthread_mutex_unlock(&s->lock);
	if (to == PG_LINK_LIVE) {
		wake_thread(s->reader_wake);
		wake_thread(s->keeper_wake);
		wake_thread(s->nodes.claims_wake);
	}
}

bool pg_state_is_live(struct pg_store *s, uint64_t *ret_generation, char ret_server[32])
{
	bool is_live;

	pthread_mutex_lock(&s->lock);
	is_live = s->link == PG_LINK_LIVE;
	*ret_generation = s->generation;
	memcpy(ret_server, s->server, sizeof s->server);
	pthread_mutex_unlock(&s->lock);
	return is_live;
}

/* ---- what waits ---- */

void pg_state_away(struct pg_store *s, enum pg_user user, const struct error *why)
{
	struct pg_outage *o = &s->outages[user];
	bool is_first;

	pthread_mutex_lock(&s->lock);
	is_first = !o->since_ms;
	if (is_first)
		o->since_ms = clock_wall_ms();
	o->why = *why;
	pthread_mutex_unlock(&s->lock);
	if (is_first)
		wake_owner(s);
}

void pg_state_back(struct pg_store *s, enum pg_user user)
{
	bool was_away;

	pthread_mutex_lock(&s->lock);
	was_away = s->outages[user].since_ms;
	s->outages[user] = (struct pg_outage){ 0 };
	pthread_mutex_unlock(&s->lock);
	if (was_away)
		wake_owner(s);
}

/* A commit that waits for a standby waits without end; this is its stated reason. */
static void tell_standby(struct pg_store *s, struct store_stats *ret)
{
	if (ret->is_away || !s->standbys[0] || ret->oldest_waiting_ms < LIMIT_COMMIT_REFUSE_MS)
		return;
	ret->is_away = true;
	ret->away_since_ms = clock_wall_ms() - ret->oldest_waiting_ms;
	snprintf(s->told.message, sizeof s->told.message,
	         "store_standby: PostgreSQL has not confirmed a commit; it waits for a synchronous "
	         "standby (synchronous_standby_names = %s). Start the standby, or change the "
	         "setting",
	         s->standbys);
}

/* The writer's trouble first: it is what commands wait for. */
void pg_state_tell(struct pg_store *s, struct store_stats *ret)
{
	pthread_mutex_lock(&s->lock);
	for (int user = 0; user <= PG_USER_CALLS && !ret->is_away; user++) {
		const struct pg_outage *o = &s->outages[user];

		ret->is_away = o->since_ms;
		ret->away_since_ms = o->since_ms;
		if (ret->is_away)
			s->told = o->why;
	}
	ret->is_local = !s->standbys[0];
	tell_standby(s, ret);
	ret->behind = atomic_load(&s->behind_count);
	memcpy(s->told_behind, s->behind_text, sizeof s->told_behind);
	pthread_mutex_unlock(&s->lock);
	ret->away_why = ret->is_away ? str_from(s->told.message) : STR_NONE;
	ret->behind_of = ret->behind ? str_from(s->told_behind) : STR_NONE;
}

/* ---- sessions that are behind ---- */

/* The first few are named. */
static void add_told(struct pg_store *s, const struct pg_behind *b)
{
	size_t len = strlen(s->behind_text);

	if (len + b->id.len + 60 > sizeof s->behind_text)
		return;
	snprintf(s->behind_text + len, sizeof s->behind_text - len, "%s%.*s %llu..%llu",
	         len ? ", " : "", STR_ARG(b->id), (unsigned long long)b->from,
	         (unsigned long long)b->to);
}

void pg_state_behind(struct pg_store *s, struct str id, uint64_t from, uint64_t to)
{
	struct pg_behind *b;

	pthread_mutex_lock(&s->lock);
	if (!map_get(&s->behind, id)) {
		b = memory_zeroed(1, sizeof *b + id.len + 1);
		memcpy(b->text, id.ptr, id.len);
		b->id = str_of(b->text, id.len);
		b->from = from;
		b->to = to;
		map_put(&s->behind, b->id, b);
		add_told(s, b);
		atomic_fetch_add(&s->behind_count, 1);
	}
	pthread_mutex_unlock(&s->lock);
}

bool pg_state_is_behind(struct pg_store *s, struct str id, struct error *e)
{
	const struct pg_behind *b;

	if (!atomic_load(&s->behind_count))
		return false;
	pthread_mutex_lock(&s->lock);
	b = map_get(&s->behind, id);
	if (b && e) {
		fail(e, ERR_STORE,
		     "the database lacks the events %llu to %llu of this session, which were "
		     "acknowledged; look for the server that has them. A restart of the runtime "
		     "continues without them",
		     (unsigned long long)b->from, (unsigned long long)b->to);
		e->detail = STORE_BEHIND;
	}
	pthread_mutex_unlock(&s->lock);
	return b;
}

void pg_state_reached(struct pg_store *s, uint64_t position)
{
	uint64_t now = atomic_load(&s->last_position);

	while (position > now && !atomic_compare_exchange_weak(&s->last_position, &now, position))
		;
}

/* ---- the end ---- */

/* The owner is woken, because the end may come while it waits for nothing. */
void pg_state_fail(struct pg_store *s, const struct error *e)
{
	bool is_first = false;

	if (e->code == ERR_UNAVAILABLE || e->code == ERR_INVALID || e->code == ERR_CORRUPT ||
	    e->code == ERR_NOT_FOUND)
		return;
	pthread_mutex_lock(&s->lock);
	if (!atomic_load(&s->is_dead)) {
		s->cause = *e;
		if (s->cause.detail != STORE_TAKEN)
			s->cause.detail = STORE_ENDED;
		atomic_store(&s->nodes.lease_until_ms, 0);
		move(s, PG_LINK_ENDED);
		atomic_store(&s->is_dead, true);
		is_first = true;
	}
	pthread_mutex_unlock(&s->lock);
	if (!is_first)
		return;
	wake_thread(s->writer_wake);
	wake_thread(s->reader_wake);
	wake_thread(s->keeper_wake);
	wake_thread(s->nodes.members_wake);
	wake_thread(s->nodes.claims_wake);
	wake_owner(s);
}

enum err pg_state_taken(struct error *e)
{
	fail(e, ERR_STORE,
	     "store_taken: another node found no heartbeat of this one, or was started with its "
	     "name, and may have its sessions. Start this node again");
	e->detail = STORE_TAKEN;
	return e->code;
}

/* Without the lock: the cause is complete before is_dead is set, and never changes afterwards. */
bool pg_state_is_dead(struct pg_store *s, struct error *e)
{
	if (!atomic_load(&s->is_dead))
		return false;
	*e = s->cause;
	return true;
}

void pg_state_fail_batch(struct batch *b, const struct error *why)
{
	b->error = *why;
	for (struct slice *sl = b->first; sl; sl = sl->next)
		if (sl->state == SLICE_WAITING) {
			sl->state = SLICE_FAILED;
			sl->first_position = 0;
		}
}

/* ---- trying again ---- */

void pg_state_retry_within(struct pg_retry *r, int64_t most_ms)
{
	int64_t pause = MIN(most_ms, (int64_t)RETRY_FIRST_MS << MIN(r->tries, 10u));

	r->tries++;
	r->at_ms = clock_mono_ms() + pause / 2 + clock_mono_ns() % (pause / 2 + 1);
}

void pg_state_retry_later(struct pg_retry *r)
{
	pg_state_retry_within(r, RETRY_MOST_MS);
}

int pg_state_retry_in(const struct pg_retry *r)
{
	int64_t left = r->at_ms - clock_mono_ms();

	return left > 0 ? (int)left : 0;
}
