#ifndef APP_CHAT_WRAP_H
#define APP_CHAT_WRAP_H
/*
 * Finished lines that are longer than the terminal is wide.
 *
 * The first byte of a line says how it breaks.  Safe text has neither of these
 * bytes.  A line without one is left to the terminal, so that code of an answer
 * is copied as one line.  Lines are kept unbroken and are broken when they are
 * written, so that a change of size breaks them again.
 *
 * Pure.
 */
#include "base/buf.h"

#define CHAT_WRAP_WORDS '\x0e' /* at words, further rows indented */
/*
 * At words, and each further row begins with a mark: the line belongs to the
 * input of a call, where a row that is a line of its own means something else.
 */
#define CHAT_WRAP_INPUT '\x0f'

/* Adds text to `out`, each line with this first byte.  is_inside: the last line of `out` is open. */
void chat_wrap_mark(struct buf *out, struct str text, char how, bool is_inside);
/* The line without its first byte. */
struct str chat_wrap_bare(struct str line);
/* Adds the rows of one line, each with \r\n, and returns their number; without `out` only that. */
size_t chat_wrap_rows(struct buf *out, struct str line, size_t columns);
/* The same for all lines of a text. */
size_t chat_wrap_text(struct buf *out, struct str text, size_t columns);

#endif
