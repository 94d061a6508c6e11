/*
 * Reads the keywords of one schema into its compiled node.
 *
 * A sorted table lists every keyword with the form of its value, its
 * vocabulary, and the function that stores it.  Keywords outside the table are
 * annotations.
 */
#include "schema/schema_build.h"

#include "base/memory.h"

#include <stdlib.h>

/* The node that is being filled, with its rules still open to change. */
struct filling {
	struct compiling *c;
	struct schema_node *n;
	struct schema_numbers *numbers;
	struct schema_strings *strings;
	struct schema_arrays *arrays;
	struct schema_objects *objects;
	struct schema_logic *logic;
};

/*
 * One row of the table.  vocabulary: the keyword is ignored where the resource's $schema does
 * not include it.  fill NULL: known, because it contains schemas or is read elsewhere.
 */
struct keyword {
	const char *name;
	enum schema_shape shape;
	unsigned vocabulary;
	enum err (*fill)(struct filling *f, const struct keyword *k, struct json v);
	void *(*rules)(struct filling *f); /* the group it belongs to, and the offset in it */
	size_t offset;
};

/* ---- groups of rules, allocated when the first of a group is read ---- */

static void *numbers_of(struct filling *f)
{
	if (!f->numbers)
		f->numbers = ARENA_NEW(f->c->s->mem, struct schema_numbers);
	f->n->numbers = f->numbers;
	return f->numbers;
}

static void *strings_of(struct filling *f)
{
	if (!f->strings) {
		f->strings = ARENA_NEW(f->c->s->mem, struct schema_strings);
		f->strings->max_len = UINT64_MAX;
	}
	f->n->strings = f->strings;
	return f->strings;
}

/* The defaults are those of absent keywords: minContains is 1 when only contains is given. */
static void *arrays_of(struct filling *f)
{
	if (!f->arrays) {
		f->arrays = ARENA_NEW(f->c->s->mem, struct schema_arrays);
		f->arrays->max = f->arrays->max_contains = UINT64_MAX;
		f->arrays->min_contains = 1;
	}
	f->n->arrays = f->arrays;
	return f->arrays;
}

static void *objects_of(struct filling *f)
{
	if (!f->objects) {
		f->objects = ARENA_NEW(f->c->s->mem, struct schema_objects);
		f->objects->max = UINT64_MAX;
	}
	f->n->objects = f->objects;
	return f->objects;
}

static void *logic_of(struct filling *f)
{
	if (!f->logic)
		f->logic = ARENA_NEW(f->c->s->mem, struct schema_logic);
	f->n->logic = f->logic;
	return f->logic;
}

static void *keyword_field(struct filling *f, const struct keyword *k)
{
	return (char *)k->rules(f) + k->offset;
}

/* ---- helpers ---- */

static const struct schema_place *place_below(struct filling *f, const struct schema_place *up,
                                              struct str token)
{
	struct schema_place *p = ARENA_NEW(f->c->s->mem, struct schema_place);

	*p = (struct schema_place){ up, token };
	return p;
}

static enum err add_inner(struct filling *f, struct json v, const struct schema_place *place,
                          struct schema_node **ret)
{
	return schema_compile_add_inner(f->c, f->n, v, place, ret);
}

static enum err keyword_error(struct filling *f, const struct keyword *k, const char *what)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str at =
		schema_report_location(mem, f->n->scope->resource, f->n->place, str_from(k->name));

	return fail(f->c->e, ERR_INVALID, "%.*s must be %s", STR_ARG(at), what);
}

/* Adds the keyword to an error from further down. */
static enum err failed_at(struct filling *f, const struct keyword *k, enum err err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str at =
		schema_report_location(mem, f->n->scope->resource, f->n->place, str_from(k->name));
	struct error *e = f->c->e;

	if (!e)
		return err;

	/* A copy: fail() writes into the buffer that holds the old message. */
	struct str why = arena_keep(mem, str_from(e->message));

	return fail(e, err, "%.*s: %.*s", STR_ARG(at), STR_ARG(why));
}

/* ---- one function per form of value ---- */

