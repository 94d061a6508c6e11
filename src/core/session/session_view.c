/*
 * The session snapshot: everything that a client needs to begin.
 * spec: contracts/state-snapshots#session-snapshot
 */
#include "core/task/task.h"
#include "core/view/view_part.h"

#include "base/jw.h"

#include <stdio.h>

/* ---- the parts that only a session has ---- */

/* A turn runs, waits for an answer or is queued. */
static bool is_active(const struct st_thread *th)
{
	return str_is(th->active_turn_id) || th->order.count || view_part_pending_count(th);
}

static void write_active_threads(struct json_writer *w, const struct st_session *s)
{
	jw_arr(w);
	for (uint32_t i = 0; i < s->threads.count; i++)
		if (is_active(s->threads.items[i]))
			jw_str(w, s->threads.items[i]->thread_id);
	jw_arr_end(w);
}

/* A client that reads from the smallest sequence sees everything that any thread left out. */
static struct turn_window session_window(const struct st_session *s, int64_t window)
{
	struct turn_window all = { .from_sequence = INT64_MAX };

	for (uint32_t i = 0; i < s->threads.count; i++) {
		struct turn_window one = turn_view_window(s->threads.items[i], window);

		all.shown += one.shown;
		all.older += one.older;
		if (one.older)
			all.from_sequence = MIN(all.from_sequence, one.from_sequence);
	}
	if (all.from_sequence == INT64_MAX)
		all.from_sequence = 1;
	return all;
}

/*
 * A page of older turns that the engine has read from the log; the window itself is in the state.
 */
static void write_page(struct json_writer *w, const struct view_page *page)
{
	jw_obj(w);
	JW_KINT(w, "fromSequence", page->from);
	JW_KINT(w, "toSequence", page->to);
	JW_KINT(w, "turns", page->turns);
	JW_KINT(w, "older", page->older);
	JW_KOPT(w, "cursor", page->cursor);
	jw_obj_end(w);
	PART_RAW(w, "history", page->history);
}

/* The engine defines the form of a cursor and reads this one back (query/history.c). */
static void write_cursor(struct json_writer *w, const struct turn_window *win)
{
	char text[64];

	snprintf(text, sizeof text, "h.%lld.%lld", (long long)win->from_sequence,
	         (long long)win->older);
	JW_KSTR(w, "cursor", str_from(text));
}

static void write_window(struct json_writer *w, const struct st_session *s,
                         const struct turn_window *win)
{
	jw_obj(w);
	JW_KINT(w, "fromSequence", win->from_sequence);
	JW_KINT(w, "toSequence", s->sequence);
	JW_KINT(w, "turns", win->shown);
	JW_KINT(w, "older", win->older);
	/* Without a cursor where retention has removed the older turns. */
	if (win->older && win->from_sequence > s->removed_through + 1)
		write_cursor(w, win);
	jw_obj_end(w);
}

/* Ended tasks that the state no longer holds are in the log. */
static bool has_dropped_tasks(const struct state *state)
{
	const struct st_session *s = state->s;
	int64_t ended = s->tasks_completed + s->tasks_failed + s->tasks_cancelled +
	                s->tasks_timed_out + s->tasks_lost;
	int64_t here = 0;

	for (uint32_t i = 0; i < s->tasks.count; i++)
		here += task_table_status_is_end(s->tasks.items[i]->record->status);
	return here >= WINDOW_TASKS && ended > here;
}

static void write_telemetry(struct json_writer *w, const struct st_session *s,
                            const struct settings *settings)
{
	struct rec_telemetry_summary t = {
		.status = s->trace_ids.count ? EVIDENCE_SIGNAL_EXPORTED
		                             : EVIDENCE_SIGNAL_NOT_RECORDED,
		.trace_ids = s->trace_ids,
		.join_status = s->trace_ids.count ? STR("joined") : STR("not_applicable"),
	};

	/* Empty, not absent: a state that was read back cannot distinguish the two. */
	static struct str nothing[1];

	if (!t.trace_ids.count)
		t.trace_ids.items = nothing;
	if (!s->trace_ids.count && !settings->config->trace)
		PART_HONEST(w, "telemetrySummary", HONESTY_UNAVAILABLE);
	else
		PART_REC(w, "telemetrySummary", &rec_telemetry_summary_desc, &t);
}

static void write_outputs(struct json_writer *w, const struct st_session *s)
{
	struct rec_output_summary o = { s->output_count, s->output_bytes, s->output_expired };

	PART_REC(w, "outputSummary", &rec_output_summary_desc, &o);
}

static void write_history(struct json_writer *w, const struct st_session *s)
{
	struct rec_history_summary h = {
		.events = s->sequence,
		.turns = s->turn_count,
		.compactions = s->compactions,
		.rollbacks = s->rollbacks,
		.degraded = s->degraded,
	};
	struct rec_import_state imported;

	if (s->missing.count)
		h.missing = s->missing;
	if (s->imported) {
		imported = *s->imported;
		h.imported = &imported;
	}

	PART_REC(w, "historySummary", &rec_history_summary_desc, &h);
}

