#ifndef APP_CLI_H
#define APP_CLI_H
/*
 * The command line: one file per verb, and what they share.
 *
 * A verb is a row of the table in verbs.c: its name, its options, and a
 * function from the parsed words to an exit code.  It speaks to the runtime
 * through link.h, which is thole.h and nothing else; results go to stdout,
 * everything else to stderr (out.h).
 */
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "thole/thole.h"

/* What the shell is told.  Scripts rely on these. */
enum code {
	CODE_DONE = 0,
	CODE_FAILED = 1,
	CODE_USAGE = 2,
	CODE_CONFIG = 3,   /* settings or credentials */
	CODE_DECISION = 4, /* somebody has to decide first; nothing was assumed */
	CODE_DENIED = 5,
	CODE_BUDGET = 6,
	CODE_PROVIDER = 7,
	CODE_SANDBOX = 8,
	CODE_STORE = 70, /* the log cannot be written */
	CODE_TIMEOUT = 124,
	CODE_INTERRUPTED = 130,
};

/* ---- options ---- */

#define WORDS_MAX 64

struct words {
	const char *items[WORDS_MAX + 1]; /* NULL behind the last */
	int count;
};

/* Every option of every verb; which ones a verb takes stands in its row. */
struct opts {
	/* of all verbs */
	const char *data;
	struct words cli_settings; /* -c key=value */
	const char *output;        /* sets json, jsonl or quiet */
	bool json, jsonl, quiet, plain, no_color, no_start, here, help;

	/* of turns */
	const char *session, *thread, *model, *delivery, *script, *dir;
	int64_t budget_nano, timeout_ms;
	bool has_budget, detach, wait, unattended, follow;
	struct words images;

	/* of serve */
	struct words listen;
	const char *config;
	int64_t idle_exit_ms;
	bool allow_remote;
	bool stop; /* of serve */

	/* of lists and logs */
	bool all;
	int64_t since;
	bool has_since;
	int64_t through, keep;
	bool has_through, has_keep;
	const char *types, *match, *as;

	/* of decisions and the queue */
	const char *scope, *input, *response, *payload, *reason;
	const char *remove, *promote, *queue_policy;
	bool watch;
	struct words move;

	/* of policy */
	struct words rules;
	const char *mode, *revoke;
	bool trust, no_sandbox;
	/* of sandbox */
	const char *profile, *net;
	struct words write, read, deny_read, deny, protect, env, allow_host;
	const char *memory, *processes, *file_size, *private_size; /* of a sandbox */
	bool fail_closed;

	/* of tasks */
	const char *title, *task_kind, *priority, *parent, *status;
	struct words accept;
	int64_t attempts;
	bool has_attempts, start, external, remove_edge;
	int64_t percent;
	bool has_percent, worktree, read_only, discard_worktree;
	const char *phase, *category, *run, *nickname;
	struct words evidence, tools;

	/* of schedules */
	const char *cron, *at, *timezone, *missed, *overlap;
	int64_t every_ms;

	/* of processes */
	bool eof;

	/* of doctor */
	bool online;

	/* of pairing */
	const char *url, *name;
	bool lan;

	/* of jobs */
	const char *items;
	int64_t concurrency;
	bool has_concurrency;
};

enum opt_kind {
	OPT_END,
	OPT_FLAG,
	OPT_TEXT,
	OPT_LIST,     /* may be given again */
	OPT_PAIR,     /* two words */
	OPT_DURATION, /* 90s, 10m, 2h, 500ms; a plain number is seconds */
	OPT_COUNT,    /* a whole number */
	OPT_USD,
};

struct opt {
	enum opt_kind kind;
	char letter;       /* 0: none */
	const char *name;  /* without the dashes */
	size_t at;         /* offset in struct opts */
	size_t has_at;     /* offset of its has_..., 0: none */
	const char *value; /* how help names the value */
	const char *help;
	const char *choices; /* words separated by blanks, for checking and completion; NULL: any */
};

extern const struct opt opt_common[];

/* ---- one call of the program ---- */

struct verb;

struct cli {
	const struct verb *verb;
	struct opts opts;
	char **args; /* the words that are no options */
	int arg_count;
	struct arena *mem; /* lives as long as the program */

	bool is_tty_out, is_tty_err, is_tty_in;
	bool color_out, color_err;

	/* paths.c */
	const char *data; /* absolute */
	const char *socket;
	bool is_temporary; /* data goes when the program ends */
	bool only_reads;   /* data is a copy */

	/* link.c */
	struct thole *t;
	void (*before_again)(
		void *arg); /* who still reads from t lets go of it; NULL: nobody does */
	void *before_again_arg;
	bool has_said_start;
};

