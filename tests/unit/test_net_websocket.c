#include "test_net_client.h"

#include "net/http/http_server.h"
#include "net/listener.h"

/* A site whose every request becomes a WebSocket that echoes. */
struct site {
	struct loop *l;
	struct http_server *srv;
	int port;
	struct ws *ws; /* the last one */
	struct ws_options opt;
	struct buf texts; /* received messages, each in brackets */
	int opened, closed, code, drains;
	bool upgrades_later, was_silent;
	struct http_request *waiting;
	const char *closes_with; /* the text upon which we close */
	const char *reason;      /* NULL: enough */
	size_t send_on_drain;
};

static char junk[1 << 20];

static void on_text(struct ws *w, struct str text)
{
	struct site *s = websocket_user(w);

	buf_add_char(&s->texts, '[');
	buf_add_str(&s->texts, str_head(text, 100));
	buf_add_char(&s->texts, ']');
	if (s->closes_with && str_eq(text, str_from(s->closes_with))) {
		websocket_close(w, 4001, str_from(s->reason ? s->reason : "enough"));
		websocket_close(w, 4002, STR("not this one"));
	}
	websocket_send_text(w, text);
}

static void on_drain(struct ws *w)
{
	struct site *s = websocket_user(w);

	s->drains++;
	if (s->send_on_drain)
		websocket_send_text(w, str_of(junk, s->send_on_drain));
}

static void on_closed(struct ws *w, int code)
{
	struct site *s = websocket_user(w);

	s->closed++;
	s->code = code;
	s->was_silent = websocket_was_silent(w);
	if (s->ws == w)
		s->ws = NULL;
}

static const struct ws_ops ops = { .on_text = on_text,
	                           .on_drain = on_drain,
	                           .on_closed = on_closed };

static void upgrade(struct site *s, struct http_request *req)
{
	s->ws = http_reply_upgrade_websocket(req, STR("rpc"), &s->opt, &ops, s);
	s->opened += s->ws != NULL;
}

static void on_request(void *user, struct http_request *req)
{
	struct site *s = user;

	if (s->upgrades_later)
		s->waiting = req;
	else
		upgrade(s, req);
}

static const struct http_handler handler = { .on_request = on_request };

static void on_accept(void *arg, struct stream *st)
{
	http_server_take(((struct site *)arg)->srv, st);
}

static void site_open(struct site *s)
{
	struct listener *li;
	struct error e;

	*s = (struct site){ .l = loop_new() };
	s->srv = http_server_new(s->l, NULL, &handler, s);
	CHECK_OK(listener_tcp(s->l, STR("127.0.0.1:0"), on_accept, s, &li, &e), &e);
	s->port = listener_port(li);
	s->opt.message_max = 100000;
}

static void site_close(struct site *s)
{
	http_server_free(s->srv);
	loop_free(s->l);
	CHECK_INT(s->opened, s->closed);
	buf_done(&s->texts);
}

#define HANDSHAKE                                                                                  \
	"GET /v1/rpc HTTP/1.1\r\nHost: t\r\nConnection: keep-alive, Upgrade\r\nUpgrade: "          \
	"WebSocket\r\n"                                                                            \
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

static struct client shake_hands(struct site *s)
{
	struct client c = client_tcp(s->port);

	SEND(s->l, &c, HANDSHAKE);
	UNTIL(s->l, client_has(&c, STR("\r\n\r\n")));
	CHECK(str_starts(buf_str(&c.in), STR("HTTP/1.1 101 Switching Protocols\r\n")));
	buf_drop(&c.in, (size_t)str_find(buf_str(&c.in), STR("\r\n\r\n")) + 4);
	return c;
}

