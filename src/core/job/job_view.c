/* Child agents and jobs of a session, and whether they outlive a restart. */
#include "core/job/job.h"
#include "base/jw.h"
#include "core/subagent/subagent.h"
#include "core/turn/turn.h"
#include "core/view/view_part.h"

/* ---- of the session ---- */

/*
 * A restart ends the attempt that runs here, and the item is tried again: it
 * cannot when that attempt is its last.  An attempt at an external worker
 * goes on, and so does a child agent, by resume_subagent.
 */
static bool job_is_recoverable(const struct state *state, const struct st_job *j)
{
	for (uint32_t n = 0; n < j->running.count; n++) {
		const struct st_job_item *i = j->running.items[n];
		const struct st_thread *th = state_thread(state, i->thread_id);
		const struct st_turn *t = th ? state_thread_turn(th, i->turn_id) : NULL;

		if (i->attempts >= j->record->max_attempts && t && turn_has_effect(th, t))
			return false;
	}
	return true;
}

static void write_threads(struct json_writer *w, const struct st_session *s)
{
	JW_KEY(w, "assignedThreadIds");
	jw_arr(w);
	for (uint32_t i = 0; i < s->subagents.count; i++)
		if (!subagent_is_closed(s->subagents.items[i]))
			jw_str(w, s->subagents.items[i]->record->thread_id);
	for (uint32_t i = 0; i < s->jobs.count; i++) {
		const struct rec_job *j = s->jobs.items[i]->record;

		for (uint32_t n = 0; n < j->assigned_thread_ids.count; n++)
			if (!job_is_over(s->jobs.items[i]))
				jw_str(w, j->assigned_thread_ids.items[n]);
	}
	jw_arr_end(w);
}

/* Members only. */
static void write_members(struct json_writer *w, const struct state *state)
{
	const struct st_session *s = state->s;
	bool recoverable = true;

	if (!s->jobs.count && !s->subagents.count) {
		JW_KSTR(w, "status", honesty_word(HONESTY_NOT_APPLICABLE));
		return;
	}
	JW_KEY(w, "subagents");
	jw_arr(w);
	for (uint32_t i = 0; i < s->subagents.count; i++)
		rec_write(w, &rec_subagent_desc, s->subagents.items[i]->record);
	jw_arr_end(w);
	JW_KEY(w, "jobs");
	jw_arr(w);
	for (uint32_t i = 0; i < s->jobs.count; i++) {
		rec_write(w, &rec_job_desc, s->jobs.items[i]->record);
		recoverable &= job_is_recoverable(state, s->jobs.items[i]);
	}
	jw_arr_end(w);
	write_threads(w, s);
	JW_KBOOL(w, "recoverable", recoverable);
}

void job_view_subagents_and_jobs(struct json_writer *w, const struct state *state)
{
	JW_KEY(w, "subagentJobSummary");
	jw_obj(w);
	write_members(w, state);
	jw_obj_end(w);
}

void view_subagents_and_jobs(struct json_writer *w, const struct state *state)
{
	jw_obj(w);
	write_members(w, state);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

/* ---- of one thread ---- */

/* Its task belongs there, or it belongs to nothing but the session. */
static bool is_job_of(const struct state *state, const struct rec_job *j,
                      const struct st_thread *th)
{
	const struct st_task *t = str_is(j->task_id) ? state_task(state, j->task_id) : NULL;

	return t ? str_eq(t->record->thread_id, th->thread_id) : th == state_main_thread(state);
}

void job_view_children(struct json_writer *w, const struct state *state, const struct st_thread *th)
{
	const struct st_session *s = state->s;

	JW_KEY(w, "subagents");
	jw_arr(w);
	for (uint32_t i = 0; i < s->subagents.count; i++)
		if (str_eq(s->subagents.items[i]->record->parent_thread_id, th->thread_id))
			rec_write(w, &rec_subagent_desc, s->subagents.items[i]->record);
	jw_arr_end(w);
	JW_KEY(w, "jobs");
	jw_arr(w);
	for (uint32_t i = 0; i < s->jobs.count; i++)
		if (is_job_of(state, s->jobs.items[i]->record, th))
			rec_write(w, &rec_job_desc, s->jobs.items[i]->record);
	jw_arr_end(w);
}
