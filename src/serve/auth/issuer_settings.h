#ifndef SERVE_ISSUER_SETTINGS_H
#define SERVE_ISSUER_SETTINGS_H
/*
 * The setting auth.issuers: authorization servers whose tokens are accepted.  Principals of the
 * issuer NAME are called NAME:SUBJECT, so that no token can name the owner, a device, a named token
 * or a principal of another issuer.
 */
#include "base/gen/limits.h"
#include "catalog/catalog.h"
#include "jwt/jwt_claims.h"
#include "sandbox/host_rule.h"

struct http_client;

struct issuer_options {
	struct str name;     /* in the settings */
	struct str url;      /* the issuer, byte for byte as tokens name it: that of the rules */
	struct str keys_url; /* absent: found by discovery */
	struct jwt_claims_rules rules;
	struct str tenant;   /* of all its principals; absent: the claim says, or there is none */
	unsigned algorithms; /* jwt_alg_bit() */
	enum session_reach sessions;
	struct list_str directories;
};

#define ISSUERS_MAX (LIMIT_JWT_ISSUERS + LIMIT_JWT_ISSUER_CHANGES)

/*
 * Everything lives as long as the serve.  An issuer that changes gets a new place, so what refers to
 * the old one stays valid.
 */
struct issuers_options {
	const struct issuer_options *items[ISSUERS_MAX];
	size_t count;
	bool is_removed[ISSUERS_MAX]; /* it has left the settings, or was replaced */
	struct host_rules rules; /* addresses that metadata may name although they are not public */
	struct http_client *http_client;
};

static inline bool issuer_settings_is_removed(const struct issuers_options *o, size_t at)
{
	return o->is_removed[at];
}

/* NULL is fine: there are none. */
static inline bool issuer_settings_has_any(const struct issuers_options *o)
{
	for (size_t i = 0; o && i < o->count; i++)
		if (!o->is_removed[i])
			return true;
	return false;
}

/* The list lives in the arena.  A mistake is an error that names the issuer and the member. */
enum err issuer_settings_read(struct arena *mem, struct json rows,
                              const struct issuer_options **ret, size_t *ret_count,
                              struct error *e) MUST_USE;

#endif
