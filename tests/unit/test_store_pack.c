/* Idle events: packed, trimmed, erased; reads stay the same. */
#include "test_store_fixture.h"

#define TEXT_BIG 300

/* ---- pictures of the whole log ---- */

/* Everything that a reader can see, in one hash per way of reading. */
struct picture {
	struct sha256 all;
	uint64_t events;
};

static void see(struct sha256_stream *h, const struct event_row *row, struct str session)
{
	uint64_t numbers[] = { row->position, row->seq, row->type };

	sha256_more(h, str_of((char *)numbers, sizeof numbers));
	sha256_more(h, session);
	sha256_more(h, str_of((char *)row->hash.state, SHA256_BYTES));
	sha256_more(h, bytes_str(row->body));
}

static struct picture picture_of(struct fixture *g, struct store_read r)
{
	struct picture p = { .events = 0 };
	struct sha256_stream h;
	bool more = true;

	sha256_begin(&h);
	while (more) {
		uint64_t before = r.after;

		ask(g, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++) {
			see(&h, &r.events[i], r.kind == READ_ALL ? r.events[i].session : r.session);
			p.events++;
		}
		more = r.more;
		r.after = r.scanned;
		CHECK(!more || r.after > before);
		port_store_read_done(&r);
	}
	p.all = sha256_end(&h);
	return p;
}

static const uint64_t some_types[4] = { 1 << 2 | 1 << 5 };

/* The same log, read in many ways. */
#define WAYS 8
static void pictures_of(struct fixture *g, struct str session, struct picture out[WAYS])
{
	struct store_read one = { .kind = READ_EVENTS, .session = session };
	struct store_read all = { .kind = READ_ALL };
	struct store_read r;
	int n = 0;

	out[n++] = picture_of(g, one);
	out[n++] = picture_of(g, all);
	r = one, r.max_rows = 7;
	out[n++] = picture_of(g, r);
	r = all, r.max_rows = 7;
	out[n++] = picture_of(g, r);
	r = one, r.types = some_types;
	out[n++] = picture_of(g, r);
	r = all, r.types = some_types, r.max_bytes = 2000;
	out[n++] = picture_of(g, r);
	r = one, r.after = 100, r.until = 333;
	out[n++] = picture_of(g, r);
	r = all, r.after = 501;
	out[n++] = picture_of(g, r);
	CHECK_INT(n, WAYS);
}

static void check_same(const struct picture a[WAYS], const struct picture b[WAYS])
{
	for (int i = 0; i < WAYS; i++) {
		CHECK_INT(a[i].events, b[i].events);
		CHECK(sha256_eq(&a[i].all, &b[i].all));
	}
}

static uint64_t pack(struct fixture *g, struct str session, uint64_t through)
{
	struct store_maintenance u = { .kind = MAINTENANCE_PACK,
		                       .session = session,
		                       .seq = through };

	return maintenance_all(g, &u);
}

/* Three sessions that write in turns. */
static void write_three(struct fixture *g, struct writer w[3], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		struct slice *sl = slice_of(g, &w[0], 3, TEXT_BIG);

		sl->next = slice_of(g, &w[1], (size_t)(i % 5), 20);
		if (i % 3 == 0)
			sl->next->next = slice_of(g, &w[2], 1, 2 * TEXT_BIG);
		CHECK_INT(commit(g, sl), SLICE_COMMITTED);
	}
}

#define THREE                                                                                      \
	{                                                                                          \
		{ .id = STR("sess_a") }, { .id = STR("sess_b") },                                  \
		{                                                                                  \
			.id = STR("sess_c")                                                        \
		}                                                                                  \
	}

/* ---- packing ---- */

