/*
 * The table of all listeners (listeners.h) and of the hooks of requests
 * (request.h), in call order.
 */
#include "engine/listeners.h"

#include "engine/effects/context_load.h"
#include "engine/effects/effects.h"
#include "engine/jobs/job_feed.h"
#include "engine/jobs/job_worker.h"
#include "engine/effects/lost_changes.h"
#include "engine/effects/notify.h"
#include "engine/effects/processes.h"
#include "engine/effects/worktrees.h"
#include "engine/maintenance/anchor.h"
#include "engine/nodes/node_forward.h"
#include "engine/nodes/node_handover.h"
#include "engine/nodes/node_job.h"
#include "engine/nodes/node_place.h"
#include "engine/nodes/node_early.h"
#include "engine/nodes/node_share.h"
#include "engine/nodes/node_spread.h"
#include "engine/nodes/node_system.h"
#include "engine/query/query.h"
#include "engine/request/directory.h"
#include "engine/request/output_redact.h"
#include "engine/request/reach.h"
#include "engine/request/task_lookup.h"
#include "engine/request/turn_lookup.h"
#include "engine/resources/access.h"
#include "engine/resources/backpressure.h"
#include "engine/resources/channels.h"
#include "engine/resources/disk_full.h"
#include "engine/resources/grants.h"
#include "engine/resources/ledger.h"
#include "engine/resources/metrics.h"
#include "engine/resources/task_slots.h"
#include "engine/resources/uploads.h"
#include "engine/resources/waits.h"
#include "engine/session/call_inputs.h"
#include "engine/session/conversation_cache.h"
#include "engine/session/eviction.h"
#include "engine/session/fanout.h"
#include "engine/settings/models.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/engine_state.h"

static void (*const prepare[])(struct session *s, struct decision *d) = {
	sandbox_probe_prepare, rules_cache_prepare, ledger_prepare,
	task_slots_prepare,    models_prepare,      NULL,
};

static void (*const written[])(struct session *s, const struct decision *d,
                               const struct event *ev) = { call_inputs_written, NULL };

static void (*const fold[])(struct session *s, const struct event *ev) = { ledger_fold,
	                                                                   metrics_fold, NULL };

/*
 * These see the state after the event; `fold` above sees it before, because what a cost
 * event releases depends on the reservation that the state still holds.
 */
static void (*const folded[])(struct session *s, const struct event *ev) = {
	conversation_cache_folded, task_slots_folded, grants_folded, access_folded,
	node_system_folded,        tool_folded,       waits_folded,  NULL,
};

static void (*const stepped[])(struct session *s, const struct decision *d) = {
	task_slots_stepped,
	ledger_stepped,
	call_inputs_stepped,
	NULL,
};

/*
 * Caches first, then what looks for work in the new state: context to read, effects and
 * processes to stop.
 */
static void (*const settled[])(struct session *s) = {
	conversation_cache_settled, call_inputs_settled, ledger_settled, context_load_settled,
	effects_reconcile,          processes_reconcile, waits_settled,  NULL,
};

static void (*const over[])(struct engine *e) = { grants_over, NULL };

/* Both run for a session that was dropped in between, too: its durable events exist. */
static void (*const published[])(struct engine *e, const struct pending_slice *p) = {
	anchor_published,
	fanout_published,
	NULL,
};

static void (*const effect_due[])(struct session *s, const struct due_effect *due) = {
	effects_due,
	NULL,
};

/* Effects before replies: when a caller reads the reply, they have started. */
static void (*const durable[])(struct session *s) = {
	effects_reconcile,
	processes_reconcile,
	effects_durable,
	processes_durable,
	session_durable,
	subagents_durable,
	job_feed_run,
	node_job_durable,
	notify_feed,
	worktrees_feed,
	recovery_ended,
	eviction_durable,
	NULL,
};

static void (*const undone[])(struct engine *e, const struct slice *slice) = { ledger_undo, NULL };

