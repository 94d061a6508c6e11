#ifndef ENGINE_EFFECTS_TOOL_WORDS_H
#define ENGINE_EFFECTS_TOOL_WORDS_H
/*
 * From the words of the tool port to those of the core.
 */
#include "engine/engine_state.h"
#include "text/redact.h"

struct input_violation tool_words_violation(struct arena *mem, const struct tool_violation *v);
/* Which rules took out something, for the facts. */
const struct input_redaction *tool_words_redactions(struct scrub *s,
                                                    const struct scrub_stream *seen,
                                                    struct arena *mem, size_t *ret_count);
enum process_exit tool_words_exit(int tool_exit); /* enum tool_exit */

#endif
