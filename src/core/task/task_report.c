/*
 * Reports about work at remote agents, and what they change.
 *
 * A report that says nothing new leaves no event, so that the adapter may report the same state
 * after every reconnect.
 * spec: contracts/agent-task#a2a-mapping; A2T-01 to A2T-09, CHN-07, EVT-093
 */
#include "core/task/task_report.h"

#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/utf8.h"
#include "core/approval/action_emit.h"
#include "core/channel/channel.h"
#include "core/gen/tables.h"
#include "core/turn/turn.h"

#define NATIVE_PROTOCOL STR("a2a")
#define ANSWER_SCHEMA                                                                              \
	"{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\","                    \
	"\"title\":\"Answer for the remote agent\",\"minLength\":1}},"                             \
	"\"required\":[\"answer\"],\"additionalProperties\":false}"

/* Answers are stored in the log: a secret would be readable there. */
#define LOGIN_SCHEMA                                                                               \
	"{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\","                    \
	"\"title\":\"The authorization was given\",\"enum\":[\"done\"]}},"                         \
	"\"required\":[\"answer\"],\"additionalProperties\":false}"

/* ---- reports ---- */

/* One report on its way. */
struct report {
	const struct cmd_report_delegation *cmd;
	const struct st_task *t;
	const struct rec_task_attempt *a;
	struct rec_remote_task *remote; /* as it is from now on; NULL: not known */
	struct str said;                /* a message that is not recorded yet; absent: none */
	struct str said_ref;
	bool is_new;     /* the remote task was not known before */
	bool is_changed; /* something of it differs */
};

static bool same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

/* Artifacts are added by reports of their own. */
static void take_remote(struct decision *d, struct report *r)
{
	const struct rec_remote_task *old = r->t->record->remote_task, *now = r->cmd->remote_task;

	if (!now) {
		r->remote = old ? rec_clone(d->mem, &rec_remote_task_desc, old) : NULL;
		return;
	}
	r->remote = rec_clone(d->mem, &rec_remote_task_desc, now);
	r->remote->native_protocol = NATIVE_PROTOCOL;
	r->remote->remote_agent_ref = r->a->worker->ref;
	r->is_new = !old;
	r->is_changed = r->is_new || !same(old->remote_status, now->remote_status) ||
	                !same(old->last_message_id, now->last_message_id) ||
	                old->delivery_mechanism != now->delivery_mechanism;
	if (old)
		r->remote->remote_artifact_refs = old->remote_artifact_refs;
	if (str_is(r->cmd->message) &&
	    (r->is_new || !same(old->last_message_id, now->last_message_id)))
		r->said = r->cmd->message;
}

static struct event *about_run(struct event *ev, const struct report *r)
{
	return task_name_run_in(ev, r->t, r->a);
}

/* The remote task on the companion record of an event, with the peer's own word for its state. */
static void add_remote(struct report *r, struct event *ev, struct rec_task *task)
{
	if (!r->remote)
		return;
	task->remote_task = r->remote;
	task->native_status = ev->native_status = r->remote->remote_status;
}

/* spec: EVT-093, NEG-21 — nothing of a peer is shown before an event of its channel. */
static void emit_message(struct decision *d, struct report *r)
{
	struct event *ev;

	if (!d->call->channel || !(r->is_changed || str_is(r->said)))
		return;
	if (str_is(r->said))
		r->said_ref = decision_new_blob(d, STR("text/plain"), r->said);
	ev = about_run(EMIT(d, CHANNEL_MESSAGE, channel_message,
	                    .kind = r->is_new ? STR("peer_task.linked") : STR("peer_task.updated"),
	                    .direction = STR("in"),
	                    .preview = str_is(r->said)
	                                       ? utf8_preview(d->mem, r->said, LIMIT_PREVIEW)
	                                       : STR_NONE,
	                    .message_ref = r->said_ref, .remote_task = r->remote,
	                    .local_task_id = r->t->record->task_id),
	               r);
	ev->channel_id = d->call->channel->channel_id;
	ev->channel = rec_clone(d->mem, &rec_channel_desc, d->call->channel);
	ev->channel->last_seen_at = d->now;
	if (str_is(r->said_ref))
		decision_add_ref(d, ev, STR("message"), r->said_ref);
}

