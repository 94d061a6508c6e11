#ifndef PROVIDER_HTTP_PROVIDER_INT_H
#define PROVIDER_HTTP_PROVIDER_INT_H
/* What the files of the HTTP provider share. */
#include "base/list.h"
#include "provider/body_tools.h"
#include "provider/cloud/cloud.h"
#include "provider/http_provider.h"
#include "provider/models/model_list.h"

#define HTTP_PROVIDER_HEADERS_MAX 32

struct http_provider {
	struct provider port;
	struct provider_ops ops; /* the name in it is ours */
	struct arena *mem;
	struct http_provider_options o; /* strings in mem */
	struct key_found key;           /* key.key NULL: none so far */
	struct secret *old_key;         /* the previous key, which running requests may have sent */
	struct cloud *cloud;            /* NULL: a key is all there is */
	bool has_account;               /* of a cloud, and no key is sent instead */
	struct str account_name;        /* where that was found */
	struct str remedy;  /* what to do without an account; absent: a key is all there is */
	struct str address; /* the base URL with the place of the account */
	struct str lent_variables[10]; /* that clients lend beside the key */
	size_t lent_count;
	bool has_warned; /* of a key that cannot be used */
	bool is_up;      /* a local server has answered */
	bool is_listed;  /* its server's list is known */
	struct model_list models;
	struct list requests;
	struct list listings; /* struct listing, of http_listing.c */
	struct body_tools tools;
};

/* The headers of every request; credential: the value of the key's header, may be empty. */
size_t http_provider_headers(const struct http_provider *p, const struct dialect *d,
                             struct str accept, struct str credential,
                             struct http_client_header out[HTTP_PROVIDER_HEADERS_MAX]);
/* "Bearer KEY", or the key alone; the caller wipes it with http_provider_wipe(). */
struct buf http_provider_credential(const struct http_provider *p, const struct secret *key);
void http_provider_wipe(struct buf *credential);
struct str http_provider_url(struct arena *mem, struct str base, struct str more);
/* The address that a client lent with its credential, else that of the settings, of the variable
 * or of the catalogue. */
struct str http_provider_base(const struct http_provider *p, struct arena *mem,
                              struct key_client client);
/* Why such an address is not used; absent: it is. */
struct str http_provider_refusal(const struct http_provider *p, struct arena *mem, struct str base);
/* Adds the headers of an account to count others, of which Content-Type is the first. */
size_t http_provider_prove(const struct cloud_pass *pass, struct str method, struct str url,
                           struct str body, struct buf *secret, struct http_client_header *headers,
                           size_t count);

/* ---- http_listing.c ---- */

bool http_listing_start(struct provider *port, struct provider_listing *l);
void http_listing_cancel_all(struct http_provider *p);
/* The list of an earlier run, from the data directory. */
void http_listing_recall(struct http_provider *p);

#endif
