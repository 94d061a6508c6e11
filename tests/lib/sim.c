#include "sim.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "memory_blobs.h"
#include "disk.h"
#include "engine/engine_state.h" /* sim_settings() and sim_steady_ms() alone */
#include "sim_replay.h"
#include "store/ledger.h"
#include "store/blobs.h"
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY_ONE 1794700800000 /* 2026-11-15T00:00:00Z */
#define TURNS_MAX 200000      /* 10,000 sessions that are recovered take fewer */

struct sim_timer {
	struct sim_timer *next;
	struct clock_timer *timer;
	int64_t due;
	uint64_t order;
};

struct sim {
	struct config_values config;
	struct str fallback; /* config points at it */
	struct clock clock;
	int64_t now; /* mono ms since start */
	int64_t start_ms;
	bool follows; /* the wall clock is the boot clock and `ahead` */
	int64_t ahead;
	int64_t boot; /* the boot clock at the start */
	const char *boot_id;
	uint64_t random[2];
	uint64_t order;
	struct sim_timer *timers;
	struct arena *mem;
	struct store *store;
	struct sim_replay *replay;
	struct ledger *ledger;
	struct blobs *blobs;
	struct scripted *scripted;
	struct provider *providers[1];
	struct toolset *toolsets[1];
	struct engine *engine;
	struct subscription *follower;
	struct sim_log log;
	const struct sim_watch *watch;
	void *watcher;
	struct disk *disk;
	unsigned cuts; /* of the disk when this began */
	bool is_ready, is_caught_up, is_fatal;
	struct str speaks_as, acts_for;
	struct error fatal;
	/* The model and the tools, watched. */
	struct provider provider;
	struct toolset toolset;
	struct provider *inner_provider;
	struct toolset *inner_toolset;
};

/* The store's port for time has no owner: the newest simulation answers. */
static struct sim *newest;

/* ---- virtual time ---- */

static struct sim *of(struct clock *c)
{
	return OWNER_OF(c, struct sim, clock);
}

static int64_t sim_wall(struct clock *c)
{
	const struct sim *s = of(c);

	return (s->follows ? s->boot + s->ahead : s->start_ms) + s->now;
}

static void sim_follow(struct clock *c, int64_t ahead_ms)
{
	of(c)->follows = true;
	of(c)->ahead = ahead_ms;
}

static int64_t sim_mono(struct clock *c)
{
	return of(c)->now;
}

static int64_t sim_boot(struct clock *c)
{
	return of(c)->boot + of(c)->now;
}

static const char *sim_boot_id(struct clock *c)
{
	return of(c)->boot_id;
}

static void sim_stop(struct clock *c, struct clock_timer *t)
{
	for (struct sim_timer **at = &of(c)->timers; *at; at = &(*at)->next)
		if ((*at)->timer == t) {
			struct sim_timer *gone = *at;

			*at = gone->next;
			memory_free(gone);
			t->impl = NULL;
			return;
		}
}

static void sim_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct sim *s = of(c);
	struct sim_timer *n = memory_zeroed(1, sizeof *n), **at = &s->timers;

	sim_stop(c, t);
	n->timer = t;
	n->due = s->now + MAX(delay_ms, 0);
	n->order = s->order++;
	while (*at && (*at)->due <= n->due)
		at = &(*at)->next;
	n->next = *at;
	*at = n;
	t->impl = n;
}

static void sim_entropy(struct clock *c, uint8_t out[16])
{
	struct sim *s = of(c);

	for (int i = 0; i < 2; i++) {
		uint64_t z = (s->random[i] += 0x9e3779b97f4a7c15ull);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		z ^= z >> 31;
		memcpy(out + i * 8, &z, 8);
	}
}

static const struct clock_ops clock_ops = { sim_wall,    sim_mono, sim_start,   sim_stop,
	                                    sim_entropy, sim_boot, sim_boot_id, sim_follow };

static int64_t newest_mono(void)
{
	return newest ? newest->now : 0;
}

/* ---- models and tools, watched ---- */

static size_t watched_models(struct provider *p, const struct model_info **ret)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	return s->inner_provider->ops->models(s->inner_provider, ret);
}

static struct model_handle *watched_request(struct provider *p, const struct model_request *req,
                                            const struct model_sink *to, void *owner)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	if (s->watch && s->watch->model && !sim_is_dead(s))
		s->watch->model(s->watcher, req);
	return s->inner_provider->ops->start(s->inner_provider, req, to, owner);
}

static void watched_model_cancel(struct provider *p, struct model_handle *h)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	s->inner_provider->ops->cancel(s->inner_provider, h);
}

