// A second device: paired by the command, deciding under its name, and cut off.
import { check, content, go, PHONE, PHONE_HOST, same, until, watched } from "./lib.mjs";
import { asks, browser, card, daemon, desk, ended, examineBoth, test, threadOf } from "./fixture.mjs";

/** What a phone on the local network opens: another name, and no TLS. */
const origin = () => `http://${PHONE_HOST}:${daemon.port}`;

/** Pairs a browser of its own with the command that the page told to type. */
async function paired(command) {
  const [program, ...args] = command.split(" ");
  same(program, "thole", "the program that is to be typed");
  const address = daemon.cli(...args, "-q").trim();
  check(address.startsWith(`${origin()}/#code=`), `an address of the device: ${address}`);
  const context = await browser.newContext({ ...PHONE, colorScheme: "dark" });
  const page = watched(await context.newPage(), { url: origin() });
  await page.goto(`${address}&to=${encodeURIComponent("/approvals")}`);
  await page.waitForSelector(".link.live");
  return page;
}

test("a device is paired, decides under its own name, and is cut off when it is revoked", async () => {
  const page = await desk("/channels?show=devices");
  await page.getByText("No device is paired.").waitFor();
  await page.getByText("Pair a device").click();
  await page.getByText("An address without a path").waitFor();
  await page.getByLabel("Address at which the device").fill(origin());
  await page.getByText("the cookie is sent unencrypted").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("pocket");
  const hand = await paired(await page.locator(".typed .code").textContent());

  const row = page.getByRole("listitem").filter({ hasText: "pocket" });
  await row.waitFor();
  const [device] = (await daemon.call("list_devices", {})).devices;
  const told = await row.textContent();
  for (const part of ["pocket", device.host, "read, approve"]) check(told.includes(part), `${part} in ${told}`);
  same(await row.locator("time").first().getAttribute("datetime"), device.pairedAt, "since when it is paired");

  const made = await asks("Run the tests, and let another decide");
  await card(hand, "shell").getByRole("button", { name: "Allow once" }).click();
  await hand.getByText("No pending approvals.").waitFor();
  await ended(made);
  const resolved = (await daemon.log(made.sessionId)).filter((e) => e.type === "action.resolved");
  same(resolved.map((e) => e.payload.decidedBy.principal), ["device:pocket"], "who decided");
  await go(page, threadOf(made));
  await page.getByText("device:pocket").waitFor();

  await go(hand, "/channels?show=devices");
  await hand.getByText("this device").waitFor();
  same(await hand.getByRole("button", { name: "Revoke" }).count(), 0, "a device cannot revoke");
  same(await hand.getByText("Pair a device").count(), 0, "and cannot pair");

  await go(page, "/channels");
  await page.locator(".channel-row", { hasText: "device:pocket" }).first().waitFor();
  await go(page, "/channels?show=devices");
  await page.getByText("Pair a device").click();
  await row.getByRole("button", { name: "Revoke" }).waitFor();
  await examineBoth(page, "devices", row);
  await row.getByRole("button", { name: "Revoke" }).click();
  same((await daemon.call("list_devices", {})).devices.length, 1, "one click revokes nothing");
  await row.getByRole("button", { name: "Yes, revoke it" }).click();
  await page.getByText("No device is paired.").waitFor();
  await hand.getByText("This device is no longer paired").waitFor();
  await hand.getByText(`thole pair --lan --url ${origin()}`).waitFor();
  same(await hand.evaluate(() => fetch("/v1/sessions").then((r) => r.ok)), false, "what it still gets");
  await until("the event", async () =>
    (await daemon.log("sess_system")).some((e) => e.type === "channel.disconnected" && e.channelId === device.channelId && e.payload.cause === "auth"),
  );
  content(page);
  content(hand);
});
