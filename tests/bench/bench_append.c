/*
 * Durable appends: 64 sessions with 4 single-event commands under way each.
 *
 * Once as JSON-RPC lines over eight connections to a daemon, from one
 * thread; and twice in a process that has the runtime in itself: by eight
 * lanes of one thread, and by thole_call() from 256 threads.
 */
#include "bare.h"
#include "base/arena.h"
#include "client.h"
#include "thole/thole.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define SESSIONS 64
#define IN_FLIGHT 4
#define LANES (SESSIONS * IN_FLIGHT)
#define WARM_MS 500
#define MEASURE_MS 2500

/* What one round gave. */
struct result {
	double rate, bare, per_commit, sync_ms, cpu_us; /* the last: of the daemon, per event */
	uint64_t refused;
};

static char ids[SESSIONS][ID_SIZE];

static void keep_id(size_t i, struct str reply)
{
	snprintf(ids[i], ID_SIZE, "%.*s", STR_ARG(member(reply, "sessionId")));
}

/* ---- lines ---- */

struct lines {
	int64_t began, ended; /* what is answered between them counts */
	uint64_t calls, counted;
};

static bool next_update(void *arg, size_t lane, struct buf *out)
{
	struct lines *l = arg;

	if (now_ns() > l->ended)
		return false;
	buf_printf(out, "{\"sessionId\":\"%s\",\"title\":\"title %llu\"}", ids[lane / IN_FLIGHT],
	           (unsigned long long)l->calls++);
	return true;
}

static void on_update(void *arg, size_t lane, struct str line)
{
	struct lines *l = arg;
	int64_t now = now_ns();

	l->counted += now >= l->began && now < l->ended;
}

static void make_by_lines(const struct daemon *d)
{
	struct http_client w;

	http_client_unix(&w, d->socket);
	for (size_t i = 0; i < SESSIONS; i++)
		keep_id(i, rpc_call(&w, "create_session", "{}"));
	http_client_close(&w);
}

static void round_of_lines(struct result *ret)
{
	const char *dir = bench_fixture_path("lines");
	struct lines lines = { 0 };
	struct load l = { .connections = 8,
		          .lanes = LANES,
		          .method = "update_session",
		          .next = next_update,
		          .response = on_update,
		          .arg = &lines };
	struct daemon d;
	struct http_client w;

	bench_fixture_remove(dir);
	ret->sync_ms = floor_sync_ms();
	daemon_start(&d, dir, NULL, NULL);
	make_by_lines(&d);
	http_client_tcp(&w, d.port);

	double commits = metric(&w, &d, "commits_total"), events = metric(&w, &d, "events_total");
	double cpu = cpu_seconds_of(d.pid);

	lines.began = now_ns() + WARM_MS * 1000000LL;
	lines.ended = lines.began + MEASURE_MS * 1000000LL;
	l.daemon = &d;
	load_run(&l);
	cpu = cpu_seconds_of(d.pid) - cpu;
	commits = metric(&w, &d, "commits_total") - commits;
	events = metric(&w, &d, "events_total") - events;
	if ((uint64_t)events != l.answered - l.refused)
		die("%.0f events of %llu commands", events, (unsigned long long)l.answered);
	http_client_close(&w);
	daemon_stop(&d);
	ret->rate = (double)lines.counted * 1e3 / MEASURE_MS;
	ret->per_commit = events / commits;
	ret->cpu_us = cpu * 1e6 / events;
	ret->refused = l.refused;
	if (l.refused)
		fprintf(stderr, "refused: %s\n", l.first_refusal);
	ret->bare = bare_run(dir, bench_fixture_path("bare"), ret->per_commit);
	bench_fixture_remove(dir);
}

/* ---- threads ---- */

static struct thole *runtime;
static atomic_uint_fast64_t done, refused;
static atomic_bool is_over;

static void *call_on(void *arg)
{
	const char *id = arg;
	char params[256], *reply;

	for (unsigned n = 0; !atomic_load(&is_over); n++) {
		snprintf(params, sizeof params, "{\"sessionId\":\"%s\",\"title\":\"title %u\"}", id,
		         n);
		if (thole_call(runtime, "update_session", params, &reply) == THOLE_OK)
			atomic_fetch_add(&done, 1);
		else
			atomic_fetch_add(&refused, 1);
		thole_free(reply);
	}
	return NULL;
}

/* Eight lanes, because a connection has 64 requests under way at most. */
#define PIPES 8

struct pipe_call {
	unsigned long long id;
	size_t session;
};

static void send_next(struct thole_lane *l, struct pipe_call *c)
{
	static unsigned n;
	char params[256];

	snprintf(params, sizeof params, "{\"sessionId\":\"%s\",\"title\":\"title %u\"}",
	         ids[c->session], n++);
	c->id = thole_lane_send(l, "update_session", params);
}

/* One answer of this lane, if there is one, and the next call of its session. */
static bool take_answer(struct thole_lane *l, struct pipe_call *calls)
{
	unsigned long long id;
	char *reply;
	int code = thole_lane_next(l, 0, &id, &reply);

	if (code != THOLE_OK && code != THOLE_REFUSED)
		return false;
	atomic_fetch_add(code == THOLE_OK ? &done : &refused, 1);
	thole_free(reply);
	for (size_t i = 0; i < LANES / PIPES; i++)
		if (calls[i].id == id && !atomic_load(&is_over))
			send_next(l, &calls[i]);
	return true;
}

