/*
 * Folds turns: the record from which step.c derives the next step.  Only this
 * file sets the stage.
 */
#include "core/fold_part.h"
#include "base/jw.h"
#include "core/turn/turn_table.h"
#include "core/gen/tables.h"
#include "core/context/history_marks.h"
#include "core/subagent/sampling.h"
#include "core/subagent/sampling_payer.h"
#include "core/subagent/subagent.h"
#include "core/turn/turn.h"

struct st_turn *turn_fold_turn(struct state *w, const struct event *ev)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	return th ? state_thread_turn(th, ev->turn_id) : NULL;
}

/*
 * Items open, change and end with the events that carry them.  A step is found from its end,
 * because the newest one changes most often.  Beyond WINDOW_STEPS the oldest leaves the state; its
 * events stay in the log, and step_count continues to count it.
 */
void turn_fold_item(struct state *w, struct st_turn *t, const struct event *ev)
{
	const struct rec_item *item = ev->item;
	struct st_step *step = NULL;

	if (!t || !item)
		return;
	for (uint32_t i = t->steps.count; i-- > 0 && !step;)
		if (str_eq(t->steps.items[i]->step_id, item->item_id))
			step = t->steps.items[i];
	if (!step) {
		if (t->steps.count == WINDOW_STEPS)
			rec_list_remove(&t->steps, 0);
		step = rec_list_add(w->mem, &t->steps, &st_step_desc);
		step->step_id = KEEP(w, item->item_id);
		step->started_sequence = ev->sequence;
		step->kind = item->kind;
		step->index = item->index;
		step->tool_call_id = KEEP(w, ev->tool_call_id);
		t->step_count = MAX(t->step_count, item->index);
	}
	step->status = item->status;
	switch (item->status) {
	case STATUS_COMPLETED:
	case STATUS_FAILED:
	case STATUS_CANCELLED:
	case STATUS_LOST:
	case STATUS_TIMED_OUT:
		step->ended_sequence = ev->sequence;
		step->has_ended_sequence = true;
		break;
	default:
		break;
	}
}

/* ---- life of a turn ---- */

