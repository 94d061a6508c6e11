/* The contract of ports/store.h: maintenance and deleted sessions. */
#include "contract.h"

/* The whole log of a session; one line for each event, body and hash included. */
static struct str log_of(struct contract *c, struct str session)
{
	struct store_read r = { .kind = READ_EVENTS, .session = session };
	struct str all = STR("");
	bool more = true;

	while (more) {
		contract_read(c, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++)
			all = arena_printf(c->mem, "%.*s%llu %llu %u %02x%02x %.*s\n", STR_ARG(all),
			                   (unsigned long long)r.events[i].position,
			                   (unsigned long long)r.events[i].seq, r.events[i].type,
			                   r.events[i].hash.state[0], r.events[i].hash.state[1],
			                   STR_ARG(bytes_str(r.events[i].body)));
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	return all;
}

static bool has_blob(struct contract *c, const char *ref)
{
	struct store_read r = { .kind = READ_BLOB, .key = str_from(ref) };
	bool found;

	contract_read(c, &r);
	found = r.result == OK;
	port_store_read_done(&r);
	return found;
}

static struct slice *with_blob(struct contract *c, struct writer *w, const char *ref, bool is_again)
{
	struct slice *sl = contract_slice(c, w, 1, 10);

	sl->blobs = ARENA_NEW(c->mem, struct blob_row);
	*sl->blobs =
		(struct blob_row){ .ref = str_from(ref), .data = STR("x"), .is_again = is_again };
	sl->blob_count = 1;
	return sl;
}

static size_t pending_count(struct contract *c)
{
	struct pending_op *ops;
	size_t count = 0;
	struct error e;

	CHECK_OK(c->store->ops->pending_ops(c->store, c->mem, &ops, &count, &e), &e);
	return count;
}

/* ---- pack ---- */

TEST(a_packed_log_reads_the_same_and_is_not_loose)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_PACK, .session = w.id, .seq = 1200 };
	struct store_read loose = { .kind = READ_LOOSE };
	struct str before;

	contract_start(&c);
	contract_append(&c, &w, 1200);
	before = log_of(&c, w.id);
	CHECK_INT(contract_maintain(&c, &u), 1200);
	CHECK_OK(u.result, &u.error);
	CHECK_SAME(log_of(&c, w.id), before);
	CHECK_INT(contract_stats(&c).packed, 1200);
	CHECK_INT(contract_stats(&c).events, 1200);
	contract_read(&c, &loose);
	CHECK_INT(loose.row_count, 0);
	port_store_read_done(&loose);
	contract_append(&c, &w, 1);
	contract_read(&c, &loose);
	CHECK_INT(loose.row_count, 1);
	CHECK_INT(loose.rows[0].at, 1201);
	port_store_read_done(&loose);
	contract_done(&c);
}

/* ---- cut ---- */

static struct store_read head_of(struct contract *c, struct str session)
{
	struct store_read r = { .kind = READ_HEAD, .session = session };

	contract_read(c, &r);
	return r;
}

TEST(a_cut_removes_the_beginning_and_moves_the_floor)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct sha256 at_floor;
	struct store_maintenance u = { .kind = MAINTENANCE_CUT, .session = w.id, .seq = 700 };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	contract_start(&c);
	contract_append(&c, &w, 700);
	at_floor = w.hash;
	CHECK_INT(contract_commit(&c, with_blob(&c, &w, "in_floor", false)), SLICE_COMMITTED);
	contract_append(&c, &w, 9);
	u.ref = STR("in_floor");
	CHECK_INT(contract_maintain(&c, &u), 700);
	CHECK_OK(u.result, &u.error);
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 10);
	CHECK_INT(r.events[0].seq, 701);
	CHECK_INT(r.events[0].position, 701);
	CHECK_INT(r.floor_seq, 700);
	CHECK(sha256_eq(&r.floor_hash, &at_floor));
	CHECK_STR(r.floor_ref, "in_floor");
	port_store_read_done(&r);
	CHECK_INT(contract_stats(&c).events, 10);
	contract_append(&c, &w, 1);
	CHECK_INT(contract_maintain(&c, &u), 0);
	CHECK_OK(u.result, &u.error);
	contract_done(&c);
}

