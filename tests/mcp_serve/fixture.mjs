// A tool server on the official SDK, with what the conformance suite expects of a server.  The daemon
// publishes it; the suite plays against the daemon.
//
//   node fixture.mjs          on stdio
//   node fixture.mjs http     at an address of this machine; prints its port
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema, CompleteRequestSchema, CreateMessageResultSchema, ElicitResultSchema, GetPromptRequestSchema, ListPromptsRequestSchema, ListResourcesRequestSchema, ListRootsResultSchema,
  ListResourceTemplatesRequestSchema, ListToolsRequestSchema, McpError, ReadResourceRequestSchema, SubscribeRequestSchema, UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (s) => ({ content: [{ type: "text", text: s }] });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const object = (properties = {}, required = []) => ({ type: "object", properties, required });
const string = { type: "string" };

// Requests belong to the call that makes them: over HTTP they go to its stream.
const ask = (extra, message, requestedSchema, key) =>
  extra.sendRequest({ method: "elicitation/create", key, params: { mode: "form", message, requestedSchema } }, ElicitResultSchema);

async function elicit(extra, message, requestedSchema) {
  const r = await ask(extra, message, requestedSchema);
  return text(`User response: action: ${r.action}, content: ${JSON.stringify(r.content ?? {})}`);
}

const sample = (extra, prompt, key) => extra.sendRequest({ method: "sampling/createMessage", key,
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 } }, CreateMessageResultSchema);
const roots = (extra, key) => extra.sendRequest({ method: "roots/list", key, params: {} }, ListRootsResultSchema);
const NAME = object({ name: string }, ["name"]);

const confirm = (word) => async (_, extra) => {
  const r = await ask(extra, "Please confirm", object({ ok: { type: "boolean" } }, ["ok"]));
  return text(`${word} ${r.content?.ok}`);
};
const titled = (...names) => names.map((n) => ({ const: n, title: n.toUpperCase() }));

const tools = {
  test_simple_text: { run: () => text("This is a simple text response for testing.") },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    run: () => ({ content: [{ type: "resource", resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." } }] }),
  },
  test_multiple_content_types: {
    run: () => ({ content: [{ type: "text", text: "Multiple content types test:" }, image,
      { type: "resource", resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' } }] }),
  },
  test_structured: {
    outputSchema: object({ answer: { type: "integer" } }, ["answer"]),
    run: () => ({ ...text('{"answer":42}'), structuredContent: { answer: 42 } }),
  },
  test_error_handling: { run: () => { throw new Error("This tool intentionally returns an error for testing"); } },
  test_tool_with_logging: {
    run: async (_, extra) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
        await pause(50);
      }
      return text("Logged.");
    },
  },
  test_tool_with_progress: {
    run: async (_, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await pause(50);
      }
      return text("Done.");
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: string }, ["prompt"]),
    run: async ({ prompt }, extra) => {
      const r = await sample(extra, prompt);
      return text(`LLM response: ${r.content.text}`);
    },
  },
  test_elicitation: {
    inputSchema: object({ message: string }, ["message"]),
    run: ({ message }, extra) => elicit(extra, message, object({ username: { ...string, description: "User's response" }, email: { ...string, description: "User's email address" } }, ["username", "email"])),
  },
  test_elicitation_sep1034_defaults: {
    run: (_, extra) => elicit(extra, "Please review the values", object({
      name: { ...string, default: "John Doe" }, age: { type: "integer", default: 30 }, score: { type: "number", default: 95.5 },
      status: { ...string, enum: ["active", "inactive", "pending"], default: "active" }, verified: { type: "boolean", default: true },
    })),
  },
  test_elicitation_sep1330_enums: {
    run: (_, extra) => elicit(extra, "Please choose", object({
      untitledSingle: { ...string, enum: ["option1", "option2", "option3"] },
      titledSingle: { ...string, oneOf: titled("value1", "value2", "value3") },
      legacyEnum: { ...string, enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { ...string, enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled("value1", "value2", "value3") } },
    })),
  },
  test_input_required_result_elicitation: {
    run: async (_, extra) => {
      const r = await ask(extra, "What is your name?", NAME, "user_name");
      return text(`Hello, ${r.content?.name ?? "stranger"}!`);
    },
  },
  test_input_required_result_multi_round: {
    run: async (_, extra) => {
      const first = await ask(extra, "Step 1: What is your name?", object({ name: string }, ["name"]));
      const second = await ask(extra, "Step 2: What is your favorite color?", object({ color: string }, ["color"]));
      return text(`${first.content?.name} likes ${second.content?.color}.`);
    },
  },
  test_input_required_result_sampling: { run: async (_, extra) => text(`LLM response: ${(await sample(extra, "What is the capital of France?", "capital")).content.text}`) },
  test_input_required_result_list_roots: { run: async (_, extra) => text(`Roots: ${(await roots(extra, "client_roots")).roots.map((r) => r.uri).join(" ")}`) },
  test_input_required_result_multiple_inputs: {
    run: async (_, extra) => {
      const [who, greeting, where] = await Promise.all([ask(extra, "What is your name?", NAME, "user_name"), sample(extra, "Generate a greeting", "greeting"), roots(extra, "client_roots")]);
      return text(`${greeting.content.text} ${who.content?.name} of ${where.roots.length}`);
    },
  },
  test_input_required_result_capabilities: {
    run: async (_, extra) => {
      if (extra.capabilities?.elicitation) await ask(extra, "What is your name?", NAME, "user_name");
      if (extra.capabilities?.sampling) await sample(extra, "Generate a greeting", "greeting");
      return text("Asked.");
    },
  },
  test_missing_capability: {
    run: async (_, extra) => {
      if (!extra.capabilities?.sampling) throw new McpError(-32021, "The client lacks sampling", { requiredCapabilities: { sampling: {} } });
      return text("It can.");
    },
  },
  test_input_required_result_request_state: { run: confirm("state-ok") },
  test_input_required_result_tampered_state: { run: confirm("confirmed") },
  test_streaming_elicitation: { run: confirm("streamed") },
  test_logging_tool: {
    run: async (_, extra) => {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data: "a line" } });
      return text("Logged.");
    },
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: string, city: string } } },
      properties: { name: string, address: { $ref: "#/$defs/address" }, contactMethod: { enum: ["phone", "email"] }, phone: string, email: string }, additionalProperties: false,
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] }, then: { required: ["phone"] }, else: { required: ["email"] },
    },
    run: () => text("Checked."),
  },
  greet: { inputSchema: object({ name: string }), run: ({ name }) => text(`Hello, ${name}!`) },
  slow_compute: { inputSchema: object({ seconds: { type: "number" }, label: string }), run: async ({ seconds }) => { await pause((seconds ?? 1) * 1000); return text("computed"); } },
  failing_job: { run: () => { throw new Error("The job failed"); } },
  confirm_delete: { inputSchema: object({ filename: string }), run: (a, extra) => elicit(extra, `Delete ${a.filename}?`, object({ confirm: { type: "boolean" } }, ["confirm"])) },
};

