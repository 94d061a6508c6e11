// Cost and service levels: what all sessions used, how turns ended, and how long they took, against the aims of the settings.
import { read } from "../api/client";
import type { Args, Reply } from "../api/types";
import { Bars } from "../components/plot";
import { Empty, Failed } from "../components/ui";
import { href, place, setQuery } from "../state/router";
import { useView } from "../state/use_view";
import { number, safe, span, usd } from "../text/format";
import { t, type Word } from "../text/text";

type Usage = Reply<"get_usage">;
type Row = Usage["rows"][number];
type By = NonNullable<Args<"get_usage">["by"]>;

const GROUPS: By[] = ["day", "hour", "model", "tenant", "session"];
const DAYS = [1, 7, 30, 90];
const DAY_MS = 86_400_000;

const bad = (of: Row): number => (of.failed ?? 0) + (of.lost ?? 0);
const turns = (of: Row): number => (of.completed ?? 0) + bad(of);
const share = (part: number, all: number): string => (all ? `${Math.round((part * 100) / all)} %` : "–");
const time = (ms: number | undefined): string => (ms === undefined ? "–" : span(ms));

function Choice({ by, days }: { by: By; days: number }) {
  return (
    <>
      <label>
        {t("cost.by")}{" "}
        <select value={by} onChange={(e) => setQuery({ by: e.currentTarget.value })}>
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {t(`cost.by.${group}` as Word)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("cost.days")}{" "}
        <select value={String(days)} onChange={(e) => setQuery({ days: e.currentTarget.value })}>
          {DAYS.map((n) => (
            <option key={n} value={String(n)}>
              {t("cost.lastDays", { n: number(n) })}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** One figure, and whether it meets its aim; the word says it, not the colour alone. */
function Figure({ name, value, aim, isMet }: { name: string; value: string; aim?: string; isMet?: boolean }) {
  return (
    <div class="card">
      <h2>{name}</h2>
      <p>{value}</p>
      {aim !== undefined && (
        <p>
          {t("cost.aim", { aim })} <span class={`badge ${isMet ? "good" : "bad"}`}>{isMet ? t("cost.met") : t("cost.missed")}</span>
        </p>
      )}
    </div>
  );
}

function Figures({ of }: { of: Usage }) {
  const { total, objectives: aims } = of;
  const failed = bad(total) * 100;
  return (
    <div class="figures">
      <Figure name={t("cost.spent")} value={usd(total.spentUsd) + (total.unknownCosts ? ` + ${t("cost.unknown", { n: number(total.unknownCosts) })}` : "")} />
      <Figure
        name={t("cost.firstDelta")}
        value={`${time(total.firstDelta?.p50Ms)} · ${time(total.firstDelta?.p95Ms)}`}
        aim={aims.firstDeltaMs === undefined ? undefined : span(aims.firstDeltaMs)}
        isMet={(total.firstDelta?.p95Ms ?? 0) <= (aims.firstDeltaMs ?? 0)}
      />
      <Figure
        name={t("cost.turns")}
        value={`${time(total.turns?.p50Ms)} · ${time(total.turns?.p95Ms)}`}
        aim={aims.turnMs === undefined ? undefined : span(aims.turnMs)}
        isMet={(total.turns?.p95Ms ?? 0) <= (aims.turnMs ?? 0)}
      />
      <Figure
        name={t("cost.failed")}
        value={`${share(bad(total), turns(total))} (${number(bad(total))} / ${number(turns(total))})`}
        aim={aims.failedPercent === undefined ? undefined : `${aims.failedPercent} %`}
        isMet={failed <= (aims.failedPercent ?? 0) * turns(total)}
      />
      <Figure name={t("cost.denied")} value={share(total.denied ?? 0, (total.allowed ?? 0) + (total.denied ?? 0))} />
      <Figure name={t("cost.waited")} value={span(total.waitedMs ?? 0)} />
    </div>
  );
}

function Spend({ of, by }: { of: Usage; by: By }) {
  const cap = of.objectives.dayUsd;
  return (
    <section class="card">
      <h2>{t("cost.spend")}</h2>
      {by === "day" && cap !== undefined && <p>{t("cost.dayCap", { cap: usd(cap) })}</p>}
      <Bars
        label={t("cost.spend")}
        of={of.rows.map((row) => ({
          name: safe(row.key),
          value: row.spentUsd,
          text: usd(row.spentUsd),
          href: by === "session" ? href(["thread", row.key]) : undefined,
        }))}
      />
    </section>
  );
}

function Table({ of }: { of: Usage }) {
  const heads: Word[] = ["cost.key", "cost.spent", "cost.input", "cost.output", "cost.turnCount", "cost.failed", "cost.first95", "cost.turn95"];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("cost.table")}>
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
          {of.rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{safe(row.key)}</th>
              <td class="num">{usd(row.spentUsd)}</td>
              <td class="num">{number(row.inputTokens)}</td>
              <td class="num">{number(row.outputTokens)}</td>
              <td class="num">{row.completed === undefined ? "–" : number(turns(row))}</td>
              <td class="num">{row.completed === undefined ? "–" : number(bad(row))}</td>
              <td class="num">{time(row.firstDelta?.p95Ms)}</td>
              <td class="num">{time(row.turns?.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Cost() {
  const { query } = place.value;
  const by = GROUPS.find((group) => group === query.get("by")) ?? "day";
  const days = DAYS.find((n) => String(n) === query.get("days")) ?? 7;
  const { value, failure, again } = useView(
    () => read("get_usage", { by, since: new Date(Date.now() - days * DAY_MS).toISOString() }),
    ["cost.", "turn."],
    [by, days],
  );
  return (
    <div class="page">
      <div class="bar">
        <h1>{t("cost.title")}</h1>
        <Choice by={by} days={days} />
      </div>
      {failure && <Failed why={failure} again={again} />}
      {!value && !failure && <p class="reading">{t("common.loading")}</p>}
      {value && !value.rows.length && <Empty title={t("cost.empty")} how={t("cost.emptyHow")} />}
      {value && value.rows.length > 0 && (
        <>
          <Figures of={value} />
          <Spend of={value} by={by} />
          <Table of={value} />
          {value.omitted > 0 && <p class="dim">{t("cost.omitted", { n: number(value.omitted) })}</p>}
        </>
      )}
    </div>
  );
}
