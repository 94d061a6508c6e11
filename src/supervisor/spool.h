#ifndef SUPERVISOR_SPOOL_H
#define SUPERVISOR_SPOOL_H
/*
 * A file that takes what a background process writes, so that a later
 * daemon can read it.  Bounded: what is beyond the maximum is
 * drained and counted, so the writer never blocks on us.
 */
#include "supervisor/event_loop.h"

#include "base/err.h"

struct spool {
	int file_fd; /* -1: not spooled */
	int64_t written, dropped, max;
};

/* Makes the file, 0600; it must not exist.  max 0: no bound. */
enum err spool_open(struct spool *s, const char *path, int64_t max, struct error *e) MUST_USE;
/*
 * Moves what the nonblocking descriptor has, a bounded piece of it.  False at
 * its end.
 */
bool spool_pump(struct spool *s, int from);
void spool_done(struct spool *s);

#endif
