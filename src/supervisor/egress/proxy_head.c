/*
 * Reads the head of a request to the egress proxy with llhttp and writes the
 * head that is sent to the server.
 *
 * llhttp is strict here: no lenient flag is set.  On top of it this file
 * refuses what two readers could take for two requests: another spelling of
 * the request line than "METHOD target HTTP/1.x", and a body whose end only a
 * chunk parser finds.  The server gets a new head, never the client's bytes.
 */
#include "supervisor/egress/proxy_head.h"

#include <llhttp.h>
#include <strings.h>

/* More headers than any program sends to a proxy. */
#define FIELDS_MAX 100

static const char bad_line[] = "the request line is none";
static const char bad_field[] = "a header is none";
static const char bad_length[] = "Content-Length is no length";
static const char no_length[] = "a body without a length is not sent on";

struct reader {
	llhttp_t ll;
	struct proxy_head *head;
	const char *start;                  /* of the text */
	struct str method, target, version; /* parts of the request line, within the text */
	struct str name, value;             /* of the header that is being read */
	int count;
	int status; /* set by a callback that stops the parser */
	const char *why;
};

/* Only CRLF CRLF counts: a reader that also accepts LF would see another end. */
size_t proxy_head_end(struct str bytes)
{
	ptrdiff_t at = str_find(bytes, STR("\r\n\r\n"));

	return at < 0 ? 0 : (size_t)at + 4;
}

static bool is_named(struct str name, const char *what)
{
	return name.len == strlen(what) && !strncasecmp(name.ptr, what, name.len);
}

/*
 * Headers for the next hop only, and Host, which is replaced by the name that was checked: a
 * server with several names must not get another one.
 */
static bool is_for_us(struct str name)
{
	static const char *const ours[] = { "connection",
		                            "host",
		                            "keep-alive",
		                            "proxy-authenticate",
		                            "proxy-authorization",
		                            "proxy-connection",
		                            "te",
		                            "trailer",
		                            "upgrade" };

	for (size_t i = 0; i < COUNT_OF(ours); i++)
		if (is_named(name, ours[i]))
			return true;
	return false;
}

/*
 * http://authority/path: the host is checked, the path is sent to the server without its
 * fragment.
 */
static bool read_target(struct str target, struct proxy_head *h, struct str *ret_path)
{
	size_t at = strlen("http://");

	if (target.len < at || strncasecmp(target.ptr, "http://", at) != 0 ||
	    !net_host_of_url(target, &h->host, &h->port))
		return false;
	while (at < target.len && target.ptr[at] != '/' && target.ptr[at] != '?' &&
	       target.ptr[at] != '#')
		at++;
	*ret_path = str_skip(target, at);
	*ret_path = str_cut(ret_path, '#');
	return true;
}

static void write_start(const struct reader *r, struct str path)
{
	struct proxy_head *h = r->head;
	bool is_v6 = strchr(h->host.text, ':');

	buf_printf(&h->text, "%.*s %s%.*s HTTP/%.*s\r\nHost: %s%s%s", STR_ARG(r->method),
	           path.len && path.ptr[0] == '/' ? "" : "/", STR_ARG(path), STR_ARG(r->version),
	           is_v6 ? "[" : "", h->host.text, is_v6 ? "]" : "");
	if (h->port != 80)
		buf_printf(&h->text, ":%u", h->port);
	buf_printf(&h->text, "\r\nConnection: close\r\n");
}

/* ---- llhttp's callbacks ---- */

/* Stops the parser; status_of() prefers this status to llhttp's own error. */
static int stop_parser(struct reader *r, int status, const char *why)
{
	r->status = status;
	r->why = why;
	return HPE_USER;
}

/* The whole head is parsed at once, so the pieces of a part follow each other in memory. */
static int extend_part(struct str *part, const char *at, size_t len)
{
	*part = str_is(*part) ? str_of(part->ptr, (size_t)(at - part->ptr) + len) : str_of(at, len);
	return 0;
}

static int on_method(llhttp_t *ll, const char *at, size_t len)
{
	return extend_part(&((struct reader *)ll->data)->method, at, len);
}

static int on_target(llhttp_t *ll, const char *at, size_t len)
{
	return extend_part(&((struct reader *)ll->data)->target, at, len);
}

static int on_version(llhttp_t *ll, const char *at, size_t len)
{
	return extend_part(&((struct reader *)ll->data)->version, at, len);
}

/* llhttp also takes several blanks, empty lines in front, and other protocols. */
static int line_status(const struct reader *r)
{
	if (r->method.ptr != r->start || r->target.ptr != r->method.ptr + r->method.len + 1)
		return 400;
	if (r->version.ptr != r->target.ptr + r->target.len + 6 ||
	    memcmp(r->version.ptr - 6, " HTTP/", 6) != 0)
		return 505;
	return str_eq(r->version, STR("1.1")) || str_eq(r->version, STR("1.0")) ? 0 : 505;
}

