/*
 * From accepted to the first request: starts the run, then decides and records
 * everything that the model sees, and the choice of the model.
 * spec: GAP-31, GAP-48, GAP-66; golden routing-single-candidate 6-17
 */
#include "core/turn/turn.h"

#include "base/gen/limits.h"

#include "base/hash/sha256.h"
#include "core/budget/budget.h"
#include "core/context/compact.h"
#include "core/context/context.h"
#include "core/context/context_tokens.h"
#include "core/approval/permission.h"
#include "core/notice/notice.h"
#include "core/turn/queue.h"
#include "core/subagent/subagent.h"
#include "core/subagent/sampling.h"
#include "core/routing/route.h"
#include "core/task/task_bounds.h"
#include "core/turn/turn_emit.h"

#define TOOL_LIST_MAX LIMIT_CATALOG_INLINE_BYTES /* of inline descriptions (GAP-66) */

/* ---- the start ---- */

static void emit_dequeued(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct ev_queue_changed q = {
		.change = QUEUE_CHANGE_STARTED,
		.queued_turn_id = t->turn_id,
		.policy = queue_rules(d, th),
		.waited_ms = since(d, t->submitted_at),
		.has_waited_ms = true,
	};
	struct event *ev;

	for (uint32_t i = 0; i < th->order.count; i++)
		if (!str_eq(th->order.items[i], t->turn_id))
			rec_list_str_add(d->mem, &q.order, th->order.items[i]);
	ev = decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th);
	ev->turn_id = t->turn_id;
	ev->task_id = t->task_id;
	ev->queue_id = queue_id(d, th);
}

/*
 * task.started is written once per task; a retried task and a resumed one only get another attempt.
 * The execution environment is recorded with the turn, because settings may change until a reader
 * asks.
 */
void turn_start_begin(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      bool was_queued)
{
	const struct st_task *task = state_task(d->w, t->task_id);
	int64_t before = task ? task->runs : 0;
	struct event *ev;

	if (was_queued)
		emit_dequeued(d, th, t);
	if (!before) {
		ev = decision_in_turn(EMIT(d, TASK_STARTED, task_started, .cause = STR_NONE), th,
		                      t);
		ev->status = STATUS_PREPARING;
		ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
		                .status = TASK_STATUS_PREPARING, .current_run_id = t->run_id,
		                .started_at = d->now);
	}
	turn_emit_attempt(d, th, t, t->run_id, t->attempt_id, before + 1,
	                  before && task->run_cause ? task->run_cause
	                                            : ATTEMPT_CAUSE_FIRST_ATTEMPT);
	ev = decision_in_turn(EMIT(d, TURN_STARTED, turn_started,
	                           .environment_id = d->settings->environment->environment_id),
	                      th, t);
	ev->status = STATUS_PREPARING;
	ev->phase = PHASE_PREPARING;
	ev->execution_environment = task_bounds_environment(d, t->turn_id);
	ev = decision_in_thread(
		EMIT(d, THREAD_UPDATED, thread_updated, .active_turn_id = t->turn_id,
	             .profile_status = STATUS_PREPARING, .cause = STR("turn.started")),
		th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_RUNNING;
}

/* ---- context ---- */

static struct rec_inventory_tool *inventory_entry(struct decision *d, const struct st_turn *t,
                                                  const struct tool_info *tool)
{
	struct rec_inventory_tool *r = ARENA_NEW(d->mem, struct rec_inventory_tool);
	struct str reason;
	enum tool_policy policy = permission_policy_of_turn(d, t, tool, &reason);
	struct json words;

	*r = (struct rec_inventory_tool){
		.tool_name = tool->name,
		.description = tool->description,
		.policy = policy,
		.reason = reason,
		.runtime_owner = tool->owner,
		.is_read_only = tool->is_read_only,
		.is_concurrency_safe = tool->is_concurrency_safe,
		.is_destructive = tool->is_destructive,
		.interrupt_behavior = tool->interrupt,
		.input_schema_ref = arena_printf(d->mem, "schema:tool:%.*s:1", STR_ARG(tool->name)),
		.native_name = tool->native_name,
		.definition_hash = tool->definition,
		.definition_changed = tool->is_changed,
		.has_definition_changed = tool->is_changed,
	};
	if (json_read_trusted(d->mem, tool->capabilities, &words, NULL) == OK) {
		struct json_iter it = json_iter(words);
		struct json word;
		struct str key;

		while (json_next(&it, &key, &word))
			rec_list_str_add(d->mem, &r->capabilities, json_str(word));
	}
	return r;
}

/*
 * The list takes about 8 KB and is nearly always the session's last one: then the turn refers to
 * the event that has it.
 */
static void omit_unchanged_list(struct decision *d, struct ev_tool_catalog_resolved *p)
{
	if (!str_eq(p->catalog_hash, d->w->s->catalog_hash))
		return;
	p->unchanged_since = d->w->s->catalog_sequence;
	p->has_unchanged_since = true;
	p->tools.items = NULL;
	p->tools.count = 0;
}

