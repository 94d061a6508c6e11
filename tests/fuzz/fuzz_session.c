/*
 * Any bytes as a session file of both programs: both passes give the same turns, each with a text,
 * and no turn is longer than its bound.
 */
#include "app/cli/import/session_reader.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static bool take(void *arg, const struct session_turn *t)
{
	size_t bytes = t->text.len;

	for (size_t i = 0; i < t->count; i++)
		bytes += t->items[i].text.len;
	MUST(t->text.len && bytes < (1u << 20));
	++*(int64_t *)arg;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("session", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	for (int program = 0; program < 2; program++) {
		struct arena *mem = arena_new();
		struct session_reader r;
		int64_t turns = 0, scanned;

		MUST(session_reader_scan(&r, mem, program, fd, size));
		scanned = r.head.turns;
		MUST(session_reader_turns(&r, fd, size, take, &turns) && turns == scanned);
		session_reader_done(&r);
		arena_free(mem);
	}
	close(fd);
	return 0;
}
