// The inspector of a span or turn: its fields, payloads, references and raw events, read from the log.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { may, read } from "../api/client";
import { Changes } from "./changes";
import { Failure, useCommand } from "./command";
import { clock, number, safe, span as spanText } from "../text/format";
import { Output } from "./output";
import { inputOf } from "./retry";
import { go, href, place, setQuery } from "../state/router";
import type { OpenThread } from "../state/thread";
import { laneWord } from "./timeline";
import { placeOf, type Span, type TraceTurn } from "../state/trace";
import type { EventType, RuntimeEvent } from "../api/types";
import { Copy, Cost, Fields, pretty, Said, Status, Wrong } from "./ui";
import { t, type Word } from "../text/text";

const TABS = ["payload", "refs", "raw"] as const;
const MOST = 200; // events of one span that are shown
const PAGES = 20;
const TURN_TYPES: EventType[] = ["turn.submitted", "turn.started", "turn.completed", "turn.failed"];

/** The events of a span, read from the log; at most MOST of them. */
function useEvents(open: OpenThread, turn: TraceTurn, span: Span | undefined): { events: RuntimeEvent[] | undefined; failure: Error | undefined } {
  const events = useSignal<RuntimeEvent[] | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const [first, last] = span ? [span.first, span.last] : [turn.first, Number.MAX_SAFE_INTEGER];
  useEffect(() => {
    let isGone = false;
    async function readAll() {
      const found: RuntimeEvent[] = [];
      let after = first - 1;
      for (let page = 0; page < PAGES && found.length < MOST; page++) {
        const got = await read("list_events", {
          sessionId: open.sessionId,
          turnId: span ? span.turnId : turn.id || undefined,
          types: span ? undefined : TURN_TYPES,
          after,
        });
        if (isGone) return;
        for (const e of got.events) if (e.sequence <= last && (!span || placeOf(e)?.key === span.key)) found.push(e);
        if (!got.more || (got.lastSequence ?? 0) <= after || got.lastSequence! >= last) break;
        after = got.lastSequence!;
      }
      events.value = found.slice(0, MOST);
    }
    readAll().catch((e: Error) => (failure.value = e));
    return () => (isGone = true) && undefined;
  }, [open, span?.key ?? turn.id, span?.count ?? turn.version]);
  return { events: events.value, failure: failure.value };
}

/** Every stored output that these events refer to, once, with the name of the reference. */
function refsOf(events: RuntimeEvent[]): [string, string][] {
  const found = new Map<string, string>();
  for (const e of events) {
    for (const [name, ref] of Object.entries(e.refs ?? {})) if (String(ref).startsWith("out_")) found.set(String(ref), name);
    if (e.outputRef && !found.has(e.outputRef)) found.set(e.outputRef, "output");
    for (const [name, value] of Object.entries(e.payload))
      if (typeof value === "string" && value.startsWith("out_") && !found.has(value)) found.set(value, name);
  }
  return [...found];
}

function Refs({ refs, sessionId }: { refs: [string, string][]; sessionId: string }) {
  const shown = useSignal("");
  if (!refs.length) return <p class="dim">{t("inspect.noRefs")}</p>;
  return (
    <ul class="refs">
      {refs.map(([ref, name]) => (
        <li key={ref}>
          <button type="button" class="quiet" aria-expanded={shown.value === ref} onClick={() => (shown.value = shown.value === ref ? "" : ref)}>
            {name}
          </button>{" "}
          <code class="id">{ref}</code>
          {shown.value === ref && <Output outputRef={ref} sessionId={sessionId} />}
        </li>
      ))}
    </ul>
  );
}