TEST(blobs_leave_with_the_events_that_named_them_last_but_that_of_the_floor_stays)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_CUT, .session = w.id, .seq = 3 };
	struct error e;

	contract_start(&c);
	CHECK_OK(c.store->ops->keep_blob(c.store, STR("rec_1"), STR_NONE, STR("x"), &e), &e);
	contract_commit(&c, with_blob(&c, &w, "in_1", false));
	contract_commit(&c, with_blob(&c, &w, "in_2", false));
	contract_commit(&c, with_blob(&c, &w, "in_floor", false));
	contract_commit(&c, with_blob(&c, &w, "in_4", false));
	contract_commit(&c, with_blob(&c, &w, "in_2", true));
	u.ref = STR("in_floor");
	CHECK_INT(contract_maintain(&c, &u), 3);
	CHECK(!has_blob(&c, "in_1"));
	CHECK(has_blob(&c, "in_2") && has_blob(&c, "in_floor") && has_blob(&c, "in_4"));
	CHECK(has_blob(&c, "rec_1"));
	contract_done(&c);
}

TEST(the_newest_event_stays_and_what_is_not_there_is_not_found)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_CUT, .session = w.id, .seq = 5 };

	contract_start(&c);
	contract_append(&c, &w, 5);
	contract_step(&c, &u);
	CHECK_INT(u.result, ERR_INVALID);
	CHECK(u.error.message[0]);
	u.kind = MAINTENANCE_ERASE;
	u.seq = 6;
	contract_step(&c, &u);
	CHECK_INT(u.result, ERR_NOT_FOUND);
	u.session = STR("sess_x");
	for (int kind = MAINTENANCE_PACK; kind <= MAINTENANCE_ERASE; kind++) {
		u.kind = (enum maintenance_kind)kind;
		contract_step(&c, &u);
		CHECK_INT(u.result, ERR_NOT_FOUND);
		CHECK_INT(u.count, 0);
	}
	CHECK_INT(contract_stats(&c).events, 5);
	contract_done(&c);
}

TEST(the_last_step_of_a_cut_deletes_its_pending_operation_and_an_erasure_leaves_its_own)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct pending_op ops[] = { { .kind = MAINTENANCE_CUT, .seq = 4 },
		                    { .kind = MAINTENANCE_ERASE, .seq = 5 } };
	struct store_maintenance cut = { .kind = MAINTENANCE_CUT, .session = w.id, .seq = 4 };
	struct store_maintenance erase = { .kind = MAINTENANCE_ERASE, .session = w.id, .seq = 5 };
	struct slice *sl;

	contract_start(&c);
	sl = contract_slice(&c, &w, 6, 10);
	sl->pending_ops = ops;
	sl->pending_count = 2;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK_INT(contract_maintain(&c, &cut), 4);
	CHECK_INT(pending_count(&c), 1);
	erase.body = STR("{}");
	CHECK_INT(contract_maintain(&c, &erase), 1);
	CHECK_INT(pending_count(&c), 1);
	contract_done(&c);
}

/* ---- erase ---- */