/* Of all turns; the cost of a thread is that of its latest turn. */
static void write_cost(struct json_writer *w, const struct st_session *s)
{
	struct rec_tokens tokens = {
		.input_tokens = s->input_tokens,
		.cached_input_tokens = s->cached_input_tokens,
		.cache_write_tokens = s->cache_write_tokens,
		.has_cache_write_tokens = s->cache_write_tokens != 0,
		.output_tokens = s->output_tokens,
		.reasoning_tokens = s->reasoning_tokens,
	};
	struct rec_cost_state cost = {
		.state = s->cost_unknown     ? COST_STATUS_UNKNOWN
		         : s->cost_estimated ? COST_STATUS_ESTIMATED
		                             : COST_STATUS_RECORDED,
		.currency = STR("USD"),
		.recorded_usd = s->spent_usd,
		.reserved_usd = s->reserved_usd,
		.has_reserved_usd = s->reserved_usd != 0,
		.tokens = s->told_usage || !s->untold_usage ? &tokens : NULL,
		.tokens_state = s->untold_usage ? HONESTY_UNKNOWN : 0,
	};

	PART_REC(w, "sessionCost", &rec_cost_state_desc, &cost);
}

/* ---- the document ---- */

/* Opens a section unless the reader left it out. */
static bool section(struct json_writer *w, const struct view_want *want, struct str key)
{
	if (want->sections && rec_list_str_find(want->sections, key) < 0)
		return false;
	jw_key(w, key);
	return true;
}
#define SECTION(w, want, key) section((w), (want), STR(key))

static bool is_wanted(const struct view_want *want, struct str key)
{
	return !want->sections || rec_list_str_find(want->sections, key) >= 0;
}

/* The members that every reader gets, whatever sections it asked for. */
static void write_shell(struct json_writer *w, const struct state *state,
                        const struct settings *settings, const struct turn_window *win,
                        const struct view_page *page)
{
	const struct st_session *s = state->s;
	struct rec_account account = { .scope = STR("local") };

	JW_KSTR(w, "schemaVersion", SCHEMA_VERSION);
	JW_KSTR(w, "runtimeId", settings->runtime_id);
	JW_KSTR(w, "sessionId", s->session_id);
	JW_KOPT(w, "workspaceId", s->workspace_id);
	JW_KOPT(w, "title", s->title);
	if (s->placement)
		PART_REC(w, "placement", &rec_placement_desc, s->placement);
	PART_TIME(w, "createdAt", s->created_at);
	PART_TIME(w, "updatedAt", s->updated_at);
	JW_KINT(w, "sequence", s->sequence);
	JW_KINT(w, "foldVersion", FOLD_VERSION);
	JW_KBOOL(w, "stale", s->degraded);
	JW_KBOOL(w, "truncated", win->older > 0 || has_dropped_tasks(state));
	PART_REC(w, "account", &rec_account_desc, &account);
	JW_KEY(w, "activeThreadIds");
	write_active_threads(w, s);
	PART_STRS(w, "pinnedThreadIds", &s->pinned_thread_ids);
	JW_KEY(w, "historyWindow");
	if (page)
		write_page(w, page);
	else
		write_window(w, s, win);
}

/* is_part: the thread omits what the session shows itself. */
static void write_threads(struct json_writer *w, const struct state *state,
                          const struct settings *settings, const struct view_want *want)
{
	struct view_want part = *want;

	if (!SECTION(w, want, "threads"))
		return;
	part.is_part = true;
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++)
		view_thread_with(w, state, settings, state->s->threads.items[i], &part);
	jw_arr_end(w);
}

static void write_tasks(struct json_writer *w, const struct state *state,
                        const struct view_want *want)
{
	if (SECTION(w, want, "tasks")) {
		jw_arr(w);
		for (uint32_t i = 0; i < state->s->tasks.count; i++)
			view_task(w, state, state->s->tasks.items[i]);
		jw_arr_end(w);
	}
	if (SECTION(w, want, "taskSummary"))
		view_task_summary(w, state);
	if (SECTION(w, want, "taskGraph"))
		view_task_graph(w, state, STR_NONE);
	if (SECTION(w, want, "blockedTasks"))
		view_blocked_tasks(w, state, STR_NONE);
	if (is_wanted(want, STR("deliveryState")))
		task_view_delivery(w, state, STR_NONE);
}

/* Before its first turn, such as after an import, a session has its own directory already. */
static void write_environment(struct json_writer *w, const struct state *state,
                              const struct settings *settings)
{
	const struct rec_execution_environment *now = view_part_environment_of(state, settings);
	struct rec_execution_environment first;

	if (now && !state->s->environment && str_is(state->s->cwd)) {
		first = *now;
		first.cwd = state->s->cwd;
		now = &first;
	}
	PART_REC(w, "executionEnvironment", &rec_execution_environment_desc, now);
}

