/*
 * Creates, starts, polls and stops the engine.
 *
 * engine_new() builds the settings from options and ports; engine_start()
 * recovers sessions with open work and then accepts commands; engine_poll() and
 * engine_flush() drive everything from the owner's loop.
 */
#include "engine/engine.h"

#include "base/os/id.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "core/channel/channel.h"
#include "core/settings/settings_text.h"
#include "engine/effects/context_load.h"
#include "engine/effects/effects.h"
#include "engine/effects/notify.h"
#include "engine/effects/output_tools.h"
#include "engine/effects/skill_tools.h"
#include "engine/effects/processes.h"
#include "engine/effects/lost_changes.h"
#include "engine/effects/worktrees.h"
#include "engine/evidence/evidence_orphans.h"
#include "engine/maintenance/anchor.h"
#include "engine/maintenance/clock_jump.h"
#include "engine/maintenance/damage.h"
#include "engine/maintenance/lifecycle_events.h"
#include "engine/maintenance/rebuild.h"
#include "engine/nodes/nodes.h"
#include "engine/retention/removal.h"
#include "engine/retention/retention.h"
#include "engine/request/directory.h"
#include "engine/query/query.h"
#include "engine/resources/uploads.h"
#include "engine/resources/access.h"
#include "engine/resources/holders.h"
#include "engine/resources/backpressure.h"
#include "engine/resources/channels.h"
#include "engine/resources/disk_full.h"
#include "engine/resources/store_away.h"
#include "engine/resources/grants.h"
#include "engine/resources/metrics.h"
#include "engine/resources/waits.h"
#include "engine/resources/task_slots.h"
#include "engine/session/eviction.h"
#include "engine/session/fanout.h"
#include "engine/settings/models.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/settings_check.h"
#include "engine/settings/settings_hooks.h"
#include "engine/settings/settings_record.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "policy/rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- the settings: an immutable copy of the configuration ---- */

/* Rules that cannot change are stored once; those of files when they were read. */
static void name_rules(struct engine *e)
{
	struct str text = settings_text_rules(e->mem, e->options.rules, STR_NONE);

	e->settings.rules_ref = settings_text_rules_ref(e->mem, text);
	settings_record_rules(e, e->settings.rules_ref, text);
}

/*
 * The permission rules of the settings and of the runtime's directory.  A rule that cannot
 * be read stops the start: a runtime that ignored a deny rule would allow what the
 * operator forbids.
 */
static enum err take_rules(struct engine *e, struct error *err)
{
	struct rules *rs = ARENA_NEW(e->mem, struct rules);
	struct error why;
	enum err code;

	rs->mem = e->mem;
	e->settings.rules = rs;
	if (e->ports.policy)
		e->options.rules = arena_keep(
			e->mem, e->ports.policy->ops->look(e->ports.policy, e->options.cwd).rules);
	if (!str_is(e->options.rules))
		return OK;
	code = rules_add_settings(rs, e->options.rules, &why);
	if (code)
		return fail(err, code, "permission.rules: %s", why.message);
	if (!e->ports.policy)
		name_rules(e);
	return OK;
}

/*
 * What the runtime can promise about commands before a sandbox was probed: no shell, no
 * network, no sandbox.  sandbox_probe.c fills in the rest when a session first needs it,
 * because the result depends on the directory.
 */
