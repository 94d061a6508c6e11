// One row of a transcript.
import { useSignal } from "@preact/signals";
import { request } from "../api/client";
import { painted } from "./code";
import { changeOf, Diff } from "./diff";
import { bytes, clock, number, safe, span } from "../text/format";
import { Markdown } from "./markdown";
import { Plan } from "./plan";
import { planOf } from "../state/plan";
import { setQuery } from "../state/router";
import { briefArgs } from "../state/trace";
import type { OpenThread } from "../state/thread";
import type { Item, Row, Tool, Turn, TurnEnd } from "../state/transcript";
import { Retry } from "./retry";
import { Cost, pretty, Said, Status, Time } from "./ui";
import { t, wordFor } from "../text/text";

const LONG = 6000;
const RETRIED = new Set(["failed", "timed_out"]);

/** A message as plain text or as Markdown; a long one is collapsed at first. */
function Prose({ text, marked }: { text: string; marked?: boolean }) {
  const whole = useSignal(false);
  const isLong = text.length > LONG;
  const shown = isLong && !whole.value ? text.slice(0, LONG) : text;
  return (
    <>
      <div class={marked ? "prose marked" : "prose"}>{marked ? <Markdown text={shown} /> : safe(shown)}</div>
      {isLong && (
        <button type="button" class="quiet" onClick={() => (whole.value = !whole.value)}>
          {whole.value ? t("common.less") : t("item.whole", { size: bytes(text.length) })}
        </button>
      )}
    </>
  );
}

