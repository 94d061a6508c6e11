/* Views of turns, their steps and their calls. */
#include "core/view/view_part.h"

#include "base/jw.h"

/* ---- the window ---- */

static bool is_ended_user_turn(const struct st_turn *t)
{
	return turn_is_over(t) && t->user_turn;
}

/* The newest end before a given one, or 0. */
static int64_t end_before(const struct st_thread *th, int64_t sequence)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < th->turns.count; i++) {
		const struct st_turn *t = th->turns.items[i];

		if (is_ended_user_turn(t) && t->ended_sequence < sequence)
			best = MAX(best, t->ended_sequence);
	}
	return best;
}

/*
 * The newest `window` ended turns and all open ones; 0 shows all that the state holds.
 * from_sequence tells a client where to read the log for what is shown, older how many turns
 * precede it.
 */
struct turn_window turn_view_window(const struct st_thread *th, int64_t window)
{
	struct turn_window win = { .from_sequence = INT64_MAX };

	if (window > 0) {
		win.ended_from = INT64_MAX;
		for (int64_t i = 0; i < window && win.ended_from; i++)
			win.ended_from = end_before(th, win.ended_from);
	}
	for (uint32_t i = 0; i < th->turns.count; i++) {
		const struct st_turn *t = th->turns.items[i];

		if (!turn_view_is_shown(&win, t, false))
			continue;
		win.shown += t->user_turn != 0;
		win.from_sequence = MIN(win.from_sequence, t->submitted_sequence);
	}
	win.older = MAX(th->turn_count - win.shown, 0);
	if (!win.older || win.from_sequence == INT64_MAX)
		win.from_sequence = 1;
	return win;
}

bool turn_view_is_shown(const struct turn_window *win, const struct st_turn *t, bool with_system)
{
	if (t->kind == TURN_KIND_SYSTEM && !with_system)
		return false;
	return !turn_is_over(t) || t->ended_sequence >= win->ended_from;
}

/* ---- one turn ---- */

/* The last decision is that of the newest call which is still in the window. */
static void write_turn_permission(struct json_writer *w, const struct state *state,
                                  const struct settings *settings, const struct st_thread *th,
                                  const struct st_turn *t)
{
	struct rec_turn_permission_view p = { .mode = view_part_mode_of(state, settings) };
	const struct st_action *a = NULL;

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (c->permission && str_eq(c->turn_id, t->turn_id))
			p.last_decision = c->permission->decision;
	}
	jw_obj(w);
	JW_KSTR(w, "mode", permission_mode_word(p.mode));
	JW_KOPT(w, "lastDecision", approval_decision_word(p.last_decision));
	JW_KEY(w, "pendingActionIds");
	jw_arr(w);
	while ((a = turn_wait_pending(th, t->turn_id, a)))
		jw_str(w, a->action_id);
	jw_arr_end(w);
	jw_obj_end(w);
}

/* The state holds one environment: that of the turn that started last. */
static bool is_latest_start(const struct state *state, const struct st_turn *turn)
{
	if (!turn->started_at)
		return false;
	for (uint32_t i = 0; i < state->s->threads.count; i++) {
		const struct st_thread *th = state->s->threads.items[i];

		for (uint32_t n = 0; n < th->turns.count; n++)
			if (th->turns.items[n]->started_at > turn->started_at)
				return false;
	}
	return true;
}

static void write_output_rows(struct json_writer *w, const struct state *state,
                              const struct st_thread *th, const struct st_turn *t)
{
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->outputs.count; i++) {
		const struct rec_output *o = state->s->outputs.items[i];
		struct rec_output_row row = { o->output_ref, o->owner, o->size_bytes };

		if (view_part_owns_output(th, t->turn_id, o))
			rec_write(w, &rec_output_row_desc, &row);
	}
	jw_arr_end(w);
}

static void write_hooks(struct json_writer *w, const struct st_thread *th, const struct st_turn *t)
{
	JW_KEY(w, "hookRuns");
	jw_arr(w);
	for (uint32_t i = 0; i < th->hooks.count; i++)
		if (str_eq(th->hooks.items[i]->turn_id, t->turn_id))
			rec_write(w, &rec_hook_run_desc, th->hooks.items[i]->run);
	jw_arr_end(w);
}

void view_turn(struct json_writer *w, const struct state *state, const struct settings *settings,
               const struct st_thread *th, const struct st_turn *t)
{
	jw_obj(w);
	JW_KSTR(w, "turnId", t->turn_id);
	JW_KOPT(w, "kind", turn_kind_word(t->kind));
	JW_KSTR(w, "status", status_word(turn_wait_status(t)));
	JW_KOPT(w, "statusReason", t->status_reason);
	JW_KOPT(w, "taskId", t->task_id);
	JW_KOPT(w, "runId", t->run_id);
	JW_KOPT(w, "attemptId", t->attempt_id);
	JW_KOPT(w, "mergedInto", t->merged_into);
	JW_KOPT(w, "inputRef", t->input_ref);
	PART_TIME(w, "startedAt", t->started_at);
	PART_LIST(w, "steps", &st_step_desc, &t->steps);
	PART_RAW(w, "taskProfile", t->profile);
	PART_RAW(w, "candidateModelSet", t->candidates);
	PART_RAW(w, "routingDecision", t->decision);
	JW_KEY(w, "permissionState");
	write_turn_permission(w, state, settings, th, t);
	PART_REC(w, "executionEnvironment", &rec_execution_environment_desc,
	         is_latest_start(state, t) ? state->s->environment : NULL);
	PART_REC(w, "costState", &rec_cost_state_desc, t->cost);
	routing_view_limit(w, t);
	write_hooks(w, th, t);
	process_view_processes(w, state, th, t->turn_id);
	JW_KEY(w, "outputRefs");
	write_output_rows(w, state, th, t);
	PART_TIME(w, "completedAt", t->ended_at);
	/* The thread keeps one sandbox profile: that of the last sandboxed call. */
	if (str_is(th->cage_turn_id) && str_eq(th->cage_turn_id, t->turn_id))
		PART_REC(w, "sandboxProfile", &rec_sandbox_profile_desc, th->cage);
	jw_obj_end(w);
}

/* ---- one call ---- */

void view_call(struct json_writer *w, const struct st_call *c)
{
	jw_obj(w);
	JW_KSTR(w, "toolCallId", c->tool_call_id);
	JW_KSTR(w, "stepId", c->step_id);
	JW_KSTR(w, "turnId", c->turn_id);
	JW_KSTR(w, "toolName", c->tool_name);
	JW_KSTR(w, "status", status_word(c->status ? c->status : STATUS_UNKNOWN));
	PART_REC(w, "permissionDecision", &rec_permission_decision_desc, c->permission);
	PART_STRS(w, "hookRunIds", &c->hook_run_ids);
	JW_KSTR(w, "executed", executed_word(c->executed ? c->executed : EXECUTED_UNKNOWN));
	JW_KOPT(w, "category", error_category_word(c->category));
	JW_KOPT(w, "sandboxMode", sandbox_mode_word(c->sandbox_mode));
	JW_KOPT(w, "outputRef", c->output_ref);
	if (c->has_exit_code)
		JW_KINT(w, "exitCode", c->exit_code);
	if (c->is_error)
		JW_KBOOL(w, "isError", true);
	if (c->has_duration_ms)
		JW_KINT(w, "durationMs", c->duration_ms);
	jw_obj_end(w);
}
