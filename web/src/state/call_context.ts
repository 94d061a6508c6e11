// What the log says about the call behind an action; read once, it does not change.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../api/client";
import type { ActionView, SandboxProfile, RuntimeEvent, PermissionDecision } from "../api/types";

export interface Background {
  /** The whole of them, however long they are. */
  args?: unknown;
  /** Where they are, when they are too long for the events. */
  argsRef?: string;
  /** They are there and could not be read: nobody can say yes to them. */
  isUnread?: boolean;
  cwd?: string;
  cage?: SandboxProfile;
  permission?: PermissionDecision;
}

const kept = new Map<string, Background>();
const TYPES = ["tool.started", "tool.args", "permission.evaluated", "turn.started"];

async function readBackground(action: ActionView, sessionId: string): Promise<Background> {
  const about = await read("get_execution_environment", { sessionId, turnId: action.turnId });
  const found: Background = { cage: about.sandboxProfile };
  let after = 0;
  for (let more = true; more; ) {
    const page = await read("list_events", {
      sessionId,
      turnId: action.turnId,
      types: TYPES,
      after,
    });
    for (const e of page.events) takeFact(found, e, action);
    more = page.more && (page.lastSequence ?? 0) > after;
    after = page.lastSequence ?? after;
  }
  if (found.args === undefined && found.argsRef) await readArgs(found, sessionId);
  kept.set(action.actionId, found);
  return found;
}

/** What is not seen is not decided about: all of it is read. */
async function readArgs(found: Background, sessionId: string): Promise<void> {
  found.isUnread = true;
  try {
    found.args = JSON.parse(await readWhole(found.argsRef!, sessionId));
    found.isUnread = false;
  } catch {
    // the card says that it could not be read
  }
}

const PART = 65536;

/** A part that ends inside of a character comes in another form. */
async function readWhole(outputRef: string, sessionId: string): Promise<string> {
  const parts: number[][] = [];
  for (let offset = 0, isOver = false; !isOver; ) {
    const part = await read("get_output", { outputRef, sessionId, offset, length: PART });
    const bytes =
      part.text !== undefined ? [...new TextEncoder().encode(part.text)] : [...atob(part.base64 ?? "")].map((c) => c.charCodeAt(0));
    parts.push(bytes);
    offset += bytes.length;
    isOver = part.eof || !bytes.length;
  }
  return new TextDecoder().decode(new Uint8Array(parts.flat()));
}

function takeFact(found: Background, e: RuntimeEvent, action: ActionView): void {
  if (e.type === "turn.started") {
    found.cwd = e.executionEnvironment?.cwd;
    found.cage ??= e.executionEnvironment?.sandboxProfile;
  } else if (e.toolCallId !== action.toolCallId) {
    return;
  } else if (e.type === "permission.evaluated") {
    found.permission = e.permissionDecision;
  } else if (e.payload.safeArgs !== undefined || e.payload.safeArgsRef !== undefined) {
    // a later one replaces an earlier one, whatever form it has
    found.args = e.payload.safeArgs;
    found.argsRef = e.payload.safeArgsRef as string | undefined;
  }
}

export function useBackground(action: ActionView, sessionId: string): Background {
  const background = useSignal<Background>(kept.get(action.actionId) ?? {});
  useEffect(() => {
    if (!kept.has(action.actionId))
      readBackground(action, sessionId).then(
        (found) => (background.value = found),
        () => {}, // the card says what is not known
      );
  }, [action.actionId]);
  return background.value;
}
