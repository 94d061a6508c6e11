/*
 * One delegation.  peer_run_next() looks at what is known and starts what comes next; everything
 * that happens (a reply, an event, a timer) ends in it.
 */
#include "base/gen/limits.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "base/utf8.h"
#include "peer/peer_int.h"

#define REPORT_MS 250 /* between two reports of an agent that works */

/* ---- finding and making ---- */

/* The last attempt, if it is open and a remote agent has it. */
static struct json open_attempt(struct json task)
{
	struct json all = JSON_GET(task, "attempts"), none = { 0 }, last;

	if (!json_count(all))
		return none;
	last = json_at(all, json_count(all) - 1);
	if (json_is(JSON_GET(last, "endedAt")) ||
	    !str_eq(json_str(JSON_GET(JSON_GET(last, "worker"), "kind")), STR("peer")))
		return none;
	return last;
}

static void take_remote(struct peer_run *r, struct json remote)
{
	struct str id = json_str(JSON_GET(remote, "remoteTaskId"));

	if (!id.len || str_eq(id, STR(PEER_NO_TASK)))
		return;
	a2a_remote_resume(&r->remote, id, json_str(JSON_GET(remote, "remoteContextId")));
	r->is_sent = true;
	/* A question that was asked before the start is not asked again. */
	r->remote.message_id =
		arena_keep(r->remote.said, json_str(JSON_GET(remote, "lastMessageId")));
	r->remote.state = a2a_state_read(json_str(JSON_GET(remote, "remoteStatus")));
	if (a2a_state_is_final(r->remote.state))
		r->remote.state =
			A2A_STATE_WORKING; /* the agent says it again, with the artifacts */
}

static void fill_run(struct peer_run *r, struct str session_id, struct json task, struct json last)
{
	struct json refs = JSON_GET(last, "inputRefs");

	r->session_id = arena_keep(r->mem, session_id);
	r->task_id = arena_keep(r->mem, json_str(JSON_GET(task, "taskId")));
	r->run_id = arena_keep(r->mem, json_str(JSON_GET(last, "runId")));
	r->objective = arena_keep(r->mem, json_str(JSON_GET(task, "objective")));
	r->depth = json_int(JSON_GET(JSON_GET(last, "worker"), "depth"), 1);
	if (json_count(refs))
		r->input_ref = arena_keep(r->mem, json_str(JSON_GET(json_at(refs, 0), "ref")));
	r->has_input = !str_is(r->input_ref);
	r->is_cancelling = str_eq(json_str(JSON_GET(task, "status")), STR("cancelling"));
	r->is_paused = str_eq(json_str(JSON_GET(task, "status")), STR("paused"));
	take_remote(r, JSON_GET(last, "remoteTask"));
}

struct peer_run *peer_run_add(struct peer_set *s, struct str session_id, struct json task)
{
	struct json last = open_attempt(task);
	struct str run_id = json_str(JSON_GET(last, "runId"));
	struct peer *p =
		peer_state_find_agent(s, json_str(JSON_GET(JSON_GET(last, "worker"), "ref")));
	struct peer_run *r;

	if (!str_is(run_id) || !p || peer_state_find(s, run_id))
		return NULL;
	r = memory_zeroed(1, sizeof *r);
	r->peer = p;
	r->mem = arena_new_small();
	a2a_remote_init(&r->remote);
	fill_run(r, session_id, task, last);
	list_init(&r->node);
	list_add(&p->runs, &r->node);
	s->run_count++;
	peer_tool_join(s, r);
	return r;
}

void peer_run_free(struct peer_run *r)
{
	struct peer_set *s = r->peer->set;

	peer_tool_ended(r, "cancelled", STR("The delegation has ended"));
	loop_timer_stop(&r->timer);
	loop_timer_stop(&r->cancel_by);
	peer_call_drop(r);
	peer_file_drop(r);
	peer_recall_stop(r);
	peer_report_forget(r);
	list_remove(&r->node);
	s->run_count--;
	s->held -= r->held;
	a2a_remote_done(&r->remote);
	buf_done(&r->input);
	buf_done(&r->answer);
	buf_done(&r->why);
	buf_done(&r->told_id);
	arena_free(r->mem);
	memory_free(r);
	if (s->has_more && s->control && !s->is_stopping) {
		s->has_more = false;
		s->relist(s);
	}
}

