// Nodes: the daemons that share the store, which of them live and what they own, what is wrong with one, and handing the
// work of one over.
import { useSignal } from "@preact/signals";
import { may, Problem, read } from "../api/client";
import type { Allotment, DrainNodeReply, NodeState, NodeWorkspace, Node as StoreNode } from "../api/types";
import { SureButton } from "../components/bulk";
import { useCommand } from "../components/command";
import { place, setQuery } from "../state/router";
import { ago, clock, number, safe, span, usd } from "../text/format";
import { Empty, Failed, Fields, Time, Wrong } from "../components/ui";
import { useEvery, useView } from "../state/use_view";
import { t, wordFor, type Word } from "../text/text";

const EVERY_MS = 2000;
/** The limit node_clock_off_ms: a node whose clock is further off gives new work to others. */
const CLOCK_OFF_MS = 2000;
/** Of those that ended, the newest. */
const ENDED_MOST = 50;

const TONE: Record<NodeState, string> = { lives: "good", leaving: "wait", ended: "calm", dead: "bad" };
/** Refusals of drain_node for which the page has a remedy. */
const REMEDIED = ["no_other_node", "node_unreachable", "node_not_found"];

const isHere = (of: StoreNode): boolean => of.state === "lives" || of.state === "leaving";

// ---- drain ----

interface Drained {
  incarnation: number;
  name: string;
  seconds: number;
}

function Refused({ of, name }: { of: Error | undefined; name: string }) {
  if (!(of instanceof Problem) || !REMEDIED.includes(of.code)) return <Wrong of={of} />;
  return (
    <p class="error" role="alert">
      {t(`nodes.refused.${of.code}` as Word, { name: safe(name) })}
    </p>
  );
}

function Drain({ of, drained }: { of: StoreNode; drained: (drain: Drained) => void }) {
  const { incarnation, name } = of;
  const sender = useCommand((reply) => drained({ incarnation, name, seconds: (reply as unknown as DrainNodeReply).drainS }));
  return (
    <>
      <div class="buttons">
        <SureButton
          label={t("nodes.drain")}
          question={t("nodes.drainSure", { name: safe(name) })}
          yes={t("nodes.drainYes")}
          isBusy={sender.isBusy}
          act={() => void sender.run("drain_node", { name })}
        >
          {of.isSelf && <p>{t("nodes.drainSelf")}</p>}
        </SureButton>
      </div>
      <Refused of={sender.failure} name={name} />
    </>
  );
}

/** What has become of the node that was drained last. */
function Outcome({ of, nodes }: { of: Drained; nodes: StoreNode[] }) {
  const found = nodes.find((node) => node.incarnation === of.incarnation);
  const state = !found || found.state === "ended" ? "ended" : found.state === "dead" ? "dead" : "leaving";
  return <p role="status">{t(`nodes.drained.${state}`, { name: safe(of.name), span: span(of.seconds * 1000) })}</p>;
}

// ---- allotments ----

/** The accounts whose amounts are money, in 1e-9 dollars. */
const MONEY = /^(day|tenant):/;
const KNOWN = /^(?:(day|tenant|tasks:tenant):(.*)|(requests|tasks))$/s;

function accountOf(account: string): string {
  const [, kind, name, alone] = KNOWN.exec(account) ?? [];
  if (alone) return wordFor("nodes.account", alone);
  if (!kind) return safe(account);
  return t(`nodes.account.${kind === "tasks:tenant" ? "tenantTasks" : kind}` as Word, { name: safe(name!) });
}

const amountOf = (account: string, amount: number): string => (MONEY.test(account) ? usd(amount / 1e9) : number(amount));

function Allotments({ of }: { of: StoreNode }) {
  if (!of.allotments?.length) return null;
  return (
    <details>
      <summary>{t("nodes.allotments", { n: number(of.allotments.length + (of.allotmentsLeftOut ?? 0)) })}</summary>
      <ul class="rows">
        {of.allotments.map((one: Allotment) => (
          <li key={one.account}>
            <span class="grow">{accountOf(one.account)}</span>
            <span class="num">{amountOf(one.account, one.amount)}</span>
            {one.want > 0 && <span class="badge wait">{t("nodes.want", { amount: amountOf(one.account, one.want) })}</span>}
          </li>
        ))}
      </ul>
      {!!of.allotmentsLeftOut && <p class="dim">{t("nodes.moreAllotments", { n: number(of.allotmentsLeftOut) })}</p>}
    </details>
  );
}

// ---- one node ----

function Workspaces({ of }: { of: NodeWorkspace[] }) {
  return (
    <>
      {of.map((one) => (
        <div key={one.name}>
          {safe(one.name)} <code>{safe(one.path)}</code> {one.isShared && <span class="badge calm">{t("nodes.shared")}</span>}
        </div>
      ))}
    </>
  );
}

function clockOf(ms: number): string {
  if (Math.abs(ms) < 1000) return t("nodes.clockRight");
  return t(ms > 0 ? "nodes.clockAhead" : "nodes.clockBehind", { span: span(Math.abs(ms)) });
}

