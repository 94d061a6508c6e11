// One turn: its words as they come, questions answered on the way, its cost at the end.
//
//   run.js "PROMPT" [DATA_DIR]
import { local } from "thole/node";

const [prompt = "hello", dataDir] = process.argv.slice(2);
const thole = local(dataDir);
const run = await thole.run(prompt);

for await (const event of run) {
  const payload = event.payload as any;
  if (event.type === "model.delta" && payload.kind === "text") process.stdout.write(payload.text);
  if (event.type === "action.required") {
    process.stdout.write(`\n[${payload.toolName}: allowed once]\n`);
    await thole.answer(event, { decision: "allow", scope: "once" });
  }
}

const { status, costUsd } = await run.result();
console.log(`\n${status}, ${costUsd === undefined ? "cost unknown" : `$${costUsd.toFixed(4)}`}`);
process.exitCode = status === "completed" ? 0 : 1;
