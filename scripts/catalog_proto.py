"""The tables of src/proto from catalog/a2a_proto.json.

A row of a message is {"number", "name", "type"} and "optional" or "oneof".  Types: str bytes bool int32 struct value time,
`enum NAME`, `rec NAME`; before them `list` or `map` (from strings).
"""
import json
import os
import re

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "catalog", "a2a_proto.json")
KINDS = ("str", "bytes", "bool", "int32", "struct", "value", "time", "enum", "rec")
FIELDS_MAX, NAME_MAX = 16, 32  # as in proto.h


def load():
    with open(FILE) as f:
        return json.load(f)


def json_name(name):
    return re.sub(r"_(\w)", lambda m: m.group(1).upper(), name)


def parts(row):
    """(label, kind, name) of a type."""
    words = row["type"].split()
    label = words.pop(0) if words[0] in ("list", "map") else "optional" if row.get("optional") else "one"
    return label, words[0], words[1] if len(words) > 1 else None


def messages(data):
    return {**data["messages"], **data["details"]}


def check(cat, problem):
    data = load()
    known = messages(data)
    for name, rows in known.items():
        if len(rows) > FIELDS_MAX or len({r["number"] for r in rows}) != len(rows):
            problem(f"a2a_proto: {name} has too many fields, or a number twice")
        for row in rows:
            label, kind, of = parts(row)
            if len(json_name(row["name"])) >= NAME_MAX or len(row["name"]) >= NAME_MAX:
                problem(f"a2a_proto: {name}.{row['name']}: too long a name")
            if kind not in KINDS or (kind == "rec" and of not in known) or (kind == "enum" and of not in data["enums"]):
                problem(f"a2a_proto: {name}.{row['name']}: unknown type {row['type']}")
            if label == "list" and kind in ("bool", "int32", "enum"):
                problem(f"a2a_proto: {name}.{row['name']}: packed lists are not built")
            if label == "map" and kind not in ("str", "rec"):
                problem(f"a2a_proto: {name}.{row['name']}: maps of {kind} are not built")
    for name, row in data["methods"].items():
        if row["request"] not in known or row["response"] not in ("", *known):
            problem(f"a2a_proto: {name}: unknown message")


def field(row, oneofs, names, enums):
    label, kind, of = parts(row)
    out = [f'"{row["name"]}"', f'"{json_name(row["name"])}"', f".number = {row['number']}",
           f".kind = PROTO_{'RECORD' if kind == 'rec' else kind.upper()}", f".label = PROTO_{label.upper()}"]
    if of:
        out.append(f".of = {(names if kind == 'rec' else enums).index(of)}")
    if row.get("oneof"):
        out.append(f".oneof = {1 + oneofs.index(row['oneof'])}")
    return "\t{ " + ", ".join(out) + " },"


def c_files(head):
    data = load()
    known = messages(data)
    names, enums = list(known), list(data["enums"])
    out = [head + '#include "proto/proto.h"\n', f"const char proto_service[] = \"{data['service']}\";"]
    for name, words in data["enums"].items():
        out.append(f"static const char *const words_{name}[] = {{ " + ", ".join(f'"{w}"' for w in words) + " };")
    out.append("const struct proto_enum proto_enums[] = {\n" +
               "\n".join(f'\t{{ "{n}", words_{n}, {len(w)} }},' for n, w in data["enums"].items()) + "\n};")
    for name, rows in known.items():
        oneofs = list(dict.fromkeys(r["oneof"] for r in rows if "oneof" in r))
        out.append(f"static const struct proto_field fields_{name}[] = {{\n" + "\n".join(field(r, oneofs, names, enums) for r in rows) + "\n};")
    out.append("const struct proto_message proto_messages[] = {\n" +
               "\n".join(f'\t{{ "{n}", fields_{n}, {len(rows)} }},' for n, rows in known.items()) + "\n};")
    out.append(f"const size_t proto_message_count = {len(known)};")
    rows = []
    for name, m in data["methods"].items():
        answer = f"&proto_messages[{names.index(m['response'])}]" if m["response"] else "NULL"
        rows.append(f'\t{{ "{name}", &proto_messages[{names.index(m["request"])}], {answer}, "{m["http"]}", "{m["path"]}", '
                    f'{"true" if m.get("streams") else "false"}, {"true" if m.get("body") else "false"} }},')
    out.append("const struct proto_method proto_methods[] = {\n" + "\n".join(rows) + "\n};")
    out.append(f"const size_t proto_method_count = {len(data['methods'])};")
    return {"a2a_proto.c": "\n\n".join(out) + "\n"}
