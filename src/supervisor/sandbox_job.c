/*
 * One command: reads its request, starts its sandbox, follows its reports and its output,
 * enforces its times, and ends only when no process of it is left.
 *
 * An end takes up to three steps, each only if the one before did not suffice:
 *
 *	SIGTERM to the tree ──grace──► ORDER_END to the init ──INSIST_MS──► SIGKILL to the init
 */
#include "supervisor/sandbox_job.h"

#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/sys.h"
#include "supervisor/files/path_index.h"
#include "supervisor/kernel/process_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* For a command that reached its deadline or wrote no output for too long. */
#define TIMEOUT_GRACE_MS 2000
#define INSIST_MS 3000 /* an init that does not obey ORDER_END by then is killed */

/* ---- the request ---- */

const char *sandbox_job_stdin_name(const struct sandbox_job_request *req)
{
	return req->pty ? "tty" : req->stdin_is == STDIN_PIPE ? "pipe" : "closed";
}

/* Must run before read_stdin(), which accepts "tty" only with a terminal. */
static enum err read_pty(struct json v, struct sandbox_job_request *q, struct error *e)
{
	int64_t rows = json_int(JSON_GET(v, "rows"), 24), cols = json_int(JSON_GET(v, "cols"), 80);

	if (!json_is(v) || (json_type(v) == JSON_BOOL && !json_bool(v, false)))
		return OK;
	if (json_type(v) != JSON_OBJ || rows < 1 || rows > 10000 || cols < 1 || cols > 10000)
		return fail(e, ERR_INVALID,
		            "pty: expected {\"rows\":1 to 10000,\"cols\":1 to 10000}");
	q->pty = true;
	q->rows = (unsigned short)rows;
	q->cols = (unsigned short)cols;
	q->stdin_is = STDIN_TTY;
	return OK;
}

static enum err read_stdin(struct json v, struct sandbox_job_request *q, struct error *e)
{
	struct str s = json_str(v);

	if (!json_is(v) || str_eq(s, STR("closed")) || str_eq(s, STR("null")))
		return OK;
	if (str_eq(s, STR("pipe")))
		q->stdin_is = STDIN_PIPE;
	else if (!str_eq(s, STR("tty")) || !q->pty)
		return fail(e, ERR_INVALID, "stdin: expected closed or pipe, or tty with pty");
	return OK;
}

static enum err read_stderr(struct json v, struct sandbox_job_request *q, struct error *e)
{
	struct str s = json_str(v);

	q->is_merged = str_is(s) && str_eq(s, STR("stdout"));
	if (!json_is(v) || q->is_merged || (str_is(s) && str_eq(s, STR("pipe"))))
		return OK;
	return fail(e, ERR_INVALID, "stderr: expected pipe or stdout");
}

/*
 * The daemon names a file behind an output ref (docs/decisions/0010).  Only background processes
 * are spooled; the output of others goes to the daemon through pipes.
 */
static enum err read_spool(struct arena *mem, struct json v, struct sandbox_job_request *q,
                           struct error *e)
{
	struct str path = json_str(v);

	if (!json_is(v))
		return OK;
	if (!q->background || !path.len || path.ptr[0] != '/' || memchr(path.ptr, 0, path.len))
		return fail(e, ERR_INVALID, "spool: expected an absolute path, with background");
	q->spool = arena_keep(mem, path);
	return OK;
}

/*
 * An unknown member might be a restriction that a newer daemon relies on.  Such a request is
 * refused, because running it without that restriction would be weaker than the daemon believes.
 */
static enum err check_names(struct json v, struct error *e)
{
	static const char *const known[] = { "type",  "req", "id",         "argv",   "env",  "plan",
		                             "stdin", "pty", "background", "stderr", "spool" };
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	while (json_next(&it, &key, &item)) {
		bool is_known = false;

		for (size_t i = 0; i < COUNT_OF(known); i++)
			is_known |= str_eq(key, str_from(known[i]));
		if (!is_known)
			return fail(e, ERR_UNSUPPORTED,
			            "run: \"%.*s\" is not known, so it could not be kept",
			            STR_ARG(str_head(key, 64)));
	}
	return OK;
}

/*
 * The sizes are checked here, before anything is cloned: execve() in the child would report a
 * long argument only after the sandbox is built.
 */
enum err sandbox_job_request_read(struct arena *mem, struct json v, struct sandbox_job_request *ret,
                                  struct error *e)
{
	struct sandbox_job_request q = { .id = arena_keep(mem, json_str(JSON_GET(v, "id"))) };
	struct json env = JSON_GET(v, "env");
	enum err err = check_names(v, e);

