#include "engine/engine.h"

#include "base/id.h"
#include "base/log.h"
#include "core/channel/channel.h"
#include "engine/effects/context_load.h"
#include "engine/effects/effects.h"
#include "engine/effects/notify.h"
#include "engine/effects/processes.h"
#include "engine/effects/worktrees.h"
#include "engine/maintenance/anchor.h"
#include "engine/maintenance/clock_jump.h"
#include "engine/maintenance/damage.h"
#include "engine/maintenance/lifecycle_events.h"
#include "engine/maintenance/rebuild.h"
#include "engine/maintenance/retention.h"
#include "engine/resources/backpressure.h"
#include "engine/resources/channels.h"
#include "engine/resources/disk_full.h"
#include "engine/resources/grants.h"
#include "engine/resources/task_slots.h"
#include "engine/session/eviction.h"
#include "engine/session/fanout.h"
#include "engine/setup/models.h"
#include "engine/setup/project_tools.h"
#include "engine/setup/rules_cache.h"
#include "engine/setup/sandbox_probe.h"
#include "engine/setup/setup_hooks.h"
#include "engine/setup/setup_record.h"
#include "engine/setup/toolsets.h"
#include "engine/state.h"
#include "policy/rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- the setup: an immutable picture of the configuration ---- */

static enum err take_rules(struct engine *e, struct error *err)
{
	struct rules *rs = ARENA_NEW(e->mem, struct rules);
	struct error why;
	enum err code;

	rs->mem = e->mem;
	e->setup.rules = rs;
	if (e->ports.policy)
		e->settings.rules = arena_keep(
			e->mem, e->ports.policy->ops->look(e->ports.policy, e->settings.cwd).rules);
	if (!str_is(e->settings.rules))
		return OK;
	code = rules_add_settings(rs, e->settings.rules, &why);
	return code ? fail(err, code, "permission.rules: %s", why.message) : OK;
}

static void take_environment(struct engine *e, struct id_source *ids)
{
	struct rec_execution_environment *env = ARENA_NEW(e->mem, struct rec_execution_environment);

	*env = (struct rec_execution_environment)
	{
		.environment_id = id_make(e->mem, ids, "env"),
		.workspace_id = e->settings.workspace_id, .cwd = e->settings.cwd,
		.shell = STR("none"), .os = STR("linux"),
#if defined(__aarch64__)
		.arch = STR("aarch64"),
#elif defined(__x86_64__)
		.arch = STR("x86_64"),
#else
		.arch = STR("unknown"),
#endif
		.network_profile = ARENA_NEW(e->mem, struct rec_network_profile),
		.resource_limits = ARENA_NEW(e->mem, struct rec_resource_limits),
		.env_ref = e->setup.config_ref,
		.sandbox_profile = ARENA_NEW(e->mem, struct rec_sandbox_profile),
	};
	env->network_profile->mode = NETWORK_MODE_OFF;
	*env->resource_limits = (struct rec_resource_limits){
		.timeout_ms = LIMIT_PROCESS_TIMEOUT_MS,
		.inactivity_ms = LIMIT_PROCESS_IDLE_MS,
		.max_output_bytes = LIMIT_PROCESS_OUTPUT_BYTES,
		.max_processes = LIMIT_PROCESS_COUNT,
		.max_parallel_tools = LIMIT_PARALLEL_TOOLS,
	};
	env->sandbox_profile->mode = SANDBOX_MODE_UNAVAILABLE;
	env->sandbox_profile->tier = STR("none");
	e->environment = env;
	e->setup.environment = env;
}

/* The installation's id is made once. */
static enum err take_identity(struct engine *e, struct error *err)
{
	struct store *st = e->ports.store;
	struct id_source ids = clock_ids(e);
	enum err code;

	code = st->ops->get_meta(st, e->mem, STR("runtime_id"), &e->runtime_id, err);
	if (code == ERR_NOT_FOUND) {
		e->runtime_id = id_make(e->mem, &ids, "rt");
		code = st->ops->set_meta(st, STR("runtime_id"), e->runtime_id, err);
	}
	if (!code)
		code = st->ops->get_meta(st, e->mem, STR("secret"), &e->secret, err);
	if (code == ERR_NOT_FOUND) {
		e->secret = id_make_hex(e->mem, &ids, 32);
		code = st->ops->set_meta(st, STR("secret"), e->secret, err);
	}
	if (code)
		return code;
	e->setup.runtime_id = e->runtime_id;
	code = setup_record_keep(e, err);
	if (!code)
		take_environment(e, &ids);
	return code;
}

