// The frame and the lists: pages in groups, threads that need a user first, many rows at once, Retry, costs, mode.
import { readFileSync } from "node:fs";
import { check, content, DESK, enter, go, same, until } from "./lib.mjs";
import { asks, browser, daemon, desk, ended, examine, examineBoth, look, phone, TALL, test, threadOf } from "./fixture.mjs";

const row = (page, title) => page.locator(".live-row", { hasText: title });
const sessionOf = async (made) => (await daemon.call("list_sessions", { limit: 200 })).sessions.find((one) => one.sessionId === made.sessionId);

// ---- the frame ----

test("pages stand in three groups, in the same order for the eye, the keyboard and a screen reader", async () => {
  const page = await desk("/live");
  const nav = page.getByRole("navigation", { name: "Pages" });
  const groups = { Work: ["Live", "Approvals", "Tasks", "Queue", "Schedules"], Fleet: ["Agents", "Jobs", "Processes", "Channels", "Peers"], System: ["Routing", "Cost", "Policy", "Logins", "Tokens", "Events", "Evidence", "Benchmarks", "Nodes", "Health"] };
  for (const [name, pages] of Object.entries(groups))
    // A link may show a number behind its name: what waits.
    same((await nav.getByRole("list", { name }).getByRole("link").allInnerTexts()).map((text) => text.split("\n")[0]), pages, name);
  await page.locator(".skip").focus();
  const reached = [];
  for (let i = 0; i < Object.values(groups).flat().length + 3; i++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.closest("nav") && document.activeElement.textContent));
  }
  same(reached.filter(Boolean), Object.values(groups).flat(), "the order of Tab");
  const tops = await nav.getByRole("link").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  same(tops, [...tops].sort((a, b) => a - b), "the order for the eye");
  same(await nav.locator("[aria-current=page]").innerText(), "Live", "the page that is open");
  content(page);

  const hand = await phone("/live");
  const bar = hand.getByRole("navigation", { name: "Pages" });
  same(await bar.getByRole("link").allInnerTexts(), ["Live", "Approvals", "Tasks"], "on a phone");
  await bar.getByRole("button", { name: "More" }).click();
  const drawer = hand.getByRole("dialog", { name: "Pages" });
  await drawer.getByRole("link", { name: "Health" }).waitFor();
  same(await drawer.getByRole("link").allInnerTexts(), Object.values(groups).flat(), "in the drawer");
  await examine(hand, "drawer-phone-dark");
  await hand.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await bar.getByRole("button", { name: "More" }).click();
  await drawer.getByRole("link", { name: "Policy" }).click();
  await hand.getByRole("heading", { level: 1, name: "Policy" }).waitFor();
  await drawer.waitFor({ state: "detached" });
  content(hand);
});

// ---- Live ----

test("threads that need a user come first, then running ones, with reason, directory and model", async () => {
  const over = await daemon.submit("over and done, in order");
  await ended(over);
  const failed = await daemon.submit("fail, in order");
  await ended(failed);
  const asking = await asks("Run the tests, in order");
  const question = await asks("ask, in order");
  const running = await daemon.submit("wait, in order");
  await ended(await daemon.submit("the latest, in order"));
  const page = await desk("/live?q=in+order", TALL);
  await row(page, "wait, in order").locator(".c-wait", { hasText: "the model" }).waitFor();
  await row(page, "Run the tests, in order").locator(".c-wait", { hasText: "an approval" }).waitFor();
  await row(page, "the latest, in order").getByText("completed").waitFor();
  const lines = await page.locator(".list-head, .live-row .title").allInnerTexts();
  same(
    lines.map((line) => line.replace(/\s+/g, " ")),
    ["Needs you 3", "ask, in order", "Run the tests, in order", "fail, in order", "Running 1", "wait, in order", "Others 2", "the latest, in order", "over and done, in order"],
    "the order",
  );
  same(await row(page, "ask, in order").locator(".c-wait").innerText().then((text) => text.split(" · ")[0]), "an answer", "why it comes first");
  same(await row(page, "fail, in order").locator(".c-wait").innerText(), "The model refuses this input.", "why it failed");
  same(await row(page, "over and done").locator(".c-dir").innerText(), daemon.work, "the directory");
  same(await row(page, "over and done").locator(".c-model").innerText(), "harbour", "the model");
  same((await sessionOf(failed)).lastModel, "scripted/harbour", "the model, in the list of the runtime");
  await examineBoth(page, "live-order", page.locator(".live-row"));
  await daemon.call("interrupt_turn", { sessionId: running.sessionId });
  check(asking.sessionId !== question.sessionId, "two sessions");
  content(page);
});

