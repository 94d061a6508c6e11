#!/usr/bin/env python3
"""Write everything that follows from catalog/: C structs and tables, schemas, reference pages.

usage: scripts/catalog.py                          write the committed files: schemas, OpenAPI, reference pages
       scripts/catalog.py --check                  exit 1 when a committed file is not what would be written
       scripts/catalog.py --c BUILD/src/LAYER/gen DEPFILE   write the C files of one layer, for the build

The row format is in catalog/README.md.  Standard library only.
"""
import copy
import json
import os
import re
import sys

import catalog_async
import catalog_docs
import catalog_evidence
import catalog_forms
import catalog_inputs
import catalog_lines
import catalog_metrics
import catalog_prompts
import catalog_proto
import catalog_providers
import catalog_settings
import catalog_settings_record
import catalog_tool_errors
import catalog_tools

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
        self.tools = load_dir("tools")
        tool_errors = load("tool_errors.json")
        self.tool_error_groups, self.tool_errors = tool_errors["groups"], tool_errors["errors"]
        metrics = load("metrics.json")
        self.metric_buckets, self.metrics = metrics["buckets"], metrics["metrics"]
        self.config = load("config.json")
        for key, row in self.config.items():
            row.setdefault("env", "THOLE_" + key.upper().replace(".", "_"))
        self.settings = {"settings_config": catalog_settings.decided(self), **load("settings.json")["records"]}
        self.limits = load("limits.json")
        for part in (self.records, self.states, self.envelope, self.events, self.commands, self.views, self.config):
            name_limits(part, self.limits)
        self.forms = load("forms.json")
        self.inputs = load("inputs.json")
        self.evidence = load("evidence.json")
        providers = load("providers.json")
        self.accounts, self.dialects, self.providers = providers["accounts"], providers["dialects"], providers["providers"]
        self.models = load("models.json")
        self.enums["event_type"] = sorted(self.events, key=lambda name: self.events[name]["number"])
        if [self.events[name]["number"] for name in self.enums["event_type"]] != list(range(1, len(self.events) + 1)):
            problem("the numbers of the event classes are not 1 to the number of classes")
        self.enums["error_code"] = list(self.errors)
        self.enums["gate_kind"] = list(self.kinds)
        self.enums["own_tool"] = [n for n, _ in catalog_tools.in_order(self, "agent")]
        self.enums["scope"] = ["read", "write", "approve", "admin"]


def snake(name):
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().replace(".", "_").replace("-", "_")


C_WORDS = {"errno", "for", "default", "register", "switch", "case", "auto", "int", "long", "short", "static", "double", "unsigned"}


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
    "dict": "FIELD_DICT", "payload": "FIELD_PAYLOAD", "set": "FIELD_REC", "array": "FIELD_ARRAY", "part": "FIELD_PART", "names": "FIELD_NAMES",
}


class FieldNames:
    """One string with the names of all fields: a table of places needs no relocation, as a table of pointers does."""

    def __init__(self):
        self.text, self.places = "", {}

    def place(self, name):
        if name not in self.places:
            self.places[name] = len(self.text)
            self.text += name
        return self.places[name]

    def c_table(self):
        if len(self.text) > 0xffff or any(len(name) > 0xff for name in self.places):
            problem("the names of fields do not fit in the numbers of struct field")
        lines = [self.text[i:i + 100] for i in range(0, len(self.text), 100)]
        return "const char rec_field_names[] =\n" + "\n".join("\t" + quoted(line) for line in lines) + ";\n"


field_names = FieldNames()


