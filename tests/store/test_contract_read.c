/* The contract of ports/store_read.h: pages of events, sessions and single records. */
#include "contract.h"

#include <stddef.h>

/* ---- pages of events ---- */

TEST(a_page_has_at_most_256_rows_or_what_was_asked_for)
{
	static const struct {
		uint32_t asked, rows;
	} cases[] = { { 0, 256 }, { 1, 1 }, { 100, 100 }, { 256, 256 }, { 1000, 256 } };
	struct contract c;
	struct writer w = { .id = STR("sess_a") };

	contract_start(&c);
	contract_append(&c, &w, 300);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct store_read r = { .kind = READ_EVENTS, .session = w.id };

		r.max_rows = cases[i].asked;
		contract_read(&c, &r);
		CHECK_INT(r.event_count, cases[i].rows);
		CHECK(r.more);
		CHECK_INT(r.scanned, cases[i].rows);
		port_store_read_done(&r);
	}
	contract_done(&c);
}

TEST(a_page_ends_before_256_KiB_and_one_row_always_fits)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id };

	contract_start(&c);
	for (int i = 0; i < 3; i++)
		CHECK_INT(contract_commit(&c, contract_slice(&c, &w, 1, 100000)), SLICE_COMMITTED);
	CHECK_INT(contract_commit(&c, contract_slice(&c, &w, 1, 400000)), SLICE_COMMITTED);
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 2);
	CHECK(r.more);
	port_store_read_done(&r);
	r.after = 3;
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 1);
	CHECK_INT(r.events[0].body->len, 400000);
	CHECK(!r.more);
	port_store_read_done(&r);
	r.after = 0;
	r.max_bytes = 1;
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 1);
	CHECK(r.more);
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(more_is_set_only_if_a_row_is_left)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .max_rows = 10 };

	contract_start(&c);
	contract_append(&c, &w, 10);
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 10);
	CHECK(!r.more);
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(a_page_begins_behind_after_and_ends_at_until)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .after = 10, .until = 20 };

	contract_start(&c);
	contract_append(&c, &w, 30);
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 10);
	CHECK_INT(r.events[0].seq, 11);
	CHECK_INT(r.events[9].seq, 20);
	CHECK_INT(r.scanned, 20);
	CHECK(!r.more);
	CHECK_INT(r.head_seq, 30);
	port_store_read_done(&r);
	r.after = 30;
	r.until = 0;
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 0);
	CHECK_INT(r.scanned, 30);
	port_store_read_done(&r);
	contract_done(&c);
}

/* contract_slice() gives types 0 to 6 in turn. */
TEST(a_set_of_types_skips_the_others_and_scanned_is_behind_them)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	uint64_t types[4] = { 1u << 3 };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .types = types };

	contract_start(&c);
	contract_append(&c, &w, 70);
	for (int kind = READ_EVENTS; kind <= READ_ALL; kind++) {
		r.kind = (enum read_kind)kind;
		contract_read(&c, &r);
		CHECK_INT(r.event_count, 10);
		for (size_t i = 0; i < r.event_count; i++)
			CHECK_INT(r.events[i].type, 3);
		CHECK_INT(r.scanned, 70);
		CHECK(!r.more);
		port_store_read_done(&r);
	}
	types[0] = 0;
	contract_read(&c, &r);
	CHECK_INT(r.event_count, 0);
	CHECK_INT(r.scanned, 70);
	port_store_read_done(&r);
	contract_done(&c);
}

/* Thousands of events, a part of them packed: several pages, and no event twice. */
TEST(following_all_sessions_page_by_page_gives_every_event_once)
{
	struct contract c;
	struct writer ws[5] = { { .id = STR("sess_0") },
		                { .id = STR("sess_1") },
		                { .id = STR("sess_2") },
		                { .id = STR("sess_3") },
		                { .id = STR("sess_4") } };
	struct store_read r = { .kind = READ_ALL };
	uint64_t last = 0;
	bool more = true;

	contract_start(&c);
	for (size_t i = 0; i < 200; i++)
		contract_append(&c, &ws[i % 5], 15);
	for (size_t i = 0; i < 2; i++) {
		struct store_maintenance u = { .kind = MAINTENANCE_PACK,
			                       .session = ws[i].id,
			                       .seq = ws[i].seq };

		contract_maintain(&c, &u);
		CHECK_OK(u.result, &u.error);
	}
	while (more) {
		contract_read(&c, &r);
		CHECK_OK(r.result, &r.error);
		for (size_t i = 0; i < r.event_count; i++)
			CHECK_INT(r.events[i].position, ++last);
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	CHECK_INT(last, 3000);
	contract_done(&c);
}

/* ---- sessions ---- */

TEST(an_unknown_session_has_an_empty_page_and_no_record)
{
	static const enum read_kind kinds[] = { READ_HEAD, READ_SNAPSHOT, READ_IDEM, READ_BLOB,
		                                READ_JOURNAL };
	struct contract c;
	struct store_read events = { .kind = READ_EVENTS, .session = STR("sess_x"), .after = 5 };

	contract_start(&c);
	contract_read(&c, &events);
	CHECK_OK(events.result, &events.error);
	CHECK(!events.event_count && !events.head_seq && !events.more && !events.is_removed);
	CHECK_INT(events.scanned, 5);
	port_store_read_done(&events);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct store_read r = { .kind = kinds[i], .session = STR("sess_x") };

		r.key = r.snapshot_version = STR("x");
		contract_read(&c, &r);
		CHECK_INT(r.result, ERR_NOT_FOUND);
		CHECK_INT(r.error.code, ERR_NOT_FOUND);
		CHECK(r.error.message[0]);
		port_store_read_done(&r);
	}
	contract_done(&c);
}

