/*
 * One command in a sandbox from a shell.  It plans, relays standard input and
 * output, and tries the next weaker tier when the roots do not allow this one.
 */
#include "supervisor/sandbox_run.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "sandbox/sandbox_env.h"
#include "supervisor/sandbox_job.h"
#include "supervisor/sandbox_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#define RESULT_FD 3
#define VIOLATIONS_MAX 256
#define INTERRUPT_GRACE_MS 1000

struct session {
	struct arena *mem;
	struct event_loop loop;
	struct host host;
	struct sandbox_host machine; /* the same for the maker of plans */
	struct sandbox_options opt;
	struct sandbox_job_request req;
	int result_fd;

	struct sandbox_job *job;
	struct event_loop_watch out, err, keys, signals;
	pid_t feeder; /* the child that relays standard input */
	int64_t out_bytes, dropped;
	struct termios saved;
	bool is_raw, is_interrupted;
	struct report violations[VIOLATIONS_MAX];
	size_t violation_count;
	struct error refusal;
	bool is_refused, is_spawn, is_over, is_tier_fixed;
};

static struct session session;

/*
 * The PATH is reduced to directories that the plan shows; options of the user come last and win.
 */
static void build_env(struct session *s)
{
	struct sandbox_paths own = { ARENA_ARRAY(s->mem, struct str, s->opt.env.count + 1), 0 };
	struct str path = str_from(getenv("PATH"));

	if (str_is(path))
		own.at[own.count++] = arena_printf(
			s->mem, "PATH=%.*s", STR_ARG(sandbox_env_path(s->mem, &s->req.plan, path)));
	for (size_t i = 0; i < s->opt.env.count; i++)
		own.at[own.count++] = s->opt.env.at[i];
	sandbox_env(s->mem, environ, &s->machine.env, &own, &s->req.env);
}

/*
 * Used in tiers without a private /tmp.  The name cannot be guessed: an existing directory is
 * refused.
 */
static void pick_tmp(struct session *s)
{
	unsigned long nonce = 0;

	if (getrandom(&nonce, sizeof nonce, 0) < 0)
		sandbox_options_die(125, "thole-supervisor: %s\n", strerror(errno));
	s->opt.profile.tmp_dir = arena_printf(s->mem, "/tmp/thole-%d-%lx", getpid(), nonce);
}

/* ---- the result ---- */

static void write_strings(struct json_writer *w, const struct sandbox_paths *l)
{
	jw_arr(w);
	for (size_t i = 0; i < l->count; i++)
		jw_str(w, l->at[i]);
	jw_arr_end(w);
}

static void write_enforced(struct json_writer *w, const struct session *s)
{
	const struct sandbox_plan *p = &s->req.plan;

	jw_obj(w);
	JW_KBOOL(w, "namespaces", sandbox_tier_has_namespaces(p->tier));
	JW_KINT(w, "landlockAbi", sandbox_tier_has_landlock(p->tier) ? s->host.landlock_abi : 0);
	JW_KBOOL(w, "seccomp", p->tier != SANDBOX_NONE);
	JW_KBOOL(w, "noNewPrivileges", p->tier != SANDBOX_NONE);
	JW_KBOOL(w, "refusalsTold", p->tier != SANDBOX_NONE && s->host.notify);
	JW_KBOOL(w, "unixSockets", p->unix_sockets);
	JW_KBOOL(w, "cgroup", str_is(s->host.cgroup));
	JW_KEY(w, "deniedPaths");
	write_strings(w, &p->denied_paths);
	JW_KEY(w, "gaps");
	write_strings(w, &s->machine.gaps[p->tier]);
	jw_obj_end(w);
}

static void write_process(struct json_writer *w, const struct session *s)
{
	jw_obj(w);
	JW_KINT(w, "pid", s->job->pid);
	sandbox_job_write_exit(w, s->job);
	JW_KINT(w, "outputBytes", s->out_bytes);
	JW_KINT(w, "droppedBytes", s->dropped);
	jw_obj_end(w);
}

static void write_refusal(struct json_writer *w, const struct session *s)
{
	const char *name = s->refusal.os_errno ? strerrorname_np(s->refusal.os_errno) : NULL;

	jw_obj(w);
	JW_KSTR(w, "kind", s->is_spawn ? STR("spawn") : STR("cage"));
	JW_KSTR(w, "reason", str_from(s->refusal.message));
	if (name)
		JW_KSTR(w, "errno", str_from(name));
	jw_obj_end(w);
}

