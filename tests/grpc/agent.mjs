// A foreign agent on the official SDK that speaks gRPC only, for tests of Thole as its client.
//
//   node agent.mjs [CERTIFICATE KEY]
//
// With a certificate it speaks TLS.
//
// It prints "ADDRESS CARD_URL".  What a message says decides what it does: echo, words, file, ask, hang, reject, fail, flood.
// /log at the address of the card has what it received.
import express from "express";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";
import { Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler } from "@a2a-js/sdk/server/express";
import { A2AService, UserBuilder, grpcService } from "@a2a-js/sdk/server/grpc";

const received = [];
const stopped = new Set();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const part = (text) => ({ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" });
const message = (c, text) => ({ messageId: randomUUID(), role: Role.ROLE_AGENT, contextId: c.contextId, taskId: c.taskId, parts: [part(text)], extensions: [], referenceTaskIds: [], metadata: undefined });

class Agent {
  async execute(c, bus) {
    const text = c.userMessage.parts.map((p) => p.content?.value ?? "").join(" ");
    received.push({ messageId: c.userMessage.messageId, text, metadata: c.userMessage.metadata });
    const status = (state, said) => ({ state, message: said ? message(c, said) : undefined, timestamp: new Date().toISOString() });
    const move = (state, said) => bus.publish(AgentEvent.statusUpdate({ taskId: c.taskId, contextId: c.contextId, status: status(state, said), metadata: undefined }));
    const artifact = (id, parts, append = false, lastChunk = true) => bus.publish(AgentEvent.artifactUpdate({ taskId: c.taskId, contextId: c.contextId, append, lastChunk, metadata: undefined,
      artifact: { artifactId: id, name: id, description: "", parts, metadata: undefined, extensions: [] } }));
    const end = (state, said) => { move(state, said); bus.finished(); };

    bus.publish(AgentEvent.task({ ...(c.task ?? { artifacts: [], history: [], metadata: undefined }), id: c.taskId, contextId: c.contextId, status: status(TaskState.TASK_STATE_SUBMITTED) }));
    move(TaskState.TASK_STATE_WORKING);
    if (c.task) {
      artifact("answer", [part("you said " + text)]);
      return end(TaskState.TASK_STATE_COMPLETED);
    }
    if (text.startsWith("ask")) return end(TaskState.TASK_STATE_INPUT_REQUIRED, "left or right?");
    if (text.startsWith("reject")) return end(TaskState.TASK_STATE_REJECTED, "not my kind of work");
    if (text.startsWith("fail")) return end(TaskState.TASK_STATE_FAILED, "it broke");
    if (text.startsWith("hang")) {
      while (!stopped.has(c.taskId)) await wait(20);
      return end(TaskState.TASK_STATE_CANCELED);
    }
    if (text.startsWith("words")) {
      for (const [i, word] of ["one ", "two ", "three"].entries()) { artifact("words", [part(word)], i > 0, i === 2); await wait(30); }
    } else if (text.startsWith("flood")) {
      const count = Number(text.split(" ")[1]);
      for (let i = 0; i < count; i++) artifact("flood", [part(`${String(i).padStart(4, "0")}${"x".repeat(996)}`)], i > 0, i === count - 1);
    } else if (text.startsWith("file")) {
      artifact("bytes", [{ content: { $case: "raw", value: Buffer.from([0, 1, 2, 255]) }, metadata: undefined, filename: "a.bin", mediaType: "application/octet-stream" }]);
      artifact("data", [{ content: { $case: "data", value: { n: 7, list: [1.5, null, true, { deep: "ü" }] } }, metadata: undefined, filename: "", mediaType: "application/json" }]);
    } else {
      artifact("echo", [part("echo: " + text)]);
    }
    end(TaskState.TASK_STATE_COMPLETED, "done");
  }
  async cancelTask(taskId) {
    stopped.add(taskId);
  }
}

const server = new grpc.Server();
const card = {
  name: "foreign", description: "A foreign agent.", version: "1", provider: undefined, documentationUrl: "", iconUrl: "", supportedInterfaces: [],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions: [] },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [], signatures: [],
};
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent(), undefined, undefined, undefined, card);
const seen = (call) => received.push({ authorization: call.metadata.get("authorization")[0], version: call.metadata.get("a2a-version")[0], traceparent: call.metadata.get("traceparent")[0] });
const service = grpcService({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication });
for (const [name, run] of Object.entries(service)) service[name] = (call, ...rest) => { seen(call); return run(call, ...rest); };
server.addService(A2AService, service);
const [certificate, key] = process.argv.slice(2);
const credentials = certificate
  ? grpc.ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(certificate), private_key: readFileSync(key) }])
  : grpc.ServerCredentials.createInsecure();
const port = await new Promise((done, fail) => server.bindAsync("127.0.0.1:0", credentials, (e, p) => (e ? fail(e) : done(p))));
card.supportedInterfaces.push({ url: `127.0.0.1:${port}`, protocolBinding: "GRPC", protocolVersion: "1.0", tenant: "" });
const app = express();
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: handler }));
app.get("/log", (_, reply) => reply.json(received));
const web = app.listen(0, "127.0.0.1");
await new Promise((done) => web.on("listening", done));
console.log(`127.0.0.1:${port} http://127.0.0.1:${web.address().port}/.well-known/agent-card.json`);
