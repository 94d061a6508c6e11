/*
 * Models over HTTP: how soon the first words of a response reach the client,
 * what hundreds of parallel responses cost the daemon, and whether its memory
 * grows.
 */
#include "client.h"
#include "model_server.h"

#include <stdlib.h>

#define TURNS 60
#define STREAMS 500
#define PER_S 50
#define SECONDS 8
#define SOAK_STREAMS 50
#define SOAK_MINUTES_MAX 120 /* THOLE_SOAK_MINUTES, 1 unless it is set */

static const char *const *settings_for(int port)
{
	static const char *settings[5];

	settings[0] = text(
		"providers={\"sim\":{\"dialect\":\"compatible\",\"needsKey\":false,\"baseUrl\":"
		"\"http://127.0.0.1:%d/v1\",\"models\":[{\"model\":\"sim-1\","
		"\"windowTokens\":1000000,\"maxOutputTokens\":8192,\"price\":"
		"{\"inputPerMTok\":1,\"outputPerMTok\":1}}]}}",
		port);
	settings[1] = "model=sim/sim-1";
	settings[2] = "limits.parallel_requests=2000";
	settings[3] = "session.idle_evict_s=2";
	return settings;
}

/* ---- the first words ---- */

/* The moment at which the oldest event of this delta left the server. */
static int64_t sent_at(struct str line)
{
	struct str words = member(line, "text");

	return words.len ? strtoll(words.ptr, NULL, 10) : 0;
}

/* Milliseconds of the first delta and, at worst, of the others. */
static void read_answer(struct http_client *w, const struct daemon *d, double *ret_first,
                        double *ret_later)
{
	struct str line;
	int deltas = 0;

	*ret_later = 0;
	http_send(w, d, "POST", "/v1/run", "text/event-stream", "{\"input\":\"go\"}");
	if (http_head(w) != 200)
		die("/v1/run was not answered with 200");
	while (http_line(w, &line)) {
		double took;

		if (!str_starts(line, STR("data: {\"type\":\"model.delta\"")))
			continue;
		took = (double)(now_ns() - sent_at(line)) / 1e6;
		if (!deltas++)
			*ret_first = took;
		else
			*ret_later = MAX(*ret_later, took);
	}
	if (!deltas)
		die("a turn had no delta");
}

static void measure_first(void)
{
	static double first[TURNS], later[TURNS], floor[TURNS];
	struct model_plan plan = { .streams = TURNS, .events = 8, .per_s = PER_S };
	struct model_server server;
	struct daemon d;
	struct http_client w;
	double p50, sync;

	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path("first"), NULL, settings_for(server.port));
	http_client_tcp(&w, d.port);
	for (int i = 0; i < TURNS; i++) {
		read_answer(&w, &d, &first[i], &later[i]);
		floor_sync(&floor[i], 1);
	}
	http_client_close(&w);
	daemon_stop(&d);
	model_server_stop(&server);
	p50 = median(first, TURNS);
	sync = median(floor, TURNS);
	ROW(.name = "first delta, provider's bytes to client, p50",
	    .measured = text("%.2f ms", p50), .floor = text("%.2f ms", sync), .ratio = p50 / sync,
	    .target = "<= floor + 1 ms", .reached = p50 <= sync + 1,
	    .note = text("floor: p50 of fdatasync between the %d turns; p95 %.2f ms", TURNS,
	                 percentile(first, TURNS, 0.95)));
	ROW(.name = "later deltas, the oldest word in them, p50 of the worst",
	    .measured = text("%.0f ms", median(later, TURNS)), .target = "<= 50 ms + floor + 1 ms",
	    .reached = median(later, TURNS) <= 51 + sync, .note = "words are gathered for 50 ms");
}

/* ---- many at once ---- */

static bool next_turn(void *arg, size_t lane, struct buf *out)
{
	static int number;
	int *left = arg;

	(void)lane;
	if (*left == 0)
		return false;
	--*left;
	buf_printf(out, "{\"sessionId\":\"sess_m%d\",\"input\":\"go\"}", number++);
	return true;
}

