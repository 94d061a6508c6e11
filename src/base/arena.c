/*
 * Arenas: blocks of memory that are filled from the front and freed together.
 * The first block is part of the same allocation as the struct.
 */
#include "base/arena.h"

#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * An arena is one malloc of 4 KiB (a small one 1 KiB): the struct followed by the first block.
 * Further blocks double up to 64 KiB.  A request for a quarter of a block or more gets its own
 * block, so that the rest of the current block is not lost.
 */
#define FIRST_SIZE ((size_t)4096 - 16) /* with malloc's own header a round number */
#define SMALL_SIZE ((size_t)1024 - 16)
#define BLOCK_MAX ((size_t)65536 - 16)
#define LARGE (BLOCK_MAX / 4)
#define ALIGN 16

struct block {
	_Alignas(ALIGN) struct block *next;
	char *end;
};

/*
 * Invariants: [at, end) is the free space of the newest block (the first one lies behind
 * the struct), and `larges` are never filled further.
 */
struct arena {
	_Alignas(ALIGN) char *at; /* free space of the current block */
	char *end;
	size_t used, held; /* as arena_used() and arena_held() report */
	size_t first_size, next_size;
	struct block *blocks; /* newest (and largest) first; the current one, if any */
	struct block *larges;
	struct block *spare; /* kept by a reset */
};

static_assert(sizeof(struct arena) % ALIGN == 0, "the first block begins aligned");
static_assert(sizeof(struct block) % ALIGN == 0, "every block begins aligned");

static void use_first_block(struct arena *a)
{
	a->at = (char *)(a + 1);
	a->end = (char *)a + a->first_size;
}

static struct arena *new_of(size_t size)
{
	struct arena *a = memory_alloc(size);

	*a = (struct arena){ .first_size = size, .next_size = 2 * size, .held = size };
	use_first_block(a);
	return a;
}

struct arena *arena_new(void)
{
	return new_of(FIRST_SIZE);
}

struct arena *arena_new_small(void)
{
	return new_of(SMALL_SIZE);
}

/* For copies whose size is known, such as a compacted state: one block without doubling. */
struct arena *arena_new_for(size_t size)
{
	struct arena *a;

	if (size + sizeof *a <= FIRST_SIZE)
		return arena_new();
	/* Whole pages, but for malloc's own header. */
	a = new_of((sizeof *a + size + 16 + 4095) / 4096 * 4096 - 16);
	a->next_size = 2 * FIRST_SIZE;
	return a;
}

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	free_blocks(a->blocks);
	free_blocks(a->larges);
	free_blocks(a->spare);
	free(a);
}

/*
 * The newest block is also the largest; keeping it lets an arena that is reset once per
 * step settle at a size that needs no further malloc.
 */
void arena_reset(struct arena *a)
{
	if (a->blocks) {
		struct block *newest = a->blocks;

		free_blocks(newest->next);
		free_blocks(a->spare);
		newest->next = NULL;
		a->spare = newest;
		a->blocks = NULL;
	}
	free_blocks(a->larges);
	a->larges = NULL;
	a->used = 0;
	a->held = a->first_size + (a->spare ? (size_t)(a->spare->end - (char *)a->spare) : 0);
	use_first_block(a);
}

static struct block *block_new(struct arena *a, size_t size)
{
	struct block *b = memory_alloc(size);

	a->held += size;
	b->end = (char *)b + size;
	return b;
}

/* A spare block that is too small stays until the next reset frees it. */
static struct block *next_block(struct arena *a, size_t size)
{
	struct block *b = a->spare;

	if (b && (size_t)(b->end - (char *)(b + 1)) >= size) {
		a->spare = NULL;
		return b;
	}
	while (a->next_size < sizeof *b + size)
		a->next_size *= 2;
	b = block_new(a, MIN(a->next_size, BLOCK_MAX));
	a->next_size = MIN(a->next_size * 2, BLOCK_MAX);
	return b;
}

/* The current block is full: a new one begins, or the request gets its own. */
static __attribute__((noinline)) char *alloc_slow(struct arena *a, size_t size)
{
	if (size > LARGE) {
		if (size > PTRDIFF_MAX - sizeof(struct block))
			memory_exhausted();

		struct block *own = block_new(a, sizeof *own + size);

		own->next = a->larges;
		a->larges = own;
		a->used += size;
		return (char *)(own + 1);
	}

	struct block *b = next_block(a, size);
	char *p = (char *)(b + 1);

	b->next = a->blocks;
	a->blocks = b;
	a->at = p + size;
	a->end = b->end;
	a->used += size;
	return p;
}

/*
 * The fast path is a few instructions, because records are read and copied field by field.
 * Text needs no alignment.
 */
static inline char *alloc(struct arena *a, size_t size, size_t align)
{
	size_t gap = -(uintptr_t)a->at & (align - 1);
	size_t room = (size_t)(a->end - a->at);

	if (room < gap || size > room - gap)
		return alloc_slow(a, size);

	char *p = a->at + gap;

	a->at = p + size;
	a->used += gap + size;
	return p;
}

void *arena_alloc_raw(struct arena *a, size_t size)
{
	return alloc(a, size, ALIGN);
}

void *arena_alloc(struct arena *a, size_t size)
{
	return memset(alloc(a, size, ALIGN), 0, size);
}

/*
 * Growing the newest allocation in place makes a list that is filled item by item cost no
 * copies.
 */
void *arena_grow(struct arena *a, void *old, size_t old_size, size_t new_size)
{
	bool is_last = old && (char *)old + old_size == a->at;

	if (is_last && new_size <= (size_t)(a->end - (char *)old)) {
		a->at = (char *)old + new_size;
		a->used += new_size - old_size; /* wraps back when smaller */
	} else if (new_size > old_size || !old) {
		char *p = alloc(a, new_size, ALIGN);

		if (old_size)
			memcpy(p, old, old_size);
		old = p;
	}
	if (new_size > old_size)
		memset((char *)old + old_size, 0, new_size - old_size);
	return old;
}

struct str arena_keep(struct arena *a, struct str s)
{
	if (!s.ptr)
		return s;

	char *p = alloc(a, s.len + 1, 1);

	memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return str_of(p, s.len);
}

/* Formats into the free space first: nearly all texts fit, and need one pass. */
struct str arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	size_t room = (size_t)(a->end - a->at);
	int len = vsnprintf(a->at, room, fmt, args);
	va_end(args);
	if (len < 0)
		return arena_keep(a, STR(""));

	bool fits = (size_t)len < room;
	char *p = alloc(a, (size_t)len + 1, 1);

	if (!fits) {
		va_start(args, fmt);
		vsnprintf(p, (size_t)len + 1, fmt, args);
		va_end(args);
	}
	return str_of(p, (size_t)len);
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}

size_t arena_held(const struct arena *a)
{
	return a->held;
}
