// The change that a call would make to a file, line by line, derived from its arguments.
import { Shown } from "./shown";
import { t } from "../text/text";
import { languageOf } from "../text/tokens";

type Line = [sign: " " | "+" | "-", text: string];
const LCS_MOST = 400; // lines on each side; above this limit all old lines come first, then all new ones

function compare(before: string[], after: string[]): Line[] {
  if (before.length > LCS_MOST || after.length > LCS_MOST)
    return [...before.map((line): Line => ["-", line]), ...after.map((line): Line => ["+", line])];
  const width = after.length + 1;
  const longest = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] =
        before[i] === after[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push([" ", before[i++]!]);
      j++;
    } else if (i < before.length && (j >= after.length || longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(["-", before[i++]!]);
    } else {
      lines.push(["+", after[j++]!]);
    }
  }
  return lines;
}

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

function patchLines(patch: string): Line[] {
  return linesOf(patch).map((line) => {
    const isHead = /^(---|\+\+\+|@@|diff )/.test(line);
    const sign = isHead ? " " : line[0] === "+" || line[0] === "-" ? line[0] : " ";
    return [sign, isHead || !/^[ +-]/.test(line) ? line : line.slice(1)] as Line;
  });
}

export interface Change {
  lines: Line[];
  language?: string;
  isWhole: boolean; // the proposed content of the whole file; the current content is unknown here
}

/** A unified diff; the language is that of the first file that it names. */
export function patchOf(patch: string): Change {
  const path = /^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Update|Add) File: )(\S+)/m.exec(patch)?.[1];
  return { lines: patchLines(patch), language: path && languageOf(path), isWhole: false };
}

/** The change that these arguments describe; undefined if they describe none. */
export function changeOf(args: unknown): Change | undefined {
  const given = (args ?? {}) as Record<string, unknown>;
  const { oldText, newText, content, path, patch, diff } = given;
  const language = typeof path === "string" ? languageOf(path) : undefined;
  if (typeof oldText === "string" && typeof newText === "string")
    return { lines: compare(linesOf(oldText), linesOf(newText)), language, isWhole: false };
  const text = typeof patch === "string" ? patch : typeof diff === "string" ? diff : undefined;
  if (text !== undefined) return patchOf(text);
  if (typeof content === "string" && typeof path === "string")
    return { lines: linesOf(content).map((line): Line => ["+", line]), language, isWhole: true };
  return undefined;
}

export const CHANGE_KEYS = ["oldText", "newText", "content", "patch", "diff"];

export function Diff({ of, title }: { of: Change; title?: string }) {
  return (
    <figure class="diff">
      <figcaption class="label">{title ?? t(of.isWhole ? "diff.whole" : "diff.change")}</figcaption>
      <pre class="code" tabIndex={0}>
        {of.lines.map(([sign, line], i) => (
          <span key={i} class={sign === "+" ? "added" : sign === "-" ? "removed-line" : "kept"}>
            <span aria-hidden="true">{sign} </span>
            {sign !== " " && <span class="sr-only">{t(sign === "+" ? "diff.added" : "diff.removed")} </span>}
            <Shown text={line} language={of.language} />
            {"\n"}
          </span>
        ))}
      </pre>
    </figure>
  );
}