void turn_on_turn_submitted(struct state *w, const struct event *ev,
                            const struct ev_turn_submitted *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	struct st_turn *t = rec_list_add(w->mem, &th->turns, &st_turn_desc);

	t->turn_id = KEEP(w, ev->turn_id);
	t->kind = p->kind;
	t->status = ev->status;
	t->status_reason = KEEP(w, ev->status_reason);
	/*
	 * A merging turn is a steer: it waits for the next request of its target.  A queued one
	 * becomes ACCEPTED by queue.changed; any other starts at once.
	 */
	turn_table_move(w, t,
	                str_is(p->merged_into)        ? TURN_STAGE_MERGING
	                : ev->status == STATUS_QUEUED ? TURN_STAGE_QUEUED
	                                              : TURN_STAGE_ACCEPTED);
	t->task_id = KEEP(w, ev->task_id);
	t->run_id = KEEP(w, ev->run_id);
	t->attempt_id = KEEP(w, ev->attempt_id);
	t->input_ref = KEEP(w, p->input_ref);
	if (p->input.count && str_is(p->input.items[0]->preview))
		t->input_preview = KEEP(w, str_head(p->input.items[0]->preview, 200));
	for (uint32_t i = 0; i < p->input.count; i++) {
		/*
		 * An estimate of three bytes per token is enough here: the first response measures
		 * the real size.
		 */
		bool is_image = str_eq(p->input.items[i]->type, STR("image"));

		t->images += is_image;
		t->context_tokens += is_image ? IMAGE_TOKENS : (p->input.items[i]->bytes + 2) / 3;
	}
	t->input_estimate = t->context_tokens;
	t->source = KEEP(w, p->source);
	t->delivery = p->delivery;
	t->merged_into = KEEP(w, p->merged_into);
	t->config_ref = KEEP(w, p->config_ref);
	if (p->options) {
		t->cap_usd = p->options->budget_usd;
		t->has_cap_usd = p->options->has_budget_usd;
		t->requested_model = KEEP(w, p->options->model);
		t->output_schema = KEEP(w, p->options->output_schema);
		t->fallback = p->options->fallback;
		t->task_kind = KEEP(w, p->options->task_kind);
		t->latency = p->options->latency;
		t->effort = p->options->effort;
		t->instructions = KEEP(w, p->options->instructions);
		for (uint32_t i = 0; i < p->options->context.count; i++)
			rec_keep(w->mem, &rec_context_ref_desc,
			         rec_list_add(w->mem, &t->context_items, &rec_context_ref_desc),
			         p->options->context.items[i]);
		for (uint32_t i = 0; i < p->options->tools.count; i++)
			rec_keep(w->mem, &rec_client_tool_desc,
			         rec_list_add(w->mem, &t->tools, &rec_client_tool_desc),
			         p->options->tools.items[i]);
		for (uint32_t i = 0; i < p->options->requires.count; i++)
			rec_list_str_add(w->mem, &t->requires, p->options->requires.items[i]);
		if (p->options->sampling)
			t->sampling = rec_clone(w->mem, &rec_sampling_desc, p->options->sampling);
		if (p->options->call) {
			t->call_tool = KEEP(w, p->options->call->tool);
			t->call_args_ref = KEEP(w, p->options->call->arguments_ref);
			if (p->options->call->client)
				t->call_client = rec_clone(w->mem, &rec_call_client_desc,
				                           p->options->call->client);
		}
	}
	t->channel_id = KEEP(w, ev->channel_id);
	/* The longest chain counts for the session: its turns build on each other. */
	w->s->delegation_depth = MAX(w->s->delegation_depth, p->delegation_depth);
	t->submitted_at = ev->timestamp;
	t->submitted_sequence = ev->sequence;
	t->request_id = KEEP(w, ev->request_id);
	t->trace_id = KEEP(w, ev->trace_id);
	t->span_id = KEEP(w, ev->span_id);
	if (p->trace) {
		t->trace_state = KEEP(w, p->trace->state);
		t->trace_unsampled = !p->trace->sampled;
	}
	/*
	 * A system turn has no place in the queue, no number and no history (GAP-58).  The session
	 * remembers only the one that runs its start hooks, because the first user turn waits for
	 * it.
	 */
	if (p->kind == TURN_KIND_SYSTEM) {
		if (str_eq(p->cause, STR("session_start")))
			w->s->start_turn_id = t->turn_id;
		return;
	}
	/*
	 * Counted as a turn only if the target does not take it and it enters the queue
	 * (call_fold.c).
	 */
	if (str_is(p->merged_into)) {
		struct st_turn *target = state_thread_turn(th, p->merged_into);

		if (target)
			rec_list_str_add(w->mem, &target->steered, ev->turn_id);
		return;
	}
	th->turn_count++;
	w->s->turn_count++;
	t->user_turn = th->turn_count;
	turn_fold_item(w, t, ev);
	/* A turn that is not queued is active from its first event. */
	if (t->stage == TURN_STAGE_ACCEPTED)
		th->active_turn_id = t->turn_id;
}

/* The session keeps one execution environment: that of the turn that started last. */
void turn_on_turn_started(struct state *w, const struct event *ev, const struct ev_turn_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	turn_table_move(w, t, TURN_STAGE_PREPARING);
	t->status = ev->status;
	t->phase = ev->phase;
	t->started_at = ev->timestamp;
	/* A switch applies from the next turn on; the turn of a retried task begins again. */
	t->servers_off.count = 0;
	for (uint32_t i = 0; i < w->s->servers_off.count; i++)
		rec_list_str_add(w->mem, &t->servers_off, KEEP(w, w->s->servers_off.items[i]));
	if (!t->run_number) /* the turn of a retried task begins with a later attempt */
		t->run_number = 1;
	if (t->kind != TURN_KIND_SYSTEM) {
		th->active_turn_id = t->turn_id;
		/* Items, and requests of a tool server, are independent of each other. */
		if (t->kind == TURN_KIND_JOB || t->kind == TURN_KIND_SAMPLING)
			th->messages = 0;
		if (t->kind != TURN_KIND_CALL) {
			th->messages++;
			t->messages++;
		}
	}
	if (ev->execution_environment)
		w->s->environment = rec_clone(w->mem, &rec_execution_environment_desc,
		                              ev->execution_environment);
}

/* Newest first: keeps WINDOW_TURNS ended turns that people see, and half as many others. */
static void drop_oldest(struct st_thread *th)
{
	uint32_t over = 0, others = 0;

	/* Merged turns and system turns are not counted, so dropping them loses nothing. */
	for (uint32_t i = th->turns.count; i-- > 0;) {
		struct st_turn *t = th->turns.items[i];
		bool is_shown = t->user_turn != 0;

		if (turn_is_over(t) && (is_shown ? ++over : 2 * ++others) > WINDOW_TURNS)
			rec_list_remove(&th->turns, i);
	}
}

