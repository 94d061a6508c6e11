/*
 * Issuers of tokens that change while the runtime runs: each change is one event of the system
 * session.  The power is cut before it, after it and at every write of its commit; afterwards the
 * event is there once or not at all, and the log is valid.
 */
#include "disk.h"
#include "sim.h"

#include "base/gen/limits.h"
#include "lib/t.h"

#define ADDRESS STR("https://id.example.org")
#define COMPANY STR("\"name\":\"company\"")

struct house {
	struct disk *disk;
	struct sim *sim;
};

static void house_open(struct house *h)
{
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "issuer",
	                                         .disk = h->disk,
	                                         .version = STR("0.0.1"),
	                                         .seed = 3 },
	                  &h->sim, &e),
	         &e);
}

static void change_of(struct house *h, struct str name, enum issuer_change what)
{
	struct control *c = engine_control(sim_engine(h->sim));

	c->ops->issuer_changed(c, name, what == ISSUER_CHANGE_REMOVED ? STR_NONE : ADDRESS, what);
}

static void change(struct house *h, enum issuer_change what)
{
	change_of(h, STR("company"), what);
}

/* Another issuer was added before, so that the system session is there. */
static void house_begin(struct house *h)
{
	h->disk = disk_new("issuer", 1);
	house_open(h);
	change_of(h, STR("first"), ISSUER_CHANGE_ADDED);
	sim_settle(h->sim);
}

static void house_end(struct house *h)
{
	sim_free(h->sim);
	disk_free(h->disk);
}

static void crash(struct house *h, enum disk_keep keep)
{
	if (!sim_is_dead(h->sim))
		disk_cut(h->disk, keep);
	sim_crash(h->sim);
	house_open(h);
	sim_settle(h->sim);
}

/* How often the log has this change of the issuer. */
static size_t count_of(struct house *h, const char *what)
{
	struct arena *mem = arena_new();
	struct str text = arena_printf(mem, "\"change\":\"%s\"", what);
	size_t n = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++)
		n += str_find(sim_log(h->sim)->lines[i], text) >= 0 &&
		     str_find(sim_log(h->sim)->lines[i], COMPANY) >= 0;
	arena_free(mem);
	return n;
}

static void check_log(struct house *h)
{
	const struct sim_answer *a =
		sim_call(h->sim, "verify_log", "{\"sessionId\":\"sess_system\"}");

	CHECK(a->is_done && !a->code);
	CHECK_SAME(sim_str(h->sim, a, "status"), STR("whole"));
}

static const char *const words[] = { [ISSUER_CHANGE_ADDED] = "added",
	                             [ISSUER_CHANGE_CHANGED] = "changed",
	                             [ISSUER_CHANGE_REMOVED] = "removed" };
static const enum issuer_change changes[] = { ISSUER_CHANGE_ADDED, ISSUER_CHANGE_CHANGED,
	                                      ISSUER_CHANGE_REMOVED };

TEST(a_change_that_the_power_cut_came_before_is_not_in_the_log)
{
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		struct house h = { 0 };

		house_begin(&h);
		change(&h, changes[i]);
		crash(&h, DISK_KEEP_NONE);
		CHECK_INT(count_of(&h, words[changes[i]]), 0);
		check_log(&h);
		/* The settings are read again at the start; a later change is recorded as always. */
		change(&h, changes[i]);
		sim_settle(h.sim);
		CHECK_INT(count_of(&h, words[changes[i]]), 1);
		check_log(&h);
		house_end(&h);
	}
}

TEST(a_change_that_the_power_cut_came_after_is_there_once)
{
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		struct house h = { 0 };

		house_begin(&h);
		change(&h, changes[i]);
		sim_settle(h.sim);
		CHECK_INT(count_of(&h, words[changes[i]]), 1);
		for (int again = 0; again < 2; again++) {
			crash(&h, DISK_KEEP_NONE);
			CHECK_INT(count_of(&h, words[changes[i]]), 1);
			check_log(&h);
		}
		house_end(&h);
	}
}

/* False: the plan was not carried out, because there were fewer operations. */
static bool cut_at(enum issuer_change what, enum disk_op on, enum disk_fault fault, uint64_t at,
                   size_t *ret_found)
{
	struct house h = { 0 };
	bool has_struck;

	house_begin(&h);
	disk_plan(h.disk, &(struct disk_plan){ .fault = fault,
	                                       .on = on,
	                                       .at = at,
	                                       .keep = fault == DISK_CUT ? DISK_KEEP_NONE
	                                                                 : DISK_KEEP_ALL });
	change(&h, what);
	sim_settle(h.sim);
	has_struck = disk_has_struck(h.disk);
	disk_plan(h.disk, &(struct disk_plan){ .fault = DISK_NO_FAULT });
	crash(&h, DISK_KEEP_NONE);
	*ret_found = count_of(&h, words[what]);
	CHECK(*ret_found <= 1);
	if (!has_struck)
		CHECK_INT(*ret_found, 1);
	check_log(&h);
	house_end(&h);
	return has_struck;
}

TEST(a_power_cut_at_every_write_leaves_the_change_whole_or_not_at_all)
{
	static const enum disk_op ops[] = { DISK_WRITE, DISK_SYNC };
	size_t lost = 0, kept = 0, found;

	for (size_t i = 0; i < COUNT_OF(changes) * COUNT_OF(ops) * 2; i++)
		for (uint64_t at = 1; cut_at(changes[i % 3], ops[i / 3 % 2],
		                             i / 6 ? DISK_CUT_AFTER : DISK_CUT, at, &found);
		     at++) {
			lost += !found;
			kept += found;
		}
	/* Both sides of the commit were tried. */
	CHECK(lost > 0 && kept > 0);
}

/* More than the commands that may wait for a session: the system session is not loaded yet. */
TEST(hundreds_of_changes_are_recorded_in_their_order)
{
	struct house h = { .disk = disk_new("issuer", 1) };
	size_t rounds = LIMIT_SESSION_WAITING_COMMANDS;

	house_open(&h);
	for (size_t i = 0; i < rounds; i++)
		for (size_t k = 0; k < COUNT_OF(changes); k++)
			change(&h, changes[k]);
	sim_settle(h.sim);
	for (size_t k = 0; k < COUNT_OF(changes); k++)
		CHECK_INT(count_of(&h, words[changes[k]]), rounds);
	crash(&h, DISK_KEEP_NONE);
	for (size_t k = 0; k < COUNT_OF(changes); k++)
		CHECK_INT(count_of(&h, words[changes[k]]), rounds);
	for (size_t i = 0, next = 0; i < sim_log(h.sim)->count; i++) {
		struct str line = sim_log(h.sim)->lines[i];

		if (str_find(line, COMPANY) < 0)
			continue;
		CHECK(str_find(line, str_from(words[changes[next % 3]])) >= 0);
		next++;
	}
	check_log(&h);
	house_end(&h);
}

TEST_MAIN()
