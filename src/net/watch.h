#ifndef NET_WATCH_H
#define NET_WATCH_H
/*
 * A descriptor that its owner reads and writes, watched by the loop: for
 * sockets whose packets carry more than bytes.
 *
 * The struct lives inside its owner's.  cb comes from the loop when the
 * descriptor can be read (or has ended), and, while for_write is set, when it
 * can be written.  Stopping takes effect at once; the descriptor must stay
 * open until then, and its memory may be freed right after.
 */
#include "net/loop.h"

struct watch {
	void (*cb)(struct watch *w);
	void *impl; /* zero it before the first start */
};

/* A running watch is changed.  False when the kernel cannot watch such a descriptor. */
bool watch_start(struct loop *l, struct watch *w, int fd, bool for_write,
                 void (*cb)(struct watch *w)) MUST_USE;
void watch_stop(struct watch *w); /* safe when not running */

#endif
