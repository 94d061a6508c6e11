#ifndef LIB_ISSUER_WATCH_H
#define LIB_ISSUER_WATCH_H
/*
 * Issuers follow the files of settings while the runtime runs.  The files are looked at each second.
 *
 *   added      tokens of the issuer are accepted
 *   changed    the same; streams of its bearers end, because their rights may be others now
 *   removed    its tokens are refused, and its streams end
 *
 * An issuer that is missing in two looks is removed, because some editors move a file away before
 * they write it again.  A file that cannot be read, or that has a mistake in auth.issuers, changes
 * nothing.  Issuers that come from the command line or the environment are not watched.  Loop thread
 * only.
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
	/* Before the first issuer is added; false: it cannot be.  */
	bool (*prepare)(void *owner);
	void *owner;
};

/* NULL: there is nothing to watch. */
struct issuer_watch *issuer_watch_new(const struct issuer_watch_options *o);
void issuer_watch_free(struct issuer_watch *w); /* NULL is fine */

#endif
