#ifndef APP_LIVE_HTTP_H
#define APP_LIVE_HTTP_H
/*
 * One request to the runtime that is checked, over plain HTTP/1.1, one connection
 * each.  The answer is hostile: its size and the time for it are bounded.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct live_url {
	const char *host, *port;
	const char *shown;  /* both, as a header names them */
	const char *socket; /* a Unix socket in place of host and port; NULL: none */
	struct str path;    /* without a final slash; may be empty */
};

/* http://HOST[:PORT][/PATH] */
enum err live_http_url(struct arena *mem, struct str text, struct live_url *ret,
                       struct error *e) MUST_USE;

/* A connection that does not block; negative: there is none by then. */
int live_http_connect(const struct live_url *to, int64_t until);

struct live_request {
	struct str method, path; /* path follows that of the URL */
	struct str headers;      /* lines, each with its end; may be absent */
	struct str body;         /* JSON; absent: none */
};

/* *ret_body lives in mem.  An answer of any status is an answer. */
enum err live_http_ask(struct arena *mem, const struct live_url *to, const struct live_request *r,
                       int *ret_status, struct str *ret_body, struct error *e) MUST_USE;

#endif
