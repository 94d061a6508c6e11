/*
 * What a rule or a grant matches, as one line of text: the list of rules, the list of grants and
 * questions for approval print the same words.
 */
#include "app/cli/print/match_text.h"

#include "app/cli/print/out.h"
#include "base/util.h"

const char *match_text(struct arena *mem, struct json match)
{
	static const struct {
		const char *key, *word;
	} keys[] = { { "tool", "tool" },         { "command", "command" }, { "path", "path" },
		     { "pathReal", "leads to" }, { "access", "access" },   { "host", "host" },
		     { "mcp", "mcp" },           { "cwd", "cwd" },         { "script", "script" } };
	struct str out = STR("");

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct json v = json_get(match, str_from(keys[i].key));
		struct str text = str_is(json_str(v)) ? json_str(v) : json_text(mem, v);

		if (json_is(v))
			out = arena_printf(mem, "%.*s%s%s %.*s", STR_ARG(out), out.len ? ", " : "",
			                   keys[i].word, STR_ARG(text));
	}
	return out_safe(mem, out);
}
