/*
 * The protocol between a service manager and the daemon: LISTEN_FDS at the
 * start, datagrams to $NOTIFY_SOCKET later.  Written here because it is small
 * and libsystemd would be a dependency of the whole program.
 */
#include "app/service.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3

/* -1 if the variable is missing or no number. */
static long long number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long long value;

	if (!text || !*text)
		return -1;
	errno = 0;
	value = strtoll(text, &end, 10);
	return errno || *end || value < 0 ? -1 : value;
}

/* The variable may name the pid it is meant for. */
static bool is_for_us(const char *name)
{
	return !getenv(name) || number_of(name) == getpid();
}

/* Close-on-exec: the supervisor must not inherit the listening sockets. */
static bool take_socket(struct service *s, int fd)
{
	int type = 0, domain = 0;
	socklen_t len = sizeof type;

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0 || type != SOCK_STREAM ||
	    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0)
		return false;
	if (domain == AF_UNIX) {
		if (*s->unix_socket)
			return false;
		snprintf(s->unix_socket, sizeof s->unix_socket, "fd:%d", fd);
		return true;
	}
	if ((domain != AF_INET && domain != AF_INET6) || s->tcp_count == SERVICE_FDS_MAX)
		return false;
	snprintf(s->tcp_sockets[s->tcp_count++], sizeof s->tcp_sockets[0], "fd:%d", fd);
	return true;
}

/* Without LISTEN_PID the variables may be meant for a parent process, so they are ignored. */
static bool take_sockets(struct service *s)
{
	long long count =
		getenv("LISTEN_PID") && is_for_us("LISTEN_PID") ? number_of("LISTEN_FDS") : 0;
	bool is_good = count <= SERVICE_FDS_MAX + 1;

	for (int i = 0; is_good && i < count; i++)
		is_good = take_socket(s, FIRST_FD + i);
	return is_good;
}

bool service_begin(struct service *s)
{
	static const char *const ours[] = { "LISTEN_FDS",    "LISTEN_PID",    "LISTEN_FDNAMES",
		                            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID" };
	const char *path = getenv("NOTIFY_SOCKET");
	long long watchdog_us = is_for_us("WATCHDOG_PID") ? number_of("WATCHDOG_USEC") : -1;
	bool is_good;

	*s = (struct service){ 0 };
	if (path && (path[0] == '/' || path[0] == '@'))
		s->notify_path = memory_strdup(path);
	/* Twice within the time, as the protocol advises. */
	if (watchdog_us > 0)
		s->watchdog_ms = watchdog_us > 3600000000 ? 1800000 : (int)(watchdog_us / 2000) + 1;
	is_good = take_sockets(s);
	/* Children must not report to the service manager in the daemon's name. */
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		unsetenv(ours[i]);
	return is_good;
}

void service_done(struct service *s)
{
	free(s->notify_path);
	s->notify_path = NULL;
}

void service_tell(const struct service *s, const char *text)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t len = s->notify_path ? strlen(s->notify_path) : 0;
	int fd;

	if (!len || len >= sizeof a.sun_path)
		return;
	memcpy(a.sun_path, s->notify_path, len);
	/* A leading @ marks an abstract socket, which has no file. */
	if (a.sun_path[0] == '@')
		a.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that does not listen is no reason to stop. */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&a,
	              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
