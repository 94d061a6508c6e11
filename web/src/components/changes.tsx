// The files that turns have changed, each with its diff, read from the log; and the way back.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { may, read, readOutput, send } from "../api/client";
import { safe } from "../text/format";
import { reversePatch } from "../text/revert";
import { t, wordFor } from "../text/text";
import { SureButton } from "./bulk";
import { Diff, patchOf } from "./diff";
import { Copy, Wrong } from "./ui";

const FILES = 50; // that are shown with their diff
const DIFF_BYTES = 256 * 1024;
const BEFORE_BYTES = 4 * 1024 * 1024;

interface ChangedFile {
  turnId: string;
  path: string;
  change: string;
  kind: string;
  mode?: string;
  previousMode?: string;
  beforeRef?: string;
  diff?: string;
}

const optional = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

async function readChanges(sessionId: string, turnIds: string[]): Promise<ChangedFile[]> {
  const found: ChangedFile[] = [];
  for (const turnId of turnIds) {
    let after = 0;
    for (let more = true; more; ) {
      const page = await read("list_events", { sessionId, turnId, types: ["artifact.changed"], after });
      for (const { payload, refs } of page.events) {
        if (typeof payload.path !== "string" || payload.change === "observed") continue;
        const diff = refs?.diff && found.length < FILES ? await readOutput(refs.diff, sessionId, DIFF_BYTES).catch(() => undefined) : undefined;
        found.push({
          turnId,
          path: payload.path,
          change: String(payload.change),
          kind: String(payload.kind),
          mode: optional(payload.mode),
          previousMode: optional(payload.previousMode),
          beforeRef: refs?.checkpoint,
          diff,
        });
      }
      more = page.more && (page.lastSequence ?? 0) > after;
      after = page.lastSequence ?? after;
    }
  }
  return found;
}

const PATCH_FILES = 100; // of one command, which is all or nothing

/** Takes all changes back: every patch is made before the first one is applied. */
async function revert(sessionId: string, files: ChangedFile[]): Promise<number> {
  const byPath = new Map<string, ChangedFile[]>();
  for (const file of files) byPath.set(file.path, [...(byPath.get(file.path) ?? []), file]);
  const patches: string[] = [];
  for (const [path, changes] of byPath) {
    const [first, last] = [changes[0]!, changes.at(-1)!];
    const before = (file: ChangedFile) => (file.beforeRef ? readOutput(file.beforeRef, sessionId, BEFORE_BYTES).catch(() => undefined) : undefined);
    const isFile = changes.every((file) => file.kind === "file");
    const patch = isFile ? reversePatch(path, { ...first, before: await before(first) }, { ...last, before: await before(last) }) : undefined;
    if (patch === undefined) throw new Error(t("changes.noWayBack", { path: safe(path) }));
    if (patch) patches.push(patch);
  }
  for (let at = 0; at < patches.length; at += PATCH_FILES)
    await send("edit_files", { sessionId, patch: patches.slice(at, at + PATCH_FILES).join(""), reason: "undo" });
  return byPath.size;
}

function Undo({ sessionId, files, turnIds }: { sessionId: string; files: ChangedFile[]; turnIds: string[] }) {
  const isBusy = useSignal(false);
  const undone = useSignal(0);
  const failure = useSignal<Error | undefined>(undefined);
  const changed = new Set(files.map((file) => file.turnId));
  const command = turnIds.filter((id) => changed.has(id)).reverse().map((id) => `thole undo ${id}`).join(" && ");
  async function run(): Promise<void> {
    isBusy.value = true;
    failure.value = undefined;
    await revert(sessionId, files).then(
      (count) => (undone.value = count),
      (e: Error) => (failure.value = e),
    );
    isBusy.value = false;
  }
  if (undone.value) return <p class="good-text" role="status">{t("changes.undone", { n: undone.value })}</p>;
  return (
    <>
      {may("write") && (
        <SureButton label={t("changes.undo")} question={t("changes.undoSure", { n: new Set(files.map((file) => file.path)).size })} yes={t("changes.undoYes")} isBusy={isBusy.value} act={() => void run()} />
      )}
      <Wrong of={failure.value} />
      {(failure.value || !may("write")) && (
        <>
          <p class="dim">{t("changes.elsewhere")}</p>
          <p class="typed">
            <code class="code">{command}</code> <Copy text={command} />
          </p>
        </>
      )}
    </>
  );
}

export function Changes({ sessionId, turnIds }: { sessionId: string; turnIds: string[] }) {
  const files = useSignal<ChangedFile[] | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const key = turnIds.join();
  useEffect(() => {
    let isGone = false;
    readChanges(sessionId, turnIds).then(
      (found) => !isGone && (files.value = found),
      (e: Error) => !isGone && (failure.value = e),
    );
    return () => (isGone = true) && undefined;
  }, [sessionId, key]);
  if (failure.value) return <Wrong of={failure.value} />;
  if (!files.value) return <p class="dim">{t("common.loading")}</p>;
  if (!files.value.length) return <p class="dim">{t("changes.none")}</p>;
  return (
    <section class="changes" aria-label={t("changes.title")}>
      <p class="label">{t("changes.count", { n: files.value.length })}</p>
      {files.value.map((file, i) => (
        <details key={i} open={files.value!.length <= 3}>
          <summary>
            <code>{safe(file.path)}</code> <span class="dim">{wordFor("changes", file.change)}</span>
          </summary>
          {file.diff ? <Diff of={patchOf(file.diff)} title={safe(file.path)} /> : <p class="dim">{t("changes.noDiff")}</p>}
        </details>
      ))}
      <Undo sessionId={sessionId} files={files.value} turnIds={turnIds} />
    </section>
  );
}
