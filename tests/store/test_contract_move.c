/*
 * The contract of ports/store_move.h: a log that is moved to another store is the same log.
 *
 * Between random requests the whole log is moved to a store of another kind; the replies stay
 * those of the model, positions included.  With THOLE_STORE=postgres databases take part.
 */
#include "random.h"

#define STEPS 1500
#define SEEDS 6
#define SEEDS_DEEP 60
#define SEEDS_OF_KIND 2
#define MOVE_EVERY 250

/* ---- moving ---- */

/* Each page is written; some twice, as after a crash between the page and what follows it. */
static uint64_t move_part(struct contract *from, struct contract *to, enum store_part part)
{
	struct str after = STR_NONE;
	uint64_t pages = 0;

	for (;; pages++) {
		struct store_page page = { .part = part, .after = after };
		struct error e;

		CHECK_OK(from->store->move->take(from->store, &page, &e), &e);
		if (!page.rows)
			return pages;
		for (uint64_t i = 0; i <= pages % 2; i++)
			CHECK_OK(to->store->move->put(to->store, &page, STR("half"), &e), &e);
		after = arena_keep(from->mem, page.next);
		port_store_page_done(&page);
	}
}

/* The store of `c` becomes one of this kind, with the same log. */
static void move_to(struct contract *c, const char *kind)
{
	struct contract to;
	struct error e;
	struct store_contents there;
	uint64_t last;

	contract_init(&to, contract_kind(kind));
	CHECK_OK(to.store->move->look(to.store, to.mem, &there, &e), &e);
	CHECK(there.is_empty && !there.other_nodes);
	CHECK_OK(c->store->move->look(c->store, c->mem, &there, &e), &e);
	last = there.last_position;
	for (unsigned part = 0; part < STORE_PARTS; part++)
		if (part != STORE_PART_OUTPUT)
			move_part(c, &to, (enum store_part)part);
	CHECK_OK(to.store->move->look(to.store, to.mem, &there, &e), &e);
	CHECK_INT(there.last_position, last);
	contract_done(c);
	contract_close(&to);
	*c = to;
	sem_init(&c->woken, 0, 0);
	contract_open(c);
}

/* ---- one by one ---- */

static const char *kind_a(void)
{
	const char *name = getenv("THOLE_STORE");

	return name ? name : "sqlite";
}

static const char *kind_b(void)
{
	return strcmp(kind_a(), "sqlite") == 0 ? "sqlite-threads" : "sqlite";
}

/* There and back. */
static void move_around(struct contract *c)
{
	move_to(c, kind_b());
	move_to(c, kind_a());
}

static struct store_read read_events(struct contract *c, struct str id)
{
	struct store_read r = { .kind = READ_EVENTS, .session = id };

	contract_read(c, &r);
	CHECK_INT(r.result, OK);
	return r;
}

static void put_value(struct contract *c, const char *key, const char *value)
{
	struct error e;

	CHECK_OK(c->store->ops->set_meta(c->store, str_from(key), str_from(value), &e), &e);
}

static struct str value_of(struct contract *c, const char *key)
{
	struct str value = STR_NONE;

	(void)!c->store->ops->get_meta(c->store, c->mem, str_from(key), &value, NULL);
	return value;
}

/* A device that a node revoked must not come back with the list from before it was a node. */
TEST(values_of_a_node_are_those_of_a_store_of_one_node_afterwards)
{
	static const char *const keys[] = { "a", "z" }; /* before and behind "node:" */
	struct contract c;

	contract_start(&c);
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		put_value(&c, keys[i], "before");
		put_value(&c, arena_printf(c.mem, "node:n:%s", keys[i]).ptr, "as the node has it");
	}
	put_value(&c, "shared", "kept");
	move_to(&c, kind_b());
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		CHECK_STR(value_of(&c, keys[i]), "as the node has it");
	CHECK(!str_is(value_of(&c, "node:n:a")));
	CHECK_STR(value_of(&c, "shared"), "kept");
	contract_done(&c);
}

TEST(events_keep_bytes_hashes_and_positions_and_the_log_continues)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") };
	struct store_read before, now;

	contract_start(&c);
	contract_append(&c, &a, 3);
	contract_append(&c, &b, 200);
	contract_append(&c, &a, 40);
	before = read_events(&c, a.id);
	move_around(&c);
	now = read_events(&c, a.id);
	CHECK_INT(now.event_count, 43);
	for (size_t i = 0; i < 43; i++) {
		CHECK_SAME(bytes_str(now.events[i].body), bytes_str(before.events[i].body));
		CHECK(sha256_eq(&now.events[i].hash, &before.events[i].hash));
		CHECK_INT(now.events[i].position, before.events[i].position);
	}
	port_store_read_done(&before);
	port_store_read_done(&now);
	contract_append(&c, &a, 2);
	now = read_events(&c, a.id);
	CHECK_INT(now.events[43].position, 244);
	CHECK_INT(now.head_seq, 45);
	port_store_read_done(&now);
	contract_done(&c);
}

