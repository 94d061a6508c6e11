#ifndef PROVIDER_GOOGLE_TOKEN_H
#define PROVIDER_GOOGLE_TOKEN_H
/*
 * Access tokens of Google Cloud: fetched when one is needed, kept in memory, and
 * renewed before they expire.
 *
 *   NONE ──► FETCHING ──► FRESH ──► (nearly expired, or refused) NONE
 *                └──► NONE, and all that wait learn why
 *
 * Credentials have one token.  However many requests wait for it, it is fetched
 * once.  All functions are called on the loop thread.
 */
#include "base/list.h"
#include "net/http/http_client.h"
#include "provider/cloud/google_key.h"
#include "text/redact.h"

struct google_tokens;

struct google_tokens *google_token_new(struct http_client *http_client, struct scrub *scrub);
/* Requests that wait are forgotten.  NULL is fine. */
void google_token_free(struct google_tokens *t);

/* One request that waits.  Part of the caller's struct. */
struct google_wait {
	struct list node;
	/* Once, not from inside google_token_get(); token NULL: message says why. */
	void (*done)(struct google_wait *w, const struct secret *token,
	             enum error_category category, bool retryable, struct str message);
};

/*
 * The token that is fresh now, until the next call; NULL: w->done comes later.  An error: the
 * credentials cannot be used, and nothing follows.
 */
enum err google_token_get(struct google_tokens *t, const struct google_key *k,
                          struct google_wait *w, const struct secret **ret,
                          struct error *e) MUST_USE;
/* The caller no longer waits; nothing happens if it does not. */
void google_token_leave(struct google_wait *w);
/* A server has refused this token: the next request fetches another. */
void google_token_refused(struct google_tokens *t, const struct secret *token);

#endif
