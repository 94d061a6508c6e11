/* The contract of ports/store.h: what is kept beside events. */
#include "contract.h"

static void commit_rows(struct contract *c, struct writer *w, struct index_row *rows, size_t count,
                        bool clears)
{
	struct slice *sl = contract_slice(c, w, 1, 10);

	sl->rows = rows;
	sl->row_count = count;
	sl->clears_rows = clears;
	CHECK_INT(contract_commit(c, sl), SLICE_COMMITTED);
}

static size_t count_rows(struct contract *c, struct store_read r)
{
	size_t count = 0;
	bool more = true;
	char key[32];

	r.kind = READ_INDEX;
	while (more) {
		contract_read(c, &r);
		CHECK_OK(r.result, &r.error);
		count += r.row_count;
		more = r.more;
		if (r.row_count) {
			r.from_at = r.rows[r.row_count - 1].at;
			snprintf(key, sizeof key, "%.*s", STR_ARG(r.rows[r.row_count - 1].key));
			r.from_key = str_from(key);
		}
		port_store_read_done(&r);
	}
	return count;
}

/* ---- index rows ---- */

TEST(every_table_keeps_every_column_of_its_rows)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };

	contract_start(&c);
	for (int t = 0; t < INDEX_TABLES; t++) {
		struct index_row rows[] = {
			{ .table = (enum index_table)t,
			  .key = STR("k1"),
			  .status = STR("running"),
			  .parent = STR("up"),
			  .at = -7,
			  .open = true,
			  .body = STR("{}") },
			{ .table = (enum index_table)t, .key = STR("k2"), .at = INT64_MAX },
			{ .table = (enum index_table)t,
			  .key = STR("k3"),
			  .status = STR(""),
			  .body = STR("") },
		};

		commit_rows(&c, &w, rows, COUNT_OF(rows), false);
		for (size_t i = 0; i < COUNT_OF(rows); i++) {
			struct store_read r = { .kind = READ_INDEX, .table = (enum index_table)t };

			r.key = rows[i].key;
			contract_read(&c, &r);
			CHECK_INT(r.row_count, 1);
			CHECK(!r.more);
			CHECK_SAME(r.rows[0].key, rows[i].key);
			CHECK_SAME(r.rows[0].session, w.id);
			CHECK_INT(r.rows[0].at, rows[i].at);
			CHECK_INT(r.rows[0].open, rows[i].open);
			CHECK(str_eq(r.rows[0].status, rows[i].status));
			CHECK(str_eq(r.rows[0].parent, rows[i].parent));
			CHECK(str_eq(r.rows[0].body, rows[i].body));
			port_store_read_done(&r);
		}
		CHECK_INT(count_rows(&c, (struct store_read){ .table = (enum index_table)t }), 3);
	}
	contract_done(&c);
}

TEST(a_key_is_unique_in_its_table_over_all_sessions_and_the_last_write_has_it)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct index_row row = { .table = INDEX_ID, .key = STR("id_1"), .at = 1, .body = STR("x") };
	struct store_read r = { .kind = READ_INDEX, .table = INDEX_ID, .key = STR("id_1") };

	contract_start(&c);
	commit_rows(&c, &a, &row, 1, false);
	row = (struct index_row){ .table = INDEX_ID, .key = STR("id_1"), .at = 2 };
	commit_rows(&c, &b, &row, 1, false);
	contract_read(&c, &r);
	CHECK_INT(r.row_count, 1);
	CHECK_SAME(r.rows[0].session, b.id);
	CHECK_INT(r.rows[0].at, 2);
	CHECK(!str_is(r.rows[0].body));
	port_store_read_done(&r);
	row.remove = true;
	commit_rows(&c, &a, &row, 1, false);
	CHECK_INT(count_rows(&c, (struct store_read){ .table = INDEX_ID }), 0);
	contract_done(&c);
}

/* 900 rows of two sessions with seven times. */
static void fill(struct contract *c, enum index_table table, struct writer ws[2])
{
	struct index_row *rows = ARENA_ARRAY(c->mem, struct index_row, 900);

	for (size_t i = 0; i < 900; i++)
		rows[i] = (struct index_row){
			.table = table,
			.key = arena_printf(c->mem, "k%03zu", i * 7919 % 900),
			.status = i % 3 ? STR("done") : STR("running"),
			.parent = i % 5 ? STR_NONE : STR("up"),
			.at = (int64_t)(i * 31 % 7) - 3,
			.open = i % 3 == 0,
			.body = STR("0123456789"),
		};
	commit_rows(c, &ws[0], rows, 450, false);
	commit_rows(c, &ws[1], rows + 450, 450, false);
}

