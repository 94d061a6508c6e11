/*
 * One flipped bit anywhere in log.db: every returned event is what was written,
 * a damaged page is reported, and other sessions stay intact.
 */
#include "test_store_fixture.h"
#include "base/memory.h"

enum { SESSIONS = 6, EVENTS = 40, FLIPS = 400 };

/* Half of the sessions are packed, so that both kinds of storage are hit. */
static void write_sessions(struct fixture *g, struct writer *w)
{
	static const char *const ids[SESSIONS] = { "sess_a", "sess_b", "sess_c",
		                                   "sess_d", "sess_e", "sess_f" };

	for (int i = 0; i < SESSIONS; i++)
		w[i] = (struct writer){ .id = str_from(ids[i]) };
	for (int n = 0; n < EVENTS / 4; n++)
		for (int i = 0; i < SESSIONS; i++)
			CHECK_INT(commit(g, slice_of(g, &w[i], 4, 300 + 97 * (size_t)i)),
			          SLICE_COMMITTED);
	for (int i = 0; i < SESSIONS / 2; i++) {
		struct store_maintenance u = { .kind = MAINTENANCE_PACK,
			                       .session = w[i].id,
			                       .seq = w[i].seq };

		maintenance_all(g, &u);
	}
}

static char *read_log(struct fixture *g, size_t *ret_len)
{
	FILE *f = fopen(path_in(g, "log.db").ptr, "r");
	char *data;

	CHECK(f);
	fseek(f, 0, SEEK_END);
	*ret_len = (size_t)ftell(f);
	rewind(f);
	data = memory_alloc(*ret_len);
	CHECK_INT(fread(data, 1, *ret_len, f), *ret_len);
	fclose(f);
	return data;
}

static void write_log(struct fixture *g, const char *data, size_t len)
{
	FILE *f = fopen(path_in(g, "log.db").ptr, "w");

	CHECK(f);
	CHECK_INT(fwrite(data, 1, len, f), len);
	fclose(f);
}

static size_t size_of_session(int i)
{
	return 300 + 97 * (size_t)i;
}

static int session_of(struct writer *w, struct str id)
{
	for (int i = 0; i < SESSIONS; i++)
		if (str_eq(w[i].id, id))
			return i;
	return -1;
}

/* Bodies here are no envelopes, so the type of a row without a sum is not known from elsewhere. */
static bool has_sums;

static void check_event(struct fixture *g, struct writer *w, int i, const struct event_row *row)
{
	struct str body = body_of(g->mem, &w[i], row->seq, size_of_session(i));

	CHECK(str_eq(bytes_str(row->body), body));
	CHECK(!has_sums || row->type == row->seq % 7);
}

/* Reads to the end of the session; returns the number of events and of those reported as damaged. */
static uint64_t read_session(struct fixture *g, struct writer *w, int i, uint64_t *ret_damaged)
{
	struct store_read r = {
		.kind = READ_EVENTS, .session = w[i].id, .takes_gaps = true, .max_rows = 7
	};
	uint64_t events = 0;
	bool more = true;

	*ret_damaged = 0;
	while (more) {
		ask(g, &r);
		if (r.result != OK) {
			CHECK(r.result == ERR_CORRUPT || r.result == ERR_IO ||
			      r.result == ERR_STORE);
			*ret_damaged += EVENTS - events;
			port_store_read_done(&r);
			return events;
		}
		for (size_t n = 0; n < r.event_count; n++) {
			CHECK_INT(r.events[n].seq, r.after + n + 1);
			check_event(g, w, i, &r.events[n]);
		}
		events += r.event_count;
		if (r.is_corrupt) {
			CHECK_INT(r.corrupt_from, r.after + r.event_count + 1);
			CHECK_INT(r.scanned, r.corrupt_to);
			*ret_damaged += r.corrupt_to - r.corrupt_from + 1;
		}
		more = r.more;
		CHECK(!more || r.scanned > r.after);
		r.after = r.scanned;
		port_store_read_done(&r);
	}
	return events;
}

/* Every event that the order over all sessions gives is what was written. */
static void read_everything(struct fixture *g, struct writer *w)
{
	struct store_read r = { .kind = READ_ALL, .takes_gaps = true, .max_rows = 50 };
	bool more = true;

	while (more) {
		ask(g, &r);
		if (r.result != OK)
			more = false;
		for (size_t n = 0; n < r.event_count; n++) {
			int i = session_of(w, r.events[n].session);

			CHECK(i >= 0);
			check_event(g, w, i, &r.events[n]);
		}
		more = more && r.more;
		CHECK(!more || r.scanned > r.after);
		r.after = r.scanned;
		port_store_read_done(&r);
	}
}

/* How many sessions lost something; the store may also refuse to be opened. */
static int read_flipped(struct fixture *g, struct writer *w, bool *ret_open)
{
	struct store_sqlite_options o = options(g);
	struct error e;
	int hurt = 0;

	*ret_open = sqlite_open(&o, &g->store, &e) == OK;
	if (!*ret_open) {
		g->store = NULL;
		return 0;
	}
	for (int i = 0; i < SESSIONS; i++) {
		uint64_t damaged, events = read_session(g, w, i, &damaged);

		/* No loss is silent, unless the whole session is lost. */
		CHECK(events + damaged >= EVENTS || (events == 0 && damaged == 0));
		hurt += events != EVENTS;
	}
	read_everything(g, w);
	fixture_close(g);
	return hurt;
}