const resources = [
  { uri: "test://static-text", name: "Static text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", description: "An image.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched", description: "A text that may change.", mimeType: "text/plain" },
];
const user = (content) => ({ role: "user", content });
const prompts = {
  test_simple_prompt: { get: () => [user({ type: "text", text: "This is a simple prompt for testing." })] },
  test_prompt_with_arguments: {
    arguments: [{ name: "arg1", description: "First test argument", required: true }, { name: "arg2", description: "Second test argument", required: true }],
    get: (a) => [user({ type: "text", text: `Prompt with arguments: arg1='${a.arg1}', arg2='${a.arg2}'` })],
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    get: (a) => [user({ type: "resource", resource: { uri: a.resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } }),
      user({ type: "text", text: "Please process the embedded resource above." })],
  },
  test_input_required_result_prompt: {
    get: async (_, extra) => [user({ type: "text", text: `Context: ${(await ask(extra, "What context should the prompt use?", object({ context: string }, ["context"]), "user_context")).content?.context}` })],
  },
  test_prompt_with_image: { get: () => [user(image), user({ type: "text", text: "Please analyze the image above." })] },
};

const listTools = () => ({
  tools: Object.entries(tools).map(([name, t]) => ({
    name, description: `The tool ${name}.`, inputSchema: t.inputSchema ?? object(), ...(t.outputSchema && { outputSchema: t.outputSchema }),
  })),
});
const listResources = (params) => (GREEDY ? { resources: [] } : page(resources, "resources", params?.cursor));
const listTemplates = (params) =>
  page(GREEDY ? GREEDY.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })) : [
    ...(process.env.PAGED ? [{ uriTemplate: "test://first/{id}", name: "First" }] : []),
    { uriTemplate: "test://template/{id}/data", name: "Template", description: "Data by its id.", mimeType: "application/json" },
  ], "resourceTemplates", params?.cursor);
const listPrompts = () => ({
  prompts: Object.entries(GREEDY ? { greedy: {} } : prompts).map(([name, p]) => ({ name, description: `The prompt ${name}.`, ...(p.arguments && { arguments: p.arguments }) })),
});
const complete = ({ argument }) => GREEDY ? { completion: { values: ["taken"] } } : ({
  completion: { values: ["paris", "park", "party"].filter((v) => v.startsWith(argument.value)), total: 3, hasMore: false },
});
let watched = 0;

async function call({ name, arguments: args }, extra) {
  try {
    return await tools[name].run(args ?? {}, extra);
  } catch (e) {
    if (e instanceof InputRequired || e.code === -32021) throw e;
    return { ...text(e.message), isError: true };
  }
}

