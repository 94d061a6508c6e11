#!/usr/bin/env python3
"""Check who includes whom in src/ against layers.txt, and that core/, policy/, proof/, export/ and sandbox/ are pure.

One line per violation; exit 1 if there is any.  Purity is read from the objects of the last
build in build/, if there is one.
"""
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

PURE = ("core", "policy", "proof", "export", "sandbox")
ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(thole/[^>]+)>)', re.M)


def read_table(path):
    """Returns {layer: layers it may include} and the patterns of symbols that core may use."""
    layers, pure = {}, []
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("pure ="):
            pure += line[len("pure ="):].split()
        elif line:
            layer, _, may = line.partition(":")
            layers[layer] = {layer, *may.split()}
    return layers, pure


def sources():
    """Every C file with its layer.  The generated catalog/gen/x.h belongs to catalog like src/catalog/x.h."""
    for top, files in ((ROOT / "src", "**/*.[ch]"), (ROOT / "include", "**/*.[ch]"), (ROOT / "build" / "src", "*/gen/*.[ch]")):
        for path in sorted(top.glob(files)):
            yield path, path.relative_to(top).parts[0]


def check_includes(layers):
    for path, layer in sources():
        rel = path.relative_to(ROOT)
        if layer not in layers:
            yield f"{rel}:1: {layer} is not a layer of scripts/layers.txt"
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for m in INCLUDE.finditer(text):
            name = m[1] or m[2]
            where = f"{rel}:{text.count(chr(10), 0, m.start(m.lastindex)) + 1}"
            target = name.split("/")[0]
            if "/" not in name or target in (".", ".."):
                yield f'{where}: "{name}" is not written from src/'
            elif target not in layers:
                yield f'{where}: "{name}" is in no layer of scripts/layers.txt'
            elif target not in layers[layer]:
                yield f'{where}: {layer} may not include "{name}"'


def check_copies():
    """strdup() and strndup() return NULL without memory, which no caller checks: base/memory.h has them with a check."""
    for path, _ in sources():
        if path.name == "memory.c":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"(?<![\w])strn?dup\(", line):
                yield f"{path.relative_to(ROOT)}:{number}: use memory_strdup() or memory_strndup()"


def objects():
    """{layer: its object files} of the build in build/.  Sanitizer builds have their own place."""
    found = {}
    commands = ROOT / "build" / "compile_commands.json"
    if not commands.exists():
        return found
    for c in json.loads(commands.read_text()):
        directory = pathlib.Path(c["directory"])
        source = pathlib.Path(os.path.normpath(directory / c["file"]))
        output = directory / c["output"]
        for src in (ROOT / "src", directory / "src"):
            if source.is_relative_to(src) and output.exists():
                found.setdefault(source.relative_to(src).parts[0], []).append(output)
    return found


def symbols(files, *options):
    """(file, symbol) for each symbol that nm lists."""
    if not files:
        return
    out = subprocess.run(["nm", "-A", "--format=posix", *options, *files],
                         check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        name, symbol = line.split()[:2]
        yield name.rstrip(":"), symbol


def check_purity(layers, pure):
    objs = objects()
    for layer in PURE:
        ours = {s for each in layers[layer] for _, s in symbols(objs.get(each, []), "--defined-only", "--extern-only")}
        for obj, symbol in symbols(objs.get(layer, []), "--undefined-only"):
            # _FORTIFY_SOURCE calls memcpy by the name of __memcpy_chk.
            plain = re.sub(r"^__(\w+)_chk$", r"\1", symbol)
            if symbol in ours or any(fnmatch.fnmatchcase(s, p) for s in (symbol, plain) for p in pure):
                continue
            yield f"{os.path.relpath(obj, ROOT)}: {layer} needs {symbol}, which is not pure"


def main():
    layers, pure = read_table(ROOT / "scripts" / "layers.txt")
    wrong = [*check_includes(layers), *check_copies(), *check_purity(layers, pure)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
