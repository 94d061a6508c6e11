/*
 * Packs: consecutive events of one session as one compressed row, with a head
 * that has the start of each event.
 */
#include "store/pack.h"
#include "store/number_bytes.h"

#include <stdlib.h>
#include <zstd.h>

/* Higher levels save 3 % on packs of deltas and take ten times as long. */
#define LEVEL 9

/* Limits the size that a damaged frame can claim. */
#define FRAME_MAX (256u << 20)

static bool take_bytes(struct str *from, void *to, size_t len)
{
	if (from->len < len)
		return false;
	memcpy(to, from->ptr, len);
	*from = str_skip(*from, len);
	return true;
}

/* ---- frames ---- */

/*
 * One zstd frame with content size and checksum, so that a damaged frame is found
 * without its hashes.
 */
void pack_write_frame(struct buf *to, struct str plain)
{
	size_t room = ZSTD_compressBound(plain.len);
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	char *at = buf_reserve(to, room);
	size_t len;

	if (!ctx)
		abort(); /* out of memory */
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	len = ZSTD_compress2(ctx, at, room, plain.ptr, plain.len);
	if (ZSTD_isError(len))
		abort(); /* the buffer is large enough, so only memory can be missing */
	to->len += len;
	ZSTD_freeCCtx(ctx);
}

bool pack_read_frame(struct arena *mem, struct str frame, struct str *ret)
{
	unsigned long long size = ZSTD_getFrameContentSize(frame.ptr, frame.len);
	char *plain;

	if (size > FRAME_MAX) /* the two values for "none" and "unknown" are larger too */
		return false;
	plain = arena_alloc_raw(mem, size + 1);
	if (ZSTD_decompress(plain, size, frame.ptr, frame.len) != size)
		return false;
	*ret = str_of(plain, size);
	return true;
}

/* ---- the head: one property of all events after the other, because equals compress ---- */

void pack_put_items(const struct pack *p, struct buf *out)
{
	uint64_t erased = 0;

	number_bytes_put(out, p->count);
	for (size_t i = 1; i < p->count; i++)
		number_bytes_put(out, p->items[i].position - p->items[i - 1].position);
	for (size_t i = 0; i < p->count; i++)
		number_bytes_put(out, p->items[i].type);
	for (size_t i = 0; i < p->count; i++)
		number_bytes_put(out, p->items[i].len);
	for (size_t i = 0; i < p->count; i++)
		buf_add(out, p->items[i].mark, sizeof p->items[i].mark);
	for (size_t i = 0; i < p->count; i++)
		erased += p->items[i].is_erased;
	number_bytes_put(out, erased);
	for (size_t i = 0; i < p->count; i++)
		if (p->items[i].is_erased) {
			number_bytes_put(out, i);
			buf_add(out, p->items[i].digest.state, SHA256_BYTES);
		}
}

static bool read_erased(struct str *from, struct pack *p)
{
	uint64_t erased, at;

	if (!number_bytes_take(from, &erased))
		return false;
	for (; erased; erased--) {
		if (!number_bytes_take(from, &at) || at >= p->count ||
		    !take_bytes(from, p->items[at].digest.state, SHA256_BYTES))
			return false;
		p->items[at].is_erased = true;
	}
	return from->len == 0;
}

/* The mirror of pack_put_items(); docs/formats/event-log.md describes the format. */
static bool read_items(struct str from, uint64_t position, struct pack *p)
{
	uint64_t n;

	for (size_t i = 0; i < p->count; i++) {
		n = 0;
		if (i && !number_bytes_take(&from, &n))
			return false;
		p->items[i].position = position += n;
	}
	for (size_t i = 0; i < p->count; i++) {
		if (!number_bytes_take(&from, &n))
			return false;
		p->items[i].type = (uint32_t)n;
	}
	for (size_t i = 0; i < p->count; i++) {
		if (!number_bytes_take(&from, &n) || n > FRAME_MAX)
			return false;
		p->items[i].len = (uint32_t)n;
	}
	for (size_t i = 0; i < p->count; i++)
		if (!take_bytes(&from, p->items[i].mark, sizeof p->items[i].mark))
			return false;
	return read_erased(&from, p);
}

/* ---- packs ---- */

void pack_write(const struct pack *p, struct buf *head, struct buf *text)
{
	struct buf plain = { 0 };

	pack_put_items(p, &plain);
	pack_write_frame(head, buf_str(&plain));
	pack_write_frame(text, p->text);
	buf_done(&plain);
}

/*
 * An event takes at least one byte of the head, so `count > plain.len` is damage; this
 * bounds the allocation.
 */
bool pack_take_items(struct arena *mem, struct str plain, uint64_t first_position, struct pack *ret)
{
	uint64_t count;

	if (!number_bytes_take(&plain, &count) || count == 0 || count > plain.len)
		return false;
	*ret = (struct pack){ .items = ARENA_ARRAY(mem, struct pack_item, count), .count = count };
	return read_items(plain, first_position, ret);
}

bool pack_read_head(struct arena *mem, struct str frame, uint64_t first_position, struct pack *ret)
{
	struct str plain;

	return pack_read_frame(mem, frame, &plain) &&
	       pack_take_items(mem, plain, first_position, ret);
}

/* The lengths of the head must add up to the text, or bodies would be cut at the wrong bytes. */
bool pack_read_text(struct arena *mem, struct str frame, struct pack *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->count; i++)
		sum += p->items[i].len;
	return pack_read_frame(mem, frame, &p->text) && p->text.len == sum;
}

struct sha256 pack_link(const struct sha256 *prev, const struct pack_item *item, struct str body)
{
	return item->is_erased ? sha256_link_hash(prev, &item->digest) : sha256_link(prev, body);
}
