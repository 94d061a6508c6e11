/*
 * Connected channels.  Events about them are folded like all others; this file
 * only knows which are connected now, and what each has acknowledged (a crash
 * may lose that: then some events are sent twice).
 */
#include "engine/resources/channels.h"

#include "core/gen/inputs.h"
#include "base/hash/secret.h"
#include "core/channel/channel.h"
#include "engine/request/channel.h"
#include "engine/session/apply.h"
#include "engine/gen/queries.h"
#include "engine/engine_state.h"

#include <stdio.h>

/* A channel without a connection counts as disconnected after this silence. */
#define LOOSE_PATIENCE_MS 90000

/*
 * Events about the channel are written by jobs that may wait for a session to load; the
 * last of them frees it.
 */
static void release_channel(struct channel *ch)
{
	if (ch->is_gone && !ch->jobs)
		arena_free(ch->mem);
}

static void record_enrolment(struct session *s, void *arg)
{
	struct channel *ch = arg;

	if (s && s->phase == SESSION_LIVE) {
		struct decision *d = apply_begin(s, NULL);

		ch->enrolled_in = arena_keep(ch->mem, s->id);
		input_channel_enrolled(d, ch->record);
		apply_end(s, d);
	}
	ch->jobs--;
	release_channel(ch);
}

/*
 * NULL: the token is wrong, or the channel is connected already.  A second connection does
 * not take over the first: the old one has to end or time out.
 */
static struct channel *enrol_as(struct engine *e, const struct control_enrol *enrol, bool is_loose)
{
	struct arena *mem = arena_new();
	struct channel *ch = ARENA_NEW(mem, struct channel);
	struct id_source src = clock_ids(e);

	ch->engine = e;
	ch->mem = mem;
	ch->handle.id = str_is(enrol->channel_id) ? arena_keep(mem, enrol->channel_id)
	                                          : id_make(mem, &src, "chan");
	ch->handle.resume_token = channel_token(e, mem, ch->handle.id);
	/*
	 * A connection proves its earlier identity; a channel without one is checked against the
	 * events.
	 */
	if ((str_is(enrol->channel_id) && !enrol->is_proven &&
	     (!is_loose || str_is(enrol->resume_token)) &&
	     !secret_eq(enrol->resume_token, ch->handle.resume_token)) ||
	    map_get(&e->channels, ch->handle.id) || e->is_stopping) {
		arena_free(mem);
		return NULL;
	}
	ch->is_loose = is_loose;
	ch->principal = arena_keep(mem, enrol->caller.principal);
	ch->record = ARENA_NEW(mem, struct rec_channel);
	*ch->record = (struct rec_channel){
		.channel_id = ch->handle.id,
		.transport = enrol->transport,
		.peer_role = enrol->role,
		.account_ref =
			arena_printf(mem, "account:local:%.*s", STR_ARG(enrol->caller.principal)),
		.native_protocol = arena_keep(mem, enrol->native_protocol),
		.agent_card_ref = arena_keep(mem, enrol->card_ref),
		.has_is_sandboxed = enrol->is_outside,
		/* A name for the secret, never the secret. */
		.resume_token_ref = arena_printf(mem, "token:%.*s", STR_ARG(ch->handle.id)),
	};
	for (size_t i = 0; i < enrol->capability_count; i++)
		rec_list_str_add(mem, &ch->record->capabilities, enrol->capabilities[i]);
	map_put(&e->channels, ch->handle.id, ch);
	ch->jobs++;
	request_job_late(e, STR("sess_system"), true, ELSEWHERE_OWN, record_enrolment, ch);
	return ch;
}

struct control_channel *channels_enrol(struct control *c, const struct control_enrol *enrol)
{
	struct channel *ch = enrol_as(OWNER_OF(c, struct engine, control), enrol, false);

	return ch ? &ch->handle : NULL;
}

