#!/usr/bin/env python3
"""The command line against the real program: verbs, exit codes, autostart, terminals, Ctrl-C.

usage: cli_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory of its own; whatever it started is ended with it.
Nothing sleeps: what has to happen is waited for, with a bound.
"""
import importlib
import os
import sys

from cli_fixture import THOLE, Fixture, tests
from tap import play

# They run in this order.
for topic in ("words", "run", "daemon", "decisions", "terminal", "looking", "sandbox", "policy", "grants", "effects", "undo", "ci", "export", "atif", "trials", "labels", "import", "remote", "search", "inline", "work", "worktree", "extend", "servers"):
    importlib.import_module("cli_" + topic)


def main():
    if not os.access(THOLE, os.X_OK):
        print(f"Bail out! there is no {THOLE}")
        return 1
    return play(tests, sys.argv[2:], fixture=Fixture)


if __name__ == "__main__":
    sys.exit(main())
