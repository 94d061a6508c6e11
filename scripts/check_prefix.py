#!/usr/bin/env python3
"""Exported names that do not begin with the name of their file, per folder of src/.

`store_append()` is found in store.c.  Public names begin with thole_.  In
core/ and engine/ a command, a read model and a handler are found by their
own names: decide_COMMAND, query_COMMAND, view_MODEL, TOPIC_on_EVENT; in
filetool/ a tool by tool_NAME, in app/ a verb by verb_NAME.  What is generated,
and main(), do not count.  Read from the objects in build/.
"""
import collections
import pathlib
import re
import sys

from objects import objects
from ratchet import hold

IGNORED = ("main", "__odr", "__asan", "__start_", "__stop_")
BY_ROLE = re.compile(r"(decide|query|view)_[a-z]|[a-z_]+_on_[a-z]")


def main():
    builds = [a for a in sys.argv[1:] if not a.startswith("-")]
    figures, details = collections.Counter(), collections.defaultdict(list)
    for source, (defined, _) in sorted(objects(*builds[:1]).items()):
        folder, stem = source.split("/")[1], pathlib.Path(source).stem
        figures[folder] += 0
        if "/gen/" in source:
            continue
        for name in sorted(defined):
            if name.startswith(IGNORED) or name.startswith("thole_"):
                continue
            if folder in ("core", "engine") and BY_ROLE.match(name):
                continue
            if name.startswith({"filetool": "tool_", "app": "verb_"}.get(folder, " ")):
                continue
            if name != stem and not name.startswith(stem + "_"):
                figures[folder] += 1
                details[folder].append(f"{source}: {name}")
    hold("check_prefix", dict(figures), details)


main()
