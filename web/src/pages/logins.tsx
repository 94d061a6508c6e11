// Logins: tool servers with an address, whether each needs a login and has one.  Log in shows the page of the
// authorization server and never opens it; the address of the last page can be pasted.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { may, read } from "../api/client";
import type { LoginToolServerReply, ToolServer, ToolServerStatus } from "../api/types";
import { SureButton } from "../components/bulk";
import { href } from "../state/router";
import { actions } from "../state/store";
import { baseName, safe } from "../text/format";
import { Copy, Empty, Failed, Said, Wrong } from "../components/ui";
import { useView } from "../state/use_view";
import { t, wordFor } from "../text/text";

const TONE: Record<ToolServerStatus, string> = {
  ready: "good",
  starting: "calm",
  login_required: "wait",
  untrusted: "wait",
  unsupported: "bad",
  down: "bad",
  stopped: "calm",
  disabled: "calm",
};

const POLL_MS = 2000;

const keyOf = (of: ToolServer): string => [of.source, of.cwd, of.sessionId, of.name].join("\n");
/** With the directory of a project's server; others are found by their name. */
const namesOf = (of: ToolServer) => ({ server: of.name, cwd: of.cwd });

/** A server uses a login if it has one, wants one, or waits for one. */
const hasLogin = (of: ToolServer): boolean => of.signedIn !== undefined || !!of.loginPending || of.status === "login_required";

/** Its state changes without a command: a person signs in elsewhere, or it connects. */
const isMoving = (of: ToolServer): boolean => (of.signedIn ? of.status === "login_required" : !!of.loginPending) || of.status === "starting";

