// Jobs: the progress of each job, its items with attempts and outputs, and a retry for failed items.
import { useSignal } from "@preact/signals";
import { may, readRows } from "../api/client";
import type { JobItem, JobItemStatus, ListedJob } from "../api/types";
import { JOB_ITEM_STATUS } from "../api/vocab";
import { Failure, useCommand } from "../components/command";
import { number, safe, shortId } from "../text/format";
import { Output } from "../components/output";
import { href, place, setQuery } from "../state/router";
import { sessions } from "../state/store";
import { Empty, Fields, Failed, Said, Status } from "../components/ui";
import { useView } from "../state/use_view";
import { Windowed } from "../components/windowed";
import { t, wordFor } from "../text/text";

const PARTS = ["completed", "failed", "running"] as const;
const PAGE = 200;

/** Completed, failed and running items out of all. */
function Progress({ of }: { of: ListedJob["progress"] }) {
  const whole = Math.max(1, of.total);
  const text = t("jobs.progress", { done: number(of.completed), failed: number(of.failed), running: number(of.running), all: number(of.total) });
  let from = 0;
  return (
    <div class="job-progress">
      <svg class="gauge" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
        {PARTS.map((part) => {
          const width = (of[part] / whole) * 100;
          const x = from;
          from += width;
          return <rect key={part} class={`part-${part}`} x={x} y="0" width={width} height="10" />;
        })}
      </svg>
      <span class="num dim" aria-hidden="true">
        {text}
      </span>
    </div>
  );
}

function ItemRow({ item, job, again }: { item: JobItem; job: ListedJob; again: () => void }) {
  const isShown = useSignal(false);
  const sender = useCommand(again);
  const ids = { sessionId: job.sessionId, jobId: job.jobId, jobItemId: item.jobItemId };
  return (
    <div class="item-row">
      <span class="num dim">{item.index}</span>
      <Status of={item.status} small />
      <span class="num dim">{item.attemptCount > 1 ? t("tasks.tries", { n: item.attemptCount }) : ""}</span>
      <span class="grow bad-text">{item.lastError && <Said kind="failure" code={item.lastError.category} text={item.lastError.message} />}</span>
      {item.threadId && <a href={href(["thread", job.sessionId, item.threadId])}>{shortId(item.threadId)}</a>}
      {item.outputRef && (
        <button type="button" class="quiet" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
          {t("jobs.output")}
        </button>
      )}
      {may("write") && item.status === "failed" && (
        <button type="button" disabled={sender.isBusy} onClick={() => void sender.run("retry_job_item", { ...ids, reason: "console" })}>
          {t("tasks.retry_task")}
        </button>
      )}
      {isShown.value && <Output outputRef={item.outputRef!} sessionId={job.sessionId} />}
      <Failure of={sender} />
    </div>
  );
}

function Items({ job }: { job: ListedJob }) {
  const wanted = useSignal(PAGE);
  const status = place.value.query.get("items") ?? "";
  const { value, failure, again } = useView(
    () => readRows("list_job_items", "items", { sessionId: job.sessionId, jobId: job.jobId, status: (status || undefined) as JobItemStatus | undefined }, wanted.value),
    ["job."],
    [job.jobId, status, wanted.value],
  );
  return (
    <>
      <label class="inline">
        {t("jobs.items")}
        <select value={status} onChange={(e) => setQuery({ items: e.currentTarget.value })}>
          <option value="">{t("live.anyStatus")}</option>
          {JOB_ITEM_STATUS.map((word) => (
            <option key={word} value={word}>
              {wordFor("status", word)}
            </option>
          ))}
        </select>
      </label>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.rows.length ? (
        <p class="dim">{t("jobs.noItems")}</p>
      ) : (
        <Windowed class="items" items={value.rows} keyOf={(item) => item.jobItemId} guess={40} label={t("jobs.items")} render={(item) => <ItemRow item={item} job={job} again={again} />} />
      )}
      {value?.more && (
        <div class="foot">
          <button type="button" class="quiet" onClick={() => (wanted.value += PAGE)}>
            {t("jobs.more")}
          </button>
        </div>
      )}
    </>
  );
}

function OneJob({ job, again }: { job: ListedJob; again: () => void }) {
  const sender = useCommand(again);
  const isOpen = place.value.query.get("at") === job.jobId;
  const title = sessions.value?.find((row) => row.sessionId === job.sessionId)?.title;
  return (
    <section class="card">
      <header class="card-head">
        <h2>
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setQuery({ at: isOpen ? "" : job.jobId, items: "" })}>
            {safe(title ?? "") || shortId(job.jobId)}
          </button>
        </h2>
        <Status of={job.status} small />
        <code class="id">{shortId(job.jobId)}</code>
        <span class="spread" />
        {may("write") && (job.status === "running" || job.status === "pending") && (
          <button type="button" class="danger" disabled={sender.isBusy} onClick={() => void sender.run("cancel_job", { sessionId: job.sessionId, jobId: job.jobId, reason: "console" })}>
            {t("jobs.cancel")}
          </button>
        )}
      </header>
      <Progress of={job.progress} />
      <Failure of={sender} />
      {isOpen && (
        <>
          <Fields
            of={[
              [t("jobs.concurrency"), job.concurrency],
              [t("jobs.attempts"), job.maxAttempts],
              [t("agents.task"), job.taskId && <a href={href(["tasks"], { at: job.taskId, of: job.sessionId })}>{shortId(job.taskId)}</a>],
            ]}
          />
          <details>
            <summary>{t("jobs.instruction")}</summary>
            <Output outputRef={job.instructionRef} sessionId={job.sessionId} />
          </details>
          <Items job={job} />
        </>
      )}
    </section>
  );
}

async function readJobs(wanted: number) {
  const { rows, more } = await readRows("list_jobs", "jobs", {}, wanted);
  return { rows: rows as ListedJob[], more };
}

export function Jobs() {
  const wanted = useSignal(PAGE);
  const { value, failure, again } = useView(() => readJobs(wanted.value), ["job."], [wanted.value]);
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.jobs")}</h1>
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : !value.rows.length ? (
        <Empty title={t("jobs.empty")} how={t("jobs.emptyHow")} />
      ) : (
        <div class="stack">
          {value.rows.map((job) => (
            <OneJob key={job.jobId} job={job} again={again} />
          ))}
          {value.more && (
            <button type="button" class="quiet" onClick={() => (wanted.value += PAGE)}>
              {t("jobs.more")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
