// The vendors' own clients against tests/provider/simulator.py: what we wrote on both sides of the
// wire is held to what their SDKs take.  Prints TAP.  Needs npm ci in this folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";

const here = path.dirname(fileURLToPath(import.meta.url));
const sim = spawn("python3", [path.join(here, "simulator.py")], { stdio: ["pipe", "pipe", "inherit"] });
let line = "";
while (!line.includes("\n")) line += (await once(sim.stdout, "data"))[0];
const port = Number(/port (\d+)/.exec(String(line))[1]);
const at = (behaviour) => `http://127.0.0.1:${port}/${behaviour}`;

const HELLO = "Hello from the simulator, €uro.";
const CALLS = [
  { name: "get_time", args: { zone: "UTC" } },
  { name: "get_place", args: {} },
];
const messages = [{ role: "user", content: "hello" }];

// Each reads a stream to {text, calls, finish, cached}.
const clients = {
  async chat(behaviour) {
    const client = new OpenAI({ baseURL: `${at(behaviour)}/v1`, apiKey: "sk-x", maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: "sim-1", messages, stream: true, stream_options: { include_usage: true },
    });
    const seen = { text: "", calls: [], finish: null, cached: null };
    for await (const chunk of stream) {
      seen.cached = chunk.usage?.prompt_tokens_details.cached_tokens ?? seen.cached;
      for (const choice of chunk.choices) {
        seen.text += choice.delta.content ?? "";
        seen.finish = choice.finish_reason ?? seen.finish;
        for (const call of choice.delta.tool_calls ?? []) {
          const known = (seen.calls[call.index] ??= { name: call.function.name, args: "" });
          known.args += call.function.arguments ?? "";
        }
      }
    }
    for (const call of seen.calls) call.args = JSON.parse(call.args);
    return seen;
  },

  async anthropic(behaviour) {
    const client = new Anthropic({ baseURL: at(behaviour), apiKey: "sk-x", maxRetries: 0 });
    const stream = client.messages.stream({ model: "sim-1", max_tokens: 100, messages });
    const message = await stream.finalMessage();
    const of = (type) => message.content.filter((b) => b.type === type);
    return {
      text: of("text").map((b) => b.text).join(""),
      calls: of("tool_use").map((b) => ({ name: b.name, args: b.input })),
      thoughts: message.content.filter((b) => b.type.includes("thinking")),
      finish: message.stop_reason,
      cached: message.usage.cache_read_input_tokens,
    };
  },

  async responses(behaviour) {
    const client = new OpenAI({ baseURL: `${at(behaviour)}/v1`, apiKey: "sk-x", maxRetries: 0 });
    const stream = client.responses.stream({ model: "sim-1", input: "hello" });
    const response = await stream.finalResponse();
    return {
      text: response.output_text,
      calls: response.output.filter((i) => i.type === "function_call")
        .map((i) => ({ name: i.name, args: JSON.parse(i.arguments) })),
      thoughts: response.output.filter((i) => i.type === "reasoning"),
      finish: response.status,
      cached: response.usage?.input_tokens_details.cached_tokens,
    };
  },

  async ollama(behaviour) {
    const client = new Ollama({ host: at(behaviour) });
    const seen = { text: "", calls: [], finish: null };
    for await (const part of await client.chat({ model: "sim-1", messages, stream: true })) {
      seen.text += part.message.content;
      seen.finish = part.done_reason ?? seen.finish;
      for (const call of part.message.tool_calls ?? [])
        seen.calls.push({ name: call.function.name, args: call.function.arguments });
    }
    if (!seen.finish) throw new Error("it is not whole");
    return seen;
  },

  async gemini(behaviour) {
    const client = new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: at(behaviour) } });
    const stream = await client.models.generateContentStream({ model: "sim-1", contents: "hello" });
    const seen = { text: "", calls: [], finish: null };
    for await (const chunk of stream) {
      seen.text += chunk.text ?? "";
      for (const call of chunk.functionCalls ?? []) seen.calls.push({ name: call.name, args: call.args });
      seen.finish = chunk.candidates?.[0]?.finishReason ?? seen.finish;
      seen.cached = chunk.usageMetadata?.cachedContentTokenCount;
    }
    if (!seen.finish) throw new Error("it is not whole");
    return seen;
  },
};

const finishes = {
  chat: ["stop", "tool_calls"], anthropic: ["end_turn", "tool_use"],
  responses: ["completed", "completed"], ollama: ["stop", "stop"], gemini: ["STOP", "STOP"],
};

const checks = {};
for (const [name, read] of Object.entries(clients)) {
  checks[`${name}: text, finish and usage`] = async () => {
    for (const behaviour of ["text", "bytes", "one-write", "close-delimited"]) {
      const seen = await read(behaviour);
      assert.equal(seen.text, HELLO);
      assert.equal(seen.finish, finishes[name][0]);
      if (name !== "ollama") assert.equal(seen.cached, 16);
    }
  };
  checks[`${name}: tool calls`] = async () => {
    const seen = await read("tools");
    assert.deepEqual(seen.calls, CALLS);
    assert.equal(seen.finish, finishes[name][1]);
  };
  checks[`${name}: errors by status`] = async () => {
    for (const [behaviour, status] of [["rate-limited", 429], ["quota", 429], ["error=529", 529], ["context", 400]])
      await assert.rejects(read(behaviour), (e) => (e.status ?? e.status_code) === status);
  };
  checks[`${name}: an error inside the stream`] = async () => {
    await assert.rejects(read("error-event"), /The server had an error/);
  };
  checks[`${name}: a cut connection`] = async () => {
    await assert.rejects(read("cut"));
  };
}

checks["chat: an answer that is not streamed"] = async () => {
  const client = new OpenAI({ baseURL: `${at("whole")}/v1`, apiKey: "sk-x" });
  const whole = await client.chat.completions.create({ model: "sim-1", messages });
  assert.equal(whole.choices[0].message.content, "Not streamed.");
};
checks["anthropic: thoughts and signatures"] = async () => {
  const seen = await clients.anthropic("remember");
  assert.deepEqual(seen.thoughts, [
    { type: "thinking", thinking: 'Which file? "a"', signature: "c2ln/bmF0dXJl==" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
  ]);
};
checks["responses: encrypted reasoning"] = async () => {
  const seen = await clients.responses("remember");
  assert.equal(seen.thoughts[0].encrypted_content, "gAAAAB-opaque==");
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
