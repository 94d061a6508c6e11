#ifndef LIB_MOVE_MOVE_ROWS_H
#define LIB_MOVE_MOVE_ROWS_H
/*
 * Copies the rows of a log, part by part.  A page is taken from the source, on a thread, while
 * the one before is written to the target with how far the move has come.
 */
#include "lib/move/move_end.h"

struct move_rows {
	struct move_end *from, *to;
	const struct move_options *o;
	const char *source; /* in the progress; without blanks */
	/* Where to continue. */
	unsigned part;
	struct str after;
};

/* All parts but outputs. */
enum err move_rows_run(const struct move_rows *r, struct error *e) MUST_USE;

#define MOVE_ROWS_VERSION "1"
/* "VERSION SOURCE PART AFTER" */
struct str move_rows_progress(struct arena *mem, const char *source, unsigned part,
                              struct str after);

#endif
