#include "base/memory.h"
#include "test_net_client.h"

#include "net/http/http_server.h"
#include "net/listener.h"

#include <malloc.h>
#include <sys/resource.h>

/* A small site; requests it does not answer at once wait in `open`. */
struct site {
	struct loop *l;
	struct listener *li;
	struct http_server *srv;
	int port;
	struct http_request *open[2048];
	int open_count;
	int requests, closed, drains, problems;
	bool frees_itself;
	bool keeps_closed; /* on_closed does not end the request */
	size_t write_on_drain;
	struct buf paths; /* in the order they came */
};

static char junk[1 << 20];

static void forget(struct site *s, struct http_request *req)
{
	for (int i = 0; i < s->open_count; i++)
		if (s->open[i] == req)
			s->open[i] = s->open[--s->open_count];
}

static void on_closed(struct http_request *req)
{
	struct site *s = req->user;

	CHECK(http_reply_is_closed(req) && !http_reply_stream_of(req));
	s->closed++;
	if (s->keeps_closed)
		return;
	forget(s, req);
	http_reply_abort(req);
}

static void on_drain(struct http_request *req)
{
	struct site *s = req->user;

	s->drains++;
	if (s->write_on_drain)
		http_reply_stream_write(req, str_of(junk, s->write_on_drain));
}

static const struct http_field plain = { { "Content-Type", 12 }, { "text/plain", 10 } };

static void keep(struct site *s, struct http_request *req)
{
	req->user = s;
	req->on_closed = on_closed;
	req->on_drain = on_drain;
	s->open[s->open_count++] = req;
}

static void on_request(void *user, struct http_request *req)
{
	struct site *s = user;
	struct str path = req->in.path;

	s->requests++;
	buf_add_str(&s->paths, path);
	buf_add_char(&s->paths, ' ');
	if (str_eq(path, STR("/hello"))) {
		http_reply(req, 200, &plain, 1, STR("hello"));
	} else if (str_eq(path, STR("/echo"))) {
		http_reply(req, 200, &plain, 1, req->in.body);
	} else if (str_eq(path, STR("/empty"))) {
		http_reply(req, 204, NULL, 0, STR("not sent"));
	} else if (str_eq(path, STR("/same"))) {
		http_reply(req, 304, NULL, 0, STR("not sent"));
	} else if (str_eq(path, STR("/evil"))) {
		struct http_field f = { STR("X-Echo"), http_parse_param(&req->in, STR("v")) };

		http_reply(req, 200, &f, 1, STR("fine"));
	} else if (str_eq(path, STR("/big"))) {
		struct bytes *b = bytes_new(str_of(junk, sizeof junk));

		http_reply_bytes(req, 200, &plain, 1, b);
		bytes_unref(b);
	} else if (str_eq(path, STR("/huge"))) {
		struct bytes *b = bytes_new(str_of(junk, sizeof junk));

		http_reply_stream_begin(req, 200, &plain, 1);
		for (int i = 0; i < 32; i++)
			http_reply_stream_write_bytes(req, b);
		http_reply_stream_end(req);
		bytes_unref(b);
	} else if (str_eq(path, STR("/pieces"))) {
		struct bytes *b = bytes_new(STR("shared"));

		http_reply_stream_begin(req, 200, &plain, 1);
		CHECK(!req->in.path.ptr); /* what was asked is gone */
		http_reply_stream_write(req, STR("one,"));
		http_reply_stream_write(req, STR(""));
		http_reply_stream_write_bytes(req, b);
		http_reply_stream_end(req);
		bytes_unref(b);
	} else if (str_eq(path, STR("/abort"))) {
		http_reply_abort(req);
	} else if (str_eq(path, STR("/events"))) {
		keep(s, req);
		http_reply_stream_begin(req, 200, &plain, 1);
	} else if (str_eq(path, STR("/free"))) {
		keep(s, req);
		http_server_free(s->srv);
		s->srv = NULL;
	} else {
		keep(s, req);
	}
}

static size_t body_max(void *user, const struct http_message *head)
{
	(void)user;
	return str_eq(head->path, STR("/small")) ? 10 : 100000;
}

static void on_problem(void *user, int status, const char *why, struct buf *body,
                       struct str *content_type)
{
	struct site *s = user;

