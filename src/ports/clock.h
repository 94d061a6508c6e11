#ifndef PORTS_CLOCK_H
#define PORTS_CLOCK_H
/*
 * Time as the engine and its adapters see it: three clocks and timers.  The
 * program drives them with real time, tests with virtual time.
 *
 * The wall clock can be set at any time, unless it follows another one.  The monotonic clock drives timers and
 * stands still while the machine sleeps.  The boot clock also runs during sleep
 * and counts from the start of the machine: two readings with the same boot id
 * differ by the time between them, also across processes.
 *
 * A timer is embedded in its owner.  Starting a running timer moves it.
 * Callbacks come on the loop thread, never from inside start or stop.
 */
#include "base/util.h"

struct clock_timer {
	void (*fire)(struct clock_timer *t);
	void *impl; /* the clock's; zero it before the first start */
};

struct clock;
struct clock_ops {
	int64_t (*wall_ms)(struct clock *c);
	int64_t (*mono_ms)(struct clock *c);
	void (*start)(struct clock *c, struct clock_timer *t, int64_t delay_ms);
	void (*stop)(struct clock *c, struct clock_timer *t); /* safe when not running */
	void (*entropy)(struct clock *c, uint8_t out[16]);
	/* Both may be NULL; then only the monotonic clock is available. */
	int64_t (*boot_ms)(struct clock *c);
	const char *(*boot_id)(struct clock *c); /* never empty; lives as long as the clock */
	/*
	 * From now on the wall clock is the boot clock and so much, whatever the machine's is set to.
	 * May be NULL.
	 */
	void (*follow)(struct clock *c, int64_t ahead_ms);
};
struct clock {
	const struct clock_ops *ops;
};

#endif
