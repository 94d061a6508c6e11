/*
 * Enrolled connections: bound to a session by their first command, forwarded
 * its approvals, reported when they leave and when they come back.
 */
#include "core/channel/channel.h"

#include "base/jw.h"
#include "core/gen/tables.h"
#include "core/runtime_events.h"
#include "core/session/session.h"
#include "core/view/view.h"

static struct rec_channel *record_of(struct decision *d, const struct rec_channel *channel)
{
	struct rec_channel *c = rec_clone(d->mem, &rec_channel_desc, channel);

	c->last_seen_at = d->now;
	return c;
}

static void emit_connected(struct decision *d, const struct rec_channel *channel,
                           struct str thread_id, struct str cause)
{
	struct event *ev = EMIT(d, CHANNEL_CONNECTED, channel_connected, .cause = cause,
	                        .transport = channel->transport, .peer_role = channel->peer_role);

	ev->thread_id = thread_id;
	ev->channel_id = channel->channel_id;
	ev->channel = record_of(d, channel);
}

static void emit_resumed(struct decision *d, const struct rec_channel *channel,
                         struct str thread_id, int64_t acked)
{
	struct event *ev =
		EMIT(d, CHANNEL_RESUMED, channel_resumed, .from_sequence = acked + 1,
	             .last_acked_sequence = acked, .snapshot_sequence = d->w->s->sequence,
	             .has_snapshot_sequence = true, .transport = channel->transport);

	ev->thread_id = thread_id;
	ev->channel_id = channel->channel_id;
	ev->channel = record_of(d, channel);
	ev->channel->last_acked_sequence = acked;
	ev->channel->has_last_acked_sequence = true;
}

/*
 * spec: GAP-63 — one event per action and attached channel that may decide it.  A channel that has
 * been sent the action is not sent it again after a reconnect.
 */
void channel_forward(struct decision *d, const struct rec_channel *channel,
                     const struct st_thread *th, const struct st_turn *t, const struct st_call *c,
                     const struct st_action *a)
{
	struct event *ev;

	if (rec_list_str_find(&channel->capabilities, STR("permissions")) < 0 ||
	    rec_list_str_find(&a->forwarded_to, channel->channel_id) >= 0)
		return;
	ev = EMIT(d, CHANNEL_PERMISSION_FORWARDED, channel_permission_forwarded,
	          .requested_by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME),
	          .subject = KEPT(d, struct rec_permission_subject,
	                          .tool_call_id = c ? c->tool_call_id : STR_NONE,
	                          .action_id = c ? STR_NONE : a->action_id),
	          .expires_at = a->expires_at);
	if (c)
		decision_in_call(ev, th, t, c);
	else
		decision_in_turn(ev, th, t);
	ev->action_id = a->action_id;
	ev->channel_id = channel->channel_id;
}

static bool is_resolved_here(const struct decision *d, struct str action_id)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_ACTION_RESOLVED &&
		    str_eq(d->events[i]->action_id, action_id))
			return true;
	return false;
}

/* Actions that were opened before the channel attached. */
static void forward_pending(struct decision *d, const struct rec_channel *channel)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];

		for (uint32_t n = 0; n < th->actions.count; n++) {
			const struct st_action *a = th->actions.items[n];
			const struct st_turn *t = state_thread_turn(th, a->turn_id);
			const struct st_call *c = str_is(a->tool_call_id)
			                                  ? state_thread_call(th, a->tool_call_id)
			                                  : NULL;

			if (t && action_is_pending(a) && !is_resolved_here(d, a->action_id))
				channel_forward(d, channel, th, t, c, a);
		}
	}
}

/* The thread that this decision creates, or the session's main one. */
static struct str thread_of(struct decision *d)
{
	const struct st_thread *th = state_main_thread(d->w);

	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_THREAD_STARTED)
			return d->events[i]->thread_id;
	return th ? th->thread_id : STR_NONE;
}

/*
 * Idempotent within a session and within one decision, because several parts of a decision call
 * it.
 */
void channel_bind(struct decision *d)
{
	const struct rec_channel *channel = d->call ? d->call->channel : NULL;
	const struct st_channel *known = channel ? state_channel(d->w, channel->channel_id) : NULL;

	if (!channel || (known && known->status == STATUS_RUNNING))
		return;
	for (size_t i = 0; i < d->count; i++)
		if ((d->events[i]->type == EV_CHANNEL_CONNECTED ||
		     d->events[i]->type == EV_CHANNEL_RESUMED) &&
		    str_eq(d->events[i]->channel_id, channel->channel_id))
			return;
	if (known)
		emit_resumed(d, channel, thread_of(d), known->acked);
	else
		emit_connected(d, channel, thread_of(d), STR("bound to session"));
	forward_pending(d, channel);
}

/* `acked` below 0: what was acknowledged is not known, and the event does not say it. */
static void emit_gone(struct decision *d, const struct st_channel *c, enum disconnect_cause cause,
                      int64_t acked)
{
	const struct st_thread *th = state_main_thread(d->w);
	bool is_known = acked >= 0;
	struct event *ev = EMIT(d, CHANNEL_DISCONNECTED, channel_disconnected, .cause = cause,
	                        .last_acked_sequence = is_known ? acked : 0,
	                        .has_last_acked_sequence = is_known);

	ev->thread_id = th ? th->thread_id : STR_NONE;
	ev->channel_id = c->record->channel_id;
	ev->channel = record_of(d, c->record);
	ev->channel->last_acked_sequence = is_known ? acked : 0;
	ev->channel->has_last_acked_sequence = is_known;
}