/* ---- steps: each returns whether it started something ---- */

/* Text of the input: its parts of text, joined. */
static struct str input_text(struct peer_run *r, struct arena *mem)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json parts, each;
	struct json_iter it;
	struct error e;
	struct str key;

	if (!r->input.len || json_read_trusted(mem, buf_str(&r->input), &parts, &e) != OK)
		return r->objective;
	if (json_type(parts) == JSON_STR)
		return json_str(parts);
	it = json_iter(parts);
	while (json_next(&it, &key, &each)) {
		struct str text = json_str(JSON_GET(each, "text"));

		if (out.len && text.len)
			buf_add_char(&out, '\n');
		buf_add_str(&out, text);
	}
	return out.len ? arena_keep(mem, buf_str(&out)) : r->objective;
}

static bool step_failed(struct peer_run *r)
{
	if (!r->failed)
		return false;
	peer_call_drop(r);
	peer_report_fail(r, r->failed, buf_str(&r->why));
	peer_tool_ended(r, r->failed, buf_str(&r->why));
	return true;
}

static void on_cancel_late(struct loop_timer *t)
{
	struct peer_run *r = OWNER_OF(t, struct peer_run, cancel_by);

	peer_state_fail(r, "cancelled", STR("The remote agent did not confirm the cancellation"));
	peer_run_next(r);
}

/* One request cancels; its confirmation, its end or the deadline ends the run. */
static bool step_cancel(struct peer_run *r)
{
	if (!r->is_cancelling)
		return false;
	if (!loop_timer_is_running(&r->cancel_by))
		loop_timer_start(r->peer->set->o.loop, &r->cancel_by, LIMIT_PEER_CANCEL_MS,
		                 on_cancel_late);
	if (!str_is(r->remote.task_id) || a2a_remote_is_over(&r->remote)) {
		peer_state_fail(r, "cancelled",
		                a2a_remote_is_over(&r->remote)
		                        ? STR("The remote agent has ended the task")
		                        : STR("It was cancelled before the agent named a task"));
		return step_failed(r);
	}
	if (r->is_cancel_sent)
		return false;
	peer_call_drop(r);
	r->is_cancel_sent = true;
	r->no_subscribe = false;
	peer_call_ask(r, A2A_ASK_CANCEL, STR_NONE, STR_NONE);
	return true;
}

/* An agent that changes its state without end does not fill the log. */
static void send_report(struct peer_run *r, enum peer_state state, struct str reason)
{
	if (++r->reports > LIMIT_PEER_REPORTS) {
		peer_state_fail(r, "protocol", STR("The agent changes its state too often"));
		peer_state_later(r, 0);
		return;
	}
	r->told_ms = clock_mono_ms();
	peer_report_state(r, state, reason);
}

/* The card can be used; a changed one needs a person, one that is unusable a later try. */
static bool step_card(struct peer_run *r)
{
	struct peer *p = r->peer;

	if (!peer_card_is_ready(p))
		return true;
	if (str_is(p->card_why)) {
		peer_state_down(r, p->card_why);
		peer_state_later(r, 0);
		return true;
	}
	if (!p->is_card_changed) {
		r->is_allowed = false; /* a permission is for the card that was shown */
		return false;
	}
	if (r->is_declined) {
		peer_state_fail(r, "permission",
		                STR("The changed card of the agent was not allowed"));
		return step_failed(r);
	}
	if (r->is_allowed && sha256_eq(&r->shown_card, &p->agent.hash)) {
		peer_card_allow(p);
		r->is_allowed = false;
		return false;
	}
	if (r->is_allowed) {
		r->is_allowed = false;
		r->told = 0; /* the agent has another card by now: it is asked about as well */
	}
	if (r->told == PEER_STATE_CARD_CHANGED)
		return true;
	r->shown_card = p->agent.hash;
	send_report(r, PEER_STATE_CARD_CHANGED, STR_NONE);
	return true;
}

static bool is_question(const struct peer_run *r)
{
	return r->remote.state == A2A_STATE_INPUT_REQUIRED ||
	       r->remote.state == A2A_STATE_AUTH_REQUIRED;
}

