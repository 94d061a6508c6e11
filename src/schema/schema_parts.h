#ifndef SCHEMA_SCHEMA_PARTS_H
#define SCHEMA_SCHEMA_PARTS_H
/*
 * Shared by the files of schema/ only.
 *
 *   text ──► schema_set.c ──► schema_compile.c ──► schema_check.c ──► schema_report.c
 *            resources,       nodes: one per       the walk over      paths and
 *            anchors          subschema            a value            sentences
 *
 * beside them: schema_uri.c, schema_number.c, schema_pattern.c,
 * schema_format.c.
 */
#include "base/map.h"
#include "schema/schema.h"

/* An address as the key of a map: the pointer stored there, which must stay valid. */
static inline struct str schema_address(const void *where)
{
	return str_of(where, sizeof(void *));
}

/* ---- URIs (schema_uri.c) ---- */

/* What follows the first '#'; absent without one. */
struct str schema_uri_fragment(struct str uri);
/* ref against base, RFC 3986 section 5.2, without the fragment.  Both may be empty. */
struct str schema_uri_resolve(struct arena *mem, struct str base, struct str ref);
/* "%41" to "A"; an invalid escape stays. */
struct str schema_uri_decode(struct arena *mem, struct str s);
/* The next token of a JSON pointer, decoded; *rest starts with '/' or is empty. */
struct str schema_uri_pointer_next(struct arena *mem, struct str *rest);

/* ---- numbers (schema_number.c) ---- */

struct schema_num {
	enum { NUM_NONE, NUM_INT, NUM_UINT, NUM_REAL } kind; /* NUM_UINT only above INT64_MAX */
	union {
		int64_t i;
		uint64_t u;
		double d;
	};
};

struct schema_num schema_number_of(struct json v); /* NUM_NONE when it is no number */
bool schema_number_is_whole(struct schema_num n);
int schema_number_compare(struct schema_num a, struct schema_num b);
/* divisor is positive. */
bool schema_number_is_multiple(struct schema_num n, struct schema_num divisor);

/* ---- patterns (schema_pattern.c) ---- */

struct schema_pattern;
struct schema_matcher; /* memory for matching, one per thread */

enum err schema_pattern_new(struct str ecma, struct schema_pattern **ret, struct error *e) MUST_USE;
void schema_pattern_free(struct schema_pattern *p);
size_t schema_pattern_size(const struct schema_pattern *p);

struct schema_matcher *schema_pattern_matcher_new(void);
void schema_pattern_matcher_free(struct schema_matcher *m);

enum schema_match { MATCH_NO, MATCH_YES, MATCH_GAVE_UP };
/* Spends *steps and gives up when they are used up. */
enum schema_match schema_pattern_match(const struct schema_pattern *p, struct schema_matcher *m,
                                       struct str subject, uint64_t *steps);

/* ---- formats (schema_format.c) ---- */

/* NULL for an unknown format, which never fails. */
typedef bool (*schema_format)(struct str s);
schema_format schema_format_find(struct str name);
uint64_t schema_format_cost(schema_format f, struct str s); /* in steps */

/* ---- documents (schema_set.c) ---- */

/* A step from a resource's root (NULL) down to a place in it. */
struct schema_place {
	const struct schema_place *up;
	struct str token;
};

enum schema_dialect { DIALECT_2020, DIALECT_2019, DIALECT_7 };

struct schema_anchor {
	struct str name;
	struct json at;
	const struct schema_place *place;
	struct schema_resource *resource;
	bool is_dynamic;
	struct schema_anchor *next; /* of the resource */
};

struct schema_resource {
	struct str uri;
	struct json root;
	struct str meta; /* the $schema in effect here; absent: ours */
	enum schema_dialect dialect;
	struct schema_anchor *anchors;
	struct schema_resource *next; /* of the document being added */
};

struct schema_set {
	struct arena *mem;
	const struct schema_set *parent; /* searched after this one */
	struct map by_uri;               /* struct schema_resource, without fragment */
	struct map by_root;              /* the same by address of the root value */
	struct map by_anchor;            /* struct schema_anchor by resource and name */
};

/* A schema inside a document. */
struct schema_spot {
	struct json at;
	const struct schema_place *place;
	struct schema_resource *resource;
};

struct schema_resource *schema_set_find(const struct schema_set *set, struct str uri);
/* Adds one document; uri may be absent, then the root is nameless unless it has an $id. */
enum err schema_set_add_root(struct schema_set *set, struct str uri, struct str text,
                             struct schema_resource **ret, struct error *e) MUST_USE;
/* Resolves ref from a resource (or without one, NULL).  Places are allocated in mem. */
enum err schema_set_resolve(const struct schema_set *set, const struct schema_resource *from,
                            struct str ref, struct arena *mem, struct arena *scratch,
                            struct schema_spot *ret, struct schema_anchor **ret_anchor,
                            struct error *e) MUST_USE;

