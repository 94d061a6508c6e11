#include "hand/notify.h"

#include "hand/filter.h"
#include "hand/notify_path.h"
#include "hand/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

struct verdict {
	int err; /* 0: the kernel may look at it itself */
	bool is_violation;
};

static bool read_address(pid_t pid, const struct seccomp_data *call, struct sockaddr_storage *ret,
                         size_t *ret_len)
{
	unsigned at = call->nr == SCMP_SYS(sendto) ? 4 : 1;
	size_t len = MIN((size_t)(uint32_t)call->args[at + 1], sizeof *ret);
	struct iovec local = { ret, len }, remote = { (void *)(uintptr_t)call->args[at], len };

	memset(ret, 0, sizeof *ret);
	*ret_len = len;
	return len >= sizeof(sa_family_t) &&
	       process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24) == 127;
	return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static void note_inet(struct report *r, const struct sockaddr_storage *a)
{
	const void *addr = a->ss_family == AF_INET
	                           ? (const void *)&((const struct sockaddr_in *)a)->sin_addr
	                           : (const void *)&((const struct sockaddr_in6 *)a)->sin6_addr;

	inet_ntop(a->ss_family, addr, r->violation.host, sizeof r->violation.host);
	r->violation.port = ntohs(((const struct sockaddr_in *)a)->sin_port);
}

/* Somebody listens there, or it was never there: only the first is a boundary. */
static struct verdict judge_unix(struct report *r, const struct sockaddr_storage *a, size_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)a;
	size_t max = len - offsetof(struct sockaddr_un, sun_path);
	struct stat st;

	if (len <= offsetof(struct sockaddr_un, sun_path) || !un->sun_path[0])
		return (struct verdict){ ECONNREFUSED, false }; /* abstract: nobody is in here */
	snprintf(r->violation.path, sizeof r->violation.path, "%.*s",
	         (int)MIN(max, sizeof un->sun_path), un->sun_path);
	if (un->sun_path[0] == '/' && stat(r->violation.path, &st) < 0)
		return (struct verdict){ ENOENT, false };
	return (struct verdict){ EACCES, true };
}

/*
 * With the network off a connection is always refused here, so it does not
 * matter that the caller can change the address under our eyes.  Otherwise
 * the kernel goes on, and there is nobody to reach but the cage itself.
 */
static struct verdict judge_connect(const struct plan *p, pid_t pid,
                                    const struct seccomp_data *call, struct report *r)
{
	bool off = p->network == NETWORK_OFF;
	struct sockaddr_storage a;
	size_t len;

	snprintf(r->violation.kind, sizeof r->violation.kind, "network");
	if (!read_address(pid, call, &a, &len))
		return (struct verdict){ off ? EACCES : 0, off };
	if (a.ss_family == AF_UNIX && off)
		return judge_unix(r, &a, len);
	if (a.ss_family != AF_INET && a.ss_family != AF_INET6)
		return (struct verdict){ off ? EACCES : 0, false };
	note_inet(r, &a);
	if (off)
		return (struct verdict){ ENETUNREACH, true };
	r->violation.os_errno = ENETUNREACH;
	return (struct verdict){ 0, !is_loopback(&a) };
}

static struct verdict judge(const struct plan *p, const struct seccomp_notif *held,
                            struct report *r)
{
	if (held->data.nr == SCMP_SYS(connect) || held->data.nr == SCMP_SYS(sendto))
		return judge_connect(p, (pid_t)held->pid, &held->data, r);
	if (!p->openat2 && notify_path_is(&held->data) && !filter_makes_setuid(&held->data)) {
		struct verdict path = { 0 };

		path.is_violation =
			notify_path_judge(p, (pid_t)held->pid, &held->data, r, &path.err);
		return path;
	}

	struct filter_verdict v = filter_judge(&held->data);

	snprintf(r->violation.kind, sizeof r->violation.kind, "%s", v.kind);
	return (struct verdict){ v.err, v.is_violation };
}

static void count(struct notify *n, const struct report *r)
{
	for (size_t i = 0; i < n->count; i++) {
		struct report *s = &n->seen[i];

		if (!strcmp(s->violation.call, r->violation.call) &&
		    !strcmp(s->violation.path, r->violation.path) &&
		    !strcmp(s->violation.host, r->violation.host) &&
		    s->violation.port == r->violation.port) {
			s->violation.count++;
			return;
		}
	}
	if (n->count == NOTIFY_DISTINCT_MAX) {
		n->seen[NOTIFY_DISTINCT_MAX - 1].violation.count++;
		return;
	}
	n->tell(n->arg, r);
	n->seen = xrealloc(n->seen, (n->count + 1) * sizeof *n->seen);
	n->seen[n->count] = *r;
	n->seen[n->count++].violation.count = 0;
}

static void tell_mask(struct notify *n, const struct inotify_event *ev)
{
	for (size_t i = 0; i < n->masks->count; i++) {
		const struct tree_mask *m = &n->masks->at[i];
		struct report r = { .kind = REPORT_VIOLATION, .violation = { .count = 1 } };

		if (m->wd != ev->wd)
			continue;
		snprintf(r.violation.kind, sizeof r.violation.kind, "filesystem");
		snprintf(r.violation.operation, sizeof r.violation.operation,
		         m->is_dir ? "list" : "read");
		snprintf(r.violation.path, sizeof r.violation.path, "%s", m->path);
		count(n, &r);
	}
}

void notify_handle(struct notify *n)
{
	struct seccomp_notif held = { 0 };
	struct report r = { .kind = REPORT_VIOLATION, .violation = { .count = 1 } };

	if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_RECV, &held) < 0) {
		if (errno != EINTR && errno != ENOENT)
			sys_close(&n->listener);
		return;
	}
	filter_call_name(held.data.nr, r.violation.call, sizeof r.violation.call);

	struct verdict v = judge(n->plan, &held, &r);
	struct seccomp_notif_resp answer = { .id = held.id, .error = -v.err };

	if (v.err)
		r.violation.os_errno = v.err;
	else
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	/* fails when the caller is gone: then nothing happened */
	if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 && v.is_violation)
		count(n, &r);
}

/* The masks that stand over denied paths are opened: that is a read that was refused. */
void notify_masks(struct notify *n)
{
	_Alignas(struct inotify_event) char room[4096];
	ssize_t len;

	while (n->masks && n->masks->fd >= 0 && (len = read(n->masks->fd, room, sizeof room)) > 0)
		for (char *at = room; at < room + len;) {
			const struct inotify_event *ev = (const struct inotify_event *)(void *)at;

			at += sizeof *ev + ev->len;
			if (ev->mask & IN_OPEN)
				tell_mask(n, ev);
		}
}

void notify_end(struct notify *n)
{
	notify_masks(n);
	for (size_t i = 0; i < n->count; i++)
		if (n->seen[i].violation.count)
			n->tell(n->arg, &n->seen[i]);
	n->count = 0;
	sys_close(&n->listener);
}
