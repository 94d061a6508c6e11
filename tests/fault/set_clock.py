#!/usr/bin/env python3
"""The wall clock is set while the real daemon runs: tests/fault/set_clock.py BUILD_DIR.  Prints TAP.

Durations (expiry of an approval, intervals, leases) keep their length, moments of the wall clock follow it, and the
timestamps of a session never decrease: for steps of an hour and of ten years, while the daemon runs and while it is down.
"""
import datetime
import json
import mmap
import os
import shutil
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import Daemon, Http, Wrong, until  # noqa: E402

SCRIPT = json.dumps({"version": 1, "tools": [{"name": "careful", "policy": "ask", "result": {"text": "done"}}],
                     "rules": [{"when": {"afterTool": "careful"}, "reply": {"text": "allowed"}},
                               {"when": {"text": "approve", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}}],
                     "default": {"text": "hello"}})
HOUR = 3600 * 1000
YEARS = 10 * 365 * 24 * HOUR
number = failed = 0


def check(what, is_so, more=""):
    global number, failed
    number += 1
    failed += not is_so
    print(("ok" if is_so else "not ok"), number, "-", what, flush=True)
    if not is_so:
        print("# " + str(more)[-1500:].replace("\n", "\n# "), flush=True)


class House:
    """A daemon whose wall clock can be set; approvals expire after `timeout` seconds."""

    def __init__(self, build, where, timeout):
        os.makedirs(where)
        self.lib = os.path.join(build, "tests", "fault", "libset_clock.so")
        self.file = os.path.join(where, "shift")
        with open(self.file, "wb") as f:
            f.write(struct.pack("=q", 0))
        self.map = mmap.mmap(os.open(self.file, os.O_RDWR), 8)
        self.daemon = Daemon(build, os.path.join(where, "data"), SCRIPT, [f"action.timeout_s={timeout}"])
        self.shift = 0
        self.start()

    def start(self):
        os.environ.update(LD_PRELOAD=self.lib, SET_CLOCK=self.file)
        try:
            self.daemon.start()
        finally:
            del os.environ["LD_PRELOAD"], os.environ["SET_CLOCK"]
        self.http = Http(self.daemon)

    def step(self, ms):
        self.shift += ms
        self.map[:] = struct.pack("=q", self.shift)

    def noticed(self, times):
        """The daemon looks at the wall clock now and then."""
        until(lambda: f"the step to be noticed: {self.events('every')[-5:]}",
              lambda: self.count("every", "runtime.warning", "clockOffsetMs") >= times)

    def call(self, command, **params):
        code, reply = self.http.call(command, params)
        if code:
            raise Wrong(f"{command}: {reply}")
        return reply

    def events(self, session):
        return [json.loads(line) for line in self.http.events(session, 0)]

    def count(self, session, kind, text=""):
        return sum(e["type"] == kind and text in json.dumps(e) for e in self.events(session))

    def wait(self, what):
        """False when it did not come."""
        try:
            return until("what follows from the step", what)
        except Wrong:
            return False

    def ask(self, session):
        """A turn that waits for an approval."""
        self.call("submit_turn", sessionId=session, input="approve")
        until("an approval", lambda: self.count(session, "action.required"))

    def lease(self, session, ms):
        self.call("create_task", sessionId=session, taskId=session + "-t", objective="o")
        self.call("start_task", sessionId=session, taskId=session + "-t", worker={"kind": "external"})
        self.call("claim_task", sessionId=session, taskId=session + "-t", workerId="w", leaseMs=ms)

    def every(self, session):
        self.begun = time.monotonic()
        self.call("create_schedule", sessionId=session, everyMs=1000, task={"objective": "o"})

    def runs(self, session):
        return self.count(session, "task.created")

    def some_runs(self, session):
        """Three intervals more: whatever the step moved has been acted upon by then."""
        now = self.runs(session)
        return until("three runs", lambda: self.runs(session) >= now + 3)

    def stamps(self, session):
        return [e["timestamp"] for e in self.events(session)]

    def now(self):
        return datetime.datetime.fromtimestamp(time.time() + self.shift / 1000, datetime.timezone.utc)

    def close(self):
        self.map.close()
        self.daemon.stop()


def in_order(stamps):
    return stamps == sorted(stamps)


