#ifndef POLICY_SHELL_PARSE_H
#define POLICY_SHELL_PARSE_H
/*
 * A strict parser of bash command lines.
 *
 * For a line it returns the simple commands that it would run, and for each
 * word whether its value is known now or only at run time.  It accepts what
 * bash 5.2 accepts for `bash -c LINE` (no history expansion, no aliases,
 * extglob off) and is stricter where bash is lenient or differs between
 * versions: a construct that it does not understand completely is trouble, and
 * trouble never runs without a person's approval.
 *
 * One parser serves decision and display.  Nothing is executed, expanded from
 * the environment or looked up; a word that depends on such things is marked
 * dynamic.  Brace expansion of literal words is done here, because it turns one
 * word into commands: {rm,-rf}.
 *
 * All memory comes from the arena; strings point into the source or the arena,
 * so both must live as long as the tree.
 */
#include "policy/analysis.h"

#define SHELL_BYTES_MAX 65536 /* of one line; a longer one is trouble */
#define SHELL_DEPTH_MAX 40    /* nested constructs */
#define SHELL_NODES_MAX 20000 /* commands, words and parts of one line */
#define SHELL_BRACES_MAX 512  /* words that braces may produce in one line */

/* ---- words ---- */

enum shell_part_kind {
	SHELL_LITERAL,  /* text as it will be */
	SHELL_VARIABLE, /* $x, ${x…}: name in text, operation in op */
	SHELL_COMMAND,  /* $(…) and `…`: body */
	SHELL_NUMBER,   /* $((…)): expression in text */
	SHELL_PROCESS,  /* <(…) and >(…): body */
	SHELL_UNKNOWN,  /* known only at run time: $"…", \u escapes, ~user, too many braces */
};

struct shell_part {
	struct shell_part *next;
	enum shell_part_kind kind;
	bool is_quoted; /* neither split nor globbed */
	char op;        /* of ${x…}: 0, or one of ! # - = ? + % / ^ : @ [ */
	char transform; /* X of ${x@X} */
	struct str text;
	struct shell_node *body;  /* commands of a substitution; NULL when empty */
	struct shell_word *inner; /* words with expansions inside ${x…} and $((…)) */
};

enum shell_word_flag {
	SHELL_DYNAMIC = 1, /* value is not known; it is the source text then, for display */
	SHELL_SPLITS = 2,  /* may become no word or several */
	SHELL_GLOB = 4,  /* value is a pattern over files: pattern has quoted characters escaped */
	SHELL_TILDE = 8, /* begins with ~ or ~/: the home directory */
	SHELL_QUOTED = 16, /* some of it was quoted */
	SHELL_ARRAY = 32,  /* the value of NAME=(…): inner of its one part */
	SHELL_OPEN = 64, /* its parts are incomplete: ~user, unexpanded braces, extended patterns */
};

struct shell_word {
	struct shell_word *next;
	struct shell_part *parts;
	struct str raw;     /* as written */
	struct str value;   /* quotes removed */
	struct str pattern; /* with SHELL_GLOB */
	unsigned flags;
	uint32_t at; /* byte offset in its source */
};

static inline bool shell_is_known(const struct shell_word *w)
{
	return !(w->flags & (SHELL_DYNAMIC | SHELL_GLOB | SHELL_TILDE));
}

struct shell_assign {
	struct shell_assign *next;
	struct str name;
	struct str subscript; /* absent without [ ] */
	bool is_append;
	struct shell_word *value;
};

enum shell_redir_op {
	SHELL_IN,          /* < */
	SHELL_OUT,         /* > */
	SHELL_APPEND,      /* >> */
	SHELL_CLOBBER,     /* >| */
	SHELL_IN_OUT,      /* <> */
	SHELL_DUP_IN,      /* <& */
	SHELL_DUP_OUT,     /* >&, of a descriptor or a file */
	SHELL_BOTH,        /* &> */
	SHELL_BOTH_APPEND, /* &>> */
	SHELL_HEREDOC,     /* << and <<- */
	SHELL_HERESTRING,  /* <<< */
};