/* A grant with the scope of a turn ends with that turn (GAP-56). */
static void drop_grants(struct state *w, struct str turn_id)
{
	for (uint32_t i = 0; i < w->s->grants.count; i++)
		if (str_is(w->s->grants.items[i]->turn_id) &&
		    str_eq(w->s->grants.items[i]->turn_id, turn_id))
			rec_list_remove(&w->s->grants, i--);
}

/*
 * The sums of a task include the tasks below it.  The bound of the loop protects against a circle
 * in a damaged log.
 */
static void add_to_tasks(struct state *w, struct str task_id, int64_t spent, int64_t reserved)
{
	struct st_task *task = str_is(task_id) ? state_task(w, task_id) : NULL;

	for (int depth = 0; task && depth < 2 * LIMIT_TASK_DEPTH; depth++) {
		task->spent_usd += spent;
		task->reserved_usd += reserved;
		task = str_is(task->record->parent_task_id)
		               ? state_task(w, task->record->parent_task_id)
		               : NULL;
	}
}

/* What a child agent costs is part of the turn that made it, all the way up. */
static void add_to_parents(struct state *w, struct str thread_id, int64_t spent, int64_t reserved)
{
	const struct st_subagent *s = subagent_of_thread(w, thread_id);

	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		struct st_turn *above = str_is(s->record->parent_turn_id)
		                                ? state_turn(w, s->record->parent_turn_id, NULL)
		                                : NULL;

		if (above) {
			above->children_usd += spent;
			above->children_reserved_usd += reserved;
		}
		s = subagent_of_thread(w, s->record->parent_thread_id);
	}
}

/* Adds to every sum that a turn is part of; the turn's own is the caller's. */
static void add_cost(struct state *w, const struct st_turn *t, struct str thread_id, int64_t spent,
                     int64_t reserved)
{
	w->s->spent_usd += spent;
	w->s->reserved_usd += reserved;
	add_to_tasks(w, sampling_payer(w, t), spent, reserved);
	add_to_parents(w, thread_id, spent, reserved);
}

/*
 * Common to every end.  The reservation is released here too, for turns that end without a
 * cost.recorded.  Only the active turn changes the thread: a queued turn or a steer that is removed
 * leaves outcome and history alone.
 */
static void turn_ended(struct state *w, const struct event *ev)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	turn_table_move(w, t, TURN_STAGE_ENDED);
	t->status = ev->status;
	t->status_reason = KEEP(w, ev->status_reason);
	t->phase = 0;
	t->ended_at = ev->timestamp;
	t->ended_sequence = ev->sequence;
	t->tools.count = 0;
	if (str_is(w->s->start_turn_id) && str_eq(w->s->start_turn_id, t->turn_id))
		w->s->start_is_over = true;
	add_cost(w, t, th->thread_id, 0, -t->reserved_usd);
	t->reserved_usd = 0;
	rec_list_str_remove(&th->order, t->turn_id);
	drop_grants(w, t->turn_id);
	if (str_is(th->active_turn_id) && str_eq(th->active_turn_id, t->turn_id)) {
		th->active_turn_id = STR_NONE;
		th->wait = NULL;
		th->interrupt = STR_NONE;
		if (!th->last_outcome)
			th->last_outcome = ARENA_NEW(w->mem, struct rec_last_outcome);
		*th->last_outcome =
			(struct rec_last_outcome){ .turn_id = t->turn_id,
			                           .status = ev->status,
			                           .last_message_ref = t->last_message_ref };
		th->ended_turns++;
		/*
		 * Items of a job and requests of a tool server are independent of each other, and a
		 * call without a model is no part of a conversation: none is history for later
		 * turns.
		 */
		if (t->kind == TURN_KIND_JOB || t->kind == TURN_KIND_CALL ||
		    t->kind == TURN_KIND_SAMPLING) {
			drop_oldest(th);
			return;
		}
		history_marks_add(w, th,
		                  &(struct st_history){ .turn_id = t->turn_id,
		                                        .from_sequence = t->submitted_sequence,
		                                        .to_sequence = ev->sequence,
		                                        .tokens = t->context_tokens,
		                                        .messages = t->messages });
	}
	drop_oldest(th);
}

/* The turn never ran here; its texts are sent to models like those of other turns. */
static void turn_imported(struct state *w, const struct event *ev, struct st_turn *t,
                          const struct rec_imported_turn *from)
{
	t->messages = 1 + (from->answer_bytes > 0) + (from->record_bytes > 0);
	t->context_tokens += (from->answer_bytes + from->record_bytes + 2) / 3;
	state_thread(w, ev->thread_id)->messages += t->messages;
	if (!w->s->imported)
		return;
	w->s->imported->turns++;
	w->s->imported->digest = KEEP(w, from->digest);
}

