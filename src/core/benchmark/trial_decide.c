/*
 * Commands on trials: start, reward, export.
 * spec: contracts/benchmark-instrumentation#control-plane-support
 */
#include "core/benchmark/trial.h"

#include "base/hash/sha256.h"
#include "core/gen/tables.h"
#include "core/turn/turn.h"

/* ---- start ---- */

/* False: refused.  Without these five a trial cannot be joined with its benchmark. */
static bool has_ids(struct decision *d, const struct rec_benchmark *b)
{
	const char *missing = !b->dataset_id.len         ? "datasetId"
	                      : !b->dataset_version.len  ? "datasetVersion"
	                      : !b->task_id.len          ? "taskId"
	                      : !b->trial_id.len         ? "trialId"
	                      : !b->configuration_id.len ? "configurationId"
	                                                 : NULL;

	if (missing)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "benchmark.%s: a trial needs it",
		                missing);
	else if (trial_find(d->w, b->trial_id))
		decision_refuse(d, ERROR_CODE_ID_CONFLICT, "%.*s names a trial already",
		                STR_ARG(b->trial_id));
	return !d->refusal;
}

static bool has_bounds(struct decision *d, const struct cmd_start_benchmark_trial *cmd)
{
	if (cmd->has_timeout_sec &&
	    (cmd->timeout_sec < 1 || cmd->timeout_sec > LIMIT_TRIAL_TIMEOUT_S))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "timeoutSec: between 1 and %d",
		                LIMIT_TRIAL_TIMEOUT_S);
	else if (cmd->has_attempt && cmd->attempt < 1)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "attempt: it counts from 1");
	return !d->refusal;
}

static enum sandbox_mode sandbox_of(const struct decision *d)
{
	const struct rec_execution_environment *e = d->settings->environment;

	return e && e->sandbox_profile ? e->sandbox_profile->mode : 0;
}

static enum permission_mode mode_of(const struct decision *d,
                                    const struct cmd_start_benchmark_trial *cmd)
{
	return cmd->mode                  ? cmd->mode
	       : d->w->s->permission_mode ? d->w->s->permission_mode
	                                  : d->settings->mode;
}

/* Everything that this runtime decides with, and what the caller says about the rest. */
static struct rec_trial_configuration *configuration_of(struct decision *d,
                                                        const struct cmd_start_benchmark_trial *cmd)
{
	return KEPT(d, struct rec_trial_configuration, .runtime_version = d->settings->version,
	            .model = str_is(cmd->model)           ? cmd->model
	                     : str_is(d->settings->model) ? d->settings->model
	                                                  : STR("default"),
	            .effort = cmd->effort ? effort_word(cmd->effort) : STR_NONE,
	            .fallback = cmd->fallback ? fallback_policy_word(cmd->fallback) : STR_NONE,
	            .profiles = cmd->profiles, .config_hash = d->settings->config_ref);
}

static struct rec_trial_row row_of(struct decision *d, const struct cmd_start_benchmark_trial *cmd,
                                   const struct event *submitted)
{
	struct rec_trial_row t = { .trial_id = cmd->benchmark->trial_id,
		                   .benchmark = cmd->benchmark,
		                   .status = STATUS_RUNNING,
		                   .session_id = d->session_id,
		                   .thread_id = submitted->thread_id,
		                   .turn_id = submitted->turn_id,
		                   .task_id = submitted->task_id,
		                   .run_id = submitted->run_id,
		                   .trace_id = submitted->trace_id,
		                   .attempt = cmd->has_attempt ? cmd->attempt : 1,
		                   .timeout_sec = cmd->has_timeout_sec
		                                          ? cmd->timeout_sec
		                                          : LIMIT_TRIAL_TIMEOUT_DEFAULT_S };

	for (uint32_t i = 0; i < cmd->refs.count; i++)
		trial_emit_put_ref(d->mem, &t.refs, cmd->refs.items[i].key,
		                   cmd->refs.items[i].value);
	trial_emit_put_ref(d->mem, &t.refs, STR("input"),
	                   rec_dict_get(&submitted->refs, STR("input")));
	trial_emit_put_ref(d->mem, &t.refs, STR("config"), d->settings->config_ref);
	return t;
}

