/* Child agents and jobs of a session, as its snapshot shows them. */
#include "core/job.h"
#include "core/view_part.h"

/* A job in the middle of its items goes on from its cursor after a restart. */
void part_subagents_and_jobs(struct json_writer *w, const struct world *world)
{
	const struct st_session *s = world->s;

	if (!s->jobs.count && !s->subagents.count) {
		PART_HONEST(w, "subagentJobSummary", HONESTY_NOT_APPLICABLE);
		return;
	}
	JW_KEY(w, "subagentJobSummary");
	jw_obj(w);
	JW_KEY(w, "subagents");
	jw_arr(w);
	for (uint32_t i = 0; i < s->subagents.count; i++)
		rec_write(w, &rec_subagent_desc, s->subagents.items[i]->record);
	jw_arr_end(w);
	JW_KEY(w, "jobs");
	jw_arr(w);
	for (uint32_t i = 0; i < s->jobs.count; i++)
		rec_write(w, &rec_job_desc, s->jobs.items[i]->record);
	jw_arr_end(w);
	JW_KEY(w, "assignedThreadIds");
	jw_arr(w);
	for (uint32_t i = 0; i < s->jobs.count; i++)
		for (uint32_t n = 0; n < s->jobs.items[i]->record->assigned_thread_ids.count; n++)
			jw_str(w, s->jobs.items[i]->record->assigned_thread_ids.items[n]);
	jw_arr_end(w);
	JW_KBOOL(w, "recoverable", true);
	jw_obj_end(w);
}
