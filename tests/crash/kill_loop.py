#!/usr/bin/env python3
"""kill -9 at many points of a run; nothing acknowledged may be missing afterwards.

There are 20 points, with THOLE_DEEP 600; with THOLE_SHARE=N as well 600 / N, from a random seed.

usage: kill_loop.py BUILD_DIR [POINTS]

A client submits turns, answers what is asked and follows the events while the daemon is killed at
points spread over the run.  After each restart: every sequence that a reply or the stream showed is
there, byte for byte; the log has no gap and its chain is whole; what was in flight is lost exactly
once; a resumed turn ends.

Then thousands of sessions have open work, and the daemon is killed while it recovers them: in the end
each was recovered once by every start that came to it, memory stays bounded, and each continues.  Prints TAP.
"""
import collections
import http.client
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402

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

    def __init__(self, transport, session, seen, rng):
        super().__init__(daemon=True)
        self.transport, self.session, self.seen, self.rng = transport, session, seen, rng
        self.acked = 0
        self.stop = False

    def run(self):
        try:
            while not self.stop:
                word = self.rng.choice(["chat", "work", "careful", "chat"])
                code, reply = self.transport.call("submit_turn", {"sessionId": self.session, "input": word})
                if not code:
                    self.acked = max(self.acked, reply["sequence"])
                self.look()
                code, found = self.transport.call("list_actions", {"sessionId": self.session, "status": "pending"})
                for action in [] if code else found["actions"]:
                    code, reply = self.transport.call("respond_action", {"sessionId": self.session, "actionId": action["actionId"],
                                                                    "decision": self.rng.choice(["allow", "deny"])})
                    if not code:
                        self.acked = max(self.acked, reply["sequence"])
                time.sleep(self.rng.random() * 0.02)
        except Exception:
            pass  # the daemon was killed: what was seen until then counts

    def look(self):
        for line in self.transport.events(self.session, len(self.seen)):
            self.seen.append(line)


def check(transport, session, seen, acked):
    lines = transport.events(session, 0)
    if lines[:len(seen)] != seen:
        at = next(i for i, (a, b) in enumerate(zip(seen, lines + [""] * len(seen))) if a != b)
        raise Wrong(f"event {at + 1} was shown and is now another or gone")
    if len(lines) < acked:
        raise Wrong(f"sequence {acked} was acknowledged, the log ends at {len(lines)}")
    for i, line in enumerate(lines):
        if json.loads(line)["sequence"] != i + 1:
            raise Wrong(f"no gap allowed: {i + 1}")
    code, reply = transport.call("verify_log", {"sessionId": session})
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


def go_on(transport, session):
    """Whatever was lost is resumed, whatever is asked is answered, until the thread is at rest."""
    def is_idle():
        _, why = transport.call("explain_thread", {"sessionId": session})
        if why["waitingFor"] == "nothing" and not why.get("queuedTurnIds"):
            return True
        if why["waitingFor"] in ("resume", "release"):
            transport.call("resume_thread", {"sessionId": session})
        for action in why.get("pendingActionIds", []):
            transport.call("respond_action", {"sessionId": session, "actionId": action, "decision": "allow"})
        return False

    until(f"{session} to be idle", is_idle)


# ---- thousands of sessions --------------------------------------------------------------------

CROWD_MEMORY_MIB = 96  # 32 for sessions in memory, the rest for the store and what is under way


def fill(daemon, count):
    """So many sessions with a turn that waits for an approval."""
    token = Http(daemon).token
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    wrong = []

    def submit(part):
        c = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=DEADLINE_S)
        for i in part:
            c.request("POST", "/v1/commands/submit_turn", json.dumps({"sessionId": f"s-{i}", "input": "careful"}), headers)
            r = c.getresponse()
            data = r.read()
            if r.status != 202:
                wrong.append(f"s-{i}: {r.status} {data[:200]}")

    parts = [threading.Thread(target=submit, args=(range(k, count, 4),)) for k in range(4)]
    for part in parts:
        part.start()
    for part in parts:
        part.join()
    if wrong:
        raise Wrong(wrong[0])
    wait_for(lambda: pending(Http(daemon), f"s-{count - 1}"), "the last approval")


