#ifndef BASE_REVEAL_H
#define BASE_REVEAL_H
/*
 * Text that somebody decides about, shown so that nothing in it hides.
 *
 * Controls, characters without a glyph, characters that look like a blank and
 * those that move what is seen become <U+XXXX>.  A long run of blanks or of
 * empty lines becomes one word that counts them, so that it cannot push the
 * rest off the screen.  Invalid bytes become the replacement character.
 */
#include "base/arena.h"
#include "base/buf.h"

/* Not seen, seen as a blank (other than space, tab and newline), or moving others. */
bool reveal_is_hidden(uint32_t code);

void reveal_add(struct buf *out, struct str s, bool keep_newlines);
/* The same in an arena. */
struct str reveal(struct arena *mem, struct str s, bool keep_newlines);

#endif
