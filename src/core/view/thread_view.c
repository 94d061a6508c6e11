/*
 * The thread read model: the answer to "what is happening now?"
 * spec: contracts/state-snapshots#thread-read-model
 */
#include "core/notify/delivery.h"
#include "base/jw.h"
#include "core/tool/todo.h"
#include "core/view/view_part.h"

/* ---- incidents ---- */

static bool is_warning(const struct st_incident *i)
{
	return rec_enum_read(&enum_warning_category, i->kind) != 0;
}

/* It is relevant while its turn has not ended. */
static bool is_open(const struct st_thread *th, const struct st_incident *i)
{
	const struct st_turn *t = str_is(i->turn_id) ? state_thread_turn(th, i->turn_id) : NULL;

	return t && !turn_is_over(t);
}

void thread_view_incidents(struct json_writer *w, const struct st_thread *th, bool only_warnings)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	jw_arr(w);
	for (uint32_t n = 0; n < th->incidents.count; n++) {
		const struct st_incident *i = th->incidents.items[n];
		struct rec_incident row = {
			/* One event, one incident: its sequence names it. */
			.incident_id = arena_printf(mem, "inc_%lld", (long long)i->sequence),
			.kind = is_warning(i) ? STR("warning") : STR("error"),
			.category = i->kind,
			.message = str_is(i->message) ? i->message : i->kind,
			.at = i->at,
			.sequence = i->sequence,
			.open = is_open(th, i),
			.ref = i->ref,
		};

		if (!only_warnings || is_warning(i))
			rec_write(w, &rec_incident_desc, &row);
	}
	jw_arr_end(w);
}

/* Stopped is not failed: the stop was requested. */
static bool has_failed(const struct st_call *c)
{
	return call_is_over(c) && c->is_error && c->status != STATUS_CANCELLED;
}

static void write_failed_calls(struct json_writer *w, const struct st_thread *th, bool commands)
{
	jw_arr(w);
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];
		struct rec_thing call = { STR("tool_call"), c->tool_call_id };

		if (has_failed(c) && (c->kind == ITEM_KIND_COMMAND) == commands)
			rec_write(w, &rec_thing_desc, &call);
	}
	jw_arr_end(w);
}

/* `done` as long as the last turn that ended is the one that was stopped. */
static struct str interrupt_word(const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);

	if (t)
		return t->stage == TURN_STAGE_STOPPING ? STR("requested") : STR("none");
	t = th->last_outcome ? state_thread_turn(th, th->last_outcome->turn_id) : NULL;
	return t && str_is(t->stop_cause) ? STR("done") : STR("none");
}

/* A turn that a cap stopped before its request was sent. */
static void write_quota_blocks(struct json_writer *w, const struct st_thread *th)
{
	jw_arr(w);
	for (uint32_t i = 0; i < th->turns.count; i++) {
		const struct st_turn *t = th->turns.items[i];
		struct rec_limit_event blocked;

		if (!t->blocked || !t->last_error ||
		    t->last_error->category != ERROR_CATEGORY_BUDGET)
			continue;
		blocked = *t->blocked;
		blocked.provider = t->provider;
		blocked.model = t->model;
		rec_write(w, &rec_limit_event_desc, &blocked);
	}
	jw_arr_end(w);
}

/* shown_status is set only for stale and unknown tasks. */
static void write_stalled_tasks(struct json_writer *w, const struct state *state,
                                const struct st_thread *th)
{
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++) {
		const struct st_task *t = state->s->tasks.items[i];

		if (str_eq(t->record->thread_id, th->thread_id) &&
		    (t->record->status == TASK_STATUS_LOST || t->shown_status))
			jw_str(w, t->record->task_id);
	}
	jw_arr_end(w);
}

static void write_request(struct json_writer *w, struct str kind, struct str id)
{
	struct rec_thing thing = { kind, id };

	rec_write(w, &rec_thing_desc, &thing);
}

