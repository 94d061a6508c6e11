/*
 * Named tokens over time: read at the start, changed by events of the system
 * session, expired; and how many turns of one holder run.  Paired devices come the
 * same way and go to the transport.
 */
#include "engine/resources/access.h"

#include "core/budget/ledger_view.h"
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/resources/holders.h"
#include "engine/session/apply.h"
#include "engine/session/fanout.h"

#define SYSTEM STR("sess_system")
#define LOOK_AGAIN_MS 3600000

/* Streams end when their token does; requests are checked one by one. */
static void look_at_expiry(struct engine *e)
{
	struct clock *clock = e->ports.clock;
	int64_t now = clock->ops->wall_ms(clock), wait = LOOK_AGAIN_MS;

	LIST_EACH (&e->holders.all, node) {
		struct holder *h = LIST_ITEM(node, struct holder, node);

		if (h->is_revoked || !h->record->expires_at)
			continue;
		if (holders_is_expired(h, now))
			fanout_end_token(e, h->record->token_hash);
		else
			wait = MIN(wait, h->record->expires_at - now);
	}
	clock->ops->start(clock, &e->holders.timer, wait);
}

static void on_expiry(struct clock_timer *timer)
{
	look_at_expiry(OWNER_OF(timer, struct engine, holders.timer));
}

/* ---- issuers ---- */

/* In the memory of the engine: such changes are rare, and the serve bounds them. */
struct issuer_note {
	struct engine *engine;
	struct rec_issuer_change record;
};

static void record_issuer(struct session *s, void *arg)
{
	const struct issuer_note *note = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_runtime_events_issuer(d, &note->record);
	apply_end(s, d);
}

/*
 * Requests are checked one by one; the streams of all bearers end now.  A changed issuer may give
 * them other rights, so what is known of them is forgotten, too.
 */
void access_issuer_changed(struct control *c, struct str name, struct str url,
                           enum issuer_change change)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct issuer_note *note = ARENA_NEW(e->mem, struct issuer_note);

	*note = (struct issuer_note){ .engine = e,
		                      .record = { .name = arena_keep(e->mem, name),
		                                  .issuer = arena_keep(e->mem, url),
		                                  .change = change } };
	name = note->record.name;
	rec_list_str_remove(&e->holders.dropped, name);
	if (change == ISSUER_CHANGE_REMOVED)
		rec_list_str_add(e->mem, &e->holders.dropped, name);
	else if (rec_list_str_find(&e->holders.added, name) < 0)
		rec_list_str_add(e->mem, &e->holders.added, name);
	if (change != ISSUER_CHANGE_ADDED) {
		struct str prefix =
			arena_printf(e->mem, CALLER_ISSUER_PREFIX "%.*s:", STR_ARG(name));

		fanout_end_issuer(e, prefix);
		holders_forget_issuer(e, prefix);
	}
	request_job_with(e, SYSTEM, true, ELSEWHERE_OWN, record_issuer, note);
}

/* ---- paired devices ---- */

void access_watch_devices(struct control *c, const struct control_device_watch *w)
{
	struct engine *e = OWNER_OF(c, struct engine, control);

	e->device_watch = w ? *w : (struct control_device_watch){ 0 };
}

static void device_changed(struct engine *e, const struct rec_paired_device *device)
{
	if (device && e->device_watch.changed)
		e->device_watch.changed(e->device_watch.owner, device);
}

static void take_devices(struct engine *e, const struct session *s)
{
	const struct st_session *state = s && s->state ? s->state->s : NULL;

	if (e->device_watch.taken)
		e->device_watch.taken(
			e->device_watch.owner,
			state ? (const struct rec_paired_device *const *)state->paired_devices.items
			      : NULL,
			state ? state->paired_devices.count : 0);
}

/* ---- the owner's token ---- */

static void take_owner_token(struct engine *e)
{
	if (e->hooks.take_token)
		e->hooks.take_token(e->hooks.owner);
}

