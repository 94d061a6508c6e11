"""Prints the result of test functions as TAP: one line each, and behind a failure where it was and its reason.

A test's name is a sentence: that of its function, with blanks.  A test raises Skip with the reason if what it
needs is not on this machine.  A test that is marked with @long takes seconds of processor time and guards what an
everyday change does not break: it runs when it is named, and in ./test --deep=programs (THOLE_LONG=1).
"""
import os
import traceback

SHOWN = 6000


class Skip(Exception):
    """What the test needs is not on this machine."""


def long(test):
    """Marks a test that ./test leaves to ./test --deep."""
    test.is_long = True
    return test


def chosen(tests, words=()):
    """Those whose names contain one of the words; without words all but the long ones."""
    if words:
        return [t for t in tests if any(word.replace(" ", "_") in t.__name__ for word in words)]
    return [t for t in tests if os.environ.get("THOLE_LONG") or not getattr(t, "is_long", False)]


def explain(failure):
    """The end of the traceback as comments.  Asserts of tests carry what they saw; its end says most."""
    text = "".join(traceback.format_exception(failure))[-SHOWN:]
    lines = [line for line in text.splitlines() if line.strip()]  # a screen of a terminal is mostly blank
    print("\n".join("# " + line for line in lines[-40:]), flush=True)


def play(tests, words=(), prefix="", fixture=None):
    """Runs the chosen ones in this order, each with a new fixture if there is one, and closes that.  Returns the exit code of the program."""
    tests = chosen(tests, words)
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for n, t in enumerate(tests, 1):
        name = prefix + t.__name__.replace("_", " ")
        given = [fixture()] if fixture else []
        try:
            t(*given)
            print(f"ok {n} - {name}", flush=True)
        except Skip as e:
            print(f"ok {n} - {name} # SKIP {e}", flush=True)
        except Exception as e:  # every failure is one line of TAP
            failed += 1
            print(f"not ok {n} - {name}", flush=True)
            explain(e)
            for line in given[0].last_words() if given and hasattr(given[0], "last_words") else []:
                print("# " + line, flush=True)
        finally:
            for g in given:
                g.close()
    return 1 if failed else 0