/** A page of the authorization server is linked only if it is a web page. */
function isWebPage(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

// ---- one login ----

function LoginPage({ of }: { of: LoginToolServerReply }) {
  if (!of.url) return null;
  return (
    <div class="login-page">
      <p>{t("logins.open")}</p>
      <div class="typed">
        <pre class="code" tabIndex={0} aria-label={t("logins.page")}>
          {safe(of.url)}
        </pre>
        <Copy text={of.url} />
        {isWebPage(of.url) && (
          <a href={of.url} target="_blank" rel="noreferrer noopener">
            {t("logins.here")}
          </a>
        )}
      </div>
      {of.redirectUri && (
        <p class="dim">
          {t("logins.redirect")} <code>{safe(of.redirectUri)}</code>
        </p>
      )}
    </div>
  );
}

function Paste({ isBusy, send }: { isBusy: boolean; send: (redirectUrl: string) => void }) {
  const text = useSignal("");
  return (
    <form
      class="try"
      onSubmit={(e) => {
        e.preventDefault();
        if (text.value) send(text.value);
      }}
    >
      <label class="grow">
        {t("logins.paste")}
        <input class="mono" type="url" spellcheck={false} autocomplete="off" maxLength={16384} value={text.value} onInput={(e) => (text.value = e.currentTarget.value.trim())} />
      </label>
      <button type="submit" disabled={isBusy || !text.value}>
        {t("logins.finish")}
      </button>
    </form>
  );
}

/** A command about a login; both are reads, because they append no events. */
function useLogin(of: ToolServer, again: () => void) {
  const reply = useSignal<LoginToolServerReply | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  async function run(work: () => Promise<void>) {
    isBusy.value = true;
    failure.value = undefined;
    await work().catch((e: Error) => (failure.value = e));
    isBusy.value = false;
    again();
  }
  return {
    reply: reply.value,
    failure: failure.value,
    isBusy: isBusy.value,
    begin: () => run(async () => void (reply.value = await read("login_tool_server", namesOf(of)))),
    finish: (redirectUrl: string) => run(async () => void (reply.value = await read("login_tool_server", { ...namesOf(of), redirectUrl }))),
    leave: () =>
      run(async () => {
        await read("logout_tool_server", namesOf(of));
        reply.value = undefined;
      }),
  };
}

function Actions({ of, again }: { of: ToolServer; again: () => void }) {
  const login = useLogin(of, again);
  if (!may("approve")) return <p class="dim">{t("common.notAllowed", { scope: "approve" })}</p>;
  const isOpen = !of.signedIn && login.reply && !login.reply.signedIn;
  return (
    <>
      <div class="buttons">
        {!of.signedIn && (
          <button type="button" class="primary" disabled={login.isBusy} onClick={() => void login.begin()}>
            {t(isOpen || of.loginPending ? "logins.again" : "logins.in")}
          </button>
        )}
        {of.signedIn && <SureButton label={t("logins.out")} question={t("logins.outSure")} yes={t("logins.outYes")} isBusy={login.isBusy} act={() => void login.leave()} />}
      </div>
      {isOpen && <LoginPage of={login.reply!} />}
      {(isOpen || (of.loginPending && !of.signedIn)) && <Paste isBusy={login.isBusy} send={(to) => void login.finish(to)} />}
      <Wrong of={login.failure} />
    </>
  );
}

function State({ of }: { of: ToolServer }) {
  if (of.signedIn) return <span class="badge good">{t("logins.signedIn")}</span>;
  if (of.loginPending) return <span class="badge wait">{t("logins.pending")}</span>;
  return hasLogin(of) ? <span class="badge wait">{t("logins.needed")}</span> : <span class="badge calm">{t("logins.notNeeded")}</span>;
}

function Server({ of, again }: { of: ToolServer; again: () => void }) {
  const id = `login-${of.name}-${of.cwd ?? of.sessionId ?? ""}`;
  return (
    <section class="card login" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{safe(of.name)}</h2>
        <State of={of} />
        <span class={`badge ${TONE[of.status] ?? "odd"}`}>{wordFor("logins.status", of.status)}</span>
        <span class="dim">
          {wordFor("logins.source", of.source)}
          {of.cwd && <span title={safe(of.cwd)}> · {safe(baseName(of.cwd))}</span>}
        </span>
      </header>
      <p>
        <code class="path">{safe(of.url ?? "")}</code>
      </p>
      {of.detail && of.status !== "login_required" && (
        <p class={of.status === "down" ? "bad-text" : "dim"}>
          <Said kind="server" code={of.status} text={of.detail} />
        </p>
      )}
      {hasLogin(of) && <Actions of={of} again={again} />}
    </section>
  );
}

// ---- the page ----

/** Those that want something first, then those with a login, then the others. */
const rankOf = (of: ToolServer): number => (hasLogin(of) && !of.signedIn ? 0 : of.signedIn ? 1 : 2);

function Asked() {
  const n = actions.value?.filter((action) => action.actionType === "credential").length ?? 0;
  return n ? (
    <p class="warn-text">
      <a href={href(["approvals"])}>{t("logins.asked", { n })}</a>
    </p>
  ) : null;
}

export function Logins() {
  const { value, failure, again } = useView(async () => (await read("list_tool_servers", {})).servers.filter((one) => one.url), ["channel.", "action.", "tool.catalog"], []);
  const isWaiting = value?.some(isMoving) ?? false;
  // No event says that a browser has finished a login, or that a server without a session is connected.
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => !document.hidden && again(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const ordered = [...(value ?? [])].sort((a, b) => rankOf(a) - rankOf(b));
  return (
    <div class="page plain logins">
      <div class="bar">
        <h1>{t("nav.logins")}</h1>
      </div>
      <div class="stack">
        <Asked />
        {failure && <Failed why={failure} again={again} />}
        {!failure && !value && <p class="reading">{t("common.loading")}</p>}
        {value?.length === 0 && (
          <Empty title={t("logins.empty")} how={t("logins.emptyHow")}>
            <pre class="code">{'"mcp.servers": { "tickets": { "type": "http", "url": "https://tickets.example.org/mcp" } }'}</pre>
          </Empty>
        )}
        {ordered.map((one) => (
          <Server key={keyOf(one)} of={one} again={again} />
        ))}
      </div>
    </div>
  );
}