def steps_of_an_hour(build, where):
    for name, ms in (("back", -HOUR), ("forward", HOUR)):
        h = House(build, os.path.join(where, name), 600)
        h.every("every")
        h.ask("asks")
        h.lease("long", 600000)
        h.lease("short", 4000)
        soon = h.now() + datetime.timedelta(minutes=30)
        h.call("create_schedule", sessionId="at", at=soon.strftime("%Y-%m-%dT%H:%M:%SZ"), task={"objective": "o"})
        h.step(ms)
        check(f"an hour {name}: an interval continues", h.some_runs("every"), h.daemon.log[-5:])
        check(f"an hour {name}: and makes up for nothing", h.runs("every") <= time.monotonic() - h.begun + 1, h.runs("every"))
        check(f"an hour {name}: a lease that has passed is noticed", h.wait(lambda: h.count("short", "task.lost")), h.events("short")[-3:])
        check(f"an hour {name}: one that has not is held", h.count("long", "task.lost") == 0)
        check(f"an hour {name}: an approval is still pending", h.count("asks", "action.resolved") == 0)
        if ms > 0:
            check("an hour forward: a moment of the wall clock has come", h.wait(lambda: h.runs("at") == 1), h.events("at"))
        else:
            check("an hour back: a moment of the wall clock is further away", h.runs("at") == 0)
        check(f"an hour {name}: timestamps do not decrease", all(in_order(h.stamps(s)) for s in ("every", "asks", "long", "short")))
        # The same again, while the daemon is down.
        h.daemon.kill()
        h.step(ms)
        h.start()
        check(f"an hour {name} while it is down: an interval continues", h.some_runs("every"), h.daemon.log[-5:])
        check(f"an hour {name} while it is down: an approval is still pending", h.count("asks", "action.resolved") == 0, h.events("asks")[-3:])
        check(f"an hour {name} while it is down: a lease is held", h.count("long", "task.lost") == 0, h.events("long")[-3:])
        action = h.call("list_actions", sessionId="asks", status="pending")["actions"][0]["actionId"]
        h.call("respond_action", sessionId="asks", actionId=action, decision="allow")
        check(f"an hour {name}: the approval can be given", h.wait(lambda: h.count("asks", "turn.completed")), h.events("asks")[-3:])
        h.close()


def expiries(build, where):
    """Whatever the step, and in every order."""
    h = House(build, os.path.join(where, "expiry"), 3)
    for n, ms in enumerate((-HOUR, HOUR, YEARS, -YEARS, -HOUR)):
        session = f"asks-{n}"
        h.ask(session)
        h.step(ms)
        check(f"an approval expires after a step of {ms // 1000} s",
              h.wait(lambda: h.count(session, "action.resolved", "timed_out")), h.events(session)[-3:])
        check("and its timestamps do not decrease", in_order(h.stamps(session)))
    h.close()


def ten_years(build, where):
    h = House(build, os.path.join(where, "years"), 3)
    h.every("every")
    for session in ("s", "asleep"):
        h.call("submit_turn", sessionId=session, input="hello")
    h.wait(lambda: h.count("s", "turn.completed"))
    h.step(YEARS)
    h.noticed(1)
    h.call("submit_turn", sessionId="s", input="hello")
    check("ten years on: a turn ends", h.wait(lambda: h.count("s", "turn.completed") == 2))
    check("ten years on: stamps say so", h.stamps("s")[-1] > str(h.now().year - 1), h.stamps("s")[-1])
    h.step(-YEARS)
    h.noticed(2)
    check("and back: an interval continues", h.some_runs("every"), h.daemon.log[-5:])
    h.ask("new")
    check("and back: a new session has the right time",
          all(abs(datetime.datetime.fromisoformat(x.replace("Z", "+00:00")) - h.now()) < datetime.timedelta(minutes=30) for x in h.stamps("new")),
          h.stamps("new"))
    h.ask("s")
    check("and back: timestamps of the old one do not decrease", in_order(h.stamps("s")), h.stamps("s"))
    check("and back: it says that its stamps are ahead", "stampAheadMs" in json.dumps(h.events("s")))
    for session in ("new", "s"):
        check(f"and back: the approval of {session} expires", h.wait(lambda: h.count(session, "action.resolved", "timed_out")),
              h.events(session)[-3:])
    h.daemon.kill()
    h.start()
    h.call("submit_turn", sessionId="s", input="hello")
    check("after a restart: a turn ends", h.wait(lambda: h.count("s", "turn.completed") >= 3), h.events("s")[-3:])
    check("after a restart: timestamps do not decrease", in_order(h.stamps("s")))
    for session in ("s", "new", "every", "asleep"):
        check(f"the log of {session} is whole", h.call("verify_log", sessionId=session)["status"] == "whole")
    h.close()


def main():
    build = os.path.abspath(sys.argv[1])
    if not os.path.exists(os.path.join(build, "tests", "fault", "libset_clock.so")):
        print("ok 1 - the clock is set # SKIP the library is not built with sanitizers\n1..1")
        return 0
    where = tempfile.mkdtemp(prefix="thole-clock-")
    try:
        for part in (steps_of_an_hour, expiries, ten_years):
            part(build, where)
    except Wrong as e:
        check("the clock is set", False, e)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
