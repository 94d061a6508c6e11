/*
 * From matches and mode to a decision.
 *
 *   deny rule ─► plan ─► default deny ─► not understood ─► deny rule that may match
 *       ─► ask rule ─► bypass ─► allow rule ─► mode
 *
 * The first stage that applies to an act decides; of several acts the strictest decision
 * counts.  The order is the security argument: each stage can only be reached by acts that no
 * stricter stage claims, so neither a mode nor an allow rule overrides a deny rule.
 */
#include "policy/rules_internal.h"

#include "base/utf8.h"

#define TEXT_MAX 120  /* of a command in a sentence */
#define LISTED_MAX 64 /* paths and hosts that are listed */

/* A decision is part of one event (LIMIT_EVENT_BYTES): the JSON bytes that its lists may take. */
#define SUBCOMMANDS_BYTES 16384
#define PATHS_BYTES 6144
#define WORD_BYTES 256

/* ---- texts for people ---- */

static struct str text_of(struct arena *mem, const struct act *a)
{
	char room[TEXT_MAX + 4];
	size_t n = 0;

	if (!a->word_count && a->path_count)
		return arena_printf(mem, "%.*s %.*s", STR_ARG(a->tool),
		                    STR_ARG(str_head(a->paths[0].given, TEXT_MAX)));
	if (!a->word_count)
		return a->tool;
	for (uint32_t i = 0; i < a->word_count; i++) {
		struct str w = str_head(a->words[i].text, TEXT_MAX);

		if (n + w.len + 1 > TEXT_MAX) {
			memcpy(room + n, "…", 3);
			n += 3;
			break;
		}
		if (i)
			room[n++] = ' ';
		if (w.len)
			memcpy(room + n, w.ptr, w.len);
		n += w.len;
	}
	return arena_keep(mem, str_of(room, n));
}

/*
 * The source tells a reader of the log who is responsible: the host, a person, the tool's own
 * policy, or a rule of user, project or session.
 */
static struct verdict_of_act by_rule(struct arena *mem, const struct act *a, const struct rule *r,
                                     enum approval_decision decision, const char *verb)
{
	enum decision_source source = r->source == RULE_HOST_POLICY ? DECISION_SOURCE_HOST_POLICY
	                              : r->source == RULE_GRANT     ? DECISION_SOURCE_HUMAN
	                              : r->source == RULE_TOOL      ? DECISION_SOURCE_TOOL_CONTRACT
	                                                            : DECISION_SOURCE_RULE;

	return (struct verdict_of_act){
		.decision = decision,
		.source = source,
		.scope = r->source == RULE_GRANT ? r->scope : GRANT_SCOPE_ONCE,
		.expires_at = r->expires_at,
		.rule = r,
		.reason = arena_printf(mem, "%s %.*s %s %.*s%s%.*s",
		                       r->source == RULE_GRANT ? "grant" : "rule", STR_ARG(r->id),
		                       verb, STR_ARG(text_of(mem, a)),
		                       str_is(r->reason) ? ": " : "", STR_ARG(r->reason)),
	};
}

static struct verdict_of_act make_verdict(enum approval_decision decision,
                                          enum decision_source source, struct str reason)
{
	return (struct verdict_of_act){
		.decision = decision, .source = source, .scope = GRANT_SCOPE_ONCE, .reason = reason
	};
}

/* ---- coverage of an allow rule ---- */

/*
 * Deny and ask rules count until they expire.  Allow rules also need trust: under a pure
 * allow-list the policy that a tool has for itself is no permission, and in mode untrusted only
 * the host, the user and a person's grants can allow.
 */
static bool is_rule_in_force(const struct rule *r, const struct judgement *j)
{
	if (r->expires_at && r->expires_at <= j->now)
		return false;
	if (r->effect != APPROVAL_DECISION_ALLOW)
		return true;
	if (!r->is_trusted || (j->only_grants && r->source != RULE_GRANT) ||
	    (j->denies_by_default && r->source == RULE_TOOL))
		return false;
	return j->mode != PERMISSION_MODE_UNTRUSTED ||
	       (r->source != RULE_PROJECT && r->source != RULE_SESSION && r->source != RULE_TOOL);
}

/* A wildcard in the program's name, or no command at all: the author did not have this program in mind. */
static bool is_wild_name(const struct rule *r)
{
	return !r->has_command || str_find_char(r->command.items[0], '*') >= 0 ||
	       str_find_char(r->command.items[0], '?') >= 0;
}

static bool reaches_all_words(const struct rule *r, const struct act *a)
{
	return r->has_command && a->word_count && rules_match_reaches_word(r, a, a->word_count - 1);
}

