/* What is stored along with events: records, snapshots, small blobs and index rows. */
#include "test_store_fixture.h"

/* ---- what rides along ---- */

TEST(an_idempotency_record_comes_back_with_its_session)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct idem_row idem = { .key = sha256_of(STR("k")),
		                 .body = sha256_of(STR("b")),
		                 .reply = STR("{\"ok\":true}"),
		                 .seq = 2,
		                 .at = 1700000000123 };

	fixture_start(&g, false);

	struct store_read r = { .kind = READ_IDEM, .idem_key = idem.key };

	ask(&g, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);

	struct slice *sl = slice_of(&g, &w, 2, 10);

	sl->idem = &idem;
	commit(&g, sl);
	ask(&g, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_SAME(r.idem.reply, idem.reply);
	CHECK_SAME(r.idem_session, w.id);
	CHECK_INT(r.idem.seq, 2);
	CHECK_INT(r.idem.at, idem.at);
	CHECK(sha256_eq(&r.idem.body, &idem.body) && sha256_eq(&r.idem.key, &idem.key));
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(a_snapshot_replaces_the_last_one_and_knows_its_hash)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };

	fixture_start(&g, false);
	commit(&g, slice_of(&g, &w, 3, 10));

	struct sha256 third = w.hash;
	struct slice *sl = slice_of(&g, &w, 2, 10);

	sl->snapshot = STR("state at five");
	sl->snapshot_seq = 5;
	sl->snapshot_version = STR("v1");
	commit(&g, sl);

	struct store_read r = { .kind = READ_SNAPSHOT,
		                .session = w.id,
		                .snapshot_version = STR("v1") };

	ask(&g, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_STR(r.snapshot, "state at five");
	CHECK_INT(r.snapshot_seq, 5);
	CHECK(sha256_eq(&r.snapshot_hash, &w.hash));
	port_store_read_done(&r);

	sl = slice_of(&g, &w, 0, 0); /* in a separate slice, of an earlier state */
	sl->snapshot = STR("state at three");
	sl->snapshot_seq = 3;
	sl->snapshot_version = STR("v2");
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);
	CHECK_INT(sl->first_position, 0);
	ask(&g, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	r.snapshot_version = STR("v2");
	ask(&g, &r);
	CHECK_STR(r.snapshot, "state at three");
	CHECK(sha256_eq(&r.snapshot_hash, &third));
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(a_small_blob_is_kept_as_it_was_first_written)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct blob_row blobs[] = {
		{ .ref = STR("in_1"), .media_type = STR("text/plain"), .data = STR("a\0b") },
		{ .ref = STR("in_2"), .data = STR("") },
		{ .ref = STR("in_1"), .data = STR("other") },
	};

	fixture_start(&g, false);

	struct slice *sl = slice_of(&g, &w, 1, 10);

	sl->blobs = blobs;
	sl->blob_count = COUNT_OF(blobs);
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);

	struct store_read r = { .kind = READ_BLOB, .key = STR("in_1") };

	ask(&g, &r);
	CHECK_STR(r.blob.data, "a\0b");
	CHECK_STR(r.blob.media_type, "text/plain");
	port_store_read_done(&r);
	r.key = STR("in_2");
	ask(&g, &r);
	CHECK_STR(r.blob.data, "");
	CHECK(!str_is(r.blob.media_type));
	port_store_read_done(&r);
	r.key = STR("in_3");
	ask(&g, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	fixture_done(&g);
}

TEST(a_read_that_is_repeated_is_the_same_read)
{
	struct store_read r;

	memset(&r, 0x11, sizeof r);
	r.event_count = 0;
	r.mem = NULL;
	port_store_read_done(&r);
	for (size_t i = 0; i < sizeof r; i++)
		CHECK_INT(((unsigned char *)&r)[i],
		          i < offsetof(struct store_read, mem) ? 0x11 : 0);
}

TEST(meta_values_are_kept)
{
	struct fixture g;
	struct str value = STR_NONE;
	struct error e;

	fixture_start(&g, true);
	CHECK_INT(g.store->ops->get_meta(g.store, g.mem, STR("runtime"), &value, &e),
	          ERR_NOT_FOUND);
	CHECK_OK(g.store->ops->set_meta(g.store, STR("runtime"), STR("rt_1"), &e), &e);
	CHECK_OK(g.store->ops->set_meta(g.store, STR("runtime"), STR("rt_2"), &e), &e);
	fixture_close(&g);
	fixture_open(&g);
	CHECK_OK(g.store->ops->get_meta(g.store, g.mem, STR("runtime"), &value, &e), &e);
	CHECK_STR(value, "rt_2");
	fixture_done(&g);
}

/* ---- index rows ---- */

#define ROWS 1000

/* 1,000 rows over two sessions, with only seven different times. */
static void fill_index(struct fixture *g, enum index_table table, struct writer ws[2])
{
	struct slice *slices[2];

	for (size_t s = 0; s < 2; s++) {
		slices[s] = slice_of(g, &ws[s], 1, 10);
		slices[s]->rows = ARENA_ARRAY(g->mem, struct index_row, ROWS);
	}
	for (size_t i = 0; i < ROWS; i++) {
		struct slice *sl = slices[i % 2];

		/* 7919 is prime: keys come in no order */
		sl->rows[sl->row_count++] = (struct index_row){
			.table = table,
			.key = arena_printf(g->mem, "task_%04zu", i * 7919 % ROWS),
			.status = i % 3 ? STR("done") : STR("running"),
			.parent = i % 5 ? STR_NONE : STR("task_up"),
			.at = (int64_t)(i * 31 % 7) - 3,
			.open = i % 3 == 0,
			.body = arena_printf(g->mem, "{\"i\":%zu}", i),
		};
	}
	for (size_t s = 0; s < 2; s++)
		CHECK_INT(commit(g, slices[s]), SLICE_COMMITTED);
}

