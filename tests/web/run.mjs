#!/usr/bin/env node
// The console in a real browser, on a live daemon.
//
// usage: run.mjs BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them
//
// Prints TAP.  THOLE_LONG=1 runs all pages and the long tests (LONG in lib.mjs).  THOLE_SHOTS=DIR leaves pictures of every page there; THOLE_DEEP=1 makes the long
// thread a hundred thousand events long.
import { main } from "./lib.mjs";
import { words } from "./fixture.mjs";

// What every user meets; the pages beside it are run by ./test --deep, or when a word is given.
const EVERYDAY = ["first", "approval", "tabs", "devices"];
const PAGES = ["lists", "chinese", "timeline", "pages", "work", "schedules", "processes", "access", "peers", "nodes"];
const isWhole = words.length || process.env.THOLE_LONG;
for (const file of [...EVERYDAY, ...(isWhole ? PAGES : []), "tutorial"]) await import(`./${file}.mjs`);

process.exit((await main(words)) ? 1 : 0);
