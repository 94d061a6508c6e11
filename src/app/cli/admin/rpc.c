/*
 * rpc: copies bytes between stdin and stdout and the daemon's socket, after one
 * line that marks the connection as stdio.  `mcp serve` does the same with another first line.
 */
#include "app/cli/admin/rpc.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* One direction, with the bytes that were read and not yet written. */
struct lane {
	int from, to;
	char bytes[65536];
	size_t at, len;
	bool is_over; /* nothing more can be read */
};

static int connect_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof addr.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(addr.sun_path, path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0)
		return fd;
	return -1;
}

static bool is_empty(const struct lane *l)
{
	return l->at == l->len;
}

/*
 * Reads only into an empty lane, so a slow reader slows the writer down and memory stays bounded.
 */
static void lane_read(struct lane *l)
{
	ssize_t got = read(l->from, l->bytes, sizeof l->bytes);

	if (got > 0) {
		l->at = 0;
		l->len = (size_t)got;
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		l->is_over = true;
	}
}

/* Returns false if the other end is closed. */
static bool lane_write(struct lane *l)
{
	ssize_t put = write(l->to, l->bytes + l->at, l->len - l->at);

	if (put > 0)
		l->at += (size_t)put;
	return put >= 0 || errno == EINTR || errno == EAGAIN;
}

/* An empty lane waits for input, a filled one for output. */
static struct pollfd lane_poll(const struct lane *l)
{
	if (!is_empty(l))
		return (struct pollfd){ .fd = l->to, .events = POLLOUT };
	return (struct pollfd){ .fd = l->is_over ? -1 : l->from, .events = POLLIN };
}

static bool lane_step(struct lane *l, const struct pollfd *p)
{
	if (!p->revents)
		return true;
	if (is_empty(l)) {
		lane_read(l);
		return true;
	}
	return lane_write(l);
}

/*
 * Copies until the daemon has closed the connection.  The end of stdin closes only the sending
 * side: answers to earlier requests still arrive.
 */
static int bridge(int fd, const char *first_line)
{
	static struct lane up, down;
	bool is_told = false;

	up = (struct lane){ .from = STDIN_FILENO, .to = fd, .len = strlen(first_line) };
	memcpy(up.bytes, first_line, up.len);
	down = (struct lane){ .from = fd, .to = STDOUT_FILENO };
	while (!down.is_over || !is_empty(&down)) {
		struct pollfd fds[] = { lane_poll(&up), lane_poll(&down) };

		if (poll(fds, COUNT_OF(fds), -1) < 0 && errno != EINTR)
			return CODE_FAILED;
		if (!lane_step(&down, &fds[1]))
			return CODE_DONE; /* stdout is closed */
		if (!lane_step(&up, &fds[0]))
			up.is_over = true, up.at = up.len;
		if (up.is_over && is_empty(&up) && !is_told) {
			shutdown(fd, SHUT_WR);
			is_told = true;
		}
	}
	return is_told ? CODE_DONE : CODE_FAILED;
}

/*
 * connection_open() starts a daemon if none runs; the bytes then flow over a second, plain
 * connection.
 */
int rpc_bridge(struct cli *c, const char *first_line)
{
	int code = connection_open(c);
	int fd;

	if (code)
		return code;
	fd = connect_socket(c->socket);
	if (fd < 0) {
		out_error(c, "%s: %s.", c->socket, strerror(errno));
		return CODE_FAILED;
	}
	signal(SIGPIPE, SIG_IGN);
	code = bridge(fd, first_line);
	if (code)
		out_error(c, "The daemon went away.");
	return code;
}

int verb_rpc(struct cli *c)
{
	return rpc_bridge(
		c, "{\"jsonrpc\":\"2.0\",\"method\":\"via\",\"params\":{\"via\":\"stdio\"}}\n");
}
