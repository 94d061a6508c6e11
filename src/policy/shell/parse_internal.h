#ifndef POLICY_SHELL_PARSE_INTERNAL_H
#define POLICY_SHELL_PARSE_INTERNAL_H
/*
 * Shared by the files of the shell parser only.
 *
 *   parse.c            lines, lists, pipelines, simple commands, here-docs
 *   parse_compound.c   if, for, case, [[ ]] and similar
 *   parse_word.c       words: quoting and expansions
 *   expand.c           values of words: braces, globs, tilde; deceptive characters
 *
 * The parser is a recursive descent over characters, because the meaning of a
 * character in bash depends on its position.  Trouble makes the rest of the
 * input look empty, so that every loop ends.
 */
#include "policy/shell/parse.h"

struct heredoc {
	struct heredoc *next;
	struct shell_redir *redir;
	struct str delimiter;
	bool is_quoted;
	bool strips_tabs;
};

struct reader {
	struct arena *mem;
	struct analysis *budget;
	struct shell_script *script;
	const char *src;
	size_t len, at;
	enum shell_dialect dialect;
	unsigned depth;
	unsigned braced; /* words from braces so far */
	unsigned heredocs_read;
	bool is_nested;   /* inside $( ), ` ` or <( ) */
	bool outer_waits; /* a here-document outside of this substitution waits for its body */
	bool in_array;    /* inside NAME=(…), including substitutions in it */
	bool is_timed;    /* in a pipeline after `time` */
	bool was_joined;  /* the last word had a line continuation */
	struct heredoc *waiting;
	struct heredoc **waiting_end;
};

/* How a word ends, and what it may contain. */
enum word_mode {
	WORD_FIRST,   /* where a command's name may be */
	WORD_ARG,     /* braces expand, globs match */
	WORD_VALUE,   /* of an assignment: neither split nor globbed */
	WORD_TARGET,  /* of a redirection */
	WORD_PATTERN, /* in case and [[ ]] */
	WORD_MATCH,   /* after == in [[ ]]: extended patterns too */
	WORD_REGEX,   /* after =~ */
};

enum { END_OF_INPUT = -1 };

static inline int peek_at(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->len ? (unsigned char)r->src[r->at + ahead] : END_OF_INPUT;
}
static inline int peek(const struct reader *r)
{
	return peek_at(r, 0);
}
static inline bool is_bad(const struct reader *r)
{
	return str_is(r->script->trouble);
}
static inline struct str since(const struct reader *r, size_t start)
{
	return str_of(r->src + start, r->at - start);
}
static inline bool is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}
static inline bool is_name_char(int c)
{
	return is_name_start(c) || is_digit(c);
}
/* What ends a word. */
static inline bool is_meta(int c)
{
	return c == END_OF_INPUT || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' ||
	       c == '|' || c == '(' || c == ')' || c == '<' || c == '>';
}

/* The first trouble is kept; the input ends here. */
void parse_trouble(struct reader *r, const char *why);
/* Counts nodes; too many are trouble. */
void parse_count_node(struct reader *r);
bool parse_enter(struct reader *r); /* one level deeper; false: trouble */
static inline void leave(struct reader *r)
{
	r->depth--;
}

/* Blanks, line continuations and a comment. */
void parse_skip_blanks(struct reader *r);
/* The same and newlines, reading the here-documents that begin there. */
void parse_skip_newlines(struct reader *r);
/*
 * A newline inside quotes: trouble when a here-document waits, because bash's behaviour is unclear
 * then.
 */
void parse_cross_newline(struct reader *r);

/* Is the bare word (no quotes, no expansions) that begins here this one? */
bool parse_at_bare(const struct reader *r, struct str word);
bool parse_take_bare(struct reader *r, struct str word);
/* The bare word that begins here; empty when it is not bare. */
struct str parse_bare_word(const struct reader *r);

struct shell_node *parse_new_node(struct reader *r, enum shell_kind kind);
struct shell_node *parse_read_list(struct reader *r);
struct shell_node *parse_read_one_command(struct reader *r); /* simple or compound; NULL: trouble */
/* The inside of $( ) and <( ), after the opening; consumes the closing. */
struct shell_node *parse_read_substitution(struct reader *r);
struct shell_node *parse_read_text(struct reader *outer, struct str text); /* a separate text */
bool parse_at_redirection(const struct reader *r);
void parse_read_redirections(struct reader *r, struct shell_node *n);
void parse_add_word(struct shell_node *n, struct shell_word *chain);
bool parse_is_reserved(struct str word);

/* Does a compound command begin here? */
bool parse_compound_starts(const struct reader *r);
struct shell_node *parse_compound_read(struct reader *r);
struct shell_node *parse_compound_function_body(struct reader *r, struct str name, size_t start);

/* A chain, because braces produce several words; NULL: trouble. */
struct shell_word *parse_word_read(struct reader *r, enum word_mode mode);
/* The inside of (( )) and $(( )), up to both closings, or to stop at depth 0 (';' of a for). */
struct shell_part *parse_word_read_arithmetic(struct reader *r, char stop);
struct shell_word *parse_word_read_heredoc_body(struct reader *r, struct str text);
struct shell_word *parse_word_of_part(struct reader *r, struct shell_part *p, struct str raw);
struct shell_part *parse_word_new_part(struct reader *r, enum shell_part_kind kind,
                                       struct str text);

/* Sets flags and value of a word whose parts are known; expands braces where the mode has them. */
struct shell_word *expand_finish_word(struct reader *r, struct shell_word *w, enum word_mode mode,
                                      bool has_extglob);
unsigned expand_find_oddities(struct str source);
void expand_mark_contexts(struct shell_node *root);

#endif
