/*
 * Parses requests with llhttp and applies our limits and checks, which
 * http_parse.h lists.  Bytes may arrive in pieces of any size.
 */
#include "net/http/http_parse.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <llhttp.h>
#include <stdlib.h>
#include <strings.h>

#define CHUNK_EXTRA_MAX 4096 /* extensions and trailers of a chunked body, all together */

struct span {
	uint16_t at, len; /* within text, which is at most line and head */
};

/*
 * The state of one request.  Names and values are collected in `text` and addressed by
 * offset, because the buffer moves while it grows; finish_head() turns offsets into
 * strings.
 */
struct http_parse {
	llhttp_t ll;
	struct buf text; /* the target, then names and values, back to back */
	struct buf body;
	uint16_t target_len;
	uint16_t field_count;
	size_t extra; /* bytes of chunk extensions and trailers */
	struct span names[HTTP_FIELDS_MAX], values[HTTP_FIELDS_MAX];
	bool is_in_value;
	bool has_head;
	bool has_body_max;
	size_t body_max;
	bool is_whole;
	int status; /* set by a callback that stops the parser */
	const char *why;
	struct http_message m;
};

static_assert(HTTP_LINE_MAX + HTTP_HEAD_MAX <= UINT16_MAX, "spans hold any place in the text");

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

/* ---- looking up ---- */

/* The first one; check_fields() has refused repeated headers where that would matter. */
struct str http_parse_find(const struct http_message *m, struct str name)
{
	for (size_t i = 0; i < m->field_count; i++)
		if (eq_nocase(m->fields[i].name, name))
			return m->fields[i].value;
	return STR_NONE;
}

struct str http_parse_param(const struct http_message *m, struct str name)
{
	for (size_t i = 0; i < m->param_count; i++)
		if (str_eq(m->params[i].name, name))
			return m->params[i].value;
	return STR_NONE;
}

static size_t count_fields(const struct http_message *m, struct str name)
{
	size_t n = 0;

	for (size_t i = 0; i < m->field_count; i++)
		n += eq_nocase(m->fields[i].name, name);
	return n;
}

static struct str trim(struct str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s = str_skip(s, 1);
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

bool http_parse_has_token(struct str value, struct str token)
{
	while (str_is(value))
		if (eq_nocase(trim(str_cut(&value, ',')), token))
			return true;
	return false;
}

void http_parse_message_done(struct http_message *m)
{
	free((void *)m->fields);
	free((void *)m->params);
	free(m->text);
	free(m->body_text);
	free(m->lists);
	*m = (struct http_message){ 0 };
}

/* ---- llhttp's callbacks: collect, within bounds ---- */

/*
 * Ends the request with a status of ours.  Of several reasons in one head, the last one
 * is reported.
 */
static int stop(struct http_parse *s, int status, const char *why)
{
	s->status = status;
	s->why = why;
	return HPE_USER;
}

static int on_url(llhttp_t *ll, const char *at, size_t len)
{
	struct http_parse *s = ll->data;

	/* "OPTIONS " before it and " HTTP/1.1\r\n" behind it count too */
	if (s->text.len + len > HTTP_LINE_MAX - 19)
		return stop(s, 414, "the request line is too long");
	buf_add(&s->text, at, len);
	s->target_len = (uint16_t)s->text.len;
	return 0;
}

static int count_extra(struct http_parse *s, size_t len)
{
	s->extra += len;
	return s->extra <= CHUNK_EXTRA_MAX
	               ? 0
	               : stop(s, 431, "too many bytes of chunk extensions and trailers");
}

static int on_chunk_extra(llhttp_t *ll, const char *at, size_t len)
{
	(void)at;
	return count_extra(ll->data, len);
}

static int add_head_bytes(struct http_parse *s, const char *at, size_t len)
{
	if (s->text.len - s->target_len + len > HTTP_HEAD_MAX)
		return stop(s, 431, "the headers are too long");
	buf_add(&s->text, at, len);
	return 0;
}

static int on_name(llhttp_t *ll, const char *at, size_t len)
{
	struct http_parse *s = ll->data;

	/* Trailers are ignored: they must not count as headers. */
	if (s->has_head)
		return count_extra(s, len);
	if (s->is_in_value || !s->field_count) {
		if (s->field_count == HTTP_FIELDS_MAX)
			return stop(s, 431, "there are too many headers");
		s->names[s->field_count++] = (struct span){ .at = (uint16_t)s->text.len };
		s->is_in_value = false;
	}
	s->names[s->field_count - 1].len += (uint16_t)len;
	return add_head_bytes(s, at, len);
}

static int on_value(llhttp_t *ll, const char *at, size_t len)
{
	struct http_parse *s = ll->data;

	if (s->has_head)
		return count_extra(s, len);
	if (!s->is_in_value) {
		s->values[s->field_count - 1] = (struct span){ .at = (uint16_t)s->text.len };
		s->is_in_value = true;
	}
	s->values[s->field_count - 1].len += (uint16_t)len;
	return add_head_bytes(s, at, len);
}

/* The pause lets the owner set the body's limit before a byte of the body is accepted. */
static int on_headers_complete(llhttp_t *ll)
{
	struct http_parse *s = ll->data;

	s->has_head = true;
	return HPE_PAUSED;
}

/* The limit holds for chunked bodies too, whose length is not announced. */
static int on_body(llhttp_t *ll, const char *at, size_t len)
{
	struct http_parse *s = ll->data;

	if (len > s->body_max - s->body.len)
		return stop(s, 413, "the body is too long");
	buf_add(&s->body, at, len);
	return 0;
}

/* The pause keeps a pipelined request out of this one. */
static int on_message_complete(llhttp_t *ll)
{
	struct http_parse *s = ll->data;

	s->is_whole = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_url = on_url,
	.on_header_field = on_name,
	.on_header_value = on_value,
	.on_chunk_extension_name = on_chunk_extra,
	.on_chunk_extension_value = on_chunk_extra,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

/* ---- decoding ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Decodes in place; false when an escape is broken or the result is no plain text.  NUL
 * is refused because it would end the text for C functions.
 */
static bool percent_decode(char *text, size_t len, bool plus_is_space, struct str *ret)
{
	size_t to = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '%') {
			int hi = i + 2 < len ? hex_digit(text[i + 1]) : -1;
			int lo = i + 2 < len ? hex_digit(text[i + 2]) : -1;

			if (hi < 0 || lo < 0)
				return false;
			c = (char)(hi * 16 + lo);
			i += 2;
		} else if (c == '+' && plus_is_space) {
			c = ' ';
		}
		if (c == '\0')
			return false;
		text[to++] = c;
	}
	*ret = str_of(text, to);
	return utf8_is_valid(*ret);
}

