/*
 * Queries about hooks: which one comes next at an occasion, and does one run?
 * hook_step.c runs hooks; hook_answer.c reads their output.
 */
#include "core/hook/hook.h"

/* How often stop hooks may postpone the end of one turn. */
#define STOP_BLOCKS_MAX 3

const struct st_hook *hook_find(const struct state *w, struct str hook_run_id,
                                const struct st_thread **ret_thread)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->hooks.count; n++) {
			if (!str_eq(th->hooks.items[n]->run->hook_run_id, hook_run_id))
				continue;
			if (ret_thread)
				*ret_thread = th;
			return th->hooks.items[n];
		}
	}
	return NULL;
}

/*
 * The state counts ended hooks per occasion; the count is also the index of the next one in
 * hook_nth().  It has to be reset where an occasion can repeat (turn_on_model_requested(),
 * tool_on_tool_args()).
 */
const int64_t *hook_count(const struct st_session *s, const struct st_turn *t,
                          const struct st_call *c, enum hook_point point)
{
	switch (point) {
	case HOOK_POINT_SESSION_START:
		return &s->start_hooks;
	case HOOK_POINT_USER_PROMPT_SUBMIT:
		return t ? &t->prompt_hooks : NULL;
	case HOOK_POINT_POST_SAMPLING:
		return t ? &t->sampling_hooks : NULL;
	case HOOK_POINT_STOP:
		return t ? &t->stop_hooks : NULL;
	case HOOK_POINT_PRE_TOOL_USE:
		return c ? &c->pre_hooks : NULL;
	case HOOK_POINT_PERMISSION_REQUEST:
		return c ? &c->ask_hooks : NULL;
	case HOOK_POINT_POST_TOOL_USE:
	case HOOK_POINT_POST_TOOL_FAILURE:
		return c ? &c->post_hooks : NULL;
	default:
		return NULL;
	}
}

/* ---- which ---- */

/* Names of tools separated by |; a * at the end of a name matches any ending. */
bool hook_covers(struct str match, struct str tool)
{
	while (match.len) {
		struct str name = str_cut(&match, '|');

		if (name.len && name.ptr[name.len - 1] == '*'
		            ? str_starts(tool, str_head(name, name.len - 1))
		            : str_eq(name, tool))
			return true;
	}
	return false;
}

const struct hook_info *hook_nth(const struct settings *s, enum hook_point point,
                                 const struct st_call *c, int64_t n)
{
	for (size_t i = 0; i < s->hook_count; i++) {
		const struct hook_info *h = &s->hooks[i];

		if (h->point != point ||
		    (c && str_is(h->match) && !hook_covers(h->match, c->tool_name)))
			continue;
		if (n-- == 0)
			return h;
	}
	return NULL;
}

const struct hook_info *hook_in_settings(const struct settings *s, struct str ref)
{
	for (size_t i = 0; i < s->hook_count; i++)
		if (str_eq(s->hooks[i].ref, ref))
			return &s->hooks[i];
	return NULL;
}

/* ---- starting ---- */

bool hook_runs(const struct st_hook *h, const struct st_turn *t, const struct st_call *c)
{
	return h->run->status == HOOK_STATUS_RUNNING && str_eq(h->turn_id, t->turn_id) &&
	       (!c || str_eq(h->tool_call_id, c->tool_call_id));
}

bool hook_is_due(const struct decision *d, const struct st_turn *t, const struct st_call *c,
                 enum hook_point point)
{
	return hook_nth(d->settings, point, c, *hook_count(d->w->s, t, c, point)) != NULL;
}

bool hook_is_running(const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->hooks.count; i++)
		if (hook_runs(th->hooks.items[i], t, NULL))
			return true;
	return false;
}

/* The limit prevents a hook that always objects from keeping a turn alive. */
bool hook_puts_off_stop(const struct st_turn *t)
{
	return t->stop_is_blocked && t->stop_blocks < STOP_BLOCKS_MAX;
}
