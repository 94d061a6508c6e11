#include "tool_daemon.h"

#include "client.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS 20
#define TURNS 15 /* per round */
#define LIVE 100
#define FLOOD 10000000000LL
#define FLOOD_BEHIND 1000000000LL /* is on the disk twice while it runs */

static const char *const settings[] = { "permission.mode=bypass", "process.on_stop=terminate",
	                                NULL };

/* ---- the script ---- */

static void add_rule(struct buf *out, const char *word, const char *tool, const char *command,
                     int calls)
{
	buf_printf(out, "%s{\"when\":{\"text\":\"%s\",\"request\":1},\"reply\":{\"toolCalls\":[",
	           out->ptr[out->len - 1] == '[' ? "" : ",", word);
	for (int i = 0; i < calls; i++)
		buf_printf(out, "%s{\"name\":\"%s\",\"args\":{\"command\":\"%s\"%s}}", i ? "," : "",
		           tool, command, strstr(command, "head") ? ",\"timeoutMs\":600000" : "");
	buf_add_c(out, "]}}");
}

static const char *write_script(void)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *path = bench_fixture_path("tools.json");

	buf_add_c(&out, "{\"version\":1,\"rules\":[");
	add_rule(&out, "one call", "shell", "echo hello", 1);
	add_rule(&out, "many calls", "shell", "echo hello", CALLS);
	add_rule(&out, "live", "start_process", "sleep 1000", 1);
	add_rule(&out, "flood", "shell", text("yes 0123456789 abcdefghij | head -c %lld", FLOOD),
	         1);
	add_rule(&out, "behind", "start_process",
	         text("yes 0123456789 abcdefghij | head -c %lld", FLOOD_BEHIND), 1);
	buf_add_c(&out, "],\"default\":{\"text\":\"done\"}}");
	buf_add_char(&out, '\0');
	bench_fixture_write(path, out.ptr);
	return path;
}

/* A call that fails is fast, and measures nothing. */
static void must_have_worked(struct http_client *w, const struct daemon *d, const char *session)
{
	struct str failed = http_command(w, d, "list_events",
	                                 text("{\"sessionId\":\"%s\",\"types\":[\"tool.failed\","
	                                      "\"process.failed\"],\"limit\":1}",
	                                      session));

	if (str_find(failed, STR("statusReason")) >= 0)
		die("a call failed: %.*s", STR_ARG(member(failed, "statusReason")));
}

/* ---- many calls in a turn ---- */

static double turn_ms(struct http_client *w, const struct daemon *d, const char *input)
{
	double best = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		double took[TURNS];

		for (int i = 0; i < TURNS; i++) {
			char id[ID_SIZE];
			int64_t began = now_ns();

			run_turn(w, d, NULL, input, id);
			took[i] = (double)(now_ns() - began) / 1e6;
			must_have_worked(w, d, id);
		}
		best = MIN(best, median(took, TURNS));
	}
	return best;
}

static void measure_turns(struct http_client *w, const struct daemon *d, double echo_ms)
{
	double one = turn_ms(w, d, "one call"), many = turn_ms(w, d, "many calls");

	ROW(.name = "a turn with 20 sandboxed calls", .measured = text("%.1f ms", many),
	    .floor = text("%.2f ms echo", echo_ms), .ratio = many / echo_ms,
	    .target = text("<= %.1f ms", CALLS * one), .reached = many <= CALLS * one,
	    .note = text("target: 20 turns with one call, %.2f ms each; floor: one sandboxed echo "
	                 "through "
	                 "the toolset, without a log",
	                 one));
}

/* ---- what a live process costs ---- */

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	FILE *f;
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(line, sizeof line, f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %d", &parent);
	fclose(f);
	return parent;
}

/* The supervisor is the daemon's only child. */
static pid_t child_of(pid_t pid)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;

	while (proc && !found && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]) && parent_of(atoi(e->d_name)) == pid)
			found = atoi(e->d_name);
	if (proc)
		closedir(proc);
	return found;
}

static void run_many(struct http_client *w, const struct daemon *d, const char *input, int count,
                     char session[ID_SIZE])
{
	for (int i = 0; i < count; i++)
		run_turn(w, d, session[0] ? session : NULL, input, session);
}

static void measure_live(struct http_client *w, const struct daemon *d)
{
	char session[ID_SIZE] = "";
	double before, hand_before, each, hand_each;
	pid_t hand;

	/* what turns and calls leave in memory is not what a process needs */
	run_many(w, d, "one call", 2 * LIVE, session);
	run_many(w, d, "live", 2, session);
	hand = child_of(d->pid);
	before = memory_of(d->pid).private_kib;
	hand_before = memory_of(hand).private_kib;
	run_many(w, d, "live", LIVE, session);
	each = (memory_of(d->pid).private_kib - before) / LIVE;
	hand_each = (memory_of(hand).private_kib - hand_before) / LIVE;
	must_have_worked(w, d, session);
	ROW(.name = "resident for a live process", .measured = text("%.1f KiB", each + hand_each),
	    .target = "<= 64 KiB", .reached = each + hand_each <= 64,
	    .note = text("100 of them; daemon %.1f, supervisor %.1f; their turns are in it, the "
	                 "programs and the init of each sandbox are not",
	                 each, hand_each));
}

/* ---- floods ---- */

struct watcher {
	pid_t pid;
	atomic_bool is_over;
	double most_kib;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;

	while (!atomic_load(&w->is_over)) {
		w->most_kib = MAX(w->most_kib, memory_of(w->pid).private_kib);
		nap_ms(20);
	}
	return NULL;
}

/* Has it been sealed? */
static bool is_at_rest(struct http_client *w, const struct daemon *d, const char *session)
{
	struct str list =
		http_command(w, d, "list_processes",
	                     text("{\"sessionId\":\"%s\",\"status\":\"running\"}", session));

	return str_find(list, STR("processId")) < 0;
}

static void measure_flood(struct http_client *w, const struct daemon *d, const char *input,
                          double bytes, const char *name)
{
	struct watcher watcher = { .pid = d->pid };
	char session[ID_SIZE] = "";
	int64_t began;
	pthread_t thread;
	double before, took;

	run_many(w, d, "one call", 20, session);
	before = memory_of(d->pid).private_kib;
	if (pthread_create(&thread, NULL, watch, &watcher) != 0)
		die("no thread");
	began = now_ns();
	run_turn(w, d, session, input, session);
	while (!is_at_rest(w, d, session))
		nap_ms(100);
	took = (double)(now_ns() - began) / 1e9;
	atomic_store(&watcher.is_over, true);
	pthread_join(thread, NULL);
	must_have_worked(w, d, session);
	ROW(.name = name, .measured = text("%.1f MiB", (watcher.most_kib - before) / 1024),
	    .target = "< 16 MiB", .reached = watcher.most_kib - before < 16 * 1024,
	    .note = text("private memory of the daemon at its highest, against before; %.0f MB/s, "
	                 "secrets looked for",
	                 bytes / took / 1e6));
}

void measure_daemon(double echo_ms)
{
	const char *script = write_script();
	struct http_client w = { 0 };
	struct daemon d;

	daemon_start(&d, bench_fixture_path("daemon"), script, settings);
	http_client_tcp(&w, d.port);
	measure_turns(&w, &d, echo_ms);
	measure_flood(&w, &d, "behind", FLOOD_BEHIND,
	              "growth by 1 GB of a process in the background");
	measure_flood(&w, &d, "flood", FLOOD, "growth by 10 GB through a pipe");
	measure_live(&w, &d);
	http_client_close(&w);
	daemon_stop(&d);
}
