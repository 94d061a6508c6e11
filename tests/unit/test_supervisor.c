/*
 * thole-supervisor by its socket, with the runtime's own client: real sandboxes, real
 * processes.  The program is $THOLE_HAND, or build/thole-supervisor.
 */
#include "base/jw.h"
#include "base/os/clock.h"
#include "supervisor_client/supervisor_client.h"
#include "sandbox/sandbox_plan_make.h"

#include "lib/t.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 20000 /* a test that needs this long has failed */

struct fixture {
	struct arena *mem;
	struct supervisor_client *hand;
	struct sandbox_host host;
	char dir[64], ws[96], data[96];
	pid_t hand_pid;
	bool is_probed, is_gone, is_listed, is_attached;
	int64_t done_req;

	/* of the latest process */
	bool is_started, is_over, is_refused, is_opened;
	struct supervisor_started started;
	struct supervisor_exit exit;
	char kind[32], reason[512], err_name[32], cause[32], signal[32];
	char out[65536];
	size_t out_len;
	int violations, exits;
	char call[32], host_name[64], path[128];
	int64_t port, count, spooled;
	bool is_prepared;
	char files[1024], why[256];

	struct {
		char id[32], state[16], stdout_path[160];
		pid_t pid;
		int64_t stdout_bytes;
		struct supervisor_exit exit;
	} list[8];
	size_t list_count;
};

/* ---- callbacks ---- */

static void keep(char *to, size_t size, struct str s)
{
	snprintf(to, size, "%.*s", STR_ARG(s));
}

static void on_ready(void *owner, pid_t pid)
{
	struct fixture *f = owner;

	f->hand_pid = pid;
	f->is_attached = true;
}

static void close_started(struct fixture *f)
{
	int *fds[] = { &f->started.pidfd, &f->started.stdin_fd, &f->started.stdout_fd,
		       &f->started.stderr_fd, &f->started.pty_fd };

	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		if (*fds[i] > 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static void on_started(void *owner, const struct supervisor_started *s)
{
	struct fixture *f = owner;

	close_started(f);
	f->started = *s;
	f->is_started = true;
	if (str_is(s->stdout_path))
		keep(f->path, sizeof f->path, s->stdout_path);
}

static void on_refused(void *owner, const struct supervisor_refused *r)
{
	struct fixture *f = owner;

	f->is_refused = f->is_over = true;
	keep(f->kind, sizeof f->kind, r->kind);
	keep(f->reason, sizeof f->reason, r->reason);
	keep(f->err_name, sizeof f->err_name, r->err_name);
}

static void on_violation(void *owner, const struct supervisor_violation *v)
{
	struct fixture *f = owner;

	f->violations++;
	keep(f->kind, sizeof f->kind, v->kind);
	keep(f->call, sizeof f->call, v->call);
	keep(f->host_name, sizeof f->host_name, v->host);
	keep(f->err_name, sizeof f->err_name, v->err_name);
	f->port = v->port;
	f->count = v->count;
}

static void on_output(void *owner, struct str id, int64_t out, int64_t err)
{
	struct fixture *f = owner;

	f->spooled = out + err;
}

static void on_exited(void *owner, struct str id, const struct supervisor_exit *x)
{
	struct fixture *f = owner;

	f->exit = *x;
	keep(f->cause, sizeof f->cause, x->cause);
	keep(f->signal, sizeof f->signal, x->signal);
	f->exits++;
	f->is_over = true;
}

static void on_listed(void *owner, const struct supervisor_process *p)
{
	struct fixture *f = owner;

	if (!p) {
		f->is_listed = true;
		return;
	}
	if (f->list_count == COUNT_OF(f->list))
		return;
	keep(f->list[f->list_count].id, sizeof f->list[0].id, p->id);
	keep(f->list[f->list_count].state, sizeof f->list[0].state, p->state);
	keep(f->list[f->list_count].stdout_path, sizeof f->list[0].stdout_path, p->stdout_path);
	f->list[f->list_count].pid = p->pid;
	f->list[f->list_count].stdout_bytes = p->stdout_bytes;
	f->list[f->list_count++].exit = p->exit;
}

static void on_probed(void *owner, struct json v)
{
	struct fixture *f = owner;
	struct error e;

	CHECK_OK(sandbox_host_read(f->mem, v, &f->host, &e), &e);
	f->is_probed = true;
}

static void on_opened(void *owner, const struct supervisor_started *s)
{
	struct fixture *f = owner;

	close_started(f);
	f->started = *s;
	f->is_opened = true;
}

static void on_done(void *owner, int64_t req)
{
	struct fixture *f = owner;

	f->done_req = req;
}

static void on_gone(void *owner)
{
	struct fixture *f = owner;

	f->is_gone = true;
}

static void on_prepared(void *owner, struct str id, struct json files, struct str why)
{
	struct fixture *f = owner;

	f->is_prepared = true;
	keep(f->files, sizeof f->files, json_is(files) ? json_text(f->mem, files) : STR("none"));
	keep(f->why, sizeof f->why, str_is(why) ? why : STR(""));
}

static const struct supervisor_client_ops ops = { on_ready,   on_started, on_refused, on_violation,
	                                          on_output,  on_exited,  on_listed,  on_probed,
	                                          on_opened,  on_done,    on_gone,    NULL,
	                                          on_prepared };

/* ---- driving ---- */

static const char *program(void)
{
	const char *path = getenv("THOLE_HAND");

	return path ? path : "build/thole-supervisor";
}

static void read_some(struct fixture *f, int *fd)
{
	ssize_t len = read(*fd, f->out + f->out_len, sizeof f->out - 1 - f->out_len);

	if (len > 0) {
		f->out_len += (size_t)len;
		return;
	}
	close(*fd);
	*fd = -1;
}

/* Turns the crank until the flag is set, collecting what the process says. */
static bool wait_for(struct fixture *f, const bool *flag)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	while (!*flag && clock_mono_ms() < end) {
		struct pollfd fds[] = {
			{ .fd = supervisor_client_fd(f->hand),
			  .events =
			          (short)(POLLIN |
			                  (supervisor_client_wants_write(f->hand) ? POLLOUT : 0)) },
			{ .fd = f->is_started ? f->started.stdout_fd : -1, .events = POLLIN },
			{ .fd = f->is_started ? f->started.stderr_fd : -1, .events = POLLIN },
			{ .fd = f->is_started ? f->started.pty_fd : -1, .events = POLLIN },
		};

		poll(fds, COUNT_OF(fds), 100);
		if (fds[0].revents)
			supervisor_client_step(f->hand);
		if (fds[1].revents && f->started.stdout_fd >= 0)
			read_some(f, &f->started.stdout_fd);
		if (fds[2].revents && f->started.stderr_fd >= 0)
			read_some(f, &f->started.stderr_fd);
		if (fds[3].revents && f->started.pty_fd >= 0)
			read_some(f, &f->started.pty_fd);
	}
	return *flag;
}

static void read_rest(struct fixture *f)
{
	while (f->started.stdout_fd >= 0)
		read_some(f, &f->started.stdout_fd);
	while (f->started.stderr_fd >= 0)
		read_some(f, &f->started.stderr_fd);
	f->out[f->out_len] = '\0';
}

static void start_hand(struct fixture *f, bool with_dir)
{
	struct supervisor_options o = { .path = program(), .dir = with_dir ? f->data : NULL };
	struct error e;

	CHECK_OK(supervisor_client_start(&o, &ops, f, &f->hand, &e), &e);
	supervisor_client_probe(f->hand, STR_NONE);
	CHECK(wait_for(f, &f->is_probed));
}

static struct fixture *settings(bool with_dir)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->mem = arena_new();
	f->started = (struct supervisor_started){
		.pidfd = -1, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .pty_fd = -1
	};
	strcpy(f->dir, "/var/tmp/thole-test-hand-XXXXXX");
	CHECK(mkdtemp(f->dir));
	snprintf(f->ws, sizeof f->ws, "%s/ws", f->dir);
	snprintf(f->data, sizeof f->data, "%s/data", f->dir);
	mkdir(f->ws, 0755);
	start_hand(f, with_dir);
	return f;
}

