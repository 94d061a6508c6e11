#ifndef APP_EXPORT_HTML_H
#define APP_EXPORT_HTML_H
#include "app/cli/ref.h"

/* Writes a thread, or the main thread of a session, to stdout.  Returns the exit code. */
int export_html(struct cli *c, const struct ref *ref);

#endif
