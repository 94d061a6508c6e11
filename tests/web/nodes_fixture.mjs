// The fixture with several real nodes on a PostgreSQL of its own; without PostgreSQL its tests are skipped.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daemon, Fixture, until } from "./lib.mjs";
import { build, here, program } from "./fixture.mjs";

/** The cluster ends with its input, which ends with this process. */
async function startedCluster() {
  const child = spawn("python3", [join(here, "cluster.py"), build], { stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) return line;
  return undefined;
}

const scripts = mkdtempSync(join(tmpdir(), "thole-web-nodes-"));
process.on("exit", () => rmSync(scripts, { recursive: true, force: true }));
const script = join(scripts, "script.json");
writeFileSync(script, JSON.stringify({
  version: 1,
  tools: [{ name: "careful", policy: "ask", result: { text: "done" } }],
  rules: [
    { when: { afterTool: "careful" }, reply: { text: "allowed" } },
    { when: { text: "approve", request: 1 }, reply: { toolCalls: [{ name: "careful", args: {} }] } },
  ],
  default: { text: "done" },
}));

let url;
/** The settings of a node, by its own address. */
const settings = (name, hasAddress, more = {}) => (address) => ({ "store.url": url, "node.name": name, ...(hasAddress ? { "node.address": address } : {}), ...more });

/** Its daemon is the node "a", which serves the console. */
export const shared = Fixture.later(async () => {
  url = await startedCluster();
  return url ? { program, script, options: settings("a", true) } : { skip: "PostgreSQL is not installed (scripts/setup --test)" };
});
export const test = (name, run) => shared.tests.push({ name, run });

/** Another node, which ends with the test. */
export async function withNode(name, run, { hasAddress = true, more } = {}) {
  const node = await Daemon.start(program, script, settings(name, hasAddress, more));
  const end = () => node.process.kill("SIGKILL");
  process.on("exit", end);
  try {
    await until(`node ${name} is ready`, () => fetch(`${node.url}/readyz`).then((r) => r.ok));
    await run(node);
  } finally {
    process.off("exit", end);
    await node.close();
  }
}
