#ifndef TESTS_EVENTSTREAM_FRAME_H
#define TESTS_EVENTSTREAM_FRAME_H
/* Writes messages of an AWS event stream, for tests of their reader. */
#include "base/buf.h"

#include <zlib.h>

static inline void frame_u32(struct buf *out, uint32_t n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_char(out, (char)(n >> shift & 0xff));
}

static inline void frame_header(struct buf *out, const char *name, const char *value)
{
	buf_add_char(out, (char)strlen(name));
	buf_add_c(out, name);
	buf_add_char(out, 7);
	buf_add_char(out, (char)(strlen(value) >> 8));
	buf_add_char(out, (char)strlen(value));
	buf_add_c(out, value);
}

static inline void frame_raw(struct buf *out, struct str headers, struct str payload)
{
	size_t begin = out->len;

	frame_u32(out, (uint32_t)(16 + headers.len + payload.len));
	frame_u32(out, (uint32_t)headers.len);
	frame_u32(out, (uint32_t)crc32(0, (const unsigned char *)out->ptr + begin, 8));
	buf_add_str(out, headers);
	buf_add_str(out, payload);
	frame_u32(out, (uint32_t)crc32(0, (const unsigned char *)out->ptr + begin,
	                               (unsigned)(out->len - begin)));
}

/* kind: event or exception. */
static inline void frame_message(struct buf *out, const char *kind, const char *type,
                                 const char *payload)
{
	CLEANUP(buf_done) struct buf headers = { 0 };

	frame_header(&headers, strcmp(kind, "event") ? ":exception-type" : ":event-type", type);
	frame_header(&headers, ":content-type", "application/json");
	frame_header(&headers, ":message-type", kind);
	frame_raw(out, buf_str(&headers), str_from(payload));
}

#endif
