// The manifests in packaging/kubernetes against the published schemas of Kubernetes, and against each other.
//
//   node check.mjs [BUILD_DIR]        prints TAP
//
// kubernetes-models holds the schemas twice: as validators, which know formats and lists of words, and as types, which
// know that a field is not one of theirs, as `kubectl apply` does.  Each document has to pass both, and mutants of the
// manifests show that wrong ones do not.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { parseAllDocuments } from "yaml";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const build = path.resolve(process.argv[2] ?? path.join(root, "build"));
const folder = path.join(root, "packaging/kubernetes");

// ---- TAP ----

let number = 0;
let failed = 0;

function tell(name, wrong) {
  number += 1;
  failed += wrong.length ? 1 : 0;
  console.log(`${wrong.length ? "not ok" : "ok"} ${number} - kubernetes: ${name}`);
  for (const line of wrong) console.log("# " + line);
}

// ---- the manifests ----

function read(file) {
  return parseAllDocuments(fs.readFileSync(path.join(folder, file), "utf8"), { strict: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length) throw document.errors[0];
    return document.toJS();
  });
}

const nameOf = (d) => `${d.kind} ${d.metadata.name}`;
const find = (all, kind, name) => all.find((d) => d.kind === kind && d.metadata.name === name);

// ---- schemas ----

// A list of what is wrong with each document.
async function validate(documents) {
  const wrong = [];
  for (const d of documents) {
    const { [d.kind]: Model } = await import(`kubernetes-models/${d.apiVersion}`);
    try {
      new Model(d).validate();
      wrong.push([]);
    } catch (e) {
      wrong.push([e.message]);
    }
  }
  return wrong;
}

// One line of a program for each document, so that an error's line names it.
function checkTypes(documents) {
  const file = path.join(here, "manifests.ts");
  const text = documents
    .map((d, i) => `export const d${i}: import("kubernetes-models/${d.apiVersion}/${d.kind}").I${d.kind} = ${JSON.stringify(d)};`)
    .join("\n");
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true, noEmit: true, skipLibCheck: true, types: [] };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : getSourceFile(name, ...rest);
  const wrong = documents.map(() => []);
  for (const d of ts.getPreEmitDiagnostics(ts.createProgram([file], options, host))) {
    if (d.file?.fileName !== file) throw new Error(ts.flattenDiagnosticMessageText(d.messageText, " "));
    wrong[d.file.getLineAndCharacterOfPosition(d.start).line].push(ts.flattenDiagnosticMessageText(d.messageText, " ").slice(0, 400));
  }
  return wrong;
}

// ---- what no schema knows ----

function crossCheck(all) {
  const wrong = [];
  const expect = (is, what) => is || wrong.push(what);
  const set = find(all, "StatefulSet", "thole");
  const pod = set.spec.template.spec;
  const [node] = pod.containers;
  const labels = set.spec.template.metadata.labels;
  const fits = (selector) => Object.entries(selector).every(([k, v]) => labels[k] === v);
  const settings = JSON.parse(find(all, "ConfigMap", "thole").data["config.json"]);

  expect(fits(set.spec.selector.matchLabels), "the set does not select its own pods");
  expect(fits(find(all, "PodDisruptionBudget", "thole").spec.selector.matchLabels), "the disruption budget selects other pods");
  for (const service of all.filter((d) => d.kind === "Service")) {
    expect(fits(service.spec.selector), `${nameOf(service)} selects other pods`);
    for (const port of service.spec.ports)
      expect(node.ports.some((p) => p.name === port.targetPort && p.containerPort === port.port), `${nameOf(service)}: port ${port.port} is not the node's`);
  }
  expect(find(all, "Service", set.spec.serviceName)?.spec.clusterIP === "None", "the service of the set gives its pods no names");
  expect(
    node.env.find((e) => e.name === "THOLE_NODE_ADDRESS").value === `http://$(POD_NAME).${set.spec.serviceName}:${node.ports[0].containerPort}`,
    "node.address is not the name of the pod",
  );
  for (const { name } of node.volumeMounts)
    expect([...pod.volumes.map((v) => v.name), ...set.spec.volumeClaimTemplates.map((v) => v.metadata.name)].includes(name), `there is no volume ${name}`);
  for (const volume of pod.volumes) {
    if (volume.persistentVolumeClaim) expect(find(all, "PersistentVolumeClaim", volume.persistentVolumeClaim.claimName), `there is no claim for ${volume.name}`);
    if (volume.configMap) expect(find(all, "ConfigMap", volume.configMap.name), `there is no ConfigMap for ${volume.name}`);
  }
  for (const { secretKeyRef: ref } of node.env.map((e) => e.valueFrom ?? {}).filter((v) => v.secretKeyRef))
    expect(ref.key in find(all, "Secret", ref.name).stringData, `the Secret ${ref.name} has no ${ref.key}`);
  expect(pod.terminationGracePeriodSeconds > settings["node.drain_s"] + 10, "a node is killed before it is drained");
  for (const name of ["startupProbe", "livenessProbe", "readinessProbe"]) {
    const get = node[name].httpGet;
    const host = get.httpHeaders.find((h) => h.name === "Host").value;
    expect(settings.hosts.includes(host), `${name}: the host ${host} is not in hosts`);
    expect(get.path === (name === "readinessProbe" ? "/readyz" : "/healthz"), `${name} asks for ${get.path}`);
  }
  return wrong;
}