static void (*const batch_moved[])(struct engine *e) = { backpressure_look, NULL };

/* Subscribers after the effects. */
static void (*const batch_done[])(struct engine *e, const struct error *why) = {
	metrics_batch_done,
	fanout_batch_done,
	disk_full_batch_done,
	NULL,
};

static void (*const store_failed[])(struct engine *e) = { fanout_store_failed, NULL };

static void (*const store_away[])(struct engine *e) = { request_store_away, NULL };

static void (*const disk_full[])(struct engine *e) = { effects_disk_full, NULL };

static void (*const disk_has_room[])(struct engine *e) = {
	effects_disk_has_room, session_come_back, maintenance_disk_has_room, recovery_pump, NULL,
};

static void (*const throttle_changed[])(struct engine *e) = {
	effects_throttle_changed,
	recovery_pump,
	NULL,
};

static void (*const leaving[])(struct engine *e) = { eviction_now, NULL };

/*
 * Task slots first: the counts must include this session before anything starts a task.
 * Recovery last: it ends with LOAD_DONE, when the others have started what they continue.
 */
static void (*const load[])(struct session *s, enum load_phase phase) = {
	models_load,     task_slots_load,   processes_load, job_feed_load,   notify_load,
	worktrees_load,  lost_changes_load, deadlines_load, waits_load,      node_system_load,
	node_place_load, recovery_load,     node_job_load,  job_worker_load, NULL,
};

static void (*const drop[])(struct session *s) = { effects_drop, anchor_drop, NULL };

static void (*const dropped[])(struct session *s) = { recovery_ended, node_system_dropped, NULL };

/* Slots first: a session that takes the slot is counted separately. */
static void (*const left[])(struct session *s) = { task_slots_forget, ledger_forget, NULL };

static void (*const freed[])(struct session *s) = {
	job_feed_forget,     task_slots_forget,
	ledger_forget,       conversation_cache_forget,
	call_inputs_drop,    notify_forget,
	fanout_freed,        worktrees_forget,
	lost_changes_forget, NULL,
};

static bool (*const uses_directory[])(const struct engine *e, struct str cwd) = {
	context_load_is_for,
	NULL,
};

static void (*const tools_changed[])(struct engine *e) = { context_load_tools_changed,
	                                                   tool_servers_changed, NULL };

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
	.store_away = store_away,
	.disk_full = disk_full,
	.disk_has_room = disk_has_room,
	.throttle_changed = throttle_changed,
	.leaving = leaving,
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

/* query_gather() answers queries; the rest is for commands that are decided. */
static bool (*const gather[])(struct request *r) = {
	reach_gather,
	node_early_gather,
	node_place_gather,
	query_models_gather,
	query_extensions_gather,
	models_gather,
	directory_wait_gather,
	query_gather,
	processes_gather,
	task_lookup_gather,
	turn_lookup_gather,
	call_inputs_gather,
	job_feed_gather,
	context_load_gather,
	output_redact_gather,
	uploads_gather, /* last: no other request comes between it and the decision */
	NULL,
};

static void (*const accepted[])(struct request *r) = { processes_accepted, uploads_accepted, NULL };

static bool (*const refused[])(struct request *r) = {
	task_lookup_refused,
	processes_refused,
	lists_refused,
	NULL,
};

static bool admit(struct request *r)
{
	return access_admit_turn(r) && channels_admit(r);
}

static bool hand_over(struct request *r)
{
	return node_place_route(r) || node_handover_route(r);
}

const struct request_hooks listeners_request_hooks = {
	.gather = gather,
	.route = task_lookup_route,
	.reach = reach_admit,
	.inner = node_share_take,
	.elsewhere = node_forward,
	.admit = admit,
	.accepted = accepted,
	.refused = refused,
	.hand_over = hand_over,
	.spread = node_spread_wait,
};