TEST(filters_of_a_list_hold_alone_and_together)
{
	struct contract c;
	struct writer ws[2] = { { .id = STR("sess_a1") }, { .id = STR("sess_b1") } };

	contract_start(&c);
	for (int t = INDEX_SESSION; t < INDEX_TABLES; t += 2) {
		struct store_read r = { .table = (enum index_table)t };

		fill(&c, r.table, ws);
		for (int down = 0; down < 2; down++) {
			r = (struct store_read){ .table = (enum index_table)t,
				                 .newest_first = down };
			CHECK_INT(count_rows(&c, r), 900);
			r.status = STR("running");
			CHECK_INT(count_rows(&c, r), 300);
			r.parent = STR("up");
			CHECK_INT(count_rows(&c, r), 60);
			r.session = ws[1].id;
			CHECK_INT(count_rows(&c, r), 30);
			r.open_only = true;
			CHECK_INT(count_rows(&c, r), 30);
			r.status = STR("done");
			CHECK_INT(count_rows(&c, r), 0);
			r = (struct store_read){ .table = (enum index_table)t,
				                 .newest_first = down };
			if (t != INDEX_USAGE) {
				r.reach = STR("sess_a");
				CHECK_INT(count_rows(&c, r), 450);
				r.reach = STR("sess_c");
				CHECK_INT(count_rows(&c, r), 0);
			}
			r = (struct store_read){ .table = (enum index_table)t,
				                 .newest_first = down };
			r.session = STR("sess_none");
			CHECK_INT(count_rows(&c, r), 0);
		}
	}
	contract_done(&c);
}

/* Due timers: open rows up to a time, the earliest first. */
TEST(rows_that_are_due_come_in_the_order_of_time_and_key)
{
	struct contract c;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };
	struct store_read r = { .kind = READ_INDEX,
		                .table = INDEX_TIMER,
		                .open_only = true,
		                .at_most = -1,
		                .max_rows = 7 };
	int64_t at = INT64_MIN;
	char key[32] = "";
	size_t count = 0;

	contract_start(&c);
	fill(&c, INDEX_TIMER, ws);
	for (bool more = true; more;) {
		contract_read(&c, &r);
		for (size_t i = 0; i < r.row_count; i++, count++) {
			const struct index_found *row = &r.rows[i];

			CHECK(row->open && row->at <= -1);
			CHECK(row->at > at ||
			      (row->at == at && str_cmp(row->key, str_from(key)) > 0));
			at = row->at;
			snprintf(key, sizeof key, "%.*s", STR_ARG(row->key));
		}
		more = r.more;
		r.from_at = at;
		r.from_key = str_from(key);
		port_store_read_done(&r);
	}
	/* Of 300 open rows those with the times -3, -2 and -1. */
	CHECK_INT(count, 129);
	contract_done(&c);
}

