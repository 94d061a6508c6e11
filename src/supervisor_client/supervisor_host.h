#ifndef SUPERVISOR_CLIENT_SUPERVISOR_HOST_H
#define SUPERVISOR_CLIENT_SUPERVISOR_HOST_H
/*
 * The one supervisor of a runtime on its event loop, for everybody who runs
 * programs: tools, hooks, tool servers.  It is started when the first of them
 * is about to run something, and again when it was lost.
 *
 * A job is one process.  The struct lives inside its owner's; from
 * hand_host_run() on exactly one of `refused`, `exited` and `lost` comes,
 * unless hand_host_drop() was called before.  Callbacks come from the loop;
 * they may run and drop jobs, but not free the host.
 *
 * A job that was started as background (hand_run.is_background) outlives the
 * host: with a directory, the supervisor stays as long as one of them lives,
 * and the next host finds it there and adopts its processes.
 */
#include "base/list.h"
#include "supervisor_client/supervisor_client.h"
#include "supervisor_client/program_guard.h"
#include "net/loop.h"
#include "sandbox/sandbox_plan_make.h"

struct hand_job;
struct hand_job_ops {
	/* The descriptors are the owner's. */
	void (*started)(struct hand_job *j, const struct hand_started *s);
	void (*refused)(struct hand_job *j, const struct hand_refused *r);
	void (*violation)(struct hand_job *j, const struct hand_violation *v); /* may be NULL */
	/* The answer to hand_host_tell().  May be NULL. */
	void (*told)(struct hand_job *j);
	/* Background: so much has been written to its file.  May be NULL. */
	void (*output)(struct hand_job *j, int64_t bytes);
	void (*exited)(struct hand_job *j, const struct hand_exit *x);
	/* The supervisor is gone, and nobody saw how the process ended. */
	void (*lost)(struct hand_job *j);
};

struct hand_job {
	struct list node;
	const struct hand_job_ops *ops;
	struct str id; /* of hand_run.id; the owner keeps it */
	bool is_running, is_background;
};

struct hand_host;
struct hand_host_options {
	struct loop *loop;
	struct str path; /* of thole-supervisor */
	struct str dir;  /* for background processes; absent: there are none */
};

/* Nothing is started yet.  ERR_NOT_FOUND: there is no such program. */
enum err hand_host_open(const struct hand_host_options *o, struct hand_host **ret,
                        struct error *e) MUST_USE;
/*
 * What is running is killed, and gone when this returns; owners are not told.
 * Background processes go on.  NULL is fine.
 */
void hand_host_free(struct hand_host *h);

/* Started and asked what the machine can do; a few milliseconds, once per supervisor. */
enum err hand_host_ready(struct hand_host *h, struct error *e) MUST_USE;
/* After hand_host_ready(); holds as long as hand_host_life() is the same. */
const struct sandbox_host *hand_host_machine(const struct hand_host *h);
uint64_t hand_host_life(const struct hand_host *h);
struct str hand_host_home(const struct hand_host *h); /* absent: none */
/* The supervisor's own program as a cage shows it: file tools are a part of it. */
struct str hand_host_program(const struct hand_host *h);

/* What the agent can write, for everybody who starts programs with more rights; never NULL. */
struct program_guard *hand_host_guard(const struct hand_host *h);

/* Paths that running sandboxes hold with an empty placeholder; strings live in mem. */
void hand_host_placeholders(const struct hand_host *h, struct arena *mem,
                            struct sandbox_paths *ret);

/* After hand_host_ready(). */
void hand_host_run(struct hand_host *h, struct hand_job *j, const struct hand_run *run);
void hand_host_kill(struct hand_host *h, struct hand_job *j, int64_t grace_ms);
/* `told` comes behind every `violation` of what it was refused until now, unless it ends before. */
void hand_host_tell(struct hand_host *h, struct hand_job *j);
/* Nothing is told any more; a process that still runs is killed. */
void hand_host_drop(struct hand_host *h, struct hand_job *j);

/* ---- background ---- */

bool hand_host_has_background(const struct hand_host *h); /* there is a directory for them */
/* Paths that background processes below cwd must not reach any more. */
void hand_host_deny(struct hand_host *h, struct str cwd, const struct sandbox_paths *rules);
/* The end of its input, for good: nobody has the writing end any more. */
void hand_host_close_stdin(struct hand_host *h, struct hand_job *j);
/* Nothing is told any more; the process goes on and can be adopted by the next host. */
void hand_host_leave(struct hand_host *h, struct hand_job *j);
/* What an ended one left in the directory goes. */
void hand_host_forget(struct hand_host *h, struct str id);

enum hand_found {
	HAND_GONE,  /* nobody knows what became of it */
	HAND_RUNS,  /* `started` comes again with its input, later its end */
	HAND_ENDED, /* *ret_exit tells how; nothing more comes */
};
/* A background process of an earlier host; id stays the owner's.  Strings of the exit live in mem. */
enum hand_found hand_host_adopt(struct hand_host *h, struct hand_job *j, struct str id,
                                struct arena *mem, struct hand_exit *ret_exit);
/* Whatever an earlier host left that was not adopted is ended. */
void hand_host_settle(struct hand_host *h);

#endif
