/*
 * The table of refused system calls and the program that libseccomp makes of
 * it; and what the init answers to a call that the filter holds.
 */
#include "supervisor/kernel/seccomp_filter.h"

#include "base/memory.h"
#include "base/os/sys.h"
#include "supervisor/kernel/seccomp_notify_path.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* The kernel reads many arguments as 32 bits; upper bits would bypass a comparison of all 64. */
#define LOW32 0xffffffffULL
#define CODE_MAX 4096 /* the kernel's own bound on instructions */
#define SOCKET_TYPE_MASK 0xfULL

/* Refused with EPERM for all arguments, and reported. */
static const char *const never[] = {
	/* mounts and roots */
	"mount",
	"umount",
	"umount2",
	"pivot_root",
	"chroot",
	"move_mount",
	"open_tree",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	/* other processes and namespaces */
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"kcmp",
	"pidfd_getfd",
	"setns",
	/* the kernel itself */
	"kexec_load",
	"kexec_file_load",
	"init_module",
	"finit_module",
	"delete_module",
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"syslog",
	"reboot",
	"swapon",
	"swapoff",
	"acct",
	"quotactl",
	"quotactl_fd",
	"fanotify_init",
	"lookup_dcookie",
	"nfsservctl",
	"uselib",
	"vhangup",
	"create_module",
	"get_kernel_syms",
	"query_module",
	"_sysctl",
	"sysfs",
	"ustat",
	/* keyrings are not namespaced by uid alone */
	"keyctl",
	"add_key",
	"request_key",
	/* files by number instead of by path */
	"open_by_handle_at",
	/* clocks, names, ports */
	"settimeofday",
	"clock_settime",
	"clock_adjtime",
	"adjtimex",
	"stime",
	"sethostname",
	"setdomainname",
	"iopl",
	"modify_ldt",
	"ioperm",
	"vm86",
	"vm86old",
};

/* Programs ask for these and have another way: the answer is that of an older kernel. */
static const char *const absent[] = { "io_uring_setup", "clone3" };
/* They need a descriptor that no process in a sandbox has. */
static const char *const useless[] = { "io_uring_enter", "io_uring_register" };

struct builder {
	scmp_filter_ctx ctx;
	const struct seccomp_filter_request *request;
	int failed; /* the first negative errno */
};

/*
 * The first failure is kept and reported by filter_build(): a filter with a missing rule must not be
 * used.
 */
static void add_rule(struct builder *b, uint32_t action, int nr, unsigned count,
                     const struct scmp_arg_cmp *args)
{
	if (nr == __NR_SCMP_ERROR)
		return; /* a name that this libseccomp or machine does not have */

	int r = seccomp_rule_add_array(b->ctx, action, nr, count, args);

	/* -EDOM: not a call of this architecture */
	if (r < 0 && r != -EDOM && !b->failed)
		b->failed = r;
}

/*
 * Held for the init where there is a listener, otherwise refused at once.  With err 0 (a call
 * that is only observed) the caller must check that there is a listener: SCMP_ACT_ERRNO(0) would
 * make the call succeed without effect.
 */
static void add_notify(struct builder *b, int err, int nr, unsigned count,
                       const struct scmp_arg_cmp *args)
{
	add_rule(b, b->request->loud ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO((uint16_t)err), nr, count,
	         args);
}

static void add_errno(struct builder *b, int err, int nr, unsigned count,
                      const struct scmp_arg_cmp *args)
{
	add_rule(b, SCMP_ACT_ERRNO((uint16_t)err), nr, count, args);
}

static int call_number(const char *name)
{
	return seccomp_syscall_resolve_name(name);
}

static struct scmp_arg_cmp has_bit(unsigned arg, uint64_t bit)
{
	return (struct scmp_arg_cmp){ arg, SCMP_CMP_MASKED_EQ, bit, bit };
}

static struct scmp_arg_cmp is32(unsigned arg, uint64_t value)
{
	return (struct scmp_arg_cmp){ arg, SCMP_CMP_MASKED_EQ, LOW32, value };
}

/* ---- the groups ---- */