/*
 * The catalogue precedes the choice of the model, which does not depend on it.  The same choice
 * that route_emit_routing() makes afterwards in this decision: offered tools depend on the
 * provider.
 */
static struct str provider_of(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t)
{
	const struct model_info *m = route_choice(d, th, t, route_profile_of(d, t));

	return m ? m->provider : STR_NONE;
}

/* The one that a turn without a model calls; it may be missing. */
static int64_t only_tool(struct decision *d, const struct st_turn *t, const struct tool_info ***ret)
{
	*ret = ARENA_ARRAY(d->mem, const struct tool_info *, 1);
	(*ret)[0] = turn_tool_of(d, t, t->call_tool);
	return (*ret)[0] != NULL;
}

/* The tools that the model of this turn is offered, and the hash of the list. */
static struct ev_tool_catalog_resolved catalog_of(struct decision *d, const struct st_thread *th,
                                                  const struct st_turn *t)
{
	struct str provider = str_is(t->provider) || t->kind == TURN_KIND_CALL
	                              ? t->provider
	                              : provider_of(d, th, t);
	struct ev_tool_catalog_resolved p = { .mode = permission_mode_of_turn(d, t) };
	const struct tool_info **tools;
	struct sha256 hash;
	size_t bytes = 0;

	p.tool_count = t->kind == TURN_KIND_CALL
	                       ? only_tool(d, t, &tools)
	                       : (int64_t)turn_tools(d->mem, d->settings, t, provider, &tools);
	p.tools.items = ARENA_ARRAY(d->mem, struct rec_inventory_tool *, (size_t)p.tool_count + 1);
	for (int64_t i = 0; i < p.tool_count && !p.tools_truncated; i++) {
		/* 300: about the size of an entry without its description. */
		bytes += tools[i]->description.len + 300;
		if (bytes > TOOL_LIST_MAX)
			p.tools_truncated = p.has_tools_truncated = true;
		else
			p.tools.items[p.tools.count++] = inventory_entry(d, t, tools[i]);
	}
	hash = sha256_of(rec_text(d->mem, &ev_tool_catalog_resolved_desc, &p));
	p.catalog_hash = sha256_hex(d->mem, &hash);
	return p;
}

/* spec: GAP-05 — the catalogue has its own step and a reserved call id. */
void turn_start_emit_inventory(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t)
{
	struct str step_id = decision_new_id(d, "step");
	struct ev_tool_catalog_resolved p = catalog_of(d, th, t);
	struct event *ev;

	omit_unchanged_list(d, &p);
	ev = decision_in_turn(decision_emit_event(d, EV_TOOL_CATALOG_RESOLVED, &p), th, t);
	ev->step_id = step_id;
	ev->tool_call_id = arena_printf(d->mem, "catalog_%.*s", STR_ARG(step_id));
	ev->item = turn_item(d, step_id, ITEM_KIND_CATALOG, t->step_count + 1, STATUS_COMPLETED);
	if (str_is(d->settings->inventory_ref))
		decision_add_ref(d, ev, STR("inventory"), d->settings->inventory_ref);
}

/* The record names all tools; which of them a turn gets follows from its mode and model. */
bool turn_start_has_other_tools(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t)
{
	const struct st_session *s = d->w->s;

	return str_is(s->inventory_ref) && str_is(d->settings->inventory_ref) &&
	       !str_eq(s->inventory_ref, d->settings->inventory_ref) &&
	       !str_eq(s->catalog_hash, catalog_of(d, th, t).catalog_hash);
}

/* spec: GAP-48 — with routing.on_no_candidate: wait. */
static void emit_candidate_wait(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t)
{
	struct rec_wait *wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_RESOURCE, .since = d->now,
	                             .deadline = STR("none"),
	                             .ended_by = STRINGS(d, STR("resume_thread"),
	                                                 STR("a restart with other settings"),
	                                                 STR("interrupt_turn")));
	struct str detail = STR("no model can be asked; resume_thread looks again");
	struct event *ev = decision_in_turn(
		EMIT(d, TASK_WAITING, task_waiting, .for_ = WAIT_FOR_RESOURCE, .wait = wait), th,
		t);

	ev->status = STATUS_WAITING_RESOURCE;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
	                .status = TASK_STATUS_WAITING_RESOURCE, .status_reason = detail);
	ev = decision_in_turn(EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_RESOURCE_WAIT,
	                           .title = STR("Waiting for a model"), .detail = detail,
	                           .wait = wait),
	                      th, t);
	ev->status = STATUS_WAITING_RESOURCE;
	ev->phase = PHASE_WAITING;
}

/*
 * Runs once per run, before its first request.  Files are read by the engine outside the decision:
 * without them the step returns false, and the engine repeats it when they are present.  A wait for
 * a candidate is not an error; resume_thread ends it (GAP-48).
 */
bool turn_start_prepare(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct rec_task_profile *profile = route_profile_of(d, t);

	if (!context_is_read(d, t))
		return false;

	context_emit(d, th, t);
	turn_start_emit_inventory(d, th, t);
	if (!str_is(t->profile))
		route_emit_profile(d, th, t, profile);
	if (!route_emit_routing(d, th, t, profile) &&
	    d->settings->config->routing_on_no_candidate == NO_CANDIDATE_POLICY_WAIT)
		emit_candidate_wait(d, th, t);
	return true;
}

