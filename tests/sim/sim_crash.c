/*
 * Random work and power cuts.
 *
 *	sim_crash [--seeds N] [--from SEED] [--jobs N]   N trials
 *	sim_crash --brief ...                            trials of a few steps: many more of them
 *	sim_crash --loud --from SEED                     one crash run, told in full
 *	sim_crash --every-commit [--loud --from N]       one piece of work, cut before and behind
 *	                                                 each sync of the disk
 *	sim_crash --mutants                              three lies that have to be noticed
 *	sim_crash --classes                              also says what was produced how often
 *
 * Without --seeds: as many trials as a quick test run bears; with THOLE_DEEP=1 many more,
 * on all processors.
 */
#include "workload.h"

#include "base/os/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEEDS_QUICK 60
#define SEEDS_DEEP 10000
#define BRIEF_QUICK 500
#define BRIEF_DEEP 100000
#define TWICE_EVERY 16  /* of the seeds are run twice, and must leave the same bytes */
#define MUTANT_SEEDS 40 /* within so many a lie has to be noticed */
#define FAILURES_SHOWN 10

static struct invariants *invariants;
static volatile uint64_t now_seed;
static const char *now_mode = "";
static bool is_brief;
static struct disk *fresh_disk; /* most brief trials begin with it: the first start is slow */

/* Shared between the workers. */
struct totals {
	uint64_t trials, runs, events, packed, commands, failed;
	uint64_t classes[EV_COUNT], answers[ERROR_CODE_COUNT];
};
static struct totals *sum;

