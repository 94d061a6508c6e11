/*
 * Reads messages of an AWS event stream.  A length is believed only after the
 * checksum of its prelude, so no input makes the buffer grow past `max`.
 */
#include "net/http/eventstream.h"

#include <zlib.h>

#define PRELUDE 12 /* two lengths and their checksum */
#define TRAILER 4
#define TYPE_STRING 7

static uint32_t read_u32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t checksum(const char *at, size_t len)
{
	return (uint32_t)crc32(0, (const unsigned char *)at, (unsigned)len);
}

static enum eventstream_step fail_with(struct eventstream *s, const char *trouble)
{
	s->trouble = trouble;
	return EVENTSTREAM_BAD;
}

/* ---- headers ---- */

/* Bytes of a value after its type; -1: its length follows in two bytes; -2: no such type. */
static int value_size(unsigned char type)
{
	static const signed char sizes[] = { 0, 0, 1, 2, 4, 8, -1, -1, 8, 16 };

	return type < sizeof sizes ? sizes[type] : -2;
}

static bool take(struct str *s, size_t len, struct str *ret)
{
	if (s->len < len)
		return false;
	*ret = str_head(*s, len);
	*s = str_skip(*s, len);
	return true;
}

/* One header; value is absent unless it is a string. */
static bool read_header(struct str *s, struct str *ret_name, struct str *ret_value)
{
	struct str part, value;
	unsigned char type;
	int size;

	if (!take(s, 1, &part) || !part.ptr[0] || !take(s, (unsigned char)part.ptr[0], ret_name) ||
	    !take(s, 1, &part))
		return false;
	type = (unsigned char)part.ptr[0];
	size = value_size(type);
	if (size == -1) {
		if (!take(s, 2, &part))
			return false;
		size = (unsigned char)part.ptr[0] << 8 | (unsigned char)part.ptr[1];
	}
	if (size < 0 || !take(s, (size_t)size, &value))
		return false;
	*ret_value = type == TYPE_STRING ? value : STR_NONE;
	return true;
}

static void keep_header(struct eventstream_message *m, struct str name, struct str value)
{
	if (str_eq(name, STR(":message-type")))
		m->message_type = value;
	else if (str_eq(name, STR(":event-type")) || str_eq(name, STR(":exception-type")) ||
	         str_eq(name, STR(":error-code")))
		m->event_type = value;
	else if (str_eq(name, STR(":error-message")))
		m->error = value;
}

static bool read_headers(struct str s, struct eventstream_message *ret)
{
	struct str name, value;

	while (s.len) {
		if (!read_header(&s, &name, &value))
			return false;
		keep_header(ret, name, value);
	}
	return true;
}

/* ---- messages ---- */

/* Takes what is missing to a length; true: it is there. */
static bool fill(struct eventstream *s, size_t len, struct str *bytes)
{
	struct str part = str_head(*bytes, len - s->message.len);

	buf_add_str(&s->message, part);
	*bytes = str_skip(*bytes, part.len);
	return s->message.len == len;
}

static const char *prelude_trouble(const struct eventstream *s)
{
	size_t total = read_u32(s->message.ptr), headers = read_u32(s->message.ptr + 4);

	if (checksum(s->message.ptr, 8) != read_u32(s->message.ptr + 8))
		return "the checksum of a message's length is wrong";
	if (total < PRELUDE + TRAILER || headers > total - PRELUDE - TRAILER)
		return "the lengths of a message contradict each other";
	return total > s->max ? "a message of the stream is longer than is taken" : NULL;
}

static enum eventstream_step read_message(struct eventstream *s, struct eventstream_message *ret)
{
	struct str all = buf_str(&s->message);
	size_t headers = read_u32(all.ptr + 4), data = all.len - PRELUDE - TRAILER;

	*ret = (struct eventstream_message){ .payload = str_of(all.ptr + PRELUDE + headers,
		                                               data - headers) };
	if (checksum(all.ptr, all.len - TRAILER) != read_u32(all.ptr + all.len - TRAILER))
		return fail_with(s, "the checksum of a message is wrong");
	if (!read_headers(str_of(all.ptr + PRELUDE, headers), ret))
		return fail_with(s, "the headers of a message cannot be read");
	return EVENTSTREAM_MESSAGE;
}

/* A message that was delivered is forgotten here and not before: its views are in use. */
enum eventstream_step eventstream_next(struct eventstream *s, struct str *bytes,
                                       struct eventstream_message *ret)
{
	const char *trouble;

	if (s->trouble)
		return EVENTSTREAM_BAD;
	if (s->message.len >= PRELUDE && s->message.len == read_u32(s->message.ptr))
		buf_done(&s->message); /* streams idle between messages */
	if (s->message.len < PRELUDE) {
		if (!fill(s, PRELUDE, bytes))
			return EVENTSTREAM_MORE;
		trouble = prelude_trouble(s);
		if (trouble)
			return fail_with(s, trouble);
	}
	if (!fill(s, read_u32(s->message.ptr), bytes))
		return EVENTSTREAM_MORE;
	return read_message(s, ret);
}

void eventstream_done(struct eventstream *s)
{
	buf_done(&s->message);
}