/* ---- the request ---- */

/* spec: GAP-57 — a steer is merged in the commit of the request that carries it. */
static void emit_merged(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        struct str request_id, struct str step_id)
{
	for (uint32_t i = 0; i < t->steered.count; i++) {
		const struct st_turn *s = state_thread_turn(th, t->steered.items[i]);
		struct event *ev;

		if (!s)
			continue;
		ev = decision_in_turn(EMIT(d, TURN_COMPLETED, turn_completed,
		                           .outcome = TURN_OUTCOME_MERGED,
		                           .merged_into = t->turn_id,
		                           .model_request_id = request_id, .step_id = step_id),
		                      th, s);
		ev->status = STATUS_COMPLETED;
	}
}

/* The configuration changed while the turn waited. */
static void emit_model_gone(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct str why = STR("the model of this turn is no longer configured");
	struct event *ev = decision_in_turn(
		EMIT(d, ROUTING_NOT_POSSIBLE, routing_not_possible, .candidate_count = 0,
	             .capability_gap = t->model, .decision_source = ROUTING_SOURCE_HOST_POLICY,
	             .remedy = STR("submit the turn again with another model")),
		th, t);

	ev->status = STATUS_BLOCKED;
	ev->status_reason = why;
	ev->routing_decision =
		KEPT(d, struct rec_routing_decision, .routing_mode = ROUTING_MODE_NO_CANDIDATE,
	             .decision_source = ROUTING_SOURCE_HOST_POLICY, .decision_reason = why,
	             .requested_provider = t->provider, .requested_model = t->model,
	             .capability_gap = t->model, .requires_user_override = true,
	             .limit_state_snapshot = budget_limit_state(d, t));
}

/* A child agent is offered the tools of its isolation. */
static int64_t tools_offered(const struct decision *d, const struct st_thread *th,
                             const struct st_turn *t)
{
	const struct tool_info **tools;
	size_t many = turn_tools(d->mem, d->settings, t, t->provider, &tools);
	int64_t count = 0;

	for (size_t i = 0; i < many; i++)
		count += subagent_has_tool(d->w, th->thread_id, tools[i]->name);
	return count;
}

/*
 * The last step before the outside.  A running compaction uses the turn's request; a model that is
 * no longer configured fails the turn; a full window is compacted first; a person may have to
 * consent; then the cost is reserved, and model.requested authorises the effect.  False: nothing
 * was emitted, and the turn waits for an answer or a reservation.
 */
bool turn_start_request_model(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t)
{
	const struct model_info *m = turn_model(d, t);
	struct str request_id = decision_new_id(d, "mreq");
	struct ev_model_requested p = {
		.provider = t->provider,
		.model = t->model,
		.attempt = t->failures + 1, /* consecutive, in this run */
		.request_number = t->request_number + 1,
		.message_count = 1 + th->messages + t->steered.count,
		.tool_count = tools_offered(d, th, t),
		.stream = true,
	};
	struct event *ev;

	if (turn_is_compacting(th, t))
		return compact_step(d, th, t);
	if (!m) {
		emit_model_gone(d, th, t);
		return true;
	}
	if (compact_if_full(d, th, t, m))
		return true;
	if (!route_fallback_may_stand_in(d, th, t, m) || !budget_ask_has_consent(d, th, t, m))
		return d->count > 0;
	if (th->context_is_stale)
		context_emit_again(d, th, t);
	p.max_output_tokens = sampling_max_output(m, t);
	p.provenance = t->sampling ? SAMPLING_PROVENANCE : STR_NONE;
	p.timeout_ms = m->timeout_ms;
	p.has_timeout_ms = m->timeout_ms > 0;
	switch (budget_reserve(d, th, t, request_id, context_tokens_request(d, th, t),
	                       p.max_output_tokens)) {
	case ROOM_HOLD:
		return d->count > 0;
	case ROOM_BLOCKED:
		return true;
	case ROOM_YES:
		break;
	}
	notice_repeated(d, th, t);
	for (uint32_t i = 0; i < t->steered.count; i++)
		rec_list_str_add(d->mem, &p.merged_turn_ids, t->steered.items[i]);
	ev = decision_in_turn(decision_emit_event(d, EV_MODEL_REQUESTED, &p), th, t);
	ev->model_request_id = request_id;
	ev->status = STATUS_RUNNING;
	if (t->steered.count) {
		ev->step_id = decision_new_id(d, "step");
		ev->item = turn_item(d, ev->step_id, ITEM_KIND_USER_MESSAGE, t->step_count + 1,
		                     STATUS_COMPLETED);
		emit_merged(d, th, t, request_id, ev->step_id);
	}
	/*
	 * The input of the request is not stored: the index row tells how to assemble it from the
	 * log.
	 */
	decision_add_ref(d, ev, STR("input"), decision_new_id(d, "out"));
	return true;
}
