#!/usr/bin/env python3
"""What catalog/a2a_proto.json says of A2A, read from the protocol's own definition.

usage: proto_definition.py FILE.proto     compares the catalogue with it; exit 1 and the differences when they differ

The definition itself is not part of this repository.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOG = ROOT / "catalog/a2a_proto.json"
SCALARS = {"string": "str", "bytes": "bytes", "bool": "bool", "int32": "int32", "google.protobuf.Struct": "struct",
           "google.protobuf.Value": "value", "google.protobuf.Timestamp": "time"}


def blocks(text, kind):
    """(name, body) of each `kind NAME { ... }`."""
    for m in re.finditer(rf"\b{kind}\s+(\w+)\s*\{{", text):
        depth, at = 1, m.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield m.group(1), text[m.end():at - 1]


def type_of(word, enums):
    if word in SCALARS:
        return SCALARS[word]
    return ("enum " if word in enums else "rec ") + word


def fields_of(body, enums):
    rows, oneof = [], None
    for line in re.split(r"[;{}]", re.sub(r"oneof (\w+) \{", r"oneof \1;", body).replace("}", ";end;")):
        line = re.sub(r"\[.*", "", line, flags=re.S).strip()
        if line.startswith("oneof "):
            oneof = line[6:]
        elif line == "end":
            oneof = None
        elif m := re.fullmatch(r"(?:(repeated|optional)\s+)?(map<string,\s*([\w.]+)>|[\w.]+)\s+(\w+)\s*=\s*(\d+)", line):
            label, word, value, name, number = m.groups()
            kind = "map " + type_of(value, enums) if value else type_of(word, enums)
            row = {"number": int(number), "name": name, "type": ("list " if label == "repeated" else "") + kind}
            if label == "optional":
                row["optional"] = True
            if oneof:
                row["oneof"] = oneof
            rows.append(row)
        elif line:
            raise SystemExit(f"a line of the definition is not understood: {line}")
    return rows


def method_of(body, request, answer):
    verb, path = re.search(r"\b(get|post|delete): \"([^\"]+)\"", body).groups()
    also = re.search(r"additional_bindings: \{\s*\w+: \"([^\"]+)\"", body).group(1)
    if also != "/{tenant}" + path:
        raise SystemExit(f"another binding than expected: {also}")
    row = {"request": request, "response": answer.removeprefix("stream ").replace("google.protobuf.Empty", "")}
    if answer.startswith("stream "):
        row["streams"] = True
    row |= {"http": verb.upper(), "path": path.replace("=*", "")}
    if re.search(r"body: \"\*\"", body):
        row["body"] = True
    return row


def read(path):
    text = re.sub(r"//[^\n]*", "", pathlib.Path(path).read_text())
    enums = {}
    for name, body in blocks(text, "enum"):
        words = re.findall(r"(\w+)\s*=\s*(\d+)", body)
        if [int(n) for _, n in words] != list(range(len(words))):
            raise SystemExit(f"{name} has gaps")
        enums[name] = [w for w, _ in words]
    service, body = next(blocks(text, "service"))
    methods = {}
    for m in re.finditer(r"rpc (\w+)\(([\w.]+)\) returns \(([\w. ]+)\) \{", body):
        depth, at = 1, m.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(body[at], 0)
            at += 1
        methods[m.group(1)] = method_of(body[m.end():at], m.group(2), m.group(3))
    return {"service": re.search(r"package ([\w.]+);", text).group(1) + "." + service, "methods": methods, "enums": enums,
            "messages": {name: fields_of(inner, enums) for name, inner in blocks(text, "message")}}


def differences(a, b, where=""):
    if type(a) is not type(b) or not isinstance(a, (dict, list)):
        return [] if a == b else [f"{where}: {a!r} here, {b!r} in the definition"]
    if isinstance(a, list):
        a, b = dict(enumerate(a)), dict(enumerate(b))
    return [d for k in sorted({*a, *b}, key=str) for d in differences(a.get(k), b.get(k), f"{where}/{k}")]


def main():
    here = json.loads(CATALOG.read_text())
    there = read(sys.argv[1])
    details = here.pop("details")
    found = differences(here, there)
    text = re.sub(r"//[^\n]*", "", (pathlib.Path(sys.argv[1]).parent / "google/rpc/error_details.proto").read_text())
    inner = dict(blocks(text, "message"))
    for name, rows in details.items():
        for row in rows:
            if not re.search(rf"\b{row['name']} = {row['number']};", inner[name]):
                found.append(f"details/{name}/{row['name']}: not in the definition")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