static void on_silence(struct clock_timer *t)
{
	struct channel *ch = OWNER_OF(t, struct channel, patience);

	channels_leave(&ch->engine->control, &ch->handle, DISCONNECT_CAUSE_HEARTBEAT_MISSED);
}

/* Any command of a loose channel restarts its silence; a connection reports its end by itself. */
static void restart_silence(struct channel *ch)
{
	struct clock *c = ch->engine->ports.clock;

	if (!ch->is_loose)
		return;
	ch->patience.fire = on_silence;
	c->ops->start(c, &ch->patience, LOOSE_PATIENCE_MS);
}

/* It connects at another node now.  False: it has a connection here, which has to end first. */
static bool leaves_here(struct channel *ch)
{
	if (ch && !ch->is_loose)
		return false;
	if (ch)
		channels_leave(&ch->engine->control, &ch->handle, DISCONNECT_CAUSE_CLOSED);
	return true;
}

/*
 * spec: GAP-63 — reconnect_channel enrols too.  HTTP has no lasting connection, so the channel
 * lasts as long as it sends requests.
 */
static bool adopt_channel(struct request *r, const struct cmd_reconnect_channel *cmd)
{
	struct engine *e = r->engine;
	struct channel *ch = map_get(&e->channels, cmd->channel_id);
	struct control_enrol enrol = {
		.caller = { .principal = r->caller.principal, .via = r->caller.via },
		.transport = cmd->transport ? cmd->transport : TRANSPORT_HTTP_JSON,
		.role = cmd->peer_role ? cmd->peer_role : PEER_ROLE_CLIENT,
		.capabilities = cmd->capabilities.items,
		.capability_count = cmd->capabilities.count,
		.native_protocol = cmd->native_protocol,
		.channel_id = cmd->channel_id,
		.resume_token = cmd->resume_token,
	};

	if (str_is(r->caller.channel_id))
		return !r->forwarded || leaves_here(ch);
	if (ch && (!ch->is_loose || !str_eq(ch->principal, r->caller.principal)))
		return false;
	if (!ch)
		ch = enrol_as(e, &enrol, true);
	if (!ch)
		return false;
	restart_silence(ch);
	r->caller.channel_id = r->command.caller.channel_id = arena_keep(r->mem, ch->handle.id);
	r->command.channel = ch->record;
	return true;
}

bool channels_admit(struct request *r)
{
	if (r->command.command != COMMAND_RECONNECT_CHANNEL || adopt_channel(r, r->args))
		return true;
	request_fail(r, ERROR_CODE_CHANNEL_NOT_FOUND,
	             "the resume token does not fit, or the channel is connected elsewhere");
	return false;
}

/* NULL: the request was refused. */
static struct channel *acking_channel(struct request *r, const struct cmd_ack_events *cmd,
                                      ptrdiff_t *ret_at)
{
	struct channel *ch = map_get(&r->engine->channels, cmd->channel_id);
	ptrdiff_t at = ch && str_is(cmd->session_id) ? channel_session_at(ch, cmd->session_id) : -1;

	bool is_own = ch && (str_is(r->caller.channel_id)
	                             ? str_eq(cmd->channel_id, r->caller.channel_id)
	                             : ch->is_loose && str_eq(ch->principal, r->caller.principal));

	if (!is_own || at < 0) {
		request_fail(r, ERROR_CODE_CHANNEL_NOT_FOUND,
		             "this connection is not that channel, or not bound to that session");
		request_reply(r);
		return NULL;
	}
	*ret_at = at;
	return ch;
}

