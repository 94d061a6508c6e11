/*
 * epoll for descriptors and an unsorted list for alarms.  One event is taken per step, so nothing
 * refers to a watch that a callback has freed.
 */
#include "supervisor/event_loop.h"

#include "base/os/clock.h"

#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <unistd.h>

bool event_loop_init(struct event_loop *l)
{
	list_init(&l->alarms);
	l->fd = epoll_create1(EPOLL_CLOEXEC);
	return l->fd >= 0;
}

/*
 * A linear search on every step: a supervisor has a handful of alarms per job, so a heap would
 * save nothing.
 */
static struct alarm *next_alarm(struct event_loop *l)
{
	struct alarm *next = NULL;

	LIST_EACH (&l->alarms, node) {
		struct alarm *a = LIST_ITEM(node, struct alarm, node);

		if (!next || a->due_ms < next->due_ms)
			next = a;
	}
	return next;
}

void event_loop_step(struct event_loop *l)
{
	struct alarm *a = next_alarm(l);
	struct epoll_event event;
	int wait_ms = -1;

	if (a) {
		int64_t left = a->due_ms - clock_mono_ms();

		/*
		 * An alarm that is due comes before descriptors, so a process that writes without
		 * pause cannot delay its own deadline.
		 */
		if (left <= 0) {
			event_loop_quiet(a);
			a->ring(a);
			return;
		}
		wait_ms = (int)MIN(left, INT_MAX);
	}
	if (epoll_wait(l->fd, &event, 1, wait_ms) == 1) {
		struct event_loop_watch *w = event.data.ptr;

		w->ready(w);
	}
}

void event_loop_watch(struct event_loop *l, struct event_loop_watch *w, int fd,
                      void (*ready)(struct event_loop_watch *w))
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = w };

	w->fd = fd;
	w->ready = ready;
	epoll_ctl(l->fd, EPOLL_CTL_ADD, fd, &event);
}

void event_loop_want_write(struct event_loop *l, struct event_loop_watch *w, bool wanted)
{
	struct epoll_event event = { .events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN,
		                     .data.ptr = w };

	epoll_ctl(l->fd, EPOLL_CTL_MOD, w->fd, &event);
}

/* Idempotent, because both the end of a job and the free of its memory call this function. */
void event_loop_unwatch(struct event_loop *l, struct event_loop_watch *w)
{
	if (w->fd < 0)
		return;
	/* a copy of the descriptor may live on elsewhere, so closing is not enough */
	epoll_ctl(l->fd, EPOLL_CTL_DEL, w->fd, NULL);
	close(w->fd);
	w->fd = -1;
}

/* An alarm that is already set moves to the new time; it is in the list at most once. */
void event_loop_alarm(struct event_loop *l, struct alarm *a, int64_t in_ms,
                      void (*ring)(struct alarm *a))
{
	event_loop_quiet(a);
	a->ring = ring;
	a->due_ms = clock_mono_ms() + in_ms;
	a->is_set = true;
	list_add(&l->alarms, &a->node);
}

void event_loop_quiet(struct alarm *a)
{
	if (a->is_set)
		list_remove(&a->node);
	a->is_set = false;
}