static void write_rules(struct json_writer *w, const struct state *state,
                        const struct settings *settings, const struct view_want *want)
{
	if (is_wanted(want, STR("toolInventoryRef")))
		JW_KOPT(w, "toolInventoryRef", state->s->inventory_ref);
	if (is_wanted(want, STR("executionEnvironment")))
		write_environment(w, state, settings);
	if (SECTION(w, want, "permissionState"))
		view_permission_state(w, state, settings, NULL, false);
	if (is_wanted(want, STR("sandboxState")))
		process_view_sandbox_state(w, state, settings);
	if (SECTION(w, want, "routingLimitSummary"))
		routing_view_summary(w, state, settings);
	if (is_wanted(want, STR("sessionCost")))
		write_cost(w, state->s);
}

static void write_summaries(struct json_writer *w, const struct state *state,
                            const struct settings *settings, const struct view_want *want)
{
	if (is_wanted(want, STR("subagentJobSummary")))
		job_view_subagents_and_jobs(w, state);
	if (SECTION(w, want, "channelSummary")) {
		jw_obj(w);
		output_view_channels(w, state, want);
		jw_obj_end(w);
	}
	if (is_wanted(want, STR("benchmarkSummary")))
		view_benchmark_section(w, state);
	if (is_wanted(want, STR("telemetrySummary")))
		write_telemetry(w, state->s, settings);
	if (is_wanted(want, STR("outputSummary")))
		write_outputs(w, state->s);
	if (is_wanted(want, STR("historySummary")))
		write_history(w, state->s);
	if (is_wanted(want, STR("artifactRefs")))
		output_view_artifact_refs(w, state);
	if (is_wanted(want, STR("evidenceRefs")))
		view_evidence_refs(w, state);
}

/*
 * want limits sections and the number of ended turns; all of it is a projection of the state,
 * without a look at the log.
 */
void view_session_with(struct json_writer *w, const struct state *state,
                       const struct settings *settings, const struct view_want *want)
{
	struct turn_window win = session_window(state->s, want->window);

	jw_obj(w);
	write_shell(w, state, settings, &win, want->page);
	write_threads(w, state, settings, want);
	write_tasks(w, state, want);
	write_rules(w, state, settings, want);
	write_summaries(w, state, settings, want);
	jw_obj_end(w);
}

void view_session(struct json_writer *w, const struct state *state, const struct settings *settings)
{
	view_session_with(w, state, settings, &(const struct view_want){ 0 });
}

/* ---- summary line ---- */

/* Threads that need a person come first, then running ones, then the last ended. */
static int urgency(const struct st_thread *th)
{
	switch (view_thread_status(th)) {
	case THREAD_STATUS_BLOCKED:
		return 8;
	case THREAD_STATUS_RUNNING:
		return 7;
	case THREAD_STATUS_QUEUED:
		return 6;
	case THREAD_STATUS_STALE:
	case THREAD_STATUS_UNKNOWN:
		return 5;
	case THREAD_STATUS_FAILED:
		return 4;
	case THREAD_STATUS_CANCELLED:
		return 3;
	case THREAD_STATUS_COMPLETED:
		return 2;
	default:
		return 1;
	}
}

static const struct st_thread *most_urgent(const struct st_session *s)
{
	const struct st_thread *best = NULL;

	for (uint32_t i = 0; i < s->threads.count; i++)
		if (!best || urgency(s->threads.items[i]) > urgency(best))
			best = s->threads.items[i];
	return best;
}

/*
 * The row of a list: the session has the status of its most urgent thread.  The index stores the
 * text, so lists need no fold.
 */
void view_session_row(struct json_writer *w, const struct state *state)
{
	const struct st_session *s = state->s;
	const struct st_thread *th = most_urgent(s);
	struct rec_session_row row = {
		.session_id = s->session_id,
		.title = s->title,
		.workspace_id = s->workspace_id,
		.cwd = s->cwd,
		.model = s->model,
		.permission_mode = s->permission_mode,
		.labels = s->labels,
		.status = th ? view_thread_status(th) : THREAD_STATUS_IDLE,
		.profile_status = th ? view_profile_status(th) : STATUS_IDLE,
		.threads = s->threads.count,
		.cost_usd = s->spent_usd,
		.has_cost_usd = !s->cost_unknown,
		.amount_state = s->cost_unknown ? HONESTY_UNKNOWN : 0,
		.cost_status = s->cost_estimated ? COST_STATUS_ESTIMATED : 0,
		.archived = s->archived,
		.has_archived = s->archived,
		.created_at = s->created_at,
		.updated_at = s->updated_at,
		.sequence = s->sequence,
	};

	if (th) {
		row.status_reason = view_reason(th);
		row.active_turn_id = th->active_turn_id;
		row.last_model = th->last_model;
		if (th->last_outcome && !state_thread_active(th))
			row.category = th->last_outcome->category;
	}
	for (uint32_t i = 0; i < s->threads.count; i++) {
		row.pending_actions += (int64_t)view_part_pending_count(s->threads.items[i]);
		row.queued_turns += s->threads.items[i]->order.count;
	}
	rec_write(w, &rec_session_row_desc, &row);
}
