#ifndef EXEC_HAND_HOST_H
#define EXEC_HAND_HOST_H
/*
 * The one supervisor of a runtime on its event loop, for everybody who runs
 * programs: tools, hooks, tool servers.  It is started when the first of them
 * is about to run something, and again when it was lost.
 *
 * A job is one process.  The struct lives inside its owner's; from
 * hand_host_run() on exactly one of `refused`, `exited` and `lost` comes,
 * unless hand_host_drop() was called before.  Callbacks come from the loop;
 * they may run and drop jobs, but not free the host.
 */
#include "base/list.h"
#include "exec/hand_client.h"
#include "net/loop.h"

struct hand_job;
struct hand_job_ops {
	/* The descriptors are the owner's. */
	void (*started)(struct hand_job *j, const struct hand_started *s);
	void (*refused)(struct hand_job *j, const struct hand_refused *r);
	void (*violation)(struct hand_job *j, const struct hand_violation *v); /* may be NULL */
	void (*exited)(struct hand_job *j, const struct hand_exit *x);
	/* The supervisor is gone, and nobody saw how the process ended. */
	void (*lost)(struct hand_job *j);
};

struct hand_job {
	struct list node;
	const struct hand_job_ops *ops;
	struct str id; /* of hand_run.id; the owner keeps it */
	bool is_running;
};

struct hand_host;
struct hand_host_options {
	struct loop *loop;
	struct str path; /* of thole-hand */
};

/* Nothing is started yet.  ERR_NOT_FOUND: there is no such program. */
enum err hand_host_open(const struct hand_host_options *o, struct hand_host **ret,
                        struct error *e) MUST_USE;
/* What is running is killed, and gone when this returns; owners are not told.  NULL is fine. */
void hand_host_free(struct hand_host *h);

/* Started and asked what the machine can do; a few milliseconds, once per supervisor. */
enum err hand_host_ready(struct hand_host *h, struct error *e) MUST_USE;
/* After hand_host_ready(); holds as long as hand_host_life() is the same. */
const struct sandbox_host *hand_host_machine(const struct hand_host *h);
uint64_t hand_host_life(const struct hand_host *h);
struct str hand_host_home(const struct hand_host *h); /* absent: none */
/* The supervisor's own program as a cage shows it: file tools are a part of it. */
struct str hand_host_program(const struct hand_host *h);

/* After hand_host_ready(). */
void hand_host_run(struct hand_host *h, struct hand_job *j, const struct hand_run *run);
void hand_host_kill(struct hand_host *h, struct hand_job *j, int64_t grace_ms);
/* Nothing is told any more; a process that still runs is killed. */
void hand_host_drop(struct hand_host *h, struct hand_job *j);

#endif
