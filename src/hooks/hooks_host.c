/*
 * Hooks of the embedding program: calls go to the queue, answers come back on the loop.  The
 * thread that answers only wakes the loop; everything else happens there.
 */
#include "hooks/hooks_int.h"

#include <errno.h>
#include <stdlib.h>

static void on_answers(struct loop_wake *w)
{
	struct hook_set *s = OWNER_OF(w, struct hook_set, answers);
	struct hook_handle *h;
	char *response;

	/* One wake-up may stand for several answers. */
	while ((h = hook_queue_answered(s->queue, &response))) {
		/* The queue has freed the call; the run must not drop it again. */
		h->call_by_queue = NULL;
		if (response)
			buf_add_str(&h->out, str_from(response));
		hooks_tell(h, response ? &(struct hook_end){ .result = HOOK_ANSWERED }
		                       : &(struct hook_end){
						 .result = HOOK_BROKE,
						 .message = STR("the program gave it up") });
		free(response);
	}
}

enum err hooks_host_open_queue(struct hook_set *s, struct error *e)
{
	loop_wake_init(s->o.loop, &s->answers, on_answers);
	s->queue = hook_queue_new(loop_wake_call, &s->answers);
	if (s->queue)
		return OK;
	loop_wake_done(&s->answers);
	return fail_errno(e, ERR_IO, "no descriptor for hooks of the program");
}

void hooks_host_close_queue(struct hook_set *s)
{
	if (!s->queue)
		return;
	hook_queue_free(s->queue);
	loop_wake_done(&s->answers);
}

void hooks_host(struct hook_handle *h)
{
	h->call_by_queue = hook_queue_put(h->set->queue, h->input, h);
}

bool hooks_host_is_answered(const struct hook_handle *h)
{
	return h->call_by_queue && hook_queue_is_answered(h->set->queue, h->call_by_queue);
}

void hooks_host_drop(struct hook_handle *h)
{
	hook_queue_drop(h->set->queue, h->call_by_queue);
	h->call_by_queue = NULL;
}

struct hook_queue *hooks_host_queue(struct hooks *port)
{
	return port ? OWNER_OF(port, struct hook_set, port)->queue : NULL;
}
