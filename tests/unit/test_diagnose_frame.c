#include "diagnose/diagnose_frame.h"

#include "lib/t.h"

/* Feeds the text in pieces of `step` bytes; the bodies, each with a newline behind it. */
static struct str bodies(struct arena *mem, struct str text, size_t step, enum err *ret)
{
	CLEANUP(buf_done) struct buf in = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct error e;

	*ret = OK;
	while (text.len && *ret == OK) {
		struct str part = str_head(text, MIN(step, text.len)), body;

		buf_add_str(&in, part);
		text = str_skip(text, part.len);
		while ((*ret = diagnose_frame_next(&in, mem, &body, &e)) == OK && str_is(body)) {
			buf_add_str(&out, body);
			buf_add_char(&out, '\n');
		}
	}
	return arena_keep(mem, buf_str(&out));
}

TEST(messages_in_any_pieces)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text =
		STR("Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]"
	            "Content-Length: 0\r\n\r\n");
	enum err err;

	for (size_t step = 1; step <= text.len; step++) {
		CHECK_STR(bodies(mem, text, step, &err), "{}\n[1]\n\n");
		CHECK_INT(err, OK);
	}
}

TEST(what_is_no_message)
{
	static const struct {
		const char *text;
		enum err err;
	} rows[] = {
		{ "Content-Type: x\r\n\r\n{}", ERR_INVALID },
		{ "Content-Length: -1\r\n\r\n", ERR_INVALID },
		{ "Content-Length: 1x\r\n\r\n", ERR_INVALID },
		{ "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", ERR_INVALID },
		{ "Content-Length: 99999999999999999999\r\n\r\n", ERR_INVALID },
		{ "Content-Length: 16777217\r\n\r\n", ERR_TOO_LARGE },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	enum err err;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bodies(mem, str_from(rows[i].text), 7, &err);
		CHECK_INT(err, rows[i].err);
	}
}

TEST(a_header_without_an_end)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	enum err err;

	for (int i = 0; i < 5000; i++)
		buf_add_char(&text, 'x');
	bodies(mem, buf_str(&text), 1000, &err);
	CHECK_INT(err, ERR_INVALID);
}

TEST(there_and_back)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	enum err err;

	diagnose_frame_add(&text, STR("{\"a\": \"\xc3\xa4\"}"));
	diagnose_frame_add(&text, STR("{}"));
	CHECK_STR(bodies(mem, buf_str(&text), 3, &err), "{\"a\": \"\xc3\xa4\"}\n{}\n");
}

TEST_MAIN()
