// The files that turns have changed, each with its diff, read from the log; and the way back.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { may, read, readBase64, readOutput, send } from "../api/client";
import type { EditedFile } from "../api/types";
import { safe } from "../text/format";
import { t, wordFor } from "../text/text";
import { SureButton } from "./bulk";
import { Diff, patchOf } from "./diff";
import { Copy, Wrong } from "./ui";

const FILES = 50; // that are shown with their diff
const DIFF_BYTES = 256 * 1024;

interface ChangedFile {
  turnId: string;
  path: string;
  change: string;
  kind: string;
  mode?: string;
  previousMode?: string;
  beforeRef?: string;
  hash?: string; // of what the change left
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
          hash: optional(payload.sha256),
          diff,
        });
      }
      more = page.more && (page.lastSequence ?? 0) > after;
      after = page.lastSequence ?? after;
    }
  }
  return found;
}

const COMMAND_BYTES = 960 * 1024; // a command holds 1 MiB
const COMMAND_FILES = 100; // of one command, which is all or nothing

/** What takes the changes of one file back; undefined: nothing, it is as it was. */
async function restored(sessionId: string, path: string, changes: ChangedFile[]): Promise<EditedFile | undefined> {
  const [first, last] = [changes[0]!, changes.at(-1)!];
  const wasThere = first.change !== "created";
  const isThere = last.change !== "deleted";
  const mode = wasThere ? first.previousMode : undefined;
  if (!wasThere && !isThere) return undefined;
  if (changes.some((file) => file.kind !== "file") || (wasThere && !first.beforeRef) || (isThere && !last.hash)) throw new Error(t("changes.noWayBack", { path: safe(path) }));
  const content = wasThere ? await readBase64(first.beforeRef!, sessionId, COMMAND_BYTES) : undefined;
  return { path, ...(content === undefined ? {} : { content }), ...(mode && mode !== last.mode ? { mode } : {}), ...(isThere ? { expect: last.hash! } : {}) };
}

/** Takes all changes back; every file is read before the first one is written. */
async function revert(sessionId: string, files: ChangedFile[]): Promise<number> {
  const byPath = new Map<string, ChangedFile[]>();
  for (const file of files) byPath.set(file.path, [...(byPath.get(file.path) ?? []), file]);
  const commands: EditedFile[][] = [[]];
  let bytes = 0;
  for (const [path, changes] of byPath) {
    const file = await restored(sessionId, path, changes);
    if (!file) continue;
    bytes += path.length + (file.content?.length ?? 0) + 200;
    if (bytes > COMMAND_BYTES || commands.at(-1)!.length === COMMAND_FILES) commands.push([]), (bytes = file.content?.length ?? 0);
    commands.at(-1)!.push(file);
  }
  for (const some of commands) if (some.length) await send("edit_files", { sessionId, files: some, reason: "undo" });
  return byPath.size;
}

/** What will happen to each file, for the question. */
function planOf(files: ChangedFile[]): { path: string; what: string }[] {
  const paths = [...new Set(files.map((file) => file.path))];
  return paths.map((path) => {
    const changes = files.filter((file) => file.path === path);
    const [first, last] = [changes[0]!, changes.at(-1)!];
    const word = first.change === "created" ? "remove" : last.change === "deleted" ? "create" : "replace";
    const isMode = first.change !== "created" && first.previousMode && first.previousMode !== last.mode;
    return { path, what: t(`changes.will.${word}` as "changes.will.remove") + (isMode ? t("changes.will.mode", { mode: first.previousMode! }) : "") };
  });
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
        <ul class="dim will">
          {planOf(files).map(({ path, what }) => (
            <li key={path}>
              <code>{safe(path)}</code> {what}
            </li>
          ))}
        </ul>
      )}
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
