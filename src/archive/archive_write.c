/* Writes a deterministic tar file (ustar) as one zstd frame. */
#include "archive/archive.h"

#include "base/hash/sha256.h"
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define BLOCK 512
/* Logs repeat themselves over short distances: level 3 takes twice the time and saves nothing. */
#define LEVEL 1

struct archive_writer {
	void (*sink)(void *arg, struct str bytes);
	void *arg;
	ZSTD_CCtx *zstd;
	struct sha256_stream sum; /* of all compressed bytes */
	uint64_t left;            /* bytes of the file that have not come yet */
	size_t pad;               /* zeros behind it */
	char out[1 << 16];
};

struct archive_writer *archive_write_new(void (*sink)(void *arg, struct str bytes), void *arg)
{
	struct archive_writer *w = memory_alloc(sizeof *w);

	*w = (struct archive_writer){ .sink = sink, .arg = arg, .zstd = ZSTD_createCCtx() };
	if (!w->zstd)
		abort(); /* out of memory */
	sha256_begin(&w->sum);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return w;
}

void archive_write_free(struct archive_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->zstd);
	memory_free(w);
}

static void compress(struct archive_writer *w, struct str data, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { data.ptr, data.len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { w->out, sizeof w->out, 0 };

		left = ZSTD_compressStream2(w->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			abort(); /* only memory can be missing */
		if (out.pos) {
			sha256_more(&w->sum, str_of(w->out, out.pos));
			w->sink(w->arg, str_of(w->out, out.pos));
		}
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
}

static void put_octal(char *to, size_t digits, uint64_t n)
{
	for (size_t i = digits; i-- > 0; n >>= 3)
		to[i] = (char)('0' + (n & 7));
}

/* Eleven octal digits hold 8 GiB, which is above every limit of a pack. */
void archive_write_file(struct archive_writer *w, struct str path, uint64_t size, int64_t at)
{
	char head[BLOCK] = { 0 };
	unsigned sum = 0;

	assert(!w->left && archive_read_path_is_safe(path) && size < 1ull << 33);
	memcpy(head, path.ptr, path.len);
	put_octal(head + 100, 7, 0644);
	put_octal(head + 108, 7, 0);
	put_octal(head + 116, 7, 0);
	put_octal(head + 124, 11, size);
	put_octal(head + 136, 11, (uint64_t)at / 1000);
	memset(head + 148, ' ', 8);
	head[156] = '0';
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)head[i];
	put_octal(head + 148, 6, sum);
	head[154] = '\0';
	compress(w, str_of(head, BLOCK), ZSTD_e_continue);
	w->left = size;
	w->pad = (BLOCK - size % BLOCK) % BLOCK;
}

void archive_write_data(struct archive_writer *w, struct str data)
{
	static const char zeros[BLOCK];

	assert(data.len <= w->left);
	w->left -= data.len;
	compress(w, data, ZSTD_e_continue);
	if (!w->left && w->pad) {
		compress(w, str_of(zeros, w->pad), ZSTD_e_continue);
		w->pad = 0;
	}
}

void archive_write_end(struct archive_writer *w)
{
	static const char zeros[2 * BLOCK];
	struct sha256 sum;

	assert(!w->left);
	compress(w, str_of(zeros, sizeof zeros), ZSTD_e_end);
	sum = sha256_end(&w->sum);
	w->sink(w->arg, str_of(ARCHIVE_TRAILER, 8));
	w->sink(w->arg, str_of((const char *)sum.state, SHA256_BYTES));
}
