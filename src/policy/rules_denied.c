/*
 * The paths that deny rules deny to one caller, as a list for a sandbox plan.
 * Only rules on a path alone count: a rule that also names a command or a host
 * denies the path to that command only.
 */
#include "policy/rules_internal.h"

/*
 * Reuses the comparison of rules with acts, on an act that has nothing but a caller and a rule
 * that has nothing but its tool and server.
 */
static bool is_about_caller(const struct rule *r, const struct rules_caller *who)
{
	if (!str_is(who->tool))
		return true;

	struct act a = { .tool = who->tool,
		         .like = who->like,
		         .mcp_server = who->mcp_server,
		         .mcp_tool = who->mcp_tool };
	struct rule named = { .tool = r->tool, .mcp = r->mcp };

	return rules_match_broadly(&named, &(struct judgement){ 0 }, &a) == MATCH_YES;
}

static bool closes_path(const struct rule *r, const struct judgement *j,
                        const struct rules_caller *who)
{
	return r->effect == APPROVAL_DECISION_DENY && str_is(r->path) && !r->has_command &&
	       !str_is(r->host) && rules_match_has_place(r, j) &&
	       (!r->expires_at || r->expires_at > j->now) && is_about_caller(r, who);
}

/* Several rules may name one path, for reading and for writing; the plan gets it once. */
static struct rules_denied_path *find_pattern(struct rules_denied *all, struct str pattern)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (str_eq(all->items[i].pattern, pattern))
			return &all->items[i];
	return NULL;
}

static bool has_wildcard(struct str s)
{
	return str_find_char(s, '*') >= 0 || str_find_char(s, '?') >= 0;
}

void rules_denied_paths(struct arena *mem, const struct rules *rs, const struct judgement *j,
                        const struct rules_caller *who, struct rules_denied *ret)
{
	struct rules_denied all = { 0 };

	for (uint32_t i = 0; i < rs->count; i++) {
		const struct rule *r = &rs->items[i];
		struct rules_denied_path *p;
		struct str pattern;

		if (!closes_path(r, j, who))
			continue;
		if (!all.items)
			all.items = ARENA_ARRAY(mem, struct rules_denied_path, rs->count - i);
		pattern = rules_match_path(mem, r, j);
		if (!str_is(pattern))
			pattern = STR("/"); /* not understood: everything */
		p = find_pattern(&all, pattern);
		if (!p) {
			p = &all.items[all.count++];
			*p = (struct rules_denied_path){ .pattern = pattern,
				                         .is_glob = has_wildcard(pattern),
				                         .rule_ref = r->ref };
		}
		p->reads |= r->access != RULE_WRITE;
		p->writes |= r->access != RULE_READ;
	}
	*ret = all;
}
