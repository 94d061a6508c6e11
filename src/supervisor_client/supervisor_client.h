#ifndef SUPERVISOR_CLIENT_SUPERVISOR_CLIENT_H
#define SUPERVISOR_CLIENT_SUPERVISOR_CLIENT_H
/*
 * The runtime's side of thole-supervisor, the parent of every process that the runtime starts.
 * The protocol is described in supervisor/supervisor.h.
 *
 * Nothing here blocks and nothing here knows an event loop: the owner of one watches
 * supervisor_client_fd() for reading, and for writing as long as supervisor_client_wants_write()
 * says so, and then calls supervisor_client_step().  Callbacks come from supervisor_client_step()
 * only; a callback may call anything but supervisor_client_free().
 *
 * Descriptors in a callback belong to its receiver, which closes them; -1 is none.  Strings live
 * until the callback returns.
 *
 * For each requested process exactly one of `refused`, `exited` and (for all of them at once)
 * `gone` comes.  After `gone` a process that was not background is dead or being killed by its
 * init; a background one may live if the supervisor does: supervisor_client_attach() finds out.
 */
#include "sandbox/sandbox_plan.h"

#include <sys/types.h>

struct supervisor_started {
	struct str id;
	pid_t pid;
	int pidfd, stdin_fd, stdout_fd, stderr_fd, pty_fd;
	struct str stdout_path, stderr_path; /* background: where its output goes */
};

struct supervisor_refused {
	struct str id;   /* absent when no process was meant */
	struct str kind; /* protocol, plan, cage, spawn */
	struct str reason;
	struct str err_name; /* EACCES, or absent */
	bool is_unsupported; /* this machine, or these roots, do not allow such a sandbox */
	int64_t req;         /* of the request that it answers, 0: none */
};

struct supervisor_exit {
	bool is_known; /* false: its end was seen, its exit code was not */
	bool has_code;
	int code;
	struct str signal; /* SIGTERM, absent unless a signal ended it */
	struct str cause;  /* exit, killed, timeout, inactivity, memory, processes, lost */
	bool is_escalated;
	int64_t survivors; /* -1: not known */
	int64_t duration_ms, max_rss_bytes, cpu_ms;
	bool was_full; /* as many processes as it may have were seen */
	int64_t stdout_bytes, stderr_bytes, dropped_bytes; /* background */
	struct json
		hosts; /* reached through the proxy: host, port, count; lives as the strings do */
};

struct supervisor_violation {
	struct str id, kind, operation, call, path, host, err_name;
	struct str rule, address; /* of the proxy, where call is absent */
	int64_t port, count;
	bool is_blocked;
	bool has_fallback; /* programs try it and have another way */
};

/* One line of a list. */
struct supervisor_process {
	struct str id, state; /* starting, running, exited */
	bool is_background;
	pid_t pid;
	int64_t started_at_ms;
	struct str stdout_path, stderr_path;
	int64_t stdout_bytes, stderr_bytes;
	struct supervisor_exit exit; /* when exited */
};

struct supervisor_client_ops {
	void (*ready)(void *owner, pid_t hand_pid);
	void (*started)(void *owner, const struct supervisor_started *s);
	void (*refused)(void *owner, const struct supervisor_refused *r);
	void (*violation)(void *owner, const struct supervisor_violation *v);
	void (*output)(void *owner, struct str id, int64_t stdout_bytes, int64_t stderr_bytes);
	void (*exited)(void *owner, struct str id, const struct supervisor_exit *x);
	/* Once per process, then once with NULL: the end of the list. */
	void (*listed)(void *owner, const struct supervisor_process *p);
	void (*probed)(void *owner, struct json host);
	/* Input of a background process, again. */
	void (*opened)(void *owner, const struct supervisor_started *s);
	void (*done)(void *owner, int64_t req);
	void (*gone)(void *owner);
	/* All refusals of the process until the request have been reported. */
	void (*told)(void *owner, struct str id);
	/*
	 * The answer to supervisor_client_prepare(): files is a list of entry, temp, isDirectory;
	 * why is absent, or the reason for which there are none.
	 */
	void (*prepared)(void *owner, struct str id, struct json files, struct str why);
};

