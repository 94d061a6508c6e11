#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H
/*
 * malloc and related functions for the few things that outlive arenas.
 *
 * Allocation never fails: out of memory calls the hook and aborts.  Any thread.
 */
#include "base/util.h"

#include <stddef.h>

/* Called before the abort; without one a line goes to standard error. */
void memory_on_oom(void (*hook)(void));

/* Calls the hook and aborts; for allocators on top of this one. */
NORETURN void memory_exhausted(void);

void *memory_alloc(size_t size);
void *memory_zeroed(size_t count, size_t size);
void *memory_resize(void *old, size_t size);
char *memory_strdup(const char *text);
char *memory_strndup(const char *text, size_t len);
void memory_free(void *ptr); /* NULL is fine */

/* Returns freed memory to the system where the allocator keeps it. */
void memory_trim(void);

#endif
