/*
 * Removes the beginning of a log, erases an event, rebuilds derived data, deletes
 * a session, and reports each.
 */
#include "core/retention/retention.h"

#include "core/job/job.h"
#include "core/notify/delivery.h"
#include "core/process/process.h"
#include "core/runtime_events.h"
#include "core/subagent/subagent_worktree.h"
#include "core/task/task.h"

#define ERASED STR("[erased]")

static void needs_event(int64_t *from, int64_t sequence)
{
	if (sequence && (!*from || sequence < *from))
		*from = sequence;
}

/*
 * Everything that is still open reads the log back to here: the conversation of a turn, the items
 * of a job, the input of a task.
 */
int64_t retention_needed_from(const struct state *w)
{
	int64_t from = 0;

	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		for (uint32_t n = 0; n < th->turns.count; n++)
			if (!turn_is_over(th->turns.items[n]))
				needs_event(&from, th->turns.items[n]->submitted_sequence);
	}
	/* Their inputs are removed with the events that brought them. */
	for (uint32_t i = 0; i < w->s->jobs.count; i++)
		if (!job_is_over(w->s->jobs.items[i]))
			needs_event(&from, w->s->jobs.items[i]->created_sequence);
	for (uint32_t i = 0; i < w->s->tasks.count; i++)
		if (!task_table_status_is_end(w->s->tasks.items[i]->record->status))
			needs_event(&from, w->s->tasks.items[i]->input_sequence);
	return from;
}

static struct list_str all_models(struct decision *d)
{
	return STRINGS(d, STR("session_snapshot"), STR("thread_read_model"), STR("task_snapshot"));
}

/*
 * The event names the snapshot that replaces the removed prefix and the head of the chain at that
 * point, so that the rest can still be verified (GAP-60).
 */
void retention_trim(struct decision *d, int64_t through, struct str hash_hex,
                    struct str snapshot_ref, struct str reason)
{
	struct event *ev =
		EMIT(d, SNAPSHOT_UPDATED, snapshot_updated, .models = all_models(d),
	             .reflects_sequence = d->w->s->sequence, .fold_version = FOLD_VERSION,
	             .recovery_mode = RECOVERY_MODE_RETENTION, .kind = STR("retention"),
	             .has_removed_through = true, .removed_through = through, .head_hash = hash_hex,
	             .snapshot_ref = snapshot_ref, .reason = reason);

	decision_add_ref(d, ev, STR("state"), snapshot_ref);
}

void retention_export_expired(struct decision *d, struct str ref, struct str sha256, int64_t size)
{
	EMIT(d, OUTPUT_EXPIRED, output_expired, .reason = EXPIRY_REASON_COMMAND, .size_bytes = size,
	     .sha256 = sha256)
		->output_ref = ref;
}

struct str retention_cut(struct decision *d, int64_t through, struct str hash_hex, struct str floor,
                         struct str reason)
{
	struct str ref = decision_new_blob(d, STR("application/json"), floor);

	retention_trim(d, through, hash_hex, ref, reason);
	return ref;
}

void retention_rebuilt(struct decision *d, struct str reason, int64_t gap)
{
	EMIT(d, SNAPSHOT_REPAIRED, snapshot_repaired, .models = all_models(d), .reason = reason,
	     .reflects_sequence = d->w->s->sequence,
	     .recovery_mode = gap ? RECOVERY_MODE_GAP : RECOVERY_MODE_REPAIR,
	     .has_gap_from = gap > 0, .gap_from = gap, .has_gap_to = gap > 0, .gap_to = gap,
	     .stale = NO_STRINGS);
}

/* ---- deleting a session ---- */

static const char *thread_hold(const struct st_thread *th)
{
	if (str_is(th->active_turn_id))
		return "a turn is active; to stop it, run: thole stop";
	if (th->order.count)
		return "a turn is queued; to remove it, run: thole queue ID --remove TURN";
	if (th->compaction || th->rollback)
		return "a thread is being compacted or rolled back; try again when that has ended";
	for (uint32_t n = 0; n < th->actions.count; n++)
		if (action_is_pending(th->actions.items[n]))
			return "an approval is pending; to answer it, run: thole approvals";
	for (uint32_t n = 0; n < th->processes.count; n++)
		if (!process_is_over(th->processes.items[n]))
			return "a background process runs; to end it, run: thole process stop";
	return NULL;
}

