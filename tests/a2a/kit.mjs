// The official client of A2A sends the ids of the official test kit, on one binding, and prints what it got for each.
//
//   node kit.mjs BASE_URL TOKEN BINDING LOG
import { appendFileSync } from "node:fs";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { Role, TaskState } from "@a2a-js/sdk";

const [base, token, binding, log] = process.argv.slice(2);

async function fetchImpl(url, init = {}) {
  const headers = new Headers(init.headers);
  headers.set("Authorization", "Bearer " + token);
  const response = await fetch(url, { ...init, headers });
  if ((response.headers.get("content-type") ?? "").includes("text/event-stream")) return response;
  const text = await response.text();
  appendFileSync(log, JSON.stringify({ url: String(url), method: init.method ?? "GET", body: init.body ?? null, status: response.status, response: text }) + "\n");
  return new Response(text || null, { status: response.status, headers: response.headers });
}

const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [binding],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
}));
const client = await factory.createFromUrl(base);

function say(messageId, more = {}) {
  const part = { content: { $case: "text", value: "go" }, metadata: undefined, filename: "", mediaType: "" };
  return {
    tenant: "", metadata: undefined, configuration: undefined,
    message: { messageId, role: Role.ROLE_USER, contextId: "", taskId: "", parts: [part], extensions: [], referenceTaskIds: [], metadata: undefined, ...more },
  };
}

function shown(part) {
  const { $case: kind, value } = part.content;
  const out = { kind, value: kind === "raw" ? Buffer.from(value).toString() : value };
  if (part.filename) out.filename = part.filename;
  if (part.mediaType) out.mediaType = part.mediaType;
  return out;
}

const payload = (item) => (item.payload ? { kind: item.payload.$case, value: item.payload.value } : { kind: Object.keys(item)[0], value: Object.values(item)[0] });
const seen = {};

for (const id of ["tck-complete-task", "tck-artifact-text", "tck-artifact-file", "tck-artifact-file-url", "tck-artifact-data", "tck-input-required",
  "tck-reject-task", "tck-message-response"]) {
  const got = await client.sendMessage(say(`${id}-${binding}`));
  seen[id] = got.status ? { state: TaskState[got.status.state], parts: got.artifacts.map((a) => a.parts.map(shown)) } : { message: got.parts.map(shown) };
}
for (const id of ["tck-stream-001", "tck-stream-002", "tck-stream-003", "tck-stream-ordering-001", "tck-stream-artifact-text", "tck-stream-artifact-file",
  "tck-stream-artifact-chunked", "tck-artifact-data-in-a-stream"]) {
  const kinds = [], parts = [], flags = [];
  let state;
  for await (const item of client.sendMessageStream(say(`${id}-s-${binding}`))) {
    const p = payload(item);
    kinds.push(p.kind);
    if (p.kind === "artifactUpdate") {
      parts.push(p.value.artifact.parts.map(shown));
      flags.push([p.value.append, p.value.lastChunk]);
    }
    if (p.kind === "statusUpdate") state = TaskState[p.value.status.state];
    if (p.kind === "task") state = TaskState[p.value.status.state];
  }
  seen[id] = { state, kinds, parts, flags };
}

// A stream that is left, and followed again by the id of its task.
let task;
for await (const item of client.sendMessageStream(say(`test-resubscribe-message-id-${binding}`))) {
  task = payload(item).value;
  break;
}
const again = [];
for await (const item of client.resubscribeTask({ tenant: "", id: task.id })) {
  const p = payload(item);
  again.push(p.kind === "statusUpdate" || p.kind === "task" ? [p.kind, TaskState[p.value.status.state]] : [p.kind]);
}
seen["test-resubscribe-message-id"] = again;
console.log(JSON.stringify(seen));
