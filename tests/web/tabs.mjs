// Several tabs of one browser.
import { agrees, content, enter, same, until, watched } from "./lib.mjs";
import { browser, daemon, ended, keptPages, TALL, test, threadOf } from "./fixture.mjs";

/** Besides those of the pages that go from test to test. */
async function streams() {
  const response = await fetch(`${daemon.url}/metrics`, { headers: { Authorization: `Bearer ${daemon.token}` } });
  return Number(/^thole_event_streams (\d+)/m.exec(await response.text())[1]) - keptPages();
}

async function another(page, to) {
  const next = watched(await page.context().newPage(), daemon);
  await next.goto(`${daemon.url}/#${to}`);
  await next.waitForSelector(".link.live");
  return next;
}

test("tabs share one stream; when the one that follows closes or the daemon dies nothing is missed", async () => {
  const made = await daemon.submit("said at first");
  await ended(made);
  const first = await enter(browser, daemon, { viewport: TALL }, threadOf(made));
  const second = await another(first, threadOf(made));
  const third = await another(first, threadOf(made));
  await until("one stream for three tabs", async () => (await streams()) === 1);
  const say = (text) => daemon.submit(text, { sessionId: made.sessionId });
  await say("to all of them");
  for (const page of [first, second, third]) await page.getByText("Noted: to all of them").waitFor();
  await first.close();
  await say("after the first has gone");
  for (const page of [second, third]) await page.getByText("Noted: after the first has gone").waitFor();
  await until("one stream for two tabs", async () => (await streams()) === 1);

  await daemon.kill();
  for (const page of [second, third]) await page.waitForSelector(".link.stale");
  await daemon.up();
  for (const page of [second, third]) await page.waitForSelector(".link.live");
  await say("after the kill");
  for (const page of [second, third]) await page.getByText("Noted: after the kill").waitFor();
  const keys = (page) => page.$$eval(".transcript [data-key]", (rows) => rows.map((row) => row.getAttribute("data-key")));
  await agrees("the same rows in both", () => keys(second), () => keys(third));
  const rows = await keys(second);
  same(new Set(rows).size, rows.length, "each row once");
  same(await second.getByText(/^Noted: /).count(), 4, "every answer, once");
  content(third);
});

test("a browser that forgets everything shows the same", async () => {
  const made = await daemon.submit("said before it forgot");
  await ended(made);
  const page = await enter(browser, daemon, { viewport: TALL }, threadOf(made));
  await page.getByText("Noted: said before it forgot").waitFor();
  const rows = () => page.$$eval(".transcript [data-key]", (all) => all.map((row) => row.getAttribute("data-key")));
  const before = await rows();
  same(before.length > 0, true, "there is something to show");
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.reload();
  await page.waitForSelector(".link.live");
  await page.getByText("Noted: said before it forgot").waitFor();
  await agrees("the same rows", rows, async () => before);
  content(page);
});
