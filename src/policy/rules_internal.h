#ifndef POLICY_RULES_INTERNAL_H
#define POLICY_RULES_INTERNAL_H
/*
 * Shared by the rules*.c files only.
 *
 *   rules.c            reading rules
 *   rules_match.c      does a rule match an act: no, maybe, yes
 *   rules_evaluate.c   from matches and mode to a decision
 *   rules_denied.c     the paths that deny rules deny, for a sandbox plan
 *   rules_paths.c      what kind of place a path is; patterns over paths
 *   rules_proc.c       paths that each process sees differently
 */
#include "policy/rules.h"

/*
 * Every comparison spends from the budget, which may be NULL.  When that is spent the results are
 * invalid, and rules_evaluate() treats the call as not understood.
 */
enum match { MATCH_NO, MATCH_MAYBE, MATCH_YES };

/* For deny and ask: MAYBE unless a match can be excluded. */
enum match rules_match_broadly(const struct rule *r, const struct judgement *j,
                               const struct act *a);
/* For allow: does the rule cover every word, path and host of the act? */
bool rules_match_strictly(const struct rule *r, const struct judgement *j, const struct act *a);
/* An allow rule that covers this path for the access of the act. */
bool rules_match_path_allowed(const struct rule *r, const struct judgement *j, const struct act *a,
                              const struct act_path *p);
/* An allow rule on hosts that covers this entry of a->opened. */
bool rules_match_host_allowed(const struct rule *r, const struct judgement *j, const struct act *a,
                              struct str opened);
/* The words of the pattern alone, as an allow rule needs them. */
bool rules_match_words_strictly(const struct rule *r, const struct judgement *j,
                                const struct act *a);
/* Does the pattern of a matching rule name this word of the act literally? */
bool rules_match_names_word(const struct rule *r, const struct act *a, uint32_t word);
/* Or at least by * or **: wherever that word points. */
bool rules_match_reaches_word(const struct rule *r, const struct act *a, uint32_t word);
/* False: its path begins with ~, and there is no home directory, so it matches nothing. */
bool rules_match_has_place(const struct rule *r, const struct judgement *j);
/* The path of a rule as an absolute pattern: ~ and relative paths resolved. */
struct str rules_match_path(struct arena *mem, const struct rule *r, const struct judgement *j);
bool rules_match_host(struct str pattern, struct str host);

/* Wildcards * and ? in one word or path component. */
bool rules_paths_glob_word(struct analysis *budget, struct str pattern, struct str text);
/* Can one name match both?  Wildcards on either side. */
bool rules_paths_glob_may_meet(struct str a, struct str b);
/* The same over whole paths: may the pattern of a rule match the act's path or one below it? */
enum match rules_paths_broadly(struct analysis *budget, struct str pattern,
                               const struct act_path *p);
bool rules_paths_strictly(struct analysis *budget, struct str pattern, const struct act_path *p);
/* The next component of a path; false at the end. */
bool rules_paths_next_component(struct str *path, struct str *ret);

#endif
