// The fixture of the browser tests, and TAP output.
//
// A fixture is a daemon and a browser.  Tests of one fixture run one after the other, fixtures run side by side.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** A wait ends with its event, so this only decides how long a failure takes; it grows with the load of the machine. */
export const WAIT_MS = Number(process.env.THOLE_PATIENCE ?? 30) * 1000 * Math.max(2, (2 * loadavg()[0]) / cpus().length);

/** Much of the browser's time for what only a change of the page itself breaks: run by --deep=programs, or when named. */
const LONG = [/^axe finds nothing/, /^a long thread opens/, /^arguments that are stored/];

const fixtures = [];
let told = 0;
let failed = 0;

async function passes({ name, run, skip }) {
  const start = Date.now();
  if (skip) {
    console.log(`ok ${++told} - ${name} # SKIP ${skip}`);
    return true;
  }
  try {
    await run();
    console.log(`ok ${++told} - ${name} (${Date.now() - start} ms)`);
    return true;
  } catch (e) {
    failed++;
    console.log(`not ok ${++told} - ${name}`);
    console.log(String(e.stack ?? e).replace(/^/gm, "# "));
    return false;
  }
}

export class Fixture {
  tests = [];
  kept = {};

  static async open(program, script, options) {
    const fixture = new Fixture();
    await fixture.begin(program, script, options);
    fixtures.push(fixture);
    return fixture;
  }

  /** One that is opened when one of its tests is chosen: prepare() gives what open() takes, or says why it cannot (skip). */
  static later(prepare) {
    const fixture = new Fixture();
    fixture.prepare = prepare;
    fixtures.push(fixture);
    return fixture;
  }

  async begin(program, script, options) {
    [this.daemon, this.browser] = await Promise.all([Daemon.start(program, script, options), launch()]);
  }

  /**
   * A signed-in page that goes from test to test, on a desk in the light or on a phone in the dark: to open
   * another takes the browser longer than most tests.
   */
  async page(screen, to, viewport = SCREENS[screen].viewport) {
    const page = (this.kept[screen] ??= await enter(this.browser, this.daemon, SCREENS[screen], to));
    page.strangers.length = page.complaints.length = 0;
    await page.emulateMedia({ colorScheme: SCREENS[screen].colorScheme });
    await page.setViewportSize(viewport);
    await go(page, to);
    await page.waitForSelector(".link.live");
    return page;
  }

  /** What a test leaves behind; after one that failed nothing is kept. */
  async clean(hasPassed) {
    if (!hasPassed) this.kept = {};
    const kept = Object.values(this.kept).map((page) => page.context());
    for (const context of this.browser.contexts()) if (!kept.includes(context)) await context.close();
    const { daemon } = this;
    if (daemon.process.exitCode !== null || daemon.process.signalCode) await daemon.up();
    for (const { sessionId, actionId, decisions } of await daemon.actions())
      await daemon.call("respond_action", { sessionId, actionId, decision: decisions.at(-1).decision });
  }

  async run(words) {
    const isChosen = ({ name }) =>
      words.length ? words.some((word) => name.includes(word)) : process.env.THOLE_LONG || !LONG.some((long) => long.test(name));
    const chosen = this.tests.filter(isChosen);
    const { skip, program, script, options } = (chosen.length && (await this.prepare?.())) || {};
    if (program) await this.begin(program, script, options);
    for (const one of chosen)
      if (skip) await passes({ ...one, skip });
      else await this.clean(await passes(one));
  }

  async close() {
    await this.browser?.close();
    await this.daemon?.close();
  }
}

/** Runs all of them; says how many failed. */
export async function main(words) {
  // Also when it is ended from outside: no daemon outlives the tests.
  process.on("exit", () => fixtures.forEach(({ daemon }) => daemon?.process.kill("SIGKILL")));
  try {
    await Promise.all(fixtures.map((fixture) => fixture.run(words)));
  } finally {
    await Promise.all(fixtures.map((fixture) => fixture.close()));
  }
  console.log(`1..${told}`);
  return failed;
}

