// Thread: its current activity, the transcript or the timeline, and the controls.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ActionCard } from "../components/action";
import { get, may, read } from "../api/client";
import { Failure, useCommand } from "../components/command";
import { DeleteSession } from "../components/delete_session";
import { ago, number, safe, shortId, sinceSpan, until } from "../text/format";
import { Lazy } from "../components/lazy";
import { ModeSelect } from "../components/mode";
import { isWide } from "../components/nav";
import { TranscriptRow } from "../components/item";
import { Plan } from "../components/plan";
import { href, place, setQuery } from "../state/router";
import { ImageField, pasteImages, useImages } from "../components/images";
import { expanded, Slash, useCommands } from "../components/slash";
import { OpenThread } from "../state/thread";
import type { Span, TraceTurn } from "../state/trace";
import { isAfterEnd, rowsOf, type Row } from "../state/transcript";
import type { CostState, Delivery, ExplainThreadReply, ThreadRow, ThreadStatus, ThreadView } from "../api/types";
import { Copy, Cost, Empty, Fields, Failed, PriceHelp, Said, Status, Time, toneOf, Wrong } from "../components/ui";
import { Windowed } from "../components/windowed";
import { t, wordFor } from "../text/text";

const BUSY = new Set<ThreadStatus>(["running", "blocked", "queued"]);
const DELIVERIES = ["queue", "steer", "interrupt"] as const satisfies readonly Delivery[];

/** What ends the wait, and when it ends automatically. */
function Ends({ why }: { why: ExplainThreadReply }) {
  if (!why.endedBy?.length || why.waitingFor === "nothing") return null;
  return (
    <p class="now-ends dim">
      {t("thread.endedBy", { what: why.endedBy.map((word) => wordFor("ends", word)).join(", ") })}
      {why.until && (
        <Time at={why.until}>
          {" · "}
          {t("thread.endsItself", { when: until(why.until) })}
        </Time>
      )}
    </p>
  );
}

function WhyText({ why, view }: { why: ExplainThreadReply | undefined; view: ThreadView }) {
  const isWaiting = why?.waitingFor && why.waitingFor !== "nothing";
  // The transcript has the error of a failed turn, next to its Retry.
  if (!isWaiting && toneOf(view.profileStatus) === "bad") return <>{t("thread.lastFailed")}</>;
  const said = why?.detail ?? view.statusReason ?? "";
  if (!said) return <>{t("thread.idle")}</>;
  return <Said kind="wait" code={why?.waitingFor ?? "nothing"} text={said} />;
}

function NowText({ why, view }: { why: ExplainThreadReply | undefined; view: ThreadView }) {
  const isBelow = place.value.query.get("view") !== "timeline";
  const isWaiting = view.activeTurnId || view.queuedTurns.length;
  return (
    <p class="now-text" role="status">
      {view.pendingRequests.length && may("approve")
        ? isBelow
          ? t("thread.needsYou")
          : <a href={href(["approvals"])}>{t("thread.needsYouThere")}</a>
        : <WhyText why={why} view={view} />}
      {why?.since && (
        <Time at={why.since}>
          <span class="dim"> · {isWaiting ? t("live.since", { span: sinceSpan(why.since) }) : ago(why.since)}</span>
        </Time>
      )}
    </p>
  );
}

function Now({ open, view }: { open: OpenThread; view: ThreadView }) {
  const why = open.why.value;
  const sender = useCommand();
  const { run, isBusy } = sender;
  const ids = { sessionId: open.sessionId, threadId: open.threadId };
  const isActive = view.activeTurnId !== undefined;
  const isResumable = view.queue.resumeState === "held" || (why?.endedBy ?? []).includes("resume_thread");
  return (
    <section class="now" aria-label={t("thread.now")}>
      <Status of={view.profileStatus ?? view.status} />
      <NowText why={why} view={view} />
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
          {!isActive && view.history.turns > 1 && (
            <button type="button" disabled={isBusy} title={t("thread.compactHow")} onClick={() => void run("compact_thread", ids)}>
              {t("thread.compact")}
            </button>
          )}
        </div>
      )}
      {why && <Ends why={why} />}
      <Failure of={sender} />
    </section>
  );
}

