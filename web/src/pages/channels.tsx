// Channels: the peers that are enrolled with sessions, connected or not: who each is, how it connects, how far it has
// read and when it was last seen.  A tab has the paired devices.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { readRows } from "../api/client";
import type { Channel, PeerRole } from "../api/types";
import { PEER_ROLE } from "../api/vocab";
import { useKeys } from "../components/keys";
import { SessionPicker } from "../components/picker";
import { go, href, place, setQuery } from "../state/router";
import { ago, number, safe, shortId } from "../text/format";
import { Empty, Failed, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { Windowed } from "../components/windowed";
import { t, wordFor, type Word } from "../text/text";
import { Devices } from "./devices";

const SHOWS = ["all", "connected", "gone", "devices"] as const;
type Show = (typeof SHOWS)[number];

/** Rows that are read at first, and with each further step. */
const STEP = 1000;

const SYSTEM = "sess_system";

const isConnected = (of: Channel): boolean => of.status === "running";

/** The principal behind a channel: a device, a token or the owner. */
const accountOf = (of: Channel): string => of.accountRef?.replace(/^account:local:/, "") ?? "";

/** The runtime's own session has events and no thread to read. */
const hrefOf = (sessionId: string): string => (sessionId === SYSTEM ? href(["events"], { session: sessionId }) : href(["thread", sessionId, "main"]));

const keyOf = (of: Channel): string => `${of.sessionId ?? ""}/${of.channelId}`;

function matches(of: Channel, q: string): boolean {
  const text = [of.channelId, accountOf(of), of.transport, of.nativeProtocol, of.peerRole, wordFor("channels.role", of.peerRole), of.sessionId, ...of.capabilities].join("\n");
  return !q || text.toLowerCase().includes(q.toLowerCase());
}

/** The runtime's own session records each connection too; that row is shown only for a channel that no other session knows. */
function withoutDoubles(rows: Channel[]): Channel[] {
  const bound = new Set(rows.filter((row) => row.sessionId !== SYSTEM).map((row) => row.channelId));
  return rows.filter((row) => row.sessionId !== SYSTEM || !bound.has(row.channelId));
}

/** Connected ones first, then by last contact. */
function inOrder(rows: Channel[]): Channel[] {
  return [...rows].sort((a, b) => Number(isConnected(b)) - Number(isConnected(a)) || (b.lastSeenAt ?? "").localeCompare(a.lastSeenAt ?? ""));
}

function Reach({ of }: { of: Channel }) {
  return (
    <span class={`status ${isConnected(of) ? "good" : "calm"}`}>
      <span class="sign" aria-hidden="true">
        {isConnected(of) ? "●" : "○"}
      </span>
      {t(isConnected(of) ? "channels.connected" : "channels.gone")}
    </span>
  );
}

/** A figure with its name: the name is read out, and shown where there is no head of columns. */
function Figure({ name, of, class: kind }: { name: Word; of: number | undefined; class: string }) {
  return (
    <span class={`num ${kind}`}>
      <span class="cell-name">{t(name)} </span>
      {of === undefined ? <span class="dim">{t("common.unknown")}</span> : number(of)}
    </span>
  );
}

function Row({ of, sessionId, isChosen }: { of: Channel; sessionId: string; isChosen: boolean }) {
  return (
    <a class={`row channel-row${isChosen ? " chosen" : ""}`} href={hrefOf(sessionId)} aria-current={isChosen ? "true" : undefined}>
      <Reach of={of} />
      <span class="c-title">
        <span class="title" title={safe(of.channelId)}>
          {safe(accountOf(of)) || t("common.unknown")}
        </span>
        <code class="id">{safe(shortId(of.channelId))}</code>
      </span>
      <span>{wordFor("channels.role", of.peerRole)}</span>
      <span title={of.nativeProtocol && safe(of.nativeProtocol)}>
        {[of.transport, of.nativeProtocol].filter(Boolean).map((word) => safe(word!)).join(" · ")}
      </span>
      <span class="dim" title={of.capabilities.map(safe).join(", ")}>
        {of.capabilities.map(safe).join(", ")}
      </span>
      <code class="id">{shortId(sessionId)}</code>
      <Figure class="c-acked" name="channels.acked" of={of.lastAckedSequence} />
      <Figure class="c-lag" name="channels.lag" of={of.lag} />
      <span class="num dim">{of.lastSeenAt ? <Time at={of.lastSeenAt}>{ago(of.lastSeenAt)}</Time> : t("common.unknown")}</span>
    </a>
  );
}

const HEADS: Word[] = ["live.status", "channels.account", "channels.role", "channels.transport", "routing.can", "events.session", "channels.acked", "channels.lag", "channels.seen"];

function Head() {
  return (
    <div class="channel-head row" aria-hidden="true">
      {HEADS.map((word) => (
        <span key={word}>{t(word)}</span>
      ))}
    </div>
  );
}

function Tabs({ show }: { show: Show }) {
  return (
    <div class="tabs" role="group" aria-label={t("live.status")}>
      {SHOWS.map((one) => (
        <button type="button" key={one} class="tab" aria-pressed={one === show} onClick={() => setQuery({ show: one === "all" ? "" : one })}>
          {t(`channels.show.${one}` as Word)}
        </button>
      ))}
    </div>
  );
}

function RolePicker({ value }: { value: string }) {
  return (
    <select aria-label={t("channels.role")} value={value} onChange={(e) => setQuery({ role: e.currentTarget.value })}>
      <option value="">{t("channels.anyRole")}</option>
      {PEER_ROLE.map((role) => (
        <option key={role} value={role}>
          {wordFor("channels.role", role)}
        </option>
      ))}
    </select>
  );
}

function Peers({ show, sessionId, role, q }: { show: Show; sessionId: string; role: string; q: string }) {
  const wanted = useSignal(STEP);
  const chosen = useSignal("");
  const list = useRef<Windowed<Channel>>(null);
  const { value, failure, again } = useView(
    () =>
      readRows(
        "list_channels",
        "channels",
        { sessionId: sessionId || undefined, peerRole: (role || undefined) as PeerRole | undefined, connected: show === "all" ? undefined : show === "connected" },
        wanted.value,
      ),
    ["channel.", "session."],
    [show, sessionId, role, wanted.value],
  );
  const found = inOrder(withoutDoubles(value?.rows ?? []).filter((row) => matches(row, q)));
  const placeOf = (of: Channel): string => of.sessionId ?? sessionId;
  function move(by: number): void {
    const at = found.findIndex((row) => keyOf(row) === chosen.value);
    const to = at < 0 ? (by > 0 ? 0 : found.length - 1) : at + by;
    if (!found[to]) return;
    chosen.value = keyOf(found[to]!);
    list.current?.scrollTo(to);
  }
  function open(): void {
    const target = found.find((row) => keyOf(row) === chosen.value);
    if (target) go(hrefOf(placeOf(target)));
  }
  useKeys({ j: () => move(1), k: () => move(-1), Enter: open });
  useLayoutEffect(() => {
    chosen.value = "";
  }, [show, sessionId, role, q]);
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  if (!value.rows.length && show === "all" && !role) return <Empty title={t(sessionId ? "channels.empty" : "channels.emptyAll")} how={t("channels.emptyHow")} />;
  return (
    <>
      <p class="dim list-note" role="status">
        {t(value.more ? "channels.countMore" : "channels.count", { n: number(found.length) })} {!sessionId && t("channels.inMemory")}
      </p>
      {found.length === 0 ? (
        <Empty title={t("channels.none")}>
          <button type="button" onClick={() => setQuery({ show: "", role: "", q: "", session: "" })}>
            {t("live.clear")}
          </button>
        </Empty>
      ) : (
        <>
          <Head />
          <Windowed
            handle={list}
            items={found}
            keyOf={keyOf}
            guess={40}
            label={t("nav.channels")}
            render={(row) => <Row of={row} sessionId={placeOf(row)} isChosen={keyOf(row) === chosen.value} />}
          />
        </>
      )}
      {value.more && (
        <div class="foot">
          <button type="button" class="quiet" onClick={() => (wanted.value += STEP)}>
            {t("channels.more")}
          </button>
        </div>
      )}
    </>
  );
}

export function Channels() {
  const search = useRef<HTMLInputElement>(null);
  const query = place.value.query;
  const show = SHOWS.find((one) => one === query.get("show")) ?? "all";
  const [sessionId, role, q] = [query.get("session") ?? "", query.get("role") ?? "", query.get("q") ?? ""];
  useKeys({ "/": () => search.current?.focus() });
  return (
    <div class={`page channels${show === "devices" ? " plain" : ""}`}>
      <div class="bar">
        <h1>{t("nav.channels")}</h1>
        <Tabs show={show} />
        {show !== "devices" && (
          <>
            <SessionPicker value={sessionId} all={t("channels.allSessions")} />
            <RolePicker value={role} />
            <input
              ref={search}
              type="search"
              class="search"
              aria-label={t("channels.search")}
              placeholder={t("channels.search")}
              value={q}
              onInput={(e) => setQuery({ q: e.currentTarget.value })}
            />
          </>
        )}
      </div>
      {show === "devices" ? (
        <div class="stack">
          <Devices />
        </div>
      ) : (
        <Peers show={show} sessionId={sessionId} role={role} q={q} />
      )}
    </div>
  );
}
