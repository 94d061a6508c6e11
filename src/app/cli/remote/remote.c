/*
 * Opens the way to a remote daemon.
 *
 *   ssh -M HOST 'thole ps; thole path socket; pwd' ──► ssh -O forward -L PRIVATE:SOCKET ──► connect
 *
 * The first command authenticates once, starts the daemon if none runs, and
 * leaves a master connection in the background; the second adds the forwarding
 * to it.  The master ends with this program, or a minute after the last
 * connection if this program was killed.  Programs that this one starts (the
 * chat starts verbs) find the socket in their environment.
 */
#include "app/cli/remote/remote.h"

#include "app/child.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERSIST "ControlPersist=60"
#define REPLY_MAX 16384
#define ARGS_MAX 24

extern char **environ;

/* ---- the address ---- */

struct address {
	const char *target; /* [user@]host */
	const char *port;   /* NULL: ssh decides */
	const char *dir;    /* NULL: the home directory there */
};

/* ssh://[USER@]HOST[:PORT][/DIR].  A host that begins with - would be an option of ssh. */
static int read_address(struct cli *c, const char *text, struct address *ret)
{
	struct str rest = str_from(text), target;
	ptrdiff_t slash;

	if (!str_starts(rest, STR("ssh://")) && strcmp(c->verb->name, "mcp") == 0)
		return opt_usage(c, "-H is --host, another machine. A header of a tool server is "
		                    "given with --header.");
	if (!str_starts(rest, STR("ssh://")))
		return opt_usage(c, "--host wants ssh://[USER@]HOST[:PORT][/DIR], not \"%s\".",
		                 out_safe(c->mem, rest));
	rest = str_skip(rest, 6);
	slash = str_find_char(rest, '/');
	*ret = (struct address){ 0 };
	if (slash >= 0 && (size_t)slash + 1 < rest.len)
		ret->dir = arena_keep(c->mem, str_skip(rest, (size_t)slash)).ptr;
	target = slash >= 0 ? str_head(rest, (size_t)slash) : rest;
	if (target.len && target.ptr[target.len - 1] != ']') {
		struct str port = target, host = str_cut(&port, ':');
		uint64_t number;

		if (str_is(port) && (!str_to_u64(port, &number) || !number || number > 65535))
			return opt_usage(c, "--host: \"%s\" is no port.", out_safe(c->mem, port));
		ret->port = str_is(port) ? arena_keep(c->mem, port).ptr : NULL;
		target = host;
	}
	ret->target = arena_keep(c->mem, target).ptr;
	for (size_t i = 0; i < target.len; i++)
		if ((unsigned char)target.ptr[i] <= ' ')
			target.len = 0;
	if (!target.len || target.ptr[0] == '-')
		return opt_usage(c, "--host names no host.");
	return CODE_DONE;
}

const char *remote_host(const struct cli *c)
{
	const char *host = c->opts.host ? c->opts.host : getenv("THOLE_HOST");

	return host && *host ? host : NULL;
}

/* ---- ssh ---- */

struct ssh {
	char *args[ARGS_MAX];
	int count;
	bool is_quiet; /* its messages are not shown */
};

static const char *program(void)
{
	const char *named = getenv("THOLE_SSH");

	return named && *named ? named : "ssh";
}

static void add_arg(struct ssh *s, const char *word)
{
	if (s->count + 1 < ARGS_MAX)
		s->args[s->count++] = (char *)word;
}

static struct ssh ssh_begin(struct cli *c, const struct address *a)
{
	struct ssh s = { .is_quiet = c->remote_is_quiet };

	add_arg(&s, program());
	add_arg(&s, "-S");
	add_arg(&s, arena_printf(c->mem, "%s/c", c->remote_tmp).ptr);
	if (a->port) {
		add_arg(&s, "-p");
		add_arg(&s, a->port);
	}
	return s;
}

static void ssh_target(struct ssh *s, const struct address *a)
{
	add_arg(s, "--");
	add_arg(s, a->target);
}

