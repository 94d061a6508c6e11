// The official client of A2A plays a whole conversation with the daemon, on one binding.
//
//   node peer.mjs BASE_URL TOKEN BINDING LOG HOOK
//
// LOG gets every request and response, one JSON object per line.  HOOK is an address for push notifications.  The last line of stdout
// is what it saw.
import { appendFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { Role, TaskState } from "@a2a-js/sdk";

const [base, token, binding, log, hook] = process.argv.slice(2);

async function fetchImpl(url, init = {}) {
  const headers = new Headers(init.headers);
  headers.set("Authorization", "Bearer " + token);
  const response = await fetch(url, { ...init, headers });
  const seen = { url: String(url), method: init.method ?? "GET", body: init.body ?? null, status: response.status };
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("text/event-stream")) {
    const [mine, theirs] = response.body.tee();
    new Response(mine).text().then((text) => appendFileSync(log, JSON.stringify({ ...seen, stream: text }) + "\n")).catch(() => {});
    return new Response(theirs, { status: response.status, headers: response.headers });
  }
  const text = await response.text();
  appendFileSync(log, JSON.stringify({ ...seen, response: text }) + "\n");
  return new Response(text || null, { status: response.status, headers: response.headers });
}

const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [binding],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
}));
const client = await factory.createFromUrl(base);
const word = (state) => TaskState[state] ?? String(state);
const seen = { binding: client.transport?.protocolName ?? binding };

function say(text, more = {}, configuration) {
  const part = { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" };
  return {
    tenant: "", metadata: undefined, configuration,
    message: { messageId: randomUUID(), role: Role.ROLE_USER, contextId: "", taskId: "", parts: [part], extensions: [], referenceTaskIds: [], metadata: undefined, ...more },
  };
}

const payload = (item) => (item.payload ? { kind: item.payload.$case, value: item.payload.value } : { kind: Object.keys(item)[0], value: Object.values(item)[0] });
const texts = (task) => task.artifacts.flatMap((a) => a.parts.map((p) => p.content?.value ?? "")).join("|");

// send
const done = await client.sendMessage(say("hello"));
seen.send = [word(done.status.state), texts(done)];

// the same context again
const again = await client.sendMessage(say("more", { contextId: done.contextId }));
seen.context = [again.contextId === done.contextId, again.id !== done.id];

// stream
seen.stream = [];
let streamed = "";
for await (const item of client.sendMessageStream(say("words"))) {
  const p = payload(item);
  seen.stream.push(p.kind);
  if (p.kind === "artifactUpdate") streamed += p.value.artifact.parts[0].content.value;
  if (p.kind === "statusUpdate") seen.last = word(p.value.status.state);
}
seen.text = streamed;

// input required, answered
const asked = await client.sendMessage(say("which"));
seen.asked = word(asked.status.state);
const answered = await client.sendMessage(say("the left one", { taskId: asked.id, contextId: asked.contextId }));
seen.answered = [word(answered.status.state), texts(answered)];

// resubscribe, push and cancel
const busy = await client.sendMessage(say("hang", {}, { acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined, returnImmediately: true }));
seen.busy = word(busy.status.state);
const config = await client.createTaskPushNotificationConfig({ tenant: "", id: "", taskId: busy.id, url: hook, token: "seen-by-peer", authentication: { scheme: "Bearer", credentials: "secret" } });
seen.push = [config.taskId === busy.id, config.url === hook];
seen.listed = (await client.listTaskPushNotificationConfig({ tenant: "", taskId: busy.id, pageSize: 0, pageToken: "" })).configs.length;
seen.got = (await client.getTaskPushNotificationConfig({ tenant: "", taskId: busy.id, id: config.id })).id === config.id;
const follow = (async () => {
  const kinds = [];
  for await (const item of client.resubscribeTask({ tenant: "", id: busy.id })) {
    const p = payload(item);
    kinds.push(p.kind);
    if (p.kind === "task") seen.cancel = word((await client.cancelTask({ tenant: "", id: busy.id, metadata: undefined })).status.state);
    if (p.kind === "statusUpdate") seen.after = word(p.value.status.state);
  }
  return kinds;
})();
seen.resubscribed = await follow;
await client.deleteTaskPushNotificationConfig({ tenant: "", taskId: busy.id, id: config.id });

// read and list
seen.get = word((await client.getTask({ tenant: "", id: done.id, historyLength: 1 })).status.state);
const page = await client.listTasks({ tenant: "", contextId: "", status: TaskState.TASK_STATE_COMPLETED, pageSize: 2, pageToken: "", historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined });
seen.page = [page.tasks.length, page.totalSize, page.nextPageToken !== ""];
seen.card = (await client.getAgentCard()).skills.length;
try {
  await client.getTask({ tenant: "", id: "no-such-task", historyLength: undefined });
} catch (e) {
  seen.missing = e.constructor.name;
}
console.log(JSON.stringify(seen));
