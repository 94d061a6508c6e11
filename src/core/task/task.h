#ifndef CORE_TASK_H
#define CORE_TASK_H
/*
 * Tasks: work with an objective, a state, a history and an end.
 *
 * Every turn has a task.  An implicit one lives and dies with its turn; a
 * real one is made by create_task and outlives the turns, runs and workers
 * that carry it out.  A run's worker is the built-in agent (a turn on the
 * task's thread) or an external worker that claims, beats and reports.
 *
 *   draft ─► accepted ─► queued ─► preparing ─► running ─► completed
 *                          ▲            ▲          │
 *              blocked ◄───┤            │          ├─► waiting_*, blocked, paused ─► (back)
 *                          │        retrying ◄─────┤
 *                          │            ▲          ├─► failed, timed_out, lost
 *                          │            └──────────┤     (retry_task reopens these)
 *                          └── waiting_resource    └─► cancelling ─► cancelled
 *
 * Which fact may lead from where to where is one table (task_table.c): the
 * order gate refuses what it does not hold, and decisions look there first.
 */
#include "core/decision.h"

/* ---- the table ---- */

/* May a fact of this class lead a task from one status to the other?  from 0: there is no task yet. */
bool task_table_allows_move(enum event_type by, enum task_status from, enum task_status to);
/* Could a fact of this class be about a task that stands there? */
bool task_table_allows(enum event_type by, enum task_status from);
/* Nothing but retry_task and archive_task changes it any more. */
bool task_table_status_is_end(enum task_status s);
/* Part of the order gate: the status on the fact follows from the one that is folded. */
enum err task_table_gate(const struct state *w, const struct event *ev, struct error *e) MUST_USE;

/* ---- looking ---- */

/* In the world, or read back for this command; NULL after refusing task_not_found. */
const struct st_task *task_named(struct decision *d, struct str task_id);
/* The one it stands under, by the same two ways; NULL: none. */
const struct st_task *task_above(const struct decision *d, const struct st_task *t);
/* The same, and it has not ended; otherwise refused with the end that stands. */
const struct st_task *task_open(struct decision *d, struct str task_id);
/* The task above it that was cancelled, so that it is not tried again; NULL: none. */
const struct st_task *task_cancelled_above(const struct decision *d, const struct st_task *t);
void task_refuse_ended(struct decision *d, const struct st_task *t);
/* The attempt under way, or NULL. */
const struct rec_task_attempt *task_run(const struct st_task *t);
bool task_is_external(const struct st_task *t);
/* The turn that carries it out right now, or NULL. */
STATE_CONST struct st_turn *task_turn(const struct state *w, const struct st_task *t,
                                      STATE_CONST struct st_thread **ret_th);
bool task_is_under(const struct state *w, const struct rec_task *r, struct str root);
bool task_has_open_child(const struct state *w, const struct st_task *t, struct str *ret_id);
/* Is the run that a report names the one that stands?  False after refusing. */
bool task_is_run(struct decision *d, const struct st_task *t, struct str run_id);
/* The whole state of a task that is not in the world, for the fact that brings it back. */
struct str task_recalled(struct decision *d, const struct st_task *t);

/* ---- saying ---- */

struct event *task_name_in(struct event *ev, const struct st_task *t);
struct event *task_name_run_in(struct event *ev, const struct st_task *t,
                               const struct rec_task_attempt *a);
/* Puts the status on the envelope and into a companion, which comes back for more. */
struct rec_task *task_status(struct decision *d, struct event *ev, struct str task_id,
                             enum task_status status);
void task_reply(struct decision *d, const struct rec_desc *desc, const void *reply);

struct task_ids {
	struct str turn_id, run_id, attempt_id;
};

/* What submit_turn leaves to a task of its own. */
struct turn_input;
struct task_background {
	const struct cmd_submit_turn *cmd;
	const struct turn_input *input;
	struct str thread_id, turn_id;
};
/* Makes the task and queues it with the ids of its first turn; the task's record. */
struct rec_task *task_decide_background(struct decision *d, const struct task_background *b,
                                        struct task_ids *ret);

