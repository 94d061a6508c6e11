#!/usr/bin/env python3
"""docs/reference matches the catalogue, and all events that the tests left satisfy its schemas.

usage: test_reference.py [BUILD_DIR]

Prints TAP.  Needs python3-jsonschema for the schemas, and ../shared/specs (or $THOLE_SPECS) for the
standard's chains beside tests/golden; what is not there is skipped.  tests/conformance/ajv/check.mjs asks ajv the same.
"""
import copy
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.dont_write_bytecode = True

try:
    from jsonschema import Draft202012Validator, FormatChecker
except ImportError:
    # Debian's package is for Debian's Python, which need not be the first in the path.
    if os.path.exists("/usr/bin/python3") and "THOLE_REEXEC" not in os.environ:
        os.environ["THOLE_REEXEC"] = "1"
        os.execv("/usr/bin/python3", ["python3"] + sys.argv)
    Draft202012Validator = None

import catalog
import catalog_docs

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
SPECS = os.environ.get("THOLE_SPECS", os.path.join(ROOT, "..", "shared", "specs"))
REFERENCE = os.path.join(ROOT, "docs", "reference")

cat = catalog.cat = catalog.Catalog()
shown = catalog.shown()  # what clients may use


# ---- TAP --------------------------------------------------------------------------------------

number = failed = 0


def tell(name, wrong, count=None):
    """wrong: what is wrong, a line each."""
    global number, failed
    number += 1
    failed += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}" + (f": {count}" if count is not None else ""))
    for line in wrong[:12]:
        print("# " + line)
    if len(wrong) > 12:
        print(f"# and {len(wrong) - 12} more")


def skip(name, why):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {why}")


# ---- files ------------------------------------------------------------------------------------

def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def reference(name):
    return json.loads(read(os.path.join(REFERENCE, name)))


def events_of(files):
    for path in files:
        for i, line in enumerate(read(path).split("\n")[:-1]):  # a crash may have cut the last one
            if line:
                yield f"{os.path.basename(path)}:{i + 1}", json.loads(line)


def worth_a_look(event, seen):
    """This library takes milliseconds for each: a few of every shape.  ajv and our own validator see them all."""
    shape = event["type"], tuple(sorted(event)), tuple(sorted(event.get("payload", {})))
    seen[shape] = seen.get(shape, 0) + 1
    return seen[shape] <= 2 or "THOLE_DEEP" in os.environ


GOLDEN = sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "*.ndjson"))) + sorted(glob.glob(os.path.join(SPECS, "golden", "*.jsonl")))
LOGS = sorted(glob.glob(os.path.join(BUILD, "scenario-logs", "*.jsonl")))


# ---- pages ------------------------------------------------------------------------------------

def test_fresh():
    run = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "catalog.py"), "--check"],
                         capture_output=True, text=True)
    lines = run.stderr.splitlines() or [f"exit code {run.returncode}"]
    tell("generated files are what the generator writes", lines if run.returncode else [])
    # Hand-written pages are in the index of all pages; generated ones have their own index.
    with open(os.path.join(ROOT, "docs", "README.md")) as f:
        written = {"docs/" + name for name in re.findall(r"\]\((reference/[\w-]+\.md)\)", f.read())}
    known = set(catalog.committed_files()) | written
    there = glob.glob(os.path.join(REFERENCE, "**", "*"), recursive=True) + \
        glob.glob(os.path.join(ROOT, "src", "*", "gen", "*.[ch]"))
    stray = [os.path.relpath(p, ROOT) for p in there if os.path.isfile(p)]
    tell("nothing else lies among them", sorted(p for p in stray if p not in known))


def anchors(text):
    heads = re.findall(r"^#+ (.+)$", text, re.M)
    return [re.sub(r"[^a-z0-9_ -]", "", h.lower()).replace(" ", "-") for h in heads]


