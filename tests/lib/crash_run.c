#include "crash_run_int.h"

#include "base/map.h"
#include "base/memory.h"
#include "memory_blobs.h"

#include <stdarg.h>
#include <stdio.h>

#define VFS "thole-crash-run"

void crash_run_fail(struct crash_run *t, const char *fmt, ...)
{
	va_list args;

	if (t->why[0])
		return;
	va_start(args, fmt);
	vsnprintf(t->why, sizeof t->why, fmt, args);
	va_end(args);
	if (t->o.is_loud)
		fprintf(stderr, "! %s\n", t->why);
}

const char *crash_run_why(const struct crash_run *t)
{
	return t->why[0] ? t->why : NULL;
}

bool crash_run_lives(const struct crash_run *t)
{
	return t->sim && !sim_is_dead(t->sim) && !t->why[0];
}

static struct map *map_new(struct crash_run *t)
{
	return ARENA_NEW(t->mem, struct map);
}

static void cut(void *arg)
{
	memory_blobs_cut(((struct crash_run *)arg)->memory_blobs);
}

struct crash_run *crash_run_new(struct invariants *invariants, const struct crash_run_options *o)
{
	struct crash_run *t = memory_zeroed(1, sizeof *t);

	t->o = *o;
	t->rng = rng_of(o->seed, 1);
	t->mem = arena_new();
	t->invariants = invariants;
	t->disk = disk_new(VFS, o->seed);
	if (o->files)
		disk_copy_files(t->disk, o->files);
	disk_lie_about_sync(t->disk, o->disk_lies);
	disk_on_cut(t->disk, cut, t);
	t->memory_blobs = memory_blobs_new(o->seed);
	t->wall_ms = 1794700800000; /* 2026-11-15T00:00:00Z */
	t->boot_ms = 3600000;
	t->started = map_new(t);
	t->marks = map_new(t);
	t->turns = map_new(t);
	t->decisions = map_new(t);
	t->requests = map_new(t);
	t->keys = map_new(t);
	t->partial = map_new(t);
	return t;
}

void crash_run_free(struct crash_run *t)
{
	if (!t)
		return;
	if (t->sim)
		crash_run_cut(t, DISK_KEEP_NONE);
	for (size_t i = 0; i < t->session_count; i++)
		invariant_log_free(t->sessions[i]->log);
	map_done(t->started);
	map_done(t->marks);
	map_done(t->turns);
	map_done(t->decisions);
	map_done(t->requests);
	map_done(t->keys);
	map_done(t->partial);
	disk_free(t->disk);
	memory_blobs_free(t->memory_blobs);
	arena_free(t->mem);
	memory_free(t);
}

/* ---- starting and ending ---- */

static struct store *on_store(void *owner, struct store *st)
{
	struct crash_run *t = owner;
	struct slow_store_options o = { .seed = t->o.seed * 131 + t->runs,
		                        .hold_percent = t->o.hold_percent,
		                        .lie = t->o.lie,
		                        .publish = seen_early,
		                        .owner = t };

	store_check(t, st);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		pending_find(t, t->sessions[i]);
	return slow_store_open(st, &o);
}

static const struct sim_watch watch = {
	.store = on_store, .event = seen_followed, .model = seen_model, .tool = seen_tool
};