/* A frame as a client sends it: first byte, mask, payload. */
static void add_frame(struct buf *b, int first, struct str payload)
{
	static const uint8_t mask[4] = { 0x12, 0x34, 0x56, 0x78 };
	size_t len = payload.len;

	buf_add_char(b, (char)first);
	if (len < 126) {
		buf_add_char(b, (char)(0x80 | len));
	} else if (len < 65536) {
		buf_add_char(b, (char)(0x80 | 126));
		buf_add_char(b, (char)(len >> 8));
		buf_add_char(b, (char)len);
	} else {
		buf_add_char(b, (char)(0x80 | 127));
		for (int i = 7; i >= 0; i--)
			buf_add_char(b, (char)((uint64_t)len >> (8 * i)));
	}
	buf_add(b, mask, 4);
	for (size_t i = 0; i < len; i++)
		buf_add_char(b, (char)(payload.ptr[i] ^ mask[i % 4]));
}

enum { FIN = 0x80, CONT = 0, TEXT = 1, BIN = 2, CLOSE = 8, PING = 9, PONG = 10 };

static void send_frame(struct site *s, struct client *c, int first, struct str payload)
{
	struct buf b = { 0 };

	add_frame(&b, first, payload);
	client_send(s->l, c, buf_str(&b));
	buf_done(&b);
}

TEST(the_handshake_is_that_of_the_standard)
{
	struct site s;
	char accept[WS_ACCEPT_MAX];

	CHECK(websocket_accept_key(STR("dGhlIHNhbXBsZSBub25jZQ=="), accept));
	CHECK_STR(str_from(accept), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
	CHECK(!websocket_accept_key(STR("dGhlIHNhbXBsZSBub25jZQ="), accept));
	CHECK(!websocket_accept_key(STR("dGhlIHNhbXBsZSBub25jZQ!!"), accept));
	CHECK(!websocket_accept_key(STR_NONE, accept));

	site_open(&s);

	struct client c = client_tcp(s.port);

	SEND(s.l, &c, HANDSHAKE);
	UNTIL(s.l, client_has(&c, STR("\r\n\r\n")));
	CHECK_STR(
		buf_str(&c.in),
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
		"Sec-WebSocket-Protocol: rpc\r\n\r\n");
	client_done(&c);
	UNTIL(s.l, s.closed == 1);
	CHECK_INT(s.code, 1006);
	site_close(&s);
}

TEST(what_is_no_handshake_is_refused_and_the_connection_stays)
{
	static const char *const bad[] = {
		"GET / HTTP/1.1\r\nHost: t\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: t\r\nUpgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n",
	};
	struct site s;

	site_open(&s);

	struct client c = client_tcp(s.port);

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		buf_clear(&c.in);
		client_send(s.l, &c, str_from(bad[i]));
		UNTIL(s.l, client_has(&c, STR("}")));
		CHECK(str_starts(buf_str(&c.in), STR("HTTP/1.1 400 Bad Request\r\n")));
	}
	buf_clear(&c.in);
	SEND(s.l, &c,
	     "GET / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
	     "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
	UNTIL(s.l, client_has(&c, STR("}")));
	CHECK(str_starts(buf_str(&c.in),
	                 STR("HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13\r\n")));
	client_done(&c);
	site_close(&s);
}

TEST(texts_of_all_lengths_are_echoed)
{
	static const size_t lengths[] = { 0, 1, 125, 126, 127, 65535, 65536, 99999 };
	struct site s;

	memset(junk, 'j', sizeof junk);
	site_open(&s);

	struct client c = shake_hands(&s);

	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		size_t len = lengths[i], head = len < 126 ? 2 : len < 65536 ? 4 : 10;

		buf_clear(&c.in);
		send_frame(&s, &c, FIN | TEXT, str_of(junk, len));
		UNTIL(s.l, (client_read(&c), c.in.len == head + len));
		CHECK((uint8_t)c.in.ptr[0] == (FIN | TEXT));
		CHECK_INT((uint8_t)c.in.ptr[1], len < 126 ? len : len < 65536 ? 126 : 127);
		if (head == 4)
			CHECK_INT((uint8_t)c.in.ptr[2] * 256 + (uint8_t)c.in.ptr[3], len);
		CHECK(len == 0 || memcmp(c.in.ptr + head, junk, len) == 0);
	}
	client_done(&c);
	UNTIL(s.l, s.closed == 1);
	site_close(&s);
}

