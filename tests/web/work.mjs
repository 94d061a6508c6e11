// Tasks with their graph and attempts, child agents, jobs.
import { readFileSync } from "node:fs";
import { check, content, go, same, until } from "./lib.mjs";
import { examine, examineBoth } from "./fixture.mjs";
import { daemon, desk, done, killed, test } from "./tools_fixture.mjs";


async function task(objective, more = {}) {
  return daemon.call("create_task", { objective, ...more });
}

test("tasks are listed, drawn as a graph, and tried again with a reason, through a kill", async () => {
  const page = await desk("/tasks");
  await page.getByText("No tasks yet.").waitFor();
  const build = await task("build the boat");
  const { sessionId } = build;
  const sail = await task("sail the boat", { sessionId });
  const paint = await task("paint the boat", { sessionId });
  const link = (from, to) => daemon.call("link_tasks", { sessionId, fromTaskId: from.taskId, toTaskId: to.taskId, relationship: "blocks", reason: "in this order" });
  await link(build, sail);
  await link(build, paint);
  await daemon.call("start_task", { sessionId, taskId: sail.taskId });
  await daemon.call("fail_task", { sessionId, taskId: build.taskId, error: { category: "environment", message: "no planks" } });
  const row = (text) => page.locator(".task-row", { hasText: text });
  await row("build the boat").locator(".status", { hasText: "failed" }).waitFor();
  await row("sail the boat").locator(".status", { hasText: "blocked" }).waitFor();
  await page.getByRole("button", { name: "Problems" }).click();
  await until("only the failed one", async () => (await page.locator(".task-row").count()) === 1);
  check((await page.evaluate(() => location.hash)).includes("show=trouble"), "the filter is in the address");
  await page.getByRole("button", { name: "All", exact: true }).click();
  await row("paint the boat").waitFor();
  await examineBoth(page, "tasks", page.locator(".task-row"));

  await page.getByRole("button", { name: "Graph" }).click();
  await page.locator(".node", { hasText: "build the boat" }).waitFor();
  same(await page.locator(".node").count(), 3, "tasks in the graph");
  same(await page.locator(".graph-edge").count(), 2, "edges in the graph");
  const [left, right] = await Promise.all(["build", "sail"].map(async (word) => (await page.locator(".node", { hasText: word }).boundingBox()).x));
  check(left < right, "what blocks stands before what it blocks");
  await examineBoth(page, "tasks-graph", page.locator(".node"));
  await page.locator(".node", { hasText: "build the boat" }).click();
  const detail = page.getByRole("region", { name: "Task" });
  await detail.getByText("no planks").first().waitFor();
  await killed(page);
  await detail.getByText("no planks").first().waitFor();
  await examine(page, "task-light");

  await detail.getByRole("button", { name: "Retry" }).click();
  await detail.getByLabel("Reason for the retry").fill("planks have come");
  await detail.locator("form").getByRole("button", { name: "Retry" }).click();
  await detail.locator(".status", { hasText: "completed" }).first().waitFor();
  const known = await daemon.call("get_task", { sessionId, taskId: build.taskId });
  await until("every attempt is shown", async () => (await detail.locator(".attempts li").count()) === known.task.attempts.length);
  await go(page, `/tasks?at=${sail.taskId}&of=${sessionId}`);
  await row("sail the boat").locator(".status", { hasText: "completed" }).waitFor();
  await page.getByLabel("What should be achieved?").fill("moor the boat");
  await page.getByRole("button", { name: "Start" }).click();
  await row("moor the boat").locator(".status", { hasText: "completed" }).waitFor();
  content(page);
});

test("many tasks are cancelled and archived, and the list is saved", async () => {
  const made = [];
  for (const name of ["one", "two", "three"]) made.push(await task(`drop anchor ${name}`, made.length ? { sessionId: made[0].sessionId } : {}));
  const { sessionId } = made[0];
  const page = await desk(`/tasks?session=${sessionId}`);
  await until("all are listed", async () => (await page.locator(".task-row").count()) === 3);
  await page.getByRole("button", { name: "Select" }).click();
  await page.locator(".bulk").getByRole("button", { name: "All 3", exact: true }).click();
  await page.getByRole("button", { name: "Cancel 3 running" }).click();
  await page.getByRole("button", { name: "Yes, cancel them" }).click();
  await until("all are cancelled", async () => (await page.locator(".task-row .status", { hasText: "cancelled" }).count()) === 3);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "JSON" }).click()]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  same(saved.map((one) => [one.title, one.status]).sort(), ["one", "three", "two"].map((name) => [`drop anchor ${name}`, "cancelled"]), "the file");
  await page.getByRole("button", { name: "Archive 3" }).click();
  await until("all are archived", async () => (await page.locator(".task-row .status", { hasText: "archived" }).count()) === 3);
  await examineBoth(page, "tasks-bulk", page.locator(".pick"));
  content(page);
});

