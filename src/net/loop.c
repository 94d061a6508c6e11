/*
 * The event loop over libuv: timers, wake-ups, signals, hooks before sleeping,
 * and one flush of all written streams per turn.
 */
#include "net/loop.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "net/loop_uv.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* ---- once per turn ---- */

static void on_again(uv_idle_t *h)
{
	(void)h; /* an active idle handle makes the wait return immediately */
}

void loop_again(struct loop *l)
{
	if (l->is_again)
		return;
	l->is_again = true;
	uv_idle_start(&l->again, on_again);
}

/*
 * Hooks run in every turn, in the order they were added; one that has work left keeps
 * the loop from sleeping.
 */
static void run_hooks(struct loop *l)
{
	bool has_more = false;

	/* A hook may stop itself or others, so each is moved to hooks_seen before its call. */
	while (!list_is_empty(&l->hooks)) {
		struct list *node = l->hooks.next;

		list_remove(node);
		list_add(&l->hooks_seen, node);

		struct loop_hook *h = LIST_ITEM(node, struct loop_hook, node);

		has_more |= h->cb(h);
	}
	while (!list_is_empty(&l->hooks_seen)) {
		struct list *node = l->hooks_seen.next;

		list_remove(node);
		list_add(&l->hooks, node);
	}
	if (has_more)
		loop_again(l);
}

void loop_before_sleep(struct loop *l, struct loop_hook *h, bool (*cb)(struct loop_hook *h))
{
	h->cb = cb;
	list_init(&h->node);
	/* A hook that another hook adds first runs in the next turn. */
	list_add(list_is_empty(&l->hooks_seen) ? &l->hooks : &l->hooks_seen, &h->node);
}

void loop_hook_stop(struct loop_hook *h)
{
	if (h->node.next)
		list_remove(&h->node);
}

/* ---- timers: a binary heap of ours behind one timer of libuv's ----
 *
 * A uv_timer_t is 152 bytes and may be freed only after a callback; every
 * connection has a timer, and stops it when it closes.
 */

static bool is_before(const struct loop_timer *a, const struct loop_timer *b)
{
	return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void put(struct loop *l, size_t at, struct loop_timer *t)
{
	l->heap[at] = t;
	t->at = at + 1;
}

static void sift_up(struct loop *l, size_t at, struct loop_timer *t)
{
	while (at > 0) {
		size_t parent = (at - 1) / 2;

		if (!is_before(t, l->heap[parent]))
			break;
		put(l, at, l->heap[parent]);
		at = parent;
	}
	put(l, at, t);
}

static void sift_down(struct loop *l, size_t at, struct loop_timer *t)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= l->heap_count)
			break;
		if (child + 1 < l->heap_count && is_before(l->heap[child + 1], l->heap[child]))
			child++;
		if (!is_before(l->heap[child], t))
			break;
		put(l, at, l->heap[child]);
		at = child;
	}
	put(l, at, t);
}

static void heap_add(struct loop *l, struct loop_timer *t)
{
	if (l->heap_count == l->heap_cap) {
		l->heap_cap = MAX(2 * l->heap_cap, (size_t)16);
		l->heap = memory_resize(l->heap, l->heap_cap * sizeof *l->heap);
	}
	sift_up(l, l->heap_count++, t);
}

/*
 * The last timer takes the free place and may have to move either way: it comes from
 * another branch of the heap.
 */
static void heap_remove(struct loop *l, struct loop_timer *t)
{
	size_t at = t->at - 1;
	struct loop_timer *last = l->heap[--l->heap_count];

	t->at = 0;
	if (last == t)
		return;
	if (at > 0 && is_before(last, l->heap[(at - 1) / 2]))
		sift_up(l, at, last);
	else
		sift_down(l, at, last);
}

/*
 * One look at the clock per turn.  A timer that restarts itself with delay 0 must not
 * keep the loop in here, so only timers started before this turn fire.
 */
