#ifndef POLICY_SHELL_ANALYZE_INTERNAL_H
#define POLICY_SHELL_ANALYZE_INTERNAL_H
/*
 * What the files of the judge share; nobody else includes it.
 *
 *   analyze_line.c        one simple command: name, program, paths, redirections
 *   shell_judge_walk.c   the tree: directories and variables on the way
 *   shell_judge_word.c   what a word can be; paths
 *   shell_judge_env.c    variables that change what programs do
 *   shell_judge_table.c  the programs
 *   shell_judge_wrap.c   programs that run others
 *   shell_judge_find.c   find, xargs, fd
 *   shell_judge_git.c    git
 *   shell_judge_text.c   sed, awk, jq
 *   shell_judge_tool.c   programs with a will of their own: tar, dd, curl, date …
 *   shell_judge_builtin.c  what the shell does itself: cd, export, set, trap …
 *   shell_judge_policy.c decisions, and the text of policy test
 */
#include "policy/shell/analyze.h"

/* ---- what is known on the way ---- */

enum value_kind {
	VALUE_TEXT,
	VALUE_PATTERN, /* some file that matches, or the pattern itself */
	VALUE_BELOW,   /* some name below a directory, written with it: dir/name */
	VALUE_BARE,    /* the same without it: a name that may begin with a dash */
	VALUE_NUMBER,
};

struct value {
	struct str text;
	enum value_kind kind;
};

#define VALUES_MAX 16

/* Everything a word can be; a NULL pointer instead: anything. */
struct values {
	struct value items[VALUES_MAX];
	uint32_t count;
};

/* A variable as it may be set here; newest first, older ones behind are hidden. */
struct var {
	const struct var *next;
	struct str name;
	const struct values *values; /* NULL: anything */
};

#define VARS_MAX 1000 /* a line that sets more is not followed */
#define DIRS_MAX 6

struct flow {
	struct str dirs[DIRS_MAX]; /* where the shell may be */
	uint32_t dir_count;        /* 0: anywhere */
	const struct var *vars;
};

/* After a command: when it succeeded, when it failed. */
struct after {
	struct flow ok, failed;
};

/* ---- one command ---- */

struct token {
	const struct shell_word *word; /* NULL for words that a wrapper makes up */
	struct str text;
	bool is_known;               /* text is what the program gets */
	bool is_many;                /* none, one or several words */
	bool is_literal;             /* known without looking at variables */
	const struct values *values; /* when not known: one of these; NULL: anything */
};

struct command {
	struct token *w;
	uint32_t n;
	struct flow flow;
	struct act *act;
	int index; /* of the act */
	unsigned context;
	const struct values *input; /* names that come on standard input, or NULL */
	const struct values *names; /* names it writes to standard output, or NULL */
	uint32_t *operands;
	uint32_t operand_count;
	bool has_ended;       /* after -- there are no options any more */
	bool has_known_inner; /* which words it runs is known, and no others are run */
};

struct judge {
	struct arena *mem;
	struct analysis *budget;
	const struct shell_place *place;
	const struct str *roots;
	size_t root_count;
	struct shell_acts *out;
	unsigned depth;            /* of literals read again, of wrappers in wrappers */
	bool is_flowless;          /* something may change variables behind our back */
	bool is_placeless;         /* or the directory */
	struct list_str functions; /* that the script at hand has defined so far */
	struct flow base;          /* where the script at hand began */
	unsigned var_count;        /* settings of variables followed so far */
	bool is_full;              /* too many acts */
};

#define JUDGE_DEPTH_MAX 12

#define LETTER_STEPS 32 /* a letter of a cluster of options is looked for in several lists */

/* False: this analysis has cost too much; give up. */
static inline bool spend(const struct judge *j, size_t steps)
{
	return analysis_spend(j->budget, steps);
}
static inline bool fits(const struct judge *j, size_t bytes)
{
	return analysis_fits(j->budget, bytes);
}

/* ---- programs ---- */

enum program_kind {
	P_TEXT = 1,       /* operands are no paths */
	P_READS = 2,      /* operands are read */
	P_LISTS = 4,      /* operands are listed, not read */
	P_FIRST_TEXT = 8, /* the first operand is a pattern or a script */
	P_WRITES = 16,    /* operands are written */
	P_DELETES = 32,   /* operands are deleted */
	P_COPIES = 64,    /* the last operand is written, the others read */
	P_DEEP = 128,     /* goes into directories by itself */
	P_RUNS = 256,     /* runs code that cannot be seen here */
	P_NETWORK = 512,
	P_SYSTEM = 1024,
	P_DESTROYS = 2048,
	P_ELEVATES = 4096,
	P_FILTER = 16384, /* writes some of the lines it reads */
	P_INSTALLS = 32768,
	P_UNREADS = 65536,  /* changes how the shell reads what follows */
	P_VERSION = 131072, /* --version and its kin are harmless, whatever else it does */
	P_WRAPS = 262144,   /* runs its words as a command */
	P_NEEDS = 524288,   /* without operands it reads the current directory */
};

struct program {
	const char *name;
	unsigned kind;
	const char *values; /* options with a value: "n c lines bytes" */
	const char *writes; /* options whose value is a file that is written */
	const char *bad;    /* options that make it do something else */
	void (*judge)(struct judge *j, struct command *c, const struct program *p);
	const char *flags; /* of a wrapper: options without a value; others are not understood */
	const char *works; /* subcommands that run what is there, and fetch nothing in a cage */
	uint32_t skip;     /* of a wrapper: operands before the command */
};

