/*
 * The JSON writer: compact text into a buffer, commas and escapes placed here.
 *
 * One bit per level records whether a comma is due.  Plain runs of a string are
 * found eight bytes at a time, because most of what is written needs no escape.
 */
#include "base/jw.h"

#include "base/os/clock.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <yyjson.h>

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

/*
 * Text after a comma or none.  The comma is always written; without one the text covers
 * it, which saves a branch.
 */
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

/* One byte in all eight places of a word. */
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

/* Letters of the escapes that take two bytes; the others take six. */
static const char shorts[256] = {
	['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
	['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

static void add_escaped(struct buf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

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

struct str jw_head(struct str s, size_t max)
{
	size_t at = 0, taken = 0;

	while (at < s.len) {
		unsigned char c = (unsigned char)s.ptr[at];
		size_t len = c < 0x80 ? plain_run(s.ptr + at, s.len - at)
		                      : utf8_read(str_skip(s, at), NULL);
		size_t out = len;

		if (!len) {
			len = 1;
			out = c >= 0x80 ? 3 : shorts[c] ? 2 : 6;
		} else if (c < 0x80) {
			out = len = MIN(len, max - taken);
		}
		if (taken + out > max || !len)
			break;
		taken += out;
		at += len;
	}
	return str_head(s, at);
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

/* INT64_MIN has no positive counterpart, so the sign is removed in unsigned arithmetic. */
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
	/* The library's writer gives the shortest form and ignores the locale. */
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
	struct json_member *all = json_sorted(obj, &count);

	for (size_t i = 0; i < count; i++) {
		put_key(out, i > 0, all[i].key);
		put_value(out, 0, all[i].value, true);
	}
	free(all);
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
		put_str(out, comma, json_str(v));
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

void jw_name(struct json_writer *w, struct str name)
{
	size_t comma = next_comma(w), len = comma + name.len + 3;
	char *at = room(w->out, len);

	assert(w->depth > 0);
	w->after_key = true;
	if (!at)
		return;
	at[0] = ',';
	at += comma;
	*at++ = '"';
	memcpy(at, name.ptr, name.len);
	memcpy(at + name.len, "\":", 2);
	w->out->len += len;
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

void jw_value_sorted(struct json_writer *w, struct json v)
{
	put_value(w->out, next_comma(w), v, true);
}

/* The member of that name is dropped first: a duplicate key would make the text invalid. */
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

/* By integer arithmetic: a double would print 0.1 + 0.2 as 0.30000000000000004. */
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

	clock_time_write(wall_ms, text + 1);
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
