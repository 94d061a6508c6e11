/*
 * The same events over each transport that the daemon offers.
 *
 * HTTP answers are read whole.  WebSocket and stdio carry JSON-RPC: a subscription
 * is made and its notifications are read until there are as many as wanted.
 */
#include "app/cli/cli.h"
#include "app/cli/conform/live_http.h"
#include "app/cli/conform/scenario.h"
#include "base/jw.h"
#include "base/os/clock.h"
#include "base/os/own_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS 15000
#define CHUNK 65536
#define PAGE 256
#define MESSAGE_MAX (16u << 20)

extern char **environ;

/* ---- HTTP ---- */

static struct live_url url_of(struct cli *c)
{
	return (struct live_url){
		.host = "thole", .shown = "thole", .socket = c->socket, .path = STR("")
	};
}

static bool get(struct cli *c, struct arena *mem, struct str path, const char *accept,
                struct str *ret)
{
	struct live_url to = url_of(c);
	struct str headers = arena_printf(mem, "Accept: %s\r\n", accept);
	struct error e;
	int status;

	return live_http_ask(mem, &to,
	                     &(struct live_request){ STR("GET"), path, headers, STR_NONE }, &status,
	                     ret, &e) == OK &&
	       status == 200;
}

static struct str path_of(struct arena *mem, const struct own_transport_want *want)
{
	return arena_printf(mem, "/v1/events?session=%.*s&after=0&follow=0",
	                    STR_ARG(want->session));
}

static bool read_ndjson(struct cli *c, struct arena *mem, const struct own_transport_want *want)
{
	struct str body;

	if (!get(c, mem, path_of(mem, want), "application/x-ndjson", &body))
		return false;
	while (str_is(body)) {
		struct str line = str_trim(str_cut(&body, '\n'));

		if (line.len)
			want->take(want->to, line);
	}
	return true;
}

static bool read_sse(struct cli *c, struct arena *mem, const struct own_transport_want *want)
{
	struct str body;

	if (!get(c, mem, path_of(mem, want), "text/event-stream", &body))
		return false;
	while (str_is(body)) {
		struct str line = str_trim(str_cut(&body, '\n'));

		if (str_starts(line, STR("data: {\"type\"")))
			want->take(want->to, str_skip(line, strlen("data: ")));
	}
	return true;
}

static bool hand_over_page(struct arena *mem, struct str body,
                           const struct own_transport_want *want, int64_t *after, bool *ret_more)
{
	struct json page, event;
	struct json_iter it;
	struct str key;

	if (json_read(mem, body, &page, NULL) != OK)
		return false;
	it = json_iter(JSON_GET(page, "events"));
	while (json_next(&it, &key, &event))
		want->take(want->to, json_text(mem, event));
	*after = json_int(JSON_GET(page, "lastSequence"), *after);
	*ret_more = json_bool(JSON_GET(page, "more"), false);
	return true;
}

static bool read_pages(struct cli *c, struct arena *mem, const struct own_transport_want *want)
{
	int64_t after = 0;
	bool more = true;

	while (more) {
		struct str path = arena_printf(mem, "/v1/events?session=%.*s&after=%lld&limit=%d",
		                               STR_ARG(want->session), (long long)after, PAGE);
		struct str body;

		if (!get(c, mem, path, "application/json", &body) ||
		    !hand_over_page(mem, body, want, &after, &more))
			return false;
	}
	return true;
}

/* ---- JSON-RPC ---- */

struct rpc_line {
	int in, out;
	bool is_websocket;
	struct buf got; /* what was read and not yet used */
	int64_t until;
};

static bool read_more(struct rpc_line *l)
{
	struct pollfd p = { .fd = l->in, .events = POLLIN };
	int64_t left = l->until - clock_mono_ms();
	ssize_t n;

	if (left <= 0 || poll(&p, 1, (int)left) != 1 || l->got.len > MESSAGE_MAX)
		return false;
	n = read(l->in, buf_reserve(&l->got, CHUNK), CHUNK);
	l->got.len += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool write_all(struct rpc_line *l, struct str text)
{
	while (text.len) {
		ssize_t n = write(l->out, text.ptr, text.len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = l->out, .events = POLLOUT }, 1, ANSWER_MS);
		else if (n < 0 && errno != EINTR)
			return false;
		text = str_skip(text, n > 0 ? (size_t)n : 0);
	}
	return true;
}

static void use_up(struct rpc_line *l, size_t len)
{
	memmove(l->got.ptr, l->got.ptr + len, l->got.len - len);
	l->got.len -= len;
}

/* The length of the frame at the front with its head; 0: it is not whole yet. */
static size_t frame_at(struct str in, size_t *ret_head)
{
	const unsigned char *b = (const unsigned char *)in.ptr;
	size_t len = in.len > 1 ? b[1] & 0x7f : 0, wide = len == 126 ? 2 : len == 127 ? 8 : 0;

	*ret_head = 2 + wide;
	if (in.len < *ret_head)
		return 0;
	if (wide)
		len = 0;
	for (size_t i = 0; i < wide; i++)
		len = len << 8 | b[2 + i];
	return in.len - *ret_head >= len ? *ret_head + len : 0;
}

/* A message is one frame here: the server does not split what it sends. */
static bool next_frame(struct rpc_line *l, struct arena *mem, struct str *ret)
{
	size_t head, len;

	while (!(len = frame_at(buf_str(&l->got), &head)))
		if (!read_more(l))
			return false;
	*ret = (l->got.ptr[0] & 0x0f) == 1 ? arena_keep(mem, str_of(l->got.ptr + head, len - head))
	                                   : STR("{}");
	use_up(l, len);
	return true;
}

