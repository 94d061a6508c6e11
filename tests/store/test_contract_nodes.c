/*
 * The contract of ports/store_nodes.h: several nodes on one store.
 *
 * Node 0 is named "a", node 1 "b", and so on.
 */
#include "nodes_place.h"
#include "ports/store_own.h"

#include "base/gen/limits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLOCKS_AGREE_MS                                                                            \
	1500 /* the answers of a loaded server bound the difference by their duration */

#define A 0
#define B 1
#define C 2

static enum slice_state commit(struct nodes *p, size_t i, struct writer *w)
{
	struct writer before = *w;
	enum slice_state state =
		contract_commit(&p->all[i].c, contract_slice(&p->all[i].c, w, 2, 20));

	if (state != SLICE_COMMITTED)
		*w = before;
	return state;
}

static struct writer new_session(struct nodes *p, size_t i, const char *session)
{
	struct writer w = { .id = str_from(session) };

	CHECK_INT(commit(p, i, &w), SLICE_COMMITTED);
	return w;
}

static enum err claim_result(struct nodes *p, size_t i, struct str session)
{
	struct store_claim c = nodes_claim(p, i, session);

	port_store_claim_done(&c);
	return c.result;
}

/* Claims it as soon as its owner has released it. */
static void take_over(struct nodes *p, size_t i, const char *session)
{
	struct store_claim c;

	do {
		c = nodes_claim(p, i, str_from(session));
		port_store_claim_done(&c);
	} while (c.result == ERR_BUSY);
	CHECK_OK(c.result, &c.error);
}

/* ---- appends ---- */

TEST(two_nodes_write_side_by_side_and_positions_are_one_order)
{
	struct nodes p;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };
	struct store_read r = { .kind = READ_ALL };

	nodes_start(&p, 2);
	for (int round = 0; round < 20; round++) {
		struct batch *b[2];

		for (size_t i = 0; i < 2; i++) {
			b[i] = contract_batch(&p.all[i].c,
			                      contract_slice(&p.all[i].c, &ws[i], 3, 20));
			contract_submit(&p.all[i].c, b[i]);
		}
		for (size_t i = 0; i < 2; i++) {
			contract_wait(&p.all[i].c, 1);
			CHECK_INT(b[i]->first->state, SLICE_COMMITTED);
			contract_batch_done(b[i]);
		}
	}
	contract_read(&p.all[B].c, &r);
	CHECK_INT(r.event_count, 120);
	for (size_t i = 0; i < r.event_count; i++)
		CHECK_INT(r.events[i].position, i + 1);
	port_store_read_done(&r);
	nodes_done(&p);
}

TEST(a_slice_of_a_session_that_another_living_node_owns_is_fenced)
{
	struct nodes p;
	struct writer w, behind;
	struct slice *one, *two;
	struct batch *b;
	struct writer other = { .id = STR("sess_y") };

	nodes_start(&p, 2);
	behind = new_session(&p, A, "sess_x");
	w = behind;
	CHECK_INT(commit(&p, B, &w), SLICE_FENCED);
	CHECK_INT(commit(&p, A, &w), SLICE_COMMITTED);
	/* Whatever its head says. */
	CHECK_INT(commit(&p, B, &behind), SLICE_FENCED);
	behind = (struct writer){ .id = STR("sess_x") };
	CHECK_INT(commit(&p, B, &behind), SLICE_FENCED);
	/* The other slices of the batch are written. */
	behind = w;
	one = contract_slice(&p.all[B].c, &behind, 1, 20);
	two = contract_slice(&p.all[B].c, &other, 1, 20);
	one->next = two;
	b = contract_batch(&p.all[B].c, one);
	contract_submit(&p.all[B].c, b);
	contract_wait(&p.all[B].c, 1);
	CHECK_INT(one->state, SLICE_FENCED);
	CHECK_INT(two->state, SLICE_COMMITTED);
	contract_batch_done(b);
	behind = nodes_head(&p, B, STR("sess_x"));
	CHECK_INT(behind.seq, w.seq);
	nodes_done(&p);
}

/* Sessions of their own, and one key. */
TEST(a_key_that_two_nodes_use_at_the_same_moment_is_stored_once)
{
	struct nodes p;

	nodes_start(&p, 2);
	for (int round = 0; round < 100; round++) {
		struct sha256 key = sha256_of(arena_printf(p.all[A].c.mem, "key %d", round));
		struct idem_row rows[2];
		struct batch *b[2];
		struct store_read r = { .kind = READ_IDEM, .idem_key = key };
		size_t won;

		for (size_t i = 0; i < 2; i++) {
			struct writer w = { .id = arena_printf(p.all[i].c.mem, "sess_%d_%zu", round,
				                               i) };
			struct slice *sl = contract_slice(&p.all[i].c, &w, 2, 20);

			rows[i] = (struct idem_row){ .key = key,
				                     .reply = i ? STR("\"b\"") : STR("\"a\""),
				                     .seq = 2,
				                     .at = 1 };
			sl->idem = &rows[i];
			b[i] = contract_batch(&p.all[i].c, sl);
			contract_submit(&p.all[i].c, b[i]);
		}
		for (size_t i = 0; i < 2; i++)
			contract_wait(&p.all[i].c, 1);
		won = b[0]->first->state == SLICE_COMMITTED ? 0 : 1;
		CHECK_INT(b[won]->first->state, SLICE_COMMITTED);
		CHECK_INT(b[!won]->first->state, SLICE_CONFLICT);
		for (size_t i = 0; i < 2; i++) {
			CHECK_INT(nodes_head(&p, A, b[i]->first->session).seq, i == won ? 2 : 0);
			contract_batch_done(b[i]);
		}
		contract_read(&p.all[A].c, &r);
		CHECK_OK(r.result, &r.error);
		CHECK_SAME(r.idem.reply, rows[won].reply);
		port_store_read_done(&r);
	}
	nodes_done(&p);
}

TEST(a_slice_of_a_session_without_an_owner_makes_the_node_its_owner)
{
	struct nodes p;
	struct writer w, old;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	old = (struct writer){ .id = STR("sess_x") };
	nodes_release(&p, A, w.id);
	take_over(&p, B, "sess_x");
	nodes_release(&p, B, w.id);
	take_over(&p, B, "sess_x");
	nodes_release(&p, B, w.id);
	nodes_poll_for(&p, 50);
	/* Without an owner the head decides. */
	CHECK_INT(commit(&p, B, &old), SLICE_CONFLICT);
	CHECK_INT(commit(&p, A, &w), SLICE_COMMITTED);
	CHECK_INT(commit(&p, B, &w), SLICE_FENCED);
	nodes_done(&p);
}

