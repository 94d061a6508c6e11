// Nodes: the daemons that share a store, with two real ones on a PostgreSQL, and with answers that are rare.
import { check, content, DESK, enter, go, keysAtOnce, same, until } from "./lib.mjs";
import { browser, daemon, desk, examine, examineBoth, test } from "./fixture.mjs";
import { shared, test as sharedTest, withNode } from "./nodes_fixture.mjs";

const card = (page, name) => page.locator(".store-node", { has: page.getByRole("heading", { name, exact: true }) });
const field = (box, name) => box.locator("dl > div", { has: box.page().locator("dt", { hasText: name }) }).locator("dd");

// ---- real nodes ----

sharedTest("a node is drained from the page, which then shows that it has ended, and its work continues", async () => {
  const page = await shared.page("desk", "/nodes");
  const a = card(page, "a");
  await a.getByText("answers here", { exact: true }).waitFor();
  await withNode("b", async (node) => {
    const b = card(page, "b");
    await b.getByText("lives", { exact: true }).waitFor();
    const { sessionId } = await node.submit("approve");
    const action = await until("it asks", async () => (await node.actions())[0]);
    // One is the node's own.
    await until("the page counts the session", async () => Number(await field(b, "Sessions that it owns").textContent()) >= 2);
    for (const part of [node.url, "ago", "less than a second off", "gpu, eu-west", "/tmp", "shared"]) await b.getByText(part).first().waitFor();
    same(await page.locator(".page .warn-text").count(), 0, "warnings");
    await b.getByText("What it may use of shared limits").click();
    await b.getByRole("listitem").filter({ hasText: "model requests at once" }).waitFor();
    await b.getByRole("button", { name: "Drain", exact: true }).focus();
    await page.keyboard.press("Enter");
    await b.getByText("The other nodes continue its sessions, and its process ends.").waitFor();
    await examineBoth(page, "nodes", b.getByRole("button", { name: "Yes, drain it" }));
    await b.getByRole("button", { name: "Cancel" }).click();
    same((await shared.daemon.call("list_nodes", {})).nodes.map((one) => one.state), ["lives", "lives"], "one click drains nothing");

    await b.getByRole("button", { name: "Drain", exact: true }).click();
    await b.getByRole("button", { name: "Yes, drain it" }).click();
    await page.getByText(/^b (hands its work over|has ended)/).waitFor();
    await page.getByText("b has ended. The other nodes have its work.").waitFor();
    await until("its process ends", () => node.process.exitCode !== null);
    same(node.process.exitCode, 0, "the exit code");
    await b.waitFor({ state: "detached" });
    await page.getByLabel("Also those that ended").check();
    await b.getByText("ended", { exact: true }).waitFor();
    same(await b.getByRole("button").count(), 0, "buttons of a node that has ended");
    check(page.url().includes("ended=1"), "the switch is in the address");
    await examine(page, "nodes-ended");

    await shared.daemon.call("respond_action", { sessionId, actionId: action.actionId, decision: "allow", scope: "once" });
    await until("the other node continues its turn", async () => (await shared.daemon.log(sessionId)).some((e) => e.type === "turn.completed"));
  }, { more: { "node.labels": ["gpu", "eu-west"], "node.shared_workspaces": ["docs=/tmp"] } });
  await a.getByRole("button", { name: "Drain", exact: true }).click();
  await a.getByText("This console is served by it").waitFor();
  await a.getByRole("button", { name: "Yes, drain it" }).click();
  await a.getByRole("alert").getByText("a was not drained, because no other node can take its work").waitFor();
  await a.getByText("lives", { exact: true }).waitFor();
  content(page);
});

sharedTest("a node without an address is named with the remedy, and cannot be drained from elsewhere", async () => {
  const page = await shared.page("desk", "/nodes");
  await withNode("lonely", async (node) => {
    const lonely = card(page, "lonely");
    await lonely.getByText("Set node.address to an HTTP address").waitFor();
    same(await card(page, "a").locator(".warn-text").count(), 0, "warnings about the other one");
    await lonely.getByRole("button", { name: "Drain", exact: true }).click();
    await lonely.getByRole("button", { name: "Yes, drain it" }).click();
    await lonely.getByRole("alert").getByText("the node that answers here cannot reach it").waitFor();
    await examine(page, "nodes-unreachable");
    await node.kill();
    await go(page, "/nodes?ended=1");
    await lonely.getByText("dead", { exact: true }).waitFor();
  }, { hasAddress: false });
  content(page);
});

