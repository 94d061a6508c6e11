#ifndef POLICY_SHELL_ANALYZE_H
#define POLICY_SHELL_ANALYZE_H
/*
 * What a command line would do: every simple command in it as an act.
 *
 * parse_shell_read() parses the line; then each simple command is analysed: in
 * lists, pipes, groups, substitutions, here-documents, functions and traps, and
 * the literal scripts of sh -c, eval and similar, parsed again.  Programs that
 * run others (env, xargs, find -exec, timeout, sudo …) are acts, and so is what
 * they run.  A table knows which programs only read, and which options make
 * them do more.  Paths are resolved against the directories that the line may
 * have changed to.
 *
 * Anything that is not understood becomes an act with ACT_OPAQUE, which only a
 * person can allow, whatever its length.  A line that exceeds its budget
 * (analysis.h) is not understood either.
 *
 * Pure: the caller's function resolves links, or links are not resolved.
 */
#include "policy/rules.h"
#include "policy/shell/parse.h"

#define SHELL_ACTS_MAX 4096 /* of one line; a line with more is not understood */

struct shell_place {
	struct str cwd;          /* absolute; absent: not known */
	struct str home;         /* may be absent */
	const struct str *roots; /* absolute, the workspace; none: cwd */
	size_t root_count;
	/*
	 * Resolves an absolute path that may have .. and links; absent when unknown.  NULL: paths
	 * are compared as they are written.
	 */
	struct str (*real)(void *owner, struct arena *mem, struct str path);
	void *owner;
	/*
	 * Would git run programs that the repository's settings name, even for a read-only command
	 * in this directory?  NULL: not checked.
	 */
	bool (*runs_code)(void *owner, struct str dir);
	bool (*runs_hooks)(void *owner,
	                   struct str dir); /* for a command that changes something; may be NULL */
	struct analysis *budget;            /* NULL: a new one */
};

struct shell_acts {
	struct act **items;
	uint32_t count, cap;
	const struct shell_script *script;
};

void analyze_line(struct arena *mem, struct str line, const struct shell_place *place,
                  struct shell_acts *ret);

/* Would a variable of that name change what programs do? */
bool analyze_env_is_risky(struct str name);

/* ---- the whole decision ---- */

struct policy_call {
	struct str command;
	struct shell_place place;
	struct judgement how; /* home and root are taken from place */
	bool has_network;     /* network holds what the sandbox allows */
	enum network_mode network;
};

/* The content of permission.evaluated for a command line. */
void evaluate_command(struct arena *mem, const struct rules *rs, const struct policy_call *call,
                      struct rec_permission_decision *ret);

struct policy_file {
	struct str name; /* for messages */
	struct str text;
	struct rule_origin from;
	bool is_settings; /* a list whose rules name their sources, see rules_add_settings() */
};

/*
 * For `thole policy test`: the decision as JSON text, in mem.  The fields of permission_decision
 * come first; then the result of parsing (command, cwd, understood, trouble, oddities, readOnly,
 * acts).  Invalid rules are an error, and no decision is made.
 */
enum err evaluate_command_test(struct arena *mem, const struct policy_file *files,
                               size_t file_count, const struct policy_call *call,
                               struct str *ret_json, struct error *e) MUST_USE;

/* For tests: how many programs the table has, and whether it is sorted. */
size_t programs_shell_program_count(void);
bool programs_shell_programs_are_sorted(void);

#endif