function Warnings({ of }: { of: StoreNode }) {
  return (
    <>
      {!of.address && <p class="warn-text">{t("nodes.noAddress")}</p>}
      {Math.abs(of.clockOffMs ?? 0) > CLOCK_OFF_MS && <p class="warn-text">{t("nodes.clockWrong")}</p>}
    </>
  );
}

function Card({ of, drained }: { of: StoreNode; drained: (drain: Drained) => void }) {
  const id = `node-${of.incarnation}`;
  return (
    <section class="card store-node" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{safe(of.name)}</h2>
        <span class={`badge ${TONE[of.state] ?? "odd"}`}>{wordFor("nodes.state", of.state)}</span>
        {of.isSelf && <span class="badge calm">{t("nodes.self")}</span>}
      </header>
      {isHere(of) && <Warnings of={of} />}
      <Fields
        of={[
          [t("nodes.sessions"), isHere(of) && <span class="num">{number(of.sessions)}</span>],
          [t("nodes.address"), of.address ? <code>{safe(of.address)}</code> : t("nodes.none")],
          [t("health.version"), safe(of.version)],
          [t("nodes.revision"), isHere(of) && number(of.revision)],
          [t("nodes.started"), of.startedAt && <Time at={of.startedAt}>{ago(of.startedAt)}</Time>],
          [t("nodes.heartbeat"), t("common.ago", { span: span(of.heartbeatAgeMs) })],
          [t("nodes.labels"), isHere(of) && of.labels?.map(safe).join(", ")],
          [t("nodes.workspaces"), isHere(of) && !!of.workspaces?.length && <Workspaces of={of.workspaces} />],
          [t("nodes.clock"), isHere(of) && of.clockOffMs !== undefined && clockOf(of.clockOffMs)],
        ]}
      />
      <Allotments of={of} />
      {of.state === "lives" && may("admin") && <Drain of={of} drained={drained} />}
    </section>
  );
}

// ---- the page ----

interface Reading {
  at: string;
  isShared: boolean;
  nodes: StoreNode[];
}

async function readNodes(withEnded: boolean): Promise<Reading> {
  const { isShared, nodes } = await read("list_nodes", { withEnded });
  return { at: new Date().toISOString(), isShared, nodes };
}

const wantsEnded = (): boolean => place.value.query.get("ended") === "1";

function Versions({ of }: { of: StoreNode[] }) {
  const versions = [...new Set(of.map((node) => node.version))].sort();
  if (versions.length < 2) return null;
  return <p class="warn-text">{t("nodes.versions", { versions: versions.map(safe).join(", ") })}</p>;
}

function Ended({ of, drained }: { of: StoreNode[]; drained: (drain: Drained) => void }) {
  const newest = of.sort((a, b) => b.incarnation - a.incarnation).slice(0, ENDED_MOST);
  return (
    <>
      <h2>{t("nodes.ended")}</h2>
      {!of.length && <p class="dim">{t("nodes.noneEnded")}</p>}
      <div class="grid">
        {newest.map((node) => (
          <Card key={node.incarnation} of={node} drained={drained} />
        ))}
      </div>
      {of.length > ENDED_MOST && <p class="dim">{t("nodes.moreEnded", { n: number(of.length - ENDED_MOST) })}</p>}
    </>
  );
}

function List({ of, drained }: { of: Reading; drained: (drain: Drained) => void }) {
  const here = of.nodes.filter(isHere);
  if (!of.isShared)
    return (
      <section class="card">
        <Empty title={t("nodes.alone")}>
          <p>
            {t("nodes.aloneHow")} <code>docs/how-to/several-nodes.md</code>
          </p>
        </Empty>
      </section>
    );
  return (
    <>
      <Versions of={here} />
      <div class="grid">
        {here.map((node) => (
          <Card key={node.incarnation} of={node} drained={drained} />
        ))}
      </div>
      {wantsEnded() && <Ended of={of.nodes.filter((node) => !isHere(node))} drained={drained} />}
    </>
  );
}

export function Nodes() {
  const drained = useSignal<Drained | undefined>(undefined);
  // Ended nodes also tell what has become of a drained one.
  const { value, failure, again } = useView(() => readNodes(wantsEnded() || !!drained.value), [], []);
  useEvery(EVERY_MS, again);
  function note(drain: Drained): void {
    drained.value = drain;
    again();
  }
  function showEnded(isOn: boolean): void {
    setQuery({ ended: isOn ? "1" : "" });
    again();
  }
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.nodes")}</h1>
        {value?.isShared && (
          <label class="check flat">
            <input type="checkbox" checked={wantsEnded()} onChange={(e) => showEnded(e.currentTarget.checked)} />
            {t("nodes.withEnded")}
          </label>
        )}
      </div>
      <div class="stack">
        {drained.value && value && <Outcome of={drained.value} nodes={value.nodes} />}
        {failure && <Failed why={failure} again={again} />}
        {failure && value && <p class="dim">{t("nodes.readAt", { when: clock(value.at) })}</p>}
        {value ? <List of={value} drained={note} /> : !failure && <p class="reading">{t("common.loading")}</p>}
      </div>
    </div>
  );
}