test("an old thread that needs a user is listed before five thousand others, and only a window of them is drawn", async () => {
  const page = await enter(browser, daemon, DESK);
  const rowsOf = (from, count, more) =>
    Array.from({ length: count }, (_, i) => ({
      sessionId: `sess_${from + i}`, title: `row ${from + i}`, status: "completed", profileStatus: "completed", threads: 1, pendingActions: 0, queuedTurns: 0,
      cwd: "/work", lastModel: "alpha/large", costUsd: 0.01, createdAt: "2026-01-01T00:00:00Z", updatedAt: new Date(2e12 - (from + i) * 1000).toISOString(), sequence: 1, ...more,
    }));
  const old = rowsOf(90_000, 1, { title: "old and failed", status: "failed", profileStatus: "failed", statusReason: "no key", category: "auth" });
  // The answers of the runtime, page by page: five thousand sessions take it minutes to make.
  await page.route("**/v1/sessions?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    if (query.get("status")) return route.fulfill({ json: { sessions: query.get("status") === "failed" ? old : [] } });
    const from = Number(query.get("cursor") ?? 0);
    return route.fulfill({ json: { sessions: rowsOf(from, 200), ...(from + 200 < 5000 ? { nextCursor: String(from + 200) } : {}) } });
  });
  await page.reload();
  await row(page, "old and failed").getByText("no key").waitFor();
  const first = await page.locator(".live-row .title").first().innerText();
  same(first, "old and failed", "the first row");
  const list = page.locator(".live .windowed");
  await until("all of them were read by scrolling", async () => {
    await list.evaluate((box) => (box.scrollTop = box.scrollHeight));
    return row(page, "row 4999").count();
  });
  const held = await page.locator(".live-row").count();
  check(held < 120, `${held} rows are held`);
  const frames = await list.evaluate(async (box) => {
    const took = [];
    let before = performance.now();
    for (let i = 0; i < 40; i++) {
      box.scrollTop -= 600;
      await new Promise((done) => requestAnimationFrame(done));
      took.push(performance.now() - before);
      before = performance.now();
    }
    return took.sort((a, b) => a - b).map(Math.round);
  });
  console.log(`# 5001 threads: ${held} rows held, a frame takes ${frames[20]} ms, the slowest ${frames.at(-1)} ms`);
  const start = Date.now();
  await page.getByLabel("Search title").fill("row 4321");
  await until("the filter", async () => (await page.locator(".live-row").count()) === 1);
  console.log(`# 5001 threads: filtered in ${Date.now() - start} ms`);
});

