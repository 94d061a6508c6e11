/* serve: runs the daemon until a signal or `thole serve --stop` ends it. */
#include "app/cli/daemon.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/cli_settings.h"
#include "app/harden.h"
#include "app/service.h"
#include "app/trim_memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_WANTED 65536
#define SETTLED_MS 1000 /* after the start */

/*
 * Other users get no access to the daemon's files.  Files that tools create in the workspace follow
 * the user's umask: the supervisor gets the original one (supervisor_client/supervisor_client.c).
 */
static void take_umask(void)
{
	char text[8];

	snprintf(text, sizeof text, "%04o", (unsigned)umask(077));
	setenv("THOLE_USER_UMASK", text, 1);
}

/* Every reader of events is a descriptor; the soft limit is for programs that use select(). */
static void raise_file_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_WANTED)
		return;
	files.rlim_cur = MIN(files.rlim_max, FILES_WANTED);
	setrlimit(RLIMIT_NOFILE, &files);
}

/* Blocks signals before the first thread starts, so that only the signalfd receives them. */
static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* A library without memory may abort without a message. */
static void say_abort(int sig)
{
	static const char words[] = "thole: ended by itself; what it acknowledged is kept\n";

	(void)sig; /* SA_RESETHAND has removed the handler; the signal is raised again */
	(void)!write(STDERR_FILENO, words, sizeof words - 1);
}

static void set_abort_handler(void)
{
	struct sigaction act = { .sa_handler = say_abort, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGABRT, &act, NULL);
}

/* PID 1 of a container adopts orphans, and gets only the signals that it handles. */
static bool is_first(void)
{
	return getpid() == 1;
}

/*
 * As PID 1 the daemon inherits orphans; the kernel reaps them.  exec resets the flag for the
 * supervisor.
 */
static void ignore_orphans(void)
{
	struct sigaction act = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };

	if (is_first())
		sigaction(SIGCHLD, &act, NULL);
}

static void end_at_once(int sig)
{
	_exit(128 + sig);
}

/*
 * Restores the default: a signal ends the process immediately.  The orderly end may take long,
 * and a second signal must work then.
 */