	s->problems++;
	if (status == 414)
		return; /* the default is good enough */
	*content_type = STR("application/x-problem");
	buf_printf(body, "{\"status\":%d,\"why\":\"%s\"}", status, why);
}

static const struct http_handler handler = { .on_request = on_request,
	                                     .body_max = body_max,
	                                     .on_problem = on_problem };

static void on_accept(void *arg, struct stream *s)
{
	http_server_take(((struct site *)arg)->srv, s);
}

static void site_open(struct site *s, const struct http_options *opt)
{
	struct error e;

	*s = (struct site){ .l = loop_new() };
	s->srv = http_server_new(s->l, opt, &handler, s);
	CHECK_OK(listener_tcp(s->l, STR("127.0.0.1:0"), on_accept, s, &s->li, &e), &e);
	s->port = listener_port(s->li);
}

static void site_close(struct site *s)
{
	http_server_free(s->srv);
	while (s->open_count) /* those that on_closed left to us */
		http_reply_abort(s->open[--s->open_count]);
	loop_free(s->l);
	buf_done(&s->paths);
}

/* Sends, waits for `want` and forgets what came before. */
#define ASK(s, c, text, want)                                                                      \
	do {                                                                                       \
		buf_clear(&(c)->in);                                                               \
		client_send((s)->l, (c), STR(text));                                               \
		UNTIL((s)->l, client_has((c), STR(want)));                                         \
	} while (0)

#define GET(path) "GET " path " HTTP/1.1\r\nHost: t\r\n\r\n"

TEST(requests_are_answered_on_one_connection)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	ASK(&s, &c, GET("/hello"), "hello");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                          "Content-Length: 5\r\n\r\nhello");
	ASK(&s, &c, "HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n", "\r\n\r\n");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                          "Content-Length: 5\r\n\r\n");
	ASK(&s, &c, GET("/empty"), "\r\n\r\n");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 204 No Content\r\n\r\n");
	ASK(&s, &c, GET("/same"), "\r\n\r\n");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 304 Not Modified\r\n\r\n");
	ASK(&s, &c, "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nbody",
	    "\r\n\r\nbody");
	ASK(&s, &c,
	    "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n",
	    "Content-Length: 7\r\n\r\nabcdefg");
	CHECK_INT(http_server_connections(s.srv), 1);
	ASK(&s, &c, "GET /hello HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n",
	    "Connection: close\r\n\r\nhello");
	UNTIL(s.l, client_ended(&c));
	CHECK(!c.is_reset);
	client_done(&c);
	UNTIL(s.l, http_server_connections(s.srv) == 0);
	site_close(&s);
}

TEST(an_answer_in_pieces_is_chunked_for_one_one_and_ends_the_connection_for_one_nought)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	ASK(&s, &c, GET("/pieces"), "\r\n0\r\n\r\n");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                          "Transfer-Encoding: chunked\r\n\r\n"
	                          "4\r\none,\r\n6\r\nshared\r\n0\r\n\r\n");
	ASK(&s, &c, "HEAD /pieces HTTP/1.1\r\nHost: t\r\n\r\n" GET("/hello"), "hello");
	CHECK_HAS(buf_str(&c.in), "chunked\r\n\r\nHTTP/1.1 200 OK\r\n"); /* no body in between */
	ASK(&s, &c, "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	    "Connection: keep-alive\r\n\r\nhello");
	ASK(&s, &c, "GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "one,shared");
	CHECK_STR(buf_str(&c.in), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                          "Connection: close\r\n\r\none,shared");
	UNTIL(s.l, client_ended(&c));
	client_done(&c);
	site_close(&s);
}

TEST(pipelined_requests_are_handled_one_at_a_time_and_answered_in_order)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	SEND(s.l, &c, GET("/hello") GET("/later1") GET("/echo") GET("/later2") GET("/hello"));
	UNTIL(s.l, s.open_count == 1);
	turn(s.l);
	CHECK_STR(buf_str(&s.paths), "/hello /later1 ");
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("first"));
	CHECK_STR(buf_str(&s.paths), "/hello /later1 "); /* not from inside the answer */
	UNTIL(s.l, s.open_count == 1);
	CHECK_STR(buf_str(&s.paths), "/hello /later1 /echo /later2 ");
	SEND(s.l, &c, GET("/last"));
	turn(s.l);
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("second"));
	UNTIL(s.l, s.open_count == 1);
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("third"));
	UNTIL(s.l, client_has(&c, STR("third")));

	struct str in = buf_str(&c.in);

	CHECK_INT(count_of(in, STR("HTTP/1.1 200 OK")), 6);
	CHECK(str_find(in, STR("first")) < str_find(in, STR("second")));
	CHECK(str_find(in, STR("second")) < str_find(in, STR("third")));
	client_done(&c);
	site_close(&s);
}

