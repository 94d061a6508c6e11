/*
 * The model of a store: several nodes on one disk.
 *
 * Everything that nodes know of each other is on the disk; time is the store's clock.  Reports of
 * what others wrote are gathered by the commit and made by the next poll() of each node.
 */
#include "model_store_int.h"

#include "base/gen/limits.h"
#include "base/memory.h"

#include <stdlib.h>

static struct model_store *self(struct store *base)
{
	return OWNER_OF(base, struct model_store, base);
}

static int64_t store_ms(const struct model_store *m)
{
	return m->node.now_ms(m->node.owner);
}

static int64_t mono_ms(const struct model_store *m)
{
	return m->node.clock->ops->mono_ms(m->node.clock);
}

static struct model_node *node_of(struct model_disk *d, uint64_t incarnation)
{
	return &d->nodes.at[incarnation - 1];
}

/* ---- the list of nodes ---- */

static struct store_node describe(struct model_store *m, struct arena *mem, uint64_t incarnation)
{
	const struct model_node *n = node_of(m->disk, incarnation);

	return (struct store_node){
		.incarnation = incarnation,
		.name = arena_keep(mem, n->name),
		.address = arena_keep(mem, n->address),
		.place = arena_keep(mem, n->place),
		.version = STR("model"),
		.rev = n->rev,
		.state = n->state,
		.is_self = incarnation == m->incarnation,
		.is_leaving = n->is_leaving,
		.clock_off_ms = n->clock_off_ms,
		.started_ms = n->started_ms,
		.beat_age_ms = store_ms(m) - n->beat_ms,
	};
}

/* Another start with the same name is in its place. */
static void end_namesake(struct model_disk *d, struct str name)
{
	for (size_t i = 0; i < d->nodes.count; i++)
		if (d->nodes.at[i].state == STORE_NODE_LIVES && str_eq(d->nodes.at[i].name, name))
			d->nodes.at[i].state = STORE_NODE_DEAD;
}

void model_nodes_join(struct model_store *m)
{
	struct model_disk *d = m->disk;
	int64_t now = store_ms(m);

	end_namesake(d, m->node.name);
	MODEL_ADD(d->mem, &d->nodes,
	          (struct model_node){ .name = arena_keep(d->mem, m->node.name),
	                               .address = arena_keep(d->mem, m->node.address),
	                               .place = arena_keep(d->mem, m->node.place),
	                               .rev = m->node.rev,
	                               .state = STORE_NODE_LIVES,
	                               .started_ms = now,
	                               .beat_ms = now,
	                               .store = m });
	m->incarnation = d->nodes.count;
	m->sent_ms = mono_ms(m);
	m->steady_ms = now;
	m->self = describe(m, m->mem, m->incarnation);
}

void model_nodes_leave(struct model_store *m)
{
	struct model_node *n = m->incarnation ? node_of(m->disk, m->incarnation) : NULL;

	if (!n)
		return;
	n->store = NULL;
	if (n->state == STORE_NODE_LIVES && !m->is_taken)
		n->state = STORE_NODE_ENDED;
}

/* ---- owners ---- */

static bool is_alive(const struct model_store *m, uint64_t incarnation)
{
	return incarnation && node_of(m->disk, incarnation)->state == STORE_NODE_LIVES;
}

bool model_nodes_may_write(const struct model_store *m, const struct model_session *s)
{
	if (!m->incarnation)
		return true;
	return is_alive(m, m->incarnation) &&
	       (!s || s->owner == m->incarnation || !is_alive(m, s->owner));
}

bool model_nodes_is_newer(const struct model_store *m, const struct model_session *s)
{
	return s && m->incarnation && !s->is_removed && s->needs_rev > m->node.rev;
}

/* A living node that may claim what this one may not; 0: none. */
static uint64_t newer_node(const struct model_store *m, const struct model_session *s)
{
	for (uint64_t n = 1; n <= m->disk->nodes.count; n++)
		if (is_alive(m, n) && node_of(m->disk, n)->rev >= s->needs_rev &&
		    str_is(node_of(m->disk, n)->address))
			return n;
	return 0;
}

static bool is_of_another(const struct model_store *m, const struct model_idem *i)
{
	return i->writer && m->incarnation &&
	       !str_eq(node_of(m->disk, i->writer)->name, node_of(m->disk, m->incarnation)->name);
}

