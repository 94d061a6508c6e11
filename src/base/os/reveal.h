#ifndef BASE_REVEAL_H
#define BASE_REVEAL_H
/*
 * Text that a user decides about, shown so that nothing in it is hidden.
 *
 * Control characters, characters without a glyph, characters that look like a
 * blank and those that reorder text become <U+XXXX>.  A long run of blanks or
 * of empty lines becomes a count, so that it cannot push the rest off the
 * screen.  Invalid bytes become the replacement character.
 */
#include "base/arena.h"
#include "base/buf.h"

/* Invisible, looking like a blank (other than space, tab and newline), or reordering text. */
bool reveal_is_hidden(uint32_t code);

void reveal_add(struct buf *out, struct str s, bool keep_newlines);
/* The same in an arena. */
struct str reveal(struct arena *mem, struct str s, bool keep_newlines);

#endif