static void emit_delegated(struct decision *d, struct report *r)
{
	struct event *ev;

	if (!r->is_new)
		return;
	ev = about_run(EMIT(d, TASK_DELEGATED, task_delegated, .to = STR("peer"),
	                    .remote_task = r->remote),
	               r);
	ev->worker = rec_clone(d->mem, &rec_worker_desc, r->a->worker);
}

/* Its status stays; `stale` says whether the agent can be reached. */
static void emit_updated(struct decision *d, struct report *r, bool is_stale, struct str why)
{
	bool was_stale = r->t->shown_status == TASK_STATUS_STALE;
	struct event *ev;

	if (!r->is_changed && is_stale == was_stale)
		return;
	ev = about_run(EMIT(d, TASK_UPDATED, task_updated, .changed = STRINGS(d, STR("remoteTask")),
	                    .stale = is_stale, .has_stale = is_stale || was_stale),
	               r);
	ev->status = rec_enum_read(&enum_status, task_status_word(r->t->record->status));
	if (!is_stale && was_stale)
		why = STR("the remote agent was heard again");
	ev->task = KEPT(d, struct rec_task, .task_id = r->t->record->task_id,
	                .status_reason = is_stale || was_stale ? why : STR_NONE);
	ev->status_reason = why;
	add_remote(r, ev, ev->task);
}

/* A status that commands or their effects have set is not changed by reports. */
static bool is_held(const struct report *r)
{
	return r->t->record->status == TASK_STATUS_PAUSED ||
	       r->t->record->status == TASK_STATUS_CANCELLING;
}

/* ---- questions ---- */

/* The pending question of this task, or NULL. */
static const struct st_action *question_of(const struct decision *d, const struct st_task *t,
                                           const struct st_thread **ret_th)
{
	const struct st_thread *th = state_thread(d->w, t->record->thread_id);

	for (uint32_t i = 0; th && i < th->actions.count; i++) {
		const struct st_action *a = th->actions.items[i];
		const struct st_turn *turn;

		if (!action_is_pending(a) || !str_is(a->task_id) ||
		    !str_eq(a->task_id, t->record->task_id))
			continue;
		turn = state_thread_turn(th, a->turn_id);
		if (!turn || turn->kind != TURN_KIND_SYSTEM)
			continue;
		*ret_th = th;
		return a;
	}
	return NULL;
}

static void withdraw_question(struct decision *d, const struct st_task *t, struct str why)
{
	const struct st_thread *th;
	const struct st_action *a = question_of(d, t, &th);

	if (a)
		action_withdraw_question(d, th, a, why);
}

static void begin_turn(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct event *ev = decision_in_turn(
		EMIT(d, TURN_SUBMITTED, turn_submitted, .status = STATUS_ACCEPTED,
	             .source = STR("peer"), .kind = TURN_KIND_SYSTEM,
	             .delivery = DELIVERY_IMMEDIATE, .cause = STR("peer_question")),
		th, t);

	ev->status = STATUS_ACCEPTED;
	ev = decision_in_turn(EMIT(d, TURN_STARTED, turn_started,
	                           .environment_id = d->settings->environment->environment_id),
	                      th, t);
	ev->status = STATUS_RUNNING;
	ev->phase = PHASE_PREPARING;
	ev->execution_environment =
		rec_clone(d->mem, &rec_execution_environment_desc, d->settings->environment);
}

static void add_option(struct decision *d, struct ev_action_required *p,
                       enum approval_decision decision)
{
	struct rec_decision_option *o =
		rec_list_add(d->mem, &p->decisions, &rec_decision_option_desc);

