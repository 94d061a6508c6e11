// A worker on the TypeScript client: claims tasks of a kind, reports progress, completes them.
//   node work.ts DATA_DIR [KIND] [MS PER WORD] [LEASE MS]     counts the words of each objective, slowly
import { work } from "thole";
import { local } from "thole/node";

const [data, kind = "count", pace = "100", lease = "2000"] = process.argv.slice(2);

const reported = await work(
  local(data),
  async (job) => {
    console.log("claimed", job.taskId);
    const words = job.objective.split(" ");
    for (const [at] of words.entries()) {
      await new Promise((resolve) => setTimeout(resolve, Number(pace)));
      await job.progress(Math.round((100 * (at + 1)) / words.length));
    }
    return `${words.length} words`;
  },
  { kind, leaseMs: Number(lease), once: true },
);
console.log("reported", reported);