static void health(struct control *c, struct control_health *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	*ret = (struct control_health){
		.ready = e->is_ready && !e->has_failed && !e->is_stopping &&
		         (!e->is_full || e->settings.reads_only),
		.reason = e->has_failed    ? STR("the store failed")
		          : e->is_stopping ? STR("stopping")
		          : e->is_full     ? STR("the disk is full: reading only")
		          : e->rebuild     ? STR("rebuilding what follows from the log")
		          : !e->is_ready   ? STR("starting")
		                           : STR_NONE,
		.live_sessions = e->sessions.count,
		.session_bytes = e->session_bytes,
		.recovery_total = e->recovery.total,
		.recovery_left = recovery_left(e),
		.live_effects = e->live_effects,
		.pending_calls = e->pending_calls,
		.commands = e->commands,
		.refusals = e->refusals,
		.hook_runs = e->hook_runs,
		.hook_failures = e->hook_failures,
		.hook_ms = e->hook_ms,
		.events = e->events,
		.commits = st.commits,
		.waiting_bytes = st.waiting_bytes,
		.last_commit_us = st.last_commit_us,
		.stored_events = st.events,
		.stored_bytes = st.size_bytes,
		.wal_bytes = st.wal_bytes,
		.event_bytes = st.bytes,
		.last_position = st.last_position,
		.started_ms = e->started_ms,
		.runtime_id = e->runtime_id,
		.version = STR(THOLE_VERSION),
	};
	LIST_EACH (&e->subscriptions, node)
		ret->subscriptions++;
}

static const struct control_ops control_ops = {
	.call = request_call,
	.forget = request_forget_call,
	.subscribe = fanout_subscribe,
	.resume = fanout_resume,
	.unsubscribe = fanout_unsubscribe,
	.health = health,
	.enrol = channels_enrol,
	.leave = channels_leave,
	.acked = channels_acked,
	.stranger = channels_stranger,
};

/* Those of the ports, and our own behind them. */
static void add_process_tools(struct engine *e)
{
	size_t count = e->ports.toolset_count;
	struct toolset **all = ARENA_ARRAY(e->mem, struct toolset *, count + 1);

	memcpy(all, e->ports.toolsets, count * sizeof *all);
	all[count] = e->process_tools = process_tools_new(e);
	e->ports.toolsets = all;
	e->ports.toolset_count = count + 1;
}

enum err engine_new(const struct engine_ports *ports, const struct engine_settings *settings,
                    const struct engine_hooks *hooks, struct engine **ret, struct error *err)
{
	struct engine *e = xcalloc(1, sizeof *e);
	enum err code;

	e->control.ops = &control_ops;
	e->ports = *ports;
	e->settings = *settings;
	if (!e->settings.session_bytes)
		e->settings.session_bytes = 32 << 20;
	e->hooks = *hooks;
	e->listeners = &listeners_of_engine;
	e->request_hooks = &listeners_request_hooks;
	e->mem = arena_new();
	e->scratch = arena_new();
	e->forms = arena_new_small();
	e->folding = arena_new_small();
	fanout_init(e);
	e->is_strict = str_eq(str_from(getenv("THOLE_STRICT")), STR("1"));
	list_init(&e->requests);
	list_init(&e->early);
	damage_init(e);
	list_init(&e->runs);
	processes_init(e);
	if (ports->processes)
		add_process_tools(e);
	list_init(&e->sendings);
	list_init(&e->worktree_runs);
	list_init(&e->gathers);
	list_init(&e->tool_places);
	list_init(&e->places);
	load_init(e);
	list_init(&e->line_of_tasks);
	list_init(&e->by_use);
	list_init(&e->held);
	list_init(&e->recovery.queue);
	list_init(&e->upkeep.resting);
	e->started_ms = ports->clock->ops->wall_ms(ports->clock);
	e->setup = (struct setup){
		.workspace_id = settings->workspace_id,
		.cwd = settings->cwd,
		.home = settings->home,
		.worktree_dir = settings->worktree_dir,
		.real = settings->real,
		.runs_code = settings->runs_code,
		.runs_hooks = settings->runs_hooks,
		.digest = settings->digest,
		.zone = settings->zone,
		.zone_owner = settings->zone_owner,
		.model = settings->model,
		.mode = settings->mode,
		.denies_by_default = settings->denies_by_default,
		.is_interactive = settings->is_interactive,
		.action_timeout_ms = settings->action_timeout_ms,
		.question_timeout_ms = settings->question_timeout_ms ? settings->question_timeout_ms
		                                                     : settings->action_timeout_ms,
		.retry_max = LIMIT_MODEL_ATTEMPTS,
		.retry_base_ms = 500,
		.retry_wait_max_ms = settings->retry_wait_max_ms ? settings->retry_wait_max_ms
		                                                 : LIMIT_RETRY_WAIT_MAX_MS,
		.retry_budget_ms = settings->retry_budget_ms ? MAX(settings->retry_budget_ms, 0)
		                                             : LIMIT_RETRY_BUDGET_MS,
		.caps = settings->caps,
		.parallel_requests = settings->parallel_requests ? settings->parallel_requests : 64,
		.tasks = { .session = settings->tasks.session ? settings->tasks.session
		                                              : LIMIT_PARALLEL_TASKS,
		           .tenant = settings->tasks.tenant,
		           .runtime = settings->tasks.runtime },
		.fallback = settings->fallback ? settings->fallback : FALLBACK_POLICY_ALLOW,
		.unpriced =
			settings->unpriced ? settings->unpriced : UNPRICED_POLICY_ALLOW_UNPRICED,
		.fallback_chain = settings->fallback_chain,
		.allow = settings->allow,
		.deny = settings->deny,
		.waits_for_candidate = settings->waits_for_candidate,
		.instructions = settings->instructions,
		.reads_context = ports->context != NULL,
		.compact_percent = settings->compact_percent,
		.max_steps = LIMIT_REQUESTS_PER_TURN,
		.on_busy = settings->on_busy,
		.on_interrupt = settings->on_interrupt,
		.resume_by_itself = settings->resume_by_itself,
		.tracing = settings->tracing,
		.output_keep_ms = settings->output_keep_ms,
		.fold_version = FOLD_VERSION,
		.bind = sandbox_probe_bind,
		.bind_owner = e,
	};
	grants_init(e);
	if (!e->setup.caps.overrun)
		e->setup.caps.overrun = 10;
	if (!e->setup.caps.low_percent)
		e->setup.caps.low_percent = 80;
	setup_hooks_take(e);
	code = models_take(e, err);
	if (!code)
		code = take_rules(e, err);
	if (!code)
		code = toolsets_take(e, err);
	if (!code)
		code = take_identity(e, err);
	if (code) {
		engine_free(e);
		return code;
	}
	toolsets_watch(e);
	*ret = e;
	return OK;
}

