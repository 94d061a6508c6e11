#include "supervisor/egress/proxy_head.h"
#include "lib/t.h"

static struct proxy_head head;
static const char *why;

static int reads(const char *text)
{
	struct str whole = str_from(text);

	buf_done(&head.text);
	head = (struct proxy_head){ 0 };
	CHECK(proxy_head_end(whole) == whole.len);
	return proxy_head_read(whole, &head, &why);
}

static bool sends(const char *text)
{
	bool same = str_eq(buf_str(&head.text), str_from(text));

	if (!same)
		print_error("%.*s", STR_ARG(buf_str(&head.text)));
	return same;
}

TEST(a_head_is_whole_at_its_empty_line)
{
	CHECK(!proxy_head_end(STR("")) && !proxy_head_end(STR("GET / HTTP/1.1\r\nA: b\r\n\r")));
	CHECK(!proxy_head_end(STR("GET / HTTP/1.1\n\n")));
	CHECK(proxy_head_end(STR("A\r\n\r\nrest")) == 5);
}

TEST(a_tunnel_names_its_host_and_port)
{
	CHECK(!reads("CONNECT Example.org:443 HTTP/1.1\r\nHost: other.example:1\r\nContent-Length: "
	             "7\r\n\r\n"));
	CHECK(head.is_connect && !strcmp(head.host.text, "example.org") && head.port == 443);
	CHECK(!head.text.len && !head.body_len && !why);
	CHECK(!reads("CONNECT [2001:db8::1]:8443 HTTP/1.0\r\n\r\n") && head.host.is_address);
	CHECK(reads("CONNECT example.org HTTP/1.1\r\n\r\n") == 400);
	CHECK(reads("CONNECT http://example.org:443 HTTP/1.1\r\n\r\n") == 400);
	CHECK(reads("CONNECT user@example.org:443 HTTP/1.1\r\n\r\n") == 400);
}

TEST(a_request_is_sent_on_for_the_host_that_was_judged)
{
	CHECK(!reads("GET http://Example.org/a?b=http://c#d HTTP/1.1\r\nHost: evil.example\r\n"
	             "Proxy-Authorization: Basic eA==\r\nproxy-connection: keep-alive\r\n"
	             "Connection: keep-alive\r\nAccept:  */* \r\n\r\n"));
	CHECK(!head.is_connect && head.port == 80);
	CHECK(sends("GET /a?b=http://c HTTP/1.1\r\nHost: example.org\r\nConnection: "
	            "close\r\nAccept: */*\r\n\r\n"));
	CHECK(!reads("OPTIONS http://[::1]:8080?x HTTP/1.0\r\n\r\n"));
	CHECK(sends("OPTIONS /?x HTTP/1.0\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n"));
	CHECK(!reads("POST http://example.org HTTP/1.1\r\nContent-Length: 12\r\n\r\n") &&
	      head.body_len == 12);
	CHECK(sends("POST / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\nContent-Length: "
	            "12\r\n\r\n"));
}

/* Two readers of the same bytes must not see two requests. */
TEST(what_could_be_read_in_two_ways_is_refused)
{
	static const struct {
		const char *text;
		int status;
	} all[] = {
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: "
		  "1\r\n\r\n",
		  400 },
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
		  400 },
		{ "GET http://a.example/ HTTP/1.1\r\nContent-Length:\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411 },
		{ "GET http://a.example/ HTTP/1.1\r\ntransfer-encoding : chunked\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nA b: c\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nno colon\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\n: x\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 400 },
		{ "GET http://a.example/\tx HTTP/1.1\r\n\r\n", 400 },
		{ "GET http://a.example/ x HTTP/1.1\r\n\r\n", 505 },
		{ "GET  http://a.example/ HTTP/1.1\r\n\r\n", 400 },
		{ " GET http://a.example/ HTTP/1.1\r\n\r\n", 400 },
		{ "G(T http://a.example/ HTTP/1.1\r\n\r\n", 400 },
		{ "GET https://a.example/ HTTP/1.1\r\n\r\n", 400 },
		{ "GET /path HTTP/1.1\r\nHost: a.example\r\n\r\n", 400 },
		{ "GET http:///path HTTP/1.1\r\n\r\n", 400 },
		{ "GET http://a.example/ HTTP/1.1 \r\n\r\n", 505 },
		{ "GET http://a.example/ HTTP/0.9\r\n\r\n", 505 },
		{ "GET http://a.example/\r\n\r\n", 400 },
		{ "\r\n\r\n", 400 },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		int status = reads(all[i].text);

		if (status != all[i].status)
			print_error("%d: %s", status, all[i].text);
		CHECK(status == all[i].status && why);
	}
	buf_done(&head.text);
}

#define LINE "GET http://a.example/ HTTP/1.1\r\n"
#define BYTES(literal)                                                                             \
	{                                                                                          \
		literal, sizeof literal - 1                                                        \
	}