/* Of a log that is packed, and of one that is not. */
TEST(an_erased_body_is_replaced_and_the_chain_still_holds)
{
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct contract c;
		struct writer w = { .id = STR("sess_a") };
		struct store_maintenance u = { .kind = MAINTENANCE_PACK,
			                       .session = w.id,
			                       .seq = 50 };
		struct store_read r = { .kind = READ_EVENTS, .session = w.id };
		struct sha256 hash = { 0 };

		contract_start(&c);
		contract_append(&c, &w, 50);
		if (is_packed)
			CHECK_INT(contract_maintain(&c, &u), 50);
		u = (struct store_maintenance){ .kind = MAINTENANCE_ERASE,
			                        .session = w.id,
			                        .seq = 20 };
		CHECK_INT(contract_maintain(&c, &u), 1); /* an absent body is an empty one */
		CHECK_OK(u.result, &u.error);
		CHECK_INT(contract_maintain(&c, &u), 0);
		CHECK_OK(u.result, &u.error);
		contract_read(&c, &r);
		CHECK_INT(r.event_count, 50);
		for (size_t i = 0; i < 50; i++) {
			CHECK_INT(r.events[i].is_erased, i == 19);
			hash = port_event_row_link(&hash, &r.events[i]);
			CHECK(sha256_eq(&hash, &r.events[i].hash));
		}
		CHECK_INT(r.events[19].body->len, 0);
		port_store_read_done(&r);
		contract_done(&c);
	}
}

static struct slice *with_journal(struct contract *c, struct writer *w)
{
	struct slice *sl = contract_slice(c, w, 3, 10);

	sl->journal = ARENA_NEW(c->mem, struct journal_row);
	*sl->journal = (struct journal_row){ sl->events[0].seq, STR("key"), STR("given") };
	sl->journal_count = 1;
	return sl;
}

TEST(an_erasure_takes_the_body_of_its_journal_record_the_snapshot_and_the_named_blobs)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct str refs[] = { STR("in_1"), STR("in_none") };
	struct store_maintenance u = {
		.kind = MAINTENANCE_ERASE, .session = w.id, .seq = 5, .body = STR("{}")
	};
	struct store_read r = { .kind = READ_JOURNAL, .session = w.id };
	struct store_read snapshot = { .kind = READ_SNAPSHOT,
		                       .session = w.id,
		                       .snapshot_version = STR("v1") };
	struct slice *sl;

	contract_start(&c);
	for (int i = 0; i < 3; i++)
		CHECK_INT(contract_commit(&c, with_journal(&c, &w)), SLICE_COMMITTED);
	sl = with_blob(&c, &w, "in_1", false);
	sl->snapshot = STR("state");
	sl->snapshot_version = STR("v1");
	sl->snapshot_seq = w.seq;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	CHECK_INT(contract_maintain(&c, &u), 1);
	contract_read(&c, &r);
	CHECK_INT(r.journal_count, 3);
	CHECK_STR(r.journal[0].body, "given");
	CHECK_STR(r.journal[1].body, "");
	CHECK_STR(r.journal[1].key, "key");
	CHECK_STR(r.journal[2].body, "given");
	port_store_read_done(&r);
	contract_read(&c, &snapshot);
	CHECK_INT(snapshot.result, ERR_NOT_FOUND);
	port_store_read_done(&snapshot);
	CHECK(has_blob(&c, "in_1"));
	/* Of an event that is erased already, blobs leave all the same. */
	u.refs = refs;
	u.ref_count = COUNT_OF(refs);
	CHECK_INT(contract_maintain(&c, &u), 0);
	CHECK_OK(u.result, &u.error);
	CHECK(!has_blob(&c, "in_1"));
	contract_done(&c);
}

/* ---- purge and room ---- */

TEST(old_idempotency_records_are_deleted_and_counted)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_maintenance u = { .kind = MAINTENANCE_PURGE, .before = 1500 };

	contract_start(&c);
	for (int n = 0; n < 4; n++) {
		struct slice *sl = contract_slice(&c, &w, 1, 10);

		for (int i = 0; i < 500; i++) {
			struct idem_row *row = ARENA_NEW(c.mem, struct idem_row);

			*row = (struct idem_row){ .next = sl->idem,
				                  .key = sha256_of(
							  arena_printf(c.mem, "%d", 500 * n + i)),
				                  .reply = STR("{}"),
				                  .at = 500 * n + i };
			sl->idem = row;
		}
		CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	}
	CHECK_INT(contract_maintain(&c, &u), 1500);
	for (int i = 1499; i <= 1500; i++) {
		struct store_read r = { .kind = READ_IDEM };

		r.idem_key = sha256_of(arena_printf(c.mem, "%d", i));
		contract_read(&c, &r);
		CHECK_INT(r.result, i < 1500 ? ERR_NOT_FOUND : OK);
		port_store_read_done(&r);
	}
	contract_done(&c);
}

