/* benchmark_summary: the trials of a session and the latest comparison. */
#include "core/view/view_part.h"

static void write_members(struct json_writer *w, const struct state *state)
{
	const struct st_session *s = state->s;

	if (!s->trials.count && !s->comparison)
		JW_KSTR(w, "status", honesty_word(HONESTY_NOT_APPLICABLE));
	if (s->trials.count)
		PART_LIST(w, "trials", &rec_trial_row_desc, &s->trials);
	if (s->comparison)
		PART_REC(w, "comparison", &rec_comparison_desc, s->comparison);
}

void view_benchmark(struct json_writer *w, const struct state *state)
{
	jw_obj(w);
	write_members(w, state);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}

void view_benchmark_section(struct json_writer *w, const struct state *state)
{
	JW_KEY(w, "benchmarkSummary");
	jw_obj(w);
	write_members(w, state);
	jw_obj_end(w);
}
