/*
 * Ends of tasks.  Completion is declared and then verified: criteria,
 * artifacts, evidence, delivery and children must be complete, and the refusal
 * names what is missing.
 * spec: contracts/agent-task#control-plane, #anti-patterns; GAP-42, GAP-68
 */
#include "core/task/task.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "core/gen/tables.h"
#include "core/session/session.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

#define ERROR_TEXT_MAX 512 /* of an error that attempts keep */

/* ---- what exists ---- */

/* Artifacts can be named by id or by path: the fold stores the path as the reason of the edge. */
static bool has_edge_to(const struct st_task *t, enum edge_kind kind, struct str target)
{
	for (uint32_t i = 0; i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];

		if (e->kind == kind && e->status != EDGE_STATUS_REMOVED &&
		    (!str_is(target) || str_eq(e->target_id, target) ||
		     (str_is(e->reason) && str_eq(e->reason, target))))
			return true;
	}
	return false;
}

static bool is_known_artifact(const struct decision *d, const struct st_task *t, struct str id)
{
	for (uint32_t i = 0; i < d->w->s->artifacts.count; i++)
		if (str_eq(d->w->s->artifacts.items[i]->artifact_id, id))
			return true;
	return has_edge_to(t, EDGE_KIND_PRODUCED_ARTIFACT, id);
}

/* Without a ref, any artifact meets the criterion; the same holds for evidence below. */
static bool has_artifact(const struct st_task *t, const struct task_claim *claim, struct str ref)
{
	if (has_edge_to(t, EDGE_KIND_PRODUCED_ARTIFACT, ref))
		return true;
	for (uint32_t i = 0; i < claim->artifact_count; i++)
		if (!str_is(ref) || str_eq(claim->artifacts[i]->artifact_id, ref))
			return true;
	return false;
}

static bool has_evidence(const struct st_task *t, const struct task_claim *claim, struct str ref)
{
	const struct list_str *lists[] = { &t->record->evidence_refs, claim->evidence };

	if (has_edge_to(t, EDGE_KIND_EVIDENCE, ref))
		return true;
	for (size_t k = 0; k < COUNT_OF(lists); k++)
		if (lists[k] && lists[k]->count &&
		    (!str_is(ref) || rec_list_str_find(lists[k], ref) >= 0))
			return true;
	return false;
}

/* ---- what is missing ---- */

static void add_missing(struct decision *d, struct reconciliation *r, struct str what)
{
	rec_list_str_add(d->mem, &r->missing, what);
}

/*
 * Artifacts and evidence can be looked up.  Every other kind of criterion needs a declaration, by
 * an earlier event or by this claim.
 */
static bool criterion_holds(const struct st_task *t, const struct task_claim *claim,
                            const struct rec_criterion *c)
{
	if (str_eq(c->kind, STR("artifact")))
		return has_artifact(t, claim, c->ref);
	if (str_eq(c->kind, STR("evidence")))
		return has_evidence(t, claim, c->ref);
	return rec_list_str_find(&t->declared, c->id) >= 0 ||
	       (claim->criteria && rec_list_str_find(claim->criteria, c->id) >= 0);
}

static bool is_checked(const struct rec_criterion *c)
{
	return str_eq(c->kind, STR("artifact")) || str_eq(c->kind, STR("evidence"));
}

/*
 * A criterion that was checked and does not hold is unmet: it fails a run.  One that only lacks a
 * declaration is undeclared: the task waits for complete_task.
 */
