#ifndef SUPERVISOR_EVENT_LOOP_H
#define SUPERVISOR_EVENT_LOOP_H
/*
 * A very small event loop: descriptors and alarms of one thread.  Exactly one
 * thing is handled at a time, so a callback may stop and free anything.
 */
#include "base/list.h"

struct event_loop_watch {
	void (*ready)(struct event_loop_watch *w);
	int fd; /* -1: not watched; event_loop_unwatch() closes it */
};

struct alarm {
	struct list node;
	void (*ring)(struct alarm *a);
	int64_t due_ms; /* monotonic */
	bool is_set;
};

struct event_loop {
	int fd;
	struct list alarms;
};

bool event_loop_init(struct event_loop *l);
/* Waits for the next thing and handles it. */
void event_loop_step(struct event_loop *l);

/* w->fd is set by this; readable (or at its end) calls ready. */
void event_loop_watch(struct event_loop *l, struct event_loop_watch *w, int fd,
                      void (*ready)(struct event_loop_watch *w));
/* For writing as well as reading. */
void event_loop_want_write(struct event_loop *l, struct event_loop_watch *w, bool wanted);
/* Closes the descriptor too.  Not watched is fine. */
void event_loop_unwatch(struct event_loop *l, struct event_loop_watch *w);

void event_loop_alarm(struct event_loop *l, struct alarm *a, int64_t in_ms,
                      void (*ring)(struct alarm *a));
void event_loop_quiet(struct alarm *a); /* not set is fine, if zeroed */

#endif