static void add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static void on_abort(int sig)
{
	char text[200];
	int len = snprintf(text, sizeof text,
	                   "\nsignal %d in seed %llu; again: sim_crash %s--loud --from %llu\n", sig,
	                   (unsigned long long)now_seed, now_mode, (unsigned long long)now_seed);

	(void)!write(2, text, (size_t)len);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* The operator's log is full of power cuts. */
static void say_nothing(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	(void)level;
	if (strstr(line, "append refused"))
		fprintf(stderr, "%s\n", line);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void count(const struct crash_run *t)
{
	add(&sum->trials, 1);
	add(&sum->runs, t->runs);
	add(&sum->events, t->events);
	add(&sum->packed, t->packed);
	add(&sum->commands, t->commands);
	for (int i = 0; i < EV_COUNT; i++)
		add(&sum->classes[i], t->classes[i]);
	for (int i = 0; i < ERROR_CODE_COUNT; i++)
		add(&sum->answers[i], t->answers[i]);
	if (crash_run_why(t))
		add(&sum->failed, 1);
}

/* ---- random trials ---- */

static struct crash_run *new_trial(uint64_t seed, bool is_loud)
{
	static const unsigned holds[] = { 0, 20, 50 };
	static const unsigned work[] = { 0, 30, 75, 55 };

	now_seed = seed;
	return crash_run_new(invariants, &(struct crash_run_options){
						 .seed = seed,
						 .script = workload_script(),
						 .is_loud = is_loud,
						 .is_brief = is_brief,
						 .files = seed % 8 ? fresh_disk : NULL,
						 .hold_percent = holds[seed % COUNT_OF(holds)],
						 .work_percent = work[seed % COUNT_OF(work)] });
}

static bool try(uint64_t seed, bool is_loud, struct sha256 *ret)
{
	struct crash_run *t = new_trial(seed, is_loud);
	bool is_good;

	if (is_brief)
		workload_brief(t);
	else
		workload_trial(t);
	is_good = !crash_run_why(t);
	if (!is_good)
		printf("seed %llu, run %u: %s\n  again: sim_crash %s--loud --from %llu\n",
		       (unsigned long long)seed, t->runs, crash_run_why(t), now_mode,
		       (unsigned long long)seed);
	*ret = crash_run_digest(t);
	count(t);
	crash_run_free(t);
	return is_good;
}

static void work(uint64_t from, uint64_t to, uint64_t step, bool is_loud)
{
	for (uint64_t seed = from; seed < to && sum->failed < FAILURES_SHOWN; seed += step) {
		struct sha256 one, two;

		if (!try(seed, is_loud, &one) || seed % TWICE_EVERY || is_loud)
			continue;
		if (try(seed, false, &two) && !sha256_eq(&one, &two)) {
			printf("seed %llu: the second time the log is another\n",
			       (unsigned long long)seed);
			add(&sum->failed, 1);
		}
	}
}

/* ---- workers ---- */

/* Runs what(worker, workers) in so many processes; false when one of them died. */
static bool in_parallel(unsigned jobs, void (*what)(unsigned worker, unsigned workers))
{
	bool is_good = true;

	if (jobs == 1) {
		what(0, 1);
		return true;
	}
	fflush(stdout);
	for (unsigned i = 0; i < jobs; i++)
		if (fork() == 0) {
			what(i, jobs);
			fflush(stdout);
			_exit(0);
		}
	for (unsigned i = 0; i < jobs; i++) {
		int status;

		if (wait(&status) < 0 || status != 0)
			is_good = false;
	}
	return is_good;
}

static uint64_t from = 1, seeds;
static bool is_loud;

/* Half of them may be seeds that have not been tried yet: ./test --deep names some for each commit. */
static uint64_t fresh_from(void)
{
	const char *text = getenv("THOLE_FRESH_SEEDS");

	return text ? strtoull(text, NULL, 16) * 1000 + 1000000 : 0;
}

/* Seeds that once found something; they are tried first, wherever the others begin. */
static const uint64_t brief_finds[] = { 34531, 1795575642, 2660, 6017 };
static const uint64_t long_finds[] = { 669 };

static void work_finds(void)
{
	const uint64_t *found = is_brief ? brief_finds : long_finds;
	size_t count = is_brief ? COUNT_OF(brief_finds) : COUNT_OF(long_finds);

	for (size_t i = 0; i < count; i++)
		work(found[i], found[i] + 1, 1, false);
}

static void work_share(unsigned worker, unsigned workers)
{
	uint64_t fresh = from == 1 ? fresh_from() : 0, known = fresh ? seeds / 2 : seeds;

	if (worker == 0 && !is_loud)
		work_finds();
	work(from + worker, from + known, workers, is_loud);
	if (fresh)
		work(fresh + worker, fresh + seeds - known, workers, is_loud);
}

/* ---- every commit ---- */

/* Two seeds whose work, undisturbed, meets nearly everything: turns, and what outlives them. */
static const uint64_t commit_seeds[] = { 4715, 4730 };
#define COMMIT_STEPS 60

static void one_run(struct crash_run *t, const struct disk_plan *plan)
{
	struct crash_run_process run = { .snapshot_events = 50, .idle_evict_ms = 3000 };

	disk_plan(t->disk, plan);
	if (crash_run_start(t, &run))
		for (int i = 0; i < COMMIT_STEPS && crash_run_lives(t); i++)
			workload_step(t);
}

static uint64_t syncs_of_one_run(uint64_t seed)
{
	struct crash_run *t = new_trial(seed, false);
	uint64_t syncs;

	one_run(t, &(struct disk_plan){ 0 });
	if (crash_run_why(t)) {
		printf("undisturbed: %s\n", crash_run_why(t));
		add(&sum->failed, 1);
	}
	syncs = disk_count(t->disk, DISK_SYNC);
	crash_run_free(t);
	return syncs;
}

struct place {
	enum disk_fault fault;
	enum disk_keep keep;
};
static const struct place places[] = {
	{ DISK_CUT, DISK_KEEP_NONE },       { DISK_CUT, DISK_KEEP_ALL },
	{ DISK_CUT, DISK_KEEP_SOME },       { DISK_CUT_AFTER, DISK_KEEP_NONE },
	{ DISK_CUT_AFTER, DISK_KEEP_SOME },
};

/* Number n: which work, so manieth sync, and how. */
static void cut_at(uint64_t n)
{
	const uint64_t which = n % COUNT_OF(commit_seeds), at = n / COUNT_OF(commit_seeds);
	const struct place *p = &places[at % COUNT_OF(places)];
	struct crash_run *t = new_trial(commit_seeds[which], is_loud);
	struct crash_run_process run = { .snapshot_events = 50, .down_ms = 1000 };

	now_seed = n;
	one_run(t, &(struct disk_plan){ .fault = p->fault,
	                                .on = DISK_SYNC,
	                                .at = at / COUNT_OF(places) + 1,
	                                .keep = p->keep });
	disk_plan(t->disk, &(struct disk_plan){ 0 });
	if (!crash_run_why(t))
		crash_run_cut(t, DISK_KEEP_ALL);
	if (!crash_run_why(t) && crash_run_start(t, &run))
		crash_run_finish(t);
	if (crash_run_why(t))
		printf("cut %llu: %s\n  again: sim_crash --every-commit --loud --from %llu\n",
		       (unsigned long long)n, crash_run_why(t), (unsigned long long)n);
	count(t);
	crash_run_free(t);
}

static uint64_t cuts, cut_step = 1;

static void cut_share(unsigned worker, unsigned workers)
{
	for (uint64_t n = worker; n < cuts && sum->failed < FAILURES_SHOWN; n += workers)
		if (n / COUNT_OF(commit_seeds) / COUNT_OF(places) % cut_step == 0)
			cut_at(n);
}

/* ---- mutants ---- */

static const struct {
	const char *name;
	enum slow_store_lie lie;
	bool disk_lies;
} mutants[] = {
	{ "acknowledge before commit", SLOW_STORE_ACK_EARLY, false },
	{ "no fsync", SLOW_STORE_HONEST, true },
	{ "publish before commit", SLOW_STORE_PUBLISH_EARLY, false },
};

/* A child process, because a mutant of the store may trip an assertion; that counts as noticed too. */
static bool is_noticed(size_t which, uint64_t seed)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct crash_run *t = crash_run_new(
			invariants,
			&(struct crash_run_options){ .seed = seed,
		                                     .script = workload_script(),
		                                     .lie = mutants[which].lie,
		                                     .disk_lies = mutants[which].disk_lies,
		                                     .hold_percent = 40,
		                                     .work_percent = seed % 2 ? 0 : 50 });

		signal(SIGABRT, SIG_DFL);
		workload_trial(t);
		if (crash_run_why(t))
			printf("%-26s seed %llu: %.160s\n", mutants[which].name,
			       (unsigned long long)seed, crash_run_why(t));
		fflush(stdout);
		_exit(crash_run_why(t) ? 1 : 0);
	}
	waitpid(child, &status, 0);
	return status != 0;
}