static enum peer_state state_now(const struct peer_run *r)
{
	switch (r->remote.state) {
	case A2A_STATE_SUBMITTED:
		return PEER_STATE_IDLE;
	case A2A_STATE_INPUT_REQUIRED:
		return PEER_STATE_ASKS_INPUT;
	case A2A_STATE_AUTH_REQUIRED:
		return PEER_STATE_ASKS_LOGIN;
	default:
		return a2a_remote_is_over(&r->remote) ? PEER_STATE_ENDED : PEER_STATE_WORKING;
	}
}

static bool is_told(const struct peer_run *r, enum peer_state state)
{
	struct str id = str_is(r->remote.message_id) ? r->remote.message_id : STR("");

	return r->told == state && str_eq(buf_str(&r->told_id), id);
}

static bool is_reported_just_now(const struct peer_run *r)
{
	return r->told && clock_mono_ms() - r->told_ms < REPORT_MS;
}

/* The log knows what the agent said before anything relies on it. */
static bool step_report(struct peer_run *r)
{
	enum peer_state state = state_now(r);

	if (r->is_missing) {
		send_report(r, PEER_STATE_MISSING, STR_NONE);
		return true;
	}
	if (r->is_down) {
		if (r->is_down_told)
			return false;
		r->is_down_told = true;
		send_report(r, PEER_STATE_UNAVAILABLE, buf_str(&r->why));
		return true;
	}
	if (!r->wants_report || !r->remote.state)
		return false;
	/* An answer is on its way: the question is not asked again. */
	if (is_told(r, state) || (is_question(r) && (r->is_answered || str_is(r->action_id)))) {
		r->wants_report = false;
		return false;
	}
	if (is_reported_just_now(r) && state != PEER_STATE_ENDED) {
		peer_state_later(r, REPORT_MS);
		return true;
	}
	send_report(r, state, STR_NONE);
	return true;
}

/* ---- answers ---- */

/* The member `answer` of the object that the person gave. */
static struct str answer_text(struct peer_run *r, struct arena *mem)
{
	struct json v;
	struct error e;

	if (json_read_trusted(mem, buf_str(&r->answer), &v, &e) != OK)
		return buf_str(&r->answer);
	return str_is(json_str(JSON_GET(v, "answer"))) ? json_str(JSON_GET(v, "answer"))
	                                               : buf_str(&r->answer);
}

static bool may_stream(const struct peer *p)
{
	return p->agent.is_streaming && p->streams < LIMIT_PEER_CALLS;
}

static bool step_answer(struct peer_run *r)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (r->is_declined) {
		r->is_cancelling = true;
		return step_cancel(r);
	}
	if (!str_is(r->action_id) || !str_is(r->remote.task_id))
		return false;
	if (!r->has_answer) {
		peer_report_read(r, PEER_COMMAND_ANSWER, r->answer_ref);
		return true;
	}
	peer_call_drop(r);
	r->is_answering = true;
	mem = arena_new_small();
	peer_call_ask(r, may_stream(r->peer) ? A2A_ASK_STREAM : A2A_ASK_SEND, r->action_id,
	              answer_text(r, mem));
	return true;
}

/* ---- the way to the end ---- */

static bool step_send(struct peer_run *r)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (r->is_sent || str_is(r->remote.task_id))
		return false;
	if (!r->has_input) {
		peer_report_read(r, PEER_COMMAND_INPUT, r->input_ref);
		return true;
	}
	if (!may_stream(r->peer) && r->peer->requests >= LIMIT_PEER_CALLS) {
		peer_state_later(r, LIMIT_PEER_POLL_MS);
		return true;
	}
	mem = arena_new();
	peer_call_ask(r, may_stream(r->peer) ? A2A_ASK_STREAM : A2A_ASK_SEND, r->run_id,
	              input_text(r, mem));
	return true;
}

static const struct a2a_part *next_part(struct peer_run *r)
{
	while (r->artifact < r->remote.artifact_count) {
		const struct a2a_remote_artifact *a = &r->remote.artifacts[r->artifact];

		if (r->part < a->count)
			return &a->parts[r->part];
		r->artifact++;
		r->part = 0;
	}
	return NULL;
}

