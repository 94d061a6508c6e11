// Approvals: what is decided about is readable above its buttons, and nothing is approved that was not on the screen.
import { check, content, go, same, until } from "./lib.mjs";
import { asks, BLANKS, card, daemon, desk, ended, examine, look, phone, test, threadOf } from "./fixture.mjs";

const allowOnce = (box) => box.getByRole("button", { name: "Allow once" });

/** The rectangle of an element that can be seen: inside the window and inside every box that scrolls. */
const seenOf = (locator) =>
  locator.evaluate((element) => {
    let { top, bottom } = element.getBoundingClientRect();
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowY === "visible") continue;
      const own = box.getBoundingClientRect();
      top = Math.max(top, own.top);
      bottom = Math.min(bottom, own.bottom);
    }
    return { top, bottom: Math.min(bottom, innerHeight), height: Math.max(0, Math.min(bottom, innerHeight) - Math.max(0, top)) };
  });

/** What a finger on the middle of the element would touch. */
const isOnTop = (locator) =>
  locator.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const touched = document.elementFromPoint(left + width / 2, top + height / 2);
    return (element.closest("pre") ?? element).contains(touched);
  });

/** The last line of the command stands directly above the buttons, and neither covers the other. */
async function isReadable(box, what) {
  await allowOnce(box).scrollIntoViewIfNeeded();
  const last = box.locator(".subject .command > span").last();
  const [text, button] = [await seenOf(last), await seenOf(allowOnce(box))];
  check(text.height > 10, `${what}: the end of the command is visible (${JSON.stringify(text)})`);
  check(text.bottom <= button.top, `${what}: the command ends above the buttons`);
  check((await isOnTop(last)) && (await isOnTop(allowOnce(box))), `${what}: nothing covers them`);
}

/** Presses "Show the next part" until all of it was shown; returns how often. */
async function readToEnd(box) {
  let pressed = 0;
  await until("all of it was shown", async () => {
    // The button goes with the last part, so it may be gone before a click on it.
    if (await box.evaluate((card) => (card.querySelector(".unseen button")?.click(), !!card.querySelector(".unseen")))) pressed++;
    return allowOnce(box).isEnabled();
  });
  return pressed;
}

test("on a phone the command is readable above its buttons, here and in its thread", async () => {
  const made = await asks("Run the tests on a phone");
  const page = await phone("/approvals");
  const box = card(page, "shell");
  await box.locator(".subject .command").waitFor();
  await isReadable(box, "in the list");
  const covers = await box.locator(".match").allInnerTexts();
  check(covers.some((text) => text.startsWith("tool shell")) && covers.some((text) => text.startsWith("command ")), `what a wider approval covers is shown: ${covers}`);
  await look(page, "approval-phone");
  await go(page, threadOf(made));
  const docked = page.locator(".dock .action");
  await docked.locator(".subject .command").waitFor();
  await isReadable(docked, "in the thread");
  await look(page, "approval-thread-phone");
  await allowOnce(docked).click();
  same((await ended(made)).type, "turn.completed", "it ran");
  content(page);
});

test("a long command is approved only after all of it has been on the screen", async () => {
  const made = await asks("a long command, please");
  const page = await phone(threadOf(made));
  const box = page.locator(".dock .action");
  await box.getByText("has not been on the screen yet").waitFor();
  check(await allowOnce(box).isDisabled(), "before it was read");
  // A key does not get around it, a jump to the end leaves the middle unread.
  await box.focus();
  await page.keyboard.press("y");
  await box.locator(".buttons").last().scrollIntoViewIfNeeded();
  await until("the end was seen", async () => (await seenOf(box.locator(".command > span").last())).height > 10);
  check(await allowOnce(box).isDisabled(), "after a jump to the end");
  same((await daemon.actions()).filter((a) => a.turnId === made.turnId).length, 1, "still pending");
  await look(page, "approval-unread-phone");
  check((await readToEnd(box)) > 1, "it takes several screens");
  await isReadable(box, "the long one");
  await look(page, "approval-read-phone");
  await allowOnce(box).click();
  same((await ended(made)).type, "turn.completed", "it ran");
  content(page);
});