/*
 * The JSON line of --json.  Without has_plan the profile itself was refused, so there is no
 * boundary to report.
 */
static void write_result(const struct session *s, bool has_plan)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	if (!s->opt.json)
		return;
	jw_init(&w, &text);
	jw_obj(&w);
	if (has_plan) {
		JW_KEY(&w, "sandboxProfile");
		sandbox_plan_write_record(&w, &s->req.plan, s->req.pty,
		                          str_from(sandbox_job_stdin_name(&s->req)), STR_NONE);
		JW_KBOOL(&w, "degraded", s->req.plan.is_degraded);
		JW_KOPT(&w, "reason", s->req.plan.reason);
		JW_KEY(&w, "enforced");
		write_enforced(&w, s);
	}
	if (s->is_refused) {
		JW_KEY(&w, "refused");
		write_refusal(&w, s);
	} else {
		JW_KEY(&w, "process");
		write_process(&w, s);
		JW_KEY(&w, "violations");
		jw_arr(&w);
		for (size_t i = 0; i < s->violation_count; i++) {
			jw_obj(&w);
			sandbox_job_write_violation(&w, &s->violations[i]);
			jw_obj_end(&w);
		}
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	buf_add_char(&text, '\n');
	if (write(s->result_fd, text.ptr, text.len) < 0)
		perror("thole-supervisor: result");
}

/* Exit codes as in env(1) and sh: 125 the sandbox, 126 not executable, 127 not found. */
NORETURN static void exit_refused(struct session *s, bool has_plan)
{
	int code = !s->is_spawn ? 125 : s->refusal.os_errno == ENOENT ? 127 : 126;

	s->is_refused = true;
	write_result(s, has_plan);
	sandbox_options_die(code,
	                    s->is_spawn ? "thole-supervisor: cannot %s\n"
	                                : "thole-supervisor: refused: %s\n",
	                    s->refusal.message);
}

/* ---- relaying ---- */

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* no reader: the command continues, its output is dropped */
		data += n;
		len -= (size_t)n;
	}
}

/*
 * The output limit counts both streams together.  What exceeds it is read and counted, so the
 * command does not block.
 */
static void relay(struct session *s, struct event_loop_watch *w, int to)
{
	static char data[65536];
	ssize_t len = read(w->fd, data, sizeof data);
	int64_t max = s->req.plan.limits.max_output_bytes, room;

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (len <= 0) {
		event_loop_unwatch(&s->loop, w);
		return;
	}
	room = max ? MIN((int64_t)len, max - s->out_bytes) : len;
	write_all(to, data, (size_t)room);
	s->out_bytes += room;
	s->dropped += len - room;
}

static void on_out(struct event_loop_watch *w)
{
	relay(OWNER_OF(w, struct session, out), w, STDOUT_FILENO);
}

static void on_err(struct event_loop_watch *w)
{
	relay(OWNER_OF(w, struct session, err), w, STDERR_FILENO);
}

static void on_keys(struct event_loop_watch *w)
{
	struct session *s = OWNER_OF(w, struct session, keys);
	char data[4096];
	ssize_t len = read(w->fd, data, sizeof data);

	if (len <= 0)
		event_loop_unwatch(&s->loop, w);
	else if (s->job->pty_fd >= 0)
		write_all(s->job->pty_fd, data, (size_t)len);
}

/*
 * Copies standard input in a child: a read may block, this loop must not.  The child dies with
 * this process, and closing the pipe here leaves the child as its only writer.
 */
static void start_feeder(struct session *s)
{
	char data[65536];
	ssize_t len;

	if (s->job->stdin_fd < 0)
		return;
	s->feeder = fork();
	if (s->feeder == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		signal(SIGPIPE, SIG_DFL);
		dup2(s->job->stdin_fd, STDOUT_FILENO);
		close_range(2, ~0U, 0);
		while ((len = read(STDIN_FILENO, data, sizeof data)) > 0)
			write_all(STDOUT_FILENO, data, (size_t)len);
		_exit(0);
	}
	sys_close(&s->job->stdin_fd);
}

/*
 * The sandbox's terminal interprets keys; the outer one must pass them on unchanged, ^C included.
 */
static void set_terminal_raw(struct session *s)
{
	struct termios t;

	if (tcgetattr(STDIN_FILENO, &s->saved) < 0)
		return;
	t = s->saved;
	cfmakeraw(&t);
	s->is_raw = tcsetattr(STDIN_FILENO, TCSANOW, &t) == 0;
}

