/*
 * Any bytes as an AWS event stream: the messages are the same for every split,
 * and every view lies inside its message.
 *
 * Checksums would stop nearly every input, so those of an input whose first byte
 * is 'c' are corrected first.
 */
#include "net/http/eventstream.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 4096

static uint32_t read_u32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write_u32(uint8_t *at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> (24 - 8 * i));
}

/* Follows the lengths as far as they make sense. */
static void correct(uint8_t *at, size_t size)
{
	while (size >= 16) {
		size_t total = read_u32(at);

		write_u32(at + 8, (uint32_t)crc32(0, at, 8));
		if (total < 16 || total > size)
			return;
		write_u32(at + total - 4, (uint32_t)crc32(0, at, (unsigned)total - 4));
		at += total;
		size -= total;
	}
}

static bool is_inside(struct str part, const struct buf *message)
{
	return !part.len ||
	       (part.ptr >= message->ptr && part.ptr + part.len <= message->ptr + message->len);
}

static void read_all(struct str bytes, size_t size, struct buf *out)
{
	struct eventstream s = { .max = MAX_BYTES };
	enum eventstream_step step = EVENTSTREAM_MORE;
	struct eventstream_message m;

	while (bytes.len && step != EVENTSTREAM_BAD) {
		struct str part = str_head(bytes, size);

		bytes = str_skip(bytes, part.len);
		while ((step = eventstream_next(&s, &part, &m)) == EVENTSTREAM_MESSAGE) {
			assert(is_inside(m.payload, &s.message) && is_inside(m.error, &s.message));
			assert(is_inside(m.message_type, &s.message));
			assert(is_inside(m.event_type, &s.message));
			buf_printf(out, "%.*s|%.*s|%.*s|", STR_ARG(m.message_type),
			           STR_ARG(m.event_type), STR_ARG(m.error));
			buf_add_str(out, m.payload);
		}
		assert(s.message.len <= MAX_BYTES);
	}
	if (step == EVENTSTREAM_BAD)
		buf_add_c(out, s.trouble);
	eventstream_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(buf_done) struct buf cut = { 0 };
	uint8_t *copy = memory_alloc(size + 1);

	if (size)
		memcpy(copy, data, size);
	if (size > 1 && copy[0] == 'c')
		correct(copy + 1, size - 1);

	struct str bytes = size ? str_of((char *)copy + 1, size - 1) : STR("");

	read_all(bytes, MAX(bytes.len, (size_t)1), &whole);
	for (size_t step = 1; step < 40; step = step * 3 + 1) {
		buf_clear(&cut);
		read_all(bytes, step, &cut);
		assert(str_eq(buf_str(&whole), buf_str(&cut)));
	}
	memory_free(copy);
	return 0;
}
