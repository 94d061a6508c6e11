// Who connects and with which rights: channels and tokens.
import { check, content, DESK, enter, go, keysAtOnce, PHONE_HOST, same, until, watched } from "./lib.mjs";
import { browser, daemon, desk, ended, examine, examineBoth, look, test } from "./fixture.mjs";

// ---- channels ----

const channel = (page, text) => page.locator(".channel-row", { hasText: text });

test("channels of all sessions show who is connected, who was, and how far each has read", async () => {
  const made = await daemon.submit("something that a pad reads");
  await ended(made);
  await daemon.call("reconnect_channel", { channelId: "chan_pad", sessionId: made.sessionId, capabilities: ["permissions", "resume"] });
  await daemon.call("ack_events", { channelId: "chan_pad", sessionId: made.sessionId, sequence: 5 });
  const page = await desk("/channels");
  const row = channel(page, "chan_pad");
  await row.waitFor();
  same(await row.count(), 1, "rows of a channel that the system session records too");
  const [listed] = (await daemon.call("list_channels", { sessionId: made.sessionId })).channels;
  const told = await row.innerText();
  for (const part of ["connected", "owner", "client", listed.transport, "permissions, resume", String(listed.lag)]) check(told.includes(part), `${part} in ${told}`);
  same(await row.getAttribute("href"), `#/thread/${made.sessionId}/main`, "the thread of its session");
  await examineBoth(page, "channels", row);

  await page.getByLabel("Role", { exact: true }).selectOption("tool_server");
  await page.getByText("No channel matches these filters.").waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await row.waitFor();
  await page.getByLabel("Search account").fill("resume");
  await row.waitFor();
  check(page.url().includes("q=resume"), "the search is in the address");

  await page.getByText("Channels: 1.").waitFor();
  await page.locator("h1").click();
  await keysAtOnce(page, "j", "Enter");
  await until("the thread is opened by keys", () => page.url().includes(`/thread/${made.sessionId}/main`));

  await daemon.kill();
  await page.waitForSelector(".link.stale");
  await daemon.up();
  await page.waitForSelector(".link.live");
  await go(page, `/channels?session=${made.sessionId}&show=gone`);
  await row.getByText("disconnected").waitFor();
  await row.getByText("unknown").first().waitFor();
  await go(page, `/channels?session=${made.sessionId}&show=connected`);
  await page.getByText("No channel matches these filters.").waitFor();
  content(page);
});

test("a session without channels says so, and a failed read can be repeated", async () => {
  const made = await daemon.submit("something that no peer reads");
  await ended(made);
  const page = await desk(`/channels?session=${made.sessionId}`);
  await page.getByText("No peer has enrolled with this session.").waitFor();
  await examine(page, "channels-empty");
  await page.route("**/v1/commands/list_channels", (route) => route.fulfill({ status: 503, json: { code: "unavailable", detail: "The store is away." } }));
  await page.reload();
  await page.getByRole("alert").getByText("The store is away.").waitFor();
  await page.unroute("**/v1/commands/list_channels");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No peer has enrolled with this session.").waitFor();
  content(page);
});

test("thousands of channels are read in pages, and only a window of them is drawn", async () => {
  const page = await enter(browser, daemon, DESK);
  const count = 5000;
  // The answers of the runtime, page by page.
  await page.route("**/v1/commands/list_channels", (route) => {
    const { cursor, limit } = route.request().postDataJSON();
    const from = Number(cursor ?? 0);
    const channels = Array.from({ length: Math.min(limit, count - from) }, (_, i) => ({
      channelId: `chan_${from + i}`, sessionId: `sess_${(from + i) >> 2}`, transport: "websocket", peerRole: (from + i) % 3 ? "client" : "peer_agent", capabilities: ["permissions"],
      accountRef: `account:local:bot-${from + i}`, nativeProtocol: "a2a", lastAckedSequence: i, lag: 7, status: (from + i) % 2 ? "running" : "stale", lastSeenAt: "2026-01-01T00:00:00Z",
    }));
    return route.fulfill({ json: { channels, ...(from + limit < count ? { nextCursor: String(from + limit) } : {}) } });
  });
  await go(page, "/channels");
  await page.getByText("Channels: 1,000, and there are more.").waitFor();
  check((await page.locator(".channel-row").count()) < 120, "a window of rows");
  for (const sum of ["2,000", "3,000", "4,000"]) {
    await page.getByRole("button", { name: "Show more channels" }).click();
    await page.getByText(`Channels: ${sum}, and there are more.`).waitFor();
  }
  await page.getByRole("button", { name: "Show more channels" }).click();
  await page.getByText("Channels: 5,000.").waitFor();
  same(await page.getByRole("button", { name: "Show more channels" }).count(), 0, "buttons for more");
  check((await page.locator(".channel-row").count()) < 120, "still a window of rows");
  await page.getByLabel("Search account").fill("bot-4321");
  await page.getByText("Channels: 1.").waitFor();
  await channel(page, "bot-4321").getByText("connected").waitFor();
  await look(page, "channels-many");
});

// ---- tokens ----

const token = (page, name) => page.locator(".token-row", { has: page.locator("strong", { hasText: name }) });

