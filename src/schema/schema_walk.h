#ifndef SCHEMA_SCHEMA_WALK_H
#define SCHEMA_SCHEMA_WALK_H
/*
 * Shared by schema_check.c (references, combinations, the whole check) and
 * schema_rules.c (the rules of one schema by type).
 *
 * A check first runs without messages: the first error ends it, which is the
 * verdict.  Only an invalid value whose caller wants reasons is checked a
 * second time with findings.
 *
 * Evaluated members and items are recorded only where an enclosing
 * unevaluatedProperties or unevaluatedItems needs them: then `seen` is set, and
 * a subschema that may fail without failing the whole (a branch of anyOf, the
 * `if`) gets a separate one that is merged when it matches.
 */
#include "schema/schema_parts.h"

struct check {
	const struct schema *s;
	uint64_t steps;
	unsigned nesting;
	const struct schema_node *stuck; /* where it gave up; NULL: it did not */
	const char *why;
	struct schema_findings *out; /* NULL: only the verdict */
	struct arena *mem;           /* created when needed, like the matcher */
	struct schema_matcher *matcher;
};

/* Members or items that some schema has evaluated. */
struct seen {
	bool all;
	size_t words;
	uint64_t *bits;
	uint64_t few[4];
};

/* The resources entered so far, innermost first: the dynamic scope. */
struct way {
	const struct way *up;
	const struct schema_scope *scope;
};

struct visit {
	const struct schema_node *n;
	struct json v;
	const struct schema_path *path;
	const struct way *way;
	struct seen *seen; /* NULL: not needed */
};

/* schema_check.c */
bool schema_check_node(struct check *c, struct visit x);

/* schema_rules.c: everything except references, combinations and unevaluated members. */
unsigned schema_rules_type_of(struct json v);
bool schema_rules_check(struct check *c, struct visit x, unsigned type);

/* Returns false, for the caller to return. */
static inline bool give_up(struct check *c, const struct schema_node *n, const char *why)
{
	if (!c->stuck) {
		c->stuck = n;
		c->why = why;
	}
	return false;
}

/* False when the steps are used up. */
static inline bool spend(struct check *c, const struct schema_node *n, uint64_t steps)
{
	if (c->steps < steps) {
		c->steps = 0;
		return give_up(c, n, "takes more steps than one check may");
	}
	c->steps -= steps;
	return true;
}

static inline struct arena *mem_of(struct check *c)
{
	if (!c->mem)
		c->mem = arena_new();
	return c->mem;
}

/* Further rules of a node are checked unless the verdict is known and sufficient. */
static inline bool goes_on(const struct check *c, bool ok)
{
	return (ok || c->out) && !c->stuck;
}

/* Messages cost more than steps, and most are dropped inside an anyOf. */
static inline bool words_wanted(struct check *c, const struct schema_node *n)
{
	return c->out && c->out->count < c->out->max && spend(c, n, 50);
}

/* Evaluates to false; formats its arguments only when findings are wanted. */
#define FOUND(c, x, keyword, ...)                                                                  \
	(words_wanted((c), (x).n)                                                                  \
	         ? (schema_report_found((c)->out, (x).n, (x).path, keyword, __VA_ARGS__), false)   \
	         : false)

static inline void seen_add(struct seen *s, size_t i)
{
	if (s)
		s->bits[i / 64] |= (uint64_t)1 << (i % 64);
}

#endif
