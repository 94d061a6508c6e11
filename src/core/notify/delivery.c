/*
 * Deliveries of one session: which ones a decision adds, which is sent next,
 * and how an attempt ends.
 */
#include "core/notify/delivery.h"

#include "base/gen/limits.h"
#include "base/jw.h"

#include "base/utf8.h"
#include "core/hook/hook.h"
#include "core/session/trace.h"

bool delivery_is_open(const struct st_delivery *s)
{
	return s->record->state == DELIVERY_STATUS_PENDING ||
	       s->record->state == DELIVERY_STATUS_QUEUED;
}

const struct st_delivery *delivery_find(const struct state *w, struct str id)
{
	for (uint32_t i = 0; i < w->s->deliveries.count; i++)
		if (str_eq(w->s->deliveries.items[i]->record->delivery_id, id))
			return w->s->deliveries.items[i];
	return NULL;
}

/* ---- events ---- */

/* Each change carries the whole record, so the fold replaces it. */
static void emit_delivery(struct decision *d, const struct rec_delivery *r, struct str thread_id)
{
	struct event *ev =
		EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("delivery")),
	             .delivery = rec_clone(d->mem, &rec_delivery_desc, r));

	ev->thread_id = thread_id;
	ev->delivery_state = KEPT(d, struct rec_delivery_state, .state = r->state, .to = r->to,
	                          .reason = r->reason);
}

/* ---- subjects and receivers ---- */

/* An action that is resolved in the same decision needs no notification. */
static bool is_asked(const struct decision *d, struct str action_id)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_ACTION_RESOLVED &&
		    str_eq(d->events[i]->action_id, action_id))
			return false;
	return true;
}

/*
 * The subject of a notification for this event; 0: none.  Only ends that a person may wait for:
 * real tasks, jobs, turns of users; and open actions.  Parts of larger work (implicit tasks, turns
 * of tasks and jobs) are covered by the whole.
 */
static enum delivery_subject subject_of(const struct decision *d, const struct event *ev,
                                        struct str *ret_id)
{
	const struct st_task *task;
	const struct st_turn *turn;

	switch (ev->type) {
	case EV_TASK_COMPLETED:
	case EV_TASK_FAILED:
	case EV_TASK_CANCELLED:
	case EV_TASK_TIMED_OUT:
	case EV_TASK_LOST:
		task = state_task(d->w, ev->task_id);
		*ret_id = ev->task_id;
		return task && !task->implicit ? DELIVERY_SUBJECT_TASK : 0;
	case EV_JOB_COMPLETED:
	case EV_JOB_FAILED:
	case EV_JOB_CANCELLED:
		*ret_id = ev->job_id;
		return DELIVERY_SUBJECT_JOB;
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
		turn = state_turn(d->w, ev->turn_id, NULL);
		*ret_id = ev->turn_id;
		return turn && turn->kind == TURN_KIND_USER ? DELIVERY_SUBJECT_TURN : 0;
	case EV_ACTION_REQUIRED:
		*ret_id = ev->action_id;
		return is_asked(d, ev->action_id) ? DELIVERY_SUBJECT_ACTION : 0;
	default:
		return 0;
	}
}

static bool is_receiver(const struct hook_info *h, enum delivery_subject what)
{
	return h->point == HOOK_POINT_DELIVERY &&
	       (!str_is(h->match) || hook_covers(h->match, delivery_subject_word(what)));
}

static uint32_t open_count(const struct state *w)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->s->deliveries.count; i++)
		count += delivery_is_open(w->s->deliveries.items[i]);
	return count;
}

static struct str summary_of(const struct decision *d, const struct event *ev)
{
	const struct st_turn *t = str_is(ev->turn_id) ? state_turn(d->w, ev->turn_id, NULL) : NULL;

	if (ev->type == EV_ACTION_REQUIRED)
		return ((const struct ev_action_required *)ev->payload)->prompt;
	if (str_is(ev->status_reason))
		return ev->status_reason;
	return t ? t->last_message_preview : STR_NONE;
}

static void set_times(struct rec_delivery *r, const struct event *ev, int64_t now)
{
	const struct ev_action_required *p = ev->payload;

	if (ev->type != EV_ACTION_REQUIRED) {
		r->ended_at = now;
		return;
	}
	r->asked_at = now;
	r->expires_at = p->wait ? p->wait->until : 0;
}

