/*
 * Tasks on the scripted model: ten thousand ready ones from the first start to
 * the last end, and the cost of one when many have ended before it in the same
 * session.  Then pages of a session with a hundred thousand tasks, and a job of
 * a hundred thousand items.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>

#define TASKS 10000
#define SESSIONS 64
#define THREADS 4 /* of a session: as many of its tasks run together */
#define AGED 4000 /* tasks of one session, the last block against the first */
#define BLOCK 1000
#define LISTED 100000
#define OPEN 4000        /* of them at once: a session has a limit */
#define PAGES 200        /* of each kind */
#define ITEMS_DONE 10000 /* of the job, while its memory is looked at */
#define CONNECTIONS 4
#define LANES 128

/* Lines of thirteen bytes, a hundred thousand and some. */
static const char script[] =
	"{\"version\":1,"
	"\"tools\":[{\"name\":\"lines\",\"policy\":\"allowed\","
	"\"result\":{\"text\":{\"repeat\":\"\\\"line {{n}}\\\"\\n\",\"bytes\":1290000}}}],"
	"\"rules\":[{\"when\":{\"text\":\"make lines\",\"request\":1},"
	"\"reply\":{\"toolCalls\":[{\"name\":\"lines\",\"args\":{}}]}}],"
	"\"default\":{\"text\":\"done\"}}";
static const char *const settings[] = { "tools.enabled=false", "tools.agents=false", NULL };

/* Tasks from..until, session by session in turn. */
struct work {
	size_t next, until, sessions;
	const char *name; /* of the sessions */
	bool is_there;    /* they were made: only name them */
	bool runs;        /* make them and start them */
};

static bool next_task(void *arg, size_t lane, struct buf *out)
{
	struct work *w = arg;
	size_t n = w->next, session = n % w->sessions;

	(void)lane;
	if (n == w->until)
		return false;
	w->next++;
	buf_printf(out, "{\"sessionId\":\"sess_%s_%zu\",\"taskId\":\"task_%s_%zu\"", w->name,
	           session, w->name, n);
	if (!w->is_there)
		buf_printf(out, ",\"threadId\":\"thr_%s_%zu_%zu\",\"objective\":\"say it %zu\"%s",
		           w->name, session, n / w->sessions % THREADS, n,
		           w->runs ? ",\"start\":true" : "");
	buf_add_str(out, STR("}"));
	return true;
}

static void command_all(const struct daemon *d, const char *method, struct work *w)
{
	struct load l = { .daemon = d,
		          .connections = CONNECTIONS,
		          .lanes = LANES,
		          .method = method,
		          .next = next_task,
		          .arg = w };

	load_run(&l);
	if (l.refused)
		die("%s: %llu refused, first %s", method, (unsigned long long)l.refused,
		    l.first_refusal);
}

/* Tasks of all these sessions that have completed. */
static size_t completed(struct http_client *w, const struct work *of)
{
	size_t sum = 0;

	for (size_t i = 0; i < of->sessions; i++) {
		struct str reply = rpc_call(w, "get_session",
		                            text("{\"sessionId\":\"sess_%s_%zu\"}", of->name, i));
		ptrdiff_t at = str_find(reply, STR("\"completed\":"));

		if (at < 0)
			die("a session does not count its tasks: %.*s", STR_ARG(reply));
		sum += strtoul(reply.ptr + at + strlen("\"completed\":"), NULL, 10);
	}
	return sum;
}

static void wait_for(const struct daemon *d, const struct work *of)
{
	size_t before = 0, now;
	int quiet_ms = 0;
	struct http_client w;

	http_client_unix(&w, d->socket);
	while ((now = completed(&w, of)) < of->until) {
		quiet_ms = now == before ? quiet_ms + 20 : 0;
		if (quiet_ms > 20000)
			die("%zu of %zu tasks have completed, and no more do", now, of->until);
		before = now;
		nap_ms(20);
	}
	http_client_close(&w);
}

/* ---- ready tasks ---- */

struct result {
	double rate, cpu_ms; /* the second: of the daemon, per task */
};

static struct result run_ready(const struct daemon *d, const char *name)
{
	struct work work = { .until = TASKS, .sessions = SESSIONS, .name = name };
	struct result r;
	int64_t began;

	command_all(d, "create_task", &work);
	work = (struct work){
		.until = TASKS, .sessions = SESSIONS, .name = name, .is_there = true
	};
	r.cpu_ms = cpu_seconds_of(d->pid);
	began = now_ns();
	command_all(d, "start_task", &work);
	wait_for(d, &work);
	r.rate = TASKS / ((double)(now_ns() - began) / 1e9);
	r.cpu_ms = (cpu_seconds_of(d->pid) - r.cpu_ms) * 1e3 / TASKS;
	return r;
}

/* ---- a session that grows old ---- */

/* Milliseconds of the daemon per task, block after block of one session. */
static void run_aged(const struct daemon *d, double *ret_ms)
{
	struct work work = { .sessions = 1, .name = "aged", .runs = true };

	for (size_t i = 0; i < AGED / BLOCK; i++) {
		double cpu = cpu_seconds_of(d->pid);

		work.until += BLOCK;
		command_all(d, "create_task", &work);
		wait_for(d, &work);
		ret_ms[i] = (cpu_seconds_of(d->pid) - cpu) * 1e3 / BLOCK;
	}
}

/* ---- pages ---- */

/* Tasks that were made and cancelled: their rows are like any other's. */
static void make_listed(const struct daemon *d)
{
	struct work work = { .sessions = 1, .name = "listed" };

	while (work.until < LISTED) {
		size_t from = work.until;

		work.until += OPEN;
		command_all(d, "create_task", &work);
		work.next = from;
		work.is_there = true;
		command_all(d, "cancel_task", &work);
		work.is_there = false;
	}
}

