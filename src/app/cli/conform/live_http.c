/* A small HTTP client: connect, send, read the whole answer, take the body apart. */
#include "app/cli/conform/live_http.h"

#include "base/os/clock.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_MS 15000
#define ANSWER_BYTES (64u << 20)
#define CHUNK 65536

/* HOST[:PORT]; an IPv6 address has colons of its own and is in brackets: [::1]:7433. */
static bool read_authority(struct arena *mem, struct str rest, struct live_url *ret)
{
	bool is_six = str_starts(rest, STR("["));
	struct str host;

	rest = str_skip(rest, is_six);
	host = str_cut(&rest, is_six ? ']' : ':');
	if (is_six && (!str_is(rest) || (rest.len && rest.ptr[0] != ':')))
		return false;
	rest = is_six && rest.len ? str_skip(rest, 1) : rest;
	ret->socket = NULL;
	ret->host = arena_keep(mem, host).ptr;
	ret->port = str_is(rest) && rest.len ? arena_keep(mem, rest).ptr : "80";
	ret->shown = arena_printf(mem, is_six ? "[%s]:%s" : "%s:%s", ret->host, ret->port).ptr;
	return host.len > 0;
}

enum err live_http_url(struct arena *mem, struct str text, struct live_url *ret, struct error *e)
{
	struct str rest = text;

	if (!str_starts(text, STR("http://")))
		return fail(e, ERR_INVALID,
		            "the address begins with http://; use a local proxy for others");
	rest = str_skip(text, strlen("http://"));
	if (!read_authority(mem, str_cut(&rest, '/'), ret) || str_find_char(text, '\n') >= 0 ||
	    str_find_char(text, ' ') >= 0)
		return fail(e, ERR_INVALID, "the address has no host");
	while (str_is(rest) && rest.len && rest.ptr[rest.len - 1] == '/')
		rest.len--;
	ret->path = str_is(rest) && rest.len ? arena_printf(mem, "/%.*s", STR_ARG(rest)) : STR("");
	return OK;
}

/* ---- the connection ---- */

static bool is_ready(int fd, short what, int64_t until)
{
	struct pollfd p = { .fd = fd, .events = what };
	int64_t left = until - clock_mono_ms();

	return left > 0 && poll(&p, 1, (int)left) == 1;
}

static int connect_one(const struct addrinfo *a, int64_t until)
{
	int fd =
		socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
	int why = 0;
	socklen_t len = sizeof why;

	if (fd < 0)
		return -1;
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	if (errno == EINPROGRESS && is_ready(fd, POLLOUT, until) &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) == 0 && !why)
		return fd;
	close(fd);
	return -1;
}

static int connect_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int live_http_connect(const struct live_url *to, int64_t until)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	int fd = -1;

	if (to->socket)
		return connect_socket(to->socket);
	if (getaddrinfo(to->host, to->port, &hints, &list) != 0)
		return -1;
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = connect_one(a, until);
	freeaddrinfo(list);
	return fd;
}

static bool send_all(int fd, struct str text, int64_t until)
{
	while (text.len) {
		ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n < 0 && !is_ready(fd, POLLOUT, until))
			return false;
		text = str_skip(text, n > 0 ? (size_t)n : 0);
	}
	return true;
}

/* ---- the answer ---- */

/* The value of a header; absent without it. */
static struct str header_of(struct str head, const char *name)
{
	while (str_is(head)) {
		struct str value = str_cut(&head, '\n'), key = str_cut(&value, ':');

		if (key.len == strlen(name) && strncasecmp(key.ptr, name, key.len) == 0)
			return str_trim(value);
	}
	return STR_NONE;
}

static bool is_chunked(struct str head)
{
	struct str coding = header_of(head, "transfer-encoding");

	return coding.len == strlen("chunked") &&
	       strncasecmp(coding.ptr, "chunked", coding.len) == 0;
}

/*
 * Takes one chunk from the front of *body.  False: the last one, which has no bytes, or
 * what is no whole chunk; *ret_is_last says which.
 */