/*
 * The plan's openat2 is only for the supervisor's own file tools.  For commands openat2() is
 * refused, because its mode lies in memory, where a filter cannot see a setuid bit.
 */
static void add_plain(struct builder *b)
{
	for (size_t i = 0; i < COUNT_OF(never); i++)
		add_notify(b, EPERM, call_number(never[i]), 0, NULL);
	add_notify(b, EPERM, NR_OPEN_TREE_ATTR, 0, NULL);
	for (size_t i = 0; i < COUNT_OF(absent); i++)
		add_notify(b, ENOSYS, call_number(absent[i]), 0, NULL);
	for (size_t i = 0; i < COUNT_OF(useless); i++)
		add_errno(b, ENOSYS, call_number(useless[i]), 0, NULL);
	if (!b->request->openat2)
		add_notify(b, ENOSYS, call_number("openat2"), 0, NULL);
}

/*
 * A new user namespace would give capabilities inside it, and with them most of the kernel's
 * attack surface.  clone3(), whose flags lie in memory, is refused as a whole (absent).
 */
static void add_namespaces(struct builder *b)
{
	static const uint64_t flags[] = { CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
		                          CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP };

	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		struct scmp_arg_cmp arg = has_bit(0, flags[i]);

		add_notify(b, EPERM, call_number("clone"), 1, &arg);
		add_notify(b, EPERM, call_number("unshare"), 1, &arg);
	}

	/* in clone() this bit is part of the exit signal, so only here */
	struct scmp_arg_cmp arg = has_bit(0, CLONE_NEWTIME);

	add_notify(b, EPERM, call_number("unshare"), 1, &arg);
}

/* A setuid file in a write root is one on the host too, owned by the user or by root. */
static void add_setuid(struct builder *b)
{
	static const struct {
		const char *name;
		int nr;
		unsigned mode_arg;
	} modes[] = {
		{ "chmod", 0, 1 },         { "fchmod", 0, 1 }, { "fchmodat", 0, 2 },
		{ NULL, NR_FCHMODAT2, 2 }, { "mknod", 0, 1 },  { "mknodat", 0, 2 },
		{ "creat", 0, 1 },
	};
	static const struct {
		const char *name;
		unsigned flags_arg;
	} opens[] = { { "open", 1 }, { "openat", 2 } };
	static const uint64_t bits[] = { S_ISUID, S_ISGID };
	/* O_TMPFILE contains O_DIRECTORY; only its own bit says that a file is created. */
	static const uint64_t makers[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };

	for (size_t k = 0; k < COUNT_OF(bits); k++) {
		for (size_t i = 0; i < COUNT_OF(modes); i++) {
			struct scmp_arg_cmp arg = has_bit(modes[i].mode_arg, bits[k]);

			add_notify(b, EPERM,
			           modes[i].name ? call_number(modes[i].name) : modes[i].nr, 1,
			           &arg);
		}
		for (size_t i = 0; i < COUNT_OF(opens) * COUNT_OF(makers); i++) {
			unsigned at = opens[i / 2].flags_arg;
			struct scmp_arg_cmp args[] = { has_bit(at, makers[i % 2]),
				                       has_bit(at + 1, bits[k]) };

			add_notify(b, EPERM, call_number(opens[i / 2].name), 2, args);
		}
	}
}

/* Typing into a terminal that another program reads; line disciplines load kernel code. */
static void add_terminals(struct builder *b)
{
	static const uint64_t requests[] = { TIOCSTI, 0x541c /* TIOCLINUX */, TIOCCONS, TIOCSETD };

	for (size_t i = 0; i < COUNT_OF(requests); i++) {
		struct scmp_arg_cmp arg = is32(1, requests[i]);

		add_notify(b, EPERM, call_number("ioctl"), 1, &arg);
	}
}

/*
 * Calls that change a path are reported and left to the kernel.  The file tools (plan.openat2)
 * report their refusals themselves.
 */
