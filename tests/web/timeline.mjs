// The timeline of a thread, the inspector, and the ways back and aside.
import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, content, go, same, until } from "./lib.mjs";
import { card, examine, examineBoth, look, TALL, threadOf } from "./fixture.mjs";
import { daemon, desk, done, killed, phone, test } from "./tools_fixture.mjs";

const row = (page, lane, text) => page.locator(".trace-row", { has: page.locator(`.lane-tag.lane-${lane}`), hasText: text });

/** Spans that this log has in these lanes, told by their ids. */
function spansOf(log, field, family) {
  return new Set(log.filter((e) => e.type.startsWith(family) && e[field]).map((e) => e[field])).size;
}

test("a timeline has its lanes, its waterfall, and an inspector that opens outputs by range", async () => {
  const made = await done("List the numbers");
  const page = await desk(`${threadOf(made)}?view=timeline`, TALL);
  for (const lane of ["model", "tool", "process", "sandbox", "hook", "permission", "routing", "context", "work"])
    await row(page, lane, "").first().waitFor();
  const log = await daemon.log(made.sessionId);
  same(await page.locator(".trace-row .lane-tag.lane-model").count(), spansOf(log, "modelRequestId", "model."), "requests to the model");
  same(await page.locator(".trace-row .lane-tag.lane-process").count(), spansOf(log, "processId", "process."), "commands");
  check(await row(page, "process", "seq 1 20000").evaluate((r) => r.classList.contains("depth-2")), "a command stands below its call");

  await page.getByRole("button", { name: "Waterfall" }).click();
  await page.locator(".trace-row .bar-line").first().waitFor({ state: "attached" });
  const bars = await page.locator(".trace-row .bar-line > span").evaluateAll((all) => all.map((bar) => parseFloat(bar.style.left) + parseFloat(bar.style.width)));
  check(bars.length > 8 && bars.every((end) => end <= 101) && bars.some((end) => end > 90), `bars lie within their turn: ${bars}`);
  await page.getByRole("group", { name: "Lanes" }).getByRole("button", { name: "routing" }).click();
  await until("the lane is hidden", async () => (await page.locator(".trace-row .lane-tag.lane-routing").count()) === 0);

  await row(page, "tool", "shell").click();
  const box = page.getByRole("region", { name: "Inspector" });
  await box.getByText('"command": "seq 1 20000"').first().waitFor();
  await box.getByRole("button", { name: "Refs" }).click();
  await box.getByRole("button", { name: "rawOutput" }).click();
  await box.getByText("bytes 0 to 32,768 of 108,894").waitFor();
  await box.getByRole("button", { name: "Last", exact: true }).click();
  await box.getByText("to 108,894 of 108,894").waitFor();
  check((await box.locator("pre").textContent()).trimEnd().endsWith("20000"), "the end of the output is there");
  await killed(page);
  await page.reload();
  await box.getByRole("button", { name: "Raw JSON" }).click();
  await box.getByText('"type": "tool.started"').waitFor();
  same(await row(page, "process", "seq").count(), 1, "after the kill: the command, once");
  await examine(page, "timeline-light");
  content(page);
  const dark = await phone(`${threadOf(made)}?view=timeline&bars=1`);
  await row(dark, "process", "seq").waitFor();
  await examine(dark, "timeline-phone-dark");
});

