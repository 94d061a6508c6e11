/*
 * Reads an archive of anyone: zstd, tar, and the rules of archive.h.  Everything
 * in it is hostile until it was checked.
 */
#include "archive/archive.h"

#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "base/map.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define BLOCK 512
#define WINDOW_LOG 27 /* 128 MiB; what our writer uses is far below */

struct archive_reader {
	int fd;
	ZSTD_DCtx *zstd;
	struct sha256_stream sum; /* of the compressed bytes */
	struct arena *mem;
	struct map seen; /* paths */
	uint64_t total, entries;
	uint64_t offset; /* compressed bytes that were consumed */
	uint64_t left;   /* of the entry */
	size_t pad;
	bool frame_is_over;
	ZSTD_inBuffer in;
	char path[ARCHIVE_PATH_MAX + 1];
	char bytes[1 << 16];
};

bool archive_read_path_is_safe(struct str path)
{
	struct str rest = path;

	if (!path.len || path.len > ARCHIVE_PATH_MAX || path.ptr[path.len - 1] == '/')
		return false;
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '.' && c != '_' && c != '-' && c != '/')
			return false;
	}
	while (rest.len) {
		struct str part = str_cut(&rest, '/');

		if (!part.len || part.ptr[0] == '.')
			return false;
	}
	return true;
}

struct archive_reader *archive_read_new(int fd)
{
	struct archive_reader *r = memory_alloc(sizeof *r);

	*r = (struct archive_reader){ .fd = fd, .zstd = ZSTD_createDCtx(), .mem = arena_new() };
	if (!r->zstd)
		abort(); /* out of memory */
	ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	sha256_begin(&r->sum);
	r->in.src = r->bytes;
	return r;
}

void archive_read_free(struct archive_reader *r)
{
	if (!r)
		return;
	map_done(&r->seen);
	ZSTD_freeDCtx(r->zstd);
	arena_free(r->mem);
	memory_free(r);
}

static enum err refill(struct archive_reader *r, struct error *e)
{
	ssize_t got;

	do
		got = read(r->fd, r->bytes, sizeof r->bytes);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return fail(e, ERR_IO, "the archive cannot be read: %s", strerror(errno));
	r->offset += r->in.pos;
	r->in.size = (size_t)got;
	r->in.pos = 0;
	return OK;
}

static unsigned long long place(const struct archive_reader *r)
{
	return (unsigned long long)(r->offset + r->in.pos);
}

/* Some plain bytes; *ret_len 0: the frame has ended. */
static enum err inflate_some(struct archive_reader *r, char *to, size_t max, size_t *ret_len,
                             struct error *e)
{
	ZSTD_outBuffer out = { to, max, 0 };

	while (!out.pos && !r->frame_is_over) {
		size_t left, from;

		if (r->in.pos == r->in.size && refill(r, e) != OK)
			return ERR_IO;
		if (!r->in.size)
			return fail(e, ERR_INVALID, "the archive ends too early, at byte %llu",
			            place(r));
		from = r->in.pos;
		left = ZSTD_decompressStream(r->zstd, &out, &r->in);
		sha256_more(&r->sum, str_of(r->bytes + from, r->in.pos - from));
		if (ZSTD_isError(left))
			return fail(e, ERR_INVALID, "the archive is damaged near byte %llu (%s)",
			            place(r), ZSTD_getErrorName(left));
		r->frame_is_over = left == 0;
	}
	r->total += out.pos;
	if (r->total > LIMIT_EVIDENCE_PACK_BYTES)
		return fail(e, ERR_TOO_LARGE, "the archive holds more than %llu bytes",
		            (unsigned long long)LIMIT_EVIDENCE_PACK_BYTES);
	*ret_len = out.pos;
	return OK;
}

static enum err inflate_all(struct archive_reader *r, char *to, size_t len, struct error *e)
{
	while (len) {
		size_t got;
		enum err code = inflate_some(r, to, len, &got, e);

		if (code != OK)
			return code;
		if (!got)
			return fail(e, ERR_INVALID, "the archive ends inside an entry");
		to += got;
		len -= got;
	}
	return OK;
}

static bool is_zero(const char *block, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (block[i])
			return false;
	return true;
}

/* The bytes behind the frame, at most one more than a trailer has. */
static enum err read_rest(struct archive_reader *r, char rest[ARCHIVE_TRAILER_BYTES + 1],
                          size_t *ret_len, struct error *e)
{
	size_t len = 0;

	while (len <= ARCHIVE_TRAILER_BYTES) {
		if (r->in.pos == r->in.size && refill(r, e) != OK)
			return ERR_IO;
		if (!r->in.size)
			break;
		rest[len++] = r->bytes[r->in.pos++];
	}
	*ret_len = len;
	return OK;
}