static void teardown(struct fixture *f)
{
	char command[256];

	close_started(f);
	supervisor_client_free(f->hand, 5000);
	/* A supervisor that ends by itself may still write its last file: then rm finds more than it removed. */
	snprintf(command, sizeof command, "rm -rf '%s' 2>/dev/null", f->dir);
	for (int tries = 0; system(command) != 0 && tries < 100; tries++)
		usleep(20000);
	CHECK(access(f->dir, F_OK) != 0);
	arena_free(f->mem);
	free(f);
}

static struct sandbox_plan plan_in(struct fixture *f, enum sandbox_plan_mode mode,
                                   enum sandbox_network network)
{
	struct sandbox_profile p = { .mode = mode, .cwd = str_from(f->ws), .network = network };
	struct sandbox_plan plan;
	struct error e;

	p.tmp_dir = arena_printf(f->mem, "%s/tmp", f->dir);
	CHECK_OK(sandbox_plan_make(f->mem, &f->host, &p, &plan, &e), &e);
	return plan;
}

static void forget_last(struct fixture *f)
{
	close_started(f);
	f->is_started = f->is_over = f->is_refused = false;
	f->out_len = 0;
	f->violations = 0;
	f->reason[0] = f->kind[0] = f->cause[0] = '\0';
}

static void run_plan(struct fixture *f, const struct sandbox_plan *plan, const char *id,
                     const char *script, struct supervisor_run *more)
{
	struct str argv[] = { STR("/bin/sh"), STR("-c"), str_from(script) };
	struct str env[] = { STR("PATH=/usr/bin:/bin") };
	struct supervisor_run r = more ? *more : (struct supervisor_run){ .id = STR_NONE };

	forget_last(f);
	r.id = str_from(id);
	r.plan = plan;
	r.argv = (struct sandbox_paths){ argv, 3 };
	r.env = (struct sandbox_paths){ env, 1 };
	supervisor_client_run(f->hand, &r);
}

static void run(struct fixture *f, const char *script)
{
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_RESTRICTED);

	run_plan(f, &plan, "p", script, NULL);
	CHECK(wait_for(f, &f->is_over));
	read_rest(f);
}

static bool is_dead(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, WAIT_MS) == 1;
}

/* ---- tests ---- */

TEST(a_command_runs_and_nothing_is_left_of_it)
{
	struct fixture *f = settings(false);

	run(f, "echo hello; echo there >&2");
	CHECK(!f->is_refused && f->exit.has_code && f->exit.code == 0);
	CHECK_HAS(str_from(f->out), "hello");
	CHECK_HAS(str_from(f->out), "there");
	CHECK_INT(f->exit.survivors, 0);
	CHECK_STR(str_from(f->cause), "exit");
	CHECK(f->started.pid > 0 && f->exit.max_rss_bytes > 0);
	CHECK_INT(f->violations, 0);
	teardown(f);
}

TEST(exit_codes_and_signals_are_told_apart)
{
	struct fixture *f = settings(false);

	run(f, "exit 7");
	CHECK(f->exit.has_code && f->exit.code == 7);
	run(f, "kill -SEGV $$");
	CHECK(!f->exit.has_code);
	CHECK_STR(str_from(f->signal), "SIGSEGV");
	teardown(f);
}

TEST(a_program_that_is_not_there_is_a_spawn_refusal)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str argv[] = { STR("no-such-program") };
	struct supervisor_run r = { .id = STR("p"), .plan = &plan, .argv = { argv, 1 } };

	supervisor_client_run(f->hand, &r);
	CHECK(wait_for(f, &f->is_over));
	CHECK(f->is_refused && !f->is_started);
	CHECK_STR(str_from(f->kind), "spawn");
	CHECK_STR(str_from(f->err_name), "ENOENT");
	teardown(f);
}

TEST(a_plan_that_cannot_be_kept_is_refused)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str roots[] = { str_from(f->ws), STR("/no/such/root") };
	char link[128];

	plan.write_roots = (struct sandbox_paths){ roots, 2 };
	plan.protected_paths.count = 0;
	run_plan(f, &plan, "p", "true", NULL);
	CHECK(wait_for(f, &f->is_over) && f->is_refused);
	CHECK_STR(str_from(f->kind), "cage");
	CHECK_STR(str_from(f->err_name), "ENOENT");

	snprintf(link, sizeof link, "%s/link", f->dir);
	CHECK_INT(symlink("/etc", link), 0);
	roots[1] = str_from(link);
	run_plan(f, &plan, "p", "true", NULL);
	CHECK(wait_for(f, &f->is_over) && f->is_refused && !f->is_started);

	plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	plan.cwd = STR("/nowhere");
	run_plan(f, &plan, "p", "true", NULL);
	CHECK(wait_for(f, &f->is_over) && f->is_refused);
	CHECK_HAS(str_from(f->reason), "working directory");

	plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_RESTRICTED);
	plan.tier = SANDBOX_NONE;
	run_plan(f, &plan, "p", "true", NULL);
	CHECK(wait_for(f, &f->is_over) && f->is_refused);
	CHECK_STR(str_from(f->kind), "plan");
	teardown(f);
}

TEST(standard_input_is_a_pipe_when_asked_for)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	run_plan(f, &plan, "p", "cat; echo end", &(struct supervisor_run){ .stdin_pipe = true });
	CHECK(wait_for(f, &f->is_started));
	CHECK_INT(write(f->started.stdin_fd, "typed\n", 6), 6);
	close(f->started.stdin_fd);
	f->started.stdin_fd = -1;
	CHECK(wait_for(f, &f->is_over));
	read_rest(f);
	CHECK_STR(str_from(f->out), "typed\nend\n");
	teardown(f);
}

