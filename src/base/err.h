#ifndef BASE_ERR_H
#define BASE_ERR_H
/*
 * Operational failures: the disk, the network, the peer.
 *
 * A function that can fail this way returns enum err and fills a struct error,
 * which has what the event or the problem needs.  Library code
 * returns errors and does not log them; the caller that handles one logs it, once.
 * (A refusal of a command is not an error; see core/decision.h.  A broken
 * invariant is an assert.)
 */
#include "base/str.h"

enum err {
	OK = 0,
	ERR_INVALID,   /* input of the wrong form */
	ERR_TOO_LARGE, /* above a limit of the catalogue */
	ERR_NOT_FOUND,
	ERR_BUSY,        /* another owner holds it */
	ERR_IO,          /* the system refused a read or write */
	ERR_FULL,        /* no space left */
	ERR_STORE,       /* the store is damaged or of an unknown version */
	ERR_CORRUPT,     /* one record of the store is damaged; others are not */
	ERR_UNREADABLE,  /* a read failed before anything was written; it may succeed later */
	ERR_UNAVAILABLE, /* the server behind it cannot be used now; it will be */
	ERR_CLOSED,      /* the other side went away */
	ERR_TIMEOUT,
	ERR_CANCELLED,
	ERR_UNSUPPORTED,
};

struct error {
	enum err code;
	int os_errno;      /* 0 when no system call was involved */
	int detail;        /* a code of the failing module; 0 when there is none */
	char message[512]; /* one sentence for people, without a final newline */
};

/* Fills e (which may be NULL) and returns code, so that one can return fail(...). */
enum err fail(struct error *e, enum err code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with errno kept and its text appended to the message. */
enum err fail_errno(struct error *e, enum err code, const char *fmt, ...) PRINTF_LIKE(3, 4);

const char *err_name(enum err code); /* "invalid", "io", ... */

#endif