static void watched_model_pause(struct provider *p, struct model_handle *h)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	if (s->watch && s->watch->paused)
		s->watch->paused(s->watcher, true);
	s->inner_provider->ops->pause(s->inner_provider, h);
}

static void watched_model_resume(struct provider *p, struct model_handle *h)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	if (s->watch && s->watch->paused)
		s->watch->paused(s->watcher, false);
	s->inner_provider->ops->resume(s->inner_provider, h);
}

static void watched_provider_close(struct provider *p)
{
	struct sim *s = OWNER_OF(p, struct sim, provider);

	s->inner_provider->ops->close(s->inner_provider);
}

static const struct provider_ops provider_ops = {
	.name = STR("scripted"),
	.models = watched_models,
	.start = watched_request,
	.cancel = watched_model_cancel,
	.pause = watched_model_pause,
	.resume = watched_model_resume,
	.close = watched_provider_close,
};

static size_t watched_tools(struct toolset *t, const struct tool_info **ret)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	return s->inner_toolset->ops->tools(s->inner_toolset, ret);
}

static struct tool_handle *watched_tool(struct toolset *t, const struct tool_start *start,
                                        const struct tool_sink *to, void *owner)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	if (s->watch && s->watch->tool && !sim_is_dead(s))
		s->watch->tool(s->watcher, start->call_id);
	return s->inner_toolset->ops->start(s->inner_toolset, start, to, owner);
}

static void watched_tool_cancel(struct toolset *t, struct tool_handle *h)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	if (s->watch && s->watch->tool_stops && !s->watch->tool_stops(s->watcher))
		return;
	s->inner_toolset->ops->cancel(s->inner_toolset, h);
}

static void watched_tool_pause(struct toolset *t, struct tool_handle *h)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	if (s->watch && s->watch->paused)
		s->watch->paused(s->watcher, true);
	s->inner_toolset->ops->pause(s->inner_toolset, h);
}

static void watched_tool_resume(struct toolset *t, struct tool_handle *h)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	if (s->watch && s->watch->paused)
		s->watch->paused(s->watcher, false);
	s->inner_toolset->ops->resume(s->inner_toolset, h);
}

static void watched_toolset_close(struct toolset *t)
{
	struct sim *s = OWNER_OF(t, struct sim, toolset);

	s->inner_toolset->ops->close(s->inner_toolset);
}

static const struct toolset_ops toolset_ops = {
	.tools = watched_tools,
	.start = watched_tool,
	.cancel = watched_tool_cancel,
	.pause = watched_tool_pause,
	.resume = watched_tool_resume,
	.close = watched_toolset_close,
};

/* ---- following everything ---- */

static bool on_event(void *owner, const struct control_event *ev)
{
	struct sim *s = owner;

	if (sim_is_dead(s))
		return true;
	if (s->watch && s->watch->event)
		s->watch->event(s->watcher, ev);
	if (s->log.count == s->log.cap) {
		size_t cap = s->log.cap ? s->log.cap * 2 : 256;

		s->log.lines = arena_grow(s->mem, s->log.lines, s->log.count * sizeof(struct str),
		                          cap * sizeof(struct str));
		s->log.cap = cap;
	}
	s->log.lines[s->log.count++] = arena_keep(s->mem, bytes_str(ev->body));
	return true;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
}

static void on_caught_up(void *owner, uint64_t position)
{
	((struct sim *)owner)->is_caught_up = true;
}

static void on_end(void *owner, enum stream_end why)
{
	((struct sim *)owner)->follower = NULL;
}

static const struct control_sink sink = {
	.event = on_event, .gap = on_gap, .caught_up = on_caught_up, .end = on_end
};

/* ---- starting and ending ---- */

static void on_ready(void *owner)
{
	((struct sim *)owner)->is_ready = true;
}

static void on_fatal(void *owner, const struct error *e)
{
	struct sim *s = owner;

	s->is_fatal = true;
	s->fatal = *e;
}

bool sim_is_dead(const struct sim *s)
{
	return s->is_fatal || (s->disk && disk_cuts(s->disk) != s->cuts);
}

const struct error *sim_fatal(const struct sim *s)
{
	return s->is_fatal ? &s->fatal : NULL;
}

static void drop_timers(struct sim *s);

/* Everything that is open so far, in whatever state. */
static void close_all(struct sim *s)
{
	engine_close(s->engine);
	if (s->store)
		s->store->ops->close(s->store);
	if (s->blobs)
		s->blobs->ops->close(s->blobs);
	engine_free(s->engine);
	sim_replay_free(s->replay);
	if (s->ledger)
		s->ledger->ops->close(s->ledger);
	if (s->scripted) {
		s->inner_provider->ops->close(s->inner_provider);
		s->inner_toolset->ops->close(s->inner_toolset);
	}
	drop_timers(s);
	arena_free(s->mem);
	if (newest == s)
		newest = NULL;
	memory_free(s);
}

