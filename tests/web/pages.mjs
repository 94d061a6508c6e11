// Policy, routing and cost, evidence, benchmarks, and the queue over all threads.
import { check, content, go, same, until } from "./lib.mjs";
import { examineBoth, look, threadOf } from "./fixture.mjs";
import { daemon, desk, done, killed, test } from "./tools_fixture.mjs";

test("policy shows rules by source, tries a command, and takes a grant back", async () => {
  const made = await daemon.submit("Edit the tide by policy");
  const action = await until("it asks", async () => (await daemon.actions()).find((a) => a.turnId === made.turnId));
  await daemon.call("respond_action", { sessionId: made.sessionId, actionId: action.actionId, decision: "allow", scope: "session" });
  await daemon.call("set_policy", { sessionId: made.sessionId, rules: [{ id: "quiet", effect: "deny", command: ["curl"], reason: "no network here" }] });
  const page = await desk(`/policy?session=${made.sessionId}`);
  const rule = (ref) => page.locator("tr", { hasText: ref });
  check(/Deny.*git push --force.*user.*history is shared/.test(await rule("rule:user:no-force").textContent()), "a rule with effect, match, source, reason");
  check(/session/.test(await rule("rule:session:quiet").textContent()), "a rule of the session");
  same(await page.locator("tbody tr").first().locator(".badge").textContent(), "Deny", "what denies comes first");

  await page.getByLabel("Command").fill("cd src && git push --force origin main");
  await page.getByRole("button", { name: "Try a command" }).click();
  const verdict = page.locator(".verdict");
  await verdict.getByText("rule:user:no-force").first().waitFor();
  same(await verdict.locator(".badge").first().textContent(), "Deny", "the verdict");
  same(await verdict.locator(".parts li").count(), 2, "parts of the command");
  const before = (await daemon.log(made.sessionId)).length;
  await page.getByLabel("Command").fill("ls");
  await page.getByRole("button", { name: "Try a command" }).click();
  await verdict.locator(".badge", { hasText: /^Allow/ }).waitFor();
  same((await daemon.log(made.sessionId)).length, before, "trying leaves no event");

  await killed(page);
  await page.getByRole("button", { name: "Revoke" }).waitFor();
  await examineBoth(page, "policy", page.getByRole("button", { name: "Revoke" }));
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No grants beyond a single call.").waitFor();
  same((await daemon.call("list_grants", { sessionId: made.sessionId })).grants, [], "grants that are left");
  await page.getByLabel("Mode when no rule matches").selectOption("plan");
  await page.getByText("Read-only calls run; all others are denied.").waitFor();
  same((await daemon.call("list_rules", { sessionId: made.sessionId })).mode, "plan", "the mode");
  content(page);
});

test("health shows the sandbox of tools", async () => {
  await done("a word before");
  const page = await desk("/health");
  const { sandbox } = await daemon.call("get_capabilities", {});
  const box = page.locator(".card", { has: page.getByRole("heading", { name: "Sandbox" }) });
  await box.getByText("available", { exact: true }).waitFor();
  await box.getByText(sandbox.tier, { exact: true }).waitFor();
  const checks = page.locator(".card", { has: page.getByRole("heading", { name: "Checks" }) });
  for (const [id, what] of [["daemon.answers", "accepts commands"], ["sandbox", sandbox.tier], ["tools.servers", "none configured"], ["agents.remote", "none configured"]])
    await checks.locator("li", { hasText: id }).getByText(what, { exact: true }).waitFor();
  await checks.locator("li", { hasText: "providers.key" }).waitFor();
  content(page);
});

test("cost shows spend, durations and failures, and follows new turns", async () => {
  await done("a wish that is counted");
  const page = await desk("/cost");
  const { total, rows } = await daemon.call("get_usage", {});
  check(total.completed >= 1 && rows.length === 1, "a day with turns");
  const day = page.locator("tbody tr", { hasText: rows[0].key });
  await day.waitFor();
  const shown = async () => Number((await day.locator("td").nth(3).textContent()).replace(/\D/g, ""));
  const before = await shown();
  await done("a wish more");
  await until("the page counts it", async () => (await shown()) > before);
  await examineBoth(page, "cost", day);
  await page.getByLabel("Rows").selectOption("model");
  await page.locator("tbody th", { hasText: "/" }).first().waitFor();
  check(new URL(page.url()).href.includes("by=model"), "the choice is in the address");
  await page.getByLabel("Rows").selectOption("session");
  await page.locator(".plot-bars a").first().waitFor();
  content(page);
});

