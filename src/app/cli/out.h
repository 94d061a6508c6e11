#ifndef APP_OUT_H
#define APP_OUT_H
/*
 * What people read.  Text of models, tools and peers goes through safe()
 * first: on a terminal a byte can be an order.
 */
#include "app/cli/cli.h"

#include <stdio.h>

enum tone { TONE_PLAIN, TONE_DIM, TONE_BOLD, TONE_GOOD, TONE_BAD, TONE_ASK, TONE_NAME };

/* The sequence that switches a tone on, "" without colour; off() ends it. */
const char *tone_on(bool color, enum tone tone);
const char *tone_off(bool color);

/* One line of safe text with a NUL behind it.  Line breaks are shown as blanks. */
const char *safe(struct arena *mem, struct str s);
/* The same, at most so many characters, "…" when cut. */
const char *safe_cut(struct arena *mem, struct str s, size_t columns);
/* Text of several lines. */
void put_safe(FILE *out, struct str s);

/* A line on stderr, unless --quiet; the newline is added. */
void note(const struct cli *c, enum tone tone, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A line on stderr that --quiet does not silence. */
void complain(const struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Columns of the terminal behind stdout or stderr, or 100. */
size_t columns_of(const struct cli *c, int fd);

/* "340 ms", "1.2 s", "3 min", "2 h", "5 d" */
const char *span_text(struct arena *mem, int64_t ms);
/* "2 min ago", "in 5 min", from an RFC 3339 time; "" when it is none. */
const char *ago_text(struct arena *mem, struct str time);
const char *until_text(struct arena *mem, struct str time);
/* "$0.0031"; "unknown" for what is not a number. */
const char *usd_text(struct arena *mem, struct json amount);
const char *bytes_text(struct arena *mem, int64_t bytes);
/* On a terminal an id is cut to what tells it apart; link.h finds it again by that. */
const char *id_text(const struct cli *c, struct str id);

/* The text of a member, safe to print; empty, or a dash, when it is absent. */
const char *field(struct cli *c, struct json v, const char *key);
const char *field_or_dash(struct cli *c, struct json v, const char *key);

/* ---- tables ---- */

#define TABLE_COLUMNS 8

struct table {
	struct cli *c;
	size_t columns, rows, cap;
	const char **cells;
	enum tone *tones; /* one per row */
};

/* Heads are words, NULL at the end.  The last column takes the room that is left. */
void table_begin(struct table *t, struct cli *c, const char *const *heads);
/* Cells are kept as they are: make them safe first. */
void table_row(struct table *t, enum tone tone, const char *const *cells);
void table_print(struct table *t, FILE *out);

/* ---- rows as JSON: one object with all of them, or with -o jsonl one line each ---- */

struct rows {
	struct cli *c;
	struct buf text;
	struct json_writer w;
};

void rows_begin(struct rows *r, struct cli *c, const char *key);
void rows_add(struct rows *r, struct json row);
void rows_end(struct rows *r);

/* JSON and a newline, on stdout. */
void put_json(struct json v);

#endif
