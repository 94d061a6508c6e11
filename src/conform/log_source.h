#ifndef CONFORM_LOG_SOURCE_H
#define CONFORM_LOG_SOURCE_H
/*
 * Logs on disk: which files a path means, and their lines.
 *
 * Only regular files are read.  A line longer than LIMIT_CONFORM_LINE_BYTES is
 * skipped and reported as such, so memory does not depend on the file.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct log_files {
	struct str *paths; /* NUL-terminated, in bytewise order */
	size_t count;
};

/*
 * A file is itself.  A directory means its events.jsonl if it has one (an evidence pack), else
 * all its files that end in .jsonl or .ndjson, without links.  ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_IO.
 */
enum err log_source_files(struct arena *mem, struct str path, struct log_files *ret,
                          struct error *e) MUST_USE;

struct log_source {
	int fd;
	struct buf ahead; /* bytes that were read and not handed out */
	size_t used;      /* of them, those before the next line */
	int64_t line;
	bool is_end, is_skipping;
};

struct log_line {
	struct str text; /* without its end; lives until the next call */
	int64_t number;  /* from 1 */
	bool is_too_long;
};

enum err log_source_open(struct log_source *s, struct str path, struct error *e) MUST_USE;
void log_source_close(struct log_source *s);
/* ERR_NOT_FOUND: there are no more lines.  Empty lines are left out. */
enum err log_source_next(struct log_source *s, struct log_line *ret, struct error *e) MUST_USE;

#endif