static void add_paths(struct builder *b)
{
	for (const struct seccomp_notify_path_call *c = seccomp_notify_path_calls;
	     c->name && b->request->loud && !b->request->openat2; c++) {
		if (c->flags_arg < 0) {
			/* NULL as the path means the descriptor itself */
			struct scmp_arg_cmp named = { (unsigned)c->path_arg, SCMP_CMP_NE, 0, 0 };

			add_notify(b, 0, call_number(c->name), 1, &named);
			continue;
		}
		for (size_t i = 0; i < seccomp_notify_path_write_flag_count; i++) {
			struct scmp_arg_cmp arg =
				has_bit((unsigned)c->flags_arg, seccomp_notify_path_write_flags[i]);

			add_notify(b, 0, call_number(c->name), 1, &arg);
		}
	}
}

/*
 * Rarely used families have had many kernel vulnerabilities.  1 and 2 (Unix, IPv4), IPv6 and
 * netlink have their own rules.
 */
static void add_families(struct builder *b)
{
	for (uint64_t family = 3; family < 46; family++) {
		struct scmp_arg_cmp arg = is32(0, family);

		if (family == AF_INET6 || family == AF_NETLINK)
			continue;
		add_notify(b, EAFNOSUPPORT, call_number("socket"), 1, &arg);
	}

	struct scmp_arg_cmp newer = { 0, SCMP_CMP_GT, 45, 0 };

	add_notify(b, EAFNOSUPPORT, call_number("socket"), 1, &newer);

	/* getaddrinfo asks NETLINK_ROUTE which families there are */
	struct scmp_arg_cmp other[] = { is32(0, AF_NETLINK), { 2, SCMP_CMP_NE, 0, 0 } };
	bool routes = b->request->own_network || b->request->network == SANDBOX_NETWORK_FULL;

	add_notify(b, EACCES, call_number("socket"), routes ? 2 : 1, other);
}

/*
 * A Unix socket with a path reaches every server that listens there, through any
 * network namespace and any read-only mount; a datagram socket sends there
 * even as one half of a pair.
 */
static void add_unix(struct builder *b)
{
	const struct seccomp_filter_request *w = b->request;
	bool held_at_connect = w->loud && w->own_network && w->network == SANDBOX_NETWORK_OFF;
	struct scmp_arg_cmp args[] = { is32(0, AF_UNIX),
		                       { 1, SCMP_CMP_MASKED_EQ, SOCKET_TYPE_MASK, 0 } };

	if (!w->unix_sockets && !held_at_connect) {
		/*
		 * where the socket would lead is not known yet, and every lookup of a user
		 * creates one
		 */
		args[1] = (struct scmp_arg_cmp){ 1, SCMP_CMP_MASKED_EQ, SOCK_NONBLOCK, 0 };
		add_notify(b, EACCES, call_number("socket"), 2, args);
		args[1].datum_b = SOCK_NONBLOCK;
		add_errno(b, EACCES, call_number("socket"), 2, args);
		args[1] = (struct scmp_arg_cmp){ 1, SCMP_CMP_MASKED_EQ, SOCKET_TYPE_MASK, 0 };
	}
	if (w->network == SANDBOX_NETWORK_FULL && w->unix_sockets)
		return;
	/* the kernel makes a datagram socket of SOCK_RAW too */
	for (uint64_t type = SOCK_DGRAM; type <= SOCK_RAW; type++) {
		args[1].datum_b = type;
		add_notify(b, EACCES, call_number("socketpair"), 2, args);
		if (w->unix_sockets || held_at_connect)
			add_notify(b, EACCES, call_number("socket"), 2, args);
	}
}

/* The kernel refuses them without power over the network; the filter reports them. */
static void add_raw(struct builder *b)
{
	struct scmp_arg_cmp args[] = { is32(0, AF_INET),
		                       { 1, SCMP_CMP_MASKED_EQ, SOCKET_TYPE_MASK, SOCK_RAW } };

	add_notify(b, EPERM, call_number("socket"), 2, args);
	args[0] = is32(0, AF_INET6);
	add_notify(b, EPERM, call_number("socket"), 2, args);
}

/*
 * Without a network namespace the filter is the only restriction, so sockets are refused.  With
 * one, no host can be reached, and the calls are held only to report the address.
 */
