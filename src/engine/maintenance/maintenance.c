/*
 * Maintains the log while it is idle: packs sessions outside memory and deletes
 * old idempotency records.  One small step runs at a time, so that any other
 * request waits for at most one.
 */
#include "engine/maintenance/maintenance.h"

#include "base/os/log.h"
#include "engine/maintenance/clock_jump.h"
#include "engine/resources/uploads.h"
#include "engine/retention/removal.h"
#include "engine/retention/retention.h"
#include "engine/engine_state.h"

/* How often missed sessions are searched and old records deleted. */
#define ROUND_MS (60 * 60 * 1000)

/* More than these wait for a later round. */
#define RESTING_MAX 4096

/* Packing delays other work, so it waits until there was no commit for this time. */
#define QUIET_MS 100
/* Unless so many are waiting: permanent work must not prevent packing for ever. */
#define RESTING_MANY 512

#define DAY_MS (24 * 60 * 60 * (int64_t)1000)

/*
 * A session that waits; its id follows.  All of them lie in one block: thousands of single
 * allocations, made when a session leaves, would each keep a page of what that session frees.
 */
struct resting {
	uint64_t seq;
	size_t id_len;
};

static void next_step(struct engine *e);

/* ---- sessions to be packed ---- */

/* The id is valid until the next session is added or dropped. */
static struct resting first_resting(const struct engine *e, struct str *ret_id)
{
	const char *at = e->maintenance.resting.ptr + e->maintenance.resting_from;
	struct resting r;

	memcpy(&r, at, sizeof r);
	*ret_id = str_of(at + sizeof r, r.id_len);
	return r;
}

/* The bytes of dropped entries are given up when they are half of the block. */
static void drop_first_resting(struct engine *e)
{
	struct str id;
	struct resting r = first_resting(e, &id);

	e->maintenance.resting_from += sizeof r + id.len;
	e->maintenance.resting_count--;
	if (!e->maintenance.resting_count)
		buf_done(&e->maintenance.resting);
	else if (2 * e->maintenance.resting_from < e->maintenance.resting.len)
		return;
	else
		buf_drop(&e->maintenance.resting, e->maintenance.resting_from);
	e->maintenance.resting_from = 0;
}

/* A session above the limit is found again by the next hourly list. */
void maintenance_rest(struct engine *e, struct str id, uint64_t seq)
{
	struct resting r = { .seq = seq, .id_len = id.len };

	if (e->maintenance.resting_count == RESTING_MAX)
		return;
	buf_add(&e->maintenance.resting, &r, sizeof r);
	buf_add_str(&e->maintenance.resting, id);
	e->maintenance.resting_count++;
	next_step(e);
}

/*
 * A bounded step: `more` means that the same session continues.  A session that cannot be
 * packed stays unpacked, which costs space only.
 */
static void pack_done(struct store_maintenance *u)
{
	struct engine *e = u->owner;

	e->maintenance.is_busy = false;
	if (u->result == ERR_STORE || u->result == ERR_CORRUPT)
		log_line(LOG_WARN, "store", "%.*s is not packed: %s", STR_ARG(u->session),
		         u->error.message);
	if (!u->more || u->result != OK)
		drop_first_resting(e);
	next_step(e);
}

static void pack_next(struct engine *e)
{
	struct str id;
	struct resting r = first_resting(e, &id);

	buf_clear(&e->maintenance.packing);
	buf_add_str(&e->maintenance.packing, id);
	e->maintenance.step =
		(struct store_maintenance){ .kind = MAINTENANCE_PACK,
		                            .session = buf_str(&e->maintenance.packing),
		                            .seq = r.seq,
		                            .done = pack_done,
		                            .owner = e };
	e->maintenance.is_busy = true;
	e->ports.store->ops->maintenance(e->ports.store, &e->maintenance.step);
}

/* ---- sessions that were idle before this process started ---- */

static void list_loose(struct engine *e);

