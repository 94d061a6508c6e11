#ifndef SUPERVISOR_KERNEL_SECCOMP_FILTER_H
#define SUPERVISOR_KERNEL_SECCOMP_FILTER_H
/*
 * The system call filter of a sandbox, written by libseccomp once per kind of sandbox and then
 * only loaded.
 *
 * The filter is a list of what is refused.  There are four ways to refuse:
 *
 *	loud    the call is held and reported to the sandbox's init (user notification),
 *	        which counts it as a violation and answers with the errno;
 *	told    a call that changes a path (seccomp_notify_path.h) is held too, evaluated, and
 *	        left to the kernel; openat2() and clone3(), whose flags lie in memory, are
 *	        evaluated and answered as by a kernel that does not have them;
 *	quiet   an errno at once, for calls that mean nothing: the non-blocking Unix socket of
 *	        every getpwuid(), which looks for nscd, and what needs a refused call first;
 *	killed  another architecture's calling convention.
 *
 * Calls newer than NR_NEWEST answer ENOSYS, as on the kernels that this list knows; that includes
 * x32.
 *
 * Arguments that the kernel reads as 32 bits are compared on 32 bits: the caller controls the
 * upper half of a register.
 */
#include "sandbox/sandbox_plan.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

struct seccomp_filter_request {
	bool loud;          /* there is a listener to report to */
	bool own_network;   /* the sandbox has a network namespace */
	bool own_processes; /* pid and ipc namespaces: no process outside can be named */
	enum sandbox_network network;
	bool unix_sockets;
	bool openat2;
};

struct seccomp_filter {
	struct sock_fprog prog;
};

/* The filter for such a sandbox; kept for the next one and never freed. */
enum err seccomp_filter_get(const struct seccomp_filter_request *request,
                            const struct seccomp_filter **ret, struct error *e) MUST_USE;

/*
 * Loads it into the calling thread, which has no_new_privs set.  *ret_listener is the listener,
 * or -1 when the filter is not loud.
 */
enum err seccomp_filter_load(const struct seccomp_filter *f, bool loud, int *ret_listener,
                             struct error *e) MUST_USE;

/* What the init answers to a loud call, and the kind of boundary that it hit. */
struct seccomp_filter_decision {
	int err;           /* 0: let it continue, the kernel itself will refuse */
	const char *kind;  /* a word of violation_kind */
	bool is_violation; /* reported as an event */
	bool has_fallback; /* programs try it and have another way */
	int kernel_err;    /* what the kernel answers where err is 0 */
};
/* Flags of clone3() and unshare() that make a namespace. */
#define SECCOMP_FILTER_NAMESPACES                                                                  \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP | CLONE_NEWTIME)

struct seccomp_filter_decision seccomp_filter_evaluate(const struct seccomp_data *call);
bool seccomp_filter_makes_setuid(const struct seccomp_data *call);

/* Writes the call's name into buf, "syscall 999" for an unknown number. */
void seccomp_filter_call_name(int nr, char *buf, size_t size);

#endif