/* A rule on words (or on the whole tool) that allows what the program itself does. */
static bool covers_program(const struct rule *r, const struct judgement *j, const struct act *a)
{
	if (str_is(r->path) || a->flags & ACT_OTHER_CODE || !rules_match_strictly(r, j, a))
		return false;
	/*
	 * sudo, mkfs or rm need a rule that spells their name; a broad rule is too easily written.
	 */
	if (a->flags & (ACT_ELEVATES | ACT_SYSTEM | ACT_DESTRUCTIVE) && a->word_count &&
	    is_wild_name(r))
		return false;
	/* A host may be in any word, so a rule without a host must reach all words to cover it. */
	if (a->hosts.count && !str_is(r->host) && a->word_count && !reaches_all_words(r, a))
		return false;
	/* A rule on a host alone does not cover a program that has other effects. */
	if (str_is(r->host) && !r->has_command && a->word_count && !(a->flags & ACT_COMPLETE))
		return false;
	/*
	 * A word that changes what the program does (tar --to-command) is covered only by its name:
	 * the prefix ["tar"] does not mean "tar may run programs".
	 */
	for (uint32_t i = 0; i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST && !rules_match_names_word(r, a, i))
			return false;
	return true;
}

/* Access without a rule: reading public places. */
static bool is_free(const struct judgement *j, const struct act_path *p)
{
	bool reads_only = !(p->use & (ACT_WRITES | ACT_DELETES));

	if (p->flags & ACT_PATH_HARMLESS)
		return true;
	/*
	 * A guess is mostly plain text.  Asking for each would make every command with a slash in
	 * an argument ask; only a guess at a sensitive place counts.
	 */
	if (p->flags & ACT_PATH_GUESS)
		return !(p->flags & (ACT_PATH_SECRET | ACT_PATH_PERSONAL)) &&
		       (reads_only || !(p->flags & ACT_PATH_PROTECTED));
	/* Outside of a sandbox other users of the machine write to /tmp; inside it is private. */
	if (p->flags & ACT_PATH_SHARED && !j->is_sandboxed)
		return false;
	if (!reads_only || p->flags & (ACT_PATH_UNKNOWN | ACT_PATH_SECRET))
		return false;
	if (p->flags & ACT_PATH_INSIDE)
		return true;
	if (!p->use) /* it only enters it, or checks that it exists */
		return true;
	return j->mode != PERMISSION_MODE_UNTRUSTED && !(p->flags & ACT_PATH_PERSONAL);
}

bool rules_evaluate_is_plain_path(const struct act_path *p)
{
	return !(p->flags & (ACT_PATH_SECRET | ACT_PATH_PROTECTED | ACT_PATH_UNKNOWN)) &&
	       str_eq(p->real, p->path);
}

/*
 * A rule on the command covers the paths of its words: those in the roots, and those that it
 * names.  A redirection is opened by the shell, not by the program, so a rule on words never
 * covers it.
 */
static bool covers_path(const struct rule *r, const struct act *a, const struct act_path *p)
{
	bool is_delicate = p->flags & (ACT_PATH_SECRET | ACT_PATH_PROTECTED);

	if (p->flags & ACT_PATH_REDIRECTED || (str_is(r->host) && !r->has_command))
		return false;
	/*
	 * A tool that is no command: the rule names the tool, which covers ordinary work in the
	 * roots.
	 */
	if (!a->word_count)
		return !is_delicate && p->flags & (ACT_PATH_INSIDE | ACT_PATH_GUESS);
	/* Only because of an option the program writes, so the rule must name that option. */
	if (p->option && !rules_match_names_word(r, a, p->option))
		return false;
	/* The words of a grant mean what they led to: anything else needs a grant for the path. */
	if (r->source == RULE_GRANT && !rules_evaluate_is_plain_path(p))
		return false;
	/* No author of a rule had the target of this link in mind. */
	if (p->flags & ACT_PATH_LED)
		return false;
	/* The author of the rule wrote this very path, so even a protected place is intended. */
	if (p->word >= 0 && rules_match_names_word(r, a, (uint32_t)p->word))
		return true;
	if (is_delicate)
		return false;
	if (p->flags & ACT_PATH_GUESS || p->flags & ACT_PATH_INSIDE)
		return true;
	return p->word >= 0 && rules_match_reaches_word(r, a, (uint32_t)p->word);
}

/*
 * Is the connection of a redirection allowed?  Like its files, it is not a matter of the program's
 * words.
 */
static const struct rule *host_rule(const struct rules *rs, const struct judgement *j,
                                    const struct act *a, struct str opened)
{
	for (uint32_t i = 0; i < rs->count && analysis_spend(j->budget, 4); i++) {
		const struct rule *r = &rs->items[i];

		if (r->effect == APPROVAL_DECISION_ALLOW && is_rule_in_force(r, j) &&
		    rules_match_host_allowed(r, j, a, opened))
			return r;
	}
	return NULL;
}

static const struct rule *path_rule(const struct rules *rs, const struct judgement *j,
                                    const struct act *a, const struct act_path *p)
{
	for (uint32_t i = 0; i < rs->count && analysis_spend(j->budget, 1); i++)
		if (rs->items[i].effect == APPROVAL_DECISION_ALLOW &&
		    is_rule_in_force(&rs->items[i], j) &&
		    rules_match_path_allowed(&rs->items[i], j, a, p))
			return &rs->items[i];
	return NULL;
}

