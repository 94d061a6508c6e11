// Live: every thread with its status, what it waits for and since when, where it works, its model and its cost.
// Threads that need a user come first, then running ones, then the others.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { get, may, readRows, send } from "../api/client";
import { BulkBar, Export, Pick, SureButton, useBulk, useSelection, type Bulk, type Selection, type Table } from "../components/bulk";
import { ago, baseName, now, safe, shortId, sinceSpan, span } from "../text/format";
import { ImageField, useImages } from "../components/images";
import { useKeys } from "../components/keys";
import { go, href, place, setQuery } from "../state/router";
import { forget, isOpen, olderCursor, readOlder, refreshSessions, sessions, trouble, waits } from "../state/store";
import type { ExplainThreadReply, SessionRow, ThreadRow } from "../api/types";
import { StartChoices, startDirectory, type Start } from "../components/start";
import { Cost, Empty, Failed, Said, Status, Time, toneOf, Wrong } from "../components/ui";
import { useView } from "../state/use_view";
import { Windowed } from "../components/windowed";
import { t, wordFor, type Word } from "../text/text";

const SHOWS = ["all", "needs", "active", "trouble", "over", "archived"] as const;
type Show = (typeof SHOWS)[number];

const statusOf = (row: SessionRow): string => row.profileStatus ?? row.status;
const isFailed = (row: SessionRow): boolean => toneOf(statusOf(row)) === "bad";
const isAsking = (row: SessionRow): boolean => row.pendingActions > 0 || (row.status === "blocked" && statusOf(row) !== "waiting_resource");

const fits: Record<Show, (row: SessionRow) => boolean> = {
  all: () => true,
  needs: (row) => isAsking(row) || isFailed(row),
  active: (row) => ["run", "wait"].includes(toneOf(statusOf(row))),
  trouble: (row) => ["bad", "odd"].includes(toneOf(statusOf(row))),
  over: (row) => ["good", "calm"].includes(toneOf(statusOf(row))),
  archived: () => true,
};

/** Approvals and questions, then failures, then running threads, then the others; each the latest first. */
function rankOf(row: SessionRow): number {
  if (isAsking(row)) return 0;
  if (isFailed(row)) return 1;
  return fits.active(row) ? 2 : 3;
}

const GROUPS = ["needs", "needs", "running", "rest"] as const;

interface Line {
  key: string;
  row?: SessionRow; // absent: the heading of a group
  group: (typeof GROUPS)[number];
  count: number;
}

/** The rows in order, with a heading before each group. */
function linesOf(rows: SessionRow[]): Line[] {
  const ranked = rows.map((row) => ({ row, rank: rankOf(row) }));
  ranked.sort((a, b) => a.rank - b.rank || (a.row.updatedAt < b.row.updatedAt ? 1 : -1));
  const counts = new Map<string, number>();
  for (const { rank } of ranked) counts.set(GROUPS[rank]!, (counts.get(GROUPS[rank]!) ?? 0) + 1);
  const lines: Line[] = [];
  for (const { row, rank } of ranked) {
    const group = GROUPS[rank]!;
    if (lines.at(-1)?.group !== group) lines.push({ key: `group:${group}`, group, count: counts.get(group)! });
    lines.push({ key: row.sessionId, row, group, count: 0 });
  }
  return lines;
}

function matches(row: SessionRow, q: string): boolean {
  return !q || `${row.title ?? ""}\n${row.sessionId}\n${row.cwd ?? ""}\n${modelOf(row)}`.toLowerCase().includes(q.toLowerCase());
}

const modelOf = (row: SessionRow): string => row.lastModel ?? row.model ?? "";