def test_links():
    pages = {os.path.basename(p): read(p) for p in glob.glob(os.path.join(REFERENCE, "*.md"))}
    wrong, count = [], 0
    for name, text in pages.items():
        heads = anchors(text)
        wrong += [f"{name}: two headings {h}" for h in sorted(set(heads)) if heads.count(h) > 1]
        for target in re.findall(r"\]\(([^)]+)\)", text):
            page, _, anchor = target.partition("#")
            count += 1
            if not os.path.exists(os.path.join(REFERENCE, page or name)):
                wrong.append(f"{name}: no page {page}")
            elif anchor and anchor not in anchors_of(pages, page or name):
                wrong.append(f"{name}: no heading {target}")
    tell("links of the pages lead somewhere", wrong, count)


def anchors_of(pages, name, known={}):
    if name not in known:
        # A page beyond the reference is read for its headings alone.
        known[name] = set(anchors(pages.get(name) or read(os.path.join(REFERENCE, name))))
    return known[name]


def test_routes():
    """The routes are written in C; the document repeats them."""
    text = read(os.path.join(ROOT, "src", "serve", "http", "route.c"))
    text = text[text.index("routes[] = {"):text.index("\n};")]
    in_c = {(m, p) for m, p in re.findall(r'\{ ROUTE_\w+, "(\w+)", "([^"]+)"', text)}
    in_c |= {("GET", p) for p, _ in re.findall(r'READ\("([^"]+)", (\w+)\)', text)}
    reads = {(p, c.lower()) for p, c in re.findall(r'READ\("([^"]+)", (\w+)\)', text)}
    ours = {("POST", "/v1/commands/{name}")} | {("GET", p) for p, _ in catalog_docs.READ_ROUTES}
    ours |= {(m, p) for m, p, _ in catalog_docs.OTHER_ROUTES}
    wrong = [f"only in src/serve/http/route.c: {r}" for r in sorted(in_c - ours)]
    wrong += [f"only in scripts/catalog_docs.py: {r}" for r in sorted(ours - in_c)]
    wrong += [f"another command: {r}" for r in sorted(reads ^ set(catalog_docs.READ_ROUTES))]
    tell("the routes are those of src/serve/http/route.c", wrong, len(in_c))


def test_numbers():
    path = os.path.join(SPECS, "agent-runtime", "schemas", "agentruntime-lime-profile-event.schema.json")
    name = "classes have the numbers of the standard's list"
    if not os.path.exists(path):
        skip(name, "the standard's schemas are not at hand")
        return
    theirs = json.loads(read(path))["allOf"][1]["properties"]["type"]["enum"]
    wrong = [f"{i}: {a}, there {b}" for i, (a, b) in enumerate(zip(cat.enums["event_type"], theirs), 1) if a != b]
    tell(name, wrong, len(theirs))


# ---- schemas ----------------------------------------------------------------------------------

def validator(schema, part=None):
    if part:
        schema = {"$schema": catalog_docs.DIALECT, "$ref": "#/$defs/" + part, "$defs": schema["$defs"]}
    return Draft202012Validator(schema, format_checker=FormatChecker())


def faults(v, value, where):
    return [f"{where}: /{'/'.join(map(str, e.absolute_path))} {e.message[:160]}" for e in v.iter_errors(value)]


def test_schemas():
    wrong = []
    for path in sorted(glob.glob(os.path.join(REFERENCE, "schemas", "*.json"))):
        try:
            Draft202012Validator.check_schema(json.loads(read(path)))
        except Exception as e:  # whatever the library thinks a bad schema is
            wrong.append(f"{os.path.basename(path)}: {e}")
    tell("schemas are schemas", wrong)


class EventCheck:
    """The event schema.  120 branches are slow here, so each class gets a copy with its own branch
    only; the others could not apply to it."""

    def __init__(self):
        self.schema = reference("schemas/event.schema.json")
        self.whole = validator(self.schema)
        branches = {b["if"]["properties"]["type"]["const"]: b for b in self.schema["allOf"]}
        self.of_class = {name: validator({**self.schema, "allOf": [b]}) for name, b in branches.items()}

    def of(self, event):
        return self.of_class.get(event.get("type"), self.whole) if isinstance(event.get("type"), str) else self.whole