bool model_nodes_took_key(const struct model_store *m, const struct slice *sl)
{
	const struct model_disk *d = m->disk;

	for (const struct idem_row *r = sl->idem; r; r = r->next)
		for (size_t i = 0; i < d->idem.count; i++)
			if (sha256_eq(&d->idem.at[i].row.key, &r->key) &&
			    is_of_another(m, &d->idem.at[i]))
				return true;
	return false;
}

static void claim_busy(struct model_store *m, struct store_claim *c, uint64_t node)
{
	c->result = fail(&c->error, ERR_BUSY, "another node owns the session");
	c->mem = arena_new_small();
	if (node)
		c->node = describe(m, c->mem, node);
}

void model_nodes_claim(struct model_store *m, struct store_claim *c)
{
	struct model_session *s = model_session_find(m->disk, c->session);

	c->result = OK;
	if (!s || s->is_removed) {
		c->result = fail(&c->error, ERR_NOT_FOUND, "there is no such session");
	} else if (!model_nodes_may_write(m, s)) {
		claim_busy(m, c, s->owner);
	} else if (model_nodes_is_newer(m, s) && newer_node(m, s)) {
		claim_busy(m, c, newer_node(m, s));
	} else if (model_nodes_is_newer(m, s)) {
		c->result = fail(&c->error, ERR_UNSUPPORTED, "no node can fold the session");
	} else {
		c->is_orphan = s->owner && s->owner != m->incarnation;
		s->owner = m->incarnation;
	}
}

static void nodes_watch(struct store *base, const struct store_watch *w)
{
	self(base)->watch = *w;
}

static void nodes_claim(struct store *base, struct store_claim *c)
{
	model_job_add(self(base), (struct model_job){ .kind = MODEL_CLAIM, .claim = c });
}

static void nodes_release(struct store *base, struct str session)
{
	struct model_store *m = self(base);
	struct model_session *s = model_session_find(m->disk, session);

	if (s && s->owner == m->incarnation && !m->is_taken)
		s->owner = 0;
}

static void nodes_list(struct store *base, struct store_nodes_read *r)
{
	model_job_add(self(base), (struct model_job){ .kind = MODEL_NODES, .nodes = r });
}

/* A wish counts for a while after it was said. */
static int64_t wish_of(const struct model_store *m, const struct model_allotment *a)
{
	return store_ms(m) - a->asked_ms <= STORE_WISH_MS ? a->want : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct model_allotment *x = a, *y = b;

	if (x->asked_ms != y->asked_ms)
		return x->asked_ms < y->asked_ms ? 1 : -1;
	return str_cmp(x->account, y->account);
}

static int by_account(const void *a, const void *b)
{
	return str_cmp(((const struct store_allotted *)a)->account,
	               ((const struct store_allotted *)b)->account);
}

static void list_allotments(struct model_store *m, struct arena *mem, struct store_node *n)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new_small();
	const struct model_disk *d = m->disk;
	struct model_allotment *own =
		ARENA_ARRAY(scratch, struct model_allotment, d->allotments.count + 1);
	size_t count = 0;

	for (size_t i = 0; i < d->allotments.count; i++) {
		const struct model_allotment *a = &d->allotments.at[i];

		if (a->node == n->incarnation && (a->amount > 0 || wish_of(m, a) > 0))
			own[count++] = *a;
	}
	qsort(own, count, sizeof *own, by_time);
	n->allotment_count = MIN(count, LIMIT_NODE_ALLOTMENTS);
	n->allotments_left_out = count - n->allotment_count;
	n->allotments = ARENA_ARRAY(mem, struct store_allotted, n->allotment_count + 1);
	for (size_t i = 0; i < n->allotment_count; i++)
		n->allotments[i] = (struct store_allotted){
			.account = arena_keep(mem, own[i].account),
			.amount = own[i].amount,
			.want = wish_of(m, &own[i]),
		};
	qsort(n->allotments, n->allotment_count, sizeof *n->allotments, by_account);
}

void model_nodes_list(struct model_store *m, struct store_nodes_read *r)
{
	struct model_disk *d = m->disk;

	r->mem = arena_new_small();
	r->nodes = ARENA_ARRAY(r->mem, struct store_node, d->nodes.count);
	for (size_t i = 0; i < d->nodes.count; i++) {
		struct store_node *n = &r->nodes[r->count];

		if (d->nodes.at[i].state != STORE_NODE_LIVES && !r->with_ended)
			continue;
		*n = describe(m, r->mem, i + 1);
		for (size_t k = 0; k < d->sessions.count; k++)
			n->sessions += d->sessions.at[k].owner == n->incarnation;
		if (r->with_allotments && n->state == STORE_NODE_LIVES)
			list_allotments(m, r->mem, n);
		r->count++;
	}
	r->result = OK;
}

