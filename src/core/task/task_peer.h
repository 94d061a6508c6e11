#ifndef CORE_TASK_PEER_H
#define CORE_TASK_PEER_H
/*
 * Remote agents as workers of tasks (docs/decisions/0047-remote-agents.md).
 *
 * A run whose worker is a peer starts like every other.  The adapter sends the work once the event
 * of the run is durable, and reports with report_delegation what became of it.  A question of the
 * agent is an action in a system turn, because actions belong to turns.
 *
 *   running ◄──► waiting_resource (idle)
 *      ▲ ◄─────► waiting_input, waiting_permission (an action is pending)
 *      │ ◄─────► blocked (completed there, artifacts not here)
 *      └ ◄─────► shown as stale (not reachable)          missing: lost
 */
#include "core/task/task.h"

/*
 * Is there such an agent, do the rules allow it, and is the chain of delegations short enough?
 * False after refusing.
 */
bool task_peer_check(struct decision *d, const struct st_task *t, const struct rec_worker *w);
/* Blocks the task if the agent may not get it any more; false: it may. */
bool task_peer_emit_denied(struct decision *d, const struct task_launch *l);
/* The events of a run that a remote agent gets. */
void task_peer_emit_run(struct decision *d, const struct task_launch *l,
                        const struct task_ids *ids);

#endif
