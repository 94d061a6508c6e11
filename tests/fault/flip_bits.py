#!/usr/bin/env python3
"""Single bits of log.db are flipped under the real daemon: tests/fault/flip_bits.py BUILD_DIR [COUNT] [SEED].  Prints TAP.

After each flip every event that any transport gives out (a page, a stream of lines, server-sent events, JSON-RPC) is the one
that was written, byte for byte; damage is reported as a gap with the reason `corrupt`, or the session answers 503; and
the other sessions can be read and continue.  With THOLE_DEEP 400 places, otherwise 40.
"""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenario"))
from run import DEADLINE_S, Daemon, Http, Stdio, Wrong, until_idle  # noqa: E402

SCRIPT = json.dumps({"version": 1, "rules": [], "default": {"text": {"repeat": "word {{n}} ", "count": 40}}})
SESSIONS = ["sess_a", "sess_b", "sess_c", "sess_d"]


def make_base(build, data):
    daemon = Daemon(build, data, SCRIPT, [])
    daemon.start()
    http = Http(daemon)
    for _ in range(3):
        for session in SESSIONS:
            http.call("submit_turn", {"sessionId": session, "input": "hello " * 50})
        for session in SESSIONS:
            until_idle(http, session)
    written = {s: http.events(s, 0) for s in SESSIONS}
    daemon.stop()
    return written


class Seen:
    """What was given out, compared with what was written."""

    def __init__(self, written):
        self.written, self.gaps, self.wrong, self.count = written, 0, [], {s: 0 for s in written}

    def event(self, text, how):
        try:
            e = json.loads(text)
            session, n = e["sessionId"], e["sequence"]
        except (ValueError, KeyError, TypeError):
            self.wrong.append(f"{how}: {text[:120]}")
            return
        lines = self.written.get(session)
        if lines is None and session.startswith("sess_") and session not in SESSIONS:
            return  # of the runtime itself
        if lines and n <= len(lines) and text != lines[n - 1]:
            self.wrong.append(f"{how}: event {n} of {session} is not what was written")
        self.count[session] = self.count.get(session, 0) + 1

    def gap(self, gap, how):
        self.gaps += 1
        if gap.get("reason") != "corrupt":
            self.wrong.append(f"{how}: {gap}")


def read_lines(http, seen, session):
    path = f"/v1/events?session={session}&after=0&follow=0" if session else "/v1/events?after=0&follow=0"
    status, data = http.request("GET", path, headers={"Accept": "application/x-ndjson"})
    if status != 200:
        return status
    for line in data.decode(errors="replace").splitlines():
        if line.startswith('{"gap":'):
            seen.gap(json.loads(line)["gap"], "lines")
        elif not line.startswith('{"end":'):
            seen.event(line, "lines")
    return status


def read_sse(http, seen, session):
    status, data = http.request("GET", f"/v1/events?session={session}&after=0&follow=0", headers={"Accept": "text/event-stream"})
    for frame in data.decode(errors="replace").split("\n\n") if status == 200 else []:
        fields = dict(line.split(": ", 1) for line in frame.splitlines() if ": " in line)
        if fields.get("event") == "gap":
            seen.gap(json.loads(fields["data"]), "sse")
        elif "data" in fields and fields.get("event") != "end":
            seen.event(fields["data"], "sse")
    return status


def read_pages(call, seen, session, how):
    after = 0
    while True:
        code, reply = call("list_events", {"sessionId": session, "after": after, "limit": 20})
        if code:
            return code
        for event in reply["events"]:
            seen.event(json.dumps(event, separators=(",", ":"), ensure_ascii=False), how)
        if "gap" in reply:
            seen.gap(reply["gap"], how)
        if not reply["more"]:
            return None
        if reply["lastSequence"] <= after:
            raise Wrong(f"{how}: a page does not continue: {after}")
        after = reply["lastSequence"]


def ended(daemon, seen, how):
    """A page that only a write meets ends the daemon, which says which file is damaged."""
    try:
        daemon.process.wait(DEADLINE_S)
    except subprocess.TimeoutExpired:
        return f"wrong: {how}it runs and does not answer"
    said = "".join(daemon.log)[-400:]
    if seen and not seen.wrong and daemon.process.returncode == 70 and "log.db: database disk image is malformed" in said:
        return "ended"
    return f"wrong: {how}it ended: {said}"