/* 2.0 is a whole number, and a count beyond uint64 restricts nothing or everything. */
static enum err fill_count(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_num zero = { .kind = NUM_INT };
	struct schema_num n = schema_number_of(v);
	uint64_t *at = keyword_field(f, k);

	if (n.kind == NUM_NONE || !schema_number_is_whole(n) || schema_number_compare(n, zero) < 0)
		return keyword_error(f, k, "a whole number, not below 0");
	*at = json_uint(v, UINT64_MAX);
	return OK;
}

static enum err fill_number(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_num *at = keyword_field(f, k);

	*at = schema_number_of(v);
	return at->kind == NUM_NONE ? keyword_error(f, k, "a number") : OK;
}

static enum err fill_multiple(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_num zero = { .kind = NUM_INT };
	struct schema_num n = schema_number_of(v);

	if (n.kind == NUM_NONE || schema_number_compare(n, zero) <= 0)
		return keyword_error(f, k, "a number above 0");
	return fill_number(f, k, v);
}

static enum err fill_bool(struct filling *f, const struct keyword *k, struct json v)
{
	bool *at = keyword_field(f, k);

	if (json_type(v) != JSON_BOOL)
		return keyword_error(f, k, "true or false");
	*at = json_bool(v, false);
	return OK;
}

static enum err fill_one(struct filling *f, const struct keyword *k, struct json v)
{
	return add_inner(f, v, place_below(f, f->n->place, str_from(k->name)), keyword_field(f, k));
}

static enum err fill_list(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_nodes *at = keyword_field(f, k);
	const struct schema_place *place = place_below(f, f->n->place, str_from(k->name));
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	enum err err = OK;

	bool may_be_empty = f->n->scope->resource->dialect != DIALECT_2020;

	if (json_type(v) != JSON_ARR || (!json_count(v) && !may_be_empty))
		return keyword_error(f, k, "an array of schemas, not empty");
	at->at = ARENA_ARRAY(f->c->s->mem, struct schema_node *, json_count(v));
	while (!err && json_next(&it, &key, &item)) {
		struct str index = arena_printf(f->c->s->mem, "%zu", at->count);

		err = add_inner(f, item, place_below(f, place, index), &at->at[at->count]);
		at->count++;
	}
	return err;
}

static enum err fill_type(struct filling *f, const struct keyword *k, struct json v)
{
	static const struct {
		const char *name;
		unsigned types;
	} names[] = {
		{ "null", TYPE_NULL },   { "boolean", TYPE_BOOL },
		{ "integer", TYPE_INT }, { "number", TYPE_INT | TYPE_REAL },
		{ "string", TYPE_STR },  { "array", TYPE_ARR },
		{ "object", TYPE_OBJ },
	};
	struct json_iter it = json_iter(v);
	struct json item = v;
	struct str key;
	bool is_list = json_type(v) == JSON_ARR;
	unsigned types = 0;

	if (is_list ? !json_count(v) : json_type(v) != JSON_STR)
		return keyword_error(f, k, "the name of a type, or an array of such");
	while (is_list ? json_next(&it, &key, &item) : !types) {
		unsigned found = 0;

		for (size_t i = 0; i < COUNT_OF(names); i++)
			if (str_eq(json_str(item), str_from(names[i].name)))
				found = names[i].types;
		if (!found)
			return keyword_error(f, k, "the name of a type, or an array of such");
		types |= found;
	}
	f->n->types = types;
	return OK;
}

/* Nesting is bounded by the JSON reader. */
static size_t size_of(struct json v)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	size_t size = 1 + json_str(v).len / 64;

	while (json_next(&it, &key, &item))
		size += size_of(item);
	return size;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static enum err fill_enum(struct filling *f, const struct keyword *k, struct json v)
{
	struct arena *mem = f->c->s->mem;
	struct schema_values *values = ARENA_NEW(mem, struct schema_values);
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return keyword_error(f, k, "an array");
	values->strings = ARENA_ARRAY(mem, struct str, json_count(v));
	values->others = ARENA_ARRAY(mem, struct schema_constant, json_count(v));
	while (json_next(&it, &key, &item)) {
		if (json_type(item) == JSON_STR)
			values->strings[values->string_count++] = json_str(item);
		else
			values->others[values->other_count++] =
				(struct schema_constant){ item, size_of(item) };
	}
	if (values->string_count)
		qsort(values->strings, values->string_count, sizeof *values->strings, by_text);
	f->n->values = values;
	return OK;
}

