// Commands of the message field: Markdown files and prompts of tool servers.  A message that begins with "/" lists those
// that match; a known one is replaced by its text when the message is sent.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Problem, read } from "../api/client";
import type { ExtensionRow } from "../api/types";
import { safe } from "../text/format";
import { t } from "../text/text";

/** The commands of each directory, read when the first slash is typed there. */
const known = signal<ReadonlyMap<string, ExtensionRow[]>>(new Map());

/** "/name rest"; a path has a second slash and is no command. */
function wordsOf(text: string): { name: string; rest: string } | undefined {
  const found = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text);
  return found ? { name: found[1]!, rest: found[2] ?? "" } : undefined;
}

async function readCommands(cwd: string | undefined): Promise<void> {
  const { extensions } = await read("list_extensions", { cwd, kind: "command" });
  const usable = extensions.filter((row) => row.isTrusted && !row.error);
  known.value = new Map(known.value).set(cwd ?? "", usable.filter((row, i) => usable.findIndex((one) => one.name === row.name) === i));
}

/** Reads the commands again with each message that begins with a slash: a tool server may offer others by now. */
export function useCommands(cwd: string | undefined, text: string): ExtensionRow[] {
  const isAsked = text.startsWith("/");
  useEffect(() => {
    if (isAsked) void readCommands(cwd).catch(() => {});
  }, [isAsked, cwd]);
  return known.value.get(cwd ?? "") ?? [];
}

/** What a message is sent as: the text of its command, or itself.  It fails if the command is known and cannot be used. */
export async function expanded(text: string, cwd: string | undefined): Promise<{ input: string; model?: string }> {
  const words = wordsOf(text.trimEnd());
  if (!words) return { input: text };
  try {
    const { text: input, model } = await read("expand_command", { cwd, name: words.name, arguments: words.rest });
    return { input, model };
  } catch (e) {
    // Another word after a slash is an ordinary message; a name with a colon is a prompt of a tool server.
    if (e instanceof Problem && e.code === "not_found" && !words.name.includes(":")) return { input: text };
    throw e;
  }
}

const SHOWN = 50;

/** The commands that begin with what was typed, as a list of buttons below the field; Down enters it from the field. */
export function Slash({ commands, text, choose }: { commands: ExtensionRow[]; text: string; choose: (to: string) => void }) {
  const typed = /^\/[^\s/]*$/.exec(text)?.[0].slice(1).toLowerCase();
  if (typed === undefined) return null;
  const found = commands.filter((row) => row.name.toLowerCase().includes(typed)).slice(0, SHOWN);
  function move(e: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const all = [...(e.currentTarget as HTMLElement).querySelectorAll("button")];
    const to = all[all.indexOf(document.activeElement as HTMLButtonElement) + step];
    (to ?? (e.currentTarget as HTMLElement).parentElement?.querySelector("textarea"))?.focus();
  }
  return (
    <>
      <p class="sr-only" role="status">
        {t("slash.count", { n: found.length })}
      </p>
      {found.length > 0 && (
        <ul class="slash" aria-label={t("slash.title")} onKeyDown={move}>
          {found.map((row) => (
            <li key={row.name}>
              <button type="button" class="quiet" onClick={() => choose(`/${row.name} `)}>
                <code>/{safe(row.name)}</code> {row.argumentHint && <span class="dim">{safe(row.argumentHint)}</span>} <span class="slash-what">{safe(row.description)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
