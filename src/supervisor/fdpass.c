/*
 * sendmsg() and recvmsg() with descriptors and credentials.  Descriptors of a
 * packet that is refused are closed.
 */
#include "supervisor/fdpass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * FDPASS_FDS_MAX) + CMSG_SPACE(sizeof(struct ucred))];
};

/*
 * Appends one control message and returns the place of its data.  The kernel reads the messages
 * back to back, so msg_controllen is both the size so far and the offset of the next one.
 */
static void *add_control(struct msghdr *msg, union control *control, int type, size_t size)
{
	struct cmsghdr *c = (struct cmsghdr *)(control->bytes + msg->msg_controllen);

	msg->msg_control = control->bytes;
	msg->msg_controllen += CMSG_SPACE(size);
	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(size),
		               .cmsg_level = SOL_SOCKET,
		               .cmsg_type = type };
	return CMSG_DATA(c);
}

ssize_t fdpass_send_about(int fd, const void *data, size_t len, const int *fds, size_t fd_count,
                          pid_t about)
{
	struct ucred who = { .pid = about, .uid = geteuid(), .gid = getegid() };
	struct iovec part = { (void *)data, len };
	union control control = { .bytes = { 0 } };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	assert(fd_count <= FDPASS_FDS_MAX);
	if (fd_count)
		memcpy(add_control(&msg, &control, SCM_RIGHTS, sizeof *fds * fd_count), fds,
		       sizeof *fds * fd_count);
	if (about)
		memcpy(add_control(&msg, &control, SCM_CREDENTIALS, sizeof who), &who, sizeof who);
	/*
	 * A signal may interrupt the call before a packet is sent; a packet of SOCK_SEQPACKET is
	 * never sent in part.
	 */
	do
		sent = sendmsg(fd, &msg, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent;
}

ssize_t fdpass_send(int fd, const void *data, size_t len, const int *fds, size_t fd_count)
{
	return fdpass_send_about(fd, data, len, fds, fd_count, 0);
}

/*
 * With SO_PASSCRED the kernel adds credentials to every packet: those that the sender passed,
 * otherwise the sender's own.
 */
static pid_t take_about(struct msghdr *msg)
{
	struct ucred who;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&who, CMSG_DATA(c), sizeof who);
			return who.pid;
		}
	return 0;
}

/*
 * The descriptors are open in this process from here on, so the caller must close those that it
 * does not use.  The control buffer has room for more than a packet may have: the space of
 * credentials that were not sent.  Those are closed, and the packet is refused.
 */
static size_t take_fds(struct msghdr *msg, int *fds, bool *ret_has_more)
{
	size_t count = 0;
	int extra;

	*ret_has_more = false;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;

		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		for (size_t i = 0; i < n; i++) {
			bool has_room = count < FDPASS_FDS_MAX;

			memcpy(has_room ? &fds[count++] : &extra, CMSG_DATA(c) + i * sizeof(int),
			       sizeof(int));
			if (!has_room)
				close(extra);
			*ret_has_more |= !has_room;
		}
	}
	return count;
}

ssize_t fdpass_receive_about(int fd, void *data, size_t size, int fds[FDPASS_FDS_MAX],
                             size_t *ret_fd_count, pid_t *ret_about)
{
	struct iovec part = { data, size };
	union control control;
	struct msghdr msg = { .msg_iov = &part,
		              .msg_iovlen = 1,
		              .msg_control = control.bytes,
		              .msg_controllen = sizeof control.bytes };
	bool has_more;
	ssize_t len;

	*ret_fd_count = 0;
	do
		len = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return len;
	*ret_fd_count = take_fds(&msg, fds, &has_more);
	*ret_about = take_about(&msg);
	/* A shortened packet must not be interpreted, and its descriptors have no other owner. */
	if (has_more || msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		while (*ret_fd_count)
			close(fds[--*ret_fd_count]);
		errno = EMSGSIZE;
		return -1;
	}
	return len;
}

ssize_t fdpass_receive(int fd, void *data, size_t size, int fds[FDPASS_FDS_MAX],
                       size_t *ret_fd_count)
{
	pid_t about;

	return fdpass_receive_about(fd, data, size, fds, ret_fd_count, &about);
}