static bool is_dots(struct str segment)
{
	return str_eq(segment, STR(".")) || str_eq(segment, STR(".."));
}

/* Encoded slashes would make a segment look like two. */
static bool has_encoded_slash(struct str raw)
{
	for (size_t i = 0; i + 2 < raw.len; i++) {
		if (raw.ptr[i] != '%')
			continue;

		int c = hex_digit(raw.ptr[i + 1]) * 16 + hex_digit(raw.ptr[i + 2]);

		if (c == '/' || c == '\\')
			return true;
	}
	return false;
}

/*
 * Checked after decoding, so that "%2e%2e" is found as well.  Refused and not resolved:
 * no client needs dots here.
 */
static bool is_safe_path(struct str path)
{
	struct str rest = path;

	for (size_t i = 0; i < path.len; i++)
		if ((unsigned char)path.ptr[i] < 0x20 || path.ptr[i] == 0x7f || path.ptr[i] == '\\')
			return false;
	while (str_is(rest))
		if (is_dots(str_cut(&rest, '/')))
			return false;
	return path.len > 0 && path.ptr[0] == '/';
}

/*
 * Control characters, spaces, bytes above ASCII and fragments have no place in a
 * request target (RFC 9112, section 3.2).
 */
static bool is_plain_target(struct str t)
{
	for (size_t i = 0; i < t.len; i++)
		if ((unsigned char)t.ptr[i] <= 0x20 || (unsigned char)t.ptr[i] >= 0x7f ||
		    t.ptr[i] == '#')
			return false;
	return true;
}

/*
 * Counts the separators first, so that one allocation suffices.  Later parameters of
 * the same name are kept; http_parse_param() returns the first.
 */
static bool read_params(struct http_message *m, struct str query)
{
	size_t count = 0, max = 1;
	struct http_field *params;

	for (size_t i = 0; i < query.len; i++)
		max += query.ptr[i] == '&';
	if (max > HTTP_PARAMS_MAX)
		return false;
	params = memory_zeroed(max, sizeof *params);
	m->params = params;
	while (str_is(query)) {
		struct str value = str_cut(&query, '&');
		struct str name = str_cut(&value, '=');
		struct http_field *f = &params[count];

		if (!name.len && !str_is(value))
			continue; /* "a=1&&b=2" */
		if (!str_is(value))
			value = STR("");
		if (!percent_decode((char *)name.ptr, name.len, true, &f->name) ||
		    !percent_decode((char *)value.ptr, value.len, true, &f->value))
			return false;
		count++;
	}
	m->param_count = (uint16_t)count;
	return true;
}

