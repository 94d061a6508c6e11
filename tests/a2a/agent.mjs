// A foreign agent on the official SDK, for tests of Thole as its client.
//
//   node agent.mjs BINDING [PORT]
//
// It prints its address.  What a message says decides what it does: echo, words, file, ask, auth, hang, reject, fail, message, slow.
// LOG /log has the messages that it received, in order.
import express from "express";
import { randomUUID } from "node:crypto";
import { Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";

const [binding = "JSONRPC", wanted = "0"] = process.argv.slice(2);
const received = [];
const stopped = new Set();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

const part = (text) => ({ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" });
const message = (c, text) => ({ messageId: randomUUID(), role: Role.ROLE_AGENT, contextId: c.contextId, taskId: c.taskId, parts: [part(text)], extensions: [], referenceTaskIds: [], metadata: undefined });

class Agent {
  async execute(c, bus) {
    const text = c.userMessage.parts.map((p) => p.content?.value ?? "").join(" ");
    received.push({ messageId: c.userMessage.messageId, taskId: c.userMessage.taskId, text, metadata: c.userMessage.metadata, traceparent: c.context?.headers?.traceparent });
    const status = (state, said) => ({ state, message: said ? message(c, said) : undefined, timestamp: new Date().toISOString() });
    const task = (state, said) => AgentEvent.task({ ...(c.task ?? { artifacts: [], history: [], metadata: undefined }), id: c.taskId, contextId: c.contextId, status: status(state, said) });
    const move = (state, said) => bus.publish(AgentEvent.statusUpdate({ taskId: c.taskId, contextId: c.contextId, status: status(state, said), metadata: undefined }));
    const artifact = (id, parts, append = false, lastChunk = true) => bus.publish(AgentEvent.artifactUpdate({ taskId: c.taskId, contextId: c.contextId, append, lastChunk, metadata: undefined,
      artifact: { artifactId: id, name: id, description: "", parts, metadata: undefined, extensions: [] } }));
    const end = (state, said) => { move(state, said); bus.finished(); };

    if (text.startsWith("message")) {
      bus.publish(AgentEvent.message({ ...message(c, "answered at once"), taskId: "" }));
      return bus.finished();
    }
    bus.publish(task(TaskState.TASK_STATE_SUBMITTED));
    move(TaskState.TASK_STATE_WORKING);
    if (c.task) {
      artifact("answer", [part("you said " + text)]);
      return end(TaskState.TASK_STATE_COMPLETED);
    }
    if (text.startsWith("ask")) return end(TaskState.TASK_STATE_INPUT_REQUIRED, "left or right?");
    if (text.startsWith("auth")) return end(TaskState.TASK_STATE_AUTH_REQUIRED, "sign in first");
    if (text.startsWith("reject")) return end(TaskState.TASK_STATE_REJECTED, "not my kind of work");
    if (text.startsWith("fail")) return end(TaskState.TASK_STATE_FAILED, "it broke");
    if (text.startsWith("hang")) {
      while (!stopped.has(c.taskId)) await wait(20);
      return end(TaskState.TASK_STATE_CANCELED);
    }
    if (text.startsWith("slow")) await wait(1500);
    if (text.startsWith("words")) {
      for (const [i, word] of ["one ", "two ", "three"].entries()) { artifact("words", [part(word)], i > 0, i === 2); await wait(30); }
    } else if (text.startsWith("file")) {
      artifact("bytes", [{ content: { $case: "raw", value: Buffer.from([0, 1, 2, 255]) }, metadata: undefined, filename: "a.bin", mediaType: "application/octet-stream" }]);
      artifact("far", [{ content: { $case: "url", value: `${base}/file` }, metadata: undefined, filename: "b.txt", mediaType: "text/plain" }]);
      artifact("data", [{ content: { $case: "data", value: { n: 7 } }, metadata: undefined, filename: "", mediaType: "application/json" }]);
    } else {
      artifact("echo", [part("echo: " + text)]);
    }
    end(TaskState.TASK_STATE_COMPLETED, "done");
  }
  async cancelTask(taskId, bus) {
    stopped.add(taskId);
  }
}

const app = express();
const server = app.listen(Number(wanted), "127.0.0.1");
await new Promise((done) => server.on("listening", done));
const base = `http://127.0.0.1:${server.address().port}`;
const card = {
  name: "foreign", description: "A foreign agent.", version: "1", provider: undefined, documentationUrl: "", iconUrl: "",
  supportedInterfaces: [{ url: base + (binding === "JSONRPC" ? "/rpc" : "/rest"), protocolBinding: binding, protocolVersion: "1.0", tenant: "" }],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [], signatures: [],
};
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent());
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: handler }));
app.use("/rpc", jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
app.use("/rest", restHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
app.get("/file", (_, reply) => reply.type("text/plain").send("from afar"));
app.get("/log", (_, reply) => reply.json(received));
console.log(base);