static enum err fill_const(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_constant *constant = ARENA_NEW(f->c->s->mem, struct schema_constant);

	(void)k;
	*constant = (struct schema_constant){ v, size_of(v) };
	f->n->constant = constant;
	return OK;
}

/*
 * Equal patterns share one compiled form.  The sum of their sizes is limited, since a short pattern
 * with large repetitions compiles to far more bytes than its text has.
 */
static enum err get_pattern(struct filling *f, struct str text, const struct schema_pattern **ret)
{
	struct compiling *c = f->c;
	struct schema_pattern *p = map_get(&c->patterns, text);
	enum err err;

	if (!p) {
		size_t count = c->s->pattern_count;

		err = schema_pattern_new(text, &p, c->e);
		if (err)
			return err;
		if (!(count & (count + 1))) /* full at 0, 1, 3, 7, ... */
			c->s->patterns = memory_resize(
				c->s->patterns, (2 * count + 1) * sizeof(struct schema_pattern *));
		c->s->patterns[c->s->pattern_count++] = p;
		map_put(&c->patterns, text, p);
		c->pattern_size += schema_pattern_size(p);
		if (c->pattern_size > SCHEMA_PATTERNS_SIZE)
			return fail(c->e, ERR_TOO_LARGE, "patterns of more than %u bytes",
			            SCHEMA_PATTERNS_SIZE);
	}
	*ret = p;
	return OK;
}

static enum err fill_pattern(struct filling *f, const struct keyword *k, struct json v)
{
	const struct schema_pattern **at = keyword_field(f, k);

	if (json_type(v) != JSON_STR)
		return keyword_error(f, k, "a string");

	enum err err = get_pattern(f, json_str(v), at);

	return err ? failed_at(f, k, err) : OK;
}

/*
 * By default a format is an annotation (2020-12); asserting it needs the option or the
 * vocabulary.
 */
static enum err fill_format(struct filling *f, const struct keyword *k, struct json v)
{
	if (json_type(v) != JSON_STR)
		return keyword_error(f, k, "a string");
	if (f->c->s->options.assert_formats || f->n->scope->vocabularies & VOCAB_FORMAT_ASSERTION)
		*(schema_format *)keyword_field(f, k) = schema_format_find(json_str(v));
	return OK;
}

static enum err read_strings(struct filling *f, const struct keyword *k, struct json v,
                             struct str **ret, size_t *ret_count)
{
	struct str *list = ARENA_ARRAY(f->c->s->mem, struct str, json_count(v));
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	size_t count = 0;

	if (json_type(v) != JSON_ARR)
		return keyword_error(f, k, "an array of strings");
	while (json_next(&it, &key, &item)) {
		if (json_type(item) != JSON_STR)
			return keyword_error(f, k, "an array of strings");
		list[count++] = json_str(item);
	}
	*ret = list;
	*ret_count = count;
	return OK;
}

static enum err fill_required(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_objects *o = objects_of(f);

	return read_strings(f, k, v, &o->required, &o->required_count);
}

/* Length first: most names differ in it, so find_property() compares few bytes. */
static int by_length(const void *a, const void *b)
{
	struct str sa = ((const struct schema_property *)a)->name;
	struct str sb = ((const struct schema_property *)b)->name;

	if (sa.len != sb.len)
		return sa.len < sb.len ? -1 : 1;
	return str_cmp(sa, sb);
}

static enum err fill_properties(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_objects *o = objects_of(f);
	const struct schema_place *place = place_below(f, f->n->place, str_from(k->name));
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	enum err err = OK;

	if (json_type(v) != JSON_OBJ)
		return keyword_error(f, k, "an object of schemas");
	o->properties = ARENA_ARRAY(f->c->s->mem, struct schema_property, json_count(v));
	while (!err && json_next(&it, &key, &item)) {
		struct schema_property *p = &o->properties[o->property_count++];

		p->name = key;
		err = add_inner(f, item, place_below(f, place, key), &p->node);
	}
	if (!err && o->property_count)
		qsort(o->properties, o->property_count, sizeof *o->properties, by_length);
	return err;
}