static void reconcile_criteria(struct decision *d, const struct st_task *t,
                               const struct task_claim *claim, struct reconciliation *r)
{
	const struct rec_task *rec = t->record;

	r->is.acceptance = rec->acceptance.count ? RECONCILE_STATUS_SATISFIED
	                                         : RECONCILE_STATUS_NOT_APPLICABLE;
	for (uint32_t i = 0; i < rec->acceptance.count; i++) {
		const struct rec_criterion *c = rec->acceptance.items[i];

		if (str_eq(c->kind, STR("evidence")))
			r->is.evidence = RECONCILE_STATUS_PRESENT;
		if (criterion_holds(t, claim, c)) {
			r->covered++;
			continue;
		}
		r->is.acceptance = RECONCILE_STATUS_UNMET;
		if (str_eq(c->kind, STR("artifact")))
			r->is.artifacts = RECONCILE_STATUS_MISSING;
		if (str_eq(c->kind, STR("evidence")))
			r->is.evidence = RECONCILE_STATUS_MISSING;
		rec_list_str_add(d->mem, is_checked(c) ? &r->unmet : &r->undeclared, c->id);
		add_missing(d, r,
		            arena_printf(d->mem, "acceptance criterion %.*s (%.*s) is not met",
		                         STR_ARG(c->id), STR_ARG(c->kind)));
	}
}

static void reconcile_artifacts(struct decision *d, const struct st_task *t,
                                const struct task_claim *claim, struct reconciliation *r)
{
	if (claim->artifact_count || has_edge_to(t, EDGE_KIND_PRODUCED_ARTIFACT, STR_NONE))
		r->is.artifacts = RECONCILE_STATUS_PRESENT;
	for (uint32_t i = 0; i < claim->artifact_count; i++) {
		struct str id = claim->artifacts[i]->artifact_id;

		if (is_known_artifact(d, t, id))
			continue;
		r->is.artifacts = RECONCILE_STATUS_MISSING;
		add_missing(d, r,
		            arena_printf(d->mem, "artifact %.*s is not known here", STR_ARG(id)));
	}
}

/* A task with a receiver is complete only when the result has reached it. */
static void reconcile_delivery(struct decision *d, const struct st_task *t,
                               const struct task_claim *claim, struct reconciliation *r)
{
	const struct rec_delivery_state *s =
		claim->delivery ? claim->delivery : t->record->delivery_state;

	r->is.delivery = RECONCILE_STATUS_NOT_APPLICABLE;
	if (!s || s->state == DELIVERY_STATUS_NOT_APPLICABLE)
		return;
	r->is.delivery =
		s->state == DELIVERY_STATUS_DELIVERED ? RECONCILE_STATUS_DELIVERED
		: s->state == DELIVERY_STATUS_FAILED || s->state == DELIVERY_STATUS_PARENT_MISSING
			? RECONCILE_STATUS_FAILED
			: RECONCILE_STATUS_PENDING;
	if (r->is.delivery != RECONCILE_STATUS_DELIVERED)
		add_missing(d, r,
		            arena_printf(d->mem, "delivery%s%.*s is %.*s",
		                         str_is(s->to) ? " to " : "",
		                         STR_ARG(str_is(s->to) ? s->to : STR("")),
		                         STR_ARG(delivery_status_word(s->state))));
}

/*
 * Compares a claim with what exists.  The caller decides what a lack means: complete_task refuses,
 * the end of a run waits or fails.  Criteria come after artifacts, so that a missing artifact
 * overrides `present`.
 */
void task_end_reconcile(struct decision *d, const struct st_task *t, const struct task_claim *claim,
                        struct reconciliation *r)
{
	static const struct task_claim nothing;
	struct str child;

	*r = (struct reconciliation){ .is = { .artifacts = RECONCILE_STATUS_NOT_APPLICABLE,
		                              .evidence = RECONCILE_STATUS_NOT_APPLICABLE } };
	if (!claim)
		claim = &nothing;
	if (has_evidence(t, claim, STR_NONE))
		r->is.evidence = RECONCILE_STATUS_PRESENT;
	reconcile_artifacts(d, t, claim, r);
	reconcile_criteria(d, t, claim, r);
	reconcile_delivery(d, t, claim, r);
	if (task_has_open_child(d->w, t, &child)) {
		r->has_open_child = true;
		add_missing(d, r,
		            arena_printf(d->mem, "child task %.*s has not ended", STR_ARG(child)));
	}
}

/* ---- completed ---- */