TEST(a_slice_of_a_session_whose_owner_has_ended_is_accepted)
{
	struct nodes p;
	struct writer x, y;

	nodes_start(&p, 3);
	x = new_session(&p, A, "sess_x");
	contract_close(&p.all[A].c);
	CHECK_INT(commit(&p, B, &x), SLICE_COMMITTED);
	y = new_session(&p, 2, "sess_y");
	nodes_kill(&p, 2);
	NODES_UNTIL(&p, nodes_state(&p, B, "c") == STORE_NODE_DEAD);
	CHECK_INT(commit(&p, B, &y), SLICE_COMMITTED);
	nodes_done(&p);
}

TEST(a_slice_does_not_delete_a_session_that_another_living_node_owns)
{
	struct nodes p;
	struct writer w, system = { .id = STR("sess_system") };
	struct pending_op op = { .kind = MAINTENANCE_SWEEP };
	struct slice *sl;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	op.ref = w.id;
	op.seq = 1;
	op.last_seq = w.seq;
	op.last_hash = w.hash;
	for (int round = 0; round < 2; round++) {
		struct writer before = system;

		sl = contract_slice(&p.all[B].c, &system, 1, 20);
		sl->pending_ops = &op;
		sl->pending_count = 1;
		CHECK_INT(contract_commit(&p.all[B].c, sl),
		          round ? SLICE_COMMITTED : SLICE_CONFLICT);
		if (round)
			break;
		system = before;
		nodes_release(&p, A, w.id);
		take_over(&p, B, "sess_x");
	}
	CHECK_INT(claim_result(&p, A, w.id), ERR_NOT_FOUND);
	nodes_done(&p);
}

/* ---- claims ---- */

TEST(a_claim_names_the_living_owner_or_takes_the_session)
{
	struct nodes p;
	struct writer w;
	struct store_claim c;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	CHECK_INT(claim_result(&p, B, STR("sess_none")), ERR_NOT_FOUND);
	c = nodes_claim(&p, B, w.id);
	CHECK_INT(c.result, ERR_BUSY);
	CHECK_STR(c.node.name, "a");
	CHECK_STR(c.node.address, "http://a:1");
	CHECK_INT(c.node.incarnation, nodes_ops(&p, A)->self(p.all[A].c.store)->incarnation);
	port_store_claim_done(&c);
	c = nodes_claim(&p, A, w.id); /* its own */
	CHECK_INT(c.result, OK);
	CHECK(!c.is_orphan);
	nodes_release(&p, A, w.id);
	take_over(&p, B, "sess_x");
	CHECK_INT(claim_result(&p, A, w.id), ERR_BUSY);
	CHECK_INT(commit(&p, A, &w), SLICE_FENCED);
	CHECK_INT(commit(&p, B, &w), SLICE_COMMITTED);
	nodes_done(&p);
}

TEST(a_claim_says_whether_the_owner_before_ended_without_a_release)
{
	struct nodes p;
	struct store_claim c;

	nodes_start(&p, 3);
	new_session(&p, A, "sess_closed");
	new_session(&p, A, "sess_released");
	nodes_release(&p, A, STR("sess_released"));
	take_over(&p, B, "sess_released");
	nodes_release(&p, B, STR("sess_released"));
	new_session(&p, 2, "sess_killed");
	contract_close(&p.all[A].c);
	nodes_kill(&p, 2);
	c = nodes_claim(&p, B, STR("sess_released"));
	CHECK_INT(c.result, OK);
	CHECK(!c.is_orphan);
	c = nodes_claim(&p, B, STR("sess_closed"));
	CHECK_INT(c.result, OK);
	CHECK(c.is_orphan);
	c = nodes_claim(&p, B, STR("sess_closed"));
	CHECK_INT(c.result, OK);
	CHECK(!c.is_orphan);
	c = nodes_claim(&p, B, STR("sess_killed"));
	CHECK_INT(c.result, ERR_BUSY);
	port_store_claim_done(&c);
	NODES_UNTIL(&p, nodes_state(&p, B, "c") == STORE_NODE_DEAD);
	c = nodes_claim(&p, B, STR("sess_killed"));
	CHECK_INT(c.result, OK);
	CHECK(c.is_orphan);
	nodes_done(&p);
}

static size_t answered_claims;

static void count_claim(struct store_claim *c)
{
	(void)c;
	answered_claims++;
}

TEST(claims_and_releases_of_one_session_keep_their_order)
{
	struct nodes p;
	struct writer w;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	for (int round = 0; round < 20; round++) {
		struct store_claim c[3], other;

		answered_claims = 0;
		for (size_t i = 0; i < COUNT_OF(c); i++) {
			c[i] = (struct store_claim){ .session = w.id, .done = count_claim };
			nodes_release(&p, A, w.id);
			nodes_release(&p, A, w.id);
			nodes_ops(&p, A)->claim(p.all[A].c.store, &c[i]);
		}
		NODES_UNTIL(&p, answered_claims == COUNT_OF(c));
		for (size_t i = 0; i < COUNT_OF(c); i++)
			CHECK_INT(c[i].result, OK);
		other = nodes_claim(&p, B, w.id);
		CHECK_INT(other.result, ERR_BUSY);
		port_store_claim_done(&other);
		CHECK_INT(commit(&p, A, &w), SLICE_COMMITTED);
	}
	nodes_done(&p);
}

#define MANY 2000

/* All sessions of one owner, in batches. */
static struct str *make_sessions(struct nodes *p, size_t i, size_t count)
{
	struct contract *c = &p->all[i].c;
	struct str *ids = ARENA_ARRAY(c->mem, struct str, count);
	struct batch **all = ARENA_ARRAY(c->mem, struct batch *, count);

	for (size_t n = 0; n < count; n++) {
		struct writer w;

		ids[n] = arena_printf(c->mem, "sess_%zu", n);
		w = (struct writer){ .id = ids[n] };
		all[n] = contract_batch(c, contract_slice(c, &w, 1, 20));
		contract_submit(c, all[n]);
	}
	contract_wait(c, count);
	for (size_t n = 0; n < count; n++) {
		CHECK_INT(all[n]->first->state, SLICE_COMMITTED);
		contract_batch_done(all[n]);
	}
	return ids;
}