test("child agents stand in a tree, are spoken to and closed, through a kill", async () => {
  const made = await task("survey the coast");
  const ids = { sessionId: made.sessionId };
  const bounds = { prompt: "own", workspace: "shared", tools: ["read_file", "search"], permissionMode: "default", memory: "none" };
  const ann = await daemon.call("spawn_subagent", { ...ids, parentThreadId: made.threadId, role: "reader", nickname: "Ann", input: "look", isolation: bounds });
  await daemon.call("spawn_subagent", { ...ids, parentThreadId: ann.threadId, role: "counter", nickname: "Bo", input: "count" });
  const page = await desk(`/agents?session=${made.sessionId}`);
  await page.locator(".tree .tree").getByRole("link", { name: "Bo", exact: true }).waitFor();
  same(await page.locator(".agent").count(), 2, "agents");
  // By the whole name: an id on another card may hold these letters.
  const agent = (name) => page.locator(".agent", { has: page.getByRole("link", { name, exact: true }) });
  const first = agent("Ann");
  await first.getByText("read_file, search").waitFor();
  await first.getByLabel("Message to Ann").fill("what do you see?");
  await first.getByRole("button", { name: "Send" }).click();
  await until("she has answered", async () => (await daemon.log(made.sessionId)).filter((e) => e.type === "subagent.completed" && e.subagentId === ann.subagentId).length === 2);
  await first.getByRole("button", { name: "Last message" }).click();
  await first.getByText("Noted: what do you see?").waitFor();
  await killed(page);
  await examineBoth(page, "agents", page.locator(".agent"));
  await agent("Bo").getByRole("button", { name: "Close" }).click();
  await agent("Bo").locator(".status", { hasText: "closed" }).waitFor();
  const { subagents } = await daemon.call("list_subagents", { ...ids, descendants: true });
  same(subagents.map((agent) => agent.status).sort(), ["closed", "completed"], "what the runtime says");
  content(page);
});

test("a job shows its items, opens an output, and one failed item is tried again", async () => {
  const page = await desk("/jobs");
  await page.getByText("No jobs yet.").waitFor();
  const made = await daemon.call("create_job", { instruction: "Count it.", items: ["one", "two", "break it", "four"], concurrency: 2, maxAttempts: 1 });
  await page.getByRole("img", { name: "3 done, 1 failed, 0 running, of 4" }).waitFor();
  await go(page, `/jobs?at=${made.jobId}`);
  const item = (index) => page.locator(".item-row").nth(index);
  await item(2).getByText("not this one").waitFor();
  same(await page.locator(".item-row").count(), 4, "items");
  await item(0).getByRole("button", { name: "Output" }).click();
  await item(0).locator("pre").getByText("Noted:").waitFor();
  await killed(page);
  await examineBoth(page, "jobs", page.locator(".item-row"));
  await page.getByRole("combobox", { name: "Items" }).selectOption("failed");
  await until("one of four", async () => (await page.locator(".item-row").count()) === 1);
  await page.locator(".item-row").getByRole("button", { name: "Retry" }).click();
  await page.getByText("2 attempts").waitFor();
  const log = await daemon.log(made.sessionId);
  same(log.filter((e) => e.type === "job.item.started").length, 5, "only the one ran again");
  content(page);
});

test("a session is deleted after a question", async () => {
  const kept = await done("plain");
  const { sessionId } = await done("plain");
  const page = await desk(`/thread/${sessionId}/main`);
  const side = page.getByRole("complementary", { name: "Details" });
  await side.getByRole("button", { name: "Delete session" }).click();
  await side.getByText("This cannot be undone.").waitFor();
  await examineBoth(page, "delete", side);
  await side.getByRole("button", { name: "Cancel" }).click();
  same((await daemon.call("get_session", { sessionId })).sessionId, sessionId, "nothing is deleted before the answer");
  await side.getByRole("button", { name: "Delete session" }).click();
  await side.getByRole("button", { name: "Yes, delete it" }).click();
  await page.waitForURL(/\/live/);
  await until("it is gone", async () => !(await daemon.call("list_sessions", {})).sessions.some((row) => row.sessionId === sessionId));
  check((await daemon.call("list_sessions", {})).sessions.some((row) => row.sessionId === kept.sessionId), "the other one stays");
  await page.locator(`a[href*="${sessionId}"]`).waitFor({ state: "detached" });
  await desk(`/thread/${sessionId}/main`).then((again) => again.getByText("was deleted").first().waitFor());
  content(page);
});
