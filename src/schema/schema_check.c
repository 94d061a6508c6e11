/*
 * Checks a value against a compiled schema: references, combinations (allOf,
 * anyOf, oneOf, if) and unevaluated members; schema_rules.c checks the rest.
 *
 * The first pass only finds the verdict.  If the caller wants reasons, an
 * invalid value is checked a second time with findings.
 */
#include "schema/schema_walk.h"

/* ---- seen ---- */

/* Up to 256 members fit in the struct; larger values cost an allocation, and steps for it. */
static bool seen_init(struct check *c, const struct visit *x, struct seen *s)
{
	size_t count = json_count(x->v);

	*s = (struct seen){ .words = (count + 63) / 64 };
	s->bits = s->few;
	if (s->words <= COUNT_OF(s->few))
		return true;
	if (!spend(c, x->n, s->words))
		return false;
	s->bits = ARENA_ARRAY(mem_of(c), uint64_t, s->words);
	return true;
}

static bool seen_has(const struct seen *s, size_t i)
{
	return s->all || (s->bits[i / 64] >> (i % 64) & 1);
}

static void seen_merge(struct seen *into, const struct seen *from)
{
	if (!into)
		return;
	into->all |= from->all;
	for (size_t i = 0; i < from->words; i++)
		into->bits[i] |= from->bits[i];
}

/*
 * A subschema for the same value whose failure is not an error; what it saw counts if it matches.
 */
static bool check_branch(struct check *c, const struct visit *x, const struct schema_node *n)
{
	struct visit branch = *x;
	struct seen seen;

	branch.n = n;
	if (!x->seen)
		return schema_check_node(c, branch);
	if (!seen_init(c, x, &seen))
		return false;
	branch.seen = &seen;
	if (!schema_check_node(c, branch))
		return false;
	seen_merge(x->seen, &seen);
	return true;
}

/* The same without findings. */
static bool check_quietly(struct check *c, const struct visit *x, const struct schema_node *n)
{
	struct schema_findings *out = c->out;

	c->out = NULL;

	bool ok = check_branch(c, x, n);

	c->out = out;
	return ok;
}

/* ---- schemas of schemas ---- */

/* The outermost resource in the dynamic scope with this anchor decides. */
static const struct schema_node *dynamic_target(struct check *c, const struct visit *x)
{
	const struct schema_logic *r = x->n->logic;
	const struct schema_node *found = r->dynamic_ref;

	if (!str_is(r->dynamic_name))
		return found;
	for (const struct way *w = x->way; w; w = w->up) {
		if (!spend(c, x->n, 1 + w->scope->dynamic_count / 8))
			break;
		for (size_t i = 0; i < w->scope->dynamic_count; i++)
			if (str_eq(w->scope->dynamic[i].name, r->dynamic_name))
				found = w->scope->dynamic[i].node;
	}
	return found;
}

/* How many of the schemas match; more than `enough` matter only to `seen`. */
static size_t count_fitting(struct check *c, struct visit x, const struct schema_nodes *list,
                            size_t enough)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count && !c->stuck && (count < enough || x.seen); i++)
		count += check_quietly(c, &x, list->at[i]);
	return count;
}

/* Findings of the branches of an anyOf or oneOf when none matches. */
struct branches {
	struct schema_findings now, best; /* of this branch; of the branch that got furthest */
	size_t best_depth;
	struct buf firsts; /* the first message of each */
};

/*
 * Keeps the findings of the branch that got deepest into the value: that is most likely the one
 * the author meant.  The two buffers are swapped, not copied.
 */
static void end_branch(struct branches *b)
{
	size_t depth = 0;

	if (!b->now.count)
		return;
	for (size_t i = 0; i < b->now.count; i++)
		depth = MAX(depth, b->now.items[i].depth);
	buf_add_c(&b->firsts, b->firsts.len ? "; or " : ": ");
	buf_add_str(&b->firsts, b->now.items[0].error.message);
	if (depth > b->best_depth || !b->best.count) {
		struct schema_findings was = b->best;

		b->best = b->now;
		b->best_depth = depth;
		b->now = was;
	}
	b->now.count = 0;
}

/*
 * Checks every branch again, this time with findings.  Only for a value that is known to be
 * invalid.
 */
static void ask_branches(struct check *c, struct visit x, const struct schema_nodes *list,
                         struct branches *b)
{
	struct schema_findings *out = c->out;
	struct schema_findings empty = { .mem = mem_of(c), .max = out->max };