def pending(transport, session):
    code, found = transport.call("list_actions", {"sessionId": session, "status": "pending"})
    return [] if code else [a["actionId"] for a in found["actions"]]


def wait_for(what, name):
    return until(name, what, base_s=300)


def progress(transport):
    """Sessions that are not recovered yet; None: the daemon is not ready."""
    status, data = transport.request("GET", "/readyz")
    if status != 200:
        return None
    found = json.loads(data).get("recovery", {"total": 0, "recovered": 0})
    return found["total"] - found["recovered"]


def memory_mib(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as f:
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("RssAnon"))


def reconstructed(transport):
    """How often each session recorded that it was recovered."""
    _, data = transport.request("GET", "/v1/events?follow=0&types=history.reconstructed", headers={"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in data.decode().split("\n") if line]
    return collections.Counter(e["sessionId"] for e in lines if e["type"] == "history.reconstructed")


def crowd(build, where, rng, count, kills):
    daemon = Daemon(build, os.path.join(where, "crowd"), SCRIPT, [])
    try:
        daemon.start()
        fill(daemon, count)
        daemon.kill()
        for kill in range(kills):
            daemon.start()
            transport = Http(daemon)
            wait_for(lambda: progress(transport) is not None, "the daemon")
            share = rng.random()
            wait_for(lambda: progress(transport) <= count * share, "a part of the recovery")
            daemon.kill()
        daemon.start()
        transport, sizes = Http(daemon), [0]

        def is_recovered():
            sizes.append(memory_mib(daemon))
            return progress(transport) == 0

        wait_for(is_recovered, "all sessions to be recovered")
        most = max(sizes)
        if "asan" not in build and most > CROWD_MEMORY_MIB:
            raise Wrong(f"{most} MiB while {count} sessions are recovered")
        said = reconstructed(transport)
        wrong = [f"s-{i}: {said[f's-{i}']}" for i in range(count) if not 1 <= said[f"s-{i}"] <= kills + 1]
        if wrong:
            raise Wrong(f"recovered so often in {kills + 1} starts: {wrong[:5]}")
        for i in rng.sample(range(count), 20):
            check(transport, f"s-{i}", [], 0)
            go_on(transport, f"s-{i}")
        daemon.stop()
        return most
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


def main():
    build = os.path.abspath(sys.argv[1])
    is_deep = "THOLE_DEEP" in os.environ
    share = int(os.environ["THOLE_SHARE"]) if is_deep and os.environ.get("THOLE_SHARE", "all") != "all" else 1
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 600 // share if is_deep else 20
    seed = random.randrange(1 << 32) if share > 1 else 7
    rng = random.Random(seed)
    where = tempfile.mkdtemp(prefix="thole-kill-")
    daemon = Daemon(build, os.path.join(where, "data"), SCRIPT, [])
    session, seen, survived = None, [], 0
    try:
        daemon.start()
        for point in range(points):
            transport = Http(daemon)
            if session is None or len(seen) > 3000:
                _, reply = transport.call("create_session", {"title": f"point {point}"})
                session, seen = reply["sessionId"], []
            client = Client(transport, session, seen, rng)
            client.start()
            time.sleep(rng.random() * 0.12)
            daemon.kill()
            client.stop = True
            client.join(DEADLINE_S)
            daemon.start()
            transport = Http(daemon)
            lines = check(transport, session, seen, client.acked)
            go_on(transport, session)
            seen[:] = transport.events(session, 0)
            survived += len(lines)
        lost = sum('"type":"task.lost"' in line for line in seen)
        print(f"# seed {seed}")
        print(f"ok 1 - {points} kills, nothing acknowledged was lost ({survived} events looked at, {lost} runs lost in the last session)")
        daemon.stop()
        count, kills = (10000, max(2, 20 // share)) if is_deep else (500, 2) if points < 20 else (2000, 2)
        most = crowd(build, where, rng, count, kills)
        print(f"ok 2 - {count} sessions, killed {kills} times while they were recovered ({most} MiB)")
        print("1..2")
        return 0
    except Wrong as e:
        print(f"not ok 1 - kill -9 loop\n# seed {seed}\n# {e}\n1..2")
        return 1
    finally:
        if daemon.process and daemon.process.poll() is None:
            daemon.process.kill()
        shutil.rmtree(where, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
