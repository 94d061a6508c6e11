#ifndef POLICY_RULES_H
#define POLICY_RULES_H
/*
 * Permission rules, and what they say of one act.
 *
 * An act is one thing that a tool would do: one simple command of a command
 * line, the write of one file, one fetch.  It says what is known of it: its
 * words, its paths, its hosts, and whether it changes anything at all.
 * Rules are matched against acts, never against text, so quoting, order of
 * options and long lists change nothing.
 *
 *	{ "rules": [
 *	  { "id": "allow-make", "effect": "allow", "tool": "shell", "command": ["make", "test"] },
 *	  { "id": "no-secrets", "effect": "deny", "path": "secrets", "reason": "keys live there" },
 *	  { "id": "docs", "effect": "allow", "host": "*.example.org" } ] }
 *
 * A rule matches when all that it names matches: tool, command, path (access:
 * read or write), host, mcp.  Deny anywhere wins, then ask, then allow.  Where
 * it cannot be known whether a deny or ask rule matches (a word that is
 * known only at run time, a pattern over files), somebody is asked; an allow
 * rule matches only what is known.
 *
 * Pure: no clock, no files.  Links are followed by whoever made the act.
 */
#include "base/err.h"
#include "catalog/gen/records.h"
#include "policy/analysis.h"

#define RULES_MAX 4096      /* of all sources */
#define RULE_WORDS_MAX 64   /* of one command pattern */
#define RULE_BYTES_MAX 4096 /* of one string in a rule */
#define RULE_FILE_MAX 1048576
#define RULES_PATH_MAX 4096 /* no system call takes a longer one */

/* Highest first; it decides only whose name is told, for deny wins wherever it stands. */
enum rule_source {
	RULE_HOST_POLICY = 1,
	RULE_USER,
	RULE_PROJECT,
	RULE_SESSION,
	RULE_GRANT, /* what a person allowed when asked */
	RULE_TOOL,  /* what a tool's own contract allows */
};

enum rule_access { RULE_ANY_ACCESS, RULE_READ, RULE_WRITE };

struct rule {
	struct str id;
	struct str ref;    /* rule:user:allow-make */
	struct str reason; /* may be absent */
	enum approval_decision effect;
	enum rule_source source;
	bool is_trusted; /* an allow of a project counts only when the user trusts it */
	bool is_always;  /* holds under bypass too, and no grant answers it */
	struct str tool; /* absent: any */
	struct list_str command;
	bool has_command;
	struct str path;
	enum rule_access access;
	struct str host;
	struct str mcp;        /* server, or server/tool */
	struct str definition; /* of a grant: the tool must be defined as it was then */
	struct str cwd;        /* of a grant: the command must run there */
	int64_t expires_at;
	enum grant_scope scope;
};

struct rules {
	struct arena *mem;
	struct rule *items;
	uint32_t count, cap;
};

/* Where a text of rules comes from. */
struct rule_origin {
	enum rule_source source;
	bool is_trusted; /* of a project: the user trusts exactly this text */
};

struct str rules_source_word(enum rule_source s);
enum rule_source rules_source_read(struct str word); /* 0 when it is none */

/*
 * All rules of the text or none: an unknown field or a word that is no
 * effect makes the whole text invalid, with the rule's place in the message.
 */
enum err rules_add(struct rules *rs, struct str text, struct rule_origin from,
                   struct error *e) MUST_USE;
/*
 * The same from settings: a list, in which each rule may name its source (user when it does not).
 * What a project allows is never trusted here.
 */
enum err rules_add_settings(struct rules *rs, struct str text, struct error *e) MUST_USE;
/* A tool that its contract allows. */
void rules_add_tool(struct rules *rs, struct str tool);
/* What a person allowed, until expires_at (0: for good). */
void rules_add_grant(struct rules *rs, struct str grant_id, const struct rec_grant_match *match,
                     enum grant_scope scope, int64_t expires_at);

/* ---- acts ---- */

