/*
 * Shared immutable bytes with an atomic reference count, in one allocation with
 * their length.  The last reference frees them, on any thread.
 */
#include "base/bytes.h"

#include "base/arena.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct bytes *bytes_new(struct str s)
{
	assert(s.len < UINT32_MAX);

	struct bytes *b = memory_alloc(sizeof *b + s.len + 1);

	atomic_init(&b->refs, 1);
	b->len = (uint32_t)s.len;
	if (s.len)
		memcpy(b->data, s.ptr, s.len);
	b->data[s.len] = '\0';
	return b;
}

/*
 * Relaxed is enough: a thread that takes a reference holds one already.  The release in
 * bytes_unref() orders the last reads before the free.
 */
struct bytes *bytes_ref(struct bytes *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	return b;
}

void bytes_unref(struct bytes *b)
{
	if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
		free(b);
}