test("arguments that are stored beside the log are read whole before they can be approved", async () => {
  const made = await asks("a stored command, please");
  const [action] = (await daemon.actions()).filter((a) => a.turnId === made.turnId);
  check(action.inputRef, "the arguments are too long for the events");
  const page = await desk("/approvals");
  const box = card(page, "shell");
  await box.getByText("make step-1999 of=a-long-command").waitFor({ state: "attached" });
  check(await allowOnce(box).isDisabled(), "before it was read");
  check((await readToEnd(box)) > 10, "it takes many screens");
  await allowOnce(box).click();
  same((await ended(made)).type, "turn.completed", "it ran");
  content(page);
});

test("what hides behind blanks is shown, also after it was edited", async () => {
  const made = await asks("a hidden command, please");
  const page = await phone("/approvals");
  const box = card(page, "shell");
  const shown = `ls <${BLANKS} blanks> ; make hidden`;
  await box.locator(".subject .command", { hasText: shown }).waitFor();
  await isReadable(box, "blanks");
  await box.getByRole("button", { name: "Edit" }).click();
  const preview = box.locator(".preview-run .command");
  await preview.filter({ hasText: shown }).waitFor();
  const field = box.getByRole("textbox", { name: "Arguments" });
  await field.fill(JSON.stringify({ command: `make quick${" ".repeat(BLANKS)}; make edited` }));
  await preview.filter({ hasText: `make quick <${BLANKS} blanks> ; make edited` }).waitFor();
  const allow = box.getByRole("button", { name: "Allow with these arguments" });
  await allow.scrollIntoViewIfNeeded();
  const [text, button] = [await seenOf(preview.locator("span").last()), await seenOf(allow)];
  check(text.height > 10 && text.bottom <= button.top, "what would run stands above the button");
  await look(page, "approval-edit-phone");
  // Much text at once was not on the screen either.
  await field.fill(JSON.stringify({ command: Array.from({ length: 200 }, (_, i) => `make n-${i}`).join("\n") }));
  await until("it is unread again", () => allow.isDisabled());
  await field.fill(JSON.stringify({ command: "make quick" }));
  await until("it can be read at a glance", () => allow.isEnabled());
  await examine(page, "approval-edit-phone-dark");
  await allow.click();
  await ended(made);
  content(page);
});

test("a card that has moved to the place of an answered one cannot be approved by the same tap", async () => {
  const [first, second] = [await asks("Run the tests, to be answered"), await asks("Run the tests, to be spared")];
  const page = await desk("/approvals");
  await page.getByText("2 pending approvals").waitFor();
  const cards = page.locator(".action");
  await until("both can be allowed", async () => (await allowOnce(cards.nth(0)).isEnabled()) && (await cards.count()) === 2);
  // Notes what the button of the second card is like when it takes the place of the first.
  await page.evaluate(() => {
    globalThis.seenAs = new Promise((done) => {
      const watch = new MutationObserver(() => {
        const left = document.querySelectorAll(".action");
        if (left.length !== 1) return;
        watch.disconnect();
        done(left[0].querySelector("button.primary").disabled);
      });
      watch.observe(document.querySelector(".cards"), { childList: true, subtree: true });
    });
  });
  daemon.cli("deny", (await daemon.actions()).find((a) => a.turnId === first.turnId).actionId);
  check(await page.evaluate(() => globalThis.seenAs), "disabled while it moves");
  await allowOnce(cards.first()).click();
  same((await ended(second)).type, "turn.completed", "allowed a moment later");
  content(page);
});

test("all listed requests are denied at once with a reason, and none can be allowed so", async () => {
  const all = [await asks("Run the tests, one"), await asks("Run the tests, two"), await asks("push three")];
  const page = await desk("/approvals");
  await page.getByText("3 pending approvals").waitFor();
  same(await page.getByRole("button", { name: /allow all|approve all/i }).count(), 0, "ways to allow all");
  await page.getByRole("button", { name: "Deny all" }).click();
  await page.getByText("All 3 listed requests are denied.").waitFor();
  await page.locator(".bar").getByLabel("Reason (sent to the model)").fill("not today");
  await examine(page, "deny-all-light");
  const late = await asks("Run the tests, late");
  await page.getByText("4 pending approvals").waitFor();
  await page.getByRole("button", { name: "Deny 4 requests" }).click();
  for (const made of [...all, late]) {
    await ended(made);
    const { payload } = (await daemon.log(made.sessionId)).find((e) => e.type === "action.resolved");
    same([payload.decision, payload.reason], ["deny", "not today"], "the answer");
  }
  await page.getByText("Done: 4").waitFor();
  content(page);
});