void turn_on_turn_completed(struct state *w, const struct event *ev,
                            const struct ev_turn_completed *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && p->imported)
		turn_imported(w, ev, t, p->imported);
	if (t)
		t->last_message_ref = KEEP(w, rec_dict_get(&ev->refs, STR("lastMessage")));
	turn_ended(w, ev);
}

/* The outcome exists only if this turn was the active one, so its id is compared. */
void turn_on_turn_failed(struct state *w, const struct event *ev, const struct ev_turn_failed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && th && p->outcome == TURN_OUTCOME_CANCELLED &&
	    str_eq(th->active_turn_id, t->turn_id)) {
		/* About the size of the note that tells the model of the stop. */
		t->messages++;
		th->messages++;
		t->context_tokens += 50;
	}
	turn_ended(w, ev);
	if (th && th->last_outcome && str_eq(th->last_outcome->turn_id, ev->turn_id))
		th->last_outcome->category = p->category;
}

/* Another run of the same turn: after a crash, or with another candidate. */
void turn_on_task_attempt_started(struct state *w, const struct event *ev,
                                  const struct ev_task_attempt_started *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	/* The first run belongs to turn.started. */
	if (!t || p->attempt < 2)
		return;
	t->run_id = KEEP(w, ev->run_id);
	t->attempt_id = KEEP(w, ev->attempt_id);
	t->run_number = p->attempt;
	turn_table_move(w, t, TURN_STAGE_PREPARING);
	t->status = STATUS_PREPARING;
	t->phase = PHASE_PREPARING;
	t->status_reason = STR_NONE;
	t->failures = 0;
	t->last_error = NULL;
	state_thread(w, ev->thread_id)->wait = NULL;
	if (str_is(ev->trace_id))
		t->trace_id = KEEP(w, ev->trace_id);
}

/* run.status carries the transitions that no typed event reports (GAP-39). */
void turn_on_run_status(struct state *w, const struct event *ev, const struct ev_run_status *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	t->status = ev->status;
	t->phase = ev->phase;
	th->wait = p->wait ? rec_clone(w->mem, &rec_wait_desc, p->wait) : NULL;
	switch (p->kind) {
	case RUN_STATUS_KIND_INTERRUPT_REQUESTED:
		turn_table_move(w, t, TURN_STAGE_STOPPING);
		t->waiting_for = 0;
		t->stop_cause = KEEP(w, p->reason);
		t->queue_policy = p->queue_policy;
		if (p->requested_by)
			t->stop_by = rec_clone(w->mem, &rec_actor_desc, p->requested_by);
		th->interrupt = KEEP(w, STR("requested"));
		break;
	case RUN_STATUS_KIND_MODEL_RETRY:
	case RUN_STATUS_KIND_RATE_WAIT:
		turn_table_move(w, t, TURN_STAGE_BACKING_OFF);
		t->retry_at = p->wait ? p->wait->until : 0;
		/*
		 * The announced wait is booked at once; model.failed adds the duration of the
		 * request.
		 */
		t->retry_spent_ms += p->wait ? MAX(p->wait->until - p->wait->since, 0) : 0;
		break;
	case RUN_STATUS_KIND_RESOURCE_WAIT:
		t->waiting_for = p->wait ? p->wait->for_ : WAIT_FOR_RESOURCE;
		/* The turn continues where it is, on another node. */
		if (t->waiting_for == WAIT_FOR_NODE)
			break;
		turn_table_move(w, t, TURN_STAGE_WAITING);
		th->profile_status = STATUS_WAITING_RESOURCE;
		break;
	case RUN_STATUS_KIND_NODE_ARRIVED:
		t->waiting_for = 0;
		break;
	case RUN_STATUS_KIND_RESUME_REQUIRED:
		turn_table_move(w, t, TURN_STAGE_LOST);
		t->waiting_for = 0;
		break;
	default:
		break;
	}
}

/* The wait is over: the turn continues at its earlier stage. */
void turn_on_task_resumed(struct state *w, const struct event *ev, const struct ev_task_resumed *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t || (t->stage != TURN_STAGE_WAITING && t->waiting_for != WAIT_FOR_NODE))
		return;
	if (t->stage == TURN_STAGE_WAITING)
		turn_table_move(w, t, TURN_STAGE_PREPARING);
	t->status = STATUS_RUNNING;
	t->phase = PHASE_WORKING;
	t->waiting_for = 0;
	t->last_error = NULL;
	state_thread(w, ev->thread_id)->wait = NULL;
}