static int try_mutants(void)
{
	int survivors = 0;

	for (size_t i = 0; i < COUNT_OF(mutants); i++) {
		uint64_t seed = 1;

		while (seed <= MUTANT_SEEDS && !is_noticed(i, seed))
			seed++;
		if (seed > MUTANT_SEEDS) {
			printf("%-26s NOT noticed in %d seeds\n", mutants[i].name, MUTANT_SEEDS);
			survivors++;
		}
	}
	return survivors ? 1 : 0;
}

/* ---- the program ---- */

static void show_classes(void)
{
	for (int i = 1; i < EV_COUNT; i++)
		if (event_classes[i].is_built)
			printf("%10llu %.*s\n", (unsigned long long)sum->classes[i],
			       STR_ARG(event_classes[i].name));
	for (int i = 0; i < ERROR_CODE_COUNT; i++)
		if (sum->answers[i])
			printf("%10llu %.*s\n", (unsigned long long)sum->answers[i],
			       STR_ARG(i ? error_code_word((enum error_code)i) : STR("accepted")));
}

static int report(double began, bool with_classes)
{
	double took = seconds() - began;

	if (with_classes)
		show_classes();
	printf("%llu trials, %llu runs, %llu commands, %llu events, %llu packed, %.1f seeds/s, "
	       "%llu failed%s\n",
	       (unsigned long long)sum->trials, (unsigned long long)sum->runs,
	       (unsigned long long)sum->commands, (unsigned long long)sum->events,
	       (unsigned long long)sum->packed, (double)sum->trials / took,
	       (unsigned long long)sum->failed,
	       invariants_have_schemas(invariants) ? "" : " (without the published schemas)");
	/* A simulation that never packs shows nothing about packing. */
	if (sum->trials >= SEEDS_QUICK / CRASH_RUN_SLOWER && !sum->packed) {
		printf("nothing was ever packed\n");
		return 1;
	}
	return sum->failed ? 1 : 0;
}

