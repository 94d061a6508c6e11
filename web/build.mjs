// Builds the console into a folder: node build.mjs OUT_DIR.  Fails if a text is missing in a language or the bundle
// is too large.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out || out.startsWith("-")) {
  console.error("usage: node build.mjs OUT_DIR");
  process.exit(2);
}
const FIRST_LOAD_MOST = 70 * 1024; // gzipped bytes before the first page shows
const ALL_MOST = 350 * 1024;

/** Vocabularies of which every word needs a text, and the prefix of its key. */
const VOCABULARY = {
  status: "status",
  wait_for: "wait",
  limit_status: "limit",
  exclusion_reason: "limit",
  limit_scope: "routing.cap",
  permission_mode: "policy.modeMeans",
  sandbox_mode: "sandbox",
  edge_kind: "edge",
  edge_status: "edge.status",
  worker_kind: "worker",
  peer_role: "channels.role",
  model_policy: "agents.model",
  schedule_status: "schedules.status",
  missed_policy: "schedules.missed",
  overlap_policy: "schedules.overlap",
  decision_source: "policy.decidedBy",
  network_mode: "network",
  peer_status: "peers.status",
  tool_server_status: "logins.status",
  session_reach: "tokens.reach",
  node_state: "nodes.state",
};

/** Vocabularies of which every word needs a Chinese sentence in daemon_zh.ts, and the prefix of its key. */
const SENTENCES = { error_category: "failure", warning_category: "warning", run_status_kind: "run", decision_source: "decision", wait_for: "wait", routing_source: "routing", peer_status: "peer", tool_server_status: "server" };

function textsIn(file) {
  const text = readFileSync(join(here, "src", file), "utf8");
  return new Map([...text.matchAll(/^ {2}"([^"]+)":\s+"((?:[^"\\]|\\.)*)",$/gm)].map(([, key, value]) => [key, value]));
}

const blanksOf = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().join();

/** A text is used by its key, or by a prefix to which the code appends a word. */
function isUsed(key, code) {
  return code.includes(`"${key}"`) || key.split(".").some((_, i, parts) => {
    const prefix = parts.slice(0, i).join(".");
    return i && (code.includes(`wordFor("${prefix}"`) || code.includes(`\`${prefix}.\${`));
  });
}

/** The files that are loaded before the first page shows use no text of en_pages.ts. */
function checkFirstTexts(inputs) {
  const code = inputs.filter((path) => path.startsWith("src/")).map((path) => readFileSync(join(here, path), "utf8")).join("\n");
  const found = [...textsIn("text/en_pages.ts").keys()].filter((key) => isUsed(key, code));
  if (found.length) throw new Error(`used before en_pages.ts is loaded:\n  ${found.join("\n  ")}`);
}

/** Both languages have the same keys and placeholders, the vocabulary is covered, and no text is unused. */
function checkTexts() {
  const { enums, errors } = JSON.parse(readFileSync(join(here, "../catalog/vocab.json"), "utf8"));
  const en = new Map([...textsIn("text/en.ts"), ...textsIn("text/en_pages.ts")]);
  const [zh, daemon] = [textsIn("text/zh.ts"), textsIn("text/daemon_zh.ts")];
  const sources = readdirSync(join(here, "src"), { recursive: true }).filter((name) => /\.tsx?$/.test(name) && !/^text\/(en|en_pages|zh)\./.test(name));
  const code = sources.map((name) => readFileSync(join(here, "src", name), "utf8")).join("\n");
  const bad = [];
  for (const [name, prefix] of Object.entries(VOCABULARY))
    bad.push(...enums[name].filter((word) => !en.has(`${prefix}.${word}`)).map((word) => `no text for ${prefix}.${word}`));
  const sentences = Object.entries(SENTENCES).flatMap(([name, prefix]) => enums[name].map((word) => `${prefix}.${word}`));
  sentences.push(...Object.keys(errors).map((code) => `problem.${code}`));
  bad.push(...sentences.filter((key) => !daemon.has(key)).map((key) => `no Chinese sentence for ${key}`));
  for (const [key, text] of en) {
    if (!zh.get(key)?.trim()) bad.push(`${key} is not in Chinese`);
    else if (blanksOf(text) !== blanksOf(zh.get(key))) bad.push(`${key} has other placeholders in Chinese`);
    if (!isUsed(key, code)) bad.push(`${key} is used nowhere`);
  }
  bad.push(...[...zh.keys()].filter((key) => !en.has(key)).map((key) => `${key} is not in English`));
  if (bad.length) throw new Error(`texts of the console:\n  ${bad.join("\n  ")}`);
}

/** The licences of the bundled packages. */
function notices(inputs) {
  const direct = inputs.map((p) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(p)?.[1]).filter(Boolean);
  const about = (name) => JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  // A package may bundle its dependencies.
  const packages = [...new Set(direct.flatMap((name) => [name, ...Object.keys(about(name).dependencies ?? {})]))].sort();
  return packages
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const { version, license } = about(name);
      const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
      const text = file ? readFileSync(join(folder, file), "utf8") : "";
      return `${name} ${version} (${license})\n\n${text}`;
    })
    .join("\n\n----\n\n");
}