static enum err fill_pattern_properties(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_objects *o = objects_of(f);
	const struct schema_place *place = place_below(f, f->n->place, str_from(k->name));
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	enum err err = OK;

	if (json_type(v) != JSON_OBJ)
		return keyword_error(f, k, "an object of schemas");
	o->patterns = ARENA_ARRAY(f->c->s->mem, struct schema_pattern_property, json_count(v));
	while (!err && json_next(&it, &key, &item)) {
		struct schema_pattern_property *p = &o->patterns[o->pattern_count];

		err = get_pattern(f, key, &p->pattern);
		if (err)
			return failed_at(f, k, err);
		err = add_inner(f, item, place_below(f, place, key), &p->node);
		o->pattern_count++;
	}
	return err;
}

/* Both kinds share a list, since the older keyword may have either. */
static enum err add_dependencies(struct filling *f, const struct keyword *k, struct json v,
                                 bool may_be_schema, bool may_be_list)
{
	struct schema_objects *o = objects_of(f);
	const struct schema_place *place = place_below(f, f->n->place, str_from(k->name));
	size_t had = o->dependency_count;
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	enum err err = OK;

	if (json_type(v) != JSON_OBJ)
		return keyword_error(f, k, "an object");
	/* Three keywords add to this list, in any order. */
	o->dependencies = arena_grow(f->c->s->mem, o->dependencies, had * sizeof *o->dependencies,
	                             (had + json_count(v)) * sizeof *o->dependencies);
	while (!err && json_next(&it, &key, &item)) {
		struct schema_dependency *d = &o->dependencies[o->dependency_count];

		*d = (struct schema_dependency){ .name = key, .keyword = k->name };
		if (!may_be_schema || (may_be_list && json_type(item) == JSON_ARR))
			err = read_strings(f, k, item, &d->required, &d->count);
		else
			err = add_inner(f, item, place_below(f, place, key), &d->node);
		o->dependency_count++;
	}
	return err;
}

static enum err fill_dependent_required(struct filling *f, const struct keyword *k, struct json v)
{
	return add_dependencies(f, k, v, false, true);
}

static enum err fill_dependent_schemas(struct filling *f, const struct keyword *k, struct json v)
{
	return add_dependencies(f, k, v, true, false);
}

static enum err fill_dependencies(struct filling *f, const struct keyword *k, struct json v)
{
	return add_dependencies(f, k, v, true, true);
}

static enum err fill_ref(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_spot at;
	struct schema_anchor *anchor;
	struct compiling *c = f->c;

	if (json_type(v) != JSON_STR)
		return keyword_error(f, k, "a string");

	enum err err = schema_set_resolve(c->set, f->n->scope->resource, json_str(v), c->s->mem,
	                                  c->scratch, &at, &anchor, c->e);

	arena_reset(c->scratch);
	if (err)
		return failed_at(f, k, err);
	/*
	 * Only a $dynamicRef whose first target is a $dynamicAnchor is dynamic; otherwise it is a
	 * $ref.
	 */
	if (k->offset == offsetof(struct schema_logic, dynamic_ref) && anchor &&
	    anchor->is_dynamic) {
		logic_of(f);
		f->logic->dynamic_name = anchor->name;
	}
	return schema_compile_add_spot(c, at, keyword_field(f, k));
}

/* Silently ignoring it would accept values that the schema forbids, so 2019-09 fails here. */
static enum err fill_recursive_ref(struct filling *f, const struct keyword *k, struct json v)
{
	(void)v;
	if (f->n->scope->resource->dialect != DIALECT_2019)
		return OK;
	return failed_at(f, k, fail(f->c->e, ERR_UNSUPPORTED, "$recursiveRef is not supported"));
}

static enum err fill_string(struct filling *f, const struct keyword *k, struct json v)
{
	return json_type(v) == JSON_STR ? OK : keyword_error(f, k, "a string");
}

/* Before 2020-12, items could be a list followed by additionalItems. */
static enum err fill_items(struct filling *f, const struct keyword *k, struct json v)
{
	struct schema_arrays *a = arrays_of(f);

	if (json_type(v) != JSON_ARR || f->n->scope->resource->dialect == DIALECT_2020)
		return fill_one(f, k, v);

