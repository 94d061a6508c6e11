/*
 * The pack of a trial: one document that joins benchmark, run, files and score.
 *
 * Its shape is the fixture of the standard.  What is unknown is left out; what
 * only a quality owner can say is there only if the owner said it.
 * spec: contracts/benchmark-instrumentation#trial-correlation-spine
 */
#include "core/benchmark/trial.h"

#include "base/jw.h"

static void write_benchmark(struct json_writer *w, const struct trial_pack *p)
{
	struct rec_benchmark b = *p->trial->benchmark;
	struct str toml = rec_dict_get(&p->refs, STR("taskTomlRef"));

	if (!str_is(b.task_toml_ref))
		b.task_toml_ref = toml;
	JW_KEY(w, "benchmark");
	rec_write(w, &rec_benchmark_desc, &b);
}

static void write_correlation(struct json_writer *w, const struct trial_pack *p)
{
	const struct rec_trial_row *t = p->trial;

	JW_KEY(w, "runtimeCorrelation");
	jw_obj(w);
	JW_KSTR(w, "runtimeId", p->runtime_id);
	JW_KSTR(w, "sessionId", t->session_id);
	JW_KSTR(w, "threadId", t->thread_id);
	JW_KSTR(w, "turnId", t->turn_id);
	JW_KSTR(w, "taskId", t->task_id);
	JW_KSTR(w, "runId", t->run_id);
	JW_KOPT(w, "traceId", t->trace_id);
	jw_obj_end(w);
}

static void write_refs(struct json_writer *w, const struct trial_pack *p)
{
	JW_KEY(w, "refs");
	jw_obj(w);
	for (uint32_t i = 0; i < p->refs.count; i++)
		if (!str_eq(p->refs.items[i].key, STR("taskTomlRef")))
			jw_kstr(w, p->refs.items[i].key, p->refs.items[i].value);
	jw_obj_end(w);
}

static bool has_ref(const struct trial_pack *p, struct str name)
{
	return str_is(rec_dict_get(&p->refs, name));
}

static void write_metrics(struct json_writer *w, const struct trial_pack *p, bool is_complete)
{
	const struct rec_trial_row *t = p->trial;

	JW_KEY(w, "metrics");
	jw_obj(w);
	if (t->reward) {
		JW_KEY(w, "reward");
		jw_real(w, t->reward->value);
	}
	JW_KINT(w, "durationMs", t->duration_ms);
	JW_KBOOL(w, "timeout", t->timed_out);
	JW_KINT(w, "timeoutSec", t->timeout_sec);
	JW_KINT(w, "deniedSideEffectCount", t->denied_count);
	JW_KBOOL(w, "evidenceComplete", is_complete);
	if (t->tokens) {
		JW_KINT(w, "tokens", t->tokens->input_tokens + t->tokens->output_tokens);
		JW_KINT(w, "cachedTokens", t->tokens->cached_input_tokens);
	}
	if (t->has_cost_usd) {
		JW_KEY(w, "costUsd");
		jw_nano(w, t->cost_usd);
	} else {
		JW_KSTR(w, "costState", honesty_word(HONESTY_UNKNOWN));
	}
	JW_KINT(w, "artifactCount", t->artifact_count);
	JW_KOPT(w, "cleanup", t->cleanup);
	jw_obj_end(w);
}

/* What a quality owner needs; the owner's own words are passed through. */
static void write_inputs(struct json_writer *w, const struct trial_pack *p)
{
	const struct rec_trial_row *t = p->trial;
	bool is_exported = p->trajectory && str_eq(p->trajectory->export_status, STR("exported"));

	JW_KEY(w, "decisionInputs");
	jw_obj(w);
	if (p->has_p0_regressions)
		JW_KINT(w, "p0QcGateRegressionCount", p->p0_regressions);
	JW_KSTR(w, "failureCategory",
	        t->reward && str_is(t->reward->failure_category) ? t->reward->failure_category
	        : str_is(t->failure_category)                    ? t->failure_category
	                                                         : STR("none"));
	if (p->has_eligible)
		JW_KBOOL(w, "promotionEligible", p->is_eligible);
	JW_KBOOL(w, "artifactManifestPresent", has_ref(p, STR("artifactManifestRef")));
	JW_KBOOL(w, "trajectoryAtifCompatible",
	         is_exported && str_starts(p->trajectory->schema, STR("ATIF-")));
	if (t->has_separate_verifier && t->separate_verifier)
		JW_KBOOL(w, "separateVerifierTrajectoryTransferred", t->trajectory_transferred);
	jw_obj_end(w);
}

