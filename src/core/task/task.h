#ifndef CORE_TASK_H
#define CORE_TASK_H
/*
 * Tasks: work with an objective, a state, a history and an end.
 *
 * Every turn has a task.  An implicit one exists only as long as its turn; a
 * real one is created by create_task and outlives its turns, runs and workers.
 * A run's worker is the built-in agent (a turn on the task's thread) or an
 * external worker that claims the task, sends heartbeats and reports.
 *
 *   draft ─► accepted ─► queued ─► preparing ─► running ─► completed
 *                          ▲            ▲          │
 *              blocked ◄───┤            │          ├─► waiting_*, blocked, paused ─► (back)
 *                          │        retrying ◄─────┤
 *                          │            ▲          ├─► failed, timed_out, lost
 *                          │            └──────────┤     (retry_task reopens these)
 *                          └── waiting_resource    └─► cancelling ─► cancelled
 *
 * One table (task_table.c) declares which event leads from which status to
 * which: the order check refuses all others, and decisions consult it first.
 */
#include "core/decision.h"

/* ---- the table ---- */

/*
 * May an event of this class lead a task from one status to the other? from 0: there is no task
 * yet.
 */
bool task_table_allows_move(enum event_type by, enum task_status from, enum task_status to);
/* Can an event of this class be about a task with this status? */
bool task_table_allows(enum event_type by, enum task_status from);
/* Only retry_task and archive_task change such a status. */
bool task_table_status_is_end(enum task_status s);
/* Part of the order check: the status on the event follows from the folded one. */
enum err task_table_gate(const struct state *w, const struct event *ev, struct error *e) MUST_USE;

/* ---- look-ups ---- */

/* In the state, or read back for this command; NULL after refusing task_not_found. */
const struct st_task *task_named(struct decision *d, struct str task_id);
/* The parent task, in the same two ways; NULL: none. */
const struct st_task *task_above(const struct decision *d, const struct st_task *t);
/* The same for a task that has not ended; otherwise refused with its end. */
const struct st_task *task_open(struct decision *d, struct str task_id);
/* A cancelled task above it, so that it is not tried again; NULL: none. */
const struct st_task *task_cancelled_above(const struct decision *d, const struct st_task *t);
void task_refuse_ended(struct decision *d, const struct st_task *t);
/* The current attempt, or NULL. */
const struct rec_task_attempt *task_run(const struct st_task *t);
bool task_is_external(const struct st_task *t);
/* The turn that runs it now, or NULL. */
STATE_CONST struct st_turn *task_turn(const struct state *w, const struct st_task *t,
                                      STATE_CONST struct st_thread **ret_th);
bool task_is_under(const struct state *w, const struct rec_task *r, struct str root);
bool task_has_open_child(const struct state *w, const struct st_task *t, struct str *ret_id);
/* Is the run that a report names the current one?  False after refusing. */
bool task_is_run(struct decision *d, const struct st_task *t, struct str run_id);
/* The whole state of a task that has left memory, for the event that restores it. */
struct str task_recalled(struct decision *d, const struct st_task *t);

/* ---- events ---- */

struct event *task_name_in(struct event *ev, const struct st_task *t);
struct event *task_name_run_in(struct event *ev, const struct st_task *t,
                               const struct rec_task_attempt *a);
/*
 * Sets the status on the envelope and in the companion record, which is returned for more fields.
 */
struct rec_task *task_status(struct decision *d, struct event *ev, struct str task_id,
                             enum task_status status);
void task_reply(struct decision *d, const struct rec_desc *desc, const void *reply);

struct task_ids {
	struct str turn_id, run_id, attempt_id;
};

/* What submit_turn passes to a separate task. */
struct turn_input;
struct task_background {
	const struct cmd_submit_turn *cmd;
	const struct turn_input *input;
	struct str thread_id, turn_id;
};
/* Creates the task and queues it with the ids of its first turn; returns the task's record. */
struct rec_task *task_decide_background(struct decision *d, const struct task_background *b,
                                        struct task_ids *ret);

/* task_run.c */
struct task_launch {
	const struct st_task *task;
	const struct rec_worker *worker; /* NULL: as before, or the agent */
	const struct turn_input *input;  /* NULL: as before, or the objective */
	struct str cause;                /* the command, or absent */
};
/* Starts its next run if that is possible now, else records what it waits for. */
enum task_status task_run_launch(struct decision *d, const struct task_launch *l,
                                 struct task_ids *ret);