struct shell_redir {
	struct shell_redir *next;
	enum shell_redir_op op;
	int fd;                    /* -1: the default */
	struct str fd_name;        /* {name}> */
	struct shell_word *target; /* file, descriptor, here-string; the body of a here-document */
	bool is_dup;               /* target is a descriptor, - or N-: no file is opened */
};

/* ---- commands ---- */

enum shell_kind {
	SHELL_SIMPLE,     /* assigns, words, redirs */
	SHELL_LIST,       /* children in sequence */
	SHELL_AND_OR,     /* children joined by && and || */
	SHELL_PIPE,       /* children in parallel */
	SHELL_GROUP,      /* { … } */
	SHELL_SUBSHELL,   /* ( … ) */
	SHELL_IF,         /* conditions and branches alternating; an odd last child is the else */
	SHELL_WHILE,      /* condition, body; also until */
	SHELL_FOR,        /* name, words (has_in), body; also select */
	SHELL_FOR_NUMBER, /* for ((…)): words hold the three expressions, body */
	SHELL_CASE,       /* subject is the first word, patterns the others; bodies */
	SHELL_FUNCTION,   /* name, body */
	SHELL_TEST,       /* [[ … ]]: words, including operators */
	SHELL_NUMERIC,    /* ((…)): one word with a SHELL_NUMBER part */
	SHELL_COPROC,     /* name, body */
};

enum shell_join { SHELL_THEN, SHELL_AND, SHELL_OR };

enum shell_context {
	SHELL_IN_BACKGROUND = 1,
	SHELL_IN_SUBSTITUTION = 2,
	SHELL_IN_LOOP = 4,
	SHELL_IN_FUNCTION = 8,
	SHELL_IN_PIPE = 16,
	SHELL_IN_SUBSHELL = 32,
	SHELL_IN_TRAP = 64,     /* set by the caller that parses the text of a trap */
	SHELL_IN_LITERAL = 128, /* likewise for sh -c, eval and similar */
	SHELL_HAS_INPUT = 256,  /* the line says what is on its standard input */
};

struct shell_node {
	struct shell_node *next;               /* sibling */
	struct shell_node *first, *last_child; /* last_child of compound commands only */
	struct shell_word *words;
	struct shell_assign *assigns;
	struct shell_redir *redirs;
	struct str name;
	struct str text; /* as written */
	enum shell_kind kind;
	enum shell_join join; /* to the previous sibling, in SHELL_AND_OR */
	struct shell_word *last_word;
	struct shell_redir *last_redir;
	uint32_t word_count;
	unsigned context; /* enum shell_context */
	bool is_background;
	bool is_negated; /* preceded by ! */
	bool has_in;
	bool is_select;
};

/* ---- the line ---- */

/* The visible text may differ from what runs. */
enum shell_oddity {
	SHELL_ODD_CONTROL = 1,   /* control characters other than tab and newline */
	SHELL_ODD_BIDI = 2,      /* text that is displayed in another order */
	SHELL_ODD_INVISIBLE = 4, /* zero-width and tag characters, unusual blanks */
	SHELL_ODD_LOOKALIKE = 8, /* letters of another script among Latin ones */
	SHELL_ODD_BYTES = 16,    /* not UTF-8 */
};

struct shell_script {
	struct str source;
	struct shell_node *root; /* a SHELL_LIST; NULL when the line is empty or trouble */
	struct str trouble;      /* why it is not understood; absent when it is */
	size_t trouble_at;
	unsigned oddities;
	unsigned nodes; /* amount of work so far */
	bool has_functions;
};

enum shell_dialect {
	SHELL_BASH,
	SHELL_POSIX, /* sh may be dash: a construct that the two read differently is trouble */
};

/* Never fails: trouble is a result.  A spent budget is trouble, too. */
struct shell_script *parse_shell_read(struct arena *mem, struct str source,
                                      enum shell_dialect dialect, struct analysis *budget);

/* For display: "shows text in another order". */
struct str expand_shell_oddity_text(unsigned oddities);

/* The oddities of a name: of a program, a path, a host. */
unsigned expand_odd_name(struct str s);

/* Visits every simple command in the order of the text; those of substitutions come first. */
void expand_shell_each(const struct shell_node *root,
                       void (*visit)(void *owner, const struct shell_node *simple), void *owner);

#endif