/* The rule of the higher source is reported; both would give the same decision. */
static const struct rule *stronger(const struct rule *a, const struct rule *b)
{
	return !a || (b && b->source < a->source) ? b : a;
}

struct cover {
	bool is_whole;              /* everything the act does is allowed */
	const struct rule *rule;    /* NULL: no rule was needed */
	const struct act_path *bad; /* the path that is not allowed, if it is a path */
};

/*
 * With this rule for the program (NULL: it needs none), are all paths allowed too?  Paths that
 * the rule does not cover may each be covered by another rule.  is_outer: the rule is about a
 * wrapper (timeout 5 make), so its word positions say nothing about this act, and it covers the
 * roots only.
 */
static struct cover with_program(const struct rules *rs, const struct judgement *j,
                                 const struct act *a, const struct rule *program, bool is_outer)
{
	struct cover c = { .is_whole = true, .rule = program };

	for (uint32_t i = 0; i < a->path_count && analysis_spend(j->budget, 1); i++) {
		const struct act_path *p = &a->paths[i];
		const struct rule *r;

		if (is_free(j, p) || (program && !is_outer && covers_path(program, a, p)))
			continue;
		if (program && is_outer && p->flags & ACT_PATH_INSIDE &&
		    !(p->flags & (ACT_PATH_SECRET | ACT_PATH_PROTECTED | ACT_PATH_REDIRECTED)))
			continue;
		r = path_rule(rs, j, a, p);
		if (!r) {
			c.is_whole = false;
			c.bad = p;
			return c;
		}
		c.rule = stronger(c.rule, r);
	}
	for (uint32_t i = 0; i < a->opened.count && c.is_whole; i++) {
		const struct rule *r = host_rule(rs, j, a, a->opened.items[i]);

		c.is_whole = r != NULL;
		c.rule = r ? stronger(c.rule, r) : c.rule;
	}
	c.is_whole &= !a->opens_unknown;
	return c;
}

static bool is_read_only(const struct act *a)
{
	return a->flags & (ACT_READ_ONLY | ACT_NEUTRAL);
}

/*
 * All effects are on paths and hosts, and rules allow those.  This lets rules on places alone
 * permit a program that no rule names.  Only an act whose effects are completely known
 * qualifies.
 */
static bool is_all_places(const struct rules *rs, const struct judgement *j, const struct act *a)
{
	if (!(a->flags & ACT_COMPLETE) || a->flags & (ACT_ELEVATES | ACT_SYSTEM | ACT_RUNS_CODE) ||
	    a->has_unknown_host)
		return false;
	for (uint32_t i = 0; i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST)
			return false;
	for (uint32_t i = 0; i < a->hosts.count; i++) {
		bool found = false;

		for (uint32_t k = 0; k < rs->count && !found && analysis_spend(j->budget, 4); k++) {
			const struct rule *r = &rs->items[k];

			found = r->effect == APPROVAL_DECISION_ALLOW && is_rule_in_force(r, j) &&
			        str_is(r->host) && !r->has_command && !str_is(r->path) &&
			        rules_match_host(r->host, a->hosts.items[i]);
		}
		if (!found)
			return false;
	}
	/* Without any place there is nothing that a rule on places could have allowed. */
	return a->path_count || a->hosts.count;
}

static bool needs_rule(const struct judgement *j)
{
	return j->denies_by_default || j->mode == PERMISSION_MODE_NEVER;
}

/*
 * Looks for a set of allow rules that covers the act: none at all for reading, then one rule
 * for the program, then the rule that allowed its wrapper, then rules on places alone.  If
 * nothing covers it, .bad is the first path that was in the way, for the explanation.
 */
static struct cover find_cover(const struct rules *rs, const struct judgement *j,
                               const struct act *a, const struct rule *outer)
{
	struct cover best = { 0 }, c;

	/* Where only rules allow, reading needs one as well. */
	if (is_read_only(a) && !(a->flags & ACT_CONSENT) && !j->only_grants &&
	    (!needs_rule(j) || a->flags & ACT_NEUTRAL)) {
		best = with_program(rs, j, a, NULL, false);
		if (best.is_whole)
			return best;
	}
	for (uint32_t i = 0; i < rs->count && analysis_spend(j->budget, 4); i++) {
		const struct rule *r = &rs->items[i];

		if (r->effect != APPROVAL_DECISION_ALLOW || !is_rule_in_force(r, j) ||
		    !covers_program(r, j, a))
			continue;
		c = with_program(rs, j, a, r, false);
		if (c.is_whole && (!best.is_whole || stronger(best.rule, c.rule) == c.rule))
			best = c;
		else if (!best.is_whole && !best.bad)
			best = c;
	}
	if (!best.is_whole && outer) {
		c = with_program(rs, j, a, outer, true);
		if (c.is_whole)
			best = c;
	}
	if (!best.is_whole && is_all_places(rs, j, a)) {
		c = with_program(rs, j, a, NULL, false);
		if (c.is_whole && c.rule)
			best = c;
	}
	return best;
}

