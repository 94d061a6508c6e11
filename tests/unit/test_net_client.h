#ifndef TESTS_UNIT_TEST_NET_CLIENT_H
#define TESTS_UNIT_TEST_NET_CLIENT_H
/*
 * The other end of a connection, for tests of src/net: a plain non-blocking
 * socket in the same thread as the loop under test.  A test that waits runs the
 * loop meanwhile; nothing sleeps.
 */
#include "lib/t.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/os/clock.h"
#include "net/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_MS 60000 /* for what must happen; machines can be slow */

struct client {
	int fd;
	struct buf in;
	bool is_eof;
	bool is_reset;
};

static inline void client_done(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_done(&c->in);
}

static inline struct client client_of(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return (struct client){ .fd = fd };
}

static inline int tcp_connect(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
		perror("connect");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static inline struct client client_tcp(int port)
{
	int fd = tcp_connect(port);

	CHECK(fd >= 0);
	return client_of(fd);
}

static inline struct client client_unix(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(strlen(path) < sizeof a.sun_path);
	strcpy(a.sun_path, path);
	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
	return client_of(fd);
}

/* Takes what has come, without waiting. */
static inline void client_read(struct client *c)
{
	char part[65536];
	ssize_t n;

	while ((n = recv(c->fd, part, sizeof part, 0)) > 0)
		buf_add(&c->in, part, (size_t)n);
	if (n == 0)
		c->is_eof = true;
	else if (errno != EAGAIN)
		c->is_eof = c->is_reset = true;
}

/* As much as the kernel takes at once. */
static inline size_t client_try(struct client *c, struct str bytes)
{
	ssize_t n = send(c->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

	return n > 0 ? (size_t)n : 0;
}

static inline void turn(struct loop *l)
{
	loop_run_once(l, 0);
}

/* All of it, turning the loop while the kernel is full; stops when the peer has closed. */
static inline void client_send(struct loop *l, struct client *c, struct str bytes)
{
	int64_t end = clock_mono_ms() + PATIENCE_MS;

	while (bytes.len && !c->is_eof && clock_mono_ms() < end) {
		bytes = str_skip(bytes, client_try(c, bytes));
		if (bytes.len) {
			loop_run_once(l, 1);
			client_read(c);
		}
	}
}

#define SEND(l, c, literal) client_send((l), (c), STR(literal))

/* Turns the loop until the condition holds; fails the test when it never does. */
#define UNTIL(l, condition)                                                                        \
	do {                                                                                       \
		int64_t until_end = clock_mono_ms() + PATIENCE_MS;                                 \
                                                                                                   \
		while (!(condition)) {                                                             \
			if (clock_mono_ms() > until_end)                                           \
				t_fail(__FILE__, __LINE__, "waited in vain for: %s", #condition);  \
			loop_run_once((l), 1);                                                     \
		}                                                                                  \
	} while (0)

static inline bool client_has(struct client *c, struct str what)
{
	client_read(c);
	return str_find(buf_str(&c->in), what) >= 0;
}

static inline bool client_ended(struct client *c)
{
	client_read(c);
	return c->is_eof;
}

static inline size_t count_of(struct str text, struct str what)
{
	size_t n = 0;

	for (ptrdiff_t at; (at = str_find(text, what)) >= 0; n++)
		text = str_skip(text, (size_t)at + what.len);
	return n;
}

#endif
