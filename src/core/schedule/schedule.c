/* Commands on schedules: create, pause, resume, remove. */
#include "core/schedule/schedule.h"

#include "core/channel/channel.h"
#include "core/schedule/cron.h"
#include "core/gen/tables.h"
#include "core/session/session.h"

const struct st_schedule *schedule_find(const struct state *w, struct str schedule_id)
{
	for (uint32_t i = 0; i < w->s->schedules.count; i++)
		if (str_eq(w->s->schedules.items[i]->record->schedule_id, schedule_id))
			return w->s->schedules.items[i];
	return NULL;
}

static const struct st_schedule *find_named(struct decision *d, struct str id)
{
	const struct st_schedule *s = schedule_find(d->w, id);

	if (!s)
		decision_refuse(d, ERROR_CODE_SCHEDULE_NOT_FOUND,
		                "%.*s is not a schedule of this session", STR_ARG(id));
	return s;
}

/* ---- when ---- */

static const struct tz *zone_of(const struct settings *s, struct str name)
{
	if (!str_is(name) || str_eq(name, STR("UTC")))
		return &tz_utc;
	return s->zone ? s->zone(s->zone_owner, name) : NULL;
}

/* An interval counts from the time that was due, not from now, so that runs do not drift. */
bool schedule_next(const struct decision *d, const struct rec_schedule *r, int64_t after,
                   int64_t *ret)
{
	const struct tz *z;
	struct cron c;

	if (r->at)
		*ret = r->at > after ? r->at : 0;
	else if (r->has_every_ms)
		*ret = after + r->every_ms;
	else {
		z = zone_of(d->settings, r->timezone);
		if (!z || cron_read(r->cron, &c, NULL) != OK)
			return false;
		*ret = cron_next(&c, z, after / 1000) * 1000;
	}
	return true;
}

/* ---- making ---- */

/* The schedule owns session, thread and id of its tasks; a template that names them is refused. */
bool schedule_task(struct decision *d, struct str text, struct cmd_create_task *ret,
                   struct error *e)
{
	struct json v;

	if (json_read_trusted(d->mem, text, &v, e) != OK ||
	    rec_read(d->mem, v, &cmd_create_task_desc, REC_CALLER, ret, e) != OK)
		return false;
	if (!str_is(ret->session_id) && !str_is(ret->thread_id) && !str_is(ret->task_id) &&
	    !str_is(ret->idempotency_key) && !str_is(ret->cwd) && !ret->create)
		return true;
	fail(e, ERR_INVALID,
	     "sessionId, threadId, taskId, cwd, create and idempotencyKey are the schedule's");
	return false;
}

/*
 * A task that create_task would refuse is refused now, not at every run.  Runs create_task on a
 * copy of the decision whose events are thrown away.
 */
static bool check_task(struct decision *d, struct str text)
{
	struct cmd_create_task task = { 0 };
	struct decision probe = *d;
	struct error e = { 0 };

	if (!schedule_task(d, text, &task, &e)) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "task: %s", e.message);
		return false;
	}
	probe.events = NULL;
	probe.blobs = NULL;
	probe.count = probe.cap = probe.blob_count = probe.blob_cap = 0;
	task.session_id = d->session_id;
	decide_create_task(&probe, &task);
	if (probe.refusal)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "task: %.*s", STR_ARG(probe.detail));
	return !probe.refusal;
}

static bool check_when(struct decision *d, const struct cmd_create_schedule *c)
{
	struct cron cron;
	struct error e = { 0 };

	if (str_is(c->cron) + c->has_every_ms + (c->at != 0) != 1)
		decision_refuse(d, ERROR_CODE_MISSING_FIELD, "cron, everyMs or at, one of them");
	else if (str_is(c->cron) && cron_read(c->cron, &cron, &e) != OK)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "cron: %s", e.message);
	else if (c->has_every_ms &&
	         (c->every_ms < LIMIT_SCHEDULE_MIN_MS || c->every_ms > LIMIT_SCHEDULE_MAX_MS))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "everyMs: %lld to %lld",
		                (long long)LIMIT_SCHEDULE_MIN_MS, (long long)LIMIT_SCHEDULE_MAX_MS);
	else if (c->at && c->at <= d->wall)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "at: has passed");
	else if (str_is(c->timezone) && !str_is(c->cron))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "timezone: only with cron");
	else if (str_is(c->timezone) && !zone_of(d->settings, c->timezone))
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "timezone: %.*s is not known here",
		                STR_ARG(c->timezone));
	else if (d->w->s->schedules.count >= LIMIT_SCHEDULES_PER_SESSION)
		decision_refuse(d, ERROR_CODE_TOO_MANY_OPEN, "a session has %d schedules at most",
		                LIMIT_SCHEDULES_PER_SESSION);
	return !d->refusal;
}