/* None of them: it goes there, or asks whether it is there. */
enum act_use { ACT_READS = 1, ACT_LISTS = 2, ACT_WRITES = 4, ACT_DELETES = 8 };

enum act_path_flag {
	ACT_PATH_UNKNOWN = 1,     /* some path, nobody knows which */
	ACT_PATH_PATTERN = 2,     /* path holds wildcards */
	ACT_PATH_DEEP = 4,        /* and everything below */
	ACT_PATH_GUESS = 8,       /* may be a path, or only text */
	ACT_PATH_REDIRECTED = 16, /* opened by the shell, not by the program */
	ACT_PATH_INSIDE = 32,     /* in a root, before and after links */
	ACT_PATH_SECRET = 64,     /* keys, tokens, other processes */
	ACT_PATH_PROTECTED = 128, /* hooks, settings, start files: writing there runs code later */
	ACT_PATH_PERSONAL = 256,  /* outside, and not a place of programs and their manuals */
	ACT_PATH_HARMLESS = 512,  /* /dev/null and its kin */
	ACT_PATH_SHARED = 1024,   /* /tmp: everybody's outside of a cage, our own inside */
};

struct act_path {
	struct str given; /* as written */
	struct str path;  /* absolute, without . and .. */
	struct str real;  /* links followed, as far as the caller knows; else the same */
	unsigned use;     /* enum act_use */
	unsigned flags;   /* enum act_path_flag */
	int word;         /* which word it came from; -1: none */
	uint32_t option;  /* the word that makes a reading program write it; 0: none */
};

enum act_word_flag {
	ACT_WORD_KNOWN = 1,
	ACT_WORD_MANY = 2,  /* may be none or several words */
	ACT_WORD_TWIST = 4, /* makes the program do something else: an allow rule must name it */
	ACT_WORD_VALUE = 8, /* the value of an option before it */
};

struct act_word {
	struct str text; /* as it will be, or as it was written */
	unsigned flags;
};

enum act_flag {
	ACT_READ_ONLY = 1,   /* changes nothing anywhere */
	ACT_COMPLETE = 2,    /* its paths and hosts are all that it touches */
	ACT_DESTRUCTIVE = 4, /* what it removes cannot be had back from it */
	ACT_NETWORK = 8,
	ACT_ELEVATES = 16,   /* takes more rights */
	ACT_SYSTEM = 32,     /* changes the machine: services, devices, users, processes */
	ACT_OPAQUE = 64,     /* not understood: nothing but a person may allow it */
	ACT_NEUTRAL = 128,   /* runs others, which are judged beside it, and does nothing itself */
	ACT_RUNS_CODE = 256, /* runs what cannot be seen here: a script, a build, an interpreter */
	ACT_CONSENT = 512,   /* its tool wants to be allowed, even if it only reads */
};

struct act {
	struct str tool;
	struct str
		like; /* another tool that does the same: what is denied to or asked of that one */
	struct act_word *words; /* of a command; none for other tools */
	uint32_t word_count;
	/*
	 * Of a program that may run words of its own as a command (one that is not known, a
	 * build, an interpreter): those words once more, each cut where a shell or a list in
	 * code would cut it.  A deny or ask rule that one of them begins to match may match.
	 */
	struct act_word *inside;
	uint32_t inside_count;
	bool has_more_inside; /* too many: anything may be among them */
	struct act_path *paths;
	uint32_t path_count;
	struct list_str hosts;
	bool has_unknown_host;
	struct str mcp_server, mcp_tool;
	struct str definition; /* hash of its tool's; absent: it does not change */
	bool is_changed; /* from what was pinned: only a grant for this very definition counts */
	unsigned flags;
	unsigned context;  /* enum shell_context of a command */
	struct str cwd;    /* the directory of a command; absent: not known, or one of several */
	struct str script; /* the file of code that it runs, absolute; absent: none is known */
	uint32_t inner_at; /* of a wrapper: where the words of what it runs begin; 0: not one */
	int outer;         /* index of the wrapper it stands in, -1 without */
	struct str effect; /* one word: read, write, delete, execute, … */
	struct str why;    /* why it is not plainly read-only: "sort -o writes a file" */
	struct str rollback;
};

