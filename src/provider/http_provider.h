#ifndef PROVIDER_HTTP_PROVIDER_H
#define PROVIDER_HTTP_PROVIDER_H
/*
 * A provider over HTTP, in any dialect.
 *
 *   start() ──► request sent ──► pieces ... ──► end
 *      │  └── no key, bad schema: end on the loop's next turn
 *      └── cancel(): the connection is closed, nothing follows
 *
 * A missing key is no error at the start: models() reports it for every model,
 * and a request then ends with category auth and a message with the remedy.
 * Every request looks for the key again.
 *
 * Nothing is retried here; the end says whether a retry may help.
 * Inside a callback a caller may cancel, pause, resume, start and close.
 */
#include "base/err.h"
#include "text/redact.h"
#include "net/http/http_client.h"
#include "ports/provider.h"
#include "provider/cloud/cloud_env.h"
#include "provider/dialect.h"
#include "provider/keys/key_ring.h"

/* Strings are copied.  Times of 0 are the defaults. */
struct http_provider_options {
	struct loop *loop;
	struct http_client *http_client;
	const struct dialect *dialect; /* NULL: Chat Completions */
	struct str name;               /* "openai": letters, digits, '-' and '_' */
	struct str base_url; /* "https://api.openai.com/v1"; a query is kept behind the path */
	struct str key_variable, other_key_variable;
	struct str data_dir;
	struct str key_dir;    /* where keys are kept; absent: data_dir */
	struct key_ring *ring; /* keys that clients lend; NULL: none */
	struct scrub *scrub;   /* gets every key that is found, to redact it; NULL: none */
	bool needs_no_key;     /* a local server; a key is sent if there is one */
	struct str key_header; /* absent: the dialect's; Azure wants "api-key: KEY" */
	const struct http_client_header *headers; /* sent with every request */
	size_t header_count;
	struct body_options body;
	struct response_limits limits;
	const struct model_info *models; /* provider and has_credential are filled in here */
	size_t model_count;
	bool is_open;     /* offers further models (model_list.h) */
	bool is_implicit; /* the settings do not name it: without a key it is not shown */
	enum providers_account account;
	struct cloud_settings account_settings;
	struct str usual_url;    /* the catalogue's base URL, if url_from is set */
	struct str url_from;     /* the variable that the base URL comes from; absent: none */
	bool is_url_open;        /* the settings do not say the base URL: */
	struct str url_variable; /* a client may lend another in this variable, */
	struct str url_path;     /* to which this is added */
	struct str
		list_path; /* where its server lists models, appended to the base URL; blanks between
	                         several */
	struct str list_url;   /* instead of the base URL, unless that was changed */
	struct str check_path; /* where it only checks the key; absent: the list does */
	int port;              /* of a local server, which is used once it has answered; 0: none */
	int64_t connect_ms;    /* 10 s */
	int64_t first_byte_ms; /* 300 s: models may reason before the first byte */
	int64_t stall_ms;      /* 60 s */
	int64_t total_ms;      /* 600 s */
};

/* ERR_INVALID names the invalid option.  The HTTP client and the loop must outlive the provider. */
enum err http_provider_open(const struct http_provider_options *o, struct provider **ret,
                            struct error *e) MUST_USE;

#endif
