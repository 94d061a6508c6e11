#ifndef NET_LOOP_H
#define NET_LOOP_H
/*
 * The event loop of one thread: sockets, timers, wake-ups, signals.
 *
 * There are two ways to drive the loop.  A dedicated thread calls loop_run() and
 * stays in it until loop_stop().  An embedding program with its own loop watches
 * loop_fd() for readability, waits at most loop_timeout_ms(), and then calls
 * loop_run_once(l, 0), before each of its waits.
 *
 * Everything here and in the rest of src/net belongs to the thread that
 * drives the loop, with two exceptions that any thread may call:
 * loop_wake_send() and loop_stop().
 *
 * One turn of the loop: timers that are due, then the before-sleep hooks,
 * then one flush of everything that was written meanwhile, then the wait for
 * the kernel and the callbacks it causes.  Callbacks come from the loop only,
 * never from inside a call of ours, unless a header says so.
 *
 * Timers, hooks and wakes are structs that live inside their owner's struct;
 * a callback finds the owner with OWNER_OF.  Stopping one takes effect at
 * once, and its memory may be freed right after.  A zeroed struct is stopped.
 *
 * No signal disposition is changed, except by loop_signal().  libuv's writes
 * raise SIGPIPE, so it is blocked in the driving thread while the loop runs, and
 * a pending one is discarded before the old mask is restored.
 */
#include "base/list.h"

struct loop;

/* NULL only when the kernel refuses a descriptor. */
struct loop *loop_new(void);

/*
 * Closes what is still open on the loop (streams, listeners), runs their last
 * callbacks and frees it.  Timers, hooks and wakes must be stopped.  Not from
 * a callback of this loop.  NULL is fine.
 */
void loop_free(struct loop *l);

/* Until loop_stop(); a stop that came before returns at once. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

/*
 * One turn.  Waits at most timeout_ms for something to happen: 0 polls, -1
 * waits for ever.  Afterwards the hooks have run and everything is flushed.
 */
void loop_run_once(struct loop *l, int timeout_ms);

/* For embedders: readable when there is work; how long the next wait may be (-1: for ever). */
int loop_fd(const struct loop *l);
int loop_timeout_ms(struct loop *l);

/* ---- timers ---- */

struct loop_timer {
	void (*cb)(struct loop_timer *t);
	struct loop *loop;
	int64_t due_ms;
	uint64_t order; /* equal times fire in the order they were started */
	size_t at;      /* place in the heap plus one; 0: not running */
};

/*
 * Calls cb once, delay_ms from now at the earliest (0: on the next turn).  A
 * running timer is moved.  Time is monotonic.
 */
void loop_timer_start(struct loop *l, struct loop_timer *t, int64_t delay_ms,
                      void (*cb)(struct loop_timer *t));
void loop_timer_stop(struct loop_timer *t);
static inline bool loop_timer_is_running(const struct loop_timer *t)
{
	return t->at != 0;
}

/* ---- once per turn ---- */

struct loop_hook {
	struct list node;
	bool (*cb)(struct loop_hook *h);
};

/*
 * cb runs in every turn before the loop waits, so that its owner can handle all
 * input of the turn in one batch.  It returns true when work is left: then the
 * loop polls without sleeping and calls it again.
 */
void loop_before_sleep(struct loop *l, struct loop_hook *h, bool (*cb)(struct loop_hook *h));
void loop_hook_stop(struct loop_hook *h);

/* ---- from other threads ---- */

struct loop_wake {
	struct list node;
	struct loop *loop;
	void (*cb)(struct loop_wake *w);
	bool is_sent;
};

/* cb runs on the loop's thread, once for any number of sends since it last ran. */
void loop_wake_init(struct loop *l, struct loop_wake *w, void (*cb)(struct loop_wake *w));
/* On the loop's thread; by then no other thread may send. */
void loop_wake_done(struct loop_wake *w);
/* Any thread, any number of times. */
void loop_wake_send(struct loop_wake *w);
/* The same in the form that mailbox_init() takes; arg is the struct loop_wake. */
void loop_wake_call(void *arg);

/* ---- signals: for the program, never for the library ---- */

/* Takes the signal's disposition until the loop is freed. */
void loop_signal(struct loop *l, int signum, void (*cb)(void *arg, int signum), void *arg);

#endif