def c_fields(name, fields, title=None):
    """The field table and the record's description; title: its name in messages."""
    title = title or (name.split("_", 1)[1] if name != "event" else "event")
    struct = f"struct {name}"
    rows = []
    for f in fields:
        parts = f["type"].split()
        m = member(f["name"])
        kind = FIELD_TYPES[parts[1]].replace("FIELD_", "FIELD_LIST_") if parts[0] == "list" else FIELD_TYPES[parts[0]]
        alias = snake(f["name"])
        row = [f".name_at = {field_names.place(f['name'])}", f".name_len = {len(f['name'])}", f".alias_at = {field_names.place(alias)}",
               f".alias_len = {len(alias)}", f".type = {kind}", f".offset = offsetof({struct}, {m})"]
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
        if parts[0] in catalog_settings_record.HOLDS_RECORD:
            row.append(f".rec = &{parts[1]}_desc")
        if parts[0] == "array":
            row.append(f".has_offset = offsetof({struct}, {catalog_settings_record.count_member(m)})")
        rows.append("\t{ " + ", ".join(row) + " },")
    table = f"static const struct field {name}_fields[] = {{\n" + "\n".join(rows) + "\n};\n" if rows else ""
    ref = f"{name}_fields" if rows else "NULL"
    return (table + f"const struct rec_desc {name}_desc = {{ {quoted(title)}, {ref}, "
            f"{len(rows)}, {sum(1 for f in fields if f.get('required'))}, sizeof({struct}) }};\n\n")


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


def gen_words():
    """The public vocabulary as literals, for layers that do not include catalog/."""
    h = [HEAD, "#ifndef BASE_GEN_WORDS_H\n#define BASE_GEN_WORDS_H",
         "/*\n * Words of the wire: WORD_ENUM_NAME is one, WORDS_ENUM initialises a list of all of an enum, WORDS_ENUM_TEXT has them\n"
         " * with spaces between them.\n */\n"]
    for name in sorted(catalog_docs.public_enums(cat) | {"error_code", "chain_state", "interrupt_reason"}):
        words = cat.enums[name]
        h += [f"#define WORD_{upper(name)}_{upper(w)} {quoted(w)}" for w in words]
        h.append(f"#define WORDS_{upper(name)} " + ", ".join(quoted(w) for w in words))
        h.append(f"#define WORDS_{upper(name)}_TEXT {quoted(' '.join(words))}\n")
    h.append("#endif")
    return "\n".join(h) + "\n"


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
    c = [HEAD + "\n#include \"catalog/gen/records.h\"\n"]
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
    c.append("#include \"catalog/gen/settings_record.h\"\n")
    for name, fields in cat.settings.items():
        c.append(c_fields(name, [f for f in fields if "name" in f], name))
    c.insert(1, field_names.c_table())
    h.append("#endif")
    return "\n".join(h) + "\n", "\n".join(c)


def gate_row(name, kind, field, condition=None, or_next=False):
    """One rule of the order check; condition: a field of the payload and the word that it must have."""
    if kind not in cat.kinds:
        problem(f"{name}: no kind {kind}")
    parts = [f"GATE_KIND_{upper(kind)}", f"offsetof(struct event, {member(field)})"]
    if condition:
        of = next((f["type"] for f in cat.events[name]["payload"] if f["name"] == condition[0]), "")
        if not of.startswith("enum ") or condition[1] not in cat.enums[of[5:]]:
            problem(f"{name}: {condition[0]} cannot be {condition[1]}")
        parts += [f".field = offsetof(struct {event_struct(name)}, {member(condition[0])})",
                  f".word = {upper(of[5:])}_{upper(condition[1])}"]
    if or_next:
        parts.append(".or_next = true")
    return "{ " + ", ".join(parts) + " }"


def gate_rows(name, row, key):
    """The rules of one event class: needs, needs_if and needs_any together."""
    out = [gate_row(name, *each) for each in row.get(key, [])]
    out += [gate_row(name, kind, field, condition) for kind, field, *condition in row.get(key + "_if", [])]
    any_of = row.get(key + "_any", [])
    out += [gate_row(name, *each, or_next=i + 1 < len(any_of)) for i, each in enumerate(any_of)]
    return "(const struct gate[]){ " + ", ".join(out + ["{ 0 }"]) + " }" if out else "no_gates"


# The pages of the standard that describe the public core; the other pages belong to the profile.
CORE_PAGES = ("specification", "contracts/control-plane", "contracts/runtime-event-stream", "contracts/state-snapshots")


def is_core(row):
    return "true" if row.get("spec", "").split("#")[0] in CORE_PAGES else "false"


