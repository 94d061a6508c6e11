/* Comparing a settled runtime with its logs, and bringing everything to an end. */
#include "trial_int.h"

#include "base/json.h"
#include "base/map.h"
#include "core/job.h"
#include "core/task.h"
#include "core/view.h"
#include "engine/internal.h"

static void compare_world(struct trial *t, const struct seen *s, const struct session *live)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str a, b;
	size_t at = 0;

	if (live->state != SESSION_LIVE || live->applied != live->durable)
		return;
	a = world_text(mem, live->world);
	b = world_text(mem, law_world(s->log));
	if (str_eq(a, b))
		return;
	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	at = at > 60 ? at - 60 : 0;
	trial_fail(t, "the live world of %.*s is not what its log folds to: …%.*s / …%.*s",
	           STR_ARG(s->id), STR_ARG(str_head(str_skip(a, at), 160)),
	           STR_ARG(str_head(str_skip(b, at), 160)));
}

static void compare_view(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a;
	struct buf out = { 0 };
	struct json_writer w;

	a = sim_call(t->sim, "get_session",
	             arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	/* A session whose recovery cannot be written cannot be shown either, for now. */
	if (!trial_lives(t) || (t->o.may_be_full && a->code == ERROR_CODE_STORAGE_FULL))
		return;
	jw_init(&w, &out);
	view_session(&w, law_world(s->log), sim_setup(t->sim));
	if (!a->is_done || a->code)
		trial_fail(t, "get_session %.*s: %.*s", STR_ARG(s->id), STR_ARG(a->body));
	else if (!str_eq(a->body, buf_str(&out)))
		trial_fail(t, "get_session %.*s is not the view of its log", STR_ARG(s->id));
	buf_done(&out);
}

/* The rows say what the log says. */
static void compare_actions(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct world *w = law_world(s->log);
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
	if (!trial_lives(t))
		return;
	if (!a->is_done || a->code || json_read_own(mem, a->body, &v, NULL) != OK ||
	    json_count(JSON_GET(v, "actions")) != pending)
		trial_fail(t, "%.*s has %zu pending actions, list_actions says %.*s",
		           STR_ARG(s->id), pending, STR_ARG(str_head(a->body, 300)));
}

/* Everything is settled: what facts say was removed is gone, unless there was no room for that. */
static bool is_trimmed(const struct trial *t, const struct seen *s, int64_t events)
{
	int64_t count = (int64_t)law_count(s->log), kept = count - (int64_t)s->floor;

	return events == kept || (t->o.may_be_full && events > kept && events <= count);
}

static void compare_chain(struct trial *t, const struct seen *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct sim_answer *a =
		sim_call(t->sim, "verify_log",
	                 arena_printf(mem, "{\"sessionId\":\"%.*s\"}", STR_ARG(s->id)).ptr);
	struct json v;

	if (!trial_lives(t))
		return;
	if (!a->is_done || a->code || json_read_own(mem, a->body, &v, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(v, "status")), STR("whole")) ||
	    !is_trimmed(t, s, json_int(JSON_GET(v, "events"), -1)))
		trial_fail(t, "verify_log %.*s of %zu events, removed through %llu: %.*s",
		           STR_ARG(s->id), law_count(s->log), (unsigned long long)s->floor,
		           STR_ARG(a->body));
}

void trial_compare(struct trial *t)
{
	for (size_t i = 0; i < t->session_count && trial_lives(t); i++) {
		struct seen *s = t->sessions[i];
		const struct session *live = map_get(&sim_engine(t->sim)->sessions, s->id);

		if (s->again != law_count(s->log))
			trial_fail(t, "the follower has %.*s through %zu of %zu", STR_ARG(s->id),
			           s->again, law_count(s->log));
		if (live)
			compare_world(t, s, live);
		if (trial_lives(t))
			compare_view(t, s);
		if (trial_lives(t))
			compare_actions(t, s);
		if (trial_lives(t))
			compare_chain(t, s);
	}
	if (trial_lives(t))
		check_rest(t, LAW_LIVE);
}

static bool has_room(const struct trial *t)
{
	int64_t max = sim_setup(t->sim)->tasks.runtime, sum = 0;

	for (size_t i = 0; i < t->session_count; i++)
		sum += tasks_under_way(law_world(t->sessions[i]->log));
	return !max || sum < max;
}

void check_rest(struct trial *t, enum law_rest how)
{
	bool room = has_room(t);
	struct error e;

	for (size_t i = 0; i < t->session_count; i++)
		law_room(t->sessions[i]->log, room);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!law_rest(t->sessions[i]->log, how, &e))
			trial_fail(t, "law of rest: %s", e.message);
}

/* ---- the end of everything ---- */

static struct str answer_to(struct trial *t, const struct seen *s, const struct st_action *a)
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

