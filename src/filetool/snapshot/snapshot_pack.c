/*
 * Contents of snapshots, one behind the other in one file: thousands of small
 * files cost one file here.  The list has offset and size of each.
 */
#include "filetool/snapshot/snapshot.h"

#include "base/os/sys.h"

#include <errno.h>
#include <stdio.h>

#define FLUSH_BYTES (1u << 20)

static void pack_name(char *out, size_t size, uint64_t number)
{
	snprintf(out, size, "pack-%llu", (unsigned long long)number);
}

struct snapshot_pack snapshot_pack_open(int dir, uint64_t number, bool is_written)
{
	struct snapshot_pack p = { 0 };
	struct stat st;
	char name[40];

	pack_name(name, sizeof name, number);
	p.fd = openat(dir, name,
	              (is_written ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (p.fd >= 0 && fstat(p.fd, &st) == 0)
		p.bytes = (uint64_t)st.st_size;
	return p;
}

static void pack_flush(struct snapshot_pack *p)
{
	uint64_t at = p->bytes - p->out.len;
	struct str rest = buf_str(&p->out);

	while (rest.len && !p->is_broken) {
		ssize_t n = pwrite(p->fd, rest.ptr, rest.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		p->is_broken = n <= 0; /* the disk is full */
		at += n > 0 ? (uint64_t)n : 0;
		rest = str_skip(rest, n > 0 ? (size_t)n : 0);
	}
	buf_clear(&p->out);
}

uint64_t snapshot_pack_add(struct snapshot_pack *p, struct str content)
{
	uint64_t at = p->bytes;

	if (p->is_broken)
		return SNAPSHOT_NOT_KEPT;
	buf_add_str(&p->out, content);
	p->bytes += content.len;
	if (p->out.len >= FLUSH_BYTES)
		pack_flush(p);
	return at;
}

bool snapshot_pack_sync(struct snapshot_pack *p)
{
	if (p->out.len)
		pack_flush(p);
	return !p->is_broken && fdatasync(p->fd) == 0;
}

bool snapshot_pack_read(struct snapshot_pack *p, struct arena *mem, uint64_t offset, uint64_t size,
                        struct str *ret)
{
	char *data;
	size_t len = 0;

	if (p->fd < 0 || offset > p->bytes || size > p->bytes - offset)
		return false;
	data = arena_alloc_raw(mem, (size_t)size + 1);
	while (len < size) {
		ssize_t n = pread(p->fd, data + len, (size_t)size - len, (off_t)(offset + len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		len += (size_t)n;
	}
	*ret = str_of(data, len);
	return true;
}

void snapshot_pack_done(struct snapshot_pack *p)
{
	buf_done(&p->out);
	sys_close(&p->fd);
}

void snapshot_pack_remove_old(int dir, uint64_t number)
{
	char name[40];

	if (number < 2)
		return;
	pack_name(name, sizeof name, number - 2);
	(void)unlinkat(dir, name, 0);
}
