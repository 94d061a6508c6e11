/*
 * The rule retention.sessions_days: deletes sessions in which nothing has happened for so
 * long, and nothing runs or waits.
 *
 *   PAGE of old sessions ──► one after the other is deleted ──► SWEEP ──► next PAGE
 *
 * Each deletion is a request like that of a caller, so commands come between them.
 */
#include "engine/retention/removal_parts.h"

#define DAY_MS (24 * 60 * 60 * (int64_t)1000)

static int64_t rule_days(const struct engine *e)
{
	return e->options.config->retention_sessions_days;
}

static bool may_delete(const struct engine *e)
{
	return rule_days(e) && e->is_ready && !e->is_stopping && !e->has_failed && !e->is_full &&
	       !e->is_closing && !e->options.config->store_read_only;
}

static void rule_end(struct removals *v)
{
	v->is_by_rule = false;
	arena_free(v->mem);
	v->mem = NULL;
	v->from_key = STR_NONE;
}

static void page_read(struct store_read *read);

static void read_page(struct engine *e)
{
	struct removals *v = e->removals;
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);

	v->read = (struct store_read){ .kind = READ_INDEX,
		                       .table = INDEX_SESSION,
		                       .at_most = MAX(now - rule_days(e) * DAY_MS, 1),
		                       .max_rows = REMOVAL_PAGE,
		                       .without_body = true,
		                       .from_at = v->from_at,
		                       .from_key = v->from_key,
		                       .done = page_read,
		                       .owner = e };
	e->ports.store->ops->read(e->ports.store, &v->read);
}

static void page_swept(struct engine *e)
{
	struct removals *v = e->removals;

	if (!v->waits_for_sweep)
		return;
	v->waits_for_sweep = false;
	if (str_is(v->from_key) && may_delete(e))
		read_page(e);
	else
		rule_end(v);
}

/* The page is done: what it deleted is swept first, so that it does not grow. */
static void page_end(struct engine *e)
{
	struct removals *v = e->removals;

	v->waits_for_sweep = true;
	removal_sweep(e);
	if (!v->is_sweeping)
		page_swept(e);
}

static void on_next(struct clock_timer *t)
{
	struct removals *v = OWNER_OF(t, struct removals, next);
	struct engine *e = v->read.owner;

	if (!may_delete(e))
		rule_end(v);
	else if (v->at < v->count)
		removal_start(e, v->ids[v->at++], rule_days(e));
	else
		page_end(e);
}

/* A timer of zero: commands that arrived meanwhile come first. */
static void next_session(struct engine *e)
{
	struct removals *v = e->removals;

	v->next.fire = on_next;
	e->ports.clock->ops->start(e->ports.clock, &v->next, 0);
}

static void page_read(struct store_read *read)
{
	struct engine *e = read->owner;
	struct removals *v = e->removals;
	struct arena *mem = arena_new();
	bool more = read->result == OK && read->more && read->row_count;

	v->count = v->at = 0;
	for (size_t i = 0; read->result == OK && i < read->row_count; i++)
		if (!read->rows[i].open && !caller_ids_is_reserved(read->rows[i].key))
			v->ids[v->count++] = arena_keep(mem, read->rows[i].key);
	v->from_at = more ? read->rows[read->row_count - 1].at : 0;
	v->from_key = more ? arena_keep(mem, read->rows[read->row_count - 1].key) : STR_NONE;
	port_store_read_done(read);
	arena_free(v->mem);
	v->mem = mem;
	next_session(e);
}

void removal_rule_start(struct engine *e)
{
	struct removals *v = removal_sweep_state(e);

	if (v->is_by_rule || !may_delete(e))
		return;
	v->is_by_rule = true;
	v->swept = page_swept;
	v->ended = next_session;
	v->from_at = 0;
	read_page(e);
}
