#ifndef SERVE_KEEPALIVE_H
#define SERVE_KEEPALIVE_H
/*
 * A slow beat for every long-lived connection, driven by one timer for all of
 * them: time to ping, and time to see whether the reader takes anything.
 *
 * A reader is stalled when bytes have waited for it through stall_ms and the
 * kernel took none of them.  Beats are ping_ms apart, so a stalled one is
 * detected between stall_ms and one beat later.
 */
#include "net/loop.h"

struct keepalive {
	struct list node;
	void (*cb)(struct keepalive *p); /* may end any pulse, its own too */
	uint32_t due;
	uint32_t mark;    /* what waited at the last beat */
	uint32_t written; /* since then */
	uint32_t silent;  /* beats without progress */
};

struct pulses {
	struct loop *loop;
	struct loop_timer timer;
	struct list all; /* the next to beat first */
	uint32_t now;    /* in steps */
	uint32_t stall_beats;
	int step_ms;
};

void keepalive_init_all(struct pulses *all, struct loop *l, int ping_ms, int stall_ms);
void keepalive_done_all(struct pulses *all);

void keepalive_start(struct pulses *all, struct keepalive *p, void (*cb)(struct keepalive *p));
void keepalive_stop(struct pulses *all, struct keepalive *p);

static inline void keepalive_wrote(struct keepalive *p, size_t len)
{
	p->written += (uint32_t)len;
}
/* Once per beat, with what waits now. */
bool keepalive_is_stalled(const struct pulses *all, struct keepalive *p, size_t pending);

#endif
