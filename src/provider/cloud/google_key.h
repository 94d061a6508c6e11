#ifndef PROVIDER_GOOGLE_KEY_H
#define PROVIDER_GOOGLE_KEY_H
/*
 * Application default credentials of Google Cloud, in this order:
 *   1. the file GOOGLE_APPLICATION_CREDENTIALS,
 *   2. application_default_credentials.json of $CLOUDSDK_CONFIG or ~/.config/gcloud, which
 *      `gcloud auth application-default login` writes,
 *   3. the metadata server, if GCE_METADATA_HOST names one.
 *
 * Two kinds of file are read: a service account, which signs an assertion, and a
 * user with a refresh token.  Others (external_account and so on) are refused by
 * name.
 */
#include "base/hash/sha256.h"
#include "provider/cloud/cloud_env.h"

struct google_key {
	enum { GOOGLE_SERVICE_ACCOUNT, GOOGLE_USER, GOOGLE_METADATA } kind;
	struct str token_url;             /* where the token is fetched */
	struct str client, key_id;        /* the account's address, or the id of the client */
	struct secret *key;               /* the private key, or the secret of the client */
	struct secret *refresh;           /* a user's; else NULL */
	struct str project, user_project; /* as the file says; may be absent */
	struct sha256 id;                 /* the same credentials have the same */
	struct cloud_place place;
};

/* Strings are in the arena of v.  ERR_NOT_FOUND: there are none; else ret->place says where. */
enum err google_key_find(const struct cloud_env *v, struct google_key *ret,
                         struct error *e) MUST_USE;
void google_key_done(struct google_key *k);

/*
 * The body of the request for a token, which holds secrets: the caller wipes it.  Empty for the
 * metadata server, which is asked with GET.
 */
enum err google_key_form(const struct google_key *k, int64_t now_s, struct buf *ret,
                         struct error *e) MUST_USE;

#endif