struct supervisor_client;

struct supervisor_options {
	const char *path;   /* of the program; its owner and mode are checked */
	const char *dir;    /* for background processes, or NULL */
	const char *cgroup; /* delegated cgroup v2 directory, or NULL */
};

/* Starts a new supervisor.  All ops must be set. */
enum err supervisor_client_start(const struct supervisor_options *o,
                                 const struct supervisor_client_ops *ops, void *owner,
                                 struct supervisor_client **ret, struct error *e) MUST_USE;

/*
 * Finds the supervisor that an earlier daemon left in dir.  ERR_NOT_FOUND: there is none, so its
 * background processes are lost.  Its list comes by `listed`.
 */
bool supervisor_client_is_there(const char *dir); /* there seems to be one */
enum err supervisor_client_attach(const char *dir, const struct supervisor_client_ops *ops,
                                  void *owner, struct supervisor_client **ret,
                                  struct error *e) MUST_USE;

/*
 * Ends the conversation.  What is not background is killed by the supervisor;
 * wait_ms is how long to wait here for the supervisor's own end (0: not at
 * all; it is reaped by init then).  NULL is fine.
 */
void supervisor_client_free(struct supervisor_client *c, int wait_ms);

int supervisor_client_fd(const struct supervisor_client *c); /* -1 once it is gone */
bool supervisor_client_wants_write(const struct supervisor_client *c);
void supervisor_client_step(struct supervisor_client *c);

struct supervisor_run {
	struct str id;
	const struct sandbox_plan *plan;
	struct sandbox_paths argv, env;
	bool stdin_pipe; /* else /dev/null */
	bool pty;
	int rows, cols;
	bool is_background;
	bool is_merged; /* errors come with the output, in the order they were written */
	struct str
		/* background: the file to be made for its output; absent: the supervisor's */
		spool;
};

/*
 * Requests.  They are gathered and go out at once as far as the kernel takes
 * them; answers come by callback.  Each returns the number that `done` or
 * `refused` repeats.
 */
int64_t supervisor_client_run(struct supervisor_client *c, const struct supervisor_run *r);
int64_t supervisor_client_signal(struct supervisor_client *c, struct str id, int signum);
int64_t supervisor_client_kill(struct supervisor_client *c, struct str id, int64_t grace_ms);
/* Rules that background processes below cwd keep from now on (struct sandbox_plan.deny_rules). */
int64_t supervisor_client_deny(struct supervisor_client *c, struct str cwd,
                               const struct sandbox_paths *rules);
int64_t supervisor_client_tell(struct supervisor_client *c, struct str id); /* `told` answers */
/* Of a file tool, for what its plan opens; `prepared` answers. */
int64_t supervisor_client_prepare(struct supervisor_client *c, struct str id);
int64_t supervisor_client_close_stdin(struct supervisor_client *c, struct str id); /* background */
int64_t supervisor_client_open(struct supervisor_client *c, struct str id);        /* background */
int64_t supervisor_client_forget(struct supervisor_client *c, struct str id);
int64_t supervisor_client_list(struct supervisor_client *c);
/* home: whose toolchains commands may read; may be absent. */
int64_t supervisor_client_probe(struct supervisor_client *c, struct str home);
int64_t supervisor_client_quit(struct supervisor_client *c, int64_t grace_ms);

/*
 * The exit of a background process that ended without a daemon, from
 * dir/spool/ID.json.  ERR_NOT_FOUND: it did not end in order.
 */
enum err supervisor_client_exit_record(struct arena *mem, const char *dir, struct str id,
                                       struct supervisor_exit *ret, struct error *e) MUST_USE;

#endif
