#!/usr/bin/env python3
"""Every check of events must notice a broken one.

usage: broken_events_test.py BUILD_DIR

One member of one event is changed: in a golden log, which the tests in C and the validator then read, and in what a running
daemon serves, which stopping the daemon, a scenario and the comparison with the golden logs then see.  Each must fail, and
pass without the change.  Prints TAP.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import make  # noqa: E402
from make import scenario  # noqa: E402

# What is changed in plain-turn.ndjson: (what it is, before, after).
CHANGES = [
    ("a number that is a text", '"sequence":7,', '"sequence":"7",'),
    ("a word that is not of its enum", '"status":"preparing","phase"', '"status":"preparring","phase"'),
    ("that a required member of a payload is missing", '"outcome":"completed",', ""),
    ("that a required id is missing", '"threadId":"thr_1","turnId":"turn_1","status":"running"', '"turnId":"turn_1","status":"running"'),
    ("a type that does not exist", '"type":"turn.started"', '"type":"turn.begun"'),
]

number = failed = 0


def tell(ok, name, why=""):
    global number, failed
    number += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
    for line in why.splitlines() if not ok else []:
        print("# " + line)


def run(args, **env):
    return subprocess.run(args, capture_output=True, text=True, env={**os.environ, **env}, cwd=ROOT)


# ---- a golden log ----

def readers(tree):
    """(what, process) of everything that reads tests/golden of this tree.  Without the standard's schemas: ours must do."""
    program = os.path.join(BUILD, "tests", "conformance", "schema_check")
    yield "the validator", run([program, scenario.SCHEMA, "event", os.path.join(tree, "tests/golden/plain-turn.ndjson")])
    env = {"THOLE_SOURCE": tree, "THOLE_SPECS": "/nonexistent"}
    yield "test_rec", run([os.path.join(BUILD, "tests/unit/test_rec"), "golden"], **env)
    yield "the laws", run([os.path.join(BUILD, "tests/sim/test_invariants"), "golden logs"], **env)


def tree_with(change=None):
    """A source tree that holds what the tests in C read."""
    tree = tempfile.mkdtemp(prefix="thole-broken-")
    os.makedirs(os.path.join(tree, "tests"))
    shutil.copytree(os.path.join(ROOT, "tests", "golden"), os.path.join(tree, "tests", "golden"))
    os.symlink(os.path.join(ROOT, "docs"), os.path.join(tree, "docs"))
    if change:
        path = os.path.join(tree, "tests", "golden", "plain-turn.ndjson")
        with open(path) as f:
            text = f.read()
        if change[0] not in text:
            raise SystemExit(f"plain-turn.ndjson has no {change[0]}")
        with open(path, "w") as f:
            f.write(text.replace(*change, 1))
    return tree


def golden_logs():
    for what, before, after in [("nothing is changed", None, None), *CHANGES]:
        tree = tree_with((before, after) if before else None)
        try:
            for who, done in readers(tree):
                said = (done.stdout + done.stderr)[-600:]
                if before:
                    tell(done.returncode == 1, f"{who} notices {what}", f"exit code {done.returncode}: {said}")
                else:
                    tell(done.returncode == 0, f"{who} accepts the golden logs", said)
        finally:
            shutil.rmtree(tree)
    empty = tempfile.mkdtemp(prefix="thole-broken-")
    done = run([os.path.join(BUILD, "tests/unit/test_rec"), "golden"], THOLE_SOURCE=empty)
    tell(done.returncode == 1, "test_rec fails where there are no golden logs", done.stdout)
    os.rmdir(empty)


# ---- a running daemon ----

def play(spoil_served=None, spoil_events=None):
    """plain-turn against the real daemon, whose answers pass through these; '' or what is wrong, and the lines."""
    class Daemon(scenario.Daemon):
        def served(self):
            return spoil_served(super().served()) if spoil_served else super().served()

    class Http(make.Http):
        def events(self, session, after):
            lines = super().events(session, after)
            if spoil_events:
                lines = [spoil_events(line) for line in lines]
                self.lines[-len(lines):] = lines
            return lines

    plain = scenario.Daemon, make.Http
    scenario.Daemon, make.Http = Daemon, Http
    one = make.Run(BUILD, os.path.join(make.HERE, "plain-turn.scn"))
    try:
        one.run()
        return "", make.normal(one.log(), one.dir)
    except scenario.Wrong as e:
        return str(e), None
    finally:
        scenario.Daemon, make.Http = plain
        shutil.rmtree(one.dir, ignore_errors=True)


def running_daemon():
    why, lines = play()
    tell(not why and not make.difference("plain-turn", lines), "what the daemon serves is accepted", why)
    why, _ = play(spoil_served=lambda lines: lines.replace(b'"outcome":"completed"', b'"outcome":"splendid"', 1))
    tell("event.schema.json" in why and "outcome" in why, "stopping a daemon notices a broken event in what it serves", why)
    why, lines = play(spoil_events=lambda line: line.replace('"outcome":"completed"', '"outcome":"merged"'))
    wrong = why or make.difference("plain-turn", lines)
    tell(not why and any("make.py plain-turn" in line for line in wrong), "a valid event that is another one differs from the golden log", why)


golden_logs()
running_daemon()
print(f"1..{number}")
sys.exit(1 if failed else 0)
