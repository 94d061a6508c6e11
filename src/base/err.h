#ifndef BASE_ERR_H
#define BASE_ERR_H
/*
 * Operational failures: the disk, the network, the peer.
 *
 * A function that can fail so returns enum err and fills a struct error whose
 * shape is already what the event or the problem needs.  Library code
 * returns errors and does not log them; whoever handles one logs it, once.
 * (A refusal of a command is not an error; see core/decision.h.  A broken
 * invariant is an assert.)
 */
#include "base/str.h"

enum err {
	OK = 0,
	ERR_INVALID,   /* input that does not have the promised form */
	ERR_TOO_LARGE, /* a bound of the catalogue was passed */
	ERR_NOT_FOUND,
	ERR_BUSY,       /* somebody else holds it */
	ERR_IO,         /* the system refused a read or write */
	ERR_FULL,       /* no space left */
	ERR_STORE,      /* the store is damaged or of an unknown version */
	ERR_CORRUPT,    /* one record of the store is not what was written; others are */
	ERR_UNREADABLE, /* a read failed before anything was written; it may succeed later */
	ERR_CLOSED,     /* the other side went away */
	ERR_TIMEOUT,
	ERR_CANCELLED,
	ERR_UNSUPPORTED,
};

struct error {
	enum err code;
	int os_errno;      /* 0 when no system call was involved */
	int detail;        /* a finer word of whoever failed; 0 when there is none */
	char message[512]; /* one sentence for people, without a final newline */
};

/* Fills e (which may be NULL) and returns code, so that one can return fail(...). */
enum err fail(struct error *e, enum err code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with errno kept and its text behind the message. */
enum err fail_errno(struct error *e, enum err code, const char *fmt, ...) PRINTF_LIKE(3, 4);

const char *err_name(enum err code); /* "invalid", "io", ... */

#endif