static void give_signals_back(void)
{
	void (*end)(int) = is_first() ? end_at_once : SIG_DFL;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	signal(SIGINT, end);
	signal(SIGTERM, end);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void tell_address(struct cli *c)
{
	int port = thole_port(c->t);
	const char *first = c->opts.listen.items[0];
	const char *colon = first ? strrchr(first, ':') : NULL;

	if (port && colon)
		out_error(c, "http://%.*s:%d  data %s", (int)(colon - first), first, port, c->data);
	else
		out_error(c, "unix:%s  data %s", c->socket, c->data);
}

/* Only in a terminal: a sign-in code must not be in a log. */
static void tell_console(struct cli *c)
{
	struct ref nowhere = { 0 };
	struct str url;

	if (c->is_tty_err && !c->opts.quiet && thole_port(c->t) &&
	    open_console_address(c, &nowhere, &url) == CODE_DONE && str_is(url))
		out_note(c, TONE_DIM, "console %.*s  (once, within a minute; later `thole open`)",
		         STR_ARG(url));
}

/*
 * A keepalive must mean that the runtime answers, not only that this thread
 * runs.  With --idle-exit the runtime is not asked, because a call resets its
 * idle time.
 */
static void send_watchdog(struct cli *c, const struct service *sv)
{
	char *reply = NULL;

	if (c->opts.idle_exit_ms || thole_call(c->t, "get_capabilities", NULL, &reply) == THOLE_OK)
		service_tell(sv, "WATCHDOG=1");
	thole_free(reply);
}

/*
 * Memory is trimmed once, a second after the start, when the code of the start is no longer
 * needed.
 */
static int wait_for_the_end(struct cli *c, const struct service *sv, int signals)
{
	struct pollfd fds[] = { { .fd = signals, .events = POLLIN },
		                { .fd = thole_done_fd(c->t), .events = POLLIN } };
	struct signalfd_siginfo taken;
	struct thole_error e = { 0 };
	int got = poll(fds, COUNT_OF(fds), SETTLED_MS);

	if (got == 0)
		trim_memory();
	while (got == 0 || (got < 0 && errno == EINTR)) {
		if (got == 0 && sv->watchdog_ms)
			send_watchdog(c, sv);
		got = poll(fds, COUNT_OF(fds), sv->watchdog_ms ? sv->watchdog_ms : -1);
	}
	service_tell(sv, "STOPPING=1");
	if (!fds[1].revents) {
		/* A pending signal would end the process when signals are restored. */
		(void)!read(signals, &taken, sizeof taken);
		out_error(c, "stopping; a second signal ends it at once");
		return CODE_DONE;
	}
	if (thole_why_done(c->t, &e) == THOLE_OK) {
		out_error(c, c->opts.idle_exit_ms ? "nothing to do; ends by itself"
		                                  : "other nodes have its work; ends");
		return CODE_DONE;
	}
	out_error(c, "the store failed: %s", out_safe(c->mem, str_from(e.message)));
	return CODE_STORE;
}

/* Sockets of the service manager first, then --listen. */
static const char *const *all_listeners(struct cli *c, struct service *sv)
{
	const char **all = ARENA_ARRAY(c->mem, const char *, SERVICE_FDS_MAX + WORDS_MAX + 1);
	int n = 0;

	for (int i = 0; i < sv->tcp_count; i++)
		all[n++] = sv->tcp_sockets[i];
	for (int i = 0; i < c->opts.listen.count; i++)
		all[n++] = c->opts.listen.items[i];
	return n ? all : NULL;
}

/*
 * What concerns the whole process comes before thole_open(), which starts threads and the
 * supervisor.
 */
static int serve(struct cli *c, struct service *sv)
{
	struct thole_options o = {
		.data_dir = c->data,
		.script = c->opts.script,
		.listen = all_listeners(c, sv),
		.socket = sv->unix_socket,
		.allow_remote = c->opts.allow_remote,
		.unattended = c->opts.unattended,
		.idle_exit_ms = (int)c->opts.idle_exit_ms,
	};
	struct thole_error e = { 0 };
	struct cli_settings s;
	int signals, code = cli_settings_read(c, &s);

	if (code)
		return code;
	o.config = s.config;
	o.project = s.project;
	o.overrides = s.overrides;
	o.rule_files = s.rule_files;
	harden();
	take_umask();
	raise_file_limit();
	set_abort_handler();
	ignore_orphans();
	signals = take_signals();
	if (signals < 0) {
		out_error(c, "signals cannot be taken: %s", strerror(errno));
		return CODE_FAILED;
	}
	c->t = thole_open(&o, &e);
	/* A client started this daemon and another daemon took the lock first: that is no error. */
	if (!c->t && e.code == THOLE_BUSY && c->opts.quiet)
		return CODE_FAILED;
	if (!c->t)
		return connection_print_open_error(c, &e);
	tell_address(c);
	tell_console(c);
	service_tell(sv, "READY=1");
	code = wait_for_the_end(c, sv, signals);
	give_signals_back();
	connection_close(c);
	return code;
}

int verb_serve(struct cli *c)
{
	struct service sv;
	int code = CODE_CONFIG;

	if (c->opts.stop)
		return daemon_stop(c);
	code = cli_settings_allow_hosts(c);
	if (!code)
		code = cli_settings_store(c);
	if (code)
		return code;
	code = CODE_CONFIG;
	if (service_begin(&sv))
		code = serve(c, &sv);
	else
		out_error(c,
		          "The descriptors of LISTEN_FDS are not what this can listen on: at most "
		          "one "
		          "Unix socket, and %d of TCP.",
		          SERVICE_FDS_MAX);
	service_done(&sv);
	return code;
}