	if (!err && !id_is_valid(q.id))
		err = fail(e, ERR_INVALID, "id: missing or not an id");
	if (!err)
		err = sandbox_plan_read_strings(mem, JSON_GET(v, "argv"), "argv",
		                                SANDBOX_JOB_ARGS_MAX, SANDBOX_JOB_ARG_BYTES_MAX,
		                                &q.argv, e);
	if (!err && (!q.argv.count || !q.argv.at[0].len))
		err = fail(e, ERR_INVALID, "argv: nothing to execute");
	if (!err && json_is(env))
		err = sandbox_plan_read_strings(mem, env, "env", SANDBOX_JOB_ARGS_MAX,
		                                SANDBOX_JOB_ARG_BYTES_MAX, &q.env, e);
	for (size_t i = 0; i < q.env.count && !err; i++)
		if (str_find_char(q.env.at[i], '=') <= 0)
			err = fail(e, ERR_INVALID, "env[%zu]: not NAME=value", i);
	if (!err)
		err = read_pty(JSON_GET(v, "pty"), &q, e);
	if (!err)
		err = read_stdin(JSON_GET(v, "stdin"), &q, e);
	if (!err)
		err = read_stderr(JSON_GET(v, "stderr"), &q, e);
	if (!err)
		err = sandbox_plan_read(mem, JSON_GET(v, "plan"), &q.plan, e);
	q.background = json_bool(JSON_GET(v, "background"), false);
	if (!err)
		err = read_spool(mem, JSON_GET(v, "spool"), &q, e);
	if (!err)
		*ret = q;
	return err;
}

/* ---- keeping a copy ---- */

static struct sandbox_paths keep_list(struct arena *mem, const struct sandbox_paths *l)
{
	struct sandbox_paths copy = { ARENA_ARRAY(mem, struct str, l->count + 1), l->count };

	for (size_t i = 0; i < l->count; i++)
		copy.at[i] = arena_keep(mem, l->at[i]);
	return copy;
}

/*
 * The request points into the arena of one packet, which is reset before the sandbox is ready.
 * Every string of the plan that is used later must be copied here.
 */
static struct sandbox_job_request keep_request(struct arena *mem,
                                               const struct sandbox_job_request *q)
{
	struct sandbox_job_request c = *q;

	c.id = arena_keep(mem, q->id);
	c.spool = arena_keep(mem, q->spool);
	c.argv = keep_list(mem, &q->argv);
	c.env = keep_list(mem, &q->env);
	c.plan.cwd = arena_keep(mem, q->plan.cwd);
	c.plan.tmp_dir = arena_keep(mem, q->plan.tmp_dir);
	c.plan.home = arena_keep(mem, q->plan.home);
	c.plan.user = arena_keep(mem, q->plan.user);
	c.plan.read_roots = keep_list(mem, &q->plan.read_roots);
	c.plan.write_roots = keep_list(mem, &q->plan.write_roots);
	c.plan.private_dirs = keep_list(mem, &q->plan.private_dirs);
	c.plan.protected_paths = keep_list(mem, &q->plan.protected_paths);
	c.plan.opened_paths = keep_list(mem, &q->plan.opened_paths);
	c.plan.denied_paths = keep_list(mem, &q->plan.denied_paths);
	c.plan.deny_rules = keep_list(mem, &q->plan.deny_rules);
	c.plan.allow = keep_list(mem, &q->plan.allow);
	return c;
}

static bool is_same_name(struct str a, struct str b)
{
	ptrdiff_t at = str_find_char(b, '=');

	return at > 0 && str_starts(a, str_head(b, (size_t)at + 1));
}

/*
 * The strings of both lists for execve(), with NULL at the end.  A variable of `extra` replaces
 * one of the same name in `l`, so a call cannot hide the proxy or the temporary directory from
 * its command.
 */
static char **exec_strings(struct arena *mem, const struct sandbox_paths *l,
                           const struct sandbox_paths *extra)
{
	char **p = ARENA_ARRAY(mem, char *, l->count + extra->count + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++) {
		bool is_replaced = false;

		for (size_t k = 0; k < extra->count; k++)
			is_replaced |= is_same_name(l->at[i], extra->at[k]);
		if (!is_replaced)
			p[n++] = (char *)l->at[i].ptr;
	}
	for (size_t k = 0; k < extra->count; k++)
		p[n++] = (char *)extra->at[k].ptr;
	return p;
}

