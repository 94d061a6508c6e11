#ifndef PROVIDER_GEMINI_H
#define PROVIDER_GEMINI_H
/*
 * Gemini's generateContent, streamed as server-sent events.
 *
 * An answer is a list of parts: text, thoughts, function calls that come
 * whole.  A part may have a signature that stands for what the model thought;
 * the server refuses a call that comes back without its own.  Signatures are
 * the answer's state.
 *
 * gemini_event.c is the dialect and reads, gemini_body.c writes.
 */
#include "provider/dialect.h"

struct str gemini_body_path(struct arena *mem, const struct model_request *req);
enum err gemini_body_write(const struct model_request *req, const struct body_options *o,
                           struct buf *out, struct error *e) MUST_USE;

#endif
