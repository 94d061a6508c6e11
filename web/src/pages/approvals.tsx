// Approvals: all pending approvals and questions, with the details needed to decide.
import { useRef } from "preact/hooks";
import { ActionCard } from "../components/action";
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
