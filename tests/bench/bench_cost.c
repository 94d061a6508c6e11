/*
 * The cost of a turn: 50 deltas from a provider over HTTP that sends them at
 * once, beside the same client talking to the provider directly.
 *
 * Time is noisy on a shared machine; processor time, bytes of the write-ahead
 * log and bytes of events are less so, and are measured in the same run.
 */
#include "client.h"
#include "model_server.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define EVENTS 50
#define TURNS 300
#define TURNS_A_SESSION 10
#define MANY_TURNS 10 /* of each session, where many run at once */

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
	settings[2] = "limits.parallel_requests=4000";
	return settings;
}

/* ---- the floor ---- */

/* A request as the daemon sends one, and the whole answer; the connection is new, as the server closes it. */
static double bare_turn(int port)
{
	static const char body[] =
		"{\"model\":\"sim-1\",\"messages\":[{\"role\":\"user\",\"content\":\"go\"}],"
		"\"stream\":true}";
	struct http_client w;
	struct str line;
	int64_t began = now_ns();
	const char *request =
		text("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
	             strlen(body), body);

	http_client_tcp(&w, port);
	http_client_send(&w, str_from(request));
	if (http_head(&w) != 200)
		die("the provider did not answer with 200");
	while (http_line(&w, &line))
		;
	http_client_close(&w);
	return (double)(now_ns() - began) / 1e6;
}

/* ---- one after the other ---- */

static double one_turn(struct http_client *w, const struct daemon *d, char session[ID_SIZE],
                       int number, double *ret_first)
{
	bool is_new = number % TURNS_A_SESSION == 0;
	int64_t began = now_ns(), ended = 0, first = 0;
	struct str line;

	http_send(w, d, "POST", "/v1/run", NULL,
	          is_new ? "{\"input\":\"go\"}"
	                 : text("{\"sessionId\":\"%s\",\"input\":\"go\"}", session));
	if (http_head(w) != 200)
		die("/v1/run was not answered with 200");
	while (http_line(w, &line)) {
		if (!first && str_starts(line, STR("{\"type\":\"model.delta\"")))
			first = now_ns();
		if (!ended && str_starts(line, STR("{\"type\":\"turn.completed\"")))
			ended = now_ns();
		if (is_new)
			strncpy(session, text("%.*s", STR_ARG(member(line, "sessionId"))),
			        ID_SIZE - 1);
	}
	if (!ended || !first)
		die("a turn did not complete");
	*ret_first = (double)(first - began) / 1e6;
	return (double)(ended - began) / 1e6;
}

static void measure_one(void)
{
	static double took[TURNS], first[TURNS], bare[TURNS];
	struct model_plan plan = { .events = EVENTS };
	struct model_server server;
	struct daemon d;
	struct http_client w;
	char session[ID_SIZE] = "";
	double cpu, wal, bytes, unused, p50, floor;

	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path("one"), NULL, settings_for(server.port));
	http_client_tcp(&w, d.port);
	for (int i = 0; i < 50; i++)
		one_turn(&w, &d, session, i, &unused);
	cpu = cpu_seconds_of(d.pid);
	wal = metric(&w, &d, "wal_bytes_total");
	bytes = metric(&w, &d, "event_bytes_total");
	for (int i = 0; i < TURNS; i++) {
		took[i] = one_turn(&w, &d, session, i, &first[i]);
		bare[i] = bare_turn(server.port);
	}
	cpu = cpu_seconds_of(d.pid) - cpu;
	wal = metric(&w, &d, "wal_bytes_total") - wal;
	bytes = metric(&w, &d, "event_bytes_total") - bytes;
	http_client_close(&w);
	daemon_stop(&d);
	model_server_stop(&server);
	p50 = median(took, TURNS);
	floor = median(bare, TURNS);
	ROW(.name = "turn of 50 deltas from a provider: p50", .measured = text("%.2f ms", p50),
	    .floor = text("%.2f ms", floor), .ratio = p50 / floor, .target = "<= 3 floors",
	    .reached = p50 <= 3 * floor, .note = "floor: the same client asks the provider itself");
	ROW(.name = "the same: first delta, p50", .measured = text("%.2f ms", median(first, TURNS)),
	    .target = "<= 3 ms", .reached = median(first, TURNS) <= 3);
	ROW(.name = "the same: processor time of the daemon",
	    .measured = text("%.2f ms", cpu / TURNS * 1e3), .target = "<= 1.0 ms",
	    .reached = cpu / TURNS <= 0.001);
	ROW(.name = "the same: write-ahead log", .measured = text("%.0f KB", wal / TURNS / 1e3),
	    .target = "<= 80 KB", .reached = wal / TURNS <= 80e3);
	ROW(.name = "the same: events", .measured = text("%.1f KB", bytes / TURNS / 1e3),
	    .target = "<= 16 KB", .reached = bytes / TURNS <= 16e3);
}

/* ---- many at once ---- */

struct many {
	int sessions, turns, left;
};

static bool next_turn(void *arg, size_t lane, struct buf *out)
{
	struct many *m = arg;

	(void)lane;
	if (m->left == 0)
		return false;
	m->left--;
	buf_printf(out, "{\"sessionId\":\"sess_c%d\",\"input\":\"go\",\"delivery\":\"queue\"}",
	           m->left % m->sessions);
	return true;
}

