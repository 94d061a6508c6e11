/* Opens streams from descriptors and Unix socket paths. */
#include "net/stream_uv.h"

#include "base/arena.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* libuv returns errno as a negative number. */
static enum err fail_uv(struct error *e, int rc, const char *what)
{
	errno = -rc;
	return fail_errno(e, ERR_IO, "%s", what);
}

/* libuv takes the descriptor only if opening succeeds; until then it is closed here. */
enum err stream_open_fd(struct loop *l, int fd, struct stream **ret, struct error *e)
{
	uv_handle_type type = uv_guess_handle(fd);

	if (type != UV_TCP && type != UV_NAMED_PIPE) {
		close(fd);
		return fail(e, ERR_UNSUPPORTED, "descriptor %d is neither a socket nor a pipe", fd);
	}

	struct stream *s = stream_new(l);
	bool is_unix = type == UV_NAMED_PIPE;
	int rc = stream_init_socket(s, is_unix);

	if (rc < 0) {
		free(s);
		close(fd);
		return fail_uv(e, rc, "new stream");
	}
	rc = is_unix ? uv_pipe_open(&s->h.pipe, fd) : uv_tcp_open(&s->h.tcp, fd);
	if (rc < 0) {
		close(fd);
		stream_close(s);
		return fail_uv(e, rc, "stream of a descriptor");
	}
	if (!is_unix)
		uv_tcp_nodelay(&s->h.tcp, 1);
	*ret = s;
	return OK;
}

/*
 * Opens one end; a plain file is kept in *ret_file instead.  After a failure a
 * handle that needs closing is counted in open_handles.
 */
static int open_side(struct stream *s, union side *side, int fd, bool is_input, int *ret_file)
{
	uv_loop_t *uv = &s->loop->uv;
	int rc;

	switch (uv_guess_handle(fd)) {
	case UV_TTY:
		rc = uv_tty_init(uv, &side->tty, fd, 0);
		if (rc < 0)
			return rc;
		break;
	case UV_NAMED_PIPE:
		uv_pipe_init(uv, &side->pipe, 0);
		rc = uv_pipe_open(&side->pipe, fd);
		break;
	case UV_TCP:
		uv_tcp_init(uv, &side->tcp);
		rc = uv_tcp_open(&side->tcp, fd);
		break;
	case UV_FILE:
		*ret_file = fd;
		if (!is_input)
			return 0;
		rc = uv_idle_init(uv, &side->idle);
		break;
	default:
		return UV_ENOTSUP;
	}
	side->handle.data = s;
	s->open_handles++;
	return rc;
}

/*
 * The flags are read before libuv sets O_NONBLOCK: stdin and stdout are shared with
 * other processes, which do not expect it.
 */
enum err stream_open_pair(struct loop *l, int in_fd, int out_fd, struct stream **ret,
                          struct error *e)
{
	if (in_fd == out_fd)
		return stream_open_fd(l, in_fd, ret, e);

	struct stream *s = stream_new(l);
	struct pair *p = s->pair = memory_zeroed(1, sizeof *p);

	*p = (struct pair){ .in_file = -1,
		            .out_file = -1,
		            .in_fd = in_fd,
		            .out_fd = out_fd,
		            .in_flags = fcntl(in_fd, F_GETFL),
		            .out_flags = fcntl(out_fd, F_GETFL) };

	int rc = open_side(s, &p->in, in_fd, true, &p->in_file);

	if (rc == 0) {
		rc = open_side(s, &p->out, out_fd, false, &p->out_file);
		if (s->open_handles == 2)
			s->to = &p->out.stream;
	}
	if (rc < 0) {
		stream_close(s);
		return fail_uv(e, rc, "stream of two descriptors");
	}
	*ret = s;
	return OK;
}

/*
 * A path in sockaddr_un holds 107 bytes.  A longer one is reached through
 * /proc/self/fd/N, with N an open descriptor of its directory.
 */
enum err stream_open_unix_address(struct str path, struct sockaddr_un *ret, int *ret_dir,
                                  struct error *e)
{
	char full[4096];

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*ret_dir = -1;
	if (!path.len || path.len >= sizeof full || memchr(path.ptr, 0, path.len))
		return fail(e, ERR_INVALID, "not a path for a socket: \"%.*s\"", STR_ARG(path));
	if (path.len < sizeof ret->sun_path) {
		memcpy(ret->sun_path, path.ptr, path.len);
		return OK;
	}

	memcpy(full, path.ptr, path.len);
	full[path.len] = '\0';

	char *slash = strrchr(full, '/');

	if (!slash || slash == full)
		return fail(e, ERR_INVALID, "the name of the socket is too long: %s", full);
	*slash = '\0';

	int dir = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return fail_errno(e, ERR_IO, "directory %s", full);

	int len = snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s", dir,
	                   slash + 1);

	if (len >= (int)sizeof ret->sun_path) {
		close(dir);
		return fail(e, ERR_INVALID, "the name of the socket is too long: %s", slash + 1);
	}
	*ret_dir = dir;
	return OK;
}

static void close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

enum err stream_open_unix(struct loop *l, struct str path, struct stream **ret, struct error *e)
{
	struct sockaddr_un a;
	CLEANUP(close_fdp) int dir = -1;
	enum err rc = stream_open_unix_address(path, &a, &dir, e);

	if (rc != OK)
		return rc;

	/* Non-blocking: where the kernel's queue is full, connect() would wait for ever. */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail_errno(e, ERR_IO, "socket");
	if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
		rc = errno == ENOENT || errno == ECONNREFUSED ? ERR_NOT_FOUND
		     : errno == EAGAIN                        ? ERR_BUSY
		                                              : ERR_IO;
		fail_errno(e, rc, "connect to %.*s", STR_ARG(path));
		close(fd);
		return rc;
	}
	return stream_open_fd(l, fd, ret, e);
}