TEST(a_terminal_has_a_size_and_can_be_resized)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);
	struct winsize size = { .ws_row = 50, .ws_col = 132 };

	run_plan(f, &plan, "p", "tty; stty size; read x; stty size; test -t 0 && echo yes",
	         &(struct supervisor_run){ .pty = true, .rows = 10, .cols = 20 });
	CHECK(wait_for(f, &f->is_started));
	CHECK(f->started.pty_fd >= 0 && f->started.stdout_fd < 0);
	CHECK_INT(ioctl(f->started.pty_fd, TIOCSWINSZ, &size), 0);
	CHECK_INT(write(f->started.pty_fd, "go\n", 3), 3);
	CHECK(wait_for(f, &f->is_over));
	f->out[f->out_len] = '\0';
	CHECK_HAS(str_from(f->out), "/dev/pts/");
	CHECK_HAS(str_from(f->out), "50 132");
	CHECK_HAS(str_from(f->out), "yes");
	teardown(f);
}

TEST(a_signal_reaches_the_command)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	run_plan(f, &plan, "p",
	         "trap 'echo caught; exit 3' USR1; echo up; while :; do sleep 0.01; done", NULL);
	CHECK(wait_for(f, &f->is_started));
	while (!f->out_len) {
		bool never = false;

		poll(&(struct pollfd){ .fd = f->started.stdout_fd, .events = POLLIN }, 1, WAIT_MS);
		read_some(f, &f->started.stdout_fd);
		(void)never;
	}
	supervisor_client_signal(f->hand, STR("p"), SIGUSR1);
	CHECK(wait_for(f, &f->is_over));
	read_rest(f);
	CHECK_HAS(str_from(f->out), "caught");
	CHECK_INT(f->exit.code, 3);
	teardown(f);
}

TEST(kill_ends_the_tree_politely_or_not)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	run_plan(f, &plan, "p", "sleep 1000 & sleep 1000", NULL);
	CHECK(wait_for(f, &f->is_started));
	supervisor_client_kill(f->hand, STR("p"), 5000);
	CHECK(wait_for(f, &f->is_over));
	CHECK_STR(str_from(f->signal), "SIGTERM");
	CHECK_STR(str_from(f->cause), "killed");
	CHECK(!f->exit.is_escalated && f->exit.survivors == 0);

	run_plan(f, &plan, "p",
	         "trap '' TERM; echo up; (trap '' TERM; sleep 1000) & while :; do sleep 1000; done",
	         NULL);
	CHECK(wait_for(f, &f->is_started));
	while (!f->out_len)
		read_some(f, &f->started.stdout_fd);
	supervisor_client_kill(f->hand, STR("p"), 50);
	CHECK(wait_for(f, &f->is_over));
	CHECK_STR(str_from(f->signal), "SIGKILL");
	CHECK(f->exit.is_escalated && f->exit.survivors == 0);
	teardown(f);
}

TEST(a_command_that_takes_too_long_is_ended)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	plan.limits.timeout_ms = 100;
	run_plan(f, &plan, "p", "sleep 1000", NULL);
	CHECK(wait_for(f, &f->is_over));
	CHECK_STR(str_from(f->cause), "timeout");
	CHECK_INT(f->exit.survivors, 0);
	teardown(f);
}

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *f;
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof text, f));
	fclose(f);
	CHECK(sscanf(strrchr(text, ')') + 1, " %*c %d", &parent) == 1);
	return parent;
}

static char state_of(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof text, f));
	fclose(f);
	return strrchr(text, ')')[2];
}

/* Ends the command while the supervisor is stopped; its init stays as a zombie. */
static void end_unseen(struct fixture *f, pid_t init)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	CHECK_INT(write(f->started.stdin_fd, "\n", 1), 1);
	while (state_of(init) != 'Z' && clock_mono_ms() < end)
		usleep(1000);
	CHECK(state_of(init) == 'Z');
}

TEST(a_command_that_has_ended_keeps_its_result)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str rule = arena_printf(f->mem, "%s/.env", f->ws);
	pid_t init;
	int fd;

	if (!sandbox_tier_has_namespaces(plan.tier)) {
		printf("SKIP: no namespaces, so no deny rules\n");
		teardown(f);
		return;
	}
	plan.deny_rules = (struct sandbox_paths){ &rule, 1 };
	/* Before its end is seen, a denied path changes, and then a kill is asked for as well. */
	for (int round = 0; round < 2; round++) {
		run_plan(f, &plan, "p", "read x; exit 3",
		         &(struct supervisor_run){ .stdin_pipe = true });
		CHECK(wait_for(f, &f->is_started));
		init = parent_of(f->started.pid);
		CHECK_INT(kill(f->hand_pid, SIGSTOP), 0);
		CHECK_INT(rmdir(rule.ptr), 0);
		fd = open(rule.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
		close(fd);
		end_unseen(f, init);
		if (round)
			supervisor_client_kill(f->hand, STR("p"), 0);
		CHECK_INT(kill(f->hand_pid, SIGCONT), 0);
		CHECK(wait_for(f, &f->is_over));
		CHECK_INT(f->exit.code, 3);
		CHECK_STR(str_from(f->cause), "exit");
		CHECK_INT(unlink(rule.ptr), 0);
	}
	teardown(f);
}

TEST(a_refused_connection_is_told_with_its_address)
{
	struct fixture *f = settings(false);

	for (int i = SANDBOX_NETWORK_OFF; i <= SANDBOX_NETWORK_RESTRICTED; i++) {
		struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, (enum sandbox_network)i);

		run_plan(f, &plan, "p",
		         "python3 -c \"import "
		         "socket;s=socket.socket();print(s.connect_ex(('192.0.2.7',443)))\"",
		         NULL);
		CHECK(wait_for(f, &f->is_over));
		read_rest(f);
		if (!f->host.tells_refusals || plan.tier < SANDBOX_NAMESPACES_ROOT)
			continue;
		CHECK_INT(f->violations, 1);
		CHECK_STR(str_from(f->kind), "network");
		CHECK_STR(str_from(f->call), "connect");
		CHECK_STR(str_from(f->host_name), "192.0.2.7");
		CHECK_INT(f->port, 443);
		CHECK_STR(str_from(f->err_name), "ENETUNREACH");
	}
	teardown(f);
}

TEST(a_call_that_is_refused_a_thousand_times_is_told_twice)
{
	struct fixture *f = settings(false);

	run(f, "python3 -c \"import ctypes;l=ctypes.CDLL(None);[l.unshare(0x10000000) for i in "
	       "range(1000)]\"");
	if (f->host.tells_refusals) {
		CHECK_INT(f->violations, 2);
		CHECK_STR(str_from(f->kind), "syscall");
		CHECK_STR(str_from(f->call), "unshare");
		CHECK_INT(f->count, 999);
	}
	teardown(f);
}

