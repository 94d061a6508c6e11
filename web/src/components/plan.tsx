// A plan as a list of steps with their signs.
import type { Step } from "../state/plan";
import { safe } from "../text/format";
import { t, wordFor } from "../text/text";

const SIGNS = { open: "☐", running: "▶", done: "☑" };

export function Plan({ steps }: { steps: Step[] }) {
  return (
    <ul class="md-list plan" aria-label={t("plan.title")}>
      {steps.map((step, i) => (
        <li key={i} class={step.status}>
          <span class="md-mark" role="img" aria-label={wordFor("plan.step", step.status)}>
            {SIGNS[step.status]}
          </span>
          <span>{safe(step.text)}</span>
        </li>
      ))}
    </ul>
  );
}
