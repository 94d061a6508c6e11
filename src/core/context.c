/*
 * What the model will see is settled before it is asked, and said.
 * spec: contracts/tool-context-capabilities#context-assembly; GAP-52, GAP-66
 */
#include "core/context.h"

static int64_t history_tokens(const struct st_thread *th, const struct st_turn *t)
{
	int64_t sum = t->context_tokens;

	for (uint32_t i = 0; i < th->history.count; i++)
		sum += th->history.items[i]->tokens;
	return sum;
}

static int64_t tool_tokens(const struct setup *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->tool_count; i++)
		bytes += s->tools[i].name.len + s->tools[i].description.len +
		         s->tools[i].input_schema.len;
	return (int64_t)bytes / 3;
}

/* Conservative: three bytes a token, and something for the frame of each message. */
int64_t request_tokens(const struct outcome *d, const struct st_thread *th,
                       const struct st_turn *t)
{
	return history_tokens(th, t) + tool_tokens(d->setup) + 64 + 8 * th->messages;
}

/* spec: GAP-52 — said by the command that leaves older turns outside, never by a read. */
static void emit_window(struct outcome *d, struct st_thread *th, struct st_turn *t,
                        const struct rec_history_range *h)
{
	struct event *ev = in_thread(
		EMIT(d, HISTORY_WINDOW_LOADED, history_window_loaded, .cause = WINDOW_CAUSE_SUBMIT,
	             .from_sequence = h->from_sequence, .to_sequence = d->w->s->sequence,
	             .turns = h->turns, .older_turns = h->omitted_turns),
		th);

	ev->turn_id = t->turn_id;
	ev->history_boundary = KEPT(d, struct rec_history_boundary,
	                            .layer = HISTORY_LAYER_CONTEXT_BOUNDARY,
	                            .through_sequence = h->from_sequence - 1);
}

void emit_context(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	const struct setup_model *m = d->setup->model_count ? &d->setup->models[0] : NULL;
	int64_t from = th->history.count ? th->history.items[0]->from_sequence :
	                                   t->submitted_sequence;
	struct ev_context_resolved p = {
		.instruction_refs = STRINGS(d, STR("instruction:system")),
		.policy_facts = STRINGS(d, arena_printf(d->mem, "mode:%.*s",
	                                                STR_ARG(permission_mode_word(d->setup->mode)))),
		.history = KEPT(d, struct rec_history_range, .turns = th->history.count,
	                        .from_sequence = from,
	                        .omitted_turns = th->ended_turns - th->history.count,
	                        .has_omitted_turns = th->ended_turns > th->history.count),
		.budget = KEPT(d, struct rec_context_budget, .window_tokens = m ? m->window_tokens : 0,
	                       .estimated_tokens = request_tokens(d, th, t),
	                       .estimate = STR("conservative")),
	};

	if (p.history->has_omitted_turns)
		emit_window(d, th, t, p.history);
	in_turn(emit_event(d, EV_CONTEXT_RESOLVED, &p), th, t);
}

