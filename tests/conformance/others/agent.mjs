// The smallest agent of LangGraph: one node that asks the model once.
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const ROLES = { human: "user", ai: "assistant", system: "system" };

async function answer(state) {
  const messages = state.messages.map((m) => ({ role: ROLES[m.getType()], content: m.content }));
  const reply = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "m-1", messages, stream: true }),
  });
  const frames = (await reply.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const text = frames.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "").join("");
  return { messages: [{ role: "assistant", content: text }] };
}

export const graph = new StateGraph(MessagesAnnotation).addNode("answer", answer).addEdge(START, "answer").addEdge("answer", END).compile();