/* ---- preparation ---- */

static struct str refs_text(struct state *w, struct rec_missing_ref *const *refs, uint32_t count)
{
	struct buf out = { 0 };
	struct json_writer jw;
	struct str text;

	jw_init(&jw, &out);
	jw_arr(&jw);
	for (uint32_t i = 0; i < count; i++)
		rec_write(&jw, &rec_missing_ref_desc, refs[i]);
	jw_arr_end(&jw);
	text = KEEP(w, buf_str(&out));
	buf_done(&out);
	return text;
}

void turn_on_context_resolved(struct state *w, const struct event *ev,
                              const struct ev_context_resolved *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	th->context_refs = (struct list_str){ 0 };
	const struct list_str *kinds[] = { &p->memory_refs, &p->knowledge_refs, &p->workspace_refs,
		                           &p->browser_refs, &p->instruction_refs };

	for (size_t k = 0; k < COUNT_OF(kinds); k++)
		for (uint32_t i = 0; i < kinds[k]->count; i++)
			rec_list_str_add(w->mem, &th->context_refs, kinds[k]->items[i]);
	th->context_missing = refs_text(w, p->missing.items, p->missing.count);
	th->context_omissions = refs_text(w, p->omissions.items, p->omissions.count);
	th->context_is_stale = false;
	th->sources.count = 0;
	for (uint32_t i = 0; i < p->sources.count; i++)
		rec_keep(w->mem, &rec_context_item_desc,
		         rec_list_add(w->mem, &th->sources, &rec_context_item_desc),
		         p->sources.items[i]);
	th->agents.count = 0;
	for (uint32_t i = 0; i < p->agents.count; i++)
		rec_keep(w->mem, &rec_agent_definition_desc,
		         rec_list_add(w->mem, &th->agents, &rec_agent_definition_desc),
		         p->agents.items[i]);
}

/*
 * Only an event that carries the list sets the hash: later ones refer to it by sequence
 * (unchanged_since).
 */
void turn_on_tool_catalog_resolved(struct state *w, const struct event *ev,
                                   const struct ev_tool_catalog_resolved *p)
{
	struct str ref = rec_dict_get(&ev->refs, STR("inventory"));

	turn_fold_item(w, turn_fold_turn(w, ev), ev);
	if (str_is(ref))
		w->s->inventory_ref = KEEP(w, ref);
	if (!p->has_unchanged_since) {
		w->s->catalog_hash = KEEP(w, p->catalog_hash);
		w->s->catalog_sequence = (int64_t)ev->sequence;
	}
}

void turn_on_task_profile_resolved(struct state *w, const struct event *ev,
                                   const struct ev_task_profile_resolved *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && ev->task_profile)
		t->profile = rec_text(w->mem, &rec_task_profile_desc, ev->task_profile);
}

void routing_on_routing_candidates_resolved(struct state *w, const struct event *ev,
                                            const struct ev_routing_candidates_resolved *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && ev->candidate_model_set)
		t->candidates =
			rec_text(w->mem, &rec_candidate_model_set_desc, ev->candidate_model_set);
}

static void keep_decision(struct state *w, const struct event *ev)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t || !ev->routing_decision)
		return;
	t->decision = rec_text(w->mem, &rec_routing_decision_desc, ev->routing_decision);
	t->provider = KEEP(w, ev->routing_decision->selected_provider);
	t->model = KEEP(w, ev->routing_decision->selected_model);
}

/*
 * Marks the preparation of this run as complete. step.c compares the ids, so another run is
 * prepared again and the same run is not.
 */
void routing_on_routing_decided(struct state *w, const struct event *ev,
                                const struct ev_routing_decided *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);
	struct st_thread *th = state_thread(w, ev->thread_id);

	keep_decision(w, ev);
	if (t)
		t->prepared_run_id = t->run_id;
	if (t && th && str_is(t->provider))
		th->last_model =
			arena_printf(w->mem, "%.*s/%.*s", STR_ARG(t->provider), STR_ARG(t->model));
}