TEST(fragments_are_joined_and_pings_between_them_answered)
{
	struct site s;

	site_open(&s);

	struct client c = shake_hands(&s);

	send_frame(&s, &c, TEXT, STR("one \xc3"));
	send_frame(&s, &c, FIN | PING, STR("are you there"));
	send_frame(&s, &c, CONT, STR("\xa9"));
	send_frame(&s, &c, CONT, STR(""));
	send_frame(&s, &c, FIN | PONG, STR("unasked"));
	send_frame(&s, &c, FIN | CONT, STR(" two"));
	UNTIL(s.l, client_has(&c, STR("two")));
	CHECK_STR(buf_str(&s.texts), "[one \xc3\xa9 two]");
	CHECK_INT(c.in.len, 15 + 12);
	CHECK_HAS(buf_str(&c.in), "\x8a\x0d"
	                          "are you there");
	CHECK_HAS(buf_str(&c.in), "\x81\x0a"
	                          "one \xc3\xa9 two");
	client_done(&c);
	site_close(&s);
}

TEST(frames_split_at_any_byte_are_the_same_frames)
{
	struct site s;
	struct buf b = { 0 }, want = { 0 };
	int round = 0;

	site_open(&s);
	add_frame(&b, TEXT, STR("ab"));
	add_frame(&b, FIN | PING, STR("p"));
	add_frame(&b, FIN | CONT, STR("\xe2\x82\xac"));
	add_frame(&b, FIN | TEXT, str_of(junk, 130));

	struct client c = shake_hands(&s);

	for (size_t cut = 0; cut <= b.len; cut++, round++) {
		client_send(s.l, &c, str_head(buf_str(&b), cut));
		turn(s.l);
		client_send(s.l, &c, str_skip(buf_str(&b), cut));
		turn(s.l);
	}
	for (size_t i = 0; i < b.len; i++) {
		client_send(s.l, &c, str_of(b.ptr + i, 1));
		turn(s.l);
	}
	round++;
	for (int i = 0; i < round; i++) {
		buf_add_c(&want, "[ab\xe2\x82\xac][");
		buf_add(&want, junk, 100);
		buf_add_char(&want, ']');
	}
	UNTIL(s.l, s.texts.len >= want.len);
	CHECK_SAME(buf_str(&s.texts), buf_str(&want));
	client_done(&c);
	buf_done(&b);
	buf_done(&want);
	site_close(&s);
}

/* The code of the close frame that ends what came; 1005: one without code, 0: none. */
static int code_of(struct str in)
{
	while (in.len >= 2) {
		struct str payload = str_head(str_skip(in, 2), (uint8_t)in.ptr[1]);

		if ((uint8_t)in.ptr[0] == (FIN | CLOSE)) {
			CHECK_INT(in.len, 2 + payload.len);
			return payload.len < 2
			               ? 1005
			               : (uint8_t)payload.ptr[0] * 256 + (uint8_t)payload.ptr[1];
		}
		in = str_skip(in, 2 + payload.len);
	}
	return 0;
}

/* Sends raw bytes and tells the code of the close frame that comes back. */
static int close_code_for(struct site *s, struct str raw)
{
	struct client c = shake_hands(s);
	int closed = s->closed, code;

	client_send(s->l, &c, raw);
	shutdown(c.fd, SHUT_WR);
	UNTIL(s->l, client_ended(&c));
	CHECK(!c.is_reset);

	code = code_of(buf_str(&c.in));
	client_done(&c);
	UNTIL(s->l, s->closed == closed + 1);
	return code;
}

#define RAW(literal) close_code_for(&s, STR(literal))
#define MASKED(first, len) first len "\0\0\0\0"