TEST(a_request_split_at_any_byte_is_the_same_request)
{
	static const char text[] =
		"POST /echo?x=1 HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n"
		"\r\n5\r\nhello\r\n0\r\n\r\n";
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);
	struct str all = str_from(text);

	for (size_t cut = 1; cut < all.len; cut++) {
		buf_clear(&c.in);
		client_send(s.l, &c, str_head(all, cut));
		turn(s.l);
		client_send(s.l, &c, str_skip(all, cut));
		UNTIL(s.l, client_has(&c, STR("Content-Length: 5\r\n\r\nhello")));
	}
	for (size_t i = 0; i < all.len; i++) {
		client_send(s.l, &c, str_of(all.ptr + i, 1));
		turn(s.l);
	}
	UNTIL(s.l, s.requests == (int)all.len);
	client_done(&c);
	site_close(&s);
}

TEST(a_client_that_asks_first_is_told_to_continue_or_not)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	ASK(&s, &c,
	    "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n",
	    "HTTP/1.1 100 Continue\r\n\r\n");
	CHECK_INT(s.requests, 0);
	ASK(&s, &c, "abc", "\r\n\r\nabc");
	ASK(&s, &c,
	    "POST /small HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n",
	    "HTTP/1.1 413 ");
	CHECK(str_find(buf_str(&c.in), STR("100 Continue")) < 0);
	UNTIL(s.l, client_ended(&c));
	client_done(&c);
	site_close(&s);
}

/* ---- refusals ---- */

/* One connection, one text; what came back until the end. */
static struct str response_to(struct site *s, struct client *c, struct str text)
{
	*c = client_tcp(s->port);
	client_send(s->l, c, text);
	shutdown(c->fd, SHUT_WR);
	UNTIL(s->l, client_ended(c));
	CHECK(!c->is_reset);
	return buf_str(&c->in);
}

TEST(what_is_too_large_is_refused_and_the_client_can_read_why)
{
	struct site s;
	struct client c;
	struct buf b = { 0 };

	site_open(&s, NULL);
	memset(junk, 'j', sizeof junk);

	/* The body is on its way already: the answer must not be lost to a reset. */
	buf_add_c(&b, "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n");
	buf_add(&b, junk, 1000000);
	CHECK_HAS(response_to(&s, &c, buf_str(&b)), "HTTP/1.1 413 Content Too Large\r\n"
	                                            "Content-Type: application/x-problem\r\n");
	CHECK_HAS(buf_str(&c.in), "Connection: close\r\n\r\n{\"status\":413,");
	client_done(&c);
	buf_clear(&b);

	buf_add_c(&b, "POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 100; i++)
		buf_add_c(&b, "5\r\nhello\r\n");
	CHECK_HAS(response_to(&s, &c, buf_str(&b)), "HTTP/1.1 413 ");
	client_done(&c);
	buf_clear(&b);

	buf_add_c(&b, "GET /");
	buf_add(&b, junk, 100000);
	CHECK_HAS(response_to(&s, &c, buf_str(&b)), "HTTP/1.1 414 URI Too Long\r\n"
	                                            "Content-Type: application/problem+json\r\n");
	CHECK_HAS(buf_str(&c.in),
	          "{\"type\":\"about:blank\",\"title\":\"URI Too Long\",\"status\":414,");
	client_done(&c);
	buf_clear(&b);

	buf_add_c(&b, "GET / HTTP/1.1\r\nHost: t\r\nX: ");
	buf_add(&b, junk, 100000);
	CHECK_HAS(response_to(&s, &c, buf_str(&b)), "HTTP/1.1 431 ");
	client_done(&c);
	CHECK_INT(s.requests, 0);
	CHECK_INT(s.problems, 4);
	buf_done(&b);
	site_close(&s);
}

TEST(what_could_be_read_in_two_ways_is_refused_and_nothing_after_it_is_read)
{
#define SMUGGLED "GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n"
#define POST "POST /echo HTTP/1.1\r\nHost: t\r\n"
	static const char *const bad[] = {
		POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
		POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" SMUGGLED,
		POST "Content-Length: 0\r\nContent-Length: 40\r\n\r\n" SMUGGLED,
		POST "Content-Length : 40\r\n\r\n" SMUGGLED,
		POST "X: a\r\n Content-Length: 40\r\n\r\n" SMUGGLED,
		POST "X: a\nContent-Length: 40\r\n\r\n" SMUGGLED,
		"POST /echo HTTP/1.1\nHost: t\n\n" SMUGGLED,
		"GET /a/../b HTTP/1.1\r\nHost: t\r\n\r\n" SMUGGLED,
		"GET / HTTP/1.1\r\n\r\n" SMUGGLED,
	};
	struct site s;

	site_open(&s, NULL);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct client c;
		struct str in = response_to(&s, &c, str_from(bad[i]));

		CHECK(str_starts(in, STR("HTTP/1.1 400 Bad Request\r\n")));
		CHECK_INT(count_of(in, STR("HTTP/1.1 ")), 1);
		client_done(&c);
	}
	CHECK_INT(s.requests, 0);
	site_close(&s);
}