TEST(a_packed_log_reads_the_same_in_every_way)
{
	struct fixture g;
	struct writer w[3] = THREE;
	struct picture before[WAYS], after[WAYS];

	fixture_start(&g, false);
	write_three(&g, w, 400);
	pictures_of(&g, w[0].id, before);
	CHECK_INT(before[0].events, 1200);
	CHECK_INT(pack(&g, w[0].id, 700), 700);
	pictures_of(&g, w[0].id, after);
	check_same(before, after);
	CHECK_INT(pack(&g, w[2].id, w[2].seq), w[2].seq);
	CHECK_INT(pack(&g, w[0].id, w[0].seq), 500);
	pictures_of(&g, w[0].id, after);
	check_same(before, after);
	CHECK_INT(pack(&g, w[1].id, w[1].seq), w[1].seq);
	pictures_of(&g, w[0].id, after);
	check_same(before, after);
	CHECK_INT(sql_int(&g, "SELECT count(*) FROM event"), 0);
	CHECK_INT(check_session(&g, w[0].id, 0), 1200);
	CHECK_INT(check_session(&g, w[1].id, 3), w[1].seq);

	fixture_close(&g); /* positions and sequences continue after what is packed */
	fixture_open(&g);
	write_three(&g, w, 10);
	pictures_of(&g, w[0].id, before);
	CHECK_INT(before[1].events, w[0].seq + w[1].seq + w[2].seq);
	pack(&g, w[0].id, w[0].seq);
	pictures_of(&g, w[0].id, after);
	check_same(before, after);
	fixture_done(&g);
}

TEST(bodies_of_any_kind_and_size_are_packed)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct picture before[WAYS], after[WAYS];

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 20, 40));
	commit(&g, slice_of(&g, &w, 1, PACK_BYTES + 1000));
	commit(&g, slice_of(&g, &w, 20, PACK_BYTES / 3));
	pictures_of(&g, w.id, before);
	CHECK_INT(pack(&g, w.id, w.seq), 41);
	pictures_of(&g, w.id, after);
	check_same(before, after);
	fixture_done(&g);
}

TEST(small_packs_are_filled_up_and_few_events_stay_rows)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 3, 40));
	CHECK_INT(pack(&g, w.id, w.seq), 0); /* too few to be worth it */
	for (int i = 0; i < 40; i++) {
		commit(&g, slice_of(&g, &w, 20, 40));
		CHECK(pack(&g, w.id, w.seq) > 0);
		CHECK_INT(pack(&g, w.id, w.seq), 0);
	}
	CHECK_INT(w.seq, 803);
	CHECK(sql_int(&g, "SELECT count(*) FROM pack") <= 4);
	CHECK_INT(sql_int(&g, "SELECT count(*) FROM event"), 0);
	CHECK_INT(check_session(&g, w.id, 0), 803);
	fixture_done(&g);
}

TEST(an_event_that_does_not_fit_its_chain_is_not_packed)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_PACK, .session = w.id, .seq = 40 };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 40, 40));
	fixture_close(&g);
	edit_file(&g, "UPDATE event SET body = CAST('{}' AS BLOB) WHERE seq = 30");
	fixture_open(&g);
	maintenance(&g, &u);
	CHECK_INT(u.result, ERR_CORRUPT);
	CHECK(strstr(u.error.message, "event 30 of sess_a"));
	CHECK_INT(u.count, 0);
	CHECK_INT(sql_int(&g, "SELECT count(*) FROM event"), 40);
	CHECK_INT(commit(&g, slice_of(&g, &w, 1, 40)), SLICE_COMMITTED); /* the store lives on */
	fixture_done(&g);
}

TEST(a_damaged_pack_harms_its_own_session_only)
{
	struct fixture g;
	struct writer w[3] = THREE;
	struct store_read r = { .kind = READ_EVENTS, .session = w[0].id };

	fixture_start(&g, false);
	write_three(&g, w, 30);
	for (int i = 0; i < 3; i++)
		pack(&g, w[i].id, w[i].seq);
	fixture_close(&g);
	edit_file(&g, "UPDATE pack SET body = substr(body, 1, length(body) - 9)"
	              " WHERE session_no = 1");
	fixture_open(&g);
	ask(&g, &r);
	CHECK_INT(r.result, ERR_CORRUPT);
	CHECK(strstr(r.error.message, "event 1 of sess_"));
	CHECK(r.is_corrupt && r.corrupt_from == 1 && r.corrupt_to == 90);
	port_store_read_done(&r);
	CHECK_INT(check_session(&g, w[1].id, 0), w[1].seq);
	CHECK_INT(commit(&g, slice_of(&g, &w[0], 1, 40)), SLICE_COMMITTED);
	fixture_done(&g);
}

