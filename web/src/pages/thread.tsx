// Thread: what is happening now, what was said and done, and the ways to take part.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ActionCard } from "../action";
import { get, may, read, send } from "../api";
import { ago, number, safe, shortId, sinceSpan, usd } from "../format";
import { TranscriptRow } from "../item";
import { href } from "../router";
import { OpenThread } from "../thread";
import { rowsOf, type Row } from "../transcript";
import type { ThreadRead, ThreadRow } from "../types";
import { Copy, Empty, Facts, Failed, Status, Time } from "../ui";
import { Windowed } from "../windowed";
import { t, told } from "../words";

const BUSY = new Set(["running", "blocked", "queued"]);
const DELIVERIES = ["queue", "steer", "interrupt"] as const;

/** A command of this page: its failure is shown where it was asked for. */
function useCommand(): { run: (command: string, params: object) => Promise<boolean>; failure: string; isBusy: boolean } {
  const failure = useSignal("");
  const isBusy = useSignal(false);
  async function run(command: string, params: object): Promise<boolean> {
    isBusy.value = true;
    failure.value = "";
    try {
      await send(command, params);
      return true;
    } catch (e) {
      failure.value = (e as Error).message;
      return false;
    } finally {
      isBusy.value = false;
    }
  }
  return { run, failure: failure.value, isBusy: isBusy.value };
}

