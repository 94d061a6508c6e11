// Policy: the rules that apply and their sources, the grants, and the decision that a call would get.
import { useSignal } from "@preact/signals";
import { Parts } from "../components/action";
import { may, read } from "../api/client";
import { Failure, useCommand } from "../components/command";
import { ago, safe, shortId, until } from "../text/format";
import { chosenSession, SessionPicker } from "../components/picker";
import type { Grant, InventoryTool, PermissionDecision, RuleRow } from "../api/types";
import { ModeSelect } from "../components/mode";
import { Empty, Fields, Failed, Match, Said, Time, Wrong } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

interface Reading {
  rules: RuleRow[];
  mode: string;
  grants: Grant[];
  tools: InventoryTool[];
}

/** Rules are shown in the order in which they apply. */
const EFFECTS: RuleRow["effect"][] = ["deny", "ask", "allow"];

async function readPolicy(sessionId: string): Promise<Reading> {
  const [rules, own, shared, inventory] = await Promise.all([
    read("list_rules", { sessionId }),
    read("list_grants", { sessionId }),
    read("list_grants", {}),
    read("get_tool_inventory", { sessionId }),
  ]);
  const wide = shared.grants.map((grant) => ({ ...grant, sessionId: undefined }));
  return { rules: rules.rules, mode: rules.mode, grants: [...own.grants, ...wide], tools: inventory.tools };
}

