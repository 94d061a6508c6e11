#!/usr/bin/env python3
"""The command line against the real program: verbs, exit codes, autostart, terminals, Ctrl-C.

usage: cli_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

Prints TAP.  Every test has a data directory of its own; whatever it started is ended with it.
Nothing sleeps: what has to happen is waited for, with a bound.
"""
import importlib
import os
import sys
import traceback

from cli_fixture import THOLE, Fixture, Skip, tests

# They run in this order.
for topic in ("words", "run", "daemon", "decisions", "terminal", "looking", "sandbox", "policy", "effects", "undo", "ci", "export", "atif", "trials", "labels", "import", "remote", "search", "inline", "work", "worktree", "extend"):
    importlib.import_module("cli_" + topic)


def main():
    chosen = [t for t in tests if not sys.argv[2:] or any(w in t.__name__ for w in sys.argv[2:])]
    if not os.access(THOLE, os.X_OK):
        print(f"Bail out! there is no {THOLE}")
        return 1
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for n, t in enumerate(chosen, 1):
        fixture = Fixture()
        name = t.__name__.replace("_", " ")
        try:
            t(fixture)
            print(f"ok {n} - {name}", flush=True)
        except Skip as e:
            print(f"ok {n} - {name} # SKIP {e}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {name}")
            for line in traceback.format_exc().splitlines()[-40:]:
                print(f"# {line}")
            log = fixture.data / "daemon.log"
            for line in (log.read_text().splitlines()[-10:] if log.exists() else []):
                print(f"# daemon: {line}", flush=True)
        finally:
            fixture.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
