#ifndef BASE_ARENA_H
#define BASE_ARENA_H
/*
 * Memory that is freed all at once.
 *
 * Allocation never fails: out of memory calls the hook set by
 * memory_on_oom() and then aborts, because a crash is the ordinary path here.
 * Memory is zeroed.
 */
#include "base/str.h"

struct arena;

struct arena *arena_new(void);
/* The same for a few words, where there are many of them: it begins with 1 KiB. */
struct arena *arena_new_small(void);
/* The same for what needs about so many bytes and grows little: it holds no more than that. */
struct arena *arena_new_for(size_t size);
void arena_free(struct arena *a); /* NULL is fine */
static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}

/* Forgets everything but keeps up to two blocks (68 KiB at most) for the next round. */
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

/* A copy that lives as long as the arena, with a NUL behind it; absent stays absent. */
struct str arena_keep(struct arena *a, struct str s);
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Bytes handed out since the last reset, waste included. */
size_t arena_used(const struct arena *a);
/* Bytes that it holds of the system, whether handed out or not. */
size_t arena_held(const struct arena *a);

#endif
