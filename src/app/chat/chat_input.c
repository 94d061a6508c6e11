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
#define INPUT_MAX ((1u << 20) - (8u << 10)) /* a command holds 1 MiB, with its other members */

struct named {
	const char *files[FILES_MAX];
	size_t file_count;
};

/* Text that a command can hold; anything else is a matter for tools. */
static bool is_small_text(struct chat *ch, const char *path)
{
	struct str text = paths_read_file(ch->mem, path, FILE_MAX);

	return text.len && !memchr(text.ptr, 0, text.len);
}

static bool is_file_here(struct chat *ch, struct str path)
{
	const char *full = arena_printf(ch->mem, "%s/%.*s", ch->cwd, STR_ARG(path)).ptr;
	struct stat st;

	return stat(full, &st) == 0 && S_ISREG(st.st_mode) && is_small_text(ch, full);
}

/* A file of the other machine is known by its list; the daemon there reads it with the turn. */
static void name_file(struct chat *ch, struct named *n, struct str word)
{
	struct str path = str_skip(word, 1);

	if (!str_starts(word, STR("@")) || !path.len || path.ptr[0] == '/' ||
	    n->file_count == FILES_MAX)
		return;
	if (ch->c->is_remote ? chat_there_has(ch, path) : is_file_here(ch, path))
		n->files[n->file_count++] = arena_keep(ch->mem, path).ptr;
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

static void write_files(struct chat *ch, struct json_writer *w, const struct named *n)
{
	for (size_t i = 0; i < n->file_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("file"));
		JW_KSTR(w, "path", str_from(n->files[i]));
		jw_obj_end(w);
	}
	if (!ch->outputs.len)
		return;
	jw_obj(w);
	JW_KSTR(w, "type", STR("file"));
	JW_KSTR(w, "name", STR("command-output.txt"));
	JW_KSTR(w, "text", buf_str(&ch->outputs));
	jw_obj_end(w);
}

bool chat_input_write(struct chat *ch, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct named n = { 0 };
	struct json_writer w;

	if (!chat_images_fit(ch, text))
		return false;
	find_named(ch, &n, text);
	jw_init(&w, &out);
	jw_arr(&w);
	write_text_part(&w, text);
	if (!chat_images_write(ch, text, &w))
		return false;
	write_files(ch, &w, &n);
	jw_arr_end(&w);
	if (out.len > INPUT_MAX) {
		chat_view_note(
			&ch->view, TONE_BAD,
			"  Not sent: the message is too large, %zu KB, and about 1000 KB fit. Put "
			"the text into a file and name that.",
			out.len / 1024);
		return false;
	}
	buf_clear(&ch->outputs);
	*ret = arena_keep(ch->mem, buf_str(&out));
	return true;
}