void turn_fold_failing(struct state *w, struct st_turn *t, enum error_category category,
                       struct str message, struct str remedy, bool retryable)
{
	turn_table_move(w, t, TURN_STAGE_FAILING);
	t->last_error = ARENA_NEW(w->mem, struct rec_last_error);
	t->last_error->category = category;
	t->last_error->message = KEEP(w, message);
	t->last_error->remedy = KEEP(w, remedy);
	t->last_error->retryable = retryable;
	t->last_error->has_retryable = true;
}

void routing_on_routing_not_possible(struct state *w, const struct event *ev,
                                     const struct ev_routing_not_possible *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	keep_decision(w, ev);
	if (t)
		turn_fold_failing(w, t, ERROR_CATEGORY_NO_CANDIDATE, ev->status_reason, p->remedy,
		                  true);
}

void routing_on_routing_fallback_applied(struct state *w, const struct event *ev,
                                         const struct ev_routing_fallback_applied *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (th)
		th->fallback_applied = true;
	/* For a summary: the turn keeps its own model. */
	if (th && th->compaction && str_eq(th->compaction->turn_id, ev->turn_id)) {
		struct str name = arena_printf(w->mem, "%.*s/%.*s", STR_ARG(p->from->provider),
		                               STR_ARG(p->from->model));

		rec_list_str_add(w->mem, &th->compaction->tried, name);
		th->compaction->failures = 0;
	}
}

void turn_on_runtime_error(struct state *w, const struct event *ev,
                           const struct ev_runtime_error *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (t && ev->status == STATUS_FAILED)
		turn_fold_failing(w, t, p->category, p->message, p->remedy, false);
}

/* ---- costs ---- */

static void keep_cost(struct state *w, struct st_turn *t, const struct event *ev)
{
	if (ev->cost_state)
		t->cost = rec_clone(w->mem, &rec_cost_state_desc, ev->cost_state);
	if (ev->limit_state)
		t->limit = rec_text(w->mem, &rec_limit_state_desc, ev->limit_state);
}

/*
 * The plain estimate, also where the event combines a measured size with an estimate of the rest.
 */
static void note_estimate(struct state *w, const struct event *ev, int64_t tokens)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	th->estimated_tokens =
		th->measured_tokens ? tokens - th->measured_tokens + th->measured_base : tokens;
}

/*
 * The provider's count of a request corrects the next estimate: measured_tokens is that count,
 * measured_base the estimate for the same request (context_tokens_request()).
 */
static void note_measure(struct state *w, const struct event *ev, int64_t tokens)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	/*
	 * The request for a summary has another content, so its size says nothing about the
	 * conversation.
	 */
	if (th->compaction)
		return; /* of another action */
	th->measured_tokens = tokens;
	th->measured_base = th->estimated_tokens;
}

/*
 * The reservation counts against session and tasks until cost.recorded replaces it; a crash in
 * between keeps it, because it is folded.
 */
void cost_on_cost_estimated(struct state *w, const struct event *ev,
                            const struct ev_cost_estimated *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	keep_cost(w, t, ev);
	t->estimate_open = true;
	note_estimate(w, ev, p->input_tokens);
	t->reserved_usd = p->reservation ? p->reservation->amount_usd : 0;
	t->reckoned_percent = p->reckoned_percent;
	t->has_reckoned_percent = p->has_reckoned_percent;
	t->reserved_against = (struct list_str){ 0 };
	for (uint32_t i = 0; p->reservation && i < p->reservation->accounts.count; i++)
		rec_list_str_add(w->mem, &t->reserved_against, p->reservation->accounts.items[i]);
	add_cost(w, t, ev->thread_id, 0, t->reserved_usd);
}

void cost_on_cost_recorded(struct state *w, const struct event *ev,
                           const struct ev_cost_recorded *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	keep_cost(w, t, ev);
	if (p->basis == COST_BASIS_PROVIDER_USAGE && p->has_input_tokens)
		note_measure(w, ev, p->input_tokens);
	add_cost(w, t, ev->thread_id, p->has_amount_usd ? p->amount_usd : 0, -t->reserved_usd);
	t->reserved_usd = 0;
	t->has_reckoned_percent = false;
	t->reserved_against = (struct list_str){ 0 };
	t->estimate_open = false;
	turn_cost_add(t, p);
	if (!p->has_amount_usd && p->amount_state)
		w->s->cost_unknown = true;
	/*
	 * Counters of requests with and without reported usage let a view state how complete a sum
	 * is.
	 */
	if (p->basis == COST_BASIS_ESTIMATE) {
		w->s->cost_estimated = true;
		w->s->untold_usage++;
	} else if (p->has_input_tokens) {
		w->s->told_usage++;
	}
	w->s->input_tokens += p->input_tokens;
	w->s->cached_input_tokens += p->cached_input_tokens;
	w->s->cache_write_tokens += p->cache_write_tokens;
	w->s->output_tokens += p->output_tokens;
	w->s->reasoning_tokens += p->reasoning_tokens;
}

