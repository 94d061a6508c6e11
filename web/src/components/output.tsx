// A stored output, read in parts: from its start, from its end, or from any offset.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../api/client";
import type { GetOutputReply } from "../api/types";
import { bytes, number, safe } from "../text/format";
import { t } from "../text/text";
import { Wrong } from "./ui";

const PART = 32 * 1024;

export function Output({ outputRef, sessionId }: { outputRef: string; sessionId: string }) {
  const part = useSignal<GetOutputReply | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  async function show(offset: number) {
    failure.value = undefined;
    try {
      part.value = await read("get_output", { outputRef, sessionId, offset, length: PART });
    } catch (e) {
      failure.value = e as Error;
    }
  }
  useEffect(() => void show(0), [outputRef]);
  const p = part.value;
  if (failure.value) return <Wrong of={failure.value} />;
  if (!p) return <p class="dim">{t("common.loading")}</p>;
  const size = p.output.sizeBytes;
  const end = p.offset + p.bytes;
  return (
    <div class="output-view">
      <p class="dim">
        {p.output.mediaType} · {bytes(size)} · {p.output.complete ? t("output.complete") : t("output.growing")}
      </p>
      {size > PART && (
        <div class="buttons">
          <button type="button" class="quiet" disabled={p.offset === 0} onClick={() => void show(0)}>
            {t("output.first")}
          </button>
          <button type="button" class="quiet" disabled={p.offset === 0} onClick={() => void show(Math.max(0, p.offset - PART))}>
            {t("output.before")}
          </button>
          <span class="num dim">{t("output.range", { from: number(p.offset), to: number(end), all: number(size) })}</span>
          <button type="button" class="quiet" disabled={p.eof} onClick={() => void show(end)}>
            {t("output.next")}
          </button>
          <button type="button" class="quiet" disabled={p.eof} onClick={() => void show(Math.max(0, size - PART))}>
            {t("output.last")}
          </button>
        </div>
      )}
      <pre class="code" tabIndex={0} aria-label={outputRef}>
        {p.text !== undefined ? safe(p.text) : (p.base64 ?? "")}
      </pre>
      <a href={`/v1/outputs/${encodeURIComponent(outputRef)}`} target="_blank" rel="noreferrer">
        {t("item.output")}
      </a>
    </div>
  );
}
