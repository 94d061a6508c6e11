/* The binary framing of AWS streams: messages for any split, and damage of every kind. */
#include "lib/t.h"

#include "lib/eventstream_frame.h"
#include "net/http/eventstream.h"

/* Everything that comes of the bytes, cut into pieces of this size. */
static void read_all(struct str bytes, size_t size, struct buf *out)
{
	struct eventstream s = { .max = 4096 };
	enum eventstream_step step = EVENTSTREAM_MORE;
	struct eventstream_message m;

	while (bytes.len && step != EVENTSTREAM_BAD) {
		struct str part = str_head(bytes, size);

		bytes = str_skip(bytes, part.len);
		while ((step = eventstream_next(&s, &part, &m)) == EVENTSTREAM_MESSAGE)
			buf_printf(out, "%.*s/%.*s/%.*s:%.*s|", STR_ARG(m.message_type),
			           STR_ARG(m.event_type), STR_ARG(m.error), STR_ARG(m.payload));
		CHECK(step == EVENTSTREAM_BAD || !part.len);
	}
	if (step == EVENTSTREAM_BAD)
		buf_printf(out, "%s", s.trouble);
	eventstream_done(&s);
}

static void check_bytes(int line, struct str bytes, const char *want)
{
	for (size_t size = 1; size <= bytes.len; size++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		read_all(bytes, size, &out);
		t_check_str(__FILE__, line, "the messages", buf_str(&out), str_from(want));
	}
}

TEST(messages_are_the_same_for_every_split)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	frame_message(&b, "event", "messageStart", "{\"role\":\"assistant\"}");
	frame_message(&b, "event", "x", "");
	frame_message(&b, "exception", "throttlingException", "{\"message\":\"slow\"}");
	check_bytes(__LINE__, buf_str(&b),
	            "event/messageStart/:{\"role\":\"assistant\"}|event/x/:|"
	            "exception/throttlingException/:{\"message\":\"slow\"}|");
}

TEST(headers_of_every_type_are_passed_over)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	/* bool, byte, short, int, long, bytes, time, uuid */
	static const char headers[] =
		"\1a\0\1b\1\1c\2x\1d\3xy\1e\4wxyz\1f\5wxyzwxyz\1g\6\0\2hi"
		"\1h\x8"
		"wxyzwxyz\1i\x9"
		"wxyzwxyzwxyzwxyz\13:error-code\7\0\2E1\16:error-message\7\0\3bad";

	frame_raw(&b, str_of(headers, sizeof headers - 1), STR("p"));
	check_bytes(__LINE__, buf_str(&b), "/E1/bad:p|");
}

/* A message with one byte changed is never delivered. */
TEST(a_changed_byte_is_found_wherever_it_is)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	frame_message(&b, "event", "messageStop", "{\"stopReason\":\"end_turn\"}");
	for (size_t i = 0; i < b.len; i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		b.ptr[i] ^= 1;
		read_all(buf_str(&b), b.len, &out);
		CHECK(str_find(buf_str(&out), STR("checksum")) >= 0);
		b.ptr[i] ^= 1;
	}
}

TEST(lengths_that_cannot_be_are_refused)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	frame_u32(&b, 15);
	frame_u32(&b, 0);
	frame_u32(&b, (uint32_t)crc32(0, (const unsigned char *)b.ptr, 8));
	check_bytes(__LINE__, buf_str(&b), "the lengths of a message contradict each other");
	buf_clear(&b);
	frame_u32(&b, 20);
	frame_u32(&b, 5);
	frame_u32(&b, (uint32_t)crc32(0, (const unsigned char *)b.ptr, 8));
	check_bytes(__LINE__, buf_str(&b), "the lengths of a message contradict each other");
	buf_clear(&b);
	frame_u32(&b, 4097);
	frame_u32(&b, 0);
	frame_u32(&b, (uint32_t)crc32(0, (const unsigned char *)b.ptr, 8));
	check_bytes(__LINE__, buf_str(&b), "a message of the stream is longer than is taken");
}

TEST(headers_that_do_not_fit_are_refused)
{
	static const struct str bad[] = {
		{ "\0", 1 },      { "\5ab", 3 },        { "\1a", 2 },         { "\1a\12", 3 },
		{ "\1a\7\0", 4 }, { "\1a\7\0\5ab", 7 }, { "\1a\4\0\0\0", 6 },
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		CLEANUP(buf_done) struct buf b = { 0 };

		frame_raw(&b, bad[i], STR("p"));
		check_bytes(__LINE__, buf_str(&b), "the headers of a message cannot be read");
	}
}

TEST_MAIN()
