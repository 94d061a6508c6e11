#ifndef TOOLS_TOOLS_INT_H
#define TOOLS_TOOLS_INT_H
/* Private to the files of src/tools. */
#include "base/buf.h"
#include "base/list.h"
#include "supervisor_client/supervisor_host.h"
#include "net/stream.h"
#include "tools/tools_cover.h"
#include "tools/tools.h"

#define TOOL_REPORT_MAX (4 << 20)
#define TOOL_BEFORE_MAX (17 << 20) /* above the limit of the file tools */
#define TOOL_LEARNED_MAX 64

/* Which sandbox a tool gets, and how it is run. */
enum tool_need { NEED_READ, NEED_WRITE, NEED_SHELL };
static inline enum tool_need tools_need(const struct tool_info *tool)
{
	return tool->is_command ? NEED_SHELL : tool->is_read_only ? NEED_READ : NEED_WRITE;
}

/* A tier that was refused for these roots, with the reason: the next call gets a weaker one. */
struct learned {
	struct str cwd;
	enum tool_need need;
	enum sandbox_tier tier;
	struct str why;
};

struct tools {
	struct toolset port;
	struct tools_options o;
	enum sandbox_plan_mode mode;
	enum sandbox_network network;
	struct sandbox_paths env, hosts;
	struct arena *mem;
	struct tool_info *infos; /* rows of tools/gen/tools_table.h, without names that are taken */
	size_t count;
	struct str nonce;                 /* for names that cannot be guessed */
	struct tools_cache_watch *caches; /* tools_cache.c */
	char *git_text; /* what the file of git settings holds; NULL: not written yet */

	struct list checkers; /* tools_diagnose.c */
	size_t checker_count;
	struct str language_servers; /* JSON array */
	struct list calls;
	struct list snapshots, background; /* struct tools_snapshot, struct process */
	struct processes processes;
	struct process_sink process_sink;
	void *process_owner;
	struct learned learned[TOOL_LEARNED_MAX]; /* reset when the supervisor restarts */
	size_t learned_count;
	uint64_t learned_life;
	struct arena *learned_mem;
};

/* What to report, in this order: a violation, text, the end. */
struct ending {
	struct tool_violation violation;
	bool has_violation;
	struct str text;
	struct tool_end end;
};

/* The state of the old content that a writing tool reports. */
enum kept { KEPT_NOT, KEPT_NEW, KEPT_GROWING, KEPT_SEALING, KEPT_SAFE, KEPT_FAILED };

typedef void tools_diagnosed(struct tool_handle *h, struct str text);

struct tool_handle {
	struct list node;
	struct supervisor_job job;
	struct tools *tools;
	struct arena *mem;
	struct tool_sink sink;
	void *owner;
	const struct tool_info *row; /* NULL: no such tool */
	struct str id, args_text, cwd, deny, unsaved, restore, resolved;
	struct str process_id, output_ref;
	struct trace_headers trace;
	struct json args;
	struct sandbox_plan plan;
	struct clock_timer timer; /* reports errors from the loop; deadline at the end */

	struct stream *in, *out, *err;
	pid_t pid;
	bool is_running, is_started, is_over, is_lost, is_unasked;
	bool is_out_ended, is_err_ended;
	bool is_paused, is_cancelled, is_busy, is_closed;
	int64_t out_bytes, dropped_bytes;
	struct buf report; /* of a file tool */

	enum kept kept;
	struct blob_writer *writer;
	struct str before_ref;
	struct buf before; /* the old content of the file, or of all files that a command changed */

	struct tools_cover cover;
	struct supervisor_exit exit;
	struct str hosts; /* JSON: those that were reached through the proxy; or absent */
	bool has_blocked; /* something was refused; the first of it: */
	struct str refused_what;

	struct ending ending;
	bool has_ending;
	struct checker *checker; /* that it waits for, or NULL */
	tools_diagnosed *diagnosed;
	struct list checking;
	int64_t check_id;

	struct tool_error
		error; /* why it could not run or was stopped; without a category, it did not fail */
};

const struct tool_info *tools_find(const struct tools *t, struct str name);

/* tools_plan.c: the same for bind() and start(), so that bind() reports what start() uses. */
enum err tools_plan_prepare(struct tools *t, struct arena *mem, const struct tool_start *s,
                            struct json *ret_args, struct str *ret_cwd, struct sandbox_plan *ret,
                            struct error *e) MUST_USE;