/* Milliseconds for a page, the median; each continues where the last one ended, if there is more. */
static double page_ms(struct http_client *w, const char *filter)
{
	static double took[PAGES];
	char cursor[512] = "";

	for (size_t i = 0; i < PAGES; i++) {
		const char *params =
			text("{\"sessionId\":\"sess_listed_0\",\"limit\":50%s%s}", filter, cursor);
		int64_t began = now_ns();
		struct str reply = rpc_call(w, "list_tasks", params);

		took[i] = (double)(now_ns() - began) / 1e6;
		cursor[0] = 0;
		if (str_find(reply, STR("\"nextCursor\":\"")) >= 0)
			snprintf(cursor, sizeof cursor, ",\"cursor\":\"%.*s\"",
			         STR_ARG(member(reply, "nextCursor")));
	}
	return median(took, PAGES);
}

static void list_pages(const struct daemon *d)
{
	static const struct {
		const char *name, *filter;
	} kinds[] = {
		{ "100,000 tasks in a session: a page of 50", "" },
		{ "100,000 tasks in a session: all have the status", ",\"status\":\"cancelled\"" },
		{ "100,000 tasks in a session: none has it", ",\"status\":\"failed\"" },
	};
	struct http_client w;

	make_listed(d);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		double ms;

		http_client_unix(&w, d->socket);
		ms = page_ms(&w, kinds[i].filter);
		http_client_close(&w);
		ROW(.name = kinds[i].name, .measured = text("%.2f ms", ms), .target = "<= 10 ms",
		    .reached = ms <= 10);
	}
}

/* ---- a job ---- */

static long number(struct str json, const char *key)
{
	const char *quoted = text("\"%s\":", key);
	ptrdiff_t at = str_find(json, str_from(quoted));

	if (at < 0)
		die("no %s in %.*s", key, STR_ARG(json));
	return strtol(json.ptr + at + strlen(quoted), NULL, 10);
}

/* The output of a tool, by the event that says where it is. */
static const char *make_lines(struct http_client *w, const struct daemon *d)
{
	char session[ID_SIZE];
	struct str reply;

	run_turn(w, d, NULL, "make lines", session);
	reply = http_command(
		w, d, "list_events",
		text("{\"sessionId\":\"%s\",\"types\":[\"output.spilled\"]}", session));
	return text("{\"sessionId\":\"%s\",\"jobId\":\"job_large\",\"concurrency\":16,"
	            "\"instruction\":\"Say it.\",\"inputRef\":\"%.*s\"}",
	            session, STR_ARG(member(reply, "outputRef")));
}

static void hold_job(const struct daemon *d)
{
	double before, most = 0;
	const char *wanted;
	char job[200];
	struct str reply;
	struct http_client w;
	long items;

	http_client_tcp(&w, d->port);
	wanted = make_lines(&w, d);
	before = memory_of(d->pid).rss_kib;
	reply = http_command(&w, d, "create_job", wanted);
	items = number(reply, "itemCount");
	snprintf(job, sizeof job, "{\"sessionId\":\"%.*s\",\"jobId\":\"job_large\"}",
	         STR_ARG(member(reply, "sessionId")));
	do {
		nap_ms(20);
		most = MAX(most, memory_of(d->pid).rss_kib);
		reply = http_command(&w, d, "get_job", job);
	} while (number(reply, "completed") < ITEMS_DONE);
	http_command(&w, d, "cancel_job", job);
	http_client_close(&w);
	ROW(.name = "a job of 100,000 items, at most",
	    .measured = text("%+.1f MiB", (most - before) / 1024),
	    .floor = text("%.1f MiB before", before / 1024), .target = "<= 32 MiB",
	    .reached = items >= 100000 && most - before <= 32 * 1024,
	    .note = text("%ld items; looked at until %d were done", items, ITEMS_DONE));
}

int main(int argc, char **argv)
{
	double aged[AGED / BLOCK], sync;
	struct result best = { 0 };
	static const char *const names[ROUNDS] = { "one", "two", "three" };
	struct daemon d;

	bench_fixture_begin(argc, argv);
	sync = floor_sync_ms();
	bench_fixture_write(bench_fixture_path("script.json"), script);
	daemon_start(&d, bench_fixture_path("data"), bench_fixture_path("script.json"), settings);
	for (int i = 0; i < ROUNDS; i++) {
		struct result r = run_ready(&d, names[i]);

		if (r.rate > best.rate)
			best = r;
	}
	ROW(.name = "10,000 ready tasks, first start to last end",
	    .measured = text("%.0f tasks/s", best.rate), .floor = text("%.2f ms sync", sync),
	    .target = ">= 1,000", .reached = best.rate >= 1000,
	    .note = text("%d sessions; %.2f ms of the daemon's time per task", SESSIONS,
	                 best.cpu_ms));
	run_aged(&d, aged);
	ROW(.name = text("one session: a task after %d others", AGED - BLOCK),
	    .measured = text("%.2f ms", aged[AGED / BLOCK - 1]),
	    .floor = text("%.2f ms first", aged[0]), .ratio = aged[AGED / BLOCK - 1] / aged[0],
	    .target = "<= 1.2 of the first", .reached = aged[AGED / BLOCK - 1] <= 1.2 * aged[0],
	    .note = "time of the daemon per task");
	list_pages(&d);
	daemon_stop(&d);
	daemon_start(&d, bench_fixture_path("jobs"), bench_fixture_path("script.json"), settings);
	hold_job(&d);
	daemon_stop(&d);
	return 0;
}
