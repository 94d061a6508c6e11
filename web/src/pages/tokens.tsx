// Tokens: named tokens, each a principal of its own with limited rights.  Create one, which is shown once, and revoke.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { may, read, session } from "../api/client";
import type { AccessToken, CreateTokenReply, SessionReach } from "../api/types";
import { SureButton } from "../components/bulk";
import { Failure, useCommand } from "../components/command";
import { useKeys } from "../components/keys";
import { place, setQuery } from "../state/router";
import { ago, number, safe, until } from "../text/format";
import { Copy, Dialog, Empty, Failed, Time, Wrong } from "../components/ui";
import { useView } from "../state/use_view";
import { Windowed } from "../components/windowed";
import { t, wordFor } from "../text/text";

const SCOPES = ["read", "write", "approve", "admin"] as const;
type Scope = (typeof SCOPES)[number];
const NAME = /^[\w.@-]{1,64}$/;
const DAY_MS = 86_400_000;
/** Lifetimes in days; 0: until it is revoked. */
const LIVES = [7, 30, 90, 365, 0] as const;

// ---- the new token, shown once ----

function Made({ of, close }: { of: CreateTokenReply; close: () => void }) {
  return (
    <Dialog title={t("tokens.made", { name: safe(of.record.name) })} onClose={close} isFirm>
      <p class="warn-text" role="status">
        {t("tokens.once")}
      </p>
      <div class="typed">
        <pre class="code secret" tabIndex={0} aria-label={t("tokens.secret")}>
          {of.token}
        </pre>
        <Copy text={of.token} />
      </div>
      <p class="dim">{t("tokens.use")}</p>
      <pre class="code">Authorization: Bearer …</pre>
    </Dialog>
  );
}

// ---- create ----

interface Wish {
  name: string;
  scopes: Scope[];
  sessions: SessionReach;
  tenant: string;
  directories: string;
  days: number;
}

const FRESH: Wish = { name: "", scopes: ["read"], sessions: "own", tenant: "", directories: "", days: 30 };

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** What the runtime would refuse, said before it is sent; undefined: nothing. */
function faultOf(wish: Wish): string | undefined {
  if (wish.name && !NAME.test(wish.name)) return t("tokens.badName");
  if (wish.tenant && !NAME.test(wish.tenant)) return t("tokens.badName");
  if (wish.scopes.includes("admin") && (wish.sessions !== "all" || wish.tenant)) return t("tokens.adminNeeds");
  if (linesOf(wish.directories).some((path) => !path.startsWith("/"))) return t("tokens.badDirectory");
  return undefined;
}

