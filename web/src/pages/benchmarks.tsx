// Benchmarks: trials by task and configuration, each with the way to its thread, and the comparison of two configurations.
import { useSignal } from "@preact/signals";
import { may, read, send } from "../api/client";
import type { Reply } from "../api/types";
import { Copy, Empty, Failed, Wrong } from "../components/ui";
import { href, place, setQuery } from "../state/router";
import { useView } from "../state/use_view";
import { number, safe, span, usd } from "../text/format";
import { t, wordFor, type Word } from "../text/text";

type Matrix = Reply<"get_benchmark_matrix">;
type Cell = Matrix["cells"][number];
type Trial = Reply<"list_benchmark_trials">["trials"][number];
type Comparison = Reply<"compare_benchmark_runs">["comparison"];

const FIRST = "thole trial run tasks --config A.json --config B.json --repeat 3";
/** As many as a comparison takes: comparison_trials in catalog/limits.json. */
const MOST = 1024;
const PAGE = 200;

const distinct = (words: string[]): string[] => [...new Set(words)].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
const setKey = (id: string, version: string): string => JSON.stringify([id, version]);
const percent = (share: number): string => `${number(Math.round(share * 1000) / 10)} %`;
const signed = (n: number, text: (n: number) => string): string => (n > 0 ? "+" : n < 0 ? "−" : "") + text(Math.abs(n));

// ---- the matrix ----