static size_t walk_sessions(struct contract *c, enum read_kind kind, struct str *ret, int64_t *at)
{
	struct store_read r = { .kind = kind, .max_rows = 7 };
	size_t count = 0;
	bool more = true;

	while (more) {
		contract_read(c, &r);
		CHECK_OK(r.result, &r.error);
		CHECK(r.row_count <= 7);
		for (size_t i = 0; i < r.row_count; i++, count++) {
			ret[count] = arena_keep(c->mem, r.rows[i].session);
			at[count] = r.rows[i].at;
		}
		more = r.more;
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	return count;
}

TEST(sessions_are_listed_in_the_order_of_their_first_slice_with_their_last_sequence)
{
	enum { SESSIONS = 50 };
	struct contract c;
	struct writer ws[SESSIONS];
	struct str found[SESSIONS + 1];
	int64_t at[SESSIONS + 1];

	contract_start(&c);
	for (size_t i = 0; i < SESSIONS; i++) {
		ws[i] = (struct writer){ .id = arena_printf(c.mem, "sess_%zu", i * 37 % SESSIONS) };
		contract_append(&c, &ws[i], 1 + i % 4);
	}
	for (int kind = READ_SESSIONS; kind <= READ_LOOSE; kind++) {
		CHECK_INT(walk_sessions(&c, (enum read_kind)kind, found, at), SESSIONS);
		for (size_t i = 0; i < SESSIONS; i++) {
			CHECK_SAME(found[i], ws[i].id);
			CHECK_INT(at[i], 1 + i % 4);
		}
	}
	contract_done(&c);
}

TEST(a_head_has_sequence_hash_and_floor)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_HEAD, .session = w.id };
	struct sha256 zero = { 0 };

	contract_start(&c);
	contract_append(&c, &w, 12);
	contract_read(&c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.head_seq, 12);
	CHECK(sha256_eq(&r.head_hash, &w.hash));
	CHECK_INT(r.floor_seq, 0);
	CHECK(sha256_eq(&r.floor_hash, &zero) && !str_is(r.floor_ref));
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- records of the journal ---- */

TEST(journal_records_are_read_by_the_sequence_of_their_first_event)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_JOURNAL, .session = w.id, .after = 4, .until = 13 };

	contract_start(&c);
	for (uint64_t i = 0; i < 5; i++) {
		struct journal_row row = { .seq = 4 * i + 1,
			                   .key = i % 2 ? STR("a\0b") : STR_NONE,
			                   .body = arena_printf(c.mem, "given %d", (int)i) };
		struct slice *sl = contract_slice(&c, &w, 4, 10);

		sl->journal = &row;
		sl->journal_count = 1;
		CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	}
	contract_read(&c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.journal_count, 3);
	CHECK_INT(r.journal[0].seq, 5);
	CHECK_STR(r.journal[0].key, "a\0b");
	CHECK_STR(r.journal[0].body, "given 1");
	CHECK(!str_is(r.journal[1].key));
	CHECK_INT(r.journal[2].seq, 13);
	CHECK_INT(r.scanned, 13);
	CHECK(!r.more);
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- snapshots ---- */

static struct slice *with_snapshot(struct contract *c, struct writer *w, size_t events,
                                   const char *state, const char *version)
{
	struct slice *sl = contract_slice(c, w, events, 10);

	sl->snapshot = str_from(state);
	sl->snapshot_version = str_from(version);
	sl->snapshot_seq = w->seq;
	return sl;
}

TEST(a_snapshot_replaces_the_last_one_and_is_found_by_its_version)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_SNAPSHOT,
		                .session = w.id,
		                .snapshot_version = STR("v1") };

	contract_start(&c);
	CHECK_INT(contract_commit(&c, with_snapshot(&c, &w, 3, "three", "v1")), SLICE_COMMITTED);
	contract_append(&c, &w, 2);
	contract_read(&c, &r);
	CHECK_OK(r.result, &r.error);
	CHECK_STR(r.snapshot, "three");
	CHECK_INT(r.snapshot_seq, 3);
	port_store_read_done(&r);
	CHECK_INT(contract_commit(&c, with_snapshot(&c, &w, 0, "five", "v2")), SLICE_COMMITTED);
	contract_read(&c, &r);
	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_store_read_done(&r);
	r.snapshot_version = STR("v2");
	contract_read(&c, &r);
	CHECK_STR(r.snapshot, "five");
	CHECK_INT(r.snapshot_seq, 5);
	CHECK(sha256_eq(&r.snapshot_hash, &w.hash));
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(the_end_of_a_result_empties_what_the_store_filled_and_no_more)
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

TEST(the_request_survives_the_end_of_its_result)
{
	struct contract c;
	struct writer w = { .id = STR("sess_a") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .max_rows = 3 };

	contract_start(&c);
	contract_append(&c, &w, 5);
	for (int i = 0; i < 2; i++) {
		contract_read(&c, &r);
		CHECK_INT(r.event_count, 3);
		port_store_read_done(&r);
		CHECK(!r.event_count && !r.mem && !r.more);
	}
	contract_done(&c);
}

TEST_MAIN()