function Wait({ row, why }: { row: SessionRow; why: ExplainThreadReply | undefined }) {
  if (isOpen(row) && why?.waitingFor && why.waitingFor !== "nothing")
    return (
      <>
        {wordFor("wait", why.waitingFor)}
        {why.since && (
          <Time at={why.since}>
            {" · "}
            {t("live.since", { span: sinceSpan(why.since) })}
          </Time>
        )}
        {why.until && (
          <span class="dim">
            {" · "}
            {t("live.left", { span: span(Math.max(1000, Date.parse(why.until) - now.value)) })}
          </span>
        )}
      </>
    );
  if (row.pendingActions) return <>{wordFor("wait", "permission")}</>;
  if (row.queuedTurns) return <>{t("live.queued", { n: row.queuedTurns })}</>;
  if (!row.statusReason) return null;
  return (
    <span class={isFailed(row) ? "bad-text" : "dim"}>
      <Said plain kind={row.category ? "failure" : "reason"} code={row.category} text={row.statusReason} />
    </span>
  );
}

function Row({ row, isChosen, of }: { row: SessionRow; isChosen: boolean; of: Selection }) {
  const why = waits.value.get(row.sessionId);
  const title = safe(row.title ?? "") || t("live.untitled");
  const model = modelOf(row);
  return (
    <div class="pick-line">
      <Pick of={of} id={row.sessionId} title={title} />
      <a class={`row live-row${isChosen ? " chosen" : ""}`} href={href(["thread", row.sessionId, "main"])} aria-current={isChosen ? "true" : undefined}>
        <span class="c-status">
          <Status of={statusOf(row)} />
        </span>
        <span class="c-title">
          <span class="title">{title}</span>
          <span class="id">{shortId(row.sessionId)}</span>
          {row.threads > 1 && <span class="dim">{t("live.threads", { n: row.threads })}</span>}
        </span>
        <span class="c-wait">
          <Wait row={row} why={why} />
        </span>
        <span class="c-dir dim" title={row.cwd && safe(row.cwd)}>
          {row.cwd && <bdi>{safe(row.cwd)}</bdi>}
        </span>
        <span class="c-model dim" title={safe(model)}>
          {safe(baseName(model))}
        </span>
        <Cost class="c-cost num" of={row.costUsd} state={row.amountState ?? row.costStatus} />
        <span class="c-time num dim">
          <Time at={row.updatedAt}>{ago(row.updatedAt)}</Time>
        </span>
      </a>
    </div>
  );
}

// ---- many at once ----

/** Interrupts what runs in any thread of the session, and clears its queues. */
async function cancelSession({ sessionId }: SessionRow): Promise<void> {
  const { threads } = await get<{ threads: ThreadRow[] }>(`/v1/sessions/${encodeURIComponent(sessionId)}/threads`);
  for (const { threadId, activeTurnId, queuedTurns } of threads)
    if (activeTurnId || queuedTurns) await send("interrupt_turn", { sessionId, threadId, queuePolicy: "clear", reason: "console" });
}

const tableOf = (rows: SessionRow[]): Table =>
  rows.map((row) => ({
    sessionId: row.sessionId,
    title: row.title,
    status: statusOf(row),
    reason: row.statusReason,
    category: row.category,
    waitingFor: isOpen(row) ? waits.value.get(row.sessionId)?.waitingFor : undefined,
    directory: row.cwd,
    model: modelOf(row),
    mode: row.permissionMode,
    pendingActions: row.pendingActions,
    queuedTurns: row.queuedTurns,
    costUsd: row.costUsd,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }));

function Many({ of, bulk, rows, isArchive, again }: { of: Selection; bulk: Bulk; rows: SessionRow[]; isArchive: boolean; again: () => void }) {
  const chosen = rows.filter((row) => of.chosen.value?.has(row.sessionId));
  const running = chosen.filter((row) => isOpen(row));
  async function archive(archived: boolean): Promise<void> {
    const gone = new Set<string>();
    await bulk.run(chosen, async ({ sessionId }) => {
      await send("update_session", { sessionId, archived });
      gone.add(sessionId);
    });
    of.chosen.value = new Set([...(of.chosen.value ?? [])].filter((id) => !gone.has(id)));
    if (archived) forget(gone);
    again();
  }
  return (
    <BulkBar of={of} ids={rows.map((row) => row.sessionId)} bulk={bulk}>
      {may("write") && !isArchive && running.length > 0 && (
        <SureButton
          label={t("bulk.cancel", { n: running.length })}
          question={t("bulk.cancelSure", { n: running.length })}
          yes={t("bulk.cancelYes")}
          isBusy={bulk.isBusy}
          act={() => void bulk.run(running, cancelSession)}
        />
      )}
      {may("write") && chosen.length > 0 && (
        <button type="button" disabled={bulk.isBusy} onClick={() => void archive(!isArchive)}>
          {t(isArchive ? "bulk.unarchive" : "bulk.archive", { n: chosen.length })}
        </button>
      )}
    </BulkBar>
  );
}