/* Artifacts of the claim, or all that the task has produced. */
static void take_artifacts(struct decision *d, const struct st_task *t,
                           const struct task_claim *claim, struct rec_task *r)
{
	for (uint32_t i = 0; claim && i < claim->artifact_count; i++)
		*(struct rec_artifact_ref *)rec_list_add(
			d->mem, &r->artifacts, &rec_artifact_ref_desc) = *claim->artifacts[i];
	for (uint32_t i = 0; i < t->record->relationships.count && !r->artifacts.count; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];

		if (e->kind != EDGE_KIND_PRODUCED_ARTIFACT || e->status == EDGE_STATUS_REMOVED)
			continue;
		*(struct rec_artifact_ref *)rec_list_add(d->mem, &r->artifacts,
		                                         &rec_artifact_ref_desc) =
			(struct rec_artifact_ref){ .artifact_id = e->target_id };
	}
	if (claim && claim->evidence && claim->evidence->count)
		r->evidence_refs = *claim->evidence;
}

/*
 * The record of the reconciliation is part of the event: a reader sees what the completion rests
 * on, not only that it happened.
 */
struct event *task_end_emit_completed(struct decision *d, const struct st_task *t,
                                      const struct reconciliation *r,
                                      const struct task_claim *claim, const struct rec_actor *by)
{
	const struct rec_delivery_state *s =
		claim && claim->delivery ? claim->delivery : t->record->delivery_state;
	struct event *ev = task_name_in(
		EMIT(d, TASK_COMPLETED, task_completed,
	             .reconciled = decision_kept(d, &r->is, sizeof r->is),
	             .completed_by = by ? rec_clone(d->mem, &rec_actor_desc, by) : NULL),
		t);
	struct rec_task *c = task_status(d, ev, t->record->task_id, TASK_STATUS_COMPLETED);

	c->ended_at = d->now;
	take_artifacts(d, t, claim, c);
	ev->delivery_state =
		s ? rec_clone(d->mem, &rec_delivery_state_desc, s)
		  : KEPT(d, struct rec_delivery_state, .state = DELIVERY_STATUS_NOT_APPLICABLE);
	if (t->record->acceptance.count) {
		ev->task_acceptance = ARENA_NEW(d->mem, struct rec_task_acceptance);
		ev->task_acceptance->criteria.items = t->record->acceptance.items;
		ev->task_acceptance->criteria.count = t->record->acceptance.count;
		ev->task_acceptance->covered = r->covered;
	}
	return ev;
}