static void push_thread(struct trial *t, const struct seen *s, const struct st_thread *th,
                        unsigned round)
{
	const struct st_turn *active = thread_active(th);
	struct str thread = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"threadId\":\"%.*s\"",
	                                 STR_ARG(s->id), STR_ARG(th->thread_id));

	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i])) {
			trial_send(t, "respond_action", answer_to(t, s, th->actions.items[i]),
			           NULL);
			return;
		}
	if ((active && active->stage == TURN_STAGE_LOST) || (!active && th->held))
		trial_send(t, "resume_thread", arena_printf(t->mem, "%.*s}", STR_ARG(thread)),
		           NULL);
	else if (active && round >= 3)
		trial_send(
			t, "interrupt_turn",
			arena_printf(t->mem, "%.*s,\"queuePolicy\":\"continue\"}", STR_ARG(thread)),
			NULL);
}

static void push_task(struct trial *t, const struct seen *s, const struct st_task *task,
                      unsigned round)
{
	const struct rec_task_attempt *a = task_run(task);
	struct str head = arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"taskId\":\"%.*s\"",
	                               STR_ARG(s->id), STR_ARG(task->record->task_id));

	if (a && task_is_external(task))
		trial_send(t, "fail_task",
		           arena_printf(t->mem,
		                        "%.*s,\"runId\":\"%.*s\",\"error\":{\"category\":"
		                        "\"cancelled\",\"message\":\"the end\"}}",
		                        STR_ARG(head), STR_ARG(a->run_id)),
		           NULL);
	else if (task->record->status != TASK_STATUS_CANCELLING && round >= 2)
		trial_send(t, "cancel_task", arena_printf(t->mem, "%.*s}", STR_ARG(head)), NULL);
}

static void push_job(struct trial *t, const struct seen *s, const struct st_job *j, unsigned round)
{
	if (round >= 2)
		trial_send(t, "cancel_job",
		           arena_printf(t->mem, "{\"sessionId\":\"%.*s\",\"jobId\":\"%.*s\"}",
		                        STR_ARG(s->id), STR_ARG(j->record->job_id)),
		           NULL);
}

/* Tasks that somebody made, and jobs: the first rounds leave them to themselves. */
static bool push_work(struct trial *t, const struct seen *s, unsigned round)
{
	const struct world *w = law_world(s->log);
	bool is_open = false;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *task = w->s->tasks.items[i];

		if (task->implicit || task_status_is_end(task->record->status))
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

static bool push_all(struct trial *t, unsigned round)
{
	bool is_open = false;

	for (size_t i = 0; i < t->session_count && trial_lives(t); i++) {
		const struct world *w = law_world(t->sessions[i]->log);

		if (!push_work(t, t->sessions[i], round) && !world_is_open(w))
			continue;
		is_open = true;
		for (uint32_t n = 0; n < w->s->threads.count; n++)
			push_thread(t, t->sessions[i], w->s->threads.items[n], round);
	}
	return is_open;
}

void trial_finish(struct trial *t)
{
	struct error e;

	for (unsigned i = 0; i < TRIAL_CHANNELS; i++)
		trial_channel(t, i, false, false);
	trial_settle(t);
	for (unsigned round = 0; trial_lives(t) && push_all(t, round % 6); round++) {
		if (round == 400) {
			check_rest(t, LAW_OVER);
			trial_fail(t, "something never ends");
		}
		trial_settle(t);
		trial_run(t, 20000);
	}
	if (!trial_lives(t))
		return;
	trial_compare(t);
	readers_check(t);
	check_rest(t, LAW_OVER);
	check_marks(t);
	answers_check(t);
	for (size_t i = 0; i < t->sent_count && !t->why[0]; i++)
		if (t->sent[i]->answer && !t->sent[i]->is_answered)
			trial_fail(t, "%s %.*s was never answered", t->sent[i]->command,
			           STR_ARG(t->sent[i]->params));
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++)
		if (!law_folds(t->sessions[i]->log, sim_setup(t->sim), t->o.seed, 4, &e))
			trial_fail(t, "law: %s", e.message);
}

void trial_read_outputs(struct trial *t)
{
	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = t->sessions[i]->floor;
		     n < law_count(t->sessions[i]->log) && trial_lives(t); n++) {
			CLEANUP(arena_freep) struct arena *mem = arena_new();
			const struct event *ev = law_event(t->sessions[i]->log, n);

			for (uint32_t r = 0; r < ev->refs.count && trial_lives(t); r++) {
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
					trial_fail(t, "%.*s %lld %.*s names %.*s as %.*s: %.*s",
					           STR_ARG(ev->session_id), (long long)ev->sequence,
					           STR_ARG(event_type_word(ev->type)), STR_ARG(ref),
					           STR_ARG(ev->refs.items[r].key),
					           STR_ARG(a->body));
			}
		}
}

struct sha256 trial_digest(const struct trial *t)
{
	struct sha256 sum = { 0 };

	for (size_t i = 0; i < t->session_count; i++)
		for (size_t n = 0; n < law_count(t->sessions[i]->log); n++)
			sum = sha256_link(&sum, law_line(t->sessions[i]->log, n));
	return sum;
}
