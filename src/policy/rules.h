#ifndef POLICY_RULES_H
#define POLICY_RULES_H
/*
 * Permission rules, and the decision that they give for one act.
 *
 * Rules are matched against acts (policy/act.h), never against text, so quoting,
 * order of options and long lists make no difference.
 *
 *	{ "rules": [
 *	  { "id": "allow-make", "effect": "allow", "tool": "shell", "command": ["make", "test"] },
 *	  { "id": "no-secrets", "effect": "deny", "path": "secrets", "reason": "keys live there" },
 *	  { "id": "docs", "effect": "allow", "host": "*.example.org" } ] }
 *
 * A rule matches when all its members match: tool, command, path (access: read
 * or write), host, mcp.  Any deny wins, then ask, then allow.  Where it is
 * unknown whether a deny or ask rule matches (a word that is known only at run
 * time, a pattern over files), a person is asked; an allow rule matches only
 * what is known.
 *
 * Pure: no clock, no files.  The caller that makes the act resolves links.
 */
#include "base/err.h"
#include "catalog/gen/records.h"
#include "policy/analysis.h"
#include "policy/act.h"

#define RULES_MAX 4096      /* of all sources */
#define RULE_WORDS_MAX 64   /* of one command pattern */
#define RULE_BYTES_MAX 4096 /* of one string in a rule */
#define RULE_FILE_MAX 1048576
#define RULES_PATH_MAX 4096 /* no system call accepts a longer one */

/* Highest first; the order decides only which rule is named, because deny always wins. */
enum rule_source {
	RULE_HOST_POLICY = 1,
	RULE_USER,
	RULE_PROJECT,
	RULE_SESSION,
	RULE_GRANT, /* allowed by a person's answer */
	RULE_TOOL,  /* allowed by a tool's own policy */
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
	struct str path, path_real; /* of a grant: where the path leads; absent: to itself */
	enum rule_access access;
	struct str host;
	struct str mcp;        /* server, or server/tool */
	struct str definition; /* of a grant: the tool must have the same definition */
	struct str cwd;        /* of a grant: the command must run there */
	int64_t expires_at;
	enum grant_scope scope;
};

struct rules {
	struct arena *mem;
	struct rule *items;
	uint32_t count, cap;
};

/* The source of a text of rules. */
struct rule_origin {
	enum rule_source source;
	bool is_trusted; /* of a project: the user trusts exactly this text */
};

struct str rules_source_word(enum rule_source s);
enum rule_source rules_source_read(struct str word); /* 0 when it is invalid */

/*
 * Adds all rules of the text or none: an unknown field or effect makes the whole text invalid, with
 * the rule's place in the message.
 */
enum err rules_add(struct rules *rs, struct str text, struct rule_origin from,
                   struct error *e) MUST_USE;
/* From settings: each rule may name its source (default: user); a project's are never trusted. */
enum err rules_add_settings(struct rules *rs, struct str text, struct error *e) MUST_USE;
/* Adds an allow rule for a tool by its own policy. */
void rules_add_tool(struct rules *rs, struct str tool);
/* Adds a grant of a person, until expires_at (0: for ever). */
void rules_add_grant(struct rules *rs, struct str grant_id, const struct rec_grant_match *match,
                     enum grant_scope scope, int64_t expires_at);

/* ---- decisions ---- */

struct judgement {
	enum permission_mode mode;
	bool is_interactive;    /* a person can be asked */
	bool is_sandboxed;      /* a sandbox is available, so that "sandboxed" is possible */
	bool denies_by_default; /* a pure allow-list: a call without an allow rule is denied */
	bool only_grants;       /* of allow rules only grants count: the answer to an ask rule */
	enum approval_decision hook; /* decision of the hooks: allow, ask, deny; absent: none */
	struct str hook_reason;
	int64_t now;
	struct str home;             /* for ~ in rules */
	struct str root;             /* base of relative paths in rules */
	const struct str *reachable; /* by the sandbox: hosts and groups of registries */
	size_t reachable_count;
	struct analysis *budget; /* NULL: rules_evaluate() creates one */
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
 * One act by rules and mode, without regard to whether a person can be asked: that is checked once,
 * for all acts together. covered: the rule that already allowed the words of a wrapper around it,
 * or NULL.
 */
struct verdict_of_act rules_evaluate_act(struct arena *mem, const struct rules *rs,
                                         const struct judgement *j, const struct act *a,
                                         const struct rule *covered);

/* Does a path lead where it says, to nothing secret or protected?  Then the words of a grant cover it. */
bool rules_evaluate_is_plain_path(const struct act_path *p);
/* Does an allow rule on a wrapper also name the command that it runs? */
bool rules_evaluate_reaches(const struct rule *r, const struct act *wrapper);

/*
 * All acts of one call: the strictest decision counts, with its reason.  A hook's decision is one
 * more source.  An ask without a person to ask becomes deny.
 */
void rules_evaluate(struct arena *mem, const struct rules *rs, const struct judgement *j,
                    struct act *const *acts, size_t count, struct rec_permission_decision *ret);

/* ---- denied paths ---- */

/*
 * The caller, to compare with `tool` and `mcp` of a rule.  Without a tool it may be any (a hook, a
 * tool server), so every rule counts.
 */
struct rules_caller {
	struct str tool;
	struct str like; /* another tool with the same effect, or absent */
	struct str mcp_server, mcp_tool;
};

struct rules_denied_path {
	/*
	 * Absolute.  The pattern covers itself and everything below. * and ? match inside one
	 * component, ** any number of components; rules_paths_covers() compares a path with it.
	 * Links are not resolved: compare both the written path and the real one.
	 */
	struct str pattern;
	bool is_glob;       /* it has * or ?; otherwise it is one path, which may not exist yet */
	bool reads, writes; /* the denied access: one of them, or both */
	struct str rule_ref;
};

struct rules_denied {
	struct rules_denied_path *items;
	uint32_t count;
};

/*
 * Every path that a deny rule denies to this caller, in the order of the rules, each pattern once.
 * Of j only now, home and root are read: no mode and no grant overrides them.  Deny rules of an
 * untrusted project count, as in rules_evaluate().
 */
void rules_denied_paths(struct arena *mem, const struct rules *rs, const struct judgement *j,
                        const struct rules_caller *who, struct rules_denied *ret);

/* Absolute, without . and ..; absent when .. follows a wildcard. */
struct str rules_paths_resolve(struct arena *mem, struct str dir, struct str text);

/* Flags of enum act_path_flag for a real path: secrets, protected files and similar places. */
unsigned rules_paths_place(struct str path, struct str home, const struct str *roots,
                           size_t root_count);

/* The cost of rules_paths_place(), for a budget. */
size_t rules_paths_place_steps(struct str path);

/*
 * The same for a path whose links lead to `real`: inside only when both are, else the flags of
 * both.
 */
unsigned rules_paths_place_behind(unsigned flags, struct str real, struct str home,
                                  const struct str *roots, size_t root_count);

/* For tests: a pattern with * ? ** against an absolute path. */
bool rules_paths_covers(struct str pattern, struct str path);

#endif