bool crash_run_start(struct crash_run *t, const struct crash_run_process *run)
{
	uint64_t chance = (t->o.seed * 1000 + t->runs) * 0x9e3779b97f4a7c15ull >> 20;
	bool is_reboot = !t->runs || chance % 7 == 0;
	/* The clock may have been set, too. */
	int64_t step = t->runs && chance % 5 == 0 ? (int64_t)(chance / 5 % 7200000) - 3600000 : 0;

	if (is_reboot)
		snprintf(t->boot_id, sizeof t->boot_id, "boot-%u", t->runs);
	struct sim_options o = {
		.dir = "d",
		.vfs = VFS,
		.disk = t->disk,
		.memory_blobs = t->memory_blobs,
		.script = t->o.script,
		.version = t->o.seed % 3 ? STR_NONE : STR("0"),
		.seed = t->o.seed * 1000 + t->runs,
		.has_prompt = t->o.seed % 4 == 3,
		.start_ms = t->wall_ms + run->down_ms + step,
		.boot_ms = is_reboot ? 1000 : t->boot_ms + MAX(run->down_ms, 0),
		.boot_id = t->boot_id,
		.resume_by_itself = run->resume_by_itself,
		.unattended = run->unattended,
		.tracing = run->tracing,
		.mode = run->mode,
		.snapshot_events = run->snapshot_events,
		.idle_evict_ms = run->idle_evict_ms,
		.retain_events = run->retain_events,
		.tasks = { .runtime = run->tasks },
		.watch = &watch,
		.watcher = t,
	};
	unsigned cuts = disk_cuts(t->disk);
	struct error e = { 0 };

	t->runs++;
	t->cuts = cuts;
	t->pending = NULL;
	if (t->o.is_loud)
		fprintf(stderr, "== run %u%s\n", t->runs, run->resume_by_itself ? ", resumes" : "");
	if (sim_open(&o, &t->sim, &e) != OK) {
		t->sim = NULL;
		if (disk_cuts(t->disk) == cuts && !disk_has_struck(t->disk))
			crash_run_fail(t, "it does not start: %s", e.message);
		return false;
	}
	if (!crash_run_lives(t))
		return false;
	pending_check(t);
	check_marks(t);
	answers_check(t);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!t->sessions[i]->is_deleted &&
		    t->sessions[i]->again != invariant_count(t->sessions[i]->log))
			crash_run_fail(t, "the follower has %.*s through %zu of %zu",
			               STR_ARG(t->sessions[i]->id), t->sessions[i]->again,
			               invariant_count(t->sessions[i]->log));
	check_rest(t, INVARIANT_LIVE);
	return !t->why[0];
}

static void forget_answers(struct crash_run *t)
{
	for (size_t i = 0; i < CRASH_RUN_READERS; i++)
		t->readers[i].sub = NULL;
	for (size_t i = 0; i < CRASH_RUN_CHANNELS; i++)
		t->channels[i].face = NULL;
	for (size_t i = 0; i < t->sent_count; i++)
		t->sent[i]->response = NULL;
	t->harvested = t->sent_count;
}

static void count_packed(struct crash_run *t)
{
	struct store_stats st;

	if (!t->sim)
		return;
	sim_store(t->sim)->ops->stats(sim_store(t->sim), &st);
	t->packed += st.packed;
}

void crash_run_cut(struct crash_run *t, enum disk_keep keep)
{
	if (t->o.is_loud)
		fprintf(stderr, "== cut%s\n",
		        t->sim && sim_is_dead(t->sim) ? " inside an operation" : "");
	if (t->sim) {
		t->wall_ms = sim_wall_ms(t->sim);
		t->boot_ms = sim_boot_ms(t->sim);
	}
	if (!t->sim || !sim_is_dead(t->sim) || sim_fatal(t->sim))
		disk_cut(t->disk, keep);
	readers_drop(t);
	forget_answers(t);
	count_packed(t);
	if (t->sim)
		sim_crash(t->sim);
	t->sim = NULL;
}

void crash_run_stop(struct crash_run *t)
{
	if (t->o.is_loud)
		fprintf(stderr, "== stop\n");
	crash_run_settle(t);
	t->wall_ms = sim_wall_ms(t->sim);
	t->boot_ms = sim_boot_ms(t->sim);
	count_packed(t);
	sim_free(t->sim);
	forget_answers(t);
	t->sim = NULL;
}

struct disk *crash_run_fresh_disk(struct invariants *invariants, struct str script)
{
	struct crash_run *t = crash_run_new(
		invariants, &(struct crash_run_options){ .seed = 1, .script = script });
	struct disk *d = NULL;

	if (crash_run_start(t, &(struct crash_run_process){ .snapshot_events = 1000,
	                                                    .idle_evict_ms = 1000 })) {
		crash_run_stop(t);
		d = t->disk;
		disk_put_away(d);
		t->disk = NULL;
	}
	crash_run_free(t);
	return d;
}

/* ---- time ---- */

void crash_run_turn(struct crash_run *t, unsigned turns)
{
	for (unsigned i = 0; i < turns && crash_run_lives(t); i++) {
		sim_turn(t->sim);
		crash_run_harvest(t);
	}
}

void crash_run_settle(struct crash_run *t)
{
	if (!crash_run_lives(t))
		return;
	if (sim_settle(t->sim) >= 1000000)
		crash_run_fail(t, "it does not settle");
	crash_run_harvest(t);
}

void crash_run_run(struct crash_run *t, int64_t ms)
{
	if (!crash_run_lives(t))
		return;
	sim_run(t->sim, ms);
	crash_run_harvest(t);
}

void crash_run_leap(struct crash_run *t, int64_t ms)
{
	if (!crash_run_lives(t))
		return;
	sim_leap(t->sim, ms);
	crash_run_harvest(t);
}
