#include "lib/t.h"

#include "base/arena.h"
#include "net/http/http_parse.h"

#define HEAD "GET / HTTP/1.1\r\nHost: a\r\n"

/* One request as text: everything that a handler could see of it. */
static void describe(struct buf *out, const struct http_message *m)
{
	buf_printf(out, "%.*s %.*s path=%.*s", STR_ARG(m->method), STR_ARG(m->target),
	           STR_ARG(m->path));
	if (str_is(m->query))
		buf_printf(out, " query=%.*s", STR_ARG(m->query));
	for (size_t i = 0; i < m->param_count; i++)
		buf_printf(out, " ?%.*s=%.*s", STR_ARG(m->params[i].name),
		           STR_ARG(m->params[i].value));
	for (size_t i = 0; i < m->field_count; i++)
		buf_printf(out, " [%.*s:%.*s]", STR_ARG(m->fields[i].name),
		           STR_ARG(m->fields[i].value));
	buf_printf(out, " body=%.*s%s%s%s%s\n", STR_ARG(m->body), m->is_http_1_0 ? " 1.0" : "",
	           m->wants_continue ? " continue" : "", m->wants_keep_alive ? " keep" : "",
	           m->wants_upgrade ? " upgrade" : "");
}

struct reader {
	struct http_parser p;
	size_t body_max;
	struct buf seen;
	int status;
};

static void feed(struct reader *r, struct str bytes)
{
	bool goes_on = true;

	while (goes_on && !r->status) {
		struct http_message m;

		switch (http_parse(&r->p, &bytes)) {
		case HTTP_WANTS_MORE:
			CHECK_INT(bytes.len, 0);
			goes_on = false;
			break;
		case HTTP_HAS_HEAD:
			CHECK(http_parse_head(&r->p)->target.len > 0);
			if (!http_parse_body(&r->p, r->body_max))
				r->status = r->p.status;
			break;
		case HTTP_HAS_ALL:
			http_parse_take(&r->p, &m);
			describe(&r->seen, &m);
			http_parse_message_done(&m);
			CHECK(http_parser_is_idle(&r->p));
			break;
		case HTTP_IS_BAD:
			CHECK(r->p.status >= 400 && r->p.why && *r->p.why);
			r->status = r->p.status;
			break;
		}
	}
}

static void reader_done(struct reader *r)
{
	http_parse_done(&r->p);
	buf_done(&r->seen);
}

/* The status a text is refused with; 0 when it is not. */
static int refusal(struct str text)
{
	struct reader r = { .body_max = 1000 };
	struct reader bytewise = { .body_max = 1000 };
	int status;

	feed(&r, text);
	for (size_t i = 0; i < text.len; i++)
		feed(&bytewise, str_of(text.ptr + i, 1));
	CHECK_INT(bytewise.status, r.status); /* a split changes nothing */
	CHECK_SAME(buf_str(&bytewise.seen), buf_str(&r.seen));
	status = r.status;
	reader_done(&r);
	reader_done(&bytewise);
	return status;
}

static void check_seen(struct str text, const char *want)
{
	struct reader r = { .body_max = 1000 };

	feed(&r, text);
	CHECK_INT(r.status, 0);
	CHECK_SAME(buf_str(&r.seen), str_from(want));
	reader_done(&r);
}

TEST(a_request_has_method_target_headers_and_body)
{
	check_seen(
		STR("POST /v1/commands/x?a=1&b=%20c+d&e HTTP/1.1\r\nHost: h:1\r\n"
	            "X-Odd:  spaced out \t\r\nEmpty:\r\nContent-Length: 5\r\n\r\nhello"),
		"POST /v1/commands/x?a=1&b=%20c+d&e path=/v1/commands/x query=a=1&b=%20c+d&e ?a=1 "
		"?b= c d ?e= [Host:h:1] [X-Odd:spaced out] [Empty:] [Content-Length:5] body=hello "
		"keep\n");
}

TEST(lists_in_several_headers_are_joined_in_their_order)
{
	check_seen(STR(HEAD "Tracestate: a=1\r\nX: 1\r\nACCEPT: text/plain\r\ntracestate:  b=2 "
	                    "\r\nX: 2\r\nAccept: */*\r\ntracestate: c=3\r\n\r\n"),
	           "GET / path=/ [Host:a] [Tracestate:a=1,b=2,c=3] [X:1] [ACCEPT:text/plain,*/*] "
	           "[tracestate:b=2] [X:2] [Accept:*/*] [tracestate:c=3] body= keep\n");
}

