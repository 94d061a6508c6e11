#ifndef PROVIDER_ANTHROPIC_H
#define PROVIDER_ANTHROPIC_H
/*
 * Anthropic Messages.
 *
 * An answer is a list of content blocks: text, thinking, tool_use and such as
 * we do not ask for.  A thinking block has a signature, a redacted one only
 * bytes; both must come back unchanged while the tools it called for are
 * under way, or the server refuses the request.  They are the answer's state.
 *
 * anthropic_event.c is the dialect and reads, anthropic_body.c writes.
 */
#include "provider/dialect.h"

struct str anthropic_body_path(struct arena *mem, const struct model_request *req);
enum err anthropic_body_write(const struct model_request *req, const struct body_options *o,
                              struct buf *out, struct error *e) MUST_USE;

#endif
