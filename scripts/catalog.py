#!/usr/bin/env python3
"""Write everything that follows from catalog/: C structs and tables, schemas, reference pages.

usage: scripts/catalog.py [--check]

With --check nothing is written; the exit code is 1 when a committed file is not what would be
written.  The row format is in catalog/README.md.  Standard library only.
"""
import json
import os
import re
import sys

import catalog_docs
import catalog_forms

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CAT = os.path.join(ROOT, "catalog")
HEAD = "/* Written by scripts/catalog.py from catalog/; do not edit. */\n"

problems = []


def problem(text):
    problems.append(text)


def no_duplicates(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            problem(f"key '{key}' stands twice in one object")
        seen[key] = value
    return seen


def load(path):
    with open(os.path.join(CAT, path)) as f:
        return json.load(f, object_pairs_hook=no_duplicates)


def load_dir(name):
    rows = {}
    for file in sorted(os.listdir(os.path.join(CAT, name))):
        if file.endswith(".json"):
            for key, row in load(f"{name}/{file}").items():
                if key in rows:
                    problem(f"{name}: {key} is declared twice")
                row["file"] = file[:-5]
                rows[key] = row
    return rows


def name_limits(part, limits):
    """A "max" may be the name of a limit: from here on it is the number."""
    if isinstance(part, list):
        for each in part:
            name_limits(each, limits)
    elif isinstance(part, dict):
        if isinstance(part.get("max"), str):
            if part["max"] not in limits:
                problem(f"\"max\": \"{part['max']}\" is not a limit")
            part["max"] = limits.get(part["max"], {"value": 0})["value"]
        for each in part.values():
            name_limits(each, limits)


class Catalog:
    def __init__(self):
        vocab = load("vocab.json")
        self.enums = vocab["enums"]
        self.errors = vocab["errors"]
        self.kinds = vocab["kinds"]
        self.records = load("records.json")["records"]
        state = load("state.json")
        self.states = state["records"]
        self.enums.update(state["enums"])
        self.envelope = load("envelope.json")["fields"]
        self.events = load_dir("events")
        self.commands = load_dir("commands")
        self.views = load_dir("views")
        self.config = load("config.json")
        for key, row in self.config.items():
            row.setdefault("env", "THOLE_" + key.upper().replace(".", "_"))
        self.limits = load("limits.json")
        for part in (self.records, self.states, self.envelope, self.events, self.commands, self.views, self.config):
            name_limits(part, self.limits)
        self.forms = load("forms.json")
        self.enums["event_type"] = [None] * 121
        for name, row in self.events.items():
            if self.enums["event_type"][row["number"]]:
                problem(f"number {row['number']} is used twice")
            self.enums["event_type"][row["number"]] = name
        self.enums["event_type"] = self.enums["event_type"][1:]
        if None in self.enums["event_type"]:
            problem("the event classes do not have the numbers 1 to 120")
        self.enums["error_code"] = list(self.errors)
        self.enums["gate_kind"] = list(self.kinds)
        self.enums["scope"] = ["read", "write", "approve", "admin"]


def snake(name):
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().replace(".", "_").replace("-", "_")


C_WORDS = {"errno", "for", "default", "register", "switch", "case", "auto", "int", "long", "short", "static", "double"}


def member(name):
    s = snake(name)
    return s + "_" if s in C_WORDS else s


def upper(name):
    return snake(name).upper()


def quoted(s):
    return json.dumps(s, ensure_ascii=False)


def struct_name(space, kind):
    """A record's struct: rec_x for records.json, st_x for state.json."""
    return space + "_" + kind


def check_type(where, t):
    parts = t.split()
    if parts[0] == "list":
        parts = parts[1:]
        if parts[0] not in ("str", "id", "int", "json", "rec", "st"):
            problem(f"{where}: list of {parts[0]}")
    if parts[0] == "enum" and parts[1] not in cat.enums:
        problem(f"{where}: no enum {parts[1]}")
    if parts[0] == "rec" and parts[1] not in cat.records or parts[0] == "st" and parts[1] not in cat.states:
        problem(f"{where}: no record {parts[1]}")
    if parts[0] not in ("str", "id", "int", "real", "usd", "bool", "time", "enum", "rec", "st", "json", "dict", "payload"):
        problem(f"{where}: no type {t}")


def needs_has(f):
    return f["type"] in ("int", "real", "usd", "bool") and not f.get("required")


def c_members(f, where, const=""):
    """The C members of a field; const stands before what a pointer of the folded state points to."""
    t = f["type"]
    check_type(f"{where}.{f['name']}", t)
    m = member(f["name"])
    parts = t.split()
    if parts[0] == "list":
        if parts[1] in ("str", "id", "json"):
            line = f"struct list_str {m};"
        elif parts[1] == "int":
            line = f"struct list_int {m};"
        else:
            line = f"struct {{\n\t\t{const}struct {struct_name(parts[1], parts[2])} **items;\n\t\tuint32_t count, cap;\n\t}} {m};"
    elif t in ("str", "id", "json"):
        line = f"struct str {m};"
    elif t in ("int", "usd", "time"):
        line = f"int64_t {m};"
    elif t == "real":
        line = f"double {m};"
    elif t == "bool":
        line = f"bool {m};"
    elif t == "dict":
        line = f"struct dict {m};"
    elif t == "payload":
        line = f"const void *{m};"
    elif parts[0] == "enum":
        line = f"enum {parts[1]} {m};"
    else:
        line = f"{const}struct {struct_name(*parts)} *{m};"
    out = [line]
    if needs_has(f):
        out.append(f"bool has_{m};")
    return out


def c_struct(name, fields, where):
    lines = [f"struct {name} {{"]
    const = "STATE_CONST " if name.startswith("st_") else ""
    for f in fields:
        lines += ["\t" + x for x in c_members(f, where, const)]
    if not fields:
        lines.append("\tchar nothing;")
    lines.append("};")
    return "\n".join(lines) + "\n"


FIELD_TYPES = {
    "str": "FIELD_STR", "id": "FIELD_ID", "int": "FIELD_INT", "real": "FIELD_REAL", "usd": "FIELD_USD",
    "bool": "FIELD_BOOL", "time": "FIELD_TIME", "enum": "FIELD_ENUM", "rec": "FIELD_REC", "st": "FIELD_REC", "json": "FIELD_JSON",
    "dict": "FIELD_DICT", "payload": "FIELD_PAYLOAD",
}


def c_fields(name, fields):
    """The field table and the record's description."""
    struct = f"struct {name}"
    rows = []
    for f in fields:
        parts = f["type"].split()
        m = member(f["name"])
        kind = FIELD_TYPES[parts[1]].replace("FIELD_", "FIELD_LIST_") if parts[0] == "list" else FIELD_TYPES[parts[0]]
        row = [f".name = STRC({quoted(f['name'])})", f".alias = STRC({quoted(snake(f['name']))})", f".type = {kind}",
               f".offset = offsetof({struct}, {m})"]
        if f.get("required"):
            row.append(".required = true")
        if needs_has(f):
            row.append(f".has_offset = offsetof({struct}, has_{m})")
        if f.get("max"):
            row.append(f".max = {f['max']}")
        if parts[0] == "enum":
            row.append(f".words = &enum_{parts[1]}")
        if len(parts) > 1 and parts[-2] in ("rec", "st"):
            row.append(f".rec = &{struct_name(*parts[-2:])}_desc")
        rows.append("\t{ " + ", ".join(row) + " },")
    table = f"static const struct field {name}_fields[] = {{\n" + "\n".join(rows) + "\n};\n" if rows else ""
    ref = f"{name}_fields" if rows else "NULL"
    return (table + f"const struct rec_desc {name}_desc = {{ {quoted(name.split('_', 1)[1] if name != 'event' else 'event')}, {ref}, "
            f"{len(rows)}, sizeof({struct}) }};\n\n")


def event_struct(name):
    return "ev_" + snake(name)


def gen_vocab():
    h = [HEAD, "#ifndef CATALOG_GEN_VOCAB_H\n#define CATALOG_GEN_VOCAB_H\n#include \"catalog/rec.h\"\n"]
    c = [HEAD, "#include \"catalog/gen/vocab.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n"]
    for name, words in cat.enums.items():
        prefix = "EV" if name == "event_type" else upper(name)
        h.append(f"enum {name} {{\n\t{prefix}_ABSENT,")
        h += [f"\t{prefix}_{upper(w)}," for w in words]
        h.append(f"\t{prefix}_COUNT\n}};\nextern const struct enum_desc enum_{name};\n")
        c.append(f"static const struct str {name}_words[] = {{\n\t{{ NULL, 0 }},")
        c += [f"\tSTRC({quoted(w)})," for w in words]
        c.append(f"}};\nconst struct enum_desc enum_{name} = {{ {quoted(name)}, {name}_words, {len(words) + 1} }};\n")
        if name != "event_type":
            h.append(f"static inline struct str {name}_word(enum {name} v)\n{{\n\treturn enum_word(&enum_{name}, v);\n}}\n")
    h.append("/* What a problem says besides its code. */\nstruct error_info {\n\tstruct str code, category, title;\n"
             "\tint http, jsonrpc;\n\tbool retryable;\n};\nextern const struct error_info error_infos[];\n")
    c.append("const struct error_info error_infos[] = {\n\t{ .http = 500, .jsonrpc = -32603 },")
    for code, e in cat.errors.items():
        c.append(f"\t{{ STRC({quoted(code)}), STRC({quoted(e['category'])}), STRC({quoted(e['title'])}), {e['http']}, "
                 f"{e['jsonrpc']}, {'true' if e['retryable'] else 'false'} }},")
    c.append("};")
    h.append("\n#endif")
    return "\n".join(h) + "\n", "\n".join(c) + "\n"


def all_records():
    for name, fields in cat.records.items():
        yield struct_name("rec", name), fields, f"record {name}"
    for name, fields in cat.states.items():
        yield struct_name("st", name), fields, f"state {name}"
    yield "event", cat.envelope, "envelope"
    for name, row in cat.events.items():
        yield event_struct(name), row["payload"], f"event {name}"
    for name, row in cat.commands.items():
        yield "cmd_" + name, row.get("args", []), f"command {name}"
        # The engine adds the sequence when it is known.
        reply = [{**f, "required": False} if f["name"] == "sequence" else f for f in row.get("reply", [])]
        yield "reply_" + name, reply, f"reply {name}"


STATE_CONST = """/*
 * What the folded state points to is const, so that only folds can change it:
 * they include core/fold_part.h before anything else.
 */
#ifdef FOLDS_STATE
#define STATE_CONST
#else
#define STATE_CONST const
#endif
"""


def gen_records():
    h = [HEAD, "#ifndef CATALOG_GEN_RECORDS_H\n#define CATALOG_GEN_RECORDS_H\n#include \"catalog/gen/vocab.h\"\n", STATE_CONST]
    c = [HEAD, "#include \"catalog/gen/records.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n"]
    rows = list(all_records())
    for name, _, _ in rows:
        h.append(f"struct {name};")
    h.append("")
    for name, fields, where in rows:
        names = [f["name"] for f in fields]
        for n in set(names):
            if names.count(n) > 1:
                problem(f"{where}: {n} stands twice")
        if len(fields) > 128:
            problem(f"{where}: more than 128 fields")
        h.append(c_struct(name, fields, where))
        h.append(f"extern const struct rec_desc {name}_desc;\n")
        c.append(c_fields(name, fields))
    h.append("#endif")
    return "\n".join(h) + "\n", "\n".join(c)


def gate_rows(row, key):
    out = []
    for kind, field in row.get(key, []):
        if kind not in cat.kinds:
            problem(f"gate: no kind {kind}")
        out.append(f"{{ GATE_KIND_{upper(kind)}, offsetof(struct event, {member(field)}) }}")
    if len(out) > 3:
        problem("gate: more than three rows")
    return "{ " + ", ".join(out) + " }" if out else "{ { 0 } }"


def gen_classes():
    fields = {f["name"]: i for i, f in enumerate(cat.envelope)}
    c = [HEAD, "#include \"catalog/catalog.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n"]
    c.append("const struct event_class event_classes[EV_COUNT] = {")
    for name, row in sorted(cat.events.items(), key=lambda x: x[1]["number"]):
        mask = 0
        for s in row.get("scope", []):
            if s not in fields:
                problem(f"{name}: no envelope field {s}")
                continue
            mask |= 1 << fields[s]
        for s in row.get("companions", []):
            if s not in fields:
                problem(f"{name}: no companion {s}")
        requires = 0
        for s in row.get("requires", []):
            if s != "refs" and fields.get(s, 64) < 64:
                requires |= 1 << fields[s]
        effect = "EFFECT_" + upper(row["effect"]) if row.get("effect") else "EFFECT_NONE"
        c.append(f"\t[EV_{upper(name)}] = {{\n\t\t.name = STRC({quoted(name)}), .is_built = "
                 f"{'true' if row['state'] == 'built' else 'false'}, .effect = {effect},\n"
                 f"\t\t.payload = &{event_struct(name)}_desc, .scope = 0x{mask:x}ull, .requires = 0x{requires:x}ull,\n"
                 f"\t\t.needs = {gate_rows(row, 'needs')}, .opens = {gate_rows(row, 'opens')},\n"
                 f"\t\t.closes = {gate_rows(row, 'closes')}, .reopens = {gate_rows(row, 'reopens')},\n\t}},")
    c.append("};\n")
    c.append("const struct command_class command_classes[COMMAND_COUNT] = {")
    for name, row in cat.commands.items():
        target = {"session": "TARGET_SESSION", "session_new": "TARGET_SESSION_NEW", "runtime": "TARGET_RUNTIME",
                  "session_or_all": "TARGET_SESSION_OR_ALL"}[row.get("target", "runtime")]
        c.append(f"\t[COMMAND_{upper(name)}] = {{ STRC({quoted(name)}), STRC({quoted(row['summary'])}), "
                 f"{'true' if row['state'] == 'built' else 'false'}, {'true' if row['kind'] == 'mutate' else 'false'}, "
                 f"SCOPE_{upper(row['scope'])}, {target}, &cmd_{name}_desc, &reply_{name}_desc }},")
    c.append("};\n")
    c.append("const struct view_class view_classes[] = {")
    c += [f"\t{{ STRC({quoted(name)}), {'true' if row['state'] == 'built' else 'false'} }}," for name, row in cat.views.items()]
    c.append("};\nconst size_t view_class_count = sizeof view_classes / sizeof view_classes[0];\n")
    h = [HEAD, "#ifndef CATALOG_GEN_COMMANDS_H\n#define CATALOG_GEN_COMMANDS_H\n"]
    h.append("enum command {\n\tCOMMAND_ABSENT,")
    h += [f"\tCOMMAND_{upper(n)}," for n in cat.commands]
    h.append("\tCOMMAND_COUNT\n};\n\n#endif")
    lim = [HEAD, "#ifndef BASE_GEN_LIMITS_H\n#define BASE_GEN_LIMITS_H\n/* Every layer may include this. */\n"]
    for name, row in cat.limits.items():
        lim.append(f"/* {row['doc']} */\n#define LIMIT_{upper(name)} {row['value']}")
    lim.append("\n#endif")
    return "\n".join(c), "\n".join(h) + "\n", "\n".join(lim) + "\n"


def gen_settings():
    """Settings: one row each, read by src/lib/config.c."""
    h = [HEAD, "#ifndef CATALOG_GEN_SETTINGS_H\n#define CATALOG_GEN_SETTINGS_H\n#include \"catalog/rec.h\"\n",
         "enum setting_type { SETTING_STR, SETTING_INT, SETTING_REAL, SETTING_BOOL, SETTING_ENUM, SETTING_LIST, SETTING_JSON };\n",
         "struct setting {\n\tstruct str key, doc, env;\n\tenum setting_type type;\n\tbool is_built;\n"
         "\tstruct str otherwise; /* its default as JSON */\n\tconst struct enum_desc *words;\n"
         "\tint64_t min, max; /* of a number */\n"
         "\tstruct str project; /* what a project's file may set it to, JSON: true, or values, the strictest last */\n};\n"
         "extern const struct setting settings[];\nextern const size_t setting_count;\n\n#endif"]
    c = [HEAD, "#include \"catalog/gen/settings.h\"\n\n#include \"catalog/gen/vocab.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n",
         "const struct setting settings[] = {"]
    kinds = {"str": "STR", "path": "STR", "int": "INT", "real": "REAL", "usd": "REAL", "bool": "BOOL", "time": "STR", "json": "JSON"}
    for key, row in cat.config.items():
        t = row["type"].split()
        kind = "LIST" if t[0] == "list" else "ENUM" if t[0] == "enum" else kinds[t[0]]
        words = f", &enum_{t[1]}" if kind == "ENUM" else ", NULL"
        env = f"STRC({quoted(row['env'])})" if row.get("env") else "{ NULL, 0 }"
        project = f"STRC({quoted(json.dumps(row['project']))})" if "project" in row else "{ NULL, 0 }"
        c.append(f"\t{{ STRC({quoted(key)}), STRC({quoted(row['doc'])}), {env}, SETTING_{kind}, "
                 f"{'true' if row['state'] == 'built' else 'false'}, STRC({quoted(json.dumps(row['default']))}){words},\n\t  "
                 f"{row.get('min', 'INT64_MIN')}, {row.get('max', 'INT64_MAX')}, {project} }},")
    c.append("};\nconst size_t setting_count = sizeof settings / sizeof settings[0];")
    return "\n".join(h) + "\n", "\n".join(c) + "\n"


def gen_core():
    """Fold and decide tables: the only place that ties class names to functions of the core."""
    h = [HEAD, "#ifndef CORE_GEN_TABLES_H\n#define CORE_GEN_TABLES_H\n#include \"catalog/catalog.h\"\n\nstruct state;\nstruct decision;\n"]
    c = [HEAD, "#include \"core/gen/tables.h\"\n\n#include \"core/decide.h\"\n#include \"core/fold.h\"\n"]
    c.append("void fold_event(struct state *w, const struct event *ev)\n{\n\tswitch (ev->type) {")
    for name, row in sorted(cat.events.items(), key=lambda x: x[1]["number"]):
        if row["state"] != "built" or not row.get("folds"):
            continue
        c.append(f"\tcase EV_{upper(name)}:")
        for topic in row["folds"]:
            fn = f"{topic}_on_{snake(name)}"
            h.append(f"void {fn}(struct state *w, const struct event *ev, const struct {event_struct(name)} *p);")
            c.append(f"\t\t{fn}(w, ev, ev->payload);")
        c.append("\t\tbreak;")
    c.append("\tdefault:\n\t\tbreak;\n\t}\n}\n")
    h.append("")
    c.append("bool decide_command(struct decision *d, enum command command, const void *args)\n{\n\tswitch (command) {")
    for name, row in cat.commands.items():
        if row["state"] != "built" or row.get("engine"):
            continue
        h.append(f"void decide_{name}(struct decision *d, const struct cmd_{name} *cmd);")
        c.append(f"\tcase COMMAND_{upper(name)}:\n\t\tdecide_{name}(d, args);\n\t\treturn true;")
    c.append("\tdefault:\n\t\treturn false;\n\t}\n}\n")
    h.append("\n#endif")
    return "\n".join(h) + "\n", "\n".join(c)


def gen_engine():
    """Commands that the engine answers itself: one handler each, query_COMMAND()."""
    h = [HEAD, "#ifndef ENGINE_GEN_QUERIES_H\n#define ENGINE_GEN_QUERIES_H\n#include \"catalog/catalog.h\"\n\nstruct request;\n"]
    c = [HEAD, "#include \"engine/gen/queries.h\"\n\n#include \"engine/query/query.h\"\n",
         "bool query_gather(struct request *r)\n{\n\tswitch (r->command.command) {"]
    for name, row in cat.commands.items():
        if row["state"] != "built" or not row.get("engine"):
            continue
        h.append(f"void query_{name}(struct request *r, const struct cmd_{name} *c);")
        c.append(f"\tcase COMMAND_{upper(name)}:\n\t\tquery_{name}(r, r->args);\n\t\treturn true;")
    c.append("\tdefault:\n\t\treturn false;\n\t}\n}\n")
    h.append("\n#endif")
    return "\n".join(h) + "\n", "\n".join(c)


PROTECTED_SCOPES = {"tree": "below every write root", "home": "below the home directory", "below_home": "below the home directory"}


def gen_protected():
    """The list of protected files, for the rules and for sandbox plans: base/ is all that both may include."""
    with open(os.path.join(ROOT, "catalog", "protected_paths.json")) as f:
        data = json.load(f)
    lists = {scope: [] for scope in PROTECTED_SCOPES}
    doc = ["# Protected files\n", "Generated from `catalog/protected_paths.json` by `scripts/catalog.py`.\n", data["doc"] + "\n",
           "| group | scope | why | paths |", "| --- | --- | --- | --- |"]
    for group in data["groups"]:
        if group["scope"] not in lists:
            problem(f"protected_paths: {group['name']}: no scope {group['scope']}")
            continue
        for path in group["paths"]:
            if path.startswith("/") or ".." in path or path in lists[group["scope"]]:
                problem(f"protected_paths: {path} stands twice, or is not relative")
            lists[group["scope"]].append(path)
        doc.append(f"| {group['name']} | `{group['scope']}` | {group['doc']} | " + ", ".join(f"`{p}`" for p in group["paths"]) + " |")
    h = [HEAD, "#ifndef BASE_GEN_PROTECTED_PATHS_H\n#define BASE_GEN_PROTECTED_PATHS_H",
         "/* Initialisers of lists of strings, from catalog/protected_paths.json. */\n"]
    for scope, paths in lists.items():
        h.append(f"/* {PROTECTED_SCOPES[scope]} */")
        h.append(f"#define PROTECTED_PATHS_{scope.upper()} " + ", ".join(json.dumps(p) for p in sorted(paths, key=str.encode)) + "\n")
    for path in data["covered"]:
        if path not in lists["tree"]:
            problem(f"protected_paths: {path} is covered, and in no tree")
    h.append("/* of the first list: the sandbox does not keep them from being made while they are missing */")
    h.append("#define PROTECTED_PATHS_OPEN " + ", ".join(json.dumps(p) for p in sorted(lists["tree"], key=str.encode) if p not in data["covered"]) + "\n")
    doc.append("\n" + data["covered_doc"] + "\n\n" + ", ".join(f"`{p}`" for p in data["covered"]))
    h.append("#endif")
    return "\n".join(h) + "\n", "\n".join(doc) + "\n"


SYSTEM_USES = {"sandbox": "commands in a sandbox see it", "public": "reading it is harmless to the permission rules"}


def gen_system():
    """Paths of the operating system, for the rules and for sandbox plans, in the order of the file."""
    lists = {use: [] for use in SYSTEM_USES}
    for row in load("system_paths.json")["paths"]:
        for use in row["use"]:
            if use not in lists or not row["path"].startswith("/") or row["path"] in lists[use]:
                problem(f"system_paths: {row['path']}: no use {use}, or not absolute, or twice")
                continue
            lists[use].append(row["path"])
    h = [HEAD, "#ifndef BASE_GEN_SYSTEM_PATHS_H\n#define BASE_GEN_SYSTEM_PATHS_H",
         "/* Initialisers of lists of strings, from catalog/system_paths.json. */\n"]
    for use, paths in lists.items():
        h.append(f"/* {SYSTEM_USES[use]} */")
        h.append(f"#define SYSTEM_PATHS_{use.upper()} " + ", ".join(json.dumps(p) for p in paths) + "\n")
    h.append("#endif")
    return "\n".join(h) + "\n"


def outputs():
    out = {}
    out["src/base/gen/system_paths.h"] = gen_system()
    out["src/base/gen/protected_paths.h"], out["docs/reference/protected-paths.md"] = gen_protected()
    out["src/catalog/gen/vocab.h"], out["src/catalog/gen/vocab.c"] = gen_vocab()
    out["src/catalog/gen/records.h"], out["src/catalog/gen/records.c"] = gen_records()
    out["src/catalog/gen/classes.c"], out["src/catalog/gen/commands.h"], out["src/base/gen/limits.h"] = gen_classes()
    out["src/catalog/gen/settings.h"], out["src/catalog/gen/settings.c"] = gen_settings()
    out["src/core/gen/tables.h"], out["src/core/gen/tables.c"] = gen_core()
    out["src/engine/gen/queries.h"], out["src/engine/gen/queries.c"] = gen_engine()
    catalog_forms.check(cat, problem)
    if not problems:
        out.update(catalog_docs.outputs(cat))
        out.update(catalog_forms.outputs(cat, HEAD))
    return out


def main():
    check = "--check" in sys.argv[1:]
    files = outputs()
    if problems:
        print("\n".join("catalog: " + p for p in problems), file=sys.stderr)
        return 1
    stale = 0
    for path, text in files.items():
        full = os.path.join(ROOT, path)
        old = open(full).read() if os.path.exists(full) else None
        if old == text:
            continue
        if check:
            print(f"{path} is not what scripts/catalog.py writes", file=sys.stderr)
            stale = 1
        else:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(text)
    return stale


cat = None
if __name__ == "__main__":
    cat = Catalog()
    sys.exit(main())