static void fire_due(struct loop *l)
{
	if (!l->heap_count)
		return;

	int64_t now = clock_mono_ms();
	uint64_t newer = l->heap_order; /* timers started from here on wait a turn */

	while (l->heap_count && l->heap[0]->due_ms <= now && l->heap[0]->order < newer) {
		struct loop_timer *t = l->heap[0];

		heap_remove(l, t);
		t->cb(t);
	}
}

/* From now to then, never negative.  (MAX reads its arguments twice, and the clock moves.) */
static int64_t until(int64_t then_ms)
{
	int64_t left = then_ms - clock_mono_ms();

	return left > 0 ? left : 0;
}

/* Milliseconds until the first timer is due; -1: there is none. */
static int64_t first_wait(const struct loop *l)
{
	return l->heap_count ? until(l->heap[0]->due_ms) : -1;
}

/* The same with the limit of loop_run_once(). */
static int64_t next_wait(const struct loop *l)
{
	int64_t wait = first_wait(l);

	if (l->limit_ms < 0)
		return wait;

	int64_t left = until(l->limit_ms);

	return wait < 0 ? left : MIN(wait, left);
}

void loop_timer_start(struct loop *l, struct loop_timer *t, int64_t delay_ms,
                      void (*cb)(struct loop_timer *t))
{
	assert(delay_ms >= 0);
	loop_timer_stop(t);
	t->cb = cb;
	t->loop = l;
	t->due_ms = clock_mono_ms() + delay_ms;
	t->order = l->heap_order++;
	heap_add(l, t);
}

void loop_timer_stop(struct loop_timer *t)
{
	if (t->at)
		heap_remove(t->loop, t);
}

/* ---- the turn ---- */

static void on_alarm(uv_timer_t *h)
{
	(void)h; /* only ends the wait; settle() runs the due timers */
}

/*
 * The end of a turn: runs everything that is due before the loop sleeps.  Timers come
 * first, because their callbacks give work to the hooks; the flush comes last, because
 * both write to streams.
 */
static void settle(struct loop *l)
{
	if (l->is_again) {
		l->is_again = false;
		uv_idle_stop(&l->again);
	}
	fire_due(l);
	run_hooks(l);
	if (l->flush)
		l->flush(l);

	/*
	 * Set the alarm directly before the wait: libuv runs due timers first, so an
	 * alarm that was set earlier may have fired by then, and the wait would not
	 * end.
	 */
	int64_t wait = next_wait(l);

	if (wait == 0) {
		loop_again(l);
	} else if (wait > 0) {
		uv_update_time(&l->uv);
		uv_timer_start(&l->alarm, on_alarm, (uint64_t)wait, 0);
	} else {
		uv_timer_stop(&l->alarm);
	}
}

static void on_prepare(uv_prepare_t *h)
{
	settle(OWNER_OF(h, struct loop, prepare));
}

/* ---- from other threads ---- */

/*
 * One at a time and under the lock, because a callback may call loop_wake_done() for
 * any other wake of the list.  is_sent is cleared before the callback runs: a send
 * during the callback is a new one and is not lost.
 */
static struct loop_wake *next_waking(struct loop *l)
{
	struct loop_wake *w = NULL;

	pthread_mutex_lock(&l->lock);
	if (!list_is_empty(&l->waking)) {
		w = LIST_ITEM(l->waking.next, struct loop_wake, node);
		list_remove(&w->node);
		w->is_sent = false;
	}
	pthread_mutex_unlock(&l->lock);
	return w;
}

static void on_async(uv_async_t *h)
{
	struct loop *l = OWNER_OF(h, struct loop, async);

	if (atomic_load(&l->stopping))
		uv_stop(&l->uv);

	/* Wake-ups that are sent from now on belong to the next turn. */
	pthread_mutex_lock(&l->lock);
	while (!list_is_empty(&l->sent)) {
		struct list *node = l->sent.next;

		list_remove(node);
		list_add(&l->waking, node);
	}
	pthread_mutex_unlock(&l->lock);

	for (struct loop_wake *w; (w = next_waking(l));)
		w->cb(w);
}