	struct keyword as_prefix = *k;
	/* Read here, because it has a meaning only together with a list. */
	struct json more = JSON_GET(f->n->source, "additionalItems");

	as_prefix.offset = offsetof(struct schema_arrays, prefix);

	enum err err = fill_list(f, &as_prefix, v);

	if (!err && json_is(more))
		err = add_inner(f, more, place_below(f, f->n->place, STR("additionalItems")),
		                &a->items);
	return err;
}

/* Older dialects do not know prefixItems, so it is an annotation there. */
static enum err fill_prefix_items(struct filling *f, const struct keyword *k, struct json v)
{
	return f->n->scope->resource->dialect == DIALECT_2020 ? fill_list(f, k, v) : OK;
}

/* ---- the keywords ---- */

#define IN_NUMBERS(m) numbers_of, offsetof(struct schema_numbers, m)
#define IN_STRINGS(m) strings_of, offsetof(struct schema_strings, m)
#define IN_ARRAYS(m) arrays_of, offsetof(struct schema_arrays, m)
#define IN_OBJECTS(m) objects_of, offsetof(struct schema_objects, m)
#define IN_LOGIC(m) logic_of, offsetof(struct schema_logic, m)
#define NOWHERE NULL, 0

/* Sorted by name.  A keyword that is missing, or has no fill, does not restrict a value. */
static const struct keyword keywords[] = {
	{ "$anchor", SHAPE_NONE, VOCAB_CORE, fill_string, NOWHERE },
	{ "$defs", SHAPE_MAP, VOCAB_CORE, NULL, NOWHERE },
	{ "$dynamicAnchor", SHAPE_NONE, VOCAB_CORE, fill_string, NOWHERE },
	{ "$dynamicRef", SHAPE_NONE, VOCAB_CORE, fill_ref, IN_LOGIC(dynamic_ref) },
	{ "$id", SHAPE_NONE, VOCAB_CORE, fill_string, NOWHERE },
	{ "$recursiveRef", SHAPE_NONE, VOCAB_CORE, fill_recursive_ref, NOWHERE },
	{ "$ref", SHAPE_NONE, VOCAB_CORE, fill_ref, IN_LOGIC(ref) },
	{ "additionalItems", SHAPE_ONE, VOCAB_APPLICATOR, NULL, NOWHERE },
	{ "additionalProperties", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_OBJECTS(additional) },
	{ "allOf", SHAPE_LIST, VOCAB_APPLICATOR, fill_list, IN_LOGIC(all) },
	{ "anyOf", SHAPE_LIST, VOCAB_APPLICATOR, fill_list, IN_LOGIC(any) },
	{ "const", SHAPE_NONE, VOCAB_VALIDATION, fill_const, NOWHERE },
	{ "contains", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_ARRAYS(contains) },
	{ "definitions", SHAPE_MAP, VOCAB_CORE, NULL, NOWHERE },
	{ "dependencies", SHAPE_MAP, VOCAB_APPLICATOR, fill_dependencies, NOWHERE },
	{ "dependentRequired", SHAPE_NONE, VOCAB_VALIDATION, fill_dependent_required, NOWHERE },
	{ "dependentSchemas", SHAPE_MAP, VOCAB_APPLICATOR, fill_dependent_schemas, NOWHERE },
	{ "else", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_LOGIC(otherwise) },
	{ "enum", SHAPE_NONE, VOCAB_VALIDATION, fill_enum, NOWHERE },
	{ "exclusiveMaximum", SHAPE_NONE, VOCAB_VALIDATION, fill_number, IN_NUMBERS(below) },
	{ "exclusiveMinimum", SHAPE_NONE, VOCAB_VALIDATION, fill_number, IN_NUMBERS(above) },
	{ "format", SHAPE_NONE, VOCAB_FORMAT, fill_format, IN_STRINGS(format) },
	{ "if", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_LOGIC(if_) },
	{ "items", SHAPE_ONE_OR_LIST, VOCAB_APPLICATOR, fill_items, IN_ARRAYS(items) },
	{ "maxContains", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_ARRAYS(max_contains) },
	{ "maxItems", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_ARRAYS(max) },
	{ "maxLength", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_STRINGS(max_len) },
	{ "maxProperties", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_OBJECTS(max) },
	{ "maximum", SHAPE_NONE, VOCAB_VALIDATION, fill_number, IN_NUMBERS(max) },
	{ "minContains", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_ARRAYS(min_contains) },
	{ "minItems", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_ARRAYS(min) },
	{ "minLength", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_STRINGS(min_len) },
	{ "minProperties", SHAPE_NONE, VOCAB_VALIDATION, fill_count, IN_OBJECTS(min) },
	{ "minimum", SHAPE_NONE, VOCAB_VALIDATION, fill_number, IN_NUMBERS(min) },
	{ "multipleOf", SHAPE_NONE, VOCAB_VALIDATION, fill_multiple, IN_NUMBERS(multiple) },
	{ "not", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_LOGIC(negated) },
	{ "oneOf", SHAPE_LIST, VOCAB_APPLICATOR, fill_list, IN_LOGIC(one) },
	{ "pattern", SHAPE_NONE, VOCAB_VALIDATION, fill_pattern, IN_STRINGS(pattern) },
	{ "patternProperties", SHAPE_MAP, VOCAB_APPLICATOR, fill_pattern_properties, NOWHERE },
	{ "prefixItems", SHAPE_LIST, VOCAB_APPLICATOR, fill_prefix_items, IN_ARRAYS(prefix) },
	{ "properties", SHAPE_MAP, VOCAB_APPLICATOR, fill_properties, NOWHERE },
	{ "propertyNames", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_OBJECTS(names) },
	{ "required", SHAPE_NONE, VOCAB_VALIDATION, fill_required, NOWHERE },
	{ "then", SHAPE_ONE, VOCAB_APPLICATOR, fill_one, IN_LOGIC(then) },
	{ "type", SHAPE_NONE, VOCAB_VALIDATION, fill_type, NOWHERE },
	{ "unevaluatedItems", SHAPE_ONE, VOCAB_UNEVALUATED, fill_one, IN_ARRAYS(unevaluated) },
	{ "unevaluatedProperties", SHAPE_ONE, VOCAB_UNEVALUATED, fill_one,
	  IN_OBJECTS(unevaluated) },
	{ "uniqueItems", SHAPE_NONE, VOCAB_VALIDATION, fill_bool, IN_ARRAYS(unique) },
};

