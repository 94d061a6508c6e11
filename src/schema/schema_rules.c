/*
 * Checks a value against the rules of one schema by type: numbers, strings,
 * arrays, objects, enum and const. schema_check.c handles references and
 * combinations.
 */
#include "schema/schema_walk.h"

#include "base/jw.h"
#include "base/utf8.h"

#include <stdlib.h>

/* ---- equality ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	return a ^ (a >> 29);
}

static uint64_t hash_number(struct json v)
{
	double d = json_real(v, 0);
	uint64_t bits;

	/* Integers of both kinds must agree; beyond int64 they do as doubles. */
	if (d >= -0x1p62 && d <= 0x1p62 && d == (double)(int64_t)d)
		return mix(1, (uint64_t)json_int(v, 0));
	memcpy(&bits, &d, sizeof bits);
	return mix(2, bits);
}

/* Equal values have equal hashes. */
static bool hash_value(struct check *c, const struct schema_node *n, struct json v, uint64_t *ret)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;
	uint64_t hash = (uint64_t)json_type(v), one;

	if (!spend(c, n, 1 + json_str(v).len / 64))
		return false;
	switch (json_type(v)) {
	case JSON_BOOL:
		hash = mix(hash, json_bool(v, false));
		break;
	case JSON_INT:
	case JSON_UINT:
	case JSON_REAL:
		hash = hash_number(v);
		break;
	case JSON_STR:
		hash = mix(hash, str_hash(json_str(v)));
		break;
	case JSON_ARR:
		while (json_next(&it, &key, &item)) {
			if (!hash_value(c, n, item, &one))
				return false;
			hash = mix(hash, one);
		}
		break;
	case JSON_OBJ:
		/* Members in any order. */
		while (json_next(&it, &key, &item)) {
			if (!hash_value(c, n, item, &one))
				return false;
			hash += mix(str_hash(key), one);
		}
		break;
	default:
		break;
	}
	*ret = hash;
	return true;
}

struct hashed {
	uint64_t hash, cost; /* steps for hashing, and again for comparing */
	struct json v;
	size_t index;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *ha = a, *hb = b;

	if (ha->hash != hb->hash)
		return ha->hash < hb->hash ? -1 : 1;
	return (ha->index > hb->index) - (ha->index < hb->index);
}

/*
 * Sorting by hash makes the comparison n log n; each comparison of equal hashes is paid for, so
 * that an array made of collisions runs out of steps and not of time.
 */
static bool check_unique(struct check *c, struct visit x)
{
	size_t count = json_count(x.v);
	struct json_iter it = json_iter(x.v);
	struct json v;
	struct str key;

	if (count < 2 || !spend(c, x.n, 4 * count))
		return count < 2;

	struct hashed *items = ARENA_ARRAY(mem_of(c), struct hashed, count);

	for (size_t i = 0; json_next(&it, &key, &v); i++) {
		items[i] = (struct hashed){ .v = v, .index = i, .cost = c->steps };
		if (!hash_value(c, x.n, v, &items[i].hash))
			return false;
		items[i].cost -= c->steps;
	}
	qsort(items, count, sizeof *items, by_hash);
	for (size_t i = 1; i < count; i++) {
		/* All others with the same hash: one, unless the value was built for collisions. */
		for (size_t j = i; j > 0 && items[j - 1].hash == items[i].hash; j--) {
			if (!spend(c, x.n, items[i].cost))
				return false;
			if (json_equal(items[j - 1].v, items[i].v))
				return FOUND(
					c, x, "uniqueItems",
					"must not repeat an item, but items %zu and %zu are equal",
					items[j - 1].index, items[i].index);
		}
	}
	return true;
}

/* ---- scalars ---- */

