// The fixture with real peers: an agent on the official A2A SDK, and a tool server behind an authorization server.  They
// need what npm fetches for tests/a2a and tests/mcp; without it their tests are skipped.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fixture } from "./lib.mjs";
import { here, program } from "./fixture.mjs";

const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** Starts a program of a folder of tests; the first line that it prints. */
async function started(folder, wanted, ...args) {
  const cwd = join(here, "..", folder);
  if (!existsSync(join(cwd, "node_modules", wanted))) return undefined;
  const child = spawn("node", args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return line;
  return undefined;
}

const [agentUrl, guard] = await Promise.all([
  started("a2a", "express", "agent.mjs", "JSONRPC"),
  started("mcp", "oidc-provider", "login_server.mjs", "{}"),
]);
export const agent = agentUrl?.trim();
export const guarded = guard && JSON.parse(guard);

/** An agent whose card the test changes; tasks are not delegated to it. */
export const changing = { version: "1" };
const cards = createServer((_, reply) => {
  const at = `http://127.0.0.1:${cards.address().port}`;
  const card = {
    name: "painter", description: "Paints.", version: changing.version, supportedInterfaces: [{ url: `${at}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: {}, defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [],
  };
  reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(card));
});
await new Promise((done) => cards.listen(0, "127.0.0.1", done));
cards.unref();

const scripts = mkdtempSync(join(tmpdir(), "thole-web-peers-"));
process.on("exit", () => rmSync(scripts, { recursive: true, force: true }));
const script = join(scripts, "script.json");
writeFileSync(script, JSON.stringify({ version: 1, model: "harbour", rules: [
  { when: { text: "form" }, replies: [{ toolCalls: [{ name: "mcp__every__trigger-elicitation-request", args: {} }] }, { text: "Filled in." }] },
  { when: {}, replies: [{ text: "Aye." }] },
] }));
const every = join(here, "../mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
export const hasForms = existsSync(every);

const fixture = await Fixture.open(program, script, {
  "agents.remote": {
    ...(agent ? { reviewer: { card: agent, headers: { "X-Team": "blue" }, description: "Reviews changes." } } : {}),
    painter: { card: `http://127.0.0.1:${cards.address().port}` },
    missing: { card: "http://127.0.0.1:9/" },
  },
  "mcp.servers": {
    ...(hasForms ? { every: { command: process.execPath, args: [every], read: [join(here, "../mcp")] } } : {}),
    ...(guarded
    ? { tickets: { type: "http", url: guarded.url }, notes: { command: process.execPath, args: [join(here, "../mcp/offer_server.mjs"), "plain"], read: [join(here, "../mcp")], timeout_ms: 20000 } }
    : {}),
  },
  "peers.allow_hosts": ["127.0.0.1:*"],
  "a2a.enabled": true,
  "a2a.url": "https://agents.example",
  "mcp.serve": true,
});
export const { daemon, browser } = fixture;
const WHY = "npm has not fetched its peer (tests/a2a/run, tests/mcp/run --conformance)";
/** peers: those that it needs; undefined: not there. */
export const test = (name, run, ...peers) => fixture.tests.push({ name, run, skip: peers.every(Boolean) ? undefined : WHY });
export const desk = (to, viewport) => fixture.page("desk", to, viewport);
