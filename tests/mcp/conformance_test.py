#!/usr/bin/env python3
"""The client part of the official MCP conformance suite, against the real daemon.

usage: conformance_test.py BUILD_DIR

Prints TAP, one line for each scenario and revision.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


def node():
    return int(subprocess.run(["node", "-p", "parseInt(process.versions.node)"], capture_output=True, text=True).stdout)


def verdict(folder):
    """What the suite minds; it says nothing of a client that did not get to its end."""
    found = json.loads((folder / "checks.json").read_text())
    wrong = [f"{c['status']}: {c['id']}: {c.get('errorMessage', '')}" for c in found if c["status"] in ("FAILURE", "WARNING")]
    if not any(c["status"] == "SUCCESS" for c in found):
        wrong.append("nothing was found to be right")
    if (folder / "stdout.txt").read_text() != "done\n":
        wrong += ["the client did not get to its end", *(folder / "stderr.txt").read_text().splitlines()]
    return wrong


def run(revision, build, out):
    """All scenarios of a revision, by name; the suite plays them at the same time."""
    client = f"python3 {HERE / 'conformance_client.py'} {build}"
    p = subprocess.run(["timeout", "150", "node", "--import", str(HERE / "lend_glob.mjs"), str(SUITE), "client", "--command", client,
                        "--suite", "all", "--spec-version", revision, "--timeout", "120000", "-o", out], capture_output=True, text=True)
    stamp = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
    found = {stamp.sub("", str(f.parent.relative_to(out))): f.parent for f in sorted(pathlib.Path(out).rglob("checks.json"))}
    return found, p.stdout + p.stderr


def main():
    build, number, failed = pathlib.Path(sys.argv[1]).resolve(), 0, 0
    why = not SUITE.exists() and "npm has not fetched it into tests/mcp" or node() < 20 and "it needs Node 20"
    if why:
        print(f"ok 1 - mcp conformance # SKIP {why}\n1..1")
        return 0
    for revision in ("2025-11-25", "2026-07-28"):
        out = tempfile.mkdtemp(prefix="thole-conformance-")
        found, said = run(revision, build, out)
        ours = {name: verdict(folder) for name, folder in found.items()}
        for name, wrong in (ours or {"the suite": said.splitlines()[-30:]}).items():
            number += 1
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - mcp conformance {revision}: {name}")
            print("".join(f"# {line}\n" for line in wrong), end="", flush=True)
        print(f"# {len(found)} scenarios of {revision}")
        shutil.rmtree(out, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
