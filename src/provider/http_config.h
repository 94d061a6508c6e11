#ifndef PROVIDER_HTTP_CONFIG_H
#define PROVIDER_HTTP_CONFIG_H
/*
 * One entry of the setting `providers` as options of a provider;
 * docs/explanation/models.md is the format.  Well-known names (openai, anthropic, ollama
 * and so on) bring their dialect, their base URL and the name of their key's
 * variable along.
 */
#include "provider/http_provider.h"

/*
 * Fills the members that settings define; the caller sets loop, HTTP client and
 * data_dir.  The strings live in mem.  ERR_INVALID begins with the place:
 * "providers.acme.models[0].price.inputPerMTok is not a price".
 */
enum err http_config_apply(struct arena *mem, struct str name, struct json settings,
                           struct http_provider_options *o, struct error *e) MUST_USE;

/* It begins with http:// or https://, and a host follows. */
bool http_config_is_url(struct str url);

/* NULL, or for a provider whose credentials are no key: the sentence that refuses one. */
const char *http_config_refuses_key(struct str name);

/* The i-th provider of the catalogue, without settings; false: there are no more. */
bool http_config_known(struct arena *mem, size_t i, struct http_provider_options *o);

#endif
