// The frame of the console: navigation, theme, language, sign-in.
import { effect, signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { isUnpaired, session, signIn, signOut, whoAmI, Problem } from "./api/client";
import { now, span } from "./text/format";
import { isHelpOpen, KeyHelp } from "./components/keys";
import { Nav, useClosing } from "./components/nav";
import { LazyPage, LAZY_PAGES } from "./pages/lazy_page";
import { Wrong } from "./components/ui";
import { Approvals } from "./pages/approvals";
import { Live } from "./pages/live";
import { Thread } from "./pages/thread";
import { pairCommand } from "./text/pair_command";
import { href, place, takeCode } from "./state/router";
import { actions } from "./state/store";
import { damage, link, run } from "./api/stream";
import { language, setLanguage, showPreferred, t, type Language } from "./text/text";

const signInFailure = signal<Error | undefined>(undefined);

type Theme = "auto" | "light" | "dark";
const theme = signal<Theme>((localStorage.getItem("thole.theme") as Theme | null) ?? "auto");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
function showTheme(): void {
  const isDark = theme.value === "auto" ? prefersDark.matches : theme.value === "dark";
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}
prefersDark.addEventListener("change", showTheme);
effect(() => {
  showTheme();
  localStorage.setItem("thole.theme", theme.value);
});

function Menu() {
  const box = useClosing();
  return (
    <details class="menu" ref={box}>
      <summary aria-label={t("nav.menu")}>⋯</summary>
      <div class="menu-box">
        <label>
          {t("nav.theme")}
          <select value={theme.value} onChange={(e) => (theme.value = e.currentTarget.value as Theme)}>
            {(["auto", "light", "dark"] as const).map((word) => (
              <option key={word} value={word}>
                {t(`nav.theme.${word}`)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("nav.language")}
          <select value={language.value} onChange={(e) => void setLanguage(e.currentTarget.value as Language)}>
            <option value="en">English</option>
            <option value="zh">中文</option>
          </select>
        </label>
        <button type="button" class="quiet" onClick={() => (isHelpOpen.value = true)}>
          {t("nav.keys")}
        </button>
        <button type="button" class="quiet" onClick={() => void signOut().then(() => location.reload())}>
          {t("nav.signOut")}
        </button>
      </div>
    </details>
  );
}

function Banner() {
  const { state, since } = link.value;
  const ms = now.value - since;
  if (state === "live" || ms < 1500) return null;
  return (
    <div class="banner" role="status">
      {t("link.staleSince", { span: span(ms) })}
    </div>
  );
}

/** Stays until the page is reloaded: the omitted events do not come back. */
function DamageBanner() {
  const d = damage.value;
  if (!d) return null;
  return (
    <div class="banner" role="alert">
      {t("link.damaged", { session: d.sessionId ?? "?", from: d.from, to: d.to })}
    </div>
  );
}

function Page() {
  const [name = "live", first, second] = place.value.path;
  if (name === "approvals") return <Approvals />;
  if (name === "thread" && first) return <Thread sessionId={first} threadId={second ?? "main"} />;
  const rest = LAZY_PAGES[name];
  return rest ? <LazyPage name={name} load={rest} /> : <Live />;
}

function SignIn() {
  const code = useSignal("");
  async function submit(e: Event) {
    e.preventDefault();
    const given = code.value.trim().replace(/^.*#code=/, "").replace(/&.*$/, "");
    await enter(given).catch((error: Error) => (signInFailure.value = error));
  }
  return (
    <main class="signin" id="content">
      <h1>
        <Mark /> Thole
      </h1>
      {isUnpaired.value && <p role="alert">{t("signin.unpaired")}</p>}
      <p>{t("signin.how")}</p>
      <pre class="code">{isUnpaired.value ? pairCommand(location.origin) : "thole open"}</pre>
      <form onSubmit={submit}>
        <label>
          {t("signin.code")}
          <input autocomplete="off" spellcheck={false} class="mono" value={code.value} onInput={(e) => (code.value = e.currentTarget.value)} />
        </label>
        <button type="submit" class="primary" disabled={!code.value.trim()}>
          {t("signin.do")}
        </button>
      </form>
      <Wrong of={signInFailure.value} />
      <p class="dim">{t("signin.note")}</p>
    </main>
  );
}

/** A thole: the pin that holds the oar. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 17 22 7" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
      <path d="M9.6 4v15M14.4 4v15" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" opacity=".55" />
      <circle cx="12" cy="12" r="2.2" fill="currentColor" />
    </svg>
  );
}

function App() {
  if (session.value === undefined) return <main id="content" class="reading">{t("common.loading")}</main>;
  if (session.value === null) return <SignIn />;
  const { state } = link.value;
  return (
    <>
      <a class="skip" href="#content" onClick={(e) => (e.preventDefault(), document.getElementById("content")?.focus())}>
        {t("nav.skip")}
      </a>
      <header class="top">
        <a class="brand" href={href(["live"])} aria-label="Thole">
          <Mark />
          <span>Thole</span>
        </a>
        <span class="spread" />
        <span class={`link ${state}`}>
          <span class="dot" aria-hidden="true" />
          {t(`link.${state}`)}
        </span>
        <Menu />
      </header>
      <Banner />
      <DamageBanner />
      <div class="frame">
        <Nav />
        <main id="content" tabIndex={-1}>
          <Page key={place.value.path.join("/")} />
        </main>
      </div>
      <KeyHelp />
    </>
  );
}

async function enter(code: string): Promise<void> {
  try {
    await signIn(code);
  } catch (e) {
    if (e instanceof Problem && e.status === 401) throw new Error(t("signin.bad"));
    throw e;
  }
  void run();
}

async function boot(): Promise<void> {
  const code = takeCode();
  try {
    if (code) await enter(code);
    else {
      await whoAmI();
      void run();
    }
  } catch (e) {
    if (!code && e instanceof Problem && e.code === "network") {
      setTimeout(() => void boot(), 1000);
      return;
    }
    if (code) signInFailure.value = e as Error;
    session.value = null;
  }
}

// The user opened an address with a code in a tab that shows the console already.
window.addEventListener("hashchange", () => {
  const code = takeCode();
  if (code) void enter(code).catch((e: Error) => (signInFailure.value = e));
});

effect(() => {
  const pending = actions.value?.length ?? 0;
  document.title = pending ? `(${pending}) Thole` : "Thole";
});
await showPreferred();
render(<App />, document.getElementById("app")!);
void boot();
