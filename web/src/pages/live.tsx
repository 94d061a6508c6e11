// Live: every thread with its status, what it waits for and since when, and its cost.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { may, send } from "../api/client";
import { ago, now, safe, shortId, sinceSpan, span } from "../text/format";
import { useKeys } from "../components/keys";
import { go, href, place, setQuery } from "../state/router";
import { isOpen, olderCursor, readOlder, refreshSessions, sessions, trouble, waits } from "../state/store";
import type { ExplainThreadReply, SessionRow } from "../api/types";
import { StartChoices, startDirectory, type Start } from "../components/start";
import { Cost, Empty, Failed, Status, Time, toneOf } from "../components/ui";
import { Windowed } from "../components/windowed";
import { t, wordFor, type Word } from "../text/text";

const SHOWS = ["all", "needs", "active", "trouble", "over"] as const;
type Show = (typeof SHOWS)[number];

const statusOf = (row: SessionRow): string => row.profileStatus ?? row.status;

const fits: Record<Show, (row: SessionRow) => boolean> = {
  all: () => true,
  needs: (row) => row.pendingActions > 0 || (row.status === "blocked" && statusOf(row) !== "waiting_resource"),
  active: (row) => ["run", "wait"].includes(toneOf(statusOf(row))),
  trouble: (row) => ["bad", "odd"].includes(toneOf(statusOf(row))),
  over: (row) => ["good", "calm"].includes(toneOf(statusOf(row))),
};

function matches(row: SessionRow, q: string): boolean {
  return !q || `${row.title ?? ""}\n${row.sessionId}`.toLowerCase().includes(q.toLowerCase());
}

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
  if (row.queuedTurns) return <>{t("live.queued", { n: row.queuedTurns })}</>;
  return <span class="dim">{safe(row.statusReason ?? "")}</span>;
}

function Row({ row, isChosen }: { row: SessionRow; isChosen: boolean }) {
  const why = waits.value.get(row.sessionId);
  return (
    <a
      class={`row live-row${isChosen ? " chosen" : ""}`}
      href={href(["thread", row.sessionId, "main"])}
      aria-current={isChosen ? "true" : undefined}
    >
      <span class="c-status">
        <Status of={statusOf(row)} />
      </span>
      <span class="c-title">
        <span class="title">{safe(row.title ?? "") || t("live.untitled")}</span>
        <span class="id">{shortId(row.sessionId)}</span>
        {row.threads > 1 && <span class="dim">{t("live.threads", { n: row.threads })}</span>}
      </span>
      <span class="c-wait">
        <Wait row={row} why={why} />
      </span>
      <Cost class="c-cost num" of={row.costUsd} state={row.amountState} />
      <span class="c-time num dim">
        <Time at={row.updatedAt}>{ago(row.updatedAt)}</Time>
      </span>
    </a>
  );
}

function NewThread({ big }: { big?: boolean }) {
  const text = useSignal("");
  const failure = useSignal("");
  const chosen = useSignal<Start>({});
  const isOpen = useSignal(!!big);
  async function start(e: Event) {
    e.preventDefault();
    if (!text.value.trim()) return;
    try {
      const made = await send("submit_turn", { ...chosen.value, ...startDirectory(chosen.value.cwd), input: text.value, source: "console" });
      text.value = failure.value = "";
      go(href(["thread", made.sessionId, made.threadId]));
    } catch (error) {
      failure.value = (error as Error).message;
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
        </span>
      )}
      {failure.value && (
        <span class="error" role="alert">
          {failure.value}
        </span>
      )}
    </form>
  );
}

export function Live() {
  const list = useRef<Windowed<SessionRow>>(null);
  const search = useRef<HTMLInputElement>(null);
  const chosen = useSignal(-1);
  const query = place.value.query;
  const show = (SHOWS.find((s) => s === query.get("show")) ?? "all") as Show;
  const q = query.get("q") ?? "";
  const status = query.get("status") ?? "";
  const all = sessions.value;
  const found = (all ?? []).filter(
    (row) => fits[show](row) && matches(row, q) && (!status || statusOf(row) === status),
  );
  const present = [...new Set((all ?? []).map(statusOf))].sort();
  if (status && !present.includes(status)) present.push(status);

  function move(by: number) {
    chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + by));
    list.current?.scrollTo(chosen.value);
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    "/": () => search.current?.focus(),
    Enter: () => found[chosen.value] && go(href(["thread", found[chosen.value]!.sessionId, "main"])),
  });
  useEffect(() => {
    chosen.value = -1;
  }, [show, q, status]);

  const summary = t("live.summary", {
    n: all?.length ?? 0,
    needs: (all ?? []).filter(fits.needs).length,
    active: (all ?? []).filter(fits.active).length,
  });
  return (
    <div class="page live">
      <div class="bar">
        <h1>{t("live.title")}</h1>
        <p class="sr-only" role="status">
          {all && summary}
        </p>
        <div class="tabs" role="group" aria-label={t("live.status")}>
          {SHOWS.map((s) => (
            <button type="button" key={s} class="tab" aria-pressed={s === show} onClick={() => setQuery({ show: s === "all" ? "" : s })}>
              {t(`live.show.${s}` as Word)}
              <span class="count">{(all ?? []).filter(fits[s]).length}</span>
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
      </div>
      {all === undefined ? (
        trouble.value ? (
          <Failed why={trouble.value} again={refreshSessions} />
        ) : (
          <p class="reading">{t("common.loading")}</p>
        )
      ) : all.length === 0 ? (
        <Empty title={t("live.empty")} how={t("live.emptyHow")}>
          <pre class="code">thole run "hello"</pre>
          <NewThread big />
        </Empty>
      ) : (
        <>
          <div class="live-head row" aria-hidden="true">
            <span class="c-status">{t("live.col.status")}</span>
            <span class="c-title">{t("live.col.thread")}</span>
            <span class="c-wait">{t("live.col.wait")}</span>
            <span class="c-cost num">{t("live.col.cost")}</span>
            <span class="c-time num">{t("live.col.changed")}</span>
          </div>
          {found.length === 0 ? (
            <Empty title={t("live.none")}>
              <button type="button" onClick={() => setQuery({ show: "", q: "", status: "" })}>
                {t("live.clear")}
              </button>
            </Empty>
          ) : (
            <Windowed
              handle={list}
              items={found}
              keyOf={(row) => row.sessionId}
              guess={40}
              label={t("live.title")}
              render={(row, i) => <Row row={row} isChosen={i === chosen.value} />}
            />
          )}
          <div class="foot">
            {olderCursor.value && (
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