def gen_classes():
    fields = {f["name"]: i for i, f in enumerate(cat.envelope)}
    c = [HEAD, "#include \"catalog/catalog.h\"\n\n#define STRC(s) { s, sizeof(s) - 1 }\n"]
    c.append("static const struct gate no_gates[] = { { 0 } };\n")
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
        if row.get("statuses", "status") not in cat.enums:
            problem(f"{name}: no enum {row['statuses']}")
        statuses = f"&enum_{row['statuses']}" if row.get("statuses") else "NULL"
        effect = "EFFECT_" + upper(row["effect"]) if row.get("effect") else "EFFECT_NONE"
        c.append(f"\t[EV_{upper(name)}] = {{\n\t\t.name = STRC({quoted(name)}), .is_built = "
                 f"{'true' if row['state'] == 'built' else 'false'}, .is_core = {is_core(row)}, .since = {row.get('since', 0)}, .effect = {effect},\n"
                 f"\t\t.payload = &{event_struct(name)}_desc, .scope = 0x{mask:x}ull, .requires = 0x{requires:x}ull,\n"
                 f"\t\t.needs = {gate_rows(name, row, 'needs')}, .opens = {gate_rows(name, row, 'opens')},\n"
                 f"\t\t.statuses = {statuses}, .closes = {gate_rows(name, row, 'closes')}, .reopens = {gate_rows(name, row, 'reopens')},\n\t}},")
    c.append("};\n")
    c.append("const struct command_class command_classes[COMMAND_COUNT] = {")
    for name, row in cat.commands.items():
        target = {"session": "TARGET_SESSION", "session_new": "TARGET_SESSION_NEW", "runtime": "TARGET_RUNTIME",
                  "session_or_all": "TARGET_SESSION_OR_ALL"}[row.get("target", "runtime")]
        c.append(f"\t[COMMAND_{upper(name)}] = {{ STRC({quoted(name)}), STRC({quoted(row['summary'])}), "
                 f"{'true' if row['state'] == 'built' else 'false'}, {'true' if row['kind'] == 'mutate' else 'false'}, "
                 f"SCOPE_{upper(row['scope'])}, {target}, &cmd_{name}_desc, &reply_{name}_desc, {'true' if row.get('own') else 'false'}, {is_core(row)}, "
                 f"{'true' if row.get('internal') else 'false'} }},")
    c.append("};\n")
    c.append("const struct view_class view_classes[] = {")
    c += [f"\t{{ STRC({quoted(name)}), {'true' if row['state'] == 'built' else 'false'} }}," for name, row in cat.views.items()]
    c.append("};\nconst size_t view_class_count = sizeof view_classes / sizeof view_classes[0];\n")
    h = [HEAD, "#ifndef CATALOG_GEN_COMMANDS_H\n#define CATALOG_GEN_COMMANDS_H\n"]
    h.append(f"/* What this program folds: the highest `since` of a class, and at least 1. */\n#define CATALOG_REV {max([1, *(row.get('since', 0) for row in cat.events.values())])}\n")
    h.append("enum command {\n\tCOMMAND_ABSENT,")
    h += [f"\tCOMMAND_{upper(n)}," for n in cat.commands]
    h.append("\tCOMMAND_COUNT\n};\n\n#endif")
    lim = [HEAD, "#ifndef BASE_GEN_LIMITS_H\n#define BASE_GEN_LIMITS_H\n/* Every layer may include this. */\n"]
    for name, row in cat.limits.items():
        lim.append(f"/* {row['doc']} */\n#define LIMIT_{upper(name)} {row['value']}")
    lim.append("\n#endif")
    return "\n".join(c), "\n".join(h) + "\n", "\n".join(lim) + "\n"


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
    h.append("\n/* The classes of the events that it may leave, and EV_ABSENT behind them. */")
    h.append("static inline const enum event_type *query_emits(enum command command)\n{\n\tstatic const enum event_type none[] = { EV_ABSENT };\n")
    emitting = {name: row["emits"] for name, row in cat.commands.items() if row.get("emits")}
    for name, emits in emitting.items():
        h.append(f"\tstatic const enum event_type of_{name}[] = {{ {', '.join('EV_' + upper(e) for e in emits)}, EV_ABSENT }};")
    h.append("\n\tswitch (command) {")
    h += [f"\tcase COMMAND_{upper(name)}:\n\t\treturn of_{name};" for name in emitting]
    h.append("\tdefault:\n\t\treturn none;\n\t}\n}\n")
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