test("twenty thousand events are listed by windowing, and filtered at once", async () => {
  const page = await enter(browser, daemon, DESK);
  const count = 20_000;
  const event = (i) => ({
    type: i % 10 ? "model.delta" : "turn.submitted", eventId: `evt_${i}`, sequence: i + 1, schemaVersion: "lime-profile-0.4.0", runtimeId: "rt_x", sessionId: "sess_many",
    timestamp: "2026-01-01T00:00:00Z", payload: { text: `piece ${i}` },
  });
  const body = Array.from({ length: count }, (_, i) => JSON.stringify(event(i))).join("\n") + "\n";
  await page.route("**/v1/events?session=sess_many*", (route) => route.fulfill({ contentType: "application/x-ndjson", body }));
  const start = Date.now();
  await go(page, "/events?session=sess_many");
  await page.getByText("20,000 events").waitFor();
  const shown = Date.now() - start;
  const held = await page.locator(".event-row").count();
  check(held < 150, `${held} rows are held`);
  await page.getByLabel(/Classes/).fill("turn.submitted");
  await page.getByText("2,000 events").waitFor();
  console.log(`# ${count} events: shown after ${shown} ms, ${held} rows held, filtered after ${Date.now() - start - shown} ms`);
});

test("many threads are cancelled, archived and brought back, and the list is saved", async () => {
  const all = [];
  for (const name of ["one", "two", "=three"]) all.push(await daemon.submit(`wait, ${name} of many`));
  const done = await daemon.submit("left, of many");
  await ended(done);
  const page = await desk("/live?q=of+many", TALL);
  await until("all are listed", async () => (await page.locator(".live-row").count()) === 4);
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByLabel("Select wait, one of many").check();
  await page.getByText("1 selected").waitFor();
  await page.locator(".bulk").getByRole("button", { name: "All 4", exact: true }).click();
  await page.getByText("4 selected").waitFor();
  await page.getByLabel("Select left, of many").uncheck();
  await page.getByRole("button", { name: "Cancel 3 running" }).click();
  await page.getByText("The running turns and the queues of 3 threads end.").waitFor();
  await examineBoth(page, "bulk", page.locator(".pick"));
  await page.getByRole("button", { name: "Yes, cancel them" }).click();
  for (const made of all) same((await ended(made)).payload.outcome, "cancelled", "how it ended");
  await page.getByText("Done: 3").waitFor();

  const save = async (format) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("group", { name: "Export" }).getByRole("button", { name: format }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  };
  await until("all are cancelled", async () => (await page.locator(".live-row .status", { hasText: "cancelled" }).count()) === 3);
  const [csvName, csv] = await save("CSV");
  same([csvName, csv.split("\r\n").length], ["threads.csv", 5], "the selected rows, a head and a last line end");
  check(csv.startsWith("sessionId,title,status,"), csv);
  check(csv.includes(`,"wait, one of many",cancelled,`) && csv.includes(daemon.work), csv);
  await page.getByRole("button", { name: "Done", exact: true }).click();
  const [jsonName, json] = await save("JSON");
  const saved = JSON.parse(json);
  same([jsonName, saved.length], ["threads.json", 4], "all rows");
  const left = saved.find((one) => one.title === "left, of many");
  same([left.sessionId, left.status, left.model, left.directory], [done.sessionId, "completed", "scripted/harbour", daemon.work], "a row of it");

  await page.getByRole("button", { name: "Select" }).click();
  await page.locator(".bulk").getByRole("button", { name: "All 4", exact: true }).click();
  await page.getByRole("button", { name: "Archive 4" }).click();
  await until("none is listed", async () => (await page.locator(".live-row").count()) === 0);
  check((await sessionOf(done)).archived, "the runtime has archived it");
  await go(page, "/live?show=archived&q=of+many");
  await until("they are in the archive", async () => (await page.locator(".live-row").count()) === 4);
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByLabel("Select left, of many").check();
  await page.getByRole("button", { name: "Restore 1" }).click();
  await until("it has left the archive", async () => (await page.locator(".live-row").count()) === 3);
  await go(page, "/live?q=of+many");
  await row(page, "left, of many").waitFor();
  content(page);
});

test("a file of a list never begins a cell like a formula", async () => {
  await ended(await daemon.submit("=1+1, a formula"));
  const page = await desk("/live?q=a+formula");
  await row(page, "a formula").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  check(readFileSync(await download.path(), "utf8").includes(`"'=1+1, a formula"`), "the apostrophe");
  content(page);
});

