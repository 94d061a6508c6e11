/*
 * What streams cost: bench_openai [STREAMS [EVENTS_PER_S [SECONDS]]]
 *
 * A child process serves the streams over loopback; the figures are of this process alone: what
 * the first request costs, memory per open stream, processor time per event.
 */
#include "rig.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static int streams = 500, per_s = 50, seconds = 5;

/* ---- the server ---- */

#define EVENT                                                                                      \
	"data: {\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":"                     \
	"\"chat.completion.chunk\",\"created\":1763200000,\"model\":\"sim-1\","                    \
	"\"service_tier\":\"default\",\"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":"       \
	"[{\"index\":0,\"delta\":{\"content\":\" word\"},\"logprobs\":null,"                       \
	"\"finish_reason\":null}],\"usage\":null}\n\n"
#define LAST                                                                                       \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"          \
	"data: [DONE]\n\n"

static void put(int fd, const char *text)
{
	char chunk[2048];
	int len = snprintf(chunk, sizeof chunk, "%zx\r\n%s\r\n", strlen(text), text);

	if (send(fd, chunk, (size_t)len, MSG_NOSIGNAL) != len)
		_exit(1);
}

static int serve_one(int listener)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				   "Transfer-Encoding: chunked\r\n\r\n";
	char in[4096];
	int fd = accept(listener, NULL, NULL), on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (recv(fd, in, sizeof in, 0) <= 0 || send(fd, head, sizeof head - 1, MSG_NOSIGNAL) < 0)
		_exit(1);
	put(fd, EVENT);
	return fd;
}

static void serve(int listener)
{
	int *fds = xcalloc((size_t)streams, sizeof *fds);
	int64_t next;

	put(serve_one(listener), LAST); /* the first request, by itself */
	for (int i = 0; i < streams; i++)
		fds[i] = serve_one(listener);
	next = clock_mono_ns();
	for (int n = 0; n < per_s * seconds; n++) {
		struct timespec at;

		/* spread over the interval, as real streams are */
		for (int i = 0; i < streams; i++) {
			put(fds[i], EVENT);
			if (i % 50 == 49) {
				next += 1000000000LL / per_s * 50 / MAX(streams, 50);
				at = (struct timespec){ next / 1000000000, next % 1000000000 };
				clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
			}
		}
	}
	for (int i = 0; i < streams; i++)
		put(fds[i], LAST);
	recv(fds[0], &next, sizeof next, 0);
	_exit(0);
}

/* ---- figures ---- */

static double rss_kib(void)
{
	long pages = 0, total;
	FILE *f = fopen("/proc/self/statm", "r");

	if (fscanf(f, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static int all_pieces, all_ends;

static void count_piece(void *owner, enum model_piece kind, struct str text)
{
	(void)kind;
	(void)text;
	++*(int *)owner;
	all_pieces++;
}

static void count_end(void *owner, const struct model_end *end)
{
	(void)owner;
	if (end->failed)
		printf("failed: %.*s\n", STR_ARG(end->message));
	all_ends++;
}

static const struct model_sink counting = { count_piece, count_end };

static void start(struct rig *r, int *count)
{
	static const struct message hello = { .role = ROLE_USER, .text = STR("hello") };
	struct model_request req = { .request_id = STR("mreq_1"),
		                     .model = STR("sim-1"),
		                     .messages = &hello,
		                     .message_count = 1 };

	r->provider->ops->start(r->provider, &req, &counting, count);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), first = 0;
	struct rig r = { 0 };
	char url[64];

	if (argc > 1)
		streams = atoi(argv[1]);
	if (argc > 2)
		per_s = atoi(argv[2]);
	if (argc > 3)
		seconds = atoi(argv[3]);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 4096) ||
	    getsockname(listener, (struct sockaddr *)&a, &len))
		return 1;
	if (fork() == 0)
		serve(listener);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", ntohs(a.sin_port));
	rig_open(&r, url, NULL);

	double rss = rss_kib(), cpu = cpu_ms();
	int64_t begun = clock_mono_ns();

	start(&r, &first);
	while (!first)
		loop_run_once(r.loop, 100);
	printf("first request: %.1f ms to the first piece, %.1f ms of CPU, %.0f KiB\n",
	       (double)(clock_mono_ns() - begun) / 1e6, cpu_ms() - cpu, rss_kib() - rss);
	while (!all_ends)
		loop_run_once(r.loop, 100);

	int *counts = xcalloc((size_t)streams, sizeof *counts);

	rss = rss_kib();
	for (int i = 0; i < streams; i++)
		start(&r, &counts[i]);
	while (all_pieces < streams + 1)
		loop_run_once(r.loop, 100);
	printf("%d streams open: %.1f KiB each\n", streams, (rss_kib() - rss) / streams);
	cpu = cpu_ms();
	begun = clock_mono_ns();
	while (all_ends < streams + 1)
		loop_run_once(r.loop, 100);

	double took = (double)(clock_mono_ns() - begun) / 1e9, used = cpu_ms() - cpu;
	int events = all_pieces - streams - 1;

	printf("%d events in %.2f s (%.0f a second): %.0f %% of one core, %.1f us each\n", events,
	       took, events / took, used / took / 10, used * 1e3 / events);
	printf("with %d events behind them: %.1f KiB each\n", per_s * seconds + 1,
	       (rss_kib() - rss) / streams);
	free(counts);
	rig_close(&r);
	return 0;
}
