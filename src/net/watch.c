/*
 * Watches a descriptor that its owner reads and writes.  The libuv handle lives
 * on after watch_stop(), until libuv has closed it.
 */
#include "net/watch.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/loop_uv.h"

/* Outlives its watch until libuv has let go of it. */
struct poll {
	struct handle_owner owner;
	uv_poll_t uv;
	struct watch *watch; /* NULL: stopped */
};

static void on_poll(uv_poll_t *h, int status, int events)
{
	struct poll *p = OWNER_OF(h, struct poll, uv);

	(void)status, (void)events; /* the owner's read returns the error */
	if (p->watch)
		p->watch->cb(p->watch);
}

static void on_closed(uv_handle_t *h)
{
	memory_free(OWNER_OF(h, struct poll, uv));
}

/* May be called again to change what is waited for; the handle stays. */
bool watch_start(struct loop *l, struct watch *w, int fd, bool for_write,
                 void (*cb)(struct watch *w))
{
	struct poll *p = w->impl;

	w->cb = cb;
	if (!p) {
		p = memory_zeroed(1, sizeof *p);
		p->owner.kind = HANDLE_WATCH;
		if (uv_poll_init(&l->uv, &p->uv, fd) != 0) {
			memory_free(p);
			return false;
		}
		p->uv.data = p;
		p->watch = w;
		w->impl = p;
	}
	return uv_poll_start(&p->uv, UV_READABLE | (for_write ? UV_WRITABLE : 0), on_poll) == 0;
}

void watch_stop(struct watch *w)
{
	struct poll *p = w->impl;

	if (!p)
		return;
	w->impl = NULL;
	p->watch = NULL;
	uv_close((uv_handle_t *)&p->uv, on_closed);
}

void watch_close_handle(uv_handle_t *h)
{
	struct poll *p = h->data;

	if (p->watch)
		watch_stop(p->watch);
}