bool rules_evaluate_reaches(const struct rule *r, const struct act *wrapper)
{
	/* A grant has a match for each act, bound to the script that it runs. */
	return r->source != RULE_GRANT && r->has_command && wrapper->inner_at &&
	       rules_match_names_word(r, wrapper, wrapper->inner_at);
}

/* ---- modes ---- */

/* The strongest statement that is true of the path, because it is all that the person reads. */
static struct str why_path(struct arena *mem, const struct act_path *p)
{
	const char *what = p->flags & ACT_PATH_UNKNOWN
	                           ? "names a path that is known only when it runs:"
	                   : p->use & ACT_DELETES ? "deletes"
	                   : p->use & ACT_WRITES && p->flags & ACT_PATH_PROTECTED
	                           ? "writes to a protected place,"
	                   : p->use & ACT_WRITES        ? "writes"
	                   : p->flags & ACT_PATH_SECRET ? "reads what may hold secrets,"
	                                                : "reads outside of the workspace,";

	return arena_printf(mem, "it %s %.*s", what, STR_ARG(str_head(p->given, TEXT_MAX)));
}

static struct str why_not(struct arena *mem, const struct act *a, const struct act_path *bad)
{
	if (is_read_only(a))
		return bad ? why_path(mem, bad) : STR("reading needs a rule here, too");
	if (str_is(a->why))
		return a->why;
	if (bad)
		return why_path(mem, bad);
	return STR("it is not known to be read-only");
}

/* Mode auto decides by the properties of the act, so it is reported as a classifier. */
static struct verdict_of_act by_mode(struct arena *mem, const struct judgement *j,
                                     const struct act *a, enum approval_decision d,
                                     const char *says, const struct act_path *bad)
{
	struct str mode = permission_mode_word(j->mode);
	bool runs = d == APPROVAL_DECISION_ALLOW || d == APPROVAL_DECISION_SANDBOXED;
	struct str why = runs ? STR("") : why_not(mem, a, bad);

	return make_verdict(d,
	                    j->mode == PERMISSION_MODE_AUTO ? DECISION_SOURCE_CLASSIFIER
	                                                    : DECISION_SOURCE_MODE,
	                    arena_printf(mem, "mode %.*s %s: %.*s%s%.*s", STR_ARG(mode), says,
	                                 STR_ARG(text_of(mem, a)), runs ? "" : ": ", STR_ARG(why)));
}

/* npm install, where the operator has opened the registry to commands in the sandbox. */
static bool has_open_registry(const struct judgement *j, const struct act *a)
{
	for (size_t i = 0; str_is(a->registry) && i < j->reachable_count; i++)
		if (str_eq(j->reachable[i], a->registry))
			return true;
	return false;
}

/* *.o, but not * or *.*: what a pattern without letters of its own finds is not foreseen. */
static bool is_telling_pattern(struct str path)
{
	size_t letters = 0, i = path.len;

	while (i > 0 && path.ptr[i - 1] != '/')
		letters += !strchr("*?[].", path.ptr[--i]);
	for (; i > 0; i--)
		if (strchr("*?[", path.ptr[i - 1]))
			return false;
	return letters >= 1;
}

/* The history of a version control system, of which git's is protected anyway. */
static bool is_history(struct str path)
{
	static const char *const names[] = { "/.git", "/.hg", "/.jj", "/.svn" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_ends(path, str_from(names[i])))
			return true;
	return false;
}

static bool is_named(const struct act_path *p)
{
	const unsigned bad = ACT_PATH_UNKNOWN | ACT_PATH_ROOT | ACT_PATH_LISTED;

	if (!(p->flags & ACT_PATH_INSIDE) || p->flags & bad || is_history(p->path) ||
	    is_history(p->real))
		return false;
	return !(p->flags & ACT_PATH_PATTERN) ||
	       (!(p->flags & ACT_PATH_DEEP) && is_telling_pattern(p->path));
}

/*
 * rm a.o: it deletes only what it names.  A whole workspace, all that a bare pattern or another
 * command finds, or what an option of a reading program removes, is more than anyone means by an
 * everyday command.
 */
static bool deletes_what_it_names(const struct act *a)
{
	bool names = false;

	if (!(a->flags & ACT_COMPLETE))
		return false;
	for (uint32_t i = 0; i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST)
			return false;
	for (uint32_t i = 0; i < a->path_count; i++) {
		const struct act_path *p = &a->paths[i];

		if (!(p->use & (ACT_WRITES | ACT_DELETES)) || p->flags & ACT_PATH_HARMLESS)
			continue;
		if (!is_named(p))
			return false;
		names = true;
	}
	return names;
}

/*
 * Does it stay within a sandbox around the workspace, without anything that a person should see
 * first?  must_know: the decision will not require a sandbox, so unknown effects count as
 * harmful.
 */