	o->decision = decision;
	o->may_give_reason = o->has_may_give_reason = decision == p->on_expiry;
}

/* What the person is asked, by the state. */
static void fill_question(struct decision *d, const struct report *r, struct ev_action_required *p)
{
	struct str said = str_is(r->cmd->message) ? utf8_preview_safe(d->mem, r->cmd->message, 2000)
	                                          : STR("It gives no details.");
	struct str name = r->a->worker->ref;
	bool is_input = r->cmd->state == PEER_STATE_ASKS_INPUT;

	if (r->cmd->state == PEER_STATE_CARD_CHANGED) {
		p->action_type = ACTION_TYPE_ESCALATION;
		p->decision_kind = DECISION_KIND_ALLOW_OR_DENY;
		p->on_expiry = APPROVAL_DECISION_DENY;
		p->prompt = arena_printf(d->mem,
		                         "The card of the remote agent %.*s has changed. Allow the "
		                         "delegation to it as it is now? %.*s",
		                         STR_ARG(name), STR_ARG(said));
		add_option(d, p, APPROVAL_DECISION_ALLOW);
		add_option(d, p, APPROVAL_DECISION_DENY);
		return;
	}
	p->action_type = is_input ? ACTION_TYPE_STRUCTURED_INPUT : ACTION_TYPE_CREDENTIAL;
	p->decision_kind =
		is_input ? DECISION_KIND_ANSWER_OR_DECLINE : DECISION_KIND_PROVIDE_OR_DECLINE;
	p->on_expiry = APPROVAL_DECISION_DECLINE;
	p->prompt =
		arena_printf(d->mem,
	                     is_input ? "The remote agent %.*s asks: %.*s"
	                              : "The remote agent %.*s asks for an authorization. Give it "
	                                "there, not here, and then answer done. It says: %.*s",
	                     STR_ARG(name), STR_ARG(said));
	p->schema = is_input ? STR(ANSWER_SCHEMA) : STR(LOGIN_SCHEMA);
	add_option(d, p, APPROVAL_DECISION_ANSWER);
	add_option(d, p, APPROVAL_DECISION_DECLINE);
}

static void emit_waits(struct decision *d, struct report *r, const struct st_thread *th,
                       const struct st_turn *turn, struct str action_id,
                       const struct ev_action_required *p, enum task_status status)
{
	struct event *ev = decision_in_turn(
		EMIT(d, TASK_WAITING, task_waiting, .for_ = p->wait->for_, .action_id = action_id,
	             .until = p->wait->until, .wait = rec_clone(d->mem, &rec_wait_desc, p->wait)),
		th, turn);
	struct rec_task *task = task_status(d, ev, r->t->record->task_id, status);

	ev->action_id = action_id;
	ev->phase = PHASE_WAITING;
	ev->status_reason = task->status_reason = p->prompt;
	add_remote(r, ev, task);
}

/* spec: A2T-08 — an authorization is requested like a permission, and forwarded to channels. */
static void emit_requested(struct decision *d, const struct st_thread *th,
                           const struct st_turn *turn, struct str action_id,
                           const struct ev_action_required *p)
{
	struct event *ev = decision_in_turn(
		EMIT(d, PERMISSION_REQUESTED, permission_requested, .from = ASK_FROM_HUMAN,
	             .expires_at = p->wait->until, .on_expiry = p->on_expiry),
		th, turn);

	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
}

static void emit_forwarded(struct decision *d, const struct st_thread *th,
                           const struct st_turn *turn, struct str action_id, int64_t until)
{
	struct st_action asked = { .action_id = action_id, .expires_at = until };

	for (uint32_t i = 0; i < d->w->s->channels.count; i++)
		if (d->w->s->channels.items[i]->status == STATUS_RUNNING)
			channel_forward(d, d->w->s->channels.items[i]->record, th, turn, NULL,
			                &asked);
}

