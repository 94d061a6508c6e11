#!/usr/bin/env python3
"""The server part of the official MCP conformance suite, against the daemon that publishes the fixture.

usage: conformance_test.py BUILD_DIR

Prints TAP: one line for each scenario that a revision requires.  The scenarios of SHORT fail, for the reason that is given there; one of them
that passes is reported as wrong, so that the list stays true.  Scenarios that the suite does not score are reported as comments.
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
LOGS = "log messages of tool servers are not passed on"
WATCH = "a client of 2025-11-25 has no stream for changes of resources"
SAMPLING = "tool servers get no answers of models, neither from here nor from the client"
SHORT = {
    "2025-11-25": {"logging-set-level": LOGS, "tools-call-with-logging": LOGS, "tools-call-sampling": SAMPLING,
                   "resources-subscribe": WATCH, "resources-unsubscribe": WATCH},
    "2026-07-28": {
        "server-stateless": "it wants a tool that is refused without the client's sampling",
        "input-required-result-basic-elicitation": "questions have keys of the runtime, not those of the tool server",
        "input-required-result-basic-sampling": SAMPLING,
        "input-required-result-basic-list-roots": "the runtime says itself which directories a tool server works in",
        "input-required-result-multiple-input-requests": SAMPLING,
        "input-required-result-non-tool-request": "a prompt that asks something gets no answer",
        "input-required-result-capability-check": SAMPLING,
    },
}


def play(revision, world, out):
    """{scenario: what is wrong}, and what the suite printed; the token is lent to its requests."""
    env = {**os.environ, "MCP_URL": world.url, "MCP_TOKEN": world.token}
    p = subprocess.run(["timeout", "240", "node", "--import", str(HERE / "lend_token.mjs"), str(SUITE), "server", "--url", world.url, "--requirements", revision, "-o", out],
                       capture_output=True, text=True, env=env)
    found, stamp = {}, re.compile(r"^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$")
    for f in sorted(pathlib.Path(out).rglob("checks.json")):
        checks = json.loads(f.read_text())
        found[stamp.sub(r"\1", f.parent.name)] = [f"{c['id']}: {c.get('errorMessage', '')}"[:300] for c in checks if c["status"] == "FAILURE"]
    return found, p.stdout + p.stderr


def required(revision):
    text = (SUITE.parents[1] / "requirements" / f"{revision}.yaml").read_text()
    return re.findall(r"^ +- ([\w/-]+)$", text.split("server:")[1].split("client:")[0], re.M)


def main():
    number = failed = 0
    if not SUITE.exists() or not (HERE / "node_modules" / "@modelcontextprotocol" / "sdk").is_dir():
        print("ok 1 - mcp server conformance # SKIP npm has not fetched it into tests/mcp and tests/mcp_serve\n1..1")
        return 0
    for revision, short in SHORT.items():
        with publish_test.Fixture(at_address=True) as world, tempfile.TemporaryDirectory(prefix="thole-conformance-") as out:
            found, said = play(revision, world, out)
        names = [n for n in required(revision) if n in found] or ["the suite"]
        for name in names:
            wrong = found.get(name, said.splitlines()[-20:])
            ok = bool(wrong) == (name in short)
            number, failed = number + 1, failed + (not ok)
            print(f"{'ok' if ok else 'not ok'} {number} - mcp server conformance {revision}: {name}" + (f" # TODO {short[name]}" if name in short else ""))
            print("".join(f"# {line}\n" for line in wrong if not ok), end="", flush=True)
        passed = sum(not found.get(n, [1]) for n in names)
        print(f"# {passed} of {len(names)} required scenarios of {revision}")
        for name in sorted(set(found) - set(names)):
            print(f"# not scored: {name}: {'; '.join(found[name])[:200] or 'passed'}")
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
