#include "lib/t.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/jsonrpc.h"

/* A peer that writes down everything, and keeps the calls of "later". */
struct side {
	struct jsonrpc *j;
	struct buf seen; /* messages */
	struct buf sent; /* texts, a line each */
	struct jsonrpc_call *calls[2000];
	size_t call_count;
};

static void add_json(struct buf *out, struct json v)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	if (json_is(v))
		buf_add_str(out, json_text(mem, v));
}

static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct side *s = user;

	switch (m->kind) {
	case JSONRPC_CALL:
		buf_printf(&s->seen, "call %.*s %.*s ", STR_ARG(m->id), STR_ARG(m->method));
		break;
	case JSONRPC_NOTIFICATION:
		CHECK(!str_is(m->id) && !m->call);
		buf_printf(&s->seen, "note %.*s ", STR_ARG(m->method));
		break;
	case JSONRPC_RESULT:
		buf_printf(&s->seen, "result %.*s ", STR_ARG(m->id));
		add_json(&s->seen, m->result);
		break;
	case JSONRPC_ERROR:
		buf_printf(&s->seen, "error %.*s %lld %.*s ", STR_ARG(m->id),
		           (long long)m->error_code, STR_ARG(m->error_message));
		add_json(&s->seen, m->error_data);
		break;
	}
	add_json(&s->seen, m->params);
	buf_add_char(&s->seen, '\n');
	if (m->kind != JSONRPC_CALL)
		return;
	if (str_eq(m->method, STR("echo")))
		jsonrpc_reply(m->call, STR("{\"ok\":true}"));
	else if (str_eq(m->method, STR("no")))
		jsonrpc_reply_error(m->call, JSONRPC_METHOD_NOT_FOUND, STR("no \"such\""),
		                    STR("{\"code\":\"not_found\"}"));
	else
		s->calls[s->call_count++] = m->call;
}

static void on_send(void *user, struct str text)
{
	struct side *s = user;

	CHECK(str_find_char(text, '\n') < 0);
	buf_add_str(&s->sent, text);
	buf_add_char(&s->sent, '\n');
}

static const struct jsonrpc_ops ops = { .on_message = on_message, .send = on_send };

static struct side *side_new(const struct jsonrpc_options *opt)
{
	struct side *s = memory_zeroed(1, sizeof *s);

	s->j = jsonrpc_new(opt, &ops, s);
	return s;
}

static void side_free(struct side *s)
{
	jsonrpc_free(s->j);
	for (size_t i = 0; i < s->call_count; i++)
		if (s->calls[i])
			jsonrpc_reply(s->calls[i], STR("null"));
	buf_done(&s->seen);
	buf_done(&s->sent);
	free(s);
}

#define FEED(s, literal) CHECK(jsonrpc_feed((s)->j, STR(literal)))

TEST(calls_and_notifications_are_read_and_answered)
{
	struct side *s = side_new(NULL);

	FEED(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"a\":[1]}}\n"
	        "{\"jsonrpc\":\"2.0\",\"method\":\"tick\"}\r\n"
	        "\n   \n"
	        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"no\",\"params\":[2]}\n");
	CHECK_STR(buf_str(&s->seen), "call 1 echo {\"a\":[1]}\nnote tick \ncall \"x\" no [2]\n");
	CHECK_STR(buf_str(&s->sent),
	          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n"
	          "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"no "
	          "\\\"such\\\"\",\"data\":{\"code\":\"not_found\"}}}\n");
	side_free(s);
}

TEST(an_id_goes_back_as_the_text_that_came)
{
	static const char *const ids[] = {
		"1.0",  "1e3",          "-0",  "123456789012345678901234567890", "\"a\\u0062\\/\"",
		"null", "\"\xc3\xa9\"", "0.10"
	};

	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct side *s = side_new(NULL);
		struct buf line = { 0 }, want = { 0 };

		buf_printf(&line,
		           "{ \"x\" : {\"id\":[3,\"]}\"]}, \"id\" : %s , \"method\":\"echo\","
		           "\"jsonrpc\":\"2.0\"}\n",
		           ids[i]);
		CHECK(jsonrpc_feed(s->j, buf_str(&line)));
		buf_printf(&want, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"ok\":true}}\n",
		           ids[i]);
		CHECK_SAME(buf_str(&s->sent), buf_str(&want));
		buf_done(&line);
		buf_done(&want);
		side_free(s);
	}
}

