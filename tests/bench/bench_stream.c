/*
 * Streams: 20,000 deltas as fast as possible, and 1,000 tokens at 50 per second.
 *
 * Both are read as server-sent events by the one who submitted the turn.
 */
#include "base/json.h"
#include "client.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DELTAS 20000
#define TOKENS 1000

static const char fast_script[] =
	"{\"version\":1,\"default\":{\"text\":{\"repeat\":\"word {{n}} \",\"count\":20000}}}";
static const char slow_script[] = "{\"version\":1,\"default\":{\"text\":{\"repeat\":\"word "
				  "\",\"count\":1000},\"delayMs\":20}}";

struct stream {
	double seconds; /* from the request to turn.completed */
	struct buf lines;
	char session[ID_SIZE];
};

static void read_turn(struct http_client *w, const struct daemon *d, struct stream *ret)
{
	int64_t began = now_ns(), ended = 0;
	struct str line;

	http_send(w, d, "POST", "/v1/run", "text/event-stream", "{\"input\":\"go\"}");
	if (http_head(w) != 200)
		die("/v1/run was not answered with 200");
	buf_clear(&ret->lines);
	while (http_line(w, &line)) {
		if (!str_starts(line, STR("data: {")))
			continue;
		line = str_skip(line, 6);
		if (!ended && str_starts(line, STR("{\"type\":\"turn.completed\"")))
			ended = now_ns();
		buf_add_str(&ret->lines, line);
		buf_add_char(&ret->lines, '\n');
	}
	if (!ended)
		die("the turn did not complete");
	ret->seconds = (double)(ended - began) / 1e9;
	strncpy(ret->session, text("%.*s", STR_ARG(member(buf_str(&ret->lines), "sessionId"))),
	        ID_SIZE - 1);
}

/* The text of all deltas, and how many events and pieces that was. */
static void gather(const struct stream *s, struct buf *out, int64_t *ret_events,
                   int64_t *ret_chunks)
{
	struct str rest = buf_str(&s->lines);

	*ret_events = *ret_chunks = 0;
	while (str_is(rest) && rest.len) {
		struct str line = str_cut(&rest, '\n');
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json doc, payload;

		if (!str_starts(line, STR("{\"type\":\"model.delta\"")))
			continue;
		if (json_read_trusted(mem, line, &doc, NULL) != OK)
			die("an event is not JSON");
		payload = JSON_GET(doc, "payload");
		buf_add_str(out, json_str(JSON_GET(payload, "text")));
		*ret_chunks += json_int(JSON_GET(payload, "chunks"), 0);
		++*ret_events;
	}
}

static void measure_fast(void)
{
	struct buf want = { 0 }, got = { 0 };
	struct stream s = { 0 };
	struct daemon d;
	struct http_client w;
	double best = 0;
	int64_t events = 0, chunks = 0;
	bool is_equal = true;

	for (int i = 1; i <= DELTAS; i++)
		buf_printf(&want, "word %d ", i);
	bench_fixture_write(bench_fixture_path("fast.json"), fast_script);
	daemon_start(&d, bench_fixture_path("fast"), bench_fixture_path("fast.json"), NULL);
	http_client_tcp(&w, d.port);
	read_turn(&w, &d, &s);
	for (int round = 0; round < ROUNDS * 3; round++) {
		read_turn(&w, &d, &s);
		buf_clear(&got);
		gather(&s, &got, &events, &chunks);
		is_equal &= str_eq(buf_str(&got), buf_str(&want));
		best = MAX(best, DELTAS / s.seconds);
	}
	http_client_close(&w);
	daemon_stop(&d);
	buf_done(&s.lines);
	buf_done(&want);
	buf_done(&got);
	ROW(.name = "one turn of 20,000 deltas, one SSE reader", .measured = text("%.0f /s", best),
	    .target = ">= 100000 /s, text equal", .reached = best >= 100000 && is_equal,
	    .note = text(
		    "text %s; carried by %lld events, whose payload.chunks add up to %lld; best of "
		    "%d turns",
		    is_equal ? "equal" : "NOT EQUAL", (long long)events, (long long)chunks,
		    ROUNDS * 3));
}

