#ifndef TESTS_UNIT_TEST_SERVE_FIXTURE_H
#define TESTS_UNIT_TEST_SERVE_FIXTURE_H
/*
 * src/serve over real sockets, with a fake control behind it
 * (test_serve_fake.h), and the clients of its tests.
 */
#include "base/jw.h"
#include "base/memory.h"
#include "test_serve_fake.h"

#include "serve/serve.h"

#define TOKEN "s3cret"
#define AUTH "Authorization: Bearer " TOKEN "\r\n"

struct state {
	struct loop *l;
	struct fake *f;
	struct serve *s;
	struct arena *mem;
	int port;
	char dir[64], path[96];
};

static const struct serve_token tokens[] = {
	{ { "reader", 6 }, { "read-only", 9 }, SCOPE_BIT(SCOPE_READ) },
	{ { "writer", 6 }, { "write-only", 10 }, SCOPE_BIT(SCOPE_WRITE) },
};

static inline void state_init(struct state *w, const struct serve_options *extra)
{
	static const struct str listen[] = { { "127.0.0.1:0", 11 } };
	struct serve_options o = extra ? *extra : (struct serve_options){ 0 };
	struct error e = { 0 };

	*w = (struct state){ .l = loop_new(),
		             .f = memory_zeroed(1, sizeof *w->f),
		             .mem = arena_new() };
	snprintf(w->dir, sizeof w->dir, "/tmp/test_serve.XXXXXX");
	CHECK(mkdtemp(w->dir));
	snprintf(w->path, sizeof w->path, "%s/socket", w->dir);
	fake_init(w->f, w->l);
	o.listen = listen;
	o.listen_count = 1;
	o.socket_path = str_from(w->path);
	o.token = STR(TOKEN);
	o.tokens = tokens;
	o.token_count = COUNT_OF(tokens);
	o.version = STR("1.2.3");
	o.clock = &w->f->clock;
	w->s = serve_new(w->l, &w->f->control, &o, &e);
	if (!w->s)
		t_fail(__FILE__, __LINE__, "serve_new: %s", e.message);
	w->port = serve_port(w->s);
}

/* Everything must have been given back. */
static inline void state_done(struct state *w)
{
	serve_free(w->s);
	CHECK_INT(w->f->waiting_count, 0);
	CHECK_INT(w->f->sub_count, 0);
	CHECK_INT(w->f->channels, 0);
	loop_run_once(w->l, 0);
	fake_done(w->f);
	free(w->f);
	loop_free(w->l);
	arena_free(w->mem);
	unlink(w->path);
	rmdir(w->dir);
}

/* ---- a client of HTTP ---- */

struct response {
	int status;
	struct str head, body;
	bool is_whole;
};

static inline bool dechunk(struct arena *mem, struct str raw, struct str *ret)
{
	struct buf out = { 0 };
	bool is_whole = false;

	while (str_is(raw)) {
		ptrdiff_t end = str_find(raw, STR("\r\n"));
		size_t len = end < 0 ? 0 : strtoul(raw.ptr, NULL, 16);

		if (end < 0 || (size_t)end + 2 + len + 2 > raw.len)
			break;
		if (!len) {
			is_whole = true;
			break;
		}
		buf_add(&out, raw.ptr + end + 2, len);
		raw = str_skip(raw, (size_t)end + 2 + len + 2);
	}
	*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return is_whole;
}

static inline struct str header(const struct response *r, const char *name)
{
	struct str rest = r->head;

	while (str_is(rest)) {
		struct str line = str_cut(&rest, '\n');
		struct str value = line;
		struct str key = str_cut(&value, ':');

		if (key.len == strlen(name) && !strncasecmp(key.ptr, name, key.len))
			return str_trim(value);
	}
	return STR_NONE;
}

