// Approvals: all pending approvals and questions, with the details needed to decide.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { may, send } from "../api/client";
import type { ActionView } from "../api/types";
import { ActionCard } from "../components/action";
import { isRefusal } from "../components/answer";
import { BulkOutcome, Export, SureButton, useBulk, type Table } from "../components/bulk";
import { useKeys } from "../components/keys";
import { actions, refreshActions, trouble } from "../state/store";
import { Empty, Failed } from "../components/ui";
import { t } from "../text/text";

function focusCard(box: HTMLElement | null, by: number): void {
  const cards = [...(box?.querySelectorAll<HTMLElement>("[data-action]") ?? [])];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[Math.max(0, Math.min(cards.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const tableOf = (rows: ActionView[]): Table =>
  rows.map((row) => ({
    actionId: row.actionId,
    actionType: row.actionType,
    tool: row.toolName,
    prompt: row.prompt,
    directory: row.scopeDetail?.cwd,
    destructive: row.policy?.destructive,
    sessionId: row.sessionId,
    turnId: row.turnId,
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    onExpiry: row.onExpiry,
  }));

/** Refuses what is listed now.  There is no way to approve several requests at once. */
function DenyAll({ all }: { all: ActionView[] }) {
  const why = useSignal("");
  const bulk = useBulk();
  const refusable = all.filter((action) => action.decisions.some(isRefusal));
  async function deny(action: ActionView): Promise<void> {
    const { decision, mayGiveReason } = action.decisions.find(isRefusal)!;
    const reason = (mayGiveReason && why.value.trim()) || undefined;
    await send("respond_action", { sessionId: action.sessionId ?? "", actionId: action.actionId, decision, reason });
  }
  return (
    <>
      {may("approve") && refusable.length > 1 && (
        <SureButton
          label={t("approvals.denyAll")}
          question={t("approvals.denyAllSure", { n: refusable.length })}
          yes={t("approvals.denyAllYes", { n: refusable.length })}
          isBusy={bulk.isBusy}
          act={() => void bulk.run(refusable, deny).then(refreshActions)}
        >
          <label>
            {t("action.denyWhy")}
            <textarea rows={2} maxLength={2000} value={why.value} onInput={(e) => (why.value = e.currentTarget.value)} />
          </label>
        </SureButton>
      )}
      <BulkOutcome of={bulk} />
    </>
  );
}

export function Approvals() {
  const box = useRef<HTMLDivElement>(null);
  const all = actions.value;
  useKeys({ j: () => focusCard(box.current, 1), k: () => focusCard(box.current, -1) });
  const count = all?.length ?? 0;
  return (
    <div class="page approvals">
      <div class="bar">
        <h1>{t("approvals.title")}</h1>
        <p class="dim" role="status">
          {count > 0 && (count === 1 ? t("approvals.summary1") : t("approvals.summary", { n: count }))}
        </p>
        <span class="spread" />
        {count > 0 && <Export name="approvals" rows={() => tableOf(all ?? [])} />}
        <DenyAll all={all ?? []} />
      </div>
      {all === undefined ? (
        trouble.value ? (
          <Failed why={trouble.value} again={refreshActions} />
        ) : (
          <p class="reading">{t("common.loading")}</p>
        )
      ) : all.length === 0 ? (
        <Empty title={t("approvals.empty")} how={t("approvals.emptyHow")}>
          <pre class="code">thole run approve</pre>
        </Empty>
      ) : (
        <div class="cards" ref={box}>
          {all.map((action) => (
            <ActionCard key={action.actionId} action={action} sessionId={action.sessionId ?? ""} />
          ))}
        </div>
      )}
    </div>
  );
}