def test_events():
    check = EventCheck()
    first = {}
    for name, files in (("golden events fit", GOLDEN), ("events of the scenarios fit", LOGS)):
        wrong, count, seen = [], 0, {}
        for where, event in events_of(files):
            if not worth_a_look(event, seen):
                continue
            count += 1
            found = faults(check.of(event), event, where)
            wrong += found
            if not found and event["type"] not in first:
                first[event["type"]] = event
                wrong += faults(check.whole, event, where)
        if count:
            tell(name, wrong, count)
        else:
            skip(name, "none at hand")
    if first:
        test_spoilt(check, first)
    else:
        skip("spoilt events are refused", "no events at hand")


def bad_values(schema, defs):
    """Values that a field of this schema must not have."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    if "enum" in schema or "const" in schema:
        return ["no such word", 1, None]
    kind = schema.get("type")
    if not kind:
        return []
    bad = {"string": [1, None, {}], "integer": ["1", 1.5, None], "number": ["1", None], "boolean": ["true", 1, None],
           "object": ["x", [], None], "array": ["x", {}, None]}[kind]
    if "pattern" in schema:
        bad = bad + ["not of this form \n"]
    return bad


def spoil(event, schema, name, keys):
    """Copies of the event, each with one thing wrong: (what, copy).  keys: of the envelope."""
    row, defs = cat.events[name], schema["$defs"]
    payload = defs["payload." + name]

    def without(key, inside):
        spoilt = copy.deepcopy(event)
        del (spoilt["payload"] if inside else spoilt)[key]
        return f"{name} without {key}", spoilt

    def with_value(key, inside, value):
        spoilt = copy.deepcopy(event)
        (spoilt["payload"] if inside else spoilt)[key] = value
        return f"{name} with {key} = {value!r}", spoilt

    for key in schema["required"] + row["scope"] + row.get("requires", []):
        yield without(key, False)
    for key in payload.get("required", []):
        yield without(key, True)
    for key in keys:
        for value in bad_values(schema["properties"].get(key, {}), defs):
            yield with_value(key, False, value)
    for key in event["payload"]:
        for value in bad_values(payload.get("properties", {}).get(key, {}), defs):
            yield with_value(key, True, value)


def test_spoilt(check, first):
    taken, count, unknown, done = [], 0, [], set()
    for name, event in sorted(first.items()):
        # The envelope is the same for all: each of its fields is given bad values once.
        keys = [k for k in event if k not in done]
        done.update(keys)
        for what, spoilt in spoil(event, check.schema, name, keys):
            count += 1
            if check.of(spoilt).is_valid(spoilt):
                taken.append(what)
        more = copy.deepcopy(event)
        more["later"] = more["payload"]["later"] = {"added": [True]}
        unknown += faults(check.of(more), more, name)
    tell(f"spoilt events are refused, of {len(first)} classes", taken, count)
    tell("members that a newer runtime adds are allowed", unknown, len(first))


def test_snapshots():
    """One in ten of the scenarios' is enough for a second opinion: tests/run gives all of them to our own validator."""
    v = validator(reference("schemas/snapshot.schema.json"))
    logs = sorted(glob.glob(os.path.join(BUILD, "scenario-logs", "*.json")))[::1 if "THOLE_DEEP" in os.environ else 10]
    for name, files in (("golden snapshots fit", glob.glob(os.path.join(SPECS, "golden", "*.json"))),
                        ("snapshots of the scenarios fit", logs)):
        if files:
            values = [(os.path.basename(f), json.loads(read(f))) for f in sorted(files)]
            tell(name, [w for where, value in values for w in faults(v, value, where)], len(files))
        else:
            skip(name, "none at hand")


def test_commands():
    schema = reference("schemas/commands.schema.json")
    wrong, taken = [], []
    for name, row in shown.commands.items():
        v = validator(schema, "args." + name)
        sample = schema["$defs"]["args." + name]["examples"][0]
        wrong += faults(v, sample, name)
        spoilt = [{**sample, "noSuchArgument": 1}]
        spoilt += [{k: x for k, x in sample.items() if k != f["name"]} for f in row["args"] if f.get("required")]
        taken += [f"{name}: {s}" for s in spoilt if v.is_valid(s)]
    tell("examples fit their commands", wrong, len(shown.commands))
    tell("arguments that a command does not take, or lacks, are refused", taken)


