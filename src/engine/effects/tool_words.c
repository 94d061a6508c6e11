/* From the words of the tool port to those of the core. */
#include "engine/effects/tool_words.h"

#include "engine/effects/effects.h"
#include "engine/engine_state.h"

static struct rec_sandbox_override *needs_of(struct arena *mem, struct str text)
{
	struct rec_sandbox_override *o = ARENA_NEW(mem, struct rec_sandbox_override);
	struct str own = str_is(text) ? arena_keep(mem, text) : STR_NONE;
	struct json v;

	if (!str_is(own) || json_read_trusted(mem, own, &v, NULL) != OK ||
	    rec_read(mem, v, &rec_sandbox_override_desc, REC_TRUSTED, o, NULL) != OK)
		return NULL;
	return o;
}

struct input_violation tool_words_violation(struct arena *mem, const struct tool_violation *v)
{
	enum violation_kind kind = rec_enum_read(&enum_violation_kind, v->kind);

	return (struct input_violation){
		.kind = kind ? kind : VIOLATION_KIND_PERMISSION,
		.operation = arena_keep(mem, v->operation),
		.path = arena_keep(mem, v->path),
		.host = arena_keep(mem, v->host),
		.syscall = arena_keep(mem, v->syscall),
		.err_name = arena_keep(mem, v->err_name),
		.rule = arena_keep(mem, v->rule),
		.address = arena_keep(mem, v->address),
		.would_allow = arena_keep(mem, v->would_allow),
		.port = v->port,
		.count = v->count,
		.is_blocked = v->is_blocked,
		.has_fallback = v->has_fallback,
		.needs = needs_of(mem, v->needs),
	};
}

const struct input_redaction *tool_words_redactions(struct scrub *s,
                                                    const struct scrub_stream *seen,
                                                    struct arena *mem, size_t *ret_count)
{
	const struct scrub_rule *rules;
	size_t count = 0, all;
	struct input_redaction *out;

	*ret_count = 0;
	if (!seen->total)
		return NULL;
	all = redact_rules(s, &rules);
	out = ARENA_ARRAY(mem, struct input_redaction, all);
	for (size_t i = 0; i < all; i++)
		if (seen->counts[i])
			out[count++] = (struct input_redaction){
				.kind = rules[i].is_policy ? REDACTION_POLICY : REDACTION_SECRET,
				.rule = arena_keep(mem, rules[i].name),
				.count = seen->counts[i],
			};
	*ret_count = count;
	return out;
}

enum process_exit tool_words_exit(int tool_exit)
{
	static const enum process_exit exits[] = {
		[TOOL_EXIT_NONE] = EXIT_NONE,          [TOOL_EXIT_CODE] = EXIT_BY_CODE,
		[TOOL_EXIT_SIGNAL] = EXIT_BY_SIGNAL,   [TOOL_EXIT_STOPPED] = EXIT_BY_STOP,
		[TOOL_EXIT_TIMEOUT] = EXIT_BY_TIMEOUT, [TOOL_EXIT_SILENT] = EXIT_BY_SILENCE,
		[TOOL_EXIT_LIMIT] = EXIT_BY_LIMIT,     [TOOL_EXIT_SPAWN] = EXIT_NEVER_BEGAN,
		[TOOL_EXIT_LOST] = EXIT_UNSEEN,
	};

	return exits[tool_exit];
}
