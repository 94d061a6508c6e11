#include "trial_int.h"

#include "base/map.h"
#include "box.h"

#include <stdarg.h>
#include <stdio.h>

#define VFS "thole-trial"

void trial_fail(struct trial *t, const char *fmt, ...)
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

const char *trial_why(const struct trial *t)
{
	return t->why[0] ? t->why : NULL;
}

bool trial_lives(const struct trial *t)
{
	return t->sim && !sim_is_dead(t->sim) && !t->why[0];
}

static struct map *map_new(struct trial *t)
{
	return ARENA_NEW(t->mem, struct map);
}

static void cut(void *arg)
{
	box_cut(((struct trial *)arg)->box);
}

struct trial *trial_new(struct laws *laws, const struct trial_options *o)
{
	struct trial *t = xcalloc(1, sizeof *t);

	t->o = *o;
	t->rng = rng_of(o->seed, 1);
	t->mem = arena_new();
	t->laws = laws;
	t->disk = disk_new(VFS, o->seed);
	if (o->files)
		disk_copy_files(t->disk, o->files);
	disk_lie_about_sync(t->disk, o->disk_lies);
	disk_on_cut(t->disk, cut, t);
	t->box = box_new(o->seed);
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

void trial_free(struct trial *t)
{
	if (!t)
		return;
	if (t->sim)
		trial_cut(t, DISK_KEEP_NONE);
	for (size_t i = 0; i < t->session_count; i++)
		law_log_free(t->sessions[i]->log);
	map_done(t->started);
	map_done(t->marks);
	map_done(t->turns);
	map_done(t->decisions);
	map_done(t->requests);
	map_done(t->keys);
	map_done(t->partial);
	disk_free(t->disk);
	box_free(t->box);
	arena_free(t->mem);
	xfree(t);
}

/* ---- starting and ending ---- */

static struct store *on_store(void *owner, struct store *st)
{
	struct trial *t = owner;
	struct rough_options o = { .seed = t->o.seed * 131 + t->runs,
		                   .hold_percent = t->o.hold_percent,
		                   .lie = t->o.lie,
		                   .publish = seen_early,
		                   .owner = t };

	store_check(t, st);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		owed_find(t, t->sessions[i]);
	return rough_open(st, &o);
}

static const struct sim_watch watch = {
	.store = on_store, .event = seen_followed, .model = seen_model, .tool = seen_tool
};

bool trial_start(struct trial *t, const struct trial_run *run)
{
	uint64_t chance = (t->o.seed * 1000 + t->runs) * 0x9e3779b97f4a7c15ull >> 20;
	bool is_reboot = !t->runs || chance % 7 == 0;
	/* Somebody may have set the clock, too. */
	int64_t step = t->runs && chance % 5 == 0 ? (int64_t)(chance / 5 % 7200000) - 3600000 : 0;

	if (is_reboot)
		snprintf(t->boot_id, sizeof t->boot_id, "boot-%u", t->runs);
	struct sim_options o = {
		.dir = "d",
		.vfs = VFS,
		.disk = t->disk,
		.box = t->box,
		.script = t->o.script,
		.version = t->o.seed % 3 ? STR_NONE : STR("0"),
		.seed = t->o.seed * 1000 + t->runs,
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
	t->owed = NULL;
	if (t->o.is_loud)
		fprintf(stderr, "== run %u%s\n", t->runs, run->resume_by_itself ? ", resumes" : "");
	if (sim_open(&o, &t->sim, &e) != OK) {
		t->sim = NULL;
		if (disk_cuts(t->disk) == cuts && !disk_has_struck(t->disk))
			trial_fail(t, "it does not start: %s", e.message);
		return false;
	}
	if (!trial_lives(t))
		return false;
	owed_check(t);
	check_marks(t);
	answers_check(t);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (t->sessions[i]->again != law_count(t->sessions[i]->log))
			trial_fail(t, "the follower has %.*s through %zu of %zu",
			           STR_ARG(t->sessions[i]->id), t->sessions[i]->again,
			           law_count(t->sessions[i]->log));
	check_rest(t, LAW_LIVE);
	return !t->why[0];
}

static void forget_answers(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS; i++)
		t->readers[i].sub = NULL;
	for (size_t i = 0; i < TRIAL_CHANNELS; i++)
		t->channels[i].face = NULL;
	for (size_t i = 0; i < t->sent_count; i++)
		t->sent[i]->answer = NULL;
	t->harvested = t->sent_count;
}

static void count_packed(struct trial *t)
{
	struct store_stats st;

	if (!t->sim)
		return;
	sim_store(t->sim)->ops->stats(sim_store(t->sim), &st);
	t->packed += st.packed;
}

void trial_cut(struct trial *t, enum disk_keep keep)
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

void trial_stop(struct trial *t)
{
	if (t->o.is_loud)
		fprintf(stderr, "== stop\n");
	trial_settle(t);
	t->wall_ms = sim_wall_ms(t->sim);
	t->boot_ms = sim_boot_ms(t->sim);
	count_packed(t);
	sim_free(t->sim);
	forget_answers(t);
	t->sim = NULL;
}

struct disk *trial_fresh_disk(struct laws *laws, struct str script)
{
	struct trial *t = trial_new(laws, &(struct trial_options){ .seed = 1, .script = script });
	struct disk *d = NULL;

	if (trial_start(t, &(struct trial_run){ .snapshot_events = 1000, .idle_evict_ms = 1000 })) {
		trial_stop(t);
		d = t->disk;
		disk_put_away(d);
		t->disk = NULL;
	}
	trial_free(t);
	return d;
}

/* ---- time ---- */

void trial_turn(struct trial *t, unsigned turns)
{
	for (unsigned i = 0; i < turns && trial_lives(t); i++) {
		sim_turn(t->sim);
		trial_harvest(t);
	}
}

void trial_settle(struct trial *t)
{
	if (!trial_lives(t))
		return;
	if (sim_settle(t->sim) >= 1000000)
		trial_fail(t, "it does not settle");
	trial_harvest(t);
}

void trial_run(struct trial *t, int64_t ms)
{
	if (!trial_lives(t))
		return;
	sim_run(t->sim, ms);
	trial_harvest(t);
}

void trial_leap(struct trial *t, int64_t ms)
{
	if (!trial_lives(t))
		return;
	sim_leap(t->sim, ms);
	trial_harvest(t);
}