TEST(violations_close_with_their_code)
{
	struct site s;
	struct buf b = { 0 };

	site_open(&s);
	s.opt.close_ms = 5000;
	CHECK_INT(RAW(MASKED("\x81", "\x82") "\xc3\x28"), 1007);     /* not UTF-8 */
	CHECK_INT(RAW(MASKED("\x81", "\x81") "\xc3"), 1007);         /* cut short */
	CHECK_INT(RAW(MASKED("\x81", "\x83") "\xed\xa0\x80"), 1007); /* surrogate */
	CHECK_INT(RAW(MASKED("\x01", "\x81") "\xc3" MASKED("\x80", "\x81") "\x28"), 1007);
	CHECK_INT(RAW(MASKED("\x88", "\x83") "\x03\xe8\xff"), 1007); /* reason not UTF-8 */
	CHECK_INT(RAW("\x81\x02hi"), 1002);                          /* not masked */
	CHECK_INT(RAW(MASKED("\xc1", "\x80")), 1002);                /* reserved bit */
	CHECK_INT(RAW(MASKED("\x83", "\x80")), 1002);                /* unknown opcode */
	CHECK_INT(RAW(MASKED("\x8b", "\x80")), 1002);
	CHECK_INT(RAW(MASKED("\x80", "\x80")), 1002);                        /* continues nothing */
	CHECK_INT(RAW(MASKED("\x01", "\x80") MASKED("\x81", "\x80")), 1002); /* text within text */
	CHECK_INT(RAW(MASKED("\x88", "\x82") "\x03\xed"), 1002); /* 1005 may not be sent */
	CHECK_INT(RAW(MASKED("\x88", "\x82") "\x00\x00"), 1002);
	CHECK_INT(RAW(MASKED("\x88", "\x82") "\xff\xff"), 1002);
	CHECK_INT(RAW(MASKED("\x88", "\x81") "\x03"), 1005);   /* half a code: none */
	CHECK_INT(RAW(MASKED("\x09", "\x80")), 1002);          /* ping in pieces */
	CHECK_INT(RAW("\x89\xfe\x00\x7e\0\0\0\0"), 1002);      /* ping too long */
	CHECK_INT(RAW("\x81\xfe\x00\x05\0\0\0\0hello"), 1002); /* length not shortest */
	CHECK_INT(RAW("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"), 1002);
	CHECK_INT(s.texts.len, 0);
	CHECK_INT(RAW(MASKED("\x82", "\x80")), 1003); /* binary */
	CHECK_INT(RAW("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0x"), 1009);
	CHECK_INT(RAW("\x81\xff\0\0\0\0\0\x01\x86\xa1\0\0\0\0x"), 1009); /* one above the bound */
	for (int i = 0; i < 11; i++)
		add_frame(&b, i ? CONT : TEXT, str_of(junk, 10000));
	CHECK_INT(close_code_for(&s, buf_str(&b)), 1009); /* bound holds for the sum */
	CHECK_INT(s.texts.len, 0);
	buf_done(&b);
	site_close(&s);
}