/* ---- the model ---- */

void turn_on_model_requested(struct state *w, const struct event *ev,
                             const struct ev_model_requested *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	/*
	 * A request of the runtime itself is no step of the turn.  The summary of a compaction may
	 * use another model; that one is shown while it runs.
	 */
	if (sampling_is_aside(p)) {
		turn_table_move(w, t, TURN_STAGE_COMPACTING);
		t->phase = PHASE_COMPACTING;
		t->provider = KEEP(w, p->provider);
		t->model = KEEP(w, p->model);
	} else {
		turn_table_move(w, t, TURN_STAGE_SAMPLING);
		t->phase = PHASE_WORKING;
		t->request_number = p->request_number;
	}
	t->status = STATUS_RUNNING;
	t->model_request_id = KEEP(w, ev->model_request_id);
	t->request_sequence = ev->sequence;
	t->attempt = p->attempt;
	t->requested_at = ev->timestamp;
	t->request_timeout_ms = p->timeout_ms;
	t->first_piece_at = 0;
	/* These fields describe the response of one request. */
	t->text_step_id = t->reasoning_step_id = STR_NONE;
	t->text_preview = t->reasoning_preview = STR_NONE;
	t->text_bytes = t->reasoning_bytes = 0;
	t->retry_at = 0;
	t->sampling_hooks = t->stop_hooks = 0;
	t->stop_is_blocked = false;
	th->hook_context_refs = (struct list_str){ 0 };
	th->wait = NULL;
	/*
	 * Steers that this request carries: they are messages of the conversation now and wait no
	 * longer.
	 */
	th->messages += p->merged_turn_ids.count;
	t->messages += p->merged_turn_ids.count;
	for (uint32_t i = 0; i < p->merged_turn_ids.count; i++)
		rec_list_str_remove(&t->steered, p->merged_turn_ids.items[i]);
	turn_fold_item(w, t, ev);
	th->profile_status = STATUS_RUNNING;
}

/* Previews grow while the text is short, so that end events can quote it. */
#define PREVIEW_KEPT 200
/* Keeps a few bytes beyond the limit, so that utf8_preview() can cut at a character. */
static struct str grow_preview(struct state *w, struct str preview, struct str more)
{
	if (preview.len >= PREVIEW_KEPT)
		return preview;
	size_t take = MIN(more.len, PREVIEW_KEPT + 8 - preview.len);
	char *joined = arena_alloc(w->mem, preview.len + take + 1);

	if (preview.len)
		memcpy(joined, preview.ptr, preview.len);
	memcpy(joined + preview.len, more.ptr, take);
	return str_of(joined, preview.len + take);
}

static void fold_piece(struct state *w, struct st_turn *t, const struct event *ev)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	t->status = STATUS_STREAMING;
	t->phase = PHASE_STREAMING;
	th->profile_status = STATUS_STREAMING;
	if (!t->first_piece_at)
		t->first_piece_at = ev->timestamp;
	turn_fold_item(w, t, ev);
}

void turn_on_model_delta(struct state *w, const struct event *ev, const struct ev_model_delta *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	fold_piece(w, t, ev);
	if (!str_is(t->text_step_id)) {
		t->text_step_id = KEEP(w, ev->step_id);
		t->text_index = t->step_count;
	}
	t->text_preview = grow_preview(w, t->text_preview, p->text);
	t->text_bytes += (int64_t)p->text.len;
}

void turn_on_reasoning_delta(struct state *w, const struct event *ev,
                             const struct ev_reasoning_delta *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	fold_piece(w, t, ev);
	if (!str_is(t->reasoning_step_id)) {
		t->reasoning_step_id = KEEP(w, ev->step_id);
		t->reasoning_index = t->step_count;
	}
	t->reasoning_preview = grow_preview(w, t->reasoning_preview, p->text);
	t->reasoning_bytes += (int64_t)p->text.len;
}

void turn_on_reasoning_summary(struct state *w, const struct event *ev,
                               const struct ev_reasoning_summary *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	turn_fold_item(w, t, ev);
	t->reasoning_step_id = STR_NONE;
	t->reasoning_preview = STR_NONE;
	t->reasoning_bytes = 0;
}