function Composer({ open, view }: { open: OpenThread; view: ThreadView }) {
  const text = open.draft;
  const delivery = useSignal<Delivery>("queue");
  const sender = useCommand();
  const { run, isBusy } = sender;
  const field = useRef<HTMLTextAreaElement>(null);
  const commands = useCommands(open.cwd.value, text.value);
  const refusal = useSignal<Error | undefined>(undefined);
  const isExpanding = useSignal(false);
  const images = useImages();
  const isThreadBusy = BUSY.has(view.status);
  if (!may("write")) return <p class="dim foot">{t("common.notAllowed", { scope: "write" })}</p>;
  async function submit(e?: Event) {
    e?.preventDefault();
    if (!text.value.trim() || isBusy || isExpanding.value) return;
    refusal.value = undefined;
    isExpanding.value = true;
    const message = await expanded(text.value, open.cwd.value)
      .then(async (to) => ({ ...to, input: await images.input(to.input) }))
      .catch((why: Error) => void (refusal.value = why));
    isExpanding.value = false;
    if (!message) return;
    const params = {
      sessionId: open.sessionId,
      threadId: open.threadId,
      ...message,
      source: "console",
      delivery: isThreadBusy ? delivery.value : undefined,
    };
    if (await run("submit_turn", params)) (text.value = ""), images.clear();
  }
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        ref={field}
        aria-label={t("thread.message")}
        placeholder={matchMedia("(pointer: coarse)").matches ? t("thread.message") : t("thread.placeholder")}
        rows={Math.min(8, Math.max(view.pendingRequests.length ? 1 : 2, text.value.split("\n").length))}
        value={text.value}
        onInput={(e) => (text.value = e.currentTarget.value)}
        onPaste={(e) => pasteImages(images, e)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void submit(e);
          const first = e.key === "ArrowDown" ? e.currentTarget.form?.querySelector<HTMLElement>(".slash button") : undefined;
          if (first) e.preventDefault(), first.focus();
        }}
      />
      <div class="buttons">
        <ImageField images={images} />
        {isThreadBusy && (
          <select aria-label={t("thread.delivery")} value={delivery.value} onChange={(e) => (delivery.value = e.currentTarget.value as Delivery)}>
            {DELIVERIES.map((how) => (
              <option key={how} value={how}>
                {wordFor("thread.delivery", how)}
              </option>
            ))}
          </select>
        )}
        <button type="submit" class="primary" disabled={isBusy || isExpanding.value || !text.value.trim()}>
          {t("thread.send")}
        </button>
      </div>
      <Slash commands={commands} text={text.value} choose={(to) => ((text.value = to), field.current?.focus())} />
      <Failure of={sender} />
      <Wrong of={refusal.value} />
    </form>
  );
}

function Queue({ open, view }: { open: OpenThread; view: ThreadView }) {
  const sender = useCommand();
  const { run, isBusy } = sender;
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
                  <button type="button" class="quiet" disabled={isBusy} onClick={() => void run("promote_queued_turn", { ...ids, queuedTurnId: turn.turnId })}>
                    {t("thread.first")}
                  </button>
                )}
                <button type="button" class="quiet" disabled={isBusy} onClick={() => void run("remove_queued_turn", { ...ids, queuedTurnId: turn.turnId })}>
                  {t("thread.remove")}
                </button>
              </span>
            )}
          </li>
        ))}
      </ol>
      <Failure of={sender} />
    </section>
  );
}

function Tokens({ of }: { of: CostState }) {
  if (!of.tokens) return <>{t("common.unknown")}</>;
  return <span class="num">{t("thread.tokensText", { in: number(of.tokens.inputTokens), out: number(of.tokens.outputTokens) })}</span>;
}