/* Everything outside that an answer is expected from. */
static void write_pending_requests(struct json_writer *w, const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);
	const struct st_action *a = NULL;

	jw_arr(w);
	if (t && str_is(t->model_request_id))
		write_request(w, STR("model_request"), t->model_request_id);
	while ((a = turn_wait_pending(th, STR_NONE, a)))
		write_request(w, STR("action"), a->action_id);
	for (uint32_t i = 0; i < th->hooks.count; i++)
		if (th->hooks.items[i]->run->status == HOOK_STATUS_RUNNING)
			write_request(w, STR("hook"), th->hooks.items[i]->run->hook_run_id);
	jw_arr_end(w);
}

/* Lists whose events no topic of this build emits. */
static void write_unavailable(struct json_writer *w)
{
	static const struct {
		const char *name;
		enum event_type source;
	} lists[] = {
		{ "failedCommands", EV_PROCESS_COMPLETED },
	};
	bool is_open = false;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		if (view_part_honesty_of(lists[i].source) != HONESTY_UNAVAILABLE)
			continue;
		if (!is_open) {
			JW_KEY(w, "unavailable");
			jw_arr(w);
			is_open = true;
		}
		jw_str(w, str_from(lists[i].name));
	}
	if (is_open)
		jw_arr_end(w);
}

/* An empty list means that nothing was recorded, not that there was no problem. */
void thread_view_diagnostics(struct json_writer *w, const struct state *state,
                             const struct st_thread *th)
{
	jw_obj(w);
	JW_KEY(w, "warnings");
	thread_view_incidents(w, th, true);
	JW_KEY(w, "failedTools");
	write_failed_calls(w, th, false);
	JW_KEY(w, "failedCommands");
	write_failed_calls(w, th, true);
	JW_KEY(w, "stalledTurns");
	jw_arr(w);
	for (uint32_t i = 0; i < th->turns.count; i++)
		if (th->turns.items[i]->stage == TURN_STAGE_LOST)
			jw_str(w, th->turns.items[i]->turn_id);
	jw_arr_end(w);
	JW_KEY(w, "stalledTasks");
	write_stalled_tasks(w, state, th);
	JW_KEY(w, "pendingRequests");
	write_pending_requests(w, th);
	JW_KEY(w, "lostWorkers");
	jw_arr(w);
	for (uint32_t i = 0; i < th->lost_workers.count; i++)
		if (str_eq(th->lost_workers.items[i]->kind, STR("run")))
			jw_str(w, th->lost_workers.items[i]->ref);
	jw_arr_end(w);
	JW_KSTR(w, "interrupt", interrupt_word(th));
	JW_KEY(w, "quotaBlocks");
	write_quota_blocks(w, th);
	PART_RAW(w, "contextGaps", str_is(th->context_missing) ? th->context_missing : STR("[]"));
	write_unavailable(w);
	jw_obj_end(w);
}

/* ---- history and context ---- */

static void take_compaction(const struct st_compaction *c, struct rec_compaction *ret)
{
	*ret = (struct rec_compaction){
		.trigger = c->trigger,
		.affected_turns = c->affected_turns,
		.summary_ref = c->summary_ref,
		.sequence = c->sequence,
		.has_sequence = true,
		.tokens_before = c->tokens_before,
		.has_tokens_before = true,
		.tokens_after = c->tokens_after,
		.has_tokens_after = true,
		.turns = c->turns,
		.has_turns = true,
		.through_sequence = c->through_sequence,
		.has_through_sequence = true,
	};
}

/* The boundary of the last compaction, and the window of turns that this view shows. */
void thread_view_history(struct json_writer *w, const struct state *state,
                         const struct st_thread *th, int64_t window)
{
	struct turn_window win = turn_view_window(th, window);

	jw_obj(w);
	JW_KINT(w, "turns", th->turn_count);
	if (th->compactions.count) {
		struct rec_compaction last;

		take_compaction(th->compactions.items[th->compactions.count - 1], &last);
		PART_REC(w, "compactionBoundary", &rec_compaction_desc, &last);
	} else {
		PART_HONEST(w, "compactionBoundary",
		            view_part_honesty_of(EV_CONTEXT_COMPACTION_COMPLETED));
	}
	JW_KEY(w, "window");
	jw_obj(w);
	JW_KINT(w, "fromSequence", win.from_sequence);
	JW_KINT(w, "toSequence", state->s->sequence);
	JW_KINT(w, "older", win.older);
	jw_obj_end(w);
	jw_obj_end(w);
}

