#ifndef TELEMETRY_CURSOR_H
#define TELEMETRY_CURSOR_H
/*
 * The cursor on disk: which spans were accepted, and where reading begins.
 *
 * The file is operational data: after its loss sending begins with new events.
 */
#include "base/str.h"

struct telemetry_cursor {
	uint64_t acked;      /* spans that ended up to this position were accepted */
	uint64_t from;       /* reading begins behind it: before the oldest open span */
	char runtime_id[64]; /* whose log it is */
};

/* False: there is no usable file. */
bool telemetry_cursor_read(struct str path, struct telemetry_cursor *ret);
/* Replaces the file as a whole.  False: it could not be written. */
bool telemetry_cursor_write(struct str path, const struct telemetry_cursor *c);

#endif
