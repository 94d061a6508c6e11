#ifndef STORE_NUMBER_BYTES_H
#define STORE_NUMBER_BYTES_H
/* Numbers in packs and journals: seven bits a byte, the lowest first; the top bit says that more follow. */
#include "base/buf.h"

static inline void number_bytes_put(struct buf *b, uint64_t n)
{
	for (; n >= 128; n >>= 7)
		buf_add_char(b, (char)((n & 127) | 128));
	buf_add_char(b, (char)n);
}

/* At most ten bytes, which is a 64-bit number; a longer one is damage. */
static inline bool number_bytes_take(struct str *from, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < from->len && i < 10; i++) {
		n |= (uint64_t)(from->ptr[i] & 127) << 7 * i;
		if (!(from->ptr[i] & 128)) {
			*from = str_skip(*from, i + 1);
			*ret = n;
			return true;
		}
	}
	return false;
}

#endif
