/*
 * Takes held calls from the seccomp listener, reads their arguments from the caller's memory,
 * answers them and counts what was denied.
 *
 * A held call waits in the kernel.  Its registers cannot change, but its memory can: another
 * thread may rewrite a path or an address between this look and the kernel's use.  So an answer
 * either refuses the call or lets the kernel, which enforces the boundary by itself, decide
 * again.
 */
#include "supervisor/kernel/seccomp_notify.h"

#include "base/memory.h"
#include "base/os/sys.h"
#include "supervisor/kernel/seccomp_filter.h"
#include "supervisor/kernel/seccomp_notify_path.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

struct verdict {
	int err; /* 0: the kernel continues the call and decides itself */
	bool is_violation;
};

/*
 * The length comes from the caller and is bounded by the struct; the kernel reads it as 32 bits.
 */
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

/*
 * A path without a socket is answered as the kernel would answer it; only an existing one is a
 * boundary of the sandbox.
 */
static struct verdict evaluate_unix(struct report *r, const struct sockaddr_storage *a, size_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)a;
	size_t max = len - offsetof(struct sockaddr_un, sun_path);
	struct stat st;

	if (len <= offsetof(struct sockaddr_un, sun_path) || !un->sun_path[0])
		/* abstract names belong to the network namespace, which has no server */
		return (struct verdict){ ECONNREFUSED, false };
	snprintf(r->violation.path, sizeof r->violation.path, "%.*s",
	         (int)MIN(max, sizeof un->sun_path), un->sun_path);
	if (un->sun_path[0] == '/' && stat(r->violation.path, &st) < 0)
		return (struct verdict){ ENOENT, false };
	return (struct verdict){ EACCES, true };
}

/*
 * With the network `off` a connection is always refused here, so it does not matter that the
 * caller can change the address meanwhile.  Otherwise the kernel continues the call, and only the
 * sandbox itself can be reached.
 */
static struct verdict evaluate_connect(const struct sandbox_plan *p, pid_t pid,
                                       const struct seccomp_data *call, struct report *r)
{
	bool off = p->network == SANDBOX_NETWORK_OFF;
	struct sockaddr_storage a;
	size_t len;

	snprintf(r->violation.kind, sizeof r->violation.kind, "network");
	if (!read_address(pid, call, &a, &len))
		return (struct verdict){ off ? EACCES : 0, off };
	if (a.ss_family == AF_UNIX && off)
		return evaluate_unix(r, &a, len);
	if (a.ss_family != AF_INET && a.ss_family != AF_INET6)
		return (struct verdict){ off ? EACCES : 0, false };
	note_inet(r, &a);
	if (off)
		return (struct verdict){ ENETUNREACH, true };
	r->violation.os_errno = ENETUNREACH;
	return (struct verdict){ 0, !is_loopback(&a) };
}