static enum err open_ports(struct sim *s, const struct sim_options *o, struct error *e)
{
	struct store_sqlite_options so = {
		.dir = o->dir,
		.vfs = o->vfs,
		.mono_ms = newest_mono,
		.max_pages = o->max_pages,
		.ballast_bytes = 1 << 19,
	};
	struct blobs_options bo = { .dir = o->dir };
	struct scripted_options sc = { .clock = &s->clock, .script_text = o->script };
	bool is_shared = s->watch && s->watch->open_store;
	enum err code = OK;

	if (is_shared)
		s->store = s->watch->open_store(s->watcher, &s->clock);
	else
		code = sqlite_open(&so, &s->store, e);
	if (!code && s->watch && s->watch->store)
		s->store = s->watch->store(s->watcher, s->store);
	/* Of sessions that other nodes continued the bytes are not known. */
	if (!code && !is_shared && !getenv("THOLE_NO_REPLAY"))
		s->replay = sim_replay_new(s->store);
	if (!code && o->memory_blobs)
		s->blobs = memory_blobs_open(o->memory_blobs);
	else if (!code && !o->vfs)
		code = blobs_open(&bo, &s->blobs, e);
	if (!code)
		code = scripted_open(&sc, &s->scripted, e);
	if (code)
		return code;
	s->inner_provider = scripted_provider(s->scripted);
	s->inner_toolset = scripted_tools(s->scripted);
	s->provider.ops = &provider_ops;
	s->toolset.ops = &toolset_ops;
	s->providers[0] = &s->provider;
	s->toolsets[0] = &s->toolset;
	return OK;
}

/* The defaults of the catalogue, and what the test asks for. */
static void set_config(struct config_values *c, const struct sim_options *o)
{
	*c = config_defaults;
	c->permission_mode = o->mode ? o->mode : PERMISSION_MODE_DEFAULT;
	c->permission_interactive = !o->unattended;
	c->trace = o->tracing;
	c->context_prompt = o->has_prompt ? CONTEXT_PROMPT_BUILTIN : CONTEXT_PROMPT_NONE;
	c->action_question_timeout_s = c->action_timeout_s;
	/* Scripts bring their own tools; others would only add to what requests cost. */
	c->tools_enabled = c->tools_agents = c->tools_plan = c->tools_todo = false;
	c->recovery_resume = o->resume_by_itself ? RESUME_POLICY_AUTO : RESUME_POLICY_ASK;
	c->retention_log_events = o->retain_events;
	c->retention_sessions_days = o->sessions_days;
	if (o->idle_evict_ms)
		c->session_idle_evict_s = o->idle_evict_ms / 1000;
	if (o->session_bytes)
		c->session_memory_bytes = o->session_bytes;
	if (o->snapshot_events)
		c->session_snapshot_events = o->snapshot_events;
	c->output_keep_days = o->output_keep_ms / (24 * 3600000);
	c->context_compact_percent = o->compact_percent;
	if (o->retry_budget_ms)
		c->routing_retry_budget_ms = MAX(o->retry_budget_ms, 0);
	if (o->parallel_requests)
		c->limits_parallel_requests = o->parallel_requests;
	if (o->tasks.session)
		c->limits_tasks_session = o->tasks.session;
	c->limits_tasks_tenant = o->tasks.tenant;
	c->limits_tasks_runtime = o->tasks.runtime;
	c->budget_request_usd = o->caps.request;
	c->budget_turn_usd = o->caps.turn;
	c->budget_task_usd = o->caps.task;
	c->budget_session_usd = o->caps.session;
	c->budget_day_usd = o->caps.day;
	c->budget_tenant_usd = o->caps.tenant;
	if (o->caps.overrun)
		c->budget_overrun = o->caps.overrun;
	if (o->caps.low_percent)
		c->budget_low_percent = o->caps.low_percent;
}

static enum err open_engine(struct sim *s, const struct sim_options *o, struct error *e)
{
	struct engine_options settings = {
		.config = &s->config,
		.version = o->version,
		.previous_failure = o->previous_failure,
		.workspace_id = STR("ws_sim"),
		.cwd = STR("/ws"),
	};
	struct engine_hooks hooks = { .owner = s, .ready = on_ready, .fatal = on_fatal };
	struct engine_ports ports = { .clock = &s->clock,
		                      .store = s->store,
		                      .blobs = s->blobs,
		                      .providers = s->providers,
		                      .provider_count = 1,
		                      .toolsets = s->toolsets,
		                      .toolset_count = 1,
		                      .hooks = o->hooks,
		                      .link = o->link };
	enum err code = ledger_open(s->store, &s->clock, &s->ledger, e);

