#include "client.h"

#include "base/arena.h"
#include "base/memory.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ_SIZE (256 << 10)

/* ---- wires ---- */

static void take_socket(struct http_client *w, int fd, const struct sockaddr *a, socklen_t len)
{
	*w = (struct http_client){ .fd = fd };
	if (fd < 0 || connect(fd, a, len) != 0)
		die("connect: %s", strerror(errno));
}

void http_client_tcp(struct http_client *w, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		                 .sin_port = htons((uint16_t)port),
		                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int on = 1;

	take_socket(w, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&a,
	            sizeof a);
	setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void http_client_unix(struct http_client *w, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof a.sun_path)
		die("%s is too long for a socket", path);
	strcpy(a.sun_path, path);
	take_socket(w, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&a,
	            sizeof a);
}

void http_client_close(struct http_client *w)
{
	close(w->fd);
	buf_done(&w->in);
	buf_done(&w->body);
}

void http_client_send(struct http_client *w, struct str bytes)
{
	while (bytes.len) {
		ssize_t put = send(w->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

		if (put < 0 && errno != EINTR)
			die("send: %s", strerror(errno));
		bytes = str_skip(bytes, put < 0 ? 0 : (size_t)put);
	}
}

static void receive(struct http_client *w)
{
	ssize_t got;

	if (w->at == w->in.len) {
		buf_clear(&w->in);
		w->at = 0;
	}
	got = recv(w->fd, buf_reserve(&w->in, READ_SIZE), READ_SIZE, 0);
	if (got <= 0 && !(got < 0 && errno == EINTR))
		die("recv: %s", got ? strerror(errno) : "the daemon hung up");
	w->in.len += got < 0 ? 0 : (size_t)got;
}

static struct str waiting(const struct http_client *w)
{
	return str_skip(buf_str(&w->in), w->at);
}

/* ---- HTTP ---- */

void http_send(struct http_client *w, const struct daemon *d, const char *method, const char *path,
               const char *accept, const char *body)
{
	struct buf out = { 0 };

	buf_printf(&out, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n",
	           method, path, d->token);
	if (accept)
		buf_printf(&out, "Accept: %s\r\n", accept);
	if (body)
		buf_printf(&out, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
		           strlen(body));
	buf_printf(&out, "\r\n%s", body ? body : "");
	http_client_send(w, buf_str(&out));
	buf_done(&out);
}

int http_head(struct http_client *w)
{
	ptrdiff_t end;
	struct str head;
	char copy[4096];
	const char *length;

	while ((end = str_find(waiting(w), STR("\r\n\r\n"))) < 0)
		receive(w);
	head = str_head(waiting(w), (size_t)end);
	snprintf(copy, sizeof copy, "%.*s", STR_ARG(head));
	w->at += (size_t)end + 4;
	length = strcasestr(copy, "\r\ncontent-length:");
	w->is_chunked = strcasestr(copy, "\r\ntransfer-encoding: chunked") != NULL;
	w->left = length ? (size_t)atoll(length + strlen("\r\ncontent-length:")) : 0;
	w->is_over = !w->is_chunked && !w->left;
	buf_clear(&w->body);
	w->taken = w->scanned = 0;
	return atoi(copy + strlen("HTTP/1.1 "));
}

/* The size of the next chunk; false: more has to come. */
static bool begin_chunk(struct http_client *w)
{
	struct str s = waiting(w);
	ptrdiff_t end = str_find(s, STR("\r\n"));

	if (end == 0) { /* the end of the chunk before */
		w->at += 2;
		return begin_chunk(w);
	}
	if (end < 0)
		return false;
	w->left = strtoul(s.ptr, NULL, 16);
	if (w->left == 0) {
		if (s.len < (size_t)end + 4)
			return false;
		w->at += (size_t)end + 4;
		w->is_over = true;
		return true;
	}
	w->at += (size_t)end + 2;
	return true;
}

/* Moves what is there from `in` to `body`; false: nothing was. */
static bool decode(struct http_client *w)
{
	bool moved = false;

	while (!w->is_over) {
		struct str s = waiting(w);
		size_t part;

		if (w->is_chunked && !w->left) {
			if (!s.len || !begin_chunk(w))
				break;
			moved = true;
			continue;
		}
		part = MIN(s.len, w->left);
		if (!part)
			break;
		buf_add(&w->body, s.ptr, part);
		w->at += part;
		w->left -= part;
		moved = true;
		if (!w->is_chunked && !w->left)
			w->is_over = true;
	}
	return moved;
}

static void more_body(struct http_client *w)
{
	if (w->taken && w->taken == w->body.len) {
		buf_clear(&w->body);
		w->scanned = w->taken = 0;
	}
	while (!decode(w))
		receive(w);
}

bool http_line(struct http_client *w, struct str *ret)
{
	for (;;) {
		const char *from = w->body.ptr + w->scanned;
		const char *end = w->body.len > w->scanned
		                          ? memchr(from, '\n', w->body.len - w->scanned)
		                          : NULL;

		if (end) {
			const char *start = w->body.ptr + w->taken;

			*ret = str_of(start, (size_t)(end - start));
			w->taken = w->scanned = (size_t)(end + 1 - w->body.ptr);
			return true;
		}
		w->scanned = w->body.len;
		if (w->is_over)
			return false;
		more_body(w);
	}
}

int http_ask(struct http_client *w, const struct daemon *d, const char *method, const char *path,
             const char *body, struct str *ret)
{
	int status;

	http_send(w, d, method, path, NULL, body);
	status = http_head(w);
	while (!w->is_over)
		while (!decode(w))
			receive(w);
	buf_add_char(&w->body, '\0');
	*ret = str_of(w->body.ptr, w->body.len - 1);
	return status;
}

struct str http_command(struct http_client *w, const struct daemon *d, const char *name,
                        const char *params)
{
	struct str reply;
	int status = http_ask(w, d, "POST", text("/v1/commands/%s", name), params, &reply);

	if (status / 100 != 2)
		die("%s was answered with %d: %.*s", name, status, STR_ARG(reply));
	return reply;
}

double metric(struct http_client *w, const struct daemon *d, const char *name)
{
	struct str page;
	const char *at;

	if (http_ask(w, d, "GET", "/metrics", NULL, &page) != 200)
		die("/metrics: %.*s", STR_ARG(page));
	at = strstr(page.ptr, text("\nthole_%s ", name));
	if (!at)
		die("/metrics has no thole_%s", name);
	return atof(strchr(at, ' '));
}

struct str member(struct str json, const char *key)
{
	struct str want = str_from(text("\"%s\":\"", key));
	ptrdiff_t at = str_find(json, want);
	struct str rest;

	if (at < 0)
		die("no %s in %.*s", key, STR_ARG(json));
	rest = str_skip(json, (size_t)at + want.len);
	return str_cut(&rest, '"');
}

/* ---- JSON-RPC ---- */

struct str rpc_line(struct http_client *w)
{
	for (;;) {
		struct str s = waiting(w);
		ptrdiff_t end = str_find_char(s, '\n');

		if (end >= 0) {
			w->at += (size_t)end + 1;
			return str_head(s, (size_t)end);
		}
		receive(w);
	}
}

struct str rpc_call(struct http_client *w, const char *method, const char *params)
{
	struct buf out = { 0 };
	struct str line;

	buf_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method,
	           params);
	http_client_send(w, buf_str(&out));
	buf_done(&out);
	line = rpc_line(w);
	if (str_find(line, STR("\"result\":")) < 0)
		die("%s: %.*s", method, STR_ARG(line));
	return line;
}

