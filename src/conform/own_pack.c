/* The pack that the program carries, compressed at build time by scripts/conform_pack.py. */
#include "conform/conform_logs.h"
#include "conform/own_pack.h"

#include <zlib.h>

#define GZIP_WRAPPER 31

enum err own_pack_text(struct buf *out, struct error *e)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)own_pack_bytes,
		       .avail_in = (uInt)own_pack_size,
		       .avail_out = (uInt)own_pack_plain_size };
	bool is_whole;

	if (inflateInit2(&z, GZIP_WRAPPER) != Z_OK)
		return fail(e, ERR_INVALID, "the pack of this program cannot be unpacked");
	z.next_out = (Bytef *)buf_reserve(out, own_pack_plain_size);
	is_whole = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;
	inflateEnd(&z);
	out->len += own_pack_plain_size;
	return is_whole ? OK : fail(e, ERR_INVALID, "the pack of this program is damaged");
}
