#ifndef BASE_BYTES_H
#define BASE_BYTES_H
/*
 * Shared immutable bytes: the stored envelope of an event, for the store and any
 * number of readers.  The only reference count of the code base; references may
 * be released on any thread.
 */
#include "base/str.h"

#include <stdatomic.h>

struct bytes {
	atomic_uint refs;
	uint32_t len;
	char data[];
};

struct bytes *bytes_new(struct str s); /* a copy, one reference, NUL behind it */
struct bytes *bytes_ref(struct bytes *b);
void bytes_unref(struct bytes *b); /* NULL is fine */
static inline struct str bytes_str(const struct bytes *b)
{
	return (struct str){ b->data, b->len };
}

#endif
