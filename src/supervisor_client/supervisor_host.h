#ifndef SUPERVISOR_CLIENT_SUPERVISOR_HOST_H
#define SUPERVISOR_CLIENT_SUPERVISOR_HOST_H
/*
 * The one supervisor of a runtime on its event loop, for everything that runs programs: tools,
 * hooks, tool servers.  It is started when the first of them is about to run something, and again
 * when it was lost.
 *
 * A job is one process.  The struct lives inside its owner's; from supervisor_host_run() on
 * exactly one of `refused`, `exited` and `lost` comes, unless supervisor_host_drop() was called
 * before.  Callbacks come from the loop; they may run and drop jobs, but not free the host.
 *
 * A job that was started as background (supervisor_run.is_background) outlives the host: with a
 * directory, the supervisor stays as long as one of them lives, and the next host finds it there
 * and adopts its processes.
 */
#include "base/list.h"
#include "net/loop.h"
#include "sandbox/sandbox_plan_make.h"
#include "supervisor_client/program_guard.h"
#include "supervisor_client/supervisor_client.h"

struct supervisor_job;
struct supervisor_job_ops {
	/* The descriptors are the owner's. */
	void (*started)(struct supervisor_job *j, const struct supervisor_started *s);
	void (*refused)(struct supervisor_job *j, const struct supervisor_refused *r);
	void (*violation)(struct supervisor_job *j,
	                  const struct supervisor_violation *v); /* may be NULL */
	/* The answer to supervisor_host_tell().  May be NULL. */
	void (*told)(struct supervisor_job *j);
	/* The answer to supervisor_host_prepare().  May be NULL. */
	void (*prepared)(struct supervisor_job *j, struct json files, struct str why);
	/* Background: so much has been written to its file.  May be NULL. */
	void (*output)(struct supervisor_job *j, int64_t bytes);
	void (*exited)(struct supervisor_job *j, const struct supervisor_exit *x);
	/* The supervisor is gone, so the exit of the process is not known. */
	void (*lost)(struct supervisor_job *j);
};

struct supervisor_job {
	struct list node;
	const struct supervisor_job_ops *ops;
	struct str id; /* of supervisor_run.id; the owner keeps it */
	bool is_running, is_background;
};

struct supervisor_host;
struct supervisor_host_options {
	struct loop *loop;
	struct str path; /* of thole-supervisor */
	struct str dir;  /* for background processes; absent: there are none */
};

/* Nothing is started yet.  ERR_NOT_FOUND: there is no such program. */
enum err supervisor_host_open(const struct supervisor_host_options *o, struct supervisor_host **ret,
                              struct error *e) MUST_USE;
/*
 * Running processes are killed and gone when this returns; no callback is called.  Background
 * processes continue.  NULL is fine.
 */
void supervisor_host_free(struct supervisor_host *h);

/* Started and asked what the machine can do; a few milliseconds, once per supervisor. */
enum err supervisor_host_ready(struct supervisor_host *h, struct error *e) MUST_USE;
/* After supervisor_host_ready(); holds as long as supervisor_host_life() is the same. */
const struct sandbox_host *supervisor_host_machine(const struct supervisor_host *h);
uint64_t supervisor_host_life(const struct supervisor_host *h);
struct str supervisor_host_home(const struct supervisor_host *h); /* absent: none */
/* The supervisor's own program as a sandbox shows it: file tools are a part of it. */
struct str supervisor_host_program(const struct supervisor_host *h);

/* The places that the agent can write, for checks of programs with more rights; never NULL. */
struct program_guard *supervisor_host_guard(const struct supervisor_host *h);

/* Paths that running sandboxes hold with an empty placeholder; strings live in mem. */
void supervisor_host_placeholders(const struct supervisor_host *h, struct arena *mem,
                                  struct sandbox_paths *ret);

/* After supervisor_host_ready(). */
void supervisor_host_run(struct supervisor_host *h, struct supervisor_job *j,
                         const struct supervisor_run *run);
void supervisor_host_kill(struct supervisor_host *h, struct supervisor_job *j, int64_t grace_ms);
/* `told` comes after every `violation` until now, unless the process ends before. */
void supervisor_host_tell(struct supervisor_host *h, struct supervisor_job *j);
/*
 * For a file tool that is about to write what its plan opens: `prepared` comes with the temporary
 * files that no other sandbox can change, unless the process ends before.
 */
void supervisor_host_prepare(struct supervisor_host *h, struct supervisor_job *j);
/* No callback follows; a process that still runs is killed. */
void supervisor_host_drop(struct supervisor_host *h, struct supervisor_job *j);

/* ---- background ---- */

bool supervisor_host_has_background(
	const struct supervisor_host *h); /* there is a directory for them */
/* Paths that background processes below cwd must not reach any more. */
void supervisor_host_deny(struct supervisor_host *h, struct str cwd,
                          const struct sandbox_paths *rules);
/* Closes its input for good: the supervisor drops the last writing end. */
void supervisor_host_close_stdin(struct supervisor_host *h, struct supervisor_job *j);
/* No callback follows; the process continues and the next host can adopt it. */
void supervisor_host_leave(struct supervisor_host *h, struct supervisor_job *j);
/* Removes the files of an ended process from the directory. */
void supervisor_host_forget(struct supervisor_host *h, struct str id);

enum supervisor_found {
	SUPERVISOR_GONE,  /* its exit is not known */
	SUPERVISOR_RUNS,  /* `started` comes again with its input, later its end */
	SUPERVISOR_ENDED, /* *ret_exit is its end; no callback follows */
};
/*
 * A background process of an earlier host; id stays the owner's.  Strings of the exit live in
 * mem.
 */
enum supervisor_found supervisor_host_adopt(struct supervisor_host *h, struct supervisor_job *j,
                                            struct str id, struct arena *mem,
                                            struct supervisor_exit *ret_exit);
/* Ends the processes of an earlier host that were not adopted. */
void supervisor_host_settle(struct supervisor_host *h);

#endif
