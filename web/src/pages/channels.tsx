// Channels: paired devices, and the peers enrolled with a session: how far each has read and when it was last seen.
import { read } from "../api/client";
import type { Channel } from "../api/types";
import { ago, number, safe } from "../text/format";
import { chosenSession, SessionPicker } from "../components/picker";
import { sessions } from "../state/store";
import { Empty, Failed, Status, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";
import { Devices } from "./devices";

/** The name of a paired device; other peers have none. */
function deviceName(of: Channel): string | undefined {
  return of.accountRef?.match(/:device:([\w.-]+)$/)?.[1];
}

function Row({ of, head }: { of: Channel; head: number }) {
  const acked = of.lastAckedSequence;
  const name = deviceName(of);
  return (
    <tr>
      <td>{name ? <strong title={of.channelId}>{name}</strong> : <code>{safe(of.channelId)}</code>}</td>
      <td>
        <Status of={of.status ?? "unknown"} small />
      </td>
      <td>{wordFor("channels.role", of.peerRole)}</td>
      <td>{[of.transport, of.nativeProtocol].filter(Boolean).join(" · ")}</td>
      <td class="num">{acked === undefined ? t("common.unknown") : number(acked)}</td>
      <td class="num">{acked === undefined ? t("common.unknown") : number(Math.max(0, head - acked))}</td>
      <td>{of.lastSeenAt ? <Time at={of.lastSeenAt}>{ago(of.lastSeenAt)}</Time> : t("common.unknown")}</td>
      <td class="dim">{of.capabilities.map(safe).join(", ")}</td>
    </tr>
  );
}

function Peers({ sessionId }: { sessionId: string }) {
  const { value, failure, again } = useView(
    async () => (await read("list_channels", { sessionId })).channels,
    ["channel.", "session."],
    [sessionId],
  );
  const head = sessions.value?.find((row) => row.sessionId === sessionId)?.sequence ?? 0;
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  if (!value.length) return <Empty title={t("channels.empty")} how={t("channels.emptyHow")} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("channels.peers")}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t("channels.id")}</th>
            <th scope="col">{t("live.status")}</th>
            <th scope="col">{t("channels.peer")}</th>
            <th scope="col">{t("channels.transport")}</th>
            <th scope="col">{t("channels.acked")}</th>
            <th scope="col">{t("channels.lag")}</th>
            <th scope="col">{t("channels.seen")}</th>
            <th scope="col">{t("routing.can")}</th>
          </tr>
        </thead>
        <tbody>
          {value.map((channel) => (
            <Row key={channel.channelId} of={channel} head={head} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Channels() {
  const sessionId = chosenSession();
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.channels")}</h1>
      </div>
      <div class="stack">
        <Devices />
        <section class="card">
          <header class="card-head">
            <h2>{t("channels.peers")}</h2>
            {sessionId && <SessionPicker value={sessionId} />}
          </header>
          {sessionId ? <Peers sessionId={sessionId} /> : <Empty title={t("channels.empty")} how={t("channels.emptyHow")} />}
        </section>
      </div>
    </div>
  );
}