TEST(thousands_of_sessions_that_two_nodes_claim_at_once_have_one_owner_each)
{
	struct nodes p;
	struct str *ids;
	struct store_claim *claims[2];
	struct store_nodes_read r;
	size_t taken[2] = { 0, 0 };

	nodes_start(&p, 3);
	ids = make_sessions(&p, 2, MANY);
	contract_close(&p.all[2].c);
	answered_claims = 0;
	for (size_t i = 0; i < 2; i++)
		claims[i] = ARENA_ARRAY(p.all[i].c.mem, struct store_claim, MANY);
	for (size_t n = 0; n < MANY; n++)
		for (size_t i = 0; i < 2; i++) {
			claims[i][n] = (struct store_claim){ .session = ids[i ? MANY - 1 - n : n],
				                             .done = count_claim };
			nodes_ops(&p, i)->claim(p.all[i].c.store, &claims[i][n]);
		}
	NODES_UNTIL(&p, answered_claims == 2 * MANY);
	for (size_t n = 0; n < MANY; n++) {
		struct store_claim *a = &claims[A][n], *b = &claims[B][MANY - 1 - n];

		CHECK_INT((a->result == OK) + (b->result == OK), 1);
		CHECK_INT((a->result == ERR_BUSY) + (b->result == ERR_BUSY), 1);
		CHECK(a->result == OK ? a->is_orphan : b->is_orphan);
		if (a->result == OK)
			CHECK_STR(b->node.name, "a");
		else
			CHECK_STR(a->node.name, "b");
		taken[A] += a->result == OK;
		taken[B] += b->result == OK;
		port_store_claim_done(a);
		port_store_claim_done(b);
	}
	r = nodes_list(&p, A, false);
	CHECK_INT(r.count, 2);
	CHECK_INT(r.nodes[0].sessions, taken[A]);
	CHECK_INT(r.nodes[1].sessions, taken[B]);
	CHECK_INT(taken[A] + taken[B], MANY);
	port_store_nodes_read_done(&r);
	for (size_t n = 0; n < MANY; n++) {
		nodes_release(&p, A, ids[n]);
		nodes_release(&p, B, ids[n]);
	}
	do {
		port_store_nodes_read_done(&r);
		r = nodes_list(&p, A, false);
	} while (r.nodes[0].sessions || r.nodes[1].sessions);
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

/* Commits under way on node i, which continue at w. */
struct burst {
	struct batch *batches[8];
	size_t before; /* replies */
};

static void burst_begin(struct nodes *p, size_t i, struct writer w, struct burst *ret)
{
	struct contract *c = &p->all[i].c;

	ret->before = c->answered;
	for (size_t n = 0; n < COUNT_OF(ret->batches); n++) {
		ret->batches[n] = contract_batch(c, contract_slice(c, &w, 1, 20));
		contract_submit(c, ret->batches[n]);
	}
}

/* The last sequence that was committed; 0: none. */
static uint64_t burst_end(struct nodes *p, size_t i, struct burst *b)
{
	uint64_t last = 0;

	NODES_UNTIL(p, p->all[i].c.answered == b->before + COUNT_OF(b->batches));
	for (size_t n = 0; n < COUNT_OF(b->batches); n++) {
		const struct slice *sl = b->batches[n]->first;

		if (sl->state == SLICE_COMMITTED)
			last = sl->events[0].seq;
		contract_batch_done(b->batches[n]);
	}
	return last;
}

/* The owner has lost its lease and appends as fast as it can. */
TEST(a_claim_sees_every_commit_of_the_owner_before)
{
	struct nodes p;

	nodes_start(&p, 2);
	for (int round = 0; round < 3; round++) {
		static const char *const ids[] = { "sess_x", "sess_y", "sess_z" };
		struct writer head = new_session(&p, A, ids[round]);
		uint64_t bursts = 0, last;
		bool is_taken = false;

		nodes_pause(&p, A, true);
		while (!is_taken) {
			struct burst b;
			struct store_claim c;

			burst_begin(&p, A, head, &b);
			c = nodes_claim(&p, B, head.id);
			is_taken = c.result == OK;
			port_store_claim_done(&c);
			if (is_taken)
				head = nodes_head(&p, B, head.id);
			last = burst_end(&p, A, &b);
			if (!is_taken)
				head = nodes_head(&p, B, head.id);
			CHECK(last <= head.seq);
			bursts += last > 0;
		}
		CHECK(bursts > 0);
		NODES_UNTIL(&p, p.all[A].expelled == 1);
		CHECK_INT(commit(&p, B, &head), SLICE_COMMITTED);
		nodes_open(&p, A);
	}
	nodes_done(&p);
}

/* ---- who lives ---- */

TEST(a_list_has_the_nodes_that_live_and_the_ended_ones_when_asked)
{
	struct nodes p;
	struct store_nodes_read r;

	nodes_start(&p, 5);
	new_session(&p, B, "sess_x");
	new_session(&p, B, "sess_y");
	r = nodes_list(&p, A, false);
	CHECK_INT(r.count, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct store_node *n = &r.nodes[i];

		CHECK_INT(n->name.ptr[0], 'a' + (int)i);
		CHECK_INT(n->address.ptr[7], 'a' + (int)i);
		CHECK_STR(n->version, "1.2.3");
		CHECK_INT(n->state, STORE_NODE_LIVES);
		CHECK_INT(n->is_self, i == A);
		CHECK_INT(n->sessions, i == B ? 2 : 0);
		CHECK(n->beat_age_ms >= 0 && n->beat_age_ms < 10 * CONTRACT_LEASE_MS);
		CHECK(n->started_ms > clock_wall_ms() - 600000);
		CHECK(n->started_ms < clock_wall_ms() + 600000);
	}
	port_store_nodes_read_done(&r);
	contract_close(&p.all[4].c);
	nodes_kill(&p, 3);
	NODES_UNTIL(&p, nodes_state(&p, A, "d") == STORE_NODE_DEAD);
	CHECK_INT(nodes_state(&p, B, "e"), STORE_NODE_ENDED);
	r = nodes_list(&p, A, false);
	CHECK_INT(r.count, 3);
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

TEST(the_end_of_another_node_is_reported_when_the_list_shows_it)
{
	struct nodes p;

	nodes_start(&p, 3);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	CHECK_INT(p.all[A].ended, 0);
	contract_close(&p.all[C].c);
	NODES_UNTIL(&p, p.all[A].ended && p.all[B].ended);
	CHECK_INT(nodes_state(&p, A, "c"), STORE_NODE_ENDED);
	p.all[A].ended = 0;
	nodes_kill(&p, B);
	NODES_UNTIL(&p, p.all[A].ended);
	CHECK_INT(nodes_state(&p, A, "b"), STORE_NODE_DEAD);
	nodes_done(&p);
}

/* Also when a heartbeat is under way at that moment. */
TEST(a_node_that_is_closed_has_ended_at_once)
{
	struct nodes p;

	nodes_start(&p, 2);
	for (int round = 0; round < 15; round++) {
		nodes_poll_for(&p, 7 * round);
		contract_close(&p.all[B].c);
		CHECK_INT(nodes_state(&p, A, "b"), STORE_NODE_ENDED);
		nodes_open(&p, B);
	}
	nodes_done(&p);
}

TEST(a_second_node_with_the_name_of_a_living_one_is_refused)
{
	struct nodes p;
	struct contract c;
	struct writer w;
	struct error e = { 0 };
	char host[128] = "", incarnation[64];

	nodes_start(&p, 1);
	contract_join(&c, &p.all[A].c, "a", NULL);
	CHECK_INT(contract_try_open(&c, &e), ERR_BUSY);
	CHECK(strstr(e.message, "store_in_use"));
	CHECK(strstr(e.message, "node.name"));
	gethostname(host, sizeof host - 1);
	CHECK(strstr(e.message, host));
	snprintf(incarnation, sizeof incarnation, "process %d on", (int)getpid());
	CHECK(strstr(e.message, incarnation));
	snprintf(incarnation, sizeof incarnation, "(incarnation %llu)",
	         (unsigned long long)nodes_ops(&p, A)->self(p.all[A].c.store)->incarnation);
	CHECK(strstr(e.message, incarnation));
	w = new_session(&p, A, "sess_x"); /* and the first one lives */
	CHECK_INT(w.seq, 2);
	contract_done(&c);
	nodes_done(&p);
}

struct starting {
	struct contract c;
	enum err result;
	struct error error;
};

static void *start(void *arg)
{
	struct starting *s = arg;

	s->result = contract_try_open(&s->c, &s->error);
	return NULL;
}

TEST(of_two_starts_with_one_name_at_the_same_moment_one_wins)
{
	struct nodes p;

	nodes_start(&p, 1);
	for (int round = 0; round < 3; round++) {
		struct starting s[2] = { 0 };
		pthread_t threads[2];

		for (size_t i = 0; i < 2; i++)
			contract_join(&s[i].c, &p.all[A].c, "twin", NULL);
		for (size_t i = 0; i < 2; i++)
			CHECK_INT(pthread_create(&threads[i], NULL, start, &s[i]), 0);
		for (size_t i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		CHECK_INT((s[0].result == OK) + (s[1].result == OK), 1);
		CHECK_INT((s[0].result == ERR_BUSY) + (s[1].result == ERR_BUSY), 1);
		for (size_t i = 0; i < 2; i++)
			contract_done(&s[i].c);
	}
	nodes_done(&p);
}

TEST(a_start_takes_the_name_of_a_node_that_ended_or_died)
{
	struct nodes p;
	int64_t began;
	uint64_t before;

	nodes_start(&p, 2);
	before = nodes_ops(&p, A)->self(p.all[A].c.store)->incarnation;
	contract_close(&p.all[A].c);
	nodes_open(&p, A);
	CHECK(nodes_ops(&p, A)->self(p.all[A].c.store)->incarnation > before);
	nodes_kill(&p, A); /* and not found dead yet */
	began = clock_mono_ms();
	nodes_open(&p, A);
	CHECK(clock_mono_ms() - began < 10 * CONTRACT_LEASE_MS);
	nodes_kill(&p, A);
	NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
	nodes_open(&p, A);
	new_session(&p, A, "sess_x");
	nodes_done(&p);
}

/* ---- leases ---- */

TEST(a_lease_counts_from_before_the_heartbeat_on_the_monotonic_clock)
{
	struct nodes p;
	int64_t first, now, until;

	nodes_start(&p, 1);
	first = nodes_ops(&p, A)->lease_until(p.all[A].c.store);
	CHECK(first > 0);
	NODES_UNTIL(&p, nodes_ops(&p, A)->lease_until(p.all[A].c.store) > first);
	for (int i = 0; i < 300; i++) {
		until = nodes_ops(&p, A)->lease_until(p.all[A].c.store);
		now = clock_mono_ms();
		CHECK(until <= now + CONTRACT_LEASE_MS);
		nodes_poll(&p);
	}
	nodes_done(&p);
}

TEST(no_node_is_found_dead_before_its_lease_is_over)
{
	struct nodes p;

	nodes_start(&p, 2);
	for (int round = 0; round < 3; round++) {
		int64_t until;

		new_session(&p, A, round == 0 ? "sess_0" : round == 1 ? "sess_1" : "sess_2");
		nodes_poll_for(&p, 1500);
		nodes_pause(&p, A, true);
		NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD ||
		                        (until = nodes_ops(&p, A)->lease_until(p.all[A].c.store),
		                         clock_mono_ms() > until));
		until = nodes_ops(&p, A)->lease_until(p.all[A].c.store);
		CHECK(clock_mono_ms() >= until);
		NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
		nodes_pause(&p, A, false);
		NODES_UNTIL(&p, p.all[A].expelled == 1);
		CHECK_INT(nodes_ops(&p, A)->lease_until(p.all[A].c.store), 0);
		nodes_open(&p, A);
	}
	nodes_done(&p);
}

TEST(a_node_that_was_found_dead_is_expelled_and_its_store_ends)
{
	struct nodes p;
	struct writer w;
	struct batch *b;
	struct store_claim c;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	nodes_pause(&p, A, true);
	NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
	/* It learns of it by what it writes, too. */
	b = contract_batch(&p.all[A].c, contract_slice(&p.all[A].c, &w, 1, 20));
	contract_submit(&p.all[A].c, b);
	contract_wait(&p.all[A].c, 1);
	CHECK_INT(b->first->state, SLICE_FAILED);
	CHECK_INT(b->error.detail, STORE_TAKEN);
	contract_batch_done(b);
	NODES_UNTIL(&p, p.all[A].expelled == 1);
	c = nodes_claim(&p, A, w.id);
	CHECK(c.result != OK);
	CHECK_INT(c.error.detail, STORE_TAKEN);
	nodes_poll_for(&p, 100);
	CHECK_INT(p.all[A].expelled, 1);
	CHECK_INT(nodes_head(&p, B, w.id).seq, 2);
	nodes_done(&p);
}

/* As after a stall of the server: the first node that is back has no reason to end the others. */
TEST(a_node_whose_own_heartbeats_were_late_finds_no_node_dead)
{
	struct nodes p;

	nodes_start(&p, 2);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	nodes_pause(&p, A, true);
	nodes_pause(&p, B, true);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	nodes_pause(&p, B, false);
	nodes_poll_for(&p, 5 * CONTRACT_BEAT_MS);
	nodes_pause(&p, A, false);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	CHECK_INT(p.all[A].expelled + p.all[B].expelled, 0);
	CHECK_INT(nodes_state(&p, A, "b"), STORE_NODE_LIVES);
	CHECK_INT(nodes_state(&p, B, "a"), STORE_NODE_LIVES);
	nodes_done(&p);
}

/* ---- what others did ---- */

TEST(commits_of_others_are_reported_for_sessions_that_are_followed)
{
	struct nodes p;
	struct writer x, y, z;

	nodes_start(&p, 2);
	x = new_session(&p, A, "sess_x");
	y = new_session(&p, A, "sess_y");
	z = new_session(&p, B, "sess_z");
	nodes_ops(&p, B)->follow(p.all[B].c.store, x.id);
	nodes_ops(&p, B)->follow(p.all[B].c.store, x.id);
	nodes_ops(&p, B)->follow(p.all[B].c.store, z.id);
	commit(&p, A, &x);
	commit(&p, A, &y);
	commit(&p, B, &z);
	NODES_UNTIL(&p, nodes_moved(&p, B, "sess_x")->seq == x.seq);
	nodes_ops(&p, B)->unfollow(p.all[B].c.store, x.id);
	commit(&p, A, &x);
	NODES_UNTIL(&p, nodes_moved(&p, B, "sess_x")->seq == x.seq);
	NODES_UNTIL(&p, p.all[B].position >= 12);
	CHECK_INT(nodes_moved(&p, B, "sess_y")->times, 0);
	CHECK_INT(nodes_moved(&p, B, "sess_z")->times, 0);
	nodes_ops(&p, B)->unfollow(p.all[B].c.store, x.id);
	nodes_ops(&p, B)->follow_all(p.all[B].c.store, true);
	commit(&p, A, &y);
	NODES_UNTIL(&p, nodes_moved(&p, B, "sess_y")->seq == y.seq);
	nodes_ops(&p, B)->follow_all(p.all[B].c.store, false);
	commit(&p, A, &y);
	NODES_UNTIL(&p, p.all[B].position >= 16);
	CHECK_INT(nodes_moved(&p, B, "sess_y")->seq, y.seq - 2);
	CHECK_INT(nodes_moved(&p, B, "sess_x")->seq, x.seq);
	CHECK_INT(nodes_moved(&p, B, "sess_z")->times, 0);
	CHECK_INT(p.all[A].moved_count, 0);
	CHECK_INT(contract_stats(&p.all[B].c).last_position, 16);
	nodes_done(&p);
}

/* Packed or not, and also when the follower has got the session meanwhile. */
/* Of many commits at once the last is reported, too. */
TEST(a_commit_is_hinted_to_the_other_nodes)
{
	struct nodes p;
	struct writer w;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	nodes_ops(&p, B)->follow(p.all[B].c.store, STR("sess_x"));
	nodes_poll_for(&p, 600);
	p.all[B].c.kind->hints_only(&p.all[B].c);
	for (int i = 0; i < 100; i++) {
		for (int n = 0; n <= i % 10; n++)
			CHECK_INT(commit(&p, A, &w), SLICE_COMMITTED);
		NODES_UNTIL(&p, nodes_moved(&p, B, "sess_x")->seq == w.seq);
	}
	nodes_done(&p);
}

TEST(a_commit_of_another_node_is_reported_whatever_happened_since)
{
	struct nodes p;
	struct writer x, y;
	struct store_maintenance u = { .kind = MAINTENANCE_PACK };

	nodes_start(&p, 2);
	nodes_ops(&p, B)->follow_all(p.all[B].c.store, true);
	for (int round = 0; round < 5; round++) {
		char id[2][32];

		snprintf(id[0], sizeof id[0], "sess_x%d", round);
		snprintf(id[1], sizeof id[1], "sess_y%d", round);
		x = new_session(&p, A, id[0]);
		nodes_release(&p, A, x.id);
		take_over(&p, B, id[0]);
		CHECK_INT(commit(&p, B, &x), SLICE_COMMITTED);
		NODES_UNTIL(&p, nodes_moved(&p, B, id[0])->seq == 2);
		y = (struct writer){ .id = str_from(id[1]) };
		contract_append(&p.all[A].c, &y, 40);
		u.session = y.id;
		u.seq = y.seq;
		contract_maintain(&p.all[A].c, &u);
		NODES_UNTIL(&p, nodes_moved(&p, B, id[1])->seq == 40);
	}
	nodes_done(&p);
}

TEST(sessions_with_open_work_whose_owner_died_are_reported_until_they_are_claimed)
{
	struct nodes p;
	struct writer w[3] = { { .id = STR("sess_open") },
		               { .id = STR("sess_idle") },
		               { .id = STR("sess_closed") } };
	int64_t began;
	struct store_claim c;

	nodes_start(&p, 3);
	nodes_poll_for(&p, 2 * CONTRACT_LEASE_MS);
	for (size_t i = 0; i < 3; i++) {
		struct slice *sl = contract_slice(&p.all[A].c, &w[i], 1, 20);

		nodes_add_open(&p, A, sl, i != 1);
		CHECK_INT(contract_commit(&p.all[A].c, sl), SLICE_COMMITTED);
	}
	nodes_release(&p, A, w[2].id);
	take_over(&p, B, "sess_closed");
	nodes_kill(&p, A);
	began = clock_mono_ms();
	NODES_UNTIL(&p,
	            nodes_has_orphan(&p, B, "sess_open") && nodes_has_orphan(&p, 2, "sess_open"));
	print_message("reported %lld ms after the end\n", (long long)(clock_mono_ms() - began));
	CHECK(!nodes_has_orphan(&p, B, "sess_idle"));
	CHECK(!nodes_has_orphan(&p, B, "sess_closed"));
	p.all[B].orphan_count = 0;
	NODES_UNTIL(&p, nodes_has_orphan(&p, B, "sess_open"));
	c = nodes_claim(&p, 2, w[0].id);
	CHECK_INT(c.result, OK);
	CHECK(c.is_orphan);
	nodes_poll_for(&p, 500); /* what was asked before */
	p.all[B].orphan_count = 0;
	nodes_poll_for(&p, 2500);
	CHECK(!nodes_has_orphan(&p, B, "sess_open"));
	nodes_done(&p);
}

/* ---- maintenance ---- */

static void count_step(struct store_maintenance *u)
{
	(*(size_t *)u->owner)++;
}

TEST(steps_of_maintenance_of_one_session_on_two_nodes_follow_each_other)
{
	struct nodes p;
	struct writer w;
	struct store_read r = { .kind = READ_EVENTS, .session = STR("sess_x") };
	size_t answered = 0;
	uint64_t seq = 0;
	bool is_more;

	nodes_start(&p, 2);
	w = new_session(&p, A, "sess_x");
	for (int round = 0; round < 10; round++) {
		struct store_maintenance u[2];

		for (int i = 0; i < 20; i++)
			contract_append(&p.all[A].c, &w, 5);
		for (size_t i = 0; i < 2; i++) {
			u[i] = (struct store_maintenance){ .kind = MAINTENANCE_PACK,
				                           .session = w.id,
				                           .seq = w.seq,
				                           .done = count_step,
				                           .owner = &answered };
			p.all[i].c.store->ops->maintenance(p.all[i].c.store, &u[i]);
		}
		NODES_UNTIL(&p, answered == 2 * ((size_t)round + 1));
		for (size_t i = 0; i < 2; i++)
			CHECK_OK(u[i].result, &u[i].error);
	}
	do {
		r.after = seq;
		contract_read(&p.all[B].c, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++)
			CHECK_INT(r.events[i].seq, ++seq);
		is_more = r.more;
		port_store_read_done(&r);
	} while (is_more);
	CHECK_INT(seq, w.seq);
	nodes_done(&p);
}

/* ---- connections ---- */

TEST(nodes_whose_connections_break_stay_alive_and_keep_what_they_own)
{
	struct nodes p;
	struct writer x, y;

	nodes_start(&p, 2);
	x = new_session(&p, A, "sess_x");
	y = new_session(&p, B, "sess_y");
	nodes_ops(&p, B)->follow(p.all[B].c.store, x.id);
	for (int round = 0; round < 5; round++) {
		struct store_claim c;
		int64_t lease = nodes_ops(&p, A)->lease_until(p.all[A].c.store);

		contract_cut(&p.all[A].c);
		CHECK_INT(commit(&p, A, &x), SLICE_COMMITTED);
		CHECK_INT(commit(&p, B, &y), SLICE_COMMITTED);
		c = nodes_claim(&p, B, x.id);
		CHECK_INT(c.result, ERR_BUSY);
		port_store_claim_done(&c);
		NODES_UNTIL(&p, nodes_moved(&p, B, "sess_x")->seq == x.seq);
		NODES_UNTIL(&p, nodes_ops(&p, A)->lease_until(p.all[A].c.store) > lease);
	}
	nodes_poll_for(&p, CONTRACT_LEASE_MS);
	CHECK_INT(p.all[A].expelled + p.all[B].expelled, 0);
	nodes_done(&p);
}

/* ---- allotments ---- */

static int64_t allot(struct nodes *p, size_t i, int64_t keep, int64_t want)
{
	return nodes_allot(p, i, "day", 100, keep, want).amount;
}

TEST(a_node_gets_a_fair_part_and_more_when_it_needs_it)
{
	struct nodes p;

	nodes_start(&p, 2);
	CHECK_INT(allot(&p, A, 0, 0), 0);
	CHECK_INT(allot(&p, A, 0, 1), 50);
	CHECK(!nodes_allot(&p, A, "other", 1, 0, 0).is_alone);
	/* Repeated, it grants nothing twice. */
	CHECK_INT(allot(&p, A, 0, 1), 50);
	CHECK_INT(allot(&p, A, 50, 40), 90);
	CHECK_INT(allot(&p, A, 90, 40), 100);
	CHECK_INT(allot(&p, B, 0, 1), 0);
	CHECK_INT(allot(&p, A, 70, 0), 70);
	/* It waits for 1, and there are 30. */
	CHECK_INT(allot(&p, B, 0, 1), 15);
	CHECK_INT(allot(&p, B, 15, 15), 30);
	/* Another account, and another cap. */
	CHECK_INT(nodes_allot(&p, B, "requests", 8, 0, 8).amount, 8);
	CHECK_INT(nodes_allot(&p, B, "day", 60, 30, 10).amount, 30);
	nodes_done(&p);
}

TEST(the_allotments_of_all_nodes_stay_below_the_cap_at_the_same_moment)
{
	struct nodes p;
	int64_t has[3] = { 0 };
	unsigned seed = 7;

	nodes_start(&p, 3);
	for (int round = 0; round < 200; round++) {
		struct store_allotment a[3];

		for (size_t i = 0; i < 3; i++) {
			seed = seed * 1103515245 + 12345;
			a[i] = (struct store_allotment){ .account = STR("day"),
				                         .cap = 100,
				                         .keep = has[i] * (seed >> 20 & 3) / 3,
				                         .want = seed >> 16 & 31,
				                         .done = nodes_note_allotment,
				                         .owner = &p };
			nodes_ops(&p, i)->allot(p.all[i].c.store, &a[i]);
		}
		NODES_UNTIL(&p, !a[0].owner && !a[1].owner && !a[2].owner);
		for (size_t i = 0; i < 3; i++) {
			CHECK_OK(a[i].result, &a[i].error);
			CHECK(a[i].amount >= a[i].keep);
			has[i] = a[i].amount;
		}
		CHECK(has[0] + has[1] + has[2] <= 100);
	}
	nodes_done(&p);
}

TEST(others_hear_what_a_node_lacks_and_the_longest_wish_is_granted_first)
{
	struct nodes p;

	nodes_start(&p, 3);
	CHECK_INT(allot(&p, A, 0, 100), 100);
	CHECK_INT(allot(&p, B, 0, 30), 0);
	NODES_UNTIL(&p, p.all[A].wanted.times >= 2 && p.all[C].wanted.times);
	CHECK_STR(str_from(p.all[A].wanted.account), "day");
	CHECK_INT(p.all[A].wanted.amount, 30);
	CHECK(p.all[A].wanted.is_first);
	CHECK_INT(allot(&p, C, 0, 20), 0);
	/* Of two that wait, the second hears that the other was first. */
	p.all[B].wanted.times = p.all[C].wanted.times = 0;
	NODES_UNTIL(&p, p.all[B].wanted.times && p.all[C].wanted.times);
	CHECK(!p.all[B].wanted.is_first && p.all[C].wanted.is_first);
	CHECK_INT(p.all[B].wanted.amount, 20);
	CHECK_INT(allot(&p, A, 65, 0), 65);
	CHECK_INT(allot(&p, C, 0, 20), 0);
	CHECK_INT(allot(&p, B, 0, 30), 30);
	CHECK_INT(allot(&p, C, 0, 20), 5);
	/* One that is taken back is reported no more. */
	CHECK_INT(allot(&p, C, 5, 0), 5);
	nodes_poll_for(&p, 600);
	p.all[A].wanted.times = 0;
	nodes_poll_for(&p, 600);
	CHECK_INT(p.all[A].wanted.times, 0);
	nodes_done(&p);
}

TEST(a_wish_that_is_not_repeated_stands_in_no_ones_way)
{
	struct nodes p;

	nodes_start(&p, 3);
	CHECK_INT(allot(&p, A, 0, 100), 100);
	CHECK_INT(allot(&p, B, 0, 30), 0);
	CHECK_INT(allot(&p, C, 0, 20), 0);
	CHECK_INT(allot(&p, A, 90, 0), 90);
	CHECK_INT(allot(&p, C, 0, 20), 0);
	nodes_poll_for(&p, STORE_WISH_MS + 300);
	CHECK_INT(allot(&p, C, 0, 20), 10);
	nodes_done(&p);
}

TEST(a_list_has_what_each_living_node_may_use_when_asked)
{
	struct nodes p;
	struct store_nodes_read r;

	nodes_start(&p, 3);
	CHECK_INT(allot(&p, A, 0, 60), 60);
	CHECK_INT(allot(&p, B, 0, 70), 40);
	CHECK_INT(nodes_allot(&p, B, "another", 9, 0, 9).amount, 9);
	CHECK_INT(nodes_allot(&p, B, "nothing", 9, 0, 0).amount, 0);
	CHECK_INT(nodes_allot(&p, C, "another", 9, 0, 3).amount, 0);
	contract_close(&p.all[C].c);
	/* Said again: a wish counts for a while only. */
	CHECK_INT(allot(&p, B, 40, 30), 40);
	r = nodes_list_allotments(&p, A);
	CHECK_INT(r.count, 3);
	CHECK_INT(r.nodes[A].allotment_count, 1);
	CHECK_STR(r.nodes[A].allotments[0].account, "day");
	CHECK_INT(r.nodes[A].allotments[0].amount, 60);
	CHECK_INT(r.nodes[A].allotments[0].want, 0);
	CHECK_INT(r.nodes[A].allotments_left_out, 0);
	CHECK_INT(r.nodes[B].allotment_count, 2);
	CHECK_STR(r.nodes[B].allotments[0].account, "another");
	CHECK_INT(r.nodes[B].allotments[0].amount, 9);
	CHECK_STR(r.nodes[B].allotments[1].account, "day");
	CHECK_INT(r.nodes[B].allotments[1].amount, 40);
	CHECK_INT(r.nodes[B].allotments[1].want, 30);
	/* One that has ended may use nothing. */
	CHECK_INT(r.nodes[C].allotment_count, 0);
	port_store_nodes_read_done(&r);
	r = nodes_list(&p, A, false);
	CHECK_INT(r.nodes[A].allotment_count, 0);
	port_store_nodes_read_done(&r);
	/* A wish that is not repeated is none any more. */
	nodes_poll_for(&p, STORE_WISH_MS + 300);
	r = nodes_list_allotments(&p, A);
	CHECK_INT(r.nodes[B].allotments[1].want, 0);
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

TEST(of_many_accounts_a_list_has_those_that_were_settled_last)
{
	struct nodes p;
	struct store_nodes_read r;
	char account[16];

	nodes_start(&p, 1);
	for (int i = 0; i < LIMIT_NODE_ALLOTMENTS + 5; i++) {
		snprintf(account, sizeof account, "tenant:%02d", i);
		CHECK_INT(nodes_allot(&p, A, account, 100, i + 1, 0).amount, i + 1);
		nodes_poll_for(&p, 2);
	}
	/* The oldest is settled again. */
	CHECK_INT(nodes_allot(&p, A, "tenant:00", 100, 1, 0).amount, 1);
	r = nodes_list_allotments(&p, A);
	CHECK_INT(r.nodes[A].allotment_count, LIMIT_NODE_ALLOTMENTS);
	CHECK_INT(r.nodes[A].allotments_left_out, 5);
	CHECK_STR(r.nodes[A].allotments[0].account, "tenant:00");
	for (int i = 1; i < LIMIT_NODE_ALLOTMENTS; i++) {
		snprintf(account, sizeof account, "tenant:%02d", i + 5);
		CHECK(str_eq(r.nodes[A].allotments[i].account, str_from(account)));
		CHECK_INT(r.nodes[A].allotments[i].amount, i + 6);
	}
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

/* A heartbeat may report one after the last poll. */
TEST(a_store_is_closed_while_another_node_waits_for_a_part)
{
	struct nodes p;

	nodes_start(&p, 2);
	CHECK_INT(allot(&p, A, 0, 100), 100);
	for (int i = 0; i < 40; i++) {
		CHECK_INT(allot(&p, B, 0, 30), 0);
		usleep((unsigned)(i * 1500 % 100000));
		nodes_open(&p, A);
		CHECK_INT(allot(&p, A, 0, 0), 0);
		CHECK_INT(allot(&p, B, 0, 0), 0);
		CHECK_INT(allot(&p, A, 0, 100), 100);
	}
	nodes_done(&p);
}

/* The account is the money that its slice moves. */
static void spend(struct nodes *p, size_t i, struct writer *w, int64_t spent, int64_t reserved)
{
	struct slice *sl = contract_slice(&p->all[i].c, w, 1, 20);

	sl->moves = ARENA_NEW(p->all[i].c.mem, struct ledger_move);
	sl->moves[0] = (struct ledger_move){ STR("day"), spent, reserved };
	sl->move_count = 1;
	CHECK_INT(contract_commit(&p->all[i].c, sl), SLICE_COMMITTED);
}

TEST(what_a_dead_node_did_not_use_is_free_and_what_it_used_is_not)
{
	struct nodes p;
	struct writer w = { .id = STR("sess_x") };
	struct store_allotment a;

	nodes_start(&p, 2);
	CHECK_INT(allot(&p, A, 0, 80), 80);
	spend(&p, A, &w, 10, 25);
	a = nodes_allot(&p, B, "day", 100, 0, 1);
	CHECK_INT(a.amount, 10);
	CHECK_INT(a.spent, 10);
	CHECK_INT(a.reserved, 25);
	nodes_kill(&p, A);
	NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
	CHECK_INT(allot(&p, B, 10, 100), 65);
	CHECK(nodes_allot(&p, B, "other", 1, 0, 0).is_alone);
	/* The request of the dead node is settled by the node that took its session over. */
	w = nodes_take(&p, B, STR("sess_x"));
	spend(&p, B, &w, 20, -25);
	CHECK_INT(allot(&p, B, 65, 100), 65);
	a = nodes_allot(&p, B, "day", 100, 0, 0);
	CHECK_INT(a.spent, 10);
	CHECK_INT(a.reserved, 25);
	/* Another start of it begins with nothing. */
	nodes_open(&p, A);
	CHECK_INT(allot(&p, A, 0, 100), 65);
	nodes_done(&p);
}

TEST(a_node_that_spent_more_than_it_had_takes_from_what_is_free)
{
	struct nodes p;
	struct writer w = { .id = STR("sess_x") };

	nodes_start(&p, 2);
	CHECK_INT(allot(&p, A, 0, 60), 60);
	spend(&p, A, &w, 90, 0);
	CHECK_INT(allot(&p, B, 0, 100), 10);
	nodes_done(&p);
}

TEST(an_account_that_is_settled_on_a_dead_or_closed_node_changes_nothing)
{
	struct nodes p;
	struct store_allotment a = { .account = STR("day"),
		                     .cap = 100,
		                     .want = 50,
		                     .done = nodes_note_allotment,
		                     .owner = &p };

	nodes_start(&p, 2);
	nodes_pause(&p, A, true);
	NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
	nodes_ops(&p, A)->allot(p.all[A].c.store, &a);
	NODES_UNTIL(&p, !a.owner);
	CHECK(a.result != OK);
	CHECK_INT(allot(&p, B, 0, 100), 100);
	nodes_done(&p);
}

/* ---- how far all nodes have come ---- */

static void await(struct nodes *p, size_t i, uint64_t seq)
{
	nodes_ops(p, i)->await_seen(p->all[i].c.store, seq);
}

static void tell(struct nodes *p, size_t i, uint64_t seq)
{
	nodes_ops(p, i)->tell_seen(p->all[i].c.store, seq);
}

TEST(who_waits_hears_when_every_other_node_has_come_so_far)
{
	struct nodes p;

	nodes_start(&p, 3);
	tell(&p, B, 7);
	tell(&p, C, 5);
	await(&p, A, 7);
	NODES_UNTIL(&p, p.all[A].all_seen == 5);
	nodes_poll_for(&p, 600);
	CHECK_INT(p.all[A].all_seen, 5);
	/* A number never falls. */
	tell(&p, C, 9);
	tell(&p, B, 3);
	NODES_UNTIL(&p, p.all[A].all_seen == 7);
	/* While nothing is awaited, nothing is reported. */
	tell(&p, B, 20);
	tell(&p, C, 20);
	nodes_poll_for(&p, 600);
	CHECK_INT(p.all[A].all_seen, 7);
	CHECK_INT(p.all[B].all_seen, 0);
	await(&p, A, 8);
	NODES_UNTIL(&p, p.all[A].all_seen == 20);
	nodes_done(&p);
}

TEST(a_node_that_died_or_ended_is_not_waited_for)
{
	struct nodes p;

	nodes_start(&p, 3);
	await(&p, A, 1);
	nodes_poll_for(&p, 300);
	CHECK_INT(p.all[A].all_seen, 0);
	nodes_pause(&p, B, true);
	tell(&p, C, 1);
	NODES_UNTIL(&p, p.all[A].all_seen);
	CHECK_INT(p.all[A].all_seen, 1);
	CHECK_INT(nodes_state(&p, A, "b"), STORE_NODE_DEAD);
	await(&p, A, 2);
	nodes_kill(&p, C);
	NODES_UNTIL(&p, p.all[A].all_seen == UINT64_MAX);
	/* Alone, and the same for who joins. */
	await(&p, A, 3);
	nodes_poll_for(&p, 600);
	nodes_open(&p, B);
	await(&p, A, 4);
	nodes_poll_for(&p, 600);
	tell(&p, B, 4);
	NODES_UNTIL(&p, p.all[A].all_seen == 4);
	nodes_done(&p);
}

static struct str own_value(struct nodes *p, size_t i, struct arena *mem)
{
	struct str value = STR_NONE;
	enum err err = port_store_get_own(p->all[i].c.store, mem, STR("k"), &value, NULL);

	CHECK(err == OK || err == ERR_NOT_FOUND);
	return err == OK ? value : STR("");
}

TEST(a_value_of_one_node_is_not_that_of_another)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct nodes p;
	struct store *a;
	struct error e;

	nodes_start(&p, 2);
	a = p.all[A].c.store;
	CHECK_STR(own_value(&p, A, mem), "");
	/* From the time before the log was shared. */
	CHECK_OK(a->ops->set_meta(a, STR("k"), STR("before"), &e), &e);
	CHECK_STR(own_value(&p, A, mem), "before");
	CHECK_STR(own_value(&p, B, mem), "before");
	CHECK_OK(port_store_set_own(a, STR("k"), STR("one"), &e), &e);
	CHECK_STR(own_value(&p, A, mem), "one");
	CHECK_STR(own_value(&p, B, mem), "before");
	CHECK_OK(port_store_set_own(p.all[B].c.store, STR("k"), STR("two"), &e), &e);
	/* The next start of a node has them. */
	nodes_kill(&p, A);
	nodes_open(&p, A);
	CHECK_STR(own_value(&p, A, mem), "one");
	CHECK_STR(own_value(&p, B, mem), "two");
	nodes_done(&p);
}

TEST(a_value_that_two_nodes_keep_is_one)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct nodes p;
	struct error e;

	nodes_start(&p, 2);
	for (int i = 0; i < 20; i++) {
		struct str key = arena_printf(mem, "k%d", i), one, two;
		struct store *first = p.all[i % 2].c.store, *second = p.all[1 - i % 2].c.store;

		CHECK_OK(first->ops->keep_meta(first, mem, key, STR("first"), &one, &e), &e);
		CHECK_OK(second->ops->keep_meta(second, mem, key, STR("second"), &two, &e), &e);
		CHECK_STR(one, "first");
		CHECK_STR(two, "first");
	}
	nodes_done(&p);
}

/* It may have been stopped in the middle of a command, which another node has carried out since. */
TEST(a_node_that_was_found_dead_changes_no_value)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct nodes p;
	struct store *a, *b;
	struct str value;
	struct error e;

	nodes_start(&p, 2);
	a = p.all[A].c.store;
	b = p.all[B].c.store;
	CHECK_OK(a->ops->set_meta(a, STR("k"), STR("before"), &e), &e);
	nodes_pause(&p, A, true);
	NODES_UNTIL(&p, nodes_state(&p, B, "a") == STORE_NODE_DEAD);
	CHECK_OK(b->ops->set_meta(b, STR("k"), STR("after"), &e), &e);
	CHECK(a->ops->set_meta(a, STR("k"), STR("late"), &e) != OK);
	CHECK_OK(b->ops->get_meta(b, mem, STR("k"), &value, &e), &e);
	CHECK_STR(value, "after");
	nodes_done(&p);
}

TEST(nodes_share_the_clock_of_the_store)
{
	struct nodes p;
	struct store_clock a, b;
	struct store_nodes_read r;

	nodes_start(&p, 2);
	nodes_ops(&p, A)->clock(p.all[A].c.store, &a);
	nodes_ops(&p, B)->clock(p.all[B].c.store, &b);
	/* Both nodes are on this machine, and so is the server. */
	CHECK(llabs(a.ahead_ms - b.ahead_ms) < CLOCKS_AGREE_MS);
	CHECK(llabs(a.off_ms) < CLOCKS_AGREE_MS);
	CHECK(llabs(b.off_ms) < CLOCKS_AGREE_MS);
	r = nodes_list(&p, B, false);
	for (size_t i = 0; i < r.count; i++)
		CHECK(llabs(r.nodes[i].clock_off_ms) < CLOCKS_AGREE_MS);
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

TEST(a_node_that_leaves_is_listed_as_such)
{
	struct nodes p;
	bool is_listed = false;

	nodes_start(&p, 2);
	nodes_ops(&p, A)->leave(p.all[A].c.store);
	for (int i = 0; i < 1000 && !is_listed; i++) {
		struct store_nodes_read r = nodes_list(&p, B, false);

		CHECK_INT(r.count, 2);
		CHECK(!r.nodes[1].is_leaving);
		is_listed = r.nodes[0].is_leaving;
		port_store_nodes_read_done(&r);
	}
	CHECK(is_listed);
	/* Another start of it does not. */
	nodes_kill(&p, A);
	nodes_open(&p, A);

	struct store_nodes_read r = nodes_list(&p, B, false);

	CHECK(!r.nodes[0].is_leaving);
	port_store_nodes_read_done(&r);
	nodes_done(&p);
}

TEST_MAIN()
