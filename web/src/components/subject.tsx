// What an approval covers: the command, the change of a file or the arguments, whole, and where it would run.
import type { ComponentChildren } from "preact";
import type { ActionView } from "../api/types";
import { t } from "../text/text";
import { safe } from "../text/format";
import { CHANGE_KEYS, changeOf, Diff } from "./diff";
import { Shown } from "./shown";
import { Fields, pretty } from "./ui";

/** A shell command as text, a file change as a diff, other arguments by name. */
export function Arguments({ of }: { of: unknown }) {
  const given = (of ?? {}) as Record<string, unknown>;
  const command = typeof given.command === "string" ? given.command : undefined;
  const change = changeOf(of);
  const shown = new Set([...(command !== undefined ? ["command"] : []), ...(change ? CHANGE_KEYS : [])]);
  if (!shown.size)
    return (
      <pre class="code" tabIndex={0}>
        <Shown text={pretty(of)} language="json" />
      </pre>
    );
  const rest = Object.entries(given).filter(([name]) => !shown.has(name));
  return (
    <>
      <Fields of={rest.map(([name, value]): [string, ComponentChildren] => [safe(name), <code><Shown text={pretty(value)} /></code>])} />
      {command !== undefined && (
        <pre class="code command" tabIndex={0}>
          <Shown text={command} language="command" />
        </pre>
      )}
      {change && <Diff of={change} />}
    </>
  );
}

/** The access that an approval adds to the sandbox, in words. */
function moreText(more: NonNullable<ActionView["override"]>): string {
  return [
    more.mode === "danger_full_access" && t("action.more.all"),
    ...(more.network ? [t("action.more.network")] : (more.hosts ?? [])),
    more.unixSockets && t("action.more.sockets"),
    ...[...(more.writeRoots ?? []), ...(more.writeFiles ?? [])].map((path) => t("action.more.write", { path })),
    ...[...(more.readRoots ?? []), ...(more.readFiles ?? [])].map((path) => t("action.more.read", { path })),
  ]
    .filter(Boolean)
    .join(", ");
}

/** Directory and additional access stand above the command, because they decide what it does. */
export function Subject({ action, args, cwd }: { action: ActionView; args: unknown; cwd: string | undefined }) {
  if (action.actionType === "sampling" && args !== undefined)
    return (
      <div class="subject">
        <Arguments of={args} />
      </div>
    );
  if (action.actionType !== "tool_permission" || args === undefined)
    return (
      <p class="question">
        <Shown text={action.prompt} />
      </p>
    );
  return (
    <div class="subject">
      {cwd && (
        <p class="label">
          {t("action.cwd")}: <code><Shown text={cwd} /></code>
        </p>
      )}
      {action.override && (
        <p class="warn-text">
          {t("action.more")}: <Shown text={moreText(action.override)} />
        </p>
      )}
      <Arguments of={args} />
    </div>
  );
}
