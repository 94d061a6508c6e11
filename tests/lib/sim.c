#include "sim.h"

#include "base/json.h"
#include "base/log.h"
#include "store/blobs.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY_ONE 1794700800000 /* 2026-11-15T00:00:00Z */

struct sim_timer {
	struct sim_timer *next;
	struct clock_timer *timer;
	int64_t due;
	uint64_t order;
};

struct sim {
	struct clock clock;
	int64_t now; /* mono ms since start */
	int64_t start_ms;
	uint64_t random[2];
	uint64_t order;
	struct sim_timer *timers;
	struct arena *mem;
	struct store *store;
	struct blobs *blobs;
	struct scripted *scripted;
	struct provider *providers[1];
	struct toolset *toolsets[1];
	struct engine *engine;
	struct subscription *follower;
	struct sim_log log;
	bool is_dirty;
};

/* ---- virtual time ---- */

static struct sim *of(struct clock *c)
{
	return OWNER_OF(c, struct sim, clock);
}

static int64_t sim_wall(struct clock *c)
{
	return of(c)->start_ms + of(c)->now;
}

static int64_t sim_mono(struct clock *c)
{
	return of(c)->now;
}

static void sim_stop(struct clock *c, struct clock_timer *t)
{
	for (struct sim_timer **at = &of(c)->timers; *at; at = &(*at)->next)
		if ((*at)->timer == t) {
			struct sim_timer *gone = *at;

			*at = gone->next;
			xfree(gone);
			t->impl = NULL;
			return;
		}
}

static void sim_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct sim *s = of(c);
	struct sim_timer *n = xcalloc(1, sizeof *n), **at = &s->timers;

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

static const struct clock_ops clock_ops = { sim_wall, sim_mono, sim_start, sim_stop, sim_entropy };

/* ---- following everything ---- */

static bool on_event(void *owner, const struct control_event *ev)
{
	struct sim *s = owner;

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

static void on_end(void *owner, enum stream_end why)
{
	((struct sim *)owner)->follower = NULL;
}

static const struct control_sink sink = { .event = on_event, .gap = on_gap, .end = on_end };

static void must(enum err code, const struct error *e)
{
	if (!code)
		return;
	fprintf(stderr, "sim: %s\n", e->message);
	abort();
}

struct sim *sim_new(const struct sim_options *o)
{
	struct sim *s = xcalloc(1, sizeof *s);
	struct error e = { 0 };
	struct store_sqlite_options so = { .dir = o->dir, .vfs = o->vfs };
	struct blobs_options bo = { .dir = o->dir };
	struct scripted_options sc = { .clock = &s->clock, .script_text = o->script };
	struct engine_settings settings = {
		.mode = PERMISSION_MODE_DEFAULT,
		.is_interactive = !o->unattended,
		.action_timeout_ms = 600000,
		.delta_window_ms = 50,
		.on_busy = DELIVERY_QUEUE,
		.on_interrupt = QUEUE_POLICY_KEEP,
		.resume_by_itself = o->resume_by_itself,
		.workspace_id = STR("ws_sim"),
		.cwd = STR("/ws"),
		.idle_evict_ms = 300000,
		.snapshot_events = o->snapshot_events ? o->snapshot_events : 1000,
		.durability = DURABILITY_MODE_FULL,
	};
	struct engine_hooks hooks = { .owner = s };

	setenv("THOLE_STRICT", "1", 1);
	s->clock.ops = &clock_ops;
	s->start_ms = o->start_ms ? o->start_ms : DAY_ONE;
	s->random[0] = o->seed * 2 + 1;
	s->random[1] = o->seed ^ 0x5851f42d4c957f2dull;
	s->mem = arena_new();
	must(store_sqlite_open(&so, &s->store, &e), &e);
	if (!o->vfs)
		must(blobs_open(&bo, &s->blobs, &e), &e);
	must(scripted_open(&sc, &s->scripted, &e), &e);
	s->providers[0] = scripted_provider(s->scripted);
	s->toolsets[0] = scripted_tools(s->scripted);
	struct engine_ports ports = { &s->clock, s->store, s->blobs, s->providers, 1, s->toolsets, 1 };

	must(engine_new(&ports, &settings, &hooks, &s->engine, &e), &e);
	engine_start(s->engine);
	struct control *c = engine_control(s->engine);

	s->follower = c->ops->subscribe(c, &(struct control_stream){ .follow = true, .sink = &sink,
	                                                             .owner = s });
	sim_settle(s);
	return s;
}

static void drop_timers(struct sim *s)
{
	while (s->timers) {
		struct sim_timer *t = s->timers;

		s->timers = t->next;
		xfree(t);
	}
}

static void close_all(struct sim *s)
{
	s->store->ops->close(s->store);
	if (s->blobs)
		s->blobs->ops->close(s->blobs);
	engine_free(s->engine);
	s->providers[0]->ops->close(s->providers[0]);
	s->toolsets[0]->ops->close(s->toolsets[0]);
	drop_timers(s);
	arena_free(s->mem);
	xfree(s);
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
	}
	return turns;
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
	while (s->now < until) {
		if (!sim_advance(s, until - s->now))
			break;
		sim_settle(s);
	}
	sim_settle(s);
}

/* ---- commands ---- */

struct sent {
	struct control_call call;
	struct sim_answer answer;
	struct sim *sim;
};

static void answered(struct control_call *call, const struct control_answer *a)
{
	struct sent *n = OWNER_OF(call, struct sent, call);

	n->answer = (struct sim_answer){ true, a->code, a->http, a->is_replay,
		                         arena_keep(n->sim->mem, a->body) };
}

struct sim_answer *sim_send(struct sim *s, const char *command, const char *params, const char *key)
{
	struct sent *n = ARENA_NEW(s->mem, struct sent);
	struct control *c = engine_control(s->engine);

	n->sim = s;
	n->call = (struct control_call){
		.caller = { .principal = STR("owner"), .via = STR("sim"), .scopes = SCOPES_ALL },
		.command = arena_keep(s->mem, str_from(command)),
		.params = arena_keep(s->mem, str_from(params)),
		.key = arena_keep(s->mem, str_from(key)),
		.done = answered,
	};
	c->ops->call(c, &n->call);
	return &n->answer;
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

	if (json_read_own(s->mem, a->body, &v, NULL) != OK)
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

		if (json_read_own(s->mem, s->log.lines[i], &v, NULL) != OK ||
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
