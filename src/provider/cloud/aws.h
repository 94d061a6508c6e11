#ifndef PROVIDER_AWS_H
#define PROVIDER_AWS_H
/*
 * Finds AWS credentials, in this order; the first that exists is used:
 *   1. what a client lent: AWS_ACCESS_KEY_ID with its parts, else AWS_PROFILE,
 *   2. the profile that the settings name,
 *   3. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN,
 *   4. the profile AWS_PROFILE, else `default`, of ~/.aws/credentials and ~/.aws/config.
 *
 * The region comes from the settings, AWS_REGION, AWS_DEFAULT_REGION, then the
 * profile.  Nothing is fetched: a profile whose keys come from single sign-on, a
 * role or a program is refused with the command that prints them.
 */
#include "provider/cloud/cloud_env.h"

struct aws_identity {
	struct secret *access_key, *secret_key, *token; /* token may be NULL */
	struct str region;                              /* in the arena of the search */
	struct cloud_place place;
};

/*
 * ERR_NOT_FOUND: there are no credentials.  ERR_INVALID: what is at ret->place cannot be used, and
 * why.
 */
enum err aws_find(const struct cloud_env *v, struct aws_identity *ret, struct error *e) MUST_USE;
/* The region alone, which a key without an account needs too. */
enum err aws_region(const struct cloud_env *v, struct str *ret, struct error *e) MUST_USE;
void aws_done(struct aws_identity *i);

#endif
