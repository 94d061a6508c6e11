/*
 * Random appends, claims, releases, ends and starts of several nodes on one store, against a
 * simple model: the head of each session, and who owns it.
 *
 * In each round every node does one thing to a session of its choice, all at the same time.
 * Then:
 *
 *   - a slice was committed only by one node, on the head, and by no other node than the owner,
 *     if that one lives and did not release the session in the same round,
 *   - a claim took a session only under the same condition, and at most one did,
 *   - an owner that lives and knows the head commits.
 *
 * Sometimes all connections break.
 * A node that is slow may be found dead at any time; it learns of that a moment later.
 * At the end each session is one chain with every event that was acknowledged.
 */
#include "nodes_place.h"

#define NODES 3
#define SESSIONS 8
#define ROUNDS 500
#define NONE NODES

enum what { NOTHING, APPEND, CLAIM, RELEASE };
static const char *const whats[] = { "nothing", "append", "claim", "release" };

struct session {
	struct writer head; /* what was acknowledged */
	size_t owner;       /* NONE: none, or one that is known to have ended */
};

/* One thing that a node does. */
struct act {
	enum what what;
	size_t session;
	struct slice *slice;
	struct batch *batch;
	struct writer before, after;
	struct store_claim claim;
	bool is_claimed; /* the reply is there */
};

struct world {
	struct nodes p;
	struct session sessions[SESSIONS];
	struct act acts[NODES];
	struct writer known[NODES][SESSIONS]; /* the heads as a node has read them */
	bool released[NODES][SESSIONS];       /* by the node, which has not claimed it since */
	unsigned commits, fences, conflicts, takes, ends, deaths, cuts;
	int round;
};

static uint64_t seed;

static unsigned roll(unsigned sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % sides);
}

static const char *const ids[SESSIONS] = { "sess_0", "sess_1", "sess_2", "sess_3",
	                                   "sess_4", "sess_5", "sess_6", "sess_7" };

/* ---- nodes that end ---- */

static void forget_node(struct world *w, size_t i)
{
	for (size_t s = 0; s < SESSIONS; s++) {
		if (w->sessions[s].owner == i)
			w->sessions[s].owner = NONE;
		w->known[i][s] = (struct writer){ .id = str_from(ids[s]) };
		w->released[i][s] = false;
	}
}

static void start_again(struct world *w, size_t i)
{
	forget_node(w, i);
	nodes_open(&w->p, i);
}

/* Another node has what this one owned, so it must learn that it was found dead. */
static void must_be_dead(struct world *w, size_t i)
{
	if (i == NONE)
		return;
	nodes_pause(&w->p, i, false);
	NODES_UNTIL(&w->p, w->p.all[i].expelled);
}

static void end_some(struct world *w)
{
	size_t i = roll(NODES);

	if (w->p.all[i].expelled) {
		w->deaths++;
		start_again(w, i);
	} else if (roll(25) == 0) {
		w->ends++;
		if (roll(2))
			nodes_kill(&w->p, i);
		else
			contract_close(&w->p.all[i].c);
		start_again(w, i);
	} else if (roll(30) == 0) {
		nodes_pause(&w->p, i, true);
	} else if (roll(40) == 0) {
		w->cuts++;
		contract_cut(&w->p.all[i].c);
	}
}

/* ---- one round ---- */

static void note_claim(struct store_claim *c)
{
	((struct act *)c->owner)->is_claimed = true;
}