static void emit_dataset(struct decision *d, const struct cmd_start_benchmark_trial *cmd,
                         const struct rec_trial_row *t)
{
	static const struct rec_trial_dataset nothing;
	const struct rec_trial_dataset *s = cmd->dataset ? cmd->dataset : &nothing;

	trial_emit_in(d,
	              EMIT(d, BENCHMARK_DATASET_RESOLVED, benchmark_dataset_resolved,
	                   .selection_policy =
	                           str_is(s->selection_policy) ? s->selection_policy : STR("named"),
	                   .frozen_at = s->frozen_at, .local_path = s->local_path,
	                   .registry_ref = s->registry_ref, .content_hash = s->content_hash,
	                   .task_count = s->task_count, .has_task_count = s->has_task_count),
	              t);
}

static void emit_configuration(struct decision *d, const struct cmd_start_benchmark_trial *cmd,
                               const struct rec_trial_row *t,
                               const struct rec_trial_configuration *c)
{
	static const struct rec_trial_profiles nothing;
	const struct rec_trial_profiles *p = cmd->profiles ? cmd->profiles : &nothing;

	trial_emit_in(d,
	              EMIT(d, BENCHMARK_CONFIGURATION_RESOLVED, benchmark_configuration_resolved,
	                   .runtime_version = c->runtime_version, .effort = c->effort,
	                   .permission_mode = mode_of(d, cmd), .agent = p->agent, .model = c->model,
	                   .prompt_profile = p->prompt_profile, .tool_profile = p->tool_profile,
	                   .context_profile = p->context_profile,
	                   .routing_profile = p->routing_profile, .config_hash = c->config_hash),
	              t);
}

static void emit_trial(struct decision *d, const struct cmd_start_benchmark_trial *cmd,
                       const struct rec_trial_row *t, struct rec_trial_configuration *c)
{
	struct event *ev =
		EMIT(d, BENCHMARK_TRIAL_STARTED, benchmark_trial_started, .attempt = t->attempt,
	             .timeout_sec = t->timeout_sec,
	             .single_changed_variable = t->benchmark->single_changed_variable,
	             .budget_usd = cmd->budget_usd, .has_budget_usd = cmd->has_budget_usd,
	             .sandbox_mode = sandbox_of(d), .permission_mode = mode_of(d, cmd),
	             .configuration = c);

	trial_emit_in(d, ev, t)->status = STATUS_RUNNING;
}

static const struct event *submitted_in(const struct decision *d, int64_t *ret_first)
{
	const struct event *ev = NULL;

	for (size_t i = 0; i < d->count && !ev; i++)
		if (d->events[i]->type == EV_TURN_SUBMITTED)
			ev = d->events[i];
	for (size_t i = 0; ev && i < d->count; i++)
		if (str_is(d->events[i]->turn_id) && str_eq(d->events[i]->turn_id, ev->turn_id)) {
			*ret_first = d->w->s->sequence + (int64_t)i + 1;
			break;
		}
	return ev;
}

/* The turn is submitted as any other; the trial is what is recorded beside it. */
void decide_start_benchmark_trial(struct decision *d, const struct cmd_start_benchmark_trial *cmd)
{
	const struct event *turn;
	struct rec_trial_configuration *c;
	struct rec_trial_row t;
	int64_t first = 0;

	if (!has_ids(d, cmd->benchmark) || !has_bounds(d, cmd) ||
	    !trial_emit_refs_fit(d, &cmd->refs))
		return;
	decide_submit_turn(d, trial_turn(d->mem, cmd));
	if (d->refusal)
		return;
	turn = submitted_in(d, &first);
	t = row_of(d, cmd, turn);
	c = configuration_of(d, cmd);
	emit_dataset(d, cmd, &t);
	emit_configuration(d, cmd, &t, c);
	emit_trial(d, cmd, &t, c);
	d->reply = rec_text(d->mem, &reply_start_benchmark_trial_desc,
	                    &(struct reply_start_benchmark_trial){ .session_id = d->session_id,
	                                                           .thread_id = t.thread_id,
	                                                           .turn_id = t.turn_id,
	                                                           .task_id = t.task_id,
	                                                           .run_id = t.run_id,
	                                                           .trial_id = t.trial_id,
	                                                           .status = STATUS_ACCEPTED,
	                                                           .first_sequence = first,
	                                                           .has_first_sequence = true });
}

