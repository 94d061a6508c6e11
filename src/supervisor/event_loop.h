#ifndef SUPERVISOR_EVENT_LOOP_H
#define SUPERVISOR_EVENT_LOOP_H
/*
 * A very small event loop: descriptors and alarms of one thread.  Exactly one
 * thing is handled at a time, so a callback may stop and free anything.
 */
#include "base/list.h"

struct watch {
	void (*ready)(struct watch *w);
	int fd; /* -1: not watched; the owner closes it */
};

struct alarm {
	struct list node;
	void (*ring)(struct alarm *a);
	int64_t due_ms; /* monotonic */
	bool is_set;
};

struct loop {
	int fd;
	struct list alarms;
};

bool loop_init(struct loop *l);
/* Waits for the next thing and handles it. */
void loop_step(struct loop *l);

/* w->fd is set by this; readable (or at its end) calls ready. */
void loop_watch(struct loop *l, struct watch *w, int fd, void (*ready)(struct watch *w));
/* For writing as well as reading. */
void loop_want_write(struct loop *l, struct watch *w, bool wanted);
/* Closes the descriptor too.  Not watched is fine. */
void loop_unwatch(struct loop *l, struct watch *w);

void loop_alarm(struct loop *l, struct alarm *a, int64_t in_ms, void (*ring)(struct alarm *a));
void loop_quiet(struct alarm *a); /* not set is fine, if zeroed */

#endif
