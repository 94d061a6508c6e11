// Cases of clients from npm: a line {name, url, token, given} gets what the client saw.
import OpenAI from "openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, stepCountIs, streamText, jsonSchema, tool } from "ai";
import { answerLines } from "../lib/node_host.mjs";

let baseURL, apiKey, given, client; // of the case that is played, one at a time
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const chatTool = { type: "function", function: { name: "weather", description: "The weather of a city.", parameters } };
const responsesTool = { type: "function", name: "weather", description: "The weather of a city.", parameters, strict: true };

async function all(stream) {
  const out = [];
  for await (const part of stream) out.push(part);
  return out;
}

function aiSdk() {
  const provider = createOpenAICompatible({ name: "thole", baseURL, apiKey, includeUsage: true });
  const calls = [];
  const weather = tool({ description: "The weather of a city.", inputSchema: jsonSchema(parameters),
    execute: async ({ city }) => { calls.push(city); return `dry in ${city}`; } });
  return { model: provider("thole"), tools: { weather }, stopWhen: (isStepCount ?? stepCountIs)(4), calls };
}

const cases = {
  models: async () => (await client.models.list()).data,
  chat: async () => await client.chat.completions.create({ model: "thole", messages: [{ role: "user", content: "hello" }] }),
  chat_stream: async () => await all(await client.chat.completions.create({ model: "thole", stream: true, stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hello" }] })),
  chat_runner: async () => {
    const calls = [];
    const runner = client.chat.completions.runTools({ model: "thole", messages: [{ role: "user", content: "weather" }],
      tools: [{ type: "function", function: { name: "weather", parameters, parse: JSON.parse,
        function: async ({ city }) => { calls.push(city); return `dry in ${city}`; } } }] });
    return { text: await runner.finalContent(), calls };
  },
  chat_image: async () => await client.chat.completions.create({ model: "thole", messages: [{ role: "user", content: [
    { type: "text", text: "hello" }, { type: "image_url", image_url: { url: given.url } }] }] }),
  responses: async () => {
    const r = await client.responses.create({ model: "thole", input: "hello" });
    return { r, text: r.output_text };
  },
  responses_stream: async () => await all(await client.responses.create({ model: "thole", input: "hello", stream: true })),
  responses_helper: async () => {
    const stream = client.responses.stream({ model: "thole", input: "hello" });
    const final = await stream.finalResponse();
    return { text: final.output_text, status: final.status };
  },
  responses_tools: async () => {
    const first = await client.responses.create({ model: "thole", input: "weather", tools: [responsesTool] });
    const call = first.output.find((i) => i.type === "function_call");
    const second = await client.responses.create({ model: "thole", previous_response_id: first.id, tools: [responsesTool],
      input: [{ type: "function_call_output", call_id: call.call_id, output: `dry in ${JSON.parse(call.arguments).city}` }] });
    const third = await client.responses.create({ model: "thole", previous_response_id: second.id, input: "hello" });
    return { first, second, third };
  },
  responses_tools_whole: async () => {
    // The whole conversation again, without an id: clients that keep it themselves.
    const input = [{ role: "user", content: "weather" }];
    const first = await client.responses.create({ model: "thole", input, tools: [responsesTool], store: false });
    input.push(...first.output);
    for (const call of first.output.filter((i) => i.type === "function_call"))
      input.push({ type: "function_call_output", call_id: call.call_id, output: "dry" });
    const second = await client.responses.create({ model: "thole", input, tools: [responsesTool], store: false });
    return { first, second };
  },
  responses_begin: async () => await client.responses.create({ model: "thole", input: given.input, tools: given.tools ? [responsesTool] : undefined }),
  responses_answer: async () => await client.responses.create({ model: "thole", previous_response_id: given.id, input: given.input }),
  responses_approval: async () => {
    const first = await client.responses.create({ model: "thole", input: "publish" });
    const asked = first.output.find((i) => i.type === "mcp_approval_request");
    const second = await client.responses.create({ model: "thole", previous_response_id: first.id,
      input: [{ type: "mcp_approval_response", approval_request_id: asked.id, approve: given.approve }] });
    return { first, asked, second };
  },
  background: async () => {
    let r = await client.responses.create({ model: "thole", input: given.input, background: true });
    const seen = [r.status];
    while (r.status === "queued" || r.status === "in_progress") {
      if (given.cancel) r = await client.responses.cancel(r.id);
      else r = await client.responses.retrieve(r.id);
      if (seen.at(-1) !== r.status) seen.push(r.status);
    }
    return { seen, r };
  },
  conversation: async () => {
    const made = await client.conversations.create({ metadata: { topic: "demo" } });
    const first = await client.responses.create({ model: "thole", conversation: made.id, input: "hello" });
    const second = await client.responses.create({ model: "thole", conversation: { id: made.id }, input: "more" });
    const shown = await client.conversations.retrieve(made.id);
    const parts = await all(await client.responses.create({ model: "thole", conversation: made.id, input: "hello", stream: true }));
    return { made, first, second, shown, last: parts.at(-1) };
  },
  items: async () => {
    const status = async (f) => { try { return (await f()) ?? 200; } catch (e) { return [e.status, e.code, e.param]; } };
    const made = await client.conversations.create({ metadata: { topic: "demo" } });
    const empty = await client.conversations.items.list(made.id);
    await client.responses.create({ model: "thole", conversation: made.id, input: "hello" });
    const r = await client.responses.create({ model: "thole", conversation: made.id, input: "weather", tools: [responsesTool] });
    const calls = r.output.filter((i) => i.type === "function_call");
    await client.responses.create({
      model: "thole", previous_response_id: r.id, tools: [responsesTool],
      input: calls.map((c) => ({ type: "function_call_output", call_id: c.call_id, output: "dry" })),
    });
    await client.responses.create({ model: "thole", conversation: made.id, input: given.long });
    const every = async (query) => { const all = []; for await (const i of client.conversations.items.list(made.id, query)) all.push(i); return all; };
    const ascending = await every({ order: "asc", limit: 2 }), descending = await every({ limit: 3 });
    const one = await client.conversations.items.retrieve(ascending[1].id, { conversation_id: made.id });
    return {
      made, empty: empty.data, ascending, descending, one, output: r.output,
      first: await (async () => { const p = await client.conversations.items.list(made.id, { limit: 1 }); return { ids: p.data.map((i) => i.id), more: p.has_more, last: p.last_id }; })(),
      updated: await client.conversations.update(made.id, { metadata: { topic: "other", by: "me" } }),
      shown: await client.conversations.retrieve(made.id),
      refused: [
        await status(() => client.conversations.items.create(made.id, { items: [{ role: "user", content: "x" }] })),
        await status(() => client.conversations.items.delete(ascending[0].id, { conversation_id: made.id })),
        await status(() => client.conversations.items.retrieve("msg_x", { conversation_id: made.id })),
        await status(() => client.conversations.items.list("conv_sess_x")),
        await status(() => client.conversations.items.list(made.id, { after: "msg_x" })),
        await status(() => client.conversations.items.list(made.id, { limit: 101 })),
        await status(() => client.conversations.items.list(made.id, { order: "up" })),
        await status(() => client.conversations.update(made.id, { metadata: { topic: 7 } })),
        await status(() => client.conversations.update(made.id, { metadata: Object.fromEntries([...Array(17).keys()].map((n) => ["k" + n, "v"])) })),
        await status(() => client.conversations.update("conv_sess_x", { metadata: {} })),
      ],
    };
  },
  deletion: async () => {
    const status = async (f) => { try { return (await f()) ?? 200; } catch (e) { return [e.status, e.code]; } };
    const alone = await client.responses.create({ model: "thole", input: "hello" });
    const first = await client.responses.create({ model: "thole", input: "hello" });
    const second = await client.responses.create({ model: "thole", previous_response_id: first.id, input: "more" });
    return {
      alone: await status(() => client.responses.delete(alone.id)),
      gone: await status(() => client.responses.retrieve(alone.id)),
      notAlone: await status(() => client.responses.delete(first.id)),
      whole: await status(() => client.conversations.delete(second.conversation.id)),
      conversation: second.conversation.id,
      all: [await status(() => client.responses.retrieve(first.id)), await status(() => client.conversations.retrieve(second.conversation.id)),
        await status(() => client.responses.create({ model: "thole", conversation: second.conversation.id, input: "x" }))],
    };
  },
  resume: async () => {
    // Reads two events, leaves, and continues behind them.
    const stream = await client.responses.create({ model: "thole", input: "hello", stream: true });
    const before = [];
    let id;
    for await (const part of stream) {
      before.push(part);
      id ??= part.response?.id;
      if (before.length === 4) break;
    }
    const after = await all(await client.responses.retrieve(id, { stream: true, starting_after: before.at(-1).sequence_number }));
    const whole = await all(await client.responses.retrieve(id, { stream: true }));
    return { before, after, whole };
  },
  ai_generate: async () => {
    const { calls, ...options } = aiSdk();
    const r = await generateText({ ...options, prompt: "weather" });
    return { text: r.text, steps: r.steps.length, calls };
  },
  ai_stream: async () => {
    const { calls, ...options } = aiSdk();
    const r = streamText({ ...options, prompt: "weather" });
    let text = "";
    for await (const piece of r.textStream) text += piece;
    return { text, calls, usage: await r.totalUsage };
  },
  error: async () => {
    try {
      await client.chat.completions.create({ model: "thole", messages: [{ role: "user", content: given.input }] });
    } catch (e) {
      return { status: e.status, code: e.code, message: e.message, kind: e.constructor.name };
    }
    return {};
  },
};

await answerLines((asked) => {
  [baseURL, apiKey, given] = [asked.url, asked.token, asked.given];
  client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  return cases[asked.name]();
});