function ScopeBoxes({ of, set }: { of: Scope[]; set: (to: Scope[]) => void }) {
  return (
    <fieldset class="boxes">
      <legend>{t("tokens.scopes")}</legend>
      {SCOPES.map((scope) => (
        <label class="choice" key={scope}>
          <input
            type="checkbox"
            checked={of.includes(scope)}
            onChange={(e) => set(SCOPES.filter((one) => (one === scope ? e.currentTarget.checked : of.includes(one))))}
          />
          <span>
            {wordFor("devices.scope", scope)} <span class="dim">{wordFor("tokens.scopeMeans", scope)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ReachBoxes({ of, set }: { of: SessionReach; set: (to: SessionReach) => void }) {
  return (
    <fieldset class="boxes">
      <legend>{t("tokens.sessions")}</legend>
      {(["own", "all"] as const).map((reach) => (
        <label class="choice" key={reach}>
          <input type="radio" name="reach" checked={of === reach} onChange={() => set(reach)} />
          <span>
            {wordFor("tokens.reach", reach)} <span class="dim">{wordFor("tokens.reachMeans", reach)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Limits({ of, change }: { of: Wish; change: (to: Partial<Wish>) => void }) {
  return (
    <>
      <label>
        {t("tokens.ends")}
        <select value={of.days} onChange={(e) => change({ days: Number(e.currentTarget.value) })}>
          {LIVES.map((days) => (
            <option key={days} value={days}>
              {days ? t("tokens.days", { n: days }) : t("tokens.never")}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("tokens.tenant")} <span class="dim">{t("tokens.tenantHow")}</span>
        <input class="mono" spellcheck={false} autocomplete="off" maxLength={64} value={of.tenant} onInput={(e) => change({ tenant: e.currentTarget.value.trim() })} />
      </label>
      <label>
        {t("tokens.directories")} <span class="dim">{t("tokens.directoriesHow")}</span>
        <textarea class="mono" rows={2} spellcheck={false} value={of.directories} onInput={(e) => change({ directories: e.currentTarget.value })} />
      </label>
    </>
  );
}

function argsOf(wish: Wish) {
  const directories = linesOf(wish.directories);
  return {
    name: wish.name,
    scopes: wish.scopes,
    sessions: wish.sessions,
    tenant: wish.tenant || undefined,
    directories: directories.length ? directories : undefined,
    expiresAt: wish.days ? new Date(Date.now() + wish.days * DAY_MS).toISOString() : undefined,
  };
}

function Create({ close, made }: { close: () => void; made: (reply: CreateTokenReply) => void }) {
  const wish = useSignal<Wish>(FRESH);
  const failure = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const change = (to: Partial<Wish>) => (wish.value = { ...wish.value, ...to });
  const fault = faultOf(wish.value);
  async function submit(e: Event) {
    e.preventDefault();
    if (fault || isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      // Not with send(): a stored reply would hold the token, so the command takes no idempotency key.
      made(await read("create_token", argsOf(wish.value)));
    } catch (error) {
      failure.value = error as Error;
      isBusy.value = false;
    }
  }
  return (
    <Dialog title={t("tokens.create")} onClose={close}>
      <form class="token-form" onSubmit={submit}>
        <label>
          {t("devices.name")} <span class="dim">{t("tokens.nameHow")}</span>
          <input autofocus class="mono" spellcheck={false} autocomplete="off" maxLength={64} value={wish.value.name} onInput={(e) => change({ name: e.currentTarget.value.trim() })} />
        </label>
        <ScopeBoxes of={wish.value.scopes} set={(scopes) => change({ scopes })} />
        <ReachBoxes of={wish.value.sessions} set={(sessions) => change({ sessions })} />
        <Limits of={wish.value} change={change} />
        {fault && (
          <p class="error" role="alert">
            {fault}
          </p>
        )}
        <Wrong of={failure.value} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy.value || !!fault || !wish.value.name || !wish.value.scopes.length}>
            {t("tokens.create")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

// ---- the list ----

const principalOf = (of: AccessToken): string => (of.tenant ? `${of.tenant}/${of.name}` : of.name);

function Row({ of, again }: { of: AccessToken; again: () => void }) {
  const sender = useCommand(again);
  return (
    <div class="token-row">
      <span class="c-title">
        <strong class="title">{safe(of.name)}</strong>
        {session.value?.principal === principalOf(of) && <span class="badge">{t("tokens.here")}</span>}
        {of.tenant && (
          <span>
            <span class="dim">{t("tokens.tenant")}</span> <code>{safe(of.tenant)}</code>
          </span>
        )}
      </span>
      <span class="grow">
        {of.scopes.map((scope) => wordFor("devices.scope", scope)).join(", ")} <span class="dim">· {wordFor("tokens.reach", of.sessions)}</span>
        {of.directories?.map((path) => (
          <code class="path" key={path}>
            {safe(path)}
          </code>
        ))}
      </span>
      <span class="dim">
        {of.expiresAt ? <Time at={of.expiresAt}>{t("policy.ends", { when: until(of.expiresAt) })}</Time> : t("tokens.never")}
        {of.createdAt && (
          <Time at={of.createdAt}>
            {" · "}
            {t("tokens.by", { who: safe(of.createdBy ?? "?"), when: ago(of.createdAt) })}
          </Time>
        )}
      </span>
      <SureButton label={t("policy.revoke")} question={t("tokens.revokeSure", { name: safe(of.name) })} yes={t("devices.revokeYes")} isBusy={sender.isBusy} act={() => void sender.run("revoke_token", { name: of.name })} />
      <Failure of={sender} />
    </div>
  );
}

function matches(of: AccessToken, q: string): boolean {
  return !q || [of.name, of.tenant, of.createdBy, ...of.scopes, ...(of.directories ?? [])].join("\n").toLowerCase().includes(q.toLowerCase());
}

function List({ all, again, q }: { all: AccessToken[]; again: () => void; q: string }) {
  const found = all.filter((one) => matches(one, q)).reverse();
  if (!all.length) return <Empty title={t("tokens.empty")} how={t("tokens.emptyHow")} />;
  return (
    <>
      <p class="dim list-note" role="status">
        {t("tokens.count", { n: number(found.length) })}
      </p>
      {found.length === 0 ? (
        <Empty title={t("tokens.none")}>
          <button type="button" onClick={() => setQuery({ q: "" })}>
            {t("live.clear")}
          </button>
        </Empty>
      ) : (
        <Windowed items={found} keyOf={(one) => one.name} guess={52} label={t("nav.tokens")} render={(one) => <Row of={one} again={again} />} />
      )}
    </>
  );
}

function Manage() {
  const { value, failure, again } = useView(async () => (await read("list_tokens", {})).tokens, ["session."], []);
  const isCreating = useSignal(false);
  const made = useSignal<CreateTokenReply | undefined>(undefined);
  const search = useRef<HTMLInputElement>(null);
  const q = place.value.query.get("q") ?? "";
  useKeys({ "/": () => search.current?.focus() });
  return (
    <div class="page tokens">
      <div class="bar">
        <h1>{t("nav.tokens")}</h1>
        <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
          {t("tokens.new")}
        </button>
        <span class="spread" />
        <input
          ref={search}
          type="search"
          class="search"
          aria-label={t("tokens.search")}
          placeholder={t("tokens.search")}
          value={q}
          onInput={(e) => setQuery({ q: e.currentTarget.value })}
        />
      </div>
      {failure ? <Failed why={failure} again={again} /> : value ? <List all={value} again={again} q={q} /> : <p class="reading">{t("common.loading")}</p>}
      {isCreating.value && (
        <Create
          close={() => (isCreating.value = false)}
          made={(reply) => {
            isCreating.value = false;
            made.value = reply;
            again();
          }}
        />
      )}
      {made.value && <Made of={made.value} close={() => (made.value = undefined)} />}
    </div>
  );
}

export function Tokens() {
  if (may("admin")) return <Manage />;
  return (
    <div class="page tokens">
      <div class="bar">
        <h1>{t("nav.tokens")}</h1>
      </div>
      <Empty title={t("common.notAllowed", { scope: "admin" })} how={t("tokens.noAdmin")}>
        <pre class="code">thole token ls</pre>
      </Empty>
    </div>
  );
}