test("evidence checks the log, exports a pack and offers it", async () => {
  const made = await done("a wish that is proved");
  const page = await desk(`/evidence?session=${made.sessionId}`);
  await page.getByText("No evidence packs").waitFor();
  await page.getByRole("button", { name: "Verify and replay" }).click();
  await page.getByRole("status").getByText("whole", { exact: true }).waitFor();
  await page.getByRole("status").getByText("same", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Export a pack" }).click();
  const row = page.locator("tbody tr").first();
  await row.waitFor();
  const event = (await daemon.log(made.sessionId)).findLast((e) => e.type === "evidence.changed");
  check((await row.textContent()).includes(event.evidenceId), "the pack's id");
  const [file] = await Promise.all([page.waitForEvent("download"), row.getByRole("link", { name: "Download" }).click()]);
  same(file.suggestedFilename(), `${event.evidenceId}.tar.zst`, "the name of the file");
  await examineBoth(page, "evidence", row);
  content(page);
});

/** A trial that has ended, with the verifier's reward if one is given. */
async function trial(trialId, taskId, configurationId, reward, input = "a wish that is measured") {
  const benchmark = { datasetId: "tides", datasetVersion: "1", taskId, trialId, configurationId };
  const made = await daemon.call("start_benchmark_trial", { benchmark, input, model: configurationId === "b" ? "beta/small" : "alpha/large" });
  await until("the trial ends", async () => (await daemon.call("list_benchmark_trials", { trialId })).trials[0].status !== "running");
  const { sessionId } = made;
  if (reward !== undefined) await daemon.call("record_benchmark_reward", { sessionId, trialId, file: String(reward), verifierRef: "sha256:1" });
  return made;
}

test("benchmarks shows tasks by configurations, leads to the thread of a trial, and compares", async () => {
  const page = await desk("/benchmarks");
  await page.getByText("No trials yet").waitFor();
  await page.getByText("thole trial run tasks --config A.json").waitFor();
  await examineBoth(page, "benchmarks-empty", page.getByText("No trials yet"));
  const first = await trial("t-1", "fix-tide", "a", 1);
  await trial("t-2", "fix-tide", "a", 0);
  await trial("t-3", "fix-tide", "b", 1);
  await trial("t-4", "fix-tide", "b", 1);
  await trial("t-5", "name-it", "a", 0.25);
  await trial("t-6", "name-it", "b", 0.75);
  await trial("t-7", "name-it", "b");
  const cell = (task, at) => page.locator("tbody tr", { has: page.locator("th", { hasText: task }) }).locator("td").nth(at);
  // Of one repeat it says "1 without a score" too, until its reward is there.
  await cell("name-it", 1).getByText("1 of 2 scored").waitFor();
  await cell("name-it", 1).getByText("1 without a score").waitFor();
  same(await cell("fix-tide", 0).locator(".score").innerText(), "0.5 ± 0.707", "mean and spread");
  same(await cell("fix-tide", 1).locator(".score").innerText(), "1 ± 0", "mean and spread of the other");
  same(await cell("name-it", 0).locator(".score").innerText(), "0.25", "one repeat has no spread");

  await page.getByLabel("Baseline").selectOption("a");
  await page.getByRole("button", { name: "Compare", exact: true }).focus();
  await page.keyboard.press("Enter");
  const figure = (name) => page.getByRole("region", { name: "Comparison" }).locator("tr", { has: page.locator("th", { hasText: name }) }).locator("td");
  await figure("Mean reward").first().waitFor();
  const { comparison } = await daemon.call("get_benchmark_summary", { sessionId: (await daemon.call("list_benchmark_trials", { trialId: "t-5" })).trials[0].sessionId });
  const shown = (n) => n.toLocaleString("en-GB");
  same(await figure("Mean reward").allInnerTexts(), ["0.375", "0.875", `+0.5 ± ${shown(comparison.meanRewardDeltaStdErr)}`], "what the runtime computed");
  same(await figure("Without a score").allInnerTexts(), ["0", "1", ""], "trials without a score");
  same(await figure("P0 regressions").allInnerTexts(), ["", "unknown", ""], "what no quality owner reported");
  await page.getByText("What differs: model.").waitFor();
  await examineBoth(page, "benchmarks", cell("fix-tide", 0));

  await trial("t-8", "alone", "b", 1);
  await cell("alone", 1).waitFor();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("alert").getByText("the task alone has trials on one side only").waitFor();
  await page.getByRole("link", { name: "Trial t-1: 1" }).click();
  await page.locator(".trace-turn", { hasText: "a wish that is measured" }).waitFor();
  check(page.url().includes(first.sessionId), "the thread of the trial");
  content(page);
});

test("a matrix of thousands of trials names the newest and says what it leaves out", async () => {
  const page = await desk("/benchmarks");
  const ref = (i) => ({ trialId: `t-${i}`, sessionId: "sess_x", threadId: "thr_x", turnId: "turn_x", status: "completed", reward: i % 2 });
  const cells = Array.from({ length: 500 }, (_, i) => ({
    taskId: `task-${i >> 1}`, configurationId: i % 2 ? "base" : "candidate-with-a-long-name", trials: 40, running: 0, scored: 40, unscored: 0, failed: 0, meanReward: 0.5, rewardStdDev: 0.51,
    newest: Array.from({ length: 12 }, (_, k) => ref(i * 12 + k)),
  }));
  await page.route("**/v1/commands/get_benchmark_matrix", (route) => route.fulfill({ json: { datasetId: "tides", datasetVersion: "1", cells, omitted: 1200, datasets: [{ datasetId: "tides", datasetVersion: "1", trials: 21200 }], trials: 21200 } }));
  await page.reload();
  await page.getByText("1,200 more trials").waitFor();
  same(await page.locator(".trials tbody tr").count(), 250, "tasks");
  same(await page.locator(".trial-cell").first().getByText("and 28 more").count(), 1, "repeats that are not named");
  await look(page, "benchmarks-many");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator(".trial-cell").first().scrollIntoViewIfNeeded();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 390, `the page is ${width} wide: the table scrolls, not the page`);
  await look(page, "benchmarks-many-phone");
  await page.unroute("**/v1/commands/get_benchmark_matrix");
});

