// Builds the console into a folder: node build.mjs OUT_DIR.  Checks words and sizes on the way.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
const FIRST_LOAD_MOST = 70 * 1024; // gzipped bytes until something is seen
const ALL_MOST = 350 * 1024;

/** Every status and every wait of the catalogue has its words. */
function checkWords() {
  const { enums } = JSON.parse(readFileSync(join(here, "../catalog/vocab.json"), "utf8"));
  const words = readFileSync(join(here, "src/words.ts"), "utf8");
  const signs = readFileSync(join(here, "src/ui.tsx"), "utf8");
  const lacks = enums.status.filter((s) => !words.includes(`"status.${s}":`) || !new RegExp(`^  ${s}: \\[`, "m").test(signs));
  lacks.push(...enums.wait_for.filter((w) => !words.includes(`"wait.${w}":`)));
  if (lacks.length) throw new Error(`web/src lacks words or signs for: ${lacks.join(", ")}`);
}

function hashed(name, data) {
  const [stem, end] = name.split(".");
  return `${stem}-${createHash("sha256").update(data).digest("hex").slice(0, 10)}.${end}`;
}

/** The licences of what the bundle contains. */
function notices(inputs) {
  const packages = [...new Set(inputs.map((p) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(p)?.[1]).filter(Boolean))].sort();
  return packages
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
      const text = file ? readFileSync(join(folder, file), "utf8") : "";
      return `${name} ${version} (${license})\n\n${text}`;
    })
    .join("\n\n----\n\n");
}

checkWords();
const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.tsx", "src/style.css"],
  outdir: "out",
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  write: false,
});

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const names = {};
for (const file of result.outputFiles) {
  const name = file.path.endsWith(".js") ? "console.js" : "console.css";
  names[name] = hashed(name, file.contents);
  writeFileSync(join(out, names[name]), file.contents);
}
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(out, "icon.svg"), readFileSync(join(here, "icon.svg")));
writeFileSync(join(out, "notices.txt"), notices(Object.keys(result.metafile.inputs)));
writeFileSync(join(out, "index.html"), page.replace("@JS@", names["console.js"]).replace("@CSS@", names["console.css"]));

const sizes = Object.fromEntries(readdirSync(out).map((name) => [name, gzipSync(readFileSync(join(out, name)), { level: 9 }).length]));
const first = sizes["index.html"] + sizes[names["console.js"]] + sizes[names["console.css"]] + sizes["icon.svg"];
const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
console.log(`console: first load ${(first / 1024).toFixed(1)} KiB gzipped, all ${(all / 1024).toFixed(1)} KiB`);
if (first > FIRST_LOAD_MOST || all > ALL_MOST) {
  rmSync(out, { recursive: true });
  throw new Error(`too large: at most ${FIRST_LOAD_MOST / 1024} KiB and ${ALL_MOST / 1024} KiB`);
}