static void begin(struct world *w, size_t i)
{
	struct contract *c = &w->p.all[i].c;
	struct act *a = &w->acts[i];
	struct writer *known;

	*a = (struct act){ .what = (enum what)roll(4), .session = roll(SESSIONS) };
	known = &w->known[i][a->session];
	/* A release is not waited for, so no slice may follow it without a claim. */
	if (a->what == APPEND && w->released[i][a->session])
		a->what = CLAIM;
	w->released[i][a->session] |= a->what == RELEASE;
	if (a->what == APPEND) {
		a->before = a->after = *known;
		a->slice = contract_slice(c, &a->after, 1 + roll(3), 20 + roll(100));
		a->batch = contract_batch(c, a->slice);
		contract_submit(c, a->batch);
	} else if (a->what == CLAIM) {
		a->claim = (struct store_claim){ .session = known->id,
			                         .done = note_claim,
			                         .owner = a };
		nodes_ops(&w->p, i)->claim(c->store, &a->claim);
	} else if (a->what == RELEASE) {
		nodes_release(&w->p, i, known->id);
	}
}

static bool is_done(const struct act *a, const struct node *n, size_t before)
{
	return a->what == APPEND ? n->c.answered > before : a->what != CLAIM || a->is_claimed;
}

static bool has_committed(const struct act *a)
{
	return a->what == APPEND && a->slice->state == SLICE_COMMITTED;
}

static bool has_claimed(const struct act *a)
{
	return a->what == CLAIM && a->claim.result == OK;
}

static bool is_same_head(const struct writer *a, const struct writer *b)
{
	return a->seq == b->seq && sha256_eq(&a->hash, &b->hash);
}

static bool is_released(const struct world *w, size_t s)
{
	size_t owner = w->sessions[s].owner;

	return owner == NONE || (w->acts[owner].what == RELEASE && w->acts[owner].session == s);
}

/* Node i has got the session, or owns it already. */
static void check_right(struct world *w, size_t i, size_t s, const char *what)
{
	size_t owner = w->sessions[s].owner;

	if (owner == i || is_released(w, s))
		return;
	print_message("round %d: node %zu: %s of %s, which node %zu owned\n", w->round, i, what,
	              ids[s], owner);
	must_be_dead(w, owner);
	w->sessions[s].owner = NONE;
}

static void check_append(struct world *w, size_t i, struct act *a)
{
	struct session *s = &w->sessions[a->session];
	bool knows = is_same_head(&a->before, &s->head);

	w->commits += has_committed(a);
	w->fences += a->slice->state == SLICE_FENCED;
	w->conflicts += a->slice->state == SLICE_CONFLICT;
	if (has_committed(a)) {
		CHECK(knows);
		check_right(w, i, a->session, whats[APPEND]);
		s->head = a->after;
		w->known[i][a->session] = a->after;
	} else if (s->owner == i && knows && a->slice->state != SLICE_FAILED) {
		print_message("round %d: the owner %zu of %s was refused\n", w->round, i,
		              ids[a->session]);
		must_be_dead(w, i);
	} else if (a->slice->state == SLICE_FAILED) {
		CHECK_INT(a->batch->error.detail, STORE_TAKEN);
	}
	contract_batch_done(a->batch);
}

static void check_claim(struct world *w, size_t i, struct act *a)
{
	struct session *s = &w->sessions[a->session];

	if (has_claimed(a)) {
		w->released[i][a->session] = false;
		w->takes += s->owner != i;
		check_right(w, i, a->session, whats[CLAIM]);
	} else if (a->claim.result == ERR_BUSY) {
		CHECK(a->claim.node.incarnation &&
		      a->claim.node.incarnation !=
		              nodes_ops(&w->p, i)->self(w->p.all[i].c.store)->incarnation);
	} else if (a->claim.result == ERR_NOT_FOUND) {
		CHECK(s->head.seq == 0 || has_committed(&w->acts[(i + 1) % NODES]) ||
		      has_committed(&w->acts[(i + 2) % NODES]));
	} else {
		CHECK_INT(a->claim.error.detail, STORE_TAKEN);
	}
	port_store_claim_done(&a->claim);
}

