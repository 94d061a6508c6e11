/*
 * The cost of an idle daemon: time until it answers, and memory, with an empty
 * log and with 10,000 sessions in it.
 */
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SESSIONS 10000
#define STARTS 15 /* per round */
#define SETTLE_MS 4000

static char ids[SESSIONS][ID_SIZE];

/* ---- ready after start ---- */

/* Milliseconds from spawning it until a command was answered on its socket. */
static double start_once(const char *dir)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct http_client w = { 0 };
	struct daemon d;
	int64_t began = now_ns();
	double took;

	daemon_spawn(&d, dir, NULL, NULL);
	strcpy(a.sun_path, d.socket);
	for (;;) {
		w.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(w.fd, (struct sockaddr *)&a, sizeof a) == 0)
			break;
		close(w.fd);
		if (now_ns() - began > 10000000000LL)
			die("no socket at %s after 10 s", d.socket);
		usleep(50);
	}
	rpc_call(&w, "list_sessions", "{\"limit\":1}");
	took = (double)(now_ns() - began) / 1e6;
	http_client_close(&w);
	daemon_stop(&d);
	return took;
}

static void measure_starts(const char *name, const char *dir, bool is_empty, double target)
{
	double best = 1e9, took[STARTS], floor = floor_spawn_ms(), sync = floor_sync_ms();

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < STARTS; i++) {
			if (is_empty)
				bench_fixture_remove(dir);
			took[i] = start_once(dir);
		}
		best = MIN(best, median(took, STARTS));
		sync = MIN(sync, floor_sync_ms());
	}
	ROW(.name = name, .measured = text("%.1f ms", best), .floor = text("%.2f ms spawn", floor),
	    .ratio = best / floor, .target = text("<= %.0f ms", target), .reached = best <= target,
	    .note = text(
		    "ready: a command was answered on the socket; a sync took %.2f ms meanwhile",
		    sync));
}

/* ---- memory ---- */

static struct memory memory_of_sleep(void)
{
	char *args[] = { "sleep", "10", NULL }, *env[] = { NULL };
	struct memory m;
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sleep", NULL, NULL, args, env) != 0)
		die("/bin/sleep does not start");
	nap_ms(50);
	m = memory_of(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return m;
}

static void row_of_memory(const char *name, double kib, double floor_kib, double target_mib,
                          const char *note)
{
	ROW(.name = name, .measured = text("%.2f MiB", kib / 1024),
	    .floor = text("%.2f MiB sleep", floor_kib / 1024), .ratio = kib / floor_kib,
	    .target = target_mib > 0 ? text("<= %.0f MiB", target_mib) : NULL,
	    .reached = target_mib > 0 ? kib <= target_mib * 1024 : REACHED_NONE, .note = note);
}

static void measure_empty(const char *dir, const struct memory *floor)
{
	struct daemon d;
	struct memory m;

	bench_fixture_remove(dir);
	daemon_start(&d, dir, NULL, NULL);
	nap_ms(2000);
	m = memory_of(d.pid);
	row_of_memory("memory, empty and idle: RSS", m.rss_kib, floor->rss_kib, 8,
	              "/proc/PID/smaps_rollup, 2 s after the start; private counts clean pages of "
	              "programs "
	              "and libraries too, as long as no other process runs them");
	row_of_memory("memory, empty and idle: private", m.private_kib, floor->private_kib, 3,
	              NULL);
	daemon_stop(&d);
}

/* Made by this daemon, then touched, then left alone for a while. */
static void make_them(const char *dir, const struct memory *floor)
{
	struct daemon d;
	struct memory made, touched;
	int64_t began;
	double make_s, touch_s;

	bench_fixture_remove(dir);
	daemon_start(&d, dir, NULL, NULL);
	began = now_ns();
	make_sessions(&d, SESSIONS, ids);
	make_s = (double)(now_ns() - began) / 1e9;
	nap_ms(SETTLE_MS);
	made = memory_of(d.pid);
	began = now_ns();
	touch_sessions(&d, SESSIONS, ids);
	touch_s = (double)(now_ns() - began) / 1e9;
	nap_ms(SETTLE_MS);
	touched = memory_of(d.pid);
	row_of_memory("memory, 10,000 sessions made by it: private", made.private_kib,
	              floor->private_kib, 0,
	              text("a turn each, %.0f turns a second; 4 s later", SESSIONS / make_s));
	row_of_memory("memory, and touched once: private", touched.private_kib, floor->private_kib,
	              15, text("%.0f a second; 4 s later", SESSIONS / touch_s));
	daemon_stop(&d);
}

static void touch_stored(const char *dir, const struct memory *floor)
{
	struct daemon d;
	struct memory m;

	daemon_start(&d, dir, NULL, NULL);
	touch_sessions(&d, SESSIONS, ids);
	nap_ms(SETTLE_MS);
	m = memory_of(d.pid);
	row_of_memory("memory, 10,000 stored sessions touched once: private", m.private_kib,
	              floor->private_kib, 15,
	              text("after a restart; RSS %.1f MiB", m.rss_kib / 1024));
	daemon_stop(&d);
}

int main(int argc, char **argv)
{
	struct memory floor;

	bench_fixture_begin(argc, argv);
	floor = memory_of_sleep();
	measure_starts("ready after start, empty", bench_fixture_path("empty"), true, 15);
	measure_empty(bench_fixture_path("empty"), &floor);
	make_them(bench_fixture_path("full"), &floor);
	measure_starts("ready after start, 10,000 stored sessions", bench_fixture_path("full"),
	               false, 50);
	touch_stored(bench_fixture_path("full"), &floor);
	return 0;
}
