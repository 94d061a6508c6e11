// Policy, routing and cost, and the queue over all threads.
import { check, content, go, same, until } from "./lib.mjs";
import { examineBoth, threadOf } from "./fixture.mjs";
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
  for (const [id, what] of [["daemon.answers", "accepts commands"], ["sandbox", sandbox.tier], ["tools.servers", "none configured"]])
    await checks.locator("li", { hasText: id }).getByText(what, { exact: true }).waitFor();
  await checks.locator("li", { hasText: "providers.key" }).waitFor();
  content(page);
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