static int on_version_complete(llhttp_t *ll)
{
	struct reader *r = ll->data;
	struct proxy_head *h = r->head;
	struct str path = STR("");

	if (line_status(r))
		return stop_parser(r, line_status(r), bad_line);
	h->is_connect = str_eq(r->method, STR("CONNECT"));
	if (h->is_connect)
		return net_host_read_with_port(r->target, 0, &h->host, &h->port)
		               ? 0
		               : stop_parser(r, 400, "CONNECT wants host:port");
	if (!read_target(r->target, h, &path))
		return stop_parser(
			r, 400,
			"this is a proxy: it wants CONNECT host:port or an address that begins "
			"with http://");
	write_start(r, path);
	return 0;
}

static int on_name(llhttp_t *ll, const char *at, size_t len)
{
	return extend_part(&((struct reader *)ll->data)->name, at, len);
}

/*
 * Transfer-Encoding is refused by its name, before its value and later headers are parsed, so
 * that a wrong Content-Length after it does not change the answer.
 */
static int on_name_complete(llhttp_t *ll)
{
	struct reader *r = ll->data;

	if (++r->count > FIELDS_MAX)
		return stop_parser(r, 431, "there are too many headers");
	return is_named(r->name, "transfer-encoding") ? stop_parser(r, 411, no_length) : 0;
}

static int on_value(llhttp_t *ll, const char *at, size_t len)
{
	return extend_part(&((struct reader *)ll->data)->value, at, len);
}

static int on_value_complete(llhttp_t *ll)
{
	struct reader *r = ll->data;

	if (!r->head->is_connect && !is_for_us(r->name))
		buf_printf(&r->head->text, "%.*s: %.*s\r\n", STR_ARG(r->name),
		           STR_ARG(str_trim(r->value)));
	r->name = r->value = STR_NONE;
	return 0;
}

/* Stops at the end of the head; the body is relayed as bytes and never parsed. */
static int on_headers_complete(llhttp_t *ll)
{
	(void)ll;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_method = on_method,
	.on_url = on_target,
	.on_version = on_version,
	.on_version_complete = on_version_complete,
	.on_header_field = on_name,
	.on_header_field_complete = on_name_complete,
	.on_header_value = on_value,
	.on_header_value_complete = on_value_complete,
	.on_headers_complete = on_headers_complete,
};

/* ---- one head ---- */

static int status_of(const struct reader *r, enum llhttp_errno code, const char **ret_why)
{
	*ret_why = str_is(r->version) ? bad_field : bad_line;
	if (r->status) {
		*ret_why = r->why;
		return r->status;
	}
	switch (code) {
	case HPE_INVALID_CONSTANT: /* "HTTP/" was expected */
	case HPE_INVALID_VERSION:
	case HPE_PAUSED_H2_UPGRADE:
		*ret_why = bad_line;
		return 505;
	case HPE_INVALID_TRANSFER_ENCODING:
		*ret_why = no_length;
		return 411;
	case HPE_INVALID_CONTENT_LENGTH:
	case HPE_UNEXPECTED_CONTENT_LENGTH:
		*ret_why = bad_length;
		return 400;
	default:
		return 400;
	}
}

/*
 * Some clients (curl) send other bytes than ASCII in the target as they are,
 * which HTTP does not allow.  They are percent-encoded, which names the same
 * resource; anywhere else in the line that makes the request invalid.
 */
static void encode_line(struct buf *to, struct str text)
{
	size_t line = (size_t)str_find(text, STR("\r\n"));

	for (size_t i = 0; i < line; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c < 0x80)
			buf_add_char(to, (char)c);
		else
			buf_printf(to, "%%%02X", c);
	}
	buf_add_str(to, str_skip(text, line));
}

static int parse(struct str text, struct proxy_head *h, const char **ret_why)
{
	struct reader r = { .head = h, .start = text.ptr };
	enum llhttp_errno code;

	llhttp_init(&r.ll, HTTP_REQUEST, &settings);
	r.ll.data = &r;
	code = llhttp_execute(&r.ll, text.ptr, text.len);
	/*
	 * The end that the parser found must be the end of the text.  A difference would let
	 * bytes through that only one of the two readers takes for a request.
	 */
	if (code != HPE_PAUSED || llhttp_get_error_pos(&r.ll) != text.ptr + text.len ||
	    !str_is(r.version))
		return status_of(&r, code, ret_why);
	h->body_len = h->is_connect ? 0 : r.ll.content_length;
	return 0;
}

int proxy_head_read(struct str text, struct proxy_head *ret, const char **ret_why)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct proxy_head h = { .port = 0 };
	int status;

	encode_line(&plain, text);
	status = parse(buf_str(&plain), &h, ret_why);
	if (status) {
		buf_done(&h.text);
		return status;
	}
	*ret_why = NULL;
	if (!h.is_connect)
		buf_add_str(&h.text, STR("\r\n"));
	*ret = h;
	return 0;
}
