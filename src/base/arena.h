#ifndef BASE_ARENA_H
#define BASE_ARENA_H
/*
 * Memory that is freed together.
 *
 * Allocation never fails: out of memory calls the hook set by
 * memory_on_oom() and then aborts, because a crash is the ordinary path here.
 * Memory is zeroed.
 */
#include "base/str.h"

struct arena;

struct arena *arena_new(void);
/* For small content and many arenas: starts with 1 KiB. */
struct arena *arena_new_small(void);
/* For content of about `size` bytes that hardly grows: allocates no more than that. */
struct arena *arena_new_for(size_t size);
void arena_free(struct arena *a); /* NULL is fine */
static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}

/* Frees the content and keeps up to two blocks (68 KiB at most) for reuse. */
void arena_reset(struct arena *a);

void *arena_alloc(struct arena *a, size_t size);
/* The same without the zeroing, for bytes that are overwritten at once. */
void *arena_alloc_raw(struct arena *a, size_t size);
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (count)))

/*
 * Grows an array inside the arena; what is new is zeroed.  The newest
 * allocation grows (or shrinks) in place, any other stays behind as waste.
 */
void *arena_grow(struct arena *a, void *old, size_t old_size, size_t new_size);

/* A NUL-terminated copy that lives as long as the arena; absent stays absent. */
struct str arena_keep(struct arena *a, struct str s);
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Bytes allocated since the last reset, waste included. */
size_t arena_used(const struct arena *a);
/* Bytes taken from the system, used or not. */
size_t arena_held(const struct arena *a);

#endif