void loop_wake_init(struct loop *l, struct loop_wake *w, void (*cb)(struct loop_wake *w))
{
	*w = (struct loop_wake){ .loop = l, .cb = cb };
	list_init(&w->node);
}

void loop_wake_done(struct loop_wake *w)
{
	if (!w->loop)
		return;
	pthread_mutex_lock(&w->loop->lock);
	list_remove(&w->node);
	w->is_sent = false;
	pthread_mutex_unlock(&w->loop->lock);
}

/*
 * The list and not libuv's async handle tells which wakes were sent; the handle only
 * ends the wait.  Sends that follow before the callback ran cost no system call.
 */
void loop_wake_send(struct loop_wake *w)
{
	struct loop *l = w->loop;
	bool was_sent;

	pthread_mutex_lock(&l->lock);
	was_sent = w->is_sent;
	if (!was_sent) {
		w->is_sent = true;
		list_add(&l->sent, &w->node);
	}
	pthread_mutex_unlock(&l->lock);
	if (!was_sent)
		uv_async_send(&l->async);
}

void loop_wake_call(void *arg)
{
	loop_wake_send(arg);
}

/* ---- signals ---- */

struct loop_signal {
	struct list node;
	uv_signal_t uv;
	void (*cb)(void *arg, int signum);
	void *arg;
};

static void on_signal(uv_signal_t *h, int signum)
{
	struct loop_signal *s = OWNER_OF(h, struct loop_signal, uv);

	s->cb(s->arg, signum);
}

void loop_signal(struct loop *l, int signum, void (*cb)(void *arg, int signum), void *arg)
{
	struct loop_signal *s = memory_zeroed(1, sizeof *s);

	s->cb = cb;
	s->arg = arg;
	list_add(&l->signals, &s->node);
	uv_signal_init(&l->uv, &s->uv);

	int rc = uv_signal_start(&s->uv, on_signal, signum);

	assert(rc == 0 && "the signal can be caught");
	(void)rc;
}

static void on_signal_closed(uv_handle_t *h)
{
	free(OWNER_OF(h, struct loop_signal, uv));
}

/* ---- SIGPIPE ---- */

/*
 * libuv's writes raise SIGPIPE, and a library must not change the program's
 * disposition.  A blocked SIGPIPE stays pending for this thread, so guard_end() takes
 * it away, unless one was pending before.
 */
struct pipe_guard {
	sigset_t old;
	bool was_pending;
};

static void sigset_pipe(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPIPE);
}

static void guard_begin(struct pipe_guard *g)
{
	sigset_t sigpipe, pending;

	sigset_pipe(&sigpipe);
	sigemptyset(&pending);
	sigpending(&pending);
	g->was_pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &sigpipe, &g->old);
}

static void guard_end(const struct pipe_guard *g)
{
	sigset_t sigpipe;
	const struct timespec now = { 0 };

	sigset_pipe(&sigpipe);
	if (!g->was_pending)
		while (sigtimedwait(&sigpipe, NULL, &now) == -1 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &g->old, NULL);
}

/* ---- running ---- */

struct loop *loop_new(void)
{
	struct loop *l = memory_zeroed(1, sizeof *l);
	int rc = uv_loop_init(&l->uv);

	/* Happens only when the kernel refuses a descriptor; the loop needs it. */
	if (rc != 0) {
		free(l);
		return NULL;
	}
	list_init(&l->hooks);
	list_init(&l->hooks_seen);
	list_init(&l->sent);
	list_init(&l->waking);
	list_init(&l->signals);
	list_init(&l->dirty);
	pthread_mutex_init(&l->lock, NULL);
	l->limit_ms = -1;
	l->read_buf = memory_alloc(LOOP_READ_SIZE);

