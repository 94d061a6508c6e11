#ifndef LIB_ISSUER_WATCH_H
#define LIB_ISSUER_WATCH_H
/*
 * Issuers that leave the settings leave the runtime: their tokens are refused, and their streams
 * end.  The files of settings are looked at each second.  An issuer that is missing in two looks is
 * removed, because some editors move a file away before they write it again; a file that cannot be
 * read changes nothing.
 *
 * Issuers that are added or changed count after the next start.  Issuers that come from the command
 * line or the environment are not watched.  Loop thread only.
 */
#include "base/json.h"
#include "net/loop.h"
#include "serve/serve.h"

struct issuer_watch;

struct issuer_watch_options {
	struct loop *loop;
	struct serve *serve;
	const char *const *files; /* "SOURCE=PATH", NULL at the end; NULL: none */
	struct json issuers;      /* as the runtime has them; lives as long as the watch */
};

/* NULL: there is nothing to watch. */
struct issuer_watch *issuer_watch_new(const struct issuer_watch_options *o);
void issuer_watch_free(struct issuer_watch *w); /* NULL is fine */

#endif