/* Every row is behind the last one; returns how many there were. */
static size_t walk_in_order(struct contract *c, struct store_read r)
{
	int64_t at = 0;
	char key[32] = "";
	size_t count = 0;

	for (bool more = true; more;) {
		contract_read(c, &r);
		for (size_t i = 0; i < r.row_count; i++, count++) {
			const struct index_found *row = &r.rows[i];
			int order = row->at != at ? (row->at < at ? -1 : 1)
			                          : str_cmp(row->key, str_from(key));

			CHECK(!count || (r.newest_first ? order < 0 : order > 0));
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

TEST(paging_over_equal_times_loses_and_repeats_nothing_in_both_directions)
{
	static const enum index_table tables[] = { INDEX_TASK, INDEX_ID };
	struct contract c;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };

	contract_start(&c);
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		fill(&c, tables[i], ws);
		for (int down = 0; down < 2; down++) {
			struct store_read r = { .kind = READ_INDEX,
				                .table = tables[i],
				                .max_rows = 7 };

			r.newest_first = down;
			CHECK_INT(walk_in_order(&c, r), 900);
			r.parent = STR("up");
			CHECK_INT(walk_in_order(&c, r), 180);
		}
	}
	contract_done(&c);
}

TEST(a_page_of_rows_counts_bodies_and_leaves_them_out_on_request)
{
	struct contract c;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };
	struct store_read r = { .kind = READ_INDEX, .table = INDEX_TASK, .max_bytes = 35 };

	contract_start(&c);
	fill(&c, INDEX_TASK, ws);
	contract_read(&c, &r);
	CHECK_INT(r.row_count, 3);
	CHECK(r.more);
	port_store_read_done(&r);
	r.without_body = true;
	contract_read(&c, &r);
	CHECK_INT(r.row_count, 256);
	CHECK(!str_is(r.rows[0].body));
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(a_slice_that_clears_rows_replaces_all_of_its_session_and_no_others)
{
	struct contract c;
	struct writer ws[2] = { { .id = STR("sess_a") }, { .id = STR("sess_b") } };
	struct index_row row = { .table = INDEX_TASK, .key = STR("new") };

	contract_start(&c);
	fill(&c, INDEX_TASK, ws);
	fill(&c, INDEX_THREAD, ws);
	commit_rows(&c, &ws[0], &row, 1, true);
	CHECK_INT(count_rows(&c, (struct store_read){ .table = INDEX_TASK, .session = ws[0].id }),
	          1);
	CHECK_INT(count_rows(&c, (struct store_read){ .table = INDEX_TASK }), 451);
	CHECK_INT(count_rows(&c, (struct store_read){ .table = INDEX_THREAD }), 450);
	contract_done(&c);
}

/* ---- idempotency records ---- */

TEST(an_idempotency_record_comes_back_unchanged_and_the_last_write_of_a_key_has_it)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct idem_row second = { .key = sha256_of(STR("k2")), .reply = STR("[]"), .at = 2 };
	struct idem_row first = { .next = &second,
		                  .key = sha256_of(STR("k1")),
		                  .body = sha256_of(STR("request")),
		                  .reply = STR("{\"a\":1}"),
		                  .seq = 7,
		                  .at = 1700000000123 };
	struct store_read r = { .kind = READ_IDEM, .idem_key = sha256_of(STR("k1")) };
	struct slice *sl;

	contract_start(&c);
	sl = contract_slice(&c, &a, 1, 10);
	sl->idem = &first;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	contract_read(&c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_STR(r.idem.reply, "{\"a\":1}");
	CHECK(sha256_eq(&r.idem.body, &first.body) && sha256_eq(&r.idem.key, &first.key));
	CHECK_INT(r.idem.seq, 7);
	CHECK_INT(r.idem.at, 1700000000123);
	CHECK_SAME(r.idem_session, a.id);
	port_store_read_done(&r);
	r.idem_key = second.key;
	contract_read(&c, &r);
	CHECK_STR(r.idem.reply, "[]");
	port_store_read_done(&r);
	second.reply = STR("new");
	sl = contract_slice(&c, &b, 1, 10);
	sl->idem = &second;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	contract_read(&c, &r);
	CHECK_STR(r.idem.reply, "new");
	CHECK_SAME(r.idem_session, b.id);
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- blobs ---- */

static void check_blob(struct contract *c, const char *ref, struct str data, struct str session)
{
	struct store_read r = { .kind = READ_BLOB, .key = str_from(ref) };

	contract_read(c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_SAME(r.blob.ref, str_from(ref));
	CHECK_SAME(r.blob.data, data);
	CHECK(str_eq(r.blob_session, session));
	port_store_read_done(&r);
}

TEST(a_blob_is_kept_as_it_was_first_written)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct blob_row blobs[] = {
		{ .ref = STR("in_1"), .media_type = STR("text/plain"), .data = STR("a\0b") },
		{ .ref = STR("in_2"), .data = STR("") },
		{ .ref = STR("in_3") },
		{ .ref = STR("in_1"), .data = STR("other") },
	};
	struct slice *sl;

	contract_start(&c);
	sl = contract_slice(&c, &w, 1, 10);
	sl->blobs = blobs;
	sl->blob_count = COUNT_OF(blobs);
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	check_blob(&c, "in_1", STR("a\0b"), w.id);
	check_blob(&c, "in_2", STR(""), w.id);
	check_blob(&c, "in_3", STR(""), w.id);
	contract_done(&c);
}

TEST(a_blob_without_a_session_is_kept_once_and_belongs_to_none)
{
	struct contract c;
	struct error e;

	contract_start(&c);
	CHECK_OK(c.store->ops->keep_blob(c.store, STR("rec_1"), STR("text/plain"), STR("one"), &e),
	         &e);
	CHECK_OK(c.store->ops->keep_blob(c.store, STR("rec_1"), STR_NONE, STR("two"), &e), &e);
	CHECK_OK(c.store->ops->keep_blob(c.store, STR("rec_2"), STR_NONE, STR_NONE, &e), &e);
	check_blob(&c, "rec_1", STR("one"), STR_NONE);
	check_blob(&c, "rec_2", STR(""), STR_NONE);
	contract_reopen(&c);
	check_blob(&c, "rec_1", STR("one"), STR_NONE);
	contract_done(&c);
}

/* ---- meta, accounts, pending operations ---- */

TEST(a_value_of_the_installation_is_the_last_one_that_was_set)
{
	struct contract c;
	struct str value = STR("untouched");
	struct error e;

	contract_start(&c);
	CHECK_INT(c.store->ops->get_meta(c.store, c.mem, STR("runtime"), &value, &e),
	          ERR_NOT_FOUND);
	CHECK_STR(value, "untouched");
	CHECK_OK(c.store->ops->set_meta(c.store, STR("runtime"), STR("rt_1"), &e), &e);
	CHECK_OK(c.store->ops->set_meta(c.store, STR("runtime"), STR("rt_2"), &e), &e);
	CHECK_OK(c.store->ops->set_meta(c.store, STR("empty"), STR(""), &e), &e);
	contract_reopen(&c);
	CHECK_OK(c.store->ops->get_meta(c.store, c.mem, STR("runtime"), &value, &e), &e);
	CHECK_STR(value, "rt_2");
	CHECK_OK(c.store->ops->get_meta(c.store, c.mem, STR("empty"), &value, &e), &e);
	CHECK_STR(value, "");
	contract_done(&c);
}

TEST(a_value_that_is_kept_is_the_first_one)
{
	struct contract c;
	struct str value = STR("untouched");
	struct error e;

	contract_start(&c);
	CHECK_INT(c.store->ops->keep_meta(c.store, c.mem, STR("k"), STR_NONE, &value, &e),
	          ERR_INVALID);
	CHECK_STR(value, "untouched");
	CHECK_OK(c.store->ops->keep_meta(c.store, c.mem, STR("k"), STR("one"), &value, &e), &e);
	CHECK_STR(value, "one");
	CHECK_OK(c.store->ops->keep_meta(c.store, c.mem, STR("k"), STR("two"), &value, &e), &e);
	CHECK_STR(value, "one");
	contract_reopen(&c);
	CHECK_OK(c.store->ops->keep_meta(c.store, c.mem, STR("k"), STR("two"), &value, &e), &e);
	CHECK_STR(value, "one");
	CHECK_OK(c.store->ops->set_meta(c.store, STR("k"), STR("three"), &e), &e);
	CHECK_OK(c.store->ops->keep_meta(c.store, c.mem, STR("k"), STR("two"), &value, &e), &e);
	CHECK_STR(value, "three");
	contract_done(&c);
}

TEST(an_account_is_the_sum_of_its_moves)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct ledger_move moves[] = { { STR("day"), 5, 100 },
		                       { STR("day"), -2, -40 },
		                       { STR("user"), 0, 0 } };
	struct ledger_move *found = NULL;
	size_t count = 0;
	struct error e;

	contract_start(&c);
	for (int i = 0; i < 3; i++) {
		struct slice *sl = contract_slice(&c, &w, 1, 10);

		sl->moves = moves;
		sl->move_count = COUNT_OF(moves);
		CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	}
	CHECK_OK(c.store->ops->accounts(c.store, c.mem, &found, &count, &e), &e);
	CHECK_INT(count, 2);
	for (size_t i = 0; i < count; i++) {
		bool is_day = str_eq(found[i].account, STR("day"));

		CHECK(is_day || str_eq(found[i].account, STR("user")));
		CHECK_INT(found[i].spent, is_day ? 9 : 0);
		CHECK_INT(found[i].reserved, is_day ? 180 : 0);
	}
	contract_done(&c);
}

static size_t pending_of(struct contract *c, struct pending_op **ret)
{
	size_t count = 0;
	struct error e;

	CHECK_OK(c->store->ops->pending_ops(c->store, c->mem, ret, &count, &e), &e);
	return count;
}

TEST(a_pending_operation_is_listed_until_its_owner_ends_it)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct pending_op ops[] = { { .kind = MAINTENANCE_ERASE, .seq = 2 },
		                    { .kind = MAINTENANCE_CUT, .seq = 2, .ref = STR("in_1") } };
	struct pending_op *found;
	struct slice *sl;

	contract_start(&c);
	CHECK_INT(pending_of(&c, &found), 0);
	sl = contract_slice(&c, &w, 3, 10);
	sl->pending_ops = ops;
	sl->pending_count = 2;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	contract_reopen(&c);
	CHECK_INT(pending_of(&c, &found), 2);
	ops[0].is_done = true;
	sl = contract_slice(&c, &w, 0, 0);
	sl->pending_ops = ops;
	sl->pending_count = 1;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK_INT(pending_of(&c, &found), 1);
	CHECK_SAME(found->session, w.id);
	CHECK_INT(found->kind, MAINTENANCE_CUT);
	CHECK_INT(found->seq, 2);
	CHECK_STR(found->ref, "in_1");
	contract_done(&c);
}

TEST_MAIN()