static struct str emit_question(struct decision *d, struct report *r)
{
	const struct st_thread *th = state_thread(d->w, r->t->record->thread_id);
	bool is_input = r->cmd->state == PEER_STATE_ASKS_INPUT;
	enum status status = is_input ? STATUS_WAITING_INPUT : STATUS_WAITING_PERMISSION;
	struct st_turn turn = { .turn_id = decision_new_id(d, "turn"),
		                .task_id = r->t->record->task_id,
		                .run_id = r->a->run_id,
		                .attempt_id = r->a->attempt_id };
	struct str action_id = decision_new_id(d, "act");
	struct ev_action_required p = {
		.scope = KEPT(d, struct rec_action_scope, .turn_id = turn.turn_id),
		.wait = action_emit_wait(d, is_input ? WAIT_FOR_INPUT : WAIT_FOR_PERMISSION,
		                         d->now + d->settings->question_timeout_ms),
	};
	struct event *ev;

	fill_question(d, r, &p);
	begin_turn(d, th, &turn);
	if (!is_input)
		emit_requested(d, th, &turn, action_id, &p);
	ev = decision_in_turn(decision_emit_event(d, EV_ACTION_REQUIRED, &p), th, &turn);
	ev->action_id = action_id;
	ev->status = status;
	emit_forwarded(d, th, &turn, action_id, p.wait->until);
	emit_waits(d, r, th, &turn, action_id, &p,
	           is_input ? TASK_STATUS_WAITING_INPUT : TASK_STATUS_WAITING_PERMISSION);
	return action_id;
}

/* The same question again changes nothing; another one takes its place. */
static struct str report_question(struct decision *d, struct report *r)
{
	const struct st_thread *th;
	const struct st_action *asked = question_of(d, r->t, &th);

	if (is_held(r)) {
		emit_updated(d, r, false, STR_NONE);
		return STR_NONE;
	}
	if (asked && !r->is_changed) {
		emit_updated(d, r, false, STR("the remote agent was heard again"));
		return asked->action_id;
	}
	if (asked)
		action_withdraw_question(d, th, asked, STR("the remote agent asks something else"));
	return emit_question(d, r);
}

/* ---- other states ---- */

static void report_working(struct decision *d, struct report *r)
{
	enum task_status now = r->t->record->status;
	struct event *ev;

	withdraw_question(d, r->t, STR("the remote agent continued without an answer"));
	if (is_held(r) || now == TASK_STATUS_RUNNING || now == TASK_STATUS_WAITING_INPUT ||
	    now == TASK_STATUS_WAITING_PERMISSION) {
		emit_updated(d, r, false, STR_NONE);
		return;
	}
	ev = about_run(EMIT(d, TASK_RESUMED, task_resumed, .from = now,
	                    .cause = KEPT(d, struct rec_resume_cause,
	                                  .command = STR("report_delegation"))),
	               r);
	add_remote(r, ev, task_status(d, ev, r->t->record->task_id, TASK_STATUS_RUNNING));
	ev->phase = PHASE_WORKING;
}

static void report_idle(struct decision *d, struct report *r)
{
	struct rec_wait *wait =
		KEPT(d, struct rec_wait, .for_ = WAIT_FOR_RESOURCE, .since = d->now,
	             .deadline = STR("none"),
	             .ended_by = STRINGS(d, STR("the remote agent"), STR("cancel_task")));
	struct event *ev;

	withdraw_question(d, r->t, STR("the remote agent does not ask any more"));
	if (is_held(r) || r->t->record->status == TASK_STATUS_WAITING_RESOURCE) {
		emit_updated(d, r, false, STR_NONE);
		return;
	}
	ev = about_run(EMIT(d, TASK_WAITING, task_waiting, .for_ = WAIT_FOR_RESOURCE, .wait = wait),
	               r);
	ev->status_reason = STR("the remote agent has the task and has not begun");
	add_remote(r, ev, task_status(d, ev, r->t->record->task_id, TASK_STATUS_WAITING_RESOURCE));
}

