#include "hand/proxy_head.h"

#include <strings.h>

#define FIELDS_MAX 100

size_t proxy_head_end(struct str bytes)
{
	ptrdiff_t at = str_find(bytes, STR("\r\n\r\n"));

	return at < 0 ? 0 : (size_t)at + 4;
}

static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
		    (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return s.len > 0;
}

/* Visible characters, and in a value blanks too: no NUL, no lone CR or LF. */
static bool is_text(struct str s, bool has_blanks)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == 0x7f || c < 0x20 + !has_blanks) {
			if (c != '\t' || !has_blanks)
				return false;
		}
	}
	return true;
}

static bool is_named(struct str name, const char *what)
{
	return name.len == strlen(what) && !strncasecmp(name.ptr, what, name.len);
}

/* For whoever is on this connection, and not for who is asked behind it. */
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

static struct str next_line(struct str *rest)
{
	ptrdiff_t at = str_find(*rest, STR("\r\n"));
	struct str line = str_head(*rest, (size_t)at);

	*rest = str_skip(*rest, (size_t)at + 2);
	return line;
}

/* http://authority/path: the host is judged, the path is sent on. */
static bool read_target(struct str target, struct proxy_head *h, struct str *ret_path)
{
	size_t at = strlen("http://");

	if (target.len < at || strncasecmp(target.ptr, "http://", at) != 0 ||
	    !host_of_url(target, &h->host, &h->port))
		return false;
	while (at < target.len && target.ptr[at] != '/' && target.ptr[at] != '?' &&
	       target.ptr[at] != '#')
		at++;
	*ret_path = str_skip(target, at);
	*ret_path = str_cut(ret_path, '#');
	return true;
}

static void write_start(struct proxy_head *h, struct str method, struct str path,
                        struct str version)
{
	bool is_v6 = strchr(h->host.text, ':');

	buf_printf(&h->text, "%.*s %s%.*s %.*s\r\nHost: %s%s%s", STR_ARG(method),
	           path.len && path.ptr[0] == '/' ? "" : "/", STR_ARG(path), STR_ARG(version),
	           is_v6 ? "[" : "", h->host.text, is_v6 ? "]" : "");
	if (h->port != 80)
		buf_printf(&h->text, ":%u", h->port);
	buf_printf(&h->text, "\r\nConnection: close\r\n");
}

static int read_start(struct str line, struct proxy_head *h, const char **ret_why)
{
	struct str version = line, method = str_cut(&version, ' '), target = STR_NONE,
		   path = STR("");

	if (str_is(version))
		target = str_cut(&version, ' ');
	*ret_why = "the request line is none";
	if (!str_is(version) || !is_token(method) || !target.len || !is_text(target, false))
		return 400;
	if (!str_eq(version, STR("HTTP/1.1")) && !str_eq(version, STR("HTTP/1.0")))
		return 505;
	h->is_connect = str_eq(method, STR("CONNECT"));
	if (h->is_connect) {
		*ret_why = "CONNECT wants host:port";
		return host_port_read(target, 0, &h->host, &h->port) ? 0 : 400;
	}
	*ret_why = "this is a proxy: it wants CONNECT host:port or an address that begins with "
		   "http://";
	if (!read_target(target, h, &path))
		return 400;
	write_start(h, method, path, version);
	return 0;
}

static int read_length(struct str value, bool *is_told, struct proxy_head *h, const char **ret_why)
{
	*ret_why = "Content-Length is no length";
	if (*is_told || !value.len || value.ptr[0] < '0' || value.ptr[0] > '9' ||
	    !str_to_u64(value, &h->body_len))
		return 400;
	*is_told = true;
	return 0;
}

static int read_fields(struct str rest, struct proxy_head *h, const char **ret_why)
{
	bool has_length = false;
	int status = 0;

	for (int count = 0; !status && !str_starts(rest, STR("\r\n")); count++) {
		struct str value = next_line(&rest), name = str_cut(&value, ':');

		*ret_why = "a header is none";
		if (count == FIELDS_MAX)
			return 431;
		if (!str_is(value) || !is_token(name) || !is_text(value, true))
			return 400;
		value = str_trim(value);
		*ret_why = "a body without a length is not sent on";
		if (is_named(name, "transfer-encoding"))
			return 411;
		if (is_named(name, "content-length"))
			status = read_length(value, &has_length, h, ret_why);
		if (!h->is_connect && !is_for_us(name))
			buf_printf(&h->text, "%.*s: %.*s\r\n", STR_ARG(name), STR_ARG(value));
	}
	return status;
}

int proxy_head_read(struct str text, struct proxy_head *ret, const char **ret_why)
{
	struct proxy_head h = { .port = 0 };
	int status = read_start(next_line(&text), &h, ret_why);

	if (!status)
		status = read_fields(text, &h, ret_why);
	*ret_why = status ? *ret_why : NULL;
	if (status) {
		buf_done(&h.text);
		return status;
	}
	if (h.is_connect)
		h.body_len = 0;
	else
		buf_add_str(&h.text, STR("\r\n"));
	*ret = h;
	return 0;
}
