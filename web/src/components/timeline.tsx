// The timeline of a thread: turns, the spans of each turn, and optionally how long each took.
import { useMemo, useRef } from "preact/hooks";
import { read } from "../api/client";
import { useView } from "../state/use_view";
import { now, safe, span as spanText } from "../text/format";
import { useKeys } from "./keys";
import { place, setQuery } from "../state/router";
import type { OpenThread } from "../state/thread";
import { LANES, traceRowsOf, type Span, type TraceRow, type TraceTurn } from "../state/trace";
import { SessionTime, TimeBar, timeText, type TimeUse } from "./time_bar";
import { Cost, Empty, Failed, Said, Status } from "./ui";
import { Windowed } from "./windowed";
import { t, wordFor, type Word } from "../text/text";

const wordsOf = (value: string | null): Set<string> => new Set((value ?? "").split(",").filter(Boolean));

function Lanes({ hidden }: { hidden: Set<string> }) {
  function toggle(lane: string) {
    const next = new Set(hidden);
    if (!next.delete(lane)) next.add(lane);
    setQuery({ hide: [...next].join(",") });
  }
  return (
    <div class="lanes" role="group" aria-label={t("timeline.lanes")}>
      {LANES.map((lane) => (
        <button type="button" key={lane} class={`lane-chip lane-${lane}`} aria-pressed={!hidden.has(lane)} onClick={() => toggle(lane)}>
          {t(`lane.${lane}` as Word)}
        </button>
      ))}
    </div>
  );
}

/** The position of a span in its turn.  The row shows the figures as text. */
function Bar({ of, turn }: { of: Span; turn: TraceTurn }) {
  const end = turn.isOpen && turn.id ? Math.max(now.value, turn.endAt) : turn.endAt;
  const whole = Math.max(1, end - turn.startAt);
  const from = ((of.startAt - turn.startAt) / whole) * 100;
  const to = (((of.isOpen && turn.isOpen ? end : of.endAt) - turn.startAt) / whole) * 100;
  return (
    <span class={`bar-line lane-${of.lane}${of.isBad ? " bad" : ""}`} aria-hidden="true">
      <span style={{ left: `${Math.min(99, from)}%`, width: `${Math.max(0.6, to - from)}%` }} />
    </span>
  );
}

function lasted(of: Span, turn: TraceTurn): string {
  const end = of.isOpen && turn.isOpen ? Math.max(now.value, of.endAt) : of.endAt;
  return of.count > 1 || of.isOpen ? spanText(end - of.startAt) : "";
}

/** For the running turn the read model has a newer status than the turn's events. */
function statusOf(open: OpenThread, turn: TraceTurn): string {
  const view = open.view.value;
  return turn.isOpen && view?.activeTurnId === turn.id ? view.profileStatus : turn.status;
}

function TurnRow({ turn, status, time, isRemoved, isChosen, choose }: { turn: TraceTurn; status: string; time: TimeUse | undefined; isRemoved: boolean; isChosen: boolean; choose: () => void }) {
  if (!turn.id) return <p class="trace-turn dim">{t("timeline.before")}</p>;
  const end = turn.isOpen ? Math.max(now.value, turn.endAt) : turn.endAt;
  return (
    <button type="button" class={`trace-turn${isRemoved ? " removed" : ""}${isChosen ? " chosen" : ""}`} aria-expanded={isChosen} onClick={choose}>
      <Status of={status === "merged" ? "completed" : status} small />
      <span class="turn-input">{safe(turn.input) || t("timeline.noInput")}</span>
      {isRemoved && <span class="badge calm">{t("timeline.removed")}</span>}
      <span class="spread" />
      {(turn.costUsd !== undefined || turn.amountState) && <Cost class="num dim" of={turn.costUsd} state={turn.amountState} />}
      {time && time.durationMs > 0 && (
        <span class="turn-time" title={timeText(time)}>
          <TimeBar of={time} />
          <span class="sr-only">{timeText(time)}</span>
        </span>
      )}
      <span class="num dim">{spanText(end - turn.startAt)}</span>
    </button>
  );
}

