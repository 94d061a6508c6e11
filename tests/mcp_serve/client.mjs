// Cases for official MCP clients: a line {name, era, transport, where, token, input} gets what the client saw.
// era: modern, legacy or old; where: an address, or the words of a command as JSON.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answerLines } from "../lib/node_host.mjs";

async function play({ name, era, transport, where, token, input }) {
  function transportOf() {
    if (transport === "stdio") {
      const [command, ...args] = JSON.parse(where);
      return new StdioClientTransport({ command, args, cwd: input.cwd, env: process.env });
    }
    const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
    return era === "old" ? new OldHttp(new URL(where), options) : new StreamableHTTPClientTransport(new URL(where), options);
  }

  async function connect(capabilities = {}) {
    const info = { name: "tests", version: "1.0.0" };
    const client =
      era === "old"
        ? new OldClient(info, { capabilities })
        : new Client(info, { capabilities, versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } });
    await client.connect(transportOf());
    return client;
  }

  const call = (client, tool, args, options) =>
    era === "old" ? client.callTool({ name: tool, arguments: args }, undefined, options) : client.callTool({ name: tool, arguments: args }, options);

  const cases = {
    async hello(client) {
      const tools = (await client.listTools()).tools;
      const ran = await call(client, "run", { prompt: input.prompt ?? "hello" });
      return { server: client.getServerVersion(), capabilities: client.getServerCapabilities(), tools: tools.map((t) => t.name), ran };
    },
    async calls(client) {
      const results = [];
      for (const [tool, args] of input.calls) results.push(await call(client, tool, args));
      return results;
    },
    async progress(client) {
      const seen = [];
      const ran = await call(client, input.tool ?? "run", input.tool ? {} : { prompt: input.prompt }, { onprogress: (p) => seen.push(p) });
      return { seen, ran };
    },
    async elicit(client) {
      const asked = [];
      const answer = async (request) => {
        asked.push(request.params.message);
        return input.content ? { action: "accept", content: input.content } : { action: "decline" };
      };
      client.setRequestHandler(era === "old" ? ElicitRequestSchema : "elicitation/create", answer);
      return { ran: await call(client, input.tool, {}), asked };
    },
    async relay(client) {
      const old = era === "old", asked = [], logs = [], results = [];
      const on = (schema, method, answer) => (input.can && !input.can[method.split("/")[0]]) || client.setRequestHandler(old ? schema : method, async (r) => { asked.push(method); return answer(r); });
      on(ElicitRequestSchema, "elicitation/create", () => ({ action: "accept", content: { name: "Alice", context: "harbour" } }));
      on(CreateMessageRequestSchema, "sampling/createMessage", (r) => {
        if (input.refuses) throw new Error("the user said no");
        return { role: "assistant", model: "their-model", stopReason: "endTurn", content: { type: "text", text: `their model on ${r.params.messages[0].content.text.slice(0, 40)}` } };
      });
      on(ListRootsRequestSchema, "roots/list", () => ({ roots: [{ uri: "file:///their/root" }] }));
      client.setNotificationHandler(old ? LoggingMessageNotificationSchema : "notifications/message", (n) => logs.push(n.params.data));
      if (input.level && era !== "modern") await client.setLoggingLevel(input.level);
      const _meta = input.level && era === "modern" ? { "io.modelcontextprotocol/logLevel": input.level } : undefined;
      for (const tool of input.tools) {
        const params = { name: tool, arguments: input.args ?? {}, ...(_meta && { _meta }) };
        results.push(await (old ? client.callTool(params, undefined, {}) : client.callTool(params)).catch((e) => ({ code: e.code, message: e.message })));
      }
      return { results, asked, logs };
    },
    async watch(client) {
      const uri = input.uri, seen = [];
      const wait = async (n) => { for (let i = 0; seen.length < n && i < 900; i++) await new Promise((done) => setTimeout(done, 50)); };
      client.setNotificationHandler(era === "old" ? ResourceUpdatedNotificationSchema : "notifications/resources/updated", (n) => seen.push(n.params.uri));
      await client.subscribeResource({ uri });
      await new Promise((done) => setTimeout(done, 1000));
      await call(client, input.tool, input.args ?? {});
      await wait(1);
      const first = seen.length;
      await client.unsubscribeResource({ uri });
      await call(client, input.tool, input.args ?? {});
      await new Promise((done) => setTimeout(done, 1000));
      return { first, seen };
    },
    async tools(client) {
      return (await client.listTools()).tools;
    },
    async reads(client) {
      const resources = [];
      let cursor;
      do {
        const page = await client.listResources(cursor ? { cursor } : undefined);
        resources.push(...page.resources);
        cursor = page.nextCursor;
      } while (cursor);
      const templates = (await client.listResourceTemplates()).resourceTemplates;
      const first = await client.readResource({ uri: resources[0].uri });
      let missing = null;
      try {
        await client.readResource({ uri: "thole://sessions/sess_none" });
      } catch (e) {
        missing = e.code;
      }
      const prompts = (await client.listPrompts()).prompts;
      const texts = [];
      for (const p of prompts) texts.push((await client.getPrompt({ name: p.name, arguments: { arguments: "the harbour" } })).messages[0].content.text);
      return { resources, templates, first, missing, prompts, texts };
    },
    async listen(client) {
      const uri = input.uri;
      let changed = 0;
      client.setNotificationHandler("notifications/resources/updated", (n) => (changed += n.params.uri === uri));
      const subscription = await client.listen({ resourceSubscriptions: [uri, "file:///etc/passwd"] });
      await call(client, "send", { thread: input.thread, message: "more" });
      for (let n = 0; !changed && n < 600; n++) await new Promise((done) => setTimeout(done, 50));
      const honored = subscription.honoredFilter ?? subscription.filter ?? null;
      await subscription.close();
      return { changed, honored };
    },
    async task(client) {
      const session = createTaskSessionFromClient(client, { endpointId: "tests" });
      try {
        const execution = await session.callTool("run", { prompt: input.prompt });
        const { outcome } = await execution.settle();
        return { outcome: resultFromTaskOutcome(outcome) };
      } finally {
        await session.close();
      }
    },
    async abort(client) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 300);
      try {
        await call(client, "run", { prompt: "slow" }, { signal: stop.signal, onprogress: () => {} });
        return { error: null };
      } catch (e) {
        await new Promise((done) => setTimeout(done, 300)); // its close would take the notification back
        return { error: String(e.message) };
      }
    },
  };

  const can = { task: { tasks: {} }, elicit: { elicitation: {} }, relay: input.can ?? { elicitation: {}, sampling: {}, roots: {} } };
  const client = await connect(can[name] ?? {});
  const seen = await cases[name](client);
  await client.close();
  return seen;
}

await answerLines(play);
