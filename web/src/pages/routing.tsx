// Routing and cost: available models, routing decisions with their reasons, costs and caps.
import { read } from "../api/client";
import { clock, number, safe, shortId, until, usd } from "../text/format";
import { chosenSession, SessionPicker } from "../components/picker";
import { Bars, Gauge, Steps } from "../components/plot";
import { painted } from "../components/code";
import { href, place } from "../state/router";
import { sessions } from "../state/store";
import type { Budget, LimitPart, ModelRow, RoutingDecision, TurnView } from "../api/types";
import { Cost, Empty, Fields, Failed, Said, Status, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

interface Costs {
  points: { at: number; value: number }[];
  unknown: number; // requests whose cost was not reported
}

interface Chosen {
  turns: TurnView[];
  limits?: { budgets: Budget[] };
  costs: Costs;
}

const name = (of: { provider?: string; model?: string }): string => [of.provider, of.model].filter(Boolean).join("/");

async function readCosts(sessionId: string): Promise<Costs> {
  const points: Costs["points"] = [];
  let unknown = 0;
  let sum = 0;
  let after = 0;
  for (let more = true; more; ) {
    const page = await read("list_events", { sessionId, types: ["cost.recorded"], after });
    for (const e of page.events) {
      if (typeof e.payload.amountUsd === "number") sum += e.payload.amountUsd;
      else unknown++;
      points.push({ at: Date.parse(e.timestamp), value: sum });
    }
    more = page.more && (page.lastSequence ?? 0) > after;
    after = page.lastSequence ?? after;
  }
  return { points, unknown };
}

async function readChosen(sessionId: string): Promise<Chosen> {
  const [thread, costs] = await Promise.all([
    read("get_thread_read", { sessionId }),
    readCosts(sessionId),
  ]);
  return { turns: thread.turns.filter((turn) => turn.candidateModelSet).reverse(), limits: thread.limitState, costs };
}

/** isSaid: the model's state names the limit already; show only when it ends. */
function LimitText({ of, isSaid }: { of: LimitPart; isSaid: boolean }) {
  if (of.state === "not_applicable" || of.state === "ok") return null;
  return (
    <span class="warn-text">
      {!isSaid && wordFor("limit", of.state)}
      {of.until && <Time at={of.until}> · {until(of.until)}</Time>}
    </span>
  );
}

function Price({ of }: { of: ModelRow }) {
  if (!of.price) return <span class="odd">{t("routing.unpriced")}</span>;
  return (
    <span class="num" title={of.price.source}>
      {t("routing.price", { in: of.price.inputPerMTok, out: of.price.outputPerMTok })}
    </span>
  );
}

/** How to set the price of a model that has none. */
function PriceHelp({ models }: { models: ModelRow[] }) {
  const unpriced = models.find((model) => !model.price) ?? models[0];
  const of = unpriced ? name(unpriced) : "provider/model";
  const setting = { prices: { [of]: [{ effectiveFrom: "2026-01-01", inputPerMTok: 1.25, outputPerMTok: 10 }] } };
  return (
    <details class="fold" open={place.value.query.get("help") === "price"}>
      <summary>{t("routing.priceHelp")}</summary>
      <p>{t("routing.priceHow")}</p>
      <pre class="code" tabIndex={0}>
        {painted(safe(JSON.stringify(setting, null, 2)), "json")}
      </pre>
      <p class="dim">
        {t("routing.priceDocs")} <code>docs/how-to/money.md</code>
      </p>
    </details>
  );
}

function Models({ models }: { models: ModelRow[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("routing.models")}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t("thread.model")}</th>
            <th scope="col">{t("live.status")}</th>
            <th scope="col">{t("routing.priceHead")}</th>
            <th scope="col">{t("routing.window")}</th>
            <th scope="col">{t("routing.can")}</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={name(model)}>
              <td>
                <code>{safe(name(model))}</code> {model.isDefault && <span class="badge calm">{t("routing.default")}</span>}
              </td>
              <td>
                <span class={model.state === "available" ? "good" : "warn-text"}>{wordFor("limit", model.state)}</span>{" "}
                <LimitText of={model.rate} isSaid={model.state === "rate_limited"} /> <LimitText of={model.quota} isSaid={model.state === "quota_blocked"} />
                {!model.hasCredential && <span class="warn-text"> {t("routing.noKey")}</span>}
              </td>
              <td>
                <Price of={model} />
              </td>
              <td class="num">{number(model.windowTokens)}</td>
              <td class="dim">{model.capabilities.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Budgets({ budgets }: { budgets: Budget[] }) {
  if (!budgets.length) return <p class="dim">{t("routing.noCaps")}</p>;
  return (
    <ul class="rows">
      {budgets.map((one) => {
        const text = t("routing.ofCap", { spent: usd(one.spentUsd), cap: usd(one.capUsd) });
        return (
          <li key={one.scope}>
            <span class="gauge-name">{wordFor("routing.cap", one.scope)}</span>
            <Gauge spent={one.spentUsd} reserved={one.reservedUsd} cap={one.capUsd} label={`${wordFor("routing.cap", one.scope)}: ${text}`} />
            <span class="num">{text}</span>
            {one.reservedUsd > 0 && <span class="num dim">{t("thread.reserved", { usd: usd(one.reservedUsd) })}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function Chain({ of }: { of: RoutingDecision }) {
  if (!of.fallbackChain.length) return null;
  return (
    <ol class="chain" aria-label={t("routing.chain")}>
      {of.fallbackChain.map((step, i) => (
        <li key={i}>
          <code>{safe(name(step))}</code>{" "}
          <span class={step.outcome ? "warn-text" : "dim"}>{step.outcome ? wordFor("limit", step.outcome) : t(step.tried ? "routing.tried" : "routing.notTried")}</span>
        </li>
      ))}
    </ol>
  );
}

function Choice({ of }: { of: TurnView }) {
  const set = of.candidateModelSet!;
  const decision = of.routingDecision;
  const isFallback = decision?.decisionSource === "runtime_fallback";
  const wanted = decision && name({ provider: decision.requestedProvider, model: decision.requestedModel });
  return (
    <li class="choice-row">
      <header class="card-head">
        <code class="chosen-model">{decision?.selectedModel ? safe(name({ provider: decision.selectedProvider, model: decision.selectedModel })) : t("routing.noModel")}</code>
        {isFallback && <span class="badge wait">{t("routing.fallback")}</span>}
        <Status of={of.status} small />
        <span class="spread" />
        {of.costState && <Cost of={of.costState.recordedUsd} state={of.costState.state} />}
        {of.startedAt && (
          <Time at={of.startedAt}>
            <span class="num dim">{clock(of.startedAt)}</span>
          </Time>
        )}
      </header>
      {decision && (
        <p>
          <Said kind="routing" code={decision.decisionSource} text={decision.decisionReason} />
        </p>
      )}
      {decision && <Chain of={decision} />}
      <Fields
        of={[
          [t("routing.wanted"), wanted && <code>{safe(wanted)}</code>],
          [
            t("routing.candidates"),
            set.candidates.map((one) => (
              <code key={name(one)} class="path">
                {safe(name(one))}
              </code>
            )),
          ],
          [
            t("routing.excluded"),
            set.excluded.length > 0 &&
              set.excluded.map((one) => (
                <span key={name(one)} class="path">
                  <code>{safe(name(one))}</code> <span class="warn-text">{wordFor("limit", one.reason)}</span> {one.detail && <Said kind="reason" code={one.reason} text={one.detail} />}
                </span>
              )),
          ],
        ]}
      />
    </li>
  );
}

/** The most expensive of the listed sessions. */
function Spenders() {
  const rows = (sessions.value ?? []).filter((row) => (row.costUsd ?? 0) > 0).sort((a, b) => b.costUsd! - a.costUsd!);
  if (!rows.length) return <p class="dim">{t("routing.noCost")}</p>;
  const bars = rows.slice(0, 8).map((row) => ({
    name: safe(row.title ?? "") || shortId(row.sessionId),
    value: row.costUsd!,
    text: usd(row.costUsd, row.amountState),
    href: href(["routing"], { session: row.sessionId }),
  }));
  return <Bars of={bars} label={t("routing.spenders")} />;
}

function OneSession({ sessionId }: { sessionId: string }) {
  const { value, failure, again } = useView(() => readChosen(sessionId), ["cost.", "routing.", "turn.", "limit.", "quota.", "rate_limit."], [sessionId]);
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  const { points, unknown } = value.costs;
  const last = points.at(-1);
  return (
    <>
      {last && (
        <figure class="figure">
          <figcaption class="dim">
            {t("routing.spent", { usd: usd(last.value), n: points.length - unknown })}
            {unknown > 0 && <span class="odd"> · {t("routing.spentUnknown", { n: unknown })}</span>}
          </figcaption>
          {last.value > 0 && <Steps points={points} label={t("routing.spentPlot", { usd: usd(last.value) })} />}
        </figure>
      )}
      <Budgets budgets={value.limits?.budgets ?? []} />
      {value.turns.length ? (
        <ol class="choices">
          {value.turns.map((turn) => (
            <Choice key={turn.turnId} of={turn} />
          ))}
        </ol>
      ) : (
        <p class="dim">{t("routing.noTurns")}</p>
      )}
    </>
  );
}

export function Routing() {
  const sessionId = chosenSession();
  const { value, failure, again } = useView(
    () => read("list_models", {}),
    ["cost.", "limit.", "rate_limit.", "quota."],
    [],
  );
  return (
    <div class="page plain">
      <div class="bar">
        <h1>{t("routing.title")}</h1>
      </div>
      {failure ? (
        <Failed why={failure} again={again} />
      ) : !value ? (
        <p class="reading">{t("common.loading")}</p>
      ) : (
        <div class="stack">
          <section class="card">
            <h2>{t("routing.models")}</h2>
            {value.models.length ? <Models models={value.models} /> : <Empty title={t("routing.noModels")} />}
            <PriceHelp models={value.models} />
          </section>
          <div class="grid">
            <section class="card">
              <h2>{t("routing.caps")}</h2>
              <Budgets budgets={value.budgets} />
            </section>
            <section class="card">
              <h2>{t("routing.spenders")}</h2>
              <Spenders />
            </section>
          </div>
          <section class="card">
            <header class="card-head">
              <h2>{t("routing.choices")}</h2>
              <span class="spread" />
              {sessionId && <SessionPicker value={sessionId} />}
            </header>
            {sessionId ? <OneSession key={sessionId} sessionId={sessionId} /> : <p class="dim">{t("routing.noTurns")}</p>}
          </section>
        </div>
      )}
    </div>
  );
}
