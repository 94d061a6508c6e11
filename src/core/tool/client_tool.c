/* A call that the caller of a turn runs: handed over, awaited, and given up at its deadline. */
#include "core/tool/client_tool.h"

#include "base/gen/limits.h"
#include "core/approval/action_emit.h"
#include "core/tool/tool_emit.h"

/* The event has all that the caller needs; arguments with secrets are behind their ref. */
void client_tool_dispatch(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c)
{
	const struct tool_info *tool = client_tool_info_find(d->mem, t, c->tool_name);
	int64_t time = tool && tool->timeout_ms
	                       ? tool->timeout_ms
	                       : d->settings->config->tools_client_timeout_s * 1000;
	struct ev_tool_progress p = {
		.kind = TOOL_PROGRESS_KIND_DISPATCHED,
		.by_client = true,
		.has_by_client = true,
		.until = d->now + time,
		.tool_name = c->tool_name,
		.args = c->redacted ? STR_NONE : c->args,
		.wait = action_emit_wait(d, WAIT_FOR_CLIENT, d->now + time),
	};
	struct event *ev;

	p.wait->ended_by = STRINGS(d, STR("complete_tool_call"), STR("interrupt_turn"),
	                           STR("expiry"), STR("the client leaves"));
	if (!str_is(p.args))
		p.input_ref = c->args_ref;
	ev = decision_in_call(decision_emit_event(d, EV_TOOL_PROGRESS, &p), th, t, c);
	ev->status = STATUS_RUNNING;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_RUNNING);
	ev->output_ref = decision_new_id(d, "out");
	if (str_is(p.input_ref))
		decision_add_ref(d, ev, STR("input"), p.input_ref);
}

bool client_tool_is_waiting(const struct st_call *c)
{
	return c->by_client && c->dispatched && !call_is_over(c);
}

/* When the connection of the caller ended; 0: it is there, or the caller has none. */
static int64_t left_at(const struct state *w, const struct st_turn *t)
{
	const struct st_channel *c = str_is(t->channel_id) ? state_channel(w, t->channel_id) : NULL;

	return c && c->status != STATUS_RUNNING ? c->record->last_seen_at : 0;
}

static int64_t given_up_at(const struct state *w, const struct st_turn *t, const struct st_call *c)
{
	int64_t left = left_at(w, t);

	return left ? MIN(c->until, left + LIMIT_CLIENT_LEFT_MS) : c->until;
}

/* The first call that is due at `now`, or the earliest moment at which one is. */
static const struct st_call *next_due(const struct state *w, int64_t now, int64_t *ret_at,
                                      const struct st_thread **ret_th)
{
	*ret_at = 0;
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->calls.count; n++) {
			const struct st_call *c = th->calls.items[n];
			const struct st_turn *t = client_tool_is_waiting(c)
			                                  ? state_thread_turn(th, c->turn_id)
			                                  : NULL;
			int64_t at;

			if (!t || t->stage == TURN_STAGE_STOPPING)
				continue;
			at = given_up_at(w, t, c);
			if (!*ret_at || at < *ret_at)
				*ret_at = at;
			*ret_th = th;
			if (at <= now)
				return c;
		}
	}
	return NULL;
}

bool client_tool_time(struct decision *d)
{
	const struct st_thread *th;
	int64_t at;
	const struct st_call *c = next_due(d->w, d->now, &at, &th);
	const struct st_turn *t;

	if (!c)
		return false;
	t = state_thread_turn(th, c->turn_id);
	if (c->until <= d->now)
		tool_emit_failed(d, th, t, c, STATUS_TIMED_OUT, tool_error_client_timed_out());
	else
		tool_emit_failed(d, th, t, c, STATUS_LOST, tool_error_client_left());
	return true;
}

int64_t client_tool_deadline(const struct state *w)
{
	const struct st_thread *th;
	int64_t at;

	next_due(w, INT64_MIN, &at, &th);
	return at;
}