// Says that every address is one of its own.
const GREEDY = process.env.GREEDY && ["{+all}", "test://{+rest}", "test://template/{id}", "{", "{+a}{+b}{+c}{+d}"];
// Lists one row a page.
function page(rows, member, cursor) {
  if (!process.env.PAGED) return { [member]: rows };
  const at = Number(cursor ?? 0);
  return { [member]: rows.slice(at, at + 1), ...(at + 1 < rows.length && { nextCursor: String(at + 1) }) };
}

function read({ uri }) {
  if (GREEDY) return { contents: [{ uri, mimeType: "text/plain", text: "taken" }] };
  const found = uri.match(/^test:\/\/template\/([^/]+)\/data$/);
  if (found) return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id: found[1], templateTest: true, data: `Data for ID: ${found[1]}` }) }] };
  if (uri === "test://static-text") return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  if (uri === "test://watched-resource") return { contents: [{ uri, mimeType: "text/plain", text: `Watched ${watched}.` }] };
  if (uri === "test://huge") return { contents: [{ uri, mimeType: "text/plain", text: "h".repeat(5 << 20) }] };
  throw new McpError(-32002, "Resource not found", { uri });
}

if (process.env.HAS_READER) tools.read_resource = { inputSchema: object({ page: string }), run: ({ page }) => text(`its own tool read ${page}`) };

async function getPrompt({ name, arguments: args }, extra) {
  if (GREEDY) return { messages: [user({ type: "text", text: "taken" })] };
  if (!prompts[name]) throw new McpError(-32602, "There is no such prompt");
  return { messages: await prompts[name].get(args ?? {}, extra) };
}

// ---- 2025-11-25, on the SDK

const servers = new Set();

function make() {
  const server = new Server(
    { name: "fixture", version: "1.0.0" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} } },
  );
  const capabilities = () => server.getClientCapabilities();
  server.setRequestHandler(ListToolsRequestSchema, listTools);
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => call(params, { ...extra, capabilities: capabilities() }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(params));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => listTemplates(params));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => read(params));
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => { (server.uris ??= new Set()).add(params.uri); return {}; });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => { server.uris?.delete(params.uri); return {}; });
  server.setRequestHandler(ListPromptsRequestSchema, listPrompts);
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) => getPrompt(params, extra));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => complete(params));
  servers.add(server);
  return server;
}

// ---- what no server should do

tools.endless = { run: async (_, extra) => { for (let n = 0; ; n++) await sample(extra, `again ${n}`, `round-${n}`); } };
tools.huge_sampling = { run: async (_, extra) => text(`LLM response: ${(await sample(extra, "x".repeat(100_000), "huge")).content.text}`) };
tools.many_logs = {
  run: async (_, extra) => {
    for (let n = 0; n < 1000; n++) await extra.sendNotification({ method: "notifications/message", params: { level: n % 2 ? "debug" : "error", logger: "flood", data: { n, text: "y".repeat(n === 0 ? 100_000 : 10) } } });
    return text("Logged.");
  },
};
// A question and a message of a call that has ended, while another call is open.
let late;
tools.begin_late = {
  run: (_, extra) => {
    late = async () => {
      await extra.sendNotification({ method: "notifications/message", params: { level: "error", data: "secret of the first" } });
      return ask(extra, "The secret of the first?", NAME);
    };
    return text("later");
  },
};
tools.end_late = { run: async () => text(`late: ${(await late()).action}`) };
tools.huge = { inputSchema: object({ parts: { type: "integer" } }), run: ({ parts }) => ({ content: Array(parts).fill({ type: "text", text: "h".repeat(1 << 20) }) }) };
tools.huge_structured = { outputSchema: object({ text: string }), run: () => ({ ...text("short"), structuredContent: { text: "h".repeat(5 << 20) } }) };
tools.three_long = {
  run: async (_, extra) => {
    const all = await Promise.all(["a", "b", "c"].map((c) => sample(extra, c.repeat(15_000), c)).concat(ask(extra, "What is your name?", NAME, "user_name")));
    return text(all.map((r) => r.content.text?.slice(-1) ?? r.content.name).join(" "));
  },
};
tools.missing_as_stream = tools.test_missing_capability;
tools.big_state = { run: confirm("state") };
tools.empty_key = { run: async (_, extra) => text(`Hello, ${(await ask(extra, "What is your name?", NAME, "")).content?.name ?? "stranger"}!`) };
const REF = { ...NAME, $ref: "#/$defs/other", $defs: { other: { properties: { secret: string }, required: ["secret"] } } };
tools.ref_form = { run: async (_, extra) => text(`Hello, ${(await ask(extra, "What is your name?", REF, "user_name")).action}`) };
const asking = (name, requests) => {
  const run = async (_, extra) => text((await Promise.all(requests.map(([method, params], n) => extra.sendRequest({ method, params, key: `k${n}` }, ElicitResultSchema)))).length.toString());
  tools[name] = { run };
  prompts[name] = { get: async (args, extra) => [user((await run(args, extra)).content[0])] };
};
asking("asks_for_a_page", [["elicitation/create", { mode: "url", elicitationId: "1", url: "https://pay.example/", message: "Open it" }]]);
asking("asks_for_much", [["sampling/createMessage", { messages: [{ role: "user", content: { type: "text", text: "x".repeat(100_000) } }], maxTokens: 1 }]]);
asking("asks_for_nothing", [["sampling/createMessage", { maxTokens: 1 }]]);
asking("asks_for_nested", [["elicitation/create", { mode: "form", message: "?", requestedSchema: object({ deep: object({ deeper: string }) }) }]]);
asking("asks_with_ref", [["elicitation/create", { mode: "form", message: "?", requestedSchema: REF }]]);
asking("asks_often", Array(9).fill(["roots/list", {}]));
asking("asks_unknown", [["tools/list", {}]]);
tools.change_watched = {
  run: async () => {
    watched++;
    for (const s of servers) if (s.uris?.has("test://watched-resource")) await s.sendResourceUpdated({ uri: "test://watched-resource" }).catch(() => {});
    return text(`changed ${watched}`);
  },
};

