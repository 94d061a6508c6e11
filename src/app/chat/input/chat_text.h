#ifndef APP_CHAT_TEXT_H
#define APP_CHAT_TEXT_H
/*
 * Text as a terminal shows it: what a person sees as one character (a
 * grapheme), how many columns it takes, and where lines break.
 *
 * Offsets are bytes and lie between graphemes.  Text is valid UTF-8.  Pure.
 */
#include "base/buf.h"

#define CHAT_TAB 4 /* columns of a tab */

/* The end of the grapheme that begins at this offset; s.len at the end. */
size_t chat_text_next(struct str s, size_t at);
/* The beginning of the grapheme that ends at this offset; 0 at the beginning. */
size_t chat_text_prev(struct str s, size_t at);
/* Columns of the text; sequences that set colours take none. */
size_t chat_text_width(struct str s);

/* The next or previous end of a word, as Alt-F and Alt-B move. */
size_t chat_text_word_end(struct str s, size_t at);
size_t chat_text_word_begin(struct str s, size_t at);

/*
 * Takes one row of at most so many columns from the front of the text: returns
 * its length in bytes.  A newline ends the row; *ret_used counts it too.
 */
size_t chat_text_row(struct str s, size_t columns, size_t *ret_used);

/* The longest beginning that takes at most so many columns; colours are kept. */
struct str chat_text_head(struct str s, size_t columns);

/* Adds text that was typed or pasted: line ends are \n, control characters and those that reorder text are left out. */
void chat_text_clean(struct buf *out, struct str s);

#endif