static void add_network(struct builder *b)
{
	const struct seccomp_filter_request *w = b->request;
	struct scmp_arg_cmp inet = is32(0, AF_INET), inet6 = is32(0, AF_INET6);

	if (w->network == SANDBOX_NETWORK_FULL)
		return;
	if (!w->own_network) {
		add_notify(b, EACCES, call_number("socket"), 1, &inet);
		add_notify(b, EACCES, call_number("socket"), 1, &inet6);
	} else if (w->loud && !(w->network == SANDBOX_NETWORK_OFF && w->unix_sockets)) {
		struct scmp_arg_cmp to = { 4, SCMP_CMP_NE, 0, 0 };

		/* The address is worth reporting; no host is reachable anyway. */
		add_notify(b, EACCES, call_number("connect"), 0, NULL);
		add_notify(b, EACCES, call_number("sendto"), 1, &to);
	}
}

/*
 * Without namespaces other processes of the same user are within reach of
 * calls that Landlock does not know: their limits, priorities, shared memory.
 */
static void add_process_calls(struct builder *b)
{
	static const char *const by_pid[] = { "prlimit64",         "sched_setscheduler",
		                              "sched_setparam",    "sched_setattr",
		                              "sched_setaffinity", "migrate_pages",
		                              "move_pages",        "process_madvise",
		                              "process_mrelease" };
	static const char *const shared[] = { "shmget", "shmat",  "shmctl",  "semget",
		                              "semop",  "semctl", "msgget",  "msgsnd",
		                              "msgrcv", "msgctl", "mq_open", "mq_unlink" };
	struct scmp_arg_cmp other = { 0, SCMP_CMP_NE, 0, 0 }, who = { 1, SCMP_CMP_NE, 0, 0 };
	struct scmp_arg_cmp mine[] = { { 0, SCMP_CMP_EQ, 2 /* PRIO_USER */, 0 },
		                       { 1, SCMP_CMP_EQ, 0, 0 } };

	if (b->request->own_processes)
		return;
	/* threads set their own affinity by number: quiet, because programs do without */
	for (size_t i = 0; i < COUNT_OF(by_pid); i++)
		add_errno(b, EPERM, call_number(by_pid[i]), 1, &other);
	add_errno(b, EPERM, call_number("setpriority"), 1, &who);
	add_errno(b, EPERM, call_number("ioprio_set"), 1, &who);
	/* PRIO_USER with 0 means all processes of the calling user. */
	add_errno(b, EPERM, call_number("setpriority"), 2, mine);
	mine[0].datum_a = 3; /* IOPRIO_WHO_USER */
	add_errno(b, EPERM, call_number("ioprio_set"), 2, mine);
	for (size_t i = 0; i < COUNT_OF(shared); i++)
		add_notify(b, EACCES, call_number(shared[i]), 0, NULL);
}

/*
 * Calls that name one process: where it is none of this sandbox's, it is reported, and the kernel says
 * that there is none.  Not those that name a thread: runtimes send themselves signals all the time.
 */
static void add_processes(struct builder *b)
{
	struct scmp_arg_cmp other = { 0, SCMP_CMP_NE, 0, 0 };
	struct scmp_arg_cmp nice[] = { is32(0, PRIO_PROCESS), { 1, SCMP_CMP_NE, 0, 0 } };

	if (!b->request->own_processes || !b->request->loud)
		return;
	add_notify(b, 0, call_number("kill"), 1, &other);
	add_notify(b, 0, call_number("rt_sigqueueinfo"), 1, &other);
	add_notify(b, 0, call_number("pidfd_open"), 1, &other);
	add_notify(b, 0, call_number("prlimit64"), 1, &other);
	add_notify(b, 0, call_number("setpriority"), 2, nice);
}

/*
 * Becoming root: the kernel refuses it to all but root, and the filter reports it.  A process
 * that is already root by name may continue.
 */
