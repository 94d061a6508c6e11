/*
 * A message as the input of a turn: its text, files that it names with "@",
 * images that it names by path, and the output of commands that the user ran.
 */
#include "app/chat/chat.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILE_MAX (256u << 10) /* a larger file is left to the model's tools */
#define FILES_MAX 16

struct named {
	const char *files[FILES_MAX];
	size_t file_count;
	struct words images;
};

static bool is_image(struct str path)
{
	static const char *const ends[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp" };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_ends(path, str_from(ends[i])))
			return true;
	return false;
}

/* Text that a command can hold; anything else is a matter for tools. */
static bool is_small_text(struct chat *ch, const char *path)
{
	struct str text = paths_read_file(ch->mem, path, FILE_MAX);

	return text.len && !memchr(text.ptr, 0, text.len);
}

static void name_file(struct chat *ch, struct named *n, struct str word)
{
	bool is_marked = str_starts(word, STR("@"));
	struct str path = is_marked ? str_skip(word, 1) : word;
	bool is_whole = str_starts(path, STR("/"));
	const char *full = arena_printf(ch->c->mem, "%s%s%.*s", is_whole ? "" : ch->cwd,
	                                is_whole ? "" : "/", STR_ARG(path))
	                           .ptr;
	struct stat st;

	if (!path.len || (!is_marked && !is_image(path)) || stat(full, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return;
	if (is_image(path) && n->images.count < WORDS_MAX)
		n->images.items[n->images.count++] = full;
	else if (is_marked && !is_whole && n->file_count < FILES_MAX && is_small_text(ch, full))
		n->files[n->file_count++] = arena_keep(ch->c->mem, path).ptr;
}

static void find_named(struct chat *ch, struct named *n, struct str text)
{
	while (text.len) {
		size_t len = 0;

		while (len < text.len && !isspace((unsigned char)text.ptr[len]))
			len++;
		name_file(ch, n, str_head(text, len));
		text = str_skip(text, len + 1 > text.len ? text.len : len + 1);
	}
}

static void write_text_part(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "text", text);
	jw_obj_end(w);
}

/* The parts so far, a string or an array, with files and outputs behind them. */
static struct str add_parts(struct chat *ch, struct str input, const struct named *n)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json parts, v;
	struct json_iter it;
	struct str key;

	if (json_read_trusted(ch->mem, input, &parts, NULL) != OK)
		return input;
	jw_init(&w, &out);
	jw_arr(&w);
	if (json_type(parts) == JSON_STR)
		write_text_part(&w, json_str(parts));
	it = json_iter(parts);
	while (json_type(parts) == JSON_ARR && json_next(&it, &key, &v))
		jw_value(&w, v);
	for (size_t i = 0; i < n->file_count; i++) {
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("file"));
		JW_KSTR(&w, "path", str_from(n->files[i]));
		jw_obj_end(&w);
	}
	if (ch->outputs.len) {
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("file"));
		JW_KSTR(&w, "name", STR("command-output.txt"));
		JW_KSTR(&w, "text", buf_str(&ch->outputs));
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	return arena_keep(ch->c->mem, buf_str(&out));
}

bool chat_input_write(struct chat *ch, struct str text, struct str *ret)
{
	struct words own = ch->c->opts.images;
	struct named n = { 0 };
	int code;

	find_named(ch, &n, text);
	ch->c->opts.images = n.images;
	/* Why an image cannot be sent is printed. */
	if (n.images.count)
		chat_screen_pause(&ch->screen);
	code = image_read_input(ch->c, text, ret);
	if (n.images.count && !chat_screen_resume(&ch->screen))
		chat_leave(ch, CODE_FAILED);
	ch->c->opts.images = own;
	if (code)
		return false;
	if (n.file_count || ch->outputs.len)
		*ret = add_parts(ch, *ret, &n);
	buf_clear(&ch->outputs);
	return true;
}
