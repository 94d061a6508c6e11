#ifndef LIB_SECRETS_H
#define LIB_SECRETS_H
/* What is taken out of what tools say: the operator's patterns, and the secrets that this process knows. */
#include "text/redact.h"
#include "lib/config.h"

/*
 * Reads the setting `redact` and the environment, whose variables called
 * …KEY, …TOKEN, …SECRET, …PASSWORD or …CREDENTIALS hold secrets.  ERR_INVALID names the
 * pattern that cannot be used.
 */
enum err secrets_open(const struct config_values *values, struct scrub **ret,
                      struct error *e) MUST_USE;

#endif