TEST(an_orphan_does_not_outlive_the_command)
{
	struct fixture *f = settings(false);
	char beat[128];
	struct stat before, after;

	snprintf(beat, sizeof beat, "%s/beat", f->ws);
	run(f, "setsid sh -c 'trap \"\" TERM HUP; while :; do echo . >> beat; sleep 0.01; done' "
	       "</dev/null "
	       ">/dev/null 2>&1 & while ! test -s beat; do sleep 0.01; done");
	CHECK_INT(f->exit.survivors, 0);
	CHECK_INT(stat(beat, &before), 0);
	poll(NULL, 0, 100);
	CHECK_INT(stat(beat, &after), 0);
	CHECK_INT(after.st_size, before.st_size);
	teardown(f);
}

TEST(the_end_of_the_daemon_is_the_end_of_its_commands)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);
	int pidfd;

	run_plan(f, &plan, "p", "trap '' TERM; while :; do sleep 1000; done", NULL);
	CHECK(wait_for(f, &f->is_started));
	pidfd = fcntl(f->started.pidfd, F_DUPFD_CLOEXEC, 0);
	CHECK(!poll(&(struct pollfd){ .fd = pidfd, .events = POLLIN }, 1, 0));
	supervisor_client_free(f->hand, 0);
	CHECK(is_dead(pidfd));
	close(pidfd);
	f->hand = NULL;
	teardown(f);
}

TEST(a_killed_supervisor_ends_its_sandboxes)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	run_plan(f, &plan, "p", "trap '' TERM; while :; do sleep 1000; done", NULL);
	CHECK(wait_for(f, &f->is_started));
	CHECK_INT(kill(f->hand_pid, SIGKILL), 0);
	CHECK(is_dead(f->started.pidfd));
	CHECK(wait_for(f, &f->is_gone));
	CHECK_INT(supervisor_client_fd(f->hand), -1);
	teardown(f);
}

TEST(background_processes_outlive_the_daemon_and_are_found_again)
{
	struct fixture *f = settings(true);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	bool grown = false;
	struct error e;
	char text[64] = "";
	int fd;

	run_plan(f, &plan, "bg_1",
	         "echo one; while read x; do echo got $x; done; echo last >&2; exit 5",
	         &(struct supervisor_run){ .is_background = true, .stdin_pipe = true });
	CHECK(wait_for(f, &f->is_started));
	CHECK_HAS(str_from(f->path), "/spool/bg_1.out");
	close_started(f);
	while (!grown) {
		bool tick = false;
		int64_t end = clock_mono_ms() + 50;

		while (clock_mono_ms() < end && !tick) {
			poll(&(struct pollfd){ .fd = supervisor_client_fd(f->hand),
			                       .events = POLLIN },
			     1, 20);
			supervisor_client_step(f->hand);
			tick = f->spooled == 4;
		}
		grown = tick;
	}
	supervisor_client_free(f->hand, 0); /* the daemon is gone */
	f->hand = NULL;

	f->is_attached = false;
	int64_t end = clock_mono_ms() + WAIT_MS;

	/* the old end may not have been noticed yet */
	while (!f->is_attached && clock_mono_ms() < end) {
		f->is_gone = false;
		CHECK_OK(supervisor_client_attach(f->data, &ops, f, &f->hand, &e), &e);
		while (!f->is_attached && !f->is_gone) {
			poll(&(struct pollfd){ .fd = supervisor_client_fd(f->hand),
			                       .events = POLLIN },
			     1, 100);
			supervisor_client_step(f->hand);
		}
		if (!f->is_attached)
			supervisor_client_free(f->hand, 0);
	}
	CHECK(f->is_attached && wait_for(f, &f->is_listed));
	CHECK_INT(f->list_count, 1);
	CHECK_STR(str_from(f->list[0].id), "bg_1");
	CHECK_STR(str_from(f->list[0].state), "running");
	CHECK_INT(f->list[0].stdout_bytes, 4);

	supervisor_client_open(f->hand, STR("bg_1"));
	CHECK(wait_for(f, &f->is_opened));
	CHECK_INT(write(f->started.stdin_fd, "two\n", 4), 4);
	close_started(f);
	supervisor_client_close_stdin(f->hand, STR("bg_1"));
	f->is_over = false;
	CHECK(wait_for(f, &f->is_over));
	CHECK(f->exit.has_code && f->exit.code == 5 && f->exit.survivors == 0);
	CHECK_INT(f->exit.stdout_bytes, 12);
	CHECK_INT(f->exit.stderr_bytes, 5);
	fd = open(f->list[0].stdout_path, O_RDONLY);
	CHECK_INT(read(fd, text, sizeof text), 12);
	close(fd);
	CHECK_STR(str_from(text), "one\ngot two\n");

	struct supervisor_exit x;

	CHECK_OK(supervisor_client_exit_record(f->mem, f->data, STR("bg_1"), &x, &e), &e);
	CHECK(x.has_code && x.code == 5);
	f->done_req = 0;
	int64_t req = supervisor_client_forget(f->hand, STR("bg_1"));
	bool done = false;

	while (!done) {
		poll(&(struct pollfd){ .fd = supervisor_client_fd(f->hand), .events = POLLIN }, 1,
		     WAIT_MS);
		supervisor_client_step(f->hand);
		done = f->done_req == req;
	}
	CHECK_INT(access(f->list[0].stdout_path, F_OK), -1);
	teardown(f);
}