/* Kept in the record, because the turn may have left the state when a later attempt is made. */
static void set_trace(struct rec_delivery *r, struct decision *d, const struct event *ev)
{
	struct trace_headers h = trace_about(d, ev);

	r->traceparent = h.parent;
	r->tracestate = h.state;
}

/*
 * Called by the engine for every decision before it is applied: the notification is in the same
 * commit as the end, so a crash loses neither or both.  Beyond the limit, deliveries are recorded
 * as failed instead of being dropped silently.
 */
void delivery_follow(struct decision *d)
{
	size_t count = d->count;
	uint32_t room =
		LIMIT_DELIVERIES_PER_SESSION - MIN(open_count(d->w), LIMIT_DELIVERIES_PER_SESSION);

	for (size_t i = 0; i < count; i++) {
		const struct event *ev = d->events[i];
		struct str id = STR_NONE, summary;
		enum delivery_subject what = d->settings->hook_count ? subject_of(d, ev, &id) : 0;

		for (size_t n = 0; what && n < d->settings->hook_count; n++) {
			const struct hook_info *h = &d->settings->hooks[n];
			struct rec_delivery r = { .delivery_id = STR_NONE,
				                  .to = h->ref,
				                  .subject = what,
				                  .subject_id = id,
				                  .status = ev->status };

			if (!is_receiver(h, what))
				continue;
			set_times(&r, ev, d->now);
			set_trace(&r, d, ev);
			summary = summary_of(d, ev);
			r.delivery_id = decision_new_id(d, "dlv");
			r.summary = str_is(summary) ? utf8_preview(d->mem, summary, 500) : STR_NONE;
			r.state = room ? DELIVERY_STATUS_PENDING : DELIVERY_STATUS_FAILED;
			r.reason = room ? STR_NONE
			                : STR("too many deliveries of this session are open");
			room -= room > 0;
			emit_delivery(d, &r, ev->thread_id);
		}
	}
}

/* ---- sending ---- */

const struct st_delivery *delivery_next(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->deliveries.count; i++)
		if (w->s->deliveries.items[i]->record->state == DELIVERY_STATUS_PENDING)
			return w->s->deliveries.items[i];
	return NULL;
}

static void write_time(struct json_writer *w, struct str key, int64_t at)
{
	if (!at)
		return;
	jw_key(w, key);
	jw_time(w, at);
}

/*
 * The id lets the receiver recognise a repetition: a crash between sending and recording sends
 * again.
 */
struct str delivery_body(struct arena *mem, const struct state *w, const struct st_delivery *s)
{
	static const struct str ids[] = { [DELIVERY_SUBJECT_TASK] = { "taskId", 6 },
		                          [DELIVERY_SUBJECT_JOB] = { "jobId", 5 },
		                          [DELIVERY_SUBJECT_TURN] = { "turnId", 6 },
		                          [DELIVERY_SUBJECT_ACTION] = { "actionId", 8 } };
	const struct rec_delivery *r = s->record;
	struct buf out = { 0 };
	struct json_writer jw;
	struct str text;

