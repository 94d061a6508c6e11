// Commands that outlive their call, in a live terminal.
import { check, content, same, until } from "./lib.mjs";
import { examineBoth } from "./fixture.mjs";
import { daemon, desk, done, killed, test } from "./tools_fixture.mjs";

const one = async (made) => (await daemon.call("list_processes", { sessionId: made.sessionId })).processes[0];

test("a terminal is typed into, outlives a kill of the daemon, and is stopped", async () => {
  const page = await desk("/processes");
  await page.getByText("No running processes.").waitFor();
  const made = await done("Open a terminal");
  const { processId } = await one(made);
  await page.getByRole("button", { name: "cat", exact: true }).click();
  check((await page.evaluate(() => location.hash)).includes(processId), "the choice is in the address");
  const screen = page.locator(".xterm-rows");
  await screen.waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("low tide");
  await page.keyboard.press("Enter");
  const times = async (text) => ((await screen.innerText()).replaceAll("\u00a0", " ").match(new RegExp(text, "g")) ?? []).length;
  await until("the terminal's echo and cat's answer", async () => (await times("low tide")) === 2);
  await killed(page);
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("high tide");
  await page.keyboard.press("Enter");
  await until("it continues", async () => (await times("high tide")) === 2);
  same(await times("low tide"), 2, "what was there before, once");
  await examineBoth(page, "processes", page.locator(".xterm-rows", { hasText: "high" }));
  await page.emulateMedia({ colorScheme: "dark" });
  const ground = (where) => where.evaluate((element) => getComputedStyle(element).backgroundColor);
  await until("the terminal follows the theme", async () => (await ground(page.locator(".xterm-scrollable-element"))) === "rgb(12, 16, 17)");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("No running processes.").waitFor();
  check((await one(made)).status !== "running", "it has ended");
  content(page);
});

test("a process without a terminal is given lines and the end of its input", async () => {
  const made = await done("Count lines");
  const { processId } = await one(made);
  const page = await desk(`/processes?session=${made.sessionId}&at=${processId}`);
  await page.getByLabel("Line of input").fill("3");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".xterm-rows", { hasText: "end of 3" }).waitFor();
  same(await page.locator(".xterm-rows span", { hasText: "end of 3" }).evaluate((cell) => getComputedStyle(cell).color), "rgb(200, 30, 40)", "a colour of its own");
  await page.getByRole("button", { name: "End of input" }).click();
  await page.locator(".status", { hasText: "exited" }).waitFor();
  content(page);
});
