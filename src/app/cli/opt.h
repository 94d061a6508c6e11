#ifndef APP_OPT_H
#define APP_OPT_H
/* The options of all verbs: what they are called, and their values after parsing. */
#include "base/str.h"

struct cli;
struct verb;

#define WORDS_MAX 64

struct words {
	const char *items[WORDS_MAX + 1]; /* NULL behind the last */
	int count;
};

/* Every option of every verb; a verb's row lists those that it takes. */
struct opts {
	/* of all verbs */
	const char *data;
	struct words cli_settings; /* -c key=value */
	const char *host;          /* of another machine */
	const char *output;        /* sets json, jsonl or quiet */
	bool json, jsonl, streams, quiet, plain, no_color, no_start, here, help;

	/* of turns */
	const char *session, *thread, *model, *effort, *delivery, *script, *dir, *worktree_name;
	const char *allow_hosts, *atif;
	int64_t budget_nano, timeout_ms;
	bool has_budget, detach, wait, unattended, follow, continues, setup;
	struct words images, add_dirs;

	/* of serve */
	struct words listen;
	const char *config, *store;
	int64_t idle_exit_ms;
	bool allow_remote;
	bool stop; /* of serve */

	/* of lists and logs */
	bool all, refresh, with_keys, yes, list;
	int64_t since;
	bool has_since;
	int64_t through, keep;
	bool has_through, has_keep;
	const char *types, *match, *as;

	const char *node, *workspace, *needs; /* where a session belongs; needs: with commas */

	struct words labels;    /* of run, ps and task */
	struct words tool_args; /* of call */

	const char *file; /* of export: where it goes */

	/* of import */
	const char *only;
	bool allow_rules, with_servers, with_hooks, full_access;

	/* of undo */
	bool force, skip; /* force: of move too */

	/* of move, with from and to */
	const char *from_schema, *to_schema;

	/* of backup, with store */
	bool check, no_dump;

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
	bool fail_closed, has_tty;

	/* of tasks */
	const char *title, *task_kind, *priority, *parent, *status;
	struct words accept;
	int64_t attempts;
	bool has_attempts, start, external, remove_edge;
	int64_t percent;
	bool has_percent, worktree, read_only, discard_worktree;
	const char *phase, *category, *run, *nickname, *agent, *hash;
	struct words evidence, tools;

	/* of schedules */
	const char *cron, *at, *timezone, *missed, *overlap;
	int64_t every_ms;

	/* of processes */
	bool eof;

	/* of evidence */
	const char *turn, *task, *job, *redact;
	int64_t max_bytes;
	bool has_max_bytes, verify, decisions;
	const char *with;
	const char *key, *checkpoint, *timestamp; /* of signatures */
	bool unsigned_pack;

	/* of trials */
	const char *trial, *verifier, *reward_key, *note, *report, *dataset, *changed, *verdict;
	const char *decision, *source, *risk, *qc;
	struct words from_files, configs;
	int64_t p0, repeat;
	bool has_p0, has_repeat, separate, transferred;

	/* of audit */
	const char *from, *to, *principal, *what;
	/* of cost, with from and to */
	const char *by;
	int64_t limit;
	bool has_limit;

	/* of conform */
	const char *pack, *adapter;
	struct words canaries;

	/* of doctor */
	bool online;

	/* of tokens, with scope */
	const char *sessions, *tenant, *expires;
	struct words dirs;

	/* of tool servers, with url, env and scope */
	struct words headers;
	const char *hosts, *transport;
	bool project_file;

	/* of pairing */
	const char *url, *name, *token_env;
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
	OPT_MAYBE,    /* alone, or with =VALUE */
	OPT_LIST,     /* may be given again */
	OPT_COMMAS,   /* words separated by commas; given again, it adds more */
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

/*
 * Fills c->opts and c->args from the words after the verb.  Returns CODE_DONE,
 * or CODE_USAGE after printing the error.
 */
int opt_read(struct cli *c, int argc, char **argv);
/*
 * The words that the option `word` of this verb takes, itself among them; 0: neither the verb nor all
 * verbs have such an option.  With NULL only options of all verbs count.
 */
int opt_word_count(const struct verb *v, const char *word);
bool opt_duration_read(const char *text, int64_t *ret_ms) MUST_USE;

/* Prints the error and how to get help; returns CODE_USAGE. */
int opt_usage(struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