static void add_root(struct builder *b)
{
	static const struct {
		const char *name;
		unsigned args;
	} calls[] = { { "setuid", 1 }, { "setreuid", 2 }, { "setresuid", 3 } };

	for (size_t i = 0; b->request->loud && i < COUNT_OF(calls); i++)
		for (unsigned at = 0; at < calls[i].args; at++) {
			struct scmp_arg_cmp arg = is32(at, 0);

			add_notify(b, EPERM, call_number(calls[i].name), 1, &arg);
		}
}

/* ---- putting it together ---- */

/*
 * Exported and not loaded, so that the init of each sandbox loads bytes instead of building the
 * filter again.
 */
static enum err export_code(scmp_filter_ctx ctx, struct seccomp_filter *f, struct error *e)
{
	/*
	 * if nr > NR_NEWEST: ENOSYS.  Jumps in BPF are relative, so these instructions can
	 * precede the program.
	 */
	const struct sock_filter head[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NR_NEWEST, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	FD_SCOPE fd = memfd_create("filter", MFD_CLOEXEC);
	struct stat st;

	if (fd < 0 || seccomp_export_bpf(ctx, fd) < 0 || fstat(fd, &st) < 0)
		return fail(e, ERR_UNSUPPORTED, "seccomp: the filter cannot be written");

	size_t size = (size_t)st.st_size;

	if (size % sizeof *head || size / sizeof *head + COUNT_OF(head) > CODE_MAX)
		return fail(e, ERR_TOO_LARGE, "seccomp: the filter is too long");
	f->prog.len = (unsigned short)(size / sizeof *head + COUNT_OF(head));
	f->prog.filter = memory_alloc(sizeof head + size);
	memcpy(f->prog.filter, head, sizeof head);
	if (pread(fd, f->prog.filter + COUNT_OF(head), size, 0) != (ssize_t)size)
		return fail_errno(e, ERR_IO, "seccomp: reading the filter");
	return OK;
}

/*
 * Everything is allowed that no rule refuses: commands are arbitrary programs, and an allow-list
 * would break the next version of each.
 */
static enum err filter_build(const struct seccomp_filter_request *request, struct seccomp_filter *f,
                             struct error *e)
{
	struct builder b = { .ctx = seccomp_init(SCMP_ACT_ALLOW), .request = request };