/* An acknowledgement never goes back: the larger of both counts. */
void channel_gone(struct decision *d, struct str channel_id, enum disconnect_cause cause,
                  int64_t acked)
{
	const struct st_channel *c = state_channel(d->w, channel_id);

	if (c && c->status == STATUS_RUNNING)
		emit_gone(d, c, cause, MAX(acked, c->acked));
}

void decide_leave_channel(struct decision *d, const struct cmd_leave_channel *cmd)
{
	struct reply_leave_channel r = { .channel_id = cmd->channel_id };

	channel_gone(d, cmd->channel_id, cmd->cause, cmd->last_acked_sequence);
	d->reply = rec_text(d->mem, &reply_leave_channel_desc, &r);
}

/*
 * The process ended without a word, and acknowledgements of the last connection ended with it.  The
 * state keeps the newest one that an event recorded: the channel resumes there, and some events are
 * sent twice.
 */
void channel_recover(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->channels.count; i++) {
		const struct st_channel *c = d->w->s->channels.items[i];

		if (c->status == STATUS_RUNNING)
			emit_gone(d, c, DISCONNECT_CAUSE_SHUTDOWN, -1);
	}
}

/* In the system session, where channels exist before they use any session. */
void channel_enrolled(struct decision *d, const struct rec_channel *channel)
{
	const struct st_channel *known = state_channel(d->w, channel->channel_id);
	struct str thread_id = STR("thr_system");

	runtime_events_emit_system_session(d, STR("system"), thread_id);
	if (known && known->status == STATUS_RUNNING)
		return;
	if (known)
		emit_resumed(d, channel, thread_id, known->acked);
	else
		emit_connected(d, channel, thread_id, STR("enrolled"));
}

/* One event for many refusals (count), so that guessing tokens cannot fill the log. */
void channel_login_refused(struct decision *d, struct str via, int64_t count, struct str address)
{
	struct event *ev;

	runtime_events_emit_system_session(d, STR("system"), STR("thr_system"));
	ev = EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_LOGIN_REFUSED,
	          .message = arena_printf(
			  d->mem, "A caller without a valid token was refused (%.*s%s%.*s).",
			  STR_ARG(via), str_is(address) ? ", from " : "", STR_ARG(address)),
	          .cause = via, .count = count, .has_count = true,
	          .remedy = STR("`thole token` prints the token of this installation."));
	ev->thread_id = STR("thr_system");
}

/* Retention has removed events that the peer has not seen: the reply reports the gap first. */
static void report_gap(struct decision *d, int64_t acked, struct reply_reconnect_channel *r)
{
	int64_t through = d->w->s->removed_through;
	struct event *ev;

	r->stale =
		STRINGS(d, STR("session_snapshot"), STR("thread_read_model"), STR("task_snapshot"));
	ev = EMIT(d, SNAPSHOT_REPAIRED, snapshot_repaired, .models = r->stale,
	          .reason = STR("expired_cursor"), .reflects_sequence = d->w->s->sequence,
	          .recovery_mode = RECOVERY_MODE_RETENTION, .has_gap_from = true,
	          .gap_from = acked + 1, .has_gap_to = true, .gap_to = through, .stale = r->stale);
	ev->channel_id = r->channel_id;
	r->gap = r->has_gap = true;
	r->gap_from = acked + 1;
	r->gap_to = through;
	r->has_gap_from = r->has_gap_to = true;
	r->recovery_mode = RECOVERY_MODE_RETENTION;
	r->from_sequence = through + 1;
}

/*
 * spec: contracts/remote-channels — a snapshot first, then from what was acknowledged.  The channel
 * must be that of the connection: its resume token was checked when it was enrolled.  A known
 * channel keeps its account, so that another account cannot take it over by its id.
 */
void decide_reconnect_channel(struct decision *d, const struct cmd_reconnect_channel *cmd)
{
	const struct rec_channel *channel = d->call->channel;
	const struct st_channel *known = state_channel(d->w, cmd->channel_id);
	struct reply_reconnect_channel r = { .channel_id = cmd->channel_id };
	int64_t acked = cmd->has_last_acked_sequence ? cmd->last_acked_sequence
	                : known                      ? known->acked
	                                             : 0;
	struct buf out = { 0 };
	struct json_writer w;

	if (!channel || !str_eq(channel->channel_id, cmd->channel_id)) {
		decision_refuse(
			d, ERROR_CODE_CHANNEL_NOT_FOUND,
			"this connection is not enrolled as %.*s: initialize it with its resume "
			"token",
			STR_ARG(cmd->channel_id));
		return;
	}
	if (acked < 0 || acked > d->w->s->sequence) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "lastAckedSequence: 0 to %lld",
		                (long long)d->w->s->sequence);
		return;
	}
	if (known && !str_eq(known->record->account_ref, channel->account_ref)) {
		decision_refuse(d, ERROR_CODE_FORBIDDEN, "%.*s belongs to another account",
		                STR_ARG(cmd->channel_id));
		return;
	}
	if (known) {
		emit_resumed(d, channel, thread_of(d), acked);
		forward_pending(d, channel);
	} else {
		channel_bind(d);
	}
	jw_init(&w, &out);
	view_session(&w, d->w, d->settings);
	r.snapshot = arena_keep(d->mem, buf_str(&out));
	buf_done(&out);
	r.from_sequence = acked + 1;
	if (acked < d->w->s->removed_through)
		report_gap(d, acked, &r);
	d->reply = rec_text(d->mem, &reply_reconnect_channel_desc, &r);
}