def gen_registries():
    """Groups of hosts, for settings of the network."""
    groups = load("registries.json")["groups"]
    h = [HEAD, "#ifndef BASE_GEN_REGISTRIES_H\n#define BASE_GEN_REGISTRIES_H",
         "/* Rows { group, host }, from catalog/registries.json. */\n"]
    rows = [(name, host) for name, row in groups.items() for host in row["hosts"]]
    h.append("#define REGISTRY_HOSTS " + ", ".join(f"{{ {json.dumps(n)}, {json.dumps(x)} }}" for n, x in rows) + "\n")
    h.append("#define REGISTRY_GROUPS_TEXT " + json.dumps(" ".join(groups)) + "\n")
    h.append("#endif")
    return "\n".join(h) + "\n"


def gen_languages():
    """Language servers as the JSON that thole-supervisor diagnose reads: one row per server and language."""
    rows = [{"name": s["name"], "argv": s["argv"], "language": language, "files": endings}
            for s in load("languages.json")["servers"] for language, endings in s["files"].items()]
    texts = [json.dumps(row, separators=(",", ":")) for row in rows]
    return "\n".join([HEAD, "#ifndef BASE_GEN_LANGUAGES_H\n#define BASE_GEN_LANGUAGES_H",
                      "/* Members of a JSON array, from catalog/languages.json. */\n",
                      "#define LANGUAGE_SERVERS_JSON " + " \\\n\t".join(json.dumps(t + ("," if n < len(texts) - 1 else "")) for n, t in enumerate(texts)) + "\n",
                      "#endif"]) + "\n"


def page_languages():
    data = load("languages.json")
    out = ["# Language servers\n", data["doc"] + " [How](../how-to/diagnostics.md)\n", "| server | command | files |", "| --- | --- | --- |"]
    out += [f"| {s['name']} | `{' '.join(s['argv'])}` | {', '.join(f'`{e}`' for x in s['files'].values() for e in x)} |" for s in data["servers"]]
    return "\n".join(out) + "\n"


def page_registries():
    data = load("registries.json")
    out = ["# Groups of registries\n", data["doc"] + "\n", "| group | for | hosts |", "| --- | --- | --- |"]
    out += [f"| `{name}` | {row['doc']} | {', '.join(f'`{x}`' for x in row['hosts'])} |" for name, row in data["groups"].items()]
    return "\n".join(out) + "\n"


def c_app():
    return {**catalog_lines.c_files(cat, HEAD, quoted), "object_settings.h": catalog_settings.object_names(cat, HEAD, quoted)}


def c_base():
    limits = gen_classes()[2]
    return {"system_paths.h": gen_system(), "registries.h": gen_registries(), "languages.h": gen_languages(), "protected_paths.h": gen_protected()[0], "limits.h": limits,
            "words.h": gen_words(), "tool_args.h": catalog_tools.c_args(cat, HEAD, member),
            "tool_errors.h": catalog_tool_errors.c_header(cat, HEAD)}


def c_catalog():
    out = {}
    out["vocab.h"], out["vocab.c"] = gen_vocab()
    out["records.h"], out["records.c"] = gen_records()
    out["classes.c"], out["commands.h"], _ = gen_classes()
    out.update(catalog_settings.c_files(cat, HEAD, quoted, upper, member))
    out.update(catalog_evidence.c_files(cat, HEAD, quoted))
    out.update(catalog_metrics.c_files(cat, HEAD, quoted))
    out["settings_record.h"] = catalog_settings_record.header(cat, HEAD, member)
    if not problems:
        out["form_ui.c"] = catalog_forms.gen_ui(cat, HEAD)
    return out


def c_core():
    h, c = gen_core()
    tools = tool_table("core", "agent_tools_table", ["agent"])
    return {"tables.h": h, "tables.c": c, **tools, **catalog_prompts.c_files(cat, HEAD, upper),
            **catalog_inputs.c_files(cat, HEAD)}


def c_engine():
    h, c = gen_engine()
    return {"queries.h": h, "queries.c": c, **tool_table("engine", "process_tools_table", ["process"]),
            **tool_table("engine", "output_tools_table", ["output"]), **tool_table("engine", "skill_tools_table", ["skill"])}


def c_filetool():
    return catalog_tools.c_filetool(cat, HEAD)


def c_proto():
    return catalog_proto.c_files(HEAD)