sharedTest("the node that serves the page is drained, and what was read last stays with its time", async () => {
  const page = await enter(shared.browser, shared.daemon, DESK, "/nodes");
  await withNode("c", async (node) => {
    await card(page, "c").waitFor();
    const a = card(page, "a");
    await a.getByRole("button", { name: "Drain", exact: true }).click();
    await a.getByRole("button", { name: "Yes, drain it" }).click();
    await page.getByText("a hands its work over to the other nodes.").waitFor();
    await until("its process ends", () => shared.daemon.process.exitCode !== null);
    await page.getByText("This is what was read at").waitFor();
    await card(page, "c").waitFor();
    await examine(page, "nodes-gone");
    const { nodes } = await node.call("list_nodes", { withEnded: true });
    same(nodes.findLast((one) => one.name === "a").state, "ended", "the node that was drained");
    // The next test finds its node again.
    await shared.daemon.up();
    await page.waitForSelector(".link.live");
    await page.getByText("This is what was read at").waitFor({ state: "detached" });
    await page.getByText("a has ended. The other nodes have its work.").waitFor();
    await card(page, "a").getByText("lives", { exact: true }).waitFor();
    same(await page.getByRole("alert").count(), 0, "failures");
  });
  content(page);
});

// ---- answers that are rare ----

const START = "2026-01-01T00:00:00Z";
const node = (name, incarnation, more = {}) => ({
  name, incarnation, address: `http://${name}.example:4141`, version: "1.2.3", revision: 40, state: "lives", isSelf: false, sessions: 3, startedAt: START, heartbeatAgeMs: 120, clockOffMs: 4, ...more,
});

/** A page of this browser whose runtime answers with these nodes; how often it was asked is in `asked`. */
async function pageWith(nodes, options = DESK, to = "/nodes") {
  const page = await enter(browser, daemon, options);
  page.asked = 0;
  await page.route("**/v1/commands/list_nodes", (route) => {
    page.asked++;
    const { withEnded } = route.request().postDataJSON();
    return route.fulfill({ json: { isShared: true, nodes: nodes.filter((one) => withEnded || one.state === "lives" || one.state === "leaving") } });
  });
  await go(page, to);
  return page;
}

test("nodes with wrong clocks and other versions are named, and each state is a word", async () => {
  const page = await pageWith([
    node("first", 7, { isSelf: true }), node("fast", 8, { clockOffMs: 3500, version: "1.3.0", revision: 41 }), node("slow", 9, { clockOffMs: -1500, state: "leaving", sessions: 12345 }),
    node("gone", 3, { state: "ended", address: undefined }), node("lost", 4, { state: "dead", heartbeatAgeMs: 7_200_000 }),
  ]);
  const fast = card(page, "fast");
  await fast.getByText("3 s ahead of the database").waitFor();
  await fast.getByText("Set the clock (NTP)").waitFor();
  await fast.getByText("41", { exact: true }).waitFor();
  const slow = card(page, "slow");
  await slow.getByText("leaving", { exact: true }).waitFor();
  await slow.getByText("1 s behind the database").waitFor();
  same(await slow.locator(".warn-text").count(), 0, "warnings about a clock that is less than two seconds off");
  same(await slow.getByRole("button").count(), 0, "buttons of a node that leaves");
  await slow.getByText("12,345").waitFor();
  await page.getByText("The nodes have different versions: 1.2.3, 1.3.0.").waitFor();
  same(await page.locator(".store-node").count(), 3, "nodes that live");
  await page.getByLabel("Also those that ended").check();
  await card(page, "lost").getByText("2 h ago").waitFor();
  await card(page, "gone").getByText("ended", { exact: true }).waitFor();
  same(await card(page, "gone").locator(".warn-text").count(), 0, "a node that has ended needs no address");
  await examineBoth(page, "nodes-rare", fast);
  content(page);
});