/* Cuts "http://host" off an absolute target; the host must be the one of Host. */
static bool cut_origin(struct http_message *m, struct str *t)
{
	struct str host, http = STR("http://"), https = STR("https://");

	if (eq_nocase(str_head(*t, http.len), http))
		*t = str_skip(*t, http.len);
	else if (eq_nocase(str_head(*t, https.len), https))
		*t = str_skip(*t, https.len);
	else
		return false;

	size_t end = 0;

	while (end < t->len && t->ptr[end] != '/' && t->ptr[end] != '?')
		end++;
	host = str_head(*t, end);
	*t = str_skip(*t, end);
	return host.len && eq_nocase(host, m->host);
}

/* copy is the target once more, to be decoded in place. */
static bool read_target(struct http_message *m, struct str copy)
{
	struct str rest = copy;

	if (!is_plain_target(m->target))
		return false;
	if (str_eq(copy, STR("*"))) {
		m->path = m->target;
		return str_eq(m->method, STR("OPTIONS"));
	}
	if (copy.len && copy.ptr[0] != '/' && !cut_origin(m, &rest))
		return false;

	size_t skipped = copy.len - rest.len;
	struct str query = rest, path = str_cut(&query, '?');

	if (str_is(query))
		m->query = str_skip(m->target, skipped + path.len + 1);
	if (skipped && !path.len)
		path = STR("/");
	else if (has_encoded_slash(path) ||
	         !percent_decode((char *)path.ptr, path.len, false, &path))
		return false;
	m->path = path;
	return is_safe_path(path) && (!str_is(query) || read_params(m, query));
}

/* ---- the head ---- */

static const char *method_name(uint8_t method)
{
	switch (method) {
	case HTTP_GET:
		return "GET";
	case HTTP_HEAD:
		return "HEAD";
	case HTTP_POST:
		return "POST";
	case HTTP_PUT:
		return "PUT";
	case HTTP_DELETE:
		return "DELETE";
	case HTTP_PATCH:
		return "PATCH";
	case HTTP_OPTIONS:
		return "OPTIONS";
	default:
		return NULL;
	}
}

/* Lists may come as several headers, in their order (RFC 9110, section 5.3). */
static void join_lists(struct http_message *m, struct http_field *fields)
{
	static const char *const names[] = { "accept", "tracestate" };
	struct {
		size_t field, at, len;
	} joined[COUNT_OF(names)] = { 0 };
	struct buf text = { 0 };

	for (size_t n = 0; n < COUNT_OF(names); n++) {
		if (count_fields(m, str_from(names[n])) < 2)
			continue;
		joined[n].at = text.len;
		joined[n].field = m->field_count;
		for (size_t i = 0; i < m->field_count; i++) {
			if (!eq_nocase(fields[i].name, str_from(names[n])))
				continue;
			joined[n].field = MIN(joined[n].field, i);
			if (text.len > joined[n].at)
				buf_add_char(&text, ',');
			buf_add_str(&text, fields[i].value);
		}
		joined[n].len = text.len - joined[n].at;
	}
	m->lists = text.len ? buf_take(&text, NULL) : NULL;
	for (size_t n = 0; n < COUNT_OF(names); n++)
		if (joined[n].len)
			fields[joined[n].field].value =
				str_of(m->lists + joined[n].at, joined[n].len);
}

static void resolve_fields(struct http_parse *s, struct http_message *m)
{
	struct http_field *fields = memory_zeroed(MAX(s->field_count, 1), sizeof *fields);

	for (size_t i = 0; i < s->field_count; i++) {
		fields[i].name = str_of(m->text + s->names[i].at, s->names[i].len);
		fields[i].value = trim(str_of(m->text + s->values[i].at, s->values[i].len));
	}
	m->fields = fields;
	m->field_count = s->field_count;
	join_lists(m, fields);
}

/*
 * Checks that need the whole head; they set the status of the reply.
 *
 * A repeated framing header, or both Content-Length and Transfer-Encoding, is how
 * requests are smuggled past a proxy: two parsers then disagree about where the request
 * ends.  Both are refused instead of choosing one (RFC 9112, section 6.3).
 */
static void check_fields(struct http_parse *s, const struct http_message *m)
{
	static const char *const once[] = {
		"host",           "authorization",     "content-type",      "origin",
		"content-length", "transfer-encoding", "sec-websocket-key", "expect"
	};
	struct str coding = http_parse_find(m, STR("transfer-encoding"));
	struct str expect = http_parse_find(m, STR("expect"));

	for (size_t i = 0; i < COUNT_OF(once); i++)
		if (count_fields(m, str_from(once[i])) > 1)
			stop(s, 400, "a header is repeated that may stand only once");
	if (!str_is(m->host) && !m->is_http_1_0)
		stop(s, 400, "Host is missing");
	if (str_is(coding)) {
		if (m->is_http_1_0 || str_is(http_parse_find(m, STR("content-length"))))
			stop(s, 400, "Transfer-Encoding must not stand here");
		else if (!eq_nocase(coding, STR("chunked")))
			stop(s, 501, "the transfer coding is not chunked");
	}
	if (str_is(expect) && !eq_nocase(expect, STR("100-continue")))
		stop(s, 417, "the expectation is not 100-continue");
}

