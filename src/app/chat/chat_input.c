/*
 * A message as the input of a turn: its text, files that it names with "@",
 * images that it names by path, and the output of commands that the user ran.
 */
#include "app/chat/chat.h"

#include "base/path/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
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

/* From the directory of the chat on; absent: it lies elsewhere. */
static struct str path_from_here(struct chat *ch, struct str path)
{
	struct str here = str_from(ch->cwd);

	if (!path.len || path.ptr[0] != '/')
		return path.len ? path : STR_NONE;
	return path.len > here.len + 1 && path_is_under(path, here) ? str_skip(path, here.len + 1)
	                                                            : STR_NONE;
}

static void add_file(struct chat *ch, struct named *n, struct str path)
{
	for (size_t i = 0; i < n->file_count; i++)
		if (str_eq(str_from(n->files[i]), path))
			return;
	if (n->file_count < FILES_MAX)
		n->files[n->file_count++] = arena_keep(ch->mem, path).ptr;
	else
		chat_view_note(&ch->view, TONE_DIM, "  %.*s is not sent: %d files are",
		               STR_ARG(path), FILES_MAX);
}

/* False: there is no such file.  One that is not sent is named with the reason. */
static bool take_file_here(struct chat *ch, struct named *n, struct str path)
{
	const char *full = arena_printf(ch->mem, "%s/%.*s", ch->cwd, STR_ARG(path)).ptr;
	struct stat st;

	if (stat(full, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (st.st_size > (off_t)FILE_MAX)
		chat_view_note(&ch->view, TONE_DIM,
		               "  %.*s is not sent: it is larger than %u KiB; tools can read it",
		               STR_ARG(path), FILE_MAX >> 10);
	else if (st.st_size && !is_small_text(ch, full))
		chat_view_note(&ch->view, TONE_DIM,
		               "  %.*s is not sent: it is no text; tools can read it",
		               STR_ARG(path));
	else if (st.st_size)
		add_file(ch, n, path);
	return true;
}

/* A file of the other machine is known by its list; the daemon there reads it with the turn. */
static bool take_file(struct chat *ch, struct named *n, struct str path)
{
	path = path_from_here(ch, path);
	if (!str_is(path))
		return false;
	if (!ch->c->is_remote)
		return take_file_here(ch, n, path);
	if (!chat_there_has(ch, path))
		return false;
	add_file(ch, n, path);
	return true;
}

/* "\\ " is a blank of the name. */
static size_t word_end(struct str text)
{
	size_t at = 0;

	while (at < text.len && !isspace((unsigned char)text.ptr[at]))
		at += at + 1 < text.len && text.ptr[at] == '\\' ? 2 : 1;
	return MIN(at, text.len);
}

static struct str without_backslashes(struct chat *ch, struct str word)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '\\' && i + 1 < word.len)
			i++;
		buf_add_char(&out, word.ptr[i]);
	}
	return arena_keep(ch->mem, buf_str(&out));
}

/*
 * The name behind "@": in quotes, or up to a blank.  Marks behind it belong to the sentence if there
 * is no file of the whole name.
 */
static void name_file(struct chat *ch, struct named *n, struct str text)
{
	struct str word;

	if (str_starts(text, STR("\""))) {
		ptrdiff_t end = str_find_char(str_skip(text, 1), '"');

		if (end > 0)
			take_file(ch, n, str_head(str_skip(text, 1), (size_t)end));
		return;
	}
	word = without_backslashes(ch, str_head(text, word_end(text)));
	while (word.len && !take_file(ch, n, word)) {
		if (!strchr(".,;:!?)]}>\"'`", word.ptr[word.len - 1]))
			return;
		word.len--;
	}
}

/* At the beginning, behind a blank, or behind a mark that opens something: no e-mail address. */
static void find_named(struct chat *ch, struct named *n, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '@' && (!i || isspace((unsigned char)text.ptr[i - 1]) ||
		                           strchr("([{<\"'`", text.ptr[i - 1])))
			name_file(ch, n, str_skip(text, i + 1));
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