test("a bar shows what took the time of each turn and of the session", async () => {
  const made = await done("List the numbers, on time");
  await done("the word after it", { sessionId: made.sessionId });
  const page = await desk(`${threadOf(made)}?view=timeline`, TALL);
  const { session, turns } = await daemon.call("get_time_use", { sessionId: made.sessionId });
  const box = page.getByRole("region", { name: "Time of the session's turns" });
  const shown = Object.entries({ model: "modelMs", people: "peopleMs", tools: "toolMs" }).filter(([, key]) => session[key] > 0);
  for (const [name] of shown) await box.locator("li", { hasText: name }).waitFor();
  await until("each turn has its bar", async () => (await page.locator(".trace-turn .time-bar").count()) === turns.length);
  const widths = await box.locator(".time-bar > span").evaluateAll((all) => all.map((part) => part.getBoundingClientRect().width));
  const parts = ["modelMs", "peopleMs", "toolMs", "resourceMs", "runtimeMs"].map((key) => session[key]).filter((ms) => ms > 0);
  same(widths.length, parts.length, "parts of the session's bar");
  const widest = widths.indexOf(Math.max(...widths));
  // Parts that differ by a millisecond may be drawn with the same width.
  check(parts[widest] >= 0.98 * Math.max(...parts), `the widest part took the most time: ${parts}, ${widths}`);
  await examineBoth(page, "time", box);
  content(page);
});

test("a sandbox violation is shown where it happened", async () => {
  const made = await done("Escape, please");
  const page = await desk(`${threadOf(made)}?view=timeline`);
  await row(page, "sandbox", ".git/hooks/post-merge").waitFor();
  await row(page, "permission", "ask → allow").waitFor();
  await page.getByRole("button", { name: "Transcript" }).click();
  await page.locator(".note.bad", { hasText: /^The sandbox denied: .*\.git\/hooks\/post-merge/ }).waitFor();
  content(page);
});

test("a thread is rolled back, forked and compacted, and each says so", async () => {
  const made = await done("the first word");
  const second = await done("the second word", { sessionId: made.sessionId });
  await done("the third word", { sessionId: made.sessionId });
  const page = await desk(threadOf(made), TALL);
  await page.locator(`[data-key="end:${second.turnId}"]`).getByRole("button", { name: "Inspect the turn" }).click();
  await page.getByRole("button", { name: "Roll back to here" }).click();
  await page.getByText("(turns: 1)").waitFor();
  await page.getByRole("button", { name: "Yes, roll back" }).click();
  await page.locator(".removed .turn-end", { hasText: "Rolled back" }).waitFor();
  await page.locator(".note", { hasText: "Rolled back (turns: 1)" }).waitFor();
  same((await daemon.call("get_thread_read", { sessionId: made.sessionId })).history.turns, 2, "turns that are left");
  await killed(page);
  await page.locator(".removed .turn-end", { hasText: "Rolled back" }).waitFor();

  await page.getByRole("button", { name: "Compact" }).click();
  const compacted = await until("it is compacted", async () => (await daemon.log(made.sessionId)).find((e) => e.type === "context.compaction.completed"));
  const note = page.locator(".note", { hasText: "Compacted (turns: 2)" });
  await note.getByText(`${compacted.payload.tokens.before} tokens became ${compacted.payload.tokens.after}.`).click();
  await note.getByText("Numbers were listed.").waitFor();
  same(await page.locator(".item.user").count(), 3, "what people said, and nothing that they did not say");
  await look(page, "compacted");
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator(`[data-key="end:${made.turnId}"]`).getByRole("button", { name: "Inspect the turn" }).click();
  await page.getByRole("button", { name: "Fork from here" }).click();
  await page.getByText("Forked from").waitFor();
  check(!(await page.evaluate(() => location.hash)).includes(made.threadId), "the address is the fork's");
  await page.getByRole("textbox", { name: "Message" }).fill("another way");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Noted: another way").waitFor();
  content(page);
});