function SpanRow({ row, hasBars, isChosen, choose }: { row: TraceRow & { span: Span }; hasBars: boolean; isChosen: boolean; choose: () => void }) {
  const { span: of, turn } = row;
  return (
    <button type="button" class={`trace-row depth-${row.depth}${hasBars ? " bars" : ""}${isChosen ? " chosen" : ""}`} aria-expanded={isChosen} onClick={choose}>
      <span class={`lane-tag lane-${of.lane}`}>{t(`lane.${of.lane}` as Word)}</span>
      <span class={`span-name${of.isBad ? " bad-text" : ""}`}>{safe(of.name)}</span>
      <span class="span-note">{of.said ? <Said plain kind={of.said[0]} code={of.said[1]} text={of.note} /> : safe(of.note)}</span>
      {hasBars && <Bar of={of} turn={turn} />}
      <span class="num dim span-time">{lasted(of, turn)}</span>
    </button>
  );
}

/** Turns that the read shows with their parts; older ones of a long thread have no bar. */
const TIMED = 500;

function useTimes(open: OpenThread) {
  const { value } = useView(() => read("get_time_use", { sessionId: open.sessionId, threadId: open.threadId, limit: TIMED }), ["turn."], [open.sessionId, open.threadId]);
  const byTurn = useMemo(() => new Map(value?.turns.map((turn) => [turn.turnId, turn.time])), [value]);
  return { session: value?.session, byTurn };
}

export function Timeline({ open }: { open: OpenThread }) {
  const times = useTimes(open);
  const list = useRef<Windowed<TraceRow>>(null);
  const version = open.version.value;
  const query = place.value.query;
  const hasBars = query.get("bars") === "1";
  const hide = query.get("hide");
  const chosen = query.get("at") ?? "";
  const rows = useMemo(() => {
    const hidden = wordsOf(hide);
    return open.trace.turns.flatMap((turn) => traceRowsOf(turn, hidden));
  }, [open, version, hide]);
  const choose = (key: string) => setQuery({ at: key === chosen ? "" : key });
  function move(by: number) {
    const now = place.value.query.get("at"); // a key may come before what the last one chose is drawn
    const at = rows.findIndex((row) => row.key === now);
    const to = Math.max(0, Math.min(rows.length - 1, at < 0 ? rows.length - 1 : at + by));
    if (!rows[to]) return;
    setQuery({ at: rows[to].key });
    list.current?.scrollTo(to);
  }
  useKeys({ j: () => move(1), k: () => move(-1) });
  if (open.failure.value) return <Failed why={open.failure.value} again={() => location.reload()} />;
  return (
    <div class="timeline">
      <div class="timeline-bar">
        <Lanes hidden={wordsOf(hide)} />
        <button type="button" aria-pressed={hasBars} onClick={() => setQuery({ bars: hasBars ? "" : "1" })}>
          {t("timeline.waterfall")}
        </button>
      </div>
      {times.session && <SessionTime of={times.session} />}
      {!rows.length ? (
        open.isReading.value ? <p class="reading">{t("common.loading")}</p> : <Empty title={t("thread.empty")} />
      ) : (
        <Windowed
          handle={list}
          items={rows}
          keyOf={(row) => row.key}
          guess={31}
          sticky
          label={t("timeline.title")}
          onNearTop={() => void open.readOlder()}
          head={<p class="edge dim">{open.hasOlder ? t("thread.older") : t("thread.begin")}</p>}
          render={(row) =>
            row.span ? (
              <SpanRow row={row} hasBars={hasBars} isChosen={row.key === chosen} choose={() => choose(row.key)} />
            ) : (
              <TurnRow turn={row.turn} time={times.byTurn.get(row.turn.id)} status={statusOf(open, row.turn)} isRemoved={open.trace.removed.has(row.turn.id)} isChosen={row.key === chosen} choose={() => choose(row.key)} />
            )
          }
        />
      )}
    </div>
  );
}

export const laneWord = (span: Span): string => wordFor("lane", span.lane);
