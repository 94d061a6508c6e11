#ifndef PROVIDER_OPENAI_ERROR_H
#define PROVIDER_OPENAI_ERROR_H
/*
 * What an error of an OpenAI-like server means to the runtime: its category,
 * whether trying again may help, and how long to wait before.  Pure.
 *
 * Servers agree on {"error": {"message", "type", "param", "code"}} in
 * principle; in practice `error` may be a string, the object may be bare, in a
 * list, or called `detail`, and `code` may be a word, an HTTP status or null.
 */
#include "base/json.h"
#include "catalog/gen/vocab.h"
#include "net/wire.h"

#define OPENAI_MESSAGE_MAX ((size_t)600) /* bytes of a sentence that somebody else wrote */
#define OPENAI_WAIT_MAX_MS ((int64_t)24 * 3600 * 1000)

/* What the headers of an answer say about trying again. */
struct openai_hints {
	int64_t retry_after_ms; /* -1: not said */
	enum { SHOULD_NOT_SAY, SHOULD_RETRY, SHOULD_NOT_RETRY } should;
};

/*
 * retry-after-ms, then retry-after (seconds, or a date measured against the
 * answer's own Date), then the reset time of whichever x-ratelimit-remaining-*
 * is used up.
 */
void openai_hints_read(const struct wire_head *h, struct openai_hints *ret);

struct openai_failure {
	enum error_category category;
	bool retryable;
	int64_t retry_after_ms;
	struct str message; /* in mem */
};

/* An answer that is not 2xx.  provider is its name, for the sentence when the server gave none. */
void openai_failure_of_answer(struct arena *mem, struct str provider, int status,
                              const struct openai_hints *hints, struct str body,
                              struct openai_failure *ret);

/* An error object inside an answer that began well; error is what stood there. */
void openai_failure_of_event(struct arena *mem, struct str provider, struct json error,
                             struct openai_failure *ret);

/* Milliseconds of "1s", "6m0s", "20ms", "1h2m3.5s"; false for anything else. */
bool openai_duration(struct str s, int64_t *ret_ms) MUST_USE;

#endif