static void *pipe_on(void *arg)
{
	struct thole_lane *lanes[PIPES];
	struct pipe_call calls[PIPES][LANES / PIPES];
	struct pollfd fds[PIPES];

	for (size_t i = 0; i < PIPES; i++) {
		lanes[i] = thole_lane_open(runtime);
		fds[i] = (struct pollfd){ .fd = thole_lane_fd(lanes[i]), .events = POLLIN };
		for (size_t n = 0; n < LANES / PIPES; n++) {
			calls[i][n].session = (i * (LANES / PIPES) + n) / IN_FLIGHT;
			send_next(lanes[i], &calls[i][n]);
		}
	}
	while (!atomic_load(&is_over)) {
		for (size_t i = 0; i < PIPES; i++)
			while (take_answer(lanes[i], calls[i]))
				;
		poll(fds, PIPES, 100);
	}
	for (size_t i = 0; i < PIPES; i++)
		thole_lane_close(lanes[i]);
	return arg;
}

static void make_by_calls(void)
{
	for (size_t i = 0; i < SESSIONS; i++) {
		char *reply = NULL;

		if (thole_call(runtime, "create_session", NULL, &reply) != THOLE_OK)
			die("create_session: %s", reply ? reply : "no answer");
		keep_id(i, str_from(reply));
		thole_free(reply);
	}
}

static void round_inside(struct result *ret, void *(*what)(void *), size_t count)
{
	const char *dir = bench_fixture_path("threads");
	const char *listen[] = { "127.0.0.1:0", NULL };
	struct thole_error why = { 0 };
	pthread_t threads[LANES];
	struct daemon d = { 0 };
	struct http_client w;
	uint64_t before;

	bench_fixture_remove(dir);
	ret->sync_ms = floor_sync_ms();
	runtime = thole_open(&(struct thole_options){ .data_dir = dir, .listen = listen }, &why);
	if (!runtime)
		die("thole_open: %s", why.message);
	d.port = thole_port(runtime);
	snprintf(d.token, sizeof d.token, "%s", thole_token(runtime));
	make_by_calls();
	http_client_tcp(&w, d.port);

	double commits = metric(&w, &d, "commits_total"), events = metric(&w, &d, "events_total");

	atomic_store(&is_over, false);
	atomic_store(&refused, 0);
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, what, ids[i / IN_FLIGHT]) != 0)
			die("no thread");
	nap_ms(WARM_MS);
	before = atomic_load(&done);

	int64_t began = now_ns();

	nap_ms(MEASURE_MS);
	ret->rate = (double)(atomic_load(&done) - before) * 1e9 / (double)(now_ns() - began);
	atomic_store(&is_over, true);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	commits = metric(&w, &d, "commits_total") - commits;
	events = metric(&w, &d, "events_total") - events;
	ret->per_commit = events / commits;
	ret->refused = atomic_load(&refused);
	http_client_close(&w);
	thole_close(runtime);
	ret->bare = bare_run(dir, bench_fixture_path("bare"), ret->per_commit);
	bench_fixture_remove(dir);
}

static void round_of_threads(struct result *ret)
{
	round_inside(ret, call_on, LANES);
}

static void round_of_lanes(struct result *ret)
{
	round_inside(ret, pipe_on, 1);
}

/* ---- */

/* The best of everything, the floors too: what disturbs a round disturbs its floor as well. */
static void measure(const char *name, void (*round)(struct result *ret))
{
	struct result best = { .sync_ms = 1e9 }, now;

	for (int i = 0; i < ROUNDS; i++) {
		now = (struct result){ 0 };
		round(&now);
		now.bare = MAX(now.bare, best.bare);
		now.sync_ms = MIN(now.sync_ms, best.sync_ms);
		now.refused += best.refused;
		if (now.rate < best.rate) {
			now.rate = best.rate;
			now.per_commit = best.per_commit;
			now.cpu_us = best.cpu_us;
		}
		best = now;
	}
	ROW(.name = text("append, %s: share of bare", name), .measured = text("%.0f /s", best.rate),
	    .floor = text("%.0f /s bare", best.bare), .ratio = best.rate / best.bare,
	    .target = ">= 0.6", .reached = best.rate >= 0.6 * best.bare,
	    .note = text("%.0f events a commit; %llu refused%s", best.per_commit,
	                 (unsigned long long)best.refused,
	                 best.cpu_us > 0 ? text("; CPU of the daemon %.1f us an event", best.cpu_us)
	                                 : ""));
	ROW(.name = text("append, %s: events a second", name),
	    .measured = text("%.0f /s", best.rate), .floor = text("%.2f ms sync", best.sync_ms),
	    .target = ">= 60000 /s",
	    .reached = best.sync_ms < 0.2 ? best.rate >= 60000 : REACHED_NONE,
	    .note = best.sync_ms < 0.2 ? NULL : "the target holds where the floor is under 0.2 ms");
}

int main(int argc, char **argv)
{
	bench_fixture_begin(argc, argv);
	measure("JSON-RPC on 8 sockets", round_of_lines);
	measure("C API, 8 lanes of a thread", round_of_lanes);
	measure("C API, thole_call from 256 threads", round_of_threads);
	return 0;
}
