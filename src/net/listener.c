/*
 * Listening sockets.  A Unix socket is bound with mode 0600 before it listens,
 * and its file is removed on closing only while it is still ours.
 */
#include "net/listener.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/stream_uv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel cuts this to net.core.somaxconn. */
#define BACKLOG 511

struct listener {
	struct handle_owner owner; /* first: loop_free() looks here */
	struct loop *loop;
	listener_accept *cb;
	void *arg;
	int port;
	char *address; /* or path */
	dev_t dev;     /* of the socket file, to check on closing that it is still ours */
	ino_t ino;
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} h;
	bool is_unix;
	bool is_closing;
};

static enum err fail_uv(struct error *e, int rc, const char *what, struct str where)
{
	errno = -rc;
	return fail_errno(e, rc == UV_EADDRINUSE ? ERR_BUSY : ERR_IO, "%s %.*s", what,
	                  STR_ARG(where));
}

static void on_connection(uv_stream_t *h, int status)
{
	struct listener *li = h->data;

	/* Out of descriptors: libuv has closed the waiting connection. */
	if (status < 0 || li->is_closing)
		return;

	struct stream *s = stream_accept(li->loop, h, li->is_unix);

	if (s)
		li->cb(li->arg, s);
}

static struct listener *listener_new(struct loop *l, bool is_unix, listener_accept *cb, void *arg)
{
	struct listener *li = memory_zeroed(1, sizeof *li);

	*li = (struct listener){
		.owner.kind = HANDLE_LISTENER, .loop = l, .cb = cb, .arg = arg, .is_unix = is_unix
	};
	if (is_unix)
		uv_pipe_init(&l->uv, &li->h.pipe, 0);
	else
		uv_tcp_init(&l->uv, &li->h.tcp);
	li->h.handle.data = li;
	return li;
}

static void on_closed(uv_handle_t *h)
{
	struct listener *li = h->data;

	free(li->address);
	free(li);
}

/*
 * The socket file is removed only if it is the one that was bound: another process may
 * have replaced it.
 */
void listener_close(struct listener *li)
{
	struct stat st;

	if (!li || li->is_closing)
		return;
	li->is_closing = true;
	if (li->is_unix && li->ino && stat(li->address, &st) == 0 && st.st_ino == li->ino &&
	    st.st_dev == li->dev)
		unlink(li->address);
	uv_close(&li->h.handle, on_closed);
}

void listener_close_handle(uv_handle_t *h)
{
	listener_close(h->data);
}

struct str listener_address(const struct listener *li)
{
	return str_from(li->address);
}

int listener_port(const struct listener *li)
{
	return li->port;
}

/* ---- TCP ---- */

/* Numeric addresses and "localhost" only: a resolver would block the loop. */
static bool read_address(struct str text, struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;
	char host[INET6_ADDRSTRLEN];
	uint64_t port;
	size_t colon = text.len;

	while (colon > 0 && text.ptr[colon - 1] != ':')
		colon--;
	if (!colon || !str_to_u64(str_skip(text, colon), &port) || port > 65535)
		return false;

	struct str h = str_head(text, colon - 1);

	if (str_eq(h, STR("localhost")))
		h = STR("127.0.0.1");

	bool has_brackets = h.len > 2 && h.ptr[0] == '[' && h.ptr[h.len - 1] == ']';

	if (has_brackets)
		h = str_of(h.ptr + 1, h.len - 2);
	if (h.len >= sizeof host)
		return false;
	memcpy(host, h.ptr, h.len);
	host[h.len] = '\0';

	*ret = (struct sockaddr_storage){ 0 };
	if (has_brackets) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host, &in6->sin6_addr) == 1;
	}
	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &in->sin_addr) == 1;
}

/* Asked from the kernel, because port 0 lets it choose. */
static void set_bound_address(struct listener *li)
{
	struct sockaddr_storage a;
	int len = sizeof a;
	char host[INET6_ADDRSTRLEN] = "?", text[80];

	uv_tcp_getsockname(&li->h.tcp, (struct sockaddr *)&a, &len);
	if (a.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a;

		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
		li->port = ntohs(in6->sin6_port);
		snprintf(text, sizeof text, "[%s]:%d", host, li->port);
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&a;

		inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
		li->port = ntohs(in->sin_port);
		snprintf(text, sizeof text, "%s:%d", host, li->port);
	}
	li->address = memory_strdup(text);
}

enum err listener_tcp(struct loop *l, struct str address, listener_accept *cb, void *arg,
                      struct listener **ret, struct error *e)
{
	struct sockaddr_storage a;

	if (!read_address(address, &a))
		return fail(e, ERR_INVALID,
		            "\"%.*s\" is not an address to listen on: "
		            "127.0.0.1:8080, [::1]:8080 or localhost:8080 are",
		            STR_ARG(address));

	struct listener *li = listener_new(l, false, cb, arg);
	int rc = uv_tcp_bind(&li->h.tcp, (struct sockaddr *)&a,
	                     a.ss_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0);

