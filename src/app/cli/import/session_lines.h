#ifndef APP_SESSION_LINES_H
#define APP_SESSION_LINES_H
/*
 * Reads a file of JSON lines, of any size, in bounded memory.
 *
 * A line that is too long is skipped and counted.  Bytes that are no UTF-8
 * become U+FFFD.  What is appended to the file after it was opened is not read,
 * so that two passes see the same text.
 */
#include "base/buf.h"
#include "base/hash/sha256.h"

#define SESSION_LINE_MAX (32u << 20)

struct session_lines {
	int fd;
	uint64_t left; /* bytes of the file that were not read yet */
	struct buf text;
	size_t at; /* the next line in `text` */
	struct buf clean;
	struct sha256_stream hash;
	uint64_t bytes;
	int64_t too_long;
	bool skips;   /* the rest of a line that is too long */
	bool is_half; /* the last line has no end */
	bool failed;  /* the file could not be read to its end */
};

/* The descriptor is at the beginning of a file of this size; the caller closes it. */
void session_lines_init(struct session_lines *l, int fd, uint64_t size);
void session_lines_done(struct session_lines *l);
/* False: there are no more.  The line lives until the next call. */
bool session_lines_next(struct session_lines *l, struct str *ret);
/* After the last line: the hash of everything that was read. */
struct sha256 session_lines_hash(struct session_lines *l);

#endif