struct verb {
	const char *name;
	const char *words; /* behind the name in help: "ID [TEXT]" */
	const char *summary;
	const char *details; /* more for `help VERB`; may be NULL */
	const struct opt *opts;
	int min_args, max_args; /* max -1: any number */
	int (*run)(struct cli *c);
	bool is_common; /* one of the ten in `thole help` */
	/* Words it may be completed with: "@id", "@action" or a list; may be NULL. */
	const char *args;
};

extern const struct verb verbs[]; /* ends with a row without name */

const struct verb *help_find_verb(const char *name);
/* The verb whose name is most like this one; NULL when none is near. */
const struct verb *help_nearest_verb(const char *name);

/*
 * Fills c->opts and c->args from the words behind the verb.  CODE_DONE, or
 * CODE_USAGE after saying what is wrong.
 */
int opt_read(struct cli *c, int argc, char **argv);
bool opt_duration_read(const char *text, int64_t *ret_ms) MUST_USE;

/* Says what is wrong on stderr and how help can be had. */
int opt_usage(struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- paths ---- */

/* Where the data are; sets c->data and c->socket.  CODE_DONE, or after saying why not. */
int paths_find(struct cli *c);
/* With --here and without --data: a directory that paths_done() removes. */
int paths_make_temporary(struct cli *c);
void paths_done(struct cli *c);
const char *paths_in_data(struct cli *c, const char *name);
/* Absolute, without asking whether it is there. */
const char *paths_absolute(struct cli *c, const char *path);
/* The user's file of settings, whether it is there or not; NULL without a home. */
const char *paths_user_config(struct cli *c);
#define PATH_SYSTEM_CONFIG "/etc/thole/config.json"
/* STR_NONE: errno says why. */
struct str paths_read_file(struct arena *mem, const char *path, size_t max);
struct str paths_read_fd(struct arena *mem, int fd, size_t max);
bool paths_remove_dir(const char *path);

/* ---- the supervisor ---- */

/* NULL when there is none. */
const char *cli_sandbox_find_supervisor(struct cli *c);
/* What `thole-supervisor probe` says; STR_NONE when it cannot be run. */
struct str cli_sandbox_probe(struct cli *c, const char *hand);

/* ---- the verbs ---- */

int verb_run(struct cli *c);
int verb_send(struct cli *c);
int verb_attach(struct cli *c);
int verb_serve(struct cli *c);
int verb_rpc(struct cli *c);
int verb_sandbox(struct cli *c);
int verb_ps(struct cli *c);
int verb_show(struct cli *c);
int verb_task(struct cli *c);
int verb_job(struct cli *c);
int verb_schedule(struct cli *c);
int verb_agent(struct cli *c);
int verb_tools(struct cli *c);
int verb_env(struct cli *c);
int verb_why(struct cli *c);
int verb_log(struct cli *c);
int verb_stop(struct cli *c);
int verb_resume(struct cli *c);
int verb_approvals(struct cli *c);
int verb_approve(struct cli *c);
int verb_deny(struct cli *c);
int verb_decide(struct cli *c);
int verb_queue(struct cli *c);
int verb_channel(struct cli *c);
int verb_process(struct cli *c);
int verb_models(struct cli *c);
int export_script(struct cli *c, struct str session); /* of verb_export */
int verb_compact(struct cli *c);
int verb_rollback(struct cli *c);
int verb_fork(struct cli *c);
int verb_route(struct cli *c);
int verb_export(struct cli *c);
int verb_verify(struct cli *c);
int verb_diff(struct cli *c);
int verb_undo(struct cli *c);
int verb_retain(struct cli *c);
int verb_erase(struct cli *c);
int verb_rebuild(struct cli *c);
int verb_policy(struct cli *c);
/*
 * Paths that these rules deny and git has committed, for people; NULL: none.  *ret_is_whole: every
 * commit was looked at.
 */
/* What is wrong with the first rule that is none, and in which file; NULL: all are rules. */
const char *cli_policy_trouble(struct cli *c, struct str rules);
const char *cli_policy_committed(struct cli *c, struct str rules, bool *ret_is_whole);
/*
 * Adds the names of all files in the index and in any commit, each with a NUL behind it, below the
 * directory that is returned.  NULL: there is no repository around dir.
 */
struct buf;
const char *git_history_names(struct cli *c, const char *dir, struct buf *into, bool *ret_is_whole);
int verb_hooks(struct cli *c);
int verb_mcp(struct cli *c);
int verb_auth(struct cli *c);
int verb_models(struct cli *c);
int verb_doctor(struct cli *c);
int verb_open(struct cli *c);
int verb_pair(struct cli *c);
int verb_config(struct cli *c);
int verb_path(struct cli *c);
int verb_token(struct cli *c);
int verb_completion(struct cli *c);
int verb_demo(struct cli *c);
int verb_version(struct cli *c);
int verb_help(struct cli *c);

/* `thole help`, on stdout. */
void help_print(struct cli *c);
/* `thole help man`: the manual page, for man(1). */
void manual_print(void);

#endif