static bool stays_in_workspace(const struct judgement *j, const struct act *a, bool must_know)
{
	if (a->flags & (ACT_ELEVATES | ACT_SYSTEM))
		return false;
	if (a->flags & ACT_NETWORK && (must_know || !has_open_registry(j, a)))
		return false;
	if (a->flags & ACT_DESTRUCTIVE && (must_know || !deletes_what_it_names(a)))
		return false;
	if (must_know && !(a->flags & (ACT_COMPLETE | ACT_READ_ONLY | ACT_NEUTRAL)))
		return false;
	/* In a sandbox it may run any program. */
	for (uint32_t i = 0; must_know && i < a->word_count; i++)
		if (a->words[i].flags & ACT_WORD_TWIST)
			return false;
	for (uint32_t i = 0; i < a->path_count; i++) {
		const struct act_path *p = &a->paths[i];
		bool writes = p->use & (ACT_WRITES | ACT_DELETES);

		if (p->flags & ACT_PATH_HARMLESS)
			continue;
		if (p->flags & ACT_PATH_SECRET || (writes && p->flags & ACT_PATH_PROTECTED))
			return false;
		if (p->flags & ACT_PATH_UNKNOWN && (must_know || writes))
			return false;
		if (!(p->flags & (ACT_PATH_INSIDE | ACT_PATH_UNKNOWN | ACT_PATH_GUESS)) &&
		    (writes || p->flags & ACT_PATH_PERSONAL))
			return false;
	}
	return true;
}

/*
 * The last stage: no rule has an opinion.  never cannot ask, so it denies; on_failure relies on
 * the sandbox to stop what is harmful; default, untrusted and the rest ask.
 */
static struct verdict_of_act decide_by_mode(struct arena *mem, const struct judgement *j,
                                            const struct act *a, const struct act_path *bad)
{
	switch (j->mode) {
	case PERMISSION_MODE_ON_REQUEST:
		if (j->is_sandboxed && stays_in_workspace(j, a, false))
			return by_mode(mem, j, a, APPROVAL_DECISION_SANDBOXED,
			               "runs it in the sandbox", bad);
		return by_mode(mem, j, a, APPROVAL_DECISION_ASK, "asks", bad);
	case PERMISSION_MODE_ON_FAILURE:
		if (j->is_sandboxed)
			return by_mode(mem, j, a, APPROVAL_DECISION_SANDBOXED,
			               "runs it in the sandbox first and asks when that fails",
			               bad);
		return by_mode(mem, j, a, APPROVAL_DECISION_ASK,
		               "asks, because there is no sandbox", bad);
	case PERMISSION_MODE_NEVER:
		return by_mode(mem, j, a, APPROVAL_DECISION_DENY,
		               "asks no person and no rule allows it", bad);
	case PERMISSION_MODE_AUTO:
		if (stays_in_workspace(j, a, true))
			return by_mode(mem, j, a, APPROVAL_DECISION_ALLOW,
			               "allows what stays in the workspace", bad);
		return by_mode(mem, j, a, APPROVAL_DECISION_ASK, "asks", bad);
	default:
		return by_mode(mem, j, a, APPROVAL_DECISION_ASK, "asks for what no rule covers",
		               bad);
	}
}

/* ---- one act ---- */

/* A read-only program can still write through a redirection: cat a > b. */
static bool changes_something(const struct act *a)
{
	if (!is_read_only(a))
		return true;
	for (uint32_t i = 0; i < a->path_count; i++)
		if (a->paths[i].use & (ACT_WRITES | ACT_DELETES) &&
		    !(a->paths[i].flags & ACT_PATH_HARMLESS))
			return true;
	return false;
}

/* The restricting rules that match one act: the strongest of each kind, or NULL. */
struct restrictions {
	const struct rule *deny, *ask, *maybe;
	bool ask_is_always;
};

static struct restrictions match_restrictions(const struct rules *rs, const struct judgement *j,
                                              const struct act *a)
{
	struct restrictions v = { 0 };

	for (uint32_t i = 0; i < rs->count && analysis_spend(j->budget, 4); i++) {
		const struct rule *r = &rs->items[i];
		enum match m;

		if (r->effect == APPROVAL_DECISION_ALLOW || !is_rule_in_force(r, j))
			continue;
		m = rules_match_broadly(r, j, a);
		if (m == MATCH_NO)
			continue;
		/*
		 * A certain deny ends the evaluation.  A possible one becomes a question (maybe),
		 * and an ask rule asks either way.
		 */
		if (r->effect == APPROVAL_DECISION_DENY && m == MATCH_YES) {
			v.deny = stronger(v.deny, r);
		} else if (r->effect == APPROVAL_DECISION_DENY) {
			v.maybe = stronger(v.maybe, r);
		} else {
			v.ask_is_always |= r->is_always;
			v.ask = stronger(v.ask, r);
		}
	}
	return v;
}

static struct verdict_of_act not_understood(struct arena *mem, const struct act *a, struct str why)
{
	return make_verdict(APPROVAL_DECISION_ASK, DECISION_SOURCE_TOOL_CONTRACT,
	                    arena_printf(mem, "not understood: %.*s: %.*s",
	                                 STR_ARG(text_of(mem, a)), STR_ARG(why)));
}

/*
 * A pure allow-list: a call without an allow rule is denied, in every mode and whatever hooks
 * decide.  Where a deny rule may match or the act is not understood, no cover is searched: no
 * person is asked here, so doubt means deny.
 */
