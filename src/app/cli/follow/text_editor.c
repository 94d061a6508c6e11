/*
 * The user's own editor, on a file in a directory that only the user reads.  The
 * editor has the terminal until it ends.
 */
#include "app/cli/follow/text_editor.h"

#include "app/child.h"
#include "base/os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX (1u << 20)

const char *text_editor_name(void)
{
	const char *name = getenv("VISUAL");

	if (!name || !*name)
		name = getenv("EDITOR");
	return name && *name ? name : NULL;
}

/* In the foreground, through the shell, because $EDITOR may be "code --wait". */
static bool run_editor(struct cli *c, const char *editor, const char *path)
{
	char *command = (char *)arena_printf(c->mem, "%s \"$1\"", editor).ptr;
	char *argv[] = { (char *)"sh", (char *)"-c", command, (char *)"sh", (char *)path, NULL };
	pid_t pid;
	int status = -1, code = child_start("/bin/sh", argv, NULL, &pid);

	while (!code && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !code && status == 0;
}

/* A file of its own that holds the text; false: that failed. */
static bool write_input(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && sys_write_all(fd, text.ptr, text.len);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* What editors leave beside the file, such as backups, goes with the directory. */
struct str text_editor_edit(struct cli *c, const char *editor, struct str text, const char *suffix)
{
	const char *tmp = getenv("TMPDIR"), *path;
	char *dir =
		(char *)arena_printf(c->mem, "%s/thole-input-XXXXXX", tmp && *tmp ? tmp : "/tmp")
			.ptr;
	struct str edited = STR_NONE;

	if (!mkdtemp(dir))
		return edited;
	path = arena_printf(c->mem, "%s/message%s", dir, suffix).ptr;
	if (write_input(path, text) && run_editor(c, editor, path))
		edited = paths_read_file(c->mem, path, TEXT_MAX);
	paths_remove_dir(dir);
	return edited;
}

bool text_editor_open(struct cli *c, const char *editor, const char *path, const char **ret_why)
{
	int fd =
		paths_make_parents(c, path) ? -1 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0) {
		*ret_why = arena_keep(c->mem, str_from(strerror(errno))).ptr;
		return false;
	}
	close(fd);
	*ret_why = "the editor failed";
	return run_editor(c, editor, path);
}
