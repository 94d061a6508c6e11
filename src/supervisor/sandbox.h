#ifndef SUPERVISOR_SANDBOX_H
#define SUPERVISOR_SANDBOX_H
/*
 * One sandbox: an init that builds it, starts the command in it, and stays.
 *
 *	supervisor ──clone──► init ──clone──► command ──► what it starts
 *	     ▲                  │
 *	     └── struct report ─┘      one socket; its end means: kill everything
 *
 * The init is process 1 of a pid namespace where there is one, so the kernel ends everything
 * inside with it.  Without one, it is the subreaper of the command's process tree and kills the
 * tree itself.
 *
 * Nothing is executed before the sandbox is closed, and nothing but execve() evaluates the call's
 * environment before that.
 */
#include "supervisor/files/protected_paths.h"
#include "supervisor/files/rootfs.h"
#include "supervisor/probe.h"

enum sandbox_stdin { STDIN_CLOSED, STDIN_PIPE, STDIN_TTY };

struct sandbox_request {
	const struct sandbox_plan *plan;
	char *const *argv; /* NULL at the end; argv[0] is looked up in PATH of envp */
	char *const *envp;
	int stdin_fd, stdout_fd, stderr_fd; /* unused (-1) with a terminal */
	bool pty;
	unsigned short rows, cols;
	/* closed in this order, if they are there, when everything else is mounted */
	const struct shield *late;
	size_t late_count;
};

struct sandbox {
	pid_t pid; /* of the init, on the host */
	int pidfd;
	int ctl_fd; /* struct report comes, struct order goes; nonblocking */
	bool has_own_pids;
	bool maps_owners; /* what the owner of a root has on disk, the command may change */
	struct protected_paths protected;
	int cgroup_fd;
	struct str cgroup;
};

/* ---- what init and supervisor say to each other: one struct per packet ---- */

enum report_kind {
	REPORT_LISTENING, /* carries the socket on which the proxy will accept */
	REPORT_STARTED,
	REPORT_REFUSED,
	REPORT_VIOLATION,
	REPORT_STAGED,
	REPORT_EXITED
};
enum sandbox_cause {
	CAUSE_EXIT,
	CAUSE_KILLED,
	CAUSE_TIMEOUT,
	CAUSE_MEMORY,
	CAUSE_PROCESSES,
	CAUSE_SILENCE,
	CAUSE_LOST
};

struct report {
	enum report_kind kind;
	union {
		struct { /* with it come the command's pidfd and, if asked for, its terminal */
			bool has_pty;
			pid_t pid; /* on the host, as sandbox_report() gives it */
		} started;
		struct {
			struct error error;
			/* the sandbox was complete; the program could not be executed */
			bool is_spawn;
		} refused;
		struct {
			char kind[16], path[256], host[256];
			char call[32];      /* empty: the proxy refused it, and rule says why */
			char operation[16]; /* of a file: read, list, write; empty: the call */
			char rule[48], address[64];
			int port, os_errno;
			/* the sandbox does not show it: reported if it exists outside */
			bool is_hidden;
			/* hidden: the file itself must be there, not only its directory */
			bool is_file;
			bool has_fallback; /* programs try it and have another way */
			uint32_t count;
		} violation;
		struct { /* the answer to ORDER_STAGED */
			uint64_t round;
			enum rootfs_staged answer;
		} staged;
		struct {
			int status; /* as of waitpid(), of the command itself */
			enum sandbox_cause cause;
			uint32_t survivors;
			bool was_full; /* it had as many processes as it may */
			int64_t max_rss_bytes, cpu_ms;
		} exited;
	};
};

/*
 * GO: the maps are written.  SIGNAL: to the group of the command.  SIGNAL_ALL: to every process inside.  END:
 * kill everything.  COVER: with it comes a file of shields (protected_paths_write) that must be
 * mounted from now on.  STAGED: with it comes a struct staged_order; REPORT_STAGED answers.
 */
enum order_kind { ORDER_GO, ORDER_SIGNAL, ORDER_SIGNAL_ALL, ORDER_END, ORDER_COVER, ORDER_STAGED };
struct order {
	enum order_kind kind;
	int signum;
	enum sandbox_cause cause;
};

/* Close what is in a closed directory and will be in `parent`: rootfs_close_staged(). */
struct staged_order {
	uint64_t round; /* the report repeats it */
	dev_t dev, parent_dev;
	ino_t ino, parent_ino;
	char name[64], parent[4096];
};

const char *sandbox_cause_name(enum sandbox_cause c);

/*
 * Builds the sandbox as far as the host's side goes and starts its init; the
 * rest is reported.  The request is not needed afterwards (the child has its
 * own copy), but mem must live as long as the sandbox.
 */
enum err sandbox_start(struct arena *mem, const struct host *h, const struct sandbox_request *r,
                       struct sandbox *ret, struct error *e) MUST_USE;
bool sandbox_order(struct sandbox *c, struct order o);
/*
 * Closes the paths of deny rules again in a running sandbox: those that were replaced or created
 * since.  mem is for the new paths and must live as long as the sandbox.  False: not all of them
 * are closed, so the sandbox must end.
 */
bool sandbox_protect_again(struct sandbox *c, struct arena *mem,
                           const struct sandbox_plan *p) MUST_USE;
/* False: the init is gone, and no report follows. */
bool sandbox_close_staged(struct sandbox *c, const struct staged_order *o) MUST_USE;
/*
 * False when there is none (errno EAGAIN) or the init is gone.  Descriptors
 * that came along: the command's pidfd and terminal, or the proxy's socket.
 */
bool sandbox_report(struct sandbox *c, struct report *ret, int ret_fds[2]);

/* After the init was reaped: placeholders, temporary directory and cgroup go. */
void sandbox_done(struct sandbox *c, const struct sandbox_plan *p);

/* ---- for sandbox.c and sandbox_init.c ---- */

struct sandbox_inner {
	const struct host *host;
	const struct sandbox_request *req;
	const struct protected_paths *protected;
	const struct seccomp_filter *filter; /* NULL in tier none */
	bool is_loud;
	const int *write_fds, *read_fds; /* mounts made outside, or NULL */
	int ctl_fd;
	uid_t uid; /* inside */
	gid_t gid;
	bool mapped_outside;  /* ORDER_GO says that the maps are written */
	bool watch;           /* a limit is enforced by nothing else */
	bool watch_processes; /* one of them grows fast */
	bool is_memory_kept;  /* by a cgroup or by the init's checks */
	int64_t processes_before;
};
NORETURN void sandbox_init_run(struct sandbox_inner *in);

/* A number that owns nothing on the host: what real root's commands are outside. */
#define SANDBOX_OUTSIDE_UID 61183

#endif