static uint64_t seeds_wanted(bool is_deep)
{
	uint64_t n = is_deep ? SEEDS_DEEP : SEEDS_QUICK;

	if (is_brief)
		n = is_deep ? BRIEF_DEEP : BRIEF_QUICK;
	return n / CRASH_RUN_SLOWER;
}

int main(int argc, char **argv)
{
	bool is_deep = getenv("THOLE_DEEP"), with_classes = false, has_from = false, is_good;
	enum { RANDOM, EVERY_COMMIT, MUTANTS } mode = RANDOM;
	long jobs = is_deep ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	double began = seconds();

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--loud") == 0) {
			is_loud = true;
		} else if (strcmp(argv[i], "--classes") == 0) {
			with_classes = true;
		} else if (strcmp(argv[i], "--every-commit") == 0) {
			mode = EVERY_COMMIT;
			now_mode = "--every-commit ";
		} else if (strcmp(argv[i], "--brief") == 0) {
			is_brief = true;
			now_mode = "--brief ";
			jobs = sysconf(_SC_NPROCESSORS_ONLN);
		} else if (strcmp(argv[i], "--mutants") == 0) {
			mode = MUTANTS;
		} else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
			seeds = strtoull(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
			jobs = strtol(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc) {
			from = strtoull(argv[++i], NULL, 10);
			has_from = true;
		} else {
			fprintf(stderr, "usage: sim_crash [--brief | --every-commit | --mutants] "
			                "[--seeds N] "
			                "[--from SEED] [--jobs N] [--loud] [--classes]\n");
			return 2;
		}
	}
	if (!seeds)
		seeds = seeds_wanted(is_deep);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	if (!is_loud)
		log_sink(say_nothing, NULL);
	invariants = invariants_new();
	sum = mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sum == MAP_FAILED)
		return 2;
	if (is_loud)
		seeds = jobs = 1;
	if (mode == MUTANTS) {
		int survivors = try_mutants();

		invariants_free(invariants);
		return survivors;
	}
	if (is_brief && !(fresh_disk = crash_run_fresh_disk(invariants, workload_script())))
		return 2;
	if (mode == RANDOM) {
		is_good = in_parallel((unsigned)MAX(jobs, 1), work_share);
	} else if (has_from) {
		cut_at(from);
		is_good = true;
	} else {
		for (size_t i = 0; i < COUNT_OF(commit_seeds); i++) {
			uint64_t syncs = syncs_of_one_run(commit_seeds[i]);

			cuts = MAX(cuts, syncs * COUNT_OF(places) * COUNT_OF(commit_seeds));
		}
		cut_step = is_deep ? 1 : 16 * CRASH_RUN_SLOWER;
		is_good = in_parallel((unsigned)MAX(jobs, 1), cut_share);
	}
	is_good = report(began, with_classes) == 0 && is_good;
	invariants_free(invariants);
	return is_good ? 0 : 1;
}
