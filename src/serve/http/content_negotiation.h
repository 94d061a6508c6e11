#ifndef SERVE_CONTENT_NEGOTIATION_H
#define SERVE_CONTENT_NEGOTIATION_H
/* Selects the media type of a reply, and reads a few other headers. */
#include "base/str.h"

enum media { MEDIA_NONE, MEDIA_JSON, MEDIA_NDJSON, MEDIA_SSE };

/* The first supported type wins; absent and wildcards mean JSON. */
enum media content_negotiation_events(struct str accept);
/* The same where only streams are given: JSON counts as NDJSON. */
enum media content_negotiation_stream(struct str accept);

/* Are metrics wanted as OpenMetrics?  The first known type wins; without one they are plain text. */
bool content_negotiation_open_metrics(struct str accept);

/* application/json, with or without parameters; absent counts too. */
bool content_negotiation_is_json(struct str content_type);

/* "bytes=a-b", "bytes=a-", "bytes=-n": one range.  Anything else is not a range for us. */
struct range {
	int64_t first; /* negative: counted from the end */
	int64_t count; /* -1: to the end */
};
bool content_negotiation_range(struct str value, struct range *ret) MUST_USE;

#endif