def c_provider():
    return {**tool_table("provider", "question_table", ["question"]),
            **catalog_providers.c_files(cat, HEAD, quoted)}


def c_tools():
    return {**tool_table("tools", "tools_table", ["workspace"]),
            **tool_table("tools", "fetch_table", ["fetch"]), **tool_table("tools", "search_table", ["search"])}


def tool_table(layer, name, sets):
    return catalog_tools.c_table(cat, upper, HEAD, layer, name, sets)


# Generated C per layer; the build writes it to src/LAYER/gen/ below the build directory.
C_LAYERS = {"app": c_app, "base": c_base, "catalog": c_catalog, "core": c_core, "engine": c_engine, "filetool": c_filetool,
            "proto": c_proto, "provider": c_provider, "tools": c_tools}


def shown():
    """The catalogue as readers see it: without commands that only the runtime itself sends."""
    part = copy.copy(cat)
    part.commands = {name: row for name, row in cat.commands.items() if not row.get("internal")}
    return part


def committed_files():
    """{path: text} of what is committed, because its diff is the review of the API: schemas and pages."""
    return {"docs/reference/protected-paths.md": gen_protected()[1], "docs/reference/registries.md": page_registries(),
            "docs/reference/languages.md": page_languages(), **catalog_docs.outputs(shown()), **catalog_async.outputs(shown()), **catalog_forms.outputs(cat), **catalog_evidence.outputs(cat),
            **catalog_providers.outputs(cat, catalog_docs.NOTICE), **catalog_tools.outputs(cat, catalog_docs.NOTICE),
            **catalog_tool_errors.outputs(cat, catalog_docs.NOTICE), **catalog_metrics.outputs(cat, catalog_docs.NOTICE),
            **catalog_prompts.outputs(cat)}


def check_rows():
    for part in (catalog_evidence, catalog_forms, catalog_inputs, catalog_lines, catalog_metrics, catalog_prompts, catalog_proto, catalog_providers, catalog_settings, catalog_settings_record,
                 catalog_tool_errors, catalog_tools):
        part.check(cat, problem)


def write_if_changed(path, text):
    """True if the file was not what it should be.  An unchanged file keeps its time, so nothing is compiled again."""
    if os.path.exists(path):
        with open(path) as f:
            if f.read() == text:
                return False
    with open(path, "w") as f:
        f.write(text)
    return True


def write_depfile(path, target):
    """For ninja: everything that was read.  A folder stands for the files that may be added to it."""
    read = []
    for at, _, names in os.walk(CAT):
        read += [at, *(os.path.join(at, name) for name in names if name.endswith(".json"))]
    read += [catalog_prompts.DIR, *(os.path.join(catalog_prompts.DIR, name) for name in (*catalog_prompts.FILES, "VERSION"))]
    read += catalog_inputs.headers(cat)
    read += [m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None) and m.__file__.startswith(ROOT)]
    with open(path, "w") as f:
        f.write(f"{target}: " + " ".join(r.replace(" ", "\\ ") for r in sorted(read)) + "\n")


def write_c(out_dir, depfile):
    """The C files of one folder gen/: out_dir ends with LAYER/gen."""
    check_rows()
    files = C_LAYERS[os.path.basename(os.path.dirname(os.path.abspath(out_dir)))]()
    if problems:
        return
    for name, text in files.items():
        write_if_changed(os.path.join(out_dir, name), text)
    write_depfile(depfile, os.path.join(out_dir, sorted(files)[0]))


def write_committed():
    for path, text in committed_files().items():
        full = os.path.join(ROOT, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        write_if_changed(full, text)


def find_stale():
    """The committed files that are not what would be written."""
    for path, text in committed_files().items():
        full = os.path.join(ROOT, path)
        if not os.path.exists(full) or open(full).read() != text:
            problem(f"{path} is not what scripts/catalog.py writes")


def main():
    args = sys.argv[1:]
    if args[:1] == ["--c"]:
        write_c(*args[1:])
    else:
        check_rows()
        for layer in C_LAYERS.values():
            layer()
        if not problems:
            find_stale() if args == ["--check"] else write_committed()
    for p in problems:
        print("catalog: " + p, file=sys.stderr)
    return 1 if problems else 0


cat = None
if __name__ == "__main__":
    cat = Catalog()
    sys.exit(main())
