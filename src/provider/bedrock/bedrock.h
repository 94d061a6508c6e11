#ifndef PROVIDER_BEDROCK_H
#define PROVIDER_BEDROCK_H
/*
 * Bedrock's Converse API.  Differences to other dialects: the model is part of
 * the path, system text and tools have members of their own, cache marks are
 * blocks, and members that only one vendor's models know travel in
 * additionalModelRequestFields.
 *
 * The vendor is read from the model's name ("us.anthropic.claude-...").  A name
 * that hides it, such as the ARN of an application inference profile, gets
 * neither cache marks nor an effort.
 */
#include "provider/dialect.h"

struct str bedrock_body_path(struct arena *mem, const struct model_request *req);
enum err bedrock_body_write(const struct model_request *req, const struct body_options *o,
                            struct buf *out, struct error *e);

#endif
