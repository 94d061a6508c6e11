// The console in Chinese: its own texts, and the sentences of the runtime by their stable codes.
import { check, content, DESK, enter, go, PHONE, same, until } from "./lib.mjs";
import { asks, browser, card, daemon, ended, examine, look, test, threadOf } from "./fixture.mjs";

/** Where users, models and tools speak: their words are not translated. */
const FOREIGN = ".reasoning, .plot-name, code, pre, kbd, .prose, .title, .turn-input, .brief, .tool-name, .result-line, .question, .choice, .span-name, .preview, option, h1, h2, [lang=en]";

/** Three English words in a row that can be seen or are read out. */
const englishOn = (page) =>
  page.evaluate((foreign) => {
    // Commands to type are the same in every language.
    const isEnglish = (text) => /[A-Za-z][a-z']+(?: [A-Za-z][a-z']*){2,}/.test(text.replace(/\bthole(?: [a-z]+)*/g, ""));
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const place = node.parentElement;
      if (place.closest("script, style, noscript") || place.closest(foreign) || !place.checkVisibility()) continue;
      if (isEnglish(node.data)) found.push(node.data.trim());
    }
    for (const one of document.querySelectorAll("[aria-label], [placeholder]"))
      for (const name of ["aria-label", "placeholder"])
        if (!one.closest(foreign) && isEnglish(one.getAttribute(name) ?? "")) found.push(`${name}: ${one.getAttribute(name)}`);
    return found;
  }, FOREIGN);

async function isChinese(page, what) {
  same(await englishOn(page), [], `English on ${what}`);
}

test("no English sentence of the runtime is left in Chinese, on desk and phone", async () => {
  const failed = await daemon.submit("fail 一次");
  await ended(failed);
  const asking = await asks("Run the tests 中文");
  await asks("push 中文");
  await asks("ask 中文");
  const running = await daemon.submit("wait 中文");
  const page = await enter(browser, daemon, { ...DESK, locale: "zh-CN" });
  await page.locator(".live-row", { hasText: "fail 一次" }).locator(".c-wait", { hasText: "模型提供方拒绝了请求。" }).waitFor();
  await page.locator(".live-row", { hasText: "wait 中文" }).locator(".c-wait", { hasText: "模型" }).waitFor();
  await isChinese(page, "Live");
  await look(page, "chinese-live");

  // A refusal of a command, by its code; the runtime's own words are there on request.
  await page.getByLabel("要让代理做什么？").fill("你好");
  await page.getByLabel("目录").fill("relative");
  await page.getByRole("button", { name: "开始" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("无法在此目录中工作").waitFor();
  await isChinese(page, "a refusal");
  await alert.getByRole("button", { name: "原文" }).click();
  await alert.getByText("is not an absolute path").waitFor();

  await go(page, "/approvals");
  await card(page, "shell").getByText("由权限模式决定。").waitFor();
  await card(page, "force_push").locator(".subject").waitFor();
  await isChinese(page, "Approvals");
  await look(page, "chinese-approvals");
  await examine(page, "approvals-chinese");

  await go(page, threadOf(asking));
  await page.locator(".dock .action .subject").waitFor();
  await isChinese(page, "a thread that asks");
  await go(page, threadOf(running));
  await page.getByText("模型正在回答。").waitFor();
  await isChinese(page, "a thread that runs");
  await go(page, threadOf(failed));
  await page.getByText("模型提供方拒绝了请求。").waitFor();
  await page.getByRole("button", { name: "重试" }).waitFor();
  await isChinese(page, "a thread that failed");
  await look(page, "chinese-failed");
  for (const made of [failed, asking]) {
    await go(page, `${threadOf(made)}?view=timeline`);
    await page.locator(".trace-row").nth(3).waitFor();
    await isChinese(page, "a timeline");
  }
  for (const [name, title] of [["tasks", "任务"], ["queue", "队列"], ["policy", "策略"], ["routing", "路由与费用"], ["schedules", "定时"], ["jobs", "作业"], ["processes", "进程"], ["health", "健康"], ["agents", "代理"], ["channels", "通道"], ["peers", "对端"], ["logins", "登录"], ["tokens", "令牌"], ["nodes", "节点"], ["events", "事件"], ["cost", "费用与服务水平"], ["evidence", "证据"]]) {
    await go(page, `/${name}`);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await until(`${title} has been read`, async () => !(await page.locator(".reading").count()));
    await isChinese(page, name);
  }

  await go(page, "/benchmarks");
  await page.getByText("还没有试验").waitFor();
  await isChinese(page, "Benchmarks without trials");
  for (const side of ["a", "b"]) {
    const benchmark = { datasetId: "潮", datasetVersion: "1", taskId: "深度", trialId: `zh-${side}`, configurationId: side };
    const { sessionId, trialId, ...made } = await daemon.call("start_benchmark_trial", { benchmark, input: "测一测" });
    await ended({ sessionId, ...made });
    await until("it may be scored", () => daemon.call("record_benchmark_reward", { sessionId, trialId, file: "1", verifierRef: "sha256:1" }).catch(() => false));
  }
  await page.getByRole("button", { name: "比较" }).click();
  await page.getByRole("region", { name: "比较结果" }).waitFor();
  await isChinese(page, "Benchmarks");
  await examine(page, "benchmarks-chinese");
  content(page);

  const hand = await enter(browser, daemon, { ...PHONE, locale: "zh-CN", colorScheme: "dark" }, "/approvals");
  await card(hand, "shell").locator(".subject").waitFor();
  await isChinese(hand, "Approvals on a phone");
  await look(hand, "chinese-phone");
  await daemon.call("interrupt_turn", { sessionId: running.sessionId });
  check(!(await englishOn(hand)).length, "still");
  content(hand);
});
