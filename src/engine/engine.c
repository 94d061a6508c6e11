#include "engine/engine.h"

#include "base/id.h"
#include "base/log.h"
#include "core/channel.h"
#include "policy/rules.h"
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
	.call = dispatch_call,
	.forget = dispatch_forget,
	.subscribe = fanout_subscribe,
	.resume = fanout_resume,
	.unsubscribe = fanout_unsubscribe,
	.health = health,
	.enrol = channel_enrol,
	.leave = channel_leave,
	.acked = channel_acked,
	.stranger = channel_stranger,
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
	list_init(&e->dropped);
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

void engine_ready_if_done(struct engine *e)
{
	if (e->recovering || e->is_ready)
		return;
	e->is_ready = true;
	if (e->settings.reads_only) {
		dispatch_early(e);
		if (e->hooks.ready)
			e->hooks.ready(e->hooks.owner);
		return;
	}
	keep_go_on(e);
	engine_due_anew(e); /* sessions at rest have deadlines too */
	dispatch_early(e);
	node_started(e);
	recovery_pump(e);
	if (e->hooks.ready)
		e->hooks.ready(e->hooks.owner);
}

/* ---- sleeping: worlds that nobody touches leave memory ---- */

/* How soon it is looked again while they hold more than they should. */
#define CROWDED_MS 5
/* The same, when all of them were at work. */
#define CROWDED_BUSY_MS 50
/* After so many the system gets its memory back. */
#define TRIM_AFTER 64

static bool is_crowded(const struct engine *e)
{
	return e->session_bytes > (size_t)e->settings.session_bytes;
}

/*
 * While there is not enough room, whoever has rested longest gives up first
 * what its world does not need and then all of it.  Not right after its last
 * use: the next turn of a busy session should find it, so that a little more
 * room is taken for a moment than to read each of them again for every turn.
 */
static bool leaves_for_room(struct engine *e, struct session *s, int64_t rested)
{
	if (!is_crowded(e))
		return false;
	if (rested < CROWDED_REST_MS && e->session_bytes < 2 * (size_t)e->settings.session_bytes)
		return false;
	if (s->is_slim)
		return true;
	world_compact(s->world);
	session_weigh(s);
	s->is_slim = true;
	return is_crowded(e);
}

/*
 * Whoever has rested for long leaves.  They stand in the order of their last
 * use, so that what is looked at in vain are sessions at work only.
 */
static size_t sweep(struct engine *e)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);
	size_t evicted = 0;

	LIST_EACH_SAFE (&e->by_use, node, tmp) {
		struct session *s = LIST_ITEM(node, struct session, by_use);
		int64_t rested = now - s->used_at;
		bool leaves = rested >= e->settings.idle_evict_ms;

		if (!leaves && !is_crowded(e) && rested < TALKS_REST_MS)
			break;
		if (s->state != SESSION_LIVE || !session_is_idle(s))
			continue;
		leaves = leaves || leaves_for_room(e, s, rested);
		if (leaves || rested >= TALKS_REST_MS)
			talks_forget(s);
		if (leaves)
			evicted += session_evict(s);
	}
	tool_places_sweep(e);
	e->evicted += evicted;
	if (e->evicted >= TRIM_AFTER && !is_crowded(e)) {
		e->evicted = 0;
		memory_trim();
	}
	return evicted;
}

static void on_sweep(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, sweep);
	struct clock *c = e->ports.clock;
	size_t evicted;

	time_look(e);
	evicted = sweep(e);
	e->is_sweeping_soon = is_crowded(e);
	c->ops->start(c, &e->sweep,
	              !e->is_sweeping_soon ? 1000
	              : evicted            ? CROWDED_MS
	                                   : CROWDED_BUSY_MS);
}

void engine_crowded(struct engine *e)
{
	struct clock *c = e->ports.clock;

	if (is_crowded(e) && !e->is_sweeping_soon) {
		e->is_sweeping_soon = true;
		c->ops->start(c, &e->sweep, 0);
	}
}

/* ---- deadlines of sessions that sleep ---- */

/* Loaded together, because something of them is due. */
#define DUE_AT_ONCE 64

static void read_due(struct engine *e);
static void ask_due(struct engine *e);

