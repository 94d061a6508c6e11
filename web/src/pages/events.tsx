// Events: the stored events, filtered and optionally followed, to inspect and to download.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { history } from "../api/client";
import { clock, number, shortId } from "../text/format";
import { download } from "../components/bulk";
import { SessionPicker } from "../components/picker";
import { place, setQuery } from "../state/router";
import { onEvents } from "../api/stream";
import type { RuntimeEvent } from "../api/types";
import { Copy, Dialog, Empty, toneOf } from "../components/ui";
import { Windowed } from "../components/windowed";
import { t } from "../text/text";

const MOST = 100_000;

function fitsTypes(type: string, words: string[]): boolean {
  return !words.length || words.some((word) => (word.endsWith(".*") ? type.startsWith(word.slice(0, -1)) : type === word));
}

const wordsOf = (filter: string): string[] => filter.split(/[\s,]+/).filter(Boolean);

function EventRow({ event, onOpen }: { event: RuntimeEvent; onOpen: () => void }) {
  const family = event.type.split(".")[0]!;
  return (
    <button type="button" class="row event-row" onClick={onOpen}>
      <span class="num dim c-seq">{event.sequence}</span>
      <span class="num dim c-clock">{clock(event.timestamp)}</span>
      <span class={`c-type family-${family}`}>{event.type}</span>
      <span class={`c-state ${event.status ? toneOf(event.status) : ""}`}>{event.status ?? ""}</span>
      <span class="c-session id">{shortId(event.sessionId)}</span>
      <span class="c-payload">{JSON.stringify(event.payload).slice(0, 200)}</span>
    </button>
  );
}

function Raw({ event, close }: { event: RuntimeEvent; close: () => void }) {
  const text = JSON.stringify(event, null, 2);
  const curl =
    `curl -H "Authorization: Bearer $(thole token)" -H 'Accept: application/x-ndjson' ` +
    `'${location.origin}/v1/events?session=${event.sessionId}&after=${event.sequence - 1}&follow=0'`;
  return (
    <Dialog title={`${event.type} · ${event.sequence}`} onClose={close}>
      <div class="buttons">
        <Copy text={text} />
        <Copy text={curl} label={t("events.asCurl")} />
      </div>
      <pre class="code raw" tabIndex={0} aria-label={t("events.raw")}>
        {text}
      </pre>
    </Dialog>
  );
}

/** One session: its stored events, then new ones.  All sessions: new events only. */
function useLog(sessionId: string, isPaused: boolean) {
  const version = useSignal(0);
  const events = useRef<RuntimeEvent[]>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    const abort = new AbortController();
    let ahead: RuntimeEvent[] | undefined = sessionId ? [] : undefined;
    events.current = [];
    version.value++;
    function add(more: RuntimeEvent[]) {
      const last = sessionId ? (events.current.at(-1)?.sequence ?? 0) : 0;
      for (const e of more) if (!sessionId || e.sequence > last) events.current.push(e);
      if (events.current.length > MOST) events.current = events.current.slice(-MOST);
      version.value++;
    }
    const end = onEvents((came) => {
      const ours = sessionId ? came.filter((e) => e.sessionId === sessionId) : came;
      if (!ours.length || paused.current) return;
      if (ahead) ahead.push(...ours);
      else add(ours);
    });
    async function readAll() {
      for await (const page of history(sessionId, 0, abort.signal)) add(page);
      const came = ahead ?? [];
      ahead = undefined;
      add(came);
    }
    if (sessionId) readAll().catch(() => (ahead = undefined));
    return () => {
      abort.abort();
      end();
    };
  }, [sessionId]);
  return { events: events.current, version: version.value };
}

export function Events() {
  const query = place.value.query;
  const sessionId = query.get("session") ?? "";
  const types = query.get("types") ?? "";
  const isPaused = useSignal(false);
  const shown = useSignal<RuntimeEvent | undefined>(undefined);
  const { events } = useLog(sessionId, isPaused.value);
  const words = wordsOf(types);
  const found = words.length ? events.filter((e) => fitsTypes(e.type, words)) : events;
  return (
    <div class="page events">
      <div class="bar">
        <h1>{t("events.title")}</h1>
        <SessionPicker value={sessionId} all={t("events.allSessions")} />
        <input
          type="search"
          class="search"
          aria-label={t("events.filter")}
          placeholder={t("events.filter")}
          value={types}
          onInput={(e) => setQuery({ types: e.currentTarget.value })}
        />
        <span class="dim num">{t("events.count", { n: number(found.length) })}</span>
        <span class="spread" />
        <button type="button" aria-pressed={!isPaused.value} onClick={() => (isPaused.value = !isPaused.value)}>
          {isPaused.value ? t("events.follow") : t("events.pause")}
        </button>
        <button type="button" disabled={!found.length} onClick={() => download(found.map((e) => `${JSON.stringify(e)}\n`), "application/x-ndjson", `${sessionId || "thole-events"}.jsonl`)}>
          {t("events.download")}
        </button>
      </div>
      {found.length === 0 ? (
        <Empty title={words.length ? t("events.emptyFilter") : t("events.empty")} />
      ) : (
        <Windowed
          items={found}
          keyOf={(e) => e.eventId}
          guess={30}
          sticky
          label={t("events.title")}
          render={(event) => <EventRow event={event} onOpen={() => (shown.value = event)} />}
        />
      )}
      {shown.value && <Raw event={shown.value} close={() => (shown.value = undefined)} />}
    </div>
  );
}
