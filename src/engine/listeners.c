/*
 * The one table of who hears what (listeners.h), and of what is done for
 * requests (request.h), in the order in which it happens.
 */
#include "engine/listeners.h"

#include "engine/internal.h"

static void (*const prepare[])(struct session *s, struct outcome *d) = {
	cage_prepare, policy_prepare, money_prepare, slots_prepare, NULL,
};

static void (*const written[])(struct session *s, const struct outcome *d,
                               const struct event *ev) = { inputs_written, NULL };

static void (*const fold[])(struct session *s, const struct event *ev) = { money_fold, NULL };

static void (*const folded[])(struct session *s, const struct event *ev) = {
	talks_folded, slots_folded, grants_folded, effects_folded, NULL,
};

static void (*const stepped[])(struct session *s, const struct outcome *d) = {
	slots_stepped,
	inputs_stepped,
	NULL,
};

static void (*const settled[])(struct session *s) = {
	talks_settled,     inputs_settled,      money_settled, context_settled,
	effects_reconcile, processes_reconcile, NULL,
};

static void (*const over[])(struct engine *e) = { grants_over, NULL };

static void (*const published[])(struct engine *e, const struct pending_slice *p) = {
	anchor_published,
	fanout_published,
	NULL,
};

static void (*const effect_due[])(struct session *s, const struct due_effect *due) = {
	effects_due,
	NULL,
};

/* Effects before answers: a caller who reads the answer finds them begun. */
static void (*const durable[])(struct session *s) = {
	effects_reconcile, processes_reconcile, effects_durable,  processes_durable,
	session_durable,   subagents_durable,   jobs_feed,        deliveries_feed,
	worktrees_feed,    recovery_ended,      eviction_durable, NULL,
};

static void (*const undone[])(struct engine *e, const struct slice *slice) = { money_undo, NULL };

static void (*const batch_moved[])(struct engine *e) = { pressure_look, NULL };

/* Subscribers behind the effects. */
static void (*const batch_done[])(struct engine *e, const struct error *why) = {
	fanout_batch_done,
	room_batch_done,
	NULL,
};

static void (*const store_failed[])(struct engine *e) = { fanout_store_failed, NULL };

static void (*const disk_full[])(struct engine *e) = { effects_disk_full, NULL };

static void (*const disk_has_room[])(struct engine *e) = {
	effects_disk_has_room, sessions_come_back, upkeep_disk_has_room, recovery_pump, NULL,
};

static void (*const pressure_changed[])(struct engine *e) = {
	effects_pressure_changed,
	recovery_pump,
	NULL,
};

static void (*const load[])(struct session *s, enum load_phase phase) = {
	slots_load,     processes_load, jobs_load,     deliveries_load,
	worktrees_load, deadlines_load, recovery_load, NULL,
};

static void (*const drop[])(struct session *s) = { effects_drop, NULL };

static void (*const dropped[])(struct session *s) = { recovery_ended, NULL };

/* Slots first: a session that takes its place is counted by itself. */
static void (*const left[])(struct session *s) = { slots_forget, money_forget, NULL };

static void (*const freed[])(struct session *s) = {
	jobs_forget,       slots_forget, money_forget,     talks_forget, inputs_drop,
	deliveries_forget, fanout_freed, worktrees_forget, NULL,
};

static bool (*const uses_directory[])(const struct engine *e, struct str cwd) = {
	context_is_read_for,
	NULL,
};

static void (*const tools_changed[])(struct engine *e) = { context_tools_changed, NULL };

static void (*const ledger_read[])(struct engine *e) = { recovery_begin, NULL };

static void (*const start_moved[])(struct engine *e) = { engine_start_moved, NULL };

const struct listeners listeners_of_engine = {
	.prepare = prepare,
	.written = written,
	.fold = fold,
	.folded = folded,
	.stepped = stepped,
	.settled = settled,
	.over = over,
	.published = published,
	.effect_due = effect_due,
	.durable = durable,
	.undone = undone,
	.batch_moved = batch_moved,
	.batch_done = batch_done,
	.store_failed = store_failed,
	.disk_full = disk_full,
	.disk_has_room = disk_has_room,
	.pressure_changed = pressure_changed,
	.load = load,
	.drop = drop,
	.dropped = dropped,
	.left = left,
	.freed = freed,
	.uses_directory = uses_directory,
	.tools_changed = tools_changed,
	.ledger_read = ledger_read,
	.start_moved = start_moved,
};

/* ---- requests ---- */

/* Queries are answered in reads_gather(); what is behind it is for commands that are decided. */
static bool (*const gather[])(struct request *r) = {
	query_models_gather, directory_wait_gather, reads_gather, processes_gather, recall_gather,
	find_turn_gather,    inputs_gather,         jobs_gather,  context_gather,   NULL,
};

static void (*const accepted[])(struct request *r) = { processes_accepted, NULL };

static bool (*const refused[])(struct request *r) = {
	recall_refused,
	processes_refused,
	reads_list_refused,
	NULL,
};

const struct request_hooks request_hooks_of_engine = {
	.gather = gather,
	.route = recall_route,
	.admit = channels_admit,
	.accepted = accepted,
	.refused = refused,
};