/* Changes one letter of the text of the only pack, and makes a proper frame of it again. */
static void tamper(struct fixture *g, size_t at)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf head = { 0 }, text = { 0 };
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	struct pack p;

	CHECK(sqlite3_open(path_in(g, "log.db").ptr, &db) == SQLITE_OK);
	sqlite3_prepare_v2(db, "SELECT head, body FROM pack", -1, &st, NULL);
	CHECK(sqlite3_step(st) == SQLITE_ROW);
	CHECK(pack_read_head(mem, sqlite_conn_column_str(st, 0), 1, &p));
	CHECK(pack_read_text(mem, sqlite_conn_column_str(st, 1), &p));
	sqlite3_finalize(st);
	((char *)p.text.ptr)[at]++;
	pack_write(&p, &head, &text);
	sqlite3_prepare_v2(db, "UPDATE pack SET body = ?", -1, &st, NULL);
	sqlite3_bind_blob64(st, 1, text.ptr, text.len, SQLITE_STATIC);
	CHECK(sqlite3_step(st) == SQLITE_DONE);
	sqlite3_finalize(st);
	sqlite3_close(db);
	buf_done(&head);
	buf_done(&text);
}

TEST(a_changed_body_in_a_pack_is_found_where_it_is)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 60, 100));
	pack(&g, w.id, w.seq);
	fixture_close(&g);
	tamper(&g, 37 * 100 + 60); /* in the body of sequence 38 */
	fixture_open(&g);
	ask(&g, &r);
	CHECK_INT(r.result, ERR_CORRUPT);
	CHECK(r.is_corrupt && r.corrupt_from == 38 && r.corrupt_to == 60);
	CHECK_INT(r.event_count, 37);
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(what_packing_leaves_free_goes_back_to_the_disk)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct stat before, after;

	fixture_start(&g, false);
	for (int i = 0; i < 40; i++)
		commit(&g, slice_of(&g, &w, 50, 700));
	fixture_close(&g);
	CHECK(stat(path_in(&g, "log.db").ptr, &before) == 0);
	fixture_open(&g);
	pack(&g, w.id, w.seq);
	for (int i = 0; i < 20; i++)
		g.store->ops->poll(g.store); /* idle */
	CHECK_INT(check_session(&g, w.id, 0), 2000);
	fixture_close(&g);
	CHECK(stat(path_in(&g, "log.db").ptr, &after) == 0);
	CHECK(after.st_size < before.st_size / 3);
	fixture_done(&g);
}

TEST(a_snapshot_and_an_append_go_on_behind_a_pack)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_SNAPSHOT,
		                .session = w.id,
		                .snapshot_version = STR("v1") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 50, 40));
	pack(&g, w.id, w.seq);

	struct slice *sl = slice_of(&g, &w, 0, 0);

	sl->snapshot = STR("state at fifty");
	sl->snapshot_seq = 50;
	sl->snapshot_version = STR("v1");
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
	ask(&g, &r);
	CHECK_STR(r.snapshot, "state at fifty");
	CHECK(sha256_eq(&r.snapshot_hash, &w.hash));
	port_store_read_done(&r);
	CHECK_INT(commit(&g, slice_of(&g, &w, 5, 40)), SLICE_COMMITTED);
	CHECK_INT(check_session(&g, w.id, 0), 55);
	fixture_done(&g);
}