unsigned schema_rules_type_of(struct json v)
{
	switch (json_type(v)) {
	case JSON_NONE:
		break;
	case JSON_NULL:
		return TYPE_NULL;
	case JSON_BOOL:
		return TYPE_BOOL;
	case JSON_INT:
	case JSON_UINT:
		return TYPE_INT;
	case JSON_REAL:
		return schema_number_is_whole(schema_number_of(v)) ? TYPE_INT : TYPE_REAL;
	case JSON_STR:
		return TYPE_STR;
	case JSON_ARR:
		return TYPE_ARR;
	case JSON_OBJ:
		return TYPE_OBJ;
	}
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The cost is that of the constant: a comparison ends at the latest when that is exhausted. */
static bool is_equal(struct check *c, struct visit x, const struct schema_constant *constant)
{
	return spend(c, x.n, 1 + constant->size / 4) && json_equal(constant->v, x.v);
}

static bool is_listed(struct check *c, struct visit x)
{
	const struct schema_values *values = x.n->values;
	struct str s = json_str(x.v);

	if (str_is(s))
		return spend(c, x.n, s.len / 64) && values->string_count &&
		       bsearch(&s, values->strings, values->string_count, sizeof s, by_text);
	for (size_t i = 0; i < values->other_count && !c->stuck; i++)
		if (is_equal(c, x, &values->others[i]))
			return true;
	return false;
}

static bool check_values(struct check *c, struct visit x)
{
	bool ok = true;

	if (x.n->values && !is_listed(c, x))
		ok = FOUND(c, x, "enum", "must be one of %s",
		           schema_report_say_values(mem_of(c), JSON_GET(x.n->source, "enum")));
	if (goes_on(c, ok) && x.n->constant && !is_equal(c, x, x.n->constant))
		ok = FOUND(c, x, "const", "must be %s",
		           schema_report_say(mem_of(c), x.n->constant->v));
	return ok;
}

/* The bound is shown as the schema writes it, not as it was compiled. */
static bool check_bound(struct check *c, struct visit x, bool is_kept, const char *keyword,
                        const char *what)
{
	if (is_kept)
		return true;
	return FOUND(c, x, keyword, "must be %s %s", what,
	             schema_report_say(mem_of(c), json_get(x.n->source, str_from(keyword))));
}

/* No early end: the five bounds cost next to nothing. */
static bool check_number(struct check *c, struct visit x)
{
	const struct schema_numbers *r = x.n->numbers;
	struct schema_num v = schema_number_of(x.v);
	bool ok = true;

	if (r->min.kind)
		ok &= check_bound(c, x, schema_number_compare(v, r->min) >= 0, "minimum",
		                  "at least");
	if (r->max.kind)
		ok &= check_bound(c, x, schema_number_compare(v, r->max) <= 0, "maximum",
		                  "at most");
	if (r->above.kind)
		ok &= check_bound(c, x, schema_number_compare(v, r->above) > 0, "exclusiveMinimum",
		                  "more than");
	if (r->below.kind)
		ok &= check_bound(c, x, schema_number_compare(v, r->below) < 0, "exclusiveMaximum",
		                  "less than");
	if (r->multiple.kind)
		ok &= check_bound(c, x, schema_number_is_multiple(v, r->multiple), "multipleOf",
		                  "a multiple of");
	return ok;
}

/* `count` must be between min and max. */
static bool check_count(struct check *c, struct visit x, uint64_t count, uint64_t min, uint64_t max,
                        const char *const words[4])
{
	bool ok = true;

	if (count < min)
		ok = FOUND(c, x, words[0], "must have at least %llu %s, not %llu",
		           (unsigned long long)min, words[min == 1 ? 2 : 3],
		           (unsigned long long)count);
	if (count > max)
		ok = FOUND(c, x, words[1], "must have at most %llu %s, not %llu",
		           (unsigned long long)max, words[max == 1 ? 2 : 3],
		           (unsigned long long)count);
	return ok;
}

static bool matches(struct check *c, const struct schema_node *n, const struct schema_pattern *p,
                    struct str s)
{
	if (!c->matcher)
		c->matcher = schema_pattern_matcher_new();
	switch (schema_pattern_match(p, c->matcher, s, &c->steps)) {
	case MATCH_NO:
		break;
	case MATCH_YES:
		return true;
	case MATCH_GAVE_UP:
		return give_up(c, n, "has a pattern that takes too long here");
	}
	return false;
}

/* Characters are code points, not bytes and not UTF-16 units. */
static bool check_length(struct check *c, struct visit x, struct str s)
{
	static const char *const words[] = { "minLength", "maxLength", "character", "characters" };
	const struct schema_strings *r = x.n->strings;
	uint64_t count = 0;

	/* A character has one to four bytes, so most strings need no counting. */
	if (r->min_len <= s.len / 4 && s.len <= r->max_len)
		return true;
	if (!spend(c, x.n, s.len / 64))
		return false;
	for (size_t i = 0; i < s.len; i++)
		count += (s.ptr[i] & 0xc0) != 0x80;
	return check_count(c, x, count, r->min_len, r->max_len, words);
}

static bool check_string(struct check *c, struct visit x)
{
	const struct schema_strings *r = x.n->strings;
	struct str s = json_str(x.v);
	bool ok = check_length(c, x, s);

	if (goes_on(c, ok) && r->pattern && !matches(c, x.n, r->pattern, s) && !c->stuck) {
		struct str text = utf8_head(json_str(JSON_GET(x.n->source, "pattern")), 200);

		ok = FOUND(c, x, "pattern", "must match the pattern %.*s", STR_ARG(text));
	}
	if (!goes_on(c, ok) || !r->format)
		return ok;
	if (!spend(c, x.n, schema_format_cost(r->format, s)))
		return false;
	if (!r->format(s))
		ok = FOUND(c, x, "format", "must have the format %s",
		           schema_report_say(mem_of(c), JSON_GET(x.n->source, "format")));
	return ok;
}

/* ---- arrays ---- */

static bool check_items(struct check *c, struct visit x)
{
	const struct schema_arrays *r = x.n->arrays;
	struct json_iter it = json_iter(x.v);
	struct json v;
	struct str key;
	bool ok = true;

	for (size_t i = 0; goes_on(c, ok) && json_next(&it, &key, &v); i++) {
		const struct schema_node *n = i < r->prefix.count ? r->prefix.at[i] : r->items;
		struct schema_path path = { .up = x.path, .key = STR_NONE, .index = i };

		/*
		 * Without `items` the rest is free, and no item from here on counts as evaluated.
		 */
		if (!n)
			break;
		ok &= schema_check_node(c, (struct visit){ n, v, &path, x.way, NULL });
		seen_add(x.seen, i);
	}
	return ok;
}

/* Findings are off: that an item does not match is no error, only their number is. */
static bool check_contains(struct check *c, struct visit x)
{
	const struct schema_arrays *r = x.n->arrays;
	struct schema_findings *out = c->out;
	struct json_iter it = json_iter(x.v);
	struct json v;
	struct str key;
	uint64_t count = 0;

	c->out = NULL;
	for (size_t i = 0; !c->stuck && json_next(&it, &key, &v); i++) {
		struct schema_path path = { .up = x.path, .key = STR_NONE, .index = i };

		if (schema_check_node(c, (struct visit){ r->contains, v, &path, x.way, NULL })) {
			seen_add(x.seen, i);
			count++;
		}
	}
	c->out = out;
	if (c->stuck)
		return false;
	if (count < r->min_contains)
		return FOUND(c, x, r->min_contains == 1 ? "contains" : "minContains",
		             "must contain at least %llu fitting item%s, not %llu",
		             (unsigned long long)r->min_contains, r->min_contains == 1 ? "" : "s",
		             (unsigned long long)count);
	if (count > r->max_contains)
		return FOUND(c, x, "maxContains",
		             "must contain at most %llu fitting item%s, not %llu",
		             (unsigned long long)r->max_contains, r->max_contains == 1 ? "" : "s",
		             (unsigned long long)count);
	return true;
}

static bool check_array(struct check *c, struct visit x)
{
	static const char *const words[] = { "minItems", "maxItems", "item", "items" };
	const struct schema_arrays *r = x.n->arrays;
	bool ok = check_count(c, x, json_count(x.v), r->min, r->max, words);

	if (goes_on(c, ok) && (r->items || r->prefix.count))
		ok &= check_items(c, x);
	if (goes_on(c, ok) && r->contains)
		ok &= check_contains(c, x);
	if (goes_on(c, ok) && r->unique)
		ok &= check_unique(c, x);
	return ok;
}

/* ---- objects ---- */

/* A binary search in the order of by_length() in schema_keywords.c. */
static const struct schema_node *find_property(const struct schema_objects *r, struct str name)
{
	size_t low = 0, high = r->property_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		struct str other = r->properties[middle].name;
		int order;

		if (name.len != other.len)
			order = name.len < other.len ? -1 : 1;
		else
			order = memcmp(name.ptr, other.ptr, name.len);
		if (!order)
			return r->properties[middle].node;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Members are found by a linear search, which is expensive in a large object. */
static bool has_member(struct check *c, struct visit x, struct str name)
{
	uint64_t price = 1 + json_count(x.v) * (1 + name.len / 64) / 64;

	return spend(c, x.n, price) && json_is(json_get(x.v, name));
}

static bool check_needed(struct check *c, struct visit x)
{
	const struct schema_objects *r = x.n->objects;
	bool ok = true;

	for (size_t i = 0; i < r->required_count && goes_on(c, ok); i++)
		if (!has_member(c, x, r->required[i]))
			ok = FOUND(c, x, "required", "needs the member %s",
			           schema_report_say_str(mem_of(c), r->required[i]));
	return ok;
}

static bool check_dependency(struct check *c, struct visit x, const struct schema_dependency *d)
{
	bool ok = true;

	if (!has_member(c, x, d->name))
		return !c->stuck;
	if (d->node)
		return schema_check_node(c, (struct visit){ d->node, x.v, x.path, x.way, x.seen });
	for (size_t i = 0; i < d->count && goes_on(c, ok); i++)
		if (!has_member(c, x, d->required[i]))
			ok = FOUND(c, x, d->keyword, "needs the member %s, because it has %s",
			           schema_report_say_str(mem_of(c), d->required[i]),
			           schema_report_say_str(mem_of(c), d->name));
	return ok;
}

/*
 * A forbidden member is reported by its name at the object, not as "must not be here" at the
 * member.
 */
static bool check_additional(struct check *c, struct visit x, struct visit member)
{
	if (x.n->objects->additional->verdict != NODE_FALSE)
		return schema_check_node(c, member);
	return FOUND(c, x, "additionalProperties", "must not have the member %s",
	             schema_report_say_str(mem_of(c), member.path->key));
}

/*
 * properties and patternProperties both apply; additionalProperties only if neither knows the
 * member.
 */
static bool check_member(struct check *c, struct visit x, size_t i, struct str key, struct json v)
{
	const struct schema_objects *r = x.n->objects;
	struct schema_path path = { .up = x.path, .key = key };
	struct visit member = { find_property(r, key), v, &path, x.way, NULL };
	bool is_known = member.n != NULL, ok = true;

	if (member.n)
		ok = schema_check_node(c, member);
	for (size_t p = 0; p < r->pattern_count && goes_on(c, ok); p++) {
		if (!spend(c, x.n, 1) || !matches(c, x.n, r->patterns[p].pattern, key))
			continue;
		is_known = true;
		member.n = r->patterns[p].node;
		ok &= schema_check_node(c, member);
	}
	if (goes_on(c, ok) && !is_known && r->additional) {
		is_known = true;
		member.n = r->additional;
		ok = check_additional(c, x, member);
	}
	if (is_known)
		seen_add(x.seen, i);
	return ok;
}

/* Up to so many look-ups by name are cheaper than a visit of every member. */
#define FEW_PROPERTIES 4

static bool check_members(struct check *c, struct visit x)
{
	const struct schema_objects *r = x.n->objects;
	struct json_iter it = json_iter(x.v);
	struct json v;
	struct str key;
	bool ok = true;

	/* A schema with one or two members need not visit them all. */
	if (r->property_count <= FEW_PROPERTIES && !r->pattern_count && !x.seen &&
	    (!r->additional || r->additional->verdict == NODE_TRUE)) {
		for (size_t i = 0; i < r->property_count && goes_on(c, ok); i++) {
			struct schema_path path = { .up = x.path, .key = r->properties[i].name };

			v = json_get(x.v, path.key);
			if (json_is(v))
				ok &= schema_check_node(c, (struct visit){ r->properties[i].node, v,
				                                           &path, x.way, NULL });
		}
		return ok && spend(c, x.n, 1 + json_count(x.v) / 64);
	}
	for (size_t i = 0; goes_on(c, ok) && json_next(&it, &key, &v); i++) {
		if (!spend(c, x.n, 1 + key.len / 64))
			return false;
		ok &= check_member(c, x, i, key, v);
	}
	return ok;
}

/* The names of the members as an array of strings. */
static struct json names_of(struct arena *mem, struct json obj)
{
	struct json_iter it = json_iter(obj);
	struct buf text = { 0 };
	struct json_writer w;
	struct json v, names;
	struct str key;
	struct error e;

	jw_init(&w, &text);
	jw_arr(&w);
	while (json_next(&it, &key, &v))
		jw_str(&w, key);
	jw_arr_end(&w);
	if (json_read_trusted(mem, buf_str(&text), &names, &e))
		abort(); /* written above, so it is valid */
	buf_done(&text);
	return names;
}

/*
 * A message about a name has no path in the value, so it becomes part of a message about the
 * object.
 */
static bool check_name(struct check *c, struct visit x, struct json name)
{
	struct visit inner = { x.n->objects->names, name, x.path, x.way, NULL };
	struct schema_findings *out = c->out, why = { .max = 1 };

	if (!out)
		return schema_check_node(c, inner);
	why.mem = mem_of(c);
	why.items = ARENA_NEW(why.mem, struct schema_finding);
	c->out = &why;

	bool ok = schema_check_node(c, inner);

	c->out = out;
	if (ok || c->stuck)
		return ok;

	struct str text = why.count ? why.items[0].error.message : STR("does not fit");

	return FOUND(c, x, "propertyNames", "must not have a member named %s: the name %.*s",
	             schema_report_say(why.mem, name), STR_ARG(text));
}

/* The schema is checked against JSON values, so the names become strings of a new document. */
static bool check_names(struct check *c, struct visit x)
{
	struct json_iter it;
	struct json v, names;
	struct str key;
	size_t bytes = 0;
	bool ok = true;

	it = json_iter(x.v);
	while (json_next(&it, &key, &v))
		bytes += key.len;
	if (!spend(c, x.n, 4 * json_count(x.v) + bytes / 2))
		return false;
	names = names_of(mem_of(c), x.v);
	it = json_iter(names);
	while (goes_on(c, ok) && json_next(&it, &key, &v))
		ok &= check_name(c, x, v);
	return ok;
}

static bool check_object(struct check *c, struct visit x)
{
	static const char *const words[] = { "minProperties", "maxProperties", "member",
		                             "members" };
	const struct schema_objects *r = x.n->objects;
	bool ok = check_count(c, x, json_count(x.v), r->min, r->max, words);

	if (goes_on(c, ok) && r->required_count)
		ok &= check_needed(c, x);
	if (goes_on(c, ok) && (r->property_count || r->pattern_count || r->additional))
		ok &= check_members(c, x);
	for (size_t i = 0; i < r->dependency_count && goes_on(c, ok); i++)
		ok &= check_dependency(c, x, &r->dependencies[i]);
	if (goes_on(c, ok) && r->names && r->names->verdict != NODE_TRUE && json_count(x.v))
		ok &= check_names(c, x);
	return ok;
}

/* ---- all of them ---- */

bool schema_rules_check(struct check *c, struct visit x, unsigned type)
{
	const struct schema_node *n = x.n;
	bool ok = true;

	/* For a value of the wrong type no other rule is reported. */
	if (!(n->types & type))
		return FOUND(c, x, "type", "must be %s, not %s",
		             schema_report_say_types(mem_of(c), n->types), json_type_name(x.v));
	if (n->values || n->constant)
		ok = check_values(c, x);
	if (goes_on(c, ok) && n->numbers && type & (TYPE_INT | TYPE_REAL))
		ok &= check_number(c, x);
	if (goes_on(c, ok) && n->strings && type == TYPE_STR)
		ok &= check_string(c, x);
	if (goes_on(c, ok) && n->arrays && type == TYPE_ARR)
		ok &= check_array(c, x);
	if (goes_on(c, ok) && n->objects && type == TYPE_OBJ)
		ok &= check_object(c, x);
	return ok && !c->stuck;
}