function Now({ open, view }: { open: OpenThread; view: ThreadRead }) {
  const why = open.why.value;
  const { run, failure, isBusy } = useCommand();
  const ids = { sessionId: open.sessionId, threadId: open.threadId };
  const isActive = view.activeTurnId !== undefined;
  const isResumable = view.queue.resumeState === "held" || ["stale", "paused", "blocked"].includes(view.profileStatus);
  return (
    <section class="now" aria-label={t("thread.now")}>
      <Status of={view.profileStatus ?? view.status} />
      <p class="now-text" role="status">
        {safe(why?.detail ?? view.statusReason ?? t("thread.idle"))}
        {why?.since && (
          <Time at={why.since}>
            <span class="dim"> · {t("live.since", { span: sinceSpan(why.since) })}</span>
          </Time>
        )}
      </p>
      {may("write") && (
        <div class="buttons">
          {isResumable && (
            <button type="button" disabled={isBusy} onClick={() => void run("resume_thread", ids)}>
              {t("thread.resume")}
            </button>
          )}
          {isActive && (
            <button type="button" class="danger" disabled={isBusy} onClick={() => void run("interrupt_turn", ids)}>
              {t("thread.interrupt")}
            </button>
          )}
        </div>
      )}
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

function Composer({ open, view }: { open: OpenThread; view: ThreadRead }) {
  const text = useSignal("");
  const delivery = useSignal<string>("queue");
  const { run, failure, isBusy } = useCommand();
  const isThreadBusy = BUSY.has(view.status);
  if (!may("write")) return <p class="dim foot">{t("common.notAllowed", { scope: "write" })}</p>;
  async function submit(e?: Event) {
    e?.preventDefault();
    if (!text.value.trim() || isBusy) return;
    const params = {
      sessionId: open.sessionId,
      threadId: open.threadId,
      input: text.value,
      source: "console",
      delivery: isThreadBusy ? delivery.value : undefined,
    };
    if (await run("submit_turn", params)) text.value = "";
  }
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        aria-label={t("thread.message")}
        placeholder={t("thread.placeholder")}
        rows={Math.min(8, Math.max(2, text.value.split("\n").length))}
        value={text.value}
        onInput={(e) => (text.value = e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void submit(e);
        }}
      />
      <div class="buttons">
        {isThreadBusy && (
          <select aria-label={t("thread.delivery")} value={delivery.value} onChange={(e) => (delivery.value = e.currentTarget.value)}>
            {DELIVERIES.map((how) => (
              <option key={how} value={how}>
                {told("thread.delivery", how)}
              </option>
            ))}
          </select>
        )}
        <button type="submit" class="primary" disabled={isBusy || !text.value.trim()}>
          {t("thread.send")}
        </button>
      </div>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
    </form>
  );
}

function Queue({ open, view }: { open: OpenThread; view: ThreadRead }) {
  const { run, failure, isBusy } = useCommand();
  if (!view.queuedTurns.length) return null;
  const ids = { sessionId: open.sessionId, threadId: open.threadId };
  return (
    <section class="queue">
      <h2>{t("thread.queue")}</h2>
      {view.queue.resumeState === "held" && <p class="warn-text">{t("thread.queueHeld")}</p>}
      <ol>
        {view.queuedTurns.map((turn) => (
          <li key={turn.turnId}>
            <span class="preview">{safe(turn.preview ?? shortId(turn.turnId))}</span>
            <Time at={turn.queuedAt}>
              <span class="dim">{ago(turn.queuedAt)}</span>
            </Time>
            {may("write") && (
              <span class="buttons">
                {turn.position > 1 && (
                  <button type="button" class="quiet" disabled={isBusy} onClick={() => void run("promote_queued_turn", { ...ids, turnId: turn.turnId })}>
                    {t("thread.first")}
                  </button>
                )}
                <button type="button" class="quiet" disabled={isBusy} onClick={() => void run("remove_queued_turn", { ...ids, turnId: turn.turnId })}>
                  {t("thread.remove")}
                </button>
              </span>
            )}
          </li>
        ))}
      </ol>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

function Details({ open, view }: { open: OpenThread; view: ThreadRead }) {
  const cost = view.costState;
  const model = [view.modelRouting.selectedProvider, view.modelRouting.selectedModel].filter(Boolean).join("/");
  const sandbox = view.sandboxState.profile;
  return (
    <Facts
      of={[
        [t("thread.model"), model || t("common.unknown")],
        [t("thread.cost"), usd(cost?.recordedUsd, cost?.state)],
        [
          t("thread.tokens"),
          cost && t("thread.tokensText", { in: number(cost.tokens.inputTokens), out: number(cost.tokens.outputTokens) }),
        ],
        [t("thread.turns"), number(view.history.turns)],
        [t("thread.mode"), view.permissionState.mode],
        [t("action.sandbox"), [sandbox?.mode, sandbox?.tier].filter(Boolean).join(", ")],
        [t("action.cwd"), open.cwd.value && <code>{safe(open.cwd.value)}</code>],
        [
          t("thread.session"),
          <>
            <code title={open.sessionId}>{shortId(open.sessionId)}</code> <Copy text={open.sessionId} />
          </>,
        ],
        [
          t("thread.thread"),
          <>
            <code title={open.threadId}>{shortId(open.threadId)}</code> <Copy text={open.threadId} />
          </>,
        ],
        [t("nav.events"), <a href={href(["events"], { session: open.sessionId })}>{t("thread.rawEvents")}</a>],
      ]}
    />
  );
}

function Trouble({ view }: { view: ThreadRead }) {
  const open = view.incidents.filter((incident) => incident.open);
  if (!open.length) return null;
  return (
    <section class="trouble">
      <h2>{t("thread.trouble")}</h2>
      <ul>
        {open.slice(-5).map((incident) => (
          <li key={incident.incidentId}>
            {safe(incident.message)}{" "}
            <Time at={incident.at}>
              <span class="dim">{ago(incident.at)}</span>
            </Time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Transcript({ open }: { open: OpenThread }) {
  const list = useRef<Windowed<Row>>(null);
  const isAtEnd = useSignal(true);
  const version = open.version.value;
  const rows = useMemo(() => open.transcript.turns.flatMap(rowsOf), [open, version]);
  const isReading = open.isReading.value;
  if (open.failure.value) return <Failed why={open.failure.value} again={() => location.reload()} />;
  if (!rows.length)
    return isReading ? <p class="reading">{t("common.loading")}</p> : <Empty title={t("thread.empty")} />;
  return (
    <div class="transcript">
      <Windowed
        ref={list}
        items={rows}
        keyOf={(row) => row.key}
        guess={72}
        sticky
        label={t("thread.transcript")}
        onNearTop={() => void open.readOlder()}
        onAtEnd={(atEnd) => (isAtEnd.value = atEnd)}
        head={<p class="edge dim">{open.hasOlder ? t("thread.older") : t("thread.begin")}</p>}
        render={(row) => <TranscriptRow row={row} />}
      />
      {!isAtEnd.value && (
        <button type="button" class="to-end" onClick={() => list.current?.scrollToEnd()}>
          ↓ {t("thread.toEnd")}
        </button>
      )}
    </div>
  );
}

function Loaded({ open }: { open: OpenThread }) {
  const view = open.view.value;
  const title = safe(open.title.value ?? "") || t("live.untitled");
  return (
    <div class="page thread">
      <div class="bar">
        <a class="back" href={href(["live"])} aria-label={t("thread.back")}>
          ←
        </a>
        <h1>{title}</h1>
      </div>
      {view && <Now open={open} view={view} />}
      <div class="thread-body">
        <div class="thread-main">
          <Transcript open={open} />
          {view && (
            <div class="dock">
              {view.pendingRequests.map((action) => (
                <ActionCard key={action.actionId} action={action} sessionId={open.sessionId} inThread />
              ))}
              <Queue open={open} view={view} />
              <Composer open={open} view={view} />
            </div>
          )}
        </div>
        {view && (
          <aside class="side" aria-label={t("thread.details")}>
            <Trouble view={view} />
            <details open={matchMedia("(min-width: 60rem)").matches}>
              <summary>{t("thread.details")}</summary>
              <Details open={open} view={view} />
            </details>
          </aside>
        )}
      </div>
    </div>
  );
}

/** "main" in the address stands for the session's main thread. */
export function Thread({ sessionId, threadId }: { sessionId: string; threadId: string }) {
  const open = useSignal<OpenThread | undefined>(undefined);
  const failure = useSignal("");
  useEffect(() => {
    let made: OpenThread | undefined;
    let isGone = false;
    async function start() {
      try {
        let id = threadId;
        if (id === "main") id = (await read<{ threadId: string }>("explain_thread", { sessionId })).threadId;
        else await get<{ threads: ThreadRow[] }>(`/v1/sessions/${encodeURIComponent(sessionId)}/threads`);
        if (!isGone) open.value = made = new OpenThread(sessionId, id);
      } catch (e) {
        failure.value = (e as Error).message;
      }
    }
    void start();
    return () => {
      isGone = true;
      made?.close();
      open.value = undefined;
    };
  }, [sessionId, threadId]);
  if (failure.value)
    return (
      <div class="page">
        <h1>{t("thread.thread")}</h1>
        <Failed why={failure.value} again={() => location.reload()} />
      </div>
    );
  return open.value ? (
    <Loaded open={open.value} />
  ) : (
    <div class="page">
      <h1>{t("thread.thread")}</h1>
      <p class="reading">{t("common.loading")}</p>
    </div>
  );
}
