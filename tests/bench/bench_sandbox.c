/*
 * The cost of the sandbox: a call beside a bare process, the same with twenty
 * deny rules with patterns over 50,000 files, and what ordinary work pays for
 * the notifier that reports denied writes.
 *
 * The machine is shared, so what is compared runs in turns, and minima and
 * medians of the same rounds stand side by side.  The flag openat2 of a plan
 * (for the runtime's own file tools) leaves the notifier of paths out and
 * changes nothing else that these programs use.
 *
 * THOLE_BENCH_FILES: how many C files are built (default 100).
 */
#include "bench_fixture.h"

#include "base/arena.h"
#include "supervisor_client/supervisor_client.h"
#include "sandbox/sandbox_plan_make.h"

#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 60
#define DIRS 500
#define FILES_PER_DIR 100
#define GLOBS 20
#define WORK_ROUNDS 10
#define BUILD_ROUNDS 3

struct bench {
	struct supervisor_client *supervisor;
	struct arena *mem;
	struct sandbox_host host;
	pid_t pid; /* of the supervisor */
	bool is_probed, is_over;
	char refusal[512];
};

static void on_ready(void *owner, pid_t pid)
{
	((struct bench *)owner)->pid = pid;
}

static void on_started(void *owner, const struct supervisor_started *s)
{
	const int fds[] = { s->pidfd, s->stdin_fd, s->stdout_fd, s->stderr_fd, s->pty_fd };

	for (size_t i = 0; i < COUNT_OF(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void on_refused(void *owner, const struct supervisor_refused *r)
{
	struct bench *b = owner;

	snprintf(b->refusal, sizeof b->refusal, "%.*s", STR_ARG(r->reason));
	b->is_over = true;
}

static void on_violation(void *owner, const struct supervisor_violation *v)
{
}

static void on_output(void *owner, struct str id, int64_t out, int64_t err)
{
}

static void on_exited(void *owner, struct str id, const struct supervisor_exit *x)
{
	struct bench *b = owner;

	if (x->code)
		snprintf(b->refusal, sizeof b->refusal, "status %d", (int)x->code);
	b->is_over = true;
}

static void on_listed(void *owner, const struct supervisor_process *p)
{
}

static void on_probed(void *owner, struct json host)
{
	struct bench *b = owner;
	struct error e;

	b->is_probed = sandbox_host_read(b->mem, host, &b->host, &e) == OK;
}

static void on_opened(void *owner, const struct supervisor_started *s)
{
}

static void on_done(void *owner, int64_t req)
{
}

static void on_gone(void *owner)
{
	die("the supervisor is gone");
}

static void on_told(void *owner, struct str id)
{
}

static const struct supervisor_client_ops ops = { on_ready,  on_started, on_refused, on_violation,
	                                          on_output, on_exited,  on_listed,  on_probed,
	                                          on_opened, on_done,    on_gone,    on_told };

static void wait_for(struct bench *b, const bool *flag)
{
	while (!*flag) {
		struct pollfd p = { .fd = supervisor_client_fd(b->supervisor), .events = POLLIN };

		poll(&p, 1, -1);
		supervisor_client_step(b->supervisor);
	}
}

static double run(struct bench *b, const struct sandbox_profile *profile, const char *command)
{
	struct str sh[] = { STR("/bin/sh"), STR("-c"), str_from(command ? command : "") };
	struct str plain[] = { STR("/bin/true") };
	struct str env[] = { STR("PATH=/usr/bin:/bin"), STR("HOME=/tmp") };
	struct supervisor_run r = { .id = STR("bench"),
		                    .argv = { command ? sh : plain, command ? 3 : 1 },
		                    .env = { env, COUNT_OF(env) } };
	struct sandbox_plan plan;
	struct error e;
	int64_t begin;

	if (sandbox_plan_make(b->mem, &b->host, profile, &plan, &e))
		die("%s", e.message);
	r.plan = &plan;
	begin = now_ns();
	b->is_over = false;
	supervisor_client_run(b->supervisor, &r);
	wait_for(b, &b->is_over);
	if (b->refusal[0])
		die("%s: %s", command ? command : "true", b->refusal);
	return (double)(now_ns() - begin) / 1e6;
}

static double bare(void)
{
	char *argv[] = { (char *)"true", NULL }, *envp[] = { NULL };
	int64_t begin = now_ns();
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, envp))
		die("no process");
	waitpid(pid, NULL, 0);
	return (double)(now_ns() - begin) / 1e6;
}

static double least(const double *values, size_t count)
{
	double m = values[0];

	for (size_t i = 1; i < count; i++)
		m = values[i] < m ? values[i] : m;
	return m;
}

static void tell(const char *what, double *took, double *beside, size_t count, double most)
{
	double low = least(took, count), base = least(beside, count);
	double m = median(took, count), mb = median(beside, count);

	ROW(.name = what, .measured = text("+%.2f ms (median +%.2f)", low - base, m - mb),
	    .floor = text("%.2f ms (median %.2f)", base, mb), .ratio = low / base,
	    .target = text("<= %.0f ms more", most), .reached = low - base <= most,
	    .note = "minima of runs in turns");
}

/* ---- calls ---- */

static struct sandbox_paths globs(struct bench *b, const char *dir)
{
	struct sandbox_paths l = { ARENA_ARRAY(b->mem, struct str, GLOBS), GLOBS };

	for (size_t i = 0; i < GLOBS; i++)
		l.at[i] = arena_printf(b->mem, "%s/**/*.secret%zu", dir, i);
	return l;
}

static void make_tree(const char *dir)
{
	mkdir(dir, 0755);
	for (int d = 0; d < DIRS; d++) {
		mkdir(text("%s/d%d", dir, d), 0755);
		for (int f = 0; f < FILES_PER_DIR; f++)
			bench_fixture_write(text("%s/d%d/f%d", dir, d, f), "");
	}
}

static void measure_calls(struct bench *b, const char *dir)
{
	static double none[CALLS], plain[CALLS], denied[CALLS];
	struct sandbox_profile p = { .mode = SANDBOX_WORKSPACE_WRITE,
		                     .cwd = str_from(dir),
		                     .home = STR("/root"),
		                     .network = SANDBOX_NETWORK_RESTRICTED };
	struct sandbox_profile with = p;
	double first;

	run(b, &p, NULL);
	with.deny_rules = globs(b, dir);
	first = run(b, &with, NULL);
	for (size_t i = 0; i < CALLS; i++) {
		none[i] = bare();
		plain[i] = run(b, &p, NULL);
		denied[i] = run(b, &with, NULL);
	}
	tell("sandboxed call adds", plain, none, CALLS, 4);
	tell("20 deny globs over 50,000 files add", denied, plain, CALLS, 5);
	ROW(.name = "the first call with them", .measured = text("%.1f ms", first),
	    .reached = REACHED_NONE, .note = "the tree is walked once");
}

/* ---- work ---- */

/* Processor time of everything that the supervisor has reaped: commands and their inits. */
static double reaped_ms(const struct bench *b)
{
	char line[1024] = "";
	FILE *f = fopen(text("/proc/%d/stat", (int)b->pid), "r");
	unsigned long user = 0, system = 0;
	const char *at;

	if (f && fgets(line, sizeof line, f) && (at = strrchr(line, ')')))
		sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	if (f)
		fclose(f);
	return (double)(user + system) * 1000 / (double)sysconf(_SC_CLK_TCK);
}

static void measure_work(struct bench *b, const char *what, const char *dir, const char *command,
                         size_t rounds)
{
	static double on[WORK_ROUNDS], off[WORK_ROUNDS];
	struct sandbox_profile p = { .mode = SANDBOX_WORKSPACE_WRITE,
		                     .cwd = str_from(dir),
		                     .home = STR("/root"),
		                     .network = SANDBOX_NETWORK_RESTRICTED };
	struct sandbox_profile quiet = p;
	double a = 0, z = 0, before;

	quiet.openat2 = true;
	run(b, &p, command);
	for (size_t i = 0; i < rounds; i++) {
		before = reaped_ms(b);
		off[i] = run(b, &quiet, command);
		z += reaped_ms(b) - before;
		before = reaped_ms(b);
		on[i] = run(b, &p, command);
		a += reaped_ms(b) - before;
	}
	a /= (double)rounds;
	z /= (double)rounds;
	ROW(.name = what, .measured = text("%.1f ms (wall %.1f)", a, least(on, rounds)),
	    .floor = text("%.1f ms (wall %.1f)", z, least(off, rounds)), .ratio = a / z,
	    .target = "<= 1.05 x", .reached = a <= 1.05 * z,
	    .note = "with and without the notifier of paths, in turns: mean processor time of "
	            "command and init, and the shortest time on the wall");
}

static void make_sources(const char *dir, int count)
{
	mkdir(dir, 0755);
	for (int i = 0; i < count; i++)
		bench_fixture_write(
			text("%s/f%d.c", dir, i),
			text("#include <stddef.h>\nint f%d(int x)\n{\n\treturn x * %d;\n}\n", i,
		             i));
}

static void must(const char *command)
{
	if (system(command))
		die("%s", command);
}

int main(int argc, char **argv)
{
	const char *count = getenv("THOLE_BENCH_FILES");
	int files = count ? atoi(count) : 100;
	struct bench b = { .mem = arena_new() };
	char supervisor[4096], *ws;
	struct supervisor_options o = { .path = supervisor };
	struct error e;

	bench_fixture_begin(argc, argv);
	snprintf(supervisor, sizeof supervisor, "%s-supervisor", bench_fixture_thole);
	ws = realpath(bench_fixture_dir, NULL);
	if (!ws || supervisor_client_start(&o, &ops, &b, &b.supervisor, &e))
		die("%s", ws ? e.message : "no directory to work in");
	supervisor_client_probe(b.supervisor, STR_NONE);
	wait_for(&b, &b.is_probed);

	char tree[4200], work[4200];

	snprintf(tree, sizeof tree, "%s/tree", ws);
	snprintf(work, sizeof work, "%s/work", ws);
	make_tree(tree);
	make_sources(work, files);
	measure_calls(&b, tree);
	must(text("cd %s && git init -q && git add . && git -c user.name=a -c user.email=a@b "
	          "commit -qm all",
	          tree));
	measure_work(&b, "git status, 50,000 files", tree, "git status --short >/dev/null",
	             WORK_ROUNDS);
	measure_work(&b, "rg, 50,000 files", tree, "rg -n needle . >/dev/null; true", WORK_ROUNDS);
	measure_work(&b, "rg, 100 files, ten times", text("%s/d1", tree),
	             "for i in 1 2 3 4 5 6 7 8 9 10; do rg -n needle . >/dev/null; done; true",
	             WORK_ROUNDS);
	measure_work(&b, text("build of %d C files", files), work,
	             "for f in *.c; do cc -c -o ${f%.c}.o $f || exit 1; done", BUILD_ROUNDS);
	supervisor_client_free(b.supervisor, 2000);
	arena_free(b.mem);
	free(ws);
	return 0;
}
