/*
 * The list of a snapshot on disk: a head, then per entry a fixed part and its
 * path.  A file that is damaged, or of another version, counts as missing; the
 * next snapshot then reads everything again.
 */
#include "filetool/snapshot/snapshot.h"

#include "base/gen/limits.h"
#include "base/os/sys.h"

#include <errno.h>
#include <stdio.h>

#define INDEX_BYTES_MAX (256u << 20)
static const char index_magic[16] = "thole-snapshot1";

struct index_head {
	char magic[16];
	uint64_t count, pack, pack_bytes, taken_ns, is_cut;
};

struct index_part {
	struct snapshot_stamp stamp;
	uint64_t offset;
	uint64_t path_len;
};

void snapshot_index_add(struct snapshot *s, const struct snapshot_entry *e)
{
	if (s->count == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 1024;

		s->all =
			arena_grow(s->mem, s->all, s->count * sizeof *s->all, cap * sizeof *s->all);
		s->cap = cap;
	}
	s->all[s->count] = *e;
	s->all[s->count++].path = arena_keep(s->mem, e->path);
}

/* ---- reading ---- */

static bool read_part(struct snapshot *s, struct str *rest)
{
	struct index_part part;
	struct snapshot_entry *e = &s->all[s->count];

	if (rest->len < sizeof part)
		return false;
	memcpy(&part, rest->ptr, sizeof part);
	*rest = str_skip(*rest, sizeof part);
	if (part.path_len > rest->len || !part.path_len)
		return false;
	*e = (struct snapshot_entry){ .path = str_head(*rest, (size_t)part.path_len),
		                      .stamp = part.stamp,
		                      .offset = part.offset };
	*rest = str_skip(*rest, (size_t)part.path_len);
	s->count++;
	return true;
}

static bool read_parts(struct snapshot *s, struct str text)
{
	struct index_head head;

	if (text.len < sizeof head)
		return false;
	memcpy(&head, text.ptr, sizeof head);
	text = str_skip(text, sizeof head);
	if (memcmp(head.magic, index_magic, sizeof head.magic) != 0 ||
	    head.count > LIMIT_UNDO_ENTRIES)
		return false;
	s->pack = head.pack;
	s->pack_bytes = head.pack_bytes;
	s->taken_ns = head.taken_ns;
	s->is_cut = head.is_cut;
	s->cap = (size_t)head.count + 1;
	s->all = ARENA_ARRAY(s->mem, struct snapshot_entry, s->cap);
	while (s->count < head.count)
		if (!read_part(s, &text))
			return false;
	return text.len == 0;
}

bool snapshot_index_read(int dir, const char *name, struct snapshot *s)
{
	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct file_call c = { .mem = s->mem };
	struct str text;

	if (fd < 0 || !file_path_read_all(&c, fd, INDEX_BYTES_MAX, &text) || !read_parts(s, text))
		return false;
	/* The entries do not move any more. */
	for (size_t i = 0; i < s->count; i++)
		map_put(&s->by_path, s->all[i].path, &s->all[i]);
	return true;
}

/* ---- writing ---- */

static void add_parts(struct buf *out, const struct snapshot *s)
{
	struct index_head head = { .count = s->count,
		                   .pack = s->pack,
		                   .pack_bytes = s->pack_bytes,
		                   .taken_ns = s->taken_ns,
		                   .is_cut = s->is_cut };

	memcpy(head.magic, index_magic, sizeof head.magic);
	buf_add(out, &head, sizeof head);
	for (size_t i = 0; i < s->count; i++) {
		struct index_part part = { .stamp = s->all[i].stamp,
			                   .offset = s->all[i].offset,
			                   .path_len = s->all[i].path.len };

		buf_add(out, &part, sizeof part);
		buf_add_str(out, s->all[i].path);
	}
}

bool snapshot_index_write(int dir, const char *name, const struct snapshot *s)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	char temp[64];

	snprintf(temp, sizeof temp, "%s.new", name);
	(void)unlinkat(dir, temp, 0);

	FD_SCOPE fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	add_parts(&out, s);
	for (struct str rest = buf_str(&out); rest.len;) {
		ssize_t n = write(fd, rest.ptr, rest.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		rest = str_skip(rest, (size_t)n);
	}
	return fdatasync(fd) == 0 && renameat(dir, temp, dir, name) == 0;
}

void snapshot_index_done(struct snapshot *s)
{
	map_done(&s->by_path);
}
