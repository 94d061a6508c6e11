// The answers to a pending approval: buttons, reasons and changed arguments.  An approval needs that everything it covers has
// been on the screen; a refusal never does.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ActionView, DecisionOption, GrantScope, RespondActionArgs } from "../api/types";
import type { CallContext } from "../state/call_context";
import { t, wordFor } from "../text/text";
import { SeenBy, useSeen, type Seen } from "./shown";
import { Arguments } from "./subject";
import { pretty } from "./ui";

export type Answer = Pick<RespondActionArgs, "decision" | "scope" | "reason" | "input" | "payload">;
export type Pane = "none" | "edit" | "deny" | "sure";

export interface CardState {
  action: ActionView;
  answer: (a: Answer) => Promise<void>;
  isBusy: boolean;
  context: CallContext;
  seen: Seen;
  isStill: boolean; // it did not just move under a finger
}

export const isAllow = (o: DecisionOption): boolean => o.decision === "allow" || o.decision === "sandboxed";
const REFUSALS: DecisionOption["decision"][] = ["deny", "decline", "cancel"];
export const isRefusal = (o: DecisionOption): boolean => REFUSALS.includes(o.decision);
export const isDestructive = ({ action, context }: CardState): boolean => context.permission?.destructive ?? action.policy?.destructive ?? false;

/** The call was read, and all of it has been on the screen. */
export const mayAllow = ({ context, seen, isBusy, isStill }: CardState): boolean => !isBusy && isStill && !!context.isRead && !context.isUnread && !seen.left.value;

/** Says that a part was not on the screen, and shows the next one. */
function Unseen({ seen }: { seen: Seen }) {
  if (!seen.left.value) return null;
  return (
    <p class="unseen" role="status">
      <span>{t("action.unseen")}</span>
      <button type="button" onClick={() => seen.showNext()}>
        {t("action.showRest")}
      </button>
    </p>
  );
}

export function DenyPane({ answer, isBusy, option, close }: CardState & { option: DecisionOption; close: () => void }) {
  const why = useSignal("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const label = t(option.decision === "deny" ? "action.denyWhy" : "action.declineWhy");
  return (
    <form
      class="pane"
      onSubmit={(e) => {
        e.preventDefault();
        void answer({ decision: option.decision, reason: why.value.trim() || undefined });
      }}
    >
      {option.mayGiveReason && (
        <label>
          {label}
          <textarea ref={field} rows={2} maxLength={2000} value={why.value} onInput={(e) => (why.value = e.currentTarget.value)} />
        </label>
      )}
      <div class="buttons">
        <button type="submit" class="danger" disabled={isBusy}>
          {wordFor("action", option.decision)}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </form>
  );
}

function Wrong({ text }: { text: string }) {
  return text ? (
    <p class="error" role="alert">
      {text}
    </p>
  ) : null;
}

/** What would run is shown below the field, with nothing hidden in it, and above the button. */
export function EditPane({ answer, context, isBusy, close }: CardState & { close: () => void }) {
  const text = useSignal(pretty(context.args ?? {}));
  const seen = useSeen();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  let input: RespondActionArgs["input"];
  let failure = "";
  try {
    input = JSON.parse(text.value);
  } catch (error) {
    failure = t("edit.bad", { why: (error as Error).message });
  }
  function submit(e: Event) {
    e.preventDefault();
    if (!failure && !seen.left.value) void answer({ decision: "allow", scope: "once", input });
  }
  return (
    <form class="pane" onSubmit={submit}>
      <label>
        {t("action.arguments")}
        <textarea
          ref={field}
          class="mono"
          rows={Math.min(16, text.value.split("\n").length + 1)}
          spellcheck={false}
          value={text.value}
          onInput={(e) => (text.value = e.currentTarget.value)}
        />
      </label>
      {!failure && (
        <div class="preview-run">
          <p class="label">{t("edit.shows")}</p>
          <SeenBy.Provider value={seen}>
            <Arguments of={input} />
          </SeenBy.Provider>
        </div>
      )}
      <Wrong text={failure} />
      {!failure && <Unseen seen={seen} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || !!failure || seen.left.value > 0}>
          {t("edit.do")}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </form>
  );
}

export function Buttons({ card, pane, open }: { card: CardState; pane: Pane; open: (pane: Pane, scope?: GrantScope) => void }) {
  const { action, answer, isBusy, context, seen } = card;
  const allow = action.decisions.find(isAllow);
  const refuse = action.decisions.find(isRefusal);
  const isReady = mayAllow(card);
  const [first, ...wider] = allow ? ((allow.scopes ?? ["once"]) as GrantScope[]) : [];
  function choose(scope: GrantScope) {
    if (isDestructive(card)) open("sure", scope);
    else void answer({ decision: allow!.decision, scope });
  }
  const buttonFor = (scope: GrantScope) => (
    <button type="button" key={scope} class={scope === first ? "primary" : ""} disabled={!isReady} onClick={() => choose(scope)}>
      {wordFor("action.allow", scope)}
    </button>
  );
  return (
    <>
      {allow && context.isRead && !context.isUnread && <Unseen seen={seen} />}
      <div class="buttons">
        {first && buttonFor(first)}
        {refuse && (
          <button type="button" class="danger" aria-expanded={pane === "deny"} disabled={isBusy} onClick={() => open("deny")}>
            {wordFor("action", refuse.decision)}
          </button>
        )}
        {wider.map(buttonFor)}
        {allow?.mayEditInput && (
          <button type="button" aria-expanded={pane === "edit"} disabled={isBusy || context.args === undefined} onClick={() => open("edit")}>
            {t("action.edit")}
          </button>
        )}
      </div>
    </>
  );
}

export function Sure({ card, scope, close }: { card: CardState; scope: GrantScope; close: () => void }) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  return (
    <div class="pane sure" role="group" aria-label={t("action.really")}>
      <p>
        {t("action.really")} <span class="dim">{wordFor("action.allow", scope)}</span>
      </p>
      <div class="buttons">
        <button ref={yes} type="button" class="danger solid" disabled={!mayAllow(card)} onClick={() => void card.answer({ decision: card.action.decisions.find(isAllow)!.decision, scope })}>
          {t("action.reallyYes")}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </div>
  );
}