/* *ret_cpu_ms: processor time of the daemon for each turn. */
static double turns_a_second(int sessions, double *ret_cpu_ms)
{
	struct model_plan plan = { .events = EVENTS };
	struct many m = { sessions, sessions * MANY_TURNS, sessions * MANY_TURNS };
	struct model_server server;
	struct daemon d;
	struct http_client w;
	int64_t began;
	double seconds, cpu;

	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path(text("many%d", sessions)), NULL,
	             settings_for(server.port));
	http_client_tcp(&w, d.port);
	cpu = cpu_seconds_of(d.pid);
	began = now_ns();

	struct load l = { .daemon = &d,
		          .connections = 4,
		          .lanes = 64,
		          .method = "submit_turn",
		          .next = next_turn,
		          .arg = &m };

	load_run(&l);
	if (l.refused)
		die("a turn was refused: %s", l.first_refusal);
	while (*server.sent < (long)m.turns * EVENTS || metric(&w, &d, "live_effects") > 0)
		nap_ms(5);
	seconds = (double)(now_ns() - began) / 1e9;
	*ret_cpu_ms = (cpu_seconds_of(d.pid) - cpu) / m.turns * 1e3;
	http_client_close(&w);
	daemon_stop(&d);
	model_server_stop(&server);
	return m.turns / seconds;
}

static double bare_a_second(void)
{
	struct model_plan plan = { .events = EVENTS };
	struct model_server server;
	int64_t began;

	model_server_start(&server, &plan);
	began = now_ns();
	for (int i = 0; i < 2000; i++)
		bare_turn(server.port);
	model_server_stop(&server);
	return 2000 / ((double)(now_ns() - began) / 1e9);
}

/* THOLE_BENCH_SESSIONS=N measures this number alone, to profile it. */
static void measure_many(void)
{
	static const int counts[] = { 1, 64, 128, 200, 500, 2000 };
	const char *only = getenv("THOLE_BENCH_SESSIONS");
	double bare = bare_a_second();

	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		double cpu_ms, rate;
		bool is_target = counts[i] == 200;

		if (only && atoi(only) != counts[i])
			continue;
		rate = turns_a_second(counts[i], &cpu_ms);

		ROW(.name = text("%d sessions at once: turns a second", counts[i]),
		    .measured = text("%.0f", rate), .floor = text("%.0f", bare),
		    .ratio = rate / bare, .target = is_target ? ">= 0.55 floors" : NULL,
		    .reached = is_target ? rate >= 0.55 * bare : REACHED_NONE);
		ROW(.name = "the same: processor time of the daemon for a turn",
		    .measured = text("%.2f ms", cpu_ms), .reached = REACHED_NONE);
	}
}

/* ---- many readers ---- */

#define READERS 900
#define READER_TURNS 20

static struct http_client readers[READERS];

/* What has come since is thrown away; they keep up. */
static void drain_readers(size_t count)
{
	char sink[65536];

	nap_ms(100);
	for (size_t i = 0; i < count; i++)
		while (recv(readers[i].fd, sink, sizeof sink, MSG_DONTWAIT) > 0)
			;
}

/* Milliseconds from a command until its request has reached the provider, the median of many. */
static double submit_to_provider(struct http_client *w, const struct daemon *d,
                                 const struct model_server *server, const char *session,
                                 size_t count)
{
	double took[READER_TURNS];
	struct str reply;

	for (int i = 0; i < READER_TURNS; i++) {
		long sent = *server->sent;
		int64_t began = now_ns();

		if (http_ask(w, d, "POST", "/v1/commands/submit_turn",
		             text("{\"sessionId\":\"%s\",\"input\":\"go\"}", session), &reply) /
		            100 !=
		    2)
			die("a turn was refused: %.*s", STR_ARG(reply));
		while (*server->sent == sent)
			sched_yield();
		took[i] = (double)(now_ns() - began) / 1e6;
		while (metric(w, d, "live_effects") > 0)
			nap_ms(5);
		drain_readers(count);
	}
	return median(took, READER_TURNS);
}

static void measure_readers(void)
{
	struct model_plan plan = { .events = 1 };
	struct model_server server;
	char session[ID_SIZE];
	struct daemon d;
	struct http_client w;
	double alone, among;

	model_server_start(&server, &plan);
	daemon_start(&d, bench_fixture_path("readers"), NULL, settings_for(server.port));
	http_client_tcp(&w, d.port);
	run_turn(&w, &d, NULL, "go", session);
	alone = submit_to_provider(&w, &d, &server, session, 0);
	for (size_t i = 0; i < READERS; i++) {
		http_client_tcp(&readers[i], d.port);
		http_send(&readers[i], &d, "GET", text("/v1/events?session=%s&after=0", session),
		          "text/event-stream", NULL);
		if (http_head(&readers[i]) != 200)
			die("reader %zu was not let in", i);
	}
	drain_readers(READERS);
	among = submit_to_provider(&w, &d, &server, session, READERS);
	for (size_t i = 0; i < READERS; i++)
		http_client_close(&readers[i]);
	http_client_close(&w);
	daemon_stop(&d);
	model_server_stop(&server);
	ROW(.name = "900 readers of a session: submit to provider",
	    .measured = text("%.2f ms", among), .floor = text("%.2f ms", alone),
	    .ratio = among / alone, .target = "<= 3 ms", .reached = among <= 3,
	    .note = "floor: the same without readers; median of 20 turns");
}

int main(int argc, char **argv)
{
	bench_fixture_begin(argc, argv);
	if (!getenv("THOLE_BENCH_SESSIONS")) {
		measure_one();
		measure_readers();
	}
	if (!getenv("THOLE_BENCH_ONE"))
		measure_many();
	return 0;
}
