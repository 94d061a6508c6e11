"""Prints the result of test functions as TAP: one line each, and behind a failure where it was and its reason.

A test's name is a sentence: that of its function, with blanks.  A test raises Skip with the reason if what it
needs is not on this machine.
"""
import traceback

SHOWN = 6000


class Skip(Exception):
    """What the test needs is not on this machine."""


def play(tests):
    """Runs them in this order.  Returns the exit code of the program."""
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for n, t in enumerate(tests, 1):
        name = t.__name__.replace("_", " ")
        try:
            t()
            print(f"ok {n} - {name}", flush=True)
        except Skip as e:
            print(f"ok {n} - {name} # SKIP {e}", flush=True)
        except Exception:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {name}", flush=True)
            print("\n".join("# " + line for line in traceback.format_exc()[-SHOWN:].splitlines()[-40:]), flush=True)
    return 1 if failed else 0
