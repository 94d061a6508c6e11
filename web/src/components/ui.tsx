// Small components that every page uses.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Problem } from "../api/client";
import type { GrantMatch, RuleRow, Status as StatusWord } from "../api/types";
import { href } from "../state/router";
import { dateTime, safe, usd } from "../text/format";
import { sentenceFor, t, wordFor } from "../text/text";

// ---- status ----

type Tone = "run" | "wait" | "bad" | "good" | "calm" | "odd";

/** Each status has a colour and its own sign, so that none depends on colour alone. */
const STATUS: Record<StatusWord, [Tone, string]> = {
  idle: ["calm", "○"],
  accepted: ["run", "◔"],
  queued: ["wait", "≡"],
  preparing: ["run", "◑"],
  running: ["run", "▶"],
  streaming: ["run", "»"],
  waiting_input: ["wait", "?"],
  waiting_permission: ["wait", "!"],
  waiting_resource: ["wait", "◇"],
  blocked: ["wait", "■"],
  paused: ["wait", "∥"],
  retrying: ["run", "↻"],
  cancelling: ["calm", "◌"],
  cancelled: ["calm", "⊘"],
  timed_out: ["bad", "◷"],
  failed: ["bad", "✕"],
  lost: ["bad", "†"],
  completed: ["good", "✓"],
  archived: ["calm", "▣"],
  stale: ["odd", "≈"],
  unknown: ["odd", "¿"],
  unavailable: ["odd", "∅"],
  not_applicable: ["odd", "–"],
  draft: ["calm", "∗"],
  closed: ["calm", "●"],
  pending: ["wait", "…"],
  exited: ["good", "⇥"],
  reported: ["good", "¶"],
};

export const toneOf = (status: string): Tone => STATUS[status as StatusWord]?.[0] ?? "odd";

export function Status({ of, small }: { of: string; small?: boolean }) {
  const [tone, sign] = STATUS[of as StatusWord] ?? ["odd", "¿"];
  return (
    <span class={`status ${tone}${small ? " small" : ""}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {wordFor("status", of)}
    </span>
  );
}

// ---- texts ----

export function Time({ at, children }: { at: string; children: ComponentChildren }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {children}
    </time>
  );
}

export function Copy({ text, label }: { text: string; label?: string }) {
  const done = useSignal(false);
  async function copy() {
    await navigator.clipboard?.writeText(text);
    done.value = true;
    setTimeout(() => (done.value = false), 1500);
  }
  return (
    <button type="button" class="quiet" onClick={copy}>
      {done.value ? t("common.copied") : (label ?? t("common.copy"))}
    </button>
  );
}

export function Empty({ title, how, children }: { title: string; how?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {how && <p>{how}</p>}
      {children}
    </div>
  );
}

/**
 * A sentence of the runtime, which is English.  In another language the sentence for its code is shown, and the
 * original on request.  plain: without the button, inside a link.
 */
export function Said({ kind, code, text, plain }: { kind: string; code: string | undefined; text: string; plain?: boolean }) {
  const isOpen = useSignal(false);
  const known = text ? sentenceFor(kind, code) : undefined;
  if (known === undefined) return <>{safe(text)}</>;
  if (plain) return <span title={safe(text)}>{known}</span>;
  return (
    <>
      {known}{" "}
      <button type="button" class="quiet original" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {t("common.original")}
      </button>
      {isOpen.value && <span lang="en"> {safe(text)}</span>}
    </>
  );
}

/** A refusal of the runtime or a failed connection. */
export function Refusal({ of }: { of: Error }) {
  // Other errors are the console's own, in its language.
  return of instanceof Problem ? <Said kind="problem" code={of.code} text={of.message} /> : <>{safe(of.message)}</>;
}

/** The same as an alert; nothing if there is none. */
export function Wrong({ of }: { of: Error | undefined }) {
  return of ? (
    <p class="error" role="alert">
      <Refusal of={of} />
    </p>
  ) : null;
}

export function Failed({ why, again }: { why: Error; again: () => void }) {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">
        {t("common.failed")} <Refusal of={why} />
      </p>
      <button type="button" onClick={again}>
        {t("common.again")}
      </button>
    </div>
  );
}

/** A description list; pairs without a value are left out. */
export function Fields({ of }: { of: [string, ComponentChildren][] }) {
  const given = of.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  if (!given.length) return null;
  return (
    <dl class="fields">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Indented JSON; a plain string keeps its lines. */
export function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

// ---- dialogs ----

/** isFirm: only its button closes it, because what it shows does not come back. */
export function Dialog({ title, onClose, children, class: name, isFirm }: { title: string; onClose: () => void; children: ComponentChildren; class?: string; isFirm?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  /** On the backdrop, which belongs to the element as well. */
  function isOutside(e: MouseEvent): boolean {
    if (!ref.current || isFirm || e.target !== ref.current) return false;
    const { top, left, right, bottom } = ref.current.getBoundingClientRect();
    return e.clientY < top || e.clientY > bottom || e.clientX < left || e.clientX > right;
  }
  return (
    <dialog ref={ref} class={name} aria-labelledby="dialog-title" onClose={onClose} onCancel={(e) => isFirm && e.preventDefault()} onClick={(e) => isOutside(e) && ref.current?.close()}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" onClick={() => ref.current?.close()}>
          {t("common.close")}
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** An amount of money.  A screen reader announces an estimate in words instead of the sign. */
export function Cost({ of, state, class: name = "num" }: { of: number | undefined; state?: string; class?: string }) {
  if (state !== "estimated" || of === undefined) return <span class={name}>{usd(of, state)}</span>;
  return (
    <span class={name} title={t("cost.estimated")}>
      <span aria-hidden="true">{usd(of, state)}</span>
      <span class="sr-only">{`${t("cost.estimated")} ${usd(of)}`}</span>
    </span>
  );
}

/** Where an unknown cost can be made known. */
export function PriceHelp() {
  return <a href={href(["routing"], { help: "price" })}>{t("cost.setPrice")}</a>;
}

/** What a rule or a grant matches, as the rule states it. */
export function Match({ of }: { of: Partial<RuleRow & GrantMatch> }) {
  const parts: [string, string | undefined][] = [
    ["tool", of.tool],
    ["command", of.command?.join(" ")],
    ["path", of.path && [of.path, of.access].filter(Boolean).join(" · ")],
    ["pathReal", of.pathReal],
    ["host", of.host],
    ["mcp", of.mcp],
    ["cwd", of.cwd],
    ["script", of.script],
  ];
  const given = parts.filter(([, value]) => value);
  if (!given.length) return <>{t("policy.everything")}</>;
  return (
    <>
      {given.map(([name, value]) => (
        <span key={name} class="match">
          <span class="dim">{wordFor("policy.match", name)}</span> <code>{safe(value!)}</code>
        </span>
      ))}
    </>
  );
}
