// Processes: background processes with a live terminal, input and a stop button.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { may, readRows } from "../api/client";
import type { ListedProcess } from "../api/types";
import { Failure, useCommand } from "../components/command";
import { ago, bytes, safe, shortId } from "../text/format";
import { SessionPicker } from "../components/picker";
import { href, place, setQuery } from "../state/router";
import { sessions } from "../state/store";
import { Empty, Fields, Failed, Status, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t } from "../text/text";

const MOST = 1000;

async function readProcesses(sessionId: string): Promise<ListedProcess[]> {
  const { rows } = await readRows("list_processes", "processes", { sessionId: sessionId || undefined }, MOST);
  return rows.map((row) => ({ ...row, sessionId: row.sessionId ?? sessionId }));
}

function LazyTerminal({ process }: { process: ListedProcess }) {
  const found = useSignal<ComponentType<{ process: ListedProcess }> | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    import("../components/terminal").then(
      (module) => (found.value = module.Terminal),
      (e: Error) => (failure.value = e),
    );
  }, []);
  const Terminal = found.value;
  if (failure.value) return <Failed why={failure.value} again={() => location.reload()} />;
  return Terminal ? <Terminal process={process} /> : <p class="reading">{t("common.loading")}</p>;
}

/** Input for a process without a terminal: single lines, and the end of input. */
function Lines({ process }: { process: ListedProcess }) {
  const text = useSignal("");
  const sender = useCommand(() => (text.value = ""));
  const ids = { sessionId: process.sessionId, processId: process.processId };
  return (
    <form
      class="agent-form"
      onSubmit={(e) => {
        e.preventDefault();
        void sender.run("write_process_stdin", { ...ids, data: `${text.value}\n` });
      }}
    >
      <input aria-label={t("processes.line")} placeholder={t("processes.line")} class="mono" autocomplete="off" spellcheck={false} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
      <button type="submit" disabled={sender.isBusy}>
        {t("thread.send")}
      </button>
      <button type="button" class="quiet" disabled={sender.isBusy} onClick={() => void sender.run("write_process_stdin", { ...ids, data: "", eof: true })}>
        {t("processes.eof")}
      </button>
      <Failure of={sender} />
    </form>
  );
}

function One({ of }: { of: ListedProcess }) {
  const sender = useCommand();
  const isOpen = place.value.query.get("at") === of.processId;
  const isRunning = of.status === "running";
  const title = sessions.value?.find((row) => row.sessionId === of.sessionId)?.title;
  return (
    <section class="card">
      <header class="card-head">
        <h2>
          <button type="button" class="quiet mono" aria-expanded={isOpen} onClick={() => setQuery({ at: isOpen ? "" : of.processId })}>
            {safe(of.commandSummary ?? "") || shortId(of.processId)}
          </button>
        </h2>
        <Status of={of.status} small />
        {of.nativeStatus && <span class="dim">{of.nativeStatus}</span>}
        {of.tty && <span class="badge calm">{t("processes.tty")}</span>}
        <span class="spread" />
        {may("write") && isRunning && of.background && (
          <button type="button" class="danger" disabled={sender.isBusy} onClick={() => void sender.run("terminate_process", { sessionId: of.sessionId, processId: of.processId, reason: "console" })}>
            {t("processes.stop")}
          </button>
        )}
      </header>
      <Fields
        of={[
          [t("thread.session"), <a href={href(["thread", of.sessionId, "main"])}>{safe(title ?? "") || shortId(of.sessionId)}</a>],
          [t("processes.began"), of.startedAt && <Time at={of.startedAt}>{ago(of.startedAt)}</Time>],
          [t("processes.ended"), of.endedAt && <Time at={of.endedAt}>{ago(of.endedAt)}</Time>],
          [t("processes.wrote"), of.outputBytes !== undefined && <span class="num">{bytes(of.outputBytes)}</span>],
          [t("processes.liveness"), of.liveness],
          [t("processes.keeps"), of.background ? t("processes.background") : t("processes.ofTurn")],
        ]}
      />
      <Failure of={sender} />
      {isOpen && <LazyTerminal process={of} />}
      {isOpen && isRunning && !of.tty && of.background && may("write") && <Lines process={of} />}
    </section>
  );
}

export function Processes() {
  const sessionId = place.value.query.get("session") ?? "";
  const { value, failure, again } = useView(() => readProcesses(sessionId), ["process.", "history."], [sessionId]);
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.processes")}</h1>
        <SessionPicker value={sessionId} all={t("processes.all")} />
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.length ? (
        <Empty title={t("processes.empty")} how={t("processes.emptyHow")} />
      ) : (
        <div class="stack">
          {value.map((one) => (
            <One key={one.processId} of={one} />
          ))}
        </div>
      )}
    </div>
  );
}
