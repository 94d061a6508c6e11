#ifndef TOOLS_SEARCH_H
#define TOOLS_SEARCH_H
/*
 * web_search, behind ports/tool.h: one query to the search service of the
 * settings, its results as a short list.
 *
 * The operator configured the service, so its address is trusted; permission
 * rules on hosts apply to it (tool_info.host).  The key goes into one header and
 * nowhere else.  A response is bounded by LIMIT_SEARCH_BYTES, its list by the
 * number of results and the length of each.
 */
#include "net/http/http_client.h"
#include "ports/clock.h"
#include "ports/tool.h"

struct search_options {
	struct http_client *http_client; /* owned by the caller; must outlive the toolset */
	struct clock *clock;
	enum search_provider provider;
	struct str url; /* of the service; absent: its own */
	/* The key for a header, or absent; called for each request. */
	struct str (*key)(void *owner);
	void *key_owner;
};

/* Keeps copies of all strings. */
enum err search_open(const struct search_options *o, struct toolset **ret,
                     struct error *e) MUST_USE;
struct str search_tool_name(void);
/* The address that is asked if the settings name none; absent: they must. */
struct str search_default_url(enum search_provider provider);

/* The results of a response as text for the model; false: it is none.  Exposed for tests. */
bool search_results(struct arena *mem, enum search_provider provider, struct str body, int64_t most,
                    struct str *ret);

#endif
