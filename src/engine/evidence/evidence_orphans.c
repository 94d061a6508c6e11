/*
 * Removes sealed packs and uploads that no event names: a crash came between sealing and
 * recording.  They may hold text that is erased later, and an erasure finds packs
 * by their events.  Refs are looked up one after the other, from the list of the start.
 */
#include "engine/evidence/evidence_orphans.h"

#include "engine/evidence/evidence_export.h"
#include "engine/resources/uploads.h"

#include "base/os/log.h"
#include "engine/engine_state.h"

struct orphans {
	struct engine *engine;
	struct arena *mem;
	struct list_str refs;
	uint32_t at;
	struct store_read read;
};

static void take_ref(void *arg, struct str ref)
{
	struct orphans *o = arg;

	rec_list_str_add(o->mem, &o->refs, arena_keep(o->mem, ref));
}

void evidence_orphans_free(struct engine *e)
{
	if (e->orphans)
		arena_free(e->orphans->mem);
	e->orphans = NULL;
}

static void look_next(struct orphans *o);

/* A pack that is being made again has no row yet either. */
static bool is_being_made(const struct orphans *o)
{
	LIST_EACH (&o->engine->requests, node)
		if (evidence_export_is(LIST_ITEM(node, struct request, all)))
			return true;
	return false;
}

static void row_read(struct store_read *read)
{
	struct orphans *o = read->owner;
	struct blobs *b = o->engine->ports.blobs;
	struct str ref = o->refs.items[o->at];
	bool is_known = read->result != OK && read->result != ERR_NOT_FOUND;

	for (size_t i = 0; i < read->row_count; i++)
		is_known |= str_eq(read->rows[i].status, STR("spilled"));
	port_store_read_done(read);
	if (!is_known && !is_being_made(o) && !uploads_has(o->engine, ref)) {
		log_line(LOG_INFO, "engine", "%.*s: no event names it; it is removed",
		         STR_ARG(ref));
		b->ops->remove(b, ref);
	}
	o->at++;
	look_next(o);
}

static void look_next(struct orphans *o)
{
	struct store *st = o->engine->ports.store;

	if (o->at == o->refs.count || o->engine->is_stopping) {
		evidence_orphans_free(o->engine);
		return;
	}
	o->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_OUTPUT,
		                       .key = o->refs.items[o->at],
		                       .done = row_read,
		                       .owner = o };
	st->ops->read(st, &o->read);
}

void evidence_orphans_remove(struct engine *e)
{
	struct blobs *b = e->ports.blobs;
	struct arena *mem;

	if (!b || !b->ops->each)
		return;
	mem = arena_new();
	e->orphans = ARENA_NEW(mem, struct orphans);
	*e->orphans = (struct orphans){ .engine = e, .mem = mem };
	b->ops->each(b, STR(CATALOG_EXPORT_PREFIX), take_ref, e->orphans);
	b->ops->each(b, STR(CATALOG_UPLOAD_PREFIX), take_ref, e->orphans);
	look_next(e->orphans);
}
