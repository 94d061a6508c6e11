/*
 * The writing half of a stream.
 *
 * Writes are gathered in a list of pieces.  Once per turn the list goes to the
 * kernel with as few calls as possible (uv_try_write); only what the kernel
 * refuses is given to libuv, one write at a time, so that the order is plain
 * and `pending` is exact.
 */
#include "net/stream_uv.h"

#include "base/arena.h"
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#define PIECES_PER_CALL 64
#define FLIGHT_MAX ((size_t)64 * 1024)
#define OWN_SIZE 240 /* space in a copied piece for further small writes */

static void piece_done(struct piece *p)
{
	bytes_unref(p->shared);
	free(p->own);
}

/*
 * Space at the front is reused when it is at least half of the list; otherwise the list
 * doubles.  Both keep the cost per piece constant.
 */
static struct piece *add_piece(struct stream *s)
{
	struct out *o = s->out;

	if (o && o->first + o->count == o->cap && o->first >= o->cap / 2) {
		memmove(o->pieces, o->pieces + o->first, o->count * sizeof o->pieces[0]);
		o->first = 0;
	} else if (!o || o->first + o->count == o->cap) {
		uint32_t cap = o ? 2 * o->cap : 4;

		o = memory_resize(o, sizeof *o + cap * sizeof o->pieces[0]);
		if (!s->out)
			o->first = o->count = 0;
		o->cap = cap;
		s->out = o;
	}
	return &o->pieces[o->first + o->count++];
}

static struct piece *last_piece(struct stream *s)
{
	struct out *o = s->out;

	return o && o->count ? &o->pieces[o->first + o->count - 1] : NULL;
}

/*
 * `len` bytes have reached the kernel.  An empty list is freed, so that an idle stream
 * owns none.
 */
static void drop_front(struct stream *s, size_t len)
{
	struct out *o = s->out;

	s->pending -= len;
	while (len) {
		struct piece *p = &o->pieces[o->first];
		uint32_t part = (uint32_t)MIN(len, (size_t)p->len);

		p->start += part;
		p->len -= part;
		len -= part;
		if (!p->len) {
			piece_done(p);
			o->first++;
			o->count--;
		}
	}
	if (!s->pending)
		stream_write_drop(s);
}

void stream_write_drop(struct stream *s)
{
	struct out *o = s->out;

	s->pending = 0;
	if (!o)
		return;
	for (uint32_t i = 0; i < o->count; i++)
		piece_done(&o->pieces[o->first + i]);
	free(o);
	s->out = NULL;
}

void stream_write_touch(struct stream *s)
{
	if (list_is_empty(&s->dirty))
		list_add(&s->loop->dirty, &s->dirty);
}

static bool may_write(const struct stream *s)
{
	return !s->is_closing && !s->is_broken && !s->finish;
}

/*
 * is_above is set here and cleared when on_drain is called: on_drain comes only after
 * pending was above the mark.
 */
static void note_added(struct stream *s, size_t len)
{
	s->pending += len;
	if (s->pending > s->low_water)
		s->is_above = true;
	stream_write_touch(s);
}

/*
 * Small writes share one piece of OWN_SIZE bytes: a frame is often written as head,
 * body and end.
 */
void stream_write(struct stream *s, struct str bytes)
{
	assert(bytes.len < UINT32_MAX);
	if (!bytes.len || !may_write(s))
		return;

	struct piece *p = last_piece(s);

	if (!p || !p->own || p->cap - p->start - p->len < bytes.len) {
		uint32_t cap = (uint32_t)MAX(bytes.len, (size_t)OWN_SIZE);

		p = add_piece(s);
		*p = (struct piece){ .own = memory_alloc(cap), .cap = cap };
	}
	memcpy(p->own + p->start + p->len, bytes.ptr, bytes.len);
	p->len += (uint32_t)bytes.len;
	note_added(s, bytes.len);
}

void stream_write_bytes(struct stream *s, struct bytes *b)
{
	if (!b->len || !may_write(s))
		return;
	*add_piece(s) = (struct piece){ .shared = bytes_ref(b), .len = b->len };
	note_added(s, b->len);
}

size_t stream_write_pending(const struct stream *s)
{
	/* libuv may have written a part of its write. */
	return s->flight && !s->is_closing
	               ? s->pending - s->flight->len + uv_stream_get_write_queue_size(s->to)
	               : s->pending;
}

/* At most `max` bytes in at most 64 pieces; the last piece may be taken in part. */
static size_t gather(const struct stream *s, uv_buf_t iov[PIECES_PER_CALL], unsigned *ret_count,
                     size_t max)
{
	const struct out *o = s->out;
	size_t total = 0;
	unsigned n = 0;

	while (n < o->count && n < PIECES_PER_CALL && total < max) {
		const struct piece *p = &o->pieces[o->first + n];
		char *mem = p->shared ? p->shared->data : p->own;
		size_t len = MIN((size_t)p->len, max - total);

		iov[n++] = uv_buf_init(mem + p->start, (unsigned)len);
		total += len;
	}
	*ret_count = n;
	return total;
}

/*
 * Errors are only noted here.  stream_settle() reports them at the end of the turn, so
 * that callbacks come from one place.
 */
static void on_written(uv_write_t *req, int status)
{
	struct flight *f = OWNER_OF(req, struct flight, req);
	struct stream *s = f->s;

	s->flight = NULL;
	if (!s->is_closing) {
		if (status < 0)
			s->is_broken = true;
		else
			drop_front(s, f->len);
		stream_write_touch(s);
	}
	free(f);
}

/* The kernel's buffer is full: libuv gets the next part and waits. */
static void start_flight(struct stream *s)
{
	uv_buf_t iov[PIECES_PER_CALL];
	unsigned count;
	struct flight *f = memory_zeroed(1, sizeof *f);

	f->s = s;
	f->len = gather(s, iov, &count, FLIGHT_MAX);
	s->flight = f;
	if (uv_write(&f->req, s->to, iov, count, on_written) < 0) {
		s->flight = NULL;
		s->is_broken = true;
		free(f);
	}
}

/* Plain files never refuse. */
static ssize_t write_file(int fd, const uv_buf_t *iov, unsigned count)
{
	ssize_t n;

	do
		n = writev(fd, (const struct iovec *)iov, (int)count);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * Writes until the kernel takes no more.  A partial write means that its buffer is
 * full, so the next part goes to libuv at once instead of a call that would return
 * EAGAIN.
 */
void stream_write_push(struct stream *s)
{
	while (s->pending && !s->flight && !s->is_broken && !s->is_closing) {
		uv_buf_t iov[PIECES_PER_CALL];
		unsigned count;
		size_t total = gather(s, iov, &count, SIZE_MAX);
		ssize_t n = s->to ? uv_try_write(s->to, iov, count)
		                  : write_file(s->pair->out_file, iov, count);

		if (n < 0 && n != UV_EAGAIN) {
			s->is_broken = true;
			break;
		}
		if (n > 0)
			drop_front(s, (size_t)n);
		if (s->to && n < (ssize_t)total)
			start_flight(s);
	}
	if (s->is_broken && !s->flight)
		stream_write_drop(s);
}

void stream_write_flush(struct stream *s)
{
	stream_write_push(s);
	if (s->is_broken || s->is_above || s->finish)
		stream_write_touch(s); /* the callbacks come from the loop */
}
