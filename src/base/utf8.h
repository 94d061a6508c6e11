#ifndef BASE_UTF8_H
#define BASE_UTF8_H
/* Validation and cutting of UTF-8. */
#include "base/arena.h"
#include "base/buf.h"

bool utf8_is_valid(struct str s);

/*
 * Length in bytes (1 to 4) of the character that s begins with, 0 when s is
 * empty or does not begin with a whole, valid one.  ret_code may be NULL.
 */
size_t utf8_read(struct str s, uint32_t *ret_code);

/* The longest prefix of at most max bytes that does not split a character. */
struct str utf8_head(struct str s, size_t max);
/* The same from the end. */
struct str utf8_tail(struct str s, size_t max);

/*
 * Number of bytes (0 to 3) at the end of s that begin an incomplete character: a
 * stream keeps them for the next piece.
 */
size_t utf8_unfinished(struct str s);

/* U+200C and U+200D: invisible, except between letters of some scripts and inside emoji. */
bool utf8_is_joiner(uint32_t code);

/*
 * Text for a terminal: control characters (^[), bidi overrides and zero-width
 * ones (<U+202E>) made visible, invalid bytes as U+FFFD.  keep_newlines keeps tabs too.
 */
void utf8_add_safe(struct buf *out, struct str s, bool keep_newlines);

/*
 * Columns that the text takes on a terminal: two for wide characters, none for
 * those that join the one before.  What is not UTF-8 counts one a byte.
 */
size_t utf8_width(struct str s);
/* The longest prefix that takes at most so many columns. */
struct str utf8_head_columns(struct str s, size_t columns);

/* A preview: at most max bytes, whole characters, "…" at the end when cut. */
struct str utf8_preview(struct arena *mem, struct str s, size_t max);
/* The same of a stranger's text, as utf8_add_safe() shows it; line breaks stay. */
struct str utf8_preview_safe(struct arena *mem, struct str s, size_t max);

#endif