/* ---- named tokens ---- */

static void keep_token(struct engine *e, const struct rec_access_token *record)
{
	holders_add(e, record);
	if (record->expires_at)
		look_at_expiry(e);
}

/* Before the event is durable: a token that is revoked must not be used in between. */
void access_folded(struct session *s, const struct event *ev)
{
	const struct ev_session_updated *p = ev->payload;

	if (ev->type != EV_SESSION_UPDATED || !str_eq(s->id, SYSTEM))
		return;
	if (p->owner_token)
		take_owner_token(s->engine);
	device_changed(s->engine, p->device);
	if (!p->access_token)
		return;
	holders_remove(s->engine, p->access_token->name);
	if (p->access_token->state == ACCESS_TOKEN_STATE_ACTIVE)
		keep_token(s->engine, p->access_token);
}

/* The node that revoked it has ended the streams there. */
void access_foreign(struct engine *e, const struct event *ev)
{
	const struct ev_session_updated *p = ev->payload;

	if (ev->type != EV_SESSION_UPDATED)
		return;
	if (p->owner_token)
		take_owner_token(e);
	device_changed(e, p->device);
	if (!p->access_token)
		return;
	holders_remove(e, p->access_token->name);
	if (p->access_token->state == ACCESS_TOKEN_STATE_ACTIVE)
		keep_token(e, p->access_token);
	else
		fanout_end_token(e, p->access_token->token_hash);
}

void access_take(struct engine *e, const struct session *s)
{
	uint32_t count = s && s->state ? s->state->s->access_tokens.count : 0;

	LIST_EACH_SAFE (&e->holders.all, node, next) {
		const struct holder *h = LIST_ITEM(node, struct holder, node);
		bool is_there = h->is_revoked ||
		                str_starts(h->record->token_hash, STR(CALLER_ISSUER_PREFIX));

		for (uint32_t i = 0; !is_there && i < count; i++)
			is_there = str_eq(s->state->s->access_tokens.items[i]->token_hash,
			                  h->record->token_hash);
		if (!is_there)
			holders_remove(e, h->record->name);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct rec_access_token *t = s->state->s->access_tokens.items[i];

		if (!map_get(&e->holders.by_hash, t->token_hash))
			keep_token(e, t);
	}
	if (e->nodes)
		take_owner_token(e);
	take_devices(e, s);
}

static void copy_tokens(struct session *s, void *arg)
{
	struct engine *e = arg;

	access_take(e, s);
	e->recovering--;
	LISTENERS_CALL(e->listeners->start_moved, e);
}

void access_learn(struct engine *e)
{
	e->recovering++;
	request_job_with(e, SYSTEM, false, ELSEWHERE_READ, copy_tokens, e);
}

void access_init(struct engine *e)
{
	holders_init(e);
	e->holders.timer.fire = on_expiry;
}

void access_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->holders.timer);
	holders_free(e);
}

static int64_t running_turns(const struct session *s, struct str principal)
{
	int64_t count = 0;

	if (s->phase != SESSION_LIVE || !str_eq(ledger_view_payer(s->state), principal))
		return 0;
	for (uint32_t i = 0; i < s->state->s->threads.count; i++)
		count += state_thread_active(s->state->s->threads.items[i]) != NULL;
	return count;
}

/* Sessions with running turns are in memory, so these are all. */
bool access_admit_turn(struct request *r)
{
	int64_t max = r->engine->options.config->limits_principal_turns, count = 0;
	struct map_slot *slot;

	if (!max || !r->turn || !str_is(r->caller.token))
		return true;
	for (size_t i = 0; count < max && map_next(&r->engine->sessions, &i, &slot);)
		count += running_turns(slot->value, r->caller.principal);
	if (count < max)
		return true;
	request_fail(r, ERROR_CODE_RATE_LIMITED,
	             "%lld turns of %.*s run, as many as may (limits.principal_turns)",
	             (long long)count, STR_ARG(r->caller.principal));
	return false;
}
