#include "model_server.h"

#include "base/util.h"
#include "bench_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEAD                                                                                       \
	"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"                                   \
	"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
/* What the vendor's server says around each word. */
#define EVENT                                                                                      \
	"data: {\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":"                     \
	"\"chat.completion.chunk\",\"created\":1763200000,\"model\":\"sim-1\","                    \
	"\"service_tier\":\"default\",\"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":"       \
	"[{\"index\":0,\"delta\":{\"content\":\" %lld\"},\"logprobs\":null,"                       \
	"\"finish_reason\":null}],\"usage\":null}\n\n"
#define LAST                                                                                       \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"          \
	"data: [DONE]\n\n"

#define STREAMS_MAX 4096

struct stream {
	int fd, sent;
	int64_t due; /* 0: its request has not come yet */
};

/* ---- in the child ---- */

static struct stream streams[STREAMS_MAX];
static size_t count;
static volatile long *sent; /* shared with the parent */

static void put(int fd, const char *text)
{
	char chunk[1024];
	int len = snprintf(chunk, sizeof chunk, "%zx\r\n%s\r\n", strlen(text), text);

	/* A reader that is gone is not our business. */
	if (send(fd, chunk, (size_t)len, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
		_exit(1);
}

static void drain(int fd, bool *ret_came)
{
	char in[16384];

	while (recv(fd, in, sizeof in, MSG_DONTWAIT) > 0)
		*ret_came = true;
}

static void admit(int listener)
{
	int fd, on = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		if (count == STREAMS_MAX)
			_exit(1);
		streams[count++] = (struct stream){ .fd = fd };
	}
}

/* The whole answer in one write, then the end of the connection. */
static void flood(int fd, int events)
{
	static char all[1 << 20];
	size_t len = 0;

	for (int i = 0; i <= events + 1; i++) {
		char text[512];
		const char *chunk = i < events ? text : i == events ? LAST : "";

		snprintf(text, sizeof text, EVENT, (long long)now_ns());
		len += (size_t)snprintf(all + len, sizeof all - len, "%zx\r\n%s\r\n", strlen(chunk),
		                        chunk);
	}
	for (size_t at = 0; at < len;) {
		ssize_t n = send(fd, all + at, len - at, MSG_NOSIGNAL);

		if (n < 0)
			break;
		at += (size_t)n;
	}
	*sent += events;
	shutdown(fd, SHUT_WR);
	close(fd);
}

/* Without a pace it sleeps until something comes. */
static void await_bytes(int listener)
{
	static struct pollfd fds[STREAMS_MAX + 1];

	fds[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (size_t i = 0; i < count; i++)
		fds[i + 1] = (struct pollfd){ .fd = streams[i].fd, .events = POLLIN };
	poll(fds, (nfds_t)count + 1, -1);
}

/* One event, if it is time for it; true: the stream has ended. */
static bool step(struct stream *s, const struct model_plan *plan, int64_t now, int *open)
{
	char text[512];
	bool came = false;

	if (s->due > now)
		return false;
	drain(s->fd, &came);
	if (!s->due && !came)
		return false;
	if (!s->due) {
		send(s->fd, HEAD, sizeof HEAD - 1, MSG_NOSIGNAL);
		s->due = now;
		++*open;
	}
	if (!plan->per_s) {
		flood(s->fd, plan->events);
		return true;
	}
	if (s->sent++ < plan->events) {
		snprintf(text, sizeof text, EVENT, (long long)now_ns());
		put(s->fd, text);
		++*sent;
		s->due += 1000000000LL / plan->per_s;
		return false;
	}
	put(s->fd, LAST);
	put(s->fd, "");
	shutdown(s->fd, SHUT_WR);
	close(s->fd);
	return true;
}

static void serve(int listener, int news, const struct model_plan *plan)
{
	int open = 0, over = 0;

	for (bool told = false;;) {
		struct timespec nap = { 0, 500000 };

		admit(listener);
		for (size_t i = 0; i < count;) {
			if (!step(&streams[i], plan, now_ns(), &open)) {
				i++;
				continue;
			}
			streams[i] = streams[--count];
			if (++over == plan->streams && write(news, "e", 1) != 1)
				_exit(1);
		}
		if (!told && open >= plan->streams) {
			told = true;
			if (write(news, "o", 1) != 1)
				_exit(1);
		}
		if (plan->per_s)
			nanosleep(&nap, NULL);
		else
			await_bytes(listener);
	}
}

/* ---- in the parent ---- */

void model_server_start(struct model_server *s, const struct model_plan *plan)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), news[2];

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 4096) ||
	    getsockname(listener, (struct sockaddr *)&a, &len) || pipe2(news, O_CLOEXEC))
		die("no server: %s", strerror(errno));
	sent = mmap(NULL, sizeof *sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sent == MAP_FAILED)
		die("no memory to share");
	*sent = 0;
	s->sent = sent;
	s->port = ntohs(a.sin_port);
	s->pid = fork();
	if (s->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener, news[1], plan);
	}
	close(listener);
	close(news[1]);
	s->news = news[0];
}

void model_server_wait(struct model_server *s, char what)
{
	char said;

	do {
		if (read(s->news, &said, 1) != 1)
			die("the model's server broke");
	} while (said != what);
}

void model_server_stop(struct model_server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	munmap((void *)s->sent, sizeof *s->sent);
	close(s->news);
}
