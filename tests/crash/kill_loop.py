#!/usr/bin/env python3
"""kill -9 at sixty points of a run; nothing acknowledged may be missing afterwards.

usage: kill_loop.py BUILD_DIR [POINTS]

A client submits turns, answers what is asked and follows the events while the daemon is killed at
points spread over the run.  After each restart: every sequence that a reply or the stream showed is
there, byte for byte; the log has no gap and its chain is whole; what was in flight is lost exactly
once; a resumed turn ends.  Prints TAP.
"""
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import Daemon, Http, Wrong  # noqa: E402

SCRIPT = json.dumps({
    "version": 1,
    "tools": [{"name": "work", "policy": "allowed", "result": {"text": "worked", "delayMs": 15}},
              {"name": "careful", "policy": "ask", "result": {"text": "done with care"}}],
    "rules": [{"when": {"afterTool": "work"}, "reply": {"text": "it worked", "delayMs": 1}},
              {"when": {"afterTool": "careful"}, "reply": {"text": "it was allowed"}},
              {"when": {"text": "work", "request": 1}, "reply": {"toolCalls": [{"name": "work", "args": {}}]}},
              {"when": {"text": "careful", "request": 1}, "reply": {"toolCalls": [{"name": "careful", "args": {}}]}}],
    "default": {"text": {"repeat": "word ", "count": 40}, "delayMs": 1},
})


class Client(threading.Thread):
    """Keeps one session busy and remembers everything it was shown."""

    def __init__(self, face, session, seen, rng):
        super().__init__(daemon=True)
        self.face, self.session, self.seen, self.rng = face, session, seen, rng
        self.acked = 0
        self.stop = False

    def run(self):
        try:
            while not self.stop:
                word = self.rng.choice(["talk", "work", "careful", "talk"])
                code, reply = self.face.call("submit_turn", {"sessionId": self.session, "input": word})
                if not code:
                    self.acked = max(self.acked, reply["sequence"])
                self.look()
                code, found = self.face.call("list_actions", {"sessionId": self.session, "status": "pending"})
                for action in [] if code else found["actions"]:
                    code, reply = self.face.call("respond_action", {"sessionId": self.session, "actionId": action["actionId"],
                                                                    "decision": self.rng.choice(["allow", "deny"])})
                    if not code:
                        self.acked = max(self.acked, reply["sequence"])
                time.sleep(self.rng.random() * 0.02)
        except Exception:
            pass  # the daemon was killed: what was seen until then counts

    def look(self):
        for line in self.face.events(self.session, len(self.seen)):
            self.seen.append(line)


def check(face, session, seen, acked):
    lines = face.events(session, 0)
    if lines[:len(seen)] != seen:
        at = next(i for i, (a, b) in enumerate(zip(seen, lines + [""] * len(seen))) if a != b)
        raise Wrong(f"event {at + 1} was shown and is now another or gone")
    if len(lines) < acked:
        raise Wrong(f"sequence {acked} was acknowledged, the log ends at {len(lines)}")
    for i, line in enumerate(lines):
        if json.loads(line)["sequence"] != i + 1:
            raise Wrong(f"no gap allowed: {i + 1}")
    code, reply = face.call("verify_log", {"sessionId": session})
    if code or reply["status"] != "whole":
        raise Wrong(f"the chain: {reply}")
    ends = {}
    for line in lines:
        e = json.loads(line)
        if e["type"] in ("tool.result", "tool.failed"):
            ends[e["toolCallId"]] = ends.get(e["toolCallId"], 0) + 1
    if any(n != 1 for n in ends.values()):
        raise Wrong("a call ended more than once")
    return lines


def go_on(face, session):
    """Whatever was lost is resumed, whatever is asked is answered, until the thread is at rest."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        _, why = face.call("explain_thread", {"sessionId": session})
        if why["waitingFor"] == "nothing" and not why.get("queuedTurnIds"):
            return
        if why["waitingFor"] in ("resume", "release"):
            face.call("resume_thread", {"sessionId": session})
        for action in why.get("pendingActionIds", []):
            face.call("respond_action", {"sessionId": session, "actionId": action, "decision": "allow"})
        time.sleep(0.01)
    raise Wrong(f"the thread does not come to rest: {why}")


def main():
    build = os.path.abspath(sys.argv[1])
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 600 if os.environ.get("THOLE_DEEP") else 60
    rng = random.Random(7)
    where = tempfile.mkdtemp(prefix="thole-kill-")
    daemon = Daemon(build, os.path.join(where, "data"), SCRIPT, [])
    session, seen, survived = None, [], 0
    try:
        daemon.start()
        for point in range(points):
            face = Http(daemon)
            if session is None or len(seen) > 3000:
                _, reply = face.call("create_session", {"title": f"point {point}"})
                session, seen = reply["sessionId"], []
            client = Client(face, session, seen, rng)
            client.start()
            time.sleep(rng.random() * 0.12)
            daemon.kill()
            client.stop = True
            client.join(10)
            daemon.start()
            face = Http(daemon)
            lines = check(face, session, seen, client.acked)
            go_on(face, session)
            seen[:] = face.events(session, 0)
            survived += len(lines)
        lost = sum('"type":"task.lost"' in line for line in seen)
        print(f"ok 1 - {points} kills, nothing acknowledged was lost ({survived} events looked at, {lost} runs lost in the last session)")
        daemon.stop()
        print("1..1")
        return 0
    except Wrong as e:
        print(f"not ok 1 - kill -9 loop\n# {e}\n1..1")
        return 1
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
        shutil.rmtree(where, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
