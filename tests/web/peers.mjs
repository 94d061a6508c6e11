// Peers and logins, with an agent on the official SDK and a tool server behind a real authorization server.
import { check, content, DESK, enter, go, same, until } from "./lib.mjs";
import { examine, examineBoth } from "./fixture.mjs";
import { agent, browser, changing, daemon, desk, guarded, hasForms, test } from "./peers_fixture.mjs";

const card = (page, name) => page.locator(".card", { has: page.getByRole("heading", { name, exact: true }) });

async function delegate(objective) {
  const { sessionId } = await daemon.call("create_session", {});
  const { taskId } = await daemon.call("create_task", { sessionId, objective });
  await daemon.call("start_task", { sessionId, taskId, worker: { kind: "peer", ref: "reviewer" } });
  return { sessionId, taskId };
}

test("remote agents show card and state, and their delegations lead to the task and to the question", async () => {
  const page = await desk("/peers");
  const reviewer = card(page, "reviewer");
  await reviewer.getByText("card not read yet").waitFor();
  await reviewer.getByText("No delegation is under way.").waitFor();
  const asking = await delegate("ask which way");
  const hanging = await delegate("hang around");
  await reviewer.getByText("Delegations under way: 2").waitFor();
  await reviewer.getByText("ready", { exact: true }).waitFor();
  for (const part of ["foreign 1", "X-Team", "peer__reviewer", "Reviews changes."]) await reviewer.getByText(part).first().waitFor();
  check(!(await page.content()).includes("blue"), "values of headers are not shown");
  const row = reviewer.getByRole("listitem").filter({ hasText: "ask which way" });
  await row.getByRole("link", { name: "Answer its question" }).waitFor();
  await page.getByRole("button", { name: "Read the cards now" }).click();
  await card(page, "missing").getByText("not usable").waitFor();
  await examineBoth(page, "peers", row);
  await row.getByRole("link", { name: "ask which way" }).click();
  await until("the task is open", () => page.url().includes(asking.taskId));

  const { actions } = await daemon.call("list_actions", { status: "pending" });
  await daemon.call("respond_action", { sessionId: asking.sessionId, actionId: actions.find((one) => one.taskId === asking.taskId).actionId, decision: "answer", payload: { answer: "left" } });
  await daemon.call("cancel_task", hanging);
  await go(page, "/peers");
  await reviewer.getByText("No delegation is under way.").waitFor();
  content(page);
}, agent);

test("a changed card is shown as such until it is approved", async () => {
  const page = await desk("/peers");
  const painter = card(page, "painter");
  await page.getByRole("button", { name: "Read the cards now" }).click();
  await painter.getByText("ready", { exact: true }).waitFor();
  changing.version = "2";
  await until("the runtime has read the changed card", async () => {
    const { peers } = await daemon.call("list_peers", { name: "painter", check: true });
    return peers[0].status === "card_changed";
  });
  await page.getByRole("button", { name: "Read the cards now" }).click();
  await painter.getByText("card changed", { exact: true }).waitFor();
  await painter.getByText("The next delegation asks").waitFor();
  await examine(page, "peers-changed");
  await go(page, "/health");
  await page.getByRole("listitem").filter({ hasText: "agents.remote" }).getByText("painter: card changed").waitFor();
  await page.getByText("thole peer show missing").waitFor();
  content(page);
});

test("the runtime's own endpoints show their addresses, and the setting of those that are off", async () => {
  const page = await desk("/peers");
  const row = (name) => page.locator("tbody tr", { hasText: name });
  await row("JSONRPC").getByText("https://agents.example/a2a", { exact: true }).waitFor();
  await row("HTTP+JSON").getByText("https://agents.example/a2a/v1", { exact: true }).waitFor();
  await row("MCP").getByText(`${daemon.url}/mcp`, { exact: true }).waitFor();
  await row("OpenAI").getByText('"openai.enabled": true').waitFor();
  await row("AG-UI").getByText('"agui.enabled": true').waitFor();
  same((await fetch(`${daemon.url}/mcp`, { method: "POST" })).status !== 404, true, "what is enabled is served");
  same((await fetch(`${daemon.url}/ag-ui`, { method: "POST", headers: { Authorization: `Bearer ${daemon.token}` } })).status, 404, "what is off is not");
  content(page);
});