/* ---- decisions ---- */

struct judgement {
	enum permission_mode mode;
	bool is_interactive;    /* somebody can be asked */
	bool is_sandboxed;      /* a cage is to be had, so that "sandboxed" is an answer */
	bool denies_by_default; /* a pure allow-list: what no rule allows is denied */
	bool only_grants; /* of allow rules none but grants count: the answer to an ask rule */
	enum approval_decision hook; /* what hooks said: allow, ask, deny; absent: nothing */
	struct str hook_reason;
	int64_t now;
	struct str home;         /* for ~ in rules */
	struct str root;         /* what relative paths in rules start from */
	struct analysis *budget; /* NULL: rules_evaluate() makes one of its own */
};

struct verdict_of_act {
	enum approval_decision decision; /* allow, sandboxed, ask, deny */
	enum decision_source source;
	enum grant_scope scope;
	int64_t expires_at;
	struct str reason;
	const struct rule *rule; /* that decided, or NULL */
};

/*
 * One act by rules and mode, as if nobody had to answer: that somebody can be asked
 * at all is looked at once, for all acts together.  covered: the rule that
 * already allowed the words of a wrapper around it, or NULL.
 */
struct verdict_of_act rules_evaluate_act(struct arena *mem, const struct rules *rs,
                                         const struct judgement *j, const struct act *a,
                                         const struct rule *covered);

/* Does an allow rule on a wrapper name what it runs as well? */
bool rules_evaluate_reaches(const struct rule *r, const struct act *wrapper);

/*
 * All acts of one call: the sternest decides, and its reason is told.  What a
 * hook said is one more voice.  An ask that nobody can answer is a deny.
 */
void rules_evaluate(struct arena *mem, const struct rules *rs, const struct judgement *j,
                    struct act *const *acts, size_t count, struct rec_permission_decision *ret);

/* ---- closed paths ---- */

/*
 * Who would act: what `tool` and `mcp` of a rule are compared with.  Without a tool it may be
 * any of them (a hook, a tool server), so every rule counts.
 */
struct rules_caller {
	struct str tool;
	struct str like; /* another tool that does the same, or absent */
	struct str mcp_server, mcp_tool;
};

struct rules_denied_path {
	/*
	 * Absolute.  The pattern covers itself and everything below.  * and ? match inside one
	 * component, ** any number of components; rules_paths_covers() compares a path with it.
	 * Links are not followed: compare the written path and the real one.
	 */
	struct str pattern;
	bool is_glob;       /* it holds * or ?; otherwise it is one path, which may not exist yet */
	bool reads, writes; /* which access is closed: one of them, or both */
	struct str rule_ref;
};

struct rules_denied {
	struct rules_denied_path *items;
	uint32_t count;
};

/*
 * Every path that a deny rule in force closes for this caller, in the order of the rules, each
 * pattern once.  Of j only now, home and root are read: no mode and no grant opens them.  An
 * untrusted project's deny rules count, as they do in rules_evaluate().
 */
void rules_denied_paths(struct arena *mem, const struct rules *rs, const struct judgement *j,
                        const struct rules_caller *who, struct rules_denied *ret);

/* Absolute, without . and ..; absent when .. stands behind a wildcard. */
struct str rules_paths_resolve(struct arena *mem, struct str dir, struct str text);

/* Places that every platform has reasons to keep; flags of enum act_path_flag for a real path. */
unsigned rules_paths_place(struct str path, struct str home, const struct str *roots,
                           size_t root_count);

/* What rules_paths_place() costs, for a budget. */
size_t rules_paths_place_steps(struct str path);

/* The same of a path that links lead to `real`: inside only when both are, else the sum of both. */
unsigned rules_paths_place_behind(unsigned flags, struct str real, struct str home,
                                  const struct str *roots, size_t root_count);

/* Exposed for tests: pattern with * ? ** against an absolute path. */
bool rules_paths_covers(struct str pattern, struct str path);

#endif
