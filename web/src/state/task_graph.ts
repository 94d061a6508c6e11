// The edges between tasks, for the graph of the Tasks page.
import type { EdgeKind, ListedTask } from "../api/types";

export interface TaskEdge {
  from: string;
  to: string;
  kind: "blocks" | "parent" | "source_task";
  status: string;
}

/** Edges in one direction: from the task that comes first to the task that depends on it. */
const TURNED: Partial<Record<EdgeKind, [TaskEdge["kind"], isTurned: boolean]>> = {
  blocks: ["blocks", false],
  blocked_by: ["blocks", true],
  child: ["parent", false],
  parent: ["parent", true],
  source_task: ["source_task", true],
};

/** Edges between these tasks, each once. */
export function edgesOf(tasks: ListedTask[]): TaskEdge[] {
  const known = new Set(tasks.map((task) => task.taskId));
  const found = new Map<string, TaskEdge>();
  for (const task of tasks)
    for (const one of task.relationships ?? []) {
      const turned = TURNED[one.kind];
      if (!turned || !known.has(one.targetId)) continue;
      const [from, to] = turned[1] ? [one.targetId, task.taskId] : [task.taskId, one.targetId];
      found.set(`${from}>${to}:${turned[0]}`, { from, to, kind: turned[0], status: one.status ?? "unknown" });
    }
  return [...found.values()];
}