TEST(nothing_can_be_injected_into_an_answer_by_a_header)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	ASK(&s, &c, GET("/evil?v=a%0d%0aSet-Cookie:%20x%0d%0a%0d%0abody%01%7f"), "\r\n\r\nfine");
	CHECK_HAS(buf_str(&c.in),
	          "X-Echo: a  Set-Cookie: x    body  \r\nContent-Length: 4\r\n\r\nfine");
	client_done(&c);
	site_close(&s);
}

/* ---- time ---- */

TEST(slow_and_silent_clients_are_sent_away)
{
	struct site s;

	site_open(&s, &(struct http_options){
			      .header_ms = 8, .body_ms = 8, .idle_ms = 60000, .linger_ms = 5 });

	struct client head = client_tcp(s.port), body = client_tcp(s.port),
		      drip = client_tcp(s.port);

	SEND(s.l, &head, "GET / HTTP/1.1\r\nHos");
	SEND(s.l, &body, "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
	SEND(s.l, &drip, "GET / HTTP/1.1\r\n");
	UNTIL(s.l, client_ended(&head) && client_ended(&body) &&
	                   (client_try(&drip, STR("a: b\r\n")), client_ended(&drip)));
	CHECK(str_starts(buf_str(&head.in), STR("HTTP/1.1 408 Request Timeout\r\n")));
	CHECK(str_starts(buf_str(&body.in), STR("HTTP/1.1 408 ")));
	CHECK_INT(s.requests, 0);
	UNTIL(s.l, http_server_connections(s.srv) == 0);
	client_done(&head);
	client_done(&body);
	client_done(&drip);
	site_close(&s);
}

/*
 * A connection that was idle too long is closed even if the client was about
 * to speak: on a busy machine a client may have to try again.
 */
static struct client ask_until_answered(struct site *s, struct str ask, struct str want)
{
	for (;;) {
		struct client c = client_tcp(s->port);

		client_send(s->l, &c, ask);
		UNTIL(s->l, client_has(&c, want) || c.is_eof);
		if (client_has(&c, want))
			return c;
		client_done(&c);
	}
}

TEST(idle_connections_are_closed_but_not_those_with_an_open_request)
{
	struct site s;

	site_open(&s, &(struct http_options){ .idle_ms = 8, .header_ms = 60000 });

	struct client silent = client_tcp(s.port);
	struct client used = ask_until_answered(&s, STR(GET("/hello")), STR("hello"));
	struct client busy = ask_until_answered(&s, STR(GET("/events")), STR("\r\n\r\n"));

	UNTIL(s.l, client_ended(&silent) && client_ended(&used));
	CHECK_INT(silent.in.len, 0);
	UNTIL(s.l, http_server_connections(s.srv) == 1);
	CHECK(!client_ended(&busy));
	http_reply_stream_write(s.open[0], STR("at last"));
	http_reply_stream_end(s.open[--s.open_count]);
	UNTIL(s.l, client_has(&busy, STR("at last")));
	UNTIL(s.l, client_ended(&busy));
	client_done(&silent);
	client_done(&used);
	client_done(&busy);
	site_close(&s);
}

TEST(a_client_that_does_not_read_its_answer_is_dropped_in_the_end)
{
	struct site s;

	site_open(&s, &(struct http_options){ .idle_ms = 10, .stall_ms = 10, .linger_ms = 10 });

	/* More than the kernel keeps, once on a connection that continues and once on one that ends. */
	struct client c = ask_until_answered(&s, STR(GET("/huge")), STR("\r\n\r\n"));
	struct client d =
		ask_until_answered(&s, STR("GET /huge HTTP/1.0\r\n\r\n"), STR("\r\n\r\n"));

	UNTIL(s.l, http_server_connections(s.srv) == 0);
	client_done(&c);
	client_done(&d);
	site_close(&s);
}

/* ---- peers that go ---- */

TEST(the_handler_is_told_once_when_a_stream_reader_leaves)
{
	struct site s;

	site_open(&s, NULL);
	s.keeps_closed = true;

	struct client c = client_tcp(s.port);

	ASK(&s, &c, GET("/events"), "chunked\r\n\r\n");
	http_reply_stream_write(s.open[0], STR("data: 1\n\n"));
	UNTIL(s.l, client_has(&c, STR("data: 1\n\n\r\n")));
	client_done(&c);
	UNTIL(s.l, s.closed == 1);
	/* The request is still ours, and harmless. */
	http_reply_stream_write(s.open[0], STR("data: 2\n\n"));
	CHECK_INT(http_reply_pending(s.open[0]), 0);
	for (int i = 0; i < 5; i++)
		turn(s.l);
	CHECK_INT(s.closed, 1);
	CHECK_INT(http_server_connections(s.srv), 1);
	http_reply_stream_end(s.open[--s.open_count]);
	CHECK_INT(http_server_connections(s.srv), 0);
	site_close(&s);
}

TEST(the_handler_is_told_when_a_client_breaks_off_while_it_works)
{
	struct site s;
	struct linger hard = { .l_onoff = 1 };

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	SEND(s.l, &c, GET("/later"));
	UNTIL(s.l, s.open_count == 1);
	setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	client_done(&c);
	UNTIL(s.l, s.closed == 1);
	UNTIL(s.l, http_server_connections(s.srv) == 0);
	site_close(&s);
}

TEST(a_client_that_only_ends_its_side_still_gets_its_answers)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	SEND(s.l, &c, GET("/later") GET("/hello") GET("/later"));
	shutdown(c.fd, SHUT_WR);
	UNTIL(s.l, s.open_count == 1);
	for (int i = 0; i < 5; i++)
		turn(s.l);
	CHECK_INT(s.closed, 0);
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("one"));
	UNTIL(s.l, s.open_count == 1);
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("three"));
	UNTIL(s.l, client_ended(&c));
	CHECK(!c.is_reset);
	CHECK_HAS(buf_str(&c.in), "\r\n\r\none");
	CHECK_HAS(buf_str(&c.in), "\r\n\r\nhello");
	CHECK_HAS(buf_str(&c.in), "\r\n\r\nthree");
	client_done(&c);
	site_close(&s);
}

