// Channels: peers that enrolled with a session, how far each has read, and when it was last seen.
import { read } from "../api";
import { ago, number, safe } from "../format";
import { chosenSession, SessionPicker } from "../picker";
import { sessions } from "../store";
import { Empty, Failed, Status, Time } from "../ui";
import { useView } from "../view";
import { t, told } from "../words";

interface Channel {
  channelId: string;
  transport: string;
  peerRole: string;
  capabilities: string[];
  lastSeenAt?: string;
  nativeProtocol?: string;
  lastAckedSequence?: number;
  status?: string;
}

function Row({ of, head }: { of: Channel; head: number }) {
  const acked = of.lastAckedSequence;
  return (
    <tr>
      <td>
        <code>{safe(of.channelId)}</code>
      </td>
      <td>
        <Status of={of.status ?? "unknown"} small />
      </td>
      <td>{told("channels.role", of.peerRole)}</td>
      <td>{[of.transport, of.nativeProtocol].filter(Boolean).join(" · ")}</td>
      <td class="num">{acked === undefined ? t("common.unknown") : number(acked)}</td>
      <td class="num">{acked === undefined ? t("common.unknown") : number(Math.max(0, head - acked))}</td>
      <td>{of.lastSeenAt ? <Time at={of.lastSeenAt}>{ago(of.lastSeenAt)}</Time> : t("common.unknown")}</td>
      <td class="dim">{of.capabilities.map(safe).join(", ")}</td>
    </tr>
  );
}

export function Channels() {
  const sessionId = chosenSession();
  const { value, failure, again } = useView(
    async () => (sessionId ? (await read<{ channels: Channel[] }>("list_channels", { sessionId })).channels : []),
    ["channel.", "session."],
    [sessionId],
  );
  const head = sessions.value?.find((row) => row.sessionId === sessionId)?.sequence ?? 0;
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.channels")}</h1>
        {sessionId && <SessionPicker value={sessionId} />}
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.length ? (
        <Empty title={t("channels.empty")} how={t("channels.emptyHow")} />
      ) : (
        <section class="card scroll" tabIndex={0} aria-label={t("nav.channels")}>
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
        </section>
      )}
    </div>
  );
}