	*b = (struct branches){ .now = empty, .best = empty, .firsts = { .max = 300 } };
	if (!spend(c, x.n, 20 * out->max))
		return;
	b->now.items = ARENA_ARRAY(empty.mem, struct schema_finding, empty.max);
	b->best.items = ARENA_ARRAY(empty.mem, struct schema_finding, empty.max);
	for (size_t i = 0; i < list->count && !c->stuck; i++) {
		c->out = &b->now;
		(void)check_branch(c, &x, list->at[i]);
		c->out = out;
		end_branch(b);
	}
}

/*
 * Returns false.  Findings of a branch that got deeper into the value than the choice itself
 * follow.
 */
static bool found_no_branch(struct check *c, struct visit x, const struct schema_nodes *list,
                            const char *keyword, const char *how_many)
{
	struct branches b;
	size_t depth = 0;

	if (!c->out)
		return false;
	ask_branches(c, x, list, &b);
	(void)FOUND(c, x, keyword, "must fit %s one of %zu schemas%.*s", how_many, list->count,
	            STR_ARG(buf_str(&b.firsts)));
	for (const struct schema_path *p = x.path; p->up; p = p->up)
		depth++;
	for (size_t i = 0; i < b.best.count && b.best_depth > depth; i++)
		if (c->out->count < c->out->max)
			c->out->items[c->out->count++] = b.best.items[i];
	buf_done(&b.firsts);
	return false;
}

static bool check_any(struct check *c, struct visit x)
{
	const struct schema_nodes *list = &x.n->logic->any;

	if (count_fitting(c, x, list, 1))
		return true;
	return !c->stuck && found_no_branch(c, x, list, "anyOf", "at least");
}

static bool check_one(struct check *c, struct visit x)
{
	const struct schema_nodes *list = &x.n->logic->one;
	size_t count = count_fitting(c, x, list, 2);

	if (c->stuck || count == 1)
		return !c->stuck;
	if (!count)
		return found_no_branch(c, x, list, "oneOf", "exactly");
	return FOUND(c, x, "oneOf", "must fit exactly one of %zu schemas, not several",
	             list->count);
}

static bool check_if(struct check *c, struct visit x)
{
	const struct schema_logic *r = x.n->logic;
	struct visit chosen = x;

	/* The condition alone may still record what it has seen. */
	if (!r->then && !r->otherwise && !x.seen)
		return true;
	chosen.n = check_quietly(c, &x, r->if_) ? r->then : r->otherwise;
	return !c->stuck && (!chosen.n || schema_check_node(c, chosen));
}

/* What a negated schema has seen never counts: if it matches, the value is invalid. */
static bool check_not(struct check *c, struct visit x)
{
	struct visit inner = x;

	inner.seen = NULL;
	if (!check_quietly(c, &inner, x.n->logic->negated))
		return !c->stuck;
	return FOUND(c, x, "not", "must not fit the schema under \"not\"");
}

/* A first error ends the check unless findings are collected (goes_on). */
static bool check_logic(struct check *c, struct visit x)
{
	const struct schema_logic *r = x.n->logic;
	struct visit same = x;
	bool ok = true;

	if (r->ref) {
		same.n = r->ref;
		ok = schema_check_node(c, same);
	}
	if (goes_on(c, ok) && r->dynamic_ref) {
		same.n = dynamic_target(c, &x);
		ok &= schema_check_node(c, same);
	}
	for (size_t i = 0; i < r->all.count && goes_on(c, ok); i++) {
		same.n = r->all.at[i];
		ok &= schema_check_node(c, same);
	}
	if (goes_on(c, ok) && r->any.count)
		ok &= check_any(c, x);
	if (goes_on(c, ok) && r->one.count)
		ok &= check_one(c, x);
	if (goes_on(c, ok) && r->negated)
		ok &= check_not(c, x);
	if (goes_on(c, ok) && r->if_)
		ok &= check_if(c, x);
	return ok;
}

/* ---- unevaluated members and items ---- */

static bool check_unevaluated(struct check *c, struct visit x, const struct schema_node *n,
                              const char *keyword)
{
	struct json_iter it = json_iter(x.v);
	struct json v;
	struct str key;
	bool ok = true;

	for (size_t i = 0; goes_on(c, ok) && json_next(&it, &key, &v); i++) {
		struct schema_path path = { .up = x.path, .key = key, .index = i };

		if (!spend(c, x.n, 1))
			return false;
		if (seen_has(x.seen, i))
			continue;
		if (n->verdict != NODE_FALSE) {
			ok &= schema_check_node(c, (struct visit){ n, v, &path, x.way, NULL });
		} else if (str_is(key)) {
			ok = FOUND(c, x, keyword, "must not have the member %s",
			           schema_report_say_str(mem_of(c), key));
		} else {
			ok = FOUND(c, x, keyword, "must not have an item at %zu", i);
		}
	}
	/* What remained is evaluated by this keyword itself, which an outer one has to respect. */
	x.seen->all = true;
	return ok;
}

