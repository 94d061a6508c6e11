/* /export: writes the session to a new file.  A log may be long, so it is never shown. */
#include "app/chat/chat.h"
#include "app/chat/commands/chat_verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define NAMES_MAX 1000 /* files of one session in a directory */

/* A relative name is one of this machine: that of another one is not written here. */
static const char *full_path(struct chat *ch, struct str path)
{
	const char *home = getenv("HOME");

	if (str_starts(path, STR("~/")) && home)
		return arena_printf(ch->c->mem, "%s/%.*s", home, STR_ARG(str_skip(path, 2))).ptr;
	if (str_starts(path, STR("/")) || ch->c->is_remote)
		return arena_keep(ch->c->mem, path).ptr;
	return arena_printf(ch->c->mem, "%s/%.*s", ch->cwd, STR_ARG(path)).ptr;
}

/* A file that exists stays as it is; only the owner may read the new one. */
static int create(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
}

/* The session's id, and a number if there is such a file. */
static int create_unnamed(struct chat *ch, const char **ret_path)
{
	int file = -1;

	for (int n = 1; file < 0 && n <= NAMES_MAX; n++) {
		const char *number = n > 1 ? arena_printf(ch->mem, "-%d", n).ptr : "";

		*ret_path = full_path(
			ch, arena_printf(ch->mem, "%s%s.jsonl", ch->view.session, number));
		file = create(*ret_path);
		if (file < 0 && errno != EEXIST)
			break;
	}
	return file;
}

static size_t count_lines(int file)
{
	char bytes[65536];
	size_t count = 0;
	ssize_t len;

	lseek(file, 0, SEEK_SET);
	while ((len = read(file, bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < len; i++)
			count += bytes[i] == '\n';
	return count;
}

static void tell(struct chat *ch, const char *path, int file, bool is_page)
{
	size_t count = count_lines(file);
	const char *name = out_safe(ch->mem, str_from(path));

	if (is_page)
		chat_view_note(&ch->view, TONE_PLAIN, "  the session as a page: %s", name);
	else
		chat_view_note(&ch->view, TONE_PLAIN, "  %zu event%s written to %s", count,
		               count == 1 ? "" : "s", name);
}

void chat_export_run(struct chat *ch, struct str args)
{
	bool is_page = str_ends(args, STR(".html"));
	const char *path = args.len ? full_path(ch, args) : NULL;
	int file = path ? create(path) : create_unnamed(ch, &path);

	if (file < 0) {
		chat_view_note(&ch->view, TONE_BAD, "  %s cannot be written: %s",
		               out_safe(ch->mem, str_from(path)),
		               errno == EEXIST ? "it exists" : strerror(errno));
		return;
	}
	if (chat_verb_run_to(ch, is_page ? "export html @" : "export session @", STR_NONE, file) ==
	    CODE_DONE)
		tell(ch, path, file, is_page);
	else
		unlink(path);
	close(file);
}