static void restore_terminal(struct session *s)
{
	if (s->is_raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
	s->is_raw = false;
}

/* The command's terminal has the size of the user's. */
static void pass_size(struct session *s)
{
	struct winsize size;

	if (!s->job || s->job->pty_fd < 0 || ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 ||
	    !size.ws_row || !size.ws_col)
		return;
	ioctl(s->job->pty_fd, TIOCSWINSZ, &size);
}

/* ---- the run ---- */

/* A sandbox that is weaker than it could be elsewhere; with --json the result says it. */
static void print_tier(const struct session *s)
{
	if (!s->opt.json && !s->is_tier_fixed && str_is(s->req.plan.reason))
		fprintf(stderr, "thole-supervisor: tier %s: %.*s\n",
		        sandbox_tier_name(s->req.plan.tier).ptr, STR_ARG(s->req.plan.reason));
}

static void on_started(struct sandbox_job *r)
{
	struct session *s = r->arg;

	print_tier(s);
	start_feeder(s);
	if (!s->req.pty)
		return;
	event_loop_watch(&s->loop, &s->out, fcntl(r->pty_fd, F_DUPFD_CLOEXEC, 3), on_out);
	if (isatty(STDIN_FILENO))
		set_terminal_raw(s);
	event_loop_watch(&s->loop, &s->keys, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), on_keys);
}

static void on_refused(struct sandbox_job *r, const struct error *e, bool is_spawn)
{
	struct session *s = r->arg;

	s->refusal = *e;
	s->is_refused = s->is_over = true;
	s->is_spawn = is_spawn;
}

static void on_violation(struct sandbox_job *r, const struct report *v)
{
	struct session *s = r->arg;

	if (s->violation_count < VIOLATIONS_MAX)
		s->violations[s->violation_count++] = *v;
}

static void on_exited(struct sandbox_job *r)
{
	struct session *s = r->arg;

	s->is_over = true;
}

/*
 * The first ^C goes to the command, which may handle it; the second, and every other signal, ends
 * it.
 */
static void on_signal(struct event_loop_watch *w)
{
	struct session *s = OWNER_OF(w, struct session, signals);
	struct signalfd_siginfo info;

	if (read(w->fd, &info, sizeof info) != sizeof info)
		return;
	if (info.ssi_signo == SIGWINCH) {
		pass_size(s);
		return;
	}
	if (info.ssi_signo == SIGINT && !s->is_interrupted) {
		s->is_interrupted = true;
		sandbox_job_signal(s->job, SIGINT);
		return;
	}
	sandbox_job_kill(s->job, INTERRUPT_GRACE_MS, CAUSE_KILLED);
}

static void take_signals(struct session *s)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	event_loop_watch(&s->loop, &s->signals, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
	                 on_signal);
}

static void start_job(struct session *s)
{
	static const struct sandbox_job_owner owner = { .started = on_started,
		                                        .refused = on_refused,
		                                        .violation = on_violation,
		                                        .exited = on_exited };

	s->is_refused = s->is_over = s->is_spawn = false;
	if (sandbox_job_start(&s->loop, &s->host, &s->req, NULL, &owner, s, &s->job, &s->refusal)) {
		s->is_refused = s->is_over = true;
		return;
	}
	if (s->req.pty)
		return;
	event_loop_watch(&s->loop, &s->out, s->job->stdout_fd, on_out);
	event_loop_watch(&s->loop, &s->err, s->job->stderr_fd, on_err);
	s->job->stdout_fd = s->job->stderr_fd = -1;
}

static void drain_output(struct session *s)
{
	/*
	 * all writers are dead, so both pipes end; a survivor that still writes cannot block this
	 * read
	 */
	if (s->out.fd >= 0)
		fcntl(s->out.fd, F_SETFL, O_NONBLOCK);
	if (s->err.fd >= 0)
		fcntl(s->err.fd, F_SETFL, O_NONBLOCK);
	errno = 0;
	while (s->out.fd >= 0 && errno != EAGAIN)
		relay(s, &s->out, STDOUT_FILENO);
	errno = 0;
	while (s->err.fd >= 0 && errno != EAGAIN)
		relay(s, &s->err, STDERR_FILENO);
}

