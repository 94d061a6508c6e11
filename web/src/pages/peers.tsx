// Peers: remote agents that tasks can be delegated to, with their cards and the delegations under way, and the addresses
// at which programs that speak other protocols reach this runtime.
import { useSignal } from "@preact/signals";
import { read, readRows } from "../api/client";
import type { Endpoint, ListedTask, Peer, PeerStatus } from "../api/types";
import { href } from "../state/router";
import { actions } from "../state/store";
import { number, safe, shortId } from "../text/format";
import { Copy, Empty, Failed, Fields, Said, Status, Wrong } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

const TONE: Record<PeerStatus, string> = { ready: "good", unread: "calm", card_changed: "wait", down: "bad" };

/** Delegations that are listed with each agent; the task page has all of them. */
const SHOWN = 20;

/** The agent that has the last attempt of a task. */
const agentOf = (task: ListedTask): string | undefined => task.attempts.at(-1)?.worker?.ref;

// ---- delegations ----

function Delegation({ of }: { of: ListedTask }) {
  const isAsking = actions.value?.some((action) => action.taskId === of.taskId);
  return (
    <li>
      <Status of={of.status} small />
      <a class="grow" href={href(["tasks"], { at: of.taskId, of: of.sessionId })}>
        {safe(of.title ?? of.objective ?? "").slice(0, 120) || shortId(of.taskId)}
      </a>
      {of.nativeStatus && <code class="dim">{safe(of.nativeStatus)}</code>}
      {isAsking && <a href={href(["approvals"])}>{t("peers.answer")}</a>}
    </li>
  );
}

function Delegations({ of, count }: { of: ListedTask[]; count: number }) {
  const left = Math.max(count, of.length) - Math.min(SHOWN, of.length);
  if (!count && !of.length) return <p class="dim">{t("peers.noTasks")}</p>;
  return (
    <>
      <h3>{t("peers.tasks", { n: number(Math.max(count, of.length)) })}</h3>
      <ul class="rows">
        {of.slice(0, SHOWN).map((task) => (
          <Delegation key={task.taskId} of={task} />
        ))}
      </ul>
      {left > 0 && <a href={href(["tasks"])}>{t("peers.moreTasks", { n: number(left) })}</a>}
    </>
  );
}

// ---- one agent ----

function Card({ of, tasks }: { of: Peer; tasks: ListedTask[] }) {
  return (
    <section class="card peer" aria-labelledby={`peer-${of.name}`}>
      <header class="card-head">
        <h2 id={`peer-${of.name}`}>{safe(of.name)}</h2>
        <span class={`badge ${TONE[of.status] ?? "odd"}`}>{wordFor("peers.status", of.status)}</span>
      </header>
      {of.description && <p>{safe(of.description)}</p>}
      {of.detail && of.status !== "card_changed" && (
        <p class={of.status === "down" ? "bad-text" : "dim"}>
          <Said kind="peer" code={of.status} text={of.detail} />
        </p>
      )}
      {of.status === "card_changed" && <p class="warn-text">{t("peers.changed")}</p>}
      <Fields
        of={[
          [t("peers.agent"), of.agent && [of.agent, of.agentVersion].filter(Boolean).map((word) => safe(word!)).join(" ")],
          [t("peers.card"), <code>{safe(of.cardUrl)}</code>],
          [t("peers.interface"), of.url && <code>{[of.url, of.binding].filter(Boolean).map((word) => safe(word!)).join(" · ")}</code>],
          [t("peers.signed"), of.signedBy && <code title={of.signedBy}>{safe(of.signedBy).slice(0, 16)}</code>],
          [t("peers.hash"), of.cardHash && <code title={of.cardHash}>{safe(of.cardHash).slice(0, 16)}</code>],
          [t("peers.headers"), of.headers.length > 0 && of.headers.map(safe).join(", ")],
          [t("peers.tool"), <code>{safe(of.toolName)}</code>],
        ]}
      />
      <Delegations of={tasks} count={of.openTasks} />
    </section>
  );
}

/** Cards are read only on request: reading the page of the console sends nothing to another machine. */
function ReadCards({ again }: { again: () => void }) {
  const isBusy = useSignal(false);
  const failure = useSignal<Error | undefined>(undefined);
  async function check() {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await read("list_peers", { check: true });
      again();
    } catch (e) {
      failure.value = e as Error;
    }
    isBusy.value = false;
  }
  return (
    <>
      <button type="button" disabled={isBusy.value} onClick={() => void check()}>
        {t(isBusy.value ? "peers.reading" : "peers.check")}
      </button>
      <Wrong of={failure.value} />
    </>
  );
}

// ---- endpoints ----

function EndpointRow({ of }: { of: Endpoint }) {
  const address = `${(of.url || location.origin).replace(/\/$/, "")}${of.path}`;
  return (
    <tr>
      <th scope="row">
        {wordFor("peers.protocol", of.protocol)}
        {of.binding && <span class="dim"> {of.binding}</span>}
      </th>
      <td>
        <span class={`badge ${of.isEnabled ? "good" : "calm"}`}>{t(of.isEnabled ? "peers.on" : "peers.off")}</span>
      </td>
      <td>
        {of.isEnabled ? (
          <span class="typed">
            <code>{safe(address)}</code> <Copy text={address} />
          </span>
        ) : (
          <span class="dim">
            {t("peers.enable")} <code>{`"${of.setting}": true`}</code>
          </span>
        )}
      </td>
    </tr>
  );
}

function Endpoints() {
  const { value, failure, again } = useView(async () => (await read("get_capabilities", {})).endpoints, [], []);
  return (
    <section class="card">
      <h2>{t("peers.endpoints")}</h2>
      <p class="dim">{t("peers.endpointsHow")}</p>
      {failure && <Failed why={failure} again={again} />}
      {!failure && !value && <p class="reading">{t("common.loading")}</p>}
      {value && (
        <div class="scroll" tabIndex={0} role="region" aria-label={t("peers.endpoints")}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t("peers.protocol")}</th>
                <th scope="col">{t("live.status")}</th>
                <th scope="col">{t("peers.address")}</th>
              </tr>
            </thead>
            <tbody>
              {value.map((one) => (
                <EndpointRow key={one.path} of={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

// ---- the page ----

interface Reading {
  peers: Peer[];
  tasks: ListedTask[];
}

async function readPeers(): Promise<Reading> {
  const { peers } = await read("list_peers", {});
  if (!peers.length) return { peers, tasks: [] };
  const { rows } = await readRows("list_tasks", "tasks", { worker: "peer", open: true }, 1000);
  return { peers, tasks: rows as ListedTask[] };
}

function Agents({ of }: { of: Reading }) {
  if (!of.peers.length)
    return (
      <section class="card">
        <Empty title={t("peers.empty")} how={t("peers.emptyHow")}>
          <pre class="code">thole peer add reviewer https://review.example.org</pre>
        </Empty>
      </section>
    );
  return (
    <div class="grid">
      {of.peers.map((peer) => (
        <Card key={peer.name} of={peer} tasks={of.tasks.filter((task) => agentOf(task) === peer.name)} />
      ))}
    </div>
  );
}

export function Peers() {
  const { value, failure, again } = useView(readPeers, ["task.", "action.", "channel."], []);
  return (
    <div class="page plain peers">
      <div class="bar">
        <h1>{t("nav.peers")}</h1>
        {!!value?.peers.length && <ReadCards again={again} />}
      </div>
      <div class="stack">
        {failure ? <Failed why={failure} again={again} /> : value ? <Agents of={value} /> : <p class="reading">{t("common.loading")}</p>}
        <Endpoints />
      </div>
    </div>
  );
}