/*
 * Variables that the supervisor sets itself: how to reach the proxy, or the temporary directory
 * of a tier without a private /tmp.  Hosts need namespaces, and sandbox_plan_make() names a
 * tmp_dir only without them, so at most one branch applies.
 */
static struct sandbox_paths sandbox_variables(struct arena *mem, const struct sandbox_plan *p)
{
	struct sandbox_paths l = { 0 };

	if (p->allow.count) {
		proxy_env(mem, &p->allow, &l);
	} else if (str_is(p->tmp_dir)) {
		l.at = ARENA_ARRAY(mem, struct str, 1);
		l.at[l.count++] = arena_printf(mem, "TMPDIR=%s", p->tmp_dir.ptr);
	}
	return l;
}

/* ---- what comes from the sandbox ---- */

static void on_deadline(struct alarm *a)
{
	sandbox_job_kill(OWNER_OF(a, struct sandbox_job, deadline), TIMEOUT_GRACE_MS,
	                 CAUSE_TIMEOUT);
}

/*
 * The alarm is not moved at every byte of output: when it rings, it computes how long the process
 * was silent and is set again for the rest.
 */
static void on_silence(struct alarm *a)
{
	struct sandbox_job *r = OWNER_OF(a, struct sandbox_job, silence);
	int64_t left = r->heard_ms + r->req.plan.limits.inactivity_ms - clock_mono_ms();

	if (left > 0)
		event_loop_alarm(r->loop, a, left, on_silence);
	else
		sandbox_job_kill(r, TIMEOUT_GRACE_MS, CAUSE_SILENCE);
}

/* Dropped bytes count as a sign of life too: a process above its output limit is not silent. */
static void on_spool(struct event_loop_watch *w, struct spool *s, struct sandbox_job *r)
{
	int64_t before = s->written + s->dropped;
	bool is_open = spool_pump(s, w->fd);

	if (!is_open)
		event_loop_unwatch(r->loop, w);
	if (s->written + s->dropped == before)
		return;
	r->heard_ms = clock_mono_ms();
	if (r->owner->output)
		r->owner->output(r);
}

static void on_out(struct event_loop_watch *w)
{
	struct sandbox_job *r = OWNER_OF(w, struct sandbox_job, out);

	on_spool(w, &r->out_spool, r);
}

static void on_err(struct event_loop_watch *w)
{
	struct sandbox_job *r = OWNER_OF(w, struct sandbox_job, err);

	on_spool(w, &r->err_spool, r);
}

