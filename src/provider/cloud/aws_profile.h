#ifndef PROVIDER_AWS_PROFILE_H
#define PROVIDER_AWS_PROFILE_H
/*
 * One profile of ~/.aws/credentials or ~/.aws/config.  Pure but for the memory
 * of secrets.
 *
 * Sections are [NAME] in the first file and [profile NAME] in the second, where
 * [default] has no prefix.
 */
#include "provider/keys/keys.h"

struct aws_profile {
	struct secret *access_key, *secret_key, *token; /* NULL: not there */
	struct str region;                              /* in mem; absent: not there */
	struct str
		indirect; /* the setting by which its keys come from elsewhere, a role first; in mem */
	bool is_there;
};

/* Fills what the text adds and *ret does not have yet. */
void aws_profile_read(struct arena *mem, struct str text, bool is_config, struct str name,
                      struct aws_profile *ret);
void aws_profile_done(struct aws_profile *p);

#endif