TEST(an_id_whose_key_is_written_with_escapes_still_comes_back)
{
	struct side *s = side_new(NULL);

	FEED(s, "{\"\\u0069d\":42,\"method\":\"echo\",\"jsonrpc\":\"2.0\"}\n");
	CHECK_STR(buf_str(&s->sent), "{\"jsonrpc\":\"2.0\",\"id\":42,\"result\":{\"ok\":true}}\n");
	side_free(s);
}

TEST(what_is_no_message_is_refused_and_the_connection_goes_on)
{
	static const struct {
		const char *line, *id;
		int code;
	} bad[] = {
		{ "{\"jsonrpc\":", "null", -32700 },
		{ "hello", "null", -32700 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"echo\"}", "null", -32700 },
		{ "{\"a\":\"\xff\"}", "null", -32700 },
		{ "1", "null", -32600 },
		{ "\"text\"", "null", -32600 },
		{ "[]", "null", -32600 },
		{ "{}", "null", -32600 },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"echo\"}", "1", -32600 },
		{ "{\"id\":1,\"method\":\"echo\"}", "1", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", "1", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "1", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":7}", "1", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"echo\"}", "null", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"echo\"}", "null", -32600 },
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct side *s = side_new(NULL);
		struct buf want = { 0 };

		CHECK(jsonrpc_feed(s->j, str_from(bad[i].line)));
		FEED(s, "\n");
		buf_printf(&want,
		           "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"",
		           bad[i].id, bad[i].code);
		CHECK_SAME(str_head(buf_str(&s->sent), want.len), buf_str(&want));
		CHECK_INT(s->seen.len, 0);
		FEED(s, "{\"jsonrpc\":\"2.0\",\"method\":\"tick\",\"params\":null}\n");
		CHECK_STR(buf_str(&s->seen), "note tick \n");
		buf_done(&want);
		side_free(s);
	}
}

TEST(answers_of_the_peer_are_told_from_calls)
{
	struct side *s = side_new(NULL);

	FEED(s, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":null}\n"
	        "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-5,\"message\":\"m\",\"data\":["
	        "1]}}\n");
	CHECK_STR(buf_str(&s->seen), "result 7 null\nerror 8 -5 m [1]\n");
	CHECK_INT(s->sent.len, 0);
	side_free(s);
}

TEST(a_batch_is_answered_as_one_array_in_order_when_the_last_answer_is_there)
{
	struct side *s = side_new(NULL);

	FEED(s, " [ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"later\"} ,5,"
	        "{\"jsonrpc\":\"2.0\",\"method\":\"tick\"}, "
	        "{\"jsonrpc\":\"2.0\",\"id\":\"]\",\"method\":\"echo\"},"
	        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"later\"}]\n");
	CHECK_INT(s->call_count, 2);
	CHECK_INT(jsonrpc_open_calls(s->j), 2);
	CHECK_INT(s->sent.len, 0);
	jsonrpc_reply(s->calls[1], STR("30"));
	CHECK_INT(s->sent.len, 0);
	jsonrpc_reply(s->calls[0], STR("10"));
	s->call_count = 0;
	CHECK_STR(
		buf_str(&s->sent),
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10},"
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
		"Request: not an object\"}},"
		"{\"jsonrpc\":\"2.0\",\"id\":\"]\",\"result\":{\"ok\":true}},"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":30}]\n");
	CHECK_INT(jsonrpc_open_calls(s->j), 0);
	buf_clear(&s->sent);
	FEED(s,
	     "[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]\n");
	CHECK_INT(s->sent.len, 0);
	side_free(s);
}

