/*
 * The cost of a sandbox: the median of so many runs of /bin/true through
 * thole-supervisor, beside posix_spawn of the same program from here.
 *
 *	speed PATH-OF-THOLE-HAND [RUNS]
 */
#include "base/os/clock.h"
#include "supervisor_client/supervisor_client.h"
#include "sandbox/sandbox_plan_make.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS_MAX 100000

struct bench {
	struct supervisor_client *hand;
	struct arena *mem;
	struct sandbox_host host;
	bool is_probed, is_over;
	int64_t started_ns, exited_ns;
	char refusal[512];
};

static void on_ready(void *owner, pid_t pid)
{
}

static void on_started(void *owner, const struct supervisor_started *s)
{
	struct bench *b = owner;
	const int fds[] = { s->pidfd, s->stdin_fd, s->stdout_fd, s->stderr_fd, s->pty_fd };

	b->started_ns = clock_mono_ns();
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

	b->exited_ns = clock_mono_ns();
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
	fprintf(stderr, "speed: the supervisor is gone\n");
	exit(1);
}

static const struct supervisor_client_ops ops = { on_ready,  on_started, on_refused, on_violation,
	                                          on_output, on_exited,  on_listed,  on_probed,
	                                          on_opened, on_done,    on_gone };

static void wait_for(struct bench *b, const bool *flag)
{
	while (!*flag) {
		struct pollfd p = { .fd = supervisor_client_fd(b->hand), .events = POLLIN };

		poll(&p, 1, -1);
		supervisor_client_step(b->hand);
	}
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void report(const char *what, int64_t *ns, size_t count)
{
	qsort(ns, count, sizeof *ns, by_size);
	printf("%-44s p50 %6.3f ms   p90 %6.3f ms\n", what, (double)ns[count / 2] / 1e6,
	       (double)ns[count * 9 / 10] / 1e6);
}

static int64_t bare_ns(void)
{
	char *argv[] = { (char *)"true", NULL }, *envp[] = { NULL };
	int64_t start = clock_mono_ns();
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, envp))
		exit(1);
	waitpid(pid, NULL, 0);
	return clock_mono_ns() - start;
}

static void measure(struct bench *b, const char *what, const struct sandbox_profile *profile,
                    size_t runs)
{
	static int64_t start_ns[RUNS_MAX], whole_ns[RUNS_MAX];
	struct sandbox_plan plan;
	struct str argv[] = { STR("/bin/true") };
	struct error e;
	char line[128];

	if (sandbox_plan_make(b->mem, &b->host, profile, &plan, &e)) {
		printf("%-44s %s\n", what, e.message);
		return;
	}
	for (size_t i = 0; i < runs; i++) {
		struct supervisor_run run = { .id = STR("speed"),
			                      .plan = &plan,
			                      .argv = { argv, 1 } };
		int64_t begin = clock_mono_ns();

		b->is_over = false;
		supervisor_client_run(b->hand, &run);
		wait_for(b, &b->is_over);
		if (b->refusal[0]) {
			printf("%-44s refused: %s\n", what, b->refusal);
			b->refusal[0] = '\0';
			return;
		}
		start_ns[i] = b->started_ns - begin;
		whole_ns[i] = b->exited_ns - begin;
	}
	snprintf(line, sizeof line, "%s, until started", what);
	report(line, start_ns, runs);
	snprintf(line, sizeof line, "%s, until nothing is left", what);
	report(line, whole_ns, runs);
}

static int64_t bare_all[RUNS_MAX];

int main(int argc, char **argv)
{
	size_t runs = argc > 2 ? (size_t)atoi(argv[2]) : 200;
	struct bench b = { .mem = arena_new() };
	struct supervisor_options o = { .path = argc > 1 ? argv[1] : "build/thole-supervisor" };
	char dir[] = "/tmp/thole-speed-XXXXXX", git[128];
	struct error e;

	if (!runs || runs > RUNS_MAX || !mkdtemp(dir))
		return 2;
	snprintf(git, sizeof git, "%s/plain", dir);
	mkdir(git, 0755);
	if (supervisor_client_start(&o, &ops, &b, &b.hand, &e)) {
		fprintf(stderr, "speed: %s\n", e.message);
		return 1;
	}
	supervisor_client_probe(b.hand, STR_NONE);
	wait_for(&b, &b.is_probed);
	for (size_t i = 0; i < runs; i++)
		bare_all[i] = bare_ns();
	report("bare posix_spawn and wait", bare_all, runs);

	struct sandbox_profile p = { .mode = SANDBOX_DANGER_FULL_ACCESS,
		                     .cwd = str_from(git),
		                     .home = STR("/root") };

	measure(&b, "no sandbox", &p, runs);
	p.mode = SANDBOX_READ_ONLY;
	measure(&b, "read_only, network off", &p, runs);
	p.mode = SANDBOX_WORKSPACE_WRITE;
	p.network = SANDBOX_NETWORK_RESTRICTED;
	measure(&b, "workspace_write, own loopback", &p, runs);
	p.network = SANDBOX_NETWORK_FULL;
	measure(&b, "workspace_write, network full", &p, runs);

	struct sandbox_host h = b.host;

	for (int t = SANDBOX_NAMESPACES_ROOT; t < SANDBOX_TIERS; t++)
		b.host.has[t] = false;
	p.network = SANDBOX_NETWORK_OFF;
	measure(&b, "workspace_write, no namespaces", &p, runs);
	b.host = h;
	supervisor_client_free(b.hand, 2000);
	arena_free(b.mem);
	rmdir(git);
	rmdir(dir);
	return 0;
}
