/* Adds trials to the cell of their task and configuration. */
#include "core/benchmark/matrix.h"

#include "core/benchmark/compare.h"
#include "core/benchmark/trial.h"

void matrix_init(struct matrix *m, struct arena *mem, size_t limit)
{
	*m = (struct matrix){ .mem = mem, .limit = limit };
}

void matrix_done(struct matrix *m)
{
	map_done(&m->by_key);
}

/* ---- datasets ---- */

static void count_set(struct matrix *m, const struct rec_benchmark *b)
{
	struct rec_trial_set *s;

	for (size_t i = 0; i < m->set_count; i++)
		if (str_eq(m->sets[i]->dataset_id, b->dataset_id) &&
		    str_eq(m->sets[i]->dataset_version, b->dataset_version)) {
			m->sets[i]->trials++;
			return;
		}
	if (m->set_count == MATRIX_SETS)
		return;
	s = ARENA_NEW(m->mem, struct rec_trial_set);
	*s = (struct rec_trial_set){ .dataset_id = arena_keep(m->mem, b->dataset_id),
		                     .dataset_version = arena_keep(m->mem, b->dataset_version),
		                     .trials = 1 };
	m->sets[m->set_count++] = s;
}

/* Is the row of the dataset that is shown?  What the caller left open is that of the first row. */
static bool is_shown(struct matrix *m, const struct rec_benchmark *b)
{
	if (!str_is(m->dataset_id))
		m->dataset_id = arena_keep(m->mem, b->dataset_id);
	if (!str_eq(m->dataset_id, b->dataset_id))
		return false;
	if (!str_is(m->dataset_version))
		m->dataset_version = arena_keep(m->mem, b->dataset_version);
	return str_eq(m->dataset_version, b->dataset_version);
}

/* ---- cells ---- */

static struct matrix_cell *new_cell(struct matrix *m, struct str key, const struct rec_benchmark *b)
{
	struct matrix_cell *c = ARENA_NEW(m->mem, struct matrix_cell);

	c->row.task_id = arena_keep(m->mem, b->task_id);
	c->row.configuration_id = arena_keep(m->mem, b->configuration_id);
	map_put(&m->by_key, arena_keep(m->mem, key), c);
	if (m->last)
		m->last->next = c;
	else
		m->first = c;
	m->last = c;
	return c;
}

/* NULL: beyond the limit.  The length keeps (a, bc) apart from (ab, c). */
static struct matrix_cell *cell_of(struct matrix *m, struct arena *scratch,
                                   const struct rec_benchmark *b)
{
	struct str key = arena_printf(scratch, "%zu:%.*s%.*s", b->task_id.len, STR_ARG(b->task_id),
	                              STR_ARG(b->configuration_id));
	struct matrix_cell *c = map_get(&m->by_key, key);

	if (c || m->by_key.count >= m->limit)
		return c;
	return new_cell(m, key, b);
}

static void name_trial(struct matrix *m, struct rec_trial_cell *row, const struct rec_trial_row *t)
{
	struct rec_trial_ref *ref;

	if (row->newest.count >= MATRIX_NEWEST)
		return;
	ref = rec_list_add(m->mem, &row->newest, &rec_trial_ref_desc);
	*ref = (struct rec_trial_ref){ .trial_id = arena_keep(m->mem, t->trial_id),
		                       .session_id = arena_keep(m->mem, t->session_id),
		                       .thread_id = arena_keep(m->mem, t->thread_id),
		                       .turn_id = arena_keep(m->mem, t->turn_id),
		                       .status = t->status,
		                       .has_reward = t->reward && t->reward->has_value,
		                       .reward = t->reward ? t->reward->value : 0 };
}

/* Welford's method: one pass, and no loss where rewards are large and alike. */
static void add_reward(struct matrix_cell *c, double value)
{
	double before = value - c->row.mean_reward;

	c->row.scored++;
	c->row.has_mean_reward = true;
	c->row.mean_reward += before / (double)c->row.scored;
	c->squares += before * (value - c->row.mean_reward);
}

static void add_use(struct matrix_cell *c, const struct rec_trial_row *t)
{
	c->lacks_cost = c->lacks_cost || !t->has_cost_usd;
	c->cost += t->has_cost_usd ? t->cost_usd : 0;
	c->lacks_tokens = c->lacks_tokens || !t->tokens;
	c->tokens += t->tokens ? t->tokens->input_tokens + t->tokens->output_tokens : 0;
	c->duration += t->duration_ms;
}

void matrix_add(struct matrix *m, struct arena *scratch, const struct rec_trial_row *t)
{
	struct matrix_cell *c;

	m->trials++;
	count_set(m, t->benchmark);
	if (!is_shown(m, t->benchmark))
		return;
	c = cell_of(m, scratch, t->benchmark);
	if (!c) {
		m->omitted++;
		return;
	}
	c->row.trials++;
	name_trial(m, &c->row, t);
	if (!trial_is_over(t)) {
		c->row.running++;
		return;
	}
	c->row.failed += t->status == STATUS_FAILED;
	add_use(c, t);
	if (t->reward && t->reward->has_value)
		add_reward(c, t->reward->value);
	else
		c->row.unscored++;
}

/* ---- the result ---- */

const struct rec_trial_cell *matrix_cell_row(struct matrix_cell *c)
{
	struct rec_trial_cell *row = &c->row;
	int64_t ended = row->trials - row->running;

	row->has_reward_std_dev = row->scored > 1;
	if (row->has_reward_std_dev)
		row->reward_std_dev = compare_root(c->squares / (double)(row->scored - 1));
	row->has_mean_cost_usd = ended && !c->lacks_cost;
	row->has_mean_tokens = ended && !c->lacks_tokens;
	row->has_mean_duration_ms = ended > 0;
	if (!ended)
		return row;
	row->mean_cost_usd = row->has_mean_cost_usd ? c->cost / ended : 0;
	row->mean_tokens = row->has_mean_tokens ? (double)c->tokens / (double)ended : 0;
	row->mean_duration_ms = (double)c->duration / (double)ended;
	return row;
}
