/*
 * Any bytes as a schedule: a cron expression on the first line, a file of the
 * time zone database after it.  The times of an accepted one are later than the
 * given time, in order, and match its wall clock.
 */
#include "core/schedule/cron.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str rest = str_of((const char *)data, size), text = str_cut(&rest, '\n');
	const struct tz *z = &tz_utc;
	struct cron c;
	struct error e;
	int64_t at = 1700000000, until;

	if (rest.len && tz_read(mem, rest, &z, &e) != OK)
		z = &tz_utc;
	for (int i = 0; i < 8; i++) {
		int32_t offset = tz_offset(z, at + i * 10000000, &until);

		MUST(offset > -8 * 86400 && offset < 8 * 86400);
		MUST(until > at + i * 10000000);
	}
	if (cron_read(text, &c, &e) != OK)
		return 0;
	for (int i = 0; i < 4; i++) {
		int64_t next = cron_next(&c, z, at);

		MUST(!next || next > at);
		if (!next)
			break;
		at = next;
	}
	return 0;
}
