/* Runs one hook: started when hook.started is durable, its end passed to the core as an input. */
#include "core/hook/hook.h"
#include "core/gen/inputs.h"
#include "engine/effects/effects.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/settings_hooks.h"
#include "engine/engine_state.h"

/* Counts by the events, as long as they report it. */
static void count_run(struct engine *e, const struct decision *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct event *ev = d->events[i];

		if (ev->type != EV_HOOK_COMPLETED && ev->type != EV_HOOK_FAILED)
			continue;
		e->hook_runs++;
		e->hook_failures += ev->type == EV_HOOK_FAILED;
		e->hook_ms += (uint64_t)MAX(ev->hook_run->duration_ms, 0);
	}
}

/* The port and the core have an enum each, because the core includes no port. */
static void on_hook_end(void *owner, const struct hook_end *end)
{
	struct effect_run *x = owner;
	struct session *s = x->session;
	struct decision *d;

	x->hook = NULL;
	if (!s) {
		effects_free_run(x);
		return;
	}
	d = apply_begin(s, NULL);
	input_hook_step_end(d, x->object_id,
	                    &(struct hook_end){
				    .result = end->result,
				    .exit_code = end->exit_code,
				    .has_exit_code = end->has_exit_code,
				    .out = arena_keep(d->mem, end->out),
				    .err = arena_keep(d->mem, end->err),
				    .left_out = end->left_out,
				    .message = arena_keep(d->mem, end->message),
			    });
	count_run(x->engine, d);
	effects_end(x);
	apply_end(s, d);
}

/*
 * The hook may have left the configuration since hook.started was written; the core then
 * applies the hook's failure policy.
 */
void hook_start_run(struct effect_run *x, const struct st_hook *h)
{
	struct settings here = x->engine->settings;
	struct str cwd = session_place_cwd(x->session);
	struct hooks *hooks = x->engine->ports.hooks;
	const struct st_thread *th;
	struct hook_start start = {
		.run_id = x->object_id,
		.ref = arena_keep(x->mem, h->run->handler_ref),
		.cwd = arena_keep(x->mem, cwd),
	};

	start.deny = sandbox_probe_denies(x->mem, rules_cache_settings(x->session, x->mem, true),
	                                  STR_NONE, start.cwd);
	start.trace =
		effects_trace(x->mem, state_turn(x->session->state, x->turn_id, &th), x->object_id);
	settings_hooks_fill(x->engine, cwd, x->mem, &here);
	start.input = hook_input(x->mem, x->session->state, &here, x->turn_id, x->object_id,
	                         x->session->inputs);
	if (!hooks || !hook_in_settings(&here, start.ref)) {
		on_hook_end(x,
		            &(struct hook_end){ .result = HOOK_NOT_STARTED,
		                                .message = STR("it is not configured any more") });
		return;
	}
	x->hook = hooks->ops->start(hooks, &start, on_hook_end, x);
}

void hook_cancel(struct effect_run *x)
{
	if (!x->hook || x->is_cancelling)
		return;
	x->is_cancelling = true;
	x->engine->ports.hooks->ops->cancel(x->engine->ports.hooks, x->hook);
}