	uv_prepare_init(&l->uv, &l->prepare);
	uv_prepare_start(&l->prepare, on_prepare);
	uv_idle_init(&l->uv, &l->again);
	uv_timer_init(&l->uv, &l->alarm);
	rc = uv_async_init(&l->uv, &l->async, on_async);
	if (rc != 0) {
		loop_free(l);
		return NULL;
	}
	return l;
}

/*
 * Every handle has one of three kinds: the loop's own, a signal, or one whose data
 * pointer leads to a struct handle_owner.
 */
static void close_any(uv_handle_t *h, void *arg)
{
	struct loop *l = arg;

	if (uv_is_closing(h))
		return;
	if (h == (uv_handle_t *)&l->prepare || h == (uv_handle_t *)&l->again ||
	    h == (uv_handle_t *)&l->alarm || h == (uv_handle_t *)&l->async) {
		uv_close(h, NULL);
		return;
	}
	if (h->type == UV_SIGNAL) {
		uv_close(h, on_signal_closed);
		return;
	}

	const struct handle_owner *o = h->data;

	if (o->kind == HANDLE_STREAM)
		stream_close_handle(h);
	else if (o->kind == HANDLE_WATCH)
		watch_close_handle(h);
	else
		listener_close_handle(h);
}

/* Close callbacks may close further handles, so this repeats until libuv has none left. */
void loop_free(struct loop *l)
{
	struct pipe_guard guard;

	if (!l)
		return;
	guard_begin(&guard);
	do {
		uv_walk(&l->uv, close_any, l);
		uv_run(&l->uv, UV_RUN_NOWAIT);
	} while (uv_loop_close(&l->uv) == UV_EBUSY);
	guard_end(&guard);

	assert(l->heap_count == 0 && "timers are stopped");
	assert(list_is_empty(&l->hooks) && "hooks are stopped");
	pthread_mutex_destroy(&l->lock);
	free(l->heap);
	free(l->read_buf);
	free(l);
}

/*
 * uv_stop() only ends uv_run(); `stopping` also remembers a stop that came before this
 * call.  The last settle() sends what the callbacks of the last turn wrote.
 */
void loop_run(struct loop *l)
{
	struct pipe_guard guard;

	guard_begin(&guard);
	while (!atomic_load(&l->stopping))
		uv_run(&l->uv, UV_RUN_DEFAULT);
	atomic_store(&l->stopping, false);
	settle(l);
	guard_end(&guard);
}

void loop_stop(struct loop *l)
{
	atomic_store(&l->stopping, true);
	uv_async_send(&l->async);
}

/*
 * settle() runs once inside uv_run(), before the wait, and once after it for what the
 * wait caused; so nothing stays unflushed until the embedder's next call.
 */
void loop_run_once(struct loop *l, int timeout_ms)
{
	struct pipe_guard guard;

	guard_begin(&guard);
	if (timeout_ms > 0)
		l->limit_ms = clock_mono_ms() + timeout_ms;
	uv_run(&l->uv, timeout_ms == 0 ? UV_RUN_NOWAIT : UV_RUN_ONCE);
	l->limit_ms = -1;
	settle(l);
	guard_end(&guard);
}

int loop_fd(const struct loop *l)
{
	return uv_backend_fd(&l->uv);
}

int loop_timeout_ms(struct loop *l)
{
	/* The caller may have written or started something since the last turn. */
	if (l->is_again || !list_is_empty(&l->dirty))
		return 0;

	int64_t wait = first_wait(l);
	int kernel;

	uv_timer_stop(&l->alarm);
	uv_update_time(&l->uv);
	kernel = uv_backend_timeout(&l->uv); /* 0 when libuv itself has work */
	if (wait < 0 || kernel == 0)
		return kernel;
	return (int)MIN(wait, (int64_t)INT_MAX);
}