/* The owner keeps the terminal for input; the job reads output from a second descriptor of it. */
static void spool_pty(struct sandbox_job *r)
{
	int copy = fcntl(r->pty_fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return;
	/* applies to both descriptors: they share one open file */
	fcntl(copy, F_SETFL, O_NONBLOCK);
	event_loop_watch(r->loop, &r->out, copy, on_out);
}

/*
 * The times start when the command is executed, so building the sandbox does not count against
 * its deadline.
 */
static void on_started(struct sandbox_job *r, pid_t pid, int pidfd, int pty)
{
	r->is_started = true;
	r->command_fd = pidfd;
	r->pty_fd = pty;
	r->pid = pid;
	r->started_ms = r->heard_ms = clock_mono_ms();
	r->started_wall_ms = clock_wall_ms();
	if (r->req.plan.limits.timeout_ms)
		event_loop_alarm(r->loop, &r->deadline, r->req.plan.limits.timeout_ms, on_deadline);
	if (r->req.background && r->req.plan.limits.inactivity_ms)
		event_loop_alarm(r->loop, &r->silence, r->req.plan.limits.inactivity_ms,
		                 on_silence);
	if (r->req.background && pty >= 0)
		spool_pty(r);
	r->owner->started(r);
}

/*
 * The init reports a path that its tree does not show as hidden; it cannot see whether the path
 * exists on the host.  The supervisor can.  A path that does not exist outside either was not
 * refused by the sandbox, so it is no violation.
 */
static bool is_real(const struct report *r)
{
	char parent[sizeof r->violation.path];
	struct stat st;
	char *name;

	if (!r->violation.is_hidden)
		return true;
	memcpy(parent, r->violation.path, sizeof parent);
	if (r->violation.is_file)
		return lstat(parent, &st) == 0;
	name = strrchr(parent, '/');
	if (!name)
		return false;
	*name = 0;
	return stat(*parent ? parent : "/", &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Handles one report of the init.  False: there is none, or the init is gone; then the socket is
 * no longer watched.
 */
static bool take_report(struct sandbox_job *r)
{
	struct report report;
	int fds[2];

	if (!sandbox_report(&r->sandbox, &report, fds)) {
		if (errno != EAGAIN)
			event_loop_unwatch(r->loop, &r->ctl);
		return false;
	}
	switch (report.kind) {
	case REPORT_LISTENING:
		egress_open(&r->egress, fds[0]);
		break;
	case REPORT_STARTED:
		on_started(r, report.started.pid, fds[0], fds[1]);
		break;
	case REPORT_REFUSED:
		/* passed on when the init is reaped, so that no process is left by then */
		r->is_refused = true;
		r->exit = report;
		break;
	case REPORT_VIOLATION:
		if (is_real(&report))
			r->owner->violation(r, &report);
		break;
	case REPORT_STAGED:
		if (r->owner->staged)
			r->owner->staged(r, report.staged.round, report.staged.answer);
		break;
	case REPORT_EXITED:
		r->exit = report;
		break;
	}
	return true;
}

static void on_refused_host(struct egress *x, const struct report *v)
{
	struct sandbox_job *r = OWNER_OF(x, struct sandbox_job, egress);

	r->owner->violation(r, v);
}

static void on_ctl(struct event_loop_watch *w)
{
	take_report(OWNER_OF(w, struct sandbox_job, ctl));
}

/* ---- deny rules while it runs ---- */

/*
 * A program outside the sandbox replaces a denied file, or creates one that a pattern covers.
 * The mount over the old file does not cover the new one.  The path index reports the change, and
 * the init of each sandbox with deny rules mounts over the path again.
 *
 * One watch serves all jobs; `runs` links them by their `denying` node.
 */
static struct {
	struct event_loop_watch watch;
	struct list runs;
} denying = { .watch.fd = -1 };

/*
 * A sandbox that cannot be closed again is killed: a command that might read a denied file must
 * not continue.
 */
static void protect_again(struct sandbox_job *r)
{
	struct arena *mem = arena_new();

	if (r->is_ended || r->ctl.fd < 0 || r->is_escalated) {
		arena_free(mem);
		return;
	}
	if (!sandbox_protect_again(&r->sandbox, mem, &r->req.plan))
		sandbox_job_kill(r, 0, CAUSE_KILLED);
	/* Preparing failed before it replaced the old paths, so the new arena has no user. */
	if (r->sandbox.protected.mem != mem) {
		arena_free(mem);
		return;
	}
	arena_free(r->protected_mem);
	r->protected_mem = mem;
}

static void on_paths(struct event_loop_watch *w)
{
	(void)w;
	if (!path_index_take())
		return;
	LIST_EACH_SAFE (&denying.runs, node, next)
		protect_again(LIST_ITEM(node, struct sandbox_job, denying));
}

/*
 * Called before the sandbox resolves its rules: a change between the resolution and the first
 * watch would otherwise be missed.
 */
static void deny_begin(struct sandbox_job *r)
{
	if (!r->req.plan.deny_rules.count)
		return;
	if (!denying.runs.next)
		list_init(&denying.runs);
	protected_paths_watch(r->mem, &r->req.plan);
	/*
	 * A copy, because event_loop_unwatch() closes what it watched and the index never closes
	 * its own descriptor.
	 */
	if (denying.watch.fd < 0 && path_index_fd() >= 0)
		event_loop_watch(r->loop, &denying.watch,
		                 fcntl(path_index_fd(), F_DUPFD_CLOEXEC, 3), on_paths);
	list_add(&denying.runs, &r->denying);
}

static void deny_end(struct sandbox_job *r)
{
	list_remove(&r->denying);
	list_init(&r->denying);
	if (denying.runs.next && list_is_empty(&denying.runs))
		event_loop_unwatch(r->loop, &denying.watch);
}

static bool has_rule(const struct sandbox_paths *l, struct str rule)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->at[i], rule))
			return true;
	return false;
}

/*
 * The new rules become part of the job's plan, so that later changes of files apply them as well.
 * A tier without mounts cannot hide a path, so its job ends.
 */