static struct verdict_of_act by_default(struct arena *mem, const struct rules *rs,
                                        const struct judgement *j, const struct act *a,
                                        const struct rule *covered, struct restrictions v)
{
	struct cover c = { 0 };

	if (!v.maybe && !(a->flags & ACT_OPAQUE))
		c = find_cover(rs, j, a, covered);
	if (c.is_whole && c.rule)
		return by_rule(mem, a, c.rule, APPROVAL_DECISION_ALLOW, "covers");
	/*
	 * Only a wrapper gets here: find_cover() asks for a rule even for reading when
	 * denies_by_default.
	 */
	if (c.is_whole)
		return make_verdict(
			APPROVAL_DECISION_ALLOW, DECISION_SOURCE_RULE,
			STR("it does nothing itself; the command that it runs is evaluated"));
	return make_verdict(
		APPROVAL_DECISION_DENY, DECISION_SOURCE_RULE,
		arena_printf(mem, "no rule allows %.*s, and permission.default is deny: %.*s",
	                     STR_ARG(text_of(mem, a)), STR_ARG(why_not(mem, a, c.bad))));
}

/* The stages of the picture at the top of this file, in that order. */
static struct verdict_of_act evaluate_stages(struct arena *mem, const struct rules *rs,
                                             const struct judgement *j, const struct act *a,
                                             const struct rule *covered, struct restrictions v)
{
	struct cover c;

	if (v.deny)
		return by_rule(mem, a, v.deny, APPROVAL_DECISION_DENY, "denies");
	if (j->mode == PERMISSION_MODE_PLAN && changes_something(a))
		return by_mode(mem, j, a, APPROVAL_DECISION_DENY,
		               "runs what is read-only, nothing else", NULL);
	/* Mode bypass leaves out the question of an ask rule; that does not make the rule an allow. */
	if (j->denies_by_default &&
	    (v.maybe || !v.ask || (j->mode == PERMISSION_MODE_BYPASS && !v.ask_is_always)))
		return by_default(mem, rs, j, a, covered, v);
	if (a->flags & ACT_OPAQUE)
		return not_understood(mem, a, str_is(a->why) ? a->why : STR("it cannot be read"));
	if (analysis_is_spent(j->budget))
		return not_understood(mem, a, STR(ANALYSIS_SPENT_TEXT));
	if (v.maybe)
		return by_rule(mem, a, v.maybe, APPROVAL_DECISION_ASK,
		               "denies what this may turn out to be:");
	/*
	 * Ask wins over allow, so an allow rule does not answer the question; a grant that a person
	 * gave earlier does.  An "always" rule asks every time.
	 */
	if (v.ask && (j->mode != PERMISSION_MODE_BYPASS || v.ask_is_always)) {
		struct judgement grants = *j;

		grants.only_grants = true;
		c = v.ask_is_always ? (struct cover){ 0 } : find_cover(rs, &grants, a, NULL);
		if (c.is_whole && c.rule)
			return by_rule(mem, a, c.rule, APPROVAL_DECISION_ALLOW, "covers");
		return by_rule(mem, a, v.ask, APPROVAL_DECISION_ASK, "asks before");
	}
	if (j->mode == PERMISSION_MODE_BYPASS)
		return make_verdict(APPROVAL_DECISION_ALLOW, DECISION_SOURCE_MODE,
		                    STR("mode bypass asks no person"));
	c = find_cover(rs, j, a, covered);
	if (c.is_whole && c.rule)
		return by_rule(mem, a, c.rule, APPROVAL_DECISION_ALLOW, "covers");
	if (c.is_whole)
		return make_verdict(APPROVAL_DECISION_ALLOW,
		                    j->mode == PERMISSION_MODE_AUTO ? DECISION_SOURCE_CLASSIFIER
		                                                    : DECISION_SOURCE_MODE,
		                    arena_printf(mem, "mode %.*s runs what is read-only",
		                                 STR_ARG(permission_mode_word(j->mode))));
	return decide_by_mode(mem, j, a, c.bad);
}

/* A decision made while the budget ran out is invalid, unless it is deny. */
static struct verdict_of_act evaluate_within_budget(struct arena *mem, const struct rules *rs,
                                                    const struct judgement *j, const struct act *a,
                                                    const struct rule *covered,
                                                    struct restrictions heard)
{
	struct verdict_of_act v = evaluate_stages(mem, rs, j, a, covered, heard);

	if (analysis_is_spent(j->budget) && v.decision != APPROVAL_DECISION_DENY)
		v = not_understood(mem, a, STR(ANALYSIS_SPENT_TEXT));
	return v;
}

struct verdict_of_act rules_evaluate_act(struct arena *mem, const struct rules *rs,
                                         const struct judgement *j, const struct act *a,
                                         const struct rule *covered)
{
	return evaluate_within_budget(mem, rs, j, a, covered, match_restrictions(rs, j, a));
}

/* ---- all acts of a call ---- */