/* ---- keywords (schema_compile.c) ---- */

/* How a keyword contains further schemas. */
enum schema_shape { SHAPE_NONE, SHAPE_ONE, SHAPE_LIST, SHAPE_MAP, SHAPE_ONE_OR_LIST };

enum schema_shape schema_keywords_shape(struct str keyword);

/* ---- the compiled form ---- */

enum {
	TYPE_NULL = 1,
	TYPE_BOOL = 2,
	TYPE_INT = 4,
	TYPE_REAL = 8, /* "number" is both */
	TYPE_STR = 16,
	TYPE_ARR = 32,
	TYPE_OBJ = 64,
	TYPE_ANY = 127,
};

struct schema_nodes {
	struct schema_node **at;
	size_t count;
};

struct schema_numbers {
	struct schema_num min, max, above, below, multiple;
};

struct schema_strings {
	uint64_t min_len, max_len;
	const struct schema_pattern *pattern;
	schema_format format; /* NULL: not asserted */
};

struct schema_arrays {
	uint64_t min, max;
	struct schema_nodes prefix;
	struct schema_node *items;
	struct schema_node *contains;
	uint64_t min_contains, max_contains;
	struct schema_node *unevaluated;
	bool unique;
};

struct schema_property {
	struct str name;
	struct schema_node *node;
};

struct schema_pattern_property {
	const struct schema_pattern *pattern;
	struct schema_node *node;
};

/* What a member requires of its object: other members, or a schema. */
struct schema_dependency {
	struct str name;
	struct str *required;
	size_t count;
	struct schema_node *node;
	const char *keyword;
};

struct schema_objects {
	uint64_t min, max;
	struct schema_property *properties; /* by length, then bytes */
	size_t property_count;
	struct schema_pattern_property *patterns;
	size_t pattern_count;
	struct schema_node *additional;
	struct schema_node *names;
	struct str *required;
	size_t required_count;
	struct schema_dependency *dependencies;
	size_t dependency_count;
	struct schema_node *unevaluated;
};

struct schema_logic {
	struct schema_node *ref;
	struct schema_node *dynamic_ref;
	struct str dynamic_name; /* absent: the target is no dynamic anchor */
	struct schema_nodes all, any, one;
	struct schema_node *negated;
	struct schema_node *if_, *then, *otherwise;
};

/* A value to compare with, and its cost. */
struct schema_constant {
	struct json v;
	size_t size;
};

/* The values of an enum; strings are separate and sorted, because they are many. */
struct schema_values {
	struct str *strings;
	size_t string_count;
	struct schema_constant *others;
	size_t other_count;
};

/* The part of a resource that a compiled schema uses. */
struct schema_scope {
	const struct schema_resource *resource;
	unsigned vocabularies;
	struct schema_property *dynamic; /* its dynamic anchors */
	size_t dynamic_count;
};

struct schema_node {
	enum { NODE_OPEN, NODE_TRUE, NODE_FALSE } verdict; /* TRUE: nothing to check or to record */
	unsigned types;
	const struct schema_values *values;     /* enum */
	const struct schema_constant *constant; /* const */
	const struct schema_numbers *numbers;   /* rules are NULL where there are none */
	const struct schema_strings *strings;
	const struct schema_arrays *arrays;
	const struct schema_objects *objects;
	const struct schema_logic *logic;

	const struct schema_scope *scope;
	const struct schema_place *place;
	struct json source;
	struct schema_node *next; /* not filled yet */
};

struct schema {
	struct arena *mem;
	struct schema_set *own; /* of schema_compile_text */
	struct schema_node *root;
	struct schema_pattern **patterns;
	size_t pattern_count;
	struct schema_options options;
};

/* ---- findings (schema_report.c) ---- */

/* The current position in the value. */
struct schema_path {
	const struct schema_path *up; /* NULL: the value itself */
	struct str key;               /* absent: index counts */
	size_t index;
};

struct schema_finding {
	struct schema_error error;
	size_t depth; /* of the path */
};

struct schema_findings {
	struct arena *mem;
	struct schema_finding *items;
	size_t count, max;
};

/*
 * Adds a message about the value at path that violates this keyword (NULL: the whole schema) of
 * this node.
 */
void schema_report_found(struct schema_findings *f, const struct schema_node *n,
                         const struct schema_path *path, const char *keyword, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/* The URI and pointer of a place, followed by a keyword unless that is absent. */
struct str schema_report_location(struct arena *mem, const struct schema_resource *r,
                                  const struct schema_place *place, struct str keyword);
/* A value in a message: scalars as JSON, truncated when long; others by their type. */
const char *schema_report_say(struct arena *mem, struct json v);
const char *schema_report_say_str(struct arena *mem, struct str s);
/* string or null */
const char *schema_report_say_types(struct arena *mem, unsigned types);
/* "a", "b" or 3 */
const char *schema_report_say_values(struct arena *mem, struct json list);

#endif