/* Shapes that smuggle a second request past one of two readers. */
TEST(smuggled_requests_are_refused)
{
	static const struct {
		struct str text;
		int status;
	} all[] = {
		{ BYTES(LINE "Content-Length: 4\r\nContent-Length: 5\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length: 4\r\ncontent-length: 4\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length: +4\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length: 4 4\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length: 18446744073709551616\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding: identity\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding: xchunked\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding:\r\n\r\n"), 411 },
		{ BYTES(LINE "tRANSFER-eNCODING:\tchunked\r\n\r\n"), 411 },
		{ BYTES(LINE "Transfer-Encoding\t: chunked\r\n\r\n"), 400 },
		{ BYTES(LINE "Transfer_Encoding: chunked\r\nContent-Length: 4\r\n\r\n"), 0 },
		{ BYTES(LINE "A: b\r\n\tContent-Length: 4\r\n\r\n"), 400 },
		{ BYTES(LINE " A: b\r\n\r\n"), 400 },
		{ BYTES(LINE "A: b\nTransfer-Encoding: chunked\r\n\r\n"), 400 },
		{ BYTES(LINE "A: b\rTransfer-Encoding: chunked\r\n\r\n"), 400 },
		{ BYTES(LINE "A:\nB: c\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example/ HTTP/1.1\nHost: b.example\r\n\r\n"), 505 },
		{ BYTES("GET http://a.example/\nHost: b.example HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES(LINE "A\0B: c\r\n\r\n"), 400 },
		{ BYTES(LINE "A: b\0c\r\n\r\n"), 400 },
		{ BYTES(LINE "Content-Length\0: 4\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example/\0 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET\0http://a.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example\0.b.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES(LINE "A\xc3\xbc: b\r\n\r\n"), 400 },
		{ BYTES(LINE "A: b\x7f\r\n\r\n"), 400 },
		{ BYTES("\r\nGET http://a.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example/  HTTP/1.1\r\n\r\n"), 505 },
		{ BYTES("GET\thttp://a.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example/ http/1.1\r\n\r\n"), 505 },
		{ BYTES("GET http://a.example/ HTTP/1.10\r\n\r\n"), 505 },
		{ BYTES("GET http://a.example/ HTTP/2.0\r\n\r\n"), 505 },
		{ BYTES("PRI * HTTP/2.0\r\n\r\n"), 505 },
		{ BYTES("SOURCE http://a.example/ ICE/1.0\r\n\r\n"), 505 },
		{ BYTES("OPTIONS rtsp://a.example/ RTSP/1.0\r\n\r\n"), 505 },
		{ BYTES("NONSENSE http://a.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://user@a.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example:80@b.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://a.example\\@b.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("GET http://\xc3\xbc.example/ HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT user@a.example:443 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT user:secret@a.example:443 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT a.example:443@b.example:443 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT a.example:443/path HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT a.example:0 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT a.example:65536 HTTP/1.1\r\n\r\n"), 400 },
		{ BYTES("CONNECT a.example:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
		  411 },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		int status;

		buf_done(&head.text);
		head = (struct proxy_head){ 0 };
		CHECK(proxy_head_end(all[i].text) == all[i].text.len);
		status = proxy_head_read(all[i].text, &head, &why);
		if (status != all[i].status)
			print_error("%d: %.*s", status, STR_ARG(all[i].text));
		CHECK(status == all[i].status && !why == !status);
	}
}

TEST(the_judged_host_replaces_another_host_header)
{
	CHECK(!reads("GET http://a.example/x HTTP/1.1\r\nHost: b.example\r\nHost: c.example\r\n"
	             "Upgrade: websocket\r\nA:\r\n\r\n"));
	CHECK(!strcmp(head.host.text, "a.example"));
	CHECK(sends("GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\nA: \r\n\r\n"));
}

TEST(other_bytes_than_ascii_in_a_target_are_encoded)
{
	CHECK(!reads("GET http://a.example/\xc3\xbc?q=\xff HTTP/1.1\r\nB: \xc3\xbc\r\n\r\n"));
	CHECK(sends("GET /%C3%BC?q=%FF HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n"
	            "B: \xc3\xbc\r\n\r\n"));
}

/* A head of the largest size; what is longer is refused before it is parsed (test_proxy_serve.c). */
TEST(long_lines_are_read_and_too_many_are_not)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_str(&text, STR("GET http://a.example/"));
	while (text.len < PROXY_HEAD_MAX / 2)
		buf_add_char(&text, 'x');
	buf_add_str(&text, STR(" HTTP/1.1\r\nA: "));
	while (text.len < PROXY_HEAD_MAX - 4)
		buf_add_char(&text, 'y');
	buf_add_str(&text, STR("\r\n\r\n"));
	buf_add_char(&text, '\0');
	CHECK(!reads(text.ptr));
	CHECK(head.text.len > PROXY_HEAD_MAX - 100);
	for (int count = 100; count <= 101; count++) {
		text.len = 0;
		buf_add_str(&text, STR(LINE));
		for (int i = 0; i < count; i++)
			buf_printf(&text, "A%d: b\r\n", i);
		buf_add_str(&text, STR("\r\n"));
		buf_add_char(&text, '\0');
		CHECK_INT(reads(text.ptr), count == 100 ? 0 : 431);
	}
	buf_done(&head.text);
}

TEST_MAIN()