TEST(a_store_with_space_says_that_there_is_room)
{
	struct contract c;
	struct store_maintenance u = { .kind = MAINTENANCE_ROOM };

	contract_start(&c);
	contract_step(&c, &u);
	CHECK_OK(u.result, &u.error);
	CHECK(!contract_stats(&c).is_low);
	contract_done(&c);
}

/* ---- deleted sessions ---- */

static struct slice *deletion(struct contract *c, struct writer *by, const struct writer *of)
{
	struct slice *sl = contract_slice(c, by, 1, 10);

	sl->pending_ops = ARENA_NEW(c->mem, struct pending_op);
	*sl->pending_ops = (struct pending_op){ .kind = MAINTENANCE_SWEEP,
		                                .seq = by->seq,
		                                .ref = of->id,
		                                .last_seq = of->seq,
		                                .last_hash = of->hash };
	sl->pending_count = 1;
	return sl;
}

/* A session with a blob, an open cut, an idempotency record and a row in every table. */
static void fill_session(struct contract *c, struct writer *w)
{
	struct slice *sl = with_blob(c, w, "in_1", false);
	struct idem_row idem = { .reply = STR("{}") };
	struct pending_op op = { .kind = MAINTENANCE_CUT, .seq = 1 };

	sl->idem = &idem;
	sl->pending_ops = &op;
	sl->pending_count = 1;
	sl->rows = ARENA_ARRAY(c->mem, struct index_row, INDEX_TABLES);
	for (int t = 0; t < INDEX_TABLES; t++)
		sl->rows[sl->row_count++] = (struct index_row){ .table = (enum index_table)t,
			                                        .key = STR("k"),
			                                        .status = STR("spilled") };
	CHECK_INT(contract_commit(c, sl), SLICE_COMMITTED);
	contract_append(c, w, 9);
}

static size_t rows_in(struct contract *c, enum index_table table)
{
	struct store_read r = { .kind = READ_INDEX, .table = table };
	size_t count;

	contract_read(c, &r);
	count = r.row_count;
	port_store_read_done(&r);
	return count;
}

static void check_gone(struct contract *c, const struct writer *w, uint64_t by)
{
	struct store_read r = head_of(c, w->id), all = { .kind = READ_ALL },
			  idem = { .kind = READ_IDEM };

	CHECK_INT(r.result, ERR_NOT_FOUND);
	CHECK(r.is_removed && r.head_seq == 0);
	CHECK_INT(r.removed_by, by);
	CHECK_INT(r.removed_seq, w->seq);
	CHECK(sha256_eq(&r.removed_hash, &w->hash));
	port_store_read_done(&r);
	CHECK_INT(log_of(c, w->id).len, 0);
	contract_read(c, &all);
	for (size_t i = 0; i < all.event_count; i++)
		CHECK(!str_eq(all.events[i].session, w->id));
	port_store_read_done(&all);
	CHECK(!has_blob(c, "in_1"));
	for (int t = 0; t < INDEX_TABLES; t++)
		CHECK_INT(rows_in(c, (enum index_table)t), t == INDEX_USAGE);
	CHECK_INT(pending_count(c), 0);
	contract_read(c, &idem);
	CHECK_OK(idem.result, &idem.error);
	CHECK_SAME(idem.idem_session, w->id);
	port_store_read_done(&idem);
}

