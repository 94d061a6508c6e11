#ifndef PROVIDER_CLOUD_H
#define PROVIDER_CLOUD_H
/*
 * Accounts of clouds, as the HTTP provider sees them.
 *
 *   cloud_get() ──► at once, or later by `ready` ──► cloud_url(), cloud_headers() ──► sent
 *                                                        ▲                              │
 *                                                        └── cloud_renew() ◄── status 401
 *
 * A struct cloud_pass holds the credentials of one request, from cloud_get()
 * to cloud_done().  Variables and files are read for every request, so what was
 * added, changed or removed takes effect with the next one.
 *
 * One struct cloud per provider.  All functions are called on the loop thread.
 */
#include "provider/cloud/aws.h"
#include "provider/cloud/google_token.h"
#include "provider/cloud/sigv4.h"
#include "provider/gen/providers_table.h"

/* Strings live as long as the cloud. */
struct cloud_options {
	enum providers_account account; /* never PROVIDERS_ACCOUNT_KEY */
	struct http_client *http_client;
	struct scrub *scrub;
	const struct key_ring *ring;
	struct str provider;
	struct cloud_settings settings;
};

struct cloud;

struct cloud *cloud_new(const struct cloud_options *o);
void cloud_free(struct cloud *c); /* NULL is fine */

struct cloud_pass {
	struct google_wait wait; /* private */
	struct cloud *cloud;
	void (*ready)(struct cloud_pass *p);
	struct arena *mem;
	struct str place;        /* the region, or the location */
	struct aws_identity aws; /* no keys: a key is sent in a header instead */
	struct google_key google;
	struct secret *token;
	struct str project;
	bool has_failed; /* then: */
	enum error_category category;
	bool retryable;
	struct str message;
};

/*
 * Finds the credentials of a client.  has_key: a key is sent in a header, so only the place is
 * needed.  False: p->ready comes later, unless cloud_done() comes first.
 */
bool cloud_get(struct cloud *c, struct key_client client, bool has_key, struct cloud_pass *p);
/* The server refused the token; true, false: as above. */
bool cloud_renew(struct cloud_pass *p);
/* Stops waiting and wipes everything.  A zeroed pass is fine. */
void cloud_done(struct cloud_pass *p);

/* The base with its place, then what an account puts before the dialect's path. */
struct str cloud_base(const struct cloud_pass *p, struct arena *mem, struct str base);

#define CLOUD_HEADERS SIGV4_HEADERS

struct cloud_request {
	struct str method, url, body;
	struct http_client_header content_type;
};
/* The headers that prove the sender.  A token is copied once into `secret`, which the caller wipes. */
size_t cloud_headers(const struct cloud_pass *p, const struct cloud_request *r, struct buf *secret,
                     struct http_client_header ret[CLOUD_HEADERS]);
/* Replaces secrets of this pass in a text. */
struct str cloud_hide(const struct cloud_pass *p, struct arena *mem, struct str text);

/* ---- for lists ---- */

struct cloud_found {
	bool is_there;
	struct cloud_place where;
	struct str address; /* the base with its place, as far as that is known */
};
/* A zeroed client: what the daemon itself has.  Strings are in mem. */
void cloud_look(struct cloud *c, struct arena *mem, struct key_client client, struct str base,
                struct cloud_found *ret);
/* What to do when there are no credentials. */
struct str cloud_remedy(const struct cloud *c, struct arena *mem);

#endif