/* What has come so far. */
static inline struct response response_of(struct arena *mem, struct client *c, bool is_head)
{
	struct response r = { 0 };
	struct str all = buf_str(&c->in);
	ptrdiff_t end = str_find(all, STR("\r\n\r\n"));
	uint64_t len;

	if (end < 0)
		return r;
	CHECK(str_starts(all, STR("HTTP/1.1 ")));
	r.status = atoi(all.ptr + 9);
	r.head = str_head(all, (size_t)end + 2);
	r.body = str_skip(all, (size_t)end + 4);
	if (str_is(header(&r, "transfer-encoding"))) {
		r.is_whole = dechunk(mem, r.body, &r.body) || is_head;
	} else if (str_to_u64(header(&r, "content-length"), &len)) {
		r.is_whole = is_head || r.body.len >= len;
		r.body = str_head(r.body, (size_t)len);
	} else {
		r.is_whole = c->is_eof || r.status == 101 || r.status == 304;
	}
	return r;
}

static inline bool is_answered(struct state *w, struct client *c, struct response *r, bool is_head)
{
	client_read(c);
	*r = response_of(w->mem, c, is_head);
	return r->is_whole || c->is_eof;
}

static inline struct response ask_on(struct state *w, struct client *c, struct str request)
{
	struct response r = { 0 };

	buf_clear(&c->in);
	client_send(w->l, c, request);
	UNTIL(w->l, is_answered(w, c, &r, str_starts(request, STR("HEAD"))));
	r.head = arena_keep(w->mem, r.head);
	r.body = arena_keep(w->mem, r.body);
	return r;
}

PRINTF_LIKE(2, 3) static inline struct response ask(struct state *w, const char *fmt, ...)
{
	struct client c = client_tcp(w->port);
	char *text;
	va_list args;

	va_start(args, fmt);
	CHECK(vasprintf(&text, fmt, args) >= 0);
	va_end(args);

	struct response r = ask_on(w, &c, str_from(text));

	free(text);
	client_done(&c);
	return r;
}

#define GET(w, path, headers)                                                                      \
	ask((w), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:7433\r\n" AUTH "%s\r\n", (path), (headers))
#define POST(w, path, headers, body)                                                               \
	ask((w), "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n" AUTH "Content-Length: %zu\r\n%s\r\n%s", \
	    (path), strlen(body), (headers), (body))

static inline void send_get(struct state *w, struct client *c, const char *path,
                            const char *headers)
{
	char text[1024];

	snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n" AUTH "%s\r\n", path,
	         headers);
	client_send(w->l, c, str_from(text));
}

/* The body so far of an answer in pieces. */
static inline struct str body_of(struct state *w, struct client *c)
{
	client_read(c);
	return response_of(w->mem, c, false).body;
}

#define CHECK_PROBLEM(r, status_, code_)                                                           \
	do {                                                                                       \
		CHECK_INT((r).status, status_);                                                    \
		CHECK_HAS((r).body, "\"code\":\"" code_ "\"");                                     \
		CHECK_STR(header(&(r), "content-type"), "application/problem+json");               \
	} while (0)

/* ---- a client of WebSockets ---- */

#define WS_HEAD                                                                                    \
	"GET /v1/rpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"                        \
	"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                                     \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static inline void ws_send(struct state *w, struct client *c, const char *text)
{
	struct buf frame = { 0 };
	size_t len = strlen(text);

	CHECK(len < 65536);
	buf_add_char(&frame, (char)0x81);
	buf_add_char(&frame, (char)(0x80 | (len < 126 ? len : 126)));
	if (len >= 126) {
		buf_add_char(&frame, (char)(len >> 8));
		buf_add_char(&frame, (char)len);
	}
	buf_add(&frame, "\1\2\3\4", 4);
	for (size_t i = 0; i < len; i++)
		buf_add_char(&frame, (char)(text[i] ^ "\1\2\3\4"[i % 4]));
	client_send(w->l, c, buf_str(&frame));
	buf_done(&frame);
}

/* ---- what there is to answer ---- */

static const struct fake_answer answers[] = {
	{ "submit_turn", 0, 202,
	  "{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":5}" },
	{ "create_session", 0, 200, "{\"again\":true}", .is_replay = true },
	{ "respond_action", ERROR_CODE_ALREADY_RESOLVED, 409, "{\"code\":\"already_resolved\"}" },
	{ "interrupt_turn", ERROR_CODE_OVERLOADED, 503, "{\"code\":\"overloaded\"}",
	  .retry_after_ms = 1200 },
	{ NULL },
};

