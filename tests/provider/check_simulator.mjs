// The vendor's own client against tests/provider/simulator.py: what we wrote on both sides of the
// wire is held to what OpenAI's SDK takes.  Prints TAP.  Needs npm ci in this folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";

const here = path.dirname(fileURLToPath(import.meta.url));
const sim = spawn("python3", [path.join(here, "simulator.py")], { stdio: ["pipe", "pipe", "inherit"] });
const [line] = await once(sim.stdout, "data");
const port = Number(/port (\d+)/.exec(String(line))[1]);

const client = (behaviour) =>
  new OpenAI({ baseURL: `http://127.0.0.1:${port}/${behaviour}/v1`, apiKey: "sk-x", maxRetries: 0 });

const messages = [{ role: "user", content: "hello" }];

async function read(behaviour, more = {}) {
  const stream = await client(behaviour).chat.completions.create({
    model: "sim-1", messages, stream: true, stream_options: { include_usage: true }, ...more,
  });
  const seen = { text: "", calls: [], finish: null, usage: null };
  for await (const chunk of stream) {
    seen.usage = chunk.usage ?? seen.usage;
    for (const choice of chunk.choices) {
      seen.text += choice.delta.content ?? "";
      seen.finish = choice.finish_reason ?? seen.finish;
      for (const call of choice.delta.tool_calls ?? []) {
        const known = (seen.calls[call.index] ??= { id: call.id, name: call.function.name, args: "" });
        known.args += call.function.arguments ?? "";
      }
    }
  }
  return seen;
}

const checks = {
  async "text, finish and usage"() {
    for (const behaviour of ["text", "bytes", "one-write", "comments", "no-done", "close-delimited"]) {
      const seen = await read(behaviour);
      assert.equal(seen.text, "Hello from the simulator, €uro.");
      assert.equal(seen.finish, "stop");
      assert.equal(seen.usage.prompt_tokens_details.cached_tokens, 16);
    }
  },
  async "tool calls in fragments"() {
    const seen = await read("tools");
    assert.deepEqual(seen.calls, [
      { id: "call_1", name: "get_time", args: '{"zone": "UTC"}' },
      { id: "call_2", name: "get_place", args: "{}" },
    ]);
    assert.equal(seen.finish, "tool_calls");
  },
  async "an answer that is not streamed"() {
    const whole = await client("whole").chat.completions.create({ model: "sim-1", messages });
    assert.equal(whole.choices[0].message.content, "Not streamed.");
  },
  async "errors by status"() {
    await assert.rejects(read("rate-limited"), (e) => e.status === 429 && e.code === "rate_limit_exceeded");
    await assert.rejects(read("quota"), (e) => e.status === 429 && e.code === "insufficient_quota");
    await assert.rejects(read("error=529"), (e) => e.status === 529);
    await assert.rejects(read("context"), (e) => e.status === 400 && e.code === "context_length_exceeded");
  },
  async "an error inside the stream"() {
    await assert.rejects(read("error-event"), /The server had an error/);
  },
  async "a cut connection"() {
    await assert.rejects(read("cut"));
  },
};

let number = 0;
let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  number += 1;
  try {
    await check();
    console.log(`ok ${number} - simulator and the vendor's client: ${name}`);
  } catch (e) {
    failed += 1;
    console.log(`not ok ${number} - simulator and the vendor's client: ${name}`);
    console.log(`# ${String(e.stack).replaceAll("\n", "\n# ")}`);
  }
}
console.log(`1..${number}`);
sim.stdin.end();
process.exitCode = failed ? 1 : 0;