static void write_outcome(struct json_writer *w, const struct rec_trial_row *t)
{
	JW_KEY(w, "outcome");
	jw_obj(w);
	JW_KSTR(w, "status", status_word(t->status));
	JW_KOPT(w, "message", t->message);
	if (t->category)
		JW_KSTR(w, "category", error_category_word(t->category));
	JW_KINT(w, "attempt", t->attempt);
	JW_KOPT(w, "verifierStatus", t->verifier_status);
	JW_KOPT(w, "verifierRef", t->verifier_ref);
	JW_KOPT(w, "rewardSha256", t->reward_sha256);
	if (t->details_kind)
		JW_KSTR(w, "rewardDetailsKind", reward_details_word(t->details_kind));
	JW_KOPT(w, "oracleSanity", t->oracle_sanity);
	JW_KOPT(w, "drift", t->drift);
	jw_obj_end(w);
}

/* With the refs of this document, which may name copies. */
static void write_reward(struct json_writer *w, const struct trial_pack *p)
{
	struct rec_reward r = *p->trial->reward;
	struct str ref = rec_dict_get(&p->refs, STR("rewardRef"));
	struct str details = rec_dict_get(&p->refs, STR("rewardDetailsRef"));

	r.ref = str_is(ref) ? ref : r.ref;
	r.details_ref = str_is(details) ? details : r.details_ref;
	JW_KEY(w, "reward");
	rec_write(w, &rec_reward_desc, &r);
}

struct list_str trial_pack_gaps(struct arena *mem, const struct trial_pack *p)
{
	static const struct str wanted[] = {
		STR("trajectoryRef"),    STR("runtimeTranscriptRef"), STR("rewardRef"),
		STR("rewardDetailsRef"), STR("artifactManifestRef"),  STR("agentQcReportRef")
	};
	struct list_str gaps = { 0 };

	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		if (!has_ref(p, wanted[i]))
			rec_list_str_add(mem, &gaps, wanted[i]);
	if (!p->trial->reward)
		rec_list_str_add(mem, &gaps, STR("reward"));
	if (!str_is(p->trial->benchmark->harbor_job_ref))
		rec_list_str_add(mem, &gaps, STR("harborJobRef"));
	if (!str_is(p->trial->benchmark->harbor_trial_ref))
		rec_list_str_add(mem, &gaps, STR("harborTrialRef"));
	return gaps;
}

bool trial_pack_is_complete(const struct list_str *gaps)
{
	return rec_list_str_find(gaps, STR("trajectoryRef")) < 0 &&
	       rec_list_str_find(gaps, STR("rewardRef")) < 0 &&
	       rec_list_str_find(gaps, STR("rewardDetailsRef")) < 0 &&
	       rec_list_str_find(gaps, STR("artifactManifestRef")) < 0 &&
	       rec_list_str_find(gaps, STR("reward")) < 0;
}

struct str trial_pack_text(struct arena *mem, const struct trial_pack *p)
{
	struct list_str gaps = trial_pack_gaps(mem, p);
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "schemaVersion", SCHEMA_VERSION);
	write_benchmark(&w, p);
	write_correlation(&w, p);
	write_refs(&w, p);
	write_metrics(&w, p, trial_pack_is_complete(&gaps));
	write_inputs(&w, p);
	if (p->trajectory) {
		JW_KEY(&w, "trajectory");
		rec_write(&w, &rec_trajectory_desc, p->trajectory);
	}
	if (p->trial->reward)
		write_reward(&w, p);
	if (p->trial->configuration) {
		JW_KEY(&w, "configuration");
		rec_write(&w, &rec_trial_configuration_desc, p->trial->configuration);
	}
	write_outcome(&w, p->trial);
	JW_KEY(&w, "knownGaps");
	jw_arr(&w);
	for (uint32_t i = 0; i < gaps.count; i++)
		jw_str(&w, gaps.items[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}
