#ifndef POLICY_SHELL_ANALYZE_INTERNAL_H
#define POLICY_SHELL_ANALYZE_INTERNAL_H
/*
 * Shared by the analyze*.c files only.
 *
 *   analyze.c            one simple command: name, program, paths, redirections
 *   analyze_walk.c       walks the tree: directories and variables at each command
 *   analyze_word.c       what a word can be; paths
 *   analyze_env.c        variables that change what programs do
 *   programs.c           the programs
 *   analyze_wrappers.c   programs that run others
 *   analyze_find.c       find, xargs, fd
 *   analyze_git.c        git
 *   analyze_text.c       sed, awk, jq
 *   analyze_script.c     does the line change the code that it runs
 *   analyze_files.c      cp, mv, install, rsync, tar, zip, gzip and similar
 *   analyze_tools.c      programs that need more than a table row: dd, curl, date …
 *   analyze_builtin.c    builtins: cd, export, set, trap …
 *   evaluate_command.c   decisions, and the text of policy test
 */
#include "policy/shell/analyze_state.h"

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
/* As the kernel resolves it, with links; absent: not known. */
struct str analyze_word_real(struct judge *j, struct str dir, struct str text);

/* Paths from there on in a->paths are written only because of this option. */
void analyze_by_option(struct command *c, uint32_t from, uint32_t option);

/* Adds every possible path of a word. */
void analyze_word_add_path(struct judge *j, struct command *c, const struct token *t, int word,
                           unsigned use, unsigned flags);
void analyze_word_add_text_path(struct judge *j, struct command *c, struct str text, int word,
                                unsigned use, unsigned flags);
void analyze_word_add_word_path(struct judge *j, struct command *c, uint32_t i, unsigned use,
                                unsigned flags);
void analyze_word_add_current(struct judge *j, struct command *c, unsigned use, unsigned flags);
/* Adds possible paths in a word that is not known to be one: after = or an option letter. */
void analyze_word_add_guess(struct judge *j, struct command *c, uint32_t i);
void analyze_word_add_host(struct judge *j, struct command *c, struct str host);
/* Hosts in URLs and user@host:path; false when there is none. */
bool analyze_word_add_hosts_of(struct judge *j, struct command *c, uint32_t i);

/* ---- evaluation ---- */

struct command *analyze_begin_command(struct judge *j, struct token *w, uint32_t n,
                                      const struct flow *f, unsigned context, int outer);
void analyze_command(struct judge *j, struct command *c);
/* Adds an act that was not understood. */
void analyze_add_opaque(struct judge *j, struct str text, struct str why, unsigned context);

void analyze_set_why(struct command *c, struct str why);
/* The command changes something: it is no longer read-only. */
void analyze_unsafe(struct command *c, struct str effect, struct str why);
/* Takes back the flags of the row for a form that only shows. */
void analyze_read_only(struct command *c);
/* Only a person may allow the command. */
void analyze_opaque(struct command *c, struct str why);
/* This word changes what the program does. */
void analyze_twist(struct judge *j, struct command *c, uint32_t i, const char *what);
struct str analyze_explain(struct judge *j, const struct command *c, uint32_t i, const char *what);

/* This word is a file of code which the command runs. */
void analyze_note_script(struct judge *j, struct command *c, uint32_t i);

/* Divides words into options and operands by the program's lists, recording what options do. */
void analyze_scan_options(struct judge *j, struct command *c, const struct program *p,
                          uint32_t from);
/* Adds the paths of operands, by kind. */
void analyze_take_operands(struct judge *j, struct command *c, const struct program *p);
/* Both, and the flags of the kind. */
void analyze_plainly(struct judge *j, struct command *c, const struct program *p);
/* "n c lines": does the list hold the option?  Long names may be shortened. */
bool analyze_in_list(const char *list, struct str name, bool is_long);
/* The same for whole words. */
bool analyze_is_among(const char *list, struct str word);
bool analyze_has_flag(const struct command *c, const char *letters, const char *long_name);

/* Words from `at` on are a separate command. */
void analyze_run_words(struct judge *j, struct command *c, uint32_t at);
void analyze_run_tokens(struct judge *j, struct command *c, struct token *w, uint32_t n);
/* Parses a text as a script; an unknown text is not understood. */
void analyze_run_text(struct judge *j, struct command *c, const struct token *t,
                      enum shell_dialect dialect, unsigned context);
void analyze_run_joined(struct judge *j, struct command *c, uint32_t at,
                        enum shell_dialect dialect);

/* Of the whole line: no grant covers a script that the line may change before it runs. */
void analyze_script_note_changes(struct judge *j);

/* ---- variables ---- */
enum var_risk { VAR_HARMLESS, VAR_UNKNOWN, VAR_DANGEROUS };
/* value NULL: any.  is_exported: programs will see it. */
enum var_risk analyze_env_risk_of_variable(struct str name, const struct token *value,
                                           bool is_exported);
/* PYTHONPATH and its like, with a known value. */
bool analyze_env_is_module_path(struct str name, const struct token *value);
bool analyze_env_is_name(struct str s);
/* How many bytes at its beginning are a name; 0: none. */
size_t analyze_env_name_length(struct str s);
/* NAME=value in a word: the name, or absent. */
struct str analyze_env_name_of_assignment(struct str word);

/* Arithmetic evaluates the content of variables, including commands in it. */
bool analyze_walk_is_risky_arithmetic(struct judge *j, const struct flow *f,
                                      const struct shell_word *w);

#endif
