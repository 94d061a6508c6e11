// The fixture with the built-in tools in their sandbox, hooks, rules and caps.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fixture, until } from "./lib.mjs";
import { here, program } from "./fixture.mjs";

const OPTIONS = {
  hooks: { pre_tool_use: [{ name: "watch", match: "shell", command: "cat >/dev/null; echo '{}'" }] },
  "permission.rules": [
    { id: "no-force", effect: "deny", command: ["git", "push", "--force"], reason: "history is shared" },
    { id: "deploys", effect: "ask", tool: "deploy", always: true },
  ],
  "routing.fallback_chain": ["beta/small"],
  "budget.day_usd": 5,
};

const fixture = await Fixture.open(program, join(here, "tools_script.json"), OPTIONS);
export const { daemon, browser } = fixture;
export const test = (name, run) => fixture.tests.push({ name, run });
export const desk = (to, viewport) => fixture.page("desk", to, viewport);
export const phone = (to) => fixture.page("phone", to);
writeFileSync(join(daemon.work, "tide.txt"), "low\nslack\nhigh\n");

/** Sends it, allows what it asks for, and waits for its end. */
export async function done(input, more = {}) {
  const sent = await daemon.submit(input, more);
  await until("the turn ends", async () => {
    for (const { sessionId, actionId, turnId } of await daemon.actions())
      if (turnId === sent.turnId) await daemon.call("respond_action", { sessionId, actionId, decision: "allow" });
    const read = await daemon.call("get_thread_read", { sessionId: sent.sessionId, threadId: sent.threadId });
    return !read.activeTurnId && !read.queuedTurns.length;
  });
  return sent;
}

/** The daemon dies and comes back; the page notices, and continues automatically. */
export async function killed(page) {
  await daemon.kill();
  await page.waitForSelector(".link.stale");
  await daemon.up();
  await page.waitForSelector(".link.live");
}