static bool take_chunk(struct str *body, struct str *ret, bool *ret_is_last)
{
	struct str size = str_cut(body, '\n');
	char text[17] = { 0 };
	size_t n;

	memcpy(text, size.ptr, MIN(size.len, sizeof text - 1));
	n = strtoul(text, NULL, 16);
	*ret_is_last = str_is(*body) && size.len && size.ptr[0] == '0' && !n;
	if (!n || !str_is(*body) || body->len < n)
		return false;
	*ret = str_head(*body, n);
	*body = str_skip(*body, MIN(n + 2, body->len));
	return true;
}

/* A runtime may keep the connection open behind its answer, whatever the request asked for. */
static bool is_whole(struct str in)
{
	ptrdiff_t end = str_find(in, STR("\r\n\r\n"));
	struct str head = str_head(in, end < 0 ? 0 : (size_t)end), chunk;
	struct str body = end < 0 ? STR_NONE : str_skip(in, (size_t)end + 4);
	uint64_t length;
	bool is_last = false;

	if (end < 0)
		return false;
	if (!is_chunked(head))
		return str_to_u64(header_of(head, "content-length"), &length) && body.len >= length;
	if (!str_ends(body, STR("\r\n\r\n"))) /* the usual end; the chunks are walked rarely */
		return false;
	while (take_chunk(&body, &chunk, &is_last))
		;
	return is_last;
}

/* What cannot be taken apart stays out; a cut body is found by who reads it. */
static struct str join_chunks(struct arena *mem, struct str body)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str chunk;
	bool is_last;

	while (take_chunk(&body, &chunk, &is_last))
		buf_add_str(&out, chunk);
	return arena_keep(mem, buf_str(&out));
}

static enum err read_all(int fd, struct buf *in, int64_t until, struct error *e)
{
	for (;;) {
		ssize_t n = recv(fd, buf_reserve(in, CHUNK), CHUNK, 0);

		if (n == 0)
			return OK;
		if (n > 0)
			in->len += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return fail_errno(e, ERR_CLOSED, "the connection broke");
		else if (!is_ready(fd, POLLIN, until))
			return fail(e, ERR_TIMEOUT, "no complete answer within %d s",
			            ANSWER_MS / 1000);
		if (in->len > ANSWER_BYTES)
			return fail(e, ERR_TOO_LARGE, "the answer has more than %u bytes",
			            ANSWER_BYTES);
		if (n > 0 && is_whole(buf_str(in)))
			return OK;
	}
}

static enum err take_apart(struct arena *mem, struct str in, int *ret_status, struct str *ret_body,
                           struct error *e)
{
	ptrdiff_t end = str_find(in, STR("\r\n\r\n"));
	struct str head = str_head(in, end < 0 ? 0 : (size_t)end), line = head;
	uint64_t status;

	line = str_cut(&line, '\r');
	if (end < 0 || !str_starts(line, STR("HTTP/1.")) || line.len < 12 ||
	    !str_to_u64(str_head(str_skip(line, 9), 3), &status))
		return fail(e, ERR_INVALID, "the answer is no HTTP");
	*ret_status = (int)status;
	*ret_body = is_chunked(head) ? join_chunks(mem, str_skip(in, (size_t)end + 4))
	                             : arena_keep(mem, str_skip(in, (size_t)end + 4));
	return OK;
}

enum err live_http_ask(struct arena *mem, const struct live_url *to, const struct live_request *r,
                       int *ret_status, struct str *ret_body, struct error *e)
{
	CLEANUP(buf_done) struct buf text = { 0 }, in = { 0 };
	int64_t until = clock_mono_ms() + ANSWER_MS;
	int fd = live_http_connect(to, until);
	enum err code;

	if (fd < 0)
		return fail(e, ERR_IO, "%s port %s cannot be reached", to->host, to->port);
	buf_printf(&text, "%.*s %.*s%.*s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%.*s",
	           STR_ARG(r->method), STR_ARG(to->path), STR_ARG(r->path), to->shown,
	           STR_ARG(r->headers));
	if (str_is(r->body))
		buf_printf(&text, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
		           r->body.len);
	buf_add_c(&text, "\r\n");
	buf_add_str(&text, r->body);
	code = send_all(fd, buf_str(&text), until)
	               ? read_all(fd, &in, until, e)
	               : fail(e, ERR_CLOSED, "the request was not taken");
	close(fd);
	return code == OK ? take_apart(mem, buf_str(&in), ret_status, ret_body, e) : code;
}
