// Queue: the queued turns of all threads, in order.
import { may, read } from "../api/client";
import { Failure, useCommand } from "../components/command";
import { ago, safe, shortId } from "../text/format";
import { href } from "../state/router";
import { sessions } from "../state/store";
import type { ExplainThreadReply, QueuedTurnView, SessionRow, ThreadRow } from "../api/types";
import { Empty, Failed, Said, Status, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t } from "../text/text";

interface ThreadQueue {
  session: SessionRow;
  thread: ThreadRow;
  why: ExplainThreadReply;
  turns: QueuedTurnView[];
}

const MOST_SESSIONS = 100;

async function readThread(session: SessionRow, thread: ThreadRow): Promise<ThreadQueue> {
  const ids = { sessionId: session.sessionId, threadId: thread.threadId };
  const [got, why] = await Promise.all([
    read("list_queue", ids),
    read("explain_thread", ids),
  ]);
  return { session, thread, why, turns: got.queuedTurns };
}

async function readQueues(rows: SessionRow[]): Promise<ThreadQueue[]> {
  const waiting = rows.filter((row) => row.queuedTurns > 0).slice(0, MOST_SESSIONS);
  const found = await Promise.all(
    waiting.map(async (session) => {
      const { threads } = await read("list_threads", { sessionId: session.sessionId });
      return Promise.all(threads.filter((thread) => thread.queuedTurns > 0).map((thread) => readThread(session, thread)));
    }),
  );
  return found.flat();
}

function Turn({ of, turn, sender }: { of: ThreadQueue; turn: QueuedTurnView; sender: ReturnType<typeof useCommand> }) {
  const ids = { sessionId: of.session.sessionId, threadId: of.thread.threadId, queuedTurnId: turn.turnId };
  const { run, isBusy } = sender;
  return (
    <li>
      <span class="num dim">{turn.position}</span>
      <span class="grow preview">{safe(turn.preview ?? shortId(turn.turnId))}</span>
      <span class="dim">{turn.source}</span>
      <Time at={turn.queuedAt}>
        <span class="dim">{ago(turn.queuedAt)}</span>
      </Time>
      {may("write") && (
        <span class="buttons">
          <button type="button" class="quiet" disabled={isBusy || turn.position <= 1} onClick={() => void run("promote_queued_turn", ids)}>
            {t("thread.first")}
          </button>
          <button type="button" class="quiet" disabled={isBusy || turn.position <= 1} onClick={() => void run("move_queued_turn", { ...ids, position: turn.position - 1 })}>
            {t("queue.up")}
          </button>
          <button type="button" class="quiet" disabled={isBusy || turn.position >= of.turns.length} onClick={() => void run("move_queued_turn", { ...ids, position: turn.position + 1 })}>
            {t("queue.down")}
          </button>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run("remove_queued_turn", ids)}>
            {t("thread.remove")}
          </button>
        </span>
      )}
    </li>
  );
}

function OneQueue({ of, again }: { of: ThreadQueue; again: () => void }) {
  const sender = useCommand(again);
  const ids = { sessionId: of.session.sessionId, threadId: of.thread.threadId };
  return (
    <section class="card">
      <header class="card-head">
        <h2>
          <a href={href(["thread", ids.sessionId, ids.threadId])}>{safe(of.session.title ?? "") || t("live.untitled")}</a>
        </h2>
        <Status of={of.thread.profileStatus ?? of.thread.status} small />
        <span class="dim"><Said kind="wait" code={of.why.waitingFor} text={of.why.detail ?? ""} /></span>
        <span class="spread" />
        {may("write") && of.why.endedBy?.includes("resume_thread") && (
          <button type="button" disabled={sender.isBusy} onClick={() => void sender.run("resume_thread", ids)}>
            {t("thread.resume")}
          </button>
        )}
      </header>
      <ol class="rows">
        {of.turns.map((turn) => (
          <Turn key={turn.turnId} of={of} turn={turn} sender={sender} />
        ))}
      </ol>
      <Failure of={sender} />
    </section>
  );
}

export function Queue() {
  const rows = sessions.value;
  const { value, failure, again } = useView(
    async () => (rows ? readQueues(rows) : undefined),
    ["queue.", "turn.", "thread."],
    [rows?.map((row) => `${row.sessionId}:${row.queuedTurns}`).join()],
  );
  const count = value?.reduce((sum, one) => sum + one.turns.length, 0) ?? 0;
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.queue")}</h1>
        <p class="dim" role="status">
          {count > 0 && t("live.queued", { n: count })}
        </p>
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.length ? (
        <Empty title={t("queue.empty")} how={t("queue.emptyHow")} />
      ) : (
        <div class="stack">
          {value.map((one) => (
            <OneQueue key={one.thread.threadId} of={one} again={again} />
          ))}
        </div>
      )}
    </div>
  );
}