/* ---- many calls at once ---- */

static bool write_next(struct load *l, size_t lane, struct buf *out)
{
	size_t start = out->len;

	buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"%s\",\"params\":", lane,
	           l->method);
	if (!l->next(l->arg, lane, out)) {
		out->len = start;
		return false;
	}
	buf_add_c(out, "}\n");
	return true;
}

/* Every answer begins {"jsonrpc":"2.0","id":N, and then "result" or "error". */
static size_t take_answer(struct load *l, struct str line)
{
	ptrdiff_t at = str_find(line, STR("\"id\":"));
	size_t lane;

	if (at < 0)
		die("not an answer: %.*s", STR_ARG(line));
	lane = strtoul(line.ptr + at + 5, NULL, 10);
	if (str_find(str_head(line, 64), STR("\"error\":")) >= 0 && !l->refused++)
		snprintf(l->first_refusal, sizeof l->first_refusal, "%.*s", STR_ARG(line));
	l->answered++;
	if (l->response)
		l->response(l->arg, lane, line);
	return lane;
}

/* Takes every whole line; gives how many lanes went on. */
static size_t take_lines(struct load *l, struct http_client *w, struct buf *out, size_t *under_way)
{
	size_t before = *under_way;

	for (;;) {
		struct str s = waiting(w);
		ptrdiff_t end = str_find_char(s, '\n');
		size_t lane;

		if (end < 0)
			break;
		lane = take_answer(l, str_head(s, (size_t)end));
		w->at += (size_t)end + 1;
		*under_way -= !write_next(l, lane, out);
	}
	http_client_send(w, buf_str(out));
	buf_clear(out);
	return before - *under_way;
}

