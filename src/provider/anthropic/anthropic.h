#ifndef PROVIDER_ANTHROPIC_H
#define PROVIDER_ANTHROPIC_H
/*
 * Anthropic Messages.
 *
 * A response is a list of content blocks: text, thinking, tool_use and others
 * that we do not use.  A thinking block has a signature, a redacted one only
 * bytes.  Both must be returned unchanged while the tool calls that follow them
 * are open, or the server refuses the request.  They are the response's state.
 *
 * anthropic_event.c reads responses, anthropic_body.c writes requests.
 */
#include "provider/dialect.h"

struct str anthropic_body_path(struct arena *mem, const struct model_request *req);
enum err anthropic_body_write(const struct model_request *req, const struct body_options *o,
                              struct buf *out, struct error *e) MUST_USE;

#endif
