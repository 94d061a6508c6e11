/* Reads the steps of a scenario: one per line, `<<END` takes lines up to END, indented lines continue. */
#include "app/cli/conform/scenario.h"

#define CONTINUED STR("        ")

static struct str read_body(struct str *rest, int *line)
{
	const char *from = rest->ptr;
	size_t len = 0;

	while (str_is(*rest)) {
		struct str each = str_cut(rest, '\n');

		++*line;
		if (str_eq(each, STR("END")))
			break;
		len = (size_t)(each.ptr + each.len - from);
	}
	return str_of(from, len);
}

static struct str read_continued(struct arena *mem, struct str text, struct str *rest, int *line)
{
	while (str_is(*rest) && str_starts(*rest, CONTINUED)) {
		struct str each = str_trim(str_cut(rest, '\n'));

		++*line;
		text = arena_printf(mem, "%.*s %.*s", STR_ARG(text), STR_ARG(each));
	}
	return text;
}

static size_t count_lines(struct str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	return n;
}

struct scenario_step *scenario_read(struct arena *mem, struct str text)
{
	struct scenario_step *steps = ARENA_ARRAY(mem, struct scenario_step, count_lines(text) + 1);
	struct str rest = text;
	size_t n = 0;
	int line = 0;

	while (str_is(rest)) {
		struct str each = str_cut(&rest, '\n'), words = each;
		struct scenario_step *step = &steps[n];

		line++;
		if (!str_trim(each).len || each.ptr[0] == '#')
			continue;
		step->line = line;
		step->verb = str_cut(&words, ' ');
		step->rest = str_is(words) ? str_trim(words) : STR("");
		if (str_eq(step->rest, STR("<<END")))
			step->rest = read_body(&rest, &line);
		step->rest = read_continued(mem, step->rest, &rest, &line);
		n++;
	}
	return steps;
}
