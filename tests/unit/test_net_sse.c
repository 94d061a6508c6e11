#include "lib/t.h"

#include "base/arena.h"
#include "net/http/sse.h"

static struct str frame(struct buf *b)
{
	return buf_str(b);
}

TEST(a_frame_has_id_event_and_data)
{
	struct buf b = { 0 };

	sse_event(&b, STR("7"), STR("turn.started"), STR("{\"a\":1}"));
	CHECK_STR(frame(&b), "id: 7\nevent: turn.started\ndata: {\"a\":1}\n\n");
	buf_clear(&b);
	sse_event(&b, STR_NONE, STR_NONE, STR("x"));
	CHECK_STR(frame(&b), "data: x\n\n");
	buf_clear(&b);
	sse_event(&b, STR("7"), STR_NONE, STR_NONE);
	CHECK_STR(frame(&b), "id: 7\n\n");
	buf_clear(&b);
	sse_event(&b, STR_NONE, STR_NONE, STR(""));
	CHECK_STR(frame(&b), "data: \n\n");
	buf_done(&b);
}

TEST(every_kind_of_line_break_in_data_starts_a_data_line)
{
	struct buf b = { 0 };

	sse_event(&b, STR_NONE, STR_NONE, STR("a\nb\r\nc\rd\n"));
	CHECK_STR(frame(&b), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
	buf_done(&b);
}

TEST(nothing_can_be_injected_by_id_or_event_or_comment)
{
	struct buf b = { 0 };

	sse_event(&b, STR("1\ndata: x"), STR("e\r\n\r\ndata: y"), STR("d"));
	CHECK_STR(frame(&b), "id: 1 data: x\nevent: e    data: y\ndata: d\n\n");
	buf_clear(&b);
	sse_comment(&b, STR("ping\ndata: x"));
	sse_retry(&b, 3000);
	CHECK_STR(frame(&b), ": ping data: x\n\nretry: 3000\n\n");
	buf_done(&b);
}

/* ---- reading ---- */

static void note(void *arg, const struct sse_message *m)
{
	struct buf *out = arg;

	buf_printf(out, "[%.*s|%.*s|%.*s]", STR_ARG(m->id), STR_ARG(m->event), STR_ARG(m->data));
	if (!str_is(m->id))
		buf_add_c(out, "-");
}

/* What the text says when cut at these two places. */
static bool read_cut(struct buf *out, struct str text, size_t a, size_t b, size_t max,
                     int64_t *ret_retry)
{
	struct sse_parser p = { .max = max };
	bool ok = sse_feed(&p, str_head(text, a), note, out) &&
	          sse_feed(&p, str_of(text.ptr + a, b - a), note, out) &&
	          sse_feed(&p, str_skip(text, b), note, out);

	if (ret_retry)
		*ret_retry = p.retry_ms;
	sse_parser_done(&p);
	return ok;
}

static void check_all_cuts(struct str text, const char *want)
{
	for (size_t a = 0; a <= text.len; a++)
		for (size_t b = a; b <= text.len; b++) {
			struct buf got = { 0 };

			CHECK(read_cut(&got, text, a, b, 1000, NULL));
			CHECK_SAME(buf_str(&got), str_from(want));
			buf_done(&got);
		}
}

TEST(the_parser_sees_the_same_messages_for_every_split)
{
	check_all_cuts(STR("\xef\xbb\xbf"
	                   "data: one\n\nid: 5\r\nevent: add\r\ndata: a\r\ndata:b\r\n\r\n"
	                   ": comment\r\rdata\rdata: \r\r"
	                   "event: lost\n\nid\ndata:  two spaces\nunknown: x\nretry: 12\n\n"
	                   "data: never closed"),
	               "[|message|one]-[5|add|a\nb][5|message|\n][|message| two spaces]");
}

TEST(mixed_line_ends_and_odd_fields_follow_the_standard)
{
	struct buf got = { 0 };
	int64_t retry;

	CHECK(read_cut(&got, STR("retry: 250\nretry: 9x\nid: a\0b\ndata:x\n\r\ndata:y\r\n\n"), 3, 9,
	               100, &retry));
	CHECK_STR(buf_str(&got), "[|message|x]-[|message|y]-");
	CHECK_INT(retry, 250);
	buf_done(&got);
	/* a byte order mark counts only at the very beginning */
	CHECK(read_cut(&got,
	               STR("\n\xef\xbb\xbf"
	                   "data: x\n\n"),
	               0, 0, 100, &retry));
	CHECK_INT(got.len, 0);
	buf_done(&got);
}

TEST(what_was_written_reads_back)
{
	struct buf b = { 0 }, got = { 0 };

	sse_event(&b, STR("p.9"), STR("x"), STR("l1\nl2\n"));
	sse_comment(&b, STR(""));
	sse_event(&b, STR_NONE, STR_NONE, STR("z"));
	CHECK(read_cut(&got, buf_str(&b), 1, 2, 100, NULL));
	CHECK_STR(buf_str(&got), "[p.9|x|l1\nl2\n][p.9|message|z]");
	buf_done(&b);
	buf_done(&got);
}

TEST(long_lines_and_long_messages_are_refused_at_every_split)
{
	struct str line = STR("data: 0123456789\n\n"), many = STR("data: 01234\ndata: 01234\n\n");

	for (size_t a = 0; a <= line.len; a++) {
		struct buf got = { 0 };

		CHECK(!read_cut(&got, line, a, a, 15, NULL));
		CHECK_INT(got.len, 0);
		CHECK(read_cut(&got, line, a, a, 16, NULL));
		buf_done(&got);
	}
	for (size_t a = 0; a <= many.len; a++) {
		struct buf got = { 0 };

		CHECK(!read_cut(&got, many, a, a, 11, NULL));
		CHECK_INT(got.len, 0);
		CHECK(read_cut(&got, many, a, a, 12, NULL));
		buf_done(&got);
	}
}

TEST_MAIN()
