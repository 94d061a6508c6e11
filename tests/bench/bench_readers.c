/* 5,000 subscribers of server-sent events without events. */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define READERS 5000
#define WATCH_MS 5000
#define PING_MS 17000 /* longer than the 15 s between pings */

static struct http_client wires[READERS];

static void raise_files(void)
{
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur < READERS + 100)
		die("the hard limit of open files is %llu", (unsigned long long)r.rlim_cur);
}

/* What the daemon raised its soft limit to; it was started with 1024. */
static long soft_limit_of(pid_t pid)
{
	struct rlimit r = { 0 };

	prlimit(pid, RLIMIT_NOFILE, NULL, &r);
	return (long)r.rlim_cur;
}

/* Where the session's log ends now. */
static long long end_of(struct http_client *w, const struct daemon *d, const char *session)
{
	struct str reply =
		http_command(w, d, "update_session",
	                     text("{\"sessionId\":\"%s\",\"title\":\"hello\"}", session));

	return atoll(strstr(reply.ptr, "\"sequence\":") + strlen("\"sequence\":"));
}

static void connect_all(const struct daemon *d, const char *session, long long after)
{
	for (size_t i = 0; i < READERS; i++) {
		http_client_tcp(&wires[i], d->port);
		http_send(&wires[i], d, "GET",
		          text("/v1/events?session=%s&after=%lld", session, after),
		          "text/event-stream", NULL);
		if (http_head(&wires[i]) != 200)
			die("reader %zu was not let in", i);
	}
}

/* Milliseconds from a command until every reader has something to read. */
static double fan_out(struct http_client *w, const struct daemon *d, const char *session)
{
	int64_t began;
	char sink[65536];

	for (size_t i = 0; i < READERS; i++)
		while (recv(wires[i].fd, sink, sizeof sink, MSG_DONTWAIT) > 0)
			;
	began = now_ns();
	http_command(w, d, "update_session",
	             text("{\"sessionId\":\"%s\",\"title\":\"hello\"}", session));
	for (size_t i = 0; i < READERS; i++) {
		struct pollfd p = { .fd = wires[i].fd, .events = POLLIN };
		ssize_t got = poll(&p, 1, 5000) == 1 ? recv(p.fd, sink, sizeof sink, 0) : 0;

		if (got <= 0 || !memmem(sink, (size_t)got, "session.updated", 15))
			die("reader %zu did not see the event", i);
	}
	return (double)(now_ns() - began) / 1e6;
}

int main(int argc, char **argv)
{
	char session[ID_SIZE];
	struct memory before, after, left;
	struct rlimit low;
	struct daemon d;
	struct http_client w;
	double busy, busy_ping, fan;
	int files_before, files_after;
	long limit;

	bench_fixture_begin(argc, argv);
	getrlimit(RLIMIT_NOFILE, &low);
	low.rlim_cur = 1024;
	setrlimit(RLIMIT_NOFILE, &low); /* what the daemon begins with */
	daemon_start(&d, bench_fixture_path("data"), NULL, NULL);
	raise_files();
	limit = soft_limit_of(d.pid);
	http_client_tcp(&w, d.port);
	run_turn(&w, &d, NULL, "hello", session);
	nap_ms(1500);
	files_before = descriptors_of(d.pid);
	before = memory_of(d.pid);
	connect_all(&d, session, end_of(&w, &d, session));
	nap_ms(1500);
	after = memory_of(d.pid);

	busy = cpu_seconds_of(d.pid);
	nap_ms(WATCH_MS);
	busy = cpu_seconds_of(d.pid) - busy;
	busy_ping = cpu_seconds_of(d.pid);
	nap_ms(PING_MS);
	busy_ping = cpu_seconds_of(d.pid) - busy_ping;
	fan = fan_out(&w, &d, session);
	if (metric(&w, &d, "event_streams") != READERS)
		die("%.0f readers are left", metric(&w, &d, "event_streams"));
	for (size_t i = 0; i < READERS; i++)
		http_client_close(&wires[i]);
	nap_ms(3000);
	files_after = descriptors_of(d.pid);
	left = memory_of(d.pid);
	http_client_close(&w);
	daemon_stop(&d);

	double each = (after.private_kib - before.private_kib) * 1024 / READERS;

	ROW(.name = "5,000 idle SSE readers: memory each", .measured = text("%.0f B", each),
	    .target = "<= 4096 B", .reached = each <= 4096,
	    .note = text(
		    "private %.1f MiB before, %.1f with them, %.1f after they left; descriptors "
		    "%d and %d; soft limit raised from 1024 to %ld",
		    before.private_kib / 1024, after.private_kib / 1024, left.private_kib / 1024,
		    files_before, files_after, limit));
	ROW(.name = "5,000 idle SSE readers: CPU over 5 s",
	    .measured = text("%.1f %%", busy * 1e5 / WATCH_MS), .target = "0 %",
	    .reached = busy * 1e5 / WATCH_MS < 0.25,
	    .note = text("over 17 s with a ping to each: %.1f %%", busy_ping * 1e5 / PING_MS));
	ROW(.name = "one event to 5,000 readers", .measured = text("%.0f ms", fan),
	    .reached = REACHED_NONE, .note = "until the last one has it");
	return 0;
}