/* ---- bytes ---- */

static double file_kb(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (double)st.st_size / 1e3 : 0;
}

static double query(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	double value;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW)
		die("%s: %s", path, sqlite3_errmsg(db));
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); /* it may be in use */
	value = sqlite3_column_double(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

/* The runtime's own sessions (starts, stops, anchors) are too short to be packed. */
#define OF_TURNS                                                                                   \
	" WHERE session_no IN (SELECT session_no FROM session WHERE id NOT LIKE 'sess\\_node%' "   \
	"ESCAPE '\\' AND id NOT LIKE 'sess\\_system%' ESCAPE '\\')"

/* The same session once it has slept for a second. */
static void measure_rest(const char *dir, const char *log, double before)
{
	static const char *const settings[] = { "session.idle_evict_s=1", NULL };
	int64_t until = now_ns() + 20 * 1000000000LL;
	double packed, grown;
	struct daemon d;

	daemon_start(&d, dir, bench_fixture_path("slow.json"), settings);
	while (query(log, "SELECT (SELECT count(*) FROM event" OF_TURNS ") +"
	                  " (SELECT freelist_count > 16 FROM pragma_freelist_count)") > 0) {
		if (now_ns() > until)
			die("the session was not packed");
		nap_ms(50);
	}
	daemon_stop(&d);
	packed = query(log, "SELECT sum(length(head) + length(body)) / 1e3 FROM pack" OF_TURNS);
	grown = file_kb(log) - before;
	ROW(.name = "log per 1,000 tokens at rest: events", .measured = text("%.1f KB", packed),
	    .floor = "5 KB text", .ratio = packed / 5, .target = "<= 15 KB",
	    .reached = packed <= 15, .note = "packs of all events of the turn, heads included");
	ROW(.name = "log per 1,000 tokens at rest: log.db", .measured = text("%.1f KB", grown),
	    .floor = "5 KB text", .ratio = grown / 5, .reached = REACHED_NONE,
	    .note = "growth of the file: packs in whole pages, index rows, the session's snapshot");
}

static void measure_bytes(void)
{
	const char *dir = bench_fixture_path("slow"), *log = bench_fixture_path("slow/log.db");
	struct stream s = { 0 };
	struct daemon d;
	struct http_client w;
	double before, grown, bodies, deltas;

	bench_fixture_write(bench_fixture_path("slow.json"), slow_script);
	daemon_start(&d, dir, bench_fixture_path("slow.json"), NULL);
	daemon_stop(&d); /* the empty log */
	before = file_kb(log);
	daemon_start(&d, dir, bench_fixture_path("slow.json"), NULL);
	http_client_tcp(&w, d.port);
	read_turn(&w, &d, &s);
	http_client_close(&w);
	daemon_stop(&d);
	buf_done(&s.lines);
	grown = file_kb(log) - before;
	bodies = query(log, "SELECT sum(length(body)) / 1e3 FROM event");
	deltas = query(log, "SELECT count(*) FROM event WHERE CAST(body AS TEXT) LIKE "
	                    "'{\"type\":\"model.delta\"%'");
	ROW(.name = "log per 1,000 tokens at 50 a second: events",
	    .measured = text("%.0f KB", bodies), .floor = "5 KB text", .ratio = bodies / 5,
	    .target = "<= 320 KB", .reached = bodies <= 320,
	    .note = text("bodies of all events of the turn, %.0f of them deltas, in %.1f s", deltas,
	                 s.seconds));
	ROW(.name = "log per 1,000 tokens at 50 a second: log.db",
	    .measured = text("%.0f KB", grown), .floor = "5 KB text", .ratio = grown / 5,
	    .target = "<= 320 KB", .reached = grown <= 320,
	    .note = "growth of the file, with hashes, indexes and free space in pages");
	measure_rest(dir, log, before);
}

int main(int argc, char **argv)
{
	bench_fixture_begin(argc, argv);
	measure_fast();
	measure_bytes();
	return 0;
}
