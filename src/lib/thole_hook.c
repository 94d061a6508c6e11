/* The public API: hooks that the program around the library answers. */
#include "base/os/clock.h"
#include "hooks/hooks.h"
#include "lib/api.h"

#include <poll.h>

static struct hook_queue *hook_queue_of(struct thole *t)
{
	return api_runtime(t) ? runtime_hook_queue(api_runtime(t)) : NULL;
}

static int hook_take(struct hook_queue *d, unsigned long long *ret_id, char **ret)
{
	uint64_t id;

	switch (hook_queue_take(d, &id, ret)) {
	case HOOK_QUEUE_TAKEN:
		*ret_id = id;
		return THOLE_OK;
	case HOOK_QUEUE_STOPPED:
		return THOLE_ENDED;
	default:
		return THOLE_TIMEOUT;
	}
}

/* Several threads may wait; each hook goes to one of them. */
int thole_hook_next(struct thole *t, int timeout_ms, unsigned long long *ret_id, char **ret)
{
	int64_t until = timeout_ms < 0 ? INT64_MAX : clock_mono_ms() + timeout_ms;
	struct hook_queue *d = hook_queue_of(t);
	int code = d ? hook_take(d, ret_id, ret) : THOLE_ENDED;

	/* Another thread may have taken what woke us. */
	for (int64_t left = timeout_ms; code == THOLE_TIMEOUT && (timeout_ms < 0 || left >= 0);
	     left = until - clock_mono_ms()) {
		code = api_wait(t, hook_queue_fd(d), POLLIN, timeout_ms < 0 ? -1 : (int)left);
		if (code)
			break;
		code = hook_take(d, ret_id, ret);
	}
	if (code)
		*ret = NULL;
	return code;
}

int thole_hook_answer(struct thole *t, unsigned long long id, const char *response)
{
	struct hook_queue *d = hook_queue_of(t);

	if (response && strlen(response) > HOOK_OUTPUT_MAX)
		return THOLE_INVALID;
	return d && hook_queue_answer(d, id, response) ? THOLE_OK : THOLE_ENDED;
}

int thole_hook_fd(struct thole *t)
{
	struct hook_queue *d = hook_queue_of(t);

	return d ? hook_queue_fd(d) : -1;
}

void thole_hook_stop(struct thole *t)
{
	struct hook_queue *d = hook_queue_of(t);

	if (d)
		hook_queue_stop(d);
}
