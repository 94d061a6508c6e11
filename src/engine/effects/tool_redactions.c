/* What redaction took out of a tool's output, as an input of the core. */
#include "engine/effects/effects.h"

#include "engine/engine_state.h"

/* Names and counts of rules only; what was removed is never kept. */
const struct tool_redaction *tool_redactions_seen(struct scrub *s, const struct scrub_stream *seen,
                                                  struct arena *mem, size_t *ret_count)
{
	const struct scrub_rule *rules;
	size_t count = 0, all;
	struct tool_redaction *out;

	*ret_count = 0;
	if (!seen->total)
		return NULL;
	all = redact_rules(s, &rules);
	out = ARENA_ARRAY(mem, struct tool_redaction, all);
	for (size_t i = 0; i < all; i++)
		if (seen->counts[i])
			out[count++] = (struct tool_redaction){
				.kind = rules[i].is_policy ? REDACTION_POLICY : REDACTION_SECRET,
				.rule = arena_keep(mem, rules[i].name),
				.count = seen->counts[i],
			};
	*ret_count = count;
	return out;
}

struct str tool_redactions_text(struct scrub *s, struct scrub_stream *seen, struct arena *mem,
                                struct str text)
{
	return arena_keep(mem, s && text.len ? redact_text(s, mem, text, seen) : text);
}