void sandbox_job_deny(struct sandbox_job *r, const struct sandbox_paths *rules)
{
	struct sandbox_paths *have = &r->req.plan.deny_rules, all = keep_list(r->mem, have);
	size_t before = all.count;
	struct error e;

	if (r->is_ended)
		return;
	for (size_t i = 0; i < rules->count; i++)
		if (!has_rule(&all, rules->at[i])) {
			all.at = arena_grow(r->mem, all.at, all.count * sizeof *all.at,
			                    (all.count + 1) * sizeof *all.at);
			all.at[all.count++] = arena_keep(r->mem, rules->at[i]);
		}
	if (all.count == before)
		return;
	*have = all;
	if (sandbox_plan_check(&r->req.plan, &e) != OK ||
	    !sandbox_tier_has_namespaces(r->req.plan.tier)) {
		sandbox_job_kill(r, TIMEOUT_GRACE_MS, CAUSE_KILLED);
		return;
	}
	deny_end(r);
	deny_begin(r);
	protect_again(r);
}

/* ---- its end ---- */

/*
 * Without a pid namespace, an init that was killed leaves its children to the next subreaper,
 * which is this process.  The descendants of the command are killed here.
 */
static void kill_orphans(struct sandbox_job *r)
{
	struct process_tree l;

	if (sandbox_tier_has_namespaces(r->req.plan.tier) || r->exit.kind == REPORT_EXITED ||
	    !r->pid)
		return;
	if (process_tree_of(r->pid, &l)) {
		process_tree_signal(&l, SIGKILL);
		process_tree_done(&l);
	}
	if (r->command_fd >= 0)
		sys_pidfd_signal(r->command_fd, SIGKILL);
}

/*
 * All writers are dead, so the pipe ends by itself.  The bound is for a survivor outside a pid
 * namespace that still holds the pipe and writes.
 */
static void pump_rest(struct sandbox_job *r, struct event_loop_watch *w, struct spool *s)
{
	if (w->fd < 0)
		return;
	for (int i = 0; i < 4096 && spool_pump(s, w->fd); i++)
		;
	event_loop_unwatch(r->loop, w);
}

/*
 * The only end of a job.  The order is the contract with the owner: the init is reaped, then its
 * last reports are read, then the proxy's counts, then the rest of the output; `exited` or
 * `refused` comes last, when nothing can follow.  The owner may free the job in that callback.
 */
