/* Ends what items lost with the node that worked on them; job_worker.h. */
#include "engine/jobs/job_worker.h"

#include "base/memory.h"
#include "core/gen/inputs.h"
#include "core/job/job_work.h"
#include "engine/nodes/nodes.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

/* Sessions that are loaded one after the other share a list. */
#define GATHER_MS 100
/* A report may be lost, or come before the item of a node that has already ended. */
#define TICKS_BETWEEN 3

static bool may_end(const struct engine *e)
{
	return !e->is_stopping && !e->has_failed && !e->is_closing &&
	       !e->options.config->store_read_only;
}

/* ---- the items ---- */

static bool has_items(const struct session *s)
{
	if (s->phase != SESSION_LIVE)
		return false;
	for (uint32_t n = 0; n < s->state->s->jobs.count; n++) {
		const struct st_job *j = s->state->s->jobs.items[n];

		for (uint32_t i = 0; i < j->running.count; i++)
			if (str_is(j->running.items[i]->worker_id))
				return true;
	}
	return false;
}

static bool has_any_items(const struct engine *e)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		if (has_items(slot->value))
			return true;
	return false;
}

/* A worker of a running item that has ended; absent: there is none. */
static struct str ended_worker(const struct session *s, const struct map *ended)
{
	if (s->phase != SESSION_LIVE)
		return STR_NONE;
	for (uint32_t n = 0; n < s->state->s->jobs.count; n++) {
		const struct st_job *j = s->state->s->jobs.items[n];

		for (uint32_t i = 0; i < j->running.count; i++)
			if (str_is(j->running.items[i]->worker_id) &&
			    map_get(ended, j->running.items[i]->worker_id))
				return j->running.items[i]->worker_id;
	}
	return STR_NONE;
}

/* One item in each decision: the job's counts follow from the item before. */
static void end_items(struct session *s, const struct map *ended)
{
	struct str worker_id;

	while (may_end(s->engine) && str_is(worker_id = ended_worker(s, ended))) {
		uint64_t before = s->applied;
		struct decision *d = apply_begin(s, NULL);

		input_job_work_lost(d, worker_id);
		apply_end(s, d);
		if (s->applied == before)
			break;
	}
}

/* ---- the nodes ---- */

/* By the name that a worker has. */
static struct map ended_of(struct arena *mem, const struct store_nodes_read *r)
{
	struct map ended = { 0 };

	for (size_t i = 0; i < r->count; i++)
		if (r->nodes[i].state != STORE_NODE_LIVES)
			map_put(&ended,
			        job_work_worker(mem, r->nodes[i].name, r->nodes[i].incarnation),
			        &r->nodes[i]);
	return ended;
}

/* A decision may add sessions to the map, so those with items are copied first. */
static void take_list(struct engine *e, const struct store_nodes_read *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct session **all = ARENA_ARRAY(mem, struct session *, e->sessions.count + 1);
	struct map ended = ended_of(mem, r);
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		if (has_items(slot->value))
			all[count++] = slot->value;
	/* No session leaves memory during a decision. */
	for (size_t i = 0; i < count; i++)
		end_items(all[i], &ended);
	map_done(&ended);
}

static void listed(struct store_nodes_read *r)
{
	struct job_workers *w = r->owner;
	struct engine *e = OWNER_OF(w, struct nodes, workers)->engine;

	w->is_reading = false;
	if (r->result == OK && may_end(e))
		take_list(e, r);
	port_store_nodes_read_done(r);
	if (w->is_wanted)
		job_worker_look(e);
}

/* ---- when ---- */

static void on_due(struct clock_timer *t)
{
	struct job_workers *w = OWNER_OF(t, struct job_workers, timer);
	struct engine *e = OWNER_OF(w, struct nodes, workers)->engine;
	struct store *st = e->ports.store;

	w->is_due = false;
	if (!may_end(e))
		return;
	w->is_reading = true;
	w->list = (struct store_nodes_read){ .with_ended = true, .done = listed, .owner = w };
	st->nodes->list(st, &w->list);
}

void job_worker_look(struct engine *e)
{
	struct job_workers *w = &e->nodes->workers;

	w->is_wanted = w->is_reading;
	if (w->is_due || w->is_reading || !may_end(e))
		return;
	w->is_due = true;
	w->timer.fire = on_due;
	e->ports.clock->ops->start(e->ports.clock, &w->timer, GATHER_MS);
}

void job_worker_tick(struct engine *e)
{
	if (++e->nodes->workers.ticks % TICKS_BETWEEN == 0 && has_any_items(e))
		job_worker_look(e);
}

void job_worker_load(struct session *s, enum load_phase phase)
{
	if (phase == LOAD_DONE && s->engine->nodes && has_items(s))
		job_worker_look(s->engine);
}

void job_worker_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->nodes->workers.timer);
}
