// Where new work runs, by which model and in which mode.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, isDevice, may } from "../api/client";
import type { Args, GetCapabilitiesReply, SessionRow } from "../api/types";
import { PERMISSION_MODE } from "../api/vocab";
import { sessions } from "../state/store";
import { safe } from "../text/format";
import { t } from "../text/text";

export type Start = Pick<Args<"submit_turn">, "cwd" | "model" | "mode">;

/** What the runtime offers; read when the first form is shown. */
const able = signal<GetCapabilitiesReply | undefined>(undefined);

function useAble(): { directory?: string; permissionMode?: string; models: string[] } {
  useEffect(() => {
    get<GetCapabilitiesReply>("/v1/capabilities").then(
      (reply) => (able.value = reply),
      () => undefined,
    );
  }, []);
  const models = (able.value?.providers ?? []) as { provider: string; model: string }[];
  return { ...able.value?.settings, models: models.map(({ provider, model }) => `${provider}/${model}`) };
}

/** Directories of earlier sessions, the latest first, then the one where the runtime was started. */
function recentDirectories(): string[] {
  const rows = [...(sessions.value ?? [])].sort((a: SessionRow, b: SessionRow) => b.updatedAt.localeCompare(a.updatedAt));
  const all = [...rows.map((row) => row.cwd), able.value?.settings?.directory as string | undefined];
  return [...new Set(all.filter((dir): dir is string => !!dir))].slice(0, 12);
}

/** The argument of a command that begins work.  A paired device works where the runtime was started. */
export function startDirectory(chosen?: string): { cwd?: string } {
  const cwd = isDevice() ? undefined : (chosen ?? recentDirectories()[0]);
  return cwd ? { cwd } : {};
}

export function DirectoryField({ value, set }: { value: string | undefined; set: (to: string) => void }) {
  useAble();
  const known = recentDirectories();
  if (isDevice()) return null;
  return (
    <label>
      {t("live.directory")}
      <input
        class="mono"
        list="recent-directories"
        required
        spellcheck={false}
        placeholder="/home/…"
        value={value ?? known[0] ?? ""}
        onInput={(e) => set(e.currentTarget.value)}
      />
      <datalist id="recent-directories">
        {known.map((dir) => (
          <option key={dir} value={dir} />
        ))}
      </datalist>
    </label>
  );
}

export function StartChoices({ of, set }: { of: Start; set: (to: Start) => void }) {
  const { permissionMode, models } = useAble();
  return (
    <>
      <DirectoryField value={of.cwd} set={(cwd) => set({ ...of, cwd })} />
      <label>
        {t("live.model")}
        <select value={of.model ?? ""} onChange={(e) => set({ ...of, model: e.currentTarget.value || undefined })}>
          <option value="">{t("live.bySettings")}</option>
          {models.map((model) => (
            <option key={model} value={model}>
              {safe(model)}
            </option>
          ))}
        </select>
      </label>
      {may("admin") && (
        <label>
          {t("live.mode")}
          <select value={of.mode ?? ""} onChange={(e) => set({ ...of, mode: (e.currentTarget.value || undefined) as Start["mode"] })}>
            <option value="">{permissionMode ?? t("live.bySettings")}</option>
            {PERMISSION_MODE.filter((mode) => mode !== permissionMode).map((mode) => (
              <option key={mode} value={mode}>
                {mode}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