TEST(either_side_closes_with_the_handshake)
{
	struct site s;

	site_open(&s);
	CHECK_INT(RAW(MASKED("\x88", "\x82") "\x03\xe8"), 1000);
	CHECK_INT(s.code, 1000);
	CHECK_INT(RAW(MASKED("\x88", "\x80")), 1005);
	CHECK_INT(s.code, 1005);
	CHECK_INT(RAW(MASKED("\x88", "\x84") "\x0f\xa0"
	                                     "hm"),
	          4000);
	CHECK_INT(s.code, 4000);

	struct client c = shake_hands(&s);

	s.closes_with = "bye";
	send_frame(&s, &c, FIN | TEXT, STR("bye"));
	send_frame(&s, &c, FIN | TEXT, STR("not heard"));
	UNTIL(s.l, client_has(&c, STR("\x88\x08\x0f\xa1"
	                              "enough")));
	CHECK_STR(buf_str(&s.texts), "[bye]");
	turn(s.l);
	CHECK_INT(s.closed, 3);
	send_frame(&s, &c, FIN | CLOSE, STR("\x0f\xa1"));
	UNTIL(s.l, client_ended(&c));
	client_done(&c);
	UNTIL(s.l, s.closed == 4);
	CHECK_INT(s.code, 4001);

	/* a long reason is cut between two characters */
	char reason[122] = "";

	memset(reason, 'a', 119);
	strcat(reason, "\xc3\xa9");
	s.reason = reason;
	c = shake_hands(&s);
	send_frame(&s, &c, FIN | TEXT, STR("bye"));
	UNTIL(s.l, client_has(&c, STR("\x88\x79\x0f\xa1"
	                              "aaa")));
	send_frame(&s, &c, FIN | CLOSE, STR("\x0f\xa1"));
	UNTIL(s.l, client_ended(&c));
	client_done(&c);
	UNTIL(s.l, s.closed == 5);

	/* a peer that does not answer our close */
	s.opt.close_ms = 5;
	c = shake_hands(&s);
	websocket_close(s.ws, 1001, STR_NONE);
	UNTIL(s.l, s.closed == 6);
	CHECK(client_has(&c, STR("\x88\x02\x03\xe9")));
	CHECK_INT(s.code, 1006);
	client_done(&c);
	site_close(&s);
}

/* Answers pings; true when `want` of them have come, false when it was dropped for being slow. */
static bool answers_pings(struct site *s, struct client *c, int want)
{
	for (int got = 0; got < want;) {
		UNTIL(s->l, client_has(c, STR("\x89")) || c->is_eof);
		if (c->is_eof)
			return false;
		got++;
		buf_clear(&c->in);
		send_frame(s, c, FIN | PONG, STR(""));
	}
	return true;
}

TEST(pings_go_out_and_a_silent_peer_is_dropped)
{
	struct site s;

	site_open(&s);
	s.opt.ping_ms = 5;

	struct client dead = shake_hands(&s);

	UNTIL(s.l, client_ended(&dead));
	CHECK_STR(buf_str(&dead.in), "\x89\0\x89\0");
	UNTIL(s.l, s.closed == 1);
	CHECK_INT(s.code, 1006);
	CHECK(s.was_silent);
	client_done(&dead);

	/* One that answers lives longer than any silent one; on a busy machine it may need a try. */
	for (bool lives = false; !lives;) {
		struct client lively = shake_hands(&s);

		lives = answers_pings(&s, &lively, 6);
		client_done(&lively);
	}
	site_close(&s);
}

TEST(frames_sent_ahead_of_the_answer_are_not_lost)
{
	struct site s;
	struct buf b = { 0 };

	site_open(&s);
	buf_add_c(&b, HANDSHAKE);
	add_frame(&b, FIN | TEXT, STR("early"));

	struct client c = client_tcp(s.port);

	client_send(s.l, &c, buf_str(&b));
	UNTIL(s.l, client_has(&c, STR("\x81\x05"
	                              "early")));
	client_done(&c);

	s.upgrades_later = true;
	c = client_tcp(s.port);
	client_send(s.l, &c, buf_str(&b));
	UNTIL(s.l, s.waiting);
	turn(s.l);
	buf_clear(&s.texts);
	upgrade(&s, s.waiting);
	CHECK_INT(s.texts.len, 0); /* not from inside the call */
	UNTIL(s.l, client_has(&c, STR("\x81\x05"
	                              "early")));
	send_frame(&s, &c, FIN | TEXT, STR("later"));
	UNTIL(s.l, client_has(&c, STR("\x81\x05"
	                              "later")));
	client_done(&c);

	/* and one that left before the reply */
	s.waiting = NULL;
	c = client_tcp(s.port);
	SEND(s.l, &c, HANDSHAKE);
	UNTIL(s.l, s.waiting);
	client_done(&c);
	for (int i = 0; i < 5; i++)
		turn(s.l);
	upgrade(&s, s.waiting);
	CHECK(!s.ws);
	buf_done(&b);
	site_close(&s);
}

