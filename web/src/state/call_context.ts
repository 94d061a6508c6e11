// The call that an action is about, read from the log once; it does not change.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Problem, read, readOutput } from "../api/client";
import type { ActionView, EventType, PermissionDecision, RuntimeEvent, SandboxProfile } from "../api/types";

export interface CallContext {
  /** The call was read from the log; before that nothing can be approved. */
  isRead?: boolean;
  /** All arguments, however long. */
  args?: unknown;
  /** The stored output that holds the arguments if they are too long for the events. */
  argsRef?: string;
  /** The arguments exist and could not be read, so the call cannot be approved. */
  isUnread?: boolean;
  cwd?: string;
  sandbox?: SandboxProfile;
  permission?: PermissionDecision;
}

const cache = new Map<string, CallContext>();
const TYPES: EventType[] = ["tool.started", "tool.args", "permission.evaluated", "turn.started"];

async function readContext(action: ActionView, sessionId: string): Promise<CallContext> {
  const about = await read("get_execution_environment", { sessionId, turnId: action.turnId }).catch((e) => {
    if (e instanceof Problem && e.code !== "network") return undefined; // shown as unknown; the call itself decides
    throw e;
  });
  const found: CallContext = { isRead: true, argsRef: action.inputRef, sandbox: about?.sandboxProfile };
  // What a tool server asks a model is not in the arguments of its call.
  const isRequest = action.actionType === "sampling";
  let after = 0;
  for (let more = !isRequest; more; ) {
    const page = await read("list_events", {
      sessionId,
      turnId: action.turnId,
      types: TYPES,
      after,
    });
    for (const e of page.events) addEvent(found, e, action);
    more = page.more && (page.lastSequence ?? 0) > after;
    after = page.lastSequence ?? after;
  }
  if (found.args === undefined && found.argsRef) await readArgs(found, sessionId);
  cache.set(action.actionId, found);
  return found;
}

/** Reads all of the arguments: a user must see what an approval covers. */
async function readArgs(found: CallContext, sessionId: string): Promise<void> {
  found.isUnread = true;
  try {
    found.args = JSON.parse(await readOutput(found.argsRef!, sessionId));
    found.isUnread = false;
  } catch {
    // the card shows that they could not be read
  }
}

const AGAIN_MS = 2000;

function addEvent(found: CallContext, e: RuntimeEvent, action: ActionView): void {
  if (e.type === "turn.started") {
    found.cwd = e.executionEnvironment?.cwd;
    found.sandbox ??= e.executionEnvironment?.sandboxProfile;
  } else if (e.toolCallId !== action.toolCallId) {
    return;
  } else if (e.type === "permission.evaluated") {
    found.permission = e.permissionDecision;
  } else if (e.payload.safeArgs !== undefined || e.payload.safeArgsRef !== undefined) {
    // later arguments replace earlier ones, inline or stored
    found.args = e.payload.safeArgs;
    found.argsRef = (e.payload.safeArgsRef as string | undefined) ?? found.argsRef;
  }
}

export function useCallContext(action: ActionView, sessionId: string): CallContext {
  const context = useSignal<CallContext>(cache.get(action.actionId) ?? {});
  useEffect(() => {
    let timer = 0;
    const ask = (): void => {
      readContext(action, sessionId).then(
        (found) => (context.value = found),
        () => (timer = window.setTimeout(ask, AGAIN_MS)), // until then the card offers a refusal only
      );
    };
    if (!cache.has(action.actionId)) ask();
    return () => clearTimeout(timer);
  }, [action.actionId]);
  return context.value;
}