TEST(an_aborted_request_closes_its_connection)
{
	struct site s;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	SEND(s.l, &c, GET("/abort"));
	UNTIL(s.l, client_ended(&c));
	CHECK_INT(c.in.len, 0);
	client_done(&c);
	site_close(&s);
}

/* ---- pressure ---- */

TEST(a_reader_that_never_reads_holds_the_stream_at_its_mark)
{
	struct site s;

	site_open(&s, &(struct http_options){ .low_water = 1000 });
	s.write_on_drain = 65536;

	struct client c = client_tcp(s.port);
	size_t before;

	SEND(s.l, &c, GET("/events"));
	UNTIL(s.l, s.open_count == 1);
	http_reply_stream_write(s.open[0], str_of(junk, 65536));
	for (int i = 0; i < 300; i++)
		loop_run_once(s.l, 0);
	before = http_reply_pending(s.open[0]);
	CHECK(s.drains > 0 && before > 0 && before < 1000 + 65536 + 100);
	for (int i = 0; i < 50; i++)
		loop_run_once(s.l, 0);
	CHECK_INT(http_reply_pending(s.open[0]), before);

	int drains = s.drains;

	UNTIL(s.l, (client_read(&c), s.drains > drains + 5));
	client_done(&c);
	UNTIL(s.l, s.closed == 1);
	site_close(&s);
}

