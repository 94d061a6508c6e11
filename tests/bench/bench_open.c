/*
 * Opening long sessions after a restart: time until the first get_session is
 * answered, the effect on other requests meanwhile, and the memory that stays.
 */
#include "client.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRESS 900 /* events of one tool call */
#define OPENS 5
#define SAME_KIB 64 /* what still counts as no growth; repeats differ by nothing */

/* ---- making them ---- */

static void write_script(const char *path)
{
	struct buf out = { 0 };

	buf_add_c(&out, "{\"version\":1,\"rules\":[{\"when\":{\"text\":\"work\"},\"replies\":["
	                "{\"text\":\"I shall work.\",\"toolCalls\":[{\"name\":\"work\"}]},"
	                "{\"text\":\"It is done.\"}]}],\"default\":{\"text\":\"Hello.\"},"
	                "\"tools\":[{\"name\":\"work\",\"result\":{\"text\":\"ok\",\"delayMs\":10,"
	                "\"progress\":[");
	for (int i = 1; i <= PROGRESS; i++)
		buf_printf(
			&out,
			"%s{\"afterMs\":%d,\"message\":\"part %d\",\"completed\":%d,\"total\":%d}",
			i > 1 ? "," : "", i / 100, i, i, PROGRESS);
	buf_add_c(&out, "]}}]}");
	buf_add_char(&out, '\0');
	bench_fixture_write(path, out.ptr);
	buf_done(&out);
}

/* Turns on one session until it has so many events. */
static void make_session(struct http_client *w, const struct daemon *d, double events,
                         const char *input, char ret_id[ID_SIZE])
{
	double start = metric(w, d, "events_total");

	run_turn(w, d, NULL, input, ret_id);
	while (metric(w, d, "events_total") - start < events)
		run_turn(w, d, ret_id, input, NULL);
}

/* ---- opening them ---- */

/* Requests of another client, and the longest that one of them took. */
struct other {
	const struct daemon *d;
	atomic_bool is_over;
	double longest_ms;
};

static void *ask_on(void *arg)
{
	struct other *o = arg;
	struct str page;
	struct http_client w;

	http_client_tcp(&w, o->d->port);
	while (!atomic_load(&o->is_over)) {
		int64_t began = now_ns();

		http_ask(&w, o->d, "GET", "/healthz", NULL, &page);
		o->longest_ms = MAX(o->longest_ms, (double)(now_ns() - began) / 1e6);
		usleep(500);
	}
	http_client_close(&w);
	return NULL;
}

struct opened {
	double ms, again_ms, others_ms, grown_kib, reply_kib;
};

static struct opened open_once(const char *dir, const char *script, const char *id,
                               bool with_others)
{
	struct opened o = { 0 };
	struct other other = { 0 };
	struct memory before;
	struct daemon d;
	struct http_client w;
	struct str reply;
	pthread_t thread;
	int64_t began;
	const char *params = text("{\"sessionId\":\"%s\",\"window\":20}", id);

	daemon_start(&d, dir, script, NULL);
	http_client_tcp(&w, d.port);
	/* Deleted rows are made again first; until then the answer is 503. */
	while (http_ask(&w, &d, "POST", "/v1/commands/list_sessions", "{\"limit\":1}", &reply) ==
	       503)
		nap_ms(50);
	nap_ms(300);
	before = memory_of(d.pid);
	other.d = &d;
	if (with_others && pthread_create(&thread, NULL, ask_on, &other) != 0)
		die("no thread");
	if (with_others)
		nap_ms(50);
	began = now_ns();
	reply = http_command(&w, &d, "get_session", params);
	o.ms = (double)(now_ns() - began) / 1e6;
	o.reply_kib = (double)reply.len / 1024;
	atomic_store(&other.is_over, true);
	if (with_others)
		pthread_join(thread, NULL);
	o.others_ms = other.longest_ms;
	o.grown_kib = memory_of(d.pid).private_kib - before.private_kib;
	began = now_ns();
	http_command(&w, &d, "get_session", params);
	o.again_ms = (double)(now_ns() - began) / 1e6;
	http_client_close(&w);
	daemon_stop(&d);
	return o;
}