TEST(an_exit_record_with_many_hosts_is_read_whole)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char dir[] = "/tmp/thole-record-XXXXXX", path[64], command[64];
	struct supervisor_exit x;
	struct error e;
	FILE *f;

	CHECK(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/spool", dir);
	CHECK_INT(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/spool/bg_9.json", dir);
	f = fopen(path, "w");
	CHECK(f && fprintf(f, "{\"exitCode\":9,\"cause\":\"exit\",\"hosts\":[") > 0);
	for (int i = 0; i < 64; i++)
		fprintf(f, "%s{\"host\":\"%0250d.example\",\"port\":443,\"count\":1}", i ? "," : "",
		        i);
	CHECK(fprintf(f, "]}") > 0 && fclose(f) == 0);
	CHECK_OK(supervisor_client_exit_record(mem, dir, STR("bg_9"), &x, &e), &e);
	CHECK(x.has_code && x.code == 9);
	CHECK_INT(json_count(x.hosts), 64);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	CHECK_INT(system(command), 0);
}

TEST(a_background_process_that_ends_alone_leaves_its_exit_code)
{
	struct fixture *f = settings(true);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	char socket_path[128];
	struct supervisor_exit x;
	struct error e;
	int64_t end = clock_mono_ms() + WAIT_MS;

	snprintf(socket_path, sizeof socket_path, "%s/hand.sock", f->data);
	run_plan(f, &plan, "bg_2", "while ! test -e go; do sleep 0.01; done; echo done; exit 9",
	         &(struct supervisor_run){ .is_background = true });
	CHECK(wait_for(f, &f->is_started));
	supervisor_client_free(f->hand, 0);
	f->hand = NULL;
	CHECK_INT(access(socket_path, F_OK), 0);
	snprintf(f->reason, sizeof f->reason, "%s/go", f->ws);
	close(open(f->reason, O_CREAT | O_WRONLY, 0644));
	/* with nothing left to look after, the supervisor ends and takes its socket along */
	while (access(socket_path, F_OK) == 0 && clock_mono_ms() < end)
		poll(NULL, 0, 5);
	CHECK_OK(supervisor_client_exit_record(f->mem, f->data, STR("bg_2"), &x, &e), &e);
	CHECK(x.has_code && x.code == 9 && x.survivors == 0);
	CHECK_INT(x.stdout_bytes, 5);
	CHECK_INT(supervisor_client_attach(f->data, &ops, f, &f->hand, &e), ERR_NOT_FOUND);
	f->hand = NULL;
	teardown(f);
}

TEST(a_background_process_writes_where_it_is_told_and_may_not_be_silent)
{
	struct fixture *f = settings(true);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	char path[128], text[64] = "";
	int fd;

	snprintf(path, sizeof path, "%s/told", f->data);
	plan.limits.inactivity_ms =
		2500; /* on a busy machine a short sleep may last for a second */
	/* as long as it says something it lives: longer than the silence it may keep */
	run_plan(f, &plan, "bg_3",
	         "for i in 1 2 3 4 5 6; do echo $i; echo e >&2; sleep 0.5; done; sleep 1000",
	         &(struct supervisor_run){
			 .is_background = true, .is_merged = true, .spool = str_from(path) });
	CHECK(wait_for(f, &f->is_started));
	close_started(f);
	CHECK(wait_for(f, &f->is_over));
	CHECK_STR(str_from(f->cause), "inactivity");
	CHECK_INT(f->exit.survivors, 0);
	CHECK_INT(f->exit.stdout_bytes, 24);
	fd = open(path, O_RDONLY);
	CHECK_INT(read(fd, text, sizeof text), 24);
	close(fd);
	CHECK(str_starts(str_from(text), STR("1\ne\n2\ne\n")));
	/* the file is not the supervisor's: it stays */
	int64_t req = supervisor_client_forget(f->hand, STR("bg_3"));

	while (f->done_req != req) {
		poll(&(struct pollfd){ .fd = supervisor_client_fd(f->hand), .events = POLLIN }, 1,
		     100);
		supervisor_client_step(f->hand);
	}
	CHECK_INT(access(path, F_OK), 0);
	/* one that is there already is not written over */
	run_plan(f, &plan, "bg_4", "echo no",
	         &(struct supervisor_run){ .is_background = true, .spool = str_from(path) });
	f->is_over = false;
	CHECK(wait_for(f, &f->is_over));
	CHECK(f->is_refused);
	CHECK_INT(access(path, F_OK), 0);
	teardown(f);
}

TEST(no_client_attaches_without_the_secret)
{
	struct fixture *f = settings(true);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char buf[256];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s/hand.sock", f->data);
	CHECK_INT(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
	CHECK(send(fd, "{\"type\":\"attach\",\"secret\":\"0000\"}", 34, MSG_NOSIGNAL) > 0);
	CHECK_INT(recv(fd, buf, sizeof buf, 0), 0);
	close(fd);
	snprintf(buf, sizeof buf, "%s/hand.secret", f->data);

	struct stat st;

	CHECK_INT(stat(buf, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	teardown(f);
}

TEST(a_plan_larger_than_a_packet_goes_through)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);
	struct str argv[4000];
	struct supervisor_run r = { .id = STR("p"),
		                    .plan = &plan,
		                    .argv = { argv, COUNT_OF(argv) } };

	argv[0] = STR("/bin/true");
	for (size_t i = 1; i < COUNT_OF(argv); i++)
		argv[i] = STR("0123456789abcdef");
	supervisor_client_run(f->hand, &r);
	CHECK(wait_for(f, &f->is_over));
	CHECK(!f->is_refused && f->exit.code == 0);
	teardown(f);
}

TEST(nonsense_is_refused_and_does_no_harm)
{
	static const char *const bad[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"type\":7}",
		"{\"type\":\"run\"}",
		"{\"type\":\"run\",\"id\":\"a/b\"}",
		"{\"type\":\"run\",\"id\":\"a\",\"argv\":[]}",
		"{\"type\":\"run\",\"id\":\"a\",\"argv\":[\"x\"],\"plan\":{}}",
		"{\"type\":\"run\",\"id\":\"a\",\"argv\":[\"x\"],\"wish\":1}",
		"{\"type\":\"signal\",\"id\":\"none\"}",
		"{\"type\":\"run\",\"body\":\"fd\"}",
		"{\"type\":\"kill\"}",
		"{\"type\":\"fly\"}",
		"{\"type\":\"run\",\"id\":\"a\",\"argv\":[\"a\\u0000b\"],\"plan\":{}}",
		"{\"type\":\"list\",\"type\":\"list\"}",
	};
	char buf[4096];
	int pair[2], status;
	char fd_text[16];

	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	fcntl(pair[0], F_SETFD, FD_CLOEXEC);
	snprintf(fd_text, sizeof fd_text, "%d", pair[1]);

	pid_t pid = fork();

	if (pid == 0) {
		execl(program(), "thole-supervisor", "serve", "--fd", fd_text, NULL);
		_exit(127);
	}
	close(pair[1]);
	CHECK(recv(pair[0], buf, sizeof buf, 0) > 0);
	for (size_t i = 1; i < COUNT_OF(bad); i++) {
		CHECK(send(pair[0], bad[i], strlen(bad[i]), MSG_NOSIGNAL) > 0);
		ssize_t len = recv(pair[0], buf, sizeof buf, 0);

		CHECK(len > 0);
		CHECK_HAS(str_of(buf, (size_t)len), "\"type\":\"refused\"");
	}
	/* a packet above the bound is refused as a whole, and the next one is read */
	static char large[70000];

	memset(large, ' ', sizeof large);
	CHECK_INT(send(pair[0], large, sizeof large, MSG_NOSIGNAL), (long long)sizeof large);
	CHECK(recv(pair[0], buf, sizeof buf, 0) > 0);
	CHECK(send(pair[0], "{\"type\":\"list\",\"req\":4}", 23, MSG_NOSIGNAL) > 0);
	ssize_t len = recv(pair[0], buf, sizeof buf, 0);

	CHECK(len > 0);
	CHECK_HAS(str_of(buf, (size_t)len), "\"req\":4");
	close(pair[0]);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What the runtime and the file tool do around an approved write, without them. */
TEST(an_approved_file_is_closed_for_a_command_that_runs_beside_the_tool)
{
	struct fixture *f = settings(false);
	struct sandbox_plan other = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_RESTRICTED);
	struct str open[] = { arena_printf(f->mem, "%s/AGENTS.md", f->ws),
		              arena_printf(f->mem, "%s/.github/workflows/ci.yml", f->ws) };
	struct sandbox_profile w = { .mode = SANDBOX_WORKSPACE_WRITE,
		                     .cwd = str_from(f->ws),
		                     .openat2 = true,
		                     .network = SANDBOX_NETWORK_OFF,
		                     .open = { open, 2 } };
	struct sandbox_plan tool;
	struct json files, one;
	struct error e;
	char text[64] = "";

	w.tmp_dir = arena_printf(f->mem, "%s/tmp", f->dir);
	CHECK_OK(sandbox_plan_make(f->mem, &f->host, &w, &tool, &e), &e);
	if (!sandbox_tier_has_namespaces(tool.tier)) {
		teardown(f);
		return;
	}
	run_plan(f, &other, "other",
	         /* the next command's pipe takes the place of this one's */
	         "exec 2>/dev/null; until [ -e go ]; do sleep 0.02; done; for n in AGENTS.md "
	         ".thole-*.new/x "
	         ".thole-*.new; do echo evil > $n; done; mv .thole-*.new x; chmod 777 AGENTS.md; "
	         "ln AGENTS.md x; mkdir -p .github/workflows/sub; touch ended",
	         NULL);
	CHECK(wait_for(f, &f->is_started));
	run_plan(f, &tool, "tool", "sleep 600", NULL);
	CHECK(wait_for(f, &f->is_started));
	supervisor_client_prepare(f->hand, STR("tool"));
	CHECK(wait_for(f, &f->is_prepared));
	CHECK_STR(str_from(f->why), "");
	CHECK_OK(json_read(f->mem, str_from(f->files), &files, &e), &e);
	CHECK_INT(json_count(files), 2);

	struct json_iter it = json_iter(files);
	struct str key, temp = STR_NONE;

	while (json_next(&it, &key, &one)) {
		struct str entry = json_str(JSON_GET(one, "entry"));
		bool is_dir = json_bool(JSON_GET(one, "isDirectory"), false);

		CHECK(is_dir == str_ends(entry, STR("/.github")));
		CHECK(is_dir || str_eq(entry, open[0]));
		if (!is_dir)
			temp = json_str(JSON_GET(one, "temp"));
	}
	CHECK(str_is(temp));

	int fd = openat(AT_FDCWD, temp.ptr, O_WRONLY);

	CHECK(fd >= 0 && write(fd, "good\n", 5) == 5);
	close(fd);
	/* its placeholder is in the way */
	CHECK_INT(renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, open[0].ptr, RENAME_EXCHANGE), 0);
	CHECK_INT(rmdir(temp.ptr), 0);
	fd = openat(AT_FDCWD, arena_printf(f->mem, "%s/go", f->ws).ptr, O_CREAT | O_WRONLY, 0666);
	CHECK(fd >= 0);
	close(fd);
	for (int n = 0; n < 1000 && access(arena_printf(f->mem, "%s/ended", f->ws).ptr, F_OK); n++)
		usleep(20000);
	CHECK_INT(access(arena_printf(f->mem, "%s/ended", f->ws).ptr, F_OK), 0);
	/* the first command has ended; from here an end is that of the tool */
	CHECK(wait_for(f, &f->is_over));
	fd = openat(AT_FDCWD, open[0].ptr, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof text - 1) == 5);
	close(fd);
	CHECK_STR(str_from(text), "good\n");
	CHECK(access(arena_printf(f->mem, "%s/x", f->ws).ptr, F_OK) != 0);

	/* once for each tool; the other temporary directory goes with it */
	f->is_prepared = false;
	supervisor_client_prepare(f->hand, STR("tool"));
	CHECK(wait_for(f, &f->is_prepared) && f->why[0]);
	f->is_over = false;
	supervisor_client_kill(f->hand, STR("tool"), 0);
	CHECK(wait_for(f, &f->is_over));
	it = json_iter(files);
	while (json_next(&it, &key, &one))
		CHECK(access(json_str(JSON_GET(one, "temp")).ptr, F_OK) != 0);
	teardown(f);
}

