// Evidence: packs of a session with their signals and gaps; check the log, replay it, export and download.
import { useSignal } from "@preact/signals";
import { may, read } from "../api/client";
import type { Reply, RuntimeEvent } from "../api/types";
import { Failure, useCommand } from "../components/command";
import { chosenSession, SessionPicker } from "../components/picker";
import { Copy, Empty, Failed, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { ago, number, safe } from "../text/format";
import { t, type Word } from "../text/text";

const REDACTIONS = ["rules", "content", "all"] as const;
const SHOWN = 50;

interface Pack {
  packRef: string;
  fromSequence: number;
  toSequence: number;
  partial?: boolean;
  redaction?: string;
  signals?: Record<string, string>;
  knownGaps?: string[];
}

type Checked = { log: Reply<"verify_log">; replay: Reply<"replay_session"> };

function CheckResult({ of: { log, replay } }: { of: Checked }) {
  const isWhole = log.status === "whole";
  const isSame = replay.status === "same";
  return (
    <div role="status">
      <p>
        <span class={`badge ${isWhole ? "good" : "bad"}`}>{isWhole ? t("evidence.whole") : t("evidence.broken")}</span>{" "}
        {log.firstBad ? safe(log.firstBad.reason ?? "") : t("evidence.chain", { n: number(log.events) })}
      </p>
      <p>
        <span class={`badge ${isSame ? "good" : "bad"}`}>{isSame ? t("evidence.same") : t("evidence.different")}</span>{" "}
        {t("evidence.folded", { n: number(replay.events), views: number(replay.views) })} {replay.different?.map(safe).join(", ")}
      </p>
    </div>
  );
}

/** Both are reads: nothing is recorded. */
function Check({ sessionId }: { sessionId: string }) {
  const found = useSignal<Checked | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  async function run() {
    isBusy.value = true;
    failure.value = undefined;
    try {
      const [log, replay] = await Promise.all([read("verify_log", { sessionId }), read("replay_session", { sessionId })]);
      found.value = { log, replay };
    } catch (e) {
      failure.value = e as Error;
    }
    isBusy.value = false;
  }
  return (
    <section class="card">
      <h2>{t("evidence.check")}</h2>
      <p>
        <button type="button" disabled={isBusy.value} onClick={() => void run()}>
          {t("evidence.checkNow")}
        </button>
      </p>
      {failure.value && <Failed why={failure.value} again={() => void run()} />}
      {found.value && <CheckResult of={found.value} />}
    </section>
  );
}

function Export({ sessionId }: { sessionId: string }) {
  const redact = useSignal<(typeof REDACTIONS)[number]>("rules");
  const command = useCommand();
  if (!may("write")) return null;
  return (
    <form
      class="export-form"
      onSubmit={(e) => {
        e.preventDefault();
        void command.run("export_evidence", { sessionId, redact: redact.value });
      }}
    >
      <label>
        {t("evidence.redact")}{" "}
        <select value={redact.value} onChange={(e) => (redact.value = e.currentTarget.value as (typeof REDACTIONS)[number])}>
          {REDACTIONS.map((word) => (
            <option key={word} value={word}>
              {t(`evidence.redact.${word}` as Word)}
            </option>
          ))}
        </select>
      </label>{" "}
      <button type="submit" disabled={command.isBusy}>
        {t("evidence.export")}
      </button>
      <Failure of={command} />
    </form>
  );
}

function Row({ of }: { of: RuntimeEvent }) {
  const pack = of.payload as unknown as Pack;
  const signals = Object.entries(pack.signals ?? {}).filter(([, state]) => state === "exported");
  return (
    <tr>
      <td>
        <code>{safe(String((of as { evidenceId?: string }).evidenceId ?? ""))}</code>
      </td>
      <td>
        <Time at={of.timestamp}>{ago(of.timestamp)}</Time>
      </td>
      <td class="num">
        {number(pack.fromSequence)}–{number(pack.toSequence)} {pack.partial && t("evidence.partial")}
      </td>
      <td>{signals.map(([name]) => safe(name)).join(", ")}</td>
      <td>{pack.knownGaps?.length ? pack.knownGaps.map(safe).join(", ") : t("evidence.noGaps")}</td>
      <td>
        <a href={`/v1/outputs/${encodeURIComponent(pack.packRef)}`} download={`${(of as { evidenceId?: string }).evidenceId}.tar.zst`}>
          {t("evidence.download")}
        </a>
      </td>
    </tr>
  );
}

function Packs({ sessionId }: { sessionId: string }) {
  const { value, failure, again } = useView(
    async () => (await read("list_events", { sessionId, types: ["evidence.changed"], limit: 500 })).events as RuntimeEvent[],
    ["evidence.", "output."],
    [sessionId],
  );
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  const newest = new Map<string, RuntimeEvent>();
  for (const e of value) if ((e.payload as unknown as Pack).packRef) newest.set((e.payload as unknown as Pack).packRef, e);
  const rows = [...newest.values()].reverse().slice(0, SHOWN);
  if (!rows.length) return <Empty title={t("evidence.empty")} how={t("evidence.emptyHow")} />;
  const heads: Word[] = ["evidence.id", "evidence.when", "evidence.range", "evidence.signals", "evidence.gaps", "evidence.file"];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("evidence.packs")}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col" key={head}>
                {t(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((e) => (
            <Row key={e.eventId} of={e} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Evidence() {
  const sessionId = chosenSession();
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.evidence")}</h1>
        {sessionId && <SessionPicker value={sessionId} />}
      </div>
      {sessionId ? (
        <div class="stack">
          <Check sessionId={sessionId} key={sessionId} />
          <section class="card">
            <header class="card-head">
              <h2>{t("evidence.packs")}</h2>
              <Export sessionId={sessionId} />
            </header>
            <Packs sessionId={sessionId} />
            <p class="dim">
              {t("evidence.verifyHow")} <code>thole verify PACK.tar.zst</code> <Copy text="thole verify PACK.tar.zst" />
            </p>
          </section>
        </div>
      ) : (
        <Empty title={t("evidence.empty")} how={t("evidence.emptyHow")} />
      )}
    </div>
  );
}
