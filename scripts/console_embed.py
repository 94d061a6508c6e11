#!/usr/bin/env python3
"""Write the built console as a C table; see src/serve/console_assets.h.

usage: console_embed.py CONSOLE_DIR OUTPUT.c

Without a built console the table is empty.  The output is touched only when it changes, so that a
build without news compiles nothing.
"""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
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


def table(folder):
    texts, rows = [], []
    files = sorted(folder.iterdir()) if (folder / "index.html").is_file() else []
    for number, path in enumerate(f for f in files if f.suffix in TYPES):
        plain = path.read_bytes()
        packed = gzip.compress(plain, 9, mtime=0)
        etag = hashlib.sha256(plain).hexdigest()[:16]
        for kind, data in (("plain", plain), ("gzip", packed)):
            texts.append(f"static const char {kind}_{number}[] =\n{literal(data)};\n")
        fixed = path.name in FIXED_NAMES
        rows.append(f'\t{{ "{path.name}", "{TYPES[path.suffix]}", "\\"{etag}\\"", {str(not fixed).lower()},\n'
                    f"\t  {{ plain_{number}, {len(plain)} }}, {{ gzip_{number}, {len(packed)} }} }},\n")
    return ("/* Written by scripts/console_embed.py while building. */\n"
            '#include "serve/console_assets.h"\n\n' + "".join(texts) +
            "\nconst struct console_asset console_assets[] = {\n" + "".join(rows) + "\t{ 0 },\n};\n")


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = table(folder)
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


main()