function Payloads({ events }: { events: RuntimeEvent[] }) {
  return (
    <ol class="payloads">
      {events.map((e) => (
        <li key={e.eventId}>
          <p>
            <code>{e.type}</code> <span class="num dim">{e.sequence}</span> <span class="num dim">{clock(e.timestamp)}</span>
          </p>
          {Object.keys(e.payload).length > 0 && (
            <pre class="code" tabIndex={0}>
              {safe(pretty(e.payload))}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}

function Raw({ events, sessionId }: { events: RuntimeEvent[]; sessionId: string }) {
  const text = events.map((e) => JSON.stringify(e, null, 2)).join("\n");
  const curl =
    `curl -H "Authorization: Bearer $(thole token)" -H 'Accept: application/x-ndjson' ` +
    `'${location.origin}/v1/events?session=${sessionId}&after=${(events[0]?.sequence ?? 1) - 1}&follow=0'`;
  return (
    <>
      <div class="buttons">
        <Copy text={text} />
        <Copy text={curl} label={t("events.asCurl")} />
      </div>
      <pre class="code" tabIndex={0} aria-label={t("inspect.raw")}>
        {safe(text)}
      </pre>
    </>
  );
}

type Way = "rollback" | "rewind";

/** Rolling back keeps the turn; rewinding takes it back too, and its message can be edited. */
function WaySure({ open, turn, way, removed, close }: { open: OpenThread; turn: TraceTurn; way: Way; removed: TraceTurn[]; close: () => void }) {
  const sender = useCommand();
  const ids = { sessionId: open.sessionId, threadId: open.threadId, reason: "console" };
  async function run(): Promise<void> {
    const own = open.transcript.byId.get(turn.id);
    const message = way === "rewind" && own ? await inputOf(own).catch(() => undefined) : undefined;
    const isDone = await sender.run("rollback_thread", way === "rewind" ? { ...ids, toSequence: turn.first - 1 } : { ...ids, toTurnId: turn.id });
    if (!isDone) return;
    if (message !== undefined) open.draft.value = message;
    close();
  }
  return (
    <div class="pane sure" role="group" aria-label={t(`thread.${way}`)}>
      <p>{t("thread.rollbackSure", { n: removed.length })}</p>
      <Changes sessionId={open.sessionId} turnIds={removed.map((one) => one.id)} />
      <div class="buttons">
        <button type="button" class="danger solid" disabled={sender.isBusy} onClick={() => void run()}>
          {t(`thread.${way}Yes`)}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
      <Failure of={sender} />
    </div>
  );
}

/** Actions on an ended turn: roll back to it, take it back, or fork from it. */
function TurnActions({ open, turn }: { open: OpenThread; turn: TraceTurn }) {
  const way = useSignal<Way | undefined>(undefined);
  const sender = useCommand((reply) => go(href(["thread", String(reply.sessionId), String(reply.threadId)])));
  if (!may("write") || turn.isOpen || !turn.id || open.trace.removed.has(turn.id)) return null;
  const later = open.trace.turns.filter((other) => other.first > turn.first && other.id && !open.trace.removed.has(other.id));
  if (way.value)
    return <WaySure open={open} turn={turn} way={way.value} removed={way.value === "rewind" ? [turn, ...later] : later} close={() => (way.value = undefined)} />;
  return (
    <div class="turn-actions">
      <div class="buttons">
        <button type="button" disabled={sender.isBusy} onClick={() => void sender.run("fork_thread", { sessionId: open.sessionId, threadId: open.threadId, turnId: turn.id })}>
          {t("thread.fork")}
        </button>
        {later.length > 0 && (
          <button type="button" class="danger" onClick={() => (way.value = "rollback")}>
            {t("thread.rollback")}
          </button>
        )}
        <button type="button" class="danger" onClick={() => (way.value = "rewind")}>
          {t("thread.rewind")}
        </button>
      </div>
      <Failure of={sender} />
      <Changes sessionId={open.sessionId} turnIds={[turn.id]} />
    </div>
  );
}

export function Inspector({ open, turn, span }: { open: OpenThread; turn: TraceTurn; span?: Span }) {
  const { events, failure } = useEvents(open, turn, span);
  const tab = place.value.query.get("tab") ?? "payload";
  const of = span ?? { startAt: turn.startAt, endAt: turn.endAt, status: turn.status };
  return (
    <section class="inspector" aria-label={t("inspect.title")}>
      <header>
        <h2>{span ? safe(span.name) : t("thread.turn")}</h2>
        <span class="spread" />
        <button type="button" class="quiet" onClick={() => setQuery({ at: "", tab: "" })}>
          {t("common.close")}
        </button>
      </header>
      <Fields
        of={[
          [t("inspect.lane"), span && laneWord(span)],
          [t("live.status"), of.status && <Status of={of.status === "merged" ? "completed" : of.status} small />],
          [t("inspect.began"), clock(new Date(of.startAt).toISOString())],
          [t("inspect.took"), <span class="num">{spanText(of.endAt - of.startAt)}</span>],
          [t("inspect.events"), span && <span class="num">{number(span.count)}</span>],
          [t("inspect.sequence"), span && <span class="num">{span.first === span.last ? span.first : `${span.first} – ${span.last}`}</span>],
          [t("thread.cost"), !span && (turn.costUsd !== undefined || turn.amountState) && <Cost of={turn.costUsd} state={turn.amountState} />],
          [t("inspect.note"), span?.note && (span.said ? <Said kind={span.said[0]} code={span.said[1]} text={span.note} /> : safe(span.note))],
          [t("inspect.input"), !span && turn.input && safe(turn.input)],
        ]}
      />
      {!span && <TurnActions open={open} turn={turn} />}
      <div class="tabs" role="group" aria-label={t("inspect.show")}>
        {TABS.map((name) => (
          <button type="button" key={name} class="tab" aria-pressed={tab === name} onClick={() => setQuery({ tab: name })}>
            {t(`inspect.${name}` as Word)}
          </button>
        ))}
      </div>
      {failure ? (
        <Wrong of={failure} />
      ) : !events ? (
        <p class="dim">{t("common.loading")}</p>
      ) : tab === "refs" ? (
        <Refs refs={refsOf(events)} sessionId={open.sessionId} />
      ) : tab === "raw" ? (
        <Raw events={events} sessionId={open.sessionId} />
      ) : (
        <Payloads events={events} />
      )}
    </section>
  );
}
