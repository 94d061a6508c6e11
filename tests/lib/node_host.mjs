// Answers one line of JSON for each line of its input, until that ends: tests that need an SDK many times load it once.
import { createInterface } from "node:readline";

export async function answerLines(play) {
  for await (const line of createInterface({ input: process.stdin })) {
    let reply;
    try {
      reply = { seen: (await play(JSON.parse(line))) ?? null };
    } catch (e) {
      reply = { error: String(e?.stack ?? e) };
    }
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}
