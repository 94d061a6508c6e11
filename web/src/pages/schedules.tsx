// Schedules: the next and the last run of each, the counts of runs, and the policies for missed and overlapping runs.
import { useSignal } from "@preact/signals";
import { may, readRows } from "../api/client";
import type { CreateScheduleArgs, MissedPolicy, OverlapPolicy, Schedule, ScheduleStatus } from "../api/types";
import { MISSED_POLICY, OVERLAP_POLICY } from "../api/vocab";
import { Failure, useCommand } from "../components/command";
import { ago, dateTime, exactSpan, number, safe, shortId, until } from "../text/format";
import { href } from "../state/router";
import { DirectoryField, startDirectory } from "../components/start";
import { Empty, Fields, Failed, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

const TONES: Record<ScheduleStatus, string> = { active: "good", paused: "wait", ended: "calm" };
const KINDS = ["cron", "every", "at"] as const;
const UNITS: [string, number][] = [
  ["min", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
];
const PAGE = 200;
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function When({ of }: { of: Schedule }) {
  if (of.cron)
    return (
      <>
        <code>{safe(of.cron)}</code> {safe(of.timezone ?? "UTC")}
      </>
    );
  return <>{of.everyMs ? t("schedules.everySpan", { span: exactSpan(of.everyMs) }) : t("schedules.onceAt", { when: of.at ? dateTime(of.at) : t("common.unknown") })}</>;
}

/** In the schedule's time zone, so that it can be compared with the cron expression. */
function Due({ of }: { of: Schedule }) {
  if (of.status !== "active") return <>{t("schedules.notDue")}</>;
  if (!of.nextAt) return <>{t("common.unknown")}</>;
  return (
    <Time at={of.nextAt}>
      {until(of.nextAt)} <span class="dim">{dateTime(of.nextAt, of.timezone)}</span>
    </Time>
  );
}

function Last({ of }: { of: Schedule }) {
  if (!of.lastAt) return <>{t("schedules.never")}</>;
  const when = <Time at={of.lastAt}>{ago(of.lastAt)}</Time>;
  return of.lastTaskId ? <a href={href(["tasks"], { at: of.lastTaskId, of: of.sessionId })}>{when}</a> : when;
}

function Buttons({ of, again }: { of: Schedule; again: () => void }) {
  const isSure = useSignal(false);
  const sender = useCommand(again);
  if (!may("write")) return null;
  const run = (command: "pause_schedule" | "resume_schedule" | "delete_schedule") => void sender.run(command, { sessionId: of.sessionId, scheduleId: of.scheduleId });
  return (
    <>
      {isSure.value ? (
        <div class="pane sure" role="group" aria-label={t("schedules.delete")}>
          <p>{t("schedules.deleteSure")}</p>
          <div class="buttons">
            <button type="button" class="danger solid" disabled={sender.isBusy} onClick={() => run("delete_schedule")}>
              {t("schedules.deleteYes")}
            </button>
            <button type="button" class="quiet" onClick={() => (isSure.value = false)}>
              {t("common.cancel")}
            </button>
          </div>
        </div>
      ) : (
        <div class="buttons">
          {of.status === "active" && (
            <button type="button" disabled={sender.isBusy} onClick={() => run("pause_schedule")}>
              {t("tasks.pause_task")}
            </button>
          )}
          {of.status === "paused" && (
            <button type="button" disabled={sender.isBusy} onClick={() => run("resume_schedule")}>
              {t("tasks.resume_task")}
            </button>
          )}
          <button type="button" class="danger" onClick={() => (isSure.value = true)}>
            {t("schedules.delete")}
          </button>
        </div>
      )}
      <Failure of={sender} />
    </>
  );
}

function OneSchedule({ of, again }: { of: Schedule; again: () => void }) {
  const counts = [t("schedules.runs", { n: number(of.runs) }), t("schedules.missedRuns", { n: number(of.missed) }), t("schedules.skippedRuns", { n: number(of.skipped) })];
  return (
    <section class="card schedule">
      <header class="card-head">
        <h2>{safe(of.task.title ?? of.task.objective ?? "") || shortId(of.scheduleId)}</h2>
        <span class={`badge ${TONES[of.status] ?? "odd"}`}>{wordFor("schedules.status", of.status)}</span>
        <code class="id">{shortId(of.scheduleId)}</code>
      </header>
      <Fields
        of={[
          [t("schedules.when"), <When of={of} />],
          [t("schedules.next"), <Due of={of} />],
          [t("schedules.last"), <Last of={of} />],
          [t("schedules.soFar"), <span class="num">{counts.join(", ")}</span>],
          [t("schedules.ifMissed"), wordFor("schedules.missed", of.missedPolicy)],
          [t("schedules.ifOpen"), wordFor("schedules.overlap", of.overlap)],
          [t("thread.thread"), <a href={href(["thread", of.sessionId, of.threadId])}>{shortId(of.threadId)}</a>],
        ]}
      />
      <Buttons of={of} again={again} />
    </section>
  );
}

// ---- new schedule ----

/** The fields of the form; kind selects which of cron, every and at applies. */
function emptyForm() {
  return { objective: "", kind: "cron", cron: "", timezone: ownZone(), every: "1", unit: "h", at: "", missedPolicy: "once" as MissedPolicy, overlap: "skip" as OverlapPolicy };
}
type Form = ReturnType<typeof emptyForm>;

function paramsOf(form: Form): CreateScheduleArgs {
  const { objective, kind, cron, timezone, every, unit, at, missedPolicy, overlap } = form;
  const when =
    kind === "cron"
      ? { cron, timezone: timezone || undefined }
      : kind === "every"
        ? { everyMs: Math.round(Number(every) * UNITS.find(([word]) => word === unit)![1]) }
        : { at: new Date(at).toISOString() };
  return { ...when, missedPolicy, overlap, task: { objective } };
}

const isWhole = (form: Form): boolean =>
  form.objective.trim() !== "" && (form.kind === "cron" ? form.cron.trim() !== "" : form.kind === "every" ? Number(form.every) > 0 : form.at !== "");

function Choice({ label, value, words, tell, choose }: { label: string; value: string; words: readonly string[]; tell: (word: string) => string; choose: (word: string) => void }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(e) => choose(e.currentTarget.value)}>
        {words.map((word) => (
          <option key={word} value={word}>
            {tell(word)}
          </option>
        ))}
      </select>
    </label>
  );
}

