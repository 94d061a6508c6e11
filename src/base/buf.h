#ifndef BASE_BUF_H
#define BASE_BUF_H
/*
 * A growing byte buffer with a stated maximum.
 *
 * An addition that does not fit as a whole is dropped and sets `overflowed`;
 * callers check once, at the end.  max == 0 means that the content is bounded
 * elsewhere.
 */
#include "base/str.h"

struct buf {
	char *ptr;
	size_t len;
	size_t cap;
	size_t max;
	bool overflowed;
};

void buf_done(struct buf *b);  /* frees; the struct may be used again */
void buf_clear(struct buf *b); /* empties, keeps the memory */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_str(struct buf *b, struct str s);
void buf_add_c(struct buf *b, const char *c);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Room for len more bytes; write there, then raise b->len.  NULL past the maximum. */
char *buf_reserve(struct buf *b, size_t len);

/* Drops bytes from the front. */
void buf_drop(struct buf *b, size_t len);

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->ptr ? b->ptr : "", b->len };
}

/*
 * Moves the bytes out, NUL-terminated; the caller frees them.  The buffer is
 * empty afterwards, but remembers an overflow until it is cleared.
 */
char *buf_take(struct buf *b, size_t *ret_len);

#endif
