#include "supervisor/event_loop.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <unistd.h>

bool loop_init(struct loop *l)
{
	list_init(&l->alarms);
	l->fd = epoll_create1(EPOLL_CLOEXEC);
	return l->fd >= 0;
}

static struct alarm *next_alarm(struct loop *l)
{
	struct alarm *next = NULL;

	LIST_EACH (&l->alarms, node) {
		struct alarm *a = LIST_ITEM(node, struct alarm, node);

		if (!next || a->due_ms < next->due_ms)
			next = a;
	}
	return next;
}

void loop_step(struct loop *l)
{
	struct alarm *a = next_alarm(l);
	struct epoll_event event;
	int wait_ms = -1;

	if (a) {
		int64_t left = a->due_ms - clock_mono_ms();

		if (left <= 0) {
			loop_quiet(a);
			a->ring(a);
			return;
		}
		wait_ms = (int)MIN(left, INT_MAX);
	}
	if (epoll_wait(l->fd, &event, 1, wait_ms) == 1) {
		struct watch *w = event.data.ptr;

		w->ready(w);
	}
}

void loop_watch(struct loop *l, struct watch *w, int fd, void (*ready)(struct watch *w))
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = w };

	w->fd = fd;
	w->ready = ready;
	epoll_ctl(l->fd, EPOLL_CTL_ADD, fd, &event);
}

void loop_want_write(struct loop *l, struct watch *w, bool wanted)
{
	struct epoll_event event = { .events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN,
		                     .data.ptr = w };

	epoll_ctl(l->fd, EPOLL_CTL_MOD, w->fd, &event);
}

void loop_unwatch(struct loop *l, struct watch *w)
{
	if (w->fd < 0)
		return;
	/* a copy of the descriptor may live on elsewhere, so closing is not enough */
	epoll_ctl(l->fd, EPOLL_CTL_DEL, w->fd, NULL);
	close(w->fd);
	w->fd = -1;
}

void loop_alarm(struct loop *l, struct alarm *a, int64_t in_ms, void (*ring)(struct alarm *a))
{
	loop_quiet(a);
	a->ring = ring;
	a->due_ms = clock_mono_ms() + in_ms;
	a->is_set = true;
	list_add(&l->alarms, &a->node);
}

void loop_quiet(struct alarm *a)
{
	if (a->is_set)
		list_remove(&a->node);
	a->is_set = false;
}
