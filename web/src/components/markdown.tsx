// Markdown as models write it: headings, lists, quotes, tables, emphasis.  Anything else is shown as plain text.
// Links are not rendered, because a model's text must not lead the user to another site.
import type { ComponentChildren, VNode } from "preact";
import { safe } from "../text/format";

type Block =
  | { kind: "text" | "quote" | "heading"; text: string }
  | { kind: "list"; items: Item[] }
  | { kind: "table"; rows: string[][] }
  | { kind: "rule" };

interface Item {
  depth: number;
  number?: number;
  text: string;
}

const MARK = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const UNDER_HEAD = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 3;

const cellsOf = (line: string): string[] => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

/** The block that begins at this line, and its kind. */
function blockAt(lines: string[], at: number): [Block, next: number] {
  const line = lines[at]!;
  const take = (belongs: (line: string) => boolean): number => {
    let next = at + 1;
    while (next < lines.length && belongs(lines[next]!)) next++;
    return next;
  };
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  const heading = /^#{1,6}\s+(.*)$/.exec(line);
  if (heading) return [{ kind: "heading", text: heading[1]! }, at + 1];
  if (line.startsWith(">")) {
    const next = take((other) => other.startsWith(">"));
    return [{ kind: "quote", text: lines.slice(at, next).map((one) => one.replace(/^> ?/, "")).join("\n") }, next];
  }
  if (line.includes("|") && UNDER_HEAD.test(lines[at + 1] ?? "") && lines[at + 1]!.includes("|")) {
    const next = take((other) => other.includes("|"));
    return [{ kind: "table", rows: [line, ...lines.slice(at + 2, next)].map(cellsOf) }, next];
  }
  if (MARK.test(line)) return listAt(lines, at);
  const next = take((other) => other.trim() !== "" && !startsBlock(other));
  return [{ kind: "text", text: lines.slice(at, next).join("\n") }, next];
}

const startsBlock = (line: string): boolean => RULE.test(line) || MARK.test(line) || /^(?:#{1,6}\s|>)/.test(line);

function listAt(lines: string[], at: number): [Block, next: number] {
  const items: Item[] = [];
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const mark = RULE.test(line) ? null : MARK.exec(line);
    const last = items.at(-1);
    if (mark) items.push({ depth: Math.min(DEEPEST, Math.floor(mark[1]!.length / 2)), number: mark[2] ? Number(mark[2]) : undefined, text: mark[3]! });
    else if (last && /^\s+\S/.test(line)) last.text += `\n${line.trim()}`;
    else break;
  }
  return [{ kind: "list", items }, at];
}

function blocksOf(text: string): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.trim() === "") {
      at++;
      continue;
    }
    const [block, next] = blockAt(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

const MARKED = /(`[^`\n]+`|\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*|(?<![\w*])\*[^\s*](?:[^*\n]*[^\s*])?\*(?![\w*]))/;

/** Inline code, strong and emphasized text; the rest unchanged. */
function inline(text: string): ComponentChildren[] {
  return text.split(MARKED).map((part, i) => {
    if (i % 2 === 0) return safe(part);
    if (part.startsWith("`")) return <code key={i}>{safe(part.slice(1, -1))}</code>;
    if (part.startsWith("**")) return <strong key={i}>{inline(part.slice(2, -2))}</strong>;
    return <em key={i}>{inline(part.slice(1, -1))}</em>;
  });
}

/** A task list item: open or done. */
const boxed = (text: string): string => text.replace(/^\[ \] /, "☐ ").replace(/^\[[xX]\] /, "☑ ");

function List({ items }: { items: Item[] }) {
  return (
    <ul class="md-list">
      {items.map((item, i) => (
        <li key={i} class={`in-${item.depth}`}>
          <span class="md-mark">{item.number === undefined ? "•" : `${item.number}.`}</span>
          <span>{inline(boxed(item.text))}</span>
        </li>
      ))}
    </ul>
  );
}

function Table({ rows }: { rows: string[][] }) {
  const [head = [], ...rest] = rows;
  return (
    <table class="table">
      <thead>
        <tr>
          {head.map((cell, i) => (
            <th key={i} scope="col">
              {inline(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rest.map((row, i) => (
          <tr key={i}>
            {head.map((_, k) => (
              <td key={k}>{inline(row[k] ?? "")}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Markdown({ text }: { text: string }): VNode {
  return (
    <>
      {blocksOf(text).map((block, i) => {
        if (block.kind === "list") return <List key={i} items={block.items} />;
        if (block.kind === "table") return <Table key={i} rows={block.rows} />;
        if (block.kind === "rule") return <hr key={i} />;
        if (block.kind === "quote") return <blockquote key={i}>{inline(block.text)}</blockquote>;
        return (
          <p key={i} class={block.kind === "heading" ? "md-heading" : undefined}>
            {inline(block.text)}
          </p>
        );
      })}
    </>
  );
}