static void on_init_end(struct event_loop_watch *w)
{
	struct sandbox_job *r = OWNER_OF(w, struct sandbox_job, init);
	siginfo_t info = { 0 };

	if (waitid(P_PIDFD, (id_t)w->fd, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
		return;
	while (r->ctl.fd >= 0 && take_report(r))
		;
	event_loop_unwatch(r->loop, &r->ctl);
	event_loop_unwatch(r->loop, &r->init);
	/*
	 * The two watches above closed these descriptors; sandbox_done() must not close them
	 * again.
	 */
	r->sandbox.ctl_fd = r->sandbox.pidfd = -1;
	event_loop_quiet(&r->deadline);
	event_loop_quiet(&r->silence);
	event_loop_quiet(&r->grace);
	egress_end(&r->egress);
	kill_orphans(r);
	pump_rest(r, &r->out, &r->out_spool);
	pump_rest(r, &r->err, &r->err_spool);
	sandbox_done(&r->sandbox, &r->req.plan);
	r->is_ended = true;
	deny_end(r);
	if (r->is_started) {
		r->duration_ms = clock_mono_ms() - r->started_ms;
		r->owner->exited(r);
		return;
	}
	if (!r->is_refused)
		fail(&r->exit.refused.error, ERR_CLOSED,
		     "the sandbox ended before the command began (%s %d)",
		     info.si_code == CLD_EXITED ? "exit" : "signal", info.si_status);
	r->owner->refused(r, &r->exit.refused.error, r->is_refused && r->exit.refused.is_spawn);
}

/* ---- starting ---- */

struct ends {
	int in[2], out[2], err[2]; /* [0] reads, [1] writes; -1: none */
};

static void close_ends(struct ends *x)
{
	for (int i = 0; i < 2; i++) {
		sys_close(&x->in[i]);
		sys_close(&x->out[i]);
		sys_close(&x->err[i]);
	}
}

/* One pipe for both keeps the order in which output and errors were written. */
static bool open_err(const struct sandbox_job_request *q, struct ends *x)
{
	if (!q->is_merged)
		return pipe2(x->err, O_CLOEXEC) == 0;
	x->err[1] = fcntl(x->out[1], F_DUPFD_CLOEXEC, 3);
	return x->err[1] >= 0;
}

/* With a terminal there are no pipes: the init creates the terminal inside the sandbox. */
static enum err open_ends(const struct sandbox_job_request *q, struct ends *x, struct error *e)
{
	*x = (struct ends){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (q->pty)
		return OK;
	if (q->stdin_is == STDIN_CLOSED)
		x->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	else if (pipe2(x->in, O_CLOEXEC) < 0)
		x->in[0] = -1;
	if (x->in[0] < 0 || pipe2(x->out, O_CLOEXEC) < 0 || !open_err(q, x)) {
		enum err err = fail_errno(e, ERR_IO, "pipes");

		close_ends(x);
		return err;
	}
	return OK;
}

/*
 * out_path and err_path are set only after the file was created, so that a failure removes no
 * output that another job wrote.
 */
static enum err open_spools(struct sandbox_job *r, const char *dir, struct error *e)
{
	const struct sandbox_limits *l = &r->req.plan.limits;
	enum err err;

	if (!dir)
		return fail(e, ERR_UNSUPPORTED,
		            "background: this supervisor has no directory to spool in");
	struct str out = str_is(r->req.spool)
	                         ? r->req.spool
	                         : arena_printf(r->mem, "%s/%s.out", dir, r->req.id.ptr);

	r->exit_record_path = arena_printf(r->mem, "%s/%s.json", dir, r->req.id.ptr);
	err = spool_open(&r->out_spool, out.ptr, l->max_output_bytes, e);
	if (!err)
		r->out_path = out;
	if (!err && !r->req.pty && !r->req.is_merged) {
		struct str path = arena_printf(r->mem, "%s/%s.err", dir, r->req.id.ptr);

		err = spool_open(&r->err_spool, path.ptr, l->max_output_bytes, e);
		if (!err)
			r->err_path = path;
	}
	return err;
}

/* The reading ends move to the loop, so the daemon gets none: it reads the files. */
static void watch_spools(struct sandbox_job *r, struct ends *x)
{
	if (r->req.pty)
		return;
	fcntl(x->out[0], F_SETFL, O_NONBLOCK);
	event_loop_watch(r->loop, &r->out, x->out[0], on_out);
	if (x->err[0] >= 0) {
		fcntl(x->err[0], F_SETFL, O_NONBLOCK);
		event_loop_watch(r->loop, &r->err, x->err[0], on_err);
	}
	x->out[0] = x->err[0] = -1;
}

static enum err start_sandbox(struct sandbox_job *r, const struct host *h, struct ends *x,
                              struct error *e)
{
	const struct sandbox_plan *p = &r->req.plan;
	struct sandbox_paths own = sandbox_variables(r->mem, p), none = { 0 };
	struct sandbox_request q = { .plan = p,
		                     .argv = exec_strings(r->mem, &r->req.argv, &none),
		                     .envp = exec_strings(r->mem, &r->req.env, &own),
		                     .stdin_fd = x->in[0],
		                     .stdout_fd = x->out[1],
		                     .stderr_fd = x->err[1],
		                     .pty = r->req.pty,
		                     .rows = r->req.rows,
		                     .cols = r->req.cols,
		                     .late = r->req.late,
		                     .late_count = r->req.late_count };

	return sandbox_start(r->mem, h, &q, &r->sandbox, e);
}

static struct sandbox_job *job_new(struct event_loop *l, const struct sandbox_job_request *req,
                                   const struct sandbox_job_owner *owner, void *arg)
{
	struct arena *mem = arena_new();
	struct sandbox_job *r = memory_zeroed(1, sizeof *r);

	*r = (struct sandbox_job){ .loop = l,
		                   .owner = owner,
		                   .arg = arg,
		                   .mem = mem,
		                   .req = keep_request(mem, req),
		                   .sandbox = { .pidfd = -1, .ctl_fd = -1, .cgroup_fd = -1 },
		                   .ctl.fd = -1,
		                   .init.fd = -1,
		                   .out.fd = -1,
		                   .err.fd = -1,
		                   .out_spool.file_fd = -1,
		                   .err_spool.file_fd = -1,
		                   .stdin_fd = -1,
		                   .stdout_fd = -1,
		                   .stderr_fd = -1,
		                   .pty_fd = -1,
		                   .command_fd = -1,
		                   .exit.kind = REPORT_STARTED };
	list_init(&r->node);
	list_init(&r->denying);
	egress_init(&r->egress, l, &r->req.plan.allow, on_refused_host);
	return r;
}

/*
 * deny_begin() comes before start_sandbox() so that no change of a denied path is missed.  The
 * writing ends are closed at the end: only then does the pipe end when the command closes its
 * own.
 */
enum err sandbox_job_start(struct event_loop *l, const struct host *h,
                           const struct sandbox_job_request *req, const char *spool_dir,
                           const struct sandbox_job_owner *owner, void *arg,
                           struct sandbox_job **ret, struct error *e)
{
	struct sandbox_job *r = job_new(l, req, owner, arg);
	struct ends x;
	enum err err = open_ends(req, &x, e);

	if (!err && req->background)
		err = open_spools(r, spool_dir, e);
	if (!err) {
		deny_begin(r);
		err = start_sandbox(r, h, &x, e);
	}
	if (err) {
		close_ends(&x);
		sandbox_job_unlink(r, true);
		sandbox_job_free(r);
		return err;
	}
	if (req->background)
		watch_spools(r, &x);
	r->stdin_fd = x.in[1];
	r->stdout_fd = x.out[0];
	r->stderr_fd = x.err[0];
	x.in[1] = x.out[0] = x.err[0] = -1;
	close_ends(&x);
	event_loop_watch(l, &r->ctl, r->sandbox.ctl_fd, on_ctl);
	event_loop_watch(l, &r->init, r->sandbox.pidfd, on_init_end);
	*ret = r;
	return OK;
}

/* ---- ending ---- */

void sandbox_job_signal(struct sandbox_job *r, int signum)
{
	if (r->ctl.fd >= 0)
		sandbox_order(&r->sandbox,
		              (struct order){ .kind = ORDER_SIGNAL, .signum = signum });
}

/* Killing process 1 of a pid namespace makes the kernel kill every process in it. */
static void on_insist(struct alarm *a)
{
	struct sandbox_job *r = OWNER_OF(a, struct sandbox_job, grace);

	if (r->init.fd >= 0)
		sys_pidfd_signal(r->init.fd, SIGKILL);
}

/*
 * The init without a pid namespace gets more time, because it searches and kills the tree itself
 * (END_MS in sandbox_init.c).
 */
static void on_grace(struct alarm *a)
{
	struct sandbox_job *r = OWNER_OF(a, struct sandbox_job, grace);

	r->is_escalated = true;
	if (r->ctl.fd < 0 ||
	    !sandbox_order(&r->sandbox, (struct order){ .kind = ORDER_END, .cause = r->cause }))
		on_insist(a);
	else
		event_loop_alarm(r->loop, &r->grace,
		                 sandbox_tier_has_namespaces(r->req.plan.tier) ? INSIST_MS
		                                                               : 5 * INSIST_MS,
		                 on_insist);
}

/*
 * The init reports the exit when no process of the command is left, and ends.  The report may still
 * be in the socket, because other events of the loop come first.
 */
static bool has_reported_exit(struct sandbox_job *r)
{
	while (r->ctl.fd >= 0 && r->exit.kind != REPORT_EXITED && take_report(r))
		;
	return r->exit.kind == REPORT_EXITED;
}

/*
 * The first cause stays, whatever follows.  A second call can only shorten the grace.  A command
 * that has ended keeps its own result: there is nothing left to kill.
 */
void sandbox_job_kill(struct sandbox_job *r, int64_t grace_ms, enum sandbox_cause cause)
{
	int64_t left = r->grace.is_set ? r->grace.due_ms - clock_mono_ms() : INT64_MAX;

	if (r->is_ended || r->is_escalated || has_reported_exit(r))
		return;
	if (r->cause == CAUSE_EXIT)
		r->cause = cause;
	if (grace_ms > 0 && r->ctl.fd >= 0)
		sandbox_order(&r->sandbox,
		              (struct order){ .kind = ORDER_SIGNAL_ALL, .signum = SIGTERM });
	if (grace_ms < left)
		event_loop_alarm(r->loop, &r->grace, MAX(grace_ms, 0), on_grace);
}

/*
 * A spool file that the daemon named belongs to the daemon once the command has run: it is the
 * output.
 */
void sandbox_job_unlink(struct sandbox_job *r, bool nothing_has_run)
{
	if (str_is(r->out_path) && (nothing_has_run || !str_is(r->req.spool)))
		unlink(r->out_path.ptr);
	if (str_is(r->err_path))
		unlink(r->err_path.ptr);
	if (str_is(r->exit_record_path))
		unlink(r->exit_record_path.ptr);
}

void sandbox_job_free(struct sandbox_job *r)
{
	if (!r)
		return;
	list_remove(&r->node);
	deny_end(r);
	event_loop_quiet(&r->deadline);
	event_loop_quiet(&r->silence);
	event_loop_quiet(&r->grace);
	event_loop_unwatch(r->loop, &r->ctl);
	event_loop_unwatch(r->loop, &r->init);
	event_loop_unwatch(r->loop, &r->out);
	event_loop_unwatch(r->loop, &r->err);
	egress_done(&r->egress);
	spool_done(&r->out_spool);
	spool_done(&r->err_spool);
	sys_close(&r->stdin_fd);
	sys_close(&r->stdout_fd);
	sys_close(&r->stderr_fd);
	sys_close(&r->pty_fd);
	sys_close(&r->command_fd);
	arena_free(r->protected_mem);
	arena_free(r->mem);
	memory_free(r);
}

/* ---- words ---- */

void sandbox_job_write_exit(struct json_writer *w, const struct sandbox_job *r)
{
	bool is_known = r->exit.kind == REPORT_EXITED;
	int status = r->exit.exited.status;
	/*
	 * The init's cause is a limit that it enforced or the order that it obeyed.  A command
	 * that exits by itself in the grace after SIGTERM still has the cause of the kill.
	 */
	enum sandbox_cause cause = !is_known                            ? CAUSE_LOST
	                           : r->exit.exited.cause != CAUSE_EXIT ? r->exit.exited.cause
	                           : r->cause != CAUSE_EXIT             ? r->cause
	                                                                : CAUSE_EXIT;

	if (is_known && WIFEXITED(status))
		JW_KINT(w, "exitCode", WEXITSTATUS(status));
	if (is_known && WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));
		char text[32];

		snprintf(text, sizeof text, "SIG%s", name ? name : "?");
		JW_KSTR(w, "signal", str_from(text));
		JW_KINT(w, "signalNumber", WTERMSIG(status));
	}
	/* The init died without a report (killed, or out of memory), so the exit code is lost. */
	if (!is_known)
		JW_KSTR(w, "exitState", STR("unknown"));
	JW_KSTR(w, "cause", str_from(sandbox_cause_name(cause)));
	JW_KBOOL(w, "escalated", r->is_escalated);
	/* only the end of a pid namespace, or a subreaper without children, proves this number */
	if (is_known || sandbox_tier_has_namespaces(r->req.plan.tier))
		JW_KINT(w, "survivors", is_known ? (int64_t)r->exit.exited.survivors : 0);
	JW_KINT(w, "durationMs", r->duration_ms);
	if (is_known) {
		JW_KINT(w, "maxRssBytes", r->exit.exited.max_rss_bytes);
		JW_KINT(w, "cpuMs", r->exit.exited.cpu_ms);
		if (r->exit.exited.was_full)
			JW_KBOOL(w, "processesFull", true);
	}
	if (r->req.background) {
		JW_KINT(w, "stdoutBytes", r->out_spool.written);
		JW_KINT(w, "stderrBytes", r->err_spool.written);
		JW_KINT(w, "droppedBytes", r->out_spool.dropped + r->err_spool.dropped);
	}
	egress_write(w, &r->egress);
}

void sandbox_job_write_violation(struct json_writer *w, const struct report *v)
{
	const char *name = strerrorname_np(v->violation.os_errno);
	bool by_proxy = !v->violation.call[0] && !v->violation.operation[0];

	JW_KSTR(w, "kind", str_from(v->violation.kind));
	JW_KSTR(w, "operation",
	        by_proxy                    ? STR("connect")
	        : v->violation.operation[0] ? str_from(v->violation.operation)
	                                    : str_from(v->violation.call));
	if (!by_proxy && v->violation.call[0])
		JW_KSTR(w, "syscall", str_from(v->violation.call));
	if (v->violation.path[0])
		JW_KSTR(w, "path", str_from(v->violation.path));
	if (v->violation.host[0]) {
		JW_KSTR(w, "host", str_from(v->violation.host));
		JW_KINT(w, "port", v->violation.port);
	}
	if (by_proxy)
		JW_KSTR(w, "rule", str_from(v->violation.rule));
	if (by_proxy && v->violation.address[0])
		JW_KSTR(w, "address", str_from(v->violation.address));
	if (!by_proxy && name && v->violation.os_errno)
		JW_KSTR(w, "errno", str_from(name));
	JW_KBOOL(w, "blocked", true);
	if (v->violation.has_fallback)
		JW_KBOOL(w, "fallback", true);
	JW_KINT(w, "count", v->violation.count);
}
