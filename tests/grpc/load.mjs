// Thousands of calls and streams over gRPC, with @grpc/grpc-js itself.
//
//   node load.mjs ADDRESS TOKEN CALLS STREAMS
//
// The last line of stdout is what it saw.
import * as grpc from "@grpc/grpc-js";
import { randomUUID } from "node:crypto";
import { A2AService } from "@a2a-js/sdk/server/grpc";

const [address, token, calls, streams] = process.argv.slice(2);
const Client = grpc.makeGenericClientConstructor(A2AService, "A2AService");
const open = () => new Client(address, grpc.credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
const metadata = () => {
  const m = new grpc.Metadata();
  m.set("authorization", "Bearer " + token);
  m.set("a2a-version", "1.0");
  return m;
};
const message = (text) => ({ tenant: "", message: { messageId: randomUUID(), role: 1, contextId: "", taskId: "", extensions: [], referenceTaskIds: [],
  parts: [{ content: { $case: "text", value: text }, filename: "", mediaType: "" }] } });
const unary = (client, method, request) => new Promise((done, fail) => client[method](request, metadata(), (e, r) => (e ? fail(e) : done(r))));
const seen = {};

// One task, read thousands of times, 50 at a time on one connection.
const client = open();
const task = (await unary(client, "sendMessage", message("hello"))).payload.value;
let left = Number(calls), same = 0, missing = 0;
await Promise.all(Array.from({ length: 50 }, async () => {
  while (left-- > 0) {
    if (left % 10) {
      const got = await unary(client, "getTask", { tenant: "", id: task.id });
      same += got.id === task.id;
    } else {
      try { await unary(client, "getTask", { tenant: "", id: "missing-" + left }); } catch (e) { missing += e.code === grpc.status.NOT_FOUND; }
    }
  }
}));
seen.calls = [same, missing];

// Followers of one task that hangs, on 20 connections; then it is canceled, and each follower sees the end.
const busy = (await unary(client, "sendMessage", { ...message("hang"), configuration: { acceptedOutputModes: [], returnImmediately: true } })).payload.value;
const clients = Array.from({ length: 20 }, open);
let first = 0, ends = 0, codes = {};
const all = Array.from({ length: Number(streams) }, (_, i) => new Promise((done) => {
  const stream = clients[i % clients.length].subscribeToTask({ tenant: "", id: busy.id }, metadata());
  let states = [];
  stream.on("data", (item) => {
    if (!states.length) first++;
    states.push(item.payload.$case);
    if (item.payload.$case === "statusUpdate" && item.payload.value.status.state === 5) ends++;
  });
  stream.on("error", (e) => { codes[e.code] = (codes[e.code] ?? 0) + 1; done(); });
  stream.on("end", done);
}));
while (first < Number(streams) && !Object.keys(codes).length) await new Promise((done) => setTimeout(done, 20));
seen.first = first;
await unary(client, "cancelTask", { tenant: "", id: busy.id });
await Promise.all(all);
seen.ends = ends;
seen.codes = codes;

// Streams that are cancelled by their reader.
let cancelled = 0;
const hang = (await unary(client, "sendMessage", { ...message("hang"), configuration: { acceptedOutputModes: [], returnImmediately: true } })).payload.value;
for (let round = 0; round < 5; round++) {
  await Promise.all(Array.from({ length: 60 }, (_, i) => new Promise((done) => {
    const stream = clients[i % clients.length].subscribeToTask({ tenant: "", id: hang.id }, metadata());
    stream.once("data", () => stream.cancel());
    stream.on("error", (e) => { cancelled += e.code === grpc.status.CANCELLED; done(); });
  })));
}
seen.cancelled = cancelled;
await unary(client, "cancelTask", { tenant: "", id: hang.id });

// A deadline of the client's own.
seen.deadline = await new Promise((done) => client.sendMessage(message("hang"), metadata(), { deadline: Date.now() + 300 }, (e) => done(e?.code)));
for (const c of [client, ...clients]) c.close();
console.log(JSON.stringify(seen));
process.exit(0);
