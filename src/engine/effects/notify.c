/*
 * Sends deliveries: one at a time per session, started when the event that it
 * is pending is durable.  The next runtime sends an interrupted delivery again,
 * with the same id.
 */
#include "engine/effects/notify.h"

#include "core/gen/inputs.h"
#include "core/notify/delivery.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/settings_hooks.h"
#include "engine/engine_state.h"

#include <inttypes.h>

struct sending {
	struct list all; /* of the engine */
	struct arena *mem;
	struct engine *engine;
	struct session *session; /* NULL: the session was dropped in between */
	struct hook_handle *run;
	struct str id;
};

static void sending_free(struct sending *x)
{
	list_remove(&x->all);
	if (x->session)
		x->session->sending = NULL;
	arena_free(x->mem);
}

/* One sentence with at most the first line of the receiver's reply. */
static struct str why_not(struct decision *d, const struct hook_end *end)
{
	struct str rest = end->err, said = str_head(str_cut(&rest, '\n'), 200);

	if (end->result == HOOK_ANSWERED && (!end->has_exit_code || !end->exit_code))
		return STR_NONE;
	if (end->result == HOOK_TIMED_OUT)
		return STR("it took too long");
	if (end->result == HOOK_CANCELLED)
		return STR("it was cut off");
	if (end->result == HOOK_ANSWERED)
		return arena_printf(d->mem, "it ended with code %" PRId64 ": %.*s", end->exit_code,
		                    STR_ARG(said));
	return str_is(end->message) && end->message.len ? arena_keep(d->mem, end->message)
	                                                : STR("it could not be reached");
}

static void on_end(void *owner, const struct hook_end *end)
{
	struct sending *x = owner;
	struct session *s = x->session;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE) {
		sending_free(x);
		return;
	}
	d = apply_begin(s, NULL);
	input_delivery_end(d, arena_keep(d->mem, x->id), why_not(d, end));
	sending_free(x);
	apply_end(s, d);
}

/*
 * A delivery runs as a hook: a command in a sandbox, or a POST.  Its id is the run's id,
 * so that a receiver recognises a repeated one.
 */
static void send_delivery(struct session *s, const struct st_delivery *next)
{
	struct engine *e = s->engine;
	struct hooks *hooks = e->ports.hooks;
	struct arena *mem = arena_new();
	struct sending *x = ARENA_NEW(mem, struct sending);
	struct hook_start start = {
		.run_id = arena_keep(mem, next->record->delivery_id),
		.ref = arena_keep(mem, next->record->to),
		.input = delivery_body(mem, s->state, next),
		.trace = { arena_keep(mem, next->record->traceparent),
		           arena_keep(mem, next->record->tracestate) },
		.cwd = arena_keep(mem, str_is(s->state->s->cwd) && session_place_is_here(s)
		                               ? s->state->s->cwd
		                               : e->settings.cwd),
	};

	start.deny =
		sandbox_probe_denies(mem, rules_cache_settings(s, mem, true), STR_NONE, start.cwd);
	x->mem = mem;
	x->engine = e;
	x->session = s;
	x->id = start.run_id;
	list_add(&e->sendings, &x->all);
	s->sending = x;
	x->run = hooks->ops->start(hooks, &start, on_end, x);
}

/* Do the settings still have a receiver of that name? */
static bool is_receiver(struct session *s, struct str ref)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings here = s->engine->settings;

	settings_hooks_fill(s->engine, session_place_cwd(s), mem, &here);
	return s->engine->ports.hooks && hook_in_settings(&here, ref);
}

/* A delivery whose receiver has left the settings is recorded as such and not retried. */
void notify_feed(struct session *s)
{
	struct engine *e = s->engine;
	const struct st_delivery *next;

	if (s->sending || s->phase != SESSION_LIVE || e->is_stopping || e->is_full ||
	    s->applied != s->durable)
		return;
	next = delivery_next(s->state);
	if (!next)
		return;
	if (is_receiver(s, next->record->to)) {
		send_delivery(s, next);
	} else {
		struct decision *d = apply_begin(s, NULL);

		input_delivery_orphan(d, arena_keep(d->mem, next->record->delivery_id));
		apply_end(s, d);
	}
}

void notify_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_DONE)
		notify_feed(s);
}

/* Its end finds no session and frees it. */
void notify_forget(struct session *s)
{
	if (s->sending)
		s->sending->session = NULL;
	s->sending = NULL;
}

/* At shutdown: no callback comes any more. */
void notify_free(struct engine *e)
{
	while (!list_is_empty(&e->sendings))
		sending_free(LIST_ITEM(e->sendings.next, struct sending, all));
}