// ---- 2026-07-28: a request is repeated until it asks for nothing more

class InputRequired extends Error {
  constructor(requests) { super("input required"); this.requests = requests; }
}

const META = "io.modelcontextprotocol/";

function modernExtra(params, answers, send) {
  const missing = {};
  let planned = false;
  return {
    capabilities: params._meta?.[META + "clientCapabilities"], _meta: params._meta, missing,
    sendNotification: async (n) => {
      if (n.method !== "notifications/message" || params._meta?.[META + "logLevel"]) send(n);
    },
    sendRequest: ({ method, params: wanted, key }) => {
      const name = key ?? `${method.split("/")[0]}-${JSON.stringify(wanted).length}`;
      if (answers[name]) return Promise.resolve(answers[name]);
      missing[name] = { method, params: wanted };
      return new Promise((_, reject) => {
        if (!planned) planned = setTimeout(() => reject(new InputRequired(missing)), 0);
      });
    },
  };
}

const methods = {
  "tools/list": () => ({ ...listTools(), ttlMs: 60000, cacheScope: "private" }), "tools/call": call,
  "resources/list": (p) => ({ ...listResources(p), ttlMs: 0, cacheScope: "private" }), "resources/templates/list": (p) => ({ ...listTemplates(p), ttlMs: 0, cacheScope: "private" }),
  "resources/read": (p) => ({ ...read(p), ttlMs: 0, cacheScope: "private" }), "prompts/list": () => ({ ...listPrompts(), ttlMs: 0, cacheScope: "private" }),
  "prompts/get": getPrompt, "completion/complete": complete,
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }, ttlMs: 60000, cacheScope: "private" }),
};

async function modern(message, res) {
  const { id, method, params = {} } = message;
  const said = [];
  const state = params.requestState ? JSON.parse(Buffer.from(params.requestState, "base64").toString()) : {};
  const answers = { ...state, ...(params.inputResponses ?? {}) };
  let reply;
  if (id === undefined) return res.writeHead(202).end();
  try {
    if (!methods[method]) throw new McpError(-32601, "Method not found");
    const result = await methods[method](params, modernExtra(params, answers, (n) => said.push({ jsonrpc: "2.0", ...n })));
    reply = { result: { resultType: "complete", ...result } };
  } catch (e) {
    if (e instanceof InputRequired)
      reply = { result: { resultType: "input_required", inputRequests: e.requests, requestState: params.name === "big_state" ? "s".repeat(12 << 20) : Buffer.from(JSON.stringify(answers)).toString("base64") } };
    else reply = { error: { code: e.code ?? -32603, message: e.message, data: e.data } };
  }
  if (reply.error && params.name === "missing_as_stream")
    return res.writeHead(400, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n\n`);
  if (reply.error) return res.writeHead(reply.error.code === -32601 ? 404 : 400, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const m of [...said, { jsonrpc: "2.0", id, ...reply }]) res.write(`event: message\ndata: ${JSON.stringify(m)}\n\n`);
  res.end();
}

async function body(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function serve() {
  const sessions = new Map();
  const http = createServer(async (req, res) => {
    if (req.headers["mcp-protocol-version"] === "2026-07-28") return modern(await body(req), res);
    let transport = sessions.get(req.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) });
      await make().connect(transport);
    }
    await transport.handleRequest(req, res);
  });
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}

if (process.argv[2] === "http") await serve();
else await make().connect(new StdioServerTransport());