TEST(a_flood_of_pipelined_requests_from_one_who_never_reads_is_held)
{
	struct site s;
	struct buf b = { 0 };
	size_t sent = 0;

	site_open(&s, NULL);

	struct client c = client_tcp(s.port);

	for (int i = 0; i < 40; i++)
		buf_add_c(&b, GET("/big"));
	for (int i = 0; i < 20000; i++)
		buf_add_c(&b, GET("/hello"));
	for (int i = 0; i < 200; i++) {
		sent += client_try(&c, str_skip(buf_str(&b), sent));
		turn(s.l);
	}
	CHECK(s.requests < 40); /* the first big answers are in the way */

	int held = s.requests;

	for (int i = 0; i < 50; i++)
		turn(s.l);
	CHECK_INT(s.requests, held);
	UNTIL(s.l, (sent += client_try(&c, str_skip(buf_str(&b), sent)), client_read(&c),
	            s.requests == 20040));

	size_t head =
		strlen("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \r\n\r\n");
	size_t all = 40 * (head + 7 + sizeof junk) + 20000 * (head + 1 + 5);

	UNTIL(s.l, (client_read(&c), c.in.len == all));
	client_done(&c);
	buf_done(&b);
	site_close(&s);
}

static void check_two_at_most(const struct http_options *opt)
{
	struct site s;

	site_open(&s, opt);

	struct client a = client_tcp(s.port), b = client_tcp(s.port);

	ASK(&s, &a, GET("/hello"), "hello");
	ASK(&s, &b, GET("/hello"), "hello");

	struct client c = client_tcp(s.port);

	UNTIL(s.l, client_ended(&c));
	CHECK(str_starts(buf_str(&c.in), STR("HTTP/1.1 503 ")));
	client_done(&c);
	client_done(&a);
	UNTIL(s.l, http_server_connections(s.srv) == 1);
	c = client_tcp(s.port);
	ASK(&s, &c, GET("/hello"), "hello");
	client_done(&b);
	client_done(&c);
	site_close(&s);
}

TEST(connections_above_the_bound_are_refused)
{
	check_two_at_most(&(struct http_options){ .connections_max = 2 });
}

TEST(so_are_those_above_the_bound_of_one_address)
{
	check_two_at_most(&(struct http_options){ .peer_max = 2 });
}

/* ---- the end ---- */

TEST(draining_lets_open_requests_finish_and_takes_no_more)
{
	struct site s;

	site_open(&s, NULL);

	struct client idle = client_tcp(s.port), busy = client_tcp(s.port),
		      half = client_tcp(s.port);

	ASK(&s, &idle, GET("/hello"), "hello");
	SEND(s.l, &busy, GET("/later") GET("/hello"));
	SEND(s.l, &half, "GET /hello HTTP/1.1\r\nHo");
	UNTIL(s.l, s.open_count == 1);
	turn(s.l);
	http_server_drain(s.srv);
	UNTIL(s.l, client_ended(&idle));
	CHECK(!client_ended(&busy) && !client_ended(&half));
	http_reply(s.open[--s.open_count], 200, NULL, 0, STR("done"));
	UNTIL(s.l, client_ended(&busy));
	CHECK_HAS(buf_str(&busy.in), "Connection: close\r\n\r\ndone");
	CHECK(str_find(buf_str(&busy.in), STR("hello")) < 0);
	ASK(&s, &half, "st: t\r\n\r\n", "Connection: close\r\n\r\nhello");
	UNTIL(s.l, client_ended(&half));
	client_done(&idle);
	client_done(&busy);
	client_done(&half);
	UNTIL(s.l, http_server_connections(s.srv) == 0);
	site_close(&s);
}

