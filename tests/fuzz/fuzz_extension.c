/*
 * Any bytes as the Markdown file of a skill, command or agent: its head, its
 * imports and its arguments.  What is found lies inside the text, and a text
 * without placeholders keeps its bytes.
 */
#include "text/command_text.h"
#include "text/front_matter.h"
#include "text/markdown_imports.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static bool is_inside(struct str part, struct str all)
{
	return !part.len || (part.ptr >= all.ptr && part.ptr + part.len <= all.ptr + all.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = { "name", "description", "tools", "model",
		                            "argument-hint" };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = str_of((const char *)data, size), path, item;
	struct markdown_imports imports;
	struct front_matter m;

	front_matter_split(text, &m);
	MUST(is_inside(m.head, text) && is_inside(m.body, text));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str value = front_matter_get(mem, &m, keys[i]);

		MUST(value.len <= 2 * size);
		while (str_is(value) && front_matter_next_item(&value, &item))
			MUST(item.len <= size);
	}
	markdown_imports_begin(&imports, m.body);
	while (markdown_imports_next(&imports, &path))
		MUST(path.len && is_inside(path, m.body));
	if (m.body.len && str_find_char(m.body, '$') < 0)
		MUST(str_eq(command_text_expand(mem, m.body, STR("")), str_trim(m.body)));
	command_text_expand(mem, m.body, m.head);
	return 0;
}