void tools_plan_env(struct tools *t, const struct tool_handle *h, struct sandbox_paths *ret);
/* tools_git.c; own must have room for this many more. */
size_t tools_git_env_max(void);
void tools_git_env(struct arena *mem, const struct sandbox_plan *p, struct str cwd, struct str file,
                   bool is_unasked, struct sandbox_paths *own);
/* The reduced settings of the user, as a file that commands can read; absent: none. */
struct str tools_git_file(struct tools *t, struct arena *mem, struct str cwd);
/* What to say after a command line that made commits which the user wants signed; or absent. */
struct str tools_git_unsigned(struct str cwd, struct str command);
/*
 * tools_worktree.c: if cwd is a worktree that thole made, the parts of the
 * repository that a commit there writes, and the repository to read.
 */
void tools_worktree_add(struct tools *t, struct arena *mem, struct str cwd,
                        struct sandbox_paths *read, struct sandbox_paths *write);
/*
 * tools_cache.c: a directory per workspace in which package managers that
 * commands run keep what they downloaded; created if needed.  Absent: none.
 */
/* Is there a place for caches, and is it outside of the workspace? */
bool tools_cache_is_apart(const struct tools *t, struct str cwd);
bool tools_cache_make(struct str dir); /* a directory that only the user can enter */
struct str tools_cache_of(struct tools *t, struct arena *mem, struct str cwd);
/* Variables that lead package managers there; own must have room for this many more. */
size_t tools_cache_env_max(void);
void tools_cache_env(struct arena *mem, struct str dir, struct sandbox_paths *own);
/* Removes caches used longest ago while all are too large, on a thread; none of running commands. */
void tools_cache_trim(struct tools *t); /* after each command */
void tools_cache_open(struct tools *t), tools_cache_close(struct tools *t);
/* The shell for command lines. */
struct str tools_plan_shell(void);
void tools_plan_learn(struct tools *t, const struct tool_handle *h, struct str why);
enum err tools_plan_bind(struct toolset *port, struct arena *mem, const struct tool_start *start,
                         struct tool_sandbox *ret, struct error *e);

/* tools_call.c */
struct tool_handle *tools_call_start(struct toolset *port, const struct tool_start *start,
                                     const struct tool_sink *sink, void *owner);
void tools_call_cancel(struct toolset *port, struct tool_handle *h);
void tools_call_pause(struct toolset *port, struct tool_handle *h);
void tools_call_resume(struct toolset *port, struct tool_handle *h);
void tools_call_drop(struct tool_handle *h); /* no further callbacks */

/* Results of starting the call's background process. */
void tools_call_began(struct tool_handle *h, pid_t pid);
void tools_call_not_begun(struct tool_handle *h, const struct supervisor_refused *r);
void tools_call_lost_before(struct tool_handle *h);
struct tool_violation tools_call_violation_of(struct arena *mem, const struct sandbox_plan *plan,
                                              const struct supervisor_violation *v);

/* Returns false if the call was freed. */
bool tools_call_tell_violation(struct tool_handle *h, const struct tool_violation *v) MUST_USE;
void tools_call_fail(struct tool_handle *h, struct tool_error error);
/* tools_end.c */
void tools_end_fill(struct tool_handle *h, struct ending *ret);
/* Of a process that we did not stop. */
enum process_exit tools_end_exit_by_cause(const struct supervisor_exit *x);

/* tools_process.c */
extern const struct process_ops tools_process_ops;
/* The rest of run is filled in.  One of tools_call_began(), tools_call_not_begun(), tools_call_lost_before() follows. */
void tools_process_begin(struct tool_handle *h, struct str process_id, struct str file,
                         struct supervisor_run *run);
void tools_process_abandon(struct tool_handle *h); /* kills what the call was starting */
void tools_process_leave_all(struct tools *t);     /* they continue without the runtime */

/* tools_diagnose.c.  begin: true if `done` follows, unless the call is dropped; its text may be absent. */
enum err tools_diagnose_open(struct tools *t, struct json servers, struct error *e) MUST_USE;
bool tools_diagnose_begin(struct tool_handle *h, tools_diagnosed *done);
int64_t tools_diagnose_patience(const struct tools *t);
void tools_diagnose_drop(struct tool_handle *h);
void tools_diagnose_close(struct tools *t);

/* tools_deny.c: whether the sandbox refused this */
bool tools_deny_file(struct tool_handle *h, struct str operation, struct str path,
                     struct str err_name, struct tool_violation *ret);
/* Adds advice on how to allow a refused file. */
void tools_deny_advise(struct arena *mem, const struct sandbox_plan *p, struct tool_violation *v);

#endif
