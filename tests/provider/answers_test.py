#!/usr/bin/env python3
"""What goes to a model and what comes back, against the real daemon and a model server on loopback (fake.py).

usage: answers_test.py BUILD_DIR [WORD ...]     WORD: only tests whose name contains one of them

The bodies of the requests are looked at as they came.  Prints TAP.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from fake import Fake, chat, failure, message, raw_sse, sse  # noqa: E402

spec = importlib.util.spec_from_file_location("scenario", HERE.parent / "scenario" / "run.py")
scenario = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenario)
BUILD = os.path.abspath(sys.argv[1])
tests = []


def test(f):
    tests.append(f)
    return f


class Box:
    """A daemon with one provider, `fake`; both go when the test ends."""

    def __init__(self, dialect, answer, *options, providers=None, **more):
        self.fake = Fake(answer)
        self.dir = tempfile.mkdtemp(prefix="thole-answers-")
        every = {"fake": self.fake.provider(dialect, **more), **(providers or {})}
        self.daemon = scenario.Daemon(BUILD, os.path.join(self.dir, "data"), None,
                                      ["providers=" + json.dumps(every), "model=fake/m-1", *options])

    def __enter__(self):
        self.daemon.start()
        self.face = scenario.Http(self.daemon)
        return self

    def __exit__(self, *error):
        self.fake.close()
        try:
            self.daemon.stop()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)

    def call(self, command, **params):
        code, reply = self.face.call(command, params)
        assert not code, reply
        return reply

    def run(self, text, **more):
        """One turn to its end; the events of it."""
        status, data = self.face.request("POST", "/v1/run", json.dumps({"sessionId": "sess_1", "input": text, **more}),
                                         headers={"Accept": "application/x-ndjson"})
        assert status == 200, data
        return [json.loads(line) for line in data.decode().split("\n") if line]

    def log(self):
        return [json.loads(line) for line in self.face.events("sess_1", 0)]

    def bodies(self):
        return [r.body for r in self.fake.requests]


def last(events, kind):
    found = [e for e in events if e["type"] == kind]
    assert found, f"no {kind} in " + " ".join(e["type"] for e in events)
    return found[-1]


# ---- long threads ----

@test
def a_thread_of_two_thousand_turns_is_sent_whole():
    """In a window of 200,000 tokens; and each body goes on from the one before, so that caches of prefixes hit."""
    with Box("openai", lambda r: chat("yes, %d" % r.number)(r)) as box:
        for n in range(2000):
            box.run("turn %d" % n, turnId="turn_%d" % n)
        bodies = box.bodies()
        assert len(bodies) == 2000, len(bodies)
        said = [t for t in box.fake.requests[-1].texts() if t.startswith("turn ")]
        assert said == ["turn %d" % n for n in range(2000)], (len(said), said[:2], said[-2:])
        for a, b in zip(bodies[1900:], bodies[1901:]):
            assert b["messages"][:len(a["messages"])] == a["messages"]
        # A restart, then a rollback to an early turn.
        box.daemon.kill()
        box.daemon.start()
        box.face = scenario.Http(box.daemon)
        box.run("after the restart", turnId="turn_late")
        assert len([t for t in box.fake.requests[-1].texts() if t.startswith("turn ")]) == 2000
        reply = box.call("rollback_thread", sessionId="sess_1", toTurnId="turn_41")
        assert reply["removedCount"] == 2001 - 42, reply
        box.run("again")
        said = box.fake.requests[-1].texts()
        assert [t for t in said if t.startswith("turn ")] == ["turn %d" % n for n in range(42)], said
        box.call("fork_thread", sessionId="sess_1", newThreadId="thr_f", turnId="turn_7")
        box.run("in the fork", threadId="thr_f")
        said = box.fake.requests[-1].texts()
        assert [t for t in said if t.startswith("turn ")] == ["turn %d" % n for n in range(8)], said


def main():
    words, number, failed = sys.argv[2:], 0, 0
    os.environ["SIM_KEY"] = "sk-0123456789-secret"
    for t in tests:
        if words and not any(w in t.__name__ for w in words):
            continue
        number += 1
        try:
            t()
            print(f"ok {number} - answers: {t.__name__.replace('_', ' ')}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - answers: {t.__name__.replace('_', ' ')}", flush=True)
            for line in traceback.format_exc().splitlines():
                print("# " + line[:2000], flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
