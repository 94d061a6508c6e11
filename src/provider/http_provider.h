#ifndef PROVIDER_HTTP_PROVIDER_H
#define PROVIDER_HTTP_PROVIDER_H
/*
 * A provider over HTTP, in any dialect.
 *
 *   start() ──► request on the wire ──► pieces ... ──► end
 *      │  └── no key, bad schema: end on the loop's next turn
 *      └── cancel(): the connection is closed, nothing follows
 *
 * A missing key is no error at the start: models() says so of every model, and
 * a request that is made all the same ends with category auth and a sentence
 * that names the remedy.  The key is looked for with every request.
 *
 * Nothing is tried twice here; an end says whether it is worth it.
 * Inside a callback a caller may cancel, pause, resume, start and close.
 */
#include "base/err.h"
#include "text/redact.h"
#include "net/http/http_client.h"
#include "ports/provider.h"
#include "provider/dialect.h"
#include "provider/keys.h"

/* Strings are copied.  Times of 0 are the defaults. */
struct http_provider_options {
	struct loop *loop;
	struct http_client *http_client;
	const struct dialect *dialect; /* NULL: Chat Completions */
	struct str name;               /* "openai": letters, digits, '-' and '_' */
	struct str base_url; /* "https://api.openai.com/v1"; a query is kept behind the path */
	struct str key_variable;
	struct str data_dir;
	struct scrub *scrub;   /* is told every key that is found; NULL: nobody is */
	bool needs_no_key;     /* a server of one's own; a key is sent if there is one */
	struct str key_header; /* absent: the dialect's; Azure wants "api-key: KEY" */
	const struct http_client_header *headers; /* sent with every request */
	size_t header_count;
	struct body_options body;
	struct response_limits limits;
	const struct model_info *models; /* provider and has_credential are filled in here */
	size_t model_count;
	int64_t connect_ms;    /* 10 s */
	int64_t first_byte_ms; /* 300 s: models think before they speak */
	int64_t stall_ms;      /* 60 s */
	int64_t total_ms;      /* 600 s */
};

/* ERR_INVALID names what is wrong.  The wire and the loop must outlive the provider. */
enum err http_provider_open(const struct http_provider_options *o, struct provider **ret,
                            struct error *e) MUST_USE;

#endif