/** Fenced code keeps its layout, also while it is streaming. */
function Message({ text }: { text: string }) {
  // Text, then for each fence what stands behind it and what follows.
  const [first = "", ...rest] = text.split(/^ {0,3}```([^\n]*)\n?/m);
  if (!rest.length) return <Prose text={text} marked />;
  const prose = (part: string, key: number) => part.trim() && <Prose key={key} text={part.trim()} marked />;
  return (
    <>
      {prose(first, -1)}
      {rest.map((part, i) => {
        if (i % 2 === 0) return null;
        if (i % 4 === 3) return prose(part, i);
        return (
          <pre key={i} class="code" tabIndex={0}>
            {painted(safe(part.replace(/\n$/, "")), rest[i - 1]!.trim().split(/\s/)[0])}
          </pre>
        );
      })}
    </>
  );
}

function Head({ who, item, children }: { who: string; item: Item; children?: preact.ComponentChildren }) {
  return (
    <div class="item-head">
      <span class="who">{who}</span>
      {children}
      <span class="spread" />
      <Time at={item.at}>
        <span class="num dim">{clock(item.at)}</span>
      </Time>
    </div>
  );
}

function UserMessage({ item }: { item: Item }) {
  const whole = useSignal<string | undefined>(undefined);
  const isCut = (item.textBytes ?? 0) > new TextEncoder().encode(item.text).length;
  async function readWhole() {
    const text = await (await request(`/v1/outputs/${encodeURIComponent(item.textRef!)}`)).text();
    whole.value = text;
  }
  return (
    <div class="item user">
      <Head who={t("item.you")} item={item}>
        {item.delivery === "steer" && <span class="dim">{t("item.steer")}</span>}
      </Head>
      <Prose text={whole.value ?? item.text} />
      {isCut && whole.value === undefined && item.textRef && (
        <button type="button" class="quiet" onClick={() => void readWhole()}>
          {t("item.whole", { size: bytes(item.textBytes!) })}
        </button>
      )}
    </div>
  );
}

function Reasoning({ item }: { item: Item }) {
  return (
    <details class="item reasoning">
      <summary>
        {t("item.reasoning")} <span class="dim">{safe(item.text.slice(0, 120).replace(/\s+/g, " "))}</span>
      </summary>
      <Prose text={item.text} />
    </details>
  );
}

function ToolFacts({ tool, item }: { tool: Tool; item: Item }) {
  return (
    <>
      {tool.exitCode !== undefined && (
        <span class={tool.exitCode ? "bad-text" : "dim"}>{t("item.exit", { code: tool.exitCode })}</span>
      )}
      {tool.durationMs !== undefined && <span class="dim num">{span(tool.durationMs)}</span>}
      {item.status && item.status !== "completed" && <Status of={item.status} small />}
    </>
  );
}

function Progress({ tool, item }: { tool: Tool; item: Item }) {
  const p = tool.progress;
  if (!p || tool.result !== undefined || tool.failure !== undefined) return null;
  return (
    <p class="progress">
      {p.total !== undefined && <progress aria-label={item.tool?.name} max={p.total} value={p.completed ?? 0} />}
      {safe(p.message ?? "")}
    </p>
  );
}

function ToolBody({ tool }: { tool: Tool }) {
  const change = changeOf(tool.args);
  return (
    <>
      {tool.permission && (
        <p class="dim">
          {wordFor("action", tool.permission.decision)} · <Said kind="decision" code={tool.permission.decisionSource} text={tool.permission.decisionReason} />
          {tool.permission.ruleRefs.map((rule) => ` · ${safe(rule)}`)}
        </p>
      )}
      {change && <Diff of={change} />}
      {tool.args !== undefined && !change && (
        <pre class="code" tabIndex={0}>
          {painted(safe(pretty(tool.args)), "json")}
        </pre>
      )}
      {tool.result && (
        <pre class="code output" tabIndex={0}>
          {safe(tool.result)}
        </pre>
      )}
      {tool.callId && (
        <button type="button" class="quiet" onClick={() => setQuery({ at: tool.callId! })}>
          {t("inspect.do")}
        </button>
      )}
      {tool.outputRef && (
        <a href={`/v1/outputs/${encodeURIComponent(tool.outputRef)}`} target="_blank" rel="noreferrer">
          {t("item.output")}
        </a>
      )}
    </>
  );
}

function ToolCall({ item }: { item: Item }) {
  const tool = item.tool!;
  const plan = planOf(tool.args);
  return (
    <div class={`item tool ${item.tone ?? ""}`}>
      <details>
        <summary>
          <span class="tool-name">{safe(tool.name)}</span>
          <code class="brief">{plan ? t("plan.done", { n: plan.filter((step) => step.status === "done").length, all: plan.length }) : safe(briefArgs(tool.args))}</code>
          <span class="spread" />
          <ToolFacts tool={tool} item={item} />
        </summary>
        <ToolBody tool={tool} />
      </details>
      {tool.editedBy && <p class="dim">{t("item.editedBy", { who: tool.editedBy })}</p>}
      {tool.asked && (
        <p class="decided">
          {tool.decided
            ? t("item.decided", { decision: wordFor("action", tool.decided.decision), who: tool.decided.by })
            : t("item.asked")}
        </p>
      )}
      {plan && <Plan steps={plan} />}
      <Progress tool={tool} item={item} />
      {tool.failure && (
        <p class="bad-text">
          <Said kind="failure" code={tool.category} text={tool.failure} />
        </p>
      )}
      {tool.failure && (tool.executed === "unknown" || tool.executed === "partly") && (
        <p class="dim">{wordFor("item.executed", tool.executed)}</p>
      )}
      {tool.advice && (
        <p class="dim">
          {t("item.remedy")} <Said kind="remedy" code={tool.category} text={tool.advice} />
        </p>
      )}
      {tool.result && !tool.failure && <p class="result-line">{safe(tool.result.slice(0, 240).split("\n")[0]!)}</p>}
      {tool.artifacts.map((artifact) => (
        <p key={artifact} class="dim">
          {safe(artifact)}
        </p>
      ))}
    </div>
  );
}

function NoteRow({ item }: { item: Item }) {
  const note = item.note!;
  const said = note.said ? <Said kind={note.said} code={note.code} text={item.text} /> : undefined;
  // A sentence of the runtime comes after the console's own.
  const text = note.kind === "plain" ? undefined : t(`item.${note.kind}`, note.blanks);
  return (
    <div class={`item note ${item.tone ?? ""}`}>
      {note.kind === "compacted" && item.text ? (
        <details>
          <summary>{text}</summary>
          <Prose text={item.text} />
        </details>
      ) : (
        <span>
          {text && safe(text)} {said}
        </span>
      )}
      <span class="spread" />
      <Time at={item.at}>
        <span class="num dim">{clock(item.at)}</span>
      </Time>
    </div>
  );
}

function End({ end, turn, open, isRemoved }: { end: TurnEnd; turn: Turn; open: OpenThread; isRemoved: boolean }) {
  const isGood = end.outcome === "completed" || end.outcome === "merged";
  return (
    <div class={`item turn-end ${isGood ? "" : "bad"}`}>
      <span class="line">
        <Status of={end.outcome === "merged" ? "completed" : end.outcome} small />
        {end.costUsd !== undefined || end.amountState ? (
          <Cost class="num dim" of={end.costUsd} state={end.amountState} />
        ) : null}
        {end.tokens && (
          <span class="num dim" title={t("thread.tokensTurn")}>
            {t("thread.tokensText", { in: number(end.tokens.inputTokens), out: number(end.tokens.outputTokens) })}
          </span>
        )}
        {isRemoved && <span class="badge calm">{t("timeline.removed")}</span>}
        <span class="rule" />
        <button type="button" class="quiet" aria-label={t("inspect.turn")} onClick={() => setQuery({ at: `turn:${turn.id}` })}>
          {t("thread.turn")}
        </button>
        <Time at={end.at}>
          <span class="num dim">{clock(end.at)}</span>
        </Time>
      </span>
      {!isGood && end.reason && (
        <p class="bad-text">
          <Said kind="failure" code={end.category} text={end.reason} />
        </p>
      )}
      {!isGood && end.remedy && (
        <p class="dim">
          {t("item.remedy")} <Said kind="remedy" code={end.category} text={end.remedy} />
        </p>
      )}
      {RETRIED.has(end.outcome) && <Retry open={open} turn={turn} />}
    </div>
  );
}

function RowBody({ row, open, isRemoved }: { row: Row; open: OpenThread; isRemoved: boolean }) {
  if (row.end) return <End end={row.end} turn={row.turn} open={open} isRemoved={isRemoved} />;
  const item = row.item;
  if (item.tool) return <ToolCall item={item} />;
  if (item.kind === "user_message") return <UserMessage item={item} />;
  if (item.kind === "reasoning") return <Reasoning item={item} />;
  if (item.kind === "note") return <NoteRow item={item} />;
  return (
    <div class="item agent">
      <Head who={t("item.agent")} item={item}>
        {row.turn.model && <span class="dim">{safe(row.turn.model)}</span>}
        {item.status && item.status !== "completed" && <Status of={item.status} small />}
      </Head>
      <Message text={item.text} />
    </div>
  );
}

export function TranscriptRow({ row, open, isRemoved }: { row: Row; open: OpenThread; isRemoved: boolean }) {
  return (
    <div class={isRemoved ? "removed" : undefined}>
      <RowBody row={row} open={open} isRemoved={isRemoved} />
    </div>
  );
}