static const char *work_hold(const struct st_session *s)
{
	for (uint32_t i = 0; i < s->jobs.count; i++)
		if (!job_is_over(s->jobs.items[i]))
			return "a job has not ended; to end it, run: thole job cancel";
	for (uint32_t i = 0; i < s->tasks.count; i++) {
		enum task_status status = s->tasks.items[i]->record->status;

		if (status == TASK_STATUS_CANCELLING)
			return "a task is being cancelled; try again when that has ended";
		if (!task_table_status_is_end(status))
			return "a task has not ended; to end it, run: thole task cancel";
	}
	for (uint32_t i = 0; i < s->schedules.count; i++)
		if (s->schedules.items[i]->record->status == SCHEDULE_STATUS_ACTIVE)
			return "a schedule is active; to remove it, run: thole schedule rm";
	for (uint32_t i = 0; i < s->deliveries.count; i++)
		if (delivery_is_open(s->deliveries.items[i]))
			return "a notification is being delivered; try again when that has ended";
	return NULL;
}

const char *retention_hold(const struct state *w)
{
	const char *why = NULL;

	for (uint32_t i = 0; i < w->s->threads.count && !why; i++)
		why = thread_hold(w->s->threads.items[i]);
	if (!why)
		why = work_hold(w->s);
	if (!why && subagent_worktree_next(w))
		why = "a worktree of a child agent is being made or removed; try again then";
	return why;
}

/* In the system session, because nothing of the session itself stays. */
void retention_removed(struct decision *d, const struct rec_session_removal *removal)
{
	runtime_events_emit_system_session(d, STR("system"), STR("thr_system"));
	EMIT(d, SESSION_UPDATED, session_updated, .changed = STRINGS(d, STR("removed")),
	     .removed = decision_kept(d, removal, sizeof *removal), .updated_by = decision_actor(d))
		->thread_id = STR("thr_system");
}

/* ---- erasing ---- */

#define AT(type, rec, f) (*(type *)((char *)(rec) + (f)->offset))

static void erase_rec(const struct rec_desc *desc, void *rec, struct str mark);

/*
 * Keeps the shape: a reader parses an erased event like any other.  Numbers, enums, ids and times
 * stay, because folds and order checks rest on them.
 */
static void erase_field(const struct field *f, void *rec, struct str mark)
{
	switch (f->type) {
	case FIELD_STR:
		if (str_is(AT(struct str, rec, f)))
			AT(struct str, rec, f) = mark;
		break;
	case FIELD_JSON:
		if (str_is(AT(struct str, rec, f)))
			AT(struct str, rec, f) = STR("{}");
		break;
	case FIELD_LIST_STR:
		for (uint32_t i = 0; i < AT(struct list_str, rec, f).count; i++)
			AT(struct list_str, rec, f).items[i] = mark;
		break;
	case FIELD_LIST_JSON:
		for (uint32_t i = 0; i < AT(struct list_str, rec, f).count; i++)
			AT(struct list_str, rec, f).items[i] = STR("{}");
		break;
	case FIELD_REC:
		if (AT(void *, rec, f))
			erase_rec(f->rec, AT(void *, rec, f), mark);
		break;
	case FIELD_LIST_REC:
		for (uint32_t i = 0; i < AT(struct list_rec, rec, f).count; i++)
			erase_rec(f->rec, AT(struct list_rec, rec, f).items[i], mark);
		break;
	default:
		break;
	}
}

static void erase_rec(const struct rec_desc *desc, void *rec, struct str mark)
{
	for (uint32_t i = 0; i < desc->count; i++)
		erase_field(&desc->fields[i], rec, mark);
}

struct str retention_masked_text(struct arena *mem, struct event *ev, struct str mark)
{
	for (uint32_t i = 0; i < event_desc.count; i++) {
		const struct field *f = &event_desc.fields[i];

		/*
		 * The envelope's plain text belongs to its structure; the sentence for people does
		 * not.
		 */
		if (f->type == FIELD_REC || f->type == FIELD_LIST_REC ||
		    str_eq(field_name(f), STR("statusReason")))
			erase_field(f, ev, mark);
	}
	if (ev->payload)
		erase_rec(catalog_payload_of(ev), (void *)ev->payload, mark);
	return rec_text(mem, &event_desc, ev);
}

struct str retention_erased_text(struct arena *mem, struct event *ev)
{
	return retention_masked_text(mem, ev, ERASED);
}
