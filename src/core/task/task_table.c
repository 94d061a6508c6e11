/*
 * The status table of tasks: one row per event class, with the statuses that
 * may precede it and those that may follow.
 * spec: contracts/agent-task#status-model; GAP-42, GAP-65
 */
#include "core/task/task.h"

#define S(word) (1u << TASK_STATUS_##word)
#define WAITING (S(WAITING_INPUT) | S(WAITING_PERMISSION) | S(WAITING_RESOURCE))
#define IDLE (S(ACCEPTED) | S(QUEUED))
#define ACTIVE (S(PREPARING) | S(RUNNING))
#define LIVE (IDLE | ACTIVE | WAITING | S(BLOCKED) | S(PAUSED) | S(RETRYING))
#define BAD_END (S(CANCELLED) | S(TIMED_OUT) | S(FAILED) | S(LOST))

/* Sets of statuses as bits.  An event class without a row must not change the status. */
struct move {
	enum event_type by;
	uint32_t from, to;
};

/*
 * The picture is in task.h.
 *   IDLE ─► ACTIVE ─► end       the ordinary way
 *   ACTIVE ─► WAITING, BLOCKED, PAUSED ─► IDLE or ACTIVE
 *   BAD_END ─► RETRYING ─► ACTIVE
 */
static const struct move moves[] = {
	{ EV_TASK_ACCEPTED, S(DRAFT), S(ACCEPTED) },
	{ EV_TASK_QUEUED, IDLE | S(BLOCKED) | S(PAUSED) | S(RETRYING) | S(WAITING_RESOURCE),
	  S(QUEUED) },
	{ EV_TASK_STARTED, IDLE | S(RETRYING) | S(WAITING_RESOURCE), ACTIVE },
	{ EV_TASK_ATTEMPT_STARTED, IDLE | ACTIVE | S(RETRYING) | S(WAITING_RESOURCE), ACTIVE },
	{ EV_MODEL_REQUESTED, S(PREPARING), S(RUNNING) },
	{ EV_TASK_WAITING, IDLE | ACTIVE | WAITING | S(RETRYING) | S(BLOCKED) | S(PAUSED),
	  WAITING },
	{ EV_TASK_BLOCKED, IDLE | ACTIVE | WAITING | S(RETRYING) | S(BLOCKED), S(BLOCKED) },
	{ EV_TASK_PAUSED, LIVE & ~S(PAUSED), S(PAUSED) },
	/* ACTIVE: an answer may arrive after a crash has started another run of the task. */
	{ EV_TASK_RESUMED, ACTIVE | WAITING | S(BLOCKED) | S(PAUSED), IDLE | ACTIVE },
	{ EV_TASK_RETRYING, ACTIVE | WAITING | S(BLOCKED) | BAD_END, S(RETRYING) },
	{ EV_TASK_CANCEL_REQUESTED, S(DRAFT) | LIVE, S(CANCELLING) },
	{ EV_TASK_CANCELLED, S(DRAFT) | LIVE | S(CANCELLING), S(CANCELLED) },
	{ EV_TASK_TIMED_OUT, LIVE | S(CANCELLING), S(TIMED_OUT) },
	{ EV_TASK_FAILED, LIVE | S(CANCELLING), S(FAILED) },
	{ EV_TASK_LOST, LIVE | S(CANCELLING), S(LOST) },
	{ EV_TASK_COMPLETED, LIVE, S(COMPLETED) },
	{ EV_TASK_ARCHIVED, BAD_END | S(COMPLETED), S(ARCHIVED) },
};

static uint32_t status_bit(enum task_status s)
{
	return 1u << s;
}

/* NULL: the class changes no status. */
static const struct move *move_by(enum event_type by)
{
	for (size_t i = 0; i < COUNT_OF(moves); i++)
		if (moves[i].by == by)
			return &moves[i];
	return NULL;
}

bool task_table_allows(enum event_type by, enum task_status from)
{
	const struct move *m = move_by(by);

	return m && (m->from & status_bit(from));
}

bool task_table_allows_move(enum event_type by, enum task_status from, enum task_status to)
{
	const struct move *m = move_by(by);

	if (by == EV_TASK_CREATED)
		return !from && to == TASK_STATUS_DRAFT;
	return m ? (m->from & status_bit(from)) && (m->to & status_bit(to)) : from == to;
}

bool task_table_status_is_end(enum task_status s)
{
	return status_bit(s) & (BAD_END | S(COMPLETED) | S(ARCHIVED));
}

/*
 * A task that has left the state cannot be checked; its events come with the whole state
 * (recalled).
 */
enum err task_table_gate(const struct state *w, const struct event *ev, struct error *e)
{
	const struct st_task *t = str_is(ev->task_id) ? state_task(w, ev->task_id) : NULL;
	enum task_status to = ev->task ? ev->task->status : 0;

	if (!t || !to || task_table_allows_move(ev->type, t->record->status, to))
		return OK;
	return fail(e, ERR_INVALID, "%.*s: task %.*s does not go from %.*s to %.*s",
	            STR_ARG(event_type_word(ev->type)), STR_ARG(ev->task_id),
	            STR_ARG(task_status_word(t->record->status)), STR_ARG(task_status_word(to)));
}
