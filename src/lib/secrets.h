#ifndef LIB_SECRETS_H
#define LIB_SECRETS_H
/*
 * What is redacted from the output of tools: matches of the operator's patterns, and the
 * secrets that this process knows.
 */
#include "text/redact.h"
#include "lib/config.h"

/*
 * Reads the setting `redact`, the variables and headers of tool servers and the environment, where the values of KEY, TOKEN, SECRET,
 * PASSWORD, PASSWD, CREDENTIALS and of …_KEY and so on are secrets.  ERR_INVALID names the
 * pattern that cannot be used.
 */
enum err secrets_open(const struct config_values *values, struct scrub **ret,
                      struct error *e) MUST_USE;
/* The values in the environment alone, from this length on. */
void secrets_know_environment(struct scrub *s, size_t min);

#endif