	if (code)
		return code;
	ports.ledger = s->ledger;
	set_config(&s->config, o);
	s->fallback = o->fallback;
	if (str_is(s->fallback))
		s->config.routing_fallback_chain = (struct config_names){ &s->fallback, 1 };
	s->config.journal_enabled = !o->is_unrecorded;

	code = engine_new(&ports, &settings, &hooks, &s->engine, e);
	if (!code && s->replay)
		sim_replay_engine(s->replay, s->engine);
	return code;
}

enum err sim_open(const struct sim_options *o, struct sim **ret, struct error *e)
{
	struct sim *s = memory_zeroed(1, sizeof *s);
	struct error own = { 0 };
	struct control *c;
	enum err code;

	e = e ? e : &own;
	if (!getenv("THOLE_NO_REPLAY"))
		setenv("THOLE_STRICT", "1", 1);
	newest = s;
	s->clock.ops = &clock_ops;
	s->start_ms = o->start_ms ? o->start_ms : DAY_ONE;
	s->boot = o->boot_ms ? o->boot_ms : s->start_ms - DAY_ONE + 3600000;
	s->boot_id = o->boot_id ? o->boot_id : "boot-1";
	s->random[0] = o->seed * 2 + 1;
	s->random[1] = o->seed ^ 0x5851f42d4c957f2dull;
	s->watch = o->watch;
	s->watcher = o->watcher;
	s->disk = o->disk;
	s->cuts = o->disk ? disk_cuts(o->disk) : 0;
	s->mem = arena_new();
	code = open_ports(s, o, e);
	if (!code)
		code = open_engine(s, o, e);
	if (code) {
		close_all(s);
		return code;
	}
	engine_start(s->engine);
	c = engine_control(s->engine);
	s->follower = c->ops->subscribe(
		c, &(struct control_stream){ .follow = true, .sink = &sink, .owner = s });
	*ret = s;
	if (o->starts_only)
		return OK;
	for (int i = 0; i < 100000 && !(s->is_ready && s->is_caught_up) && !sim_is_dead(s); i++)
		sim_turn(s);
	sim_settle(s);
	return OK;
}

struct sim *sim_new(const struct sim_options *o)
{
	struct error e = { 0 };
	struct sim *s = NULL;

	if (sim_open(o, &s, &e) != OK) {
		fprintf(stderr, "sim: %s\n", e.message);
		abort();
	}
	return s;
}

static void drop_timers(struct sim *s)
{
	while (s->timers) {
		struct sim_timer *t = s->timers;

		s->timers = t->next;
		memory_free(t);
	}
}

void sim_free(struct sim *s)
{
	engine_stop(s->engine);
	sim_settle(s);
	close_all(s);
}

void sim_crash(struct sim *s)
{
	/* What was not flushed is gone with the process; the memory of the dead is freed for the test's sake. */
	struct control *c = engine_control(s->engine);

	if (s->follower)
		c->ops->unsubscribe(c, s->follower);
	close_all(s);
}

/* ---- turning the wheel ---- */

static bool fire_due(struct sim *s)
{
	bool fired = false;
	uint64_t before = s->order;

	/* Timers that a timer starts wait for the next turn, as on a real loop. */
	while (s->timers && s->timers->due <= s->now && s->timers->order < before) {
		struct clock_timer *t = s->timers->timer;

		sim_stop(&s->clock, t);
		t->fire(t);
		fired = true;
	}
	return fired;
}

bool sim_turn(struct sim *s)
{
	size_t polled = s->store->ops->poll(s->store);

	if (s->blobs)
		polled += s->blobs->ops->poll(s->blobs);
	bool fired = fire_due(s);

	engine_flush(s->engine);
	return polled || fired;
}

unsigned sim_settle(struct sim *s)
{
	unsigned turns = 0;
	int idle = 0;

	while (idle < 3) {
		idle = sim_turn(s) ? 0 : idle + 1;
		turns++;
		if (turns == TURNS_MAX) {
			fprintf(stderr, "the engine is busy without end at %lld ms\n",
			        (long long)s->now);
			abort();
		}
	}
	return turns;
}

void sim_leap(struct sim *s, int64_t ms)
{
	s->now += ms;
	sim_settle(s);
}

