/*
 * The clock port over the event loop: wall time, monotonic timers and entropy.
 * Tests use a virtual clock instead.
 */
#include "lib/real_clock.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/os/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct real_clock {
	struct clock clock;
	struct loop *loop;
	uint8_t pool[1024]; /* random bytes; used ones are wiped */
	size_t pool_left;   /* at its end */
	char boot_id[40];
	bool follows; /* the wall clock is the boot clock and ahead_ms */
	int64_t ahead_ms;
};

/* Made when a timer is started, freed when it has fired or is stopped. */
struct running {
	struct loop_timer timer;
	struct clock_timer *owner;
};

static int64_t wall_ms(struct clock *c)
{
	const struct real_clock *rc = OWNER_OF(c, struct real_clock, clock);

	return rc->follows ? clock_boot_ms() + rc->ahead_ms : clock_wall_ms();
}

static void follow(struct clock *c, int64_t ahead_ms)
{
	struct real_clock *rc = OWNER_OF(c, struct real_clock, clock);

	rc->follows = true;
	rc->ahead_ms = ahead_ms;
}

static int64_t mono_ms(struct clock *c)
{
	return clock_mono_ms();
}

static int64_t boot_ms(struct clock *c)
{
	return clock_boot_ms();
}

static const char *boot_id(struct clock *c)
{
	return OWNER_OF(c, struct real_clock, clock)->boot_id;
}

/* Without a boot id of the kernel, every start counts as a new boot. */
static void take_boot_id(struct real_clock *rc)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, rc->boot_id, sizeof rc->boot_id - 1);

	if (fd >= 0)
		close(fd);
	if (got < 8)
		snprintf(rc->boot_id, sizeof rc->boot_id, "unknown-%lld",
		         (long long)clock_wall_ms());
	rc->boot_id[strcspn(rc->boot_id, "\n ")] = 0;
}

/* Freed before the callback, which may start the timer again or free its owner. */
static void timer_fired(struct loop_timer *t)
{
	struct running *r = OWNER_OF(t, struct running, timer);
	struct clock_timer *owner = r->owner;

	owner->impl = NULL;
	memory_free(r);
	owner->fire(owner);
}

/* Starting a running timer moves it. */
static void timer_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct real_clock *rc = OWNER_OF(c, struct real_clock, clock);
	struct running *r = t->impl;

	if (!r) {
		r = memory_zeroed(1, sizeof *r);
		r->owner = t;
		t->impl = r;
	}
	loop_timer_start(rc->loop, &r->timer, delay_ms, timer_fired);
}

static void timer_stop(struct clock *c, struct clock_timer *t)
{
	struct running *r = t->impl;

	if (!r)
		return;
	loop_timer_stop(&r->timer);
	t->impl = NULL;
	memory_free(r);
}

/* Every decision needs entropy; one system call serves sixty-four. */
static void take_entropy(struct clock *c, uint8_t out[16])
{
	struct real_clock *rc = OWNER_OF(c, struct real_clock, clock);
	uint8_t *from;

	if (rc->pool_left < 16) {
		if (getrandom(rc->pool, sizeof rc->pool, 0) != sizeof rc->pool)
			abort(); /* repeated ids would be worse than a crash */
		rc->pool_left = sizeof rc->pool;
	}
	from = rc->pool + sizeof rc->pool - rc->pool_left;
	memcpy(out, from, 16);
	explicit_bzero(from, 16);
	rc->pool_left -= 16;
}

static const struct clock_ops ops = { wall_ms,      mono_ms, timer_start, timer_stop,
	                              take_entropy, boot_ms, boot_id,     follow };

struct clock *real_clock_new(struct loop *loop)
{
	struct real_clock *rc = memory_zeroed(1, sizeof *rc);

	rc->clock.ops = &ops;
	rc->loop = loop;
	take_boot_id(rc);
	return &rc->clock;
}

void real_clock_free(struct clock *c)
{
	if (c)
		memory_free(OWNER_OF(c, struct real_clock, clock));
}
