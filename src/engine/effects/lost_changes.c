/*
 * Looks for changes of lost commands when a session is recovered.
 *
 *   state loaded ──► a comparison per command that ran ──► recovered: the calls are lost
 *                                   │
 *                                   └──► artifact.changed, once per file
 *
 * The comparison takes longer than the recovery, so the changes follow the end
 * of the call.
 */
#include "engine/effects/lost_changes.h"

#include "core/gen/inputs.h"
#include "core/task/task_bounds.h"
#include "core/turn/turn.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"

struct lost_run {
	struct list all; /* of the engine */
	struct arena *mem;
	struct session *session; /* NULL: it left memory in between */
	struct str turn_id, call_id;
};

static void run_free(struct lost_run *x)
{
	list_remove(&x->all);
	arena_free(x->mem);
}

static void on_found(void *owner, const struct tool_end *end)
{
	struct lost_run *x = owner;
	struct session *s = x->session;

	if (s && s->phase == SESSION_LIVE && (end->change_count || str_is(end->not_covered))) {
		struct decision *d = apply_begin(s, NULL);

		input_turn_result_lost_changes(d, x->turn_id, x->call_id, end);
		apply_end(s, d);
	}
	run_free(x);
}

static void look_at(struct session *s, const struct st_thread *th, const struct st_call *c)
{
	struct engine *e = s->engine;
	struct toolset *set = toolsets_find(e, session_place_cwd(s), s->id, c->tool_name);
	struct arena *mem = arena_new();
	struct lost_run *x = ARENA_NEW(mem, struct lost_run);
	struct tool_start start;

	if (!set || !set->ops->recover) {
		arena_free(mem);
		return;
	}
	*x = (struct lost_run){ .mem = mem,
		                .session = s,
		                .turn_id = arena_keep(mem, c->turn_id),
		                .call_id = arena_keep(mem, c->tool_call_id) };
	list_add(&e->lost_runs, &x->all);
	start = (struct tool_start){
		.call_id = x->call_id,
		.session_id = arena_keep(mem, s->id),
		.thread_id = arena_keep(mem, th->thread_id),
		.turn_id = x->turn_id,
		.name = arena_keep(mem, c->tool_name),
		.cwd = arena_keep(mem, task_bounds_cwd(s->state, &e->settings, c->turn_id)),
	};
	start.deny = sandbox_probe_denies(mem, rules_cache_settings(s, mem, true), start.name,
	                                  start.cwd);
	set->ops->recover(set, &start, on_found, x);
}

static bool ran(struct session *s, const struct st_call *c)
{
	const struct tool_info *tool = project_tools_of_session(s, c->tool_name);

	return c->dispatched && !call_is_over(c) && tool && tool->is_command &&
	       !tool->is_background;
}

void lost_changes_load(struct session *s, enum load_phase phase)
{
	const struct st_session *st = s->state ? s->state->s : NULL;

	if (phase != LOAD_READ || !s->needs_recovery ||
	    s->engine->options.config->store_read_only || !s->engine->options.config->undo_commands)
		return;
	for (uint32_t i = 0; i < st->threads.count; i++)
		for (uint32_t n = 0; n < st->threads.items[i]->calls.count; n++)
			if (ran(s, st->threads.items[i]->calls.items[n]))
				look_at(s, st->threads.items[i],
				        st->threads.items[i]->calls.items[n]);
}

void lost_changes_forget(struct session *s)
{
	LIST_EACH (&s->engine->lost_runs, node) {
		struct lost_run *x = LIST_ITEM(node, struct lost_run, all);

		if (x->session == s)
			x->session = NULL;
	}
}

/* At shutdown: no callback comes any more. */
void lost_changes_free(struct engine *e)
{
	LIST_EACH_SAFE (&e->lost_runs, node, next)
		run_free(LIST_ITEM(node, struct lost_run, all));
}
