/*
 * The contract of ports/store.h: a store whose server cannot be reached for a moment.
 *
 * contract_cut() breaks every connection of the store, wherever it is in its work.  For stores
 * without a server nothing happens, and the same must be true.
 */
#include "contract.h"

#define WRITERS 40
#define ROUNDS 400
#define IN_DOUBT 6 /* batches that are not waited for */

struct submitted {
	struct batch *batch;
	size_t events, moves;
};

static uint64_t seed = 88172645463325252ull;

static unsigned roll(unsigned sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % sides);
}

static void add_move(struct contract *c, struct slice *sl)
{
	sl->moves = ARENA_NEW(c->mem, struct ledger_move);
	sl->moves[0] = (struct ledger_move){ STR("day"), 1, 2 };
	sl->move_count = 1;
}

static void add_row(struct contract *c, struct slice *sl, unsigned round)
{
	sl->rows = ARENA_NEW(c->mem, struct index_row);
	sl->rows[0] = (struct index_row){
		.table = INDEX_TASK, .key = sl->session, .at = round, .status = STR("open")
	};
	sl->row_count = 1;
}

/* Some slices have events, some only a row; a batch is of up to eight sessions. */
static struct submitted submit_some(struct contract *c, struct writer *all, unsigned round)
{
	struct submitted ret = { 0 };
	struct slice *first = NULL;
	unsigned count = 1 + roll(8), from = roll(WRITERS);

	for (unsigned i = 0; i < count; i++) {
		struct writer *w = &all[(from + i) % WRITERS];
		size_t events = roll(6) || !w->seq ? 1 + roll(5) : 0;
		struct slice *sl = contract_slice(c, w, events, 20 + roll(400));

		if (events)
			add_move(c, sl);
		add_row(c, sl, round);
		ret.events += events;
		ret.moves += events > 0;
		sl->next = first;
		first = sl;
	}
	ret.batch = contract_batch(c, first);
	contract_submit(c, ret.batch);
	return ret;
}

static void init_writers(struct contract *c, struct writer *all)
{
	for (unsigned i = 0; i < WRITERS; i++)
		all[i] = (struct writer){ .id = arena_printf(c->mem, "sess_%u", i) };
}

/* Several batches may have their reply at once. */
static void wait_until(struct contract *c, size_t answered)
{
	if (c->answered < answered)
		contract_wait(c, answered - c->answered);
}

static void check_committed(struct contract *c, const struct batch *b)
{
	for (const struct slice *sl = b->first; sl; sl = sl->next) {
		struct store_read r = { .kind = READ_EVENTS,
			                .session = sl->session,
			                .after = sl->prev_seq,
			                .until = sl->prev_seq + sl->event_count };

		CHECK_INT(sl->state, SLICE_COMMITTED);
		if (!sl->event_count)
			continue;
		contract_read(c, &r);
		CHECK_INT(r.result, OK);
		CHECK_INT(r.event_count, sl->event_count);
		for (size_t i = 0; i < r.event_count; i++)
			CHECK_INT(r.events[i].position, sl->first_position + i);
		port_store_read_done(&r);
	}
}

/* All events in their order, without one that is there twice. */
static uint64_t count_all(struct contract *c)
{
	struct store_read r = { .kind = READ_ALL };
	uint64_t count = 0, last = 0;
	bool more = true;

	while (more) {
		contract_read(c, &r);
		CHECK_INT(r.result, OK);
		for (size_t i = 0; i < r.event_count; i++) {
			CHECK(r.events[i].position > last);
			last = r.events[i].position;
		}
		count += r.event_count;
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	return count;
}

TEST(a_connection_that_is_cut_loses_and_repeats_nothing)
{
	static struct submitted all[ROUNDS];
	struct contract c;
	struct writer writers[WRITERS];
	struct ledger_move *found;
	size_t events = 0, moves = 0, count;
	struct error e;

	contract_start(&c);
	init_writers(&c, writers);
	for (unsigned i = 0; i < ROUNDS; i++) {
		all[i] = submit_some(&c, writers, i);
		events += all[i].events;
		moves += all[i].moves;
		wait_until(&c, i < IN_DOUBT ? 0 : i - IN_DOUBT);
		if (roll(3) == 0)
			contract_cut(&c);
	}
	wait_until(&c, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		check_committed(&c, all[i].batch);
		contract_batch_done(all[i].batch);
	}
	CHECK_INT(count_all(&c), events);
	CHECK_INT(contract_stats(&c).events, events);
	CHECK_INT(contract_stats(&c).last_position, events);
	CHECK_OK(c.store->ops->accounts(c.store, c.mem, &found, &count, &e), &e);
	CHECK_INT(count, 1);
	CHECK_INT(found[0].spent, moves);
	CHECK_INT(found[0].reserved, 2 * moves);
	contract_done(&c);
}

TEST(a_slice_that_is_refused_is_refused_after_a_cut_as_well)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") }, other = { .id = STR("sess_a"), .seq = 7 };

	contract_start(&c);
	contract_append(&c, &w, 3);
	for (unsigned i = 0; i < 40; i++) {
		struct batch *bad = contract_batch(&c, contract_slice(&c, &other, 1, 20));
		struct batch *good = contract_batch(&c, contract_slice(&c, &w, 1, 20));

		contract_submit(&c, bad);
		contract_submit(&c, good);
		contract_cut(&c);
		contract_wait(&c, 2);
		CHECK_INT(bad->first->state, SLICE_CONFLICT);
		CHECK_INT(good->first->state, SLICE_COMMITTED);
		contract_batch_done(bad);
		contract_batch_done(good);
	}
	CHECK_INT(count_all(&c), 43);
	contract_done(&c);
}

TEST(reads_and_steps_have_their_reply_after_a_cut)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };

	contract_start(&c);
	for (unsigned i = 0; i < 40; i++) {
		struct store_read r = { .kind = READ_HEAD, .session = w.id };
		struct store_maintenance u = { .kind = MAINTENANCE_PACK, .session = w.id };

		contract_append(&c, &w, 20);
		contract_cut(&c);
		contract_read(&c, &r);
		CHECK_INT(r.result, OK);
		CHECK_INT(r.head_seq, w.seq);
		port_store_read_done(&r);
		u.seq = w.seq;
		contract_cut(&c);
		(void)contract_maintain(&c, &u);
		CHECK_INT(u.result, OK);
	}
	CHECK_INT(count_all(&c), 800);
	contract_done(&c);
}

TEST_MAIN()
