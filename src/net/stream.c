/*
 * Streams over libuv.  Writes are gathered and flushed once per turn of the
 * loop; every stream ends with exactly one on_closed.
 */
#include "net/stream.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/stream_uv.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEPALIVE_S 60 /* idle time until the kernel probes the peer */

/* ---- reading ---- */

/*
 * Reports a broken connection once.  Output that libuv still owns (flight) is dropped
 * later, when its callback comes.
 */
static void report_gone(struct stream *s)
{
	if (s->is_gone_said)
		return;
	s->is_gone_said = true;
	s->is_broken = true;
	if (!s->flight)
		stream_write_drop(s);
	if (s->finish)
		stream_close(s);
	else
		s->ops->on_gone(s);
}

/*
 * While finishing, the peer's end is what stream_finish() waits for; finish_settle()
 * closes at the end of the turn.
 */
static void report_eof(struct stream *s)
{
	s->is_eof = true;
	s->is_reading = false;
	if (s->finish)
		stream_write_touch(s);
	else if (s->ops->on_eof)
		s->ops->on_eof(s);
	else
		report_gone(s);
}

/* One buffer for all streams: libuv calls on_uv_read() with it before it reads another stream. */
static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *ret)
{
	struct stream *s = h->data;

	(void)suggested;
	*ret = uv_buf_init(s->loop->read_buf, LOOP_READ_SIZE);
}

/*
 * A callback of the owner may close the stream or give it away, so nothing here touches
 * it afterwards.
 */
static void on_uv_read(uv_stream_t *h, ssize_t n, const uv_buf_t *buf)
{
	struct stream *s = h->data;

	if (n == 0 || s->is_closing)
		return;
	if (n == UV_EOF) {
		uv_read_stop(h);
		report_eof(s);
	} else if (n < 0) {
		uv_read_stop(h);
		s->is_reading = false;
		report_gone(s);
	} else {
		stream_deliver(s, str_of(buf->base, (size_t)n));
	}
}

/* A plain file is always ready, so one buffer is read per turn. */
static void on_file_turn(uv_idle_t *h)
{
	struct stream *s = h->data;
	ssize_t n;

	do
		n = read(s->pair->in_file, s->loop->read_buf, LOOP_READ_SIZE);
	while (n < 0 && errno == EINTR);

	if (n > 0) {
		stream_deliver(s, str_of(s->loop->read_buf, (size_t)n));
		return;
	}
	uv_idle_stop(h);
	if (n == 0)
		report_eof(s);
	else
		report_gone(s);
}

/* Input is discarded while finishing: the owner expects none. */
void stream_deliver(struct stream *s, struct str bytes)
{
	if (bytes.len && !s->is_closing && !s->finish)
		s->ops->on_read(s, bytes);
}

void stream_resume(struct stream *s)
{
	if (s->is_reading || s->is_eof || s->is_closing || s->is_broken)
		return;
	s->is_reading = true;
	if (s->pair && s->pair->in_file >= 0)
		uv_idle_start(&s->pair->in.idle, on_file_turn);
	else
		uv_read_start(s->pair ? &s->pair->in.stream : &s->h.stream, on_alloc, on_uv_read);
}

void stream_pause(struct stream *s)
{
	if (!s->is_reading)
		return;
	s->is_reading = false;
	if (s->pair && s->pair->in_file >= 0)
		uv_idle_stop(&s->pair->in.idle);
	else
		uv_read_stop(s->pair ? &s->pair->in.stream : &s->h.stream);
}

/* ---- the end of a turn ---- */

static void finish_settle(struct stream *s);

/*
 * What is due after a push: the report of a broken connection, the next step of
 * finishing, or on_drain.  At most one of them, because each may close the stream.
 */
void stream_settle(struct stream *s)
{
	stream_write_push(s);
	if (s->is_closing)
		return;
	if (s->is_broken) {
		report_gone(s);
		return;
	}
	if (s->finish) {
		finish_settle(s);
		return;
	}
	if (s->is_above && s->pending <= s->low_water) {
		s->is_above = false;
		if (s->ops->on_drain)
			s->ops->on_drain(s);
	}
}

static void flush_all(struct loop *l)
{
	struct list turn;

	/* Data that on_drain writes is sent in the next turn, which then does not sleep. */
	list_init(&turn);
	while (!list_is_empty(&l->dirty)) {
		struct list *node = l->dirty.next;

		list_remove(node);
		list_add(&turn, node);
	}
	while (!list_is_empty(&turn)) {
		struct stream *s = LIST_ITEM(turn.next, struct stream, dirty);

		list_remove(&s->dirty);
		stream_settle(s);
	}
	if (!list_is_empty(&l->dirty))
		loop_again(l);
}

/* ---- finishing ---- */

/*
 * The stall limit counts from the last progress, so a slow reader gets all bytes and a
 * dead one does not hold the stream.
 */
