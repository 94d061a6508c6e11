// What the pages of work read: tasks, child agents, jobs.
import { read } from "../api/client";

export interface Attempt {
  runId: string;
  attemptId: string;
  status: string;
  attemptCount: number;
  worker?: { kind: string; workerId?: string };
  startedAt?: string;
  endedAt?: string;
  outputRefs?: { kind: string; ref: string }[];
  lastError?: { category: string; message: string };
  completionSummary?: string;
}

export interface Relationship {
  kind: string;
  sourceId?: string;
  targetId: string;
  status: string;
  reason?: string;
}

export interface TaskRow {
  taskId: string;
  parentTaskId?: string;
  sessionId: string;
  threadId?: string;
  title?: string;
  objective?: string;
  visibility?: string;
  status: string;
  statusReason?: string;
  priority?: string;
  assignee?: { kind: string; principal?: string };
  acceptance?: { id?: string; kind?: string; text?: string; description?: string; status?: string }[];
  progress?: { percent?: number; summary?: string };
  attempts: Attempt[];
  relationships: Relationship[];
  lastError?: { category: string; message: string };
  createdAt: string;
  updatedAt: string;
}

export interface TaskEdge {
  from: string;
  to: string;
  kind: "blocks" | "parent" | "source_task";
  status: string;
}

/** One direction for each kind: from what comes first to what follows from it. */
const TURNED: Record<string, [TaskEdge["kind"], isTurned: boolean]> = {
  blocks: ["blocks", false],
  blocked_by: ["blocks", true],
  child: ["parent", false],
  parent: ["parent", true],
  source_task: ["source_task", true],
};

/** Edges between these tasks, each once. */
export function edgesOf(tasks: TaskRow[]): TaskEdge[] {
  const known = new Set(tasks.map((task) => task.taskId));
  const found = new Map<string, TaskEdge>();
  for (const task of tasks)
    for (const one of task.relationships) {
      const turned = TURNED[one.kind];
      if (!turned || !known.has(one.targetId)) continue;
      const [from, to] = turned[1] ? [one.targetId, task.taskId] : [task.taskId, one.targetId];
      found.set(`${from}>${to}:${turned[0]}`, { from, to, kind: turned[0], status: one.status });
    }
  return [...found.values()];
}

interface Paged {
  nextCursor?: string;
}

/** At least so many rows, or all there are; says whether there are more. */
export async function readRows<T>(command: string, field: string, params: object, wanted: number): Promise<{ rows: T[]; more: boolean }> {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Paged & Record<string, unknown> = await read(command, { ...params, limit: 200, cursor });
    rows.push(...(page[field] as T[]));
    cursor = page.nextCursor;
  } while (cursor && rows.length < wanted);
  return { rows, more: cursor !== undefined };
}