/* spec: A2T-04 — the agent says that it is done, and its artifacts are not here. */
static void report_undelivered(struct decision *d, struct report *r)
{
	struct event *ev;

	withdraw_question(d, r->t, STR("the remote agent has completed the task"));
	if (is_held(r) || r->t->record->status == TASK_STATUS_BLOCKED) {
		emit_updated(d, r, false, STR_NONE);
		return;
	}
	ev = about_run(
		EMIT(d, TASK_BLOCKED, task_blocked,
	             .blocker = KEPT(d, struct rec_blocker, .kind = STR("resource"),
	                             .ref = STR("remote artifacts"), .status = STATUS_UNAVAILABLE),
	             .ended_by = STRINGS(d, STR("the arrival of the artifacts"), STR("retry_task"),
	                                 STR("cancel_task"))),
		r);
	ev->status_reason =
		str_is(r->cmd->reason) ? r->cmd->reason : STR("its artifacts have not arrived");
	add_remote(r, ev, task_status(d, ev, r->t->record->task_id, TASK_STATUS_BLOCKED));
}

/* spec: CHN-07 — the agent does not know the task any more: what it did is not known. */
static enum task_status report_missing(struct decision *d, struct report *r)
{
	struct task_failure f = { .status = STATUS_LOST,
		                  .category = ERROR_CATEGORY_WORKER_LOST,
		                  .message = str_is(r->cmd->reason)
		                                     ? r->cmd->reason
		                                     : STR("the remote agent does not know the "
		                                           "task any more"),
		                  .retryable = true };
	enum task_status now;

	withdraw_question(d, r->t, STR("the remote agent does not know the task any more"));
	task_end_emit_run_failed(d, r->t, r->a, &f);
	now = task_end_after_failure(d, r->t, &f, NULL);
	if (task_table_status_is_end(now))
		task_graph_release(d, r->t, now);
	return now;
}

/* ---- artifacts ---- */

/* The same artifact of the same run has the same id, so a repeated report is recognised. */
static struct str artifact_id(struct decision *d, const struct report *r)
{
	struct sha256 h = sha256_of(arena_printf(d->mem, "%.*s\n%.*s", STR_ARG(r->a->run_id),
	                                         STR_ARG(r->cmd->artifact->remote_id)));

	return arena_printf(d->mem, "art_%.*s", STR_ARG(str_head(sha256_hex(d->mem, &h), 32)));
}

static bool has_artifact(const struct st_task *t, struct str id)
{
	for (uint32_t i = 0; i < t->record->relationships.count; i++)
		if (t->record->relationships.items[i]->kind == EDGE_KIND_PRODUCED_ARTIFACT &&
		    str_eq(t->record->relationships.items[i]->target_id, id))
			return true;
	return false;
}

/* False after refusing. */
static bool artifact_bytes(struct decision *d, const struct rec_peer_artifact *a, struct str *ret)
{
	struct buf out = { 0 };
	bool is_valid;

	if (!str_is(a->bytes)) {
		*ret = str_is(a->text) ? a->text : STR("");
		return true;
	}
	is_valid = base64_read(&out, a->bytes);
	if (is_valid)
		*ret = arena_keep(d->mem, buf_str(&out));
	else
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "artifact.bytes: not base64");
	buf_done(&out);
	return is_valid;
}

/* spec: A2T-03 — an artifact is a ref and an edge of the graph. */
static void emit_artifact(struct decision *d, struct report *r, struct str id, struct str bytes)
{
	const struct rec_peer_artifact *a = r->cmd->artifact;
	struct str type = str_is(a->media_type) ? a->media_type
	                  : str_is(a->bytes)    ? STR("application/octet-stream")
	                                        : STR("text/plain");
	struct str ref = decision_new_blob(d, type, bytes);
	struct sha256 h = sha256_of(bytes);
	struct str hash = sha256_hex(d->mem, &h);
	struct event *ev = about_run(
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = ARTIFACT_CHANGE_CREATED,
	             .kind = STR("data"), .version_id = str_head(hash, 16), .media_type = type,
	             .size_bytes = (int64_t)bytes.len, .has_size_bytes = true, .sha256 = hash,
	             .owner = arena_printf(d->mem, "peer:%.*s", STR_ARG(r->a->worker->ref)),
	             .last_chunk = true, .has_last_chunk = true),
		r);

	ev->artifact_id = id;
	decision_add_ref(d, ev, STR("read"), ref);
	if (r->remote) {
		rec_list_str_add(d->mem, &r->remote->remote_artifact_refs, a->remote_id);
		r->is_changed = true;
	}
}

