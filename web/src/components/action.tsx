// The card of a pending approval or question: the reason, the request, the answers right below it, then its context.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ActionView, GrantMatch, GrantScope, PermissionDecision, SandboxProfile } from "../api/types";
import { may, Problem, send } from "../api/client";
import { useCallContext, type CallContext } from "../state/call_context";
import { href } from "../state/router";
import { actionsMoved, refreshActions, sessions } from "../state/store";
import { ago, now, reveal, safe, shortId, until } from "../text/format";
import { t, wordFor } from "../text/text";
import { Buttons, DenyPane, EditPane, isAllow, isDestructive, isRefusal, mayAllow, Sure, type Answer, type CardState, type Pane } from "./answer";
import { singleKeys } from "./keys";
import { Lazy } from "./lazy";
import { SeenBy, useSeen } from "./shown";
import { Subject } from "./subject";
import { Fields, Match, Said, Time, Wrong } from "./ui";

const loadQuestion = async () => (await import("./question")).QuestionPane;

/** The sandbox of the call: mode, tier, network and writable directories. */
function SandboxText({ sandbox, mode }: { sandbox: SandboxProfile | undefined; mode: string | undefined }) {
  if (!sandbox) return <>{mode ?? t("common.unknown")}</>;
  return (
    <>
      {wordFor("sandbox", sandbox.mode ?? "unknown")} <span class="dim">{sandbox.tier}</span>
      {sandbox.network?.mode && <> · {t("action.sandboxNetwork", { mode: wordFor("network", sandbox.network.mode) })}</>}
      {sandbox.writeRoots && sandbox.writeRoots.length > 0 && (
        <details>
          <summary class="dim">{t("action.sandboxWrites", { n: sandbox.writeRoots.length })}</summary>
          {sandbox.writeRoots.map((root) => (
            <code key={root} class="path">
              {safe(root)}
            </code>
          ))}
        </details>
      )}
    </>
  );
}

function Risk({ action, context }: { action: ActionView; context: CallContext }) {
  const flag = context.permission?.destructive ?? action.policy?.destructive;
  if (action.actionType !== "tool_permission") return null;
  if (flag === undefined) return <span class="badge odd">{t("action.unknownRisk")}</span>;
  return flag ? (
    <span class="badge bad">{t("action.destructive")}</span>
  ) : (
    <span class="badge calm">{t("action.notDestructive")}</span>
  );
}

function Expiry({ action }: { action: ActionView }) {
  if (!action.expiresAt) return <span class="dim">{t("action.noExpiry")}</span>;
  const left = Date.parse(action.expiresAt) - now.value;
  if (left <= 0) return <span class="warn-text">{t("action.expired")}</span>;
  return (
    <Time at={action.expiresAt}>
      <span class={left < 60_000 ? "warn-text" : "dim"}>
        {t("action.expires", { when: until(action.expiresAt), what: wordFor("action", action.onExpiry) })}
      </span>
    </Time>
  );
}

/** Of a plan: the mode that follows.  Without the scope admin no one opens more than default. */
function ModeAfter({ mode }: { mode: string | undefined }) {
  if (!mode) return null;
  return <p class="why">{t(may("admin") ? "action.modeAfter" : "action.modeAfterNarrow", { mode })}</p>;
}

export function Parts({ permission }: { permission: PermissionDecision | undefined }) {
  if (!permission?.subcommands?.length) return null;
  return (
    <div class="parts">
      <p class="label">{t("action.parts")}</p>
      <ul>
        {permission.subcommands.map((part, i) => (
          <li key={i}>
            <code>{reveal(part.argv.join(" "))}</code> <span class="dim">{wordFor("action", part.decision)}</span>
            {part.destructive && <span class="badge bad">{t("action.destructive")}</span>}
            {part.ruleRef && <span class="dim">{part.ruleRef}</span>}
          </li>
        ))}
      </ul>
      {permission.subcommandsOmitted !== undefined && <p class="dim">{t("action.partsMore", { n: permission.subcommandsOmitted })}</p>}
    </div>
  );
}

