#ifndef SERVE_ASSETS_H
#define SERVE_ASSETS_H
/*
 * Files inside the program: the console, as scripts/console built it from
 * web/, and docs/reference/openapi.json and asyncapi.json.  The table is written, packed, by
 * scripts/embed.py while compiling; without a built console its list holds
 * nothing but its end.
 */
#include "net/http/http_server.h"

struct asset {
	const char *name; /* "index.html"; NULL: the end of a list */
	const char *type;
	const char *etag;  /* with its quotes */
	bool is_immutable; /* another content has another name */
	struct str gzip;
	size_t plain_len;
};

extern const struct asset console_assets[];
extern const struct asset openapi_asset, asyncapi_asset;

/*
 * Replies with the file: compressed if the client accepts it, 304 if the client
 * has it already.  extra: further headers.
 */
void assets_reply(struct http_request *req, const struct asset *a, const struct http_field *extra,
                  size_t count);

#endif
