/* Unpacks an archive into a new directory; nothing outside of it is written. */
#include "evidence/pack_verify.h"

#include "evidence/pack_source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path, made if it is missing; the caller closes it. */
static int folder_of(int dir, struct str *path)
{
	int at = dup(dir);
	ptrdiff_t slash;

	while (at >= 0 && (slash = str_find_char(*path, '/')) >= 0) {
		char name[ARCHIVE_PATH_MAX + 1] = { 0 };
		int inner;

		memcpy(name, path->ptr, (size_t)slash);
		if (mkdirat(at, name, 0755) != 0 && errno != EEXIST)
			inner = -1;
		else
			inner = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = inner;
		*path = str_skip(*path, (size_t)slash + 1);
	}
	return at;
}

static bool write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno != EINTR)
			return false;
		data += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

static enum err copy_file(struct pack_source *s, int fd, const char *name, struct error *e)
{
	size_t got = 1;

	while (got) {
		char data[1 << 15];
		enum err code = pack_source_data(s, data, sizeof data, &got, e);

		if (code != OK)
			return code;
		if (!write_all(fd, data, got))
			return fail(e, ERR_IO, "%s: %s", name, strerror(errno));
	}
	return OK;
}

static enum err extract_file(struct pack_source *s, int dir, struct str path, struct error *e)
{
	struct str name = path;
	int folder = folder_of(dir, &name), fd = -1;
	enum err code;

	if (folder >= 0)
		fd = openat(folder, name.ptr, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		            0644);
	code = fd < 0 ? fail(e, ERR_IO, "%s: %s", path.ptr, strerror(errno))
	              : copy_file(s, fd, path.ptr, e);
	if (fd >= 0 && close(fd) != 0 && code == OK)
		code = fail(e, ERR_IO, "%s: %s", path.ptr, strerror(errno));
	if (folder >= 0)
		close(folder);
	return code;
}

enum err pack_extract(const char *archive, const char *dir, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pack_source *s;
	struct archive_entry entry;
	enum err code = pack_source_open(archive, &s, e);
	int fd = -1;

	if (code != OK)
		return code;
	if (mkdir(dir, 0755) != 0 ||
	    (fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		code = fail(e, ERR_IO, "%s: %s", dir, strerror(errno));
	while (code == OK && (code = pack_source_next(s, &entry, e)) == OK)
		code = extract_file(s, fd, arena_keep(mem, entry.path), e);
	if (fd >= 0)
		close(fd);
	pack_source_close(s);
	return code == ERR_NOT_FOUND ? OK : code;
}
