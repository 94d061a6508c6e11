/*
 * Byte buffers that grow up to their maximum.  Text that would pass it is
 * dropped whole and marks the buffer as overflowed.
 */
#include "base/buf.h"

#include "base/arena.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST 128

void buf_done(struct buf *b)
{
	free(b->ptr);
	*b = (struct buf){ .max = b->max };
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->overflowed = false;
}

/*
 * Doubling keeps the cost of appending proportional to the bytes; the maximum is never
 * allocated beyond.
 */
static void grow(struct buf *b, size_t need)
{
	size_t cap = MAX(b->cap, SMALLEST / 2);

	cap = cap > SIZE_MAX / 2 ? need : MAX(2 * cap, need);
	if (b->max)
		cap = MIN(cap, b->max);
	b->ptr = memory_resize(b->ptr, cap);
	b->cap = cap;
}

char *buf_reserve(struct buf *b, size_t len)
{
	size_t need;
	bool wraps = __builtin_add_overflow(b->len, len, &need);

	if (wraps || (b->max && need > b->max)) {
		b->overflowed = true;
		return NULL;
	}
	if (need > b->cap || !b->ptr)
		grow(b, need);
	return b->ptr + b->len;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!len)
		return;

	char *at = buf_reserve(b, len);

	if (!at)
		return;
	memcpy(at, data, len);
	b->len += len;
}

void buf_add_str(struct buf *b, struct str s)
{
	buf_add(b, s.ptr, s.len);
}

void buf_add_c(struct buf *b, const char *c)
{
	buf_add(b, c, strlen(c));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	char small[256];
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(small, sizeof small, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len < sizeof small) {
		buf_add(b, small, (size_t)len);
		return;
	}

	/* vsnprintf wants room for its NUL, which must not count against the maximum */
	char *large = memory_alloc((size_t)len + 1);

	va_start(args, fmt);
	vsnprintf(large, (size_t)len + 1, fmt, args);
	va_end(args);
	buf_add(b, large, (size_t)len);
	free(large);
}

void buf_drop(struct buf *b, size_t len)
{
	len = MIN(len, b->len);
	if (!len)
		return;
	b->len -= len;
	memmove(b->ptr, b->ptr + len, b->len);
}

/* The NUL needs one byte of room, which the maximum does not count. */
char *buf_take(struct buf *b, size_t *ret_len)
{
	char *p = b->len < b->cap ? b->ptr : memory_resize(b->ptr, b->len + 1);

	p[b->len] = '\0';
	if (ret_len)
		*ret_len = b->len;
	*b = (struct buf){ .max = b->max, .overflowed = b->overflowed };
	return p;
}
