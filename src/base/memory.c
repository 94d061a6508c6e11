/*
 * The system's allocator under one rule: it never fails.  Out of memory calls
 * the hook and aborts, because a crash is an ordinary path of this program.
 */
#include "base/memory.h"

#include "base/util.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*oom_hook)(void);

void memory_on_oom(void (*hook)(void))
{
	oom_hook = hook;
}

/* Nothing here allocates. */
NORETURN void memory_exhausted(void)
{
	static const char words[] = "thole: out of memory\n";

	if (oom_hook)
		oom_hook();
	else
		(void)!write(STDERR_FILENO, words, sizeof words - 1);
	abort();
}

void *memory_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		memory_exhausted();
	return p;
}

void *memory_zeroed(size_t count, size_t size)
{
	void *p = count && size ? calloc(count, size) : calloc(1, 1);

	if (!p)
		memory_exhausted();
	return p;
}

void *memory_resize(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		memory_exhausted();
	return p;
}

char *memory_strdup(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		memory_exhausted();
	return copy;
}

char *memory_strndup(const char *text, size_t len)
{
	char *copy = strndup(text, len);

	if (!copy)
		memory_exhausted();
	return copy;
}

/*
 * glibc keeps freed memory for reuse; after many evictions that can be a large part of the
 * process.
 */
void memory_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void memory_free(void *ptr)
{
	free(ptr);
}
