"""What a decision reads besides the state, as structs and records; a part of scripts/catalog.py.

A row of catalog/settings.json is a member of the struct that decisions use.  A row with a name is recorded behind configRef.  A row with
"c" is not: it is declared as written there, and "unrecorded" says why.  The structs are generated, so no member lacks a row.
"""
import re
import textwrap

# Types beside those of records.json: a pointer to one, an array with its count, one that is embedded.
HOLDS_RECORD = ("set", "array", "part")
SCALARS = {"str": "struct str", "json": "struct str", "int": "int64_t", "usd": "int64_t", "bool": "bool", "real": "double", "names": "struct config_names"}


def count_member(name):
    """models: model_count."""
    return name.removesuffix("s") + "_count"


def c_lines(f, member):
    if "c" in f:
        return [f["c"] + ";"]
    kind, *of = f["type"].split()
    name = member(f["name"])
    if kind == "array":
        return [f"const struct {of[0]} *{name};", f"size_t {count_member(name)};"]
    if kind == "part":
        return [f"struct {of[0]} {name};"]
    if kind in ("set", "rec"):
        return [f"const struct {'rec_' if kind == 'rec' else ''}{of[0]} *{name};"]
    has = [f"bool has_{name};"] if f.get("sparse") else []
    return [f"enum {of[0]} {name};" if kind == "enum" else f"{SCALARS[kind]} {name};", *has]


def comment(text):
    lines = textwrap.wrap(text, 90)
    return [f"\t/* {text} */"] if len(lines) == 1 else ["\t/*", *(f"\t * {line}" for line in lines), "\t */"]


def header(cat, head, member):
    h = [head, "#ifndef CATALOG_GEN_SETTINGS_RECORD_H\n#define CATALOG_GEN_SETTINGS_RECORD_H",
         "#include \"catalog/gen/config_values.h\"\n#include \"catalog/gen/records.h\"\n",
         "struct asks;\nstruct rules;\nstruct schema;\nstruct state;\nstruct tool_sandbox;\nstruct tz;\nstruct settings;\n"]
    for name, fields in cat.settings.items():
        h.append(f"struct {name} {{")
        for f in fields:
            h += comment(f["doc"]) + ["\t" + line for line in c_lines(f, member)]
        h.append(f"}};\nextern const struct rec_desc {name}_desc;\n")
    h.append("/* The settings that decisions read, out of all settings. */\n"
             "void settings_config_take(const struct config_values *from, struct settings_config *ret);\n"
             "extern const struct settings_config settings_config_defaults;\n\n#endif")
    return "\n".join(h) + "\n"


def check(cat, problem):
    for name, fields in cat.settings.items():
        for f in fields:
            where = f"settings {name}.{f.get('name', f.get('c'))}"
            if "c" in f:
                if not f.get("unrecorded"):
                    problem(f"{where}: \"unrecorded\" has to say why it is not recorded")
                continue
            kind, *of = f["type"].split()
            known = {"enum": cat.enums, "rec": cat.records, **{k: cat.settings for k in HOLDS_RECORD}}
            if kind in known and of[0] not in known[kind] or kind not in known and kind not in SCALARS:
                problem(f"{where}: no type {f['type']}")
            if kind in ("int", "usd", "bool", "real", "array", "part", "names") and not f.get("required") and not f.get("sparse"):
                problem(f"{where}: a {kind} has to be required, because it has no absent value")
            if not re.fullmatch(r"[a-z][A-Za-z]*", f["name"]):
                problem(f"{where}: a name is camelCase")