void thread_view_context(struct json_writer *w, const struct st_thread *th)
{
	jw_obj(w);
	PART_STRS(w, "selectedRefs", &th->context_refs);
	JW_KEY(w, "compactions");
	jw_arr(w);
	for (uint32_t i = 0; i < th->compactions.count; i++) {
		struct rec_compaction c;

		take_compaction(th->compactions.items[i], &c);
		rec_write(w, &rec_compaction_desc, &c);
	}
	jw_arr_end(w);
	PART_STRS(w, "warnings", &th->context_warnings);
	PART_RAW(w, "missing", str_is(th->context_missing) ? th->context_missing : STR("[]"));
	jw_obj_end(w);
}

void view_context(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	jw_obj(w);
	JW_KSTR(w, "threadId", th->thread_id);
	JW_KEY(w, "contextBoundary");
	thread_view_context(w, th);
	JW_KEY(w, "history");
	thread_view_history(w, state, th, 0);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

static bool has_trace(const struct st_thread *th, uint32_t before, struct str trace_id)
{
	for (uint32_t i = 0; i < before; i++)
		if (str_eq(th->turns.items[i]->trace_id, trace_id))
			return true;
	return false;
}

/*
 * The session keeps the last few trace ids; with several threads only those of the turns in the
 * window can be attributed.
 */
static void write_telemetry(struct json_writer *w, const struct state *state,
                            const struct st_thread *th)
{
	bool is_traced = state->s->trace_ids.count > 0;

	jw_obj(w);
	if (view_part_is_only_thread(state)) {
		PART_STRS(w, "traceIds", &state->s->trace_ids);
	} else {
		JW_KEY(w, "traceIds");
		jw_arr(w);
		for (uint32_t i = 0; i < th->turns.count; i++) {
			struct str id = th->turns.items[i]->trace_id;

			if (str_is(id) && !has_trace(th, i, id))
				jw_str(w, id);
		}
		jw_arr_end(w);
	}
	JW_KSTR(w, "joinStatus", is_traced ? STR("joined") : STR("unavailable"));
	jw_obj_end(w);
}

/* ---- status ---- */

static void write_outcome(struct json_writer *w, const struct st_thread *th)
{
	struct rec_last_outcome o;
	const struct st_turn *t;

	if (!th->last_outcome)
		return;
	o = *th->last_outcome;
	t = state_thread_turn(th, o.turn_id);
	if (!o.category && t && t->last_error && o.status == STATUS_FAILED)
		o.category = t->last_error->category;
	PART_REC(w, "lastOutcome", &rec_last_outcome_desc, &o);
}

/* What the thread waits for at this moment, and how its last turn ended. */
static void write_now(struct json_writer *w, const struct st_thread *th)
{
	struct rec_wait wait;

	JW_KOPT(w, "activeTurnId", th->active_turn_id);
	JW_KOPT(w, "statusReason", view_reason(th));
	if (turn_wait(th, &wait))
		PART_REC(w, "wait", &rec_wait_desc, &wait);
	write_outcome(w, th);
}

/* ---- the whole model ---- */

static void write_work(struct json_writer *w, const struct state *state,
                       const struct settings *settings, const struct st_thread *th,
                       const struct view_want *want)
{
	struct turn_window win = turn_view_window(th, want->window);
	const struct st_action *a = NULL;

	JW_KEY(w, "turns");
	jw_arr(w);
	for (uint32_t i = 0; i < th->turns.count; i++)
		if (turn_view_is_shown(&win, th->turns.items[i], want->system))
			view_turn(w, state, settings, th, th->turns.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "pendingRequests");
	jw_arr(w);
	while ((a = turn_wait_pending(th, STR_NONE, a)))
		permission_view_action(w, a);
	jw_arr_end(w);
	JW_KEY(w, "queuedTurns");
	view_queued_turns(w, th);
	JW_KEY(w, "queue");
	view_queue(w, settings, th);
	JW_KEY(w, "incidents");
	thread_view_incidents(w, th, false);
	JW_KEY(w, "actions");
	jw_arr(w);
	for (uint32_t i = 0; i < th->actions.count; i++)
		permission_view_action(w, th->actions.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "toolCalls");
	jw_arr(w);
	for (uint32_t i = 0; i < th->calls.count; i++)
		view_call(w, th->calls.items[i]);
	jw_arr_end(w);
	process_view_processes(w, state, th, STR_NONE);
}

static void write_rules(struct json_writer *w, const struct state *state,
                        const struct settings *settings, const struct st_thread *th, bool is_part)
{
	const struct st_turn *t = view_part_routed_turn(th);

	JW_KEY(w, "permissionState");
	view_permission_state(w, state, settings, th, is_part);
	process_view_sandbox_state(w, state, settings);
	JW_KEY(w, "modelRouting");
	routing_view_model(w, th, settings);
	if (t) {
		routing_view_limit(w, t);
		PART_REC(w, "costState", &rec_cost_state_desc, t->cost);
	}
}

static void write_tasks(struct json_writer *w, const struct state *state,
                        const struct st_thread *th)
{
	JW_KEY(w, "tasks");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->tasks.count; i++)
		if (str_eq(state->s->tasks.items[i]->record->thread_id, th->thread_id))
			view_task(w, state, state->s->tasks.items[i]);
	jw_arr_end(w);
	JW_KEY(w, "taskGraph");
	view_task_graph(w, state, th->thread_id);
	JW_KEY(w, "blockedTasks");
	view_blocked_tasks(w, state, th->thread_id);
	if (delivery_worst(state, th->thread_id))
		task_view_delivery(w, state, th->thread_id);
}

