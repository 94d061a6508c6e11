#include "hand/proxy_head.h"
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

TEST_MAIN()
