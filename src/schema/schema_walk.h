#ifndef SCHEMA_SCHEMA_WALK_H
#define SCHEMA_SCHEMA_WALK_H
/*
 * What schema_check.c (schemas over schemas, the whole) and schema_rules.c
 * (what one schema says about a value of one type) share.
 *
 * A check first runs without words: the first fault ends it, and that is the
 * verdict.  Only a value that is not valid, and whose caller wants to know
 * why, is gone through a second time with findings.
 *
 * Which members and items have been evaluated is noted only where some
 * unevaluatedProperties or unevaluatedItems around will ask: then `seen` is
 * there, and a schema that may fail without failing the whole (a branch of
 * anyOf, the `if`) gets one of its own that is merged when it fits.
 */
#include "schema/schema_parts.h"

struct check {
	const struct schema *s;
	uint64_t steps;
	unsigned nesting;
	const struct schema_node *stuck; /* where it gave up; NULL: it did not */
	const char *why;
	struct schema_findings *out; /* NULL: the verdict is enough */
	struct arena *mem;           /* made when needed, like the matcher */
	struct schema_matcher *matcher;
};

/* Members or items that some schema has looked at. */
struct seen {
	bool all;
	size_t words;
	uint64_t *bits;
	uint64_t few[4];
};

/* The resources entered on the way here, innermost first: the dynamic scope. */
struct way {
	const struct way *up;
	const struct schema_scope *scope;
};

struct visit {
	const struct schema_node *n;
	struct json v;
	const struct schema_path *path;
	const struct way *way;
	struct seen *seen; /* NULL: nobody asks */
};

/* schema_check.c */
bool schema_check_node(struct check *c, struct visit x);

/* schema_rules.c: everything but references, combinations and what was not evaluated. */
unsigned schema_rules_type_of(struct json v);
bool schema_rules_check(struct check *c, struct visit x, unsigned type);

/* False, so that one can return it. */
static inline bool give_up(struct check *c, const struct schema_node *n, const char *why)
{
	if (!c->stuck) {
		c->stuck = n;
		c->why = why;
	}
	return false;
}

/* False when the steps do not suffice. */
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

/* Further rules of a node are looked at unless the verdict is known and enough. */
static inline bool goes_on(const struct check *c, bool ok)
{
	return (ok || c->out) && !c->stuck;
}

/* Sentences cost more than steps, and most are thrown away inside an anyOf. */
static inline bool words_wanted(struct check *c, const struct schema_node *n)
{
	return c->out && c->out->count < c->out->max && spend(c, n, 50);
}

/* Is false; says why when somebody listens, and only then evaluates what follows fmt. */
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
