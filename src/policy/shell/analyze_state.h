#ifndef POLICY_SHELL_ANALYZE_STATE_H
#define POLICY_SHELL_ANALYZE_STATE_H
/*
 * What the analysis of a command line knows while it walks the tree: values of
 * variables, the command at hand, and the table of programs.
 */
#include "policy/shell/analyze.h"

/* ---- state during the walk ---- */

enum value_kind {
	VALUE_TEXT,
	VALUE_PATTERN, /* a matching file, or the pattern itself */
	VALUE_BELOW,   /* a name below a directory, including it: dir/name */
	VALUE_BARE,    /* the same without the directory: may begin with a dash */
	VALUE_NUMBER,
};

struct value {
	struct str text;
	enum value_kind kind;
};

#define VALUES_MAX 16

/* All possible values of a word; a NULL pointer: any value. */
struct values {
	struct value items[VALUES_MAX];
	uint32_t count;
};

/* A variable with its possible values; newest first, hiding older ones. */
struct var {
	const struct var *next;
	struct str name;
	const struct values *values; /* NULL: any value */
};

#define VARS_MAX 1000 /* a line that sets more is not followed */
#define DIRS_MAX 6

struct flow {
	struct str dirs[DIRS_MAX]; /* possible current directories */
	uint32_t dir_count;        /* 0: any directory */
	const struct var *vars;
};

/* The state after a command: when it succeeded, when it failed. */
struct after {
	struct flow ok, failed;
};

/* ---- one command ---- */

struct token {
	const struct shell_word *word; /* NULL for words that a wrapper generates */
	struct str text;
	bool is_known;               /* text is the exact argument */
	bool is_many;                /* none, one or several words */
	bool is_literal;             /* known without looking at variables */
	const struct values *values; /* when not known: one of these; NULL: any */
};

struct command {
	const struct program *program; /* its row; NULL: not known */
	struct token *w;
	uint32_t n;
	struct flow flow;
	struct act *act;
	int index; /* of the act */
	unsigned context;
	const struct values *input; /* file names on standard input, or NULL */
	const struct values *names; /* file names that it prints, or NULL */
	uint32_t *operands;
	uint32_t operand_count;
	bool has_ended;       /* no options follow after -- */
	bool has_known_inner; /* exactly the words it runs are known */
};

struct judge {
	struct arena *mem;
	struct analysis *budget;
	const struct shell_place *place;
	const struct str *roots;
	size_t root_count;
	struct shell_acts *out;
	unsigned depth;            /* of literals parsed again, of wrappers in wrappers */
	bool is_flowless;          /* variables may change in a way that is not followed */
	bool is_placeless;         /* or the directory */
	bool is_steered;           /* the line has set variables, or the shell's standard input */
	struct list_str functions; /* defined so far in the current script */
	struct flow base;          /* at the start of the current script */
	unsigned var_count;        /* assignments followed so far */
	bool is_full;              /* too many acts */
};

#define JUDGE_DEPTH_MAX 12

#define REAL_STEPS 64   /* resolving links reads the file system */
#define LETTER_STEPS 32 /* a letter of a cluster is searched in several lists */

/* False: the budget is spent; give up. */
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
	P_DEEP = 128,     /* recursive by itself */
	P_RUNS = 256,     /* runs code that is not visible here */
	P_NETWORK = 512,
	P_SYSTEM = 1024,
	P_DESTROYS = 2048,
	P_ELEVATES = 4096,
	P_FILTER = 16384, /* prints some of the lines it reads */
	P_INSTALLS = 32768,
	P_UNREADS = 65536,  /* changes how the shell reads the rest */
	P_VERSION = 131072, /* --version and --help alone only print something */
	P_WRAPS = 262144,   /* runs its words as a command */
	P_NEEDS = 524288,   /* without operands it reads the current directory */
};

struct program {
	const char *name;
	unsigned kind;
	const char *values;  /* options with a value: "n c lines bytes" */
	const char *queries; /* subcommands that only read */
	const char *shows;   /* with P_VERSION: other words that alone only print something */
	const char *reads;   /* options whose value is a file that it reads */
	const char *writes;  /* options whose value is a file that it writes */
	const char *bad;     /* options that change what it does */
	void (*judge)(struct judge *j, struct command *c, const struct program *p);
	/*
	 * Of a wrapper: options without a value; others are not understood.  Of any program: long
	 * options without a value that would pass for a shortened one of `values`.
	 */
	const char *flags;
	/* subcommands that run the project's code and fetch nothing in a sandbox */
	const char *works;
	/* subcommands that stay in the project as long as no option says otherwise */
	const char *maintains;
	/* subcommands that load packages from a registry into the project, and its group of hosts */
	const char *installs, *registry;
	uint32_t skip; /* of a wrapper: operands before the command */
};

const struct program *programs_find(struct str name);
/* Sets flags, effect and reason that follow from the kind alone. */
void analyze_apply_kind(struct judge *j, struct command *c, unsigned kind);

#endif