/* What was begun together may have happened in any order; the one that got it owns it now. */
static void settle_session(struct world *w, size_t s)
{
	size_t owner = w->sessions[s].owner, got = 0;

	if (is_released(w, s))
		owner = NONE;
	for (size_t i = 0; i < NODES; i++)
		if (w->acts[i].session == s && !w->p.all[i].expelled &&
		    (has_committed(&w->acts[i]) || has_claimed(&w->acts[i]))) {
			owner = i;
			got++;
		}
	CHECK(got <= 1);
	w->sessions[s].owner = owner;
}

/* After a claim the owner reads the head, and it is what was acknowledged. */
static void read_head(struct world *w, size_t i, size_t s)
{
	struct writer now;

	if (w->p.all[i].expelled || w->sessions[s].owner != i)
		return;
	now = nodes_head(&w->p, i, str_from(ids[s]));
	if (is_same_head(&now, &w->sessions[s].head)) {
		w->known[i][s] = now;
		return;
	}
	print_message("round %d: node %zu reads %llu of %s, acknowledged %llu\n", w->round, i,
	              (unsigned long long)now.seq, ids[s],
	              (unsigned long long)w->sessions[s].head.seq);
	must_be_dead(w, i);
}

static void play_round(struct world *w)
{
	size_t before[NODES];

	for (size_t i = 0; i < NODES; i++) {
		before[i] = w->p.all[i].c.answered;
		begin(w, i);
	}
	for (size_t i = 0; i < NODES; i++)
		NODES_UNTIL(&w->p, is_done(&w->acts[i], &w->p.all[i], before[i]));
	for (size_t i = 0; i < NODES; i++)
		if (w->acts[i].what == APPEND)
			check_append(w, i, &w->acts[i]);
		else if (w->acts[i].what == CLAIM)
			check_claim(w, i, &w->acts[i]);
	for (size_t s = 0; s < SESSIONS; s++)
		settle_session(w, s);
	for (size_t i = 0; i < NODES; i++)
		if (has_claimed(&w->acts[i]))
			read_head(w, i, w->acts[i].session);
}

/* ---- the end ---- */

static void check_chain(struct world *w, size_t s)
{
	struct store_read r = { .kind = READ_EVENTS, .session = str_from(ids[s]) };
	struct sha256 hash = { 0 };
	uint64_t seq = 0;
	bool is_more;

	do {
		r.after = seq;
		contract_read(&w->p.all[0].c, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++) {
			CHECK_INT(r.events[i].seq, ++seq);
			hash = port_event_row_link(&hash, &r.events[i]);
			CHECK(sha256_eq(&hash, &r.events[i].hash));
		}
		is_more = r.more;
		port_store_read_done(&r);
	} while (is_more);
	CHECK_INT(seq, w->sessions[s].head.seq);
	CHECK(!seq || sha256_eq(&hash, &w->sessions[s].head.hash));
}

TEST(random_histories_of_several_nodes_leave_one_chain_and_one_owner)
{
	static struct world w;
	const char *given = getenv("THOLE_SEED");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)clock_wall_ms();
	print_message("THOLE_SEED=%llu\n", (unsigned long long)seed);
	nodes_start(&w.p, NODES);
	for (size_t s = 0; s < SESSIONS; s++)
		w.sessions[s] = (struct session){ { .id = str_from(ids[s]) }, NONE };
	for (size_t i = 0; i < NODES; i++)
		forget_node(&w, i);
	for (w.round = 0; w.round < ROUNDS; w.round++) {
		play_round(&w);
		end_some(&w);
	}
	start_again(&w, 0);
	for (size_t s = 0; s < SESSIONS; s++)
		check_chain(&w, s);
	print_message("%u commits, %u fenced, %u conflicts, %u taken, %u ends, %u found dead, "
	              "%u cuts\n",
	              w.commits, w.fences, w.conflicts, w.takes, w.ends, w.deaths, w.cuts);
	CHECK(w.commits > ROUNDS / 10 && w.takes > 5);
	nodes_done(&w.p);
}

TEST_MAIN()
