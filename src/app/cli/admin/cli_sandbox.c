/*
 * sandbox: runs one command in the same sandbox as tools.  The supervisor
 * does the work; this file translates the options.
 */
#include "app/cli/print/out.h"
#include "base/gen/words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBE_MAX (1 << 20)

/* THOLE_HAND, or beside this program, or in the libexec directory of the same tree. */
const char *cli_sandbox_find_supervisor(struct cli *c)
{
	static const char *const places[] = { "thole-supervisor", "../libexec/thole-supervisor" };
	const char *named = getenv("THOLE_HAND");
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

	if (named && *named)
		return access(named, X_OK) == 0 ? named : NULL;
	while (len > 0 && self[len - 1] != '/')
		len--;
	for (size_t i = 0; i < COUNT_OF(places) && len > 0; i++) {
		const char *path = arena_printf(c->mem, "%.*s%s", (int)len, self, places[i]).ptr;

		if (access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

/* A probe that fails has no output; the caller reports that the program does not answer. */
struct str cli_sandbox_probe(struct cli *c, const char *hand)
{
	char *argv[] = { (char *)"thole-supervisor", (char *)"probe", NULL };
	posix_spawn_file_actions_t files;
	struct str text = STR_NONE;
	int pipes[2], failed, status = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return STR_NONE;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
	failed = posix_spawn(&pid, hand, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipes[1]);
	if (!failed)
		text = paths_drain_fd(c->mem, pipes[0], PROBE_MAX);
	close(pipes[0]);
	if (failed || waitpid(pid, &status, 0) != pid || status != 0)
		return STR_NONE;
	return text;
}

struct line {
	const char **words;
	int count;
};

/* Without a value the option was not given. */
static void add(struct line *l, const char *option, const char *value)
{
	if (option && !value)
		return;
	if (option)
		l->words[l->count++] = option;
	l->words[l->count++] = value;
}

static void add_all(struct line *l, const char *option, const struct words *values)
{
	for (int i = 0; i < values->count; i++)
		add(l, option, values->items[i]);
}

/* thole-supervisor takes whole seconds, so a timeout is rounded up. */
static void add_hosts(struct cli *c, struct line *l)
{
	struct str rest = c->opts.allow_hosts ? str_from(c->opts.allow_hosts) : STR_NONE;

	for (int i = 0; str_is(rest) && i < WORDS_MAX; i++) {
		struct str host = str_trim(str_cut(&rest, ','));

		if (host.len)
			add(l, "--allow-host", arena_keep(c->mem, host).ptr);
	}
}

static void add_options(struct cli *c, struct line *l)
{
	const struct opts *o = &c->opts;

	add(l, "--profile", o->profile);
	add(l, "--cwd", o->dir);
	add(l, "--net", o->net);
	add_all(l, "--write", &o->write);
	add_all(l, "--read", &o->read);
	add_all(l, "--deny-read", &o->deny_read);
	add_all(l, "--deny", &o->deny);
	add_all(l, "--protect", &o->protect);
	add(l, "--memory", o->memory);
	add(l, "--processes", o->processes);
	add(l, "--file-size", o->file_size);
	add(l, "--private", o->private_size);
	add_all(l, "--allow-host", &o->allow_host);
	add_hosts(c, l);
	add_all(l, "--env", &o->env);
	if (o->timeout_ms)
		add(l, "--timeout",
		    arena_printf(c->mem, "%lld", (long long)(o->timeout_ms + 999) / 1000).ptr);
	if (o->has_tty)
		add(l, NULL, "--tty");
	if (o->fail_closed)
		add(l, NULL, "--fail-closed");
	if (o->json)
		add(l, NULL, "--json");
}

/* The user asked for full access by name; the warning keeps that visible. */
static void warn_of_no_sandbox(struct cli *c)
{
	const char *p = c->opts.profile;

	if (p && (strcmp(p, "danger-full-access") == 0 ||
	          strcmp(p, WORD_SANDBOX_MODE_DANGER_FULL_ACCESS) == 0))
		out_error(c, "No sandbox: the command can do everything that you can.");
}

/*
 * Replaces this process, so that signals, the terminal and the exit code are those of the
 * command.
 */
int verb_sandbox(struct cli *c)
{
	bool is_run = strcmp(c->args[0], "run") == 0;
	const char *hand = cli_sandbox_find_supervisor(c);
	/* each list of options has two words per item; the rest are a dozen */
	struct line l = { ARENA_ARRAY(c->mem, const char *, 14 * WORDS_MAX + c->arg_count + 48),
		          0 };

	if (!is_run && strcmp(c->args[0], "probe") != 0)
		return opt_usage(c, "`thole sandbox` does run or probe, not \"%s\".", c->args[0]);
	if (is_run && c->arg_count < 2)
		return opt_usage(c, "There is no command: thole sandbox run -- COMMAND...");
	if (!is_run && c->arg_count > 1)
		return opt_usage(c, "`thole sandbox probe` takes no words.");
	if (!hand) {
		out_error(c,
		          "There is no thole-supervisor beside this program; THOLE_HAND can name "
		          "it.");
		return CODE_SANDBOX;
	}
	add(&l, NULL, "thole-supervisor");
	add(&l, NULL, is_run ? "sandbox-run" : "probe");
	if (is_run) {
		warn_of_no_sandbox(c);
		add_options(c, &l);
		add(&l, NULL, "--");
	}
	for (int i = 1; i < c->arg_count; i++)
		add(&l, NULL, c->args[i]);
	execv(hand, (char **)l.words);
	out_error(c, "%s cannot be started: %s.", hand, strerror(errno));
	return CODE_SANDBOX;
}
