/*
 * Removes what deleted sessions left behind: files of outputs, then rows.
 *
 *   STEP ──► files to remove ──► REMOVED ──► STEP, which forgets them
 *     │
 *     └──► rows were removed ──► STEP … until nothing is left
 *
 * Nothing of this can be read any more.  A crash loses nothing either: the store lists
 * the files until a step has named them, and the next start continues.
 */
#include "engine/retention/removal_parts.h"

#include "base/memory.h"
#include "base/os/log.h"

/* While commits wait, a step comes at most so often. */
#define PAUSE_MS 20
/* A step that found no space comes again after this time. */
#define FULL_MS 2000

static void step_done(struct store_maintenance *u);

struct removals *removal_sweep_state(struct engine *e)
{
	if (!e->removals)
		e->removals = memory_zeroed(1, sizeof *e->removals);
	return e->removals;
}

/* Also on a full disk: a step frees more than it needs, and one that fails comes again. */
static bool may_step(const struct engine *e)
{
	return !e->is_stopping && !e->has_failed && !e->is_closing &&
	       !e->options.config->store_read_only;
}

/* `refs` are outputs whose files are gone. */
static void step(struct engine *e, const struct str *refs, size_t count)
{
	struct removals *v = e->removals;

	v->step = (struct store_maintenance){ .kind = MAINTENANCE_SWEEP,
		                              .refs = refs,
		                              .ref_count = count,
		                              .keeps_ids = v->is_by_rule && str_is(v->from_key),
		                              .done = step_done,
		                              .owner = e };
	v->wants_sweep = false;
	e->ports.store->ops->maintenance(e->ports.store, &v->step);
}

static void sweep_end(struct engine *e)
{
	struct removals *v = e->removals;

	v->is_sweeping = false;
	arena_free(v->refs_mem);
	v->refs_mem = NULL;
	if (v->wants_sweep && may_step(e))
		removal_sweep(e);
	else if (v->swept)
		v->swept(e);
}

static void on_pause(struct clock_timer *t)
{
	struct removals *v = OWNER_OF(t, struct removals, pause);
	struct engine *e = v->step.owner;

	if (may_step(e))
		step(e, NULL, 0);
	else
		sweep_end(e);
}

static void pause_for(struct engine *e, int64_t ms)
{
	struct removals *v = e->removals;

	v->pause.fire = on_pause;
	e->ports.clock->ops->start(e->ports.clock, &v->pause, ms);
}

/* The blobs do their work in order: when this read is answered, the files are gone. */
static void files_removed(struct blob_read *b)
{
	struct engine *e = b->owner;

	port_blob_read_done(b);
	if (may_step(e))
		step(e, e->removals->step.found, e->removals->step.found_count);
	else
		sweep_end(e);
}

static void remove_files(struct engine *e, const struct store_maintenance *u)
{
	struct blobs *b = e->ports.blobs;

	e->removals->refs_mem = u->mem;
	if (!b) {
		step(e, u->found, u->found_count);
		return;
	}
	for (size_t i = 0; i < u->found_count; i++)
		b->ops->remove(b, u->found[i]);
	e->removals->probe = (struct blob_read){ .ref = u->found[u->found_count - 1],
		                                 .max = 1,
		                                 .is_probe = true,
		                                 .done = files_removed,
		                                 .owner = e };
	b->ops->read(b, &e->removals->probe);
}

static void step_done(struct store_maintenance *u)
{
	struct engine *e = u->owner;
	struct removals *v = e->removals;
	struct store_stats stats;

	arena_free(v->refs_mem);
	v->refs_mem = NULL;
	if (u->result == OK && u->found_count) {
		remove_files(e, u);
		return;
	}
	arena_free(u->mem);
	if (u->result == ERR_FULL && may_step(e)) {
		pause_for(e, FULL_MS);
		return;
	}
	if (u->result != OK && may_step(e))
		log_line(LOG_WARN, "store",
		         "what deleted sessions left is not removed yet, and is tried again: %s",
		         u->error.message);
	if (u->result != OK || !u->more) {
		sweep_end(e);
		return;
	}
	e->ports.store->ops->stats(e->ports.store, &stats);
	pause_for(e, stats.waiting_bytes ? PAUSE_MS : 0);
}

void removal_sweep(struct engine *e)
{
	struct removals *v = removal_sweep_state(e);

	if (v->is_sweeping || !may_step(e)) {
		v->wants_sweep = v->is_sweeping;
		return;
	}
	v->is_sweeping = true;
	step(e, NULL, 0);
}

/* The store and the blobs have ended: no callback comes any more. */
void removal_sweep_free(struct engine *e)
{
	struct removals *v = e->removals;

	if (!v)
		return;
	e->ports.clock->ops->stop(e->ports.clock, &v->pause);
	e->ports.clock->ops->stop(e->ports.clock, &v->next);
	arena_free(v->refs_mem);
	arena_free(v->mem);
	memory_free(v);
	e->removals = NULL;
}
