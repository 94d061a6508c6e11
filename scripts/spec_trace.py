#!/usr/bin/env python3
"""Print which lines of src/ and tests/ say which clause of the specification they keep.

Collects comments such as  /* spec: contracts/control-plane#idempotency */  (in scenarios and
scripts  # spec: ...) into a table of place and clause, ordered by clause.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"(?:/\*|//|^\s*\*|#)\s*spec:\s*([^*\n]+)")
CLAUSE = re.compile(r"[\w./-]+#[\w./-]+")


def main():
    rows = []
    for top in ("src", "tests"):
        for path in sorted((ROOT / top).rglob("*")):
            if not path.is_file():
                continue
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            for number, line in enumerate(lines, 1):
                for m in COMMENT.finditer(line):
                    # A comment may name several clauses; one without an anchor is shown as it is.
                    for clause in CLAUSE.findall(m[1]) or [m[1].strip()]:
                        rows.append((clause, str(path.relative_to(ROOT)), number))
    rows.sort()
    width = max((len(f"{path}:{number}") for _, path, number in rows), default=0)
    for clause, path, number in rows:
        print(f"{path + ':' + str(number):<{width}}  {clause}")


main()
