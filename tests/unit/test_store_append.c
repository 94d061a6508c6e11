/* Events are appended, alone and in groups, and read back. */
#include "test_store_fixture.h"

/* ---- appending and reading back ---- */

TEST(what_was_appended_is_read_back_byte_for_byte)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") }, again = { .id = STR("sess_a") };

	fixture_start(&g, false);

	struct slice *sl = slice_of(&g, &w, 5, 900);
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
	CHECK_INT(sl->first_position, 1);
	ask(&g, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.event_count, 5);
	CHECK(!r.more);
	CHECK_INT(r.scanned, 5);
	CHECK_INT(r.head_seq, 5);
	CHECK(sha256_eq(&r.head_hash, &w.hash));
	CHECK_INT(r.floor_seq, 0);
	for (size_t i = 0; i < 5; i++) {
		CHECK_SAME(bytes_str(r.events[i].body), body_of(g.mem, &again, i + 1, 900));
		CHECK_INT(r.events[i].position, i + 1);
		CHECK_INT(r.events[i].type, (i + 1) % 7);
	}
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(bodies_may_be_empty_or_hold_any_byte)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct str body = STR("\0\xff\xfe\0x\n");

	fixture_start(&g, false);

	struct slice *sl = slice_of(&g, &w, 2, 0);
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	for (size_t i = 0; i < 2; i++) {
		bytes_unref(sl->events[i].body);
		sl->events[i].body = bytes_new(i ? body : STR(""));
	}
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
	ask(&g, &r);
	CHECK_INT(r.event_count, 2);
	CHECK_STR(bytes_str(r.events[0].body), "");
	CHECK_SAME(bytes_str(r.events[1].body), body);
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(pages_are_cut_by_rows_and_by_bytes)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 300, 2000));

	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	ask(&g, &r);
	CHECK_INT(r.event_count, 256 * 1024 / 2000);
	CHECK(r.more);
	port_store_read_done(&r);

	r.max_bytes = 10; /* one row always fits */
	ask(&g, &r);
	CHECK_INT(r.event_count, 1);
	CHECK(r.more);
	CHECK_INT(r.scanned, 1);
	port_store_read_done(&r);

	r.max_bytes = 0;
	r.after = 290;
	r.until = 293;
	ask(&g, &r);
	CHECK_INT(r.event_count, 3);
	CHECK(!r.more);
	port_store_read_done(&r);

	r.until = 0;
	r.max_rows = 10; /* exactly what is left */
	ask(&g, &r);
	CHECK_INT(r.event_count, 10);
	CHECK(!r.more);
	port_store_read_done(&r);
	CHECK_INT(check_session(&g, w.id, 7), 300);
	fixture_done(&g);
}

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

TEST(all_sessions_are_followed_in_the_order_of_commit)
{
	struct fixture g;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };

	fixture_start(&g, false);

	struct slice *first = slice_of(&g, &a, 2, 50);

	first->next = slice_of(&g, &b, 3, 50);

	struct batch *both = batch_of(&g, first);

	g.store->ops->submit(g.store, both);
	poll_for(&g, 1);
	CHECK_INT(first->next->first_position, 3);
	batch_done(both);
	commit(&g, slice_of(&g, &a, 1, 50));

	static const char *const want[] = { "sess_a", "sess_a", "sess_b",
		                            "sess_b", "sess_b", "sess_a" };
	struct store_read r = { .kind = READ_ALL, .max_rows = 4 };
	size_t seen = 0;

	for (bool more = true; more;) {
		ask(&g, &r);
		for (size_t i = 0; i < r.event_count; i++, seen++) {
			CHECK_SAME(r.events[i].session, str_from(want[seen]));
			CHECK_INT(r.events[i].position, seen + 1);
		}
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	CHECK_INT(seen, 6);
	fixture_done(&g);
}

TEST(an_unknown_session_is_empty_and_has_no_head)
{
	struct fixture g;

	fixture_start(&g, false);

	struct store_read r = { .kind = READ_EVENTS, .session = STR("sess_x"), .after = 7 };

	ask(&g, &r);
	CHECK_INT(r.result, OK);
	CHECK_INT(r.event_count, 0);
	CHECK_INT(r.scanned, 7);
	port_store_read_done(&r);
	r = head_of(&g, STR("sess_x"));
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	fixture_done(&g);
}

/* ---- conflicts ---- */