TEST(a_peer_that_does_not_read_holds_the_sender_at_its_mark)
{
	struct site s;
	struct bytes *b = bytes_new(str_of(junk, 50000));

	site_open(&s);
	s.send_on_drain = 50000;

	struct client c = shake_hands(&s);
	size_t before;

	websocket_send_text_bytes(s.ws, b);
	for (int i = 0; i < 300; i++)
		turn(s.l);
	before = websocket_pending(s.ws);
	CHECK(s.drains > 0 && before > 0 && before < STREAM_LOW_WATER + 50100);
	CHECK_INT(atomic_load(&b->refs), 1);
	for (int i = 0; i < 50; i++)
		turn(s.l);
	CHECK_INT(websocket_pending(s.ws), before);

	int drains = s.drains;

	UNTIL(s.l, (client_read(&c), s.drains > drains + 5));
	client_done(&c);
	bytes_unref(b);
	UNTIL(s.l, s.closed == 1);
	site_close(&s);
}

TEST(who_pings_and_never_reads_is_not_read_from)
{
	struct site s;
	struct buf b = { 0 };
	size_t sent = 0, last;

	site_open(&s);
	for (int i = 0; i < 4000; i++)
		add_frame(&b, FIN | PING, str_of(junk, 125));

	struct client c = shake_hands(&s);

	do {
		last = sent;
		for (int i = 0; i < 50; i++) {
			sent += client_try(&c, str_skip(buf_str(&b), sent % b.len));
			turn(s.l);
		}
	} while (sent > last && sent < ((size_t)64 << 20));
	CHECK(sent < (size_t)64 << 20); /* the kernel is full, because we do not read */
	CHECK(websocket_pending(s.ws) < 1 << 20);
	/* Ask to the end of a frame, read everything, and all is well. */
	client_send(s.l, &c, str_skip(buf_str(&b), sent % b.len));
	send_frame(&s, &c, FIN | TEXT, STR("still here"));
	UNTIL(s.l, client_has(&c, STR("\x81\x0a"
	                              "still here")));
	client_done(&c);
	buf_done(&b);
	site_close(&s);
}

TEST(reading_can_be_paused)
{
	struct site s;

	site_open(&s);

	struct client c = shake_hands(&s);

	websocket_pause(s.ws);
	send_frame(&s, &c, FIN | TEXT, STR("x"));
	for (int i = 0; i < 5; i++)
		turn(s.l);
	CHECK_INT(s.texts.len, 0);
	websocket_resume(s.ws);
	UNTIL(s.l, s.texts.len == 3);
	client_done(&c);
	site_close(&s);
}

TEST(a_server_that_is_freed_takes_its_websockets_along)
{
	struct site s;

	site_open(&s);

	struct client c = shake_hands(&s);

	CHECK_INT(http_server_connections(s.srv), 1);
	http_server_free(s.srv);
	s.srv = NULL;
	UNTIL(s.l, s.closed == 1);
	CHECK(client_ended(&c));
	client_done(&c);
	site_close(&s);
}

TEST(random_bytes_do_no_harm)
{
	struct site s;
	unsigned seed = 11;

	site_open(&s);
	s.opt.close_ms = 20;
	for (int round = 0; round < 200; round++) {
		struct client c = shake_hands(&s);
		struct buf b = { 0 };

		for (int i = 0; i < 40; i++)
			if (rand_r(&seed) % 3)
				add_frame(&b, rand_r(&seed) % 256,
				          str_of(junk, rand_r(&seed) % 200));
			else
				buf_add_char(&b, (char)rand_r(&seed));
		client_send(s.l, &c, buf_str(&b));
		turn(s.l);
		client_done(&c);
		buf_done(&b);
		turn(s.l);
	}
	UNTIL(s.l, s.closed == 200);
	site_close(&s);
}

TEST_MAIN()
