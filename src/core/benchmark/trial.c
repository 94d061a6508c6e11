/* Look-up of trials, and the turn that a trial is. */
#include "core/benchmark/trial.h"

STATE_CONST struct rec_trial_row *trial_find(const struct state *w, struct str trial_id)
{
	for (uint32_t i = 0; i < w->s->trials.count; i++)
		if (str_eq(w->s->trials.items[i]->trial_id, trial_id))
			return w->s->trials.items[i];
	return NULL;
}

/* A busy thread refuses the trial: time spent in a queue is not part of a benchmark. */
const struct cmd_submit_turn *trial_turn(struct arena *mem,
                                         const struct cmd_start_benchmark_trial *cmd)
{
	struct cmd_submit_turn *t = ARENA_NEW(mem, struct cmd_submit_turn);

	*t = (struct cmd_submit_turn){
		.session_id = cmd->session_id,
		.thread_id = cmd->thread_id,
		.turn_id = cmd->turn_id,
		.input = cmd->input,
		.delivery = DELIVERY_REJECT,
		.create = cmd->create,
		.title = cmd->title,
		.model = cmd->model,
		.fallback = cmd->fallback,
		.effort = cmd->effort,
		.budget_usd = cmd->budget_usd,
		.has_budget_usd = cmd->has_budget_usd,
		.labels = cmd->labels,
		.source = cmd->source,
		.cwd = cmd->cwd,
		.mode = cmd->mode,
	};
	return t;
}