/* How many tasks agents run in this session. */
int64_t task_run_count_under_way(const struct state *w);
/* What keeps an agent's run from starting now; absent: nothing, if its thread is free. */
struct str task_run_lacks_room(const struct decision *d);
bool task_room_is_shared(struct str reason); /* the slot is used by other sessions */
bool task_lacks_shared_room(const struct st_task *t);
bool task_run_has_thread(const struct decision *d, const struct st_task *t);
/* The task waits for a slot of other sessions: emitted when its last reason was another. */
bool task_run_emit_lacks_room(struct decision *d, const struct st_task *t, struct str reason);
/* until 0: at once.  The ids are those of the next run. */
struct task_ids task_run_emit_retrying(struct decision *d, const struct st_task *t,
                                       struct str reason, enum attempt_cause cause, int64_t until);
/* Records the intent for all tasks of the tree before anything is stopped. */
void task_run_cancel_tree(struct decision *d, const struct st_task *top, struct str reason,
                          enum propagation p);
struct event *task_run_emit_paused(struct decision *d, const struct st_task *t, struct str reason,
                                   const struct rec_actor *by);

/* task_end.c */
struct task_failure {
	enum status status; /* failed, timed_out, lost, cancelled */
	enum error_category category;
	struct str message, remedy;
	bool retryable;
};
/* The next step after a failure, as attempts record it. */
struct str task_end_next_policy(const struct st_task *t, const struct task_failure *f);
void task_end_emit_run_failed(struct decision *d, const struct st_task *t,
                              const struct rec_task_attempt *a, const struct task_failure *f);
/* The run has ended: its task is tried again, blocked or ended.  Returns its new status. */
enum task_status task_end_after_failure(struct decision *d, const struct st_task *t,
                                        const struct task_failure *f, const struct list_str *unmet);
struct event *task_end_emit_cancelled(struct decision *d, const struct st_task *t);

/* A claim that a task is complete. */
struct task_claim {
	const struct list_str *criteria;
	const struct list_str *evidence;
	struct rec_artifact_ref *const *artifacts;
	uint32_t artifact_count;
	const struct rec_delivery_state *delivery;
};
/* What a completion rests on, and what it lacks. */
struct reconciliation {
	struct rec_reconciled is;
	struct list_str missing;    /* one sentence each */
	struct list_str unmet;      /* criteria that were checked and do not hold */
	struct list_str undeclared; /* criteria that only a declaration can confirm */
	bool has_open_child;
	int64_t covered;
};
/* claim may be NULL: only the folded state counts. */
void task_end_reconcile(struct decision *d, const struct st_task *t, const struct task_claim *claim,
                        struct reconciliation *ret);
struct event *task_end_emit_completed(struct decision *d, const struct st_task *t,
                                      const struct reconciliation *r,
                                      const struct task_claim *claim, const struct rec_actor *by);
/* The work is done and something outside it is pending: the task waits for that. */
struct event *task_end_emit_unfinished(struct decision *d, const struct st_task *t,
                                       const struct reconciliation *r);

/* task_graph.c */
struct edge {
	struct str thread_id, from, to, reason;
	enum edge_kind kind;
	enum edge_change change;
	int64_t created_at; /* 0: now */
};
struct event *task_graph_emit_edge(struct decision *d, const struct edge *e);
struct task_blockers {
	struct list_str open; /* all that have not completed */
	struct str bad;       /* the first of them that cannot complete by itself */
	enum task_status bad_status;
};
/* but: one that counts as completed, or absent. */
void task_graph_blockers(struct decision *d, const struct st_task *t, struct str but,
                         struct task_blockers *ret);
bool task_graph_is_held(const struct st_task *t);
void task_graph_emit_blocked(struct decision *d, const struct st_task *t, struct str by,
                             enum task_status status);
/* The task has ended: tasks that waited for it are ready, or blocked with its name. */
void task_graph_release(struct decision *d, const struct st_task *t, enum task_status end);

#define TASK_SILENT STR("nothing happened for longer than constraints.inactivityMs allows")

/* task_schedule.c: what follows from the state, and from time */
bool task_schedule_step(struct decision *d);
bool task_schedule_time(struct decision *d);
int64_t task_schedule_deadline(const struct state *w, const struct leases *l);

/* task_worker.c; when a session is loaded, a task whose lease expired before `start` is stale. */
void task_worker_recover_leases(struct decision *d, int64_t start);
void task_worker_emit_run(struct decision *d, const struct st_task *t, const struct task_ids *ids,
                          const struct rec_worker *worker, struct str input_ref);
void task_worker_emit_external_run(struct decision *d, const struct st_task *t,
                                   const struct task_ids *ids, struct str worker_id,
                                   int64_t lease_ms);
/* When the lease of its external worker expires; 0: it has none. */
int64_t task_lease(const struct leases *l, const struct st_task *t);
bool task_wants_worker(const struct st_task *t);

#endif