const struct program *programs_find(struct str name);
/* Flags, effect and reason that follow from the kind alone. */
void analyze_apply_kind(struct judge *j, struct command *c, unsigned kind);

/* ---- the walk ---- */

struct flow analyze_walk_script(struct judge *j, const struct shell_script *s, struct flow f,
                                unsigned context);
void analyze_walk_word(struct judge *j, const struct shell_word *w, const struct flow *f,
                       unsigned context);
struct flow analyze_walk_first_flow(struct judge *j);
struct flow analyze_walk_lost_flow(void);
const struct values *analyze_walk_var_values(const struct judge *j, const struct flow *f,
                                             struct str name, bool *ret_is_set);
void analyze_walk_set_var(struct judge *j, struct flow *f, struct str name, const struct values *v);
bool analyze_walk_is_name(struct str s);
/* How many bytes at its beginning are a name; 0: none. */
size_t analyze_walk_name_length(struct str s);

/* ---- words and paths ---- */

struct token analyze_word_token_of(struct judge *j, const struct flow *f,
                                   const struct shell_word *w);
struct token analyze_word_made_token(struct str text);
const struct values *analyze_word_one_value(struct judge *j, struct str text, enum value_kind kind);
const struct values *analyze_word_join_values(struct judge *j, const struct values *a,
                                              const struct values *b);
bool analyze_word_may_lead_dash(const struct token *t);
bool analyze_word_is_word(const struct command *c, uint32_t i, const char *text);
bool analyze_word_starts_with(const struct command *c, uint32_t i, const char *text);
struct str analyze_word_resolve(struct judge *j, struct str dir, struct str text);

/* Words from there on in a->paths are written only because of this option. */
void analyze_by_option(struct command *c, uint32_t from, uint32_t option);

/* Every path that a word can be. */
void analyze_word_add_path(struct judge *j, struct command *c, const struct token *t, int word,
                           unsigned use, unsigned flags);
void analyze_word_add_text_path(struct judge *j, struct command *c, struct str text, int word,
                                unsigned use, unsigned flags);
void analyze_word_add_word_path(struct judge *j, struct command *c, uint32_t i, unsigned use,
                                unsigned flags);
void analyze_word_add_current(struct judge *j, struct command *c, unsigned use, unsigned flags);
/* What may be a path in a word that is not known to be one: behind = or an option letter. */
void analyze_word_add_guess(struct judge *j, struct command *c, uint32_t i);
void analyze_word_add_host(struct judge *j, struct command *c, struct str host);
/* Hosts in URLs and user@host:path; false when there is none. */
bool analyze_word_add_hosts_of(struct judge *j, struct command *c, uint32_t i);

/* ---- judging ---- */

struct command *analyze_begin_command(struct judge *j, struct token *w, uint32_t n,
                                      const struct flow *f, unsigned context, int outer);
void analyze_command(struct judge *j, struct command *c);
/* An act that is nothing but trouble. */
void analyze_add_opaque(struct judge *j, struct str text, struct str why, unsigned context);

void analyze_set_why(struct command *c, struct str why);
/* It changes something: not read-only any more. */
void analyze_unsafe(struct command *c, struct str effect, struct str why);
/* Nobody but a person may allow it. */
void analyze_opaque(struct command *c, struct str why);
/* This word makes it another program. */
void analyze_twist(struct judge *j, struct command *c, uint32_t i, const char *what);
struct str analyze_explain(struct judge *j, const struct command *c, uint32_t i, const char *what);

/* That word is a file of code which the command runs. */
void analyze_note_script(struct judge *j, struct command *c, uint32_t i);

/* Sorts words into options and operands by the program's lists, noting what options do. */
void analyze_scan_options(struct judge *j, struct command *c, const struct program *p,
                          uint32_t from);
/* The paths of operands, by kind. */
void analyze_take_operands(struct judge *j, struct command *c, const struct program *p);
/* Both, and what the kind says. */
void analyze_plainly(struct judge *j, struct command *c, const struct program *p);
/* "n c lines": does the list hold the option?  Long names may be shortened. */
bool analyze_in_list(const char *list, struct str name, bool is_long);
bool analyze_has_flag(const struct command *c, const char *letters, const char *long_name);

/* Words from `at` on are a command of their own. */
void analyze_run_words(struct judge *j, struct command *c, uint32_t at);
void analyze_run_tokens(struct judge *j, struct command *c, struct token *w, uint32_t n);
/* A text is read as a script; when it is not known, that is not understood. */
void analyze_run_text(struct judge *j, struct command *c, const struct token *t,
                      enum shell_dialect dialect, unsigned context);
void analyze_run_joined(struct judge *j, struct command *c, uint32_t at,
                        enum shell_dialect dialect);

/* Variables. */
enum var_risk { VAR_HARMLESS, VAR_UNKNOWN, VAR_DANGEROUS };
/* value NULL: anything.  is_exported: programs will see it. */
enum var_risk analyze_env_risk_of_variable(struct str name, const struct token *value,
                                           bool is_exported);
/* NAME=value in a word: the name, or absent. */
struct str analyze_env_name_of_assignment(struct str word);

/* Arithmetic evaluates what variables hold, commands in it included. */
bool analyze_walk_is_risky_arithmetic(struct judge *j, const struct flow *f,
                                      const struct shell_word *w);

#endif