TEST(a_conflicting_slice_leaves_the_others_committed)
{
	struct fixture g;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") },
		      c = { .id = STR("sess_c") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &a, 1, 10));
	commit(&g, slice_of(&g, &b, 1, 10));

	struct writer stale = b;

	commit(&g, slice_of(&g, &b, 1, 10));

	struct index_row row = { .table = INDEX_TASK, .key = STR("task_lost") };
	struct slice *s1 = slice_of(&g, &a, 2, 10), *s2 = slice_of(&g, &stale, 2, 10),
		     *s3 = slice_of(&g, &c, 2, 10);
	struct batch *all = batch_of(&g, s1);

	s1->next = s2;
	s2->next = s3;
	s2->rows = &row;
	s2->row_count = 1;
	g.store->ops->submit(g.store, all);
	poll_for(&g, 1);
	CHECK_INT(s1->state, SLICE_COMMITTED);
	CHECK_INT(s2->state, SLICE_CONFLICT);
	CHECK_INT(s3->state, SLICE_COMMITTED);
	CHECK_INT(all->error.code, OK);
	batch_done(all);

	struct store_read r = { .kind = READ_INDEX, .table = INDEX_TASK, .key = row.key };

	ask(&g, &r);
	CHECK_INT(r.row_count, 0);
	port_store_read_done(&r);
	CHECK_INT(check_session(&g, a.id, 0), 3);
	CHECK_INT(check_session(&g, b.id, 0), 2);
	CHECK_INT(check_session(&g, c.id, 0), 2);
	fixture_done(&g);
}

TEST(a_slice_with_the_right_sequence_and_another_hash_conflicts)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 3, 10));

	struct writer other = w;

	other.hash.state[31] ^= 1;
	CHECK_INT(commit(&g, slice_of(&g, &other, 1, 10)), SLICE_CONFLICT);
	fixture_close(&g);
	fixture_open(&g);
	other = w;
	other.hash.state[0] ^= 1;
	CHECK_INT(commit(&g, slice_of(&g, &other, 1, 10)), SLICE_CONFLICT);
	CHECK_INT(commit(&g, slice_of(&g, &w, 1, 10)), SLICE_COMMITTED);
	fixture_done(&g);
}

TEST(what_follows_a_conflict_in_the_same_group_conflicts_too)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a"), .seq = 4 };

	fixture_start(&g, false);

	struct batch *one = batch_of(&g, slice_of(&g, &w, 1, 10));
	struct batch *two = batch_of(&g, slice_of(&g, &w, 1, 10));

	g.store->ops->submit(g.store, one);
	g.store->ops->submit(g.store, two);
	poll_for(&g, 2);
	CHECK_INT(one->first->state, SLICE_CONFLICT);
	CHECK_INT(two->first->state, SLICE_CONFLICT);
	CHECK_INT(stats_of(&g).commits, 0);
	batch_done(one);
	batch_done(two);
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

/* ---- grouping, waiting, closing ---- */

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

TEST(close_finishes_and_answers_what_was_handed_over)
{
	for (int threads = 0; threads < 2; threads++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };

		fixture_start(&g, threads);

		struct batch *b = batch_of(&g, slice_of(&g, &w, 3, 100));
		struct store_read r = {
			.kind = READ_HEAD, .session = w.id, .done = count_read, .owner = &g
		};

		g.store->ops->submit(g.store, b);
		g.store->ops->read(g.store, &r);
		fixture_close(&g);
		CHECK_INT(g.answered, 2);
		CHECK_INT(b->first->state, SLICE_COMMITTED);
		batch_done(b);
		port_store_read_done(&r);
		fixture_open(&g);
		CHECK_INT(check_session(&g, w.id, 0), 3);
		fixture_done(&g);
	}
}

static struct store *submit_to;
static struct batch *submit_later;
static void submit_once_more(struct batch *b)
{
	count_batch(b);
	submit_to->ops->submit(submit_to, submit_later);
}

TEST(what_is_submitted_while_closing_is_answered_closed)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, true);

	struct batch *b = batch_of(&g, slice_of(&g, &w, 1, 100));

	submit_to = g.store;
	submit_later = batch_of(&g, slice_of(&g, &w, 1, 100));
	b->done = submit_once_more;
	g.store->ops->submit(g.store, b);
	fixture_close(&g);
	CHECK_INT(b->first->state, SLICE_COMMITTED);
	CHECK_INT(submit_later->first->state, SLICE_FAILED);
	CHECK_INT(submit_later->error.code, ERR_CLOSED);
	batch_done(b);
	batch_done(submit_later);
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
