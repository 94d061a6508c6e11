#ifndef PROVIDER_GEMINI_H
#define PROVIDER_GEMINI_H
/*
 * Gemini's generateContent, streamed as server-sent events.
 *
 * A response is a list of parts: text, thoughts, whole function calls.  A part
 * may have a signature of the model's reasoning; the server refuses a call that
 * is returned without its signature.  Signatures are the response's state.
 *
 * gemini_event.c reads responses, gemini_body.c writes requests.
 */
#include "provider/dialect.h"

struct str gemini_body_path(struct arena *mem, const struct model_request *req);
enum err gemini_body_write(const struct model_request *req, const struct body_options *o,
                           struct buf *out, struct error *e) MUST_USE;

#endif