/* Nothing, or the hash of all bytes before. */
static enum err check_trailer(struct archive_reader *r, struct error *e)
{
	struct sha256 sum = sha256_end(&r->sum);
	char rest[ARCHIVE_TRAILER_BYTES + 1];
	unsigned long long at = place(r);
	size_t len;
	enum err code = read_rest(r, rest, &len, e);

	if (code != OK || !len)
		return code;
	if (len != ARCHIVE_TRAILER_BYTES || memcmp(rest, ARCHIVE_TRAILER, 8) != 0)
		return fail(e, ERR_INVALID, "bytes follow the end of the archive, from byte %llu",
		            at);
	if (memcmp(rest + 8, sum.state, SHA256_BYTES) != 0)
		return fail(e, ERR_INVALID,
		            "the archive does not have its own hash, which is at byte %llu",
		            at + 8);
	return OK;
}

/* Empty blocks, then nothing: neither plain bytes nor another frame. */
static enum err read_end(struct archive_reader *r, struct error *e)
{
	char block[BLOCK];
	size_t got = 1;
	enum err code;

	while (got) {
		code = inflate_some(r, block, BLOCK, &got, e);
		if (code != OK)
			return code;
		if (!is_zero(block, got))
			return fail(e, ERR_INVALID, "bytes follow the end of the archive");
	}
	code = check_trailer(r, e);
	return code == OK ? ERR_NOT_FOUND : code;
}

static bool read_octal(const char *from, size_t digits, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < digits; i++) {
		if (from[i] < '0' || from[i] > '7')
			return false;
		n = n << 3 | (uint64_t)(from[i] - '0');
	}
	*ret = n;
	return true;
}

static bool sum_is_right(const char *head)
{
	uint64_t want, sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)head[i];
	return read_octal(head + 148, 6, &want) && want == sum;
}

static enum err take_head(struct archive_reader *r, const char *head, struct error *e)
{
	size_t len = strnlen(head, ARCHIVE_PATH_MAX);
	struct str path = str_of(r->path, len);

	memcpy(r->path, head, len);
	r->path[len] = '\0';
	if (!sum_is_right(head) || memcmp(head + 257, "ustar", 5) != 0)
		return fail(e, ERR_INVALID, "the archive has a damaged entry behind %llu files",
		            (unsigned long long)r->entries);
	if (!archive_read_path_is_safe(path) || !is_zero(head + 345, 155))
		return fail(e, ERR_INVALID, "the archive has an entry whose path is not allowed");
	if (head[156] != '0')
		return fail(e, ERR_INVALID, "%.*s: not a plain file", STR_ARG(path));
	if (!read_octal(head + 124, 11, &r->left) || r->left > LIMIT_EVIDENCE_PACK_BYTES)
		return fail(e, ERR_INVALID, "%.*s: its size is not allowed", STR_ARG(path));
	if (map_get(&r->seen, path))
		return fail(e, ERR_INVALID, "%.*s: appears twice", STR_ARG(path));
	if (++r->entries > LIMIT_EVIDENCE_PACK_FILES)
		return fail(e, ERR_TOO_LARGE, "the archive holds more than %d files",
		            LIMIT_EVIDENCE_PACK_FILES);
	path = arena_keep(r->mem, path);
	map_put(&r->seen, path, (void *)path.ptr);
	r->pad = (BLOCK - r->left % BLOCK) % BLOCK;
	return OK;
}

/* What the caller has not read of the entry before. */
static enum err skip_rest(struct archive_reader *r, struct error *e)
{
	char waste[BLOCK];
	size_t got = 1;
	enum err code = OK;

	while (code == OK && got)
		code = archive_read_data(r, waste, sizeof waste, &got, e);
	return code;
}

enum err archive_read_next(struct archive_reader *r, struct archive_entry *ret, struct error *e)
{
	char head[BLOCK];
	enum err code = skip_rest(r, e);

	if (code == OK)
		code = inflate_all(r, head, BLOCK, e);
	if (code != OK)
		return code;
	if (is_zero(head, BLOCK))
		return read_end(r, e);
	code = take_head(r, head, e);
	if (code == OK)
		*ret = (struct archive_entry){ str_from(r->path), r->left };
	return code;
}

enum err archive_read_data(struct archive_reader *r, char *to, size_t max, size_t *ret_len,
                           struct error *e)
{
	char pad[BLOCK];
	enum err code = OK;
	size_t got = 0;

	if (r->left) {
		code = inflate_some(r, to, MIN((uint64_t)max, r->left), &got, e);
		if (code == OK && !got)
			return fail(e, ERR_INVALID, "%s: is shorter than its entry says", r->path);
		if (code != OK)
			return code;
		r->left -= got;
	}
	if (!r->left && r->pad) {
		code = inflate_all(r, pad, r->pad, e);
		if (code == OK && !is_zero(pad, r->pad))
			return fail(e, ERR_INVALID, "%s: bytes follow its end", r->path);
		r->pad = 0;
	}
	if (code == OK)
		*ret_len = got;
	return code;
}
