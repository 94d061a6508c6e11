"""The inputs of the core (catalog/inputs.json): tables of their fields, the calls that note and repeat them.

A struct of the core that is written by hand is compared with its row: a member that one of them lacks is an error of the build.
"""
import hashlib
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SRC = os.path.join(ROOT, "src")
PLAIN = {"str": ("struct str ", "FIELD_STR"), "int": ("int64_t ", "FIELD_INT"), "bool": ("bool ", "FIELD_BOOL"),
         "list str": ("struct list_str ", "FIELD_LIST_STR")}

FATES = ("noted", "asked", "replay", "result", "engine")  # catalog/inputs.json explains them


def declared(header, name):
    """The members of a struct in a header, in order; None: it is not there."""
    with open(os.path.join(SRC, header)) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    found = re.search(r"struct %s \{(.*?)\n\};" % name, text, re.S)
    if not found:
        return None
    body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r" \1", found.group(1))  # a pointer to a function
    body = re.sub(r"\[[^]]*\]", "", body)
    return [re.split(r"[\s*]+", part.strip())[-1] for line in body.split(";") if line.strip() for part in line.split(",")]


def described(fields):
    """The members that a row describes: an array has a second one for its count."""
    out = []
    for name, kind in fields.items():
        out.append(name)
        if kind.startswith("array ") and not kind.split()[2].startswith("="):
            out.append(kind.split()[2])
    return out


def check_noted(cat, problem):
    """The structs that the journal writes by hand: every member says what becomes of it, and what is noted is written."""
    with open(os.path.join(SRC, "core", "journal", "journal.c")) as f:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
    writes = set(re.findall(r"(?:->|\.)(\w+)", text))
    for name, row in cat.inputs["noted"].items():
        members = declared(row["header"], name)
        if members is None:
            problem(f"inputs: {row['header']} has no struct {name}")
            continue
        for member in sorted(set(members) ^ set(row["members"])):
            problem(f"inputs: {member} of struct {name} ({row['header']}): " +
                    ("does the journal note it?  No row says so" if member in members else "a row, and no such member"))
        for member, fate in row["members"].items():
            if fate not in FATES:
                problem(f"inputs: {name}.{member}: {fate} is none of {', '.join(FATES)}")
            elif fate == "noted" and member not in writes:
                problem(f"inputs: {name}.{member} is called noted, and core/journal/journal.c does not write it")


def check(cat, problem):
    check_noted(cat, problem)
    for name, row in cat.inputs["structs"].items():
        members = declared(row["header"], name)
        if members is None:
            problem(f"inputs: {row['header']} has no struct {name}")
        elif sorted(members) != sorted(described(row["fields"])):
            wrong = sorted(set(members) ^ set(described(row["fields"])))
            problem(f"inputs: struct {name} of {row['header']} and its row differ in {', '.join(wrong)}")
    for name, row in [*cat.inputs["structs"].items(), *cat.inputs["inputs"].items()]:
        for field, kind in row["fields"].items():
            parts = kind.split()
            if parts[0] in ("array", "inline", "struct") and parts[1] not in cat.inputs["structs"]:
                problem(f"inputs: {name}.{field}: no struct {parts[1]}")
            elif kind not in PLAIN and parts[0] not in ("array", "inline", "struct", "enum", "rec", "ev"):
                problem(f"inputs: {name}.{field}: no type {kind}")


def layout(cat):
    """Changes with anything that the bytes of a journal record depend on."""
    rows = [{n: r["fields"] for n, r in cat.inputs["structs"].items()}, {n: r["fields"] for n, r in cat.inputs["inputs"].items()},
            {n: [(f["name"], f["type"], f.get("required")) for f in r.get("args", [])] for n, r in cat.commands.items()},
            {n: [(f["name"], f["type"], f.get("required")) for f in r] for n, r in [*cat.records.items(), *cat.states.items()]}, cat.enums]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:8]


def c_type(kind):
    parts = kind.split()
    if kind in PLAIN:
        return PLAIN[kind][0]
    if parts[0] == "enum":
        return f"enum {parts[1]} "
    if parts[0] in ("rec", "ev"):
        return f"const struct {parts[0]}_{parts[1]} *"
    return f"const struct {parts[1]} *"


def table(struct, fields):
    rows = []
    for name, kind in fields.items():
        parts = kind.split()
        row = [f".offset = offsetof(struct {struct}, {name})"]
        if kind in PLAIN:
            row.append(f".type = {PLAIN[kind][1]}")
        elif parts[0] == "enum":
            row.append(".type = FIELD_ENUM")
        elif parts[0] in ("rec", "ev"):
            row.append(f".type = FIELD_REC, .rec = &{parts[0]}_{parts[1]}_desc")
        else:
            row.append(f".type = FIELD_{ {'array': 'ARRAY', 'inline': 'PART', 'struct': 'REC'}[parts[0]] }, .rec = &in_{parts[1]}_desc")
        if parts[0] == "array":
            row.append(f".has_offset = offsetof(struct {struct}, {parts[2].lstrip('=')})")
        rows.append("\t{ " + ", ".join(row) + " },")
    return rows


def c_desc(name, struct, fields):
    rows = table(struct, fields)
    if not rows:
        return f"static const struct rec_desc {name}_desc = {{ \"{name[3:]}\", NULL, 0, 0, sizeof(struct {struct}) }};\n"
    return (f"static const struct field {name}_fields[] = {{\n" + "\n".join(rows) + "\n};\n"
            f"{'' if struct != name else 'static '}const struct rec_desc {name}_desc = {{ \"{name[3:]}\", {name}_fields, {len(rows)}, 0, sizeof(struct {struct}) }};\n")


