// Agents: the child agents of a session as a tree, with their limits, and controls to send, resume and close.
import { useSignal } from "@preact/signals";
import { may, readRows } from "../api/client";
import type { Subagent, SubagentStatus } from "../api/types";
import { Failure, useCommand } from "../components/command";
import { safe, shortId } from "../text/format";
import { Output } from "../components/output";
import { chosenSession, SessionPicker } from "../components/picker";
import { href } from "../state/router";
import { Empty, Fields, Failed, Status } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

const MOST = 1000;
const OPEN = new Set<SubagentStatus>(["queued", "running", "blocked"]);

function AgentActions({ agent, sessionId, again }: { agent: Subagent; sessionId: string; again: () => void }) {
  const text = useSignal("");
  const sender = useCommand(() => {
    text.value = "";
    again();
  });
  if (!may("write") || agent.status === "closed") return null;
  const ids = { sessionId, subagentId: agent.subagentId };
  return (
    <form
      class="agent-form"
      onSubmit={(e) => {
        e.preventDefault();
        void sender.run("send_subagent_input", { ...ids, input: text.value });
      }}
    >
      <input aria-label={t("agents.say", { who: agent.nickname ?? agent.role })} placeholder={t("thread.message")} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
      <button type="submit" disabled={!text.value.trim() || sender.isBusy}>
        {t("thread.send")}
      </button>
      {!OPEN.has(agent.status) && (
        <button type="button" class="quiet" disabled={sender.isBusy} onClick={() => void sender.run("resume_subagent", ids)}>
          {t("thread.resume")}
        </button>
      )}
      <button type="button" class="danger" disabled={sender.isBusy} onClick={() => void sender.run("close_subagent", { ...ids, reason: "console" })}>
        {t("agents.close")}
      </button>
      <Failure of={sender} />
    </form>
  );
}

function Node({ agent, all, sessionId, again }: { agent: Subagent; all: Subagent[]; sessionId: string; again: () => void }) {
  const isShown = useSignal(false);
  const children = all.filter((one) => one.parentSubagentId === agent.subagentId);
  const bounds = agent.isolation;
  return (
    <li>
      <article class="card agent">
        <header class="card-head">
          <h2>
            <a href={href(["thread", sessionId, agent.threadId])}>{safe(agent.nickname ?? agent.role)}</a>
          </h2>
          {agent.nickname && <span class="dim">{safe(agent.role)}</span>}
          <Status of={agent.status} small />
          <span class="spread" />
          <code class="id">{shortId(agent.subagentId)}</code>
        </header>
        <Fields
          of={[
            [t("thread.model"), agent.model ?? wordFor("agents.model", agent.modelPolicy)],
            [t("action.mode"), bounds.permissionMode],
            [t("agents.workspace"), bounds.worktree ?? bounds.workspace],
            [t("agents.memory"), bounds.memory],
            [t("agents.tools"), bounds.tools && (bounds.tools.map(safe).join(", ") || t("agents.noTools"))],
            [t("agents.task"), agent.parentTaskId && <a href={href(["tasks"], { at: agent.parentTaskId, of: sessionId })}>{shortId(agent.parentTaskId)}</a>],
          ]}
        />
        {agent.lastMessageRef && (
          <>
            <div class="buttons">
              <button type="button" class="quiet" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
                {t("agents.last")}
              </button>
            </div>
            {isShown.value && <Output outputRef={agent.lastMessageRef} sessionId={sessionId} />}
          </>
        )}
        <AgentActions agent={agent} sessionId={sessionId} again={again} />
      </article>
      {children.length > 0 && (
        <ul class="tree">
          {children.map((child) => (
            <Node key={child.subagentId} agent={child} all={all} sessionId={sessionId} again={again} />
          ))}
        </ul>
      )}
    </li>
  );
}

export function Agents() {
  const sessionId = chosenSession();
  const { value, failure, again } = useView(
    async () => (sessionId ? (await readRows("list_subagents", "subagents", { sessionId, descendants: true }, MOST)).rows : []),
    ["subagent.", "thread.", "turn."],
    [sessionId],
  );
  const ids = new Set(value?.map((agent) => agent.subagentId));
  const roots = value?.filter((agent) => !agent.parentSubagentId || !ids.has(agent.parentSubagentId)) ?? [];
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.agents")}</h1>
        {sessionId && <SessionPicker value={sessionId} />}
        <p class="dim" role="status">
          {value && value.length > 0 && t("agents.count", { n: value.length })}
        </p>
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.length ? (
        <Empty title={t("agents.empty")} how={t("agents.emptyHow")}>
          <pre class="code">thole agent tree @last</pre>
        </Empty>
      ) : (
        <ul class="tree root">
          {roots.map((agent) => (
            <Node key={agent.subagentId} agent={agent} all={value} sessionId={sessionId!} again={again} />
          ))}
        </ul>
      )}
    </div>
  );
}
