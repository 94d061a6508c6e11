#ifndef CORE_VIEW_H
#define CORE_VIEW_H
/*
 * Read models: the folded state as JSON.
 *
 * A view is a pure function of the state and the settings: the same log gives
 * the same text, before and after a restart.  It has no clock, so it never
 * reports a duration "until now"; it reports start and end times.
 *
 * Shape and key order are those of the golden session snapshot.  An absent
 * value is left out, never null; an unknown number is left out and a word
 * beside it says so (GAP-47).  A section whose events no topic of this build
 * emits has {"status":"unavailable"}, one that does not apply to the session
 * {"status":"not_applicable"} (GAP-67).  An empty list means that nothing was
 * recorded.  Each function writes exactly one JSON value.
 * spec: contracts/state-snapshots
 */
#include "base/jw.h"
#include "core/task/lease.h"
#include "core/settings.h"
#include "core/state.h"

/*
 * The position that a connected channel has acknowledged; an event records it only when it
 * disconnects.
 */
struct view_ack {
	struct str channel_id;
	int64_t sequence;
};

/* What a reader requested; all zero: everything except system turns. */
/* A page of turns that have left the state. */
struct view_page {
	int64_t from, to, turns, older;
	struct str cursor;  /* of the next older page; absent: there is none */
	struct str history; /* JSON array of the record past_turn */
};

struct view_want {
	bool system; /* system turns too (GAP-58) */
	/* number of ended turns per thread, open ones always; 0: all in the state */
	int64_t window;
	const struct list_str *sections; /* only these keys of the session; NULL: all */
	const struct view_ack *acks;
	size_t ack_count;
	const struct view_page *page; /* NULL: the newest turns, from the state */
	bool is_part;                 /* a thread inside its session: shared values are left out */
	struct str session_id; /* of a list across sessions: each channel names its session */
	int64_t head;          /* of a list: the last event, from which the lag is counted; or 0 */
};

/* ---- session ---- */

/* session_snapshot.  Valid under both snapshot schemas as soon as there is a thread (GAP-13). */
void view_session(struct json_writer *w, const struct state *state,
                  const struct settings *settings);
/* The same in part.  The session's id and sequence are always included. */
void view_session_with(struct json_writer *w, const struct state *state,
                       const struct settings *settings, const struct view_want *want);
/* session_row: one line of list_sessions; shows the most urgent thread. */
void view_session_row(struct json_writer *w, const struct state *state);

/* ---- threads and turns ---- */

/* thread_read_model: the answer to "what is happening now?" */
void view_thread(struct json_writer *w, const struct state *state, const struct settings *settings,
                 const struct st_thread *th);
void view_thread_with(struct json_writer *w, const struct state *state,
                      const struct settings *settings, const struct st_thread *th,
                      const struct view_want *want);
void view_thread_row(struct json_writer *w, const struct st_thread *th);
void view_turn(struct json_writer *w, const struct state *state, const struct settings *settings,
               const struct st_thread *th, const struct st_turn *t);
void view_call(struct json_writer *w, const struct st_call *c);
/* context_boundary_snapshot */
void view_context(struct json_writer *w, const struct state *state, const struct st_thread *th);

/*
 * Why a thread has its status: what it waits for, since when, until when, who can end it, and one
 * sentence for people. waitingFor is a word of wait_for, or start, preparation, model, tool,
 * release, nothing, unknown.  Where no time ends the wait by itself, deadline is none instead of
 * until.  outputs: why stored outputs wait, which a running tool may wait for; absent: they do not.
 */
void view_explain(struct json_writer *w, const struct state *state, const struct st_thread *th,
                  struct str outputs);

/* ---- queue ---- */

void view_queue(struct json_writer *w, const struct settings *settings, const struct st_thread *th);
void view_queued_turns(struct json_writer *w, const struct st_thread *th); /* an array */
/* queue_snapshot */
void view_queue_snapshot(struct json_writer *w, const struct state *state,
                         const struct settings *settings, const struct st_thread *th);

/* ---- actions and rules ---- */

/* action_view in full; session_id is absent except in lists across sessions. */
void view_action(struct json_writer *w, const struct st_action *a, struct str session_id);
/* permission_state of the session, or of one thread when th is not NULL; is_part: without the rules. */
void view_permission_state(struct json_writer *w, const struct state *state,
                           const struct settings *settings, const struct st_thread *th,
                           bool is_part);
/* Grants that are valid at that time; only: of this scope. */
void view_grants(struct json_writer *w, const struct state *state, enum grant_scope only,
                 int64_t now);
/* Rules of the settings and of the session; mem holds them during the call. */
void view_rules(struct json_writer *w, const struct state *state, const struct settings *settings,
                struct arena *mem);
/* permission_sandbox_summary */
void view_permission(struct json_writer *w, const struct state *state,
                     const struct settings *settings);

/* ---- tasks ---- */

/* The task need not be in the state: rows of a list are shown in a state with one task. */
void view_task(struct json_writer *w, const struct state *state, const struct st_task *t);
/* The edges of the tree that a task belongs to. */
void view_task_tree(struct json_writer *w, const struct state *state, const struct st_task *t);
/* What it waits for, since when, until when, and what ends the wait. */
void view_explain_task(struct json_writer *w, const struct state *state,
                       const struct leases *leases, const struct st_task *t);
void view_task_summary(struct json_writer *w, const struct state *state);
/* Edges between tasks; of one thread's tasks when thread_id is present. */
void view_task_graph(struct json_writer *w, const struct state *state, struct str thread_id);
/* An array: blocked tasks, each with its blocker. */
void view_blocked_tasks(struct json_writer *w, const struct state *state, struct str thread_id);
/* task_snapshot */
void view_tasks(struct json_writer *w, const struct state *state);

/* ---- everything else ---- */

/* tool_inventory_snapshot under the given mode; 0: the session's own.  thread_id may be absent. */
/* caller: a child agent or a task, whose bounds apply; absent: the session's own agent. */
void view_inventory(struct json_writer *w, const struct state *state,
                    const struct settings *settings, struct str thread_id,
                    enum permission_mode mode, struct str caller);
/* execution_environment_snapshot */
void view_environment(struct json_writer *w, const struct state *state,
                      const struct settings *settings);
/* routing_limit_summary */
void view_routing(struct json_writer *w, const struct state *state,
                  const struct settings *settings);
/* subagent_job_summary */
void view_subagents_and_jobs(struct json_writer *w, const struct state *state);
/* channel_summary */
void view_channels(struct json_writer *w, const struct state *state);
void view_channel(struct json_writer *w, const struct st_channel *c, const struct view_want *want);
/* An array of stored outputs: of one thread when th is not NULL. */
void view_outputs(struct json_writer *w, const struct state *state, const struct st_thread *th);
/* artifact_checkpoint_summary */
void view_artifacts(struct json_writer *w, const struct state *state);
/* evidence_summary of one thread, or of the session when th is NULL */
void view_evidence(struct json_writer *w, const struct state *state, const struct st_thread *th);
void view_evidence_refs(struct json_writer *w, const struct state *state); /* the member */

/* benchmark_summary, and the same as a member of the session */
void view_benchmark(struct json_writer *w, const struct state *state);
void view_benchmark_section(struct json_writer *w, const struct state *state);

/* ---- status ---- */

/*
 * The nine words and the exact word, derived from the active turn, the queue and the last result
 * (GAP-06, GAP-39, GAP-41).
 */
enum thread_status view_thread_status(const struct st_thread *th);
enum status view_profile_status(const struct st_thread *th);
struct str view_reason(const struct st_thread *th); /* why, in a sentence, or absent */

#endif
