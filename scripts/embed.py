#!/usr/bin/env python3
"""Write the files that the program carries as a C table; see src/serve/http/assets.h.

usage: embed.py CONSOLE_DIR OPENAPI.json ASYNCAPI.json OUTPUT.c

Without a built console its list is empty.  The output is touched only when it changes, so that a
build without news compiles nothing.
"""
import gzip
import hashlib
import json
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
# Only these keep their name when their content changes.
FIXED_NAMES = {"index.html", "icon.svg", "notices.txt"}


def literal(data):
    """Bytes as a C string: printable ones as they are, the others in octal."""
    out, line = [], []
    for i, byte in enumerate(data):
        c = chr(byte)
        line.append(f"\\{byte:03o}" if c in '\\"?' or not 32 <= byte < 127 else c)
        if len(line) == 96 or i + 1 == len(data):
            out.append('"' + "".join(line) + '"')
            line = []
    return "\n".join(out) or '""'


def asset(symbol, path, plain, is_fixed):
    """The text of one file, and its row."""
    packed = gzip.compress(plain, 9, mtime=0)
    etag = hashlib.sha256(plain).hexdigest()[:16]
    text = f"static const char {symbol}[] =\n{literal(packed)};\n"
    row = (f'{{ "{path.name}", "{TYPES[path.suffix]}", "\\"{etag}\\"", {str(not is_fixed).lower()},\n'
           f"\t  {{ {symbol}, {len(packed)} }}, {len(plain)} }}")
    return text, row


def document(path):
    """A JSON document without its blanks."""
    text = json.dumps(json.loads(path.read_text()), separators=(",", ":"), ensure_ascii=False)
    return asset(path.stem, path, text.encode(), True)


def table(console, documents):
    files = sorted(console.iterdir()) if (console / "index.html").is_file() else []
    wanted = [f for f in files if f.suffix in TYPES]
    parts = [asset(f"console_{i}", f, f.read_bytes(), f.name in FIXED_NAMES) for i, f in enumerate(wanted)]
    made = {path.stem: document(path) for path in documents}
    return ("/* Written by scripts/embed.py while building. */\n"
            '#include "serve/http/assets.h"\n\n' + "".join(t for t, _ in parts) + "".join(t for t, _ in made.values()) +
            "\nconst struct asset console_assets[] = {\n" + "".join(f"\t{r},\n" for _, r in parts) +
            "\t{ 0 },\n};\n" + "".join(f"\nconst struct asset {name}_asset = {row};\n" for name, (_, row) in made.items()))


def main():
    console, *documents, output = map(pathlib.Path, sys.argv[1:])
    text = table(console, documents)
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


main()
