// Tasks: objective, status, what each waits for, attempts and relations, as a list or as a graph.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { may, read, readRows, send } from "../api/client";
import type { ListedTask, TaskAttempt, TaskStatus } from "../api/types";
import { BulkBar, Export, Pick, SureButton, useBulk, useSelection, type Selection, type Table } from "../components/bulk";
import { Failure, useCommand } from "../components/command";
import { ago, dateTime, safe, shortId, span } from "../text/format";
import type { Graph as GraphType } from "../components/graph";
import { SessionPicker } from "../components/picker";
import { href, place, setQuery } from "../state/router";
import { DirectoryField, startDirectory } from "../components/start";
import { Empty, Fields, Failed, Said, Status, Time, toneOf } from "../components/ui";
import { useView } from "../state/use_view";
import { Windowed } from "../components/windowed";
import { edgesOf } from "../state/task_graph";
import { t, wordFor, type Word } from "../text/text";

const SHOWS = ["all", "active", "waiting", "trouble", "over"] as const;
const PAGE = 200;
const MOVES = ["task.", "turn.completed", "turn.failed"];

function fits(task: ListedTask, show: string): boolean {
  const tone = toneOf(task.status);
  if (show === "active") return tone === "run";
  if (show === "waiting") return tone === "wait";
  if (show === "trouble") return tone === "bad" || tone === "odd";
  if (show === "over") return tone === "good" || (tone === "calm" && task.status !== "draft");
  return true;
}

const titleOf = (task: ListedTask): string => safe(task.title ?? task.objective ?? "") || shortId(task.taskId);
const isChild = (task: ListedTask): boolean => task.visibility === "internal";

async function readTasks(sessionId: string, wanted: number) {
  const { rows, more } = await readRows("list_tasks", "tasks", { sessionId: sessionId || undefined }, wanted);
  return { rows: rows as ListedTask[], more };
}

function queryOf(task: ListedTask): Record<string, string> {
  return { ...Object.fromEntries(place.value.query), at: task.taskId, of: task.sessionId };
}

function Row({ task, isChosen, of }: { task: ListedTask; isChosen: boolean; of: Selection }) {
  const tries = task.attempts.length;
  return (
    <div class="pick-line">
      <Pick of={of} id={task.taskId} title={titleOf(task)} />
      <a class={`row task-row${isChosen ? " chosen" : ""}`} href={href(["tasks"], queryOf(task))} aria-current={isChosen ? "true" : undefined}>
        <span class="c-status">
          <Status of={task.status} />
        </span>
        <span class="c-title">
          <span class="title">{titleOf(task)}</span>
          <span class="id">{shortId(task.taskId)}</span>
        </span>
        <span class="c-wait dim">{task.statusReason ? <Said plain kind={task.lastError ? "failure" : "reason"} code={task.lastError?.category} text={task.statusReason} /> : safe(task.progress?.summary ?? "")}</span>
        <span class="num dim c-cost">{tries > 1 ? t("tasks.tries", { n: tries }) : ""}</span>
        <span class="num dim c-time">
          <Time at={task.updatedAt}>{ago(task.updatedAt)}</Time>
        </span>
      </a>
    </div>
  );
}

// ---- many at once ----

const tableOf = (tasks: ListedTask[]): Table =>
  tasks.map((task) => ({
    taskId: task.taskId,
    title: task.title ?? task.objective,
    status: task.status,
    reason: task.statusReason,
    category: task.lastError?.category,
    attempts: task.attempts.length,
    priority: task.priority,
    sessionId: task.sessionId,
    threadId: task.threadId,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  }));