static int by_name(const void *key, const void *item)
{
	return str_cmp(*(const struct str *)key, str_from(((const struct keyword *)item)->name));
}

static const struct keyword *find_keyword(struct str name)
{
	return bsearch(&name, keywords, COUNT_OF(keywords), sizeof *keywords, by_name);
}

enum schema_shape schema_keywords_shape(struct str keyword)
{
	const struct keyword *k = find_keyword(keyword);

	return k ? k->shape : SHAPE_NONE;
}

/* ---- one node ---- */

static bool says_nothing(const struct schema_node *n)
{
	return n->types == TYPE_ANY && !n->values && !n->constant && !n->numbers && !n->strings &&
	       !n->arrays && !n->objects && !n->logic;
}

enum err schema_keywords_fill_node(struct compiling *c, struct schema_node *n)
{
	struct filling f = { .c = c, .n = n };
	struct json_iter it = json_iter(n->source);
	struct json v;
	struct str key;
	/* Up to draft 07 a $ref makes all keywords beside it void. */
	bool only_ref =
		n->scope->resource->dialect == DIALECT_7 && json_is(JSON_GET(n->source, "$ref"));

	if (json_type(n->source) == JSON_BOOL) {
		n->verdict = json_bool(n->source, true) ? NODE_TRUE : NODE_FALSE;
		return OK;
	}
	while (json_next(&it, &key, &v)) {
		const struct keyword *k = find_keyword(key);
		enum err err;

		if (!k || !k->fill || !(k->vocabulary & n->scope->vocabularies))
			continue;
		if (only_ref && k->fill != fill_ref)
			continue;
		err = k->fill(&f, k, v);
		if (err)
			return err;
	}
	/* The check then returns at once, which matters for schemas of annotations only. */
	if (says_nothing(n))
		n->verdict = NODE_TRUE;
	return OK;
}