static int order_of(const struct index_found *a, int64_t at, struct str key)
{
	return a->at != at ? (a->at < at ? -1 : 1) : str_cmp(a->key, key);
}

/* Pages through a query by seven; every row is behind the last one.  Returns how many there were. */
static size_t walk(struct fixture *g, struct store_read r)
{
	char key[64] = "";
	int64_t at = 0;
	size_t count = 0;

	r.max_rows = 7;
	for (bool more = true; more;) {
		ask(g, &r);
		CHECK_OK(r.result, &r.error);
		CHECK(r.row_count == 7 || !r.more);
		for (size_t i = 0; i < r.row_count; i++, count++) {
			const struct index_found *row = &r.rows[i];
			int order = count ? order_of(row, at, str_from(key)) : 0;

			CHECK(!count || (r.newest_first ? order < 0 : order > 0));
			CHECK(!str_is(r.status) || str_eq(row->status, r.status));
			CHECK(!str_is(r.parent) || str_eq(row->parent, r.parent));
			CHECK(!str_is(r.session) || str_eq(row->session, r.session));
			CHECK(!r.open_only || row->open);
			CHECK(!r.at_most || row->at <= r.at_most);
			at = row->at;
			snprintf(key, sizeof key, "%.*s", STR_ARG(row->key));
		}
		more = r.more;
		r.from_at = at;
		r.from_key = str_from(key);
		port_store_read_done(&r);
	}
	return count;
}

/* Every filter alone and some together, in both directions. */
static void walk_all(struct fixture *g, struct store_read r, struct writer ws[2])
{
	struct store_read q = r;

	CHECK_INT(walk(g, q), ROWS);
	q.open_only = true;
	CHECK_INT(walk(g, q), 334);
	q = r;
	q.session = ws[0].id;
	CHECK_INT(walk(g, q), 500);
	q.session = STR("sess_x");
	CHECK_INT(walk(g, q), 0);
	q = r;
	q.parent = STR("task_up");
	CHECK_INT(walk(g, q), 200);
	q.session = ws[1].id;
	q.status = STR("running");
	q.open_only = true;
	CHECK_INT(walk(g, q), 33);
	q = r;
	q.status = STR("done");
	CHECK_INT(walk(g, q), 666);
	q.session = ws[0].id;
	CHECK_INT(walk(g, q), 333);
	q.open_only = true;
	CHECK_INT(walk(g, q), 0);
	q = r;
	q.at_most = -1;
	CHECK_INT(walk(g, q), 429);
	q.at_most = -4;
	CHECK_INT(walk(g, q), 0);
}

TEST(paging_over_equal_times_loses_and_repeats_nothing)
{
	static const enum index_table tables[] = { INDEX_TASK, INDEX_OUTPUT, INDEX_ID };
	struct fixture g;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };

	fixture_start(&g, false);
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		struct store_read r = { .kind = READ_INDEX, .table = tables[i] };

		fill_index(&g, tables[i], ws);
		walk_all(&g, r, ws);
		r.newest_first = true;
		walk_all(&g, r, ws);
		/* After a row above the bound: the bound decides. */
		r.at_most = -1;
		r.from_at = 2;
		r.from_key = STR("task_0500");
		CHECK_INT(walk(&g, r), 429);
	}
	fixture_done(&g);
}

TEST(an_index_row_is_replaced_and_removed_by_its_key)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") };
	struct index_row row = { .table = INDEX_TASK,
		                 .key = STR("task_1"),
		                 .status = STR("running"),
		                 .at = 1,
		                 .open = true,
		                 .body = STR("{}") };

	fixture_start(&g, false);

	struct slice *sl = slice_of(&g, &w, 1, 10);

	sl->rows = &row;
	sl->row_count = 1;
	commit(&g, sl);
	row = (struct index_row){ .table = INDEX_TASK, .key = STR("task_1"), .at = 2 };
	sl = slice_of(&g, &w, 0, 0); /* rows without events */
	sl->rows = &row;
	sl->row_count = 1;
	CHECK_INT(commit(&g, sl), SLICE_COMMITTED);

	struct store_read r = { .kind = READ_INDEX, .table = INDEX_TASK, .key = row.key };

	ask(&g, &r);
	CHECK_INT(r.row_count, 1);
	CHECK(!str_is(r.rows[0].status) && !str_is(r.rows[0].parent) && !str_is(r.rows[0].body));
	CHECK_INT(r.rows[0].at, 2);
	CHECK(!r.rows[0].open);
	CHECK_SAME(r.rows[0].session, w.id);
	port_store_read_done(&r);
	CHECK_INT(walk(&g, (struct store_read){ .kind = READ_INDEX,
	                                        .table = INDEX_TASK,
	                                        .open_only = true }),
	          0);

	r.table = INDEX_ACTION; /* the same key in another table is another row */
	ask(&g, &r);
	CHECK_INT(r.row_count, 0);
	port_store_read_done(&r);

	row.remove = true;
	sl = slice_of(&g, &w, 1, 10);
	sl->rows = &row;
	sl->row_count = 1;
	commit(&g, sl);
	CHECK_INT(walk(&g, (struct store_read){ .kind = READ_INDEX, .table = INDEX_TASK }), 0);
	fixture_done(&g);
}

TEST_MAIN()
