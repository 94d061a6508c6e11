#ifndef CORE_ROUTING_MODEL_INFO_H
#define CORE_ROUTING_MODEL_INFO_H
/*
 * A model that a provider offers: a candidate of the routing.  The provider
 * fills it in with its own price; the engine adds the prices of the settings.
 */
#include "catalog/catalog.h"

/* The price of a million tokens from a day on, in 1e-9 dollars. */
struct model_price {
	int64_t from_ms;
	struct str from; /* as it was written; may be absent */
	int64_t input, cached_input, cache_write, output;
	enum price_source source;
};

struct model_info {
	struct str provider, model;
	struct str base_url;              /* where requests go; absent: in this process */
	struct str capabilities;          /* JSON array of words: tool_use, vision, ... */
	const struct model_price *prices; /* oldest first; none: the price is not known */
	size_t price_count;
	int64_t window_tokens, max_output_tokens;
	int64_t timeout_ms; /* deadline for the whole response; 0: none */
	struct str efforts; /* words that it accepts, with blanks between; absent: not known */
	enum key_origin key_from;
	struct str key_name; /* the variable of the key; may be absent */
	struct str
		remedy; /* what to do without credentials; absent: set the variable, or keep a key */
	bool has_credential;
	bool reasons;
	bool is_local;        /* no data leaves the machine */
	bool by_name_only;    /* used as a fallback only where the chain names it */
	bool by_request_only; /* a candidate only where it is asked for by name */
	bool is_implicit;     /* of a provider that the settings do not name */
	bool is_stand_in;     /* answers when no other model can */
};

#endif