TEST(a_new_session_gets_a_number_that_a_deleted_one_never_had)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") }, b = { .id = STR("sess_b") },
		      d = { .id = STR("sess_d") };
	struct store_maintenance sweep;
	struct slice *sl;
	struct store_read r = { .kind = READ_HEAD, .session = STR("sess_b") };

	contract_start(&c);
	contract_append(&c, &a, 1);
	contract_append(&c, &b, 2);
	sl = contract_slice(&c, &a, 1, 20);
	sl->pending_ops = ARENA_NEW(c.mem, struct pending_op);
	sl->pending_ops[0] = (struct pending_op){ .kind = MAINTENANCE_SWEEP,
		                                  .seq = a.seq,
		                                  .ref = b.id,
		                                  .last_seq = b.seq,
		                                  .last_hash = b.hash };
	sl->pending_count = 1;
	CHECK_INT(contract_commit(&c, sl), SLICE_COMMITTED);
	move_around(&c);
	contract_read(&c, &r);
	CHECK(r.is_removed);
	CHECK_INT(r.removed_by, 2);
	CHECK_INT(r.removed_seq, 2);
	port_store_read_done(&r);
	CHECK_INT(contract_commit(
			  &c, contract_slice(&c, &(struct writer){ .id = STR("sess_b") }, 1, 20)),
	          SLICE_CONFLICT);
	contract_append(&c, &d, 1);
	do {
		sweep = (struct store_maintenance){ .kind = MAINTENANCE_SWEEP };
		contract_step(&c, &sweep);
		arena_free(sweep.mem);
	} while (sweep.more);
	r = read_events(&c, d.id);
	CHECK_INT(r.event_count, 1);
	port_store_read_done(&r);
	contract_done(&c);
}

TEST(how_far_a_move_has_come_is_written_with_each_page)
{
	struct contract c, to;
	struct writer a = { .id = STR("sess_a") };
	struct store_page page = { .part = STORE_PART_SESSION };
	struct str text;
	struct error e;

	contract_start(&c);
	contract_append(&c, &a, 1);
	contract_init(&to, contract_kind(kind_b()));
	CHECK_OK(c.store->move->take(c.store, &page, &e), &e);
	CHECK_INT(page.rows, 1);
	CHECK_OK(to.store->move->put(to.store, &page, STR("here"), &e), &e);
	port_store_page_done(&page);
	contract_reopen(&to);
	CHECK_OK(to.store->ops->get_meta(to.store, to.mem, STR(STORE_MOVE_KEY), &text, &e), &e);
	CHECK_STR(text, "here");
	/* It is not moved any further. */
	page = (struct store_page){ .part = STORE_PART_META };
	CHECK_OK(to.store->move->take(to.store, &page, &e), &e);
	CHECK_INT(page.rows, 0);
	port_store_page_done(&page);
	contract_done(&to);
	contract_done(&c);
}

TEST(pages_end_by_rows_and_bytes_and_continue_where_they_ended)
{
	struct contract c;
	struct writer a = { .id = STR("sess_a") };
	struct store_read r;

	contract_start(&c);
	for (unsigned i = 0; i < 30; i++)
		CHECK_INT(contract_commit(&c, contract_slice(&c, &a, 100, 2000)), SLICE_COMMITTED);
	for (unsigned i = 0; i < 2500; i++) {
		struct writer w = { .id = arena_printf(c.mem, "sess_%u", i) };

		contract_append(&c, &w, 1);
	}
	move_around(&c);
	CHECK_INT(contract_stats(&c).sessions, 2501);
	CHECK_INT(contract_stats(&c).events, 5500);
	r = read_events(&c, STR("sess_2499"));
	CHECK_INT(r.event_count, 1);
	port_store_read_done(&r);
	contract_done(&c);
}

/* ---- at random ---- */

static void step(struct run *r)
{
	uint64_t n = random_any(r, 100);

	if (n < 45)
		random_step_batches(r);
	else if (n < 80)
		random_step_read(r);
	else if (n < 92)
		random_step_maintenance(r);
	else
		random_step_other(r);
}

static bool has_lines(struct str all, struct str some)
{
	while (some.len) {
		struct str line = str_cut(&some, '\n');

		if (line.len && str_find(all, line) < 0)
			return false;
	}
	return true;
}

static void play(uint64_t seed)
{
	struct contract a, b;
	struct world w = { .rng = rng_of(seed, 31) };

	contract_init(&a, contract_kind(kind_a()));
	contract_init(&b, contract_kind("model"));
	for (int i = 1; i <= STEPS; i++) {
		CLEANUP(buf_done) struct buf x = { 0 };
		CLEANUP(buf_done) struct buf y = { 0 };
		struct world copy = w;
		struct run ra = { &w, &a, &x, false }, rb = { &copy, &b, &y, false };

		step(&ra);
		step(&rb);
		if (ra.is_subset ? !has_lines(buf_str(&x), buf_str(&y))
		                 : !str_eq(buf_str(&x), buf_str(&y)))
			t_fail(__FILE__, __LINE__, "seed %llu, step %d\n%s: %.*s\nmodel: %.*s",
			       (unsigned long long)seed, i, a.kind->name, (int)MIN(x.len, 900u),
			       x.ptr, (int)MIN(y.len, 900u), y.ptr);
		if (i % MOVE_EVERY == 0) {
			move_to(&a, strcmp(a.kind->name, kind_a()) == 0 ? kind_b() : kind_a());
			contract_reopen(&b);
		}
	}
	contract_done(&a);
	contract_done(&b);
}

TEST(every_reply_after_a_move_is_that_of_the_model)
{
	const char *only = getenv("THOLE_SEED");
	uint64_t seeds = getenv("THOLE_DEEP") ? SEEDS_DEEP : SEEDS;

	if (only) {
		play(strtoull(only, NULL, 10));
		return;
	}
	if (getenv("THOLE_STORE"))
		seeds = (getenv("THOLE_DEEP") ? 10 : 1) * SEEDS_OF_KIND;
	for (uint64_t seed = 0; seed < seeds; seed++)
		play(seed);
}

TEST_MAIN()