/** What a person's browser does elsewhere: follows the pages, agrees, and ends at the redirect address, which it cannot open. */
async function lastPage(url, redirectUri) {
  const cookies = new Map();
  for (let hops = 0; hops < 20; hops++) {
    if (url.startsWith(redirectUri)) return url;
    const reply = await fetch(url, { redirect: "manual", headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") } });
    for (const [, name, value] of reply.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*)/.exec(line))) value ? cookies.set(name, value) : cookies.delete(name);
    url = new URL(reply.headers.get("location"), url).href;
  }
  throw new Error(`too many redirects: ${url}`);
}

test("a login is begun, finished with a pasted address, and ended after a question", async () => {
  const page = await desk("/logins");
  const opened = [];
  page.context().on("page", (one) => opened.push(one.url()));
  const tickets = card(page, "tickets");
  await tickets.getByText("not signed in").waitFor();
  await examineBoth(page, "logins", tickets);
  await tickets.getByRole("button", { name: "Log in" }).click();
  const address = (await tickets.getByLabel("Page of the authorization server").textContent()).trim();
  check(new URL(address).searchParams.get("code_challenge_method") === "S256", address);
  same(await tickets.getByRole("link", { name: "Open it in a new tab" }).getAttribute("href"), address, "the link");
  await tickets.getByText("login under way").waitFor();
  await examineBoth(page, "logins-open", tickets);
  same(opened, [], "pages that were opened without being asked for");

  const redirect = new URL(address).searchParams.get("redirect_uri");
  await tickets.getByLabel("paste its address").fill(`${redirect}?code=wrong&state=wrong`);
  await tickets.getByRole("button", { name: "Finish the login" }).click();
  await tickets.getByRole("alert").waitFor();
  await page.reload();
  await tickets.getByRole("button", { name: "Show the page again" }).click();
  same((await tickets.getByLabel("Page of the authorization server").textContent()).trim(), address, "a wrong address changes nothing");
  await tickets.getByLabel("paste its address").fill(await lastPage(address, redirect));
  await tickets.getByRole("button", { name: "Finish the login" }).click();
  await tickets.getByText("signed in", { exact: true }).waitFor();
  await tickets.getByText("ready", { exact: true }).waitFor();
  const listed = async () => (await daemon.call("list_tool_servers", {})).servers.find((one) => one.name === "tickets");
  same([(await listed()).signedIn, (await listed()).status], [true, "ready"], "what the runtime says");

  await tickets.getByRole("button", { name: "Log out" }).click();
  same((await listed()).signedIn, true, "one click ends nothing");
  await tickets.getByRole("button", { name: "Yes, log out" }).click();
  await tickets.getByText("not signed in").waitFor();
  content(page);
}, guarded);

test("a login that the browser finishes on this machine is noticed", async () => {
  const page = await desk("/logins");
  const tickets = card(page, "tickets");
  await tickets.getByRole("button", { name: /^Log in|^Show the page/ }).click();
  const address = (await tickets.getByLabel("Page of the authorization server").textContent()).trim();
  const context = await browser.newContext();
  const person = await context.newPage();
  await person.goto(address);
  await person.getByText("received the login").waitFor();
  await tickets.getByText("signed in", { exact: true }).waitFor();
  await context.close();
  content(page);
}, guarded);

test("without the scope approve a login is shown and cannot be changed", async () => {
  const page = await enter(browser, daemon, DESK);
  await page.route("**/v1/console/session", async (route) => route.fulfill({ json: { ...(await (await route.fetch()).json()), scopes: ["read"] } }));
  await page.reload();
  await go(page, "/logins");
  const tickets = card(page, "tickets");
  await tickets.getByText("This needs the scope approve").waitFor();
  same(await tickets.getByRole("button").count(), 0, "buttons");
  content(page);
}, guarded);

