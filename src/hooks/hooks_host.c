/* The program that the library is part of: asked on the desk, heard from the loop. */
#include "hooks/hooks_int.h"

#include <errno.h>
#include <stdlib.h>

static void on_answers(struct loop_wake *w)
{
	struct hook_set *s = OWNER_OF(w, struct hook_set, answers);
	struct hook_handle *h;
	char *answer;

	while ((h = hook_desk_answered(s->desk, &answer))) {
		h->call_on_desk = NULL;
		if (answer)
			buf_add_str(&h->out, str_from(answer));
		hooks_tell(h,
		           answer ? &(struct hook_end){ .result = HOOK_ANSWERED }
		                  : &(struct hook_end){ .result = HOOK_BROKE,
		                                        .message = STR("the program gave it up") });
		free(answer);
	}
}

enum err hooks_host_open_desk(struct hook_set *s, struct error *e)
{
	loop_wake_init(s->o.loop, &s->answers, on_answers);
	s->desk = hook_desk_new(loop_wake_call, &s->answers);
	if (s->desk)
		return OK;
	loop_wake_done(&s->answers);
	return fail_errno(e, ERR_IO, "no descriptor for hooks of the program");
}

void hooks_host_close_desk(struct hook_set *s)
{
	if (!s->desk)
		return;
	hook_desk_free(s->desk);
	loop_wake_done(&s->answers);
}

void hooks_host(struct hook_handle *h)
{
	h->call_on_desk = hook_desk_put(h->set->desk, h->input, h);
}

bool hooks_host_is_answered(const struct hook_handle *h)
{
	return h->call_on_desk && hook_desk_is_answered(h->set->desk, h->call_on_desk);
}

void hooks_host_drop(struct hook_handle *h)
{
	hook_desk_drop(h->set->desk, h->call_on_desk);
	h->call_on_desk = NULL;
}

struct hook_desk *hooks_host_desk(struct hooks *port)
{
	return port ? OWNER_OF(port, struct hook_set, port)->desk : NULL;
}