test("a turn is rewound with the diff of its files shown before, and its changes are undone", async () => {
  const file = join(daemon.work, "tide.txt");
  writeFileSync(file, "low\nslack\nhigh\n");
  const made = await done("the word before");
  const edit = await done("Edit the tide, then think again", { sessionId: made.sessionId });
  same(readFileSync(file, "utf8"), "low\nrising\nhigh\n", "the file");
  const page = await desk(threadOf(made), TALL);
  await page.locator(`[data-key="end:${edit.turnId}"]`).getByRole("button", { name: "Inspect the turn" }).click();
  const box = page.getByRole("region", { name: "Inspector" });
  await box.getByRole("button", { name: "Rewind before it" }).click();
  const sure = box.getByRole("group", { name: "Rewind before it" });
  await sure.locator(".removed-line", { hasText: "slack" }).waitFor();
  await sure.locator(".added", { hasText: "rising" }).waitFor();
  await examineBoth(page, "rewind", sure);
  same((await daemon.call("get_thread_read", { sessionId: made.sessionId })).history.turns, 2, "nothing has happened yet");
  await sure.getByRole("button", { name: "Undo these changes" }).click();
  await sure.getByRole("button", { name: "Yes, undo them" }).click();
  await sure.getByText("Undone, files: 1").waitFor();
  same(readFileSync(file, "utf8"), "low\nslack\nhigh\n", "the file as it was");
  const undone = (await daemon.log(made.sessionId)).filter((e) => e.type === "artifact.changed").at(-1);
  same([undone.payload.path, undone.turnId, undone.statusReason], ["tide.txt", undefined, "undo"], "what the log says about it");
  await sure.getByRole("button", { name: "Yes, take it back" }).click();
  await page.locator(".removed .turn-end", { hasText: "Rolled back" }).waitFor();
  same((await daemon.call("get_thread_read", { sessionId: made.sessionId })).history.turns, 1, "turns that are left");
  same(await page.getByRole("textbox", { name: "Message" }).inputValue(), "Edit the tide, then think again", "the message, to be edited");
  content(page);
});

test("files that a turn made, changed twice and deleted are all brought back, and a later change of a user stays", async () => {
  const [file, fresh, old] = ["tide.txt", "fresh.txt", "old.txt"].map((name) => join(daemon.work, name));
  const before = ["low\nslack\nhigh\n", "not to be lost\nwithout an end"];
  writeFileSync(file, before[0]);
  writeFileSync(old, before[1]);
  const made = await done("Rework the tide");
  same([readFileSync(file, "utf8"), existsSync(fresh), existsSync(old)], ["LOW\nslack\nHIGH\nhigher\n", true, false], "what the turn made of them");
  const page = await desk(threadOf(made), TALL);
  await page.locator(`[data-key="end:${made.turnId}"]`).getByRole("button", { name: "Inspect the turn" }).click();
  const box = page.getByRole("region", { name: "Inspector" });
  await box.getByText("Changed files: 4").waitFor();
  const undo = async () => {
    await box.getByRole("button", { name: "Undo these changes" }).click();
    await box.getByRole("button", { name: "Yes, undo them" }).click();
  };
  appendFileSync(file, "mine\n");
  writeFileSync(fresh, "mine too\n");
  await undo();
  await box.getByRole("alert").waitFor();
  same([readFileSync(file, "utf8"), readFileSync(fresh, "utf8"), existsSync(old)], ["LOW\nslack\nHIGH\nhigher\nmine\n", "mine too\n", false], "a later change of the user stays, and so does the rest");
  same(await box.locator(".typed code").innerText(), `thole undo ${made.turnId}`, "the command for such cases");
  await look(page, "undo-refused");

  writeFileSync(file, "LOW\nslack\nHIGH\nhigher\n");
  writeFileSync(fresh, "new\nwithout an end");
  await undo();
  await box.getByText("Undone, files: 3").waitFor();
  same([readFileSync(file, "utf8"), existsSync(fresh), readFileSync(old, "utf8")], [before[0], false, before[1]], "all as it was");
  content(page);
});

