// Tasks by the clock.
import { check, content, same, until } from "./lib.mjs";
import { examineBoth } from "./fixture.mjs";
import { daemon, desk, killed, test } from "./tools_fixture.mjs";

const schedules = async () => (await daemon.call("list_schedules", {})).schedules;

test("a schedule is made, runs, rests, outlives a kill and is deleted", async () => {
  const page = await desk("/schedules");
  await page.getByText("No schedules yet.").waitFor();
  const make = page.getByRole("button", { name: "Create schedule" });
  await page.getByLabel("What should be achieved?").fill("count the boats");
  check(await make.isDisabled(), "without a time nothing is made");
  const cron = page.getByLabel("Minute, hour, day, month, weekday");
  await cron.fill("at dawn");
  same(await page.getByLabel("Time zone").inputValue(), await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone), "the browser's own zone is offered");
  await make.click();
  await page.getByRole("alert").getByText("is not a number").waitFor();
  same(await schedules(), [], "a bad form makes nothing");
  await cron.fill("30 8 * * mon");
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByLabel("Missed runs").selectOption("all");
  await page.getByLabel("If the previous task is still open").selectOption("queue");
  await make.click();
  const card = (name) => page.locator(".schedule", { has: page.getByRole("heading", { name, exact: true }) });
  const boats = card("count the boats");
  await boats.getByText("30 8 * * mon").waitFor();
  await boats.getByText(/, 08:30:00 Europe\/Berlin$/).waitFor();
  for (const words of ["all run", "queue the run", "never", "0 created, 0 missed, 0 skipped"]) await boats.getByText(words).waitFor();
  const [made] = await schedules();
  same([made.cron, made.timezone, made.missedPolicy, made.overlap, made.task.objective], ["30 8 * * mon", "Europe/Berlin", "all", "queue", "count the boats"], "what was made");

  await daemon.call("create_schedule", { everyMs: 1000, task: { objective: "look at the tide" } });
  const tide = card("look at the tide");
  await tide.getByText("every 1 s").waitFor();
  await tide.getByText(/[1-9]\d* created/).waitFor();
  await tide.getByRole("button", { name: "Pause" }).click();
  await tide.getByText("not scheduled").waitFor();
  await killed(page);
  await tide.getByText("paused", { exact: true }).waitFor();
  const rests = (await schedules()).find((one) => one.everyMs);
  same([rests.status, rests.runs > 0], ["paused", true], "after the kill it rests");
  await examineBoth(page, "schedules", page.locator(".schedule"));
  await tide.getByRole("button", { name: "Resume" }).click();
  await until("it runs again", async () => (await schedules()).find((one) => one.everyMs).runs > rests.runs);
  await tide.getByRole("button", { name: "Delete" }).click();
  await tide.getByRole("button", { name: "Yes, delete it" }).click();
  await until("one is left", async () => (await page.locator(".schedule").count()) === 1);
  same((await schedules()).map((one) => one.cron), ["30 8 * * mon"], "what is left");
  await boats.getByRole("button", { name: "Delete" }).click();
  await boats.getByRole("button", { name: "Yes, delete it" }).click();
  await page.getByText("No schedules yet.").waitFor();
  content(page);
});