/* ---- what has ended ---- */

/* NULL after refusing. */
static const struct rec_trial_row *ended_trial(struct decision *d, struct str trial_id)
{
	const struct rec_trial_row *t = trial_find(d->w, trial_id);

	if (!t) {
		decision_refuse(d, ERROR_CODE_TRIAL_NOT_FOUND,
		                "the session has no trial %.*s, or it is older than the %d that it "
		                "keeps",
		                STR_ARG(trial_id), WINDOW_TRIALS);
		return NULL;
	}
	if (!trial_is_over(t)) {
		decision_refuse(d, ERROR_CODE_TRIAL_RUNNING, "%.*s is still running",
		                STR_ARG(trial_id));
		return NULL;
	}
	return t;
}

/* The trial with the refs that a command adds; the command's count. */
static struct rec_trial_row with_refs(struct decision *d, const struct rec_trial_row *t,
                                      const struct dict *more)
{
	struct rec_trial_row copy = *t;

	copy.refs = (struct dict){ 0 };
	for (uint32_t i = 0; i < t->refs.count; i++)
		rec_dict_put(d->mem, &copy.refs, t->refs.items[i].key, t->refs.items[i].value);
	for (uint32_t i = 0; i < more->count; i++)
		trial_emit_put_ref(d->mem, &copy.refs, more->items[i].key, more->items[i].value);
	return copy;
}

/* False: refused.  Refs of all commands together must fit into one event. */
static bool refs_fit(struct decision *d, const struct rec_trial_row *row)
{
	if (row->refs.count <= TRIAL_REFS_MAX + TRIAL_REFS_OWN)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "refs: at most %d for one trial",
	                TRIAL_REFS_MAX);
	return false;
}

/* ---- reward ---- */

/* False: refused. */
static bool record_fits(struct decision *d, const char *name, struct str text)
{
	if (text.len <= TRIAL_RECORD_BYTES)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "%s: at most %d bytes", name,
	                TRIAL_RECORD_BYTES);
	return false;
}

/* What a verifier reported, from its file or from the caller. */
struct score {
	double value;
	struct str ref, details_ref, sha256;
};

/* False: refused. */
static bool read_file(struct decision *d, const struct cmd_record_benchmark_reward *cmd,
                      struct score *s)
{
	const char *why = trial_reward_read(d->mem, cmd->file, cmd->key, &s->value);
	struct sha256 hash = sha256_of(cmd->file);

	if (why) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "file: %s", why);
		return false;
	}
	if (cmd->reward && cmd->reward->has_value && cmd->reward->value != s->value) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "reward.value: the file of the verifier has another number");
		return false;
	}
	s->sha256 = sha256_hex(d->mem, &hash);
	return true;
}

static bool check_bounds(struct decision *d, double value)
{
	if (trial_reward_is_bounded(value))
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE,
	                "reward.value: a number from -1e12 to 1e12 is wanted");
	return false;
}

static bool read_score(struct decision *d, const struct cmd_record_benchmark_reward *cmd,
                       struct score *s)
{
	if (str_is(cmd->file))
		return read_file(d, cmd, s) && check_bounds(d, s->value);
	if (!cmd->reward || !cmd->reward->has_value) {
		decision_refuse(d, ERROR_CODE_MISSING_FIELD,
		                "file: the text that the verifier wrote, or reward.value");
		return false;
	}
	s->value = cmd->reward->value;
	return check_bounds(d, s->value);
}

