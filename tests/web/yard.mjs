// The stage with the runtime's own tools in their cage, hooks, rules and caps.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stage, until } from "./lib.mjs";
import { here, program } from "./stage.mjs";

const OPTIONS = {
  hooks: { pre_tool_use: [{ name: "watch", match: "shell", command: "cat >/dev/null; echo '{}'" }] },
  "permission.rules": [
    { id: "no-force", effect: "deny", command: ["git", "push", "--force"], reason: "history is shared" },
    { id: "deploys", effect: "ask", tool: "deploy", always: true },
  ],
  "routing.fallback_chain": ["beta/small"],
  "budget.day_usd": 5,
};

const stage = await Stage.open(program, join(here, "yard.json"), OPTIONS);
export const { daemon, browser } = stage;
export const test = (name, run) => stage.tests.push({ name, run });
export const desk = (to, viewport) => stage.page("desk", to, viewport);
export const phone = (to) => stage.page("phone", to);
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

/** The daemon dies and comes back; the page notices, and goes on by itself. */
export async function killed(page) {
  await daemon.kill();
  await page.waitForSelector(".link.stale");
  await daemon.up();
  await page.waitForSelector(".link.live");
}