/* The one with the median time. */
static struct opened open_it(const char *dir, const char *script, const char *id, int times)
{
	struct opened all[OPENS];

	for (int i = 0; i < times; i++) {
		all[i] = open_once(dir, script, id, false);
		for (int k = i; k > 0 && all[k].ms < all[k - 1].ms; k--) {
			struct opened swap = all[k];

			all[k] = all[k - 1];
			all[k - 1] = swap;
		}
	}
	return all[times / 2];
}

static void forget_snapshots(const char *dir)
{
	sqlite3 *db;

	if (sqlite3_open(text("%s/log.db", dir), &db) != SQLITE_OK ||
	    sqlite3_exec(db, "DELETE FROM snapshot", NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", dir, sqlite3_errmsg(db));
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	const char *dir, *script;
	char small[ID_SIZE], middle[ID_SIZE], large[ID_SIZE];
	struct opened from_snapshot, cold, crowded, of_small, of_middle;
	struct daemon d;
	struct http_client w;

	bench_fixture_begin(argc, argv);
	dir = bench_fixture_path("data");
	script = bench_fixture_path("script.json");
	write_script(script);
	daemon_start(&d, dir, script, NULL);
	http_client_tcp(&w, d.port);
	make_session(&w, &d, 200, "hello", small);
	make_session(&w, &d, 20000, "work", middle);
	make_session(&w, &d, 100000, "work", large);
	http_client_close(&w);
	daemon_stop(&d);

	of_small = open_it(dir, script, small, OPENS);
	of_middle = open_it(dir, script, middle, OPENS);
	from_snapshot = open_it(dir, script, large, OPENS);
	forget_snapshots(dir);
	cold = open_it(dir, script, large, 3);
	crowded = open_once(dir, script, large, true);

	ROW(.name = "opening 100,000 events, from a snapshot",
	    .measured = text("%.1f ms", from_snapshot.ms),
	    .floor = text("%.1f ms again", from_snapshot.again_ms),
	    .ratio = from_snapshot.ms / from_snapshot.again_ms, .target = "<= 10 ms",
	    .reached = from_snapshot.ms <= 10,
	    .note = text("get_session, window 20, %.0f KiB; floor: the same once it is in memory",
	                 from_snapshot.reply_kib));
	ROW(.name = "opening 100,000 events, no snapshot", .measured = text("%.0f ms", cold.ms),
	    .floor = text("%.1f ms again", cold.again_ms), .ratio = cold.ms / cold.again_ms,
	    .target = "<= 500 ms", .reached = cold.ms <= 500,
	    .note = text("meanwhile /healthz took %.1f ms at most", crowded.others_ms));
	ROW(.name = "memory of one session: 20,000 events against 200",
	    .measured = text("%.0f KiB", of_middle.grown_kib),
	    .floor = text("%.0f KiB", of_small.grown_kib),
	    .ratio = of_middle.grown_kib / of_small.grown_kib, .target = "no growth",
	    .reached = of_middle.grown_kib <= of_small.grown_kib + SAME_KIB,
	    .note = "private, after opening it; grows until the windows of ended objects are full");
	ROW(.name = "memory of one session: 100,000 events against 20,000",
	    .measured = text("%.0f KiB", from_snapshot.grown_kib),
	    .floor = text("%.0f KiB", of_middle.grown_kib),
	    .ratio = from_snapshot.grown_kib / of_middle.grown_kib, .target = "no growth",
	    .reached = from_snapshot.grown_kib <= of_middle.grown_kib + SAME_KIB,
	    .note = text("folded without a snapshot: %.0f KiB", cold.grown_kib));
	return 0;
}