/* The order in which decisions override each other within one call. */
static unsigned strictness(enum approval_decision d)
{
	switch (d) {
	case APPROVAL_DECISION_ALLOW:
		return 0;
	case APPROVAL_DECISION_SANDBOXED:
		return 1;
	case APPROVAL_DECISION_ASK:
		return 2;
	default:
		return 3;
	}
}

static struct verdict_of_act by_hook(const struct judgement *j, enum approval_decision d,
                                     struct str reason)
{
	return make_verdict(d, DECISION_SOURCE_HOOK,
	                    str_is(j->hook_reason) ? j->hook_reason : reason);
}

/*
 * A hook's allow replaces the question of a mode, and nothing else: not a rule, not plan mode,
 * not "not understood".  Its deny and ask only ever restrict.
 */
static void apply_hook(const struct judgement *j, struct verdict_of_act *v)
{
	bool is_open = v->source == DECISION_SOURCE_MODE || v->source == DECISION_SOURCE_CLASSIFIER;

	if (j->hook == APPROVAL_DECISION_DENY && v->decision != APPROVAL_DECISION_DENY)
		*v = by_hook(j, APPROVAL_DECISION_DENY, STR("a hook denied it"));
	else if (j->hook == APPROVAL_DECISION_ASK && strictness(v->decision) < 2)
		*v = by_hook(j, APPROVAL_DECISION_ASK, STR("a hook asks before it"));
	else if (j->hook == APPROVAL_DECISION_ALLOW && is_open && j->mode != PERMISSION_MODE_PLAN &&
	         v->decision != APPROVAL_DECISION_ALLOW)
		*v = by_hook(j, APPROVAL_DECISION_ALLOW, STR("a hook allowed it"));
}

static void add_ref(struct arena *mem, struct rec_permission_decision *d, const struct rule *r)
{
	if (r && rec_list_str_find(&d->rule_refs, r->ref) < 0)
		rec_list_str_add(mem, &d->rule_refs, r->ref);
}

/*
 * The length as an element of a JSON list, with quotes and comma; control characters become
 * \u00xx.
 */
static size_t written_bytes(struct str s)
{
	size_t n = 3;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		n += c < 0x20 || c == 0x7f ? 6 : c == '"' || c == '\\' ? 2 : 1;
	}
	return n;
}

static struct str short_word(struct arena *mem, struct str s)
{
	return s.len <= WORD_BYTES ? s : utf8_preview(mem, s, WORD_BYTES);
}

/*
 * Lists the command in the decision, or counts it as omitted when the list has no space left.
 * After the first omission left is 0, so that the list is a prefix and not a selection.
 */
static void add_subcommand(struct arena *mem, struct rec_permission_decision *d,
                           const struct act *a, const struct verdict_of_act *v, size_t *left)
{
	struct rec_subcommand *s;
	size_t bytes = 96;

	if (!a->word_count)
		return;
	for (uint32_t i = 0; i < a->word_count && bytes <= *left; i++)
		bytes += written_bytes(short_word(mem, a->words[i].text));
	if (bytes > *left) {
		*left = 0;
		d->subcommands_omitted++;
		d->has_subcommands_omitted = true;
		return;
	}
	*left -= bytes;
	s = rec_list_add(mem, &d->subcommands, &rec_subcommand_desc);
	for (uint32_t i = 0; i < a->word_count; i++)
		rec_list_str_add(mem, &s->argv, short_word(mem, a->words[i].text));
	s->decision = v->decision;
	s->destructive = a->flags & ACT_DESTRUCTIVE;
	s->rule_ref = v->rule ? v->rule->ref : STR_NONE;
}

/* Drops what exceeds the limits: the lists inform people, no decision reads them. */
static void add_once(struct arena *mem, struct list_str *l, struct str s)
{
	size_t bytes = written_bytes(s);

	if (l->count >= LISTED_MAX || rec_list_str_find(l, s) >= 0)
		return;
	for (uint32_t i = 0; i < l->count; i++)
		bytes += written_bytes(l->items[i]);
	if (bytes <= PATHS_BYTES)
		rec_list_str_add(mem, l, s);
}

/* "inside" holds for the call only if every path of every act is known and inside the roots. */
static void add_paths(struct arena *mem, struct rec_permission_decision *d, const struct act *a)
{
	for (uint32_t i = 0; i < a->path_count; i++) {
		const struct act_path *p = &a->paths[i];
		struct str shown = p->flags & ACT_PATH_UNKNOWN ? p->given : p->real;

		if (p->flags & (ACT_PATH_HARMLESS | ACT_PATH_GUESS))
			continue;
		if (!d->path_check) {
			d->path_check = ARENA_NEW(mem, struct rec_path_check);
			d->path_check->inside = true;
		}
		if (!(p->flags & ACT_PATH_INSIDE) || p->flags & ACT_PATH_UNKNOWN)
			d->path_check->inside = false;
		add_once(mem, &d->path_check->resolved, shown);
		if (d->impact && p->use & (ACT_WRITES | ACT_DELETES))
			add_once(mem, &d->impact->paths, shown);
	}
	for (uint32_t i = 0; d->impact && i < a->hosts.count; i++)
		add_once(mem, &d->impact->hosts, a->hosts.items[i]);
}