def one(build, base, written, place, bit):
    where = tempfile.mkdtemp(prefix="thole-flip-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    data = os.path.join(where, "data")
    shutil.copytree(base, data, ignore=shutil.ignore_patterns("socket*", "hand"))
    with open(data + "/log.db", "r+b") as f:
        f.seek(place)
        byte = f.read(1)[0]
        f.seek(place)
        f.write(bytes([byte ^ 1 << bit]))
    daemon, seen = Daemon(build, data, SCRIPT, []), None
    try:
        try:
            daemon.start()
        except Wrong:
            return "refused" if "".join(daemon.log).strip() else "wrong: it does not start and says nothing"
        http = Http(daemon)
        seen = Seen(written)
        hurt = set()
        for session in SESSIONS:
            for status in (read_lines(http, seen, session), read_sse(http, seen, session)):
                if status != 200:
                    hurt.add(session)
                if status not in (200, 503, 404):
                    return f"wrong: status {status} for {session}"
            read_pages(http.call, seen, session, "page")
        read_lines(http, seen, None)
        rpc = Stdio(daemon)
        try:
            read_pages(rpc.call, seen, SESSIONS[0], "json-rpc")
        finally:
            rpc.close()
        if seen.wrong:
            return "wrong: " + "; ".join(seen.wrong[:3])
        for session in SESSIONS:
            if seen.count.get(session, 0) and session not in hurt and not seen.gaps:
                code, reply = http.call("submit_turn", {"sessionId": session, "input": "and now"})
                if code not in (None, "session_unreadable"):
                    return f"wrong: a turn of {session}: {code} {reply.get('detail')}"
        if daemon.process.poll() is not None:
            return ended(daemon, seen, "")
        return "gap" if seen.gaps else "unreadable" if hurt else "unharmed"
    except OSError as e:
        return ended(daemon, seen, f"{e}: ")
    finally:
        if daemon.process.poll() is None:
            daemon.process.send_signal(signal.SIGKILL)
            daemon.process.wait()
        shutil.rmtree(where, ignore_errors=True)


def messages_to_people(build, base):
    """What the command line says of an event that is damaged."""
    where = tempfile.mkdtemp(prefix="thole-flip-")
    data = os.path.join(where, "data")
    shutil.copytree(base, data, ignore=shutil.ignore_patterns("socket*", "hand"))
    db = sqlite3.connect(data + "/log.db")
    db.execute("UPDATE event SET type = type + 1 WHERE seq = 4 AND session_no = (SELECT session_no FROM session WHERE id = 'sess_a')")
    db.commit()
    db.close()
    daemon = Daemon(build, data, SCRIPT, [])
    daemon.start()

    def thole(*args):
        return subprocess.run([os.path.join(build, "thole"), *args, "--data", data], capture_output=True, text=True, timeout=DEADLINE_S)

    try:
        log = thole("log", "sess_a", "--json")
        kept = [json.loads(line)["sequence"] for line in log.stdout.splitlines()]
        doctor = thole("doctor")
        verify = thole("verify", "sess_a")
        return [("thole log leaves it out, says so and fails", 4 not in kept and 5 in kept and "Events 4 to 4 are damaged" in log.stderr and log.returncode == 1,
                 log.stderr + str(log.returncode)),
                ("thole doctor names the place", "events 4 to 4 of sess_a" in doctor.stdout and doctor.returncode == 1, doctor.stdout),
                ("thole verify does too", "sess_a" in verify.stdout and "broken at event" in verify.stdout and verify.returncode == 1, verify.stdout)]
    finally:
        daemon.kill()
        shutil.rmtree(where, ignore_errors=True)


def main():
    build = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400 if os.environ.get("THOLE_DEEP") else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    rng = random.Random(seed)
    where = tempfile.mkdtemp(prefix="thole-flip-base-")
    results = {}
    try:
        base = os.path.join(where, "data")
        written = make_base(build, base)
        size = os.path.getsize(base + "/log.db")
        for _ in range(count):
            place, bit = rng.randrange(size), rng.randrange(8)
            what = one(build, base, written, place, bit)
            key = what.split(":")[0]
            results[key] = results.get(key, 0) + 1
            if key == "wrong":
                print(f"# byte {place} of {size}, bit {bit}: {what}", flush=True)
        told = messages_to_people(build, base)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"# {count} flips, seed {seed}: {results}")
    print("ok" if not results.get("wrong") else "not ok", "1 - no flipped bit is given out as an event")
    print("ok" if results.get("gap") else "not ok", "2 - damage is reported as a gap with its reason")
    for i, (what, is_so, more) in enumerate(told):
        print("ok" if is_so else "not ok", f"{i + 3} - {what}")
        if not is_so:
            print("# " + more[-800:].replace("\n", "\n# "))
    print(f"1..{2 + len(told)}")
    return 1 if results.get("wrong") or not results.get("gap") or not all(t[1] for t in told) else 0


if __name__ == "__main__":
    sys.exit(main())
