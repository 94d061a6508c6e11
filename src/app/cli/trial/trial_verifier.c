/* Runs the verifier of a task as a sandboxed command. */
#include "app/cli/trial/trial_verifier.h"

#include "app/cli/print/out.h"
#include "app/cli/trial/trial_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_S 600
#define RESULT_FD 3 /* of sandbox-run --json */
#define RESULT_MAX (1u << 20)

extern char **environ;

static const char *text(struct cli *c, const char *form, const char *a, const char *b)
{
	return arena_printf(c->mem, form, a, b).ptr;
}

static bool make_logs(struct cli *c, const char *logs)
{
	paths_remove_dir(logs);
	if (mkdir(logs, 0755) == 0 && mkdir(text(c, "%s/%s", logs, "verifier"), 0755) == 0)
		return true;
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(logs)), strerror(errno));
	return false;
}

static bool start(struct cli *c, struct trial_verifier *v, const char *hand,
                  const char *const *words)
{
	const char *out = text(c, "%s/%s", v->logs, "verifier/test-stdout.txt");
	posix_spawn_file_actions_t files;
	int failed;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_EXCL,
	                                 0644);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	posix_spawn_file_actions_addopen(&files, RESULT_FD, v->result,
	                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
	failed = posix_spawn(&v->pid, hand, &files, NULL, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed) {
		v->pid = 0;
		out_error(c, "The verifier cannot be started: %s.", strerror(failed));
	}
	return !failed;
}

/* The score names the verifier by this hash. */
static bool are_tests_same(struct cli *c, const struct trial_task *t, const char *tests)
{
	struct str hash;

	if (!trial_tree_hash(c, tests, &hash))
		return false;
	if (!str_eq(hash, t->tests))
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(tests)), TRIAL_TREE_CHANGED);
	return str_eq(hash, t->tests);
}

bool trial_verifier_start(struct cli *c, const struct trial_task *t, const char *dir,
                          struct trial_verifier *v)
{
	const char *hand = cli_sandbox_find_supervisor(c);
	const char *tests = text(c, "%s/%s", t->dir, "tests");
	int64_t seconds = t->verifier_s ? t->verifier_s : DEFAULT_S;

	/* A verifier of a run that was killed may still write: each attempt has its own folder. */
	*v = (struct trial_verifier){
		.logs = arena_printf(c->mem, "%s/logs.part%ld", dir, (long)getpid()).ptr,
		.final = text(c, "%s/%s", dir, "verifier"),
		.result = arena_printf(c->mem, "%s/result.part%ld", dir, (long)getpid()).ptr,
		.seconds = seconds,
	};
	if (!hand) {
		out_error(c, "There is no thole-supervisor beside this program.");
		return false;
	}
	if (!are_tests_same(c, t, tests) || !make_logs(c, v->logs))
		return false;
	const char *const words[] = { "thole-supervisor",
		                      "sandbox-run",
		                      "--json",
		                      "--cwd",
		                      text(c, "%s/%s", dir, "workspace"),
		                      "--write",
		                      v->logs,
		                      "--read",
		                      tests,
		                      "--env",
		                      text(c, "%s=%s", "TESTS_DIR", tests),
		                      "--env",
		                      text(c, "%s=%s", "LOGS_DIR", v->logs),
		                      "--timeout",
		                      arena_printf(c->mem, "%lld", (long long)seconds).ptr,
		                      "--parent",
		                      arena_printf(c->mem, "%ld", (long)getpid()).ptr,
		                      "--",
		                      "bash",
		                      text(c, "%s/%s", tests, "test.sh"),
		                      NULL };

	return start(c, v, hand, words);
}

/* Tests run code of the agent, which may have put a link there. */
static bool is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- its end ---- */

static const char *why_of_process(struct cli *c, const struct trial_verifier *v,
                                  struct json process)
{
	struct str cause = json_str(JSON_GET(process, "cause"));
	struct str signal = json_str(JSON_GET(process, "signal"));

	if (str_eq(cause, STR("timeout")))
		return arena_printf(c->mem, "The verifier did not end within %lld s.",
		                    (long long)v->seconds)
		        .ptr;
	if (!str_eq(cause, STR("exit")))
		return text(c, "The verifier was ended: %s%s.",
		            cause.len ? out_safe(c->mem, cause) : "unknown cause", "");
	return str_is(signal)
	               ? text(c, "The verifier was ended by %s%s.", out_safe(c->mem, signal), "")
	               : NULL;
}

/* NULL: it ended by itself. */
static const char *why_of(struct cli *c, const struct trial_verifier *v)
{
	struct str said = paths_read_own(c->mem, v->result, RESULT_MAX);
	struct json result, refused;

	if (!str_is(said) || json_read(c->mem, said, &result, NULL) != OK)
		return "The sandbox of the verifier ended without a result.";
	refused = JSON_GET(result, "refused");
	return json_is(refused) ? text(c, "The verifier could not be started: %s%s.",
	                               out_field(c, refused, "reason"), "")
	                        : why_of_process(c, v, JSON_GET(result, "process"));
}

void trial_verifier_set_aside(struct cli *c, const char *folder)
{
	const char *slash = strrchr(folder, '/');
	const char *parent = arena_keep(c->mem, str_of(folder, (size_t)(slash - folder))).ptr;
	const char *aside = text(c, "%s/%s", parent, "verifier.failed");

	paths_remove_dir(aside);
	if (rename(folder, aside) != 0)
		paths_remove_dir(folder);
}

static void put_in_place(struct cli *c, const struct trial_verifier *v, bool is_score)
{
	const char *made = text(c, "%s/%s", v->logs, "verifier");

	paths_remove_dir(v->final);
	if (is_folder(made) && rename(made, v->final) != 0)
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(v->final)), strerror(errno));
	else if (!is_score)
		trial_verifier_set_aside(c, v->final);
	paths_remove_dir(v->logs);
	unlink(v->result);
}

bool trial_verifier_has_ended(struct cli *c, struct trial_verifier *v, const char **ret_why)
{
	if (waitpid(v->pid, NULL, WNOHANG) == 0)
		return false;
	v->pid = 0;
	*ret_why = why_of(c, v);
	put_in_place(c, v, !*ret_why);
	return true;
}
