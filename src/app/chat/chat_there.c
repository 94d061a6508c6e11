/*
 * Files of another machine, for "@": `thole files` there lists them into a file
 * in memory, and the next "@" takes what has come.  Nothing waits for it.
 */
#include "app/chat/chat.h"

#include "app/cli/remote/remote.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES_MAX (1u << 20)

void chat_there_ask(struct chat *ch)
{
	const char *const words[] = { "files", "-C", ch->cwd, NULL };
	struct chat_there *t = &ch->there;

	if (!ch->c->is_remote || t->pid)
		return;
	t->file = memfd_create("thole-files", MFD_CLOEXEC);
	if (t->file >= 0 && !remote_start(ch->c, words, t->file, false, &t->pid)) {
		close(t->file);
		t->pid = 0;
	}
}

/* Once the listing has ended, it replaces the one before, unless it failed. */
void chat_there_look(struct chat *ch)
{
	struct chat_there *t = &ch->there;
	int status = -1;

	if (!t->pid || waitpid(t->pid, &status, WNOHANG) == 0)
		return;
	t->pid = 0;
	if (status == 0 && lseek(t->file, 0, SEEK_SET) == 0) {
		struct str text = paths_read_fd(ch->mem, t->file, NAMES_MAX);

		buf_clear(&t->names);
		buf_add_str(&t->names, str_is(text) ? text : STR(""));
	}
	close(t->file);
	chat_complete_update(&ch->complete, &ch->edit);
	ch->is_dirty = true;
}

bool chat_there_has(struct chat *ch, struct str path)
{
	struct str rest;

	chat_there_look(ch);
	rest = buf_str(&ch->there.names);
	while (rest.len)
		if (str_eq(str_cut(&rest, '\n'), path))
			return true;
	return false;
}

bool chat_there_list(void *owner, struct arena *mem, struct str **ret, size_t *ret_count)
{
	struct chat *ch = owner;
	struct str rest, *files;
	size_t count = 0;

	rest = arena_keep(mem, buf_str(&ch->there.names));
	if (!rest.len)
		return false;
	files = ARENA_ARRAY(mem, struct str, CHAT_FILES_MAX);
	while (rest.len && count < CHAT_FILES_MAX) {
		struct str name = str_cut(&rest, '\n');

		if (name.len)
			files[count++] = str_from(out_safe(mem, name));
	}
	*ret = files;
	*ret_count = count;
	return true;
}

void chat_there_done(struct chat *ch)
{
	if (ch->there.pid) {
		kill(ch->there.pid, SIGTERM);
		while (waitpid(ch->there.pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(ch->there.file);
	}
	buf_done(&ch->there.names);
}
