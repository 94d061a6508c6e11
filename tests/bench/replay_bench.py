#!/usr/bin/env python3
"""Replay by deciding: events of a long session decided again per second, and the bytes of its journal.

usage: replay_bench.py BUILD_DIR NAME     a row for each figure, as tests/bench/run reads them

The journal's bytes are the column of the events, before packing; the floor of the speed is the same log, folded from a pack.
"""
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scenario"))
import run as scenario  # noqa: E402

EVENTS = 10000
SCRIPT = {"version": 1, "tools": [{"name": "look", "policy": "allowed", "result": {"text": "what was seen " * 20}}],
          "rules": [{"when": {"afterTool": "look"}, "reply": {"text": "It is done. " * 20}},
                    {"when": {"text": "look", "request": 1}, "reply": {"toolCalls": [{"name": "look", "args": {"at": "src/main.c"}}]}}],
          "default": {"text": "It is done. " * 20}}


def row(*cells):
    print("row", *cells, sep="\t")


def median_of(times, call):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def fill(http):
    """Half of the turns call a tool."""
    session = http.call("submit_turn", {"input": "first"})[1]["sessionId"]
    count = 0
    while count < EVENTS:
        for n in range(20):
            http.call("submit_turn", {"sessionId": session, "input": ["more", "look"][n % 2]})
        scenario.until_idle(http, session)
        count = http.call("get_session", {"sessionId": session})[1]["sequence"]
    return session


def journal_share(data):
    with sqlite3.connect(f"file:{data}/log.db?mode=ro", uri=True) as db:
        return db.execute("SELECT sum(length(journal)), sum(length(body)) FROM event").fetchone()


def main():
    build, home = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="thole-replay-bench-")
    daemon = scenario.Daemon(build, os.path.join(home, "data"), json.dumps(SCRIPT), ["session.idle_evict_s=3600"])
    daemon.validates = False
    os.environ["THOLE_STRICT"] = "0"
    daemon.start()
    try:
        http = scenario.Http(daemon)
        session = fill(http)
        journal, events = journal_share(daemon.data)
        replies = []
        took = median_of(5, lambda: replies.append(http.call("replay_decisions", {"sessionId": session})[1]))
        reply, pack, thole = replies[-1], os.path.join(home, "pack"), os.path.join(build, "thole")
        assert reply["status"] == "same" and not reply["groups"]["not_recorded"], reply["groups"]
        subprocess.run([thole, "export", "evidence", session, "-o", pack, "--data", daemon.data], check=True, capture_output=True)
        fold = median_of(5, lambda: subprocess.run([thole, "replay", pack], check=True, capture_output=True))
        speed, floor, share = reply["events"] / took, reply["events"] / fold, 100 * journal / events
        row("decided again", f"{speed:.0f} events/s", f"{floor:.0f} events/s", f"{floor / speed:.2f}", ">= 50000 events/s", "yes" if speed >= 50000 else "no",
            f"{reply['events']} events in {reply['groups']['same']} groups; the floor folds the same log from a pack")
        row("journal", f"{share:.2f} % of the log", f"{events / 1e6:.2f} MB", "-", "<= 8 %", "yes" if share <= 8 else "no",
            f"{journal} bytes, {journal / reply['groups']['same']:.0f} for each group")
    finally:
        daemon.stop()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
