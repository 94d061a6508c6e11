#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H
/*
 * JSON Schema, draft 2020-12.
 *
 * A set holds documents by URI.  Nothing is ever fetched: a $ref to what was
 * not added is an error when the schema is compiled.  A compiled schema is
 * immutable; any number of threads may check values against it.
 *
 * The schemas and the values may both come from strangers (a tool server's
 * input schema, a model's arguments), so all of it is bounded: the text of a
 * document, the number of subschemas, the size of patterns, and the work of
 * one check, which is counted in steps (about one per subschema applied,
 * member or item looked at, or move of a pattern).  A check that runs out of
 * steps, or goes round in a $ref that gets nowhere, is not valid, and says so.
 *
 * What is read: core, applicator, unevaluated, validation and format
 * vocabularies in full, content and meta-data as annotations (ignored).  A
 * $schema that names a document of the set with a $vocabulary switches
 * keywords off as that says.  Schemas that name draft 06, 07 or 2019-09 in
 * $schema are read with those drafts' rules for $ref, $id, items and
 * additionalItems, without $recursiveRef; `definitions` and `dependencies`
 * work everywhere.
 *
 * Patterns are ECMA-262 with the u flag, run by PCRE2 without JIT; what that
 * library cannot do (lookbehind of no fixed length) is refused at compile time.
 *
 * Numbers are exact within int64 and uint64; others are doubles.  multipleOf
 * works on the shortest decimal form, so 0.0075 is a multiple of 0.0001.
 */
#include "base/json.h"

#define SCHEMA_TEXT_MAX (2u << 20)      /* bytes of one document */
#define SCHEMA_NODES_MAX 20000          /* subschemas of one compiled schema */
#define SCHEMA_URI_MAX 2048             /* bytes of an $id or a resolved $ref */
#define SCHEMA_PATTERN_MAX 8192         /* bytes of one pattern */
#define SCHEMA_PATTERNS_SIZE (8u << 20) /* bytes of all patterns of a schema, compiled */
#define SCHEMA_NESTING_MAX 500 /* subschemas within subschemas in a check: 1 MiB of stack */
#define SCHEMA_STEPS 4000000   /* of one check, unless the options say otherwise */
#define SCHEMA_ERRORS 8        /* in a report, unless it says otherwise */

/* ---- documents ---- */

struct schema_set;

struct schema_set *schema_set_new(void);
void schema_set_free(struct schema_set *set); /* NULL is fine; its schemas must be gone */
static inline void schema_set_freep(struct schema_set **set)
{
	schema_set_free(*set);
}

/*
 * Registers a document under uri and under the $id it carries, with all
 * resources, anchors and dynamic anchors inside.  uri may be absent when
 * there is an $id, and need not be absolute.  Adding an equal document again
 * under another uri makes that an alias; a different one under a URI that is
 * taken is ERR_BUSY.  On failure the set is as it was.
 *
 * The text is copied.  One thread at a time may add to a set or compile from
 * it; checking goes on undisturbed meanwhile.
 */
enum err schema_set_add(struct schema_set *set, struct str uri, struct str text,
                        struct error *e) MUST_USE;

/* ---- compiling ---- */

struct schema;

struct schema_options {
	bool assert_formats; /* otherwise `format` is an annotation, as the draft has it */
	uint64_t max_steps;  /* 0: SCHEMA_STEPS */
};

/*
 * The schema at uri, which may have a fragment (a JSON pointer or an
 * anchor).  It borrows from the set, which must outlive it.  options may be
 * NULL.
 *
 * ERR_NOT_FOUND names the reference that leads nowhere, ERR_INVALID the
 * place of a keyword whose value has the wrong form, ERR_TOO_LARGE the bound.
 * Only what can be reached from uri is looked at.
 */
enum err schema_compile(const struct schema_set *set, struct str uri,
                        const struct schema_options *options, struct schema **ret,
                        struct error *e) MUST_USE;

/*
 * The same for one text that belongs to no set.  Its references may point
 * into set, which may be NULL; its own $ids win over those of the set.
 */
enum err schema_compile_text(const struct schema_set *set, struct str text,
                             const struct schema_options *options, struct schema **ret,
                             struct error *e) MUST_USE;

void schema_compile_free(struct schema *s); /* NULL is fine */
static inline void schema_freep(struct schema **s)
{
	schema_compile_free(*s);
}

/* ---- checking ---- */

struct schema_error {
	struct str path;     /* JSON pointer into the value; empty is the value itself */
	struct str keyword;  /* "required", "type", ...; absent: the schema as a whole */
	struct str location; /* of the keyword: URI of its resource, '#', JSON pointer */
	struct str message;  /* one sentence without subject: needs the member "name" */
};

struct schema_report {
	/* The caller sets these two. */
	struct arena *mem; /* where errors live; not NULL */
	size_t max;        /* 0: SCHEMA_ERRORS */

	const struct schema_error *errors; /* the first ones found; at least one when not valid */
	size_t count;
	bool gave_up; /* the value is not known to be wrong: steps or nesting ran out */
};

/*
 * Is value valid?  Without a report (NULL) the first fault ends the check;
 * with one, a value that is not valid is gone through again to collect what
 * is wrong, and *ret is filled either way.
 */
bool schema_check(const struct schema *s, struct json value, struct schema_report *ret) MUST_USE;

/* ---- defaults ---- */

/*
 * The text of value with the defaults that the schema's own `properties` name
 * for members it leaves out: forms are flat, so nothing deeper is looked at.
 * Nothing is checked.  Of anything but two objects: value as it is.
 */
struct str schema_fill(struct arena *mem, struct json schema, struct json value);

#endif