/* A ref of the caller counts; a text without one is stored. */
static struct str ref_or_text(struct decision *d, struct str given, const struct dict *refs,
                              const char *name, struct str text)
{
	struct str ref = str_is(given) ? given : rec_dict_get(refs, str_from(name));

	return str_is(ref)    ? ref
	       : str_is(text) ? decision_new_blob(d, STR("text/plain"), text)
	                      : STR_NONE;
}

static struct rec_reward *reward_record(struct decision *d,
                                        const struct cmd_record_benchmark_reward *cmd,
                                        const struct rec_trial_row *t, const struct score *s)
{
	struct rec_reward *r = KEPT(d, struct rec_reward, .value = s->value, .has_value = true,
	                            .ref = s->ref, .details_ref = s->details_ref);

	if (cmd->reward)
		r->criteria = cmd->reward->criteria;
	r->failure_category = cmd->reward && str_is(cmd->reward->failure_category)
	                              ? cmd->reward->failure_category
	                      : str_is(t->failure_category) ? t->failure_category
	                                                    : STR("none");
	return r;
}

/* spec: NEG-44 — such a verifier could not see what the agent did. */
static void warn_blind(struct decision *d, const struct rec_trial_row *t)
{
	struct event *ev =
		EMIT(d, RUNTIME_WARNING, runtime_warning,
	             .category = WARNING_CATEGORY_VERIFIER_TRAJECTORY_MISSING,
	             .message = arena_printf(
			     d->mem, "The separate verifier of %.*s was not given the trajectory.",
			     STR_ARG(t->trial_id)),
	             .cause = STR("record_benchmark_reward"),
	             .remedy = STR("declare the trajectory as an artifact of the task"));

	ev->thread_id = t->thread_id;
	ev->turn_id = t->turn_id;
}

static void emit_reward(struct decision *d, const struct cmd_record_benchmark_reward *cmd,
                        const struct rec_trial_row *t, const struct rec_reward *r,
                        const struct score *s)
{
	struct event *ev =
		EMIT(d, BENCHMARK_REWARD_RECORDED, benchmark_reward_recorded, .reward = s->value,
	             .criteria = r->criteria, .failure_category = r->failure_category,
	             .verifier_status = cmd->verifier_status, .verifier_ref = cmd->verifier_ref,
	             .oracle_sanity = cmd->oracle_sanity, .drift = cmd->drift, .sha256 = s->sha256,
	             .details_kind = cmd->details_kind        ? cmd->details_kind
	                             : str_is(r->details_ref) ? REWARD_DETAILS_REWARD_DETAILS
	                                                      : 0,
	             .separate_verifier = cmd->separate_verifier,
	             .has_separate_verifier = cmd->has_separate_verifier,
	             .trajectory_transferred = cmd->trajectory_transferred,
	             .has_trajectory_transferred =
	                     cmd->has_trajectory_transferred || cmd->separate_verifier);

	trial_emit_in(d, ev, t);
	ev->reward = (struct rec_reward *)r;
	if (t->trajectory)
		ev->trajectory = rec_clone(d->mem, &rec_trajectory_desc, t->trajectory);
}

