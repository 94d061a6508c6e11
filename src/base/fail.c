/*
 * fail() and fail_errno(): an operational failure in one return statement.
 */
#include "base/err.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/*
 * The arguments may point into e itself (a message wrapped into a longer
 * one), so the text is made aside.  A cut never leaves half a character.
 */
static void fill(struct error *e, enum err code, int os_errno, const char *fmt, va_list args)
{
	char text[2 * sizeof e->message];
	int len = vsnprintf(text, sizeof text, fmt, args);

	if (len < 0)
		text[len = 0] = '\0';
	if (os_errno && (size_t)len < sizeof text) {
		errno = os_errno;
		snprintf(text + len, sizeof text - (size_t)len, ": %m");
	}

	struct str whole = str_from(text);
	struct str cut = utf8_head(whole, sizeof e->message - 1);

	e->code = code;
	e->os_errno = os_errno;
	memcpy(e->message, cut.ptr, cut.len);
	e->message[cut.len] = '\0';
}

enum err fail(struct error *e, enum err code, const char *fmt, ...)
{
	va_list args;

	if (!e)
		return code;
	va_start(args, fmt);
	fill(e, code, 0, fmt, args);
	va_end(args);
	return code;
}

/* errno is read before anything can change it, and restored for the caller. */
enum err fail_errno(struct error *e, enum err code, const char *fmt, ...)
{
	int os_errno = errno;
	va_list args;

	if (!e)
		return code;
	va_start(args, fmt);
	fill(e, code, os_errno, fmt, args);
	va_end(args);
	errno = os_errno;
	return code;
}
