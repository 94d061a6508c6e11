// The card of a pending approval or question: the request, its context, and the possible answers.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { may, Problem, send } from "../api/client";
import { useCallContext, type CallContext } from "../state/call_context";
import { CHANGE_KEYS, changeOf, Diff } from "./diff";
import { ago, now, reveal, safe, shortId, until } from "../text/format";
import { singleKeys } from "./keys";
import { href } from "../state/router";
import { refreshActions, sessions } from "../state/store";
import type { ActionView, AnswerSchema, DecisionOption, GrantScope, PermissionDecision, RespondActionArgs, SandboxProfile } from "../api/types";
import { Fields, pretty, Time } from "./ui";
import { t, wordFor } from "../text/text";

/** A shell command as text, a file change as a diff, other arguments by name. */
function Subject({ args, action }: { args: unknown; action: ActionView }) {
  if (action.actionType !== "tool_permission" || args === undefined) return <p class="question">{reveal(action.prompt)}</p>;
  const given = args as Record<string, unknown>;
  const command = typeof given?.command === "string" ? given.command : undefined;
  const change = changeOf(args);
  const shown = new Set([...(command !== undefined ? ["command"] : []), ...(change ? CHANGE_KEYS : [])]);
  if (!shown.size) return <pre class="code" tabIndex={0}>{reveal(pretty(args))}</pre>;
  const rest = Object.entries(given).filter(([name]) => !shown.has(name));
  return (
    <>
      {command !== undefined && <pre class="code command" tabIndex={0}>{reveal(command)}</pre>}
      <Fields of={rest.map(([name, value]) => [reveal(name), <code>{reveal(pretty(value))}</code>])} />
      {change && <Diff of={change} />}
    </>
  );
}

