#!/usr/bin/env python3
"""Golden logs: one whole log per capability, played against the real daemon.

usage: make.py [--build DIR] NAME...   play these scenarios and write NAME.ndjson ("all": every one)
       make.py --check [BUILD_DIR [NAME...]]   play them and compare with the files; prints TAP

NAME.scn beside this file is the scenario, in the format of ../scenario/README.md.  README.md tells what is replaced by
stable values.  A file stays a log: every line is a valid event, and the lines can be folded.
"""
import concurrent.futures
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "scenario"))
sys.dont_write_bytecode = True
import run as scenario  # noqa: E402

# The length of the directory's name is part of what the model is sent, so it is the same on every machine.
tempfile.tempdir = "/tmp"
# The environment note names what differs between machines; tests/golden/prompt.txt has the texts.
os.environ["THOLE_CONTEXT_PROMPT"] = "none"

# Members whose value is a measurement, or depends on the machine: (name, value that takes its place).
MEASURED = {"durationMs", "timeToFirstTokenMs", "waitedMs", "elapsedMs", "durationDeltaMs", "cpuMs", "maxRssBytes", "pid", "switchedAfterMs", "foldVersion"}
FIXED = {"arch": "x86_64", "runtimeVersion": "0.1.0", "shell": "/bin/bash", "errno": "EROFS", "tier": "namespaces+landlock+seccomp"}
HASHES = {"bodyHash", "keyHash", "headHash", "rootHash", "programHash", "definitionHash", "catalogHash"}
# Members that count events of this session.
SEQUENCES = {"reflectsSequence", "unchangedSince", "throughSequence", "fromSequence", "toSequence", "removedThrough",
             "omittedThrough", "lastAckedSequence", "gapFrom", "gapTo", "sequence", "ackedSequence"}
# What a sandbox shows of the host differs from machine to machine; the tests of the sandbox look at it.
HOST_PATHS = {"readRoots", "writeRoots", "protectedPaths", "deniedPaths", "unreported"}
KEPT_PATHS = ("/workspace", "/workspace/.git/hooks")

BASE = datetime(2026, 1, 1, tzinfo=timezone.utc)
NEVER = "2026-02-01T00:00:00.000Z"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ULID = re.compile(r"(?<![a-z])([a-z]+)_(01[0-9a-z]{24}|[0-9a-f]{40})(?![0-9a-z])")
NUMBER = "\0number:"


