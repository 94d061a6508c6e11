// Images of a message: chosen or pasted, uploaded when the message is sent.
import { useSignal } from "@preact/signals";
import { base64, read } from "../api/client";
import { safe } from "../text/format";
import { t } from "../text/text";

const PIECE_BYTES = 512 * 1024; // in base64 it fits into a command
const MOST_BYTES = 20 * 1024 * 1024; // of all images of a message
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

async function upload(file: File): Promise<object> {
  const data = new Uint8Array(await file.arrayBuffer());
  let outputRef: string | undefined;
  for (let offset = 0; ; offset += PIECE_BYTES) {
    const piece = data.subarray(offset, offset + PIECE_BYTES);
    const last = offset + piece.length === data.length;
    const reply = await read("upload_output", {
      ...(outputRef ? { outputRef } : { mediaType: file.type }),
      offset,
      data: base64(piece),
      last,
    });
    outputRef = reply.outputRef;
    if (last) return { type: "image", mediaType: file.type, ref: reply.outputRef, bytes: reply.sizeBytes, sha256: reply.sha256 };
  }
}

export interface Images {
  files: File[];
  add: (files: Iterable<File>) => void;
  remove: (file: File) => void;
  clear: () => void;
  /** The input of a turn; images are uploaded for it. */
  input: (text: string) => Promise<string | object[]>;
}

/** The images of one message that is being written. */
export function useImages(): Images {
  const files = useSignal<File[]>([]);
  return {
    files: files.value,
    add: (more) => (files.value = [...files.value, ...[...more].filter((file) => TYPES.includes(file.type))].slice(0, 8)),
    remove: (file) => (files.value = files.value.filter((one) => one !== file)),
    clear: () => (files.value = []),
    async input(text) {
      if (!files.value.length) return text;
      if (files.value.reduce((sum, file) => sum + file.size, 0) > MOST_BYTES) throw new Error(t("images.tooLarge"));
      const parts: object[] = [{ type: "text", text }];
      for (const file of files.value) parts.push(await upload(file));
      return parts;
    },
  };
}

/** For onPaste of a field: images of the clipboard are attached, text is pasted as usual. */
export function pasteImages(images: Images, e: ClipboardEvent): void {
  const files = [...(e.clipboardData?.files ?? [])].filter((file) => TYPES.includes(file.type));
  if (!files.length) return;
  e.preventDefault();
  images.add(files);
}

export function ImageField({ images }: { images: Images }) {
  return (
    <span class="images">
      <label class="attach">
        {t("images.attach")}
        <input
          type="file"
          class="sr-only"
          multiple
          accept={TYPES.join(",")}
          onChange={(e) => {
            images.add(e.currentTarget.files ?? []);
            e.currentTarget.value = "";
          }}
        />
      </label>
      {images.files.map((file) => (
        <span key={`${file.name} ${file.lastModified}`} class="attached">
          {safe(file.name)} <span class="dim">{t("images.size", { n: Math.ceil(file.size / 1024) })}</span>
          <button type="button" class="quiet" aria-label={t("images.remove", { name: safe(file.name) })} onClick={() => images.remove(file)}>
            ×
          </button>
        </span>
      ))}
    </span>
  );
}
