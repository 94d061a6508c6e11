/* Opens a pack: a directory with its files, or an archive of them. */
#include "evidence/pack_source.h"

#include "base/gen/limits.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 3

struct pack_source {
	struct arena *mem;
	int fd;                         /* the archive or the directory */
	struct archive_reader *archive; /* NULL: a directory */
	struct str *paths;
	size_t count, cap, at;
	int file; /* that is being read; -1: none */
	bool (*is_wanted)(struct str path);
	uint64_t total;
};

void pack_source_close(struct pack_source *s)
{
	if (!s)
		return;
	archive_read_free(s->archive);
	if (s->file >= 0)
		close(s->file);
	if (s->fd >= 0)
		close(s->fd);
	arena_free(s->mem);
	memory_free(s);
}

/* ---- a directory ---- */

static enum err add_path(struct pack_source *s, struct str path, struct error *e)
{
	if (s->count == LIMIT_EVIDENCE_PACK_FILES)
		return fail(e, ERR_TOO_LARGE, "more than %d files", LIMIT_EVIDENCE_PACK_FILES);
	if (!archive_read_path_is_safe(path))
		return fail(e, ERR_INVALID, "a file has a name that a pack may not have");
	if (s->count == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;

		s->paths = arena_grow(s->mem, s->paths, s->count * sizeof *s->paths,
		                      cap * sizeof *s->paths);
		s->cap = cap;
	}
	s->paths[s->count++] = path;
	return OK;
}

static enum err list_dir(struct pack_source *s, int parent, const char *name, struct str prefix,
                         int depth, struct error *e);

/* Most file systems say with the name what it is; a file is looked at again when it is opened. */
static enum err list_entry(struct pack_source *s, int dir, const struct dirent *entry,
                           struct str prefix, int depth, struct error *e)
{
	const char *name = entry->d_name;
	struct str path = arena_printf(s->mem, "%.*s%s", STR_ARG(prefix), name);
	struct stat st = { .st_mode = DTTOIF(entry->d_type) };

	if (!S_ISREG(st.st_mode) && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return fail(e, ERR_IO, "%s: %s", path.ptr, strerror(errno));
	if (S_ISREG(st.st_mode))
		return add_path(s, path, e);
	if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
		return fail(e, ERR_INVALID, "%s: neither a plain file nor a folder of a pack",
		            archive_read_path_is_safe(path) ? path.ptr : "an entry");
	return list_dir(s, dir, name, arena_printf(s->mem, "%.*s/", STR_ARG(path)), depth + 1, e);
}

static enum err list_dir(struct pack_source *s, int parent, const char *name, struct str prefix,
                         int depth, struct error *e)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	enum err code = OK;
	struct dirent *entry;