/* ---- allotments ---- */

static struct model_allotment *allotment_of(struct model_disk *d, struct str account, uint64_t node)
{
	for (size_t i = 0; i < d->allotments.count; i++)
		if (d->allotments.at[i].node == node &&
		    str_eq(d->allotments.at[i].account, account))
			return &d->allotments.at[i];
	return NULL;
}

static int64_t used_by(const struct model_disk *d, struct str account, uint64_t node)
{
	for (size_t i = 0; i < d->accounts.count; i++)
		if (d->accounts.at[i].node == node &&
		    str_eq(d->accounts.at[i].sum.account, account))
			return d->accounts.at[i].sum.spent + d->accounts.at[i].sum.reserved;
	return 0;
}

/* A wish of another living node; which of two was first is the same for both. */
static bool wishes(const struct model_store *m, const struct model_allotment *o)
{
	return wish_of(m, o) > 0 && o->node != m->incarnation && is_alive(m, o->node);
}

static bool was_first(const struct model_allotment *o, int64_t since_ms, uint64_t node)
{
	return o->since_ms < since_ms || (o->since_ms == since_ms && o->node < node);
}

static bool is_behind(struct model_store *m, struct str account)
{
	struct model_disk *d = m->disk;
	const struct model_allotment *own = allotment_of(d, account, m->incarnation);
	int64_t since = own && own->want > 0 ? own->since_ms : store_ms(m);

	for (size_t i = 0; i < d->allotments.count; i++)
		if (str_eq(d->allotments.at[i].account, account) &&
		    wishes(m, &d->allotments.at[i]) &&
		    was_first(&d->allotments.at[i], since, m->incarnation))
			return true;
	return false;
}

/* By everyone else: the allotments of the living, and what the ended have used. */
static int64_t taken(struct model_store *m, struct store_allotment *a)
{
	struct model_disk *d = m->disk;
	int64_t sum = used_by(d, a->account, 0);

	for (uint64_t n = 1; n <= d->nodes.count; n++) {
		const struct model_allotment *o = allotment_of(d, a->account, n);
		int64_t used = used_by(d, a->account, n);

		if (n != m->incarnation)
			sum += is_alive(m, n) && o ? MAX(o->amount, used) : used;
	}
	return sum;
}

static int64_t living(struct model_store *m)
{
	int64_t count = 0;

	for (uint64_t n = 1; n <= m->disk->nodes.count; n++)
		count += is_alive(m, n);
	return count;
}

static void tell_others(struct model_store *m, struct store_allotment *a)
{
	const struct model_disk *d = m->disk;

	for (size_t i = 0; i < d->accounts.count; i++)
		if (d->accounts.at[i].node != m->incarnation &&
		    str_eq(d->accounts.at[i].sum.account, a->account)) {
			a->spent += d->accounts.at[i].sum.spent;
			a->reserved += d->accounts.at[i].sum.reserved;
		}
}

void model_nodes_allot(struct model_store *m, struct store_allotment *a)
{
	struct model_disk *d = m->disk;
	int64_t free = a->cap - taken(m, a) - a->keep, more = 0, now = store_ms(m);
	struct model_allotment *own = allotment_of(d, a->account, m->incarnation);

	if (!is_alive(m, m->incarnation)) {
		a->result = fail(&a->error, ERR_BUSY, "this start of the node has ended");
		return;
	}
	if (a->want && !is_behind(m, a->account))
		more = MAX(0, MIN(free, MAX(a->want, free / living(m))));
	if (!own) {
		MODEL_ADD(d->mem, &d->allotments,
		          (struct model_allotment){ .account = arena_keep(d->mem, a->account),
		                                    .node = m->incarnation });
		own = &d->allotments.at[d->allotments.count - 1];
	}
	if (own->want <= 0)
		own->since_ms = now;
	own->asked_ms = now;
	own->amount = a->keep + more;
	own->want = MAX(a->want - more, 0);
	a->amount = own->amount;
	a->is_alone = living(m) == 1;
	a->spent = a->reserved = 0;
	tell_others(m, a);
	a->result = OK;
}

static void nodes_allot(struct store *base, struct store_allotment *a)
{
	model_job_add(self(base), (struct model_job){ .kind = MODEL_ALLOT, .allotment = a });
}