def test_problems():
    v = validator(reference("schemas/problem.schema.json"))
    wrong, taken = [], []
    for code, e in cat.errors.items():
        good = {"type": "urn:thole:problem:" + code, "title": e["title"], "status": e["http"], "code": code,
                "category": e["category"], "retryable": e["retryable"], "detail": "x", "added": 1}
        wrong += faults(v, good, code)
        spoilt = [{**good, "retryable": not e["retryable"]}, {**good, "type": "about:blank"}, {**good, "status": 200},
                  {**good, "code": "no_such_code"}, {k: x for k, x in good.items() if k != "category"}]
        taken += [f"{code}: {s}" for s in spoilt if v.is_valid(s)]
    tell("a problem of every code fits", wrong, len(cat.errors))
    tell("spoilt problems are refused", taken)


# ---- OpenAPI ----------------------------------------------------------------------------------

def all_refs(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from all_refs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from all_refs(inner)


def resolves(document, ref):
    at = document
    for part in ref.removeprefix("#/").split("/"):
        at = at.get(part) if isinstance(at, dict) else None
    return at is not None


def operation_faults(path, op, responses):
    wrong = []
    inside = set(re.findall(r"\{(\w+)\}", path))
    named = {p["name"] for p in op.get("parameters", []) if p.get("in") == "path"}
    if inside != named:
        wrong.append(f"{path}: parameters {sorted(named)}")
    for status, response in op["responses"].items():
        said = re.split(r", ", response["description"]) if "$ref" in response and "description" in response else []
        wrong += [f"{path}: {code} is not {status}" for code in said if str(cat.errors[code]["http"]) != status]
        if "$ref" in response and response["$ref"].rsplit("/", 1)[1] not in responses:
            wrong.append(f"{path}: no response {response['$ref']}")
    return wrong


def test_openapi():
    document = reference("openapi.json")
    wrong = [f"no {ref}" for ref in sorted(set(all_refs(document))) if not resolves(document, ref)]
    ops = [(path, op) for path, item in document["paths"].items() for op in item.values()]
    names = [op["operationId"] for _, op in ops]
    wrong += [f"operationId {n} twice" for n in sorted(set(names)) if names.count(n) > 1]
    for path, op in ops:
        wrong += operation_faults(path, op, document["components"]["responses"])
    tell("the OpenAPI document holds together", wrong, len(ops))

    wrong = []
    for name, row in shown.commands.items():
        op = document["paths"].get("/v1/commands/" + name, {}).get("post")
        if not op:
            wrong.append(f"{name} is missing")
            continue
        lacks = [c for c in row["refuses"] if str(cat.errors[c]["http"]) not in op["responses"]]
        wrong += [f"{name}: no response for {c}" for c in lacks]
        answers = str(cat.errors["unavailable"]["http"]) in op["responses"]
        offered = row["state"] == "built" and name not in catalog_docs.ONLY_RPC and "unavailable" not in row["refuses"]
        if op["x-thole-state"] != row["state"] or answers == offered:
            wrong.append(f"{name}: {row['state']}, but the document says otherwise")
    tell("every command is in it, with its state and refusals", wrong, len(shown.commands))
    open_paths = [p for p, op in ops if op.get("security") == []]
    free = {"/healthz", "/", "/console/{name}", "/v1/console/sign-in", "/.well-known/agent-card.json", "/.well-known/oauth-protected-resource", "/v1/triggers/{name}", "/v1/node/call"}
    tell("only health, the agent card, the metadata for logins, the console's files, signing in, signed webhooks and calls of nodes need no token", [p for p in open_paths if p not in free])


def test_asyncapi():
    """Its refs lead somewhere, every class that is emitted has a message.

    The parser of the format's authors looks at it in ./test --deep=protocols."""
    document = reference("asyncapi.json")
    wrong = [f"no {ref}" for ref in sorted(set(all_refs(document))) if not resolves(document, ref)]
    built = {n for n, row in cat.events.items() if row["state"] == "built"}
    wrong += [f"no message for {n}" for n in sorted(built - set(document["components"]["messages"]))]
    sent = {m["$ref"].rsplit("/", 1)[1] for m in document["operations"]["sendEvents"]["messages"]}
    wrong += [f"{n} is not sent" for n in sorted(built - sent)]
    for name, channel in document["channels"].items():
        wrong += [f"{name}: no server {s}" for s in channel["servers"] if not resolves(document, s["$ref"])]
    tell("the AsyncAPI document holds together", wrong, len(built))


# ---- the catalogue's own page ----

def test_readme():
    """Every key that a row may have is explained."""
    with open(os.path.join(ROOT, "catalog", "README.md"), encoding="utf-8") as f:
        words = set(re.findall(r"`(\w+)`", f.read()))
    keys = {key for rows in (cat.events, cat.commands, cat.views, cat.config, cat.limits) for row in rows.values() for key in row}
    tell("catalog/README.md explains every key of a row", sorted(keys - words - {"file"}), len(keys))


# ---- rulings ----

UNPUBLISHED = re.compile(r"\b(DESIGN|ENGINE|THREATS|UX|PROTOCOLS|HOUSE_STYLE|REDESIGN)\b(?!_)|checklist|shared/specs")


def files_of(*folders):
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        try:
            yield name, read(os.path.join(ROOT, name))
        except (UnicodeDecodeError, OSError):
            pass


def test_rulings():
    """Every ruling that is cited can be read, and names only what exists."""
    text = read(os.path.join(ROOT, "docs", "rulings.md"))
    there = re.findall(r"^## (GAP-\d\d)$", text, re.M)
    listed = re.findall(r"^\| \[(GAP-\d\d)\]\(#gap-\d\d\)", text, re.M)
    wrong = [] if there == listed else ["the list at the top is not the list of sections"]
    wrong += [f"{g} twice" for g in sorted(set(there)) if there.count(g) > 1]
    cited = {}
    for name, source in files_of("src", "tests", "scripts", "catalog", "docs", "ARCHITECTURE.md"):
        for number in re.findall(r"\b(?:GAP-|#gap-)(\d\d)\b", source):
            cited.setdefault("GAP-" + number, name)
    wrong += [f"{name} cites {g}, which docs/rulings.md does not have" for g, name in sorted(cited.items()) if g not in there]
    families = {name.split(".")[0] for name in cat.events}
    not_classes = {"subagent.output", "item.index", "routing.on_no_candidate"}  # named as what they are not, members, settings
    for word in set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", text)) - set(cat.events) - not_classes:
        if word.split(".")[0] in families:
            wrong.append(f"there is no class {word}")
    for target in re.findall(r"\]\(([^)#]+)", text):
        if not os.path.exists(os.path.join(ROOT, "docs", target)):
            wrong.append(f"there is no {target}")
    tell("docs/rulings.md has every ruling that is cited, and names classes that exist", wrong, len(there))
    wrong = [f"{name}: {m.group(0)}" for name, page in files_of("docs", "catalog", "README.md", "ARCHITECTURE.md")
             for m in [UNPUBLISHED.search(page)] if m]
    tell("published pages cite only what is published", wrong)


# ---- coverage ---------------------------------------------------------------------------------

def test_coverage():
    run = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "coverage.py"), BUILD],
                         capture_output=True, text=True)
    lines = run.stdout.splitlines() + run.stderr.splitlines()
    ok = run.returncode == 0 and re.fullmatch(r"produced \d+ of 120 classes \(\d+ built\)", lines[-1])
    tell("tests produced only what the catalogue allows", [] if ok else lines)


# ---- all of it --------------------------------------------------------------------------------

def main():
    test_fresh()
    test_links()
    test_routes()
    test_numbers()
    if Draft202012Validator:
        for test in (test_schemas, test_events, test_snapshots, test_commands, test_problems):
            test()
    else:
        skip("schemas", "python3-jsonschema is not installed")
    test_openapi()
    test_asyncapi()
    test_readme()
    test_rulings()
    test_coverage()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
