#ifndef ENGINE_EFFECTS_TOOL_REDACTIONS_H
#define ENGINE_EFFECTS_TOOL_REDACTIONS_H
#include "core/io.h"
#include "text/redact.h"

/* Which rules took out something of a tool's output, for its events; NULL: none. */
const struct tool_redaction *tool_redactions_seen(struct scrub *s, const struct scrub_stream *seen,
                                                  struct arena *mem, size_t *ret_count);

#endif
