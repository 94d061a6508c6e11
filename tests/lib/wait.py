"""Waiting in tests: for an event, with one deadline for all tests.

A wait ends as soon as its event is there, so the deadline only decides how long a failure takes.
It is THOLE_PATIENCE seconds (30 when not set) on a machine that is idle, and grows with the number
of processes that compete for a processor: a test that passes alone passes beside other work.

No test sleeps for a fixed time; until() is the only place that pauses between two looks.
"""
import os
import time

BASE_S = float(os.environ.get("THOLE_PATIENCE", "30"))


class Wrong(AssertionError):
    """What the test expected is not so."""


def slowdown():
    """How many times longer than alone a step may take now: the load per processor, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


# For calls that take a timeout themselves.  Twice: the load may rise after the test has started.
DEADLINE_S = BASE_S * max(2.0, 2 * slowdown())


def until(what, look, pause_s=0.01, base_s=BASE_S):
    """The first true value that look() returns.  what: the event in words, or a function that describes the wait."""
    began = time.monotonic()
    while not (found := look()):
        waited = time.monotonic() - began
        if waited > base_s * slowdown():
            raise Wrong(f"waited {waited:.0f} s for: {what() if callable(what) else what}")
        time.sleep(pause_s)
    return found
