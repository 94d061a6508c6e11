#ifndef SERVE_ISSUER_FETCH_H
#define SERVE_ISSUER_FETCH_H
/*
 * Fetches the keys of an issuer.
 *
 *   AT_AUTHORIZATION_SERVER ──other status──► AT_OPENID ──► KEYS ──► done
 *             └───────────────── metadata ─────────────────────┘
 *
 * With an address of the keys in the settings it begins with KEYS.  The issuer's own address is the
 * user's; one that its metadata names on another origin must be public or in peers.allow_hosts.
 * Redirects are not followed.  Loop thread only.
 */
#include "base/hash/sha256.h"
#include "jwt/jwt_key.h"
#include "net/http/http_client.h"
#include "serve/auth/issuer_settings.h"

struct issuer_fetch {
	const struct issuers_options *all;
	const struct issuer_options *issuer;
	/* why: NULL, and keys and mem are the callee's; or what went wrong. */
	void (*done)(struct issuer_fetch *f, const char *why);

	/* Set by issuer_fetch_begin(). */
	struct http_client_call *call; /* NULL: none is under way */
	int step;                      /* the place that is tried */
	int status;
	struct buf body;
	struct arena *mem;
	struct jwt_keys keys;
	struct sha256 hash; /* of the document with the keys */
};

/* done comes later, never from inside. */
void issuer_fetch_begin(struct issuer_fetch *f);
/* Nothing follows. */
void issuer_fetch_cancel(struct issuer_fetch *f);

#endif
