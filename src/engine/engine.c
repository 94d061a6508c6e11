#include "engine/engine.h"

#include "base/id.h"
#include "base/log.h"
#include "core/channel.h"
#include "core/rules.h"
#include "engine/processes.h"

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

void engine_look_for_keys(struct engine *e)
{
	struct setup_model *models = (struct setup_model *)e->setup.models;
	size_t at = 0;

	for (size_t i = 0; i < e->ports.provider_count; i++) {
		const struct model_info *infos;
		size_t count = e->ports.providers[i]->ops->models(e->ports.providers[i], &infos);

		for (size_t n = 0; n < count; n++)
			models[at++].has_credential = infos[n].has_credential;
	}
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

/* What the configuration says, as text: kept once, named by every turn. */
static struct str setup_text(struct engine *e, const struct setup *s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "version", STR(THOLE_VERSION));
	JW_KSTR(&w, "mode", permission_mode_word(s->mode));
	JW_KBOOL(&w, "interactive", s->is_interactive);
	if (str_is(e->settings.rules)) {
		JW_KEY(&w, "rules");
		jw_raw(&w, e->settings.rules);
	}
	JW_KINT(&w, "actionTimeoutMs", s->action_timeout_ms);
	JW_KINT(&w, "retryMax", s->retry_max);
	JW_KINT(&w, "maxSteps", s->max_steps);
	JW_KSTR(&w, "onBusy", delivery_word(s->on_busy));
	JW_KSTR(&w, "onInterrupt", queue_policy_word(s->on_interrupt));
	JW_KOPT(&w, "model", s->model);
	write_money(&w, s);
	JW_KEY(&w, "env");
	jw_arr(&w);
	for (size_t i = 0; i < e->settings.env.count; i++)
		jw_str(&w, e->settings.env.items[i]);
	jw_arr_end(&w);
	JW_KEY(&w, "models");
	jw_arr(&w);
	for (size_t i = 0; i < s->model_count; i++) {
		const struct setup_model *m = &s->models[i];

		jw_obj(&w);
		JW_KSTR(&w, "provider", m->provider);
		JW_KSTR(&w, "model", m->model);
		write_prices(&w, m);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	JW_KEY(&w, "tools");
	jw_arr(&w);
	for (size_t i = 0; i < s->tool_count; i++) {
		const struct setup_tool *t = &s->tools[i];

		jw_obj(&w);
		JW_KSTR(&w, "toolName", t->name);
		JW_KSTR(&w, "description", t->description);
		JW_KSTR(&w, "policy", tool_policy_word(t->policy));
		JW_KOPT(&w, "runtimeOwner", t->owner);
		JW_KOPT(&w, "nativeName", t->native_name);
		JW_KOPT(&w, "definitionHash", t->definition);
		JW_KBOOL(&w, "isReadOnly", t->is_read_only);
		JW_KBOOL(&w, "isDestructive", t->is_destructive);
		JW_KEY(&w, "inputSchema");
		jw_raw(&w, t->input_schema);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

static enum err keep_meta(struct engine *e, struct str key, struct str value, struct error *err)
{
	return e->ports.store->ops->set_meta(e->ports.store, key, value, err);
}

/* The same configuration keeps the same ref. */
static enum err picture_of(struct engine *e, const struct setup *s, struct id_source *ids,
                           struct arena *keep, struct str *ret, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = e->ports.store;
	struct str text = setup_text(e, s, mem), known = STR_NONE;
	struct sha256 h = sha256_of(text);
	struct str name = arena_printf(mem, "config:%.*s", STR_ARG(sha256_hex(mem, &h)));
	enum err code = st->ops->get_meta(st, mem, name, &known, err);

	if (code == ERR_NOT_FOUND) {
		known = id_make(mem, ids, "out");
		/* The text first: a ref that a crash left behind would lead nowhere. */
		code = keep_meta(e, arena_printf(mem, "blob:%.*s", STR_ARG(known)), text, err);
		if (!code)
			code = keep_meta(e, name, known, err);
	}
	if (!code)
		*ret = arena_keep(keep, known);
	return code;
}

static enum err keep_picture(struct engine *e, struct id_source *ids, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str known;
	enum err code = picture_of(e, &e->setup, ids, mem, &known, err);

	if (code)
		return code;
	/* an id is short, and pictures change seldom */
	if (!str_is(e->setup.config_ref) || !str_eq(e->setup.config_ref, known))
		e->setup.config_ref = e->setup.inventory_ref = arena_keep(e->mem, known);
	return OK;
}

/* The installation's id is made once. */
static enum err take_identity(struct engine *e, struct error *err)
{
	struct store *st = e->ports.store;
	struct id_source ids;
	uint8_t entropy[16];
	enum err code;

	e->ports.clock->ops->entropy(e->ports.clock, entropy);
	id_source_init(&ids, e->ports.clock->ops->wall_ms(e->ports.clock), entropy);
	code = st->ops->get_meta(st, e->mem, STR("runtime_id"), &e->runtime_id, err);
	if (code == ERR_NOT_FOUND) {
		e->runtime_id = id_make(e->mem, &ids, "rt");
		code = keep_meta(e, STR("runtime_id"), e->runtime_id, err);
	}
	if (!code)
		code = st->ops->get_meta(st, e->mem, STR("secret"), &e->secret, err);
	if (code == ERR_NOT_FOUND) {
		e->secret = id_make_hex(e->mem, &ids, 32);
		code = keep_meta(e, STR("secret"), e->secret, err);
	}
	if (code)
		return code;
	e->setup.runtime_id = e->runtime_id;
	code = keep_picture(e, &ids, err);
	if (!code)
		take_environment(e, &ids);
	return code;
}

static struct id_source fresh_ids(struct engine *e)
{
	struct id_source ids;
	uint8_t entropy[16];

	e->ports.clock->ops->entropy(e->ports.clock, entropy);
	id_source_init(&ids, e->ports.clock->ops->wall_ms(e->ports.clock), entropy);
	return ids;
}

enum err engine_picture_again(struct engine *e, struct error *err)
{
	struct id_source ids = fresh_ids(e);

	return keep_picture(e, &ids, err);
}

enum err engine_picture_of(struct engine *e, const struct setup *s, struct arena *mem,
                           struct str *ret, struct error *err)
{
	struct id_source ids = fresh_ids(e);

	return picture_of(e, s, &ids, mem, ret, err);
}

static void health(struct control *c, struct control_health *ret)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	*ret = (struct control_health){
		.ready = e->is_ready && !e->has_failed && !e->is_stopping && !e->is_full,
		.reason = e->has_failed    ? STR("the store failed")
		          : e->is_stopping ? STR("stopping")
		          : e->is_full     ? STR("the disk is full: reading only")
		          : e->rebuild     ? STR("rebuilding what follows from the log")
		          : !e->is_ready   ? STR("starting")
		                           : STR_NONE,
		.live_sessions = e->sessions.count,
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
		.last_position = st.last_position,
		.started_ms = e->started_ms,
		.runtime_id = e->runtime_id,
		.version = STR(THOLE_VERSION),
	};
	LIST_EACH (&e->subscriptions, node)
		ret->subscriptions++;
}

static const struct control_ops control_ops = {
	.call = dispatch_call,
	.forget = dispatch_forget,
	.subscribe = fanout_subscribe,
	.resume = fanout_resume,
	.unsubscribe = fanout_unsubscribe,
	.health = health,
	.enrol = channel_enrol,
	.leave = channel_leave,
	.acked = channel_acked,
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
	e->hooks = *hooks;
	e->mem = arena_new();
	e->scratch = arena_new();
	e->forms = arena_new_small();
	list_init(&e->subscriptions);
	list_init(&e->requests);
	list_init(&e->early);
	damage_init(e);
	list_init(&e->runs);
	processes_init(e);
	if (ports->processes)
		add_process_tools(e);
	list_init(&e->sendings);
	list_init(&e->gathers);
	list_init(&e->tool_places);
	list_init(&e->places);
	list_init(&e->dropped);
	list_init(&e->line_of_tasks);
	list_init(&e->upkeep.resting);
	e->started_ms = ports->clock->ops->wall_ms(ports->clock);
	e->setup = (struct setup){
		.workspace_id = settings->workspace_id,
		.cwd = settings->cwd,
		.home = settings->home,
		.real = settings->real,
		.zone = settings->zone,
		.zone_owner = settings->zone_owner,
		.model = settings->model,
		.mode = settings->mode,
		.is_interactive = settings->is_interactive,
		.action_timeout_ms = settings->action_timeout_ms,
		.question_timeout_ms = settings->question_timeout_ms ? settings->question_timeout_ms
		                                                     : settings->action_timeout_ms,
		.retry_max = LIMIT_MODEL_ATTEMPTS,
		.retry_base_ms = 500,
		.retry_wait_max_ms = settings->retry_wait_max_ms ? settings->retry_wait_max_ms
		                                                 : LIMIT_RETRY_WAIT_MAX_MS,
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
		.bind = cage_bind,
		.bind_owner = e,
	};
	grants_init(e);
	if (!e->setup.caps.overrun)
		e->setup.caps.overrun = 10;
	if (!e->setup.caps.low_percent)
		e->setup.caps.low_percent = 80;
	take_hooks(e);
	code = take_models(e, err);
	if (!code)
		code = take_rules(e, err);
	if (!code)
		code = tools_take(e, err);
	if (!code)
		code = take_identity(e, err);
	if (code) {
		engine_free(e);
		return code;
	}
	tools_watch(e);
	*ret = e;
	return OK;
}

/* ---- start: sessions with open work are loaded, and say what was lost ---- */

void engine_ready_if_done(struct engine *e)
{
	if (e->recovering || e->is_ready)
		return;
	e->is_ready = true;
	keep_go_on(e);
	engine_due_anew(e); /* sessions at rest have deadlines too */
	dispatch_early(e);
	node_started(e);
	if (e->hooks.ready)
		e->hooks.ready(e->hooks.owner);
}

void engine_found(struct engine *e, struct session *s)
{
	if (s && s->is_at_start) {
		s->is_at_start = false;
		e->unfound--;
	}
	/* Every session has claimed what it left in the background. */
	if (!e->unfound && !e->start_mem && !e->is_settled) {
		e->is_settled = true;
		processes_settle(e);
		slots_look(e);
	}
}

static void open_read(struct store_read *r)
{
	struct engine *e = r->owner;
	bool more = r->more;

	if (r->result != OK && r->result != ERR_NOT_FOUND) {
		e->has_failed = true;
		e->failure = r->error;
		store_read_done(r);
		if (e->hooks.fatal)
			e->hooks.fatal(e->hooks.owner, &e->failure);
		return;
	}
	for (size_t i = 0; i < r->row_count; i++) {
		struct session *s = session_make(e, r->rows[i].key, false);

		s->needs_recovery = s->is_at_start = true;
		e->unfound++;
		e->recovered++;
		session_load(s);
		e->start_from_at = r->rows[i].at;
		e->start_from_key = arena_keep(e->start_mem, r->rows[i].key);
	}
	store_read_done(r);
	if (more) {
		engine_recover(e);
		return;
	}
	grants_learn(e);
	e->recovering--;
	arena_free(e->start_mem);
	e->start_mem = NULL;
	engine_found(e, NULL);
	engine_ready_if_done(e);
}

void engine_recover(struct engine *e)
{
	e->start_read = (struct store_read){ .kind = READ_INDEX,
		                             .table = INDEX_SESSION,
		                             .open_only = true,
		                             .from_at = e->start_from_at,
		                             .from_key = e->start_from_key,
		                             .done = open_read,
		                             .owner = e };
	e->ports.store->ops->read(e->ports.store, &e->start_read);
}

/* ---- sleeping: worlds that nobody touches leave memory ---- */

static int by_use(const void *a, const void *b)
{
	const struct session *x = *(struct session *const *)a, *y = *(struct session *const *)b;

	return (x->used_at > y->used_at) - (x->used_at < y->used_at);
}

static void sweep(struct engine *e)
{
	struct clock *c = e->ports.clock;
	int64_t now = c->ops->mono_ms(c);
	struct session *idle[1024];
	size_t count = 0, evicted = 0, live = e->sessions.count;
	struct map_slot *slot;

	for (size_t i = 0; count < COUNT_OF(idle) && map_next(&e->sessions, &i, &slot);) {
		struct session *s = slot->value;

		if (!session_is_idle(s))
			continue;
		if (now - s->used_at >= TALKS_REST_MS)
			talks_forget(s);
		idle[count++] = s;
	}
	qsort(idle, count, sizeof *idle, by_use);
	for (size_t i = 0; i < count; i++) {
		bool is_old = now - idle[i]->used_at >= e->settings.idle_evict_ms;

		if (!is_old && live - evicted <= SESSIONS_KEPT)
			break;
		evicted += session_evict(idle[i]);
	}
	tool_places_sweep(e);
	if (evicted >= SESSIONS_KEPT)
		memory_trim();
}

static void on_sweep(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, sweep);
	struct clock *c = e->ports.clock;

	e->is_sweeping_soon = false;
	time_look(e);
	sweep(e);
	c->ops->start(c, &e->sweep, e->sessions.count > 2 * SESSIONS_KEPT ? 10 : 1000);
}

/* More than twice as many as are kept: do not wait for the next second. */
void engine_crowded(struct engine *e)
{
	struct clock *c = e->ports.clock;

	if (e->sessions.count > 2 * SESSIONS_KEPT && !e->is_sweeping_soon) {
		e->is_sweeping_soon = true;
		c->ops->start(c, &e->sweep, 0);
	}
}

/* ---- deadlines of sessions that sleep ---- */

#define DUE_AGAIN_MS 50

static void ask_due(struct engine *e);

static void due_read(struct store_read *r)
{
	struct engine *e = r->owner;
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);
	int64_t next = 0;

	e->is_asking_due = false;
	for (size_t i = 0; r->result == OK && i < r->row_count; i++) {
		if (session_find(e, r->rows[i].key))
			continue; /* it keeps its own time */
		if (r->rows[i].at <= now) {
			struct session *s = session_make(e, r->rows[i].key, false);

			session_load(s);
		} else if (!next) {
			next = r->rows[i].at;
		}
	}
	/* A page of sessions that are all due: those behind it are looked for when these are loaded. */
	if (!next && r->more)
		next = now + DUE_AGAIN_MS;
	store_read_done(r);
	if (next)
		engine_due(e, next);
}

