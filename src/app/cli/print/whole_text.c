/* Shows text that a person decides about with its line breaks and hidden characters. */
#include "app/cli/print/whole_text.h"

#include "base/os/reveal.h"

#define MARK "  | "
#define BREAK " ⏎ "

/* A break at the very end hides nothing. */
static struct str shown(struct arena *mem, struct str text)
{
	if (!str_is(text) || !text.len)
		return STR("-");
	if (str_ends(text, STR("\n")))
		text.len--;
	return reveal(mem, text, true);
}

void whole_text_note(const struct cli *c, enum tone tone, const char *head, struct str text)
{
	struct str rest = shown(c->mem, text);

	if (str_find_char(rest, '\n') < 0) {
		out_note(c, tone, "%s: %.*s", head, STR_ARG(rest));
		return;
	}
	out_note(c, tone, "%s, in several lines:", head);
	while (str_is(rest)) {
		struct str line = str_cut(&rest, '\n');

		out_note(c, tone, MARK "%.*s", STR_ARG(line));
	}
}

const char *whole_text_line(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str rest = shown(mem, text);

	while (str_is(rest)) {
		struct str line = str_cut(&rest, '\n');

		buf_add_str(&out, line);
		if (str_is(rest))
			buf_add_c(&out, BREAK);
	}
	return arena_keep(mem, buf_str(&out)).ptr;
}
