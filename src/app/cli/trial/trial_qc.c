/*
 * An Agent QC experiment (qc-benchmark 0.5.0) from a comparison.
 *
 * The runtime knows what happened and makes no verdict: a trial that ended is
 * `needs-review`, one at its timeout `exhausted`.  A decision is there only if
 * the comparison has one.
 */
#include "app/cli/trial/trial_verbs.h"

#include "base/hash/sha256.h"

static struct str or_else(struct str text, struct str otherwise)
{
	return str_is(text) && text.len ? text : otherwise;
}

static void put_dataset(struct json_writer *w, struct json b)
{
	struct str id = json_str(JSON_GET(b, "datasetId"));

	JW_KEY(w, "dataset");
	jw_obj(w);
	JW_KSTR(w, "id", id);
	JW_KSTR(w, "version", json_str(JSON_GET(b, "datasetVersion")));
	JW_KSTR(w, "source", or_else(json_str(JSON_GET(b, "datasetRef")), id));
	JW_KSTR(w, "selection_policy", STR("named"));
	jw_obj_end(w);
}

static struct json first_of(struct json trials, struct str configuration)
{
	struct json_iter it = json_iter(trials);
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(JSON_GET(row, "benchmark"), "configurationId")),
		           configuration))
			return row;
	return (struct json){ 0 };
}

static void put_configuration(struct json_writer *w, struct json doc, const char *key,
                              const char *role)
{
	struct str id = json_str(json_get(doc, str_from(key)));
	struct json c = JSON_GET(first_of(JSON_GET(doc, "trials"), id), "configuration");
	struct json profiles = JSON_GET(c, "profiles");

	jw_obj(w);
	JW_KSTR(w, "id", id);
	JW_KSTR(w, "role", str_from(role));
	JW_KOPT(w, "runtime_version", json_str(JSON_GET(c, "runtimeVersion")));
	JW_KOPT(w, "model_profile", json_str(JSON_GET(c, "model")));
	JW_KOPT(w, "prompt_profile", json_str(JSON_GET(profiles, "promptProfile")));
	JW_KOPT(w, "tool_profile", json_str(JSON_GET(profiles, "toolProfile")));
	JW_KOPT(w, "context_policy", json_str(JSON_GET(profiles, "contextProfile")));
	JW_KOPT(w, "agent_profile", json_str(JSON_GET(profiles, "agent")));
	jw_obj_end(w);
}

/* Is it the first trial of its task? */
static bool opens_task(struct json trials, struct json trial)
{
	struct str task = json_str(JSON_GET(JSON_GET(trial, "benchmark"), "taskId"));
	struct json_iter it = json_iter(trials);
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(JSON_GET(row, "benchmark"), "taskId")), task))
			return row.val == trial.val;
	return false;
}

static void put_words(struct json_writer *w, const char *key, const char *const *words)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (; *words; words++)
		jw_str(w, str_from(*words));
	jw_arr_end(w);
}

