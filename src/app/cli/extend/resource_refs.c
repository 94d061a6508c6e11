/* Finds @SERVER:URI in a message. */
#include "app/cli/extend/resource_refs.h"

#include "base/jw.h"

#include <ctype.h>

#define REFS_MAX 16
#define REF_MAX 1000

/* The length of letters, digits, "_" and "-" at the beginning. */
static size_t name_len(struct str s, const char *more)
{
	size_t len = 0;

	while (len < s.len && (isalnum((unsigned char)s.ptr[len]) || strchr(more, s.ptr[len])))
		len++;
	return len;
}

/* @server:scheme:rest; a name with one colon is an ordinary word. */
static bool is_ref(struct str word)
{
	struct str rest;
	size_t len;

	if (!str_starts(word, STR("@")) || word.len > REF_MAX)
		return false;
	rest = str_skip(word, 1);
	len = name_len(rest, "_-");
	if (!len || len >= rest.len || rest.ptr[len] != ':')
		return false;
	rest = str_skip(rest, len + 1);
	len = name_len(rest, "+-.");
	return len && len + 1 < rest.len && rest.ptr[len] == ':';
}

struct str resource_refs_read(struct arena *mem, struct str message)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	size_t count = 0;

	jw_init(&w, &out);
	jw_arr(&w);
	while (message.len && count < REFS_MAX) {
		size_t len = 0;
		struct str word;

		while (len < message.len && !isspace((unsigned char)message.ptr[len]))
			len++;
		word = str_head(message, len);
		message = str_skip(message, MIN(len + 1, message.len));
		if (!is_ref(word))
			continue;
		count++;
		jw_obj(&w);
		JW_KSTR(&w, "kind", STR("file"));
		JW_KSTR(&w, "ref", arena_printf(mem, "mcp:%.*s", STR_ARG(str_skip(word, 1))));
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	return count ? arena_keep(mem, buf_str(&out)) : STR_NONE;
}