	if (!b.ctx)
		return fail(e, ERR_UNSUPPORTED, "seccomp: no filter");
	seccomp_attr_set(b.ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	seccomp_attr_set(b.ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	add_plain(&b);
	add_namespaces(&b);
	add_setuid(&b);
	add_paths(&b);
	add_terminals(&b);
	add_root(&b);
	add_processes(&b);
	add_families(&b);
	add_unix(&b);
	add_network(&b);
	if (request->own_network || request->network == SANDBOX_NETWORK_FULL)
		add_raw(&b);
	add_process_calls(&b);

	enum err err = b.failed ? fail(e, ERR_UNSUPPORTED, "seccomp: rule: %s", strerror(-b.failed))
	                        : export_code(b.ctx, f, e);

	seccomp_release(b.ctx);
	return err;
}

/* One slot per combination of the request's members; a new member needs a bit here. */
static unsigned slot_of(const struct seccomp_filter_request *w)
{
	return (unsigned)w->loud | (unsigned)w->own_network << 1 | (unsigned)w->unix_sockets << 2 |
	       (unsigned)w->openat2 << 3 | (unsigned)w->own_processes << 4 |
	       (unsigned)w->network << 5;
}

enum err seccomp_filter_get(const struct seccomp_filter_request *request,
                            const struct seccomp_filter **ret, struct error *e)
{
	static struct seccomp_filter kept[SANDBOX_NETWORKS << 5];
	struct seccomp_filter *f = &kept[slot_of(request)];

	if (!f->prog.filter) {
		struct seccomp_filter built = { 0 };
		enum err err = filter_build(request, &built, e);

		if (err)
			return err;
		*f = built;
	}
	*ret = f;
	return OK;
}

enum err seccomp_filter_load(const struct seccomp_filter *f, bool is_loud, int *ret_listener,
                             struct error *e)
{
	unsigned flags = is_loud ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
	int r = sys_seccomp(SECCOMP_SET_MODE_FILTER, flags, (void *)&f->prog);

	if (r < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "seccomp: load");
	*ret_listener = is_loud ? r : -1;
	return OK;
}

/* ---- evaluating held calls ---- */

static bool is_call(const struct seccomp_data *call, const char *name)
{
	int nr = call_number(name);

	return nr >= 0 && call->nr == nr;
}

static bool is_mode_call(const struct seccomp_data *call)
{
	static const char *const names[] = { "chmod",   "fchmod", "fchmodat", "mknod",
		                             "mknodat", "creat",  "open",     "openat" };

	if (call->nr == NR_FCHMODAT2)
		return true;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (is_call(call, names[i]))
			return true;
	return false;
}

/*
 * Would it make a setuid file?  By its arguments alone, which no other thread can change
 * meanwhile.  Must accept the same calls as add_setuid(): seccomp_notify.c refuses such a call
 * even if it also changes a path.
 */
bool seccomp_filter_makes_setuid(const struct seccomp_data *call)
{
	static const struct {
		const char *name;
		int nr, mode_arg, flags_arg;
	} modes[] = {
		{ "chmod", 0, 1, -1 },         { "fchmod", 0, 1, -1 }, { "fchmodat", 0, 2, -1 },
		{ NULL, NR_FCHMODAT2, 2, -1 }, { "mknod", 0, 1, -1 },  { "mknodat", 0, 2, -1 },
		{ "creat", 0, 1, -1 },         { "open", 0, 2, 1 },    { "openat", 0, 3, 2 },
	};

	for (size_t i = 0; i < COUNT_OF(modes); i++) {
		int nr = modes[i].name ? call_number(modes[i].name) : modes[i].nr;

		if (nr != call->nr)
			continue;
		if (modes[i].flags_arg >= 0 &&
		    !(call->args[modes[i].flags_arg] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))))
			return false;
		return call->args[modes[i].mode_arg] & (S_ISUID | S_ISGID);
	}
	return false;
}

/* For held calls that no other function of seccomp_notify.c evaluates. */
struct seccomp_filter_decision seccomp_filter_evaluate(const struct seccomp_data *call)
{
	if (is_call(call, "connect"))
		return (struct seccomp_filter_decision){ .err = EACCES,
			                                 .kind = "network",
			                                 .is_violation = true };
	if (is_call(call, "socket") || is_call(call, "socketpair")) {
		uint32_t family = (uint32_t)call->args[0];
		bool usual = family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
		             family == AF_NETLINK;
		/* syslog() and the like: programs work without it, and its target is not known */
		bool has_fallback =
			is_call(call, "socket") && (family == AF_UNIX || family == AF_NETLINK);

		return (struct seccomp_filter_decision){ .err = usual ? EACCES : EAFNOSUPPORT,
			                                 .kind = "network",
			                                 .is_violation = true,
			                                 .has_fallback = has_fallback };
	}
	if (is_call(call, "io_uring_setup"))
		return (struct seccomp_filter_decision){
			.err = ENOSYS, .kind = "syscall", .is_violation = true, .has_fallback = true
		};
	if (is_call(call, "setuid") || is_call(call, "setreuid") || is_call(call, "setresuid"))
		return (struct seccomp_filter_decision){ .kind = "permission",
			                                 .is_violation = geteuid() != 0,
			                                 .kernel_err = EPERM };
	if (is_mode_call(call))
		return (struct seccomp_filter_decision){ .err = EPERM,
			                                 .kind = "permission",
			                                 .is_violation = true };
	return (struct seccomp_filter_decision){ .err = EPERM,
		                                 .kind = "syscall",
		                                 .is_violation = true };
}

void seccomp_filter_call_name(int nr, char *buf, size_t size)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);

	if (name)
		snprintf(buf, size, "%s", name);
	else if (nr == NR_FCHMODAT2)
		snprintf(buf, size, "fchmodat2");
	else if (nr == NR_OPEN_TREE_ATTR)
		snprintf(buf, size, "open_tree_attr");
	else
		snprintf(buf, size, "syscall %d", nr);
	free(name);
}
