#!/usr/bin/env python3
"""Print "passed failed skipped" for one test run.

usage: count_tests.py meson EXIT-CODE testlog.json
       count_tests.py tap   EXIT-CODE output
       count_tests.py meson-skips 0   testlog.json      the names of what was skipped instead

A run that broke off, announced more than it ran, or ran nothing has failed once more than its
tests say: silence must not look like success.
"""
import json
import re
import sys


def count_meson(lines):
    passed = failed = skipped = 0
    for line in lines:
        result = json.loads(line)["result"]
        if result in ("OK", "EXPECTEDFAIL"):
            passed += 1
        elif result == "SKIP":
            skipped += 1
        else:
            failed += 1
    return passed, failed, skipped, None


def count_tap(lines):
    passed = failed = skipped = 0
    planned = None
    for line in lines:
        if m := re.match(r"(not )?ok\b([^#]*)(?:#\s*(skip|todo)\b)?", line, re.I):
            if (m[3] or "").lower() == "skip" or (m[1] and m[3]):
                skipped += 1
            elif m[1]:
                failed += 1
            else:
                passed += 1
        elif m := re.match(r"1\.\.(\d+)", line):
            planned = (planned or 0) + int(m[1])  # a log of several programs has the plan of each
    return passed, failed, skipped, planned


def main():
    kind, code, path = sys.argv[1:]
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            lines = f.read().splitlines()
    except FileNotFoundError:
        lines = []
    if kind == "meson-skips":
        for doc in map(json.loads, lines):
            said = (doc.get("stdout") or "").strip().splitlines()
            if doc["result"] == "SKIP":
                print(f"{doc['name']}: {(said or ['it does not say why'])[-1]}")
            # A program of many tests passes when some of them were skipped; cmocka lists them on stderr.
            for line in (doc.get("stderr") or "").splitlines():
                if line.startswith("[  SKIPPED ] ") and not re.match(r"\[  SKIPPED \] \d+ test\(s\)", line):
                    print(f"{doc['name']}: {line[13:]}")
        return
    passed, failed, skipped, planned = (count_meson if kind == "meson" else count_tap)(lines)
    ran = passed + failed + skipped
    if ran == 0 or (int(code) != 0 and failed == 0) or (planned is not None and planned != ran):
        failed += 1
        print(f"{path}: {ran} tests ran, {planned if planned is not None else 'none'} planned, "
              f"exit code {code}", file=sys.stderr)
    print(passed, failed, skipped)


main()
