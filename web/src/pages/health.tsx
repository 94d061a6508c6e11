// Health: checks with remedies, commit latency, store size, subscribers, models, sandbox.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, read, request, session } from "../api/client";
import type { GetCapabilitiesReply, Peer, ProviderCapability, SandboxCapability, ToolServer } from "../api/types";
import { bytes, dateTime, now, number, safe, span } from "../text/format";
import { href } from "../state/router";
import { Copy, Failed, Fields } from "../components/ui";
import { t, wordFor } from "../text/text";

type Metrics = Map<string, number>;
const EVERY_MS = 2000;
const LOOK_MS = 10_000;
const POINTS = 90;

function parseMetrics(text: string): Metrics {
  const found: Metrics = new Map();
  for (const line of text.split("\n")) {
    const [name, value] = line.split(" ");
    if (name && value !== undefined && !line.startsWith("#")) found.set(name.replace(/^thole_|\{.*$/g, ""), Number(value));
  }
  return found;
}

/** Commit latency over the last three minutes.  The current figure is shown as text. */
function Plot({ points }: { points: number[] }) {
  const most = Math.max(...points, 0.001);
  const line = points.map((p, i) => `${(i * 300) / (POINTS - 1)},${40 - (p / most) * 36}`).join(" ");
  return (
    <svg class="plot" viewBox="0 0 300 42" preserveAspectRatio="none" role="img" aria-label={t("health.commitPlot")}>
      <polyline points={line} fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

function useMetrics() {
  const metrics = useSignal<Metrics | undefined>(undefined);
  const points = useSignal<number[]>([]);
  const failure = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    async function tick() {
      if (document.hidden) return;
      try {
        const found = parseMetrics(await (await request("/metrics")).text());
        metrics.value = found;
        points.value = [...points.value, found.get("last_commit_seconds") ?? 0].slice(-POINTS);
        failure.value = undefined;
      } catch (e) {
        failure.value = e as Error;
      }
    }
    void tick();
    const timer = setInterval(tick, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return { metrics: metrics.value, points: points.value, failure: failure.value };
}

function Sandbox({ of }: { of: SandboxCapability }) {
  return (
    <section class="card">
      <h2>{t("health.sandbox")}</h2>
      {of.status === "unknown" ? (
        <p class="dim">{t("health.sandboxUnknown")}</p>
      ) : (
        <Fields
          of={[
            [t("live.status"), <span class={`badge ${of.status === "available" ? "good" : "bad"}`}>{wordFor("limit", of.status)}</span>],
            [t("action.mode"), of.mode && wordFor("sandbox", of.mode)],
            [t("health.tier"), of.tier && <code>{of.tier}</code>],
          ]}
        />
      )}
    </section>
  );
}

type Check = { id: string; is: "ok" | "note" | "bad"; detail: string; remedy?: string };

/** The checks of `thole doctor` that a browser can make, under the same names. */
function checksOf(isReady: boolean, caps: GetCapabilitiesReply, servers: ToolServer[] | undefined, peers: Peer[] | undefined): Check[] {
  const sandbox: SandboxCapability = caps.sandbox;
  const isOpen = sandbox.mode === "danger_full_access";
  const keyless = (caps.providers as ProviderCapability[]).filter((one) => !one.hasCredential).map((one) => one.provider);
  const found: Check[] = [
    { id: "daemon.answers", is: isReady ? "ok" : "bad", detail: isReady ? t("check.answers") : t("check.notReady"), remedy: isReady ? undefined : "thole doctor" },
    {
      id: "sandbox",
      is: isOpen ? "bad" : sandbox.status === "available" ? "ok" : sandbox.status === "unknown" ? "note" : "bad",
      detail: isOpen
        ? wordFor("sandbox", "danger_full_access")
        : sandbox.status === "unknown"
          ? t("health.sandboxUnknown")
          : (sandbox.tier ?? wordFor("limit", sandbox.status)),
      remedy: sandbox.status === "unavailable" ? "thole sandbox probe" : undefined,
    },
    keyless.length
      ? { id: "providers.key", is: "note", detail: t("check.noKey", { names: [...new Set(keyless)].join(", ") }), remedy: `thole auth add ${keyless[0]}` }
      : { id: "providers.key", is: "ok", detail: t("check.keys") },
  ];
  const down = (servers ?? []).filter((one) => one.status !== "ready" && one.status !== "disabled");
  if (servers && !down.length) found.push({ id: "tools.servers", is: "ok", detail: servers.length ? t("check.servers", { n: servers.length }) : t("check.noServers") });
  for (const one of down)
    found.push({
      id: "tools.servers",
      is: one.status === "down" ? "bad" : "note",
      detail: `${one.name}: ${one.status}${one.detail ? `, ${one.detail}` : ""}`,
      remedy: `thole mcp ${one.status === "untrusted" ? "trust" : one.status === "login_required" ? "login" : "show"} ${one.name}`,
    });
  return [...found, ...peerChecks(peers)];
}

/** Remote agents; one whose card was not read yet is no trouble, because cards are read when they are needed. */
function peerChecks(peers: Peer[] | undefined): Check[] {
  const troubled = (peers ?? []).filter((one) => one.status === "down" || one.status === "card_changed");
  if (!peers?.length || !troubled.length) return peers ? [{ id: "agents.remote", is: "ok", detail: peers.length ? t("check.peers", { n: peers.length }) : t("check.noServers") }] : [];
  return troubled.map((one) => ({
    id: "agents.remote",
    is: one.status === "down" ? "bad" : "note",
    detail: `${safe(one.name)}: ${wordFor("peers.status", one.status)}${one.detail ? `, ${safe(one.detail)}` : ""}`,
    remedy: `thole peer show ${one.name}`,
  }));
}

const SIGN = { ok: "✓", note: "·", bad: "✗" };
const TONE = { ok: "good-text", note: "dim", bad: "bad-text" };

function Checks({ of }: { of: Check[] }) {
  return (
    <section class="card checks">
      <h2>{t("check.title")}</h2>
      <ul class="rows">
        {of.map((one, i) => (
          <li key={i}>
            <span class={TONE[one.is]} role="img" aria-label={t(`check.${one.is}`)}>
              {SIGN[one.is]}
            </span>
            <code>{one.id}</code>
            <span>{one.detail}</span>
            <span class="spread" />
            {one.remedy && <Remedy command={one.remedy} />}
          </li>
        ))}
      </ul>
      <p class="dim">
        {t("check.rest")} <Remedy command="thole doctor" />
      </p>
    </section>
  );
}

function Remedy({ command }: { command: string }) {
  return (
    <span class="remedy">
      <code>{command}</code> <Copy text={command} />
    </span>
  );
}

function Models({ of }: { of: ProviderCapability[] }) {
  return (
    <section class="card">
      <h2>
        <a href={href(["routing"])}>{t("health.providers")}</a>
      </h2>
      {!of.length && <p class="dim">{t("routing.noModels")}</p>}
      <ul class="rows">
        {of.map((one) => (
          <li key={`${one.provider}/${one.model}`}>
            <code>
              {one.provider}/{one.model}
            </code>
            {!one.hasCredential && <span class="badge wait">{t("routing.noKey")}</span>}
            <span class="spread" />
            {one.windowTokens && <span class="num dim">{t("health.window", { n: number(one.windowTokens) })}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Built({ caps }: { caps: GetCapabilitiesReply }) {
  const count = (all: Record<string, string>) => Object.values(all).filter((state) => state === "built").length;
  const missing = Object.entries(caps.commands).filter(([, state]) => state !== "built");
  return (
    <section class="card">
      <h2>{t("health.caps")}</h2>
      <p>
        {t("health.built", { n: count(caps.commands), all: Object.keys(caps.commands).length })} ·{" "}
        {t("health.classes", { n: count(caps.events), all: Object.keys(caps.events).length })}
      </p>
      <details>
        <summary>{t("health.unavailable")}</summary>
        <p class="mono wrap">{missing.map(([name]) => name).join("  ")}</p>
      </details>
      <a href="/console/notices.txt">{t("nav.notices")}</a>
    </section>
  );
}

export function Health() {
  const { metrics, points, failure } = useMetrics();
  const caps = useSignal<GetCapabilitiesReply | undefined>(undefined);
  const servers = useSignal<ToolServer[] | undefined>(undefined);
  const peers = useSignal<Peer[] | undefined>(undefined);
  // These change while the page is open: the first decision probes the sandbox, tool servers start and stop.
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      get<GetCapabilitiesReply>("/v1/capabilities").then(
        (found) => (caps.value = found),
        () => {},
      );
      read("list_tool_servers", {}).then(
        (found) => (servers.value = found.servers),
        () => {},
      );
      read("list_peers", {}).then(
        (found) => (peers.value = found.peers),
        () => {},
      );
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (!metrics)
    return (
      <div class="page">
        <div class="bar">
          <h1>{t("health.title")}</h1>
        </div>
        {failure ? <Failed why={failure} again={() => location.reload()} /> : <p class="reading">{t("common.loading")}</p>}
      </div>
    );
  const m = (name: string): number => metrics.get(name) ?? 0;
  const who = session.value;
  return (
    <div class="page health">
      <div class="bar">
        <h1>{t("health.title")}</h1>
        <span class={`badge ${m("ready") && !failure ? "good" : "bad"}`} role="status">
          {failure ? t("link.stale") : m("ready") ? t("health.ready") : t("health.notReady", { why: "" })}
        </span>
      </div>
      {caps.value && <Checks of={checksOf(m("ready") > 0 && !failure, caps.value, servers.value, peers.value)} />}
      <div class="grid">
        <section class="card">
          <h2>{t("health.service")}</h2>
          <Fields
            of={[
              [t("health.version"), who?.version],
              [t("health.runtime"), <code>{who?.runtimeId}</code>],
              [t("health.uptime"), span(now.value - m("start_time_seconds") * 1000)],
              [t("health.sessions"), number(m("live_sessions"))],
              [t("health.effects"), number(m("live_effects"))],
              [t("health.pending"), number(m("pending_calls"))],
              [t("health.commands"), `${number(m("commands_total"))}, ${number(m("refusals_total"))}`],
              [
                t("health.signedIn"),
                who && (
                  <>
                    {who.principal} ({who.scopes.join(", ")}){" "}
                    {who.expiresAt && t("health.signedUntil", { when: dateTime(who.expiresAt) })}
                  </>
                ),
              ],
            ]}
          />
        </section>
        <section class="card">
          <h2>{t("health.storeTitle")}</h2>
          <Fields
            of={[
              [t("health.commit"), <span class="num">{`${(m("last_commit_seconds") * 1000).toFixed(2)} ms`}</span>],
              [t("health.commits"), number(m("commits_total"))],
              [t("health.events"), number(m("events_total"))],
              [t("health.store"), bytes(m("stored_bytes"))],
              [t("health.waiting"), bytes(m("waiting_bytes"))],
              [t("health.durability"), caps.value && String(caps.value.settings.durability ?? t("common.unknown"))],
            ]}
          />
          <Plot points={points} />
        </section>
        <section class="card">
          <h2>{t("health.transports")}</h2>
          <Fields
            of={[
              [t("health.readers"), number(m("event_streams"))],
              [t("health.connections"), number(m("connections"))],
              [t("health.requests"), number(m("http_requests_total"))],
            ]}
          />
        </section>
        {caps.value && (
          <>
            <Sandbox of={caps.value.sandbox} />
            <Models of={caps.value.providers} />
            <Built caps={caps.value} />
          </>
        )}
      </div>
    </div>
  );
}
