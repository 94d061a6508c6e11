#ifndef POLICY_SHELL_ANALYZE_H
#define POLICY_SHELL_ANALYZE_H
/*
 * What a command line would do: every simple command in it as an act.
 *
 * The line is read by parse_shell_read; then each simple command is looked at: in
 * lists, pipes, groups, substitutions, here-documents, functions and traps,
 * and, read again, the literals behind sh -c, eval and their kin.  Programs
 * that run others (env, xargs, find -exec, timeout, sudo …) are looked
 * through: both they and what they run are acts.  A table knows which programs
 * only read, and which options make them do more.  Paths are resolved
 * against the directories that the line itself may have gone to.
 *
 * What is not understood becomes an act with ACT_OPAQUE, which nothing but a
 * person can allow.  No length and no count changes that.  A line that takes
 * more than its budget (analysis.h) is not understood either.
 *
 * Pure: links are followed by the caller's function, or not at all.
 */
#include "policy/rules.h"
#include "policy/shell/parse.h"

#define SHELL_ACTS_MAX 4096 /* of one line; more are not understood */

struct shell_place {
	struct str cwd;          /* absolute */
	struct str home;         /* may be absent */
	const struct str *roots; /* absolute, where work is done; none: cwd */
	size_t root_count;
	/*
	 * The real path behind an absolute one that may hold .. and links; absent
	 * when it is not known.  NULL: paths are compared as they are written.
	 */
	struct str (*real)(void *owner, struct arena *mem, struct str path);
	void *owner;
	/*
	 * Would git run programs that the settings of the repository name, when it only looks
	 * from this directory?  NULL: it is not asked.
	 */
	bool (*runs_code)(void *owner, struct str dir);
	bool (*runs_hooks)(void *owner,
	                   struct str dir); /* when it changes something; may be NULL */
	struct analysis *budget;            /* NULL: one of its own */
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
	bool has_network;     /* network says what the cage gives */
	enum network_mode network;
};

/* What permission.evaluated tells of a command line. */
void evaluate_command(struct arena *mem, const struct rules *rs, const struct policy_call *call,
                      struct rec_permission_decision *ret);

struct policy_file {
	struct str name; /* for messages */
	struct str text;
	struct rule_origin from;
	bool is_settings; /* a list whose rules name their sources, see rules_add_settings() */
};

/*
 * For `thole policy test`: the decision as JSON text, kept in mem.  The
 * fields of permission_decision come first; then what the reader saw
 * (command, cwd, understood, trouble, oddities, readOnly, acts).  Rules that cannot be
 * read are an error, and nothing is decided.
 */
enum err evaluate_command_test(struct arena *mem, const struct policy_file *files,
                               size_t file_count, const struct policy_call *call,
                               struct str *ret_json, struct error *e) MUST_USE;

/* For tests: how many programs the table knows, and whether it is in order. */
size_t programs_shell_program_count(void);
bool programs_shell_programs_are_sorted(void);

#endif