static void refuse_missing(struct decision *d, const struct reconciliation *r)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str extra;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "missing");
	jw_arr(&w);
	for (uint32_t i = 0; i < r->missing.count; i++)
		jw_str(&w, r->missing.items[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
	extra = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	decision_refuse(d, ERROR_CODE_ACCEPTANCE_UNMET, "%.*s%s", STR_ARG(r->missing.items[0]),
	                r->missing.count > 1 ? ", and more" : "");
	d->extra = extra;
}

/*
 * Declared while the agent still works: the claim is stored, then the run is stopped with this end.
 * complete_stopped() in turn_end.c reconciles again when the run has stopped; the stored claim is
 * what it finds then.
 */
static void store_claim(struct decision *d, const struct st_task *t, const struct task_claim *claim,
                        const struct cmd_complete_task *cmd)
{
	struct ev_task_updated p = { .updated_by = decision_actor(d) };
	struct rec_task *r = KEPT(d, struct rec_task, .task_id = t->record->task_id,
	                          .delivery_state = cmd->delivery_state);
	struct event *ev;

	rec_list_str_add(d->mem, &p.changed, STR("completion"));
	if (claim->criteria)
		p.declared = *claim->criteria;
	take_artifacts(d, t, claim, r);
	ev = task_name_in(decision_emit_event(d, EV_TASK_UPDATED, &p), t);
	ev->task = r;
}

static void emit_run_completed(struct decision *d, const struct st_task *t,
                               const struct rec_task_attempt *a, struct str summary)
{
	struct event *ev = task_name_run_in(EMIT(d, TASK_ATTEMPT_COMPLETED, task_attempt_completed,
	                                         .attempt = a->attempt_count,
	                                         .status = ATTEMPT_STATUS_COMPLETED),
	                                    t, a);

	ev->status = STATUS_COMPLETED;
	ev->task_attempt =
		KEPT(d, struct rec_task_attempt, .run_id = a->run_id, .attempt_id = a->attempt_id,
	             .status = ATTEMPT_STATUS_COMPLETED, .attempt_count = a->attempt_count,
	             .ended_at = d->now, .completion_summary = summary);
}

/* The implicit task of a turn ends with the turn; false after refusing. */
static bool may_be_ended(struct decision *d, const struct st_task *t)
{
	if (t->implicit)
		decision_refuse(d, ERROR_CODE_NOT_READY,
		                "%.*s ends with its turn; interrupt_turn stops that",
		                STR_ARG(t->record->task_id));
	return !t->implicit;
}

/*
 * While a turn works on the task, completion means stopping that turn first, and the reply has the
 * current status.  A second call during the stop changes nothing.
 */
void decide_complete_task(struct decision *d, const struct cmd_complete_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	const struct rec_task_attempt *a = t ? task_run(t) : NULL;
	struct task_claim claim = {
		.criteria = &cmd->acceptance,
		.evidence = &cmd->evidence_refs,
		.artifacts = cmd->artifacts.items,
		.artifact_count = cmd->artifacts.count,
		.delivery = cmd->delivery_state,
	};
	struct reply_complete_task reply = { .task_id = cmd->task_id,
		                             .status = TASK_STATUS_COMPLETED };
	struct reconciliation r;
	const struct st_thread *th;
	const struct st_turn *turn;

	if (!t || !may_be_ended(d, t) || !task_is_run(d, t, cmd->run_id))
		return;
	if (t->record->status == TASK_STATUS_CANCELLING) {
		decision_refuse(d, ERROR_CODE_CANCELLING, "%.*s is being cancelled",
		                STR_ARG(cmd->task_id));
		return;
	}
	task_end_reconcile(d, t, &claim, &r);
	if (r.missing.count) {
		refuse_missing(d, &r);
		return;
	}
	turn = task_turn(d->w, t, &th);
	if (turn) {
		reply.status = t->record->status;
		if (turn->stage != TURN_STAGE_STOPPING) {
			store_claim(d, t, &claim, cmd);
			turn_emit_interrupt(d, th, turn, STR("complete_task"),
			                    QUEUE_POLICY_CONTINUE);
		}
	} else {
		if (a)
			emit_run_completed(d, t, a, cmd->summary);
		task_end_emit_completed(d, t, &r, &claim, decision_actor(d));
		task_graph_release(d, t, TASK_STATUS_COMPLETED);
	}
	task_reply(d, &reply_complete_task_desc, &reply);
}

/* ---- the agent's run completed ---- */

/*
 * Not a failure: the run did its part.  What is missing decides who can end the wait: the children,
 * or a person with complete_task.
 */
struct event *task_end_emit_unfinished(struct decision *d, const struct st_task *t,
                                       const struct reconciliation *r)
{
	enum wait_for what = r->has_open_child     ? WAIT_FOR_DEPENDENCY
	                     : r->undeclared.count ? WAIT_FOR_INPUT
	                                           : WAIT_FOR_RESOURCE;
	struct rec_wait *wait =
		KEPT(d, struct rec_wait, .for_ = what, .since = d->now, .deadline = STR("none"));
	struct event *ev;

	wait->ended_by = r->has_open_child
	                         ? STRINGS(d, STR("the end of its children"), STR("cancel_task"))
	                         : STRINGS(d, STR("complete_task"), STR("fail_task"),
	                                   STR("retry_task"), STR("cancel_task"));
	ev = task_name_in(EMIT(d, TASK_WAITING, task_waiting, .for_ = what, .wait = wait), t);
	task_status(d, ev, t->record->task_id,
	            what == WAIT_FOR_INPUT ? TASK_STATUS_WAITING_INPUT
	                                   : TASK_STATUS_WAITING_RESOURCE);
	/* An open child is added last, so it is the one shown. */
	ev->status_reason = r->missing.items[r->missing.count - 1];
	return ev;
}

/* ---- failed ---- */

static struct rec_last_error *error_of(struct decision *d, const struct task_failure *f)
{
	return KEPT(d, struct rec_last_error, .category = f->category,
	            .message = utf8_preview(d->mem, f->message, ERROR_TEXT_MAX),
	            .remedy = f->remedy, .retryable = f->retryable, .has_retryable = true);
}

/* spec: GAP-07 — the wire has fourteen words for attempts; the exact status is a separate field. */
static enum attempt_status attempt_status_of(enum status s)
{
	return s == STATUS_CANCELLED ? ATTEMPT_STATUS_CANCELLED
	       : s == STATUS_LOST    ? ATTEMPT_STATUS_UNKNOWN
	                             : ATTEMPT_STATUS_FAILED;
}

void task_end_emit_run_failed(struct decision *d, const struct st_task *t,
                              const struct rec_task_attempt *a, const struct task_failure *f)
{
	struct event *ev = task_name_run_in(
		EMIT(d, TASK_ATTEMPT_FAILED, task_attempt_failed, .status = f->status,
	             .retryable = f->retryable, .failure_category = f->category,
	             .next_attempt_policy = task_end_next_policy(t, f), .message = f->message),
		t, a);

	ev->status = f->status;
	ev->task_attempt =
		KEPT(d, struct rec_task_attempt, .run_id = a->run_id, .attempt_id = a->attempt_id,
	             .status = attempt_status_of(f->status), .attempt_count = a->attempt_count,
	             .ended_at = d->now, .last_error = error_of(d, f));
	if (f->status == STATUS_LOST || f->status == STATUS_TIMED_OUT)
		ev->native_status = ev->task_attempt->native_status = status_word(f->status);
}

static bool is_excluded(const struct rec_retry_policy *p, enum error_category c)
{
	return rec_list_str_find(&p->non_retryable, error_category_word(c)) >= 0;
}

/*
 * tries counts since the last retry_task, runs over the whole life of the task: the policy limits
 * the first, the catalogue the second.
 */
static bool is_retried(const struct st_task *t, const struct task_failure *f)
{
	const struct rec_retry_policy *p = t->retry_policy;

	return p && f->retryable && !t->cancelled && f->status != STATUS_CANCELLED &&
	       t->tries < p->max_attempts && t->runs < LIMIT_ATTEMPTS_PER_TASK &&
	       !is_excluded(p, f->category);
}

struct str task_end_next_policy(const struct st_task *t, const struct task_failure *f)
{
	return is_retried(t, f) ? STR("retry_policy") : STR("manual_or_policy_retry");
}

/* Doubles in a loop with a cap in each round, so that it cannot overflow. */
static int64_t backoff_of(const struct st_task *t)
{
	const struct rec_retry_policy *p = t->retry_policy;
	int64_t wait = p->has_backoff_ms ? p->backoff_ms : LIMIT_BACKOFF_MS;

	if (p->backoff == BACKOFF_IMMEDIATE)
		return 0;
	for (int64_t i = 1; i < t->tries && p->backoff == BACKOFF_EXPONENTIAL; i++)
		wait = MIN(2 * wait, LIMIT_BACKOFF_MAX_MS);
	return wait;
}

static void emit_failed(struct decision *d, const struct st_task *t, const struct task_failure *f,
                        const struct list_str *unmet)
{
	struct ev_task_failed p = { .category = f->category,
		                    .retryable = f->retryable,
		                    .message = f->message,
		                    .remedy = f->remedy };
	struct rec_task *r;
	struct event *ev;

	if (unmet)
		p.unmet = *unmet;
	ev = task_name_in(decision_emit_event(d, EV_TASK_FAILED, &p), t);
	r = task_status(d, ev, t->record->task_id, TASK_STATUS_FAILED);
	r->status_reason = ev->status_reason = f->message;
	r->last_error = error_of(d, f);
	r->ended_at = d->now;
}

/*
 * Three limits can end a task by time.  The longest one, that of the whole task, is named first
 * when it has passed.
 */
static void emit_timed_out(struct decision *d, const struct st_task *t,
                           const struct task_failure *f)
{
	const struct rec_constraints *c = t->record->constraints;
	bool is_whole = c && c->has_time_ms && d->now - t->record->started_at >= c->time_ms;
	bool is_silent = !is_whole && c && c->has_inactivity_ms && str_eq(f->message, TASK_SILENT);
	int64_t limit = is_whole          ? c->time_ms
	                : is_silent       ? c->inactivity_ms
	                : t->retry_policy ? t->retry_policy->timeout_ms
	                                  : 0;
	struct event *ev =
		task_name_in(EMIT(d, TASK_TIMED_OUT, task_timed_out,
	                          .limit = is_whole    ? STR("time")
	                                   : is_silent ? STR("inactivity")
	                                               : STR("attempt"),
	                          .limit_ms = limit, .elapsed_ms = since(d, t->record->started_at),
	                          .has_elapsed_ms = true),
	                     t);
	struct rec_task *r = task_status(d, ev, t->record->task_id, TASK_STATUS_TIMED_OUT);

	r->status_reason = ev->status_reason = f->message;
	r->last_error = error_of(d, f);
	r->ended_at = d->now;
}

/* For external workers; a crash of the runtime reports its turns in recover.c. */
static void emit_lost(struct decision *d, const struct st_task *t, const struct task_failure *f)
{
	const struct rec_task_attempt *a = t->attempts.items[t->attempts.count - 1];
	bool is_peer = a->worker && a->worker->kind == WORKER_KIND_PEER;
	struct event *ev = task_name_run_in(
		EMIT(d, TASK_LOST, task_lost,
	             .reason = is_peer ? STR("remote_task_missing") : STR("lease_expired"),
	             .worker = is_peer ? WORKER_KIND_PEER : WORKER_KIND_EXTERNAL),
		t, a);
	struct rec_task *r = task_status(d, ev, t->record->task_id, TASK_STATUS_LOST);

	r->status_reason = ev->status_reason = f->message;
	r->last_error = error_of(d, f);
	r->ended_at = d->now;
}

/* An exhausted budget is no failure of the work: the task continues when the budget is raised. */
static void emit_out_of_money(struct decision *d, const struct st_task *t,
                              const struct task_failure *f)
{
	struct event *ev = task_name_in(
		EMIT(d, TASK_BLOCKED, task_blocked,
	             .blocker = KEPT(d, struct rec_blocker, .kind = STR("budget"),
	                             .ref = STR("constraints.costUsd"), .status = STATUS_BLOCKED),
	             .ended_by =
	                     STRINGS(d, STR("update_task with a higher costUsd, then retry_task"),
	                             STR("cancel_task"))),
		t);

	task_status(d, ev, t->record->task_id, TASK_STATUS_BLOCKED)->last_error = error_of(d, f);
	ev->status_reason = f->message;
}

/*
 * The decision table after a failed run, first match counts:
 *   cancelled           ends when its children have ended
 *   paused              stays paused, unless the failure is final
 *   out of budget       blocked until the budget is raised
 *   retry policy        retrying, after its backoff
 *   lost, timed out     ends with that status
 *   otherwise           failed
 * A lost run is recorded as task.lost even if a retry follows.
 */
enum task_status task_end_after_failure(struct decision *d, const struct st_task *t,
                                        const struct task_failure *f, const struct list_str *unmet)
{
	if (t->cancelled) {
		/* Children may still run; task_schedule_step() ends it later. */
		if (task_has_open_child(d->w, t, NULL))
			return TASK_STATUS_CANCELLING;
		task_end_emit_cancelled(d, t);
		return TASK_STATUS_CANCELLED;
	}
	/* The task is paused: resume_task, not the retry policy, starts its next run. */
	if (t->record->status == TASK_STATUS_PAUSED &&
	    (f->category == ERROR_CATEGORY_BUDGET || is_retried(t, f)))
		return TASK_STATUS_PAUSED;
	if (f->category == ERROR_CATEGORY_BUDGET) {
		emit_out_of_money(d, t, f);
		return TASK_STATUS_BLOCKED;
	}
	if (f->status == STATUS_LOST)
		emit_lost(d, t, f);
	if (is_retried(t, f)) {
		task_run_emit_retrying(d, t, error_category_word(f->category),
		                       f->status == STATUS_LOST ? ATTEMPT_CAUSE_WORKER_LOSS
		                                                : ATTEMPT_CAUSE_RETRY_POLICY,
		                       d->now + backoff_of(t));
		return TASK_STATUS_RETRYING;
	}
	if (f->status == STATUS_LOST)
		return TASK_STATUS_LOST;
	if (f->status == STATUS_TIMED_OUT) {
		emit_timed_out(d, t, f);
		return TASK_STATUS_TIMED_OUT;
	}
	emit_failed(d, t, f, unmet);
	return TASK_STATUS_FAILED;
}

struct event *task_end_emit_cancelled(struct decision *d, const struct st_task *t)
{
	struct event *ev = task_name_in(
		EMIT(d, TASK_CANCELLED, task_cancelled,
	             .reason = str_is(t->cancel_reason) ? t->cancel_reason : STR("cancel_task"),
	             .cancelled_by = t->cancel_by ? rec_clone(d->mem, &rec_actor_desc, t->cancel_by)
	                                          : decision_actor(d)),
		t);
	struct rec_task *r = task_status(d, ev, t->record->task_id, TASK_STATUS_CANCELLED);

	r->ended_at = d->now;
	r->status_reason = t->cancel_reason;
	return ev;
}

/*
 * With a running turn the error is stored and the turn is stopped; stop_task_turn() reads it from
 * the record. fail_task without a run is final: a retry policy applies to runs.
 */
void decide_fail_task(struct decision *d, const struct cmd_fail_task *cmd)
{
	const struct st_task *t = task_open(d, cmd->task_id);
	const struct rec_task_attempt *a = t ? task_run(t) : NULL;
	struct task_failure f = {
		.status = STATUS_FAILED,
		.category = cmd->error->category,
		.message = cmd->error->message,
		.remedy = cmd->error->remedy,
		.retryable = !cmd->error->has_retryable || cmd->error->retryable,
	};
	struct reply_fail_task reply = { .task_id = cmd->task_id };
	const struct st_thread *th;
	const struct st_turn *turn;

	if (!t || !may_be_ended(d, t) || !task_is_run(d, t, cmd->run_id))
		return;
	turn = task_turn(d->w, t, &th);
	reply.status = t->record->status;
	if (turn && turn->stage != TURN_STAGE_STOPPING) {
		struct event *ev = task_name_in(EMIT(d, TASK_UPDATED, task_updated,
		                                     .changed = STRINGS(d, STR("lastError")),
		                                     .updated_by = decision_actor(d)),
		                                t);

		ev->task = KEPT(d, struct rec_task, .task_id = cmd->task_id,
		                .last_error = error_of(d, &f));
		turn_emit_interrupt(d, th, turn, STR("fail_task"), QUEUE_POLICY_CONTINUE);
	} else if (!turn && a) {
		if (t->cancelled)
			f.status = STATUS_CANCELLED;
		task_end_emit_run_failed(d, t, a, &f);
		reply.status = task_end_after_failure(d, t, &f, NULL);
		task_graph_release(d, t, reply.status);
	} else if (!turn) {
		emit_failed(d, t, &f, NULL);
		reply.status = TASK_STATUS_FAILED;
		task_graph_release(d, t, TASK_STATUS_FAILED);
	}
	task_reply(d, &reply_fail_task_desc, &reply);
}