void engine_start_moved(struct engine *e)
{
	if (e->recovering || e->is_ready)
		return;
	e->is_ready = true;
	if (e->settings.reads_only) {
		request_start_early(e);
		if (e->hooks.ready)
			e->hooks.ready(e->hooks.owner);
		return;
	}
	retention_resume(e);
	deadlines_look(e); /* sessions at rest have deadlines too */
	request_start_early(e);
	lifecycle_events_started(e);
	recovery_pump(e);
	if (e->hooks.ready)
		e->hooks.ready(e->hooks.owner);
}

void engine_start(struct engine *e)
{
	e->recovering = 1;
	if (e->settings.reads_only) {
		e->is_full = true; /* whatever would be written by itself waits for ever */
		rebuild_start(e);
		return;
	}
	e->recovery.is_listing = true;
	eviction_start(e);
	maintenance_start(e);
	anchor_start(e);
	clock_jump_start(e);
	rebuild_start(e);
	project_tools_enter(e, e->setup.cwd);
}

void engine_poll(struct engine *e)
{
	e->ports.store->ops->poll(e->ports.store);
	if (e->ports.blobs)
		e->ports.blobs->ops->poll(e->ports.blobs);
	if (e->ports.context)
		e->ports.context->ops->poll(e->ports.context);
}

void engine_flush(struct engine *e)
{
	e->beat++;
	commit_flush(e);
}

struct control *engine_control(struct engine *e)
{
	return &e->control;
}

bool engine_is_quiet(const struct engine *e)
{
	if (e->is_stopping && e->settings.stops_processes && !list_is_empty(&e->processes))
		return false;
	return !e->filling && !e->batches && !e->live_effects && !e->pending_calls;
}

bool engine_has_processes(const struct engine *e)
{
	return !list_is_empty(&e->processes);
}

void engine_stop(struct engine *e)
{
	lifecycle_events_stopping(e);
	if (!e->settings.reads_only) {
		recovery_keep_rows(e);
		clock_jump_keep(e);
		anchor_now(e);
	}
	e->is_stopping = true;
	if (e->settings.stops_processes)
		processes_end(e);
	fanout_end(e, STREAM_SHUTDOWN);
}

void engine_free(struct engine *e)
{
	struct map_slot *slot;

	if (!e)
		return;
	eviction_stop(e);
	deadlines_free(e);
	e->ports.clock->ops->stop(e->ports.clock, &e->room);
	for (size_t i = 0; map_next(&e->sessions, &i, &slot);) {
		effects_drop(slot->value);
		session_free(slot->value);
	}
	session_forget_dropped(e);
	recovery_free(e);
	maintenance_free(e);
	damage_free(e);
	anchor_free(e);
	rebuild_free(e);
	backpressure_stop(e);
	disk_full_stop(e);
	effects_free(e);
	if (e->process_tools)
		e->process_tools->ops->close(e->process_tools);
	processes_free(e);
	notify_free(e);
	worktrees_free(e);
	context_load_free(e);
	request_free_all(e);
	commit_discard(e);
	project_tools_free(e);
	toolsets_free(e);
	map_done(&e->sessions);
	task_slots_free(e);
	grants_free(e);
	rules_cache_free(e);
	channels_free(e);
	map_done(&e->in_flight);
	map_done(&e->bringing);
	fanout_free(e);
	buf_done(&e->line);
	arena_free(e->scratch);
	arena_free(e->forms);
	arena_free(e->folding);
	arena_free(e->mem);
	xfree(e);
}

void engine_store_failed(struct engine *e, const struct error *err)
{
	commit_store_failed(e, err);
}
