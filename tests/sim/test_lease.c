/*
 * Leases of external workers across a stop: thousands that expired meanwhile are
 * noticed together.
 */
#include "disk.h"
#include "sim.h"

#include "lib/t.h"

#define DAY_ONE 1794700800000 /* 2026-11-15T00:00:00Z */
#define LEASE_MS 5000

struct house {
	struct disk *disk;
	struct sim *sim;
};

static void house_open(struct house *h, int64_t start_ms)
{
	struct error e = { 0 };

	CHECK_OK(sim_open(&(struct sim_options){ .dir = "d",
	                                         .vfs = "lease",
	                                         .disk = h->disk,
	                                         .start_ms = start_ms,
	                                         .seed = 2 },
	                  &h->sim, &e),
	         &e);
}

static void ask(struct house *h, const char *command, struct str params)
{
	const struct sim_answer *a = sim_call(h->sim, command, params.ptr);

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
}

/* A task in its own session, claimed by a worker. */
static void claim(struct house *h, unsigned i)
{
	struct arena *mem = arena_new();

	ask(h, "create_task",
	    arena_printf(mem, "{\"sessionId\":\"s-%u\",\"taskId\":\"t-%u\",\"objective\":\"o\"}", i,
	                 i));
	ask(h, "start_task",
	    arena_printf(mem,
	                 "{\"sessionId\":\"s-%u\",\"taskId\":\"t-%u\",\"worker\":{\"kind\":"
	                 "\"external\"}}",
	                 i, i));
	ask(h, "claim_task",
	    arena_printf(mem,
	                 "{\"sessionId\":\"s-%u\",\"taskId\":\"t-%u\",\"workerId\":\"w-%u\","
	                 "\"leaseMs\":%d}",
	                 i, i, i, LEASE_MS));
	arena_free(mem);
}

static size_t count_of(struct house *h, struct str begin)
{
	size_t n = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++)
		n += str_starts(sim_log(h->sim)->lines[i], begin);
	return n;
}

TEST(thousands_that_ran_out_while_the_runtime_was_down_are_noticed_together)
{
	struct house h = { .disk = disk_new("lease", 1) };
	unsigned count = getenv("THOLE_DEEP") ? 8000 : 1500;

	house_open(&h, DAY_ONE);
	for (unsigned i = 0; i < count; i++)
		claim(&h, i);
	sim_settle(h.sim);
	CHECK_INT(count_of(&h, STR("{\"type\":\"task.lost\"")), 0);
	disk_cut(h.disk, DISK_KEEP_ALL);
	sim_crash(h.sim);
	house_open(&h, DAY_ONE + 3600000);
	/* No worker could send a heartbeat: each has one more lease from here. */
	sim_run(h.sim, LEASE_MS - 500);
	CHECK_INT(count_of(&h, STR("{\"type\":\"task.lost\"")), 0);
	sim_run(h.sim, 1000);
	CHECK_INT(count_of(&h, STR("{\"type\":\"task.lost\"")), count);
	sim_free(h.sim);
	disk_free(h.disk);
}

/* More than one page of rows precedes it. */
TEST(a_claim_finds_a_task_behind_hundreds_of_another_kind)
{
	struct house h = { .disk = disk_new("lease", 1) };
	const struct sim_answer *a;

	house_open(&h, DAY_ONE);
	for (unsigned i = 0; i <= 300; i++) {
		struct arena *mem = arena_new();

		ask(&h, "create_task",
		    arena_printf(
			    mem,
			    "{\"sessionId\":\"s-%u\",\"taskId\":\"t-%03u\",\"objective\":\"o\","
			    "\"taskKind\":\"%s\"}",
			    i, i, i == 300 ? "rare" : "usual"));
		ask(&h, "start_task",
		    arena_printf(mem,
		                 "{\"sessionId\":\"s-%u\",\"taskId\":\"t-%03u\",\"worker\":{"
		                 "\"kind\":\"external\"}}",
		                 i, i));
		arena_free(mem);
	}
	a = sim_call(h.sim, "claim_task", "{\"workerId\":\"w\",\"taskKind\":\"rare\"}");
	CHECK(a->is_done && !a->code);
	CHECK_SAME(sim_str(h.sim, a, "taskId"), STR("t-300"));
	sim_free(h.sim);
	disk_free(h.disk);
}

TEST_MAIN()