static bool report_artifact(struct decision *d, struct report *r)
{
	struct str id, bytes;

	if (!r->cmd->artifact)
		return true;
	id = artifact_id(d, r);
	if (has_artifact(r->t, id))
		return true;
	if (!artifact_bytes(d, r->cmd->artifact, &bytes))
		return false;
	emit_artifact(d, r, id, bytes);
	return true;
}

/* ---- the command ---- */

/* The state of the report decides what follows; the reply has the pending question. */
static enum task_status apply_state(struct decision *d, struct report *r, struct str *ret_action)
{
	switch (r->cmd->state) {
	case PEER_STATE_WORKING:
		report_working(d, r);
		break;
	case PEER_STATE_IDLE:
		report_idle(d, r);
		break;
	case PEER_STATE_ASKS_INPUT:
	case PEER_STATE_ASKS_LOGIN:
	case PEER_STATE_CARD_CHANGED:
		*ret_action = report_question(d, r);
		break;
	case PEER_STATE_UNDELIVERED:
		report_undelivered(d, r);
		break;
	case PEER_STATE_MISSING:
		return report_missing(d, r);
	case PEER_STATE_UNAVAILABLE:
		emit_updated(d, r, true, r->cmd->reason);
		break;
	case PEER_STATE_ENDED:
		withdraw_question(d, r->t, STR("the remote agent has ended the task"));
		emit_updated(d, r, false, STR_NONE);
		break;
	default:
		break;
	}
	return r->t->record->status;
}

/* A client could otherwise put words into the mouth of an agent, or name another's remote task. */
static bool is_reporter(const struct decision *d, const struct rec_worker *w)
{
	struct str head = STR("peer:");

	return d->call && str_starts(d->call->caller.principal, head) && str_is(w->ref) &&
	       str_eq(str_skip(d->call->caller.principal, head.len), w->ref);
}

void decide_report_delegation(struct decision *d, const struct cmd_report_delegation *cmd)
{
	struct report r = { .cmd = cmd, .t = task_open(d, cmd->task_id) };
	struct reply_report_delegation reply = { .task_id = cmd->task_id };

	r.a = r.t ? task_run(r.t) : NULL;
	if (!r.t || !task_is_run(d, r.t, cmd->run_id))
		return;
	if (!r.a->worker || r.a->worker->kind != WORKER_KIND_PEER) {
		decision_refuse(d, ERROR_CODE_NOT_READY, "%.*s is no run of a remote agent",
		                STR_ARG(cmd->run_id));
		return;
	}
	if (!is_reporter(d, r.a->worker)) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN,
		                "only the connection to the agent reports about its runs");
		return;
	}
	channel_bind(d);
	take_remote(d, &r);
	if (!report_artifact(d, &r))
		return;
	emit_message(d, &r);
	emit_delegated(d, &r);
	reply.status = apply_state(d, &r, &reply.action_id);
	task_reply(d, &reply_report_delegation_desc, &reply);
}

/* ---- what follows from the state ---- */

bool task_report_step(struct decision *d, const struct st_task *t)
{
	size_t before = d->count;

	if (t->implicit || task_run(t) || !t->worker || t->worker->kind != WORKER_KIND_PEER)
		return false;
	withdraw_question(d, t, STR("the task does not wait for an answer any more"));
	return d->count > before;
}