static void pass_ends(struct engine *e, bool is_whole)
{
	struct due_pass *p = &e->due_pass;

	p->is_on = false;
	arena_free(p->mem);
	p->mem = NULL;
	p->from_key = STR_NONE;
	p->is_moved = p->takes_all && is_whole;
	if (p->is_wanted) {
		p->is_wanted = false;
		ask_due(e);
	}
}

static void load_due(struct engine *e, struct str id)
{
	struct session *s = session_make(e, id, false);

	s->is_due = true;
	e->due_pass.loading++;
	session_load(s);
}

/*
 * A session in memory keeps its own time, and its row may say that it is due
 * for as long as it likes: what was seen once is not looked at again before
 * the next pass.
 */
static void due_read(struct store_read *r)
{
	struct engine *e = r->owner;
	struct due_pass *p = &e->due_pass;
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock), next = 0;
	bool is_good = r->result == OK, goes_on = is_good && r->more && r->row_count;

	e->is_asking_due = false;
	for (size_t i = 0; r->result == OK && i < r->row_count; i++) {
		bool is_there = session_find(e, r->rows[i].key) != NULL;

		if (r->rows[i].at > now && !p->takes_all) {
			goes_on = false;
			/* Behind a page of those that are there nobody is due before its last. */
			if (!is_there || i + 1 == r->row_count) {
				next = r->rows[i].at;
				break;
			}
		} else if (!is_there) {
			load_due(e, r->rows[i].key);
		}
	}
	if (goes_on) {
		const struct index_found *last = &r->rows[r->row_count - 1];

		arena_reset(p->mem);
		p->from_at = last->at;
		p->from_key = arena_keep(p->mem, last->key);
	}
	store_read_done(r);
	if (!goes_on)
		pass_ends(e, is_good);
	else if (p->loading < DUE_AT_ONCE)
		read_due(e);
	if (next)
		engine_due(e, next);
}

static void read_due(struct engine *e)
{
	e->is_asking_due = true;
	e->due_read = (struct store_read){ .kind = READ_INDEX,
		                           .table = INDEX_TIMER,
		                           .max_rows = DUE_AT_ONCE,
		                           .from_at = e->due_pass.from_at,
		                           .from_key = e->due_pass.from_key,
		                           .done = due_read,
		                           .owner = e };
	e->ports.store->ops->read(e->ports.store, &e->due_read);
}

void engine_due_loaded(struct session *s)
{
	struct engine *e = s->engine;

	if (!s->is_due)
		return;
	s->is_due = false;
	e->due_pass.loading--;
	if (e->due_pass.is_on && !e->is_asking_due && !e->is_stopping && !e->has_failed &&
	    e->due_pass.loading < DUE_AT_ONCE / 2)
		read_due(e);
}

bool engine_due_moved(const struct engine *e)
{
	const struct due_pass *p = &e->due_pass;

	return p->is_moved && !p->is_on && !p->loading && !e->filling && !e->batches;
}

static void ask_due(struct engine *e)
{
	if (e->has_failed)
		return;
	/* Whoever became due meanwhile may stand before the place where this one is. */
	if (e->due_pass.is_on) {
		e->due_pass.is_wanted = true;
		return;
	}
	e->due_pass.is_on = true;
	e->due_pass.is_moved = false;
	/* After the clock was set a row may be due at any time. */
	e->due_pass.takes_all = e->time.is_moving_rows;
	e->due_pass.mem = arena_new_small();
	read_due(e);
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
	if (e->settings.reads_only) {
		e->is_full = true; /* whatever would be written by itself waits for ever */
		rebuild_start(e);
		return;
	}
	e->recovery.is_listing = true;
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
	if (!e->settings.reads_only) {
		recovery_keep_rows(e);
		time_keep(e);
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
	e->ports.clock->ops->stop(e->ports.clock, &e->sweep);
	e->ports.clock->ops->stop(e->ports.clock, &e->due);
	e->ports.clock->ops->stop(e->ports.clock, &e->room);
	for (size_t i = 0; map_next(&e->sessions, &i, &slot);) {
		effects_drop(slot->value);
		session_free(slot->value);
	}
	sessions_forget_dropped(e);
	recovery_free(e);
	arena_free(e->due_pass.mem);
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
	worktrees_free(e);
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
	fanout_free(e);
	buf_done(&e->line);
	arena_free(e->scratch);
	arena_free(e->forms);
	arena_free(e->folding);
	arena_free(e->mem);
	xfree(e);
}