static bool next_line(struct rpc_line *l, struct arena *mem, struct str *ret)
{
	ptrdiff_t end;

	while ((end = str_find_char(buf_str(&l->got), '\n')) < 0)
		if (!read_more(l))
			return false;
	*ret = arena_keep(mem, str_of(l->got.ptr, (size_t)end));
	use_up(l, (size_t)end + 1);
	return true;
}

/* A frame of a client is masked; the mask of zeros changes nothing. */
static bool send_message(struct rpc_line *l, struct str text)
{
	unsigned char head[] = {
		0x81, 0xfe, (unsigned char)(text.len >> 8), (unsigned char)text.len, 0, 0, 0, 0
	};

	if (!l->is_websocket)
		return write_all(l, text) && write_all(l, STR("\n"));
	return text.len < 65536 && text.len > 125 &&
	       write_all(l, str_of((const char *)head, sizeof head)) && write_all(l, text);
}

/* A subscription that follows, so that the transport is one of events and not of pages. */
static struct str subscription(struct arena *mem, struct str session)
{
	struct buf text = { 0 };
	struct json_writer w;
	struct str kept;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KINT(&w, "id", 1);
	JW_KSTR(&w, "method", STR("subscribe_events"));
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session);
	JW_KINT(&w, "after", 0);
	JW_KBOOL(&w, "follow", true);
	jw_obj_end(&w);
	jw_obj_end(&w);
	kept = arena_keep(mem, buf_str(&text));
	buf_done(&text);
	return kept;
}

static bool follow(struct rpc_line *l, struct arena *mem, const struct own_transport_want *want)
{
	size_t count = 0;

	if (!send_message(l, subscription(mem, want->session)))
		return false;
	while (count < want->count) {
		struct json message;
		struct str text;

		if (!(l->is_websocket ? next_frame : next_line)(l, mem, &text) ||
		    json_read(mem, text, &message, NULL) != OK ||
		    json_is(JSON_GET(message, "error")))
			return false;
		if (!str_eq(json_str(JSON_GET(message, "method")), STR("event")))
			continue;
		want->take(want->to, json_text(mem, JSON_GET(message, "params")));
		count++;
	}
	return true;
}

/* ---- WebSocket ---- */

static bool upgrade(struct rpc_line *l)
{
	static const char asked[] = "GET /v1/rpc HTTP/1.1\r\nHost: thole\r\nConnection: Upgrade\r\n"
				    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
				    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
	ptrdiff_t end;

	if (!write_all(l, str_from(asked)))
		return false;
	while ((end = str_find(buf_str(&l->got), STR("\r\n\r\n"))) < 0)
		if (!read_more(l))
			return false;
	if (!str_starts(buf_str(&l->got), STR("HTTP/1.1 101 ")))
		return false;
	use_up(l, (size_t)end + 4);
	return true;
}

static bool read_websocket(struct cli *c, struct arena *mem, const struct own_transport_want *want)
{
	struct live_url to = url_of(c);
	int64_t until = clock_mono_ms() + ANSWER_MS;
	int fd = live_http_connect(&to, until);
	struct rpc_line l = { fd, fd, true, { 0 }, until };
	bool is_read = fd >= 0 && upgrade(&l) && follow(&l, mem, want);

	if (fd >= 0)
		close(fd);
	buf_done(&l.got);
	return is_read;
}

/* ---- stdio ---- */

static pid_t spawn_rpc(struct cli *c, int in, int out)
{
	char path[PATH_MAX];
	char *argv[] = { (char *)"thole", (char *)"rpc", (char *)"--data", (char *)c->data, NULL };
	posix_spawn_file_actions_t files;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, own_program_path(path), &files, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

static bool read_stdio(struct cli *c, struct arena *mem, const struct own_transport_want *want)
{
	struct rpc_line l = { .until = clock_mono_ms() + ANSWER_MS };
	int both[2];
	bool is_read;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0)
		return false;
	pid = spawn_rpc(c, both[1], both[1]);
	close(both[1]);
	l.in = l.out = both[0];
	is_read = pid > 0 && follow(&l, mem, want);
	close(both[0]);
	if (pid > 0) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	buf_done(&l.got);
	return is_read;
}

/* ---- all of them ---- */

bool own_transport_events(struct cli *c, struct arena *mem, struct str transport,
                          const struct own_transport_want *want)
{
	static const struct {
		const char *name;
		bool (*read)(struct cli *c, struct arena *mem,
		             const struct own_transport_want *want);
	} all[] = {
		{ "ndjson", read_ndjson },       { "sse", read_sse },     { "page", read_pages },
		{ "websocket", read_websocket }, { "stdio", read_stdio },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (str_eq(transport, str_from(all[i].name)))
			return all[i].read(c, mem, want);
	return false;
}

int own_transport_stranger(struct cli *c, struct arena *mem, struct str command, struct str params,
                           struct str *ret_body)
{
	struct live_request r = { STR("POST"),
		                  arena_printf(mem, "/v1/commands/%.*s", STR_ARG(command)),
		                  STR("Authorization: Bearer not-given-out\r\n"), params };
	struct live_url to;
	struct error e;
	int status;

	if (!c->daemon_listen ||
	    live_http_url(mem, arena_printf(mem, "http://%s", c->daemon_listen), &to, &e) != OK ||
	    live_http_ask(mem, &to, &r, &status, ret_body, &e) != OK)
		return 0;
	return status;
}