/*
 * Orders acts by what a person should hear about first; the impact of a call is that of its
 * heaviest act.  The numbers make each property outweigh all lesser ones together.
 */
static unsigned impact_weight(const struct act *a)
{
	if (!changes_something(a) && !(a->flags & (ACT_NETWORK | ACT_OPAQUE)))
		return 0;
	return 1 + (a->flags & ACT_COMPLETE ? 1 : 2) + (a->flags & ACT_NETWORK ? 2 : 0) +
	       (a->flags & ACT_OPAQUE ? 4 : 0) + (a->flags & (ACT_ELEVATES | ACT_SYSTEM) ? 8 : 0) +
	       (a->flags & ACT_DESTRUCTIVE ? 16 : 0);
}

/*
 * Fills in what the approval shows: effect, paths, hosts and how to undo it.  The network
 * decision is the least that the acts need; the caller may replace it.
 */
static void fill_impact(struct arena *mem, struct rec_permission_decision *d,
                        struct act *const *acts, size_t count)
{
	const struct act *worst = NULL;
	bool needs_network = false;

	for (size_t i = 0; i < count; i++) {
		if (impact_weight(acts[i]) > (worst ? impact_weight(worst) : 0))
			worst = acts[i];
		d->destructive |= (acts[i]->flags & ACT_DESTRUCTIVE) != 0;
		needs_network |= (acts[i]->flags & ACT_NETWORK) != 0;
	}
	if (worst) {
		d->impact = ARENA_NEW(mem, struct rec_impact);
		d->impact->effect = str_is(worst->effect) ? worst->effect : STR("unknown");
		d->rollback_advice = worst->rollback;
	}
	for (size_t i = 0; i < count; i++)
		add_paths(mem, d, acts[i]);
	d->network_decision = needs_network ? NETWORK_MODE_RESTRICTED : NETWORK_MODE_OFF;
}

void rules_evaluate(struct arena *mem, const struct rules *rs, const struct judgement *given,
                    struct act *const *acts, size_t count, struct rec_permission_decision *ret)
{
	struct verdict_of_act worst = make_verdict(APPROVAL_DECISION_ALLOW, DECISION_SOURCE_MODE,
	                                           STR("there is nothing that it would do"));
	/*
	 * Per act, the rule that covers the commands it runs.  A wrapper precedes what it runs in
	 * the list, so reach[outer] is set when the inner act is evaluated.
	 */
	const struct rule **reach = ARENA_ARRAY(mem, const struct rule *, count + 1);
	struct restrictions *heard = ARENA_ARRAY(mem, struct restrictions, count + 1);
	struct analysis own = analysis_of(mem);
	struct judgement how = *given, *j = &how;
	size_t left = SUBCOMMANDS_BYTES;

	if (!how.budget)
		how.budget = &own;
	/* Parsing may have spent its half; the other half is reserved for the rules. */
	analysis_open_rest(how.budget);
	*ret = (struct rec_permission_decision){ .mode = j->mode };
	/* Deny rules first, so that a budget that runs out later does not hide them. */
	for (size_t i = 0; i < count; i++)
		heard[i] = match_restrictions(rs, j, acts[i]);
	for (size_t i = 0; i < count; i++) {
		const struct act *a = acts[i];
		const struct rule *outer = a->outer >= 0 ? reach[a->outer] : NULL;
		struct verdict_of_act v = evaluate_within_budget(mem, rs, j, a, outer, heard[i]);

		if (v.decision == APPROVAL_DECISION_ALLOW && v.rule &&
		    rules_evaluate_reaches(v.rule, a))
			reach[i] = v.rule;
		else
			reach[i] = outer;
		apply_hook(j, &v);
		add_ref(mem, ret, v.rule);
		add_subcommand(mem, ret, a, &v, &left);
		/* Of equally strict decisions, one with a rule explains more than one by mode. */
		if (!i || strictness(v.decision) > strictness(worst.decision) ||
		    (v.decision == worst.decision && !worst.rule && v.rule))
			worst = v;
	}
	/*
	 * Only here, after all acts: a question with no person to answer it would block the turn.
	 */
	if (worst.decision == APPROVAL_DECISION_ASK &&
	    (!j->is_interactive || j->mode == PERMISSION_MODE_NEVER)) {
		worst.decision = APPROVAL_DECISION_DENY;
		worst.source = DECISION_SOURCE_MODE;
		worst.reason = arena_printf(mem, "%s; %.*s",
		                            j->is_interactive ? "mode never asks no person"
		                                              : "no person can be asked",
		                            STR_ARG(worst.reason));
	}
	ret->decision = worst.decision;
	ret->decision_source = worst.source;
	ret->decision_reason = worst.reason;
	ret->scope = worst.scope;
	ret->expires_at = worst.expires_at;
	fill_impact(mem, ret, acts, count);
	if (ret->decision == APPROVAL_DECISION_DENY)
		ret->network_decision = NETWORK_MODE_OFF;
}