function Rules({ rules }: { rules: RuleRow[] }) {
  if (!rules.length) return <p class="dim">{t("policy.noRules")}</p>;
  const ordered = EFFECTS.flatMap((effect) => rules.filter((rule) => rule.effect === effect));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("policy.rules")}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t("policy.effect")}</th>
            <th scope="col">{t("policy.about")}</th>
            <th scope="col">{t("policy.source")}</th>
            <th scope="col">{t("policy.reason")}</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((rule, i) => (
            <tr key={`${rule.ruleRef}:${i}`} class={rule.counts ? undefined : "off"}>
              <td>
                <span class={`badge ${rule.effect === "deny" ? "bad" : rule.effect === "allow" ? "good" : "wait"}`}>{wordFor("action", rule.effect)}</span>
                {rule.always && <span class="dim"> {t("policy.always")}</span>}
              </td>
              <td>
                <Match of={rule} />
              </td>
              <td>
                {wordFor("policy.from", rule.source)} <code class="id">{safe(rule.ruleRef)}</code>
                {!rule.counts && <p class="warn-text">{t("policy.untrusted")}</p>}
              </td>
              <td>{safe(rule.reason ?? "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Grants({ grants, again }: { grants: Grant[]; again: () => void }) {
  const sender = useCommand(again);
  if (!grants.length) return <p class="dim">{t("policy.noGrants")}</p>;
  return (
    <>
      <ul class="rows">
        {grants.map((grant) => (
          <li key={grant.grantId}>
            <span class="badge good">{wordFor("action.allow", grant.scope)}</span>
            <span class="grow">
              <Match of={grant.match ?? {}} />
              {grant.cwd && <code class="dim">{safe(grant.cwd)}</code>}
            </span>
            <span class="dim">
              <Time at={grant.createdAt}>{ago(grant.createdAt)}</Time>
              {grant.expiresAt && (
                <Time at={grant.expiresAt}>
                  {" · "}
                  {t("policy.ends", { when: until(grant.expiresAt) })}
                </Time>
              )}
            </span>
            <code class="id">{shortId(grant.grantId)}</code>
            {may("approve") && (
              <button
                type="button"
                class="danger"
                disabled={sender.isBusy}
                onClick={() => void sender.run("revoke_grant", { sessionId: grant.sessionId, grantId: grant.grantId, reason: "console" })}
              >
                {t("policy.revoke")}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Failure of={sender} />
    </>
  );
}

function Verdict({ of }: { of: PermissionDecision }) {
  const tone = of.decision === "deny" ? "bad" : of.decision === "ask" ? "wait" : "good";
  return (
    <div class="verdict" role="status">
      <p>
        <span class={`badge ${tone}`}>{wordFor("action", of.decision)}</span> <Said kind="decision" code={of.decisionSource} text={of.decisionReason} />
      </p>
      <Parts permission={of} />
      <Fields
        of={[
          [t("action.rule"), of.ruleRefs.length > 0 && of.ruleRefs.map((rule) => <code key={rule}>{safe(rule)}</code>)],
          [t("policy.source"), wordFor("policy.decidedBy", of.decisionSource)],
          [t("action.mode"), of.mode],
          [t("policy.destroys"), of.destructive ? t("policy.yes") : t("policy.no")],
          [t("action.effect"), of.impact?.effect && wordFor("effect", of.impact.effect)],
          [t("action.network"), of.networkDecision && wordFor("network", of.networkDecision)],
          [t("action.undo"), of.rollbackAdvice && <Said kind="undo" code="advice" text={of.rollbackAdvice} />],
        ]}
      />
    </div>
  );
}

function Try({ sessionId, tools }: { sessionId: string; tools: InventoryTool[] }) {
  const toolName = useSignal(tools.find((tool) => tool.toolName === "shell")?.toolName ?? tools[0]?.toolName ?? "");
  const text = useSignal("");
  const verdict = useSignal<PermissionDecision | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  if (!may("write")) return <p class="dim">{t("common.notAllowed", { scope: "write" })}</p>;
  if (!tools.length) return <p class="dim">{t("policy.noTools")}</p>;
  const tool = tools.find((one) => one.toolName === toolName.value);
  const isCommand = tool?.inputSchema?.properties?.command !== undefined || toolName.value === "shell";
  async function judge(e: Event) {
    e.preventDefault();
    failure.value = undefined;
    verdict.value = undefined;
    try {
      const input = isCommand ? { command: text.value } : JSON.parse(text.value || "{}");
      const reply = await read("evaluate_permission", {
        sessionId,
        subject: "tool",
        toolName: toolName.value,
        input,
        record: false,
      });
      verdict.value = reply.permissionDecision;
    } catch (error) {
      failure.value = error instanceof SyntaxError ? new Error(t("edit.bad", { why: error.message })) : (error as Error);
    }
  }
  return (
    <form class="try" onSubmit={judge}>
      <label>
        {t("policy.tool")}
        <select value={toolName.value} onChange={(e) => (toolName.value = e.currentTarget.value)}>
          {tools.map((one) => (
            <option key={one.toolName} value={one.toolName}>
              {one.toolName}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        {isCommand ? t("action.command") : t("action.arguments")}
        <textarea class="mono" rows={2} spellcheck={false} placeholder={isCommand ? 'cd sub && sh -c "rm -rf build"' : '{"path":"notes.txt"}'} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
      </label>
      <button type="submit" class="primary" disabled={!text.value.trim()}>
        {t("policy.try")}
      </button>
      <Wrong of={failure.value} />
      {verdict.value && <Verdict of={verdict.value} />}
    </form>
  );
}

export function Policy() {
  const sessionId = chosenSession();
  const { value, failure, again } = useView(
    async () => (sessionId ? readPolicy(sessionId) : undefined),
    ["policy.", "session.", "tool.catalog"],
    [sessionId],
  );
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.policy")}</h1>
        {sessionId && <SessionPicker value={sessionId} />}
      </div>
      {!sessionId ? (
        <Empty title={t("policy.empty")} how={t("policy.emptyHow")}>
          <pre class="code">thole policy show</pre>
        </Empty>
      ) : failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : (
        <div class="stack">
          <section class="card">
            <h2>{t("policy.try")}</h2>
            <Try key={sessionId} sessionId={sessionId} tools={value.tools} />
          </section>
          <section class="card">
            <h2>{t("policy.rules")}</h2>
            <p class="dim">{t("policy.order")}</p>
            <Rules rules={value.rules} />
            <p>{t("policy.mode")}</p>
            <ModeSelect sessionId={sessionId} mode={value.mode} label={t("policy.mode")} again={again} />
          </section>
          <section class="card">
            <h2>{t("policy.grants")}</h2>
            <Grants grants={value.grants} again={again} />
          </section>
        </div>
      )}
    </div>
  );
}
