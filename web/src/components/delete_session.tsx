// Deletes the session of a thread, after a question.
import { useSignal } from "@preact/signals";
import { may } from "../api/client";
import { go, href } from "../state/router";
import { forget } from "../state/store";
import { t } from "../text/text";
import { Failure, useCommand } from "./command";

export function DeleteSession({ sessionId }: { sessionId: string }) {
  const isSure = useSignal(false);
  const sender = useCommand(() => {
    forget(new Set([sessionId]));
    go(href(["live"]));
  });
  if (!may("admin") || sessionId === "sess_system") return null;
  return (
    <section>
      {isSure.value ? (
        <div class="pane sure" role="group" aria-label={t("thread.delete")}>
          <p>{t("thread.deleteSure")}</p>
          <div class="buttons">
            <button type="button" class="danger solid" disabled={sender.isBusy} onClick={() => void sender.run("delete_session", { sessionId })}>
              {t("thread.deleteYes")}
            </button>
            <button type="button" class="quiet" onClick={() => (isSure.value = false)}>
              {t("common.cancel")}
            </button>
          </div>
        </div>
      ) : (
        <button type="button" class="danger" onClick={() => (isSure.value = true)}>
          {t("thread.delete")}
        </button>
      )}
      <Failure of={sender} />
    </section>
  );
}