def parameters(fields):
    out = ["struct decision *d"]
    for name, kind in fields.items():
        out.append(c_type(kind) + name)
        if kind.startswith("array "):
            out.append("size_t " + kind.split()[2])
    return ", ".join(out)


def passed(fields, of=""):
    return "".join(f", {of}{name}" for name in described(fields))


def c_tables_header(cat, head):
    inputs, structs = cat.inputs["inputs"], cat.inputs["structs"]
    h = [head, "#ifndef CORE_GEN_INPUT_TABLES_H\n#define CORE_GEN_INPUT_TABLES_H",
         "/* The inputs of the core as records: what a journal record holds of them. */"]
    h += [f"#include \"{p}\"" for p in sorted({r["header"] for r in structs.values()} | {"core/decision.h"})]
    h.append(f"\n#define INPUTS_LAYOUT 0x{layout(cat)}u /* of the bytes of a journal record */\n")
    h.append("enum input {\n\tINPUT_ABSENT,\n\tINPUT_COMMAND,")
    h += [f"\tINPUT_{n.upper()}," for n in inputs]
    h.append("\tINPUT_COUNT\n};\n\nstruct input_class {\n\tconst char *name;\n\tconst struct rec_desc *args;\n};\n"
             "extern const struct input_class input_classes[INPUT_COUNT];\n")
    h += [f"extern const struct rec_desc in_{n}_desc;" for n in structs]
    for name, row in inputs.items():
        h.append(f"\n/* {row['summary']} */\nstruct in_{name} {{")
        for f, kind in row["fields"].items():
            h.append(f"\t{c_type(kind)}{f};")
            if kind.startswith("array "):
                h.append(f"\tsize_t {kind.split()[2]};")
        h.append("};" if row["fields"] else "\tchar nothing;\n};")
    h.append("\n#endif")
    return "\n".join(h) + "\n"


def c_tables(cat, head):
    inputs, structs = cat.inputs["inputs"], cat.inputs["structs"]
    c = [head, "#include \"core/gen/input_tables.h\"\n"]
    c += [c_desc(f"in_{n}", n, r["fields"]) for n, r in structs.items()]
    c += [c_desc(f"in_{n}", f"in_{n}", r["fields"]) for n, r in inputs.items()]
    c.append("const struct input_class input_classes[INPUT_COUNT] = {\n\t[INPUT_COMMAND] = { \"command\", NULL },")
    c += [f"\t[INPUT_{n.upper()}] = {{ \"{n}\", &in_{n}_desc }}," for n in inputs]
    return "\n".join(c) + "\n};\n"


def c_header(cat, head):
    inputs = cat.inputs["inputs"]
    h = [head, "#ifndef CORE_GEN_INPUTS_H\n#define CORE_GEN_INPUTS_H",
         "/*\n * The inputs of the core.  input_X() notes the input for the journal and passes it to X(); the engine\n"
         " * calls no X() directly, so that every decision can be made again.\n */"]
    h += [f"#include \"{p}\"" for p in sorted({r["header"] for r in inputs.values()} | {"core/decide.h", "core/gen/input_tables.h", "core/journal/journal.h"})]
    h.append("\n/* Makes the decision on an input that was read; false: no such input. */\n"
             "bool input_decide(struct decision *d, enum input input, const void *args);")
    for name, row in inputs.items():
        fields = row["fields"]
        returns = "struct str" if row.get("returns") else "void"
        h.append(f"\n/* {row['summary']} */\nstatic inline {returns} input_{name}({parameters(fields)})\n{{\n"
                 f"\tif (d->journal)\n\t\tjournal_input(d->journal, INPUT_{name.upper()}, &(const struct in_{name}){{ {passed(fields)[2:] or '0'} }});\n"
                 f"\t{'return ' if row.get('returns') else ''}{name}(d{passed(fields)});\n}}")
    h.append("\n#endif")
    return "\n".join(h) + "\n"


def c_source(cat, head):
    c = [head, "#include \"core/gen/inputs.h\"\n"]
    c.append("bool input_decide(struct decision *d, enum input input, const void *args)\n{\n\tswitch (input) {")
    for name, row in cat.inputs["inputs"].items():
        fields = row["fields"]
        c.append(f"\tcase INPUT_{name.upper()}: {{")
        if fields:
            c.append(f"\t\tconst struct in_{name} *a = args;\n")
        c.append(f"\t\t{'(void)' if row.get('returns') else ''}{name}(d{passed(fields, 'a->')});\n\t\treturn true;\n\t}}")
    c.append("\tdefault:\n\t\treturn false;\n\t}\n}")
    return "\n".join(c) + "\n"


def c_files(cat, head):
    return {"inputs.h": c_header(cat, head), "inputs.c": c_source(cat, head), "input_tables.h": c_tables_header(cat, head),
            "input_tables.c": c_tables(cat, head)}


def headers(cat):
    """What the comparison reads, for the build."""
    rows = [*cat.inputs["structs"].values(), *cat.inputs["noted"].values()]
    return sorted({os.path.join(SRC, r["header"]) for r in rows} | {os.path.join(SRC, "core", "journal", "journal.c")})
