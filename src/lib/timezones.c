/*
 * Finds time zones in the system's database.  Each file is read once and kept
 * until the runtime stops.
 */
#include "lib/timezones.h"

#include "base/map.h"
#include "base/memory.h"
#include "lib/files.h"

#include <stdlib.h>

/* Files of the database have a few KiB; the limit is for a TZDIR that points elsewhere. */
#define FILE_MAX (256u << 10)

struct timezones {
	struct arena *mem;
	struct map known;
};

struct timezones *timezones_new(void)
{
	struct timezones *z = memory_zeroed(1, sizeof *z);

	z->mem = arena_new();
	return z;
}

void timezones_free(struct timezones *z)
{
	if (!z)
		return;
	map_done(&z->known);
	arena_free(z->mem);
	memory_free(z);
}

/* Europe/Berlin, Etc/GMT+3: nothing that leaves the directory. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-';

		if (!is_plain &&
		    (c != '/' || i == 0 || i + 1 == name.len || name.ptr[i - 1] == '/'))
			return false;
	}
	return name.len > 0 && name.len <= 64;
}

/* A missing zone is not remembered, so one that is installed later is found. */
const struct tz *timezones_find(void *timezones, struct str name)
{
	struct timezones *z = timezones;
	const char *dir = getenv("TZDIR");
	const struct tz *found = is_name(name) ? map_get(&z->known, name) : NULL;
	struct error e;
	struct str bytes, path;

	if (found || !is_name(name))
		return found;
	path = arena_printf(z->mem, "%s/%.*s", dir && *dir ? dir : "/usr/share/zoneinfo",
	                    STR_ARG(name));
	if (files_read_all(z->mem, path.ptr, FILE_MAX, &bytes, &e) != OK ||
	    tz_read(z->mem, bytes, &found, &e) != OK)
		return NULL;
	map_put(&z->known, arena_keep(z->mem, name), (void *)found);
	return found;
}