static int count_of_temps(struct fixture *f, const char *where)
{
	glob_t found;
	int count;

	glob(arena_printf(f->mem, "%s/%s.thole-*.new", f->ws, where).ptr, GLOB_PERIOD, NULL,
	     &found);
	count = (int)found.gl_pathc;
	globfree(&found);
	return count;
}

TEST(what_a_killed_supervisor_has_prepared_goes_when_the_next_one_starts)
{
	struct fixture *f = settings(true);
	struct sandbox_plan other = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str open[] = { arena_printf(f->mem, "%s/AGENTS.md", f->ws),
		              arena_printf(f->mem, "%s/.github/workflows/ci.yml", f->ws) };
	struct sandbox_profile w = { .mode = SANDBOX_WORKSPACE_WRITE,
		                     .cwd = str_from(f->ws),
		                     .openat2 = true,
		                     .network = SANDBOX_NETWORK_OFF,
		                     .open = { open, 2 } };
	struct sandbox_plan tool;
	struct error e;

	CHECK_OK(sandbox_plan_make(f->mem, &f->host, &w, &tool, &e), &e);
	for (int is_beside = 0; is_beside < 2 && sandbox_tier_has_namespaces(tool.tier);
	     is_beside++) {
		const char *where = is_beside ? "" : ".thole/";
		pid_t init;

		run_plan(f, &other, "other", "sleep 600", NULL);
		CHECK(wait_for(f, &f->is_started));
		init = parent_of(f->started.pid);
		run_plan(f, &tool, "tool", "sleep 600", NULL);
		CHECK(wait_for(f, &f->is_started));
		if (!is_beside)
			CHECK_INT(kill(init, SIGSTOP), 0); /* the request waits for it */
		supervisor_client_prepare(f->hand, STR("tool"));
		for (int n = 0; n < 1000 && count_of_temps(f, where) < 1 + is_beside; n++)
			usleep(20000);
		CHECK_INT(count_of_temps(f, where), 1 + is_beside);
		CHECK_INT(kill(f->hand_pid, SIGKILL), 0);
		kill(init, SIGCONT);
		CHECK(is_dead(f->started.pidfd) && wait_for(f, &f->is_gone));
		close_started(f);
		supervisor_client_free(f->hand, 0);
		f->is_gone = f->is_probed = false;
		start_hand(f, true);
		CHECK_INT(count_of_temps(f, where), 0);
	}
	teardown(f);
}