def time_at(sequence):
    return (BASE + timedelta(seconds=sequence)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def merged(events):
    """Text that came in several pieces is one event, because how many share a commit is a matter of timing.  So is how
    often a process's output is reported; its end tells how much there was.  Returns (events, new sequence of each)."""
    out, place = [], {}
    for e in events:
        last = out[-1] if out else {}
        kind = e["type"]
        if kind in ("model.delta", "reasoning.delta") and last.get("type") == kind and last.get("stepId") == e.get("stepId"):
            last["payload"]["text"] += e["payload"]["text"]
            last["payload"]["chunks"] += e["payload"]["chunks"]
        elif kind != "process.output":
            out.append(e)
        place[e["sequence"]] = len(out)
    return out, place


class Names:
    """Stable names for what differs between any two runs."""

    def __init__(self, directory, place):
        self.directory, self.place = directory, place
        self.ids, self.counts = {}, {}

    def id(self, match):
        prefix, body = match.groups()
        if match.group(0) not in self.ids:
            self.counts[prefix] = self.counts.get(prefix, 0) + 1
            self.ids[match.group(0)] = f"{prefix}_{self.counts[prefix]}"
        return self.ids[match.group(0)]

    def text(self, value, event):
        if TIME.fullmatch(value):
            # Future times stay in the future; the rest is as old as its event.
            return time_at(self.place[event["sequence"]]) if value <= event["timestamp"] else NEVER
        value = value.replace(self.directory, "/workspace").replace(ROOT, "/source")
        value = re.sub(r"\bday:\d{4}-\d\d-\d\d\b", "day:2026-01-01", value)
        value = TIME.sub(NEVER, value)
        value = re.sub(r"attempts in \d+ s ", "attempts in 1 s ", value)
        return ULID.sub(self.id, value)

    def walk(self, value, event, key=None):
        if key in HOST_PATHS and isinstance(value, list):
            paths = [self.walk(v, event) for v in value]
            return [p for p in paths if p in KEPT_PATHS]
        if isinstance(value, dict):
            return {k: self.walk(v, event, k) for k, v in value.items()}
        if isinstance(value, list):
            return [self.walk(v, event, key) for v in value]
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            if key in MEASURED:
                return 1
            # A checkpoint of a log counts its events too.
            return self.place.get(value, value) if key in SEQUENCES else value
        if isinstance(value, str):
            if key in FIXED:
                return FIXED[key]
            if key in HASHES:
                return "0" * len(value)
            if value.startswith(NUMBER):
                return NUMBER + "1.0" if key in MEASURED else value
            return self.text(value, event)
        return value


def normal(events, directory):
    """Lines of the log with stable names.  Numbers with a fraction keep the digits that the runtime wrote."""
    events, place = merged(events)
    names = Names(directory, place)
    lines = []
    for e in events:
        for checkpoint in e.get("taskAttempt", {}).get("checkpointRefs", []):
            if checkpoint.get("kind") == "log":
                checkpoint["offset"] = place.get(checkpoint["offset"], checkpoint["offset"])
        line = json.dumps(names.walk(e, e), separators=(",", ":"), ensure_ascii=False)
        lines.append(re.sub(r'"\\u0000number:([^"]+)"', r"\1", line))
    return lines


class Run(scenario.Run):
    """A scenario that keeps its events with the digits of their numbers."""

    def log(self):
        """All events that were read, as text."""
        return [json.loads(line, parse_float=lambda digits: NUMBER + digits) for line in self.lines]

    def __init__(self, build, path):
        super().__init__(build, Http, path)
        self.lines = []

    def connect(self):
        super().connect()
        self.transport.lines = self.lines


class Http(scenario.Http):
    lines = None

    def events(self, session, after):
        lines = super().events(session, after)
        self.lines.extend(lines)
        return lines


def play(build, name):
    """The normalised lines, or what went wrong."""
    one = Run(build, os.path.join(HERE, name + ".scn"))
    try:
        one.run()
        return normal(one.log(), one.dir), ""
    except scenario.Wrong as e:
        return None, str(e)
    finally:
        shutil.rmtree(one.dir, ignore_errors=True)


def path_of(name):
    return os.path.join(HERE, name + ".ndjson")


def all_names():
    return sorted(f[:-4] for f in os.listdir(HERE) if f.endswith(".scn"))


def play_all(build, names):
    """A few at a time: they wait more than they compute."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        yield from zip(names, pool.map(lambda name: play(build, name), names))


def difference(name, lines):
    with open(path_of(name), encoding="utf-8") as f:
        wanted = f.read().split("\n")[:-1]
    if wanted == lines:
        return []
    out = []
    for line in difflib.unified_diff(wanted, lines, f"tests/golden/{name}.ndjson", "what the daemon wrote", n=0, lineterm=""):
        out.append(line if len(line) < 2000 else line[:2000] + " …")
    for a, b in zip(wanted, lines):
        if a != b:
            at = next((n for n, (p, q) in enumerate(zip(a, b)) if p != q), min(len(a), len(b)))
            out.append(f"first difference: …{a[max(at - 60, 0):at + 60]}… is now …{b[max(at - 60, 0):at + 60]}…")
            break
    return out + [f"If this is intended, renew the file: python3 tests/golden/make.py {name}"]


def check(build, names):
    number = failed = 0

    def tell(what, wrong):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}", flush=True)
        for line in wrong:
            print("# " + line, flush=True)

    missing = [name for name in names if not os.path.exists(path_of(name))]
    stray = [f for f in sorted(os.listdir(HERE)) if f.endswith(".ndjson") and f[:-7] not in all_names()]
    tell("every golden scenario has its log", [f"no {m}.ndjson" for m in missing] + [f"no scenario of {s}" for s in stray])
    for name, (lines, why) in play_all(build, [n for n in names if n not in missing]):
        tell(f"golden {name}", why.splitlines() if why else difference(name, lines))
    print(f"1..{number}")
    return 1 if failed else 0


def make(build, names):
    bad = 0
    for name, (lines, why) in play_all(build, names):
        if why:
            print(f"{name}: {why}", file=sys.stderr)
            bad = 1
            continue
        with open(path_of(name), "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
        print(f"{name}: {len(lines)} events")
    schema = os.path.join(ROOT, "docs", "reference", "schemas", "event.schema.json")
    program = os.path.join(build, "tests", "conformance", "schema_check")
    files = [path_of(n) for n in names if os.path.exists(path_of(n))]
    return subprocess.run([program, schema, "event", *files]).returncode or bad


def main():
    args = sys.argv[1:]
    if args[:1] == ["--check"]:
        build = os.path.abspath(args[1] if len(args) > 1 else os.path.join(ROOT, "build"))
        return check(build, args[2:] or all_names())
    build = os.path.join(ROOT, "build")
    if args[:1] == ["--build"]:
        build, args = os.path.abspath(args[1]), args[2:]
    if not args:
        print(__doc__, file=sys.stderr)
        return 2
    return make(build, all_names() if args == ["all"] else args)


if __name__ == "__main__":
    sys.exit(main())