TEST(a_server_may_be_freed_at_any_time_and_open_requests_outlive_it)
{
	struct site s;

	site_open(&s, NULL);
	s.keeps_closed = true;

	struct client a = client_tcp(s.port), b = client_tcp(s.port), c = client_tcp(s.port);

	SEND(s.l, &a, GET("/later"));
	SEND(s.l, &b, GET("/events"));
	UNTIL(s.l, s.open_count == 2);
	listener_close(s.li);
	SEND(s.l, &c, GET("/free"));
	UNTIL(s.l, client_ended(&a) && client_ended(&b) && client_ended(&c));
	CHECK_INT(s.closed, 3);
	http_reply(s.open[0], 200, NULL, 0, STR("too late"));
	http_reply_stream_write(s.open[1], STR("too late"));
	http_reply_stream_end(s.open[1]);
	loop_free(s.l); /* with one request still open */
	http_reply(s.open[2], 200, NULL, 0, STR("too late"));
	buf_done(&s.paths);
	client_done(&a);
	client_done(&b);
	client_done(&c);
}

TEST(a_loop_freed_first_tells_the_handlers_too)
{
	struct site s;

	site_open(&s, NULL);

	struct client a = client_tcp(s.port);

	SEND(s.l, &a, GET("/events"));
	UNTIL(s.l, s.open_count == 1);
	loop_free(s.l);
	CHECK_INT(s.closed, 1);
	http_server_free(s.srv);
	buf_done(&s.paths);
	client_done(&a);
}

/* ---- cost ---- */

static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return true;
#else
	return false;
#endif
#else
	return false;
#endif
}

TEST(a_thousand_idle_event_streams_cost_little_each)
{
	enum { MANY = 1000 };
	/* what a browser sends, give or take */
	static const char ask[] =
		"GET /events?session=sess_01m7fr3yr0e0kb5te5crt893zq&after=0 HTTP/1.1\r\n"
		"Host: 127.0.0.1:8080\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) "
		"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36\r\n"
		"Accept: text/event-stream\r\nAccept-Language: en-US,en;q=0.9\r\n"
		"Accept-Encoding: gzip, deflate, br\r\nCache-Control: no-cache\r\n"
		"Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n"
		"Referer: http://127.0.0.1:8080/console\r\nSec-Fetch-Mode: cors\r\n\r\n";
	struct site s;
	struct rlimit was, more;
	int *fds = memory_zeroed(MANY, sizeof *fds);
	size_t before;

	getrlimit(RLIMIT_NOFILE, &was);
	more = was;
	more.rlim_cur = MAX(was.rlim_cur, MIN(was.rlim_max, (rlim_t)3 * MANY));
	setrlimit(RLIMIT_NOFILE, &more);

	int many = (int)MIN((rlim_t)MANY, (more.rlim_cur - 100) / 2);

	site_open(&s, NULL);
	before = mallinfo2().uordblks;
	for (int i = 0; i < many; i++) {
		fds[i] = tcp_connect(s.port);
		CHECK(fds[i] >= 0);
		CHECK(write(fds[i], ask, sizeof ask - 1) == (ssize_t)sizeof ask - 1);
		turn(s.l);
	}
	UNTIL(s.l, s.open_count == many);
	for (int i = 0; i < many; i++)
		http_reply_stream_write(s.open[i], STR(": ping\n\n"));
	for (int i = 0; i < 3; i++)
		turn(s.l);

	size_t each = (mallinfo2().uordblks - before) / (size_t)many;

	if (!is_sanitized()) {
		print_message("             %d idle event streams take %zu bytes each\n", many,
		              each);
		CHECK(each < 2048);
	}
	for (int i = 0; i < many; i++)
		close(fds[i]);
	UNTIL(s.l, s.closed == many);
	UNTIL(s.l, http_server_connections(s.srv) == 0);
	free(fds);
	site_close(&s);
	setrlimit(RLIMIT_NOFILE, &was);
}

TEST_MAIN()
