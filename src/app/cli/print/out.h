#ifndef APP_OUT_H
#define APP_OUT_H
/*
 * Text for people.  Text of models, tools and peers goes through out_safe()
 * first, because a terminal executes control sequences.
 */
#include "app/cli/cli.h"
#include "base/jw.h"

#include <stdio.h>

enum tone { TONE_PLAIN, TONE_DIM, TONE_BOLD, TONE_GOOD, TONE_BAD, TONE_ASK, TONE_NAME };

/* The sequence that switches a tone on, "" without colour; off() ends it. */
const char *out_tone_on(bool color, enum tone tone);
const char *out_tone_off(bool color);

/* One line of safe text, NUL-terminated.  Line breaks become blanks. */
const char *out_safe(struct arena *mem, struct str s);
/* The same with at most this width, "…" when cut. */
const char *out_safe_cut(struct arena *mem, struct str s, size_t columns);
/* Text of several lines. */
void out_put_safe(FILE *out, struct str s);

/* A line on stderr, unless --quiet; the newline is added. */
void out_note(const struct cli *c, enum tone tone, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A line on stderr that --quiet does not silence. */
void out_error(const struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Columns that a line of text takes. */
size_t out_width(const char *text);
/* Columns of the terminal behind stdout or stderr, or 100. */
size_t out_columns(const struct cli *c, int fd);

/* "340 ms", "1.2 s", "3 min", "2 h", "5 d" */
const char *out_span(struct arena *mem, int64_t ms);
/* "2 min ago", "in 5 min", from an RFC 3339 time; "" when it is none. */
const char *out_ago(struct arena *mem, struct str time);
const char *out_until(struct arena *mem, struct str time);
/* "$0.0031"; "unknown" for what is not a number. */
const char *out_usd(struct arena *mem, struct json amount);
const char *out_bytes(struct arena *mem, int64_t bytes);
/* "800", "1.2k", "45k", "1.3M" */
const char *out_count(struct arena *mem, int64_t n);
/* On a terminal an id is cut to a unique beginning, which ref.h resolves. */
const char *out_id(const struct cli *c, struct str id);

/* The text of a member, safe to print; empty, or a dash, when it is absent. */
const char *out_field(struct cli *c, struct json v, const char *key);
const char *out_field_or_dash(struct cli *c, struct json v, const char *key);

/* ---- rows as JSON: one object with all of them, or with -o jsonl one line each ---- */

struct rows {
	struct cli *c;
	struct buf text;
	struct json_writer w;
};

void out_rows_begin(struct rows *r, struct cli *c, const char *key);
void out_rows_add(struct rows *r, struct json row);
void out_rows_end(struct rows *r);

/* JSON and a newline, on stdout. */
void out_json(struct json v);

#endif
