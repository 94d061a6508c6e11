// What docs/tutorials/browser.md asks its reader to press, pressed; the terminal's part is typed by tests/install/tutorial_test.py.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { content, same } from "./lib.mjs";
import { asks, card, daemon, desk, ended, here, phone, test } from "./fixture.mjs";

const page = readFileSync(join(here, "../../docs/tutorials/browser.md"), "utf8");
const labels = [...page.matchAll(/\*\*(.+?)\*\*/g)].map((found) => found[1]);

async function decisionOf(made) {
  await ended(made);
  const { payload } = (await daemon.log(made.sessionId)).find((e) => e.type === "action.resolved");
  return [payload.decision, payload.reason];
}

test("the tutorial's way through the browser, at a desk and on a phone", async () => {
  const [live, approvals, allow, again, menu, deny, reason, sure] = labels;
  const at = await desk("/live");
  await at.getByRole("heading", { name: live, level: 1 }).waitFor();
  const first = await asks("Run the tests, as the tutorial says");
  await at.locator(".live-row", { hasText: "as the tutorial says" }).waitFor();
  await at.getByRole("link", { name: approvals }).first().click();
  await card(at, "shell").getByRole("button", { name: allow }).click();
  same((await decisionOf(first))[0], "allow", "what the desk decided");
  await at.getByRole("link", { name: again }).first().click();
  await at.locator(".live-row", { hasText: "as the tutorial says" }).click();
  await at.locator(".transcript").getByText("make check").first().waitFor();
  content(at);

  const second = await asks("Run the tests, once more as the tutorial says");
  const hand = await phone("/live");
  await hand.getByRole("link", { name: menu }).first().click();
  const box = card(hand, "shell");
  await box.getByRole("button", { name: deny }).click();
  await box.getByLabel(reason).fill("one note is enough");
  await box.getByRole("button", { name: sure }).click();
  same(await decisionOf(second), ["deny", "one note is enough"], "what the phone decided");
  content(hand);
});