static void on_finish_timer(struct loop_timer *t)
{
	struct finish *f = OWNER_OF(t, struct finish, timer);
	struct stream *s = f->s;

	stream_write_push(s); /* a turn may be long, and timers run before the flush */
	if (!f->has_shut && stream_write_pending(s) < f->last_pending) {
		f->last_pending = stream_write_pending(s);
		loop_timer_start(s->loop, t, f->stall_ms, on_finish_timer);
		return;
	}
	stream_close(s);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
	(void)req;
	(void)status; /* EOF, an error or the timer closes the stream */
}

/* A pair of descriptors or a plain file has no shutdown() that the other side could see. */
static bool has_half_close(const struct stream *s)
{
	return !s->pair && s->to;
}

/*
 *     pending output ──► shutdown ──► EOF of the peer ──► closed
 *          │ stall_ms        │ linger_ms
 *          └──► closed       └──► closed
 */
static void finish_settle(struct stream *s)
{
	struct finish *f = s->finish;

	if (s->pending)
		return;
	if (s->is_eof || !has_half_close(s)) {
		stream_close(s);
		return;
	}
	if (f->has_shut)
		return;
	f->has_shut = true;
	if (uv_shutdown(&f->req, s->to, on_shutdown) < 0)
		stream_close(s);
	else
		loop_timer_start(s->loop, &f->timer, f->linger_ms, on_finish_timer);
}

/* Reading continues, so that the peer's end is seen and its last bytes do not cause a reset. */
void stream_finish(struct stream *s, int stall_ms, int linger_ms)
{
	if (s->is_closing || s->finish)
		return;
	if (s->is_broken) {
		stream_close(s);
		return;
	}
	s->finish = memory_zeroed(1, sizeof *s->finish);
	s->finish->s = s;
	s->finish->stall_ms = stall_ms;
	s->finish->linger_ms = linger_ms;
	s->finish->last_pending = stream_write_pending(s);
	loop_timer_start(s->loop, &s->finish->timer, stall_ms, on_finish_timer);
	stream_resume(s);
	stream_write_touch(s);
}

/* ---- closing ---- */

static void restore_flags(int fd, int flags)
{
	if (fd >= 0 && fd <= 2 && flags >= 0)
		fcntl(fd, F_SETFL, flags);
}

static void close_file(int fd)
{
	if (fd > 2)
		close(fd);
}

/* Terminals and pipes on 0 to 2 are shared with the parent process, so their flags are put back. */
static void stream_free(struct stream *s)
{
	struct pair *p = s->pair;

	assert(!s->flight && list_is_empty(&s->dirty));
	stream_write_drop(s);
	if (p) {
		close_file(p->in_file);
		close_file(p->out_file);
		restore_flags(p->in_fd, p->in_flags);
		restore_flags(p->out_fd, p->out_flags);
	}
	free(p);
	free(s->finish);
	free(s);
}

static void on_uv_closed(uv_handle_t *h)
{
	struct stream *s = h->data;

	if (--s->open_handles)
		return;
	if (s->ops && s->ops->on_closed)
		s->ops->on_closed(s);
	stream_free(s);
}

/*
 * Reports nothing but on_closed, which comes from the loop.  libuv cancels a write in
 * flight and calls on_written() before on_uv_closed().
 */
void stream_close(struct stream *s)
{
	if (s->is_closing)
		return;
	s->is_closing = true;
	s->is_reading = false;
	list_remove(&s->dirty);
	if (s->finish)
		loop_timer_stop(&s->finish->timer);
	if (!s->flight)
		stream_write_drop(s);
	s->pending = 0;
	if (!s->open_handles) {
		stream_free(s); /* opening failed */
	} else if (!s->pair) {
		uv_close(&s->h.handle, on_uv_closed);
	} else {
		uv_close(&s->pair->in.handle, on_uv_closed);
		if (s->to)
			uv_close(&s->pair->out.handle, on_uv_closed);
	}
}

static void ignore_bytes(struct stream *s, struct str bytes)
{
	(void)s, (void)bytes;
}

static void ignore_end(struct stream *s)
{
	(void)s;
}

void stream_abandon(struct stream **s)
{
	static const struct stream_ops ops = { .on_read = ignore_bytes, .on_gone = ignore_end };

	if (*s) {
		stream_own(*s, &ops, NULL);
		stream_close(*s);
	}
	*s = NULL;
}

void stream_close_handle(uv_handle_t *h)
{
	stream_close(h->data);
}

bool stream_is_closing(const struct stream *s)
{
	return s->is_closing || s->finish;
}

/* ---- sniffing ---- */

struct sniff {
	struct loop_timer timer;
	struct stream *s;
	void (*choose)(void *arg, struct stream *s, char first);
	void *arg;
};

