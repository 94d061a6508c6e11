#ifndef SCHEMA_SOURCE_H
#define SCHEMA_SOURCE_H
/*
 * What a compiled schema is made from: URIs, numbers, patterns, formats, and the
 * documents that refer to each other.
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

#endif