export function check(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

export function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}:\n  got    ${a.slice(0, 2000)}\n  wanted ${b.slice(0, 2000)}`);
}

/** Asks until the answer is true. */
export async function until(what, ask, ms = WAIT_MS) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** The same in the end: what a page shows may come a moment after what it was waited for. */
export async function agrees(what, get, want) {
  const isSame = async () => JSON.stringify(await get()) === JSON.stringify(await want());
  await until(what, isSame).catch(async () => same(await get(), await want(), what));
}

/** Below the range from which the kernel gives ports to others: it is free after a kill too. */
function freePort() {
  return new Promise((done) => {
    const port = 20000 + Math.floor(Math.random() * 12768);
    const probe = createServer().once("error", () => done(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(port)));
  });
}

export class Daemon {
  /** options: settings, as `-c KEY=VALUE`; a function makes them of the daemon's address. */
  static async start(program, script, options = {}) {
    const d = new Daemon();
    d.program = program;
    d.script = script;
    d.dir = mkdtempSync(join(tmpdir(), "thole-web-"));
    d.work = join(d.dir, "work");
    mkdirSync(d.work);
    for (let tries = 1; ; tries++) {
      d.port = await freePort();
      d.url = `http://127.0.0.1:${d.port}`;
      const given = typeof options === "function" ? options(d.url) : options;
      d.options = Object.entries(given).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]);
      if (await d.up()) break;
      check(tries < 5, "the daemon starts");
    }
    d.token = d.cli("token").trim();
    return d;
  }

  /** Returns when it answers; false: it has ended, as when another process has taken its port. */
  async up() {
    const args = ["serve", "--data", join(this.dir, "data"), "--listen", `127.0.0.1:${this.port}`, "--script", this.script, ...this.options];
    this.process = spawn(this.program, args, { stdio: "ignore", cwd: this.work, env: { THOLE_MODE: "default", ...process.env } });
    const answers = () => fetch(`${this.url}/healthz`).then((r) => r.ok, () => false);
    await until("the daemon answers or ends", async () => this.process.exitCode !== null || (await answers()));
    return this.process.exitCode === null;
  }

  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode) return;
    const gone = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await gone;
  }

  async close() {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  cli(...args) {
    return execFileSync(this.program, [...args, "--data", join(this.dir, "data")], {
      encoding: "utf8",
      cwd: this.work,
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  async call(command, params) {
    const response = await fetch(`${this.url}/v1/commands/${command}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(params),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${command}: ${body.code}: ${body.detail}`);
    return body;
  }

  submit(input, more = {}) {
    return this.call("submit_turn", { input, ...more });
  }

  async log(sessionId) {
    const response = await fetch(`${this.url}/v1/events?session=${sessionId}&follow=0`, {
      headers: { Authorization: `Bearer ${this.token}`, Accept: "application/x-ndjson" },
    });
    return (await response.text()).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  async actions() {
    return (await this.call("list_actions", { status: "pending" })).actions;
  }
}

export const DESK = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const SCREENS = { desk: { ...DESK, colorScheme: "light" }, phone: { ...PHONE, colorScheme: "dark" } };

/** A name of this machine that is not loopback's, as to a device elsewhere. */
export const PHONE_HOST = "phone.example";

async function launch() {
  const executablePath = process.env.THOLE_CHROMIUM ?? "/usr/bin/chromium";
  const names = `--host-resolver-rules=MAP ${PHONE_HOST} 127.0.0.1`;
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", names] });
}

/** Whatever a page asks for elsewhere, and whatever it complains about, is kept. */
export function watched(page, daemon) {
  page.setDefaultTimeout(WAIT_MS);
  page.strangers = [];
  page.complaints = [];
  page.on("request", (r) => r.url().startsWith(`${daemon.url}/`) || r.url().startsWith("data:") || page.strangers.push(r.url()));
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("console", (m) => m.type() === "error" && !/Failed to load resource|ERR_|Opener-Policy header has been ignored/.test(m.text()) && page.complaints.push(m.text()));
  return page;
}

/** A signed-in page of a browser of its own. */
export async function enter(browser, daemon, options, to = "/live") {
  const context = await browser.newContext(options);
  const page = watched(await context.newPage(), daemon);
  const address = daemon.cli("open", "-q").trim();
  await page.goto(`${address}&to=${encodeURIComponent(to)}`);
  await page.waitForSelector(".link.live");
  return page;
}

/** Keys that are typed faster than a page is drawn. */
export async function keysAtOnce(page, ...keys) {
  await page.evaluate((all) => all.forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))), keys);
}

export async function go(page, to) {
  await page.evaluate((hash) => (location.hash = hash), to);
}

export function content(page) {
  same(page.strangers, [], "requests that leave the origin");
  same(page.complaints, [], "errors of the page");
}
