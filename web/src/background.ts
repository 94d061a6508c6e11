// What the log says about the call behind an action; read once, it does not change.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "./api";
import type { ActionView, Cage, Envelope, PermissionDecision } from "./types";

export interface Background {
  args?: unknown;
  cwd?: string;
  cage?: Cage;
  permission?: PermissionDecision;
}

const kept = new Map<string, Background>();
const TYPES = ["tool.started", "tool.args", "permission.evaluated", "turn.started"];

async function readBackground(action: ActionView, sessionId: string): Promise<Background> {
  const about = await read<{ sandboxProfile?: Cage }>("get_execution_environment", { sessionId, turnId: action.turnId });
  const found: Background = { cage: about.sandboxProfile };
  let after = 0;
  for (let more = true; more; ) {
    const page = await read<{ events: Envelope[]; more: boolean; lastSequence?: number }>("list_events", {
      sessionId,
      turnId: action.turnId,
      types: TYPES,
      after,
    });
    for (const e of page.events) takeFact(found, e, action);
    more = page.more && (page.lastSequence ?? 0) > after;
    after = page.lastSequence ?? after;
  }
  kept.set(action.actionId, found);
  return found;
}

function takeFact(found: Background, e: Envelope, action: ActionView): void {
  if (e.type === "turn.started") {
    found.cwd = e.executionEnvironment?.cwd;
    found.cage ??= e.executionEnvironment?.sandboxProfile;
  } else if (e.toolCallId !== action.toolCallId) {
    return;
  } else if (e.type === "permission.evaluated") {
    found.permission = e.permissionDecision;
  } else if (e.payload.safeArgs !== undefined) {
    found.args = e.payload.safeArgs;
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