static size_t sweep(struct contract *c)
{
	struct store_maintenance u = { .kind = MAINTENANCE_SWEEP };
	struct str refs[8];
	size_t found = 0;

	do {
		contract_step(c, &u);
		CHECK_OK(u.result, &u.error);
		CHECK(u.found_count <= COUNT_OF(refs));
		found += u.found_count;
		for (size_t i = 0; i < u.found_count; i++)
			refs[i] = arena_keep(c->mem, u.found[i]);
		arena_free(u.mem);
		u.refs = refs;
		u.ref_count = u.found_count;
	} while (u.more);
	return found;
}

TEST(a_deleted_session_is_gone_for_every_read_at_once_and_after_the_sweep)
{
	struct contract c;
	struct writer system = { .id = STR("sess_system") }, w = { .id = STR("sess_a") }, again;

	contract_start(&c);
	fill_session(&c, &w);
	contract_append(&c, &system, 1);
	CHECK_INT(contract_commit(&c, deletion(&c, &system, &w)), SLICE_COMMITTED);
	check_gone(&c, &w, 2);
	CHECK_INT(contract_stats(&c).sessions, 1);
	CHECK_INT(contract_stats(&c).events, 2);
	CHECK_INT(sweep(&c), 1);
	check_gone(&c, &w, 2);
	CHECK_INT(sweep(&c), 0);
	contract_reopen(&c);
	check_gone(&c, &w, 2);
	again = (struct writer){ .id = w.id };
	CHECK_INT(contract_commit(&c, contract_slice(&c, &again, 1, 10)), SLICE_CONFLICT);
	CHECK_INT(contract_commit(&c, contract_slice(&c, &w, 1, 10)), SLICE_CONFLICT);
	contract_done(&c);
}

TEST(a_deletion_is_refused_when_the_session_has_another_head_or_is_not_there)
{
	struct contract c;
	struct writer system = { .id = STR("sess_system") }, w = { .id = STR("sess_a") };
	struct writer wrong[4];
	struct error e;

	contract_start(&c);
	CHECK_OK(c.store->ops->keep_blob(c.store, STR("rec_1"), STR_NONE, STR("x"), &e), &e);
	contract_append(&c, &system, 1);
	contract_append(&c, &w, 3);
	wrong[0] = (struct writer){ .id = w.id, .seq = 2, .hash = w.hash };
	wrong[1] = (struct writer){ .id = w.id, .seq = 3 };
	wrong[2] = (struct writer){ .id = STR("sess_none") };
	wrong[3] = system;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct writer by = system;

		CHECK_INT(contract_commit(&c, deletion(&c, &by, &wrong[i])), SLICE_CONFLICT);
	}
	CHECK_INT(contract_stats(&c).events, 4);
	CHECK(has_blob(&c, "rec_1"));
	CHECK_INT(contract_commit(&c, deletion(&c, &system, &w)), SLICE_COMMITTED);
	CHECK_INT(contract_commit(&c, deletion(&c, &system, &w)), SLICE_CONFLICT);
	CHECK(has_blob(&c, "rec_1"));
	contract_done(&c);
}

/* The ref of a deleted session, before the sweep and after it. */
TEST(a_ref_always_has_its_blob_also_when_a_deleted_session_had_the_same)
{
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		struct contract c;
		struct writer system = { .id = STR("sess_system") }, w = { .id = STR("sess_a") };
		struct writer other = { .id = STR("sess_b") };
		struct error e;

		contract_start(&c);
		contract_commit(&c, with_blob(&c, &w, "in_1", false));
		CHECK_INT(contract_commit(&c, deletion(&c, &system, &w)), SLICE_COMMITTED);
		if (is_shared)
			CHECK_OK(c.store->ops->keep_blob(c.store, STR("in_1"), STR_NONE, STR("y"),
			                                 &e),
			         &e);
		else
			CHECK_INT(contract_commit(&c, with_blob(&c, &other, "in_1", false)),
			          SLICE_COMMITTED);
		CHECK(has_blob(&c, "in_1"));
		sweep(&c);
		CHECK(has_blob(&c, "in_1"));
		contract_done(&c);
	}
}

TEST_MAIN()