function CostOf({ of }: { of: CostState }) {
  return (
    <>
      <Cost of={of.recordedUsd} state={of.state} /> {of.state === "unknown" && <PriceHelp />}
    </>
  );
}

function Details({ open, view }: { open: OpenThread; view: ThreadView }) {
  const cost = view.costState;
  const whole = open.sessionCost.value;
  const model = [view.modelRouting.selectedProvider, view.modelRouting.selectedModel].filter(Boolean).join("/");
  const sandbox = view.sandboxState.profile;
  return (
    <Fields
      of={[
        [t("thread.model"), model || t("common.unknown")],
        [t("thread.costTurn"), cost && <CostOf of={cost} />],
        [t("thread.costSession"), whole && <CostOf of={whole} />],
        [t("thread.tokensTurn"), cost && <Tokens of={cost} />],
        [t("thread.tokensSession"), whole && <Tokens of={whole} />],
        [t("thread.turns"), number(view.history.turns)],
        [t("thread.mode"), <ModeSelect sessionId={open.sessionId} mode={view.permissionState.mode} label={t("thread.mode")} again={open.refresh} />],
        [t("action.sandbox"), [sandbox?.mode && wordFor("sandbox", sandbox.mode), sandbox?.tier].filter(Boolean).join(", ")],
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

function Trouble({ view }: { view: ThreadView }) {
  const open = view.incidents.filter((incident) => incident.open);
  if (!open.length) return null;
  return (
    <section class="trouble">
      <h2>{t("thread.trouble")}</h2>
      <ul>
        {open.slice(-5).map((incident) => (
          <li key={incident.incidentId}>
            <Said kind={incident.kind === "warning" ? "warning" : "failure"} code={incident.category} text={incident.message} />{" "}
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
        handle={list}
        items={rows}
        keyOf={(row) => row.key}
        guess={72}
        sticky
        label={t("thread.transcript")}
        onNearTop={() => void open.readOlder()}
        onAtEnd={(atEnd) => (isAtEnd.value = atEnd)}
        head={<p class="edge dim">{open.hasOlder ? t("thread.older") : t("thread.begin")}</p>}
        render={(row) => <TranscriptRow row={row} open={open} isRemoved={open.trace.removed.has(row.turn.id) && !(row.item && isAfterEnd(row.turn, row.item))} />}
      />
      {!isAtEnd.value && (
        <button type="button" class="to-end" onClick={() => list.current?.scrollToEnd()}>
          ↓ {t("thread.toEnd")}
        </button>
      )}
    </div>
  );
}

const VIEWS = ["transcript", "timeline"] as const;

function Views({ view }: { view: string }) {
  return (
    <div class="tabs" role="group" aria-label={t("thread.view")}>
      {VIEWS.map((name) => (
        <button type="button" key={name} class="tab" aria-pressed={view === name} onClick={() => setQuery({ view: name === "transcript" ? "" : name })}>
          {t(`thread.${name}`)}
        </button>
      ))}
    </div>
  );
}

/** The thread's origin if it is a fork, and the session's other threads. */
function Family({ open }: { open: OpenThread }) {
  const origin = open.origin.value;
  const others = open.siblings.value.filter((row) => row.threadId !== open.threadId);
  if (!origin && !others.length) return null;
  return (
    <section class="family">
      {origin && (
        <p>
          {t("thread.forkedFrom")}{" "}
          <a href={href(["thread", origin.sessionId ?? open.sessionId, origin.threadId])}>{shortId(origin.threadId)}</a>{" "}
          <span class="num dim">{t("thread.atSequence", { n: origin.sequence })}</span>
        </p>
      )}
      {others.length > 0 && (
        <details>
          <summary>{t("thread.other")}</summary>
          <ul>
            {others.map((row) => (
              <li key={row.threadId}>
                <a href={href(["thread", open.sessionId, row.threadId])}>{safe(row.title ?? "") || shortId(row.threadId)}</a>{" "}
                <Status of={row.profileStatus ?? row.status} small />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The timeline needs the space, so there a line above it names the pending approval. */
function Dock({ open, view, isTimeline }: { open: OpenThread; view: ThreadView; isTimeline: boolean }) {
  return (
    <div class="dock">
      {!isTimeline && (view.pendingRequests.length > 0 || view.queuedTurns.length > 0) && (
        <div class="pending-action">
          {view.pendingRequests.map((action) => (
            <ActionCard key={action.actionId} action={action} sessionId={open.sessionId} inThread />
          ))}
          <Queue open={open} view={view} />
        </div>
      )}
      <Composer open={open} view={view} />
    </div>
  );
}

function Side({ open, view }: { open: OpenThread; view: ThreadView }) {
  return (
    <aside class="side" aria-label={t("thread.details")}>
      <Trouble view={view} />
      {open.plan.value && (
        <section>
          <h2>{t("plan.title")}</h2>
          <Plan steps={open.plan.value.steps} />
        </section>
      )}
      <Family open={open} />
      <details open={isWide.value}>
        <summary>{t("thread.details")}</summary>
        <Details open={open} view={view} />
        <DeleteSession sessionId={open.sessionId} />
      </details>
    </aside>
  );
}

/** The turn or span that the address selects. */
function chosenOf(open: OpenThread): { turn: TraceTurn; span?: Span } | undefined {
  const key = place.value.query.get("at");
  if (!key) return undefined;
  for (let i = open.trace.turns.length - 1; i >= 0; i--) {
    const turn = open.trace.turns[i]!;
    if (key === `turn:${turn.id}`) return { turn };
    const at = turn.byKey.get(key);
    if (at !== undefined) return { turn, span: turn.spans[at] };
  }
  return undefined;
}

const loadTimeline = async () => (await import("../components/timeline")).Timeline;
const loadInspector = async () => (await import("../components/inspector")).Inspector;

function Loaded({ open }: { open: OpenThread }) {
  const view = open.view.value;
  const title = safe(open.title.value ?? "") || t("live.untitled");
  const shown = place.value.query.get("view") ?? "transcript";
  const chosen = open.version.value >= 0 ? chosenOf(open) : undefined;
  return (
    <div class={`page thread${chosen ? " inspecting" : ""}${view?.pendingRequests.length ? " asking" : ""}`}>
      <div class="bar">
        <a class="back" href={href(["live"])} aria-label={t("thread.back")}>
          ←
        </a>
        <h1>{title}</h1>
        <span class="spread" />
        <Views view={shown} />
      </div>
      {view && <Now open={open} view={view} />}
      <div class="thread-body">
        <div class="thread-main">
          {shown === "timeline" ? <Lazy load={loadTimeline} props={{ open }} /> : <Transcript open={open} />}
          {view && <Dock open={open} view={view} isTimeline={shown === "timeline"} />}
        </div>
        {chosen ? (
          <aside class="side" aria-label={t("inspect.title")}>
            <Lazy key={chosen.span?.key ?? chosen.turn.id} load={loadInspector} props={{ open, ...chosen }} />
          </aside>
        ) : (
          view && <Side open={open} view={view} />
        )}
      </div>
    </div>
  );
}

/** "main" in the address means the session's main thread. */
export function Thread({ sessionId, threadId }: { sessionId: string; threadId: string }) {
  const open = useSignal<OpenThread | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    let made: OpenThread | undefined;
    let isGone = false;
    async function start() {
      try {
        let id = threadId;
        if (id === "main") id = (await read("explain_thread", { sessionId })).threadId;
        else await get<{ threads: ThreadRow[] }>(`/v1/sessions/${encodeURIComponent(sessionId)}/threads`);
        if (!isGone) open.value = made = new OpenThread(sessionId, id);
      } catch (e) {
        failure.value = e as Error;
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