static const struct schema_node *unevaluated_of(const struct schema_node *n, unsigned type)
{
	if (type == TYPE_OBJ && n->objects)
		return n->objects->unevaluated;
	if (type == TYPE_ARR && n->arrays)
		return n->arrays->unevaluated;
	return NULL;
}

/* ---- one schema, one value ---- */

static bool check_rules_and_logic(struct check *c, struct visit x, unsigned type)
{
	bool ok = schema_rules_check(c, x, type);

	if (goes_on(c, ok) && x.n->logic)
		ok &= check_logic(c, x);
	return ok && !c->stuck;
}

/* A schema with unevaluated* records for itself and reports upwards what it has seen. */
static bool check_open_node(struct check *c, struct visit x)
{
	unsigned type = schema_rules_type_of(x.v);
	const struct schema_node *rest = unevaluated_of(x.n, type);
	struct seen *asked = x.seen, own;

	if (!rest)
		return check_rules_and_logic(c, x, type);
	if (!seen_init(c, &x, &own))
		return false;
	x.seen = &own;

	bool ok = check_rules_and_logic(c, x, type);

	/* A failed schema has evaluated nothing, so unevaluated members are unknown. */
	if (ok)
		ok = check_unevaluated(c, x, rest,
		                       type == TYPE_OBJ ? "unevaluatedProperties"
		                                        : "unevaluatedItems");
	seen_merge(asked, &own);
	return ok;
}

bool schema_check_node(struct check *c, struct visit x)
{
	struct way way = { x.way, x.n->scope };
	bool ok;

	if (c->stuck || !spend(c, x.n, 1))
		return false;
	if (x.n->verdict == NODE_TRUE)
		return true;
	if (x.n->verdict == NODE_FALSE)
		return FOUND(c, x, NULL, "must not be here");
	/* {"$ref": "#"} leads to itself for the same value; the limit protects the stack. */
	if (c->nesting == SCHEMA_NESTING_MAX)
		return give_up(c, x.n, "leads from schema to schema without end");
	/*
	 * The dynamic scope grows only when another resource is entered; way lives on this stack
	 * frame.
	 */
	if (!x.way || x.way->scope != x.n->scope)
		x.way = &way;
	c->nesting++;
	ok = check_open_node(c, x);
	c->nesting--;
	return ok;
}

/* ---- the whole ---- */

static bool run_check(struct check *c, struct json value)
{
	struct schema_path root = { 0 };

	c->steps = c->s->options.max_steps;
	return schema_check_node(c, (struct visit){ c->s->root, value, &root, NULL, NULL }) &&
	       !c->stuck;
}

/* Copies what was found to where the caller wants it. */
static void copy_report(const struct schema_findings *f, struct schema_report *ret)
{
	struct schema_error *errors = ARENA_ARRAY(ret->mem, struct schema_error, f->count);

	for (size_t i = 0; i < f->count; i++) {
		const struct schema_error *from = &f->items[i].error;

		errors[i] = (struct schema_error){ arena_keep(ret->mem, from->path), from->keyword,
			                           arena_keep(ret->mem, from->location),
			                           arena_keep(ret->mem, from->message) };
	}
	ret->errors = errors;
	ret->count = f->count;
}

static void explain_failure(struct check *c, struct json value, struct schema_report *ret)
{
	struct schema_findings found = { .mem = mem_of(c),
		                         .max = ret->max ? ret->max : SCHEMA_ERRORS };
	struct schema_path root = { 0 };

	found.items = ARENA_ARRAY(found.mem, struct schema_finding, found.max);
	if (c->stuck) {
		ret->gave_up = true;
		schema_report_found(&found, c->stuck, &root, NULL,
		                    "could not be checked: the schema %s", c->why);
	} else {
		struct check again = {
			.s = c->s, .out = &found, .mem = c->mem, .matcher = c->matcher
		};

		(void)run_check(&again, value);
		c->matcher = again.matcher;
		/* Collecting messages takes more steps than finding the verdict. */
		if (!found.count)
			schema_report_found(&found, c->s->root, &root, NULL, "is not valid");
	}
	copy_report(&found, ret);
}

bool schema_check(const struct schema *s, struct json value, struct schema_report *ret)
{
	struct check c = { .s = s };
	bool ok = run_check(&c, value);

	if (ret) {
		ret->errors = NULL;
		ret->count = 0;
		ret->gave_up = false;
		if (!ok)
			explain_failure(&c, value, ret);
	}
	schema_pattern_matcher_free(c.matcher);
	arena_free(c.mem);
	return ok;
}
