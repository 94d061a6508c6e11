/* Events about a child agent that commands and requests of tool servers share. */
#include "core/subagent/subagent.h"
#include "core/task/task.h"

void subagent_emit_input(struct decision *d, struct str id, struct str thread_id, struct str ref,
                         struct str turn_id)
{
	struct event *ev = EMIT(d, SUBAGENT_INPUT, subagent_input, .input_ref = ref,
	                        .from = decision_actor(d), .child_turn_id = turn_id);

	ev->subagent_id = id;
	ev->thread_id = thread_id;
	decision_add_ref(d, ev, STR("input"), ref);
}

/* spec: NEG-05 — a child of a task has an edge to it. */
void subagent_emit_delegated(struct decision *d, struct str task_id, struct str id)
{
	const struct st_task *task = str_is(task_id) ? state_task(d->w, task_id) : NULL;
	struct event *ev;

	if (!task)
		return;
	ev = task_name_in(
		EMIT(d, TASK_DELEGATED, task_delegated, .to = STR("subagent"), .subagent_id = id),
		task);
	ev->subagent_id = id;
	task_graph_emit_edge(d, &(struct edge){ .thread_id = task->record->thread_id,
	                                        .from = task->record->task_id,
	                                        .to = id,
	                                        .kind = EDGE_KIND_SPAWNED_SUBAGENT,
	                                        .change = EDGE_CHANGE_LINKED });
}