static void loose_read(struct store_read *r)
{
	struct engine *e = r->owner;

	e->maintenance.is_busy = false;
	e->maintenance.loose_after = r->result == OK && r->more ? r->scanned : 0;
	for (size_t i = 0; r->result == OK && i < r->row_count; i++)
		if (!session_find(e, r->rows[i].session))
			maintenance_rest(e, r->rows[i].session, (uint64_t)r->rows[i].at);
	port_store_read_done(r);
	next_step(e);
}

static void list_loose(struct engine *e)
{
	e->maintenance.wants_list = false;
	e->maintenance.read = (struct store_read){ .kind = READ_LOOSE,
		                                   .after = e->maintenance.loose_after,
		                                   .max_rows = 64,
		                                   .done = loose_read,
		                                   .owner = e };
	e->maintenance.is_busy = true;
	e->ports.store->ops->read(e->ports.store, &e->maintenance.read);
}

/* ---- idempotency records ---- */

static void purge_done(struct store_maintenance *u)
{
	struct engine *e = u->owner;

	e->maintenance.is_busy = false;
	e->maintenance.wants_purge = u->result == OK && u->more;
	next_step(e);
}

/* Records were stamped with steady time, so setting the wall clock does not delete them early. */
static void purge_next(struct engine *e)
{
	int64_t now = clock_steady(e);

	e->maintenance.step = (struct store_maintenance){
		.kind = MAINTENANCE_PURGE,
		.before = now - e->options.config->idempotency_days * DAY_MS,
		.done = purge_done,
		.owner = e,
	};
	e->maintenance.is_busy = true;
	e->ports.store->ops->maintenance(e->ports.store, &e->maintenance.step);
}

/* ---- the queue ---- */

/* Sessions that were used again are packed when they are idle again. */
static void forget_awake(struct engine *e)
{
	struct str id;

	while (e->maintenance.resting_count) {
		first_resting(e, &id);
		if (!session_find(e, id))
			return;
		drop_first_resting(e);
	}
}

static void on_quiet(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, maintenance.quiet);

	e->maintenance.is_waiting = false;
	next_step(e);
}

/* Was there no commit for a while?  Otherwise it is checked again later. */
static bool is_quiet(struct engine *e)
{
	if (e->maintenance.resting_count >= RESTING_MANY)
		return true;
	if (e->maintenance.is_waiting)
		return false;
	if (e->maintenance.quiet_since == e->commits)
		return true;
	e->maintenance.quiet_since = e->commits;
	e->maintenance.is_waiting = true;
	e->ports.clock->ops->start(e->ports.clock, &e->maintenance.quiet, QUIET_MS);
	return false;
}

/* One step at a time: packing, then old records, then the list, which finds more to pack. */
static void next_step(struct engine *e)
{
	if (e->maintenance.is_busy || e->is_stopping || e->has_failed || e->is_full)
		return;
	forget_awake(e);
	if (e->maintenance.resting_count && !is_quiet(e))
		return;
	if (e->maintenance.resting_count)
		pack_next(e);
	else if (e->maintenance.wants_purge)
		purge_next(e);
	else if (e->maintenance.wants_list || e->maintenance.loose_after)
		list_loose(e);
}

void maintenance_disk_has_room(struct engine *e)
{
	next_step(e);
}

/* Hourly: also tries again what an error interrupted, and saves what a crash would lose. */
static void on_round(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, maintenance.round);

	e->maintenance.wants_purge = e->maintenance.wants_list = true;
	retention_resume(e);
	removal_sweep(e);
	uploads_expire(e);
	removal_rule_start(e);
	recovery_keep_rows(e);
	clock_jump_keep(e);
	e->ports.clock->ops->start(e->ports.clock, &e->maintenance.round, ROUND_MS);
	next_step(e);
}

/* Not at once: after a start other work comes first. */
void maintenance_start(struct engine *e)
{
	e->maintenance.round.fire = on_round;
	e->maintenance.quiet.fire = on_quiet;
	e->ports.clock->ops->start(e->ports.clock, &e->maintenance.round,
	                           e->options.config->session_idle_evict_s * 1000);
}

void maintenance_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->maintenance.round);
	e->ports.clock->ops->stop(e->ports.clock, &e->maintenance.quiet);
	buf_done(&e->maintenance.resting);
	buf_done(&e->maintenance.packing);
}