static void report_wishes(struct model_store *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct model_disk *d = m->disk;
	size_t count = d->allotments.count;
	struct model_allotment *all = ARENA_ARRAY(mem, struct model_allotment, count + 1);

	if (count)
		memcpy(all, d->allotments.at, count * sizeof *all);
	for (size_t i = 0; i < count && m->watch.wanted; i++) {
		const struct model_allotment *own = allotment_of(d, all[i].account, m->incarnation);

		if (wishes(m, &all[i]))
			m->watch.wanted(m->watch.owner, all[i].account, all[i].want,
			                !own || own->want <= 0 ||
			                        was_first(&all[i], own->since_ms, own->node));
	}
}

/* ---- how far all nodes have come ---- */

static void nodes_tell_seen(struct store *base, uint64_t seq)
{
	struct model_store *m = self(base);
	struct model_node *n = node_of(m->disk, m->incarnation);

	n->told = MAX(n->told, seq);
}

static void nodes_await_seen(struct store *base, uint64_t seq)
{
	struct model_store *m = self(base);

	m->awaited = MAX(m->awaited, seq);
}

static void report_seen(struct model_store *m)
{
	uint64_t least = UINT64_MAX;

	if (m->awaited <= m->reached)
		return;
	for (uint64_t n = 1; n <= m->disk->nodes.count; n++)
		if (n != m->incarnation && is_alive(m, n))
			least = MIN(least, node_of(m->disk, n)->seen);
	if (least <= m->reached)
		return;
	m->reached = MIN(least, m->awaited);
	if (m->watch.all_seen)
		m->watch.all_seen(m->watch.owner, least);
}

static int64_t boot_ms(const struct model_store *m)
{
	struct clock *c = m->node.clock;

	return c->ops->boot_ms ? c->ops->boot_ms(c) : c->ops->mono_ms(c);
}

static void nodes_clock(struct store *base, struct store_clock *ret)
{
	struct model_store *m = self(base);
	struct clock *c = m->node.clock;
	int64_t wall = m->node.epoch_ms ? m->node.epoch_ms + store_ms(m) : c->ops->wall_ms(c);

	*ret = (struct store_clock){ .ahead_ms = wall - boot_ms(m),
		                     .off_ms = node_of(m->disk, m->incarnation)->clock_off_ms };
}

void model_store_set_clock_off(struct store *base, int64_t off_ms)
{
	struct model_store *m = self(base);

	node_of(m->disk, m->incarnation)->clock_off_ms = off_ms;
}

static void nodes_leave(struct store *base)
{
	struct model_store *m = self(base);

	node_of(m->disk, m->incarnation)->is_leaving = true;
}

/* ---- following ---- */

static struct model_followed *followed(struct model_store *m, struct str session)
{
	for (size_t i = 0; i < m->followed.count; i++)
		if (str_eq(m->followed.at[i].session, session))
			return &m->followed.at[i];
	MODEL_ADD(m->mem, &m->followed,
	          (struct model_followed){ .session = arena_keep(m->mem, session) });
	return &m->followed.at[m->followed.count - 1];
}

static void nodes_follow(struct store *base, struct str session)
{
	followed(self(base), session)->count++;
}

static void nodes_unfollow(struct store *base, struct str session)
{
	followed(self(base), session)->count--;
}

static void nodes_follow_all(struct store *base, bool is_on)
{
	struct model_store *m = self(base);

	m->follows_all += is_on ? 1 : -1;
}

void model_nodes_wrote(struct model_store *m, const struct slice *sl)
{
	struct model_disk *d = m->disk;

	for (size_t i = 0; i < d->nodes.count && sl->event_count; i++) {
		struct model_store *other = d->nodes.at[i].store;

		if (other && other != m)
			followed(other, sl->session)->moved = sl->events[sl->event_count - 1].seq;
	}
}

/* A report may make the owner follow others: the list may grow meanwhile. */
static size_t report_moves(struct model_store *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->followed.count; i++) {
		struct model_followed f = m->followed.at[i];

		m->followed.at[i].moved = 0;
		if (!f.moved || !(f.count || m->follows_all) || !m->watch.moved)
			continue;
		m->watch.moved(m->watch.owner, f.session, f.moved);
		count++;
	}
	if (m->position < m->disk->last_position && m->watch.position) {
		m->position = m->disk->last_position;
		m->watch.position(m->watch.owner, m->position);
		count++;
	}
	return count;
}

/* ---- heartbeats ---- */

static int64_t nodes_lease_until(struct store *base)
{
	const struct model_store *m = self(base);

	return m->is_taken ? 0 : m->sent_ms + MODEL_LEASE_MS;
}