function Sets({ of }: { of: Matrix }) {
  return (
    <label>
      {t("bench.dataset")}{" "}
      <select
        value={setKey(of.datasetId ?? "", of.datasetVersion ?? "")}
        onChange={(e) => {
          const [set = "", version = ""] = JSON.parse(e.currentTarget.value) as string[];
          setQuery({ set, version, base: "", with: "" });
        }}
      >
        {of.datasets.map((one) => (
          <option key={setKey(one.datasetId, one.datasetVersion)} value={setKey(one.datasetId, one.datasetVersion)}>
            {`${safe(one.datasetId)} ${safe(one.datasetVersion)} · ${t("bench.trialCount", { n: number(one.trials) })}`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Its score is the link to its thread; what has none shows its status. */
function TrialLink({ of }: { of: Cell["newest"][number] }) {
  const score = of.reward === undefined ? of.status === "completed" ? t("bench.noScore") : wordFor("status", of.status) : number(of.reward);
  const isBad = of.status === "failed";
  return (
    <a
      class={`trial ${isBad ? "bad" : of.status === "running" ? "run" : of.reward === undefined ? "calm" : "scored"}`}
      href={href(["thread", of.sessionId, of.threadId], { view: "timeline", at: `turn:${of.turnId}` })}
      title={safe(of.trialId)}
      aria-label={t("bench.trial", { id: safe(of.trialId), score: `${score}${isBad && of.reward !== undefined ? `, ${wordFor("status", "failed")}` : ""}` })}
    >
      {score}
    </a>
  );
}

/** What a cell has beside its mean: counts that are not zero, cost and time. */
function notesOf(of: Cell): string {
  const counts: [Word, number][] = [
    ["bench.unscored", of.unscored],
    ["bench.failed", of.failed],
    ["bench.running", of.running],
  ];
  return [
    t("bench.repeats", { n: number(of.scored), all: number(of.trials) }),
    ...counts.filter(([, n]) => n > 0).map(([word, n]) => t(word, { n: number(n) })),
    ...(of.meanCostUsd === undefined ? [] : [usd(of.meanCostUsd)]),
    ...(of.meanDurationMs === undefined ? [] : [span(of.meanDurationMs)]),
  ].join(" · ");
}

function Score({ of }: { of: Cell }) {
  if (of.meanReward === undefined) return <p class="score dim">{t("bench.noScore")}</p>;
  return (
    <p class="score num">
      {number(of.meanReward)}
      {of.rewardStdDev !== undefined && <span class="dim"> ± {number(of.rewardStdDev)}</span>}
    </p>
  );
}

function CellView({ of }: { of: Cell | undefined }) {
  if (!of) return <td class="dim">–</td>;
  const more = of.trials - of.newest.length;
  return (
    <td class="trial-cell">
      <Score of={of} />
      <p class="dim">{notesOf(of)}</p>
      <p class="trial-list">
        {of.newest.map((one) => (
          <TrialLink key={one.trialId} of={one} />
        ))}
        {more > 0 && <span class="dim">{t("bench.more", { n: number(more) })}</span>}
      </p>
    </td>
  );
}

function Table({ of, configurations }: { of: Matrix; configurations: string[] }) {
  const cells = new Map(of.cells.map((cell) => [setKey(cell.taskId, cell.configurationId), cell]));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("bench.matrix")}>
      <table class="table trials">
        <thead>
          <tr>
            <th scope="col">{t("bench.task")}</th>
            {configurations.map((id) => (
              <th scope="col" key={id}>
                {safe(id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {distinct(of.cells.map((cell) => cell.taskId)).map((task) => (
            <tr key={task}>
              <th scope="row">{safe(task)}</th>
              {configurations.map((id) => (
                <CellView key={id} of={cells.get(setKey(task, id))} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// ---- the comparison ----

/** The rows that the comparison is made of, page by page; the runtime computes it. */
async function rowsOf(of: Matrix, sides: string[]): Promise<Trial[]> {
  const rows: Trial[] = [];
  let cursor: string | undefined;
  do {
    const page: Reply<"list_benchmark_trials"> = await read("list_benchmark_trials", { limit: PAGE, ...(cursor ? { cursor } : {}) });
    for (const { benchmark: b, ...rest } of page.trials)
      if (b.datasetId === of.datasetId && b.datasetVersion === of.datasetVersion && sides.includes(b.configurationId ?? "")) rows.push({ benchmark: b, ...rest });
    if (rows.length > MOST) throw new Error(t("bench.tooMany", { n: number(MOST) }));
    cursor = page.nextCursor;
  } while (cursor);
  return rows;
}

/** [name, baseline, candidate, change]; what the runtime does not know is "unknown". */
function linesOf(of: Comparison): [Word, string, string, string][] {
  const known = (n: number | undefined, text: (n: number) => string): string => (n === undefined ? t("common.unknown") : text(n));
  const change = (n: number | undefined, text: (n: number) => string): string => known(n, (value) => signed(value, text));
  const spread = of.meanRewardDeltaStdErr === undefined ? "" : ` ± ${number(of.meanRewardDeltaStdErr)}`;
  return [
    ["bench.meanReward", known(of.baselineMeanReward, number), known(of.candidateMeanReward, number), change(of.meanRewardDelta, number) + spread],
    ["bench.stdDev", known(of.baselineRewardStdDev, number), known(of.candidateRewardStdDev, number), ""],
    ["bench.trials", known(of.baselineTrials, number), known(of.candidateTrials, number), ""],
    ["bench.without", known(of.baselineUnscored, number), known(of.candidateUnscored, number), ""],
    ["bench.complete", known(of.baselineEvidenceCompletenessRate, percent), known(of.evidenceCompletenessRate, percent), ""],
    ["bench.failureRate", "", "", change(of.failureRateDelta, percent)],
    ["bench.timeoutRate", "", "", change(of.timeoutRateDelta, percent)],
    ["bench.cost", "", "", change(of.costDeltaUsd, (n) => usd(n))],
    ["bench.tokens", "", "", change(of.tokensDelta, number)],
    ["bench.time", "", "", change(of.durationDeltaMs, span)],
    ["bench.p0", "", known(of.p0QcGateRegressionCount, number), ""],
  ];
}

function Result({ of, base, candidate }: { of: Comparison; base: string; candidate: string }) {
  const changed = of.changedVariables?.length ? of.changedVariables.map(safe).join(", ") : t("bench.nothing");
  return (
    <div role="status">
      <div class="scroll" tabIndex={0} role="region" aria-label={t("bench.comparison")}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t("bench.figure")}</th>
              <th scope="col">{safe(base)}</th>
              <th scope="col">{safe(candidate)}</th>
              <th scope="col">{t("bench.change")}</th>
            </tr>
          </thead>
          <tbody>
            {linesOf(of).map(([name, before, after, change]) => (
              <tr key={name}>
                <th scope="row">{t(name)}</th>
                <td class="num">{before}</td>
                <td class="num">{after}</td>
                <td class="num">{change}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim after">
        {t("bench.over", { n: number(of.tasks ?? 0), changed })} {of.decision ? t("bench.decision", { what: safe(of.decision) }) : t("bench.undecided")}
      </p>
    </div>
  );
}

function Side({ name, value, all, choose }: { name: string; value: string; all: string[]; choose: (id: string) => void }) {
  return (
    <label>
      {name}{" "}
      <select value={value} onChange={(e) => choose(e.currentTarget.value)}>
        {all.map((id) => (
          <option key={id} value={id}>
            {safe(id)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The comparison is recorded in the session of the baseline's newest trial, as `thole trial compare` does. */
function Compare({ of, configurations }: { of: Matrix; configurations: string[] }) {
  const { query } = place.value;
  const found = useSignal<{ comparison: Comparison; base: string; candidate: string } | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const base = configurations.find((id) => id === query.get("base")) ?? configurations[0]!;
  const candidate = configurations.find((id) => id === query.get("with")) ?? configurations.find((id) => id !== base)!;
  async function run() {
    isBusy.value = true;
    failure.value = found.value = undefined;
    try {
      const trials = await rowsOf(of, [base, candidate]);
      const sessionId = trials.find((one) => one.benchmark.configurationId === base)?.sessionId ?? trials[0]!.sessionId;
      const reply = await send("compare_benchmark_runs", { sessionId, baselineConfigurationId: base, candidateConfigurationId: candidate, trials });
      found.value = { comparison: reply.comparison, base, candidate };
    } catch (e) {
      failure.value = e as Error;
    }
    isBusy.value = false;
  }
  return (
    <section class="card">
      <h2>{t("bench.compare")}</h2>
      <form
        class="export-form"
        onSubmit={(e) => {
          e.preventDefault();
          void run();
        }}
      >
        <Side name={t("bench.base")} value={base} all={configurations} choose={(id) => setQuery({ base: id, with: id === candidate ? base : candidate })} />
        <Side name={t("bench.candidate")} value={candidate} all={configurations.filter((id) => id !== base)} choose={(id) => setQuery({ base, with: id })} />
        <button type="submit" disabled={isBusy.value}>
          {t("bench.compareNow")}
        </button>
      </form>
      <p class="dim">{t("bench.recorded")}</p>
      <Wrong of={failure.value} />
      {found.value && <Result of={found.value.comparison} base={found.value.base} candidate={found.value.candidate} />}
    </section>
  );
}

// ---- the page ----

function None() {
  return (
    <Empty title={t("bench.empty")} how={t("bench.emptyHow")}>
      <p>
        <code>{FIRST}</code> <Copy text={FIRST} />
      </p>
    </Empty>
  );
}

function Shown({ of }: { of: Matrix }) {
  const configurations = distinct(of.cells.map((cell) => cell.configurationId));
  return (
    <div class="stack">
      {configurations.length > 1 && may("write") && <Compare key={setKey(of.datasetId ?? "", of.datasetVersion ?? "")} of={of} configurations={configurations} />}
      <section class="card">
        <h2>{t("bench.matrix")}</h2>
        <p class="dim">{t("bench.how")}</p>
        {of.cells.length ? <Table of={of} configurations={configurations} /> : <p>{t("bench.noneHere")}</p>}
        {of.omitted > 0 && <p class="dim">{t("bench.omitted", { n: number(of.omitted) })}</p>}
      </section>
    </div>
  );
}

export function Benchmarks() {
  const { query } = place.value;
  const datasetId = query.get("set") ?? "";
  const datasetVersion = (datasetId && query.get("version")) || "";
  const { value, failure, again } = useView(
    () => read("get_benchmark_matrix", { ...(datasetId ? { datasetId } : {}), ...(datasetVersion ? { datasetVersion } : {}) }),
    ["benchmark."],
    [datasetId, datasetVersion],
  );
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("nav.benchmarks")}</h1>
        {value && value.datasets.length > 0 && <Sets of={value} />}
      </div>
      {failure && <Failed why={failure} again={again} />}
      {!value && !failure && <p class="reading">{t("common.loading")}</p>}
      {value && (value.trials ? <Shown of={value} /> : <None />)}
    </div>
  );
}
