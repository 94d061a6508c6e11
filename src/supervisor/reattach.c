/*
 * The socket and the secret by which a later daemon finds this supervisor.  Only
 * processes of the same user are listened to, one at a time, and not for long.
 */
#include "supervisor/reattach.h"

#include "base/hash/secret.h"
#include "base/json.h"
#include "base/hash/sha256.h"
#include "base/os/sys.h"
#include "supervisor/fdpass.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define WAIT_MS 5000 /* for a guest to say who it is */
#define PACKET_MAX 4096

static void drop_guest(struct reattach *d)
{
	event_loop_quiet(&d->late);
	event_loop_unwatch(d->loop, &d->guest);
}

static void on_late(struct alarm *a)
{
	drop_guest(OWNER_OF(a, struct reattach, late));
}

/* The kernel recorded these credentials at connect(); the client cannot forge them. */
static bool is_same_user(int fd)
{
	struct ucred who;
	socklen_t len = sizeof who;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == geteuid();
}

static bool knows_secret(const struct reattach *d, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json msg;
	struct error e;

	return json_read(mem, text, &msg, &e) == OK &&
	       str_eq(json_str(JSON_GET(msg, "type")), STR("attach")) &&
	       secret_eq(json_str(JSON_GET(msg, "secret")), str_from(d->secret));
}

/*
 * The client has one packet to prove that it knows the secret.  On success the supervisor gets a
 * copy of the descriptor, because drop_guest() closes the watched one.
 */
static void on_guest(struct event_loop_watch *w)
{
	struct reattach *d = OWNER_OF(w, struct reattach, guest);
	char text[PACKET_MAX];
	int fds[FDPASS_FDS_MAX], fd = -1;
	size_t count;
	ssize_t len = fdpass_receive(w->fd, text, sizeof text, fds, &count);

	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	if (len < 0 && errno == EAGAIN)
		return;
	if (len > 0 && knows_secret(d, str_of(text, (size_t)len)))
		fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 3);
	drop_guest(d);
	if (fd >= 0 && !d->attached(d, fd))
		close(fd);
}

static void on_listener(struct event_loop_watch *w)
{
	struct reattach *d = OWNER_OF(w, struct reattach, listener);
	int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	/* one unauthenticated client at a time, and only from our uid */
	if (d->guest.fd >= 0 || !is_same_user(fd)) {
		close(fd);
		return;
	}
	event_loop_watch(d->loop, &d->guest, fd, on_guest);
	event_loop_alarm(d->loop, &d->late, WAIT_MS, on_late);
}

/*
 * The secret is new for each supervisor, so a client with the secret of an earlier supervisor is
 * not accepted.  O_EXCL after unlink() guarantees that the file is ours and has the mode 0600.
 */
static enum err make_secret(struct reattach *d, struct error *e)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[REATTACH_SECRET_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return fail_errno(e, ERR_IO, "a secret");
	for (size_t i = 0; i < sizeof bytes; i++) {
		d->secret[2 * i] = digits[bytes[i] >> 4];
		d->secret[2 * i + 1] = digits[bytes[i] & 15];
	}
	unlink(d->secret_path.ptr);
	FD_SCOPE fd = open(d->secret_path.ptr, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	                   0600);

	if (fd < 0 || write(fd, d->secret, sizeof d->secret - 1) != sizeof d->secret - 1)
		return fail_errno(e, ERR_IO, "%s", d->secret_path.ptr);
	return OK;
}

/*
 * The inode of the socket is kept.  A second supervisor in the same directory replaces the
 * socket, and reattach_socket_is_valid() notices that by the number.
 */
static enum err make_listener(struct reattach *d, const char *path, struct error *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* by its descriptor: the path of a directory may be longer than a socket's may be */
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" REATTACH_SOCKET, dir);
	unlink(d->socket_path.ptr);
	if (fd < 0 || dir < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    chmod(d->socket_path.ptr, 0600) < 0 || listen(fd, 4) < 0 ||
	    fstatat(dir, REATTACH_SOCKET, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		enum err err = fail_errno(e, ERR_IO, "listen at %s", d->socket_path.ptr);

		sys_close(&fd);
		sys_close(&dir);
		return err;
	}
	d->dir_fd = dir;
	d->socket_inode = st.st_ino;
	event_loop_watch(d->loop, &d->listener, fd, on_listener);
	return OK;
}

enum err reattach_open(struct reattach *d, struct event_loop *l, struct arena *mem, const char *dir,
                       bool (*attached)(struct reattach *d, int fd), struct error *e)
{
	*d = (struct reattach){ .loop = l,
		                .listener.fd = -1,
		                .guest.fd = -1,
		                .dir_fd = -1,
		                .socket_path = arena_printf(mem, "%s/" REATTACH_SOCKET, dir),
		                .secret_path = arena_printf(mem, "%s/" REATTACH_SECRET, dir),
		                .attached = attached };
	enum err err = make_secret(d, e);

	return err ? err : make_listener(d, dir, e);
}

bool reattach_socket_is_valid(const struct reattach *d)
{
	struct stat st;

	return fstatat(d->dir_fd, REATTACH_SOCKET, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_ino == d->socket_inode;
}

void reattach_close(struct reattach *d)
{
	if (!d->loop)
		return;
	drop_guest(d);
	event_loop_unwatch(d->loop, &d->listener);
	/* The files may belong to the next supervisor by now; then they stay. */
	if (d->dir_fd >= 0 && reattach_socket_is_valid(d)) {
		unlinkat(d->dir_fd, REATTACH_SOCKET, 0);
		unlinkat(d->dir_fd, REATTACH_SECRET, 0);
	}
	sys_close(&d->dir_fd);
}

bool reattach_is_private(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}