	/* libuv keeps EADDRINUSE of bind() for listen(). */
	if (rc == 0)
		rc = uv_listen(&li->h.stream, BACKLOG, on_connection);
	if (rc < 0) {
		listener_close(li);
		return fail_uv(e, rc, "listen on", address);
	}
	set_bound_address(li);
	*ret = li;
	return OK;
}

/* ---- Unix ---- */

static void close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Removes a socket file that no process listens on; any other existing file is an error. */
static enum err clear_path(const char *path, const struct sockaddr_un *a, struct error *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? OK : fail_errno(e, ERR_IO, "%s", path);
	if (!S_ISSOCK(st.st_mode))
		return fail(e, ERR_INVALID, "%s is there already and is not a socket", path);

	CLEANUP(close_fdp) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail_errno(e, ERR_IO, "socket");
	if (connect(fd, (const struct sockaddr *)a, sizeof *a) == 0 || errno == EAGAIN)
		return fail(e, ERR_BUSY, "another process is listening on %s", path);
	if (errno != ECONNREFUSED && errno != ENOENT)
		return fail_errno(e, ERR_IO, "%s", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return fail_errno(e, ERR_IO, "remove the stale %s", path);
	return OK;
}

/* The mode is set before bind(), so that there is no moment in which other users could connect. */
static enum err bind_path(const char *path, int *ret_fd, struct error *e)
{
	struct sockaddr_un a;
	CLEANUP(close_fdp) int dir = -1;
	enum err rc = stream_open_unix_address(str_from(path), &a, &dir, e);

	if (rc == OK)
		rc = clear_path(path, &a, e);
	if (rc != OK)
		return rc;

	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail_errno(e, ERR_IO, "socket");
	/* Linux gives the file the mode that the socket has when it is bound. */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0) {
		rc = fail_errno(e, errno == EADDRINUSE ? ERR_BUSY : ERR_IO, "bind %s", path);
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return OK;
}

/*
 * uv_pipe_bind() would create the file with the umask's mode and cannot bind a long
 * path, so the socket is bound here and given to libuv.
 */
enum err listener_unix(struct loop *l, struct str path, listener_accept *cb, void *arg,
                       struct listener **ret, struct error *e)
{
	struct stat st;
	int fd = -1;
	char *name = memory_strndup(path.ptr, path.len);
	enum err err = bind_path(name, &fd, e);

	if (err != OK) {
		free(name);
		return err;
	}

	struct listener *li = listener_new(l, true, cb, arg);

	li->address = name;
	if (stat(name, &st) == 0) {
		li->dev = st.st_dev;
		li->ino = st.st_ino;
	}

	int rc = uv_pipe_open(&li->h.pipe, fd);

	if (rc < 0)
		close(fd);
	/* No client could connect before listen(), so a socket with another mode has served no client. */
	if (rc == 0 && (!li->ino || (st.st_mode & 0777) != 0600))
		rc = UV_EPERM;
	if (rc == 0)
		rc = uv_listen(&li->h.stream, BACKLOG, on_connection);
	if (rc < 0) {
		listener_close(li);
		return fail_uv(e, rc, "listen on", path);
	}
	*ret = li;
	return OK;
}

/* ---- sockets bound by the parent process ---- */

static bool is_of_kind(int fd, bool is_unix)
{
	int type = 0, domain = 0;
	socklen_t len = sizeof type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0 || type != SOCK_STREAM)
		return false;
	return is_unix ? domain == AF_UNIX : domain == AF_INET || domain == AF_INET6;
}

/* ino stays 0: the file belongs to the parent process and is not removed. */
static void set_bound_path(struct listener *li, int fd)
{
	struct sockaddr_un a = { 0 };
	socklen_t len = sizeof a;

	if (getsockname(fd, (struct sockaddr *)&a, &len) == 0)
		li->address = memory_strndup(a.sun_path, sizeof a.sun_path);
}

/*
 * For socket activation: the parent has bound the socket, perhaps to a port or path
 * that this process could not bind.
 */
enum err listener_fd(struct loop *l, int fd, bool is_unix, listener_accept *cb, void *arg,
                     struct listener **ret, struct error *e)
{
	struct listener *li;
	char name[24];
	int rc;

	if (!is_of_kind(fd, is_unix)) {
		close(fd);
		return fail(e, ERR_INVALID, "descriptor %d is no %s socket to listen on", fd,
		            is_unix ? "Unix" : "TCP");
	}
	snprintf(name, sizeof name, "descriptor %d", fd);
	li = listener_new(l, is_unix, cb, arg);
	rc = is_unix ? uv_pipe_open(&li->h.pipe, fd) : uv_tcp_open(&li->h.tcp, fd);
	if (rc < 0)
		close(fd);
	else
		rc = uv_listen(&li->h.stream, BACKLOG, on_connection);
	if (rc < 0) {
		listener_close(li);
		return fail_uv(e, rc, "listen on", str_from(name));
	}
	if (is_unix)
		set_bound_path(li, fd);
	else
		set_bound_address(li);
	*ret = li;
	return OK;
}
