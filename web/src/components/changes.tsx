// The files that turns have changed, each with its diff, read from the log; and the command that reverts them.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../api/client";
import { safe } from "../text/format";
import { t, wordFor } from "../text/text";
import { Diff, patchOf, type Change } from "./diff";
import { Copy, Wrong } from "./ui";

const FILES = 50; // that are shown with their diff
const DIFF_BYTES = 64 * 1024;

interface ChangedFile {
  turnId: string;
  path: string;
  change: string;
  diff?: Change;
}

async function diffOf(outputRef: string, sessionId: string): Promise<Change | undefined> {
  const part = await read("get_output", { outputRef, sessionId, offset: 0, length: DIFF_BYTES }).catch(() => undefined);
  return part?.text !== undefined ? patchOf(part.text) : undefined;
}

async function readChanges(sessionId: string, turnIds: string[]): Promise<ChangedFile[]> {
  const found: ChangedFile[] = [];
  for (const turnId of turnIds) {
    let after = 0;
    for (let more = true; more; ) {
      const page = await read("list_events", { sessionId, turnId, types: ["artifact.changed"], after });
      for (const e of page.events) {
        const path = e.payload.path;
        if (typeof path !== "string" || e.payload.change === "observed") continue;
        const ref = found.length < FILES ? e.refs?.diff : undefined;
        found.push({ turnId, path, change: String(e.payload.change), diff: ref ? await diffOf(ref, sessionId) : undefined });
      }
      more = page.more && (page.lastSequence ?? 0) > after;
      after = page.lastSequence ?? after;
    }
  }
  return found;
}

/** isRevertShown: with the command that brings the old content back, newest turn first. */
export function Changes({ sessionId, turnIds, isRevertShown }: { sessionId: string; turnIds: string[]; isRevertShown?: boolean }) {
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
  const changed = new Set(files.value.map((file) => file.turnId));
  const command = turnIds.filter((id) => changed.has(id)).reverse().map((id) => `thole undo ${id}`).join(" && ");
  return (
    <section class="changes" aria-label={t("changes.title")}>
      <p class="label">{t("changes.count", { n: files.value.length })}</p>
      {files.value.map((file, i) => (
        <details key={i} open={files.value!.length <= 3}>
          <summary>
            <code>{safe(file.path)}</code> <span class="dim">{wordFor("changes", file.change)}</span>
          </summary>
          {file.diff ? <Diff of={file.diff} title={safe(file.path)} /> : <p class="dim">{t("changes.noDiff")}</p>}
        </details>
      ))}
      {isRevertShown && (
        <>
          <p>{t("changes.revert")}</p>
          <p class="typed">
            <code class="code">{command}</code> <Copy text={command} />
          </p>
        </>
      )}
    </section>
  );
}
