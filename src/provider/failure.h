#ifndef PROVIDER_FAILURE_H
#define PROVIDER_FAILURE_H
/*
 * Classifies errors of providers: the category, whether a retry may help, and
 * how long to wait before it.  Pure.
 *
 * Servers agree on {"error": {"message", "type", "code"}} in principle; in
 * practice `error` may be a string, the object may be bare, in a list, or
 * called `detail`, `code` may be a word, an HTTP status or null, and what
 * matters may stand in `details`.
 */
#include "base/json.h"
#include "catalog/gen/vocab.h"
#include "net/http/http_client.h"
#include "ports/provider.h"

#define FAILURE_MESSAGE_MAX ((size_t)600) /* bytes of a provider's message */
#define FAILURE_WAIT_MAX_MS ((int64_t)24 * 3600 * 1000)

/* What the headers of a response say about retries. */
struct failure_hints {
	struct str location;    /* of a redirect; empty: none */
	int64_t retry_after_ms; /* -1: not said */
	enum { SHOULD_NOT_SAY, SHOULD_RETRY, SHOULD_NOT_RETRY } should;
};

/*
 * retry-after-ms, then retry-after (seconds, or a date measured against the
 * answer's own Date), then the reset time of whichever limit is used up.
 */
void failure_hints_read(const struct http_client_head *h, struct failure_hints *ret);

/* The x-ratelimit-* and anthropic-ratelimit-* headers that were sent, in mem. */
size_t failure_limits_read(const struct http_client_head *h, struct arena *mem,
                           const struct model_limit **ret);

struct failure {
	enum error_category category;
	bool retryable;
	int64_t retry_after_ms;
	struct str message; /* in mem */
	bool names_image;   /* the request is refused, and the message is about an image */
};

/* An answer that is not 2xx.  provider is its name, for the sentence when the server gave none. */
void failure_of_answer(struct arena *mem, struct str provider, int status,
                       const struct failure_hints *hints, struct str body, struct failure *ret);

/* An error object inside a started response. */
void failure_of_event(struct arena *mem, struct str provider, struct json error,
                      struct failure *ret);

/* Milliseconds of "1s", "6m0s", "20ms", "1h2m3.5s"; false for anything else. */
bool failure_duration(struct str s, int64_t *ret_ms) MUST_USE;

#endif