static bool is_too_large(const struct a2a_part *p)
{
	size_t max =
		p->kind == A2A_PART_RAW ? LIMIT_PEER_ARTIFACT_BASE64 : LIMIT_PEER_ARTIFACT_BYTES;

	return p->kind != A2A_PART_URL && p->value.len > max;
}

/* Reported once as not delivered.  After the last try a person retries or cancels the task. */
static bool step_undelivered(struct peer_run *r)
{
	if (!r->is_undelivered) {
		r->is_undelivered = true;
		send_report(r, PEER_STATE_UNDELIVERED, buf_str(&r->why));
		return true;
	}
	return r->tries >= LIMIT_PEER_DELIVER_TRIES;
}

/* spec: A2T-04 — all artifacts are here before the task completes. */
static bool step_deliver(struct peer_run *r)
{
	const struct a2a_part *p = next_part(r);

	if (r->remote.is_overflow || (p && is_too_large(p))) {
		peer_state_say(r, STR("The artifacts of the agent are larger than may be taken"));
		r->tries = LIMIT_PEER_DELIVER_TRIES;
		return step_undelivered(r);
	}
	if (!p) {
		peer_tool_ended(r, NULL, STR_NONE);
		peer_report_complete(r);
		return true;
	}
	if (r->tries >= LIMIT_PEER_DELIVER_TRIES)
		return step_undelivered(r);
	if (p->kind == A2A_PART_URL && !r->has_file) {
		if (r->file)
			return true;
		if (r->tries && step_undelivered(r))
			return true;
		peer_file_fetch(r, p->value);
		return true;
	}
	r->tries = 0;
	peer_report_artifact(r, &r->remote.artifacts[r->artifact], r->part);
	return true;
}

static void fail_ended(struct peer_run *r)
{
	struct str said = r->remote.text.len ? r->remote.text : STR("It gives no reason");

	peer_state_fail(r,
	                r->remote.state == A2A_STATE_CANCELED   ? "cancelled"
	                : r->remote.state == A2A_STATE_REJECTED ? "refusal"
	                                                        : "tool_failed",
	                said);
}

/* The agent has ended its task.  Its own record of it, not the stream, has the artifacts. */
static bool step_over(struct peer_run *r)
{
	if (!a2a_remote_is_over(&r->remote))
		return false;
	peer_call_drop(r);
	if (r->remote.state != A2A_STATE_COMPLETED) {
		fail_ended(r);
		return step_failed(r);
	}
	if (!r->remote.is_direct && !r->is_reconciled) {
		peer_call_ask(r, A2A_ASK_GET, STR_NONE, STR_NONE);
		return true;
	}
	return step_deliver(r);
}

/* A stream that broke is followed again; if that breaks as well, the agent is asked. */
static void step_follow(struct peer_run *r)
{
	bool is_broken = r->asked == A2A_ASK_SUBSCRIBE;

	if (!is_broken && !r->no_subscribe && may_stream(r->peer)) {
		peer_call_ask(r, A2A_ASK_SUBSCRIBE, STR_NONE, STR_NONE);
		return;
	}
	if (r->peer->requests >= LIMIT_PEER_CALLS) {
		peer_state_later(r, LIMIT_PEER_POLL_MS);
		return;
	}
	peer_call_ask(r, A2A_ASK_GET, STR_NONE, STR_NONE);
}

/* The request under way gives way to a cancellation, an answer and the end. */
static bool is_asking(const struct peer_run *r)
{
	if (!r->http || a2a_remote_is_over(&r->remote))
		return false;
	if (r->is_cancelling && !r->is_cancel_sent)
		return false;
	return r->is_answering || !str_is(r->action_id);
}

static bool waits(struct peer_run *r)
{
	int64_t left = r->not_before_ms - clock_mono_ms();

	if (left <= 0)
		return false;
	peer_state_later(r, left);
	return true;
}

void peer_run_next(struct peer_run *r)
{
	if (r->peer->set->is_stopping || r->command)
		return;
	if (r->is_gone) {
		peer_run_free(r);
		return;
	}
	if (step_failed(r) || step_report(r) || is_asking(r) || step_cancel(r))
		return;
	if (r->is_paused || r->file || r->recall || waits(r) || step_card(r))
		return;
	if (step_over(r) || step_answer(r) || step_send(r))
		return;
	step_follow(r);
}
