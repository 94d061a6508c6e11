#!/usr/bin/env node
// The console in a real browser, on a live daemon.
//
// usage: run.mjs BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them
//
// Prints TAP.  THOLE_SHOTS=DIR leaves pictures of every page there; THOLE_DEEP=1 makes the long
// thread a hundred thousand events long.
import { main } from "./lib.mjs";
import { browser, daemon, words } from "./stage.mjs";
import "./first.mjs";
import "./timeline.mjs";
import "./pages.mjs";
import "./work.mjs";
import "./schedules.mjs";
import "./tabs.mjs";
import "./processes.mjs";
import { closeYard } from "./yard.mjs";

async function clean() {
  for (const context of browser.contexts()) await context.close();
  if (daemon.process.exitCode !== null || daemon.process.signalCode) await daemon.up();
  for (const { sessionId, actionId, decisions } of await daemon.actions())
    await daemon.call("respond_action", { sessionId, actionId, decision: decisions.at(-1).decision });
}

const failed = await main(words, clean).finally(async () => {
  await browser.close();
  await daemon.close();
  await closeYard();
});
process.exit(failed ? 1 : 0);
