// The official client of A2A plays a whole conversation with the daemon over gRPC.
//
//   node peer.mjs CARD_URL TOKEN HOOK [CA_FILE]
//
// The card names the address of the gRPC interface.  HOOK is an address for push notifications.  CA_FILE: the certificate of a proxy with
// TLS.  The last line of stdout is what it saw.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { Role, TaskState } from "@a2a-js/sdk";

const [base, token, hook, ca] = process.argv.slice(2);
const grpcChannelCredentials = ca ? grpc.credentials.createSsl(readFileSync(ca)) : grpc.credentials.createInsecure();
const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new GrpcTransportFactory({ grpcChannelCredentials })],
  preferredTransports: ["GRPC"],
}));
const client = await factory.createFromUrl(base);
const say = { serviceParameters: { authorization: "Bearer " + token } };
const word = (state) => TaskState[state] ?? String(state);
const seen = { binding: client.transport?.protocolName };

function message(text, more = {}, configuration) {
  const part = { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" };
  return {
    tenant: "", metadata: undefined, configuration,
    message: { messageId: randomUUID(), role: Role.ROLE_USER, contextId: "", taskId: "", parts: [part], extensions: [], referenceTaskIds: [], metadata: undefined, ...more },
  };
}
const texts = (task) => task.artifacts.flatMap((a) => a.parts.map((p) => p.content?.value ?? "")).join("|");
const payload = (item) => (item.payload ? { kind: item.payload.$case, value: item.payload.value } : { kind: Object.keys(item)[0], value: Object.values(item)[0] });

const done = await client.sendMessage(message("hello"), say);
seen.send = [word(done.status.state), texts(done)];
const again = await client.sendMessage(message("more", { contextId: done.contextId }), say);
seen.context = [again.contextId === done.contextId, again.id !== done.id];

seen.stream = [];
seen.text = "";
for await (const item of client.sendMessageStream(message("words"), say)) {
  const p = payload(item);
  seen.stream.push(p.kind);
  if (p.kind === "artifactUpdate") seen.text += p.value.artifact.parts[0].content.value;
  if (p.kind === "statusUpdate") seen.last = word(p.value.status.state);
}

const asked = await client.sendMessage(message("which"), say);
seen.asked = word(asked.status.state);
const answered = await client.sendMessage(message("the left one", { taskId: asked.id, contextId: asked.contextId }), say);
seen.answered = [word(answered.status.state), texts(answered)];

const busy = await client.sendMessage(message("hang", {}, { acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined, returnImmediately: true }), say);
seen.busy = word(busy.status.state);
const config = await client.createTaskPushNotificationConfig({ tenant: "", id: "", taskId: busy.id, url: hook, token: "seen-by-peer", authentication: { scheme: "Bearer", credentials: "secret" } }, say);
seen.push = [config.taskId === busy.id, config.url === hook];
seen.listed = (await client.listTaskPushNotificationConfig({ tenant: "", taskId: busy.id, pageSize: 0, pageToken: "" }, say)).configs.length;
seen.got = (await client.getTaskPushNotificationConfig({ tenant: "", taskId: busy.id, id: config.id }, say)).id === config.id;
seen.resubscribed = [];
for await (const item of client.resubscribeTask({ tenant: "", id: busy.id }, say)) {
  const p = payload(item);
  seen.resubscribed.push(p.kind);
  if (p.kind === "task") seen.cancel = word((await client.cancelTask({ tenant: "", id: busy.id, metadata: undefined }, say)).status.state);
  if (p.kind === "statusUpdate") seen.after = word(p.value.status.state);
}
await client.deleteTaskPushNotificationConfig({ tenant: "", taskId: busy.id, id: config.id }, say);

seen.get = word((await client.getTask({ tenant: "", id: done.id, historyLength: 1 }, say)).status.state);
const page = await client.listTasks({ tenant: "", contextId: "", status: TaskState.TASK_STATE_COMPLETED, pageSize: 2, pageToken: "", historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined }, say);
seen.page = [page.tasks.length, page.totalSize, page.nextPageToken !== ""];
seen.card = (await client.getAgentCard(say)).skills.length;
seen.failures = [];
for (const [name, run] of [
  ["missing", () => client.getTask({ tenant: "", id: "no-such-task", historyLength: undefined }, say)],
  ["ended", () => client.cancelTask({ tenant: "", id: done.id, metadata: undefined }, say)],
  ["stranger", () => client.getTask({ tenant: "", id: done.id, historyLength: undefined })],
]) {
  try {
    await run();
    seen.failures.push([name, "no error"]);
  } catch (e) {
    seen.failures.push([name, e.constructor.name, e.message]);
  }
}
console.log(JSON.stringify(seen));
process.exit(0);
