/*
 * Reading JSON: yyjson parses, and what it accepts but we refuse (repeated
 * keys, too much depth) is found afterwards.  Values point into the arena.
 */
#include "base/json.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <yyjson.h>

/* ---- reading ---- */

/*
 * The library asks for one pool of values per document (estimated from the
 * length of the text, so the end of it is given back) and frees nothing: the
 * arena does that.
 */
struct pool {
	struct arena *mem;
	void *ptr;
	size_t size;
};

static void *pool_malloc(void *ctx, size_t size)
{
	struct pool *p = ctx;

	p->size = size;
	p->ptr = arena_alloc_raw(p->mem, size);
	return p->ptr;
}

static void *pool_realloc(void *ctx, void *ptr, size_t old_size, size_t size)
{
	struct pool *p = ctx;

	p->size = size;
	p->ptr = arena_grow(p->mem, ptr, old_size, size);
	return p->ptr;
}

static void pool_free(void *ctx, void *ptr)
{
	(void)ctx;
	(void)ptr;
}

/* How one kind of reading differs from another. */
struct reading {
	yyjson_read_flag flags;
	unsigned depth_max;
	bool unique_keys;
	bool by_line; /* errors name line and column, because a person edits this text */
};

/* A column counts characters, not bytes: editors do the same. */
static enum err fail_at(struct error *e, const struct reading *how, struct str text, size_t pos,
                        const char *what)
{
	size_t line = 1, column = 1;

	if (!how->by_line)
		return fail(e, ERR_INVALID, "%s at byte %zu", what, pos);
	for (size_t i = 0; i < MIN(pos, text.len); i++) {
		if (text.ptr[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)text.ptr[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return fail(e, ERR_INVALID, "%s at line %zu, column %zu", what, line, column);
}

static struct str text_of(yyjson_val *v)
{
	return str_of(yyjson_get_str(v), yyjson_get_len(v));
}

/* By bytes; equal keys by their place in the text. */
static int by_key(const void *a, const void *b)
{
	struct str ka = text_of(*(yyjson_val *const *)a);
	struct str kb = text_of(*(yyjson_val *const *)b);
	int order = str_cmp(ka, kb);

	return order ? order : (ka.ptr > kb.ptr) - (ka.ptr < kb.ptr);
}

/* The keys of an object, sorted; the caller frees. */
static yyjson_val **sorted_keys(yyjson_val *obj, size_t *ret_count)
{
	size_t count = yyjson_obj_size(obj);
	yyjson_val **keys = memory_alloc(count * sizeof *keys);
	yyjson_obj_iter it = yyjson_obj_iter_with(obj);

	for (size_t i = 0; i < count; i++)
		keys[i] = yyjson_obj_iter_next(&it);
	if (count > 1)
		qsort(keys, count, sizeof *keys, by_key);
	*ret_count = count;
	return keys;
}

#define FEW 64 /* members that are faster compared than sorted */

/* Keys are compared only when their length and end were seen before, which is rare. */
static yyjson_val *repeated_of_few(yyjson_val *obj)
{
	struct str seen[FEW];
	uint64_t marks[4] = { 0 };
	yyjson_obj_iter it = yyjson_obj_iter_with(obj);
	size_t count = 0;

	for (yyjson_val *key; (key = yyjson_obj_iter_next(&it));) {
		struct str k = text_of(key);
		size_t mark = k.len ? k.len * 37 + (unsigned char)k.ptr[0] * 5u +
		                              (unsigned char)k.ptr[k.len - 1]
		                    : 0;
		uint64_t bit = (uint64_t)1 << (mark & 63), *marked = &marks[mark >> 6 & 3];

		for (size_t i = 0; (*marked & bit) && i < count; i++)
			if (str_eq(seen[i], k))
				return key;
		*marked |= bit;
		seen[count++] = k;
	}
	return NULL;
}

/* A duplicate key of this object, or NULL. */
static yyjson_val *repeated_key(yyjson_val *obj)
{
	if (yyjson_obj_size(obj) <= FEW)
		return repeated_of_few(obj);

	yyjson_val *found = NULL;
	size_t count;
	yyjson_val **keys = sorted_keys(obj, &count);

	for (size_t i = 1; i < count && !found; i++)
		if (str_eq(text_of(keys[i - 1]), text_of(keys[i])))
			found = keys[i];
	free(keys);
	return found;
}

/* Where the text first nests deeper than allowed; it is known to be well formed. */
static size_t too_deep_at(struct str text, unsigned depth_max)
{
	unsigned depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		struct str rest = str_skip(text, i);
		char c = text.ptr[i];

		if (c == '"') {
			for (i++; i < text.len && text.ptr[i] != '"'; i++)
				i += text.ptr[i] == '\\';
		} else if (str_starts(rest, STR("//"))) {
			ptrdiff_t end = str_find_char(rest, '\n');

			i = end < 0 ? text.len : i + (size_t)end;
		} else if (str_starts(rest, STR("/*"))) {
			i += 3 + (size_t)MAX(str_find(str_skip(rest, 2), STR("*/")), 0);
		} else if (c == '[' || c == '{') {
			if (depth++ == depth_max)
				return i;
		} else if (c == ']' || c == '}') {
			depth--;
		}
	}
	return 0;
}

static bool is_container(struct json v)
{
	return yyjson_is_ctn(v.val);
}

/*
 * With a stack of iterators instead of recursion: the depth of the text must not become
 * the depth of the C stack.
 */
static bool is_too_deep(struct json root, unsigned depth_max)
{
	struct json_iter stack[JSON_DEPTH_TRUSTED_MAX];
	unsigned depth = 0;
	struct json v = root;

	assert(depth_max <= COUNT_OF(stack));
	stack[depth++] = json_iter(v);
	while (depth) {
		struct str key;

		if (!json_next(&stack[depth - 1], &key, &v)) {
			depth--;
		} else if (is_container(v)) {
			if (depth == depth_max)
				return true;
			stack[depth++] = json_iter(v);
		}
	}
	return false;
}

/*
 * Values lie behind one another in the order of the text, so one flat pass
 * sees every object; and a document nests no deeper than it has containers,
 * so most need no walk at all.
 */
static enum err check(yyjson_doc *doc, const struct reading *how, struct str text, const char *copy,
                      struct error *e)
{
	yyjson_val *root = yyjson_doc_get_root(doc);
	size_t count = yyjson_doc_get_val_count(doc);
	size_t containers = 0;

	for (size_t i = 0; i < count; i++)
		containers += yyjson_is_ctn(root + i);

	if (containers > how->depth_max && is_too_deep((struct json){ root }, how->depth_max))
		return fail_at(e, how, text, too_deep_at(text, how->depth_max),
		               "JSON is nested too deeply");

	for (size_t i = 0; how->unique_keys && containers && i < count; i++) {
		yyjson_val *key = yyjson_is_obj(root + i) ? repeated_key(root + i) : NULL;
		char what[160];

		if (!key)
			continue;
		fail(e, ERR_INVALID, "duplicate key \"%.*s\"",
		     STR_ARG(utf8_head(text_of(key), 100)));
		if (!e)
			return ERR_INVALID;
		memcpy(what, e->message, sizeof what);
		/* strings are unescaped in place, so a key still begins where it was written */
		return fail_at(e, how, text, (size_t)(yyjson_get_str(key) - copy) - 1, what);
	}
	return OK;
}

/*
 * Parses in place in a copy, so that strings need no memory besides the text.  The pool of
 * values is allocated by an upper bound; arena_grow() gives the unused end back.
 */
static enum err read_text(struct arena *mem, struct str text, const struct reading *how,
                          struct json *ret, struct error *e)
{
	if (!text.len)
		return fail(e, ERR_INVALID, "JSON is empty");

	struct pool pool = { .mem = mem };
	yyjson_alc alc = { pool_malloc, pool_realloc, pool_free, &pool };
	yyjson_read_err why;
	char *copy = arena_alloc_raw(mem, text.len + YYJSON_PADDING_SIZE);

	memcpy(copy, text.ptr, text.len);
	memset(copy + text.len, 0, YYJSON_PADDING_SIZE);

	yyjson_doc *doc =
		yyjson_read_opts(copy, text.len, how->flags | YYJSON_READ_INSITU, &alc, &why);

	if (!doc)
		return fail_at(e, how, text, why.pos, why.msg);

	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *end = root + yyjson_doc_get_val_count(doc);

	assert(pool.ptr == doc);
	arena_grow(mem, doc, pool.size, (size_t)((char *)end - (char *)doc));

	enum err err = check(doc, how, text, copy, e);

	if (!err)
		ret->val = root;
	return err;
}

enum err json_read(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	static const struct reading strict = { .depth_max = JSON_DEPTH_MAX, .unique_keys = true };

	return read_text(mem, text, &strict, ret, e);
}

enum err json_read_config(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	static const struct reading config = {
		.flags = YYJSON_READ_ALLOW_COMMENTS | YYJSON_READ_ALLOW_TRAILING_COMMAS,
		.depth_max = JSON_DEPTH_MAX,
		.unique_keys = true,
		.by_line = true,
	};

	return read_text(mem, text, &config, ret, e);
}

enum err json_read_wrapped(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	static const struct reading wrapped = { .depth_max = JSON_DEPTH_TRUSTED_MAX,
		                                .unique_keys = true };

	return read_text(mem, text, &wrapped, ret, e);
}

enum err json_read_trusted(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	static const struct reading own = { .depth_max = JSON_DEPTH_TRUSTED_MAX };

	return read_text(mem, text, &own, ret, e);
}

/* ---- values ---- */

enum json_type json_type(struct json v)
{
	switch (yyjson_get_type(v.val)) {
	case YYJSON_TYPE_NULL:
		return JSON_NULL;
	case YYJSON_TYPE_BOOL:
		return JSON_BOOL;
	case YYJSON_TYPE_STR:
		return JSON_STR;
	case YYJSON_TYPE_ARR:
		return JSON_ARR;
	case YYJSON_TYPE_OBJ:
		return JSON_OBJ;
	case YYJSON_TYPE_NUM:
		if (yyjson_is_real(v.val))
			return JSON_REAL;
		if (yyjson_is_uint(v.val) && yyjson_get_uint(v.val) > INT64_MAX)
			return JSON_UINT;
		return JSON_INT;
	default:
		return JSON_NONE;
	}
}

const char *json_type_name(struct json v)
{
	switch (json_type(v)) {
	case JSON_NONE:
		break;
	case JSON_NULL:
		return "null";
	case JSON_BOOL:
		return "boolean";
	case JSON_INT:
	case JSON_UINT:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_STR:
		return "string";
	case JSON_ARR:
		return "array";
	case JSON_OBJ:
		return "object";
	}
	return "nothing";
}

bool json_bool(struct json v, bool otherwise)
{
	return yyjson_is_bool(v.val) ? yyjson_get_bool(v.val) : otherwise;
}

/* Both borders are exact as doubles; the upper one itself is outside. */
static bool fits_i64(double d)
{
	return d >= -0x1p63 && d < 0x1p63 && d == (double)(int64_t)d;
}

static bool fits_u64(double d)
{
	return d >= 0 && d < 0x1p64 && d == (double)(uint64_t)d;
}

/* A real without fraction counts, because some clients write integers as 1.0 or 1e3. */
int64_t json_int(struct json v, int64_t otherwise)
{
	switch (json_type(v)) {
	case JSON_INT:
		return yyjson_get_sint(v.val);
	case JSON_REAL:
		return fits_i64(yyjson_get_real(v.val)) ? (int64_t)yyjson_get_real(v.val)
		                                        : otherwise;
	default:
		return otherwise;
	}
}

uint64_t json_uint(struct json v, uint64_t otherwise)
{
	switch (json_type(v)) {
	case JSON_INT:
		return yyjson_get_sint(v.val) >= 0 ? yyjson_get_uint(v.val) : otherwise;
	case JSON_UINT:
		return yyjson_get_uint(v.val);
	case JSON_REAL:
		return fits_u64(yyjson_get_real(v.val)) ? (uint64_t)yyjson_get_real(v.val)
		                                        : otherwise;
	default:
		return otherwise;
	}
}

double json_real(struct json v, double otherwise)
{
	return yyjson_is_num(v.val) ? yyjson_get_num(v.val) : otherwise;
}

struct str json_str(struct json v)
{
	return yyjson_is_str(v.val) ? text_of(v.val) : STR_NONE;
}

struct json json_get(struct json obj, struct str key)
{
	return (struct json){ yyjson_obj_getn(obj.val, key.ptr, key.len) };
}

size_t json_count(struct json v)
{
	return is_container(v) ? yyjson_get_len(v.val) : 0;
}

struct json json_at(struct json arr, size_t index)
{
	return (struct json){ yyjson_arr_get(arr.val, index) };
}

struct json_member *json_sorted(struct json obj, size_t *ret_count)
{
	yyjson_val **keys = sorted_keys(obj.val, ret_count);
	struct json_member *all = memory_alloc(*ret_count * sizeof *all);

	for (size_t i = 0; i < *ret_count; i++)
		all[i] = (struct json_member){ text_of(keys[i]),
			                       { yyjson_obj_iter_get_val(keys[i]) } };
	free(keys);
	return all;
}

/* yyjson's iterators are rebuilt from two members, so that no other file needs its types. */
struct json_iter json_iter(struct json v)
{
	if (yyjson_is_obj(v.val)) {
		yyjson_obj_iter it = yyjson_obj_iter_with(v.val);

		return (struct json_iter){ it.cur, it.max, true };
	}

	yyjson_arr_iter it = yyjson_arr_iter_with(v.val); /* zero when it is no array */

	return (struct json_iter){ it.cur, it.max, false };
}

bool json_next(struct json_iter *it, struct str *ret_key, struct json *ret_value)
{
	if (!it->left)
		return false;
	if (it->is_obj) {
		yyjson_obj_iter at = { .max = it->left, .cur = it->pos };
		yyjson_val *key = yyjson_obj_iter_next(&at);

		*ret_key = text_of(key);
		ret_value->val = yyjson_obj_iter_get_val(key);
		it->pos = at.cur;
	} else {
		yyjson_arr_iter at = { .max = it->left, .cur = it->pos };

		*ret_key = STR_NONE;
		ret_value->val = yyjson_arr_iter_next(&at);
		it->pos = at.cur;
	}
	it->left--;
	return true;
}

/* An integer and a real are compared as integers: as doubles 2^53 and 2^53 + 1 would be equal. */
static bool equal_numbers(struct json a, struct json b)
{
	bool a_is_real = yyjson_is_real(a.val);

	if (a_is_real == yyjson_is_real(b.val)) {
		if (a_is_real)
			return yyjson_get_real(a.val) == yyjson_get_real(b.val);
		return json_type(a) == json_type(b) &&
		       yyjson_get_uint(a.val) == yyjson_get_uint(b.val);
	}

	struct json real = a_is_real ? a : b, whole = a_is_real ? b : a;
	double d = yyjson_get_real(real.val);

	if (json_type(whole) == JSON_UINT)
		return fits_u64(d) && (uint64_t)d == yyjson_get_uint(whole.val);
	return fits_i64(d) && (int64_t)d == yyjson_get_sint(whole.val);
}

static bool equal_arrays(struct json a, struct json b)
{
	struct json_iter ia = json_iter(a), ib = json_iter(b);
	struct json va, vb;
	struct str key;

	while (json_next(&ia, &key, &va))
		if (!json_next(&ib, &key, &vb) || !json_equal(va, vb))
			return false;
	return true;
}

/*
 * Both have the same number of members.  Sorting compares them in any order without a
 * quadratic search, which a hostile document could exploit.
 */
static bool equal_objects(struct json a, struct json b)
{
	size_t count;
	yyjson_val **ka = sorted_keys(a.val, &count);
	yyjson_val **kb = sorted_keys(b.val, &count);
	bool equal = true;

	for (size_t i = 0; i < count && equal; i++)
		equal = str_eq(text_of(ka[i]), text_of(kb[i])) &&
		        json_equal((struct json){ yyjson_obj_iter_get_val(ka[i]) },
		                   (struct json){ yyjson_obj_iter_get_val(kb[i]) });
	free(ka);
	free(kb);
	return equal;
}

/* Integers and reals have the same type in yyjson, so 1 and 1.0 reach equal_numbers(). */
bool json_equal(struct json a, struct json b)
{
	if (yyjson_get_type(a.val) != yyjson_get_type(b.val))
		return false;
	switch (json_type(a)) {
	case JSON_NONE:
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return yyjson_get_bool(a.val) == yyjson_get_bool(b.val);
	case JSON_INT:
	case JSON_UINT:
	case JSON_REAL:
		return equal_numbers(a, b);
	case JSON_STR:
		return str_eq(text_of(a.val), text_of(b.val));
	case JSON_ARR:
		return json_count(a) == json_count(b) && equal_arrays(a, b);
	case JSON_OBJ:
		return json_count(a) == json_count(b) && equal_objects(a, b);
	}
	return false;
}

/* Rounds to the nearest: 0.1 is not exact in binary, and truncation would lose a billionth. */
int64_t json_nano(struct json v, int64_t otherwise)
{
	int64_t nano;

	switch (json_type(v)) {
	case JSON_INT:
		if (__builtin_mul_overflow(yyjson_get_sint(v.val), (int64_t)1000000000, &nano))
			return otherwise;
		return nano;
	case JSON_REAL:
		break;
	default:
		return otherwise;
	}

	double scaled = yyjson_get_real(v.val) * 1e9;

	if (!(scaled >= -0x1p63 && scaled < 0x1p63))
		return otherwise;
	nano = (int64_t)scaled;

	double rest = scaled - (double)nano;

	return nano + (rest >= 0.5) - (rest <= -0.5);
}
