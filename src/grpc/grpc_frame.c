/* Memory for a message grows with the bytes that come, not with the length that was announced. */
#include "grpc/grpc_frame.h"

static void begin_next(struct grpc_frame *f)
{
	if (!f->is_complete)
		return;
	buf_done(&f->message);
	f->head_len = 0;
	f->is_complete = false;
}

/* False while the head is not complete. */
static bool take_head(struct grpc_frame *f, struct str *bytes)
{
	size_t count = MIN((size_t)GRPC_FRAME_HEAD - f->head_len, bytes->len);

	memcpy(f->head + f->head_len, bytes->ptr, count);
	f->head_len += (uint8_t)count;
	*bytes = str_skip(*bytes, count);
	if (f->head_len < GRPC_FRAME_HEAD)
		return false;
	f->size = (size_t)f->head[1] << 24 | (size_t)f->head[2] << 16 | (size_t)f->head[3] << 8 |
	          f->head[4];
	return true;
}

enum grpc_frame_step grpc_frame_feed(struct grpc_frame *f, struct str *bytes)
{
	size_t count;

	begin_next(f);
	if (f->head_len < GRPC_FRAME_HEAD && (!bytes->len || !take_head(f, bytes)))
		return GRPC_FRAME_MORE;
	if (f->head[0])
		return f->head[0] == 1 ? GRPC_FRAME_COMPRESSED : GRPC_FRAME_BAD;
	if (f->size > f->max)
		return GRPC_FRAME_TOO_LARGE;
	count = MIN(f->size - f->message.len, bytes->len);
	buf_add(&f->message, bytes->ptr, count);
	*bytes = str_skip(*bytes, count);
	f->is_complete = f->message.len == f->size;
	return f->is_complete ? GRPC_FRAME_MESSAGE : GRPC_FRAME_MORE;
}

bool grpc_frame_is_whole(const struct grpc_frame *f)
{
	return f->is_complete || !f->head_len;
}

void grpc_frame_done(struct grpc_frame *f)
{
	buf_done(&f->message);
}

size_t grpc_frame_begin(struct buf *out)
{
	buf_add(out, "\0\0\0\0", GRPC_FRAME_HEAD);
	return out->len;
}

void grpc_frame_end(struct buf *out, size_t begin)
{
	size_t size = out->len - begin;

	if (out->overflowed)
		return;
	for (int i = 1; i <= 4; i++)
		out->ptr[begin - (size_t)i] = (char)(size >> (8 * (i - 1)));
}