TEST(sessions_that_are_not_packed_are_listed)
{
	struct fixture g;
	struct writer w[3] = THREE;
	struct store_read r = { .kind = READ_LOOSE, .max_rows = 1 };
	int seen = 0;

	fixture_start(&g, false);
	write_three(&g, w, 30);
	pack(&g, w[1].id, w[1].seq);
	for (bool more = true; more;) {
		ask(&g, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.row_count; i++, seen++) {
			CHECK_SAME(r.rows[i].session, w[seen * 2].id);
			CHECK_INT(r.rows[i].at, w[seen * 2].seq);
		}
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	CHECK_INT(seen, 2);
	fixture_done(&g);
}

TEST(packing_goes_on_beside_commits_and_reads)
{
	struct fixture g;
	struct writer w[3] = THREE;

	fixture_start(&g, true);
	write_three(&g, w, 100);
	for (int i = 0; i < 20; i++) {
		struct store_maintenance u = { .kind = MAINTENANCE_PACK,
			                       .session = w[i % 3].id,
			                       .seq = w[i % 3].seq,
			                       .done = count_maintenance,
			                       .owner = &g };
		struct batch *b = batch_of(&g, slice_of(&g, &w[(i + 1) % 3], 10, TEXT_BIG));
		struct store_read r = {
			.kind = READ_ALL, .after = (uint64_t)i * 7, .done = count_read, .owner = &g
		};

		g.store->ops->maintenance(g.store, &u);
		g.store->ops->submit(g.store, b);
		g.store->ops->read(g.store, &r);
		poll_for(&g, 3);
		CHECK_OK(u.result, &u.error);
		CHECK_INT(b->first->state, SLICE_COMMITTED);
		CHECK_INT(r.event_count, 256);
		port_store_read_done(&r);
		batch_done(b);
	}
	for (int i = 0; i < 3; i++)
		CHECK_INT(check_session(&g, w[i].id, 0), w[i].seq);
	fixture_done(&g);
}

TEST(a_running_maintenance_step_is_answered_by_close)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, true);
	commit(&g, slice_of(&g, &w, 100, 40));

	struct store_maintenance u = { .kind = MAINTENANCE_PACK,
		                       .session = w.id,
		                       .seq = w.seq,
		                       .done = count_maintenance,
		                       .owner = &g };
	int before = g.answered;

	g.store->ops->maintenance(g.store, &u);
	fixture_close(&g);
	CHECK_INT(g.answered, before + 1);
	CHECK_OK(u.result, &u.error);
	CHECK_INT(u.count, 100);
	fixture_open(&g);
	CHECK_INT(check_session(&g, w.id, 0), 100);
	fixture_done(&g);
}

/* ---- removing the beginning ---- */

static struct store_read cut(struct fixture *g, struct str session, uint64_t through)
{
	struct store_maintenance u = {
		.kind = MAINTENANCE_CUT, .session = session, .seq = through, .ref = STR("out_state")
	};

	maintenance_all(g, &u);
	return head_of(g, session);
}

/* From the floor on: gap-free, chained, and ending at the head. */
static void check_above(struct fixture *g, struct str id, uint64_t floor, const struct sha256 *hash,
                        uint64_t end)
{
	struct store_read r = { .kind = READ_EVENTS, .session = id };
	struct sha256 at = *hash;
	uint64_t seq = floor;
	bool more = true;

	while (more) {
		ask(g, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++) {
			at = port_event_row_link(&at, &r.events[i]);
			CHECK_INT(r.events[i].seq, ++seq);
			CHECK(sha256_eq(&at, &r.events[i].hash));
		}
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	CHECK_INT(seq, end);
}

TEST(the_beginning_of_a_session_is_removed_and_its_floor_stays)
{
	/* in rows, in packs, inside a pack, and with the rest in rows */
	static const struct {
		uint64_t packed, through;
	} cases[] = { { 0, 30 }, { 0, 1500 }, { 1600, 512 }, { 1600, 700 }, { 1000, 1200 } };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };
		struct sha256 hash;

		fixture_start(&g, false);
		commit(&g, slice_of(&g, &w, cases[i].through, 40));
		hash = w.hash;
		commit(&g, slice_of(&g, &w, 1600 - cases[i].through, 40));
		pack(&g, w.id, cases[i].packed);

		struct store_read r = cut(&g, w.id, cases[i].through);

		CHECK_INT(r.floor_seq, cases[i].through);
		CHECK(sha256_eq(&r.floor_hash, &hash));
		CHECK_STR(r.floor_ref, "out_state");
		CHECK_INT(r.head_seq, 1600);
		port_store_read_done(&r);
		CHECK_INT(stats_of(&g).events, 1600 - cases[i].through);
		fixture_close(&g);
		fixture_open(&g);
		CHECK_INT(stats_of(&g).events, 1600 - cases[i].through);
		check_above(&g, w.id, cases[i].through, &hash, 1600);
		CHECK_INT(commit(&g, slice_of(&g, &w, 1, 40)), SLICE_COMMITTED);
		pack(&g, w.id, w.seq);
		check_above(&g, w.id, cases[i].through, &hash, 1601);
		fixture_done(&g);
	}
}

