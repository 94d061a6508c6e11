/*
 * Notes about temporary files: for each directory its mode as an octal number, a space, its path and
 * a NUL.
 */
#include "supervisor/files/staged_note.h"

#include "base/buf.h"
#include "base/memory.h"
#include "base/os/sys.h"
#include "sandbox/sandbox_plan.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#define NOTE_MAX 65536

static int notes = -1;

/* Of a note that ends in the middle the rest is not read: nothing was done after it. */
static void read_note(int fd, const char *name, staged_note_fn *left)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	char *room = buf_reserve(&text, NOTE_MAX);
	ssize_t len = room ? pread(fd, room, NOTE_MAX, 0) : -1;

	for (ssize_t at = 0; at < len;) {
		const char *end = memchr(room + at, 0, (size_t)(len - at));
		char *path = NULL;
		unsigned long mode;

		if (!end)
			return;
		mode = strtoul(room + at, &path, 8);
		if (path[0] == ' ' && path[1] == '/' && mode <= 07777)
			left(str_from(path + 1), name, (mode_t)mode);
		at = end - room + 1;
	}
}

static void take(const char *name, staged_note_fn *left)
{
	FD_SCOPE fd = openat(notes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	read_note(fd, name, left);
	unlinkat(notes, name, 0);
}

void staged_note_open(const char *dir, staged_note_fn *left)
{
	struct dirent *d;
	DIR *list;

	mkdir(dir, 0700);
	notes = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	list = notes < 0 ? NULL : fdopendir(fcntl(notes, F_DUPFD_CLOEXEC, 3));
	while (list && (d = readdir(list)))
		if (str_starts(str_from(d->d_name), STR(SANDBOX_PLAN_TEMP_BEGIN)) &&
		    str_ends(str_from(d->d_name), STR(SANDBOX_PLAN_TEMP_END)))
			take(d->d_name, left);
	if (list)
		closedir(list);
}

/* One write() each: a note is never read while it is half of a line and its supervisor lives. */
void staged_note_add(int *fd, const char *name, struct str dir, mode_t mode)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (notes < 0)
		return;
	if (*fd < 0) {
		*fd = openat(notes, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (*fd < 0)
			return;
		(void)!flock(*fd, LOCK_EX | LOCK_NB);
	}
	buf_printf(&text, "%o %.*s", (unsigned)mode, STR_ARG(dir));
	buf_add_char(&text, '\0');
	(void)!write(*fd, text.ptr, text.len);
}

void staged_note_done(int *fd, const char *name)
{
	if (*fd >= 0)
		unlinkat(notes, name, 0);
	sys_close(fd);
}