TEST(pipelined_requests_come_out_one_by_one)
{
	check_seen(STR("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
	               "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
	               "\r\nHEAD /c HTTP/1.0\r\n\r\n"
	               "GET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
	           "GET /a path=/a [Host:x] body= keep\n"
	           "POST /b path=/b [Host:x] [Content-Length:2] body=hi keep\n"
	           "HEAD /c path=/c body= 1.0\n"
	           "GET /d path=/d [Host:x] [Connection:close] body=\n");
}

TEST(chunked_bodies_are_joined_and_trailers_forgotten)
{
	check_seen(STR("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
	               "3\r\nabc\r\n2;ext=\"1\"\r\nde\r\n0\r\nHost: evil\r\nX: y\r\n\r\n"
	               "GET /b HTTP/1.1\r\nHost: x\r\n\r\n"),
	           "POST /a path=/a [Host:x] [Transfer-Encoding:Chunked] body=abcde keep\n"
	           "GET /b path=/b [Host:x] body= keep\n");
}

TEST(every_split_of_every_kind_of_request_gives_the_same)
{
	static const struct {
		const char *text;
	} texts[] = {
		{ "GET /a%20b?x=%41&y=2 HTTP/1.1\r\nHost: example\r\nAccept: */*\r\n\r\n" },
		{ "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nExpect: "
		  "100-continue\r\n\r\n"
		  "hello, world" },
		{ "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
		  "chunked\r\n\r\n5;a=b\r\nhello\r\n"
		  "0\r\nT: v\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n" },
		{ "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: "
		  "websocket\r\n\r\n" },
		{ "GET http://a/abs?q HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\nxxxx" },
	};

	for (size_t t = 0; t < COUNT_OF(texts); t++) {
		struct str text = str_from(texts[t].text);
		struct reader whole = { .body_max = 1000 };

		feed(&whole, text);
		for (size_t a = 0; a <= text.len; a++)
			for (size_t b = a; b <= text.len; b++) {
				struct reader r = { .body_max = 1000 };

				feed(&r, str_head(text, a));
				feed(&r, str_of(text.ptr + a, b - a));
				feed(&r, str_skip(text, b));
				CHECK_INT(r.status, whole.status);
				CHECK_SAME(buf_str(&r.seen), buf_str(&whole.seen));
				reader_done(&r);
			}
		CHECK((whole.seen.len > 0) == (whole.status == 0));
		reader_done(&whole);
	}
}

TEST(bytes_after_an_upgrade_are_left_for_the_other_protocol)
{
	struct http_parser p = { 0 };
	struct http_message m;
	struct str text = STR(HEAD "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x80"
	                           "frames");

	CHECK(http_parse(&p, &text) == HTTP_HAS_HEAD);
	CHECK(http_parse_body(&p, 10));
	CHECK(http_parse(&p, &text) == HTTP_HAS_ALL);
	CHECK_STR(text, "\x81\x80"
	                "frames");
	http_parse_take(&p, &m);
	CHECK(m.wants_upgrade);
	http_parse_message_done(&m);
	http_parse_done(&p);
}

TEST(headers_are_found_in_any_case_and_lists_by_token)
{
	struct http_field f[] = { { STR("Accept"), STR("text/html, */*") },
		                  { STR("connection"), STR("keep-alive,\tUpgrade") } };
	struct http_message m = { .fields = f, .field_count = 2 };

	CHECK_STR(http_parse_find(&m, STR("ACCEPT")), "text/html, */*");
	CHECK(!str_is(http_parse_find(&m, STR("Accep"))));
	CHECK(http_parse_has_token(http_parse_find(&m, STR("Connection")), STR("upgrade")));
	CHECK(!http_parse_has_token(http_parse_find(&m, STR("Connection")), STR("alive")));
	CHECK(!http_parse_has_token(STR_NONE, STR("x")));
}

/* ---- two readers of the same bytes must not see two requests ---- */

TEST(smuggling_is_refused)
{
#define POST "POST / HTTP/1.1\r\nHost: a\r\n"
	static const char *const bad[] = {
		POST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
		POST "Content-Length: 4\r\nContent-Length: 5\r\n\r\nhello",
		POST "Content-Length: 4\r\nContent-Length: 4\r\n\r\nhell",
		POST "Content-Length: 4, 4\r\n\r\nhell",
		POST "Content-Length: +4\r\n\r\nhell",
		POST "Content-Length: -4\r\n\r\nhell",
		POST "Content-Length: 0x4\r\n\r\nhell",
		POST "Content-Length: 4 4\r\n\r\nhell",
		POST "Content-Length:\r\n\r\n",
		POST "Content-Length: 99999999999999999999999\r\n\r\n",
		POST "Content-Length : 4\r\n\r\nhell",
		POST " Content-Length: 4\r\n\r\nhell",
		POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding: \x0b"
		     "chunked\r\n\r\n0\r\n\r\n",
		POST "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", /* folded */
		POST "X: a\r\n b\r\n\r\n",
		POST "X: a\r\n\tb\r\n\r\n",
		POST "X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", /* bare LF */
		POST "X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", /* bare CR */
		POST "X: a\r\r\nY: b\r\n\r\n",
		"POST / HTTP/1.1\nHost: a\n\n",
		"POST / HTTP/1.1\r\nHost: a\r\n\n",
		POST "no colon\r\n\r\n",
		POST ": no name\r\n\r\n",
		POST "b\x01"
		     "d: x\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		POST "Transfer-Encoding: chunked\r\n\r\ng\r\n",
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n", /* no Host */
		"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
		HEAD "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
		HEAD "Origin: http://a\r\norigin: http://b\r\n\r\n",
		HEAD "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n",
		"GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET / \r\nHost: a\r\n\r\n",
		"get / HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET / HTTP/1.1 x\r\nHost: a\r\n\r\n",
		"GET / HTP/1.1\r\nHost: a\r\n\r\n",
		"\x16\x03\x01 a TLS greeting",
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		int status = refusal(str_from(bad[i]));

		if (status != 400 && status != 501)
			t_fail(__FILE__, __LINE__, "answered %d: %s", status, bad[i]);
	}
	CHECK_INT(refusal(STR(HEAD "X: a\0b\r\n\r\n")), 400);
	CHECK_INT(refusal(STR("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n")), 400);
	CHECK_INT(refusal(STR(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")), 501);
}

TEST(other_versions_methods_and_expectations_are_refused)
{
	CHECK_INT(refusal(STR("GET / HTTP/2.0\r\nHost: a\r\n\r\n")), 505);
	CHECK_INT(refusal(STR("GET / HTTP/0.9\r\nHost: a\r\n\r\n")), 505);
	CHECK_INT(refusal(STR("GET / HTTP/1.2\r\nHost: a\r\n\r\n")), 505);
	CHECK_INT(refusal(STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")), 505);
	CHECK(refusal(STR("GET /\r\n\r\n")) >= 400);
	CHECK_INT(refusal(STR("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n")), 501);
	CHECK_INT(refusal(STR("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n")), 501);
	CHECK_INT(refusal(STR("PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n")), 501);
	CHECK_INT(refusal(STR(HEAD "Expect: the best\r\n\r\n")), 417);
}

TEST(paths_are_decoded_and_those_that_mislead_refused)
{
	static const struct {
		const char *target, *path;
	} good[] = {
		{ "/", "/" },
		{ "/a/b.c/", "/a/b.c/" },
		{ "/%41%7a%C3%A9", "/Az\xc3\xa9" },
		{ "/a+b", "/a+b" },
		{ "/..a/...", "/..a/..." },
		{ "//x", "//x" },
		{ "/:@!$&'()*,;=~", "/:@!$&'()*,;=~" },
		{ "http://a", "/" },
		{ "HTTP://A/x", "/x" },
		{ "http://a?q=1", "/" },
	};
	static const char *const bad[] = { "/%",      "/%4",      "/%zz",        "/%00",
		                           "/a%2fb",  "/a%2Fb",   "/a%5cb",      "/.",
		                           "/..",     "/a/../b",  "/a/%2e%2e/b", "/%2e",
		                           "/a/./b",  "/%c3",     "/%ff",        "/%0a",
		                           "/%7f",    "*",        "a",           "/a#b",
		                           "?x",      "ftp://a/", "http://",     "http:///",
		                           "/x?a=%0", "/x?%00=1", "/x?a=%ff",    "/caf\xc3\xa9" };

	for (size_t i = 0; i < COUNT_OF(good); i++) {
		struct http_parser p = { 0 };
		struct buf b = { 0 };

		buf_printf(&b, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", good[i].target);

		struct str text = buf_str(&b);

		CHECK(http_parse(&p, &text) == HTTP_HAS_HEAD);
		CHECK_SAME(http_parse_head(&p)->path, str_from(good[i].path));
		CHECK_SAME(http_parse_head(&p)->target, str_from(good[i].target));
		http_parse_done(&p);
		buf_done(&b);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct buf b = { 0 };

		buf_printf(&b, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", bad[i]);
		if (refusal(buf_str(&b)) != 400)
			t_fail(__FILE__, __LINE__, "not refused: %s", bad[i]);
		buf_done(&b);
	}
	CHECK_INT(refusal(STR("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")), 0);
	CHECK_INT(refusal(STR("GET /x?a=1&&b&=c&a=2& HTTP/1.1\r\nHost: a\r\n\r\n")), 0);
}

TEST(parameters_are_found_by_name)
{
	struct http_parser p = { 0 };
	struct str text = STR("GET /x?after=12&types=a%2Cb&e=&flag&%61=1&after=13 HTTP/1.1\r\n"
	                      "Host: a\r\n\r\n");

	CHECK(http_parse(&p, &text) == HTTP_HAS_HEAD);

	const struct http_message *m = http_parse_head(&p);

	CHECK_STR(http_parse_param(m, STR("after")), "12");
	CHECK_STR(http_parse_param(m, STR("types")), "a,b");
	CHECK_STR(http_parse_param(m, STR("e")), "");
	CHECK_STR(http_parse_param(m, STR("flag")), "");
	CHECK_STR(http_parse_param(m, STR("a")), "1");
	CHECK(!str_is(http_parse_param(m, STR("After"))));
	http_parse_done(&p);
}

/* ---- bounds ---- */

static void add_many(struct buf *b, char c, size_t count)
{
	memset(buf_reserve(b, count), c, count);
	b->len += count;
}

static int refusal_of(struct buf *b)
{
	int status = refusal(buf_str(b));

	buf_done(b);
	return status;
}

TEST(everything_has_its_bound)
{
	struct buf b = { 0 };

	buf_add_c(&b, "GET /");
	add_many(&b, 'a', HTTP_LINE_MAX - 20);
	buf_add_c(&b, " HTTP/1.1\r\nHost: a\r\n\r\n");
	CHECK_INT(refusal_of(&b), 0);
	buf_add_c(&b, "GET /");
	add_many(&b, 'a', HTTP_LINE_MAX);
	CHECK_INT(refusal_of(&b), 414);

	buf_add_c(&b, HEAD "X: ");
	add_many(&b, 'v', HTTP_HEAD_MAX - 6);
	buf_add_c(&b, "\r\n\r\n");
	CHECK_INT(refusal_of(&b), 0);
	buf_add_c(&b, HEAD "X: ");
	add_many(&b, 'v', HTTP_HEAD_MAX - 5);
	CHECK_INT(refusal_of(&b), 431);
	buf_add_c(&b, HEAD);
	add_many(&b, 'n', HTTP_HEAD_MAX);
	CHECK_INT(refusal_of(&b), 431);

	for (int many = HTTP_FIELDS_MAX - 1; many <= HTTP_FIELDS_MAX; many++) {
		buf_add_c(&b, HEAD);
		for (int i = 0; i < many; i++)
			buf_add_c(&b, "a: b\r\n");
		buf_add_c(&b, "\r\n");
		CHECK_INT(refusal_of(&b), many < HTTP_FIELDS_MAX ? 0 : 431);
	}
	for (int many = HTTP_PARAMS_MAX; many <= HTTP_PARAMS_MAX + 1; many++) {
		buf_add_c(&b, "GET /?a");
		for (int i = 1; i < many; i++)
			buf_add_c(&b, "&a");
		buf_add_c(&b, " HTTP/1.1\r\nHost: a\r\n\r\n");
		CHECK_INT(refusal_of(&b), many <= HTTP_PARAMS_MAX ? 0 : 400);
	}

	CHECK_INT(refusal(STR("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")), 413);
	for (size_t len = 1000; len <= 1001; len++) {
		buf_printf(
			&b,
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n",
			len);
		add_many(&b, 'b', len);
		buf_add_c(&b, "\r\n0\r\n\r\n");
		CHECK_INT(refusal_of(&b), len == 1000 ? 0 : 413);
	}
	buf_add_c(&b, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;");
	add_many(&b, 'x', 5000);
	CHECK_INT(refusal_of(&b), 431);
	buf_add_c(&b, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: ");
	add_many(&b, 'x', 5000);
	CHECK_INT(refusal_of(&b), 431);
}

TEST_MAIN()