/* Two steps that were planned on the same log: the second would bring back what the first removed. */
TEST(a_step_that_was_planned_on_another_log_writes_nothing)
{
	static const enum maintenance_kind kinds[] = { MAINTENANCE_CUT, MAINTENANCE_ERASE };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };
		struct store_maintenance first = { .kind = kinds[i],
			                           .session = w.id,
			                           .seq = 7,
			                           .ref = STR("out_state"),
			                           .body = STR("{}") };
		struct store_maintenance second = { .kind = MAINTENANCE_PACK,
			                            .session = w.id,
			                            .seq = 40 };

		fixture_start(&g, false);
		commit(&g, slice_of(&g, &w, 20, 400));
		pack(&g, w.id, 20);
		commit(&g, slice_of(&g, &w, 20, 400));
		first.done = second.done = count_maintenance;
		first.owner = second.owner = &g;
		g.store->ops->maintenance(g.store, &first);
		g.store->ops->maintenance(g.store, &second);
		poll_for(&g, 2);
		CHECK_OK(first.result, &first.error);
		CHECK(second.result == OK || second.result == ERR_BUSY);
		struct store_read r = { .kind = READ_EVENTS, .session = w.id, .max_rows = 10 };

		ask(&g, &r);
		CHECK_INT(r.events[0].seq, kinds[i] == MAINTENANCE_CUT ? 8 : 1);
		CHECK(kinds[i] == MAINTENANCE_CUT || r.events[6].is_erased);
		port_store_read_done(&r);
		fixture_done(&g);
	}
}

TEST(the_newest_event_is_never_removed)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_CUT, .session = w.id, .seq = 10 };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 10, 40));
	maintenance(&g, &u);
	CHECK_INT(u.result, ERR_INVALID);
	u.session = STR("sess_unknown");
	maintenance(&g, &u);
	CHECK_INT(u.result, ERR_NOT_FOUND);
	CHECK_INT(check_session(&g, w.id, 0), 10);
	fixture_done(&g);
}

TEST(small_blobs_go_with_the_events_that_brought_them)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct blob_row blobs[] = { { STR("out_old"), STR("text/plain"), STR("old") },
		                    { STR("out_state"), STR("text/plain"), STR("state") },
		                    { STR("out_new"), STR("text/plain"), STR("new") } };
	static const bool stays[] = { false, true, true };

	fixture_start(&g, false);
	for (int i = 0; i < 3; i++) {
		struct slice *sl = slice_of(&g, &w, 10, 40);

		sl->blobs = &blobs[i];
		sl->blob_count = 1;
		commit(&g, sl);
	}

	struct store_read head = cut(&g, w.id, 25);

	port_store_read_done(&head);
	for (int i = 0; i < 3; i++) {
		struct store_read r = { .kind = READ_BLOB, .key = blobs[i].ref };

		ask(&g, &r);
		CHECK_INT(r.result, stays[i] ? OK : ERR_NOT_FOUND);
		port_store_read_done(&r);
	}
	fixture_done(&g);
}

TEST(a_blob_of_no_session_stays_when_events_leave)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_BLOB, .key = STR("out_settings") }, head;
	struct error e;

	fixture_start(&g, true);
	for (int i = 0; i < 2; i++)
		CHECK_OK(g.store->ops->keep_blob(g.store, r.key, STR("application/json"),
		                                 i ? STR("other") : STR("{}"), &e),
		         &e);
	commit(&g, slice_of(&g, &w, 30, 40));
	head = cut(&g, w.id, 25);
	port_store_read_done(&head);
	fixture_close(&g);
	fixture_open(&g);
	ask(&g, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_STR(r.blob.data, "{}");
	CHECK_STR(r.blob.media_type, "application/json");
	port_store_read_done(&r);
	fixture_done(&g);
}