TEST(answers_after_the_connection_has_gone_go_nowhere)
{
	struct side *s = side_new(NULL);

	FEED(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"later\"}\n"
	        "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"later\"},"
	        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"later\"}]\n");
	CHECK(jsonrpc_of(s->calls[0]) == s->j);
	jsonrpc_reply(s->calls[1], STR("2"));
	s->calls[1] = NULL;
	jsonrpc_free(s->j);
	s->j = NULL;
	CHECK(jsonrpc_of(s->calls[0]) == NULL);
	side_free(s); /* answers the other two */
}

TEST(too_many_calls_or_a_batch_too_large_are_refused)
{
	struct side *s = side_new(&(struct jsonrpc_options){ .calls_max = 2, .batch_max = 3 });

	for (int i = 0; i < 3; i++)
		FEED(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"later\"}\n");
	CHECK_INT(s->call_count, 2);
	CHECK_HAS(buf_str(&s->sent), "-32000");
	buf_clear(&s->sent);
	FEED(s, "[1,2,3,4]\n");
	CHECK_HAS(buf_str(&s->sent), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600");
	side_free(s);
}

TEST(a_line_at_the_bound_is_read_and_one_byte_more_ends_the_connection)
{
	struct str line = STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n");

	for (size_t cut = 0; cut <= line.len; cut++) {
		struct jsonrpc_options opt = { .line_max = line.len - 1 };
		struct side *s = side_new(&opt);

		CHECK(jsonrpc_feed(s->j, str_head(line, cut)));
		CHECK(jsonrpc_feed(s->j, str_skip(line, cut)));
		CHECK_HAS(buf_str(&s->sent), "ok");
		side_free(s);

		opt.line_max--;
		s = side_new(&opt);
		CHECK(!(jsonrpc_feed(s->j, str_head(line, cut)) &&
		        jsonrpc_feed(s->j, str_skip(line, cut))));
		CHECK_STR(buf_str(&s->sent),
		          "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
		          "\"message\":\"Invalid Request: the line is too long\"}}\n");
		CHECK(!jsonrpc_feed(s->j, line));
		CHECK_INT(s->seen.len, 0);
		side_free(s);
	}
}

TEST(every_split_gives_the_same_messages)
{
	struct str text = STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n\n"
	                      "[{\"jsonrpc\":\"2.0\",\"id\":\"\\\"\",\"method\":\"no\"},1]\r\n"
	                      "bad\n{\"jsonrpc\":\"2.0\",\"method\":\"last \xc3\xa9\"}");
	struct side *whole = side_new(NULL);

	CHECK(jsonrpc_feed(whole->j, text));
	jsonrpc_feed_end(whole->j);
	CHECK_HAS(buf_str(&whole->seen), "note last \xc3\xa9");
	for (size_t a = 0; a <= text.len; a++)
		for (size_t b = a; b <= text.len; b++) {
			struct side *s = side_new(NULL);

			CHECK(jsonrpc_feed(s->j, str_head(text, a)));
			CHECK(jsonrpc_feed(s->j, str_of(text.ptr + a, b - a)));
			CHECK(jsonrpc_feed(s->j, str_skip(text, b)));
			jsonrpc_feed_end(s->j);
			CHECK_SAME(buf_str(&s->seen), buf_str(&whole->seen));
			CHECK_SAME(buf_str(&s->sent), buf_str(&whole->sent));
			side_free(s);
		}
	side_free(whole);
}

TEST(a_whole_message_may_hold_line_breaks)
{
	struct side *s = side_new(NULL);

	jsonrpc_feed_message(s->j,
	                     STR("{\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"method\":\"echo\"\n}\n"));
	CHECK_STR(buf_str(&s->sent), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n");
	side_free(s);
}

TEST(calls_and_notifications_of_ours_are_written)
{
	struct buf b = { 0 };

	jsonrpc_write_call(&b, STR("5"), STR("submit_turn"), STR("{\"input\":\"hi\"}"));
	CHECK_STR(buf_str(&b), "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"submit_turn\","
	                       "\"params\":{\"input\":\"hi\"}}");
	buf_clear(&b);
	jsonrpc_write_call(&b, STR_NONE, STR("event"), STR_NONE);
	CHECK_STR(buf_str(&b), "{\"jsonrpc\":\"2.0\",\"method\":\"event\"}");
	buf_done(&b);
}

TEST_MAIN()
