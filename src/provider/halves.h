#ifndef PROVIDER_HALVES_H
#define PROVIDER_HALVES_H
/*
 * Characters that a server has split between two fragments.
 *
 * JSON writes a character beyond U+FFFF as a pair of escapes, and some
 * servers end one fragment between the two.  A parser refuses such a
 * document.  halves_mark() replaces each lone escape by a character of the
 * last private-use plane, so that the document can be read; halves_join()
 * makes one character of two that meet, and U+FFFD of those that stay alone.
 */
#include "base/arena.h"
#include "base/buf.h"

/* The document with lone halves marked; absent: it has none. */
struct str halves_mark(struct arena *mem, struct str json);
bool halves_are_in(struct str text);
/* A half at the end waits for what follows: its length in bytes, or 0. */
size_t halves_open(struct str text);
void halves_join(struct buf *b);

#endif