static void submit(const struct daemon *d, int turns)
{
	struct load l = { .daemon = d,
		          .connections = 2,
		          .lanes = 32,
		          .method = "submit_turn",
		          .next = next_turn,
		          .arg = &turns };

	load_run(&l);
	if (l.refused)
		die("a turn was refused: %s", l.first_refusal);
}

static void measure_many(void)
{
	struct model_plan plan = { .streams = STREAMS, .events = PER_S * SECONDS, .per_s = PER_S };
	struct model_server server;
	struct daemon d;
	double cpu, seconds, before, after, events;
	int64_t began;

	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path("many"), NULL, settings_for(server.port));
	before = memory_of(d.pid).private_kib;
	submit(&d, STREAMS);
	model_server_wait(&server, 'o');
	cpu = cpu_seconds_of(d.pid);
	events = (double)*server.sent;
	began = now_ns();
	nap_ms((SECONDS - 3) * 1000);
	after = memory_of(d.pid).private_kib;
	cpu = cpu_seconds_of(d.pid) - cpu;
	events = (double)*server.sent - events;
	seconds = (double)(now_ns() - began) / 1e9;
	model_server_wait(&server, 'e');
	daemon_stop(&d);
	model_server_stop(&server);
	ROW(.name = "500 answers at 50 events/s: processor",
	    .measured = text("%.0f %% of a core", 100 * cpu / seconds), .target = "< 100 %",
	    .reached = cpu < seconds,
	    .note = text("all threads of the daemon, the log and its fdatasync too, over %.1f s",
	                 seconds));
	ROW(.name = "500 answers at 50 events/s: processor per event",
	    .measured = text("%.1f us", cpu / events * 1e6), .target = "<= 15 us",
	    .reached = cpu / events * 1e6 <= 15,
	    .note = text("from the provider's bytes to the log; %.0f events came in a second",
	                 events / seconds));
	ROW(.name = "500 answers at 50 events/s: memory",
	    .measured = text("%.0f KiB each", (after - before) / STREAMS), .reached = REACHED_NONE,
	    .note = "private memory of the daemon: session, turn, request and stream; the first "
	            "request's libcurl too");
}

/* ---- for a while ---- */

static void measure_soak(void)
{
	struct model_plan plan = { .streams = SOAK_STREAMS,
		                   .events = PER_S * 9 / 10,
		                   .per_s = PER_S };
	struct model_server server;
	struct daemon d;
	static double kib[SOAK_MINUTES_MAX * 60];
	const char *minutes = getenv("THOLE_SOAK_MINUTES");
	int rounds = MIN(minutes ? atoi(minutes) : 1, SOAK_MINUTES_MAX) * 60; /* of a second */
	double early, late;
	int64_t began = now_ns();

	if (rounds <= 0)
		return;
	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path("soak"), NULL, settings_for(server.port));
	for (int round = 0; round < rounds; round++) {
		submit(&d, SOAK_STREAMS);
		nap_ms(1000);
		kib[round] = memory_of(d.pid).private_kib;
	}
	early = median(kib + rounds / 3, rounds / 3);
	late = median(kib + rounds / 3 * 2, rounds / 3);
	daemon_stop(&d);
	model_server_stop(&server);
	ROW(.name = "soak: growth of private memory", .measured = text("%+.0f KiB", late - early),
	    .floor = text("%.0f KiB", early), .ratio = late / early, .target = "<= 2 %",
	    .reached = late <= early * 1.02,
	    .note = text(
		    "%d answers at a time, each of a session of its own that goes to sleep; the "
		    "median of the second third of %.0f s and of the last",
		    SOAK_STREAMS, (double)(now_ns() - began) / 1e9));
}

int main(int argc, char **argv)
{
	bench_fixture_begin(argc, argv);
	measure_first();
	measure_many();
	measure_soak();
	return 0;
}
