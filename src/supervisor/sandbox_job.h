#ifndef SUPERVISOR_SANDBOX_JOB_H
#define SUPERVISOR_SANDBOX_JOB_H
/*
 * One command from its request to the proof that no process of it is left.
 *
 *	sandbox_job_start ──► refused            nothing has run
 *	     │
 *	     └──────► started ──► exited         exited comes after the init was
 *	                 │  ▲                    reaped: in a pid namespace the kernel
 *	                 └──┘ violation          guarantees that all are dead by then
 *
 * `refused` comes from sandbox_job_start's own return or later by callback, once.  After refused
 * or exited the owner calls sandbox_job_free().
 */
#include "base/os/id.h"
#include "base/jw.h"
#include "supervisor/egress/egress.h"
#include "supervisor/event_loop.h"
#include "supervisor/sandbox.h"
#include "supervisor/spool.h"

#define SANDBOX_JOB_ARGS_MAX 4096
#define SANDBOX_JOB_ARG_BYTES_MAX 131072 /* the kernel's limit for one string (MAX_ARG_STRLEN) */

struct sandbox_job_request {
	struct str id;
	struct sandbox_plan plan;
	struct sandbox_paths argv, env;
	enum sandbox_stdin stdin_is;
	bool pty;
	unsigned short rows, cols;
	bool background;
	bool is_merged;   /* stderr goes into the same pipe as stdout */
	struct str spool; /* background: the file that takes its output; absent: one of ours */
	const struct shield *late; /* of struct sandbox_request; not read after the start */
	size_t late_count;
};

enum err sandbox_job_request_read(struct arena *mem, struct json v, struct sandbox_job_request *ret,
                                  struct error *e) MUST_USE;

struct sandbox_job;
struct sandbox_job_owner {
	/*
	 * All callbacks come from the loop.  `exited` and `refused` may free the job; the others
	 * must not.
	 */
	void (*started)(struct sandbox_job *r);
	void (*refused)(struct sandbox_job *r, const struct error *e, bool is_spawn);
	void (*violation)(struct sandbox_job *r, const struct report *v);
	void (*output)(struct sandbox_job *r); /* a spool grew */
	/* May be NULL: the answer to sandbox_close_staged(). */
	void (*staged)(struct sandbox_job *r, uint64_t round, enum rootfs_staged answer);
	void (*exited)(struct sandbox_job *r);
};

struct sandbox_job {
	struct list node;
	struct event_loop *loop;
	const struct sandbox_job_owner *owner;
	void *arg;
	struct arena *mem;
	struct sandbox_job_request req;
	struct sandbox sandbox;
	struct event_loop_watch ctl, init; /* reports; the end of the init */
	struct egress egress;              /* the proxy for the hosts of the plan */
	struct list denying;               /* in the list of jobs with deny rules */
	/* Of the protected paths after they were prepared again; NULL: mem holds them. */
	struct arena *protected_mem;
	/*
	 * deadline: limits.timeout_ms.  grace: the steps of an end.  silence:
	 * limits.inactivity_ms.
	 */
	struct alarm deadline, grace, silence;

	/* Descriptors for the owner, who may take one and set it to -1; -1: none. */
	int stdin_fd, stdout_fd, stderr_fd, pty_fd, command_fd;
	pid_t pid; /* of the command, on the host; 0 until started */

	struct event_loop_watch out, err; /* background: into the spools */
	struct spool out_spool, err_spool;
	struct str out_path, err_path; /* absent: not spooled */
	struct str exit_record_path;

	bool is_started, is_ended, is_escalated, is_refused;
	bool output_is_news;      /* for the owner's use */
	enum sandbox_cause cause; /* the first reason for which the supervisor ends it */
	/* Monotonic, but for started_wall_ms; heard_ms is the time of the last output. */
	int64_t started_ms, started_wall_ms, duration_ms, heard_ms;
	struct report exit; /* kind REPORT_EXITED once the init reported the end itself */
};

/*
 * Takes over nothing of mem: everything needed is copied.  spool_dir is for
 * background runs.  On failure nothing runs and nothing is to be freed.
 */
enum err sandbox_job_start(struct event_loop *l, const struct host *h,
                           const struct sandbox_job_request *req, const char *spool_dir,
                           const struct sandbox_job_owner *owner, void *arg,
                           struct sandbox_job **ret, struct error *e) MUST_USE;
void sandbox_job_signal(struct sandbox_job *r, int signum);
/*
 * SIGTERM to the whole tree; after grace_ms everything is killed.  A second call can only shorten
 * the time.
 */
void sandbox_job_kill(struct sandbox_job *r, int64_t grace_ms, enum sandbox_cause cause);
/*
 * Adds deny rules to a running job.  A sandbox that cannot enforce them (it has no mounts) ends.
 */
void sandbox_job_deny(struct sandbox_job *r, const struct sandbox_paths *rules);
void sandbox_job_free(struct sandbox_job *r);
/*
 * Removes the job's files: all of them when nothing has run, otherwise those that belong to the
 * supervisor.
 */
void sandbox_job_unlink(struct sandbox_job *r, bool nothing_has_run);

/* Members of an object: exitCode or signal, cause, survivors, durations, sizes. */
void sandbox_job_write_exit(struct json_writer *w, const struct sandbox_job *r);
/* Members of an object: kind, operation, syscall, path, host, port, rule, errno, blocked, count. */
void sandbox_job_write_violation(struct json_writer *w, const struct report *v);
const char *sandbox_job_stdin_name(const struct sandbox_job_request *req);

#endif
