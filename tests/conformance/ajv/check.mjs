// What the tests left behind, looked at by ajv: a second opinion on our validator and our schemas.
//
//   node check.mjs [BUILD_DIR [FILE.jsonl...]]        prints TAP
//
// Events are taken from BUILD_DIR/**/scenario-logs/*.jsonl, from the files named, and from the
// golden logs (tests/golden, and the standard's chains); snapshots from scenario-logs/*.json; calls ({call, params, code, reply}, one a
// line) from BUILD_DIR/**/scenario-calls/*.jsonl.  The standard's schemas and the golden chains are
// in $THOLE_SPECS (../shared/specs beside the repository when it is not set); where they are not at
// hand, those checks are skipped.  Last comes the OpenAPI document, by Redocly's linter.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import asyncapi from "@asyncapi/parser";
import openapi from "@redocly/openapi-core";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../..");
const build = path.resolve(process.argv[2] ?? path.join(root, "build"));
const specs = path.resolve(process.env.THOLE_SPECS ?? path.join(root, "../shared/specs"));
const reference = path.join(root, "docs/reference");
const most = 12; // errors shown of one check

// ---- TAP ----

let number = 0;
let failed = 0;

function tell(ok, name, lines = []) {
  number += 1;
  failed += ok ? 0 : 1;
  console.log(`${ok ? "ok" : "not ok"} ${number} - ${name}`);
  for (const line of lines.slice(0, most)) console.log("# " + line);
  if (lines.length > most) console.log(`# and ${lines.length - most} more`);
}

function skip(name, why) {
  number += 1;
  console.log(`ok ${number} - ${name} # SKIP ${why}`);
}

// ---- files ----

const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"));

function* walk(dir) {
  if (!fs.existsSync(dir)) return;
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") yield* walk(full);
    else if (entry.isFile()) yield full;
  }
}

// The files of every folder of this name below `top`.
function filesIn(top, folder, end) {
  return [...walk(top)].filter((f) => path.basename(path.dirname(f)) === folder && f.endsWith(end)).sort();
}

// Every line with its place; a last line without its end (a log cut by a crash) is left out.
function* lines(files) {
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const [i, line] of text.entries())
      if (line.trim()) yield { where: `${path.relative(root, file)}:${i + 1}`, value: JSON.parse(line) };
  }
}

// ---- validators ----

function newAjv() {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  addFormats(ajv);
  return ajv;
}

const explain = (where, errors) => errors.map((e) => `${where}: ${e.instancePath || "/"} ${e.message}`);

// values: [{where, value}]
function check(name, validate, values) {
  const wrong = [];
  let count = 0;
  for (const { where, value } of values) {
    count += 1;
    if (!validate(value)) wrong.push(...explain(where, validate.errors));
  }
  if (!count) skip(name, "none at hand");
  else tell(!wrong.length, `${name}: ${count}`, wrong);
}

function ours() {
  const ajv = newAjv();
  for (const name of ["event", "commands", "snapshot", "problem"])
    ajv.addSchema(readJson(path.join(reference, "schemas", `${name}.schema.json`)), name);
  return ajv;
}

// The profile refers to the public schemas under its own address, where they do not say they are,
// so each is there too (GAP-01 of the checklist).
function theirs() {
  const dir = path.join(specs, "agent-runtime/schemas");
  const base = "https://limecloud.github.io/agentruntime/schemas/";
  const ajv = newAjv();
  if (!fs.existsSync(dir)) return null;
  for (const name of fs.readdirSync(dir).filter((f) => f.endsWith(".schema.json"))) {
    const schema = readJson(path.join(dir, name));
    ajv.addSchema(schema);
    if (schema.$id !== base + name) ajv.addSchema({ ...schema, $id: base + name });
  }
  return (name) => ajv.getSchema(base + name + ".schema.json");
}

// ---- events and snapshots ----

function checkEvents(events, golden) {
  const mine = ours().getSchema("event");
  const standard = theirs();

  check("golden events fit our schema", mine, lines(golden));
  check("events of the tests fit our schema", mine, lines(events));
  for (const name of ["agentruntime-event", "agentruntime-lime-profile-event"]) {
    if (standard) check(`events of the tests fit ${name}`, standard(name), lines(events));
    else skip(`events of the tests fit ${name}`, "the standard's schemas are not at hand");
  }
}

function checkSnapshots(files, golden) {
  const mine = ours().getSchema("snapshot");
  const standard = theirs();
  const values = (list) => list.map((f) => ({ where: path.relative(root, f), value: readJson(f) }));

  check("golden snapshots fit our schema", mine, values(golden));
  check("snapshots of the tests fit our schema", mine, values(files));
  for (const name of ["agentruntime-snapshot", "agentruntime-lime-profile-snapshot"]) {
    if (standard) check(`snapshots of the tests fit ${name}`, standard(name), values(files));
    else skip(`snapshots of the tests fit ${name}`, "the standard's schemas are not at hand");
  }
}