static void put_task(struct json_writer *w, struct json row)
{
	static const char *const gates[] = { "benchmark-eval", NULL };
	static const char *const evidence[] = { "trajectory", "reward", "reward-details",
		                                "artifact-manifest", NULL };
	struct json b = JSON_GET(row, "benchmark"), refs = JSON_GET(row, "refs");
	struct str toml = or_else(json_str(JSON_GET(b, "taskTomlRef")),
	                          json_str(JSON_GET(refs, "taskTomlRef")));

	jw_obj(w);
	JW_KSTR(w, "id", json_str(JSON_GET(b, "taskId")));
	JW_KSTR(w, "instruction_ref", or_else(json_str(JSON_GET(refs, "input")), STR("unknown")));
	JW_KSTR(w, "verifier", or_else(json_str(JSON_GET(row, "verifierRef")), STR("unknown")));
	put_words(w, "required_gates", gates);
	put_words(w, "required_evidence", evidence);
	if (str_is(toml)) {
		JW_KEY(w, "harbor_task");
		jw_obj(w);
		JW_KSTR(w, "task_toml_ref", toml);
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

static struct str status_of(struct json row)
{
	return json_bool(JSON_GET(row, "timedOut"), false)                ? STR("exhausted")
	       : str_eq(json_str(JSON_GET(row, "status")), STR("failed")) ? STR("failed")
	                                                                  : STR("needs-review");
}

static void put_correlation(struct json_writer *w, struct json row)
{
	static const char *const ids[] = { "sessionId", "threadId", "turnId",
		                           "taskId",    "runId",    "traceId" };

	JW_KEY(w, "runtime_correlation");
	jw_obj(w);
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		jw_kopt(w, str_from(ids[i]), json_str(json_get(row, str_from(ids[i]))));
	jw_obj_end(w);
}

static void put_cost(struct json_writer *w, struct json row)
{
	struct json tokens = JSON_GET(row, "tokens"), cost = JSON_GET(row, "costUsd");

	if (!json_is(tokens) && !json_is(cost))
		return;
	JW_KEY(w, "cost");
	jw_obj(w);
	if (json_is(tokens))
		JW_KINT(w, "tokens",
		        json_int(JSON_GET(tokens, "inputTokens"), 0) +
		                json_int(JSON_GET(tokens, "outputTokens"), 0));
	if (json_is(cost)) {
		JW_KEY(w, "cost_usd");
		jw_value(w, cost);
	}
	jw_obj_end(w);
}

static void put_trial(struct json_writer *w, struct json row)
{
	struct json b = JSON_GET(row, "benchmark"), refs = JSON_GET(row, "refs");
	struct json reward = JSON_GET(JSON_GET(row, "reward"), "value");

	jw_obj(w);
	JW_KSTR(w, "trial_id", json_str(JSON_GET(row, "trialId")));
	JW_KSTR(w, "task_id", json_str(JSON_GET(b, "taskId")));
	JW_KSTR(w, "configuration_id", json_str(JSON_GET(b, "configurationId")));
	JW_KSTR(w, "status", status_of(row));
	if (json_is(reward)) {
		JW_KEY(w, "reward");
		jw_value(w, reward);
	}
	JW_KINT(w, "duration_ms", json_int(JSON_GET(row, "durationMs"), 0));
	JW_KINT(w, "attempt", json_int(JSON_GET(row, "attempt"), 1));
	JW_KOPT(w, "trajectory_ref", json_str(JSON_GET(refs, "trajectoryRef")));
	JW_KOPT(w, "reward_ref", json_str(JSON_GET(refs, "rewardRef")));
	JW_KOPT(w, "reward_details_ref", json_str(JSON_GET(refs, "rewardDetailsRef")));
	JW_KOPT(w, "artifact_manifest_ref", json_str(JSON_GET(refs, "artifactManifestRef")));
	JW_KOPT(w, "job_ref", json_str(JSON_GET(b, "harborJobRef")));
	JW_KOPT(w, "harbor_trial_ref", json_str(JSON_GET(b, "harborTrialRef")));
	JW_KOPT(w, "failure_category", json_str(JSON_GET(row, "failureCategory")));
	JW_KEY(w, "evidence_refs");
	jw_arr(w);
	jw_str(w, or_else(json_str(JSON_GET(row, "packRef")), json_str(JSON_GET(row, "turnId"))));
	jw_arr_end(w);
	put_correlation(w, row);
	put_cost(w, row);
	jw_obj_end(w);
}

static void put_each(struct json_writer *w, const char *key, struct json trials, bool of_tasks)
{
	struct json_iter it = json_iter(trials);
	struct json row;
	struct str name;

	jw_key(w, str_from(key));
	jw_arr(w);
	while (json_next(&it, &name, &row))
		if (!of_tasks)
			put_trial(w, row);
		else if (opens_task(trials, row))
			put_task(w, row);
	jw_arr_end(w);
}

/* The words of Agent QC; another word of the owner is a reason. */
static bool is_outcome(struct str word)
{
	static const char *const words[] = { "promote", "promote-with-monitoring",
		                             "hold",    "revert",
		                             "blocked", "needs-review" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(word, str_from(words[i])))
			return true;
	return false;
}

static void put_decision(struct json_writer *w, struct json x)
{
	struct str decision = json_str(JSON_GET(x, "decision"));
	struct str risk = json_str(JSON_GET(x, "remainingRisk"));
	struct json p0 = JSON_GET(x, "p0QcGateRegressionCount");

	if (!str_is(decision))
		return;
	JW_KEY(w, "decision");
	jw_obj(w);
	jw_kstr(w, is_outcome(decision) ? STR("outcome") : STR("reason"), decision);
	JW_KOPT(w, "source", json_str(JSON_GET(x, "decisionSource")));
	if (str_is(risk)) {
		JW_KEY(w, "remaining_risks");
		jw_arr(w);
		jw_str(w, risk);
		jw_arr_end(w);
	}
	if (json_is(p0))
		JW_KINT(w, "p0_qc_gate_regression_count", json_int(p0, 0));
	jw_obj_end(w);
}

static void put_rest(struct json_writer *w, struct json b, struct json x)
{
	JW_KEY(w, "metrics");
	jw_obj(w);
	JW_KSTR(w, "primary", STR("mean_reward"));
	jw_obj_end(w);
	JW_KEY(w, "hypothesis");
	jw_obj(w);
	JW_KOPT(w, "one_variable_changed", json_str(JSON_GET(b, "singleChangedVariable")));
	jw_obj_end(w);
	JW_KSTR(w, "decision_policy", STR("The quality owner decides; the runtime records."));
	put_decision(w, x);
	JW_KEY(w, "comparison");
	jw_value(w, x);
}

/* Names may contain "-": the end tells two experiments with the same text apart. */
static struct str experiment_id(struct cli *c, struct json doc)
{
	struct str dataset = json_str(JSON_GET(JSON_GET(doc, "benchmark"), "datasetId"));
	struct str a = json_str(JSON_GET(doc, "baselineConfigurationId"));
	struct str b = json_str(JSON_GET(doc, "candidateConfigurationId"));
	struct sha256 hash = sha256_of(
		arena_printf(c->mem, "%.*s\n%.*s\n%.*s", STR_ARG(dataset), STR_ARG(a), STR_ARG(b)));

	return arena_printf(c->mem, "%.*s-%.*s-%.*s-%.*s", STR_ARG(dataset), STR_ARG(a), STR_ARG(b),
	                    STR_ARG(str_head(sha256_hex(c->mem, &hash), 8)));
}

struct str trial_qc_text(struct cli *c, struct json doc)
{
	struct json b = JSON_GET(doc, "benchmark"), trials = JSON_GET(doc, "trials");
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "schema_version", STR("0.5.0"));
	JW_KSTR(&w, "id", experiment_id(c, doc));
	JW_KSTR(&w, "target_project", STR("thole"));
	JW_KSTR(&w, "purpose", STR("Compare two configurations over the same tasks."));
	put_dataset(&w, b);
	JW_KEY(&w, "configurations");
	jw_arr(&w);
	put_configuration(&w, doc, "baselineConfigurationId", "baseline");
	put_configuration(&w, doc, "candidateConfigurationId", "candidate");
	jw_arr_end(&w);
	put_each(&w, "tasks", trials, true);
	put_each(&w, "trials", trials, false);
	put_rest(&w, b, JSON_GET(doc, "comparison"));
	jw_obj_end(&w);
	text = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return text;
}
