/* Comparing a settled runtime with its logs, and bringing everything to an end. */
#include "crash_run_int.h"

#include "base/json.h"
#include "base/jw.h"
#include "base/map.h"
#include "core/job/job.h"
#include "core/task/task.h"
#include "core/view/view.h"
#include "engine/engine_state.h"

static void compare_state(struct crash_run *t, const struct seen *s, const struct session *live)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str a, b;
	size_t at = 0;

	if (live->phase != SESSION_LIVE || live->applied != live->durable)
		return;
	a = state_text(mem, live->state);
	b = state_text(mem, invariant_state(s->log));
	if (str_eq(a, b))
		return;
	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	at = at > 60 ? at - 60 : 0;
	crash_run_fail(t, "the live world of %.*s is not what its log folds to: …%.*s / …%.*s",
	               STR_ARG(s->id), STR_ARG(str_head(str_skip(a, at), 160)),
	               STR_ARG(str_head(str_skip(b, at), 160)));
}

/* The session may work on after the reply: then the log has more events than the view shows. */
#define VIEWS_TRIED 5

static int64_t sequence_of(struct arena *mem, struct str view)
{
	struct json v;

	return json_read(mem, view, &v, NULL) == OK ? json_int(JSON_GET(v, "sequence"), -1) : -1;
}

/* False: the view is older than the log. */
static bool compare_view_once(struct crash_run *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	a = sim_call(t->sim, "get_session",
	             arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	/* A session whose recovery cannot be written cannot be shown either, for now. */
	if (!crash_run_lives(t) || (t->o.may_be_full && a->code == ERROR_CODE_STORAGE_FULL))
		return true;
	jw_init(&w, &out);
	view_session(&w, invariant_state(s->log), sim_settings(t->sim));
	if (!a->is_done || a->code) {
		crash_run_fail(t, "get_session %.*s: %.*s", STR_ARG(s->id), STR_ARG(a->body));
		return true;
	}
	if (str_eq(a->body, buf_str(&out)))
		return true;
	if (sequence_of(mem, a->body) < sequence_of(mem, buf_str(&out)))
		return false;
	crash_run_fail(t, "get_session %.*s is not the view of its log", STR_ARG(s->id));
	return true;
}

static void compare_view(struct crash_run *t, const struct seen *s)
{
	for (int i = 0; i < VIEWS_TRIED; i++)
		if (compare_view_once(t, s))
			return;
	crash_run_fail(t, "get_session %.*s stays behind its log", STR_ARG(s->id));
}

/* The rows say what the log says. */
static void compare_actions(struct crash_run *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct state *w = invariant_state(s->log);
	const struct sim_answer *a;
	struct json v;
	size_t pending = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++)
		for (uint32_t n = 0; n < w->s->threads.items[i]->actions.count; n++)
			pending += action_is_pending(w->s->threads.items[i]->actions.items[n]);
	a = sim_call(
		t->sim, "list_actions",
		arena_printf(mem, "{\"sessionId\":\"%.*s\",\"status\":\"pending\"}", STR_ARG(s->id))
			.ptr);
	if (!crash_run_lives(t))
		return;
	if (!a->is_done || a->code || json_read_trusted(mem, a->body, &v, NULL) != OK ||
	    json_count(JSON_GET(v, "actions")) != pending)
		crash_run_fail(t, "%.*s has %zu pending actions, list_actions says %.*s",
		               STR_ARG(s->id), pending, STR_ARG(str_head(a->body, 300)));
}

/* Everything is settled: what events say was removed is gone, unless the disk had no space for that. */
static bool is_trimmed(const struct crash_run *t, const struct seen *s, int64_t events)
{
	int64_t count = (int64_t)invariant_count(s->log), kept = count - (int64_t)s->floor;

	return events == kept || (t->o.may_be_full && events > kept && events <= count);
}

static void compare_chain(struct crash_run *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a =
		sim_call(t->sim, "verify_log",
	                 arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	struct json v;

	if (!crash_run_lives(t))
		return;
	if (!a->is_done || a->code || json_read_trusted(mem, a->body, &v, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(v, "status")), STR("whole")) ||
	    !is_trimmed(t, s, json_int(JSON_GET(v, "events"), -1)))
		crash_run_fail(t, "verify_log %.*s of %zu events, removed through %llu: %.*s",
		               STR_ARG(s->id), invariant_count(s->log),
		               (unsigned long long)s->floor, STR_ARG(a->body));
}