function NewThread({ big }: { big?: boolean }) {
  const text = useSignal("");
  const failure = useSignal<Error | undefined>(undefined);
  const chosen = useSignal<Start>({});
  const isOpen = useSignal(!!big);
  const images = useImages();
  async function start(e: Event) {
    e.preventDefault();
    if (!text.value.trim()) return;
    try {
      const made = await send("submit_turn", { ...chosen.value, ...startDirectory(chosen.value.cwd), input: await images.input(text.value), source: "console" });
      text.value = "";
      images.clear();
      failure.value = undefined;
      go(href(["thread", made.sessionId, made.threadId]));
    } catch (error) {
      failure.value = error as Error;
    }
  }
  if (!may("write")) return null;
  return (
    <form class={big ? "new-thread big" : "new-thread"} onSubmit={start} onFocusCapture={() => (isOpen.value = true)}>
      <span class="prompt">
        <input
          aria-label={t("live.newPrompt")}
          placeholder={t("live.newPrompt")}
          value={text.value}
          onInput={(e) => (text.value = e.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={!text.value.trim()}>
          {t("live.start")}
        </button>
      </span>
      {isOpen.value && (
        <span class="choices">
          <StartChoices of={chosen.value} set={(to) => (chosen.value = to)} />
          <ImageField images={images} />
        </span>
      )}
      <Wrong of={failure.value} />
    </form>
  );
}

/** Archived sessions are read when they are looked at. */
function useRows(show: Show): { rows: SessionRow[] | undefined; again: () => void } {
  const archived = useView(
    async () => (show === "archived" ? (await readRows("list_sessions", "sessions", { archived: true }, 1000)).rows : undefined),
    show === "archived" ? ["session."] : [],
    [show],
  );
  return show === "archived" ? { rows: archived.value, again: archived.again } : { rows: sessions.value, again: refreshSessions };
}

function Bar({ all, show, status, q, search }: { all: SessionRow[]; show: Show; status: string; q: string; search: { current: HTMLInputElement | null } }) {
  const present = [...new Set(all.map(statusOf))].sort();
  if (status && !present.includes(status)) present.push(status);
  return (
    <>
      <div class="tabs" role="group" aria-label={t("live.status")}>
        {SHOWS.map((s) => (
          <button type="button" key={s} class="tab" aria-pressed={s === show} onClick={() => setQuery({ show: s === "all" ? "" : s })}>
            {t(`live.show.${s}` as Word)}
            {s !== "archived" && <span class="count">{(sessions.value ?? []).filter(fits[s]).length}</span>}
          </button>
        ))}
      </div>
      <select aria-label={t("live.status")} value={status} onChange={(e) => setQuery({ status: e.currentTarget.value })}>
        <option value="">{t("live.anyStatus")}</option>
        {present.map((word) => (
          <option key={word} value={word}>
            {wordFor("status", word)}
          </option>
        ))}
      </select>
      <input
        ref={search}
        type="search"
        class="search"
        aria-label={t("live.search")}
        placeholder={t("live.search")}
        value={q}
        onInput={(e) => setQuery({ q: e.currentTarget.value })}
      />
    </>
  );
}

function Head({ isPicking }: { isPicking: boolean }) {
  return (
    <div class={`live-head row${isPicking ? " picking" : ""}`} aria-hidden="true">
      <span class="c-status">{t("live.col.status")}</span>
      <span class="c-title">{t("live.col.thread")}</span>
      <span class="c-wait">{t("live.col.wait")}</span>
      <span class="c-dir">{t("live.directory")}</span>
      <span class="c-model">{t("live.model")}</span>
      <span class="c-cost num">{t("live.col.cost")}</span>
      <span class="c-time num">{t("live.col.changed")}</span>
    </div>
  );
}

export function Live() {
  const list = useRef<Windowed<Line>>(null);
  const search = useRef<HTMLInputElement>(null);
  const chosen = useSignal("");
  const selection = useSelection();
  const bulk = useBulk();
  const query = place.value.query;
  const show = (SHOWS.find((s) => s === query.get("show")) ?? "all") as Show;
  const q = query.get("q") ?? "";
  const status = query.get("status") ?? "";
  const { rows: all, again } = useRows(show);
  const found = (all ?? []).filter((row) => fits[show](row) && matches(row, q) && (!status || statusOf(row) === status));
  const lines = linesOf(found);

  function move(by: number) {
    const at = lines.findIndex((line) => line.key === chosen.value);
    let to = at < 0 ? (by > 0 ? 0 : lines.length - 1) : at + by;
    while (lines[to] && !lines[to]!.row) to += by;
    if (!lines[to]) return;
    chosen.value = lines[to]!.key;
    list.current?.scrollTo(to);
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => selection.chosen.value && chosen.value && selection.toggle(chosen.value),
    "/": () => search.current?.focus(),
    Enter: () => chosen.value && go(href(["thread", chosen.value, "main"])),
  });
  useLayoutEffect(() => {
    chosen.value = "";
    selection.chosen.value = undefined;
  }, [show, q, status]);

  const summary = t("live.summary", {
    n: all?.length ?? 0,
    needs: (all ?? []).filter(fits.needs).length,
    active: (all ?? []).filter(fits.active).length,
  });
  const isBlank = all?.length === 0 && show !== "archived";
  return (
    <div class="page live">
      <div class="bar">
        <h1>{t("live.title")}</h1>
        <p class="sr-only" role="status">
          {all && summary}
        </p>
        <Bar all={all ?? []} show={show} status={status} q={q} search={search} />
      </div>
      {all === undefined ? (
        trouble.value ? (
          <Failed why={trouble.value} again={refreshSessions} />
        ) : (
          <p class="reading">{t("common.loading")}</p>
        )
      ) : isBlank ? (
        <Empty title={t("live.empty")} how={t("live.emptyHow")}>
          <pre class="code">thole run "hello"</pre>
          <NewThread big />
        </Empty>
      ) : (
        <>
          <div class="bar tools">
            <Many of={selection} bulk={bulk} rows={found} isArchive={show === "archived"} again={again} />
            <span class="spread" />
            {found.length > 0 && <Export name="threads" rows={() => tableOf(selection.chosen.value?.size ? found.filter((row) => selection.chosen.value!.has(row.sessionId)) : found)} />}
          </div>
          <Head isPicking={selection.chosen.value !== undefined} />
          {found.length === 0 ? (
            <Empty title={t("live.none")}>
              <button type="button" onClick={() => setQuery({ show: "", q: "", status: "" })}>
                {t("live.clear")}
              </button>
            </Empty>
          ) : (
            <Windowed
              handle={list}
              items={lines}
              keyOf={(line) => line.key}
              guess={40}
              label={t("live.title")}
              onNearEnd={() => show !== "archived" && void readOlder()}
              render={(line) =>
                line.row ? (
                  <Row row={line.row} isChosen={line.key === chosen.value} of={selection} />
                ) : (
                  <p class="list-head">
                    {t(`live.group.${line.group}` as Word)} <span class="count">{line.count}</span>
                  </p>
                )
              }
            />
          )}
          <div class="foot">
            {olderCursor.value && show !== "archived" && (
              <button type="button" class="quiet" onClick={() => void readOlder()}>
                {t("live.older")}
              </button>
            )}
            <NewThread />
          </div>
        </>
      )}
    </div>
  );
}
