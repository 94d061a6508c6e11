// The permission mode of a session, to see and to set.
import type { PermissionMode } from "../api/types";
import { may } from "../api/client";
import { PERMISSION_MODE } from "../api/vocab";
import { t, wordFor } from "../text/text";
import { Failure, useCommand } from "./command";

/** The label is the caller's; what the mode means stands below. */
export function ModeSelect({ sessionId, mode, label, again }: { sessionId: string; mode: string; label: string; again?: () => void }) {
  const sender = useCommand(again);
  return (
    <>
      {may("admin") ? (
        <select
          aria-label={label}
          value={mode}
          disabled={sender.isBusy}
          onChange={(e) => void sender.run("set_mode", { sessionId, mode: e.currentTarget.value as PermissionMode, reason: "console" })}
        >
          {PERMISSION_MODE.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      ) : (
        <span title={t("common.notAllowed", { scope: "admin" })}>{mode}</span>
      )}
      <p class="dim mode-means">{wordFor("policy.modeMeans", mode)}</p>
      <Failure of={sender} />
    </>
  );
}
