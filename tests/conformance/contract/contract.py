#!/usr/bin/env python3
"""The rows of the standard's checklist that are visible from outside, each against the real daemon.

usage: contract.py BUILD_DIR [--rows FILE] [WORD ...]

Each check names the rows it shows; WORD picks those whose name or rows contain it.  --rows writes a
table of the rows and whether they hold.  Prints TAP.  What the daemon told is left in
BUILD_DIR/scenario-logs, for the schemas.
"""
import http.client
import importlib
import inspect
import multiprocessing
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from contract_fixture import Fixture, Wrong  # noqa: E402

MODULES = ("identity", "envelope", "classes", "control", "actions", "snapshots", "channels", "outputs", "tools", "permission", "sandbox",
           "hooks", "policy", "processes", "transports", "export_formats", "siblings", "models", "refusals", "tasks", "jobs", "subagents", "promises", "limits")
AT_ONCE = int(os.environ.get("THOLE_AT_ONCE", "4"))  # each has its own daemon, and mostly waits for it


def checks():
    for name in MODULES:
        module = importlib.import_module(name)
        for label, f in inspect.getmembers(module, inspect.isfunction):
            if label.startswith("check_") and f.__module__ == name:
                yield f


def play(f, build, over):
    """'' or what is wrong."""
    fixture = None
    try:
        if f.own:
            f(build)
        else:
            fixture = Fixture(build, over=over, **f.fixture)
            f(fixture)
            fixture.keep(f.__name__[6:].replace("_", "-") + ("" if over == "http" else "-" + over))
        return ""
    except Wrong as e:
        return str(e)
    except (OSError, http.client.HTTPException, KeyError, IndexError, TypeError, ValueError, StopIteration) as e:
        at = e.__traceback__
        while at.tb_next:
            at = at.tb_next
        return f"{type(e).__name__} {e} at {os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}"
    finally:
        if fixture:
            try:
                fixture.close()
            except Wrong as e:
                return str(e)


def judge(job):
    """'' or what is wrong over one of its transports."""
    build, module, name = job
    f = getattr(importlib.import_module(module), name)
    # Sanitizers look at what is behind the transports, which is the same for all of them.
    over = f.over[:1] if os.environ.get("THOLE_ONE_TRANSPORT") else f.over
    return next((f"{o}: {w}" if len(f.over) > 1 else w for o in over if (w := play(f, build, o))), "")


def chosen(words):
    for f in sorted(checks(), key=lambda f: (MODULES.index(f.__module__), f.__code__.co_firstlineno)):
        if words and not any(w in " ".join((f.__module__, f.__name__) + f.rows) for w in words):
            continue
        if not f.deep or "THOLE_DEEP" in os.environ:
            yield f


def some_of(checks):
    """THOLE_EVERY=N: one check in N.  Under a sanitizer a few of them reach the code behind; --deep=repeat runs all."""
    return list(checks)[::int(os.environ.get("THOLE_EVERY", "1"))]


def main():
    args = sys.argv[1:]
    table = None
    if "--rows" in args:
        at = args.index("--rows")
        table = args[at + 1]
        del args[at:at + 2]
    build, words = os.path.abspath(args[0]), args[1:]
    number = failed = 0
    rows = {}
    todo = some_of(chosen(words))
    pool = multiprocessing.get_context("fork").Pool(AT_ONCE)
    for f, wrong in zip(todo, pool.imap(judge, [(build, f.__module__, f.__name__) for f in todo])):
        number += 1
        failed += bool(wrong)
        name = f.__name__[6:].replace("_", " ")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name} ({', '.join(f.rows)})", flush=True)
        for line in wrong.splitlines():
            print("# " + line[:600], flush=True)
        for row in f.rows:
            rows.setdefault(row, []).append((name, wrong))
    pool.close()
    pool.join()
    print(f"1..{number}")
    if table:
        with open(table, "w") as out:
            for row in sorted(rows):
                bad = [f"{n}: {w}" for n, w in rows[row] if w]
                out.write(f"{row}\t{'does not hold' if bad else 'holds'}\t{('; '.join(bad) or rows[row][0][0]).splitlines()[0]}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