/** What a wider scope than "once" allows from then on; a grant without a command, path or host covers every call of its tool. */
function Covers({ of }: { of: GrantMatch[] }) {
  return (
    <ul class="plain-list">
      {of.map((match, i) => (
        <li key={i}>
          <Match of={match} />
          {!match.command?.length && !match.path && !match.host && <span class="warn-text">{t("action.anyArguments")}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A question has no effect outside, so rule, paths and sandbox do not apply to it. */
function aboutCall(action: ActionView, context: CallContext): [string, ComponentChildren][] {
  const where = action.scopeDetail;
  const judged = context.permission;
  const covers = action.decisions.find(isAllow)?.covers ?? [];
  const rules = judged?.ruleRefs ?? action.policy?.ruleRefs ?? [];
  const paths = where?.paths ?? (where?.path ? [where.path] : (judged?.pathCheck?.resolved ?? []));
  return [
    [
      t("action.rule"),
      rules.length
        ? rules.map((rule) => <code key={rule}>{safe(rule)}</code>)
        : judged && t("action.noRule", { source: wordFor("policy.decidedBy", judged.decisionSource), mode: judged.mode }),
    ],
    [
      t("action.paths"),
      paths.length > 0 && (
        <>
          {paths.map((path) => (
            <code key={path}>{safe(path)} </code>
          ))}
          {judged?.pathCheck && (
            <span class={judged.pathCheck.inside ? "dim" : "warn-text"}>
              {t(judged.pathCheck.inside ? "action.inside" : "action.outside")}
            </span>
          )}
        </>
      ),
    ],
    [t("action.effect"), judged?.impact?.effect && wordFor("effect", judged.impact.effect)],
    [t("action.host"), where?.host],
    [t("action.network"), judged?.networkDecision && wordFor("network", judged.networkDecision)],
    [t("action.sandbox"), <SandboxText sandbox={context.sandbox} mode={action.policy?.sandboxMode} />],
    [t("action.mode"), judged?.mode],
    [t("action.covers"), covers.length > 0 && <Covers of={covers} />],
    [t("action.undo"), judged?.rollbackAdvice && <Said kind="undo" code="advice" text={judged.rollbackAdvice} />],
  ];
}

function aboutAll(action: ActionView, sessionId: string, inThread: boolean | undefined): [string, ComponentChildren][] {
  const title = sessions.value?.find((row) => row.sessionId === sessionId)?.title;
  return [
    [
      t("action.thread"),
      !inThread && <a class="title" href={href(["thread", sessionId, action.threadId])}>{safe(title ?? "") || shortId(sessionId)}</a>,
    ],
    [t("action.asked"), <Time at={action.requestedAt}>{ago(action.requestedAt)}</Time>],
  ];
}

const STILL_MS = 500;

/** False for a moment after the list has moved: a second tap must not hit the next card. */
function useStill(): boolean {
  const isStill = useSignal(true);
  const moved = actionsMoved.value;
  const before = useRef(moved);
  useEffect(() => {
    if (before.current === moved) return;
    before.current = moved;
    isStill.value = false;
    const timer = setTimeout(() => (isStill.value = true), STILL_MS);
    return () => clearTimeout(timer);
  }, [moved]);
  return isStill.value && before.current === moved;
}

export function ActionCard({ action, sessionId, inThread }: { action: ActionView; sessionId: string; inThread?: boolean }) {
  const context = useCallContext(action, sessionId);
  const pane = useSignal<Pane>("none");
  const scope = useSignal<GrantScope>("once");
  const isBusy = useSignal(false);
  const outcome = useSignal("");
  const failure = useSignal<Error | undefined>(undefined);
  const seen = useSeen();
  const refuse = action.decisions.find(isRefusal);
  const close = () => (pane.value = "none");

  async function answer(given: Answer) {
    isBusy.value = true;
    failure.value = undefined;
    try {
      const reply = await send("respond_action", { sessionId, actionId: action.actionId, ...given });
      outcome.value = t("action.done", { decision: wordFor("action", reply.decision) });
    } catch (e) {
      if (e instanceof Problem && e.code === "already_resolved") outcome.value = t("action.already");
      else failure.value = e as Error;
    }
    isBusy.value = false;
    refreshActions();
  }
  const isStill = useStill();
  const card: CardState = { action, answer, isBusy: isBusy.value, context, seen, isStill };
  function onKey(e: KeyboardEvent) {
    if (!singleKeys.value || e.target !== e.currentTarget || !may("approve")) return;
    const allow = action.decisions.find(isAllow);
    if (e.key === "y" && allow && mayAllow(card)) {
      if (isDestructive(card)) pane.value = "sure";
      else void answer({ decision: allow.decision, scope: "once" });
    } else if (e.key === "n" && refuse) pane.value = "deny";
    else if (e.key === "e" && allow?.mayEditInput && context.args !== undefined) pane.value = "edit";
    else return;
    e.preventDefault();
  }
  const isQuestion = action.actionType === "structured_input";
  const heading = action.toolName && action.actionType === "tool_permission" ? action.toolName : wordFor("action", action.actionType);
  const cwd = action.scopeDetail?.cwd ?? context.cwd;
  const judged = context.permission;
  const about = (
    <>
      <Parts permission={judged} />
      <Fields of={[...(isQuestion ? [] : aboutCall(action, context)), ...aboutAll(action, sessionId, inThread)]} />
    </>
  );
  return (
    <article class="card action" tabIndex={-1} data-action={action.actionId} aria-label={`${wordFor("action", action.actionType)}: ${safe(heading)}`} onKeyDown={onKey}>
      <header>
        <h2>{safe(heading)}</h2>
        <Risk action={action} context={context} />
        <span class="spread" />
        <Expiry action={action} />
      </header>
      {judged && !isQuestion && (
        <p class="why">
          <span class="label">{t("action.reason")}:</span> <Said kind="decision" code={judged.decisionSource} text={judged.decisionReason} />
        </p>
      )}
      <ModeAfter mode={action.modeAfter} />
      <SeenBy.Provider value={seen}>
        <Subject args={context.args} action={action} cwd={cwd} />
      </SeenBy.Provider>
      {context.isUnread && (
        <p class="error" role="alert">
          {t("action.unread")}
        </p>
      )}
      {outcome.value ? (
        <p class="outcome" role="status">
          {outcome.value}
        </p>
      ) : !may("approve") ? (
        <p class="dim">{t("common.notAllowed", { scope: "approve" })}</p>
      ) : (
        <>
          {action.decisions.some((o) => o.decision === "answer") && <Lazy load={loadQuestion} props={card} />}
          {pane.value === "edit" && <EditPane {...card} close={close} />}
          {pane.value === "deny" && refuse && <DenyPane {...card} option={refuse} close={close} />}
          {pane.value === "sure" && <Sure card={card} scope={scope.value} close={close} />}
          {pane.value === "none" && (
            <Buttons
              card={card}
              pane={pane.value}
              open={(to, how) => {
                scope.value = how ?? "once";
                pane.value = to;
              }}
            />
          )}
          {isBusy.value && <p class="dim">{t("action.sending")}</p>}
          <Wrong of={failure.value} />
        </>
      )}
      {inThread ? (
        <details>
          <summary class="dim">{t("thread.about")}</summary>
          {about}
        </details>
      ) : (
        about
      )}
    </article>
  );
}
