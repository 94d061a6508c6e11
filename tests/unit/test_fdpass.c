/* Descriptors that come with a packet: as many as a packet may have, and none is left open. */
#include "supervisor/fdpass.h"

#include "lib/t.h"

#include <dirent.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_count(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	CHECK(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Without credentials, as a peer may send that is not fdpass_send(). */
static void send_fds(int fd, size_t count)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * 64)];
	} control = { .bytes = { 0 } };
	struct iovec part = { "x", 1 };
	struct msghdr msg = { .msg_iov = &part,
		              .msg_iovlen = 1,
		              .msg_control = control.bytes,
		              .msg_controllen = CMSG_SPACE(sizeof(int) * count) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int one = 0;

	c->cmsg_len = CMSG_LEN(sizeof(int) * count);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	for (size_t i = 0; i < count; i++)
		memcpy(CMSG_DATA(c) + i * sizeof one, &one, sizeof one);
	CHECK_INT(sendmsg(fd, &msg, 0), 1);
}

TEST(a_packet_with_too_many_descriptors_is_refused_and_leaves_none_open)
{
	int pair[2], fds[FDPASS_FDS_MAX];
	char text[8];
	size_t count;

	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	for (size_t n = FDPASS_FDS_MAX + 1; n <= 32; n++) {
		int before = open_count();

		send_fds(pair[0], n);
		CHECK_INT(fdpass_receive(pair[1], text, sizeof text, fds, &count), -1);
		CHECK_INT(errno, EMSGSIZE);
		CHECK_INT(count, 0);
		CHECK_INT(open_count(), before);
	}
	send_fds(pair[0], FDPASS_FDS_MAX);
	CHECK_INT(fdpass_receive(pair[1], text, sizeof text, fds, &count), 1);
	CHECK_INT(count, FDPASS_FDS_MAX);
	while (count)
		close(fds[--count]);
	close(pair[0]);
	close(pair[1]);
}

TEST_MAIN()