/** An entry and everything that is loaded with it before the first page shows. */
function withImports(outputs, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const one of outputs[path].imports) if (one.kind === "import-statement") withImports(outputs, one.path, found);
  return found;
}

/** xterm colours cells with a style attribute, which the page's policy forbids; setting cssText is allowed. */
const cellColours = {
  name: "cell-colours",
  setup(build) {
    build.onLoad({ filter: /@xterm\/xterm\/lib\/xterm\.mjs$/ }, ({ path }) => {
      const before = readFileSync(path, "utf8");
      const after = before.replace('t.setAttribute("style",`${t.getAttribute("style")||""}${e};`)', "t.style.cssText+=`${e};`");
      if (after === before) throw new Error("xterm has changed how it colours cells; adapt the plugin cell-colours");
      return { contents: after, loader: "js" };
    });
  },
};

checkTexts();
const result = await build({
  absWorkingDir: here,
  entryPoints: { console: "src/main.tsx", style: "src/style.css" },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  outdir: "out",
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  plugins: [cellColours],
  write: false,
});

const { outputs } = result.metafile;
const entryOf = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
const [script, style] = [entryOf("src/main.tsx"), entryOf("src/style.css")];
const early = [...withImports(outputs, script)];
checkFirstTexts(early.flatMap((path) => Object.keys(outputs[path].inputs)));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const file of result.outputFiles) writeFileSync(join(out, basename(file.path)), file.contents);
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(out, "icon.svg"), readFileSync(join(here, "icon.svg")));
writeFileSync(join(out, "notices.txt"), notices(Object.keys(result.metafile.inputs)));
writeFileSync(join(out, "index.html"), page.replace("@JS@", basename(script)).replace("@CSS@", basename(style)));

const sizes = Object.fromEntries(readdirSync(out).map((name) => [name, gzipSync(readFileSync(join(out, name)), { level: 9 }).length]));
const atFirst = ["index.html", "icon.svg", basename(style), ...early.map((path) => basename(path))];
const sum = (names) => names.reduce((total, name) => total + sizes[name], 0);
const first = sum(atFirst);
const all = sum(Object.keys(sizes));
console.log(`console: first load ${(first / 1024).toFixed(1)} KiB gzipped, all ${(all / 1024).toFixed(1)} KiB`);
if (first > FIRST_LOAD_MOST || all > ALL_MOST) {
  rmSync(out, { recursive: true });
  throw new Error(`too large: at most ${FIRST_LOAD_MOST / 1024} KiB and ${ALL_MOST / 1024} KiB`);
}