/*
 * One object with everything about a thread, so that a client needs one request to draw it.
 * Sections that this build does not fill say so instead of being empty (GAP-67).
 */
void view_thread_with(struct json_writer *w, const struct state *state,
                      const struct settings *settings, const struct st_thread *th,
                      const struct view_want *want)
{
	jw_obj(w);
	JW_KSTR(w, "threadId", th->thread_id);
	JW_KSTR(w, "kind", thread_kind_word(th->kind ? th->kind : THREAD_KIND_MAIN));
	JW_KSTR(w, "status", thread_status_word(view_thread_status(th)));
	JW_KSTR(w, "profileStatus", status_word(view_profile_status(th)));
	write_work(w, state, settings, th, want);
	write_rules(w, state, settings, th, want->is_part);
	job_view_children(w, state, th);
	JW_KEY(w, "channels");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->channels.count; i++)
		view_channel(w, state->s->channels.items[i], want);
	jw_arr_end(w);
	JW_KEY(w, "outputs");
	view_outputs(w, state, th);
	write_tasks(w, state, th);
	JW_KEY(w, "telemetry");
	write_telemetry(w, state, th);
	JW_KEY(w, "history");
	thread_view_history(w, state, th, want->window);
	JW_KEY(w, "contextBoundary");
	thread_view_context(w, th);
	JW_KEY(w, "diagnostics");
	thread_view_diagnostics(w, state, th);
	JW_KEY(w, "evidenceSummary");
	view_evidence(w, state, th);
	todo_view(w, th);
	write_now(w, th);
	jw_obj_end(w);
}

void view_thread(struct json_writer *w, const struct state *state, const struct settings *settings,
                 const struct st_thread *th)
{
	view_thread_with(w, state, settings, th, &(const struct view_want){ 0 });
}

/* The row of list_threads. */
void view_thread_row(struct json_writer *w, const struct st_thread *th)
{
	struct rec_thread_row row = {
		.thread_id = th->thread_id,
		.kind = th->kind ? th->kind : THREAD_KIND_MAIN,
		.status = view_thread_status(th),
		.profile_status = view_profile_status(th),
		.active_turn_id = th->active_turn_id,
		.pending_actions = (int64_t)view_part_pending_count(th),
		.queued_turns = th->order.count,
		.turns = th->turn_count,
		.updated_at = th->updated_at,
	};

	rec_write(w, &rec_thread_row_desc, &row);
}