#define EVENT(seq, type) "{\"type\":\"" type "\",\"sequence\":" #seq ",\"sessionId\":\"sess_1\"}"

static inline void add_some(struct fake *f)
{
	fake_add(f, "sess_1", 1, EV_SESSION_CREATED, NULL, NULL, 0);
	fake_add(f, "sess_1", 2, EV_TURN_SUBMITTED, "thr_1", "turn_1", 0);
	fake_add(f, "sess_2", 1, EV_SESSION_CREATED, NULL, NULL, 0);
	fake_add(f, "sess_1", 3, EV_TOOL_STARTED, "thr_1", "turn_1", 0);
	fake_add(f, "sess_1", 4, EV_TOOL_RESULT, "thr_2", "turn_2", 0);
}

#define SSE "Accept: text/event-stream\r\n"
#define NDJSON "Accept: application/x-ndjson\r\n"

static inline bool response_late(struct fake *f, const struct control_call *c,
                                 struct control_answer *a)
{
	(void)f;
	(void)c;
	a->http = 202;
	a->body = STR("{\"sessionId\":\"sess_1\",\"turnId\":\"turn_1\",\"sequence\":900}");
	return true;
}

#define OUTPUT_SIZE 600000

static inline char output_byte(int64_t at)
{
	return (char)('a' + at % 26);
}

/* An output of 600,000 letters; odd pages come as base64. */
static inline bool response_output(struct fake *f, const struct control_call *c,
                                   struct control_answer *a)
{
	struct json params;
	struct error e;

	if (!str_eq(c->command, STR("get_output")))
		return false;
	CHECK_OK(json_read(f->mem, c->params, &params, &e), &e);

	int64_t from = json_int(JSON_GET(params, "offset"), 0);
	int64_t len = json_int(JSON_GET(params, "length"), -1);
	struct buf body = { 0 }, bytes = { 0 };
	struct json_writer w;

	CHECK(len > 0 && len <= 262144);
	if (str_eq(json_str(JSON_GET(params, "outputRef")), STR("out_broken")) && from > 0) {
		*a = (struct control_answer){ ERROR_CODE_EXPIRED, 410, -1, STR("x"), STR("{}") };
		return true;
	}
	if (from < 0)
		from = MAX(OUTPUT_SIZE + from, 0);
	len = MIN(len, MAX(OUTPUT_SIZE - from, 0)); /* behind the end: a page without bytes */
	for (int64_t i = 0; i < len; i++)
		buf_add_char(&bytes, output_byte(from + i));
	jw_init(&w, &body);
	jw_obj(&w);
	JW_KEY(&w, "output");
	jw_raw(&w, STR("{\"mediaType\":\"text/plain\",\"sizeBytes\":600000,\"complete\":true}"));
	JW_KINT(&w, "offset", from);
	JW_KINT(&w, "bytes", len);
	if (from / 262144 % 2) {
		struct buf coded = { 0 };
		static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

		for (size_t i = 0; i < bytes.len; i += 3) {
			uint32_t n = 0;
			size_t have = MIN(bytes.len - i, (size_t)3);

			for (size_t k = 0; k < 3; k++)
				n = n << 8 | (k < have ? (unsigned char)bytes.ptr[i + k] : 0);
			for (size_t k = 0; k < 4; k++)
				buf_add_char(&coded,
				             k <= have ? digits[n >> (18 - 6 * k) & 63] : '=');
		}
		JW_KSTR(&w, "base64", buf_str(&coded));
		buf_done(&coded);
	} else {
		JW_KSTR(&w, "text", buf_str(&bytes));
	}
	JW_KBOOL(&w, "eof", from + len == OUTPUT_SIZE);
	jw_obj_end(&w);
	a->body = arena_keep(f->mem, buf_str(&body));
	buf_done(&body);
	buf_done(&bytes);
	return true;
}

#endif