test("routing shows candidates, exclusions, fallbacks, and spend against caps", async () => {
  await done("a wish that costs something");
  const made = await done("a limited wish", { model: "alpha/large" });
  await done("once more", { sessionId: made.sessionId, model: "alpha/large" });
  const page = await desk(`/routing?session=${made.sessionId}`);
  const choices = page.locator(".choice-row");
  await choices.nth(1).waitFor();
  same(await choices.first().locator(".chosen-model").textContent(), "beta/small", "who was asked last");
  check(/alpha\/large.*rate limited/.test(await choices.first().textContent()), "who was excluded, and why");
  await choices.nth(1).getByText("Fallback", { exact: true }).waitFor();
  check(/alpha\/large rate limited.*beta\/small tried/.test(await choices.nth(1).locator(".chain").textContent()), "the chain that was gone down");
  await page.getByText("2 more with unknown cost").waitFor();
  await page.locator("tr", { hasText: "beta/small" }).getByText("unknown").waitFor();
  await page.locator("tr", { hasText: "alpha/large" }).getByText("rate limited").first().waitFor();
  const day = (await daemon.call("list_models", {})).budgets.find((one) => one.scope === "day");
  const gauge = page.getByRole("img", { name: /^today: / }).first();
  same(Number(await gauge.locator(".spent").getAttribute("width")).toFixed(3), ((day.spentUsd / day.capUsd) * 100).toFixed(3), "spent against the cap");
  await page.locator(".plot-bars li").first().waitFor();
  await killed(page);
  await choices.nth(1).waitFor();
  same(await choices.count(), 2, "after the kill: two choices");
  await examineBoth(page, "routing", page.locator(".choice-row"));
  content(page);
});

test("an unknown cost leads to how a price is set", async () => {
  const made = await done("a wish without a price", { model: "beta/small" });
  const page = await desk(threadOf(made));
  await page.locator(".side").getByRole("link", { name: "Set a price" }).first().click();
  const help = page.locator("details", { hasText: "Set the price of a model" });
  await help.getByText("dollars per million tokens").waitFor();
  const setting = JSON.parse(await help.locator("pre").innerText());
  same(Object.keys(setting.prices), ["beta/small"], "the model in the example");
  await help.getByText("docs/how-to/money.md").waitFor();
  await examineBoth(page, "price", help);
  content(page);
});

test("the queue over all threads is put in order, through a kill", async () => {
  const page = await desk("/queue");
  await page.getByText("The queue is empty.").waitFor();
  const made = await daemon.submit("a slow boat");
  for (const input of ["first of all", "then this", "and last"]) await daemon.submit(input, { sessionId: made.sessionId });
  const items = page.locator(".rows li");
  await until("three wait", async () => (await items.count()) === 3);
  await items.filter({ hasText: "and last" }).getByRole("button", { name: "Up" }).click();
  const order = async () => (await items.locator(".preview").allTextContents()).join();
  await until("it has moved", async () => (await order()) === "first of all,and last,then this");
  await items.filter({ hasText: "then this" }).getByRole("button", { name: "Move to front" }).click();
  await until("it is first", async () => (await order()) === "then this,first of all,and last");
  await items.filter({ hasText: "first of all" }).getByRole("button", { name: "Remove" }).click();
  await until("two are left", async () => (await order()) === "then this,and last");
  await killed(page);
  await until("in order after the kill", async () => (await order()) === "then this,and last");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const listed = await daemon.call("list_queue", { sessionId: made.sessionId });
  same(await order(), listed.queuedTurns.map((turn) => turn.preview).join(), "what the runtime says");
  await examineBoth(page, "queue", page.locator(".rows li"));
  await go(page, threadOf(made));
  await page.locator(".queue li").first().waitFor();
  content(page);
});
