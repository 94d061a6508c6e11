#ifndef BASE_JSON_H
#define BASE_JSON_H
/*
 * Reading and writing JSON.  json.c is the only file that uses the library.
 *
 * Reading is strict: valid UTF-8, no duplicate keys, depth at most
 * JSON_DEPTH_MAX, no trailing garbage, integers exact within int64/uint64.
 * (json_read_config also takes comments and trailing commas.)  A document
 * lives in the arena that it was read into, and so do its strings.
 *
 * Writing is a stream into a buffer: keys and values in the order they are
 * called, commas placed by the writer, absent strings left out by the _opt
 * forms.  Nothing writes JSON by printf.
 */
#include "base/gen/limits.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define JSON_DEPTH_MAX LIMIT_JSON_DEPTH
#define JSON_DEPTH_TRUSTED_MAX 128

enum json_type {
	JSON_NONE, /* there is no value here: a missing member, an index out of range */
	JSON_NULL,
	JSON_BOOL,
	JSON_INT,  /* fits int64 */
	JSON_UINT, /* fits uint64 but not int64 */
	JSON_REAL,
	JSON_STR,
	JSON_ARR,
	JSON_OBJ,
};

/* A value inside a document; pass it by value.  All getters accept JSON_NONE. */
struct json {
	void *val;
};

/* The text must live at least until json_read returns; strings are copied into mem. */
enum err json_read(struct arena *mem, struct str text, struct json *ret, struct error *e) MUST_USE;
enum err json_read_config(struct arena *mem, struct str text, struct json *ret,
                          struct error *e) MUST_USE;
/* An event of anyone: strict, but JSON_DEPTH_TRUSTED_MAX, because events wrap values of clients. */
enum err json_read_wrapped(struct arena *mem, struct str text, struct json *ret,
                           struct error *e) MUST_USE;
/*
 * For text that the runtime wrote itself: skips the duplicate-key check and
 * allows JSON_DEPTH_TRUSTED_MAX, because events wrap values of clients.
 */
enum err json_read_trusted(struct arena *mem, struct str text, struct json *ret,
                           struct error *e) MUST_USE;

enum json_type json_type(struct json v);
const char *json_type_name(struct json v); /* "object", "string", ..., "nothing" */
static inline bool json_is(struct json v)
{
	return v.val != NULL;
}
bool json_bool(struct json v, bool otherwise);
int64_t json_int(struct json v, int64_t otherwise);    /* JSON_INT, or a real without fraction */
uint64_t json_uint(struct json v, uint64_t otherwise); /* the same within uint64 */
double json_real(struct json v, double otherwise);     /* any number */
struct str json_str(struct json v);                    /* absent unless a string */

struct json json_get(struct json obj, struct str key);
#define JSON_GET(obj, literal) json_get((obj), STR(literal))
/* Byte offset of a dotted path is not kept; line and column of a value are not either. */

size_t json_count(struct json arr_or_obj);
struct json json_at(struct json arr, size_t index); /* O(index) */

/* Walks members or elements; key is absent for arrays. */
struct json_iter {
	void *pos;
	size_t left;
	bool is_obj;
};
struct json_iter json_iter(struct json v); /* of anything else: nothing to walk */
bool json_next(struct json_iter *it, struct str *ret_key, struct json *ret_value);

/* Equal as JSON Schema and RFC 8785 see it: 1 == 1.0, member order does not matter. */
bool json_equal(struct json a, struct json b);

/* The members of an object, sorted by key (bytewise); free() it. */
struct json_member {
	struct str key;
	struct json value;
};
struct json_member *json_sorted(struct json obj, size_t *ret_count);

/* ---- as text ---- */

/* The text of an object (absent: an empty one) with one more member at its end. */
struct str json_text_add_int(struct arena *mem, struct str object, const char *key, int64_t value);
struct str json_text_add_str(struct arena *mem, struct str object, const char *key,
                             struct str value);

/* The compact text of a value, kept in mem, absent for JSON_NONE.  Member order is kept. */
struct str json_text(struct arena *mem, struct json v);
/* The nearest integer count of 1e-9 of a number: 0.002385 is 2385000. */
int64_t json_nano(struct json v, int64_t otherwise);

/*
 * Canonical text for hashing a request body: members sorted by key (bytewise),
 * numbers and strings as base/jw.h writes them.
 */
struct str json_text_canonical(struct arena *mem, struct json v);

#endif
