#ifndef PROVIDER_OPENAI_RESPONSES_H
#define PROVIDER_OPENAI_RESPONSES_H
/*
 * OpenAI Responses, without anything kept at the server: `store` is false, and
 * what the model thought comes back encrypted, to be sent again.
 *
 * An answer is a list of items: messages, function calls, reasoning.  Items
 * grow by deltas and come whole at their end; the last event has all of them
 * again.  Reasoning items are the answer's state.
 *
 * openai_responses_event.c is the dialect and reads, openai_responses_body.c writes.
 */
#include "provider/dialect.h"

struct str openai_responses_body_path(struct arena *mem, const struct model_request *req);
enum err openai_responses_body_write(const struct model_request *req, const struct body_options *o,
                                     struct buf *out, struct error *e) MUST_USE;

#endif