/* The event about the deletion may have been removed since; then it is refused. */
static void compare_deleted(struct crash_run *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str params = arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id));
	const struct sim_answer *a = sim_call(t->sim, "get_session", params.ptr);
	struct json v;

	if (crash_run_lives(t) && a->code != ERROR_CODE_SESSION_DELETED)
		crash_run_fail(t, "get_session %.*s, which was deleted: %.*s", STR_ARG(s->id),
		               STR_ARG(a->body));
	if (!crash_run_lives(t))
		return;
	a = sim_call(t->sim, "verify_log", params.ptr);
	if (!crash_run_lives(t) || a->code == ERROR_CODE_SESSION_DELETED)
		return;
	if (a->code || json_read_trusted(mem, a->body, &v, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(v, "status")), STR("removed")))
		crash_run_fail(t, "verify_log %.*s, which was deleted: %.*s", STR_ARG(s->id),
		               STR_ARG(a->body));
}

void crash_run_compare(struct crash_run *t)
{
	for (size_t i = 0; i < t->session_count && crash_run_lives(t); i++) {
		struct seen *s = t->sessions[i];
		const struct session *live = map_get(&sim_engine(t->sim)->sessions, s->id);

		if (s->is_deleted) {
			compare_deleted(t, s);
			continue;
		}
		if (s->again != invariant_count(s->log))
			crash_run_fail(t, "the follower has %.*s through %zu of %zu",
			               STR_ARG(s->id), s->again, invariant_count(s->log));
		if (live)
			compare_state(t, s, live);
		if (crash_run_lives(t))
			compare_view(t, s);
		if (crash_run_lives(t))
			compare_actions(t, s);
		if (crash_run_lives(t))
			compare_chain(t, s);
	}
	if (crash_run_lives(t))
		check_rest(t, INVARIANT_LIVE);
}

static bool has_room(const struct crash_run *t)
{
	int64_t max = sim_settings(t->sim)->tasks.runtime, sum = 0;

	for (size_t i = 0; i < t->session_count; i++)
		if (!t->sessions[i]->is_deleted)
			sum += task_run_count_under_way(invariant_state(t->sessions[i]->log));
	return !max || sum < max;
}

void check_rest(struct crash_run *t, enum invariant_rest how)
{
	bool room = has_room(t);
	struct error e;

	for (size_t i = 0; i < t->session_count; i++)
		invariant_room(t->sessions[i]->log, room);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!t->sessions[i]->is_deleted && !invariant_rest(t->sessions[i]->log, how, &e))
			crash_run_fail(t, "invariant of rest: %s", e.message);
}

/* ---- the end of everything ---- */

static struct str response_to(struct crash_run *t, const struct seen *s, const struct st_action *a)
{
	if (a->action_type == ACTION_TYPE_TOOL_PERMISSION)
		return arena_printf(
			t->mem,
			"{\"sessionId\":\"%.*s\",\"actionId\":\"%.*s\",\"decision\":\"%s\"}",
			STR_ARG(s->id), STR_ARG(a->action_id),
			rng_percent(&t->rng, 60) ? "allow" : "deny");
	return arena_printf(
		t->mem, "{\"sessionId\":\"%.*s\",\"actionId\":\"%.*s\",\"decision\":\"decline\"}",
		STR_ARG(s->id), STR_ARG(a->action_id));
}

static void push_thread(struct crash_run *t, const struct seen *s, const struct st_thread *th,
                        unsigned round)
{
	const struct st_turn *active = state_thread_active(th);
	struct str thread = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"threadId\":\"%.*s\"",
	                                 STR_ARG(s->id), STR_ARG(th->thread_id));

	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i])) {
			crash_run_send(t, "respond_action", response_to(t, s, th->actions.items[i]),
			               NULL);
			return;
		}
	if ((active && active->stage == TURN_STAGE_LOST) || (!active && th->held))
		crash_run_send(t, "resume_thread", arena_printf(t->mem, "%.*s}", STR_ARG(thread)),
		               NULL);
	else if (active && round >= 3)
		crash_run_send(
			t, "interrupt_turn",
			arena_printf(t->mem, "%.*s,\"queuePolicy\":\"continue\"}", STR_ARG(thread)),
			NULL);
}

static void push_task(struct crash_run *t, const struct seen *s, const struct st_task *task,
                      unsigned round)
{
	const struct rec_task_attempt *a = task_run(task);
	struct str head = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"taskId\":\"%.*s\"",
	                               STR_ARG(s->id), STR_ARG(task->record->task_id));

	if (a && task_is_external(task))
		crash_run_send(t, "fail_task",
		               arena_printf(t->mem,
		                            "%.*s,\"runId\":\"%.*s\",\"error\":{\"category\":"
		                            "\"cancelled\",\"message\":\"the end\"}}",
		                            STR_ARG(head), STR_ARG(a->run_id)),
		               NULL);
	else if (task->record->status != TASK_STATUS_CANCELLING && round >= 2)
		crash_run_send(t, "cancel_task", arena_printf(t->mem, "%.*s}", STR_ARG(head)),
		               NULL);
}