function Many({ of, tasks, again }: { of: Selection; tasks: ListedTask[]; again: () => void }) {
  const bulk = useBulk();
  const chosen = tasks.filter((task) => of.chosen.value?.has(task.taskId));
  const open = chosen.filter((task) => !OVER.has(task.status) && task.status !== "cancelling");
  const over = chosen.filter((task) => OVER.has(task.status) && task.status !== "archived");
  const run = (tasks: ListedTask[], command: "cancel_task" | "archive_task") =>
    void bulk.run(tasks, ({ sessionId, taskId }) => send(command, { sessionId, taskId })).then(again);
  return (
    <BulkBar of={of} ids={tasks.map((task) => task.taskId)} bulk={bulk}>
      {may("write") && open.length > 0 && (
        <SureButton
          label={t("bulk.cancel", { n: open.length })}
          question={t("tasks.cancelSure", { n: open.length })}
          yes={t("bulk.cancelYes")}
          isBusy={bulk.isBusy}
          act={() => run(open, "cancel_task")}
        />
      )}
      {may("write") && over.length > 0 && (
        <button type="button" disabled={bulk.isBusy} onClick={() => run(over, "archive_task")}>
          {t("bulk.archive", { n: over.length })}
        </button>
      )}
    </BulkBar>
  );
}

// ---- one task ----

function Attempts({ of }: { of: TaskAttempt[] }) {
  if (!of.length) return <p class="dim">{t("tasks.noAttempts")}</p>;
  return (
    <ol class="attempts">
      {of.map((one) => (
        <li key={one.attemptId}>
          <p>
            <span class="num">{one.attemptCount}</span> <Status of={one.status} small />{" "}
            {one.worker && <span class="dim">{[wordFor("worker", one.worker.kind), one.worker.workerId].filter(Boolean).join(" ")}</span>}{" "}
            {one.startedAt && <span class="dim num">{one.endedAt ? span(Date.parse(one.endedAt) - Date.parse(one.startedAt)) : ago(one.startedAt)}</span>}
          </p>
          {one.lastError && (
            <p class="bad-text">
              {safe(one.lastError.category)}: <Said kind="failure" code={one.lastError.category} text={one.lastError.message} />
            </p>
          )}
          {one.completionSummary && <p class="dim">{safe(one.completionSummary)}</p>}
        </li>
      ))}
    </ol>
  );
}

type TaskCommand = "start_task" | "pause_task" | "resume_task" | "cancel_task" | "archive_task";
const OVER = new Set<TaskStatus>(["completed", "failed", "cancelled", "timed_out", "lost", "archived"]);
const RETRIABLE = new Set<TaskStatus>(["failed", "cancelled", "timed_out", "lost", "blocked"]);

function TaskActions({ task, again }: { task: ListedTask; again: () => void }) {
  const wantsReason = useSignal(false);
  const reason = useSignal("");
  const sender = useCommand(() => {
    wantsReason.value = false;
    again();
  });
  if (!may("write")) return null;
  const ids = { sessionId: task.sessionId, taskId: task.taskId };
  const isOver = OVER.has(task.status);
  const offers: [TaskCommand, boolean][] = [
    ["start_task", task.status === "accepted" || task.status === "draft"],
    ["pause_task", toneOf(task.status) === "run" || task.status === "queued"],
    ["resume_task", task.status === "paused"],
    ["cancel_task", !isOver && task.status !== "cancelling"],
    ["archive_task", isOver && task.status !== "archived"],
  ];
  return (
    <>
      <div class="buttons">
        {offers
          .filter(([, isOffered]) => isOffered)
          .map(([command]) => (
            <button type="button" key={command} class={command === "cancel_task" ? "danger" : undefined} disabled={sender.isBusy} onClick={() => void sender.run(command, ids)}>
              {t(`tasks.${command}` as Word)}
            </button>
          ))}
        {RETRIABLE.has(task.status) && (
          <button type="button" aria-expanded={wantsReason.value} onClick={() => (wantsReason.value = !wantsReason.value)}>
            {t("tasks.retry_task")}
          </button>
        )}
      </div>
      {wantsReason.value && (
        <form
          class="pane"
          onSubmit={(e) => {
            e.preventDefault();
            void sender.run("retry_task", { ...ids, reason: reason.value.trim() });
          }}
        >
          <label>
            {t("tasks.retryWhy")}
            <input value={reason.value} onInput={(e) => (reason.value = e.currentTarget.value)} />
          </label>
          <div class="buttons">
            <button type="submit" class="primary" disabled={!reason.value.trim() || sender.isBusy}>
              {t("tasks.retry_task")}
            </button>
          </div>
        </form>
      )}
      <Failure of={sender} />
    </>
  );
}