int64_t sim_until_next(const struct sim *s, int64_t at_most_ms)
{
	return s->timers ? MIN(MAX(s->timers->due - s->now, 0), at_most_ms) : at_most_ms;
}

void sim_pass(struct sim *s, int64_t ms)
{
	s->now += ms;
}

void sim_set_wall(struct sim *s, int64_t by_ms)
{
	s->start_ms += by_ms;
}

bool sim_advance(struct sim *s, int64_t at_most_ms)
{
	struct sim_timer *t = s->timers;

	/* The engine's own sweep comes every second for ever: it does not count as work. */
	if (!t || t->due - s->now > at_most_ms) {
		s->now += at_most_ms;
		return false;
	}
	s->now = MAX(s->now, t->due);
	return true;
}

void sim_run(struct sim *s, int64_t at_most_ms)
{
	int64_t until = s->now + at_most_ms;

	sim_settle(s);
	while (s->now < until && !sim_is_dead(s)) {
		if (!sim_advance(s, until - s->now))
			break;
		sim_settle(s);
	}
	sim_settle(s);
}

/* ---- commands ---- */

struct sent {
	struct control_call call;
	struct sim_answer response;
	struct sim *sim;
};

static void answered(struct control_call *call, const struct control_answer *a)
{
	struct sent *n = OWNER_OF(call, struct sent, call);

	if (sim_is_dead(n->sim))
		return;
	n->response = (struct sim_answer){ true, a->code, a->http, a->is_replay,
		                           arena_keep(n->sim->mem, a->body) };
}

struct sim_answer *sim_send(struct sim *s, const char *command, const char *params, const char *key)
{
	struct sent *n = ARENA_NEW(s->mem, struct sent);
	struct control *c = engine_control(s->engine);

	n->sim = s;
	n->call = (struct control_call){
		.caller = { .principal = str_is(s->acts_for) ? s->acts_for : STR("owner"),
		            .via = STR("sim"),
		            .scopes = SCOPES_ALL,
		            .channel_id = s->speaks_as },
		.command = arena_keep(s->mem, str_from(command)),
		.params = arena_keep(s->mem, str_from(params)),
		.key = arena_keep(s->mem, str_from(key)),
		.done = answered,
	};
	c->ops->call(c, &n->call);
	return &n->response;
}

void sim_speak_as(struct sim *s, struct str channel_id)
{
	s->speaks_as = arena_keep(s->mem, channel_id);
}

void sim_act_for(struct sim *s, const char *principal)
{
	s->acts_for = arena_keep(s->mem, str_from(principal));
}

void sim_forget(struct sim *s, struct sim_answer *a)
{
	struct sent *n = OWNER_OF(a, struct sent, response);
	struct control *c = engine_control(s->engine);

	if (!a->is_done)
		c->ops->forget(c, &n->call);
}

const struct sim_answer *sim_call(struct sim *s, const char *command, const char *params)
{
	struct sim_answer *a = sim_send(s, command, params, NULL);

	for (int i = 0; i < 1000 && !a->is_done; i++)
		sim_turn(s);
	return a;
}

struct str sim_str(struct sim *s, const struct sim_answer *a, const char *key)
{
	struct json v;

	if (json_read_trusted(s->mem, a->body, &v, NULL) != OK)
		return STR_NONE;
	return json_str(json_get(v, str_from(key)));
}

const struct sim_log *sim_log(const struct sim *s)
{
	return &s->log;
}

struct str sim_types(struct sim *s, struct str session)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < s->log.count; i++) {
		struct json v;

		if (json_read_trusted(s->mem, s->log.lines[i], &v, NULL) != OK ||
		    (str_is(session) && !str_eq(json_str(JSON_GET(v, "sessionId")), session)))
			continue;
		if (out.len)
			buf_add_char(&out, ' ');
		buf_add_str(&out, json_str(JSON_GET(v, "type")));
	}
	struct str kept = arena_keep(s->mem, buf_str(&out));

	buf_done(&out);
	return kept;
}

struct arena *sim_mem(struct sim *s)
{
	return s->mem;
}

struct engine *sim_engine(struct sim *s)
{
	return s->engine;
}

struct store *sim_store(struct sim *s)
{
	return s->store;
}

struct clock *sim_clock(struct sim *s)
{
	return &s->clock;
}

int64_t sim_steady_ms(const struct sim *s)
{
	return clock_steady(s->engine);
}

int64_t sim_boot_ms(const struct sim *s)
{
	return s->boot + s->now;
}

int64_t sim_wall_ms(const struct sim *s)
{
	return s->start_ms + s->now;
}

const struct settings *sim_settings(const struct sim *s)
{
	return &s->engine->settings;
}