/* A tool that may delete AGENTS.md, prepared.  needs: another sandbox could take its name. */
static bool prepare_deletion(struct fixture *f, bool needs, struct str *ret_placeholder)
{
	struct str open[] = { arena_printf(f->mem, "%s/AGENTS.md", f->ws) };
	struct sandbox_profile w = { .mode = SANDBOX_WORKSPACE_WRITE,
		                     .cwd = str_from(f->ws),
		                     .openat2 = true,
		                     .network = SANDBOX_NETWORK_OFF,
		                     .tmp_dir = arena_printf(f->mem, "%s/tmp", f->dir),
		                     .open = { open, 1 } };
	int fd = openat(AT_FDCWD, open[0].ptr, O_CREAT | O_WRONLY, 0644);
	struct sandbox_plan tool;
	struct json files, one;
	struct str key;
	struct error e;

	CHECK(fd >= 0);
	close(fd);
	CHECK_OK(sandbox_plan_make(f->mem, &f->host, &w, &tool, &e), &e);
	if (!sandbox_tier_has_namespaces(tool.tier))
		return false;
	run_plan(f, &tool, "tool", "sleep 600", NULL);
	CHECK(wait_for(f, &f->is_started));
	f->is_prepared = false;
	supervisor_client_prepare(f->hand, STR("tool"));
	CHECK(wait_for(f, &f->is_prepared));
	CHECK_STR(str_from(f->why), "");
	CHECK_OK(json_read(f->mem, str_from(f->files), &files, &e), &e);
	CHECK_INT(json_count(files), 1);

	struct json_iter it = json_iter(files);

	CHECK(json_next(&it, &key, &one));
	CHECK(json_bool(JSON_GET(one, "needsExchange"), !needs) == needs);
	*ret_placeholder = json_str(JSON_GET(one, "placeholder"));
	CHECK(str_is(*ret_placeholder));
	return true;
}

static bool is_placeholder(struct fixture *f, const char *name)
{
	struct stat st;

	return lstat(arena_printf(f->mem, "%s/%s", f->ws, name).ptr, &st) == 0 &&
	       S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0555;
}

static bool is_there(struct fixture *f, const char *name)
{
	return access(arena_printf(f->mem, "%s/%s", f->ws, name).ptr, F_OK) == 0;
}

static void end_job(struct fixture *f, const char *id)
{
	f->is_over = false;
	supervisor_client_kill(f->hand, str_from(id), 0);
	CHECK(wait_for(f, &f->is_over));
}

/* Without another sandbox nothing is left when the tool has ended, also when it deleted nothing. */
TEST(a_deleted_file_leaves_a_placeholder_as_long_as_a_sandbox_relies_on_it)
{
	struct fixture *f = settings(false);
	struct sandbox_plan other = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str file = arena_printf(f->mem, "%s/AGENTS.md", f->ws), placeholder;

	if (!prepare_deletion(f, false, &placeholder)) {
		teardown(f);
		return;
	}
	CHECK_INT(renameat2(AT_FDCWD, placeholder.ptr, AT_FDCWD, file.ptr, RENAME_EXCHANGE), 0);
	CHECK_INT(unlink(placeholder.ptr), 0);
	end_job(f, "tool");
	CHECK(!is_there(f, "AGENTS.md"));
	CHECK(prepare_deletion(f, false, &placeholder));
	end_job(f, "tool");
	CHECK(!is_placeholder(f, "AGENTS.md") && is_there(f, "AGENTS.md"));
	CHECK_INT(unlink(file.ptr), 0);

	/* a sandbox that starts before the exchange, when none was concerned */
	CHECK(prepare_deletion(f, false, &placeholder));
	run_plan(f, &other, "late",
	         "touch begun; until [ -e go ]; do sleep 0.02; done; "
	         "rmdir AGENTS.md; echo evil > AGENTS.md; mv AGENTS.md x; "
	         "echo evil > AGENTS.md/x; chmod 777 AGENTS.md; touch ended; "
	         "sleep 600",
	         NULL);
	for (int n = 0; n < 1000 && !is_there(f, "begun"); n++)
		usleep(20000);
	CHECK_INT(renameat2(AT_FDCWD, placeholder.ptr, AT_FDCWD, file.ptr, RENAME_EXCHANGE), 0);
	CHECK_INT(unlink(placeholder.ptr), 0);
	end_job(f, "tool");
	CHECK(is_placeholder(f, "AGENTS.md"));
	close(openat(AT_FDCWD, arena_printf(f->mem, "%s/go", f->ws).ptr, O_CREAT | O_WRONLY, 0666));
	for (int n = 0; n < 1000 && !is_there(f, "ended"); n++)
		usleep(20000);
	CHECK(is_there(f, "ended") && is_placeholder(f, "AGENTS.md") &&
	      !is_there(f, "AGENTS.md/x"));
	end_job(f, "late");
	for (int n = 0; n < 1000 && is_there(f, "AGENTS.md"); n++)
		usleep(20000);
	CHECK(!is_there(f, "AGENTS.md"));
	teardown(f);
}

/* Beside another sandbox: before the exchange, after it, and after the old file is gone. */
TEST(a_deletion_whose_supervisor_was_killed_leaves_the_file_or_a_placeholder)
{
	struct fixture *f = settings(true);
	struct sandbox_plan other = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
	struct str file = arena_printf(f->mem, "%s/AGENTS.md", f->ws), placeholder;

	for (int step = 0; step < 3; step++) {
		close(openat(AT_FDCWD, file.ptr, O_CREAT | O_WRONLY, 0644));
		run_plan(f, &other, "other", "sleep 600", NULL);
		CHECK(wait_for(f, &f->is_started));
		if (!prepare_deletion(f, true, &placeholder))
			break;
		if (step > 0)
			CHECK_INT(renameat2(AT_FDCWD, placeholder.ptr, AT_FDCWD, file.ptr,
			                    RENAME_EXCHANGE),
			          0);
		if (step > 1)
			CHECK_INT(unlink(placeholder.ptr), 0);
		CHECK_INT(kill(f->hand_pid, SIGKILL), 0);
		CHECK(is_dead(f->started.pidfd) && wait_for(f, &f->is_gone));
		close_started(f);
		supervisor_client_free(f->hand, 0);
		f->is_gone = f->is_probed = false;
		start_hand(f, true);
		CHECK_INT(count_of_temps(f, ""), 0);
		CHECK(is_there(f, "AGENTS.md") && is_placeholder(f, "AGENTS.md") == (step > 0));
		if (step == 0)
			CHECK_INT(unlink(file.ptr), 0);
		/* the next sandbox takes it, and removes it */
		run_plan(f, &other, "other", "true", NULL);
		f->is_over = false;
		CHECK(wait_for(f, &f->is_over));
		for (int n = 0; n < 1000 && is_there(f, "AGENTS.md"); n++)
			usleep(20000);
		CHECK(!is_there(f, "AGENTS.md"));
	}
	teardown(f);
}

