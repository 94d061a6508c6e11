#!/usr/bin/env python3
"""Which classes, commands and refusals of the catalogue did no test produce?

usage: scripts/coverage.py BUILD_DIR [FILE.jsonl...]

Reads BUILD_DIR/scenario-logs/*.jsonl and BUILD_DIR/scenario-calls/*.jsonl and the files
named; writes nothing.  A line counts by its shape: an event (it has an eventId), a call
({"call": NAME, "code": CODE or null, ...}), or a problem ({"code": ..., "command": ...}).  Refusals
and reads leave no events, so without calls nothing can be said about them.  The last line is

    produced N of 120 classes (M built)

and the exit code is 1 when a test produced something that the catalogue does not allow.
"""
import glob
import json
import os
import sys
import textwrap

import catalog
from catalog_docs import COMMON


def find_logs(build):
    found = []
    for folder in ("scenario-logs", "scenario-calls"):
        found += glob.glob(os.path.join(build, folder, "*.jsonl"))
    return sorted(found)


def read_lines(path):
    """A last line without its end is one that a crash has cut."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and line.endswith("\n"):
                yield json.loads(line)


class Seen:
    def __init__(self):
        self.events = self.calls = 0
        self.classes, self.commands = {}, {}  # name: how often
        self.refusals = set()  # (command or None, code)

    def take(self, line):
        if "eventId" in line:
            self.events += 1
            count(self.classes, line["type"])
            if "command" in line:
                count(self.commands, line["command"]["name"])
        elif "call" in line:
            self.calls += 1
            if line.get("code"):
                self.refusals.add((line["call"], line["code"]))
            else:
                count(self.commands, line["call"])
        elif "code" in line:
            self.calls += 1
            self.refusals.add((line.get("command"), line["code"]))


def count(counter, name):
    counter[name] = counter.get(name, 0) + 1


def wrap(words, start):
    print(textwrap.fill(" ".join(words), 100, initial_indent=start, subsequent_indent="    ",
                        break_on_hyphens=False, break_long_words=False))


def say(title, names):
    print(f"{title}: {len(names)}")
    if names:
        wrap(names, "    ")


def tell_commands(cat, seen, built):
    if not seen.calls:
        lost = [n for n in built if cat.commands[n]["emits"] and n not in seen.commands]
        say("built commands that write events and that no test had accepted", lost)
        print("no record of calls: nothing can be said about reads and refusals")
        return
    say("built commands that no test had accepted", [n for n in built if n not in seen.commands])
    lost = {n: [c for c in cat.commands[n]["refuses"] if (n, c) not in seen.refusals] for n in built}
    print(f"refusals of built commands that no test was given: {sum(map(len, lost.values()))}")
    for name, words in lost.items():
        if words:
            wrap(words, f"  {name}: ")
    given = {code for _, code in seen.refusals}
    wanted = {code for n in built for code in cat.commands[n]["refuses"]} | set(COMMON) | {"unavailable"}
    say("problem codes of built things that no test was given",
        [c for c in cat.errors if c in wanted and c not in given])


def find_wrong(cat, seen):
    """What was produced and should not have been."""
    wrong = [f"{n}: no such class" for n in seen.classes if n not in cat.events]
    wrong += [f"{n}: declared, but emitted" for n in seen.classes
              if n in cat.events and cat.events[n]["state"] != "built"]
    wrong += [f"{n}: declared, but accepted" for n in seen.commands
              if n in cat.commands and cat.commands[n]["state"] != "built"]
    wrong += [f"{n}: no such command, but accepted" for n in seen.commands if n not in cat.commands]
    general = set(COMMON) | {"unavailable", "unknown_command"}
    for n, code in sorted(seen.refusals, key=str):
        if code not in cat.errors:
            wrong.append(f"{n}/{code}: no such code")
        elif n in cat.commands and code not in general and code not in cat.commands[n]["refuses"]:
            wrong.append(f"{n}/{code}: given, but not in its row")
    return wrong


def main():
    if len(sys.argv) < 2:
        print("usage: scripts/coverage.py BUILD_DIR [FILE.jsonl...]", file=sys.stderr)
        return 2
    cat = catalog.Catalog()
    seen = Seen()
    files = find_logs(sys.argv[1]) + sys.argv[2:]
    for path in files:
        for line in read_lines(path):
            seen.take(line)
    print(f"{len(files)} logs, {seen.events} events, {seen.calls} calls")
    classes = sorted(cat.events, key=lambda n: cat.events[n]["number"])
    built = [n for n in classes if cat.events[n]["state"] == "built"]
    say("built classes that no test produced", [n for n in built if n not in seen.classes])
    tell_commands(cat, seen, [n for n, row in cat.commands.items() if row["state"] == "built"])
    wrong = find_wrong(cat, seen)
    for line in wrong:
        print("not allowed by the catalogue: " + line)
    produced = sum(n in seen.classes for n in classes)
    print(f"produced {produced} of {len(classes)} classes ({len(built)} built)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
