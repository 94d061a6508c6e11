#include "base/json.h"

#include "base/clock.h"
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
	bool by_line; /* say where in lines and columns: a person edits this text */
};

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
	yyjson_val **keys = xmalloc(count * sizeof *keys);
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

/* A key that stands twice in this object, or NULL. */
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

static bool is_too_deep(struct json root, unsigned depth_max)
{
	struct json_iter stack[JSON_DEPTH_OWN_MAX];
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

enum err json_read_own(struct arena *mem, struct str text, struct json *ret, struct error *e)
{
	static const struct reading own = { .depth_max = JSON_DEPTH_OWN_MAX };

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

/* Both borders are exact as doubles; the upper one itself lies outside. */
static bool fits_i64(double d)
{
	return d >= -0x1p63 && d < 0x1p63 && d == (double)(int64_t)d;
}

static bool fits_u64(double d)
{
	return d >= 0 && d < 0x1p64 && d == (double)(uint64_t)d;
}

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

/* ---- writing ---- */

void jw_init(struct json_writer *w, struct buf *out)
{
	*w = (struct json_writer){ .out = out };
}

/* buf_reserve without the call where there is room already. */
static inline char *room(struct buf *b, size_t len)
{
	size_t need = b->len + len;

	if (need <= b->cap && (!b->max || need <= b->max))
		return b->ptr + b->len;
	return buf_reserve(b, len);
}

/* The comma that the next value needs before it, as a count of bytes: 0 or 1. */
static inline size_t next_comma(struct json_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return 0;
	}
	if (!w->depth)
		return 0;

	uint64_t bit = (uint64_t)1 << (w->depth - 1);
	bool had_item = w->has_item & bit;

	w->has_item |= bit;
	return had_item;
}

/* Text after a comma or none. */
static inline void put(struct buf *out, size_t comma, const char *text, size_t len)
{
	char *at = room(out, comma + len);

	if (!at)
		return;
	*at = ',';
	memcpy(at + comma, text, len);
	out->len += comma + len;
}

static void open_level(struct json_writer *w, char c)
{
	put(w->out, next_comma(w), &c, 1);
	assert(w->depth < JSON_DEPTH_MAX && "we nest deeper than we promise to");
	w->has_item &= ~((uint64_t)1 << w->depth);
	w->depth++;
}

static void close_level(struct json_writer *w, char c)
{
	assert(w->depth > 0 && !w->after_key);
	w->depth--;
	put(w->out, 0, &c, 1);
}

void jw_obj(struct json_writer *w)
{
	open_level(w, '{');
}

void jw_obj_end(struct json_writer *w)
{
	close_level(w, '}');
}

void jw_arr(struct json_writer *w)
{
	open_level(w, '[');
}

void jw_arr_end(struct json_writer *w)
{
	close_level(w, ']');
}

#define EACH(byte) ((byte)*0x0101010101010101u)

/* Has one of eight bytes its high bit set, or is it a quote, a backslash or a control? */
static inline bool needs_care(uint64_t x)
{
	uint64_t quote = x ^ EACH('"'), slash = x ^ EACH('\\');

	return (x | (x - EACH(0x20)) | ((quote - EACH(1)) & ~quote) |
	        ((slash - EACH(1)) & ~slash)) &
	       EACH(0x80);
}

/* How many bytes at the beginning go out as they are. */
static inline size_t plain_run(const char *p, size_t len)
{
	size_t i = 0;

	for (; len - i >= 8; i += 8) {
		uint64_t word;

		memcpy(&word, p + i, 8);
		if (needs_care(word))
			break;
	}
	if (len >= 8 && len - i < 8) {
		uint64_t word; /* the last eight bytes, some of them for the second time */

		memcpy(&word, p + len - 8, 8);
		if (!needs_care(word))
			return len;
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			break;
	}
	return i;
}

static void add_escaped(struct buf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char shorts[256] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
	};

	if (shorts[c])
		buf_add(out, (char[]){ '\\', shorts[c] }, 2);
	else
		buf_add(out, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
}

/* A string from its first byte that is not plain on.  False: bytes had to be replaced. */
static bool add_careful(struct buf *out, struct str s)
{
	size_t from = 0, i = 0;
	bool is_whole = true;

	while (i < s.len) {
		unsigned char c = (unsigned char)s.ptr[i];
		size_t len = c < 0x80 ? plain_run(s.ptr + i, s.len - i)
		                      : utf8_read(str_skip(s, i), NULL);

		i += len;
		if (len)
			continue;
		buf_add(out, s.ptr + from, i - from);
		if (c < 0x80)
			add_escaped(out, c);
		else {
			buf_add(out, "\xef\xbf\xbd", 3);
			is_whole = false;
		}
		from = ++i;
	}
	buf_add(out, s.ptr + from, s.len - from);
	return is_whole;
}

/*
 * `tail` is what follows the string: a quote, and a colon after a key.  False:
 * bytes had to be replaced.
 */
static inline bool put_string(struct buf *out, size_t comma, struct str s, const char *tail,
                              size_t tail_len)
{
	size_t plain = s.len ? plain_run(s.ptr, s.len) : 0;
	size_t whole = comma + 1 + plain + (plain == s.len ? tail_len : 0);
	char *at = room(out, whole);

	if (at) {
		at[0] = ',';
		at += comma;
		*at++ = '"';
		if (plain)
			memcpy(at, s.ptr, plain);
		if (plain == s.len)
			memcpy(at + plain, tail, tail_len);
		out->len += whole;
	}
	if (plain != s.len) {
		bool is_whole = add_careful(out, str_skip(s, plain));

		buf_add(out, tail, tail_len);
		return is_whole;
	}
	return true;
}

static void put_key(struct buf *out, size_t comma, struct str key)
{
	put_string(out, comma, key, "\":", 2);
}

static bool put_str(struct buf *out, size_t comma, struct str s)
{
	return put_string(out, comma, s, "\"", 1);
}

#define U64_DIGITS 20

/* Digits of n, right-aligned before `end`; returns where they begin. */
static char *digits_before(char *end, uint64_t n)
{
	do {
		*--end = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return end;
}

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

static void put_integer(struct buf *out, size_t comma, bool negative, uint64_t n)
{
	char text[U64_DIGITS + 1], *end = text + sizeof text;
	char *at = digits_before(end, n);

	if (negative)
		*--at = '-';
	put(out, comma, at, (size_t)(end - at));
}

static void put_real(struct buf *out, size_t comma, double n)
{
	/* The library's own writer: shortest form, and deaf to the locale. */
	_Alignas(16) char memory[512];
	yyjson_val v = { 0 };
	yyjson_alc alc;
	size_t len = 0;
	char *text = NULL;

	if (yyjson_alc_pool_init(&alc, memory, sizeof memory) && yyjson_set_real(&v, n))
		text = yyjson_val_write_opts(&v, YYJSON_WRITE_NOFLAG, &alc, &len, NULL);
	if (text)
		put(out, comma, text, len);
	else
		put(out, comma, "null", 4);
}

static void put_bool(struct buf *out, size_t comma, bool b)
{
	put(out, comma, b ? "true" : "false", b ? 4 : 5);
}

static void put_number(struct buf *out, size_t comma, yyjson_val *v)
{
	if (yyjson_is_real(v))
		put_real(out, comma, yyjson_get_real(v));
	else if (yyjson_is_uint(v))
		put_integer(out, comma, false, yyjson_get_uint(v));
	else
		put_integer(out, comma, yyjson_get_sint(v) < 0, magnitude(yyjson_get_sint(v)));
}

static void put_value(struct buf *out, size_t comma, struct json v, bool sorted);

static void put_sorted_members(struct buf *out, struct json obj)
{
	size_t count;
	yyjson_val **keys = sorted_keys(obj.val, &count);

	for (size_t i = 0; i < count; i++) {
		put_key(out, i > 0, text_of(keys[i]));
		put_value(out, 0, (struct json){ yyjson_obj_iter_get_val(keys[i]) }, true);
	}
	free(keys);
}

static void put_items(struct buf *out, struct json container, bool sorted)
{
	struct json_iter it = json_iter(container);
	struct json v;
	struct str key;

	for (size_t comma = 0; json_next(&it, &key, &v); comma = 1) {
		if (it.is_obj)
			put_key(out, comma, key);
		put_value(out, it.is_obj ? 0 : comma, v, sorted);
	}
}

/*
 * A parsed value may nest to the limit by itself and be written somewhere
 * inside, so its levels are not the writer's: its commas are placed here.
 */
static void put_value(struct buf *out, size_t comma, struct json v, bool sorted)
{
	bool is_obj = false;

	switch (json_type(v)) {
	case JSON_NONE:
	case JSON_NULL:
		put(out, comma, "null", 4);
		return;
	case JSON_BOOL:
		put_bool(out, comma, yyjson_get_bool(v.val));
		return;
	case JSON_INT:
	case JSON_UINT:
	case JSON_REAL:
		put_number(out, comma, v.val);
		return;
	case JSON_STR:
		put_str(out, comma, text_of(v.val));
		return;
	case JSON_ARR:
		break;
	case JSON_OBJ:
		is_obj = true;
		break;
	}

	put(out, comma, is_obj ? "{" : "[", 1);
	if (is_obj && sorted)
		put_sorted_members(out, v);
	else
		put_items(out, v, sorted);
	put(out, 0, is_obj ? "}" : "]", 1);
}

void jw_key(struct json_writer *w, struct str key)
{
	assert(w->depth > 0 && !w->after_key);
	put_key(w->out, next_comma(w), key);
	w->after_key = true;
}

void jw_str(struct json_writer *w, struct str s)
{
	if (!put_str(w->out, next_comma(w), s))
		w->is_altered = true;
}

void jw_int(struct json_writer *w, int64_t n)
{
	put_integer(w->out, next_comma(w), n < 0, magnitude(n));
}

void jw_uint(struct json_writer *w, uint64_t n)
{
	put_integer(w->out, next_comma(w), false, n);
}

void jw_real(struct json_writer *w, double n)
{
	put_real(w->out, next_comma(w), n);
	w->is_altered = true; /* what is not finite becomes null */
}

void jw_bool(struct json_writer *w, bool b)
{
	put_bool(w->out, next_comma(w), b);
}

void jw_null(struct json_writer *w)
{
	put(w->out, next_comma(w), "null", 4);
}

void jw_raw(struct json_writer *w, struct str json_text)
{
	assert(json_text.len > 0);
	put(w->out, next_comma(w), json_text.ptr, json_text.len);
	w->is_altered = true; /* spaces and the form of numbers are the text's own */
}

void jw_value(struct json_writer *w, struct json v)
{
	put_value(w->out, next_comma(w), v, false);
}

void jw_value_with(struct json_writer *w, struct json v, struct str key, struct str s)
{
	struct json_iter it = json_iter(v);
	struct json member;
	struct str name;

	if (json_type(v) != JSON_OBJ) {
		jw_value(w, v);
		return;
	}
	jw_obj(w);
	while (json_next(&it, &name, &member))
		if (!str_eq(name, key)) {
			jw_key(w, name);
			jw_value(w, member);
		}
	jw_kstr(w, key, s);
	jw_obj_end(w);
}

void jw_nano(struct json_writer *w, int64_t nano)
{
	const uint64_t one = 1000000000;
	uint64_t n = magnitude(nano);
	char text[U64_DIGITS + 12], *point = text + sizeof text - 10;
	char *at = digits_before(point, n / one);
	char *end = point + 10;

	/* a one before the nine places keeps their zeros; the point then takes its place */
	digits_before(end, n % one + one);
	*point = '.';
	while (end > point + 2 && end[-1] == '0')
		end--;
	if (nano < 0)
		*--at = '-';
	put(w->out, next_comma(w), at, (size_t)(end - at));
}

void jw_time(struct json_writer *w, int64_t wall_ms)
{
	char text[TIME_TEXT_MAX + 1];

	time_write(wall_ms, text + 1);
	text[0] = '"';
	text[TIME_TEXT_MAX] = '"'; /* over the NUL */
	put(w->out, next_comma(w), text, sizeof text);
}

void jw_kstr(struct json_writer *w, struct str key, struct str s)
{
	jw_key(w, key);
	jw_str(w, s);
}

void jw_kopt(struct json_writer *w, struct str key, struct str s)
{
	if (str_is(s))
		jw_kstr(w, key, s);
}

void jw_kint(struct json_writer *w, struct str key, int64_t n)
{
	jw_key(w, key);
	jw_int(w, n);
}

void jw_kbool(struct json_writer *w, struct str key, bool b)
{
	jw_key(w, key);
	jw_bool(w, b);
}

static struct str text_in(struct arena *mem, struct json v, bool sorted)
{
	struct buf out = { 0 };

	if (!json_is(v))
		return STR_NONE;
	put_value(&out, 0, v, sorted);

	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

struct str json_text(struct arena *mem, struct json v)
{
	return text_in(mem, v, false);
}

struct str json_canonical(struct arena *mem, struct json v)
{
	return text_in(mem, v, true);
}

/* ---- one more member ---- */

static void begin_with(struct json_writer *w, struct buf *out, struct str object)
{
	bool is_empty = object.len <= 2;

	jw_init(w, out);
	jw_obj(w);
	if (!is_empty)
		jw_raw(w, str_of(object.ptr + 1, object.len - 2));
}

struct str json_add_int(struct arena *mem, struct str object, const char *key, int64_t value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	begin_with(&w, &out, object);
	jw_key(&w, str_from(key));
	jw_int(&w, value);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

struct str json_add_str(struct arena *mem, struct str object, const char *key, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	begin_with(&w, &out, object);
	jw_key(&w, str_from(key));
	jw_str(&w, value);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}