test("the nodes are read again every two seconds while the page is visible", async () => {
  const page = await pageWith([node("first", 1, { isSelf: true })]);
  await until("it is read again by itself", () => page.asked >= 3);
  const hide = (isHidden) => page.evaluate((to) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => to });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await hide(true);
  // One that was under way may come yet; then a clock of the same pace ticks twice without a reading.
  const ticks = (count) => page.evaluate((most) => new Promise((done) => {
    let seen = 0;
    const timer = setInterval(() => ++seen === most && (clearInterval(timer), done()), 2000);
  }), count);
  await ticks(1);
  const before = page.asked;
  await ticks(2);
  same(page.asked, before, "readings while the page is hidden");
  await hide(false);
  await until("it is read at once", () => page.asked > before);
  content(page);
});

test("what a node may use of shared limits is shown in words, and what it waits for", async () => {
  const allotments = [
    { account: "day:2026-01-02", amount: 2_500_000_000, want: 0 }, { account: "new:kind", amount: 7, want: 0 }, { account: "requests", amount: 40, want: 24 },
    { account: "tasks", amount: 3, want: 0 }, { account: "tasks:tenant:red", amount: 2, want: 0 }, { account: "tenant:red/bot", amount: 1_000_000, want: 500_000_000 },
  ];
  const page = await pageWith([node("first", 1, { isSelf: true, allotments, allotmentsLeftOut: 1000 }), node("second", 2)]);
  const first = card(page, "first");
  await first.getByText("What it may use of shared limits: 1,006").focus();
  await page.keyboard.press("Enter");
  same(await first.getByRole("listitem").allInnerTexts().then((rows) => rows.map((row) => row.replace(/\s+/g, " "))), [
    "money of 2026-01-02 $2.50", "new:kind 7", "model requests at once 40 waits for 24 more", "tasks at once 3", "tasks at once of the caller red 2",
    "money of the caller red/bot $0.0010 waits for $0.5000 more",
  ], "rows");
  await first.getByText("1,000 more were settled longer ago.").waitFor();
  same(await card(page, "second").getByText("shared limits").count(), 0, "a node without allotments");
  await examineBoth(page, "nodes-allotments", first);
  content(page);
});

test("only the newest of many ended nodes are drawn", async () => {
  const ended = Array.from({ length: 1200 }, (_, i) => node(`old-${i}`, i + 1, { state: i % 2 ? "dead" : "ended" }));
  const page = await pageWith([...ended, node("first", 5000, { isSelf: true })], DESK, "/nodes?ended=1");
  await card(page, "old-1199").waitFor();
  same(await page.locator(".store-node").count(), 51, "nodes that are drawn");
  await page.getByText("1,150 older ones are not shown").waitFor();
  content(page);
});

test("without the scope admin nothing can be drained", async () => {
  const page = await pageWith([node("first", 1, { isSelf: true }), node("second", 2)]);
  await card(page, "second").getByRole("button", { name: "Drain", exact: true }).waitFor();
  await page.route("**/v1/console/session", async (route) => route.fulfill({ json: { ...(await (await route.fetch()).json()), scopes: ["read"] } }));
  await page.reload();
  await card(page, "second").waitFor();
  same(await page.getByRole("button", { name: "Drain" }).count(), 0, "buttons");
  content(page);
});

test("on a store of one node the page says so and where to read on", async () => {
  const page = await desk("/live");
  await keysAtOnce(page, "g", "m");
  await page.getByText("This runtime is the only one on its store.").waitFor();
  await page.getByText("docs/how-to/several-nodes.md").waitFor();
  same(await page.locator(".store-node, .bar input").count(), 0, "nodes, and a switch for those that ended");
  await examineBoth(page, "nodes-alone", page.getByText("This runtime is the only one"));
  content(page);
});

test("nodes are in Chinese too", async () => {
  const page = await pageWith([node("first", 1, { isSelf: true }), node("second", 2, { address: undefined, clockOffMs: 60_000, version: "2" })], { ...DESK, locale: "zh-CN" });
  const second = card(page, "second");
  await second.getByText("运行中", { exact: true }).waitFor();
  await second.getByText("请把 node.address 设为").waitFor();
  await second.getByRole("button", { name: "腾空" }).click();
  await page.route("**/v1/commands/drain_node", (route) => route.fulfill({ status: 409, json: { code: "no_other_node", detail: "no other node lives" } }));
  await second.getByRole("button", { name: "是，腾空它" }).click();
  await second.getByRole("alert").getByText("second 没有被腾空").waitFor();
  await examine(page, "nodes-chinese");
  content(page);
});
