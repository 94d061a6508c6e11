// Many rows at once: a selection, commands for each row of it, and the list as a file.
import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { number } from "../text/format";
import { t } from "../text/text";
import { Wrong } from "./ui";

export interface Selection {
  /** undefined: the list has no checkboxes now. */
  chosen: Signal<ReadonlySet<string> | undefined>;
  toggle: (id: string) => void;
}

export function useSelection(): Selection {
  const chosen = useSignal<ReadonlySet<string> | undefined>(undefined);
  function toggle(id: string): void {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  }
  return { chosen, toggle };
}

export function Pick({ of, id, title }: { of: Selection; id: string; title: string }) {
  if (!of.chosen.value) return null;
  return (
    <label class="pick">
      <input type="checkbox" aria-label={t("bulk.pick", { title })} checked={of.chosen.value.has(id)} onChange={() => of.toggle(id)} />
    </label>
  );
}

const AT_ONCE = 4;

interface Outcome {
  done: number;
  refused: number;
  first?: Error; // the first refusal
}

/** Runs the command for every item, a few at a time; a refusal does not stop the others. */
async function runAll<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<Outcome> {
  const outcome: Outcome = { done: 0, refused: 0 };
  const rest = [...items];
  async function worker(): Promise<void> {
    for (let item = rest.shift(); item !== undefined; item = rest.shift())
      try {
        await act(item);
        outcome.done++;
      } catch (e) {
        outcome.refused++;
        outcome.first ??= e as Error;
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcome;
}

export interface Bulk {
  run: <T>(items: readonly T[], act: (item: T) => Promise<unknown>) => Promise<void>;
  isBusy: boolean;
  outcome: Outcome | undefined;
}

export function useBulk(): Bulk {
  const isBusy = useSignal(false);
  const outcome = useSignal<Outcome | undefined>(undefined);
  async function run<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
    isBusy.value = true;
    outcome.value = undefined;
    outcome.value = await runAll(items, act);
    isBusy.value = false;
  }
  return { run, isBusy: isBusy.value, outcome: outcome.value };
}

export function BulkOutcome({ of }: { of: Bulk }) {
  if (!of.outcome) return null;
  const { done, refused, first } = of.outcome;
  return (
    <>
      <p role="status">{refused ? t("bulk.partly", { done, refused }) : t("bulk.done", { done })}</p>
      <Wrong of={first} />
    </>
  );
}

/** A command for many rows asks once more; children: what else it needs, such as a reason. */
export function SureButton({ label, question, yes, isBusy, act, children }: { label: string; question: string; yes: string; isBusy: boolean; act: () => void; children?: ComponentChildren }) {
  const isAsking = useSignal(false);
  if (!isAsking.value)
    return (
      <button type="button" class="danger" disabled={isBusy} onClick={() => (isAsking.value = true)}>
        {label}
      </button>
    );
  return (
    <div class="pane sure" role="group" aria-label={label}>
      <p>{question}</p>
      {children}
      <div class="buttons">
        <button
          type="button"
          class="danger solid"
          disabled={isBusy}
          onClick={() => {
            isAsking.value = false;
            act();
          }}
        >
          {yes}
        </button>
        <button type="button" class="quiet" onClick={() => (isAsking.value = false)}>
          {t("common.cancel")}
        </button>
      </div>
    </div>
  );
}

/** "3 selected", all of the shown rows, and the way out; children: the commands. */
export function BulkBar({ of, ids, bulk, children }: { of: Selection; ids: string[]; bulk: Bulk; children: ComponentChildren }) {
  const { chosen } = of;
  if (!chosen.value)
    return (
      <button type="button" disabled={!ids.length} onClick={() => (chosen.value = new Set())}>
        {t("bulk.select")}
      </button>
    );
  return (
    <div class="bulk" role="group" aria-label={t("bulk.select")}>
      <span class="num" role="status">
        {t("bulk.count", { n: number(chosen.value.size) })}
      </span>
      <button type="button" class="quiet" onClick={() => (chosen.value = new Set(chosen.value!.size === ids.length ? [] : ids))}>
        {t("bulk.all", { n: number(ids.length) })}
      </button>
      {children}
      <button type="button" class="quiet" onClick={() => (chosen.value = undefined)}>
        {t("bulk.end")}
      </button>
      <BulkOutcome of={bulk} />
    </div>
  );
}

// ---- the list as a file ----

export type Table = Record<string, string | number | boolean | undefined>[];

/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value: Table[number][string]): string {
  const text = String(value ?? "");
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function csvOf(rows: Table): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

export function download(parts: BlobPart[], type: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** rows is called when a format was chosen. */
export function Export({ name, rows }: { name: string; rows: () => Table }) {
  function save(format: string): void {
    const text = format === "csv" ? csvOf(rows()) : `${JSON.stringify(rows(), null, 2)}\n`;
    download([text], format === "csv" ? "text/csv;charset=utf-8" : "application/json", `${name}.${format}`);
  }
  return (
    <span class="export" role="group" aria-label={t("bulk.export")}>
      <span class="dim">{t("bulk.export")}</span>
      {["csv", "json"].map((format) => (
        <button type="button" key={format} class="quiet" onClick={() => save(format)}>
          {format.toUpperCase()}
        </button>
      ))}
    </span>
  );
}
