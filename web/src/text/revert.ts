// The patch that takes the changes of a file back.
//
// The content to bring back is the stored one, not made from diffs: a diff in the log has its secrets removed.  The
// content to take away is computed from the last change; if the file holds anything else, the runtime refuses the
// patch, so a later change of a user is never overwritten.

export interface FileChange {
  change: string; // created, updated, deleted
  diff?: string; // unified
  before?: string; // the old content; absent for a file that was created
  mode?: string; // permission bits, octal, where they are known
  previousMode?: string;
}

interface Hunk {
  from: number; // on the old side, counted from 1; 0 if it has no line there
  count: number;
  wanted: number; // lines of the new side
  lines: string[]; // those
  hasNoEnd: boolean; // the last of them has no line break
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NO_END = "\\ No newline at end of file";

/** The hunks of a diff of one file; undefined if it was cut. */
function hunksOf(diff: string): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let last = " ";
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const head = HEAD.exec(line);
    const hunk = hunks.at(-1);
    if (head) hunks.push({ from: Number(head[1]), count: Number(head[2] ?? 1), wanted: Number(head[3] ?? 1), lines: [], hasNoEnd: false });
    else if (hunk && line[0] === "\\") hunk.hasNoEnd ||= last !== "-";
    else if (hunk && line[0] !== "-") hunk.lines.push(line.slice(1));
    last = line[0] ?? " ";
  }
  return hunks.length && hunks.every((hunk) => hunk.lines.length === hunk.wanted) ? hunks : undefined;
}

/** The lines of a text, and whether the last one has no line break. */
function linesOf(text: string): [lines: string[], hasNoEnd: boolean] {
  if (!text) return [[], false];
  return text.endsWith("\n") ? [text.slice(0, -1).split("\n"), false] : [text.split("\n"), true];
}

/** The content after a change; undefined if it is not known. */
function afterOf({ before = "", diff }: FileChange): string | undefined {
  const hunks = hunksOf(diff ?? "");
  if (!hunks) return undefined;
  const [old, oldHasNoEnd] = linesOf(before);
  const lines: string[] = [];
  let at = 0;
  let hasNoEnd = oldHasNoEnd;
  for (const { from, count, lines: made, hasNoEnd: isOpen } of hunks) {
    const start = count ? from - 1 : from;
    lines.push(...old.slice(at, start), ...made);
    at = start + count;
    if (at >= old.length) hasNoEnd = isOpen;
  }
  lines.push(...old.slice(at));
  return lines.length ? lines.join("\n") + (hasNoEnd ? "" : "\n") : "";
}

function side(sign: string, text: string): string[] {
  const [lines, hasNoEnd] = linesOf(text);
  return [...lines.map((line) => sign + line), ...(hasNoEnd ? [NO_END] : [])];
}

const range = (text: string): string => (text ? `1,${linesOf(text)[0].length}` : "0,0");

/** A patch holds no permission bits. */
function isModeLost(first: FileChange, last: FileChange): boolean {
  if (first.change === "created") return false;
  return last.change === "deleted" ? (parseInt(first.previousMode ?? "0", 8) & 0o111) !== 0 : first.previousMode !== last.mode;
}

/**
 * From what the last change left to what the first one found; "" if that is the same.  undefined: a patch cannot do it
 * (no text, cut, not stored, or a change of permission bits).
 */
export function reversePatch(path: string, first: FileChange, last: FileChange): string | undefined {
  const wasThere = first.change !== "created";
  const isThere = last.change !== "deleted";
  const before = wasThere ? first.before : "";
  const after = isThere ? (last.change !== "created" && last.before === undefined ? undefined : afterOf(last)) : "";
  if (before === undefined || after === undefined || /[\n\r\t]/.test(path) || `${before}${after}`.includes("\0") || isModeLost(first, last)) return undefined;
  if (wasThere === isThere && before === after) return "";
  const names = [isThere ? `a/${path}` : "/dev/null", wasThere ? `b/${path}` : "/dev/null"];
  return [`--- ${names[0]}`, `+++ ${names[1]}`, `@@ -${range(after)} +${range(before)} @@`, ...side("-", after), ...side("+", before), ""].join("\n");
}
