#!/usr/bin/env python3
"""The server part of the official MCP conformance suite, against the daemon that publishes the fixture.

usage: conformance_test.py BUILD_DIR

Prints TAP: one line for each scenario that a revision requires.  Scenarios that the suite does not score are reported as comments.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import publish_test
from mcp_serve_test import HERE

MODULES = HERE.parent / "mcp" / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
REVISIONS = ("2025-11-25", "2026-07-28")


def play(revision, world, out):
    """{scenario: what is wrong}, what the suite printed and its exit code; the token is lent to its requests."""
    env = {**os.environ, "MCP_URL": world.url, "MCP_TOKEN": world.token}
    p = subprocess.run(["timeout", "240", "node", "--import", str(HERE / "lend_token.mjs"), str(SUITE), "server", "--url", world.url, "--requirements", revision, "-o", out],
                       capture_output=True, text=True, env=env)
    found, stamp = {}, re.compile(r"^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$")
    for f in sorted(pathlib.Path(out).rglob("checks.json")):
        checks = json.loads(f.read_text())
        found[stamp.sub(r"\1", f.parent.name)] = [f"{c['id']}: {c.get('errorMessage', '')}"[:300] for c in checks if c["status"] == "FAILURE"]
    return found, p.stdout + p.stderr, p.returncode


def required(revision):
    text = (SUITE.parents[1] / "requirements" / f"{revision}.yaml").read_text()
    return re.findall(r"^ +- ([\w/-]+)$", text.split("server:")[1].split("client:")[0], re.M)


def main():
    number = failed = 0
    if not SUITE.exists() or not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").is_dir():
        print("ok 1 - mcp server conformance # SKIP npm has not fetched it into tests/mcp and tests/mcp_serve\n1..1")
        return 0
    for revision in REVISIONS:
        with publish_test.Fixture(at_address=True, protocol=revision) as world, tempfile.TemporaryDirectory(prefix="thole-conformance-") as out:
            found, said, code = play(revision, world, out)
        names = [n for n in required(revision) if n in found] or ["the suite"]
        for name in names:
            wrong = found.get(name, said.splitlines()[-20:])
            number, failed = number + 1, failed + bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - mcp server conformance {revision}: {name}")
            print("".join(f"# {line}\n" for line in wrong), end="", flush=True)
        number, failed = number + 1, failed + (code != 0)
        print(f"{'not ok' if code else 'ok'} {number} - mcp server conformance {revision}: the suite ends with {code}")
        passed = sum(not found.get(n, [1]) for n in names)
        print(f"# {passed} of {len(names)} required scenarios of {revision}")
        for name in sorted(set(found) - set(names)):
            print(f"# not scored: {name}: {'; '.join(found[name])[:200] or 'passed'}")
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