/** The sandbox of the call: mode, tier, network and writable directories. */
function SandboxText({ sandbox, mode }: { sandbox: SandboxProfile | undefined; mode: string | undefined }) {
  if (!sandbox) return <>{mode ?? t("common.unknown")}</>;
  return (
    <>
      {wordFor("sandbox", sandbox.mode ?? "unknown")} <span class="dim">{sandbox.tier}</span>
      {sandbox.network?.mode && <> · {t("action.sandboxNetwork", { mode: sandbox.network.mode })}</>}
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

/** The access that an approval adds to the sandbox, in words. */
function moreText(more: NonNullable<ActionView["override"]>): string {
  return [
    more.mode === "danger_full_access" && t("action.more.all"),
    ...(more.network ? [t("action.more.network")] : (more.hosts ?? []).map(safe)),
    more.unixSockets && t("action.more.sockets"),
    ...[...(more.writeRoots ?? []), ...(more.writeFiles ?? [])].map((path) => t("action.more.write", { path: safe(path) })),
    ...[...(more.readRoots ?? []), ...(more.readFiles ?? [])].map((path) => t("action.more.read", { path: safe(path) })),
  ]
    .filter(Boolean)
    .join(", ");
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

// ---- answering ----

type Answer = Pick<RespondActionArgs, "decision" | "scope" | "reason" | "input" | "payload">;
type Pane = "none" | "edit" | "deny" | "sure";

interface CardState {
  action: ActionView;
  answer: (a: Answer) => Promise<void>;
  isBusy: boolean;
  context: CallContext;
}

function DenyPane({ action, answer, option, close }: CardState & { option: DecisionOption; close: () => void }) {
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
        <button type="submit" class="danger">
          {wordFor("action", option.decision)}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
      <span class="sr-only">{action.prompt}</span>
    </form>
  );
}

function EditPane({ answer, context, close }: CardState & { close: () => void }) {
  const text = useSignal(pretty(context.args ?? {}));
  const failure = useSignal("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  function submit(e: Event) {
    e.preventDefault();
    try {
      void answer({ decision: "allow", scope: "once", input: JSON.parse(text.value) });
    } catch (error) {
      failure.value = t("action.editBad", { why: (error as Error).message });
    }
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
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary">
          {t("action.editDo")}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </form>
  );
}

function QuestionPane({ action, answer, isBusy }: CardState) {
  const schema: AnswerSchema | undefined = action.schema;
  const fields = Object.entries(schema?.properties ?? { answer: { type: "string" } });
  const single = fields.length === 1 ? fields[0]! : undefined;
  const choices = single?.[1].enum;
  const isText = single && !choices && (single[1].type ?? "string") === "string";
  const value = useSignal(choices || isText ? "" : "{}");
  const failure = useSignal("");
  function submit(e: Event) {
    e.preventDefault();
    try {
      const payload = choices
        ? { [single![0]]: choices[Number(value.value)] }
        : isText
          ? { [single![0]]: value.value }
          : JSON.parse(value.value);
      void answer({ decision: "answer", payload });
    } catch (error) {
      failure.value = t("action.editBad", { why: (error as Error).message });
    }
  }
  return (
    <form class="pane plain" onSubmit={submit}>
      {choices ? (
        <fieldset>
          <legend>{t("action.yourAnswer")}</legend>
          {choices.map((choice, i) => (
            <label class="choice" key={i}>
              <input type="radio" name={action.actionId} value={i} checked={value.value === String(i)} onChange={() => (value.value = String(i))} />
              {safe(String(choice))}
            </label>
          ))}
        </fieldset>
      ) : (
        <label>
          {t("action.yourAnswer")}
          <textarea
            rows={isText ? 2 : 5}
            class={isText ? "" : "mono"}
            value={value.value}
            onInput={(e) => (value.value = e.currentTarget.value)}
          />
        </label>
      )}
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || value.value === ""}>
          {t("action.answer")}
        </button>
      </div>
    </form>
  );
}

const isAllow = (o: DecisionOption): boolean => o.decision === "allow" || o.decision === "sandboxed";
const REFUSALS: DecisionOption["decision"][] = ["deny", "decline", "cancel"];
const isRefusal = (o: DecisionOption): boolean => REFUSALS.includes(o.decision);

function Buttons({ card, pane, open }: { card: CardState; pane: Pane; open: (pane: Pane, scope?: GrantScope) => void }) {
  const { action, answer, isBusy, context } = card;
  const allow = action.decisions.find(isAllow);
  const refuse = action.decisions.find(isRefusal);
  const isDestructive = context.permission?.destructive ?? action.policy?.destructive;
  function choose(scope: GrantScope) {
    if (isDestructive) open("sure", scope);
    else void answer({ decision: allow!.decision, scope });
  }
  return (
    <div class="buttons">
      {allow &&
        ((allow.scopes ?? ["once"]) as GrantScope[]).map((scope, i) => (
          <button type="button" key={scope} class={i === 0 ? "primary" : ""} disabled={isBusy || context.isUnread} onClick={() => choose(scope)}>
            {wordFor("action.allow", scope)}
          </button>
        ))}
      {allow?.mayEditInput && (
        <button type="button" aria-expanded={pane === "edit"} disabled={isBusy || context.args === undefined} onClick={() => open("edit")}>
          {t("action.edit")}
        </button>
      )}
      {refuse && (
        <button type="button" class="danger" aria-expanded={pane === "deny"} disabled={isBusy} onClick={() => open("deny")}>
          {wordFor("action", refuse.decision)}
        </button>
      )}
    </div>
  );
}

function Sure({ card, scope, close }: { card: CardState; scope: GrantScope; close: () => void }) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  return (
    <div class="pane sure" role="group" aria-label={t("action.really")}>
      <p>
        {t("action.really")} <span class="dim">{wordFor("action.allow", scope)}</span>
      </p>
      <div class="buttons">
        <button ref={yes} type="button" class="danger solid" onClick={() => void card.answer({ decision: "allow", scope })}>
          {t("action.reallyYes")}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {t("common.cancel")}
        </button>
      </div>
    </div>
  );
}

