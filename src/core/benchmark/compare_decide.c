/*
 * compare_benchmark_runs: records the numbers, and whose decision followed from them.
 * spec: contracts/benchmark-instrumentation#control-plane-support
 */
#include "core/benchmark/compare.h"

#include "base/jw.h"
#include "core/gen/tables.h"

/* spec: BEN-15 — a decision without a source would be one of the runtime. */
static bool has_source(struct decision *d, const struct cmd_compare_benchmark_runs *cmd)
{
	if (str_is(cmd->decision) && cmd->decision.len && !cmd->decision_source.len)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD,
		                "decisionSource: a decision needs its source");
	else if (cmd->has_p0_qc_gate_regression_count && cmd->p0_qc_gate_regression_count < 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "p0QcGateRegressionCount: not negative");
	return !d->refusal;
}

/* The count of the caller, else the sum over the candidate's packs if all of them have one. */
static void take_regressions(const struct cmd_compare_benchmark_runs *cmd, const struct compare *c,
                             struct rec_comparison *r)
{
	r->p0_qc_gate_regression_count = cmd->p0_qc_gate_regression_count;
	r->has_p0_qc_gate_regression_count = cmd->has_p0_qc_gate_regression_count;
	if (cmd->has_p0_qc_gate_regression_count)
		return;
	r->has_p0_qc_gate_regression_count = true;
	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];

		if (!str_eq(t->benchmark->configuration_id, c->candidate))
			continue;
		if (!t->has_p0_qc_gate_regression_count)
			r->has_p0_qc_gate_regression_count = false;
		else
			r->p0_qc_gate_regression_count += t->p0_qc_gate_regression_count;
	}
	if (!r->has_p0_qc_gate_regression_count)
		r->p0_qc_gate_regression_count = 0;
}

/* The comparison with the trials that it is made of, so that the numbers can be made again. */
static struct str document_of(struct decision *d, const struct compare *c,
                              const struct rec_comparison *r, const struct rec_benchmark *b)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "schemaVersion", SCHEMA_VERSION);
	JW_KEY(&w, "benchmark");
	rec_write(&w, &rec_benchmark_desc, b);
	JW_KSTR(&w, "baselineConfigurationId", c->baseline);
	JW_KSTR(&w, "candidateConfigurationId", c->candidate);
	JW_KEY(&w, "comparison");
	rec_write(&w, &rec_comparison_desc, r);
	JW_KEY(&w, "trials");
	jw_arr(&w);
	for (size_t i = 0; i < c->count; i++)
		if (str_eq(c->trials[i]->benchmark->configuration_id, c->baseline) ||
		    str_eq(c->trials[i]->benchmark->configuration_id, c->candidate))
			rec_write(&w, &rec_trial_row_desc, c->trials[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	text = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static const struct rec_benchmark *candidate_of(const struct compare *c)
{
	const struct rec_benchmark *own = NULL;

	for (size_t i = 0; i < c->count && !own; i++)
		if (str_eq(c->trials[i]->benchmark->configuration_id, c->candidate))
			own = c->trials[i]->benchmark;
	return own;
}

/* What differs, as the caller or the candidate's first trial says. */
static struct str said_of(const struct compare *c, const struct cmd_compare_benchmark_runs *cmd)
{
	return str_is(cmd->single_changed_variable) ? cmd->single_changed_variable
	                                            : candidate_of(c)->single_changed_variable;
}

static struct rec_benchmark *benchmark_of(struct decision *d, const struct compare *c,
                                          const struct cmd_compare_benchmark_runs *cmd,
                                          const struct rec_comparison *r)
{
	const struct rec_benchmark *own = candidate_of(c);
	struct str said = said_of(c, cmd);

	return KEPT(d, struct rec_benchmark, .dataset_id = own->dataset_id,
	            .dataset_version = own->dataset_version, .dataset_ref = own->dataset_ref,
	            .configuration_id = c->candidate, .role = TRIAL_ROLE_CANDIDATE,
	            .single_changed_variable = str_is(said) ? said
	                                       : r->changed_variables.count
	                                               ? r->changed_variables.items[0]
	                                               : STR_NONE);
}

static void emit_comparison(struct decision *d, const struct cmd_compare_benchmark_runs *cmd,
                            struct rec_benchmark *b, struct rec_comparison *r, struct str ref)
{
	struct event *ev = EMIT(d, BENCHMARK_COMPARISON_COMPLETED, benchmark_comparison_completed,
	                        .baseline_configuration_id = cmd->baseline_configuration_id,
	                        .candidate_configuration_id = cmd->candidate_configuration_id,
	                        .trials = r->baseline_trials + r->candidate_trials,
	                        .decision = cmd->decision, .decision_source = cmd->decision_source,
	                        .remaining_risk = cmd->remaining_risk);

	ev->benchmark = b;
	ev->comparison = r;
	decision_add_ref(d, ev, STR("comparisonRef"), ref);
	if (str_is(cmd->report_ref))
		decision_add_ref(d, ev, STR("reportRef"), cmd->report_ref);
}

static struct compare trials_of(const struct decision *d,
                                const struct cmd_compare_benchmark_runs *cmd)
{
	struct compare c = { .baseline = cmd->baseline_configuration_id,
		             .candidate = cmd->candidate_configuration_id };

	c.count = cmd->trials.items ? cmd->trials.count : d->w->s->trials.count;
	c.trials = cmd->trials.items ? (const struct rec_trial_row *const *)cmd->trials.items
	                             : (const struct rec_trial_row *const *)d->w->s->trials.items;
	return c;
}

void decide_compare_benchmark_runs(struct decision *d, const struct cmd_compare_benchmark_runs *cmd)
{
	struct compare c = trials_of(d, cmd);
	struct rec_comparison *r = ARENA_NEW(d->mem, struct rec_comparison);
	struct rec_benchmark *b;
	enum error_code code;
	struct str why, ref;

	if (!has_source(d, cmd))
		return;
	code = compare_check(d->mem, &c, &why);
	if (!code)
		code = compare_check_named(d->mem, &c, said_of(&c, cmd), &why);
	if (code) {
		decision_refuse(d, code, "%.*s", STR_ARG(why));
		return;
	}
	compare_result(d->mem, &c, r);
	take_regressions(cmd, &c, r);
	r->decision = cmd->decision;
	r->decision_source = cmd->decision_source;
	r->remaining_risk = cmd->remaining_risk;
	b = benchmark_of(d, &c, cmd, r);
	ref = decision_new_blob(d, STR("application/json"), document_of(d, &c, r, b));
	emit_comparison(d, cmd, b, r, ref);
	d->reply = rec_text(
		d->mem, &reply_compare_benchmark_runs_desc,
		&(struct reply_compare_benchmark_runs){ .comparison = r, .comparison_ref = ref });
}