static void sniff_done(struct sniff *sn)
{
	loop_timer_stop(&sn->timer);
	free(sn);
}

static const struct stream_ops sniff_ops;

/*
 * The struct is freed before the choice: the new owner replaces `user`.  The first
 * bytes are then delivered to that owner.
 */
static void sniff_read(struct stream *s, struct str bytes)
{
	struct sniff sn = *(struct sniff *)s->user;

	sniff_done(s->user);
	s->user = NULL;
	sn.choose(sn.arg, s, bytes.ptr[0]);
	assert((s->is_closing || s->ops != &sniff_ops || s->user) && "the chooser chose");
	stream_deliver(s, bytes);
}

static void sniff_gone(struct stream *s)
{
	stream_close(s);
}

static void sniff_closed(struct stream *s)
{
	if (s->user)
		sniff_done(s->user);
}

static void sniff_timer(struct loop_timer *t)
{
	stream_close(OWNER_OF(t, struct sniff, timer)->s);
}

static const struct stream_ops sniff_ops = {
	.on_read = sniff_read,
	.on_gone = sniff_gone,
	.on_closed = sniff_closed,
};

void stream_sniff(struct stream *s, int timeout_ms,
                  void (*choose)(void *arg, struct stream *s, char first), void *arg)
{
	struct sniff *sn = memory_zeroed(1, sizeof *sn);

	*sn = (struct sniff){ .s = s, .choose = choose, .arg = arg };
	loop_timer_start(s->loop, &sn->timer, timeout_ms, sniff_timer);
	stream_own(s, &sniff_ops, sn);
	stream_resume(s);
}

/* ---- making ---- */

struct stream *stream_new(struct loop *l)
{
	struct stream *s = memory_zeroed(1, sizeof *s);

	l->flush = flush_all;
	s->owner.kind = HANDLE_STREAM;
	s->loop = l;
	s->low_water = STREAM_LOW_WATER;
	list_init(&s->dirty);
	return s;
}

int stream_init_socket(struct stream *s, bool is_unix)
{
	int rc = is_unix ? uv_pipe_init(&s->loop->uv, &s->h.pipe, 0)
	                 : uv_tcp_init(&s->loop->uv, &s->h.tcp);

	s->is_unix = is_unix;
	s->h.handle.data = s;
	s->to = &s->h.stream;
	s->open_handles = 1;
	return rc;
}

/*
 * Nagle's algorithm is off because writes are gathered per turn already.  Probes of the
 * kernel find peers that vanished without closing.
 */
struct stream *stream_accept(struct loop *l, uv_stream_t *server, bool is_unix)
{
	struct stream *s = stream_new(l);

	if (stream_init_socket(s, is_unix) < 0) {
		free(s);
		return NULL;
	}
	if (uv_accept(server, &s->h.stream) < 0) {
		stream_close(s);
		return NULL;
	}
	if (!is_unix) {
		uv_tcp_nodelay(&s->h.tcp, 1);
		uv_tcp_keepalive(&s->h.tcp, 1, KEEPALIVE_S);
	}
	return s;
}

void stream_own(struct stream *s, const struct stream_ops *ops, void *user)
{
	s->ops = ops;
	s->user = user;
}

void *stream_user(const struct stream *s)
{
	return s->user;
}

struct loop *stream_loop(const struct stream *s)
{
	return s->loop;
}

void stream_low_water(struct stream *s, uint32_t bytes)
{
	s->low_water = bytes;
}

/* ---- the peer ---- */

bool stream_is_unix(const struct stream *s)
{
	return s->is_unix;
}

bool stream_peer_cred(const struct stream *s, struct stream_cred *ret)
{
	struct ucred cred;
	socklen_t len = sizeof cred;
	uv_os_fd_t fd;

	if (!s->is_unix || uv_fileno(&s->h.handle, &fd) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return false;
	*ret = (struct stream_cred){ .pid = cred.pid, .uid = cred.uid, .gid = cred.gid };
	return true;
}

void stream_peer_text(const struct stream *s, char out[STREAM_PEER_MAX])
{
	struct sockaddr_storage a;
	int len = sizeof a;
	char host[INET6_ADDRSTRLEN] = "?";

	if (s->pair || s->is_unix) {
		snprintf(out, STREAM_PEER_MAX, "%s", s->pair ? "stdio" : "unix");
	} else if (uv_tcp_getpeername(&s->h.tcp, (struct sockaddr *)&a, &len) < 0) {
		snprintf(out, STREAM_PEER_MAX, "gone");
	} else if (a.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a;

		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
		snprintf(out, STREAM_PEER_MAX, "[%s]:%u", host, ntohs(in6->sin6_port));
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&a;

		inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
		snprintf(out, STREAM_PEER_MAX, "%s:%u", host, ntohs(in->sin_port));
	}
}
