// The graph of task relations, laid out by dagre.  Loaded on demand.
import dagre from "@dagrejs/dagre";
import type { ListedTask } from "../api/types";
import { safe } from "../text/format";
import { Status } from "./ui";
import type { TaskEdge } from "../state/task_graph";
import { t, wordFor } from "../text/text";

const NODE = { width: 200, height: 58 };

interface Box {
  task: ListedTask;
  x: number;
  y: number;
}

interface Line {
  edge: TaskEdge;
  path: string;
}

function layOut(tasks: ListedTask[], edges: TaskEdge[]): { boxes: Box[]; lines: Line[]; width: number; height: number } {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 56, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const task of tasks) graph.setNode(task.taskId, { ...NODE });
  for (const edge of edges) graph.setEdge(edge.from, edge.to, {}, edge.kind);
  dagre.layout(graph);
  const boxes = tasks.map((task) => {
    const { x, y } = graph.node(task.taskId) as { x: number; y: number };
    return { task, x: x - NODE.width / 2, y: y - NODE.height / 2 };
  });
  const lines = edges.map((edge) => {
    const { points } = graph.edge(edge.from, edge.to, edge.kind) as { points: { x: number; y: number }[] };
    return { edge, path: points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)},${p.y.toFixed(1)}`).join("") };
  });
  const size = graph.graph() as { width?: number; height?: number };
  return { boxes, lines, width: size.width ?? 0, height: size.height ?? 0 };
}

export function Graph({ tasks, edges, chosen, hrefOf }: { tasks: ListedTask[]; edges: TaskEdge[]; chosen: string; hrefOf: (task: ListedTask) => string }) {
  const { boxes, lines, width, height } = layOut(tasks, edges);
  const titles = new Map(tasks.map((task) => [task.taskId, task.title ?? task.objective ?? task.taskId]));
  return (
    <div class="graph scroll" tabIndex={0} role="region" aria-label={t("tasks.graph")}>
      <div class="graph-sheet" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0,0L8,4L0,8z" fill="context-stroke" />
            </marker>
          </defs>
          {lines.map(({ edge, path }) => (
            <path key={`${edge.from}>${edge.to}:${edge.kind}`} class={`graph-edge ${edge.kind} ${edge.status}`} d={path} marker-end="url(#arrow)" />
          ))}
        </svg>
        {boxes.map(({ task, x, y }) => (
          <a
            key={task.taskId}
            class={`node${task.taskId === chosen ? " chosen" : ""}`}
            href={hrefOf(task)}
            aria-current={task.taskId === chosen ? "true" : undefined}
            style={{ left: `${x}px`, top: `${y}px`, width: `${NODE.width}px`, height: `${NODE.height}px` }}
          >
            <span class="node-title">{safe(titles.get(task.taskId)!)}</span>
            <Status of={task.status} small />
          </a>
        ))}
      </div>
      <ul class="sr-only">
        {edges.map((edge) => (
          <li key={`${edge.from}>${edge.to}:${edge.kind}`}>
            {safe(titles.get(edge.from)!)} {wordFor("edge", edge.kind)} {safe(titles.get(edge.to)!)}: {wordFor("edge.status", edge.status)}
          </li>
        ))}
      </ul>
    </div>
  );
}