/* head: the last durable event of the session. */
static void take_ack(struct request *r, uint64_t head)
{
	const struct cmd_ack_events *cmd = r->args;
	ptrdiff_t at;
	struct channel *ch = acking_channel(r, cmd, &at);

	if (!ch)
		return;
	if (str_is(r->key.text) && sha256_eq(&r->key.hash, &ch->ack_key) &&
	    !sha256_eq(&r->key.body, &ch->ack_body)) {
		request_fail(r, ERROR_CODE_IDEMPOTENCY_CONFLICT,
		             "the key was given with another acknowledgement");
		request_reply(r);
		return;
	}
	if (cmd->sequence < 0 || (uint64_t)cmd->sequence > head) {
		request_fail(r, ERROR_CODE_INVALID_VALUE,
		             "sequence: nothing that far has been delivered");
		request_reply(r);
		return;
	}
	restart_silence(ch);
	if (str_is(r->key.text)) {
		ch->ack_key = r->key.hash;
		ch->ack_body = r->key.body;
	}
	ch->acked.items[at] = MAX(ch->acked.items[at], cmd->sequence);
	r->response.reply =
		arena_printf(r->mem, "{\"channelId\":\"%.*s\",\"lastAckedSequence\":%lld}",
	                     STR_ARG(ch->handle.id), (long long)ch->acked.items[at]);
	request_reply(r);
}

/* The channel is looked up again: it may have left meanwhile. */
static void acked_head(struct store_read *read)
{
	struct request *r = read->owner;
	uint64_t head = read->head_seq;

	if (request_read_failed(read))
		return;
	port_store_read_done(read);
	take_ack(r, head);
}

/*
 * Acknowledgements are frequent and replaceable, so they stay in memory and are not
 * events; the last one is recorded when the channel leaves.  A smaller sequence than
 * before changes nothing.  The head of a session outside memory is read from the store.
 */
void query_ack_events(struct request *r, const struct cmd_ack_events *cmd)
{
	const struct session *s;
	ptrdiff_t at;

	if (!acking_channel(r, cmd, &at))
		return;
	s = session_find(r->engine, cmd->session_id);
	if (s && s->phase == SESSION_LIVE) {
		take_ack(r, s->durable);
		return;
	}
	r->read = (struct store_read){
		.kind = READ_HEAD, .session = cmd->session_id, .done = acked_head, .owner = r
	};
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
}

/* The state knows what was recorded when an earlier connection of the channel left. */
uint64_t channels_acked(struct control *c, const struct control_channel *handle,
                        struct str session_id)
{
	struct channel *ch = OWNER_OF(handle, struct channel, handle);
	const struct session *s = session_find(ch->engine, session_id);
	const struct st_channel *known =
		s && s->phase == SESSION_LIVE ? state_channel(s->state, ch->handle.id) : NULL;
	ptrdiff_t at = channel_session_at(ch, session_id);
	int64_t acked = at >= 0 ? ch->acked.items[at] : 0;

	return (uint64_t)MAX(acked, known ? known->acked : 0);
}

/* A list reads this for every session, so only the channels of the session are looked up. */
size_t channels_acks(struct request *r, const struct session *s, const struct view_ack **ret)
{
	const struct st_session *state = s->state->s;
	struct view_ack *acks = ARENA_ARRAY(r->mem, struct view_ack, state->channels.count + 1);
	size_t count = 0;

	for (uint32_t i = 0; i < state->channels.count; i++) {
		struct str id = state->channels.items[i]->record->channel_id;
		struct channel *ch = map_get(&r->engine->channels, id);
		ptrdiff_t at = ch ? channel_session_at(ch, s->id) : -1;

		if (at >= 0)
			acks[count++] = (struct view_ack){ id, ch->acked.items[at] };
	}
	*ret = acks;
	return count;
}

static void record_leave(struct session *s, void *arg)
{
	struct channel *ch = arg;

	if (s && s->phase == SESSION_LIVE) {
		struct decision *d = apply_begin(s, NULL);
		ptrdiff_t at = channel_session_at(ch, s->id);

		input_channel_gone(d, ch->handle.id, ch->cause, at >= 0 ? ch->acked.items[at] : 0);
		apply_end(s, d);
	}
	ch->jobs--;
	release_channel(ch);
}