static bool is_our_version(const llhttp_t *ll)
{
	return ll->http_major == 1 && ll->http_minor <= 1;
}

/*
 * The target is needed twice: unchanged, and decoded in place.  The buffer is reserved
 * before it is copied into itself.
 */
static void finish_head(struct http_parse *s)
{
	struct http_message *m = &s->m;
	const char *method = method_name(s->ll.method);
	size_t copy_at = s->text.len;

	if (!is_our_version(&s->ll)) {
		stop(s, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
		return;
	}
	if (!method) {
		stop(s, 501, "the method is not known here");
		return;
	}

	/* A second copy of the target, for decoding; from here on the text does not move. */
	buf_reserve(&s->text, s->target_len + 1u);
	buf_add(&s->text, s->text.ptr, s->target_len);
	m->text = buf_take(&s->text, NULL);
	m->method = str_from(method);
	m->target = str_of(m->text, s->target_len);
	m->body = STR("");
	resolve_fields(s, m);
	m->host = http_parse_find(m, STR("host"));
	m->is_http_1_0 = s->ll.http_minor == 0;
	m->wants_keep_alive = llhttp_should_keep_alive(&s->ll);
	m->wants_upgrade = s->ll.upgrade;
	m->wants_continue = !m->is_http_1_0 && str_is(http_parse_find(m, STR("expect")));
	if (!read_target(m, str_of(m->text + copy_at, s->target_len)))
		stop(s, 400, "the target is malformed");
	check_fields(s, m);
}

/* ---- running ---- */

static enum http_progress bad(struct http_parser *p, int status, const char *why)
{
	p->status = status;
	p->why = why && *why ? why : "the request is malformed";
	return HTTP_IS_BAD;
}

static struct http_parse *state_new(void)
{
	struct http_parse *s = memory_zeroed(1, sizeof *s);

	llhttp_init(&s->ll, HTTP_REQUEST, &settings);
	s->ll.data = s;
	return s;
}

/*
 * *bytes is advanced past what was parsed.  llhttp pauses at the end of the head and of
 * the message, and each pause is one step of the caller.
 */
enum http_progress http_parse(struct http_parser *p, struct str *bytes)
{
	if (!p->state) {
		if (!bytes->len)
			return HTTP_WANTS_MORE;
		p->state = state_new();
	}

	struct http_parse *s = p->state;

	assert(!s->is_whole && s->has_head == s->has_body_max);

	llhttp_errno_t rc = llhttp_execute(&s->ll, bytes->len ? bytes->ptr : "", bytes->len);

	if (rc == HPE_OK) {
		*bytes = str_skip(*bytes, bytes->len);
		return HTTP_WANTS_MORE;
	}
	if (rc == HPE_USER)
		return bad(p, s->status, s->why);
	if ((rc == HPE_INVALID_VERSION && !is_our_version(&s->ll)) || rc == HPE_PAUSED_H2_UPGRADE)
		return bad(p, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
	if (rc != HPE_PAUSED)
		return bad(p, 400, llhttp_get_error_reason(&s->ll));

	if (bytes->len)
		*bytes = str_skip(*bytes, (size_t)(llhttp_get_error_pos(&s->ll) - bytes->ptr));
	llhttp_resume(&s->ll);
	if (s->is_whole)
		return HTTP_HAS_ALL;
	finish_head(s);
	return s->status ? bad(p, s->status, s->why) : HTTP_HAS_HEAD;
}

const struct http_message *http_parse_head(const struct http_parser *p)
{
	return &p->state->m;
}

/*
 * A body that is announced too long is refused before it is sent; with Expect:
 * 100-continue it is never sent.
 */
bool http_parse_body(struct http_parser *p, size_t max)
{
	struct http_parse *s = p->state;

	s->has_body_max = true;
	s->body_max = max;
	if ((s->ll.flags & F_CONTENT_LENGTH) && s->ll.content_length > max) {
		bad(p, 413, "the body is too long");
		return false;
	}
	return true;
}

void http_parse_take(struct http_parser *p, struct http_message *ret)
{
	struct http_parse *s = p->state;

	assert(s->is_whole);
	*ret = s->m;
	s->m = (struct http_message){ 0 };
	if (s->body.len) {
		ret->body.len = s->body.len;
		ret->body_text = buf_take(&s->body, NULL);
		ret->body.ptr = ret->body_text;
	}
	http_parse_done(p);
}

void http_parse_done(struct http_parser *p)
{
	struct http_parse *s = p->state;

	if (!s)
		return;
	http_parse_message_done(&s->m);
	buf_done(&s->text);
	buf_done(&s->body);
	free(s);
	p->state = NULL;
}
