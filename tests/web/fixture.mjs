// The fixture with scripted tools, and what the tests of every fixture need.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { check, PHONE, same, Fixture, until } from "./lib.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
export const [build, ...words] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const program = join(resolve(build), "thole");

/** A command of this many lines; every one of them needs approval. */
export const longCommand = (lines) => Array.from({ length: lines }, (_, i) => `make step-${i} of=a-long-command`).join("\n");
/** What hides behind this many blanks. */
export const BLANKS = 3000;

/** The rules of script.json, and some whose arguments are too long to write down there. */
function scriptFile() {
  const script = JSON.parse(readFileSync(join(here, "script.json"), "utf8").replace(/^\s*\/\/.*$/gm, ""));
  const calls = { "a long command": longCommand(120), "a stored command": longCommand(2000), "a hidden command": `ls${" ".repeat(BLANKS)}; make hidden` };
  for (const [text, command] of Object.entries(calls))
    script.rules.unshift({ when: { text }, replies: [{ toolCalls: [{ name: "shell", args: { command } }] }, { text: "It ran." }] });
  const path = join(mkdtempSync(join(tmpdir(), "thole-web-script-")), "script.json");
  writeFileSync(path, JSON.stringify(script));
  process.on("exit", () => rmSync(dirname(path), { recursive: true, force: true }));
  return path;
}

const fixture = await Fixture.open(program, scriptFile());
export const { daemon, browser } = fixture;
export const test = (name, run) => fixture.tests.push({ name, run });
export const desk = (to, viewport) => fixture.page("desk", to, viewport);
export const phone = (to) => fixture.page("phone", to);
export const keptPages = () => Object.keys(fixture.kept).length;

/** Tall enough for every row of a short thread to be held. */
export const TALL = { width: 1280, height: 2000 };
export const threadOf = (made) => `/thread/${made.sessionId}/${made.threadId}`;
export const card = (page, tool) => page.locator(".action", { has: page.locator("h2", { hasText: tool }) });

export async function asks(input, more) {
  const made = await daemon.submit(input, more);
  await until("it asks", async () => (await daemon.actions()).find((a) => a.turnId === made.turnId));
  return made;
}

export async function ended(made) {
  return until("the turn ends", async () =>
    (await daemon.log(made.sessionId)).find((e) => e.turnId === made.turnId && /^turn\.(completed|failed)$/.test(e.type)),
  );
}

export async function look(page, name) {
  if (process.env.THOLE_SHOTS) await page.screenshot({ path: join(process.env.THOLE_SHOTS, `${name}.png`) });
}

export async function examine(page, name) {
  await look(page, name);
  // In the page's own world evaluate() is not bound by the page's policy.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { preload: false, resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  const bad = found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).join("; ")}`);
  check(found.passes.length > 10, `axe looked at ${name}`);
  same(bad, [], `axe on ${name}`);
}

/** The filled page on a desk in the light, then in the dark and as narrow as a phone; what fills it is still there. */
export async function examineBoth(page, name, filling) {
  await examine(page, `${name}-light`);
  const before = page.viewportSize();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize(PHONE.viewport);
  await page.locator("html[data-theme=dark]").waitFor();
  await filling.first().waitFor();
  await examine(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}