/* ---- erasing ---- */

TEST(an_erased_body_leaves_its_digest_in_the_chain)
{
	for (int packed = 0; packed < 2; packed++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") };
		struct sha256 none = { 0 };
		struct store_maintenance u = { .kind = MAINTENANCE_ERASE,
			                       .session = w.id,
			                       .seq = 17,
			                       .body = STR("{\"erased\":true}") };

		fixture_start(&g, false);
		commit(&g, slice_of(&g, &w, 30, 40));
		if (packed)
			pack(&g, w.id, w.seq);
		maintenance(&g, &u);
		CHECK_OK(u.result, &u.error);
		CHECK_INT(u.count, 1);
		maintenance(&g, &u);
		CHECK_INT(u.count, 0); /* once is enough */

		struct store_read r = { .kind = READ_EVENTS, .session = w.id, .after = 16 };

		ask(&g, &r);
		CHECK(r.events[0].is_erased && !r.events[1].is_erased);
		CHECK_SAME(bytes_str(r.events[0].body), STR("{\"erased\":true}"));
		port_store_read_done(&r);
		check_above(&g, w.id, 0, &none, 30);
		pack(&g, w.id, w.seq); /* what was erased stays so when it is packed */
		check_above(&g, w.id, 0, &none, 30);
		u.seq = 31;
		maintenance(&g, &u);
		CHECK_INT(u.result, ERR_NOT_FOUND);
		fixture_done(&g);
	}
}

/* ---- idempotency records ---- */

TEST(old_idempotency_records_are_forgotten_in_steps)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_PURGE, .before = 1000 };

	fixture_start(&g, false);
	for (int i = 0; i < 1200; i++) {
		struct slice *sl = slice_of(&g, &w, 1, 20);
		struct idem_row *idem = ARENA_NEW(g.mem, struct idem_row);

		*idem = (struct idem_row){ .reply = STR("{}"), .seq = w.seq, .at = i };
		memcpy(idem->key.state, &i, sizeof i);
		sl->idem = idem;
		commit(&g, sl);
	}
	maintenance(&g, &u);
	CHECK(u.more && u.count < 1000);
	CHECK_INT(u.count + maintenance_all(&g, &u), 1000);
	CHECK_INT(sql_int(&g, "SELECT min(at) FROM idem"), 1000);
	CHECK_INT(sql_int(&g, "SELECT count(*) FROM idem"), 200);
	fixture_done(&g);
}

/* ---- a file of the first format ---- */

static char *read_whole(const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	CHECK(f);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	return buf_take(&b, &n);
}

TEST(a_file_of_format_1_is_migrated_and_packed)
{
	struct fixture g;
	char *sql = read_whole("tests/formats/log-format-1.sql");
	struct store_read r = { .kind = READ_ALL, .max_rows = 1 };
	struct picture before[WAYS], after[WAYS];
	struct str session;

	fixture_init(&g, false);
	edit_file(&g, sql);
	free(sql);
	CHECK_INT(sql_int(&g, "PRAGMA user_version"), 1);
	fixture_open(&g);
	CHECK_INT(sql_int(&g, "PRAGMA user_version"), STORE_FORMAT);
	ask(&g, &r);
	session = arena_keep(g.mem, r.events[0].session);
	port_store_read_done(&r);
	CHECK_INT(check_session(&g, session, 0), 26);
	pictures_of(&g, session, before);
	CHECK_INT(pack(&g, session, 26), 26);
	pictures_of(&g, session, after);
	check_same(before, after);
	fixture_close(&g);
	fixture_open(&g); /* and is a file of the present one from then on */
	CHECK_INT(check_session(&g, session, 0), 26);
	fixture_done(&g);
}

TEST_MAIN()