/* task_run.c */
struct task_launch {
	const struct st_task *task;
	const struct rec_worker *worker; /* NULL: as before, or the agent */
	const struct turn_input *input;  /* NULL: as before, or the objective */
	struct str cause;                /* the command, or absent */
};
/* Begins its next run if that can begin now, else says what it waits for. */
enum task_status task_run_launch(struct decision *d, const struct task_launch *l,
                                 struct task_ids *ret);
/* How many tasks agents carry out in this session. */
int64_t task_run_count_under_way(const struct state *w);
/* What keeps an agent's run from beginning this moment; absent: nothing, if its thread is free. */
struct str task_run_lacks_room(const struct decision *d);
bool task_room_is_shared(struct str reason); /* others than this session hold it */
bool task_lacks_shared_room(const struct st_task *t);
bool task_run_has_thread(const struct decision *d, const struct st_task *t);
/* It waits for room that others have: that is said when something else was said before. */
bool task_run_emit_lacks_room(struct decision *d, const struct st_task *t, struct str reason);
/* until 0: at once.  The ids are those of the run to come. */
struct task_ids task_run_emit_retrying(struct decision *d, const struct st_task *t,
                                       struct str reason, enum attempt_cause cause, int64_t until);
/* The intent of all of them stands before anything is stopped. */
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
/* What comes next, as attempts say it. */
struct str task_end_next_policy(const struct st_task *t, const struct task_failure *f);
void task_end_emit_run_failed(struct decision *d, const struct st_task *t,
                              const struct rec_task_attempt *a, const struct task_failure *f);
/* The run is over: its task is tried again, blocked or ended.  Returns where it stands then. */
enum task_status task_end_after_failure(struct decision *d, const struct st_task *t,
                                        const struct task_failure *f, const struct list_str *unmet);
struct event *task_end_emit_cancelled(struct decision *d, const struct st_task *t);

/* What somebody says about the completion of a task. */
struct task_claim {
	const struct list_str *criteria;
	const struct list_str *evidence;
	struct rec_artifact_ref *const *artifacts;
	uint32_t artifact_count;
	const struct rec_delivery_state *delivery;
};
/* What a completion would rest on, and what it would lack. */
struct reconciliation {
	struct rec_reconciled is;
	struct list_str missing;    /* sentences, one per thing */
	struct list_str unmet;      /* criteria that were checked and do not hold */
	struct list_str undeclared; /* criteria that only somebody can say */
	bool has_open_child;
	int64_t covered;
};
/* claim may be NULL: nothing but what is folded. */
void task_end_reconcile(struct decision *d, const struct st_task *t, const struct task_claim *claim,
                        struct reconciliation *ret);
struct event *task_end_emit_completed(struct decision *d, const struct st_task *t,
                                      const struct reconciliation *r,
                                      const struct task_claim *claim, const struct rec_actor *by);
/* The work is done and something outside it is still owed: it waits for that. */
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
	struct str bad;       /* the first of them that will not by itself */
	enum task_status bad_status;
};
/* but: one that counts as completed, or absent. */
void task_graph_blockers(struct decision *d, const struct st_task *t, struct str but,
                         struct task_blockers *ret);
bool task_graph_is_held(const struct st_task *t);
void task_graph_emit_blocked(struct decision *d, const struct st_task *t, struct str by,
                             enum task_status status);
/* The task has ended: what waited for it is ready, or blocked by name. */
void task_graph_release(struct decision *d, const struct st_task *t, enum task_status end);

#define TASK_SILENT STR("nothing happened for longer than constraints.inactivityMs allows")

/* task_schedule.c: what follows from the state, and from time */
bool task_schedule_step(struct decision *d);
bool task_schedule_time(struct decision *d);
int64_t task_schedule_deadline(const struct state *w, const struct leases *l);

/* task_worker.c */
/* When a session is read back: workers whose lease ran out before `start` are out of sight. */
void task_worker_recover_leases(struct decision *d, int64_t start);
void task_worker_emit_external_run(struct decision *d, const struct st_task *t,
                                   const struct task_ids *ids, struct str worker_id,
                                   int64_t lease_ms);
/* When its external worker counts as lost; 0: it has none. */
int64_t task_lease(const struct leases *l, const struct st_task *t);
bool task_wants_worker(const struct st_task *t);

#endif