function Relations({ task }: { task: ListedTask }) {
  const shown = task.relationships.filter((one) => one.kind !== "assigned_thread");
  if (!shown.length) return null;
  return (
    <>
      <h3>{t("tasks.edges")}</h3>
      <ul class="plain-list">
        {shown.map((one, i) => (
          <li key={i}>
            {wordFor("edge", one.kind)}{" "}
            {one.targetId.startsWith("task_") ? (
              <a href={href(["tasks"], { ...Object.fromEntries(place.value.query), at: one.targetId, of: task.sessionId })}>{shortId(one.targetId)}</a>
            ) : (
              <code>{shortId(one.targetId)}</code>
            )}{" "}
            <span class="dim">
              {wordFor("edge.status", one.status ?? "unknown")}
              {one.reason && ` · ${safe(one.reason)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

async function readTask(sessionId: string, taskId: string) {
  const { task, why } = await read("get_task", { sessionId, taskId });
  return { task: task as ListedTask, why };
}

function Detail({ sessionId, taskId }: { sessionId: string; taskId: string }) {
  const { value, failure, again } = useView(() => readTask(sessionId, taskId), MOVES, [sessionId, taskId]);
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  const { task, why } = value;
  return (
    <section class="inspector" aria-label={t("tasks.one")}>
      <header>
        <h2>{titleOf(task)}</h2>
        <span class="spread" />
        <button type="button" class="quiet" onClick={() => setQuery({ at: "", of: "" })}>
          {t("common.close")}
        </button>
      </header>
      <p>
        <Status of={task.status} /> {why && why.waitingFor !== "nothing" && <Said kind="wait" code={why.waitingFor} text={why.detail} />}
      </p>
      {task.lastError && (
        <p class="bad-text">
          <Said kind="failure" code={task.lastError.category} text={task.lastError.message} />
        </p>
      )}
      <TaskActions task={task} again={again} />
      <Fields
        of={[
          [t("tasks.objective"), task.objective !== task.title && safe(task.objective ?? "")],
          [t("tasks.priority"), task.priority],
          [t("tasks.progress"), task.progress?.percent !== undefined && <progress aria-label={t("tasks.progress")} max={100} value={task.progress.percent} />],
          [t("tasks.made"), <Time at={task.createdAt}>{dateTime(task.createdAt)}</Time>],
          [t("thread.thread"), task.threadId && <a href={href(["thread", task.sessionId, task.threadId])}>{shortId(task.threadId)}</a>],
          [t("tasks.id"), <code>{task.taskId}</code>],
        ]}
      />
      <h3>{t("tasks.attempts")}</h3>
      <Attempts of={task.attempts} />
      <Relations task={task} />
    </section>
  );
}

// ---- graph ----

function LazyGraph({ tasks, chosen }: { tasks: ListedTask[]; chosen: string }) {
  const found = useSignal<ComponentType<Parameters<typeof GraphType>[0]> | undefined>(undefined);
  useEffect(() => void import("../components/graph").then((module) => (found.value = module.Graph)), []);
  const edges = edgesOf(tasks);
  if (!edges.length) return <Empty title={t("tasks.noEdges")} how={t("tasks.noEdgesHow")} />;
  const Graph = found.value;
  if (!Graph) return <p class="reading">{t("common.loading")}</p>;
  const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  return <Graph tasks={tasks.filter((task) => linked.has(task.taskId))} edges={edges} chosen={chosen} hrefOf={(task) => href(["tasks"], queryOf(task))} />;
}

// ---- the page ----

function NewTask() {
  const text = useSignal("");
  const cwd = useSignal<string | undefined>(undefined);
  const sender = useCommand((reply) => {
    text.value = "";
    setQuery({ at: String(reply.taskId), of: String(reply.sessionId) });
  });
  if (!may("write")) return null;
  const session = place.value.query.get("session") ?? undefined;
  return (
    <form
      class="new-thread"
      onSubmit={(e) => {
        e.preventDefault();
        void sender.run("create_task", { ...(session ? { sessionId: session } : startDirectory(cwd.value)), objective: text.value, start: true });
      }}
    >
      <span class="prompt">
        <input aria-label={t("tasks.new")} placeholder={t("tasks.new")} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
        <button type="submit" class="primary" disabled={!text.value.trim() || sender.isBusy}>
          {t("live.start")}
        </button>
      </span>
      {!session && text.value && (
        <span class="choices">
          <DirectoryField value={cwd.value} set={(to) => (cwd.value = to)} />
        </span>
      )}
      <Failure of={sender} />
    </form>
  );
}

function Bar({ show, isGraph, sessionId }: { show: string; isGraph: boolean; sessionId: string }) {
  const hasInternal = place.value.query.get("internal") === "1";
  return (
    <div class="bar">
      <h1>{t("nav.tasks")}</h1>
      <div class="tabs" role="group" aria-label={t("live.status")}>
        {SHOWS.map((word) => (
          <button type="button" key={word} class="tab" aria-pressed={show === word} onClick={() => setQuery({ show: word === "all" ? "" : word })}>
            {t(`tasks.show.${word}` as Word)}
          </button>
        ))}
      </div>
      <SessionPicker value={sessionId} all={t("tasks.allSessions")} />
      <label class="check flat">
        <input type="checkbox" checked={hasInternal} onChange={(e) => setQuery({ internal: e.currentTarget.checked ? "1" : "" })} />
        {t("tasks.internal")}
      </label>
      <span class="spread" />
      <button type="button" aria-pressed={isGraph} onClick={() => setQuery({ view: isGraph ? "" : "graph" })}>
        {t("tasks.graph")}
      </button>
    </div>
  );
}

export function Tasks() {
  const query = place.value.query;
  const show = query.get("show") ?? "all";
  const sessionId = query.get("session") ?? "";
  const wanted = useSignal(PAGE);
  const chosen = query.get("at") ?? "";
  const of = query.get("of") ?? "";
  const isGraph = query.get("view") === "graph";
  const selection = useSelection();
  const { value, failure, again } = useView(
    () => readTasks(sessionId, wanted.value),
    MOVES,
    [sessionId, wanted.value],
  );
  const all = value?.rows.filter((task) => query.get("internal") === "1" || !isChild(task)) ?? [];
  const found = all.filter((task) => fits(task, show));
  return (
    <div class={`page tasks${chosen ? " inspecting" : ""}`}>
      <Bar show={show} isGraph={isGraph} sessionId={sessionId} />
      <div class="split">
        <div class="split-main">
          {found.length > 0 && !isGraph && (
            <div class="bar tools">
              <Many of={selection} tasks={found} again={again} />
              <span class="spread" />
              <Export name="tasks" rows={() => tableOf(selection.chosen.value?.size ? found.filter((task) => selection.chosen.value!.has(task.taskId)) : found)} />
            </div>
          )}
          {failure ? (
            <Failed why={failure} again={again} />
          ) : !value ? (
            <p class="reading">{t("common.loading")}</p>
          ) : !all.length ? (
            <Empty title={t("tasks.empty")} how={t("tasks.emptyHow")}>
              <pre class="code">thole task new "Write the release notes"</pre>
            </Empty>
          ) : isGraph ? (
            <LazyGraph tasks={found} chosen={chosen} />
          ) : !found.length ? (
            <Empty title={t("tasks.none")} />
          ) : (
            <Windowed items={found} keyOf={(task) => task.taskId} guess={40} label={t("nav.tasks")} render={(task) => <Row task={task} isChosen={task.taskId === chosen} of={selection} />} />
          )}
          <div class="foot">
            {value?.more && (
              <button type="button" class="quiet" onClick={() => (wanted.value += PAGE)}>
                {t("tasks.older")}
              </button>
            )}
            <NewTask />
          </div>
        </div>
        {chosen && of && (
          <aside class="side" aria-label={t("tasks.one")}>
            <Detail key={chosen} sessionId={of} taskId={chosen} />
          </aside>
        )}
      </div>
    </div>
  );
}
