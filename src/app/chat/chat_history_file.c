/*
 * The history over sessions: one JSON string per line in the data directory,
 * readable by its owner alone.  A text that begins with a blank is not kept.
 */
#include "app/chat/chat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_BYTES (4u << 20)

static const char *file_path(struct chat *ch)
{
	return paths_in_data(ch->c, "chat_history.jsonl");
}

void chat_history_file_read(struct chat *ch)
{
	struct str rest = paths_read_file(ch->mem, file_path(ch), HISTORY_BYTES);

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct json v;

		if (json_read(ch->mem, line, &v, NULL) == OK && json_type(v) == JSON_STR)
			chat_history_add(&ch->edit, json_str(v));
	}
	arena_reset(ch->mem);
}

/* Replaced by the entries in memory when the file has grown too large. */
static void shorten(struct chat *ch)
{
	const char *part = arena_printf(ch->c->mem, "%s.new", file_path(ch)).ptr;
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t from = ch->edit.history_count / 2;
	int fd;

	for (size_t i = from; i < ch->edit.history_count; i++) {
		struct json_writer w;

		jw_init(&w, &text);
		jw_str(&w, ch->edit.history[i]);
		buf_add_char(&text, '\n');
	}
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len)
		(void)!rename(part, file_path(ch));
	if (fd >= 0)
		close(fd);
}

void chat_history_file_add(struct chat *ch, struct str text)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct json_writer w;
	struct stat st;
	int fd;

	if (!text.len || text.ptr[0] == ' ')
		return;
	chat_history_add(&ch->edit, text);
	jw_init(&w, &line);
	jw_str(&w, text);
	buf_add_char(&line, '\n');
	fd = open(file_path(ch), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return; /* the history of this run stays in memory */
	(void)!write(fd, line.ptr, line.len);
	if (fstat(fd, &st) == 0 && st.st_size > (off_t)(HISTORY_BYTES / 2))
		shorten(ch);
	close(fd);
}
