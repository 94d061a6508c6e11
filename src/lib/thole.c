/*
 * The public API.  thole_open() and thole_connect() both yield descriptors that
 * speak JSON-RPC lines; everything above that is the same.  A call takes its
 * own connection from a small pool, so that calls of different threads do not
 * wait for each other.  A stream has its own connection, so that a slow reader
 * delays no other.
 */
#include "thole/thole.h"

#include "base/arena.h"
#include "base/os/clock.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/memory.h"
#include "lib/api.h"
#include "lib/files.h"
#include "lib/move/move.h"
#include "lib/runtime.h"
#include "provider/http_config.h"
#include "provider/keys/keys.h"
#include "store/backup.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The setting store.schema. */
#define DEFAULT_SCHEMA "thole"

/* Lines are views into `in`; bytes move to its front only when more are needed. */
struct conn {
	int fd;
	struct buf in;
	size_t taken;   /* bytes of `in` that were lines */
	size_t scanned; /* and how far there is no newline behind them */
};

struct thole_stream {
	struct thole *t;
	struct conn *c;
	struct arena *mem;
};

/* The public codes are few and stable; the internal ones are neither. */
static enum thole_code code_of(enum err code)
{
	switch (code) {
	case OK:
		return THOLE_OK;
	case ERR_BUSY:
		return THOLE_BUSY;
	case ERR_STORE:
	case ERR_UNAVAILABLE:
		return THOLE_STORE;
	case ERR_INVALID:
	case ERR_UNSUPPORTED:
	case ERR_TOO_LARGE:
		return THOLE_CONFIG;
	default:
		return THOLE_IO;
	}
}

static void set_error(struct thole_error *err, int code, const char *message)
{
	if (!err)
		return;
	err->code = code;
	snprintf(err->message, sizeof err->message, "%s", message);
}

/* ---- connections ---- */

static int connect_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof addr.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof addr) != 0) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static struct conn *conn_new(struct thole *t)
{
	int fd = t->runtime ? runtime_connect(t->runtime) : connect_socket(t->socket_path);
	struct conn *c;

	if (fd < 0)
		return NULL;
	c = memory_zeroed(1, sizeof *c);
	c->fd = fd;
	return c;
}

static void conn_free(struct conn *c)
{
	if (!c)
		return;
	close(c->fd);
	buf_done(&c->in);
	memory_free(c);
}

/* The last returned connection first: it is the least likely to have been closed as idle. */
static struct conn *conn_take(struct thole *t)
{
	struct conn *c = NULL;

	pthread_mutex_lock(&t->lock);
	if (t->pooled)
		c = t->pool[--t->pooled];
	pthread_mutex_unlock(&t->lock);
	return c ? c : conn_new(t);
}

