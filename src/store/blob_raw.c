/*
 * Files that background processes write, and the outputs made from them.  After
 * a crash an output is made again from its raw file: the same bytes are written
 * to the same place.
 */
#include "store/blob_raw.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool put_at(int fd, struct str data, uint64_t offset)
{
	while (data.len) {
		ssize_t len = pwrite(fd, data.ptr, data.len, (off_t)offset);

		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return false;
		data = str_skip(data, (size_t)len);
		offset += (uint64_t)len;
	}
	return true;
}

/*
 * Writes `data` at `offset` of the output below open/.  An offset beyond the end would
 * leave a hole and is ignored.  Failures are ignored too: the raw file remains, and the
 * next attempt writes the same bytes.
 */
void blob_raw_extend(int root, const char *path, uint64_t offset, struct str data, bool is_last)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return;
	/*
	 * A second link means that the file is sealed content, which must not change.
	 * A file that cannot be cut is deleted: its old end may hold text that is redacted meanwhile.
	 */
	if (fstat(fd, &st) == 0 && st.st_nlink == 1 && (uint64_t)st.st_size >= offset &&
	    put_at(fd, data, offset) && is_last && (uint64_t)st.st_size > offset + data.len &&
	    ftruncate(fd, (off_t)(offset + data.len)) != 0)
		unlinkat(root, path, 0);
	close(fd);
}

void blob_raw_drop(int root, struct str name)
{
	char path[sizeof BLOB_RAW_DIR + NAME_MAX + 1];

	snprintf(path, sizeof path, BLOB_RAW_DIR "/%.*s", STR_ARG(name));
	unlinkat(root, path, 0);
}

static bool is_kept(struct str names, struct str name)
{
	while (names.len)
		if (str_eq(str_cut(&names, '\n'), name))
			return true;
	return false;
}

/* unlinkat() refuses "." and "..", so the loop needs no check for them. */
void blob_raw_sweep(int root, struct str names)
{
	int fd = openat(root, BLOB_RAW_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (!is_kept(names, str_from(e->d_name)))
			unlinkat(fd, e->d_name, 0);
	closedir(d);
}