/* Its exit code; -1: it could not be started.  out: what it writes; NULL: it is not wanted. */
static int ssh_run(struct cli *c, const struct ssh *s, struct str *ret_out)
{
	posix_spawn_file_actions_t files;
	int pipe_fds[2], status = 0, code;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipe_fds[1], STDOUT_FILENO);
	if (s->is_quiet)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	code = posix_spawnp(&pid, s->args[0], &files, NULL, s->args, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipe_fds[1]);
	if (!code) {
		struct str text = paths_drain_fd(c->mem, pipe_fds[0], REPLY_MAX);

		if (ret_out)
			*ret_out = str_is(text) ? text : STR("");
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(pipe_fds[0]);
	if (code && !s->is_quiet)
		out_error(c, "%s cannot be started: %s.", s->args[0], strerror(code));
	return code ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* For the shell there: inside single quotes only the quote itself is special. */
static const char *quoted(struct cli *c, const char *word)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_char(&out, '\'');
	for (; *word; word++)
		buf_add_c(&out, *word == '\'' ? "'\\''" : (char[]){ *word, 0 });
	buf_add_char(&out, '\'');
	return arena_keep(c->mem, buf_str(&out)).ptr;
}

/* ---- opening ---- */

/* They read or change files, processes or settings of the machine they run on. */
static const char *const local_verbs[] = { "apply",  "discard", "serve",  "setup", "auth",
	                                   "config", "sandbox", "doctor", "demo",  "token",
	                                   "pair",   "rpc",     "open",   "path",  "verify",
	                                   "import", "files" };

static int check_verb(struct cli *c, const struct address *a)
{
	for (size_t i = 0; i < COUNT_OF(local_verbs); i++)
		if (strcmp(c->verb->name, local_verbs[i]) == 0) {
			out_error(c, "`thole %s` works on the machine it is typed on.",
			          c->verb->name);
			fprintf(stderr, "  There: ssh %s thole %s\n",
			        out_safe(c->mem, str_from(a->target)), c->verb->name);
			return CODE_USAGE;
		}
	if (c->opts.here || c->opts.worktree)
		return opt_usage(c, "%s does not go with --host.",
		                 c->opts.here ? "--here" : "--worktree");
	return CODE_DONE;
}

/* Short, because a path of a socket is. */
static int make_place(struct cli *c)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	char *dir;

	if (!base || base[0] != '/' || strlen(base) > 60 || access(base, W_OK) != 0)
		base = "/tmp";
	dir = (char *)arena_printf(c->mem, "%s/thole-ssh-XXXXXX", base).ptr;
	if (!mkdtemp(dir)) {
		out_error(c, "No private directory in %s: %s.", base, strerror(errno));
		return CODE_CONFIG;
	}
	c->remote_tmp = dir;
	return CODE_DONE;
}

/* Starts the daemon there if needed, and asks for its socket and the home directory. */
static int ask_there(struct cli *c, const struct address *a, struct str *ret_socket,
                     struct str *ret_home)
{
	const char *named = getenv("THOLE_REMOTE_PROGRAM");
	const char *there = quoted(c, named && *named ? named : "thole");
	const char *data =
		c->opts.data ? arena_printf(c->mem, " --data %s", quoted(c, c->opts.data)).ptr : "";
	struct ssh s = ssh_begin(c, a);
	struct str said = STR("");
	int code;

	add_arg(&s, "-o");
	add_arg(&s, "ControlMaster=yes");
	add_arg(&s, "-o");
	add_arg(&s, PERSIST);
	if (c->remote_is_again) {
		add_arg(&s, "-o");
		add_arg(&s, "BatchMode=yes");
	}
	ssh_target(&s, a);
	add_arg(&s, arena_printf(c->mem, "%s ps -q%s >/dev/null && %s path socket%s && pwd", there,
	                         data, there, data)
	                    .ptr);
	code = ssh_run(c, &s, &said);
	*ret_socket = str_cut(&said, '\n');
	*ret_home = str_is(said) ? str_cut(&said, '\n') : STR_NONE;
	if (code == 0 && str_starts(*ret_socket, STR("/")) && str_starts(*ret_home, STR("/")))
		return CODE_DONE;
	if (c->remote_is_quiet)
		return CODE_FAILED;
	out_error(c, "There is no way to a daemon at %s.", out_safe(c->mem, str_from(a->target)));
	fprintf(stderr, code == 255   ? "  ssh did not connect; its message is above.\n"
	                : code == 127 ? "  There is no `thole` in the PATH that ssh gets there; "
	                                "THOLE_REMOTE_PROGRAM names it.\n"
	                              : "  Try it by hand: ssh HOST thole ps\n");
	return CODE_FAILED;
}

static int forward_socket(struct cli *c, const struct address *a, struct str socket)
{
	struct ssh s = ssh_begin(c, a);

	c->socket = arena_printf(c->mem, "%s/s", c->remote_tmp).ptr;
	(void)unlink(c->socket);
	add_arg(&s, "-O");
	add_arg(&s, "forward");
	add_arg(&s, "-L");
	add_arg(&s, arena_printf(c->mem, "%s:%.*s", c->socket, STR_ARG(socket)).ptr);
	ssh_target(&s, a);
	if (ssh_run(c, &s, NULL) == 0)
		return CODE_DONE;
	if (c->remote_is_quiet)
		return CODE_FAILED;
	out_error(c, "ssh does not forward the socket of the daemon.");
	fprintf(stderr, "  The server needs AllowStreamLocalForwarding and AllowTcpForwarding.\n");
	return CODE_FAILED;
}