	if (!dir) {
		code = fail(e, ERR_IO, "%s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return code;
	}
	while (code == OK && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			code = list_entry(s, fd, entry, prefix, depth, e);
	closedir(dir);
	return code;
}

int pack_source_rank(struct str path)
{
	static const char *const first[] = { "manifest.json",   "manifest.dsse.json",
		                             "checkpoint.json", "manifest.tsr",
		                             "pack.json",       "replay.json",
		                             "floor.json",      "chain.jsonl",
		                             "events.jsonl" };

	/* Texts and outputs are most of the files, and lie in folders. */
	if (str_find_char(path, '/') >= 0)
		return -1;
	for (int i = 0; i < (int)COUNT_OF(first); i++)
		if (str_eq(path, str_from(first[i])))
			return i;
	return -1;
}

static int by_rank(const void *a, const void *b)
{
	const struct str *one = a, *two = b;
	unsigned x = (unsigned)pack_source_rank(*one), y = (unsigned)pack_source_rank(*two);

	return x != y ? (x < y ? -1 : 1) : str_cmp(*one, *two); /* -1 comes last */
}

/* ---- what is no pack at all ---- */

static bool has_file(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* One of its documents is enough: without the others it is a damaged pack. */
static bool is_pack_dir(int dir)
{
	return has_file(dir, "manifest.json") || has_file(dir, "pack.json") ||
	       has_file(dir, "chain.jsonl") || has_file(dir, "events.jsonl");
}

static bool has_bytes(int fd, off_t at, const char *want, size_t len)
{
	char got[8];

	return at >= 0 && pread(fd, got, len, at) == (ssize_t)len && memcmp(got, want, len) == 0;
}

/* It begins as zstd, or ends as an archive of ours whose beginning is damaged. */
static bool is_pack_file(int fd, off_t size)
{
	return has_bytes(fd, 0, "\x28\xb5\x2f\xfd", 4) ||
	       has_bytes(fd, size - ARCHIVE_TRAILER_BYTES, ARCHIVE_TRAILER, 8);
}

static enum err open_stream(struct pack_source *s, const char *path, const struct stat *st,
                            struct error *e)
{
	if (S_ISDIR(st->st_mode) && is_pack_dir(s->fd))
		return list_dir(s, s->fd, ".", STR(""), 0, e);
	if (S_ISREG(st->st_mode) && is_pack_file(s->fd, st->st_size)) {
		s->archive = archive_read_new(s->fd);
		return OK;
	}
	return fail(e, ERR_NOT_FOUND, "%s is not an evidence pack", path);
}

/* ---- both ---- */

enum err pack_source_open(const char *path, struct pack_source **ret, struct error *e)
{
	struct pack_source *s = memory_alloc(sizeof *s);
	struct stat st;
	enum err code = OK;

	*s = (struct pack_source){ .mem = arena_new(), .file = -1 };
	s->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO must not wait */
	if (s->fd < 0 || fstat(s->fd, &st) != 0)
		code = fail(e, ERR_IO, "%s: %s", path, strerror(errno));
	else
		code = open_stream(s, path, &st, e);
	if (code != OK) {
		pack_source_close(s);
		return code;
	}
	if (s->count)
		qsort(s->paths, s->count, sizeof *s->paths, by_rank);
	*ret = s;
	return OK;
}

void pack_source_only(struct pack_source *s, bool (*is_wanted)(struct str path))
{
	s->is_wanted = is_wanted;
}

static enum err next_file(struct pack_source *s, struct archive_entry *ret, struct error *e)
{
	struct stat st;
	const char *path;

	if (s->file >= 0)
		close(s->file);
	s->file = -1;
	while (s->is_wanted && s->at < s->count && !s->is_wanted(s->paths[s->at]))
		s->at++;
	if (s->at == s->count)
		return ERR_NOT_FOUND;
	path = s->paths[s->at].ptr;
	s->file = openat(s->fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (s->file < 0 || fstat(s->file, &st) != 0)
		return fail(e, ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(e, ERR_INVALID, "%s: not a plain file", path);
	*ret = (struct archive_entry){ s->paths[s->at++], (uint64_t)st.st_size };
	return OK;
}

enum err pack_source_next(struct pack_source *s, struct archive_entry *ret, struct error *e)
{
	return s->archive ? archive_read_next(s->archive, ret, e) : next_file(s, ret, e);
}

enum err pack_source_data(struct pack_source *s, char *to, size_t max, size_t *ret_len,
                          struct error *e)
{
	ssize_t got;

	if (s->archive)
		return archive_read_data(s->archive, to, max, ret_len, e);
	do
		got = read(s->file, to, max);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return fail(e, ERR_IO, "%s: %s", s->paths[s->at - 1].ptr, strerror(errno));
	s->total += (uint64_t)got;
	if (s->total > LIMIT_EVIDENCE_PACK_BYTES)
		return fail(e, ERR_TOO_LARGE, "the pack holds more than %llu bytes",
		            (unsigned long long)LIMIT_EVIDENCE_PACK_BYTES);
	*ret_len = (size_t)got;
	return OK;
}