export function ActionCard({ action, sessionId, inThread }: { action: ActionView; sessionId: string; inThread?: boolean }) {
  const context = useCallContext(action, sessionId);
  const pane = useSignal<Pane>("none");
  const scope = useSignal<GrantScope>("once");
  const isBusy = useSignal(false);
  const outcome = useSignal("");
  const failure = useSignal("");
  const refuse = action.decisions.find(isRefusal);
  const title = sessions.value?.find((row) => row.sessionId === sessionId)?.title;
  const close = () => (pane.value = "none");

  async function answer(given: Answer) {
    isBusy.value = true;
    failure.value = "";
    try {
      const reply = await send("respond_action", { sessionId, actionId: action.actionId, ...given });
      outcome.value = t("action.done", { decision: wordFor("action", reply.decision) });
    } catch (e) {
      if (e instanceof Problem && e.code === "already_resolved") outcome.value = t("action.already");
      else failure.value = (e as Error).message;
    }
    isBusy.value = false;
    refreshActions();
  }
  function onKey(e: KeyboardEvent) {
    if (!singleKeys.value || e.target !== e.currentTarget || !may("approve")) return;
    const allow = action.decisions.find(isAllow);
    const isDestructive = context.permission?.destructive ?? action.policy?.destructive;
    if (e.key === "y" && allow && !context.isUnread) {
      if (isDestructive) pane.value = "sure";
      else void answer({ decision: allow.decision, scope: "once" });
    } else if (e.key === "n" && refuse) pane.value = "deny";
    else if (e.key === "e" && allow?.mayEditInput && context.args !== undefined) pane.value = "edit";
    else return;
    e.preventDefault();
  }
  const card: CardState = { action, answer, isBusy: isBusy.value, context };
  const where = action.scopeDetail;
  const cwd = where?.cwd ?? context.cwd;
  const heading = action.toolName && action.actionType === "tool_permission" ? action.toolName : wordFor("action", action.actionType);
  // A question has no effect outside, so directory, rule and sandbox do not apply to it.
  const judged = context.permission;
  const rules = judged?.ruleRefs ?? action.policy?.ruleRefs ?? [];
  const paths = where?.paths ?? (where?.path ? [where.path] : (judged?.pathCheck?.resolved ?? []));
  const aboutCall: [string, ComponentChildren][] = [
    [t("action.reason"), judged && safe(judged.decisionReason)],
    [
      t("action.rule"),
      rules.length
        ? rules.map((rule) => <code key={rule}>{safe(rule)}</code>)
        : judged && t("action.noRule", { source: judged.decisionSource, mode: judged.mode }),
    ],
    [t("action.cwd"), cwd && <code>{safe(cwd)}</code>],
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
    [t("action.effect"), judged?.impact?.effect],
    [t("action.host"), where?.host],
    [t("action.network"), judged?.networkDecision],
    [t("action.sandbox"), <SandboxText sandbox={context.sandbox} mode={action.policy?.sandboxMode} />],
    [t("action.more"), action.override && <span class="warn-text">{moreText(action.override)}</span>],
    [t("action.mode"), judged?.mode],
    [t("action.undo"), judged?.rollbackAdvice && safe(judged.rollbackAdvice)],
  ];
  const aboutAll: [string, ComponentChildren][] = [
    [
      t("action.thread"),
      !inThread && <a href={href(["thread", sessionId, action.threadId])}>{safe(title ?? "") || shortId(sessionId)}</a>,
    ],
    [t("action.asked"), <Time at={action.requestedAt}>{ago(action.requestedAt)}</Time>],
  ];
  const details = <Fields of={[...(action.actionType === "structured_input" ? [] : aboutCall), ...aboutAll]} />;
  return (
    <article class="card action" tabIndex={-1} data-action={action.actionId} aria-label={`${heading}: ${action.prompt}`} onKeyDown={onKey}>
      <header>
        <h2>{safe(heading)}</h2>
        <Risk action={action} context={context} />
        <span class="spread" />
        <Expiry action={action} />
      </header>
      <Subject args={context.args} action={action} />
      {context.isUnread && (
        <p class="error" role="alert">
          {t("action.unread")}
        </p>
      )}
      <Parts permission={context.permission} />
      {inThread ? (
        <details>
          <summary class="dim">{t("thread.about")}</summary>
          {details}
        </details>
      ) : (
        details
      )}
      {outcome.value ? (
        <p class="outcome" role="status">
          {outcome.value}
        </p>
      ) : !may("approve") ? (
        <p class="dim">{t("common.notAllowed", { scope: "approve" })}</p>
      ) : (
        <>
          {action.decisions.some((o) => o.decision === "answer") && <QuestionPane {...card} />}
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
          {failure.value && (
            <p class="error" role="alert">
              {failure.value}
            </p>
          )}
        </>
      )}
    </article>
  );
}
