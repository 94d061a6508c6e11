#!/usr/bin/env python3
"""Write the types of both clients, and the vocabulary of the console, from docs/reference/openapi.json.

usage: scripts/sdk.py [--check]

With --check nothing is written; the exit code is 1 when a committed file is not what would be
written.  Standard library only.
"""
import json
import keyword
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = "docs/reference/openapi.json"
WRITTEN = f"Written by scripts/sdk.py from {SOURCE}; do not edit."
COMMANDS = "/v1/commands/"
# Names of the document that would be mistaken for something else.
PLAIN = {"event": "RuntimeEvent", "problem": "ProblemDetails", "id": "Id", "time": "Time"}
SUFFIX = {"args": "Args", "reply": "Reply", "form": "Event"}


def load():
    with open(os.path.join(ROOT, SOURCE)) as f:
        return json.load(f)


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def type_name(key):
    """args.submit_turn is SubmitTurnArgs, record.gap is Gap."""
    if key in PLAIN:
        return PLAIN[key]
    kind, name = key.split(".", 1)
    return camel(name) + SUFFIX.get(kind, "")


def check_names(schemas):
    seen = {}
    for key in schemas:
        other = seen.setdefault(type_name(key), key)
        if other != key:
            sys.exit(f"sdk: {key} and {other} would both be called {type_name(key)}")


def usual(schema):
    """Of several shapes the first: what comes when nothing else was asked for."""
    return schema["anyOf"][0] if "anyOf" in schema else schema


def ref_name(schema):
    return type_name(schema["$ref"].rsplit("/", 1)[1])


def fields(schema):
    """Rows of an object: name, schema, whether it must be there, what it means."""
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        yield name, part, name in required, part.get("description", "")


def commands(document):
    for path, methods in document["paths"].items():
        if path.startswith(COMMANDS):
            yield path[len(COMMANDS):], methods["post"]


def is_keyed(operation):
    """Whether it takes an idempotency key: all that may change something do."""
    return any(p.get("$ref", "").endswith("/idempotencyKey") for p in operation.get("parameters", ()))


# ---- Python ----

PY_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def py_type(schema):
    schema = usual(schema)
    if "$ref" in schema:
        return ref_name(schema)
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(word) for word in schema["enum"]) + "]"
    kind = schema.get("type")
    if kind == "array":
        return f"list[{py_type(schema['items'])}]"
    if kind == "object":
        return "dict[str, Any]"
    return PY_SCALARS.get(kind, "Any")


def py_class(name, schema):
    lines = [f"class {name}(TypedDict):"]
    for field, part, must, text in fields(schema):
        shape = py_type(part) if must else f"NotRequired[{py_type(part)}]"
        lines.append(f"    {field}: {shape}" + (f"  # {text}" if text else ""))
    return lines if len(lines) > 1 else [lines[0], "    pass"]


# A key such as "from" cannot be written as a field of a class.
def py_functional(name, schema):
    lines = [f'{name} = TypedDict("{name}", {{']
    for field, part, must, text in fields(schema):
        shape = py_type(part) if must else f"NotRequired[{py_type(part)}]"
        lines.append(f'    "{field}": {json.dumps(shape)},' + (f"  # {text}" if text else ""))
    return lines + ["})"]


def py_declaration(key, schema):
    name = type_name(key)
    if "$ref" in schema or schema.get("type") != "object":
        shape = py_type(schema)
        return [f"{name}: TypeAlias = " + (json.dumps(shape) if "$ref" in schema else shape)]
    if any(keyword.iskeyword(field) for field in schema.get("properties", {})):
        return py_functional(name, schema)
    return py_class(name, schema)


def python_types(document):
    out = [f'"""{WRITTEN}"""', "from __future__ import annotations", "",
           "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict", ""]
    for key, schema in document["components"]["schemas"].items():
        out += [""] + py_declaration(key, schema) + [""]
    return "\n".join(out)


