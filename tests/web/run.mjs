#!/usr/bin/env node
// The console in a real browser, on a live daemon.
//
// usage: run.mjs BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them
//
// Prints TAP.  THOLE_LONG=1 runs the long tests too (LONG in lib.mjs).  THOLE_SHOTS=DIR leaves pictures of every page there; THOLE_DEEP=1 makes the long
// thread a hundred thousand events long.
import { main } from "./lib.mjs";
import { words } from "./fixture.mjs";
import "./first.mjs";
import "./approval.mjs";
import "./lists.mjs";
import "./chinese.mjs";
import "./timeline.mjs";
import "./pages.mjs";
import "./work.mjs";
import "./schedules.mjs";
import "./tabs.mjs";
import "./devices.mjs";
import "./processes.mjs";
import "./access.mjs";
import "./peers.mjs";
import "./tutorial.mjs";

process.exit((await main(words)) ? 1 : 0);
