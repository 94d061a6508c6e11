/*
 * How SQLite's store appends: groups, heads in memory, bounded scans, threads.  What every
 * store does is tested in tests/store.
 */
#include "test_store_fixture.h"

TEST(a_type_filter_skips_rows_and_says_how_far_it_looked)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	uint64_t threes[4] = { 1u << 3 }, none[4] = { 0, 0, 0, 1u << 5 };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 5000, 10));

	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .types = threes };
	size_t found = 0;
	bool more = true;

	while (more) {
		ask(&g, &r);
		for (size_t i = 0; i < r.event_count; i++)
			CHECK_INT(r.events[i].seq, 3 + 7 * found++);
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	CHECK_INT(found, 714);
	CHECK_INT(r.after, 5000);

	r.after = 0;
	r.types = none;
	ask(&g, &r);
	CHECK_INT(r.event_count, 0);
	CHECK(r.more);
	CHECK_INT(r.scanned, 4096);
	r.after = r.scanned;
	port_store_read_done(&r);
	ask(&g, &r);
	CHECK(!r.more);
	CHECK_INT(r.scanned, 5000);
	port_store_read_done(&r);
	fixture_done(&g);
}

/* More sessions than there are slots for heads: most are looked up again. */
TEST(sessions_that_share_a_slot_keep_their_own_heads)
{
	struct fixture g;
	struct writer ws[2 * HEAD_SLOTS];

	fixture_start(&g, false);
	for (size_t i = 0; i < COUNT_OF(ws); i++)
		ws[i] = (struct writer){ .id = arena_printf(g.mem, "sess_%zu", i) };
	for (int round = 0; round < 3; round++) {
		struct slice *first = NULL;

		for (size_t i = 0; i < COUNT_OF(ws); i++) {
			struct slice *sl = slice_of(&g, &ws[i], 1, 10);

			sl->next = first;
			first = sl;
		}

		struct batch *b = batch_of(&g, first);

		g.store->ops->submit(g.store, b);
		poll_for(&g, 1);
		for (struct slice *sl = first; sl; sl = sl->next)
			CHECK_INT(sl->state, SLICE_COMMITTED);
		batch_done(b);
	}
	CHECK_INT(stats_of(&g).sessions, COUNT_OF(ws));
	CHECK_INT(stats_of(&g).events, 3 * COUNT_OF(ws));
	for (size_t i = 0; i < COUNT_OF(ws); i += 100)
		CHECK_INT(check_session(&g, ws[i].id, 0), 3);
	fixture_done(&g);
}

TEST(batches_that_wait_together_are_one_commit)
{
	struct fixture g;
	struct writer ws[8];
	struct batch *bs[40];

	fixture_start(&g, false);
	for (size_t i = 0; i < COUNT_OF(ws); i++)
		ws[i] = (struct writer){ .id = arena_printf(g.mem, "sess_%zu", i) };
	fake_ms = 1000;
	for (size_t i = 0; i < COUNT_OF(bs); i++) {
		bs[i] = batch_of(&g, slice_of(&g, &ws[i % COUNT_OF(ws)], 1, 100));
		g.store->ops->submit(g.store, bs[i]);
	}
	fake_ms = 1250;
	CHECK_INT(stats_of(&g).waiting_bytes, 4000);
	CHECK_INT(stats_of(&g).oldest_waiting_ms, 250);
	CHECK_INT(g.store->ops->poll(g.store), COUNT_OF(bs));
	CHECK_INT(stats_of(&g).commits, 1);
	CHECK_INT(stats_of(&g).events, 40);
	CHECK_INT(stats_of(&g).bytes, 4000);
	CHECK_INT(stats_of(&g).waiting_bytes, 0);
	CHECK_INT(stats_of(&g).oldest_waiting_ms, 0);
	CHECK(stats_of(&g).size_bytes > 4000);
	for (size_t i = 0; i < COUNT_OF(bs); i++) {
		CHECK_INT(bs[i]->first->state, SLICE_COMMITTED);
		batch_done(bs[i]);
	}
	fixture_done(&g);
}

TEST(a_transaction_is_bounded_by_bytes)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct batch *bs[6];

	fixture_start(&g, false);
	for (size_t i = 0; i < COUNT_OF(bs); i++) {
		bs[i] = batch_of(&g, slice_of(&g, &w, 1, 1500000));
		g.store->ops->submit(g.store, bs[i]);
	}
	poll_for(&g, COUNT_OF(bs));
	CHECK_INT(stats_of(&g).commits, 3);
	for (size_t i = 0; i < COUNT_OF(bs); i++)
		batch_done(bs[i]);
	CHECK_INT(check_session(&g, w.id, 0), 6);
	fixture_done(&g);
}

TEST(threads_commit_and_read_at_the_same_time)
{
	struct fixture g;
	struct writer ws[16];
	struct batch *bs[400];
	struct store_read rs[COUNT_OF(bs)] = { 0 };

	fixture_start(&g, true);
	for (size_t i = 0; i < COUNT_OF(ws); i++)
		ws[i] = (struct writer){ .id = arena_printf(g.mem, "sess_%zu", i) };
	for (size_t i = 0; i < COUNT_OF(bs); i++) {
		struct writer *w = &ws[i % COUNT_OF(ws)];

		bs[i] = batch_of(&g, slice_of(&g, w, 3, 700));
		rs[i] = (struct store_read){
			.kind = READ_EVENTS, .session = w->id, .done = count_read, .owner = &g
		};
		g.store->ops->submit(g.store, bs[i]);
		g.store->ops->read(g.store, &rs[i]);
		if (i % 20 == 0)
			poll_for(&g, 1);
		CHECK(stats_of(&g).commits <= i + 1);
	}
	poll_for(&g, 2 * COUNT_OF(bs) - g.answered);
	for (size_t i = 0; i < COUNT_OF(bs); i++) {
		CHECK_INT(bs[i]->first->state, SLICE_COMMITTED);
		CHECK_OK(rs[i].result, &rs[i].error);
		/* Head and page are of one moment. */
		CHECK(rs[i].more || rs[i].head_seq == rs[i].scanned);
		batch_done(bs[i]);
		port_store_read_done(&rs[i]);
	}
	CHECK_INT(stats_of(&g).events, 3 * COUNT_OF(bs));
	for (size_t i = 0; i < COUNT_OF(ws); i++)
		CHECK_INT(check_session(&g, ws[i].id, 0), 75);
	fixture_done(&g);
}

TEST(a_store_that_is_opened_again_goes_on)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	for (int i = 0; i < 3; i++) {
		struct slice *sl = slice_of(&g, &w, 2, 500);

		CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
		CHECK_INT(sl->first_position, 2 * i + 1);
		fixture_close(&g);
		CHECK(access(path_in(&g, "log.db-wal").ptr, F_OK) != 0);
		fixture_open(&g);
		CHECK_INT(stats_of(&g).sessions, 1);
	}
	CHECK_INT(check_session(&g, w.id, 0), 6);
	fixture_done(&g);
}

TEST_MAIN()