test("binary files and permission bits are brought back, and the page says before what happens to each file", async () => {
  const [file, made, gone] = ["tide.txt", "tide.bin", "pilot.bin"].map((name) => join(daemon.work, name));
  writeFileSync(file, "low\n", { mode: 0o644 });
  chmodSync(file, 0o644);
  writeFileSync(made, Buffer.from([0, 1, 2]));
  writeFileSync(gone, Buffer.from([0, 254, 255]), { mode: 0o600 });
  const turn = await done("Pack the tide");
  same([statSync(file).mode & 0o777, [...readFileSync(made)], existsSync(gone)], [0o755, [0, 255, 1], false], "what the turn made of them");
  const page = await desk(threadOf(turn), TALL);
  await page.locator(`[data-key="end:${turn.turnId}"]`).getByRole("button", { name: "Inspect the turn" }).click();
  const box = page.getByRole("region", { name: "Inspector" });
  const plan = box.locator(".will li");
  await plan.first().waitFor();
  same((await plan.allInnerTexts()).sort(), ["pilot.bin is created again. Its permission bits become 0600.", "tide.bin gets its earlier content.", "tide.txt gets its earlier content. Its permission bits become 0644."], "what will happen");
  await box.getByRole("button", { name: "Undo these changes" }).click();
  await box.getByRole("button", { name: "Yes, undo them" }).click();
  await box.getByText("Undone, files: 3").waitFor();
  same([statSync(file).mode & 0o777, [...readFileSync(made)], [...readFileSync(gone)]], [0o644, [0, 1, 2], [0, 254, 255]], "all as it was");
  content(page);
});

test("images of a message are chosen or pasted, and uploaded in pieces", async () => {
  const made = await done("a thread for images");
  const page = await desk(threadOf(made), TALL);
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const large = Buffer.concat([pixel, Buffer.alloc(1500000, 7)]);
  await page.getByLabel("Add images").setInputFiles([
    { name: "small.png", mimeType: "image/png", buffer: pixel },
    { name: "large.png", mimeType: "image/png", buffer: large },
    { name: "not.png", mimeType: "image/png", buffer: pixel },
  ]);
  await page.getByRole("button", { name: "Remove not.png" }).click();
  await page.getByText("large.png").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("look");
  await page.getByRole("button", { name: "Send" }).click();
  await until("the turn", async () => (await daemon.log(made.sessionId)).filter((e) => e.type === "turn.submitted").length === 2);
  const sent = (await daemon.log(made.sessionId)).filter((e) => e.type === "turn.submitted").at(-1);
  same(sent.payload.input.map((part) => [part.type, part.bytes]), [["text", 4], ["image", pixel.length], ["image", large.length]], "what was sent");
  await until("the field is empty", async () => (await page.locator(".attached").count()) === 0);
  content(page);
});

test("an approval shows the diff, the sandbox and the rule, on a phone too, through a kill", async () => {
  writeFileSync(join(daemon.work, "tide.txt"), "low\nslack\nhigh\n"); // other tests of this daemon edit it too
  const made = await daemon.submit("Edit the tide");
  const hand = await phone("/approvals");
  const asked = card(hand, "edit_file");
  await asked.locator(".added", { hasText: "rising" }).waitFor();
  await asked.locator(".removed-line", { hasText: "slack" }).waitFor();
  same(await asked.locator(".diff .kept").count(), 2, "lines that stay");
  await asked.getByText("Writes in the workspace only").waitFor();
  check((await asked.textContent()).includes(daemon.work), "the directory is shown");
  await asked.getByText("Not marked destructive").waitFor();
  await killed(hand);
  await examine(hand, "approval-diff-phone-dark");
  const page = await desk("/approvals");
  await card(page, "edit_file").locator(".added").waitFor();
  await examine(page, "approval-diff-light");
  for (const scope of ["Allow once", "For this turn", "For this session"]) await asked.getByRole("button", { name: scope }).waitFor();
  await asked.getByRole("button", { name: "For this session" }).click();
  await hand.getByText("No pending approvals.").waitFor();
  const ended = async () => (await daemon.log(made.sessionId)).filter((e) => /^(tool\.(result|failed)|turn\.(completed|failed))$/.test(e.type));
  await until("the call has ended", async () => (await ended()).length > 0);
  const [end] = await ended();
  check(end.type === "tool.result", `the file is changed: ${JSON.stringify(end)}`);
  await go(hand, threadOf(made));
  await hand.getByText("Said:").waitFor();
  content(hand);
});
