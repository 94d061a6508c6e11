// Paired devices: scopes, last contact, a button to revoke each, and the command that pairs another.
import { useSignal } from "@preact/signals";
import { may, read, session } from "../api/client";
import type { Device } from "../api/types";
import { Failure, useCommand } from "../components/command";
import { ago, dateTime, safe } from "../text/format";
import { isInTheClear, pairCommand } from "../text/pair_command";
import { Copy, Failed, Time } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

function Revoke({ of, again }: { of: Device; again: () => void }) {
  const isSure = useSignal(false);
  const sender = useCommand(again);
  if (!isSure.value)
    return (
      <button type="button" class="danger" onClick={() => (isSure.value = true)}>
        {t("policy.revoke")}
      </button>
    );
  return (
    <div class="pane sure" role="group" aria-label={t("policy.revoke")}>
      <p>{t("devices.revokeSure")}</p>
      <div class="buttons">
        <button type="button" class="danger solid" disabled={sender.isBusy} onClick={() => void sender.run("revoke_device", { deviceId: of.deviceId })}>
          {t("devices.revokeYes")}
        </button>
        <button type="button" class="quiet" onClick={() => (isSure.value = false)}>
          {t("common.cancel")}
        </button>
      </div>
      <Failure of={sender} />
    </div>
  );
}

function Row({ of, again }: { of: Device; again: () => void }) {
  return (
    <li>
      <strong>{safe(of.name)}</strong>
      {session.value?.principal === `device:${of.name}` && <span class="badge">{t("devices.here")}</span>}
      <span class="grow">
        <code>{safe(of.host)}</code> <span class="dim">{t("devices.may", { what: of.scopes.map((scope) => wordFor("devices.scope", scope)).join(", ") })}</span>
      </span>
      <Time at={of.pairedAt}>{t("devices.paired", { when: dateTime(of.pairedAt) })}</Time>
      <Time at={of.lastSeenAt}>{t("devices.seen", { when: ago(of.lastSeenAt) })}</Time>
      {may("admin") && <Revoke of={of} again={again} />}
    </li>
  );
}

const ADDRESS = /^https?:\/\/[\w.:[\]-]+\/?$/;
const NAME = /^[\w.-]{1,40}$/;

/** A browser session cannot create codes, because it began with one.  The page shows the command to run instead. */
function Pair() {
  const address = useSignal("https://");
  const name = useSignal("phone");
  const command = pairCommand(address.value, name.value);
  const isWhole = ADDRESS.test(address.value) && NAME.test(name.value);
  return (
    <details class="card fold">
      <summary>{t("devices.pair")}</summary>
      <p class="dim">{t("devices.pairHow")}</p>
      <form class="try" onSubmit={(e) => e.preventDefault()}>
        <label class="grow">
          {t("devices.address")}
          <input class="mono" type="url" spellcheck={false} value={address.value} onInput={(e) => (address.value = e.currentTarget.value.trim())} />
        </label>
        <label>
          {t("devices.name")}
          <input class="mono" spellcheck={false} maxLength={40} value={name.value} onInput={(e) => (name.value = e.currentTarget.value.trim())} />
        </label>
      </form>
      {isWhole ? (
        <div class="typed">
          <pre class="code">{command}</pre>
          <Copy text={command} />
        </div>
      ) : (
        <p>{t("devices.pairWants")}</p>
      )}
      {isInTheClear(address.value) && <p class="warn-text">{t("devices.plain")}</p>}
    </details>
  );
}

export function Devices() {
  const { value, failure, again } = useView(async () => (await read("list_devices", {})).devices, ["channel."], []);
  if (failure) return <Failed why={failure} again={again} />;
  if (!value) return <p class="reading">{t("common.loading")}</p>;
  return (
    <>
      <section class="card">
        <h2>{t("devices.title")}</h2>
        {!value.length && <p class="dim">{t("devices.none")}</p>}
        <ul class="rows">
          {value.map((device) => (
            <Row key={device.deviceId} of={device} again={again} />
          ))}
        </ul>
      </section>
      {may("admin") && <Pair />}
    </>
  );
}