/*
 * A truncated response is no result: it is continued, or the turn fails with the reason.  A
 * response that must satisfy a schema is not continued: the schema applies to one response.
 */
static void fold_cut_answer(struct state *w, struct st_turn *t, const struct ev_model_completed *p)
{
	struct st_thread *th = NULL;

	t->cut_answers++;
	if (t->cut_answers < LIMIT_ANSWER_PARTS && !str_is(t->output_schema)) {
		turn_table_move(w, t, TURN_STAGE_PREPARING);
		/* The next request informs the model of the truncation. */
		state_turn(w, t->turn_id, &th);
		th->messages++;
		t->messages++;
		/* About the size of that notice. */
		t->context_tokens += 40;
		return;
	}
	turn_fold_failing(
		w, t, ERROR_CATEGORY_OUTPUT_LIMIT,
		p->stop_reason == STOP_REASON_MAX_TOKENS
			? STR("The answer reached the limit on output tokens before it was "
	                      "whole.")
			: STR("The provider paused the answer and did not finish it."),
		STR("ask for less at once, or raise maxOutputTokens of the model"), false);
}

void turn_on_model_completed(struct state *w, const struct event *ev,
                             const struct ev_model_completed *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	turn_fold_item(w, t, ev);
	t->model_request_id = STR_NONE;
	t->retry_spent_ms = 0;
	/* The summary is no message of the conversation; compact.c handles it. */
	if (t->stage == TURN_STAGE_COMPACTING)
		return;
	t->failures = 0;
	t->status = STATUS_RUNNING;
	t->phase = PHASE_WORKING;
	state_thread(w, ev->thread_id)->profile_status = STATUS_RUNNING;
	state_thread(w, ev->thread_id)->messages++;
	t->messages++;
	if (str_is(t->text_step_id)) {
		t->last_message_step_id = t->text_step_id;
		/* The preview of a response in parts is its beginning. */
		if (!t->cut_answers || !str_is(t->last_message_preview))
			t->last_message_preview = KEEP(w, p->text ? p->text->preview : STR_NONE);
	}
	t->context_tokens += (t->text_bytes + 2) / 3;
	t->text_step_id = STR_NONE;
	/* A tool server set the limit itself, so what fits is its answer. */
	if (turn_answer_is_cut(p) && !t->sampling) {
		fold_cut_answer(w, t, p);
		return;
	}
	t->cut_answers = 0;
	if (p->tool_call_count > 0)
		turn_table_move(w, t, TURN_STAGE_ACTING);
	else if (p->stop_reason == STOP_REASON_REFUSAL)
		turn_fold_failing(w, t, ERROR_CATEGORY_REFUSAL, STR("The model refused to answer."),
		                  STR_NONE, false);
	else if (p->stop_reason == STOP_REASON_CONTEXT_FULL)
		turn_fold_failing(w, t, ERROR_CATEGORY_CONTEXT_LENGTH,
		                  STR("The conversation no longer fits the model's window."),
		                  STR_NONE, false);
	else if (str_is(p->misfit) && !t->steered.count) /* another response follows for a steer */
		turn_fold_failing(w, t, ERROR_CATEGORY_ACCEPTANCE_UNMET, p->misfit, STR_NONE, true);
	else
		turn_table_move(w, t, TURN_STAGE_FINISHING);
}

/*
 * Every failure leads to FAILING first.  Where a retry, a fallback or a compaction follows, its
 * event in the same commit moves the turn on from there.
 */
void turn_on_model_failed(struct state *w, const struct event *ev, const struct ev_model_failed *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!t)
		return;
	turn_fold_item(w, t, ev);
	t->model_request_id = STR_NONE;
	t->text_step_id = STR_NONE;
	t->retry_spent_ms += p->duration_ms;
	if (ev->status == STATUS_CANCELLED && t->text_bytes && t->stage != TURN_STAGE_COMPACTING) {
		/* What a stopped response said stays in the conversation. */
		state_thread(w, ev->thread_id)->messages++;
		t->messages++;
		t->context_tokens += (t->text_bytes + 2) / 3;
	}
	if (t->stage == TURN_STAGE_COMPACTING) {
		struct st_thread *th = state_thread(w, ev->thread_id);

		if (th->compaction) {
			th->compaction->retries++;
			th->compaction->failures++;
		}
		return;
	}
	t->failures++;
	/* A stop or a crash ended it, not the provider: that stage stays. */
	if (t->stage != TURN_STAGE_SAMPLING)
		return;
	turn_fold_failing(w, t, p->category, p->message, p->remedy, p->retryable);
}
