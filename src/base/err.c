/* The names of the error codes, as logs and messages print them. */
#include "base/err.h"

/* Without a default label, so that the compiler reports a code that is missing here. */
const char *err_name(enum err code)
{
	switch (code) {
	case OK:
		return "ok";
	case ERR_INVALID:
		return "invalid";
	case ERR_TOO_LARGE:
		return "too_large";
	case ERR_NOT_FOUND:
		return "not_found";
	case ERR_BUSY:
		return "busy";
	case ERR_IO:
		return "io";
	case ERR_FULL:
		return "full";
	case ERR_STORE:
		return "store";
	case ERR_CORRUPT:
		return "corrupt";
	case ERR_UNREADABLE:
		return "unreadable";
	case ERR_UNAVAILABLE:
		return "unavailable";
	case ERR_CLOSED:
		return "closed";
	case ERR_TIMEOUT:
		return "timeout";
	case ERR_CANCELLED:
		return "cancelled";
	case ERR_UNSUPPORTED:
		return "unsupported";
	}
	return "unknown";
}
