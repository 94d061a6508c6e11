/*
 * Shared by the files of the public API: the handle, and waiting for a
 * descriptor.  A runtime without its own thread is stepped during the wait.
 */
#include "lib/api.h"

#include "base/os/clock.h"

#include <errno.h>
#include <poll.h>

struct runtime *api_runtime(struct thole *t)
{
	return t->runtime;
}

/* With the caller's own loop, nothing else steps the runtime during the wait. */
int api_wait(struct thole *t, int fd, short events, int timeout_ms)
{
	int64_t until = timeout_ms < 0 ? INT64_MAX : clock_mono_ms() + timeout_ms;
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = until - clock_mono_ms();
		int got;

		if (t->runtime && runtime_is_stepped(t->runtime)) {
			/*
			 * The runtime may have the reply ready without another event, so it is
			 * stepped before the poll.
			 */
			runtime_step(t->runtime, 0);
			got = poll(&p, 1, 0);
			if (!got && left > 0)
				runtime_step(t->runtime, (int)MIN(left, 20));
		} else {
			got = poll(&p, 1, timeout_ms < 0 ? -1 : (int)MAX(MIN(left, 1 << 30), 0));
		}
		if (got > 0)
			return THOLE_OK;
		if (got < 0 && errno != EINTR)
			return THOLE_CLOSED;
		if (clock_mono_ms() >= until)
			return THOLE_TIMEOUT;
	}
}