static int open_way(struct cli *c, const struct address *a)
{
	struct str socket = STR_NONE, home = STR_NONE;
	int code = ask_there(c, a, &socket, &home);

	if (!code)
		code = forward_socket(c, a, socket);
	if (code)
		return code;
	c->remote_dir = a->dir ? a->dir : arena_keep(c->mem, home).ptr;
	setenv("THOLE_HOST", remote_host(c), 1);
	setenv("THOLE_REMOTE_SOCKET", c->socket, 1);
	setenv("THOLE_REMOTE_DIR", c->remote_dir, 1);
	return CODE_DONE;
}

int remote_open(struct cli *c)
{
	const char *socket = getenv("THOLE_REMOTE_SOCKET"), *dir = getenv("THOLE_REMOTE_DIR");
	struct address a;
	int code = read_address(c, remote_host(c), &a);

	if (!code)
		code = check_verb(c, &a);
	if (code)
		return code;
	c->is_remote = c->opts.no_start = true;
	if (!c->opts.host && socket && dir && access(socket, F_OK) == 0) {
		c->socket = socket;
		c->remote_dir = dir;
		return CODE_DONE;
	}
	code = make_place(c);
	return code ? code : open_way(c, &a);
}

/* The words for the shell there; each is quoted, so that it means only itself. */
static const char *command_line(struct cli *c, const char *const words[])
{
	const char *named = getenv("THOLE_REMOTE_PROGRAM");
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_c(&out, quoted(c, named && *named ? named : "thole"));
	for (size_t i = 0; words[i]; i++) {
		buf_printf(&out, " %s", quoted(c, words[i]));
		if (i == 0 && c->opts.data)
			buf_printf(&out, " --data %s", quoted(c, c->opts.data));
	}
	return arena_keep(c->mem, buf_str(&out)).ptr;
}

static bool start_line(struct cli *c, const char *line, int out, bool has_terminal, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	struct address a;
	struct ssh s;
	int code;

	if (!c->remote_tmp || read_address(c, remote_host(c), &a) != CODE_DONE)
		return false;
	s = ssh_begin(c, &a);
	add_arg(&s, has_terminal ? "-tt" : "-T");
	ssh_target(&s, &a);
	add_arg(&s, line);
	posix_spawn_file_actions_init(&files);
	if (!has_terminal)
		posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	/* With a terminal the command's errors come with its output; what remains is of ssh. */
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	code = child_start(NULL, s.args, &files, ret);
	posix_spawn_file_actions_destroy(&files);
	return code == 0;
}

bool remote_start(struct cli *c, const char *const words[], int out, bool has_terminal, pid_t *ret)
{
	return start_line(c, command_line(c, words), out, has_terminal, ret);
}

int remote_run(struct cli *c, const char *const words[])
{
	const char *line = arena_printf(c->mem, "%s 2>&1", command_line(c, words)).ptr;
	int status = -1;
	pid_t pid;

	fflush(stderr);
	if (!start_line(c, line, STDERR_FILENO, false, &pid)) {
		out_error(c, "`thole %s` cannot be started at %s.", words[0],
		          out_safe(c->mem, str_from(remote_host(c))));
		return CODE_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : CODE_FAILED;
}

int remote_again(struct cli *c, bool is_quiet)
{
	struct address a;
	int code;

	if (!c->remote_tmp || read_address(c, remote_host(c), &a) != CODE_DONE)
		return CODE_FAILED;
	remote_close(c);
	c->remote_is_again = true;
	c->remote_is_quiet = is_quiet;
	code = make_place(c);
	if (!code)
		code = open_way(c, &a);
	c->remote_is_quiet = false;
	return code;
}

void remote_close(struct cli *c)
{
	struct address a;
	struct ssh s;

	if (!c->remote_tmp || read_address(c, remote_host(c), &a) != CODE_DONE)
		return;
	s = ssh_begin(c, &a);
	add_arg(&s, "-O");
	add_arg(&s, "exit");
	ssh_target(&s, &a);
	s.is_quiet = true;
	(void)ssh_run(c, &s, NULL);
	paths_remove_dir(c->remote_tmp);
	c->remote_tmp = NULL;
}
