// Cases of a front end with the official client: a line {name, url, token, given} gets what it saw.
// The client verifies the order of events, and fails a run that breaks it.
import { HttpAgent } from "@ag-ui/client";
import { answerLines } from "../lib/node_host.mjs";

let url, token, given; // of the case that is played, one at a time
const tools = [{ name: "weather", description: "The weather of a city.", parameters: { type: "object", properties: { city: { type: "string" } } } }];

function open(threadId) {
  return new HttpAgent({ url, threadId, headers: { Authorization: `Bearer ${token}` } });
}

async function run(agent, parameters = {}) {
  const events = [];
  const result = await agent.runAgent(parameters, { onEvent: ({ event }) => { events.push(event); } });
  return { events, result };
}

function say(agent, content) {
  agent.addMessage({ id: `m${agent.messages.length}`, role: "user", content });
}

const cases = {
  messages: async () => {
    const agent = open(given.thread);
    say(agent, "hello");
    const first = await run(agent);
    say(agent, "more");
    const second = await run(agent);
    return { first, second, messages: agent.messages };
  },
  state: async () => {
    const agent = open(given.thread);
    agent.state = given.state;
    say(agent, "plan");
    const { events } = await run(agent);
    return { events, state: agent.state };
  },
  tools: async () => {
    const agent = open(given.thread);
    say(agent, given.input ?? "weather");
    const first = await run(agent, { tools });
    for (const m of [...agent.messages].filter((m) => m.role === "assistant"))
      for (const call of m.toolCalls ?? [])
        agent.addMessage({ id: `r${call.id}`, role: "tool", toolCallId: call.id, content: `dry in ${JSON.parse(call.function.arguments).city}` });
    const second = await run(agent, { tools });
    return { first, second, messages: agent.messages };
  },
  interrupt: async () => {
    const agent = open(given.thread);
    say(agent, given.input);
    const first = await run(agent);
    const outcome = first.events.at(-1).outcome;
    const second = await run(agent, { resume: [{ interruptId: outcome.interrupts[0].id, status: given.status ?? "resolved", payload: given.payload }] });
    return { first, outcome, second, messages: agent.messages };
  },
  reopen: async () => {
    const agent = open(given.thread);
    for (const input of given.inputs) {
      say(agent, input);
      await run(agent);
    }
    const other = open(given.thread);
    const { events } = await run(other);
    return { known: agent.messages, opened: { events, messages: other.messages } };
  },
  once: async () => {
    const agent = open(given.thread);
    say(agent, given.input);
    let failure = null;
    const events = [];
    try {
      await agent.runAgent({ tools }, { onEvent: ({ event }) => { events.push(event); } });
    } catch (e) {
      failure = String(e.message ?? e);
    }
    return { events, failure, messages: agent.messages };
  },
};

await answerLines((asked) => {
  ({ url, token, given } = asked);
  return cases[asked.name]();
});