function WhenFields({ form, set }: { form: Form; set: (changes: Partial<Form>) => void }) {
  if (form.kind === "at")
    return (
      <label>
        {t("schedules.at")}
        <input type="datetime-local" value={form.at} onInput={(e) => set({ at: e.currentTarget.value })} />
      </label>
    );
  if (form.kind === "every")
    return (
      <>
        <label>
          {t("schedules.every")}
          <input type="number" min="1" step="1" value={form.every} onInput={(e) => set({ every: e.currentTarget.value })} />
        </label>
        <Choice label={t("schedules.unit")} value={form.unit} words={UNITS.map(([word]) => word)} tell={(word) => wordFor("schedules.unit", word)} choose={(unit) => set({ unit })} />
      </>
    );
  return (
    <>
      <label>
        {t("schedules.cron")}
        <input class="mono" spellcheck={false} placeholder="30 8 * * mon-fri" value={form.cron} onInput={(e) => set({ cron: e.currentTarget.value })} />
      </label>
      <label>
        {t("schedules.timezone")}
        <input list="timezones" spellcheck={false} value={form.timezone} onInput={(e) => set({ timezone: e.currentTarget.value })} />
        <datalist id="timezones">
          {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </label>
    </>
  );
}

function NewSchedule({ isFirst, again }: { isFirst: boolean; again: () => void }) {
  const form = useSignal(emptyForm());
  const cwd = useSignal<string | undefined>(undefined);
  const sender = useCommand(() => {
    form.value = emptyForm();
    again();
  });
  if (!may("write")) return null;
  const set = (changes: Partial<Form>) => (form.value = { ...form.value, ...changes });
  return (
    <details class="card fold" open={isFirst}>
      <summary>{t("schedules.new")}</summary>
      <form
        class="try"
        onSubmit={(e) => {
          e.preventDefault();
          void sender.run("create_schedule", { ...paramsOf(form.value), ...startDirectory(cwd.value) });
        }}
      >
        <label class="grow">
          {t("tasks.new")}
          <input value={form.value.objective} onInput={(e) => set({ objective: e.currentTarget.value })} />
        </label>
        <DirectoryField value={cwd.value} set={(to) => (cwd.value = to)} />
        <Choice label={t("schedules.when")} value={form.value.kind} words={KINDS} tell={(word) => wordFor("schedules.kind", word)} choose={(kind) => set({ kind })} />
        <WhenFields form={form.value} set={set} />
        <Choice label={t("schedules.ifMissed")} value={form.value.missedPolicy} words={MISSED_POLICY} tell={(word) => wordFor("schedules.missed", word)} choose={(word) => set({ missedPolicy: word as MissedPolicy })} />
        <Choice label={t("schedules.ifOpen")} value={form.value.overlap} words={OVERLAP_POLICY} tell={(word) => wordFor("schedules.overlap", word)} choose={(word) => set({ overlap: word as OverlapPolicy })} />
        <button type="submit" class="primary" disabled={sender.isBusy || !isWhole(form.value)}>
          {t("schedules.make")}
        </button>
        <Failure of={sender} />
      </form>
    </details>
  );
}

export function Schedules() {
  const wanted = useSignal(PAGE);
  const { value, failure, again } = useView(() => readRows("list_schedules", "schedules", {}, wanted.value), ["policy.", "task."], [wanted.value]);
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.schedules")}</h1>
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : (
        <div class="stack">
          {!value.rows.length && <Empty title={t("schedules.empty")} how={t("schedules.emptyHow")} />}
          <NewSchedule isFirst={!value.rows.length} again={again} />
          {value.rows.map((one) => (
            <OneSchedule key={one.scheduleId} of={one} again={again} />
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
