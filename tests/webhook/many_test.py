#!/usr/bin/env python3
"""Thousands of deliveries in, thousands of notifications out, across three kills of the daemon: none is lost, and none has two effects.

usage: many_test.py BUILD_DIR [COUNT] [WORD]     COUNT: 10000; WORD: only tests whose name contains it

Prints TAP; lines with # have the rates and the memory of the daemon.  Of these, only the memory for deliveries in is judged, with room for the
allocator: sessions that nothing asks for must leave when their work has ended.
"""
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Without the checks of test runs, which write the whole state for every decision.
os.environ.update(MANY_SECRET="a secret of the sender, long enough", THOLE_STRICT="0")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenario"), str(HERE.parent / "lib")]
from run import DEADLINE_S, Daemon, Http, Wrong, until  # noqa: E402
from tap import play  # noqa: E402

BUILD = str(pathlib.Path(sys.argv[1]).resolve())
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
SENDERS = 16
KILLS = 3
SESSIONS = 100
MEMORY_MAX_KIB = 16 << 10  # above the start; ten thousand sessions that stayed would take 140 MiB, and 32 MiB of them did


class Many:
    def __init__(self, subject="turn"):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="thole-many-"))
        self.got = self.dir / "got"
        self.receiver = subprocess.Popen([sys.executable, str(HERE / "receiver.py"), str(self.got)], stdout=subprocess.PIPE)
        url = f"http://127.0.0.1:{int(self.receiver.stdout.readline())}/reported"
        triggers = {"many": {"signature": "bearer", "secret_env": "MANY_SECRET", "prompt": "Report it."}}
        notify = {"url": url, "secret_env": "MANY_SECRET", "on": [subject]}
        self.daemon = Daemon(BUILD, str(self.dir / "data"), json.dumps({"version": 1, "default": {"text": "done"}}),
                             ["tools.enabled=false", "tools.agents=false", "recovery.resume=auto", "journal.enabled=false",
                              "triggers=" + json.dumps(triggers), *(f"notify.{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in notify.items())])
        self.daemon.validates = False  # ten thousand sessions
        self.replies = {}
        self.todo = iter(range(COUNT))
        self.lock = threading.Lock()
        self.peak_kib = 0

    def start(self):
        self.daemon.start()
        self.http = Http(self.daemon)

    def memory(self):
        """Memory that only this process has and wrote to, in KiB; the highest is kept.  Pages of its program are not counted: the kernel drops
        and reads them as it likes, and their number at the start says nothing."""
        try:
            text = pathlib.Path(f"/proc/{self.daemon.process.pid}/smaps_rollup").read_text()
        except OSError:
            return 0
        kib = sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_Dirty"))
        self.peak_kib = max(self.peak_kib, kib)
        return kib

    def send(self):
        """Posts deliveries, each until it is answered with 202, as senders of webhooks do."""
        connection = None
        while True:
            with self.lock:
                n = next(self.todo, None)
            if n is None:
                return
            body = json.dumps({"type": "many", "n": n})
            while n not in self.replies:
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE_S)
                    connection.request("POST", "/v1/triggers/many", body, {"content-type": "application/json", "webhook-id": f"id{n}",
                                                                           "authorization": "Bearer " + os.environ["MANY_SECRET"]})
                    reply = connection.getresponse()
                    data = json.loads(reply.read())
                    if reply.status == 202:
                        self.replies[n] = data["turnId"]
                    elif reply.status not in (429, 503):
                        raise Wrong(f"{reply.status} {data}")
                    else:
                        time.sleep(0.02)
                except (OSError, http.client.HTTPException, ValueError):
                    if connection:
                        connection.close()
                    connection = None
                    time.sleep(0.02)

    def lines(self):
        return [line.split() for line in self.got.read_text().splitlines() if line.count(" ") == 1] if self.got.exists() else []

    def end(self):
        self.receiver.kill()
        self.receiver.wait()
        if self.daemon.process.poll() is None:
            self.daemon.kill()
        shutil.rmtree(self.dir, ignore_errors=True)


def deliveries_in_and_out_across_three_kills():
    w = Many()
    try:
        w.start()
        before_kib = w.memory()
        began = time.monotonic()
        senders = [threading.Thread(target=w.send) for _ in range(SENDERS)]
        for s in senders:
            s.start()
        for kill in range(1, KILLS + 1):
            until("a share of it was accepted", lambda: len(w.replies) >= COUNT * kill // (KILLS + 1), base_s=600)
            w.memory()
            w.daemon.kill()
            w.start()
        for s in senders:
            s.join()
        in_s = time.monotonic() - began
        turns = set(w.replies.values())
        if len(turns) != COUNT:
            raise Wrong(f"{len(turns)} turns for {COUNT} deliveries")
        until(lambda: f"every end is reported: {len({t for _, t in w.lines()})} of {COUNT}", lambda: w.memory() and len({t for _, t in w.lines()}) >= COUNT, pause_s=0.2, base_s=900)
        out_s = time.monotonic() - began
        reported = w.lines()
        if {t for _, t in reported} != turns:
            raise Wrong("other turns were reported than were begun")
        ids = {}
        for delivery, turn in reported:
            if ids.setdefault(turn, delivery) != delivery:
                raise Wrong(f"{turn} was reported under two ids")
        print(f"# in:  {COUNT} deliveries in {in_s:.1f} s, {COUNT / in_s:.0f}/s, with {KILLS} kills")
        print(f"# out: {COUNT} notifications in {out_s:.1f} s, {COUNT / out_s:.0f}/s; {len(reported) - COUNT} were repeated under the same id")
        print(f"# private memory: {before_kib} KiB at first, {w.peak_kib} KiB at most, {w.memory()} KiB at the end")
        if w.peak_kib - before_kib > MEMORY_MAX_KIB:
            raise Wrong(f"{w.peak_kib - before_kib} KiB more than at first")
    finally:
        w.end()


def fail_tasks(w, session, count, ids):
    """Tasks that end: each is reported, and no model works."""
    http_ = Http(w.daemon)
    for _ in range(count):
        code, made = http_.call("create_task", {"sessionId": session, "objective": "something"})
        code2, failed = http_.call("fail_task", {"sessionId": session, "taskId": made.get("taskId"), "error": {"category": "tool_failed", "message": "as planned"}})
        if code or code2:
            raise Wrong(f"{made} {failed}")
        ids.append(made["taskId"])


def notifications_that_waited_for_their_receiver_across_three_kills():
    w = Many("task")
    try:
        w.start()
        before_kib = w.memory()
        w.receiver.send_signal(signal.SIGSTOP)  # it takes connections and says nothing
        sessions = [w.http.call("create_session", {})[1]["sessionId"] for _ in range(SESSIONS)]
        ids = []
        workers = [threading.Thread(target=fail_tasks, args=(w, s, COUNT // SESSIONS, ids)) for s in sessions]
        for t in workers:
            t.start()
        for t in workers:
            t.join()
        want = set(ids)
        w.memory()
        w.daemon.kill()
        w.receiver.send_signal(signal.SIGCONT)
        until("the receiver has nothing left to read", lambda: (n := len(w.lines())) == len(w.lines()))
        first = len({t for _, t in w.lines()})
        w.start()
        began = time.monotonic()
        down_s = 0
        for kill in range(1, KILLS):
            until("a share of it was reported", lambda: len({t for _, t in w.lines()}) >= len(want) * kill // KILLS, pause_s=0.05, base_s=600)
            w.memory()
            at = time.monotonic()
            w.daemon.kill()
            w.start()
            down_s += time.monotonic() - at
        until(lambda: f"every end is reported: {len({t for _, t in w.lines()})} of {len(want)}", lambda: w.memory() and len({t for _, t in w.lines()}) >= len(want), pause_s=0.05, base_s=600)
        took_s = time.monotonic() - began
        reported = w.lines()
        if {t for _, t in reported} != want:
            raise Wrong("other tasks were reported than ended")
        by_task = {}
        for delivery, task in reported:
            if by_task.setdefault(task, delivery) != delivery:
                raise Wrong(f"{task} was reported under two ids")
        print(f"# out: {len(want) - first} notifications that waited in {took_s:.1f} s, {(len(want) - first) / took_s:.0f}/s with {KILLS} kills "
              f"({down_s:.1f} s of it are restarts); {len(reported) - len(want)} were repeated under the same id")
        print(f"# private memory: {before_kib} KiB at first, {w.peak_kib} KiB at most, {w.memory()} KiB at the end")
    finally:
        w.receiver.send_signal(signal.SIGCONT)
        w.end()


WORD = sys.argv[3] if len(sys.argv) > 3 else ""
sys.exit(play([t for t in (deliveries_in_and_out_across_three_kills, notifications_that_waited_for_their_receiver_across_three_kills) if WORD in t.__name__]))