static void flip(bool is_old)
{
	struct fixture g;
	struct writer w[SESSIONS];
	uint64_t seed = 0x9e3779b97f4a7c15u;
	size_t len;
	char *data;
	int refused = 0, found = 0, many = 0;

	has_sums = !is_old;
	fixture_start(&g, false);
	write_sessions(&g, w);
	fixture_close(&g);
	if (is_old)
		edit_file(&g, "UPDATE event SET sum = NULL; UPDATE pack SET sum = NULL;"
		              "UPDATE session SET sum = NULL; VACUUM");
	data = read_log(&g, &len);
	for (int n = 0; n < FLIPS; n++) {
		struct arena *kept = g.mem;
		bool is_open;
		size_t at;
		int hurt;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(seed >> 20) % len;
		data[at] ^= (char)(1 << (seed >> 60 & 7));
		write_log(&g, data, len);
		g.mem = arena_new();
		hurt = read_flipped(&g, w, &is_open);
		arena_free(g.mem);
		g.mem = kept;
		refused += !is_open;
		found += hurt > 0;
		many += hurt > SESSIONS / 2;
		unlink(path_in(&g, "log.db-wal").ptr);
		unlink(path_in(&g, "log.db-shm").ptr);
		data[at] ^= (char)(1 << (seed >> 60 & 7));
	}
	printf("%d flips: %d hurt an event, %d more than half of the sessions, %d refused\n", FLIPS,
	       found, many, refused);
	/* Most of the file is events, so a check that finds little does not look. */
	CHECK(found > FLIPS / 8 && many < FLIPS / 10);
	free(data);
	fixture_done(&g);
}

TEST(no_flipped_bit_is_given_out_as_an_event)
{
	flip(false);
}

TEST(nor_in_a_file_that_an_older_version_wrote)
{
	flip(true);
}

/* ---- one kind of damage each ---- */

struct damage_case {
	const char *sql;
	uint64_t from, to;
};

TEST(each_kind_of_damage_ends_the_page_where_it_is)
{
	static const struct damage_case cases[] = {
		{ "UPDATE event SET body = CAST('{}' AS BLOB) WHERE seq = 5", 5, 5 },
		{ "UPDATE event SET type = 6 WHERE seq = 9", 9, 9 },
		{ "UPDATE event SET hash = zeroblob(32) WHERE seq = 3", 3, 3 },
		{ "UPDATE event SET hash = zeroblob(31) WHERE seq = 3", 3, 3 },
		{ "UPDATE event SET digest = zeroblob(32) WHERE seq = 7", 7, 7 },
		{ "DELETE FROM event WHERE seq BETWEEN 4 AND 6", 4, 6 },
		{ "DELETE FROM event WHERE seq = 12", 12, 12 },
		{ "UPDATE event SET seq = 100 WHERE seq = 2", 2, 2 },
		{ "UPDATE event SET position = 999 WHERE seq = 8", 8, 8 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct fixture g;
		struct writer w = { .id = STR("sess_a") }, other = { .id = STR("sess_b") };
		struct store_read r = { .kind = READ_EVENTS, .session = w.id, .takes_gaps = true };

		fixture_start(&g, false);
		CHECK_INT(commit(&g, slice_of(&g, &w, 12, 80)), SLICE_COMMITTED);
		fixture_close(&g);
		edit_file(&g, cases[i].sql);
		fixture_open(&g);
		CHECK_INT(commit(&g, slice_of(&g, &other, 5, 80)), SLICE_COMMITTED);
		ask(&g, &r);
		CHECK_OK(r.result, &r.error);
		CHECK(r.is_corrupt);
		CHECK_INT(r.corrupt_from, cases[i].from);
		CHECK_INT(r.corrupt_to, cases[i].to);
		CHECK_INT(r.event_count, cases[i].from - 1);
		CHECK_INT(r.scanned, cases[i].to);
		port_store_read_done(&r);
		/* A caller that needs everything gets the error that something is missing. */
		r.takes_gaps = false;
		ask(&g, &r);
		CHECK_INT(r.result, ERR_CORRUPT);
		port_store_read_done(&r);
		CHECK_INT(check_session(&g, other.id, 0), 5);
		fixture_done(&g);
	}
}

TEST(a_damaged_record_of_a_session_stops_that_session_alone)
{
	struct fixture g;
	struct writer w = { .id = STR("sess_a") }, other = { .id = STR("sess_b") };
	struct store_read r = { .kind = READ_EVENTS, .session = w.id, .takes_gaps = true };
	struct batch *b;
	struct slice *bad, *good;

	fixture_start(&g, false);
	CHECK_INT(commit(&g, slice_of(&g, &w, 3, 80)), SLICE_COMMITTED);
	fixture_close(&g);
	edit_file(&g, "UPDATE session SET last_seq = 2 WHERE id = 'sess_a'");
	fixture_open(&g);
	ask(&g, &r);
	CHECK_INT(r.result, ERR_CORRUPT);
	CHECK(strstr(r.error.message, "sess_a"));
	port_store_read_done(&r);
	bad = slice_of(&g, &w, 1, 80);
	good = slice_of(&g, &other, 1, 80);
	bad->next = good;
	b = batch_of(&g, bad);
	g.store->ops->submit(g.store, b);
	poll_for(&g, 1);
	CHECK_INT(bad->state, SLICE_CORRUPT);
	CHECK_INT(good->state, SLICE_COMMITTED);
	batch_done(b);
	fixture_done(&g);
}

TEST_MAIN()
