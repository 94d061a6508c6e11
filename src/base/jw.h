#ifndef BASE_JW_H
#define BASE_JW_H
/*
 * The JSON writer.  All JSON that leaves the program is written through it.
 *
 *	struct json_writer w;
 *	jw_init(&w, &buf);
 *	jw_obj(&w);
 *	JW_KSTR(&w, "status", status);
 *	jw_obj_end(&w);
 *
 * A misuse (a value without its key, a level that was never opened) is an
 * assertion.  Nothing is allocated but by the buffer.
 */
#include "base/buf.h"
#include "base/json.h"

struct json_writer {
	struct buf *out;
	uint64_t has_item; /* one bit per level: whether it has an item */
	unsigned depth;
	bool after_key;
	bool is_altered; /* reading it back may give other values: bytes were replaced, or raw text copied */
};

void jw_init(struct json_writer *w, struct buf *out);
void jw_obj(struct json_writer *w);
void jw_obj_end(struct json_writer *w);
void jw_arr(struct json_writer *w);
void jw_arr_end(struct json_writer *w);
void jw_key(struct json_writer *w, struct str key);
/* A key that needs no escape, such as the name of a field: it is copied unseen. */
void jw_name(struct json_writer *w, struct str name);
#define JW_KEY(w, literal) jw_key((w), STR(literal))

void jw_str(struct json_writer *w, struct str s); /* invalid UTF-8 becomes U+FFFD; absent: "" */
/* The start of s that takes at most max bytes in a JSON string; no character is cut in two. */
struct str jw_head(struct str s, size_t max);
void jw_int(struct json_writer *w, int64_t n);
void jw_uint(struct json_writer *w, uint64_t n);
/* Shortest form that reads back equal; 1.0 stays 1.0; what is not finite becomes null. */
void jw_real(struct json_writer *w, double n);
void jw_bool(struct json_writer *w, bool b);
void jw_null(struct json_writer *w);
/* Text that is already one JSON value; copied byte for byte. */
void jw_raw(struct json_writer *w, struct str json_text);
/* A parsed value, written compactly in its own member order; JSON_NONE becomes null. */
void jw_value(struct json_writer *w, struct json v);
/* The same with the members of every object sorted by key, bytewise. */
void jw_value_sorted(struct json_writer *w, struct json v);
/* An object with this member at its end, replacing its own; other values unchanged. */
void jw_value_with(struct json_writer *w, struct json v, struct str key, struct str s);
/* A decimal with nine places from an integer count of 1e-9: 2385000 is 0.002385, 0 is 0.0. */
void jw_nano(struct json_writer *w, int64_t nano);
void jw_time(struct json_writer *w, int64_t wall_ms); /* RFC 3339, as base/os/clock.h writes it */

/* Member forms. */
void jw_kstr(struct json_writer *w, struct str key, struct str s);
void jw_kopt(struct json_writer *w, struct str key, struct str s); /* nothing when absent */
void jw_kint(struct json_writer *w, struct str key, int64_t n);
void jw_kbool(struct json_writer *w, struct str key, bool b);
#define JW_KSTR(w, key, s) jw_kstr((w), STR(key), (s))
#define JW_KOPT(w, key, s) jw_kopt((w), STR(key), (s))
#define JW_KINT(w, key, n) jw_kint((w), STR(key), (n))
#define JW_KBOOL(w, key, b) jw_kbool((w), STR(key), (b))

#endif