static void push_job(struct crash_run *t, const struct seen *s, const struct st_job *j,
                     unsigned round)
{
	if (round >= 2)
		crash_run_send(t, "cancel_job",
		               arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"jobId\":\"%.*s\"}",
		                            STR_ARG(s->id), STR_ARG(j->record->job_id)),
		               NULL);
}

/* Tasks of callers, and jobs: the first rounds leave them alone. */
static bool push_work(struct crash_run *t, const struct seen *s, unsigned round)
{
	const struct state *w = invariant_state(s->log);
	bool is_open = false;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *task = w->s->tasks.items[i];

		if (task->implicit || task_table_status_is_end(task->record->status))
			continue;
		is_open = true;
		push_task(t, s, task, round);
	}
	for (uint32_t i = 0; i < w->s->jobs.count; i++)
		if (!job_is_over(w->s->jobs.items[i])) {
			is_open = true;
			push_job(t, s, w->s->jobs.items[i], round);
		}
	return is_open;
}

static bool push_all(struct crash_run *t, unsigned round)
{
	bool is_open = false;

	for (size_t i = 0; i < t->session_count && crash_run_lives(t); i++) {
		const struct state *w = invariant_state(t->sessions[i]->log);

		if (t->sessions[i]->is_deleted)
			continue;
		if (!push_work(t, t->sessions[i], round) && !state_is_open(w))
			continue;
		is_open = true;
		for (uint32_t n = 0; n < w->s->threads.count; n++)
			push_thread(t, t->sessions[i], w->s->threads.items[n], round);
	}
	return is_open;
}

void crash_run_finish(struct crash_run *t)
{
	struct error e;

	for (unsigned i = 0; i < CRASH_RUN_CHANNELS; i++)
		crash_run_channel(t, i, false, false);
	crash_run_settle(t);
	for (unsigned round = 0; crash_run_lives(t) && push_all(t, round % 6); round++) {
		if (round == 400) {
			check_rest(t, INVARIANT_OVER);
			crash_run_fail(t, "something never ends");
		}
		crash_run_settle(t);
		crash_run_run(t, 20000);
	}
	if (!crash_run_lives(t))
		return;
	crash_run_compare(t);
	readers_check(t);
	check_rest(t, INVARIANT_OVER);
	check_marks(t);
	answers_check(t);
	for (size_t i = 0; i < t->sent_count && !t->why[0]; i++)
		if (t->sent[i]->response && !t->sent[i]->is_answered)
			crash_run_fail(t, "%s %.*s was never answered", t->sent[i]->command,
			               STR_ARG(t->sent[i]->params));
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!invariant_folds(t->sessions[i]->log, sim_settings(t->sim), t->o.seed, 4, &e))
			crash_run_fail(t, "invariant: %s", e.message);
}

void crash_run_read_outputs(struct crash_run *t)
{
	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = t->sessions[i]->floor;
		     n < invariant_count(t->sessions[i]->log) && !t->sessions[i]->is_deleted &&
		     crash_run_lives(t);
		     n++) {
			CLEANUP(arena_freep) struct arena *mem = arena_new();
			const struct event *ev = invariant_event(t->sessions[i]->log, n);

			for (uint32_t r = 0; r < ev->refs.count && crash_run_lives(t); r++) {
				struct str ref = ev->refs.items[r].value;
				const struct sim_answer *a;

				/* What could not be sealed may be gone with the power. */
				if (!str_starts(ref, STR("out_")) || map_get(t->partial, ref))
					continue;
				a = sim_call(
					t->sim, "get_output",
					arena_printf(mem, "{\"outputRef\":\"%.*s\"}", STR_ARG(ref))
						.ptr);
				/* Some are made of events, and those may have been removed. */
				if (a->code == ERROR_CODE_EXPIRED && t->sessions[i]->floor)
					continue;
				if (!a->is_done || a->code)
					crash_run_fail(
						t, "%.*s %lld %.*s names %.*s as %.*s: %.*s",
						STR_ARG(ev->session_id), (long long)ev->sequence,
						STR_ARG(event_type_word(ev->type)), STR_ARG(ref),
						STR_ARG(ev->refs.items[r].key), STR_ARG(a->body));
			}
		}
}

struct sha256 crash_run_digest(const struct crash_run *t)
{
	struct sha256 sum = { 0 };

	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = 0; n < invariant_count(t->sessions[i]->log); n++)
			sum = sha256_link(&sum, invariant_line(t->sessions[i]->log, n));
	return sum;
}