// A schema that refuses nothing proves nothing.
function checkMutations(samples) {
  const validate = ours().getSchema("event");
  const event = structuredClone(samples.find((e) => e.type === "turn.completed"));
  if (!event) return skip("spoilt events are refused", "no event at hand");
  const spoil = (name, change) => {
    const e = structuredClone(event);
    change(e);
    return [name, e];
  };
  const spoilt = [
    spoil("no sequence", (e) => delete e.sequence),
    spoil("sequence 0", (e) => (e.sequence = 0)),
    spoil("sequence as text", (e) => (e.sequence = "1")),
    spoil("no payload", (e) => delete e.payload),
    spoil("payload a list", (e) => (e.payload = [])),
    spoil("unknown class", (e) => (e.type = "vendor.x")),
    spoil("another class", (e) => (e.type = "tool.result")),
    spoil("no time", (e) => (e.timestamp = "yesterday")),
    spoil("a day that is none", (e) => (e.timestamp = "2026-02-30T00:00:00.000Z")),
    spoil("another version", (e) => (e.schemaVersion = "0")),
    spoil("scope id missing", (e) => delete e.turnId),
    spoil("no id", (e) => (e.turnId = "a b")),
    spoil("null", (e) => (e.turnId = null)),
    spoil("unknown word", (e) => (e.status = "splendid")),
    spoil("payload without outcome", (e) => delete e.payload.outcome),
    spoil("unknown outcome", (e) => (e.payload.outcome = "splendid")),
    spoil("cost as text", (e) => (e.payload.costUsd = "0.1")),
    spoil("refs as list", (e) => (e.refs = [])),
    spoil("ref not a string", (e) => (e.refs = { lastMessage: 1 })),
  ];
  const taken = spoilt.filter(([, e]) => validate(e)).map(([name]) => name);
  tell(!taken.length, `spoilt events are refused: ${spoilt.length}`, taken);
  event.later = { added: true };
  event.payload.later = 1;
  tell(validate(event), "unknown members are allowed", explain("event", validate.errors ?? []));
}

// ---- calls ----

function checkCalls(files) {
  const ajv = ours();
  const part = (name) => ajv.getSchema("commands#/$defs/" + name);
  const commands = Object.keys(readJson(path.join(reference, "schemas/commands.schema.json")).$defs)
    .filter((n) => n.startsWith("args."))
    .map((n) => n.slice(5));
  const wrong = { examples: [], args: [], replies: [], problems: [] };
  const count = { args: 0, replies: 0, problems: 0 };
  const look = (kind, validate, where, value) => {
    count[kind] += 1;
    if (!validate(value)) wrong[kind].push(...explain(where, validate.errors));
  };

  for (const name of commands) {
    const validate = part("args." + name);
    part("reply." + name); // compiles
    for (const value of validate.schema.examples)
      if (!validate(value)) wrong.examples.push(...explain(name, validate.errors));
  }
  tell(!wrong.examples.length, `examples fit their commands: ${commands.length}`, wrong.examples);
  for (const { where, value } of lines(files)) {
    if (value.code) look("problems", ajv.getSchema("problem"), where, value.reply);
    if (value.code || !commands.includes(value.call)) continue; // what was refused need not fit
    // The snake_case spelling is taken too, and is not in the schema.
    const isPlain = !Object.keys(value.params).some((k) => k.includes("_"));
    if (isPlain) look("args", part("args." + value.call), where, value.params);
    look("replies", part("reply." + value.call), where, value.reply);
  }
  for (const [kind, n] of Object.entries(count))
    if (n) tell(!wrong[kind].length, `${kind} of the tests fit our schema: ${n}`, wrong[kind]);
    else skip(`${kind} of the tests fit our schema`, "no calls at hand");
}

// ---- OpenAPI ----

async function checkOpenapi() {
  const file = path.join(reference, "openapi.json");
  const config = await openapi.createConfig({
    extends: ["recommended-strict"],
    rules: {
      // A daemon has one address, and it is this machine.
      "no-server-example.com": "off",
    },
  });
  const found = await openapi.lint({ ref: file, config });
  const text = found.map((p) => `${p.severity} ${p.ruleId} ${p.location[0]?.pointer}: ${p.message}`);
  tell(!found.length, "the OpenAPI document passes Redocly's strict rules", text);
}

// ---- AsyncAPI ----

async function checkAsyncapi() {
  const file = path.join(reference, "asyncapi.json");
  const parser = new asyncapi.Parser();
  const found = await parser.validate(fs.readFileSync(file, "utf8"));
  // A newer version of the format than ours is news, not a fault.
  const wrong = found.filter((d) => d.code !== "asyncapi-latest-version");
  const text = wrong.map((d) => `${d.code} ${d.path.join(".")}: ${d.message}`);
  tell(!wrong.length, "the AsyncAPI document passes the rules of its parser", text);
}

// ---- all of it ----

const goldenFiles = [...walk(path.join(specs, "golden"))].sort();
const golden = [
  ...filesIn(path.join(root, "tests"), "golden", ".ndjson"),
  ...goldenFiles.filter((f) => f.endsWith(".jsonl")),
];
const events = [...filesIn(build, "scenario-logs", ".jsonl"), ...process.argv.slice(3)];

checkEvents(events, golden);
checkSnapshots(filesIn(build, "scenario-logs", ".json"), goldenFiles.filter((f) => f.endsWith(".json")));
checkMutations([...lines(golden.length ? golden : events)].map((l) => l.value));
checkCalls(filesIn(build, "scenario-calls", ".jsonl"));
await checkOpenapi();
await checkAsyncapi();
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
