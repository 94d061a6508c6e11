/* The cost of a tool call: a sandboxed echo through the whole toolset, beside a bare process. */
#include "bench_fixture.h"
#include "tool_daemon.h"

#include "lib/real_clock.h"
#include "net/loop.h"
#include "store/blobs.h"
#include "tools/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMES 100

struct bench {
	struct loop *loop;
	struct blobs *blobs;
	struct loop_wake wake;
	struct toolset *tools;
	struct str cwd;
	int calls;
	bool is_ended, failed;
	char why[256];
};

static void on_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
}

static void on_output(void *owner, struct str data)
{
}

static void on_started(void *owner, int64_t pid)
{
}

static void on_violation(void *owner, const struct tool_violation *v)
{
}

static void on_end(void *owner, const struct tool_end *end)
{
	struct bench *b = owner;

	b->is_ended = true;
	b->failed = end->failed;
	snprintf(b->why, sizeof b->why, "%.*s", STR_ARG(end->message));
}

static void on_wake(struct loop_wake *w)
{
	struct bench *b = OWNER_OF(w, struct bench, wake);

	b->blobs->ops->poll(b->blobs);
}

static double one(struct bench *b, const char *name, const char *args)
{
	static const struct tool_sink sink = { on_progress, on_output, on_started, on_violation,
		                               on_end };
	char id[32];
	struct tool_start start = {
		.call_id = { id, 0 }, .name = str_from(name), .args = str_from(args), .cwd = b->cwd
	};
	int64_t begin = now_ns();

	start.call_id.len = (size_t)snprintf(id, sizeof id, "tool_%d", ++b->calls);
	b->is_ended = false;
	b->tools->ops->start(b->tools, &start, &sink, b);
	while (!b->is_ended)
		loop_run_once(b->loop, 1000);
	if (b->failed)
		die("%s: %s", name, b->why);
	return (double)(now_ns() - begin) / 1e6;
}

static double p50(struct bench *b, const char *name, const char *args)
{
	double best = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		static double took[TIMES];

		for (int i = 0; i < TIMES; i++)
			took[i] = one(b, name, args);
		double m = median(took, TIMES);

		best = m < best ? m : best;
	}
	return best;
}

static double tell(struct bench *b, const char *what, const char *name, const char *args,
                   double bare)
{
	double took = p50(b, name, args), most = 3 * bare + 4;

	ROW(.name = what, .measured = text("%.2f ms", took), .floor = text("%.2f ms", bare),
	    .ratio = took / bare, .target = text("<= %.2f ms", most), .reached = took <= most,
	    .note = "floor: a bare process; target: three of them and 4 ms");
	return took;
}

/* thole-supervisor is beside thole. */
static struct str hand_beside(const char *thole)
{
	static char path[4096];
	const char *slash = strrchr(thole, '/');

	snprintf(path, sizeof path, "%.*sthole-supervisor", slash ? (int)(slash + 1 - thole) : 0,
	         thole);
	return str_from(path);
}

int main(int argc, char **argv)
{
	static const struct str env[] = { { "PATH", 4 }, { "HOME", 4 } };
	struct bench b = { .loop = loop_new() };
	struct blobs_options bo = { .threads = true, .wake = loop_wake_call, .wake_arg = &b.wake };
	struct error e;

	bench_fixture_begin(argc, argv);
	/* absolute: the directory is asked of the supervisor, which is elsewhere */
	char *ws = realpath(bench_fixture_dir, NULL);

	if (!ws)
		die("no directory to work in");
	b.cwd = str_from(ws);
	bo.dir = bench_fixture_path("data");
	loop_wake_init(b.loop, &b.wake, on_wake);

	struct supervisor_host_options ho = { .loop = b.loop,
		                              .path = hand_beside(bench_fixture_thole) };
	struct tools_options o = { .loop = b.loop,
		                   .clock = real_clock_new(b.loop),
		                   .data_dir = str_from(bo.dir),
		                   .mode = STR("workspace_write"),
		                   .network = STR("restricted"),
		                   .timeout_ms = 60000,
		                   .env = env,
		                   .env_count = COUNT_OF(env),
		                   .environ = environ };

	if (blobs_open(&bo, &b.blobs, &e) || supervisor_host_open(&ho, &o.host, &e))
		die("%s", e.message);
	o.blobs = b.blobs;
	if (tools_open(&o, &b.tools, &e))
		die("%s", e.message);

	double bare = floor_spawn_ms(), echo;

	one(&b, "shell", "{\"command\":\"true\"}");
	echo = tell(&b, "sandboxed echo through the tool path", "shell",
	            "{\"command\":\"echo hello\"}", bare);
	tell(&b, "list_dir", "list_dir", "{}", bare);
	one(&b, "write_file", "{\"path\":\"a\",\"content\":\"one\\n\"}");
	tell(&b, "read_file", "read_file", "{\"path\":\"a\"}", bare);
	b.blobs->ops->close(b.blobs);
	b.tools->ops->close(b.tools);
	supervisor_host_free(o.host);
	loop_wake_done(&b.wake);
	real_clock_free(o.clock);
	loop_free(b.loop);
	free(ws);
	measure_daemon(echo);
	return 0;
}