/* Another node may own the session; its reply goes nowhere. */
static void tell_owner(struct channel *ch, struct str session)
{
	struct request *r = request_own(ch->engine, session, COMMAND_LEAVE_CHANNEL);
	struct cmd_leave_channel *args = ARENA_NEW(r->mem, struct cmd_leave_channel);
	ptrdiff_t at = channel_session_at(ch, session);

	*args = (struct cmd_leave_channel){
		.session_id = r->session_id,
		.channel_id = arena_keep(r->mem, ch->handle.id),
		.cause = ch->cause,
		.last_acked_sequence = at >= 0 ? ch->acked.items[at] : 0,
	};
	r->args = args;
	r->params = rec_text(r->mem, &cmd_leave_channel_desc, args);
	r->caller = r->command.caller = (struct caller){ .principal = STR("runtime"),
		                                         .via = STR("runtime"),
		                                         .scopes = SCOPES_ALL };
	request_restart(r);
}

static void record_end(struct channel *ch, struct str session)
{
	struct engine *e = ch->engine;

	if (e->nodes) {
		tell_owner(ch, session);
		ch->jobs--;
	} else {
		request_job_late(e, session, false, ELSEWHERE_NONE, record_leave, ch);
	}
}

/*
 * All jobs are counted before the first one starts, because a job may run at once and the
 * last one frees the channel.
 */
void channels_leave(struct control *c, struct control_channel *handle, enum disconnect_cause cause)
{
	struct channel *ch = OWNER_OF(handle, struct channel, handle);
	struct engine *e = ch->engine;

	e->ports.clock->ops->stop(e->ports.clock, &ch->patience);
	map_remove(&e->channels, ch->handle.id);
	ch->is_gone = true;
	ch->cause = cause;
	ch->jobs += ch->sessions.count + 2;
	for (uint32_t i = 0; i < ch->sessions.count; i++)
		record_end(ch, ch->sessions.items[i]);
	record_end(ch, str_is(ch->enrolled_in) ? ch->enrolled_in : STR("sess_system"));
	ch->jobs--;
	release_channel(ch);
}

/*
 * spec: CHN-03 — a refused login is an event of the system session.  Any client can cause them, so
 * there is at most one a minute, with the number of refusals.
 */
#define STRANGERS_MS 60000

static void record_refused_logins(struct session *s, void *arg)
{
	struct engine *e = arg;

	if (s && s->phase == SESSION_LIVE && e->strangers.count) {
		struct decision *d = apply_begin(s, NULL);

		input_channel_login_refused(
			d, arena_keep(d->mem, str_from(e->strangers.via)), e->strangers.count,
			*e->strangers.address ? arena_keep(d->mem, str_from(e->strangers.address))
					      : STR_NONE);
		e->strangers.count = 0;
		apply_end(s, d);
	}
}

static void strangers_due(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, strangers.timer);

	e->strangers.is_counting = false;
	if (e->strangers.count)
		channels_stranger(&e->control, STR_NONE, STR_NONE);
}

void channels_stranger(struct control *c, struct str via, struct str address)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct clock *clock = e->ports.clock;

	if (str_is(via)) {
		e->strangers.count++;
		snprintf(e->strangers.via, sizeof e->strangers.via, "%.*s", STR_ARG(via));
		snprintf(e->strangers.address, sizeof e->strangers.address, "%.*s",
		         STR_ARG(address));
	}
	if (e->strangers.is_counting || e->is_stopping)
		return;
	e->strangers.is_counting = true;
	e->strangers.timer.fire = strangers_due;
	clock->ops->start(clock, &e->strangers.timer, STRANGERS_MS);
	request_job_late(e, STR("sess_system"), true, ELSEWHERE_OWN, record_refused_logins, e);
}

void channels_free(struct engine *e)
{
	struct map_slot *slot;

	e->ports.clock->ops->stop(e->ports.clock, &e->strangers.timer);

	for (size_t i = 0; map_next(&e->channels, &i, &slot);) {
		struct channel *ch = slot->value;

		e->ports.clock->ops->stop(e->ports.clock, &ch->patience);
		arena_free(ch->mem);
	}
	map_done(&e->channels);
}
