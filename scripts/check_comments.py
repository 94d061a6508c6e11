#!/usr/bin/env python3
"""C files that do not open with a comment, headers above 200 lines, folders above 25 files."""
import collections
import pathlib

from ratchet import ROOT, hold, tracked

HEADER_LINES = 200
FOLDER_FILES = 25


def main():
    files = [p for p in tracked("src/*.c", "src/*.h") if "/gen/" not in p]
    silent, long_headers, folders = [], [], collections.Counter()
    for path in files:
        text = (ROOT / path).read_text()
        folders[str(pathlib.PurePath(path).parent)] += 1
        if path.endswith(".c") and not text.startswith("/*"):
            silent.append(path)
        if path.endswith(".h") and text.count("\n") > HEADER_LINES:
            long_headers.append(f"{path}: {text.count(chr(10))}")
    full = [f"{folder}: {n}" for folder, n in folders.items() if n > FOLDER_FILES]
    hold("check_comments", {
        "files without an opening comment": len(silent),
        f"headers above {HEADER_LINES} lines": len(long_headers),
        f"folders above {FOLDER_FILES} files": len(full),
    }, {
        "files without an opening comment": silent,
        f"headers above {HEADER_LINES} lines": long_headers,
        f"folders above {FOLDER_FILES} files": full,
    })


main()