static void conn_give(struct thole *t, struct conn *c)
{
	pthread_mutex_lock(&t->lock);
	if (t->pooled < API_POOL_MAX) {
		t->pool[t->pooled++] = c;
		c = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	conn_free(c);
}

/* Never blocks in send(): a stepped runtime has to run while its socket is full. */
static int conn_send(struct thole *t, struct conn *c, struct str line)
{
	while (line.len) {
		ssize_t put = send(c->fd, line.ptr, line.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (put > 0) {
			line = str_skip(line, (size_t)put);
			continue;
		}
		if (put < 0 && errno != EAGAIN && errno != EINTR)
			return THOLE_CLOSED;
		int code = api_wait(t, c->fd, POLLOUT, -1);

		if (code)
			return code;
	}
	return THOLE_OK;
}

/* One line, without its newline; it lives until the next call. */
static int conn_recv(struct thole *t, struct conn *c, int timeout_ms, struct str *ret)
{
	for (;;) {
		char *end = c->in.len > c->scanned
		                    ? memchr(c->in.ptr + c->scanned, '\n', c->in.len - c->scanned)
		                    : NULL;

		if (end) {
			*ret = str_of(c->in.ptr + c->taken, (size_t)(end - c->in.ptr) - c->taken);
			return THOLE_OK;
		}
		buf_drop(&c->in, c->taken);
		c->taken = 0;
		c->scanned = c->in.len;
		char *room = buf_reserve(&c->in, 65536);
		ssize_t got = recv(c->fd, room, 65536, MSG_DONTWAIT);

		if (got > 0) {
			c->in.len += (size_t)got;
			continue;
		}
		if (got == 0 || (errno != EAGAIN && errno != EINTR))
			return THOLE_CLOSED;
		int code = api_wait(t, c->fd, POLLIN, timeout_ms);

		if (code)
			return code;
	}
}

static void conn_drop_line(struct conn *c, struct str line)
{
	c->taken += line.len + 1;
	c->scanned = c->taken;
}

/* ---- opening and connecting ---- */

static struct thole *thole_new(void)
{
	struct thole *t = memory_zeroed(1, sizeof *t);

	pthread_mutex_init(&t->lock, NULL);
	return t;
}

struct thole *thole_open(const struct thole_options *options, struct thole_error *err)
{
	struct thole *t;
	struct runtime *r;
	struct error e = { 0 };
	enum err code;

	if (!options || !options->data_dir || !*options->data_dir) {
		set_error(err, THOLE_INVALID, "data_dir is missing");
		return NULL;
	}
	code = runtime_open(options, &r, &e);
	if (code) {
		set_error(err, code_of(code), e.message);
		return NULL;
	}
	t = thole_new();
	t->runtime = r;
	return t;
}

/* Connects once at once, so that a wrong path is an error here and not at the first call. */
struct thole *thole_connect(const char *socket_path, struct thole_error *err)
{
	struct thole *t = thole_new();
	struct conn *c;

	t->socket_path = memory_strdup(socket_path);
	c = conn_new(t);
	if (!c) {
		char text[512];

		snprintf(text, sizeof text, "%s: %s", socket_path, strerror(errno));
		set_error(err, THOLE_CLOSED, text);
		thole_close(t);
		return NULL;
	}
	conn_give(t, c);
	return t;
}

void thole_close(struct thole *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->pooled; i++)
		conn_free(t->pool[i]);
	if (t->runtime)
		runtime_close(t->runtime);
	free(t->socket_path);
	pthread_mutex_destroy(&t->lock);
	memory_free(t);
}

/* ---- calls ---- */

static void write_request(struct buf *out, uint64_t id, const char *method, const char *params)
{
	size_t from = out->len;
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KINT(&w, "id", (int64_t)id);
	JW_KSTR(&w, "method", str_from(method));
	JW_KEY(&w, "params");
	jw_raw(&w, params && *params ? str_from(params) : STR("{}"));
	jw_obj_end(&w);
	/*
	 * Line breaks inside the caller's JSON are white space; outside strings nothing else can
	 * be.
	 */
	for (size_t i = from; i < out->len; i++)
		if (out->ptr[i] == '\n' || out->ptr[i] == '\r')
			out->ptr[i] = ' ';
	buf_add_char(out, '\n');
}

static char *copy_text(struct str s)
{
	char *text = memory_alloc(s.len + 1);

	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	return text;
}

/* The reply's result or problem, as a separate text that the caller frees. */
static int read_answer(struct str line, unsigned long long *ret_id, char **ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v, error;

	if (json_read_trusted(mem, line, &v, NULL) != OK)
		return THOLE_CLOSED;
	if (ret_id)
		*ret_id = (unsigned long long)json_int(JSON_GET(v, "id"), 0);
	error = JSON_GET(v, "error");
	if (!json_is(error)) {
		*ret = copy_text(json_text(mem, JSON_GET(v, "result")));
		return THOLE_OK;
	}
	struct json data = JSON_GET(error, "data");

	*ret = copy_text(json_text(mem, json_is(data) ? data : error));
	return THOLE_REFUSED;
}

/* One request at a time per connection, so any id identifies the reply. */
static int conn_ask(struct thole *t, struct conn *c, const char *method, const char *params,
                    char **ret)
{
	struct buf out = { 0 };
	struct str line;
	int code;

	write_request(&out, 1, method, params);
	code = conn_send(t, c, buf_str(&out));
	buf_done(&out);
	if (!code)
		code = conn_recv(t, c, -1, &line);
	if (code)
		return code;
	code = read_answer(line, NULL, ret);
	conn_drop_line(c, line);
	return code;
}

/*
 * A connection whose call failed is closed: a late reply would be taken for that of the
 * next call.
 */
int thole_call(struct thole *t, const char *command, const char *params, char **ret)
{
	struct conn *c = conn_take(t);
	int code;

	*ret = NULL;
	if (!c)
		return THOLE_CLOSED;
	code = conn_ask(t, c, command, params, ret);
	if (code == THOLE_OK || code == THOLE_REFUSED)
		conn_give(t, c);
	else
		conn_free(c);
	return code;
}

/* ---- lanes ---- */

/* So much is gathered before it is sent unasked. */
#define LANE_GATHER 16384

/* Calls that do not wait for each other's replies, on one connection. */
struct thole_lane {
	struct thole *t;
	struct conn *c;
	struct buf out;
	size_t sent;         /* bytes of `out` */
	uint64_t last, open; /* number of the last call; how many are not answered */
};

struct thole_lane *thole_lane_open(struct thole *t)
{
	struct conn *c = conn_new(t);
	struct thole_lane *l;

	if (!c)
		return NULL;
	l = memory_zeroed(1, sizeof *l);
	l->t = t;
	l->c = c;
	return l;
}

/* As much as the other side takes now. */
static int lane_push(struct thole_lane *l)
{
	while (l->sent < l->out.len) {
		ssize_t put = send(l->c->fd, l->out.ptr + l->sent, l->out.len - l->sent,
		                   MSG_NOSIGNAL | MSG_DONTWAIT);

		if (put > 0)
			l->sent += (size_t)put;
		else if (errno == EAGAIN)
			return THOLE_OK;
		else if (errno != EINTR)
			return THOLE_CLOSED;
	}
	buf_clear(&l->out);
	l->sent = 0;
	return THOLE_OK;
}

/*
 * Never waits: calls are gathered and leave together, with the next thole_lane_next() at
 * the latest.
 */
unsigned long long thole_lane_send(struct thole_lane *l, const char *command, const char *params)
{
	write_request(&l->out, ++l->last, command, params);
	l->open++;
	if (l->out.len - l->sent >= LANE_GATHER)
		(void)lane_push(l); /* the next thole_lane_next() returns the error */
	return l->last;
}

/*
 * A line that is there already, or may come while the rest goes out.  Sending and
 * receiving alternate: if the program only sent, both sides could wait with full buffers.
 */
static int lane_recv(struct thole_lane *l, int timeout_ms, struct str *ret)
{
	int64_t until = timeout_ms < 0 ? INT64_MAX : clock_mono_ms() + timeout_ms;
	int code;

	for (;;) {
		code = lane_push(l);
		if (!code)
			code = conn_recv(l->t, l->c, 0, ret);
		if (code != THOLE_TIMEOUT)
			return code;

		int64_t left = until - clock_mono_ms();

		if (left <= 0)
			return THOLE_TIMEOUT;
		code = api_wait(l->t, l->c->fd, l->out.len ? POLLIN | POLLOUT : POLLIN,
		                timeout_ms < 0 ? -1 : (int)left);
		if (code)
			return code;
	}
}

int thole_lane_next(struct thole_lane *l, int timeout_ms, unsigned long long *ret_id, char **ret)
{
	struct str line;
	int code;

	*ret = NULL;
	if (!l->open)
		return THOLE_ENDED;
	code = lane_recv(l, timeout_ms, &line);
	if (code)
		return code;
	code = read_answer(line, ret_id, ret);
	conn_drop_line(l->c, line);
	l->open--;
	return code;
}

int thole_lane_fd(struct thole_lane *l)
{
	return l->c->fd;
}

void thole_lane_close(struct thole_lane *l)
{
	if (!l)
		return;
	conn_free(l->c);
	buf_done(&l->out);
	memory_free(l);
}

/* ---- streams ---- */

/* The connection belongs to the stream until it is closed, which ends the subscription. */
struct thole_stream *thole_subscribe(struct thole *t, const char *params, char **ret_problem)
{
	struct thole_stream *s;
	struct conn *c = conn_new(t);
	char *reply = NULL;
	int code;

	if (ret_problem)
		*ret_problem = NULL;
	if (!c)
		return NULL;
	code = conn_ask(t, c, "subscribe_events", params, &reply);
	if (code != THOLE_OK) {
		conn_free(c);
		if (ret_problem)
			*ret_problem = reply;
		else
			free(reply);
		return NULL;
	}
	free(reply);
	s = memory_zeroed(1, sizeof *s);
	s->t = t;
	s->c = c;
	return s;
}

/* {"jsonrpc":"2.0","method":"event","params":<the stored bytes>} */
static bool event_of(struct str line, struct str *ret)
{
	const struct str head = STR("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":");

	if (!str_starts(line, head) || !str_ends(line, STR("}")))
		return false;
	*ret = str_of(line.ptr + head.len, line.len - head.len - 1);
	return true;
}

/* {"jsonrpc":"2.0","method":"gap","params":{...}} becomes {"gap":{...}} */
static bool gap_of(struct str line, char **ret, size_t *ret_len)
{
	const struct str head = STR("{\"jsonrpc\":\"2.0\",\"method\":\"gap\",\"params\":");
	struct buf out = { 0 };

	if (!str_starts(line, head) || !str_ends(line, STR("}")))
		return false;
	buf_add_str(&out, STR("{\"gap\":"));
	buf_add_str(&out, str_of(line.ptr + head.len, line.len - head.len - 1));
	buf_add_char(&out, '}');
	if (ret_len)
		*ret_len = out.len;
	*ret = copy_text(buf_str(&out));
	buf_done(&out);
	return true;
}

/* Other notifications (keepalive, caught up) are skipped. */
int thole_next(struct thole_stream *s, int timeout_ms, char **ret, size_t *ret_len)
{
	struct str line, body;
	int code;

	*ret = NULL;
	for (;;) {
		code = conn_recv(s->t, s->c, timeout_ms, &line);
		if (code)
			return code;
		if (event_of(line, &body)) {
			*ret = copy_text(body);
			if (ret_len)
				*ret_len = body.len;
			conn_drop_line(s->c, line);
			return THOLE_OK;
		}
		if (gap_of(line, ret, ret_len)) {
			conn_drop_line(s->c, line);
			return THOLE_OK;
		}
		bool is_end = str_find(line, STR("\"method\":\"stream_end\"")) >= 0;

		conn_drop_line(s->c, line);
		if (is_end)
			return THOLE_ENDED;
	}
}

void thole_unsubscribe(struct thole_stream *s)
{
	if (!s)
		return;
	conn_free(s->c);
	memory_free(s);
}

/* ---- small ---- */

const char *thole_version(void)
{
	return THOLE_VERSION;
}

/* Programs with another allocator must not free our memory with theirs. */
void thole_free(void *ptr)
{
	free(ptr);
}

int thole_port(struct thole *t)
{
	return t->runtime ? runtime_port(t->runtime) : 0;
}

const char *thole_token(struct thole *t)
{
	return t->runtime ? runtime_token(t->runtime) : NULL;
}

int thole_done_fd(struct thole *t)
{
	return t->runtime ? runtime_done_fd(t->runtime) : -1;
}

int thole_why_done(struct thole *t, struct thole_error *err)
{
	struct error e = { 0 };
	enum err code = t->runtime ? runtime_why_done(t->runtime, &e) : OK;

	set_error(err, code ? THOLE_STORE : THOLE_OK, e.message);
	return code ? THOLE_STORE : THOLE_OK;
}

int thole_fd(struct thole *t)
{
	return t->runtime ? runtime_fd(t->runtime) : -1;
}

int thole_timeout_ms(struct thole *t)
{
	return t->runtime ? runtime_timeout_ms(t->runtime) : -1;
}

void thole_step(struct thole *t)
{
	if (t->runtime)
		runtime_step(t->runtime, 0);
}

void thole_on_oom(void (*hook)(void))
{
	memory_on_oom(hook);
}

/* ---- keys ---- */

static enum err key_keep(const struct key_source *to, const char *key, struct error *e)
{
	const char *refused = http_config_refuses_key(to->name);
	struct secret *secret = refused ? NULL : keys_secret_new(str_from(key));
	enum err code;

	if (refused)
		return fail(e, ERR_INVALID, "%.*s: %s", STR_ARG(to->name), refused);
	if (!secret)
		return fail(e, ERR_INVALID, "this is not a key: one word of visible characters");
	code = files_dir_make(to->data_dir.ptr, e);
	if (!code)
		code = keys_save(to, secret, e);
	keys_secret_free(secret);
	return code;
}

/* Works without a runtime: a key is set before the first start. */
int thole_key_set(const char *data_dir, const char *provider, const char *key,
                  struct thole_error *err)
{
	struct key_source to = { .name = str_from(provider), .data_dir = str_from(data_dir) };
	struct error e;
	enum err code = key ? key_keep(&to, key, &e) : keys_remove(&to, &e);

	if (code)
		set_error(err, code_of(code), e.message);
	return code_of(code);
}

int thole_backup(const char *data_dir, const char *into, int with_keys, struct thole_error *err)
{
	struct backup_size size;
	struct error e;
	enum err code = backup_write(data_dir, into, with_keys != 0, &size, &e);

	if (code)
		set_error(err, code_of(code), e.message);
	return code_of(code);
}

int thole_restore(const char *from, const char *into, struct thole_error *err)
{
	struct error e;
	enum err code = backup_read(from, into, &e);

	if (code)
		set_error(err, code_of(code), e.message);
	return code_of(code);
}

static void tell_move(void *owner, const char *what, uint64_t done)
{
	const struct thole_move *move = owner;

	move->tell(move->arg, what, done);
}

/* The caller's struct outlives the call and is not changed. */
int thole_move(const struct thole_move *move, struct thole_moved *ret, struct thole_error *err)
{
	struct move_options o = {
		.from = move->from,
		.to = move->to,
		.from_schema = move->from_schema ? move->from_schema : DEFAULT_SCHEMA,
		.to_schema = move->to_schema ? move->to_schema : DEFAULT_SCHEMA,
		.files = move->files,
		.is_forced = move->forced != 0,
		.tell = move->tell ? tell_move : NULL,
		.owner = (void *)(uintptr_t)move,
	};
	struct move_result result;
	struct error e = { 0 };
	enum err code = move_run(&o, &result, &e);

	*ret = (struct thole_moved){
		.sessions = result.sessions,
		.events = result.events,
		.outputs = result.outputs,
		.missing_outputs = result.missing_outputs,
		.was_complete = result.is_again,
	};
	if (code)
		set_error(err, code == ERR_CORRUPT ? THOLE_STORE : code_of(code), e.message);
	return code == ERR_CORRUPT ? THOLE_STORE : code_of(code);
}
