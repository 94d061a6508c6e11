/*
 * Queries about a turn that the state and the settings answer.  Decisions,
 * folds and views use them, so nothing here emits.
 */
#include "core/turn/turn.h"
#include "core/hook/hook.h"
#include "core/tool/client_tool.h"

struct rec_item *turn_item(struct decision *d, struct str step_id, enum item_kind kind,
                           int64_t index, enum status status)
{
	return KEPT(d, struct rec_item, .item_id = step_id, .kind = kind, .index = index,
	            .status = status);
}

const struct model_info *turn_model(const struct decision *d, const struct st_turn *t)
{
	return decision_settings_model(d->settings, t->provider, t->model);
}

/* Is it for models of this provider, and not switched off? */
static bool is_offered(const struct tool_info *tool, const struct st_turn *t, struct str provider)
{
	return decision_settings_tool_is_for(tool, provider) &&
	       !decision_settings_tool_is_off(tool, &t->servers_off);
}

const struct tool_info *turn_tool_of(const struct decision *d, const struct st_turn *t,
                                     struct str name)
{
	const struct tool_info *tool = client_tool_info_find(d->mem, t, name);

	if (tool)
		return tool;
	tool = decision_settings_tool(d->settings, name);
	return tool && is_offered(tool, t, t->provider) ? tool : NULL;
}

const struct tool_info *turn_call_tool(const struct decision *d, const struct st_call *c)
{
	const struct st_turn *t = state_turn(d->w, c->turn_id, NULL);
	const struct tool_info *own = t ? client_tool_info_find(d->mem, t, c->tool_name) : NULL;

	return own ? own : decision_settings_tool(d->settings, c->tool_name);
}

static bool is_hidden(const struct tool_info *own, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(own[i].name, name))
			return true;
	return false;
}

size_t turn_tools(struct arena *mem, const struct settings *s, const struct st_turn *t,
                  struct str provider, const struct tool_info ***ret)
{
	struct tool_info *own;
	size_t own_count = client_tool_info_list(mem, t, &own), count = 0;

	*ret = ARENA_ARRAY(mem, const struct tool_info *, s->tool_count + own_count + 1);
	for (size_t i = 0; !t->sampling && i < s->tool_count; i++)
		if (is_offered(&s->tools[i], t, provider) &&
		    !is_hidden(own, own_count, s->tools[i].name))
			(*ret)[count++] = &s->tools[i];
	for (size_t i = 0; i < own_count; i++)
		(*ret)[count++] = &own[i];
	return count;
}

const struct st_turn *turn_in_backoff(const struct st_thread *th)
{
	const struct st_turn *t = th->compaction ? state_thread_turn(th, th->compaction->turn_id)
	                                         : state_thread_active(th);

	return t && t->stage == TURN_STAGE_BACKING_OFF ? t : NULL;
}

bool turn_is_compacting(const struct st_thread *th, const struct st_turn *t)
{
	return th->compaction && str_eq(th->compaction->turn_id, t->turn_id);
}

/*
 * Was this call running when the process died?  A question to a person (asks_user), a tool that the
 * core runs on its own state (by_runtime) and one that the caller runs (by_client) have nothing
 * that a restart could end: they continue.
 */
bool turn_call_has_effect(const struct st_call *c)
{
	return c->dispatched && !call_is_over(c) && !c->asks_user && !c->by_runtime &&
	       !c->by_client;
}

/*
 * Recovery calls this for a turn that was open at the last stop: true means that its run is lost,
 * false that it continues as if there had been no restart (GAP-53).
 */
bool turn_has_effect(const struct st_thread *th, const struct st_turn *t)
{
	if (str_is(t->model_request_id) || hook_is_running(th, t))
		return true;
	for (uint32_t i = 0; i < th->calls.count; i++)
		if (str_eq(th->calls.items[i]->turn_id, t->turn_id) &&
		    turn_call_has_effect(th->calls.items[i]))
			return true;
	return false;
}

bool turn_answer_is_cut(const struct ev_model_completed *p)
{
	return !p->tool_call_count && (p->stop_reason == STOP_REASON_MAX_TOKENS ||
	                               p->stop_reason == STOP_REASON_PAUSE_TURN);
}

/*
 * spec: GAP-53 — the same turn, a new run, no second turn.started.  Bound to the run: a token that
 * a client kept from an earlier interruption does not resume a later one.
 */
struct str turn_resume_token(struct arena *mem, const struct st_turn *t)
{
	return arena_printf(mem, "resume.%.*s", STR_ARG(t->run_id));
}

void turn_cost_add(struct st_turn *t, const struct ev_cost_recorded *p)
{
	if (p->has_amount_usd)
		t->spent_usd += p->amount_usd;
	else if (p->amount_state)
		t->cost_unknown = true; /* the sum does not contain this amount */
	if (p->basis == COST_BASIS_ESTIMATE) {
		t->cost_estimated = true;
		t->untold_usage++;
	} else if (p->has_input_tokens) {
		t->told_usage++;
	}
	t->input_tokens += p->input_tokens;
	t->cached_input_tokens += p->cached_input_tokens;
	t->cache_write_tokens += p->cache_write_tokens;
	t->output_tokens += p->output_tokens;
	t->reasoning_tokens += p->reasoning_tokens;
}