/* Schedules have no class in the standard; policy.changed carries them (GAP-29). */
struct event *schedule_emit(struct decision *d, const struct rec_schedule *r,
                            enum policy_change change)
{
	struct event *ev = EMIT(d, POLICY_CHANGED, policy_changed, .change = change,
	                        .scope = GRANT_SCOPE_SESSION,
	                        .source = d->call ? POLICY_SOURCE_COMMAND : POLICY_SOURCE_RUNTIME,
	                        .schedule_id = r->schedule_id);

	ev->thread_id = r->thread_id;
	return ev;
}

static struct ev_policy_changed *payload_of(struct event *ev)
{
	return (struct ev_policy_changed *)ev->payload;
}

/* Each schedule has its own thread, so that its tasks do not wait behind other work. */
void decide_create_schedule(struct decision *d, const struct cmd_create_schedule *c)
{
	struct rec_schedule *r;
	struct reply_create_schedule reply = { .session_id = d->session_id };
	bool is_new = !session_exists(d->w);

	if (!check_when(d, c) || !check_task(d, c->task))
		return;
	r = KEPT(d, struct rec_schedule,
	         .schedule_id =
	                 str_is(c->schedule_id) ? c->schedule_id : decision_new_id(d, "sched"),
	         .session_id = d->session_id, .status = SCHEDULE_STATUS_ACTIVE, .cron = c->cron,
	         .every_ms = c->every_ms, .has_every_ms = c->has_every_ms, .at = c->at,
	         .timezone = c->timezone,
	         .missed_policy = c->missed_policy ? c->missed_policy : MISSED_POLICY_ONCE,
	         .overlap = c->overlap ? c->overlap : OVERLAP_POLICY_SKIP, .task = c->task);
	/* Zone and expression were checked above, so only the result matters. */
	schedule_next(d, r, schedule_now(d, r), &r->next_at);
	if (!r->next_at) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "cron: %.*s never falls due",
		                STR_ARG(c->cron));
		return;
	}
	if (is_new)
		session_emit(d,
		             &(struct session_birth){ .title = STR("Schedules"), .cwd = c->cwd });
	r->thread_id = session_emit_thread(
		d, STR_NONE, is_new ? STR("session.created") : STR("create_schedule"));
	if (is_new)
		channel_bind(d);
	payload_of(schedule_emit(d, r, POLICY_CHANGE_SCHEDULE_ADDED))->schedule = r;
	reply.schedule_id = r->schedule_id;
	reply.next_at = r->next_at;
	d->reply = rec_text(d->mem, &reply_create_schedule_desc, &reply);
}

/* ---- pausing, resuming, removing ---- */

void decide_pause_schedule(struct decision *d, const struct cmd_pause_schedule *c)
{
	const struct st_schedule *s = find_named(d, c->schedule_id);
	struct reply_pause_schedule reply = { .schedule_id = c->schedule_id,
		                              .status = SCHEDULE_STATUS_PAUSED };

	if (!s)
		return;
	if (s->record->status == SCHEDULE_STATUS_ENDED) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "it never falls due again");
		return;
	}
	if (s->record->status == SCHEDULE_STATUS_ACTIVE)
		schedule_emit(d, s->record, POLICY_CHANGE_SCHEDULE_PAUSED);
	d->reply = rec_text(d->mem, &reply_pause_schedule_desc, &reply);
}

/* Runs that were due during the pause are not made up for: the next time is computed from now. */
void decide_resume_schedule(struct decision *d, const struct cmd_resume_schedule *c)
{
	const struct st_schedule *s = find_named(d, c->schedule_id);
	struct reply_resume_schedule reply = { .schedule_id = c->schedule_id,
		                               .status = SCHEDULE_STATUS_ACTIVE };
	int64_t next = 0;

	if (!s)
		return;
	reply.next_at = s->record->next_at;
	if (s->record->status == SCHEDULE_STATUS_PAUSED) {
		if (!schedule_next(d, s->record, schedule_now(d, s->record), &next) || !next) {
			decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "its time has passed");
			return;
		}
		payload_of(schedule_emit(d, s->record, POLICY_CHANGE_SCHEDULE_RESUMED))->next_at =
			next;
		reply.next_at = next;
	} else if (s->record->status == SCHEDULE_STATUS_ENDED) {
		decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "it never falls due again");
		return;
	}
	d->reply = rec_text(d->mem, &reply_resume_schedule_desc, &reply);
}

void decide_delete_schedule(struct decision *d, const struct cmd_delete_schedule *c)
{
	const struct st_schedule *s = find_named(d, c->schedule_id);
	struct reply_delete_schedule reply = { .schedule_id = c->schedule_id,
		                               .status = SCHEDULE_STATUS_ENDED };

	if (!s)
		return;
	schedule_emit(d, s->record, POLICY_CHANGE_SCHEDULE_REMOVED);
	d->reply = rec_text(d->mem, &reply_delete_schedule_desc, &reply);
}