/** What the daemon answers to a holder of this token. */
const asks = (secret, command, params = {}) =>
  fetch(`${daemon.url}/v1/commands/${command}`, { method: "POST", headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" }, body: JSON.stringify(params) });

test("a token is created with limits, shown once, used, and revoked after a question", async () => {
  const page = await desk("/tokens");
  await page.getByText("There is no named token.").waitFor();
  await examineBoth(page, "tokens-empty", page.getByText("There is no named token."));
  await page.getByRole("button", { name: "New token" }).click();
  const form = page.getByRole("dialog");
  await page.keyboard.type("ci/build");
  await form.getByRole("alert").getByText("A name has letters").waitFor();
  await form.getByLabel("Name").fill("ci-build");
  await form.getByLabel("administer").check();
  await form.getByRole("alert").getByText("needs all sessions and no tenant").waitFor();
  check(await form.getByRole("button", { name: "Create a token" }).isDisabled(), "admin with own sessions cannot be sent");
  await form.getByLabel("administer").uncheck();
  await form.getByLabel("write", { exact: false }).first().check();
  await form.getByLabel("Directories").fill("relative");
  await form.getByRole("alert").getByText("an absolute path").waitFor();
  await form.getByLabel("Directories").fill(daemon.work);
  await form.getByRole("textbox", { name: /^Tenant/ }).fill("red");
  await form.getByLabel("Ends after").selectOption("7");
  await examineBoth(page, "tokens-form", form);
  await form.getByRole("button", { name: "Create a token" }).click();

  const shown = page.getByRole("dialog", { name: "The token ci-build" });
  const secret = (await shown.getByLabel("The token", { exact: true }).textContent()).trim();
  check(/^tht_[0-9a-f]{64}$/.test(secret), "a token");
  await examineBoth(page, "tokens-made", shown);
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  check(await shown.isVisible(), "neither Escape nor a click beside it closes it");
  same((await asks(secret, "list_sessions")).status, 200, "the token works");
  same((await asks(secret, "list_tokens")).status, 403, "without the scope admin");
  await shown.getByRole("button", { name: "Close" }).click();

  const row = token(page, "ci-build");
  await row.waitFor();
  const told = await row.innerText();
  for (const part of ["read, write", "own sessions", "red", daemon.work, "created by owner"]) check(told.includes(part), `${part} in ${told}`);
  check(/in [67] d/.test(told), `its end in ${told}`);
  check(!(await page.content()).includes(secret), "the token is nowhere on the page");
  await page.reload();
  await row.waitFor();
  check(!(await page.content()).includes(secret), "nor after a reload");
  check(!JSON.stringify(await page.evaluate(() => ({ ...localStorage, ...sessionStorage }))).includes(secret), "nor kept by the browser");
  await examineBoth(page, "tokens", row);

  await page.getByRole("button", { name: "New token" }).click();
  await form.getByLabel("Name").fill("ci-build");
  await form.getByRole("button", { name: "Create a token" }).click();
  await form.getByRole("alert").waitFor();
  await form.getByRole("button", { name: "Close" }).click();

  await row.getByRole("button", { name: "Revoke" }).click();
  await row.getByText("Requests with ci-build are refused from now on").waitFor();
  same((await asks(secret, "list_sessions")).status, 200, "one click revokes nothing");
  await row.getByRole("button", { name: "Yes, revoke it" }).click();
  await page.getByText("There is no named token.").waitFor();
  same((await asks(secret, "list_sessions")).status, 401, "the token is revoked");
  content(page);
});

test("a thousand tokens are listed by windowing, and found by a word", async () => {
  const page = await enter(browser, daemon, DESK);
  const tokens = Array.from({ length: 1000 }, (_, i) => ({ name: `bot-${i}`, scopes: ["read"], sessions: i % 2 ? "own" : "all", state: "active", createdAt: "2026-01-01T00:00:00Z", createdBy: "owner" }));
  await page.route("**/v1/commands/list_tokens", (route) => route.fulfill({ json: { tokens } }));
  await go(page, "/tokens");
  await page.getByText("Tokens: 1,000.").waitFor();
  check((await page.locator(".token-row").count()) < 100, "a window of rows");
  await page.keyboard.press("/");
  await page.keyboard.type("bot-77");
  await page.getByText("Tokens: 11.").waitFor();
  await page.getByLabel("Search name").fill("no such");
  await page.getByText("No token matches the search.").waitFor();
});

test("a sign-in without the scope admin learns what it lacks, and no request about tokens is sent", async () => {
  const origin = `http://${PHONE_HOST}:${daemon.port}`;
  const address = daemon.cli("pair", "--lan", "--url", origin, "--name", "watcher", "-q").trim();
  const page = watched(await (await browser.newContext(DESK)).newPage(), { url: origin });
  const sent = [];
  page.on("request", (r) => /_token/.test(r.url()) && sent.push(r.url()));
  await page.goto(`${address}&to=${encodeURIComponent("/tokens")}`);
  await page.getByText("This needs the scope admin, which your sign-in does not have.").waitFor();
  same(await page.getByRole("button", { name: "New token" }).count(), 0, "no way to create one");
  same(sent, [], "requests about tokens");
  await examine(page, "tokens-no-admin");
  const { devices } = await daemon.call("list_devices", {});
  await daemon.call("revoke_device", { deviceId: devices.find((one) => one.name === "watcher").deviceId });
  await page.getByText("This device is no longer paired").waitFor();
  content(page);
});

test("the pages of access are in Chinese too", async () => {
  await daemon.call("create_token", { name: "zh", scopes: ["read", "approve"] });
  const page = await enter(browser, daemon, { ...DESK, locale: "zh-CN" }, "/tokens");
  const row = token(page, "zh");
  await row.getByText("读取, 审批").waitFor();
  await row.getByRole("button", { name: "撤销" }).click();
  await row.getByText("从现在起拒绝").waitFor();
  await page.getByRole("button", { name: "新令牌" }).click();
  await page.getByRole("dialog").getByText("对其可见的会话").waitFor();
  await examine(page, "tokens-chinese");
  await page.getByRole("dialog").getByRole("button", { name: "关闭" }).click();
  await daemon.call("revoke_token", { name: "zh" });
  content(page);
});
