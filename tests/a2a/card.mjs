// The official client checks the signature of the card, names an extension, and gets messages as replies.
//
//   node card.mjs BASE_URL TOKEN BINDING JWKS_FILE EXTENSION
//
// The last line of stdout is what it saw.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { importJWK } from "jose";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters, withA2AExtensions } from "@a2a-js/sdk/client";
import { Role, TaskState, verifyAgentCardSignature } from "@a2a-js/sdk";

const [base, token, binding, file, extension] = process.argv.slice(2);
const keys = JSON.parse(readFileSync(file, "utf8")).keys;
const find = async (kid) => importJWK(keys.find((k) => k.kid === kid), "EdDSA");
let active = null;

async function fetchImpl(url, init = {}) {
  const headers = new Headers(init.headers);
  headers.set("Authorization", "Bearer " + token);
  const response = await fetch(url, { ...init, headers });
  active = response.headers.get("a2a-extensions") ?? active;
  return response;
}

const resolver = new DefaultAgentCardResolver({ fetchImpl });
const seen = {};
// The verifier gets the JSON: of a card that the SDK has parsed it leaves out the security schemes.
const card = await (await fetch(base + "/.well-known/agent-card.json")).json();
seen.signatures = card.signatures.length;
await verifyAgentCardSignature(find)(card);
try {
  await verifyAgentCardSignature(find)({ ...card, description: "something else" });
  seen.changed = "accepted";
} catch {
  seen.changed = "refused";
}

const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [binding],
  cardResolver: resolver,
}));
const client = await factory.createFromUrl(base);
const part = { content: { $case: "text", value: "hello" }, metadata: undefined, filename: "", mediaType: "" };
const say = (id) => ({
  tenant: "", metadata: undefined, configuration: undefined,
  message: { messageId: id + randomUUID(), role: Role.ROLE_USER, contextId: "", taskId: "", parts: [part], extensions: [], referenceTaskIds: [], metadata: undefined },
});
const options = { serviceParameters: ServiceParameters.create(withA2AExtensions(extension)) };

try {
  await client.sendMessage(say("quick-"));
} catch (e) {
  seen.without = e.constructor.name;
}
const reply = await client.sendMessage(say("quick-"), options);
seen.reply = [reply.role === Role.ROLE_AGENT, reply.parts?.[0]?.content.value, reply.contextId !== "", reply.taskId];
const task = await client.sendMessage(say("long-"), options);
seen.task = TaskState[task.status?.state];
seen.stream = [];
for await (const item of client.sendMessageStream(say("quick-"), options)) seen.stream.push(item.payload?.$case ?? Object.keys(item)[0]);
const extended = await (await fetchImpl(base + "/a2a/v1/extendedAgentCard", { headers: { "A2A-Version": "1.0" } })).json();
seen.extended = extended.signatures.length;
await verifyAgentCardSignature(find)(extended);
seen.active = active;
console.log(JSON.stringify(seen));