TEST(many_commands_run_side_by_side)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_RESTRICTED);
	const int count = 40;
	bool all = false;
	int64_t end = clock_mono_ms() + WAIT_MS;

	for (int i = 0; i < count; i++) {
		char id[16];

		snprintf(id, sizeof id, "p%d", i);
		run_plan(f, &plan, id, "exit 3", NULL);
	}
	f->exits = 0;
	while (!all && clock_mono_ms() < end) {
		poll(&(struct pollfd){ .fd = supervisor_client_fd(f->hand), .events = POLLIN }, 1,
		     100);
		supervisor_client_step(f->hand);
		all = f->exits == count;
	}
	CHECK_INT(f->exits, count);
	CHECK(!f->is_refused);
	teardown(f);
}

TEST(an_id_is_used_once_at_a_time)
{
	struct fixture *f = settings(false);
	struct sandbox_plan plan = plan_in(f, SANDBOX_READ_ONLY, SANDBOX_NETWORK_OFF);

	run_plan(f, &plan, "p", "sleep 1000", NULL);
	CHECK(wait_for(f, &f->is_started));
	run_plan(f, &plan, "p", "true", NULL);
	CHECK(wait_for(f, &f->is_over) && f->is_refused);
	CHECK_STR(str_from(f->kind), "protocol");
	teardown(f);
}

TEST(a_program_that_others_can_write_is_not_started)
{
	struct supervisor_options o = { .path = "/var/tmp/thole-test-writable" };
	struct supervisor_client *c;
	struct error e;

	close(open(o.path, O_CREAT | O_WRONLY, 0700));
	CHECK_INT(chmod(o.path, 0777), 0);
	CHECK_INT(supervisor_client_start(&o, &ops, NULL, &c, &e), ERR_INVALID);
	unlink(o.path);
	CHECK_INT(supervisor_client_start(&o, &ops, NULL, &c, &e), ERR_NOT_FOUND);
}

/* One maker, two descriptions of the machine: what the supervisor found and what it sent. */
TEST(the_supervisor_plans_its_own_commands_as_the_runtime_does)
{
	struct fixture *f = settings(false);
	static const struct {
		enum sandbox_plan_mode mode;
		const char *mode_name;
		enum sandbox_network network;
		const char *network_name;
	} cases[] = {
		{ SANDBOX_READ_ONLY, "read_only", SANDBOX_NETWORK_OFF, "off" },
		{ SANDBOX_WORKSPACE_WRITE, "workspace_write", SANDBOX_NETWORK_RESTRICTED,
		  "restricted" },
		{ SANDBOX_WORKSPACE_WRITE, "workspace_write", SANDBOX_NETWORK_FULL, "full" },
		{ SANDBOX_DANGER_FULL_ACCESS, "danger_full_access", SANDBOX_NETWORK_FULL, "full" },
	};
	static const char *const homes[] = { "/home/user", "/", "%s/ws", "%s" };
	char tools[128];

	snprintf(tools, sizeof tools, "%s/.cargo", f->dir);
	CHECK_INT(mkdir(tools, 0755), 0);

	for (size_t i = 0; i < COUNT_OF(cases) * COUNT_OF(homes); i++) {
		CLEANUP(buf_done) struct buf ours = { 0 };
		struct json_writer w;
		struct sandbox_plan plan;
		struct str write[] = { str_from(f->dir) };
		struct str hosts[] = { STR("example.org"), STR("[fd00::]/8:*") };
		bool has_hosts = cases[i % 4].network == SANDBOX_NETWORK_RESTRICTED;
		char command[512], theirs[16384], home[128];
		struct error e;

		snprintf(home, sizeof home, homes[i / COUNT_OF(cases)], f->dir);
		f->is_probed = false;
		supervisor_client_probe(f->hand, str_from(home)); /* knows the toolchains there */
		CHECK(wait_for(f, &f->is_probed));

		struct sandbox_profile p = { .mode = cases[i % 4].mode,
			                     .cwd = str_from(f->ws),
			                     .home = str_from(home),
			                     .network = cases[i % 4].network,
			                     .allow = { hosts, has_hosts ? COUNT_OF(hosts) : 0 },
			                     .write = { write, 1 } };

		snprintf(command, sizeof command,
		         "HOME=%s %s sandbox-run --plan --profile %s --net %s -C %s --write %s %s",
		         home, program(), cases[i % 4].mode_name, cases[i % 4].network_name, f->ws,
		         f->dir,
		         has_hosts ? "--allow-host example.org --allow-host '[fd00::]/8:*'" : "");

		FILE *out = popen(command, "r");
		size_t len = fread(theirs, 1, sizeof theirs - 1, out);

		CHECK_INT(pclose(out), 0);
		if (plan_in(f, p.mode, p.network).tier < SANDBOX_NAMESPACES_ROOT &&
		    p.mode < SANDBOX_DANGER_FULL_ACCESS)
			continue; /* the temporary directory has another name each time */
		CHECK_OK(sandbox_plan_make(f->mem, &f->host, &p, &plan, &e), &e);
		jw_init(&w, &ours);
		sandbox_plan_write(&w, &plan);
		buf_add_char(&ours, '\n');
		CHECK_SAME(str_of(theirs, len), buf_str(&ours));
	}
	teardown(f);
}

TEST(weaker_tiers_hold_what_they_promise)
{
	struct fixture *f = settings(false);
	struct sandbox_host host = f->host;
	char outside[192];

	snprintf(outside, sizeof outside,
	         "echo x > %s/outside; test -w . && echo in > inside; echo tmp > $TMPDIR/t",
	         f->dir);
	for (int t = SANDBOX_LANDLOCK_ROOT; t < SANDBOX_TIERS; t++) {
		if (!host.has[t])
			continue;
		memset(f->host.has, 0, sizeof f->host.has);
		f->host.has[t] = true;

		struct sandbox_plan plan = plan_in(f, SANDBOX_WORKSPACE_WRITE, SANDBOX_NETWORK_OFF);
		char path[128];

		CHECK_INT(plan.tier, t);
		run_plan(f, &plan, "p", outside, NULL);
		CHECK(wait_for(f, &f->is_over));
		CHECK(!f->is_refused && f->exit.survivors == 0);
		snprintf(path, sizeof path, "%s/outside", f->dir);
		CHECK_INT(access(path, F_OK), -1);
		snprintf(path, sizeof path, "%s/inside", f->ws);
		CHECK_INT(unlink(path), 0);
		snprintf(path, sizeof path, "%s/tmp", f->dir);
		CHECK_INT(access(path, F_OK), -1); /* the temporary directory is gone */
	}
	teardown(f);
}

TEST_MAIN()