static void ask_due(struct engine *e)
{
	if (e->is_asking_due || e->has_failed)
		return;
	e->is_asking_due = true;
	e->due_read = (struct store_read){
		.kind = READ_INDEX, .table = INDEX_TIMER, .done = due_read, .owner = e
	};
	e->ports.store->ops->read(e->ports.store, &e->due_read);
}

static void on_due(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, due);

	e->due_at = 0;
	ask_due(e);
}

void engine_due(struct engine *e, int64_t at)
{
	struct clock *c = e->ports.clock;

	if (!at || (e->due_at && e->due_at <= at))
		return;
	e->due_at = at;
	e->due.fire = on_due;
	c->ops->start(c, &e->due, MAX(at - c->ops->wall_ms(c), 0));
}

void engine_due_anew(struct engine *e)
{
	e->due_at = 0;
	ask_due(e);
}

void engine_start(struct engine *e)
{
	struct clock *c = e->ports.clock;

	e->recovering = 1;
	e->start_mem = arena_new();
	e->sweep.fire = on_sweep;
	c->ops->start(c, &e->sweep, 1000);
	upkeep_start(e);
	anchor_start(e);
	time_start(e);
	rebuild_start(e);
	tool_places_enter(e, e->setup.cwd);
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
	node_stopping(e);
	anchor_now(e);
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
	e->ports.clock->ops->stop(e->ports.clock, &e->sweep);
	e->ports.clock->ops->stop(e->ports.clock, &e->due);
	e->ports.clock->ops->stop(e->ports.clock, &e->room);
	for (size_t i = 0; map_next(&e->sessions, &i, &slot);) {
		effects_drop(slot->value);
		session_free(slot->value);
	}
	sessions_forget_dropped(e);
	upkeep_free(e);
	damage_free(e);
	anchor_free(e);
	rebuild_free(e);
	pressure_stop(e);
	room_stop(e);
	effects_free(e);
	if (e->process_tools)
		e->process_tools->ops->close(e->process_tools);
	processes_free(e);
	deliveries_free(e);
	contexts_free(e);
	requests_free(e);
	commit_discard(e);
	tool_places_free(e);
	tools_free(e);
	map_done(&e->sessions);
	slots_free(e);
	grants_free(e);
	policy_free(e);
	channels_free(e);
	map_done(&e->in_flight);
	map_done(&e->bringing);
	buf_done(&e->line);
	arena_free(e->start_mem);
	arena_free(e->scratch);
	arena_free(e->forms);
	arena_free(e->mem);
	xfree(e);
}