	jw_init(&jw, &out);
	jw_obj(&jw);
	JW_KSTR(&jw, "deliveryId", r->delivery_id);
	JW_KSTR(&jw, "point", STR("delivery"));
	JW_KSTR(&jw, "sessionId", w->s->session_id);
	JW_KOPT(&jw, "threadId", s->thread_id);
	JW_KSTR(&jw, "subject", delivery_subject_word(r->subject));
	jw_kstr(&jw, ids[r->subject], r->subject_id);
	if (r->status)
		JW_KSTR(&jw, "status", status_word(r->status));
	write_time(&jw, STR("endedAt"), r->ended_at);
	write_time(&jw, STR("askedAt"), r->asked_at);
	write_time(&jw, STR("expiresAt"), r->expires_at);
	JW_KOPT(&jw, "summary", r->summary);
	JW_KINT(&jw, "attempt", r->attempts + 1);
	jw_obj_end(&jw);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

/* Four times as long after each attempt. */
static int64_t backoff_ms(int64_t attempts)
{
	int64_t wait = LIMIT_DELIVERY_BASE_MS;

	for (int64_t i = 1; i < attempts && wait < LIMIT_DELIVERY_WAIT_MAX_MS; i++)
		wait *= 4;
	return MIN(wait, LIMIT_DELIVERY_WAIT_MAX_MS);
}

void delivery_end(struct decision *d, struct str id, struct str message)
{
	const struct st_delivery *s = delivery_find(d->w, id);
	struct rec_delivery r;

	if (!s || s->record->state != DELIVERY_STATUS_PENDING)
		return;
	r = *s->record;
	r.attempts++;
	r.reason = message;
	r.next_at = 0;
	if (!str_is(message)) {
		r.state = DELIVERY_STATUS_DELIVERED;
	} else if (r.attempts >= LIMIT_DELIVERY_ATTEMPTS) {
		r.state = DELIVERY_STATUS_FAILED;
	} else {
		r.state = DELIVERY_STATUS_QUEUED;
		r.next_at = d->now + backoff_ms(r.attempts);
	}
	emit_delivery(d, &r, s->thread_id);
}

void delivery_orphan(struct decision *d, struct str id)
{
	const struct st_delivery *s = delivery_find(d->w, id);
	struct rec_delivery r;

	if (!s || !delivery_is_open(s))
		return;
	r = *s->record;
	r.state = DELIVERY_STATUS_PARENT_MISSING;
	r.reason = STR("the receiver is not in the settings any more");
	r.next_at = 0;
	emit_delivery(d, &r, s->thread_id);
}

/* ---- time ---- */

/* A notification about a resolved action is obsolete. */
static bool is_stale(const struct state *w, const struct rec_delivery *r)
{
	const struct st_action *a;

	if (r->subject != DELIVERY_SUBJECT_ACTION)
		return false;
	a = state_action(w, r->subject_id, NULL);
	return !a || !action_is_pending(a);
}

/* QUEUED becomes PENDING when its time has come; the engine sends what is pending. */
bool delivery_time(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->deliveries.count; i++) {
		const struct st_delivery *s = d->w->s->deliveries.items[i];
		struct rec_delivery r = *s->record;

		if (r.state != DELIVERY_STATUS_QUEUED || r.next_at > d->now)
			continue;
		r.state = DELIVERY_STATUS_PENDING;
		r.next_at = 0;
		if (is_stale(d->w, &r)) {
			r.state = DELIVERY_STATUS_NOT_APPLICABLE;
			r.reason = STR("the action was already answered");
		}
		emit_delivery(d, &r, s->thread_id);
		return true;
	}
	return false;
}

int64_t delivery_deadline(const struct state *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->deliveries.count; i++) {
		const struct rec_delivery *r = w->s->deliveries.items[i]->record;

		if (r->state == DELIVERY_STATUS_QUEUED && (!best || r->next_at < best))
			best = r->next_at;
	}
	return best;
}

/* ---- views ---- */

/* The larger, the more attention it needs. */
int delivery_weight(enum delivery_status s)
{
	switch (s) {
	case DELIVERY_STATUS_FAILED:
	case DELIVERY_STATUS_PARENT_MISSING:
		return 4;
	case DELIVERY_STATUS_QUEUED:
		return 3;
	case DELIVERY_STATUS_PENDING:
		return 2;
	default:
		return 1;
	}
}

const struct rec_delivery *delivery_worst(const struct state *w, struct str thread_id)
{
	const struct rec_delivery *worst = NULL;

	for (uint32_t i = w->s->deliveries.count; i-- > 0;) {
		const struct st_delivery *s = w->s->deliveries.items[i];

		if (str_is(thread_id) && !str_eq(s->thread_id, thread_id))
			continue;
		if (!worst || delivery_weight(s->record->state) > delivery_weight(worst->state))
			worst = s->record;
	}
	return worst;
}

/* ---- queries of folds ---- */

bool delivery_is_pending(const struct state *w, struct str task_id)
{
	for (uint32_t i = 0; i < w->s->deliveries.count; i++) {
		const struct st_delivery *s = w->s->deliveries.items[i];

		if (delivery_is_open(s) && s->record->subject == DELIVERY_SUBJECT_TASK &&
		    str_eq(s->record->subject_id, task_id))
			return true;
	}
	return false;
}