static bool read_memory(pid_t pid, uint64_t at, void *room, size_t size)
{
	struct iovec local = { room, size }, remote = { (void *)(uintptr_t)at, size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static void note_kind(struct report *r, const char *kind)
{
	snprintf(r->violation.kind, sizeof r->violation.kind, "%s", kind);
}

/*
 * clone3() is always answered as by a kernel without it, and programs fall back to clone().  Only
 * an attempt to create a namespace is a violation.
 */
static struct verdict evaluate_clone3(pid_t pid, const struct seccomp_data *call, struct report *r)
{
	uint64_t flags;

	if (!read_memory(pid, call->args[0], &flags, sizeof flags) ||
	    !(flags & SECCOMP_FILTER_NAMESPACES))
		return (struct verdict){ ENOSYS, false };
	note_kind(r, "syscall");
	r->violation.has_fallback = true;
	return (struct verdict){ ENOSYS, true };
}

/* Evaluated as openat() with the same flags; the answer is that of a kernel without openat2(). */
static struct verdict evaluate_openat2(const struct sandbox_plan *p, pid_t pid,
                                       const struct seccomp_data *call, struct report *r)
{
	struct open_how how;
	struct seccomp_data open = *call;
	struct verdict v = { ENOSYS, false };
	char first;
	int err;

	if (call->args[3] < sizeof how || !read_memory(pid, call->args[2], &how, sizeof how))
		return v;
	open.nr = SCMP_SYS(openat);
	open.args[2] = how.flags;
	open.args[3] = how.mode;
	/* with RESOLVE_IN_ROOT a leading slash means the directory, so slashes are skipped */
	for (int i = 0; how.resolve & RESOLVE_IN_ROOT && i < PATH_MAX &&
	                read_memory(pid, open.args[1], &first, 1) && first == '/';
	     i++)
		open.args[1]++;
	r->violation.has_fallback = true;
	if (seccomp_filter_makes_setuid(&open)) {
		note_kind(r, "permission");
		v.is_violation = true;
	} else if (seccomp_notify_path_is(&open)) {
		v.is_violation = seccomp_notify_path_evaluate(p, pid, &open, r, &err);
	}
	return v;
}

/* Attributes that need capabilities: file capabilities, and the trusted namespace. */
static bool is_privileged_attribute(pid_t pid, const struct seccomp_data *call)
{
	static const char *const names[] = { "security.capability", "trusted." };
	char name[32] = "";

	if (call->nr != SCMP_SYS(setxattr) && call->nr != SCMP_SYS(lsetxattr))
		return false;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (read_memory(pid, call->args[1], name, strlen(names[i])) &&
		    !memcmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/*
 * The pid that was allocated last in this pid namespace (the last field of /proc/loadavg);
 * INT_MAX: not known.
 */
static int last_pid(const struct seccomp_notify *n)
{
	char text[128];
	ssize_t len = n->last_pid_fd < 0 ? -1 : pread(n->last_pid_fd, text, sizeof text - 1, 0);
	const char *cut;

	if (len <= 0)
		return INT_MAX;
	text[len] = 0;
	cut = strrchr(text, ' ');
	return cut && atoi(cut) > 0 ? atoi(cut) : INT_MAX;
}

static bool names_process(const struct seccomp_data *call, int *ret_pid)
{
	static const int calls[] = { SCMP_SYS(kill), SCMP_SYS(rt_sigqueueinfo),
		                     SCMP_SYS(pidfd_open), SCMP_SYS(prlimit64),
		                     SCMP_SYS(setpriority) };

	for (size_t i = 0; i < COUNT_OF(calls); i++)
		if (call->nr == calls[i]) {
			*ret_pid = (int)call->args[call->nr == SCMP_SYS(setpriority)];
			return true;
		}
	return false;
}

/* This is the init of the namespace, so it sees every process in it. */
static bool is_inside(int pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

/*
 * A pid above the last one that was allocated in this namespace names a process outside; a lower
 * one may be a process that has ended.  After the numbers have wrapped, processes inside have
 * higher ones, too.
 */
static struct verdict evaluate_process(const struct seccomp_notify *n, int pid, struct report *r)
{
	note_kind(r, "process");
	r->violation.os_errno = ESRCH;
	return (struct verdict){ 0, pid > last_pid(n) && !is_inside(pid) };
}

/*
 * The first function that knows the call decides.  Calls that are refused by their arguments
 * alone (setuid bits) must not reach the evaluation of paths, which would let the kernel continue
 * them.
 */
static struct verdict evaluate_call(const struct seccomp_notify *n,
                                    const struct seccomp_notif *held, struct report *r)
{
	const struct sandbox_plan *p = n->plan;
	int pid;

	if (sandbox_tier_has_namespaces(p->tier) && names_process(&held->data, &pid))
		return evaluate_process(n, pid, r);
	if (held->data.nr == SCMP_SYS(clone3))
		return evaluate_clone3((pid_t)held->pid, &held->data, r);
	if (held->data.nr == SCMP_SYS(openat2))
		return evaluate_openat2(p, (pid_t)held->pid, &held->data, r);
	if (held->data.nr == SCMP_SYS(connect) || held->data.nr == SCMP_SYS(sendto))
		return evaluate_connect(p, (pid_t)held->pid, &held->data, r);
	if (!p->openat2 && seccomp_notify_path_is(&held->data) &&
	    !seccomp_filter_makes_setuid(&held->data)) {
		struct verdict path = { 0 };

		path.is_violation = seccomp_notify_path_evaluate(p, (pid_t)held->pid, &held->data,
		                                                 r, &path.err);
		if (!path.is_violation && is_privileged_attribute((pid_t)held->pid, &held->data)) {
			note_kind(r, "permission");
			r->violation.os_errno = EPERM;
			path.is_violation = true;
		}
		return path;
	}

	struct seccomp_filter_decision v = seccomp_filter_evaluate(&held->data);

	note_kind(r, v.kind);
	r->violation.has_fallback = v.has_fallback;
	r->violation.os_errno = v.kernel_err;
	return (struct verdict){ v.err, v.is_violation };
}

/*
 * For a full table: one row counts what has no row of its own, so that a program cannot grow the
 * table.  It names no path and no host, because it stands for several.
 */
static void count_other(struct seccomp_notify *n, const struct report *r)
{
	struct report *o = &n->others;

	if (!o->violation.count) {
		*o = (struct report){ .kind = REPORT_VIOLATION };
		memcpy(o->violation.kind, r->violation.kind, sizeof o->violation.kind);
		snprintf(o->violation.operation, sizeof o->violation.operation, "others");
	}
	o->violation.count++;
}

/*
 * The first occurrence is reported at once; `count` of a row is what came after it and is
 * reported at the end.
 */
static void count_violation(struct seccomp_notify *n, const struct report *r)
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
	if (n->count == SECCOMP_NOTIFY_DISTINCT_MAX) {
		count_other(n, r);
		return;
	}
	n->tell(n->arg, r);
	n->seen = memory_resize(n->seen, (n->count + 1) * sizeof *n->seen);
	n->seen[n->count] = *r;
	n->seen[n->count++].violation.count = 0;
}

/*
 * A mask is an empty file or directory over a denied path; each has its own inode, so the watch
 * descriptor identifies the path.
 */
static void report_mask(struct seccomp_notify *n, const struct inotify_event *ev)
{
	for (size_t i = 0; i < n->masks->count; i++) {
		const struct rootfs_mask *m = &n->masks->at[i];
		struct report r = { .kind = REPORT_VIOLATION, .violation = { .count = 1 } };

		if (m->wd != ev->wd)
			continue;
		snprintf(r.violation.kind, sizeof r.violation.kind, "filesystem");
		snprintf(r.violation.operation, sizeof r.violation.operation,
		         m->is_dir ? "list" : "read");
		snprintf(r.violation.path, sizeof r.violation.path, "%s", m->path);
		count_violation(n, &r);
	}
}

void seccomp_notify_begin(struct seccomp_notify *n)
{
	n->last_pid_fd = sandbox_tier_has_namespaces(n->plan->tier)
	                         ? open("/proc/loadavg", O_RDONLY | O_CLOEXEC)
	                         : -1;
}

void seccomp_notify_handle(struct seccomp_notify *n)
{
	struct seccomp_notif held = { 0 };
	struct report r = { .kind = REPORT_VIOLATION, .violation = { .count = 1 } };

	if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_RECV, &held) < 0) {
		/* ENOENT: the caller died before its call was received. */
		if (errno != EINTR && errno != ENOENT)
			sys_close(&n->listener);
		return;
	}
	seccomp_filter_call_name(held.data.nr, r.violation.call, sizeof r.violation.call);

	struct verdict v = evaluate_call(n, &held, &r);
	struct seccomp_notif_resp response = { .id = held.id, .error = -v.err };

	if (v.err)
		r.violation.os_errno = v.err;
	else
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	/* fails when the caller is gone; then the call did not happen and is not reported */
	if (ioctl(n->listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0 && v.is_violation)
		count_violation(n, &r);
}

/* A mask over a denied path was opened: a read that the sandbox refused. */
void seccomp_notify_masks(struct seccomp_notify *n)
{
	_Alignas(struct inotify_event) char room[4096];
	ssize_t len;

	while (n->masks && n->masks->fd >= 0 && (len = read(n->masks->fd, room, sizeof room)) > 0)
		for (char *at = room; at < room + len;) {
			const struct inotify_event *ev = (const struct inotify_event *)(void *)at;

			at += sizeof *ev + ev->len;
			if (ev->mask & IN_OPEN)
				report_mask(n, ev);
		}
}

/*
 * Closing the listener makes calls that are still held, and later ones, fail with ENOSYS; the
 * processes are killed next.
 */
void seccomp_notify_end(struct seccomp_notify *n)
{
	seccomp_notify_masks(n);
	for (size_t i = 0; i < n->count; i++)
		if (n->seen[i].violation.count)
			n->tell(n->arg, &n->seen[i]);
	if (n->others.violation.count)
		n->tell(n->arg, &n->others);
	n->others.violation.count = 0;
	n->count = 0;
	sys_close(&n->listener);
}