def python_commands(document):
    out = [f'"""{WRITTEN}"""', "from __future__ import annotations", "",
           "from typing import Any, Mapping, Unpack", "", "from . import types as t", "",
           "# Commands that take an idempotency key; the others change nothing and may be repeated at will.",
           "KEYED = frozenset({"]
    out += [f'    "{name}",' for name, operation in commands(document) if is_keyed(operation)]
    out += ["})", "", "", "class Commands:",
            '    """Every command of the runtime, with the names and fields that it has on the wire."""', "",
            "    def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:",
            "        raise NotImplementedError"]
    for name, operation in commands(document):
        word = camel(name)
        note = "" if operation["x-thole-state"] == "built" else "  Declared, not built yet: refused with `unavailable`."
        out += ["", f"    def {name}(self, **args: Unpack[t.{word}Args]) -> t.{word}Reply:",
                f'        """{operation["summary"]}{note}"""',
                f'        reply: t.{word}Reply = self.call("{name}", args)', "        return reply"]
    return "\n".join(out) + "\n"


# ---- TypeScript ----

TS_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def ts_type(schema):
    schema = usual(schema)
    if "$ref" in schema:
        return ref_name(schema)
    if "enum" in schema:
        return " | ".join(json.dumps(word) for word in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        item = ts_type(schema["items"])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        return "Record<string, any>"
    return TS_SCALARS.get(kind, "any")


def ts_declaration(key, schema):
    name = type_name(key)
    if "$ref" in schema or schema.get("type") != "object":
        return [f"export type {name} = {ts_type(schema)};"]
    if not schema.get("properties"):
        return [f"export type {name} = Record<string, never>;"]
    lines = [f"export interface {name} {{"]
    for field, part, must, text in fields(schema):
        if text:
            lines.append(f"  /** {text} */")
        lines.append(f"  {field}{'' if must else '?'}: {ts_type(part)};")
    return lines + ["}"]


def typescript_types(document):
    out = [f"// {WRITTEN}"]
    for key, schema in document["components"]["schemas"].items():
        out += [""] + ts_declaration(key, schema)
    out += ["", "/** Every command with what it takes and what it answers. */", "export interface Commands {"]
    for name, operation in commands(document):
        word = camel(name)
        out += [f"  /** {operation['summary']} */", f"  {name}: {{ args: {word}Args; reply: {word}Reply }};"]
    out += ["}", "", "/** Commands that take an idempotency key; the others change nothing and may be repeated at will. */",
            "export const keyed: ReadonlySet<string> = new Set(["]
    out += [f'  "{name}",' for name, operation in commands(document) if is_keyed(operation)]
    return "\n".join(out + ["]);"]) + "\n"


# ---- the console ----

def console_vocab(document):
    """The words of each enum as a list, for menus; types do not exist when the console runs."""
    out = [f"// {WRITTEN}", "// The bundler leaves out the lists that no page uses."]
    for key, schema in document["components"]["schemas"].items():
        if key.startswith("enum."):
            words = ", ".join(json.dumps(word) for word in schema["enum"])
            out.append(f"export const {key[len('enum.'):].upper()} = [{words}] as const;")
    return "\n".join(out) + "\n"


# ---- the files ----

def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__.strip())
    document = load()
    check_names(document["components"]["schemas"])
    files = {
        "sdk/python/thole/types.py": python_types(document),
        "sdk/python/thole/commands.py": python_commands(document),
        "sdk/typescript/src/types.ts": typescript_types(document),
        "web/src/api/vocab.ts": console_vocab(document),
    }
    stale = []
    for path, text in files.items():
        full = os.path.join(ROOT, path)
        if os.path.exists(full) and open(full).read() == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv:
            with open(full, "w") as f:
                f.write(text)
    if stale and "--check" in sys.argv:
        sys.exit("stale, run scripts/sdk.py: " + " ".join(stale))


if __name__ == "__main__":
    main()