// ---- a thread ----

test("a failed turn shows its error once, and Retry sends its message again", async () => {
  const made = await daemon.submit("fail once more");
  await ended(made);
  const page = await desk(threadOf(made), TALL);
  const error = page.getByText("The model refuses this input.");
  await error.waitFor();
  same(await error.count(), 1, "times that the error is shown");
  await page.getByText("The last turn failed; the transcript shows why.").waitFor();
  await examineBoth(page, "failed", page.getByRole("button", { name: "Retry" }));
  await page.getByRole("button", { name: "Retry" }).click();
  const turns = async () => (await daemon.log(made.sessionId)).filter((e) => e.type === "turn.submitted" && e.payload.input?.length);
  const again = await until("it was sent again", async () => (await turns())[1]);
  same(again.payload.input[0].preview, "fail once more", "the same message");
  await until("it failed again", async () => (await daemon.log(made.sessionId)).filter((e) => e.type === "turn.failed").length === 2);
  same((await daemon.call("get_thread_read", { sessionId: made.sessionId })).history.turns, 1, "turns in the history: the second replaced the first");
  await until("one Retry is left, at the last turn", async () => (await page.getByRole("button", { name: "Retry" }).count()) === 1);
  await page.locator(`[data-key="end:${again.turnId}"]`).getByRole("button", { name: "Retry" }).waitFor();
  content(page);
});

test("tokens and cost of the latest turn and of the session stand apart", async () => {
  const made = await daemon.submit("a first word to count");
  const first = await ended(made);
  const second = await ended(await daemon.submit("a second word to count", { sessionId: made.sessionId }));
  const page = await desk(threadOf(made), TALL);
  const field = (name) => page.locator(".side dl > div", { has: page.locator("dt", { hasText: name }) }).locator("dd");
  const text = (usage) => `${usage.inputTokens.toLocaleString("en-GB")} in, ${usage.outputTokens.toLocaleString("en-GB")} out`;
  const sum = { inputTokens: first.payload.usage.inputTokens + second.payload.usage.inputTokens, outputTokens: first.payload.usage.outputTokens + second.payload.usage.outputTokens };
  await field("Tokens, latest turn").getByText(text(second.payload.usage), { exact: true }).waitFor();
  await field("Tokens, session").getByText(text(sum), { exact: true }).waitFor();
  await page.locator(`[data-key="end:${made.turnId}"]`).getByText(text(first.payload.usage), { exact: true }).waitFor();
  const usd = (amount) => `$${amount.toFixed(4)}`;
  same(await field("Cost, session").innerText(), usd(first.payload.costUsd + second.payload.costUsd), "the cost of the session");
  content(page);
});

test("the mode of a session is shown and set on its page", async () => {
  const made = await daemon.submit("a session with a mode");
  await ended(made);
  const page = await desk(threadOf(made));
  const mode = page.getByLabel("Mode", { exact: true });
  await until("the mode in force", async () => (await mode.inputValue()) === "default");
  await mode.selectOption("plan");
  await page.getByText("Read-only calls run; all others are denied.").waitFor();
  same((await sessionOf(made)).permissionMode, "plan", "what the runtime says");
  await look(page, "mode");
  await daemon.call("set_mode", { sessionId: made.sessionId, mode: "auto" });
  await until("a change from elsewhere is shown", async () => (await mode.inputValue()) === "auto");
  content(page);
});

test("code has colours by language, and its text is unchanged", async () => {
  const made = await daemon.submit("Explain the tide, in colour");
  await ended(made);
  const page = await desk(threadOf(made), TALL);
  const code = page.locator(".item.agent pre.code").first();
  await code.locator(".tk-keyword", { hasText: /^int$/ }).waitFor();
  same(await code.textContent(), "int depth(void);\n* not a list", "the text");
  await examineBoth(page, "colours", page.locator(".tk-keyword"));
  content(page);
});