// The program reads the settings of the ConfigMap.
function readSettings(all) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "thole-kubernetes-"));
  try {
    fs.mkdirSync(path.join(home, "thole"));
    fs.writeFileSync(path.join(home, "thole/config.json"), find(all, "ConfigMap", "thole").data["config.json"]);
    const done = spawnSync(path.join(build, "thole"), ["--data", path.join(home, "data"), "config"], {
      encoding: "utf8",
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home },
    });
    return done.status === 0 && !done.stderr.includes("unknown") ? [] : [`thole config: ${done.error ?? done.stdout + done.stderr}`];
  } finally {
    fs.rmSync(home, { recursive: true });
  }
}

// ---- mutants ----

const nodeOf = (all) => find(all, "StatefulSet", "thole").spec.template.spec.containers[0];
const mutants = {
  "a field with a typo": (all) => (nodeOf(all).livenessProb = {}),
  "a field in the wrong place": (all) => (find(all, "StatefulSet", "thole").spec.terminationGracePeriodSeconds = 40),
  "a text where a number belongs": (all) => (find(all, "StatefulSet", "thole").spec.replicas = "two"),
  "a number where a text belongs": (all) => (nodeOf(all).env[1].value = 1),
  "a word that is not in its list": (all) => (find(all, "Service", "thole").spec.sessionAffinity = "Client"),
  "a field that is missing": (all) => delete find(all, "StatefulSet", "thole").spec.selector,
};

// ---- all of it ----

const files = fs.readdirSync(folder).filter((f) => f.endsWith(".yaml")).sort();
const documents = [];
for (const file of files) {
  let wrong = [];
  try {
    documents.push(...read(file));
  } catch (e) {
    wrong = [e.message];
  }
  tell(`${file} is YAML`, wrong);
}

if (!failed) {
  const mutated = Object.entries(mutants).map(([name, change]) => {
    const all = structuredClone(documents);
    change(all);
    return [name, all];
  });
  const everything = [...documents, ...mutated.flatMap(([, all]) => all)];
  const [values, types] = [await validate(everything), checkTypes(everything)];
  const wrongOf = (i) => [...values[i], ...types[i]];

  documents.forEach((d, i) => tell(`${nameOf(d)} fits its schema`, wrongOf(i)));
  mutated.forEach(([name], m) => {
    const begin = documents.length * (m + 1);
    const isFound = documents.some((_, i) => wrongOf(begin + i).length);
    tell(`${name} is found`, isFound ? [] : ["the mutant passed"]);
  });
  tell("names, labels, ports and times fit each other", crossCheck(documents));
  tell("the settings are read by the program", readSettings(documents));
}

console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
