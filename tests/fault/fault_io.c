/*
 * The first disk operation fails, then the second, then the third, until a run
 * completes without a failure.
 *
 *	fault_io [--only ioerr|full] [--from N] [--step N] [--loud]
 *
 * Without --step: every one with THOLE_DEEP=1, otherwise some of them.
 *
 * ioerr: the operation fails once.  The runtime may end (the engine asks for
 *        it); what it acknowledged before is there when the next one starts.
 * full:  from that write on nothing can be made longer.  Commands are refused
 *        with storage_full and nothing else happens to anybody; once there is
 *        space again everything continues in the same process.
 *
 * A fixed piece of work: the same seed, the same steps, so that the n-th
 * operation is the same one every time.
 */
#include "workload.h"

#include "base/os/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEED 20
#define STEPS 20
#define STEP_QUICK 9

static struct invariants *invariants;
static volatile uint64_t now_n;
static const char *now_kind;
static bool is_loud;
static uint64_t step;

static void on_abort(int sig)
{
	char text[200];
	int len = snprintf(text, sizeof text,
	                   "\nsignal %d; again: fault_io --only %s --loud --from %llu\n", sig,
	                   now_kind, (unsigned long long)now_n);

	(void)!write(2, text, (size_t)len);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void say_nothing(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	(void)level;
	if (strstr(line, "append refused"))
		fprintf(stderr, "%s\n", line);
}

static struct crash_run *begin(const struct disk_plan *plan)
{
	struct crash_run *t = crash_run_new(
		invariants, &(struct crash_run_options){ .seed = SEED,
	                                                 .script = workload_script(),
	                                                 .is_loud = is_loud,
	                                                 .may_fail = plan->fault == DISK_IOERR,
	                                                 .may_be_full = plan->fault == DISK_FULL });

	disk_plan(t->disk, plan);
	return t;
}

static const struct crash_run_process quick = { .snapshot_events = 20, .idle_evict_ms = 2000 };

static void do_work(struct crash_run *t)
{
	for (int i = 0; i < STEPS && crash_run_lives(t); i++)
		workload_step(t);
	crash_run_run(t, 5000);
}

/* What was refused for want of room is sent again and taken. */
static void send_refused_again(struct crash_run *t)
{
	size_t count = t->sent_count;

	for (size_t i = 0; i < count && crash_run_lives(t); i++)
		if (t->sent[i]->code == ERROR_CODE_STORAGE_FULL) {
			struct sent *again = crash_run_repeat(t, t->sent[i]);

			crash_run_settle(t);
			if (again && again->code == ERROR_CODE_STORAGE_FULL)
				crash_run_fail(t, "there is room, and %s is still refused",
				               again->command);
		}
}

/* The process continues; if it cannot, it has to say so and be started again. */
static bool with_ioerr(uint64_t n, bool *ret_struck)
{
	struct disk_plan plan = { .fault = DISK_IOERR, .on = DISK_ANY_OP, .at = n };
	struct crash_run *t = begin(&plan);
	bool is_good;

	if (crash_run_start(t, &quick))
		do_work(t);
	*ret_struck = disk_has_struck(t->disk);
	disk_plan(t->disk, &(struct disk_plan){ 0 });
	/* Every other time the power fails with it. */
	if (!crash_run_why(t))
		crash_run_cut(t, n % 2 ? DISK_KEEP_ALL : DISK_KEEP_SOME);
	if (!crash_run_why(t) && crash_run_start(t, &quick))
		crash_run_finish(t);
	is_good = !crash_run_why(t) && crash_run_lives(t);
	if (!is_good)
		printf("ioerr %llu: %s\n  again: fault_io --only ioerr --loud --from %llu\n",
		       (unsigned long long)n,
		       crash_run_why(t) ? crash_run_why(t) : "it does not start again",
		       (unsigned long long)n);
	crash_run_free(t);
	return is_good;
}

static bool with_full(uint64_t n, bool *ret_struck, unsigned *refused)
{
	struct disk_plan plan = { .fault = DISK_FULL, .on = DISK_WRITE, .at = n };
	struct crash_run *t = begin(&plan);
	bool is_up = crash_run_start(t, &quick), is_good;

	if (is_up)
		do_work(t);
	*ret_struck = disk_has_struck(t->disk);
	if (t->sim && sim_fatal(t->sim))
		crash_run_fail(t, "a full disk ended the process: %s", sim_fatal(t->sim)->message);
	disk_plan(t->disk, &(struct disk_plan){ 0 });
	disk_make_room(t->disk);
	*refused += t->answers[ERROR_CODE_STORAGE_FULL];
	if (!is_up && !crash_run_why(t)) {
		crash_run_cut(t, DISK_KEEP_ALL);
		is_up = crash_run_start(t, &quick);
	}
	if (is_up) {
		/* It comes back by itself, without a restart. */
		crash_run_run(t, 10000);
		send_refused_again(t);
		crash_run_finish(t);
	}
	is_good = is_up && !crash_run_why(t) && crash_run_lives(t);
	if (is_good) {
		crash_run_cut(t, DISK_KEEP_NONE);
		is_good = crash_run_start(t, &quick);
	}
	if (!is_good)
		printf("full %llu: %s\n  again: fault_io --only full --loud --from %llu\n",
		       (unsigned long long)n,
		       crash_run_why(t)              ? crash_run_why(t)
		       : t->sim && sim_fatal(t->sim) ? sim_fatal(t->sim)->message
		                                     : "it does not continue",
		       (unsigned long long)n);
	crash_run_free(t);
	return is_good;
}

static int all(bool is_full, uint64_t from, bool is_one)
{
	unsigned failed = 0, refused = 0, tried = 0;
	uint64_t n = from;
	bool has_struck = true;

	now_kind = is_full ? "full" : "ioerr";
	for (; has_struck && failed < 10; n += step, tried++) {
		now_n = n;
		if (!(is_full ? with_full(n, &has_struck, &refused) : with_ioerr(n, &has_struck)))
			failed++;
		if (is_one)
			break;
	}
	if (is_full && !is_one && !refused) {
		printf("full: no command was ever refused with storage_full\n");
		failed++;
	}
	printf("%s: %u of some %llu operations failed one by one, %u runs went wrong", now_kind,
	       tried, (unsigned long long)n, failed);
	if (is_full)
		printf(", %u commands were refused", refused);
	printf("\n");
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *only = NULL;
	bool is_deep = getenv("THOLE_DEEP");
	uint64_t from = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--loud") == 0)
			is_loud = true;
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (strcmp(argv[i], "--step") == 0 && i + 1 < argc)
			step = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
			from = strtoull(argv[++i], NULL, 10);
		else {
			fprintf(stderr, "usage: fault_io [--only ioerr|full] [--from N] [--step N] "
			                "[--loud]\n");
			return 2;
		}
	}
	if (!step)
		step = is_deep ? 1 : STEP_QUICK * CRASH_RUN_SLOWER;
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	if (!is_loud)
		log_sink(say_nothing, NULL);
	invariants = invariants_new();
	if (!only || strcmp(only, "ioerr") == 0)
		failed |= all(false, from ? from : MIN(step, 2), is_loud);
	if (!only || strcmp(only, "full") == 0)
		failed |= all(true, from ? from : MIN(step, 2), is_loud);
	invariants_free(invariants);
	return failed;
}