void load_run(struct load *l)
{
	struct http_client *wires = memory_zeroed(l->connections, sizeof *wires);
	struct pollfd *fds = memory_zeroed(l->connections, sizeof *fds);
	struct buf out = { 0 };
	size_t under_way = 0;

	for (size_t i = 0; i < l->connections; i++) {
		http_client_unix(&wires[i], l->daemon->socket);
		fds[i] = (struct pollfd){ .fd = wires[i].fd, .events = POLLIN };
	}
	for (size_t i = 0; i < l->connections; i++) {
		size_t from = i * l->lanes / l->connections;
		size_t until = (i + 1) * l->lanes / l->connections;

		for (size_t lane = from; lane < until; lane++)
			under_way += write_next(l, lane, &out);
		http_client_send(&wires[i], buf_str(&out));
		buf_clear(&out);
	}
	while (under_way) {
		if (poll(fds, l->connections, 30000) <= 0)
			die("%s: no answer for 30 s, %zu under way", l->method, under_way);
		for (size_t i = 0; i < l->connections; i++)
			if (fds[i].revents) {
				receive(&wires[i]);
				take_lines(l, &wires[i], &out, &under_way);
			}
	}
	for (size_t i = 0; i < l->connections; i++)
		http_client_close(&wires[i]);
	buf_done(&out);
	memory_free(wires);
	memory_free(fds);
}

/* ---- work ---- */

void run_turn(struct http_client *w, const struct daemon *d, const char *session, const char *input,
              char ret_session[ID_SIZE])
{
	struct str line, last = STR_NONE;
	char type[64] = "";
	int status;

	if (session)
		http_send(w, d, "POST", "/v1/run", NULL,
		          text("{\"sessionId\":\"%s\",\"input\":\"%s\"}", session, input));
	else
		http_send(w, d, "POST", "/v1/run", NULL, text("{\"input\":\"%s\"}", input));
	status = http_head(w);
	while (http_line(w, &line)) {
		last = line;
		snprintf(type, sizeof type, "%.*s", STR_ARG(member(line, "type")));
		if (ret_session)
			snprintf(ret_session, ID_SIZE, "%.*s", STR_ARG(member(line, "sessionId")));
	}
	if (status != 200 || strcmp(type, "snapshot.updated") != 0)
		die("a turn ended with %d, %.*s", status, STR_ARG(last));
}

struct crowd {
	size_t count, next;
	char (*ids)[ID_SIZE];
	size_t lane_at[512];
};

static bool next_submit(void *arg, size_t lane, struct buf *out)
{
	struct crowd *c = arg;

	if (c->next == c->count)
		return false;
	c->lane_at[lane] = c->next++;
	buf_printf(out, "{\"input\":\"make session %zu\"}", c->lane_at[lane]);
	return true;
}

static void take_session(void *arg, size_t lane, struct str line)
{
	struct crowd *c = arg;

	snprintf(c->ids[c->lane_at[lane]], ID_SIZE, "%.*s", STR_ARG(member(line, "sessionId")));
}

static void load_all(struct load *l)
{
	load_run(l);
	if (l->refused)
		die("%s: %llu of %llu refused, first %s", l->method, (unsigned long long)l->refused,
		    (unsigned long long)l->answered, l->first_refusal);
}

static void wait_until_quiet(const struct daemon *d)
{
	struct http_client w;
	double before = -1, events;

	http_client_tcp(&w, d->port);
	for (;;) {
		events = metric(&w, d, "events_total");
		if (events == before && metric(&w, d, "live_effects") == 0)
			break;
		before = events;
		nap_ms(50);
	}
	http_client_close(&w);
}

void make_sessions(const struct daemon *d, size_t count, char (*ret_ids)[ID_SIZE])
{
	struct crowd c = { .count = count, .ids = ret_ids };
	struct load l = { .daemon = d,
		          .connections = 4,
		          .lanes = 64,
		          .method = "submit_turn",
		          .next = next_submit,
		          .response = take_session,
		          .arg = &c };

	load_all(&l);
	wait_until_quiet(d);
}

static bool next_title(void *arg, size_t lane, struct buf *out)
{
	struct crowd *c = arg;

	if (c->next == c->count)
		return false;
	buf_printf(out, "{\"sessionId\":\"%s\",\"title\":\"touched\"}", c->ids[c->next++]);
	return true;
}

void touch_sessions(const struct daemon *d, size_t count, char (*ids)[ID_SIZE])
{
	struct crowd c = { .count = count, .ids = ids };
	struct load l = { .daemon = d,
		          .connections = 4,
		          .lanes = 64,
		          .method = "update_session",
		          .next = next_title,
		          .arg = &c };

	load_all(&l);
}
