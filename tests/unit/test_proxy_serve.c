/*
 * Limits of the proxy: its own process serves one listener, with timeouts of a
 * fraction of a second instead of minutes.  The host behind it is a listener of
 * this test.
 */
#include "supervisor/egress/proxy_head.h"
#include "supervisor/egress/proxy_serve.h"
#include "t.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 60000
#define SHORT_MS 200
#define SETTLED_MS 300 /* nothing came for so long: nothing comes */

static int listen_local(uint16_t *ret_port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 128) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&at, &len) == 0);
	*ret_port = ntohs(at.sin_port);
	return fd;
}

static int dial(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		                  .sin_port = htons(port),
		                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
	return fd;
}

struct side {
	pid_t pid;
	int listener, host;
	uint16_t port, host_port;
	struct proxy_tally *tally;
};

static void begin(struct side *s, int head_ms, int idle_ms)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct host_rules rules;
	struct error e;
	struct str allow;

	s->listener = listen_local(&s->port);
	s->host = listen_local(&s->host_port);
	allow = arena_printf(mem, "127.0.0.1:%u", s->host_port);
	CHECK(host_rule_read_all(mem, &allow, 1, &rules, &e) == OK);
	s->tally = mmap(NULL, sizeof *s->tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                -1, 0);
	CHECK(s->tally != MAP_FAILED);
	s->pid = fork();
	if (s->pid == 0)
		proxy_serve(&(struct proxy_place){ .listener = s->listener,
		                                   .news_fd = eventfd(0, EFD_NONBLOCK),
		                                   .head_ms = head_ms,
		                                   .idle_ms = idle_ms,
		                                   .rules = &rules,
		                                   .tally = s->tally });
	CHECK(s->pid > 0);
}

static void done(struct side *s)
{
	kill(s->pid, SIGKILL);
	CHECK(waitpid(s->pid, NULL, 0) == s->pid);
	close(s->listener);
	close(s->host);
	munmap(s->tally, sizeof *s->tally);
}

static bool is_readable(int fd, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, wait_ms) == 1;
}

/* What comes until that many bytes, or the end. */
static size_t hear(int fd, char *bytes, size_t max)
{
	size_t len = 0;

	while (len < max && is_readable(fd, LONG_MS)) {
		ssize_t n = recv(fd, bytes + len, max - len, 0);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return len;
}

static void say(int fd, const char *text)
{
	CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static void ask(const struct side *s, int fd)
{
	char text[64];

	snprintf(text, sizeof text, "CONNECT 127.0.0.1:%u HTTP/1.1\r\n\r\n", s->host_port);
	say(fd, text);
}

static void expect(int fd, const char *start)
{
	char got[40];

	CHECK_INT(hear(fd, got, strlen(start)), strlen(start));
	CHECK(memcmp(got, start, strlen(start)) == 0);
}

#define OPENED "HTTP/1.1 200 Connection established\r\n\r\n"

/* A tunnel: the sandbox's end and the host's. */
static int open_tunnel(const struct side *s, int *ret_host)
{
	int fd = dial(s->port);

	ask(s, fd);
	expect(fd, OPENED);
	*ret_host = accept(s->host, NULL, NULL);
	CHECK(*ret_host >= 0);
	return fd;
}

/* ---- */

TEST(a_head_that_does_not_come_whole_is_given_up)
{
	struct side s;
	int fd;

	begin(&s, SHORT_MS, LONG_MS);
	fd = dial(s.port);
	say(fd, "CONNECT 127.0.0.1:1 HTTP/1.1\r\nX:");
	expect(fd, "HTTP/1.1 408 ");
	close(fd);
	CHECK_INT(atomic_load(&s.tally->count), 0);
	done(&s);
}

/* Byte after byte, each in time, does not make more of it. */
TEST(a_head_that_trickles_is_given_up_too)
{
	struct side s;
	int fd;

	begin(&s, SHORT_MS, LONG_MS);
	fd = dial(s.port);
	while (!is_readable(fd, SHORT_MS / 10))
		say(fd, "x");
	expect(fd, "HTTP/1.1 408 ");
	close(fd);
	done(&s);
}

TEST(a_head_of_too_many_bytes_is_refused_before_it_ends)
{
	static char flood[PROXY_HEAD_MAX + 1];
	struct side s;
	int fd;

	begin(&s, LONG_MS, LONG_MS);
	fd = dial(s.port);
	memset(flood, 'a', PROXY_HEAD_MAX);
	say(fd, flood);
	expect(fd, "HTTP/1.1 431 ");
	close(fd);
	done(&s);
}

TEST(a_silent_tunnel_ends_for_both)
{
	struct side s;
	int fd, host;
	char c;

	begin(&s, LONG_MS, SHORT_MS);
	fd = open_tunnel(&s, &host);
	CHECK_INT(hear(fd, &c, 1), 0);
	CHECK_INT(hear(host, &c, 1), 0);
	close(fd);
	close(host);
	done(&s);
}

/* Without a reader the proxy holds what the kernel and 16 KiB take, and then it ends. */
TEST(a_tunnel_without_a_reader_holds_little_and_ends)
{
	static char flood[1 << 16];
	size_t sent = 0;
	struct side s;
	int fd, host;

	begin(&s, LONG_MS, SHORT_MS);
	fd = open_tunnel(&s, &host);
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };

		CHECK(poll(&p, 1, LONG_MS) == 1);

		ssize_t n = send(fd, flood, sizeof flood, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN)
			break;
		sent += n > 0 ? (size_t)n : 0;
		CHECK(sent < 256u << 20);
	}
	close(fd);
	close(host);
	done(&s);
}

TEST(so_many_connections_and_the_next_waits_for_an_end)
{
	int fds[PROXY_CONNECTIONS_MAX], hosts[PROXY_CONNECTIONS_MAX], late, late_host;
	struct side s;

	begin(&s, LONG_MS, LONG_MS);
	for (int i = 0; i < PROXY_CONNECTIONS_MAX; i++)
		fds[i] = open_tunnel(&s, &hosts[i]);
	late = dial(s.port); /* the kernel takes it */
	ask(&s, late);
	CHECK(!is_readable(late, SETTLED_MS) && !is_readable(s.host, 0));
	/* the others continue meanwhile */
	say(fds[0], "ping");
	expect(hosts[0], "ping");
	close(fds[1]);
	close(hosts[1]);
	expect(late, OPENED);
	late_host = accept(s.host, NULL, NULL);
	say(late, "pong");
	expect(late_host, "pong");
	CHECK_INT(atomic_load(&s.tally->rows[0].hits), PROXY_CONNECTIONS_MAX + 1);
	for (int i = 0; i < PROXY_CONNECTIONS_MAX; i++)
		if (i != 1) {
			close(fds[i]);
			close(hosts[i]);
		}
	close(late);
	close(late_host);
	done(&s);
}

/* What finds no row is counted all the same. */
TEST(so_many_names_and_the_rest_is_counted)
{
	enum { MORE = 10 };
	struct side s;

	begin(&s, LONG_MS, LONG_MS);
	for (int i = 0; i < PROXY_ROWS_MAX + MORE; i++) {
		char text[64];
		int fd = dial(s.port);

		snprintf(text, sizeof text, "CONNECT h%d.invalid:443 HTTP/1.1\r\n\r\n", i);
		say(fd, text);
		expect(fd, "HTTP/1.1 403 ");
		close(fd);
	}
	CHECK_INT(atomic_load(&s.tally->count), PROXY_ROWS_MAX);
	CHECK_INT(atomic_load(&s.tally->refused_more), MORE);
	done(&s);
}

TEST_MAIN()