void decide_record_benchmark_reward(struct decision *d,
                                    const struct cmd_record_benchmark_reward *cmd)
{
	const struct rec_trial_row *t = ended_trial(d, cmd->trial_id);
	struct score s = { 0 };
	struct rec_trial_row row;

	if (!t)
		return;
	if (t->reward) {
		decision_refuse(d, ERROR_CODE_TRIAL_SCORED, "%.*s has its reward",
		                STR_ARG(cmd->trial_id));
		return;
	}
	if (!trial_emit_refs_fit(d, &cmd->refs) || !read_score(d, cmd, &s) ||
	    (cmd->reward &&
	     !record_fits(d, "reward", rec_text(d->mem, &rec_reward_desc, cmd->reward))))
		return;
	s.ref = ref_or_text(d, cmd->reward ? cmd->reward->ref : STR_NONE, &cmd->refs, "rewardRef",
	                    cmd->file);
	s.details_ref = ref_or_text(d, cmd->reward ? cmd->reward->details_ref : STR_NONE,
	                            &cmd->refs, "rewardDetailsRef", cmd->details);
	row = with_refs(d, t, &cmd->refs);
	if (str_is(s.ref))
		trial_emit_put_ref(d->mem, &row.refs, STR("rewardRef"), s.ref);
	if (str_is(s.details_ref))
		trial_emit_put_ref(d->mem, &row.refs, STR("rewardDetailsRef"), s.details_ref);
	if (!refs_fit(d, &row))
		return;
	emit_reward(d, cmd, &row, reward_record(d, cmd, t, &s), &s);
	if (cmd->separate_verifier && !cmd->trajectory_transferred)
		warn_blind(d, t);
	d->reply = rec_text(d->mem, &reply_record_benchmark_reward_desc,
	                    &(struct reply_record_benchmark_reward){ .trial_id = cmd->trial_id,
	                                                             .reward = s.value,
	                                                             .sha256 = s.sha256 });
}

/* ---- export ---- */

static void emit_export(struct decision *d, const struct cmd_export_benchmark_trial *cmd,
                        const struct trial_pack *p, const struct reply_export_benchmark_trial *r)
{
	struct rec_trial_row row = *p->trial;
	struct event *ev =
		EMIT(d, EVIDENCE_CHANGED, evidence_changed, .change = EVIDENCE_CHANGE_EXPORTED,
	             .kind = STR("trial"), .pack_ref = r->pack_ref, .sha256 = r->sha256,
	             .known_gaps = r->known_gaps,
	             .p0_qc_gate_regression_count = cmd->p0_qc_gate_regression_count,
	             .has_p0_qc_gate_regression_count = cmd->has_p0_qc_gate_regression_count);

	row.refs = p->refs;
	trial_emit_in(d, ev, &row);
	ev->evidence_id = r->evidence_id;
	ev->trajectory = (struct rec_trajectory *)p->trajectory;
	decision_add_ref(d, ev, STR("pack"), r->pack_ref);
}

void decide_export_benchmark_trial(struct decision *d, const struct cmd_export_benchmark_trial *cmd)
{
	const struct rec_trial_row *t = ended_trial(d, cmd->trial_id);
	struct trial_pack p = { .trial = t, .runtime_id = d->settings->runtime_id };
	struct reply_export_benchmark_trial reply = { .trial_id = cmd->trial_id };
	struct rec_trial_row row;
	struct sha256 hash;
	struct str text;

	if (!t || !trial_emit_refs_fit(d, &cmd->refs))
		return;
	if (cmd->has_p0_qc_gate_regression_count && cmd->p0_qc_gate_regression_count < 0) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "p0QcGateRegressionCount: not negative");
		return;
	}
	row = with_refs(d, t, &cmd->refs);
	if (!refs_fit(d, &row) ||
	    (cmd->trajectory &&
	     !record_fits(d, "trajectory",
	                  rec_text(d->mem, &rec_trajectory_desc, cmd->trajectory))))
		return;
	p.refs = row.refs;
	p.trajectory = cmd->trajectory ? cmd->trajectory : t->trajectory;
	p.p0_regressions = cmd->p0_qc_gate_regression_count;
	p.has_p0_regressions = cmd->has_p0_qc_gate_regression_count;
	p.is_eligible = cmd->promotion_eligible;
	p.has_eligible = cmd->has_promotion_eligible;
	text = trial_pack_text(d->mem, &p);
	hash = sha256_of(text);
	reply.evidence_id = decision_new_id(d, "evd");
	reply.sha256 = sha256_hex(d->mem, &hash);
	reply.pack_ref = decision_new_blob(d, STR("application/json"), text);
	reply.known_gaps = trial_pack_gaps(d->mem, &p);
	reply.trajectory = (struct rec_trajectory *)p.trajectory;
	emit_export(d, cmd, &p, &reply);
	d->reply = rec_text(d->mem, &reply_export_benchmark_trial_desc, &reply);
}
