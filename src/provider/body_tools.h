#ifndef PROVIDER_BODY_TOOLS_H
#define PROVIDER_BODY_TOOLS_H
/*
 * The list of tools in the form of a dialect, kept from one request to the next.
 *
 * The list is about 10 KB and the same in nearly every request of a provider.
 * A provider owns one of these; the dialects write through body_tools_write().
 * A list is known only if every name, description and schema is byte for byte
 * the one that was written before, so a stale list is never sent.
 *
 * One thread, the loop's.
 */
#include "provider/dialect.h"
#include "base/jw.h"

struct body_tools {
	struct buf key;  /* what the list was made from */
	struct buf text; /* a JSON value */
};

void body_tools_done(struct body_tools *t);

/* Has exactly this list of tools been checked and written before? */
bool body_tools_is_known(const struct body_options *o, const struct model_request *req);

/* Writes one JSON value: the tools of a request. */
typedef void body_tools_writer(struct json_writer *w, const struct model_request *req,
                               const struct body_options *o);

/* The member "tools"; nothing when the request has none. */
void body_tools_write(struct json_writer *w, const struct model_request *req,
                      const struct body_options *o, body_tools_writer *write);

#endif
