#ifndef PROVIDER_RAW_H
#define PROVIDER_RAW_H
/*
 * The body of a response as received, for later diagnosis: its beginning and
 * its end within a bound.  The bytes between are counted.
 *
 * Written as JSON, because heads matter too and bytes need not be text:
 * {"status", "headers": {...}, "bytes", "body"}, or "head", "leftOut", "tail" instead of "body".
 */
#include "base/json.h"
#include "net/http/http_client.h"

struct raw {
	size_t max;
	int status;
	struct buf headers; /* a JSON object */
	struct buf head;
	struct buf tail; /* a ring once it is full */
	size_t tail_at;
	int64_t bytes;
};

/* An address without query, fragment and user information: these may hold secrets. */
struct str raw_address(struct str url);
/* Of the headers only those that say who answered and what is left of the limits. */
void raw_head(struct raw *r, const struct http_client_head *h);
void raw_add(struct raw *r, struct str bytes);
void raw_write(const struct raw *r, struct buf *out);
void raw_done(struct raw *r);

#endif
