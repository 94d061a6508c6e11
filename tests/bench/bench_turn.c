/* A turn of 50 deltas over HTTP, from the request to turn.completed: commits and latency. */
#include "client.h"

#include <stdlib.h>

#define TURNS 300          /* per round */
#define TURNS_A_SESSION 10 /* a short conversation: its history is read for every request */
#define BLOCK 10           /* turns between two looks at the floor: both see the same disk */
#define COUNTED 50         /* turns whose commits are counted one by one */

static const char script[] = "{\"version\":1,\"default\":{\"text\":"
			     "{\"repeat\":\"word {{n}} \",\"count\":50}}}";

struct session {
	char id[ID_SIZE];
	int turns;
};

/* Milliseconds until the line with turn.completed was here. */
static double one_turn(struct http_client *w, const struct daemon *d, struct session *s)
{
	bool is_new = s->turns++ % TURNS_A_SESSION == 0;
	int64_t began = now_ns(), ended = 0;
	struct str line;

	http_send(w, d, "POST", "/v1/run", NULL,
	          is_new ? "{\"input\":\"go\"}"
	                 : text("{\"sessionId\":\"%s\",\"input\":\"go\"}", s->id));
	if (http_head(w) != 200)
		die("/v1/run was not answered with 200");
	while (http_line(w, &line)) {
		if (!ended && str_starts(line, STR("{\"type\":\"turn.completed\"")))
			ended = now_ns();
		if (is_new)
			strncpy(s->id, text("%.*s", STR_ARG(member(line, "sessionId"))),
			        ID_SIZE - 1);
	}
	if (!ended)
		die("a turn did not complete");
	return (double)(ended - began) / 1e6;
}

/* The most commits that one turn took. */
static double count_commits(struct http_client *w, const struct daemon *d)
{
	struct session s = { 0 };
	double most = 0;

	for (int i = 0; i < COUNTED; i++) {
		double before = metric(w, d, "commits_total"), took;

		one_turn(w, d, &s);
		took = metric(w, d, "commits_total") - before;
		most = MAX(most, took);
	}
	return most;
}

int main(int argc, char **argv)
{
	static double took[TURNS], sync[TURNS];
	double best = 1e9, best_p99 = 0, best_floor = 0, commits, most;
	struct session s = { 0 };
	struct daemon d;
	struct http_client w;

	bench_fixture_begin(argc, argv);
	bench_fixture_write(bench_fixture_path("script.json"), script);
	daemon_start(&d, bench_fixture_path("data"), bench_fixture_path("script.json"), NULL);
	http_client_tcp(&w, d.port);
	for (int i = 0; i < 50; i++)
		one_turn(&w, &d, &s);
	commits = metric(&w, &d, "commits_total");
	for (int round = 0; round < ROUNDS; round++) {
		double p50;

		for (int i = 0; i < TURNS; i += BLOCK) {
			floor_sync(sync + i, BLOCK);
			for (int k = 0; k < BLOCK; k++)
				took[i + k] = one_turn(&w, &d, &s);
		}
		p50 = median(took, TURNS);
		if (p50 < best) {
			best = p50;
			best_p99 = percentile(took, TURNS, 0.99);
			best_floor = median(sync, TURNS);
		}
	}
	commits = (metric(&w, &d, "commits_total") - commits) / (ROUNDS * TURNS);
	most = count_commits(&w, &d);
	http_client_close(&w);
	daemon_stop(&d);

	ROW(.name = "turn of 50 deltas over HTTP: commits", .measured = text("%.2f", commits),
	    .target = "<= 4", .reached = commits <= 4,
	    .note = text("the most that one of %d turns took: %.0f", COUNTED, most));
	ROW(.name = "turn of 50 deltas over HTTP: p50", .measured = text("%.2f ms", best),
	    .floor = text("%.2f ms sync", best_floor), .ratio = best / best_floor,
	    .target = text("<= %.2f ms", 5 * best_floor + 1), .reached = best <= 5 * best_floor + 1,
	    .note = "target: 5 floors + 1 ms");
	ROW(.name = "turn of 50 deltas over HTTP: p99", .measured = text("%.2f ms", best_p99),
	    .floor = text("%.2f ms sync", best_floor), .ratio = best_p99 / best_floor,
	    .reached = REACHED_NONE);
	return 0;
}