static const struct store_node *nodes_self(struct store *base)
{
	return &self(base)->self;
}

/* Only a node whose own heartbeats were on time for a whole lease finds others dead. */
static void find_dead(struct model_store *m, int64_t now)
{
	struct model_disk *d = m->disk;

	if (now - m->steady_ms < MODEL_LEASE_MS)
		return;
	for (size_t i = 0; i < d->nodes.count; i++)
		if (d->nodes.at[i].state == STORE_NODE_LIVES &&
		    now - d->nodes.at[i].beat_ms > MODEL_LEASE_MS)
			d->nodes.at[i].state = STORE_NODE_DEAD;
}

static bool has_open_work(const struct model_disk *d, size_t session)
{
	for (size_t i = 0; i < d->rows.count; i++)
		if (d->rows.at[i].session == session && d->rows.at[i].row.table == INDEX_SESSION &&
		    d->rows.at[i].row.open)
			return true;
	return false;
}

/* Each beat compares how many have ended; a report without a new end would be no error. */
static void report_ends(struct model_store *m)
{
	size_t ended = 0;

	for (size_t i = 0; i < m->disk->nodes.count; i++)
		ended += m->disk->nodes.at[i].state != STORE_NODE_LIVES;
	if (ended > m->ended && m->watch.ended)
		m->watch.ended(m->watch.owner);
	m->ended = ended;
}

static size_t report_orphans(struct model_store *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct model_disk *d = m->disk;
	struct str *found = ARENA_ARRAY(mem, struct str, d->sessions.count + 1);
	size_t count = 0;

	for (size_t i = 0; i < d->sessions.count; i++) {
		const struct model_session *s = &d->sessions.at[i];

		if (s->owner && !s->is_removed && !is_alive(m, s->owner) &&
		    !model_nodes_is_newer(m, s) && has_open_work(d, i))
			found[count++] = arena_keep(mem, s->id);
	}
	if (count && m->watch.orphaned)
		m->watch.orphaned(m->watch.owner, found, count);
	return count;
}

/* A start of an older node is an error of the test. */
static void raise_common(struct model_disk *d)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < d->nodes.count; i++)
		if (d->nodes.at[i].state == STORE_NODE_LIVES)
			least = MIN(least, d->nodes.at[i].rev);
	if (least != UINT32_MAX)
		d->common_rev = MAX(d->common_rev, least);
}

static void nodes_versions(struct store *base, struct store_versions *ret)
{
	struct model_store *m = self(base);

	*ret = (struct store_versions){ .common_rev = m->disk->common_rev };
	for (uint64_t n = 1; n <= m->disk->nodes.count; n++) {
		ret->others += is_alive(m, n) && n != m->incarnation;
		ret->is_mixed |= is_alive(m, n) && node_of(m->disk, n)->rev != m->node.rev;
	}
}

static void take(struct model_store *m)
{
	m->is_taken = true;
	if (m->watch.expelled)
		m->watch.expelled(m->watch.owner, "no heartbeat was seen for a lease");
}

size_t model_nodes_poll(struct model_store *m)
{
	struct model_node *n = node_of(m->disk, m->incarnation);
	int64_t now = store_ms(m);
	size_t count = 0;

	if (m->is_taken || m->is_mute)
		return 0;
	if (n->state != STORE_NODE_LIVES) {
		take(m);
		return 1;
	}
	if (now - n->beat_ms >= MODEL_BEAT_MS) {
		if (now - n->beat_ms > MODEL_LEASE_MS)
			m->steady_ms = now;
		n->beat_ms = now;
		m->sent_ms = mono_ms(m);
		find_dead(m, now);
		raise_common(m->disk);
		(void)report_orphans(m);
		report_ends(m);
		report_wishes(m);
		n->seen = n->told;
		report_seen(m);
	}
	count += report_moves(m);
	return count;
}

const struct store_nodes_ops model_nodes_ops = {
	.watch = nodes_watch,
	.claim = nodes_claim,
	.release = nodes_release,
	.list = nodes_list,
	.follow = nodes_follow,
	.unfollow = nodes_unfollow,
	.follow_all = nodes_follow_all,
	.allot = nodes_allot,
	.tell_seen = nodes_tell_seen,
	.await_seen = nodes_await_seen,
	.leave = nodes_leave,
	.lease_until = nodes_lease_until,
	.clock = nodes_clock,
	.versions = nodes_versions,
	.self = nodes_self,
};
