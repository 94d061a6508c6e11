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
#include "schema/schema_source.h"

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