test("prompts of tool servers are commands of the message field", async () => {
  const made = await daemon.submit("hello");
  await until("the server offers its prompts", async () => (await daemon.call("list_extensions", { cwd: daemon.work, kind: "command" })).extensions.some((one) => one.name === "notes:review"));
  const page = await desk(`/thread/${made.sessionId}/${made.threadId}`);
  const field = page.getByLabel("Message", { exact: true });
  const list = page.getByRole("list", { name: "Commands" });
  const inputs = async () => (await daemon.log(made.sessionId)).filter((e) => e.type === "turn.submitted").map((e) => e.payload.input[0].preview);
  await field.fill("/");
  await list.getByText("/notes:review").waitFor();
  await examineBoth(page, "slash", list);
  await field.fill("/rev");
  await until("only those that match", async () => (await list.getByRole("listitem").count()) === 1);
  await field.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("the chosen command is in the field", async () => (await field.inputValue()) === "/notes:review ");
  await page.keyboard.type("alpha.c");
  await page.keyboard.press("Control+Enter");
  await until("the text of the prompt was sent", async () => (await inputs())[1]?.startsWith("Review alpha.c in a plain tone."));
  await until("the field is empty again", async () => (await field.inputValue()) === "");

  await field.fill("/notes:nothing");
  await until("no command has that name", async () => (await list.count()) === 0);
  await page.keyboard.press("Control+Enter");
  await page.locator(".composer").getByRole("alert").waitFor();
  same(await field.inputValue(), "/notes:nothing", "what was typed stays");
  for (const words of ["/nothing of that kind", "/etc/hosts is a file"]) {
    await field.fill(words);
    await page.keyboard.press("Control+Enter");
    await until("an ordinary message is sent as it is", async () => (await inputs()).at(-1) === words);
  }
  content(page);
}, guarded);

test("peers and logins are in Chinese too", async () => {
  const page = await enter(browser, daemon, { ...DESK, locale: "zh-CN" }, "/peers");
  await card(page, "painter").waitFor();
  await page.getByText("其他程序如何访问此运行时").first().waitFor();
  await examine(page, "peers-chinese");
  await go(page, "/logins");
  await page.getByRole("heading", { name: "登录" }).waitFor();
  await examine(page, "logins-chinese");
  content(page);
});

test("a form of a tool server has an input for each field", async () => {
  const page = await desk("/approvals");
  const { sessionId } = await daemon.submit("fill in the form");
  await page.getByRole("button", { name: "Once" }).click();
  const form = page.locator("form").filter({ hasText: "Your full, legal name" });
  const send = form.getByRole("button", { name: "Answer" });
  await form.waitFor();
  await send.click();
  same((await daemon.actions()).length, 1, "a field that is needed is empty, so the browser sends nothing");
  await form.getByLabel("String", { exact: true }).fill("Ada Lovelace");
  await form.getByRole("group", { name: "Boolean" }).getByLabel("Yes").check();
  await form.getByLabel("String with email format").fill("ada");
  await send.click();
  same((await daemon.actions()).length, 1, "that is no e-mail address");
  await form.getByLabel("String with email format").fill("ada@example.org");
  await form.getByLabel("String with date format").fill("1815-12-10");
  await form.getByLabel("Integer").fill("7");
  await form.getByLabel("Joey").check();
  await form.getByLabel("Piano").check();
  await form.getByLabel("Wonder Woman").check();
  await form.getByLabel("Tuna").uncheck();
  await form.getByLabel("Trout").check();
  await form.getByLabel("Birds").check();
  await examineBoth(page, "form", form);
  await send.click();
  await until("the turn has ended", async () => (await daemon.log(sessionId)).some((e) => e.type === "turn.completed"));
  const result = (await daemon.log(sessionId)).find((e) => e.type === "tool.result");
  const { content: given } = JSON.parse(result.payload.displayPreview.split("Raw result: ")[1]);
  same(JSON.stringify(given, Object.keys(given).sort()), JSON.stringify({
    birthdate: "1815-12-10", check: true, email: "ada@example.org", firstLine: "It was a dark and stormy night.", integer: 7, legacyTitledEnum: "pet-3",
    name: "Ada Lovelace", number: 3.14, titledMultipleSelectEnum: ["fish-3"], titledSingleSelectEnum: "hero-3",
    untitledMultipleSelectEnum: ["Guitar", "Piano"], untitledSingleSelectEnum: "Joey",
  }), "what was filled in reached the server");
  content(page);
}, hasForms);