/* Output is drained before the result is written, so that the counts in it are final. */
static int finish_run(struct session *s)
{
	protected_paths_cleanup_placeholders(0);
	drain_output(s);
	restore_terminal(s);
	if (s->feeder > 0) {
		kill(s->feeder, SIGKILL);
		waitpid(s->feeder, NULL, 0);
	}
	if (s->is_refused)
		exit_refused(s, true);
	write_result(s, true);
	if (s->job->exit.kind != REPORT_EXITED)
		return 125;

	int status = s->job->exit.exited.status;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A host that could not be reached is an error here; a profile of the runtime drops it. */
static enum err check_hosts(const struct sandbox_profile *p, struct error *e)
{
	if (p->allow.count &&
	    (p->network != SANDBOX_NETWORK_RESTRICTED || p->mode == SANDBOX_DANGER_FULL_ACCESS))
		return fail(e, ERR_INVALID, "network.allow: only with mode restricted");
	return OK;
}

static void make_plan(struct session *s)
{
	const struct sandbox_profile *p = &s->opt.profile;

	if (check_hosts(p, &s->refusal) ||
	    sandbox_plan_make(s->mem, &s->machine, p, &s->req.plan, &s->refusal))
		exit_refused(s, false);
	build_env(s);
}

/*
 * The machine has the tier, but not for these roots (a file system that does
 * not support the mapping of owners, say): take the next weaker one; the
 * plan's reason names the cause.
 */
static bool take_weaker_plan(struct session *s)
{
	struct str why = arena_keep(s->mem, str_from(s->refusal.message));
	struct sandbox_plan weaker;
	struct error e;

	if (!s->is_refused || s->is_spawn || s->refusal.code != ERR_UNSUPPORTED ||
	    s->is_tier_fixed || s->opt.profile.is_fail_closed ||
	    sandbox_plan_make_weaker(s->mem, &s->machine, &s->opt.profile, s->req.plan.tier, why,
	                             &weaker, &e))
		return false;
	event_loop_unwatch(&s->loop, &s->out);
	event_loop_unwatch(&s->loop, &s->err);
	sandbox_job_free(s->job);
	s->job = NULL;
	s->req.plan = weaker;
	build_env(s);
	return true;
}

static void print_plan(const struct session *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	sandbox_plan_write(&w, &s->req.plan);
	buf_add_char(&text, '\n');
	write_all(STDOUT_FILENO, text.ptr, text.len);
}

/* The signal ends the command and its tree as SIGTERM from a person does, in every tier. */
static void follow_parent(const struct session *s)
{
	if (!s->opt.parent)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != s->opt.parent) /* it ended before */
		exit(125);
}

/*
 * Descriptor 3 is copied before anything is opened, because the next open could get its number.
 */
int sandbox_run(int argc, char **argv)
{
	struct session *s = &session;
	struct winsize size;
	struct stat st;

	*s = (struct session){ .mem = arena_new(),
		               .req = { .id = STR("run"), .rows = 24, .cols = 80 },
		               .out.fd = -1,
		               .err.fd = -1,
		               .keys.fd = -1,
		               .signals.fd = -1 };
	s->result_fd =
		fstat(RESULT_FD, &st) == 0 ? fcntl(RESULT_FD, F_DUPFD_CLOEXEC, 10) : STDERR_FILENO;
	sandbox_options_read(&s->opt, s->mem, argc, argv);
	follow_parent(s);
	s->req.argv = s->opt.argv;
	s->req.pty = s->opt.pty;
	if (s->req.pty && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row &&
	    size.ws_col) {
		s->req.rows = size.ws_row;
		s->req.cols = size.ws_col;
	}
	s->is_tier_fixed = s->opt.profile.has_tier;
	s->opt.profile.home = str_from(getenv("HOME"));
	s->opt.profile.limits = &s->opt.limits;
	probe_host(s->mem, NULL, &s->host);
	probe_sandbox_host(s->mem, &s->host, s->opt.profile.home, &s->machine);
	pick_tmp(s);
	make_plan(s);
	if (s->opt.plan_only) {
		print_plan(s);
		return 0;
	}
	s->req.stdin_is = s->req.pty ? STDIN_TTY : isatty(STDIN_FILENO) ? STDIN_CLOSED : STDIN_PIPE;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (!event_loop_init(&s->loop))
		sandbox_options_die(125, "thole-supervisor: %s\n", strerror(errno));
	take_signals(s);
	do {
		start_job(s);
		while (!s->is_over)
			event_loop_step(&s->loop);
	} while (take_weaker_plan(s));
	return finish_run(s);
}
