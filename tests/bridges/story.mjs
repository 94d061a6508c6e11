// One step of the story of a thread, by the official client of a protocol: story.mjs STEP JSON.  Prints what the client saw as JSON.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { TaskState } from "@a2a-js/sdk";
import OpenAI from "openai";

const [step, text] = process.argv.slice(2);
const given = JSON.parse(text);
const say = (o) => process.stdout.write(JSON.stringify(o) + "\n");

// An editor; `work` gets the connection.
async function editor(work) {
  const child = spawn(given.program, ["acp", "--data", given.data], { stdio: ["pipe", "pipe", "inherit"], cwd: given.dir });
  const seen = [];
  const app = acp
    .client({ name: "story" })
    .onNotification("session/update", ({ params }) => void seen.push(params.update))
    .onRequest("session/request_permission", async ({ params }) => {
      say({ waits: params.sessionId });
      await new Promise(() => {}); // the person is at the phone
    });
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  await app.connectWith(stream, async (ctx) => {
    await ctx.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    await work(ctx, seen);
  });
  child.stdin.end();
  child.kill();
}

const steps = {
  begin: () => editor(async (ctx) => {
    const { sessionId } = await ctx.request("session/new", { cwd: given.dir, mcpServers: [] });
    say({ session: sessionId });
    await ctx.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "publish" }] });
  }),
  read: async () => {
    const fetchImpl = (url, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", "Bearer " + given.token);
      return fetch(url, { ...init, headers });
    };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })], cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }));
    const client = await factory.createFromUrl(given.url);
    const task = await client.getTask({ tenant: "", id: given.task, historyLength: undefined });
    say({ state: TaskState[task.status.state], context: task.contextId, texts: task.artifacts.flatMap((a) => a.parts.map((p) => p.content?.value ?? "")) });
  },
  finish: async () => {
    const client = new OpenAI({ baseURL: given.url + "/openai/v1", apiKey: given.token, maxRetries: 0, defaultHeaders: { "Thole-Session": given.session } });
    const made = await client.chat.completions.create({ model: "thole", messages: [{ role: "user", content: "and finish" }] });
    say({ text: made.choices[0].message.content });
  },
  list: () => editor(async (ctx, seen) => {
    const { sessions } = await ctx.request("session/list", {});
    await ctx.request("session/load", { sessionId: given.session, cwd: given.dir, mcpServers: [] });
    say({ sessions: sessions.map((s) => s.sessionId), said: seen.filter((u) => u.content?.text).map((u) => u.content.text) });
  }),
};

await steps[step]();
process.exit(0);