static void take_environment(struct engine *e)
{
	struct rec_execution_environment *env = ARENA_NEW(e->mem, struct rec_execution_environment);

	*env = (struct rec_execution_environment)
	{
		.environment_id = e->environment_id, .workspace_id = e->options.workspace_id,
		.cwd = e->options.cwd, .shell = STR("none"), .os = STR("linux"),
#if defined(__aarch64__)
		.arch = STR("aarch64"),
#elif defined(__x86_64__)
		.arch = STR("x86_64"),
#else
		.arch = STR("unknown"),
#endif
		.network_profile = ARENA_NEW(e->mem, struct rec_network_profile),
		.resource_limits = ARENA_NEW(e->mem, struct rec_resource_limits),
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
	e->settings.environment = env;
}

/*
 * The id of the installation and its secret.  Both are created once and kept in the store,
 * so that resume tokens stay valid after a restart and at every node: of nodes that start at the
 * same moment one makes them.  The record of the settings comes
 * last, because the environment refers to it.
 */
static enum err take_identity(struct engine *e, struct error *err)
{
	struct store *st = e->ports.store;
	struct id_source ids = clock_ids(e);
	enum err code;

	code = st->ops->keep_meta(st, e->mem, STR("runtime_id"), id_make(e->mem, &ids, "rt"),
	                          &e->runtime_id, err);
	if (!code)
		code = st->ops->keep_meta(st, e->mem, STR("secret"), id_make_hex(e->mem, &ids, 32),
		                          &e->secret, err);
	if (!code)
		code = st->ops->keep_meta(st, e->mem, STR("environment_id"),
		                          id_make(e->mem, &ids, "env"), &e->environment_id, err);
	if (code)
		return code;
	e->settings.runtime_id = e->runtime_id;
	if (e->options.config->context_prompt == CONTEXT_PROMPT_BUILTIN)
		code = settings_record_prompt(e, err);
	if (!code)
		take_environment(e);
	settings_record_changed(e);
	return code;
}

/*
 * Readiness and counters, for the health routes.  A full disk makes the runtime unready,
 * because it refuses commands; with store.read_only set, is_full is permanent and does not
 * count.
 */
static void engine_health(struct control *c, struct control_health *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct str away = store_away_reason(e);
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	*ret = (struct control_health){
		.ready = e->is_ready && !e->has_failed && !e->is_stopping &&
		         !(e->nodes && node_handover_gives(e)) && !str_is(away) &&
		         (!e->is_full || e->options.config->store_read_only),
		.reason = e->has_failed    ? STR("the store failed")
		          : e->is_stopping ? STR("stopping")
		          : e->is_leaving  ? STR("other nodes take over its work")
		          : e->nodes && node_handover_gives(e)
		                  ? STR("the clock of this machine is "
		                        "wrong: other nodes get new work")
		          : str_is(away) ? away
		          : e->is_full && !e->options.config->store_read_only
		                  ? STR("the disk is full: reading only")
		          : e->rebuild   ? STR("rebuilding what follows from the log")
		          : !e->is_ready ? STR("starting")
		                         : STR_NONE,
		.waits = port_blob_waits(e->ports.blobs),
		.is_away = st.is_away,
		.is_behind = st.behind,
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
	.health = engine_health,
	.metrics = metrics_read,
	.enrol = channels_enrol,
	.leave = channels_leave,
	.acked = channels_acked,
	.stranger = channels_stranger,
	.principal = holders_principal,
	.admit = holders_admit,
	.issuer_changed = access_issuer_changed,
	.watch_devices = access_watch_devices,
	.is_usable = holders_is_usable,
	.owns = nodes_owns,
	.last_place = holders_last_place,
};

/* The toolsets of the ports, and the engine's own after them. */
static void add_toolset(struct engine *e, struct toolset *own)
{
	size_t count = e->ports.toolset_count;
	struct toolset **all = ARENA_ARRAY(e->mem, struct toolset *, count + 1);

	for (size_t i = 0; i < count; i++)
		all[i] = e->ports.toolsets[i];
	all[count] = own;
	e->ports.toolsets = all;
	e->ports.toolset_count = count + 1;
}

/*
 * Reads no session: that begins with engine_start().  engine_free() has to work on an
 * engine that failed half-way, so all lists are initialised before the first step that can
 * fail.  The identity comes last, because it stores the record of the models, rules and
 * tools that were read before.
 */
enum err engine_new(const struct engine_ports *ports, const struct engine_options *options,
                    const struct engine_hooks *hooks, struct engine **ret, struct error *err)
{
	const struct config_values *config = options->config;
	struct engine *e = memory_zeroed(1, sizeof *e);
	enum err code;

	e->metrics = metrics_new();
	e->waits = waits_new();
	e->control.ops = &control_ops;
	e->ports = *ports;
	e->options = *options;
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
		add_toolset(e, e->process_tools = process_tools_new(e));
	if (config->tools_enabled)
		add_toolset(e, e->output_tools = output_tools_new(e));
	if (config->tools_enabled && config->context_extensions && ports->context)
		add_toolset(e, e->skill_tools = skill_tools_new(e));
	list_init(&e->sendings);
	uploads_init(e);
	list_init(&e->worktree_runs);
	list_init(&e->lost_runs);
	list_init(&e->gathers);
	list_init(&e->tool_places);
	list_init(&e->record.variants);
	list_init(&e->record.reread);
	list_init(&e->places);
	load_init(e);
	list_init(&e->line_of_tasks);
	list_init(&e->by_use);
	list_init(&e->held);
	list_init(&e->recovery.queue);
	nodes_follow_clock(e);
	e->started_ms = ports->clock->ops->wall_ms(ports->clock);
	settings_config_take(config, &e->config);
	e->settings = (struct settings){
		.workspace_id = options->workspace_id,
		.cwd = options->cwd,
		.data_dir = options->data_dir,
		.is_cwd_private = directory_is_private(&options->data_dir, options->cwd) ||
		                  str_eq(options->cwd, STR("/")),
		.home = options->home,
		.place = (struct rec_node_place *)node_place_own(e),
		.worktree_dir = options->worktree_dir,
		.real = options->real,
		.runs_code = options->runs_code,
		.runs_hooks = options->runs_hooks,
		.digest = options->digest,
		.zone = options->zone,
		.zone_owner = options->zone_owner,
		.version = STR(THOLE_VERSION),
		.config = &e->config,
		.model = config->model,
		.mode = config->permission_mode ? config->permission_mode : PERMISSION_MODE_DEFAULT,
		.is_interactive = !options->is_unattended && config->permission_interactive,
		.action_timeout_ms = config->action_timeout_s * 1000,
		.question_timeout_ms = config->action_question_timeout_s * 1000,
		.retry_max = LIMIT_MODEL_ATTEMPTS,
		.retry_base_ms = 500,
		.retry_wait_max_ms = config->routing_retry_wait_max_ms
		                             ? config->routing_retry_wait_max_ms
		                             : LIMIT_RETRY_WAIT_MAX_MS,
		.retry_budget_ms = config->routing_retry_budget_ms,
		.caps = { .request = config->budget_request_usd,
		          .turn = config->budget_turn_usd,
		          .task = config->budget_task_usd,
		          .session = config->budget_session_usd,
		          .day = config->budget_day_usd,
		          .tenant = config->budget_tenant_usd,
		          .overrun = config->budget_overrun,
		          .low_percent = config->budget_low_percent },
		.tasks = { .session = config->limits_tasks_session,
		           .tenant = config->limits_tasks_tenant,
		           .runtime = config->limits_tasks_runtime },
		.reads_context = ports->context != NULL,
		.max_steps = LIMIT_REQUESTS_PER_TURN,
		.on_busy = rec_enum_read(&enum_delivery, on_busy_word(config->queue_on_busy)),
		.fold_version = FOLD_VERSION,
		.bind = sandbox_probe_bind,
		.bind_owner = e,
	};
	grants_init(e);
	access_init(e);
	settings_hooks_take(e);
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
	nodes_init(e);
	*ret = e;
	return OK;
}

/*
 * When the last read is complete, pending work continues in this order: interrupted
 * retention, deadlines, commands that arrived early, and then the recovery of sessions
 * that no command needs.  A read-only runtime only answers queries.
 */
void engine_start_moved(struct engine *e)
{
	if (e->recovering || e->is_ready)
		return;
	e->is_ready = true;
	if (e->options.config->store_read_only) {
		request_start_early(e);
		if (e->hooks.ready)
			e->hooks.ready(e->hooks.owner);
		return;
	}
	evidence_orphans_remove(e);
	retention_resume(e);
	removal_sweep(e);
	user_edits_recover(e);
	deadlines_look(e); /* sessions outside memory have deadlines too */
	request_start_early(e);
	nodes_start(e);
	lifecycle_events_started(e);
	anchor_ready(e);
	recovery_pump(e);
	if (e->hooks.ready)
		e->hooks.ready(e->hooks.owner);
}

/*
 * The start is a chain of reads: derived rows are rebuilt if needed, then provider limits
 * (ledger.c), then sessions with open work (recovery.c), then shared grants (grants.c).
 * `recovering` counts the parts that are not complete.
 */
void engine_start(struct engine *e)
{
	e->recovering = 1;
	if (e->options.config->store_read_only) {
		e->is_full = true; /* spontaneous writes never happen */
		rebuild_start(e);
		return;
	}
	e->recovery.is_listing = true;
	eviction_start(e);
	maintenance_start(e);
	anchor_start(e);
	clock_jump_start(e);
	rebuild_start(e);
	project_tools_enter(e, e->settings.cwd);
}

void engine_poll(struct engine *e)
{
	e->ports.store->ops->poll(e->ports.store);
	store_away_look(e);
	if (e->ports.blobs)
		e->ports.blobs->ops->poll(e->ports.blobs);
	if (e->ports.context)
		e->ports.context->ops->poll(e->ports.context);
}

void engine_flush(struct engine *e)
{
	/* Caches of rule files check the files at most once per beat. */
	e->beat++;
	commit_flush(e);
}

struct control *engine_control(struct engine *e)
{
	return &e->control;
}

/*
 * Background processes delay the stop only if they are to end with the runtime; otherwise
 * they continue, and the next start finds them.
 */
bool engine_is_quiet(const struct engine *e)
{
	if (e->is_stopping && e->options.config->process_on_stop == ON_TURN_END_TERMINATE &&
	    !list_is_empty(&e->processes))
		return false;
	return !e->filling && !e->batches && !e->live_effects && !e->pending_calls;
}

bool engine_has_processes(const struct engine *e)
{
	return !list_is_empty(&e->processes);
}

bool engine_leave(struct engine *e)
{
	if (!node_handover_can(e))
		return false;
	if (!e->is_leaving)
		lifecycle_events_leaving(e);
	node_handover_begin(e);
	return true;
}

bool engine_has_left(struct engine *e)
{
	return node_handover_is_over(e);
}

/*
 * The last events are decided before is_stopping is set: a stopping engine starts nothing
 * that writes.
 */
void engine_stop(struct engine *e)
{
	lifecycle_events_stopping(e);
	if (!e->options.config->store_read_only) {
		recovery_keep_rows(e);
		clock_jump_keep(e);
		anchor_now(e);
	}
	e->is_stopping = true;
	effects_leave_tasks(e);
	if (e->options.config->process_on_stop == ON_TURN_END_TERMINATE)
		processes_end(e);
	fanout_end(e, STREAM_SHUTDOWN);
}

void engine_close(struct engine *e)
{
	if (!e)
		return;
	e->is_closing = true;
	uploads_close(e);
}

/*
 * Sessions first: their `freed` listeners use the maps and lists that are freed below.
 * The effects of a session go before the session, because they point to it.
 */
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
	removal_sweep_free(e);
	damage_free(e);
	anchor_free(e);
	rebuild_free(e);
	evidence_orphans_free(e);
	uploads_free(e);
	backpressure_stop(e);
	disk_full_stop(e);
	store_away_stop(e);
	effects_free(e);
	if (e->process_tools)
		e->process_tools->ops->close(e->process_tools);
	if (e->output_tools)
		e->output_tools->ops->close(e->output_tools);
	if (e->skill_tools)
		e->skill_tools->ops->close(e->skill_tools);
	processes_free(e);
	metrics_free(e->metrics);
	waits_free(e->waits);
	nodes_free(e);
	notify_free(e);
	worktrees_free(e);
	lost_changes_free(e);
	context_load_free(e);
	request_free_all(e);
	commit_discard(e);
	project_tools_free(e);
	toolsets_free(e);
	models_free(e);
	map_done(&e->sessions);
	map_done(&e->removing);
	task_slots_free(e);
	grants_free(e);
	access_free(e);
	rules_cache_free(e);
	settings_record_free(e);
	settings_check_free(e);
	channels_free(e);
	map_done(&e->in_flight);
	map_done(&e->bringing);
	fanout_free(e);
	buf_done(&e->line);
	session_journal_done(e);
	arena_free(e->scratch);
	arena_free(e->forms);
	arena_free(e->folding);
	arena_free(e->mem);
	memory_free(e);
}

void engine_store_failed(struct engine *e, const struct error *err)
{
	commit_store_failed(e, err);
}
