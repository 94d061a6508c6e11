// The plan that an agent maintains with a tool: steps with a status.  Tools differ in their arguments, so any list of
// objects with a text and a status counts as a plan.

export interface Step {
  text: string;
  status: "open" | "running" | "done";
}

const WORDS = ["text", "content", "step", "title", "description"];
const DONE = new Set(["done", "completed", "complete", "finished"]);
const RUNNING = new Set(["in_progress", "running", "active", "doing"]);

function stepOf(value: unknown): Step | undefined {
  if (!value || typeof value !== "object") return undefined;
  const given = value as Record<string, unknown>;
  const word = WORDS.find((name) => typeof given[name] === "string");
  const status = given.status ?? given.done ?? given.completed;
  if (!word || (typeof status !== "string" && typeof status !== "boolean")) return undefined;
  const isDone = status === true || DONE.has(String(status));
  return { text: given[word] as string, status: isDone ? "done" : RUNNING.has(String(status)) ? "running" : "open" };
}

/** The steps in the arguments of a call; undefined if they hold no plan. */
export function planOf(args: unknown): Step[] | undefined {
  if (!args || typeof args !== "object") return undefined;
  for (const value of Object.values(args)) {
    if (!Array.isArray(value) || !value.length) continue;
    const steps = value.map(stepOf);
    if (steps.every((step) => step !== undefined)) return steps;
  }
  return undefined;
}
